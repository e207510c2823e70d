//! The model of a memory-optimized table, from "Transactions with memory-optimized tables": nobody waits, who changes a row second has a
//! conflict at once, and what a transaction read at REPEATABLE READ and SERIALIZABLE is looked at again at its commit.

use std::collections::{BTreeMap, BTreeSet};

use super::answers::{DUPLICATE, Judged, changed_rows};
use super::program::{Action, Answer, Data, Filter, Key, LevelHint, Row, Statement, Wanted};
use super::world::{Cell, KEYS};

/// A row that somebody else has changed.
pub const UPDATED: i32 = 41302;
pub const READ: i32 = 41305;
pub const PHANTOM: i32 = 41325;

pub fn ends_transaction(error: i32) -> bool {
    matches!(error, UPDATED | READ | PHANTOM)
}

#[derive(Debug, Clone, Default)]
struct Open {
    implicit: bool,
    begun: Option<u64>,
    writes: BTreeMap<Key, Option<Row>>,
    /// At REPEATABLE READ and above.
    read: BTreeSet<Key>,
    /// At SERIALIZABLE.
    ranges: Vec<Filter>,
}

#[derive(Debug, Clone)]
pub struct Optimistic {
    now: u64,
    rows: BTreeMap<Key, Cell>,
    sessions: Vec<Option<Open>>,
}

impl Optimistic {
    pub fn new(sessions: usize, rows: impl Iterator<Item = (Key, Row)>) -> Optimistic {
        let mut first: BTreeMap<Key, Cell> =
            (0..KEYS).map(|key| (key, Cell { versions: vec![(0, None)], dirty: None })).collect();
        first.extend(rows.map(|(key, row)| (key, Cell { versions: vec![(0, Some(row))], dirty: None })));
        Optimistic { now: 0, rows: first, sessions: vec![None; sessions] }
    }

    pub fn fits(&self, session: usize, action: Action) -> bool {
        match action {
            Action::Begin => self.sessions[session].is_none(),
            Action::Commit | Action::Rollback => self.is_open(session),
            // In a transaction a level must be named, "Isolation levels" of the same page.
            Action::Data(statement) => self.sessions[session].is_none() || statement.hints.level.is_some(),
            _ => false,
        }
    }

    pub fn is_open(&self, session: usize) -> bool {
        self.sessions[session].is_some()
    }

    /// The rows at the end: key, v, w.
    pub fn committed(&self) -> Vec<Vec<i64>> {
        self.rows.iter().filter_map(|(key, cell)| cell.committed().map(|row| vec![*key, row.v, row.w])).collect()
    }

    pub fn answer(&mut self, session: usize, action: Action, answer: &Answer) -> Judged {
        match (action, answer.error) {
            (Action::Data(statement), _) => {
                let open = self.sessions[session].get_or_insert_with(|| Open { implicit: true, ..Open::default() });
                open.begun.get_or_insert(self.now);
                match answer.error {
                    None => self.succeeded(session, &statement, answer)?,
                    Some(error) => self.failed(session, &statement, error)?,
                }
                if self.sessions[session].as_ref().is_some_and(|open| open.implicit) {
                    self.commit(session);
                }
                Ok(())
            }
            (Action::Commit, error) => self.ended(session, error),
            (_, Some(error)) => Err(format!("error {error}")),
            (Action::Begin, None) => {
                self.sessions[session] = Some(Open::default());
                Ok(())
            }
            (_, None) => {
                self.sessions[session] = None;
                Ok(())
            }
        }
    }

    fn open(&mut self, session: usize) -> &mut Open {
        self.sessions[session].as_mut().expect("a transaction")
    }

    fn visible(&self, session: usize) -> BTreeMap<Key, Row> {
        let open = self.sessions[session].as_ref().expect("a transaction");
        let begun = open.begun.expect("it has begun");
        let row = |key: Key, cell: &Cell| open.writes.get(&key).copied().unwrap_or(cell.at(begun));
        self.rows.iter().filter_map(|(key, cell)| row(*key, cell).map(|row| (*key, row))).collect()
    }

    /// Somebody else has written the row, and not before this transaction began.
    fn is_taken(&self, session: usize, key: Key) -> bool {
        let open = self.sessions[session].as_ref().expect("a transaction");
        let others = self.sessions.iter().enumerate().filter(|(other, _)| *other != session);
        let has_written = |other: &Open| {
            let sees = other.begun.is_some_and(|begun| self.rows[&key].at(begun).is_some());
            // Who inserts a key that he does not see there has not touched this row: his commit fails for it.
            other.writes.contains_key(&key)
                && (sees || open.begun.is_some_and(|begun| self.rows[&key].at(begun).is_none()))
        };
        let unsettled = others.filter_map(|(_, other)| other.as_ref()).any(has_written);
        !open.writes.contains_key(&key) && (unsettled || self.is_newer(open, key))
    }

    fn is_newer(&self, open: &Open, key: Key) -> bool {
        open.begun.is_some_and(|begun| self.rows[&key].changed_at() > begun)
    }

    fn targets(&self, session: usize, data: Data) -> Vec<Key> {
        match data {
            Data::Change(_, filter) => self
                .visible(session)
                .into_iter()
                .filter(|(key, row)| filter.matches(*key, *row))
                .map(|(key, _)| key)
                .collect(),
            Data::Insert(key, _) => vec![key],
            Data::Select(..) | Data::Merge(..) => Vec::new(),
        }
    }

