//! Names: where each pod is, as kubectl would name it.

use super::text;
use crate::report::{Audit, PodOfNode, PodPart, Report};

/// One `node/NAME` a line; a pod that is nowhere has no line. Of instance types, those that may be launched. Of an
/// audit, the pods that are not where they were meant to be; of a
/// node, those that it was launched for.
pub(crate) fn render(report: &Report) -> String {
    if let Report::InstanceTypeList(list) = report {
        let items = list.node_pools.iter().flat_map(|pool| &pool.items);
        let names: std::collections::BTreeSet<&str> = items.map(|it| it.name.as_str()).collect();
        return names.into_iter().map(|name| text::safe(name) + "\n").collect();
    }
    if let Report::Audit(audit) = report {
        return surprising(audit);
    }
    if let Report::NodeReport(node) = report {
        let pods = node.pods.iter().filter(|pod| pod.part == PodPart::LaunchedFor);
        let line = |pod: &PodOfNode| format!("-n {} pod/{}", pod.namespace, pod.name);
        return pods.map(|pod| text::safe(&line(pod)) + "\n").collect();
    }
    if let Report::Comparison(comparison) = report {
        let actual = comparison.pods.iter().filter_map(|pod| pod.actual.as_ref());
        return actual.map(|name| text::safe(name) + "\n").collect();
    }
    let actual = report.explanations().iter().filter_map(|item| item.actual.as_ref()?.object());
    actual.map(|name| text::safe(&name) + "\n").collect()
}

/// The surprising pods: `pod/NAME` where one namespace was asked about, `-n NAMESPACE pod/NAME` where all were.
fn surprising(audit: &Audit) -> String {
    let groups = audit.groups.iter().filter(|group| group.class.is_surprise());
    let mut members: Vec<&String> = groups.flat_map(|group| &group.members).collect();
    members.sort();
    let line = |member: &String| {
        let (namespace, name) = member.split_once('/').unwrap_or(("", member));
        match &audit.namespace {
            Some(_) => format!("pod/{name}\n"),
            None => format!("-n {namespace} pod/{name}\n"),
        }
    };
    members.into_iter().map(|member| line(&text::safe(member))).collect()
}
