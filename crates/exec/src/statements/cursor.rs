//! Cursors. A forward-only cursor reads its query as it goes; every other kind keeps the rows it found at OPEN.
//!
//! Static and scrollable cursors are snapshots of their rows. Keyset and dynamic ones show later changes in SQL Server; here they
//! keep the rows too, which their definition as INSENSITIVE allows to be told apart only by watching other sessions' changes.

use std::sync::Arc;

use sql::plan::{CursorKind, CursorOptions, CursorRef, CursorSlot, DeclareCursor, Module, QueryId};
use types::{RowBatch, SqlError, SqlResult};

use super::code::{Direction, FetchCode};
use super::query::Prepared;
use super::run::Runner;
use crate::columns::{self, BATCH_ROWS};
use crate::context::Context;
use crate::operators::Rows;
use crate::session::stopped;
use crate::sink::Command;

/// A declared cursor, open or not.
pub struct Cursor {
    query: QueryId,
    module: Arc<Module>,
    options: CursorOptions,
    scroll: bool,
    forward_only: bool,
    state: State,
}

enum State {
    Closed,
    /// Rows still come from the query. `buffer` holds rows read ahead, from `at` on.
    Streaming {
        prepared: Box<Prepared>,
        buffer: RowBatch,
        at: usize,
        ask: usize,
        ended: bool,
    },
    /// All rows; `position` is 0 before the first, count + 1 behind the last.
    Kept {
        columns: Vec<sql::plan::OutputColumn>,
        rows: RowBatch,
        position: usize,
    },
}

/// Shared by names and variables; the last one that lets go deallocates.
pub type CursorHandle = Arc<os::sync::SpinLock<Option<Box<Cursor>>>>;

static CURSOR_LOCK: os::sync::SpinClass = os::sync::SpinClass::new("EXEC_CURSORS");

fn no_such_cursor(name: &str) -> SqlError {
    SqlError::with_state(16916, 16, 1, format!("A cursor with the name '{name}' does not exist."))
}

impl<'a> Runner<'a> {
    fn handle(&mut self, cursor: &CursorRef) -> SqlResult<CursorHandle> {
        match cursor {
            CursorRef::Variable(slot) => self.cursor_variables[slot.0 as usize].clone().ok_or_else(|| {
                let name = &self.module.cursor_variables[slot.0 as usize];
                let text = format!("The variable '{name}' does not currently have a cursor allocated to it.");
                SqlError::with_state(16950, 16, 2, text)
            }),
            CursorRef::Name { name, global } => {
                let key = name.to_lowercase();
                if !global && let Some(handle) = self.local_cursors.get(key.as_str()) {
                    return Ok(handle.clone());
                }
                self.session().cursors.get(key.as_str()).cloned().ok_or_else(|| no_such_cursor(name))
            }
        }
    }

    /// Takes the cursor out of its handle for the length of `body`.
    fn with_cursor<T>(
        &mut self,
        reference: &CursorRef,
        body: impl FnOnce(&mut Self, &mut Cursor) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let handle = self.handle(reference)?;
        let taken = handle.lock().take();
        let mut cursor = taken.ok_or_else(|| SqlError::new(16950, 16, "The cursor is already in use."))?;
        let result = body(self, &mut cursor);
        *handle.lock() = Some(cursor);
        result
    }

    pub fn declare_cursor(&mut self, declare: &DeclareCursor) -> SqlResult<()> {
        let options = declare.options;
        let scrolls =
            options.scroll || matches!(options.kind, CursorKind::Static | CursorKind::Keyset | CursorKind::Dynamic);
        let forward_only = matches!(options.kind, CursorKind::FastForward | CursorKind::ForwardOnly) || !scrolls;
        let cursor = Cursor {
            query: declare.query,
            module: self.module.clone(),
            options,
            scroll: scrolls && !forward_only,
            forward_only,
            state: State::Closed,
        };
        let handle: CursorHandle = Arc::new(os::sync::SpinLock::new(&CURSOR_LOCK, Some(Box::new(cursor))));
        if let Some(slot) = declare.slot {
            self.cursor_variables[slot.0 as usize] = Some(handle);
            return Ok(());
        }
        let name = declare.name.as_ref().expect("a cursor has a name or a variable");
        let key: Box<str> = name.to_lowercase().into();
        let local = options.local.unwrap_or(false);
        let exists =
            if local { self.local_cursors.contains_key(&key) } else { self.session().cursors.contains_key(&key) };
        if exists {
            return Err(SqlError::with_state(16915, 16, 1, format!("A cursor with the name '{name}' already exists.")));
        }
        if local {
            self.local_cursors.insert(key, handle);
        } else {
            self.session().cursors.insert(key, handle);
        }
        Ok(())
    }

