//! Logs of Karpenter and kube-scheduler, audit logs and recordings, line by line, and what `why` makes of a line.
#![no_main]

use landed::ingest::Collector;
use libfuzzer_sys::fuzz_target;

#[path = "../run.rs"]
mod run;

fuzz_target!(|bytes: &[u8]| {
    let mut collector = Collector::default();
    collector.text(bytes, "x.log");
    collector.errors_of_a_bundle(bytes, "x-errors.json");
    collector.finish();
    let line = String::from_utf8_lossy(bytes);
    if !line.contains('\0') && !line.starts_with('-') {
        run::check(&run::run(&["why", &line], b""));
    }
});
