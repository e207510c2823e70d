//! Strangers' connections: nobody knows yet who is at the other end, and there may be thousands. What they ask for takes turns within one
//! task a scheduler, so however many they are, others wait for one step of one of them and no workers are made for them.
//!
//! That task has turns as long as those of the others that run here: it is one of them.

use super::scheduler::{Scheduler, Task, TaskKind, here};
use crate::sys::atomic::Ordering;
use crate::{clock, wait};
use std::collections::VecDeque;

/// A scheduler's.
#[derive(Default)]
pub struct Door {
    waiting: VecDeque<Task>,
    /// There is a task that takes them.
    kept: bool,
}

impl Scheduler {
    /// A stranger's task comes to the door. The task that takes it and those that come after it, if there is none. Baton's holder only.
    pub fn at_door(&self, task: Task) -> Option<Task> {
        let door = &mut self.inner().door;
        if door.kept {
            door.waiting.push_back(task);
            return None;
        }
        door.kept = true;
        let first = task.run;
        Some(Task { stranger: false, run: Box::new(move || keep(first)), ..task })
    }

    /// The next one, which counts as a part of the running task from now on.
    fn take_stranger(&self) -> Option<Task> {
        let task = self.inner().door.waiting.pop_front()?;
        let slot = self.slot();
        let here = slot.tasks.fetch_sub(1, Ordering::Relaxed);
        slot.tasks_finished.fetch_add(1, Ordering::Relaxed);
        let everywhere = self.machine.tasks.fetch_sub(1, Ordering::AcqRel);
        assert!(here > 1 && everywhere > 1, "who keeps the door is a task itself");
        Some(task)
    }
}

fn keep(first: Box<dyn FnOnce() + Send>) {
    let keeper = Keeper(here().expect("a task has a scheduler"));
    let scheduler = keeper.0;
    let (mut begun, mut turn_ns) = (clock::now(), 0);
    let mut run = first;
    loop {
        run();
        let now = clock::now();
        if now.saturating_sub(begun) >= turn_ns {
            let others = scheduler.slot().run_length.load(Ordering::Relaxed);
            wait::yield_now();
            begun = clock::now();
            turn_ns = begun.saturating_sub(now) / u64::from(others.max(1));
        }
        match scheduler.take_stranger() {
            Some(next) => run = next.run,
            None => return,
        }
    }
}

/// Keeps the door, until there is nobody there or it panics; then another does.
struct Keeper(&'static Scheduler);

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.inner().door.kept = false;
        if let Some(Task { run, .. }) = self.0.take_stranger() {
            let task = Task::new(TaskKind::Request, run);
            self.0.start(Task { stranger: true, ..task });
        }
    }
}
