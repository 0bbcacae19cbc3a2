//! What the Azure command line and price service print of VM sizes.

use std::sync::Arc;

use serde_json::Value;

use crate::model::catalogue::{
    AzureVmSize, Catalogue, CatalogueFile, CatalogueFileKind, SpotPrice,
};
use crate::model::names::{InstanceTypeName, Str};

/// Reads a list of `az vm list-skus`; `None` when it is nothing of the kind.
pub fn skus(entries: &[Value], file: &str) -> Option<Catalogue> {
    let is_sku = |entry: &Value| entry["resourceType"] == "virtualMachines";
    if !entries.iter().any(is_sku) {
        return None;
    }
    let mut catalogue = Catalogue::default();
    let sizes = entries.iter().filter(|entry| is_sku(entry)).filter_map(size);
    catalogue.azure = sizes.map(Arc::new).collect();
    let entries = catalogue.azure.len();
    catalogue.files.push(described(file, CatalogueFileKind::AzureSkus, entries));
    Some(catalogue)
}

/// Reads a page of Azure's retail prices; `None` when it is nothing of the kind.
pub fn prices(value: &Value, file: &str) -> Option<Catalogue> {
    let items = value["Items"].as_array()?;
    let mut catalogue = Catalogue::default();
    for item in items {
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        let is_other = text("productName").ends_with(" Windows")
            || text("meterName").ends_with(" Low Priority")
            || !matches!(text("type"), "" | "Consumption");
        let (Some(price), false) = (item["retailPrice"].as_f64(), is_other) else { continue };
        let name = InstanceTypeName::from(text("armSkuName"));
        if name.as_str().is_empty() {
            continue;
        }
        if text("skuName").ends_with(" Spot") {
            catalogue.spot.push(SpotPrice {
                instance_type: name,
                zone: "".into(),
                price,
                since: None,
            });
        } else {
            catalogue.on_demand.insert(name, price);
        }
    }
    let entries = catalogue.on_demand.len() + catalogue.spot.len();
    catalogue.files.push(described(file, CatalogueFileKind::AzurePrices, entries));
    (entries > 0).then_some(catalogue)
}

fn described(file: &str, kind: CatalogueFileKind, entries: usize) -> CatalogueFile {
    CatalogueFile { name: file.to_owned(), kind, entries, region: None, newest: None }
}

/// One SKU. What its name tells (family, series, version) is left to the model of the provider.
fn size(entry: &Value) -> Option<AzureVmSize> {
    let capability = |name: &str| {
        let listed = entry["capabilities"].as_array().into_iter().flatten();
        let mut found = listed.filter(|it| it["name"] == name);
        found.next().and_then(|it| it["value"].as_str())
    };
    let yes = |name: &str| capability(name).map(|value| value.eq_ignore_ascii_case("true"));
    let restricted = entry["restrictions"].as_array().into_iter().flatten();
    let is_restricted = restricted.into_iter().any(|it| it["type"] == "Location");
    let zones = entry["locationInfo"].as_array().and_then(|places| places.first());
    let zones = zones.and_then(|place| place["zones"].as_array());
    let zones = zones.map(|zones| {
        let mut zones: Vec<Str> =
            zones.iter().filter_map(|zone| Some(zone.as_str()?.into())).collect();
        zones.sort();
        zones
    });
    Some(AzureVmSize {
        name: entry["name"].as_str()?.into(),
        arch: if capability("CpuArchitectureType") == Some("Arm64") { "arm64" } else { "amd64" }
            .into(),
        vcpus: capability("vCPUs")?.parse().ok()?,
        memory_mib: mebibytes(capability("MemoryGB")?)?,
        gpus: capability("GPUs").and_then(|count| count.parse().ok()).unwrap_or(0),
        gpu_manufacturer: "".into(),
        gpu_name: "".into(),
        sku_family: entry["family"].as_str().unwrap_or_default().into(),
        family: "".into(),
        series: "".into(),
        version: "".into(),
        excluded: if is_restricted { "restricted" } else { "" }.into(),
        is_known: true,
        has_spot: yes("LowPriorityCapable"),
        has_accelerated_networking: yes("AcceleratedNetworkingEnabled"),
        has_premium_storage: yes("PremiumIO"),
        zones: Some(zones.unwrap_or_default()),
    })
}

/// The capability is called GB and counts GiB.
#[expect(clippy::cast_possible_truncation, reason = "a memory of a few million MiB")]
fn mebibytes(gibibytes: &str) -> Option<i64> {
    let gibibytes: f64 = gibibytes.parse().ok()?;
    (0.0..1e6).contains(&gibibytes).then_some((gibibytes * 1024.0) as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn skus_and_prices_are_read() {
        let entries = json!([{
            "resourceType": "virtualMachines", "name": "Standard_M8ms", "family": "standardMSFamily",
            "capabilities": [{"name": "vCPUs", "value": "8"}, {"name": "MemoryGB", "value": "218.75"},
                             {"name": "LowPriorityCapable", "value": "True"}],
            "locationInfo": [{"location": "eastus", "zones": ["3", "1"]}], "restrictions": []
        }]);
        let read = skus(entries.as_array().expect("a list"), "skus.json").expect("sizes");
        let [size] = &read.azure[..] else { panic!("one size") };
        assert_eq!((size.vcpus, size.memory_mib, size.has_spot), (8, 224_000, Some(true)));
        assert_eq!(size.zones.as_ref().map(|zones| zones.join(" ")).as_deref(), Some("1 3"));
        let page = json!({"Items": [
            {"armSkuName": "Standard_D2s_v5", "skuName": "D2s v5", "productName": "Dsv5", "retailPrice": 0.096},
            {"armSkuName": "Standard_D2s_v5", "skuName": "D2s v5 Spot", "productName": "Dsv5", "retailPrice": 0.02},
            {"armSkuName": "Standard_D2s_v5", "skuName": "D2s v5", "productName": "Dsv5 Windows", "retailPrice": 0.2}]});
        let read = prices(&page, "prices.json").expect("prices");
        assert_eq!((read.on_demand.len(), read.spot.len()), (1, 1));
        assert_eq!(prices(&json!({"items": []}), "x"), None);
    }
}
