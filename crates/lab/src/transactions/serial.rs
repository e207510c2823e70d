//! Whether what the transactions saw and left is that of some order of them, one after the other. It knows nothing of locks or versions:
//! where the model is wrong or leaves too much open, this holds all the same.

use std::collections::BTreeMap;

use super::answers::{CONFLICT, DEADLOCK};
use super::optimistic::{ends_transaction, told};
use super::program::{Action, Answer, Change, Data, Key, Row, SHAPES, Statement, first_rows};

/// Orders are tried one statement after the other, and left at the first that is not as it was.
const TRIES_MAX: usize = 2_000_000;

type Tables = Vec<BTreeMap<Key, Row>>;

#[derive(Debug, Clone)]
pub struct Doing {
    statement: Statement,
    answer: Answer,
}

/// What a session has done, by transactions.
#[derive(Debug, Clone)]
struct Own {
    open: Option<Vec<Doing>>,
    /// How much of `open` there was.
    savepoint: usize,
    committed: Vec<Vec<Doing>>,
}

#[derive(Debug)]
pub struct History {
    sessions: Vec<Own>,
    /// All at SERIALIZABLE, and without what a savepoint undid.
    is_serializable: bool,
}

impl History {
    pub fn new(sessions: usize) -> History {
        let own = Own { open: None, savepoint: 0, committed: Vec::new() };
        History { sessions: vec![own; sessions], is_serializable: true }
    }

    pub fn control(&mut self, session: usize, action: Action) {
        let own = &mut self.sessions[session];
        match action {
            Action::Begin => own.open = Some(Vec::new()),
            Action::Commit => own.committed.extend(own.open.take()),
            Action::Rollback => own.open = None,
            Action::Save => own.savepoint = own.open.as_ref().map_or(0, Vec::len),
            Action::Restore => {
                // What was read since then was read all the same; only changes are undone, and reads of them mean nothing.
                let savepoint = own.savepoint;
                own.open.iter_mut().for_each(|open| open.truncate(savepoint));
            }
            Action::Level(_) | Action::Timeout(_) | Action::Priority(_) | Action::Data(_) => {}
        }
    }

    pub fn answered(&mut self, session: usize, statement: Statement, answer: Answer, is_serializable: bool) {
        let own = &mut self.sessions[session];
        self.is_serializable &= is_serializable;
        if answer.error.is_some_and(|error| matches!(error, DEADLOCK | CONFLICT) || ends_transaction(error)) {
            own.open = None;
        } else if answer.error.is_none() {
            let doing = Doing { statement, answer };
            match &mut own.open {
                Some(open) => open.push(doing),
                None => own.committed.push(vec![doing]),
            }
        }
    }

    /// `last`: table, key, v and w of each row at the end. False: it is not a history that must have such an order.
    pub fn judge(&self, last: &[Vec<i64>]) -> Result<bool, String> {
        let count: usize = self.sessions.iter().map(|own| own.committed.len()).sum();
        if !self.is_serializable || count < 2 {
            return Ok(false);
        }
        let tables: Tables = vec![first_rows().collect(); SHAPES.len()];
        let mut tries = 0;
        let mut done = vec![0; self.sessions.len()];
        match self.search(&tables, &mut done, last, &mut tries) {
            Some(true) => Ok(true),
            Some(false) => {
                Err("no serial order of the transactions sees what they saw and leaves what they left".into())
            }
            None => Ok(false),
        }
    }

    /// None: given up.
    fn search(&self, tables: &Tables, done: &mut Vec<usize>, last: &[Vec<i64>], tries: &mut usize) -> Option<bool> {
        *tries += 1;
        if *tries > TRIES_MAX {
            return None;
        }
        if self.sessions.iter().zip(done.iter()).all(|(own, done)| own.committed.len() == *done) {
            let rows = tables
                .iter()
                .zip(0..)
                .flat_map(|(rows, at)| rows.iter().map(move |(k, row)| vec![at, *k, row.v, row.w]));
            return Some(rows.eq(last.iter().cloned()));
        }
        for session in 0..self.sessions.len() {
            let Some(transaction) = self.sessions[session].committed.get(done[session]) else { continue };
            let mut after = tables.clone();
            if transaction.iter().all(|doing| doing.again(&mut after)) {
                done[session] += 1;
                let found = self.search(&after, done, last, tries);
                done[session] -= 1;
                if found != Some(false) {
                    return found;
                }
            }
        }
        Some(false)
    }
}

