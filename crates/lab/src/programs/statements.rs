//! What single statements do in the model: values, transactions, changes of rows with their triggers, calls.

use super::model::{FAILED, Model, NOT_SAID, Run, Scope, Stop};
use super::program::{
    Call, DEFAULT, Event, Failure, Kind, POOL, Setting, Statement, TRIGGERS, Table, Value, WITH_CURSOR,
};
use super::rules::{self, Ends, Error};
use super::state::{Place, Row, Rows, Temp, Undo};

/// Names of the procedures as messages have them.
const MODULES: [&str; 3] = ["p0", "p1", "p2"];

/// Rows that came, and those that went; of an UPDATE both.
#[derive(Debug, Default)]
struct Change {
    inserted: Vec<Row>,
    deleted: Vec<Row>,
}

impl Change {
    fn count(&self) -> i32 {
        self.inserted.len().max(self.deleted.len()) as i32
    }
}

type Changed = Result<Change, Refused>;

enum Refused {
    Error(i32),
    Unknown(&'static str),
}

impl Model<'_> {
    pub fn value(&mut self, value: Value, line: u32) -> Run<Option<i32>> {
        let caught = self.scopes.iter().rev().find_map(|scope| scope.caught.last());
        Ok(match value {
            Value::Int(number) => Some(number),
            Value::Null => None,
            Value::Local(local) => self.scope().locals[local],
            Value::TranCount => Some(self.state.count),
            Value::XactState => Some(match (self.state.count, self.state.doomed) {
                (0, _) => 0,
                (_, true) => -1,
                (_, false) => 1,
            }),
            Value::Error if self.error == NOT_SAID => return Err(Stop::Unknown("@@ERROR after a CATCH")),
            Value::Error => Some(self.error),
            Value::RowCount if self.row_count == NOT_SAID => return Err(Stop::Unknown("@@ROWCOUNT here")),
            Value::RowCount => Some(self.row_count),
            Value::ErrorNumber => caught.map(|error| error.number),
            Value::ErrorSeverity => caught.map(|error| error.severity.into()),
            Value::ErrorState if caught.is_some_and(|error| rules::STATE_OPEN.contains(&error.number)) => {
                return Err(Stop::Unknown("a state that is not documented"));
            }
            Value::ErrorState => caught.map(|error| error.state.into()),
            Value::ErrorLine => caught.map(|error| error.line as i32),
            Value::ScopeIdentity | Value::LastIdentity if !self.identity_is_known => {
                return Err(Stop::Unknown("the identity after an INSERT that failed"));
            }
            Value::ScopeIdentity => self.scope().scope_identity,
            Value::LastIdentity => self.last_identity,
            Value::NestLevel => Some(self.scopes[1..].iter().map(|scope| scope.levels).sum()),
            Value::Setting(setting) => Some(self.options.others[setting as usize]),
            Value::TextLength => self.scope().text_length,
            Value::XactAbort => Some(self.options.xact_abort.into()),
            Value::Rows(table) => Some(self.read(table, line)?.len() as i32),
            Value::FetchStatus => self.fetch_status()?,
            Value::CursorRows => self.cursor_rows()?,
            Value::CursorStatus(name) => self.cursor_status(name)?,
        })
    }

    /// The rows of a table in the order of their keys.
    fn read(&mut self, table: Table, line: u32) -> Run<Vec<Row>> {
        match table {
            Table::Inserted => return Ok(self.scope().inserted.clone()),
            Table::Deleted => return Ok(self.scope().deleted.clone()),
            _ => {}
        }
        let place = self.place(table, line)?;
        Ok(self.rows(place).rows.values().copied().collect())
    }

    fn place(&mut self, table: Table, line: u32) -> Run<Place> {
        match table {
            Table::Temp => match self.state.temps.iter().rposition(|temp| temp.is_there) {
                Some(at) => Ok(Place::Temp(at)),
                None => self.unbound(line).and(Err(Stop::Scope { line })),
            },
            Table::Variable => Ok(Place::Variable(self.depth())),
            Table::View => Ok(Place::Pool(0)),
            pooled => Ok(Place::Pool(POOL.iter().position(|other| *other == pooled).expect("of the pool"))),
        }
    }

    /// Of the pool.
    pub fn table_rows(&mut self, table: Table) -> &mut Rows {
        self.state.rows(Place::Pool(POOL.iter().position(|other| *other == table).expect("of the pool")))
    }

    fn rows(&mut self, place: Place) -> &mut Rows {
        match place {
            Place::Variable(depth) => &mut self.scopes[depth].variable,
            other => self.state.rows(other),
        }
    }

