//! `Cluster`: the state as the scheduler's cache holds it; pods can be put on nodes and taken off.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::affinity::Affinity;
use crate::model::cluster_state::ClusterState;
use crate::model::names::{NodeName, ObjectKey, PodKey, Str};
use crate::model::pod::{Pod, PodSpec, VolumeSource};

use super::node_info::NodeInfo;
use super::objects::Objects;
use super::pod_groups::{AffinityId, GroupId, PodGroups};
use super::pod_info::{PodInfo, SpecInfo};
use super::topology::{Topology, node_order};
use super::version::Version;

/// The state as the scheduler's cache holds it.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// The release that is replayed.
    pub(crate) version: Version,
    /// The nodes, in the order in which they are looked at.
    pub(crate) nodes: Vec<NodeInfo>,
    /// The numbers of the nodes, in the order of their names.
    pub(crate) by_name: Vec<usize>,
    /// What plugins look up beside pods and nodes.
    pub(crate) objects: Objects,
    /// Bound pods by what selectors see of them.
    pub(crate) groups: PodGroups,
    /// The images that were asked about, by name: who has each, and how large it is. Hash maps here and below: looked up only.
    images: FxHashMap<Str, Option<Arc<ImageState>>>,
    /// How many bound pods refer to a claim.
    pub(crate) claims_in_use: FxHashMap<ObjectKey, u32>,
    /// Pods that wait and have a nominated node, by that node.
    pub(crate) nominated: BTreeMap<NodeName, Vec<Arc<PodInfo>>>,
    topologies: BTreeMap<Str, Arc<Topology>>,
    numbers: FxHashMap<NodeName, usize>,
}

/// One image name in the cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImageState {
    /// The size that the first node by name reports: upstream keeps that one for all.
    pub(crate) size: i64,
    /// The nodes that have it.
    pub(crate) nodes: Vec<usize>,
    /// Whether nodes report different sizes.
    pub(crate) sizes_differ: bool,
}

/// Where a pod was before it was taken off its node.
#[derive(Debug)]
pub(crate) struct Place {
    node: usize,
    position: usize,
    pod: Arc<PodInfo>,
}

impl Cluster {
    /// Reads a state.
    pub(crate) fn new(state: &ClusterState, version: Version) -> Self {
        let order = node_order(&state.nodes);
        let nodes: Vec<NodeInfo> = order
            .iter()
            .enumerate()
            .map(|(index, given)| NodeInfo::new(index, Arc::clone(&state.nodes[*given])))
            .collect();
        let mut by_name: Vec<usize> = (0..nodes.len()).collect();
        by_name.sort_by(|a, b| nodes[*a].name.cmp(&nodes[*b].name));
        let numbers = nodes.iter().map(|node| (node.name.clone(), node.index)).collect();
        let mut cluster = Self {
            version,
            images: FxHashMap::default(),
            nodes,
            by_name,
            objects: Objects::of(state),
            groups: PodGroups::default(),
            claims_in_use: FxHashMap::default(),
            nominated: BTreeMap::new(),
            topologies: BTreeMap::new(),
            numbers,
        };
        cluster.add_pods(state);
        cluster
    }

    fn add_pods(&mut self, state: &ClusterState) {
        // Pods of one template share their specification, and nearly always their labels: each is looked at once.
        let mut specs: FxHashMap<*const PodSpec, Arc<SpecInfo>> = FxHashMap::default();
        let mut groups: FxHashMap<(usize, usize, bool), GroupId> = FxHashMap::default();
        let mut affinities: FxHashMap<(*const Affinity, usize), Option<AffinityId>> =
            FxHashMap::default();
        for pod in &state.pods {
            let waits = pod.node_name.is_none();
            if pod.is_terminal() || waits && pod.status.nominated_node_name.is_none() {
                continue;
            }
            let version = &self.version;
            let spec = specs
                .entry(Arc::as_ptr(&pod.spec))
                .or_insert_with(|| Arc::new(SpecInfo::of(&pod.spec, version)));
            let namespace = pod.meta.namespace.0.as_ptr().addr();
            let labels = (pod.meta.labels.address(), namespace, pod.meta.is_terminating());
            let group = *groups.entry(labels).or_insert_with(|| self.groups.group_of(pod));
            let affinity = (std::ptr::from_ref(&*pod.spec.affinity), namespace);
            let affinity =
                *affinities.entry(affinity).or_insert_with(|| self.groups.affinity_of(pod));
            let info = PodInfo::new(Arc::clone(pod), Arc::clone(spec), group, affinity, version);
            let info = Arc::new(info);
            match (&pod.node_name, &pod.status.nominated_node_name) {
                (Some(node), _) => {
                    if let Some(node) = self.index_of(node) {
                        self.put(node, usize::MAX, info);
                    }
                }
                (None, Some(node)) => self.nominated.entry(node.clone()).or_default().push(info),
                (None, None) => {}
            }
        }
    }

