//! Comparison of text: how characters weigh under a collation.
//!
//! A linguistic collation compares by levels: base letters first, then accents, then case, kana and width, then (word
//! sort, the Windows rule) hyphens and apostrophes. Blanks at the end do not count. A text's *key* is the same order as
//! bytes for memcmp, closed at its end, so that a longer key can follow:
//!
//! ```text
//!  base letters 01 [accents 01] [case 01] [positions of hyphens 00 00]        levels that the collation has
//!  base letter: 02-DF one byte (blank 02, ASCII, Latin-1, tailored letters); 65 xx xx symbols, E1 xx xx other letters
//!               by code point; F1 xx xx xx characters outside the BMP
//!  accents: a base letter's accents (03-FF), then 02; case: a byte 02-FF a letter; trailing 02s are cut off
//! ```
//!
//! A binary collation's key is its bytes (units big-endian); a run of blanks is written so that it compares with
//! whatever follows as blanks without end do.
//!
//! Primary weights follow Unicode code points outside the European scripts, not the stroke and reading orders of the
//! East Asian collations.

use std::cmp::Ordering;
use std::hash::Hasher;

use super::code_page::{self, CodePage, SingleByte};
use super::letters;

/// What a collation distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// `_BIN` or `_BIN2`; nothing below counts then.
    pub binary: bool,
    /// `_BIN`: after the first character, UTF-16 text compares byte by byte.
    pub old_binary: bool,
    pub case: bool,
    pub accent: bool,
    pub kana: bool,
    pub width: bool,
    /// SQL_ collations on varchar: `A` before `a`, every character on its own, no word sort.
    pub sql: bool,
    pub tailoring: Tailoring,
}

impl Rules {
    fn dotless_i(&self) -> bool {
        self.tailoring.iter().any(|entry| entry.0 == 0x131)
    }
}

/// Letters (base, accent number or 0) with a place of their own in a language's alphabet.
pub type Tailoring = &'static [(u16, u8, u8)];

/// How text is stored.
#[derive(Debug, Clone, Copy)]
enum Form {
    Single(&'static SingleByte),
    Multi(CodePage),
    Utf16,
}

/// Compares text of one collation in one form. Small and `Copy`: make one per expression, not per comparison.
#[derive(Debug, Clone, Copy)]
pub struct Comparer {
    rules: Rules,
    form: Form,
    ascii: &'static [u8; 128],
}

/// Weight of the end of a level; less than every weight.
const END: u8 = 0x01;
const BLANK: u8 = 0x02;
/// The default of the accent and case levels.
const PLAIN: u8 = 0x02;
const SYMBOL: u32 = 0x65;
const LETTER: u32 = 0xe1;
const BEYOND: u32 = 0xf1;
/// Weight of a letter of a to z, with three places after each for tailored letters; eight more follow z's.
pub const fn latin(letter: u8) -> u8 {
    0x70 + 4 * (letter - b'a')
}
/// First place after z's own.
pub const AFTER_Z: u8 = 0xd8;

const WINDOWS_ORDER: &[u8] = b"-'!\"#$%&()*,./:;?@[\\]^_`{|}~+<=>";
const SQL_ORDER: &[u8] = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
static WINDOWS_ASCII: [u8; 128] = ascii_weights(WINDOWS_ORDER);
static SQL_ASCII: [u8; 128] = ascii_weights(SQL_ORDER);

const fn ascii_weights(order: &[u8]) -> [u8; 128] {
    let mut table = [0; 128];
    let mut next = BLANK + 1;
    let mut c = 0;
    while c < 128 {
        if c < 32 || c == 127 {
            table[c as usize] = next;
            next += 1;
        }
        c += 1;
    }
    table[b' ' as usize] = BLANK;
    let mut index = 0;
    while index < order.len() {
        table[order[index] as usize] = next;
        next += 1;
        index += 1;
    }
    assert!(next == FIRST_LATIN1);
    c = b'0';
    while c <= b'9' {
        table[c as usize] = 0x66 + c - b'0';
        c += 1;
    }
    c = b'a';
    while c <= b'z' {
        table[c as usize] = latin(c);
        table[(c - 32) as usize] = latin(c);
        c += 1;
    }
    table
}

/// Symbols of Latin-1 follow those of ASCII: U+00A0 up, 32 places.
const FIRST_LATIN1: u8 = 0x44;

impl Comparer {
    /// For char, varchar and text.
    pub fn ansi(rules: Rules, code_page: CodePage) -> Comparer {
        let form = code_page::single_byte(code_page).map_or(Form::Multi(code_page), Form::Single);
        Comparer { rules, form, ascii: if rules.sql { &SQL_ASCII } else { &WINDOWS_ASCII } }
    }

