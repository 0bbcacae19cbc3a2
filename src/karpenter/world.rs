//! The beginning of a pass: pools, types, nodes and pods of the cluster, prepared. As `Provisioner.NewScheduler`.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::labels;
use crate::model::meta::is_true;
use crate::model::names::{NodeName, Str};
use crate::model::node::Node;
use crate::model::nodepool::NodePool;
use crate::model::pod::{Pod, PodSpec};
use crate::model::quantity::Quantity;
use crate::model::requests::{RequestRules, pod_requests};
use crate::model::resources::Resources;

use super::amounts::{Amounts, ResourceOrder};
use super::batch_pod::RuleId;
use super::bits::Bits;
use super::cloud_provider::CloudProvider;
use super::daemon_overhead::{Daemon, GroupMaker};
use super::existing_node::ExistingNode;
use super::host_ports::{PortInUse, host_ports};
use super::instance_types::{TypeTable, attachment_limit};
use super::node_overlay::PoolTypes;
use super::nodeclaim_template::{
    NodeClaimTemplate, pool_requirements, template_demand, template_labels,
};
use super::requirements::RequirementSets;
use super::settings::{MinValuesPolicy, Settings};
use super::state::Limits;
use super::state_node::StateNode;
use super::taints::TaintTable;
use super::topology_rule::RuleIdentity;
use super::universe::Universe;
use super::volumes::{Storage, attachments};
use crate::model::cluster_state::ClusterState;

/// The numbers of rules: one for each identity.
#[derive(Debug, Default)]
pub(super) struct RuleNumbers(FxHashMap<RuleIdentity, RuleId>);

impl RuleNumbers {
    pub(super) fn number(&mut self, identity: RuleIdentity) -> RuleId {
        let next = self.0.len();
        *self.0.entry(identity).or_insert(next)
    }
}

/// The pools that may launch, those tried first in front.
pub(super) fn eligible_pools(
    state: &ClusterState,
    provider: &dyn CloudProvider,
    settings: &Settings,
) -> Vec<Arc<NodePool>> {
    let knows_replicas = settings.version.since(9, 0);
    let eligible = state.node_pools.iter().filter(|pool| {
        provider.supports(&pool.template.node_class)
            && !(knows_replicas && pool.replicas.is_some())
            && is_true(&pool.conditions, "Ready")
            && !pool.meta.is_terminating()
    });
    let mut pools: Vec<Arc<NodePool>> = eligible.cloned().collect();
    pools.sort_by(|a, b| {
        let weight = |pool: &NodePool| pool.weight.unwrap_or(0);
        weight(b).cmp(&weight(a)).then_with(|| b.meta.name.cmp(&a.meta.name))
    });
    pools
}

/// What the pools come to.
pub(super) struct Pools {
    pub(super) tables: Vec<TypeTable>,
    pub(super) templates: Vec<NodeClaimTemplate>,
    pub(super) universe: Universe,
    pub(super) tolerates_soft: bool,
    /// The names of pools whose requirements leave no instance type.
    pub(super) without_types: Vec<Str>,
}

/// What pools and nodes are prepared with.
pub(super) struct Preparation<'a> {
    pub(super) state: &'a ClusterState,
    pub(super) settings: &'a Settings,
    pub(super) sets: &'a mut RequirementSets,
    pub(super) taints: &'a mut TaintTable,
    pub(super) order: &'a mut ResourceOrder,
}

