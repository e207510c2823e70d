//! Aggregates, window functions and GROUPING: a call becomes a column that the SELECT's block computes.

use spatial::method::Signature;
use spatial::world::World;
use types::{SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::{Binder, Place, WindowSpec};
use super::collating;
use super::convert::{converted, implicit};
use super::errors;
use super::names::display;
use super::over::{Over, check_range_order, misplaced_window};
use super::scope::Scope;
use super::typing::is_null_literal;
use super::variables::{Found, has_query, visit_expr};
use crate::ast;
use crate::optimize::ColumnId;
use crate::plan::{Aggregate, AggregateFunction, Expr, ExprKind, SortKey, WindowFunction, WindowKind};

pub fn aggregate_function(name: &str) -> Option<AggregateFunction> {
    use AggregateFunction::*;
    const NAMES: &[(&str, AggregateFunction)] = &[
        ("COUNT", Count),
        ("COUNT_BIG", CountBig),
        ("SUM", Sum),
        ("AVG", Avg),
        ("MIN", Min),
        ("MAX", Max),
        ("STDEV", StDev),
        ("STDEVP", StDevP),
        ("VAR", Var),
        ("VARP", VarP),
        ("STRING_AGG", StringAgg),
        ("CHECKSUM_AGG", ChecksumAgg),
        ("PRODUCT", Product),
        ("APPROX_COUNT_DISTINCT", ApproxCountDistinct),
        ("APPROX_PERCENTILE_CONT", ApproxPercentileCont),
        ("APPROX_PERCENTILE_DISC", ApproxPercentileDisc),
    ];
    NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, function)| *function)
}

pub fn window_function(name: &str) -> Option<WindowKind> {
    use WindowKind::*;
    const NAMES: &[(&str, WindowKind)] = &[
        ("ROW_NUMBER", RowNumber),
        ("RANK", Rank),
        ("DENSE_RANK", DenseRank),
        ("NTILE", Ntile),
        ("PERCENT_RANK", PercentRank),
        ("CUME_DIST", CumeDist),
        ("LAG", Lag),
        ("LEAD", Lead),
        ("FIRST_VALUE", FirstValue),
        ("LAST_VALUE", LastValue),
        ("PERCENTILE_CONT", PercentileCont),
        ("PERCENTILE_DISC", PercentileDisc),
    ];
    NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind)
}

/// 8117: not all types are counted.
fn counted(function: AggregateFunction, ty: &SqlType, name: &str) -> SqlResult<()> {
    use TypeKind::{Image, Json, NText, Text};
    if !matches!(ty.kind, Text | NText | Image | Json) {
        return Ok(());
    }
    let state = if ty.is_json() || function == AggregateFunction::ApproxCountDistinct { 2 } else { 1 };
    Err(errors::invalid_operand(ty, &name.to_ascii_lowercase()).in_state(state))
}

