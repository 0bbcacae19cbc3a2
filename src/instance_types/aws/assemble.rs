//! From a snapshot to an `AwsProvider`: which source gives what, and what has to be assumed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::instance_types::observed::Observed;
use crate::instance_types::provided::Options;
use crate::instance_types::source::{SourceKind, UsedSource};
use crate::instance_types::unavailable::Unavailable;
use crate::model::catalogue::{Catalogue, CatalogueFileKind, Ec2InstanceType};
use crate::model::gap::{Gap, GapKind};
use crate::model::labels;
use crate::model::names::{InstanceTypeName, Str};
use crate::model::nodepool::NodeClassRef;
use crate::model::snapshot::Snapshot;

use super::known_types::types;
use super::node_class::{Ec2NodeClass, Subnet};
use super::prices::Prices;
use super::provider::{AwsProvider, MemorySource, Timeless};
use super::region::region;
use super::requirements::ZONE_ID;
use super::settings::AwsSettings;
use super::{from_list, learned, not_listed};

/// The model of AWS for a snapshot, with the sources that it uses.
pub fn assemble(
    snapshot: &Snapshot,
    options: &Options,
    observed: Observed,
    unavailable: Vec<Unavailable>,
) -> (AwsProvider, Vec<UsedSource>) {
    let mut story = Story::default();
    let catalogue = files(snapshot, &mut story);
    let at = options.at.or(snapshot.taken_at);
    let settings = settings(snapshot, options, &observed, &mut story);
    let region = region(snapshot, options, &catalogue, &mut story);
    let types = types(&catalogue, &observed, at, &mut story);
    let prices = Prices::of(&region, &catalogue, at);
    story.tell_prices(&prices, &catalogue, &types);
    let (zones, inferred) = classes(snapshot, &observed, &settings, &mut story);
    let offered_in = (!catalogue.ec2_zones.is_empty()).then(|| catalogue.ec2_zones.clone());
    if offered_in.is_none() {
        story.assume(
            "zones of instance types",
            "every instance type is taken to be offered in every zone: too many may look possible",
            Some("give them with --instance-types: `aws ec2 describe-instance-type-offerings --location-type availability-zone`"),
        );
    }
    let mut provider = AwsProvider {
        types: Arc::new(types),
        settings,
        prices: Arc::new(prices),
        zones,
        offered_in: offered_in.map(Arc::new),
        observed: Arc::new(observed),
        inferred,
        not_listed: Arc::default(),
        unavailable: Arc::new(unavailable),
        at: options.at,
        gaps: Vec::new(),
        timeless: Timeless::default(),
    };
    story.compare(&provider, snapshot);
    let not_listed = not_listed::types(&provider, &snapshot.objects.node_classes);
    if !not_listed.is_empty() {
        let missing: BTreeSet<InstanceTypeName> = not_listed.keys().cloned().collect();
        let gave = format!("that {} could not be had: their lists lack it", names_of(&missing));
        story.sources.push(UsedSource::of(SourceKind::NodeClaims, gave));
    }
    provider.not_listed = Arc::new(not_listed);
    provider.gaps = story.gaps;
    (provider, story.sources)
}

/// Sources and gaps, as they are found.
#[derive(Default)]
pub(super) struct Story {
    pub(super) sources: Vec<UsedSource>,
    pub(super) gaps: Vec<Gap>,
}

impl Story {
    pub(super) fn assume(&mut self, subject: &str, detail: impl Into<String>, hint: Option<&str>) {
        let gap = Gap::new(GapKind::Assumed, subject, detail);
        self.gaps.push(match hint {
            Some(hint) => gap.hint(hint),
            None => gap,
        });
    }

    fn tell_prices(
        &mut self,
        prices: &Prices,
        catalogue: &Catalogue,
        types: &BTreeMap<InstanceTypeName, Arc<Ec2InstanceType>>,
    ) {
        let region = &prices.region;
        let not_in_files = types.keys().any(|name| !catalogue.on_demand.contains_key(name));
        if let Some(list) = prices.list().filter(|_| not_in_files) {
            let gave = format!("on-demand prices an hour in {}, an estimate", list.currency);
            let source = UsedSource::of(SourceKind::BuiltIn, gave);
            let name = format!("of prices in {}", list.region);
            self.sources.push(source.named(name).dated(list.date.to_string()));
            if prices.is_of_other_region() {
                let detail = format!(
                    "there is no price list of {region}: those of {} stand in, whose order differs a little",
                    list.region
                );
                self.assume(
                    "prices",
                    detail,
                    Some("give them with --prices: `aws pricing get-products`"),
                );
            }
        }
        if !prices.knows_spot() {
            self.assume(
                "spot prices",
                "spot prices are not known: each is taken to be the on-demand price, so their order among \
                 each other is not known",
                Some("give them with --prices: `aws ec2 describe-spot-price-history`"),
            );
        }
    }

