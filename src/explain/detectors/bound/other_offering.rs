//! EC2 launched another offering than the cheapest that Karpenter asked for.

use super::super::Case;
use crate::explain::cause::{Advice, Cause};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::instance_types::aws::fleet::{Request, launched, request_of};
use crate::instance_types::aws::standing::Standing;
use crate::karpenter::Launch;
use crate::model::nodeclaim::NodeClaim;

/// The code.
pub const CODE: &str = "other-offering-launched";

/// How many candidates are named.
const SHOWN: usize = 3;

/// Looks for the cause, for the node that the pod is on or was meant for.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let world = case.landing.world;
    if world.setup.provider.name() != "aws" {
        return Vec::new();
    }
    let objects = &world.snapshot.objects;
    let places = [case.landing.actual.as_ref(), case.landing.intended()];
    let claims = places
        .into_iter()
        .flatten()
        .filter_map(|place| objects.node_claim(place.claim.as_ref()?).map(|claim| &**claim));
    claims
        .filter_map(|claim| {
            let pool = objects.node_pool(&claim.node_pool()?)?;
            let types = world.instance_types(pool);
            // Spot prices may be estimates here: then none is left out for its price.
            let request = request_of(claim, &types, false);
            let launched = launched(claim)?;
            let Standing::Dearer { cheaper, .. } = request.standing(&launched) else { return None };
            Some(cause(case, claim, &request, &launched, cheaper))
        })
        .take(1)
        .collect()
}

fn cause(
    case: &Case<'_, '_, '_>,
    claim: &NodeClaim,
    request: &Request,
    launched: &Launch,
    cheaper: usize,
) -> Cause {
    let name = format!("nodeclaim/{}", claim.meta.name);
    let told = |launch: &Launch| {
        let parts = [launch.zone.as_deref(), launch.capacity_type.as_deref()];
        let place: Vec<&str> = parts.into_iter().flatten().collect();
        format!("{} in {} at ${:.4}/h", launch.instance_type, place.join(", "), launch.price)
    };
    let others: Vec<String> = request.candidates.iter().take(cheaper).map(told).collect();
    Cause::new(
        CODE,
        case.class,
        format!("EC2 launched another offering for {name} than the cheapest that was asked for: {}.", request.words(launched)),
    )
    .confidence(Confidence::Possible)
    .because(
        Evidence::object(
            &name,
            "metadata.labels",
            format!(
                "launched: {} in {}",
                launched.instance_type,
                [launched.zone.as_deref(), launched.capacity_type.as_deref()]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        )
        .value(launched.instance_type.to_string()),
    )
    .because(Evidence::replay(format!(
        "{}, {} of them cheaper by estimated prices: {}",
        words::count(request.candidates.len(), "candidate"),
        cheaper,
        words::list(&others, SHOWN)
    )))
    .because(Evidence::inferred(format!(
        "how EC2 chooses: {}; what capacity it had then is in no dump",
        request.strategy
    )))
    .advise(Advice::new(
        "To hold the choice, narrow the NodePool's requirements (instance types, zones, capacity type): fewer candidates, and more launches that find no capacity.",
    ))
}
