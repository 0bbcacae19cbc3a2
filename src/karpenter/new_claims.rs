//! A pod's last resort: a claim that is not there yet, of the first template that takes it.

use std::sync::Arc;

use super::batch_pod::Variant;
use super::bits::Bits;
use super::candidates::{Rules, Tried};
use super::in_flight_node_claim::{ClaimContext, InFlightNodeClaim};
use super::plan::{Candidate, CandidateVerdict};
use super::pod_error::PodError;
use super::refusal::Refusal;
use super::scheduler::{Ending, Scheduler};
use super::state::State;
use super::topology::Constraint;
use super::trace::{Question, verdict};

/// One attempt: a pod with some of its demands given up.
pub(super) struct Trial<'a> {
    pub(super) pod: usize,
    /// How much was given up.
    pub(super) level: usize,
    pub(super) variant: &'a Arc<Variant>,
    /// The rules over other pods that hold for it.
    pub(super) constraints: &'a [Constraint],
    /// Whether its attempts are kept.
    pub(super) traces: bool,
}

impl Scheduler<'_> {
    /// A new claim of the first template that takes the pod. As `Scheduler.addToNewNodeClaim`.
    pub(super) fn new_claims(
        &mut self,
        state: &mut State,
        trial: &Trial<'_>,
        candidates: &mut Vec<(Candidate, CandidateVerdict)>,
        endings: &mut Vec<Ending>,
    ) {
        let pod = trial.pod;
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
        let mut is_final = false;
        let mut asked = 0;
        for place in 0..self.templates.len() {
            let (mut tried, options) = self.new_claim(state, trial, place, false);
            asked = place + 1;
            if trial.traces {
                if tried.is_refused {
                    tried.refusal = self.new_claim(state, trial, place, true).0.refusal;
                }
                let pod = &self.pods[pod];
                let (variant, constraints) = (&**trial.variant, trial.constraints);
                let question = Question { pod, variant, constraints };
                let verdict = verdict(&tried, &question, &self.sets);
                candidates.push((Candidate::New(self.templates[place].pool.name()), verdict));
            }
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
        if is_final || !self.goes_on(trial) {
            // Only what fails for good is asked again for its reasons: words take longer than the answer.
            let refusals = (0..asked).filter_map(|place| {
                let refusal = self.new_claim(state, trial, place, true).0.refusal?;
                Some((self.templates[place].pool.name(), *refusal))
            });
            let error = PodError::NewNodeClaims(refusals.collect());
            state.errors.insert(pod, Arc::new(error));
        }
        endings.push(Ending::Fails { is_final });
    }

    /// Whether a failure is followed at once by an attempt with more given up, which leaves a reason of its own.
    fn goes_on(&mut self, trial: &Trial<'_>) -> bool {
        let class = self.pods[trial.pod].class;
        self.settings.version.since(5, 0) && self.variant(class, trial.level + 1).is_some()
    }

    fn new_claim(
        &mut self,
        state: &State,
        trial: &Trial<'_>,
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
        let tried = fresh.can_add(
            &self.pods[trial.pod],
            trial.variant,
            trial.constraints,
            &mut context,
            &mut rules,
        );
        (tried, options)
    }
}
