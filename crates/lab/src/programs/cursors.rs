//! Cursors in the model. The pages are those of the statements ("DECLARE CURSOR", "OPEN", "FETCH", "CLOSE", "DEALLOCATE"), of
//! "@@FETCH_STATUS", "@@CURSOR_ROWS", "CURSOR_STATUS", "SET CURSOR_CLOSE_ON_COMMIT", "ROLLBACK TRANSACTION" and "CREATE PROCEDURE".

use super::cursor_state::{Cursor, Fetched, Known, Names, Open, Position};
use super::model::{FAILED, Model, NOT_SAID, Run, Scope, Stop};
use super::program::{CursorAction, CursorName, Form, Move, Table};
use super::state::Row;

impl Model<'_> {
    pub fn fetch_status(&self) -> Run<Option<i32>> {
        match self.cursors.fetch_status {
            Some(status) => Ok(Some(status)),
            None => Err(Stop::Unknown("@@FETCH_STATUS before a FETCH, or after one that failed")),
        }
    }

    /// "@@CURSOR_ROWS": of the cursor opened last, if it is still open.
    pub fn cursor_rows(&self) -> Run<Option<i32>> {
        let Some(at) = self.cursors.last_opened.filter(|at| self.is_referenced(*at)) else { return Ok(Some(0)) };
        let cursor = &self.cursors.all[at];
        if cursor.known != Known::All {
            return Err(Stop::Unknown("whether a rollback has closed a cursor"));
        }
        Ok(Some(match (&cursor.open, cursor.form()) {
            (None, _) => 0,
            (_, Form::FastForward) => return Err(Stop::Unknown("what a FAST_FORWARD cursor is")),
            (_, Form::Plain | Form::Dynamic) => -1,
            (Some(open), _) => open.members.len() as i32,
        }))
    }

    /// "CURSOR_STATUS"
    pub fn cursor_status(&mut self, name: CursorName) -> Run<Option<i32>> {
        let names = self.scope().cursors;
        let at = match name {
            // A local one only, here.
            CursorName::Plain(name) => names.local[name],
            CursorName::Global(name) => self.cursors.global[name],
            CursorName::Variable => names.variable,
        };
        let Some(at) = at else { return Ok(Some(if name == CursorName::Variable { -2 } else { -3 })) };
        let cursor = &self.cursors.all[at];
        if cursor.known != Known::All {
            return Err(Stop::Unknown("whether a rollback has closed a cursor"));
        }
        Ok(Some(match (&cursor.open, cursor.form()) {
            (None, _) => -1,
            (_, Form::Plain | Form::Dynamic) => 1,
            (Some(open), Form::FastForward) if open.members.is_empty() => {
                return Err(Stop::Unknown("what a FAST_FORWARD cursor is"));
            }
            (Some(open), _) => i32::from(!open.members.is_empty()),
        }))
    }

    fn is_referenced(&self, at: usize) -> bool {
        let named = |names: &Names| names.variable == Some(at) || names.local.contains(&Some(at));
        self.cursors.global.contains(&Some(at)) || self.scopes.iter().any(|scope| named(&scope.cursors))
    }

    /// "OPEN": a name is the local cursor's, if there is one. Err: its error has been told.
    fn named(&mut self, name: CursorName, line: u32) -> Run<Option<usize>> {
        let names = self.scope().cursors;
        let found = match name {
            CursorName::Plain(name) => names.local[name].or(self.cursors.global[name]),
            CursorName::Global(name) => self.cursors.global[name],
            CursorName::Variable => names.variable,
        };
        match found {
            Some(at) if self.cursors.all[at].known == Known::NotIfThere => {
                Err(Stop::Unknown("whether an error has taken a cursor"))
            }
            Some(at) => Ok(Some(at)),
            None if self.open_question("a cursor's statement that fails").is_err() => {
                Err(Stop::Unknown("whether a statement that fails begins a transaction"))
            }
            None => self.refuse(if name == CursorName::Variable { 16950 } else { 16916 }, line),
        }
    }

    fn refuse<T>(&mut self, number: i32, line: u32) -> Run<Option<T>> {
        self.fail_as(number, line, false).map(|_| None)
    }

    /// The rows that the statement counts.
    pub fn cursor(&mut self, action: CursorAction, line: u32) -> Run<i32> {
        match action {
            CursorAction::Declare { name, local, form, table } => {
                let taken = if local { self.scope().cursors.local[name] } else { self.cursors.global[name] };
                match taken.map(|at| self.cursors.all[at].known) {
                    Some(Known::NotIfThere) => return Err(Stop::Unknown("whether an error has taken a cursor")),
                    Some(_) => return self.fail_as(16915, line, false),
                    None => {}
                }
                let made = Some(self.made(form, table)?);
                if local {
                    self.scope().cursors.local[name] = made;
                } else {
                    self.cursors.global[name] = made;
                }
                Ok(NOT_SAID)
            }
            CursorAction::SetNew(form, table) => {
                self.scope().cursors.variable = Some(self.made(form, table)?);
                Ok(NOT_SAID)
            }
            CursorAction::SetName(name) => {
                let Some(at) = self.named(name, line)? else { return Ok(FAILED) };
                self.scope().cursors.variable = Some(at);
                Ok(NOT_SAID)
            }
            CursorAction::Open(name) => self.open(name, line),
            CursorAction::Fetch { from, to, into } => {
                let rows = self.fetch(from, to, into, line)?;
                // The condition that follows it clears @@ERROR.
                if into {
                    (self.error, self.row_count) = (0, NOT_SAID);
                }
                Ok(rows)
            }
            CursorAction::Close(name) => {
                let Some(at) = self.named(name, line)? else { return Ok(FAILED) };
                if self.cursors.all[at].known == Known::NotIfOpen {
                    return Err(Stop::Unknown("whether a rollback has closed a cursor"));
                }
                match self.cursors.all[at].open.take() {
                    Some(_) => Ok(0),
                    None => self.fail_as(16917, line, false),
                }
            }
            CursorAction::Deallocate(name) => {
                if self.named(name, line)?.is_none() {
                    return Ok(FAILED);
                }
                let names = &mut self.scopes.last_mut().expect("a scope runs").cursors;
                match name {
                    CursorName::Plain(name) if names.local[name].is_some() => names.local[name] = None,
                    CursorName::Plain(name) | CursorName::Global(name) => self.cursors.global[name] = None,
                    CursorName::Variable => names.variable = None,
                }
                Ok(0)
            }
        }
    }

    fn made(&mut self, form: Form, table: Table) -> Run<usize> {
        let inserted = (table == Table::Inserted).then(|| self.scope().inserted.clone());
        if inserted.is_some() && self.scope().trigger.is_none() {
            return Err(Stop::Unknown("inserted outside of a trigger"));
        }
        let batch = self.cursors.batch;
        self.cursors.all.push(Cursor { form, table, inserted, batch, open: None, known: Known::All });
        Ok(self.cursors.all.len() - 1)
    }

    fn open(&mut self, name: CursorName, line: u32) -> Run<i32> {
        let Some(at) = self.named(name, line)? else { return Ok(FAILED) };
        let cursor = &self.cursors.all[at];
        if cursor.known == Known::NotIfOpen {
            return Err(Stop::Unknown("whether a rollback has closed a cursor"));
        }
        if cursor.open.is_some() {
            self.open_question("an OPEN that fails")?;
            return self.fail_as(16905, line, false);
        }
        if self.state.doomed {
            return Err(Stop::Unknown("OPEN in a doomed transaction"));
        }
        let mut members: Vec<(i64, Row, u32)> = match (&cursor.inserted, cursor.table) {
            (Some(rows), _) => rows.iter().map(|row| (0, *row, 0)).collect(),
            (None, table) => {
                let table = self.table_rows(table);
                table.rows.iter().map(|(key, row)| (*key, *row, table.deaths(*key))).collect()
            }
        };
        members.sort_by_key(|(_, row, _)| *row);
        // "SET ROWCOUNT": it limits keyset and insensitive cursors, not dynamic ones.
        match self.cursors.all[at].form() {
            Form::FastForward if members.len() > self.row_limit() => {
                return Err(Stop::Unknown("what a FAST_FORWARD cursor is"));
            }
            Form::Plain | Form::Dynamic => {}
            _ => members.truncate(self.row_limit()),
        }
        self.implicit(Table::Parent)?;
        let version = self.version(at);
        self.cursors.all[at].open = Some(Open { members, position: Position::Before, version });
        self.cursors.last_opened = Some(at);
        Ok(NOT_SAID)
    }

    fn version(&mut self, at: usize) -> u64 {
        match self.cursors.all[at].table {
            Table::Inserted => 0,
            table => self.table_rows(table).version(),
        }
    }

    fn fetch(&mut self, name: CursorName, to: Move, into: bool, line: u32) -> Run<i32> {
        self.cursors.fetch_status = None;
        let Some(at) = self.named(name, line)? else { return Ok(FAILED) };
        let cursor = &self.cursors.all[at];
        if cursor.known == Known::NotIfOpen {
            return Err(Stop::Unknown("whether a rollback has closed a cursor"));
        }
        if self.state.doomed {
            return Err(Stop::Unknown("FETCH in a doomed transaction"));
        }
        let error = match (cursor.form(), to) {
            (_, Move::Next) => None,
            _ if cursor.is_forward_only() => Some(16911),
            (Form::Dynamic, Move::Absolute(_)) => Some(16925),
            _ => None,
        };
        let fails = cursor.open.is_none() || error.is_some();
        if fails {
            self.open_question("whether a statement that fails begins a transaction")?;
        }
        let cursor = &self.cursors.all[at];
        match (cursor.open.is_some(), error) {
            (false, Some(_)) => return Err(Stop::Unknown("a FETCH with two errors")),
            (false, None) => return self.fail_as(16917, line, false),
            (true, Some(number)) => return self.fail_as(number, line, false),
            (true, None) => {}
        }
        self.implicit(Table::Parent)?;
        let fetched = match self.cursors.all[at].form() {
            Form::Plain | Form::Dynamic => self.fetch_dynamic(at, to)?,
            _ => self.fetch_member(at, to)?,
        };
        let (status, row) = match fetched {
            Fetched::Row(row) => (0, Some(row)),
            Fetched::Beyond => (-1, None),
            Fetched::Missing if !into => return Err(Stop::Unknown("what a FETCH of a missing row shows")),
            Fetched::Missing => (-2, Some((None, None))),
        };
        self.cursors.fetch_status = Some(status);
        match (row, into) {
            (Some((id, v)), true) => {
                let locals = &mut self.scope().locals;
                (locals[1], locals[2]) = (id, v);
            }
            (Some((id, v)), false) => self.rows_out(vec![vec![id.map(i64::from), v.map(i64::from)]]),
            (None, _) => {}
        }
        // INTO has an IF after it.
        Ok(if status == 0 && !into { 1 } else { NOT_SAID })
    }

    /// Of what was fixed when it was opened.
    fn fetch_member(&mut self, at: usize, to: Move) -> Run<Fetched> {
        let version = self.version(at);
        let cursor = &mut self.cursors.all[at];
        let (form, table) = (cursor.form(), cursor.table);
        let open = cursor.open.as_mut().expect("it is open");
        if form == Form::FastForward && open.version != version {
            return Err(Stop::Unknown("what a FAST_FORWARD cursor sees of changes"));
        }
        let count = open.members.len() as i64;
        let now = match open.position {
            Position::Before => -1,
            Position::At(member) => member,
            Position::After => count,
        };
        let target = match to {
            Move::Next => now + 1,
            Move::Prior => now - 1,
            Move::First => 0,
            Move::Last => count - 1,
            Move::Absolute(0) => -1,
            Move::Absolute(from) if from > 0 => i64::from(from) - 1,
            Move::Absolute(from) => count + i64::from(from),
            Move::Relative(by) => now + i64::from(by),
        };
        open.position = match target {
            ..0 => Position::Before,
            _ if target >= count => Position::After,
            _ => Position::At(target),
        };
        let Position::At(member) = open.position else { return Ok(Fetched::Beyond) };
        let (key, row, deaths) = open.members[member as usize];
        if form != Form::Keyset {
            return Ok(Fetched::Row(row));
        }
        let rows = self.table_rows(table);
        match rows.rows.get(&key) {
            None => Ok(Fetched::Missing),
            Some(_) if rows.deaths(key) != deaths => Err(Stop::Unknown("a keyset's row that went and came again")),
            Some(row) => Ok(Fetched::Row(*row)),
        }
    }

    /// Of what is in the table now.
    fn fetch_dynamic(&mut self, at: usize, to: Move) -> Run<Fetched> {
        let version = self.version(at);
        let cursor = &mut self.cursors.all[at];
        let table = cursor.table;
        let open = cursor.open.as_mut().expect("it is open");
        let (position, is_same) = (open.position, open.version == version);
        let members: Vec<i64> = open.members.iter().map(|(key, ..)| *key).collect();
        if position == Position::After && !is_same && matches!(to, Move::Next | Move::Relative(1..)) {
            return Err(Stop::Unknown("rows that came when a dynamic cursor was at its end"));
        }
        let rows = &self.table_rows(table).rows;
        let keys: Vec<i64> = rows.keys().copied().collect();
        if keys.iter().any(|key| !members.contains(key)) {
            // "DECLARE CURSOR" has them seen; docs/statements.md says that they are not here.
            return Err(Stop::Unknown("rows that came after the OPEN of a dynamic cursor"));
        }
        // How many keys lie before the place, and whether it is one of them.
        let (before, is_there) = match position {
            Position::Before => (0, false),
            Position::At(key) => (keys.partition_point(|other| *other < key) as i64, rows.contains_key(&key)),
            Position::After => (keys.len() as i64, false),
        };
        let target = match to {
            Move::First => 0,
            Move::Last => keys.len() as i64 - 1,
            Move::Next | Move::Relative(1..) => {
                let by = if let Move::Relative(by) = to { i64::from(by) } else { 1 };
                before + by - i64::from(!is_there)
            }
            Move::Prior => before - 1,
            Move::Relative(0) if matches!(position, Position::At(_)) && !is_there => {
                return Err(Stop::Unknown("a dynamic cursor's row that is gone"));
            }
            Move::Relative(0) if is_there => before,
            Move::Relative(0) => -1,
            Move::Relative(by) => before + i64::from(by),
            Move::Absolute(_) => unreachable!("refused"),
        };
        let found = usize::try_from(target).ok().and_then(|at| keys.get(at)).map(|key| (*key, rows[key]));
        let beyond = if target < 0 { Position::Before } else { Position::After };
        let open = self.cursors.all[at].open.as_mut().expect("it is open");
        open.version = version;
        open.position = found.map_or(beyond, |(key, _)| Position::At(key));
        Ok(found.map_or(Fetched::Beyond, |(_, row)| Fetched::Row(row)))
    }

    /// "CREATE PROCEDURE", cursor output parameters: the caller's variable must be free (16951), and gets the cursor only if it
    /// is open.
    pub fn cursor_back(&mut self, callee: &Scope) -> Run {
        if let Some(at) = callee.cursors.variable {
            match self.cursors.all[at].known {
                Known::All if self.cursors.all[at].open.is_some() => self.scope().cursors.variable = Some(at),
                Known::All => self.scope().cursors.variable = None,
                _ => return Err(Stop::Unknown("whether a rollback has closed a cursor")),
            }
        }
        Ok(())
    }
}
