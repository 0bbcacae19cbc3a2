//! Taints and tolerations as numbers, and which list of the one lets which list of the other through.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::model::taint::{Effect, Taint, Toleration, TolerationOperator};

/// A list of taints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TaintsId(u32);

/// A list of tolerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TolerationsId(u32);

/// All lists of one pass.
#[derive(Debug)]
pub(super) struct TaintTable {
    taints: Lists<Taint>,
    tolerations: Lists<Toleration>,
    known: FxHashMap<(TolerationsId, TaintsId), bool>,
    compares_numbers: bool,
}

impl TaintTable {
    /// `compares_numbers`: whether the operators `Lt` and `Gt` of tolerations are known.
    pub(super) fn new(compares_numbers: bool) -> Self {
        Self {
            taints: Lists::default(),
            tolerations: Lists::default(),
            known: FxHashMap::default(),
            compares_numbers,
        }
    }

    pub(super) fn taints_id(&mut self, taints: &[Taint]) -> TaintsId {
        TaintsId(self.taints.id(taints))
    }

    pub(super) fn tolerations_id(&mut self, tolerations: &[Toleration]) -> TolerationsId {
        TolerationsId(self.tolerations.id(tolerations))
    }

    pub(super) fn taints(&self, id: TaintsId) -> &[Taint] {
        &self.taints.lists[id.0 as usize]
    }

    pub(super) fn tolerations(&self, id: TolerationsId) -> &[Toleration] {
        &self.tolerations.lists[id.0 as usize]
    }

    /// Whether every taint, of any effect, is tolerated.
    pub(super) fn tolerates(&mut self, tolerations: TolerationsId, taints: TaintsId) -> bool {
        if let Some(known) = self.known.get(&(tolerations, taints)) {
            return *known;
        }
        let tolerates = self.untolerated(tolerations, taints).is_empty();
        self.known.insert((tolerations, taints), tolerates);
        tolerates
    }

    /// The taints that are not tolerated.
    pub(super) fn untolerated(&self, tolerations: TolerationsId, taints: TaintsId) -> Vec<Taint> {
        let tolerations = self.tolerations(tolerations);
        let tolerated = |taint: &Taint| {
            tolerations.iter().any(|toleration| tolerates(toleration, taint, self.compares_numbers))
        };
        self.taints(taints).iter().filter(|taint| !tolerated(taint)).cloned().collect()
    }
}

fn tolerates(toleration: &Toleration, taint: &Taint, compares_numbers: bool) -> bool {
    let TolerationOperator::Unknown(operator) = &toleration.operator else {
        return toleration.tolerates(taint);
    };
    let fits_effect = toleration.effect.as_ref().is_none_or(|effect| *effect == taint.effect);
    let fits_key = toleration.key.is_empty() || toleration.key == taint.key;
    if !compares_numbers || !fits_effect || !fits_key {
        return false;
    }
    let (Ok(bound), Ok(value)) = (toleration.value.parse::<i64>(), taint.value.parse::<i64>())
    else {
        return false;
    };
    match &**operator {
        "Lt" => value < bound,
        "Gt" => value > bound,
        _ => false,
    }
}

/// The toleration that the last relaxation adds: of every taint that only prefers to keep pods away.
pub(super) fn of_soft_taints() -> Toleration {
    Toleration {
        key: "".into(),
        operator: TolerationOperator::Exists,
        value: "".into(),
        effect: Some(Effect::PreferNoSchedule),
        seconds: None,
    }
}

/// Whether a list has that toleration already, in just this form.
pub(super) fn tolerates_soft_taints(tolerations: &[Toleration]) -> bool {
    tolerations.iter().any(|toleration| {
        toleration.operator == TolerationOperator::Exists
            && toleration.effect == Some(Effect::PreferNoSchedule)
            && toleration.key.is_empty()
            && toleration.value.is_empty()
    })
}

#[derive(Debug)]
struct Lists<T> {
    lists: Vec<Box<[T]>>,
    ids: FxHashMap<Box<[T]>, u32>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { lists: Vec::new(), ids: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Lists<T> {
    fn id(&mut self, list: &[T]) -> u32 {
        if let Some(id) = self.ids.get(list) {
            return *id;
        }
        let id = u32::try_from(self.lists.len()).unwrap_or(u32::MAX);
        self.lists.push(list.into());
        self.ids.insert(list.into(), id);
        id
    }
}
