//! `InFlightNodeClaim`: a NodeClaim that the pass is filling. As `scheduling.NodeClaim`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::model::names::{PodKey, Str};

use super::amounts::Amounts;
use super::batch_pod::{BatchPod, Variant};
use super::bits::Bits;
use super::candidates::{Accepted, Rules, Tried, topology_refusal};
use super::host_ports::{PortInUse, conflict};
use super::instance_types::{TypeMask, TypeTable, attachment_limit};
use super::nodeclaim_template::NodeClaimTemplate;
use super::refusal::{Mismatch, Refusal};
use super::requirement::Requirement;
use super::requirements::{Demand, RequirementSets, SetId, Undefined, disjoint};
use super::reservation_manager::{ProspectiveClaim, ReservationManager};
use super::settings::MinValuesPolicy;
use super::topology::{Constraint, TopologyCandidate, TopologyChoice, constrain, leaves_host};
use super::type_refusal::{TypeFlags, TypeRefusal};
use super::vocabulary::Value;
use crate::model::resources::Resources;

/// A NodeClaim while it is filled.
#[derive(Clone, Debug)]
pub(super) struct InFlightNodeClaim {
    pub(super) template: usize,
    pub(super) set: SetId,
    pub(super) host: Value,
    /// The types that it may still be.
    pub(super) options: Bits,
    /// Pods of the batch.
    pub(super) pods: Vec<usize>,
    /// What they ask for.
    pub(super) amounts: Amounts,
    /// More than this no type leaves, whatever the pod.
    pub(super) room: Amounts,
    pub(super) volumes: Vec<(Str, BTreeSet<Str>)>,
    pub(super) ports: Vec<PortInUse>,
    pub(super) reservations: Vec<Value>,
}

/// What a claim is asked with, beside the pod.
pub(super) struct ClaimContext<'a> {
    pub(super) template: &'a NodeClaimTemplate,
    pub(super) table: &'a mut TypeTable,
    pub(super) reservations: &'a ReservationManager,
    /// Ports that other claims of the template use, where they count too: from 1.5 to 1.12.
    pub(super) shared_ports: &'a [PortInUse],
    /// Whether the claim is new: then `minValues` may be lowered.
    pub(super) is_new: bool,
}

impl InFlightNodeClaim {
    /// A claim without pods.
    pub(super) fn new(
        place: usize,
        template: &NodeClaimTemplate,
        options: Bits,
        host: Value,
    ) -> Self {
        Self {
            template: place,
            set: template.set,
            host,
            options,
            pods: Vec::new(),
            amounts: Amounts::default(),
            room: Amounts::default(),
            volumes: Vec::new(),
            ports: Vec::new(),
            reservations: Vec::new(),
        }
    }

    /// Whether the claim can take a pod, and what is left of it then.
    pub(super) fn can_add(
        &self,
        pod: &BatchPod,
        variant: &Variant,
        constraints: &[Constraint],
        context: &mut ClaimContext<'_>,
        rules: &mut Rules<'_>,
    ) -> Tried {
        let explains = rules.explains;
        // What refuses most claims comes first where nobody asks for the reason.
        if !explains && !context.is_new {
            let asked = TopologyCandidate {
                set: self.set,
                host: self.host,
                undefined: Undefined::WellKnown,
                only_known_hosts: rules.only_known_hosts,
            };
            let may_fit = pod.amounts.is_within(&self.room)
                && leaves_host(constraints, &variant.strict, &asked, rules.sets);
            if !may_fit {
                return Tried::refused();
            }
        }
        if !rules.taints.tolerates(variant.tolerations, context.template.taints) {
            return Tried::because(explains, || {
                let taints = context.template.taints;
                Refusal::Taints(rules.taints.untolerated(variant.tolerations, taints))
            });
        }
        if let Some((wanted, used)) = conflict(&pod.ports, &pod.key, context.shared_ports) {
            return Tried::because(explains, || Refusal::HostPort {
                wanted,
                used: used.port,
                by: used.by,
            });
        }
        let Some(options) = self.attachable(pod, context.table, rules) else {
            return Tried::because(explains, || Refusal::TypeVolumeLimit);
        };
        let sets = &mut *rules.sets;
        let Some(set) = self.merged(self.set, &variant.full, sets) else {
            return Tried::because(explains, || {
                Refusal::Requirements(self.mismatches(self.set, &variant.full, sets))
            });
        };
        let mut tried = Tried::refused();
        let anywhere = [Demand { set: RequirementSets::NONE, host: None }];
        let alternatives = match &pod.alternatives {
            Ok(alternatives) if !alternatives.is_empty() => &alternatives[..],
            _ => &anywhere[..],
        };
        let mut total = self.amounts.clone();
        total.add(&pod.amounts);
        for (place, alternative) in alternatives.iter().enumerate() {
            tried.is_reserved = false;
            let Some(set) = self.merged(set, alternative, rules.sets) else {
                tried.refuse(explains, || {
                    Refusal::VolumeTopology(self.mismatches(set, alternative, rules.sets))
                });
                continue;
            };
            let candidate = TopologyCandidate {
                set,
                host: self.host,
                undefined: Undefined::WellKnown,
                only_known_hosts: rules.only_known_hosts,
            };
            let (choice, mut some_failed) =
                constrain(constraints, &variant.strict, &candidate, rules.sets);
            if some_failed {
                tried.refuse(explains, || {
                    topology_refusal(&choice, constraints, variant, &candidate, rules.sets)
                });
            }
            let TopologyChoice::Sets(left) = choice else { continue };
            for set in left {
                let asked = Asked { pod, set, options: &options, total: &total };
                match self.filter(&asked, place, context, rules) {
                    Ok(accepted) => tried.accept(accepted),
                    Err(refusal) => {
                        some_failed = true;
                        tried.is_refused = true;
                        tried.is_reserved |= refusal.is_reserved;
                        tried.refusal = refusal.reason.or(tried.refusal.take());
                    }
                }
            }
            if !some_failed {
                tried.is_refused = false;
                tried.is_reserved = false;
                break;
            }
        }
        tried
    }

