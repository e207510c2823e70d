//! What became of each transaction that carries a number, and whether a set of numbers that is there agrees with it.

use std::collections::BTreeSet;

use os::sync::{SpinClass, SpinLock};

use super::client::{Fate, Referee};

static OUTCOMES: SpinClass = SpinClass::new("SIM_OUTCOMES");

/// By number, with something kept about each.
pub struct Outcomes<T> {
    all: SpinLock<Vec<(Fate, T)>>,
}

impl<T> Default for Outcomes<T> {
    fn default() -> Outcomes<T> {
        Outcomes { all: SpinLock::new(&OUTCOMES, Vec::new()) }
    }
}

impl<T: Clone> Outcomes<T> {
    /// The next number, from 0.
    pub fn begin(&self, about: T) -> i64 {
        let mut all = self.all.lock();
        all.push((Fate::Open, about));
        all.len() as i64 - 1
    }

    pub fn set(&self, number: i64, fate: Fate) {
        self.all.lock()[number as usize].0 = fate;
    }

    pub fn all(&self) -> Vec<(Fate, T)> {
        self.all.lock().clone()
    }

    /// Fails the run if a committed number is missing or one that cannot have been committed is there. After a start nothing is
    /// under way: what was unknown is then decided by what is there, and must stay so.
    pub fn compare(&self, referee: &Referee, there: &BTreeSet<i64>, fresh: bool) {
        let mut all = self.all.lock();
        let mut complaint = None;
        for (number, (fate, _)) in all.iter_mut().enumerate() {
            let is_there = there.contains(&(number as i64));
            if fate.must_be_there() && !is_there {
                complaint = Some(("lost commit", format!("transaction {number} was acknowledged and is not there")));
                break;
            }
            if !fate.may_be_there() && is_there {
                complaint = Some(("dirty commit", format!("transaction {number} is {fate:?} and is there")));
                break;
            }
            if fresh {
                *fate = if is_there { Fate::Committed } else { Fate::RolledBack };
            }
        }
        let unknown = there.iter().find(|number| !(0..all.len() as i64).contains(*number)).copied();
        drop(all);
        if let Some((kind, text)) = complaint {
            referee.fail(kind, text);
        }
        if let Some(number) = unknown {
            referee.fail("row of nobody", format!("number {number} was never inserted"));
        }
    }
}
