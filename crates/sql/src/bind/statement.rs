//! Binding of one deferred statement, and of expressions on their own.

use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use super::BindOptions;
use super::binder::{Binder, Names};
use super::convert::implicit;
use super::errors;
use super::query::{Bound, Use, condition_value};
use super::scope::Scope;
use crate::ast;
use crate::catalog::Catalog;
use crate::optimize::{Get, JoinMethod, Output, Rel};
use crate::plan::{
    ExecutorSlot, Expr, ExprKind, ForFormat, GrantEstimate, InlineSchema, JoinKind, Module, Operator, OperatorKind,
    OutputColumn, Query, QueryKind, SortedBy, TableSource, XmlMode, XmlOwner,
};

/// Binds a statement that `bind_module` deferred. The error has the line of what is wrong.
pub fn bind_query(
    statement: &ast::Statement,
    module: &Module,
    catalog: &dyn Catalog,
    options: &BindOptions,
) -> Result<Query, SqlError> {
    let names = Names {
        variables: &module.variables,
        table_variables: &module.table_variables,
        cursors: &module.cursor_variables,
        kind: module.kind,
        trigger_table: module.trigger_table.as_ref(),
        trigger: module.trigger,
        schema: module.schema.as_deref(),
        module: module.object,
    };
    // Before any definition is read: one that is committed meanwhile makes this query old, however much of it was bound to it.
    let catalog_version = catalog.version();
    let mut binder = Binder::new(catalog, options, names);
    binder.lowering.looks_up = module.atomic.is_some();
    binder.inlines = true;
    binder.missing = Some(Vec::new());
    let bound = binder.statement(statement);
    let missing = binder.missing.take().unwrap_or_default();
    if !missing.is_empty() {
        // What else is wrong may only come from what stands for these.
        return Err(SqlError::together(missing).at_line(statement.line));
    }
    let kind = bound.map_err(|e| e.at_line(statement.line))?;
    binder.check_table_hints().map_err(|e| e.at_line(statement.line))?;
    if binder.needs.names_long_text {
        return Err(sql_error!(311).at_line(statement.line));
    }
    if binder.lowering.impossible_hint {
        return Err(errors::impossible_hint().at_line(statement.line));
    }
    if module.atomic.is_some() && binder.text_extreme {
        return Err(super::native::text_extreme().at_line(statement.line));
    }
    let (percent_min, percent_max) = binder.grant_percent;
    Ok(Query {
        grant: GrantEstimate { percent_min, percent_max, ..GrantEstimate::of(kind.plan()) },
        kind,
        outer_slots: binder.lowering.slots,
        watches: binder.lowering.watches.into(),
        catalog_version,
        row_targets: binder.row_targets,
        row_guards: binder.row_guards,
        session_private: binder.session_private,
        notices: binder.notices.into_iter().map(|notice| notice.at_line(statement.line)).collect(),
        needs: binder.needs.finish(),
        description: ExecutorSlot::default(),
    })
}

/// Whether `bind_query` takes a statement that a module keeps: one that defines or administers is kept, too, and carried out as written.
pub fn is_query(statement: &ast::Statement) -> bool {
    use ast::StatementKind::*;
    matches!(
        &statement.kind,
        Select(_)
            | DeclareCursor(_)
            | Insert(_)
            | Update(_)
            | Delete(_)
            | Merge(_)
            | SetVariable(_)
            | If(_)
            | Return(Some(_))
            | Print(_)
    )
}

/// An expression without tables, as `to` if that is given: arguments of administrative statements, defaults of parameters.
pub fn bind_scalar(
    expr: &ast::Expr,
    to: Option<&SqlType>,
    names: Names,
    catalog: &dyn Catalog,
    options: &BindOptions,
) -> SqlResult<Expr> {
    let mut binder = Binder::new(catalog, options, names);
    let bound = binder.expr(expr, &Scope::EMPTY)?;
    match to {
        Some(to) => implicit(bound, to),
        None => Ok(bound),
    }
}