    /// The types that may attach the pod's volumes beside the claim's.
    fn attachable(
        &self,
        pod: &BatchPod,
        table: &TypeTable,
        rules: &Rules<'_>,
    ) -> Option<Cow<'_, Bits>> {
        let new = pod.attachments.as_deref().unwrap_or_default();
        if new.is_empty() || !rules.settings.version.since(15, 0) {
            return Some(Cow::Borrowed(&self.options));
        }
        let mut together = self.volumes.clone();
        add_volumes(&mut together, new);
        let mut left = Bits::none(table.len());
        for index in self.options.iter() {
            let model = &table.types[index].model;
            let fits = together.iter().all(|(driver, claims)| {
                let count = i64::try_from(claims.len()).unwrap_or(i64::MAX);
                attachment_limit(model, driver).is_none_or(|limit| count <= limit)
            });
            if fits {
                left.insert(index);
            }
        }
        (!left.is_empty()).then_some(Cow::Owned(left))
    }

    fn merged(&self, set: SetId, demand: &Demand, sets: &mut RequirementSets) -> Option<SetId> {
        if !demand.allows_host(self.host, &sets.vocabulary) {
            return None;
        }
        sets.merge(set, demand.set, Undefined::WellKnown)
    }

    fn mismatches(&self, set: SetId, demand: &Demand, sets: &RequirementSets) -> Vec<Mismatch> {
        let vocabulary = &sets.vocabulary;
        let mut all =
            sets.get(set).mismatches(sets.get(demand.set), Undefined::WellKnown, vocabulary);
        if let Some(host) = demand.host.as_ref().filter(|host| !host.has(self.host, vocabulary)) {
            all.push(disjoint(vocabulary.hostname, host, &Requirement::one(self.host), vocabulary));
        }
        all
    }

    /// The instance types that are left. As `filterInstanceTypesByRequirements`.
    fn filter(
        &self,
        asked: &Asked<'_>,
        alternative: usize,
        context: &mut ClaimContext<'_>,
        rules: &mut Rules<'_>,
    ) -> Result<Accepted, FilterRefusal> {
        let mask = context.table.mask(asked.set, rules.sets);
        let template = context.template;
        let blocked = self.blocked_groups(asked.pod, template);
        let totals: Vec<Amounts> = template
            .groups
            .iter()
            .map(|group| {
                let mut total = asked.total.clone();
                total.add(&group.amounts);
                total
            })
            .collect();
        let mut options = Bits::none(context.table.len());
        for index in asked.options.and(&mask.possible).iter() {
            let group = template.group_of[index];
            if !blocked[group] && context.table.has_room(index, &mask, &totals[group]) {
                options.insert(index);
            }
        }
        let mut set = asked.set;
        let mut unmet = Vec::new();
        let requirements = std::sync::Arc::clone(rules.sets.get(set));
        if requirements.iter().any(|(_, requirement)| requirement.min_values.is_some()) {
            let remaining: Vec<usize> = options.iter().collect();
            let admitted = rules.settings.version.since(14, 3);
            unmet = context.table.unmet_min_values(&remaining, &requirements, admitted, rules.sets);
            let lowers =
                rules.settings.min_values_policy == MinValuesPolicy::BestEffort && context.is_new;
            if lowers {
                let mut lowered = (*requirements).clone();
                for (key, count) in unmet.drain(..) {
                    if let Some(requirement) = requirements.get(key) {
                        let min_values = Some(count);
                        lowered.replace(key, Requirement { min_values, ..requirement.clone() });
                    }
                }
                set = rules.sets.id(lowered);
            } else if !unmet.is_empty() {
                options = Bits::none(context.table.len());
            }
        }
        if options.is_empty() {
            let reason = rules.explains.then(|| {
                let refusal =
                    type_refusal(asked, &mask, &blocked, &totals, &unmet, context, rules.sets);
                Box::new(Refusal::InstanceTypes(refusal))
            });
            return Err(FilterRefusal { is_reserved: false, reason });
        }
        let mut reservations = Vec::new();
        if rules.settings.gates.reserved_capacity && context.table.has_reserved() {
            let claim = ProspectiveClaim {
                table: context.table,
                options: &options,
                set,
                held: &self.reservations,
            };
            match context.reservations.to_hold(&claim, rules.settings.version, rules.sets) {
                Ok(ids) => reservations = ids,
                Err(refusal) => {
                    let reason = rules.explains.then(|| Box::new(Refusal::Reserved(refusal)));
                    let is_reserved = context.reservations.is_strict();
                    return Err(FilterRefusal { is_reserved, reason });
                }
            }
        }
        Ok(Accepted { set, options, reservations, alternative })
    }

    /// Which groups of types cannot give the pod its host ports.
    fn blocked_groups(&self, pod: &BatchPod, template: &NodeClaimTemplate) -> Vec<bool> {
        let groups = template.groups.iter();
        groups
            .map(|group| {
                conflict(&pod.ports, &pod.key, group.ports.iter().chain(&self.ports)).is_some()
            })
            .collect()
    }

    /// Takes a pod on.
    pub(super) fn add(
        &mut self,
        place: usize,
        pod: &BatchPod,
        accepted: &Accepted,
        template: &NodeClaimTemplate,
    ) {
        self.pods.push(place);
        self.set = accepted.set;
        self.options = accepted.options.clone();
        self.reservations.clone_from(&accepted.reservations);
        self.amounts.add(&pod.amounts);
        add_volumes(&mut self.volumes, pod.attachments.as_deref().unwrap_or_default());
        self.ports.extend(used_ports(pod));
        let mut room = Amounts::default();
        for index in self.options.iter() {
            room.raise_to(&template.room[index]);
        }
        room.subtract(&self.amounts);
        self.room = room;
    }
}

