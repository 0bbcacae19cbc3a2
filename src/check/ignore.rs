//! Findings that someone has decided to live with: by a comment, an annotation or `landed.yaml`, each with a reason.

use std::collections::BTreeMap;

use super::configuration::{Configuration, known};
use super::context::Context;
use super::finding::{Finding, Severity};
use super::position::{FieldPath, Position};
use super::rule::{Look, Rule};
use super::tree::Tree;
use super::yaml::Comment;

/// The rule for ignores that ignore nothing.
pub const UNUSED: Rule = Rule {
    code: "unused-ignore",
    severity: Severity::Warning,
    finds: "an ignore whose rule finds nothing there, or does not exist",
    why: "An ignore that is left over hides the next finding of its rule, and its reason describes what is no longer \
          there.",
    bad: "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  # landed:ignore=hostname-pinned moved off the old host
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
",
    good: "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  # landed:ignore=hostname-pinned its licence is tied to this host
  nodeSelector: {kubernetes.io/hostname: ip-10-0-1-7}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
",
    look: Look::Ignores,
};

/// The rule for ignores that give no reason.
pub const WITHOUT_REASON: Rule = Rule {
    code: "ignore-without-reason",
    severity: Severity::Error,
    finds: "an ignore without a reason",
    why: "Whoever reads the manifest next must know why the finding does not matter. An ignore without a reason \
          ignores nothing.",
    bad: "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  # landed:ignore=hostname-pinned
  nodeSelector: {kubernetes.io/hostname: ip-10-0-1-7}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
",
    good: "\
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {landed.dev/ignore: hostname-pinned its licence is tied to this host}
spec:
  nodeSelector: {kubernetes.io/hostname: ip-10-0-1-7}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
",
    look: Look::Ignores,
};

/// What a comment begins with.
const COMMENT: &str = "landed:ignore=";
/// The annotation; entries are separated by `;`.
const ANNOTATION: &str = "landed.dev/ignore";

/// A decision to live with findings of one rule.
#[derive(Clone, Debug)]
struct Ignore {
    code: String,
    reason: String,
    target: Target,
    file: String,
    position: Position,
    is_used: bool,
}

/// What an ignore covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// The field that begins on this line, with all that is in it; on an object's first line the whole object.
    Line(u32),
    /// One object: its place among all.
    Object(usize),
}

/// Findings, split by whether someone has decided to live with them.
#[derive(Clone, Debug, Default)]
pub struct Sifted {
    /// Those that stay, with what is wrong with the ignores themselves.
    pub findings: Vec<Finding>,
    /// Those that are ignored, each with the reason.
    pub ignored: Vec<(Finding, String)>,
}

/// Sifts findings by all ignores. `comments` are those of each file, with the file's text.
pub fn sift(
    findings: Vec<Finding>,
    context: &Context,
    configuration: &Configuration,
    comments: &[(String, String, Vec<Comment>)],
) -> Sifted {
    let mut ignores = Vec::new();
    for (file, text, comments) in comments {
        for comment in comments {
            ignores.extend(of_comment(file, text, comment));
        }
    }
    for manifest in &context.manifests {
        let paths = [
            FieldPath::of("metadata.annotations"),
            FieldPath::of("spec.template.metadata.annotations"),
        ];
        for path in paths.map(|path| path.key(ANNOTATION)) {
            let Some(text) = manifest.tree.at(&path).and_then(Tree::text) else { continue };
            let position = manifest.position_of(&path);
            for entry in text.split(';').filter(|entry| !entry.trim().is_empty()) {
                ignores.extend(entries(
                    entry,
                    &manifest.file,
                    position,
                    Target::Object(manifest.index),
                ));
            }
        }
    }
    let mut by_line: BTreeMap<(String, u32), Vec<usize>> = BTreeMap::new();
    let mut by_object: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, ignore) in ignores.iter().enumerate() {
        match ignore.target {
            Target::Line(line) => {
                by_line.entry((ignore.file.clone(), line)).or_default().push(index);
            }
            Target::Object(object) => by_object.entry(object).or_default().push(index),
        }
    }
    let mut sifted = Sifted::default();
    let mut used_settings = vec![false; configuration.ignore.len()];
    for finding in findings {
        let mut covering: Vec<usize> =
            by_object.get(&finding.manifest).cloned().unwrap_or_default();
        for line in lines_of(&finding, context) {
            covering.extend(by_line.get(&(finding.file.clone(), line)).into_iter().flatten());
        }
        let by_manifest = covering.into_iter().find(|index| {
            ignores[*index].code == finding.code && !ignores[*index].reason.is_empty()
        });
        let by_setting = || {
            let mut settings = configuration.ignore.iter();
            settings.position(|ignore| ignore.covers(finding.code, &finding.object))
        };
        if let Some(index) = by_manifest {
            ignores[index].is_used = true;
            let reason = ignores[index].reason.clone();
            sifted.ignored.push((finding, reason));
        } else if let Some(index) = by_setting() {
            used_settings[index] = true;
            sifted.ignored.push((finding, configuration.ignore[index].reason.clone()));
        } else {
            sifted.findings.push(finding);
        }
    }
    for ignore in ignores.iter().filter(|ignore| !ignore.is_used) {
        sifted.findings.extend(wrong(ignore, context, configuration));
    }
    let unused = configuration.ignore.iter().zip(used_settings).filter(|(_, is_used)| !is_used);
    for (ignore, _) in unused {
        let unused = Ignore {
            code: ignore.code.clone(),
            reason: ignore.reason.clone(),
            target: Target::Line(ignore.position.line),
            file: configuration.origin.clone(),
            position: ignore.position,
            is_used: false,
        };
        sifted.findings.extend(wrong(&unused, context, configuration));
    }
    sifted
}