impl Preparation<'_> {
    /// Prepares the pools with their types, and lets the DaemonSets go through them.
    pub(super) fn pools(
        &mut self,
        pools: &[PoolTypes],
        reservation_label: Option<&str>,
        daemons: &mut [Daemon],
    ) -> Pools {
        let mut made = Pools {
            tables: Vec::new(),
            templates: Vec::new(),
            universe: Universe::default(),
            tolerates_soft: false,
            without_types: Vec::new(),
        };
        for (pool, types) in pools {
            made.tolerates_soft |= pool
                .template
                .taints
                .iter()
                .any(|taint| taint.effect == crate::model::taint::Effect::PreferNoSchedule);
            if types.is_empty() {
                made.without_types.push(pool.meta.name.clone());
                continue;
            }
            let mut table = TypeTable::new(
                types,
                self.settings.version,
                reservation_label,
                self.sets,
                self.order,
            );
            let taints = self.taints.taints_id(&pool.template.taints);
            let of_types = table.types.iter().map(|entry| &entry.requirements);
            // Neither the pool's name nor its class is a domain that could be launched into.
            let plain = pool_requirements(pool, &pool.template.labels, self.sets);
            made.universe.add_pool(&plain, of_types, taints, self.sets);
            let labels = template_labels(pool);
            let requirements = pool_requirements(pool, &labels, self.sets);
            let demand = template_demand(requirements, self.settings, self.sets);
            let options = self.prefiltered(&mut table, demand.set);
            if options.is_empty() {
                made.without_types.push(pool.meta.name.clone());
                continue;
            }
            let mut maker = GroupMaker {
                template: demand.set,
                taints_id: taints,
                options: &options,
                table: &table,
                settings: self.settings,
                sets: self.sets,
                taints: self.taints,
                order: self.order,
            };
            let groups = maker.groups(daemons);
            let mut group_of = vec![0; table.len()];
            let mut room = vec![Amounts::default(); table.len()];
            for (place, group) in groups.iter().enumerate() {
                for index in group.types.iter() {
                    group_of[index] = place;
                    room[index] = table.most_room(index);
                    room[index].subtract(&group.amounts);
                }
            }
            made.templates.push(NodeClaimTemplate {
                pool: Arc::clone(pool),
                labels,
                set: demand.set,
                taints,
                table: made.tables.len(),
                options,
                groups,
                group_of,
                room,
            });
            made.tables.push(table);
        }
        made
    }

    /// The types that a template's own requirements leave.
    fn prefiltered(&mut self, table: &mut TypeTable, set: super::requirements::SetId) -> Bits {
        let mask = table.mask(set, self.sets);
        let mut options = Bits::none(table.len());
        for index in mask.possible.iter() {
            if table.has_room(index, &mask, &Amounts::default()) {
                options.insert(index);
            }
        }
        let remaining: Vec<usize> = options.iter().collect();
        let requirements = Arc::clone(self.sets.get(set));
        let admitted = self.settings.version.since(14, 3);
        let unmet = table.unmet_min_values(&remaining, &requirements, admitted, self.sets);
        let is_strict = self.settings.min_values_policy == MinValuesPolicy::Strict;
        if is_strict && !unmet.is_empty() { Bits::none(table.len()) } else { options }
    }

    /// What each template's limits leave beside the nodes that are there.
    pub(super) fn limits(
        &mut self,
        templates: &[NodeClaimTemplate],
        nodes: &[StateNode],
    ) -> Vec<Option<Limits>> {
        let mut used: FxHashMap<&Str, Resources> = FxHashMap::default();
        for node in nodes.iter().filter(|node| !node.is_deleting) {
            if let Some(pool) = node.node_pool() {
                used.entry(pool).or_default().add(&node.capacity());
            }
        }
        let none = Resources::new();
        let templates = templates.iter();
        templates
            .map(|template| {
                let limits = template.pool.limits.as_ref()?;
                let used = used.get(&template.pool.meta.name).unwrap_or(&none);
                let mut left = Resources::new();
                for (name, limit) in limits {
                    left.set(name.clone(), limit.minus(used.amount(name.as_str())));
                }
                let nodes_left = left.remove("nodes").map(Quantity::nanos);
                let resources = left.iter().map(|(name, _)| self.order.index(name)).collect();
                Some(Limits { resources, left: self.order.amounts(&left), nodes_left })
            })
            .collect()
    }
}

/// What the pods bound to one Node use.
#[derive(Clone, Debug, Default)]
struct Usage {
    all: Amounts,
    daemons: Amounts,
    ports: Vec<PortInUse>,
    volumes: Vec<(Str, BTreeSet<Str>)>,
}

/// What bound pods use, by Node; and Nodes that cannot be taken in, as a volume of one of their pods is missing.
#[derive(Debug, Default)]
pub(super) struct NodeUsage {
    by_place: Vec<Usage>,
    places: FxHashMap<NodeName, usize>,
    pub(super) unreadable: BTreeSet<NodeName>,
}

