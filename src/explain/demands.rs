//! What a pod demands, field by field as text: for saying in what two pods differ.

use crate::model::affinity::{PodAffinity, PodAffinityTerm};
use crate::model::labels::Labels;
use crate::model::pod::{Pod, VolumeSource};
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::selector::{Expression, NodeSelectorTerm};
use crate::model::spread::{NodeInclusionPolicy, TopologySpreadConstraint, WhenUnsatisfiable};
use crate::model::taint::{Toleration, TolerationOperator};

/// A field's name and its text; empty where the pod says nothing.
type Field = (&'static str, fn(&Pod) -> String);

/// The fields that can set two landings apart, in the order of a manifest.
const FIELDS: [Field; 15] = [
    ("spec.containers[].resources.requests", |pod| {
        super::words::resources(&spec_requests(&pod.spec, RequestRules::default()))
    }),
    ("spec.containers[].image", |pod| {
        joined(pod.spec.containers.iter().filter_map(|container| container.image.as_deref()))
    }),
    ("spec.containers[].ports[].hostPort", |pod| {
        let ports = pod.spec.containers.iter().flat_map(|container| container.ports.iter());
        let used = ports.filter(|port| port.host_port != 0);
        joined(used.map(|port| port.host_port.to_string()))
    }),
    ("spec.nodeSelector", |pod| pod.spec.node_selector.to_string()),
    ("spec.affinity.nodeAffinity", node_affinity),
    ("spec.affinity.podAffinity", |pod| pod_affinity(pod.spec.affinity.pod.as_ref())),
    ("spec.affinity.podAntiAffinity", |pod| pod_affinity(pod.spec.affinity.pod_anti.as_ref())),
    ("spec.topologySpreadConstraints", |pod| {
        joined(pod.spec.topology_spread_constraints.iter().map(spread))
    }),
    ("spec.tolerations", |pod| joined(pod.spec.tolerations.iter().map(toleration))),
    ("spec.volumes", volumes),
    ("spec.resourceClaims", |pod| {
        joined(pod.spec.resource_claims.iter().map(|claim| claim.name.to_string()))
    }),
    ("spec.priority", |pod| pod.priority().to_string()),
    ("spec.schedulerName", |pod| pod.spec.scheduler_name.0.to_string()),
    ("spec.schedulingGates", |pod| joined(pod.spec.scheduling_gates.iter().map(|it| &**it))),
    ("spec.hostNetwork", |pod| pod.spec.host_network.to_string()),
];

/// The fields in which two pods differ, with both texts.
pub fn differences(a: &Pod, b: &Pod) -> Vec<(&'static str, [String; 2])> {
    let mut found: Vec<(&'static str, [String; 2])> = Vec::new();
    let labels = labels(&a.meta.labels, &b.meta.labels);
    if labels.iter().any(|side| !side.is_empty()) {
        found.push(("metadata.labels", labels));
    }
    for (name, text) in FIELDS {
        let texts = [text(a), text(b)];
        if texts[0] != texts[1] {
            found.push((name, texts));
        }
    }
    if found.iter().all(|(name, _)| !name.starts_with("spec.")) && a.spec != b.spec {
        let text = "differs in a field that is not told here".to_owned();
        found.push(("spec", [text.clone(), text]));
    }
    found
}

/// The labels that only one of two has, or has with another value.
fn labels(a: &Labels, b: &Labels) -> [String; 2] {
    let only = |own: &Labels, other: &Labels| {
        let differing = own.iter().filter(|(key, value)| other.get(key) != Some(value));
        joined(differing.map(|(key, value)| format!("{key}={value}")))
    };
    [only(a, b), only(b, a)]
}

fn joined(parts: impl Iterator<Item = impl ToString>) -> String {
    parts.map(|part| part.to_string()).collect::<Vec<_>>().join("; ")
}

fn node_affinity(pod: &Pod) -> String {
    let Some(affinity) = &pod.spec.affinity.node else { return String::new() };
    let required = affinity.required.iter().map(|terms| {
        let terms: Vec<String> = terms.iter().map(term).collect();
        format!("required: {}", terms.join(" or "))
    });
    let preferred = affinity.preferred.iter().map(|preferred| {
        format!("preferred ({}): {}", preferred.weight, term(&preferred.preference))
    });
    joined(required.chain(preferred))
}

fn term(term: &NodeSelectorTerm) -> String {
    let fields = term.match_fields.iter().flatten();
    let all = term.match_expressions.iter().chain(fields).map(Expression::to_string);
    all.collect::<Vec<_>>().join(",")
}

fn pod_affinity(affinity: Option<&PodAffinity>) -> String {
    let Some(affinity) = affinity else { return String::new() };
    let required = affinity.required.iter().map(|term| format!("required: {}", pod_term(term)));
    let preferred = affinity.preferred.iter().map(|preferred| {
        format!("preferred ({}): {}", preferred.weight, pod_term(&preferred.term))
    });
    joined(required.chain(preferred))
}

fn pod_term(term: &PodAffinityTerm) -> String {
    let selector = term.label_selector.as_ref().map(ToString::to_string).unwrap_or_default();
    format!("{selector} by {}", term.topology_key)
}

fn spread(spread: &TopologySpreadConstraint) -> String {
    let rule = match spread.when_unsatisfiable {
        WhenUnsatisfiable::DoNotSchedule => "DoNotSchedule",
        WhenUnsatisfiable::ScheduleAnyway => "ScheduleAnyway",
    };
    let mut text = format!("{rule} over {} maxSkew {}", spread.topology_key, spread.max_skew);
    if let Some(domains) = spread.min_domains {
        text += &format!(" minDomains {domains}");
    }
    for (name, policy) in [
        ("nodeAffinityPolicy", spread.node_affinity_policy),
        ("nodeTaintsPolicy", spread.node_taints_policy),
    ] {
        match policy {
            Some(NodeInclusionPolicy::Honor) => text += &format!(" {name} Honor"),
            Some(NodeInclusionPolicy::Ignore) => text += &format!(" {name} Ignore"),
            None => {}
        }
    }
    let selector = spread.label_selector.as_ref().map(ToString::to_string).unwrap_or_default();
    text + &format!(" of {selector}")
}

fn toleration(toleration: &Toleration) -> String {
    let effect = toleration.effect.as_ref().map(|effect| format!(":{}", effect.as_str()));
    let value = match toleration.operator {
        TolerationOperator::Equal => format!("={}", toleration.value),
        TolerationOperator::Exists => String::new(),
        TolerationOperator::Unknown(ref operator) => format!(" {operator} {}", toleration.value),
    };
    let key = if toleration.key.is_empty() { "*" } else { &*toleration.key };
    let seconds = toleration.seconds.map(|seconds| format!(" for {seconds}s"));
    format!("{key}{value}{}{}", effect.unwrap_or_default(), seconds.unwrap_or_default())
}

fn volumes(pod: &Pod) -> String {
    joined(pod.spec.volumes.iter().filter_map(|volume| {
        Some(match &volume.source {
            VolumeSource::PersistentVolumeClaim(claim) => format!("claim {claim}"),
            VolumeSource::Ephemeral { .. } => format!("ephemeral {}", volume.name),
            VolumeSource::Csi { driver } => format!("csi {driver}"),
            VolumeSource::Image { .. } => return None,
            VolumeSource::GcePersistentDisk { .. }
            | VolumeSource::AwsElasticBlockStore { .. }
            | VolumeSource::AzureDisk { .. }
            | VolumeSource::Cinder { .. }
            | VolumeSource::Portworx { .. }
            | VolumeSource::Iscsi { .. }
            | VolumeSource::Rbd { .. } => format!("disk {}", volume.name),
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pod;

    #[test]
    fn only_what_differs_is_told() {
        let a = pod("a").labels("app=web,pod=0").build();
        let b = pod("b").labels("app=web,pod=1").build();
        assert_eq!(
            differences(&a, &b),
            [("metadata.labels", ["pod=0".to_owned(), "pod=1".to_owned()])]
        );
        let selects = |spec: &mut crate::model::pod::PodSpec| {
            spec.node_selector = [("disk", "ssd")].into_iter().collect();
        };
        let b = pod("b").labels("app=web,pod=1").spec(selects).build();
        assert_eq!(
            differences(&a, &b).last(),
            Some(&("spec.nodeSelector", [String::new(), "disk=ssd".to_owned()]))
        );
    }
}
