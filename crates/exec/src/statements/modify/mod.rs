//! INSERT, UPDATE, DELETE and MERGE: rows of the source become changes of the target, checked, with triggers and OUTPUT.
//!
//! Work goes batch by batch: new values are computed a column at a time, then each row's image goes to storage. What only the
//! statement as a whole can answer (references from other tables, triggers, OUTPUT) is collected and done at the end.

mod unread;
mod seen;
mod versions;
mod target;
mod barrier;
mod trigger;
mod required_options;
mod constraint;
mod views;
mod cascade;

use std::sync::Arc;

use sql::catalog::TableDef;
use sql::plan::{self, ActionKind, Expr, OperatorKind, TableSource, VariableSlot};
use types::collation::code_page;
use types::{Column, ColumnData, Datum, Physical, RowBatch, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, I64Expr, Scalar, TableUse, fill, holds};
use crate::kernel;
use crate::operators::{self, batch_of};
use crate::session::{Unchecked, stopped};
use crate::sink::Command;
use crate::value::Row;
use crate::workspace::Held;

use barrier::Barriers;
use cascade::Cascade;
pub use constraint::Parents;
use seen::Seen;
pub use target::Changes;
pub use target::Target;
use target::Verb;
use trigger::Firing;
use views::Views;

pub struct ModifyPlan {
    source: Box<dyn RowSource>,
    source_batch: RowBatch,
    /// The new rows of the last INSERT, for their buffers.
    new_batch: RowBatch,
    source_types: Vec<SqlType>,
    target: Target,
    actions: Vec<Action>,
    merge: bool,
    verb: &'static str,
    checks: Vec<(plan::Check, I64Expr)>,
    cascades: Vec<Cascade>,
    views: Views,
    output: Option<OutputPlan>,
    top: Option<Scalar>,
    current_of: Option<plan::CursorRef>,
    /// The source may give a target row more than once.
    may_repeat: bool,
    /// SET options have to be as an index needs them.
    needs_options: bool,
    /// The change that FROM has, whose OUTPUT are the source's rows.
    nested: Option<Box<ModifyPlan>>,
}

struct Action {
    condition: Option<I64Expr>,
    kind: Kind,
    barriers: Barriers,
}

enum Kind {
    Insert(NewRow),
    Update { set: Vec<(u16, Assignment)>, computed: Vec<(u16, Scalar)>, assign: Vec<SetVariable> },
    Delete,
}

/// See `plan::NewRow`.
struct NewRow {
    values: Vec<Option<Assignment>>,
    computed: Vec<(u16, Scalar)>,
}

/// See `plan::SetVariable`.
struct SetVariable {
    slot: VariableSlot,
    value: Scalar,
    column: Option<u16>,
    after: usize,
}

/// A value for a column. Strings that are too long are an error here, not cut as in a variable.
struct Assignment {
    scalar: Scalar,
    /// Bytes the column holds, if the value may be longer.
    limit: Option<u16>,
    /// What fills a shorter value up to the limit.
    pad: Option<&'static [u8]>,
}

/// OUTPUT goes to the client when it is so much: of a short statement that fails there is none.
const OUTPUT_BYTES: usize = 256 << 10;

struct OutputPlan {
    exprs: Vec<Scalar>,
    columns: Vec<plan::OutputColumn>,
    to_client: bool,
    /// All of it is kept, for the statement around this one.
    collects: bool,
    into: Option<(Target, NewRow, Barriers)>,
    /// The rows that went into that table, where indexed views are made of them.
    inserted: Changes,
    rows: RowBatch,
    held: Held,
}

impl NewRow {
    fn new(row: &plan::NewRow, columns: &[SqlType], compiler: &mut Compiler) -> SqlResult<NewRow> {
        let one = |(expr, ty): (&Option<Expr>, &SqlType)| {
            expr.as_ref().map(|expr| Assignment::new(expr, ty, compiler)).transpose()
        };
        let values = row.values.iter().zip(columns).map(one).collect::<SqlResult<Vec<_>>>()?;
        Ok(NewRow { values, computed: computed_scalars(&row.computed, compiler)? })
    }
}

