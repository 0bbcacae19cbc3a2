//! YAML: what comes out is JSON, and the settings in YAML are read or refused.
#![no_main]

use landed::ingest::{Collector, yaml};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for document in yaml::documents(text).flatten() {
        serde_json::from_slice::<serde_json::Value>(&document).expect("JSON");
    }
    let mut collector = Collector::default();
    collector.text(text.as_bytes(), "x.yaml");
    collector.finish();
});
