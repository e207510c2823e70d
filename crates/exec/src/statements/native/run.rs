//! A run of a module's machine code: what it asks for, and what the interpreter does instead.

use std::collections::HashMap;
use std::sync::Arc;

use native::{Batch, Cells, Leave, Passed};
use sql::catalog::TableDef;
use sql::plan::{Query, QueryId, QueryKind, TableSource};
use storage::{IndexId, Isolation, LookUp, MemoryTable, Table};

use super::super::callee::{datum, number_of};
use super::super::code;
use super::super::failure::Unwind;
use super::super::measure::{Counters, Mark};
use super::super::run::{Flow, Runner, Try};
use super::call::Callees;
use super::form::{changed, folded, look_up};
use super::inserts::{Checked, Destination};
use super::joins::Opened;
use super::{NativeCode, Step};
use crate::context::RowSource as _;
use crate::expression::Scalar;
use crate::operators::{self, BaseScan};

/// What a look-up reads.
#[derive(Clone)]
struct Source {
    table: MemoryTable,
    look_up: LookUp,
    /// The row that was found last.
    locator: [u8; 16],
    /// It is found to be changed; when that began.
    changes: bool,
    begun: Option<Mark>,
}

/// A scan, and when its last run began.
struct Scanned {
    rows: BaseScan,
    /// Its rows are found to be changed.
    changes: bool,
    begun: Option<Mark>,
}

/// What one run compiles for the next, by the number of the INSERT, scan or join.
#[derive(Default)]
pub struct Kept {
    pub inserts: HashMap<usize, Checked>,
    scans: HashMap<usize, BaseScan>,
    pub joins: HashMap<usize, Opened>,
    pub callees: Callees,
    asked: Vec<Option<Scalar>>,
}

/// The level at which nothing that was read is looked at again.
pub const READS_ONLY: Isolation = Isolation::ReadCommitted;

/// A run of the machine code.
pub struct Run<'r, 'a> {
    pub runner: &'r mut Runner<'a>,
    pub native: &'r NativeCode,
    /// What earlier runs of this instance have compiled.
    pub kept: Box<Kept>,
    /// Of the INSERTs, of the look-ups and of the scans, once they have been opened.
    targets: Vec<Option<Destination>>,
    sources: Vec<Option<Source>>,
    scans: Vec<Option<Scanned>>,
    pub joins: Vec<Option<Opened>>,
    /// Of the rows that a scan gave last, if it is for changes, and of those that are to be changed.
    pub locators: Vec<[u8; 16]>,
    pub kept_rows: Vec<[u8; 16]>,
    /// When the values that are being computed were begun: conditions and assignments are not within one another.
    values_begun: Option<Mark>,
    /// TRY and CATCH blocks that have begun, the innermost last.
    tries: Vec<Try>,
    /// How the run left the code.
    end: Result<Flow, Unwind>,
}

impl<'r, 'a> Run<'r, 'a> {
    /// Runs the module's code, and gives back what it keeps.
    pub fn to_end(
        runner: &'r mut Runner<'a>,
        native: &'r NativeCode,
        kept: Box<Kept>,
    ) -> (Result<Flow, Unwind>, Box<Kept>) {
        let numbers = runner.context.variables.numbers();
        let program = &native.program;
        let mut run = Run {
            kept,
            targets: program.inserts().iter().map(|_| None).collect(),
            sources: vec![None; program.finds().len()],
            scans: program.scans().iter().map(|_| None).collect(),
            joins: program.joins().iter().map(|_| None).collect(),
            locators: Vec::new(),
            kept_rows: Vec::new(),
            values_begun: None,
            tries: Vec::new(),
            native,
            runner,
            end: Ok(Flow::Next),
        };
        program.run(&numbers, &mut run);
        let Run { mut kept, targets, scans, joins, end, .. } = run;
        let rows = targets.into_iter().enumerate();
        kept.inserts.extend(rows.filter_map(|(at, target)| Some((at, target?.checked))));
        for (at, scan) in scans.into_iter().enumerate() {
            if let Some(Scanned { mut rows, .. }) = scan {
                rows.close();
                kept.scans.insert(at, rows);
            }
        }
        for (at, join) in joins.into_iter().enumerate() {
            if let Some(mut join) = join {
                join.close();
                kept.joins.insert(at, join);
            }
        }
        (end, kept)
    }

