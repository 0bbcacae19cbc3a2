//! The catalogue that is built in: public facts of AWS and Azure, with their dates.
//!
//! `tests/built_in_catalogue.rs` makes the compact files in `data/` from the full tables.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Arc, LazyLock};

use crate::model::catalogue::{
    Accelerator, AzureVmSize, Ec2InstanceType, Gpu, NetworkInterfaces, NeuronDevice,
};
use crate::model::names::{InstanceTypeName, Str};

/// The day of the documentation that the AWS facts agree with.
pub const AWS_DATE: &str = "2026-07-11";
/// The day of the table of Azure's sizes.
pub const AZURE_DATE: &str = "2026-07-16";
/// The day of the Azure price list.
pub const AZURE_PRICES_DATE: &str = "2026-06-18";

/// AWS as the built-in tables know it.
pub struct Aws {
    /// Types in the order of their names.
    pub types: Vec<BuiltInEc2Type>,
    /// On-demand prices by region.
    pub prices: BTreeMap<Str, PriceList>,
}

/// An EC2 type, and when its documentation had it.
#[derive(Clone, Debug)]
pub struct BuiltInEc2Type {
    /// Its facts.
    pub facts: Arc<Ec2InstanceType>,
    /// The day of the oldest documentation that lists it.
    pub first_documented: Str,
    /// The day of the newest documentation that lists it.
    pub last_documented: Str,
}

impl BuiltInEc2Type {
    /// Whether the newest documentation no longer lists it.
    pub fn is_retired(&self) -> bool {
        &*self.last_documented < AWS_DATE
    }
}

/// On-demand prices of one region.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceList {
    /// The region.
    pub region: Str,
    /// The day of the list.
    pub date: Str,
    /// What the numbers count.
    pub currency: &'static str,
    /// Price an hour by type.
    pub prices: BTreeMap<InstanceTypeName, f64>,
}

/// Azure as the built-in tables know it.
pub struct Azure {
    /// Sizes in the order of their names.
    pub sizes: Vec<Arc<AzureVmSize>>,
    /// Pay-as-you-go prices by region.
    pub prices: BTreeMap<Str, PriceList>,
}

impl Aws {
    /// A type by its name.
    pub fn get(&self, name: &str) -> Option<&BuiltInEc2Type> {
        let found = self.types.binary_search_by(|listed| listed.facts.name.as_str().cmp(name));
        found.ok().map(|index| &self.types[index])
    }
}

impl Azure {
    /// A size by its name.
    pub fn get(&self, name: &str) -> Option<&Arc<AzureVmSize>> {
        let found = self.sizes.binary_search_by(|listed| listed.name.as_str().cmp(name));
        found.ok().map(|index| &self.sizes[index])
    }
}

/// The AWS tables; decoded when first asked for.
pub fn aws() -> &'static Aws {
    static AWS: LazyLock<Aws> = LazyLock::new(|| {
        let table = Table::decode(include_bytes!("data/aws-instance-types.tsv.gz"));
        let mut types: Vec<_> = table.rows().map(ec2_type).collect();
        types.sort_by(|a, b| a.facts.name.cmp(&b.facts.name));
        Aws { types, prices: aws_prices() }
    });
    &AWS
}

/// The Azure tables; decoded when first asked for.
pub fn azure() -> &'static Azure {
    static AZURE: LazyLock<Azure> = LazyLock::new(|| {
        let table = Table::decode(include_bytes!("data/azure-vm-sizes.tsv.gz"));
        let mut sizes: Vec<_> = table.rows().map(|row| Arc::new(azure_size(row))).collect();
        sizes.sort_by(|a, b| a.name.cmp(&b.name));
        Azure { sizes, prices: azure_prices(&table) }
    });
    &AZURE
}

