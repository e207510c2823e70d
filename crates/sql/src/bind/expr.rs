//! Expressions and predicates of the tree to typed expressions.

use types::precedence::{self, check_conversion};
use types::{Datum, SqlResult, SqlType, TypeKind, operands, sql_error};

use super::binder::Binder;
use super::collating;
use super::convert::{self, compare, converted, implicit};
use super::errors;
use super::scope::Scope;
use super::text;
use super::typing::{self, beside_decimal, is_null_literal, is_untyped, numeric};
use crate::ast;
use crate::function::FunctionId;
use crate::optimize::{Columns, Output, Rel, told};
use crate::plan::{ArithmeticOp, CompareOp, Expr, ExprKind, Global, Subquery, SubqueryKind};

impl Binder<'_> {
    pub fn expr(&mut self, expr: &ast::Expr, scope: &Scope) -> SqlResult<Expr> {
        let bound = self.deeper(|binder| binder.expr_here(expr, scope))?;
        if scope.parent.is_none() || matches!(bound.kind, ExprKind::Column(_) | ExprKind::Literal(_)) {
            return Ok(bound);
        }
        Ok(self.group_of_outer(bound, scope))
    }

    /// As `to`, by implicit conversion.
    pub fn expr_as(&mut self, expr: &ast::Expr, to: &SqlType, scope: &Scope) -> SqlResult<Expr> {
        implicit(self.expr(expr, scope)?, to)
    }

    pub fn exprs(&mut self, exprs: &[ast::Expr], scope: &Scope) -> SqlResult<Vec<Expr>> {
        exprs.iter().map(|e| self.expr(e, scope)).collect()
    }

    fn expr_here(&mut self, expr: &ast::Expr, scope: &Scope) -> SqlResult<Expr> {
        match expr {
            ast::Expr::Literal(literal) => Ok(self.literal(literal)),
            ast::Expr::GraphMatch(_) => Err(errors::not_supported("MATCH")),
            ast::Expr::Variable(variable) => self.variable(variable),
            ast::Expr::Global(name) => self.global(name),
            ast::Expr::Column(name) => self.column(name, scope),
            ast::Expr::Unary(op, operand) => self.unary(*op, operand, scope),
            ast::Expr::Arithmetic(chain) => self.arithmetic_chain(chain, scope),
            ast::Expr::Compare(c) => {
                let left = self.expr(&c.left, scope)?;
                let right = self.expr(&c.right, scope)?;
                self.compare_as_set(compare_op(c.op), left, right).map_err(|e| e.at_line(c.line))
            }
            ast::Expr::And(list) => Ok(Expr::predicate(ExprKind::And(self.exprs(list, scope)?))),
            ast::Expr::Or(list) => Ok(or_list(self.exprs(list, scope)?)),
            ast::Expr::Not(operand) => {
                let operand = self.expr(operand, scope)?;
                Ok(not(operand))
            }
            ast::Expr::IsNull { operand, not: negated } => {
                let operand = match &**operand {
                    // A column of nodes() may stand here.
                    column @ ast::Expr::Column(name) if scope.column(name).is_ok() => {
                        self.xml_target(column, scope)?.value
                    }
                    operand => self.expr(operand, scope)?,
                };
                let test = Expr::new(SqlType::BIT, false, ExprKind::IsNull(Box::new(operand)));
                Ok(if *negated { not(test) } else { test })
            }
            ast::Expr::IsDistinctFrom(d) => {
                let left = self.expr(&d.left, scope)?;
                let right = self.expr(&d.right, scope)?;
                let op = if d.not { CompareOp::Equal } else { CompareOp::NotEqual };
                compare(op, left, right, true, &self.columns).map_err(|e| e.at_line(d.line))
            }
            ast::Expr::Like(like) => self.like(like, scope).map_err(|e| e.at_line(like.line)),
            ast::Expr::Between(b) => self.between(b, scope).map_err(|e| e.at_line(b.line)),
            ast::Expr::InList(list) => self.in_list(list, scope).map_err(|e| e.at_line(list.line)),
            ast::Expr::InQuery(q) => {
                let test = self.quantified(&q.operand, CompareOp::Equal, false, &q.query, scope)?;
                Ok(if q.not { not(test) } else { test })
            }
            ast::Expr::Exists(query) => {
                let mut bound = self.existing(query, scope)?;
                if let Some(test) = self.compared_rows(&bound.rel) {
                    return Ok(test);
                }
                bound.outputs.clear();
                let (plan, bindings) = self.lowering.subquery(&mut self.columns, bound.rel, bound.outputs);
                let subquery = Subquery { plan, kind: SubqueryKind::Exists, mask: None, bindings };
                Ok(Expr::new(SqlType::BIT, false, ExprKind::Subquery(Box::new(subquery))))
            }
            ast::Expr::Quantified(q) => self.quantified(&q.left, compare_op(q.op), q.all, &q.query, scope),
            ast::Expr::Case(case) => {
                self.conditional(|binder| binder.case(case, scope)).map_err(|e| e.at_line(case.line))
            }
            ast::Expr::Cast(c) => {
                let to = self.cast_type(&c.to).map_err(|e| e.at_line(c.line))?;
                let operand = self.cast_operand(&c.operand, &to, scope)?;
                self.cast(operand, to, None, c.is_try).map_err(|e| e.at_line(c.line))
            }
            ast::Expr::Convert(c) => self.convert(c, scope),
            ast::Expr::Parse(p) => self.parse(p, scope),
            ast::Expr::Call(call) => self.call(call, scope).map_err(|e| e.at_line(call.line)),
            ast::Expr::Niladic(niladic) => Ok(self.niladic(*niladic)),
            ast::Expr::Method(method) => self.method(method, scope).map_err(|e| e.at_line(method.line)),
            ast::Expr::StaticMethod(method) => self.static_method(method, scope).map_err(|e| e.at_line(method.line)),
            ast::Expr::Subquery(query) => {
                let bound = self.subquery(query, scope)?;
                super::query::one_column(&bound)?;
                let mask = self.mask_of(&bound.outputs[0].expr).map(Box::new);
                let rel = self.with_views(bound.rel, &bound.outputs);
                let (plan, bindings) = self.lowering.subquery(&mut self.columns, rel, bound.outputs);
                let ty = plan.columns[0].ty;
                let subquery = Subquery { plan, kind: SubqueryKind::Scalar, mask, bindings };
                Ok(Expr::new(ty, true, ExprKind::Subquery(Box::new(subquery))))
            }
            ast::Expr::Collate(operand, name) => self.collate(operand, name, scope),
            ast::Expr::AtTimeZone(operand, zone) => self.at_time_zone(operand, zone, scope),
            ast::Expr::NextValueFor(next) => self.next_value(next, scope),
            ast::Expr::OdbcLiteral(kind, text) => self.odbc_literal(*kind, text),
            ast::Expr::Default => Err(sql_error!(156, "DEFAULT")),
            ast::Expr::FullText(full_text) => {
                // The nearest table stands for the one that the columns are of: no table has such an index.
                let table = scope.sources.first().map_or("", |source| &source.alias);
                Err(sql_error!(7601, "table or indexed view", table).at_line(full_text.line))
            }
            ast::Expr::UpdateColumn(column) => self.update_column(column),
            ast::Expr::Word(word) => Ok(text::string(word, true, self.catalog.collation())),
        }
    }

    /// UPDATE(column) of a trigger. 140, 2114
    fn update_column(&self, column: &ast::Ident) -> SqlResult<Expr> {
        let table = self.names.trigger_table.ok_or_else(|| sql_error!(140))?;
        let found = table.columns.iter().find(|own| super::names::same_name(&own.name, column));
        let found = found.ok_or_else(|| super::errors::invalid_column(column))?;
        if found.computed.is_some() && !found.is_set() {
            return Err(sql_error!(2114, &*found.name));
        }
        let name = text::string(column, true, self.catalog.collation());
        Ok(Expr::new(SqlType::BIT, false, ExprKind::Function(FunctionId::Update, vec![name])))
    }

    fn global(&self, name: &ast::Variable) -> SqlResult<Expr> {
        if self.changes && name.name.eq_ignore_ascii_case("@@TRANCOUNT") {
            return Ok(Expr::new(SqlType::INT, false, ExprKind::Global(Global::TranCountOfChange)));
        }
        global(name, self.catalog.session_number_type())
    }

    fn method(&mut self, method: &ast::Method, scope: &Scope) -> SqlResult<Expr> {
        let target = self.xml_target(&method.target, scope)?;
        match (target.value.ty.kind, &method.args) {
            (TypeKind::Xml, Some(args)) => self.xml_method(target, &method.name, args, scope),
            (TypeKind::Xml, None) => Err(sql_error!(227, format_args!("\"{}\"", method.name.text))),
            (TypeKind::Geometry | TypeKind::Geography, args) => {
                self.spatial_member(target.value, &method.name, args.as_deref(), scope)
            }
            (TypeKind::HierarchyId, args) => self.hierarchy_method(target.value, &method.name, args.as_deref(), scope),
            _ => Err(sql_error!(258, typing::type_name(&target.value.ty))),
        }
    }

    /// `type::name(...)`. 243: there is no such type.
    fn static_method(&mut self, method: &ast::StaticMethod, scope: &Scope) -> SqlResult<Expr> {
        let name = &method.type_name;
        let of_system = name.database.is_none() && name.schema.as_ref().is_none_or(|schema| schema.is("sys"));
        match TypeKind::from_name(&name.name.text.to_ascii_lowercase()).filter(|_| of_system) {
            Some(TypeKind::HierarchyId) => self.hierarchy_static(method, scope),
            Some(TypeKind::Geometry | TypeKind::Geography) => self.spatial_static(method, scope),
            _ => Err(sql_error!(243, state 4, super::names::display(name))),
        }
    }

    /// 525: the rows of nodes() have no text.
    fn cast_operand(&mut self, operand: &ast::Expr, to: &SqlType, scope: &Scope) -> SqlResult<Expr> {
        if let ast::Expr::Column(name) = operand
            && scope.column(name).is_ok_and(|(column, _)| column.ty.is_xml_node())
        {
            let max = if to.is_max() && (to.is_string() || to.is_binary()) { "(max)" } else { "" };
            return Err(sql_error!(525, format!("{}{max}", to.message_name())));
        }
        self.expr(operand, scope)
    }

    fn convert(&mut self, c: &ast::Convert, scope: &Scope) -> SqlResult<Expr> {
        let to = self.cast_type(&c.to).map_err(|e| e.at_line(c.line))?;
        let operand = self.cast_operand(&c.operand, &to, scope)?;
        let style = match &c.style {
            Some(style) => {
                let style = self.expr(style, scope)?;
                let whole = style.ty.is_integer() || style.ty.kind == TypeKind::Bit || is_null_literal(&style);
                if !whole {
                    return Err(errors::invalid_argument(&style.ty, 3, "convert").at_line(c.line));
                }
                Some(implicit(style, &SqlType::INT)?)
            }
            None => None,
        };
        self.cast(operand, to, style, c.is_try).map_err(|e| e.at_line(c.line))
    }

    fn parse(&mut self, p: &ast::Parse, scope: &Scope) -> SqlResult<Expr> {
        let to = self.cast_type(&p.to).map_err(|e| e.at_line(p.line))?;
        let mut args = vec![self.expr_as(&p.operand, &SqlType::nvarchar(4000), scope)?];
        if let Some(culture) = &p.culture {
            args.push(self.expr_as(culture, &SqlType::nvarchar(128), scope)?);
        }
        let function = if p.is_try { FunctionId::TryParse } else { FunctionId::Parse };
        Ok(Expr::new(to, true, ExprKind::Function(function, args)))
    }

    fn at_time_zone(&mut self, operand: &ast::Expr, zone: &ast::Expr, scope: &Scope) -> SqlResult<Expr> {
        let operand = self.expr(operand, scope)?;
        let scale = match operand.ty.kind {
            TypeKind::DateTime2 | TypeKind::DateTimeOffset => operand.ty.scale,
            TypeKind::DateTime => 3,
            TypeKind::SmallDateTime => 0,
            _ => return Err(errors::invalid_argument(&operand.ty, 1, "AT TIME ZONE")),
        };
        let operand = match operand.ty.kind {
            TypeKind::DateTimeOffset => operand,
            _ => implicit(operand, &SqlType::datetime2(scale))?,
        };
        let zone = self.expr(zone, scope)?;
        if !zone.ty.is_string() && !is_null_literal(&zone) {
            return Err(errors::invalid_argument(&zone.ty, 2, "AT TIME ZONE"));
        }
        let zone = implicit(zone, &SqlType::nvarchar(128))?;
        let args = vec![operand, zone];
        Ok(Expr::new(SqlType::datetimeoffset(scale), true, ExprKind::Function(FunctionId::AtTimeZone, args)))
    }

    pub fn literal(&self, literal: &ast::Literal) -> Expr {
        let collation = self.catalog.collation();
        match literal {
            ast::Literal::Null => Expr::null(SqlType::INT),
            ast::Literal::Int(value) => Expr::int(*value),
            ast::Literal::Decimal(d) => Expr::literal(numeric(d.precision, d.scale), Datum::I128(d.unscaled)),
            ast::Literal::Float(value) => Expr::literal(SqlType::FLOAT, Datum::F64(*value)),
            ast::Literal::Money(value) => Expr::literal(SqlType::MONEY, Datum::I64(*value)),
            ast::Literal::String { text, national } => text::string(text, *national, collation),
            ast::Literal::Binary(bytes) => text::binary(bytes),
        }
    }

    fn column(&mut self, name: &ast::ColumnName, scope: &Scope) -> SqlResult<Expr> {
        match scope.column(name) {
            Ok((column, _)) => {
                super::xml::check_direct(&column.name, &column.ty)?;
                self.needs.mark(column.id);
                if self.columns.is_untyped(column.id) {
                    return Ok(Expr::null(SqlType::INT));
                }
                Ok(Expr::column(column.id.index(), column.ty, column.nullable))
            }
            Err(error) => match self.column_property(name, scope)? {
                Some(found) => Ok(found),
                None => self.missing_column(self.column_error(error, name, scope)),
            },
        }
    }

    /// In a place without rows a name is not a missing column but not permitted at all.
    fn column_error(&self, error: types::SqlError, name: &ast::ColumnName, scope: &Scope) -> types::SqlError {
        if scope.sources.is_empty() && scope.parent.is_none() && scope.block.is_none() && name.table.is_none() {
            return sql_error!(128, &*name.name).at_line(name.line);
        }
        error
    }

    fn unary(&mut self, op: ast::UnaryOp, operand: &ast::Expr, scope: &Scope) -> SqlResult<Expr> {
        let written = matches!(operand, ast::Expr::Literal(ast::Literal::String { .. } | ast::Literal::Binary(_)));
        let operand = self.expr(operand, scope)?;
        let ty = operand.ty;
        if written && op == ast::UnaryOp::Minus {
            return Err(sql_error!(403, "minus", ty.shown()));
        }
        match op {
            ast::UnaryOp::Plus => Ok(self.expression_of(operand)),
            ast::UnaryOp::Minus => {
                if let ExprKind::Literal(value) = &operand.kind {
                    let negated = match value {
                        Datum::I64(n) if ty.is_integer() || ty.kind == TypeKind::Money => {
                            n.checked_neg().map(Datum::I64)
                        }
                        Datum::I128(n) if ty.is_decimal() => Some(Datum::I128(-n)),
                        Datum::F64(n) => Some(Datum::F64(-n)),
                        Datum::Null => Some(Datum::Null),
                        _ => None,
                    };
                    // 2147483648 is numeric, and an int once it is negative.
                    if let (Some(Datum::I128(least)), 0) = (&negated, ty.scale)
                        && *least == i128::from(i32::MIN)
                    {
                        return Ok(Expr::literal(SqlType::INT, Datum::I64(i64::from(i32::MIN))));
                    }
                    if let Some(negated) = negated {
                        return Ok(Expr::literal(ty, negated));
                    }
                }
                let result = match ty.kind {
                    TypeKind::TinyInt => SqlType::SMALLINT,
                    TypeKind::Bit
                    | TypeKind::Date
                    | TypeKind::Time
                    | TypeKind::DateTime2
                    | TypeKind::DateTimeOffset
                    | TypeKind::Char
                    | TypeKind::VarChar
                    | TypeKind::NChar
                    | TypeKind::NVarChar
                    | TypeKind::Text
                    | TypeKind::NText
                    | TypeKind::Image
                    | TypeKind::UniqueIdentifier
                    | TypeKind::Xml
                    | TypeKind::SqlVariant
                    | TypeKind::Binary
                    | TypeKind::VarBinary
                    | TypeKind::RowVersion
                    | TypeKind::HierarchyId
                    | TypeKind::Geometry
                    | TypeKind::Geography
                    | TypeKind::Json => return Err(errors::invalid_operand(&ty, "minus")),
                    TypeKind::DateTime | TypeKind::SmallDateTime => {
                        return Err(errors::invalid_operand(&ty, "minus"));
                    }
                    _ => ty,
                };
                let nullable = operand.nullable;
                let operand = converted(operand, &result, false);
                Ok(Expr::new(result, nullable, ExprKind::Negate(Box::new(operand))))
            }
            ast::UnaryOp::BitNot => {
                if !ty.is_integer() && ty.kind != TypeKind::Bit {
                    return Err(errors::invalid_operand(&ty, "'~'"));
                }
                Ok(Expr::new(ty, operand.nullable, ExprKind::BitNot(Box::new(operand))))
            }
        }
    }

    pub fn binary(&mut self, op: ast::BinaryOp, left: Expr, right: Expr) -> SqlResult<Expr> {
        let op = match op {
            ast::BinaryOp::Multiply => ArithmeticOp::Multiply,
            ast::BinaryOp::Divide => ArithmeticOp::Divide,
            ast::BinaryOp::Modulo => ArithmeticOp::Modulo,
            ast::BinaryOp::Add | ast::BinaryOp::Concat => ArithmeticOp::Add,
            ast::BinaryOp::Subtract => ArithmeticOp::Subtract,
            ast::BinaryOp::BitAnd => ArithmeticOp::BitAnd,
            ast::BinaryOp::BitOr => ArithmeticOp::BitOr,
            ast::BinaryOp::BitXor => ArithmeticOp::BitXor,
            ast::BinaryOp::ShiftLeft | ast::BinaryOp::ShiftRight => {
                let function =
                    if op == ast::BinaryOp::ShiftLeft { FunctionId::LeftShift } else { FunctionId::RightShift };
                let right = implicit(right, &SqlType::INT)?;
                let (ty, nullable) = (left.ty, left.nullable || right.nullable);
                if !ty.is_integer() && !ty.is_binary() {
                    return Err(errors::invalid_operand(&ty, "bit shift"));
                }
                return Ok(Expr::new(ty, nullable, ExprKind::Function(function, vec![left, right])));
            }
        };
        arithmetic(op, left, right, &self.columns)
    }

    fn like(&mut self, like: &ast::Like, scope: &Scope) -> SqlResult<Expr> {
        let value = self.expr(&like.operand, scope)?;
        let pattern = self.expr(&like.pattern, scope)?;
        let escape = match &like.escape {
            Some(escape) => Some(self.expr(escape, scope)?),
            None => None,
        };
        let value = self.as_string(value, 1, "LIKE")?;
        let pattern = self.as_string(pattern, 2, "LIKE")?;
        let collation = collating::common_collation(&value, &pattern, "like", &self.columns)?;
        let wide = value.ty.is_unicode_string() || pattern.ty.is_unicode_string();
        let side = |e: Expr| {
            let mut ty = if wide && !e.ty.is_unicode_string() { convert::typing_wide(&e.ty) } else { e.ty };
            ty.collation = collation;
            converted(e, &ty, false)
        };
        let escape = match escape {
            Some(e) => Some(Box::new(side(self.as_string(e, 3, "LIKE")?))),
            None => None,
        };
        let kind = ExprKind::Like { value: Box::new(side(value)), pattern: Box::new(side(pattern)), escape };
        let test = Expr::predicate(kind);
        Ok(if like.not { not(test) } else { test })
    }

    /// `=` and `<>` as ANSI_NULLS has them. OFF: NULL as a constant or in a variable equals NULL. Two columns or other expressions
    /// are compared as ever.
    fn compare_as_set(&self, op: CompareOp, left: Expr, right: Expr) -> SqlResult<Expr> {
        let named = |e: &Expr| is_null_literal(e) || matches!(e.kind, ExprKind::Variable(_));
        let equality = matches!(op, CompareOp::Equal | CompareOp::NotEqual);
        if self.options.ansi_nulls || !equality || !named(&left) && !named(&right) {
            return compare(op, left, right, false, &self.columns);
        }
        let is_null = |e: &Expr| Expr::new(SqlType::BIT, false, ExprKind::IsNull(Box::new(e.clone())));
        let both = |a: Expr, b: Expr| Expr::predicate(ExprKind::And(vec![a, b]));
        let mut ways = Vec::new();
        if op == CompareOp::Equal {
            ways.push(both(is_null(&left), is_null(&right)));
        }
        for (one, other) in [(&left, &right), (&right, &left)] {
            if op == CompareOp::NotEqual && named(one) {
                ways.push(both(is_null(one), not(is_null(other))));
            }
        }
        if !is_null_literal(&left) && !is_null_literal(&right) {
            ways.push(compare(op, left, right, false, &self.columns)?);
        }
        Ok(Expr::predicate(ExprKind::Or(ways)))
    }

    fn between(&mut self, b: &ast::Between, scope: &Scope) -> SqlResult<Expr> {
        let operand = self.expr(&b.operand, scope)?;
        let low = self.expr(&b.low, scope)?;
        let high = self.expr(&b.high, scope)?;
        let parts = vec![
            compare(CompareOp::GreaterOrEqual, operand.clone(), low, false, &self.columns)?,
            compare(CompareOp::LessOrEqual, operand, high, false, &self.columns)?,
        ];
        let test = Expr::predicate(ExprKind::And(parts));
        Ok(if b.not { not(test) } else { test })
    }

    fn in_list(&mut self, list: &ast::InList, scope: &Scope) -> SqlResult<Expr> {
        let value = self.expr(&list.operand, scope)?;
        let items = self.exprs(&list.list, scope)?;
        if !self.options.ansi_nulls {
            let equal = |item| self.compare_as_set(CompareOp::Equal, value.clone(), item);
            let test = Expr::predicate(ExprKind::Or(items.into_iter().map(equal).collect::<SqlResult<_>>()?));
            return Ok(if list.not { not(test) } else { test });
        }
        // One type for all where that converts no column; otherwise each is compared on its own.
        let mut pairs = Vec::with_capacity(items.len());
        let mut first: Option<Expr> = None;
        let mut uniform = true;
        for item in items {
            let (left, right) = convert::comparable(value.clone(), item, "equal to", &self.columns)?;
            match &first {
                None => first = Some(left.clone()),
                Some(first) => uniform &= first.same(&left),
            }
            pairs.push((left, right));
        }
        let first = first.expect("the parser gives at least one item");
        let test = if uniform && !value.has_subquery() {
            Expr::predicate(ExprKind::InList {
                value: Box::new(first),
                list: pairs.into_iter().map(|(_, right)| right).collect(),
            })
        } else {
            Expr::predicate(ExprKind::Or(
                pairs
                    .into_iter()
                    .map(|(left, right)| {
                        Expr::predicate(ExprKind::Compare {
                            op: CompareOp::Equal,
                            left: Box::new(left),
                            right: Box::new(right),
                            null_equal: false,
                        })
                    })
                    .collect(),
            ))
        };
        Ok(if list.not { not(test) } else { test })
    }

    fn quantified(
        &mut self,
        operand: &ast::Expr,
        op: CompareOp,
        all: bool,
        query: &ast::Query,
        scope: &Scope,
    ) -> SqlResult<Expr> {
        let value = self.expr(operand, scope)?;
        let mut bound = self.subquery(query, scope)?;
        super::query::one_column(&bound)?;
        let column = bound.outputs.remove(0).expr;
        let (value, column) = convert::comparable(value, column, convert::compare_name(op), &self.columns)?;
        let kind = if all { SubqueryKind::All { value, op } } else { SubqueryKind::Any { value, op } };
        Ok(self.compared(bound.rel, column, kind))
    }

    /// A comparison with the values of `column` in the rows of `rel`.
    pub fn compared(&mut self, rel: Rel, column: Expr, kind: SubqueryKind) -> Expr {
        let outputs = vec![Output { name: "".into(), expr: column }];
        let (plan, bindings) = self.lowering.subquery(&mut self.columns, rel, outputs);
        Expr::predicate(ExprKind::Subquery(Box::new(Subquery { plan, kind, mask: None, bindings })))
    }

    fn case(&mut self, case: &ast::Case, scope: &Scope) -> SqlResult<Expr> {
        let operand = match &case.operand {
            Some(operand) => Some(self.expr(operand, scope)?),
            None => None,
        };
        let mut whens = Vec::with_capacity(case.whens.len());
        let mut results = Vec::with_capacity(case.whens.len() + 1);
        for (when, then) in &case.whens {
            let when = self.expr(when, scope)?;
            whens.push(match &operand {
                Some(operand) => self.compare_as_set(CompareOp::Equal, operand.clone(), when)?,
                None => when,
            });
            results.push(self.expr(then, scope)?);
        }
        if let Some(otherwise) = &case.otherwise {
            results.push(self.expr(otherwise, scope)?);
        }
        // What is written counts: a parameter of an inline function may well stand for a NULL.
        let null = |result: &ast::Expr| matches!(result, ast::Expr::Literal(ast::Literal::Null));
        if case.whens.iter().map(|(_, then)| then).chain(case.otherwise.as_ref()).all(null) {
            return Err(sql_error!(8133));
        }
        case_of(whens, results, case.otherwise.is_some(), &self.columns)
    }

    /// CAST and CONVERT: explicit conversion.
    pub fn cast(&mut self, operand: Expr, to: SqlType, style: Option<Expr>, attempt: bool) -> SqlResult<Expr> {
        if is_null_literal(&operand) {
            // A node, since a NULL that has a type is no longer the bare constant, which takes the type of what is beside it.
            let kind = ExprKind::Convert {
                value: Box::new(Expr::null(SqlType::INT)),
                style: None,
                attempt: false,
                explicit: true,
            };
            return Ok(Expr::new(to, true, kind));
        }
        let mut to = to;
        if to.is_string() && operand.ty.is_string() {
            to.collation = operand.ty.collation;
        }
        check_conversion(&operand.ty, &to, true)?;
        if style.is_none() && convert::widens(&operand.ty, &to) || operand.ty == to {
            return Ok(converted(self.expression_of(operand), &to, true));
        }
        let nullable = operand.nullable || attempt;
        let kind = ExprKind::Convert { value: Box::new(operand), style: style.map(Box::new), attempt, explicit: true };
        Ok(Expr::new(to, nullable, kind))
    }

    /// What an operator makes of an identity column is none, also where it changes neither value nor type.
    fn expression_of(&self, operand: Expr) -> Expr {
        let ExprKind::Column(column) = operand.kind else { return operand };
        let origin = self.columns.origin(crate::optimize::ColumnId(column as u32));
        if origin.is_none_or(|origin| origin.table.columns[usize::from(origin.column)].identity.is_none()) {
            return operand;
        }
        let (ty, nullable) = (operand.ty, operand.nullable);
        Expr::new(
            ty,
            nullable,
            ExprKind::Convert { value: Box::new(operand), style: None, attempt: false, explicit: true },
        )
    }

    fn collate(&mut self, operand: &ast::Expr, name: &ast::Ident, scope: &Scope) -> SqlResult<Expr> {
        let operand = self.expr(operand, scope)?;
        if !operand.ty.is_string() {
            return Err(sql_error!(447, typing::type_name(&operand.ty)));
        }
        let collation = self.collation(name)?;
        let (ty, nullable) = (operand.ty.with_collation(collation), operand.nullable);
        // Always a node, so that the explicit collation is seen to be one.
        let kind = ExprKind::Convert { value: Box::new(operand), style: None, attempt: false, explicit: true };
        Ok(Expr::new(ty, nullable, kind))
    }

    pub fn collation(&self, name: &ast::Ident) -> SqlResult<types::CollationId> {
        if name.is("database_default") || name.is("catalog_default") {
            return Ok(self.catalog.collation());
        }
        text::collation(name).ok_or_else(|| sql_error!(448, state 3, &**name))
    }

    fn odbc_literal(&mut self, kind: ast::OdbcKind, value: &str) -> SqlResult<Expr> {
        let literal = text::string(value, false, self.catalog.collation());
        let to = match kind {
            ast::OdbcKind::Guid => SqlType::UNIQUEIDENTIFIER,
            ast::OdbcKind::Date | ast::OdbcKind::Time | ast::OdbcKind::Timestamp => SqlType::DATETIME,
        };
        Ok(converted(literal, &to, false))
    }

    /// An argument where a string is wanted: numbers and dates become varchar, the old large types the (max) ones.
    pub fn as_string(&self, expr: Expr, argument: usize, function: &str) -> SqlResult<Expr> {
        use TypeKind::*;
        let ty = expr.ty;
        let collation = self.catalog.collation();
        if is_null_literal(&expr) {
            return Ok(Expr::null(SqlType::varchar(1).with_collation(collation)));
        }
        let to = match ty.kind {
            Char | VarChar | NChar | NVarChar => return Ok(expr),
            Text => SqlType::VARCHAR_MAX.with_collation(ty.collation),
            NText => SqlType::NVARCHAR_MAX.with_collation(ty.collation),
            Xml | SqlVariant | Image | HierarchyId | Geometry | Geography | Json => {
                return Err(errors::invalid_argument(&ty, argument, function));
            }
            Binary | VarBinary | RowVersion if ty.is_max() => SqlType::VARCHAR_MAX.with_collation(collation),
            _ => SqlType::varchar(display_size(&ty)).with_collation(collation),
        };
        Ok(converted(expr, &to, false))
    }
}

