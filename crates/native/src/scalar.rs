//! Expressions over integers: machine code for the usual case, a jump to `unusual` for a NULL, an overflow or a division by zero.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Type, Value, types as ir};
use cranelift_frontend::FunctionBuilder;
use sql::plan::{ArithmeticOp, CompareOp, Expr, ExprKind, VariableSlot};
use types::{Datum, Physical, SqlType, TypeKind};

use crate::number::{NULL_AT, NUMBER_BYTES, VALUE_AT};

/// Machine code for expressions, put where the builder stands.
pub struct Scalars<'b, 'f> {
    pub builder: &'b mut FunctionBuilder<'f>,
    /// The first of the module's variables.
    pub numbers: Value,
    /// The image of the row that columns are of, and where it has them.
    pub row: Option<(Value, Vec<Option<Field>>)>,
}

/// Where a row's image has a column whose class is I64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub at: u32,
    /// 1 (no sign), 2, 4 or 8.
    pub bytes: u8,
    /// The byte, and the bit in it, that is 1 for NULL.
    pub null_at: u32,
    pub null_bit: u8,
}

/// What lies in memory of this process and is aligned, as variables and images do.
pub fn plain() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Columns of a row lie where they fall.
pub fn packed() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

fn is_integer(ty: &SqlType) -> bool {
    matches!(ty.kind, TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt)
}

