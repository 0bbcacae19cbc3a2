//! Which manifests are read, and what is known beside them: what `check` and `simulate` share.

use std::path::{Path, PathBuf};

use super::cluster::{ClusterArgs, NamespaceArgs, read_snapshot};
use super::input::{Input, InputArgs};
use super::output::{Output, When};
use super::{Failure, Io};
use crate::check::{Configuration, File, SchedulerSetup, Surroundings};
use crate::karpenter::{self, PreferencePolicy};
use crate::kube_scheduler;
use crate::model::gap::{Gap, GapKind};
use crate::render::Style;
use crate::sources::small_file;

/// The file in which a team's decisions stand.
const CONFIGURATION: &str = "landed.yaml";
/// What a folder's manifests end in.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Flags of the manifests and of what is known beside them.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Manifests")]
pub struct ManifestArgs {
    /// Manifests: a file, a folder, or - for stdin; may be repeated
    #[arg(short, long = "filename", value_name = "PATH", required = true)]
    pub filename: Vec<PathBuf>,
    /// Read folders given by -f with all that is below them
    #[arg(short = 'R', long)]
    pub recursive: bool,
    /// Cluster to lay the manifests over: a dump as explain -f takes it, or `live` for the running cluster; may be repeated
    #[arg(long, value_name = "PATH")]
    pub against: Vec<PathBuf>,
    /// Team's decisions [default: landed.yaml where the command is run, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Karpenter's environment: a JSON object, lines of NAME=VALUE, or its Deployment
    #[arg(long, value_name = "FILE")]
    pub karpenter_settings: Option<PathBuf>,
    /// kube-scheduler's configuration (KubeSchedulerConfiguration)
    #[arg(long, value_name = "FILE")]
    pub scheduler_config: Option<PathBuf>,
    /// Instance types and offerings: the kwok provider's JSON, or what the cloud's command line prints; may be repeated
    #[arg(long, value_name = "FILE")]
    pub instance_types: Vec<PathBuf>,
    /// Release of kube-scheduler to replay [default: as the cluster shows]
    #[arg(long, value_name = "VERSION")]
    pub scheduler_version: Option<kube_scheduler::Version>,
    /// Release of Karpenter to replay [default: as the cluster shows]
    #[arg(long, value_name = "VERSION")]
    pub karpenter_version: Option<karpenter::Version>,
}

/// When to use colour.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ColorArgs {
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto", value_enum)]
    pub color: When,
    /// Same as --color=never
    #[arg(long, hide = true)]
    pub no_color: bool,
}

impl ColorArgs {
    /// How text may look.
    pub(super) fn style(&self, io: &Io<'_>) -> Style {
        Output { color: self.color, no_color: self.no_color, ..Output::default() }.style(io)
    }
}

/// What was read.
pub struct Gathered {
    /// The manifests.
    pub files: Vec<File>,
    /// Files that could not be read, and why.
    pub refused: Vec<String>,
    /// The namespace of objects that name none.
    pub namespace: String,
    /// What is known beside them.
    pub surroundings: Surroundings,
    /// The team's decisions.
    pub configuration: Configuration,
    /// How kube-scheduler is set up.
    pub scheduler: SchedulerSetup,
    /// What had to be assumed.
    pub gaps: Vec<Gap>,
    /// Where the cluster was read.
    pub sources: Vec<String>,
}

impl ManifestArgs {
    /// Reads manifests, settings and the cluster. Whatever fails here means that nothing could be checked.
    pub fn gather(
        &self,
        cluster: &ClusterArgs,
        namespace: &NamespaceArgs,
        policy: Option<PreferencePolicy>,
        io: &mut Io<'_>,
    ) -> Result<Gathered, Failure> {
        let configuration = self.configuration()?;
        let mut files = Vec::new();
        let mut refused = Vec::new();
        for path in &self.filename {
            self.read(path, &configuration, (&mut files, &mut refused), io)?;
        }
        let input = self.input(cluster, namespace, policy, io)?;
        let has_cluster = !self.against.is_empty();
        // What a cluster of which nothing is known lacks is no news, nor what only the past could tell.
        let is_news = |gap: &&Gap| has_cluster && gap.kind != GapKind::Missing;
        let gaps = input.snapshot.gaps.iter().filter(is_news).cloned().collect();
        let sources = self.against.iter().map(|path| path.display().to_string()).collect();
        let scheduler =
            SchedulerSetup { configuration: input.scheduler, version: input.scheduler_version };
        let surroundings = Surroundings {
            snapshot: input.snapshot,
            has_cluster,
            provider: None,
            settings: input.karpenter,
            scheduler: scheduler.clone(),
        };
        let namespace = input.namespace;
        Ok(Gathered {
            files,
            refused,
            namespace,
            surroundings,
            configuration,
            scheduler,
            gaps,
            sources,
        })
    }

