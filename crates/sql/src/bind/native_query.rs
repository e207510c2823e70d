//! The queries and expressions of natively compiled modules: the part of `native`'s walk below statements.

use std::sync::Arc;

use types::{SqlResult, sql_error};

use super::aggregate::{aggregate_function, window_function};
use super::errors;
use super::names::{display, object_name, same_name};
use super::native::{Check, NATIVE, inaccessible, no_ctes, refused, refused_at, subquery};
use crate::ast;
use crate::catalog::{ModuleKind, Object, TableDef};
use crate::function::FunctionId;
use crate::plan::AggregateFunction;

/// Rows that TOP with a constant may ask for where they are sorted.
const TOP_MAX: i32 = 8192;

impl<'a> Check<'a> {
    /// A SELECT, or the one of an INSERT: what is nested in it may be a query.
    pub(super) fn select(&mut self, query: &'a ast::Query) -> SqlResult<()> {
        let outer = std::mem::replace(&mut self.in_select, true);
        let result = self.query(query, false);
        self.in_select = outer;
        result
    }

    /// `counted`: only whether it has rows is asked, so `*` names no columns.
    fn query(&mut self, query: &'a ast::Query, counted: bool) -> SqlResult<()> {
        no_ctes(query.with.as_deref())?;
        self.hints(&query.options)?;
        self.body(&query.body, !query.order_by.is_empty(), counted)?;
        query.order_by.iter().try_for_each(|item| self.expr(&item.expr))?;
        if query.offset.is_some() || query.fetch.is_some() {
            return Err(refused("operator", "OFFSET"));
        }
        match query.for_clause.as_deref() {
            Some(ast::ForClause::Xml(_)) => Err(refused("option", "FOR XML")),
            Some(ast::ForClause::Json(_)) => Err(refused("option", "FOR JSON")),
            Some(ast::ForClause::Browse) => Err(refused("option", "FOR BROWSE")),
            Some(ast::ForClause::ReadOnly | ast::ForClause::Update(_)) => Err(sql_error!(12306, NATIVE)),
            None => Ok(()),
        }
    }

    fn body(&mut self, body: &'a ast::QueryBody, sorted: bool, counted: bool) -> SqlResult<()> {
        match body {
            ast::QueryBody::Select(select) => self.select_body(select, sorted, counted),
            ast::QueryBody::Nested(query) => self.query(query, counted),
            ast::QueryBody::SetOperation(operation) => {
                self.body(&operation.first, false, counted)?;
                for (operator, right) in &operation.rest {
                    match operator {
                        ast::SetOperator::Except => return Err(refused("operator", "EXCEPT")),
                        ast::SetOperator::Intersect => return Err(refused("operator", "INTERSECT")),
                        ast::SetOperator::Union | ast::SetOperator::UnionAll => {}
                    }
                    self.body(right, false, counted)?;
                }
                Ok(())
            }
        }
    }

    fn select_body(&mut self, select: &'a ast::Select, sorted: bool, counted: bool) -> SqlResult<()> {
        if select.into.is_some() {
            return Err(refused("feature", "SELECT INTO"));
        }
        if let Some(top) = &select.top {
            self.top(top, sorted)?;
        }
        for item in &select.items {
            match item {
                ast::SelectItem::Star { .. } if counted => {}
                ast::SelectItem::Star { line, .. } => return Err(sql_error!(1054, state 6, "*").at_line(*line)),
                ast::SelectItem::Expr { expr, .. } => self.expr(expr)?,
                ast::SelectItem::Assign { value, .. } => self.expr(value)?,
            }
        }
        select.from.iter().try_for_each(|table| self.table_ref(table))?;
        select.filter.iter().chain(&select.having).try_for_each(|e| self.expr(e))?;
        if let Some(group_by) = &select.group_by {
            self.group_by(group_by)?;
        }
        match select.windows.is_empty() {
            true => Ok(()),
            false => Err(refused("feature", "WINDOW")),
        }
    }

    pub(super) fn top(&mut self, top: &'a ast::Top, sorted: bool) -> SqlResult<()> {
        if top.percent {
            return Err(refused("option", "PERCENT"));
        }
        if top.with_ties {
            return Err(refused("option", "WITH TIES"));
        }
        match &top.count {
            ast::Expr::Literal(ast::Literal::Int(rows)) if sorted && *rows > TOP_MAX => {
                Err(sql_error!(41398, TOP_MAX, rows))
            }
            count => self.expr(count),
        }
    }

