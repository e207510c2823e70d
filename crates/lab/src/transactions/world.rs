//! The model's state: committed versions of each key, who has changed what, which locks each transaction surely or maybe holds.

use std::collections::BTreeMap;

use super::freedoms::Freedom;
use super::program::{
    Change, Data, Filter, Hints, Key, Level, LevelHint, LockHint, Row, SHAPES, Shape, Statement, Wanted,
};

/// Keys are of 0 up to, not including, this one.
pub const KEYS: Key = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Committed, with their times, ascending; never empty.
    pub versions: Vec<(u64, Option<Row>)>,
    /// Who has changed it and not committed, and what it is then.
    pub dirty: Option<(usize, Option<Row>)>,
}

impl Cell {
    pub fn committed(&self) -> Option<Row> {
        self.versions.last().expect("one at least").1
    }

    pub fn changed_at(&self) -> u64 {
        self.versions.last().expect("one at least").0
    }

    pub fn at(&self, time: u64) -> Option<Row> {
        self.versions.iter().rev().find(|(at, _)| *at <= time).expect("one of time 0").1
    }

    /// None: another transaction has changed it.
    pub fn clean(&self, session: usize) -> Option<Option<Row>> {
        match self.dirty {
            Some((owner, row)) => (owner == session).then_some(row),
            None => Some(self.committed()),
        }
    }

    /// What it may be when all have ended, as a session sees it now.
    pub fn images(&self, session: usize) -> [Option<Row>; 2] {
        match self.dirty {
            Some((owner, row)) if owner == session => [row, row],
            Some((_, row)) => [self.committed(), row],
            None => [self.committed(), self.committed()],
        }
    }

    pub fn is_others(&self, session: usize) -> bool {
        self.dirty.is_some_and(|(owner, _)| owner != session)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    IntentShared,
    Intent,
    Shared,
    Update,
    Exclusive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Table,
    /// With what the row was and will be, where it is changed.
    Row(Key, [Option<Row>; 2]),
    /// What was read of a row, and is to stay so.
    Told(Key, Filter, Wanted),
    /// The same of all rows that there are or may be.
    Range(Filter, Wanted),
}

/// A lock that is held or wanted. With a freedom: maybe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    pub table: usize,
    pub scope: Scope,
    pub mode: Mode,
    pub freedom: Option<Freedom>,
}

impl Claim {
    /// None: they go together. Some(None): they surely do not.
    pub fn meets(&self, held: &Claim) -> Option<Option<Freedom>> {
        use Mode::*;
        if self.table != held.table {
            return None;
        }
        let freedom = self.freedom.or(held.freedom);
        let meets = match (self.scope, held.scope) {
            (Scope::Table, Scope::Table) => matches!(
                (self.mode, held.mode),
                (IntentShared, Exclusive)
                    | (Intent, Shared | Exclusive)
                    | (Shared, Intent | Exclusive)
                    | (Exclusive, _)
            ),
            (Scope::Row(key, _), Scope::Row(other, _)) => {
                key == other
                    && matches!(
                        (self.mode, held.mode),
                        (Shared, Exclusive) | (Update, Update | Exclusive) | (Exclusive, Shared | Update | Exclusive)
                    )
            }
            (Scope::Row(key, images), Scope::Told(of, filter, wanted)) if self.mode == Exclusive => {
                return if key == of { disturbs(filter, wanted, key, images, freedom) } else { None };
            }
            (Scope::Told(of, filter, wanted), Scope::Row(key, images)) if held.mode == Exclusive => {
                return if key == of { disturbs(filter, wanted, key, images, freedom) } else { None };
            }
            (Scope::Row(key, images), Scope::Range(filter, wanted)) if self.mode == Exclusive => {
                return disturbs(filter, wanted, key, images, freedom);
            }
            (Scope::Range(filter, wanted), Scope::Row(key, images)) if held.mode == Exclusive => {
                return disturbs(filter, wanted, key, images, freedom);
            }
            // Ranges lock the keys in them and one more; which they have in common is left open.
            (Scope::Range(..), Scope::Range(..)) => {
                let meet = matches!((self.mode, held.mode), (Update, Update) | (Exclusive, _) | (_, Exclusive));
                return meet.then_some(Some(Freedom::NextKey));
            }
            _ => false,
        };
        meets.then_some(freedom)
    }
}

