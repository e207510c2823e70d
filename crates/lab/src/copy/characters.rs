//! A file's characters one after the other, in UTF-8, UTF-16 or a code page of a byte a character. A byte order mark says which, whatever
//! else was said.

use std::fmt;
use std::io::{self, Read, Write};

use types::collation::CodePage;
use types::collation::code_page::{self, SingleByte};

/// Read at once.
const PIECE: usize = 256 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// Least byte first.
    Utf16,
    /// Most byte first: such files are read.
    Utf16Swapped,
    Page(u16),
}

impl Encoding {
    /// As a command line has it: utf-8, utf-16, or the number of a code page.
    pub fn parse(text: &str) -> Result<Encoding, String> {
        match text.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "65001" => return Ok(Encoding::Utf8),
            "utf-16" | "utf16" => return Ok(Encoding::Utf16),
            _ => {}
        }
        let page = text.parse().ok().filter(|page| *page != 0 && code_page::single_byte(CodePage(*page)).is_some());
        page.map(Encoding::Page).ok_or(format!("'{text}' is none of utf-8, utf-16, or a code page such as 1252"))
    }

    fn table(self) -> Option<&'static SingleByte> {
        match self {
            Encoding::Page(page) => code_page::single_byte(CodePage(page)),
            _ => None,
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Encoding::Utf8 => f.write_str("UTF-8"),
            Encoding::Utf16 | Encoding::Utf16Swapped => f.write_str("UTF-16"),
            Encoding::Page(page) => write!(f, "code page {page}"),
        }
    }
}

pub struct Characters<R> {
    input: R,
    encoding: Encoding,
    bytes: Vec<u8>,
    at: usize,
    /// Bytes of the file before `bytes`.
    offset: u64,
    ahead: Option<char>,
}

/// What stands in the file is no text.
pub enum Broken {
    Io(io::Error),
    /// Where, and what it is not.
    At(u64, Encoding),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Io(error) => error.fmt(f),
            Broken::At(offset, encoding) => write!(f, "the bytes at {offset} of the file are no {encoding}"),
        }
    }
}

impl<R: Read> Characters<R> {
    pub fn new(input: R, encoding: Encoding) -> io::Result<Characters<R>> {
        let mut characters = Characters { input, encoding, bytes: Vec::new(), at: 0, offset: 0, ahead: None };
        characters.has(3)?;
        let marks: [(&[u8], Encoding); 3] = [
            (&[0xef, 0xbb, 0xbf], Encoding::Utf8),
            (&[0xff, 0xfe], Encoding::Utf16),
            (&[0xfe, 0xff], Encoding::Utf16Swapped),
        ];
        if let Some((mark, encoding)) = marks.iter().find(|(mark, _)| characters.bytes.starts_with(mark)) {
            characters.encoding = *encoding;
            characters.at = mark.len();
        }
        Ok(characters)
    }

    /// Whether so many bytes are there.
    fn has(&mut self, count: usize) -> io::Result<bool> {
        while self.bytes.len() - self.at < count {
            self.bytes.drain(..self.at);
            self.offset += self.at as u64;
            self.at = 0;
            let start = self.bytes.len();
            self.bytes.resize(start + PIECE, 0);
            let read = self.input.read(&mut self.bytes[start..])?;
            self.bytes.truncate(start + read);
            if read == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// None: the file is at its end.
    pub fn next(&mut self) -> Result<Option<char>, Broken> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(Some(ahead));
        }
        if !self.has(1).map_err(Broken::Io)? {
            return Ok(None);
        }
        let first = self.bytes[self.at];
        match self.encoding {
            Encoding::Utf8 if first < 0x80 => {
                self.at += 1;
                Ok(Some(first.into()))
            }
            Encoding::Utf8 => self.utf8(first).map(Some),
            Encoding::Utf16 | Encoding::Utf16Swapped => self.utf16().map(Some),
            Encoding::Page(_) => {
                self.at += 1;
                let table = self.encoding.table().expect("checked when it was named");
                char::from_u32(table.to_unit(first).into()).map(Some).ok_or_else(|| self.broken(1))
            }
        }
    }

    pub fn peek(&mut self) -> Result<Option<char>, Broken> {
        self.ahead = self.next()?;
        Ok(self.ahead)
    }

