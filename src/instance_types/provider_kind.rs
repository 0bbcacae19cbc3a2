//! Which provider's Karpenter a snapshot comes from.

use std::collections::BTreeMap;
use std::fmt;

use crate::model::cluster_state::ClusterState;
use crate::model::nodepool::NodeClassRef;

/// A provider of machines for Karpenter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProviderKind {
    /// AWS.
    Aws,
    /// Azure.
    Azure,
    /// The simulated one, which needs no cloud.
    Kwok,
    /// One whose arithmetic is not known here, such as GCP's or Cluster API's.
    Other,
}

impl ProviderKind {
    /// The provider that the most objects speak of: NodePools first, then NodeClasses, NodeClaims and Nodes. `None`
    /// when no object tells.
    pub fn of(state: &ClusterState) -> Option<Self> {
        let by_ref = |class: &NodeClassRef| Self::of_group(class.group.as_deref());
        most(state.node_pools.iter().map(|pool| by_ref(&pool.template.node_class)))
            .or_else(|| {
                most(state.node_classes.iter().map(|class| Self::of_group(class.group.as_deref())))
            })
            .or_else(|| most(state.node_claims.iter().map(|claim| by_ref(&claim.node_class))))
            .or_else(|| {
                let ids = state.node_claims.iter().map(|claim| claim.provider_id.as_deref());
                most(ids.map(Self::of_provider_id))
            })
            .or_else(|| {
                let ids = state.nodes.iter().map(|node| node.provider_id.as_deref());
                most(ids.map(Self::of_provider_id))
            })
    }

    /// The provider whose NodeClass has an API group.
    pub fn of_group(group: Option<&str>) -> Option<Self> {
        match group? {
            "" => None,
            "karpenter.k8s.aws" => Some(Self::Aws),
            "karpenter.azure.com" => Some(Self::Azure),
            "karpenter.kwok.sh" => Some(Self::Kwok),
            _ => Some(Self::Other),
        }
    }

    /// The provider that gave an id to a machine.
    fn of_provider_id(id: Option<&str>) -> Option<Self> {
        let (scheme, _) = id?.split_once("://")?;
        Some(match scheme {
            "aws" => Self::Aws,
            "azure" => Self::Azure,
            "kwok" => Self::Kwok,
            _ => Self::Other,
        })
    }

    /// The provider's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::Azure => "azure",
            Self::Kwok => "kwok",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The kind that occurs most; of equals, the first in order.
fn most(kinds: impl Iterator<Item = Option<ProviderKind>>) -> Option<ProviderKind> {
    let mut counts: BTreeMap<ProviderKind, usize> = BTreeMap::new();
    for kind in kinds.flatten() {
        *counts.entry(kind).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|&(_, count)| count).map(|(kind, _)| kind)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::node::Node;
    use crate::model::nodepool::NodePool;

    fn node(provider_id: &str) -> Arc<Node> {
        Arc::new(Node { provider_id: Some(provider_id.into()), ..Node::default() })
    }

    #[test]
    fn pools_speak_louder_than_nodes() {
        let mut state = ClusterState {
            nodes: vec![node("kwok://a"), node("aws:///us-east-1a/i-0"), node("aws:///x/i-1")],
            ..ClusterState::default()
        };
        assert_eq!(ProviderKind::of(&state), Some(ProviderKind::Aws));
        let mut pool = NodePool::default();
        pool.template.node_class.group = Some("karpenter.kwok.sh".into());
        state.node_pools.push(Arc::new(pool));
        assert_eq!(ProviderKind::of(&state), Some(ProviderKind::Kwok));
        assert_eq!(ProviderKind::of(&ClusterState::default()), None);
    }
}