impl NodeUsage {
    pub(super) fn of<'p>(
        nodes: &[Arc<Node>],
        bound: impl Iterator<Item = (&'p Arc<Pod>, usize)>,
        storage: &Storage<'_>,
        rules: RequestRules,
        order: &mut ResourceOrder,
    ) -> Self {
        let mut usage = Self {
            by_place: vec![Usage::default(); nodes.len()],
            places: nodes.iter().enumerate().map(|(place, node)| (node.name(), place)).collect(),
            unreadable: BTreeSet::new(),
        };
        let pods = order.index(&"pods".into());
        // Pods of one owner share their spec, and so their requests.
        let mut known: FxHashMap<*const PodSpec, Amounts> = FxHashMap::default();
        let mut sum = Amounts::default();
        for (pod, place) in bound.filter(|(pod, _)| !pod.is_terminal()) {
            let of_node = &mut usage.by_place[place];
            let is_daemon = super::rescheduling::is_owned_by(pod, "apps/v1", "DaemonSet");
            let mut count = |amounts: &Amounts| {
                of_node.all.add(amounts);
                if is_daemon {
                    of_node.daemons.add(amounts);
                }
            };
            if pod.status.resize.is_some() {
                count(&order.amounts(&requests(pod, rules)));
            } else if is_plain(&pod.spec) {
                // Cheaper to sum up anew than to look up.
                sum.clear();
                add_plain(&pod.spec, pods, &mut sum, order);
                count(&sum);
            } else {
                let entry = known.entry(Arc::as_ptr(&pod.spec));
                count(entry.or_insert_with(|| order.amounts(&requests(pod, rules))));
            }
            if pod.spec.containers.iter().any(|container| !container.ports.is_empty()) {
                let ports = host_ports(&pod.spec).into_iter();
                of_node.ports.extend(ports.map(|port| PortInUse { port, by: pod.key() }));
            }
            if !pod.spec.volumes.is_empty() && !of_node.attach(pod, storage) {
                usage.unreadable.insert(nodes[place].name());
            }
        }
        usage
    }

    fn of_node(&self, name: &NodeName) -> Option<&Usage> {
        self.places.get(name).map(|place| &self.by_place[*place])
    }
}

impl Usage {
    /// Counts a pod's volumes; `false` where one cannot be looked up.
    fn attach(&mut self, pod: &Pod, storage: &Storage<'_>) -> bool {
        let Ok(attached) = attachments(pod, storage) else { return false };
        for (driver, claim) in attached {
            match self.volumes.iter_mut().find(|(known, _)| *known == driver) {
                Some((_, claims)) => {
                    claims.insert(claim);
                }
                None => self.volumes.push((driver, [claim].into())),
            }
        }
        true
    }
}

/// Whether a pod asks for what its containers ask for together, and for nothing beside it.
fn is_plain(spec: &PodSpec) -> bool {
    spec.init_containers.is_empty() && spec.pod_requests.is_none() && spec.overhead.is_empty()
}

/// Adds what such a pod asks for.
fn add_plain(spec: &PodSpec, pods: usize, sum: &mut Amounts, order: &mut ResourceOrder) {
    sum.raise(pods, Quantity::units(1).nanos());
    for (name, amount) in spec.containers.iter().flat_map(|container| &container.requests) {
        sum.raise(order.index(name), amount.nanos());
    }
}

/// What a pod asks for, with its own place among the pods.
pub(super) fn requests(pod: &Pod, rules: RequestRules) -> Resources {
    let mut requests = pod_requests(pod, rules);
    requests.set("pods".into(), Quantity::units(1));
    requests
}

