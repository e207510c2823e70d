//! Code pages of char and varchar: to and from UTF-16LE, the form of nchar and nvarchar.
//!
//! A character that the code page lacks becomes its base letter if that is there (`Ł` -> `L`), a narrow form, or `?`.

use std::sync::OnceLock;

use encoding_rs::{Encoding, UTF_8};

use super::letters;
use crate::pause::STRIDE;

/// A Windows code page number: 1252, 932, 65001 ...
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodePage(pub u16);

impl CodePage {
    pub const LATIN1: CodePage = CodePage(1252);
    pub const UTF8: CodePage = CodePage(65001);
}

const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
const CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// Code page of each single-byte table below, and the name encoding_rs knows it by.
const SINGLE: [(u16, &str); 12] = [
    (1252, "windows-1252"),
    (437, ""),
    (850, ""),
    (874, "windows-874"),
    (1250, "windows-1250"),
    (1251, "windows-1251"),
    (1253, "windows-1253"),
    (1254, "windows-1254"),
    (1255, "windows-1255"),
    (1256, "windows-1256"),
    (1257, "windows-1257"),
    (1258, "windows-1258"),
];

/// What bytes 0x80 to 0xff mean, and the way back.
#[derive(Debug)]
pub struct SingleByte {
    pub high: [u16; 128],
    /// Sorted by character.
    back: [(u16, u8); 128],
}

static TABLES: [OnceLock<SingleByte>; 12] = [const { OnceLock::new() }; 12];

impl SingleByte {
    fn new(code_page: u16, label: &str) -> SingleByte {
        let mut high = [0; 128];
        match code_page {
            437 | 850 => {
                let text = if code_page == 437 { CP437 } else { CP850 };
                text.chars().zip(&mut high).for_each(|(c, slot)| *slot = c as u16);
            }
            _ => {
                let encoding = Encoding::for_label(label.as_bytes()).expect("a label of the WHATWG encoding standard");
                for (index, slot) in high.iter_mut().enumerate() {
                    let byte = [128 + index as u8];
                    let (text, _) = encoding.decode_without_bom_handling(&byte);
                    let c = text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                    // A byte without a meaning keeps its number, so that it survives a round trip.
                    *slot = if c == char::REPLACEMENT_CHARACTER { byte[0] as u16 } else { c as u16 };
                }
            }
        }
        let mut back = [(0, 0); 128];
        for (index, slot) in back.iter_mut().enumerate() {
            *slot = (high[index], 128 + index as u8);
        }
        back.sort_unstable();
        SingleByte { high, back }
    }

    #[inline]
    pub fn to_unit(&self, byte: u8) -> u16 {
        if byte < 0x80 { byte as u16 } else { self.high[byte as usize - 128] }
    }

    #[inline]
    pub fn from_unit(&self, unit: u16) -> Option<u8> {
        if unit < 0x80 {
            return Some(unit as u8);
        }
        // Most of cp1252's upper half is Latin-1.
        if (0xa0..=0xff).contains(&unit) && self.high[unit as usize - 128] == unit {
            return Some(unit as u8);
        }
        self.back.binary_search_by_key(&unit, |entry| entry.0).ok().map(|index| self.back[index].1)
    }
}

/// None: a code page of several bytes a character.
pub fn single_byte(code_page: CodePage) -> Option<&'static SingleByte> {
    let number = if code_page.0 == 0 { 1252 } else { code_page.0 };
    let index = SINGLE.iter().position(|entry| entry.0 == number)?;
    Some(TABLES[index].get_or_init(|| SingleByte::new(SINGLE[index].0, SINGLE[index].1)))
}

fn multi_byte(code_page: CodePage) -> &'static Encoding {
    match code_page.0 {
        932 => encoding_rs::SHIFT_JIS,
        936 => encoding_rs::GBK,
        949 => encoding_rs::EUC_KR,
        950 => encoding_rs::BIG5,
        _ => UTF_8,
    }
}

