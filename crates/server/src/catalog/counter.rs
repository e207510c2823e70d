//! Identity and sequence values: handed out from memory, reserved on disk ahead of use, outside any user transaction.
//!
//! What must hold: a value that was given is never given again, a crash included. So `syscounters.reserved` is hardened beyond
//! every value given; after a crash the rest of a reservation is lost (as SQL Server loses its identity cache). An identity
//! value stands in a row, which the log has behind the reservation: where the row's commit survives, so does that. What a transaction
//! sets back is written when it has committed: until then a crash brings back the rows that have the values.

use storage::{Durability, Isolation, Storage};
use types::{SqlError, SqlResult, sql_error};

use super::TEMPDB;
use super::base::{CounterRow, SequenceRow};
use super::database::Database;
use super::error::storage_error;
use super::load::int;
use super::row::Whole;
use super::shared::{self, Counter, Stripe};

/// Steps reserved at once, and where there are few values: a crash must not leave none of them.
const AHEAD: u32 = 1_000;
const AHEAD_OF_FEW: u32 = 10;
const FEW: u128 = 100_000;

/// The counters of one database.
pub struct Counters {
    database: u16,
    all: shared::Counters,
}

/// What a counter counts.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub start: i128,
    pub increment: i128,
    pub minimum: i128,
    pub maximum: i128,
    pub cycle: bool,
    /// Values count only with the rows they are given to: a reservation need not be on disk before it is used.
    pub in_rows: bool,
    /// Steps reserved beyond a value that is given: what a crash may leave out.
    pub ahead: u32,
}

/// Values handed out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub first: i128,
    pub last: i128,
    /// How often the counter began again at its other end to give them.
    pub cycles: u128,
}

/// `Rule::ahead` of what nobody has said.
pub fn usually_ahead(minimum: i128, maximum: i128) -> u32 {
    if maximum.abs_diff(minimum) < FEW { AHEAD_OF_FEW } else { AHEAD }
}

impl SequenceRow {
    const CYCLING: i32 = 1;
    const CACHED: i32 = 2;

    /// CACHE says how many values at once are the sequence's to give; without one each is on disk before it is given.
    pub fn rule(&self) -> Rule {
        let (minimum, maximum) = (self.minimum.0, self.maximum.0);
        let ahead = match self.cache_size {
            _ if self.status & Self::CACHED == 0 => 0,
            Some(size) => size.unsigned_abs().saturating_sub(1),
            None => usually_ahead(minimum, maximum),
        };
        let cycle = self.status & Self::CYCLING != 0;
        Rule { start: self.start.0, increment: self.increment.0, minimum, maximum, cycle, in_rows: false, ahead }
    }
}

impl Rule {
    /// Whether no reservation up to `reserved` covers `value`.
    fn is_beyond(&self, value: i128, reserved: i128) -> bool {
        if self.increment > 0 { value > reserved } else { value < reserved }
    }

    /// The value that follows the last one.
    fn after(&self, counter: &Counter) -> i128 {
        match counter.used {
            0 => self.start,
            _ => counter.last.checked_add(self.increment).unwrap_or(i128::MAX),
        }
    }

    /// `count` values, at least one, from `next` on. None: they pass the end of a counter that does not cycle.
    fn range(&self, next: i128, count: u64) -> Option<Range> {
        let step = self.increment.unsigned_abs();
        let (begin, end) = if self.increment > 0 { (self.minimum, self.maximum) } else { (self.maximum, self.minimum) };
        // What is within the bounds, so no difference of two such values is cut.
        let after = |value: i128, steps: u128| {
            let distance = (step * steps) as i128;
            if self.increment > 0 { value.wrapping_add(distance) } else { value.wrapping_sub(distance) }
        };
        let room = |value: i128| end.abs_diff(value) / step + 1;
        let is_outside = next > self.maximum || next < self.minimum;
        if is_outside && !self.cycle {
            return None;
        }
        let (first, begun) = if is_outside { (begin, 1) } else { (next, 0) };
        let (count, here) = (u128::from(count), room(first));
        if count <= here {
            return Some(Range { first, last: after(first, count - 1), cycles: begun });
        }
        if !self.cycle {
            return None;
        }
        let (further, each) = (count - here - 1, room(begin));
        Some(Range { first, last: after(begin, further % each), cycles: begun + 1 + further / each })
    }
}

/// The next value would pass the end.
#[derive(Debug)]
pub struct Exhausted;

impl Counters {
    pub fn new(all: shared::Counters, database: u16) -> Counters {
        Counters { database, all }
    }

