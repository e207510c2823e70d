//! Programs from a seed.

use os::random::Rng;

use super::program::{
    Action, Change, Data, Filter, Hints, Level, LevelHint, LockHint, Program, Row, SESSIONS_MAX, SHAPES, Statement,
    Step, Wanted,
};
use super::world::KEYS;

const STEPS_MAX: u64 = 26;
/// Values of w.
const OTHERS: u64 = 4;
const LEVELS: [Level; 5] =
    [Level::Committed, Level::Serializable, Level::Repeatable, Level::Snapshot, Level::Uncommitted];

struct Draw {
    rng: Rng,
    tables: Vec<usize>,
    hints: bool,
}

pub fn program(seed: u64) -> Program {
    let mut rng = Rng::from_seed(seed);
    // Most sessions meet in one table, often in few of its keys.
    let tables = if rng.below(4) == 0 { vec![0, 1, 2] } else { vec![rng.below(SHAPES.len() as u64) as usize] };
    let mut draw = Draw { tables, hints: rng.below(2) == 0, rng };
    if draw.one_in(6) {
        return draw.memory();
    }
    let sessions = 2 + draw.below(SESSIONS_MAX as u64 - 1) as usize;
    // One level for all, or one for each.
    let same = draw.one_in(2).then(|| draw.pick(&LEVELS));
    let mut program = Program { versions: draw.one_in(3), ..Program::default() };
    let mut levels = Vec::new();
    for session in 0..sessions {
        let level = same.unwrap_or_else(|| draw.pick(&LEVELS));
        levels.push(level);
        program.steps.push(Step { session, action: Action::Level(level) });
        if draw.one_in(6) {
            let ms = draw.pick(&[0, 0, 20]);
            program.steps.push(Step { session, action: Action::Timeout(ms) });
        }
        if draw.one_in(6) {
            let priority = draw.below(7) as i32 - 3;
            program.steps.push(Step { session, action: Action::Priority(priority) });
        }
    }
    let mut open = vec![false; sessions];
    for _ in 0..6 + draw.below(STEPS_MAX) {
        let session = draw.below(sessions as u64) as usize;
        let action = if !open[session] && draw.one_in(2) {
            open[session] = true;
            Action::Begin
        } else if open[session] && draw.one_in(5) {
            draw.control(&mut open[session])
        } else {
            Action::Data(draw.statement(levels[session]))
        };
        program.steps.push(Step { session, action });
    }
    program
}

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.rng.below(bound)
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Of a memory-optimized table.
    fn memory(&mut self) -> Program {
        let sessions = 2 + self.below(SESSIONS_MAX as u64 - 1) as usize;
        let mut program = Program { memory: true, ..Program::default() };
        let mut open = vec![false; sessions];
        let levels = [LevelHint::Snapshot, LevelHint::Repeatable, LevelHint::Hold];
        let same = self.one_in(2).then(|| self.pick(&levels));
        for _ in 0..6 + self.below(STEPS_MAX) {
            let session = self.below(sessions as u64) as usize;
            let action = if !open[session] && !self.one_in(4) {
                open[session] = true;
                Action::Begin
            } else if open[session] && self.one_in(5) {
                open[session] = false;
                if self.one_in(5) { Action::Rollback } else { Action::Commit }
            } else {
                let mut statement = self.statement(Level::Snapshot);
                let level = same.unwrap_or_else(|| self.pick(&levels));
                statement.table = 0;
                statement.hints = Hints { level: open[session].then_some(level), ..Hints::default() };
                if let Data::Merge(key, row) = statement.data {
                    statement.data = Data::Insert(key, row);
                }
                Action::Data(statement)
            };
            program.steps.push(Step { session, action });
        }
        program
    }

    fn control(&mut self, open: &mut bool) -> Action {
        match self.below(8) {
            0 => Action::Save,
            1 => Action::Restore,
            2 => {
                *open = false;
                Action::Rollback
            }
            _ => {
                *open = false;
                Action::Commit
            }
        }
    }

    fn key(&mut self) -> i64 {
        self.below(KEYS as u64) as i64
    }

    fn row(&mut self) -> Row {
        Row { v: self.below(90) as i64 + 100, w: self.below(OTHERS) as i64 }
    }

    fn filter(&mut self) -> Filter {
        match self.below(10) {
            0..5 => Filter::Key(self.key()),
            5..7 => {
                let from = self.key();
                Filter::Keys(from, from + self.below(4) as i64)
            }
            7..9 => {
                let from = self.below(OTHERS) as i64;
                Filter::Others(from, from + self.below(2) as i64, self.one_in(2))
            }
            _ => Filter::All,
        }
    }

    fn statement(&mut self, level: Level) -> Statement {
        let table = self.below(self.tables.len() as u64) as usize;
        let table = self.tables[table];
        let data = match self.below(20) {
            0..7 => {
                let wanted = self.pick(&[Wanted::Rows, Wanted::Rows, Wanted::Count, Wanted::Sum]);
                Data::Select(wanted, self.filter())
            }
            7..10 => {
                let key = self.key();
                Data::Insert(key, self.row())
            }
            10..16 => {
                let n = self.below(9) as i64 + 1;
                let other = self.below(OTHERS) as i64;
                let change = self.pick(&[Change::Add(n), Change::Add(n), Change::Value(n), Change::Other(other)]);
                Data::Change(change, self.filter())
            }
            16..18 => Data::Change(Change::Delete, self.filter()),
            _ => {
                let key = self.key();
                Data::Merge(key, self.row())
            }
        };
        let hints = if self.hints && self.one_in(3) { self.drawn_hints(level, &data) } else { Hints::default() };
        Statement { table, data, hints }
    }

    fn drawn_hints(&mut self, level: Level, data: &Data) -> Hints {
        if matches!(data, Data::Insert(..)) || level == Level::Snapshot {
            return Hints::default();
        }
        let is_select = matches!(data, Data::Select(..));
        let lock = self.pick(&[LockHint::Update, LockHint::Exclusive, LockHint::Table, LockHint::TableExclusive]);
        match self.below(8) {
            0 if is_select => Hints { level: Some(LevelHint::NoLock), ..Hints::default() },
            1 => Hints { level: Some(LevelHint::Hold), ..Hints::default() },
            2 if is_select => Hints { level: Some(LevelHint::Lock), ..Hints::default() },
            3 => Hints { skip: true, ..Hints::default() },
            4 => Hints { row: true, ..Hints::default() },
            5 => Hints { level: Some(LevelHint::Hold), lock: Some(lock), ..Hints::default() },
            6 if is_select => {
                let lock = self.pick(&[LockHint::Update, LockHint::Exclusive]);
                Hints { skip: true, lock: Some(lock), ..Hints::default() }
            }
            _ => Hints { lock: Some(lock), ..Hints::default() },
        }
    }
}
