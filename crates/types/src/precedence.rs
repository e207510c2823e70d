//! Which types meet in an operator and what comes of it: precedence, the conversion chart, results of arithmetic.

use crate::decimal;
use crate::error::{SqlError, SqlResult};
use crate::sql_error;
use crate::sql_type::{MAX_LENGTH, SqlType, TypeKind};

/// Data type precedence: an operand of the lower rank is converted to the type of the higher.
pub const fn rank(kind: TypeKind) -> u8 {
    use TypeKind::*;
    match kind {
        HierarchyId | Geometry | Geography => 31,
        SqlVariant => 30,
        Xml | Json => 29,
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

/// A field of SQL Server's conversion chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    Implicit,
    /// CAST and CONVERT only: else 257.
    Explicit,
    /// 529 for CAST, 206 elsewhere.
    None,
}

/// Columns and rows of the chart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Binary,
    Ansi,
    Unicode,
    Legacy,
    Date,
    Time,
    Modern,
    Decimal,
    Float,
    Integer,
    RowVersion,
    Uuid,
    Image,
    NText,
    Text,
    Variant,
    Xml,
    Json,
    Udt,
}

const fn group(kind: TypeKind) -> Group {
    use TypeKind::*;
    match kind {
        Binary | VarBinary => Group::Binary,
        Char | VarChar => Group::Ansi,
        NChar | NVarChar => Group::Unicode,
        SmallDateTime | DateTime => Group::Legacy,
        Date => Group::Date,
        Time => Group::Time,
        DateTime2 | DateTimeOffset => Group::Modern,
        Decimal | Numeric => Group::Decimal,
        Real | Float => Group::Float,
        Bit | TinyInt | SmallInt | Int | BigInt | SmallMoney | Money => Group::Integer,
        RowVersion => Group::RowVersion,
        UniqueIdentifier => Group::Uuid,
        Image => Group::Image,
        NText => Group::NText,
        Text => Group::Text,
        SqlVariant => Group::Variant,
        Xml => Group::Xml,
        Json => Group::Json,
        HierarchyId | Geometry | Geography => Group::Udt,
    }
}

/// SQL Server's chart ("Data type conversion", CAST and CONVERT).
pub fn conversion(from: TypeKind, to: TypeKind) -> Conversion {
    use Conversion::*;
    use Group as G;
    if from == to {
        return Implicit;
    }
    let (from, to) = (group(from), group(to));
    match (from, to) {
        (G::Ansi | G::Unicode, G::Json) => Implicit,
        (G::Json, G::Ansi | G::Unicode) => Explicit,
        (G::Json, _) | (_, G::Json) => None,

        (G::Binary | G::Ansi | G::Unicode, G::Udt) => Implicit,
        (G::Udt, G::Binary | G::Ansi | G::Unicode) => Explicit,
        (G::Udt, _) | (_, G::Udt) => None,

        (G::Variant, G::RowVersion | G::Image | G::Text | G::NText | G::Xml) => None,
        (G::Variant, _) => Explicit,
        (G::Image | G::Text | G::NText | G::Xml | G::RowVersion, G::Variant) => None,
        (_, G::Variant) => Implicit,

        (G::Binary, G::Date | G::Time | G::Modern | G::Xml) => Explicit,
        (G::Binary, G::Float | G::Text | G::NText) => None,
        (G::Binary, _) => Implicit,

        (G::Ansi | G::Unicode, G::Binary | G::RowVersion) => Explicit,
        (G::Unicode, G::Image) => None,
        (G::Ansi | G::Unicode, _) => Implicit,

        (G::Legacy | G::Date | G::Time | G::Modern, G::Binary) => Explicit,
        (G::Legacy | G::Date | G::Time | G::Modern, G::Ansi | G::Unicode) => Implicit,
        (G::Date, G::Time) | (G::Time, G::Date) => None,
        (G::Legacy | G::Date | G::Time | G::Modern, G::Legacy | G::Date | G::Time | G::Modern) => Implicit,
        (G::Legacy, G::Decimal | G::Float | G::Integer | G::RowVersion) => Explicit,
        (G::Legacy | G::Date | G::Time | G::Modern, _) => None,

        (G::Float, G::RowVersion) => None,
        (G::Decimal | G::Float | G::Integer, G::Date | G::Time | G::Modern) => None,
        (G::Decimal | G::Float | G::Integer, G::Uuid | G::Image | G::Text | G::NText | G::Xml) => None,
        (G::Decimal | G::Float | G::Integer, _) => Implicit,

        (G::RowVersion, G::Binary | G::Ansi | G::Legacy | G::Decimal | G::Integer | G::Image) => Implicit,
        (G::RowVersion, _) => None,

        (G::Uuid, G::Binary | G::Ansi | G::Unicode) => Implicit,
        (G::Uuid, _) => None,

        (G::Image, G::Binary | G::RowVersion) => Implicit,
        (G::Image, _) => None,

        (G::Text | G::NText, G::Ansi | G::Unicode | G::Text | G::NText | G::Xml) => Implicit,
        (G::Text | G::NText, _) => None,

        (G::Xml, G::Binary | G::Ansi | G::Unicode) => Explicit,
        (G::Xml, _) => None,
    }
}

