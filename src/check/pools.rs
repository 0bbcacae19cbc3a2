//! `PoolView`: what a NodePool could launch, as far as its own requirements go.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::karpenter::CloudProvider;
use crate::karpenter::launched::allocatable;
use crate::model::cluster_state::ClusterState;
use crate::model::instance_type::{InstanceType, Offering};
use crate::model::labels;
use crate::model::names::Str;
use crate::model::nodepool::{NodeClassRef, NodePool, NodeRequirement};
use crate::model::resources::Resources;
use crate::model::selector::{Expression, Operator};

use super::context::expression_of;

/// A NodePool with the machines that it could launch.
#[derive(Clone, Debug)]
pub struct PoolView {
    /// The pool.
    pub pool: Arc<NodePool>,
    /// What the pool demands of its nodes: its requirements, and its labels as such.
    pub demands: Vec<Expression>,
    /// All instance types of the provider, whether the pool admits them or not. Empty: nothing is known of them.
    pub all_types: Vec<Arc<InstanceType>>,
    /// Those that the pool admits, by their place in `all_types`; each has an offering that the pool admits.
    admitted: Vec<usize>,
    /// What of each admitted type pods can use; equal ones once.
    pub allocatable: Vec<Resources>,
    /// Zones in which any type of the provider can be had, whatever the pool demands.
    pub zones: BTreeSet<Str>,
}

impl PoolView {
    /// Looks at every pool of a cluster that launches nodes for pods, in the order in which Karpenter tries them.
    pub fn of(cluster: &ClusterState, provider: Option<&dyn CloudProvider>) -> Vec<Self> {
        let dynamic = cluster.node_pools.iter().filter(|pool| pool.replicas.is_none());
        let mut views: Vec<Self> = dynamic.map(|pool| Self::one(pool, cluster, provider)).collect();
        views.sort_by(|a, b| {
            let weight = |view: &Self| view.pool.weight.unwrap_or(0);
            weight(b).cmp(&weight(a)).then_with(|| b.pool.meta.name.cmp(&a.pool.meta.name))
        });
        views
    }

    /// Looks at one pool.
    pub fn one(
        pool: &Arc<NodePool>,
        cluster: &ClusterState,
        provider: Option<&dyn CloudProvider>,
    ) -> Self {
        let mut demands: Vec<Expression> =
            pool.template.requirements.iter().map(expression_of).collect();
        demands.extend(pool.template.labels.iter().map(|(key, value)| equals(key, value)));
        demands.push(equals(labels::NODEPOOL, &pool.meta.name));
        let class = class_of(cluster, &pool.template.node_class);
        let all_types = provider
            .filter(|provider| provider.supports(&pool.template.node_class))
            .map(|provider| provider.instance_types(pool, class))
            .unwrap_or_default();
        let mut view = Self {
            pool: Arc::clone(pool),
            demands,
            zones: zones_of(&all_types),
            all_types,
            admitted: Vec::new(),
            allocatable: Vec::new(),
        };
        let admits = |one: &InstanceType| {
            view.admits(&one.requirements) && view.offerings_of(one).next().is_some()
        };
        let admitted = view.all_types.iter().enumerate().filter(|(_, one)| admits(one));
        view.admitted = admitted.map(|(index, _)| index).collect();
        let mut free: Vec<Resources> = view.types().map(|one| allocatable(one)).collect();
        free.dedup();
        view.allocatable = free;
        view
    }

    /// The instance types that the pool admits.
    pub fn types(&self) -> impl Iterator<Item = &Arc<InstanceType>> {
        self.admitted.iter().map(|index| &self.all_types[*index])
    }

    /// The offerings of a type that can be had and that the pool admits.
    pub fn offerings_of<'a>(&'a self, one: &'a InstanceType) -> impl Iterator<Item = &'a Offering> {
        one.offerings
            .iter()
            .filter(|offering| offering.available && self.admits(&offering.requirements))
    }

    /// Whether labels with these possible values can meet what the pool demands.
    fn admits(&self, possible: &[NodeRequirement]) -> bool {
        self.demands.iter().all(|demand| can_meet(possible, demand))
    }

    /// Whether one of the pool's machines could meet all of these demands together.
    pub fn can_meet(&self, demands: &[Expression]) -> bool {
        let own = |demand: &Expression| {
            let values: Vec<&Expression> =
                self.demands.iter().filter(|one| one.key == demand.key).collect();
            !values.is_empty() && can_be(&values, demand)
        };
        let of_types = |one: &InstanceType| {
            let of_type = |demand: &Expression| {
                let listed = one.requirements.iter().any(|possible| possible.key == demand.key);
                let offered = self.offerings_of(one).any(|offering| {
                    offering.requirements.iter().any(|possible| possible.key == demand.key)
                        && can_meet(&offering.requirements, demand)
                });
                let declared = self.demands.iter().any(|own| own.key == demand.key);
                let absent = matches!(demand.operator, Operator::NotIn | Operator::DoesNotExist);
                match (listed, declared) {
                    (true, true) => can_meet(&one.requirements, demand) && own(demand),
                    (true, false) => can_meet(&one.requirements, demand),
                    (false, true) => own(demand),
                    (false, false) => offered || absent,
                }
            };
            demands.iter().all(of_type)
        };
        if self.all_types.is_empty() {
            return demands.iter().all(|demand| {
                own(demand) || !self.demands.iter().any(|one| one.key == demand.key)
            });
        }
        self.types().any(|one| of_types(one))
    }

