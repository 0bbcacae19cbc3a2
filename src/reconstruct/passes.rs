//! Karpenter's provisioning passes: as its log tells them, or worked out from when its batcher must have run.
//!
//! A pod that waits wakes the provisioner when it is found unschedulable and every ten seconds after. The batch closes
//! when for a second no new pod woke it, or after ten. What woke it during a pass starts the next one at once. Passes
//! that launch nothing leave no trace but the log, yet they decide which node a pod was last meant for.

use std::collections::{BTreeMap, BTreeSet};

use super::chronicle::Chronicle;
use super::moment::Moment;
use super::stories::PodStory;
use crate::model::event::LogRecord;
use crate::model::names::{NodeClaimName, Str};
use crate::model::snapshot::Snapshot;
use crate::model::time::{Span, Timestamp};

/// How the time of a pass is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Karpenter's log has it.
    Logged,
    /// NodeClaims were created: a pass came just before.
    Created,
    /// It follows from when pods woke the provisioner.
    Inferred,
}

/// One provisioning pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// When it began to look at the cluster; the likeliest moment where that is not known.
    pub time: Timestamp,
    /// Not earlier.
    pub earliest: Timestamp,
    /// Not later.
    pub latest: Timestamp,
    /// How it is known.
    pub known: Known,
    /// Whether there must have been such a pass; otherwise only what woke the provisioner makes it likely.
    pub certain: bool,
    /// `reconcileID` of Karpenter's log.
    pub reconcile_id: Option<Str>,
    /// How many pods were pending, as the log says.
    pub pending: Option<i64>,
    /// NodeClaims that it created, as far as is known.
    pub created: Vec<NodeClaimName>,
}

/// `BATCH_IDLE_DURATION` and `BATCH_MAX_DURATION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batching {
    /// How long nothing new must wake the provisioner.
    pub idle: Span,
    /// How long a batch stays open at most.
    pub longest: Span,
}

impl Default for Batching {
    fn default() -> Self {
        Self { idle: Span::seconds(1), longest: Span::seconds(10) }
    }
}

impl Batching {
    /// What Karpenter's environment says.
    pub fn from_environment(environment: &BTreeMap<String, String>) -> Self {
        let read = |name: &str| environment.get(name).and_then(|text| duration(text));
        let default = Self::default();
        Self {
            idle: read("BATCH_IDLE_DURATION").unwrap_or(default.idle),
            longest: read("BATCH_MAX_DURATION").unwrap_or(default.longest),
        }
    }
}

/// A Go duration of one unit: `10s`, `500ms`, `1m`.
fn duration(text: &str) -> Option<Span> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let amount: f64 = text[..end].parse().ok()?;
    let nanos = match &text[end..] {
        "ms" => 1e6,
        "s" => 1e9,
        "m" => 60e9,
        _ => return None,
    };
    #[expect(clippy::cast_possible_truncation, reason = "a duration that a person wrote")]
    Some(Span((amount * nanos) as i128))
}

/// All passes that are known, in order of time.
pub fn passes(snapshot: &Snapshot, chronicle: &Chronicle, batching: Batching) -> Vec<Pass> {
    let logged = logged(&snapshot.karpenter_log);
    // Without its debug lines the log is silent about passes that launch nothing.
    let complete =
        snapshot.karpenter_log.iter().any(|record| record.message.starts_with(COMPUTING));
    let covered = complete.then(|| covered(&snapshot.karpenter_log)).flatten();
    let mut passes = logged;
    let inferred = Inference::new(chronicle, batching).passes();
    for pass in inferred {
        let by_log = covered.is_some_and(|(from, to)| pass.time >= from && pass.time <= to);
        let near =
            passes.iter().any(|known| known.time.since(pass.time).0.abs() < Span::seconds(1).0);
        if !by_log && !near {
            passes.push(pass);
        }
    }
    passes.sort_by_key(|pass| pass.time);
    passes
}

const COMPUTING: &str = "computing scheduling decision";

fn covered(log: &[LogRecord]) -> Option<(Timestamp, Timestamp)> {
    let times = || log.iter().filter_map(|record| record.time);
    Some((times().min()?, times().max()?))
}

