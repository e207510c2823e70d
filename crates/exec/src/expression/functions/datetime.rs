//! Date and time. The clock gives one answer a statement.

use sql::function::FunctionId;
use sql::plan::ArithmeticOp;
use types::datetime::part::{self, Part};
use types::datetime::zone::Zone;
use types::datetime::{Moment, parse};
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::given;
use crate::context::Context;
use crate::expression::Scalar;
use crate::expression::general::{Call, Function, General};
use crate::kernel;
use crate::value::{Row, Value};

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        CurrentTimestamp | Getdate | Getutcdate | Sysdatetime | Sysdatetimeoffset | Sysutcdatetime => now,
        Dateadd => dateadd,
        Datediff | DatediffBig => datediff,
        Datefromparts
        | Datetime2fromparts
        | Datetimefromparts
        | Datetimeoffsetfromparts
        | Smalldatetimefromparts
        | Timefromparts => from_parts,
        Datename => datename,
        Datepart => datepart,
        Datetrunc => datetrunc,
        DateBucket => date_bucket,
        Day | Month | Year => named_part,
        Eomonth => eomonth,
        Isdate => isdate,
        Switchoffset | Todatetimeoffset => offset,
        AtTimeZone => at_time_zone,
        CurrentTimezoneId => |call, _, _| Ok(call.result_text("UTC")),
        CurrentTimezone => |call, _, _| Ok(call.result_text("(UTC) Coordinated Universal Time")),
        _ => return None,
    })
}

/// The statement's UTC time, 100 ns since 0001-01-01.
pub fn statement_ticks(context: &Context) -> i64 {
    if context.statement_time.get() == 0 {
        context.statement_time.set(os::clock::utc_ticks() as i64);
    }
    context.statement_time.get()
}

fn now<'a>(call: &'a Call, context: &'a Context, _row: Row<'a>) -> SqlResult<Value<'a>> {
    use FunctionId::*;
    let utc = statement_ticks(context);
    let minutes = os::clock::local_offset_minutes();
    if call.id == Sysdatetimeoffset {
        return Ok(Value::from_owned(types::datetime::moment::offset_value(utc, minutes as i16)));
    }
    let local = matches!(call.id, CurrentTimestamp | Getdate | Sysdatetime);
    let ticks = if local { utc + minutes as i64 * 600_000_000 } else { utc };
    let moment = Moment::from_i64(TypeKind::DateTime2, ticks);
    let value = moment.to(&call.ty).expect("today is within every date type");
    Ok(Value::from_owned(value))
}

/// Which part a function is asked for by its first argument, if that is the same for all rows. A wrong one is refused when a row comes.
pub fn named_by(id: FunctionId, arguments: &[Scalar]) -> Option<Part> {
    use FunctionId::*;
    if !matches!(id, Dateadd | Datediff | DatediffBig | Datename | Datepart | Datetrunc | DateBucket) {
        return None;
    }
    let Some(Datum::Bytes(name)) = arguments[0].as_constant() else { return None };
    Part::from_name(&types::convert::text_of(&name, &arguments[0].ty))
}

fn part_of(call: &Call, context: &Context, row: Row<'_>) -> SqlResult<Part> {
    if let Some(part) = call.part {
        return Ok(part);
    }
    let name = call.text(0, context, row)?.unwrap_or_default();
    Part::from_name(&name).ok_or_else(|| {
        let function = call.id.name().to_ascii_lowercase();
        sql_error!(155, name, function)
    })
}

fn dateadd<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let part = part_of(call, context, row)?;
    let number = given!(call.i64(1, context, row));
    let value = call.arguments[2].datum(context, row)?;
    if value.is_null() {
        return Ok(Value::Null);
    }
    part::dateadd(part, number, &call.arguments[2].ty, &value).map(Value::from_owned)
}

fn datediff<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let part = part_of(call, context, row)?;
    let (from, to) = (call.arguments[1].datum(context, row)?, call.arguments[2].datum(context, row)?);
    if from.is_null() || to.is_null() {
        return Ok(Value::Null);
    }
    let (from, to) = ((&call.arguments[1].ty, &from), (&call.arguments[2].ty, &to));
    Ok(Value::I64(match call.id {
        FunctionId::Datediff => part::datediff(part, from, to)? as i64,
        _ => part::datediff_big(part, from, to)?,
    }))
}

fn date_first(context: &Context) -> u8 {
    context.session(|session| session.options.date_first)
}

fn datepart<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let part = part_of(call, context, row)?;
    let value = call.arguments[1].datum(context, row)?;
    if value.is_null() {
        return Ok(Value::Null);
    }
    Ok(Value::I64(part::datepart(part, &call.arguments[1].ty, &value, date_first(context))? as i64))
}

fn named_part<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let part = match call.id {
        FunctionId::Day => Part::Day,
        FunctionId::Month => Part::Month,
        _ => Part::Year,
    };
    let value = call.arguments[0].datum(context, row)?;
    if value.is_null() {
        return Ok(Value::Null);
    }
    Ok(Value::I64(part::datepart(part, &call.arguments[0].ty, &value, 7)? as i64))
}

