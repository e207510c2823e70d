//! Cursors. A forward-only cursor reads its query as it goes; every other kind keeps the rows it found at OPEN.
//!
//! The rows kept by a cursor that is not static carry locators of the table rows they come from. FETCH reads those again, so that
//! it shows what has changed since and misses what has gone; WHERE CURRENT OF changes them. Rows inserted after OPEN are not seen,
//! which in SQL Server holds for keyset cursors only.

use std::sync::Arc;

use sql::catalog::TableDef;
use sql::plan::{CursorKind, CursorOptions, CursorRef, CursorSlot, Module, OutputColumn, Query, QueryId, TableSource};
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use super::code::{ArgumentValue, CursorCode, DeclareCursor, Direction, ExecuteCode, FetchCode};
use super::cursor_rows::Again;
use super::grant;
use super::modify::CurrentRow;
use super::query::{Prepared, visible_columns};
use super::run::Runner;
use super::transaction;
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, Runtime};
use crate::cursor_book::{CursorNote, CursorTold};
use crate::cursor_name::CursorId;
use crate::expression::Scalar;
use crate::kernel;
use crate::operators::Rows;
use crate::session::{Session, stopped};
use crate::sink::Command;
use crate::typed_xml::admitted;
use crate::value::Value;

/// A declared cursor, open or not.
pub struct Cursor {
    query: QueryId,
    module: Arc<Module>,
    options: CursorOptions,
    scroll: bool,
    forward_only: bool,
    state: State,
    note: Arc<CursorNote>,
    /// In which request it was declared.
    batch: u64,
    /// `Host::catalog_version` and `Session::actor` when its rows were last permitted.
    permitted: (u64, u64),
    used: Used,
}

/// What the last statement that used a cursor was.
#[derive(Default)]
struct Used {
    last: i64,
    /// @@CURSOR_ROWS
    rows: i64,
}

const OPENED: i64 = 1;
const FETCHED: i64 = 2;
const CLOSED: i64 = 6;

enum State {
    Closed,
    Streaming(Stream),
    /// All rows; `position` is 0 before the first, count + 1 behind the last.
    Kept {
        query: Arc<Query>,
        rows: RowBatch,
        position: usize,
        /// Of a cursor that shows its rows as they are now.
        again: Option<Box<Again>>,
    },
}

/// Rows still come from the query. `buffer` holds rows read ahead, from `at` on.
struct Stream {
    prepared: Box<Prepared>,
    buffer: RowBatch,
    at: usize,
    ask: usize,
    ended: bool,
}

impl State {
    /// The columns a FETCH gives, and the rows it may give them from. Of an open cursor.
    fn current(&self) -> (&[OutputColumn], &RowBatch) {
        match self {
            State::Streaming(stream) => (stream.prepared.columns(), &stream.buffer),
            State::Kept { query, rows, again, .. } => {
                (visible_columns(query), again.as_ref().map_or(rows, |again| &again.row))
            }
            State::Closed => unreachable!("refused by the caller"),
        }
    }
}

fn no_such_cursor(name: &str) -> SqlError {
    sql_error!(16916, name)
}

/// A column's value for a variable of another type.
fn converted(session: &Session, value: &Datum, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    if !types::convert::implicit_allowed(from, to) {
        let (from, to) = (from.name(), to.name());
        return Err(sql_error!(16922, from, to));
    }
    kernel::convert_datum(session, value, from, to)
}

impl<'a> Runner<'a> {
    /// The cursor, for which somebody has a reference.
    #[inline]
    fn cursor(&mut self, cursor: &CursorCode) -> SqlResult<CursorId> {
        match cursor {
            CursorCode::Variable(slot) => {
                let allocated = self.context.cursors.get_mut().variables[slot.0 as usize].1;
                allocated.ok_or_else(|| self.no_cursor_allocated(*slot))
            }
            CursorCode::Name { index, written, global } => {
                let name = &mut self.context.cursors.get_mut().names[*index as usize];
                if !global && let Some(local) = name.local {
                    return Ok(local);
                }
                let cursors = &self.context.runtime.get_mut().session.cursors;
                if !name.global.is_some_and(|id| cursors.is_named(id)) {
                    name.global = cursors.find(&name.name);
                }
                name.global.ok_or_else(|| no_such_cursor(written))
            }
        }
    }

