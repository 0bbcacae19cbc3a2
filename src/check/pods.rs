//! Templates as the API server would store them, and the pods that a controller would make of them.

use std::sync::Arc;

use crate::model::affinity::{Affinity, PodAffinity, PodAffinityTerm};
use crate::model::cluster_state::ClusterState;
use crate::model::labels::Labels;
use crate::model::meta::{Meta, Owner};
use crate::model::names::{NamespaceName, Str, Uid};
use crate::model::pod::{Pod, PodSpec, PodStatus};
use crate::model::selector::{Expression, LabelSelector, Operator};
use crate::model::taint::{Effect, Toleration, TolerationOperator};
use crate::model::time::Timestamp;
use crate::model::workload::{PodTemplate, Workload, WorkloadKind};

use super::manifest::Manifest;
use super::template::Template;

/// The templates among the manifests, in their order.
pub(crate) fn templates(
    manifests: &[Arc<Manifest>],
    decoded: &[ClusterState],
    cluster: &ClusterState,
) -> Vec<Arc<Template>> {
    let each = manifests.iter().zip(decoded);
    each.filter_map(|(manifest, decoded)| template(manifest, decoded, cluster))
        .map(Arc::new)
        .collect()
}

fn template(
    manifest: &Arc<Manifest>,
    decoded: &ClusterState,
    cluster: &ClusterState,
) -> Option<Template> {
    let path = Template::path_in(&manifest.kind)?;
    let pod = decoded.pods.first();
    // What a controller made says nothing that the controller's own manifest does not.
    if pod.is_some_and(|pod| pod.meta.controller().is_some()) {
        return None;
    }
    let is_bound = pod.is_some_and(|pod| pod.node_name.is_some());
    let namespace = NamespaceName::from(manifest.namespace.as_str());
    let (labels, spec, replicas, selector) = if let Some(pod) = pod {
        (pod.meta.labels.clone(), Arc::clone(&pod.spec), 1, None)
    } else {
        let workload = decoded.workloads.first()?;
        let replicas = match workload.kind {
            WorkloadKind::DaemonSet => 0,
            _ => workload.replicas.unwrap_or(1),
        };
        let labels = workload.template.labels.with(controller_labels(workload));
        let selector = workload.selector.clone();
        (labels, Arc::clone(&workload.template.spec), replicas, selector)
    };
    let spec = admitted(&spec, &labels, cluster);
    let manifest = Arc::clone(manifest);
    Some(Template { manifest, path, namespace, labels, spec, replicas, is_bound, selector })
}

/// Labels that a controller adds to its pods.
fn controller_labels(workload: &Workload) -> Vec<(Str, Str)> {
    let name = &workload.meta.name;
    let hash = Str::from(hash_of(name));
    match workload.kind {
        WorkloadKind::Deployment => vec![("pod-template-hash".into(), hash)],
        WorkloadKind::DaemonSet | WorkloadKind::StatefulSet => {
            vec![("controller-revision-hash".into(), hash)]
        }
        WorkloadKind::Job => vec![
            ("batch.kubernetes.io/job-name".into(), name.clone()),
            ("job-name".into(), name.clone()),
        ],
        WorkloadKind::ReplicaSet | WorkloadKind::ReplicationController | WorkloadKind::CronJob => {
            Vec::new()
        }
    }
}

/// A stand-in for the hash that a controller takes of a template: the same for the same name.
fn hash_of(name: &str) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut text = String::new();
    for _ in 0..9 {
        let index = usize::try_from(state % LETTERS.len() as u64).unwrap_or(0);
        text.push(char::from(LETTERS[index]));
        state /= LETTERS.len() as u64;
    }
    text
}

/// A pod's spec as the API server stores it: the priority of its class, keys of labels merged into selectors.
fn admitted(spec: &Arc<PodSpec>, labels: &Labels, cluster: &ClusterState) -> Arc<PodSpec> {
    let class = spec.priority_class_name.as_deref();
    let priority = spec.priority.or_else(|| priority_of(class, cluster));
    let has_keys =
        [&spec.affinity.pod, &spec.affinity.pod_anti].into_iter().flatten().any(|affinity| {
            terms(affinity).any(|term| {
                !(term.match_label_keys.is_empty() && term.mismatch_label_keys.is_empty())
            })
        });
    if priority == spec.priority && !has_keys {
        return Arc::clone(spec);
    }
    let mut admitted = PodSpec::clone(spec);
    admitted.priority = priority;
    if has_keys {
        merge_label_keys(&mut admitted.affinity, labels);
    }
    Arc::new(admitted)
}

