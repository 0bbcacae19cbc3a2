//! How long kube-scheduler's replay takes: one pod with rules of every kind, every node looked at.

use std::sync::Arc;

use landed::kube_scheduler::{Configuration, Scheduler, Version};
use landed::model::affinity::{
    Affinity, NodeAffinity, PodAffinity, PodAffinityTerm, PreferredSchedulingTerm,
    WeightedPodAffinityTerm,
};
use landed::model::cluster_state::ClusterState;
use landed::model::labels::{HOSTNAME, Labels, ZONE};
use landed::model::meta::Meta;
use landed::model::names::{PodKey, ResourceName, Str};
use landed::model::node::{Node, NodeImage};
use landed::model::pod::{
    Container, ContainerPort, Pod, PodSpec, PodStatus, PodVolume, VolumeSource,
};
use landed::model::quantity::Quantity;
use landed::model::resources::Resources;
use landed::model::selector::{Expression, LabelSelector, NodeSelectorTerm, Operator};
use landed::model::spread::{TopologySpreadConstraint, WhenUnsatisfiable};
use landed::model::storage::{BindingMode, PersistentVolumeClaim, StorageClass};
use landed::model::taint::{Effect, Taint};
use landed::model::workload::Service;

const PODS_PER_NODE: usize = 30;
const PODS_PER_WORKLOAD: usize = 100;

fn main() {
    divan::main();
}

/// One pod on a state that is loaded. Linear in the nodes.
#[divan::bench(args = [1250, 2500, 5000], sample_count = 20)]
fn one_pod(bencher: divan::Bencher, nodes: usize) {
    let mut scheduler =
        Scheduler::new(&state(nodes), &Configuration::default(), Version::default());
    bencher.bench_local(|| scheduler.schedule(&PodKey::new("default", "asked")));
}

/// Making ready what does not depend on the pod.
#[divan::bench(args = [5000], sample_count = 5)]
fn loading(bencher: divan::Bencher, nodes: usize) {
    let state = state(nodes);
    bencher.bench_local(|| Scheduler::new(&state, &Configuration::default(), Version::default()));
}

fn state(nodes: usize) -> ClusterState {
    let pods = (0..nodes * PODS_PER_NODE).map(|number| bound_pod(number, nodes));
    let mut pods: Vec<Arc<Pod>> = pods.chain([asked()]).map(Arc::new).collect();
    // As ingest does: pods of one template share their specification.
    let mut shared: Vec<Arc<PodSpec>> = Vec::new();
    for pod in &mut pods {
        let at = workload_of(&pod.meta.name);
        if let Some(at) = at {
            if at == shared.len() {
                shared.push(Arc::clone(&pod.spec));
            }
            let spec = Arc::clone(&shared[at]);
            *pod = Arc::new(Pod { spec, ..(**pod).clone() });
        }
    }
    pods.sort_by(|a, b| a.meta.name.cmp(&b.meta.name));
    ClusterState {
        nodes: (0..nodes).map(|number| Arc::new(node(number))).collect(),
        pods,
        services: vec![Arc::new(Service {
            meta: meta("asked", "app=w7"),
            selector: Some(labels("app=w7")),
        })],
        persistent_volume_claims: vec![Arc::new(PersistentVolumeClaim {
            meta: meta("data", ""),
            storage_class_name: Some("fast".into()),
            storage: Some(Quantity::bytes(1 << 30)),
            ..PersistentVolumeClaim::default()
        })],
        storage_classes: vec![Arc::new(StorageClass {
            meta: Meta { namespace: "".into(), ..meta("fast", "") },
            provisioner: Some("csi.example.com".into()),
            binding_mode: Some(BindingMode::WaitForFirstConsumer),
            allowed_topologies: Vec::new(),
        })],
        ..ClusterState::default()
    }
}

fn workload_of(name: &str) -> Option<usize> {
    name.strip_prefix('w')?.split('-').next()?.parse().ok()
}

fn node(number: usize) -> Node {
    let name = format!("node-{number:05}");
    let zone = ["a", "b", "c"][number % 3];
    let images = (0..40).map(|image| NodeImage {
        names: vec![Str::from(format!("registry.example/app-{}:1", (number + image) % 400))].into(),
        size: 200 << 20,
    });
    let taint =
        |key: &str, effect| Taint { key: key.into(), value: "".into(), effect, added: None };
    let taints = match number % 10 {
        0 => vec![taint("dedicated", Effect::NoSchedule)],
        1 => vec![taint("old", Effect::PreferNoSchedule)],
        _ => Vec::new(),
    };
    Node {
        meta: Meta {
            namespace: "".into(),
            ..meta(&name, &format!("{HOSTNAME}={name},{ZONE}={zone},disk=ssd"))
        },
        taints,
        allocatable: amounts(&[("cpu", "32"), ("memory", "128Gi"), ("pods", "110")]),
        images: images.collect(),
        ..Node::default()
    }
}

