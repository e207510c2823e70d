//! Temporary objects that their session could not drop when it ended: memory was refused, or a disk was full. It is tried again
//! until it succeeds.

use os::sync::Mutex;
use os::wait::WaitType;

pub struct Orphans {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// Object ids in tempdb.
    objects: Vec<i32>,
    /// A task tries to drop them.
    tended: bool,
}

impl Default for Orphans {
    fn default() -> Orphans {
        Orphans { waiting: Mutex::new(WaitType::SOS_MUTEX, Waiting::default()) }
    }
}

impl Orphans {
    /// True: nobody tries to drop them yet, and the caller must see to it.
    #[must_use]
    pub fn add(&self, objects: impl IntoIterator<Item = i32>) -> bool {
        let mut waiting = self.waiting.lock();
        waiting.objects.extend(objects);
        !std::mem::replace(&mut waiting.tended, true)
    }

    /// All there are: they are the caller's now. None: there are none any more, and who tried is done.
    pub fn take(&self) -> Option<Vec<i32>> {
        let mut waiting = self.waiting.lock();
        waiting.tended = !waiting.objects.is_empty();
        waiting.tended.then(|| std::mem::take(&mut waiting.objects))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_tends_them() {
        let orphans = Orphans::default();
        assert!(orphans.add([7, 8]));
        assert_eq!(orphans.take(), Some(vec![7, 8]));
        assert!(!orphans.add([8]), "it is under way, and comes back for what it could not drop");
        assert_eq!(orphans.take(), Some(vec![8]));
        assert_eq!(orphans.take(), None);
        assert!(orphans.add([9]), "who tended them is done");
    }
}
