//! The prepared statements of a session, by handle.

use std::collections::HashMap;
use std::sync::Arc;

use sql::plan::Module;
use types::{SqlError, SqlResult, sql_error};

/// Statements one session may keep prepared.
const PREPARED_MAX: usize = 32_768;

#[derive(Clone)]
pub enum Prepared {
    Text(Arc<Module>),
    /// A procedure, by its name: looked up at each call.
    Procedure(Box<str>),
}

/// A session's prepared statements by handle.
#[derive(Default)]
pub struct PreparedStatements {
    by_handle: HashMap<i32, Prepared>,
    last: i32,
}

impl PreparedStatements {
    pub fn keep(&mut self, module: Arc<Module>) -> SqlResult<i32> {
        self.keep_any(Prepared::Text(module))
    }

    pub fn keep_any(&mut self, prepared: Prepared) -> SqlResult<i32> {
        if self.by_handle.len() >= PREPARED_MAX {
            return Err(sql_error!(701, state 1, "default"));
        }
        self.last = self.last.checked_add(1).unwrap_or(1);
        self.by_handle.insert(self.last, prepared);
        Ok(self.last)
    }

    pub fn get(&self, handle: i32) -> Option<Prepared> {
        self.by_handle.get(&handle).cloned()
    }

    /// Of a statement's text. Error 8179.
    pub fn find(&self, handle: i32) -> SqlResult<Arc<Module>> {
        match self.by_handle.get(&handle) {
            Some(Prepared::Text(module)) => Ok(module.clone()),
            _ => Err(no_such_handle(handle)),
        }
    }

    pub fn forget(&mut self, handle: i32) -> SqlResult<()> {
        self.by_handle.remove(&handle).map(|_| ()).ok_or_else(|| no_such_handle(handle))
    }

    pub fn clear(&mut self) {
        self.by_handle.clear();
    }
}

fn no_such_handle(handle: i32) -> SqlError {
    sql_error!(8179, handle)
}