    /// What is counted of a pod that is not on a node.
    pub(crate) fn info(&mut self, pod: &Arc<Pod>) -> Arc<PodInfo> {
        let spec = Arc::new(SpecInfo::of(&pod.spec, &self.version));
        let (group, affinity) = (self.groups.group_of(pod), self.groups.affinity_of(pod));
        Arc::new(PodInfo::new(Arc::clone(pod), spec, group, affinity, &self.version))
    }

    /// Keeps room for a pod that waits and has a nominated node.
    pub(crate) fn nominate(&mut self, pod: &Arc<Pod>) {
        if let Some(node) = pod.status.nominated_node_name.clone() {
            let info = self.info(pod);
            self.nominated.entry(node).or_default().push(info);
        }
    }

    /// Keeps no room any more for a pod that waited.
    pub(crate) fn drop_nomination(&mut self, key: &PodKey) {
        for nominated in self.nominated.values_mut() {
            nominated.retain(|info| info.pod.key() != *key);
        }
    }

    /// A node's number.
    pub(crate) fn index_of(&self, name: &NodeName) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Puts a pod on a node, at a place in the list of its pods.
    pub(crate) fn put(&mut self, node: usize, place: usize, pod: Arc<PodInfo>) {
        self.count(node, &pod, 1);
        self.nodes[node].add(pod, place);
    }

    /// Takes a pod off a node. `None`: it is not there.
    pub(crate) fn take(&mut self, key: &PodKey, node: usize) -> Option<Place> {
        let position = self.nodes[node].pods.iter().position(|info| {
            info.pod.meta.name == key.name && info.pod.meta.namespace == key.namespace
        })?;
        let pod = self.nodes[node].remove(position);
        self.count(node, &pod, -1);
        Some(Place { node, position, pod })
    }

    /// Puts a pod back to where it was.
    pub(crate) fn put_back(&mut self, place: Place) {
        self.put(place.node, place.position, place.pod);
    }

    fn count(&mut self, node: usize, pod: &PodInfo, times: i64) {
        self.groups.place((pod.group, pod.affinity), node, times);
        if !pod.spec.has_volumes {
            return;
        }
        for volume in &pod.pod.spec.volumes {
            let VolumeSource::PersistentVolumeClaim(claim) = &volume.source else { continue };
            let key = ObjectKey::new(pod.pod.meta.namespace.clone(), claim.clone());
            let users = self.claims_in_use.entry(key).or_default();
            *users = if times > 0 { *users + 1 } else { users.saturating_sub(1) };
        }
    }

    /// Makes sure that a label is read off all nodes.
    pub(crate) fn read_topology(&mut self, key: &Str) {
        if !self.topologies.contains_key(key) {
            let topology = Topology::new(key, &self.nodes);
            self.topologies.insert(key.clone(), Arc::new(topology));
        }
    }

    /// Makes sure that some images are looked for on all nodes. Nodes list many more than any pod asks for.
    pub(crate) fn read_images(&mut self, names: Vec<Str>) {
        for name in names {
            if !self.images.contains_key(&name) {
                let state = self.find_image(&name).map(Arc::new);
                self.images.insert(name, state);
            }
        }
    }

    /// The image of a name; none where no node has it.
    pub(crate) fn image(&self, name: &Str) -> Option<Arc<ImageState>> {
        match self.images.get(name) {
            Some(known) => known.clone(),
            None => self.find_image(name).map(Arc::new),
        }
    }

    fn find_image(&self, name: &Str) -> Option<ImageState> {
        let mut state = ImageState::default();
        for &index in &self.by_name {
            let images = self.nodes[index].node.images.iter();
            for image in images.filter(|image| image.names.iter().any(|own| own == name)) {
                if state.nodes.is_empty() {
                    state.size = image.size;
                }
                state.sizes_differ |= state.size != image.size;
                // A node that lists a name twice has it once.
                if state.nodes.last() != Some(&index) {
                    state.nodes.push(index);
                }
            }
        }
        (!state.nodes.is_empty()).then_some(state)
    }

    /// One label of all nodes.
    pub(crate) fn topology(&self, key: &Str) -> Arc<Topology> {
        let known = self.topologies.get(key).cloned();
        known.unwrap_or_else(|| Arc::new(Topology::new(key, &self.nodes)))
    }
}
