//! Text to tokens, one at a time and without allocation: a token is a kind and a byte range.
//!
//! What must hold: token ranges lie on character boundaries, ascend, and do not overlap; the lexer never looks back.
//! Operators of two characters (`<=`, `+=`, `!<`) are two tokens, since T-SQL lets blanks stand between them.

use crate::keyword::{Keyword, is_global};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A regular identifier or a word of the language.
    Word,
    /// `[name]`, with `]]` for `]`.
    Bracketed,
    /// `"name"` or, with QUOTED_IDENTIFIER OFF, a string.
    DoubleQuoted,
    /// `'text'`
    String,
    /// `N'text'`, and only with a capital: https://learn.microsoft.com/sql/t-sql/data-types/constants-transact-sql
    NationalString,
    /// Digits alone.
    Integer,
    /// Digits with a point.
    Decimal,
    /// With an exponent.
    Float,
    /// With a currency sign.
    Money,
    /// `0x...`
    Binary,
    /// `@name`, `@@name`
    Variable,
    /// A function that is written so.
    Global,
    /// `$name`
    Dollar,
    Comma,
    Semicolon,
    LeftParen,
    RightParen,
    LeftBrace,
    RightBrace,
    Dot,
    Colon,
    DoubleColon,
    Star,
    Plus,
    Minus,
    Slash,
    Percent,
    Ampersand,
    Bar,
    /// `||`
    DoubleBar,
    Caret,
    Tilde,
    Equals,
    Less,
    /// `<<`
    DoubleLess,
    Greater,
    /// `>>`
    DoubleGreater,
    Exclamation,
    /// A character that starts nothing.
    Unknown,
    End,
    /// From the opening quote to the end of the text.
    UnclosedString,
    UnclosedQuote,
    UnclosedComment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    /// Words only.
    pub keyword: Keyword,
    pub start: u32,
    pub end: u32,
    /// Of its first character.
    pub line: u32,
}

#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

/// What a byte can begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Blank,
    Letter,
    Digit,
    /// Part of identifiers but not the first character of regular ones: `@`, `$`.
    Sign,
    NonAscii,
}

static CLASS: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            0..=b' ' => Class::Blank,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'#' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'@' | b'$' => Class::Sign,
            128.. => Class::NonAscii,
            _ => Class::Other,
        };
        i += 1;
    }
    table
};

/// White space outside ASCII.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// The signs that begin a money constant.
fn is_currency(c: char) -> bool {
    matches!(c, '$' | '\u{a2}'..='\u{a5}' | '\u{9f2}' | '\u{9f3}' | '\u{e3f}' | '\u{17db}' | '\u{20a0}'..='\u{20b1}'
        | '\u{fdfc}' | '\u{fe69}' | '\u{ff04}' | '\u{ffe0}' | '\u{ffe1}' | '\u{ffe5}' | '\u{ffe6}')
}

