//! Whether the model may answer as the server did, and what the world is afterwards.

use std::collections::{BTreeMap, BTreeSet};

use super::freedoms::Freedom;
use super::program::{Action, Answer, Change, Data, Filter, Key, Level, LockHint, Row, Statement, Wanted};
use super::world::{Claim, Mode, Reads, Running, Scope, Transaction, World, shown};

/// Why not.
pub type Judged = Result<(), String>;

pub const DEADLOCK: i32 = 1205;
pub const TIMEOUT: i32 = 1222;
pub const CONFLICT: i32 = 3960;
pub const DUPLICATE: i32 = 2627;

/// A changed row: key, before, after.
pub type Changed = (Key, Option<Row>, Option<Row>);

impl World {
    /// Whether the step can be taken: shrunk programs have some that cannot.
    pub fn fits(&self, session: usize, action: Action) -> bool {
        let state = &self.sessions[session];
        match (action, &state.transaction) {
            (Action::Level(_) | Action::Begin, open) => open.is_none(),
            (Action::Commit | Action::Rollback | Action::Save, open) => open.is_some(),
            (Action::Restore, open) => open.as_ref().is_some_and(|open| open.savepoint.is_some()),
            (Action::Timeout(_) | Action::Priority(_), _) => true,
            (Action::Data(statement), _) => self.hints_fit(state.level, &statement),
        }
    }

    /// READPAST only where rows are locked and ranges are not; hints of locks not beside SNAPSHOT, where they say little.
    fn hints_fit(&self, level: Level, statement: &Statement) -> bool {
        let hints = statement.hints;
        let is_select = matches!(statement.data, Data::Select(..));
        let versions = level == Level::Snapshot || level == Level::Committed && self.versions;
        let plain = hints.level.is_none() && hints.lock.is_none();
        let skips = matches!(level, Level::Committed | Level::Repeatable) && (!versions || !is_select);
        let is_merge = matches!(statement.data, Data::Merge(..));
        let tables = matches!(hints.lock, Some(LockHint::Table | LockHint::TableExclusive));
        (!hints.skip || skips && !is_merge && hints.level.is_none() && !(versions && level == Level::Committed))
            && (level != Level::Snapshot || plain)
            && (!(versions && is_select && tables) || hints.level.is_some())
            && (level != Level::Uncommitted || plain)
    }

    /// A step that does not wait and reads nothing.
    pub fn control(&mut self, session: usize, action: Action) {
        let state = &mut self.sessions[session];
        match action {
            Action::Level(level) => state.level = level,
            Action::Timeout(ms) => state.timeout = ms,
            Action::Priority(priority) => state.priority = priority,
            Action::Begin => state.transaction = Some(Transaction::default()),
            Action::Commit => self.commit(session),
            Action::Rollback => self.roll_back(session),
            Action::Save => {
                let open = self.transaction(session);
                open.savepoint = Some((open.undo.len(), open.claims.len()));
            }
            Action::Restore => self.restore(session),
            Action::Data(_) => unreachable!("it may wait"),
        }
        self.note_all();
    }

    /// The server answered the session's statement.
    pub fn answer(&mut self, session: usize, answer: &Answer) -> Judged {
        let running = self.sessions[session].running.clone().ok_or("an answer without a statement")?;
        match answer.error {
            None => self.succeeded(session, &running, answer)?,
            Some(error) => self.failed(session, &running, error)?,
        }
        self.sessions[session].running = None;
        if self.sessions[session].transaction.as_ref().is_some_and(|open| open.implicit) {
            self.commit(session);
        }
        self.note_all();
        Ok(())
    }

    fn failed(&mut self, session: usize, running: &Running, error: i32) -> Judged {
        match error {
            DEADLOCK => {
                if !self.is_victim(session) {
                    return Err("1205 without a cycle of waits in which it is the cheapest".into());
                }
                self.roll_back(session);
                return Ok(());
            }
            TIMEOUT if self.sessions[session].timeout < 0 => return Err("1222 without LOCK_TIMEOUT".into()),
            TIMEOUT if !running.blocked => return Err("1222, and there is nobody to wait for".into()),
            CONFLICT => {
                if !self.has_conflict(session, running) {
                    return Err("3960, and nobody has changed a row that it changes".into());
                }
                self.roll_back(session);
                return Ok(());
            }
            DUPLICATE => {
                let (Data::Insert(key, _) | Data::Merge(key, _)) = running.statement.data else {
                    return Err("2627 of a statement that inserts nothing".into());
                };
                let images = self.tables[running.statement.table][&key].images(session);
                if images.contains(&None) {
                    return Err(format!("2627, and there is no row {key}"));
                }
            }
            TIMEOUT => {}
            other => return Err(format!("error {other}")),
        }
        let kept = self.wants(session, &running.statement, running.reads).into_iter();
        let kept: Vec<Claim> = kept.map(|claim| Claim { freedom: Some(Freedom::Failed), ..claim }).collect();
        self.transaction(session).claims.extend(kept);
        Ok(())
    }