    /// The same of a query's WHERE CURRENT OF.
    fn cursor_of_query(&mut self, cursor: &CursorRef) -> SqlResult<CursorId> {
        match cursor {
            CursorRef::Variable(slot) => self.cursor(&CursorCode::Variable(*slot)),
            CursorRef::Name { name, global } => {
                let key = name.to_lowercase();
                let local = self.context.cursors.get_mut().local(&key);
                let local = local.filter(|_| !global);
                local.or_else(|| self.session().cursors.find(&key)).ok_or_else(|| no_such_cursor(name))
            }
        }
    }

    #[cold]
    pub fn no_cursor_allocated(&self, slot: CursorSlot) -> SqlError {
        let name = &self.module.cursor_variables[slot.0 as usize];
        sql_error!(16950, state 2, name)
    }

    /// Takes the cursor out of the session's table for the length of `body`.
    #[inline]
    fn with_cursor<T>(
        &mut self,
        id: CursorId,
        body: impl FnOnce(&mut Self, &mut Cursor) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let taken = self.session().cursors.take(id);
        let mut cursor = taken.ok_or_else(|| sql_error!(16905))?;
        let result = body(self, &mut cursor);
        self.session().cursors.put(id, cursor);
        result
    }

    pub fn declare_cursor(&mut self, declare: &DeclareCursor) -> SqlResult<()> {
        let options = declare.options;
        let scrolls =
            options.scroll || matches!(options.kind, CursorKind::Static | CursorKind::Keyset | CursorKind::Dynamic);
        let forward_only = options.forward_only || options.kind == CursorKind::FastForward || !scrolls;
        let (name, local) = match &declare.cursor {
            CursorCode::Variable(slot) => (&*self.module.cursor_variables[slot.0 as usize], true),
            CursorCode::Name { written, .. } => (&**written, options.local.unwrap_or(false)),
        };
        let session = &*self.context.runtime.get_mut().session;
        let batch = session.cursors.batch();
        let properties = properties(&options, local, session.nest_level);
        let note = session.cursor_book.add(name, properties, Some(self.module.text.clone()));
        let cursor = Cursor {
            note,
            batch,
            permitted: (0, 0),
            query: declare.query,
            module: self.module.clone(),
            options,
            scroll: scrolls && !forward_only,
            forward_only,
            state: State::Closed,
            used: Used::default(),
        };
        let cursors = &mut self.context.runtime.get_mut().session.cursors;
        match &declare.cursor {
            CursorCode::Variable(slot) => {
                let id = cursors.add(cursor);
                self.set_cursor_variable(*slot, Some(id));
            }
            CursorCode::Name { index, written, .. } => {
                let name = &mut self.context.cursors.get_mut().names[*index as usize];
                let local = options.local.unwrap_or(false);
                let exists = if local { name.local.is_some() } else { cursors.find(&name.name).is_some() };
                if exists {
                    return Err(sql_error!(16915, written));
                }
                let id = cursors.add(cursor);
                if local {
                    name.local = Some(id);
                } else {
                    cursors.set_name(name.name.clone(), id);
                }
            }
        }
        Ok(())
    }

    /// The variable takes over the caller's reference.
    fn set_cursor_variable(&mut self, slot: CursorSlot, id: Option<CursorId>) {
        let old = std::mem::replace(&mut self.context.cursors.get_mut().variables[slot.0 as usize].1, id);
        if let Some(old) = old {
            self.session().cursors.release(old);
        }
    }

    /// A procedure has come to its end: its caller gets the cursors of its parameters that are open. A closed one is none
    /// ("Using the cursor Data Type in an OUTPUT Parameter").
    pub fn give_back_cursors(&mut self) {
        let count = self.module.cursor_parameters.len();
        if !self.gives_cursors || count == 0 {
            return;
        }
        let own = self.context.cursors.get_mut();
        let cursors = &mut self.context.runtime.get_mut().session.cursors;
        let given = own.variables[..count].iter_mut().map(|(_, id)| id.take_if(|id| cursors.is_open(*id))).collect();
        cursors.give_back(given);
    }