/// Whether an operand or a value assigned becomes the other type without CAST.
pub fn implicit_allowed(from: &SqlType, to: &SqlType) -> bool {
    conversion(from.kind, to.kind) == Conversion::Implicit
}

/// Whether CAST takes it.
pub fn can_convert(from: &SqlType, to: &SqlType) -> bool {
    conversion(from.kind, to.kind) != Conversion::None
}

/// What the binder does before it puts in a conversion: 529 for a CAST, 257 or 206 without one.
pub fn check_conversion(from: &SqlType, to: &SqlType, explicit: bool) -> SqlResult<()> {
    // No variant holds a value that is stored apart from its row.
    if to.kind == TypeKind::SqlVariant && from.is_max() {
        return Err(if explicit { sql_error!(529, from.shown(), to.shown()) } else { type_clash(from, to) });
    }
    match (conversion(from.kind, to.kind), explicit) {
        (Conversion::Implicit, _) | (Conversion::Explicit, true) => Ok(()),
        (Conversion::Explicit, false) => Err(sql_error!(257, from.shown(), to.shown())),
        (Conversion::None, true) => Err(sql_error!(529, from.shown(), to.shown())),
        (Conversion::None, false) => Err(type_clash(from, to)),
    }
}

/// 206.
pub fn type_clash(left: &SqlType, right: &SqlType) -> SqlError {
    sql_error!(206, state 2, left.shown(), right.shown())
}

/// A number type as a decimal that holds all its values; None for other types and for real and float.
pub fn as_decimal(ty: &SqlType) -> Option<SqlType> {
    use TypeKind::*;
    Some(match ty.kind {
        Decimal | Numeric => *ty,
        Bit => SqlType::decimal(1, 0),
        TinyInt => SqlType::decimal(3, 0),
        SmallInt => SqlType::decimal(5, 0),
        Int => SqlType::decimal(10, 0),
        BigInt => SqlType::decimal(19, 0),
        SmallMoney => SqlType::decimal(10, 4),
        Money => SqlType::decimal(19, 4),
        _ => return Option::None,
    })
}

