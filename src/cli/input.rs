//! What is read, and how the two components were set up: the flags that every command with an input has.

use std::path::{Path, PathBuf};

use super::cluster::{ClusterArgs, NamespaceArgs, read_snapshot};
use super::output::Output;
use super::timings::Timings;
use super::{Failure, Io};
use crate::instance_types::Unavailable;
use crate::karpenter::{self, MinValuesPolicy, PreferencePolicy};
use crate::model::gap::{Gap, GapKind};
use crate::model::snapshot::Snapshot;
use crate::report::Report;
use crate::sources::{Files, SourceError, load, small_file};
use crate::{ingest, kube_scheduler};

/// Flags of the input and of the settings that no cluster object shows.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated
    #[arg(short, long = "filename", value_name = "PATH")]
    pub filename: Vec<PathBuf>,
    /// Read folders given by -f with all that is below them
    #[arg(short = 'R', long)]
    pub recursive: bool,
    /// Karpenter's environment: a JSON object, lines of NAME=VALUE, or its Deployment
    #[arg(long, value_name = "FILE")]
    pub karpenter_settings: Option<PathBuf>,
    /// kube-scheduler's configuration (KubeSchedulerConfiguration)
    #[arg(long, value_name = "FILE")]
    pub scheduler_config: Option<PathBuf>,
    /// Instance types and offerings: the kwok provider's JSON, or what the cloud's command line prints; may be repeated
    #[arg(long, value_name = "FILE")]
    pub instance_types: Vec<PathBuf>,
    /// Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated
    #[arg(long, value_name = "FILE")]
    pub prices: Vec<PathBuf>,
    /// Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated
    #[arg(long, value_name = "OFFERING")]
    pub unavailable: Vec<Unavailable>,
    /// The cloud's region, for prices [default: as the input shows]
    #[arg(long, value_name = "REGION")]
    pub region: Option<String>,
    /// Karpenter's PREFERENCE_POLICY: Respect or Ignore
    #[arg(long, value_name = "POLICY", value_parser = preference_policy)]
    pub preference_policy: Option<PreferencePolicy>,
    /// Karpenter's MIN_VALUES_POLICY: Strict or BestEffort
    #[arg(long, value_name = "POLICY", value_parser = min_values_policy)]
    pub min_values_policy: Option<MinValuesPolicy>,
    /// Release of kube-scheduler to replay [default: as the input shows]
    #[arg(long, value_name = "VERSION")]
    pub scheduler_version: Option<kube_scheduler::Version>,
    /// Release of Karpenter to replay [default: as the input shows]
    #[arg(long, value_name = "VERSION")]
    pub karpenter_version: Option<karpenter::Version>,
    /// Print where the time went, on stderr
    #[arg(long, hide_short_help = true)]
    pub timings: bool,
}

/// A snapshot, and how the two components were set up.
#[derive(Clone, Debug)]
pub struct Input {
    /// What was read; what had to be assumed is among its gaps.
    pub snapshot: Snapshot,
    /// The namespace that a bare name stands in.
    pub namespace: String,
    /// Karpenter's settings and release.
    pub karpenter: karpenter::Settings,
    /// kube-scheduler's configuration.
    pub scheduler: kube_scheduler::Configuration,
    /// kube-scheduler's release.
    pub scheduler_version: kube_scheduler::Version,
    /// Where the time goes.
    pub timings: Timings,
}

impl Input {
    /// Ends the run: prints the answer and, where that is wanted, where the time went.
    pub fn answered(
        self,
        report: &Report,
        output: &Output,
        io: &mut Io<'_>,
    ) -> Result<(), Failure> {
        self.finish("answering", io, |io| output.print(report, io))
    }

