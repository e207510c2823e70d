//! Expressions of class I64: integers, bit and predicates, money, dates. NULL is None; a predicate's None is UNKNOWN.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;

use sql::plan::{ArithmeticOp, CompareOp};
use types::compare::ValueComparer;
use types::key::KeyCodec;
use types::like::LikePattern;
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind};

use super::general::General;
use super::wide::{BytesExpr, F64Expr, I128Expr};
use super::{Node, Scalar};
use crate::context::Context;
use crate::kernel;
use crate::session::Session;
use crate::value::{Row, Value};

pub enum I64Expr {
    Const(Option<i64>),
    Column(usize),
    Variable(u32),
    Outer(u32),
    /// `@@FETCH_STATUS` and its like.
    Session(fn(&Session) -> i64),
    Arithmetic(Box<IntegerArithmetic>),
    Money(Box<(ArithmeticOp, SqlType, I64Expr, I64Expr)>),
    Negate(Box<(I64Expr, IntegerRange)>),
    BitNot(Box<I64Expr>, TypeKind),
    CompareI64(Box<Comparison<I64Expr>>),
    CompareF64(Box<Comparison<F64Expr>>),
    CompareI128(Box<(Comparison<I128Expr>, ValueComparer)>),
    CompareBytes(Box<(Comparison<BytesExpr>, ValueComparer)>),
    And(Box<[I64Expr]>),
    Or(Box<[I64Expr]>),
    Not(Box<I64Expr>),
    IsNull(Box<Scalar>),
    Like(Box<Like>),
    /// Sorted constants without NULL; `with_null`: the list had one.
    InConstants {
        value: Box<I64Expr>,
        sorted: Box<[i64]>,
        with_null: bool,
    },
    InList(Box<InList>),
    InKeys(Box<InKeys>),
    /// To a narrower integer type.
    Narrow(Box<(I64Expr, IntegerRange)>),
    General(Box<General>),
}

pub struct IntegerArithmetic {
    pub op: ArithmeticOp,
    pub range: IntegerRange,
    pub left: I64Expr,
    pub right: I64Expr,
}

pub struct Comparison<E> {
    pub op: CompareOp,
    pub null_equal: bool,
    pub left: E,
    pub right: E,
}

pub struct Like {
    pub ty: SqlType,
    pub value: BytesExpr,
    pub pattern: BytesExpr,
    pub escape: Option<BytesExpr>,
    /// Of a constant pattern.
    pub compiled: Option<LikePattern>,
    /// Of another one: that of the row before, which mostly is the same.
    pub last: RefCell<Option<LastPattern>>,
    /// The pattern is made of outer rows' values alone.
    pub of_outer: bool,
    /// `Context::execution` and `outer_sets` of `last`.
    pub asked: Cell<(u64, u64)>,
}

pub struct LastPattern {
    pattern: Box<[u8]>,
    escape: Option<Box<[u8]>>,
    compiled: LikePattern,
}

/// No execution has such a count.
pub const NEVER: (u64, u64) = (0, u64::MAX);

/// A longer pattern is not kept.
const PATTERN_BYTES_MAX: usize = 8000;

/// What an integer type holds.
#[derive(Clone, Copy)]
pub struct IntegerRange {
    pub min: i64,
    pub max: i64,
    pub kind: TypeKind,
}

impl IntegerRange {
    pub fn of(kind: TypeKind) -> IntegerRange {
        let (min, max) = match kind {
            TypeKind::Bit => (0, 1),
            TypeKind::TinyInt => (0, u8::MAX as i64),
            TypeKind::SmallInt => (i16::MIN as i64, i16::MAX as i64),
            TypeKind::Int => (i32::MIN as i64, i32::MAX as i64),
            _ => (i64::MIN, i64::MAX),
        };
        IntegerRange { min, max, kind }
    }

    #[inline]
    pub fn holds(self, value: i64) -> bool {
        value >= self.min && value <= self.max
    }

