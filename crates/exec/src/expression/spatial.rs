//! Methods and properties of geometry and geography.

use std::borrow::Cow;

use spatial::call::{self, Answer, Given};
use spatial::codec;
use spatial::method::{Signature, Take};
use spatial::world::World;
use sql::function::FunctionId;
use types::pause::Pacer;
use types::{Datum, SqlResult, SqlType, convert, long, sql_error};

use super::Scalar;
use crate::context::Context;
use crate::kernel;
use crate::value::{Row, Value};
use crate::workspace::Held;

/// A call, ready to run.
pub struct SpatialCall {
    function: FunctionId,
    world: World,
    signature: &'static Signature,
    target: Option<Scalar>,
    arguments: Box<[Scalar]>,
    ty: SqlType,
}

impl SpatialCall {
    /// `arguments` as `sql::bind::spatial` puts them.
    pub fn new(function: FunctionId, arguments: Vec<Scalar>, ty: SqlType) -> SpatialCall {
        let mut arguments = arguments.into_iter();
        let number = match arguments.next().and_then(|number| number.as_constant()) {
            Some(Datum::I64(number)) => number as i32,
            other => panic!("the number of a method is a constant, found {other:?}"),
        };
        let signature = Signature::of_number(number / 2);
        let world = if number % 2 == 1 { World::Globe } else { World::Plane };
        let target = if signature.is_static() { None } else { arguments.next() };
        SpatialCall { function, world, signature, target, arguments: arguments.collect(), ty }
    }

    pub fn eval<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        let receiver = match &self.target {
            Some(target) => target.value(context, row)?.bytes(),
            None => None,
        };
        if self.function == FunctionId::SpatialChange {
            return self.changed(context, row, receiver.as_deref());
        }
        let mut given = Vec::with_capacity(self.arguments.len());
        for (argument, take) in self.arguments.iter().zip(self.signature.takes) {
            given.push(self.given(argument, *take, context, row)?);
        }
        let (world, signature) = (self.world, self.signature);
        let room = call::room(receiver.as_deref(), &given);
        let answer = if room < long::LONG {
            call::call(world, signature, receiver.as_deref(), &given, &mut context.pacer())?
        } else {
            let mut held = Held::default();
            context.force(&mut held, room)?;
            let receiver = receiver.map(|receiver| context.own(receiver)).transpose()?;
            context.away(room, move |pacer| call::call(world, signature, receiver.as_deref(), &given, pacer))?
        };
        Ok(match answer {
            Answer::Null => Value::Null,
            Answer::Int(value) => Value::I64(value),
            Answer::Float(value) => Value::F64(value),
            Answer::Bytes(bytes) => Value::owned(bytes),
            Answer::Text(text) => {
                let wide = if self.ty.is_unicode_string() { self.ty } else { SqlType::NVARCHAR_MAX };
                Value::from_owned(convert::text_datum_paced(&text, &wide, &mut context.pacer())?)
            }
        })
    }

    fn given(&self, argument: &Scalar, take: Take, context: &Context, row: Row<'_>) -> SqlResult<Given> {
        Ok(match argument.value(context, row)? {
            Value::Null => Given::Null,
            Value::I64(value) => Given::Int(value),
            Value::F64(value) => Given::Float(value),
            Value::Bytes(bytes) if matches!(take, Take::Text | Take::Xml) => {
                let ty = if take == Take::Xml { SqlType::NVARCHAR_MAX } else { argument.ty };
                Given::Text(convert::text_of_paced(&bytes, &ty, &mut context.pacer())?)
            }
            Value::Bytes(bytes) => Given::Bytes(bytes.into_owned()),
            other => panic!("no method takes {other:?}"),
        })
    }

    /// The value with another SRID. Error 5302: it is NULL.
    fn changed(&self, context: &Context, row: Row<'_>, receiver: Option<&[u8]>) -> SqlResult<Value<'static>> {
        let shown = match self.arguments[1].value(context, row)?.bytes() {
            Some(text) => kernel::text(&self.arguments[1].ty, &text),
            None => String::new(),
        };
        let Some(bytes) = receiver else { return Err(sql_error!(5302, self.signature.name, shown)) };
        match self.arguments[0].value(context, row)?.i64() {
            None => Err(sql_error!(6569, self.signature.name, 1)),
            Some(srid) => call::with_srid(self.world, bytes, srid as i32).map(Value::owned),
        }
    }
}

/// What an aggregate makes of a group's values.
pub fn aggregated(context: &Context, ty: &SqlType, method: i32, values: &[Box<[u8]>]) -> SqlResult<Datum> {
    let world = World::of(ty.kind).expect("an aggregate of shapes");
    let method = Signature::of_number(method).method;
    let room = values.iter().map(|value| call::room(Some(value), &[])).sum();
    let made = move |values: &[Box<[u8]>], pacer: &mut Pacer<'_>| {
        let shapes = values.iter().map(|value| codec::decode(world, value, pacer)).collect::<SqlResult<Vec<_>>>()?;
        call::aggregate(world, method, &shapes, pacer)
    };
    let made = if room < long::LONG {
        made(values, &mut context.pacer())?
    } else {
        let mut held = Held::default();
        context.force(&mut held, room)?;
        let mut own = Vec::with_capacity(values.len());
        for value in values {
            own.push(context.own(Cow::Borrowed(value))?.into_boxed_slice());
        }
        context.away(room, move |pacer| made(&own, pacer))?
    };
    Ok(made.map_or(Datum::Null, |bytes| Datum::Bytes(bytes.into())))
}
