//! Which views may have an index: those whose rows can be kept by what changes in their tables, and are the same whenever they are made.
//!
//! https://learn.microsoft.com/sql/relational-databases/views/create-indexed-views

use std::sync::Arc;

use types::{SqlError, SqlResult, TypeKind, sql_error};

use super::BindOptions;
use super::binder::{Binder, Names, Parameters};
use super::errors;
use super::modules::parse_view;
use super::names::{object_name, same_name};
use super::nature::{conversion_varies, function_varies, is_inexact, nature_of_module};
use super::query::{Bound, Use};
use super::variables::{Found, visit_query};
use super::view_rows::{is_aggregate, select_of};
use crate::ast::{self, GroupItem, JoinKind, TableFunctionKind, TableRef};
use crate::catalog::{Catalog, ModuleDef, ModuleKind, Object, TableDef};
use crate::function::FunctionId;
use crate::optimize::{ColumnId, Columns, Group, Rel};
use crate::plan::{AggregateFunction, Expr, ExprKind};

/// The clustered index that a view is to have.
pub struct ViewIndex<'a> {
    /// `database.schema.view`
    pub view: &'a str,
    /// Of what owns the tables.
    pub database: &'a str,
    pub index: &'a str,
    pub key: &'a [&'a str],
}

/// The tables that the view is made of. An error says why it can have no such index.
pub fn indexable(
    module: &Arc<ModuleDef>,
    of: &ViewIndex<'_>,
    catalog: &dyn Catalog,
    options: &BindOptions,
) -> SqlResult<Vec<Arc<TableDef>>> {
    let view = parse_view(module)?;
    let select = of.text(&view.query)?;
    let mut named = Vec::new();
    for table in &select.from {
        of.table_ref(table, &mut named)?;
    }
    let tables = of.tables(&named, catalog)?;
    of.calls(&view.query, catalog, options)?;
    let mut binder = Binder::new(catalog, options, Names::NONE);
    let name = ast::ObjectName::unqualified(ast::Ident::new(&module.name), 0);
    let bound = binder
        .expanded(module, &name, Parameters::default(), |binder| binder.query(&view.query, None, None, Use::Nested))?;
    of.values(&bound, &binder.columns)?;
    let keys = of.keys(&bound, module, &binder.columns)?;
    match group_of(&bound.rel) {
        Some(group) => of.groups(&bound, group, (select, &keys))?,
        None if select.group_by.is_some() => return Err(errors::unsupported("CREATE INDEX on such a view")),
        None => {}
    }
    Ok(tables)
}