    pub fn leave(&mut self, end: Result<Flow, Unwind>) -> Leave {
        self.end = end;
        Leave
    }

    pub fn query(&self, id: QueryId) -> Option<Arc<Query>> {
        Some(self.runner.queries[id.0 as usize].as_ref()?.query.clone())
    }

    /// Its definition stays as it is until the transaction ends. None: it is not the one that the code was made for, or cannot be had.
    pub fn open(&mut self, table: &TableDef, changes: bool) -> Option<Arc<Table>> {
        let runtime = self.runner.context.runtime.get_mut();
        let transaction = runtime.session.transaction.current.as_mut()?;
        let (db, object) = (storage::DatabaseId(table.database.0), storage::TableId(table.object.0));
        if changes {
            transaction.hold_table_to_change(db, object).ok()?;
            runtime.host.check_writable(table.database).ok()?;
        } else {
            transaction.hold_table(db, object, false).ok()?;
        }
        if runtime.host.catalog_version(runtime.session) != self.native.version {
            return None;
        }
        runtime.host.open_table(runtime.session, table).ok()
    }

    fn open_source(&mut self, find: u32) -> Option<Source> {
        let query = self.query(self.native.program.finds()[find as usize])?;
        let (plan, changes) = match &query.kind {
            QueryKind::SelectAssign { plan, .. } => (plan, false),
            QueryKind::Modify(modify) => (&modify.source, true),
            _ => return None,
        };
        let scan = folded(plan)?.scan;
        let opened = self.open(look_up(scan)?, changes)?;
        let Table::Memory(table) = &*opened else { return None };
        let transaction = self.runner.session().transaction.current.as_mut()?;
        if transaction.isolation() != READS_ONLY {
            return None;
        }
        let look_up = table.look_up(transaction, IndexId(scan.index)).ok()??;
        Some(Source { table: table.clone(), look_up, locator: [0; 16], changes, begun: None })
    }

    fn open_scan(&mut self, number: u32) -> Option<Scanned> {
        let query = self.query(self.native.program.scans()[number as usize])?;
        let (scan, changes) = match &query.kind {
            QueryKind::SelectAssign { plan, .. } => (folded(plan)?.scan, false),
            QueryKind::Modify(modify) => (changed(modify)?, true),
            _ => return None,
        };
        let TableSource::Base(table) = &scan.table else { return None };
        self.open(table, changes)?;
        let kept = self.kept.scans.remove(&(number as usize));
        let rows = kept.or_else(|| operators::base(scan, table, &mut code::compiler()).ok())?;
        Some(Scanned { rows, changes, begun: None })
    }
}

impl native::Runtime for Run<'_, '_> {
    fn step(&mut self, step: u32) -> Result<(), Leave> {
        let Step::Statement(code) = &self.native.steps[step as usize] else { panic!("a statement's step") };
        let end = self.runner.list(std::slice::from_ref(code));
        self.runner.session().identity_given = None;
        match end {
            Ok(Flow::Next) => Ok(()),
            end => Err(self.leave(end)),
        }
    }

    fn holds(&mut self, step: u32) -> Result<bool, Leave> {
        let Step::Condition(condition, line) = &self.native.steps[step as usize] else { panic!("a condition's step") };
        match self.runner.holds(condition, *line) {
            Ok(holds) => Ok(holds),
            Err(unwind) => Err(self.leave(Err(unwind))),
        }
    }

