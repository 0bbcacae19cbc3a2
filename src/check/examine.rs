//! `examine`: from files to findings: everything that `check` does but reading and printing.

use super::baseline::Baseline;
use super::configuration::Configuration;
use super::context::{Context, Surroundings};
use super::finding::{Finding, Severity};
use super::ignore;
use super::manifest::Manifest;
use super::position::Position;
use super::run::check;
use super::yaml::{self, Damage};
use crate::model::gap::{Gap, GapKind};

/// A file of manifests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, as it shall be shown.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What is to be examined, and how.
#[derive(Clone, Default)]
pub struct Examination {
    /// The files.
    pub files: Vec<File>,
    /// The namespace of objects that name none.
    pub namespace: String,
    /// What is known beside the files.
    pub surroundings: Surroundings,
    /// What the team has decided.
    pub configuration: Configuration,
    /// What was there already.
    pub baseline: Option<Baseline>,
}

/// What came of it.
pub struct Examined {
    /// Findings by file and place.
    pub findings: Vec<Finding>,
    /// Findings that are ignored, each with the reason.
    pub ignored: Vec<(Finding, String)>,
    /// Findings that the baseline knows.
    pub known: Vec<Finding>,
    /// Entries of the baseline that match nothing any more.
    pub gone: usize,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// What the rules saw.
    pub context: Context,
}

/// A part of a file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The file.
    pub file: String,
    /// The place.
    pub position: Position,
    /// Why.
    pub message: String,
    /// The line with a caret under the place.
    pub snippet: String,
}

impl Examined {
    /// The worst severity among the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// Examines files.
pub fn examine(examination: Examination) -> Examined {
    let Examination { files, namespace, surroundings, configuration, baseline } = examination;
    let mut manifests = Vec::new();
    let mut comments = Vec::new();
    let mut unreadable = Vec::new();
    for file in files {
        let reading = yaml::read(&file.text);
        let mut refuse = |damage: &Damage| {
            unreadable.push(Unreadable {
                file: file.name.clone(),
                position: damage.position,
                message: damage.message.clone(),
                snippet: damage.snippet(&file.text),
            });
        };
        reading.damages.iter().for_each(&mut refuse);
        for document in reading.documents {
            match Manifest::all_of(&file.name, document, &namespace) {
                Ok(all) => manifests.extend(all),
                Err(position) => {
                    let message = "no kind: this is not a Kubernetes object".to_owned();
                    refuse(&Damage { position, message });
                }
            }
        }
        comments.push((file.name, file.text, reading.comments));
    }
    let context = Context::new(manifests, surroundings);
    unreadable.extend(context.gaps.iter().filter_map(|(index, gap)| of_gap(*index, gap, &context)));
    let findings = check(&context, &configuration);
    let mut sifted = ignore::sift(findings, &context, &configuration, &comments);
    let (known, gone) =
        baseline.map(|baseline| baseline.take(&mut sifted.findings)).unwrap_or_default();
    sifted.findings.sort_by(|a, b| {
        (&a.file, a.position, a.code, &a.fingerprint).cmp(&(
            &b.file,
            b.position,
            b.code,
            &b.fingerprint,
        ))
    });
    Examined {
        findings: sifted.findings,
        ignored: sifted.ignored,
        known,
        gone,
        unreadable,
        context,
    }
}

/// An object that could not be read, at its place.
fn of_gap(index: usize, gap: &Gap, context: &Context) -> Option<Unreadable> {
    if !matches!(gap.kind, GapKind::Unreadable | GapKind::Damaged) {
        return None;
    }
    let manifest = context.manifests.get(index)?;
    Some(Unreadable {
        file: manifest.file.clone(),
        position: manifest.tree.position,
        message: format!("{}: {}", manifest.title(), gap.detail),
        snippet: String::new(),
    })
}