    /// In a cycle of waits with nobody cheaper in it.
    fn is_victim(&self, session: usize) -> bool {
        let priority = self.sessions[session].priority;
        let mut reached = BTreeSet::new();
        let mut left = vec![session];
        while let Some(waiting) = left.pop() {
            for other in self.blockers(waiting).into_keys() {
                if other == session {
                    return true;
                }
                if self.sessions[other].priority >= priority && reached.insert(other) {
                    left.push(other);
                }
            }
        }
        false
    }

    /// A row that it means to change was changed after its snapshot.
    fn has_conflict(&self, session: usize, running: &Running) -> bool {
        let Reads::Version(time) = running.reads else { return false };
        self.tables[running.statement.table].iter().any(|(&key, cell)| {
            let visible = self.version(session, running.statement.table, key, time);
            let wanted = match running.statement.data {
                Data::Select(..) => false,
                Data::Change(_, filter) => visible.is_some_and(|row| filter.matches(key, row)),
                Data::Insert(of, _) | Data::Merge(of, _) => of == key,
            };
            wanted && cell.changed_at() > time
        })
    }

    fn succeeded(&mut self, session: usize, running: &Running, answer: &Answer) -> Judged {
        let statement = running.statement;
        match statement.data {
            Data::Select(wanted, filter) => {
                self.read(session, running, wanted, filter, answer)?;
                let reported = match wanted {
                    Wanted::Rows => answer.rows.iter().filter_map(|row| row[0]).collect(),
                    _ => self.surely_read(session, running, filter),
                };
                self.grant(session, running, &reported)
            }
            Data::Change(change, filter) => {
                let changed = changed_rows(answer)?;
                self.changed(session, running, filter, &changed, |row| change.of(row))?;
                self.grant(session, running, &changed.iter().map(|changed| changed.0).collect())?;
                self.apply(session, statement.table, &changed)
            }
            Data::Insert(key, row) => {
                let changed = [(key, None, Some(row))];
                self.inserted(session, running, key)?;
                self.grant(session, running, &BTreeSet::from([key]))?;
                self.apply(session, statement.table, &changed)
            }
            Data::Merge(key, row) => {
                let changed = changed_rows(answer)?;
                match changed[..] {
                    [(of, None, Some(new))] if of == key && new == row => self.inserted(session, running, key)?,
                    [(of, Some(_), _)] if of == key => {
                        let add = |old| Change::Add(row.v).of(old);
                        self.changed(session, running, Filter::Key(key), &changed, add)?;
                    }
                    _ => return Err(format!("MERGE of {key} did {changed:?}")),
                }
                self.grant(session, running, &BTreeSet::from([key]))?;
                self.apply(session, statement.table, &changed)
            }
        }
    }

    fn apply(&mut self, session: usize, table: usize, changed: &[Changed]) -> Judged {
        for (key, _, row) in changed {
            self.set(session, table, *key, *row);
        }
        Ok(())
    }

    fn inserted(&mut self, session: usize, running: &Running, key: Key) -> Judged {
        let cell = &self.tables[running.statement.table][&key];
        match cell.clean(session) {
            Some(None) => {}
            Some(Some(_)) => return Err(format!("inserted {key}, which is there")),
            None => return Err(format!("inserted {key}, and did not wait for who has changed it")),
        }
        if let Reads::Version(time) = running.reads {
            // It sees the row that others have deleted since, and its own of the same key.
            self.is_open |= cell.dirty.is_none() && cell.changed_at() > time && cell.at(time).is_some();
        }
        Ok(())
    }

