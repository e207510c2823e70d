//! JSON that is made of values: JSON_OBJECT, JSON_ARRAY and their aggregates, and ISJSON with a type.
//!
//! Each value becomes JSON text by a function of its own; what is JSON already (a JSON function, FOR JSON) goes in as it is. The
//! aggregates are STRING_AGG over such texts, in brackets if there are rows.

use types::{SqlResult, SqlType, sql_error};

use super::aggregate::{ELEMENT, MEMBER};
use super::binder::Binder;
use super::convert::{converted, implicit};
use super::errors;
use super::scope::Scope;
use super::text;
use crate::ast;
use crate::function::FunctionId;
use crate::plan::{AggregateFunction, Expr, ExprKind, ForFormat, OperatorKind};

/// Types that ISJSON knows.
const KINDS: &[&str] = &["VALUE", "SCALAR", "OBJECT", "ARRAY"];

/// What it gives is JSON, not a text that happens to be.
pub fn gives_json(function: FunctionId) -> bool {
    use FunctionId::{JsonArray, JsonModify, JsonObject, JsonQuery, JsonWrap};
    matches!(function, JsonArray | JsonModify | JsonObject | JsonQuery | JsonWrap)
}

fn is_json(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Function(function, _) => gives_json(*function),
        ExprKind::Subquery(subquery) => match &subquery.plan.kind {
            OperatorKind::ForText { format, .. } => matches!(format, ForFormat::Json { .. }),
            _ => false,
        },
        _ => false,
    }
}

/// Of what JSON_ARRAYAGG and JSON_OBJECTAGG put together.
pub fn is_part(expr: &Expr) -> bool {
    is_json(expr) || matches!(expr.kind, ExprKind::Function(FunctionId::JsonText | FunctionId::JsonMember, _))
}