    #[cold]
    pub fn overflow(self) -> SqlError {
        kernel::arithmetic_overflow(self.kind)
    }
}

/// UNKNOWN does not hold.
#[inline]
pub fn holds(predicate: Option<i64>) -> bool {
    matches!(predicate, Some(value) if value != 0)
}

/// AND: a part of `eval_node`, which runs for every row.
#[inline(always)]
fn all(terms: &[I64Expr], context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
    let mut unknown = false;
    for term in terms {
        match term.eval(context, row)? {
            Some(0) => return Ok(Some(0)),
            Some(_) => {}
            None => unknown = true,
        }
    }
    Ok(if unknown { None } else { Some(1) })
}

/// OR, likewise.
#[inline(always)]
fn any(terms: &[I64Expr], context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
    let mut unknown = false;
    for term in terms {
        match term.eval(context, row)? {
            Some(0) => {}
            Some(_) => return Ok(Some(1)),
            None => unknown = true,
        }
    }
    Ok(if unknown { None } else { Some(0) })
}

/// The answer when an operand is NULL: UNKNOWN, unless NULLs compare equal to each other.
#[inline]
fn null_comparison(op: CompareOp, null_equal: bool, left_null: bool, right_null: bool) -> Option<i64> {
    if !null_equal {
        return None;
    }
    let equal = left_null && right_null;
    Some((equal == (op == CompareOp::Equal)) as i64)
}

impl I64Expr {
    #[inline(always)]
    pub fn eval(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
        match self {
            I64Expr::Variable(slot) => Ok(context.variables.i64(*slot)),
            I64Expr::Const(value) => Ok(*value),
            I64Expr::Column(column) => Ok(row.i64(*column)),
            node => node.eval_node(context, row),
        }
    }

    /// What loops are made of: sums and comparisons of variables and constants, in registers. None: another shape, a NULL or an
    /// overflow; `eval` finds out which.
    #[inline(always)]
    pub fn quick(&self, context: &Context) -> Option<i64> {
        match self {
            I64Expr::CompareI64(node) => node.quick(context),
            I64Expr::Arithmetic(node) => node.quick(context),
            node => node.quick_leaf(context),
        }
    }

    #[inline(always)]
    fn quick_leaf(&self, context: &Context) -> Option<i64> {
        match self {
            I64Expr::Variable(slot) => context.variables.i64(*slot),
            I64Expr::Const(value) => *value,
            node => node.quick_node(context),
        }
    }

    fn quick_node(&self, context: &Context) -> Option<i64> {
        match self {
            I64Expr::Session(read) => Some(context.session(|session| read(session))),
            I64Expr::CompareI64(node) => node.quick(context),
            I64Expr::Arithmetic(node) => node.quick(context),
            I64Expr::And(terms) => {
                for term in terms {
                    if term.quick(context)? == 0 {
                        return Some(0);
                    }
                }
                Some(1)
            }
            I64Expr::Or(terms) => {
                for term in terms {
                    if term.quick(context)? != 0 {
                        return Some(1);
                    }
                }
                Some(0)
            }
            I64Expr::Not(operand) => Some((operand.quick(context)? == 0) as i64),
            _ => None,
        }
    }