    /// What a read may have found of a key.
    fn found(
        &self,
        session: usize,
        running: &Running,
        key: Key,
        wanted: Wanted,
        filter: Filter,
    ) -> Result<Vec<Option<Row>>, String> {
        let mut found: Vec<Option<Row>> = Vec::new();
        for row in running.seen.get(&key).into_iter().flatten() {
            let row = shown(wanted, filter, key, *row);
            if !found.contains(&row) {
                found.push(row);
            }
        }
        if found.is_empty() {
            let images = self.tables[running.statement.table][&key].images(session);
            let [before, after] = images.map(|row| shown(wanted, filter, key, row));
            if before != after {
                return Err(format!("row {key} is changed and not committed, and it did not wait"));
            }
            found.push(before);
        }
        Ok(found)
    }

    fn read(&self, session: usize, running: &Running, wanted: Wanted, filter: Filter, answer: &Answer) -> Judged {
        // Without locks it may find both the row that a transaction has changed and the one that an INSERT has put beside it, which
        // waits for that transaction at the key's index.
        let finds_both = running.reads == Reads::Uncommitted;
        let mut rows: BTreeMap<Key, Vec<Row>> = BTreeMap::new();
        let mut sums = BTreeSet::from([(0, 0)]);
        if wanted == Wanted::Rows {
            for row in &answer.rows {
                let [Some(k), Some(v), Some(w)] = row[..] else { return Err("a row with NULL".into()) };
                let found = rows.entry(k).or_default();
                if !found.is_empty() && (!finds_both || found.contains(&Row { v, w })) {
                    return Err(format!("row {k} twice"));
                }
                found.push(Row { v, w });
            }
        }
        for &key in self.tables[running.statement.table].keys() {
            let may_be = self.found(session, running, key, wanted, filter)?;
            if wanted == Wanted::Rows {
                let found = rows.remove(&key).unwrap_or_default();
                let is_possible = if found.is_empty() {
                    may_be.contains(&None)
                } else {
                    found.iter().all(|row| may_be.contains(&Some(*row)))
                };
                if !is_possible {
                    return Err(format!("row {key} is {found:?}, and may be {may_be:?}"));
                }
            }
            let add = |(count, sum): (i64, i64)| {
                may_be.iter().map(move |row| row.map_or((count, sum), |row| (count + 1, sum + row.v)))
            };
            let both = if finds_both { &may_be[..] } else { &[] };
            let both: Vec<Row> = both.iter().flatten().copied().collect();
            let all = both.iter().map(|row| row.v).sum::<i64>();
            let add_both = |(count, sum): (i64, i64)| (both.len() > 1).then(|| (count + both.len() as i64, sum + all));
            sums = sums.into_iter().flat_map(|sum| add(sum).chain(add_both(sum))).collect();
        }
        if let Some(key) = rows.keys().next() {
            return Err(format!("row {key} never was"));
        }
        let told = match answer.rows[..] {
            _ if wanted == Wanted::Rows => return Ok(()),
            [ref row] => row[0],
            _ => return Err("not one row".into()),
        };
        let may_be: BTreeSet<Option<i64>> = sums
            .into_iter()
            .map(|(count, sum)| if wanted == Wanted::Count { Some(count) } else { (count > 0).then_some(sum) })
            .collect();
        if may_be.contains(&told) { Ok(()) } else { Err(format!("{told:?}, and may be {may_be:?}")) }
    }

    /// Of an answer that does not name its rows.
    fn surely_read(&self, session: usize, running: &Running, filter: Filter) -> BTreeSet<Key> {
        let is_read = |key: Key| match running.seen.get(&key).map(Vec::as_slice) {
            Some([Some(row)]) => {
                filter.matches(key, *row) && !self.tables[running.statement.table][&key].is_others(session)
            }
            _ => false,
        };
        (0..super::world::KEYS).filter(|key| is_read(*key)).collect()
    }

