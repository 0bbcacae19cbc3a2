//! `simulate`: what Karpenter would launch for workloads, and where kube-scheduler would put their pods.

use std::collections::BTreeMap;

use super::cluster::{ClusterArgs, NamespaceArgs};
use super::manifests::{self, ManifestArgs};
use super::{Failure, Io, Outcome};
use crate::check::{Examination, Template, Wanted, examine, forecast};
use crate::karpenter::PreferencePolicy;
use crate::render::{CheckFormat, render_simulation};
use crate::report::{Metadata, Outlook, SimulatedWorkload, Simulation};

/// Arguments of `simulate`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Exit codes:
  0  simulated
  2  could not simulate: no NodePools, no instance types, a file cannot be read")]
pub struct Args {
    /// Workloads to simulate, as KIND/NAME [default: all of the files]
    #[arg(value_name = "WORKLOAD")]
    pub workloads: Vec<String>,
    /// Pods of each workload, in place of what the manifests say
    #[arg(long, value_name = "N")]
    pub replicas: Option<u32>,
    /// Output: table, json or yaml
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = format)]
    pub output: CheckFormat,
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

fn format(text: &str) -> Result<CheckFormat, String> {
    match text {
        "table" => Ok(CheckFormat::Table),
        "json" => Ok(CheckFormat::Json),
        "yaml" => Ok(CheckFormat::Yaml),
        _ => Err("the formats are table, json, yaml".to_owned()),
    }
}

/// Reads, simulates and prints.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let gathered = args.manifests.gather(&args.cluster, &args.namespace, None, io)?;
    for message in &gathered.refused {
        io.tell(&format!("error: {message}"))?;
    }
    let metadata = Metadata {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        replayed: Some(manifests::replayed(&gathered)),
        input: None,
    };
    let gaps = gathered.gaps.iter().map(Into::into).collect();
    let setup = gathered.scheduler;
    let rules = crate::check::RULES.iter().map(|rule| (rule.code.to_owned(), None));
    let examined = examine(Examination {
        files: gathered.files,
        namespace: gathered.namespace,
        surroundings: gathered.surroundings,
        // No rule is asked: only the objects matter here.
        configuration: crate::check::Configuration {
            rules: rules.collect::<BTreeMap<_, _>>(),
            ..gathered.configuration
        },
        baseline: None,
    });
    for part in &examined.unreadable {
        io.tell(&format!("error: {}:{}: {}", part.file, part.position, part.message))?;
    }
    if !gathered.refused.is_empty() || !examined.unreadable.is_empty() {
        return Err(Failure::new("not every manifest can be read").code(2));
    }
    let context = &examined.context;
    let templates = chosen(&context.templates, &args.workloads)?;
    let wanted: Vec<Wanted<'_>> = templates
        .iter()
        .map(|template| Wanted { template, replicas: replicas(template, args.replicas) })
        .collect();
    let look = |policy| {
        forecast(context, &wanted, policy, &setup).map(|forecast| Outlook::from(&forecast)).map_err(|error| {
            Failure::new(format!("cannot simulate: {error}"))
                .hint("add the NodePools and their classes to the files or give --against DUMP, and --instance-types FILE")
                .code(2)
        })
    };
    let simulation = Simulation {
        metadata,
        workloads: wanted.iter().map(simulated).collect(),
        respecting: look(PreferencePolicy::Respect)?,
        ignoring: look(PreferencePolicy::Ignore)?,
        assumptions: ASSUMPTIONS.map(str::to_owned).to_vec(),
        gaps,
        ..Simulation::default()
    };
    let style = args.color.style(io);
    write!(io.out, "{}", render_simulation(&simulation, args.output, &style))?;
    Ok(Outcome::Done)
}

/// What every simulation rests on.
const ASSUMPTIONS: [&str; 3] = [
    "all pods are made at once, and all nodes of a pass come up at the same moment: when one is ready first it takes more of the pods",
    "each node is the cheapest offering of its claim; a cloud may choose another that the claim allows",
    "DaemonSets' pods are bound before the others",
];

fn replicas(template: &Template, asked: Option<u32>) -> i64 {
    match asked {
        Some(asked) if template.manifest.kind != "Pod" && !template.is_daemon() => asked.into(),
        _ => template.replicas,
    }
}

fn simulated(wanted: &Wanted<'_>) -> SimulatedWorkload {
    SimulatedWorkload {
        object: wanted.template.manifest.title(),
        namespace: wanted.template.namespace.to_string(),
        replicas: wanted.replicas,
    }
}

/// The templates of the workloads that were named, or all.
fn chosen<'a>(
    templates: &'a [std::sync::Arc<Template>],
    names: &[String],
) -> Result<Vec<&'a Template>, Failure> {
    let all = || templates.iter().map(|template| &**template);
    if names.is_empty() {
        let all: Vec<&Template> = all().filter(|template| template.is_to_place()).collect();
        if all.is_empty() {
            return Err(Failure::new("no workload in these files").code(2));
        }
        return Ok(all);
    }
    let mut chosen = Vec::new();
    for name in names {
        let wanted = name.to_lowercase();
        let wanted = wanted
            .strip_prefix("deploy/")
            .map_or(wanted.clone(), |rest| format!("deployment/{rest}"));
        let found: Vec<&Template> = all()
            .filter(|one| one.manifest.title() == wanted || one.manifest.name == wanted)
            .collect();
        if found.is_empty() {
            let titles: Vec<String> = all().map(|one| one.manifest.title()).collect();
            return Err(Failure::new(format!("{name} is not in these files"))
                .hint(format!("they hold {}", titles.join(", ")))
                .code(2));
        }
        chosen.extend(found);
    }
    Ok(chosen)
}
