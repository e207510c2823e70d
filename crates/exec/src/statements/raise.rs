//! PRINT, RAISERROR and THROW: messages of the user's own; and the time of WAITFOR.

use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::code::Raiserror;
use super::ends::Origin;
use super::failure::Unwind;
use super::run::{Flow, Runner};
use crate::expression::Scalar;
use crate::kernel;
use crate::message::{self, format_message};
use crate::sink::Command;
use crate::value::Value;

/// RAISERROR takes messages from this number on.
const NUMBER_MIN: i32 = 13_000;

/// What RAISERROR of a text has for its number.
const NUMBER_OF_TEXTS: i32 = 50_000;

impl<'a> Runner<'a> {
    pub fn print(&mut self, value: &Scalar, line: u32) -> SqlResult<()> {
        let text = match value.scalar_value(&self.context)? {
            Value::Bytes(bytes) => kernel::text(&value.ty, &bytes),
            Value::Null => String::new(),
            other => panic!("the binder converts PRINT's argument to a string, not {other:?}"),
        };
        // 8,000 bytes of varchar, 4,000 characters of nvarchar.
        let limit = if value.ty.is_unicode_string() { 4000 } else { 8000 };
        let text: String = text.chars().take(limit).collect();
        let message = self.locate(SqlError::of_user(0, 0, 1, text), line);
        self.context.runtime.get_mut().sink.message(&message).map_err(crate::session::stopped)
    }

    pub fn raiserror(&mut self, raise: &Raiserror, line: u32) -> Result<Flow, Unwind> {
        let error = match self.raised(raise) {
            Ok(error) => error,
            Err(error) => return self.fail(error, line, Command::Raise),
        };
        if raise.log {
            let runtime = self.context.runtime.get_mut();
            if let Err(error) = runtime.host.check_log(runtime.session) {
                return self.fail(error, line, Command::Raise);
            }
        }
        let no_wait = raise.no_wait;
        if raise.log {
            let runtime = self.context.runtime.get_mut();
            runtime.host.log(runtime.session, &error);
        }
        if error.severity > 10 {
            return self.fail_as(error, line, Origin::Raised, Command::Raise);
        }
        let number = error.number;
        let error = self.locate(error, line);
        self.message(&error)?;
        if no_wait {
            self.context.runtime.get_mut().sink.flush().map_err(Unwind::Stop)?;
        }
        let session = self.session();
        session.error = if raise.set_error { number } else { 0 };
        session.row_count = 0;
        self.done(Command::Raise, None)?;
        Ok(Flow::Next)
    }

    fn raised(&mut self, raise: &Raiserror) -> SqlResult<SqlError> {
        let numbered = match raise.message.scalar_datum(&self.context)? {
            Datum::I64(number) => match i32::try_from(number) {
                Ok(number @ NUMBER_MIN..) if number != NUMBER_OF_TEXTS => {
                    message::numbered(self.context.runtime.get_mut(), number)?
                }
                _ => return Err(sql_error!(2732, number, NUMBER_MIN, i32::MAX)),
            },
            _ => None,
        };
        let context = &self.context;
        let whole = |scalar: &Scalar| -> SqlResult<i64> {
            Ok(match scalar.scalar_datum(context)? {
                Datum::I64(value) => value,
                _ => 0,
            })
        };
        let severity = match (whole(&raise.severity)?, &numbered) {
            // As the message itself has it.
            (severity, Some(message)) if severity < 0 => message.severity,
            (severity, _) => severity.clamp(0, 25) as u8,
        };
        // Negative states become 1; of larger ones the lowest byte counts.
        let state = match whole(&raise.state)? {
            state if state < 0 => 1,
            state => state as u8,
        };
        if severity > 18 && !raise.log {
            return Err(sql_error!(2754, 18));
        }
        let given = raise.message.scalar_datum(context)?;
        if let (Datum::I64(number), None) = (&given, &numbered) {
            return Err(sql_error!(18054, *number, severity, state));
        }
        let arguments = raise
            .arguments
            .iter()
            .map(|argument| Ok((argument.ty, argument.scalar_datum(context)?)))
            .collect::<SqlResult<Vec<_>>>()?;
        let (number, text) = match (given, numbered) {
            (Datum::I64(number), Some(message)) => (number as i32, message.text(&arguments)?),
            (Datum::Bytes(bytes), _) => {
                (NUMBER_OF_TEXTS, format_message(&kernel::text(&raise.message.ty, &bytes), &arguments)?)
            }
            // NULL.
            _ => (NUMBER_OF_TEXTS, " ".into()),
        };
        Ok(SqlError::of_user(number, severity, state, text))
    }

