//! Finds the variables that a deferred statement names, and whether an expression needs tables. A batch with an undeclared
//! variable does not start, so this is asked before anything runs.

use types::{SqlResult, sql_error};

use crate::ast;
use crate::function::FunctionId;

pub enum Found<'a> {
    Scalar(&'a ast::Variable),
    Table(&'a ast::Variable),
    Cursor(&'a ast::Variable),
    /// A query inside an expression.
    Query,
    /// A user function or NEXT VALUE FOR.
    Catalog,
    Sequence(&'a ast::ObjectName),
    /// A table or view, or what is named like one within the statement.
    Named(&'a ast::ObjectName),
    /// A common table expression or an alias.
    Local(&'a str),
    /// A function that is called by its name, the server's own too.
    Function(&'a ast::ObjectName),
    Column(&'a ast::ColumnName),
    /// `*` in a select list, by its line.
    Star(u32),
    /// The same, with what it is given.
    Call(&'a ast::Call),
    /// `@@SPID`, CURRENT_TIMESTAMP and their kin, which need no parentheses.
    Session(&'a ast::Expr),
    /// What stands behind a value and a dot.
    Method(&'a ast::Ident),
    /// Whatever gives rows: the statement, a part of a set operation in parentheses, a derived table, a subquery.
    Rows(&'a ast::Query),
}

type Visit<'v, 'a> = &'v mut dyn FnMut(Found<'a>);

/// The expression cannot be bound without tables or functions of the catalog.
pub fn needs_catalog(expr: &ast::Expr) -> bool {
    let mut needs = false;
    visit_expr(expr, &mut |found| needs |= matches!(found, Found::Catalog | Found::Query));
    needs
}

/// A query stands somewhere in the expression.
pub fn has_query(expr: &ast::Expr) -> bool {
    let mut found_query = false;
    visit_expr(expr, &mut |found| found_query |= matches!(found, Found::Query));
    found_query
}

/// NEXT VALUE FOR stands somewhere in the expression.
pub fn has_sequence(expr: &ast::Expr) -> bool {
    let mut found_sequence = false;
    visit_expr(expr, &mut |found| found_sequence |= matches!(found, Found::Sequence(_)));
    found_sequence
}

/// 1046, 11719: what a CHECK constraint or a computed column computes is of its row alone.
pub fn refuse_beyond_row(expr: &ast::Expr) -> SqlResult<()> {
    if has_query(expr) {
        return Err(sql_error!(1046));
    }
    if has_sequence(expr) { Err(sql_error!(11719)) } else { Ok(()) }
}

pub fn visit_expr<'a>(expr: &'a ast::Expr, f: Visit<'_, 'a>) {
    use ast::Expr::*;
    match expr {
        Column(column) => f(Found::Column(column)),
        Global(_) | Niladic(_) => f(Found::Session(expr)),
        Literal(_) | OdbcLiteral(..) | Default | UpdateColumn(_) | Word(_) | GraphMatch(_) => {}
        Variable(variable) => f(Found::Scalar(variable)),
        Unary(_, a) | Not(a) | Collate(a, _) => visit_expr(a, f),
        IsNull { operand, .. } => visit_expr(operand, f),
        AtTimeZone(a, b) => [a, b].into_iter().for_each(|e| visit_expr(e, f)),
        Arithmetic(chain) => {
            visit_expr(&chain.first, f);
            chain.rest.iter().for_each(|(_, e)| visit_expr(e, f));
        }
        Compare(c) => {
            visit_expr(&c.left, f);
            visit_expr(&c.right, f);
        }
        And(list) | Or(list) => list.iter().for_each(|e| visit_expr(e, f)),
        IsDistinctFrom(d) => {
            visit_expr(&d.left, f);
            visit_expr(&d.right, f);
        }
        Like(like) => {
            visit_expr(&like.operand, f);
            visit_expr(&like.pattern, f);
            like.escape.iter().for_each(|e| visit_expr(e, f));
        }
        Between(b) => {
            visit_expr(&b.operand, f);
            visit_expr(&b.low, f);
            visit_expr(&b.high, f);
        }
        InList(list) => {
            visit_expr(&list.operand, f);
            list.list.iter().for_each(|e| visit_expr(e, f));
        }
        InQuery(q) => {
            f(Found::Query);
            visit_expr(&q.operand, f);
            visit_query(&q.query, f);
        }
        Exists(query) | Subquery(query) => {
            f(Found::Query);
            visit_query(query, f);
        }
        Quantified(q) => {
            f(Found::Query);
            visit_expr(&q.left, f);
            visit_query(&q.query, f);
        }
        Case(case) => {
            case.operand.iter().for_each(|e| visit_expr(e, f));
            for (when, then) in &case.whens {
                visit_expr(when, f);
                visit_expr(then, f);
            }
            case.otherwise.iter().for_each(|e| visit_expr(e, f));
        }
        Cast(c) => visit_expr(&c.operand, f),
        Convert(c) => {
            visit_expr(&c.operand, f);
            c.style.iter().for_each(|e| visit_expr(e, f));
        }
        Parse(p) => {
            visit_expr(&p.operand, f);
            p.culture.iter().for_each(|e| visit_expr(e, f));
        }
        Call(call) => {
            if !call.name.is_unqualified() {
                f(Found::Catalog);
            }
            f(Found::Function(&call.name));
            f(Found::Call(call));
            let is_part = call.name.is_unqualified()
                && matches!(call.args.first(), Some(Column(_)))
                && FunctionId::find(&call.name.name.text).is_some_and(|(_, function, ..)| function.takes_date_part());
            call.args.iter().skip(usize::from(is_part)).for_each(|e| visit_expr(e, f));
            if let Some(extra) = &call.extra {
                extra.over.iter().for_each(|over| visit_over(over, f));
                extra.within_group.iter().chain(&extra.order_by).for_each(|item| visit_expr(&item.expr, f));
            }
        }
        Method(method) => {
            f(Found::Method(&method.name));
            visit_expr(&method.target, f);
            method.args.iter().flatten().for_each(|e| visit_expr(e, f));
        }
        StaticMethod(method) => method.args.iter().flatten().for_each(|e| visit_expr(e, f)),
        NextValueFor(next) => {
            f(Found::Catalog);
            f(Found::Sequence(&next.sequence));
            next.over_order_by.iter().for_each(|item| visit_expr(&item.expr, f));
        }
        FullText(full_text) => {
            f(Found::Catalog);
            visit_expr(&full_text.condition, f);
        }
    }
}

fn visit_over<'a>(over: &'a ast::Over, f: Visit<'_, 'a>) {
    over.partition_by.iter().for_each(|e| visit_expr(e, f));
    over.order_by.iter().for_each(|item| visit_expr(&item.expr, f));
    if let Some(frame) = &over.frame {
        for bound in std::iter::once(&frame.start).chain(&frame.end) {
            if let ast::FrameBound::Preceding(e) | ast::FrameBound::Following(e) = bound {
                visit_expr(e, f);
            }
        }
    }
}

pub fn visit_query<'a>(query: &'a ast::Query, f: Visit<'_, 'a>) {
    f(Found::Rows(query));
    visit_with(query.with.as_deref(), f);
    visit_body(&query.body, f);
    query.order_by.iter().for_each(|item| visit_expr(&item.expr, f));
    query.offset.iter().chain(&query.fetch).for_each(|e| visit_expr(e, f));
    visit_options(&query.options, f);
}

fn visit_options<'a>(options: &'a [ast::QueryHint], f: Visit<'_, 'a>) {
    for option in options {
        match option {
            ast::QueryHint::Value(_, e) => visit_expr(e, f),
            ast::QueryHint::OptimizeFor(list) => {
                for (variable, value) in list {
                    f(Found::Scalar(variable));
                    value.iter().for_each(|e| visit_expr(e, f));
                }
            }
            _ => {}
        }
    }
}

fn visit_with<'a>(with: Option<&'a ast::With>, f: Visit<'_, 'a>) {
    if let Some(with) = with {
        for cte in &with.ctes {
            f(Found::Local(&cte.name));
            visit_query(&cte.query, f);
        }
    }
}

pub fn visit_body<'a>(body: &'a ast::QueryBody, f: Visit<'_, 'a>) {
    match body {
        ast::QueryBody::Select(select) => visit_select(select, f),
        ast::QueryBody::Nested(query) => visit_query(query, f),
        ast::QueryBody::SetOperation(operation) => {
            visit_body(&operation.first, f);
            operation.rest.iter().for_each(|(_, body)| visit_body(body, f));
        }
    }
}

fn visit_select<'a>(select: &'a ast::Select, f: Visit<'_, 'a>) {
    select.top.iter().for_each(|top| visit_expr(&top.count, f));
    select.items.iter().for_each(|item| visit_item(item, f));
    select.from.iter().for_each(|table| visit_table(table, f));
    select.filter.iter().chain(&select.having).for_each(|e| visit_expr(e, f));
    if let Some(group_by) = &select.group_by {
        group_by.items.iter().for_each(|item| visit_group(item, f));
    }
    select.windows.iter().for_each(|(_, over)| visit_over(over, f));
}

fn visit_group<'a>(item: &'a ast::GroupItem, f: Visit<'_, 'a>) {
    match item {
        ast::GroupItem::Expr(e) => visit_expr(e, f),
        ast::GroupItem::Set(list) => list.iter().for_each(|e| visit_expr(e, f)),
        ast::GroupItem::Rollup(list) | ast::GroupItem::Cube(list) | ast::GroupItem::GroupingSets(list) => {
            list.iter().for_each(|item| visit_group(item, f));
        }
    }
}

fn visit_item<'a>(item: &'a ast::SelectItem, f: Visit<'_, 'a>) {
    match item {
        ast::SelectItem::Star { line, .. } => f(Found::Star(*line)),
        ast::SelectItem::Expr { expr, .. } => visit_expr(expr, f),
        ast::SelectItem::Assign { variable, value, .. } => {
            f(Found::Scalar(variable));
            visit_expr(value, f);
        }
    }
}

fn visit_table<'a>(table: &'a ast::TableRef, f: Visit<'_, 'a>) {
    match table {
        ast::TableRef::Table(table) => {
            f(Found::Named(&table.name));
            table.alias.iter().for_each(|alias| f(Found::Local(alias)));
        }
        ast::TableRef::Variable(variable) => f(Found::Table(&variable.variable)),
        ast::TableRef::Function(function) => match &function.kind {
            ast::TableFunctionKind::Call { name, args } => {
                f(Found::Function(name));
                args.iter().for_each(|e| visit_expr(e, f));
            }
            ast::TableFunctionKind::Method { target, name, args } => {
                f(Found::Method(name));
                visit_expr(target, f);
                args.iter().for_each(|e| visit_expr(e, f));
            }
            ast::TableFunctionKind::OpenJson { text, path, .. } => {
                visit_expr(text, f);
                path.iter().for_each(|e| visit_expr(e, f));
            }
            ast::TableFunctionKind::OpenXml { handle, pattern, flags, schema } => {
                visit_expr(handle, f);
                visit_expr(pattern, f);
                flags.iter().for_each(|e| visit_expr(e, f));
                if let ast::OpenXmlSchema::Table(name) = schema {
                    f(Found::Named(name));
                }
            }
            _ => {}
        },
        ast::TableRef::Derived(derived) => visit_query(&derived.query, f),
        ast::TableRef::Values(values) => values.rows.iter().flatten().for_each(|e| visit_expr(e, f)),
        ast::TableRef::Dml(dml) => visit_statement(&dml.statement.kind, f),
        ast::TableRef::Join(chain) => {
            visit_table(&chain.first, f);
            for join in &chain.joins {
                visit_table(&join.right, f);
                join.on.iter().for_each(|e| visit_expr(e, f));
            }
        }
        ast::TableRef::Pivot(pivot) => {
            visit_table(&pivot.source, f);
            f(Found::Column(&pivot.argument));
        }
        ast::TableRef::Unpivot(unpivot) => visit_table(&unpivot.source, f),
    }
}