    pub fn open_cursor(&mut self, reference: &CursorRef) -> SqlResult<()> {
        self.with_cursor(reference, |runner, cursor| runner.open(cursor))
    }

    fn open(&mut self, cursor: &mut Cursor) -> SqlResult<()> {
        if !matches!(cursor.state, State::Closed) {
            return Err(SqlError::new(16905, 16, "The cursor is already open."));
        }
        let mut prepared = if Arc::ptr_eq(&cursor.module, &self.module) {
            self.take_query(cursor.query)?
        } else {
            let runtime = self.context.runtime.get_mut();
            let query = runtime.host.bind_query(runtime.session, &cursor.module, cursor.query)?;
            Prepared::new(query, &cursor.module)?
        };
        // A query that reads variables must see them as they are now, so its rows are taken now.
        let streams = cursor.forward_only && matches!(cursor.options.kind, CursorKind::FastForward);
        let mut rows = Rows::new(columns::batch_for(prepared.columns().iter().map(|column| &column.ty)));
        let mut count = -1;
        if streams {
            prepared.enter(&self.context);
            let opened = match prepared.select() {
                Some((source, _)) => source.open(&self.context),
                None => Ok(()),
            };
            prepared.leave(&self.context);
            opened?;
            let buffer = RowBatch::new(rows.batch.columns.iter().map(columns::class_of));
            cursor.state = State::Streaming { prepared: Box::new(prepared), buffer, at: 0, ask: 16, ended: false };
        } else {
            let result = self.in_statement(false, |runner| {
                prepared.enter(&runner.context);
                let result = match prepared.select() {
                    Some((source, batch)) => source
                        .open(&runner.context)
                        .and_then(|()| fill(&mut **source, &runner.context, batch, &mut rows)),
                    None => Ok(()),
                };
                prepared.leave(&runner.context);
                result
            });
            let columns = prepared.columns().to_vec();
            if Arc::ptr_eq(&cursor.module, &self.module) {
                self.put_query(cursor.query, prepared);
            }
            result?;
            count = rows.batch.rows as i64;
            cursor.state = State::Kept { columns, rows: rows.batch, position: 0 };
        }
        let session = self.session();
        session.cursor_rows = count;
        Ok(())
    }

    pub fn fetch(&mut self, fetch: &FetchCode) -> SqlResult<()> {
        let handle = self.handle(&fetch.cursor)?;
        let taken = handle.lock().take();
        let mut cursor = taken.ok_or_else(|| SqlError::new(16950, 16, "The cursor is already in use."))?;
        let result = self.fetch_from(&mut cursor, fetch);
        *handle.lock() = Some(cursor);
        result
    }

    fn fetch_from(&mut self, cursor: &mut Cursor, fetch: &FetchCode) -> SqlResult<()> {
        if !cursor.scroll && !matches!(fetch.direction, Direction::Next) {
            return Err(SqlError::with_state(
                16911,
                16,
                1,
                "fetch: The fetch type cannot be used with forward only cursors.",
            ));
        }
        let found = match &mut cursor.state {
            State::Closed => return Err(SqlError::new(16917, 16, "Cursor is not open.")),
            State::Streaming { buffer, at, ended, .. } => {
                if *at == buffer.rows && !*ended {
                    self.read_ahead(cursor)?;
                }
                let State::Streaming { buffer, at, .. } = &mut cursor.state else { unreachable!("matched above") };
                let row = *at;
                *at = (*at + 1).min(buffer.rows);
                (row < buffer.rows).then_some(row)
            }
            State::Kept { rows, position, .. } => {
                let count = rows.rows as i64;
                let now = *position as i64;
                let target = match &fetch.direction {
                    Direction::Next => now + 1,
                    Direction::Prior => now - 1,
                    Direction::First => 1,
                    Direction::Last => count.max(1),
                    Direction::Absolute(value) => match value.scalar_value(&self.context)?.i64().unwrap_or(0) {
                        back if back < 0 => (count + 1).saturating_add(back),
                        ahead => ahead,
                    },
                    Direction::Relative(value) => {
                        now.saturating_add(value.scalar_value(&self.context)?.i64().unwrap_or(0))
                    }
                };
                *position = target.clamp(0, count + 1) as usize;
                (1..=count).contains(&target).then(|| *position - 1)
            }
        };
        let rows = match &cursor.state {
            State::Streaming { buffer, .. } => buffer,
            State::Kept { rows, .. } => rows,
            State::Closed => unreachable!("refused above"),
        };
        if fetch.into.is_empty() {
            return self.fetch_to_sink(cursor, found);
        }
        if rows.columns.len() != fetch.into.len() {
            return Err(SqlError::with_state(
                16924,
                16,
                1,
                "Cursorfetch: The number of variables declared in the INTO list must match that of selected columns.",
            ));
        }
        if let Some(row) = found {
            for (slot, column) in fetch.into.iter().zip(&rows.columns) {
                self.context.variables.set_from_column(*slot, column, row);
            }
        }
        let session = self.session();
        session.fetch_status = if found.is_some() { 0 } else { -1 };
        session.row_count = found.is_some() as u64;
        session.error = 0;
        Ok(())
    }