    /// The first of `count` further values, a step apart.
    pub fn next(
        &self,
        storage: &Storage,
        db: &Database,
        id: i32,
        rule: &Rule,
        count: u64,
    ) -> SqlResult<Result<i128, Exhausted>> {
        assert!(count > 0 && rule.increment != 0, "a counter gives at least one value and moves");
        let mut stripe = self.all.lock(self.database, id);
        let mut counter = self.load(&stripe, storage, db, id)?;
        let mut first = rule.after(&counter);
        let spread = rule.increment.saturating_mul(i128::from(count) - 1);
        let outside = |value: i128| value > rule.maximum || value < rule.minimum;
        if outside(first) && rule.cycle && counter.used != 0 {
            first = if rule.increment > 0 { rule.minimum } else { rule.maximum };
            // Values below the reservation are given again from here on: it begins anew.
            counter.reserved = first;
            counter.kept = 0;
        }
        let last = first.saturating_add(spread);
        if outside(first) || outside(last) {
            return Ok(Err(Exhausted));
        }
        if (counter.kept == 0 || rule.is_beyond(last, counter.reserved)) && !self.forgets() {
            let ahead = last.saturating_add(rule.increment.saturating_mul(rule.ahead.into()));
            counter.reserved = ahead.clamp(rule.minimum, rule.maximum);
            let durability = if rule.in_rows { Durability::Delayed } else { Durability::Full };
            write(storage, db, id, counter.reserved, true, durability)?;
        }
        counter = Counter { last, used: 1, kept: 1, ..counter };
        stripe.set(self.database, id, counter).map_err(storage_error)?;
        Ok(Ok(first))
    }

    /// `count` further values, of which a counter that cycles may give some more than once. Nothing is taken of one that has too few.
    pub fn range(
        &self,
        storage: &Storage,
        db: &Database,
        id: i32,
        rule: &Rule,
        count: u64,
    ) -> SqlResult<Result<Range, Exhausted>> {
        assert!(count > 0 && rule.increment != 0, "a range has at least one value, and they differ");
        let mut stripe = self.all.lock(self.database, id);
        let counter = self.load(&stripe, storage, db, id)?;
        let Some(range) = rule.range(rule.after(&counter), count) else { return Ok(Err(Exhausted)) };
        self.place(&mut stripe, storage, db, id, range.last, rule)?;
        Ok(Ok(range))
    }

    /// The last value given, or None.
    pub fn last(&self, storage: &Storage, db: &Database, id: i32) -> SqlResult<Option<i128>> {
        let counter = self.load(&self.all.lock(self.database, id), storage, db, id)?;
        Ok((counter.used != 0).then_some(counter.last))
    }

    /// A value came from outside (IDENTITY_INSERT): the next ones are beyond it.
    pub fn used(&self, storage: &Storage, db: &Database, id: i32, rule: &Rule, value: i128) -> SqlResult<()> {
        let mut stripe = self.all.lock(self.database, id);
        let counter = self.load(&stripe, storage, db, id)?;
        if counter.used == 0 || rule.is_beyond(value, counter.last) {
            self.place(&mut stripe, storage, db, id, value, rule)?;
        }
        Ok(())
    }

    /// DBCC CHECKIDENT, TRUNCATE TABLE, ALTER SEQUENCE RESTART: the last value is this one; None begins anew. `settle` or `take_back`
    /// follows. Returns what was the last value.
    pub fn set(
        &self,
        storage: &Storage,
        db: &Database,
        id: i32,
        rule: &Rule,
        last: Option<i128>,
    ) -> SqlResult<Option<i128>> {
        let mut stripe = self.all.lock(self.database, id);
        let counter = self.load(&stripe, storage, db, id)?;
        let unsettled = counter.unsettled + 1;
        stripe.set(self.database, id, Counter { unsettled, ..counter.at(rule, last) }).map_err(storage_error)?;
        Ok((counter.used != 0).then_some(counter.last))
    }

    /// The transaction that `set` it has committed. A crash before this is written leaves out values, and gives none again.
    pub fn settle(&self, storage: &Storage, db: &Database, id: i32) -> SqlResult<()> {
        let mut stripe = self.all.lock(self.database, id);
        let Some(mut counter) = stripe.get(self.database, id) else { return Ok(()) };
        counter.unsettled = counter.unsettled.saturating_sub(1);
        if counter.unsettled == 0 && !self.forgets() {
            write(storage, db, id, counter.last, counter.used != 0, Durability::Delayed)?;
            (counter.reserved, counter.kept) = (counter.last, counter.used);
        }
        stripe.set(self.database, id, counter).map_err(storage_error)
    }

    /// The transaction that `set` it is rolled back: the last value was this one.
    pub fn take_back(&self, id: i32, rule: &Rule, last: Option<i128>) -> SqlResult<()> {
        let mut stripe = self.all.lock(self.database, id);
        let Some(counter) = stripe.get(self.database, id) else { return Ok(()) };
        let unsettled = counter.unsettled.saturating_sub(1);
        stripe.set(self.database, id, Counter { unsettled, ..counter.at(rule, last) }).map_err(storage_error)
    }

