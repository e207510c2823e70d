//! Work that is divided among threads of its own: what a start does before there are schedulers, and nobody waits for a turn.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::simcore;

/// Does parts `0..parts`, each once, on as many threads as there are CPUs, and returns when all are done; after an error only those
/// that had begun. The caller's thread is held up meanwhile, also if it is a scheduler's. A simulation does one after the other. A panic
/// continues in the caller.
pub fn in_parallel<E: Send>(parts: usize, work: impl Fn(usize) -> Result<(), E> + Sync) -> Result<(), E> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get()).min(parts);
    if threads <= 1 || simcore::active() {
        return (0..parts).try_for_each(work);
    }
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    if part >= parts {
                        return;
                    }
                    if let Err(error) = work(part) {
                        next.store(parts, Ordering::Relaxed);
                        failed.lock().expect("nobody panics with it").get_or_insert(error);
                    }
                }
            });
        }
    });
    failed.into_inner().expect("nobody panics with it").map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_done_once() {
        let done: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        let count = |part: usize| {
            done[part].fetch_add(1, Ordering::Relaxed);
            Ok::<(), ()>(())
        };
        assert_eq!(in_parallel(1000, count), Ok(()));
        assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1));
        assert_eq!(in_parallel(0, |_| Err("no part")), Ok(()));
    }

    #[test]
    fn an_error_ends_it() {
        let begun = AtomicUsize::new(0);
        let work = |part: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            if part == 3 { Err(part) } else { Ok(()) }
        };
        assert_eq!(in_parallel(1_000_000, work), Err(3));
        assert!(begun.load(Ordering::Relaxed) < 1_000_000, "others are not begun");
    }
}
