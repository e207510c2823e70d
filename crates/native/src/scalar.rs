//! Expressions over integers, decimals, floats and other values of class I64, NULLs among them: machine code for the usual case, a jump to
//! `unusual` for an overflow or a division by zero. A decimal is its digits as a whole number of 64 bits; more of them are unusual. A
//! float is its bits.

mod asked;
mod calls;
mod conversions;
mod fields;
mod functions;

use cranelift_codegen::ir::condcodes::{CondCode as _, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types as ir};
use cranelift_frontend::{FunctionBuilder, Variable};
use sql::plan::{ArithmeticOp, CompareOp, Expr, ExprKind, VariableSlot};
use types::{Datum, Physical, SqlType, TypeKind};

pub use asked::{Maker, can_be_asked, is_asked};
pub use calls::{Calls, FunctionCall, calls_function, is_argument, is_made};
use conversions::has_conversion;
pub use fields::{Coding, Field};
use functions::has_function;

use crate::number::{HIGH_AT, NULL_AT, NUMBER_BYTES, VALUE_AT};
use crate::runtime::ARGUMENTS_MAX;

/// Machine code for expressions, put where the builder stands.
pub struct Scalars<'b, 'f> {
    pub builder: &'b mut FunctionBuilder<'f>,
    /// The first of the module's variables.
    pub numbers: Value,
    /// Of the row that expressions are over.
    pub columns: Columns,
    /// Subqueries of the statement, whose code is still to be made.
    pub entries: Vec<Entry>,
    /// Variables that lie in registers now.
    pub held: Vec<Held>,
    /// Of all variables.
    pub classes: Vec<Physical>,
    pub calls: Calls,
}

/// Where the columns of a row are.
#[derive(Debug, Clone)]
pub enum Columns {
    None,
    /// In an image.
    Image(Value, Vec<Option<Field>>),
    /// Each in the image of its table's row.
    Joined(Vec<Option<(Value, Field)>>),
    /// Here: each value, 0 if it is NULL, and whether it is, if it may be.
    Values(Vec<(Value, Option<Value>)>),
    /// Each is a subquery's value.
    Subqueries,
}

/// A subquery within an expression. Its code is entered from there, and goes back with the value.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub column: usize,
    pub begin: Block,
    /// Takes the value, 0 if it is NULL, and an i8: 1 for NULL.
    pub back: Block,
}

/// A variable in registers.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    pub slot: VariableSlot,
    pub value: Variable,
    /// An i8: 1 for NULL.
    pub null: Variable,
}

/// What lies in memory of this process and is aligned, as variables and images do.
pub fn plain() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Columns of a row lie where they fall.
pub fn packed() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Where a predicate leads.
#[derive(Clone, Copy)]
struct Ways {
    /// It is what is wanted.
    yes: Block,
    /// It is the opposite.
    other: Block,
    unknown: Block,
    unusual: Block,
}

/// The value of this node may be an error, whatever its operands.
pub fn can_fail(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Arithmetic(op, ..) => {
            !matches!(op, ArithmeticOp::BitAnd | ArithmeticOp::BitOr | ArithmeticOp::BitXor)
        }
        ExprKind::Convert { value, .. } => {
            is_decimal(&expr.ty)
                || is_money(expr.ty.kind)
                || is_float(&value.ty)
                || !is_wider(expr.ty.kind, value.ty.kind)
        }
        ExprKind::Negate(_) | ExprKind::Function(..) | ExprKind::UserFunction(..) => true,
        _ => false,
    }
}

fn is_integer(ty: &SqlType) -> bool {
    matches!(ty.kind, TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt)
}

fn is_decimal(ty: &SqlType) -> bool {
    matches!(ty.kind, TypeKind::Decimal | TypeKind::Numeric)
}

/// Machine code has values of this type in registers.
pub fn is_number(ty: &SqlType) -> bool {
    matches!(ty.physical(), Physical::I64 | Physical::F64) || is_decimal(ty)
}