/// The lines on which a finding's field and all that it is in begin.
fn lines_of(finding: &Finding, context: &Context) -> Vec<u32> {
    let Some(manifest) = context.manifests.get(finding.manifest) else { return Vec::new() };
    let steps = finding.path.steps().len();
    let mut lines: Vec<u32> =
        (0..=steps).map(|length| manifest.position_of(&finding.path.first(length)).line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn of_comment(file: &str, text: &str, comment: &Comment) -> Vec<Ignore> {
    let Some(entry) = comment.text.strip_prefix(COMMENT) else { return Vec::new() };
    let line = if comment.is_trailing {
        comment.position.line
    } else {
        next_line(text, comment.position.line)
    };
    entries(entry, file, comment.position, Target::Line(line))
}

/// The next line after this one that holds more than a comment or the mark between documents.
fn next_line(text: &str, line: u32) -> u32 {
    let mut after = text.lines().zip(1_u32..).skip(line as usize);
    let found = after.find(|(content, _)| {
        let content = content.trim();
        !content.is_empty() && !content.starts_with('#') && !content.starts_with("---")
    });
    found.map_or(line, |(_, number)| number)
}

/// The ignores of a text: codes, separated by commas, then the reason.
fn entries(text: &str, file: &str, position: Position, target: Target) -> Vec<Ignore> {
    let text = text.trim();
    let (codes, reason) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    codes
        .split(',')
        .filter(|code| !code.is_empty())
        .map(|code| Ignore {
            code: code.to_owned(),
            reason: reason.trim().to_owned(),
            target,
            file: file.to_owned(),
            position,
            is_used: false,
        })
        .collect()
}

fn wrong(ignore: &Ignore, context: &Context, configuration: &Configuration) -> Option<Finding> {
    let (rule, message, advice) = if let Err(message) = known(&ignore.code) {
        (&UNUSED, message, "correct the code")
    } else if ignore.reason.is_empty() {
        let message = format!("{} is ignored without a reason, so it is not ignored", ignore.code);
        (&WITHOUT_REASON, message, "write the reason after the code")
    } else {
        (&UNUSED, format!("{} finds nothing here", ignore.code), "remove the ignore")
    };
    let severity = configuration.severity_of(rule)?;
    let before = |line: u32| line <= ignore.position.line + 1;
    let manifest = context
        .manifests
        .iter()
        .rfind(|manifest| manifest.file == ignore.file && before(manifest.tree.position.line));
    Some(Finding {
        code: rule.code,
        severity,
        object: manifest.map(|manifest| manifest.title()).unwrap_or_default(),
        namespace: manifest.map(|manifest| manifest.namespace.clone()).unwrap_or_default(),
        file: ignore.file.clone(),
        position: ignore.position,
        path: FieldPath::default(),
        field: String::new(),
        manifest: manifest.map(|manifest| manifest.index).unwrap_or_default(),
        message,
        advice: advice.to_owned(),
        fingerprint: super::run::hash(&format!("{}\n{}\n{}", rule.code, ignore.file, ignore.code)),
    })
}