    /// Each cursor argument, with the parameter that takes it, must be without a cursor as the call begins.
    pub fn check_cursor_arguments(&mut self, code: &ExecuteCode, module: &Module) -> SqlResult<()> {
        for (at, argument) in code.arguments.iter().enumerate() {
            let parameter = cursor_parameter(module, at, argument.name.as_deref());
            match (&argument.value, parameter) {
                (ArgumentValue::Cursor(slot), Some(_)) => {
                    let (name, id) = &self.context.cursors.get_mut().variables[slot.0 as usize];
                    if id.is_some() {
                        return Err(sql_error!(16951, name));
                    }
                }
                (ArgumentValue::Cursor(_), None) => {
                    let ty = module.variables.get(at).map_or("int", |variable| variable.ty.name());
                    return Err(sql_error!(206, state 2, "cursor", ty));
                }
                (ArgumentValue::Value(Scalar { ty, .. }) | ArgumentValue::Output(_, ty), Some(_)) => {
                    return Err(sql_error!(206, state 2, ty.name(), "cursor"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// No system procedure takes one here.
    pub fn refuse_cursor_arguments(&mut self, code: &ExecuteCode) -> SqlResult<()> {
        let given = code.arguments.iter().find_map(|argument| match argument.value {
            ArgumentValue::Cursor(slot) => Some(slot),
            _ => None,
        });
        match given {
            Some(slot) => Err(sql_error!(16949, self.module.cursor_variables[slot.0 as usize])),
            None => Ok(()),
        }
    }

    /// After a call of `module`.
    pub fn take_cursors(&mut self, code: &ExecuteCode, module: &Module) {
        let mut returned = self.session().cursors.take_returned();
        for (at, argument) in code.arguments.iter().enumerate() {
            if let ArgumentValue::Cursor(slot) = &argument.value
                && let Some(parameter) = cursor_parameter(module, at, argument.name.as_deref())
                && let Some(id) = returned.get_mut(parameter)
            {
                let id = id.take();
                self.set_cursor_variable(*slot, id);
            }
        }
        for id in returned.into_iter().flatten() {
            self.session().cursors.release(id);
        }
    }

    /// The module ends.
    pub fn forget_cursors(&mut self) {
        let own = self.context.cursors.get_mut();
        let cursors = &mut self.context.runtime.get_mut().session.cursors;
        for id in own.variables.drain(..).filter_map(|(_, id)| id) {
            cursors.release(id);
        }
        for name in &mut own.names {
            if let Some(id) = name.local.take() {
                cursors.release(id);
            }
            name.global = None;
        }
    }

    /// Some: the cursor's query cannot be bound any more.
    pub fn open_cursor(&mut self, cursor: &CursorCode) -> SqlResult<Option<SqlError>> {
        let id = self.cursor(cursor)?;
        self.with_cursor(id, |runner, cursor| {
            let unbound = runner.open(id, cursor)?;
            cursor.note.set_open(unbound.is_none());
            Ok(unbound)
        })
    }

    fn open(&mut self, id: CursorId, cursor: &mut Cursor) -> SqlResult<Option<SqlError>> {
        if !matches!(cursor.state, State::Closed) {
            return Err(sql_error!(16905));
        }
        let prepared = if Arc::ptr_eq(&cursor.module, &self.module) {
            self.take_query(cursor.query)
        } else {
            let runtime = self.context.runtime.get_mut();
            let query = runtime.host.bind_query(runtime.session, &cursor.module, cursor.query);
            let query = query.and_then(|query| {
                runtime.host.check_needs(runtime.session, &query)?;
                Ok(query)
            });
            query.and_then(|query| Prepared::new(query, &cursor.module))
        };
        let mut prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Some(error)),
        };
        self.audit(&cursor.module, cursor.query, &prepared)?;
        // "SET IMPLICIT_TRANSACTIONS": OPEN begins one, and so does FETCH.
        transaction::begin_implicit(self.context.runtime.get_mut())?;
        // A query that reads variables must see them as they are now, so its rows are taken now.
        let streams = cursor.forward_only
            && cursor.options.read_only
            && !matches!(cursor.options.kind, CursorKind::Static | CursorKind::Keyset)
            && !prepared.reads_variables;
        let is_fixed = matches!(cursor.options.kind, CursorKind::Static | CursorKind::Keyset);
        let mut rows = Rows::new(columns::batch_for(prepared.all_columns().iter().map(|column| &column.ty)));
        let mut count = -1;
        if streams {
            if prepared.asks {
                grant::judge(&self.context, &prepared.query.grant)?;
            }
            prepared.enter(&self.context);
            let opened = match prepared.select() {
                Some((source, _)) => source.open(&self.context),
                None => Ok(()),
            };
            prepared.leave(&self.context);
            opened?;
            let buffer = RowBatch::new(rows.batch.columns.iter().map(columns::class_of));
            cursor.state = State::Streaming(Stream { prepared, buffer, at: 0, ask: 16, ended: false });
        } else {
            let result = self.in_statement(false, |runner| {
                if prepared.asks {
                    grant::ask(&runner.context, &prepared.query.grant)?;
                }
                prepared.enter(&runner.context);
                // "SET ROWCOUNT": it limits keyset and static cursors, not dynamic ones.
                let limit = match runner.context.session(|session| session.options.row_count) {
                    count if count > 0 && is_fixed => usize::try_from(count).unwrap_or(usize::MAX),
                    _ => usize::MAX,
                };
                let result = match prepared.select() {
                    Some((source, batch)) => source
                        .open(&runner.context)
                        .and_then(|()| fill(&mut **source, &runner.context, batch, limit, &mut rows)),
                    None => Ok(()),
                };
                prepared.leave(&runner.context);
                result
            });
            let query = prepared.query.clone();
            if let Some(workspace) = self.context.workspace.get() {
                workspace.end();
            }
            if Arc::ptr_eq(&cursor.module, &self.module) {
                self.put_query(cursor.query, prepared);
            }
            result?;
            if is_fixed {
                count = rows.batch.rows as i64;
            }
            let rows = rows.batch;
            let again = match query.row_targets.is_empty() {
                true => None,
                false => Some(Box::new(Again::new(&query, &rows)?)),
            };
            cursor.state = State::Kept { query, rows, position: 0, again };
        }
        cursor.permitted = self.now_permitted();
        cursor.used = Used { last: OPENED, rows: count };
        let session = self.session();
        session.cursor_rows = count;
        session.cursors.opened(id);
        Ok(None)
    }

    pub fn fetch(&mut self, fetch: &FetchCode) -> SqlResult<()> {
        let id = self.cursor(&fetch.cursor)?;
        self.with_cursor(id, |runner, cursor| {
            runner.fetch_from(cursor, fetch)?;
            cursor.used.last = FETCHED;
            Ok(())
        })
    }

    fn now_permitted(&mut self) -> (u64, u64) {
        let Runtime { host, session, .. } = self.context.runtime.get_mut();
        (host.catalog_version(session), session.actor)
    }

    /// 229: the rows of an open cursor were permitted when it was opened, and are no more.
    fn check_permitted(&mut self, cursor: &mut Cursor) -> SqlResult<()> {
        let now = self.now_permitted();
        if cursor.permitted == now {
            return Ok(());
        }
        let query = match &cursor.state {
            State::Closed => return Ok(()),
            State::Streaming(stream) => &stream.prepared.query,
            State::Kept { query, .. } => query,
        };
        let Runtime { host, session, .. } = self.context.runtime.get_mut();
        host.check_needs(session, query)?;
        if cursor.permitted.0 != now.0 {
            self.check_policies(cursor)?;
        }
        cursor.permitted = now;
        Ok(())
    }

    /// Security policies of its tables as they are now. 16943: the rows of a query that still runs are those of before.
    fn check_policies(&mut self, cursor: &mut Cursor) -> SqlResult<()> {
        let tables: Vec<Arc<TableDef>> = match &cursor.state {
            State::Closed => Vec::new(),
            State::Streaming(stream) => stream.prepared.tables().cloned().collect(),
            State::Kept { query, again, .. } => {
                let bases = query.row_targets.iter().filter_map(|source| match source {
                    TableSource::Base(table) => Some(table.clone()),
                    _ => None,
                });
                bases.filter(|_| again.is_some()).collect()
            }
        };
        let (mut guarded, mut differ) = (false, false);
        for table in tables.iter().filter(|table| !table.is_own()) {
            let Runtime { host, session, .. } = self.context.runtime.get_mut();
            // One that has gone is noticed where it is read.
            let Ok(now) = host.table_by_id(session, table.database, table.object) else { continue };
            let loose = now.predicates.iter().any(|predicate| !predicate.schema_bound);
            guarded |= !table.predicates.is_empty() || !now.predicates.is_empty();
            differ |= table.predicates != now.predicates || loose;
        }
        let Cursor { state, module, query: id, .. } = cursor;
        match state {
            State::Streaming(_) if differ => Err(sql_error!(16943)),
            State::Kept { query, rows, again: Some(again), .. } if guarded => {
                let Runtime { host, session, .. } = self.context.runtime.get_mut();
                let bound = host.bind_query(session, module, *id)?;
                let width = |query: &Query| visible_columns(query).len() + query.row_targets.len();
                if width(&bound) != rows.columns.len() || width(query) != rows.columns.len() {
                    return Err(sql_error!(16943));
                }
                **again = Again::new(&bound, rows)?;
                *query = bound;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn fetch_from(&mut self, cursor: &mut Cursor, fetch: &FetchCode) -> SqlResult<()> {
        self.check_permitted(cursor)?;
        if !matches!(fetch.direction, Direction::Next) {
            cursor.check_direction(&fetch.direction)?;
        }
        if cursor.is_open() {
            transaction::begin_implicit(self.context.runtime.get_mut())?;
        }
        let found = match &mut cursor.state {
            State::Closed => return Err(sql_error!(16917)),
            State::Streaming(stream) => {
                if stream.at == stream.buffer.rows && !stream.ended {
                    self.read_ahead(stream)?;
                }
                let row = stream.at;
                stream.at = (row + 1).min(stream.buffer.rows);
                (row < stream.buffer.rows).then_some(row)
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
        let mut status = if found.is_some() { 0 } else { -1 };
        let found = match found {
            Some(_) if let State::Kept { rows, position, again: Some(again), .. } = &mut cursor.state => {
                let keyset = cursor.options.kind == CursorKind::Keyset;
                let backward = matches!(fetch.direction, Direction::Prior | Direction::Last);
                let found = self.read_again(again, rows, position, keyset, backward)?;
                if !found {
                    status = if keyset { -2 } else { -1 };
                }
                found.then_some(0)
            }
            found => found,
        };
        if fetch.into.is_empty() {
            return self.fetch_to_sink(cursor, found, status);
        }
        let (columns, rows) = cursor.state.current();
        if columns.len() != fetch.into.len() {
            return Err(sql_error!(16924));
        }
        if let Some(row) = found {
            for (((slot, to), column), from) in fetch.into.iter().zip(&rows.columns).zip(columns) {
                if from.ty == *to {
                    self.context.set_variable_from_column(*slot, column, row)?;
                } else {
                    let runtime = self.context.runtime.get_mut();
                    let value = converted(runtime.session, &column.datum(row), &from.ty, to)?;
                    let value = admitted(runtime, value, &from.ty, to)?;
                    self.context.set_variable(*slot, Value::from_datum(&value))?;
                }
            }
        }
        cursor.note.fetched(status);
        let session = self.session();
        session.fetch_status = status;
        session.row_count = found.is_some() as u64;
        session.error = 0;
        Ok(())
    }

    /// FETCH without INTO gives its row as a result set.
    fn fetch_to_sink(&mut self, cursor: &Cursor, found: Option<usize>, status: i32) -> SqlResult<()> {
        self.context.yield_point()?;
        let (columns, rows) = cursor.state.current();
        let mut one = RowBatch::new(rows.columns.iter().map(columns::class_of));
        if let Some(row) = found {
            columns::append_batch_range(&mut one, rows, row, row + 1);
        }
        one.columns.truncate(columns.len());
        let runtime = self.context.runtime.get_mut();
        runtime.may_answer()?;
        let forgives = runtime.session.options.forgives_arithmetic();
        let told = |column: &OutputColumn| OutputColumn { nullable: column.nullable || forgives, ..column.clone() };
        let told: Vec<OutputColumn> = columns.iter().map(told).collect();
        runtime.sink.columns(&told).map_err(stopped)?;
        if one.rows > 0 {
            runtime.sink.batch(&one).map_err(stopped)?;
        }
        cursor.note.fetched(status);
        let session = &mut *runtime.session;
        session.fetch_status = status;
        session.row_count = found.is_some() as u64;
        session.error = 0;
        let rows = session.row_count;
        match self.done(Command::Fetch, Some(rows)) {
            Ok(()) => Ok(()),
            Err(super::Unwind::Stop(stop)) => Err(stopped(stop)),
            Err(_) => unreachable!("sending fails by stopping only"),
        }
    }

    /// The row of `rows` at `position` as it is now, in `again.row`. False: it has gone, which is a hole in a keyset; another cursor
    /// passes it.
    fn read_again(
        &mut self,
        again: &mut Again,
        rows: &RowBatch,
        position: &mut usize,
        keyset: bool,
        backward: bool,
    ) -> SqlResult<bool> {
        self.context.yield_point()?;
        self.in_statement(false, |runner| {
            loop {
                if again.read(&runner.context, rows, *position - 1)? {
                    return Ok(true);
                }
                if keyset {
                    return Ok(false);
                }
                *position = if backward { *position - 1 } else { *position + 1 };
                if !(1..=rows.rows).contains(position) {
                    return Ok(false);
                }
            }
        })
    }

    /// The row of `target` that the cursor is on.
    pub fn current_row(&mut self, reference: &CursorRef, target: &TableSource) -> SqlResult<CurrentRow> {
        let id = match self.cursor_of_query(reference) {
            Ok(id) => id,
            Err(error) => {
                let (CursorRef::Name { name, .. }, TableSource::Base(table)) = (reference, target) else {
                    return Err(error);
                };
                let key = self.context.runtime.get_mut().host.driver_row(name, table)?;
                return key.map(CurrentRow::Key).ok_or(error);
            }
        };
        let locator: SqlResult<Box<[u8]>> = self.with_cursor(id, |_, cursor| {
            let (query, rows, position) = match &cursor.state {
                State::Closed => return Err(sql_error!(16917)),
                State::Kept { query, rows, position, .. } if !query.row_targets.is_empty() => (query, rows, *position),
                _ => return Err(sql_error!(16929)),
            };
            let Some(at) = query.row_targets.iter().position(|source| same_table(source, target)) else {
                return Err(sql_error!(16933));
            };
            let locators = &rows.columns[super::query::visible_columns(query).len() + at];
            if !(1..=rows.rows).contains(&position) || locators.is_null(position - 1) {
                return Err(sql_error!(16931));
            }
            Ok(locators.bytes(position - 1).into())
        });
        locator.map(CurrentRow::At)
    }

    fn read_ahead(&mut self, stream: &mut Stream) -> SqlResult<()> {
        let Stream { prepared, buffer, at, ask, ended } = stream;
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

    pub fn close_cursor(&mut self, cursor: &CursorCode) -> SqlResult<()> {
        let id = self.cursor(cursor)?;
        self.with_cursor(id, |runner, cursor| {
            if matches!(cursor.state, State::Closed) {
                return Err(sql_error!(16917));
            }
            cursor.note.set_open(false);
            let session = runner.session();
            if session.cursors.is_last(id) {
                session.cursor_rows = 0;
            }
            cursor.used = Used { last: CLOSED, ..Used::default() };
            let state = std::mem::replace(&mut cursor.state, State::Closed);
            if let State::Streaming(stream) = state
                && Arc::ptr_eq(&cursor.module, &runner.module)
            {
                runner.put_query(cursor.query, stream.prepared);
            }
            Ok(())
        })
    }

    pub fn deallocate_cursor(&mut self, cursor: &CursorCode) -> SqlResult<()> {
        self.cursor(cursor)?;
        match cursor {
            CursorCode::Variable(slot) => self.set_cursor_variable(*slot, None),
            CursorCode::Name { index, global, .. } => {
                let name = &mut self.context.cursors.get_mut().names[*index as usize];
                let cursors = &mut self.context.runtime.get_mut().session.cursors;
                match name.local.take_if(|_| !global) {
                    Some(local) => cursors.release(local),
                    None => cursors.remove_name(&name.name),
                }
            }
        }
        Ok(())
    }

    pub fn assign_cursor(&mut self, slot: CursorSlot, from: &CursorCode) -> SqlResult<()> {
        let id = self.cursor(from)?;
        self.session().cursors.share(id);
        self.set_cursor_variable(slot, Some(id));
        Ok(())
    }
}

/// As sys.dm_exec_cursors words them.
fn properties(options: &CursorOptions, local: bool, nest_level: u32) -> String {
    let kind = match options.kind {
        CursorKind::Static => "Static",
        CursorKind::Keyset => "Keyset",
        CursorKind::FastForward => "Fast_Forward",
        CursorKind::Unspecified | CursorKind::Dynamic => "Dynamic",
    };
    let concurrency = match (options.read_only, options.scroll_locks) {
        (true, _) => "Read Only",
        (false, true) => "Scroll Locks",
        (false, false) => "Optimistic",
    };
    let scope = if local { "Local" } else { "Global" };
    format!("TSQL | {kind} | {concurrency} | {scope} ({nest_level})")
}

/// Which of the cursor parameters an argument is for.
fn cursor_parameter(module: &Module, at: usize, name: Option<&str>) -> Option<usize> {
    match name {
        Some(name) => {
            let parameters = &module.cursor_variables[..module.cursor_parameters.len()];
            parameters.iter().position(|parameter| parameter.eq_ignore_ascii_case(name))
        }
        None => module.cursor_parameters.iter().position(|place| *place == at),
    }
}

impl Cursor {
    pub fn batch(&self) -> u64 {
        self.batch
    }

    pub fn close(&mut self) {
        self.state = State::Closed;
        self.note.set_open(false);
    }

    pub fn is_open(&self) -> bool {
        !matches!(self.state, State::Closed)
    }

    /// CURSOR_STATUS of a cursor that is there: -1 if it is closed, 0 if it is certainly empty.
    pub fn status(&self) -> i64 {
        match &self.state {
            State::Closed => -1,
            State::Kept { rows, .. } if matches!(self.options.kind, CursorKind::Static | CursorKind::Keyset) => {
                i64::from(rows.rows > 0)
            }
            _ => 1,
        }
    }

    pub fn told(&self, is_local: bool, name: &str) -> CursorTold {
        // A name's key is in lower case.
        let declared = &self.note.name;
        let reference = if declared.to_lowercase() == name { declared.clone() } else { name.into() };
        let model = match self.options.kind {
            CursorKind::Static => 1,
            CursorKind::Keyset => 2,
            CursorKind::Dynamic | CursorKind::Unspecified => 3,
            CursorKind::FastForward => 4,
        };
        let concurrency = match (self.options.read_only, self.options.scroll_locks) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        let (query, columns) = match &self.state {
            State::Closed => (None, Vec::new()),
            State::Streaming(stream) => (Some(stream.prepared.query.clone()), self.state.current().0.to_vec()),
            State::Kept { query, .. } => (Some(query.clone()), self.state.current().0.to_vec()),
        };
        let Used { last, rows } = self.used;
        let affected = i64::from(last == FETCHED && self.note.has_row());
        CursorTold {
            reference,
            is_local,
            note: self.note.clone(),
            status: self.status(),
            model,
            concurrency,
            scrolls: self.scroll,
            rows,
            query,
            columns,
            affected,
            last,
        }
    }

    fn check_direction(&self, direction: &Direction) -> SqlResult<()> {
        let fetch_type = direction.name();
        if !self.scroll {
            return Err(sql_error!(16911, "fetch", fetch_type));
        }
        if self.options.kind == CursorKind::Dynamic && matches!(direction, Direction::Absolute(_)) {
            return Err(sql_error!(16925, fetch_type));
        }
        Ok(())
    }
}

fn same_table(a: &TableSource, b: &TableSource) -> bool {
    match (a, b) {
        (TableSource::Base(a), TableSource::Base(b)) => a.object == b.object && a.database == b.database,
        (TableSource::Variable(a, _), TableSource::Variable(b, _)) => a == b,
        _ => false,
    }
}

/// `limit`: rows.
fn fill(
    source: &mut dyn crate::context::RowSource,
    context: &Context,
    batch: &mut RowBatch,
    limit: usize,
    rows: &mut Rows,
) -> SqlResult<()> {
    while rows.batch.rows < limit {
        source.next(context, BATCH_ROWS.min(limit - rows.batch.rows), batch)?;
        if batch.rows == 0 {
            break;
        }
        rows.append(context, batch)?;
        context.yield_point()?;
    }
    Ok(())
}