/// Characters that any value of the type takes as a string.
pub fn display_size(ty: &SqlType) -> u16 {
    use TypeKind::*;
    match ty.kind {
        Bit => 1,
        TinyInt => 3,
        SmallInt => 6,
        Int => 12,
        BigInt => 20,
        Decimal | Numeric => 41,
        SmallMoney => 12,
        Money => 21,
        Real => 24,
        Float => 53,
        Date => 10,
        Time => 16,
        SmallDateTime | DateTime => 26,
        DateTime2 => 27,
        DateTimeOffset => 34,
        UniqueIdentifier => 36,
        Binary | VarBinary | RowVersion => ty.length.clamp(1, 8000),
        NChar | NVarChar => (ty.length / 2).clamp(1, 4000),
        _ => ty.length.clamp(1, 8000),
    }
}

pub fn not(expr: Expr) -> Expr {
    let nullable = expr.nullable;
    Expr::new(SqlType::BIT, nullable, ExprKind::Not(Box::new(expr)))
}

/// `a = 1 OR a = 2` is a list, so that an index can be used.
fn or_list(parts: Vec<Expr>) -> Expr {
    let mut value: Option<&Expr> = None;
    let listable = parts.iter().all(|part| match &part.kind {
        ExprKind::Compare { op: CompareOp::Equal, left, right, null_equal: false } => {
            matches!(left.kind, ExprKind::Column(_))
                && matches!(right.kind, ExprKind::Literal(_) | ExprKind::Variable(_))
                && value.get_or_insert(left).same(left)
        }
        _ => false,
    });
    if !listable {
        return Expr::predicate(ExprKind::Or(parts));
    }
    let mut column = None;
    let mut list = Vec::with_capacity(parts.len());
    for part in parts {
        if let ExprKind::Compare { left, right, .. } = part.kind {
            column = Some(left);
            list.push(*right);
        }
    }
    Expr::predicate(ExprKind::InList { value: column.expect("OR has parts"), list })
}

