//! `Context`: what a rule sees: the manifests, and the cluster as it will be once they are applied.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ingest::Collector;
use crate::instance_types::{Options, provider_for};
use crate::karpenter::{CloudProvider, PreferencePolicy, Settings, WELL_KNOWN};
use crate::model::cluster_state::ClusterState;
use crate::model::gap::Gap;
use crate::model::labels;
use crate::model::names::Str;
use crate::model::nodepool::{NodePool, NodeRequirement};
use crate::model::selector::{Expression, Operator};
use crate::model::snapshot::Snapshot;
use crate::model::taint::{Effect, Taint};

use super::forecast::SchedulerSetup;
use super::manifest::Manifest;
use super::misprediction::Misprediction;
use super::outlook::Outlooks;
use super::overlay;
use super::pools::PoolView;
use super::position::FieldPath;
use super::template::Template;
use super::uses::{self, LabelUse, Role};

/// What is known beside the manifests.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// A dump or a running cluster, or nothing but settings and instance types.
    pub snapshot: Snapshot,
    /// Whether the snapshot is of a cluster, so that what is not in it does not exist.
    pub has_cluster: bool,
    /// What instance types there are; found in the snapshot and the manifests where none is given.
    pub provider: Option<Arc<dyn CloudProvider>>,
    /// How Karpenter is set up.
    pub settings: Settings,
    /// How kube-scheduler is set up.
    pub scheduler: SchedulerSetup,
}

/// What a rule sees.
pub struct Context {
    /// The objects of the files, in the order of the files.
    pub manifests: Vec<Arc<Manifest>>,
    /// What makes pods, in the same order.
    pub templates: Vec<Arc<Template>>,
    /// The cluster as it will be: what was given, and the manifests laid over it.
    pub cluster: ClusterState,
    /// Whether a cluster was given, so that what is not there does not exist.
    pub has_cluster: bool,
    /// What instance types there are.
    pub provider: Option<Arc<dyn CloudProvider>>,
    /// How Karpenter is set up.
    pub settings: Settings,
    /// How kube-scheduler is set up.
    pub scheduler: SchedulerSetup,
    /// What could not be read of the manifests, with the manifest's place.
    pub gaps: Vec<(usize, Gap)>,
    /// Each manifest by itself.
    decoded: Vec<ClusterState>,
    own_pools: Vec<OnceCell<Option<PoolView>>>,
    /// For each manifest its template.
    template_of: Vec<Option<usize>>,
    known_labels: OnceCell<BTreeSet<String>>,
    pools: OnceCell<Vec<PoolView>>,
    node_zones: OnceCell<BTreeSet<Str>>,
    node_taints: OnceCell<BTreeSet<Taint>>,
    attach_limits: OnceCell<BTreeMap<Str, Option<usize>>>,
    mispredictions: OnceCell<Vec<Misprediction>>,
    /// For each manifest, what its template would launch at first.
    pub(super) first_nodes: Vec<OnceCell<Option<[String; 2]>>>,
    pub(super) outlooks: Outlooks,
}

impl Context {
    /// Reads the manifests and lays them over what is known beside them.
    pub fn new(manifests: Vec<Manifest>, surroundings: Surroundings) -> Self {
        let numbered = manifests.into_iter().enumerate();
        let manifests: Vec<Arc<Manifest>> =
            numbered.map(|(index, manifest)| Arc::new(Manifest { index, ..manifest })).collect();
        let mut gaps = Vec::new();
        // One by one: the same name may stand in several files, for several clusters.
        let decoded: Vec<ClusterState> = manifests
            .iter()
            .map(|manifest| {
                let mut collector = Collector::default();
                collector.json(manifest.to_json().to_string().as_bytes(), &manifest.file);
                let read = collector.finish();
                gaps.extend(read.gaps.into_iter().map(|gap| (manifest.index, gap)));
                read.objects
            })
            .collect();
        let Surroundings { mut snapshot, has_cluster, provider, settings, scheduler } =
            surroundings;
        let mut all = ClusterState::default();
        for state in &decoded {
            all.extend(state.clone());
        }
        let objects = overlay::accepted(all);
        overlay::lay_over(&mut snapshot.objects, objects);
        let provider = provider.or_else(|| provider_of(&snapshot, &settings));
        let cluster = snapshot.objects;
        let templates = super::pods::templates(&manifests, &decoded, &cluster);
        let first_nodes = manifests.iter().map(|_| OnceCell::new()).collect();
        let mut template_of = vec![None; manifests.len()];
        for (index, template) in templates.iter().enumerate() {
            template_of[template.manifest.index] = Some(index);
        }
        Self {
            manifests,
            templates,
            cluster,
            has_cluster,
            provider,
            settings,
            gaps,
            own_pools: decoded.iter().map(|_| OnceCell::new()).collect(),
            decoded,
            template_of,
            known_labels: OnceCell::new(),
            pools: OnceCell::new(),
            node_zones: OnceCell::new(),
            node_taints: OnceCell::new(),
            attach_limits: OnceCell::new(),
            mispredictions: OnceCell::new(),
            first_nodes,
            outlooks: Outlooks::default(),
            scheduler,
        }
    }

