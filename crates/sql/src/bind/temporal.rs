//! System-versioned tables: FOR SYSTEM_TIME, and what of them and of their history may be written.
//!
//! https://learn.microsoft.com/sql/relational-databases/tables/temporal/querying-data
//! https://learn.microsoft.com/sql/t-sql/queries/from-transact-sql

use std::sync::Arc;

use types::{SqlError, SqlResult, SqlType, sql_error};

use super::binder::Binder;
use super::convert::{compare, converted};
use super::errors;
use super::names::display;
use super::scope::{FromRel, Scope, Source, SourceColumns, SystemTime, SystemTimeKind};
use super::view_use::Change;
use crate::ast;
use crate::catalog::{ModuleDef, Retention, TableDef, USER_OBJECT_MIN, Versioning};
use crate::optimize::{Branch, ColumnId, Columns, Rel};
use crate::plan::{CompareOp, Expr, TableSource};

/// What periods fractions of a second are compared in.
const MOMENT: SqlType = SqlType::datetime2(7);

/// What the period of a row has to be.
fn of_period(time: &SystemTime, start: &Expr, end: &Expr, columns: &Columns) -> SqlResult<Vec<Expr>> {
    use CompareOp::{Greater, GreaterOrEqual, Less, LessOrEqual};
    let is = |period: &Expr, op: CompareOp, moment: &Option<Expr>| {
        let moment = moment.clone().expect("the clause has this moment");
        compare(op, period.clone(), moment, false, columns)
    };
    match time.kind {
        SystemTimeKind::All => Ok(Vec::new()),
        SystemTimeKind::AsOf => Ok(vec![is(start, LessOrEqual, &time.from)?, is(end, Greater, &time.from)?]),
        SystemTimeKind::FromTo => Ok(vec![is(start, Less, &time.to)?, is(end, Greater, &time.from)?]),
        SystemTimeKind::BetweenAnd => Ok(vec![is(start, LessOrEqual, &time.to)?, is(end, Greater, &time.from)?]),
        SystemTimeKind::ContainedIn => {
            Ok(vec![is(start, GreaterOrEqual, &time.from)?, is(end, LessOrEqual, &time.to)?])
        }
    }
}

