//! Builders for unit tests, in kubectl's own notation. Every object is in the namespace `default` unless told otherwise.

use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::labels::Labels;
use crate::model::meta::Meta;
use crate::model::names::{NodeName, ResourceName, Str, Uid};
use crate::model::node::Node;
use crate::model::pod::{Container, Pod, PodSpec, PodStatus};
use crate::model::resources::Resources;
use crate::model::selector::LabelSelector;
use crate::model::taint::{Effect, Taint, Toleration, TolerationOperator};

/// A pod that waits, with one container that asks for nothing.
pub(crate) fn pod(name: &str) -> TestPod {
    let spec = PodSpec { containers: vec![Container::default()], ..PodSpec::default() };
    TestPod { meta: meta(name, "default"), node: None, spec, status: PodStatus::default() }
}

/// A node that is ready, with room for 10 pods, 4 cpu and 16Gi of memory.
pub(crate) fn node(name: &str) -> TestNode {
    let allocatable = resources("cpu=4,memory=16Gi,pods=10");
    TestNode(Node { meta: meta(name, ""), allocatable, ..Node::default() })
}

/// A cluster of nodes and pods.
pub(crate) fn cluster(
    nodes: impl IntoIterator<Item = TestNode>,
    pods: impl IntoIterator<Item = TestPod>,
) -> ClusterState {
    let mut nodes: Vec<Arc<Node>> = nodes.into_iter().map(|node| Arc::new(node.0)).collect();
    nodes.sort_by(|a, b| a.meta.name.cmp(&b.meta.name));
    let mut pods: Vec<Arc<Pod>> = pods.into_iter().map(|pod| Arc::new(pod.build())).collect();
    pods.sort_by_key(|pod| pod.key());
    ClusterState { nodes, pods, ..ClusterState::default() }
}

/// A pod in the making.
#[derive(Clone, Debug)]
pub(crate) struct TestPod {
    meta: Meta,
    node: Option<NodeName>,
    spec: PodSpec,
    status: PodStatus,
}

impl TestPod {
    /// In another namespace.
    pub(crate) fn namespace(mut self, namespace: &str) -> Self {
        self.meta.namespace = namespace.into();
        self
    }

    /// With labels: `app=web,tier=front`.
    pub(crate) fn labels(mut self, labels: &str) -> Self {
        self.meta.labels = pairs(labels);
        self
    }

    /// Bound to a node.
    pub(crate) fn on(mut self, node: &str) -> Self {
        self.node = Some(node.into());
        self
    }

    /// With requests of its container: `cpu=1,memory=1Gi`.
    pub(crate) fn requests(mut self, requests: &str) -> Self {
        self.spec.containers[0].requests = resources(requests);
        self
    }

    /// With a toleration: `gpu=true:NoSchedule`, `gpu=true`, `gpu:NoSchedule`, or `gpu`.
    pub(crate) fn tolerates(mut self, text: &str) -> Self {
        let (head, effect) = match text.split_once(':') {
            Some((head, effect)) => (head, Some(Effect::parse(effect))),
            None => (text, None),
        };
        let (key, operator, value) = match head.split_once('=') {
            Some((key, value)) => (key, TolerationOperator::Equal, value),
            None => (head, TolerationOperator::Exists, ""),
        };
        let toleration =
            Toleration { key: key.into(), operator, value: value.into(), effect, seconds: None };
        self.spec.tolerations.push(toleration);
        self
    }

    /// With a priority.
    pub(crate) fn priority(mut self, priority: i32) -> Self {
        self.spec.priority = Some(priority);
        self
    }

    /// With anything else in its specification.
    pub(crate) fn spec(mut self, change: impl FnOnce(&mut PodSpec)) -> Self {
        change(&mut self.spec);
        self
    }

    /// With anything else in its metadata.
    pub(crate) fn meta(mut self, change: impl FnOnce(&mut Meta)) -> Self {
        change(&mut self.meta);
        self
    }

    /// With anything else in its status.
    pub(crate) fn status(mut self, change: impl FnOnce(&mut PodStatus)) -> Self {
        change(&mut self.status);
        self
    }

    /// The pod.
    pub(crate) fn build(self) -> Pod {
        Pod {
            meta: self.meta,
            node_name: self.node,
            spec: Arc::new(self.spec),
            status: self.status,
        }
    }
}

/// A node in the making.
#[derive(Clone, Debug)]
pub(crate) struct TestNode(pub(crate) Node);

impl TestNode {
    /// With labels: `zone=a,disk=ssd`.
    pub(crate) fn labels(mut self, labels: &str) -> Self {
        self.0.meta.labels = pairs(labels);
        self
    }

    /// With one more taint: `gpu=true:NoSchedule`.
    pub(crate) fn taint(mut self, text: &str) -> Self {
        self.0.taints.push(taint(text));
        self
    }

    /// With room for other amounts: `cpu=4,memory=16Gi,pods=10`.
    pub(crate) fn allocatable(mut self, amounts: &str) -> Self {
        self.0.allocatable = resources(amounts);
        self
    }

    /// With anything else.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Node)) -> Self {
        change(&mut self.0);
        self
    }
}

/// A taint: `gpu=true:NoSchedule`.
pub(crate) fn taint(text: &str) -> Taint {
    let (head, effect) = text.split_once(':').expect("a taint has an effect");
    let (key, value) = head.split_once('=').unwrap_or((head, ""));
    Taint { key: key.into(), value: value.into(), effect: Effect::parse(effect), added: None }
}

/// Metadata with a UID of its own.
pub(crate) fn meta(name: &str, namespace: &str) -> Meta {
    Meta {
        name: name.into(),
        namespace: namespace.into(),
        uid: Uid::from(format!("{namespace}/{name}")),
        ..Meta::default()
    }
}

/// Labels: `app=web,tier=front`.
pub(crate) fn pairs(text: &str) -> Labels {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (Str::from(key), Str::from(value))).collect()
}

/// A selector of labels: `app=web`; nothing selects everything.
pub(crate) fn selector(text: &str) -> LabelSelector {
    LabelSelector { match_labels: pairs(text), match_expressions: Vec::new() }
}

/// Amounts: `cpu=1,memory=1Gi`.
pub(crate) fn resources(text: &str) -> Resources {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, amount)| (ResourceName::from(name), amount.parse().expect("a quantity")))
        .collect()
}
