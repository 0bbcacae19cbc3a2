//! `dump`: saves what an answer needs, so that `-f` can read it later and elsewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::anonymise::anonymise;
use super::cluster::{ClusterArgs, NamespaceArgs};
use super::{Failure, Io, Outcome};
use crate::model::gap::Gap;
use crate::model::time::Timestamp;
use crate::render::escaped;
use crate::sources::export::{Dump, Format, Redaction, Redactor, WriteError, raw_objects, write};

/// Arguments of `dump`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Where to: FILE.json, FILE.tar.gz, FILE.tar.zst, a folder, or - for stdout
    #[arg(short, long, value_name = "PATH", default_value = "landed-dump.tar.zst")]
    pub output: PathBuf,
    /// Keep every field: environment values, arguments, annotations, managedFields
    #[arg(long)]
    pub no_redact: bool,
    /// New names for everything that somebody chose; proved to change no verdict
    #[arg(long, conflicts_with_all = ["no_redact", "include_logs"])]
    pub anonymise: bool,
    /// Add Karpenter's log of the last 24 hours, where rights allow
    #[arg(long)]
    pub include_logs: bool,
    /// Dump to redact or anonymise instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated
    #[arg(short, long = "filename", value_name = "PATH", conflicts_with = "include_logs")]
    pub filename: Vec<PathBuf>,
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
    let (mut dump, gaps) = if args.filename.is_empty() {
        read(args, redaction, io)?
    } else {
        read_files(args, Redactor { redaction }, io)?
    };
    if args.anonymise {
        dump = anonymised(&dump, io)?;
    }
    if is_stdout {
        let list = dump.to_list();
        if io.out_is_terminal {
            io.out.write_all(escaped(&String::from_utf8_lossy(&list)).as_bytes())?;
        } else {
            io.out.write_all(&list)?;
        }
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
        io.tell(&format!("gap: {}: {}", gap.subject, gap.detail))?;
        if let Some(hint) = &gap.hint {
            io.tell(&format!("hint: {}", hint.replace('\n', "\n  ")))?;
        }
    }
    if args.output.as_os_str() != "-" {
        let name = args.output.display();
        io.tell(&format!("wrote {name}; next: kubectl landed explain POD -n NAMESPACE -f {name}"))?;
    }
    Ok(())
}

/// The object that tells what a dump is.
fn info(taken_at: Option<Timestamp>, kubernetes_version: Option<&str>, gaps: &[Gap]) -> Value {
    json!({
        "apiVersion": "landed.dev/v1",
        "kind": "Dump",
        "metadata": { "name": "dump" },
        "takenAt": taken_at.map(|time| time.to_string()).unwrap_or_default(),
        "tool": concat!("landed ", env!("CARGO_PKG_VERSION")),
        "kubernetesVersion": kubernetes_version.unwrap_or_default(),
        "gaps": gaps,
    })
}

/// A dump that is there already.
fn read_files(
    args: &Args,
    redactor: Redactor,
    io: &mut Io<'_>,
) -> Result<(Dump, Vec<Gap>), Failure> {
    let objects = raw_objects(&args.filename, io.input)
        .map_err(|error| Failure::new(format!("cannot read the dump: {error}")))?;
    let is_info = |object: &Value| object["kind"] == "Dump";
    let mut info = objects
        .iter()
        .find(|object| is_info(object))
        .cloned()
        .unwrap_or_else(|| info(None, None, &[]));
    info["redaction"] = word(redactor.redaction).into();
    let mut lists: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for object in objects.into_iter().filter(|object| !is_info(object)) {
        if let Some(object) = redactor.object(object) {
            let kind = object["kind"].as_str().unwrap_or_default().to_ascii_lowercase();
            lists.entry(kind).or_default().push(object);
        }
    }
    if lists.is_empty() {
        return Err(Failure::new("the files hold no object that a dump keeps")
            .hint("give what kubectl get -o json or kubectl landed dump wrote"));
    }
    let lists = lists.into_iter().map(|(kind, objects)| (kind, vec![page_of(&objects)])).collect();
    Ok((Dump { info, lists, karpenter_log: Vec::new() }, Vec::new()))
}

fn page_of(objects: &[Value]) -> Vec<u8> {
    let objects = objects.iter().map(ToString::to_string).collect::<Vec<_>>();
    objects.join(",\n").into_bytes()
}

/// The same dump under new names.
fn anonymised(dump: &Dump, io: &mut Io<'_>) -> Result<Dump, Failure> {
    let (mut objects, mut counts) = (Vec::new(), Vec::new());
    for (name, pages) in &dump.lists {
        let before = objects.len();
        for page in pages {
            let list = [b"[", page.as_slice(), b"]"].concat();
            // It was written a moment ago.
            objects.extend(serde_json::from_slice::<Vec<Value>>(&list).unwrap_or_default());
        }
        counts.push((name.clone(), objects.len() - before));
    }
    let mut renamed = anonymise(&objects, io)?.into_iter();
    let lists = counts.into_iter().map(|(name, count)| {
        let objects = renamed.by_ref().take(count).collect::<Vec<_>>();
        (name, vec![page_of(&objects)])
    });
    let lists = lists.collect();
    let mut info = dump.info.clone();
    info["redaction"] = "anonymised".into();
    // What could not be read is told with the server's own words.
    info["gaps"] = Value::Array(Vec::new());
    Ok(Dump { info, lists, karpenter_log: Vec::new() })
}

const fn word(redaction: Redaction) -> &'static str {
    match redaction {
        Redaction::Redacted => "redacted",
        Redaction::Whole => "none",
    }
}

#[cfg(feature = "live")]
fn read(args: &Args, redaction: Redaction, io: &mut Io<'_>) -> Result<(Dump, Vec<Gap>), Failure> {
    use std::sync::Arc;

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
    let mut info = info(Some(io.now), gathered.kubernetes_version.as_deref(), &gaps);
    info["redaction"] = word(redaction).into();
    let dump = Dump {
        info,
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