/// Why no type is left, with what was ever met.
fn type_refusal(
    asked: &Asked<'_>,
    mask: &TypeMask,
    blocked: &[bool],
    totals: &[Amounts],
    unmet: &[(super::vocabulary::Key, i64)],
    context: &ClaimContext<'_>,
    sets: &RequirementSets,
) -> TypeRefusal {
    let (table, template) = (&*context.table, context.template);
    let mut flags = TypeFlags {
        host_port_conflict: blocked.iter().any(|blocked| *blocked),
        ..TypeFlags::default()
    };
    for index in asked.options.iter() {
        let group = template.group_of[index];
        if blocked[group] {
            continue;
        }
        let compatible = mask.compatible.contains(index);
        let offered = table.has_offering(index, mask);
        let fits = table.has_room(index, mask, &totals[group]);
        flags.compatible |= compatible;
        flags.has_offering |= offered;
        flags.fits |= fits;
        flags.compatible_and_fits |= compatible && fits && !offered;
        flags.compatible_and_offered |= compatible && offered && !fits;
        flags.fits_and_offered |= fits && offered && !compatible;
    }
    let overheads: Vec<&Resources> = template
        .groups
        .iter()
        .zip(blocked)
        .filter(|(_, blocked)| !**blocked)
        .filter_map(|(group, _)| group.requests.as_ref())
        .collect();
    let (least, most) = bounds(&overheads);
    let with = |overhead: &Resources| {
        let mut sum = asked.pod.requests.clone();
        sum.add(overhead);
        sum
    };
    TypeRefusal {
        flags,
        min_values: unmet
            .iter()
            .map(|(key, count)| (sets.vocabulary.key_text(*key).clone(), *count))
            .collect(),
        requirements: sets.get(asked.set).print(&sets.vocabulary),
        least: with(&least),
        most: with(&most),
    }
}

/// The ports that a pod will use.
pub(super) fn used_ports(pod: &BatchPod) -> impl Iterator<Item = PortInUse> {
    let by: &PodKey = &pod.key;
    pod.ports.iter().map(|port| PortInUse { port: port.clone(), by: by.clone() })
}

fn add_volumes(volumes: &mut Vec<(Str, BTreeSet<Str>)>, new: &[(Str, Str)]) {
    for (driver, claim) in new {
        match volumes.iter_mut().find(|(known, _)| known == driver) {
            Some((_, claims)) => {
                claims.insert(claim.clone());
            }
            None => volumes.push((driver.clone(), [claim.clone()].into())),
        }
    }
}

/// The least of the keys that all have, and the most of all keys.
fn bounds(overheads: &[&Resources]) -> (Resources, Resources) {
    let mut most = Resources::new();
    for overhead in overheads {
        most.raise_to(overhead);
    }
    let common = most.iter().filter_map(|(name, _)| {
        let amounts: Option<Vec<_>> =
            overheads.iter().map(|overhead| overhead.get(name.as_str())).collect();
        Some((name.clone(), amounts?.into_iter().min()?))
    });
    (common.collect(), most)
}

/// What the filter is asked.
struct Asked<'a> {
    pod: &'a BatchPod,
    set: SetId,
    options: &'a Bits,
    total: &'a Amounts,
}

struct FilterRefusal {
    is_reserved: bool,
    reason: Option<Box<Refusal>>,
}
