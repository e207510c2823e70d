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

use super::code_page::{self, CodePage};
use super::families::{AFTER_Z, Tailoring, latin};
use super::units::{Form, Specials, Units};
use crate::error::SqlResult;
use crate::pause::{CHARACTER, Pace, Pacer, STRIDE, Unpaced};

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
    pub(super) fn dotless_i(&self) -> bool {
        self.tailoring.iter().any(|entry| entry.0 == 0x131)
    }
}

/// Compares text of one collation in one form. Small and `Copy`: make one per expression, not per comparison.
#[derive(Debug, Clone, Copy)]
pub struct Comparer {
    rules: Rules,
    form: Form,
    /// Weights of the ASCII characters that need no closer look; 0 for all others.
    plain: &'static [u8; 256],
}

/// Weight of the end of a level; less than every weight.
const END: u8 = 0x01;
const BLANK: u8 = 0x02;
/// The default of the accent and case levels.
const PLAIN: u8 = 0x02;
const SYMBOL: u32 = 0x65;
const LETTER: u32 = 0xe1;
const BEYOND: u32 = 0xf1;

const WINDOWS_ORDER: &[u8] = b"-'!\"#$%&()*,./:;?@[\\]^_`{|}~+<=>";
const SQL_ORDER: &[u8] = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
static WINDOWS_ASCII: [u8; 128] = ascii_weights(WINDOWS_ORDER);
static SQL_ASCII: [u8; 128] = ascii_weights(SQL_ORDER);
static SQL_PLAIN: [u8; 256] = plain_weights(&SQL_ASCII, b"");
/// Word sort has another place for these.
static WINDOWS_PLAIN: [u8; 256] = plain_weights(&WINDOWS_ASCII, b"-'\0");
/// Turkish and Azeri: the lower case of I is another letter than i.
static DOTLESS_PLAIN: [u8; 256] = plain_weights(&WINDOWS_ASCII, b"-'\0I");

/// Of binary collations: the characters themselves.
static CODE_POINTS: [u8; 256] = {
    let mut table = [0; 256];
    let mut c = 0;
    while c < 128 {
        table[c] = c as u8;
        c += 1;
    }
    table
};

const fn plain_weights(ascii: &[u8; 128], except: &[u8]) -> [u8; 256] {
    let mut table = [0; 256];
    let mut c = 0;
    while c < 128 {
        table[c] = ascii[c];
        c += 1;
    }
    let mut index = 0;
    while index < except.len() {
        table[except[index] as usize] = 0;
        index += 1;
    }
    table
}

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

fn plain_table(rules: &Rules) -> &'static [u8; 256] {
    match rules {
        Rules { sql: true, .. } => &SQL_PLAIN,
        _ if rules.dotless_i() => &DOTLESS_PLAIN,
        _ => &WINDOWS_PLAIN,
    }
}

impl Comparer {
    /// For char, varchar and text.
    pub fn ansi(rules: Rules, code_page: CodePage) -> Comparer {
        let form = code_page::single_byte(code_page).map_or(Form::Multi(code_page), Form::Single);
        Comparer { rules, form, plain: plain_table(&rules) }
    }

    /// For nchar, nvarchar and ntext: SQL_ collations follow the Windows rules here.
    pub fn unicode(rules: Rules) -> Comparer {
        let rules = Rules { sql: false, ..rules };
        Comparer { rules, form: Form::Utf16, plain: plain_table(&rules) }
    }

    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Whether `needle` is found in a text by its bytes: its characters equal nothing but themselves, and no other character has them in it.
    /// Bytes may agree between two units as well, so a long needle of units is better looked for unit by unit.
    pub fn searches_bytes(&self, needle: &[u8]) -> bool {
        const UNITS_BYTES_MAX: usize = 256;
        let is_surrogate = |unit: &[u8]| (0xd8..0xe0).contains(&unit[1]);
        self.rules.binary
            && match self.form {
                Form::Single(_) => needle.is_ascii(),
                Form::Utf16 => needle.len() <= UNITS_BYTES_MAX && !needle.chunks_exact(2).any(is_surrogate),
                Form::Multi(_) => false,
            }
    }

