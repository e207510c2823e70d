//! What an X.509 certificate says of itself, as far as it is looked at (RFC 5280 4.1). Times are seconds since 1970.

use types::datetime::Civil;

pub const DAY_SECONDS: i64 = 86_400;
/// Of 1970-01-01, counted from 0001-01-01 as the clock and the calendar do.
pub const DAYS_TO_1970: i64 = 719_162;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub serial: Vec<u8>,
    /// Common names.
    pub issuer: String,
    pub subject: String,
    /// Of the public key's modulus or field.
    pub key_bits: i32,
    pub starts: i64,
    pub ends: i64,
}

/// None: it is no certificate, or not understood.
pub fn read(der: &[u8]) -> Option<Said> {
    const CONTEXT_0: u8 = 0xA0;
    const INTEGER: u8 = 0x02;
    const SEQUENCE: u8 = 0x30;
    let (tag, certificate, rest) = element(der)?;
    if tag != SEQUENCE || !rest.is_empty() {
        return None;
    }
    let (_, mut rest, _) = element(certificate)?;
    let (tag, _, after) = element(rest)?;
    if tag == CONTEXT_0 {
        rest = after;
    }
    let (tag, serial, rest) = element(rest)?;
    let (_, _algorithm, rest) = element(rest)?;
    let (_, issuer, rest) = element(rest)?;
    let (_, validity, rest) = element(rest)?;
    let (_, subject, rest) = element(rest)?;
    let (_, key, _) = element(rest)?;
    let (start_tag, start, end) = element(validity)?;
    let (end_tag, end, _) = element(end)?;
    let time = |tag: u8, text: &[u8]| time(tag, std::str::from_utf8(text).ok()?);
    (tag == INTEGER).then_some(Said {
        serial: serial.to_vec(),
        issuer: common_name(issuer),
        subject: common_name(subject),
        key_bits: key_bits(key)?,
        starts: time(start_tag, start)?,
        ends: time(end_tag, end)?,
    })
}

/// The contents of the DER element at the front of `bytes` with its tag, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7F => (usize::from(first), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7F))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    let (contents, rest) = rest.split_at_checked(length)?;
    Some((tag, contents, rest))
}

/// Of a key's algorithm and bits: a list with the modulus first (RSA), or a point, of two numbers or one and a sign (elliptic curves).
fn key_bits(key: &[u8]) -> Option<i32> {
    const LIST: u8 = 0x30;
    let (_, _algorithm, rest) = element(key)?;
    let (_, bits, _) = element(rest)?;
    // Before them is how many bits of the last byte are none.
    let (_, bits) = bits.split_first()?;
    let bytes = match bits.first()? {
        &LIST => {
            let (_, modulus, _) = element(element(bits)?.1)?;
            modulus.len() - usize::from(modulus.first() == Some(&0))
        }
        4 => bits.len() / 2,
        2 | 3 => bits.len() - 1,
        _ => bits.len(),
    };
    i32::try_from(bytes * 8).ok()
}

/// Of a name, a list of sets of pairs: the value of the first pair that is a common name. Empty: there is none.
fn common_name(mut name: &[u8]) -> String {
    const COMMON_NAME: [u8; 3] = [0x55, 0x04, 0x03];
    const UTF16: u8 = 0x1E;
    while let Some((_, set, rest)) = element(name) {
        let pair = element(set).and_then(|(_, pair, _)| element(pair));
        if let Some((_, _, value)) = pair.filter(|(_, kind, _)| *kind == COMMON_NAME) {
            return match element(value) {
                Some((UTF16, text, _)) => {
                    let units: Vec<u16> =
                        text.as_chunks::<2>().0.iter().map(|unit| u16::from_be_bytes(*unit)).collect();
                    String::from_utf16_lossy(&units)
                }
                Some((_, text, _)) => String::from_utf8_lossy(text).into_owned(),
                None => String::new(),
            };
        }
        name = rest;
    }
    String::new()
}

/// UTCTime `YYMMDDhhmmssZ` or GeneralizedTime `YYYYMMDDhhmmssZ`.
pub fn time(tag: u8, text: &str) -> Option<i64> {
    const UTC_TIME: u8 = 0x17;
    const GENERALIZED_TIME: u8 = 0x18;
    let digits = text.strip_suffix('Z')?;
    let (year, rest) = match tag {
        UTC_TIME => {
            let (year, rest) = digits.split_at_checked(2)?;
            let year: i64 = year.parse().ok()?;
            (if year < 50 { 2000 + year } else { 1900 + year }, rest)
        }
        GENERALIZED_TIME => {
            let (year, rest) = digits.split_at_checked(4)?;
            (year.parse().ok()?, rest)
        }
        _ => return None,
    };
    if rest.len() != 10 || !rest.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |at: usize| rest[at..at + 2].parse::<i64>().ok();
    let days = Civil::new(year, part(0)?, part(2)?)?.days() - DAYS_TO_1970;
    let (hour, minute, second) = (part(4)?, part(6)?, part(8)?);
    // 60 is a leap second.
    (hour < 24 && minute < 60 && second <= 60).then_some(days * DAY_SECONDS + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_says_nothing() {
        for bytes in [&[][..], &[0x30], &[0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], &[0x30, 3, 0x30, 1, 0xA0], &[0xFF; 40]] {
            assert_eq!(read(bytes), None);
        }
        // 1950-01-01
        assert_eq!(time(0x17, "500101000000Z"), Some(-631_152_000));
        assert_eq!(time(0x17, "491332000000Z"), None);
    }

    #[test]
    fn a_certificate_that_was_cut_or_changed_is_no_panic() {
        let made = rcgen::generate_simple_self_signed(["shop".to_owned()]).expect("made");
        let der = made.cert.der();
        assert_eq!(read(der).expect("a certificate").subject, "rcgen self signed cert");
        for length in 0..der.len() {
            assert_eq!(read(&der[..length]), None, "cut at {length}");
        }
        for at in 0..der.len() {
            let mut changed = der.to_vec();
            changed[at] ^= 0x80;
            let _ = read(&changed);
        }
    }
}