fn bound_pod(number: usize, nodes: usize) -> Pod {
    let workload = number / PODS_PER_WORKLOAD;
    let app = format!("app=w{workload}");
    let term = term(&app, HOSTNAME);
    let affinity = Affinity {
        pod_anti: (workload.is_multiple_of(10))
            .then(|| PodAffinity { required: vec![term.clone()], preferred: Vec::new() }),
        pod: (workload % 10 == 5).then(|| PodAffinity {
            required: Vec::new(),
            preferred: vec![WeightedPodAffinityTerm { weight: 10, term }],
        }),
        node: None,
    };
    Pod {
        meta: meta(
            &format!("w{workload}-{number}"),
            &format!("{app},pod-template-hash=abc{workload}"),
        ),
        node_name: Some(format!("node-{:05}", number.wrapping_mul(7919) % nodes).into()),
        spec: Arc::new(PodSpec {
            affinity: affinity.into(),
            priority: Some(i32::try_from(workload % 3).unwrap_or(0)),
            containers: vec![container("500m", "1Gi")],
            ..PodSpec::default()
        }),
        status: PodStatus::default(),
    }
}

fn asked() -> Pod {
    let near = WeightedPodAffinityTerm { weight: 5, term: term("app=w3", ZONE) };
    let prefers = PreferredSchedulingTerm {
        weight: 20,
        preference: NodeSelectorTerm {
            match_expressions: vec![Expression {
                key: ZONE.into(),
                operator: Operator::In,
                values: vec!["a".into()],
            }],
            match_fields: None,
        },
    };
    let spread = |key: &str, when_unsatisfiable, max_skew| TopologySpreadConstraint {
        max_skew,
        topology_key: key.into(),
        when_unsatisfiable,
        label_selector: Some(selector("app=w7")),
        min_domains: None,
        node_affinity_policy: None,
        node_taints_policy: None,
        match_label_keys: Vec::new(),
    };
    let mut container = container("500m", "1Gi");
    container.image = Some("registry.example/app-7:1".into());
    container.ports = vec![ContainerPort {
        container_port: 80,
        host_port: 8080,
        host_ip: "".into(),
        protocol: "TCP".into(),
    }]
    .into();
    Pod {
        meta: meta("asked", "app=w7"),
        node_name: None,
        spec: Arc::new(PodSpec {
            node_selector: labels("disk=ssd"),
            affinity: Affinity {
                node: Some(NodeAffinity { required: None, preferred: vec![prefers] }),
                pod: Some(PodAffinity { required: Vec::new(), preferred: vec![near] }),
                pod_anti: Some(PodAffinity {
                    required: vec![term("app=w9", HOSTNAME)],
                    preferred: Vec::new(),
                }),
            }
            .into(),
            topology_spread_constraints: vec![
                spread(ZONE, WhenUnsatisfiable::DoNotSchedule, 40),
                spread(HOSTNAME, WhenUnsatisfiable::ScheduleAnyway, 1),
            ]
            .into(),
            containers: vec![container],
            volumes: vec![PodVolume {
                name: "data".into(),
                source: VolumeSource::PersistentVolumeClaim("data".into()),
            }],
            ..PodSpec::default()
        }),
        status: PodStatus::default(),
    }
}

fn term(app: &str, key: &str) -> PodAffinityTerm {
    PodAffinityTerm {
        label_selector: Some(selector(app)),
        topology_key: key.into(),
        namespaces: Vec::new(),
        namespace_selector: None,
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
    }
}

fn container(cpu: &str, memory: &str) -> Container {
    Container { requests: amounts(&[("cpu", cpu), ("memory", memory)]), ..Container::default() }
}

fn amounts(list: &[(&str, &str)]) -> Resources {
    let amount = |text: &str| text.parse().expect("a quantity");
    list.iter().map(|(name, text)| (ResourceName::from(*name), amount(text))).collect()
}

fn meta(name: &str, text: &str) -> Meta {
    Meta {
        name: name.into(),
        namespace: "default".into(),
        uid: name.into(),
        labels: labels(text),
        ..Meta::default()
    }
}

fn labels(text: &str) -> Labels {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (Str::from(key), Str::from(value))).collect()
}

fn selector(text: &str) -> LabelSelector {
    LabelSelector { match_labels: labels(text), match_expressions: Vec::new() }
}
