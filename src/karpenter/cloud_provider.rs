//! `CloudProvider`: what a provider adds to core. One model a provider.

use std::sync::Arc;

use crate::model::gap::Gap;
use crate::model::instance_type::InstanceType;
use crate::model::names::{InstanceTypeName, Str};
use crate::model::nodepool::{NodeClass, NodeClassRef, NodePool};
use crate::model::time::Timestamp;

use super::plan::NewNodeClaim;

/// What core asks a provider, and what a replay must know of it. Everything is a pure function of what the model was
/// made from.
pub trait CloudProvider: Sync {
    /// The provider's name: `kwok`, `aws`, `azure`.
    fn name(&self) -> &'static str;

    /// Whether nodes of this class are the provider's.
    fn supports(&self, class: &NodeClassRef) -> bool;

    /// The instance types of a pool, in the order in which the provider lists them; empty where there is none.
    fn instance_types(&self, pool: &NodePool, class: Option<&NodeClass>) -> Vec<Arc<InstanceType>>;

    /// Label keys that are well known beside core's own.
    fn well_known_labels(&self) -> Vec<Str>;

    /// Label domains that no pod and no pool may use, beside core's own.
    fn restricted_domains(&self) -> Vec<Str> {
        Vec::new()
    }

    /// The label that holds a capacity reservation's id; `None` where the provider knows no reservations.
    fn reservation_id_label(&self) -> Option<&str> {
        None
    }

    /// Which machines the provider may choose for a claim; more than one where that is left to chance or not known.
    fn launches(&self, claim: &NewNodeClaim, types: &[Arc<InstanceType>]) -> Vec<Launch>;

    /// The provider as it saw the world at a moment; `None` where that is the same at any.
    fn at(&self, moment: Timestamp) -> Option<Box<dyn CloudProvider>> {
        let _ = moment;
        None
    }

    /// What the model had to assume.
    fn gaps(&self) -> Vec<Gap> {
        Vec::new()
    }
}

/// One machine that a provider may choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Its type.
    pub instance_type: InstanceTypeName,
    /// Its zone.
    pub zone: Option<Str>,
    /// `spot`, `on-demand` or `reserved`.
    pub capacity_type: Option<Str>,
    /// Its price.
    pub price: f64,
}
