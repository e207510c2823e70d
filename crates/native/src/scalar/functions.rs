//! Built-in functions of numbers.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, Value, types as ir};
use sql::function::FunctionId;
use sql::plan::Expr;
use types::SqlType;

use super::{Scalars, is_decimal, is_float, is_integer, is_number, range};

/// There is machine code for a function's value, which is of type `ty`, if there is a `value` of all arguments that it has.
pub fn has_function(function: FunctionId, arguments: &[Expr], ty: &SqlType, value: &dyn Fn(&Expr) -> bool) -> bool {
    use FunctionId::{Abs, Ceiling, Coalesce, Floor, Isnull, Sign, Sqrt};
    match (function, arguments) {
        (Abs, [argument]) if is_decimal(ty) => {
            is_decimal(&argument.ty) && argument.ty.scale == ty.scale && value(argument)
        }
        (Abs | Floor | Ceiling | Sqrt, [argument]) if is_float(ty) => argument.ty == *ty && value(argument),
        (Abs | Sign | Floor | Ceiling, [argument]) => is_integer(ty) && is_integer(&argument.ty) && value(argument),
        // The binder has made them of one type.
        (Isnull | Coalesce, arguments) => {
            is_number(ty) && arguments.iter().all(|argument| argument.ty == *ty && value(argument))
        }
        _ => false,
    }
}

impl Scalars<'_, '_> {
    pub fn built_in(
        &mut self,
        function: FunctionId,
        arguments: &[Expr],
        ty: &SqlType,
        unusual: Block,
    ) -> (Value, Option<Value>) {
        if let FunctionId::Isnull | FunctionId::Coalesce = function {
            return self.first_known(arguments, unusual);
        }
        let (value, null) = self.value_or_null(&arguments[0], unusual);
        if is_float(ty) {
            return (self.of_float(function, value, unusual), null);
        }
        let value = match function {
            FunctionId::Abs => {
                let magnitude = self.builder.ins().iabs(value);
                // Of the least of all numbers there is none.
                let overflow = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, magnitude, 0);
                self.unless(overflow, unusual);
                if is_integer(ty) {
                    self.check_range(magnitude, range(ty.kind), unusual);
                }
                magnitude
            }
            FunctionId::Sign => {
                let (one, minus_one) = (self.builder.ins().iconst(ir::I64, 1), self.builder.ins().iconst(ir::I64, -1));
                let most = self.builder.ins().smin(value, one);
                self.builder.ins().smax(most, minus_one)
            }
            _ => value,
        };
        (value, null)
    }

    fn of_float(&mut self, function: FunctionId, value: Value, unusual: Block) -> Value {
        let double = self.double(value);
        let result = match function {
            FunctionId::Abs => self.builder.ins().fabs(double),
            FunctionId::Floor => self.builder.ins().floor(double),
            FunctionId::Ceiling => self.builder.ins().ceil(double),
            _ => {
                let zero = self.builder.ins().f64const(0.0);
                let negative = self.builder.ins().fcmp(FloatCC::LessThan, double, zero);
                self.unless(negative, unusual);
                self.builder.ins().sqrt(double)
            }
        };
        self.bits(result)
    }

    /// The first that is not NULL. All are computed: whether an error of a later one counts is the interpreter's to say.
    fn first_known(&mut self, arguments: &[Expr], unusual: Block) -> (Value, Option<Value>) {
        let values: Vec<_> = arguments.iter().map(|argument| self.value_or_null(argument, unusual)).collect();
        let mut all = values.into_iter().rev();
        let (mut value, mut null) = all.next().expect("an argument");
        for (before, before_null) in all {
            let Some(before_null) = before_null else {
                (value, null) = (before, None);
                continue;
            };
            value = self.builder.ins().select(before_null, value, before);
            null = null.map(|null| self.builder.ins().band(before_null, null));
        }
        (value, null)
    }
}
