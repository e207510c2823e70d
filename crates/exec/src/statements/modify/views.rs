//! Indexed views: what a statement has done to the rows of a table is done to the views that are made of them, in the same statement.
//!
//! The view's query over the rows that are gone says what of the view goes, and over those that came what comes. Of a view with groups both
//! are sums, and a group whose count of rows becomes 0 goes. Tables that foreign keys change come one after the other, each when its rows
//! are written and before those below it are.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use sql::catalog::IndexKind;
use sql::plan::{self, ActionKind, ObjectRef, TableSource, ViewGrouping};
use types::key::KeyCodec;
use types::{Column, Datum, Physical, RowBatch, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::constraint::Lookup;
use super::target::{Changes, Part, Target, Verb};
use crate::columns;
use crate::context::{Context, GRANT_BYTES_MAX, RowSource, TriggerRows, out_of_memory};
use crate::expression::{Compiler, TableUse};
use crate::kernel;
use crate::operators::{self, encode_from};
use crate::workspace::Held;

/// Of a statement, of all tables that it may change.
pub struct Views(RefCell<Vec<ViewPlan>>);

struct ViewPlan {
    table: ObjectRef,
    /// No UPDATE of the statement sets a column that the view reads.
    spared: bool,
    target: Target,
    /// Columns of the clustered index.
    key: Vec<u16>,
    removed: Box<dyn RowSource>,
    added: Box<dyn RowSource>,
    grouping: Option<ViewGrouping>,
}

impl Views {
    pub fn new(modify: &plan::Modify, compiler: &mut Compiler) -> SqlResult<Views> {
        let one = |change: &plan::ViewChange| {
            compiler.tables.push((change.view.clone(), TableUse::Changes));
            let clustered = change.view.indexes.iter().find(|index| index.kind == IndexKind::Clustered);
            let key = &clustered.expect("an indexed view has a clustered index").key;
            Ok(ViewPlan {
                table: change.table,
                spared: is_spared(change, modify),
                target: Target::new(&TableSource::Base(change.view.clone())),
                key: key.iter().map(|(column, _)| *column).collect(),
                removed: operators::source(&change.removed, compiler)?,
                added: operators::source(&change.added, compiler)?,
                grouping: change.grouping.clone(),
            })
        };
        Ok(Views(RefCell::new(modify.views.iter().map(one).collect::<SqlResult<Vec<_>>>()?)))
    }

    /// Whether the rows that such actions change in the table are wanted.
    pub fn want(&self, target: &Target, mut verbs: impl Iterator<Item = Verb>) -> bool {
        let views = self.0.borrow();
        let mut own = views.iter().filter(|view| view.is_of(target)).peekable();
        own.peek().is_some() && verbs.any(|verb| verb != Verb::Update || own.any(|view| !view.spared))
    }

    /// The table's rows are written. `own`: by the statement itself, not by a foreign key.
    pub fn follow(&self, target: &Target, context: &mut Context, parts: &[Part], own: bool) -> SqlResult<()> {
        for view in self.0.borrow_mut().iter_mut().filter(|view| view.is_of(target)) {
            view.target.open(context)?;
            let result = view.follow(context, parts, own);
            view.removed.close();
            view.added.close();
            result?;
        }
        Ok(())
    }
}

/// Of what foreign keys set a view is never spared: it is seldom what it does not read.
fn is_spared(change: &plan::ViewChange, modify: &plan::Modify) -> bool {
    let TableSource::Base(table) = &modify.target else { return false };
    if change.reads.is_empty() || change.table != (table.database, table.object) {
        return false;
    }
    let is_read = |stored: u16| change.reads.iter().any(|column| table.stored[usize::from(*column)] == Some(stored));
    let reads_it = |action: &plan::ModifyAction| match &action.kind {
        ActionKind::Update { set, .. } => set.iter().any(|(stored, _)| is_read(*stored)),
        ActionKind::Insert(_) | ActionKind::Delete => false,
    };
    !modify.actions.iter().any(reads_it)
}

impl ViewPlan {
    fn is_of(&self, target: &Target) -> bool {
        target.is_base() && self.table == (target.def.database, target.def.object)
    }

    fn follow(&mut self, context: &mut Context, parts: &[Part], own: bool) -> SqlResult<()> {
        let mut delta = Delta::new(self);
        let spared = own && self.spared;
        for part in parts.iter().filter(|part| part.verb != Verb::Update || !spared) {
            let rows = TriggerRows {
                inserted: part.inserted.clone(),
                deleted: part.deleted.clone(),
                updated: Arc::default(),
                columns: Arc::default(),
                last_first: false,
            };
            let outer = context.trigger.replace(rows);
            let read = self.read(context, part, &mut delta);
            context.trigger = outer;
            read?;
        }
        match delta {
            Delta::Rows { removed, added, .. } if removed.rows + added.rows > 0 => {
                self.exchange(context, &removed, &added)
            }
            Delta::Groups { groups, .. } if !groups.is_empty() => self.add(context, groups),
            _ => Ok(()),
        }
    }

    fn read(&mut self, context: &Context, part: &Part, delta: &mut Delta) -> SqlResult<()> {
        for (source, rows, added) in
            [(&mut self.removed, &part.deleted, false), (&mut self.added, &part.inserted, true)]
        {
            if rows.is_empty() {
                continue;
            }
            source.open(context)?;
            let mut batch = self.target.rows();
            operators::drain(&mut **source, context, &mut batch, |batch| delta.note(context, batch, added))?;
        }
        Ok(())
    }

    /// Rows of a view without groups: the same row on both sides stays where it is.
    fn exchange(&self, context: &Context, removed: &RowBatch, added: &RowBatch) -> SqlResult<()> {
        let keys = Keys::new(&self.target.types, &self.key);
        let mut gone: BTreeMap<Vec<u8>, usize> = (0..removed.rows).map(|row| (keys.of(removed, row), row)).collect();
        let (mut new, mut changed) = (Vec::new(), Vec::new());
        for row in 0..added.rows {
            match gone.remove(&keys.of(added, row)) {
                None => new.push(row as u32),
                Some(old) if is_same(removed, old, added, row) => {}
                Some(old) => changed.push((old, row as u32)),
            }
        }
        let mut edit = Edit::new(&self.target);
        let lookup = Lookup::new(self.target.def.clone(), &self.key, context)?;
        for row in gone.into_values() {
            if !find(&lookup, context, &self.values(removed, row), &mut edit.gone, |_, _| true)? {
                return Err(self.missing(context));
            }
        }
        for (old, row) in changed {
            if !find(&lookup, context, &self.values(removed, old), &mut edit.old, |_, _| true)? {
                return Err(self.missing(context));
            }
            columns::append_batch_rows(&mut edit.changed, added, &[row]);
        }
        columns::append_batch_rows(&mut edit.new, added, &new);
        edit.write(&self.target, context)
    }

    /// Rows of a view with groups. The place of a group that is not there yet is held, so that nobody else makes it meanwhile.
    fn add(&self, context: &Context, groups: BTreeMap<Vec<u8>, Group>) -> SqlResult<()> {
        let Some(grouping) = &self.grouping else { return Ok(()) };
        let keys = Keys::new(&self.target.types, &grouping.groups);
        let mut edit = Edit::new(&self.target);
        let lookup = Lookup::new(self.target.def.clone(), &self.key, context)?.holding();
        for (key, group) in groups.into_iter().filter(|(_, group)| !group.is_nothing(grouping)) {
            let values: Vec<Datum> = self.key.iter().map(|column| group.row[usize::from(*column)].clone()).collect();
            let mut found = self.target.empty_rows();
            let count = usize::from(grouping.count);
            if !find(&lookup, context, &values, &mut found, |rows, row| keys.of(rows, row) == key)? {
                if group.row[count].as_i64() <= 0 {
                    return Err(self.missing(context));
                }
                push(&mut edit.new, &self.checked(group.row)?);
                continue;
            }
            let mut row: Vec<Datum> = (0..self.target.width()).map(|column| found.columns[column].datum(0)).collect();
            for column in grouping.sums.iter().chain([&grouping.count]).map(|column| usize::from(*column)) {
                row[column] = sum(&self.target.types[column], &row[column], &group.row[column], false)?;
            }
            match row[count].as_i64() {
                ..0 => return Err(self.missing(context)),
                0 => columns::append_batch(&mut edit.gone, &found),
                1.. => {
                    columns::append_batch(&mut edit.old, &found);
                    push(&mut edit.changed, &self.checked(row)?);
                }
            }
        }
        edit.write(&self.target, context)
    }

    fn values(&self, rows: &RowBatch, row: usize) -> Vec<Datum> {
        self.key.iter().map(|column| rows.columns[usize::from(*column)].datum(row)).collect()
    }

    /// 8115: what a group sums up to does not fit any more.
    fn checked(&self, row: Vec<Datum>) -> SqlResult<Vec<Datum>> {
        for (value, ty) in row.iter().zip(&self.target.types) {
            if let (Datum::I64(value), TypeKind::Int) = (value, ty.kind)
                && i32::try_from(*value).is_err()
            {
                return Err(overflow(ty));
            }
        }
        Ok(row)
    }

    /// 8646
    fn missing(&self, context: &Context) -> SqlError {
        sql_error!(8646, 1, self.target.def.object.0, self.target.database_name(context))
    }
}

/// What the view's query makes of a statement's rows.
enum Delta {
    Rows { removed: RowBatch, added: RowBatch, held: Held },
    Groups { keys: Keys, grouping: ViewGrouping, types: Vec<SqlType>, groups: BTreeMap<Vec<u8>, Group>, held: Held },
}

/// A row of the view: its sums and its count are what they grow by.
struct Group {
    row: Vec<Datum>,
}

impl Group {
    fn is_nothing(&self, grouping: &ViewGrouping) -> bool {
        let is_zero = |value: &Datum| matches!(value, Datum::I64(0) | Datum::I128(0) | Datum::F64(0.0));
        grouping.sums.iter().chain([&grouping.count]).all(|column| is_zero(&self.row[usize::from(*column)]))
    }
}

impl Delta {
    fn new(view: &ViewPlan) -> Delta {
        let rows = || view.target.rows();
        match &view.grouping {
            None => Delta::Rows { removed: rows(), added: rows(), held: Held::default() },
            Some(grouping) => Delta::Groups {
                keys: Keys::new(&view.target.types, &grouping.groups),
                grouping: grouping.clone(),
                types: view.target.types.clone(),
                groups: BTreeMap::new(),
                held: Held::default(),
            },
        }
    }

    /// 701
    fn note(&mut self, context: &Context, batch: &RowBatch, is_added: bool) -> SqlResult<()> {
        match self {
            Delta::Rows { removed, added, held } => {
                columns::append_batch(if is_added { added } else { removed }, batch);
                let bytes = columns::batch_bytes(removed) + columns::batch_bytes(added);
                hold(context, held, bytes)
            }
            Delta::Groups { keys, grouping, types, groups, held } => {
                let sums: Vec<usize> =
                    grouping.sums.iter().chain([&grouping.count]).map(|column| usize::from(*column)).collect();
                for row in 0..batch.rows {
                    let key = keys.of(batch, row);
                    let group = groups.entry(key).or_insert_with(|| {
                        let mut values: Vec<Datum> = batch.columns.iter().map(|column| column.datum(row)).collect();
                        sums.iter().for_each(|&column| values[column] = zero(&types[column]));
                        Group { row: values }
                    });
                    for &column in &sums {
                        let value = batch.columns[column].datum(row);
                        group.row[column] = sum(&types[column], &group.row[column], &value, !is_added)?;
                    }
                }
                let width = types.len() * size_of::<Datum>();
                hold(context, held, groups.len() * (width + GROUP_BYTES))
            }
        }
    }
}

/// Of a group in memory, besides its row: its key, what its values have elsewhere.
const GROUP_BYTES: usize = 128;

/// 701
fn hold(context: &Context, held: &mut Held, bytes: usize) -> SqlResult<()> {
    if bytes > GRANT_BYTES_MAX {
        return Err(out_of_memory());
    }
    context.force(held, bytes)
}

/// Keys of some columns of the view's rows, as one may compare them.
struct Keys(Vec<(usize, KeyCodec)>);

impl Keys {
    fn new(types: &[SqlType], columns: &[u16]) -> Keys {
        let columns = columns.iter().map(|column| usize::from(*column));
        Keys(columns.map(|column| (column, KeyCodec::new(&types[column], false))).collect())
    }

    fn of(&self, rows: &RowBatch, row: usize) -> Vec<u8> {
        let mut key = Vec::new();
        for (column, codec) in &self.0 {
            encode_from(codec, &rows.columns[*column], row, &mut key);
        }
        key
    }
}

/// Appends the row of the key that `is_it` to `out`, with its locator. False: there is none.
fn find(
    lookup: &Lookup,
    context: &Context,
    key: &[Datum],
    out: &mut RowBatch,
    is_it: impl Fn(&RowBatch, usize) -> bool,
) -> SqlResult<bool> {
    let mut found = false;
    lookup.read(context, key, true, |batch| {
        let row = (0..batch.rows).find(|row| is_it(batch, *row));
        if let Some(row) = row {
            columns::append_batch_rows(out, batch, &[row as u32]);
            found = true;
        }
        !found
    })?;
    Ok(found)
}

/// What is to be written of a view.
struct Edit {
    /// With their locators, as `old` has them.
    gone: RowBatch,
    old: RowBatch,
    changed: RowBatch,
    new: RowBatch,
}

impl Edit {
    fn new(target: &Target) -> Edit {
        Edit { gone: target.empty_rows(), old: target.empty_rows(), changed: target.rows(), new: target.rows() }
    }

    /// Keys that go may come again. 2601: of the view and its index.
    fn write(mut self, target: &Target, context: &Context) -> SqlResult<()> {
        let split = |rows: &mut RowBatch| -> Column { rows.columns.pop().expect("found with its locator") };
        let (gone, old) = (split(&mut self.gone), split(&mut self.old));
        if self.gone.rows > 0 {
            target.delete(context, &self.gone, &gone, &mut Changes::none())?;
        }
        if self.old.rows > 0 {
            target.update(context, &self.old, &self.changed, &old, true, &mut Changes::none())?;
        }
        if self.new.rows > 0 {
            target.insert(context, &self.new, &mut Changes::none())?;
        }
        Ok(())
    }
}

fn is_same(left: &RowBatch, at: usize, right: &RowBatch, row: usize) -> bool {
    left.columns.iter().zip(&right.columns).all(|(left, right)| left.datum(at) == right.datum(row))
}

fn push(rows: &mut RowBatch, values: &[Datum]) {
    rows.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    rows.rows += 1;
}

fn zero(ty: &SqlType) -> Datum {
    match ty.physical() {
        Physical::I64 => Datum::I64(0),
        Physical::F64 => Datum::F64(0.0),
        Physical::I128 => Datum::I128(0),
        Physical::Bytes => Datum::Null,
    }
}

/// 8115. Nothing of a sum is NULL: SUM of what may be is no part of an indexed view.
fn sum(ty: &SqlType, left: &Datum, right: &Datum, negative: bool) -> SqlResult<Datum> {
    let sum = match (left, right) {
        (Datum::I64(left), Datum::I64(right)) => {
            let sum = if negative { left.checked_sub(*right) } else { left.checked_add(*right) };
            sum.map(Datum::I64)
        }
        (Datum::I128(left), Datum::I128(right)) => {
            let sum = if negative { left.checked_sub(*right) } else { left.checked_add(*right) };
            sum.filter(|sum| sum.unsigned_abs() < 10_u128.pow(u32::from(ty.precision))).map(Datum::I128)
        }
        (Datum::F64(left), Datum::F64(right)) => {
            let sum = if negative { left - right } else { left + right };
            sum.is_finite().then_some(Datum::F64(sum))
        }
        (left, _) => Some(left.clone()),
    };
    sum.ok_or_else(|| overflow(ty))
}

#[cold]
fn overflow(ty: &SqlType) -> SqlError {
    sql_error!(8115, "expression", kernel::type_name(ty.kind))
}