    fn eval_node(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
        match self {
            I64Expr::Const(value) => Ok(*value),
            I64Expr::Column(column) => Ok(row.i64(*column)),
            I64Expr::Variable(slot) => Ok(context.variables.i64(*slot)),
            I64Expr::Outer(slot) => match &context.outer.borrow()[*slot as usize] {
                types::Datum::I64(value) => Ok(Some(*value)),
                _ => Ok(None),
            },
            I64Expr::Session(read) => Ok(Some(context.session(|session| read(session)))),
            I64Expr::Arithmetic(node) => node.eval(context, row),
            I64Expr::Money(node) => {
                let (op, ty, left, right) = &**node;
                match (left.eval(context, row)?, right.eval(context, row)?) {
                    (Some(left), Some(right)) => {
                        kernel::money_arithmetic(*op, ty, left, right).map(Some).or_else(|e| context.uncomputed(e))
                    }
                    _ => Ok(None),
                }
            }
            I64Expr::Negate(node) => match node.0.eval(context, row)? {
                None => Ok(None),
                Some(value) => match value.checked_neg() {
                    Some(value) if node.1.holds(value) => Ok(Some(value)),
                    _ => context.uncomputed(node.1.overflow()),
                },
            },
            I64Expr::BitNot(operand, kind) => Ok(operand.eval(context, row)?.map(|value| match kind {
                TypeKind::Bit => (value == 0) as i64,
                TypeKind::TinyInt => !value & 0xff,
                _ => !value,
            })),
            I64Expr::CompareI64(node) => {
                let (left, right) = (node.left.eval(context, row)?, node.right.eval(context, row)?);
                match (left, right) {
                    (Some(left), Some(right)) => Ok(Some(compare_i64(node.op, left, right) as i64)),
                    _ => Ok(null_comparison(node.op, node.null_equal, left.is_none(), right.is_none())),
                }
            }
            I64Expr::CompareF64(node) => {
                let (left, right) = (node.left.eval(context, row)?, node.right.eval(context, row)?);
                match (left, right) {
                    (Some(left), Some(right)) => {
                        let ordering = left.partial_cmp(&right).unwrap_or(Ordering::Equal);
                        Ok(Some(kernel::ordering_holds(node.op, ordering) as i64))
                    }
                    _ => Ok(null_comparison(node.op, node.null_equal, left.is_none(), right.is_none())),
                }
            }
            I64Expr::CompareI128(node) => {
                let (node, comparer) = &**node;
                let (left, right) = (node.left.eval(context, row)?, node.right.eval(context, row)?);
                match (left, right) {
                    (Some(left), Some(right)) => {
                        Ok(Some(kernel::ordering_holds(node.op, comparer.compare_i128(left, right)) as i64))
                    }
                    _ => Ok(null_comparison(node.op, node.null_equal, left.is_none(), right.is_none())),
                }
            }
            I64Expr::CompareBytes(node) => {
                let (node, comparer) = &**node;
                let (left, right) = (node.left.eval(context, row)?, node.right.eval(context, row)?);
                match (&left, &right) {
                    (Some(left), Some(right)) => Ok(Some(kernel::ordering_holds(
                        node.op,
                        kernel::compare_bytes(context, comparer, left, right)?,
                    ) as i64)),
                    _ => Ok(null_comparison(node.op, node.null_equal, left.is_none(), right.is_none())),
                }
            }
            I64Expr::And(terms) => all(terms, context, row),
            I64Expr::Or(terms) => any(terms, context, row),
            I64Expr::Not(operand) => Ok(operand.eval(context, row)?.map(|value| (value == 0) as i64)),
            I64Expr::IsNull(operand) => Ok(Some(operand.value(context, row)?.is_null() as i64)),
            I64Expr::Like(node) => node.eval(context, row),
            I64Expr::InConstants { value, sorted, with_null } => Ok(match value.eval(context, row)? {
                None => None,
                Some(value) if sorted.binary_search(&value).is_ok() => Some(1),
                Some(_) => (!with_null).then_some(0),
            }),
            I64Expr::InList(node) => node.eval(context, row),
            I64Expr::InKeys(node) => node.eval(context, row),
            I64Expr::Narrow(node) => match node.0.eval(context, row)? {
                Some(value) if !node.1.holds(value) => {
                    context.uncomputed(kernel::integer_too_large(node.1.kind, value))
                }
                value => Ok(value),
            },
            I64Expr::General(node) => Ok(node.eval(context, row)?.i64()),
        }
    }
}

