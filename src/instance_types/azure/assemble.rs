//! From a snapshot to an `AzureProvider`: which source gives what, and what has to be assumed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::instance_types::built_in::{self, AZURE_DATE, PriceList};
use crate::instance_types::observed::Observed;
use crate::instance_types::provided::Options;
use crate::instance_types::source::{SourceKind, UsedSource};
use crate::instance_types::unavailable::Unavailable;
use crate::model::catalogue::{AzureVmSize, CatalogueFileKind};
use crate::model::gap::{Gap, GapKind};
use crate::model::labels;
use crate::model::names::{InstanceTypeName, Str};
use crate::model::resources::PODS;
use crate::model::snapshot::Snapshot;

use super::arithmetic::AzureSettings;
use super::name;
use super::provider::AzureProvider;

/// The label of the cluster that a node belongs to.
const CLUSTER: &str = "kubernetes.azure.com/cluster";

/// The model of Azure for a snapshot, with the sources that it uses.
pub fn assemble(
    snapshot: &Snapshot,
    options: &Options,
    observed: Observed,
    unavailable: Vec<Unavailable>,
) -> (AzureProvider, Vec<UsedSource>) {
    let (mut sources, mut gaps) = (Vec::new(), Vec::new());
    let catalogue = &snapshot.settings.catalogue;
    let region = region(snapshot, options, &mut gaps);
    let sizes: BTreeMap<InstanceTypeName, Arc<AzureVmSize>> = if catalogue.azure.is_empty() {
        let sizes = built_in::azure().sizes.iter();
        let offered = sizes
            .filter(|size| size.excluded.is_empty() || observed.machines.contains_key(&size.name));
        offered.map(|size| (size.name.clone(), size.clone())).collect()
    } else {
        let sizes = catalogue.azure.iter().map(|size| Arc::new(completed(size)));
        let sizes = sizes.filter(|size| size.excluded.is_empty());
        sizes.map(|size| (size.name.clone(), size)).collect()
    };
    for file in &catalogue.files {
        let what = match file.kind {
            CatalogueFileKind::AzureSkus => "sizes",
            CatalogueFileKind::AzurePrices => "prices",
            _ => continue,
        };
        let gave = format!("{} {what} of `{}`", file.entries, file.kind.command());
        sources.push(UsedSource::of(SourceKind::File, gave).named(file.name.clone()));
    }
    if catalogue.azure.is_empty() {
        let gave = format!("facts of {} VM sizes", sizes.len());
        let source = UsedSource::of(SourceKind::BuiltIn, gave).named("of Azure");
        sources.push(source.dated(AZURE_DATE));
        let detail =
            "which zones offer a size, and whether as spot, is not in the table: all are assumed";
        let hint =
            "--instance-types with `az vm list-skus -l REGION --resource-type virtualMachines`";
        gaps.push(Gap::new(GapKind::Assumed, "zones of VM sizes", detail).hint(hint));
    }
    let prices = prices(&region, snapshot, &mut sources, &mut gaps);
    let spot: BTreeMap<InstanceTypeName, f64> =
        catalogue.spot.iter().map(|spot| (spot.instance_type.clone(), spot.price)).collect();
    if spot.is_empty() {
        let detail = "spot prices are not known: each is taken to be the pay-as-you-go price";
        gaps.push(Gap::new(GapKind::Assumed, "spot prices", detail));
    }
    let settings = settings(snapshot, &observed, &mut sources, &mut gaps);
    let nodes = &snapshot.objects.nodes;
    let cluster = nodes.iter().find_map(|node| node.meta.labels.get(CLUSTER).cloned());
    let known = observed.machines.values().flatten().filter(|it| it.predicted.is_some()).count();
    if known > 0 {
        let gave = format!("numbers of {known} machines as launched");
        sources.push(UsedSource::of(SourceKind::NodeClaims, gave));
    }
    let provider = AzureProvider {
        zones: zones(&region, &observed),
        sizes: Arc::new(sizes),
        settings,
        region,
        prices: Arc::new(prices),
        spot_prices: (!spot.is_empty()).then(|| Arc::new(spot)),
        cluster,
        observed: Arc::new(observed),
        unavailable: Arc::new(unavailable),
        at: options.at,
        gaps,
    };
    (provider, sources)
}

