//! What DaemonSets take from a node: on new claims by instance type, on nodes that exist by their labels.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::pod::{Pod, PodSpec};
use crate::model::requests::{RequestRules, pod_requests, spec_requests};
use crate::model::resources::Resources;
use crate::model::workload::{Workload, WorkloadKind};

use super::amounts::{Amounts, ResourceOrder};
use super::bits::Bits;
use super::demands::Demands;
use super::host_ports::{PortInUse, host_ports};
use super::instance_types::TypeTable;
use super::requirement::Requirement;
use super::requirements::{Demand, RequirementSets, SetId, Undefined};
use super::settings::Settings;
use super::taints::{TaintTable, TaintsId, TolerationsId, of_soft_taints, tolerates_soft_taints};

/// The pod that stands for a DaemonSet. Upstream shares and changes it while it goes through templates and types: a
/// dropped term stays dropped.
#[derive(Clone, Debug)]
pub(super) struct Daemon {
    demands: Demands,
    strict: Option<Demand>,
    /// The number of its tolerations as they stand.
    tolerations: Option<TolerationsId>,
    /// With its own place among the pods; worked out when an existing node first asks.
    amounts: Option<Amounts>,
    pub(super) requests: Resources,
    ports: Vec<PortInUse>,
    /// Whether it asks for devices, and so does not count.
    pub(super) uses_devices: bool,
}

/// One pod for each DaemonSet, in the order of the DaemonSets.
pub(super) fn daemons(
    state: &ClusterState,
    settings: &Settings,
    rules: RequestRules,
) -> Vec<Daemon> {
    let mut newest: BTreeMap<&str, &Arc<Pod>> = BTreeMap::new();
    for pod in &state.pods {
        let Some(owner) = pod.meta.controller().filter(|owner| &*owner.kind == "DaemonSet") else {
            continue;
        };
        let known = newest.entry(owner.uid.as_str()).or_insert(pod);
        if pod.meta.created > known.meta.created {
            *known = pod;
        }
    }
    let sets = state.workloads.iter().filter(|workload| workload.kind == WorkloadKind::DaemonSet);
    sets.map(|set| {
        let pod = newest.get(set.meta.uid.as_str()).filter(|_| !set.meta.uid.as_str().is_empty());
        daemon(set, pod.copied(), settings, rules)
    })
    .collect()
}

fn daemon(
    set: &Workload,
    pod: Option<&Arc<Pod>>,
    settings: &Settings,
    rules: RequestRules,
) -> Daemon {
    let template: &PodSpec = &set.template.spec;
    let (meta, spec, requests) = match pod {
        Some(pod) => (&pod.meta, &pod.spec, pod_requests(pod, rules)),
        None => (&set.meta, &set.template.spec, spec_requests(template, rules)),
    };
    let mut demands = Demands::of(spec);
    let required = template.affinity.node.as_ref().and_then(|node| node.required.as_ref());
    if let Some(required) = required {
        demands.affinity.node.get_or_insert_default().required = Some(required.clone());
    }
    let key = meta.pod_key();
    let ports = host_ports(spec).into_iter().map(|port| PortInUse { port, by: key.clone() });
    Daemon {
        ports: ports.collect(),
        demands,
        strict: None,
        tolerations: None,
        amounts: None,
        requests,
        uses_devices: uses_devices(spec, settings),
    }
}

/// Whether a pod asks for devices by dynamic resource allocation, as a release sees it.
pub(super) fn uses_devices(spec: &PodSpec, settings: &Settings) -> bool {
    let mut containers = spec.containers.iter().chain(&spec.init_containers);
    let by_container = containers.any(|container| !container.claims.is_empty());
    let by_pod = settings.version.since(14, 0) && !spec.resource_claims.is_empty();
    settings.version.since(9, 0) && (by_container || by_pod)
}

impl Daemon {
    fn strict(&mut self, sets: &mut RequirementSets) -> Demand {
        let demands = &self.demands;
        let strict = self.strict.get_or_insert_with(|| {
            let requirements = demands.requirements(false, &mut sets.vocabulary);
            sets.demand(requirements)
        });
        strict.clone()
    }

    fn tolerations(&mut self, taints: &mut TaintTable) -> TolerationsId {
        let demands = &self.demands;
        *self.tolerations.get_or_insert_with(|| taints.tolerations_id(&demands.tolerations))
    }

    /// What it asks for, with its own place among the pods.
    pub(super) fn amounts(&mut self, order: &mut ResourceOrder) -> &Amounts {
        let requests = &self.requests;
        self.amounts.get_or_insert_with(|| {
            let mut requests = requests.clone();
            requests.set("pods".into(), crate::model::quantity::Quantity::units(1));
            order.amounts(&requests)
        })
    }

    /// Takes away the first of several required terms.
    fn drop_term(&mut self) -> bool {
        let node = self.demands.affinity.node.as_mut();
        match node.and_then(|node| node.required.as_mut()) {
            Some(terms) if terms.len() > 1 => {
                terms.remove(0);
                self.strict = None;
                true
            }
            _ => false,
        }
    }

