//! Expiration: a NodeClaim is deleted at a fixed age, whatever budgets and annotations say.

use crate::karpenter::duration;
use crate::model::nodeclaim::NodeClaim;
use crate::model::time::Timestamp;

/// When a NodeClaim expires; `None` where it never does.
pub(super) fn expires(claim: &NodeClaim) -> Option<Timestamp> {
    let after = duration::parse(claim.expire_after.as_deref()?)?;
    Some(claim.meta.created?.plus(after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::meta;

    #[test]
    fn a_claim_expires_at_its_age_or_never() {
        let created = Timestamp::from_seconds(1000);
        let claim = |after: Option<&str>| {
            let mut meta = meta("c", "");
            meta.created = Some(created);
            NodeClaim { meta, expire_after: after.map(Into::into), ..NodeClaim::default() }
        };
        assert_eq!(expires(&claim(Some("1h"))), Some(Timestamp::from_seconds(4600)));
        assert_eq!(expires(&claim(Some("Never"))), None);
        assert_eq!(expires(&claim(None)), None);
    }
}
