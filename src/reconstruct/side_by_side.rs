//! Work on several threads, whose results do not tell how many there were.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `ask` gives for each number below `count`, in order. Each thread takes the next number when it is done with one.
pub fn side_by_side<T: Send>(
    threads: NonZero<usize>,
    count: usize,
    ask: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    if threads.get() == 1 || count < 2 {
        return (0..count).map(ask).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, ask(index)));
        }
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.get().min(count)).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_order_on_any_number_of_threads() {
        for threads in 1..4 {
            let threads = NonZero::new(threads).expect("not zero");
            let squares = side_by_side(threads, 100, |number| number * number);
            assert_eq!(squares, (0..100).map(|number| number * number).collect::<Vec<_>>());
            assert!(side_by_side(threads, 0, |number| number).is_empty());
        }
    }
}
