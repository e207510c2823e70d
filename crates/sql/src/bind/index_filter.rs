//! The WHERE of a filtered index: conditions on single columns against constants, each a set of the column's normalized keys.
//!
//! SQL Server permits no more than `column op constant`, `column IN (constants)` and `column IS [NOT] NULL` joined by AND. So whether a
//! row is a member needs no expression, and whether a query's predicate implies the filter is a comparison of sets.

use types::convert::NO_STYLE;
use types::key::encode_datum;
use types::precedence::{implicit_allowed, result_type};
use types::{ConvertContext, Datum, KeySet, SqlError, SqlResult, SqlType, TypeKind, convert, sql_error};

use super::data_type::builtin_type;
use super::errors;
use super::names::same_name;
use super::text;
use super::typing::numeric;
use crate::ast;
use crate::catalog::{ColumnDef, FilterTerm};
use crate::plan::ExprKind;

/// What messages say the filter belongs to.
#[derive(Debug, Clone, Copy)]
pub struct FilterOwner<'a> {
    /// `index` or `statistics`.
    pub kind: &'a str,
    pub name: &'a str,
    /// As the statement has it.
    pub table: &'a str,
}

/// One term for each column named. 10735, 207, 10609, 10611, 10612, 10620.
pub fn index_filter(
    condition: &ast::Expr,
    columns: &[ColumnDef],
    owner: FilterOwner<'_>,
) -> SqlResult<Vec<FilterTerm>> {
    let parts = match condition {
        ast::Expr::And(parts) => &parts[..],
        one => std::slice::from_ref(one),
    };
    let mut terms: Vec<FilterTerm> = Vec::new();
    for part in parts {
        let found = match part {
            ast::Expr::And(_) => index_filter(part, columns, owner)?,
            part => vec![owner.term(part, columns)?],
        };
        for FilterTerm { column, keys } in found {
            match terms.iter_mut().find(|term| term.column == column) {
                Some(term) => term.keys = term.keys.intersection(&keys),
                None => terms.push(FilterTerm { column, keys }),
            }
        }
    }
    Ok(terms)
}

/// The filter of an index from the text that the catalog keeps.
pub fn kept_index_filter(text: &str, columns: &[ColumnDef]) -> SqlResult<Vec<FilterTerm>> {
    let owner = FilterOwner { kind: "index", name: "", table: "" };
    index_filter(&super::modules::parse_condition(text)?, columns, owner)
}

/// Where a constant lies among the values of a column.
enum Place {
    Below,
    /// At this value, or (false) above it and below the next one.
    At(Datum, bool),
    Above,
}