    /// Bytes of the smallest character.
    pub fn unit_bytes(&self) -> usize {
        self.step()
    }

    /// All of its characters are ASCII, which need no code page.
    #[inline]
    pub fn is_ascii(&self, text: &[u8]) -> bool {
        match self.form {
            Form::Utf16 => {
                let (units, rest) = text.as_chunks::<2>();
                rest.is_empty() && code_page::are_ascii(units)
            }
            Form::Single(_) | Form::Multi(_) => text.is_ascii(),
        }
    }

    /// Its characters, if all are ASCII.
    pub fn ascii_of(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.is_ascii(text).then(|| text.iter().step_by(self.step()).copied().collect())
    }

    /// Whether two ASCII characters weigh the same, each on its own.
    #[inline]
    pub fn are_alike(&self, a: u8, b: u8) -> bool {
        let may_differ = !self.rules.binary && !self.rules.case;
        a == b || may_differ && self.plain[a as usize] != 0 && self.plain[a as usize] == self.plain[b as usize]
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
        let Ok(order) = self.compare_at(a, b, &mut Unpaced);
        order
    }

    /// `compare` of texts that may be long.
    pub fn compare_paced(&self, a: &[u8], b: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<Ordering> {
        self.compare_at(a, b, pacer)
    }

    #[inline]
    fn compare_at<P: Pace>(&self, a: &[u8], b: &[u8], pacer: &mut P) -> Result<Ordering, P::Stop> {
        if self.rules.binary {
            return self.compare_binary(a, b, pacer);
        }
        let (a, b) = (self.trim(a), self.trim(b));
        let mut case = Ordering::Equal;
        let step = self.step();
        let end = a.len().min(b.len());
        let mut at = 0;
        // Plain ASCII needs one table; anything else, from where it starts, goes letter by letter.
        'plain: while at < end {
            let stride_end = end.min(at + STRIDE);
            while at < stride_end {
                let (x, y) = (a[at], b[at]);
                if step == 2 && a[at + 1] | b[at + 1] != 0 {
                    break 'plain;
                }
                let (weight, other) = (self.plain[x as usize], self.plain[y as usize]);
                if weight == 0 || other == 0 {
                    break 'plain;
                }
                if weight != other {
                    // An accent behind it may make it a letter of its own.
                    if !self.rules.tailoring.is_empty() {
                        break 'plain;
                    }
                    return Ok(weight.cmp(&other));
                }
                if self.rules.case && x != y {
                    case = case.then(self.case_weight(x).cmp(&self.case_weight(y)));
                }
                at += step;
            }
            pacer.spend(STRIDE.min(end))?;
        }
        if at == end && a.len() == b.len() {
            return Ok(case);
        }
        // An accent may belong to the last plain letter: step back to it.
        let at = at.saturating_sub(step);
        self.compare_elements(&a[at..], &b[at..], case, pacer)
    }