    /// For nchar, nvarchar and ntext: SQL_ collations follow the Windows rules here.
    pub fn unicode(rules: Rules) -> Comparer {
        Comparer { rules: Rules { sql: false, ..rules }, form: Form::Utf16, ascii: &WINDOWS_ASCII }
    }

    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Without the blanks at its end.
    #[inline]
    pub fn trim<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let mut end = text.len();
        match self.form {
            Form::Utf16 => {
                end &= !1;
                while end >= 2 && text[end - 2] == b' ' && text[end - 1] == 0 {
                    end -= 2;
                }
            }
            _ => {
                while end > 0 && text[end - 1] == b' ' {
                    end -= 1;
                }
            }
        }
        &text[..end]
    }

    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.rules.binary {
            return self.compare_binary(a, b);
        }
        let (a, b) = (self.trim(a), self.trim(b));
        let mut case = Ordering::Equal;
        let step = self.step();
        let mut at = 0;
        // Plain ASCII needs one table; anything else, from where it starts, goes by elements.
        while let (Some(x), Some(y)) = (self.plain(a, at), self.plain(b, at)) {
            let (wx, wy) = (self.ascii[x as usize], self.ascii[y as usize]);
            if wx != wy {
                return wx.cmp(&wy);
            }
            if self.rules.case && case == Ordering::Equal {
                case = self.case_weight(x).cmp(&self.case_weight(y));
            }
            at += step;
        }
        match (at >= a.len(), at >= b.len()) {
            (true, true) => return case,
            (true, false) if self.plain(b, at).is_some() => return Ordering::Less,
            (false, true) if self.plain(a, at).is_some() => return Ordering::Greater,
            _ => {}
        }
        // An accent may belong to the last plain letter: step back to it.
        let at = at.saturating_sub(step);
        self.compare_elements(&a[at..], &b[at..], case)
    }

    #[inline]
    pub fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        self.compare(a, b) == Ordering::Equal
    }

    #[inline]
    const fn step(&self) -> usize {
        if matches!(self.form, Form::Utf16) { 2 } else { 1 }
    }

    /// The ASCII character at `at`, if it is one without a special place (word sort, Turkish i).
    #[inline]
    fn plain(&self, text: &[u8], at: usize) -> Option<u8> {
        let c = *text.get(at)?;
        if c >= 0x80 || matches!(self.form, Form::Utf16) && text.get(at + 1) != Some(&0) {
            return None;
        }
        let special = !self.rules.sql && matches!(c, b'-' | b'\'' | 0) || c == b'I' && !self.rules.tailoring.is_empty();
        (!special).then_some(c)
    }

    /// Weight of an ASCII character at the case level.
    #[inline]
    fn case_weight(&self, c: u8) -> u8 {
        self.tertiary(c.is_ascii_uppercase(), false, false)
    }

    #[inline]
    fn tertiary(&self, upper: bool, katakana: bool, wide: bool) -> u8 {
        let case = self.rules.case && (upper != self.rules.sql);
        PLAIN + case as u8 + 2 * (katakana && self.rules.kana) as u8 + 4 * (wide && self.rules.width) as u8
    }

    fn has_tertiary(&self) -> bool {
        self.rules.case || self.rules.kana || self.rules.width
    }

    fn compare_elements(&self, a: &[u8], b: &[u8], case_before: Ordering) -> Ordering {
        let (mut a_units, mut b_units) = (Units::new(self, a), Units::new(self, b));
        let (mut accents, mut case) = (Ordering::Equal, case_before);
        let mut special = false;
        loop {
            let x = a_units.letter(self, &mut special);
            let y = b_units.letter(self, &mut special);
            let (x, y) = match (x, y) {
                (None, None) => break,
                (None, Some(_)) => return Ordering::Less,
                (Some(_), None) => return Ordering::Greater,
                (Some(x), Some(y)) => (x, y),
            };
            if x.primary != y.primary {
                return x.primary.cmp(&y.primary);
            }
            accents = accents.then(x.marks.cmp(&y.marks));
            case = case.then(x.tertiary.cmp(&y.tertiary));
        }
        if self.rules.accent && accents != Ordering::Equal {
            return accents;
        }
        if case != Ordering::Equal || !special {
            return case;
        }
        let (mut x, mut y) = (Specials::new(self, a), Specials::new(self, b));
        loop {
            match (x.next(), y.next()) {
                (None, None) => return Ordering::Equal,
                (p, q) if p != q => return p.cmp(&q),
                _ => {}
            }
        }
    }

    /// Appends the key of `text` (see the top of the file).
    pub fn key(&self, text: &[u8], out: &mut Vec<u8>) {
        if self.rules.binary {
            return self.binary_key(text, out);
        }
        let text = self.trim(text);
        let mut at = 0;
        let step = self.step();
        let mut any_case = false;
        while let Some(c) = self.plain(text, at) {
            out.push(self.ascii[c as usize]);
            any_case |= self.case_weight(c) != PLAIN;
            at += step;
        }
        let (mut any_marks, mut special) = (false, false);
        if at < text.len() {
            let restart = at.saturating_sub(step);
            out.truncate(out.len() - (at - restart) / step);
            let mut units = Units::new(self, &text[restart..]);
            while let Some(letter) = units.letter(self, &mut special) {
                push_primary(letter.primary, out);
                any_marks |= letter.marks != 0;
                any_case |= letter.tertiary != PLAIN;
            }
        }
        out.push(END);
        if self.rules.accent {
            if any_marks {
                self.accent_level(text, out);
            }
            out.push(END);
        }
        if self.has_tertiary() {
            if any_case {
                self.case_level(text, out);
            }
            out.push(END);
        }
        if !self.rules.sql {
            if special {
                for (position, c) in Specials::new(self, text) {
                    out.extend_from_slice(&position.to_be_bytes());
                    out.push(c);
                }
            }
            out.extend_from_slice(&[0, 0]);
        }
    }

    fn accent_level(&self, text: &[u8], out: &mut Vec<u8>) {
        let mut units = Units::new(self, text);
        let mut plain = 0;
        while let Some(letter) = units.letter(self, &mut false) {
            if letter.marks == 0 {
                plain += 1;
                continue;
            }
            out.extend(std::iter::repeat_n(PLAIN, plain));
            out.extend(letter.marks.to_be_bytes().iter().filter(|&&mark| mark != 0));
            plain = 1;
        }
    }

    fn case_level(&self, text: &[u8], out: &mut Vec<u8>) {
        let mut units = Units::new(self, text);
        let mut plain = 0;
        while let Some(letter) = units.letter(self, &mut false) {
            if letter.tertiary == PLAIN {
                plain += 1;
                continue;
            }
            out.extend(std::iter::repeat_n(PLAIN, plain));
            out.push(letter.tertiary);
            plain = 0;
        }
    }

    /// Equal text (by `compare`) hashes equal; text that differs only in accents, case or hyphens may, too.
    pub fn hash(&self, text: &[u8], hasher: &mut impl Hasher) {
        let text = self.trim(text);
        if self.rules.binary {
            return hasher.write(text);
        }
        let mut packer = Packer { hasher, word: 0, count: 0 };
        let step = self.step();
        let plain_end = (0..text.len()).step_by(step).find(|&at| self.plain(text, at).is_none());
        if plain_end.is_none() {
            text.iter().step_by(step).for_each(|&c| packer.add(self.ascii[c as usize]));
        } else {
            let mut units = Units::new(self, text);
            while let Some(letter) = units.letter(self, &mut false) {
                let size = primary_bytes(letter.primary);
                letter.primary.to_be_bytes()[..size].iter().for_each(|&byte| packer.add(byte));
            }
        }
        packer.finish();
    }

    fn compare_binary(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self.form {
            Form::Utf16 => {
                let mut position = 0;
                let (mut x, mut y) = (a.chunks_exact(2), b.chunks_exact(2));
                loop {
                    let (p, q) = match (x.next(), y.next()) {
                        (None, None) => return Ordering::Equal,
                        (p, q) => (p.unwrap_or(&[b' ', 0]), q.unwrap_or(&[b' ', 0])),
                    };
                    if p != q {
                        return self.binary_unit(p, position).cmp(&self.binary_unit(q, position));
                    }
                    position += 1;
                }
            }
            _ => {
                let common = a.len().min(b.len());
                let blanks = |rest: &[u8]| rest.iter().find(|&&c| c != b' ').map_or(Ordering::Equal, |c| c.cmp(&b' '));
                a[..common]
                    .cmp(&b[..common])
                    .then_with(|| blanks(&a[common..]))
                    .then_with(|| blanks(&b[common..]).reverse())
            }
        }
    }

    /// What a binary collation compares of a unit.
    #[inline]
    fn binary_unit(&self, unit: &[u8], position: usize) -> u16 {
        if self.rules.old_binary && position > 0 {
            u16::from_be_bytes([unit[0], unit[1]])
        } else {
            u16::from_le_bytes([unit[0], unit[1]])
        }
    }

    fn binary_key(&self, text: &[u8], out: &mut Vec<u8>) {
        let text = self.trim(text);
        let step = self.step();
        let mut blanks = 0_u32;
        for (position, unit) in text.chunks_exact(step).enumerate() {
            let (is_blank, above) = if step == 1 {
                (unit[0] == b' ', unit[0] > b' ')
            } else {
                let blank = self.binary_unit(b" \0", position);
                (unit == b" \0", self.binary_unit(unit, position) > blank)
            };
            if is_blank {
                blanks += 1;
                continue;
            }
            if blanks > 0 {
                // The blank before was at `position - 1`, the run's first at `position - blanks`.
                self.push_blank(position - blanks as usize, out);
                let run = if above { (BLANKS_THEN_MORE, !blanks) } else { (BLANKS_THEN_LESS, blanks) };
                out.push(run.0);
                out.extend_from_slice(&run.1.to_be_bytes());
                blanks = 0;
            }
            if step == 1 {
                out.push(unit[0]);
            } else {
                out.extend_from_slice(&self.binary_unit(unit, position).to_be_bytes());
            }
        }
        self.push_blank(text.len() / step, out);
        out.push(BLANKS_END);
    }

    fn push_blank(&self, position: usize, out: &mut Vec<u8>) {
        match self.form {
            Form::Utf16 => out.extend_from_slice(&self.binary_unit(b" \0", position).to_be_bytes()),
            _ => out.push(b' '),
        }
    }

    /// Weight of a base letter, first byte on top.
    fn primary(&self, base: u32) -> u32 {
        let one = |weight: u8| (weight as u32) << 24;
        match base {
            0..0x80 => one(self.ascii[base as usize]),
            0xdf => one(latin(b's') + 1),
            0xe6 => one(latin(b'a') + 1),
            0xf0 => one(latin(b'd') + 1),
            0xfe => one(AFTER_Z),
            0xa0..0xc0 => one(FIRST_LATIN1 + (base - 0xa0) as u8),
            0xd7 => one(FIRST_LATIN1 + 0x20),
            0x80..0xa0 | 0xf7 | 0x2000..0x2c00 | 0x3000..0x3040 | 0xfe30..0xfe70 | 0xffe0..0xfff0 => {
                SYMBOL << 24 | base << 8
            }
            0x10000.. => BEYOND << 24 | base,
            _ => LETTER << 24 | base << 8,
        }
    }
}

