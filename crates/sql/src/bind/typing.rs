//! Which type an operation has: precedence of types, precision of decimals, lengths of strings, and what converts to what.
//! Source: "Data type precedence", "Precision, scale, and length", "CAST and CONVERT" of the T-SQL reference.

use types::{Datum, MAX_LENGTH, SqlType, TypeKind};

use crate::plan::{ArithmeticOp, Expr, ExprKind};

/// Highest first wins.
fn precedence(kind: TypeKind) -> u8 {
    use TypeKind::*;
    match kind {
        SqlVariant => 30,
        Xml => 29,
        DateTimeOffset => 28,
        DateTime2 => 27,
        DateTime => 26,
        SmallDateTime => 25,
        Date => 24,
        Time => 23,
        Float => 22,
        Real => 21,
        Decimal | Numeric => 20,
        Money => 19,
        SmallMoney => 18,
        BigInt => 17,
        Int => 16,
        SmallInt => 15,
        TinyInt => 14,
        Bit => 13,
        NText => 12,
        Text => 11,
        Image => 10,
        RowVersion => 9,
        UniqueIdentifier => 8,
        NVarChar => 7,
        NChar => 6,
        VarChar => 5,
        Char => 4,
        VarBinary => 3,
        Binary => 2,
    }
}

/// The name in messages: `varchar`, `int`.
pub fn type_name(ty: &SqlType) -> &'static str {
    kind_name(ty.kind)
}

pub fn kind_name(kind: TypeKind) -> &'static str {
    use TypeKind::*;
    match kind {
        Bit => "bit",
        TinyInt => "tinyint",
        SmallInt => "smallint",
        Int => "int",
        BigInt => "bigint",
        Decimal => "decimal",
        Numeric => "numeric",
        SmallMoney => "smallmoney",
        Money => "money",
        Real => "real",
        Float => "float",
        Date => "date",
        Time => "time",
        SmallDateTime => "smalldatetime",
        DateTime => "datetime",
        DateTime2 => "datetime2",
        DateTimeOffset => "datetimeoffset",
        Char => "char",
        VarChar => "varchar",
        Text => "text",
        NChar => "nchar",
        NVarChar => "nvarchar",
        NText => "ntext",
        Binary => "binary",
        VarBinary => "varbinary",
        Image => "image",
        UniqueIdentifier => "uniqueidentifier",
        RowVersion => "timestamp",
        Xml => "xml",
        SqlVariant => "sql_variant",
    }
}

