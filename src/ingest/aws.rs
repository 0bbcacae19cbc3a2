//! What the AWS command line prints of instance types, where they are offered, and what they cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::model::catalogue::{
    Accelerator, Catalogue, CatalogueFile, CatalogueFileKind, Ec2InstanceType, Gpu,
    NetworkInterfaces, NeuronDevice, SpotPrice,
};
use crate::model::names::{InstanceTypeName, Str};
use crate::model::time::Timestamp;

/// Reads one document of the AWS command line; `None` when it is nothing of the kind.
pub fn document(value: &Value, file: &str) -> Option<Catalogue> {
    let mut catalogue = Catalogue::default();
    let (kind, entries) = if let Some(types) = value["InstanceTypes"].as_array() {
        catalogue.ec2 = types.iter().filter_map(instance_type).map(Arc::new).collect();
        (CatalogueFileKind::Ec2InstanceTypes, catalogue.ec2.len())
    } else if let Some(offerings) = value["InstanceTypeOfferings"].as_array() {
        catalogue.ec2_zones = zones(offerings);
        (CatalogueFileKind::Ec2Offerings, offerings.len())
    } else if let Some(history) = value["SpotPriceHistory"].as_array() {
        catalogue.spot = history.iter().filter_map(spot_price).collect();
        (CatalogueFileKind::AwsSpotPrices, catalogue.spot.len())
    } else if let Some(products) = value["PriceList"].as_array() {
        let mut prices = PriceList::default();
        for product in products {
            prices.add(product);
        }
        let entries = prices.on_demand.len();
        catalogue.on_demand = prices.on_demand;
        let newest = prices.newest;
        catalogue.files.push(CatalogueFile {
            name: file.to_owned(),
            kind: CatalogueFileKind::AwsPriceList,
            entries,
            region: prices.region,
            newest,
        });
        return Some(catalogue);
    } else {
        return None;
    };
    let newest = catalogue.spot.iter().filter_map(|spot| spot.since).max();
    let region = catalogue.ec2_zones.values().flatten().next().and_then(region_of);
    catalogue.files.push(CatalogueFile { name: file.to_owned(), kind, entries, region, newest });
    Some(catalogue)
}

/// The region of a plain zone; local zones do not count.
fn region_of(zone: &Str) -> Option<Str> {
    let (region, letter) = zone.split_at_checked(zone.len().checked_sub(1)?)?;
    let plain = letter.chars().all(|c| c.is_ascii_lowercase())
        && region.ends_with(|c: char| c.is_ascii_digit());
    plain.then(|| region.into())
}

fn instance_type(entry: &Value) -> Option<Ec2InstanceType> {
    let name = entry["InstanceType"].as_str()?;
    let processor = &entry["ProcessorInfo"];
    let network = &entry["NetworkInfo"];
    let storage = &entry["InstanceStorageInfo"];
    let support = storage["NvmeSupport"].as_str().unwrap_or_default();
    Some(Ec2InstanceType {
        name: InstanceTypeName::from(name),
        arch: arch(processor)?.into(),
        vcpus: entry["VCpuInfo"]["DefaultVCpus"].as_i64()?,
        memory_mib: entry["MemoryInfo"]["SizeInMiB"].as_i64()?,
        capacity_types: entry["SupportedUsageClasses"].as_array().map(|classes| {
            let known = ["on-demand", "spot"].into_iter();
            let listed = |kind: &&str| classes.iter().any(|class| class == *kind);
            known.filter(listed).map(Str::from).collect()
        }),
        hypervisor: entry["Hypervisor"].as_str().unwrap_or_default().into(),
        cpu_manufacturer: label(&processor["Manufacturer"]),
        clock_mhz: Some(megahertz(&processor["SustainedClockSpeedInGhz"])),
        instance_store_gb: storage["TotalSizeInGB"].as_i64(),
        has_nvme: support == "required" || support == "supported",
        ebs_mbps: (entry["EbsInfo"]["EbsOptimizedSupport"] == "default")
            .then(|| entry["EbsInfo"]["EbsOptimizedInfo"]["MaximumBandwidthInMbps"].as_i64())
            .flatten(),
        interfaces: interfaces(network),
        network_mbps: bandwidth(network),
        branch_interfaces: 0,
        efa_interfaces: network["EfaInfo"]["MaximumEfaInterfaces"].as_i64().unwrap_or(0),
        encrypts_in_transit: network["EncryptionInTransitSupported"] == true,
        gpus: list(&entry["GpuInfo"]["Gpus"], |gpu| Gpu {
            name: label(&gpu["Name"]),
            manufacturer: label(&gpu["Manufacturer"]),
            count: gpu["Count"].as_i64().unwrap_or(0),
            memory_mib: gpu["MemoryInfo"]["SizeInMiB"].as_i64().unwrap_or(0),
        }),
        neuron_devices: list(&entry["NeuronInfo"]["NeuronDevices"], |device| NeuronDevice {
            name: label(&device["Name"]),
            count: device["Count"].as_i64().unwrap_or(0),
            cores: device["CoreInfo"]["Count"].as_i64().unwrap_or(0),
        }),
        accelerators: list(&entry["InferenceAcceleratorInfo"]["Accelerators"], |it| Accelerator {
            name: label(&it["Name"]),
            manufacturer: label(&it["Manufacturer"]),
            count: it["Count"].as_i64().unwrap_or(0),
        }),
    })
}