impl<'a> Lexer<'a> {
    /// Positions are 32 bits: the caller bounds the text (a batch is at most 256 MB).
    pub fn new(text: &'a str) -> Lexer<'a> {
        assert!(text.len() < u32::MAX as usize);
        Lexer { text, at: 0, line: 1 }
    }

    /// From a token on.
    pub fn at(text: &'a str, start: usize, line: u32) -> Lexer<'a> {
        Lexer { text, at: start, line }
    }

    fn byte(&self, ahead: usize) -> u8 {
        // 0 is white space, so the end of the text ends every token.
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn char(&self) -> char {
        self.text[self.at..].chars().next().unwrap_or('\0')
    }

    /// After the last token: `End`, as often as asked.
    pub fn next_token(&mut self) -> Token {
        if let Some(unclosed) = self.skip_blanks() {
            return unclosed;
        }
        let (start, line) = (self.at, self.line);
        let mut keyword = Keyword::NONE_;
        let kind = if start == self.text.len() {
            TokenKind::End
        } else {
            let first = self.byte(0);
            match CLASS[first as usize] {
                Class::Letter if first == b'N' && self.byte(1) == b'\'' => {
                    self.at += 1;
                    self.quoted(b'\'', TokenKind::NationalString, TokenKind::UnclosedString)
                }
                Class::Letter => {
                    self.word();
                    keyword = Keyword::find(&self.text[start..self.at]);
                    TokenKind::Word
                }
                Class::Digit => self.number(),
                Class::Sign => self.sign(first),
                Class::NonAscii => self.non_ascii(),
                Class::Blank | Class::Other => self.punctuation(first),
            }
        };
        Token { kind, keyword, start: start as u32, end: self.at as u32, line }
    }

    /// White space and comments. An unclosed comment comes back as a token.
    fn skip_blanks(&mut self) -> Option<Token> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                0..=b' ' => self.at += 1,
                b'-' if self.byte(1) == b'-' => {
                    while self.at < bytes.len() && bytes[self.at] != b'\n' {
                        self.at += 1;
                    }
                }
                b'/' if self.byte(1) == b'*' => {
                    if let Some(unclosed) = self.comment() {
                        return Some(unclosed);
                    }
                }
                128.. => {
                    let c = self.char();
                    if !is_blank(c) {
                        return None;
                    }
                    self.at += c.len_utf8();
                }
                _ => return None,
            }
        }
        None
    }

