//! Numbers of one type as those of another, and arithmetic of floats, whose bits registers have.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types as ir};
use sql::plan::{ArithmeticOp, CompareOp};
use types::fixed::TICKS_PER_DAY;
use types::{SqlType, TypeKind};

use super::{DIGITS_MAX, Scalars, is_decimal, is_float, is_integer, is_money, is_wider, range};

/// Whole numbers of this size and less are floats without a loss.
const EXACT_MAX: i64 = (1 << 53) - 1;

/// The bits of a float's exponent: all of them 1 in what is not finite.
const EXPONENT: i64 = 0x7ff << 52;

/// Digits behind the point of an exact number.
fn scale(ty: &SqlType) -> Option<u8> {
    match ty.kind {
        TypeKind::Bit => Some(0),
        TypeKind::Money | TypeKind::SmallMoney => Some(4),
        _ if is_integer(ty) => Some(0),
        _ if is_decimal(ty) => Some(ty.scale),
        _ => None,
    }
}

/// There is machine code for it.
pub fn has_conversion(from: &SqlType, to: &SqlType) -> bool {
    let digits = scale(from);
    let whole = digits == Some(0) && !is_decimal(from);
    match to.kind {
        TypeKind::Decimal | TypeKind::Numeric => {
            to.scale <= DIGITS_MAX && digits.is_some_and(|digits| digits <= to.scale)
        }
        TypeKind::Money | TypeKind::SmallMoney => digits.is_some_and(|digits| digits <= 4),
        TypeKind::Real | TypeKind::Float => is_float(from) || digits.is_some_and(|digits| digits <= DIGITS_MAX),
        TypeKind::Bit => digits.is_some(),
        // Both count the same units, whatever is shown of them.
        TypeKind::Time => from.kind == TypeKind::Time && from.scale <= to.scale,
        TypeKind::DateTime2 => {
            from.kind == TypeKind::Date || from.kind == TypeKind::DateTime2 && from.scale <= to.scale
        }
        _ => is_integer(to) && (whole || is_float(from)),
    }
}

impl Scalars<'_, '_> {
    pub fn double(&mut self, bits: Value) -> Value {
        self.builder.ins().bitcast(ir::F64, MemFlagsData::new(), bits)
    }

    pub fn bits(&mut self, double: Value) -> Value {
        self.builder.ins().bitcast(ir::I64, MemFlagsData::new(), double)
    }

