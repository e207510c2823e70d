//! A text letter by letter: what each character weighs.

use super::code_page::{self, CodePage, SingleByte};
use super::letters;
use super::weights::Comparer;
use crate::pause::STRIDE;

/// How text is stored.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    Single(&'static SingleByte),
    Multi(CodePage),
    Utf16,
}

/// A base letter with its accents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Weight {
    pub primary: u32,
    /// Up to four accents, first on top.
    pub marks: u32,
    pub tertiary: u8,
}

/// What one character weighs on its own, for LIKE and searching: nothing is ignored, no character stands for two. The
/// order is that of the collation, so that `[a-f]` has a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CharWeight(Weight);

/// Goes over a text character by character. A combining accent belongs to the character before it.
#[derive(Debug, Clone)]
pub struct Chars<'t> {
    units: Units<'t>,
    comparer: Comparer,
}

impl<'t> Chars<'t> {
    pub fn new(comparer: &Comparer, text: &'t [u8]) -> Chars<'t> {
        Chars { units: Units::new(comparer, text), comparer: *comparer }
    }

    /// What is not read yet.
    pub fn rest(&self) -> &'t [u8] {
        self.units.text
    }

    /// Moves past characters that certainly weigh something else than `wanted`, up to a stride of them; how many bytes they had.
    #[inline]
    pub fn pass(&mut self, wanted: CharWeight) -> usize {
        let Some((plain, weight)) = self.comparer.plain_of(wanted.0.primary) else { return 0 };
        // What is not plain needs a closer look.
        let may = |c: u8| plain[c as usize] == weight || plain[c as usize] == 0;
        let text = &self.units.text[..self.units.text.len().min(STRIDE)];
        let passed = match self.units.form {
            Form::Single(_) | Form::Multi(_) => text.iter().position(|&c| may(c)).unwrap_or(text.len()),
            Form::Utf16 => {
                let units = text.as_chunks::<2>().0;
                2 * units.iter().position(|unit| unit[1] != 0 || may(unit[0])).unwrap_or(units.len())
            }
        };
        self.units.text = &self.units.text[passed..];
        passed
    }

    /// Moves past the first half of a surrogate pair, if one is next.
    pub fn pass_half(&mut self) -> bool {
        let is_pair = matches!((self.units.form, self.units.peek()), (Form::Utf16, Some((_, 4))));
        if is_pair {
            self.units.text = &self.units.text[2..];
        }
        is_pair
    }

    /// The next character's code point, without moving on.
    pub fn peek(&self) -> Option<u32> {
        self.units.peek().map(|(c, _)| c)
    }
}

impl Iterator for Chars<'_> {
    type Item = CharWeight;

    #[inline]
    fn next(&mut self) -> Option<CharWeight> {
        let comparer = &self.comparer;
        if comparer.rules().binary {
            let (c, size) = self.units.peek()?;
            self.units.text = &self.units.text[size..];
            return Some(CharWeight(Weight { primary: c, marks: 0, tertiary: 0 }));
        }
        if let Some(weight) = self.units.plain(comparer) {
            return Some(CharWeight(weight));
        }
        let mut weight = self.units.whole(comparer)?;
        if !comparer.rules().accent {
            weight.marks = 0;
        }
        Some(CharWeight(weight))
    }
}

enum Element {
    Letter(Weight),
    /// A hyphen or apostrophe under word sort.
    Special(u8),
}

/// Goes over a text letter by letter.
#[derive(Debug, Clone)]
pub(super) struct Units<'t> {
    text: &'t [u8],
    form: Form,
    /// Second letter of an expansion (`e` of `æ`), and whether it is upper case.
    pending: Option<(u32, bool)>,
}

