//! `Ec2NodeClass`: what an EC2NodeClass says of the machines, with the API's defaults.

use serde_json::Value;

use super::ami_family::AmiFamily;
use crate::model::gap::{Gap, GapKind};
use crate::model::names::Str;
use crate::model::nodepool::NodeClass;
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;

/// The parts of an EC2NodeClass that change an instance type.
#[derive(Clone, Debug, PartialEq)]
pub struct Ec2NodeClass {
    /// The family of its images.
    pub family: AmiFamily,
    /// `spec.kubelet`.
    pub kubelet: Kubelet,
    /// `spec.blockDeviceMappings`.
    pub block_devices: Vec<BlockDevice>,
    /// `spec.instanceStorePolicy: RAID0`.
    pub uses_instance_store: bool,
    /// `spec.networkInterfaces`; `None` when not set.
    pub network_interfaces: Option<Vec<NetworkInterface>>,
    /// `status.subnets`.
    pub subnets: Vec<Subnet>,
    /// `status.capacityReservations`.
    pub reservations: Vec<Reservation>,
    /// Ids of `status.amis`.
    pub amis: Vec<Str>,
    /// Whether `spec.placementGroupSelector` names a placement group.
    pub has_placement_group: bool,
}

impl Default for Ec2NodeClass {
    fn default() -> Self {
        Self {
            family: AmiFamily::Al2023,
            kubelet: Kubelet::default(),
            block_devices: Vec::new(),
            uses_instance_store: false,
            network_interfaces: None,
            subnets: Vec::new(),
            reservations: Vec::new(),
            amis: Vec::new(),
            has_placement_group: false,
        }
    }
}

/// Settings of the kubelet that Karpenter reckons with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kubelet {
    /// `maxPods`, where it is a number.
    pub max_pods: Option<i64>,
    /// `podsPerCore`.
    pub pods_per_core: Option<i64>,
    /// `kubeReserved`.
    pub kube_reserved: Resources,
    /// `systemReserved`.
    pub system_reserved: Resources,
    /// `evictionHard`: threshold by signal, as written.
    pub eviction_hard: Vec<(Str, Str)>,
    /// `evictionSoft`.
    pub eviction_soft: Vec<(Str, Str)>,
}

/// One of `spec.blockDeviceMappings`.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockDevice {
    /// `deviceName`.
    pub device: Str,
    /// `rootVolume`.
    pub is_root: bool,
    /// `ebs.volumeSize`.
    pub size: Option<Quantity>,
}

/// One of `spec.networkInterfaces`.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkInterface {
    /// `networkCardIndex`.
    pub card: i64,
    /// `interfaceType: efa-only`.
    pub is_efa_only: bool,
}

/// One of `status.subnets`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subnet {
    /// `zone`.
    pub zone: Str,
    /// `zoneID`.
    pub zone_id: Option<Str>,
}

/// One of `status.capacityReservations`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reservation {
    /// `id`.
    pub id: Str,
    /// `instanceType`.
    pub instance_type: Str,
    /// `availabilityZone`.
    pub zone: Str,
    /// `availableInstanceCount`.
    pub available: i64,
    /// `reservationType`: `default` or `capacity-block`.
    pub kind: Str,
    /// `interruptible`.
    pub is_interruptible: bool,
    /// `state: expiring`.
    pub is_expiring: bool,
}

impl Ec2NodeClass {
    /// What a NodeClass object says; what is not understood becomes a gap.
    pub fn read(class: &NodeClass) -> (Self, Vec<Gap>) {
        let (spec, status) = (&class.spec, &class.status);
        let subject = format!("ec2nodeclass/{}", class.meta.name);
        let mut gaps = Vec::new();
        let read = Self {
            family: family(spec),
            kubelet: kubelet(&spec["kubelet"]),
            block_devices: list(&spec["blockDeviceMappings"], block_device),
            uses_instance_store: spec["instanceStorePolicy"] == "RAID0",
            network_interfaces: spec["networkInterfaces"].as_array().map(|_| {
                list(&spec["networkInterfaces"], |interface| NetworkInterface {
                    card: interface["networkCardIndex"].as_i64().unwrap_or(0),
                    is_efa_only: interface["interfaceType"] == "efa-only",
                })
            }),
            subnets: list(&status["subnets"], |subnet| Subnet {
                zone: text(&subnet["zone"]),
                zone_id: subnet["zoneID"].as_str().filter(|id| !id.is_empty()).map(Str::from),
            }),
            reservations: list(&status["capacityReservations"], reservation),
            amis: list(&status["amis"], |ami| text(&ami["id"])),
            has_placement_group: !spec["placementGroupSelector"].is_null(),
        };
        if spec["kubelet"]["maxPods"].is_string() {
            // As with the gate NodeClassCEL off, which is the default.
            let detail = "maxPods is an expression: it is not evaluated, as with the feature gate \
                          NodeClassCEL off";
            gaps.push(Gap::new(GapKind::Assumed, subject.clone(), detail));
        }
        if read.has_placement_group {
            let detail = "its placement group is not modelled: offerings are those without it";
            gaps.push(Gap::new(GapKind::NotModelled, subject.clone(), detail));
        }
        if read.subnets.is_empty() {
            let detail = "its status has no subnets: zones are taken from nodes and volumes";
            gaps.push(Gap::new(GapKind::Assumed, subject, detail));
        }
        (read, gaps)
    }

