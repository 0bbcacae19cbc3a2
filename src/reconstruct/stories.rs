//! Stories: what is known of the life of one pod, one NodeClaim, one node.

use std::sync::{Arc, OnceLock};

use super::chronicle::{CopiedLabels, unbound};
use super::moment::Moment;
use crate::model::names::{
    InstanceTypeName, NodeClaimName, NodeName, NodePoolName, PodKey, Str, Uid,
};
use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::pod::Pod;
use crate::model::resources::Resources;

/// Which owner a pod has: pods of one owner are equal but for their names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerKey {
    /// The namespace of both.
    pub namespace: Str,
    /// The owner's kind.
    pub kind: Str,
    /// The owner's name.
    pub name: Str,
}

impl std::fmt::Display for OwnerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kind.to_lowercase(), self.name)
    }
}

/// What is known of one pod, also of one that is gone.
#[derive(Clone, Debug)]
pub struct PodStory {
    /// Namespace and name.
    pub key: PodKey,
    /// The UID; empty when the input has none.
    pub uid: Uid,
    /// The object; `None` for one that is gone.
    pub object: Option<Arc<Pod>>,
    /// The last state of a pod that is gone, where an older dump or a watch shows it.
    pub last: Option<Arc<Pod>>,
    /// See [`Self::unbound`]: for a pod whose object is there, made when it is first asked for.
    pub(super) unbound: OnceLock<Arc<Pod>>,
    /// Which of the object's labels came from the node.
    pub(super) copied: CopiedLabels,
    /// What owns it.
    pub owner: Option<OwnerKey>,
    /// When it was created.
    pub created: Option<Moment>,
    /// When kube-scheduler first found no node for it.
    pub unschedulable: Option<Moment>,
    /// When kube-scheduler last wrote into the pod's status: a new message, or the first. A retry with the same message
    /// writes nothing.
    pub patched: Option<Moment>,
    /// When it was bound.
    pub bound: Option<Moment>,
    /// The node that it was bound to.
    pub node: Option<NodeName>,
    /// When it ended: ran to its end, was deleted or evicted.
    pub ended: Option<Moment>,
    /// Karpenter's Nominated events, oldest first.
    pub nominations: Vec<Nomination>,
    /// What Karpenter said of why it could not place the pod, oldest first.
    pub karpenter_refusals: Vec<Message>,
    /// What the scheduler said of why it could not place the pod, oldest first.
    pub scheduler_refusals: Vec<Message>,
    /// Other events that say what was done to the pod: preempted, evicted, killed, a launch that failed.
    pub incidents: Vec<Incident>,
}

impl PodStory {
    /// The pod as it was before it was bound: its own object or last state, or for one of which only events tell a
    /// sibling's or its owner's template.
    pub fn unbound(&self) -> Option<&Arc<Pod>> {
        match self.object.as_ref().or(self.last.as_ref()) {
            Some(pod) => Some(self.unbound.get_or_init(|| Arc::new(unbound(pod, self.copied)))),
            None => self.unbound.get(),
        }
    }

    /// The pod's object, or what it looked like before it was bound.
    pub fn object_or_likeness(&self) -> Option<&Arc<Pod>> {
        self.object.as_ref().or(self.last.as_ref()).or_else(|| self.unbound.get())
    }

    /// Whether the pod is gone, and nothing says that it was ever bound.
    pub fn is_gone_unbound(&self) -> bool {
        self.object.is_none() && self.node.is_none()
    }

    /// Whether a DaemonSet owns the pod.
    pub fn is_daemon(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| &*owner.kind == "DaemonSet")
    }

    /// The first incident of a kind.
    pub fn incident(&self, kind: IncidentKind) -> Option<&Incident> {
        self.incidents.iter().find(|incident| incident.kind == kind)
    }
}

/// One of Karpenter's nominations: a plan, not a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nomination {
    /// When.
    pub moment: Moment,
    /// The NodeClaim that it names.
    pub claim: Option<NodeClaimName>,
    /// The node that it names.
    pub node: Option<NodeName>,
    /// How often it was repeated.
    pub count: i64,
    /// The event's text.
    pub message: Str,
}

/// What a component said, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// When it was first said.
    pub moment: Moment,
    /// When it was last said.
    pub last: Moment,
    /// Who said it.
    pub reporter: Str,
    /// The text.
    pub text: Str,
    /// How often.
    pub count: i64,
}

/// What was done to a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IncidentKind {
    /// Another pod took its place.
    Preempted,
    /// It was evicted, for whatever reason.
    Evicted,
    /// A taint evicted it.
    EvictedByTaint,
    /// Its containers were stopped.
    Killed,
    /// The NodeClaim that it was nominated for could not be launched.
    LaunchFailed,
}

/// An event that says what was done to a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// What.
    pub kind: IncidentKind,
    /// When, by whom, in which words.
    pub message: Message,
}

/// What is known of one NodeClaim, also of one that is gone.
#[derive(Clone, Debug)]
pub struct ClaimStory {
    /// Its name.
    pub name: NodeClaimName,
    /// The object; `None` for one that is gone.
    pub object: Option<Arc<NodeClaim>>,
    /// The last state of one that is gone, where an older dump or a watch shows it.
    pub last: Option<Arc<NodeClaim>>,
    /// Its NodePool.
    pub node_pool: Option<NodePoolName>,
    /// When it was created.
    pub created: Option<Moment>,
    /// When its machine was launched.
    pub launched: Option<Moment>,
    /// When its node joined.
    pub registered: Option<Moment>,
    /// When its node was ready for pods.
    pub initialized: Option<Moment>,
    /// When it was deleted, or its deletion was begun.
    pub deleted: Option<Moment>,
    /// Its node.
    pub node: Option<NodeName>,
    /// What its pods and their DaemonSets ask for.
    pub requests: Option<Resources>,
    /// The instance type that was launched.
    pub instance_type: Option<InstanceTypeName>,
    /// The zone that it was launched in.
    pub zone: Option<Str>,
    /// The capacity type that was launched.
    pub capacity_type: Option<Str>,
    /// The pass of Karpenter that made it, as its log names it.
    pub reconcile_id: Option<Str>,
    /// Why it could not be launched.
    pub failed: Option<Message>,
    /// Why Karpenter took it away, as its events say.
    pub disrupted: Option<Message>,
}

impl ClaimStory {
    /// A claim of which nothing but its name is known.
    pub fn new(name: NodeClaimName) -> Self {
        Self {
            name,
            object: None,
            last: None,
            node_pool: None,
            created: None,
            launched: None,
            registered: None,
            initialized: None,
            deleted: None,
            node: None,
            requests: None,
            instance_type: None,
            zone: None,
            capacity_type: None,
            reconcile_id: None,
            failed: None,
            disrupted: None,
        }
    }
}

/// What is known of one node, also of one that is gone.
#[derive(Clone, Debug)]
pub struct NodeStory {
    /// Its name.
    pub name: NodeName,
    /// The object; `None` for one that is gone.
    pub object: Option<Arc<Node>>,
    /// The last state of one that is gone, where an older dump or a watch shows it.
    pub last: Option<Arc<Node>>,
    /// Its NodeClaim.
    pub claim: Option<NodeClaimName>,
    /// When it was created.
    pub created: Option<Moment>,
    /// When it last became ready.
    pub ready: Option<Moment>,
    /// When it was deleted, or its deletion was begun.
    pub deleted: Option<Moment>,
}
