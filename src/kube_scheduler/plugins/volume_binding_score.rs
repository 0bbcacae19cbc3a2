//! How `VolumeBinding` scores: by how full the storage of each class gets.

use std::collections::BTreeMap;

use crate::kube_scheduler::configuration::Shape;
use crate::model::names::Str;
use crate::model::storage::PersistentVolumeClaim;

use super::volume_binding::NodeVolumes;

/// The score of a node. `None`: upstream crashes.
pub(crate) fn score(volumes: &NodeVolumes<'_>, shape: Option<&Shape>) -> Option<i64> {
    // Asked and available, by class.
    let mut classes: BTreeMap<Str, (i64, i64)> = BTreeMap::new();
    if volumes.matched.is_empty() {
        for (claim, capacity) in &volumes.provisioned {
            let Some(capacity) = capacity else { continue };
            let class = classes.entry(claim.storage_class_name.clone()?).or_default();
            class.0 = class.0.wrapping_add(asked(claim));
            class.1 = capacity.capacity?.value();
        }
    } else {
        for (claim, volume) in &volumes.matched {
            let class = volume.storage_class_name.clone().unwrap_or_else(|| Str::from(""));
            let class = classes.entry(class).or_default();
            class.0 = class.0.wrapping_add(asked(claim));
            class.1 = class.1.wrapping_add(volume.capacity.value());
        }
    }
    Some(average(classes.values().copied(), shape))
}

fn asked(claim: &PersistentVolumeClaim) -> i64 {
    claim.storage.unwrap_or_default().value()
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "upstream averages in floats and rounds"
)]
fn average(classes: impl ExactSizeIterator<Item = (i64, i64)>, shape: Option<&Shape>) -> i64 {
    let count = classes.len();
    if count == 0 {
        return 0;
    }
    let emptiest = Shape(vec![(0, 100), (100, 0)]);
    let shape = shape.unwrap_or(&emptiest);
    let sum: i64 = classes.map(|(asked, capacity)| shape.score(asked, capacity)).sum();
    (sum as f64 / count as f64).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_averaged_and_rounded() {
        let gibi = 1 << 30;
        for (classes, expected) in [
            (vec![], 0),
            (vec![(40 * gibi, 100 * gibi)], 60),
            (vec![(40 * gibi, 100 * gibi), (75 * gibi, 100 * gibi)], 43),
            (vec![(gibi, 0)], 0),
        ] {
            assert_eq!(average(classes.clone().into_iter(), None), expected, "{classes:?}");
        }
    }
}