/// Whether a change touches what was read: surely where that shows.
fn disturbs(
    filter: Filter,
    wanted: Wanted,
    key: Key,
    images: [Option<Row>; 2],
    freedom: Option<Freedom>,
) -> Option<Option<Freedom>> {
    let [before, after] = images.map(|row| shown(wanted, filter, key, row));
    let is_covered = (before == after).then_some(Freedom::Covered);
    touches(filter, key, images).then_some(freedom.or(is_covered))
}

fn touches(filter: Filter, key: Key, images: [Option<Row>; 2]) -> bool {
    images.into_iter().flatten().any(|row| filter.matches(key, row))
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transaction {
    /// Only its statement's: the session has not begun one.
    pub implicit: bool,
    /// The time that SNAPSHOT reads at.
    pub snapshot: Option<u64>,
    pub claims: Vec<Claim>,
    /// Table, key and what was uncommitted there before.
    pub undo: Vec<(usize, Key, Option<(usize, Option<Row>)>)>,
    /// How many of `undo` and `claims` there were.
    pub savepoint: Option<(usize, usize)>,
}

/// A statement without an answer yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    pub statement: Statement,
    pub reads: Reads,
    /// By key: what it may have found, at one moment or another.
    pub seen: BTreeMap<Key, Vec<Option<Row>>>,
    /// There was somebody to wait for, at some moment.
    pub blocked: bool,
    /// Keys that others had changed before it began, and their w then.
    changed_before: BTreeMap<Key, Option<i64>>,
}

