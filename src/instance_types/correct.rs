//! What a launch really offered takes the place of what the formulas say.

use crate::model::instance_type::Overhead;
use crate::model::resources::Resources;

use super::observed::Machine;

/// Replaces the formulas' numbers by those of a launch where they differ, but for the capacities named. `true`:
/// something differed.
pub(crate) fn correct(
    (capacity, overhead): (&mut Resources, &mut Overhead),
    machine: &Machine,
    but: &[&str],
) -> bool {
    let Some((told, allocatable)) = &machine.predicted else { return false };
    let kept: Resources = allocatable
        .iter()
        .map(|(name, amount)| (name.clone(), told.amount(name.as_str()).minus(*amount)))
        .collect();
    let mut modelled = overhead.kube_reserved.clone();
    modelled.add(&overhead.system_reserved);
    modelled.add(&overhead.eviction_threshold);
    let mut differs = kept.iter().any(|(name, amount)| modelled.amount(name.as_str()) != *amount);
    if differs {
        *overhead = Overhead { kube_reserved: kept, ..Overhead::default() };
    }
    for (name, amount) in told {
        if !but.contains(&name.as_str()) && capacity.get(name.as_str()) != Some(*amount) {
            capacity.set(name.clone(), *amount);
            differs = true;
        }
    }
    differs
}