    /// Sets the model beside what the snapshot's NodeClaims show, and says where it had to give way.
    fn compare(&mut self, provider: &AwsProvider, snapshot: &Snapshot) {
        let mut references: BTreeSet<NodeClassRef> =
            snapshot.objects.node_pools.iter().map(|it| it.template.node_class.clone()).collect();
        let machines = provider.observed.machines.values().flatten();
        let claimed = machines.filter(|it| it.node_claim.is_some());
        references.extend(claimed.map(|it| it.node_class.clone()));
        let (mut equal, mut corrected, mut discovered) = (0, BTreeSet::new(), BTreeSet::new());
        for reference in &references {
            let class = snapshot.objects.node_classes.iter().find(|class| {
                Some(&class.meta.name) == reference.name.as_ref() && class.group == reference.group
            });
            for modelled in provider.modelled(reference, class.map(|class| &**class)) {
                let name = &modelled.instance_type.name;
                if provider.observed.nearest(name, reference, provider.at).is_none() {
                    continue;
                }
                match modelled.corrected_by {
                    Some(_) => {
                        corrected.insert(name.clone());
                    }
                    None => equal += 1,
                }
                if modelled.memory == MemorySource::Discovered {
                    discovered.insert(name.clone());
                }
            }
        }
        if equal > 0 {
            let gave = format!("{} agree with the formulas", count(equal, "instance type"));
            self.sources.push(UsedSource::of(SourceKind::NodeClaims, gave));
        }
        if !corrected.is_empty() {
            let gave =
                format!("their own numbers of {}, where the formulas differ", names_of(&corrected));
            self.sources.push(UsedSource::of(SourceKind::NodeClaims, gave));
        }
        if !discovered.is_empty() {
            let gave = format!("memory of {} as seen on machines", names_of(&discovered));
            self.sources.push(UsedSource::of(SourceKind::Nodes, gave));
        }
    }
}

/// What files give, a kwok list among them.
fn files(snapshot: &Snapshot, story: &mut Story) -> Catalogue {
    let mut catalogue = Catalogue::default();
    if let Some(listed) = &snapshot.settings.instance_types {
        catalogue.extend(from_list::catalogue(listed));
        let gave =
            format!("which of {} are sold where, and prices", count(listed.len(), "instance type"));
        story.sources.push(UsedSource::of(SourceKind::File, gave).named("of instance types"));
    }
    catalogue.extend(snapshot.settings.catalogue.clone());
    for file in &catalogue.files {
        let what = match file.kind {
            CatalogueFileKind::Ec2InstanceTypes => "instance type",
            CatalogueFileKind::Ec2Offerings => "offering",
            CatalogueFileKind::AwsPriceList => "on-demand price",
            CatalogueFileKind::AwsSpotPrices => "spot price",
            CatalogueFileKind::AzureSkus | CatalogueFileKind::AzurePrices => continue,
        };
        let gave = format!("{} of `{}`", count(file.entries, what), file.kind.command());
        let source = UsedSource::of(SourceKind::File, gave).named(file.name.clone());
        story.sources.push(match file.newest {
            Some(newest) => source.dated(newest.to_string()),
            None => source,
        });
    }
    catalogue
}

fn settings(
    snapshot: &Snapshot,
    options: &Options,
    observed: &Observed,
    story: &mut Story,
) -> AwsSettings {
    let classes = snapshot.objects.node_classes.iter().map(|class| {
        let reference = NodeClassRef {
            group: class.group.clone(),
            kind: class.kind.clone(),
            name: Some(class.meta.name.clone()),
        };
        (reference, Ec2NodeClass::read(class).0)
    });
    let classes: BTreeMap<NodeClassRef, Ec2NodeClass> = classes.collect();
    let empty = BTreeMap::new();
    let environment = snapshot.settings.karpenter_environment.as_ref();
    let (mut settings, gaps) =
        AwsSettings::from_environment(options.version, environment.unwrap_or(&empty));
    story.gaps.extend(gaps);
    if environment.is_some() {
        return settings;
    }
    let mut learned = Vec::new();
    if let Some(fraction) = learned::vm_memory_overhead(observed, &settings) {
        settings.vm_memory_overhead = fraction;
        learned.push(format!("VM_MEMORY_OVERHEAD_PERCENT {fraction}"));
    }
    if let Some(reserved) = learned::reserved_enis(observed, &classes) {
        settings.reserved_enis = reserved;
        learned.push(format!("RESERVED_ENIS {reserved}"));
    }
    let assumed = [
        (format!("VM_MEMORY_OVERHEAD_PERCENT {}", settings.vm_memory_overhead)),
        (format!("RESERVED_ENIS {}", settings.reserved_enis)),
    ];
    let assumed = assumed.into_iter().filter(|setting| !learned.contains(setting));
    let assumed: Vec<String> = assumed.collect();
    if !assumed.is_empty() {
        let verb = if assumed.len() == 1 { "is" } else { "are" };
        story.assume(
            "settings of Karpenter",
            format!("{} {verb} assumed", assumed.join(" and ")),
            Some("give them with --karpenter-settings: the Deployment of Karpenter"),
        );
    }
    if !learned.is_empty() {
        story.sources.push(UsedSource::of(SourceKind::NodeClaims, learned.join(" and ")));
    }
    settings
}

