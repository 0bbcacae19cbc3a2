//! Planned NodeClaims as nodes that have come up: what kube-scheduler would see of them.

use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::instance_type::InstanceType;
use crate::model::labels::{self, Labels};
use crate::model::meta::{Condition, Meta, Owner};
use crate::model::names::{NodeName, Str, Uid};
use crate::model::node::Node;
use crate::model::pod::{Phase, Pod, PodSpec, PodStatus};
use crate::model::resources::Resources;
use crate::model::selector::Operator;
use crate::model::workload::{Workload, WorkloadKind};

use super::{CloudProvider, NewNodeClaim};

/// A planned node, and what it would be.
#[derive(Clone, Debug)]
pub struct Launched {
    /// The node, up and initialized.
    pub node: Arc<Node>,
    /// Its type.
    pub instance_type: Str,
    /// Its zone.
    pub zone: Option<Str>,
    /// `spot`, `on-demand` or `reserved`.
    pub capacity_type: Option<Str>,
    /// Its price an hour.
    pub price: Option<f64>,
}

/// The node that a provider would most likely launch for a claim: its cheapest choice.
pub fn launch(
    claim: &NewNodeClaim,
    number: usize,
    provider: &dyn CloudProvider,
) -> Option<Launched> {
    let choices = provider.launches(claim, &claim.instance_types);
    let first = choices.iter().min_by(|a, b| {
        a.price
            .total_cmp(&b.price)
            .then_with(|| a.instance_type.cmp(&b.instance_type))
            .then_with(|| a.zone.cmp(&b.zone))
    });
    let (machine, zone, capacity_type, price) = match first {
        Some(choice) => {
            let mut types = claim.instance_types.iter();
            let machine = types.find(|one| one.name == choice.instance_type)?;
            (machine, choice.zone.clone(), choice.capacity_type.clone(), Some(choice.price))
        }
        None => (claim.instance_types.first()?, None, None, claim.price),
    };
    let name = format!("planned-{number:03}-{}", claim.node_pool);
    let labels = node_labels(claim, machine, &name, zone.as_ref(), capacity_type.as_ref());
    let ready = Condition {
        kind: "Ready".into(),
        status: "True".into(),
        reason: "KubeletReady".into(),
        message: "".into(),
        changed: None,
        observed_generation: None,
    };
    let node = Node {
        meta: Meta {
            name: name.as_str().into(),
            uid: Uid::from(name.as_str()),
            labels,
            ..Meta::default()
        },
        provider_id: Some(format!("planned://{name}").into()),
        taints: claim.taints.clone(),
        capacity: machine.capacity.clone(),
        allocatable: allocatable(machine),
        conditions: vec![ready],
        ..Node::default()
    };
    Some(Launched {
        node: Arc::new(node),
        instance_type: machine.name.0.clone(),
        zone,
        capacity_type,
        price,
    })
}

/// What of a machine pods can use.
pub fn allocatable(one: &InstanceType) -> Resources {
    let mut free = one.capacity.clone();
    for part in [
        &one.overhead.kube_reserved,
        &one.overhead.system_reserved,
        &one.overhead.eviction_threshold,
    ] {
        for (name, amount) in part {
            if let Some(left) = free.get(name.as_str()) {
                free.set(name.clone(), left.minus(*amount));
            }
        }
    }
    free
}

/// What a node of the claim would be labelled: what its type and its claim leave no choice of, and what was chosen.
fn node_labels(
    claim: &NewNodeClaim,
    machine: &InstanceType,
    name: &str,
    zone: Option<&Str>,
    capacity_type: Option<&Str>,
) -> Labels {
    let single = machine.requirements.iter().chain(&claim.requirements).filter_map(|requirement| {
        match (&requirement.operator, &*requirement.values) {
            (Operator::In, [only]) => Some((requirement.key.clone(), only.clone())),
            _ => None,
        }
    });
    let chosen = [
        (labels::HOSTNAME, Some(Str::from(name))),
        (labels::INSTANCE_TYPE, Some(machine.name.0.clone())),
        (labels::NODEPOOL, Some(claim.node_pool.0.clone())),
        (labels::ZONE, zone.cloned()),
        (labels::CAPACITY_TYPE, capacity_type.cloned()),
        (labels::REGISTERED, Some("true".into())),
        (labels::INITIALIZED, Some("true".into())),
    ];
    let chosen = chosen.into_iter().filter_map(|(key, value)| Some((Str::from(key), value?)));
    claim.labels.iter().cloned().chain(single).chain(chosen).collect()
}

/// The DaemonSets' pods on a node, bound: they are made with the node, so they are there first.
pub fn daemon_pods(node: &Arc<Node>, state: &ClusterState) -> Vec<Arc<Pod>> {
    let daemons = state.workloads.iter().filter(|one| one.kind == WorkloadKind::DaemonSet);
    daemons
        .filter(|daemon| runs_on(&daemon.template.spec, node))
        .map(|daemon| bound(daemon, node))
        .collect()
}

fn runs_on(spec: &PodSpec, node: &Node) -> bool {
    use crate::model::taint::Effect;
    let tolerated = node.taints.iter().all(|taint| {
        taint.effect == Effect::PreferNoSchedule
            || spec.tolerations.iter().any(|toleration| toleration.tolerates(taint))
    });
    let selected =
        spec.node_selector.iter().all(|(key, value)| node.meta.labels.get(key) == Some(value));
    let required = spec.affinity.node.as_ref().and_then(|affinity| affinity.required.as_ref());
    let in_term = required.is_none_or(|terms| {
        terms.iter().any(|term| {
            term.match_expressions.iter().all(|expression| expression.matches(&node.meta.labels))
        })
    });
    tolerated && selected && in_term
}

fn bound(daemon: &Workload, node: &Node) -> Arc<Pod> {
    let name = format!("{}-{}", daemon.meta.name, node.meta.name);
    let owner = Owner {
        api_version: "apps/v1".into(),
        kind: "DaemonSet".into(),
        name: daemon.meta.name.clone(),
        uid: daemon.meta.uid.clone(),
        controller: true,
    };
    let meta = Meta {
        name: name.as_str().into(),
        namespace: daemon.meta.namespace.clone(),
        uid: Uid::from(name.as_str()),
        labels: daemon.template.labels.clone(),
        owners: Arc::new([owner]),
        ..Meta::default()
    };
    Arc::new(Pod {
        meta,
        node_name: Some(NodeName(node.meta.name.clone())),
        spec: Arc::clone(&daemon.template.spec),
        status: PodStatus { phase: Phase::Running, ..PodStatus::default() },
    })
}
