//! `dump`: saves what an answer needs, so that `-f` can read it later and elsewhere.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::cluster::{ClusterArgs, NamespaceArgs};
use super::{Failure, Io, Outcome};
use crate::model::gap::Gap;
use crate::sources::export::{Dump, Format, Redaction, WriteError, write};

/// Arguments of `dump`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Where to: FILE.json, FILE.tar.gz, FILE.tar.zst, a folder, or - for stdout
    #[arg(short, long, value_name = "PATH", default_value = "landed-dump.tar.zst")]
    pub output: PathBuf,
    /// Keep every field: environment values, arguments, annotations, managedFields
    #[arg(long)]
    pub no_redact: bool,
    /// Add Karpenter's log of the last 24 hours, where rights allow
    #[arg(long)]
    pub include_logs: bool,
    /// Namespaces to fall back to.
    #[command(flatten)]
    pub namespace: NamespaceArgs,
    /// The cluster.
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// Reads the cluster and writes the dump.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    // A bad name is told before the cluster is read.
    let is_stdout = args.output.as_os_str() == "-";
    let format = if is_stdout { Format::Json } else { Format::of(&args.output)? };
    let is_single = matches!(format, Format::Json | Format::JsonGz | Format::JsonZst);
    if args.include_logs && is_single {
        return Err(Failure::new("a log does not fit into a single JSON document")
            .hint("give -o a folder or an archive: -o dump.tar.zst")
            .code(2));
    }
    let redaction = if args.no_redact { Redaction::Whole } else { Redaction::Redacted };
    let (dump, gaps) = read(args, redaction, io)?;
    if is_stdout {
        io.out.write_all(&dump.to_list())?;
    } else {
        let leftovers = io.leftovers.clone();
        write(&dump, &args.output, format, &mut |path| leftovers.set(path))?;
    }
    tell(args, &gaps, io)?;
    Ok(Outcome::Done)
}

/// What was left out, and how to go on: on stderr, since the dump may be on stdout.
fn tell(args: &Args, gaps: &[Gap], io: &mut Io<'_>) -> Result<(), Failure> {
    for gap in gaps {
        writeln!(io.err, "gap: {}: {}", gap.subject, gap.detail)?;
        if let Some(hint) = &gap.hint {
            writeln!(io.err, "hint: {}", hint.replace('\n', "\n  "))?;
        }
    }
    if args.output.as_os_str() != "-" {
        let name = args.output.display();
        writeln!(io.err, "wrote {name}; next: kubectl landed explain POD -n NAMESPACE -f {name}")?;
    }
    Ok(())
}

/// The object that tells what a dump is.
pub(super) fn info(
    io: &Io<'_>,
    redaction: &str,
    kubernetes_version: Option<&str>,
    gaps: &[Gap],
) -> Value {
    json!({
        "apiVersion": "landed.dev/v1",
        "kind": "Dump",
        "metadata": { "name": "dump" },
        "takenAt": io.now.to_string(),
        "tool": concat!("landed ", env!("CARGO_PKG_VERSION")),
        "redaction": redaction,
        "kubernetesVersion": kubernetes_version,
        "gaps": gaps,
    })
}

#[cfg(feature = "live")]
fn read(args: &Args, redaction: Redaction, io: &mut Io<'_>) -> Result<(Dump, Vec<Gap>), Failure> {
    use std::sync::Arc;

    use crate::sources::export::Redactor;
    use crate::sources::live::{Take, Want, karpenter_log};

    let redactor = Redactor { redaction };
    let take: Take<Vec<u8>> = Arc::new(move |resource, body| {
        redactor.page(&resource.api_version(), &resource.kind, &body)
    });
    let want = Want { everything: true, namespace: args.namespace.namespace.clone() };
    let (gathered, log) =
        super::cluster::read_cluster(&args.cluster, want, &take, io, async |connection| {
            if args.include_logs {
                karpenter_log(connection).await
            } else {
                Ok((Vec::new(), Vec::new()))
            }
        })?;
    let (karpenter_log, log_gaps) = log;
    let mut gaps = gathered.gaps;
    gaps.extend(log_gaps);
    let word = match redaction {
        Redaction::Redacted => "redacted",
        Redaction::Whole => "none",
    };
    let dump = Dump {
        info: info(io, word, gathered.kubernetes_version.as_deref(), &gaps),
        lists: gathered
            .lists
            .into_iter()
            .map(|list| (list.resource.qualified(), list.pages))
            .collect(),
        karpenter_log,
    };
    Ok((dump, gaps))
}

#[cfg(not(feature = "live"))]
fn read(_: &Args, _: Redaction, _: &mut Io<'_>) -> Result<(Dump, Vec<Gap>), Failure> {
    Err(super::cluster::no_live())
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            WriteError::NotEmpty(path) => failure.hint(hint_beside(&path)),
            WriteError::UnknownFormat(_) => failure.code(2),
            WriteError::Refused { .. } => failure,
        }
    }
}

fn hint_beside(path: &Path) -> String {
    format!("give another name, such as -o {}.tar.zst", path.display())
}