impl Binder<'_> {
    fn statement(&mut self, statement: &ast::Statement) -> SqlResult<QueryKind> {
        use ast::StatementKind as S;
        self.changes = match &statement.kind {
            S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) => true,
            S::Select(query) => matches!(&query.body, ast::QueryBody::Select(select) if select.into.is_some()),
            _ => false,
        };
        match &statement.kind {
            ast::StatementKind::Select(query) => {
                self.hints(&query.options)?;
                self.select_statement(query)
            }
            ast::StatementKind::DeclareCursor(declare) => {
                let query = declare.definition.query.as_ref().expect("a cursor that is declared has a query");
                self.hints(&query.options)?;
                self.cursor_query(query, declare.definition.kind)
            }
            ast::StatementKind::Insert(insert) => {
                self.hints(&insert.options)?;
                self.insert(insert)
            }
            ast::StatementKind::Update(update) => {
                self.hints(&update.options)?;
                self.update(update)
            }
            ast::StatementKind::Delete(delete) => {
                self.hints(&delete.options)?;
                self.delete(delete)
            }
            ast::StatementKind::Merge(merge) => {
                self.hints(&merge.options)?;
                self.merge(merge)
            }
            // SET and DECLARE whose value needs tables.
            ast::StatementKind::SetVariable(set) => {
                let ast::SetVariableKind::Value(op, value) = &set.kind else {
                    return Err(errors::not_supported("SET"));
                };
                let slot = self.slot(&set.variable)?;
                let value = self.expr(value, &Scope::NO_ROWS)?;
                let value = self.assigned(slot, *op, value)?;
                let plan = self.one_row(vec![self.masked(value)]);
                Ok(QueryKind::SelectAssign { plan, slots: vec![slot] })
            }
            // A condition of IF or WHILE with a subquery: one row with one bit.
            ast::StatementKind::If(branches) if branches.branches.len() == 1 => {
                let condition = self.expr(&branches.branches[0].condition, &Scope::NO_ROWS)?;
                let plan = self.one_row(vec![condition_value(condition)]);
                Ok(QueryKind::Select(plan))
            }
            // RETURN with a value that needs tables.
            ast::StatementKind::Return(Some(value)) => {
                // What a RETURN calls is not inlined.
                self.inlines = false;
                let bound = self.expr(value, &Scope::EMPTY)?;
                let bound = match self.names.kind {
                    crate::plan::BodyKind::ScalarFunction(ty) => implicit(bound, &ty)?,
                    _ => implicit(bound, &SqlType::INT)?,
                };
                let plan = self.one_row(vec![self.masked(bound)]);
                Ok(QueryKind::Select(plan))
            }
            ast::StatementKind::Print(value) => {
                let bound = self.expr(value, &Scope::EMPTY)?;
                let plan = self.one_row(vec![self.masked(bound)]);
                Ok(QueryKind::Select(plan))
            }
            _ => panic!("only statements that read or write tables are bound here"),
        }
    }

    fn one_row(&mut self, exprs: Vec<Expr>) -> crate::plan::Operator {
        let outputs = exprs.into_iter().map(|expr| Output { name: "".into(), expr }).collect();
        self.lowering.root(&mut self.columns, Rel::one_row(), outputs)
    }

    fn hints(&mut self, hints: &[ast::QueryHint]) -> SqlResult<()> {
        let (mut loops, mut hashes) = (false, false);
        super::option::check_repeated(hints)?;
        for hint in hints {
            match hint {
                ast::QueryHint::UsePlan(plan) => super::option::check_plan(plan)?,
                ast::QueryHint::TableHint(name, hints) => self.table_hint(name, hints)?,
                ast::QueryHint::UseHint(names) => names.iter().try_for_each(|name| self.use_hint(name))?,
                ast::QueryHint::Words(words) if &**words == "FORCE ORDER" => self.force_order = true,
                ast::QueryHint::Words(words) if &**words == "EXPAND VIEWS" => self.expands_views = true,
                ast::QueryHint::Words(words) if &**words == "LOOP JOIN" => loops = true,
                ast::QueryHint::Words(words) if matches!(&**words, "HASH JOIN" | "MERGE JOIN") => hashes = true,
                ast::QueryHint::Value(name, value) if &**name == "MAXRECURSION" => {
                    let bound = self.expr(value, &Scope::EMPTY)?;
                    match bound.kind {
                        ExprKind::Literal(Datum::I64(n)) if (0..=32767).contains(&n) => self.rounds_max = n as u32,
                        kind => {
                            let given = match kind {
                                ExprKind::Literal(Datum::I64(n)) => n,
                                _ => -1,
                            };
                            return Err(sql_error!(310, given, 32767));
                        }
                    }
                }
                ast::QueryHint::Value(name, value) if &**name == "MIN_GRANT_PERCENT" => {
                    self.grant_percent.0 = Some(self.percent(name, value)?);
                }
                ast::QueryHint::Value(name, value) if &**name == "MAX_GRANT_PERCENT" => {
                    self.grant_percent.1 = Some(self.percent(name, value)?);
                }
                // It would choose other rows; all other hints say how, not what.
                ast::QueryHint::Words(words) | ast::QueryHint::Value(words, _) if words.starts_with("FOR ") => {
                    return Err(errors::unsupported(&format!("OPTION ({words})")));
                }
                _ => {}
            }
        }
        // Several of them leave the choice among those.
        self.lowering.join_method = match (loops, hashes) {
            (true, false) => Some(JoinMethod::Loop),
            (false, true) => Some(JoinMethod::Hash),
            _ => None,
        };
        Ok(())
    }

    /// 10715
    fn use_hint(&mut self, name: &str) -> SqlResult<()> {
        if !use_hints().any(|known| known.eq_ignore_ascii_case(name)) {
            return Err(sql_error!(10715, name));
        }
        self.inlines &= !name.eq_ignore_ascii_case("DISABLE_TSQL_SCALAR_UDF_INLINING");
        let name = name.to_ascii_uppercase();
        let level = name.strip_prefix(HINT_LEVEL).and_then(|level| level.parse().ok());
        self.level = level.or(self.level);
        Ok(())
    }

    /// "MAX_GRANT_PERCENT = percent": 0.0 to 100.0.
    fn percent(&mut self, name: &str, value: &ast::Expr) -> SqlResult<f64> {
        let bound = self.expr(value, &Scope::EMPTY)?;
        let percent = match (&bound.kind, bound.ty.scale) {
            (ExprKind::Literal(Datum::I64(percent)), _) => Some(*percent as f64),
            (ExprKind::Literal(Datum::I128(unscaled)), scale) => Some(*unscaled as f64 / 10f64.powi(scale.into())),
            (ExprKind::Literal(Datum::F64(percent)), _) => Some(*percent),
            _ => None,
        };
        percent.filter(|percent| (0.0..=100.0).contains(percent)).ok_or_else(|| sql_error!(1042, name))
    }

    fn select_statement(&mut self, query: &ast::Query) -> SqlResult<QueryKind> {
        self.browses = self.tells_origins(query)?;
        self.matches_views = true;
        let mut bound = self.query(query, None, None, Use::Root)?;
        bound.rel = self.with_views(bound.rel, &bound.outputs);
        let plain = bound.into.is_none() && bound.assigns.is_empty();
        if let Some(clause @ ast::ForClause::Xml(ast::ForXml { typed: true, .. })) = query.for_clause.as_deref()
            && plain
        {
            // One value of type xml, and no text in pieces.
            bound = self.text_subquery(bound, clause)?;
            self.mask_outputs(&mut bound.outputs);
            let mut plan = self.lowering.root(&mut self.columns, bound.rel, bound.outputs);
            plan.columns.iter_mut().for_each(|column| column.computed = false);
            return Ok(QueryKind::Select(plan));
        }
        if bound.into.is_some() {
            super::xml::refuse_text(query, "SELECT INTO")?;
        }
        if !bound.assigns.is_empty()
            && matches!(query.for_clause.as_deref(), Some(ast::ForClause::Xml(_) | ast::ForClause::Json(_)))
        {
            return Err(sql_error!(6819, state 3, "ASSIGNMENT"));
        }
        let raw = json_outputs(&bound.outputs);
        self.mask_outputs(&mut bound.outputs);
        let (into, owners) = (bound.into, bound.owners);
        if let Some(ast::IntoTable { table: target, filegroup }) = into {
            let mut seen: Vec<&str> = Vec::new();
            for (i, output) in bound.outputs.iter().enumerate() {
                if output.name.is_empty() {
                    return Err(sql_error!(1038, state 5));
                }
                if seen.iter().any(|name| super::names::same_name(name, &output.name)) {
                    return Err(sql_error!(2705, state 3, output.name, super::names::display(&target)));
                }
                seen.push(&bound.outputs[i].name);
            }
            let joins = joins(&bound.rel);
            let mut plan = self.lowering.root(&mut self.columns, bound.rel, bound.outputs);
            keep_identity(&mut plan.columns, joins);
            if let Some(identity) = self.into_identity {
                identity.mark(&mut plan.columns, &target)?;
            }
            if target.is_temporary() {
                self.session_private = true;
            }
            let filegroup = filegroup.map(|name| name.text);
            return Ok(QueryKind::SelectInto { plan, target: super::names::object_name(&target), filegroup });
        }
        let mut plan = self.lowering.root(&mut self.columns, bound.rel, bound.outputs);
        note_order(&mut plan.columns, &bound.order);
        if self.browses {
            self.tell_origins(&mut plan.columns, bound.hidden);
        }
        if !bound.assigns.is_empty() {
            return Ok(QueryKind::SelectAssign { plan, slots: bound.assigns });
        }
        match query.for_clause.as_deref() {
            Some(clause @ (ast::ForClause::Xml(_) | ast::ForClause::Json(_))) => {
                Ok(QueryKind::ForText { plan, format: for_format(clause, raw, owners, &self.xml_namespaces)? })
            }
            _ => Ok(QueryKind::Select(plan)),
        }
    }

    /// The query of a cursor whose rows may be changed WHERE CURRENT OF it: a locator for each table follows its columns. KEYSET of a
    /// table without a unique index is STATIC ("DECLARE CURSOR"), which has none, and so is any cursor over a memory-optimized table
    /// ("Accessing Memory-Optimized Tables Using Interpreted Transact-SQL").
    fn cursor_query(&mut self, query: &ast::Query, kind: Option<ast::CursorKind>) -> SqlResult<QueryKind> {
        // WHERE CURRENT OF changes the tables of a view.
        self.expands_views = true;
        let mut bound = self.query(query, None, None, Use::Root)?;
        self.mask_outputs(&mut bound.outputs);
        let mut gets = Vec::new();
        row_sources(&mut bound.rel, &mut gets);
        let lacks_key = kind == Some(ast::CursorKind::Keyset) && !gets.iter().all(|get| has_unique_index(&get.source));
        if lacks_key || gets.iter().any(|get| get.table.memory.is_some()) {
            gets.clear();
        }
        for get in gets {
            let locator = *get.locator.get_or_insert_with(|| self.columns.add(SqlType::varbinary(64), true));
            self.row_targets.push(get.source.clone());
            bound.outputs.push(Output { name: "".into(), expr: self.columns.expr(locator) });
        }
        for at in 0..self.row_targets.len() {
            let guard = self.row_guard(&self.row_targets[at].clone())?;
            self.row_guards.push(guard);
        }
        let mut plan = self.lowering.root(&mut self.columns, bound.rel, bound.outputs);
        note_order(&mut plan.columns, &bound.order);
        Ok(QueryKind::Select(plan))
    }

    /// FOR XML or FOR JSON in a subquery: one column of text, or of xml.
    pub fn text_subquery(&mut self, bound: Bound, clause: &ast::ForClause) -> SqlResult<Bound> {
        let raw = json_outputs(&bound.outputs);
        let format = for_format(clause, raw, bound.owners, &self.xml_namespaces)?;
        // With TYPE its nodes stay nodes in whatever XML is put together around it.
        let ty = match format {
            ForFormat::Xml { ty: true, .. } => SqlType::XML,
            _ => SqlType::NVARCHAR_MAX.with_collation(self.catalog.collation()),
        };
        let id = self.columns.add(ty, true);
        let mask = self.mask_of_all(bound.outputs.iter().map(|output| &output.expr));
        self.columns.set_mask(id, mask);
        let rel =
            Rel::Text(Box::new(crate::optimize::TextRows { id, input: bound.rel, outputs: bound.outputs, format }));
        Ok(Bound::new(rel, vec![Output { name: "".into(), expr: self.columns.expr(id) }]))
    }
}

