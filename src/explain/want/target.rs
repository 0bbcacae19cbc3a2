//! Where a pod is wanted: a node, or any node with a label; and whether a node or a planned claim is such a place.

use crate::karpenter::{CloudProvider, NewNodeClaim};
use crate::model::cluster_state::ClusterState;
use crate::model::labels::{self, Labels};
use crate::model::names::{NodeName, Str};
use crate::model::node::Node;
use crate::model::selector::Operator;
use crate::reconstruct::World;

/// Short names of labels.
const SHORT: [(&str, &str); 4] = [
    ("zone", labels::ZONE),
    ("nodepool", labels::NODEPOOL),
    ("instance-type", labels::INSTANCE_TYPE),
    ("capacity-type", labels::CAPACITY_TYPE),
];

/// Labels that tell a launched node from others: what a node that is launched again can have in common with it.
const LIKENESS: [&str; 4] =
    [labels::NODEPOOL, labels::ZONE, labels::INSTANCE_TYPE, labels::CAPACITY_TYPE];

/// Where a pod is wanted, as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This node, or the node of this NodeClaim.
    Node(NodeName),
    /// Any node with this label.
    Label(Str, Str),
}

impl Target {
    /// Reads `NODE`, `node/NODE`, `zone=…`, `nodepool=…`, `instance-type=…`, `capacity-type=…` or `LABEL=VALUE`.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some((key, value)) = text.split_once('=') {
            let short = SHORT.iter().find(|(short, _)| *short == key).map(|(_, label)| *label);
            let Some(key) = short.or_else(|| key.contains('/').then_some(key)) else {
                let known: Vec<&str> = SHORT.iter().map(|(short, _)| *short).collect();
                return Err(format!(
                    "{key:?} is not one of {}, nor a label with a prefix",
                    known.join(", ")
                ));
            };
            if value.is_empty() {
                return Err(format!("{key}= has no value"));
            }
            return Ok(Self::Label(key.into(), value.into()));
        }
        let name =
            text.strip_prefix("node/").or_else(|| text.strip_prefix("nodeclaim/")).unwrap_or(text);
        if name.is_empty() || name.contains('/') {
            return Err(format!("{text:?} is not a node's name"));
        }
        Ok(Self::Node(NodeName(name.into())))
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Node(name) => write!(f, "node/{name}"),
            Self::Label(key, value) => {
                let short = SHORT.iter().find(|(_, label)| **label == **key);
                write!(f, "{}={value}", short.map_or(&**key, |(short, _)| short))
            }
        }
    }
}

/// What a place must be.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The labels that it must have.
    pub labels: Vec<(Str, Str)>,
    /// Whether it is one node that was there before the pod was planned for; else any node with these labels will do.
    pub is_one_node: bool,
}

impl Goal {
    /// What a target means for a state. A node that came later can only be had again as one like it.
    ///
    /// # Errors
    /// When no such node is known.
    pub fn of(target: &Target, state: &ClusterState, world: &World<'_>) -> Result<Self, String> {
        match target {
            Target::Label(key, value) => {
                Ok(Self { labels: vec![(key.clone(), value.clone())], is_one_node: false })
            }
            Target::Node(name) if state.node(name).is_some() => Ok(Self {
                labels: vec![(labels::HOSTNAME.into(), name.0.clone())],
                is_one_node: true,
            }),
            Target::Node(name) => {
                let alike = likeness(name, world);
                if alike.is_empty() {
                    return Err(format!("node/{name} is not in this input"));
                }
                Ok(Self { labels: alike, is_one_node: false })
            }
        }
    }

    /// The goal in words.
    pub fn words(&self) -> String {
        let each: Vec<String> = self
            .labels
            .iter()
            .map(|(key, value)| Target::Label(key.clone(), value.clone()).to_string())
            .collect();
        each.join(", ")
    }