/// Zones for NodeClasses that do not list their own, and NodeClasses that the snapshot lacks.
fn classes(
    snapshot: &Snapshot,
    observed: &Observed,
    settings: &AwsSettings,
    story: &mut Story,
) -> (Vec<Subnet>, BTreeMap<NodeClassRef, Ec2NodeClass>) {
    let objects = &snapshot.objects;
    let mut zones: BTreeMap<Str, Option<Str>> = BTreeMap::new();
    for node in &objects.nodes {
        if let Some(zone) = node.meta.labels.get(labels::ZONE) {
            let id = node.meta.labels.get(ZONE_ID).cloned();
            let known = zones.entry(zone.clone()).or_default();
            *known = known.take().or(id);
        }
    }
    for zone in observed.zones() {
        zones.entry(zone).or_default();
    }
    for zone in
        objects.node_pools.iter().flat_map(|pool| crate::instance_types::zones::of_pool(pool))
    {
        zones.entry(zone).or_default();
    }
    for volume in &objects.persistent_volumes {
        for zone in crate::instance_types::zones::of_volume(volume) {
            zones.entry(zone).or_default();
        }
    }
    let mut read = 0;
    for class in &objects.node_classes {
        if class.kind.as_deref() == Some("EC2NodeClass") {
            let (known, gaps) = Ec2NodeClass::read(class);
            read += 1;
            story.gaps.extend(gaps);
            for subnet in known.subnets {
                zones.insert(subnet.zone, subnet.zone_id);
            }
        }
    }
    if read > 0 {
        let gave = format!("settings of {}", count(read, "EC2NodeClass"));
        story.sources.push(UsedSource::of(SourceKind::NodeClasses, gave));
    }
    let has = |reference: &NodeClassRef| {
        objects.node_classes.iter().any(|class| Some(&class.meta.name) == reference.name.as_ref())
    };
    let pools = objects.node_pools.iter().map(|pool| &pool.template.node_class);
    let claims = objects.node_claims.iter().map(|claim| &claim.node_class);
    let missing: BTreeSet<&NodeClassRef> = pools.chain(claims).filter(|it| !has(it)).collect();
    let mut inferred = BTreeMap::new();
    for reference in missing {
        let subject = format!("ec2nodeclass/{}", reference.name.as_deref().unwrap_or("?"));
        let learned = learned::node_class(observed, reference, settings);
        let detail = match &learned {
            Some((class, of, explained)) => format!(
                "it is not in the input: {} of its NodeClaims' {} agree with family {}{}",
                explained,
                of,
                class.family.name(),
                class.kubelet.max_pods.map(|pods| format!(", maxPods {pods}")).unwrap_or_default()
            ),
            None => "it is not in the input: family AL2023 and the defaults are assumed".to_owned(),
        };
        story.assume(&subject, detail, Some("kubectl get ec2nodeclasses -o yaml"));
        inferred.extend(learned.map(|(class, ..)| (reference.clone(), class)));
    }
    if zones.is_empty() {
        story.assume("zones", "no object tells the zones: none can be offered", None);
    }
    let zones = zones.into_iter().map(|(zone, zone_id)| Subnet { zone, zone_id });
    (zones.collect(), inferred)
}

pub(super) fn count(number: usize, what: &str) -> String {
    let plural = if what.ends_with("Class") { "es" } else { "s" };
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}{plural}") }
}

/// A few names, and how many more.
pub(super) fn names_of(names: &BTreeSet<InstanceTypeName>) -> String {
    let shown: Vec<&str> = names.iter().take(5).map(InstanceTypeName::as_str).collect();
    let more = names.len() - shown.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", shown.join(", "))
}
