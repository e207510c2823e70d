//! Text to tree: scanning, the prolog, and expressions that begin with a word. XQuery has no reserved words, so there are no tokens: what
//! a name is shows where it stands.

use types::{SqlError, SqlResult, sql_error};

use super::tree::{Body, Clause, Expr, External, Flwor, Prolog, Quantified};
use super::{Method, NESTING_MAX, OPERATORS_MAX, Query, Receiver};
use crate::atomic::{Atomic, parse_decimal};
use crate::read::{KNOWN_PREFIXES, entity, is_space};

pub(super) struct Parser<'t> {
    pub text: &'t str,
    pub at: usize,
    pub label: String,
    /// Declared prefixes, those of constructors around included.
    pub namespaces: Vec<(Box<str>, Box<str>)>,
    pub externals: Vec<External>,
    variables: Vec<(&'t str, usize)>,
    slots: usize,
    depth: u32,
    /// Operators that may be operands of each other.
    pub operator_count: u32,
    /// Predicates around what is read.
    pub predicates: u32,
}

pub fn parse(text: &str, receiver: &Receiver, prolog: &[(Box<str>, Box<str>)]) -> SqlResult<Query> {
    if text.trim_matches(is_space).is_empty() {
        return Err(sql_error!(6306));
    }
    let mut parser = Parser {
        text,
        at: 0,
        label: receiver.label(),
        namespaces: prolog.to_vec(),
        externals: Vec::new(),
        variables: Vec::new(),
        slots: 0,
        depth: 0,
        operator_count: 0,
        predicates: 0,
    };
    parser.prolog()?;
    let prolog = Prolog { namespaces: parser.namespaces.clone() };
    let body = match receiver.method {
        Method::Modify => Body::Action(parser.action()?),
        _ => Body::Expression(parser.expression()?),
    };
    parser.skip()?;
    if parser.at < text.len() {
        return Err(parser.near());
    }
    let Parser { label, externals, slots, .. } = parser;
    Ok(Query { label, method: receiver.method, prolog, body, externals, slots })
}

pub(super) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}')
}

