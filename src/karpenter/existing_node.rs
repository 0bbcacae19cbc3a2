//! `ExistingNode`: a node that the cluster has or is starting, while the pass fills it. As `scheduling.ExistingNode`.

use std::collections::BTreeSet;

use crate::model::names::Str;

use super::amounts::{Amounts, ResourceOrder};
use super::batch_pod::{BatchPod, Variant};
use super::candidates::{Accepted, Rules, Tried};
use super::host_ports::{PortInUse, conflict};
use super::refusal::{Refusal, Shortage};
use super::requirement::Requirement;
use super::requirements::{Demand, RequirementSets, SetId, Undefined, disjoint};
use super::taints::TaintsId;
use super::topology::{Constraint, TopologyCandidate, TopologyChoice, constrain, leaves_host};
use super::vocabulary::Value;

/// A node with what is left of it.
#[derive(Clone, Debug)]
pub(super) struct ExistingNode {
    /// Its state node.
    pub(super) index: usize,
    pub(super) name: Str,
    pub(super) set: SetId,
    pub(super) host: Value,
    pub(super) taints: TaintsId,
    pub(super) remaining: Amounts,
    /// By driver: the claims that are attached.
    pub(super) volumes: Vec<(Str, BTreeSet<Str>)>,
    /// By driver: how many may be attached.
    pub(super) volume_limits: Vec<(Str, i64)>,
    pub(super) ports: Vec<PortInUse>,
    /// Pods of the batch.
    pub(super) pods: Vec<usize>,
}

impl ExistingNode {
    /// Whether the node can take a pod, and what is left of its requirements then.
    pub(super) fn can_add(
        &self,
        pod: &BatchPod,
        variant: &Variant,
        constraints: &[Constraint],
        rules: &mut Rules<'_>,
    ) -> Tried {
        let explains = rules.explains;
        // What refuses most nodes comes first where nobody asks for the reason.
        if !explains {
            let asked = TopologyCandidate {
                set: self.set,
                host: self.host,
                undefined: Undefined::Nothing,
                only_known_hosts: rules.only_known_hosts,
            };
            let may_fit =
                self.has_room(pod) && leaves_host(constraints, &variant.strict, &asked, rules.sets);
            if !may_fit {
                return Tried::refused();
            }
        }
        if !rules.taints.tolerates(variant.tolerations, self.taints) {
            return Tried::because(explains, || {
                Refusal::Taints(rules.taints.untolerated(variant.tolerations, self.taints))
            });
        }
        if let Some(refusal) = self.volume_refusal(pod) {
            return Tried::because(explains, || refusal);
        }
        if let Some((wanted, used)) = conflict(&pod.ports, &pod.key, &self.ports) {
            return Tried::because(explains, || Refusal::HostPort {
                wanted,
                used: used.port,
                by: used.by,
            });
        }
        if !self.has_room(pod) {
            return Tried::because(explains, || self.shortage(pod, rules.order));
        }
        let sets = &mut *rules.sets;
        let merged = self.merged(self.set, &variant.full, sets);
        let Some(set) = merged else {
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
        for (place, alternative) in alternatives.iter().enumerate() {
            let Some(set) = self.merged(set, alternative, sets) else {
                tried.refuse(explains, || {
                    Refusal::VolumeTopology(self.mismatches(set, alternative, sets))
                });
                continue;
            };
            let candidate = TopologyCandidate {
                set,
                host: self.host,
                undefined: Undefined::Nothing,
                only_known_hosts: rules.only_known_hosts,
            };
            let (choice, some_failed) = constrain(constraints, &variant.strict, &candidate, sets);
            if some_failed {
                tried.refuse(explains, || {
                    super::candidates::topology_refusal(
                        &choice,
                        constraints,
                        variant,
                        &candidate,
                        sets,
                    )
                });
            }
            if let TopologyChoice::Sets(left) = choice {
                for set in left {
                    tried.accept(Accepted::on_node(set, place));
                }
                if !some_failed {
                    tried.is_refused = false;
                    break;
                }
            }
        }
        tried
    }

    fn has_room(&self, pod: &BatchPod) -> bool {
        !self.remaining.has_negative() && pod.amounts.is_within(&self.remaining)
    }

    fn merged(&self, set: SetId, demand: &Demand, sets: &mut RequirementSets) -> Option<SetId> {
        if !demand.allows_host(self.host, &sets.vocabulary) {
            return None;
        }
        sets.merge(set, demand.set, Undefined::Nothing)
    }

    fn mismatches(
        &self,
        set: SetId,
        demand: &Demand,
        sets: &RequirementSets,
    ) -> Vec<super::refusal::Mismatch> {
        let vocabulary = &sets.vocabulary;
        let mut all =
            sets.get(set).mismatches(sets.get(demand.set), Undefined::Nothing, vocabulary);
        if let Some(host) = demand.host.as_ref().filter(|host| !host.has(self.host, vocabulary)) {
            all.push(disjoint(vocabulary.hostname, host, &Requirement::one(self.host), vocabulary));
        }
        all
    }

    fn volume_refusal(&self, pod: &BatchPod) -> Option<Refusal> {
        let new = pod.attachments.as_deref().unwrap_or_default();
        self.volume_limits.iter().find_map(|(driver, limit)| {
            let used = self.volumes.iter().find(|(known, _)| known == driver);
            let used = used.map(|(_, claims)| claims);
            let added = new.iter().filter(|(of, claim)| {
                of == driver && !used.is_some_and(|used| used.contains(claim))
            });
            let count = used.map_or(0, BTreeSet::len) + added.count();
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            (count > *limit).then(|| Refusal::NodeVolumeLimit {
                driver: driver.clone(),
                count,
                limit: *limit,
            })
        })
    }

    fn shortage(&self, pod: &BatchPod, order: &ResourceOrder) -> Refusal {
        let negative = self.remaining.iter().filter(|(_, amount)| *amount < 0);
        let negative = negative.map(|(index, _)| index);
        let wanted = pod.amounts.iter();
        let short = wanted.filter(|(index, amount)| *amount > self.remaining.get(*index));
        let mut indexes: Vec<usize> = short.map(|(index, _)| index).chain(negative).collect();
        indexes.sort_unstable();
        indexes.dedup();
        let shortages = indexes.into_iter().map(|index| {
            let resource = order.name(index);
            Shortage {
                resource: resource.clone(),
                requested: pod.requests.amount(resource.as_str()),
                available: order.quantity(index, self.remaining.get(index)),
            }
        });
        Refusal::Resources(shortages.collect())
    }

    /// Takes a pod on.
    pub(super) fn add(&mut self, place: usize, pod: &BatchPod, set: SetId) {
        self.pods.push(place);
        self.set = set;
        self.remaining.subtract(&pod.amounts);
        let ports = pod.ports.iter();
        self.ports.extend(ports.map(|port| PortInUse { port: port.clone(), by: pod.key.clone() }));
        for (driver, claim) in pod.attachments.as_deref().unwrap_or_default() {
            match self.volumes.iter_mut().find(|(known, _)| known == driver) {
                Some((_, claims)) => {
                    claims.insert(claim.clone());
                }
                None => self.volumes.push((driver.clone(), [claim.clone()].into())),
            }
        }
    }
}