impl FilterOwner<'_> {
    fn term(&self, part: &ast::Expr, columns: &[ColumnDef]) -> SqlResult<FilterTerm> {
        match part {
            ast::Expr::IsNull { operand, not } => {
                let (column, _) = self.column(operand, columns)?;
                Ok(FilterTerm { column, keys: if *not { KeySet::not_null() } else { KeySet::null() } })
            }
            ast::Expr::Compare(compare) => {
                let (column, def) = self.column(&compare.left, columns)?;
                Ok(FilterTerm { column, keys: self.compared(def, compare.op, &compare.right)? })
            }
            ast::Expr::InList(list) if !list.not => {
                let (column, def) = self.column(&list.operand, columns)?;
                let mut keys = KeySet::empty();
                for item in &list.list {
                    keys = keys.union(self.compared(def, ast::CompareOp::Equal, item)?);
                }
                Ok(FilterTerm { column, keys })
            }
            _ => Err(self.incorrect()),
        }
    }

    fn column<'c>(&self, expr: &ast::Expr, columns: &'c [ColumnDef]) -> SqlResult<(u16, &'c ColumnDef)> {
        let ast::Expr::Column(name) = expr else { return Err(self.incorrect()) };
        let found = columns.iter().position(|column| same_name(&column.name, &name.name));
        let at = found.ok_or_else(|| errors::invalid_column(&name.name).at_line(name.line))?;
        if columns[at].computed.is_some() {
            return Err(sql_error!(10609, self.kind, self.name, self.table, columns[at].name));
        }
        Ok((at as u16, &columns[at]))
    }

    fn compared(&self, column: &ColumnDef, op: ast::CompareOp, constant: &ast::Expr) -> SqlResult<KeySet> {
        let Some((ty, value)) = self.constant(constant, &column.ty)? else { return Err(self.incorrect()) };
        // Values that may be out of the row, and those that no index has as a key.
        let ordered = !column.ty.is_max()
            && !matches!(
                column.ty.kind,
                TypeKind::Text | TypeKind::NText | TypeKind::Image | TypeKind::Xml | TypeKind::SqlVariant
            );
        if !ordered {
            return Err(self.incorrect());
        }
        if value.is_null() {
            return Err(sql_error!(10620, self.kind, self.name, self.table));
        }
        let (at, exact) = match self.place(column, &ty, &value)? {
            Place::At(value, exact) => (value, exact),
            outside => {
                use ast::CompareOp::*;
                let holds = match outside {
                    Place::Below => matches!(op, NotEqual | Greater | GreaterOrEqual),
                    _ => matches!(op, NotEqual | Less | LessOrEqual),
                };
                return Ok(if holds { KeySet::not_null() } else { KeySet::empty() });
            }
        };
        let mut key = Vec::new();
        encode_datum(&column.ty, false, &at, &mut key);
        Ok(match op {
            ast::CompareOp::Equal if exact => KeySet::equal(&key),
            ast::CompareOp::Equal => KeySet::empty(),
            ast::CompareOp::NotEqual if exact => KeySet::less(&key, false).union(KeySet::greater(&key, false)),
            ast::CompareOp::NotEqual => KeySet::not_null(),
            ast::CompareOp::Less => KeySet::less(&key, !exact),
            ast::CompareOp::LessOrEqual => KeySet::less(&key, true),
            ast::CompareOp::Greater => KeySet::greater(&key, false),
            ast::CompareOp::GreaterOrEqual => KeySet::greater(&key, exact),
        })
    }

    /// None: not a constant. Strings are taken as of the column's collation.
    fn constant(&self, expr: &ast::Expr, column: &SqlType) -> SqlResult<Option<(SqlType, Datum)>> {
        use ast::Literal as L;
        let (operand, to, style) = match expr {
            ast::Expr::Literal(literal) => {
                let typed = match literal {
                    L::Null => (*column, Datum::Null),
                    L::Int(value) => (SqlType::INT, Datum::I64(i64::from(*value))),
                    L::Decimal(d) => (numeric(d.precision, d.scale), Datum::I128(d.unscaled)),
                    L::Float(value) => (SqlType::FLOAT, Datum::F64(*value)),
                    L::Money(value) => (SqlType::MONEY, Datum::I64(*value)),
                    L::String { text, national } => {
                        let collation =
                            if column.is_string() { column.collation } else { SqlType::varchar(1).collation };
                        parts(text::string(text, *national, collation))
                    }
                    L::Binary(bytes) => parts(text::binary(bytes)),
                };
                return Ok(Some(typed));
            }
            ast::Expr::Unary(ast::UnaryOp::Plus, inner) => return self.constant(inner, column),
            ast::Expr::Unary(ast::UnaryOp::Minus, inner) => {
                let (ty, value) = match (&**inner, self.constant(inner, column)?) {
                    (ast::Expr::Literal(_), Some(typed)) => typed,
                    _ => return Ok(None),
                };
                let value = match value {
                    Datum::I64(value) => Datum::I64(-value),
                    Datum::I128(value) => Datum::I128(-value),
                    Datum::F64(value) => Datum::F64(-value),
                    _ => return Ok(None),
                };
                return Ok(Some((ty, value)));
            }
            ast::Expr::Cast(cast) if !cast.is_try => (&cast.operand, &cast.to, NO_STYLE),
            ast::Expr::Convert(convert) if !convert.is_try => {
                let style = match &convert.style {
                    None => NO_STYLE,
                    Some(ast::Expr::Literal(L::Int(style))) => *style,
                    Some(_) => return Ok(None),
                };
                (&convert.operand, &convert.to, style)
            }
            _ => return Ok(None),
        };
        let Some(mut to) = builtin_type(to, 30)? else { return Ok(None) };
        if to.is_string() && column.is_string() {
            to = to.with_collation(column.collation);
        }
        let Some((from, value)) = self.constant(operand, column)? else { return Ok(None) };
        Ok(Some((to, convert(&value, &from, &to, style, &ConvertContext::CAST)?)))
    }

    fn place(&self, column: &ColumnDef, from: &SqlType, value: &Datum) -> SqlResult<Place> {
        let to = &column.ty;
        if let (Some((low, high, scale)), Some((unscaled, from_scale))) = (exact_range(to), exact_value(from, value)) {
            return Ok(place_number(unscaled, from_scale, low, high, scale, to));
        }
        let no_higher = match (from.is_string(), to.is_string()) {
            (true, true) => to.is_unicode_string() || from.is_ansi_string(),
            _ if from.is_binary() && to.is_binary() => true,
            _ => result_type(to, from)
                .is_ok_and(|common| common.kind == to.kind || common.is_decimal() && to.is_decimal()),
        };
        if !no_higher {
            return Err(self.higher(&column.name));
        }
        if !implicit_allowed(from, to) {
            return Err(self.inconvertible(&column.name));
        }
        if let (true, Datum::Bytes(bytes), TypeKind::Binary | TypeKind::RowVersion) = (from.is_binary(), value, to.kind)
        {
            let mut fixed = bytes.to_vec();
            fixed.resize(usize::from(to.length), 0);
            let exact = bytes.iter().skip(fixed.len()).all(|byte| *byte == 0);
            return Ok(Place::At(Datum::Bytes(fixed.into()), exact));
        }
        // A text or binary constant keeps what a column of its length has no room for: it equals nothing there.
        let to = match to.kind {
            _ if to.is_ansi_string() => SqlType::VARCHAR_MAX.with_collation(to.collation),
            _ if to.is_unicode_string() => SqlType::NVARCHAR_MAX.with_collation(to.collation),
            TypeKind::VarBinary => SqlType::VARBINARY_MAX,
            _ => *to,
        };
        let there = |value: &Datum, from: &SqlType, to: &SqlType| {
            convert(value, from, to, NO_STYLE, &ConvertContext::ASSIGN).map_err(|_| self.inconvertible(&column.name))
        };
        let at = there(value, from, &to)?;
        if from.kind == to.kind && !to.is_string() && there(&at, &to, from)? != *value {
            return Err(self.higher(&column.name));
        }
        Ok(Place::At(at, true))
    }

    fn incorrect(&self) -> SqlError {
        sql_error!(10735, self.kind, self.name, self.table)
    }

    fn higher(&self, column: &str) -> SqlError {
        let many = if self.kind == "index" { "indexes" } else { self.kind };
        sql_error!(10611, self.kind, self.name, self.table, column, many, column)
    }

    fn inconvertible(&self, column: &str) -> SqlError {
        sql_error!(10612, self.kind, self.name, self.table, column)
    }
}

