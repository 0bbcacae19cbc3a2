//! `instance-types`: the catalogue as the replay sees it for a NodePool, and where each fact came from.

use super::cluster::{ClusterArgs, NamespaceArgs};
use super::input::InputArgs;
use super::output::Output;
use super::{Failure, Io, Outcome};
use crate::instance_types::listing::listing;
use crate::instance_types::{Options, provider_for};
use crate::model::nodepool::{NodeClass, NodePool};
use crate::model::snapshot::Snapshot;
use crate::model::time::Timestamp;
use crate::report::{InstanceTypeList, Report};

/// Arguments of `instance-types`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Only this NodePool; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    pub nodepool: Vec<String>,
    /// As the provider saw it at this moment, in the form of RFC 3339 [default: the last that the input knows]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
    /// The input.
    #[command(flatten)]
    pub input: InputArgs,
    /// The cluster.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// The namespace.
    #[command(flatten)]
    pub namespace: NamespaceArgs,
    /// The output.
    #[command(flatten)]
    pub output: Output,
}

/// Lists the instance types of each NodePool that is asked for.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let input = args.input.load(&args.cluster, &args.namespace, io)?;
    let snapshot = &input.snapshot;
    let pools = pools(snapshot, &args.nodepool)?;
    let options = Options { at: args.at, version: input.karpenter.version, ..Options::default() };
    let provided = provider_for(snapshot, &options);
    let listings: Vec<_> =
        pools.iter().map(|pool| listing(&provided, pool, class_of(snapshot, pool))).collect();
    let report = InstanceTypeList::of(&provided, &listings, args.at);
    input.answered(&Report::from(report), &args.output, io)?;
    Ok(Outcome::Done)
}

fn pools<'a>(snapshot: &'a Snapshot, names: &[String]) -> Result<Vec<&'a NodePool>, Failure> {
    let all = || snapshot.objects.node_pools.iter().map(|pool| &**pool);
    if names.is_empty() {
        return Ok(all().collect());
    }
    let found = names.iter().map(|name| {
        let name = name.strip_prefix("nodepool/").unwrap_or(name);
        all().find(|pool| *pool.meta.name == *name).ok_or_else(|| {
            let known: Vec<&str> = all().map(|pool| &*pool.meta.name).collect();
            let failure = Failure::new(format!("nodepool/{name} is not in the input"));
            if known.is_empty() {
                failure.hint("add NodePools to it: kubectl get nodepools -o yaml")
            } else {
                failure.hint(format!("it has {}", known.join(", ")))
            }
        })
    });
    found.collect()
}

fn class_of<'a>(snapshot: &'a Snapshot, pool: &NodePool) -> Option<&'a NodeClass> {
    let reference = &pool.template.node_class;
    let classes = snapshot.objects.node_classes.iter();
    let mut named = classes.filter(|class| {
        Some(&class.meta.name) == reference.name.as_ref()
            && (reference.group.is_none() || class.group == reference.group)
    });
    named.next().map(|class| &**class)
}