    fn changed(
        &self,
        session: usize,
        running: &Running,
        filter: Filter,
        changed: &[Changed],
        change: impl Fn(Row) -> Option<Row>,
    ) -> Judged {
        let table = running.statement.table;
        let mut reported = BTreeSet::new();
        for (key, before, after) in changed {
            let Some(cell) = self.tables[table].get(key) else { return Err(format!("row {key} never was")) };
            let Some(current) = cell.clean(session) else {
                return Err(format!("changed {key}, and did not wait for who has changed it"));
            };
            let Some(before) = before.filter(|row| current == Some(*row)) else {
                return Err(format!("changed {key} from {before:?}, and it was {current:?}: an update is lost"));
            };
            if !filter.matches(*key, before) || *after != change(before) {
                return Err(format!("changed {key} from {before:?} to {after:?}"));
            }
            if let Reads::Version(time) = running.reads {
                if cell.dirty.is_none() && cell.changed_at() > time {
                    return Err(format!("changed {key}, which was changed after its snapshot"));
                }
            }
            if !reported.insert(*key) {
                return Err(format!("changed {key} twice"));
            }
        }
        for (&key, cell) in self.tables[table].iter().filter(|(key, _)| !reported.contains(key)) {
            let seen = running.seen.get(&key).map_or(&[][..], Vec::as_slice);
            let may_leave = if seen.is_empty() {
                cell.images(session).into_iter().flatten().all(|row| !filter.matches(key, row))
            } else {
                seen.iter().any(|row| row.is_none_or(|row| !filter.matches(key, row)))
            };
            if !may_leave {
                return Err(format!("did not change {key}, which it must"));
            }
        }
        Ok(())
    }

    /// The statement has its locks, those of `reported` rows surely; which of them stay.
    fn grant(&mut self, session: usize, running: &Running, reported: &BTreeSet<Key>) -> Judged {
        let statement = running.statement;
        let is_select = matches!(statement.data, Data::Select(..));
        let keep = matches!(running.reads, Reads::Locking(true, _));
        let range = matches!(running.reads, Reads::Locking(_, true));
        let mut claims = Vec::new();
        for mut claim in self.wants(session, &statement, running.reads) {
            let stays = match claim.scope {
                Scope::Table if is_select => match claim.mode {
                    Mode::Shared => {
                        claim.freedom = claim.freedom.or((!range).then_some(Freedom::TableHint));
                        keep
                    }
                    Mode::Exclusive => true,
                    _ => {
                        claim.freedom = claim.freedom.or(reported.is_empty().then_some(Freedom::Intent));
                        keep || matches!(statement.hints.lock, Some(LockHint::Update | LockHint::Exclusive))
                    }
                },
                Scope::Table => {
                    claim.freedom = claim.freedom.or(reported.is_empty().then_some(Freedom::Intent));
                    true
                }
                Scope::Range(..) => true,
                Scope::Told(key, filter, _) => {
                    // While it waited the row was another, or none: it may have been passed then.
                    let seen = running.seen.get(&key).map_or(&[][..], Vec::as_slice);
                    let passed = seen.iter().any(|row| row.is_none_or(|row| !filter.matches(key, row)));
                    claim.freedom = claim.freedom.or(passed.then_some(Freedom::Passed));
                    true
                }
                Scope::Row(key, _) if statement_counts(&statement) && reported.contains(&key) => {
                    keep || claim.mode != Mode::Shared
                }
                Scope::Row(key, _) if reported.contains(&key) => {
                    // What was not sure before the answer is so now.
                    claim.freedom = None;
                    !is_select || keep || claim.mode != Mode::Shared
                }
                Scope::Row(..) => {
                    claim.freedom = claim.freedom.or(Some(Freedom::Passed));
                    !is_select || keep || claim.mode != Mode::Shared
                }
            };
            let is_asked = stays || matches!(claim.scope, Scope::Table);
            if is_asked && claim.freedom.is_none() {
                self.is_free(session, &claim)?;
            }
            if stays {
                claims.push(claim);
            }
        }
        self.transaction(session).claims.extend(claims);
        Ok(())
    }

    fn is_free(&self, session: usize, claim: &Claim) -> Judged {
        for (other, state) in self.sessions.iter().enumerate().filter(|(other, _)| *other != session) {
            for held in state.transaction.iter().flat_map(|transaction| &transaction.claims) {
                if claim.meets(held) == Some(None) {
                    return Err(format!("did not wait for session {other}: {claim:?} meets {held:?}"));
                }
            }
        }
        Ok(())
    }
}

/// Which of a table's indexes it reads is not told.
fn statement_counts(statement: &Statement) -> bool {
    matches!(statement.data, Data::Select(Wanted::Count, _))
}

