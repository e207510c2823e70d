//! The model's data: tables as maps, and what undoes a change of them.

use std::collections::BTreeMap;

/// `id`, `v`; a table without a key numbers its rows itself.
pub type Row = (Option<i32>, Option<i32>);

#[derive(Debug, Clone, Default)]
pub struct Rows {
    pub rows: BTreeMap<i64, Row>,
    /// The last identity value, which is never given back.
    pub last: i64,
    deaths: BTreeMap<i64, u32>,
    version: u64,
}

impl Rows {
    /// What was there.
    pub fn put(&mut self, key: i64, row: Option<Row>) -> Option<Row> {
        self.version += 1;
        match row {
            Some(row) => self.rows.insert(key, row),
            None => {
                *self.deaths.entry(key).or_default() += 1;
                self.rows.remove(&key)
            }
        }
    }

    /// How often the row of this key has gone.
    pub fn deaths(&self, key: i64) -> u32 {
        self.deaths.get(&key).copied().unwrap_or(0)
    }

    /// Another after each change.
    pub fn version(&self) -> u64 {
        self.version
    }
}

/// Where a table of the model lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Pool(usize),
    /// By its number: a name may stand for several.
    Temp(usize),
    /// Of the scope at this depth.
    Variable(usize),
}

#[derive(Debug)]
pub enum Undo {
    Row { place: Place, key: i64, old: Option<Row> },
    Made { temp: usize },
    Dropped { temp: usize },
}

#[derive(Debug, Default)]
pub struct Temp {
    /// Depth of the scope that made it.
    pub depth: usize,
    pub is_there: bool,
    /// Its scope is over.
    pub is_gone: bool,
    pub rows: Rows,
}

#[derive(Debug, Default)]
pub struct State {
    pub pool: [Rows; 4],
    pub temps: Vec<Temp>,
    undo: Vec<Undo>,
    pub count: i32,
    pub doomed: bool,
    /// It is one statement's alone.
    pub is_statement: bool,
    /// Which transaction of the session it is.
    pub epoch: u64,
    /// Name and how much there was to undo.
    pub savepoints: Vec<(usize, usize)>,
}

impl State {
    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    pub fn log(&mut self, undo: Undo) {
        self.undo.push(undo);
    }

    pub fn rows(&mut self, place: Place) -> &mut Rows {
        match place {
            Place::Pool(at) => &mut self.pool[at],
            Place::Temp(at) => &mut self.temps[at].rows,
            Place::Variable(_) => unreachable!("a table variable is its scope's"),
        }
    }

    /// Takes back what came after `mark`.
    pub fn back_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop().expect("longer than mark") {
                Undo::Row { place, key, old } => drop(self.rows(place).put(key, old)),
                Undo::Made { temp } => self.temps[temp].is_there = false,
                Undo::Dropped { temp } => self.temps[temp].is_there = !self.temps[temp].is_gone,
            }
        }
        self.savepoints.retain(|(_, at)| *at <= mark);
    }

    pub fn rollback(&mut self) {
        self.back_to(0);
        self.over();
    }

    /// The outermost commit, or a rollback.
    pub fn over(&mut self) {
        self.epoch += 1;
        self.undo.clear();
        self.savepoints.clear();
        self.count = 0;
        self.doomed = false;
        self.is_statement = false;
    }
}
