//! Prices: what a node costs an hour, by its instance type, zone and capacity type. An estimate for comparing, not a bill.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::instance_type::{InstanceType, Offering};
use crate::model::labels;
use crate::model::names::{InstanceTypeName, NodePoolName, Str};
use crate::model::selector::Operator;
use crate::reconstruct::World;
use crate::reconstruct::stories::ClaimStory;

/// The instance types of one NodePool, by name.
type Types = BTreeMap<InstanceTypeName, Arc<InstanceType>>;

/// What nodes cost, as the provider's price list has it. A NodePool's list is read once.
pub struct Prices<'w, 'a> {
    world: &'w World<'a>,
    by_pool: RefCell<BTreeMap<NodePoolName, Rc<Types>>>,
}

impl<'w, 'a> Prices<'w, 'a> {
    /// The prices of a world's provider.
    pub fn of(world: &'w World<'a>) -> Self {
        Self { world, by_pool: RefCell::default() }
    }

    /// What a claim's node costs an hour; where its type is not known, what the plan's cheapest would.
    pub fn of_claim(&self, claim: &ClaimStory) -> Option<f64> {
        let launched = || {
            let types = self.types(claim.node_pool.as_ref()?)?;
            let found = types.get(claim.instance_type.as_ref()?)?;
            let is_it = |offering: &&Offering| {
                is_or_unknown(offering, labels::ZONE, claim.zone.as_ref())
                    && is_or_unknown(offering, labels::CAPACITY_TYPE, claim.capacity_type.as_ref())
            };
            let prices = found.offerings.iter().filter(is_it).map(|offering| offering.price);
            prices.min_by(f64::total_cmp)
        };
        launched().or_else(|| self.planned(claim)).filter(|price| price.is_finite())
    }

    /// What the plan's cheapest offering costs.
    fn planned(&self, claim: &ClaimStory) -> Option<f64> {
        let pass = self.world.passes.iter().position(|pass| pass.created.contains(&claim.name))?;
        let replay = self.world.replay(pass)?;
        let became = replay.became.first()?.iter().position(|names| names.contains(&claim.name))?;
        replay.plan.outcomes.first()?.new_node_claims.get(became)?.price
    }

    fn types(&self, pool: &NodePoolName) -> Option<Rc<Types>> {
        if let Some(known) = self.by_pool.borrow().get(pool) {
            return Some(Rc::clone(known));
        }
        let objects = &self.world.snapshot.objects;
        let object = objects.node_pool(pool)?;
        let reference = &object.template.node_class;
        let class = objects.node_classes.iter().find(|class| {
            Some(&class.meta.name) == reference.name.as_ref()
                && (reference.group.is_none() || class.group == reference.group)
        });
        let listed = self.world.setup.provider.instance_types(object, class.map(|class| &**class));
        let types: Types = listed.into_iter().map(|listed| (listed.name.clone(), listed)).collect();
        let types = Rc::new(types);
        self.by_pool.borrow_mut().insert(pool.clone(), Rc::clone(&types));
        Some(types)
    }
}

/// Whether an offering has a label's value, as far as the value is known.
fn is_or_unknown(offering: &Offering, key: &str, value: Option<&Str>) -> bool {
    let Some(value) = value else { return true };
    let own = offering.requirements.iter().find(|own| &*own.key == key);
    own.is_none_or(|own| own.operator != Operator::In || own.values.contains(value))
}