    /// `back`: so many bytes ago.
    fn broken(&self, back: usize) -> Broken {
        Broken::At(self.offset + (self.at - back) as u64, self.encoding)
    }

    fn utf8(&mut self, first: u8) -> Result<char, Broken> {
        let count = match first {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return Err(self.broken(0)),
        };
        if !self.has(count).map_err(Broken::Io)? {
            return Err(self.broken(0));
        }
        let text = std::str::from_utf8(&self.bytes[self.at..self.at + count]).map_err(|_| self.broken(0))?;
        self.at += count;
        Ok(text.chars().next().expect("one character"))
    }

    fn unit(&mut self) -> Result<u16, Broken> {
        if !self.has(2).map_err(Broken::Io)? {
            return Err(self.broken(0));
        }
        let pair = [self.bytes[self.at], self.bytes[self.at + 1]];
        self.at += 2;
        Ok(if self.encoding == Encoding::Utf16 { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
    }

    fn utf16(&mut self) -> Result<char, Broken> {
        let first = self.unit()?;
        if !(0xd800..0xe000).contains(&first) {
            return Ok(char::from_u32(first.into()).expect("no surrogate"));
        }
        let pair = [first, self.unit()?];
        char::decode_utf16(pair).next().and_then(Result::ok).ok_or_else(|| self.broken(4))
    }
}

/// Err: a character that the encoding has not.
pub fn write(text: &str, encoding: Encoding, out: &mut impl Write) -> io::Result<Result<(), char>> {
    match encoding {
        Encoding::Utf8 => out.write_all(text.as_bytes())?,
        Encoding::Utf16 | Encoding::Utf16Swapped => {
            for unit in text.encode_utf16() {
                out.write_all(&unit.to_le_bytes())?;
            }
        }
        Encoding::Page(_) => {
            let table = encoding.table().expect("checked when it was named");
            for character in text.chars() {
                let unit = u16::try_from(u32::from(character)).ok();
                let byte = unit.and_then(|unit| table.from_unit(unit));
                let Some(byte) = byte else { return Ok(Err(character)) };
                out.write_all(&[byte])?;
            }
        }
    }
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], encoding: Encoding) -> Result<String, String> {
        let mut characters = Characters::new(bytes, encoding).expect("in memory");
        let mut text = String::new();
        while let Some(next) = characters.next().map_err(|broken| broken.to_string())? {
            text.push(next);
        }
        Ok(text)
    }

    #[test]
    fn every_encoding_is_read_as_it_was_written() {
        let text = "a\u{e9}\r\n\u{20ac}";
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Page(1252)] {
            let mut bytes = Vec::new();
            assert_eq!(write(text, encoding, &mut bytes).expect("in memory"), Ok(()));
            assert_eq!(read(&bytes, encoding).as_deref(), Ok(text), "{encoding}");
        }
        assert_eq!(write("\u{3a9}", Encoding::Page(1252), &mut Vec::new()).expect("in memory"), Err('\u{3a9}'));
        assert_eq!(read(b"\xef\xbb\xbfx", Encoding::Page(1252)).as_deref(), Ok("x"));
        assert_eq!(read(b"\xff\xfex\0=\xd8\0\xde", Encoding::Utf8).as_deref(), Ok("x\u{1f600}"));
        assert_eq!(read(b"\xfe\xff\0x", Encoding::Utf8).as_deref(), Ok("x"));
        assert_eq!(read(b"", Encoding::Utf16).as_deref(), Ok(""));
    }

    #[test]
    fn what_is_no_text_is_told_with_its_place() {
        for (bytes, encoding, at) in [
            (&b"ab\xff"[..], Encoding::Utf8, 2),
            (b"ab\xe2\x82", Encoding::Utf8, 2),
            (b"a\xc0\x80", Encoding::Utf8, 1),
            (b"\xff\xfea\0b", Encoding::Utf8, 4),
            (b"\xff\xfe\0\xdca\0", Encoding::Utf8, 2),
        ] {
            let told = read(bytes, encoding).expect_err("no text");
            assert!(told.contains(&format!("at {at} of")), "{told}");
        }
        assert!(Encoding::parse("12345").is_err());
        assert_eq!(Encoding::parse("437"), Ok(Encoding::Page(437)));
    }
}
