//! `Observed`: what the snapshot itself shows of machines, the best source there is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::history::Object;
use crate::model::labels::{self, Labels};
use crate::model::names::{InstanceTypeName, NodeClaimName, NodeName, Str};
use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::nodepool::{NodeClassRef, NodeRequirement};
use crate::model::resources::Resources;
use crate::model::snapshot::Snapshot;
use crate::model::time::{Span, Timestamp};

/// Machines of the snapshot by instance type, and the lists of types in its NodeClaims.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Machines in the order of their NodeClaims' names; those without one come last.
    pub machines: BTreeMap<InstanceTypeName, Vec<Machine>>,
    /// What NodeClaims list, in the order of their names.
    pub lists: Vec<ListedTypes>,
    /// All types of the lists.
    pub listed: BTreeSet<Str>,
}

/// One machine, as its NodeClaim and its Node show it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its NodeClaim; none for a node that Karpenter did not make.
    pub node_claim: Option<NodeClaimName>,
    /// Its Node.
    pub node: Option<NodeName>,
    /// Its NodeClass; the default for a node that Karpenter did not make.
    pub node_class: NodeClassRef,
    /// The labels of the NodeClaim, or of the Node where there is none.
    pub labels: Labels,
    /// `status.imageID` of the NodeClaim.
    pub image: Option<Str>,
    /// When it was launched.
    pub launched: Option<Timestamp>,
    /// When its node was registered.
    pub registered: Option<Timestamp>,
    /// `status.capacity` and `status.allocatable` of the NodeClaim: the provider's numbers at the launch.
    pub predicted: Option<(Resources, Resources)>,
    /// `status.capacity` of the Node.
    pub capacity: Option<Resources>,
}

/// The instance types that a NodeClaim could be.
#[derive(Clone, Debug)]
pub struct ListedTypes {
    /// The NodeClaim.
    pub node_claim: NodeClaimName,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// Its NodeClass.
    pub node_class: NodeClassRef,
    /// The types.
    pub types: BTreeSet<Str>,
    /// Its other requirements.
    pub requirements: Vec<NodeRequirement>,
    /// What it must have room for.
    pub requests: Resources,
}

impl Machine {
    /// Its zone.
    pub fn zone(&self) -> Option<&Str> {
        self.labels.get(labels::ZONE)
    }

    /// `spot`, `on-demand` or `reserved`.
    pub fn capacity_type(&self) -> Option<&Str> {
        self.labels.get(labels::CAPACITY_TYPE)
    }
}

impl Observed {
    /// What a snapshot shows, with the NodeClaims and Nodes that its history knows of.
    pub fn of(snapshot: &Snapshot) -> Self {
        let (claims, nodes) = all_machines(snapshot);
        let by_provider_id: BTreeMap<&str, &Arc<Node>> =
            nodes.values().filter_map(|node| Some((&**node.provider_id.as_ref()?, node))).collect();
        let mut observed = Self::default();
        let mut claimed: BTreeSet<&str> = BTreeSet::new();
        for claim in claims.values() {
            let by_name = claim.node_name.as_ref().and_then(|name| nodes.get(name.as_str()));
            let by_id = claim.provider_id.as_deref().and_then(|id| by_provider_id.get(id).copied());
            let node = by_name.or(by_id);
            if let Some(node) = node {
                claimed.insert(&node.meta.name);
            }
            observed.add_claim(claim, node);
            observed.lists.extend(listed_types(claim));
        }
        let listed = observed.lists.iter().flat_map(|list| list.types.iter().cloned());
        observed.listed = listed.collect();
        for node in nodes.values().filter(|node| !claimed.contains(&*node.meta.name)) {
            observed.add_node(node);
        }
        observed
    }

    /// Of the machines of a type and NodeClass that tell the provider's numbers, the one launched nearest to a moment;
    /// without a moment, the last.
    pub fn nearest(
        &self,
        instance_type: &InstanceTypeName,
        class: &NodeClassRef,
        at: Option<Timestamp>,
    ) -> Option<&Machine> {
        let machines = self.machines.get(instance_type)?.iter();
        let told = machines.filter(|it| it.node_class == *class && it.predicted.is_some());
        told.min_by_key(|machine| distance(machine.launched, at))
    }