fn ec2_type(row: Row<'_>) -> BuiltInEc2Type {
    let hypervisor = row.text("hypervisor");
    let interfaces = row.number("eni").zip(row.number("ipv4_per_eni"));
    let named = |key: &str| (!row.text(key).is_empty()).then(|| Str::from(row.text(key)));
    let gpu = named("gpu_name").map(|name| Gpu {
        name,
        manufacturer: row.text("gpu_mfr").into(),
        count: row.number("gpu_count").unwrap_or(0),
        memory_mib: row.number("gpu_mem_mib").unwrap_or(0),
    });
    let count = row.number("acc_count").unwrap_or(0);
    let neuron = row.number("neuron").zip(named("acc_name"));
    let neuron = neuron.map(|(devices, name)| NeuronDevice {
        name,
        count: devices,
        cores: row.number("neuroncore").unwrap_or(0) / devices.max(1),
    });
    let accelerator = named("acc_name").filter(|_| neuron.is_none()).map(|name| Accelerator {
        name,
        manufacturer: row.text("acc_mfr").into(),
        count,
    });
    let facts = Ec2InstanceType {
        name: row.text("name").into(),
        arch: row.text("arch").into(),
        vcpus: row.number("vcpu").unwrap_or(0),
        memory_mib: row.number("mem_mib").unwrap_or(0),
        capacity_types: None,
        hypervisor: if hypervisor == "metal" { "" } else { hypervisor }.into(),
        cpu_manufacturer: row.text("cpu_mfr").into(),
        clock_mhz: row.number("cpu_mhz"),
        instance_store_gb: row.number("nvme_gb"),
        has_nvme: row.number("nvme_gb").is_some(),
        ebs_mbps: row.number("ebs_mbps"),
        interfaces: interfaces.map(|(on_default_card, ipv4_addresses)| NetworkInterfaces {
            on_default_card,
            ipv4_addresses,
        }),
        network_mbps: row.number("net_mbps"),
        branch_interfaces: row.number("pod_eni").unwrap_or(0),
        efa_interfaces: row.number("efa").unwrap_or(0),
        encrypts_in_transit: row.text("enc_transit") == "1",
        gpus: gpu.into_iter().collect(),
        neuron_devices: neuron.into_iter().collect(),
        accelerators: accelerator.into_iter().collect(),
    };
    BuiltInEc2Type {
        facts: Arc::new(facts),
        first_documented: row.text("first_doc").into(),
        last_documented: row.text("doc_date").into(),
    }
}

/// Columns are named `region`, `region@month` or `region:currency`; of two lists of a region the first is kept.
fn aws_prices() -> BTreeMap<Str, PriceList> {
    let table = Table::decode(include_bytes!("data/aws-prices.tsv.gz"));
    let mut lists = BTreeMap::new();
    for column in table.columns().into_iter().skip(1) {
        let (name, currency) = column.split_once(':').unwrap_or((column, "USD"));
        let (region, date) = match name.split_once('@') {
            Some((region, "2025-04")) => (region, "2025-04-04"),
            Some((region, date)) => (region, date),
            None if currency == "CNY" => (name, "2024-11-06"),
            None => (name, "2026-07-20"),
        };
        let currency = if currency == "CNY" { "CNY" } else { "USD" };
        let list = price_list(&table, column, (region, date, currency));
        lists.entry(Str::from(region)).or_insert(list);
    }
    lists
}

fn azure_size(row: Row<'_>) -> AzureVmSize {
    AzureVmSize {
        name: row.text("name").into(),
        arch: row.text("arch").into(),
        vcpus: row.number("vcpu").unwrap_or(0),
        memory_mib: row.number("mem_mib_floor_gib").unwrap_or(0),
        gpus: row.number("gpu").unwrap_or(0),
        gpu_manufacturer: row.text("gpu_mfr").into(),
        gpu_name: row.text("lbl_gpu_name").into(),
        sku_family: row.text("sku_family").into(),
        family: row.text("lbl_family").into(),
        series: row.text("lbl_series").into(),
        version: row.text("lbl_version").into(),
        excluded: row.text("excluded").into(),
        is_known: row.text("known") == "1",
        has_spot: None,
        has_accelerated_networking: None,
        has_premium_storage: None,
        zones: None,
    }
}

fn azure_prices(table: &Table) -> BTreeMap<Str, PriceList> {
    let columns = table.columns().into_iter().filter_map(|column| {
        let region = column.strip_prefix("od_usd_")?;
        Some((Str::from(region), price_list(table, column, (region, AZURE_PRICES_DATE, "USD"))))
    });
    columns.collect()
}

fn price_list(
    table: &Table,
    column: &str,
    (region, date, currency): (&str, &str, &'static str),
) -> PriceList {
    let prices = table.rows().filter_map(|row| {
        let price = row.text(column).parse().ok()?;
        Some((InstanceTypeName::from(row.text("name")), price))
    });
    PriceList { region: region.into(), date: date.into(), currency, prices: prices.collect() }
}

/// A table with a header line, tabs between cells.
struct Table {
    text: String,
}

#[derive(Clone, Copy)]
struct Row<'a> {
    header: &'a str,
    line: &'a str,
}

impl Table {
    /// The files are part of the program: one that cannot be read is a broken build, which the tests find.
    fn decode(packed: &[u8]) -> Self {
        let mut text = String::new();
        flate2::read::GzDecoder::new(packed)
            .read_to_string(&mut text)
            .expect("the built-in tables are whole");
        Self { text }
    }

    fn header(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    fn columns(&self) -> Vec<&str> {
        self.header().split('\t').collect()
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.text.lines().skip(1).map(|line| Row { header: self.header(), line })
    }
}

impl<'a> Row<'a> {
    /// The cell of a column; empty when there is none.
    fn text(self, column: &str) -> &'a str {
        let found = self.header.split('\t').zip(self.line.split('\t'));
        found.into_iter().find(|(name, _)| *name == column).map_or("", |(_, cell)| cell)
    }

    fn number(self, column: &str) -> Option<i64> {
        self.text(column).parse().ok()
    }
}
