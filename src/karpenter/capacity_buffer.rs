//! The pods that stand for capacity that is kept free. As the CapacityBuffer controllers.

use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::labels::Labels;
use crate::model::meta::{Meta, is_true};
use crate::model::names::{Str, Uid};
use crate::model::nodepool::CapacityBuffer;
use crate::model::pod::{Pod, PodSpec, PodStatus, VolumeSource};
use crate::model::workload::PodTemplate;

/// One pod for each replica of each buffer that is ready.
pub(super) fn virtual_pods(state: &ClusterState) -> Vec<Pod> {
    let ready = state.capacity_buffers.iter().filter(|buffer| {
        is_true(&buffer.conditions, "ReadyForProvisioning")
            && buffer.status_replicas.is_some_and(|replicas| replicas > 0)
    });
    let mut pods = Vec::new();
    for buffer in ready {
        let Some(template) = template(buffer, state) else { continue };
        for number in 1..=buffer.status_replicas.unwrap_or(0) {
            pods.push(virtual_pod(buffer, template, number, state));
        }
    }
    pods
}

/// The template that a buffer's pods follow.
fn template<'a>(buffer: &CapacityBuffer, state: &'a ClusterState) -> Option<&'a PodTemplate> {
    let by_name = buffer.status_pod_template.as_ref().or(buffer.pod_template.as_ref());
    if let Some(name) = by_name {
        let found = state.pod_templates.iter().find(|template| {
            template.meta.name == *name && template.meta.namespace == buffer.meta.namespace
        });
        return found.map(|template| &template.template);
    }
    let (kind, name) = buffer.scalable.as_ref()?;
    let found = state.workloads.iter().find(|workload| {
        workload.kind.as_str() == &**kind
            && workload.meta.name == *name
            && workload.meta.namespace == buffer.meta.namespace
    });
    found.map(|workload| &workload.template)
}

fn virtual_pod(
    buffer: &CapacityBuffer,
    template: &PodTemplate,
    number: i64,
    state: &ClusterState,
) -> Pod {
    let is_claimed = |source: &VolumeSource| {
        matches!(source, VolumeSource::PersistentVolumeClaim(_) | VolumeSource::Ephemeral { .. })
    };
    let mut spec = PodSpec::clone(&template.spec);
    spec.volumes.retain(|volume| !is_claimed(&volume.source));
    spec.priority = Some(i32::MIN);
    let own: [(&str, Str); 3] = [
        ("karpenter.sh/capacity-buffer-fake-pod", "true".into()),
        ("karpenter.sh/capacity-buffer-name", buffer.meta.name.clone()),
        ("karpenter.sh/capacity-buffer-namespace", buffer.meta.namespace.0.clone()),
    ];
    let annotations: Labels = own.into_iter().map(|(key, value)| (Str::from(key), value)).collect();
    let meta = Meta {
        name: format!("capacity-buffer-{}-{number}", buffer.meta.name).into(),
        namespace: buffer.meta.namespace.clone(),
        uid: Uid::from(format!("{}-{number}", buffer.meta.uid)),
        created: state.at.or(Some(crate::model::time::Timestamp::from_seconds(i64::MAX))),
        labels: template.labels.clone(),
        annotations,
        ..Meta::default()
    };
    Pod { meta, node_name: None, spec: Arc::new(spec), status: PodStatus::unschedulable() }
}