    /// Interfaces of the first card that carry no pod.
    pub fn efa_only_on_first_card(&self) -> i64 {
        let interfaces = self.network_interfaces.iter().flatten();
        count(interfaces.filter(|interface| interface.card == 0 && interface.is_efa_only))
    }

    /// `efa-only` interfaces that are configured; `None` when no interface is.
    pub fn configured_efa(&self) -> Option<i64> {
        let interfaces = self.network_interfaces.as_ref()?;
        Some(count(interfaces.iter().filter(|interface| interface.is_efa_only)))
    }
}

fn count<T>(items: impl Iterator<Item = T>) -> i64 {
    i64::try_from(items.count()).unwrap_or(i64::MAX)
}

fn family(spec: &Value) -> AmiFamily {
    if let Some(name) = spec["amiFamily"].as_str().filter(|name| !name.is_empty()) {
        return AmiFamily::of_name(name);
    }
    let aliases = list(&spec["amiSelectorTerms"], |term| term["alias"].as_str().map(Str::from));
    let alias = aliases.iter().flatten().find_map(|alias| AmiFamily::of_alias(alias));
    alias.unwrap_or(AmiFamily::Custom)
}

fn kubelet(kubelet: &Value) -> Kubelet {
    Kubelet {
        max_pods: kubelet["maxPods"].as_i64(),
        pods_per_core: kubelet["podsPerCore"].as_i64(),
        kube_reserved: resources(&kubelet["kubeReserved"]),
        system_reserved: resources(&kubelet["systemReserved"]),
        eviction_hard: thresholds(&kubelet["evictionHard"]),
        eviction_soft: thresholds(&kubelet["evictionSoft"]),
    }
}

fn block_device(mapping: &Value) -> BlockDevice {
    BlockDevice {
        device: text(&mapping["deviceName"]),
        is_root: mapping["rootVolume"] == true,
        size: quantity(&mapping["ebs"]["volumeSize"]),
    }
}

fn reservation(reservation: &Value) -> Reservation {
    let kind = reservation["reservationType"].as_str().unwrap_or("default");
    Reservation {
        id: text(&reservation["id"]),
        instance_type: text(&reservation["instanceType"]),
        zone: text(&reservation["availabilityZone"]),
        available: reservation["availableInstanceCount"].as_i64().unwrap_or(0),
        kind: kind.into(),
        is_interruptible: reservation["interruptible"] == true,
        is_expiring: reservation["state"] == "expiring",
    }
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().into_iter().flatten().map(read).collect()
}

fn text(value: &Value) -> Str {
    value.as_str().unwrap_or_default().into()
}

fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

fn resources(value: &Value) -> Resources {
    let entries = value.as_object().into_iter().flatten();
    entries.filter_map(|(name, amount)| Some((name.as_str().into(), quantity(amount)?))).collect()
}

fn thresholds(value: &Value) -> Vec<(Str, Str)> {
    let entries = value.as_object().into_iter().flatten();
    entries.map(|(signal, threshold)| (Str::from(signal.as_str()), text(threshold))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(spec: Value) -> Ec2NodeClass {
        Ec2NodeClass::read(&NodeClass { spec, ..NodeClass::default() }).0
    }

    #[test]
    fn the_family_is_named_or_follows_from_the_alias() {
        for (spec, expected) in [
            (json!({"amiSelectorTerms": [{"alias": "al2023@latest"}]}), AmiFamily::Al2023),
            (json!({"amiSelectorTerms": [{"alias": "bottlerocket@1.2"}]}), AmiFamily::Bottlerocket),
            (json!({"amiFamily": "AL2", "amiSelectorTerms": [{"id": "ami-1"}]}), AmiFamily::Al2),
            (json!({"amiSelectorTerms": [{"id": "ami-1"}]}), AmiFamily::Custom),
            (json!({"amiFamily": "Ubuntu"}), AmiFamily::Al2),
        ] {
            assert_eq!(read(spec.clone()).family, expected, "{spec}");
        }
    }

    #[test]
    fn what_is_not_set_keeps_the_defaults() {
        let class = read(json!({"amiSelectorTerms": [{"alias": "al2023@latest"}]}));
        assert_eq!(class, Ec2NodeClass::default());
    }
}