/// The passes of Karpenter's log, by `reconcileID`.
fn logged(log: &[LogRecord]) -> Vec<Pass> {
    let mut passes: Vec<Pass> = Vec::new();
    let mut by_id: BTreeMap<Str, usize> = BTreeMap::new();
    for record in log {
        let text = |field: &str| record.fields.get(field).and_then(|value| value.as_str());
        let (Some(time), Some(id)) = (record.time, text("reconcileID")) else { continue };
        if text("controller") != Some("provisioner") {
            continue;
        }
        let starts = record.message.starts_with(COMPUTING);
        let counts = starts
            || record.message.starts_with("found provisionable pod")
            || record.message.starts_with("computed ")
            || &*record.message == "created nodeclaim";
        if !counts {
            continue;
        }
        let took = text("duration").and_then(duration).unwrap_or(Span(0));
        let began = time.plus(Span(-took.0));
        let index = *by_id.entry(id.into()).or_insert_with(|| {
            passes.push(Pass {
                time: began,
                earliest: began,
                latest: began,
                known: Known::Logged,
                certain: true,
                reconcile_id: Some(id.into()),
                pending: None,
                created: Vec::new(),
            });
            passes.len() - 1
        });
        let pass = &mut passes[index];
        if starts {
            pass.time = time;
            pass.pending = record.fields.get("pending-pods").and_then(serde_json::Value::as_i64);
        } else {
            pass.time = pass.time.min(began);
        }
        (pass.earliest, pass.latest) = (pass.time, pass.time);
        if &*record.message == "created nodeclaim" {
            let name = record.fields.get("NodeClaim").and_then(|claim| claim.get("name")?.as_str());
            pass.created.extend(name.map(NodeClaimName::from));
        }
    }
    passes
}

/// Works out when the batcher must have run.
struct Inference<'a> {
    chronicle: &'a Chronicle,
    batching: Batching,
    /// When a pod woke the provisioner, how exactly that is known, and which pod.
    triggers: Vec<(Timestamp, Span, usize)>,
    /// Times at which NodeClaims were created, with their names.
    creations: Vec<(Moment, NodeClaimName)>,
}

/// How often a waiting pod wakes the provisioner.
const REQUEUE: Span = Span::seconds(10);
/// How many times one pod's waking is followed: a pod that waits for hours adds nothing new.
const FOLLOWED: i128 = 12;

impl<'a> Inference<'a> {
    fn new(chronicle: &'a Chronicle, batching: Batching) -> Self {
        let mut triggers = Vec::new();
        for (index, pod) in chronicle.pods.iter().enumerate().filter(|(_, pod)| !pod.is_daemon()) {
            let Some(first) = pod.unschedulable else { continue };
            let until = end_of_waiting(pod);
            for round in 0..FOLLOWED {
                let time = first.at.plus(Span(REQUEUE.0 * round));
                if until.is_some_and(|until| time > until) {
                    break;
                }
                triggers.push((time, first.resolution(), index));
            }
            // A new message in the pod's status wakes the provisioner too.
            if let Some(last) = pod.patched.filter(|last| last.at > first.at) {
                triggers.push((last.at, last.resolution(), index));
            }
        }
        triggers.sort_unstable();
        let mut creations: Vec<(Moment, NodeClaimName)> = chronicle
            .claims
            .values()
            .filter_map(|claim| Some((claim.created?, claim.name.clone())))
            .collect();
        creations.sort_by_key(|(moment, _)| moment.at);
        Self { chronicle, batching, triggers, creations }
    }