impl<'t> Units<'t> {
    pub fn new(comparer: &Comparer, text: &'t [u8]) -> Units<'t> {
        Units { text, form: comparer.form(), pending: None }
    }

    /// The next character and its bytes.
    fn peek(&self) -> Option<(u32, usize)> {
        let first = *self.text.first()?;
        match self.form {
            Form::Single(table) => Some((table.to_unit(first) as u32, 1)),
            Form::Utf16 => {
                let unit = |at: usize| Some(u16::from_le_bytes([*self.text.get(at)?, *self.text.get(at + 1)?]) as u32);
                let high = unit(0)?;
                match unit(2) {
                    Some(low @ 0xdc00..0xe000) if (0xd800..0xdc00).contains(&high) => {
                        Some((0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 4))
                    }
                    _ => Some((high, 2)),
                }
            }
            Form::Multi(_) if first < 0x80 => Some((first as u32, 1)),
            Form::Multi(code_page) => Some(code_page::first_char(code_page, self.text)),
        }
    }

    /// The next character, if it is plain ASCII and no accent can follow it.
    #[inline]
    fn plain(&mut self, comparer: &Comparer) -> Option<Weight> {
        let (&c, rest) = self.text.split_first()?;
        let rest = match self.form {
            Form::Single(_) | Form::Multi(_) if rest.first().is_none_or(|&next| next < 0x80) => rest,
            // Accents are U+0300 to U+036F.
            Form::Utf16 if rest.first() == Some(&0) && rest.get(2) != Some(&3) => &rest[1..],
            _ => return None,
        };
        let weight = comparer.plain_weight(c);
        if weight == 0 || self.pending.is_some() {
            return None;
        }
        self.text = rest;
        Some(Weight { primary: (weight as u32) << 24, marks: 0, tertiary: comparer.case_weight(c) })
    }

    #[inline]
    pub fn letter(&mut self, comparer: &Comparer, special: &mut bool) -> Option<Weight> {
        if let Some(weight) = self.plain(comparer) {
            return Some(weight);
        }
        loop {
            match self.element(comparer)? {
                Element::Letter(weight) => return Some(weight),
                Element::Special(_) => *special = true,
            }
        }
    }

    fn element(&mut self, comparer: &Comparer) -> Option<Element> {
        self.read(comparer, false)
    }

    /// The next character as one letter.
    fn whole(&mut self, comparer: &Comparer) -> Option<Weight> {
        match self.read(comparer, true)? {
            Element::Letter(weight) => Some(weight),
            Element::Special(_) => unreachable!("no character is special on its own"),
        }
    }

    /// `whole`: no character is ignored, special or stands for two.
    fn read(&mut self, comparer: &Comparer, whole: bool) -> Option<Element> {
        let sql = comparer.rules().sql || whole;
        let (mut base, mut marks, upper, katakana, wide);
        if let Some((letter, is_upper)) = self.pending.take() {
            (base, marks, upper, katakana, wide) = (letter, 0, is_upper, false, false);
        } else {
            let c = loop {
                let (c, size) = self.peek()?;
                self.text = &self.text[size..];
                match c {
                    0 | 0xad | 0x200b..=0x200f | 0xfeff if !sql => continue,
                    0x2d | 0x27 if !sql => return Some(Element::Special(if c == 0x2d { 1 } else { 2 })),
                    _ => break c,
                }
            };
            let (narrow, is_katakana, is_wide) = if comparer.rules().sql { (c, false, false) } else { narrow(c) };
            (katakana, wide) = (is_katakana, is_wide);
            match u16::try_from(narrow).ok().and_then(letters::letter) {
                // Turkish and Azeri: the dot is no accent but makes another letter.
                Some(_) if matches!(narrow, 0x49 | 0x130) && comparer.rules().dotless_i() => {
                    (base, marks, upper) = (if narrow == 0x49 { 0x131 } else { b'i' as u32 }, 0, true);
                }
                Some(letter) => {
                    base = letter.base as u32;
                    marks = pack_marks(letter.marks);
                    upper = letter.upper;
                }
                None => {
                    let lower = char::from_u32(narrow).map_or(narrow, lower_case);
                    (base, marks, upper) = (lower, 0, lower != narrow);
                }
            }
        }
        let tailoring = comparer.rules().tailoring;
        // A combining accent joins the letter before it.
        while let Some((next, size)) = self.peek() {
            let Some(mark) = u16::try_from(next).ok().and_then(letters::combining) else { break };
            self.text = &self.text[size..];
            if marks & 0xff == 0 {
                let free = marks.trailing_zeros() / 8 * 8;
                let shift = if marks == 0 { 24 } else { free - 8 };
                marks |= (mark as u32) << shift;
            }
        }
        let tertiary = comparer.tertiary(upper, katakana, wide);
        if !tailoring.is_empty() {
            let first = (marks >> 24) as u8;
            let exact = tailoring.iter().find(|entry| entry.0 as u32 == base && entry.1 == first);
            if let Some(&(_, mark, place)) = exact {
                let marks = if mark == 0 { marks } else { marks << 8 };
                return Some(Element::Letter(Weight { primary: (place as u32) << 24, marks, tertiary }));
            }
        }
        if !sql && let Some((first, second)) = expansion(base) {
            base = first;
            self.pending = Some((second, upper));
        }
        Some(Element::Letter(Weight { primary: comparer.primary(base), marks, tertiary }))
    }
}

fn pack_marks(marks: [u8; 2]) -> u32 {
    (marks[0] as u32) << 24 | (marks[1] as u32) << 16
}

fn lower_case(c: char) -> u32 {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower as u32,
        _ => c as u32,
    }
}