    /// The first label on which the pool's own demands leave no value.
    pub fn contradiction(&self) -> Option<&str> {
        let own = |key: &str| -> Vec<&Expression> {
            self.demands.iter().filter(|one| &*one.key == key).collect()
        };
        let found = self.demands.iter().find(|demand| !can_be(&own(&demand.key), demand));
        found.map(|demand| &*demand.key)
    }

    /// Whether some node could belong to either pool, but for the pool's name.
    pub fn overlaps(&self, other: &Self) -> bool {
        let theirs: Vec<&Expression> = other.demands.iter().collect();
        self.demands.iter().filter(|demand| &*demand.key != labels::NODEPOOL).all(|demand| {
            let of_key: Vec<&Expression> =
                theirs.iter().copied().filter(|one| one.key == demand.key).collect();
            can_be(&of_key, demand)
        })
    }

    /// Whether this pool could launch every node that another one could, for the same pods.
    pub fn covers(&self, other: &Self) -> bool {
        let template = &other.pool.template;
        let taints = &self.pool.template.taints;
        taints.iter().all(|taint| template.taints.contains(taint))
            && template
                .labels
                .iter()
                .all(|label| self.pool.template.labels.iter().any(|own| own == label))
            && self.demands.iter().filter(|demand| &*demand.key != labels::NODEPOOL).all(|demand| {
                let mut theirs = other.demands.iter().filter(|one| one.key == demand.key);
                theirs.any(|one| {
                    one == demand
                        || (one.operator == Operator::In
                            && one.values.iter().all(|value| admits_value(demand, value)))
                })
            })
    }
}

fn zones_of(types: &[Arc<InstanceType>]) -> BTreeSet<Str> {
    let offerings = types.iter().flat_map(|one| &one.offerings);
    let requirements = offerings
        .filter(|offering| offering.available)
        .flat_map(|offering| &offering.requirements)
        .filter(|requirement| &*requirement.key == labels::ZONE);
    requirements.flat_map(|requirement| &requirement.values).cloned().collect()
}

/// The NodeClass that a reference names.
pub fn class_of<'a>(
    cluster: &'a ClusterState,
    reference: &NodeClassRef,
) -> Option<&'a crate::model::nodepool::NodeClass> {
    let classes = cluster.node_classes.iter();
    classes
        .filter(|class| class.kind == reference.kind || reference.kind.is_none())
        .find(|class| reference.name.as_ref() == Some(&class.meta.name))
        .map(|class| &**class)
}

/// That a label has a value.
fn equals(key: &str, value: &str) -> Expression {
    Expression { key: key.into(), operator: Operator::In, values: vec![value.into()] }
}

/// Whether labels with these possible values can meet a demand. A label that is not listed is left to others.
fn can_meet(possible: &[NodeRequirement], demand: &Expression) -> bool {
    possible.iter().filter(|one| one.key == demand.key).all(|one| {
        let one = expression_of(one);
        can_be(&[&one], demand)
    })
}

/// Whether some value of a label satisfies all of `given` and the demand.
fn can_be(given: &[&Expression], demand: &Expression) -> bool {
    let all: Vec<&Expression> = given.iter().copied().chain([demand]).collect();
    if let Some(listed) = all.iter().find(|one| one.operator == Operator::In) {
        return listed.values.iter().any(|value| all.iter().all(|one| admits_value(one, value)));
    }
    let absent = all.iter().any(|one| one.operator == Operator::DoesNotExist);
    let present = all.iter().any(|one| {
        matches!(
            one.operator,
            Operator::Exists | Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte
        )
    });
    !(absent && present)
}

/// Whether a label's value satisfies a demand.
pub fn admits_value(demand: &Expression, value: &str) -> bool {
    demand.operator.admits(&demand.values, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(key: &str, operator: Operator, values: &[&str]) -> Expression {
        Expression {
            key: key.into(),
            operator,
            values: values.iter().map(|value| Str::from(*value)).collect(),
        }
    }

    #[test]
    fn demands_on_one_label_leave_a_value_or_not() {
        use Operator::{DoesNotExist, Exists, Gt, In, NotIn};
        for (case, one, other, expected) in [
            ("shared value", expression("k", In, &["a", "b"]), expression("k", In, &["b"]), true),
            ("no shared value", expression("k", In, &["a"]), expression("k", In, &["b"]), false),
            ("excluded", expression("k", In, &["a"]), expression("k", NotIn, &["a"]), false),
            ("any", expression("k", In, &["a"]), expression("k", Exists, &[]), true),
            ("none", expression("k", In, &["a"]), expression("k", DoesNotExist, &[]), false),
            ("above", expression("k", In, &["4", "8"]), expression("k", Gt, &["4"]), true),
            ("not above", expression("k", In, &["4"]), expression("k", Gt, &["4"]), false),
            ("not a number", expression("k", In, &["x"]), expression("k", Gt, &["4"]), false),
            (
                "absent and present",
                expression("k", DoesNotExist, &[]),
                expression("k", Exists, &[]),
                false,
            ),
            ("open", expression("k", NotIn, &["a"]), expression("k", Exists, &[]), true),
        ] {
            assert_eq!(can_be(&[&one], &other), expected, "{case}");
            assert_eq!(can_be(&[&other], &one), expected, "{case}, the other way round");
        }
    }
}