fn note_order(columns: &mut [OutputColumn], order: &[(Option<usize>, bool)]) {
    // What is computed below a sort by what is not shown, clients are not told of as computed.
    if order.iter().any(|(place, _)| place.is_none()) {
        columns.iter_mut().for_each(|column| column.computed = false);
    }
    for (at, (place, descending)) in order.iter().enumerate() {
        if let Some(column) = place.and_then(|place| columns.get_mut(place)) {
            let (at, of) = (at as u16, order.len() as u16);
            column.sorted.get_or_insert(SortedBy { at, of, descending: *descending });
        }
    }
}

/// Which of the outputs are JSON that FOR JSON takes over as it is.
fn json_outputs(outputs: &[Output]) -> Vec<bool> {
    fn makes_json(plan: &Operator) -> bool {
        match &plan.kind {
            OperatorKind::Project { input, .. } => makes_json(input),
            OperatorKind::ForText { format, .. } => matches!(format, ForFormat::Json { .. }),
            _ => false,
        }
    }
    let is_json = |output: &Output| match &output.expr.kind {
        _ if output.expr.ty.is_json() => true,
        ExprKind::Function(id, _) => super::json::gives_json(*id),
        ExprKind::Subquery(subquery) => makes_json(&subquery.plan),
        _ => false,
    };
    outputs.iter().map(is_json).collect()
}

