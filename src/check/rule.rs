//! `Rule`: what is looked for, why it matters, and an example of each side.

use super::context::Context;
use super::finding::{Problem, Severity};
use super::manifest::Manifest;
use super::template::Template;

/// One rule. `docs/checks.md` is made of these.
#[derive(Debug)]
pub struct Rule {
    /// Its code. It never changes, nor comes back with another meaning.
    pub code: &'static str,
    /// How bad a finding is unless `landed.yaml` says otherwise.
    pub severity: Severity,
    /// What it finds, in one sentence.
    pub finds: &'static str,
    /// Why that matters: what each component will make of it.
    pub why: &'static str,
    /// Manifests in which the rule finds something.
    pub bad: &'static str,
    /// The same manifests, mended.
    pub good: &'static str,
    /// What it looks at.
    pub look: Look,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub enum Look {
    /// Each template of pods: a Pod itself, or what a workload makes its pods from.
    Template(fn(&Context, &Template) -> Vec<Problem>),
    /// Each object.
    Manifest(fn(&Context, &Manifest) -> Vec<Problem>),
    /// The ignores themselves, once all findings are known.
    Ignores,
}