pub fn changed_rows(answer: &Answer) -> Result<Vec<Changed>, String> {
    let row = |v: Option<i64>, w: Option<i64>| v.zip(w).map(|(v, w)| Row { v, w });
    answer
        .rows
        .iter()
        .map(|told| match told[..] {
            [Some(key), v, w, new_v, new_w] => Ok((key, row(v, w), row(new_v, new_w))),
            _ => Err(format!("OUTPUT has {told:?}")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::program::{Hints, first_rows};
    use super::*;

    fn statement(data: Data) -> Statement {
        Statement { table: 0, data, hints: Hints::default() }
    }

    fn answered(rows: &[&[i64]]) -> Answer {
        Answer { rows: rows.iter().map(|row| row.iter().map(|number| Some(*number)).collect()).collect(), error: None }
    }

    /// Session 0 has added 1 to row 3 and not committed.
    fn changed() -> World {
        let mut world = World::new(false, 3, first_rows());
        world.control(0, Action::Begin);
        world.start(0, statement(Data::Change(Change::Add(1), Filter::Key(3))));
        world.answer(0, &answered(&[&[3, 30, 3, 31, 3]])).expect("nobody is in the way");
        world
    }

    #[test]
    fn what_is_not_committed_is_waited_for() {
        let read = statement(Data::Select(Wanted::Rows, Filter::Key(3)));
        for value in [30, 31] {
            let mut world = changed();
            world.start(1, read);
            assert_eq!(world.blockers(1), BTreeMap::from([(0, None)]));
            assert!(world.clone().answer(1, &answered(&[&[3, value, 3]])).is_err(), "{value}");
            world.control(0, Action::Commit);
            assert_eq!(world.answer(1, &answered(&[&[3, value, 3]])).is_ok(), value == 31);
        }
        let mut world = changed();
        world.control(1, Action::Level(Level::Uncommitted));
        world.start(1, read);
        assert!(world.blockers(1).is_empty());
        assert!(world.answer(1, &answered(&[&[3, 31, 3]])).is_ok());
        // With row versions it is the row before.
        let mut world = changed();
        world.versions = true;
        world.start(1, read);
        assert!(world.blockers(1).is_empty());
        assert!(world.answer(1, &answered(&[&[3, 30, 3]])).is_ok());
    }

    #[test]
    fn a_lost_update_is_none_of_its_worlds() {
        let mut world = changed();
        world.start(1, statement(Data::Change(Change::Add(5), Filter::Key(3))));
        world.control(0, Action::Commit);
        assert!(world.clone().answer(1, &answered(&[&[3, 30, 3, 35, 3]])).is_err());
        assert!(world.answer(1, &answered(&[&[3, 31, 3, 36, 3]])).is_ok());
    }

    #[test]
    fn a_serializable_reader_keeps_out_new_rows() {
        let mut world = World::new(false, 2, first_rows());
        world.control(0, Action::Level(Level::Serializable));
        world.control(0, Action::Begin);
        world.start(0, statement(Data::Select(Wanted::Rows, Filter::Keys(2, 4))));
        world.answer(0, &answered(&[&[3, 30, 3]])).expect("it is there");
        for (key, freedom) in [(4, Some(None)), (2, Some(None)), (7, None)] {
            let mut world = world.clone();
            world.start(1, statement(Data::Insert(key, Row { v: 1, w: 1 })));
            assert_eq!(world.blockers(1).get(&0).copied(), freedom, "{key}");
            assert_eq!(world.answer(1, &answered(&[])).is_ok(), freedom.is_none(), "{key}");
        }
    }

    #[test]
    fn only_who_is_in_a_cycle_is_a_victim() {
        let mut world = changed();
        let victim = Answer { rows: Vec::new(), error: Some(DEADLOCK) };
        world.control(1, Action::Begin);
        world.start(1, statement(Data::Change(Change::Add(1), Filter::Key(5))));
        world.answer(1, &answered(&[&[5, 50, 1, 51, 1]])).expect("nobody is in the way");
        world.start(1, statement(Data::Change(Change::Add(1), Filter::Key(3))));
        assert!(world.clone().answer(1, &victim).is_err());
        world.start(0, statement(Data::Change(Change::Add(1), Filter::Key(5))));
        assert!(world.clone().answer(1, &victim).is_ok());
        world.control(0, Action::Priority(-1));
        assert!(world.clone().answer(1, &victim).is_err(), "session 0 is cheaper");
        assert!(world.answer(0, &victim).is_ok());
    }
}