/// Appends `bytes` of the code page to `out` as UTF-16LE.
pub fn decode(code_page: CodePage, bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.is_ascii() {
        widen(bytes, out);
    } else if let Some(table) = single_byte(code_page) {
        out.reserve(2 * bytes.len());
        out.extend(bytes.iter().flat_map(|&byte| table.to_unit(byte).to_le_bytes()));
    } else {
        let (text, _) = multi_byte(code_page).decode_without_bom_handling(bytes);
        out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    }
}

/// Appends ASCII characters, which are the same in every code page, as UTF-16LE.
fn widen(ascii: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + 2 * ascii.len(), 0);
    for (unit, byte) in out[start..].as_chunks_mut::<2>().0.iter_mut().zip(ascii) {
        unit[0] = *byte;
    }
}

/// Whether these units of UTF-16LE are ASCII characters, all of them.
#[inline]
pub(super) fn are_ascii(units: &[[u8; 2]]) -> bool {
    units.iter().fold(0, |bits, unit| bits | unit[0] & 0x80 | unit[1]) == 0
}

/// The characters of UTF-16LE, if all are ASCII.
fn narrowed(utf16: &[u8]) -> Option<Vec<u8>> {
    let units = utf16.as_chunks::<2>().0;
    are_ascii(units).then(|| units.iter().map(|unit| unit[0]).collect())
}

pub fn decode_str(code_page: CodePage, bytes: &[u8]) -> String {
    if bytes.is_ascii() {
        return String::from_utf8(bytes.to_vec()).expect("ASCII");
    }
    match single_byte(code_page) {
        Some(table) => {
            let units = bytes.iter().map(|&byte| table.to_unit(byte));
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        None => multi_byte(code_page).decode_without_bom_handling(bytes).0.into_owned(),
    }
}

/// The first character of a not empty text in a code page of several bytes a character, and its bytes.
pub fn first_char(code_page: CodePage, bytes: &[u8]) -> (u32, usize) {
    let lead = bytes[0];
    let size = match code_page.0 {
        _ if lead < 0x80 => 1,
        932 if (0xa1..=0xdf).contains(&lead) => 1,
        932 | 936 | 949 | 950 => 2,
        _ => match lead {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        },
    };
    let size = size.min(bytes.len());
    if code_page == CodePage::UTF8 {
        return match std::str::from_utf8(&bytes[..size]).ok().and_then(|text| text.chars().next()) {
            Some(c) => (c as u32, size),
            // A stray byte keeps a weight of its own.
            None => (0xe000 + lead as u32, 1),
        };
    }
    let (text, _) = multi_byte(code_page).decode_without_bom_handling(&bytes[..size]);
    (text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER) as u32, size)
}

/// The largest end of whole characters that is not beyond `end`.
pub fn floor_boundary(code_page: CodePage, bytes: &[u8], end: usize) -> usize {
    if end >= bytes.len() {
        return bytes.len();
    }
    if single_byte(code_page).is_some() {
        return end;
    }
    if code_page == CodePage::UTF8 {
        // Bytes 10xxxxxx continue a character, which has at most four.
        let back = (0..4.min(end + 1)).find(|&back| bytes[end - back] & 0xc0 != 0x80);
        return end - back.unwrap_or(0);
    }
    // The trail byte of a pair may look like a lead byte: only counting from the front tells them apart.
    let mut at = 0;
    while at < end {
        let size = first_char(code_page, &bytes[at..]).1;
        if at + size > end {
            break;
        }
        at += size;
    }
    at
}

/// Where the first piece of a text ends that is about a stride long and cuts no character. None: of UTF-16LE.
pub fn piece_end(code_page: Option<CodePage>, bytes: &[u8]) -> usize {
    if bytes.len() <= STRIDE {
        return bytes.len();
    }
    match code_page {
        Some(code_page) => floor_boundary(code_page, bytes, STRIDE).max(1),
        None if (0xd8..0xdc).contains(&bytes[STRIDE - 1]) => STRIDE - 2,
        None => STRIDE,
    }
}

