//! ISNUMERIC: whether a text looks like a number of any type. It takes more than any one conversion does: a lone sign or
//! currency sign, commas anywhere, control characters around it.

use types::collation::code_page::{self, CodePage};
use types::{SqlResult, TypeKind, sql_error};

use crate::context::Context;
use crate::expression::general::Call;
use crate::kernel;
use crate::value::{Row, Value};

/// Characters that a text may have.
const LONGEST: usize = 8000;

pub fn isnumeric<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let ty = call.arguments[0].ty;
    let value = call.value(0, context, row)?;
    if value.is_null() {
        return Ok(Value::I64(0));
    }
    if !ty.is_string() {
        let number = !ty.is_binary() && !ty.is_temporal() && ty.kind != TypeKind::UniqueIdentifier;
        return Ok(Value::I64(number as i64));
    }
    let Value::Bytes(bytes) = &value else { return Ok(Value::I64(0)) };
    if bytes.len() > 2 * LONGEST || !ty.is_unicode_string() && bytes.len() > LONGEST {
        return Err(sql_error!(8152, state 10));
    }
    let mut latin = Vec::with_capacity(bytes.len());
    // What a code page lacks looks like its nearest character there.
    code_page::encode_str(CodePage::LATIN1, &kernel::text(&ty, bytes), &mut latin);
    Ok(Value::I64(is_number(&latin) as i64))
}

/// Of a text in cp1252.
fn is_number(text: &[u8]) -> bool {
    if text.iter().all(|&byte| byte == b' ') {
        return false;
    }
    let behind = |byte: &u8| matches!(byte, 0 | 11 | 12 | b' ' | 0xa0);
    let end = text.iter().rposition(|byte| !behind(byte)).map_or(0, |last| last + 1);
    let bare = &text[..end];
    let start = bare.iter().position(|byte| !matches!(byte, 9 | 10 | 13 | b' ')).unwrap_or(end);
    if start == end {
        // White space alone, but not zeros alone.
        return !text.contains(&0);
    }
    let (has_currency, rest) = behind_signs(&bare[start..]);
    let digits = rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b',' | b'.')).unwrap_or(rest.len());
    let (mantissa, exponent) = rest.split_at(digits);
    let count = |wanted: u8| mantissa.iter().filter(|&&byte| byte == wanted).count();
    if count(b'.') > 1 {
        return false;
    }
    if !exponent.is_empty() {
        let has_digits = mantissa.iter().any(u8::is_ascii_digit);
        if has_currency || count(b',') > 0 || !has_digits || !is_exponent(exponent) {
            return false;
        }
    }
    is_in_range(mantissa, exponent)
}

/// One sign and one currency sign in either order, with blanks behind them.
fn behind_signs(text: &[u8]) -> (bool, &[u8]) {
    let (mut rest, mut has_sign, mut has_currency) = (text, false, false);
    loop {
        match rest {
            [b'+' | b'-', tail @ ..] if !has_sign => (has_sign, rest) = (true, tail),
            [b'$' | b'\\' | 0x80 | 0xa2..=0xa5, tail @ ..] if !has_currency => (has_currency, rest) = (true, tail),
            [b' ', tail @ ..] => rest = tail,
            _ => return (has_currency, rest),
        }
    }
}

fn is_exponent(text: &[u8]) -> bool {
    let [b'e' | b'E' | b'd' | b'D', rest @ ..] = text else { return false };
    let digits = rest.strip_prefix(b"+").or_else(|| rest.strip_prefix(b"-")).unwrap_or(rest);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Whether a float can hold it. One that is too small is zero.
fn is_in_range(mantissa: &[u8], exponent: &[u8]) -> bool {
    let mut plain = String::from("0");
    plain.extend(mantissa.iter().filter(|&&byte| byte != b',').map(|&byte| char::from(byte)));
    if let [_, power @ ..] = exponent {
        plain.push('e');
        plain.extend(power.iter().map(|&byte| char::from(byte)));
    }
    plain.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_looks_like_a_number() {
        for text in ["0", ".", "-.", "$", ",.", "\\1", "1d5", "1.e1", "$ 1", "-$1", "- 1", "\t1", "1\0", "\t", "1e-400"]
        {
            assert!(is_number(text.as_bytes()), "{text:?}");
        }
        for text in
            ["", " ", "1e", ".e1", "1e1.5", "$1e5", "1$", "$$1", "+-1", "1-", "1 000", "1\t", "\0", "\u{0}1", "1e309"]
        {
            assert!(!is_number(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn every_character_alone_before_and_behind() {
        let accepted =
            |shape: fn(u8) -> Vec<u8>| (0..=255).filter(|&byte| is_number(&shape(byte))).collect::<Vec<u8>>();
        let digits = b'0'..=b'9';
        let signs = [b'$', b'+', b',', b'-', b'.', b'\\', 128, 162, 163, 164, 165];
        let sorted = |more: &[u8]| {
            let mut all: Vec<u8> = digits.clone().chain(more.iter().copied()).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(accepted(|byte| vec![byte]), sorted(&[&[9, 10, 11, 12, 13, 160], &signs[..]].concat()));
        assert_eq!(accepted(|byte| vec![byte, b'1']), sorted(&[&[9, 10, 13, 32], &signs[..]].concat()));
        assert_eq!(accepted(|byte| vec![b'1', byte]), sorted(&[0, 11, 12, 32, b',', b'.', 160]));
    }
}
