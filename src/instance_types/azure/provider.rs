//! `AzureProvider`: the model of `karpenter-provider-azure` over everything that is known of a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::instance_types::correct::correct;
use crate::instance_types::observed::Observed;
use crate::instance_types::requirement::{in_values, meets, only_value};
use crate::instance_types::unavailable::Unavailable;
use crate::karpenter::{CloudProvider, Launch, NewNodeClaim};
use crate::model::catalogue::AzureVmSize;
use crate::model::gap::Gap;
use crate::model::instance_type::{InstanceType, Offering};
use crate::model::labels;
use crate::model::names::{InstanceTypeName, Str};
use crate::model::nodepool::{NodeClass, NodeClassRef, NodePool, NodeRequirement};
use crate::model::resources::Resources;
use crate::model::time::Timestamp;

use super::arithmetic::{AksNodeClass, AzureSettings, capacity, overhead};

/// The domain of Karpenter's own labels on Azure.
pub const DOMAIN: &str = "karpenter.azure.com";
/// The price of what no list has: the last choice.
const UNKNOWN_PRICE: f64 = 999.0;
/// The zone of an offering that is bound to none.
const REGIONAL: &str = "0";

/// Label keys that are well known beside core's own.
const WELL_KNOWN: [&str; 23] = [
    "karpenter.azure.com/sku-name",
    "karpenter.azure.com/sku-family",
    "karpenter.azure.com/sku-series",
    "karpenter.azure.com/sku-version",
    "karpenter.azure.com/sku-cpu",
    "karpenter.azure.com/sku-memory",
    "karpenter.azure.com/sku-networking-accelerated",
    "karpenter.azure.com/sku-storage-premium-capable",
    "karpenter.azure.com/sku-storage-ephemeralos-maxsize",
    "karpenter.azure.com/sku-storage-ultra-ssd",
    "karpenter.azure.com/sku-gpu-name",
    "karpenter.azure.com/sku-gpu-manufacturer",
    "karpenter.azure.com/sku-gpu-count",
    "karpenter.azure.com/sku-hyperv-generation",
    "karpenter.azure.com/placement-scope",
    "kubernetes.azure.com/sku-cpu",
    "kubernetes.azure.com/sku-memory",
    "kubernetes.azure.com/cluster",
    "kubernetes.azure.com/mode",
    "kubernetes.azure.com/scalesetpriority",
    "kubernetes.azure.com/priority",
    "kubernetes.azure.com/os-sku",
    "kubernetes.azure.com/fips_enabled",
];

/// The model of Azure. What is large is shared: the model of another moment is cheap to make.
#[derive(Clone)]
pub struct AzureProvider {
    /// Sizes in the order of their names.
    pub sizes: Arc<BTreeMap<InstanceTypeName, Arc<AzureVmSize>>>,
    /// Karpenter's settings.
    pub settings: AzureSettings,
    /// The region.
    pub region: Str,
    /// Pay-as-you-go prices.
    pub prices: Arc<BTreeMap<InstanceTypeName, f64>>,
    /// Spot prices; `None` when none are known.
    pub spot_prices: Option<Arc<BTreeMap<InstanceTypeName, f64>>>,
    /// Zones, as `<region>-<n>`.
    pub zones: Vec<Str>,
    /// `kubernetes.azure.com/cluster`, where a node tells.
    pub cluster: Option<Str>,
    /// What the snapshot shows.
    pub observed: Arc<Observed>,
    /// What could not be had, and when.
    pub unavailable: Arc<Vec<Unavailable>>,
    /// The moment.
    pub at: Option<Timestamp>,
    /// What had to be assumed.
    pub gaps: Vec<Gap>,
}

impl AzureProvider {
    fn model(
        &self,
        size: &AzureVmSize,
        reference: &NodeClassRef,
        class: &AksNodeClass,
    ) -> InstanceType {
        let offerings = self.offerings(size);
        let mut capacity = capacity(size, class, &self.settings);
        let mut overhead = overhead(size);
        if let Some(machine) = self.observed.nearest(&size.name, reference, self.at) {
            correct((&mut capacity, &mut overhead), machine, &[]);
        }
        InstanceType {
            name: size.name.clone(),
            requirements: self.requirements(size, class, &offerings),
            offerings,
            capacity,
            overhead,
            volume_attachment_limits: Vec::new(),
        }
    }