impl Assignment {
    /// The binder leaves a string or binary that may be too long for `column` at its own length.
    fn new(expr: &Expr, column: &SqlType, compiler: &mut Compiler) -> SqlResult<Assignment> {
        let scalar = compiler.scalar(expr)?;
        let sized = |ty: &SqlType| ty.is_string() || ty.is_binary();
        if column.is_max() || !sized(column) || !sized(&expr.ty) || expr.ty.length <= column.length {
            return Ok(Assignment { scalar, limit: None, pad: None });
        }
        let pad: Option<&'static [u8]> = match column.kind {
            TypeKind::Char => Some(b" "),
            TypeKind::NChar => Some(b" \0"),
            TypeKind::Binary => Some(b"\0"),
            _ => None,
        };
        Ok(Assignment { scalar, limit: Some(column.length), pad })
    }

    /// Appends the values for every row of `batch`.
    fn fill(
        &self,
        context: &Context,
        batch: &RowBatch,
        out: &mut Column,
        refuse: impl Fn(&[u8]) -> SqlError,
    ) -> SqlResult<()> {
        let Some(limit) = self.limit else { return fill(&self.scalar, context, batch, out) };
        let ty = self.scalar.ty;
        let mut bytes = Vec::new();
        for index in 0..batch.rows {
            let Some(value) = self.scalar.value(context, Row { batch, index })?.bytes() else {
                out.push_null();
                continue;
            };
            let limit = limit as usize;
            if value.len() > limit
                && !kernel::only_blanks(&ty, &value[limit..])
                && context.session(|session| session.options.ansi_warnings)
            {
                return Err(refuse(&value[..limit]));
            }
            // Fixed kinds are padded here, so that OUTPUT and CHECK see the row as it is stored.
            bytes.clear();
            let end = match value.len() > limit && ty.is_ansi_string() {
                true => code_page::floor_boundary(ty.collation.code_page(), &value, limit),
                false => value.len().min(limit),
            };
            bytes.extend_from_slice(&value[..end]);
            if let Some(pad) = self.pad {
                bytes.extend(pad.iter().cycle().take(limit - bytes.len()));
            }
            out.push_bytes(&bytes);
            if self.scalar.as_constant().is_some() {
                let ColumnData::Bytes { ends, bytes: all } = &mut out.data else { unreachable!("just pushed") };
                for _ in index + 1..batch.rows {
                    all.extend_from_slice(&bytes);
                    ends.push(all.len() as u32);
                }
                break;
            }
        }
        Ok(())
    }
}

impl ModifyPlan {
    pub fn new(modify: &plan::Modify, compiler: &mut Compiler) -> SqlResult<ModifyPlan> {
        if let TableSource::Base(table) = &modify.target {
            compiler.tables.push((table.clone(), TableUse::Changes));
        }
        let mut target = Target::new(&modify.target);
        let actions = modify.actions.iter().map(|action| {
            let kind = match &action.kind {
                ActionKind::Insert(row) => Kind::Insert(NewRow::new(row, &target.types, compiler)?),
                ActionKind::Update { set, computed, assign } => Kind::Update {
                    set: set
                        .iter()
                        .map(|(column, expr)| {
                            Ok((*column, Assignment::new(expr, &target.types[usize::from(*column)], compiler)?))
                        })
                        .collect::<SqlResult<Vec<_>>>()?,
                    computed: computed_scalars(computed, compiler)?,
                    assign: assign
                        .iter()
                        .map(|set| {
                            let value = compiler.scalar(&set.value)?;
                            Ok(SetVariable { slot: set.slot, value, column: set.column, after: set.after })
                        })
                        .collect::<SqlResult<Vec<_>>>()?,
                },
                ActionKind::Delete => Kind::Delete,
            };
            let barriers = Barriers::new(&action.barriers, compiler)?;
            Ok(Action { condition: compiler.optional_predicate(&action.condition)?, kind, barriers })
        });
        let actions = actions.collect::<SqlResult<Vec<_>>>()?;
        let checks = modify
            .checks
            .iter()
            .map(|check| Ok((check.clone(), compiler.predicate(&check.predicate)?)))
            .collect::<SqlResult<Vec<_>>>()?;
        let output = modify.output.as_ref().map(|output| -> SqlResult<OutputPlan> {
            Ok(OutputPlan {
                exprs: compiler.scalars(&output.exprs)?,
                columns: output.columns.clone(),
                to_client: output.to_client,
                collects: false,
                into: match &output.into {
                    None => None,
                    Some(into) => {
                        let target = Target::new(&into.target);
                        let row = NewRow::new(&into.row, &target.types, compiler)?;
                        Some((target, row, Barriers::new(&into.barriers, compiler)?))
                    }
                },
                inserted: Changes::none(),
                rows: RowBatch::new(output.exprs.iter().map(|expr| expr.ty.physical())),
                held: Held::default(),
            })
        });
        let source = match (unread::unread(modify, &target), &modify.target) {
            (Some((scan, columns)), TableSource::Base(table)) => {
                target.unread = columns;
                operators::source_without(scan, table, &target.unread, compiler)?
            }
            _ => operators::source(&modify.source, compiler)?,
        };
        let nested = match compiler.nested.take() {
            None => None,
            Some(nested) => Some(Box::new(ModifyPlan::nested(&nested, compiler)?)),
        };
        Ok(ModifyPlan {
            source,
            nested,
            source_batch: batch_of(&modify.source),
            new_batch: RowBatch::default(),
            source_types: modify.source.columns.iter().map(|column| column.ty).collect(),
            target,
            merge: modify.verb == "MERGE",
            may_repeat: !reads_one_table(&modify.source),
            needs_options: matches!(&modify.target, TableSource::Base(table) if required_options::has_them(table)),
            actions,
            verb: modify.verb,
            checks,
            cascades: Cascade::list(&modify.cascades, compiler)?,
            views: Views::new(modify, compiler)?,
            output: output.transpose()?,
            top: modify.top.as_ref().map(|top| compiler.scalar(top)).transpose()?,
            current_of: modify.current_of.clone(),
        })
    }