    /// The rows that a statement counts; `FAILED`: its error has been told.
    pub fn simple(&mut self, kind: &Kind, line: u32) -> Run<i32> {
        match kind {
            Kind::Select(values) => {
                let asks = |value: &Value| {
                    matches!(value, Value::Rows(_) | Value::TextLength | Value::Setting(Setting::DeadlockPriority))
                };
                if values.iter().any(asks) {
                    self.open_question("SELECT with a query in it")?;
                }
                let row: Run<Vec<_>> = values.iter().map(|value| self.value(*value, line)).collect();
                self.rows_out(vec![row?.into_iter().map(|value| value.map(i64::from)).collect()]);
                Ok(1)
            }
            Kind::Show(table) => {
                self.implicit(*table)?;
                let mut rows = self.read(*table, line)?;
                rows.sort_unstable();
                // "SET ROWCOUNT"
                rows.truncate(self.row_limit());
                let rows: Vec<Vec<_>> =
                    rows.into_iter().map(|(id, v)| vec![id.map(i64::from), v.map(i64::from)]).collect();
                let count = rows.len() as i32;
                self.rows_out(rows);
                Ok(count)
            }
            Kind::Assign(local, value) => {
                let value = self.value(*value, line)?;
                self.scope().locals[*local] = value;
                Ok(1)
            }
            Kind::Print(number) => {
                self.print(format!("note {number}"));
                Ok(0)
            }
            Kind::XactAbort(on) => {
                self.options.xact_abort = *on;
                Ok(0)
            }
            Kind::Insert(..) | Kind::Copy(_) | Kind::Update(..) | Kind::Delete(..) => self.change(kind, line),
            Kind::Set(setting, value) => {
                self.options.others[*setting as usize] = *value;
                Ok(0)
            }
            Kind::Label(label) => {
                self.print(format!("note {label}"));
                Ok(0)
            }
            Kind::LongText => self.long_text(line),
            Kind::CreateTemp | Kind::DropTemp => self.temp(matches!(kind, Kind::CreateTemp)),
            Kind::Begin | Kind::Commit | Kind::Rollback | Kind::Save(_) | Kind::RollbackTo(_) => {
                self.transaction(kind, line)
            }
            Kind::Raise(..) | Kind::Throw(..) | Kind::Rethrow => self.raise(kind, line),
            Kind::Fail(failure) => self.real_error(*failure, line),
            Kind::Output(change) => {
                self.is_output = true;
                let ended = self.change(&change.kind, line);
                self.is_output = false;
                ended
            }
            Kind::InsertExec(source) => self.insert_exec(source),
            Kind::Cursor(action) => self.cursor(*action, line),
            other => unreachable!("{other:?} is not simple"),
        }
    }

    fn transaction(&mut self, kind: &Kind, line: u32) -> Run<i32> {
        let state = &mut self.state;
        match kind {
            // "INSERT", INTO ... EXECUTE: its procedure ends no transaction.
            Kind::Rollback if self.captured.is_some() => return self.fail_as(3915, line, false),
            Kind::Commit if self.captured.is_some() => return Err(Stop::Unknown("COMMIT in INSERT ... EXEC")),
            Kind::Rollback if state.count == 0 => return self.fail_as(3903, line, false),
            Kind::Rollback => self.rollback(self.scopes.iter().any(|scope| scope.trigger.is_some())),
            Kind::Commit if state.count == 0 => return self.fail_as(3902, line, false),
            Kind::Commit if state.doomed => return self.fail_as(3930, line, false),
            _ if state.doomed => return Err(Stop::Unknown("a transaction statement in a doomed transaction")),
            // "SET IMPLICIT_TRANSACTIONS", test C: an unseen one comes first.
            Kind::Begin if state.count == 0 && self.options.is(Setting::ImplicitTransactions) => state.count = 2,
            Kind::Begin => state.count += 1,
            Kind::Commit => {
                state.count -= 1;
                if state.count == 0 {
                    state.over();
                    self.cursors.transaction_over(false, self.options.is(Setting::CursorCloseOnCommit));
                }
            }
            Kind::Save(_) if state.count == 0 => return self.fail_as(628, line, false),
            Kind::RollbackTo(_) if state.count == 0 => {
                return Err(Stop::Unknown("a savepoint's rollback without a transaction"));
            }
            Kind::Save(name) => {
                let mark = state.mark();
                state.savepoints.push((*name, mark));
            }
            Kind::RollbackTo(name) => match state.savepoints.iter().rposition(|(other, _)| other == name) {
                Some(at) => {
                    let mark = state.savepoints[at].1;
                    state.savepoints.truncate(at + 1);
                    state.back_to(mark);
                }
                None => return self.fail_as(6401, line, false),
            },
            other => unreachable!("{other:?} is of no transaction"),
        }
        Ok(0)
    }

