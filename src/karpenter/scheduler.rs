//! `Scheduler`: existing node, then in-flight claim, then new claim; pod by pod, until nothing more can be placed.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::amounts::{Amounts, ResourceOrder};
use super::batch::{Batch, Limits};
use super::batch_pod::{BatchPod, PodClass, RuleId, Variant};
use super::bits::Bits;
use super::candidates::{Accepted, Rules};
use super::cluster_pods::ClusterPods;
use super::finalize::{ClaimShape, ShapeKey};
use super::finished::FinishedClaims;
use super::go_sort::sort_unstable_as_go;
use super::in_flight_node_claim::{ClaimContext, InFlightNodeClaim, used_ports};
use super::instance_types::TypeTable;
use super::new_claims::Trial;
use super::nodeclaim_template::NodeClaimTemplate;
use super::plan::{Attempt, Candidate, CandidateVerdict};
use super::pod_error::PodError;
use super::preferences::Relaxation;
use super::requirements::{RequirementSets, SetId, Undefined};
use super::roomy::RoomyNodes;
use super::settings::Settings;
use super::state::State;
use super::state_node::StateNode;
use super::taints::TaintTable;
use super::topology::{InitialGroups, Placed, Selections};
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
    /// What claims came to.
    pub(super) finished: FinishedClaims,
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
pub(super) enum Ending {
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

    pub(super) fn placeholder(&mut self, number: usize) -> Value {
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
        let endings = self.tried(state, pod, (variant, level), traces, &mut candidates);
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
        (variant, level): (&Arc<Variant>, usize),
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
        let trial = Trial { pod, level, variant, constraints: &constraints, traces };
        self.new_claims(state, &trial, candidates, &mut endings);
        endings
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