/// With its parameters, as `sys.dm_exec_describe_first_result_set` shows it: `decimal(10,2)`, `nvarchar(max)`.
pub fn full_name(ty: &SqlType) -> String {
    use TypeKind::*;
    let name = type_name(ty);
    match ty.kind {
        Decimal | Numeric => format!("{name}({},{})", ty.precision, ty.scale),
        Time | DateTime2 | DateTimeOffset => format!("{name}({})", ty.scale),
        Char | VarChar | Binary | VarBinary | NChar | NVarChar if ty.length == MAX_LENGTH => format!("{name}(max)"),
        NChar | NVarChar => format!("{name}({})", ty.length / 2),
        Char | VarChar | Binary | VarBinary => format!("{name}({})", ty.length),
        _ => name.to_string(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// No node needed: the same type.
    None,
    Implicit,
    /// Error 257 without CAST.
    Explicit,
    /// Error 206 implicitly, 529 explicitly.
    Never,
}

pub fn conversion(from: &SqlType, to: &SqlType) -> Conversion {
    use Conversion::{Explicit, Implicit, Never};
    use TypeKind::*;
    if from == to {
        return Conversion::None;
    }
    let (f, t) = (from.kind, to.kind);
    if f == t {
        return Implicit;
    }
    let number = |ty: &SqlType| {
        ty.is_integer() || ty.is_decimal() || matches!(ty.kind, Bit | Money | SmallMoney | Real | Float)
    };
    let old_datetime = |kind| matches!(kind, DateTime | SmallDateTime);
    if t == SqlVariant {
        return if from.is_max() || matches!(f, RowVersion | Xml) { Never } else { Implicit };
    }
    if f == SqlVariant {
        return if matches!(t, Xml | Text | NText | Image | RowVersion) { Never } else { Explicit };
    }
    if f == Xml {
        return match t {
            Char | VarChar | NChar | NVarChar | Binary | VarBinary => Explicit,
            _ => Never,
        };
    }
    if t == Xml {
        return match f {
            Char | VarChar | NChar | NVarChar | Text | NText | Binary | VarBinary | Image => Implicit,
            _ => Never,
        };
    }
    if matches!(f, Text | NText) {
        return if to.is_string() { Implicit } else { Never };
    }
    if f == Image {
        return if to.is_binary() { Implicit } else { Never };
    }
    if matches!(t, Text | NText) {
        return if from.is_string() { Implicit } else { Never };
    }
    if t == Image {
        return match f {
            Binary | VarBinary | RowVersion => Implicit,
            Char | VarChar | NChar | NVarChar => Explicit,
            _ => Never,
        };
    }
    if from.is_string() {
        return if to.is_binary() { Explicit } else { Implicit };
    }
    if f == UniqueIdentifier || t == UniqueIdentifier {
        let other = if f == UniqueIdentifier { to } else { from };
        return if other.is_string() || matches!(other.kind, Binary | VarBinary) { Implicit } else { Never };
    }
    if from.is_binary() {
        return match t {
            NChar | NVarChar if f == RowVersion => Never,
            Real | Float => Never,
            Date | Time | DateTime2 | DateTimeOffset => if f == RowVersion { Never } else { Explicit },
            _ => Implicit,
        };
    }
    if to.is_binary() {
        return match f {
            Date | Time | DateTime2 | DateTimeOffset | DateTime | SmallDateTime => {
                if t == RowVersion { Never } else { Explicit }
            }
            Real | Float if t == RowVersion => Never,
            _ => Implicit,
        };
    }
    if to.is_string() {
        return Implicit;
    }
    if number(from) && number(to) {
        return Implicit;
    }
    if number(from) {
        return if old_datetime(t) { Implicit } else { Never };
    }
    if number(to) {
        return if old_datetime(f) { Explicit } else { Never };
    }
    match (f, t) {
        (Date, Time) | (Time, Date) => Never,
        _ => Implicit,
    }
}

/// A number's digits: (precision, scale) it has as a decimal.
fn decimal_shape(ty: &SqlType) -> (u8, u8) {
    use TypeKind::*;
    match ty.kind {
        Bit => (1, 0),
        TinyInt => (3, 0),
        SmallInt => (5, 0),
        Int => (10, 0),
        BigInt => (19, 0),
        SmallMoney => (10, 4),
        Money => (19, 4),
        _ => (ty.precision, ty.scale),
    }
}

/// The same for an operand: an integer constant has only the digits it is written with.
fn operand_shape(expr: &Expr) -> (u8, u8) {
    match &expr.kind {
        ExprKind::Literal(Datum::I64(value)) if expr.ty.kind == TypeKind::Int => {
            ((value.unsigned_abs().max(1).ilog10() + 1) as u8, 0)
        }
        ExprKind::Negate(inner) => operand_shape(inner),
        _ => decimal_shape(&expr.ty),
    }
}

pub fn numeric(precision: u8, scale: u8) -> SqlType {
    SqlType { kind: TypeKind::Numeric, ..SqlType::decimal(precision, scale) }
}

fn decimal_like(a: &SqlType, b: &SqlType, precision: u8, scale: u8) -> SqlType {
    let kind = if a.kind == TypeKind::Decimal || b.kind == TypeKind::Decimal { TypeKind::Decimal } else { TypeKind::Numeric };
    SqlType { kind, ..SqlType::decimal(precision, scale) }
}

/// The type that a CASE, UNION, COALESCE or comparison of the two has. None: 206.
pub fn result_type(a: &SqlType, b: &SqlType) -> Option<SqlType> {
    use TypeKind::*;
    if a == b {
        return Some(*a);
    }
    let (high, low) = if precedence(a.kind) >= precedence(b.kind) { (a, b) } else { (b, a) };
    if !matches!(conversion(low, high), Conversion::None | Conversion::Implicit)
        && !matches!(high.kind, Binary | VarBinary)
    {
        return None;
    }
    let mut ty = *high;
    match high.kind {
        Decimal | Numeric => {
            if low.is_string() || low.is_binary() {
                return Some(ty);
            }
            let ((p1, s1), (p2, s2)) = (decimal_shape(a), decimal_shape(b));
            let scale = s1.max(s2);
            let whole = (p1 - s1).max(p2 - s2);
            let scale = if whole + scale > 38 { 38 - whole } else { scale };
            ty = decimal_like(a, b, (whole + scale).min(38), scale);
        }
        Time | DateTime2 | DateTimeOffset => {
            let low_scale = match low.kind {
                Time | DateTime2 | DateTimeOffset => low.scale,
                DateTime => 3,
                _ => 0,
            };
            let scale = high.scale.max(low_scale);
            ty = match high.kind {
                Time => SqlType::time(scale),
                DateTime2 => SqlType::datetime2(scale),
                _ => SqlType::datetimeoffset(scale),
            };
        }
        NVarChar | NChar | VarChar | Char => {
            let units = |ty: &SqlType| match ty.kind {
                NVarChar | NChar => ty.length as u32 / 2,
                _ => ty.length as u32,
            };
            if a.is_max() || b.is_max() {
                ty.length = MAX_LENGTH;
                ty.kind = if high.is_unicode_string() { NVarChar } else { VarChar };
            } else {
                let longest = units(a).max(units(b));
                ty.length = if high.is_unicode_string() { (longest.min(4000) * 2) as u16 } else { longest as u16 };
                // char(3) and varchar(5) give varchar(5); nchar with varchar gives nvarchar.
                let varying = matches!(low.kind, VarChar | NVarChar | VarBinary);
                if varying {
                    ty.kind = if high.is_unicode_string() { NVarChar } else { VarChar };
                }
            }
        }
        VarBinary | Binary => {
            ty.length = if a.is_max() || b.is_max() { MAX_LENGTH } else { a.length.max(b.length) };
        }
        _ => {}
    }
    Some(ty)
}

/// What `a op b` works in and gives.
pub struct ArithmeticTypes {
    pub left: SqlType,
    pub right: SqlType,
    pub result: SqlType,
}

#[derive(Debug, PartialEq, Eq)]
pub enum ArithmeticError {
    /// 402: the data types are incompatible in the operator.
    Incompatible,
    /// 8117: the type (left when true) is invalid for the operator.
    Invalid(bool),
    /// 206.
    Clash,
    /// 257.
    NotImplicit(SqlType, SqlType),
}

pub fn arithmetic(op: ArithmeticOp, left: &Expr, right: &Expr) -> Result<ArithmeticTypes, ArithmeticError> {
    use ArithmeticOp::*;
    use TypeKind::*;
    let (a, b) = (&left.ty, &right.ty);
    let same = |ty: SqlType| ArithmeticTypes { left: ty, right: ty, result: ty };
    for (ty, is_left) in [(a, true), (b, false)] {
        if matches!(ty.kind, Text | NText | Image | Xml | SqlVariant) || ty.kind == UniqueIdentifier {
            let other = if is_left { b } else { a };
            return Err(if is_null_literal(if is_left { right } else { left }) || other.kind == ty.kind {
                ArithmeticError::Invalid(is_left)
            } else {
                ArithmeticError::Incompatible
            });
        }
    }
    if op == Add && a.is_string() && b.is_string() {
        return Ok(concatenation(a, b));
    }
    if op == Add && a.is_binary() && b.is_binary() {
        let length = total_length(a, b, 8000);
        let ty = SqlType { kind: VarBinary, ..SqlType::varbinary(length) };
        return Ok(ArithmeticTypes { left: *a, right: *b, result: ty });
    }
    if op == Add && (a.is_string() && b.is_binary() || a.is_binary() && b.is_string()) {
        // NULL literals and empty binaries aside, SQL Server refuses this.
        return Err(ArithmeticError::Incompatible);
    }
    if a.is_string() && b.is_string() {
        return Err(if op == Add { ArithmeticError::Incompatible } else { ArithmeticError::Invalid(true) });
    }
    let high = if precedence(a.kind) >= precedence(b.kind) { a } else { b };
    match high.kind {
        DateTime | SmallDateTime => {
            if !matches!(op, Add | Subtract) {
                return Err(ArithmeticError::Incompatible);
            }
            for ty in [a, b] {
                match conversion(ty, high) {
                    Conversion::None | Conversion::Implicit if !matches!(ty.kind, Date | Time) => {}
                    _ => return Err(ArithmeticError::Incompatible),
                }
            }
            Ok(same(*high))
        }
        Date | Time | DateTime2 | DateTimeOffset => {
            if a.is_temporal() && b.is_temporal() {
                return Err(if a.kind == b.kind { ArithmeticError::Invalid(true) } else { ArithmeticError::Incompatible });
            }
            let other = if a.is_temporal() { b } else { a };
            Err(if other.is_string() { ArithmeticError::Incompatible } else { ArithmeticError::Clash })
        }
        Float | Real => match op {
            Modulo | BitAnd | BitOr | BitXor => Err(ArithmeticError::Incompatible),
            _ => {
                let other = if std::ptr::eq(high, a) { b } else { a };
                if conversion(other, high) == Conversion::Never {
                    return Err(ArithmeticError::Clash);
                }
                Ok(same(*high))
            }
        },
        Decimal | Numeric => {
            if matches!(op, BitAnd | BitOr | BitXor) {
                return Err(ArithmeticError::Incompatible);
            }
            Ok(decimal_arithmetic(op, left, right))
        }
        Money | SmallMoney => match op {
            BitAnd | BitOr | BitXor => Err(ArithmeticError::Incompatible),
            _ => Ok(same(*high)),
        },
        BigInt | Int | SmallInt | TinyInt => Ok(same(*high)),
        Bit => match op {
            BitAnd | BitOr | BitXor => Ok(same(*high)),
            _ if a.kind == Bit && b.kind == Bit => Err(ArithmeticError::Incompatible),
            _ => Err(ArithmeticError::Incompatible),
        },
        _ => match op {
            BitAnd | BitOr | BitXor | Subtract | Multiply | Divide | Modulo | Add => {
                Err(if a.kind == b.kind { ArithmeticError::Invalid(true) } else { ArithmeticError::Incompatible })
            }
        },
    }
}

pub fn is_null_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(Datum::Null))
}

