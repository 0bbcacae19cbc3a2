//! Any bytes on standard input, as `-f -` reads them: JSON, YAML, logs, archives, compressed or not.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../run.rs"]
mod run;

fuzz_target!(|bytes: &[u8]| {
    run::check(&run::run(&["explain", "-A", "-l", "!x", "-f", "-", "-o", "wide"], bytes));
});
