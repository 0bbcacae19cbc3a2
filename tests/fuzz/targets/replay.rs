//! Both replays over recorded questions that the bytes change.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../mutate.rs"]
mod mutate;
#[path = "../run.rs"]
mod run;
#[path = "../seeds.rs"]
mod seeds;

fuzz_target!(|bytes: &[u8]| {
    let mut choices = mutate::Choices(bytes);
    let Some(question) = choices.of(&seeds::QUESTIONS) else { return };
    let mut question = question.clone();
    mutate::mutate(&mut question, &mut choices);
    let question = question.to_string();
    for component in ["kube-scheduler", "karpenter"] {
        run::check(&run::run(&["replay", component, "-f", "-"], question.as_bytes()));
    }
});
