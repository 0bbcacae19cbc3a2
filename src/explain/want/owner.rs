//! `Template`: the object whose pod template a pod is made from, and so the one to change.

use crate::model::cluster_state::ClusterState;
use crate::model::names::Str;
use crate::reconstruct::Landing;

/// The object to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// As kubectl names it: `deployment/web`, or the pod itself.
    pub object: String,
    /// Its namespace.
    pub namespace: Str,
    /// The way to the pod's spec in it.
    pub path: Vec<&'static str>,
    /// Whether the API server takes a patch of it; a Job's template and a bare pod cannot be changed once made.
    pub can_be_patched: bool,
}

/// The object to change for a pod: through the ReplicaSet to the Deployment, through the Job to the CronJob.
pub fn template(landing: &Landing<'_, '_>) -> Template {
    const OF_TEMPLATE: [&str; 3] = ["spec", "template", "spec"];
    const OF_CRON_JOB: [&str; 5] = ["spec", "jobTemplate", "spec", "template", "spec"];
    let namespace = landing.pod.key.namespace.0.clone();
    let Some(owner) = &landing.pod.owner else {
        let object = format!("pod/{}", landing.pod.key.name);
        return Template { object, namespace, path: vec!["spec"], can_be_patched: false };
    };
    let (kind, name) = above(landing, &owner.kind, &owner.name)
        .unwrap_or_else(|| (owner.kind.clone(), owner.name.clone()));
    let path: Vec<&'static str> =
        if *kind == *"CronJob" { OF_CRON_JOB.to_vec() } else { OF_TEMPLATE.to_vec() };
    let can_be_patched =
        ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "CronJob"].contains(&&*kind);
    Template { object: format!("{}/{name}", kind.to_lowercase()), namespace, path, can_be_patched }
}

/// What controls the owner.
fn above(landing: &Landing<'_, '_>, kind: &str, name: &Str) -> Option<(Str, Str)> {
    let objects: &ClusterState = &landing.world.snapshot.objects;
    let namespace = &landing.pod.key.namespace;
    let workload = objects.workloads.iter().find(|workload| {
        workload.kind.as_str() == kind
            && workload.meta.name == *name
            && workload.meta.namespace == *namespace
    });
    if let Some(owner) = workload.and_then(|workload| workload.meta.controller()) {
        return Some((owner.kind.clone(), owner.name.clone()));
    }
    // A Deployment names its ReplicaSets after itself and the hash that it also writes into their pods.
    let pod = landing.pod.object_or_likeness()?;
    let hash = pod.meta.labels.get("pod-template-hash").filter(|_| kind == "ReplicaSet")?;
    let deployment = name.strip_suffix(&**hash)?.strip_suffix('-')?;
    Some(("Deployment".into(), deployment.into()))
}