fn total_length(a: &SqlType, b: &SqlType, most: u32) -> u16 {
    if a.is_max() || b.is_max() { MAX_LENGTH } else { (a.length as u32 + b.length as u32).min(most) as u16 }
}

/// Operands keep their lengths; the sum is cut at 8,000 bytes unless one is (max).
fn concatenation(a: &SqlType, b: &SqlType) -> ArithmeticTypes {
    use TypeKind::*;
    let wide = a.is_unicode_string() || b.is_unicode_string();
    let operand = |ty: &SqlType| {
        if wide && !ty.is_unicode_string() {
            let length = if ty.is_max() { MAX_LENGTH } else { (ty.length as u32 * 2).min(8000) as u16 };
            SqlType { kind: if ty.kind == Char { NChar } else { NVarChar }, length, ..*ty }
        } else {
            *ty
        }
    };
    let (left, right) = (operand(a), operand(b));
    let fixed = matches!(left.kind, Char | NChar) && matches!(right.kind, Char | NChar);
    let kind = match (wide, fixed) {
        (true, true) => NChar,
        (true, false) => NVarChar,
        (false, true) => Char,
        (false, false) => VarChar,
    };
    let result = SqlType { kind, length: total_length(&left, &right, 8000), ..left };
    ArithmeticTypes { left, right, result }
}

