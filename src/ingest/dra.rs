//! Dynamic resource allocation: claims, templates, slices, classes.

use serde::Deserialize;
use serde_json::Value;

use crate::model::dra::{
    Allocation, DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice,
};
use crate::model::names::{NodeName, Str, Uid};

use super::intern::Interner;
use super::meta::RawMeta;
use super::selectors::RawNodeSelector;
use super::wire::{List, Text};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawResourceClaim<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    spec: RawDevices,
    #[serde(borrow)]
    status: RawClaimStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawDevices {
    devices: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawClaimStatus<'a> {
    #[serde(borrow)]
    allocation: Option<RawAllocation<'a>>,
    #[serde(borrow)]
    reserved_for: List<RawConsumer<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawAllocation<'a> {
    #[serde(borrow)]
    node_selector: Option<RawNodeSelector<'a>>,
    #[serde(borrow)]
    devices: RawResults<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawResults<'a> {
    #[serde(borrow)]
    results: List<RawResult<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawResult<'a> {
    #[serde(borrow)]
    request: Text<'a>,
    #[serde(borrow)]
    driver: Text<'a>,
    #[serde(borrow)]
    pool: Text<'a>,
    #[serde(borrow)]
    device: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawConsumer<'a> {
    #[serde(borrow)]
    resource: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    uid: Text<'a>,
}

impl RawResourceClaim<'_> {
    pub fn read(&self, interner: &mut Interner) -> ResourceClaim {
        ResourceClaim {
            meta: self.metadata.read(interner),
            devices: self.spec.devices.clone(),
            allocation: self.status.allocation.as_ref().map(|raw| raw.read(interner)),
            reserved_for: self
                .status
                .reserved_for
                .0
                .iter()
                .map(|consumer| {
                    let resource = interner.text(consumer.resource.as_str());
                    let uid = Uid::from(consumer.uid.as_str());
                    (resource, Str::from(consumer.name.as_str()), uid)
                })
                .collect(),
        }
    }
}

impl RawAllocation<'_> {
    fn read(&self, interner: &mut Interner) -> Allocation {
        let results = self.devices.results.0.iter().map(|result| {
            let mut text = |text: &Text<'_>| interner.text(text.as_str());
            (text(&result.request), text(&result.driver), text(&result.pool), text(&result.device))
        });
        let results = results.collect();
        Allocation {
            node_selector: self.node_selector.as_ref().map(|selector| selector.read(interner)),
            results,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawResourceClaimTemplate<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    spec: RawTemplateSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawTemplateSpec {
    spec: RawDevices,
}

impl RawResourceClaimTemplate<'_> {
    pub fn read(&self, interner: &mut Interner) -> ResourceClaimTemplate {
        ResourceClaimTemplate {
            meta: self.metadata.read(interner),
            devices: self.spec.spec.devices.clone(),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawWithSpec<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    spec: Value,
}

impl RawWithSpec<'_> {
    /// A ResourceSlice; its spec is kept whole for the allocator.
    pub fn read_slice(self, interner: &mut Interner) -> ResourceSlice {
        let text = |key: &str| self.spec.get(key).and_then(Value::as_str);
        let selector = self.spec.get("nodeSelector").and_then(|selector| {
            let raw = RawNodeSelector::deserialize(selector).ok()?;
            Some(raw.read(interner))
        });
        ResourceSlice {
            driver: text("driver").map(|driver| interner.text(driver)),
            node_name: text("nodeName").map(|node| NodeName(interner.text(node))),
            all_nodes: self.spec.get("allNodes").and_then(Value::as_bool).unwrap_or(false),
            node_selector: selector,
            meta: self.metadata.read(interner),
            spec: self.spec,
        }
    }

    /// A DeviceClass; its spec is kept whole for the allocator.
    pub fn read_class(self, interner: &mut Interner) -> DeviceClass {
        let name = self.spec.get("extendedResourceName").and_then(Value::as_str);
        DeviceClass {
            extended_resource_name: name.map(|name| interner.text(name)),
            meta: self.metadata.read(interner),
            spec: self.spec,
        }
    }
}