impl ViewIndex<'_> {
    /// The clauses of the query.
    fn text<'q>(&self, query: &'q ast::Query) -> SqlResult<&'q ast::Select> {
        let view = self.view;
        if let Some(cte) = query.with.as_ref().and_then(|with| with.ctes.first()) {
            return Err(sql_error!(10137, "index", view, &*cte.name.text));
        }
        let Some(select) = select_of(query) else { return Err(sql_error!(10116, "index", view)) };
        if select.distinct {
            return Err(sql_error!(10100, "index", view));
        }
        if select.top.is_some() || query.offset.is_some() || query.fetch.is_some() {
            return Err(sql_error!(10101, "index", view));
        }
        if let Some(group_by) = &select.group_by {
            if group_by.all {
                return Err(sql_error!(10118, "index", view));
            }
            if group_by.with.is_some() || group_by.items.iter().any(|item| !matches!(item, GroupItem::Expr(_))) {
                return Err(sql_error!(10119, "index", view));
            }
        }
        match &select.having {
            Some(_) => Err(sql_error!(10121, "index", view)),
            None => Ok(select),
        }
    }

    fn table_ref<'q>(&self, table: &'q TableRef, named: &mut Vec<&'q ast::ObjectName>) -> SqlResult<()> {
        let view = self.view;
        match table {
            TableRef::Table(table) if table.sample.is_some() => Err(sql_error!(10102, "index", view)),
            TableRef::Table(table) if !table.hints.is_empty() => Err(sql_error!(10140, "index", view)),
            TableRef::Table(table) if table.system_time.is_some() => {
                Err(errors::unsupported("CREATE INDEX on a view with FOR SYSTEM_TIME"))
            }
            TableRef::Table(table) => {
                named.push(&table.name);
                Ok(())
            }
            TableRef::Derived(derived) => Err(sql_error!(10109, "index", view, &*derived.alias.text)),
            TableRef::Values(values) => Err(sql_error!(10109, "index", view, &*values.alias.text)),
            TableRef::Function(function) => Err(match &function.kind {
                TableFunctionKind::Call { name, .. } => sql_error!(10129, "index", view, &*name.name.text),
                TableFunctionKind::Method { .. } => sql_error!(1985, "index", view),
                TableFunctionKind::OpenXml { .. } => sql_error!(10105, "index", view),
                TableFunctionKind::OpenRowset { .. } | TableFunctionKind::OpenRowsetBulk { .. } => {
                    sql_error!(10103, "index", view)
                }
                TableFunctionKind::FullText { .. } => sql_error!(10104, "index", view),
                TableFunctionKind::OpenJson { .. } | TableFunctionKind::ChangeTable { .. } => {
                    sql_error!(10106, "index", view)
                }
            }),
            TableRef::Join(chain) => {
                self.table_ref(&chain.first, named)?;
                for join in &chain.joins {
                    match join.kind {
                        JoinKind::Left | JoinKind::Right | JoinKind::Full => {
                            return Err(sql_error!(10113, "index", view));
                        }
                        JoinKind::OuterApply => return Err(sql_error!(10110, "index", view)),
                        JoinKind::CrossApply => return Err(sql_error!(10142, "index", view)),
                        JoinKind::Inner | JoinKind::Cross if join.hint.is_some() => {
                            return Err(sql_error!(10112, "index", view));
                        }
                        JoinKind::Inner | JoinKind::Cross => self.table_ref(&join.right, named)?,
                    }
                }
                Ok(())
            }
            TableRef::Pivot(_) => Err(sql_error!(10114, "index", view)),
            TableRef::Unpivot(_) => Err(sql_error!(10115, "index", view)),
            TableRef::Variable(variable) => Err(sql_error!(10107, "index", view, &*variable.variable.name)),
            TableRef::Dml(_) => Err(errors::unsupported("CREATE INDEX on such a view")),
        }
    }

    fn tables(&self, named: &[&ast::ObjectName], catalog: &dyn Catalog) -> SqlResult<Vec<Arc<TableDef>>> {
        let mut tables: Vec<Arc<TableDef>> = Vec::new();
        for name in named {
            match catalog.resolve(&object_name(name))? {
                Some(Object::Table(table)) => {
                    let shown = format!("{}.{}.{}", self.database, table.schema, table.name);
                    if tables.iter().any(|known| known.object == table.object) {
                        return Err(sql_error!(1947, "index", self.view, shown));
                    }
                    if table.memory.is_some() {
                        return Err(sql_error!(10794, "operation", "CREATE INDEX", "memory optimized tables"));
                    }
                    if table.is_history() {
                        return Err(errors::unsupported("CREATE INDEX on a view of a history table"));
                    }
                    if !table.predicates.is_empty() {
                        return Err(errors::unsupported("CREATE INDEX on a view of a table with a security policy"));
                    }
                    tables.push(table);
                }
                Some(Object::Module(view)) if view.kind == ModuleKind::View => {
                    let shown = format!("{}.{}.{}", self.database, view.schema, view.name);
                    return Err(sql_error!(1937, "index", self.view, shown));
                }
                _ => return Err(sql_error!(10108, "index", self.view)),
            }
        }
        match tables.is_empty() {
            true => Err(errors::unsupported("CREATE INDEX on a view without a table")),
            false => Ok(tables),
        }
    }

    /// Functions, aggregates and what else stands in expressions.
    fn calls(&self, query: &ast::Query, catalog: &dyn Catalog, options: &BindOptions) -> SqlResult<()> {
        let mut refused: Option<SqlError> = None;
        let mut called = Vec::new();
        visit_query(query, &mut |found| {
            if refused.is_some() {
                return;
            }
            refused = match found {
                Found::Query => Some(sql_error!(10127, "index", self.view)),
                Found::Session(expr) => Some(sql_error!(1949, "index", self.view, session_name(expr))),
                Found::Star(_) => Some(sql_error!(10117, "index", self.view)),
                Found::Call(call) => self.call(call),
                _ => None,
            };
            if let Found::Function(name) = found
                && !name.is_unqualified()
            {
                called.push(name);
            }
        });
        if let Some(error) = refused {
            return Err(error);
        }
        for name in called {
            let Some(Object::Module(function)) = catalog.resolve(&object_name(name))? else {
                // A method of a column.
                return Err(sql_error!(1985, "index", self.view));
            };
            let shown = format!("{}.{}", function.schema, function.name);
            let nature = nature_of_module(&function, options, catalog);
            if nature.reads {
                return Err(sql_error!(10133, "index", self.view, shown));
            }
            if !nature.deterministic {
                return Err(sql_error!(1956, "index", self.view, shown));
            }
            if !nature.precise {
                return Err(sql_error!(1957, "index", self.view, shown));
            }
        }
        Ok(())
    }

    fn call(&self, call: &ast::Call) -> Option<SqlError> {
        if !call.name.is_unqualified() {
            return None;
        }
        let name = &*call.name.name.text;
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        if call.extra.as_ref().is_some_and(|extra| extra.over.is_some()) {
            return Some(sql_error!(10143, "index", self.view));
        }
        if is_aggregate(name) {
            let shown = name.to_ascii_uppercase();
            if is("COUNT") {
                return Some(sql_error!(10136, "index", self.view));
            }
            if !is("SUM") && !is("COUNT_BIG") {
                return Some(sql_error!(10125, "index", self.view, shown));
            }
            return call.distinct.then(|| sql_error!(10126, "index", self.view, shown));
        }
        if call.star {
            return Some(sql_error!(10117, "index", self.view));
        }
        let varies = match FunctionId::find(name)?.1 {
            FunctionId::Rand => call.args.is_empty(),
            // Which part is asked for is not in the name.
            FunctionId::Datepart => false,
            function => function_varies(function, &[]),
        };
        varies.then(|| sql_error!(1949, "index", self.view, name.to_ascii_lowercase()))
    }

    /// Types and conversions of what is computed.
    fn values(&self, bound: &Bound, columns: &Columns) -> SqlResult<()> {
        let large = [TypeKind::Text, TypeKind::NText, TypeKind::Image, TypeKind::Xml, TypeKind::Json];
        if bound.outputs.iter().any(|output| large.contains(&output.expr.ty.kind)) {
            return Err(sql_error!(1942, "index", self.view));
        }
        let mut refused = Ok(());
        let mut look = |expr: &Expr| {
            let error = self.value(expr);
            if refused.is_ok() {
                refused = error;
            }
        };
        bound.outputs.iter().for_each(|output| look(&output.expr));
        each_node(&bound.rel, &mut |rel| rel.for_each_expr(&mut look));
        refused?;
        // A predicate or a group of an inexact value decides otherwise on another machine.
        let mut inexact = None;
        each_node(&bound.rel, &mut |rel| {
            let mut look = |expr: &Expr| {
                expr.for_each_column(&mut |id| {
                    let id = ColumnId(id as u32);
                    if inexact.is_none() && is_inexact(&columns.info(id).ty) {
                        inexact = Some(column_name(columns, id));
                    }
                });
            };
            match rel {
                Rel::Filter { predicates, .. } => predicates.iter().for_each(look),
                Rel::Join(join) => join.on.iter().for_each(look),
                Rel::Aggregate(group) => group.group.iter().for_each(|(_, key)| look(key)),
                _ => {}
            }
        });
        match inexact {
            Some(column) => Err(sql_error!(1962, "index", self.view, column)),
            None => Ok(()),
        }
    }

    fn value(&self, expr: &Expr) -> SqlResult<()> {
        let mut refused = Ok(());
        expr.any(&mut |part| {
            refused = match &part.kind {
                ExprKind::Convert { value, style, .. } if conversion_varies(&value.ty, &part.ty, style.as_deref()) => {
                    let to_old = matches!(part.ty.kind, TypeKind::DateTime | TypeKind::SmallDateTime);
                    match style {
                        // Neither CONVERT nor CAST can be told from what the server adds once it is bound.
                        None if value.ty.is_string() && to_old => Err(sql_error!(10139, "index", self.view)),
                        _ => Err(sql_error!(1963, "index", self.view)),
                    }
                }
                ExprKind::Function(function @ FunctionId::Datepart, arguments)
                    if function_varies(*function, arguments) =>
                {
                    Err(sql_error!(1949, "index", self.view, "datepart"))
                }
                _ => Ok(()),
            };
            refused.is_err()
        });
        refused
    }

    /// The columns of the key as the query gives them. 1911 is told where the index is made.
    fn keys<'b>(&self, bound: &'b Bound, module: &ModuleDef, columns: &Columns) -> SqlResult<Vec<&'b Expr>> {
        let mut keys = Vec::new();
        for name in self.key {
            let Some(at) = module.column_names.iter().position(|known| same_name(known, name)) else { continue };
            let Some(output) = bound.outputs.get(at) else { continue };
            let is_stored = match output.expr.kind {
                ExprKind::Column(id) => columns.origin(ColumnId(id as u32)).is_some(),
                _ => false,
            };
            if is_inexact(&output.expr.ty) && !is_stored {
                return Err(sql_error!(1901, self.index, self.view, name));
            }
            keys.push(&output.expr);
        }
        Ok(keys)
    }

    /// A group is found again by its key, and can be added to and taken from.
    fn groups(&self, bound: &Bound, group: &Group, (select, keys): (&ast::Select, &[&Expr])) -> SqlResult<()> {
        let (index, view) = (self.index, self.view);
        if select.group_by.is_none() {
            return Err(errors::unsupported("CREATE INDEX on a view with aggregates and without GROUP BY"));
        }
        let column = |expr: &Expr| match expr.kind {
            ExprKind::Column(id) => Some(ColumnId(id as u32)),
            _ => None,
        };
        let is_group = |id: ColumnId| group.group.iter().any(|(own, _)| *own == id);
        let aggregate = |id: ColumnId| group.aggregates.iter().find(|(own, _)| *own == id).map(|(_, found)| found);
        // A constant is the same in every group.
        let shown = bound.outputs.iter().filter(|output| !matches!(output.expr.kind, ExprKind::Literal(_)));
        let outputs: Vec<Option<ColumnId>> = shown.map(|output| column(&output.expr)).collect();
        if outputs.iter().any(|id| id.is_none_or(|id| !is_group(id) && aggregate(id).is_none())) {
            return Err(sql_error!(8668, index, view));
        }
        let is_shown = |id: &ColumnId| outputs.contains(&Some(*id));
        if !group.group.iter().all(|(id, _)| is_shown(id)) {
            return Err(sql_error!(8660, index, view));
        }
        let counts = |id: &Option<ColumnId>| {
            id.and_then(aggregate)
                .is_some_and(|own| own.function == AggregateFunction::CountBig && own.argument.is_none())
        };
        if !outputs.iter().any(counts) {
            return Err(sql_error!(10138, "index", view));
        }
        for (_, own) in &group.aggregates {
            let Some(argument) = own.argument.as_ref().filter(|_| own.function == AggregateFunction::Sum) else {
                continue;
            };
            if argument.nullable {
                return Err(sql_error!(8662, index, view));
            }
            if is_inexact(&own.ty) {
                return Err(sql_error!(1966, "index", view));
            }
        }
        match keys.iter().all(|key| column(key).is_some_and(is_group)) {
            true => Ok(()),
            false => Err(sql_error!(8661, index, view)),
        }
    }
}