/// What an aggregate of `argument` gives, and the argument as it is added up.
pub fn aggregate_type(
    function: AggregateFunction,
    argument: Option<Expr>,
    name: &str,
) -> SqlResult<(SqlType, Option<Expr>)> {
    use AggregateFunction::*;
    use TypeKind::*;
    let Some(argument) = argument else {
        return Ok((if function == AggregateFunction::CountBig { SqlType::BIGINT } else { SqlType::INT }, None));
    };
    let ty = argument.ty;
    let invalid = || errors::invalid_operand(&ty, &name.to_ascii_lowercase());
    Ok(match function {
        Count => {
            counted(function, &ty, name)?;
            (SqlType::INT, Some(argument))
        }
        CountBig | ApproxCountDistinct => {
            counted(function, &ty, name)?;
            (SqlType::BIGINT, Some(argument))
        }
        Sum | Avg | Product => {
            let result = match ty.kind {
                TinyInt | SmallInt | Int => SqlType::INT,
                BigInt => SqlType::BIGINT,
                Decimal | Numeric if function == Sum => SqlType { kind: ty.kind, ..SqlType::decimal(38, ty.scale) },
                Decimal | Numeric if function == Product => {
                    SqlType { kind: ty.kind, ..SqlType::decimal(38, if ty.scale == 0 { 0 } else { 6 }) }
                }
                Decimal | Numeric => SqlType { kind: ty.kind, ..SqlType::decimal(38, ty.scale.max(6)) },
                Money | SmallMoney => SqlType::MONEY,
                Real | Float => SqlType::FLOAT,
                _ => return Err(invalid()),
            };
            let argument = if ty.is_decimal() { argument } else { converted(argument, &result, false) };
            (result, Some(argument))
        }
        Min | Max => {
            if matches!(ty.kind, Bit | Text | NText | Image | Xml | Geometry | Geography | Json) {
                return Err(invalid());
            }
            (ty, Some(argument))
        }
        StDev | StDevP | Var | VarP => {
            if !(ty.is_integer() || ty.is_decimal() || matches!(ty.kind, Money | SmallMoney | Real | Float)) {
                return Err(invalid());
            }
            (SqlType::FLOAT, Some(converted(argument, &SqlType::FLOAT, false)))
        }
        ApproxPercentileCont | ApproxPercentileDisc => {
            if !(ty.is_integer() || ty.is_decimal() || matches!(ty.kind, Money | SmallMoney | Real | Float)) {
                return Err(invalid());
            }
            let result = if function == ApproxPercentileCont { SqlType::FLOAT } else { ty };
            (result, Some(converted(argument, &result, false)))
        }
        Shapes(method) => {
            let world = World::of(ty.kind)
                .ok_or_else(|| sql_error!(206, state 2, ty.name(), Signature::of_number(method).name))?;
            (world.ty(), Some(argument))
        }
        ChecksumAgg if ty.kind != Int => return Err(invalid()),
        ChecksumAgg => (SqlType::INT, Some(argument)),
        StringAgg => {
            if ty.is_binary() || matches!(ty.kind, Text | NText | Image | Xml | SqlVariant | Json) {
                return Err(errors::invalid_argument(&ty, 1, name));
            }
            let result = match ty.kind {
                NVarChar | NChar if ty.is_max() => SqlType::NVARCHAR_MAX.with_collation(ty.collation),
                NVarChar | NChar => SqlType::nvarchar(4000).with_collation(ty.collation),
                _ if ty.is_max() => SqlType::VARCHAR_MAX.with_collation(ty.collation),
                VarChar | Char => SqlType::varchar(8000).with_collation(ty.collation),
                _ => SqlType::nvarchar(4000).with_collation(ty.collation),
            };
            (result, Some(argument))
        }
    })
}

fn is_percentile(function: AggregateFunction) -> bool {
    matches!(function, AggregateFunction::ApproxPercentileCont | AggregateFunction::ApproxPercentileDisc)
}

/// Calls that the JSON aggregates are written with. Nobody else writes a name with a blank that is not in brackets.
pub const ELEMENT: &str = "json element";
pub const MEMBER: &str = "json member";

/// What is given to the aggregate asks a query.
fn asks_query(call: &ast::Call) -> bool {
    let keys = call.extra.iter().flat_map(|extra| extra.within_group.iter().chain(&extra.order_by));
    call.args.iter().any(has_query) || keys.map(|item| &item.expr).any(has_query)
}

/// 8117: no two values of xml are compared.
fn refuse_distinct_xml(argument: Option<&Expr>, distinct: bool, name: &str) -> SqlResult<()> {
    match argument.filter(|argument| distinct && argument.ty.kind == TypeKind::Xml) {
        Some(argument) => Err(errors::invalid_operand(&argument.ty, &name.to_ascii_lowercase())),
        None => Ok(()),
    }
}

