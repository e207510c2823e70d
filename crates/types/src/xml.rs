//! The text of an xml value: read once where the value is made, refused if it is not well formed, kept as SQL Server shows it.
//!
//! A value is a fragment: any number of elements and texts. Kept are its nodes, not its spelling: no XML declaration, no text of
//! white space alone (unless that is asked for), `<a/>` for an empty element, references and CDATA sections resolved, and only
//! what has to be escaped again. One pass, a stack of open elements, no recursion.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::collation::code_page::{self, CodePage};
use crate::error::{SqlError, SqlResult};
use crate::pause::{CHARACTER, Pacer, STRIDE};
use crate::sql_error;
use crate::sql_type::SqlType;
use crate::text::text_of_paced;

/// Work for a node.
const NODE: usize = 32 * CHARACTER;
/// Elements within one another.
const DEPTH_MAX: usize = 128;
const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// What the text came as: an encoding that it declares must be possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// UTF-16.
    Wide,
    /// A code page, or bytes that were read as their own signature or declaration says.
    Narrow,
}

/// The value's text. `keep_space`: also texts of white space alone (CONVERT's styles 1 and 3). Errors: 94xx, 6335, 6359.
pub fn parse(text: &str, source: Source, keep_space: bool, pacer: &mut Pacer<'_>) -> SqlResult<String> {
    let mut reader = Reader {
        text,
        at: 0,
        out: String::with_capacity(text.len()),
        open: Vec::new(),
        prefixes: vec![("xml".into(), XML_NAMESPACE.into())],
        keep_space,
        pacer,
    };
    reader.declaration(source)?;
    reader.content()?;
    Ok(reader.out)
}

/// Bytes by their signature, or as UTF-16 or UTF-8 by how they begin; what is no UTF-8 is Windows-1252.
pub fn decode(bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<(String, Source)> {
    let wide = SqlType::NVARCHAR_MAX;
    Ok(match bytes {
        [0xff, 0xfe, rest @ ..] => (text_of_paced(rest, &wide, pacer)?, Source::Wide),
        [0xfe, 0xff, rest @ ..] => {
            let mut turned = Vec::with_capacity(rest.len());
            pacer.chunks(rest, |chunk| turned.extend(chunk.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]])))?;
            (text_of_paced(&turned, &wide, pacer)?, Source::Wide)
        }
        [b'<', 0, ..] => (text_of_paced(bytes, &wide, pacer)?, Source::Wide),
        bytes => match utf8(bytes, pacer)? {
            Some(text) => (text, Source::Narrow),
            None => {
                let mut text = String::with_capacity(bytes.len());
                pacer.chunks(bytes, |chunk| text.push_str(&code_page::decode_str(CodePage::LATIN1, chunk)))?;
                (text, Source::Narrow)
            }
        },
    })
}

/// None: it is something else.
fn utf8(bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<Option<String>> {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let piece = &rest[..rest.len().min(STRIDE)];
        let valid = match std::str::from_utf8(piece) {
            Ok(valid) => valid,
            // Its last character goes on behind it.
            Err(error) if error.error_len().is_none() && piece.len() < rest.len() => {
                std::str::from_utf8(&piece[..error.valid_up_to()]).expect("up to there it is")
            }
            Err(_) => return Ok(None),
        };
        text.push_str(valid);
        rest = &rest[valid.len()..];
        pacer.spend(valid.len())?;
    }
    Ok(Some(text))
}

/// The error of this number, which is one of those that reading gives.
fn parsing(number: i32, line: usize, character: usize) -> SqlError {
    macro_rules! numbers {
        ($($known:literal)*) => {
            match number {
                $($known => sql_error!($known, line, character),)*
                other => unreachable!("{other} is no error of parsing"),
            }
        };
    }
    numbers!(9400 9402 9410 9411 9412 9413 9414 9415 9416 9417 9420 9421 9422 9424 9436 9437 9438 9440 9448 9455 9456 9459 9460)
}

struct Open {
    name: String,
    /// Nothing is inside yet, and its `>` is not written.
    empty: bool,
    /// `Reader::prefixes` before it.
    prefixes: usize,
    keep_space: bool,
}

struct Reader<'a, 'p> {
    text: &'a str,
    at: usize,
    out: String,
    open: Vec<Open>,
    prefixes: Vec<(String, String)>,
    keep_space: bool,
    pacer: &'a mut Pacer<'p>,
}

