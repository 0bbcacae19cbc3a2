//! Capacity reservations held during a pass. As `scheduling.ReservationManager`.

use rustc_hash::FxHashMap;

use super::bits::Bits;
use super::instance_types::{OfferingEntry, TypeTable};
use super::refusal::ReservedRefusal;
use super::requirements::{RequirementSets, SetId, Undefined};
use super::version::Version;
use super::vocabulary::Value;

/// What each reservation has left.
#[derive(Clone, Debug, Default)]
pub(super) struct ReservationManager {
    left: FxHashMap<Value, i64>,
    /// Whether a claim must hold a reservation that it could have: in a pass, not in a simulation.
    is_strict: bool,
}

impl ReservationManager {
    pub(super) fn new(is_strict: bool) -> Self {
        Self { left: FxHashMap::default(), is_strict }
    }

    pub(super) fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Takes in the reserved offerings of a pool; of several entries of one reservation the smallest counts.
    pub(super) fn add(&mut self, table: &TypeTable) {
        let offerings = table.types.iter().flat_map(|entry| &entry.offerings);
        for offering in offerings.filter(|offering| offering.reserved) {
            if let Some(id) = offering.reservation {
                let left = self.left.entry(id).or_insert(offering.reservation_capacity);
                *left = (*left).min(offering.reservation_capacity);
            }
        }
    }

    fn can_reserve(&self, held: &[Value], id: Value) -> bool {
        held.contains(&id) || self.left.get(&id).is_some_and(|left| *left > 0)
    }

    /// Lets a claim hold these reservations in place of those that it held.
    pub(super) fn hold(&mut self, before: &[Value], now: &[Value]) {
        for id in before.iter().filter(|id| !now.contains(id)) {
            *self.left.entry(*id).or_insert(0) += 1;
        }
        for id in now.iter().filter(|id| !before.contains(id)) {
            *self.left.entry(*id).or_insert(0) -= 1;
        }
    }

    /// The reservations that a claim would hold. As `NodeClaim.offeringsToReserve`.
    pub(super) fn to_hold(
        &self,
        claim: &ProspectiveClaim<'_>,
        version: Version,
        sets: &mut RequirementSets,
    ) -> Result<Vec<Value>, ReservedRefusal> {
        let (mut fallback, mut full, mut with_capacity) = (false, false, false);
        let mut ids = Vec::new();
        for index in claim.options.iter() {
            for offering in &claim.table.types[index].offerings {
                let fits = offering.available
                    && sets.merge(claim.set, offering.requirements, Undefined::WellKnown).is_some();
                if !fits {
                    continue;
                }
                if !offering.reserved {
                    fallback = true;
                } else if version.since(15, 0) && offering.reservation_capacity == 0 {
                    full = true;
                } else {
                    with_capacity = true;
                    let id = offering.reservation;
                    ids.extend(id.filter(|id| self.can_reserve(claim.held, *id)));
                }
            }
        }
        ids.sort_unstable();
        ids.dedup();
        if self.is_strict && with_capacity && ids.is_empty() {
            return Err(ReservedRefusal::Held);
        }
        if full && !with_capacity && !fallback {
            let refusal = ReservedRefusal::Full;
            return Err(if self.is_strict { refusal } else { ReservedRefusal::FullFallingThrough });
        }
        if self.is_strict && !claim.held.is_empty() && ids.is_empty() {
            return Err(ReservedRefusal::WouldLose);
        }
        Ok(ids)
    }
}

/// What a claim would be after a placement.
pub(super) struct ProspectiveClaim<'a> {
    pub(super) table: &'a TypeTable,
    pub(super) options: &'a Bits,
    pub(super) set: SetId,
    pub(super) held: &'a [Value],
}

/// Whether an offering can be launched.
pub(super) fn is_launchable(offering: &OfferingEntry, version: Version) -> bool {
    offering.available
        && (!version.since(15, 0) || !offering.reserved || offering.reservation_capacity > 0)
}
