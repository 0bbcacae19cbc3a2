//! `check` and `simulate` on one file of manifests: with comments that ignore, and whatever else stands in it.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../run.rs"]
mod run;

fuzz_target!(|bytes: &[u8]| {
    run::check(&run::run(&["check", "-f", "-"], bytes));
    run::check(&run::run(&["simulate", "-f", "-"], bytes));
});