fn datename<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let part = part_of(call, context, row)?;
    let value = call.arguments[1].datum(context, row)?;
    if value.is_null() {
        return Ok(Value::Null);
    }
    let language = context.session(|session| session.options.language);
    Ok(call.result_text(&part::datename(part, &call.arguments[1].ty, &value, date_first(context), language)?))
}

fn datetrunc<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let part = part_of(call, context, row)?;
    let value = call.arguments[1].datum(context, row)?;
    if value.is_null() {
        return Ok(Value::Null);
    }
    part::datetrunc(part, &call.arguments[1].ty, &value, date_first(context)).map(Value::from_owned)
}

/// The beginning of the bucket of `number` parts, counted from the origin, that the value lies in.
fn date_bucket<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let part = part_of(call, context, row)?;
    let number = given!(call.i64(1, context, row));
    let ty = call.arguments[2].ty;
    let value = call.arguments[2].datum(context, row)?;
    if value.is_null() {
        return Ok(Value::Null);
    }
    if !is_bucketed(part) {
        return Err(sql_error!(9810, part.name(), "Date_Bucket", ty.name()));
    }
    if number <= 0 {
        return Err(sql_error!(9834));
    }
    let given = match call.arguments.len() {
        4 => call.arguments[3].datum(context, row)?,
        _ => Datum::Null,
    };
    let origin = match given {
        Datum::Null => {
            let first = part::from_parts(&SqlType::datetime2(7), [1900, 1, 1], [0; 4], [0; 2])?;
            types::convert::convert(
                &first,
                &SqlType::datetime2(7),
                &ty,
                types::convert::NO_STYLE,
                &types::convert::ConvertContext::CAST,
            )?
        }
        given => given,
    };
    if ty.kind != TypeKind::Time {
        return bucket(part, number, &ty, &value, &origin).map(Value::from_owned);
    }
    // A time goes around at midnight: buckets are counted with a date, of which the time is left.
    let dated = SqlType::datetime2(ty.scale);
    let as_type = |value: &Datum, from: &SqlType, to: &SqlType| {
        types::convert::convert(value, from, to, types::convert::NO_STYLE, &types::convert::ConvertContext::CAST)
    };
    let (value, origin) = (as_type(&value, &ty, &dated)?, as_type(&origin, &ty, &dated)?);
    let start = bucket(part, number, &dated, &value, &origin)?;
    as_type(&start, &dated, &ty).map(Value::from_owned)
}

/// https://learn.microsoft.com/sql/t-sql/functions/date-bucket-transact-sql
fn is_bucketed(part: Part) -> bool {
    use Part::{Day, Hour, Millisecond, Minute, Month, Quarter, Second, Week, Year};
    matches!(part, Year | Quarter | Month | Week | Day | Hour | Minute | Second | Millisecond)
}

/// 9835: no value of the type. Where the bucket of `number` parts begins that `value` is in, the first of them at `origin`.
fn bucket(part: Part, number: i64, ty: &SqlType, value: &Datum, origin: &Datum) -> SqlResult<Datum> {
    let apart = part::datediff_big(part, (ty, origin), (ty, value))?;
    let mut buckets = apart.div_euclid(number);
    loop {
        let start = part::dateadd(part, buckets.saturating_mul(number), ty, origin);
        let start = start.map_err(|_| sql_error!(9835, ty.name()))?;
        // DATEDIFF counts boundaries, so the bucket may begin after the value.
        if types::compare::compare(&start, value, ty) != std::cmp::Ordering::Greater {
            return Ok(start);
        }
        buckets -= 1;
    }
}

fn from_parts<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    use FunctionId::*;
    let mut parts = [0; 10];
    for (at, part) in parts.iter_mut().enumerate().take(call.arguments.len()) {
        *part = given!(call.i64(at, context, row));
    }
    let [a, b, c, d, e, f, g, h, i, _] = parts;
    let (date, time, offset) = match call.id {
        Datefromparts => ([a, b, c], [0; 4], [0; 2]),
        Timefromparts => ([1, 1, 1], [a, b, c, d], [0; 2]),
        Datetimeoffsetfromparts => ([a, b, c], [d, e, f, g], [h, i]),
        Smalldatetimefromparts => ([a, b, c], [d, e, 0, 0], [0; 2]),
        _ => ([a, b, c], [d, e, f, g], [0; 2]),
    };
    part::from_parts(&call.ty, date, time, offset).map(Value::from_owned)
}

fn eomonth<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = call.arguments[0].datum(context, row)?;
    let months = match call.arguments.len() {
        2 => call.i64(1, context, row)?.unwrap_or(0),
        _ => 0,
    };
    if value.is_null() {
        return Ok(Value::Null);
    }
    match Moment::of(&call.arguments[0].ty, value.as_ref()).to(&SqlType::DATE) {
        Some(Datum::I64(days)) => part::eomonth(days, months).map(Value::from_owned),
        _ => Ok(Value::Null),
    }
}

