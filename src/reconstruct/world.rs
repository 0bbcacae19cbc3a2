//! `World`: a snapshot with all that was worked out from it, once for all questions.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::chronicle::Chronicle;
use super::passes::{Batching, Pass, passes};
use super::replays::{self, PassReplay};
use crate::karpenter::{self, CloudProvider};
use crate::kube_scheduler;
use crate::model::snapshot::Snapshot;

/// How the two components were set up, and what the provider can launch.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// What the provider adds to Karpenter.
    pub provider: &'a dyn CloudProvider,
    /// Karpenter's settings.
    pub karpenter: &'a karpenter::Settings,
    /// When Karpenter closes a batch.
    pub batching: Batching,
    /// kube-scheduler's configuration.
    pub scheduler: &'a kube_scheduler::Configuration,
    /// kube-scheduler's release.
    pub scheduler_version: &'a kube_scheduler::Version,
}

/// A snapshot with all that was worked out from it. Replays are made when they are first asked for, and kept.
pub struct World<'a> {
    /// What was read.
    pub snapshot: &'a Snapshot,
    /// How the components were set up.
    pub setup: Setup<'a>,
    /// The lives of the objects.
    pub chronicle: Chronicle,
    /// Karpenter's passes, in order of time.
    pub passes: Vec<Pass>,
    replays: Vec<OnceCell<Option<PassReplay>>>,
}

impl<'a> World<'a> {
    /// Works out what does not depend on the question.
    pub fn new(snapshot: &'a Snapshot, setup: Setup<'a>) -> Self {
        let chronicle = Chronicle::of(snapshot);
        let passes = passes(snapshot, &chronicle, setup.batching);
        let replays = passes.iter().map(|_| OnceCell::new()).collect();
        Self { snapshot, setup, chronicle, passes, replays }
    }

    /// A pass, replayed; `None` when the replay does not model it.
    pub fn replay(&self, pass: usize) -> Option<&PassReplay> {
        self.replays.get(pass)?.get_or_init(|| replays::replay(self, &self.passes[pass])).as_ref()
    }

    /// Karpenter's environment, as far as the input shows it.
    pub fn environment(&self) -> Option<&BTreeMap<String, String>> {
        self.snapshot.settings.karpenter_environment.as_ref()
    }
}