impl Binder<'_> {
    /// None: it is no such function.
    pub fn json_call(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Option<Expr>> {
        let name = &call.name.name;
        let of_json = name.text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("json")) || name.is("ISJSON");
        if name.quoted || !of_json {
            return Ok(None);
        }
        let absent = call.extra.as_ref().and_then(|extra| extra.absent_on_null);
        let made = match name.text.to_ascii_uppercase().as_str() {
            "JSON_OBJECT" => {
                self.refuse_returning(call)?;
                let mut args = vec![Expr::bit(absent == Some(true))];
                for pair in call.args.chunks(2) {
                    args.push(self.json_key(&pair[0], scope)?);
                    args.push(self.json_value(&pair[1], scope)?);
                }
                self.json_of(FunctionId::JsonObject, args)
            }
            "JSON_ARRAY" => {
                self.refuse_returning(call)?;
                let mut args = vec![Expr::bit(absent != Some(false))];
                for value in &call.args {
                    args.push(self.json_value(value, scope)?);
                }
                self.json_of(FunctionId::JsonArray, args)
            }
            "JSON_ARRAYAGG" => self.json_aggregate(call, (ELEMENT, "[]", absent != Some(false)), scope)?,
            "JSON_OBJECTAGG" => self.json_aggregate(call, (MEMBER, "{}", absent == Some(true)), scope)?,
            _ if name.is(ELEMENT) => {
                let value = self.json_value(&call.args[0], scope)?;
                self.json_or_null(value, absent)
            }
            _ if name.is(MEMBER) => {
                let key = self.json_key(&call.args[0], scope)?;
                let value = self.json_value(&call.args[1], scope)?;
                let value = self.json_or_null(value, absent);
                self.json_of(FunctionId::JsonMember, vec![key, value])
            }
            "ISJSON" if call.args.len() == 2 => {
                let kind = match &call.args[1] {
                    ast::Expr::Column(column) if column.table.is_none() => column.name.text.to_ascii_uppercase(),
                    _ => return Err(sql_error!(1023, 2, "isjson")),
                };
                if !KINDS.contains(&kind.as_str()) {
                    return Err(sql_error!(155, kind, "isjson"));
                }
                let value = self.expr(&call.args[0], scope)?;
                let value = self.as_string(value, 1, "isjson")?;
                let kind = text::string(&kind, false, self.catalog.collation());
                Expr::new(SqlType::INT, true, ExprKind::Function(FunctionId::Isjson, vec![value, kind]))
            }
            _ => return Ok(None),
        };
        Ok(Some(made))
    }

    fn long_json(&self) -> SqlType {
        SqlType::NVARCHAR_MAX.with_collation(self.catalog.collation())
    }

    fn json_of(&self, function: FunctionId, args: Vec<Expr>) -> Expr {
        Expr::new(self.long_json(), true, ExprKind::Function(function, args))
    }

    /// RETURNING names the type json, which there is none of.
    fn refuse_returning(&self, call: &ast::Call) -> SqlResult<()> {
        match call.extra.as_ref().and_then(|extra| extra.returning.as_ref()) {
            Some(_) => Err(errors::unsupported("RETURNING json")),
            None => Ok(()),
        }
    }

    fn json_key(&mut self, key: &ast::Expr, scope: &Scope) -> SqlResult<Expr> {
        let key = self.expr(key, scope)?;
        let key = self.as_string(key, 1, "json_object")?;
        implicit(key, &self.long_json())
    }

    fn json_value(&mut self, value: &ast::Expr, scope: &Scope) -> SqlResult<Expr> {
        let value = self.expr(value, scope)?;
        let ty = self.long_json();
        if is_json(&value) {
            return Ok(converted(value, &ty, false));
        }
        Ok(self.json_of(FunctionId::JsonText, vec![value]))
    }

    /// NULL ON NULL: the word null.
    fn json_or_null(&self, value: Expr, absent: Option<bool>) -> Expr {
        if absent == Some(true) {
            return value;
        }
        let null = converted(text::string("null", true, self.catalog.collation()), &self.long_json(), false);
        self.json_of(FunctionId::Isnull, vec![value, null])
    }

    fn json_aggregate(
        &mut self,
        call: &ast::Call,
        (part, brackets, absent): (&str, &str, bool),
        scope: &Scope,
    ) -> SqlResult<Expr> {
        self.refuse_returning(call)?;
        let name = call.name.name.text.to_ascii_uppercase();
        let expected = if part == MEMBER { 2 } else { 1 };
        if call.args.len() != expected {
            return Err(errors::argument_count(&name, expected));
        }
        let extra = call.extra.as_deref().cloned().unwrap_or_default();
        if extra.over.is_some() {
            return Err(errors::unsupported(&format!("{name} ... OVER")));
        }
        let named = |name: &str, args, extra| ast::Call {
            name: ast::ObjectName::unqualified(ast::Ident::new(name), call.line),
            args,
            star: false,
            distinct: false,
            odbc: false,
            extra: Some(Box::new(extra)),
            line: call.line,
        };
        let of_part = ast::CallExtra { absent_on_null: Some(absent), ..ast::CallExtra::default() };
        let element = ast::Expr::Call(Box::new(named(part, call.args.clone(), of_part)));
        let comma = ast::Expr::Literal(ast::Literal::String { text: ",".into(), national: true });
        let order = ast::CallExtra { within_group: extra.order_by, ..ast::CallExtra::default() };
        let joined = named("STRING_AGG", vec![element, comma], order);
        let joined = self.aggregate(AggregateFunction::StringAgg, &joined, scope)?;
        let rows = ast::Call { star: true, extra: None, ..named("COUNT_BIG", Vec::new(), ast::CallExtra::default()) };
        let rows = self.aggregate(AggregateFunction::CountBig, &rows, scope)?;
        let brackets = text::string(brackets, true, self.catalog.collation());
        Ok(self.json_of(FunctionId::JsonWrap, vec![brackets, joined, rows]))
    }
}
