//! `--timings`: where the time went, on stderr.

use std::time::{Duration, Instant};

use super::Io;

/// The phases of a run, with the time that each took.
#[derive(Clone, Debug)]
pub struct Timings {
    is_wanted: bool,
    last: Instant,
    phases: Vec<(&'static str, Duration)>,
}

impl Timings {
    /// Begins the first phase.
    #[expect(clippy::disallowed_methods, reason = "cli is where the clock is read")]
    pub fn start(is_wanted: bool) -> Self {
        Self { is_wanted, last: Instant::now(), phases: Vec::new() }
    }

    /// Ends a phase and begins the next.
    #[expect(clippy::disallowed_methods, reason = "cli is where the clock is read")]
    pub fn end_of(&mut self, phase: &'static str) {
        let now = Instant::now();
        self.phases.push((phase, now.duration_since(self.last)));
        self.last = now;
    }

    /// Prints the phases, where that is wanted.
    pub fn print(&self, io: &mut Io<'_>) {
        if !self.is_wanted {
            return;
        }
        let total: Duration = self.phases.iter().map(|(_, time)| *time).sum();
        for (phase, time) in self.phases.iter().chain([&("total", total)]) {
            // Nobody reads any more: nothing is left to tell.
            let _ = writeln!(io.err, "{:>9.1} ms  {phase}", time.as_secs_f64() * 1000.0);
        }
    }
}