    fn raise(&mut self, kind: &Kind, line: u32) -> Run<i32> {
        let module = self.scope().module;
        match kind {
            Kind::Raise(severity, state) => {
                let error = Error { number: rules::RAISED, severity: *severity, state: *state, line, module };
                if *severity <= 10 {
                    let severity = if *severity == 10 { 0 } else { *severity };
                    self.tell(&Error { severity, ..error });
                    return Ok(0);
                }
                if self.options.xact_abort && self.state.count > 0 && self.in_try(self.depth()) {
                    return Err(Stop::Unknown("RAISERROR in a TRY under XACT_ABORT"));
                }
                self.fail(error, Ends::Statement, false, false)?;
            }
            Kind::Throw(number, state) => {
                let error = Error { number: *number, severity: 16, state: *state, line, module };
                self.fail(error, Ends::Batch, true, false)?;
            }
            _ => {
                let Some(error) = self.scope().caught.last().cloned() else {
                    return Err(Stop::Unknown("THROW outside of a CATCH"));
                };
                if rules::ends_transaction(error.number) && self.state.count > 0 {
                    return Err(Stop::Unknown("whether THROW of an error that ends a transaction ends another one"));
                }
                if self.state.doomed && !self.in_try(self.depth()) {
                    return Err(Stop::Unknown("THROW out of a doomed transaction: whether 3998 follows"));
                }
                self.fail(error, Ends::Batch, true, false)?;
            }
        }
        Ok(FAILED)
    }

    fn real_error(&mut self, failure: Failure, line: u32) -> Run<i32> {
        // The columns of a result have been sent before its first row fails.
        self.captured_other |=
            self.captured.is_some() && matches!(failure, Failure::DivideByZero | Failure::Conversion);
        let warns = self.options.is(Setting::AnsiWarnings);
        if !warns && matches!(failure, Failure::DivideByZero | Failure::Overflow) {
            return self.forgiven(failure, line);
        }
        match failure {
            Failure::DivideByZero => self.fail_as(8134, line, false),
            Failure::Conversion => self.fail_as(245, line, false),
            Failure::Overflow => self.fail_as(8115, line, false),
            Failure::NoProcedure => self.fail_as(2812, line, false),
            Failure::NoTable => self.unbound(line),
            Failure::Syntax if self.options.xact_abort && self.state.count > 0 && self.in_try(self.depth()) => {
                Err(Stop::Unknown("a compile error in a TRY under XACT_ABORT"))
            }
            Failure::Syntax => {
                let (number, severity, state, ends, by_xact_abort) = rules::row(156);
                self.fail(Error { number, severity, state, line: 1, module: None }, ends, by_xact_abort, false)?;
                Ok(FAILED)
            }
        }
    }

    /// An overflow or a division by zero without ANSI_WARNINGS: "SET ARITHABORT".
    fn forgiven(&mut self, failure: Failure, line: u32) -> Run<i32> {
        if self.options.is(Setting::ArithAbort) {
            let number = if failure == Failure::Overflow { 8115 } else { 8134 };
            let (number, severity, state, _, by_xact_abort) = rules::row(number);
            let error = Error { number, severity, state, line, module: self.scope().module };
            self.fail(error, Ends::Transaction, by_xact_abort, false)?;
            return Ok(FAILED);
        }
        if failure == Failure::DivideByZero {
            return Err(Stop::Unknown("whether a warning comes before the row"));
        }
        self.scope().locals[2] = None;
        let module = self.scope().module;
        self.tell(&Error::of(rules::OVERFLOWED, line, module));
        Ok(1)
    }

    /// "SET ANSI_WARNINGS": ON, a text that is too long for its column is an error, OFF, it is cut.
    fn long_text(&mut self, line: u32) -> Run<i32> {
        self.open_question("an INSERT into a table variable")?;
        if self.state.doomed {
            return Err(Stop::Unknown("a table variable in a doomed one"));
        }
        if self.options.is(Setting::AnsiWarnings) {
            return self.fail_as(2628, line, true);
        }
        self.scope().text_length = Some(2);
        Ok(1)
    }

