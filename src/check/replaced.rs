//! `Replaced`: objects whose pods make way for those of a newer version.

use std::collections::BTreeSet;

use crate::model::cluster_state::ClusterState;
use crate::model::pod::Pod;

/// The objects, as namespace, kind and name.
#[derive(Clone, Debug, Default)]
pub(super) struct Replaced(BTreeSet<(String, String, String)>);

impl Replaced {
    /// Adds an object.
    pub fn add(&mut self, namespace: &str, kind: &str, name: &str) {
        self.0.insert((namespace.to_owned(), kind.to_owned(), name.to_owned()));
    }

    /// Adds what stands between the objects and their pods: the ReplicaSets of a Deployment, the Jobs of a CronJob.
    pub fn add_children(&mut self, cluster: &ClusterState) {
        let children: Vec<_> = cluster
            .workloads
            .iter()
            .filter_map(|one| {
                let owner = one.meta.controller()?;
                let namespace = one.meta.namespace.to_string();
                let parent = (namespace.clone(), owner.kind.to_string(), owner.name.to_string());
                let own = (namespace, one.kind.as_str().to_owned(), one.meta.name.to_string());
                self.0.contains(&parent).then_some(own)
            })
            .collect();
        self.0.extend(children);
    }

    /// Whether a pod is one of the objects, or was made by one of them.
    pub fn has_made(&self, pod: &Pod) -> bool {
        let namespace = pod.meta.namespace.to_string();
        let has = |kind: &str, name: &str| {
            self.0.contains(&(namespace.clone(), kind.to_owned(), name.to_owned()))
        };
        let Some(owner) = pod.meta.controller() else { return has("Pod", &pod.meta.name) };
        // A dump may lack the ReplicaSet or Job in between: it has its owner's name and a suffix.
        let by_name = || {
            owner.name.rsplit_once('-').is_some_and(|(name, _)| {
                (&*owner.kind == "ReplicaSet" && has("Deployment", name))
                    || (&*owner.kind == "Job" && has("CronJob", name))
            })
        };
        has(&owner.kind, &owner.name) || by_name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::Collector;

    #[test]
    fn pods_of_an_object_are_found_with_and_without_what_is_in_between() {
        let pod = |name: &str, kind: &str, owner: &str| {
            serde_json::json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": name,
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": owner, "controller": true}]},
                "spec": {"containers": []}})
        };
        let set = serde_json::json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"namespace": "shop",
            "name": "odd", "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web",
            "uid": "w", "controller": true}]}, "spec": {"template": {"spec": {"containers": []}}}});
        let mut collector = Collector::default();
        for object in [
            set,
            pod("a", "ReplicaSet", "odd"),
            pod("b", "ReplicaSet", "web-5d9c"),
            pod("c", "ReplicaSet", "web-api-5d9c"),
            pod("d", "StatefulSet", "web"),
        ] {
            collector.json(object.to_string().as_bytes(), "test");
        }
        let cluster = collector.finish().objects;
        let mut replaced = Replaced::default();
        replaced.add("shop", "Deployment", "web");
        replaced.add_children(&cluster);
        let found: Vec<&str> = cluster
            .pods
            .iter()
            .filter(|pod| replaced.has_made(pod))
            .map(|pod| &*pod.meta.name)
            .collect();
        assert_eq!(found, ["a", "b"]);
    }
}