    fn group_by(&mut self, group_by: &'a ast::GroupBy) -> SqlResult<()> {
        if group_by.all {
            return Err(refused("feature", "GROUP BY ALL"));
        }
        match group_by.with {
            Some(ast::OldGrouping::Rollup) => return Err(refused("feature", "ROLLUP")),
            Some(ast::OldGrouping::Cube) => return Err(refused("feature", "CUBE")),
            None => {}
        }
        for item in &group_by.items {
            match item {
                ast::GroupItem::Expr(expr) => self.expr(expr)?,
                ast::GroupItem::Set(list) if list.is_empty() => return Err(refused("feature", "GROUP BY ()")),
                ast::GroupItem::Set(list) => list.iter().try_for_each(|e| self.expr(e))?,
                ast::GroupItem::Rollup(_) => return Err(refused("feature", "ROLLUP")),
                ast::GroupItem::Cube(_) => return Err(refused("feature", "CUBE")),
                ast::GroupItem::GroupingSets(_) => return Err(refused("feature", "GROUPING SETS")),
            }
        }
        Ok(())
    }

    pub(super) fn hints(&mut self, hints: &'a [ast::QueryHint]) -> SqlResult<()> {
        for hint in hints {
            match hint {
                ast::QueryHint::Words(words)
                    if ["FORCE ORDER", "LOOP JOIN", "OPTIMIZE FOR UNKNOWN"].contains(&&**words) => {}
                ast::QueryHint::OptimizeFor(_) => {}
                ast::QueryHint::TableHint(_, hints) => self.table_hints(hints)?,
                ast::QueryHint::Words(name) | ast::QueryHint::Value(name, _) => {
                    return Err(refused("query hint", name));
                }
                ast::QueryHint::UseHint(_) => return Err(refused("query hint", "USE HINT")),
                ast::QueryHint::UsePlan(_) => return Err(refused("query hint", "USE PLAN")),
            }
        }
        Ok(())
    }

    pub(super) fn table_hints(&mut self, hints: &'a [ast::TableHint]) -> SqlResult<()> {
        for hint in hints {
            match hint {
                ast::TableHint::Index(_) | ast::TableHint::ForceSeek { .. } => {}
                ast::TableHint::Word(word) if ["FORCESEEK", "FORCESCAN"].contains(&&**word) => {}
                ast::TableHint::Word(word) => return Err(refused_at("table hint", &word.to_lowercase(), 82)),
                ast::TableHint::SpatialWindowMaxCells(_) => {
                    return Err(refused_at("table hint", "spatial_window_max_cells", 82));
                }
            }
        }
        Ok(())
    }

    // Tables.

    fn table_ref(&mut self, table: &'a ast::TableRef) -> SqlResult<()> {
        match table {
            ast::TableRef::Table(table) => {
                if table.sample.is_some() {
                    return Err(refused("operand", "TABLESAMPLE"));
                }
                if table.system_time.is_some() {
                    return Err(refused("feature", "FOR SYSTEM_TIME"));
                }
                if table.data_source.is_some() {
                    return Err(refused("operator", "OPENDATASOURCE"));
                }
                self.table_hints(&table.hints)?;
                if self.trigger
                    && table.name.is_unqualified()
                    && ["inserted", "deleted"].iter().any(|own| table.name.name.is(own))
                {
                    return Ok(());
                }
                self.table(&table.name).map(drop)
            }
            ast::TableRef::Variable(variable) => self.table_hints(&variable.hints),
            ast::TableRef::Function(function) => self.table_function(function),
            ast::TableRef::Derived(derived) => self.query(&derived.query, false),
            ast::TableRef::Values(_) => Err(refused("feature", "VALUES")),
            ast::TableRef::Dml(_) => Err(refused("feature", "OUTPUT")),
            ast::TableRef::Join(chain) => {
                self.table_ref(&chain.first)?;
                for join in &chain.joins {
                    self.join(join).map_err(|error| error.at_line(join.line))?;
                }
                Ok(())
            }
            ast::TableRef::Pivot(_) => Err(refused("operator", "PIVOT")),
            ast::TableRef::Unpivot(_) => Err(refused("operator", "UNPIVOT")),
        }
    }

    fn join(&mut self, join: &'a ast::Join) -> SqlResult<()> {
        match join.hint {
            Some(ast::JoinHint::Hash) => return Err(refused("join hint", "HASH")),
            Some(ast::JoinHint::Merge) => return Err(refused("join hint", "MERGE")),
            Some(ast::JoinHint::Remote) => return Err(refused("join hint", "REMOTE")),
            Some(ast::JoinHint::Loop) | None => {}
        }
        if join.kind == ast::JoinKind::Full {
            return Err(refused("operator", "FULL OUTER JOIN"));
        }
        self.table_ref(&join.right)?;
        join.on.iter().try_for_each(|condition| self.expr(condition))
    }

