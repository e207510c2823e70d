//! What pages are packed by: Snappy, gzip, and runs of small numbers.
//!
//! https://github.com/google/snappy/blob/main/format_description.txt
//! https://github.com/apache/parquet-format/blob/master/Encodings.md

use std::io::Read;

use super::{codec, encoding};

/// Of a page, once its texts are whole.
const TEXTS_BYTES_MAX: usize = i32::MAX as usize;

/// What the page says is its length is what it has. Err: it is damaged, or packed by what is not here.
pub fn unpacked(packed: &[u8], how: i32, bytes: usize) -> Result<Vec<u8>, String> {
    let made = match how {
        codec::UNCOMPRESSED => Some(packed.to_vec()),
        codec::SNAPPY => unsnapped(packed, bytes),
        codec::GZIP => {
            let mut made = Vec::new();
            // A byte more than there may be shows that there are more.
            let read = flate2::read::MultiGzDecoder::new(packed).take(bytes as u64 + 1).read_to_end(&mut made);
            read.is_ok().then_some(made)
        }
        other => {
            let name = usize::try_from(other).ok().and_then(|other| codec::NAMES.get(other));
            let name = name.map_or_else(|| other.to_string(), |name| (*name).to_owned());
            return Err(format!("its pages are compressed by {name}; UNCOMPRESSED, SNAPPY and GZIP are read"));
        }
    };
    made.filter(|made| made.len() == bytes).ok_or_else(|| "a page is damaged".to_owned())
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn unsnapped(packed: &[u8], bytes: usize) -> Option<Vec<u8>> {
    let mut at = 0;
    if varint(packed, &mut at)? != bytes as u64 {
        return None;
    }
    let mut out: Vec<u8> = Vec::new();
    let number = |from: usize, count: usize| -> Option<usize> {
        let bytes = packed.get(from..from + count)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    };
    while at < packed.len() {
        let tag = packed[at];
        at += 1;
        let long = usize::from(tag >> 2);
        if tag & 3 == 0 {
            let extra = long.saturating_sub(59);
            let count = if extra == 0 { long } else { number(at, extra)? } + 1;
            at += extra;
            out.extend_from_slice(packed.get(at..at.checked_add(count)?)?);
            at += count;
        } else {
            let (count, back, used) = match tag & 3 {
                1 => (4 + (long & 7), (usize::from(tag >> 5) << 8) | number(at, 1)?, 1),
                2 => (long + 1, number(at, 2)?, 2),
                _ => (long + 1, number(at, 4)?, 4),
            };
            at += used;
            let start = out.len().checked_sub(back).filter(|_| back > 0)?;
            // What is copied may be what is being copied.
            (start..start + count).for_each(|from| out.push(out[from]));
        }
        if out.len() > bytes {
            return None;
        }
    }
    Some(out)
}

/// Numbers of `bits` each, in runs of one number or packed side by side (RLE). None: there are fewer than `count`.
pub fn runs(bytes: &[u8], bits: u32, count: usize) -> Option<Vec<u32>> {
    if bits > 32 {
        return None;
    }
    let mut numbers = Vec::with_capacity(count.min(bytes.len() * 8 + 8));
    let mut at = 0;
    while numbers.len() < count {
        let head = varint(bytes, &mut at)?;
        if head & 1 == 0 {
            let width = bits.div_ceil(8) as usize;
            let value =
                bytes.get(at..at + width)?.iter().rev().fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
            at += width;
            let times = usize::try_from(head >> 1).ok()?.min(count - numbers.len());
            numbers.resize(numbers.len() + times, value);
            if head >> 1 == 0 {
                return None;
            }
        } else {
            let packed = usize::try_from(head >> 1).ok()?.checked_mul(bits as usize)?;
            // The last run may leave out what nobody needs.
            let end = at.checked_add(packed)?.min(bytes.len());
            let values = usize::try_from(head >> 1).ok()?.checked_mul(8)?.min(count - numbers.len());
            let group = &bytes[at..end];
            for index in 0..values {
                numbers.push(bits_at(group, index * bits as usize, bits)? as u32);
            }
            if values == 0 {
                return None;
            }
            at = end;
        }
    }
    Some(numbers)
}

fn bits_at(bytes: &[u8], first: usize, bits: u32) -> Option<u64> {
    let mut value = 0_u128;
    let last = first + bits as usize;
    for byte in first / 8..last.div_ceil(8) {
        value |= u128::from(*bytes.get(byte)?) << (8 * (byte - first / 8));
    }
    Some((value >> (first % 8) & ((1_u128 << bits) - 1)) as u64)
}

/// Plain values of a page in another encoding than PLAIN, `count` of them. `width`: of each, where all have the same. Err: the encoding is not read. None: the page is
/// damaged.
pub fn plain(bytes: &[u8], how: i32, count: usize, width: Option<usize>) -> Result<Option<Vec<u8>>, ()> {
    Ok(match (how, width) {
        (encoding::DELTA_BINARY_PACKED, Some(width @ (4 | 8))) => deltas(bytes, count).map(|(numbers, _)| {
            numbers.iter().flat_map(|number| number.to_le_bytes().into_iter().take(width)).collect()
        }),
        (encoding::DELTA_LENGTH_BYTE_ARRAY, None) => texts(bytes, count, None),
        (encoding::DELTA_BYTE_ARRAY, width) => deltas(bytes, count).and_then(|(prefixes, used)| {
            let whole = texts(&bytes[used..], count, Some(&prefixes))?;
            // Values of one length stand without it.
            width.map_or(Some(whole.clone()), |width| without_lengths(&whole, width))
        }),
        (encoding::BYTE_STREAM_SPLIT, Some(width)) => (Some(bytes.len()) == count.checked_mul(width))
            .then(|| (0..bytes.len()).map(|at| bytes[at % width * count + at / width]).collect()),
        _ => return Err(()),
    })
}

fn zigzag(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let number = varint(bytes, at)?;
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

/// Numbers by their differences, packed in blocks (DELTA_BINARY_PACKED), and how many bytes they had.
fn deltas(bytes: &[u8], count: usize) -> Option<(Vec<i64>, usize)> {
    let mut at = 0;
    let block = usize::try_from(varint(bytes, &mut at)?).ok()?;
    let minis = usize::try_from(varint(bytes, &mut at)?).ok()?;
    let total = varint(bytes, &mut at)?;
    let mut last = zigzag(bytes, &mut at)?;
    let each = block.checked_div(minis).filter(|each| *each > 0 && each.is_multiple_of(8) && block <= 1 << 20)?;
    if total != count as u64 {
        return None;
    }
    let mut numbers = Vec::with_capacity(count.min(bytes.len() * each));
    if count > 0 {
        numbers.push(last);
    }
    while numbers.len() < count {
        let least = zigzag(bytes, &mut at)?;
        let widths = bytes.get(at..at.checked_add(minis)?)?;
        at += minis;
        for width in widths {
            // Those behind the last number may be left out.
            if numbers.len() == count {
                break;
            }
            if *width > 64 {
                return None;
            }
            let end = at.checked_add(each / 8 * usize::from(*width))?;
            let packed = &bytes[at..end.min(bytes.len())];
            for index in 0..each.min(count - numbers.len()) {
                let more = bits_at(packed, index * usize::from(*width), (*width).into())?;
                last = last.wrapping_add(least).wrapping_add(more as i64);
                numbers.push(last);
            }
            at = end.min(bytes.len());
        }
    }
    Some((numbers, at))
}

/// Texts whose lengths come first. `prefixes`: so many bytes of each are those of the one before.
fn texts(bytes: &[u8], count: usize, prefixes: Option<&[i64]>) -> Option<Vec<u8>> {
    let (lengths, mut at) = deltas(bytes, count)?;
    let mut out = Vec::with_capacity(bytes.len() + 4 * count.min(bytes.len()));
    let mut before = 0..0;
    for (index, length) in lengths.iter().enumerate() {
        let end = at.checked_add(usize::try_from(*length).ok()?)?;
        let own = bytes.get(at..end)?;
        at = end;
        let same = usize::try_from(prefixes.map_or(0, |prefixes| prefixes[index])).ok()?;
        if same > before.len() || out.len() > TEXTS_BYTES_MAX {
            return None;
        }
        out.extend_from_slice(&((same + own.len()) as u32).to_le_bytes());
        let start = out.len();
        out.extend_from_within(before.start..before.start + same);
        out.extend_from_slice(own);
        before = start..out.len();
    }
    Some(out)
}

fn without_lengths(whole: &[u8], width: usize) -> Option<Vec<u8>> {
    let each = 4 + width;
    let right = |value: &[u8]| value[..4] == (width as u32).to_le_bytes();
    let all = whole.len().is_multiple_of(each) && whole.chunks(each).all(right);
    all.then(|| whole.chunks(each).flat_map(|value| value[4..].iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_numbers() {
        // Four times 2 in three bits, then eight packed: the example of Encodings.md, 0 to 7.
        let bytes = [4 << 1, 2, 1 << 1 | 1, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        assert_eq!(runs(&bytes, 3, 12).as_deref(), Some(&[2, 2, 2, 2, 0, 1, 2, 3, 4, 5, 6, 7][..]));
        assert_eq!(runs(&bytes, 3, 13), None);
        assert_eq!(runs(&bytes[..5], 3, 12), None);
        assert_eq!(runs(&[2 << 1], 0, 2).as_deref(), Some(&[0, 0][..]));
        assert_eq!(runs(&[0, 0], 1, 1), None);
        assert_eq!(runs(&[0xff; 20], 32, 5), None);
    }

    #[test]
    fn snappy() {
        // "abcd", then four of it again, and a run of one letter.
        let packed = [13, 3 << 2, b'a', b'b', b'c', b'd', 1, 4, 0, b'x', 3 << 2 | 2, 1, 0];
        assert_eq!(unpacked(&packed, codec::SNAPPY, 13).as_deref(), Ok(&b"abcdabcdxxxxx"[..]));
        for cut in 0..packed.len() {
            assert!(unpacked(&packed[..cut], codec::SNAPPY, 13).is_err(), "{cut}");
        }
        assert!(unpacked(&[4, 1, 4], codec::SNAPPY, 4).is_err(), "a copy of nothing");
        assert!(unpacked(b"", 6, 0).expect_err("refused").contains("ZSTD"));
    }

    #[test]
    fn differences() {
        // Blocks of 8 numbers in one part: 7, 5, 3, 1, 2, 3, 4, 5, as Encodings.md begins its second example; least -2, widths 2.
        let bytes = [8, 1, 8, 14, 3, 2, 0b1100_0000, 0b0011_1111];
        assert_eq!(deltas(&bytes, 8), Some((vec![7, 5, 3, 1, 2, 3, 4, 5], 8)));
        assert_eq!(deltas(&bytes, 7), None);
        assert_eq!(deltas(&bytes[..7], 8), None);
        assert_eq!(deltas(&[8, 0, 1, 2], 1), None);
        let four = plain(&bytes, encoding::DELTA_BINARY_PACKED, 8, Some(4)).expect("read").expect("whole");
        assert_eq!((four.len(), &four[..8]), (32, &[7, 0, 0, 0, 5, 0, 0, 0][..]));
        // Two bytes of two numbers each: the first bytes, then the second ones.
        let split = plain(&[1, 3, 2, 4], encoding::BYTE_STREAM_SPLIT, 2, Some(2));
        assert_eq!(split, Ok(Some(vec![1, 2, 3, 4])));
        assert_eq!(plain(&[], encoding::RLE, 0, None), Err(()));
    }
}