    fn failed(&mut self, session: usize, statement: &Statement, error: i32) -> Judged {
        let targets = self.targets(session, statement.data);
        let is_conflict = targets.iter().any(|key| self.is_taken(session, *key));
        match (error, statement.data) {
            (DUPLICATE, Data::Insert(key, _)) if self.visible(session).contains_key(&key) => Ok(()),
            // Which of these a second INSERT of a key has is not said.
            (DUPLICATE, Data::Insert(..)) if is_conflict => Ok(()),
            (UPDATED, _) if is_conflict => {
                self.sessions[session] = None;
                Ok(())
            }
            (PHANTOM, Data::Insert(..)) if is_conflict => {
                self.sessions[session] = None;
                Ok(())
            }
            _ => Err(format!("error {error} without a conflict of that kind")),
        }
    }

    fn succeeded(&mut self, session: usize, statement: &Statement, answer: &Answer) -> Judged {
        let visible = self.visible(session);
        match statement.data {
            Data::Select(wanted, filter) => {
                let found: BTreeMap<Key, Row> =
                    visible.into_iter().filter(|(key, row)| filter.matches(*key, *row)).collect();
                let told = told(wanted, &found);
                let mut rows = answer.rows.clone();
                rows.sort_unstable();
                if rows != told {
                    return Err(format!("{rows:?}, and the transaction sees {told:?}"));
                }
                self.has_read(session, statement, filter, &found);
                Ok(())
            }
            Data::Change(change, filter) => {
                let targets = self.targets(session, statement.data);
                if let Some(key) = targets.iter().find(|key| self.is_taken(session, **key)) {
                    return Err(format!("changed {key}, which somebody else has changed"));
                }
                let mut changed = changed_rows(answer)?;
                changed.sort_unstable();
                let expected: Vec<_> =
                    targets.iter().map(|key| (*key, Some(visible[key]), change.of(visible[key]))).collect();
                if changed != expected {
                    return Err(format!("changed {changed:?}, and was to change {expected:?}"));
                }
                let found = targets.iter().map(|key| (*key, visible[key])).collect();
                self.has_read(session, statement, filter, &found);
                self.open(session).writes.extend(changed.into_iter().map(|(key, _, row)| (key, row)));
                Ok(())
            }
            Data::Insert(key, row) => {
                if visible.contains_key(&key) {
                    return Err(format!("inserted {key}, which is there"));
                }
                self.open(session).writes.insert(key, Some(row));
                Ok(())
            }
            Data::Merge(..) => Err("MERGE of a memory-optimized table".into()),
        }
    }

    fn has_read(&mut self, session: usize, statement: &Statement, filter: Filter, found: &BTreeMap<Key, Row>) {
        let open = self.open(session);
        if matches!(statement.hints.level, Some(LevelHint::Repeatable | LevelHint::Hold)) {
            open.read.extend(found.keys().copied().filter(|key| !open.writes.contains_key(key)));
        }
        if statement.hints.level == Some(LevelHint::Hold) {
            open.ranges.push(filter);
        }
    }

    /// The server has committed, or said why not.
    fn ended(&mut self, session: usize, error: Option<i32>) -> Judged {
        let open = self.sessions[session].clone().ok_or("nothing to commit")?;
        let newer: Vec<Key> = self.rows.keys().copied().filter(|key| self.is_newer(&open, *key)).collect();
        let others = || newer.iter().filter(|key| !open.writes.contains_key(key));
        let reread = others().any(|key| open.read.contains(key));
        let phantom = others().any(|key| {
            let row = self.rows[key].committed();
            row.is_some_and(|row| open.ranges.iter().any(|filter| filter.matches(*key, row)))
        });
        // The same key, inserted by both: the other's may be gone again.
        let both = newer.iter().any(|key| open.writes.get(key).is_some_and(|row| self.is_change(&open, *key, *row)));
        let twice =
            both && newer.iter().any(|key| open.writes.contains_key(key) && self.rows[key].committed().is_some());
        // Who changed nothing is serial as of its begin, whatever came after.
        let must = twice || (reread || phantom) && !open.writes.is_empty();
        let looks_again = !open.read.is_empty() || !open.ranges.is_empty();
        let may = must || both || looks_again && !newer.is_empty();
        match error {
            None if must => Err(format!(
                "committed, and newer rows are {newer:?}: read again {reread}, new {phantom}, twice {twice}"
            )),
            None => {
                self.commit(session);
                Ok(())
            }
            Some(error) if may && ends_transaction(error) => {
                self.sessions[session] = None;
                Ok(())
            }
            Some(error) => Err(format!("error {error} of a commit that nothing stands against")),
        }
    }

    /// What a transaction has both inserted and deleted was never there.
    fn is_change(&self, open: &Open, key: Key, row: Option<Row>) -> bool {
        row.is_some() || open.begun.is_some_and(|begun| self.rows[&key].at(begun).is_some())
    }

    fn commit(&mut self, session: usize) {
        self.now += 1;
        let Some(open) = self.sessions[session].take() else { return };
        for (key, row) in &open.writes {
            if self.is_change(&open, *key, *row) {
                self.rows.get_mut(key).expect("a key of the domain").versions.push((self.now, *row));
            }
        }
    }
}

/// An answer as it is sorted.
pub fn told(wanted: Wanted, found: &BTreeMap<Key, Row>) -> Vec<Vec<Option<i64>>> {
    match wanted {
        Wanted::Rows => found.iter().map(|(key, row)| vec![Some(*key), Some(row.v), Some(row.w)]).collect(),
        Wanted::Count => vec![vec![Some(found.len() as i64)]],
        Wanted::Sum => vec![vec![(!found.is_empty()).then(|| found.values().map(|row| row.v).sum())]],
    }
}