    /// Comments nest.
    fn comment(&mut self) -> Option<Token> {
        let (start, line) = (self.at, self.line);
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        while self.at < bytes.len() {
            match (bytes[self.at], self.byte(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return None;
                    }
                }
                (byte, _) => {
                    self.line += u32::from(byte == b'\n');
                    self.at += 1;
                }
            }
        }
        let (start, end) = (start as u32, self.at as u32);
        Some(Token { kind: TokenKind::UnclosedComment, keyword: Keyword::NONE_, start, end, line })
    }

    fn word(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match CLASS[byte as usize] {
                Class::Letter | Class::Digit | Class::Sign => self.at += 1,
                Class::NonAscii => {
                    let c = self.char();
                    if !c.is_alphanumeric() && !is_joining(c) {
                        return;
                    }
                    self.at += c.len_utf8();
                }
                Class::Blank | Class::Other => return,
            }
        }
    }

    fn digits(&mut self) {
        while self.byte(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn number(&mut self) -> TokenKind {
        if self.byte(0) == b'0' && self.byte(1) | 0x20 == b'x' {
            self.at += 2;
            return self.binary();
        }
        let mut kind = TokenKind::Integer;
        self.digits();
        if self.byte(0) == b'.' {
            kind = TokenKind::Decimal;
            self.at += 1;
            self.digits();
        }
        if self.byte(0) | 0x20 == b'e' {
            // `1e` is a float too, and so is `1e+`.
            kind = TokenKind::Float;
            self.at += 1;
            if matches!(self.byte(0), b'+' | b'-') {
                self.at += 1;
            }
            self.digits();
        }
        kind
    }

    /// Hexadecimal digits; a backslash before the end of a line continues them on the next one.
    fn binary(&mut self) -> TokenKind {
        loop {
            let byte = self.byte(0);
            if byte.is_ascii_hexdigit() {
                self.at += 1;
            } else if byte == b'\\' && matches!(self.byte(1), b'\r' | b'\n') {
                self.at += 1 + usize::from(self.byte(1) == b'\r' && self.byte(2) == b'\n');
                self.line += u32::from(self.byte(0) == b'\n');
                self.at += 1;
            } else {
                return TokenKind::Binary;
            }
        }
    }

    fn sign(&mut self, first: u8) -> TokenKind {
        self.at += 1;
        if first == b'$' {
            return match CLASS[self.byte(0) as usize] {
                Class::Letter => {
                    self.word();
                    TokenKind::Dollar
                }
                _ => self.money(),
            };
        }
        let (start, is_double) = (self.at - 1, self.byte(0) == b'@');
        self.word();
        let is_global = is_double && is_global(&self.text[start..self.at]);
        if is_global { TokenKind::Global } else { TokenKind::Variable }
    }

    /// Behind the currency sign. The sign alone is a constant as well: 0.
    fn money(&mut self) -> TokenKind {
        if matches!(self.byte(0), b'+' | b'-') && (self.byte(1).is_ascii_digit() || self.byte(1) == b'.') {
            self.at += 1;
        }
        self.digits();
        if self.byte(0) == b'.' {
            self.at += 1;
            self.digits();
        }
        TokenKind::Money
    }

    fn non_ascii(&mut self) -> TokenKind {
        let c = self.char();
        if c.is_alphabetic() {
            self.word();
            TokenKind::Word
        } else {
            self.at += c.len_utf8();
            if is_currency(c) { self.money() } else { TokenKind::Unknown }
        }
    }

    /// From an opening quote behind the last one; a doubled quote stands for itself.
    fn quoted(&mut self, close: u8, kind: TokenKind, unclosed: TokenKind) -> TokenKind {
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            self.at += 1;
            if byte == close {
                if self.byte(0) != close || self.at == bytes.len() {
                    return kind;
                }
                self.at += 1;
            } else if byte == b'\n' {
                self.line += 1;
            }
        }
        unclosed
    }

    fn punctuation(&mut self, first: u8) -> TokenKind {
        let second = self.byte(1);
        let (kind, length) = match first {
            b'\'' => return self.quoted(b'\'', TokenKind::String, TokenKind::UnclosedString),
            b'"' => return self.quoted(b'"', TokenKind::DoubleQuoted, TokenKind::UnclosedQuote),
            b'[' => return self.quoted(b']', TokenKind::Bracketed, TokenKind::UnclosedQuote),
            b'.' if second.is_ascii_digit() => return self.number(),
            b',' => (TokenKind::Comma, 1),
            b';' => (TokenKind::Semicolon, 1),
            b'(' => (TokenKind::LeftParen, 1),
            b')' => (TokenKind::RightParen, 1),
            b'{' => (TokenKind::LeftBrace, 1),
            b'}' => (TokenKind::RightBrace, 1),
            b'.' => (TokenKind::Dot, 1),
            b':' if second == b':' => (TokenKind::DoubleColon, 2),
            b':' => (TokenKind::Colon, 1),
            b'*' => (TokenKind::Star, 1),
            b'+' => (TokenKind::Plus, 1),
            b'-' => (TokenKind::Minus, 1),
            b'/' => (TokenKind::Slash, 1),
            b'%' => (TokenKind::Percent, 1),
            b'&' => (TokenKind::Ampersand, 1),
            b'|' if second == b'|' => (TokenKind::DoubleBar, 2),
            b'|' => (TokenKind::Bar, 1),
            b'^' => (TokenKind::Caret, 1),
            b'~' => (TokenKind::Tilde, 1),
            b'=' => (TokenKind::Equals, 1),
            b'<' if second == b'<' => (TokenKind::DoubleLess, 2),
            b'<' => (TokenKind::Less, 1),
            b'>' if second == b'>' => (TokenKind::DoubleGreater, 2),
            b'>' => (TokenKind::Greater, 1),
            b'!' => (TokenKind::Exclamation, 1),
            _ => (TokenKind::Unknown, 1),
        };
        self.at += length;
        kind
    }
}

/// Combining marks and joiners inside an identifier.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}'
        | '\u{900}'..='\u{d7f}' | '\u{e31}'..='\u{e4e}' | '\u{200c}' | '\u{200d}' | '\u{203f}' | '\u{2040}'
        | '\u{3099}' | '\u{309a}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{ff3f}')
}

