//! `Audit`: every pod that Karpenter had a part in, by class and cause, and the nodes launched in vain.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Advice, ApiVersion, Class, Confidence, Gap, Metadata, Source, Tally};
use crate::explain::audit::{self, Use};
use crate::explain::{self, codes};
use crate::instance_types::Provided;
use crate::model::names::NamespaceName;
use crate::model::time::Timestamp;
use crate::reconstruct::World;

/// The verdict on every pod that Karpenter planned for, or that waits for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// The version of the contract.
    pub api_version: ApiVersion,
    /// Always `Audit`.
    pub kind: AuditKind,
    /// What answered, and from what.
    #[serde(default)]
    pub metadata: Metadata,
    /// The namespace that was asked about; all of them where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// How many pods Karpenter planned for or waits with, gone ones that are remembered too.
    pub pods: u64,
    /// How many other pods there are: Karpenter had no part in them.
    pub not_karpenter: u64,
    /// How many pods were gone before they were ever bound; they are in no group.
    #[serde(default)]
    pub gone: u64,
    /// How many pods have each class; only classes that occur, most frequent first.
    pub tally: Vec<Tally>,
    /// The pods by class and cause: surprises first, then the larger groups.
    pub groups: Vec<AuditGroup>,
    /// Nodes that were launched for these pods.
    pub launches: Launches,
    /// What had to be assumed, could not be read, or is not in the input.
    pub gaps: Vec<Gap>,
}

/// The kind of an [`Audit`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AuditKind {
    /// Every pod's verdict.
    #[default]
    Audit,
}

/// Pods with one verdict and one cause.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditGroup {
    /// The verdict.
    pub class: Class,
    /// The code of the strongest cause; none where it is as intended, or none was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What the code means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// How sure the cause is, for the example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// How many pods.
    pub count: u64,
    /// How many of them were looked into one by one; the others are equal to one that was: of the same owner, with the same
    /// verdict, and where possible planned by the same pass.
    pub looked_into: u64,
    /// One of them, as `namespace/name`.
    pub example: String,
    /// The example's answer in one sentence.
    pub summary: String,
    /// The example's cause in one or two sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How many pods each owner has among them, most first.
    pub owners: Vec<OwnerCount>,
    /// What to do, best first.
    pub advice: Vec<Advice>,
    /// All of them, as `namespace/name`, in order.
    pub members: Vec<String>,
}

/// How many pods an owner has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnerCount {
    /// The namespace.
    pub namespace: String,
    /// The owner, such as `replicaset/web-5d9c`.
    pub owner: String,
    /// How many pods.
    pub count: u64,
}

/// What became of the nodes that were launched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Launches {
    /// How many NodeClaims were launched for pods that are known.
    pub count: u64,
    /// Those that got none of the pods that they were launched for, oldest first.
    pub in_vain: Vec<NodeInVain>,
    /// What those of them that still run cost an hour, as far as prices are known: an estimate for comparing, not a bill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_per_hour_estimate: Option<f64>,
    /// Where the prices come from, with region and day where there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub price_sources: Vec<Source>,
}

/// A node that got none of the pods that it was launched for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeInVain {
    /// Its NodeClaim.
    pub node_claim: String,
    /// Its Node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Its NodePool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_pool: Option<String>,
    /// Its instance type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// Its zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// `on-demand`, `spot` or `reserved`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<String>,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// Until when it was there; none while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// The pods that it was launched for, as `namespace/name`.
    pub planned: Vec<String>,
    /// The nodes where they went, with how many each.
    pub went: std::collections::BTreeMap<String, u64>,
    /// How many other pods ran on it, DaemonSets' apart; zero: it stayed empty.
    pub other_pods: u64,
    /// What it costs an hour: an estimate, not a bill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_per_hour_estimate: Option<f64>,
}

