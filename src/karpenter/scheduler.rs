//! `Scheduler`: existing node, then in-flight claim, then new claim; pod by pod, until nothing more can be placed.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::amounts::{Amounts, ResourceOrder};
use super::batch::{Batch, Limits};
use super::batch_pod::{BatchPod, PodClass, RuleId, Variant};
use super::bits::Bits;
use super::candidates::{Accepted, Rules, Tried};
use super::cluster_pods::ClusterPods;
use super::finalize::{ClaimShape, ShapeKey};
use super::go_sort::sort_unstable_as_go;
use super::in_flight_node_claim::{ClaimContext, InFlightNodeClaim, used_ports};
use super::instance_types::TypeTable;
use super::nodeclaim_template::NodeClaimTemplate;
use super::plan::{Attempt, Candidate, CandidateVerdict};
use super::preferences::Relaxation;
use super::refusal::{PodError, Refusal};
use super::requirements::{RequirementSets, SetId, Undefined};
use super::roomy::RoomyNodes;
use super::settings::{PreferencePolicy, Settings};
use super::state::State;
use super::state_node::StateNode;
use super::taints::TaintTable;
use super::topology::{Constraint, CountSource, InitialGroups, Placed, Selections, new_inverse};
use super::topology_rule::RuleMaker;
use super::trace::{Question, in_flight, node_candidate, verdict};
use super::universe::Universe;
use super::vocabulary::Value;
use crate::model::cluster_state::ClusterState;

/// All that a pass asks and does not change, with what was worked out on the way.
pub(super) struct Scheduler<'a> {
    pub(super) cluster_state: &'a ClusterState,
    pub(super) settings: &'a Settings,
    pub(super) batch: &'a Batch,
    pub(super) sets: RequirementSets,
    pub(super) taints: TaintTable,
    pub(super) order: ResourceOrder,
    pub(super) tables: Vec<TypeTable>,
    pub(super) templates: Vec<NodeClaimTemplate>,
    pub(super) state_nodes: Vec<StateNode>,
    pub(super) pods: Vec<BatchPod>,
    pub(super) classes: Vec<PodClass>,
    pub(super) universe: Universe,
    pub(super) cluster: ClusterPods,
    /// Nodes that take pods, as places of the cluster's nodes, with the labels that count.
    pub(super) active: Vec<(usize, SetId)>,
    pub(super) rules: super::world::RuleNumbers,
    pub(super) initial: InitialGroups,
    pub(super) selections: Selections,
    /// Whether some pool has a taint that only prefers to keep pods away.
    pub(super) tolerates_soft: bool,
    /// Names for claims that have none yet, by their number.
    pub(super) placeholders: Vec<Value>,
    /// What finished claims may be.
    pub(super) shapes: FxHashMap<ShapeKey, Arc<ClaimShape>>,
    /// How many candidates were asked.
    pub(super) steps: usize,
    /// The label of a reservation's id.
    pub(super) reservation_key: Option<super::vocabulary::Key>,
    /// By place of a node: whether it is too young for pods that are only moved. Empty where none is.
    pub(super) young: Vec<bool>,
    /// Which nodes have room, before anything is placed.
    pub(super) roomy: RoomyNodes,
}

/// A way in which an attempt may end.
enum Ending {
    Node(usize, Accepted),
    InFlight(usize, Accepted),
    New(usize, Accepted, Bits),
    /// The pod is neither placed nor tried again.
    Vanishes,
    Fails {
        is_final: bool,
    },
}

/// A state that is still to be followed, and the pod and relaxation with which it goes on.
struct Pending {
    state: State,
    resume: Option<(usize, usize)>,
}