    fn insert(&mut self, insert: u32, image: &mut [u8]) -> bool {
        let at = insert as usize;
        if self.targets[at].is_none() {
            self.targets[at] = self.open_target(insert);
        }
        let query = self.native.program.inserts()[at];
        let mark = self.runner.counters_of(query).map(Counters::begin);
        let Run { runner, targets, .. } = self;
        let Some(destination) = &mut targets[at] else { return false };
        let done = destination.insert(runner, image).is_some();
        if done {
            runner.end_query(query, mark, 1);
        }
        done
    }

    fn find(&mut self, find: u32, key: &[i64]) -> Option<Option<&[u8]>> {
        let at = find as usize;
        if self.sources[at].is_none() {
            self.sources[at] = self.open_source(find);
        }
        let query = self.native.program.finds()[at];
        let mark = self.runner.counters_of(query).map(Counters::begin);
        let Run { runner, sources, .. } = self;
        let Source { table, look_up, locator, changes, begun } = sources[at].as_mut()?;
        let transaction = runner.session().transaction.current.as_mut()?;
        let found = table.find(transaction, *look_up, key).ok()?;
        match *changes && found.is_some() {
            true => *begun = mark,
            false => runner.end_query(query, mark, u64::from(found.is_some())),
        }
        Some(found.map(|(image, place)| {
            *locator = place;
            image
        }))
    }

    fn change(&mut self, find: u32, image: Option<&[u8]>) -> bool {
        let Run { runner, sources, .. } = self;
        let (Some(source), state) = (&mut sources[find as usize], &mut runner.session().transaction) else {
            return false;
        };
        let Some(transaction) = state.current.as_mut().filter(|_| !state.doomed) else { return false };
        transaction.begin_statement();
        let done = match image {
            Some(image) => source.table.update(transaction, &source.locator, image).is_ok(),
            None => source.table.delete(transaction, &source.locator).is_ok(),
        };
        if done {
            runner.end_query(self.native.program.finds()[find as usize], source.begun.take(), 1);
        }
        done
    }

    fn scan(
        &mut self,
        scan: u32,
        bounds: Option<&[Passed]>,
        rows_max: usize,
        batch: &mut Batch,
    ) -> Result<bool, Leave> {
        let at = scan as usize;
        if self.scans[at].is_none() {
            self.scans[at] = self.open_scan(scan);
        }
        let Run { runner, scans, .. } = self;
        let Some(Scanned { rows, begun, .. }) = &mut scans[at] else { return Ok(false) };
        if let Some(values) = bounds {
            self.kept_rows.clear();
            *begun = runner.counters_of(self.native.program.scans()[at]).map(Counters::begin);
            let state = &mut runner.session().transaction;
            let Some(transaction) = state.current.as_mut().filter(|_| !state.doomed) else { return Ok(false) };
            transaction.begin_statement();
            runner.context.statement_time.set(0);
            let opened = match values {
                [] => rows.open(&runner.context),
                values => rows.open_for(&runner.context, |at| values[at].get()),
            };
            if opened.is_err() {
                return Ok(false);
            }
        } else {
            self.turn()?;
        }
        let Run { runner, scans, locators, .. } = self;
        let Scanned { rows, changes, .. } = scans[at].as_mut().expect("opened above");
        if !*changes {
            return Ok(rows.images(&runner.context, rows_max, &mut |image, _| batch.push(image)).is_ok());
        }
        locators.clear();
        let mut give = |image: &[u8], locator| {
            locators.push(locator);
            batch.push(image);
        };
        Ok(rows.images(&runner.context, rows_max, &mut give).is_ok())
    }

    fn scanned(&mut self, scan: u32, rows: u64) {
        let begun = self.scans[scan as usize].as_mut().and_then(|scanned| scanned.begun.take());
        self.runner.end_query(self.native.program.scans()[scan as usize], begun, rows);
    }

    fn begin_join(&mut self, join: u32, first: bool) -> bool {
        if first {
            self.runner.context.statement_time.set(0);
        }
        self.begin(join as usize)
    }