impl<'a> Reader<'a, '_> {
    /// The error at the character that is next, or at the last one.
    fn error(&self, number: i32) -> SqlError {
        let end = match self.text[self.at..].chars().next() {
            Some(next) => self.at + next.len_utf8(),
            None => self.at,
        };
        self.error_behind(end, number)
    }

    /// The error at the character before byte `end`.
    fn error_behind(&self, end: usize, number: i32) -> SqlError {
        let read = &self.text[..end];
        let line = read.bytes().filter(|&byte| byte == b'\n').count() + 1 - usize::from(read.ends_with('\n'));
        let start = read[..read.len().saturating_sub(1)].rfind('\n').map_or(0, |newline| newline + 1);
        let character = read[start..].encode_utf16().count();
        parsing(number, line, character)
    }

    fn ended(&self) -> SqlError {
        self.error_behind(self.text.len(), 9400)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    fn skip_space(&mut self) -> bool {
        let rest = self.rest();
        let kept = rest.trim_start_matches(is_space);
        self.at += rest.len() - kept.len();
        kept.len() < rest.len()
    }

    /// What stands before `end`, which is passed over.
    fn until(&mut self, end: &str) -> SqlResult<&'a str> {
        let rest = self.rest();
        let found = rest.find(end).ok_or_else(|| self.ended())?;
        self.characters(&rest[..found], self.at)?;
        self.at += found + end.len();
        Ok(&rest[..found])
    }

    /// Every character is one that XML permits. `start`: where `text` begins.
    fn characters(&mut self, text: &str, start: usize) -> SqlResult<()> {
        for (place, c) in text.char_indices() {
            self.pacer.spend(1)?;
            if !is_character(c) {
                return Err(self.error_behind(start + place + c.len_utf8(), 9420));
            }
        }
        Ok(())
    }

    /// A piece of what is left that is about a stride long; a line's end is in one piece.
    fn piece(&self) -> &'a str {
        let rest = self.rest();
        let piece = &rest[..code_page::piece_end(Some(CodePage::UTF8), rest.as_bytes())];
        match piece.strip_suffix('\r') {
            Some(before) if !before.is_empty() && piece.len() < rest.len() => before,
            _ => piece,
        }
    }

    /// `<?xml version="1.0" encoding="..." standalone="..."?>`, which is not kept.
    fn declaration(&mut self, source: Source) -> SqlResult<()> {
        self.eat("\u{feff}");
        if !self.text[self.at..].strip_prefix("<?xml").is_some_and(|rest| rest.starts_with(is_space)) {
            return Ok(());
        }
        self.at += "<?xml".len();
        for known in ["version", "encoding", "standalone"] {
            self.skip_space();
            if !self.eat(known) {
                if known == "version" {
                    return Err(self.error(9440));
                }
                continue;
            }
            let value = self.assigned()?;
            let wide = ["utf-16", "ucs-2", "unicode"].iter().any(|name| value.eq_ignore_ascii_case(name));
            if known == "encoding" && wide != (source == Source::Wide) {
                return Err(self.error_behind(self.at, 9402));
            }
        }
        self.skip_space();
        if self.eat("?>") { Ok(()) } else { Err(self.error(9412)) }
    }

    /// `= "value"`, not resolved.
    fn assigned(&mut self) -> SqlResult<&'a str> {
        self.skip_space();
        if !self.eat("=") {
            return Err(if self.peek().is_none() { self.ended() } else { self.error(9414) });
        }
        self.skip_space();
        let quote = match self.peek() {
            Some('"') => "\"",
            Some('\'') => "'",
            Some(_) => return Err(self.error(9413)),
            None => return Err(self.ended()),
        };
        self.at += 1;
        self.until(quote)
    }

    fn content(&mut self) -> SqlResult<()> {
        while self.at < self.text.len() {
            self.pacer.spend(NODE)?;
            if !self.rest().starts_with('<') || self.rest().starts_with("<![CDATA[") {
                self.text_node()?;
            } else if self.eat("<!--") {
                self.comment()?;
            } else if self.eat("<?") {
                self.instruction()?;
            } else if self.eat("</") {
                self.end_tag()?;
            } else if self.rest().starts_with("<!DOCTYPE") {
                return Err(sql_error!(6359));
            } else if self.eat("<!") {
                return Err(self.error(9422));
            } else {
                self.at += 1;
                self.start_tag()?;
            }
        }
        if self.open.is_empty() { Ok(()) } else { Err(self.ended()) }
    }

    /// Something comes inside the innermost element: its start tag is complete.
    fn inside(&mut self) {
        if let Some(open) = self.open.last_mut().filter(|open| open.empty) {
            open.empty = false;
            self.out.push('>');
        }
    }

    /// Characters, references and CDATA sections up to the next markup.
    fn text_node(&mut self) -> SqlResult<()> {
        let mut value = String::new();
        let mut bare = true;
        loop {
            let rest = self.rest();
            if self.eat("<![CDATA[") {
                value.push_str(&self.until("]]>")?.replace("\r\n", "\n"));
                bare = false;
            } else if rest.starts_with('&') {
                value.push(self.reference()?);
                bare = false;
            } else {
                let piece = self.piece();
                let end = piece.find(['<', '&']).unwrap_or(piece.len());
                if end == 0 {
                    break;
                }
                self.characters(&rest[..end], self.at)?;
                value.push_str(&rest[..end].replace("\r\n", "\n"));
                self.at += end;
            }
        }
        let keep = self.open.last().map_or(self.keep_space, |open| open.keep_space);
        if !value.is_empty() && (keep || !bare || !value.chars().all(is_space)) {
            self.inside();
            escape(&value, false, &mut self.out, self.pacer)?;
        }
        Ok(())
    }

    /// `&name;`, `&#10;`, `&#xA;`
    fn reference(&mut self) -> SqlResult<char> {
        self.at += 1;
        if self.eat("#") {
            let radix = if self.eat("x") { 16 } else { 10 };
            let rest = self.rest();
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_digit(radix)).len();
            if digits == 0 {
                return Err(match (self.peek(), radix) {
                    (None, _) => self.ended(),
                    (_, 16) => self.error(9416),
                    _ => self.error(9417),
                });
            }
            let code = u32::from_str_radix(&rest[..digits], radix).ok().and_then(char::from_u32);
            self.at += digits;
            self.semicolon()?;
            return match code.filter(|c| is_character(*c)) {
                Some(c) => Ok(c),
                None => Err(self.error_behind(self.at, 9420)),
            };
        }
        let name = self.name()?;
        self.semicolon()?;
        match name {
            "lt" => Ok('<'),
            "gt" => Ok('>'),
            "amp" => Ok('&'),
            "quot" => Ok('"'),
            "apos" => Ok('\''),
            _ => Err(self.error_behind(self.at, 9448)),
        }
    }

    fn semicolon(&mut self) -> SqlResult<()> {
        match self.peek() {
            Some(';') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.error(9411)),
            None => Err(self.ended()),
        }
    }

    fn name(&mut self) -> SqlResult<&'a str> {
        let rest = self.rest();
        match rest.chars().next() {
            None => return Err(self.ended()),
            Some(c) if is_name_start(c) => {}
            Some(':') => return Err(self.error(9455)),
            Some(_) => return Err(self.error(9421)),
        }
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        self.at += end;
        Ok(&rest[..end])
    }

    /// `prefix:local` or `local`.
    fn qualified_name(&mut self) -> SqlResult<&'a str> {
        let start = self.at;
        self.name()?;
        if self.eat(":") {
            match self.peek() {
                Some(c) if is_name_start(c) => self.name()?,
                None => return Err(self.ended()),
                _ => return Err(self.error(9455)),
            };
            if self.rest().starts_with(':') {
                return Err(self.error(9456));
            }
        }
        Ok(&self.text[start..self.at])
    }

    fn comment(&mut self) -> SqlResult<()> {
        let start = self.at;
        let comment = self.until("-->")?;
        if let Some(dashes) = comment.find("--") {
            return Err(self.error_behind(start + dashes + 2, 9424));
        }
        if comment.ends_with('-') {
            return Err(self.error_behind(self.at - 2, 9424));
        }
        self.inside();
        self.out.extend(["<!--", comment, "-->"]);
        Ok(())
    }

    fn instruction(&mut self) -> SqlResult<()> {
        let name = self.name()?;
        if name == "xml" {
            return Err(self.error_behind(self.at, 9438));
        }
        let spaced = self.skip_space();
        if !spaced && !self.rest().starts_with("?>") {
            return Err(if self.peek().is_none() { self.ended() } else { self.error(9410) });
        }
        let data = self.until("?>")?;
        self.inside();
        self.out.extend(["<?", name]);
        if !data.is_empty() {
            self.out.extend([" ", data]);
        }
        self.out.push_str("?>");
        Ok(())
    }

    fn end_tag(&mut self) -> SqlResult<()> {
        let name = self.qualified_name()?;
        self.skip_space();
        match self.peek() {
            Some('>') => self.at += 1,
            Some(_) => return Err(self.error(9412)),
            None => return Err(self.ended()),
        }
        match self.open.pop() {
            Some(open) if open.name == name => {
                if open.empty {
                    self.out.push_str("/>");
                } else {
                    self.out.extend(["</", name, ">"]);
                }
                self.prefixes.truncate(open.prefixes);
                Ok(())
            }
            _ => Err(self.error_behind(self.at, 9436)),
        }
    }

    fn start_tag(&mut self) -> SqlResult<()> {
        let name = self.qualified_name()?;
        if self.open.len() == DEPTH_MAX {
            return Err(sql_error!(6335, DEPTH_MAX));
        }
        self.inside();
        self.out.extend(["<", name]);
        let mut attributes: BTreeSet<&str> = BTreeSet::new();
        let prefixes = self.prefixes.len();
        let mut keep_space = self.open.last().map_or(self.keep_space, |open| open.keep_space);
        let closed = loop {
            let spaced = self.skip_space();
            match self.peek() {
                None => return Err(self.ended()),
                Some('>') => {
                    self.at += 1;
                    break false;
                }
                Some('/') => {
                    self.at += 1;
                    if !self.eat(">") {
                        let missing = self.peek().is_none();
                        return Err(if missing { self.ended() } else { self.error(9412) });
                    }
                    break true;
                }
                Some(c) if !spaced && is_name_start(c) => return Err(self.error(9410)),
                Some(_) => {}
            }
            let attribute = self.qualified_name()?;
            if !attributes.insert(attribute) {
                return Err(self.error_behind(self.at, 9437));
            }
            self.pacer.spend(NODE)?;
            let value = self.attribute_value()?;
            match attribute {
                "xml:space" => keep_space = value == "preserve",
                _ => {
                    if let Some(prefix) = attribute.strip_prefix("xmlns:") {
                        if value.is_empty() {
                            return Err(self.error_behind(self.at, 9460));
                        }
                        self.prefixes.push((prefix.into(), value.clone()));
                    }
                }
            }
            self.out.extend([" ", attribute, "=\""]);
            escape(&value, true, &mut self.out, self.pacer)?;
            self.out.push('"');
        };
        for qualified in std::iter::once(name).chain(attributes) {
            let Some((prefix, _)) = qualified.split_once(':') else { continue };
            self.pacer.spend(CHARACTER * (1 + self.prefixes.len()))?;
            if prefix != "xmlns" && !self.prefixes.iter().any(|(known, _)| known == prefix) {
                return Err(self.error_behind(self.at, 9459));
            }
        }
        if closed {
            self.out.push_str("/>");
            self.prefixes.truncate(prefixes);
        } else {
            self.open.push(Open { name: name.into(), empty: true, prefixes, keep_space });
        }
        Ok(())
    }

    /// `= "value"` with its references resolved; white space is a blank each.
    fn attribute_value(&mut self) -> SqlResult<String> {
        let start = self.at;
        let written = self.assigned()?;
        let end = self.at;
        let first = end - written.len() - 1;
        if let Some(less) = written.find('<') {
            return Err(self.error_behind(first + less + 1, 9415));
        }
        debug_assert!(start < first, "an equals sign and a quote come before it");
        let mut value = String::with_capacity(written.len());
        self.at = first;
        while self.at < end - 1 {
            self.pacer.spend(CHARACTER)?;
            let c = self.peek().expect("before the quote");
            match c {
                '&' => value.push(self.reference()?),
                '\n' | '\t' | '\r' => {
                    value.push(' ');
                    self.at += if self.rest().starts_with("\r\n") { 2 } else { 1 };
                }
                c => {
                    value.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        self.at = end;
        Ok(value)
    }
}

/// Appends `text` with what a text or an attribute's value may not hold as it is escaped.
pub fn escape(text: &str, attribute: bool, out: &mut String, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    for c in text.chars() {
        pacer.spend(1)?;
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#x0D;"),
            '"' if attribute => out.push_str("&quot;"),
            '\n' if attribute => out.push_str("&#x0A;"),
            '\t' if attribute => out.push_str("&#x09;"),
            c => out.push(c),
        }
    }
    Ok(())
}

/// The value's text as it is cast to text or bytes: of white space that is a text alone the last character is a reference, so that it is
/// kept however the text is read again. CONVERT with style 1 has it as it is.
///
/// https://learn.microsoft.com/sql/relational-databases/xml/define-the-serialization-of-xml-data
pub fn kept_space<'t>(text: &'t str, style: i32, pacer: &mut Pacer<'_>) -> SqlResult<Cow<'t, str>> {
    let mut out = String::new();
    let (mut at, mut copied) = (0, 0);
    while style != 1 && at < text.len() {
        pacer.spend(NODE)?;
        let rest = &text[at..];
        if rest.starts_with('<') {
            let end = ["<!--", "<?"].into_iter().zip(["-->", "?>"]).find(|(start, _)| rest.starts_with(start));
            let end = end.map_or(">", |(_, end)| end);
            at += rest.find(end).map_or(rest.len(), |found| found + end.len());
            continue;
        }
        let node = &rest[..rest.find('<').unwrap_or(rest.len())];
        at += node.len();
        if node.chars().all(is_space) {
            out.push_str(&text[copied..at - 1]);
            push_reference(node.chars().next_back().expect("a text has a character"), &mut out);
            copied = at;
        }
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(text));
    }
    out.push_str(&text[copied..]);
    Ok(Cow::Owned(out))
}