/// The text of a token of a quoted kind between its quotes, doubled quotes undone. `raw` includes the quotes.
pub fn unquote(raw: &str) -> Box<str> {
    let open = raw.find(['\'', '"', '[']).map_or(0, |at| at + 1);
    let close = match raw.as_bytes().get(open.wrapping_sub(1)) {
        Some(b'[') => "]",
        Some(b'"') => "\"",
        _ => "'",
    };
    let inner = raw[open..].strip_suffix(close).unwrap_or(&raw[open..]);
    let needs_work = inner.contains(close) || (close != "]" && inner.contains('\\'));
    if !needs_work {
        return inner.into();
    }
    let doubled = [close, close].concat();
    let single = inner.replace(&doubled, close);
    if close == "]" {
        return single.into();
    }
    // A backslash at the end of a line continues the string on the next one.
    single.replace("\\\r\n", "").replace("\\\n", "").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> String {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::End {
                return out.join(" ");
            }
            out.push(format!("{:?}:{}", token.kind, &text[token.start as usize..token.end as usize]));
        }
    }

    #[test]
    fn tokens_of_every_kind() {
        for (text, expected) in [
            ("select [a]]b] \"c\"", "Word:select Bracketed:[a]]b] DoubleQuoted:\"c\""),
            ("'it''s' N'x' n'y'", "String:'it''s' NationalString:N'x' Word:n String:'y'"),
            (
                "1 1. .5 1.5 1e 1e+5 1.5E-3",
                "Integer:1 Decimal:1. Decimal:.5 Decimal:1.5 Float:1e Float:1e+5 Float:1.5E-3",
            ),
            ("0x 0xAb 0x1\\\n2", "Binary:0x Binary:0xAb Binary:0x1\\\n2"),
            ("$1.5 $ $-2 £3 $action", "Money:$1.5 Money:$ Money:$-2 Money:£3 Dollar:$action"),
            (
                "@a @@b @@RowCount @ #t ##t a@b$c#",
                "Variable:@a Variable:@@b Global:@@RowCount Variable:@ Word:#t Word:##t Word:a@b$c#",
            ),
            ("1a", "Integer:1 Word:a"),
            ("a.b..c", "Word:a Dot:. Word:b Dot:. Dot:. Word:c"),
            (
                "< <= << >> || :: : !",
                "Less:< Less:< Equals:= DoubleLess:<< DoubleGreater:>> DoubleBar:|| DoubleColon::: Colon:: Exclamation:!",
            ),
            ("a /* x /* y */ z */ b -- c", "Word:a Word:b"),
            ("a\u{a0}b\u{3000}c\u{200b}d\u{2028}e", "Word:a Word:b Word:c Word:d Word:e"),
            ("größe 日本 \u{301}", "Word:größe Word:日本 Unknown:\u{301}"),
            ("'a", "UnclosedString:'a"),
            ("[a", "UnclosedQuote:[a"),
            ("'a''", "UnclosedString:'a''"),
            ("a /* b", "Word:a UnclosedComment:/* b"),
            ("?\\`", "Unknown:? Unknown:\\ Unknown:`"),
        ] {
            assert_eq!(kinds(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_counted_inside_strings_and_comments() {
        let mut lexer = Lexer::new("a\n'x\ny' /*\n\n*/ b\r\nc 0x1\\\n2 d");
        let lines: Vec<u32> = (0..6).map(|_| lexer.next_token().line).collect();
        assert_eq!(lines, [1, 2, 5, 6, 6, 7]);
    }

    #[test]
    fn quotes_are_undone() {
        for (raw, expected) in [
            ("'it''s'", "it's"),
            ("N'a'", "a"),
            ("[a]]b]", "a]b"),
            ("\"a\"\"b\"", "a\"b"),
            ("'a\\\nb'", "ab"),
            ("''", ""),
            ("'", ""),
        ] {
            assert_eq!(&*unquote(raw), expected, "{raw}");
        }
    }
}