/// A file's facts with what the SKU service does not say: what the name tells, and why Karpenter drops a size.
fn completed(size: &AzureVmSize) -> AzureVmSize {
    let mut size = size.clone();
    if let Some(known) = built_in::azure().get(size.name.as_str()) {
        size.family = known.family.clone();
        size.series = known.series.clone();
        size.version = known.version.clone();
        size.gpu_manufacturer = known.gpu_manufacturer.clone();
        size.gpu_name = known.gpu_name.clone();
        size.is_known = known.is_known;
        if size.excluded.is_empty() {
            size.excluded = known.excluded.clone();
        }
        return size;
    }
    let Some(name) = name::parse(size.name.as_str()) else {
        size.excluded = "name".into();
        return size;
    };
    let excluded = if size.vcpus < 2 {
        "cpu"
    } else if size.memory_mib < 3584 {
        "mem"
    } else if name.is_constrained {
        "constrained"
    } else if ["DC", "EC"].contains(&name.subfamily.as_str()) {
        "confidential"
    } else {
        ""
    };
    if size.excluded.is_empty() {
        size.excluded = excluded.into();
    }
    size.family = name.family.into();
    size.series = name.series.into();
    size.version = name.version.into();
    size
}

fn region(snapshot: &Snapshot, options: &Options, gaps: &mut Vec<Gap>) -> Str {
    let of_nodes = || {
        let nodes = snapshot.objects.nodes.iter();
        nodes.filter_map(|node| node.meta.labels.get(labels::REGION).cloned()).min()
    };
    options.region.clone().or_else(of_nodes).unwrap_or_else(|| {
        let detail = "the region is not known: eastus is assumed";
        gaps.push(Gap::new(GapKind::Assumed, "region", detail).hint("give it with --region"));
        "eastus".into()
    })
}

fn prices(
    region: &Str,
    snapshot: &Snapshot,
    sources: &mut Vec<UsedSource>,
    gaps: &mut Vec<Gap>,
) -> BTreeMap<InstanceTypeName, f64> {
    let in_files = &snapshot.settings.catalogue.on_demand;
    if !in_files.is_empty() {
        return in_files.clone();
    }
    let lists = &built_in::azure().prices;
    let stand_in: Option<&PriceList> = lists.get("eastus");
    let Some(list) = lists.get(region).or(stand_in) else { return BTreeMap::new() };
    let gave = format!("pay-as-you-go prices an hour in {}, an estimate", list.currency);
    let name = format!("of prices in {}", list.region);
    sources
        .push(UsedSource::of(SourceKind::BuiltIn, gave).named(name).dated(list.date.to_string()));
    if list.region != *region {
        let detail =
            format!("there is no price list of {region}: those of {} stand in", list.region);
        gaps.push(Gap::new(GapKind::Assumed, "prices", detail));
    }
    list.prices.clone()
}

/// Zones that machines of the region show; without any, the usual three.
fn zones(region: &Str, observed: &Observed) -> Vec<Str> {
    let seen: BTreeSet<Str> = observed.zones();
    let zonal: Vec<Str> = seen.into_iter().filter(|zone| zone.starts_with(&**region)).collect();
    if zonal.is_empty() {
        return (1..=3).map(|number| format!("{region}-{number}").into()).collect();
    }
    zonal
}

fn settings(
    snapshot: &Snapshot,
    observed: &Observed,
    sources: &mut Vec<UsedSource>,
    gaps: &mut Vec<Gap>,
) -> AzureSettings {
    let mut settings = AzureSettings::default();
    let environment = snapshot.settings.karpenter_environment.as_ref();
    let variable = |name: &str| environment.and_then(|it| it.get(name)).map(|text| text.trim());
    if let Some(fraction) = variable("VM_MEMORY_OVERHEAD_PERCENT").and_then(|it| it.parse().ok()) {
        settings.vm_memory_overhead = fraction;
    }
    settings.default_pods = match (variable("NETWORK_PLUGIN"), variable("NETWORK_PLUGIN_MODE")) {
        (Some("none"), _) | (Some("azure") | None, Some("overlay") | None) => 250,
        (Some("azure") | None, Some(_)) => 30,
        (Some(_), _) => 110,
    };
    let told: BTreeSet<i64> = observed
        .machines
        .values()
        .flatten()
        .filter_map(|machine| Some(machine.predicted.as_ref()?.0.get(PODS)?.value()))
        .collect();
    if environment.is_none() {
        if let (1, Some(pods)) = (told.len(), told.first()) {
            settings.default_pods = *pods;
            let gave = format!("{pods} pods a node");
            sources.push(UsedSource::of(SourceKind::NodeClaims, gave));
        } else {
            let detail =
                "VM_MEMORY_OVERHEAD_PERCENT 0.075 and Azure CNI in overlay mode are assumed";
            let hint = "give them with --karpenter-settings: the Deployment of Karpenter";
            gaps.push(Gap::new(GapKind::Assumed, "settings of Karpenter", detail).hint(hint));
        }
    }
    settings
}
