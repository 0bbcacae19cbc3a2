//! `check`: what Karpenter and kube-scheduler will make of manifests, before they are applied.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::cluster::{ClusterArgs, NamespaceArgs};
use super::manifests::{self, Gathered, ManifestArgs};
use super::{Failure, Io, Outcome};
use crate::check::{Baseline, Examination, Examined, RULES, Severity, examine};
use crate::karpenter::PreferencePolicy;
use crate::render::{CheckFormat, RuleText, Style, counted, render_check};
use crate::report::{CheckReport, Input, InputKind, Metadata};
use crate::sources::small_file;

/// Arguments of `check`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Exit codes:
  0  nothing was found at or above --fail-on
  1  something was found
  2  could not check: a file or the cluster cannot be read, or a flag is wrong

Comments in YAML: `# landed:ignore=CODE reason`, above or behind a field. What each code means: docs/checks.md")]
pub struct Args {
    /// Output: table, json, yaml, markdown, github, sarif or junit
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = format)]
    pub output: CheckFormat,
    /// Least severity that fails: error, warning, info or never [default: error, or as landed.yaml says]
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on)]
    pub fail_on: Option<FailOn>,
    /// Findings to leave out because they were there before
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Save today's findings as a baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Karpenter's PREFERENCE_POLICY: Respect or Ignore
    #[arg(long, value_name = "POLICY", value_parser = super::input::preference_policy)]
    pub preference_policy: Option<PreferencePolicy>,
    /// Colour.
    #[command(flatten)]
    pub color: manifests::ColorArgs,
    /// The manifests.
    #[command(flatten)]
    pub manifests: ManifestArgs,
    /// The namespace.
    #[command(flatten)]
    pub namespace: NamespaceArgs,
    /// The cluster.
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// From which severity on findings fail a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// From this one on.
    Severity(Severity),
    /// None does.
    Never,
}

fn fail_on(text: &str) -> Result<FailOn, String> {
    if text == "never" {
        return Ok(FailOn::Never);
    }
    Severity::parse(text)
        .map(FailOn::Severity)
        .ok_or_else(|| "give error, warning, info or never".to_owned())
}

fn format(text: &str) -> Result<CheckFormat, String> {
    let names = CheckFormat::ALL.map(|(name, _)| name).join(", ");
    CheckFormat::of_name(text).ok_or_else(|| format!("the formats are {names}"))
}

/// Reads, examines and prints.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let gathered =
        args.manifests.gather(&args.cluster, &args.namespace, args.preference_policy, io)?;
    for message in &gathered.refused {
        io.tell(&format!("error: {message}"))?;
    }
    let metadata = metadata(&gathered);
    let gaps = gathered.gaps.iter().map(Into::into).collect();
    let fail_on = args.fail_on.unwrap_or_else(|| {
        FailOn::Severity(gathered.configuration.fail_on.unwrap_or(Severity::Error))
    });
    let is_unread = !gathered.refused.is_empty();
    let examined = examine(Examination {
        files: gathered.files,
        namespace: gathered.namespace,
        surroundings: gathered.surroundings,
        configuration: gathered.configuration,
        baseline,
    });
    if let Some(path) = &args.write_baseline {
        write_baseline(path, &examined, io)?;
    }
    let report = CheckReport { metadata, gaps, ..CheckReport::of(&examined) };
    let style = args.color.style(io);
    write!(io.out, "{}", render_check(&report, args.output, &rule_texts(), &style))?;
    if args.output == CheckFormat::Github {
        summarise(&report, &style, io)?;
    }
    if is_unread || !examined.unreadable.is_empty() {
        return Err(Failure::new(String::new()).code(2));
    }
    let fails = match fail_on {
        FailOn::Severity(least) => examined.worst().is_some_and(|worst| worst >= least),
        FailOn::Never => false,
    };
    Ok(if fails && args.write_baseline.is_none() { Outcome::Found } else { Outcome::Done })
}

/// In a GitHub workflow, adds the findings to the summary of the run: annotations end at ten of each severity.
fn summarise(report: &CheckReport, style: &Style, io: &mut Io<'_>) -> Result<(), Failure> {
    let Some(path) = io.variable("GITHUB_STEP_SUMMARY").map(str::to_owned) else { return Ok(()) };
    let text = render_check(report, CheckFormat::Markdown, &[], style);
    let mut options = std::fs::OpenOptions::new();
    let written = options
        .append(true)
        .create(true)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        // The answer itself is printed: a summary that fails is told and changes no exit code.
        io.tell(&format!("cannot write the summary {path}: {error}"))?;
    }
    Ok(())
}

fn metadata(gathered: &Gathered) -> Metadata {
    let objects = &gathered.surroundings.snapshot.objects;
    let count = |length: usize| u64::try_from(length).ok();
    let input = gathered.surroundings.has_cluster.then(|| Input {
        kind: if gathered.sources == ["live"] { InputKind::Live } else { InputKind::Dump },
        sources: gathered.sources.clone(),
        taken_at: gathered.surroundings.snapshot.taken_at,
        nodes: count(objects.nodes.len()),
        pods: count(objects.pods.len()),
    });
    Metadata {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        replayed: Some(manifests::replayed(gathered)),
        input,
    }
}

/// The rules as readers of SARIF see them.
fn rule_texts() -> Vec<RuleText> {
    let rules = RULES.iter().map(|rule| RuleText {
        code: rule.code.to_owned(),
        severity: rule.severity.into(),
        finds: rule.finds.to_owned(),
        why: rule.why.to_owned(),
    });
    rules.collect()
}

fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let bytes = small_file(path).map_err(|error| Failure::from(error).code(2))?;
    let read = String::from_utf8(bytes).map_err(|_| "not UTF-8 text".to_owned());
    read.and_then(|text| Baseline::parse(&text)).map_err(|error| {
        Failure::new(format!("cannot read {}: {error}", path.display()))
            .hint(format!("write it anew with --write-baseline {}", path.display()))
            .code(2)
    })
}

fn write_baseline(path: &Path, examined: &Examined, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut all = examined.findings.clone();
    all.extend(examined.known.iter().cloned());
    std::fs::write(path, Baseline::of(&all).to_text()).map_err(|error| {
        Failure::new(format!("cannot write {}: {error}", path.display())).code(2)
    })?;
    io.tell(&format!("wrote {} to {}", counted(all.len(), "finding"), path.display()))?;
    Ok(())
}
