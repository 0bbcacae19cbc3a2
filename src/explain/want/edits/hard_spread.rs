//! A soft spread made hard, so that kube-scheduler keeps it as Karpenter plans it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::Proposer;
use crate::model::labels;
use crate::model::names::Str;
use crate::model::pod::PodSpec;
use crate::model::selector::Operator;
use crate::model::spread::{NodeInclusionPolicy, TopologySpreadConstraint, WhenUnsatisfiable};

pub(super) const PROPOSER: Proposer = Proposer { code: "hard-spread", propose };

fn propose(scene: &Scene<'_>, _: &Goal) -> Vec<Edit> {
    let Some(spec) = scene.spec() else { return Vec::new() };
    let constraints = spec.topology_spread_constraints.iter().enumerate();
    constraints
        .filter(|(_, one)| one.when_unsatisfiable == WhenUnsatisfiable::ScheduleAnyway)
        .map(|(index, one)| edit(scene, index, one))
        .collect()
}

fn edit(scene: &Scene<'_>, index: usize, constraint: &TopologySpreadConstraint) -> Edit {
    let at = index.to_string();
    let path = |field| ["topologySpreadConstraints", &at, field];
    let domains = domains(scene, &constraint.topology_key);
    let fewest = i32::try_from(domains).ok().filter(|domains| *domains > 1);
    let mut fields = vec![Field::replace(
        &path("whenUnsatisfiable"),
        json!("ScheduleAnyway"),
        json!("DoNotSchedule"),
    )];
    if let Some(fewest) = fewest {
        fields.push(Field::add(&path("minDomains"), json!(fewest)));
    }
    let before = constraint.node_taints_policy;
    if before != Some(NodeInclusionPolicy::Honor) {
        fields.push(match before {
            Some(_) => Field::replace(&path("nodeTaintsPolicy"), json!("Ignore"), json!("Honor")),
            None => Field::add(&path("nodeTaintsPolicy"), json!("Honor")),
        });
    }
    let change = move |spec: &mut PodSpec| {
        let mut constraints = spec.topology_spread_constraints.to_vec();
        if let Some(constraint) = constraints.get_mut(index) {
            constraint.when_unsatisfiable = WhenUnsatisfiable::DoNotSchedule;
            constraint.min_domains = fewest;
            constraint.node_taints_policy = Some(NodeInclusionPolicy::Honor);
        }
        spec.topology_spread_constraints = constraints.into();
    };
    let size = u32::try_from(fields.len()).unwrap_or(u32::MAX);
    Edit {
        code: PROPOSER.code,
        size,
        summary: format!(
            "Make the spread over {} hard: DoNotSchedule, with minDomains and nodeTaintsPolicy: Honor.",
            constraint.topology_key
        ),
        trade_off: "Pods wait for their node instead of taking what is there, and stay pending when a domain has no capacity.".to_owned(),
        change: Change::Pod(Arc::new(change)),
        fields,
    }
}

/// How many domains there are, as far as nodes and NodePools name them; hosts are no number to ask for.
fn domains(scene: &Scene<'_>, key: &str) -> usize {
    if key == labels::HOSTNAME {
        return 0;
    }
    let of_nodes = scene.state.nodes.iter().filter_map(|node| node.meta.labels.get(key));
    let of_pools = scene
        .state
        .node_pools
        .iter()
        .flat_map(|pool| &pool.template.requirements)
        .filter(|requirement| *requirement.key == *key && requirement.operator == Operator::In)
        .flat_map(|requirement| &requirement.values);
    of_nodes.chain(of_pools).collect::<BTreeSet<&Str>>().len()
}