    /// The same for what is no report, with a name for the phase that ends.
    pub fn finish(
        mut self,
        phase: &'static str,
        io: &mut Io<'_>,
        print: impl FnOnce(&mut Io<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.timings.end_of(phase);
        print(io)?;
        self.timings.end_of("printing");
        self.timings.print(io);
        // The run is over: millions of small pieces need not be given back one by one.
        std::mem::forget(self);
        Ok(())
    }
}

pub(super) fn preference_policy(text: &str) -> Result<PreferencePolicy, String> {
    match text {
        "Respect" => Ok(PreferencePolicy::Respect),
        "Ignore" => Ok(PreferencePolicy::Ignore),
        _ => Err("give Respect or Ignore".to_owned()),
    }
}

fn min_values_policy(text: &str) -> Result<MinValuesPolicy, String> {
    match text {
        "Strict" => Ok(MinValuesPolicy::Strict),
        "BestEffort" => Ok(MinValuesPolicy::BestEffort),
        _ => Err("give Strict or BestEffort".to_owned()),
    }
}

impl InputArgs {
    /// Whether files are read, and not a cluster.
    pub fn is_offline(&self) -> bool {
        !self.filename.is_empty()
    }

    /// Reads the files given by `-f`, or else the cluster, and settles how both components were set up.
    pub fn load(
        &self,
        cluster: &ClusterArgs,
        namespace: &NamespaceArgs,
        io: &mut Io<'_>,
    ) -> Result<Input, Failure> {
        let mut timings = Timings::start(self.timings);
        let (snapshot, namespace) = if self.is_offline() {
            let chosen = namespace.namespace.clone().unwrap_or_else(|| "default".to_owned());
            (self.read_files(io)?, chosen)
        } else {
            read_snapshot(cluster, namespace, io)?
        };
        timings.end_of("reading");
        Ok(Input { timings, ..self.settle(snapshot, namespace)? })
    }

    /// Reads the files given by `-f` alone.
    pub fn load_files(&self, io: &mut Io<'_>) -> Result<Input, Failure> {
        if !self.is_offline() {
            return Err(Failure::new("no input").hint("give a dump with -f FILE"));
        }
        let mut timings = Timings::start(self.timings);
        let snapshot = self.read_files(io)?;
        timings.end_of("reading");
        Ok(Input { timings, ..self.settle(snapshot, "default".to_owned())? })
    }

    fn read_files(&self, io: &mut Io<'_>) -> Result<Snapshot, Failure> {
        let files = Files { paths: self.filename.clone(), recursive: self.recursive };
        load(&files, io.input).map_err(Failure::from)
    }

    /// Takes over the files of settings, then what the snapshot itself shows, then defaults.
    pub fn settle(&self, mut snapshot: Snapshot, namespace: String) -> Result<Input, Failure> {
        self.take_files(&mut snapshot)?;
        let karpenter = self.karpenter(&mut snapshot);
        let scheduler = scheduler(&mut snapshot)?;
        let scheduler_version = self.scheduler_version(&mut snapshot);
        let timings = Timings::start(self.timings);
        Ok(Input { snapshot, namespace, karpenter, scheduler, scheduler_version, timings })
    }

    fn take_files(&self, snapshot: &mut Snapshot) -> Result<(), Failure> {
        let found = &mut snapshot.settings;
        if let Some(path) = &self.karpenter_settings {
            let settings = ingest::karpenter_settings(&text_of(path)?)
                .map_err(|error| unreadable(path, &error))?;
            found.karpenter_environment = Some(settings.environment);
            found.karpenter_version = settings.version.or(found.karpenter_version.take());
            if found.kubernetes_version.is_none() {
                found.kubernetes_version = settings.kubernetes_version;
            }
        }
        if let Some(path) = &self.scheduler_config {
            let configuration = ingest::scheduler_configuration(&text_of(path)?)
                .map_err(|error| unreadable(path, &error))?;
            found.scheduler_configuration = Some(configuration);
        }
        found.region = self.region.as_deref().map(Into::into);
        found.unavailable = self.unavailable.iter().map(|it| it.to_string().into()).collect();
        for path in self.instance_types.iter().chain(&self.prices) {
            let bytes = small_file(path).map_err(Failure::from)?;
            let name = path.display().to_string();
            match ingest::catalogue(&bytes, &name).map_err(|error| unreadable(path, &error))? {
                ingest::CatalogueInput::Listed(types) => {
                    found.instance_types.get_or_insert_with(Vec::new).extend(types);
                }
                ingest::CatalogueInput::Facts(facts) => found.catalogue.extend(facts),
            }
        }
        Ok(())
    }