#[inline]
pub fn compare_i64(op: CompareOp, left: i64, right: i64) -> bool {
    // Holds when less: bit 0; when equal: bit 1; when greater: bit 2. Loops do little else, and this has no branch.
    let when = match op {
        CompareOp::Less => 0b001,
        CompareOp::Equal => 0b010,
        CompareOp::LessOrEqual => 0b011,
        CompareOp::Greater => 0b100,
        CompareOp::NotEqual => 0b101,
        CompareOp::GreaterOrEqual => 0b110,
    };
    when >> (left >= right) as u32 >> (left > right) as u32 & 1 == 1
}

impl Comparison<I64Expr> {
    #[inline(always)]
    fn quick(&self, context: &Context) -> Option<i64> {
        let (left, right) = (self.left.quick_leaf(context)?, self.right.quick_leaf(context)?);
        Some(compare_i64(self.op, left, right) as i64)
    }
}

/// Out of line, so that sums stay a few instructions.
#[inline(never)]
fn quick_product(op: ArithmeticOp, left: i64, right: i64) -> Option<i64> {
    match op {
        ArithmeticOp::Multiply => left.checked_mul(right),
        ArithmeticOp::Divide => left.checked_div(right),
        ArithmeticOp::Modulo if right != -1 => left.checked_rem(right),
        _ => None,
    }
}

impl IntegerArithmetic {
    #[inline(always)]
    fn quick(&self, context: &Context) -> Option<i64> {
        let (left, right) = (self.left.quick_leaf(context)?, self.right.quick_leaf(context)?);
        let value = match self.op {
            ArithmeticOp::Add => left.checked_add(right)?,
            ArithmeticOp::Subtract => left.checked_sub(right)?,
            op => quick_product(op, left, right)?,
        };
        self.range.holds(value).then_some(value)
    }

    #[inline]
    fn eval(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
        let (left, right) = (self.left.eval(context, row)?, self.right.eval(context, row)?);
        match (left, right) {
            (Some(left), Some(right)) => self.apply(left, right).map(Some).or_else(|e| context.uncomputed(e)),
            _ => Ok(None),
        }
    }

    #[inline]
    pub fn apply(&self, left: i64, right: i64) -> SqlResult<i64> {
        let value = match self.op {
            ArithmeticOp::Add => left.checked_add(right),
            ArithmeticOp::Subtract => left.checked_sub(right),
            ArithmeticOp::Multiply => left.checked_mul(right),
            ArithmeticOp::Divide | ArithmeticOp::Modulo if right == 0 => return Err(kernel::divide_by_zero()),
            ArithmeticOp::Divide => left.checked_div(right),
            // The smallest number has no quotient by -1, and so no remainder.
            ArithmeticOp::Modulo if right == -1 => {
                left.checked_neg().filter(|value| self.range.holds(*value)).map(|_| 0)
            }
            ArithmeticOp::Modulo => left.checked_rem(right),
            ArithmeticOp::BitAnd => Some(left & right),
            ArithmeticOp::BitOr => Some(left | right),
            ArithmeticOp::BitXor => Some(left ^ right),
        };
        match value {
            Some(value) if self.range.holds(value) => Ok(value),
            _ => Err(self.range.overflow()),
        }
    }
}