impl Binder<'_> {
    /// `database.schema.table`, as messages about versions name it.
    pub fn full_name(&self, table: &TableDef) -> String {
        let database = self.catalog.database_name(table.database).unwrap_or_default();
        format!("{database}.{}.{}", table.schema, table.name)
    }

    /// 13536
    pub fn explicit_period(&self, table: &TableDef) -> SqlError {
        sql_error!(13536, self.full_name(table))
    }

    /// 13559 to 13562: a history table has the rows that its current table gives it, and no others. 259: so has the catalog those of
    /// definitions, whoever asks.
    pub fn refuse_history(&self, table: &TableDef, change: Option<Change>) -> SqlResult<()> {
        if (1..USER_OBJECT_MIN).contains(&table.object.0) && !self.is_own_text() && !self.options.unfiltered {
            return Err(sql_error!(259));
        }
        if !table.is_history() || self.options.unfiltered {
            return Ok(());
        }
        let table = self.full_name(table);
        Err(match change {
            Some(Change::Insert) => sql_error!(13559, table),
            Some(Change::Delete) => sql_error!(13560, table),
            Some(Change::Update) => sql_error!(13561, table),
            None => sql_error!(13562, table),
        })
    }

    fn system_time(&mut self, time: &ast::SystemTime) -> SqlResult<SystemTime> {
        let (kind, from, to) = match time {
            ast::SystemTime::All => (SystemTimeKind::All, None, None),
            ast::SystemTime::AsOf(at) => (SystemTimeKind::AsOf, Some(at), None),
            ast::SystemTime::FromTo(from, to) => (SystemTimeKind::FromTo, Some(from), Some(to)),
            ast::SystemTime::BetweenAnd(from, to) => (SystemTimeKind::BetweenAnd, Some(from), Some(to)),
            ast::SystemTime::ContainedIn(from, to) => (SystemTimeKind::ContainedIn, Some(from), Some(to)),
        };
        let mut moment = |at: Option<&ast::Expr>| at.map(|at| self.expr_as(at, &MOMENT, &Scope::EMPTY)).transpose();
        Ok(SystemTime { kind, from: moment(from)?, to: moment(to)?, used: false })
    }

    /// The versions of a table's rows that FOR SYSTEM_TIME asks for, its own or that of the view around it. None: it has no such clause.
    pub fn versions(&mut self, table: &Arc<TableDef>, named: &ast::TableName) -> SqlResult<Option<FromRel>> {
        let Some(Versioning::Current { history, retention }) = table.versioning else {
            return match named.system_time {
                Some(_) => Err(errors::not_temporal(&display(&named.name))),
                None => Ok(None),
            };
        };
        let time = match (&named.system_time, &mut self.system_time) {
            (Some(_), Some(_)) => return Err(sql_error!(13590, display(&named.name))),
            (Some(own), None) => self.system_time(own)?,
            (None, Some(of_view)) => {
                of_view.used = true;
                of_view.clone()
            }
            (None, None) => return Ok(None),
        };
        let history = self.catalog.table_by_id(table.database, history)?;
        let history = history.ok_or_else(|| errors::invalid_object(&display(&named.name)))?;
        let through = self.needs.through;
        let current = self.branch_at(table, named, &named.hints, &time, None)?;
        // An index that a hint names is the current table's, and SNAPSHOT is for rows in memory.
        let word = |hint: &&ast::TableHint| matches!(hint, ast::TableHint::Word(word) if !["FORCESEEK", "SNAPSHOT"].contains(&&**word));
        let hints: Vec<ast::TableHint> = named.hints.iter().filter(word).cloned().collect();
        self.needs.through = through;
        let past = self.branch_at(&history, named, &hints, &time, Some(retention))?;
        // No column of one table: nothing is to be changed through it.
        let ids: Vec<ColumnId> =
            table.columns.iter().map(|column| self.columns.add(column.ty, column.nullable)).collect();
        let first = ids[0];
        for table in [table, &history] {
            self.needs.through = through;
            self.need_table(&TableSource::Base(table.clone()), table, first);
        }
        let branches = vec![current, past];
        self.hand_on_branches(&ids, &branches);
        let alias = named.alias.as_ref();
        let schema = || named.name.schema.as_ref().map_or_else(|| table.schema.clone(), |schema| schema.text.clone());
        let source = Source {
            alias: alias.unwrap_or(&named.name.name).text.clone(),
            schema: alias.is_none().then(schema),
            qualified: named.name.schema.is_some() && alias.is_none(),
            columns: SourceColumns::Table { table: table.clone(), first },
            nullable: false,
            written: None,
        };
        Ok(Some((Rel::Concat { ids, branches }, vec![source])))
    }

    /// Rows of the current table, or of its history, whose periods are as asked for. `past`: the retention of a history.
    fn branch_at(
        &mut self,
        table: &Arc<TableDef>,
        named: &ast::TableName,
        hints: &[ast::TableHint],
        time: &SystemTime,
        past: Option<Option<Retention>>,
    ) -> SqlResult<Branch> {
        let base = TableSource::Base(table.clone());
        let (rel, sources) = self.get(base, table.clone(), &named.name, named.alias.as_ref(), hints)?;
        let source = &sources[0];
        let columns: Vec<_> = (0..source.len()).map(|at| source.column(at).id).collect();
        let (start, end) = match past {
            None => table.period().expect("a system-versioned table has a period"),
            Some(_) => self.period_of_history(table)?,
        };
        let moment = |at: u16| {
            let column = source.column(usize::from(at));
            let value = Expr::column(column.id.index(), column.ty, column.nullable);
            if column.ty == MOMENT { value } else { converted(value, &MOMENT, false) }
        };
        let (start, end) = (moment(start), moment(end));
        let mut predicates = of_period(time, &start, &end, &self.columns)?;
        if let Some(retention) = past {
            // What a transaction has changed more than once was nobody's state: its period is empty.
            predicates.push(compare(CompareOp::Less, start, end.clone(), false, &self.columns)?);
            if let Some(Retention { count, unit }) = retention {
                // What has outlived its retention may be gone at any moment, so nobody sees it.
                let text = format!("DATEADD({}, -{count}, SYSUTCDATETIME())", unit.name());
                let parsed = super::modules::parse_expression(&text)?;
                let kept = self.expand(|binder| binder.without_variables(|b| b.expr(&parsed, &Scope::EMPTY)))?;
                predicates.push(compare(CompareOp::GreaterOrEqual, end, kept, false, &self.columns)?);
            }
        }
        Ok(Branch { rel: rel.filter(predicates), columns })
    }

    /// The columns of a history table are those of its current one, in their order.
    fn period_of_history(&self, history: &TableDef) -> SqlResult<(u16, u16)> {
        let Some(Versioning::History { current }) = history.versioning else {
            return Err(errors::not_temporal(&history.name));
        };
        let current = self.catalog.table_by_id(history.database, current)?;
        current.and_then(|table| table.period()).ok_or_else(|| errors::not_temporal(&history.name))
    }

    /// A view; FOR SYSTEM_TIME goes for all system-versioned tables that its text names.
    pub fn view_at(&mut self, module: &Arc<ModuleDef>, table: &ast::TableName) -> SqlResult<FromRel> {
        let Some(time) = &table.system_time else {
            return self.view(module, &table.name, table.alias.as_ref());
        };
        if self.system_time.is_some() {
            return Err(sql_error!(13590, display(&table.name)));
        }
        self.system_time = Some(self.system_time(time)?);
        let found = self.view(module, &table.name, table.alias.as_ref());
        let time = self.system_time.take().expect("put there above, and given back by all between");
        let found = found?;
        if time.used { Ok(found) } else { Err(errors::not_temporal(&display(&table.name))) }
    }
}
