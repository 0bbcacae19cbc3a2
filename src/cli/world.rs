//! From an input to a `World`: the provider model that fits, and everything worked out once.

use std::mem::ManuallyDrop;

use super::input::Input;
use crate::instance_types::{Options, Provided, provider_for};
use crate::reconstruct::passes::Batching;
use crate::reconstruct::{Setup, World};

/// Asks something of the world that an input describes. What the provider model had to assume joins the gaps.
pub fn with_world<T>(input: &mut Input, ask: impl FnOnce(&World<'_>) -> T) -> T {
    with_provider(input, |world, _| ask(world))
}

/// The same, with what the provider model was made from: prices have a source and a day.
pub fn with_provider<T>(input: &mut Input, ask: impl FnOnce(&World<'_>, &Provided) -> T) -> T {
    let options = Options { version: input.karpenter.version, ..Options::default() };
    let provided = provider_for(&input.snapshot, &options);
    input.snapshot.gaps.extend(provided.gaps.iter().cloned());
    let environment = input.snapshot.settings.karpenter_environment.clone().unwrap_or_default();
    let setup = Setup {
        provider: &*provided.provider,
        karpenter: &input.karpenter,
        batching: Batching::from_environment(&environment),
        scheduler: &input.scheduler,
        scheduler_version: &input.scheduler_version,
    };
    // Asked once a run: to take it to pieces at the end would take longer than many an answer.
    ask(&ManuallyDrop::new(World::new(&input.snapshot, setup)), &provided)
}