impl Like {
    fn eval(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
        if let Some(compiled) = &self.compiled {
            let Some(value) = self.value.eval(context, row)? else { return Ok(None) };
            return Ok(Some(compiled.matches(&value, &mut context.pacer())? as i64));
        }
        let now = (context.execution.get(), context.outer_sets.get());
        if self.of_outer
            && self.asked.get() == now
            && let Some(last) = &*self.last.borrow()
        {
            let Some(value) = self.value.eval(context, row)? else { return Ok(None) };
            return Ok(Some(last.compiled.matches(&value, &mut context.pacer())? as i64));
        }
        let (Some(value), Some(pattern)) = (self.value.eval(context, row)?, self.pattern.eval(context, row)?) else {
            return Ok(None);
        };
        let escape = match &self.escape {
            None => None,
            Some(escape) => match escape.eval(context, row)? {
                None => return Ok(None),
                escape => escape,
            },
        };
        let pacer = &mut context.pacer();
        let mut last = self.last.borrow_mut();
        if let Some(last) = &*last
            && *last.pattern == *pattern
            && last.escape.as_deref() == escape.as_deref()
        {
            self.asked.set(if now.0 == 0 { NEVER } else { now });
            return Ok(Some(last.compiled.matches(&value, pacer)? as i64));
        }
        let compiled = LikePattern::new(&self.ty, &pattern, escape.as_deref(), pacer)?;
        let found = compiled.matches(&value, pacer)?;
        if pattern.len() <= PATTERN_BYTES_MAX {
            let escape = escape.as_deref().map(Box::from);
            *last = Some(LastPattern { pattern: pattern.as_ref().into(), escape, compiled });
            // Without an execution nobody counts.
            self.asked.set(if now.0 == 0 { NEVER } else { now });
        }
        Ok(Some(found as i64))
    }
}

/// A long list of constants of another class: their keys, which are equal where they are. Not of binaries, of which one that has more zeros at
/// its end is equal and has another key.
pub struct InKeys {
    pub value: Scalar,
    codec: KeyCodec,
    sorted: Box<[Box<[u8]>]>,
    with_null: bool,
}

impl InKeys {
    /// A shorter list is compared item by item.
    pub const ITEMS_MIN: usize = 16;

    /// `constants`: of the value's type.
    pub fn new(value: Scalar, constants: &[Datum]) -> InKeys {
        // Each may have more digits than the value's type.
        let ty = match value.ty.is_decimal() {
            true => SqlType::decimal(types::decimal::PRECISION_MAX, value.ty.scale),
            false => value.ty,
        };
        let codec = KeyCodec::new(&ty, false);
        let key = |constant: &Datum| {
            let mut key = Vec::new();
            codec.encode(constant, &mut key);
            key.into_boxed_slice()
        };
        let mut sorted: Box<[_]> = constants.iter().filter(|constant| !constant.is_null()).map(key).collect();
        sorted.sort_unstable();
        InKeys { value, codec, sorted, with_null: constants.iter().any(Datum::is_null) }
    }

    fn eval(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
        let mut key = Vec::new();
        match self.value.value(context, row)? {
            Value::Null => return Ok(None),
            Value::Bytes(bytes) => self.codec.encode_bytes_paced(&bytes, &mut key, &mut context.pacer())?,
            Value::I128(number) => self.codec.encode(&Datum::I128(number), &mut key),
            Value::F64(number) => self.codec.encode(&Datum::F64(number), &mut key),
            Value::I64(number) => self.codec.encode_i64(number, &mut key),
        }
        match self.sorted.binary_search_by(|known| known.as_ref().cmp(&key)) {
            Ok(_) => Ok(Some(1)),
            Err(_) => Ok((!self.with_null).then_some(0)),
        }
    }
}

/// Items that are compared one by one.
pub struct InList {
    value: Scalar,
    list: Box<[Scalar]>,
    comparer: ValueComparer,
}

impl InList {
    pub fn new(value: Scalar, list: Vec<Scalar>) -> InList {
        InList { comparer: ValueComparer::new(&value.ty), value, list: list.into() }
    }

    fn eval(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
        let value = self.value.value(context, row)?;
        if value.is_null() {
            return Ok(None);
        }
        let mut unknown = false;
        for item in &self.list {
            match item.value(context, row)? {
                Value::Null => unknown = true,
                item if kernel::compare_with(context, &self.comparer, &value, &item)?.is_eq() => return Ok(Some(1)),
                _ => {}
            }
        }
        Ok(if unknown { None } else { Some(0) })
    }
}

/// The node as a predicate. Panics on another class: predicates are of type bit.
pub fn into_predicate(scalar: Scalar) -> I64Expr {
    match scalar.node {
        Node::I64(node) => node,
        _ => panic!("a predicate of type {:?}", scalar.ty.kind),
    }
}