/// How a statement reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    Uncommitted,
    /// With locks: kept to the end; of ranges.
    Locking(bool, bool),
    /// As of a time.
    Version(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub level: Level,
    pub timeout: i32,
    pub priority: i32,
    pub transaction: Option<Transaction>,
    pub running: Option<Running>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct World {
    /// READ_COMMITTED_SNAPSHOT.
    pub versions: bool,
    pub now: u64,
    pub tables: Vec<BTreeMap<Key, Cell>>,
    pub sessions: Vec<Session>,
    /// Documentation does not say what is seen from here on.
    pub is_open: bool,
}

impl World {
    pub fn new(versions: bool, sessions: usize, rows: impl Iterator<Item = (Key, Row)>) -> World {
        let absent = Cell { versions: vec![(0, None)], dirty: None };
        let mut table: BTreeMap<Key, Cell> = (0..KEYS).map(|key| (key, absent.clone())).collect();
        for (key, row) in rows {
            table.insert(key, Cell { versions: vec![(0, Some(row))], dirty: None });
        }
        let session = Session { level: Level::Committed, timeout: -1, priority: 0, transaction: None, running: None };
        World { versions, now: 0, tables: vec![table; SHAPES.len()], sessions: vec![session; sessions], is_open: false }
    }

    pub fn transaction(&mut self, session: usize) -> &mut Transaction {
        self.sessions[session].transaction.as_mut().expect("one is open")
    }

    /// As the session itself sees a row that nobody else has changed.
    pub fn set(&mut self, session: usize, table: usize, key: Key, row: Option<Row>) {
        let cell = self.tables[table].get_mut(&key).expect("a key of the domain");
        let before = cell.dirty.replace((session, row));
        self.transaction(session).undo.push((table, key, before));
    }

    pub fn commit(&mut self, session: usize) {
        self.now += 1;
        for cell in self.tables.iter_mut().flat_map(BTreeMap::values_mut) {
            if let Some((_, row)) = cell.dirty.take_if(|(owner, _)| *owner == session) {
                if row.is_some() || cell.committed().is_some() {
                    cell.versions.push((self.now, row));
                }
            }
        }
        self.sessions[session].transaction = None;
    }

    pub fn roll_back(&mut self, session: usize) {
        for cell in self.tables.iter_mut().flat_map(BTreeMap::values_mut) {
            cell.dirty.take_if(|(owner, _)| *owner == session);
        }
        self.sessions[session].transaction = None;
    }

    /// Back to the savepoint.
    pub fn restore(&mut self, session: usize) {
        let transaction = self.sessions[session].transaction.as_mut().expect("one is open");
        let (undo, claims) = transaction.savepoint.expect("a savepoint");
        for (table, key, before) in transaction.undo.drain(undo..).rev() {
            self.tables[table].get_mut(&key).expect("a key of the domain").dirty = before;
        }
        for claim in &mut transaction.claims[claims..] {
            claim.freedom = claim.freedom.or(Some(Freedom::Savepoint));
        }
    }

    pub fn start(&mut self, session: usize, statement: Statement) {
        let now = self.now;
        let state = &mut self.sessions[session];
        let level = state.level;
        let transaction =
            state.transaction.get_or_insert_with(|| Transaction { implicit: true, ..Transaction::default() });
        if level == Level::Snapshot {
            transaction.snapshot.get_or_insert(now);
        }
        let snapshot = transaction.snapshot.unwrap_or(now);
        let reads = self.reads(level, &statement, snapshot);
        let cells = self.tables[statement.table].iter();
        let is_wanted = |key: Key, cell: &Cell| match statement.data {
            Data::Select(_, filter) | Data::Change(_, filter) => touches(filter, key, cell.images(session)),
            _ => true,
        };
        let changed = cells.filter(|(key, cell)| cell.is_others(session) && is_wanted(**key, cell));
        let changed_before = changed.map(|(key, cell)| (*key, cell.images(session)[1].map(|row| row.w))).collect();
        let seen = BTreeMap::new();
        self.sessions[session].running = Some(Running { statement, reads, seen, blocked: false, changed_before });
        self.note(session);
    }

    fn reads(&self, level: Level, statement: &Statement, snapshot: u64) -> Reads {
        let Hints { level: hint, lock, .. } = statement.hints;
        let is_change = !matches!(statement.data, Data::Select(..));
        match (hint, level) {
            (Some(LevelHint::Hold), _) | (None, Level::Serializable) => Reads::Locking(true, true),
            (Some(LevelHint::Lock), _) => Reads::Locking(false, false),
            (None, Level::Repeatable) => Reads::Locking(true, false),
            (None, Level::Snapshot) => Reads::Version(snapshot),
            _ if is_change || lock.is_some() => Reads::Locking(false, false),
            (Some(LevelHint::NoLock), _) | (None, Level::Uncommitted) => Reads::Uncommitted,
            (Some(LevelHint::Snapshot | LevelHint::Repeatable), _) => unreachable!("of tables that lock nothing"),
            (None, Level::Committed) if self.versions => Reads::Version(self.now),
            (None, Level::Committed) => Reads::Locking(false, false),
        }
    }

    /// The row that a session sees in a version.
    pub fn version(&self, session: usize, table: usize, key: Key, time: u64) -> Option<Row> {
        let cell = &self.tables[table][&key];
        match cell.dirty {
            Some((owner, row)) if owner == session => row,
            _ => cell.at(time),
        }
    }

    /// What all running statements may find at this moment.
    pub fn note_all(&mut self) {
        for session in 0..self.sessions.len() {
            if self.sessions[session].running.is_some() {
                self.note(session);
            }
        }
    }

    fn note(&mut self, session: usize) {
        let running = self.sessions[session].running.as_ref().expect("a statement");
        let table = running.statement.table;
        let mut found: Vec<(Key, Option<Row>)> = Vec::new();
        for (&key, cell) in &self.tables[table] {
            match running.reads {
                Reads::Version(time) => found.push((key, self.version(session, table, key, time))),
                Reads::Uncommitted => {
                    found.push((key, cell.images(session)[1]));
                    found.extend(self.half_done(session, table, key).into_iter().map(|row| (key, row)));
                }
                Reads::Locking(..) if running.statement.hints.skip => match self.row_is_locked(session, key) {
                    Some(None) => found.push((key, None)),
                    locked => {
                        found.push((key, cell.clean(session).unwrap_or(cell.committed())));
                        found.extend(locked.map(|_| (key, None)));
                    }
                },
                Reads::Locking(_, range) => {
                    found.extend(cell.clean(session).map(|row| (key, row)));
                    // It moved to where a read that has come to a wait has been.
                    if running.blocked && !range && self.is_behind(running, key) {
                        found.push((key, None));
                    }
                }
            }
        }
        let blocked = !self.blockers(session).is_empty();
        let running = self.sessions[session].running.as_mut().expect("a statement");
        running.blocked |= blocked;
        for (key, row) in found {
            let seen = running.seen.entry(key).or_default();
            if !seen.contains(&row) {
                seen.push(row);
            }
        }
    }

    /// Others have put the row in another place of an index or of a heap after the statement began.
    fn is_behind(&self, running: &Running, key: Key) -> bool {
        let Statement { table, data, .. } = running.statement;
        let cell = &self.tables[table][&key];
        let (Data::Select(_, filter) | Data::Change(_, filter)) = data else { return false };
        let place = cell.dirty.and_then(|(_, row)| row).map(|row| row.w);
        let before = running.changed_before.get(&key).copied().unwrap_or(cell.committed().map(|row| row.w));
        let moved = matches!(filter, Filter::Others(..)) && place.is_some() && place != before;
        let again = SHAPES[table] == Shape::Heap
            && cell.dirty.is_some_and(|(owner, row)| {
                row.is_some() && self.images_before(owner, table, key).any(|before| before.is_none())
            });
        moved || again
    }

    /// What the owner of a row that is not committed has made of it on the way.
    fn images_before(&self, owner: usize, table: usize, key: Key) -> impl Iterator<Item = Option<Row>> {
        let undo = self.sessions[owner].transaction.iter().flat_map(|transaction| &transaction.undo);
        undo.filter(move |(at, of, _)| *at == table && *of == key)
            .filter_map(|(_, _, before)| before.map(|(_, row)| row))
    }

    /// What others' waiting statements may have made of a row already.
    fn half_done(&self, session: usize, table: usize, key: Key) -> Vec<Option<Row>> {
        let others = (0..self.sessions.len()).filter(|other| *other != session);
        let mut rows = Vec::new();
        for other in others {
            let Some(running) = &self.sessions[other].running else { continue };
            let row = self.tables[table][&key].images(other)[1];
            match (running.statement.data, row) {
                _ if running.statement.table != table => {}
                (Data::Change(change, filter), Some(row)) if filter.matches(key, row) => rows.push(change.of(row)),
                (Data::Insert(of, new) | Data::Merge(of, new), None) if of == key => rows.push(Some(new)),
                (Data::Merge(of, new), Some(row)) if of == key => rows.push(Change::Add(new.v).of(row)),
                _ => {}
            }
        }
        rows
    }

    /// Whether READPAST passes the row by: Some(None) surely, Some(freedom) maybe.
    fn row_is_locked(&self, session: usize, key: Key) -> Option<Option<Freedom>> {
        let running = self.sessions[session].running.as_ref().expect("a statement");
        let wants = self.row_wants(session, &running.statement, running.reads);
        let mut of_key: Vec<Claim> =
            wants.into_iter().filter(|want| matches!(want.scope, Scope::Row(of, _) if of == key)).collect();
        // Skipped is what cannot be read; what can be, and not be changed, is waited for.
        if !matches!(running.statement.data, Data::Select(..)) {
            of_key.iter_mut().for_each(|want| want.mode = Mode::Update);
        }
        self.against(session, of_key).into_values().min()
    }

    /// Whom a session's statement may have to wait for; None: it must.
    pub fn blockers(&self, session: usize) -> BTreeMap<usize, Option<Freedom>> {
        let Some(running) = &self.sessions[session].running else { return BTreeMap::new() };
        let mut wants = self.wants(session, &running.statement, running.reads);
        if running.statement.hints.skip {
            let is_change = !matches!(running.statement.data, Data::Select(..));
            wants.retain(|want| matches!(want.scope, Scope::Table) || is_change);
            wants.iter_mut().filter(|want| want.scope != Scope::Table).for_each(|want| {
                want.freedom = want.freedom.or(Some(Freedom::Passed));
            });
        }
        let mut blockers = self.against(session, wants);
        let others = (0..self.sessions.len()).filter(|other| *other != session);
        for other in others.filter(|other| self.may_meet_new(running, *other)) {
            blockers.entry(other).or_insert(Some(Freedom::Queue));
        }
        blockers
    }

    /// The row that another session's waiting statement means to insert may be in the table, and not in each index.
    fn may_meet_new(&self, running: &Running, other: usize) -> bool {
        let Some(line) = &self.sessions[other].running else { return false };
        let (Data::Insert(key, row) | Data::Merge(key, row)) = line.statement.data else { return false };
        let Statement { table, data, .. } = running.statement;
        let filter = match data {
            Data::Select(_, filter) if matches!(running.reads, Reads::Locking(..)) => filter,
            Data::Change(_, filter) => filter,
            _ => return false,
        };
        table == line.statement.table && (filter.matches(key, row) || may_scan(SHAPES[table], filter))
    }

    fn against(&self, session: usize, wants: Vec<Claim>) -> BTreeMap<usize, Option<Freedom>> {
        let mut blockers = BTreeMap::new();
        let mut add = |other: usize, freedom: Option<Freedom>| {
            let entry = blockers.entry(other).or_insert(freedom);
            *entry = (*entry).min(freedom);
        };
        for (other, state) in self.sessions.iter().enumerate().filter(|(other, _)| *other != session) {
            let held = state.transaction.iter().flat_map(|transaction| &transaction.claims);
            for (want, held) in held.flat_map(|held| wants.iter().map(move |want| (want, held))) {
                if let Some(freedom) = want.meets(held) {
                    add(other, freedom);
                }
            }
            let Some(running) = &state.running else { continue };
            let line = self.wants(other, &running.statement, running.reads);
            if wants.iter().any(|want| line.iter().any(|held| want.meets(held).is_some())) {
                add(other, Some(Freedom::Queue));
            }
        }
        blockers
    }

    /// The locks that a statement asks for, as things are.
    pub fn wants(&self, session: usize, statement: &Statement, reads: Reads) -> Vec<Claim> {
        let mut wants = self.table_wants(statement, reads);
        let hint = statement.hints.lock;
        let is_select = matches!(statement.data, Data::Select(..));
        if !(is_select && matches!(hint, Some(LockHint::Table | LockHint::TableExclusive))) {
            wants.extend(self.row_wants(session, statement, reads));
        }
        wants
    }

    fn table_wants(&self, statement: &Statement, reads: Reads) -> Vec<Claim> {
        let table = statement.table;
        let claim = |mode, freedom| Claim { table, scope: Scope::Table, mode, freedom };
        let hint = statement.hints.lock;
        if hint == Some(LockHint::TableExclusive) {
            return vec![claim(Mode::Exclusive, None)];
        }
        if !matches!(statement.data, Data::Select(..)) {
            let mut wants = vec![claim(Mode::Intent, None)];
            if hint == Some(LockHint::Table) {
                wants.push(claim(Mode::Exclusive, Some(Freedom::TableHint)));
            }
            return wants;
        }
        match (reads, hint) {
            (Reads::Uncommitted | Reads::Version(_), _) => Vec::new(),
            (_, Some(LockHint::Table)) => vec![claim(Mode::Shared, None)],
            (_, Some(_)) => vec![claim(Mode::IntentShared, None), claim(Mode::Intent, Some(Freedom::Intent))],
            _ => vec![claim(Mode::IntentShared, None)],
        }
    }

    fn row_wants(&self, session: usize, statement: &Statement, reads: Reads) -> Vec<Claim> {
        match statement.data {
            Data::Select(_, filter) => match reads {
                Reads::Locking(keep, range) => self.read_wants(session, statement, filter, keep, range),
                _ => Vec::new(),
            },
            Data::Change(change, filter) => self.change_wants(session, statement, filter, reads, |row| change.of(row)),
            Data::Insert(key, row) => self.insert_wants(session, statement.table, key, row),
            Data::Merge(key, row) => {
                let add = |old| Change::Add(row.v).of(old);
                let mut wants = self.change_wants(session, statement, Filter::Key(key), reads, add);
                if self.tables[statement.table][&key].images(session).contains(&None) {
                    wants.extend(self.insert_wants(session, statement.table, key, row));
                }
                wants
            }
        }
    }

    fn insert_wants(&self, session: usize, table: usize, key: Key, row: Row) -> Vec<Claim> {
        let cell = &self.tables[table][&key];
        let scope = Scope::Row(key, [None, Some(row)]);
        let images = cell.images(session);
        // A key that is there, however the others end, is an error without their locks; it may have asked for them before.
        let freedom = images.iter().all(Option::is_some).then_some(Freedom::Covered);
        vec![Claim { table, scope, mode: Mode::Exclusive, freedom }]
    }

    fn read_wants(&self, session: usize, statement: &Statement, filter: Filter, keep: bool, range: bool) -> Vec<Claim> {
        let table = statement.table;
        let mode = match statement.hints.lock {
            Some(LockHint::Update) => Mode::Update,
            Some(LockHint::Exclusive) => Mode::Exclusive,
            _ => Mode::Shared,
        };
        let Data::Select(wanted, _) = statement.data else { unreachable!("a read") };
        let mut wants = self.range_wants(session, table, filter, wanted, range.then_some(mode));
        for (&key, cell) in &self.tables[table] {
            let images = cell.images(session);
            let shown = images.map(|row| shown(wanted, filter, key, row));
            let freedom = if touches(filter, key, images) {
                match (cell.is_others(session), mode) {
                    (true, Mode::Shared) => (shown[0] == shown[1]).then_some(Freedom::Covered),
                    (false, Mode::Shared) if !keep => Some(Freedom::Unchanged),
                    _ if wanted == Wanted::Count => Some(Freedom::Covered),
                    _ => None,
                }
            } else {
                match self.passed(session, table, filter, key, range) {
                    Some(freedom) => Some(freedom),
                    None => continue,
                }
            };
            wants.push(Claim { table, scope: Scope::Row(key, [None; 2]), mode, freedom });
            let is_skipped = statement.hints.skip && cell.is_others(session);
            if wanted == Wanted::Count && keep && touches(filter, key, images) && !is_skipped {
                wants.push(Claim { table, scope: Scope::Told(key, filter, wanted), mode: Mode::Shared, freedom: None });
            }
        }
        wants
    }

    fn change_wants(
        &self,
        session: usize,
        statement: &Statement,
        filter: Filter,
        reads: Reads,
        change: impl Fn(Row) -> Option<Row>,
    ) -> Vec<Claim> {
        let table = statement.table;
        let range = matches!(reads, Reads::Locking(_, true));
        let looks = if statement.hints.lock == Some(LockHint::Exclusive) { Mode::Exclusive } else { Mode::Update };
        let mut wants = self.range_wants(session, table, filter, Wanted::Rows, range.then_some(looks));
        for (&key, cell) in &self.tables[table] {
            let images = cell.images(session);
            let is_wanted = match reads {
                Reads::Version(time) => {
                    self.version(session, table, key, time).is_some_and(|row| filter.matches(key, row))
                }
                _ => touches(filter, key, images),
            };
            let (mode, freedom) = if is_wanted {
                (Mode::Exclusive, None)
            } else if touches(filter, key, images) {
                (looks, Some(Freedom::Passed))
            } else {
                match self.passed(session, table, filter, key, range) {
                    Some(freedom) => (looks, Some(freedom)),
                    None => continue,
                }
            };
            let scope = Scope::Row(key, [images[1], images[1].and_then(&change)]);
            wants.push(Claim { table, scope, mode, freedom });
        }
        wants
    }

    /// Why a row may be met that is not wanted.
    fn passed(&self, session: usize, table: usize, filter: Filter, key: Key, range: bool) -> Option<Freedom> {
        let images = self.tables[table][&key].images(session);
        if images == [None; 2] {
            // Made and taken away by a transaction that goes on: it may lie there still.
            return self.tables[table][&key].is_others(session).then_some(Freedom::Passed);
        }
        if may_scan(SHAPES[table], filter) {
            return Some(Freedom::Passed);
        }
        if let Some((owner, _)) = self.tables[table][&key].dirty.filter(|(owner, _)| *owner != session) {
            // Entries of an index that its writer has left again may lie there still.
            if self.images_before(owner, table, key).flatten().any(|row| filter.matches(key, row)) {
                return Some(Freedom::Passed);
            }
        }
        let near = range && touches(self.widened(session, table, filter), key, images);
        near.then_some(Freedom::NextKey)
    }

    fn range_wants(
        &self,
        session: usize,
        table: usize,
        filter: Filter,
        wanted: Wanted,
        mode: Option<Mode>,
    ) -> Vec<Claim> {
        let Some(mode) = mode else { return Vec::new() };
        let claim = |filter, freedom| Claim { table, scope: Scope::Range(filter, wanted), mode, freedom };
        let mut wants = vec![claim(filter, None), claim(self.widened(session, table, filter), Some(Freedom::NextKey))];
        if may_scan(SHAPES[table], filter) {
            wants.push(claim(Filter::All, Some(Freedom::Passed)));
        }
        if SHAPES[table] == Shape::Heap {
            // A heap has no keys to lock the ranges of.
            wants.push(Claim { table, scope: Scope::Table, mode: Mode::Shared, freedom: Some(Freedom::Passed) });
        }
        wants
    }

    /// As far as the next keys on both sides.
    fn widened(&self, session: usize, table: usize, filter: Filter) -> Filter {
        let rows = self.tables[table].iter();
        let rows = rows.flat_map(|(key, cell)| cell.images(session).into_iter().flatten().map(move |row| (*key, row)));
        match filter {
            Filter::All => Filter::All,
            Filter::Key(key) => {
                let (from, to) = neighbours(rows.map(|(key, _)| key), key, key);
                Filter::Keys(from, to)
            }
            Filter::Keys(from, to) => {
                let (from, to) = neighbours(rows.map(|(key, _)| key), from, to);
                Filter::Keys(from, to)
            }
            Filter::Others(from, to, by_index) => {
                let (from, to) = neighbours(rows.map(|(_, row)| row.w), from, to);
                Filter::Others(from, to, by_index)
            }
        }
    }
}

fn neighbours(numbers: impl Iterator<Item = i64>, from: i64, to: i64) -> (i64, i64) {
    numbers.fold((i64::MIN, i64::MAX), |(low, high), number| {
        (if number < from { low.max(number) } else { low }, if number > to { high.min(number) } else { high })
    })
}

/// Whether a plan may look at more rows than those wanted and the next.
fn may_scan(shape: Shape, filter: Filter) -> bool {
    match filter {
        Filter::Key(_) | Filter::Keys(..) => shape == Shape::Heap,
        Filter::Others(_, _, by_index) => shape == Shape::Clustered || !by_index,
        Filter::All => true,
    }
}

/// What an answer tells of a row.
pub fn shown(wanted: Wanted, filter: Filter, key: Key, row: Option<Row>) -> Option<Row> {
    let row = row.filter(|row| filter.matches(key, *row))?;
    Some(match wanted {
        Wanted::Rows => row,
        Wanted::Count => Row { v: 0, w: 0 },
        Wanted::Sum => Row { v: row.v, w: 0 },
    })
}