/// The first architecture that Kubernetes has a word for.
fn arch(processor: &Value) -> Option<&'static str> {
    let supported = processor["SupportedArchitectures"].as_array()?;
    supported.iter().find_map(|arch| match arch.as_str()? {
        "x86_64" => Some("amd64"),
        "arm64" => Some("arm64"),
        _ => None,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "a clock of a few thousand megahertz")]
fn megahertz(gigahertz: &Value) -> i64 {
    (gigahertz.as_f64().unwrap_or(0.0) * 1000.0).round() as i64
}

/// Interfaces of the default card: a machine may have more on others, but they carry no pods.
fn interfaces(network: &Value) -> Option<NetworkInterfaces> {
    let default_card = network["DefaultNetworkCardIndex"].as_i64().unwrap_or(0);
    let cards = network["NetworkCards"].as_array();
    let card = cards
        .into_iter()
        .flatten()
        .find(|card| card["NetworkCardIndex"].as_i64().unwrap_or(0) == default_card);
    let on_card = card.and_then(|card| card["MaximumNetworkInterfaces"].as_i64());
    let on_default_card = on_card.or_else(|| network["MaximumNetworkInterfaces"].as_i64())?;
    let ipv4_addresses = network["Ipv4AddressesPerInterface"].as_i64()?;
    Some(NetworkInterfaces { on_default_card, ipv4_addresses })
}

#[expect(clippy::cast_possible_truncation, reason = "a bandwidth of a few million Mbit/s")]
fn bandwidth(network: &Value) -> Option<i64> {
    let cards = network["NetworkCards"].as_array()?;
    let each = cards.iter().map(|card| card["BaselineBandwidthInGbps"].as_f64());
    let all: Option<f64> = each.sum();
    all.filter(|gigabits| *gigabits > 0.0).map(|gigabits| (gigabits * 1000.0).round() as i64)
}

/// Lower case, without blanks: as Karpenter's labels have it.
fn label(value: &Value) -> Str {
    value.as_str().unwrap_or_default().to_ascii_lowercase().replace(' ', "-").into()
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().into_iter().flatten().map(read).collect()
}

fn zones(offerings: &[Value]) -> BTreeMap<InstanceTypeName, Vec<Str>> {
    let mut zones: BTreeMap<InstanceTypeName, Vec<Str>> = BTreeMap::new();
    for offering in offerings {
        let Some(name) = offering["InstanceType"].as_str() else { continue };
        let Some(zone) = offering["Location"].as_str() else { continue };
        zones.entry(InstanceTypeName::from(name)).or_default().push(zone.into());
    }
    for zones in zones.values_mut() {
        zones.sort();
        zones.dedup();
    }
    zones
}

