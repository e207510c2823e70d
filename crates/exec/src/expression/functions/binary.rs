//! Binary and random: hashes, identifiers, what the checksums' calls are.

use sha2::{Digest, Sha256, Sha512};
use sql::function::FunctionId;
use types::pause::Pacer;
use types::{SqlResult, sql_error};

use super::{checksum, compression, given};
use crate::context::Context;
use crate::expression::general::{Call, Function};
use crate::expression::shown::{BASE64, BASE64_SAFE, base64_by, from_base64};
use crate::value::{Row, Value};

/// Work for a block of 64 bytes of MD5 or SHA-1.
const BLOCK: usize = 4 * 64;

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        Base64Decode => base64_decode,
        Base64Encode => base64_encode,
        BinaryChecksum | Checksum => checksum::checksum,
        Compress => compression::compress,
        CryptGenRandom => random_bytes,
        Decompress => compression::decompress,
        Hashbytes => hashbytes,
        Newid => |_, _, _| Ok(Value::I128(new_id())),
        Newsequentialid => sequential_id,
        _ => return None,
    })
}

/// A version 4 identifier, as its wire bytes lie.
fn new_id() -> i128 {
    let mut bytes = [0; 16];
    os::random::fill(&mut bytes);
    // The third group is little-endian: its high byte has the version.
    bytes[7] = bytes[7] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    i128::from_le_bytes(bytes)
}

/// Ever larger in SQL Server's order, in which the last six bytes weigh most.
fn sequential_id<'a>(_call: &'a Call, _context: &'a Context, _row: Row<'a>) -> SqlResult<Value<'a>> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static LAST: AtomicU64 = AtomicU64::new(0);
    let now = os::clock::utc_ticks();
    // Relaxed: only the number itself matters.
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(now.max(last + 1)));
    let tick = now.max(last.unwrap_or(now) + 1);
    let mut bytes = [0; 16];
    let order = tick.to_be_bytes();
    bytes[10..16].copy_from_slice(&order[..6]);
    bytes[8..10].copy_from_slice(&order[6..8]);
    bytes[7] = 0x10;
    Ok(Value::I128(i128::from_le_bytes(bytes)))
}

fn random_bytes<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let length = given!(call.i64(0, context, row));
    if !(1..=8000).contains(&length) {
        return Ok(Value::Null);
    }
    let mut bytes = vec![0; length as usize];
    os::random::fill(&mut bytes);
    Ok(Value::owned(bytes))
}

/// RFC 4648; safe in URLs, and without padding, where the second argument is not 0.
/// https://learn.microsoft.com/sql/t-sql/functions/base64-encode-transact-sql
fn base64_encode<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let bytes = given!(call.bytes(0, context, row));
    let is_safe = call.arguments.len() > 1 && given!(call.i64(1, context, row)) != 0;
    let mut text = base64_by(if is_safe { &BASE64_SAFE } else { &BASE64 }, &bytes, &mut context.pacer())?;
    if is_safe {
        text.truncate(text.trim_end_matches('=').len());
    }
    call.long_text(&text, context)
}

/// Of both alphabets; white space is passed over, and padding may be left out. 9803: its states are those of
/// https://learn.microsoft.com/sql/t-sql/functions/base64-decode-transact-sql
fn base64_decode<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let invalid = |state: u8| sql_error!(9803, state state, "Base64Decode");
    let text = given!(call.text(0, context, row));
    let mut plain = String::with_capacity(text.len() + 3);
    let (mut padding, pacer) = (0, &mut context.pacer());
    for c in text.chars().filter(|c| !matches!(c, ' ' | '\t' | '\r' | '\n')) {
        pacer.spend(1)?;
        match c {
            '=' => padding += 1,
            _ if !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_')) => return Err(invalid(20)),
            _ if padding > 0 => return Err(invalid(23)),
            '-' => plain.push('+'),
            '_' => plain.push('/'),
            c => plain.push(c),
        }
    }
    if padding > 2 {
        return Err(invalid(23));
    }
    let missing = (4 - plain.len() % 4) % 4;
    if missing == 3 || padding != 0 && padding != missing {
        return Err(invalid(21));
    }
    plain.extend(std::iter::repeat_n('=', missing));
    from_base64(&plain, pacer)?.map(Value::owned).ok_or_else(|| invalid(21))
}