impl Preparation<'_> {
    /// The nodes that take pods, in the order in which they are tried.
    pub(super) fn existing_nodes(
        &mut self,
        state_nodes: &[StateNode],
        usage: &NodeUsage,
        pools: &Pools,
        daemons: &mut [Daemon],
    ) -> Vec<Arc<ExistingNode>> {
        let mut order: Vec<usize> =
            (0..state_nodes.len()).filter(|index| !state_nodes[*index].is_deleting).collect();
        order.sort_by(|a, b| {
            let key = |index: usize| {
                let node = &state_nodes[index];
                (!node.is_initialized(), node.name())
            };
            key(*a).cmp(&key(*b))
        });
        let csi_nodes: FxHashMap<&str, &crate::model::storage::CsiNode> =
            self.state.csi_nodes.iter().map(|node| (&*node.meta.name, &**node)).collect();
        let unused = Usage::default();
        let type_limits = self.type_limits(pools);
        let nodes = order.into_iter();
        nodes
            .map(|index| {
                let node = &state_nodes[index];
                let name = node.node.as_deref().map(Node::name);
                let usage = name.as_ref().and_then(|name| usage.of_node(name)).unwrap_or(&unused);
                let csi = name.as_ref().and_then(|name| csi_nodes.get(name.as_str()).copied());
                let mut existing = self.existing_node(index, node, usage, daemons);
                existing.volume_limits = volume_limits(node, csi, &type_limits);
                Arc::new(existing)
            })
            .collect()
    }

    fn existing_node(
        &mut self,
        index: usize,
        node: &StateNode,
        usage: &Usage,
        daemons: &mut [Daemon],
    ) -> ExistingNode {
        let set = self.sets.of_labels(node.labels()).0;
        let host = self.sets.vocabulary.value(node.hostname());
        let taints = self.taints.taints_id(&node.taints(self.settings.version));
        let mut expected = Amounts::default();
        for daemon in daemons.iter_mut() {
            let counts = !(daemon.uses_devices && self.settings.ignore_dra_requests);
            if counts && daemon.runs_on(set, host, taints, self.settings, self.sets, self.taints) {
                expected.add(daemon.amounts(self.order));
            }
        }
        expected.subtract(&usage.daemons);
        let allocatable = node.allocatable();
        let mut remaining = Amounts::default();
        for (name, amount) in &allocatable {
            let place = self.order.index(name);
            let daemons = expected.get(place).max(0);
            remaining.raise(place, amount.nanos() - usage.all.get(place) - daemons);
        }
        ExistingNode {
            index,
            name: node.name().clone(),
            set,
            host,
            taints,
            remaining,
            volumes: usage.volumes.clone(),
            volume_limits: Vec::new(),
            ports: usage.ports.clone(),
            pods: Vec::new(),
        }
    }

    /// How many volumes each type of each pool may attach, by driver; those without a limit are left out.
    fn type_limits<'p>(&self, pools: &'p Pools) -> TypeLimits<'p> {
        let mut limits = TypeLimits::default();
        if !self.settings.version.since(15, 0) {
            return limits;
        }
        for template in &pools.templates {
            let of_pool = limits.entry(&*template.pool.meta.name).or_default();
            for entry in &pools.tables[template.table].types {
                let drivers = entry.model.volume_attachment_limits.iter().map(|(driver, _)| driver);
                let own: Vec<(Str, i64)> = drivers
                    .filter_map(|driver| {
                        Some((driver.clone(), attachment_limit(&entry.model, driver)?))
                    })
                    .collect();
                if !own.is_empty() {
                    of_pool.entry(entry.model.name.as_str()).or_insert(own);
                }
            }
        }
        limits
    }
}

/// By pool and type.
type TypeLimits<'p> = FxHashMap<&'p str, FxHashMap<&'p str, Vec<(Str, i64)>>>;

/// How many volumes of each driver a node may attach: as its CSINode says, or else its instance type.
fn volume_limits(
    node: &StateNode,
    csi: Option<&crate::model::storage::CsiNode>,
    of_types: &TypeLimits<'_>,
) -> Vec<(Str, i64)> {
    let published = csi.into_iter().flat_map(|csi| &csi.drivers);
    let mut limits: Vec<(Str, i64)> = published
        .clone()
        .filter_map(|driver| Some((driver.name.clone(), i64::from(driver.count?))))
        .collect();
    let of_type = node.node_pool().zip(node.labels().get(labels::INSTANCE_TYPE));
    let of_type = of_type.and_then(|(pool, name)| of_types.get(&**pool)?.get(&**name));
    for (driver, limit) in of_type.into_iter().flatten() {
        if !published.clone().any(|published| published.name == *driver) {
            limits.push((driver.clone(), *limit));
        }
    }
    limits
}
