//! PRINT, RAISERROR and THROW: messages of the user's own; and the time of WAITFOR.

use types::{Datum, Physical, SqlError, SqlResult, SqlType, TypeKind};

use super::code::Raiserror;
use super::failure::Unwind;
use super::run::{Flow, Runner};
use crate::expression::Scalar;
use crate::kernel;
use crate::value::Value;

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
        let message = self.locate(SqlError::with_state(0, 0, 1, text), line);
        self.context.runtime.get_mut().sink.message(&message).map_err(crate::session::stopped)
    }

    pub fn raiserror(&mut self, raise: &Raiserror, line: u32) -> Result<Flow, Unwind> {
        let error = match self.raised(raise) {
            Ok(error) => error,
            Err(error) => return self.fail(error, line),
        };
        let no_wait = raise.no_wait;
        if raise.log {
            let runtime = self.context.runtime.get_mut();
            runtime.host.log(runtime.session, &error);
        }
        if error.severity > 10 {
            return self.fail_as(error, line, false);
        }
        let number = error.number;
        let error = self.locate(error, line);
        self.message(&error)?;
        if no_wait {
            self.context.runtime.get_mut().sink.flush().map_err(Unwind::Stop)?;
        }
        self.session().error = if raise.set_error { number } else { 0 };
        Ok(Flow::Next)
    }

    fn raised(&mut self, raise: &Raiserror) -> SqlResult<SqlError> {
        let context = &self.context;
        let whole = |scalar: &Scalar| -> SqlResult<i64> {
            Ok(match scalar.scalar_datum(context)? {
                Datum::I64(value) => value,
                _ => 0,
            })
        };
        let severity = whole(&raise.severity)?.clamp(0, 25) as u8;
        // Negative states become 1; larger ones wrap no further than a byte.
        let state = match whole(&raise.state)? {
            state if state < 0 => 1,
            state => state.min(255) as u8,
        };
        if severity > 18 && !raise.log {
            return Err(SqlError::with_state(
                2754,
                16,
                1,
                "Error severity levels greater than 18 can only be specified by members of the sysadmin role, using the WITH LOG option.",
            ));
        }
        let (number, template) = match raise.message.scalar_datum(context)? {
            Datum::I64(number) => {
                if !(13000..=i32::MAX as i64).contains(&number) {
                    let text = format!(
                        "Error {number} severity {severity} state {state} was raised, but no message with that error number was found in sys.messages. If error is larger than 50000, make sure the user-defined message is added using sp_addmessage."
                    );
                    return Err(SqlError::with_state(18054, 16, 1, text));
                }
                let text = format!(
                    "Error {number}, severity {severity}, state {state} was raised, but no message with that error number was found in sys.messages. If error is larger than 50000, make sure the user-defined message is added using sp_addmessage."
                );
                return Err(SqlError::with_state(18054, 16, 1, text));
            }
            Datum::Bytes(bytes) => (50000, kernel::text(&raise.message.ty, &bytes)),
            _ => (50000, String::new()),
        };
        let arguments = raise
            .arguments
            .iter()
            .map(|argument| Ok((argument.ty, argument.scalar_datum(context)?)))
            .collect::<SqlResult<Vec<_>>>()?;
        let text = format_message(&template, &arguments)?;
        Ok(SqlError::with_state(number, severity, state, text))
    }

    pub fn throw(&mut self, arguments: Option<&[Scalar; 3]>, line: u32) -> Result<Flow, Unwind> {
        let error = match arguments {
            None => match self.session().handling.last() {
                Some(error) => error.clone(),
                None => {
                    let text = "To rethrow an error, a THROW statement must be used inside a CATCH block. Insert the THROW statement inside a CATCH block, or add error parameters to the THROW statement.";
                    return self.fail(SqlError::new(10704, 15, text), line);
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
                        let text = format!(
                            "Error number {number} in the THROW statement is outside the valid range. Specify an error number in the valid range of 50000 to 2147483647."
                        );
                        return Err(SqlError::with_state(35100, 16, 10, text));
                    }
                    Ok(SqlError::with_state(number as i32, 16, state.clamp(0, 255) as u8, percent_pairs(&text)))
                })();
                match thrown {
                    Ok(error) | Err(error) => error,
                }
            }
        };
        // THROW ends the batch, whatever its number; XACT_ABORT decides about the transaction.
        match self.fail(error, line)? {
            Flow::Next => Err(Unwind::Aborted),
            flow => Ok(flow),
        }
    }
}

