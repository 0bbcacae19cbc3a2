//! The region of a cluster on AWS.

use std::collections::BTreeMap;

use crate::instance_types::provided::Options;
use crate::model::catalogue::Catalogue;
use crate::model::labels;
use crate::model::names::Str;
use crate::model::snapshot::Snapshot;

use super::assemble::Story;
use super::node_class::Ec2NodeClass;

/// The region: as asked, as Karpenter's environment, nodes, files and zones say, in this order.
pub(super) fn region(
    snapshot: &Snapshot,
    options: &Options,
    catalogue: &Catalogue,
    story: &mut Story,
) -> Str {
    if let Some(region) = &options.region {
        return region.clone();
    }
    let environment = snapshot.settings.karpenter_environment.as_ref();
    let set = environment.and_then(|it| it.get("AWS_REGION")).filter(|it| !it.is_empty());
    let nodes = || snapshot.objects.nodes.iter();
    let of_nodes =
        || most(nodes().filter_map(|node| node.meta.labels.get(labels::REGION).cloned()));
    let of_files = || catalogue.files.iter().find_map(|file| file.region.clone());
    let of_zones = || {
        let classes = snapshot.objects.node_classes.iter();
        let subnets = classes.flat_map(|class| Ec2NodeClass::read(class).0.subnets);
        let zones = subnets.map(|subnet| subnet.zone);
        let node_zones = nodes().filter_map(|node| node.meta.labels.get(labels::ZONE).cloned());
        most(zones.chain(node_zones).filter_map(|zone| region_of_zone(&zone)))
    };
    let found =
        set.map(|it| Str::from(it.as_str())).or_else(of_nodes).or_else(of_files).or_else(of_zones);
    found.unwrap_or_else(|| {
        story.assume(
            "region",
            "the region is not known: us-east-1 is assumed",
            Some("give it with --region"),
        );
        "us-east-1".into()
    })
}

/// `us-east-1` of `us-east-1a`; a local zone has its own name and tells its region too.
fn region_of_zone(zone: &str) -> Option<Str> {
    let mut parts = zone.splitn(4, '-');
    let (area, direction, number) = (parts.next()?, parts.next()?, parts.next()?);
    let (direction, number) = if direction == "gov" || direction == "iso" {
        let last = parts.next()?;
        (format!("{direction}-{number}"), last)
    } else {
        (direction.to_owned(), number)
    };
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then(|| format!("{area}-{direction}-{digits}").into())
}

fn most(values: impl Iterator<Item = Str>) -> Option<Str> {
    let mut counts: BTreeMap<Str, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_tells_its_region() {
        for (zone, region) in [
            ("us-east-1a", Some("us-east-1")),
            ("ap-southeast-2c", Some("ap-southeast-2")),
            ("us-gov-west-1b", Some("us-gov-west-1")),
            ("us-west-2-lax-1a", Some("us-west-2")),
            ("test-zone-a", None),
            ("", None),
        ] {
            assert_eq!(region_of_zone(zone).as_deref(), region, "{zone}");
        }
    }
}