/// What is put together is not a text of the query's, but parts of a JSON value.
fn is_part_of_json(args: &[ast::Expr]) -> bool {
    let part = |call: &ast::Call| [ELEMENT, MEMBER].iter().any(|name| call.name.name.is(name));
    matches!(args, [ast::Expr::Call(call), ..] if part(call))
}

impl Binder<'_> {
    /// The column of the aggregate; the same call twice is computed once.
    pub fn aggregate(&mut self, function: AggregateFunction, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let name = call.name.name.text.to_ascii_uppercase();
        let over = call.extra.as_ref().and_then(|extra| extra.over.as_ref());
        let scope = if over.is_none() && scope.parent.is_some() { aggregated_in(call, scope)? } else { scope };
        let Some(block) = scope.block else {
            return Err(misplaced_aggregate(Place::Where));
        };
        if call.star != call.args.is_empty()
            || call.star && !matches!(function, AggregateFunction::Count | AggregateFunction::CountBig)
        {
            return Err(if call.star { sql_error!(102, "*") } else { errors::argument_count(&name, 1) });
        }
        let expected = if function == AggregateFunction::StringAgg { 2 } else { 1 };
        if !call.star && call.args.len() != expected {
            return Err(errors::argument_count(&name, expected));
        }
        let percentile = is_percentile(function);
        refuse_over(function, call)?;
        refuse_nulls(call)?;
        refuse_within(function, call)?;
        if call.distinct && function == AggregateFunction::ApproxCountDistinct {
            return Err(sql_error!(16200, &*name, &*name));
        }
        if over.is_none() {
            let place = self.blocks[block].place;
            if !matches!(place, Place::Select | Place::Having | Place::OrderBy | Place::Window) {
                return self.misplaced(place, call, scope);
            }
        }
        // A windowed aggregate's argument may itself be an aggregate: SUM(SUM(x)) OVER ().
        let inner = if over.is_some() { Place::Window } else { Place::Argument };
        let (argument, mut extra, order) = self.within(block, inner, |binder| {
            let mut extra = Vec::new();
            let mut order = Vec::new();
            if percentile {
                let (key, part) = binder.percentile(call, &name, scope)?;
                return Ok((Some(key.expr.clone()), vec![part], vec![key]));
            }
            let argument = binder.operand_of(function, &name, call, scope)?;
            if function == AggregateFunction::StringAgg {
                extra.push(binder.expr(&call.args[1], scope)?);
                if let Some(call_extra) = &call.extra {
                    for item in &call_extra.within_group {
                        let expr = binder.text_key(&item.expr, scope)?;
                        order.push(SortKey { expr, descending: item.descending });
                    }
                }
            }
            Ok((argument, extra, order))
        })?;
        if over.is_none() && asks_query(call) {
            return Err(misplaced_aggregate(Place::Argument));
        }
        if let (Some(value), [separator], [_, written]) = (&argument, &*extra, &*call.args) {
            check_separator(&value.ty, separator, written)?;
        }
        refuse_distinct_xml(argument.as_ref(), call.distinct, &name)?;
        let (ty, mut argument) = aggregate_type(function, argument, &name)?;
        let extreme = matches!(function, AggregateFunction::Min | AggregateFunction::Max);
        if extreme && argument.as_ref().is_some_and(|argument| collating::conflict(argument, &self.columns).is_some()) {
            return Err(sql_error!(4191, name.to_ascii_lowercase()));
        }
        self.text_extreme |= extreme && (ty.is_string() || ty.is_binary());
        if function == AggregateFunction::StringAgg {
            // Value and separator as strings of the result's kind.
            argument = argument.map(|e| string_argument(e, &ty)).transpose()?;
            extra = extra.into_iter().map(|e| string_argument(e, &ty)).collect::<SqlResult<_>>()?;
        }
        let nullable = !matches!(
            function,
            AggregateFunction::Count | AggregateFunction::CountBig | AggregateFunction::ApproxCountDistinct
        );
        if let Some(over) = over {
            if call.distinct {
                return Err(sql_error!(10759));
            }
            let arguments = argument.into_iter().chain(extra).collect();
            let kind = WindowKind::Aggregate(function);
            let over = self.over(block, over, kind)?;
            return self.windowed(block, kind, arguments, ty, nullable, (&over, false), scope);
        }
        if function == AggregateFunction::StringAgg && !is_part_of_json(&call.args) {
            self.refuse_other_order(block, &order)?;
        }
        let aggregate = Aggregate { function, argument, extra, order, distinct: call.distinct, quiet: false, ty };
        let known = self.blocks[block].aggregates.iter().find(|(_, old)| old.is_same(&aggregate));
        let id = match known {
            Some((id, _)) => *id,
            None => {
                let id = self.columns.add(ty, nullable);
                self.columns.tell_nullable(id);
                let mask = self.mask_of_all(aggregate.argument.iter().chain(&aggregate.extra));
                self.columns.set_mask(id, mask);
                self.blocks[block].aggregates.push((id, aggregate));
                id
            }
        };
        Ok(Expr::column(id.index(), ty, nullable))
    }

    /// 8711: the texts that a SELECT puts together have one order.
    fn refuse_other_order(&mut self, block: usize, order: &[SortKey]) -> SqlResult<()> {
        let known = &mut self.blocks[block].text_order;
        if known.is_empty() {
            known.extend_from_slice(order);
        }
        let same = |(a, b): (&SortKey, &SortKey)| a.descending == b.descending && a.expr.same(&b.expr);
        match order.is_empty() || known.len() == order.len() && known.iter().zip(order).all(same) {
            true => Ok(()),
            false => Err(sql_error!(8711)),
        }
    }

    /// APPROX_PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x): x, and p. Error 10754 without a WITHIN GROUP.
    fn percentile(&mut self, call: &ast::Call, name: &str, scope: &Scope) -> SqlResult<(SortKey, Expr)> {
        let within = call.extra.as_ref().map_or(&[][..], |extra| &extra.within_group);
        let [item] = within else { return Err(sql_error!(10754, name)) };
        let part = implicit(self.expr(&call.args[0], scope)?, &SqlType::FLOAT)?;
        let expr = self.expr(&item.expr, scope)?;
        Ok((SortKey { expr, descending: item.descending }, part))
    }

    /// Binds with `block` at another place, so that misplaced calls are found.
    pub fn within<T>(&mut self, block: usize, place: Place, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        let before = std::mem::replace(&mut self.blocks[block].place, place);
        let result = f(self);
        self.blocks[block].place = before;
        result
    }

    pub fn window(&mut self, kind: WindowKind, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let name = &*call.name.name.text;
        let Some(over) = call.extra.as_ref().and_then(|extra| extra.over.as_ref()) else {
            let state = match kind {
                WindowKind::Lag | WindowKind::Lead | WindowKind::FirstValue | WindowKind::LastValue => 1,
                _ => 3,
            };
            return Err(sql_error!(10753, state state, name));
        };
        let nulls = call.extra.as_ref().and_then(|extra| extra.ignore_nulls);
        if !matches!(kind, WindowKind::Lag | WindowKind::Lead | WindowKind::FirstValue | WindowKind::LastValue) {
            refuse_nulls(call)?;
        }
        let block = scope.block.ok_or_else(misplaced_window)?;
        let mut args = self.within(block, Place::Window, |binder| binder.exprs(&call.args, scope))?;
        let range = match kind {
            WindowKind::RowNumber
            | WindowKind::Rank
            | WindowKind::DenseRank
            | WindowKind::PercentRank
            | WindowKind::CumeDist => 0..=0,
            WindowKind::Lag | WindowKind::Lead => 1..=3,
            _ => 1..=1,
        };
        if !range.contains(&args.len()) {
            return Err(match kind {
                WindowKind::Lag | WindowKind::Lead => sql_error!(10755, name, 1, 3),
                WindowKind::FirstValue
                | WindowKind::LastValue
                | WindowKind::PercentileCont
                | WindowKind::PercentileDisc => errors::argument_count(name, 1),
                _ => sql_error!(4114, name, *range.start()),
            });
        }
        let mut window = self.over(block, over, kind)?;
        let over = &mut window.over;
        let (ty, nullable) = match kind {
            WindowKind::RowNumber | WindowKind::Rank | WindowKind::DenseRank => (SqlType::BIGINT, false),
            WindowKind::Ntile => {
                tiles(&call.args[0], &args[0])?;
                args[0] = implicit(args[0].clone(), &SqlType::BIGINT)?;
                (SqlType::BIGINT, false)
            }
            WindowKind::PercentRank | WindowKind::CumeDist => (SqlType::FLOAT, false),
            WindowKind::Lag | WindowKind::Lead => {
                let ty = args[0].ty;
                if is_null_literal(&args[0]) {
                    return Err(sql_error!(8117, "NULL", name.to_ascii_lowercase()));
                }
                if args.len() == 1 {
                    args.push(Expr::bigint(1));
                }
                args[1] = implicit(args[1].clone(), &SqlType::BIGINT)?;
                if args.len() == 3 {
                    args[2] = implicit(args[2].clone(), &ty)?;
                }
                (ty, true)
            }
            WindowKind::FirstValue | WindowKind::LastValue => (args[0].ty, true),
            WindowKind::PercentileCont | WindowKind::PercentileDisc => {
                // PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x) OVER (PARTITION BY ..): ordered by x, arguments p and x.
                let within = call.extra.as_ref().map(|extra| extra.within_group.clone()).unwrap_or_default();
                let item = match within.as_slice() {
                    [item] => item,
                    [] => return Err(sql_error!(10754, name)),
                    _ => return Err(sql_error!(10751, name)),
                };
                if !over.order_by.is_empty() {
                    return Err(if window.named { sql_error!(5363, name) } else { sql_error!(10758, name) });
                }
                if names_column(&call.args[0]) {
                    return Err(sql_error!(8726, name.to_ascii_uppercase()));
                }
                args[0] = implicit(args[0].clone(), &SqlType::FLOAT)?;
                let value = self.within(block, Place::Window, |binder| binder.over_key(&item.expr, scope))?;
                let continuous = kind == WindowKind::PercentileCont;
                if continuous && !is_measure(&value.ty) {
                    let operator = name.to_ascii_lowercase();
                    return Err(sql_error!(402, "numeric", value.ty.message_name(), operator));
                }
                let ty = if continuous { SqlType::FLOAT } else { value.ty };
                args.push(implicit(value, &ty)?);
                over.order_by = within;
                (ty, true)
            }
            WindowKind::Aggregate(_) => unreachable!("aggregates are bound by `aggregate`"),
        };
        window.check(kind, name)?;
        self.windowed(block, kind, args, ty, nullable, (&window, nulls == Some(true)), scope)
    }

    #[allow(clippy::too_many_arguments)]
    fn windowed(
        &mut self,
        block: usize,
        kind: WindowKind,
        arguments: Vec<Expr>,
        ty: SqlType,
        nullable: bool,
        (window, ignore_nulls): (&Over, bool),
        scope: &Scope,
    ) -> SqlResult<Expr> {
        let over = &window.over;
        let (partition, order) = self.within(block, Place::Window, |binder| {
            let partition = binder.exprs(&over.partition_by, scope)?;
            let mut order = Vec::with_capacity(over.order_by.len());
            for item in &over.order_by {
                order.push(SortKey { expr: binder.over_key(&item.expr, scope)?, descending: item.descending });
            }
            Ok((partition, order))
        })?;
        let counts_rows = arguments.is_empty() && matches!(kind, WindowKind::Aggregate(_));
        if over.frame.is_some() && order.is_empty() && (window.named || !counts_rows) {
            return Err(if window.named { sql_error!(5364) } else { sql_error!(10756) });
        }
        let frame = self.frame(over, !order.is_empty(), scope)?;
        if !frame.rows && matches!(kind, WindowKind::Aggregate(_) | WindowKind::FirstValue | WindowKind::LastValue) {
            check_range_order(&order)?;
        }
        let function = WindowFunction { function: kind, arguments, frame, ty, ignore_nulls };
        let id = self.columns.add(ty, nullable);
        self.columns.tell_nullable(id);
        let mask = self.mask_of_all(&function.arguments);
        self.columns.set_mask(id, mask);
        let same_keys = |spec: &&mut WindowSpec| {
            spec.partition.len() == partition.len()
                && spec.partition.iter().zip(&partition).all(|(a, b)| a.same(b))
                && spec.order.len() == order.len()
                && spec.order.iter().zip(&order).all(|(a, b)| a.descending == b.descending && a.expr.same(&b.expr))
        };
        match self.blocks[block].windows.iter_mut().find(same_keys) {
            Some(spec) => spec.functions.push((id, function)),
            None => self.blocks[block].windows.push(WindowSpec { partition, order, functions: vec![(id, function)] }),
        }
        Ok(Expr::column(id.index(), ty, nullable))
    }

    /// GROUPING(x), GROUPING_ID(x, y): bits of the grouping-id column; arguments must be group expressions.
    pub fn grouping(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let Some(block) = scope.block else { return Err(misplaced_aggregate(Place::Where)) };
        let name = call.name.name.text.to_ascii_uppercase();
        let single = name == "GROUPING";
        if single && call.args.len() != 1 {
            return Err(errors::argument_count(&name, 1));
        }
        let args = self.within(block, Place::Argument, |binder| binder.exprs(&call.args, scope))?;
        let groups = self.blocks[block].groups.len();
        let mut positions = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let Some(position) = self.blocks[block].groups.iter().position(|(_, e)| e.same(arg)) else {
                return Err(sql_error!(8161, i + 1, name));
            };
            positions.push(position);
        }
        if args.is_empty() {
            positions.extend(0..groups);
        }
        let id = match self.blocks[block].grouping_id {
            Some(id) => id,
            None => {
                let id: ColumnId = self.columns.add(SqlType::BIGINT, false);
                self.blocks[block].grouping_id = Some(id);
                id
            }
        };
        let bits = Expr::column(id.index(), SqlType::BIGINT, false);
        // Bit `groups - 1 - position` of the id, moved to its place among the arguments.
        let count = positions.len();
        let mut sum: Option<Expr> = None;
        for (i, position) in positions.into_iter().enumerate() {
            let shift = |by: usize| Expr::bigint(1_i64.checked_shl(by as u32).unwrap_or(0));
            use crate::plan::ArithmeticOp::*;
            let bit = |op, a: Expr, b: Expr| {
                Expr::new(SqlType::BIGINT, false, ExprKind::Arithmetic(op, Box::new(a), Box::new(b)))
            };
            let one = bit(BitAnd, bit(Divide, bits.clone(), shift(groups - 1 - position)), Expr::bigint(1));
            let placed = bit(Multiply, one, shift(count - 1 - i));
            sum = Some(match sum {
                None => placed,
                Some(sum) => bit(Add, sum, placed),
            });
        }
        let to = if single { SqlType::TINYINT } else { SqlType::INT };
        Ok(converted(sum.unwrap_or_else(|| Expr::bigint(0)), &to, true))
    }
}