    /// The same, with its OUTPUT for the statement around it.
    fn nested(modify: &plan::Modify, compiler: &mut Compiler) -> SqlResult<ModifyPlan> {
        let mut plan = ModifyPlan::new(modify, compiler)?;
        if let Some(output) = &mut plan.output {
            (output.to_client, output.collects) = (false, true);
        }
        Ok(plan)
    }

    pub fn close(&mut self) {
        self.source.close();
        if let Some(nested) = &mut self.nested {
            nested.close();
        }
        if let Some(output) = &mut self.output {
            output.rows.clear();
            output.held.clear();
        }
    }

    /// What an INSERT ... EXEC's rows are converted to.
    pub fn source_types(&self) -> Vec<SqlType> {
        self.source_types.clone()
    }

    pub fn table(&self) -> &TableDef {
        &self.target.def
    }

    pub fn command(&self) -> Command {
        match self.verb {
            "INSERT" => Command::Insert,
            "UPDATE" => Command::Update,
            "DELETE" => Command::Delete,
            _ => Command::Merge,
        }
    }

    /// The table whose rows it changes.
    pub fn source_of_rows(&self) -> &TableSource {
        self.target.source()
    }

    pub fn current_of(&self) -> Option<&plan::CursorRef> {
        self.current_of.as_ref()
    }
}

/// Each row of the target comes at most once.
fn reads_one_table(operator: &plan::Operator) -> bool {
    match &operator.kind {
        OperatorKind::Scan(_) | OperatorKind::Values(_) => true,
        OperatorKind::Filter { input, .. } | OperatorKind::Project { input, .. } | OperatorKind::Sort { input, .. } => {
            reads_one_table(input)
        }
        OperatorKind::Spool(input) => reads_one_table(input),
        OperatorKind::IndexSpool(spool) => reads_one_table(&spool.input),
        OperatorKind::Sharing { input, .. } => reads_one_table(input),
        OperatorKind::Top(top) => reads_one_table(&top.input),
        OperatorKind::NestedLoops(join) => {
            matches!(join.kind, plan::JoinKind::Semi | plan::JoinKind::Anti) && reads_one_table(&join.outer)
        }
        OperatorKind::HashJoin(join) => {
            matches!(join.kind, plan::JoinKind::Semi | plan::JoinKind::Anti) && reads_one_table(&join.left)
        }
        _ => false,
    }
}

/// Which row WHERE CURRENT OF means.
pub enum CurrentRow {
    /// Its locator.
    At(Box<[u8]>),
    /// Columns of the table with the values of a unique key.
    Key(Vec<(usize, Datum)>),
}

