//! JSON in pieces: guessing where objects end gives the same as counting brackets, or says that it was wrong.
#![no_main]

use landed::ingest::stream::{self, Ending};
use landed::ingest::{Collector, Ends};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let read = |ends| {
        let (read, ending) =
            stream::read(&mut &*bytes, "x", ends, 1).expect("memory gives no errors");
        let mut all = Collector::default();
        all.absorb(read);
        (all.finish(), ending)
    };
    let (counted, _) = read(Ends::Counted);
    let (guessed, ending) = read(Ends::Guessed);
    if matches!(ending, Ending::Whole) {
        assert_eq!(format!("{guessed:?}"), format!("{counted:?}"));
    }
});