    /// A conversion that there `has_conversion` for.
    pub fn converted(&mut self, value: Value, from: &SqlType, to: &SqlType, unusual: Block) -> Value {
        match to.kind {
            TypeKind::Decimal | TypeKind::Numeric => {
                let value = self.scaled(value, to.scale - scale(from).expect("an exact number"), unusual);
                if to.precision <= DIGITS_MAX {
                    let most = 10_i64.pow(to.precision.into()) - 1;
                    self.check_range(value, (-most, most), unusual);
                }
                value
            }
            TypeKind::Money | TypeKind::SmallMoney => {
                let value = self.scaled(value, 4 - scale(from).expect("an exact number"), unusual);
                if to.kind == TypeKind::SmallMoney {
                    self.check_range(value, range(to.kind), unusual);
                }
                value
            }
            TypeKind::Bit => {
                let known = self.builder.ins().icmp_imm_s(IntCC::NotEqual, value, 0);
                self.builder.ins().uextend(ir::I64, known)
            }
            TypeKind::Real | TypeKind::Float => self.as_float(value, from, to, unusual),
            TypeKind::DateTime2 if from.kind == TypeKind::Date => self.builder.ins().imul_imm_s(value, TICKS_PER_DAY),
            TypeKind::Time | TypeKind::DateTime2 => value,
            _ if is_float(from) => {
                let double = self.double(value);
                // 2^63 itself is a double and no bigint.
                let end = self.builder.ins().f64const(9_223_372_036_854_775_808.0);
                let start = self.builder.ins().f64const(-9_223_372_036_854_775_808.0);
                let below = self.builder.ins().fcmp(FloatCC::LessThan, double, start);
                let above = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, double, end);
                let outside = self.builder.ins().bor(below, above);
                self.unless(outside, unusual);
                let whole = self.builder.ins().fcvt_to_sint_sat(ir::I64, double);
                self.check_range(whole, range(to.kind), unusual);
                whole
            }
            _ => {
                if !is_wider(to.kind, from.kind) {
                    self.check_range(value, range(to.kind), unusual);
                }
                value
            }
        }
    }

    fn as_float(&mut self, value: Value, from: &SqlType, to: &SqlType, unusual: Block) -> Value {
        let real = to.kind == TypeKind::Real;
        if is_integer(from) || from.kind == TypeKind::Bit {
            let double = match real {
                true => {
                    let single = self.builder.ins().fcvt_from_sint(ir::F32, value);
                    self.builder.ins().fpromote(ir::F64, single)
                }
                false => self.builder.ins().fcvt_from_sint(ir::F64, value),
            };
            return self.bits(double);
        }
        let value = match scale(from) {
            None => value,
            Some(digits) => {
                // Both exact: the one division rounds correctly.
                self.check_range(value, (-EXACT_MAX, EXACT_MAX), unusual);
                let number = self.builder.ins().fcvt_from_sint(ir::F64, value);
                let factor = self.builder.ins().f64const(10_i64.pow(digits.into()) as f64);
                let double = self.builder.ins().fdiv(number, factor);
                self.bits(double)
            }
        };
        if real && from.kind != TypeKind::Real { self.rounded(value, unusual) } else { value }
    }

    /// To single precision.
    fn rounded(&mut self, value: Value, unusual: Block) -> Value {
        let double = self.double(value);
        let single = self.builder.ins().fdemote(ir::F32, double);
        let double = self.builder.ins().fpromote(ir::F64, single);
        let value = self.bits(double);
        self.check_finite(value, unusual);
        value
    }

    fn check_finite(&mut self, value: Value, unusual: Block) {
        let exponent = self.builder.ins().band_imm_s(value, EXPONENT);
        let outside = self.builder.ins().icmp_imm_s(IntCC::Equal, exponent, EXPONENT);
        self.unless(outside, unusual);
    }

    pub fn float_arithmetic(
        &mut self,
        op: ArithmeticOp,
        left: Value,
        right: Value,
        kind: TypeKind,
        unusual: Block,
    ) -> Value {
        let (left, right) = (self.double(left), self.double(right));
        let result = match op {
            ArithmeticOp::Add => self.builder.ins().fadd(left, right),
            ArithmeticOp::Subtract => self.builder.ins().fsub(left, right),
            ArithmeticOp::Multiply => self.builder.ins().fmul(left, right),
            _ => {
                let zero = self.builder.ins().f64const(0.0);
                let by_zero = self.builder.ins().fcmp(FloatCC::Equal, right, zero);
                self.unless(by_zero, unusual);
                self.builder.ins().fdiv(left, right)
            }
        };
        let result = self.bits(result);
        if kind == TypeKind::Real {
            return self.rounded(result, unusual);
        }
        self.check_finite(result, unusual);
        result
    }

    /// A product or quotient of money. The divisor is not 0.
    pub fn money_arithmetic(
        &mut self,
        op: ArithmeticOp,
        left: Value,
        right: Value,
        kind: TypeKind,
        unusual: Block,
    ) -> Value {
        assert!(is_money(kind), "of money");
        let value = match op {
            ArithmeticOp::Multiply => {
                let (product, overflow) = self.builder.ins().smul_overflow(left, right);
                self.unless(overflow, unusual);
                // Half away from zero.
                let sign = self.builder.ins().sshr_imm_u(product, 63);
                let sign = self.builder.ins().bor_imm_s(sign, 1);
                let half = self.builder.ins().imul_imm_s(sign, 5_000);
                let (sum, overflow) = self.builder.ins().sadd_overflow(product, half);
                self.unless(overflow, unusual);
                let unit = self.builder.ins().iconst(ir::I64, 10_000);
                self.builder.ins().sdiv(sum, unit)
            }
            _ => {
                let dividend = self.scaled(left, 4, unusual);
                self.builder.ins().sdiv(dividend, right)
            }
        };
        if kind == TypeKind::SmallMoney {
            self.check_range(value, range(kind), unusual);
        }
        value
    }

    pub fn compare_floats(&mut self, op: CompareOp, left: Value, right: Value) -> Value {
        let (left, right) = (self.double(left), self.double(right));
        let code = match op {
            CompareOp::Equal => FloatCC::Equal,
            CompareOp::NotEqual => FloatCC::NotEqual,
            CompareOp::Less => FloatCC::LessThan,
            CompareOp::LessOrEqual => FloatCC::LessThanOrEqual,
            CompareOp::Greater => FloatCC::GreaterThan,
            CompareOp::GreaterOrEqual => FloatCC::GreaterThanOrEqual,
        };
        self.builder.ins().fcmp(code, left, right)
    }
}
