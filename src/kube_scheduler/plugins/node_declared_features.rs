//! `NodeDeclaredFeatures`: a pod that needs a feature of the kubelet goes only where it is declared.

use crate::kube_scheduler::framework::{Cycle, Plugin, PreFiltered, Verdict};
use crate::kube_scheduler::rejection::Rejection;
use crate::model::names::Str;

pub(crate) const PLUGIN: Plugin = Plugin {
    filter: Some(filter),
    pre_filter_since: Some(0),
    ..Plugin::named("NodeDeclaredFeatures")
};

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let needed = needed(cycle);
    if needed.is_empty() {
        return PreFiltered::Skips;
    }
    PreFiltered::per_node(move |node| {
        let declared = &node.node.declared_features;
        let missing: Vec<Str> = needed
            .iter()
            .filter(|feature| !declared.iter().any(|it| **it == ***feature))
            .map(|feature| Str::from(*feature))
            .collect();
        Verdict::unresolvable_if(
            (!missing.is_empty()).then_some(Rejection::MissingFeatures(missing)),
        )
    })
}

/// The features that the pod needs.
fn needed(cycle: &Cycle<'_>) -> Vec<&'static str> {
    let spec = cycle.spec();
    let containers = || spec.containers.iter().chain(&spec.init_containers);
    let restarts_all = containers().any(|container| container.restarts_all_containers);
    let user_namespace_on_host = spec.host_network && spec.host_users == Some(false);
    let bind_mount_options = spec.ephemeral_containers_bind_mount_options
        || containers().any(|container| container.has_bind_mount_options);
    [
        (restarts_all, "RestartAllContainersOnContainerExits"),
        (user_namespace_on_host, "UserNamespacesHostNetworkSupport"),
        (bind_mount_options && cycle.version().since(37), "VolumeBindMountOptions"),
    ]
    .into_iter()
    .filter_map(|(needed, feature)| needed.then_some(feature))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, question, unresolvable};
    use crate::testing::{cluster, node, pod};

    #[test]
    fn a_needed_feature_must_be_declared() {
        let declared =
            node("a").with(|node| node.declared_features = vec!["VolumeBindMountOptions".into()]);
        let state = cluster([declared, node("b")], []);
        let needs = pod("p").spec(|spec| spec.containers[0].has_bind_mount_options = true);
        let refused = unresolvable("node(s) didn't match Pod's required features");
        for (minor, expected) in [(37, vec![FITS, refused]), (36, vec![])] {
            let question = question(state.clone(), needs.clone()).release(minor);
            assert_eq!(question.filter(&PLUGIN), expected, "1.{minor}");
        }
    }
}