    #[inline]
    pub fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        self.compare(a, b) == Ordering::Equal
    }

    #[inline]
    const fn step(&self) -> usize {
        if matches!(self.form, Form::Utf16) { 2 } else { 1 }
    }

    /// Weight of an ASCII character; 0: it needs a closer look, or is none.
    #[inline]
    pub(super) fn plain_weight(&self, c: u8) -> u8 {
        self.plain[c as usize]
    }

    /// If what has this primary weight on its own may be an ASCII character: a table of what each byte may be, and which of that it is; 0 is
    /// anything. Letters differ in case beyond that.
    pub(super) fn plain_of(&self, primary: u32) -> Option<(&'static [u8; 256], u8)> {
        let (plain, weight) = match self.rules.binary {
            true => (&CODE_POINTS, primary),
            false if primary & 0xff_ffff != 0 => return None,
            false => (self.plain, primary >> 24),
        };
        let weight = u8::try_from(weight).ok().filter(|&weight| weight != 0 && plain.contains(&weight))?;
        Some((plain, weight))
    }

    /// Bytes at the start of the text that are plain ASCII characters.
    #[inline]
    fn plain_run(&self, text: &[u8]) -> usize {
        if self.step() == 1 {
            return text.iter().position(|&c| self.plain[c as usize] == 0).unwrap_or(text.len());
        }
        let units = text.chunks_exact(2).position(|unit| unit[1] != 0 || self.plain[unit[0] as usize] == 0);
        units.map_or(text.len(), |units| 2 * units)
    }

    /// Weight of an ASCII character at the case level.
    #[inline]
    pub(super) fn case_weight(&self, c: u8) -> u8 {
        self.tertiary(c.is_ascii_uppercase(), false, false)
    }

    #[inline]
    pub(super) fn tertiary(&self, upper: bool, katakana: bool, wide: bool) -> u8 {
        let case = self.rules.case && (upper != self.rules.sql);
        PLAIN + case as u8 + 2 * (katakana && self.rules.kana) as u8 + 4 * (wide && self.rules.width) as u8
    }

    fn has_tertiary(&self) -> bool {
        self.rules.case || self.rules.kana || self.rules.width
    }

    fn compare_elements<P: Pace>(
        &self,
        a: &[u8],
        b: &[u8],
        case_before: Ordering,
        pacer: &mut P,
    ) -> Result<Ordering, P::Stop> {
        let (mut a_units, mut b_units) = (Units::new(self, a), Units::new(self, b));
        let (mut accents, mut case) = (Ordering::Equal, case_before);
        let mut special = false;
        loop {
            pacer.spend(CHARACTER)?;
            let x = a_units.letter(self, &mut special);
            let y = b_units.letter(self, &mut special);
            let (x, y) = match (x, y) {
                (None, None) => break,
                (None, Some(_)) => return Ok(Ordering::Less),
                (Some(_), None) => return Ok(Ordering::Greater),
                (Some(x), Some(y)) => (x, y),
            };
            if x.primary != y.primary {
                return Ok(x.primary.cmp(&y.primary));
            }
            accents = accents.then(x.marks.cmp(&y.marks));
            case = case.then(x.tertiary.cmp(&y.tertiary));
        }
        if self.rules.accent && accents != Ordering::Equal {
            return Ok(accents);
        }
        if case != Ordering::Equal || !special {
            return Ok(case);
        }
        let (mut x, mut y) = (Specials::new(self, a), Specials::new(self, b));
        loop {
            pacer.spend(CHARACTER)?;
            match (x.next(), y.next()) {
                (None, None) => return Ok(Ordering::Equal),
                (p, q) if p != q => return Ok(p.cmp(&q)),
                _ => {}
            }
        }
    }

    /// Appends the key of `text` (see the top of the file).
    pub fn key(&self, text: &[u8], out: &mut Vec<u8>) {
        let Ok(()) = self.key_at(text, out, &mut Unpaced);
    }

    /// `key` of a text that may be long.
    pub fn key_paced(&self, text: &[u8], out: &mut Vec<u8>, pacer: &mut Pacer<'_>) -> SqlResult<()> {
        self.key_at(text, out, pacer)
    }

    /// Appends the beginning of the key: `limit` bytes of the base letters, or a few more. True: the text is so short that it is all
    /// of the key.
    pub fn key_start(&self, text: &[u8], limit: usize, out: &mut Vec<u8>) -> bool {
        let (start, step) = (out.len(), self.step());
        if self.rules.binary {
            self.key(text, out);
            let is_whole = out.len() - start <= limit;
            out.truncate(start + limit);
            return is_whole;
        }
        let text = self.trim(text);
        if text.len() <= limit * step {
            self.key(text, out);
            return true;
        }
        // An accent may belong to the last plain letter: that one goes with the rest.
        let run = self.plain_run(&text[..limit * step]).saturating_sub(step);
        self.push_plain(&text[..run], out);
        let mut units = Units::new(self, &text[run..]);
        while out.len() - start < limit {
            let Some(letter) = units.letter(self, &mut false) else {
                out.truncate(start);
                self.key(text, out);
                return true;
            };
            push_primary(letter.primary, out);
        }
        false
    }

    /// The weights of plain ASCII characters.
    #[inline]
    fn push_plain(&self, text: &[u8], out: &mut Vec<u8>) {
        // Of steps that are known the loop is a few instructions.
        match self.step() {
            1 => out.extend(text.iter().map(|&c| self.plain[c as usize])),
            _ => out.extend(text.chunks_exact(2).map(|unit| self.plain[unit[0] as usize])),
        }
    }

    #[inline]
    fn key_at<P: Pace>(&self, text: &[u8], out: &mut Vec<u8>, pacer: &mut P) -> Result<(), P::Stop> {
        if self.rules.binary {
            return self.binary_key(text, out, pacer);
        }
        let text = self.trim(text);
        let step = self.step();
        let mut run = 0;
        for piece in text.chunks(STRIDE) {
            pacer.spend(piece.len())?;
            let plain = self.plain_run(piece);
            run += plain;
            if plain < piece.len() {
                break;
            }
        }
        let mut any_case = false;
        if self.rules.case {
            pacer.chunks(&text[..run], |piece| {
                any_case |= piece.iter().step_by(step).any(|&c| self.case_weight(c) != PLAIN);
            })?;
        }
        let (mut any_marks, mut special) = (false, false);
        if run == text.len() {
            pacer.chunks(text, |piece| self.push_plain(piece, out))?;
        } else {
            // An accent may belong to the last plain letter: that one goes with the rest.
            let run = run.saturating_sub(step);
            pacer.chunks(&text[..run], |piece| self.push_plain(piece, out))?;
            let mut units = Units::new(self, &text[run..]);
            while let Some(letter) = units.letter(self, &mut special) {
                pacer.spend(CHARACTER)?;
                push_primary(letter.primary, out);
                any_marks |= letter.marks != 0;
                any_case |= letter.tertiary != PLAIN;
            }
        }
        out.push(END);
        if self.rules.accent {
            if any_marks {
                self.accent_level(text, out, pacer)?;
            }
            out.push(END);
        }
        if self.has_tertiary() {
            if any_case {
                self.case_level(text, out, pacer)?;
            }
            out.push(END);
        }
        if !self.rules.sql {
            if special {
                for (position, c) in Specials::new(self, text) {
                    pacer.spend(CHARACTER)?;
                    out.extend_from_slice(&position.to_be_bytes());
                    out.push(c);
                }
            }
            out.extend_from_slice(&[0, 0]);
        }
        Ok(())
    }

    fn accent_level<P: Pace>(&self, text: &[u8], out: &mut Vec<u8>, pacer: &mut P) -> Result<(), P::Stop> {
        let mut units = Units::new(self, text);
        let mut plain = 0;
        while let Some(letter) = units.letter(self, &mut false) {
            pacer.spend(CHARACTER)?;
            if letter.marks == 0 {
                plain += 1;
                continue;
            }
            out.extend(std::iter::repeat_n(PLAIN, plain));
            out.extend(letter.marks.to_be_bytes().iter().filter(|&&mark| mark != 0));
            plain = 1;
        }
        Ok(())
    }

    fn case_level<P: Pace>(&self, text: &[u8], out: &mut Vec<u8>, pacer: &mut P) -> Result<(), P::Stop> {
        let mut units = Units::new(self, text);
        let mut plain = 0;
        while let Some(letter) = units.letter(self, &mut false) {
            pacer.spend(CHARACTER)?;
            if letter.tertiary == PLAIN {
                plain += 1;
                continue;
            }
            out.extend(std::iter::repeat_n(PLAIN, plain));
            out.push(letter.tertiary);
            plain = 0;
        }
        Ok(())
    }

    /// Equal text (by `compare`) hashes equal; text that differs only in accents, case or hyphens may, too.
    pub fn hash(&self, text: &[u8], hasher: &mut impl Hasher) {
        let text = self.trim(text);
        if self.rules.binary {
            return hasher.write(text);
        }
        let mut packer = Packer { hasher, word: 0, count: 0 };
        let step = self.step();
        if self.plain_run(text) == text.len() {
            text.iter().step_by(step).for_each(|&c| packer.add(self.plain[c as usize]));
        } else {
            let mut units = Units::new(self, text);
            while let Some(letter) = units.letter(self, &mut false) {
                let size = primary_bytes(letter.primary);
                letter.primary.to_be_bytes()[..size].iter().for_each(|&byte| packer.add(byte));
            }
        }
        packer.finish();
    }

    fn compare_binary<P: Pace>(&self, a: &[u8], b: &[u8], pacer: &mut P) -> Result<Ordering, P::Stop> {
        Ok(match self.form {
            Form::Utf16 => {
                let mut position = 0;
                let (mut x, mut y) = (a.chunks_exact(2), b.chunks_exact(2));
                loop {
                    pacer.spend(2)?;
                    let (p, q) = match (x.next(), y.next()) {
                        (None, None) => break Ordering::Equal,
                        (p, q) => (p.unwrap_or(&[b' ', 0]), q.unwrap_or(&[b' ', 0])),
                    };
                    if p != q {
                        break self.binary_unit(p, position).cmp(&self.binary_unit(q, position));
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
        })
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

    fn binary_key<P: Pace>(&self, text: &[u8], out: &mut Vec<u8>, pacer: &mut P) -> Result<(), P::Stop> {
        let text = self.trim(text);
        let step = self.step();
        let (mut blanks, mut position) = (0_u32, 0);
        while let Some(unit) = text.get(position * step..(position + 1) * step) {
            let (is_blank, above) = if step == 1 {
                (unit[0] == b' ', unit[0] > b' ')
            } else {
                let blank = self.binary_unit(b" \0", position);
                (unit == b" \0", self.binary_unit(unit, position) > blank)
            };
            if is_blank {
                pacer.spend(step)?;
                blanks += 1;
                position += 1;
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
            // As far as the next blank.
            let rest = &text[position * step..];
            let rest = &rest[..rest.len().min(STRIDE) / step * step];
            let run = if step == 1 {
                let run = memchr::memchr(b' ', rest).unwrap_or(rest.len());
                out.extend_from_slice(&rest[..run]);
                run
            } else {
                let units = rest.chunks_exact(step).take_while(|unit| *unit != b" \0").enumerate();
                units.fold(0, |count, (at, unit)| {
                    out.extend_from_slice(&self.binary_unit(unit, position + at).to_be_bytes());
                    count + 1
                })
            };
            pacer.spend(run * step)?;
            position += run;
        }
        self.push_blank(text.len() / step, out);
        out.push(BLANKS_END);
        Ok(())
    }

    fn push_blank(&self, position: usize, out: &mut Vec<u8>) {
        match self.form {
            Form::Utf16 => out.extend_from_slice(&self.binary_unit(b" \0", position).to_be_bytes()),
            _ => out.push(b' '),
        }
    }

    /// Weight of a base letter, first byte on top.
    pub(super) fn primary(&self, base: u32) -> u32 {
        let one = |weight: u8| (weight as u32) << 24;
        match base {
            0..0x80 if self.rules.sql => one(SQL_ASCII[base as usize]),
            0..0x80 => one(WINDOWS_ASCII[base as usize]),
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