fn decimal_arithmetic(op: ArithmeticOp, left: &Expr, right: &Expr) -> ArithmeticTypes {
    let string_as = |expr: &Expr, other: (u8, u8)| if expr.ty.is_string() || expr.ty.is_binary() { other } else { operand_shape(expr) };
    let a = string_as(left, decimal_shape(&right.ty));
    let b = string_as(right, decimal_shape(&left.ty));
    let ((p1, s1), (p2, s2)) = ((a.0 as i32, a.1 as i32), (b.0 as i32, b.1 as i32));
    let whole = (p1 - s1).max(p2 - s2);
    let (precision, scale) = match op {
        ArithmeticOp::Multiply => cut_product(p1 + p2 + 1, s1 + s2),
        ArithmeticOp::Divide => {
            let scale = 6.max(s1 + p2 + 1);
            cut_product(p1 - s1 + s2 + scale, scale)
        }
        ArithmeticOp::Modulo => ((p1 - s1).min(p2 - s2) + s1.max(s2), s1.max(s2)),
        _ => {
            let scale = s1.max(s2);
            let precision = whole + scale + 1;
            if precision > 38 { (38, (38 - whole).clamp(0, scale)) } else { (precision, scale) }
        }
    };
    let of = |(p, s): (u8, u8)| decimal_like(&left.ty, &right.ty, p, s);
    ArithmeticTypes { left: of(a), right: of(b), result: of((precision.clamp(1, 38) as u8, scale.clamp(0, 38) as u8)) }
}

/// More than 38 digits: the fraction gives way, but not below 6 digits.
fn cut_product(precision: i32, scale: i32) -> (i32, i32) {
    if precision <= 38 {
        return (precision, scale);
    }
    let whole = precision - scale;
    let scale = if whole < 32 { scale.min(38 - whole) } else { scale.min(6) };
    (38, scale)
}
