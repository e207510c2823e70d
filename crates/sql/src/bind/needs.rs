//! Which permissions a statement needs, noted while it is bound: each object that its text names, what is done with it and with which
//! of its columns, and which view's or module's text names it. Who may do what is not known here.
//!
//! A column counts for the text that names it: one that a view's text reads is the view's need, one that the statement reads of the
//! view is the statement's. What stands in definitions of tables (computed columns, checks) needs nothing.

use std::collections::HashSet;

use crate::optimize::ColumnId;
use crate::plan::{Action, Need, ObjectRef};

/// A text that is being bound: the statement's is 0, each expansion of a view or function has its own.
pub type Place = u32;

/// Of texts that need nothing.
pub const DEFINITION: Place = u32::MAX;

/// An object that a text reads.
pub struct Reading {
    pub action: Action,
    pub object: ObjectRef,
    pub place: Place,
    pub named_by: Option<ObjectRef>,
    /// The synonym that the text names instead.
    pub through: Option<ObjectRef>,
    /// (column of the statement, `sys.columns.column_id`).
    pub columns: Vec<(ColumnId, u32)>,
    /// A target is read only if one of its columns is.
    pub target: bool,
}

#[derive(Default)]
pub struct Needs {
    pub readings: Vec<Reading>,
    /// What is written or called, in the order in which it is refused.
    pub done: Vec<Need>,
    used: HashSet<(Place, ColumnId)>,
    /// Columns of a trigger's rows that it must not name, and whether it does.
    pub long_texts: Vec<ColumnId>,
    pub names_long_text: bool,
    /// `*` of an EXISTS names no column.
    pub in_exists: bool,
    pub place: Place,
    places: u32,
    /// The synonym that the last name was.
    pub through: Option<ObjectRef>,
    /// (text, what is meant, synonym) of those that were named.
    pub synonyms: Vec<(Place, ObjectRef, ObjectRef)>,
}

impl Needs {
    /// The column is named by the text that is being bound.
    pub fn mark(&mut self, column: ColumnId) {
        self.names_long_text |= !self.in_exists && self.long_texts.contains(&column);
        if self.place != DEFINITION {
            self.used.insert((self.place, column));
        }
    }

    /// Begins the text of a view or function; gives what `leave` goes back to.
    pub fn enter(&mut self) -> Place {
        if self.place == DEFINITION {
            return DEFINITION;
        }
        self.places += 1;
        std::mem::replace(&mut self.place, self.places)
    }

    /// The same for a text that needs nothing.
    pub fn enter_definition(&mut self) -> Place {
        std::mem::replace(&mut self.place, DEFINITION)
    }

    pub fn leave(&mut self, outer: Place) {
        self.place = outer;
    }

    /// What was noted: first what is written or called, then what is read, each once.
    pub fn finish(&mut self) -> Box<[Need]> {
        let mut needs = std::mem::take(&mut self.done);
        for reading in std::mem::take(&mut self.readings) {
            let used = |(column, _): &&(ColumnId, u32)| self.used.contains(&(reading.place, *column));
            let mut columns: Vec<u32> = reading.columns.iter().filter(used).map(|(_, id)| *id).collect();
            if reading.target && columns.is_empty() {
                continue;
            }
            columns.sort_unstable();
            columns.dedup();
            let Reading { action, object, named_by, through, .. } = reading;
            for need in by_name(Need { action, object, columns: columns.into(), named_by }, through) {
                if !needs.contains(&need) {
                    needs.push(need);
                }
            }
        }
        needs.into()
    }
}

/// What is named by a synonym: the synonym is asked for its own permission, and names what it stands for as a view would.
/// https://learn.microsoft.com/sql/relational-databases/synonyms/synonyms-database-engine
pub fn by_name(need: Need, through: Option<ObjectRef>) -> impl Iterator<Item = Need> {
    let (named, meant) = match through {
        None => (None, need),
        Some(synonym) => {
            let named = Need { object: synonym, columns: Box::default(), ..need.clone() };
            (Some(named), Need { named_by: through, ..need })
        }
    };
    named.into_iter().chain([meant])
}
