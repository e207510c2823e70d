//! JSON that is made of values: JSON_OBJECT, JSON_ARRAY and their aggregates, ISJSON with a type, and what reads the type json.
//!
//! Each value becomes JSON text by a function of its own; what is JSON already (a JSON function, FOR JSON) goes in as it is. The
//! aggregates are STRING_AGG over such texts, in brackets if there are rows.

use types::{SqlResult, SqlType, TypeKind, sql_error};

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

/// Types that JSON_VALUE ... RETURNING gives.
const RETURNED: &[TypeKind] = {
    use TypeKind::*;
    &[
        Bit,
        TinyInt,
        SmallInt,
        Int,
        BigInt,
        Decimal,
        Numeric,
        Real,
        Float,
        Date,
        Time,
        DateTime2,
        DateTimeOffset,
        Char,
        VarChar,
        NChar,
        NVarChar,
    ]
};

/// What it gives is JSON, not a text that happens to be.
pub fn gives_json(function: FunctionId) -> bool {
    use FunctionId::{JsonArray, JsonModify, JsonObject, JsonQuery, JsonWrap};
    matches!(function, JsonArray | JsonModify | JsonObject | JsonQuery | JsonWrap)
}

fn is_json(expr: &Expr) -> bool {
    match &expr.kind {
        _ if expr.ty.is_json() => true,
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
                let mut returns_json = self.returns_json(call)?;
                let mut args = vec![Expr::bit(absent == Some(true))];
                for pair in call.args.chunks(2) {
                    args.push(self.json_key(&pair[0], scope)?);
                    args.push(self.json_value(&pair[1], scope, &mut returns_json)?);
                }
                self.json_typed(FunctionId::JsonObject, args, returns_json)
            }
            "JSON_ARRAY" => {
                let mut returns_json = self.returns_json(call)?;
                let mut args = vec![Expr::bit(absent != Some(false))];
                for value in &call.args {
                    args.push(self.json_value(value, scope, &mut returns_json)?);
                }
                self.json_typed(FunctionId::JsonArray, args, returns_json)
            }
            "JSON_VALUE" if call.extra.as_ref().is_some_and(|extra| extra.returning.is_some()) => {
                self.json_returning(call, scope)?
            }
            "JSON_ARRAYAGG" => self.json_aggregate(call, (ELEMENT, "[]", absent != Some(false)), scope)?,
            "JSON_OBJECTAGG" => self.json_aggregate(call, (MEMBER, "{}", absent == Some(true)), scope)?,
            _ if name.is(ELEMENT) => {
                let value = self.json_value(&call.args[0], scope, &mut false)?;
                self.json_or_null(value, absent)
            }
            _ if name.is(MEMBER) => {
                let key = self.json_key(&call.args[0], scope)?;
                let value = self.json_value(&call.args[1], scope, &mut false)?;
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

    /// As `json_of`, as a value of the type json if that is asked for or one of the values in it is.
    fn json_typed(&self, function: FunctionId, args: Vec<Expr>, returns_json: bool) -> Expr {
        let made = self.json_of(function, args);
        if returns_json { converted(made, &SqlType::JSON, true) } else { made }
    }

    /// Whether RETURNING json stands there. 102: no other type does.
    fn returns_json(&self, call: &ast::Call) -> SqlResult<bool> {
        match call.extra.as_ref().and_then(|extra| extra.returning.as_ref()).map(|returning| &returning.name) {
            None => Ok(false),
            Some(ast::TypeName::Builtin(TypeKind::Json)) => Ok(true),
            Some(ast::TypeName::Builtin(TypeKind::NVarChar)) => {
                Err(sql_error!(102, state 19, "RETURNING. Supported Syntax is RETURNING JSON"))
            }
            Some(_) => Err(sql_error!(102, state 19, "RETURNING")),
        }
    }

    /// A function that reads JSON, of a value of the type json: of its text. What it makes of the whole is json again. 8116: no json goes
    /// into a document by JSON_MODIFY.
    pub fn of_document(
        &mut self,
        function: FunctionId,
        name: &str,
        document: Expr,
        mut rest: Vec<Expr>,
    ) -> SqlResult<Expr> {
        if let Some(at) = rest.iter().position(|argument| argument.ty.is_json()) {
            return Err(errors::invalid_argument(&rest[at].ty, at + 2, name));
        }
        let mut args = vec![converted(document, &self.long_json(), true)];
        args.append(&mut rest);
        let read = self.builtin(function, name, args)?;
        let is_whole = matches!(function, FunctionId::JsonModify | FunctionId::JsonQuery);
        Ok(if is_whole { converted(read, &SqlType::JSON, true) } else { read })
    }

    /// What a value of the type json becomes by `modify(path, value)`; `name` is what error 5302 calls it. 227, 313, 8144.
    pub fn json_modified(
        &mut self,
        document: Expr,
        name: &str,
        method: &ast::Ident,
        arguments: &[ast::Expr],
        scope: &Scope,
    ) -> SqlResult<Expr> {
        if !method.is("modify") {
            return Err(sql_error!(227, format_args!("\"{}\"", method.text)));
        }
        let [path, value] = arguments else {
            let too_few = arguments.len() < 2;
            return Err(if too_few {
                sql_error!(313, state 101, "modify")
            } else {
                sql_error!(8144, state 101, "modify")
            });
        };
        let path = self.expr(path, scope)?;
        let mut value = self.expr(value, scope)?;
        if value.ty.is_json() {
            // As the document that it is, and not as a string.
            let text = converted(value, &self.long_json(), true);
            value = self.builtin(FunctionId::JsonQuery, "JSON_QUERY", vec![text])?;
        }
        let text = converted(document, &self.long_json(), true);
        let mut modified = self.builtin(FunctionId::JsonModify, "modify", vec![text, path, value])?;
        if let ExprKind::Function(_, arguments) = &mut modified.kind {
            arguments.push(text::string(name, true, self.catalog.collation()));
        }
        Ok(converted(modified, &SqlType::JSON, true))
    }

    /// `JSON_VALUE(json, path RETURNING type)`. 102: of no text, and no type but those of `RETURNED`, texts with their length.
    fn json_returning(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let Some(returning) = call.extra.as_ref().and_then(|extra| extra.returning.as_ref()) else {
            return Err(sql_error!(102, "RETURNING"));
        };
        if call.args.len() != 2 {
            return Err(errors::argument_count("json_value", 2));
        }
        let kind = match &returning.name {
            ast::TypeName::Builtin(kind) => *kind,
            ast::TypeName::Vector => return Err(sql_error!(102, state 29, "sys.vector")),
            ast::TypeName::User(name) => return Err(sql_error!(102, state 29, &*name.name.text)),
            _ => return Err(sql_error!(102, state 29, "RETURNING")),
        };
        if !RETURNED.contains(&kind) {
            return Err(sql_error!(102, state 29, kind.name()));
        }
        let ty = self.data_type(returning, 1)?;
        let document = self.expr(&call.args[0], scope)?;
        if !document.ty.is_json() || ty.is_string() && returning.length == ast::TypeLength::Default {
            return Err(sql_error!(102, "RETURNING"));
        }
        let path =
            self.expr_as(&call.args[1], &SqlType::nvarchar(4000).with_collation(self.catalog.collation()), scope)?;
        let document = converted(document, &self.long_json(), true);
        Ok(Expr::new(ty, true, ExprKind::Function(FunctionId::JsonReturning, vec![document, path])))
    }

    fn json_key(&mut self, key: &ast::Expr, scope: &Scope) -> SqlResult<Expr> {
        let key = self.expr(key, scope)?;
        let key = self.as_string(key, 1, "json_object")?;
        implicit(key, &self.long_json())
    }

    /// A value as JSON text. `of_json` is set if it is of the type json.
    fn json_value(&mut self, value: &ast::Expr, scope: &Scope, of_json: &mut bool) -> SqlResult<Expr> {
        let value = self.expr(value, scope)?;
        let ty = self.long_json();
        if is_json(&value) {
            *of_json |= value.ty.is_json();
            return Ok(converted(value, &ty, true));
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
        let returns_json = self.returns_json(call)?;
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
        Ok(self.json_typed(FunctionId::JsonWrap, vec![brackets, joined, rows], returns_json))
    }
}