/// The scope that an aggregate belongs to: that of the columns it is over, which may be an enclosing query's. 8124 where there are
/// others beside an outer one, 4101 on the right side of APPLY.
fn aggregated_in<'s, 'p>(call: &ast::Call, scope: &'s Scope<'p>) -> SqlResult<&'s Scope<'p>>
where
    'p: 's,
{
    let mut names: Vec<&ast::ColumnName> = Vec::new();
    let mut nested = false;
    for arg in &call.args {
        visit_expr(arg, &mut |found| match found {
            Found::Column(name) => names.push(name),
            Found::Query => nested = true,
            _ => {}
        });
    }
    if nested {
        return Ok(scope);
    }
    let mut home: Option<&Scope> = None;
    let (mut several, mut outer) = (false, false);
    let mut seen: Option<ColumnId> = None;
    for name in names {
        // What is no column may be a part of a date.
        let Some((column, place)) = scope.home(name) else { continue };
        several |= seen.replace(column).is_some_and(|old| old != column);
        home = Some(place);
        outer |= !std::ptr::eq(place, scope);
        if several && outer {
            return Err(sql_error!(8124).at_line(name.line));
        }
    }
    match home {
        Some(home) if !std::ptr::eq(home, scope) => match home.block {
            Some(_) => Ok(home),
            None => Err(sql_error!(4101)),
        },
        _ => Ok(scope),
    }
}