/// `results` has one more than `whens` when there is an ELSE.
pub fn case_of(whens: Vec<Expr>, results: Vec<Expr>, has_else: bool, columns: &Columns) -> SqlResult<Expr> {
    let arms: Vec<(bool, SqlType)> = results.iter().map(|e| (e.nullable, e.ty)).collect();
    let (mut results, ty) = convert::unify(results, "CASE", columns)?;
    let may_be_null = |at: usize| arms.get(at).is_none_or(|(nullable, from)| *nullable || told::loses(from, &ty));
    let nullable = told::live_arms(whens.iter()).any(may_be_null);
    let otherwise = if has_else { results.pop().map(Box::new) } else { None };
    let branches = whens.into_iter().zip(results).collect();
    Ok(Expr::new(ty, nullable, ExprKind::Case { branches, otherwise }))
}

pub fn compare_op(op: ast::CompareOp) -> CompareOp {
    match op {
        ast::CompareOp::Equal => CompareOp::Equal,
        ast::CompareOp::NotEqual => CompareOp::NotEqual,
        ast::CompareOp::Less => CompareOp::Less,
        ast::CompareOp::LessOrEqual => CompareOp::LessOrEqual,
        ast::CompareOp::Greater => CompareOp::Greater,
        ast::CompareOp::GreaterOrEqual => CompareOp::GreaterOrEqual,
    }
}