    fn configuration(&self) -> Result<Configuration, Failure> {
        let path = match &self.config {
            Some(path) => path.clone(),
            None if Path::new(CONFIGURATION).is_file() => CONFIGURATION.into(),
            None => return Ok(Configuration::default()),
        };
        let text = text_of(&path)?;
        let parsed = Configuration::parse(&text);
        parsed
            .map(|read| Configuration { origin: path.display().to_string(), ..read })
            .map_err(|error| Failure::new(format!("{}:{error}", path.display())).code(2))
    }

    /// Reads a file, a folder or stdin. A file that was named must be readable; one found in a folder is told of.
    fn read(
        &self,
        path: &Path,
        configuration: &Configuration,
        (files, refused): (&mut Vec<File>, &mut Vec<String>),
        io: &mut Io<'_>,
    ) -> Result<(), Failure> {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            io.input
                .read_to_end(&mut bytes)
                .map_err(|error| Failure::new(format!("cannot read stdin: {error}")).code(2))?;
            let text = String::from_utf8(bytes)
                .map_err(|_| Failure::new("cannot read stdin: not UTF-8 text").code(2))?;
            files.push(File { name: "stdin".into(), text });
            return Ok(());
        }
        if !path.is_dir() {
            if !configuration.excludes(&path.display().to_string()) {
                files.push(File { name: path.display().to_string(), text: text_of(path)? });
            }
            return Ok(());
        }
        let listing = std::fs::read_dir(path).map_err(|error| {
            Failure::new(format!("cannot read {}: {error}", path.display())).code(2)
        })?;
        let mut entries: Vec<PathBuf> =
            listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
        entries.sort();
        for entry in entries {
            let name = entry.display().to_string();
            let hidden =
                entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            let ending = entry.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let is_configuration = entry.file_name().is_some_and(|name| name == CONFIGURATION);
            if hidden || is_configuration || configuration.excludes(&name) {
                continue;
            }
            if entry.is_dir() {
                if self.recursive {
                    self.read(&entry, configuration, (files, refused), io)?;
                }
            } else if ENDINGS.contains(&ending) {
                match text_of(&entry) {
                    Ok(text) => files.push(File { name, text }),
                    Err(failure) => refused.push(failure.message),
                }
            }
        }
        Ok(())
    }

    fn input(
        &self,
        cluster: &ClusterArgs,
        namespace: &NamespaceArgs,
        policy: Option<PreferencePolicy>,
        io: &mut Io<'_>,
    ) -> Result<Input, Failure> {
        let is_live = self.against.iter().any(|path| path.as_os_str() == "live");
        let files = self.against.iter().filter(|path| path.as_os_str() != "live").cloned();
        let args = InputArgs {
            filename: files.collect(),
            recursive: true,
            karpenter_settings: self.karpenter_settings.clone(),
            scheduler_config: self.scheduler_config.clone(),
            instance_types: self.instance_types.clone(),
            preference_policy: policy,
            scheduler_version: self.scheduler_version.clone(),
            karpenter_version: self.karpenter_version,
            ..InputArgs::default()
        };
        let chosen = namespace.namespace.clone().unwrap_or_else(|| "default".to_owned());
        let read = if is_live {
            if !args.filename.is_empty() {
                return Err(Failure::new("--against live stands alone").code(2));
            }
            read_snapshot(cluster, namespace, io)
                .and_then(|(snapshot, name)| args.settle(snapshot, name))
        } else if args.filename.is_empty() {
            args.settle(crate::model::snapshot::Snapshot::default(), chosen)
        } else {
            args.load(cluster, namespace, io)
        };
        read.map_err(|failure| failure.code(2))
    }
}

/// Releases that are replayed, for the report's metadata.
pub(super) fn replayed(gathered: &Gathered) -> crate::report::Replayed {
    crate::report::Replayed {
        karpenter: Some(gathered.surroundings.settings.version.to_string()),
        kube_scheduler: Some(gathered.scheduler.version.to_string()),
    }
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let bytes = small_file(path).map_err(|error| Failure::from(error).code(2))?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(format!("cannot read {}: not UTF-8 text", path.display())).code(2)
    })
}
