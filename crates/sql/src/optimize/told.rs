//! What SQL Server tells of a value: whether it may be NULL. That is a matter of how it is written, not of what it can be, and has no rule
//! behind it: a table, seen by asking SQL Server 2025 for each function what SELECT INTO makes of it.
//! https://learn.microsoft.com/sql/relational-databases/tables/specify-computed-columns-in-a-table ("Limitations"),
//! https://learn.microsoft.com/sql/t-sql/language-elements/coalesce-transact-sql ("Compare COALESCE and ISNULL").
//! What is told as never NULL never is: rows are written by it.

use types::{Datum, SqlType, TypeKind};

use super::rel::{ColumnId, Columns};
use crate::function::FunctionId;
use crate::plan::{ArithmeticOp, Expr, ExprKind};

impl Columns {
    pub fn told_nullable(&self, expr: &Expr) -> bool {
        let told = |value: &Expr| self.told_nullable(value);
        if expr.nullable {
            return true;
        }
        match &expr.unmasked().kind {
            ExprKind::Column(id) => self.is_told_nullable(ColumnId(*id as u32)),
            ExprKind::Arithmetic(op, left, right) => {
                // Whatever may overflow passes for nullable.
                let overflows = !is_joined(&expr.ty) && !is_bitwise(*op);
                overflows || told(left) || told(right)
            }
            ExprKind::Negate(_) => true,
            ExprKind::BitNot(value) => told(value),
            ExprKind::Convert { value, explicit, .. } => *explicit && !is_collate(&value.ty, &expr.ty) || told(value),
            ExprKind::Case { branches, otherwise } => {
                let arm = |at: usize| branches.get(at).map(|(_, value)| value).or(otherwise.as_deref());
                live_arms(branches.iter().map(|(when, _)| when)).any(|at| arm(at).is_none_or(told))
            }
            ExprKind::Function(function, given) => self.told_nullable_of(*function, given, &expr.ty),
            _ => false,
        }
    }

    fn told_nullable_of(&self, function: FunctionId, given: &[Expr], ty: &SqlType) -> bool {
        use FunctionId::*;
        let told = |value: &Expr| self.told_nullable(value);
        match function {
            Isnull => given.iter().all(told),
            Coalesce => {
                let last = given.len() - 1;
                let is_passed = |(at, value): &(usize, &Expr)| *at < last && is_null(value);
                given.iter().enumerate().filter(|arm| !is_passed(arm)).any(|(_, value)| told(value))
            }
            LongSum if is_joined(ty) => given.iter().any(told),
            Ceiling | Floor | Round | Sign | Radians | Greatest | Least | LeftShift | RightShift => {
                given.iter().any(told)
            }
            Datefromparts | Datetimefromparts | Smalldatetimefromparts => given.iter().any(told),
            Datetime2fromparts | Timefromparts | Datetimeoffsetfromparts => given.iter().any(told),
            CurrentTimestamp | Getdate | Getutcdate | Sysdatetime | Sysutcdatetime | Sysdatetimeoffset => false,
            Pi | RowcountBig | MinActiveRowversion | CurrentRequestId | Concat | ConcatWs => false,
            _ => true,
        }
    }
}

/// Text and bytes are joined by `+`, which cannot overflow.
fn is_joined(ty: &SqlType) -> bool {
    ty.is_string() || ty.is_binary()
}

fn is_bitwise(op: ArithmeticOp) -> bool {
    matches!(op, ArithmeticOp::BitAnd | ArithmeticOp::BitOr | ArithmeticOp::BitXor)
}

/// COLLATE is bound as a conversion, and is none.
fn is_collate(from: &SqlType, to: &SqlType) -> bool {
    from.is_string() && from.collation != to.collation && from.with_collation(to.collation) == *to
}

fn is_null(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Literal(Datum::Null))
}

