//! The whole of `explain` over dumps that the bytes change.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../mutate.rs"]
mod mutate;
#[path = "../run.rs"]
mod run;
#[path = "../seeds.rs"]
mod seeds;

const FORMATS: [&str; 6] = ["table", "wide", "json", "yaml", "markdown", "html"];

fuzz_target!(|bytes: &[u8]| {
    let mut choices = mutate::Choices(bytes);
    let (Some(dump), Some(format)) = (choices.of(&seeds::DUMPS), choices.of(&FORMATS)) else {
        return;
    };
    let mut dump = dump.clone();
    mutate::mutate(&mut dump, &mut choices);
    run::check(&run::run(
        &["explain", "-A", "-l", "!nothing", "-f", "-", "-o", format],
        dump.to_string().as_bytes(),
    ));
});