impl Doing {
    /// Does it to the tables; whether the answer is the same.
    fn again(&self, tables: &mut Tables) -> bool {
        let rows = &mut tables[self.statement.table];
        let mut answers: Vec<Vec<Option<i64>>> = Vec::new();
        match self.statement.data {
            Data::Select(wanted, filter) => {
                let found =
                    rows.iter().filter(|(k, row)| filter.matches(**k, **row)).map(|(k, row)| (*k, *row)).collect();
                answers = told(wanted, &found);
            }
            Data::Insert(key, row) => {
                if rows.insert(key, row).is_some() {
                    return false;
                }
            }
            Data::Change(change, filter) => {
                let keys: Vec<Key> =
                    rows.iter().filter(|(k, row)| filter.matches(**k, **row)).map(|(k, _)| *k).collect();
                answers.extend(keys.into_iter().map(|key| changed(rows, key, |row| change.of(row?))));
            }
            Data::Merge(key, new) => {
                let add = |old: Option<Row>| old.map_or(Some(new), |old| Change::Add(new.v).of(old));
                answers.push(changed(rows, key, add));
            }
        }
        let mut answer = self.answer.rows.clone();
        answer.sort_unstable();
        answer == answers
    }
}

/// As OUTPUT tells it.
fn changed(rows: &mut BTreeMap<Key, Row>, key: Key, change: impl Fn(Option<Row>) -> Option<Row>) -> Vec<Option<i64>> {
    let before = rows.remove(&key);
    let after = change(before);
    rows.extend(after.map(|row| (key, row)));
    let numbers = |row: Option<Row>| [row.map(|row| row.v), row.map(|row| row.w)];
    let [v, w] = numbers(before);
    let [new_v, new_w] = numbers(after);
    vec![Some(key), v, w, new_v, new_w]
}

#[cfg(test)]
mod tests {
    use super::super::program::{Filter, Hints, Wanted};
    use super::*;

    /// Two transactions that each read what the other changes: neither order of them reads that.
    #[test]
    fn write_skew_has_no_serial_order() {
        for (skewed, first) in [(true, 50), (false, 51)] {
            let mut history = History::new(2);
            for session in 0..2 {
                history.control(session, Action::Begin);
            }
            let read = |key| Statement {
                table: 0,
                data: Data::Select(Wanted::Sum, Filter::Key(key)),
                hints: Hints::default(),
            };
            let add = |key| Statement {
                table: 0,
                data: Data::Change(Change::Add(1), Filter::Key(key)),
                hints: Hints::default(),
            };
            let answer = |rows| Answer { rows, error: None };
            history.answered(0, read(3), answer(vec![vec![Some(30)]]), true);
            history.answered(1, read(5), answer(vec![vec![Some(first)]]), true);
            history.answered(0, add(5), answer(vec![vec![Some(5), Some(50), Some(1), Some(51), Some(1)]]), true);
            history.answered(1, add(3), answer(vec![vec![Some(3), Some(30), Some(3), Some(31), Some(3)]]), true);
            history.control(0, Action::Commit);
            history.control(1, Action::Commit);
            let row = |table: i64, (k, row): (Key, Row)| {
                let changed = i64::from(table == 0 && (k == 3 || k == 5));
                vec![table, k, row.v + changed, row.w]
            };
            let last: Vec<Vec<i64>> = (0..3).flat_map(|table| first_rows().map(move |of| row(table, of))).collect();
            assert_eq!(history.judge(&last).is_err(), skewed, "{history:?}");
        }
    }
}