fn visit_target<'a>(target: &'a ast::Target, f: Visit<'_, 'a>) {
    match target {
        ast::Target::Table { name, .. } => f(Found::Named(name)),
        ast::Target::Variable(variable) => f(Found::Table(variable)),
        ast::Target::Function(table) => visit_table(table, f),
    }
}

fn visit_output<'a>(output: Option<&'a ast::Output>, f: Visit<'_, 'a>) {
    let Some(output) = output else { return };
    output.items.iter().for_each(|item| visit_item(item, f));
    if let Some(into) = &output.into {
        into.items.iter().for_each(|item| visit_item(item, f));
        visit_target(&into.target, f);
    }
}

fn visit_set<'a>(set: &'a [ast::SetClause], f: Visit<'_, 'a>) {
    for clause in set {
        match clause {
            ast::SetClause::Column { value, .. } => visit_expr(value, f),
            ast::SetClause::Variable { variable, value, .. }
            | ast::SetClause::VariableColumn { variable, value, .. } => {
                f(Found::Scalar(variable));
                visit_expr(value, f);
            }
            ast::SetClause::Method { args, .. } => args.iter().for_each(|e| visit_expr(e, f)),
        }
    }
}

fn visit_filter<'a>(filter: Option<&'a ast::Filter>, f: Visit<'_, 'a>) {
    match filter {
        Some(ast::Filter::Where(e)) => visit_expr(e, f),
        Some(ast::Filter::CurrentOf(ast::CursorName::Variable(variable))) => f(Found::Cursor(variable)),
        _ => {}
    }
}

