//! What the model knows of cursors.

use super::program::{CURSORS, Form, Table};
use super::state::Row;

/// What is known of a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    All,
    /// Not whether it is still open: pages contradict each other.
    NotIfOpen,
    NotIfThere,
}

#[derive(Debug)]
pub struct Cursor {
    pub form: Form,
    pub table: Table,
    /// Rows of `inserted`, which its trigger keeps.
    pub inserted: Option<Vec<Row>>,
    /// In which batch of the program it was made.
    pub batch: u32,
    pub open: Option<Open>,
    pub known: Known,
}

#[derive(Debug)]
pub struct Open {
    /// Keys, rows as they were, how often each had been deleted.
    pub members: Vec<(i64, Row, u32)>,
    pub position: Position,
    /// Of the table.
    pub version: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    Before,
    /// A member; with a dynamic cursor the row of this key.
    At(i64),
    After,
}

/// What the session knows of cursors.
#[derive(Debug, Default)]
pub struct Cursors {
    pub all: Vec<Cursor>,
    /// `c0`, `c1`
    pub global: [Option<usize>; CURSORS],
    pub last_opened: Option<usize>,
    pub batch: u32,
    /// None: no FETCH has said it, or one that failed.
    pub fetch_status: Option<i32>,
}

/// Names of a scope.
#[derive(Debug, Default, Clone, Copy)]
pub struct Names {
    pub local: [Option<usize>; CURSORS],
    pub variable: Option<usize>,
}

/// What a fetch finds.
pub enum Fetched {
    Row(Row),
    Beyond,
    Missing,
}

impl Cursors {
    /// The transaction is over: those that stay open, stay open for certain, and those that are closed.
    pub fn transaction_over(&mut self, rolled_back: bool, close: bool) {
        for cursor in &mut self.all {
            let is_static = matches!(cursor.form, Form::Static | Form::StaticForward);
            if close {
                cursor.open = None;
            } else if rolled_back && !is_static && cursor.open.is_some() {
                // "ROLLBACK TRANSACTION" has them closed, "SET CURSOR_CLOSE_ON_COMMIT" open.
                cursor.set_known(Known::NotIfOpen);
            }
        }
    }

    /// A transaction that a statement alone had: that CURSOR_CLOSE_ON_COMMIT heeds it is written nowhere.
    pub fn statement_over(&mut self, rolled_back: bool, close: bool) {
        for cursor in self.all.iter_mut().filter(|cursor| cursor.open.is_some() && (close || rolled_back)) {
            cursor.set_known(Known::NotIfOpen);
        }
    }

    /// "ROLLBACK TRANSACTION": an error that ends a batch and rolls back takes the cursors that the batch declared.
    pub fn batch_failed(&mut self) {
        let (all, batch) = (&self.all, self.batch);
        self.global.iter_mut().for_each(|name| *name = name.filter(|at| all[*at].batch != batch));
    }

    /// Whether an error of this batch has taken them is written nowhere.
    pub fn batch_in_doubt(&mut self) {
        let batch = self.batch;
        self.all.iter_mut().filter(|cursor| cursor.batch == batch).for_each(|it| it.set_known(Known::NotIfThere));
    }
}

impl Cursor {
    pub fn set_known(&mut self, known: Known) {
        if self.known != Known::NotIfThere {
            self.known = known;
        }
    }

    pub fn is_forward_only(&self) -> bool {
        matches!(self.form, Form::Plain | Form::StaticForward | Form::FastForward)
    }

    /// "DECLARE CURSOR": KEYSET of a table without a unique index is STATIC.
    pub fn form(&self) -> Form {
        match self.form {
            Form::Keyset if matches!(self.table, Table::Journal | Table::Inserted | Table::Deleted) => Form::Static,
            form => form,
        }
    }
}