impl<'t> Parser<'t> {
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Passes over white space and comments.
    pub fn skip(&mut self) -> SqlResult<()> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(is_space).len();
            if !self.rest().starts_with("(:") {
                return Ok(());
            }
            let line = self.text[..self.at].matches('\n').count() + 1;
            let mut open = 0;
            loop {
                let rest = self.rest();
                if rest.starts_with("(:") {
                    (self.at, open) = (self.at + 2, open + 1);
                } else if rest.starts_with(":)") {
                    (self.at, open) = (self.at + 2, open - 1);
                    if open == 0 {
                        break;
                    }
                } else {
                    let Some(next) = rest.chars().next() else { return Err(sql_error!(2340, self.label, line)) };
                    self.at += next.len_utf8();
                }
            }
        }
    }

    /// What is next, as errors show it.
    pub fn token(&mut self) -> String {
        if self.skip().is_err() {
            return "<eof>".into();
        }
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return "<eof>".into() };
        let end = match first {
            c if is_name_start(c) => rest.find(|c| !is_name(c) && c != ':').unwrap_or(rest.len()),
            c if c.is_ascii_digit() => rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len()),
            '$' => rest[1..].find(|c| !is_name(c)).map_or(rest.len(), |end| end + 1),
            '"' | '\'' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ => {
                let doubled = ["//", "::", "..", "<!", "</", "!=", "<=", ">=", ":=", "<<", ">>"];
                if doubled.iter().any(|symbol| rest.starts_with(symbol)) { 2 } else { first.len_utf8() }
            }
        };
        rest[..end].trim_end_matches(':').to_owned()
    }

    pub fn near(&mut self) -> SqlError {
        let token = self.token();
        sql_error!(2209, self.label, token)
    }

    pub fn expected(&mut self, what: &str) -> SqlError {
        let token = self.token();
        sql_error!(9303, self.label, token, what)
    }

    pub fn unsupported(&self, what: &str) -> SqlError {
        sql_error!(9335, self.label, what)
    }

    /// White space is passed over first.
    pub fn eat(&mut self, symbol: &str) -> SqlResult<bool> {
        self.skip()?;
        let found = self.rest().starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        Ok(found)
    }

    /// 9303
    pub fn expect(&mut self, symbol: &str) -> SqlResult<()> {
        if self.eat(symbol)? { Ok(()) } else { Err(self.expected(symbol)) }
    }

    /// The name without a prefix that is next.
    pub fn peek_word(&mut self) -> SqlResult<&'t str> {
        self.skip()?;
        let rest = self.rest();
        if !rest.starts_with(is_name_start) {
            return Ok("");
        }
        Ok(&rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())])
    }

    pub fn eat_word(&mut self, word: &str) -> SqlResult<bool> {
        let found = self.peek_word()? == word;
        if found {
            self.at += word.len();
        }
        Ok(found)
    }

    pub fn expect_word(&mut self, word: &str) -> SqlResult<()> {
        if self.eat_word(word)? { Ok(()) } else { Err(self.expected(word)) }
    }

    /// What follows the word that is next, white space left out.
    pub fn behind(&mut self, word: &str) -> &'t str {
        self.rest()[word.len()..].trim_start_matches(is_space)
    }

    /// Runs `read` one level deeper. 2363.
    pub fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        if self.depth == NESTING_MAX {
            return Err(sql_error!(2363, self.label));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// One more of what makes the tree deeper. 2363.
    pub fn count(&mut self) -> SqlResult<()> {
        self.operator_count += 1;
        if self.operator_count > OPERATORS_MAX { Err(sql_error!(2363, self.label)) } else { Ok(()) }
    }

    fn prolog(&mut self) -> SqlResult<()> {
        if self.peek_word()? == "xquery" && self.behind("xquery").starts_with("version") {
            self.at += "xquery".len();
            self.expect_word("version")?;
            if self.string()? != "1.0" {
                return Err(sql_error!(9304, self.label));
            }
            self.end_of_entry()?;
        }
        while self.peek_word()? == "declare" {
            let start = self.at;
            self.at += "declare".len();
            match self.peek_word()? {
                "namespace" => {
                    self.at += "namespace".len();
                    let prefix = self.peek_word()?;
                    if prefix.is_empty() {
                        return Err(self.near());
                    }
                    self.at += prefix.len();
                    self.expect("=")?;
                    let uri = self.string()?;
                    self.namespaces.push((prefix.into(), uri.into()));
                }
                "default" => {
                    self.at += "default".len();
                    let element = self.eat_word("element")?;
                    if !element {
                        self.expect_word("function")?;
                    }
                    self.expect_word("namespace")?;
                    let uri = self.string()?;
                    if element {
                        self.namespaces.push(("".into(), uri.into()));
                    }
                }
                word @ ("function" | "variable") => return Err(self.unsupported(&format!("declare {word}"))),
                _ => {
                    self.at = start;
                    return Err(self.near());
                }
            }
            self.end_of_entry()?;
        }
        Ok(())
    }

    fn end_of_entry(&mut self) -> SqlResult<()> {
        if self.eat(";")? {
            return Ok(());
        }
        let token = self.token();
        Err(sql_error!(9327, self.label, token))
    }

    /// The URI of a prefix. 2229.
    pub fn namespace(&self, prefix: &str) -> SqlResult<Box<str>> {
        let declared = self.namespaces.iter().map(|(prefix, uri)| (&**prefix, &**uri)).rev();
        let mut known = declared.chain(KNOWN_PREFIXES).chain([("xml", crate::read::XML_NAMESPACE)]);
        match known.find(|(known, _)| *known == prefix) {
            Some((_, uri)) => Ok(uri.into()),
            None if prefix.is_empty() => Ok("".into()),
            None => Err(sql_error!(2229, self.label, prefix)),
        }
    }

    /// A string literal: its quote is doubled inside, and references are resolved. 2225, 2282, 2283, 2285.
    pub fn string(&mut self) -> SqlResult<String> {
        self.skip()?;
        let Some(quote @ ('"' | '\'')) = self.peek() else { return Err(sql_error!(2225, self.label)) };
        let line = self.text[..self.at].matches('\n').count() + 1;
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(c) = self.peek() else { return Err(sql_error!(2274, self.label, line)) };
            if c == '&' {
                out.push(self.reference()?);
                continue;
            }
            self.at += c.len_utf8();
            if c == quote {
                if self.peek() != Some(quote) {
                    return Ok(out);
                }
                self.at += 1;
            }
            out.push(c);
        }
    }

    /// `&name;`
    pub fn reference(&mut self) -> SqlResult<char> {
        let rest = &self.rest()[1..];
        let number = rest.starts_with('#');
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(rest.len());
        let name = &rest[..end];
        if name.is_empty() {
            return Err(sql_error!(2282, self.label));
        }
        match rest[end..].chars().next() {
            Some(';') => {}
            _ if number => return Err(sql_error!(2285, self.label)),
            Some(c) => return Err(sql_error!(2283, self.label, c)),
            None => return Err(sql_error!(2282, self.label)),
        }
        let Some(character) = entity(name) else {
            return Err(if number { sql_error!(2285, self.label) } else { sql_error!(2282, self.label) });
        };
        self.at += end + 2;
        Ok(character)
    }

    /// 2342
    pub fn number(&mut self) -> SqlResult<Atomic> {
        let rest = self.rest();
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let mut end = digits(rest);
        let whole = !rest[end..].starts_with('.');
        if !whole {
            end += 1 + digits(&rest[end + 1..]);
        }
        let mut double = false;
        if rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
            let exponent = digits(&rest[end + 1 + sign..]);
            double = exponent > 0;
            end += if double { 1 + sign + exponent } else { 0 };
        }
        let written = &rest[..end];
        let invalid = || sql_error!(2342, self.label);
        if rest[end..].starts_with(is_name_start) {
            return Err(invalid());
        }
        let value = if double {
            Atomic::Double(written.parse().map_err(|_| invalid())?)
        } else if whole {
            let value: i128 = written.parse().map_err(|_| invalid())?;
            if written.trim_start_matches('0').len() > 28 {
                return Err(invalid());
            }
            Atomic::Integer(value)
        } else {
            parse_decimal(written).ok_or_else(invalid)?
        };
        self.at += end;
        Ok(value)
    }

    /// `a, b`
    pub fn expression(&mut self) -> SqlResult<Expr> {
        let first = self.single()?;
        if !self.eat(",")? {
            return Ok(first);
        }
        let mut list = vec![first, self.single()?];
        while self.eat(",")? {
            list.push(self.single()?);
        }
        Ok(Expr::Sequence(list))
    }

    pub fn single(&mut self) -> SqlResult<Expr> {
        self.deeper(|parser| {
            let word = parser.peek_word()?;
            match word {
                "for" | "let" if parser.behind(word).starts_with('$') => parser.flwor(),
                "some" | "every" if parser.behind(word).starts_with('$') => parser.quantified(word == "every"),
                "if" if parser.behind(word).starts_with('(') => parser.condition(),
                "typeswitch" if parser.behind(word).starts_with('(') => Err(parser.unsupported("typeswitch")),
                _ => parser.operators(0),
            }
        })
    }

    #[inline(never)]
    fn condition(&mut self) -> SqlResult<Expr> {
        self.expect_word("if")?;
        self.expect("(")?;
        let test = self.expression()?;
        self.expect(")")?;
        self.expect_word("then")?;
        let yes = self.single()?;
        self.expect_word("else")?;
        let no = self.single()?;
        Ok(Expr::If(Box::new([test, yes, no])))
    }

    /// `$name`
    pub fn variable_name(&mut self) -> SqlResult<&'t str> {
        if !self.eat("$")? {
            return Err(sql_error!(2241, self.label));
        }
        let name = self.peek_word()?;
        if name.is_empty() {
            return Err(self.near());
        }
        self.at += name.len();
        if self.rest().starts_with(':') && !self.rest().starts_with(":=") {
            return Err(sql_error!(9323, self.label));
        }
        Ok(name)
    }

    /// 2227
    pub fn variable(&mut self) -> SqlResult<Expr> {
        let name = self.variable_name()?;
        match self.variables.iter().rev().find(|(known, _)| *known == name) {
            Some((_, slot)) => Ok(Expr::Variable(*slot)),
            None => Err(sql_error!(2227, self.label, format_args!("${name}"))),
        }
    }

    /// 2363
    fn bind(&mut self, name: &'t str) -> SqlResult<usize> {
        self.count()?;
        let slot = self.slots;
        self.slots += 1;
        self.variables.push((name, slot));
        Ok(slot)
    }

    #[inline(never)]
    fn flwor(&mut self) -> SqlResult<Expr> {
        let known = self.variables.len();
        let mut clauses = Vec::new();
        loop {
            let word = self.peek_word()?;
            if !matches!(word, "for" | "let") || !self.behind(word).starts_with('$') {
                break;
            }
            self.at += word.len();
            loop {
                let name = self.variable_name()?;
                let separator = if word == "for" { "in" } else { ":=" };
                if let unknown @ ("at" | "as") = self.peek_word()? {
                    return Err(self.unsupported(unknown));
                }
                let found = if word == "for" { self.eat_word("in")? } else { self.eat(":=")? };
                if !found {
                    return Err(sql_error!(2205, self.label, separator));
                }
                let source = self.single()?;
                let slot = self.bind(name)?;
                clauses.push(if word == "for" { Clause::For(slot, source) } else { Clause::Let(slot, source) });
                if !self.eat(",")? {
                    break;
                }
            }
        }
        let filter = if self.eat_word("where")? { Some(self.single()?) } else { None };
        let mut order = Vec::new();
        let stable = self.eat_word("stable")?;
        if stable || self.peek_word()? == "order" {
            self.expect_word("order")?;
            self.expect_word("by")?;
            loop {
                let key = self.single()?;
                let descending = self.eat_word("descending")?;
                if !descending {
                    self.eat_word("ascending")?;
                }
                match self.peek_word()? {
                    "empty" => {
                        self.at += "empty".len();
                        let which = self.peek_word()?;
                        return Err(self.unsupported(&format!("empty {which}")));
                    }
                    "collation" => return Err(self.unsupported("collation")),
                    _ => {}
                }
                order.push((key, descending));
                if !self.eat(",")? {
                    break;
                }
            }
        }
        if !self.eat_word("return")? {
            let token = self.token();
            return Err(if filter.is_none() && order.is_empty() {
                sql_error!(9332, self.label, token)
            } else {
                sql_error!(9303, self.label, token, "return")
            });
        }
        let result = self.single()?;
        self.variables.truncate(known);
        Ok(Expr::Flwor(Box::new(Flwor { clauses, filter, order, result })))
    }

    #[inline(never)]
    fn quantified(&mut self, every: bool) -> SqlResult<Expr> {
        self.at += if every { "every" } else { "some" }.len();
        let known = self.variables.len();
        let mut bindings = Vec::new();
        loop {
            let name = self.variable_name()?;
            if self.peek_word()? == "as" {
                return Err(self.unsupported("as"));
            }
            self.expect_word("in")?;
            let source = self.single()?;
            bindings.push((self.bind(name)?, source));
            if !self.eat(",")? {
                break;
            }
        }
        self.expect_word("satisfies")?;
        let test = self.single()?;
        self.variables.truncate(known);
        Ok(Expr::Quantified(Box::new(Quantified { every, bindings, test })))
    }
}
