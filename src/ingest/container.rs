//! Containers: their requests, ports and the few flags that the replays look at.

use serde::Deserialize;

use crate::model::pod::{Container, ContainerPort};

use super::defaults;
use super::intern::Interner;
use super::wire::{Amounts, List, Present, Rare, Text, Word};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawContainer<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    image: Text<'a>,
    #[serde(borrow)]
    resources: RawResources<'a>,
    #[serde(borrow)]
    ports: List<RawPort<'a>>,
    #[serde(borrow)]
    restart_policy: Text<'a>,
    #[serde(borrow)]
    restart_policy_rules: List<RawRestartRule<'a>>,
    volume_mounts: Rare<RawMount, BindMountOptions>,
}

/// `resources`: requests, limits and claims.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawResources<'a> {
    /// Present and empty differs from absent in a pod's status.
    #[serde(borrow)]
    pub requests: Option<Amounts<'a>>,
    #[serde(borrow)]
    pub limits: Amounts<'a>,
    #[serde(borrow)]
    claims: List<super::pod::RawNamed<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawPort<'a> {
    container_port: i32,
    host_port: Option<i32>,
    #[serde(borrow, rename = "hostIP")]
    host_ip: Text<'a>,
    #[serde(borrow)]
    protocol: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawRestartRule<'a> {
    #[serde(borrow)]
    action: Text<'a>,
}

/// What a mount must have to matter.
#[derive(Debug)]
struct BindMountOptions;

impl Word for BindMountOptions {
    const NAME: &'static str = "landed/only with bindMountOptions";
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawMount {
    bind_mount_options: Option<Present>,
}

impl RawContainer<'_> {
    pub fn read(&self, interner: &mut Interner) -> Container {
        let limits = interner.resources(&self.resources.limits);
        let stated = self.resources.requests.as_ref();
        let mut requests = stated.map(|stated| interner.resources(stated)).unwrap_or_default();
        let requests_from_limits = defaults::copy_limits(&mut requests, &limits);
        if !requests_from_limits.is_empty() {
            requests = interner.shared_resources(requests);
        }
        let ports = self.ports.0.iter().map(|port| ContainerPort {
            container_port: port.container_port,
            host_port: port.host_port.unwrap_or(0),
            host_ip: interner.text(port.host_ip.as_str()),
            protocol: interner.text(port.protocol.as_str()),
        });
        let ports = ports.collect();
        let ports = interner.ports(ports);
        Container {
            name: interner.some(&self.name),
            image: interner.some(&self.image),
            requests,
            limits,
            requests_from_limits,
            claims: self
                .resources
                .claims
                .0
                .iter()
                .map(|claim| interner.text(claim.name.as_str()))
                .collect(),
            ports,
            restarts_always: self.restart_policy.as_str() == "Always",
            restarts_all_containers: self
                .restart_policy_rules
                .0
                .iter()
                .any(|rule| rule.action.as_str() == "RestartAllContainers"),
            has_bind_mount_options: self.has_bind_mount_options(),
        }
    }

    pub fn has_bind_mount_options(&self) -> bool {
        self.volume_mounts.0.iter().any(|mount| mount.bind_mount_options.is_some())
    }
}