/// `&#x20;`
pub fn push_reference(c: char, out: &mut String) {
    out.push_str(&format!("&#x{:02X};", c as u32));
}

/// A text of white space alone, which is not kept unless somebody says so.
pub fn is_blank(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_space)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn is_character(c: char) -> bool {
    c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}') || is_space(c)
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}')
}

#[cfg(test)]
mod tests {
    use super::{Pacer, Source, SqlResult};

    fn parse(text: &str, source: Source, keep_space: bool) -> SqlResult<String> {
        super::parse(text, source, keep_space, &mut Pacer::none())
    }

    #[test]
    fn what_is_kept() {
        let cases = [
            ("", ""),
            ("text", "text"),
            ("<a/><b/>tail", "<a/><b/>tail"),
            ("<a></a>", "<a/>"),
            ("<a>\n  <b>x</b>\n</a>", "<a><b>x</b></a>"),
            ("<a xml:space='preserve'> <b> </b></a>", "<a xml:space=\"preserve\"> <b> </b></a>"),
            ("<a b='1' c = \"&quot;&#65;\"/>", "<a b=\"1\" c=\"&quot;A\"/>"),
            ("<a><![CDATA[1 < 2 & 3]]></a>", "<a>1 &lt; 2 &amp; 3</a>"),
            ("<a>&lt;&#x26;&#x20;</a>", "<a>&lt;&amp; </a>"),
            ("<?xml version=\"1.0\"?><a/>", "<a/>"),
            ("<p:a xmlns:p='u'><p:b/></p:a>", "<p:a xmlns:p=\"u\"><p:b/></p:a>"),
            ("<a><!-- x --><?go on?></a>", "<a><!-- x --><?go on?></a>"),
        ];
        for (text, kept) in cases {
            assert_eq!(parse(text, Source::Narrow, false).expect(text), kept, "{text}");
        }
        assert_eq!(parse("<a> <b/> </a>", Source::Wide, true).expect("well formed"), "<a> <b/> </a>");
    }

