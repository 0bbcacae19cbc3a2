//! `TypeRefusal`: why no instance type is left for a claim, in upstream's words.

use std::fmt;

use crate::model::names::Str;
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;

/// What was ever met while instance types were filtered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeFlags {
    /// Some type fits the requirements.
    pub compatible: bool,
    /// Some type has room.
    pub fits: bool,
    /// Some type has a compatible offering.
    pub has_offering: bool,
    /// Some type fits the requirements and has room, but has no offering.
    pub compatible_and_fits: bool,
    /// Some type fits the requirements and has an offering, but no room.
    pub compatible_and_offered: bool,
    /// Some type has room and an offering, but does not fit the requirements.
    pub fits_and_offered: bool,
    /// Groups of types were passed over because a DaemonSet has the pod's host port there.
    pub host_port_conflict: bool,
}

/// Why no instance type remains.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeRefusal {
    /// What was ever met.
    pub flags: TypeFlags,
    /// Keys whose `minValues` do not hold, with the number that could be had.
    pub min_values: Vec<(Str, i64)>,
    /// What was asked of the types, in upstream's notation.
    pub requirements: String,
    /// The pod's requests with the least DaemonSet overhead.
    pub least: Resources,
    /// The pod's requests with the most DaemonSet overhead.
    pub most: Resources,
}

impl TypeRefusal {
    pub(super) fn stage(&self) -> &'static str {
        let flags = self.flags;
        if !self.min_values.is_empty() {
            "min-values"
        } else if flags.host_port_conflict && !flags.compatible && !flags.has_offering {
            "host-port"
        } else if !flags.compatible {
            "requirements"
        } else if !flags.has_offering {
            "offering"
        } else if !flags.fits || flags.compatible_and_offered {
            "resources"
        } else {
            "requirements"
        }
    }

    /// What stands against every type, in upstream's words, without what was asked.
    pub fn headline(&self) -> &'static str {
        let TypeFlags { compatible, fits, has_offering, .. } = self.flags;
        match (compatible, fits, has_offering) {
            (false, false, false) => {
                "no instance type met the scheduling requirements or had enough resources or had a required offering"
            }
            (false, false, true) => {
                "no instance type met the scheduling requirements or had enough resources"
            }
            (false, true, false) => {
                "no instance type met the scheduling requirements or had a required offering"
            }
            (true, false, false) => {
                "no instance type had enough resources or had a required offering"
            }
            (false, true, true) => "no instance type met all requirements",
            (true, false, true) => "no instance type has enough resources",
            (true, true, false) => "no instance type has the required offering",
            (true, true, true) if self.flags.compatible_and_fits => {
                "no instance type which met the scheduling requirements and had enough resources, had a required offering"
            }
            (true, true, true) if self.flags.fits_and_offered => {
                "no instance type which had enough resources and the required offering met the scheduling requirements"
            }
            (true, true, true) if self.flags.compatible_and_offered => {
                "no instance type which met the scheduling requirements and the required offering had the required resources"
            }
            (true, true, true) => "no instance type met the requirements/resources/offering tuple",
        }
    }
}

impl fmt::Display for TypeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min_values.is_empty() {
            f.write_str(self.headline())?;
        } else {
            let keys: Vec<&str> = self.min_values.iter().map(|(key, _)| &**key).collect();
            let keys = keys.join(" ");
            write!(f, "minValues requirement is not met for label(s) (label(s)=[{keys}])")?;
        }
        let (least, most) = (json(&self.least), json(&self.most));
        write!(f, ", requirements={}, resources=", self.requirements)?;
        if least == most {
            f.write_str(&least)?;
        } else {
            write!(f, "min={least}, max={most}")?;
        }
        let asks_millions = self.least.amount("cpu") >= Quantity::units(1_000_000);
        if self.min_values.is_empty() && self.flags.compatible && !self.flags.fits && asks_millions
        {
            f.write_str(" (CPU request >= 1 Million, m vs M typo?)")?;
        }
        Ok(())
    }
}

fn json(resources: &Resources) -> String {
    serde_json::to_string(resources).unwrap_or_default()
}
