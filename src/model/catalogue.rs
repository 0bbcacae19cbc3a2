//! What a cloud says of its machines: facts before any NodeClass, as its API, a price list or a table gives them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::names::{InstanceTypeName, Str};
use super::time::Timestamp;

/// Facts that the user gave beside the cluster's own objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// EC2's instance types, in the order of the file; a later entry of a name replaces an earlier one.
    pub ec2: Vec<Arc<Ec2InstanceType>>,
    /// The zones in which EC2 offers a type.
    pub ec2_zones: BTreeMap<InstanceTypeName, Vec<Str>>,
    /// Azure's sizes, in the order of the file.
    pub azure: Vec<Arc<AzureVmSize>>,
    /// On-demand prices an hour by type.
    pub on_demand: BTreeMap<InstanceTypeName, f64>,
    /// Spot prices an hour, in the order of the file.
    pub spot: Vec<SpotPrice>,
    /// Where all this was read.
    pub files: Vec<CatalogueFile>,
}

impl Catalogue {
    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Adds what another file gave; later facts replace earlier ones of the same name.
    pub fn extend(&mut self, other: Self) {
        self.ec2.extend(other.ec2);
        self.azure.extend(other.azure);
        for (name, zones) in other.ec2_zones {
            let known = self.ec2_zones.entry(name).or_default();
            known.extend(zones);
            known.sort();
            known.dedup();
        }
        self.on_demand.extend(other.on_demand);
        self.spot.extend(other.spot);
        self.files.extend(other.files);
    }
}

/// One file of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueFile {
    /// The file's name, as given.
    pub name: String,
    /// What it holds.
    pub kind: CatalogueFileKind,
    /// How many entries were read.
    pub entries: usize,
    /// The region that the file itself names.
    pub region: Option<Str>,
    /// The newest date in it.
    pub newest: Option<Timestamp>,
}

/// What a file of facts holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CatalogueFileKind {
    /// `aws ec2 describe-instance-types`.
    Ec2InstanceTypes,
    /// `aws ec2 describe-instance-type-offerings`.
    Ec2Offerings,
    /// `aws pricing get-products`.
    AwsPriceList,
    /// `aws ec2 describe-spot-price-history`.
    AwsSpotPrices,
    /// `az vm list-skus`.
    AzureSkus,
    /// Azure's retail prices.
    AzurePrices,
}

impl CatalogueFileKind {
    /// The command that makes such a file.
    pub const fn command(self) -> &'static str {
        match self {
            Self::Ec2InstanceTypes => "aws ec2 describe-instance-types",
            Self::Ec2Offerings => "aws ec2 describe-instance-type-offerings",
            Self::AwsPriceList => "aws pricing get-products",
            Self::AwsSpotPrices => "aws ec2 describe-spot-price-history",
            Self::AzureSkus => "az vm list-skus",
            Self::AzurePrices => "Azure retail prices",
        }
    }
}

/// A spot price at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct SpotPrice {
    /// The type.
    pub instance_type: InstanceTypeName,
    /// The zone.
    pub zone: Str,
    /// US dollars an hour.
    pub price: f64,
    /// Since when.
    pub since: Option<Timestamp>,
}

/// An EC2 instance type. Texts are as Karpenter's labels have them: lower case, without blanks.
#[derive(Clone, Debug, PartialEq)]
pub struct Ec2InstanceType {
    /// Its name.
    pub name: InstanceTypeName,
    /// `kubernetes.io/arch`.
    pub arch: Str,
    /// vCPUs.
    pub vcpus: i64,
    /// Advertised memory in MiB.
    pub memory_mib: i64,
    /// How it is sold; `None` when that is not known.
    pub capacity_types: Option<Vec<Str>>,
    /// `nitro`, `xen`; empty on bare metal.
    pub hypervisor: Str,
    /// Who made the processor; empty when not known.
    pub cpu_manufacturer: Str,
    /// The processor's sustained clock, 0 where EC2 states none; `None` when not known.
    pub clock_mhz: Option<i64>,
    /// Local storage in units of 10^9 bytes.
    pub instance_store_gb: Option<i64>,
    /// Whether the local storage is NVMe.
    pub has_nvme: bool,
    /// Most EBS bandwidth in Mbit/s, where EBS optimisation is on by default.
    pub ebs_mbps: Option<i64>,
    /// Interfaces and addresses; `None` when not known.
    pub interfaces: Option<NetworkInterfaces>,
    /// Baseline network bandwidth in Mbit/s.
    pub network_mbps: Option<i64>,
    /// Branch interfaces for pods of their own.
    pub branch_interfaces: i64,
    /// Most EFA interfaces.
    pub efa_interfaces: i64,
    /// Whether traffic in transit is encrypted.
    pub encrypts_in_transit: bool,
    /// GPUs, one entry a kind.
    pub gpus: Vec<Gpu>,
    /// Neuron devices, one entry a kind.
    pub neuron_devices: Vec<NeuronDevice>,
    /// Other inference accelerators, one entry a kind.
    pub accelerators: Vec<Accelerator>,
}

/// The interfaces of an EC2 instance type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkInterfaces {
    /// Interfaces of the default network card.
    pub on_default_card: i64,
    /// IPv4 addresses of one interface.
    pub ipv4_addresses: i64,
}

/// A kind of GPU in a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Its name.
    pub name: Str,
    /// Its maker.
    pub manufacturer: Str,
    /// How many; 0 for a part of one.
    pub count: i64,
    /// Memory of one in MiB.
    pub memory_mib: i64,
}

/// A kind of Neuron device in a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeuronDevice {
    /// Its name.
    pub name: Str,
    /// How many.
    pub count: i64,
    /// Cores of one.
    pub cores: i64,
}

/// A kind of inference accelerator in a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accelerator {
    /// Its name.
    pub name: Str,
    /// Its maker.
    pub manufacturer: Str,
    /// How many.
    pub count: i64,
}

/// An Azure VM size.
#[derive(Clone, Debug, PartialEq)]
pub struct AzureVmSize {
    /// Its name, such as `Standard_D4s_v5`.
    pub name: InstanceTypeName,
    /// `kubernetes.io/arch`.
    pub arch: Str,
    /// vCPUs.
    pub vcpus: i64,
    /// Memory in MiB.
    pub memory_mib: i64,
    /// GPUs, as the SKU API counts them.
    pub gpus: i64,
    /// Who made the GPUs, where Karpenter supports them; empty otherwise.
    pub gpu_manufacturer: Str,
    /// `karpenter.azure.com/sku-gpu-name`; empty without one.
    pub gpu_name: Str,
    /// The family, as quota counts it.
    pub sku_family: Str,
    /// `karpenter.azure.com/sku-family`.
    pub family: Str,
    /// `karpenter.azure.com/sku-series`.
    pub series: Str,
    /// `karpenter.azure.com/sku-version`.
    pub version: Str,
    /// Why Karpenter drops the size whatever the cluster asks; empty when it does not.
    pub excluded: Str,
    /// Whether Karpenter's list of sizes with prices has it.
    pub is_known: bool,
    /// Whether it can be had as spot; `None` when not known.
    pub has_spot: Option<bool>,
    /// Whether networking can be accelerated; `None` when not known.
    pub has_accelerated_networking: Option<bool>,
    /// Whether it takes premium disks; `None` when not known.
    pub has_premium_storage: Option<bool>,
    /// Zone numbers; `None` when not known.
    pub zones: Option<Vec<Str>>,
}