/// The arms of a CASE that can be its value, by number; that of ELSE, which need not be there, has the number behind the last WHEN. What is
/// never taken counts for nothing, nor does what stands behind what always is.
pub fn live_arms<'e>(whens: impl Iterator<Item = &'e Expr>) -> impl Iterator<Item = usize> {
    let mut live = Vec::new();
    let mut count = 0;
    let mut is_taken = false;
    for when in whens {
        let known = if is_taken { Some(Some(false)) } else { holds(when) };
        if matches!(known, None | Some(Some(true))) {
            live.push(count);
        }
        is_taken |= known == Some(Some(true));
        count += 1;
    }
    if !is_taken {
        live.push(count);
    }
    live.into_iter()
}

/// What a condition over constants is, NULL as UNKNOWN; None: it is not over constants.
fn holds(condition: &Expr) -> Option<Option<bool>> {
    fn constant(value: &Expr) -> Option<&Datum> {
        match &value.kind {
            ExprKind::Literal(value) => Some(value),
            _ => None,
        }
    }
    match &condition.kind {
        ExprKind::Literal(Datum::Null) => Some(None),
        ExprKind::Compare { op, left, right, null_equal } => {
            let (a, b) = (constant(left)?, constant(right)?);
            let is_unknown = !null_equal && (a.is_null() || b.is_null());
            Some((!is_unknown).then(|| op.holds(types::compare::compare(a, b, &left.ty))))
        }
        ExprKind::IsNull(value) => Some(Some(constant(value)?.is_null())),
        ExprKind::InList { value, list } => {
            let wanted = constant(value)?;
            let list = list.iter().map(constant).collect::<Option<Vec<_>>>()?;
            let is_unknown = wanted.is_null() || list.iter().any(|item| item.is_null());
            let is_in = !wanted.is_null()
                && list.iter().any(|item| !item.is_null() && types::compare::compare(wanted, item, &value.ty).is_eq());
            Some(if is_in || !is_unknown { Some(is_in) } else { None })
        }
        ExprKind::Not(value) => Some(holds(value)?.map(|held| !held)),
        ExprKind::And(parts) => joined(parts, false),
        ExprKind::Or(parts) => joined(parts, true),
        _ => None,
    }
}

/// AND and OR, `decides` being the value of a part that decides all.
fn joined(parts: &[Expr], decides: bool) -> Option<Option<bool>> {
    let known: Vec<Option<Option<bool>>> = parts.iter().map(holds).collect();
    if known.contains(&Some(Some(decides))) {
        return Some(Some(decides));
    }
    let all = known.into_iter().collect::<Option<Vec<_>>>()?;
    Some(all.iter().all(|part| part.is_some()).then_some(!decides))
}

/// Whether some value of `from` is another one as a `to`, or none: what becomes so in an arm of a CASE, or of its kin, passes for nullable.
pub fn loses(from: &SqlType, to: &SqlType) -> bool {
    use TypeKind::*;
    // Of an exact number: digits before the point and behind it.
    let digits = |ty: &SqlType| match ty.kind {
        Bit => Some((1, 0)),
        TinyInt => Some((3, 0)),
        SmallInt => Some((5, 0)),
        Int => Some((10, 0)),
        BigInt => Some((19, 0)),
        SmallMoney => Some((6, 4)),
        Money => Some((15, 4)),
        Decimal | Numeric => Some((ty.precision - ty.scale, ty.scale)),
        _ => None,
    };
    // Digits that a binary number has all of.
    let whole = |most: u8| digits(from).is_some_and(|(before, behind)| behind == 0 && before <= most);
    match (from.kind, to.kind) {
        (a, b) if a == b && !from.is_decimal() => from.scale > to.scale,
        (_, SqlVariant) => false,
        (TinyInt | SmallInt | Int, Float) | (TinyInt | SmallInt, Real) | (Real, Float) => false,
        (BigInt | Int | Money | SmallMoney, Float | Real) => true,
        (_, Float) => !whole(15),
        (_, Real) => !whole(7),
        (Date, DateTime2 | DateTimeOffset) | (SmallDateTime, DateTime | DateTime2 | DateTimeOffset) => false,
        (DateTime2, DateTimeOffset) => from.scale > to.scale,
        _ => match (digits(from), digits(to)) {
            (Some((before, behind)), Some((room, behind_room))) => before > room || behind > behind_room,
            _ => from.is_string() != to.is_string() || from.is_binary() != to.is_binary() || from.is_temporal(),
        },
    }
}
