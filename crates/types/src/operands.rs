//! Which types may meet under an operator and in a comparison, and how SQL Server refuses the others: the families of both sides
//! alone decide, not what the values are.

use crate::error::SqlResult;
use crate::precedence::ArithmeticOp;
use crate::sql_error;
use crate::sql_type::{SqlType, TypeKind};

/// Types that operators treat alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Bit,
    Integer,
    /// decimal and money.
    Exact,
    Approximate,
    Text,
    Binary,
    /// text, ntext, image.
    Old,
    RowVersion,
    Guid,
    /// datetime and smalldatetime, which are numbers of days too.
    DateTime,
    /// date, time, datetime2, datetimeoffset.
    Moment,
    Xml,
    Json,
    Variant,
    HierarchyId,
    Spatial,
}

use Family::*;

impl Family {
    fn of(ty: &SqlType) -> Family {
        use TypeKind as K;
        match ty.kind {
            K::Bit => Bit,
            K::TinyInt | K::SmallInt | K::Int | K::BigInt => Integer,
            K::Decimal | K::Numeric | K::SmallMoney | K::Money => Exact,
            K::Real | K::Float => Approximate,
            K::Char | K::VarChar | K::NChar | K::NVarChar => Text,
            K::Binary | K::VarBinary => Binary,
            K::Text | K::NText | K::Image => Old,
            K::RowVersion => RowVersion,
            K::UniqueIdentifier => Guid,
            K::DateTime | K::SmallDateTime => DateTime,
            K::Date | K::Time | K::DateTime2 | K::DateTimeOffset => Moment,
            K::Xml => Xml,
            K::Json => Json,
            K::SqlVariant => Variant,
            K::HierarchyId => HierarchyId,
            K::Geometry | K::Geography => Spatial,
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Integer | Exact | Approximate)
    }

    fn is_clr(self) -> bool {
        matches!(self, HierarchyId | Spatial)
    }
}

/// What kinds of operators there are: those of one kind take the same types, but for concatenation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Sum,
    Product,
    Modulo,
    Bitwise,
}

fn form(op: ArithmeticOp) -> Form {
    match op {
        ArithmeticOp::Add | ArithmeticOp::Subtract => Form::Sum,
        ArithmeticOp::Multiply | ArithmeticOp::Divide => Form::Product,
        ArithmeticOp::Modulo => Form::Modulo,
        _ => Form::Bitwise,
    }
}

/// The operator takes them in this order or the other.
fn takes(op: ArithmeticOp, a: Family, b: Family) -> bool {
    match form(op) {
        Form::Sum => match (a, b) {
            (Text, Text) | (Binary | RowVersion, Binary | RowVersion) => op == ArithmeticOp::Add,
            (Bit, b) => b.is_number() || b == DateTime,
            (DateTime, b) => matches!(b, DateTime | Text | Binary),
            (Integer | Exact, Binary | RowVersion) => true,
            (a, b) => a.is_number() && (b.is_number() || matches!(b, DateTime | Text)),
        },
        Form::Product => match (a, b) {
            (Bit, b) => b.is_number(),
            (Integer | Exact, Binary | RowVersion) => true,
            (a, b) => a.is_number() && (b.is_number() || b == Text),
        },
        Form::Modulo => {
            matches!((a, b), (Bit | Integer | Exact, Integer | Exact) | (Integer | Exact, Text | Binary | RowVersion))
        }
        Form::Bitwise => matches!((a, b), (Bit | Integer, Bit | Integer | Text | Binary | RowVersion)),
    }
}

/// The operator takes no value of the family, whatever stands on the other side.
fn is_unfit(op: ArithmeticOp, family: Family) -> bool {
    let never = matches!(family, Old | Guid | Moment | Xml | Json);
    match form(op) {
        Form::Sum => never || family == RowVersion && op == ArithmeticOp::Subtract,
        Form::Product => true,
        Form::Modulo => never || matches!(family, Approximate | DateTime | Variant),
        Form::Bitwise => false,
    }
}

