//! A plan as SET SHOWPLAN_TEXT shows it: one line an operator, inputs indented below it.

use std::collections::HashMap;

use types::convert;

use super::expr::{ArithmeticOp, CompareOp, Expr, ExprKind};
use super::operator::{
    Bound, GroupStrategy, HashJoin, JoinKind, NestedLoops, Operator, OperatorKind, Scan, SortKey, TableSource, Top,
};
use super::statement::{Module, QueryKind};
use crate::catalog::{IndexKind, TableDef};

/// The lines for `query`, bound in `module`.
pub fn show(query: &QueryKind, module: &Module) -> Vec<String> {
    show_operators(query, module).0
}

/// Of a line: its operator.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shown {
    /// Where it lies in the plan; 0: it is none of the plan's own.
    pub place: usize,
    /// That the planner expects of one execution.
    pub rows: Option<f64>,
}

/// The same, and the operator of each line.
pub fn show_operators(query: &QueryKind, module: &Module) -> (Vec<String>, Vec<Shown>) {
    let show = Show::of(query, module, None);
    (show.lines, show.operators)
}

/// The same, and the columns that each gives.
pub fn show_outputs(query: &QueryKind, module: &Module) -> (Vec<String>, Vec<Shown>, Vec<String>) {
    let show = Show::of(query, module, Some(Vec::new()));
    (show.lines, show.operators, show.outputs.unwrap_or_default())
}

struct Show<'a> {
    module: &'a Module,
    /// What correlated values are named.
    outer: HashMap<u32, String>,
    lines: Vec<String>,
    operators: Vec<Shown>,
    /// The operator whose line comes next; none: it has one.
    at: Shown,
    /// The columns of each, where somebody wants to know, and those of the next.
    outputs: Option<Vec<String>>,
    gives: String,
}

impl<'a> Show<'a> {
    fn of(query: &QueryKind, module: &'a Module, outputs: Option<Vec<String>>) -> Show<'a> {
        let mut show = Show {
            module,
            outer: HashMap::new(),
            lines: Vec::new(),
            operators: Vec::new(),
            at: Shown::default(),
            outputs,
            gives: String::new(),
        };
        show.query(query);
        show
    }

    fn query(&mut self, query: &QueryKind) {
        match query {
            QueryKind::Select(plan)
            | QueryKind::SelectAssign { plan, .. }
            | QueryKind::SelectInto { plan, .. }
            | QueryKind::ForText { plan, .. } => self.operator(plan, 0),
            QueryKind::Modify(modify) => {
                self.line(0, format!("Table {}({})", title(modify.verb), object(&modify.target)));
                self.operator(&modify.source, 1);
            }
            QueryKind::InsertExecute { .. } => self.line(0, "Table Insert".to_string()),
        }
    }
}

fn title(verb: &str) -> String {
    let (first, rest) = verb.split_at(1.min(verb.len()));
    format!("{first}{}", rest.to_ascii_lowercase())
}

fn table_of(source: &TableSource) -> &TableDef {
    match source {
        TableSource::Base(table)
        | TableSource::Variable(_, table)
        | TableSource::Inserted(table)
        | TableSource::Deleted(table)
        | TableSource::View(table) => table,
    }
}

fn object(source: &TableSource) -> String {
    let table = table_of(source);
    format!("OBJECT:([{}].[{}])", table.schema, table.name)
}

/// Names of the values in a row of `operator`.
fn names(operator: &Operator) -> Vec<String> {
    match &operator.kind {
        OperatorKind::Scan(scan) => {
            let table = table_of(&scan.table);
            let named = |column: &u16| format!("[{}].[{}]", table.name, table.columns[*column as usize].name);
            let locator = scan.locator.then(|| "[Bmk]".to_string());
            return scan.columns.iter().map(named).chain(locator).collect();
        }
        OperatorKind::Filter { input, .. } | OperatorKind::Sort { input, .. } | OperatorKind::Spool(input) => {
            return names(input);
        }
        OperatorKind::IndexSpool(spool) => return names(&spool.input),
        OperatorKind::Shared(shared) => return names(&shared.input),
        OperatorKind::Sharing { input, .. } => return names(input),
        OperatorKind::Top(top) => return names(&top.input),
        OperatorKind::NestedLoops(join) => return joined(&join.outer, &join.inner, join.kind),
        OperatorKind::HashJoin(join) => return joined(&join.left, &join.right, join.kind),
        OperatorKind::Project { input, exprs } => {
            let below = names(input);
            let renamed = |(i, expr): (usize, &Expr)| match expr.kind {
                ExprKind::Column(column) => below[column].clone(),
                _ => format!("[Expr{}]", 1001 + i),
            };
            return exprs.iter().enumerate().map(renamed).collect();
        }
        OperatorKind::Aggregate { input, group, aggregates, .. } => {
            let below = names(input);
            let renamed = |(i, expr): (usize, &Expr)| match expr.kind {
                ExprKind::Column(column) => below[column].clone(),
                _ => format!("[Expr{}]", 1001 + i),
            };
            let counted = (0..aggregates.len()).map(|i| format!("[Expr{}]", 1001 + group.len() + i));
            return group.iter().enumerate().map(renamed).chain(counted).collect();
        }
        _ => {}
    }
    operator
        .columns
        .iter()
        .enumerate()
        .map(|(i, column)| match (&column.origin, &*column.name) {
            (Some(origin), _) => {
                format!("[{}].[{}]", origin.table.name, origin.table.columns[origin.column as usize].name)
            }
            (None, "") => format!("[Expr{}]", 1001 + i),
            (None, name) => format!("[{name}]"),
        })
        .collect()
}

fn joined(left: &Operator, right: &Operator, kind: JoinKind) -> Vec<String> {
    let mut all = names(left);
    if !matches!(kind, JoinKind::Semi | JoinKind::Anti) {
        all.extend(names(right));
    }
    all
}

fn join_name(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner => "Inner Join",
        JoinKind::LeftOuter => "Left Outer Join",
        JoinKind::FullOuter => "Full Outer Join",
        JoinKind::Semi => "Left Semi Join",
        JoinKind::Anti => "Left Anti Semi Join",
    }
}