/// Tables whose rows come through one by one: none below a grouping or a union.
fn row_sources<'r>(rel: &'r mut Rel, out: &mut Vec<&'r mut Get>) {
    match rel {
        Rel::Get(get) => out.push(get),
        Rel::Filter { input, .. } | Rel::Map { input, .. } | Rel::Sort { input, .. } => row_sources(input, out),
        Rel::Top(top) => row_sources(&mut top.input, out),
        Rel::Join(join) => {
            row_sources(&mut join.left, out);
            if !matches!(join.kind, JoinKind::Semi | JoinKind::Anti) {
                row_sources(&mut join.right, out);
            }
        }
        _ => {}
    }
}

/// One that knows each row of the table by its key.
fn has_unique_index(source: &TableSource) -> bool {
    let (TableSource::Base(table) | TableSource::Variable(_, table)) = source else { return false };
    table.indexes.iter().any(|index| index.unique && index.filter.is_empty())
}

/// FOR XML or FOR JSON. `owners`: of AUTO.
fn for_format(
    clause: &ast::ForClause,
    raw: Vec<bool>,
    owners: Vec<Option<XmlOwner>>,
    namespaces: &[(Box<str>, Box<str>)],
) -> SqlResult<ForFormat> {
    let named =
        |root: &Option<Option<Box<str>>>| root.as_ref().map(|name| name.clone().unwrap_or_else(|| "root".into()));
    Ok(match clause {
        ast::ForClause::Json(json) if !json.path && owners.iter().all(Option::is_none) => {
            return Err(sql_error!(13600));
        }
        ast::ForClause::Json(json) => ForFormat::Json {
            auto: !json.path,
            root: named(&json.root),
            include_nulls: json.include_null_values,
            without_wrapper: json.without_array_wrapper,
            raw,
            owners,
        },
        ast::ForClause::Xml(xml) => {
            super::xml::check_for_xml(xml, &owners, namespaces)?;
            ForFormat::Xml {
                mode: match xml.mode {
                    ast::XmlMode::Raw => XmlMode::Raw,
                    ast::XmlMode::Auto => XmlMode::Auto,
                    ast::XmlMode::Path => XmlMode::Path,
                    ast::XmlMode::Explicit => XmlMode::Explicit,
                },
                element: xml.element.clone(),
                root: named(&xml.root),
                elements: xml.elements.is_some(),
                nil: xml.elements == Some(ast::XmlElements::XsiNil),
                ty: xml.typed,
                base64: xml.binary_base64,
                namespaces: namespaces.to_vec(),
                owners,
                schema: match (&xml.schema, xml.xml_data) {
                    (Some(uri), _) => Some(InlineSchema::Xsd(uri.clone())),
                    (None, true) => Some(InlineSchema::Xdr),
                    (None, false) => None,
                },
            }
        }
        _ => panic!("only XML and JSON make text"),
    })
}