    /// Its object is gone.
    pub fn forget(&self, id: i32) {
        self.all.lock(self.database, id).remove(self.database, id);
    }

    /// The database is new, or gone.
    pub fn forget_all(&self) {
        self.all.forget_database(self.database);
    }

    /// A clean stop: what was reserved and not given is given back.
    pub fn write_back(&self, storage: &Storage, db: &Database) -> SqlResult<()> {
        if self.forgets() {
            return Ok(());
        }
        self.all.of_database(self.database, |id, counter| match counter.used {
            0 => Ok(()),
            _ => write(storage, db, id, counter.last, true, Durability::Full),
        })
    }

    /// No start finds tempdb as it was.
    fn forgets(&self) -> bool {
        self.database == TEMPDB.0
    }

    fn load(&self, stripe: &Stripe<'_>, storage: &Storage, db: &Database, id: i32) -> SqlResult<Counter> {
        if let Some(counter) = stripe.get(self.database, id) {
            return Ok(counter);
        }
        let mut counter = Counter { last: 0, reserved: 0, used: 0, kept: 0, unsettled: 0 };
        if !self.forgets() {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            tx.begin_statement();
            if let Some(row) = db.rows(storage, &mut tx).first::<CounterRow>(0, &[int(id)])? {
                let (last, used) = (row.reserved.0, row.used);
                counter = Counter { last, reserved: last, used, kept: used, unsettled: 0 };
            }
            tx.commit(Durability::Full).map_err(storage_error)?;
        }
        Ok(counter)
    }

    /// The last value is this one, on disk, too.
    fn place(
        &self,
        stripe: &mut Stripe<'_>,
        storage: &Storage,
        db: &Database,
        id: i32,
        last: i128,
        rule: &Rule,
    ) -> SqlResult<()> {
        let mut counter = Counter { last, used: 1, ..self.load(stripe, storage, db, id)? };
        let is_covered = counter.kept != 0 && counter.unsettled > 0 && !rule.is_beyond(last, counter.reserved);
        if !is_covered {
            if !self.forgets() {
                write(storage, db, id, last, true, Durability::Full)?;
            }
            (counter.reserved, counter.kept) = (last, 1);
        }
        stripe.set(self.database, id, counter).map_err(storage_error)
    }
}

impl Counter {
    fn at(self, rule: &Rule, last: Option<i128>) -> Counter {
        Counter { last: last.unwrap_or(rule.start), used: u8::from(last.is_some()), ..self }
    }
}

fn write(
    storage: &Storage,
    db: &Database,
    id: i32,
    reserved: i128,
    used: bool,
    durability: Durability,
) -> SqlResult<()> {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let mut rows = db.rows(storage, &mut tx);
    let row = CounterRow { id, reserved: Whole(reserved), used: u8::from(used) };
    let found = rows.update::<CounterRow>(0, &[int(id)], |old| *old = row.clone())?;
    if found == 0 {
        rows.insert(&row)?;
    }
    tx.commit(durability).map_err(storage_error)
}

/// 8115: an identity column is at its type's end.
pub fn identity_overflow(type_name: &str) -> SqlError {
    sql_error!(8115, "IDENTITY", type_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(increment: i128, minimum: i128, maximum: i128, cycle: bool) -> Rule {
        Rule { start: minimum, increment, minimum, maximum, cycle, in_rows: false, ahead: AHEAD }
    }

    #[test]
    fn ranges_end_or_begin_again_at_the_bounds() {
        let range = |first, last, cycles| Some(Range { first, last, cycles });
        let up = rule(1, 1, 25, true);
        assert_eq!(up.range(1, 4), range(1, 4, 0));
        assert_eq!(up.range(5, 21), range(5, 25, 0));
        assert_eq!(up.range(5, 22), range(5, 1, 1));
        assert_eq!(up.range(26, 25), range(1, 25, 1));
        assert_eq!(up.range(26, 51), range(1, 1, 3));
        assert_eq!(rule(1, 1, 25, false).range(5, 22), None);
        assert_eq!(rule(1, 1, 25, false).range(26, 1), None);
        let down = rule(-10, -25, 25, true);
        assert_eq!(down.range(25, 6), range(25, -25, 0));
        assert_eq!(down.range(-15, 3), range(-15, 25, 1));
        let widest = 10i128.pow(38) - 1;
        assert_eq!(
            rule(1, -widest, widest, false).range(-widest, u64::MAX),
            range(-widest, u64::MAX as i128 - 1 - widest, 0)
        );
        assert_eq!(rule(widest, -widest, widest, false).range(-widest, 3), range(-widest, widest, 0));
        assert_eq!(rule(widest, -widest, widest, true).range(widest, 2), range(widest, -widest, 1));
    }
}