fn string_argument(expr: Expr, ty: &SqlType) -> SqlResult<Expr> {
    if expr.ty.kind == ty.kind && expr.ty.collation == ty.collation {
        return Ok(expr);
    }
    implicit(expr, ty)
}

fn misplaced_aggregate(place: Place) -> SqlError {
    match place {
        Place::Argument => sql_error!(130),
        Place::GroupBy => sql_error!(144),
        Place::Set | Place::Merged => sql_error!(157),
        Place::On => sql_error!(1015),
        Place::Output => sql_error!(158),
        _ => sql_error!(147),
    }
}

impl Binder<'_> {
    /// What an aggregate is of. 8117: NULL has no type, nor has a column of nothing but NULL.
    fn operand_of(
        &mut self,
        function: AggregateFunction,
        name: &str,
        call: &ast::Call,
        scope: &Scope,
    ) -> SqlResult<Option<Expr>> {
        let Some(written) = call.args.first() else { return Ok(None) };
        let noted = self.missing_columns();
        let argument = self.expr(written, scope)?;
        let whole = self.missing_columns() == noted;
        let untyped = match written {
            ast::Expr::Literal(ast::Literal::Null) => true,
            ast::Expr::Column(_) => whole && is_null_literal(&argument),
            _ => false,
        };
        if untyped { Err(untyped_null(function, name)) } else { Ok(Some(argument)) }
    }

    /// An aggregate where none may stand: noted, unless its arguments name what is not there.
    fn misplaced(&mut self, place: Place, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let noted = self.missing_columns();
        for argument in &call.args {
            if let ast::Expr::Column(_) = argument {
                self.expr(argument, scope)?;
            }
        }
        if self.missing_columns() == noted {
            self.noted(misplaced_aggregate(place))?;
        }
        Ok(Expr::null(SqlType::INT))
    }
}