    /// FETCH without INTO gives its row as a result set.
    fn fetch_to_sink(&mut self, cursor: &Cursor, found: Option<usize>) -> SqlResult<()> {
        let (columns, rows) = match &cursor.state {
            State::Streaming { prepared, buffer, .. } => (prepared.columns(), buffer),
            State::Kept { columns, rows, .. } => (columns.as_slice(), rows),
            State::Closed => unreachable!("refused by the caller"),
        };
        let mut one = RowBatch::new(rows.columns.iter().map(columns::class_of));
        if let Some(row) = found {
            columns::append_batch_range(&mut one, rows, row, row + 1);
        }
        let runtime = self.context.runtime.get_mut();
        runtime.sink.columns(columns).map_err(stopped)?;
        if one.rows > 0 {
            runtime.sink.batch(&one).map_err(stopped)?;
        }
        let session = &mut *runtime.session;
        session.fetch_status = if found.is_some() { 0 } else { -1 };
        session.row_count = found.is_some() as u64;
        session.error = 0;
        let rows = session.row_count;
        match self.done(Command::Fetch, Some(rows)) {
            Ok(()) => Ok(()),
            Err(super::Unwind::Stop(stop)) => Err(stopped(stop)),
            Err(_) => unreachable!("sending fails by stopping only"),
        }
    }

    fn read_ahead(&mut self, cursor: &mut Cursor) -> SqlResult<()> {
        let State::Streaming { prepared, buffer, at, ask, ended } = &mut cursor.state else {
            unreachable!("the caller looked")
        };
        let result = self.in_statement(false, |runner| {
            prepared.resume(&runner.context);
            let result = match prepared.select() {
                Some((source, _)) => source.next(&runner.context, *ask, buffer),
                None => Ok(()),
            };
            prepared.leave(&runner.context);
            result
        });
        result?;
        *at = 0;
        *ended = buffer.rows == 0;
        // Later calls read more at once; the first one answers soon.
        *ask = (*ask * 4).min(BATCH_ROWS);
        Ok(())
    }

    pub fn close_cursor(&mut self, reference: &CursorRef) -> SqlResult<()> {
        self.with_cursor(reference, |runner, cursor| {
            if matches!(cursor.state, State::Closed) {
                return Err(SqlError::new(16917, 16, "Cursor is not open."));
            }
            let state = std::mem::replace(&mut cursor.state, State::Closed);
            if let State::Streaming { prepared, .. } = state
                && Arc::ptr_eq(&cursor.module, &runner.module)
            {
                runner.put_query(cursor.query, *prepared);
            }
            Ok(())
        })
    }

    pub fn deallocate_cursor(&mut self, reference: &CursorRef) -> SqlResult<()> {
        self.handle(reference)?;
        match reference {
            CursorRef::Variable(slot) => self.cursor_variables[slot.0 as usize] = None,
            CursorRef::Name { name, global } => {
                let key = name.to_lowercase();
                if *global || self.local_cursors.remove(key.as_str()).is_none() {
                    self.session().cursors.remove(key.as_str());
                }
            }
        }
        Ok(())
    }

    pub fn assign_cursor(&mut self, slot: CursorSlot, from: &CursorRef) -> SqlResult<()> {
        let handle = self.handle(from)?;
        self.cursor_variables[slot.0 as usize] = Some(handle);
        Ok(())
    }

    pub fn close_all_cursors(&mut self) {
        let local = self.local_cursors.values().cloned().collect::<Vec<_>>();
        let global = self.session().cursors.values().cloned().collect::<Vec<_>>();
        for handle in local.into_iter().chain(global) {
            if let Some(cursor) = &mut *handle.lock() {
                cursor.state = State::Closed;
            }
        }
    }
}

fn fill(
    source: &mut dyn crate::context::RowSource,
    context: &Context,
    batch: &mut RowBatch,
    rows: &mut Rows,
) -> SqlResult<()> {
    crate::operators::drain(source, context, batch, |batch| rows.append(batch))
}