fn spot_price(entry: &Value) -> Option<SpotPrice> {
    let product = entry["ProductDescription"].as_str().unwrap_or("Linux/UNIX");
    if !product.starts_with("Linux/UNIX") {
        return None;
    }
    Some(SpotPrice {
        instance_type: entry["InstanceType"].as_str()?.into(),
        zone: entry["AvailabilityZone"].as_str()?.into(),
        price: dollars(&entry["SpotPrice"])?,
        since: entry["Timestamp"].as_str().and_then(|time| time.parse().ok()),
    })
}

#[derive(Default)]
struct PriceList {
    on_demand: BTreeMap<InstanceTypeName, f64>,
    region: Option<Str>,
    newest: Option<Timestamp>,
}

impl PriceList {
    /// Takes over the price of one product: of Linux without more software, shared, or dedicated for bare metal.
    fn add(&mut self, product: &Value) {
        let parsed: Option<Value> =
            product.as_str().and_then(|text| serde_json::from_str(text).ok());
        let product = parsed.as_ref().unwrap_or(product);
        let attributes = &product["product"]["attributes"];
        let Some(name) = attributes["instanceType"].as_str() else { return };
        let is_metal = name.contains(".metal");
        let tenancy = if is_metal { "Dedicated" } else { "Shared" };
        let wanted = [
            ("operatingSystem", "Linux"),
            ("preInstalledSw", "NA"),
            ("capacitystatus", "Used"),
            ("tenancy", tenancy),
        ];
        let differs = |&(key, value): &(&str, &str)| {
            attributes[key].as_str().is_some_and(|listed| listed != value)
        };
        if wanted.iter().any(differs) {
            return;
        }
        let terms = product["terms"]["OnDemand"].as_object().into_iter().flatten();
        for (_, term) in terms {
            let dimensions = term["priceDimensions"].as_object().into_iter().flatten();
            let prices = dimensions.filter_map(|(_, dimension)| {
                let unit = &dimension["pricePerUnit"];
                dollars(&unit["USD"]).or_else(|| dollars(&unit["CNY"]))
            });
            let Some(price) = prices.into_iter().find(|price| *price > 0.0) else { continue };
            self.on_demand.insert(name.into(), price);
            let since = term["effectiveDate"].as_str().and_then(|time| time.parse().ok());
            self.newest = self.newest.max(since);
            self.region =
                self.region.take().or_else(|| attributes["regionCode"].as_str().map(Str::from));
        }
    }
}