/// THROW formats nothing, but `%%` stands for one percent sign.
fn percent_pairs(text: &str) -> String {
    text.chars().take(2048).collect::<String>().replace("%%", "%")
}

/// `%[flags][width][.precision][h|l|I64]type` with type d i o s u x X, as RAISERROR and FORMATMESSAGE have them.
pub fn format_message(template: &str, arguments: &[(SqlType, Datum)]) -> SqlResult<String> {
    let mut text = String::new();
    let mut rest = template.chars().peekable();
    let mut arguments = arguments.iter();
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        if rest.peek() == Some(&'%') {
            rest.next();
            text.push('%');
            continue;
        }
        let mut flags = String::new();
        while let Some(flag) = rest.next_if(|c| "-+0# ".contains(*c)) {
            flags.push(flag);
        }
        let mut number = |rest: &mut std::iter::Peekable<std::str::Chars>| -> SqlResult<Option<usize>> {
            if rest.next_if_eq(&'*').is_some() {
                return match arguments.next() {
                    Some((_, Datum::I64(value))) => Ok(Some((*value).clamp(0, 2048) as usize)),
                    _ => Err(bad_format(template)),
                };
            }
            let mut digits = String::new();
            while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            Ok(digits.parse::<usize>().ok().map(|value| value.min(2048)))
        };
        let width = number(&mut rest)?;
        let precision = if rest.next_if_eq(&'.').is_some() { Some(number(&mut rest)?.unwrap_or(0)) } else { None };
        let mut wide = false;
        while let Some(size) = rest.next_if(|c| "hlI64".contains(*c)) {
            wide |= size == 'I';
        }
        let Some(kind) = rest.next().filter(|c| "diosuxX".contains(*c)) else { return Err(bad_format(template)) };
        let piece = match arguments.next() {
            None | Some((_, Datum::Null)) => "(null)".to_owned(),
            Some((ty, value)) => {
                one_argument(kind, wide, &flags, precision, ty, value).ok_or_else(|| bad_format(template))?
            }
        };
        pad(&mut text, &piece, width, &flags, kind);
    }
    let length = text.chars().count();
    if length > 2047 {
        text = text.chars().take(2044).collect();
        text.push_str("...");
    }
    Ok(text)
}

#[cold]
fn bad_format(template: &str) -> SqlError {
    SqlError::with_state(2787, 16, 1, format!("Invalid format specification: '{template}'."))
}

fn one_argument(
    kind: char,
    wide: bool,
    flags: &str,
    precision: Option<usize>,
    ty: &SqlType,
    value: &Datum,
) -> Option<String> {
    match (kind, value) {
        ('s', Datum::Bytes(bytes)) => {
            let text = if ty.is_string() { kernel::text(ty, bytes) } else { return None };
            Some(match precision {
                Some(precision) => text.chars().take(precision).collect(),
                None => text,
            })
        }
        ('s', _) | (_, Datum::Bytes(_) | Datum::F64(_) | Datum::I128(_)) => None,
        (_, Datum::I64(value)) => {
            if !(ty.is_integer() || ty.kind == TypeKind::Bit) || ty.physical() != Physical::I64 {
                return None;
            }
            let narrow = *value as u32 as u64;
            let unsigned = if wide { *value as u64 } else { narrow };
            let digits = match kind {
                'd' | 'i' => value.unsigned_abs().to_string(),
                'u' => unsigned.to_string(),
                'o' => format!("{unsigned:o}"),
                'x' => format!("{unsigned:x}"),
                _ => format!("{unsigned:X}"),
            };
            let digits = match precision {
                Some(precision) if digits.len() < precision => "0".repeat(precision - digits.len()) + &digits,
                _ => digits,
            };
            let sign = match kind {
                'd' | 'i' if *value < 0 => "-",
                'd' | 'i' if flags.contains('+') => "+",
                'd' | 'i' if flags.contains(' ') => " ",
                'x' if flags.contains('#') && *value != 0 => "0x",
                'X' if flags.contains('#') && *value != 0 => "0X",
                'o' if flags.contains('#') => "0",
                _ => "",
            };
            Some(format!("{sign}{digits}"))
        }
        (_, Datum::Null) => Some("(null)".to_owned()),
    }
}