fn priority_of(class: Option<&str>, cluster: &ClusterState) -> Option<i32> {
    match class {
        Some("system-node-critical") => Some(2_000_001_000),
        Some("system-cluster-critical") => Some(2_000_000_000),
        Some(name) => {
            cluster.priority_classes.iter().find(|one| &*one.meta.name == name).map(|one| one.value)
        }
        None => cluster.priority_classes.iter().find(|one| one.global_default).map(|one| one.value),
    }
}

fn terms(affinity: &PodAffinity) -> impl Iterator<Item = &PodAffinityTerm> {
    affinity.required.iter().chain(affinity.preferred.iter().map(|weighted| &weighted.term))
}

fn merge_label_keys(affinity: &mut Affinity, labels: &Labels) {
    for affinity in [&mut affinity.pod, &mut affinity.pod_anti].into_iter().flatten() {
        let preferred = affinity.preferred.iter_mut().map(|weighted| &mut weighted.term);
        for term in affinity.required.iter_mut().chain(preferred) {
            let Some(selector) = &mut term.label_selector else { continue };
            add_keys(selector, &term.match_label_keys, &Operator::In, labels);
            add_keys(selector, &term.mismatch_label_keys, &Operator::NotIn, labels);
        }
    }
}

fn add_keys(selector: &mut LabelSelector, keys: &[Str], operator: &Operator, labels: &Labels) {
    for key in keys {
        let Some(value) = labels.get(key) else { continue };
        let merged = Expression {
            key: key.clone(),
            operator: operator.clone(),
            values: vec![value.clone()],
        };
        if !selector.match_expressions.contains(&merged) {
            selector.match_expressions.push(merged);
        }
    }
}

/// What a controller would make of a template.
pub(crate) struct Offspring {
    /// The pods, pending.
    pub pods: Vec<Arc<Pod>>,
    /// The ReplicaSet in between, where a Deployment makes one.
    pub replica_set: Option<Arc<Workload>>,
}

/// The pods that a controller makes of a template, as kube-scheduler first sees them.
pub(crate) fn offspring(template: &Template, replicas: i64, cluster: &ClusterState) -> Offspring {
    let manifest = &template.manifest;
    let created = cluster.at;
    let base = base_name(manifest);
    let is_deployment = manifest.kind == "Deployment";
    let replica_set = is_deployment.then(|| Arc::new(between(template, replicas, &base, created)));
    let owners: Arc<[Owner]> = match manifest.kind.as_str() {
        "Pod" => Arc::from([]),
        "Deployment" => Arc::new([owner("apps/v1", "ReplicaSet", &base)]),
        "CronJob" => Arc::new([owner("batch/v1", "Job", &base)]),
        kind => Arc::new([owner(&manifest.api_version, kind, &base)]),
    };
    let spec = tolerating_short_outages(&template.spec);
    let pods = (0..replicas.max(0)).map(|index| {
        let name = pod_name(manifest, index, replicas);
        let mut labels = template.labels.clone();
        if manifest.kind == "StatefulSet" {
            labels = labels.with([
                ("statefulset.kubernetes.io/pod-name".into(), name.as_str().into()),
                ("apps.kubernetes.io/pod-index".into(), index.to_string().into()),
            ]);
        }
        let meta = Meta {
            name: name.as_str().into(),
            namespace: template.namespace.clone(),
            uid: Uid::from(format!("{base}-{index:06}")),
            created,
            labels,
            owners: Arc::clone(&owners),
            ..Meta::default()
        };
        Arc::new(Pod {
            meta,
            node_name: None,
            spec: Arc::clone(&spec),
            status: PodStatus::unschedulable(),
        })
    });
    Offspring { pods: pods.collect(), replica_set }
}

/// What the names of an object's pods begin with.
pub(crate) fn base_name(manifest: &Manifest) -> String {
    if manifest.kind == "Deployment" {
        format!("{}-{}", manifest.name, hash_of(&manifest.name))
    } else {
        manifest.name.clone()
    }
}

/// The name of one of an object's pods.
pub(crate) fn pod_name(manifest: &Manifest, index: i64, replicas: i64) -> String {
    match manifest.kind.as_str() {
        "Pod" if replicas == 1 => manifest.name.clone(),
        _ => format!("{}-{index}", base_name(manifest)),
    }
}