    fn passes(&self) -> Vec<Pass> {
        let mut passes: Vec<Pass> = Vec::new();
        let mut next = 0;
        let mut free_at: Option<Timestamp> = None;
        while next < self.triggers.len() {
            let (first, resolution, _) = self.triggers[next];
            let opened = free_at.map_or(first, |free| first.max(free));
            let mut last_new = opened;
            let mut coarse = resolution;
            let mut seen: BTreeSet<usize> = BTreeSet::new();
            while let Some((time, resolution, pod)) = self.triggers.get(next).copied() {
                let open_until =
                    last_new.plus(self.batching.idle).min(opened.plus(self.batching.longest));
                if time > open_until {
                    break;
                }
                if seen.insert(pod) && time >= last_new {
                    last_new = time;
                    coarse = resolution;
                }
                next += 1;
            }
            let fired = last_new.plus(self.batching.idle).min(opened.plus(self.batching.longest));
            let pass = self.pass(fired, coarse);
            let free = self.free_after(&pass, seen.len());
            free_at = Some(free);
            let woken = self.may_be_woken(fired, free, next);
            passes.push(pass);
            if woken {
                // What woke it while it ran opens the next batch at once.
                let again = self.pass(free.plus(self.batching.idle), Span::seconds(1));
                let until = self.free_after(&again, seen.len());
                if self.triggers.get(next).is_none_or(|(time, ..)| *time > until) {
                    free_at = Some(until);
                    passes.push(Pass { certain: false, ..again });
                }
            }
        }
        self.add_unexplained(&mut passes);
        passes
    }

    /// Whether a pod's status may have changed, and so woken the provisioner, while a pass ran: its stamp is coarse.
    fn may_be_woken(&self, fired: Timestamp, free: Timestamp, next: usize) -> bool {
        self.triggers[..next]
            .iter()
            .rev()
            .take_while(|(time, ..)| time.plus(Span::seconds(1)) > fired)
            .any(|(time, resolution, _)| *resolution >= Span::seconds(1) && *time < free)
    }

    /// A pass at a time, with the claims that appeared right after it.
    fn pass(&self, time: Timestamp, resolution: Span) -> Pass {
        let from = self.creations.partition_point(|(moment, _)| moment.latest() <= time);
        let created: Vec<NodeClaimName> = self.creations[from..]
            .iter()
            .take_while(|(moment, _)| moment.at.since(time) <= Span::seconds(2))
            .map(|(_, name)| name.clone())
            .collect();
        let known = if created.is_empty() { Known::Inferred } else { Known::Created };
        Pass {
            time,
            earliest: time,
            latest: time.plus(resolution),
            known,
            certain: true,
            reconcile_id: None,
            pending: None,
            created,
        }
    }

    /// When the provisioner can listen again: a pass takes time, and a claim that is not launched holds it back.
    fn free_after(&self, pass: &Pass, pods: usize) -> Timestamp {
        let worked = Span(1_000_000 + 600_000 * i128::try_from(pods).unwrap_or(0));
        let launched = pass
            .created
            .iter()
            .filter_map(|name| self.chronicle.claims.get(name)?.launched)
            .map(|moment| moment.at)
            .max();
        launched.unwrap_or(pass.time).max(pass.time.plus(worked))
    }

    /// Claims that no worked-out pass accounts for: a pass came just before each group of them.
    fn add_unexplained(&self, passes: &mut Vec<Pass>) {
        let explained: BTreeSet<NodeClaimName> =
            passes.iter().flat_map(|pass| pass.created.iter().cloned()).collect();
        let mut extra: Vec<Pass> = Vec::new();
        for (moment, name) in &self.creations {
            if explained.contains(name) {
                continue;
            }
            match extra.last_mut() {
                Some(pass) if moment.at.since(pass.latest).0 <= Span::seconds(1).0 => {
                    pass.created.push(name.clone());
                }
                _ => extra.push(Pass {
                    time: moment.at,
                    earliest: moment.at.plus(Span(-Span::seconds(1).0)),
                    latest: moment.latest(),
                    known: Known::Created,
                    certain: true,
                    reconcile_id: None,
                    pending: None,
                    created: vec![name.clone()],
                }),
            }
        }
        passes.extend(extra);
        passes.sort_by_key(|pass| pass.time);
    }
}

/// Until when a pod waited; `None` while it still does.
fn end_of_waiting(pod: &PodStory) -> Option<Timestamp> {
    let bound = pod.bound.map(|moment| moment.at);
    let ended = pod.ended.map(|moment| moment.at);
    match (bound, ended) {
        (Some(bound), Some(ended)) => Some(bound.min(ended)),
        (bound, ended) => bound.or(ended),
    }
}