/// The FROM clause joins, wherever: tests of a WHERE clause (EXISTS, IN) are no joins to their writer.
fn joins(rel: &Rel) -> bool {
    match rel {
        Rel::Join(join) if matches!(join.kind, JoinKind::Semi | JoinKind::Anti) => joins(&join.left),
        Rel::Join(_) => true,
        other => {
            let mut found = false;
            other.for_each_input(&mut |input| found |= joins(input));
            found
        }
    }
}

/// SELECT INTO: an identity column is one in the new table too, unless the query joins or lists it more than once. (What is made of
/// it by an expression, a UNION or a group is no column of the table.)
fn keep_identity(columns: &mut [OutputColumn], joins: bool) {
    let identity = |column: &OutputColumn| {
        let origin = column.origin.as_ref();
        origin.is_some_and(|origin| origin.table.columns[usize::from(origin.column)].identity.is_some())
    };
    if joins || columns.iter().filter(|column| identity(column)).count() > 1 {
        columns.iter_mut().for_each(|column| column.origin = None);
    }
}

/// What USE HINT may name, besides levels of compatibility. All of them say how, not what.
///
/// https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-query#use_hint
const USE_HINTS: [&str; 26] = [
    "ASSUME_FIXED_MAX_SELECTIVITY_FOR_REGEXP",
    "ASSUME_FIXED_MIN_SELECTIVITY_FOR_REGEXP",
    "ASSUME_FULL_INDEPENDENCE_FOR_FILTER_ESTIMATES",
    "ASSUME_JOIN_PREDICATE_DEPENDS_ON_FILTERS",
    "ASSUME_MIN_SELECTIVITY_FOR_FILTER_ESTIMATES",
    "ASSUME_PARTIAL_CORRELATION_FOR_FILTER_ESTIMATES",
    "DISABLE_BATCH_MODE_ADAPTIVE_JOINS",
    "DISABLE_BATCH_MODE_MEMORY_GRANT_FEEDBACK",
    "DISABLE_CE_FEEDBACK",
    "DISABLE_DEFERRED_COMPILATION_TV",
    "DISABLE_DOP_FEEDBACK",
    "DISABLE_INTERLEAVED_EXECUTION_TVF",
    "DISABLE_MEMORY_GRANT_FEEDBACK_PERSISTENCE",
    "DISABLE_OPTIMIZED_NESTED_LOOP",
    "DISABLE_OPTIMIZED_PLAN_FORCING",
    "DISABLE_OPTIMIZER_ROWGOAL",
    "DISABLE_OPTIONAL_PARAMETER_OPTIMIZATION",
    "DISABLE_PARAMETER_SNIFFING",
    "DISABLE_ROW_MODE_MEMORY_GRANT_FEEDBACK",
    "DISABLE_TSQL_SCALAR_UDF_INLINING",
    "DISALLOW_BATCH_MODE",
    "ENABLE_HIST_AMENDMENT_FOR_ASC_KEYS",
    "ENABLE_QUERY_OPTIMIZER_HOTFIXES",
    "FORCE_DEFAULT_CARDINALITY_ESTIMATION",
    "FORCE_LEGACY_CARDINALITY_ESTIMATION",
    "QUERY_PLAN_PROFILE",
];

const HINT_LEVEL: &str = "QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_";
/// Each with `HINT_LEVEL` before it.
const HINT_LEVELS: [u32; 8] = [100, 110, 120, 130, 140, 150, 160, 170];

/// `sys.dm_exec_valid_use_hints`.
pub fn use_hints() -> impl Iterator<Item = String> {
    let levels = HINT_LEVELS.map(|level| format!("{HINT_LEVEL}{level}"));
    USE_HINTS.iter().map(|name| (*name).to_owned()).chain(levels)
}
