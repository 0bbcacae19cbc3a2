//! One file a cause. Each looks at a landing and gives a cause with its evidence, or nothing.

use super::cause::{Cause, Class};
use crate::reconstruct::Landing;

/// What a detector is given.
pub struct Case<'c, 'w, 'a> {
    /// The pod's landing.
    pub landing: &'c Landing<'w, 'a>,
    /// The verdict.
    pub class: Class,
}

/// Looks for one cause.
pub type Detector = fn(&Case<'_, '_, '_>) -> Vec<Cause>;

/// All detectors, the strongest explanations first.
pub const DETECTORS: &[Detector] = &[];