fn parts(expr: crate::plan::Expr) -> (SqlType, Datum) {
    match expr.kind {
        ExprKind::Literal(value) => (expr.ty, value),
        other => panic!("a literal, not {other:?}"),
    }
}

/// Of an exact numeric type: its lowest and highest unscaled value, and its scale.
fn exact_range(ty: &SqlType) -> Option<(i128, i128, u8)> {
    use TypeKind::*;
    let of = |low: i64, high: i64, scale| Some((i128::from(low), i128::from(high), scale));
    match ty.kind {
        Bit => of(0, 1, 0),
        TinyInt => of(0, 255, 0),
        SmallInt => of(i16::MIN.into(), i16::MAX.into(), 0),
        Int => of(i32::MIN.into(), i32::MAX.into(), 0),
        BigInt => of(i64::MIN, i64::MAX, 0),
        SmallMoney => of(i32::MIN.into(), i32::MAX.into(), 4),
        Money => of(i64::MIN, i64::MAX, 4),
        Decimal | Numeric => {
            let highest = 10_i128.pow(u32::from(ty.precision)) - 1;
            Some((-highest, highest, ty.scale))
        }
        _ => None,
    }
}

fn exact_value(ty: &SqlType, value: &Datum) -> Option<(i128, u8)> {
    let (.., scale) = exact_range(ty)?;
    match value {
        Datum::I64(value) => Some((i128::from(*value), scale)),
        Datum::I128(value) => Some((*value, scale)),
        _ => None,
    }
}

/// `unscaled / 10^from_scale` among the numbers `low` to `high` of `scale` digits behind the point.
fn place_number(unscaled: i128, from_scale: u8, low: i128, high: i128, scale: u8, to: &SqlType) -> Place {
    let (floor, exact) = if scale >= from_scale {
        let factor = 10_i128.pow(u32::from(scale - from_scale));
        match unscaled.checked_mul(factor) {
            Some(value) => (value, true),
            None => return if unscaled < 0 { Place::Below } else { Place::Above },
        }
    } else {
        let factor = 10_i128.pow(u32::from(from_scale - scale));
        (unscaled.div_euclid(factor), unscaled.rem_euclid(factor) == 0)
    };
    if floor < low {
        return Place::Below;
    }
    if floor > high {
        return Place::Above;
    }
    let value = match to.physical() {
        types::Physical::I128 => Datum::I128(floor),
        _ => Datum::I64(floor as i64),
    };
    Place::At(value, exact)
}