/// Letters that weigh as two.
fn expansion(base: u32) -> Option<(u32, u32)> {
    let pair = match base {
        0xdf => b"ss",
        0xe6 => b"ae",
        0xfe => b"th",
        0x133 => b"ij",
        0x153 => b"oe",
        0x1c6 => b"dz",
        0x1c9 => b"lj",
        0x1cc => b"nj",
        _ => return None,
    };
    Some((pair[0] as u32, pair[1] as u32))
}

/// The plain form of a character of another width or kana, and whether it was katakana, whether of the other width.
fn narrow(c: u32) -> (u32, bool, bool) {
    match c {
        0xb2 | 0xb3 => (c - 0xb0 + 0x30, false, true),
        0xb9 => (0x31, false, true),
        0xaa => (b'a' as u32, false, true),
        0xba => (b'o' as u32, false, true),
        0xb5 => (0x3bc, false, true),
        0x2070 | 0x2074..=0x2079 => (c - 0x2070 + 0x30, false, true),
        0x2080..=0x2089 => (c - 0x2080 + 0x30, false, true),
        0xff01..=0xff5e => (c - 0xfee0, false, true),
        0x30a1..=0x30f6 => (c - 0x60, true, false),
        0xff66..=0xff9d => (HALF_KATAKANA[(c - 0xff66) as usize] as u32 - 0x60, true, true),
        _ => (c, false, false),
    }
}

/// Katakana of U+FF66 - U+FF9D.
const HALF_KATAKANA: [u16; 56] = [
    0x30f2, 0x30a1, 0x30a3, 0x30a5, 0x30a7, 0x30a9, 0x30e3, 0x30e5, 0x30e7, 0x30c3, 0x315c, 0x30a2, 0x30a4, 0x30a6,
    0x30a8, 0x30aa, 0x30ab, 0x30ad, 0x30af, 0x30b1, 0x30b3, 0x30b5, 0x30b7, 0x30b9, 0x30bb, 0x30bd, 0x30bf, 0x30c1,
    0x30c4, 0x30c6, 0x30c8, 0x30ca, 0x30cb, 0x30cc, 0x30cd, 0x30ce, 0x30cf, 0x30d2, 0x30d5, 0x30d8, 0x30db, 0x30de,
    0x30df, 0x30e0, 0x30e1, 0x30e2, 0x30e4, 0x30e6, 0x30e8, 0x30e9, 0x30ea, 0x30eb, 0x30ec, 0x30ed, 0x30ef, 0x30f3,
];

/// Hyphens and apostrophes with one more than the letters before each.
pub(super) struct Specials<'t> {
    units: Units<'t>,
    comparer: Comparer,
    position: u16,
}

impl<'t> Specials<'t> {
    pub fn new(comparer: &Comparer, text: &'t [u8]) -> Specials<'t> {
        Specials { units: Units::new(comparer, text), comparer: *comparer, position: 1 }
    }
}

impl Iterator for Specials<'_> {
    type Item = (u16, u8);

    fn next(&mut self) -> Option<(u16, u8)> {
        loop {
            match self.units.element(&self.comparer)? {
                Element::Special(c) => return Some((self.position, c)),
                Element::Letter(_) => self.position = self.position.saturating_add(1),
            }
        }
    }
}