    /// A table by its name: it must be there, and in memory.
    pub(super) fn table(&mut self, name: &'a ast::ObjectName) -> SqlResult<Arc<TableDef>> {
        if name.is_temporary() {
            return Err(sql_error!(12322, NATIVE).at_line(name.line));
        }
        self.two_parts(name)?;
        match self.catalog.resolve(&object_name(name))? {
            Some(Object::Table(table)) if table.memory.is_some() => {
                if !self.tables.iter().any(|known| known.object == table.object) {
                    self.tables.push(table.clone());
                }
                Ok(table)
            }
            Some(_) => Err(inaccessible(&display(name)).at_line(name.line)),
            None => Err(errors::invalid_object(&display(name)).at_line(name.line)),
        }
    }

    pub(super) fn two_parts(&self, name: &ast::ObjectName) -> SqlResult<()> {
        if name.schema.is_some() && name.database.is_none() && name.server.is_none() {
            return Ok(());
        }
        let (kind, module) = &self.module;
        Err(sql_error!(4512, state 3, kind, module, display(name)).at_line(name.line))
    }

    fn table_function(&mut self, function: &'a ast::TableFunction) -> SqlResult<()> {
        use ast::TableFunctionKind as F;
        match &function.kind {
            F::Call { name, .. } if name.is_unqualified() => Err(refused_at("function", &name.name.to_lowercase(), 85)),
            F::Call { name, args } => {
                self.two_parts(name)?;
                match self.catalog.resolve(&object_name(name))? {
                    Some(Object::Module(module)) if module.kind == ModuleKind::InlineFunction && module.native => {
                        self.references.insert((module.object, 0));
                        args.iter().try_for_each(|argument| self.expr(argument))
                    }
                    Some(_) => Err(inaccessible(&display(name))),
                    None => Err(errors::invalid_object(&display(name))),
                }
            }
            F::Method { .. } => Err(sql_error!(12314, NATIVE)),
            F::OpenJson { .. } => Err(refused_at("function", "openjson", 85)),
            F::OpenXml { .. } => Err(refused("operator", "OPENXML")),
            F::OpenRowsetBulk { .. } | F::OpenRowset { .. } => Err(refused("operator", "OPENROWSET")),
            F::ChangeTable { .. } => Err(refused("operator", "CHANGETABLE")),
            F::FullText { free: true, .. } => Err(refused("operator", "FREETEXTTABLE")),
            F::FullText { .. } => Err(refused("operator", "CONTAINSTABLE")),
        }
    }

    // Expressions.

    pub(super) fn expr(&mut self, expr: &'a ast::Expr) -> SqlResult<()> {
        use ast::Expr::*;
        match expr {
            Literal(_) | Variable(_) | OdbcLiteral(..) | Default | UpdateColumn(_) | Word(_) => Ok(()),
            Global(global) => match ["@@ROWCOUNT", "@@SPID"].iter().any(|known| same_name(known, &global.name)) {
                true => Ok(()),
                false => Err(refused_at("function", &global.name, 85).at_line(global.line)),
            },
            Column(column) => {
                self.columns.push(&column.name.text);
                Ok(())
            }
            Niladic(ast::Niladic::CurrentDate) => Err(refused_at("function", "current_date", 85)),
            Niladic(ast::Niladic::CurrentTime) => Err(refused_at("function", "current_time", 85)),
            Niladic(_) => Ok(()),
            Unary(_, operand) | Not(operand) | Collate(operand, _) => self.expr(operand),
            IsNull { operand, .. } => self.expr(operand),
            Arithmetic(chain) => {
                self.expr(&chain.first)?;
                chain.rest.iter().try_for_each(|(_, e)| self.expr(e))
            }
            Compare(c) => self.all([&c.left, &c.right]),
            And(list) | Or(list) => self.all(list),
            IsDistinctFrom(d) => self.all([&d.left, &d.right]),
            Like(like) => Err(refused("operator", "LIKE").at_line(like.line)),
            Between(b) => self.all([&b.operand, &b.low, &b.high]),
            InList(list) => {
                self.expr(&list.operand)?;
                self.all(&list.list)
            }
            InQuery(q) => {
                self.expr(&q.operand)?;
                self.nested(&q.query, false)
            }
            Exists(query) => self.nested(query, true),
            Subquery(query) => self.nested(query, false),
            Quantified(q) => {
                self.expr(&q.left)?;
                self.nested(&q.query, false)
            }
            Case(case) => {
                self.all(&case.operand)?;
                for (when, then) in &case.whens {
                    self.all([when, then])?;
                }
                self.all(&case.otherwise)
            }
            Cast(c) => {
                self.data_type(&c.to)?;
                self.expr(&c.operand)
            }
            Convert(c) => {
                self.data_type(&c.to)?;
                self.expr(&c.operand)?;
                self.all(&c.style)
            }
            Call(call) => self.call(call).map_err(|error| error.at_line(call.line)),
            Parse(parse) => Err(refused_at("function", "parse", 85).at_line(parse.line)),
            Method(_) | StaticMethod(_) => Err(sql_error!(12314, NATIVE)),
            AtTimeZone(..) => Err(refused("operator", "AT TIME ZONE")),
            NextValueFor(_) => Err(refused("operator", "NEXT VALUE FOR")),
            FullText(full_text) => Err(refused("operator", if full_text.free { "FREETEXT" } else { "CONTAINS" })),
            GraphMatch(_) => Err(refused("operator", "MATCH")),
        }
    }

