//! Every type that EC2 may have offered: from a file, else from the built-in table and what the snapshot shows besides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::instance_types::built_in::{self, AWS_DATE};
use crate::instance_types::observed::Observed;
use crate::instance_types::source::{SourceKind, UsedSource};
use crate::model::catalogue::{Catalogue, Ec2InstanceType};
use crate::model::names::InstanceTypeName;
use crate::model::time::{Span, Timestamp};

use super::assemble::{Story, count, names_of};
use super::by_name;
use super::requirements::category_and_generation;

/// A type may be sold this long before Karpenter's documentation has it.
const DOCUMENTATION_LAGS: Span = Span::seconds(120 * 86_400);

/// Every type that EC2 may have offered: a file's list is complete; else the built-in table with what the snapshot
/// shows besides.
pub(super) fn types(
    catalogue: &Catalogue,
    observed: &Observed,
    at: Option<Timestamp>,
    story: &mut Story,
) -> BTreeMap<InstanceTypeName, Arc<Ec2InstanceType>> {
    let tables = built_in::aws();
    let mut types: BTreeMap<InstanceTypeName, Arc<Ec2InstanceType>> = BTreeMap::new();
    if catalogue.ec2.is_empty() {
        let too_new = |day: &str| {
            let documented = format!("{day}T00:00:00Z").parse::<Timestamp>().ok();
            documented.zip(at).is_some_and(|(day, at)| day > at.plus(DOCUMENTATION_LAGS))
        };
        let offered = tables.types.iter().filter(|known| {
            observed.shows(known.facts.name.as_str())
                || !known.is_retired() && !too_new(&known.first_documented)
        });
        types.extend(offered.map(|known| (known.facts.name.clone(), known.facts.clone())));
        let gave = format!("facts of {}", count(types.len(), "instance type"));
        let source = UsedSource::of(SourceKind::BuiltIn, gave).named("of AWS").dated(AWS_DATE);
        story.sources.push(source);
        let hpc_apart = types.keys().any(|name| {
            category_and_generation(name.as_str()).is_some_and(|(category, _)| category != "hpc")
        });
        if hpc_apart {
            story.assume(
                "usage classes",
                "how a type is sold is not in the table: all but hpc are taken to be sold on demand and as spot",
                Some("give them with --instance-types: `aws ec2 describe-instance-types`"),
            );
        }
    } else {
        for facts in &catalogue.ec2 {
            types.insert(facts.name.clone(), completed(facts));
        }
    }
    let mut guessed = BTreeSet::new();
    let listed = observed.listed.iter().cloned();
    let seen = observed
        .machines
        .iter()
        .filter(|(_, machines)| machines.iter().any(|machine| machine.node_claim.is_some()));
    let seen = seen.map(|(name, _)| name.clone());
    let names: BTreeSet<InstanceTypeName> = seen.chain(listed.map(InstanceTypeName)).collect();
    for name in names {
        if types.contains_key(&name) {
            continue;
        }
        if let Some(known) = tables.get(name.as_str()) {
            types.insert(name, known.facts.clone());
            continue;
        }
        let machine = observed.machines.get(&name).and_then(|machines| machines.first());
        if let Some(facts) = by_name::facts(&name, machine) {
            guessed.insert(name.clone());
            types.insert(name, facts);
        }
    }
    if !guessed.is_empty() {
        let gave = format!("{}, guessed", names_of(&guessed));
        story.sources.push(UsedSource::of(SourceKind::NameRule, gave));
    }
    types
}

/// A file's facts with what EC2's own description lacks: branch interfaces and bandwidth.
fn completed(facts: &Arc<Ec2InstanceType>) -> Arc<Ec2InstanceType> {
    let Some(known) = built_in::aws().get(facts.name.as_str()) else { return facts.clone() };
    let lacks_branches = facts.branch_interfaces == 0 && known.facts.branch_interfaces > 0;
    if !lacks_branches && facts.network_mbps == known.facts.network_mbps {
        return facts.clone();
    }
    let mut completed = Ec2InstanceType::clone(facts);
    if lacks_branches {
        completed.branch_interfaces = known.facts.branch_interfaces;
    }
    completed.network_mbps = known.facts.network_mbps;
    Arc::new(completed)
}