/// 206, 257, 402, 403, 8117: what `left op right` is refused by.
pub fn check_arithmetic(op: ArithmeticOp, left: &SqlType, right: &SqlType) -> SqlResult<()> {
    let (a, b) = (Family::of(left), Family::of(right));
    if let Some(clr) = [(a, left), (b, right)].iter().find(|(family, _)| family.is_clr()) {
        return Err(sql_error!(403, op.name(), clr.1.name()));
    }
    if takes(op, a, b) || takes(op, b, a) {
        return Ok(());
    }
    if matches!(form(op), Form::Sum | Form::Product) {
        for (family, ty, other, other_ty) in [(a, left, b, right), (b, right, a, left)] {
            let converts = other == Variant || other == DateTime && form(op) == Form::Product;
            if converts && (family.is_number() || family == DateTime && form(op) == Form::Sum) {
                return Err(sql_error!(257, other_ty.shown(), ty.shown()));
            }
            if family.is_number() && other != Bit {
                return Err(sql_error!(206, state 2, other_ty.shown(), ty.shown()));
            }
        }
    }
    // Two bits and two binaries have a sum of some kind, so it is the pair that is named.
    let summed = a == b && matches!(a, Bit | Binary) && matches!(form(op), Form::Sum | Form::Modulo);
    let alike = (left.kind == right.kind || is_unfit(op, a) && is_unfit(op, b)) && !summed;
    Err(match alike && form(op) != Form::Bitwise {
        true => sql_error!(8117, left.shown(), op.name()),
        false => sql_error!(402, left.shown(), right.shown(), op.name()),
    })
}

/// A comparison takes them in this order or the other.
fn compares(a: Family, left: TypeKind, b: Family, right: TypeKind) -> bool {
    let is_plain = |family| matches!(family, Bit | Integer | Exact | Approximate | Text | DateTime | Variant);
    let is_time = |kind| kind == TypeKind::Time;
    match (a, b) {
        (Binary, b) => matches!(b, Bit | Integer | Exact | Text | Binary | RowVersion | Guid | DateTime | Variant),
        (RowVersion, b) => matches!(b, Bit | Integer | Exact | RowVersion | DateTime),
        (Guid, b) => matches!(b, Guid | Text | Variant),
        (Moment, DateTime) => !is_time(left),
        (Moment, Moment) => is_time(left) == is_time(right),
        (Moment, b) => matches!(b, Text | Variant),
        (HierarchyId, b) => matches!(b, HierarchyId | Text | Binary),
        (a, b) => is_plain(a) && is_plain(b),
    }
}

/// 206, 257, 305, 402, 403, 13636: what a comparison of both is refused by. `operator`: as messages call it.
pub fn check_comparison(operator: &str, left: &SqlType, right: &SqlType) -> SqlResult<()> {
    let (a, b) = (Family::of(left), Family::of(right));
    let clash = |first: &SqlType, second: &SqlType| Err(sql_error!(206, state 2, first.shown(), second.shown()));
    let incompatible = || Err(sql_error!(402, left.shown(), right.shown(), operator));
    if compares(a, left.kind, b, right.kind) || compares(b, right.kind, a, left.kind) {
        return Ok(());
    }
    match (a, b) {
        (HierarchyId, _) => return clash(right, left),
        (Spatial, _) => return Err(sql_error!(403, operator, left.shown())),
        (_, Spatial) => return Err(sql_error!(403, operator, right.shown())),
        (_, HierarchyId) => return clash(left, right),
        (Xml, Xml) => return Err(sql_error!(305)),
        (Json, Json) => return Err(sql_error!(13636)),
        (Text, RowVersion) => return Err(sql_error!(257, left.shown(), right.shown())),
        (RowVersion, Text) => return Err(sql_error!(257, right.shown(), left.shown())),
        (Moment, DateTime) | (DateTime, Moment) => return incompatible(),
        _ => {}
    }
    let is_text_like = |family| matches!(family, Text | Binary | Old | Moment | Xml | Json);
    if is_text_like(a) && is_text_like(b) {
        return incompatible();
    }
    // The side that the other could not become is named first.
    let stiffness = |family| match family {
        Xml | Json | Moment | Old => 4,
        Guid => 3,
        RowVersion => 2,
        Binary => 1,
        _ => 0,
    };
    if stiffness(a) >= stiffness(b) { clash(left, right) } else { clash(right, left) }
}