    /// "SET IMPLICIT_TRANSACTIONS": a statement of its list begins a transaction if there is none.
    pub fn implicit(&mut self, table: Table) -> Run {
        let is_missing = table == Table::Temp && self.state.temps.iter().all(|temp| !temp.is_there);
        match table {
            Table::Variable | Table::Inserted | Table::Deleted => self.open_question("a statement of a table variable"),
            _ if self.options.is(Setting::ImplicitTransactions) && self.state.count == 0 && !is_missing => {
                self.state.count = 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether this begins a transaction is written nowhere.
    pub fn open_question(&self, why: &'static str) -> Run {
        match self.options.is(Setting::ImplicitTransactions) && self.state.count == 0 {
            true => Err(Stop::Unknown(why)),
            false => Ok(()),
        }
    }

    /// SET ROWCOUNT
    pub fn row_limit(&self) -> usize {
        match self.options.others[Setting::RowCount as usize] {
            0 => usize::MAX,
            count => count as usize,
        }
    }

    fn temp(&mut self, make: bool) -> Run<i32> {
        if self.state.doomed {
            return Err(Stop::Unknown("a definition in a doomed transaction"));
        }
        if self.options.is(Setting::ImplicitTransactions) && self.state.count == 0 {
            self.state.count = 1;
        }
        let depth = self.depth();
        let innermost = self.state.temps.iter().rposition(|temp| temp.is_there);
        let undo = match (make, innermost) {
            (true, Some(at)) if self.state.temps[at].depth == depth => {
                return Err(Stop::Unknown("#w twice in a scope"));
            }
            (true, _) => {
                self.state.temps.push(Temp { depth, is_there: true, ..Temp::default() });
                Undo::Made { temp: self.state.temps.len() - 1 }
            }
            (false, Some(at)) if self.state.temps[at].depth == depth => {
                self.state.temps[at].is_there = false;
                Undo::Dropped { temp: at }
            }
            (false, _) => return Err(Stop::Unknown("DROP of a table of another scope")),
        };
        if self.state.count > 0 {
            self.state.log(undo);
        }
        Ok(NOT_SAID)
    }

    /// INSERT, UPDATE, DELETE: as a whole or not at all, with what its trigger did.
    fn change(&mut self, kind: &Kind, line: u32) -> Run<i32> {
        let (Kind::Insert(table, _) | Kind::Update(table, ..) | Kind::Delete(table, _)) = kind else {
            let Kind::Copy(from) = kind else { unreachable!("{kind:?} changes nothing") };
            let rows = self.read(*from, line)?;
            if rows.len() > self.row_limit() {
                return Err(Stop::Unknown("which rows SET ROWCOUNT leaves"));
            }
            self.implicit(Table::Journal)?;
            return self.insert(Table::Journal, rows, line);
        };
        let table = *table;
        match kind {
            Kind::Insert(_, values) => {
                let rows: Run<Vec<Row>> =
                    values.iter().map(|(id, v)| Ok((self.value(*id, line)?, self.value(*v, line)?))).collect();
                let rows = rows?;
                if rows.len() > self.row_limit() {
                    return Err(Stop::Unknown("which rows SET ROWCOUNT leaves"));
                }
                self.implicit(table)?;
                self.insert(table, rows, line)
            }
            Kind::Update(_, id, v) => {
                let (id, v) = (self.value(*id, line)?, self.value(*v, line)?);
                self.implicit(table)?;
                let (table, trigger, instead) = self.trigger_of(table, Event::Update)?;
                self.changed(table, line, trigger, |model, place| match instead {
                    true if v.is_none() => Err(Refused::Unknown("NULL for a trigger instead of the change")),
                    true => Ok(model.would_update(place, id, v)),
                    false => model.update(table, place, id, v),
                })
            }
            Kind::Delete(_, id) => {
                let id = self.value(*id, line)?;
                self.implicit(table)?;
                let (table, trigger, instead) = self.trigger_of(table, Event::Delete)?;
                self.changed(table, line, trigger, |model, place| match instead {
                    true => Ok(Change { deleted: model.would_update(place, id, None).deleted, ..Change::default() }),
                    false => model.delete(table, place, id),
                })
            }
            _ => unreachable!("above"),
        }
    }

    fn insert(&mut self, table: Table, rows: Vec<Row>, line: u32) -> Run<i32> {
        let (table, trigger, instead) = self.trigger_of(table, Event::Insert)?;
        self.changed(table, line, trigger, |model, place| {
            if !instead {
                return model.insert_rows(table, place, rows);
            }
            if rows.iter().any(|(id, v)| v.is_none() || id.is_none() && table != Table::Numbered) {
                return Err(Refused::Unknown("NULL for a trigger instead of the change"));
            }
            // "CREATE TRIGGER": nothing is in the table yet; an identity column has no value.
            let rows: Vec<Row> =
                rows.into_iter().map(|(id, v)| (if table == Table::Numbered { Some(0) } else { id }, v)).collect();
            Ok(Change { inserted: rows, ..Change::default() })
        })
    }

    /// What a change is of, which trigger fires, and whether that is all that happens. A change of the view is one of its table, unless the
    /// view has a trigger for it ("CREATE VIEW", updatable views).
    fn trigger_of(&self, table: Table, event: Event) -> Run<(Table, Option<usize>, bool)> {
        let has = |table: Table| {
            let found = TRIGGERS.iter().position(|(of, when, _)| (*of, *when) == (table, event))?;
            self.program.triggers[found].as_ref().map(|trigger| (found, trigger.instead))
        };
        let runs = |at: usize| self.scopes.iter().any(|scope| scope.trigger == Some(at));
        let innermost = self.scopes.iter().rev().find_map(|scope| scope.trigger);
        let mut table = table;
        if table == Table::View {
            match has(Table::View) {
                Some((at, _)) if runs(at) => return Err(Stop::Unknown("a view in its own trigger")),
                Some((at, instead)) => return Ok((table, Some(at), instead)),
                None => table = Table::Parent,
            }
        }
        match has(table) {
            // "CREATE TRIGGER": an INSTEAD OF trigger does not call itself, an AFTER trigger not without RECURSIVE_TRIGGERS.
            Some((at, _)) if runs(at) && innermost == Some(at) => Ok((table, None, false)),
            Some((at, _)) if runs(at) => Err(Stop::Unknown("a trigger that comes back through another")),
            Some((at, instead)) => Ok((table, Some(at), instead)),
            None => Ok((table, None, false)),
        }
    }

    fn would_update(&mut self, place: Place, id: Option<i32>, v: Option<i32>) -> Change {
        let keys = self.keys(place, id);
        let deleted: Vec<Row> = keys.iter().map(|key| self.rows(place).rows[key]).collect();
        Change { inserted: deleted.iter().map(|(id, _)| (*id, v)).collect(), deleted }
    }

    fn changed(
        &mut self,
        table: Table,
        line: u32,
        trigger: Option<usize>,
        change: impl FnOnce(&mut Self, Place) -> Changed,
    ) -> Run<i32> {
        let place = self.place(table, line)?;
        let was_doomed = self.state.doomed;
        let (mark, epoch) = (self.state.mark(), self.state.epoch);
        let variable = self.scope().variable.clone();
        let alone = self.state.count == 0 && table != Table::Variable;
        if alone {
            self.state.count = 1;
            self.state.is_statement = true;
        }
        let done = match change(self, place) {
            Ok(_) if was_doomed && table == Table::Variable => Err(Stop::Unknown("a table variable in a doomed one")),
            Ok(change) if was_doomed && change.count() == 0 => {
                Err(Stop::Unknown("no row is written in a doomed transaction"))
            }
            Err(Refused::Error(_)) if was_doomed => Err(Stop::Unknown("an error of rows in a doomed transaction")),
            Ok(_) if was_doomed && table == Table::Numbered => {
                Err(Stop::Unknown("how many numbers a failed INSERT uses"))
            }
            Ok(_) if was_doomed => {
                self.state.back_to(mark);
                self.identity_is_known &= table != Table::Numbered;
                return self.fail_as(3930, line, false);
            }
            Ok(change) => {
                let count = change.count();
                self.output(&change, trigger).and_then(|()| self.fire(trigger, change, line)).map(|()| count)
            }
            Err(Refused::Unknown(why)) => Err(Stop::Unknown(why)),
            Err(Refused::Error(number)) => {
                self.undo_statement(mark, epoch, alone);
                self.scope().variable = variable;
                return self.fail_as(number, line, true);
            }
        };
        match &done {
            Ok(_) if alone && self.state.epoch == epoch => {
                self.state.over();
                self.cursors.statement_over(false, self.options.is(Setting::CursorCloseOnCommit));
            }
            Ok(_) => {}
            Err(_) => self.undo_statement(mark, epoch, alone),
        }
        done
    }

    /// "OUTPUT Clause", INTO: rows of the journal, in the statement.
    fn output(&mut self, change: &Change, trigger: Option<usize>) -> Run {
        if !std::mem::take(&mut self.is_output) {
            return Ok(());
        }
        if trigger.is_some() {
            return Err(Stop::Unknown("whether a trigger sees what OUTPUT gave out"));
        }
        let rows = if change.inserted.is_empty() { &change.deleted } else { &change.inserted };
        for row in rows {
            let key = self.next_number();
            self.put(Place::Pool(3), key, Some(*row));
        }
        Ok(())
    }

    /// `alone`: the transaction is the statement's.
    fn undo_statement(&mut self, mark: usize, epoch: u64, alone: bool) {
        if self.state.epoch != epoch {
            return;
        }
        if alone {
            self.state.rollback();
            self.cursors.statement_over(true, self.options.is(Setting::CursorCloseOnCommit));
        } else {
            self.state.back_to(mark);
        }
    }

    fn insert_rows(&mut self, table: Table, place: Place, rows: Vec<Row>) -> Changed {
        let several = rows.len() > 1;
        let mut errors = Vec::new();
        let mut inserted = Vec::new();
        for (id, v) in rows {
            let mut number = None;
            if table == Table::Numbered {
                let rows = self.rows(place);
                rows.last += 1;
                number = Some(rows.last as i32);
            }
            let row = (number.or(id), v);
            let of_row = self.violations(table, place, row, None);
            if of_row.len() > 1 {
                return Err(Refused::Unknown("a row with several errors"));
            }
            if table == Table::Numbered && !of_row.is_empty() && (several || of_row[0] == 515) {
                return Err(Refused::Unknown("how many numbers a failed INSERT uses"));
            }
            if of_row.is_empty() {
                let key = if table == Table::Journal { self.next_number() } else { row.0.expect("a key").into() };
                self.put(place, key, Some(row));
                inserted.push(row);
            }
            errors.extend(of_row);
        }
        errors.sort_unstable();
        errors.dedup();
        match errors[..] {
            [] => {}
            [error] => {
                self.identity_is_known &= table != Table::Numbered;
                return Err(Refused::Error(error));
            }
            _ => return Err(Refused::Unknown("rows with several errors")),
        }
        if let (Table::Numbered, Some((number, _))) = (table, inserted.last()) {
            self.identity_is_known = true;
            self.scope().scope_identity = *number;
            self.last_identity = *number;
        }
        Ok(Change { inserted, ..Change::default() })
    }

    /// `key`: the row that is changed.
    fn violations(&mut self, table: Table, place: Place, (id, v): Row, key: Option<i64>) -> Vec<i32> {
        let mut errors = Vec::new();
        if table == Table::Journal {
            return errors;
        }
        if id.is_none() || v.is_none() && table != Table::Child {
            errors.push(515);
        }
        if table == Table::Parent && v.is_some_and(|v| v >= 100) {
            errors.push(547);
        }
        if table == Table::Child && v.is_some_and(|v| !self.state.pool[0].rows.contains_key(&v.into())) {
            errors.push(547);
        }
        let rows = &self.rows(place).rows;
        if key.is_none() && id.is_some_and(|id| rows.contains_key(&id.into())) {
            errors.push(2627);
        }
        if table == Table::Numbered && v.is_some() && rows.iter().any(|(at, row)| Some(*at) != key && row.1 == v) {
            errors.push(2627);
        }
        errors
    }

    fn update(&mut self, table: Table, place: Place, id: Option<i32>, v: Option<i32>) -> Changed {
        let keys = self.keys(place, id);
        if keys.len() > self.row_limit() {
            return Err(Refused::Unknown("which rows SET ROWCOUNT leaves"));
        }
        let change = self.would_update(place, id, v);
        for key in &keys {
            match self.violations(table, place, (id, v), Some(*key))[..] {
                [] => self.put(place, *key, Some((id, v))),
                [error] => return Err(Refused::Error(error)),
                _ => return Err(Refused::Unknown("a row with several errors")),
            }
        }
        Ok(change)
    }

    fn delete(&mut self, table: Table, place: Place, id: Option<i32>) -> Changed {
        let keys = self.keys(place, id);
        if keys.len() > self.row_limit() {
            return Err(Refused::Unknown("which rows SET ROWCOUNT leaves"));
        }
        if table == Table::Parent && !keys.is_empty() && self.state.pool[1].rows.values().any(|(_, v)| *v == id) {
            return Err(Refused::Error(547));
        }
        let deleted = self.would_update(place, id, None).deleted;
        for key in &keys {
            self.put(place, *key, None);
        }
        Ok(Change { deleted, ..Change::default() })
    }

    /// Of the rows with this id.
    fn keys(&mut self, place: Place, id: Option<i32>) -> Vec<i64> {
        let rows = &self.rows(place).rows;
        rows.iter().filter(|(_, row)| id.is_some() && row.0 == id).map(|(key, _)| *key).collect()
    }

    fn put(&mut self, place: Place, key: i64, row: Option<Row>) {
        let old = self.rows(place).put(key, row);
        if !matches!(place, Place::Variable(_)) {
            self.state.log(Undo::Row { place, key, old });
        }
    }

    fn fire(&mut self, trigger: Option<usize>, change: Change, line: u32) -> Run {
        let Some(at) = trigger else { return Ok(()) };
        // "ROLLBACK TRANSACTION": what a trigger does after its rollback fires no nested triggers.
        if self.scopes.iter().any(|scope| scope.trigger.is_some() && scope.epoch != self.state.epoch) {
            return Err(Stop::Unknown("a nested trigger after the end of the transaction"));
        }
        let program = self.program;
        let body = &program.triggers[at].as_ref().expect("it fires").body;
        let (levels, options, epoch) = (self.state.count, self.options, self.state.epoch);
        let mut scope = Scope::new(Some(TRIGGERS[at].2), [Some(1), None, Some(3)]);
        (scope.inserted, scope.deleted) = (change.inserted, change.deleted);
        (scope.trigger, scope.epoch) = (Some(at), epoch);
        self.options.xact_abort = true;
        self.error = 0;
        let ended = self.within(scope, body).1;
        self.options = options;
        match ended {
            Ok(()) | Err(Stop::Return(_)) => {}
            Err(Stop::Scope { .. }) => return Err(Stop::Unknown("an unbound trigger")),
            Err(Stop::Thrown { .. } | Stop::Batch)
                if self.state.count > 0 && (self.state.epoch != epoch || self.state.count != levels) =>
            {
                return Err(Stop::Unknown("a trigger that fails in a transaction that it began"));
            }
            Err(stop) => return Err(stop),
        }
        let depth = self.depth();
        let module = self.scope().module;
        if self.state.count == 0 {
            if !self.in_try(depth) {
                // "A ROLLBACK statement issued in a trigger also automatically generates this type of error"
                match self.rolled_back_in_trigger {
                    true => self.cursors.batch_failed(),
                    false => self.cursors.batch_in_doubt(),
                }
            }
            let error = Error::of(rules::ENDED_IN_TRIGGER, line, module);
            return match self.fail(error, Ends::Batch, false, false) {
                Ok(()) => Err(Stop::Batch),
                Err(stop) => Err(stop),
            };
        }
        if self.state.doomed {
            if self.in_try(depth) {
                return Err(Stop::Unknown("what a CATCH sees of a transaction that a trigger doomed"));
            }
            let error = Error::of(rules::DOOMED_IN_TRIGGER, line, module);
            return self.fail(error, Ends::Transaction, false, false);
        }
        if self.state.count != levels || self.state.epoch != epoch {
            return Err(Stop::Unknown("a trigger that leaves another @@TRANCOUNT"));
        }
        Ok(())
    }

    /// Runs a module or a text in a scope of its own, which takes its temporary tables and its SET options with it.
    fn within(&mut self, scope: Scope, body: &[Statement]) -> (Scope, Run) {
        let options = self.options;
        self.scopes.push(scope);
        self.row_count = NOT_SAID;
        let ended = if self.scopes.len() > 20 { Err(Stop::Unknown("too deep")) } else { self.list(body) };
        self.row_count = NOT_SAID;
        self.options = options;
        let scope = self.scopes.pop().expect("pushed above");
        let depth = self.scopes.len();
        for temp in &mut self.state.temps {
            if temp.depth >= depth {
                (temp.is_there, temp.is_gone) = (false, true);
            }
        }
        if options.xact_abort && matches!(&ended, Err(Stop::Thrown { error, .. }) if error.number == rules::NO_OBJECT.0)
        {
            return (scope, Err(Stop::Unknown("a missing object under a caller's XACT_ABORT")));
        }
        (scope, ended)
    }

    /// `nest_levels`: what it adds to @@NESTLEVEL.
    pub fn text(&mut self, body: &[Statement], nest_levels: i32) -> Run {
        let levels = self.state.count;
        let mut scope = Scope::new(None, [Some(1), None, Some(3)]);
        scope.levels = nest_levels;
        let ended = self.within(scope, body).1;
        match ended {
            Ok(()) | Err(Stop::Return(_)) => self.level_told(levels, 0, None),
            Err(Stop::Scope { line }) => self.level_told(levels, line, None),
            Err(stop) => Err(stop),
        }
    }

    /// 266 where a call has left another @@TRANCOUNT: also of dynamic text, and at the line of what ended the call if it could
    /// not be bound.
    fn level_told(&mut self, levels: i32, line: u32, module: Option<&'static str>) -> Run {
        if line > 0 && self.options.xact_abort {
            return Err(Stop::Unknown("a missing object under XACT_ABORT"));
        }
        if self.state.count == levels {
            return Ok(());
        }
        if levels == 0 && self.state.count == 1 && self.options.is(Setting::ImplicitTransactions) {
            return Err(Stop::Unknown("266 of a transaction that IMPLICIT_TRANSACTIONS began"));
        }
        if self.in_try(self.depth()) || self.options.xact_abort {
            return Err(Stop::Unknown("266 in a TRY or under XACT_ABORT"));
        }
        self.tell(&Error::of(rules::MISMATCH, line, module));
        Ok(())
    }

    pub fn call(&mut self, call: &Call, line: u32) -> Run {
        let argument = match call.argument {
            Some(value) => self.value(value, line)?,
            None => Some(DEFAULT),
        };
        if call.procedure == WITH_CURSOR && self.scope().cursors.variable.is_some() {
            return Err(Stop::Unknown("a cursor parameter that has a cursor"));
        }
        let output = call.output.and_then(|local| self.scope().locals[local]);
        let levels = self.state.count;
        let program = self.program;
        let module = MODULES[call.procedure];
        let scope = Scope::new(Some(module), [argument, output, Some(5)]);
        let (scope, ended) = self.within(scope, &program.procedures[call.procedure]);
        let status = match ended {
            Err(Stop::Return(Some(status))) => status,
            // What it returns without a value is said of those that met no error.
            Ok(()) | Err(Stop::Return(None)) if call.status.is_some() && scope.met_error => {
                return Err(Stop::Unknown("the status of a procedure that met an error"));
            }
            Ok(()) | Err(Stop::Return(None)) => 0,
            Err(Stop::Scope { line }) if call.status.is_none() && call.output.is_none() => {
                return self.level_told(levels, line, Some(module));
            }
            Err(Stop::Scope { .. }) => return Err(Stop::Unknown("what an unbound procedure hands back")),
            Err(stop) => return Err(stop),
        };
        self.level_told(levels, 0, Some(module))?;
        if call.procedure == WITH_CURSOR {
            self.cursor_back(&scope)?;
        }
        if let Some(local) = call.output {
            self.scope().locals[local] = scope.locals[1];
        }
        if let Some(local) = call.status {
            self.scope().locals[local] = Some(status);
        }
        Ok(())
    }

    /// What the text selects goes into the journal; all of it is one statement.
    fn insert_exec(&mut self, source: &Statement) -> Run<i32> {
        let Kind::Text(body) = &source.kind else { unreachable!("INSERT ... EXEC has a text") };
        if self.state.doomed {
            return Err(Stop::Unknown("INSERT ... EXEC in a doomed transaction"));
        }
        if self.row_limit() < usize::MAX {
            return Err(Stop::Unknown("INSERT ... EXEC with SET ROWCOUNT"));
        }
        self.open_question("when INSERT ... EXEC begins its transaction")?;
        let (mark, epoch) = (self.state.mark(), self.state.epoch);
        let alone = self.state.count == 0;
        if alone {
            self.state.count = 1;
        }
        self.captured = Some(Vec::new());
        let before = self.events.len();
        let ended = self.text(body, 1);
        let rows = self.captured.take().expect("set above");
        if ended.is_ok() && self.unbound_since(before) {
            return Err(Stop::Unknown("an unbound text in INSERT ... EXEC"));
        }
        if std::mem::take(&mut self.captured_other) {
            return Err(Stop::Unknown("INSERT ... EXEC of other columns"));
        }
        if ended.is_ok() && self.state.doomed {
            return Err(Stop::Unknown("INSERT ... EXEC of a text that has doomed its transaction"));
        }
        if let Err(stop) = ended {
            if alone && self.state.count > 1 && self.state.epoch == epoch {
                return Err(Stop::Unknown("a transaction that a failed INSERT ... EXEC began"));
            }
            self.undo_statement(mark, epoch, alone);
            return Err(stop);
        }
        let rows: Vec<Row> = rows.iter().map(|row| (row[0].map(|it| it as i32), row[1].map(|it| it as i32))).collect();
        let count = rows.len() as i32;
        for row in rows {
            let key = self.next_number();
            self.put(Place::Pool(3), key, Some(row));
        }
        if alone && self.state.epoch == epoch {
            self.state.over();
            self.cursors.statement_over(false, self.options.is(Setting::CursorCloseOnCommit));
        }
        Ok(count)
    }
}