fn pad(text: &mut String, piece: &str, width: Option<usize>, flags: &str, kind: char) {
    let length = piece.chars().count();
    let missing = width.unwrap_or(0).saturating_sub(length);
    if flags.contains('-') {
        text.push_str(piece);
        text.extend(std::iter::repeat_n(' ', missing));
    } else if flags.contains('0') && kind != 's' {
        let (sign, digits) = match piece.strip_prefix(['-', '+']) {
            Some(digits) => (&piece[..1], digits),
            None => ("", piece),
        };
        text.push_str(sign);
        text.extend(std::iter::repeat_n('0', missing));
        text.push_str(digits);
    } else {
        text.extend(std::iter::repeat_n(' ', missing));
        text.push_str(piece);
    }
}

/// WAITFOR's `hh:mm[:ss[.mmm]]`, or a datetime. `until`: a time of day, today or tomorrow.
pub fn wait_milliseconds(value: Value<'_>, ty: &SqlType, until: bool) -> SqlResult<u64> {
    const DAY_MS: i64 = 86_400_000;
    let invalid = |text: &str| {
        SqlError::with_state(148, 15, 1, format!("Incorrect time syntax in time string '{text}' used with WAITFOR."))
    };
    let ms = match value {
        Value::Bytes(bytes) => {
            let text = kernel::text(ty, &bytes);
            parse_time_ms(text.trim()).ok_or_else(|| invalid(&text))?
        }
        // datetime: 1/300 s since 1900.
        Value::I64(value) if ty.kind == TypeKind::DateTime => value.rem_euclid(DAY_MS * 3 / 10) * 10 / 3,
        Value::I64(value) if ty.kind == TypeKind::Time => value / 10_000,
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
    let millis = match fraction {
        None => 0,
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
    fn message_arguments_are_formatted_as_printf_does() {
        let whole = |value| (SqlType::INT, Datum::I64(value));
        let text = |value: &str| (SqlType::nvarchar(50), Datum::nvarchar(value));
        let cases: &[(&str, Vec<(SqlType, Datum)>, &str)] = &[
            ("plain 100%%", vec![], "plain 100%"),
            ("%d and %s", vec![whole(-7), text("x")], "-7 and x"),
            ("[%5d|%-5d|%05d|%+d]", vec![whole(42), whole(42), whole(-42), whole(42)], "[   42|42   |-0042|+42]"),
            ("[%.3s|%5.2s|%*d]", vec![text("abcdef"), text("abcdef"), whole(4), whole(1)], "[abc|   ab|   1]"),
            (
                "%x %X %#x %o %u",
                vec![whole(255), whole(255), whole(255), whole(8), whole(-1)],
                "ff FF 0xff 10 4294967295",
            ),
            ("%s %d", vec![(SqlType::nvarchar(1), Datum::Null)], "(null) (null)"),
            ("%I64d", vec![(SqlType::BIGINT, Datum::I64(1 << 40))], "1099511627776"),
        ];
        for (template, arguments, expected) in cases {
            assert_eq!(format_message(template, arguments).expect(template), *expected, "{template}");
        }
        for bad in ["%z", "%", "%d"] {
            let argument = if bad == "%d" { vec![text("no number")] } else { vec![] };
            assert_eq!(format_message(bad, &argument).map_err(|error| error.number), Err(2787), "{bad}");
        }
    }

    #[test]
    fn wait_times_are_read_as_times_of_day() {
        for (text, ms) in [
            ("00:00:01", Some(1000)),
            ("1:30", Some(5_400_000)),
            ("00:00:00.25", Some(250)),
            ("0:0:61", None),
            ("x", None),
            ("25:00", None),
        ] {
            assert_eq!(parse_time_ms(text), ms, "{text}");
        }
    }
}
