//! `Cause`: a reason, what shows it, what would have been without it, and what to do about it.

use super::evidence::{Confidence, Evidence};

/// The answer in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// On the node that Karpenter intended.
    AsIntended,
    /// Elsewhere, yet every node got as many pods of this owner as planned.
    Swap,
    /// Elsewhere, and a node meant for pods of this owner got none: Karpenter took a soft rule as hard.
    Preference,
    /// On a node that was not launched for this batch.
    Race,
    /// On another node of the same batch: pods are scored one at a time but were packed together.
    Packing,
    /// Preempted by another pod.
    Preempted,
    /// Pending: something forbids every place.
    Constraint,
    /// Karpenter's launch failed.
    LaunchFailed,
    /// Karpenter never planned for it.
    NotKarpenter,
    /// The input does not tell.
    Unknown,
}

/// A reason why a pod is where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The code; it never changes its meaning.
    pub code: &'static str,
    /// The verdict that it speaks for.
    pub class: Class,
    /// How sure it is.
    pub confidence: Confidence,
    /// The reason in one or two sentences.
    pub summary: String,
    /// What shows it; never empty.
    pub evidence: Vec<Evidence>,
    /// What would have happened without it.
    pub counterfactuals: Vec<Counterfactual>,
    /// In how many of the states that the input allows it holds, of how many.
    pub variants: Option<(u32, u32)>,
    /// What to do, best first.
    pub advice: Vec<Advice>,
}

impl Cause {
    /// A cause without evidence yet.
    pub fn new(code: &'static str, class: Class, summary: impl Into<String>) -> Self {
        Self {
            code,
            class,
            confidence: Confidence::Consistent,
            summary: summary.into(),
            evidence: Vec::new(),
            counterfactuals: Vec::new(),
            variants: None,
            advice: Vec::new(),
        }
    }

    /// The same with a confidence.
    #[must_use]
    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    /// The same with one more fact.
    #[must_use]
    pub fn because(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// The same with more facts.
    #[must_use]
    pub fn because_of(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        self.evidence.extend(evidence);
        self
    }

    /// The same with what a replay gives when something is changed. One that flips the answer proves the cause.
    #[must_use]
    pub fn unless(mut self, counterfactual: Counterfactual) -> Self {
        if counterfactual.flips {
            self.confidence = Confidence::Proven;
        }
        self.counterfactuals.push(counterfactual);
        self
    }

    /// The same with one more thing to do.
    #[must_use]
    pub fn advise(mut self, advice: Advice) -> Self {
        self.advice.push(advice);
        self
    }

    /// The same with several more things to do.
    #[must_use]
    pub fn advise_all(mut self, advice: impl IntoIterator<Item = Advice>) -> Self {
        self.advice.extend(advice);
        self
    }
}

/// What a replay gives when something is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterfactual {
    /// What was changed: `with preferences ignored`.
    pub change: String,
    /// What came of it: `Karpenter plans 1 node instead of 4`.
    pub outcome: String,
    /// Whether the answer comes out otherwise then.
    pub flips: bool,
}

impl Counterfactual {
    /// A change and what came of it.
    pub fn new(change: impl Into<String>, outcome: impl Into<String>, flips: bool) -> Self {
        Self { change: change.into(), outcome: outcome.into(), flips }
    }
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What to do, and what it costs.
    pub summary: String,
    /// A command that does it or shows more.
    pub command: Option<String>,
    /// A piece of YAML that does it.
    pub manifest: Option<String>,
}

impl Advice {
    /// Something to do.
    pub fn new(summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), command: None, manifest: None }
    }

    /// The same with a command.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }

    /// The same with a piece of YAML.
    #[must_use]
    pub fn manifest(mut self, manifest: impl Into<String>) -> Self {
        self.manifest = Some(manifest.into());
        self
    }
}