/// The type of CASE, COALESCE, UNION and comparison over two types: the one of higher precedence, wide enough for both.
/// Collation: the left string's; conflicts are the binder's to find. Errors: 206.
pub fn result_type(left: &SqlType, right: &SqlType) -> SqlResult<SqlType> {
    use TypeKind::*;
    let (high, low) = if rank(left.kind) >= rank(right.kind) { (left, right) } else { (right, left) };
    if conversion(low.kind, high.kind) != Conversion::Implicit {
        return match conversion(low.kind, high.kind) {
            Conversion::Explicit => Err(check_conversion(low, high, false).expect_err("not implicit")),
            // The one that would be converted is named first, but for what has more rank and is no text.
            _ if matches!(low.kind, Xml) || rank(low.kind) == rank(Geometry) => Err(type_clash(high, low)),
            _ => Err(type_clash(low, high)),
        };
    }
    let collation = if left.is_string() { left.collation } else { right.collation };
    Ok(match high.kind {
        Decimal | Numeric => match as_decimal(low) {
            Some(low) => SqlType { kind: high.kind, ..decimal::common_type(high, &low) },
            None => *high,
        },
        Time => SqlType::time(high.scale.max(fraction(low))),
        DateTime2 => SqlType::datetime2(high.scale.max(fraction(low))),
        DateTimeOffset => SqlType::datetimeoffset(high.scale.max(fraction(low))),
        Char | VarChar | NChar | NVarChar if low.is_string() || low.is_binary() => {
            SqlType { length: text_bytes(high, &[left, right], usize::max), ..*high }.with_collation(collation)
        }
        Binary | VarBinary if low.is_binary() => {
            let length = left.length.max(right.length);
            SqlType { length, ..*high }
        }
        Text | NText => high.with_collation(collation),
        _ => *high,
    })
}

/// Digits of a second that the values have.
fn fraction(ty: &SqlType) -> u8 {
    match ty.kind {
        TypeKind::Time | TypeKind::DateTime2 | TypeKind::DateTimeOffset => ty.scale,
        TypeKind::DateTime => 3,
        _ => 0,
    }
}

/// Bytes of a character type of `target`'s kind for the characters of both operands, joined by `fold`.
fn text_bytes(target: &SqlType, operands: &[&SqlType; 2], fold: fn(usize, usize) -> usize) -> u16 {
    let (Some(a), Some(b)) = (operands[0].capacity(), operands[1].capacity()) else { return MAX_LENGTH };
    let characters = fold(a, b);
    if target.is_unicode_string() { 2 * characters.min(4000) as u16 } else { characters.min(8000) as u16 }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
}

impl ArithmeticOp {
    /// As messages name it.
    pub fn name(self) -> &'static str {
        match self {
            ArithmeticOp::Add => "add",
            ArithmeticOp::Subtract => "subtract",
            ArithmeticOp::Multiply => "multiply",
            ArithmeticOp::Divide => "divide",
            ArithmeticOp::Modulo => "modulo",
            ArithmeticOp::BitAnd => "'&'",
            ArithmeticOp::BitOr => "'|'",
            ArithmeticOp::BitXor => "'^'",
        }
    }

    pub fn is_bitwise(self) -> bool {
        matches!(self, ArithmeticOp::BitAnd | ArithmeticOp::BitOr | ArithmeticOp::BitXor)
    }

    /// None: a bitwise operator.
    pub fn on_decimals(self) -> Option<decimal::Operation> {
        Some(match self {
            ArithmeticOp::Add => decimal::Operation::Add,
            ArithmeticOp::Subtract => decimal::Operation::Subtract,
            ArithmeticOp::Multiply => decimal::Operation::Multiply,
            ArithmeticOp::Divide => decimal::Operation::Divide,
            ArithmeticOp::Modulo => decimal::Operation::Modulo,
            _ => return None,
        })
    }
}

/// What each operand is converted to first, and the type of the result. They differ for decimals, whose operands keep
/// their scales, and for concatenation, whose operands keep their lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arithmetic {
    pub left: SqlType,
    pub right: SqlType,
    pub result: SqlType,
}

/// The result of `left op right`. Errors: 402, 8117, 206, 257.
pub fn arithmetic_type(op: ArithmeticOp, left: &SqlType, right: &SqlType) -> SqlResult<SqlType> {
    arithmetic(op, left, right).map(|types| types.result)
}