impl Audit {
    /// The report of an audit.
    pub fn of(
        world: &World<'_>,
        audit: &audit::Audit<'_>,
        namespace: Option<&NamespaceName>,
        provided: &Provided,
    ) -> Self {
        let mut groups: Vec<AuditGroup> = audit.groups.iter().map(AuditGroup::from).collect();
        groups.sort_by_key(|group| !group.class.is_surprise());
        let counts = groups.iter().map(|group| (group.class, group.count));
        Self {
            metadata: super::explain::metadata(world),
            namespace: namespace.map(ToString::to_string),
            pods: audit.pods.len() as u64,
            not_karpenter: audit.apart as u64,
            gone: audit.gone as u64,
            tally: Tally::of(counts),
            launches: Launches::of(audit, provided),
            groups,
            gaps: world.snapshot.gaps.iter().map(Gap::from).collect(),
            ..Self::default()
        }
    }
}

impl From<&audit::AuditGroup> for AuditGroup {
    fn from(group: &audit::AuditGroup) -> Self {
        let cause = group.cause.as_ref();
        Self {
            class: group.class.into(),
            cause: cause.map(|cause| cause.code.to_owned()),
            meaning: cause
                .and_then(|cause| codes::of(cause.code))
                .map(|code| code.meaning().to_owned()),
            confidence: cause.map(|cause| cause.confidence.into()),
            count: group.pods.len() as u64,
            looked_into: group.looked_into as u64,
            example: group.example.to_string(),
            summary: group.summary.clone(),
            why: cause.map(|cause| cause.summary.clone()),
            owners: group
                .owners
                .iter()
                .map(|(owner, count)| OwnerCount {
                    namespace: owner.namespace.to_string(),
                    owner: owner.to_string(),
                    count: *count as u64,
                })
                .collect(),
            advice: cause.map(advice).unwrap_or_default(),
            members: group.pods.iter().map(ToString::to_string).collect(),
        }
    }
}

fn advice(cause: &explain::Cause) -> Vec<Advice> {
    super::Cause::from(cause).advice
}

impl Launches {
    fn of(audit: &audit::Audit<'_>, provided: &Provided) -> Self {
        let in_vain: Vec<NodeInVain> = audit.in_vain.iter().map(NodeInVain::from).collect();
        let running = in_vain.iter().filter(|node| node.ended.is_none());
        let prices: Vec<f64> = running.filter_map(|node| node.price_per_hour_estimate).collect();
        Self {
            count: audit.launches as u64,
            price_per_hour_estimate: (!prices.is_empty()).then(|| prices.iter().sum()),
            price_sources: price_sources(provided),
            in_vain,
        }
    }
}

/// Where prices come from: the sources that speak of prices or, where none does, the lists that hold them.
pub(super) fn price_sources(provided: &Provided) -> Vec<Source> {
    let all: Vec<Source> = provided.sources.iter().map(Source::from).collect();
    let speaks = |source: &Source| {
        source.gave.contains("price")
            || source.name.as_ref().is_some_and(|name| name.contains("price"))
    };
    let some: Vec<Source> = all.iter().filter(|source| speaks(source)).cloned().collect();
    if some.is_empty() { all } else { some }
}

impl From<&audit::InVain> for NodeInVain {
    fn from(found: &audit::InVain) -> Self {
        let claim = &found.claim;
        Self {
            node_claim: claim.name.to_string(),
            node: claim.node.as_ref().map(ToString::to_string),
            node_pool: claim.node_pool.as_ref().map(ToString::to_string),
            instance_type: claim.instance_type.as_ref().map(ToString::to_string),
            zone: claim.zone.as_ref().map(ToString::to_string),
            capacity_type: claim.capacity_type.as_ref().map(ToString::to_string),
            created: claim.created.map(|moment| moment.at),
            ended: found.ended,
            planned: found.planned.iter().map(ToString::to_string).collect(),
            went: found
                .went
                .iter()
                .map(|(node, count)| (node.to_string(), *count as u64))
                .collect(),
            other_pods: match found.use_ {
                Use::Empty => 0,
                Use::ByOthers(pods) => pods as u64,
            },
            price_per_hour_estimate: found.price,
        }
    }
}