fn each_node(rel: &Rel, f: &mut dyn FnMut(&Rel)) {
    f(rel);
    rel.for_each_input(&mut |input| each_node(input, &mut *f));
}

/// The aggregation of the query itself: nothing stands above it but what computes its columns.
fn group_of(rel: &Rel) -> Option<&Group> {
    match rel {
        Rel::Aggregate(group) => Some(group),
        Rel::Map { input, .. } | Rel::Filter { input, .. } => group_of(input),
        _ => None,
    }
}

fn column_name(columns: &Columns, id: ColumnId) -> String {
    let origin = columns.origin(id);
    origin.map_or_else(String::new, |origin| origin.table.columns[usize::from(origin.column)].name.to_string())
}

/// A function of the session that is written without parentheses.
fn session_name(expr: &ast::Expr) -> String {
    match expr {
        ast::Expr::Global(variable) => variable.name.to_lowercase(),
        ast::Expr::Niladic(ast::Niladic::CurrentTimestamp) => "getdate".into(),
        ast::Expr::Niladic(ast::Niladic::SystemUser) => "suser_sname".into(),
        ast::Expr::Niladic(ast::Niladic::CurrentDate | ast::Niladic::CurrentTime) => "sysdatetime".into(),
        _ => "user_name".into(),
    }
}
