//! The devices that ResourceSlices offer, by pool, and which of them are in use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::model::dra::ResourceSlice;
use crate::model::names::Str;
use crate::model::node::Node;
use crate::model::selector::NodeSelectorTerm;

use super::cel;
use super::dra_claims::text;
use super::framework::Cycle;
use super::selectors::node_terms;

/// A device by driver, pool and name.
pub(crate) type DeviceKey = (Str, Str, Str);

/// One device that a slice offers.
#[derive(Clone, Debug)]
pub(crate) struct Offered<'a> {
    /// Driver, pool and name.
    pub(crate) key: DeviceKey,
    /// The device, as JSON.
    pub(crate) json: &'a Value,
    slice: &'a ResourceSlice,
    /// Whether its pool lacks slices: it is being updated.
    pub(crate) is_of_incomplete_pool: bool,
}

static NOTHING: Value = Value::Null;

impl<'a> Offered<'a> {
    /// The device as selectors see it.
    pub(crate) fn as_seen(&'a self) -> cel::Device<'a> {
        cel::Device {
            driver: &self.key.0,
            attributes: self.json.get("attributes").unwrap_or(&NOTHING),
            capacity: self.json.get("capacity").unwrap_or(&NOTHING),
        }
    }

    /// An attribute by its full name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a Value> {
        let attributes = self.json.get("attributes")?;
        let (domain, name) = name.split_once('/')?;
        cel::qualified(attributes, &self.key.0, domain, name)
    }

    /// The node that alone can use the device, if it is one.
    pub(crate) fn only_node(&self) -> Option<&'a Str> {
        let alone = !self.slice.all_nodes && self.slice.node_selector.is_none();
        self.slice.node_name.as_ref().filter(|_| alone).map(|name| &name.0)
    }

    /// Whether a node can use the device.
    pub(crate) fn is_on(&self, node: &Node) -> bool {
        let slice = self.slice;
        let selected =
            |terms: &[NodeSelectorTerm]| node_terms(terms).iter().any(|term| term.matches(node));
        slice.all_nodes
            || slice.node_name.as_ref().is_some_and(|name| *name.0 == *node.meta.name)
            || slice.node_selector.as_deref().is_some_and(selected)
    }

    /// Whether the device is used in a way that is not modelled.
    pub(crate) fn is_not_modelled(&self) -> bool {
        let per_device = self.slice.spec.get("perDeviceNodeSelection");
        ["consumesCounters", "allowMultipleAllocations", "bindingConditions"]
            .iter()
            .any(|field| self.json.get(field).is_some())
            || per_device.is_some_and(|it| it.as_bool() == Some(true))
    }
}

/// All devices, pool by pool and slice by slice; of each pool only the newest generation.
pub(crate) fn offered<'a>(cycle: &Cycle<'a>) -> Vec<Offered<'a>> {
    let mut pools: BTreeMap<(Str, Str), Vec<&Arc<ResourceSlice>>> = BTreeMap::new();
    for slice in &cycle.cluster.objects.resource_slices {
        let driver = slice.driver.clone().unwrap_or_else(|| Str::from(""));
        let pool = Str::from(slice.spec.get("pool").map_or("", |pool| text(pool, "name")));
        pools.entry((driver, pool)).or_default().push(slice);
    }
    let mut devices = Vec::new();
    for ((driver, pool), mut slices) in pools {
        let newest = slices.iter().map(|slice| number(slice, "generation")).max().unwrap_or(0);
        slices.retain(|slice| number(slice, "generation") == newest);
        let wanted = slices.first().map_or(0, |slice| number(slice, "resourceSliceCount"));
        let is_of_incomplete_pool = i64::try_from(slices.len()).unwrap_or(i64::MAX) < wanted;
        for slice in slices {
            let listed = slice.spec.get("devices").and_then(Value::as_array);
            for device in listed.into_iter().flatten() {
                devices.push(Offered {
                    key: (driver.clone(), pool.clone(), text(device, "name").into()),
                    json: device.get("basic").unwrap_or(device),
                    slice,
                    is_of_incomplete_pool,
                });
            }
        }
    }
    devices
}

fn number(slice: &ResourceSlice, field: &str) -> i64 {
    slice.spec.get("pool").and_then(|pool| pool.get(field)).and_then(Value::as_i64).unwrap_or(0)
}

/// The devices that claims hold already.
pub(crate) fn in_use(cycle: &Cycle<'_>) -> BTreeSet<DeviceKey> {
    let claims = cycle.cluster.objects.resource_claims.values();
    let held = claims.filter_map(|claim| claim.allocation.as_ref()).flat_map(|it| &it.results);
    held.map(|(_, driver, pool, device)| (driver.clone(), pool.clone(), device.clone())).collect()
}