    /// Each zone, and the region as a whole, as on-demand and as spot: one price for all zones.
    fn offerings(&self, size: &AzureVmSize) -> Vec<Offering> {
        let zone_of = |number: &Str| Str::from(format!("{}-{number}", self.region));
        let zones: Vec<Str> = match &size.zones {
            Some(numbers) => numbers.iter().map(zone_of).collect(),
            None => self.zones.clone(),
        };
        let price = self.price(&size.name);
        let mut offerings = Vec::new();
        for zone in zones.iter().cloned().chain([Str::from(REGIONAL)]) {
            for capacity_type in ["on-demand", "spot"] {
                let is_spot = capacity_type == "spot";
                let spot = self.spot_prices.as_ref().map(|prices| prices.get(&size.name).copied());
                let price = match (is_spot, spot) {
                    (true, Some(price)) => price.unwrap_or(UNKNOWN_PRICE),
                    (true, None) | (false, _) => price,
                };
                let is_sold = !is_spot || size.has_spot != Some(false);
                let is_hidden = self
                    .unavailable
                    .iter()
                    .filter(|mark| mark.holds_at(self.at))
                    .any(|mark| mark.covers(size.name.as_str(), &zone, capacity_type));
                let scope = if &*zone == REGIONAL { "regional" } else { "zonal" };
                offerings.push(Offering {
                    requirements: vec![
                        in_values(labels::CAPACITY_TYPE, [capacity_type]),
                        in_values(labels::ZONE, [zone.clone()]),
                        in_values("karpenter.azure.com/placement-scope", [scope]),
                    ],
                    price,
                    available: is_sold && !is_hidden,
                    reservation_capacity: 0,
                    capacity_override: Resources::new(),
                    overhead_override: None,
                });
            }
        }
        offerings
    }

    fn price(&self, name: &InstanceTypeName) -> f64 {
        self.prices.get(name).copied().unwrap_or(UNKNOWN_PRICE)
    }

    fn requirements(
        &self,
        size: &AzureVmSize,
        class: &AksNodeClass,
        offerings: &[Offering],
    ) -> Vec<NodeRequirement> {
        // Only what can be had counts.
        let offered = |key: &str| {
            let available = offerings.iter().filter(|offering| offering.available);
            let values = available.filter_map(|it| only_value(&it.requirements, key).cloned());
            values.collect::<BTreeSet<Str>>()
        };
        let some = |text: &Str| Some(text.clone()).filter(|text| !text.is_empty());
        let gpus = if size.gpu_manufacturer.is_empty() { 0 } else { size.gpus };
        let (vcpus, memory) = (size.vcpus.to_string(), size.memory_mib.to_string());
        let own = |name: &str| format!("{DOMAIN}/{name}");
        let aks = |name: &str| format!("kubernetes.azure.com/{name}");
        let yes = |known: Option<bool>| known.unwrap_or(true).to_string();
        vec![
            in_values(labels::INSTANCE_TYPE, [size.name.as_str()]),
            in_values(labels::ARCH, [size.arch.clone()]),
            in_values(labels::OS, ["linux"]),
            in_values(labels::ZONE, offered(labels::ZONE)),
            in_values(labels::REGION, [self.region.clone()]),
            in_values(labels::CAPACITY_TYPE, offered(labels::CAPACITY_TYPE)),
            in_values(&own("placement-scope"), offered("karpenter.azure.com/placement-scope")),
            in_values(&own("sku-name"), [size.name.as_str()]),
            in_values(&own("sku-family"), some(&size.family)),
            in_values(&own("sku-series"), some(&size.series)),
            in_values(&own("sku-version"), some(&size.version)),
            in_values(&own("sku-cpu"), [vcpus.clone()]),
            in_values(&own("sku-memory"), [memory.clone()]),
            in_values(&own("sku-gpu-count"), [gpus.to_string()]),
            in_values(&own("sku-gpu-manufacturer"), some(&size.gpu_manufacturer)),
            in_values(&own("sku-gpu-name"), some(&size.gpu_name).filter(|_| gpus > 0)),
            in_values(&own("sku-networking-accelerated"), [yes(size.has_accelerated_networking)]),
            in_values(&own("sku-storage-premium-capable"), [yes(size.has_premium_storage)]),
            in_values(&aks("sku-cpu"), [vcpus]),
            in_values(&aks("sku-memory"), [memory]),
            in_values(&aks("cluster"), self.cluster.clone()),
            in_values(&aks("mode"), ["system", "user"]),
            in_values(&aks("scalesetpriority"), ["regular", "spot"]),
            in_values(&aks("priority"), ["regular", "spot"]),
            in_values(&aks("os-sku"), [class.os_sku.clone()]),
            in_values(&aks("fips_enabled"), class.is_fips.then_some("true")),
        ]
    }
}