    #[test]
    fn what_is_refused() {
        let cases = [
            ("<r><u></r>", 9436, 10),
            ("<a>", 9400, 3),
            ("<a", 9400, 2),
            ("</a>", 9436, 4),
            ("<a b/>", 9414, 5),
            ("<a b=c/>", 9413, 6),
            ("<a b='1'c='2'/>", 9410, 9),
            ("<a b='1' b='2'/>", 9437, 10),
            ("<a b='<'/>", 9415, 7),
            ("<a/ >", 9412, 4),
            ("a & b", 9421, 4),
            ("a &b c", 9411, 5),
            ("&nbsp;", 9448, 6),
            ("&#xg;", 9416, 4),
            ("&#;", 9417, 3),
            ("<1/>", 9421, 2),
            ("<a:b/>", 9459, 6),
            ("<a><!-- -- --></a>", 9424, 10),
            (" <?xml version='1.0'?><a/>", 9438, 6),
            ("<a>\u{1}</a>", 9420, 4),
            ("<!x>", 9422, 3),
        ];
        for (text, number, character) in cases {
            let error = parse(text, Source::Narrow, false).expect_err(text);
            assert_eq!(error.number, number, "{text}: {}", error.text);
            assert!(error.text.contains(&format!("line 1, character {character}, ")), "{text}: {}", error.text);
        }
        let deep = "<a>".repeat(129);
        assert_eq!(parse(&deep, Source::Wide, false).expect_err("deep").number, 6335);
        let declared = "<?xml version='1.0' encoding='utf-8'?><a/>";
        assert_eq!(parse(declared, Source::Wide, false).expect_err("another encoding").number, 9402);
        assert!(parse(declared, Source::Narrow, false).is_ok());
        let lines = parse("<a>\n<b></a>", Source::Wide, false).expect_err("does not match");
        assert!(lines.text.contains("line 2, character 7, "), "{}", lines.text);
    }
}