/// 8116, 8733: STRING_AGG's separator is text of the values' kind, one for all rows.
fn check_separator(value: &SqlType, separator: &Expr, written: &ast::Expr) -> SqlResult<()> {
    // Text of a code page has no room for Unicode.
    let wider = value.is_ansi_string() && separator.ty.is_unicode_string();
    if !is_null_literal(separator) && (!separator.ty.is_string() || wider) {
        return Err(errors::invalid_argument(&separator.ty, 2, "string_agg"));
    }
    if is_null_literal(separator)
        || matches!(&separator.kind, ExprKind::Convert { value, .. } if is_null_literal(value))
    {
        return Ok(());
    }
    if separator.ty.is_max() {
        return Err(sql_error!(8734));
    }
    if is_separator(written) { Ok(()) } else { Err(sql_error!(8733)) }
}

/// A literal, a variable, or such put together.
fn is_separator(written: &ast::Expr) -> bool {
    match written {
        ast::Expr::Arithmetic(row) => is_separator(&row.first) && row.rest.iter().all(|(_, part)| is_separator(part)),
        ast::Expr::Call(call) => {
            let name = &call.name.name.text;
            ["CHAR", "NCHAR"].iter().any(|known| name.eq_ignore_ascii_case(known)) && !names_column(written)
        }
        _ => matches!(written, ast::Expr::Literal(_) | ast::Expr::Variable(_)),
    }
}