    /// What an object makes its pods from.
    pub fn template(&self, manifest: &Manifest) -> Option<&Arc<Template>> {
        let index = self.template_of.get(manifest.index).copied().flatten()?;
        self.templates.get(index)
    }

    /// What a manifest holds, by itself: one object in one of the lists.
    pub fn decoded(&self, manifest: &Manifest) -> &ClusterState {
        &self.decoded[manifest.index]
    }

    /// The NodePool that a manifest is.
    pub fn node_pool(&self, manifest: &Manifest) -> Option<&Arc<NodePool>> {
        self.decoded(manifest).node_pools.first()
    }

    /// The NodePools that launch nodes for pods, in the order in which Karpenter tries them.
    pub fn pools(&self) -> &[PoolView] {
        self.pools.get_or_init(|| PoolView::of(&self.cluster, self.provider.as_deref()))
    }

    /// The NodePool that a manifest is, with what it could launch; none for one that has a fixed number of nodes.
    pub fn pool(&self, manifest: &Manifest) -> Option<&PoolView> {
        let view = || {
            let pool = self.node_pool(manifest).filter(|pool| pool.replicas.is_none())?;
            Some(PoolView::one(pool, &self.cluster, self.provider.as_deref()))
        };
        self.own_pools[manifest.index].get_or_init(view).as_ref()
    }

    /// Every use of a label of nodes in an object: a template's, a NodePool's.
    pub fn label_uses(&self, manifest: &Manifest) -> Vec<LabelUse> {
        if let Some(template) = self.template(manifest) {
            return uses::of_template(template);
        }
        let Some(pool) = self.node_pool(manifest) else { return Vec::new() };
        let path = FieldPath::of("spec.template.spec.requirements");
        let requirements = pool.template.requirements.iter().enumerate();
        let mut found: Vec<LabelUse> = requirements
            .map(|(index, requirement)| LabelUse {
                path: path.index(index).key("key"),
                role: Role::Required,
                expression: expression_of(requirement),
            })
            .collect();
        let path = FieldPath::of("spec.template.metadata.labels");
        found.extend(pool.template.labels.iter().map(|(key, value)| LabelUse {
            path: path.key(key),
            role: Role::Required,
            expression: Expression {
                key: key.clone(),
                operator: Operator::In,
                values: vec![value.clone()],
            },
        }));
        found
    }

    /// Labels that nodes have: well known ones, and those of NodePools and of the cluster's nodes.
    pub fn known_labels(&self) -> &BTreeSet<String> {
        self.known_labels.get_or_init(|| {
            let mut known: BTreeSet<String> =
                WELL_KNOWN.iter().chain(&OTHER_LABELS).map(ToString::to_string).collect();
            if let Some(provider) = &self.provider {
                known.extend(provider.well_known_labels().iter().map(ToString::to_string));
            }
            for node in &self.cluster.nodes {
                known.extend(node.meta.labels.iter().map(|(key, _)| key.to_string()));
            }
            for pool in &self.cluster.node_pools {
                known.extend(pool.template.labels.iter().map(|(key, _)| key.to_string()));
            }
            known
        })
    }

    /// The zones of the cluster's nodes.
    pub fn node_zones(&self) -> &BTreeSet<Str> {
        self.node_zones.get_or_init(|| {
            let nodes = self.cluster.nodes.iter();
            nodes.filter_map(|node| node.meta.labels.get(labels::ZONE)).cloned().collect()
        })
    }