fn hashbytes<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let name = given!(call.text(0, context, row));
    let value = given!(call.bytes(1, context, row));
    let pacer = &mut context.pacer();
    Ok(match name.to_ascii_uppercase().as_str() {
        "SHA2_256" => digest(Sha256::new(), &value, pacer)?,
        "SHA2_512" => digest(Sha512::new(), &value, pacer)?,
        "SHA" | "SHA1" => Value::owned(sha1(&value, pacer)?.to_vec()),
        "MD5" => Value::owned(md5(&value, pacer)?.to_vec()),
        _ => Value::Null,
    })
}

fn digest<D: Digest>(mut digest: D, value: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<Value<'static>> {
    pacer.chunks(value, |chunk| digest.update(chunk))?;
    Ok(Value::owned(digest.finalize().to_vec()))
}

/// RFC 3174. Deprecated for secrets; scripts use it for fingerprints.
fn sha1(bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<[u8; 20]> {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded(bytes, true, pacer)?.chunks_exact(64) {
        pacer.spend(BLOCK)?;
        let mut words = [0_u32; 80];
        for (word, four) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes(four.try_into().expect("4 bytes"));
        }
        for at in 16..80 {
            words[at] = (words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in words.iter().enumerate() {
            let (mixed, constant) = match at / 20 {
                0 => (b & c | !b & d, 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant).wrapping_add(*word);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (state, add) in state.iter_mut().zip([a, b, c, d, e]) {
            *state = state.wrapping_add(add);
        }
    }
    let mut out = [0; 20];
    for (four, word) in out.chunks_exact_mut(4).zip(state) {
        four.copy_from_slice(&word.to_be_bytes());
    }
    Ok(out)
}

/// RFC 1321.
fn md5(bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<[u8; 16]> {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    // The table of RFC 1321 is floor(2^32 * |sin(i + 1)|).
    let constants: [u32; 64] = std::array::from_fn(|at| (((at + 1) as f64).sin().abs() * 4_294_967_296.0) as u32);
    for block in padded(bytes, false, pacer)?.chunks_exact(64) {
        pacer.spend(BLOCK)?;
        let word = |at: usize| u32::from_le_bytes(block[at * 4..at * 4 + 4].try_into().expect("4 bytes"));
        let [mut a, mut b, mut c, mut d] = state;
        for at in 0..64_usize {
            let (mixed, from) = match at / 16 {
                0 => (b & c | !b & d, at),
                1 => (d & b | !d & c, (5 * at + 1) % 16),
                2 => (b ^ c ^ d, (3 * at + 5) % 16),
                _ => (c ^ (b | !d), 7 * at % 16),
            };
            let turned = a
                .wrapping_add(mixed)
                .wrapping_add(constants[at])
                .wrapping_add(word(from))
                .rotate_left(SHIFTS[at / 16][at % 4]);
            (a, d, c, b) = (d, c, b, b.wrapping_add(turned));
        }
        for (state, add) in state.iter_mut().zip([a, b, c, d]) {
            *state = state.wrapping_add(add);
        }
    }
    let mut out = [0; 16];
    for (four, word) in out.chunks_exact_mut(4).zip(state) {
        four.copy_from_slice(&word.to_le_bytes());
    }
    Ok(out)
}

/// The message, a one bit, zeros, and its length in bits, in blocks of 64 bytes.
fn padded(bytes: &[u8], big_endian: bool, pacer: &mut Pacer<'_>) -> SqlResult<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() + 2 * 64);
    pacer.copy(bytes, &mut out)?;
    out.push(0x80);
    while out.len() % 64 != 56 {
        out.push(0);
    }
    let bits = (bytes.len() as u64).wrapping_mul(8);
    out.extend_from_slice(&if big_endian { bits.to_be_bytes() } else { bits.to_le_bytes() });
    Ok(out)
}

#[cfg(test)]
mod tests {
    use types::pause::unpaced;

    fn md5(bytes: &[u8]) -> [u8; 16] {
        unpaced(|pacer| super::md5(bytes, pacer))
    }

    fn sha1(bytes: &[u8]) -> [u8; 20] {
        unpaced(|pacer| super::sha1(bytes, pacer))
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn digests_of_the_rfcs_examples() {
        assert_eq!(hex(&md5(b"")), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(&md5(b"message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
        assert_eq!(hex(&sha1(b"abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            hex(&sha1(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        );
    }
}
