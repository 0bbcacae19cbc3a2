//! The PersistentVolumeClaims that controllers make with their pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::meta::Meta;
use crate::model::names::{Str, Uid};
use crate::model::pod::{Pod, PodSpec, PodVolume, VolumeSource};
use crate::model::quantity::Quantity;
use crate::model::storage::PersistentVolumeClaim;

use super::manifest::Manifest;
use super::position::FieldPath;
use super::template::Template;
use super::tree::{Content, Tree};

/// One of a StatefulSet's `volumeClaimTemplates`.
struct ClaimTemplate {
    name: Str,
    class: Option<Str>,
    storage: Option<Quantity>,
}

/// The pods with the volumes of their StatefulSet's claim templates, and all claims that come with the pods.
pub(crate) fn with_claims(
    manifest: &Manifest,
    pods: Vec<Arc<Pod>>,
    state: &ClusterState,
) -> (Vec<Arc<Pod>>, Vec<Arc<PersistentVolumeClaim>>) {
    let templates = claim_templates(manifest);
    let default_class = default_class(state);
    let mut claims = Vec::new();
    let pods = pods.into_iter().map(|pod| {
        let mut claim = |name: String, class: Option<Str>, storage: Option<Quantity>| {
            claims.push(Arc::new(PersistentVolumeClaim {
                meta: Meta {
                    name: name.as_str().into(),
                    namespace: pod.meta.namespace.clone(),
                    uid: Uid::from(name.as_str()),
                    ..Meta::default()
                },
                storage_class_name: class.or_else(|| default_class.clone()),
                storage,
                access_modes: vec!["ReadWriteOnce".into()],
                phase: Some("Pending".into()),
                ..PersistentVolumeClaim::default()
            }));
        };
        for volume in &pod.spec.volumes {
            if let VolumeSource::Ephemeral { storage_class_name, storage } = &volume.source {
                let name = format!("{}-{}", pod.meta.name, volume.name);
                claim(name, storage_class_name.clone(), *storage);
            }
        }
        if templates.is_empty() {
            return pod;
        }
        let mut spec = PodSpec::clone(&pod.spec);
        for template in &templates {
            let name = format!("{}-{}", template.name, pod.meta.name);
            spec.volumes.push(PodVolume {
                name: template.name.clone(),
                source: VolumeSource::PersistentVolumeClaim(name.as_str().into()),
            });
            claim(name, template.class.clone(), template.storage);
        }
        Arc::new(Pod { spec: Arc::new(spec), ..Pod::clone(&pod) })
    });
    (pods.collect(), claims)
}

/// How many volumes of each driver one pod of a template brings, as far as claims and classes tell.
pub(crate) fn volumes_by_driver(template: &Template, state: &ClusterState) -> BTreeMap<Str, usize> {
    let default_class = default_class(state);
    let mut claims: BTreeSet<&Str> = BTreeSet::new();
    let mut classes: Vec<Option<Str>> = Vec::new();
    for volume in &template.spec.volumes {
        match &volume.source {
            VolumeSource::PersistentVolumeClaim(name) if claims.insert(name) => {
                let wanted = (&template.namespace, name);
                let found = state.persistent_volume_claims.binary_search_by(|claim| {
                    (&claim.meta.namespace, &claim.meta.name).cmp(&wanted)
                });
                let claim = found.ok().map(|index| &state.persistent_volume_claims[index]);
                classes.extend(claim.map(|claim| claim.storage_class_name.clone()));
            }
            VolumeSource::Ephemeral { storage_class_name, .. } => {
                classes.push(storage_class_name.clone());
            }
            _ => {}
        }
    }
    classes.extend(claim_templates(&template.manifest).into_iter().map(|one| one.class));
    let mut volumes: BTreeMap<Str, usize> = BTreeMap::new();
    for class in classes.into_iter().filter_map(|class| class.or_else(|| default_class.clone())) {
        let found = state.storage_classes.iter().find(|known| known.meta.name == class);
        if let Some(driver) = found.and_then(|class| class.provisioner.clone()) {
            *volumes.entry(driver).or_default() += 1;
        }
    }
    volumes
}

fn claim_templates(manifest: &Manifest) -> Vec<ClaimTemplate> {
    if manifest.kind != "StatefulSet" {
        return Vec::new();
    }
    let list = manifest.field("spec.volumeClaimTemplates").map(Tree::items).unwrap_or_default();
    let read = list.iter().filter_map(|tree| {
        let at = |path: &str| tree.at(&FieldPath::of(path));
        let storage = at("spec.resources.requests.storage").and_then(|tree| match &tree.content {
            Content::Text(text) => text.parse().ok(),
            Content::Number(number) => number.to_string().parse().ok(),
            _ => None,
        });
        Some(ClaimTemplate {
            name: at("metadata.name")?.text()?.into(),
            class: at("spec.storageClassName").and_then(Tree::text).map(Str::from),
            storage,
        })
    });
    read.collect()
}

/// The class of claims that name none.
pub(crate) fn default_class(state: &ClusterState) -> Option<Str> {
    const MARKS: [&str; 2] = [
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
    ];
    let mut classes = state.storage_classes.iter();
    let default = classes
        .find(|class| MARKS.iter().any(|mark| class.meta.annotations.value(mark) == Some("true")));
    default.map(|class| class.meta.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::context::{Context, Surroundings};
    use crate::check::{pods, yaml};

    #[test]
    fn a_stateful_sets_pods_come_with_their_claims() {
        let text = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  template:\n    spec: {containers: []}\n  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {resources: {requests: {storage: 5Gi}}}\n---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: ssd\n  annotations: {storageclass.kubernetes.io/is-default-class: \"true\"}\nprovisioner: ebs.csi.aws.com\n";
        let mut manifests = Vec::new();
        for document in yaml::read(text).documents {
            manifests.extend(Manifest::all_of("a.yaml", document, "default").expect("objects"));
        }
        let context = Context::new(manifests, Surroundings::default());
        let template = &context.templates[0];
        let made = pods::offspring(template, 2, &context.cluster).pods;
        let (pods, claims) = with_claims(&template.manifest, made, &context.cluster);
        let names: Vec<&str> = claims.iter().map(|claim| &*claim.meta.name).collect();
        assert_eq!(names, ["data-db-0", "data-db-1"]);
        assert_eq!(claims[0].storage_class_name.as_deref(), Some("ssd"));
        assert_eq!(claims[0].storage.map(|storage| storage.to_string()), Some("5Gi".into()));
        let source = VolumeSource::PersistentVolumeClaim("data-db-1".into());
        assert_eq!(pods[1].spec.volumes[0].source, source);
    }
}
