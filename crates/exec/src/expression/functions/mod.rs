//! The built-in functions: one file a group, one table from name to computation. The binder has given the arguments their types.

mod checksum;
mod compression;
mod binary;
mod culture;
mod datetime;
mod distance;
mod format;
mod parse;
mod json;
mod isnumeric;
mod logic;
mod math;
mod hierarchy;
mod session;
mod text;

pub use datetime::arithmetic as datetime_arithmetic;
pub use json::{escape as escape_json, push_value as push_json};
pub use math::next_random;
pub use session::{global, session_number};

use std::borrow::Cow;
use std::cell::Cell;

use sql::function::FunctionId;
use types::{SqlResult, SqlType};

use super::Scalar;
use super::general::{Call, Function, General};
use super::regexp::RegexpCall;
use super::spatial::SpatialCall;
use super::xml::{self, XmlCall};
use crate::context::Context;
use crate::value::{Row, Value};

/// A call of a built-in, ready to run.
pub fn call(id: FunctionId, arguments: Vec<Scalar>, ty: SqlType) -> SqlResult<Scalar> {
    if id == FunctionId::Rand && arguments.is_empty() {
        return Ok(Scalar::general(ty, General::Rand(Cell::new((0, 0.0)))));
    }
    if matches!(id, FunctionId::Spatial | FunctionId::SpatialChange) {
        return Ok(Scalar::general(ty, General::Spatial(Box::new(SpatialCall::new(id, arguments, ty)))));
    }
    if let Some(method) = xml::method_of(id) {
        return Ok(Scalar::general(ty, General::Xml(Box::new(XmlCall::new(id, method, arguments, ty)?))));
    }
    if matches!(
        id,
        FunctionId::RegexpLike
            | FunctionId::RegexpReplace
            | FunctionId::RegexpSubstr
            | FunctionId::RegexpInstr
            | FunctionId::RegexpCount
    ) {
        return Ok(Scalar::general(ty, General::Regexp(Box::new(RegexpCall::new(id, arguments, ty)))));
    }
    let found = math::find(id)
        .or_else(|| text::find(id))
        .or_else(|| distance::find(id))
        .or_else(|| datetime::find(id))
        .or_else(|| logic::find(id))
        .or_else(|| json::find(id))
        .or_else(|| binary::find(id))
        .or_else(|| hierarchy::find(id))
        .or_else(|| session::find(id));
    let function: Function = found.unwrap_or(host_function);
    let part = datetime::named_by(id, &arguments);
    Ok(Scalar::general(ty, General::Call(Call { ty, function, id, arguments: arguments.into(), part })))
}

/// What only the server can answer.
fn host_function<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let arguments = call
        .arguments
        .iter()
        .map(|argument| Ok((argument.ty, argument.datum(context, row)?)))
        .collect::<SqlResult<Vec<_>>>()?;
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    runtime.host.session_function(runtime.session, call.id, &arguments, &call.ty).map(Value::from_owned)
}

impl Call {
    pub fn value<'a>(&'a self, at: usize, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        self.arguments[at].value(context, row)
    }

    /// Panics if the argument is of another class, as the next two do.
    pub fn i64(&self, at: usize, context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
        Ok(self.arguments[at].value(context, row)?.i64())
    }

    pub fn f64(&self, at: usize, context: &Context, row: Row<'_>) -> SqlResult<Option<f64>> {
        Ok(self.arguments[at].value(context, row)?.f64())
    }

    pub fn bytes<'a>(&'a self, at: usize, context: &'a Context, row: Row<'a>) -> SqlResult<Option<Cow<'a, [u8]>>> {
        Ok(self.arguments[at].value(context, row)?.bytes())
    }

    /// A string argument as text.
    pub fn text(&self, at: usize, context: &Context, row: Row<'_>) -> SqlResult<Option<String>> {
        let ty = &self.arguments[at].ty;
        let Some(bytes) = self.bytes(at, context, row)? else { return Ok(None) };
        types::convert::text_of_paced(&bytes, ty, &mut context.pacer()).map(Some)
    }

    /// A text as the call's result, cut to its type.
    pub fn result_text(&self, text: &str) -> Value<'static> {
        Value::from_owned(crate::kernel::text_datum(text, &self.ty))
    }

    /// `result_text` of a text that may be long.
    pub fn long_text(&self, text: &str, context: &Context) -> SqlResult<Value<'static>> {
        types::convert::text_datum_paced(text, &self.ty, &mut context.pacer()).map(Value::from_owned)
    }

    /// Bytes in the result's own encoding, cut to its type.
    pub fn result_bytes(&self, mut bytes: Vec<u8>) -> Value<'static> {
        if !self.ty.is_max() {
            bytes.truncate(self.ty.length as usize);
        }
        Value::owned(bytes)
    }
}

/// The argument's value, or NULL as the function's result.
macro_rules! given {
    ($value:expr) => {
        match $value? {
            Some(value) => value,
            None => return Ok(crate::value::Value::Null),
        }
    };
}
pub(super) use given;