const BLANKS_THEN_LESS: u8 = 1;
const BLANKS_END: u8 = 2;
const BLANKS_THEN_MORE: u8 = 3;

fn primary_bytes(primary: u32) -> usize {
    match primary >> 24 {
        SYMBOL | LETTER => 3,
        BEYOND => 4,
        _ => 1,
    }
}

fn push_primary(primary: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&primary.to_be_bytes()[..primary_bytes(primary)]);
}

struct Packer<'h, H: Hasher> {
    hasher: &'h mut H,
    word: u64,
    count: u32,
}

impl<H: Hasher> Packer<'_, H> {
    fn add(&mut self, weight: u8) {
        self.word = self.word << 8 | weight as u64;
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(8) {
            self.hasher.write_u64(self.word);
            self.word = 0;
        }
    }

    fn finish(self) {
        self.hasher.write_u64(self.word);
        self.hasher.write_u32(self.count);
    }
}

/// A base letter with its accents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    primary: u32,
    /// Up to four accents, first on top.
    marks: u32,
    tertiary: u8,
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
        if comparer.rules.binary {
            let (c, size) = self.units.peek()?;
            self.units.text = &self.units.text[size..];
            return Some(CharWeight(Weight { primary: c, marks: 0, tertiary: 0 }));
        }
        // Plain ASCII, unless an accent may follow it.
        let alone = match self.units.form {
            Form::Single(_) | Form::Multi(_) => self.units.text.get(1).is_none_or(|&next| next < 0x80),
            Form::Utf16 => self.units.text.get(3).is_none_or(|&next| next != 3),
        };
        if alone && let Some(c) = comparer.plain(self.units.text, 0) {
            self.units.text = &self.units.text[comparer.step()..];
            let primary = (comparer.ascii[c as usize] as u32) << 24;
            return Some(CharWeight(Weight { primary, marks: 0, tertiary: comparer.case_weight(c) }));
        }
        let mut weight = self.units.whole(comparer)?;
        if !comparer.rules.accent {
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
struct Units<'t> {
    text: &'t [u8],
    form: Form,
    /// Second letter of an expansion (`e` of `æ`), and whether it is upper case.
    pending: Option<(u32, bool)>,
}

impl<'t> Units<'t> {
    fn new(comparer: &Comparer, text: &'t [u8]) -> Units<'t> {
        Units { text, form: comparer.form, pending: None }
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

    fn letter(&mut self, comparer: &Comparer, special: &mut bool) -> Option<Weight> {
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
        let sql = comparer.rules.sql || whole;
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
            let (narrow, is_katakana, is_wide) = if comparer.rules.sql { (c, false, false) } else { narrow(c) };
            (katakana, wide) = (is_katakana, is_wide);
            match u16::try_from(narrow).ok().and_then(letters::letter) {
                // Turkish and Azeri: the dot is no accent but makes another letter.
                Some(_) if matches!(narrow, 0x49 | 0x130) && comparer.rules.dotless_i() => {
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
        let tailoring = comparer.rules.tailoring;
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
struct Specials<'t> {
    units: Units<'t>,
    comparer: Comparer,
    position: u16,
}

impl<'t> Specials<'t> {
    fn new(comparer: &Comparer, text: &'t [u8]) -> Specials<'t> {
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