/// One run of the statement. Returns the rows affected. `only`: the one row it is about (WHERE CURRENT OF).
pub fn run(plan: &mut ModifyPlan, context: &mut Context, only: Option<&CurrentRow>) -> SqlResult<u64> {
    let limit = match &plan.top {
        None => u64::MAX,
        Some(top) => match top.scalar_value(context)?.i64() {
            Some(limit) if limit >= 0 => limit as u64,
            Some(_) => return Err(sql_error!(127)),
            None => return Err(sql_error!(1014)),
        },
    };
    let limit = match context.session(|session| session.options.row_count) {
        0 => limit,
        set => limit.min(set),
    };
    if let Some(CurrentRow::At(locator)) = only
        && plan.source_types.len() == plan.target.width() + 1
        && plan.target.is_base()
        && !plan.target.is_filtered()
    {
        // Nothing but the row itself is read, and its place is known.
        let mut run = Run::start(plan, context)?;
        let mut batch = std::mem::take(&mut plan.source_batch);
        batch.clear();
        let result = match plan.target.fetch(context, locator, &mut batch) {
            Ok(true) => run.batch(plan, context, &batch),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        plan.source_batch = batch;
        result?;
        return run.finish(plan, context);
    }
    if let Some(nested) = &mut plan.nested {
        self::run(nested, context, None)?;
        if let Some(output) = &mut nested.output {
            let empty = RowBatch::new(output.exprs.iter().map(|expr| expr.ty.physical()));
            *context.given.get_mut() = std::mem::replace(&mut output.rows, empty);
        }
    }
    plan.source.open(context)?;
    let mut run = Run::start(plan, context)?;
    let mut left = limit;
    let mut batch = std::mem::take(&mut plan.source_batch);
    let result = (|| {
        while left > 0 {
            plan.source.next(context, left.min(BATCH_ROWS as u64) as usize, &mut batch)?;
            if batch.rows == 0 {
                break;
            }
            left = left.saturating_sub(batch.rows as u64);
            match only {
                None => run.batch(plan, context, &batch)?,
                Some(only) => {
                    let is_it = |row: usize| match only {
                        CurrentRow::At(locator) => batch.columns[plan.target.width()].bytes(row) == &**locator,
                        CurrentRow::Key(key) => (0..plan.target.width()).all(|stored| {
                            let column = plan.target.column_of(stored);
                            let wanted = key.iter().find(|(of_key, _)| *of_key == column);
                            wanted.is_none_or(|(_, value)| batch.columns[stored].datum(row) == *value)
                        }),
                    };
                    let mut found: Vec<u32> = (0..batch.rows as u32).filter(|&row| is_it(row as usize)).collect();
                    if !found.is_empty() {
                        // Of rows that are the same in all columns it is one.
                        if matches!(only, CurrentRow::Key(_)) {
                            found.truncate(1);
                            left = 0;
                        }
                        let mut row = RowBatch::new(batch.columns.iter().map(columns::class_of));
                        columns::append_batch_rows(&mut row, &batch, &found);
                        run.batch(plan, context, &row)?;
                    }
                }
            }
            context.yield_point()?;
        }
        Ok(())
    })();
    plan.source_batch = batch;
    if plan.nested.is_some() {
        *context.given.get_mut() = RowBatch::default();
    }
    result?;
    run.finish(plan, context)
}

/// Rows of an INSERT ... EXEC's call, as `next` fills them into an empty batch; false: there are no more.
pub fn run_rows(
    plan: &mut ModifyPlan,
    context: &mut Context,
    types: &[SqlType],
    mut next: impl FnMut(&Context, &mut RowBatch) -> SqlResult<bool>,
) -> SqlResult<u64> {
    let mut run = Run::start(plan, context)?;
    let mut rows = columns::batch_for(types);
    while next(context, &mut rows)? {
        run.batch(plan, context, &rows)?;
        rows.clear();
    }
    run.finish(plan, context)
}

/// SELECT INTO: all rows of `source` into a new table, whose columns are the source's.
pub fn insert_all(
    table: &Arc<TableDef>,
    source: &mut dyn RowSource,
    context: &mut Context,
    batch: &mut RowBatch,
) -> SqlResult<u64> {
    let mut target = Target::new(&TableSource::Base(table.clone()));
    target.open(context)?;
    source.open(context)?;
    let mut rows = 0;
    let mut load = target.begin_load(context);
    operators::drain(source, context, batch, |batch| {
        rows += batch.rows as u64;
        context.reads(table, 0);
        if let Some(identity) = target.identity {
            target.identity_given(context, &batch.columns[identity])?;
        }
        target.load(context, batch, &mut load)
    })?;
    target.end_load(context, load)?;
    Ok(rows)
}

/// What a run of the statement collects.
struct Run {
    affected: u64,
    changes: Changes,
    seen: Seen,
    /// Of those, what MERGE has deleted.
    gone: Seen,
    last_identity: Option<(SqlType, i128)>,
    instead_of: bool,
    unchecked: Unchecked,
    /// Columns that an UPDATE sets, where triggers fire.
    updated: Vec<bool>,
    /// None: no unique key may change.
    moved: Option<Box<Moved>>,
}

/// What is written together at the statement's end, so that keys may be exchanged within it.
struct Moved {
    /// Updated rows whose unique keys may have changed, before and after.
    before: RowBatch,
    after: RowBatch,
    locators: Column,
    /// New rows of a MERGE: they come after those, and may take the keys that the others gave up.
    late: RowBatch,
    held: Held,
}

impl Moved {
    fn new(target: &Target) -> Moved {
        Moved {
            before: target.rows(),
            after: target.rows(),
            locators: Column::new(Physical::Bytes),
            late: target.rows(),
            held: Held::default(),
        }
    }

    /// 701.
    fn hold(&mut self, context: &Context) -> SqlResult<()> {
        let moved = columns::batch_bytes(&self.before) + columns::batch_bytes(&self.after);
        let bytes = moved + columns::column_bytes(&self.locators) + columns::batch_bytes(&self.late);
        if bytes > crate::context::GRANT_BYTES_MAX {
            return Err(crate::context::out_of_memory());
        }
        context.force(&mut self.held, bytes)
    }
}

impl Run {
    fn start(plan: &mut ModifyPlan, context: &Context) -> SqlResult<Run> {
        if plan.needs_options {
            required_options::check(context, plan.verb)?;
        }
        plan.target.open(context)?;
        if let Some(output) = &mut plan.output {
            output.rows.clear();
            if let Some((target, ..)) = &mut output.into {
                target.open(context)?;
                if plan.views.want(target, [Verb::Insert].into_iter()) {
                    output.inserted = Changes::new(target, false, true);
                }
            }
            // Before any row: a client whose statement then fails has begun to read a result.
            if output.to_client {
                let mut runtime = context.runtime();
                runtime.may_answer()?;
                let sent = match runtime.session.options.forgives_arithmetic() {
                    true => runtime.sink.columns(&columns::nullable(&output.columns)),
                    false => runtime.sink.columns(&output.columns),
                };
                sent.map_err(stopped)?;
            }
        }
        let unchecked = context.session(|session| std::mem::take(&mut session.unchecked));
        plan.target.takes_orphans = unchecked.constraints;
        let fires = !unchecked.triggers && !plan.target.def.triggers.is_empty();
        let mut updated = vec![false; if fires { plan.target.def.columns.len() } else { 0 }];
        for action in plan.actions.iter().filter(|_| fires) {
            match &action.kind {
                Kind::Update { set, .. } => {
                    for (stored, _) in set {
                        updated[plan.target.column_of(*stored as usize)] = true;
                    }
                }
                Kind::Insert(_) | Kind::Delete => {}
            }
        }
        let verbs = plan.actions.iter().map(|action| action.verb());
        let keys = |column: u16| {
            plan.target.def.indexes.iter().filter(|index| index.unique).any(|index| {
                index.key.iter().any(|key| key.0 == column) || index.filter.iter().any(|term| term.column == column)
            })
        };
        let moves = plan.actions.iter().any(|action| match &action.kind {
            Kind::Update { set, computed, .. } => {
                let mut stored =
                    set.iter().map(|(stored, _)| *stored).chain(computed.iter().map(|(stored, _)| *stored));
                stored.any(|stored| keys(plan.target.column_of(stored.into()) as u16))
            }
            _ => false,
        });
        let instead_of =
            plan.target.is_view() || fires && trigger::instead_of(&plan.target.def, verbs.clone(), context);
        let triggers = instead_of || fires && trigger::any_after(&plan.target.def, verbs.clone());
        let all = triggers || plan.views.want(&plan.target, verbs);
        let keep = all || plan.target.needs_old_rows();
        Ok(Run {
            affected: 0,
            changes: Changes::new(&plan.target, keep, all),
            seen: Seen::default(),
            gone: Seen::default(),
            last_identity: None,
            instead_of,
            unchecked,
            updated,
            moved: moves.then(|| Box::new(Moved::new(&plan.target))),
        })
    }

    fn batch(&mut self, plan: &mut ModifyPlan, context: &mut Context, batch: &RowBatch) -> SqlResult<()> {
        if plan.target.is_base() {
            context.reads(&plan.target.def, 0);
        }
        if let [Action { condition: None, kind: Kind::Insert(_), .. }] = plan.actions[..] {
            return self.act(plan, 0, context, batch);
        }
        let mut chosen: Vec<Vec<u32>> = vec![Vec::new(); plan.actions.len()];
        for index in 0..batch.rows {
            for (at, action) in plan.actions.iter().enumerate() {
                let applies = match &action.condition {
                    None => true,
                    Some(condition) => holds(condition.eval(context, Row { batch, index })?),
                };
                if applies {
                    chosen[at].push(index as u32);
                    break;
                }
            }
        }
        for (at, mut rows) in chosen.into_iter().enumerate() {
            if rows.is_empty() {
                continue;
            }
            if !matches!(plan.actions[at].kind, Kind::Insert(_))
                && (plan.merge || plan.may_repeat)
                && !plan.target.is_view()
            {
                self.drop_repeated(plan, at, context, batch, &mut rows)?;
            }
            if rows.len() == batch.rows {
                self.act(plan, at, context, batch)?;
            } else {
                self.act(plan, at, context, &chosen_rows(batch, &rows))?;
            }
        }
        Ok(())
    }

    /// A row is changed once: UPDATE and DELETE take the first. MERGE says 8672 of what it updates and changes again; that a row is to go
    /// more than once is no harm.
    fn drop_repeated(
        &mut self,
        plan: &ModifyPlan,
        at: usize,
        context: &Context,
        batch: &RowBatch,
        rows: &mut Vec<u32>,
    ) -> SqlResult<()> {
        let locators = &batch.columns[plan.target.width()];
        let deletes = plan.merge && matches!(plan.actions[at].kind, Kind::Delete);
        let mut twice = false;
        rows.retain(|row| {
            let locator = locators.bytes(*row as usize);
            let new = self.seen.insert(locator);
            let is_gone = deletes && !self.gone.insert(locator);
            twice |= !new && !is_gone;
            new
        });
        if twice && plan.merge {
            return Err(sql_error!(8672));
        }
        self.gone.count(context)?;
        self.seen.count(context)
    }

    fn act(&mut self, plan: &mut ModifyPlan, at: usize, context: &mut Context, batch: &RowBatch) -> SqlResult<()> {
        let verb = plan.actions[at].verb();
        let width = plan.target.width();
        let part;
        let mut batch = batch;
        let (new, old) = match &plan.actions[at].kind {
            Kind::Insert(row) => {
                let mut new = std::mem::take(&mut plan.new_batch);
                self.new_rows(&plan.target, row, context, batch, &mut new)?;
                if !self.unchecked.constraints && !self.instead_of {
                    check_rows(&plan.target, &plan.checks, context, &new, plan.verb)?;
                }
                if self.instead_of {
                    self.changes.note(context, Some(&new), None)?;
                } else if let Some(moved) = &mut self.moved {
                    columns::append_batch(&mut moved.late, &new);
                    moved.hold(context)?;
                } else if plan.target.ignores_duplicates() && !plan.merge {
                    let kept = plan.target.insert_new(context, &new)?;
                    if kept.len() < new.rows {
                        new = chosen_rows(&new, &kept);
                        part = chosen_rows(batch, &kept);
                        batch = &part;
                    }
                    self.changes.note(context, Some(&new), None)?;
                } else {
                    plan.target.insert(context, &new, &mut self.changes)?;
                }
                (Some(new), None)
            }
            Kind::Update { set, computed, assign } => {
                let old = prefix(batch, width);
                let mut new = old.clone();
                match assign[..] {
                    [] => set_values(&plan.target, set, context, batch, &mut new)?,
                    _ => set_in_turn(&plan.target, set, assign, context, batch, &mut new)?,
                }
                compute(&plan.target, computed, self.instead_of, context, &mut new)?;
                if !self.instead_of {
                    plan.target.refuse_nulls(context, &new, "UPDATE")?;
                    check_rows(&plan.target, &plan.checks, context, &new, plan.verb)?;
                }
                if self.instead_of {
                    self.changes.note(context, Some(&new), Some(&old))?;
                } else if let Some(moved) = &mut self.moved {
                    columns::append_batch(&mut moved.before, &old);
                    columns::append_batch(&mut moved.after, &new);
                    columns::append_range(&mut moved.locators, &batch.columns[width], 0, batch.rows);
                    moved.hold(context)?;
                } else {
                    plan.target.update(context, &old, &new, &batch.columns[width], false, &mut self.changes)?;
                }
                (Some(new), Some(old))
            }
            Kind::Delete => {
                let old = prefix(batch, width);
                if self.instead_of {
                    self.changes.note(context, None, Some(&old))?;
                } else {
                    plan.target.delete(context, &old, &batch.columns[width], &mut self.changes)?;
                }
                (None, Some(old))
            }
        };
        if !self.instead_of {
            plan.actions[at].barriers.check(&plan.target, context, new.as_ref(), old.as_ref())?;
        }
        self.affected += batch.rows as u64;
        output_rows(plan, context, new.as_ref(), old.as_ref(), batch, verb)?;
        plan.new_batch = new.unwrap_or_default();
        Ok(())
    }

    fn new_rows(
        &mut self,
        target: &Target,
        row: &NewRow,
        context: &mut Context,
        batch: &RowBatch,
        new: &mut RowBatch,
    ) -> SqlResult<()> {
        let NewRow { values, computed } = row;
        if new.columns.is_empty() {
            *new = RowBatch::new(target.types.iter().map(SqlType::physical));
        }
        new.clear();
        new.rows = batch.rows;
        for (stored, value) in values.iter().enumerate() {
            let column = &mut new.columns[stored];
            match value {
                Some(value) => value.fill(context, batch, column, |cut| target.truncated(context, stored, cut))?,
                None => self.made_here(target, stored, context, batch.rows, column)?,
            }
        }
        if let Some(identity) = target.identity
            && batch.rows > 0
            && !self.instead_of
        {
            self.last_identity = match new.columns[identity].datum(batch.rows - 1) {
                Datum::I64(value) => Some((target.types[identity], value as i128)),
                Datum::I128(value) => Some((target.types[identity], value)),
                _ => None,
            };
            if values[identity].is_some() {
                target.identity_given(context, &new.columns[identity])?;
            }
        }
        compute_columns(computed, context, new)?;
        // INSTEAD OF triggers run before constraints, NOT NULL among them.
        if self.instead_of { Ok(()) } else { target.refuse_nulls(context, new, "INSERT") }
    }

    /// Identity and rowversion values. An INSTEAD OF trigger finds none yet: 0, and NULL.
    fn made_here(
        &mut self,
        target: &Target,
        stored: usize,
        context: &mut Context,
        rows: usize,
        column: &mut Column,
    ) -> SqlResult<()> {
        if target.identity == Some(stored) && self.instead_of {
            let zero = match target.types[stored].physical() {
                Physical::I128 => Datum::I128(0),
                _ => Datum::I64(0),
            };
            (0..rows).for_each(|_| column.push(&zero));
            return Ok(());
        }
        if target.identity == Some(stored) {
            return target.identity_values(context, rows, column);
        }
        if target.types[stored].kind == TypeKind::RowVersion && !self.instead_of {
            return target.rowversion_values(context, rows, column);
        }
        if !self.instead_of && target.fill_period(stored, context, rows, column) {
            return Ok(());
        }
        columns::append_nulls(column, rows);
        Ok(())
    }

    fn finish(mut self, plan: &mut ModifyPlan, context: &mut Context) -> SqlResult<u64> {
        let deepest = context.session(|session| session.triggers.len() as u32);
        assert!(deepest <= super::NESTING_MAX, "triggers are counted with calls");
        if let Some(moved) = self.moved.take() {
            let Moved { before, after, locators, late, .. } = &*moved;
            if before.rows > 0 {
                plan.target.update(context, before, after, locators, true, &mut self.changes)?;
            }
            if late.rows > 0 {
                plan.target.insert(context, late, &mut self.changes)?;
            }
        }
        let parts = self.changes.take_parts();
        // What an INSTEAD OF trigger is given has not happened.
        let has_happened = !parts.is_empty() && !self.instead_of;
        if has_happened {
            plan.views.follow(&plan.target, context, &parts, true)?;
        }
        if let Some(OutputPlan { into: Some((target, ..)), inserted, .. }) = &mut plan.output {
            plan.views.follow(target, context, &inserted.take_parts(), true)?;
        }
        let cascaded = if has_happened && !self.unchecked.constraints {
            cascade::check_references(&plan.target, context, &parts, plan.verb, (&plan.cascades, &plan.views))?
        } else {
            Vec::new()
        };
        // "return identity values generated only by the nested DML statement, and not those generated by the outer INSERT".
        if let Some(identity) = self.last_identity
            && plan.nested.is_none()
        {
            context.session(|session| {
                session.identity = Some(identity);
                session.scope_identity = Some(identity);
            });
        }
        if let Some(output) = &mut plan.output
            && output.to_client
        {
            if output.rows.rows > 0 {
                context.runtime().sink.batch(&output.rows).map_err(stopped)?;
            }
        }
        cascaded.into_iter().try_for_each(|cascaded| cascaded.fire(context))?;
        if !self.unchecked.triggers && !plan.target.def.triggers.is_empty() {
            let verbs: Vec<Verb> = plan.actions.iter().map(Action::verb).collect();
            let firing = Firing { instead_of: self.instead_of, affected: self.affected, updated: self.updated };
            trigger::fire(&plan.target.def, &verbs, context, parts, firing)?;
        }
        Ok(self.affected)
    }
}

impl Action {
    fn verb(&self) -> Verb {
        match &self.kind {
            Kind::Insert(_) => Verb::Insert,
            Kind::Update { .. } => Verb::Update,
            Kind::Delete => Verb::Delete,
        }
    }
}

fn prefix(batch: &RowBatch, width: usize) -> RowBatch {
    RowBatch { rows: batch.rows, columns: batch.columns[..width].to_vec() }
}

/// What SET gives the rows of `batch`, in place of what `new` has in its columns.
fn set_values(
    target: &Target,
    set: &[(u16, Assignment)],
    context: &Context,
    batch: &RowBatch,
    new: &mut RowBatch,
) -> SqlResult<()> {
    for (stored, value) in set {
        let stored = usize::from(*stored);
        let column = &mut new.columns[stored];
        column.clear();
        value.fill(context, batch, column, |cut| target.truncated(context, stored, cut))?;
    }
    Ok(())
}

/// The same where variables are set too: row by row, and within a row in the order of the clauses, so that a value may build on
/// the row before.
fn set_in_turn(
    target: &Target,
    set: &[(u16, Assignment)],
    assign: &[SetVariable],
    context: &mut Context,
    batch: &RowBatch,
    new: &mut RowBatch,
) -> SqlResult<()> {
    for (stored, _) in set {
        new.columns[usize::from(*stored)].clear();
    }
    let mut row = RowBatch::new(batch.columns.iter().map(columns::class_of));
    for index in 0..batch.rows {
        row.clear();
        columns::append_batch_rows(&mut row, batch, &[index as u32]);
        let mut variables = assign.iter();
        for at in 0..=set.len() {
            let due = variables.as_slice().iter().take_while(|variable| variable.after == at).count();
            for variable in variables.by_ref().take(due) {
                let value = match variable.column {
                    None => variable.value.datum(context, Row { batch: &row, index: 0 })?,
                    Some(stored) => {
                        let column = &new.columns[usize::from(stored)];
                        let mut set = RowBatch::new([columns::class_of(column)]);
                        columns::append_range(&mut set.columns[0], column, index, index + 1);
                        set.rows = 1;
                        variable.value.datum(context, Row { batch: &set, index: 0 })?
                    }
                };
                context.variables.set_datum(variable.slot.0, &value);
            }
            if let Some((stored, value)) = set.get(at) {
                let stored = usize::from(*stored);
                let column = &mut new.columns[stored];
                value.fill(context, &row, column, |cut| target.truncated(context, stored, cut))?;
            }
        }
    }
    Ok(())
}

/// What the server itself gives rows that an UPDATE has set: row versions, periods, and what is computed of other columns.
fn compute(
    target: &Target,
    computed: &[(u16, Scalar)],
    instead_of: bool,
    context: &mut Context,
    new: &mut RowBatch,
) -> SqlResult<()> {
    for (stored, ty) in target.types.iter().enumerate() {
        if ty.kind == TypeKind::RowVersion && !instead_of {
            new.columns[stored].clear();
            target.rowversion_values(context, new.rows, &mut new.columns[stored])?;
        }
    }
    if !instead_of {
        target.renew_period(context, new);
    }
    compute_columns(computed, context, new)
}

/// What is computed of other columns.
fn compute_columns(computed: &[(u16, Scalar)], context: &Context, new: &mut RowBatch) -> SqlResult<()> {
    for (stored, scalar) in computed {
        let mut column = Column::new(scalar.ty.physical());
        fill(scalar, context, new, &mut column)?;
        new.columns[usize::from(*stored)] = column;
    }
    Ok(())
}

fn computed_scalars(computed: &[(u16, Expr)], compiler: &mut Compiler) -> SqlResult<Vec<(u16, Scalar)>> {
    computed.iter().map(|(stored, expr)| Ok((*stored, compiler.scalar(expr)?))).collect()
}

pub fn chosen_rows(batch: &RowBatch, rows: &[u32]) -> RowBatch {
    let mut part = RowBatch::new(batch.columns.iter().map(columns::class_of));
    columns::append_batch_rows(&mut part, batch, rows);
    part
}

fn check_rows(
    target: &Target,
    checks: &[(plan::Check, I64Expr)],
    context: &Context,
    rows: &RowBatch,
    verb: &str,
) -> SqlResult<()> {
    for (check, predicate) in checks {
        for index in 0..rows.rows {
            // UNKNOWN passes a CHECK, but not a view's WITH CHECK OPTION.
            let value = predicate.eval(context, Row { batch: rows, index })?;
            if value == Some(0) || check.view && value.is_none() {
                return Err(target.check_failed(context, check, verb));
            }
        }
    }
    Ok(())
}

/// Computes OUTPUT over inserted and deleted side by side, then the source's columns, then $action.
fn output_rows(
    plan: &mut ModifyPlan,
    context: &mut Context,
    new: Option<&RowBatch>,
    old: Option<&RowBatch>,
    source: &RowBatch,
    verb: Verb,
) -> SqlResult<()> {
    let Some(output) = &mut plan.output else { return Ok(()) };
    let mut wide = RowBatch { rows: source.rows, columns: Vec::new() };
    for rows in [new, old] {
        match rows {
            Some(rows) => wide.columns.extend(rows.columns.iter().cloned()),
            None => {
                for ty in &plan.target.types {
                    let mut column = Column::new(ty.physical());
                    columns::append_nulls(&mut column, source.rows);
                    wide.columns.push(column);
                }
            }
        }
    }
    wide.columns.extend(source.columns.iter().cloned());
    let mut action = Column::new(Physical::Bytes);
    let name = Datum::nvarchar(verb.name());
    (0..source.rows).for_each(|_| action.push(&name));
    wide.columns.push(action);
    let mut rows = RowBatch::new(output.exprs.iter().map(|expr| expr.ty.physical()));
    crate::expression::fill_all(&output.exprs, context, &wide, &mut rows)?;
    if let Some((target, NewRow { values, computed }, barriers)) = &mut output.into {
        let mut new = RowBatch::new(target.types.iter().map(SqlType::physical));
        new.rows = wide.rows;
        for (stored, value) in values.iter().enumerate() {
            let column = &mut new.columns[stored];
            match value {
                Some(value) => value.fill(context, &wide, column, |cut| target.truncated(context, stored, cut))?,
                None if target.identity == Some(stored) => target.identity_values(context, wide.rows, column)?,
                None if target.types[stored].kind == TypeKind::RowVersion => {
                    target.rowversion_values(context, wide.rows, column)?;
                }
                None if target.fill_period(stored, context, wide.rows, column) => {}
                None => columns::append_nulls(column, wide.rows),
            }
        }
        compute_columns(computed, context, &mut new)?;
        target.refuse_nulls(context, &new, "INSERT")?;
        target.insert(context, &new, &mut output.inserted)?;
        barriers.check(target, context, Some(&new), None)?;
    }
    if output.to_client || output.collects {
        columns::append_batch(&mut output.rows, &rows);
        let bytes = columns::batch_bytes(&output.rows);
        if output.collects && bytes > crate::context::GRANT_BYTES_MAX {
            return Err(crate::context::out_of_memory());
        }
        context.force(&mut output.held, bytes)?;
        // Of a statement that fails then, the client has some: "returns rows to the client even if the statement encounters errors and is
        // rolled back", https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql
        if output.to_client && bytes > OUTPUT_BYTES {
            context.runtime().sink.batch(&output.rows).map_err(stopped)?;
            output.rows.clear();
            output.held.clear();
        }
    }
    Ok(())
}
