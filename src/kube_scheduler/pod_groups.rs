//! `PodGroups`: bound pods by what selectors see of them, so that a selector is asked once for many pods.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::model::affinity::Affinity;
use crate::model::labels::Labels;
use crate::model::names::NamespaceName;
use crate::model::pod::Pod;

/// Which group a pod is in, by its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GroupId(pub(crate) usize);

/// Which group a pod is in, by its affinity to other pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct AffinityId(pub(crate) usize);

/// How many pods of a group are on each node: node and number, in the order of the nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placements(Vec<(u32, u32)>);

/// Pods that no label selector can tell apart.
#[derive(Clone, Debug)]
pub(crate) struct PodGroup {
    /// Their namespace.
    pub(crate) namespace: NamespaceName,
    /// Their labels.
    pub(crate) labels: Labels,
    /// Whether they are being deleted: topology spread does not count such pods.
    pub(crate) terminating: bool,
    /// Where they are.
    pub(crate) placements: Placements,
}

/// Pods with the same affinity to other pods.
#[derive(Clone, Debug)]
pub(crate) struct AffinityGroup {
    /// Their namespace: it is the scope of a term that names none.
    pub(crate) namespace: NamespaceName,
    /// Their affinity.
    pub(crate) affinity: Affinity,
    /// Where they are.
    pub(crate) placements: Placements,
}

/// All pods, by group.
#[derive(Clone, Debug, Default)]
pub(crate) struct PodGroups {
    groups: Vec<PodGroup>,
    by_namespace: BTreeMap<NamespaceName, Vec<GroupId>>,
    affinities: Vec<AffinityGroup>,
    // Hash maps: looked up only, and there are as many as pods.
    group_ids: FxHashMap<(NamespaceName, Labels, bool), GroupId>,
    affinity_ids: FxHashMap<(NamespaceName, Affinity), AffinityId>,
}

impl PodGroups {
    /// The group of a pod, made when it is the first of it.
    pub(crate) fn group_of(&mut self, pod: &Pod) -> GroupId {
        let terminating = pod.meta.is_terminating();
        let key = (pod.meta.namespace.clone(), pod.meta.labels.clone(), terminating);
        if let Some(id) = self.group_ids.get(&key) {
            return *id;
        }
        let id = GroupId(self.groups.len());
        self.groups.push(PodGroup {
            namespace: key.0.clone(),
            labels: key.1.clone(),
            terminating,
            placements: Placements::default(),
        });
        self.by_namespace.entry(key.0.clone()).or_default().push(id);
        self.group_ids.insert(key, id);
        id
    }

    /// The affinity group of a pod, made when it is the first of it. `None`: it has no affinity to other pods.
    pub(crate) fn affinity_of(&mut self, pod: &Pod) -> Option<AffinityId> {
        let affinity = &pod.spec.affinity;
        if affinity.pod.is_none() && affinity.pod_anti.is_none() {
            return None;
        }
        let affinity = Affinity { node: None, ..(**affinity).clone() };
        let key = (pod.meta.namespace.clone(), affinity);
        if let Some(id) = self.affinity_ids.get(&key) {
            return Some(*id);
        }
        let id = AffinityId(self.affinities.len());
        self.affinities.push(AffinityGroup {
            namespace: key.0.clone(),
            affinity: key.1.clone(),
            placements: Placements::default(),
        });
        self.affinity_ids.insert(key, id);
        Some(id)
    }

    /// Counts a pod on a node, or with `times` -1 no longer.
    pub(crate) fn place(
        &mut self,
        (group, affinity): (GroupId, Option<AffinityId>),
        node: usize,
        times: i64,
    ) {
        self.groups[group.0].placements.add(node, times);
        if let Some(AffinityId(index)) = affinity {
            self.affinities[index].placements.add(node, times);
        }
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The groups of a namespace.
    pub(crate) fn of_namespace(
        &self,
        namespace: &NamespaceName,
    ) -> impl Iterator<Item = (GroupId, &PodGroup)> {
        let ids = self.by_namespace.get(namespace).map_or(&[][..], |ids| &ids[..]);
        ids.iter().map(|id| (*id, &self.groups[id.0]))
    }

    /// The namespaces that have pods.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &NamespaceName> {
        self.by_namespace.keys()
    }

    /// The groups by affinity, each with its number.
    pub(crate) fn affinities(&self) -> impl Iterator<Item = (AffinityId, &AffinityGroup)> {
        self.affinities.iter().enumerate().map(|(index, group)| (AffinityId(index), group))
    }
}

impl Placements {
    /// Node and number of pods.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, i64)> {
        self.0.iter().map(|(node, count)| (*node as usize, i64::from(*count)))
    }

    fn add(&mut self, node: usize, times: i64) {
        let node = u32::try_from(node).unwrap_or(u32::MAX);
        match self.0.binary_search_by_key(&node, |(listed, _)| *listed) {
            Ok(index) => {
                let count = i64::from(self.0[index].1) + times;
                match u32::try_from(count) {
                    Ok(count) if count > 0 => self.0[index].1 = count,
                    _ => drop(self.0.remove(index)),
                }
            }
            Err(index) => {
                if let Ok(count @ 1..) = u32::try_from(times) {
                    self.0.insert(index, (node, count));
                }
            }
        }
    }
}