pub fn type_op(op: ArithmeticOp) -> precedence::ArithmeticOp {
    match op {
        ArithmeticOp::Add => precedence::ArithmeticOp::Add,
        ArithmeticOp::Subtract => precedence::ArithmeticOp::Subtract,
        ArithmeticOp::Multiply => precedence::ArithmeticOp::Multiply,
        ArithmeticOp::Divide => precedence::ArithmeticOp::Divide,
        ArithmeticOp::Modulo => precedence::ArithmeticOp::Modulo,
        ArithmeticOp::BitAnd => precedence::ArithmeticOp::BitAnd,
        ArithmeticOp::BitOr => precedence::ArithmeticOp::BitOr,
        ArithmeticOp::BitXor => precedence::ArithmeticOp::BitXor,
    }
}

pub fn arithmetic(op: ArithmeticOp, mut left: Expr, mut right: Expr, columns: &Columns) -> SqlResult<Expr> {
    let bitwise = type_op(op).is_bitwise();
    // NULL has no type of its own.
    if ![&left, &right].iter().any(|side| is_null_literal(side) || is_untyped(side, columns)) {
        operands::check_arithmetic(type_op(op), &left.ty, &right.ty)?;
    }
    match (is_null_literal(&left), is_null_literal(&right)) {
        (true, false) => left = Expr::null(right.ty),
        (false, true) => right = Expr::null(left.ty),
        _ => {}
    }
    let (mut a, mut b) = (left.ty, right.ty);
    if a.is_decimal() != b.is_decimal() && !bitwise {
        (a, b) = (beside_decimal(&left), beside_decimal(&right));
    }
    let mut types = precedence::arithmetic(type_op(op), &a, &b)?;
    if left.ty.is_string() && right.ty.is_string() {
        let collation = collating::made_collation(&left, &right, "add", columns)?;
        types.left.collation = collation;
        types.right.collation = collation;
        types.result.collation = collation;
    }
    let nullable = left.nullable || right.nullable;
    let operand = |e: Expr, to: &SqlType| {
        // Decimals keep their own digits: the operation aligns scales itself.
        if e.ty.is_decimal() && to.is_decimal() { Ok(e) } else { implicit(e, to) }
    };
    let left = operand(left, &types.left)?;
    let right = operand(right, &types.right)?;
    let kind = ExprKind::Arithmetic(op, Box::new(left), Box::new(right));
    Ok(Expr::new(types.result, nullable, kind))
}