    fn all(&mut self, exprs: impl IntoIterator<Item = &'a ast::Expr>) -> SqlResult<()> {
        exprs.into_iter().try_for_each(|e| self.expr(e))
    }

    fn nested(&mut self, query: &'a ast::Query, counted: bool) -> SqlResult<()> {
        if self.in_select { self.query(query, counted) } else { Err(subquery().at_line(query.line)) }
    }

    fn call(&mut self, call: &'a ast::Call) -> SqlResult<()> {
        if !call.name.is_unqualified() {
            self.two_parts(&call.name)?;
            if let Some(Object::Module(module)) = self.catalog.resolve(&object_name(&call.name))? {
                if !module.native {
                    return Err(sql_error!(12344));
                }
                self.references.insert((module.object, 0));
            }
            return self.all(&call.args);
        }
        let name = &*call.name.name.text;
        let over = call.extra.as_ref().is_some_and(|extra| extra.over.is_some());
        if window_function(name).is_some() {
            return Err(refused("ranking function", &name.to_uppercase()));
        }
        if let Some(aggregate) = aggregate_function(name) {
            use AggregateFunction::*;
            if !matches!(aggregate, Count | CountBig | Sum | Avg | Min | Max | StringAgg) {
                return Err(refused("aggregate function", &name.to_uppercase()));
            }
            if over {
                return Err(refused("feature", "OVER"));
            }
            if call.distinct {
                return Err(refused("option", "DISTINCT"));
            }
            return self.all(&call.args);
        }
        match FunctionId::find(name) {
            Some((_, function, ..)) if is_error_function(*function) && !self.in_catch => {
                Err(sql_error!(10792, name.to_lowercase()))
            }
            Some((_, function, ..)) if !is_supported(*function) => {
                Err(refused_at("function", &name.to_lowercase(), 85))
            }
            // One that is none is binding's to say.
            _ => self.all(&call.args),
        }
    }
}

fn is_error_function(function: FunctionId) -> bool {
    use FunctionId::*;
    matches!(function, ErrorLine | ErrorMessage | ErrorNumber | ErrorProcedure | ErrorSeverity | ErrorState)
}

/// The built-in functions of natively compiled modules, as SQL Server documents them; and DATENAME and what CASE is made of, which it
/// takes as well.
fn is_supported(function: FunctionId) -> bool {
    use FunctionId::*;
    is_error_function(function)
        || matches!(
            function,
            Abs | Acos
                | Asin
                | Atan
                | Atn2
                | Ceiling
                | Cos
                | Cot
                | Degrees
                | Exp
                | Floor
                | Log
                | Log10
                | Pi
                | Power
                | Radians
                | Rand
                | Round
                | Sign
                | Sin
                | Sqrt
                | Square
                | Tan
        )
        || matches!(
            function,
            CurrentTimestamp
                | Dateadd
                | Datediff
                | Datefromparts
                | Datename
                | Datepart
                | Datetime2fromparts
                | Datetimefromparts
                | Day
                | Eomonth
                | Getdate
                | Getutcdate
                | Month
                | Smalldatetimefromparts
                | Sysdatetime
                | Sysutcdatetime
                | Year
        )
        || matches!(function, ConcatWs | Len | Ltrim | Rtrim | Substring | Translate | Trim)
        || matches!(function, Choose | Coalesce | Iif | Isnull | Nullif)
        || matches!(function, Isjson | JsonModify | JsonQuery | JsonValue)
        || matches!(function, Newid | Newsequentialid | ScopeIdentity)
        || matches!(
            function,
            ContextInfo
                | CurrentUser
                | IsMember
                | IsRolemember
                | IsSrvrolemember
                | OriginalLogin
                | SessionUser
                | SuserId
                | SuserName
                | SuserSid
                | SuserSname
                | SystemUser
                | TriggerNestlevel
                | Update
                | User
                | UserId
                | UserName
        )
}
