//! Identifiers, variables, and names of several parts.

use super::{K, P, Parser, T};
use crate::ast::{ColumnName, Expr, Ident, ObjectName, Variable};
use crate::lex::{Token, unquote};
use ::types::sql_error;

/// UTF-16 units an identifier may have.
const NAME_LENGTH_MAX: usize = 128;
/// Parts of a column's name: server, database, schema, table, column.
pub(super) const PARTS_MAX: usize = 5;

/// `a.b..c`: the parts, left to right, and whether a `.*` ended them.
pub(super) struct Parts {
    parts: [Option<Ident>; PARTS_MAX],
    count: usize,
    pub star: bool,
    pub line: u32,
}

impl Parts {
    fn push(&mut self, part: Option<Ident>) -> bool {
        let room = self.count < PARTS_MAX;
        if room {
            self.parts[self.count] = part;
            self.count += 1;
        }
        room
    }

    pub fn is_single(&self) -> bool {
        self.count == 1
    }

    fn pop(&mut self) -> Option<Ident> {
        if self.count == 0 {
            return None;
        }
        self.count -= 1;
        self.parts[self.count].take()
    }

    /// None if there are more than four parts or the last one is empty.
    pub fn into_object(mut self) -> Option<ObjectName> {
        if self.count > 4 {
            return None;
        }
        let name = self.pop()?;
        let schema = self.pop();
        let database = self.pop();
        let server = self.pop();
        Some(ObjectName { server, database, schema, name, line: self.line })
    }

    pub fn into_column(mut self) -> Option<ColumnName> {
        let line = self.line;
        let name = self.pop()?;
        let table = if self.count == 0 { None } else { Some(Box::new(self.into_object()?)) };
        Some(ColumnName { table, name, line })
    }
}

impl<'a> Parser<'a> {
    /// An identifier may stand at `token`: a word that is not reserved, or anything quoted.
    pub(super) fn is_name(&self, token: Token) -> bool {
        match token.kind {
            T::Word => !token.keyword.is_reserved(),
            T::Bracketed => true,
            T::DoubleQuoted => self.quoted_identifier,
            _ => false,
        }
    }

    pub(super) fn at_name(&self) -> bool {
        self.is_name(self.token)
    }

    pub(super) fn is_string(&self, token: Token) -> bool {
        match token.kind {
            T::String | T::NationalString => true,
            T::DoubleQuoted => !self.quoted_identifier,
            _ => false,
        }
    }

    pub(super) fn at_string(&self) -> bool {
        self.is_string(self.token)
    }

    pub(super) fn ident(&mut self) -> P<Ident> {
        if self.at_name() { self.any_word() } else { Err(self.unexpected()) }
    }

    /// The current token as an identifier, whatever word it is.
    pub(super) fn any_word(&mut self) -> P<Ident> {
        let token = self.token;
        let text = self.token_text(token);
        let ident = match token.kind {
            T::Word | T::Dollar => Ident { text: text.into(), quoted: false },
            T::Bracketed | T::DoubleQuoted => Ident { text: unquote(text), quoted: true },
            _ => return Err(self.unexpected()),
        };
        if ident.text.len() > NAME_LENGTH_MAX {
            self.check_length(&ident.text)?;
        } else if ident.text.is_empty() {
            return Err(self.missing_name(token.line));
        }
        self.bump();
        Ok(ident)
    }

    pub(super) fn check_length(&self, name: &str) -> P<()> {
        if name.encode_utf16().count() <= NAME_LENGTH_MAX {
            return Ok(());
        }
        let start: String = name.chars().take(NAME_LENGTH_MAX).collect();
        Err(sql_error!(103, state 4, "identifier", start, NAME_LENGTH_MAX).at_line(self.token.line))
    }

    /// Identifier or string constant, where old syntax permits both (aliases, principals, databases).
    pub(super) fn ident_or_string(&mut self) -> P<Ident> {
        if !self.at_string() {
            return self.ident();
        }
        let text = unquote(self.token_text(self.token));
        if text.is_empty() {
            return Err(self.missing_name(self.token.line));
        }
        if text.len() > NAME_LENGTH_MAX {
            self.check_length(&text)?;
        }
        self.bump();
        Ok(Ident { text, quoted: true })
    }

    pub(super) fn variable(&mut self) -> P<Variable> {
        if !self.at(T::Variable) {
            return Err(self.unexpected());
        }
        let text = self.token_text(self.token);
        if text.len() > NAME_LENGTH_MAX {
            self.check_length(text)?;
        }
        let variable = Variable { name: text.into(), line: self.token.line };
        self.bump();
        Ok(variable)
    }

    /// One to five parts. `star` permits `a.*`.
    pub(super) fn name_parts(&mut self, star: bool) -> P<Parts> {
        let mut parts = Parts { parts: Default::default(), count: 0, star: false, line: self.token.line };
        if self.at(T::Dot) {
            // `.t` and `..t`: the first part is empty.
            parts.push(None);
        } else {
            let part = if self.at(T::Dollar) { self.any_word()? } else { self.ident()? };
            parts.push(Some(part));
        }
        while self.at(T::Dot) {
            self.bump();
            let part = match self.kind() {
                T::Dot => None,
                T::Star if star => {
                    self.bump();
                    parts.star = true;
                    return Ok(parts);
                }
                T::Dollar => Some(self.any_word()?),
                // The two words that are columns; a function's name behind a dot may be reserved only here.
                T::Word if self.at_any(&[K::IDENTITYCOL, K::ROWGUIDCOL]) => Some(self.any_word()?),
                _ => Some(self.ident()?),
            };
            if !parts.push(part) {
                return Err(self.too_many_parts(&parts));
            }
        }
        Ok(parts)
    }

    fn too_many_parts(&self, parts: &Parts) -> ::types::SqlError {
        let shown: Vec<&str> = parts.parts.iter().map(|part| part.as_deref().unwrap_or("")).collect();
        sql_error!(117, "object", shown.join("."), 3).at_line(parts.line)
    }

    pub(super) fn object_name(&mut self) -> P<ObjectName> {
        let parts = self.name_parts(false)?;
        self.parts_to_object(parts)
    }

    pub(super) fn parts_to_object(&mut self, parts: Parts) -> P<ObjectName> {
        if parts.count > 4 {
            return Err(self.too_many_parts(&parts));
        }
        parts.into_object().ok_or_else(|| self.unexpected())
    }

    pub(super) fn column_name(&mut self) -> P<ColumnName> {
        if self.at_any(&[K::IDENTITYCOL, K::ROWGUIDCOL]) {
            let line = self.token.line;
            return Ok(ColumnName { table: None, name: self.any_word()?, line });
        }
        let parts = self.name_parts(false)?;
        parts.into_column().ok_or_else(|| self.unexpected())
    }

    pub(super) fn parts_to_column(&self, parts: Parts) -> P<Expr> {
        match parts.into_column() {
            Some(name) => Ok(Expr::Column(Box::new(name))),
            None => Err(self.unexpected()),
        }
    }

    /// `(a, b)`
    pub(super) fn ident_list(&mut self) -> P<Vec<Ident>> {
        self.paren_list(Self::ident)
    }

    pub(super) fn optional_ident_list(&mut self) -> P<Vec<Ident>> {
        if self.at(T::LeftParen) { self.ident_list() } else { Ok(Vec::new()) }
    }
}