fn global(name: &ast::Variable, session_number: SqlType) -> SqlResult<Expr> {
    use Global::*;
    let ident = SqlType::nvarchar(128);
    let big = numeric(38, 0);
    let table: [(&str, Global, SqlType); 35] = [
        ("@@ROWCOUNT", RowCount, SqlType::INT),
        ("@@ERROR", Error, SqlType::INT),
        ("@@IDENTITY", Identity, big),
        ("@@FETCH_STATUS", FetchStatus, SqlType::INT),
        ("@@TRANCOUNT", TranCount, SqlType::INT),
        ("@@SPID", Spid, session_number),
        ("@@VERSION", Version, SqlType::nvarchar(300)),
        ("@@SERVERNAME", ServerName, ident),
        ("@@NESTLEVEL", NestLevel, SqlType::INT),
        ("@@PROCID", ProcId, SqlType::INT),
        ("@@OPTIONS", Options, SqlType::INT),
        ("@@DATEFIRST", DateFirst, SqlType::TINYINT),
        ("@@LANGUAGE", Language, ident),
        ("@@LANGID", LangId, SqlType::SMALLINT),
        ("@@LOCK_TIMEOUT", LockTimeout, SqlType::INT),
        ("@@MAX_CONNECTIONS", MaxConnections, SqlType::INT),
        ("@@MAX_PRECISION", MaxPrecision, SqlType::TINYINT),
        ("@@MICROSOFTVERSION", MicrosoftVersion, SqlType::INT),
        ("@@CONNECTIONS", Connections, SqlType::INT),
        ("@@CPU_BUSY", CpuBusy, SqlType::INT),
        ("@@CURSOR_ROWS", CursorRows, SqlType::INT),
        ("@@DBTS", Dbts, SqlType::varbinary(8)),
        ("@@IDLE", Idle, SqlType::INT),
        ("@@IO_BUSY", IoBusy, SqlType::INT),
        ("@@KERNEL_MODE", KernelMode, ident),
        ("@@PACK_RECEIVED", PackReceived, SqlType::INT),
        ("@@PACK_SENT", PackSent, SqlType::INT),
        ("@@PACKET_ERRORS", PacketErrors, SqlType::INT),
        ("@@REMSERVER", RemServer, ident),
        ("@@SERVICENAME", ServiceName, ident),
        ("@@TEXTSIZE", TextSize, SqlType::INT),
        ("@@TIMETICKS", TimeTicks, SqlType::INT),
        ("@@TOTAL_ERRORS", TotalErrors, SqlType::INT),
        ("@@TOTAL_READ", TotalRead, SqlType::INT),
        ("@@TOTAL_WRITE", TotalWrite, SqlType::INT),
    ];
    table
        .iter()
        .find(|(known, ..)| known.eq_ignore_ascii_case(&name.name))
        .map(|(_, global, ty)| {
            // Names and texts pass for nullable, numbers do not.
            let nullable = ty.is_string() || *global == Identity;
            Expr::new(*ty, nullable, ExprKind::Global(*global))
        })
        .ok_or_else(|| errors::undeclared_variable(&name.name).at_line(name.line))
}