/// Whether columns stand in it, those of its subqueries included.
fn names_column(written: &ast::Expr) -> bool {
    let mut named = false;
    visit_expr(written, &mut |found| named |= matches!(found, Found::Column(_)));
    named
}

/// What can lie between two values of its type.
fn is_measure(ty: &SqlType) -> bool {
    use TypeKind::{Bit, Float, Money, Real, SmallMoney};
    ty.is_integer() || ty.is_decimal() || matches!(ty.kind, Bit | Money | SmallMoney | Real | Float)
}

/// 8116, 4195: NTILE counts its groups by a whole number, the same for all rows.
fn tiles(written: &ast::Expr, count: &Expr) -> SqlResult<()> {
    if !count.ty.is_integer() && !is_null_literal(count) {
        return Err(errors::invalid_argument(&count.ty, 1, "ntile"));
    }
    let mut own = None;
    if count.any(&mut |part| matches!(part.kind, ExprKind::Column(_))) {
        visit_expr(written, &mut |found| {
            if let Found::Column(column) = found {
                own = own.or(Some(column));
            }
        });
    }
    own.map_or(Ok(()), |column| Err(sql_error!(4195, &*column.name.text)))
}

/// 4113: of the aggregates that are not told over a window.
fn refuse_over(function: AggregateFunction, call: &ast::Call) -> SqlResult<()> {
    let state = match function {
        AggregateFunction::StringAgg => 4,
        AggregateFunction::ApproxCountDistinct => 5,
        function if is_percentile(function) => 1,
        _ => return Ok(()),
    };
    match call.extra.as_ref().is_some_and(|extra| extra.over.is_some()) {
        true => Err(sql_error!(4113, state state, &*call.name.name.text)),
        false => Ok(()),
    }
}