impl Scheduler<'_> {
    /// Follows a state to every end that chance allows; `true` beside them when a limit cut some off.
    pub(super) fn solve(&mut self, initial: State, limits: Limits) -> (Vec<State>, bool) {
        let mut pending = vec![Pending { state: initial, resume: None }];
        let (mut ends, mut capped, mut steps) = (Vec::new(), false, 0_usize);
        while let Some(next) = pending.pop() {
            if !ends.is_empty() && (ends.len() >= limits.outcomes || steps >= limits.steps) {
                capped = true;
                break;
            }
            let before = self.steps;
            let mut branches = Branches {
                room: limits.outcomes.saturating_sub(pending.len() + 1),
                steps: limits.steps,
                pending: &mut pending,
                capped: &mut capped,
            };
            let end = self.run(next, &mut branches);
            if !ends.is_empty() {
                // To finish an end costs about as much as asking each of its claims some times.
                let finish: usize = end.claims.len() * 32 + end.nodes.len();
                steps += self.steps - before + finish;
            }
            ends.push(end);
        }
        (ends, capped)
    }

    fn run(&mut self, start: Pending, branches: &mut Branches<'_>) -> State {
        let Pending { mut state, mut resume } = start;
        loop {
            let (pod, level) = match resume.take() {
                Some(resumed) => resumed,
                None => match state.queue.pop() {
                    Some(pod) => {
                        let level = state.levels[pod];
                        (pod, level)
                    }
                    None => return state,
                },
            };
            self.attempt(&mut state, pod, level, branches);
        }
    }

    /// Tries one pod, giving up its preferences one by one.
    fn attempt(
        &mut self,
        state: &mut State,
        pod: usize,
        mut level: usize,
        branches: &mut Branches<'_>,
    ) {
        let class = self.pods[pod].class;
        let relaxes_at_once = self.settings.version.since(5, 0);
        loop {
            let Some(variant) = self.variant(class, level) else { return };
            let endings = self.endings(state, pod, &variant, level);
            let mut endings = endings.into_iter();
            let first = endings.next().unwrap_or(Ending::Fails { is_final: false });
            let others: Vec<Ending> = endings.collect();
            for other in others.into_iter().rev() {
                let Some(mut copy) = branches.copy(state) else { break };
                let resume = match other {
                    Ending::Fails { is_final } => {
                        self.fails(&mut copy, pod, level, is_final, relaxes_at_once)
                    }
                    placed => {
                        self.places(&mut copy, pod, placed);
                        None
                    }
                };
                branches
                    .pending
                    .push(Pending { state: copy, resume: resume.map(|level| (pod, level)) });
            }
            match first {
                Ending::Fails { is_final } => {
                    match self.fails(state, pod, level, is_final, relaxes_at_once) {
                        Some(next) => level = next,
                        None => return,
                    }
                }
                placed => {
                    self.places(state, pod, placed);
                    return;
                }
            }
        }
    }

    /// Takes in that an attempt failed; the next relaxation to try at once, where there is one.
    fn fails(
        &mut self,
        state: &mut State,
        pod: usize,
        level: usize,
        is_final: bool,
        relaxes_at_once: bool,
    ) -> Option<usize> {
        let class = self.pods[pod].class;
        let next = (!is_final).then(|| self.variant(class, level + 1)).flatten();
        if let Some(next) = next {
            if let Some(given_up) = &next.given_up {
                state.relaxations.push((pod, given_up.clone()));
            }
            self.register(state, class, &next);
            if relaxes_at_once {
                return Some(level + 1);
            }
            state.levels[pod] = level + 1;
            state.rounds[pod] += 1;
            state.queue.push_relaxed(pod);
            return None;
        }
        state.rounds[pod] += 1;
        state.queue.push(pod);
        if relaxes_at_once {
            let original = self.variant(class, 0);
            if let Some(original) = original {
                self.register(state, class, &original);
            }
        }
        None
    }

    fn places(&mut self, state: &mut State, pod: usize, ending: Ending) {
        state.errors.remove(&pod);
        let (set, host, taints, undefined) = match ending {
            Ending::Fails { .. } | Ending::Vanishes => return,
            Ending::Node(place, accepted) => {
                let node = Arc::make_mut(&mut state.nodes[place]);
                node.add(pod, &self.pods[pod], accepted.set);
                (node.set, node.host, node.taints, Undefined::Nothing)
            }
            Ending::InFlight(claim, accepted) => {
                state.is_sorted = false;
                self.fill(state, claim, pod, &accepted)
            }
            Ending::New(template, accepted, options) => {
                let host = self.placeholder(state.claims.len());
                let claim = state.claims.len();
                let fresh =
                    InFlightNodeClaim::new(template, &self.templates[template], options, host);
                state.claims.push(Arc::new(fresh));
                state.claim_order.push(claim);
                state.is_sorted = false;
                // Since 1.5 a hostname is asked for by itself, known or not.
                if !self.settings.version.since(5, 0) {
                    state.topology.register_host(self.sets.vocabulary.hostname, host);
                }
                let filled = self.fill(state, claim, pod, &accepted);
                self.take_from_limits(state, template, claim);
                filled
            }
        };
        let class = &self.classes[self.pods[pod].class];
        let owned: Vec<RuleId> = class.inverse.iter().map(|(rule, _)| *rule).collect();
        let undefined =
            if self.settings.version.since(5, 0) { Undefined::Nothing } else { undefined };
        let placed = Placed { set, host, taints, undefined, owned_inverse: &owned };
        let (selections, class_place) = (&mut self.selections, self.pods[pod].class);
        state.topology.record(
            &placed,
            |group| selections.selects(group.selection, class_place, class),
            &mut self.sets,
            &mut self.taints,
        );
    }

    fn fill(
        &mut self,
        state: &mut State,
        claim: usize,
        pod: usize,
        accepted: &Accepted,
    ) -> (SetId, Value, super::taints::TaintsId, Undefined) {
        let claim = Arc::make_mut(&mut state.claims[claim]);
        state.reservations.hold(&claim.reservations, &accepted.reservations);
        let template = &self.templates[claim.template];
        claim.add(pod, &self.pods[pod], accepted, template);
        if self.shares_ports() {
            state.shared_ports[claim.template].extend(used_ports(&self.pods[pod]));
        }
        (claim.set, claim.host, template.taints, Undefined::WellKnown)
    }

    fn shares_ports(&self) -> bool {
        self.settings.version.since(5, 0) && !self.settings.version.since(13, 0)
    }

    /// Takes the largest of a new claim's types off its pool's limits.
    fn take_from_limits(&self, state: &mut State, template: usize, claim: usize) {
        let Some(limits) = &mut state.remaining[template] else { return };
        let table = &self.tables[self.templates[template].table];
        let mut largest = Amounts::default();
        for index in state.claims[claim].options.iter() {
            largest.raise_to(&table.types[index].capacity);
        }
        limits.subtract(&largest);
    }

    fn placeholder(&mut self, number: usize) -> Value {
        while self.placeholders.len() <= number {
            let text = format!("hostname-placeholder-{:04}", self.placeholders.len() + 1);
            let value = self.sets.vocabulary.value(&text);
            self.placeholders.push(value);
        }
        self.placeholders[number]
    }

    /// Every way in which an attempt with one state of a pod's preferences may end.
    fn endings(
        &mut self,
        state: &mut State,
        pod: usize,
        variant: &Arc<Variant>,
        level: usize,
    ) -> Vec<Ending> {
        let traces = self.batch.tracing.wants(&self.pods[pod].key);
        let mut candidates = Vec::new();
        let endings = self.tried(state, pod, variant, traces, &mut candidates);
        if traces {
            let from = state.levels[pod];
            let variants = &self.classes[self.pods[pod].class].variants;
            let given_up = variants[..=level].iter().filter_map(|variant| variant.given_up.clone());
            let attempt = Attempt {
                round: state.rounds[pod],
                relaxed: given_up.collect::<Vec<Relaxation>>(),
                candidates,
            };
            debug_assert!(from <= level, "relaxations only grow within an attempt");
            state.trace.entry(pod).or_default().push(attempt);
        }
        endings
    }

    fn tried(
        &mut self,
        state: &mut State,
        pod: usize,
        variant: &Arc<Variant>,
        traces: bool,
        candidates: &mut Vec<(Candidate, CandidateVerdict)>,
    ) -> Vec<Ending> {
        let batch_pod = &self.pods[pod];
        if let Some(error) = &batch_pod.device_refusal {
            state.errors.insert(pod, Arc::new(error.clone()));
            return vec![Ending::Fails { is_final: true }];
        }
        if let Err(error) = &batch_pod.attachments {
            state.errors.insert(pod, Arc::new(PodError::Volumes(error.clone())));
            return vec![Ending::Fails { is_final: false }];
        }
        let constraints = self.constraints(state, pod, variant);
        let mut endings = Vec::new();
        let mut rules = Rules {
            settings: self.settings,
            sets: &mut self.sets,
            taints: &mut self.taints,
            order: &self.order,
            explains: traces,
            only_known_hosts: !self.settings.version.since(5, 0),
        };
        let batch_pod = &self.pods[pod];
        let question = Question { pod: batch_pod, variant, constraints: &constraints };
        // Where nobody asks why, nodes that never had room need not be asked.
        let roomy = (!traces).then(|| self.roomy.of(&batch_pod.amounts));
        let count = roomy.as_ref().map_or(state.nodes.len(), |roomy| roomy.len());
        let before = self.steps;
        for number in 0..count {
            let place = roomy.as_ref().map_or(number, |roomy| roomy[number]);
            if batch_pod.avoids_young && self.young.get(place) == Some(&true) {
                continue;
            }
            let node = &state.nodes[place];
            self.steps = before + place + 1;
            let tried = node.can_add(batch_pod, variant, &constraints, &mut rules);
            if traces {
                candidates.push((node_candidate(node), verdict(&tried, &question, rules.sets)));
            }
            let goes_on = tried.is_refused;
            endings.extend(tried.accepted.into_iter().map(|way| Ending::Node(place, way)));
            if !goes_on {
                return endings;
            }
        }
        self.steps = before + state.nodes.len();
        sort_claims(state);
        for claim_place in &state.claim_order {
            let claim = &state.claims[*claim_place];
            self.steps += 1;
            let template = &self.templates[claim.template];
            let mut context = ClaimContext {
                template,
                table: &mut self.tables[template.table],
                reservations: &state.reservations,
                shared_ports: &state.shared_ports[claim.template],
                is_new: false,
            };
            let tried = claim.can_add(batch_pod, variant, &constraints, &mut context, &mut rules);
            if traces {
                let verdict = verdict(&tried, &question, rules.sets);
                candidates.push((in_flight(*claim_place), verdict));
            }
            let goes_on = tried.is_refused;
            let ways = tried.accepted.into_iter();
            endings.extend(ways.map(|way| Ending::InFlight(*claim_place, way)));
            if !goes_on {
                return endings;
            }
        }
        self.new_claims(state, pod, variant, &constraints, traces, candidates, &mut endings);
        endings
    }

    /// A new claim of the first template that takes the pod. As `Scheduler.addToNewNodeClaim`.
    #[expect(clippy::too_many_arguments, reason = "the last part of one attempt")]
    fn new_claims(
        &mut self,
        state: &mut State,
        pod: usize,
        variant: &Arc<Variant>,
        constraints: &[Constraint],
        traces: bool,
        candidates: &mut Vec<(Candidate, CandidateVerdict)>,
        endings: &mut Vec<Ending>,
    ) {
        if self.templates.is_empty() && !self.settings.version.since(9, 0) {
            // Upstream took the absence of any error for success.
            endings.push(Ending::Vanishes);
            return;
        }
        if self.templates.is_empty() {
            state.errors.insert(pod, Arc::new(PodError::NoInstanceTypes));
            endings.push(Ending::Fails { is_final: false });
            return;
        }
        let mut refusals = Vec::new();
        let mut is_final = false;
        for place in 0..self.templates.len() {
            let (mut tried, options) =
                self.new_claim(state, pod, variant, constraints, place, false);
            if tried.is_refused {
                // Only what fails is asked again for its reason.
                let again = self.new_claim(state, pod, variant, constraints, place, true).0;
                tried.refusal = again.refusal;
            }
            let name = self.templates[place].pool.name();
            if traces {
                let question = Question { pod: &self.pods[pod], variant, constraints };
                let verdict = verdict(&tried, &question, &self.sets);
                candidates.push((Candidate::New(name.clone()), verdict));
            }
            refusals.extend(tried.refusal.take().map(|refusal| (name, *refusal)));
            let ways = tried.accepted.into_iter();
            endings.extend(ways.map(|way| Ending::New(place, way, options.clone())));
            if !tried.is_refused {
                return;
            }
            if tried.is_reserved {
                is_final = true;
                break;
            }
        }
        state.errors.insert(pod, Arc::new(PodError::NewNodeClaims(refusals)));
        endings.push(Ending::Fails { is_final });
    }

    fn new_claim(
        &mut self,
        state: &State,
        pod: usize,
        variant: &Variant,
        constraints: &[Constraint],
        place: usize,
        explains: bool,
    ) -> (Tried, Bits) {
        let host = self.placeholder(state.claims.len());
        let template = &self.templates[place];
        let table = &mut self.tables[template.table];
        let mut options = template.options.clone();
        if let Some(limits) = &state.remaining[place] {
            let exhausted = self.settings.version.since(11, 0) && limits.nodes_left == Some(0);
            if exhausted {
                let refusal = || Refusal::NodeLimit(template.pool.name());
                return (Tried::because(explains, refusal), options);
            }
            let over =
                self.settings.version.since(5, 0) && limits.nodes_left.is_some_and(|left| left < 0);
            let mut admitted = Bits::none(table.len());
            if !over {
                let within = options.iter().filter(|i| limits.admits(&table.types[*i].capacity));
                within.for_each(|index| admitted.insert(index));
            }
            options = admitted;
            if options.is_empty() {
                let refusal = || Refusal::TypeLimits {
                    node_pool: template.pool.name(),
                    remaining: super::trace::remaining(limits, &self.order),
                };
                return (Tried::because(explains, refusal), options);
            }
        }
        let fresh = InFlightNodeClaim::new(place, template, options.clone(), host);
        let mut rules = Rules {
            settings: self.settings,
            sets: &mut self.sets,
            taints: &mut self.taints,
            order: &self.order,
            explains,
            // A new claim's name is registered before it is asked.
            only_known_hosts: false,
        };
        let mut context = ClaimContext {
            template,
            table,
            reservations: &state.reservations,
            shared_ports: &state.shared_ports[place],
            is_new: true,
        };
        let tried = fresh.can_add(&self.pods[pod], variant, constraints, &mut context, &mut rules);
        (tried, options)
    }

    /// The rules that constrain a pod: its own, and others' anti-affinity that selects it.
    fn constraints(&mut self, state: &State, pod: usize, variant: &Variant) -> Vec<Constraint> {
        let class_place = self.pods[pod].class;
        let class = &self.classes[class_place];
        let mut constraints = Vec::new();
        let mut seen = Vec::new();
        for (rule, _) in &variant.rules {
            let Some(place) = state.topology.direct_place(*rule) else { continue };
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            let group = Arc::clone(&state.topology.direct[place]);
            let is_selected = self.selections.selects(group.selection, class_place, class);
            constraints.push(Constraint { group, is_selected });
        }
        for group in &state.topology.inverse {
            if self.selections.selects(group.selection, class_place, class) {
                constraints.push(Constraint { group: Arc::clone(group), is_selected: true });
            }
        }
        constraints
    }

    /// Makes the groups that a pod's rules need and that are not there yet. As `Topology.Update`.
    pub(super) fn register(&mut self, state: &mut State, class: usize, variant: &Variant) {
        for place in 0..self.classes[class].inverse.len() {
            let (rule, made) = self.classes[class].inverse[place].clone();
            if state.topology.inverse_place(rule).is_none() {
                let selection = self.selections.id(&made);
                let group = new_inverse(&made, selection, &self.universe, &mut self.taints);
                state.topology.add_inverse(rule, Arc::new(group));
            }
        }
        for (rule, made) in &variant.rules {
            if state.topology.direct_place(*rule).is_none() {
                let selection = self.selections.id(made);
                let mut source = CountSource {
                    universe: &self.universe,
                    cluster: &self.cluster,
                    active: &self.active,
                    sets: &mut self.sets,
                    taints: &mut self.taints,
                    registers_nodes: self.settings.version.since(5, 0),
                };
                let group = self.initial.direct(made, selection, &mut source);
                state.topology.add_direct(*rule, group);
            }
        }
    }

    /// A class with so many demands given up; `None` when it has nothing more to give up.
    pub(super) fn variant(&mut self, class: usize, level: usize) -> Option<Arc<Variant>> {
        while self.classes[class].variants.len() <= level {
            let mut demands = self.classes[class].variants.last()?.demands.clone();
            let given_up = demands.relax(self.tolerates_soft)?;
            let made = self.make_variant(class, demands, Some(given_up));
            self.classes[class].variants.push(Arc::new(made));
        }
        Some(Arc::clone(&self.classes[class].variants[level]))
    }

    pub(super) fn make_variant(
        &mut self,
        class: usize,
        demands: super::demands::Demands,
        given_up: Option<Relaxation>,
    ) -> Variant {
        let respects = self.settings.preference_policy == PreferencePolicy::Respect;
        let full = demands.requirements(respects, &mut self.sets.vocabulary);
        let strict = demands.requirements(false, &mut self.sets.vocabulary);
        let (namespace, labels) =
            (self.classes[class].namespace.clone(), self.classes[class].labels.clone());
        let mut maker = RuleMaker {
            state: self.cluster_state,
            settings: self.settings,
            sets: &mut self.sets,
            taints: &mut self.taints,
        };
        let rules = maker.direct(&namespace, &labels, &demands);
        let rules = rules
            .into_iter()
            .map(|(identity, rule)| (self.rules.number(identity), Arc::new(rule)))
            .collect();
        Variant {
            full: self.sets.demand(full),
            strict: self.sets.demand(strict),
            tolerations: self.taints.tolerations_id(&demands.tolerations),
            rules,
            given_up,
            demands,
        }
    }
}

/// Sorts the claims as upstream does before each attempt: those with few pods first.
fn sort_claims(state: &mut State) {
    if state.is_sorted {
        return;
    }
    let claims = &state.claims;
    let mut order: Vec<(usize, usize)> =
        state.claim_order.iter().map(|place| (claims[*place].pods.len(), *place)).collect();
    sort_unstable_as_go(&mut order, |a, b| a.0 < b.0);
    state.claim_order.clear();
    state.claim_order.extend(order.into_iter().map(|(_, place)| place));
    state.is_sorted = true;
}

/// Where copies of a state wait to be followed.
struct Branches<'a> {
    pending: &'a mut Vec<Pending>,
    room: usize,
    /// How much copies may cost.
    steps: usize,
    capped: &'a mut bool,
}

impl Branches<'_> {
    /// A copy of a state; `None` when there are too many.
    fn copy(&mut self, state: &State) -> Option<State> {
        let cost = (state.claims.len() + state.nodes.len() + state.rounds.len()) / 4;
        if self.room == 0 || self.steps < cost {
            *self.capped = true;
            return None;
        }
        self.room -= 1;
        self.steps -= cost;
        Some(state.clone())
    }
}