    /// The taints of the cluster's nodes.
    pub fn node_taints(&self) -> &BTreeSet<Taint> {
        self.node_taints.get_or_init(|| {
            let taints = self.cluster.nodes.iter().flat_map(|node| &node.taints);
            taints.map(|taint| Taint { added: None, ..taint.clone() }).collect()
        })
    }

    /// How many volumes of each driver a node attaches at most, by the CSINodes; none where one of them does not say.
    pub fn attach_limits(&self) -> &BTreeMap<Str, Option<usize>> {
        self.attach_limits.get_or_init(|| {
            let mut limits: BTreeMap<Str, Option<usize>> = BTreeMap::new();
            for driver in self.cluster.csi_nodes.iter().flat_map(|node| &node.drivers) {
                let own = driver.count.and_then(|count| usize::try_from(count).ok());
                let known = limits.entry(driver.name.clone()).or_insert(own);
                *known = known.zip(own).map(|(known, own)| known.max(own));
            }
            limits
        })
    }

    /// Machines of the cluster that registered other amounts than Karpenter predicted.
    pub(crate) fn mispredictions(&self) -> &[Misprediction] {
        self.mispredictions.get_or_init(|| Misprediction::of(&self.cluster))
    }

    /// Whether a pod of a template may meet a node whose taints it does not tolerate; also where nothing is known.
    pub fn may_meet_taints(&self, template: &Template) -> bool {
        let tolerates = |taint: &Taint| {
            template.spec.tolerations.iter().any(|toleration| toleration.tolerates(taint))
        };
        let of_pools = self.cluster.node_pools.iter().flat_map(|pool| &pool.template.taints);
        let is_known = self.has_cluster || !self.cluster.node_pools.is_empty();
        !is_known
            || of_pools
                .chain(self.node_taints())
                .any(|taint| taint.effect != Effect::PreferNoSchedule && !tolerates(taint))
    }

    /// Whether Karpenter was told not to look at preferences.
    pub fn ignores_preferences(&self) -> bool {
        self.settings.preference_policy == PreferencePolicy::Ignore
    }

    /// Whether Karpenter lets no one ask for a label. As `v1.IsRestrictedLabel`.
    pub fn is_restricted(&self, key: &str) -> bool {
        let provider = self.provider.as_ref();
        if WELL_KNOWN.contains(&key)
            || provider.is_some_and(|provider| {
                provider.well_known_labels().iter().any(|known| &**known == key)
            })
        {
            return false;
        }
        let Some((domain, _)) = key.split_once('/') else { return false };
        let within = |restricted: &str| {
            domain == restricted
                || domain.strip_suffix(restricted).is_some_and(|rest| rest.ends_with('.'))
        };
        within("karpenter.sh")
            || provider
                .is_some_and(|provider| provider.restricted_domains().iter().any(|one| within(one)))
    }

    /// The value of a PriorityClass, where it can be known.
    pub fn priority_of_class(&self, name: &str) -> Option<i32> {
        match name {
            "system-node-critical" => Some(2_000_001_000),
            "system-cluster-critical" => Some(2_000_000_000),
            _ => {
                let classes = &self.cluster.priority_classes;
                classes.iter().find(|class| &*class.meta.name == name).map(|class| class.value)
            }
        }
    }
}

/// The provider's model, where there are NodePools to ask it about.
fn provider_of(snapshot: &Snapshot, settings: &Settings) -> Option<Arc<dyn CloudProvider>> {
    if snapshot.objects.node_pools.is_empty() {
        return None;
    }
    let options = Options { version: settings.version, ..Options::default() };
    Some(Arc::from(provider_for(snapshot, &options).provider))
}

/// A NodePool's requirement as a selector has it.
pub fn expression_of(requirement: &NodeRequirement) -> Expression {
    Expression {
        key: requirement.key.clone(),
        operator: requirement.operator.clone(),
        values: requirement.values.iter().map(Str::clone).collect(),
    }
}

/// Labels that nodes have and that are not among those.
const OTHER_LABELS: [&str; 9] = [
    labels::HOSTNAME,
    labels::REGISTERED,
    labels::INITIALIZED,
    "karpenter.k8s.aws/instance-family",
    "karpenter.k8s.aws/instance-category",
    "karpenter.k8s.aws/instance-generation",
    "karpenter.k8s.aws/instance-size",
    "karpenter.k8s.aws/instance-cpu",
    "karpenter.k8s.aws/instance-memory",
];