impl Show<'_> {
    fn line(&mut self, depth: usize, text: String) {
        self.lines.push(format!("{}|--{text}", " ".repeat(2 + 5 * depth)));
        self.operators.push(std::mem::take(&mut self.at));
        let gives = std::mem::take(&mut self.gives);
        self.outputs.iter_mut().for_each(|outputs| outputs.push(gives.clone()));
    }

    fn operator(&mut self, operator: &Operator, depth: usize) {
        self.at = Shown { place: std::ptr::from_ref(operator).addr(), rows: Some(operator.rows) };
        if self.outputs.is_some() {
            self.gives = names(operator).join(", ");
        }
        match &operator.kind {
            OperatorKind::Scan(scan) => self.scan(scan, depth),
            OperatorKind::Virtual { table, .. } => {
                self.line(depth, format!("Table-valued function(OBJECT:([{}]))", table.name))
            }
            OperatorKind::TableFunction { function: super::TableFunction::Bulk(_), .. } => {
                self.line(depth, "Remote Scan(OBJECT:(STREAM))".to_string())
            }
            OperatorKind::TableFunction { function, .. } => {
                self.line(depth, format!("Table-valued function({function:?})"))
            }
            OperatorKind::UserTableFunction { module, .. } => {
                self.line(depth, format!("Table-valued function(OBJECT:([{}]))", module.name));
            }
            OperatorKind::Values(_) | OperatorKind::WorkTable(_) => self.line(depth, "Constant Scan".to_string()),
            OperatorKind::Filter { input, predicate } => {
                let text = self.expr(predicate, &names(input));
                self.line(depth, format!("Filter(WHERE:({text}))"));
                self.operator(input, depth + 1);
            }
            OperatorKind::Project { input, exprs } => self.project(input, exprs, depth),
            OperatorKind::NestedLoops(join) => self.nested_loops(join, depth),
            OperatorKind::HashJoin(join) => self.hash_join(join, depth),
            OperatorKind::Aggregate { input, group, strategy, .. } => {
                let keys = self.exprs(group, &names(input));
                self.line(
                    depth,
                    match strategy {
                        _ if group.is_empty() => "Stream Aggregate".to_string(),
                        GroupStrategy::Stream => format!("Stream Aggregate(GROUP BY:({keys}))"),
                        GroupStrategy::Hash => format!("Hash Match(Aggregate, HASH:({keys}))"),
                    },
                );
                self.operator(input, depth + 1);
            }
            OperatorKind::GroupingSets { input, group, sets, .. } => {
                let keys = self.exprs(group, &names(input));
                self.line(depth, format!("Hash Match(Aggregate, HASH:({keys}), SETS:({}))", sets.len()));
                self.operator(input, depth + 1);
            }
            OperatorKind::Sort { input, keys, limit } => {
                let top = self.optional("TOP ", limit.as_ref(), &[]);
                let comma = if top.is_empty() { "" } else { ", " };
                let keys = self.keys(keys, &names(input));
                self.line(depth, format!("Sort({top}{comma}ORDER BY:({keys}))"));
                self.operator(input, depth + 1);
            }
            OperatorKind::Top(top) => self.top(top, depth),
            OperatorKind::Concat(inputs) => {
                self.line(depth, "Concatenation".to_string());
                inputs.iter().for_each(|input| self.operator(input, depth + 1));
            }
            OperatorKind::SetOperation { left, right, intersect } => {
                let kind = if *intersect { JoinKind::Semi } else { JoinKind::Anti };
                self.line(depth, format!("Hash Match({})", join_name(kind)));
                self.operator(left, depth + 1);
                self.operator(right, depth + 1);
            }
            OperatorKind::Window { input, partition, order, .. } => {
                let (partition, order) = (self.exprs(partition, &names(input)), self.keys(order, &names(input)));
                self.line(depth, format!("Window Aggregate(PARTITION BY:({partition}), ORDER BY:({order}))"));
                self.operator(input, depth + 1);
            }
            OperatorKind::Recursive { anchor, recursive, .. } => {
                self.line(depth, "Table Spool(WITH STACK)".to_string());
                self.operator(anchor, depth + 1);
                self.operator(recursive, depth + 1);
            }
            OperatorKind::Spool(input) => {
                self.line(depth, "Table Spool".to_string());
                self.operator(input, depth + 1);
            }
            OperatorKind::IndexSpool(spool) => {
                let text = self.expr(&spool.predicate, &names(&spool.input));
                let order = spool.range.as_ref().map(|range| self.keys(&range.order, &names(&spool.input)));
                let order = order.map_or(String::new(), |order| format!(", ORDER BY:({order})"));
                self.line(depth, format!("Index Spool(SEEK:({text}){order})"));
                self.operator(&spool.input, depth + 1);
            }
            OperatorKind::Shared(shared) => {
                self.line(depth, "Table Spool".to_string());
                self.operator(&shared.input, depth + 1);
            }
            OperatorKind::Sharing { input, .. } => self.operator(input, depth),
            OperatorKind::Modify(modify) => {
                self.line(depth, format!("Table {}({})", title(modify.verb), object(&modify.target)));
                self.operator(&modify.source, depth + 1);
            }
            OperatorKind::ForText { input, .. } => {
                self.line(depth, "UDX".to_string());
                self.operator(input, depth + 1);
            }
        }
    }

    fn project(&mut self, input: &Operator, exprs: &[Expr], depth: usize) {
        // Columns in another order are no work.
        let computed: Vec<String> = exprs
            .iter()
            .filter(|expr| !matches!(expr.kind, ExprKind::Column(_)))
            .map(|expr| self.expr(expr, &names(input)))
            .collect();
        if computed.is_empty() {
            return self.operator(input, depth);
        }
        self.line(depth, format!("Compute Scalar(DEFINE:({}))", computed.join(", ")));
        self.operator(input, depth + 1);
    }

    fn nested_loops(&mut self, join: &NestedLoops, depth: usize) {
        let outer = names(&join.outer);
        let bound: Vec<String> = join.bindings.iter().map(|(_, column)| outer[*column].clone()).collect();
        for (slot, column) in &join.bindings {
            self.outer.insert(slot.0, outer[*column].clone());
        }
        let references =
            if bound.is_empty() { String::new() } else { format!(", OUTER REFERENCES:({})", bound.join(", ")) };
        let both: Vec<String> = outer.into_iter().chain(names(&join.inner)).collect();
        let predicate = self.optional(", WHERE:", join.predicate.as_ref(), &both);
        self.line(depth, format!("Nested Loops({}{references}{predicate})", join_name(join.kind)));
        self.operator(&join.outer, depth + 1);
        self.operator(&join.inner, depth + 1);
    }

    fn top(&mut self, top: &Top, depth: usize) {
        let count = self.optional("TOP EXPRESSION:", top.count.as_ref(), &[]);
        let offset = self.optional("OFFSET EXPRESSION:", top.offset.as_ref(), &[]);
        let parts: Vec<String> = [offset, count].into_iter().filter(|part| !part.is_empty()).collect();
        let percent = if top.percent { " PERCENT" } else { "" };
        self.line(depth, format!("Top({}{percent})", parts.join(", ")));
        self.operator(&top.input, depth + 1);
    }

    fn hash_join(&mut self, join: &HashJoin, depth: usize) {
        let (left, right) = (names(&join.left), names(&join.right));
        let left_keys: Vec<String> = join.keys.iter().map(|(key, _)| self.expr(key, &left)).collect();
        let right_keys: Vec<String> = join.keys.iter().map(|(_, key)| self.expr(key, &right)).collect();
        let both: Vec<String> = left.into_iter().chain(right).collect();
        let residual = self.optional(", RESIDUAL:", join.residual.as_ref(), &both);
        let (build, probe, build_keys, probe_keys) = if join.build_left {
            (&join.left, &join.right, left_keys, right_keys)
        } else {
            (&join.right, &join.left, right_keys, left_keys)
        };
        let keys = format!("HASH:({})=({})", build_keys.join(", "), probe_keys.join(", "));
        self.line(depth, format!("Hash Match({}, {keys}{residual})", join_name(join.kind)));
        self.operator(build, depth + 1);
        self.operator(probe, depth + 1);
    }

    fn scan(&mut self, scan: &Scan, depth: usize) {
        let table = table_of(&scan.table);
        let column = |ordinal: u16| format!("[{}].[{}]", table.name, table.columns[ordinal as usize].name);
        let index = table.indexes.iter().find(|index| index.id == scan.index);
        let clustered = index.is_some_and(|index| index.kind == IndexKind::Clustered);
        let access = if scan.range.is_some() { "Seek" } else { "Scan" };
        let kind = match (index, clustered) {
            (None, _) => "Table Scan".to_string(),
            (_, true) => format!("Clustered Index {access}"),
            (_, false) => format!("Index {access}"),
        };
        let place = match index {
            Some(index) => format!("OBJECT:([{}].[{}].[{}])", table.schema, table.name, index.name),
            None => object(&scan.table),
        };
        let mut seek = Vec::new();
        if let (Some(range), Some(index)) = (&scan.range, index) {
            let key = |i: usize| index.key.get(i).map_or(String::new(), |(ordinal, _)| column(*ordinal));
            for (i, value) in range.equal.iter().enumerate() {
                seek.push(format!("{}={}", key(i), self.expr(value, &[])));
            }
            let next = key(range.equal.len());
            if !range.any_of.is_empty() {
                seek.push(format!("{next} IN ({})", self.exprs(&range.any_of, &[])));
            }
            for (bound, sign) in [(&range.lower, '>'), (&range.upper, '<')] {
                if let Some((value, Bound::Pattern)) = bound {
                    seek.push(format!("{next} like {}", self.expr(value, &[])));
                } else if let Some((value, bound)) = bound {
                    let equal = if *bound == Bound::Inclusive { "=" } else { "" };
                    seek.push(format!("{next} {sign}{equal} {}", self.expr(value, &[])));
                }
            }
        }
        let seek = if seek.is_empty() { String::new() } else { format!(", SEEK:({})", seek.join(" AND ")) };
        let row: Vec<String> = scan.columns.iter().map(|ordinal| column(*ordinal)).collect();
        let residual = self.optional(", WHERE:", scan.residual.as_ref(), &row);
        let order = match (index, scan.backward) {
            (None, _) => "",
            (_, true) => " ORDERED BACKWARD",
            (_, false) => " ORDERED FORWARD",
        };
        if !scan.lookup {
            return self.line(depth, format!("{kind}({place}{seek}{residual}{order})"));
        }
        self.line(depth, "Nested Loops(Inner Join)".to_string());
        self.line(depth + 1, format!("{kind}({place}{seek}{order})"));
        let base = match table.indexes.iter().find(|index| index.kind == IndexKind::Clustered) {
            Some(index) => {
                format!(
                    "Clustered Index Seek(OBJECT:([{}].[{}].[{}]){residual} LOOKUP)",
                    table.schema, table.name, index.name
                )
            }
            None => format!("RID Lookup({}{residual})", object(&scan.table)),
        };
        self.line(depth + 1, base);
    }

    fn keys(&self, keys: &[SortKey], row: &[String]) -> String {
        let shown =
            |key: &SortKey| format!("{} {}", self.expr(&key.expr, row), if key.descending { "DESC" } else { "ASC" });
        keys.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    fn exprs(&self, exprs: &[Expr], row: &[String]) -> String {
        exprs.iter().map(|expr| self.expr(expr, row)).collect::<Vec<_>>().join(", ")
    }

    /// `label(expr)`, or nothing.
    fn optional(&self, label: &str, expr: Option<&Expr>, row: &[String]) -> String {
        expr.map_or(String::new(), |expr| format!("{label}({})", self.expr(expr, row)))
    }

    fn expr(&self, expr: &Expr, row: &[String]) -> String {
        let list = |exprs: &[Expr], between: &str| {
            exprs.iter().map(|expr| self.expr(expr, row)).collect::<Vec<_>>().join(between)
        };
        match &expr.kind {
            ExprKind::Literal(value) if value.is_null() => "NULL".to_string(),
            ExprKind::Literal(value) => {
                let mut text = String::new();
                convert::push_display(value.as_ref(), &expr.ty, &mut text);
                if expr.ty.is_string() || expr.ty.is_temporal() { format!("'{text}'") } else { format!("({text})") }
            }
            ExprKind::Column(column) => row.get(*column).cloned().unwrap_or_else(|| format!("[Expr{}]", 1001 + column)),
            ExprKind::Outer(slot) => self.outer.get(&slot.0).cloned().unwrap_or_else(|| format!("[Outer{}]", slot.0)),
            ExprKind::Variable(slot) => match self.module.variables.get(slot.0 as usize) {
                Some(variable) => format!("[{}]", variable.name),
                None => format!("[@{}]", slot.0),
            },
            ExprKind::Global(global) => format!("{global:?}"),
            ExprKind::Negate(a) => format!("-{}", self.expr(a, row)),
            ExprKind::BitNot(a) => format!("~{}", self.expr(a, row)),
            ExprKind::Not(a) => format!("NOT {}", self.expr(a, row)),
            ExprKind::IsNull(a) => format!("{} IS NULL", self.expr(a, row)),
            ExprKind::Arithmetic(op, a, b) => {
                let sign = match op {
                    ArithmeticOp::Add => "+",
                    ArithmeticOp::Subtract => "-",
                    ArithmeticOp::Multiply => "*",
                    ArithmeticOp::Divide => "/",
                    ArithmeticOp::Modulo => "%",
                    ArithmeticOp::BitAnd => "&",
                    ArithmeticOp::BitOr => "|",
                    ArithmeticOp::BitXor => "^",
                };
                format!("{}{sign}{}", self.expr(a, row), self.expr(b, row))
            }
            ExprKind::Compare { op, left, right, .. } => {
                let sign = match op {
                    CompareOp::Equal => "=",
                    CompareOp::NotEqual => "<>",
                    CompareOp::Less => "<",
                    CompareOp::LessOrEqual => "<=",
                    CompareOp::Greater => ">",
                    CompareOp::GreaterOrEqual => ">=",
                };
                format!("{}{sign}{}", self.expr(left, row), self.expr(right, row))
            }
            ExprKind::And(terms) => list(terms, " AND "),
            ExprKind::Or(terms) => list(terms, " OR "),
            ExprKind::Like { value, pattern, .. } => {
                format!("{} like {}", self.expr(value, row), self.expr(pattern, row))
            }
            ExprKind::InList { value, list: values } => {
                format!("{} IN ({})", self.expr(value, row), list(values, ", "))
            }
            ExprKind::Case { .. } => "CASE".to_string(),
            ExprKind::Convert { value, explicit, .. } => {
                let name = if *explicit { "CONVERT" } else { "CONVERT_IMPLICIT" };
                format!("{name}({},{})", expr.ty.message_name(), self.expr(value, row))
            }
            ExprKind::Function(id, arguments) => {
                format!("{}({})", id.name().to_ascii_lowercase(), list(arguments, ","))
            }
            ExprKind::UserFunction(module, arguments) => format!("[{}]({})", module.name, list(arguments, ",")),
            ExprKind::Subquery(_) => "SUBQUERY".to_string(),
            ExprKind::NextValueFor(_) => "NEXT VALUE FOR".to_string(),
            ExprKind::Mask(masked) => format!("DataMask({})", self.expr(&masked.value, row)),
        }
    }
}