/// See `Arithmetic`.
pub fn arithmetic(op: ArithmeticOp, left: &SqlType, right: &SqlType) -> SqlResult<Arithmetic> {
    use TypeKind::*;
    if op == ArithmeticOp::Add && (left.is_string() && right.is_string() || joins_binary(left, right)) {
        return concatenation(op, left, right);
    }
    let high = if rank(left.kind) >= rank(right.kind) { left } else { right };
    let low = if rank(left.kind) >= rank(right.kind) { right } else { left };
    let same = |ty: SqlType| Ok(Arithmetic { left: ty, right: ty, result: ty });
    let refused = || Err(incompatible(op, left, right));
    match high.kind {
        Bit if op.is_bitwise() => {
            require(low, high)?;
            same(*high)
        }
        Bit if low.is_string() => refused(),
        TinyInt | SmallInt | Int | BigInt => {
            require(low, high)?;
            same(*high)
        }
        Decimal | Numeric | SmallMoney | Money | Real | Float if op.is_bitwise() => refused(),
        Real | Float if op == ArithmeticOp::Modulo => refused(),
        Decimal | Numeric => {
            require(low, high)?;
            let side = |ty: &SqlType| as_decimal(ty).unwrap_or(*high);
            let (left, right) = (side(left), side(right));
            let operation = op.on_decimals().expect("bitwise operators are refused above");
            let result = SqlType { kind: high.kind, ..decimal::result_type(operation, &left, &right) };
            Ok(Arithmetic { left, right, result })
        }
        SmallMoney | Money | Real | Float => {
            require(low, high)?;
            same(*high)
        }
        DateTime | SmallDateTime if matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract) => match low.kind {
            Date | Time => refused(),
            _ => {
                require(low, high)?;
                same(*high)
            }
        },
        Date | Time | DateTime2 | DateTimeOffset if !low.is_temporal() && !low.is_string() => {
            Err(type_clash(left, right))
        }
        _ => refused(),
    }
}

/// `require(from, to)`: the implicit conversion that an operator makes.
fn require(from: &SqlType, to: &SqlType) -> SqlResult<()> {
    check_conversion(from, to, false)
}

/// 8117 for two of one type, else 402; of bits always that.
fn incompatible(op: ArithmeticOp, left: &SqlType, right: &SqlType) -> SqlError {
    if left.kind == right.kind && !op.is_bitwise() {
        return sql_error!(8117, left.operand_name(), op.name());
    }
    sql_error!(402, left.operand_name(), right.operand_name(), op.name())
}

fn joins_binary(left: &SqlType, right: &SqlType) -> bool {
    use TypeKind::{Binary, VarBinary};
    let plain = |ty: &SqlType| matches!(ty.kind, Binary | VarBinary);
    plain(left) && plain(right)
}

fn concatenation(op: ArithmeticOp, left: &SqlType, right: &SqlType) -> SqlResult<Arithmetic> {
    use TypeKind::*;
    let old = |ty: &SqlType| matches!(ty.kind, Text | NText);
    if old(left) || old(right) {
        return Err(incompatible(op, left, right));
    }
    let high = if rank(left.kind) >= rank(right.kind) { left } else { right };
    if left.is_binary() {
        let length = if left.is_max() || right.is_max() {
            MAX_LENGTH
        } else {
            (left.length as u32 + right.length as u32).min(8000) as u16
        };
        return Ok(Arithmetic {
            left: *left,
            right: *right,
            result: SqlType { kind: VarBinary, ..SqlType::varbinary(length) },
        });
    }
    let collation = left.collation;
    let length = text_bytes(high, &[left, right], |a, b| a + b);
    let kind = match (high.kind, length) {
        (Char, MAX_LENGTH) => VarChar,
        (NChar, MAX_LENGTH) => NVarChar,
        (NChar, _) if left.kind == VarChar || right.kind == VarChar => NVarChar,
        (kind, _) => kind,
    };
    let result = SqlType { kind, length, ..*high }.with_collation(collation);
    let side = |ty: &SqlType| {
        // A varchar operand of an nvarchar result is widened; its length stays, also where that is more than nvarchar(4000)
        // has and the result is long.
        if ty.is_unicode_string() == result.is_unicode_string() {
            return ty.with_collation(collation);
        }
        let length = match ty.capacity() {
            Some(units) if units <= 4000 => 2 * units as u16,
            Some(_) if !result.is_max() => 8000,
            _ => MAX_LENGTH,
        };
        let kind = if ty.kind == Char && length != MAX_LENGTH { NChar } else { NVarChar };
        SqlType { kind, length, ..*ty }.with_collation(collation)
    };
    Ok(Arithmetic { left: side(left), right: side(right), result })
}