/// Appends UTF-16LE text to `out` in the code page. A last odd byte is dropped.
pub fn encode(code_page: CodePage, utf16: &[u8], out: &mut Vec<u8>) {
    if let Some(ascii) = narrowed(utf16) {
        return out.extend_from_slice(&ascii);
    }
    let units = utf16.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    match single_byte(code_page) {
        Some(table) => {
            out.reserve(utf16.len() / 2);
            // Each half of a pair becomes a `?`, as SQL Server does.
            out.extend(units.map(|unit| to_byte(table, unit)));
        }
        None => {
            for c in char::decode_utf16(units) {
                push_multi_byte(code_page, c.unwrap_or(char::REPLACEMENT_CHARACTER), out);
            }
        }
    }
}

pub fn encode_str(code_page: CodePage, text: &str, out: &mut Vec<u8>) {
    if text.is_ascii() {
        return out.extend_from_slice(text.as_bytes());
    }
    match single_byte(code_page) {
        Some(table) => {
            out.extend(text.encode_utf16().map(|unit| to_byte(table, unit)));
        }
        None if code_page == CodePage::UTF8 => out.extend_from_slice(text.as_bytes()),
        None => text.chars().for_each(|c| push_multi_byte(code_page, c, out)),
    }
}

fn push_multi_byte(code_page: CodePage, c: char, out: &mut Vec<u8>) {
    if c.is_ascii() {
        return out.push(c as u8);
    }
    let mut buffer = [0; 4];
    let text = c.encode_utf8(&mut buffer);
    if code_page == CodePage::UTF8 {
        return out.extend_from_slice(text.as_bytes());
    }
    let (bytes, _, unmappable) = multi_byte(code_page).encode(text);
    if unmappable { out.push(b'?') } else { out.extend_from_slice(&bytes) }
}

fn to_byte(table: &SingleByte, unit: u16) -> u8 {
    table.from_unit(unit).or_else(|| best_fit(table, unit)).unwrap_or(b'?')
}

/// The nearest character that the code page has.
fn best_fit(table: &SingleByte, unit: u16) -> Option<u8> {
    match unit {
        0x2018 | 0x2019 | 0x2032 => return Some(b'\''),
        0x201c | 0x201d | 0x2033 => return Some(b'"'),
        0x2010..=0x2015 | 0x2212 => return Some(b'-'),
        0x2007 => return table.from_unit(0xa0).or(Some(b' ')),
        0x2000..=0x200a | 0x3000 => return Some(b' '),
        0x2026 => return Some(b'.'),
        0xff01..=0xff5e => return Some((unit - 0xfee0) as u8),
        // Raised and lowered digits; the first three raised ones are of Latin-1.
        0x2074..=0x2078 => return Some(b'4' + (unit - 0x2074) as u8),
        0x2080..=0x2089 => return Some(b'0' + (unit - 0x2080) as u8),
        0x2216 => return Some(b'\\'),
        0x221e => return Some(b'8'),
        // Of their look or name: small delta and epsilon, the colon and lira signs, a sun, spaces that do not break.
        0x03b4 => return Some(b'd'),
        0x03b5 => return Some(b'e'),
        0x20a1 => return table.from_unit(0xa2),
        0x20a4 => return table.from_unit(0xa3),
        0x263c => return table.from_unit(0xa4),
        0x202f => return table.from_unit(0xa0),
        _ => {}
    }
    let letter = letters::letter(unit)?;
    let base = if letter.upper { letters::to_upper(letter.base) } else { letter.base };
    (base != unit).then(|| table.from_unit(base)).flatten()
}

/// UTF-16LE bytes as text. Lone surrogates become U+FFFD, a last odd byte is dropped.
pub fn utf16_to_string(utf16: &[u8]) -> String {
    if let Some(ascii) = narrowed(utf16) {
        return String::from_utf8(ascii).expect("ASCII");
    }
    let units = utf16.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Appends text as UTF-16LE bytes.
pub fn push_utf16(text: &str, out: &mut Vec<u8>) {
    if text.is_ascii() {
        return widen(text.as_bytes(), out);
    }
    out.reserve(2 * text.len());
    out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
}
