//! Files of settings: Karpenter's, kube-scheduler's, instance types and prices of each cloud, `landed.yaml`, baselines.
#![no_main]

use std::collections::BTreeMap;

use landed::check::{Baseline, Configuration};
use landed::{ingest, karpenter, kube_scheduler};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((which, bytes)) = bytes.split_first() else { return };
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    match which % 5 {
        0 => {
            let environment = ingest::karpenter_settings(text)
                .map_or_else(|_| BTreeMap::new(), |read| read.environment);
            karpenter::Settings::from_environment(karpenter::Version::LATEST, &environment);
        }
        1 => {
            let Ok(document) = ingest::scheduler_configuration(text) else { return };
            if let Ok(configuration) = kube_scheduler::Configuration::read(&document) {
                configuration.gaps();
            }
        }
        2 => drop(ingest::catalogue(bytes, "x")),
        3 => drop(Configuration::parse(text)),
        _ => drop(Baseline::parse(text)),
    }
});
