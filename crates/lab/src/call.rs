//! `{call p(1, 'a', @x = NULL)}`: ODBC's escape for calling a procedure. ODBC drivers send it as a remote procedure
//! call, so a tool that takes what ODBC tools take does the same.

use tds::rpc::{ParameterValue, Procedure, RpcCall, RpcParameter};
use types::{Datum, SqlType, decimal};

/// The call, if the whole text is one; `None` for anything else, which is then a batch.
pub fn odbc_call(text: &str) -> Option<RpcCall> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let inner = match inner.strip_prefix('?') {
        Some(rest) => rest.trim_start().strip_prefix('=')?.trim_start(),
        None => inner,
    };
    let (word, rest) = inner.split_at_checked(4)?;
    if !word.eq_ignore_ascii_case("call") || !rest.starts_with(char::is_whitespace) {
        return None;
    }
    procedure_call(rest)
}

/// `name`, `name(arguments)` or `name arguments`. Arguments are literals, perhaps named.
pub fn procedure_call(text: &str) -> Option<RpcCall> {
    let text = text.trim();
    let name_end = name_length(text);
    let (name, rest) = text.split_at(name_end);
    if name.is_empty() {
        return None;
    }
    let rest = rest.trim();
    let arguments = match rest.strip_prefix('(') {
        Some(inner) => inner.strip_suffix(')')?,
        None => rest,
    };
    let mut parameters = Vec::new();
    let mut reader = Arguments { rest: arguments.trim() };
    while !reader.rest.is_empty() {
        parameters.push(reader.next()?);
    }
    Some(RpcCall::new(Procedure::Name(name.into()), parameters))
}

/// Up to a blank or a parenthesis outside brackets and quotes.
fn name_length(text: &str) -> usize {
    let mut closing = None;
    for (at, c) in text.char_indices() {
        match (closing, c) {
            (Some(end), _) if c == end => closing = None,
            (Some(_), _) => {}
            (None, '[') => closing = Some(']'),
            (None, '"') => closing = Some('"'),
            (None, '(') => return at,
            (None, _) if c.is_whitespace() => return at,
            (None, _) => {}
        }
    }
    text.len()
}

struct Arguments<'a> {
    rest: &'a str,
}

impl Arguments<'_> {
    fn next(&mut self) -> Option<RpcParameter> {
        let mut name = "";
        if self.rest.starts_with('@') {
            let (before, after) = self.rest.split_once('=')?;
            name = before.trim();
            self.rest = after.trim_start();
        }
        let parameter = self.literal(name)?;
        self.rest = self.rest.trim_start();
        if !self.rest.is_empty() {
            self.rest = self.rest.strip_prefix(',')?.trim_start();
            if self.rest.is_empty() {
                return None;
            }
        }
        Some(parameter)
    }

    fn literal(&mut self, name: &str) -> Option<RpcParameter> {
        let unicode = self.rest.starts_with("N'") || self.rest.starts_with("n'");
        if unicode || self.rest.starts_with('\'') {
            let text = self.string(usize::from(unicode))?;
            let units = tds::wire::utf16_len(&text);
            let sql_type = if units > 4_000 { SqlType::NVARCHAR_MAX } else { SqlType::nvarchar(units.max(1) as u16) };
            return Some(RpcParameter::input(name, sql_type, Datum::nvarchar(&text)));
        }
        let end = self.rest.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        let input = |sql_type, value| Some(RpcParameter::input(name, sql_type, value));
        if word.eq_ignore_ascii_case("null") {
            return Some(RpcParameter {
                value: ParameterValue::UntypedNull,
                ..RpcParameter::input(name, SqlType::INT, Datum::Null)
            });
        }
        if word.eq_ignore_ascii_case("default") {
            return Some(RpcParameter { is_default: true, ..RpcParameter::input(name, SqlType::INT, Datum::Null) });
        }
        if let Ok(number) = word.parse::<i32>() {
            return input(SqlType::INT, Datum::I64(number.into()));
        }
        if let Ok(number) = word.parse::<i64>() {
            return input(SqlType::BIGINT, Datum::I64(number));
        }
        if let Some(hex) = word.strip_prefix("0x").or(word.strip_prefix("0X")) {
            let bytes = bytes_of_hex(hex)?;
            let sql_type = SqlType::varbinary(u16::try_from(bytes.len().max(1)).ok().filter(|count| *count <= 8_000)?);
            return input(sql_type, Datum::bytes(&bytes));
        }
        if word.contains(['e', 'E']) {
            return input(SqlType::FLOAT, Datum::F64(word.parse().ok()?));
        }
        let (value, precision, scale) = decimal::parse(word.as_bytes()).ok()?;
        input(SqlType::decimal(precision.max(1), scale), Datum::I128(value))
    }

    /// A quoted string that starts after `skip` characters; doubled quotes are one.
    fn string(&mut self, skip: usize) -> Option<String> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(skip + 1).peekable();
        while let Some((at, c)) = characters.next() {
            if c != '\'' {
                text.push(c);
            } else if characters.next_if(|(_, next)| *next == '\'').is_some() {
                text.push('\'');
            } else {
                self.rest = &self.rest[at + 1..];
                return Some(text);
            }
        }
        None
    }
}

fn bytes_of_hex(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = hex.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let mut digits = digits?;
    if digits.len() % 2 != 0 {
        digits.insert(0, 0);
    }
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_call() {
        let call = odbc_call("{call sp_reset_connection()}").expect("a call");
        assert_eq!(call, RpcCall::new(Procedure::Name("sp_reset_connection".into()), vec![]));
        assert_eq!(odbc_call(" { ? = CALL dbo.[my proc] } ").expect("a call").procedure.name(), "dbo.[my proc]");
        for batch in
            ["select 1", "{fn now()}", "{callp()}", "{call p(?)}", "{call p(1}", "{call p('a)}", "{call p(1,)}"]
        {
            assert_eq!(odbc_call(batch), None, "{batch}");
        }
    }

    #[test]
    fn its_arguments() {
        let call =
            procedure_call("p 1, -5000000000, 'it''s', N'é', @x = 1.50, 0xABC, null, 1e3, default").expect("a call");
        let scalars: Vec<_> = call
            .parameters
            .iter()
            .map(|parameter| match &parameter.value {
                ParameterValue::Scalar { value, .. } => value.clone(),
                _ => Datum::Null,
            })
            .collect();
        assert_eq!(
            scalars,
            [
                Datum::I64(1),
                Datum::I64(-5_000_000_000),
                Datum::nvarchar("it's"),
                Datum::nvarchar("é"),
                Datum::I128(150),
                Datum::bytes(&[0x0A, 0xBC]),
                Datum::Null,
                Datum::F64(1000.0),
                Datum::Null,
            ]
        );
        assert_eq!(call.parameters[4].name, "@x");
        assert!(call.parameters[8].is_default);
    }
}