    /// Whether a node is such a place.
    pub fn is_met_by(&self, node: &Node) -> bool {
        self.labels.iter().all(|(key, value)| {
            node.meta.labels.value(key) == Some(value)
                || (**key == *labels::HOSTNAME && node.meta.name == *value)
        })
    }

    /// Whether whatever may be launched for a planned claim is such a place.
    pub fn is_met_by_claim(&self, claim: &NewNodeClaim, provider: &dyn CloudProvider) -> bool {
        let choices = provider.launches(claim, &claim.instance_types);
        self.labels.iter().all(|(key, value)| {
            let chosen = |of: fn(&crate::karpenter::Launch) -> Option<&Str>| {
                !choices.is_empty() && choices.iter().all(|choice| of(choice) == Some(value))
            };
            match &**key {
                labels::NODEPOOL => claim.node_pool.0 == *value,
                labels::ZONE if chosen(|choice| choice.zone.as_ref()) => true,
                labels::CAPACITY_TYPE if chosen(|choice| choice.capacity_type.as_ref()) => true,
                labels::INSTANCE_TYPE => {
                    chosen(|choice| Some(&choice.instance_type.0))
                        || claim.instance_types.iter().all(|machine| machine.name.0 == *value)
                }
                _ => is_fixed(claim, key, value),
            }
        })
    }
}

/// Whether a claim leaves a label no other value.
fn is_fixed(claim: &NewNodeClaim, key: &str, value: &Str) -> bool {
    let only = |requirement: &crate::model::nodepool::NodeRequirement| {
        *requirement.key == *key
            && requirement.operator == Operator::In
            && *requirement.values == [value.clone()]
    };
    claim.labels.value(key) == Some(value)
        || claim.requirements.iter().any(only)
        || (!claim.instance_types.is_empty()
            && claim.instance_types.iter().all(|machine| machine.requirements.iter().any(only)))
}

/// The labels that a node launched in place of this one could have in common with it.
fn likeness(name: &NodeName, world: &World<'_>) -> Vec<(Str, Str)> {
    let object = world.snapshot.objects.node(name);
    let story = world.chronicle.nodes.get(name);
    let labels: Option<&Labels> = object
        .or_else(|| story.and_then(|story| story.object.as_ref()))
        .map(|node| &node.meta.labels);
    if let Some(labels) = labels {
        let known =
            LIKENESS.iter().filter_map(|key| Some(((*key).into(), labels.get(key)?.clone())));
        return known.collect();
    }
    let by_name = || world.chronicle.claims.get(name.as_str());
    let Some(claim) = world.chronicle.claim_of(name).or_else(by_name) else { return Vec::new() };
    let known = [
        (labels::NODEPOOL, claim.node_pool.as_ref().map(|pool| pool.0.clone())),
        (labels::ZONE, claim.zone.clone()),
        (labels::INSTANCE_TYPE, claim.instance_type.as_ref().map(|name| name.0.clone())),
        (labels::CAPACITY_TYPE, claim.capacity_type.clone()),
    ];
    known.into_iter().filter_map(|(key, value)| Some((key.into(), value?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_node_or_a_label() {
        let label = |key: &str, value: &str| Ok(Target::Label(key.into(), value.into()));
        assert_eq!(Target::parse("zone=a"), label(labels::ZONE, "a"));
        assert_eq!(Target::parse("nodepool=batch"), label(labels::NODEPOOL, "batch"));
        assert_eq!(Target::parse("example.com/disk=ssd"), label("example.com/disk", "ssd"));
        assert_eq!(Target::parse("node/ip-1"), Ok(Target::Node(NodeName("ip-1".into()))));
        assert_eq!(Target::parse("nodeclaim/a-1"), Ok(Target::Node(NodeName("a-1".into()))));
        for wrong in ["colour=red", "zone=", "pod/a", ""] {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Target::parse("zone=a").map(|target| target.to_string()), Ok("zone=a".into()));
    }
}