    pub fn throw(&mut self, arguments: Option<&[Scalar; 3]>, line: u32) -> Result<Flow, Unwind> {
        let error = match arguments {
            None => match self.session().handling.last() {
                Some(error) => error.clone(),
                None => {
                    return self.fail(sql_error!(10704), line, Command::Raise);
                }
            },
            Some([number, message, state]) => {
                let thrown = (|| -> SqlResult<SqlError> {
                    let number = number.scalar_value(&self.context)?.i64().unwrap_or(0);
                    let state = state.scalar_value(&self.context)?.i64().unwrap_or(0);
                    let text = match message.scalar_value(&self.context)? {
                        Value::Bytes(bytes) => kernel::text(&message.ty, &bytes),
                        _ => String::new(),
                    };
                    if !(50000..=i32::MAX as i64).contains(&number) {
                        return Err(sql_error!(35100, state 10, number));
                    }
                    Ok(SqlError::of_user(number as i32, 16, state.clamp(0, 255) as u8, percent_pairs(&text)))
                })();
                match thrown {
                    Ok(error) | Err(error) => error,
                }
            }
        };
        // THROW ends the batch, whatever its number; XACT_ABORT decides about the transaction.
        self.fail_as(error, line, Origin::Thrown, Command::Raise)
    }
}

/// THROW formats nothing, but `%%` stands for one percent sign.
fn percent_pairs(text: &str) -> String {
    text.chars().take(2048).collect::<String>().replace("%%", "%")
}

/// WAITFOR's `hh:mm[:ss[.mmm]]`, or a datetime; DELAY also takes an int or smallint, of seconds, which is not documented:
/// https://davemason.me/2018/10/29/waitfor-delay---too-much-time-datetime-on-my-hands%3f
/// `until`: a time of day, today or tomorrow.
pub fn wait_milliseconds(value: Value<'_>, ty: &SqlType, until: bool) -> SqlResult<u64> {
    const DAY_MS: i64 = 86_400_000;
    let invalid = |text: &str| sql_error!(148, text);
    let ms = match value {
        Value::Bytes(bytes) => {
            let text = kernel::text(ty, &bytes);
            match text.trim() {
                "" if !until => 0,
                time => parse_time_ms(time).ok_or_else(|| invalid(&text))?,
            }
        }
        // datetime: 1/300 s since 1900.
        Value::I64(value) if ty.kind == TypeKind::DateTime => value.rem_euclid(DAY_MS * 3 / 10) * 10 / 3,
        Value::I64(value) if ty.kind == TypeKind::Time => value / 10_000,
        Value::I64(seconds) if matches!(ty.kind, TypeKind::Int | TypeKind::SmallInt) && !until && seconds >= 0 => {
            seconds * 1000
        }
        // Nothing is waited for.
        Value::Null if !until => 0,
        Value::Null => return Err(invalid("NULL")),
        _ => return Err(invalid("")),
    };
    if !until {
        return Ok(ms as u64);
    }
    let local = os::clock::utc_ticks() as i64 / 10_000 + os::clock::local_offset_minutes() as i64 * 60_000;
    Ok((ms - local.rem_euclid(DAY_MS)).rem_euclid(DAY_MS) as u64)
}

fn parse_time_ms(text: &str) -> Option<i64> {
    // A date before the time is allowed and ignored.
    let time = text.rsplit(' ').next()?;
    let (clock, fraction) = match time.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (time, None),
    };
    let mut fields = clock.split(':').map(|field| field.parse::<i64>().ok());
    let (hours, minutes) = (fields.next()??, fields.next()??);
    let seconds = fields.next().unwrap_or(Some(0))?;
    // Behind a colon they are milliseconds, behind a point a fraction: as in any datetime.
    let millis = match fraction {
        None => fields.next().unwrap_or(Some(0)).filter(|millis| (0..1000).contains(millis))?,
        Some(digits) if !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{digits:0<3}")[..3].parse::<i64>().ok()?
        }
        Some(_) => return None,
    };
    let valid =
        fields.next().is_none() && (0..24).contains(&hours) && (0..60).contains(&minutes) && (0..60).contains(&seconds);
    valid.then_some(((hours * 60 + minutes) * 60 + seconds) * 1000 + millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_times_are_read_as_times_of_day() {
        for (text, ms) in [
            ("00:00:01", Some(1000)),
            ("1:30", Some(5_400_000)),
            ("00:00:00.25", Some(250)),
            ("00:00:01:25", Some(1025)),
            ("00:00:01:1000", None),
            ("00:00:01:1.5", None),
            ("0:0:61", None),
            ("x", None),
            ("25:00", None),
        ] {
            assert_eq!(parse_time_ms(text), ms, "{text}");
        }
    }
}