/// A price, written as text or as a number; nothing below zero, nothing that is no number.
fn dollars(value: &Value) -> Option<f64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_f64(),
        _ => None,
    };
    number.filter(|price: &f64| price.is_finite() && *price >= 0.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_instance_type_is_read_as_karpenter_reads_it() {
        let value = json!({"InstanceTypes": [{
            "InstanceType": "g5.xlarge",
            "SupportedUsageClasses": ["on-demand", "spot", "capacity-block"],
            "Hypervisor": "nitro",
            "ProcessorInfo": {"SupportedArchitectures": ["i386", "x86_64"], "Manufacturer": "AMD",
                              "SustainedClockSpeedInGhz": 3.3},
            "VCpuInfo": {"DefaultVCpus": 4},
            "MemoryInfo": {"SizeInMiB": 16384},
            "InstanceStorageInfo": {"TotalSizeInGB": 250, "NvmeSupport": "required"},
            "EbsInfo": {"EbsOptimizedSupport": "default",
                        "EbsOptimizedInfo": {"MaximumBandwidthInMbps": 3500}},
            "NetworkInfo": {"MaximumNetworkInterfaces": 8, "Ipv4AddressesPerInterface": 15,
                            "DefaultNetworkCardIndex": 0, "EncryptionInTransitSupported": true,
                            "NetworkCards": [
                                {"NetworkCardIndex": 0, "MaximumNetworkInterfaces": 4,
                                 "BaselineBandwidthInGbps": 2.5},
                                {"NetworkCardIndex": 1, "MaximumNetworkInterfaces": 4,
                                 "BaselineBandwidthInGbps": 2.5}]},
            "GpuInfo": {"Gpus": [{"Name": "A10G", "Manufacturer": "NVIDIA", "Count": 1,
                                  "MemoryInfo": {"SizeInMiB": 22888}}]}
        }, {"InstanceType": "mac1.metal", "ProcessorInfo": {"SupportedArchitectures": ["x86_64_mac"]}}]});
        let catalogue = document(&value, "types.json").expect("a list");
        let [facts] = &catalogue.ec2[..] else { panic!("one type") };
        assert_eq!((facts.vcpus, facts.memory_mib, &*facts.arch), (4, 16384, "amd64"));
        let interfaces = NetworkInterfaces { on_default_card: 4, ipv4_addresses: 15 };
        assert_eq!(facts.interfaces, Some(interfaces));
        assert_eq!((facts.clock_mhz, facts.network_mbps), (Some(3300), Some(5000)));
        assert_eq!((&*facts.gpus[0].name, &*facts.gpus[0].manufacturer), ("a10g", "nvidia"));
        let kinds: Vec<Str> = vec!["on-demand".into(), "spot".into()];
        assert_eq!(facts.capacity_types, Some(kinds));
        assert_eq!(catalogue.files[0].kind, CatalogueFileKind::Ec2InstanceTypes);
    }

    #[test]
    fn offerings_and_prices_are_read() {
        let offerings = json!({"InstanceTypeOfferings": [
            {"InstanceType": "m5.large", "LocationType": "availability-zone", "Location": "us-east-1b"},
            {"InstanceType": "m5.large", "LocationType": "availability-zone", "Location": "us-east-1a"}]});
        let read = document(&offerings, "offerings.json").expect("offerings");
        assert_eq!(
            &*read.ec2_zones[&InstanceTypeName::from("m5.large")].join(" "),
            "us-east-1a us-east-1b"
        );
        assert_eq!(read.files[0].region.as_deref(), Some("us-east-1"));
        let spot = json!({"SpotPriceHistory": [
            {"InstanceType": "m5.large", "AvailabilityZone": "us-east-1a", "SpotPrice": "0.0364",
             "ProductDescription": "Linux/UNIX", "Timestamp": "2026-07-20T09:00:00+00:00"},
            {"InstanceType": "m5.large", "AvailabilityZone": "us-east-1a", "SpotPrice": "0.2",
             "ProductDescription": "Windows", "Timestamp": "2026-07-20T09:30:00+00:00"}]});
        let read = document(&spot, "spot.json").expect("prices");
        assert_eq!(read.spot.len(), 1);
        assert!((read.spot[0].price - 0.0364).abs() < 1e-9);
        assert_eq!(read.files[0].newest, "2026-07-20T09:00:00Z".parse().ok());
        assert_eq!(document(&json!({"Reservations": []}), "x.json"), None);
    }

    #[test]
    fn a_price_list_holds_json_in_text() {
        let product = |name: &str, tenancy: &str, usd: &str| {
            json!({"product": {"attributes": {"instanceType": name, "regionCode": "eu-west-1",
                       "operatingSystem": "Linux", "preInstalledSw": "NA", "capacitystatus": "Used",
                       "tenancy": tenancy}},
                   "terms": {"OnDemand": {"x": {"effectiveDate": "2026-07-01T00:00:00Z",
                       "priceDimensions": {"y": {"pricePerUnit": {"USD": usd}}}}}}})
        };
        let list = json!({"PriceList": [
            product("m5.large", "Shared", "0.1070000000").to_string(),
            product("m5.large", "Dedicated", "0.2").to_string(),
            product("m5.metal", "Dedicated", "5.5"),
            product("c5.large", "Shared", "0.0000000000"),
        ]});
        let read = document(&list, "prices.json").expect("prices");
        let prices: Vec<String> =
            read.on_demand.iter().map(|(name, price)| format!("{name} {price}")).collect();
        assert_eq!(prices, ["m5.large 0.107", "m5.metal 5.5"]);
        assert_eq!(read.files[0].region.as_deref(), Some("eu-west-1"));
    }
}
