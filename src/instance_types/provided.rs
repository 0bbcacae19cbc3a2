//! The entry: which provider model fits a snapshot, and what it was made from.

use std::sync::Arc;

use crate::karpenter::providers::Kwok;
use crate::karpenter::{CloudProvider, Version};
use crate::model::gap::{Gap, GapKind};
use crate::model::names::{InstanceTypeName, Str};
use crate::model::nodepool::NodePool;
use crate::model::snapshot::Snapshot;
use crate::model::time::Timestamp;

use super::aws;
use super::aws::provider::AwsProvider;
use super::azure;
use super::observed::Observed;
use super::provider_kind::ProviderKind;
use super::snapshot_only::SnapshotOnly;
use super::source::{SourceKind, UsedSource};
use super::unavailable::{self, Unavailable};

/// What the snapshot does not say. A region and offerings that could not be had stand in its settings, too.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The moment that is replayed; the last one that the snapshot knows where there is none.
    pub at: Option<Timestamp>,
    /// Karpenter's release.
    pub version: Version,
    /// The cloud's region; found in the snapshot where there is none.
    pub region: Option<Str>,
    /// Offerings that could not be had, as the user says.
    pub unavailable: Vec<Unavailable>,
}

/// A provider model, and what it was made from.
pub struct Provided {
    /// Which provider.
    pub kind: ProviderKind,
    /// Its model.
    pub provider: Box<dyn CloudProvider>,
    /// What it was made from, best first.
    pub sources: Vec<UsedSource>,
    /// What could not be had at the moment, and how that is known.
    pub unavailable: Vec<Unavailable>,
    /// What had to be assumed; the same as the provider's own gaps.
    pub gaps: Vec<Gap>,
    /// The model of AWS, where it is one: it tells why an offering cannot be had.
    pub aws: Option<Arc<AwsProvider>>,
}

/// The provider model that fits a snapshot. The only entry: whatever asks for instance types asks here.
pub fn provider_for(snapshot: &Snapshot, options: &Options) -> Provided {
    let observed = Observed::of(snapshot);
    let at = options.at;
    let marks = unavailable::of(snapshot, &options.unavailable);
    let options = &Options {
        region: options.region.clone().or_else(|| snapshot.settings.region.clone()),
        ..options.clone()
    };
    let then = |marks: Vec<Unavailable>| -> Vec<Unavailable> {
        marks.into_iter().filter(|mark| mark.holds_at(at)).collect()
    };
    let mut provided = match ProviderKind::of(&snapshot.objects) {
        Some(ProviderKind::Aws) => aws_model(snapshot, options, observed, marks),
        Some(ProviderKind::Azure) => azure_model(snapshot, options, observed, marks),
        Some(ProviderKind::Kwok) => kwok_model(snapshot, &observed, marks),
        Some(kind) => listed(kind, snapshot, &observed, (at, then(marks))),
        None => {
            let other = ProviderKind::Other;
            let mut provided = listed(other, snapshot, &observed, (at, then(marks)));
            let detail = "no object tells which cloud provider's Karpenter this is";
            provided.gaps.push(Gap::new(GapKind::Assumed, "cloud provider", detail));
            provided
        }
    };
    provided.unavailable.retain(|mark| mark.holds_at(at));
    provided.sources.sort_by_key(|source| source.kind);
    provided
}

fn aws_model(
    snapshot: &Snapshot,
    options: &Options,
    observed: Observed,
    marks: Vec<Unavailable>,
) -> Provided {
    let (provider, sources) = aws::assemble::assemble(snapshot, options, observed, marks.clone());
    let gaps = provider.gaps.clone();
    let provider = Arc::new(provider);
    Provided {
        kind: ProviderKind::Aws,
        provider: Box::new(provider.clone()),
        sources,
        unavailable: marks,
        gaps,
        aws: Some(provider),
    }
}

fn azure_model(
    snapshot: &Snapshot,
    options: &Options,
    observed: Observed,
    marks: Vec<Unavailable>,
) -> Provided {
    let (provider, sources) = azure::assemble::assemble(snapshot, options, observed, marks.clone());
    let gaps = provider.gaps.clone();
    Provided {
        kind: ProviderKind::Azure,
        provider: Box::new(provider),
        sources,
        unavailable: marks,
        gaps,
        aws: None,
    }
}

/// kwok's own list, or the one that it has built in. Its offerings can always be had: it launches nothing.
fn kwok_model(snapshot: &Snapshot, observed: &Observed, marks: Vec<Unavailable>) -> Provided {
    let mut gaps = Vec::new();
    let (provider, source) = if let Some(types) = &snapshot.settings.instance_types {
        let gave = format!("{} instance types", types.len());
        (Kwok::new(types), UsedSource::of(SourceKind::File, gave).named("of instance types"))
    } else {
        let provider = Kwok::built_in();
        let known = provider.instance_types(&NodePool::default(), None);
        let is_known = |name: &InstanceTypeName| known.iter().any(|it| it.name == *name);
        let unknown = observed.machines.iter().find(|(name, machines)| {
            !is_known(name) && machines.iter().any(|it| it.node_claim.is_some())
        });
        if let Some((name, _)) = unknown {
            let detail = format!(
                "{name} is not among the types that kwok has built in: the cluster's list is another"
            );
            let hint = "give it with --instance-types: the file of INSTANCE_TYPES_FILE_PATH";
            gaps.push(Gap::new(GapKind::Missing, "instance types", detail).hint(hint));
        }
        let gave = format!("{} instance types", known.len());
        let source = UsedSource::of(SourceKind::BuiltIn, gave);
        (provider, source.named("of kwok").dated("Karpenter 1.15.0"))
    };
    Provided {
        kind: ProviderKind::Kwok,
        provider: Box::new(provider),
        sources: vec![source],
        unavailable: marks,
        gaps,
        aws: None,
    }
}

/// A provider without a model of its own: the user's list, else what the snapshot's machines show.
fn listed(
    kind: ProviderKind,
    snapshot: &Snapshot,
    observed: &Observed,
    (at, marks): (Option<Timestamp>, Vec<Unavailable>),
) -> Provided {
    let (mut provider, source) = if let Some(types) = &snapshot.settings.instance_types {
        let gave = format!("{} instance types as listed", types.len());
        (SnapshotOnly::listed(types, &marks), UsedSource::of(SourceKind::File, gave))
    } else {
        let provider = SnapshotOnly::of(observed, at, &marks);
        let gave = format!("{} instance types as launched", provider.types.len());
        (provider, UsedSource::of(SourceKind::NodeClaims, gave))
    };
    if source.kind == SourceKind::NodeClaims {
        let detail = "only the instance types of the snapshot's NodeClaims are known: the true list is longer";
        let hint = "give it with --instance-types";
        provider.gaps.push(Gap::new(GapKind::Assumed, "instance types", detail).hint(hint));
    }
    let gaps = provider.gaps.clone();
    Provided {
        kind,
        provider: Box::new(provider),
        sources: vec![source],
        unavailable: marks,
        gaps,
        aws: None,
    }
}