/// 16208: only FIRST_VALUE, LAST_VALUE, LAG and LEAD say what becomes of NULLs.
fn refuse_nulls(call: &ast::Call) -> SqlResult<()> {
    match call.extra.as_ref().and_then(|extra| extra.ignore_nulls) {
        Some(true) => Err(sql_error!(16208, &*call.name.name.text, "IGNORE NULLS")),
        Some(false) => Err(sql_error!(16208, &*call.name.name.text, "RESPECT NULLS")),
        None => Ok(()),
    }
}

/// 10757: only text and percentiles are put together in an order.
fn refuse_within(function: AggregateFunction, call: &ast::Call) -> SqlResult<()> {
    let within = call.extra.as_ref().is_some_and(|extra| !extra.within_group.is_empty());
    match within && !is_percentile(function) && function != AggregateFunction::StringAgg {
        true => Err(sql_error!(10757, state 9, call.name.name.text.to_ascii_lowercase())),
        false => Ok(()),
    }
}

/// For PIVOT: an aggregate of one argument, to which rows with NULL are as none.
pub fn pivot_aggregate(name: &ast::ObjectName) -> SqlResult<AggregateFunction> {
    let text = &*name.name.text;
    if name.schema.is_some() {
        return Err(sql_error!(208, state 214, display(name)));
    }
    match aggregate_function(text) {
        None => Err(sql_error!(195, state 1, text, "aggregate function")),
        Some(AggregateFunction::ChecksumAgg) => Err(sql_error!(406, text.to_ascii_lowercase())),
        Some(function) => Ok(function),
    }
}

/// NULL itself has no type that could be summed, compared or counted.
fn untyped_null(function: AggregateFunction, name: &str) -> SqlError {
    let name = name.to_ascii_lowercase();
    match function {
        AggregateFunction::StringAgg => sql_error!(8116, "NULL", 1, name),
        _ => sql_error!(8117, "NULL", name),
    }
}