pub fn is_float(ty: &SqlType) -> bool {
    ty.physical() == Physical::F64
}

fn is_money(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::Money | TypeKind::SmallMoney)
}

/// Powers of ten that a whole number of 64 bits can be.
const DIGITS_MAX: u8 = 18;

/// The scale of `left op right`, if digits need not be cut off.
fn exact_scale(op: ArithmeticOp, left: &SqlType, right: &SqlType) -> Option<u8> {
    match op {
        ArithmeticOp::Add | ArithmeticOp::Subtract => Some(left.scale.max(right.scale)),
        ArithmeticOp::Multiply => Some(left.scale + right.scale),
        _ => None,
    }
}

/// Least and greatest value of an integer type.
pub fn range(kind: TypeKind) -> (i64, i64) {
    match kind {
        TypeKind::Bit => (0, 1),
        TypeKind::TinyInt => (0, u8::MAX.into()),
        TypeKind::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        TypeKind::Int | TypeKind::SmallMoney => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}

/// One type holds all values of the other.
fn is_wider(one: TypeKind, other: TypeKind) -> bool {
    let (one, other) = (range(one), range(other));
    one.0 <= other.0 && one.1 >= other.1
}

/// There is machine code for its value, over rows whose `known` columns have a place.
pub fn has_value(expr: &Expr, known: &dyn Fn(usize) -> bool) -> bool {
    makes_value(expr, known, Maker::Code)
}

/// There is machine code for whether the predicate holds.
pub fn has_truth(expr: &Expr, known: &dyn Fn(usize) -> bool) -> bool {
    makes_truth(expr, known, Maker::Code)
}

/// The same, of this maker.
pub fn makes_value(expr: &Expr, known: &dyn Fn(usize) -> bool, maker: Maker) -> bool {
    let known_type = is_number(&expr.ty);
    let value = |expr: &Expr| makes_value(expr, known, maker);
    if maker == Maker::Both && can_be_asked(expr) {
        return true;
    }
    match &expr.kind {
        ExprKind::Literal(Datum::I64(_) | Datum::F64(_)) => true,
        ExprKind::Literal(Datum::I128(value)) => is_decimal(&expr.ty) && i64::try_from(*value).is_ok(),
        ExprKind::Variable(_) => known_type,
        ExprKind::Column(column) => known_type && known(*column),
        ExprKind::Negate(operand) => {
            (is_integer(&expr.ty) || is_float(&expr.ty) || is_money(expr.ty.kind)) && value(operand)
        }
        ExprKind::Arithmetic(op, left, right) if is_decimal(&expr.ty) => {
            let decimals = is_decimal(&left.ty) && is_decimal(&right.ty);
            let exact = exact_scale(*op, &left.ty, &right.ty) == Some(expr.ty.scale) && expr.ty.scale <= DIGITS_MAX;
            decimals && exact && value(left) && value(right)
        }
        ExprKind::Arithmetic(op, left, right) => {
            let bitwise = matches!(op, ArithmeticOp::BitAnd | ArithmeticOp::BitOr | ArithmeticOp::BitXor);
            let known = match expr.ty.kind {
                TypeKind::Bit => bitwise,
                TypeKind::Money | TypeKind::SmallMoney | TypeKind::Real | TypeKind::Float => {
                    let same = |operand: &Expr| operand.ty.physical() == expr.ty.physical();
                    !bitwise && *op != ArithmeticOp::Modulo && same(left) && same(right)
                }
                _ => is_integer(&expr.ty),
            };
            known && value(left) && value(right)
        }
        ExprKind::Convert { value: operand, style: None, attempt: false, .. } => {
            has_conversion(&operand.ty, &expr.ty) && value(operand)
        }
        ExprKind::Case { branches, otherwise: Some(otherwise) } => {
            known_type
                && branches.iter().all(|(when, then)| makes_truth(when, known, maker) && value(then))
                && value(otherwise)
        }
        ExprKind::Function(function, arguments) => has_function(*function, arguments, &expr.ty, &value),
        ExprKind::UserFunction(definition, arguments) => {
            known_type
                && definition.native
                && arguments.len() <= ARGUMENTS_MAX
                && arguments.iter().all(|argument| is_argument(argument, known))
        }
        _ => false,
    }
}

pub fn makes_truth(expr: &Expr, known: &dyn Fn(usize) -> bool, maker: Maker) -> bool {
    let has_value = |expr: &Expr| makes_value(expr, known, maker);
    match &expr.kind {
        ExprKind::And(terms) | ExprKind::Or(terms) => terms.iter().all(|term| makes_truth(term, known, maker)),
        ExprKind::Not(operand) => makes_truth(operand, known, maker),
        ExprKind::IsNull(operand) => match operand.kind {
            ExprKind::Variable(_) => true,
            ExprKind::Column(column) => known(column),
            _ => false,
        },
        ExprKind::Compare { left, right, null_equal: false, .. } => has_value(left) && has_value(right),
        ExprKind::InList { value, list } => {
            let constant = |item: &Expr| matches!(item.kind, ExprKind::Literal(_)) && has_value(item);
            has_value(value) && !is_float(&value.ty) && list.iter().all(constant)
        }
        _ => false,
    }
}

impl Scalars<'_, '_> {
    fn number(&self, slot: VariableSlot, at: usize) -> i32 {
        i32::try_from(slot.0 as usize * NUMBER_BYTES + at).expect("variables fit a page or two")
    }

    fn held(&self, slot: VariableSlot) -> Option<Held> {
        self.held.iter().find(|held| held.slot == slot).copied()
    }

    /// Whether a variable, of whatever class, is NULL.
    fn is_null(&mut self, slot: VariableSlot) -> Value {
        if let Some(held) = self.held(slot) {
            return self.builder.use_var(held.null);
        }
        let null_at = self.number(slot, NULL_AT);
        self.builder.ins().load(ir::I8, plain(), self.numbers, null_at)
    }

    /// A variable's value, whatever it is if the variable is NULL, and whether it is.
    pub fn read(&mut self, slot: VariableSlot, unusual: Block) -> (Value, Value) {
        let null = self.is_null(slot);
        if let Some(held) = self.held(slot) {
            return (self.builder.use_var(held.value), null);
        }
        let (at, high_at) = (self.number(slot, VALUE_AT), self.number(slot, HIGH_AT));
        let value = self.builder.ins().load(ir::I64, plain(), self.numbers, at);
        if self.is_wide(slot) {
            let high = self.builder.ins().load(ir::I64, plain(), self.numbers, high_at);
            let sign = self.builder.ins().sshr_imm_u(value, 63);
            let longer = self.builder.ins().icmp(IntCC::NotEqual, high, sign);
            self.unless(longer, unusual);
        }
        (value, null)
    }

    fn is_wide(&self, slot: VariableSlot) -> bool {
        self.classes[slot.0 as usize] == Physical::I128
    }

    /// Goes on if `when` is 0.
    pub fn unless(&mut self, when: Value, unusual: Block) {
        let usual = self.builder.create_block();
        self.builder.ins().brif(when, unusual, &[], usual, &[]);
        self.builder.switch_to_block(usual);
    }

    /// `null`: whether it is NULL instead, if it may be.
    pub fn set(&mut self, slot: VariableSlot, value: Value, null: Option<Value>) {
        let (at, null_at) = (self.number(slot, VALUE_AT), self.number(slot, NULL_AT));
        let null = self.null_bit(null);
        self.builder.ins().store(plain(), value, self.numbers, at);
        if self.is_wide(slot) {
            let (sign, high_at) = (self.builder.ins().sshr_imm_u(value, 63), self.number(slot, HIGH_AT));
            self.builder.ins().store(plain(), sign, self.numbers, high_at);
        }
        self.builder.ins().store(plain(), null, self.numbers, null_at);
    }

    /// Of an expression that `has_value`: an i64. A NULL is unusual.
    pub fn value(&mut self, expr: &Expr, unusual: Block) -> Value {
        let (value, null) = self.value_or_null(expr, unusual);
        if let Some(null) = null {
            self.unless(null, unusual);
        }
        value
    }

    /// The same where it may be NULL: the value is 0 then. None: it cannot be.
    pub fn value_or_null(&mut self, expr: &Expr, unusual: Block) -> (Value, Option<Value>) {
        if is_asked(expr) {
            return self.asked(expr, unusual);
        }
        match &expr.kind {
            ExprKind::Literal(Datum::I64(value)) => (self.builder.ins().iconst(ir::I64, *value), None),
            ExprKind::Literal(Datum::F64(value)) => (self.builder.ins().iconst(ir::I64, value.to_bits() as i64), None),
            ExprKind::Literal(Datum::I128(value)) => {
                let value = i64::try_from(*value).expect("a short decimal");
                (self.builder.ins().iconst(ir::I64, value), None)
            }
            ExprKind::Variable(slot) => {
                let (value, null) = self.read(*slot, unusual);
                (self.zero_if(null, value), Some(null))
            }
            ExprKind::Column(column) => self.column(*column),
            ExprKind::Negate(operand) if is_float(&expr.ty) => {
                let (operand, null) = self.value_or_null(operand, unusual);
                let value = self.builder.ins().bxor_imm_s(operand, i64::MIN);
                match null {
                    Some(null) => (self.zero_if(null, value), Some(null)),
                    None => (value, None),
                }
            }
            ExprKind::Negate(operand) => {
                let zero = self.builder.ins().iconst(ir::I64, 0);
                let (operand, null) = self.value_or_null(operand, unusual);
                (self.arithmetic(ArithmeticOp::Subtract, zero, operand, expr.ty.kind, unusual), null)
            }
            ExprKind::Arithmetic(op, left, right) => {
                let scales = (left.ty.scale, right.ty.scale);
                let (mut left, left_null) = self.value_or_null(left, unusual);
                let (mut right, right_null) = self.value_or_null(right, unusual);
                if is_decimal(&expr.ty) && *op != ArithmeticOp::Multiply {
                    left = self.scaled(left, expr.ty.scale - scales.0, unusual);
                    right = self.scaled(right, expr.ty.scale - scales.1, unusual);
                }
                let value = self.arithmetic(*op, left, right, expr.ty.kind, unusual);
                match self.either(left_null, right_null) {
                    Some(null) => (self.zero_if(null, value), Some(null)),
                    None => (value, None),
                }
            }
            ExprKind::Convert { value, .. } => {
                let from = value.ty;
                let (value, null) = self.value_or_null(value, unusual);
                let value = self.converted(value, &from, &expr.ty, unusual);
                (value, null)
            }
            ExprKind::Case { branches, otherwise: Some(otherwise) } => {
                let end = self.builder.create_block();
                let value = self.builder.append_block_param(end, ir::I64);
                let null = self.builder.append_block_param(end, ir::I8);
                for (when, then) in branches {
                    let (yes, no) = (self.builder.create_block(), self.builder.create_block());
                    self.branch(when, yes, no, unusual);
                    self.builder.switch_to_block(yes);
                    self.jump_with(then, end, unusual);
                    self.builder.switch_to_block(no);
                }
                self.jump_with(otherwise, end, unusual);
                self.builder.switch_to_block(end);
                (value, Some(null))
            }
            ExprKind::Function(function, arguments) => self.built_in(*function, arguments, &expr.ty, unusual),
            ExprKind::UserFunction(definition, arguments) => self.function(definition, arguments, expr.ty, unusual),
            other => panic!("no machine code for {other:?}"),
        }
    }

    fn jump_with(&mut self, expr: &Expr, end: Block, unusual: Block) {
        let (value, null) = self.value_or_null(expr, unusual);
        let null = self.null_bit(null);
        self.builder.ins().jump(end, &[value.into(), null.into()]);
    }

    /// The value of a subquery.
    fn subquery(&mut self, column: usize) -> (Value, Option<Value>) {
        let (begin, back) = (self.builder.create_block(), self.builder.create_block());
        let value = self.builder.append_block_param(back, ir::I64);
        let null = self.builder.append_block_param(back, ir::I8);
        self.builder.ins().jump(begin, &[]);
        self.builder.switch_to_block(back);
        self.entries.push(Entry { column, begin, back });
        (value, Some(null))
    }

    /// An i8: 1 for NULL.
    pub fn null_bit(&mut self, null: Option<Value>) -> Value {
        null.unwrap_or_else(|| self.builder.ins().iconst(ir::I8, 0))
    }

    pub fn zero_if(&mut self, null: Value, value: Value) -> Value {
        let zero = self.builder.ins().iconst(ir::I64, 0);
        self.builder.ins().select(null, zero, value)
    }

    fn either(&mut self, one: Option<Value>, other: Option<Value>) -> Option<Value> {
        match (one, other) {
            (Some(one), Some(other)) => Some(self.builder.ins().bor(one, other)),
            (one, other) => one.or(other),
        }
    }

    /// A decimal with so many digits more behind its point.
    fn scaled(&mut self, value: Value, digits: u8, unusual: Block) -> Value {
        if digits == 0 {
            return value;
        }
        let factor = self.builder.ins().iconst(ir::I64, 10_i64.pow(digits.into()));
        let (value, overflow) = self.builder.ins().smul_overflow(value, factor);
        self.unless(overflow, unusual);
        value
    }

    pub fn check_range(&mut self, value: Value, (min, max): (i64, i64), unusual: Block) {
        let above = self.builder.ins().iadd_imm_s(value, min.wrapping_neg());
        let width = max.wrapping_sub(min);
        let outside = self.builder.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, above, width);
        self.unless(outside, unusual);
    }

    fn arithmetic(&mut self, op: ArithmeticOp, left: Value, right: Value, kind: TypeKind, unusual: Block) -> Value {
        if matches!(kind, TypeKind::Real | TypeKind::Float) {
            return self.float_arithmetic(op, left, right, kind, unusual);
        }
        if is_money(kind) && op == ArithmeticOp::Multiply {
            return self.money_arithmetic(op, left, right, kind, unusual);
        }
        let builder = &mut *self.builder;
        let (value, overflow) = match op {
            ArithmeticOp::Add => builder.ins().sadd_overflow(left, right),
            ArithmeticOp::Subtract => builder.ins().ssub_overflow(left, right),
            ArithmeticOp::Multiply => builder.ins().smul_overflow(left, right),
            ArithmeticOp::BitAnd => return builder.ins().band(left, right),
            ArithmeticOp::BitOr => return builder.ins().bor(left, right),
            ArithmeticOp::BitXor => return builder.ins().bxor(left, right),
            ArithmeticOp::Divide | ArithmeticOp::Modulo => {
                // By 0, and by -1, which the least of all numbers cannot be divided by.
                let above = builder.ins().iadd_imm_s(right, 1);
                let rare = builder.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, above, 1);
                self.unless(rare, unusual);
                return match op {
                    ArithmeticOp::Divide if is_money(kind) => self.money_arithmetic(op, left, right, kind, unusual),
                    ArithmeticOp::Divide => self.builder.ins().sdiv(left, right),
                    _ => self.builder.ins().srem(left, right),
                };
            }
        };
        match kind {
            TypeKind::BigInt | TypeKind::Decimal | TypeKind::Numeric | TypeKind::Money => {
                self.unless(overflow, unusual);
            }
            // Operands of fewer bits: 64 hold the result. (A decimal result's type has all the digits that there can be.)
            kind => self.check_range(value, range(kind), unusual),
        }
        value
    }

    /// Goes to `yes` if a predicate that `has_truth` holds, to `other` if it does not or is unknown.
    pub fn branch(&mut self, expr: &Expr, yes: Block, other: Block, unusual: Block) {
        self.decide(expr, true, Ways { yes, other, unknown: other, unusual });
    }

    /// Goes to `passes` if a predicate that `has_truth` holds or is unknown, else to `unusual`.
    pub fn branch_unless_false(&mut self, expr: &Expr, passes: Block, unusual: Block) {
        self.decide(expr, false, Ways { yes: unusual, other: passes, unknown: passes, unusual });
    }

    /// Goes the way of what the predicate is.
    fn decide(&mut self, expr: &Expr, wanted: bool, ways: Ways) {
        let Ways { yes, other, unknown, unusual } = ways;
        match &expr.kind {
            // AND is true, and OR false, if all terms are; else one of them is enough.
            ExprKind::And(terms) | ExprKind::Or(terms) => {
                let all = matches!(expr.kind, ExprKind::And(_)) == wanted;
                for (position, term) in terms.iter().enumerate() {
                    let next = self.builder.create_block();
                    // Behind an unknown term the interpreter goes on, and meets the errors of those that follow.
                    let fails_later = terms[position + 1..].iter().any(|term| term.any(&mut can_fail));
                    let of_term = match (all, fails_later) {
                        (true, true) => Ways { yes: next, unknown: unusual, ..ways },
                        (true, false) => Ways { yes: next, ..ways },
                        (false, _) => {
                            Ways { other: next, unknown: if unknown == other { next } else { unknown }, ..ways }
                        }
                    };
                    self.decide(term, wanted, of_term);
                    self.builder.switch_to_block(next);
                }
                self.builder.ins().jump(if all { yes } else { other }, &[]);
            }
            ExprKind::Not(operand) => self.decide(operand, !wanted, ways),
            ExprKind::IsNull(operand) => {
                let null = match operand.kind {
                    ExprKind::Variable(slot) => Some(self.is_null(slot)),
                    ExprKind::Column(column) => self.column(column).1,
                    _ => panic!("no machine code for IS NULL of {operand:?}"),
                };
                let (null_to, not_null_to) = if wanted { (yes, other) } else { (other, yes) };
                match null {
                    Some(null) => self.builder.ins().brif(null, null_to, &[], not_null_to, &[]),
                    None => self.builder.ins().jump(not_null_to, &[]),
                };
            }
            ExprKind::Compare { op, left, right, .. } => {
                let floats = is_float(&left.ty);
                let (left, left_null) = self.value_or_null(left, unusual);
                let (right, right_null) = self.value_or_null(right, unusual);
                if let Some(null) = self.either(left_null, right_null) {
                    self.unless(null, unknown);
                }
                if floats {
                    let holds = self.compare_floats(*op, left, right);
                    let (holds_to, fails_to) = if wanted { (yes, other) } else { (other, yes) };
                    self.builder.ins().brif(holds, holds_to, &[], fails_to, &[]);
                    return;
                }
                let code = match op {
                    CompareOp::Equal => IntCC::Equal,
                    CompareOp::NotEqual => IntCC::NotEqual,
                    CompareOp::Less => IntCC::SignedLessThan,
                    CompareOp::LessOrEqual => IntCC::SignedLessThanOrEqual,
                    CompareOp::Greater => IntCC::SignedGreaterThan,
                    CompareOp::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
                };
                let code = if wanted { code } else { code.complement() };
                let holds = self.builder.ins().icmp(code, left, right);
                self.builder.ins().brif(holds, yes, &[], other, &[]);
            }
            ExprKind::InList { value, list } => {
                let (value, null) = self.value_or_null(value, unusual);
                if let Some(null) = null {
                    self.unless(null, unknown);
                }
                let (is_in, is_not) = if wanted { (yes, other) } else { (other, yes) };
                for item in list {
                    let item = self.value(item, unusual);
                    let equal = self.builder.ins().icmp(IntCC::Equal, value, item);
                    self.unless(equal, is_in);
                }
                self.builder.ins().jump(is_not, &[]);
            }
            expr => panic!("no machine code for {expr:?}"),
        }
    }
}