    fn karpenter(&self, snapshot: &mut Snapshot) -> karpenter::Settings {
        let version = self.karpenter_version.unwrap_or_else(|| {
            let found = snapshot.settings.karpenter_version.as_deref();
            let read = found.map(str::parse::<karpenter::Version>);
            match read {
                Some(Ok(version)) => version,
                Some(Err(error)) => {
                    let nearest = error.nearest();
                    let detail = format!("{error}; the rules of {nearest} stand for it");
                    snapshot.gaps.push(assumed(
                        "Karpenter's version",
                        &detail,
                        "--karpenter-version",
                    ));
                    nearest
                }
                None => {
                    snapshot.gaps.push(assumed(
                        "Karpenter's version",
                        &format!("{} is replayed", karpenter::Version::LATEST),
                        "--karpenter-version",
                    ));
                    karpenter::Version::LATEST
                }
            }
        });
        let environment = snapshot.settings.karpenter_environment.clone();
        if environment.is_none() {
            let detail = "none in the input: the defaults are used";
            snapshot.gaps.push(assumed("Karpenter's settings", detail, "--karpenter-settings"));
        }
        let (mut settings, gaps) =
            karpenter::Settings::from_environment(version, &environment.unwrap_or_default());
        snapshot.gaps.extend(gaps);
        settings.preference_policy = self.preference_policy.unwrap_or(settings.preference_policy);
        settings.min_values_policy = self.min_values_policy.unwrap_or(settings.min_values_policy);
        settings
    }

    fn scheduler_version(&self, snapshot: &mut Snapshot) -> kube_scheduler::Version {
        if let Some(version) = &self.scheduler_version {
            return version.clone();
        }
        let found = snapshot.settings.kubernetes_version.clone();
        let nearest = found.as_deref().and_then(kube_scheduler::Version::nearest);
        let version = nearest.clone().unwrap_or_default();
        match (found, nearest) {
            (Some(found), Some(nearest)) if found.parse::<kube_scheduler::Version>().is_ok() => {
                nearest
            }
            (Some(found), _) => {
                let detail = format!("{found} is not replayed, {version} stands for it");
                snapshot.gaps.push(assumed("Kubernetes' version", &detail, "--scheduler-version"));
                version
            }
            (None, _) => {
                let detail = format!("none in the input: {version} is replayed");
                snapshot.gaps.push(assumed("Kubernetes' version", &detail, "--scheduler-version"));
                version
            }
        }
    }
}

fn scheduler(snapshot: &mut Snapshot) -> Result<kube_scheduler::Configuration, Failure> {
    let Some(document) = &snapshot.settings.scheduler_configuration else {
        let detail = "none in the input: the default profile is used";
        let flag = "--scheduler-config";
        snapshot.gaps.push(assumed("kube-scheduler's configuration", detail, flag));
        return Ok(kube_scheduler::Configuration::default());
    };
    let configuration = kube_scheduler::Configuration::read(document)
        .map_err(|error| Failure::new(error.to_string()))?;
    snapshot.gaps.extend(configuration.gaps());
    Ok(configuration)
}

fn assumed(subject: &str, detail: &str, flag: &str) -> Gap {
    Gap::new(GapKind::Assumed, subject, detail).hint(format!("give it with {flag}"))
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let bytes = small_file(path).map_err(Failure::from)?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(format!("cannot read {}: not UTF-8 text", path.display())))
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::new(format!("cannot read {}: {error}", path.display()))
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let failure = Self::new(error.to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