impl CloudProvider for AzureProvider {
    fn name(&self) -> &'static str {
        "azure"
    }

    fn supports(&self, class: &NodeClassRef) -> bool {
        let same = |part: &Option<Str>, name: &str| part.as_deref().is_none_or(|part| part == name);
        same(&class.group, DOMAIN) && same(&class.kind, "AKSNodeClass")
    }

    fn instance_types(&self, pool: &NodePool, class: Option<&NodeClass>) -> Vec<Arc<InstanceType>> {
        let reference = &pool.template.node_class;
        let class = class.map(AksNodeClass::read).unwrap_or_default();
        let sizes = self.sizes.values();
        sizes.map(|size| Arc::new(self.model(size, reference, &class))).collect()
    }

    fn well_known_labels(&self) -> Vec<Str> {
        WELL_KNOWN.iter().map(|key| Str::from(*key)).collect()
    }

    fn restricted_domains(&self) -> Vec<Str> {
        vec![DOMAIN.into()]
    }

    /// One offering: the cheapest, spot before on-demand, zonal before regional; equal zones by chance, equal types by
    /// name.
    fn launches(&self, claim: &NewNodeClaim, types: &[Arc<InstanceType>]) -> Vec<Launch> {
        let met = |asked: &NodeRequirement, own: &[NodeRequirement]| meets(own, asked);
        let mut possible: Vec<((bool, bool), Launch)> = Vec::new();
        for listed in types {
            let fits = |it: &&Offering| {
                it.available && claim.requirements.iter().all(|asked| met(asked, &it.requirements))
            };
            for offering in listed.offerings.iter().filter(fits) {
                let value = |key| only_value(&offering.requirements, key).cloned();
                let launch = Launch {
                    instance_type: listed.name.clone(),
                    zone: value(labels::ZONE),
                    capacity_type: value(labels::CAPACITY_TYPE),
                    price: offering.price,
                };
                let is_on_demand = launch.capacity_type.as_deref() != Some("spot");
                let is_regional = launch.zone.as_deref() == Some(REGIONAL);
                possible.push(((is_on_demand, is_regional), launch));
            }
        }
        possible.sort_by(|(a_rank, a), (b_rank, b)| {
            a.price
                .total_cmp(&b.price)
                .then(a_rank.cmp(b_rank))
                .then_with(|| a.instance_type.cmp(&b.instance_type))
                .then_with(|| a.zone.cmp(&b.zone))
        });
        let Some((rank, first)) = possible.first().cloned() else { return Vec::new() };
        let same = |it: &&(_, Launch)| {
            it.0 == rank
                && it.1.instance_type == first.instance_type
                && it.1.price.total_cmp(&first.price).is_eq()
        };
        possible.iter().filter(same).map(|(_, launch)| launch.clone()).collect()
    }

    fn at(&self, moment: Timestamp) -> Option<Box<dyn CloudProvider>> {
        Some(Box::new(Self { at: Some(moment), ..self.clone() }))
    }

    fn gaps(&self) -> Vec<Gap> {
        self.gaps.clone()
    }
}