/// Least and greatest value of an integer type.
fn range(kind: TypeKind) -> (i64, i64) {
    match kind {
        TypeKind::Bit => (0, 1),
        TypeKind::TinyInt => (0, u8::MAX.into()),
        TypeKind::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        TypeKind::Int => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}

/// There is machine code for its value, over rows with these fields.
pub fn has_value(expr: &Expr, fields: &[Option<Field>]) -> bool {
    let of_class = expr.ty.physical() == Physical::I64;
    let value = |expr: &Expr| has_value(expr, fields);
    match &expr.kind {
        ExprKind::Literal(Datum::I64(_)) => true,
        ExprKind::Variable(_) => of_class,
        ExprKind::Column(column) => of_class && fields.get(*column).is_some_and(Option::is_some),
        ExprKind::Negate(operand) => is_integer(&expr.ty) && value(operand),
        ExprKind::Arithmetic(_, left, right) => is_integer(&expr.ty) && value(left) && value(right),
        ExprKind::Convert { value: operand, style: None, attempt: false, .. } => {
            let whole = is_integer(&operand.ty) || operand.ty.kind == TypeKind::Bit;
            is_integer(&expr.ty) && whole && value(operand)
        }
        ExprKind::Case { branches, otherwise: Some(otherwise) } => {
            of_class && branches.iter().all(|(when, then)| has_truth(when, fields) && value(then)) && value(otherwise)
        }
        _ => false,
    }
}

/// There is machine code for whether the predicate holds.
pub fn has_truth(expr: &Expr, fields: &[Option<Field>]) -> bool {
    match &expr.kind {
        ExprKind::And(terms) | ExprKind::Or(terms) => terms.iter().all(|term| has_truth(term, fields)),
        ExprKind::Not(operand) => has_truth(operand, fields),
        ExprKind::IsNull(operand) => matches!(operand.kind, ExprKind::Variable(_)),
        ExprKind::Compare { left, right, null_equal: false, .. } => has_value(left, fields) && has_value(right, fields),
        _ => false,
    }
}

impl Scalars<'_, '_> {
    fn number(&self, slot: VariableSlot, at: usize) -> i32 {
        i32::try_from(slot.0 as usize * NUMBER_BYTES + at).expect("variables fit a page or two")
    }

    fn is_null(&mut self, slot: VariableSlot) -> Value {
        let at = self.number(slot, NULL_AT);
        self.builder.ins().load(ir::I8, plain(), self.numbers, at)
    }

    /// Goes on if `when` is 0.
    pub fn unless(&mut self, when: Value, unusual: Block) {
        let usual = self.builder.create_block();
        self.builder.ins().brif(when, unusual, &[], usual, &[]);
        self.builder.switch_to_block(usual);
    }

    pub fn set(&mut self, slot: VariableSlot, value: Value) {
        let (at, null_at) = (self.number(slot, VALUE_AT), self.number(slot, NULL_AT));
        let zero = self.builder.ins().iconst(ir::I8, 0);
        self.builder.ins().store(plain(), value, self.numbers, at);
        self.builder.ins().store(plain(), zero, self.numbers, null_at);
    }

    pub fn set_null(&mut self, slot: VariableSlot, null: Value) {
        let at = self.number(slot, NULL_AT);
        self.builder.ins().store(plain(), null, self.numbers, at);
    }

    /// A column of the row: whether it is NULL, and its value, which is 0 then.
    pub fn column(&mut self, column: usize) -> (Value, Value) {
        let (row, fields) = self.row.as_ref().expect("an expression over a row");
        let (row, field) = (*row, fields[column].expect("a column with a place"));
        let byte = self.builder.ins().load(ir::I8, packed(), row, field.null_at as i32);
        let null = self.builder.ins().ushr_imm_u(byte, i64::from(field.null_bit));
        let null = self.builder.ins().band_imm_u(null, 1);
        let at = field.at as i32;
        let ins = self.builder.ins();
        let value = match field.bytes {
            1 => ins.uload8(ir::I64, packed(), row, at),
            2 => ins.sload16(ir::I64, packed(), row, at),
            4 => ins.sload32(packed(), row, at),
            _ => ins.load(ir::I64, packed(), row, at),
        };
        (null, value)
    }

    /// Writes a number in so many bytes.
    pub fn store(&mut self, value: Value, bytes: u8, image: Value, at: usize) {
        let value = match bytes {
            8 => value,
            bytes => {
                let narrow = Type::int(8 * u16::from(bytes)).expect("a width of integers");
                self.builder.ins().ireduce(narrow, value)
            }
        };
        self.builder.ins().store(packed(), value, image, at as i32);
    }

    /// Gives a column of the row a value.
    pub fn set_column(&mut self, field: Field, value: Value) {
        let (row, _) = self.row.as_ref().expect("a row to write to");
        let row = *row;
        self.store(value, field.bytes, row, field.at as usize);
        let byte = self.builder.ins().load(ir::I8, packed(), row, field.null_at as i32);
        let byte = self.builder.ins().band_imm_s(byte, !(1 << field.null_bit));
        self.builder.ins().store(packed(), byte, row, field.null_at as i32);
    }

    /// Of an expression that `has_value`: an i64.
    pub fn value(&mut self, expr: &Expr, unusual: Block) -> Value {
        match &expr.kind {
            ExprKind::Literal(Datum::I64(value)) => self.builder.ins().iconst(ir::I64, *value),
            ExprKind::Variable(slot) => {
                let null = self.is_null(*slot);
                self.unless(null, unusual);
                let at = self.number(*slot, VALUE_AT);
                self.builder.ins().load(ir::I64, plain(), self.numbers, at)
            }
            ExprKind::Column(column) => {
                let (null, value) = self.column(*column);
                self.unless(null, unusual);
                value
            }
            ExprKind::Negate(operand) => {
                let operand = self.value(operand, unusual);
                let zero = self.builder.ins().iconst(ir::I64, 0);
                self.arithmetic(ArithmeticOp::Subtract, zero, operand, expr.ty.kind, unusual)
            }
            ExprKind::Arithmetic(op, left, right) => {
                let left = self.value(left, unusual);
                let right = self.value(right, unusual);
                self.arithmetic(*op, left, right, expr.ty.kind, unusual)
            }
            ExprKind::Convert { value, .. } => {
                let (from, to) = (range(value.ty.kind), range(expr.ty.kind));
                let value = self.value(value, unusual);
                if from.0 < to.0 || from.1 > to.1 {
                    self.check_range(value, to, unusual);
                }
                value
            }
            ExprKind::Case { branches, otherwise: Some(otherwise) } => {
                let end = self.builder.create_block();
                let result = self.builder.append_block_param(end, ir::I64);
                for (when, then) in branches {
                    let (yes, no) = (self.builder.create_block(), self.builder.create_block());
                    self.branch(when, yes, no, unusual);
                    self.builder.switch_to_block(yes);
                    let value = self.value(then, unusual);
                    self.builder.ins().jump(end, &[value.into()]);
                    self.builder.switch_to_block(no);
                }
                let value = self.value(otherwise, unusual);
                self.builder.ins().jump(end, &[value.into()]);
                self.builder.switch_to_block(end);
                result
            }
            other => panic!("no machine code for {other:?}"),
        }
    }

    fn check_range(&mut self, value: Value, (min, max): (i64, i64), unusual: Block) {
        let above = self.builder.ins().iadd_imm_s(value, min.wrapping_neg());
        let width = max.wrapping_sub(min);
        let outside = self.builder.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, above, width);
        self.unless(outside, unusual);
    }

    fn arithmetic(&mut self, op: ArithmeticOp, left: Value, right: Value, kind: TypeKind, unusual: Block) -> Value {
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
                    ArithmeticOp::Divide => self.builder.ins().sdiv(left, right),
                    _ => self.builder.ins().srem(left, right),
                };
            }
        };
        match kind {
            TypeKind::BigInt => self.unless(overflow, unusual),
            // Operands of fewer bits: 64 hold the result.
            kind => self.check_range(value, range(kind), unusual),
        }
        value
    }

    /// Goes to `yes` if a predicate that `has_truth` holds, to `no` if not.
    pub fn branch(&mut self, expr: &Expr, yes: Block, no: Block, unusual: Block) {
        match &expr.kind {
            ExprKind::And(terms) => {
                for term in terms {
                    let next = self.builder.create_block();
                    self.branch(term, next, no, unusual);
                    self.builder.switch_to_block(next);
                }
                self.builder.ins().jump(yes, &[]);
            }
            ExprKind::Or(terms) => {
                for term in terms {
                    let next = self.builder.create_block();
                    self.branch(term, yes, next, unusual);
                    self.builder.switch_to_block(next);
                }
                self.builder.ins().jump(no, &[]);
            }
            ExprKind::Not(operand) => self.branch(operand, no, yes, unusual),
            ExprKind::IsNull(operand) => {
                let ExprKind::Variable(slot) = operand.kind else {
                    panic!("no machine code for IS NULL of {operand:?}")
                };
                let null = self.is_null(slot);
                self.builder.ins().brif(null, yes, &[], no, &[]);
            }
            ExprKind::Compare { op, left, right, .. } => {
                let left = self.value(left, unusual);
                let right = self.value(right, unusual);
                let code = match op {
                    CompareOp::Equal => IntCC::Equal,
                    CompareOp::NotEqual => IntCC::NotEqual,
                    CompareOp::Less => IntCC::SignedLessThan,
                    CompareOp::LessOrEqual => IntCC::SignedLessThanOrEqual,
                    CompareOp::Greater => IntCC::SignedGreaterThan,
                    CompareOp::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
                };
                let holds = self.builder.ins().icmp(code, left, right);
                self.builder.ins().brif(holds, yes, &[], no, &[]);
            }
            other => panic!("no machine code for {other:?}"),
        }
    }
}