    /// Whether the DaemonSet will have a pod on an existing node.
    pub(super) fn runs_on(
        &mut self,
        labels: SetId,
        host: super::vocabulary::Value,
        node_taints: TaintsId,
        settings: &Settings,
        sets: &mut RequirementSets,
        taints: &mut TaintTable,
    ) -> bool {
        let tolerations = self.tolerations(taints);
        if !taints.tolerates(tolerations, node_taints) {
            return false;
        }
        let demand = if settings.version.since(5, 0) {
            self.strict(sets)
        } else {
            let full = self.demands.requirements(true, &mut sets.vocabulary);
            sets.demand(full)
        };
        sets.merge(labels, demand.set, Undefined::Nothing).is_some()
            && demand.allows_host(host, &sets.vocabulary)
    }
}

/// Instance types on which the same DaemonSets will run.
#[derive(Clone, Debug)]
pub(super) struct OverheadGroup {
    pub(super) types: Bits,
    /// What they ask for together; `None` where there are none.
    pub(super) requests: Option<Resources>,
    pub(super) amounts: Amounts,
    pub(super) ports: Vec<PortInUse>,
}

/// What a template's types and DaemonSets come to, in the order in which the groups first appear.
pub(super) struct GroupMaker<'a> {
    pub(super) template: SetId,
    pub(super) taints_id: TaintsId,
    pub(super) options: &'a Bits,
    pub(super) table: &'a TypeTable,
    pub(super) settings: &'a Settings,
    pub(super) sets: &'a mut RequirementSets,
    pub(super) taints: &'a mut TaintTable,
    pub(super) order: &'a mut ResourceOrder,
}

impl GroupMaker<'_> {
    pub(super) fn groups(&mut self, daemons: &mut [Daemon]) -> Vec<OverheadGroup> {
        if !self.settings.version.since(14, 0) {
            return vec![self.of_template(daemons)];
        }
        let mut groups: Vec<(Vec<usize>, Bits)> = Vec::new();
        let options: Vec<usize> = self.options.iter().collect();
        for index in options {
            let mut subset = Vec::new();
            for (place, daemon) in daemons.iter_mut().enumerate() {
                if self.counts(daemon) && self.runs(daemon, Some(index)) {
                    subset.push(place);
                }
            }
            if let Some((_, types)) = groups.iter_mut().find(|(known, _)| *known == subset) {
                types.insert(index);
            } else {
                let mut types = Bits::none(self.table.len());
                types.insert(index);
                groups.push((subset, types));
            }
        }
        let made = groups.into_iter();
        made.map(|(subset, types)| {
            let members: Vec<&Daemon> = subset.iter().map(|place| &daemons[*place]).collect();
            group(&members, types, self.order)
        })
        .collect()
    }

    /// Before 1.14: one group, of the DaemonSets that fit the template.
    fn of_template(&mut self, daemons: &mut [Daemon]) -> OverheadGroup {
        let mut members = Vec::new();
        for (place, daemon) in daemons.iter_mut().enumerate() {
            if self.counts(daemon) && self.runs(daemon, None) {
                members.push(place);
            }
        }
        let members: Vec<&Daemon> = members.iter().map(|place| &daemons[*place]).collect();
        let mut group = group(&members, self.options.clone(), self.order);
        if !self.settings.version.since(5, 0) {
            group.ports.clear();
        }
        group
    }

    fn counts(&self, daemon: &Daemon) -> bool {
        !(daemon.uses_devices && self.settings.ignore_dra_requests)
    }

    /// Whether the DaemonSet will have a pod on a claim, of one type where that counts. Changes the DaemonSet's pod.
    fn runs(&mut self, daemon: &mut Daemon, index: Option<usize>) -> bool {
        if !tolerates_soft_taints(&daemon.demands.tolerations) {
            daemon.demands.tolerations.push(of_soft_taints());
            daemon.tolerations = None;
        }
        let tolerations = daemon.tolerations(self.taints);
        if !self.taints.tolerates(tolerations, self.taints_id) {
            return false;
        }
        loop {
            let strict = daemon.strict(self.sets);
            let fits_template =
                self.sets.merge(self.template, strict.set, Undefined::WellKnown).is_some()
                    && strict.host.as_ref().is_none_or(Requirement::allows_absence);
            let fits_type = index.is_none_or(|index| {
                let asked = self.sets.get(strict.set);
                self.table.types[index].requirements.intersects(asked, &self.sets.vocabulary)
            });
            if fits_template && fits_type {
                return true;
            }
            if !daemon.drop_term() {
                return false;
            }
        }
    }
}

fn group(members: &[&Daemon], types: Bits, order: &mut ResourceOrder) -> OverheadGroup {
    let requests = (!members.is_empty()).then(|| {
        let mut total = Resources::new();
        for member in members {
            total.add(&member.requests);
        }
        let count = i64::try_from(members.len()).unwrap_or(i64::MAX);
        total.set("pods".into(), crate::model::quantity::Quantity::units(count));
        total
    });
    OverheadGroup {
        types,
        amounts: requests.as_ref().map(|own| order.amounts(own)).unwrap_or_default(),
        requests,
        ports: members.iter().flat_map(|member| member.ports.iter().cloned()).collect(),
    }
}
