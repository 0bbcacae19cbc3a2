//! The entry: which provider model fits a snapshot, and what it was made from.

use crate::karpenter::{CloudProvider, Version};
use crate::model::gap::{Gap, GapKind};
use crate::model::names::Str;
use crate::model::snapshot::Snapshot;
use crate::model::time::Timestamp;

use super::aws;
use super::observed::Observed;
use super::provider_kind::ProviderKind;
use super::snapshot_only::SnapshotOnly;
use super::source::{SourceKind, UsedSource};
use super::unavailable::{self, Unavailable};

/// What the snapshot does not say.
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
}

/// The provider model that fits a snapshot. The only entry: whatever asks for instance types asks here.
pub fn provider_for(snapshot: &Snapshot, options: &Options) -> Provided {
    let observed = Observed::of(snapshot);
    let at = options.at;
    let marks = unavailable::of(snapshot, &options.unavailable);
    let marks: Vec<Unavailable> = marks.into_iter().filter(|mark| mark.holds_at(at)).collect();
    let mut provided = match ProviderKind::of(&snapshot.objects) {
        Some(ProviderKind::Aws) => aws_model(snapshot, options, observed, marks),
        Some(kind) => listed(kind, snapshot, &observed, (at, marks)),
        None => {
            let mut provided = listed(ProviderKind::Other, snapshot, &observed, (at, marks));
            let detail = "no object tells which cloud provider's Karpenter this is";
            provided.gaps.push(Gap::new(GapKind::Assumed, "cloud provider", detail));
            provided
        }
    };
    provided.sources.sort();
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
    Provided {
        kind: ProviderKind::Aws,
        provider: Box::new(provider),
        sources,
        unavailable: marks,
        gaps,
    }
}

/// A provider without a model of its own: the user's list, else what the snapshot's machines show.
fn listed(
    kind: ProviderKind,
    snapshot: &Snapshot,
    observed: &Observed,
    (at, marks): (Option<Timestamp>, Vec<Unavailable>),
) -> Provided {
    let (mut provider, source) = match &snapshot.settings.instance_types {
        Some(types) => {
            let gave = format!("{} instance types as listed", types.len());
            (SnapshotOnly::listed(types, &marks), UsedSource::of(SourceKind::File, gave))
        }
        None => {
            let provider = SnapshotOnly::of(observed, at, &marks);
            let gave = format!("{} instance types as launched", provider.types.len());
            (provider, UsedSource::of(SourceKind::NodeClaims, gave))
        }
    };
    if source.kind == SourceKind::NodeClaims {
        let detail = "only the instance types of the snapshot's NodeClaims are known: the true list is longer";
        let hint = "--instance-types with the provider's list";
        provider.gaps.push(Gap::new(GapKind::Assumed, "instance types", detail).hint(hint));
    }
    let gaps = provider.gaps.clone();
    Provided { kind, provider: Box::new(provider), sources: vec![source], unavailable: marks, gaps }
}