    /// Zones in which machines run, with the zone's other labels.
    pub fn zones(&self) -> BTreeSet<Str> {
        self.machines.values().flatten().filter_map(|machine| machine.zone().cloned()).collect()
    }

    /// Whether any machine or list shows that the type exists.
    pub fn shows(&self, instance_type: &str) -> bool {
        self.machines.contains_key(instance_type) || self.listed.contains(instance_type)
    }

    fn add_claim(&mut self, claim: &NodeClaim, node: Option<&Arc<Node>>) {
        let of_node = || node.and_then(|node| node.meta.labels.get(labels::INSTANCE_TYPE));
        let Some(name) = claim.meta.labels.get(labels::INSTANCE_TYPE).or_else(of_node) else {
            return;
        };
        let node_labels = node.map(|node| node.meta.labels.clone()).unwrap_or_default();
        let machine = Machine {
            node_claim: Some(claim.name()),
            node: node.map(|node| node.name()),
            node_class: claim.node_class.clone(),
            labels: node_labels.with(claim.meta.labels.iter().cloned()),
            image: claim.image_id.clone(),
            launched: claim.since("Launched").or(claim.meta.created),
            registered: claim.since("Registered"),
            predicted: (!claim.capacity.is_empty() && !claim.allocatable.is_empty())
                .then(|| (claim.capacity.clone(), claim.allocatable.clone())),
            capacity: node.map(|node| node.capacity.clone()),
        };
        self.machines.entry(InstanceTypeName(name.clone())).or_default().push(machine);
    }

    fn add_node(&mut self, node: &Node) {
        let Some(name) = node.meta.labels.get(labels::INSTANCE_TYPE) else { return };
        let machine = Machine {
            node_claim: None,
            node: Some(node.name()),
            node_class: NodeClassRef::default(),
            labels: node.meta.labels.clone(),
            image: None,
            launched: None,
            registered: node.meta.created,
            predicted: None,
            capacity: Some(node.capacity.clone()),
        };
        self.machines.entry(InstanceTypeName(name.clone())).or_default().push(machine);
    }
}

/// How far two moments are apart; what is not known is furthest, and without a moment the latest is nearest.
fn distance(launched: Option<Timestamp>, at: Option<Timestamp>) -> (bool, i128) {
    match (launched, at) {
        (None, _) => (true, 0),
        (Some(launched), Some(at)) => (false, launched.since(at).0.abs()),
        (Some(launched), None) => {
            let Span(age) = Timestamp::from_seconds(0).since(launched);
            (false, age)
        }
    }
}

type Claims = BTreeMap<Str, Arc<NodeClaim>>;
type Nodes = BTreeMap<Str, Arc<Node>>;

/// All NodeClaims and Nodes by name, also those that are gone; of one, the last state.
fn all_machines(snapshot: &Snapshot) -> (Claims, Nodes) {
    let (mut claims, mut nodes) = (Claims::new(), Nodes::new());
    for change in &snapshot.history {
        match &change.object {
            Object::NodeClaim(claim) => {
                claims.insert(claim.meta.name.clone(), claim.clone());
            }
            Object::Node(node) => {
                nodes.insert(node.meta.name.clone(), node.clone());
            }
            _ => {}
        }
    }
    let objects = &snapshot.objects;
    claims.extend(objects.node_claims.iter().map(|it| (it.meta.name.clone(), it.clone())));
    nodes.extend(objects.nodes.iter().map(|it| (it.meta.name.clone(), it.clone())));
    (claims, nodes)
}

fn listed_types(claim: &NodeClaim) -> Option<ListedTypes> {
    let is_type = |it: &&NodeRequirement| &*it.key == labels::INSTANCE_TYPE;
    let listed = claim.requirements.iter().find(is_type)?;
    if listed.values.is_empty() || listed.operator != crate::model::selector::Operator::In {
        return None;
    }
    Some(ListedTypes {
        node_claim: claim.name(),
        created: claim.meta.created,
        node_class: claim.node_class.clone(),
        types: listed.values.iter().cloned().collect(),
        requirements: claim.requirements.iter().filter(|it| !is_type(it)).cloned().collect(),
        requests: claim.requests.clone(),
    })
}