/// Characters of a text that ISDATE reads.
const LONGEST_DATE: usize = 4000;

fn isdate<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = call.value(0, context, row)?;
    if value.is_null() {
        return Ok(Value::I64(0));
    }
    let ty = &call.arguments[0].ty;
    if !ty.is_string() {
        return Ok(Value::I64(0));
    }
    if let Value::Bytes(bytes) = &value {
        let length = if ty.is_unicode_string() { bytes.len() / 2 } else { bytes.len() };
        if length > 2 * LONGEST_DATE || ty.is_unicode_string() && length > LONGEST_DATE {
            return Err(sql_error!(8152, state 10));
        }
        if length > LONGEST_DATE {
            return Err(sql_error!(8152, state 4));
        }
    }
    // Blanks are a moment to CAST, but none here.
    if matches!(&value, Value::Bytes(bytes) if bytes.iter().all(|byte| matches!(byte, b' ' | 0))) {
        return Ok(Value::I64(0));
    }
    let converted = kernel::convert(context, value, &call.arguments[0].ty, &SqlType::DATETIME, None, true);
    match converted {
        Ok(_) => Ok(Value::I64(1)),
        Err(error) if kernel::is_conversion_error(&error) => Ok(Value::I64(0)),
        Err(error) => Err(error),
    }
}

/// `+05:30`, or minutes.
fn offset_minutes(call: &Call, at: usize, context: &Context, row: Row<'_>) -> SqlResult<Option<i16>> {
    let ty = call.arguments[at].ty;
    Ok(match call.value(at, context, row)? {
        Value::Null => None,
        Value::I64(minutes) => {
            Some(i16::try_from(minutes).ok().filter(|m| m.abs() <= 840).ok_or_else(|| bad_offset(call))?)
        }
        Value::Bytes(bytes) => Some(parse::parse_offset(&kernel::text(&ty, &bytes)).ok_or_else(|| bad_offset(call))?),
        other => panic!("an offset of {other:?}"),
    })
}

#[cold]
fn bad_offset(call: &Call) -> SqlError {
    let name = call.id.name().to_ascii_lowercase();
    sql_error!(9812, name)
}

fn offset<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let ty = call.arguments[0].ty;
    let value = call.arguments[0].datum(context, row)?;
    let minutes = given!(offset_minutes(call, 1, context, row));
    if value.is_null() {
        return Ok(Value::Null);
    }
    let moved = if call.id == FunctionId::Switchoffset {
        part::switch_offset(&ty, &value, minutes)
    } else {
        part::to_datetimeoffset(&ty, &value, minutes, call.ty.scale)
    };
    moved.map(Value::from_owned).ok_or_else(|| bad_offset(call))
}

/// A value with an offset is shown as the zone's clocks show it; one without is taken as the zone's local time.
fn at_time_zone<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let ty = call.arguments[0].ty;
    let value = call.arguments[0].datum(context, row)?;
    let name = given!(call.text(1, context, row));
    let zone = Zone::find(name.trim_end_matches(' ')).ok_or_else(|| sql_error!(9820, name))?;
    if value.is_null() {
        return Ok(Value::Null);
    }
    let moment = Moment::of(&ty, value.as_ref());
    let moved = if ty.kind == TypeKind::DateTimeOffset {
        let (offset, _) = zone.offset_at(unix_seconds(moment.utc_ticks()));
        part::switch_offset(&ty, &value, offset)
    } else {
        let (offset, skipped) = zone.offset_of_local(unix_seconds(moment.local_ticks()));
        let local = moment.local_ticks() + i64::from(skipped) * TICKS_PER_MINUTE;
        part::to_datetimeoffset(&SqlType::datetime2(7), &Datum::I64(local), offset, call.ty.scale)
    };
    moved.map(Value::from_owned).ok_or_else(|| bad_offset(call))
}

/// 100 ns since 0001-01-01 as seconds since 1970.
fn unix_seconds(ticks: i64) -> i64 {
    ticks.div_euclid(10_000_000) - 62_135_596_800
}

const TICKS_PER_MINUTE: i64 = 600_000_000;

/// `+` and `-` of datetime and smalldatetime: both operands count from 1900-01-01.
pub fn arithmetic(op: ArithmeticOp, arguments: [Scalar; 2], ty: SqlType) -> Scalar {
    let function: Function = match op {
        ArithmeticOp::Add => |call, context, row| combine(call, context, row, types::arith::add_i64),
        _ => |call, context, row| combine(call, context, row, types::arith::sub_i64),
    };
    let call = Call { ty, function, id: FunctionId::Dateadd, arguments: Box::new(arguments), part: None };
    Scalar::general(ty, General::Call(call))
}

fn combine<'a>(
    call: &'a Call,
    context: &'a Context,
    row: Row<'a>,
    apply: fn(TypeKind, i64, i64) -> SqlResult<i64>,
) -> SqlResult<Value<'a>> {
    let left = given!(call.i64(0, context, row));
    let right = given!(call.i64(1, context, row));
    apply(call.ty.kind, left, right).map(Value::I64)
}
