//! Nodes that mix classes: CASE, functions, conversions, subqueries, globals. They give a `Value` of their type's class.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use sql::catalog::{ModuleDef, ObjectId, SequenceDef};
use sql::plan::Global;
use types::{Datum, SqlResult, SqlType};

use super::Scalar;
use super::integer::{I64Expr, holds};
use super::mask::MaskNode;
use super::regexp::RegexpCall;
use super::spatial::SpatialCall;
use super::subquery::SubqueryState;
use super::xml::XmlCall;
use crate::context::Context;
use crate::kernel;
use crate::value::{Row, Value};

pub enum General {
    Case {
        branches: Box<[(I64Expr, Scalar)]>,
        otherwise: Option<Scalar>,
    },
    Call(Call),
    Convert(Conversion),
    Subquery(RefCell<SubqueryState>),
    Global(Global, SqlType),
    UserFunction {
        definition: Arc<ModuleDef>,
        arguments: Box<[Scalar]>,
        ty: SqlType,
    },
    NextValueFor(Arc<SequenceDef>),
    Mask(Box<MaskNode>),
    Xml(Box<XmlCall>),
    Regexp(Box<RegexpCall>),
    Spatial(Box<SpatialCall>),
    /// RAND(): one value for all rows of a query. `Context::execution` and the value.
    Rand(Cell<(u64, f64)>),
    /// Computed for the first row of an execution, the same for all others.
    Same(Box<Same>),
}

pub struct Same {
    pub value: Scalar,
    /// `Context::execution` and what it came to.
    pub kept: RefCell<(u64, Datum)>,
}

/// A built-in function and its arguments.
pub struct Call {
    pub ty: SqlType,
    pub function: Function,
    pub id: sql::function::FunctionId,
    pub arguments: Box<[Scalar]>,
    /// Of a date: what the first argument names.
    pub part: Option<types::datetime::part::Part>,
}

/// Computes a built-in from its call node; it evaluates the arguments it needs.
pub type Function = for<'a> fn(&'a Call, &'a Context<'_>, Row<'a>) -> SqlResult<Value<'a>>;

pub struct Conversion {
    pub value: Scalar,
    pub to: SqlType,
    pub style: Option<Scalar>,
    pub attempt: bool,
    pub explicit: bool,
}

impl General {
    /// No row changes what it gives.
    pub fn is_same(&self) -> bool {
        matches!(self, General::Same(_))
    }

    pub fn eval<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        match self {
            General::Case { branches, otherwise } => {
                for (condition, result) in branches {
                    if holds(condition.eval(context, row)?) {
                        return result.value(context, row);
                    }
                }
                otherwise.as_ref().map_or(Ok(Value::Null), |result| result.value(context, row))
            }
            General::Call(call) => {
                let value = (call.function)(call, context, row);
                value.or_else(|error| context.uncomputed(error).map(|none| none.unwrap_or(Value::Null)))
            }
            General::Convert(conversion) => conversion.eval(context, row),
            General::Subquery(state) => {
                let answer = state.borrow_mut().eval(context, row)?;
                Ok(Value::from_owned(answer))
            }
            General::Global(global, ty) => super::functions::global(context, *global, ty).map(Value::from_owned),
            General::UserFunction { definition, arguments, ty } => {
                let arguments = arguments
                    .iter()
                    .map(|argument| Ok((argument.ty, argument.datum(context, row)?)))
                    .collect::<SqlResult<Vec<_>>>()?;
                if definition.null_on_null && arguments.iter().any(|(_, value)| value.is_null()) {
                    return Ok(Value::Null);
                }
                (context.interpreter.scalar_function)(context, definition, arguments, ty).map(Value::from_owned)
            }
            General::NextValueFor(sequence) => next_value(context, sequence).map(Value::from_owned),
            General::Xml(call) => call.eval(context, row),
            General::Regexp(call) => call.eval(context, row),
            General::Spatial(call) => call.eval(context, row),
            General::Mask(mask) => mask.eval(context, row),
            General::Rand(kept) => {
                let execution = context.execution.get();
                if execution == 0 || kept.get().0 != execution {
                    kept.set((execution, super::functions::next_random(context)));
                }
                Ok(Value::F64(kept.get().1))
            }
            General::Same(same) => same.eval(context, row),
        }
    }
}

impl Same {
    fn eval<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        let execution = context.execution.get();
        let mut kept = self.kept.borrow_mut();
        if execution == 0 || kept.0 != execution {
            *kept = (execution, self.value.datum(context, row)?);
        }
        Ok(Value::from_owned(context.copy_of(&kept.1)?))
    }
}

impl Conversion {
    fn eval<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        let style = match &self.style {
            None => None,
            Some(style) => match style.i64(context, row)? {
                None => return Ok(Value::Null),
                Some(style) => Some(style as i32),
            },
        };
        let value = match self.value.value(context, row) {
            Err(error) if self.attempt && kernel::is_conversion_error(&error) => return Ok(Value::Null),
            value => value?,
        };
        if value.is_null() {
            return Ok(Value::Null);
        }
        match kernel::convert(context, value, &self.value.ty, &self.to, style, self.explicit) {
            Err(error) if self.attempt && kernel::is_conversion_error(&error) => Ok(Value::Null),
            Err(error) => context.uncomputed(error).map(|none| none.unwrap_or(Value::Null)),
            value => value,
        }
    }
}

/// NEXT VALUE FOR.
fn next_value(context: &Context, sequence: &SequenceDef) -> SqlResult<Datum> {
    let known = |drawn: &Vec<(ObjectId, Datum)>| {
        drawn.iter().find(|(of, _)| *of == sequence.object).map(|(_, value)| value.clone())
    };
    if let Some(value) = context.drawn.borrow().as_ref().and_then(known) {
        return Ok(value);
    }
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    let value = runtime.host.sequence_next(runtime.session, sequence)?;
    if let Some(drawn) = &mut *context.drawn.borrow_mut() {
        drawn.push((sequence.object, value.clone()));
    }
    Ok(value)
}
