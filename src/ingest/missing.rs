//! What an answer needs and the input does not hold, with the command that would bring it.

use crate::model::affinity::PodAffinity;
use crate::model::gap::{Gap, GapKind};
use crate::model::labels::NODEPOOL;
use crate::model::pod::{Pod, VolumeSource};
use crate::model::snapshot::Snapshot;

/// One kind that may be missing.
struct Need {
    subject: &'static str,
    is_missing: fn(&Snapshot) -> bool,
    detail: &'static str,
    hint: &'static str,
}

const NEEDS: [Need; 10] = [
    Need {
        subject: "nodes",
        is_missing: |snapshot| snapshot.objects.nodes.is_empty(),
        detail: "none in the input: kube-scheduler cannot be replayed",
        hint: "add the output of: kubectl get nodes -o json",
    },
    Need {
        subject: "pods",
        is_missing: |snapshot| snapshot.objects.pods.is_empty(),
        detail: "none in the input: nothing can be asked about, and no node is known to be full",
        hint: "add the output of: kubectl get pods -A -o json",
    },
    Need {
        subject: "nodepools",
        is_missing: |snapshot| snapshot.objects.node_pools.is_empty(),
        detail: "none in the input: Karpenter cannot be replayed",
        hint: "add the output of: kubectl get nodepools,nodeclaims -o json",
    },
    Need {
        subject: "nodeclaims",
        is_missing: |snapshot| {
            let lists = &snapshot.objects;
            lists.node_claims.is_empty()
                && lists.nodes.iter().any(|node| node.meta.labels.contains(NODEPOOL))
        },
        detail: "none in the input, though Karpenter made some of the nodes: what it meant to launch is not known",
        hint: "add the output of: kubectl get nodeclaims -o json",
    },
    Need {
        subject: "daemonsets",
        is_missing: |snapshot| {
            let lists = &snapshot.objects;
            !lists.node_pools.is_empty() && lists.workloads.is_empty()
        },
        detail: "none in the input: what they take from a new node is not counted",
        hint: "add the output of: kubectl get daemonsets -A -o json",
    },
    Need {
        subject: "namespaces",
        is_missing: |snapshot| {
            let lists = &snapshot.objects;
            lists.namespaces.is_empty() && lists.pods.iter().any(|pod| selects_namespaces(pod))
        },
        detail: "none in the input, though pods select namespaces by their labels",
        hint: "add the output of: kubectl get namespaces -o json",
    },
    Need {
        subject: "persistentvolumeclaims",
        is_missing: |snapshot| {
            let lists = &snapshot.objects;
            lists.persistent_volume_claims.is_empty()
                && lists.pods.iter().any(|pod| has_claims(pod))
        },
        detail: "none in the input, though pods use some: their volumes tie them to places that are not known",
        hint: "add the output of: kubectl get pvc,pv,storageclasses,csinodes -A -o json",
    },
    Need {
        subject: "storageclasses",
        is_missing: |snapshot| {
            let lists = &snapshot.objects;
            let has_class = |class: &Option<_>| class.is_some();
            lists.storage_classes.is_empty()
                && lists.persistent_volume_claims.iter().any(|claim| {
                    has_class(&claim.storage_class_name) && claim.volume_name.is_none()
                })
        },
        detail: "none in the input, though claims that are not bound name some",
        hint: "add the output of: kubectl get storageclasses -o json",
    },
    Need {
        subject: "events",
        is_missing: |snapshot| snapshot.events.is_empty() && snapshot.audit_log.is_empty(),
        detail: "none in the input: what Karpenter nominated, and when, is not known",
        hint: "add the output of: kubectl get events -A -o json",
    },
    Need {
        subject: "managedFields",
        is_missing: |snapshot| {
            let pods = &snapshot.objects.pods;
            !pods.is_empty() && pods.iter().all(|pod| pod.meta.managed.is_empty())
        },
        detail: "none in the input: who wrote which field, and when, is not known",
        hint: "add --show-managed-fields to kubectl get",
    },
];

/// What an answer needs and the snapshot does not hold.
pub fn missing(snapshot: &Snapshot) -> Vec<Gap> {
    NEEDS
        .iter()
        .filter(|need| (need.is_missing)(snapshot))
        .map(|need| Gap::new(GapKind::Missing, need.subject, need.detail).hint(need.hint))
        .collect()
}

fn selects_namespaces(pod: &Pod) -> bool {
    let selects = |affinity: &PodAffinity| {
        let preferred = affinity.preferred.iter().map(|weighted| &weighted.term);
        let mut terms = affinity.required.iter().chain(preferred);
        terms.any(|term| {
            term.namespace_selector.as_ref().is_some_and(|selector| !selector.is_empty())
        })
    };
    let affinity = &pod.spec.affinity;
    affinity.pod.as_ref().is_some_and(selects) || affinity.pod_anti.as_ref().is_some_and(selects)
}

fn has_claims(pod: &Pod) -> bool {
    pod.spec
        .volumes
        .iter()
        .any(|volume| matches!(volume.source, VolumeSource::PersistentVolumeClaim(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_comes_with_the_command_that_brings_it() {
        let snapshot = crate::ingest::snapshot_from_json(
            br#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{"karpenter.sh/nodepool":"p"}}}"#,
        );
        let gaps = missing(&snapshot);
        let subjects: Vec<&str> = gaps.iter().map(|gap| gap.subject.as_str()).collect();
        assert_eq!(subjects, ["pods", "nodepools", "nodeclaims", "events"]);
        assert!(gaps.iter().all(|gap| gap.hint.is_some()));
    }
}
