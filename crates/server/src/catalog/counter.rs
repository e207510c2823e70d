//! Identity and sequence values: handed out from memory, reserved on disk ahead of use, outside any user transaction.
//!
//! What must hold: a value that was given is never given again, a crash included. So `syscounters.reserved` is hardened beyond
//! every value given; after a crash the rest of a reservation is lost (as SQL Server loses its identity cache). An identity
//! value stands in a row, which the log has behind the reservation: where the row's commit survives, so does that.

use std::collections::HashMap;

use os::sync::Mutex;
use os::wait::WaitType;
use storage::{Durability, Isolation, Storage};
use types::{SqlError, SqlResult};

use super::base::CounterRow;
use super::database::Database;
use super::error::storage_error;
use super::load::int;
use super::row::Whole;

/// Steps reserved at once.
const RESERVE: i128 = 1_000;

pub struct Counters {
    values: Mutex<HashMap<i32, Counter>>,
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
}

#[derive(Debug, Clone, Copy)]
struct Counter {
    /// The value given last. None: none yet.
    last: Option<i128>,
    /// On disk: values up to here may be given.
    reserved: i128,
}

/// The next value would pass the end.
#[derive(Debug)]
pub struct Exhausted;

impl Default for Counters {
    fn default() -> Counters {
        Counters::new()
    }
}

impl Counters {
    pub fn new() -> Counters {
        Counters { values: Mutex::new(WaitType::OBJECT_CATALOG, HashMap::new()) }
    }

    /// The first of `count` further values, a step apart. `durable`: false in tempdb, which no crash outlives.
    pub fn next(
        &self,
        storage: &Storage,
        db: &Database,
        id: i32,
        rule: &Rule,
        count: u64,
    ) -> SqlResult<Result<i128, Exhausted>> {
        assert!(count > 0 && rule.increment != 0, "a counter gives at least one value and moves");
        let mut values = self.values.lock();
        let mut counter = load(&mut values, storage, db, id)?;
        let mut first = match counter.last {
            None => rule.start,
            Some(last) => last.checked_add(rule.increment).unwrap_or(i128::MAX),
        };
        let spread = rule.increment.saturating_mul(i128::from(count) - 1);
        let outside = |value: i128| value > rule.maximum || value < rule.minimum;
        if outside(first) && rule.cycle && counter.last.is_some() {
            first = if rule.increment > 0 { rule.minimum } else { rule.maximum };
            // Values below the reservation are given again from here on: it begins anew.
            counter.reserved = first;
            counter.last = None;
        }
        let last = first.saturating_add(spread);
        if outside(first) || outside(last) {
            return Ok(Err(Exhausted));
        }
        let beyond = if rule.increment > 0 { last > counter.reserved } else { last < counter.reserved };
        if (beyond || counter.last.is_none()) && db.id.0 != 2 {
            counter.reserved = last.saturating_add(rule.increment.saturating_mul(RESERVE));
            let durability = if rule.in_rows { Durability::Delayed } else { Durability::Full };
            write(storage, db, id, counter.reserved, true, durability)?;
        }
        counter.last = Some(last);
        values.insert(id, counter);
        Ok(Ok(first))
    }

    /// The last value given, or None.
    pub fn last(&self, storage: &Storage, db: &Database, id: i32) -> SqlResult<Option<i128>> {
        let mut values = self.values.lock();
        Ok(load(&mut values, storage, db, id)?.last)
    }

    /// A value came from outside (IDENTITY_INSERT): the next ones are beyond it.
    pub fn used(&self, storage: &Storage, db: &Database, id: i32, rule: &Rule, value: i128) -> SqlResult<()> {
        let mut values = self.values.lock();
        let counter = load(&mut values, storage, db, id)?;
        let ahead = counter.last.is_none_or(|last| if rule.increment > 0 { value > last } else { value < last });
        if ahead {
            place(&mut values, storage, db, id, Some(value), rule)?;
        }
        Ok(())
    }

    /// DBCC CHECKIDENT, TRUNCATE TABLE, ALTER SEQUENCE RESTART: the last value is this one; None begins anew.
    pub fn reset(&self, storage: &Storage, db: &Database, id: i32, rule: &Rule, last: Option<i128>) -> SqlResult<()> {
        place(&mut self.values.lock(), storage, db, id, last, rule)
    }

    /// Its object is gone.
    pub fn forget(&self, id: i32) {
        self.values.lock().remove(&id);
    }

    /// A clean stop: what was reserved and not given is given back.
    pub fn write_back(&self, storage: &Storage, db: &Database) -> SqlResult<()> {
        let values = self.values.lock();
        for (&id, counter) in values.iter() {
            if let (Some(last), true) = (counter.last, db.id.0 != 2) {
                write(storage, db, id, last, true, Durability::Full)?;
            }
        }
        Ok(())
    }
}

fn load(values: &mut HashMap<i32, Counter>, storage: &Storage, db: &Database, id: i32) -> SqlResult<Counter> {
    if let Some(counter) = values.get(&id) {
        return Ok(*counter);
    }
    let mut counter = Counter { last: None, reserved: 0 };
    if db.id.0 != 2 {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        tx.begin_statement();
        if let Some(row) = db.rows(storage, &mut tx).first::<CounterRow>(0, &[int(id)])? {
            counter = Counter { last: (row.used != 0).then_some(row.reserved.0), reserved: row.reserved.0 };
        }
        tx.commit(Durability::Full).map_err(storage_error)?;
    }
    values.insert(id, counter);
    Ok(counter)
}

fn place(
    values: &mut HashMap<i32, Counter>,
    storage: &Storage,
    db: &Database,
    id: i32,
    last: Option<i128>,
    rule: &Rule,
) -> SqlResult<()> {
    let reserved = last.unwrap_or(rule.start);
    if db.id.0 != 2 {
        write(storage, db, id, reserved, last.is_some(), Durability::Full)?;
    }
    values.insert(id, Counter { last, reserved });
    Ok(())
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
    SqlError::new(8115, 16, format!("Arithmetic overflow error converting IDENTITY to data type {type_name}."))
}