/// The ReplicaSet that a Deployment makes.
fn between(template: &Template, replicas: i64, name: &str, created: Option<Timestamp>) -> Workload {
    let meta = Meta {
        name: name.into(),
        namespace: template.namespace.clone(),
        uid: Uid::from(format!("replicaset-{name}")),
        labels: template.labels.clone(),
        created,
        owners: Arc::new([owner("apps/v1", "Deployment", &template.manifest.name)]),
        ..Meta::default()
    };
    let mut selector = template.selector.clone();
    if let (Some(selector), Some(hash)) = (&mut selector, template.labels.get("pod-template-hash"))
    {
        let own = ("pod-template-hash".into(), hash.clone());
        selector.match_labels = selector.match_labels.with([own]);
    }
    let of_pods = PodTemplate {
        labels: template.labels.clone(),
        annotations: Labels::default(),
        spec: Arc::clone(&template.spec),
    };
    Workload {
        kind: WorkloadKind::ReplicaSet,
        meta,
        selector,
        replicas: Some(replicas),
        template: of_pods,
    }
}

fn owner(api_version: &str, kind: &str, name: &str) -> Owner {
    Owner {
        api_version: api_version.into(),
        kind: kind.into(),
        name: name.into(),
        uid: Uid::from(format!("{}-{name}", kind.to_lowercase())),
        controller: true,
    }
}

/// As the admission plugin DefaultTolerationSeconds.
fn tolerating_short_outages(spec: &Arc<PodSpec>) -> Arc<PodSpec> {
    let mut spec = PodSpec::clone(spec);
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let covers = |toleration: &Toleration| {
            (toleration.key.is_empty() || &*toleration.key == key)
                && toleration.effect.as_ref().is_none_or(|effect| *effect == Effect::NoExecute)
        };
        if !spec.tolerations.iter().any(covers) {
            spec.tolerations.push(Toleration {
                key: key.into(),
                operator: TolerationOperator::Exists,
                value: "".into(),
                effect: Some(Effect::NoExecute),
                seconds: Some(300),
            });
        }
    }
    Arc::new(spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::context::{Context, Surroundings};
    use crate::check::yaml;

    fn context(text: &str) -> Context {
        let mut manifests = Vec::new();
        for document in yaml::read(text).documents {
            manifests.extend(Manifest::all_of("a.yaml", document, "default").expect("objects"));
        }
        Context::new(manifests, Surroundings::default())
    }

    fn deployment(spec: &str) -> String {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  replicas: 2\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n{spec}"
        )
    }

    #[test]
    fn keys_of_labels_are_merged_into_the_selectors_of_affinity_terms() {
        let spec = "      affinity:\n        podAntiAffinity:\n          requiredDuringSchedulingIgnoredDuringExecution:\n          - topologyKey: kubernetes.io/hostname\n            labelSelector: {matchLabels: {app: web}}\n            matchLabelKeys: [pod-template-hash, absent]\n";
        let context = context(&deployment(spec));
        let template = &context.templates[0];
        let hash = template.labels.value("pod-template-hash").expect("a hash");
        let anti = template.spec.affinity.pod_anti.as_ref().expect("an anti-affinity");
        let selector = anti.required[0].label_selector.as_ref().expect("a selector");
        assert_eq!(selector.to_string(), format!("app=web,pod-template-hash in ({hash})"));
    }

    #[test]
    fn a_class_gives_its_pods_their_priority() {
        let class = "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n";
        let context = context(&(deployment("      priorityClassName: high\n") + class));
        assert_eq!(context.templates[0].spec.priority, Some(1000));
    }

    #[test]
    fn a_deployments_pods_belong_to_a_replica_set_and_tolerate_short_outages() {
        let context = context(&deployment("      containers: []\n"));
        let made = offspring(&context.templates[0], 2, &context.cluster);
        let set = made.replica_set.expect("a ReplicaSet");
        assert_eq!(made.pods.len(), 2);
        for pod in &made.pods {
            assert_eq!(pod.meta.controller().map(|owner| &owner.name), Some(&set.meta.name));
            assert!(
                set.selector.as_ref().is_some_and(|selector| selector.matches(&pod.meta.labels))
            );
            assert_eq!(pod.spec.tolerations.len(), 2);
        }
        assert_ne!(made.pods[0].meta.name, made.pods[1].meta.name);
    }

    #[test]
    fn what_a_controller_made_is_not_looked_at_again() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-1\n  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u, controller: true}]\nspec: {containers: []}\n";
        assert!(context(text).templates.is_empty());
    }
}
