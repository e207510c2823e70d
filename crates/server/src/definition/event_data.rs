//! EVENTDATA(): what an event was, as xml.
//! https://learn.microsoft.com/sql/relational-databases/triggers/use-the-eventdata-function

use sql::ast::Span;
use sql::lex::{Lexer, TokenKind};
use types::convert::text_datum;
use types::datetime::{Civil, Moment};
use types::{Datum, SqlType, TypeKind};

use crate::catalog::clock;

/// What is written instead of a password.
const MASK: &str = "'******'";

/// Words before `= 'secret'`.
const SECRETS: [&str; 3] = ["PASSWORD", "OLD_PASSWORD", "SECRET"];

/// Elements of an event, one behind the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements(String);

impl Elements {
    pub fn text(&mut self, name: &str, value: &str) {
        if value.is_empty() {
            self.0.push_str(&format!("<{name}/>"));
            return;
        }
        self.0.push_str(&format!("<{name}>"));
        push_escaped(value, &mut self.0);
        self.0.push_str(&format!("</{name}>"));
    }

    pub fn inside(&mut self, name: &str, fill: impl FnOnce(&mut Elements)) {
        let mut inner = Elements::default();
        fill(&mut inner);
        match inner.0.is_empty() {
            true => self.0.push_str(&format!("<{name}/>")),
            false => self.0.push_str(&format!("<{name}>{}</{name}>", inner.0)),
        }
    }

    pub fn append(&mut self, others: &Elements) {
        self.0.push_str(&others.0);
    }

    /// `TSQLCommand`. `set_options`: ANSI_NULLS, ANSI_NULL_DEFAULT, ANSI_PADDING, QUOTED_IDENTIFIER. Of an encrypted module there is no text.
    pub fn command(&mut self, set_options: [bool; 4], encrypted: bool, text: &str) {
        let word = |on: bool| if on { "ON" } else { "OFF" };
        let [ansi_nulls, null_default, padding, quoted] = set_options.map(word);
        let (encrypted, text) = if encrypted { ("TRUE", "--ENCRYPTED--") } else { ("FALSE", text) };
        self.inside("TSQLCommand", |command| {
            command.0.push_str(&format!(
                "<SetOptions ANSI_NULLS=\"{ansi_nulls}\" ANSI_NULL_DEFAULT=\"{null_default}\" ANSI_PADDING=\"{padding}\" \
                 QUOTED_IDENTIFIER=\"{quoted}\" ENCRYPTED=\"{encrypted}\"/>"
            ));
            command.text("CommandText", text);
        });
    }

    /// The whole as a value of type xml.
    pub fn document(&self) -> Datum {
        text_datum(&format!("<EVENT_INSTANCE>{}</EVENT_INSTANCE>", self.0), &SqlType::NVARCHAR_MAX)
    }
}

/// As values of type xml have it. "Characters [that XML has not] are mapped to a question mark": EVENTDATA's page.
fn push_escaped(value: &str, to: &mut String) {
    for c in value.chars() {
        match c {
            '&' => to.push_str("&amp;"),
            '<' => to.push_str("&lt;"),
            '>' => to.push_str("&gt;"),
            '\r' => to.push_str("&#x0D;"),
            '\t' | '\n' => to.push(c),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => to.push('?'),
            c => to.push(c),
        }
    }
}

/// `2026-07-31T22:39:11.550`: now, as precise as a datetime.
pub fn post_time() -> String {
    let moment = Moment::from_i64(TypeKind::DateTime, clock::now().0);
    let Civil { year, month, day } = moment.civil();
    // Ticks are 100 ns; a datetime shows 0, 3 or 7 thousandths.
    let ms = (moment.ticks + 5_000) / 10_000;
    let (seconds, ms) = (ms / 1_000, ms % 1_000);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}")
}

/// How much of its batch a statement's `CommandText` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Its own tokens.
    Tokens,
    /// And what stands behind it, to the next statement.
    ToNext,
    /// A statement that a batch must hold alone.
    Batch,
}

/// `text`: the batch, or module, that the statement at `span` is part of. Passwords are masked.
pub fn command_text(text: &str, span: Span, extent: Extent) -> String {
    let (start, end) = match extent {
        Extent::Batch => (0, text.len()),
        Extent::Tokens => (span.start as usize, span.end as usize),
        Extent::ToNext => (span.start as usize, next_token(text, span.end as usize)),
    };
    let part = text.get(start..end).unwrap_or_default();
    masked(if extent == Extent::Tokens { part.trim_end().trim_end_matches(';').trim_end() } else { part })
}

/// Where the first token behind a statement begins.
fn next_token(text: &str, end: usize) -> usize {
    let Some(rest) = text.get(end..) else { return text.len() };
    let mut lexer = Lexer::new(rest);
    loop {
        let token = lexer.next_token();
        match token.kind {
            TokenKind::Semicolon => {}
            TokenKind::End => return text.len(),
            _ => return end + token.start as usize,
        }
    }
}

fn masked(text: &str) -> String {
    let mut lexer = Lexer::new(text);
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    // The words of the last two tokens: `PASSWORD`, `=`.
    let mut before = ["", ""];
    loop {
        let token = lexer.next_token();
        let (start, end) = (token.start as usize, token.end as usize);
        if token.kind == TokenKind::End {
            break;
        }
        let is_value = matches!(token.kind, TokenKind::String | TokenKind::NationalString | TokenKind::Binary);
        if is_value && before[1] == "=" && SECRETS.iter().any(|word| before[0].eq_ignore_ascii_case(word)) {
            out.push_str(&text[copied..start]);
            if token.kind == TokenKind::NationalString {
                out.push('N');
            }
            out.push_str(MASK);
            copied = end;
        }
        before = [before[1], &text[start..end]];
    }
    out.push_str(&text[copied..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_as_long_as_its_kind_says_and_has_no_password() {
        let text = " CREATE TABLE t (a int) ; /* c */ SELECT 1";
        let span = Span { start: 1, end: 23 };
        assert_eq!(command_text(text, span, Extent::Tokens), "CREATE TABLE t (a int)");
        assert_eq!(command_text(text, span, Extent::ToNext), "CREATE TABLE t (a int) ; /* c */ ");
        assert_eq!(command_text(text, span, Extent::Batch), text);
        let login = "ALTER LOGIN l WITH PASSWORD = N'a''b' OLD_PASSWORD='c', NAME = 'd'";
        let whole = Span { start: 0, end: login.len() as u32 };
        let shown = "ALTER LOGIN l WITH PASSWORD = N'******' OLD_PASSWORD='******', NAME = 'd'";
        assert_eq!(command_text(login, whole, Extent::Tokens), shown);
    }

    #[test]
    fn elements_escape_what_xml_has_no_place_for() {
        let mut elements = Elements::default();
        elements.text("A", "a<b>&\u{1}\r\n");
        elements.text("B", "");
        elements.inside("C", |inner| inner.text("D", "e"));
        assert_eq!(elements.0, "<A>a&lt;b&gt;&amp;?&#x0D;\n</A><B/><C><D>e</D></C>");
    }
}