    fn find_joined(&mut self, join: u32, level: u32, key: &[i64]) -> Option<Option<&[u8]>> {
        self.find_in(join as usize, level, key)
    }

    fn scan_joined(
        &mut self,
        join: u32,
        level: u32,
        outer: Option<&[Passed]>,
        rows_max: usize,
        batch: &mut Batch,
    ) -> Result<bool, Leave> {
        self.scan_in(join as usize, level, outer, rows_max, batch)
    }

    fn give(&mut self, join: u32, row: Cells<'_>) -> bool {
        self.gather(join as usize, row)
    }

    fn send(&mut self, join: u32) -> Result<(), Leave> {
        self.send_result(join as usize)
    }

    fn end_join(&mut self, join: u32, rows: u64) {
        self.end(join as usize, rows);
    }

    fn execute(&mut self, call: u32, arguments: &[Passed]) -> Result<bool, Leave> {
        self.procedure(call as usize, arguments)
    }

    fn function(&mut self, function: u32, arguments: &[Passed]) -> Option<Option<i64>> {
        self.value_of(function as usize, arguments)
    }

    fn ask(&mut self, asked: u32, first: bool) -> Option<Option<i64>> {
        let Run { runner, kept, native, .. } = self;
        let (at, all) = (asked as usize, native.program.asked());
        if kept.asked.is_empty() {
            kept.asked.resize_with(all.len(), || None);
        }
        let scalar = match &mut kept.asked[at] {
            Some(compiled) => compiled,
            none => none.insert(code::compiler().scalar(&all[at]).ok()?),
        };
        if first {
            runner.context.statement_time.set(0);
        }
        number_of(&scalar.scalar_datum(&runner.context).ok()?)
    }

    fn keep(&mut self, at: usize) {
        self.kept_rows.push(self.locators[at]);
    }

    fn change_rows(&mut self, scan: u32, images: Option<&mut dyn Iterator<Item = &[u8]>>) -> bool {
        self.change_all(scan as usize, images)
    }

    fn begin_values(&mut self, values: u32) {
        let query = self.native.program.values()[values as usize];
        self.values_begun = self.runner.counters_of(query).map(Counters::begin);
    }

    fn end_values(&mut self, values: u32) {
        let begun = self.values_begun.take();
        self.runner.end_query(self.native.program.values()[values as usize], begun, 1);
    }

    fn returns(&mut self, value: Option<i64>) -> bool {
        let status = match (self.runner.frame.function, value) {
            (Some(ty), value) => {
                self.runner.return_value = datum(value, &ty);
                0
            }
            (None, Some(status)) => status as i32,
            (None, None) => return false,
        };
        self.end = Ok(Flow::Return(status));
        true
    }

    fn begin_try(&mut self) {
        let begun = self.runner.begin_try();
        self.tries.push(begun);
    }

    fn end_try(&mut self) {
        self.tries.pop().expect("begun");
        self.runner.end_try();
    }

    fn catch(&mut self) -> Result<(), Leave> {
        self.runner.end_try();
        match std::mem::replace(&mut self.end, Ok(Flow::Next)) {
            Err(Unwind::Error(error)) => {
                let begun = self.tries.last().expect("begun");
                self.runner.begin_catch(begun, error);
                Ok(())
            }
            end => {
                self.tries.pop().expect("begun");
                Err(self.leave(end))
            }
        }
    }

    fn end_catch(&mut self, left: bool) {
        let begun = self.tries.pop().expect("begun");
        self.runner.end_catch(&begun, left && self.end.is_err());
    }

    fn turn(&mut self) -> Result<(), Leave> {
        let turned = self.runner.yield_point();
        turned.map_err(|unwind| self.leave(Err(unwind)))
    }

    fn set_row_count(&mut self, rows: u64) {
        let session = self.runner.session();
        session.row_count = rows;
        session.error = 0;
    }
}