/// A statement that reads or writes tables; others name nothing here.
pub fn visit_statement<'a>(statement: &'a ast::StatementKind, f: Visit<'_, 'a>) {
    match statement {
        ast::StatementKind::Select(query) => visit_query(query, f),
        ast::StatementKind::DeclareCursor(declare) => {
            declare.definition.query.iter().for_each(|query| visit_query(query, f))
        }
        ast::StatementKind::Insert(insert) => {
            visit_with(insert.with.as_deref(), f);
            insert.top.iter().for_each(|top| visit_expr(&top.count, f));
            visit_target(&insert.target, f);
            visit_output(insert.output.as_deref(), f);
            match &insert.source {
                ast::InsertSource::Values(rows) => rows.iter().flatten().for_each(|e| visit_expr(e, f)),
                ast::InsertSource::Query(query) => visit_query(query, f),
                ast::InsertSource::Execute(execute) => {
                    if let ast::Procedure::Variable(variable) = &execute.procedure {
                        f(Found::Scalar(variable));
                    }
                }
                ast::InsertSource::ExecuteString(execute) => execute.text.iter().for_each(|e| visit_expr(e, f)),
                ast::InsertSource::DefaultValues => {}
            }
        }
        ast::StatementKind::Update(update) => {
            visit_with(update.with.as_deref(), f);
            update.top.iter().for_each(|top| visit_expr(&top.count, f));
            visit_target(&update.target, f);
            visit_set(&update.set, f);
            visit_output(update.output.as_deref(), f);
            update.from.iter().for_each(|table| visit_table(table, f));
            visit_filter(update.filter.as_ref(), f);
        }
        ast::StatementKind::Delete(delete) => {
            visit_with(delete.with.as_deref(), f);
            delete.top.iter().for_each(|top| visit_expr(&top.count, f));
            visit_target(&delete.target, f);
            visit_output(delete.output.as_deref(), f);
            delete.from.iter().for_each(|table| visit_table(table, f));
            visit_filter(delete.filter.as_ref(), f);
        }
        ast::StatementKind::Merge(merge) => {
            visit_with(merge.with.as_deref(), f);
            merge.top.iter().for_each(|top| visit_expr(&top.count, f));
            visit_target(&merge.target, f);
            visit_table(&merge.source, f);
            visit_expr(&merge.on, f);
            for clause in &merge.clauses {
                clause.condition.iter().for_each(|e| visit_expr(e, f));
                match &clause.action {
                    ast::MergeAction::Update(set) => visit_set(set, f),
                    ast::MergeAction::Insert { values, .. } => values.iter().for_each(|e| visit_expr(e, f)),
                    ast::MergeAction::Delete | ast::MergeAction::InsertDefaultValues => {}
                }
            }
            visit_output(merge.output.as_deref(), f);
        }
        // What `bind_module` makes of conditions and values that read tables.
        ast::StatementKind::If(branches) => branches.branches.iter().for_each(|b| visit_expr(&b.condition, f)),
        ast::StatementKind::SetVariable(set) => {
            if let ast::SetVariableKind::Value(_, value) = &set.kind {
                visit_expr(value, f);
            }
        }
        ast::StatementKind::Return(Some(value)) | ast::StatementKind::Print(value) => visit_expr(value, f),
        ast::StatementKind::Dbcc(dbcc) => dbcc.variables().for_each(|variable| f(Found::Scalar(variable))),
        ast::StatementKind::Backup(backup) => backup.variables(&mut |variable| f(Found::Scalar(variable))),
        ast::StatementKind::Restore(restore) => restore.variables(&mut |variable| f(Found::Scalar(variable))),
        ast::StatementKind::CreatePartitionFunction(_)
        | ast::StatementKind::AlterPartitionFunction(_)
        | ast::StatementKind::Truncate(_)
        | ast::StatementKind::AlterTable(_)
        | ast::StatementKind::AlterIndex(_) => statement.partition_values().into_iter().for_each(|e| visit_expr(e, f)),
        _ => {}
    }
}

/// Columns that an expression names, as it spells them.
pub fn columns_named(expr: &ast::Expr) -> Vec<Box<str>> {
    let mut names = Vec::new();
    visit_expr(expr, &mut |found| {
        if let Found::Column(column) = found {
            names.push(column.name.text.clone());
        }
    });
    names
}
