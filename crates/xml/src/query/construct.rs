//! Constructors of nodes: `<a b="{x}">{y}</a>`, `element a {x}` and their kind.

use types::{SqlResult, sql_error};

use super::parse::{Parser, is_name_start};
use super::tree::{Content, Element, Expr};
use crate::atomic::Atomic;
use crate::document::Name;
use crate::read::is_space;

impl<'t> Parser<'t> {
    /// What begins with `<`.
    #[inline(never)]
    pub(super) fn direct(&mut self) -> SqlResult<Expr> {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            return self.comment();
        }
        if rest.starts_with("<?") {
            return self.instruction();
        }
        if rest[1..].starts_with(is_name_start) {
            return self.deeper(Self::element);
        }
        Err(self.near())
    }

    fn comment(&mut self) -> SqlResult<Expr> {
        self.at += 4;
        let line = self.text[..self.at].matches('\n').count() + 1;
        let Some(end) = self.rest().find("--") else { return Err(sql_error!(2340, self.label, line)) };
        let value = &self.rest()[..end];
        self.at += end;
        if !self.rest().starts_with("-->") {
            return Err(sql_error!(9322, self.label));
        }
        self.at += 3;
        Ok(Expr::Comment(value.into()))
    }

    fn instruction(&mut self) -> SqlResult<Expr> {
        self.at += 2;
        let target = match self.rest().starts_with(is_space) {
            true => return Err(sql_error!(2278, self.label, " ")),
            false => self.peek_word()?,
        };
        if target.eq_ignore_ascii_case("xml") {
            return Err(sql_error!(2294, self.label));
        }
        self.at += target.len();
        let Some(end) = self.rest().find("?>") else { return Err(sql_error!(2272, self.label)) };
        let value = self.rest()[..end].trim_start_matches(is_space);
        self.at += end + 2;
        Ok(Expr::Instruction(target.into(), value.into()))
    }

    /// `prefix:local` right here.
    fn written_name(&mut self) -> SqlResult<&'t str> {
        let rest = self.rest();
        let end = rest.find(|c| !super::parse::is_name(c) && c != ':').unwrap_or(rest.len());
        if !rest.starts_with(is_name_start) {
            return Err(self.near());
        }
        self.at += end;
        Ok(&rest[..end])
    }

    fn resolved(&self, written: &str, element: bool) -> SqlResult<Name> {
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        let uri = if prefix.is_empty() && !element { "".into() } else { self.namespace(prefix)? };
        Ok(Name { prefix: prefix.into(), local: local.into(), uri })
    }

    fn element(&mut self) -> SqlResult<Expr> {
        let line = self.text[..self.at].matches('\n').count() + 1;
        self.at += 1;
        let known = self.namespaces.len();
        let written = self.written_name()?;
        let mut declared: Vec<(Box<str>, Box<str>)> = Vec::new();
        let mut attributes: Vec<(&str, Expr)> = Vec::new();
        let closed = loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(is_space).len();
            if self.rest().starts_with("/>") {
                self.at += 2;
                break true;
            }
            if self.rest().starts_with('>') {
                self.at += 1;
                break false;
            }
            let name = self.written_name()?;
            self.expect("=")?;
            let value = self.attribute_value()?;
            let prefix = if name == "xmlns" { Some("") } else { name.strip_prefix("xmlns:") };
            match (prefix, value) {
                (Some(prefix), Expr::Literal(uri)) => {
                    let uri: Box<str> = uri.show().into();
                    self.namespaces.push((prefix.into(), uri.clone()));
                    declared.push((prefix.into(), uri));
                }
                (Some(_), _) => return Err(sql_error!(9338, self.label)),
                (None, value) if attributes.iter().any(|(known, _)| *known == name) => {
                    drop(value);
                    return Err(sql_error!(2271, self.label, name));
                }
                (None, value) => attributes.push((name, value)),
            }
        };
        let name = self.resolved(written, true)?;
        let attributes = attributes
            .into_iter()
            .map(|(name, value)| Ok((self.resolved(name, false)?, value)))
            .collect::<SqlResult<_>>()?;
        let content = if closed { Vec::new() } else { self.content(written, line)? };
        self.namespaces.truncate(known);
        Ok(Expr::Element(Box::new(Element { name, declared, attributes, content })))
    }

    /// A text, or one expression in braces. 9313.
    fn attribute_value(&mut self) -> SqlResult<Expr> {
        self.skip()?;
        let Some(quote @ ('"' | '\'')) = self.peek() else {
            let token = self.token();
            return Err(sql_error!(9317, self.label, token));
        };
        let line = self.text[..self.at].matches('\n').count() + 1;
        self.at += 1;
        let mut text = String::new();
        let mut inner = None;
        loop {
            let Some(c) = self.peek() else { return Err(sql_error!(2274, self.label, line)) };
            let doubled = self.rest()[c.len_utf8()..].starts_with(c);
            match c {
                '&' => text.push(self.reference()?),
                '{' if !doubled => {
                    if inner.is_some() || !text.is_empty() {
                        return Err(sql_error!(9313, self.label));
                    }
                    self.at += 1;
                    inner = Some(self.expression()?);
                    self.expect("}")?;
                    continue;
                }
                '}' if !doubled => return Err(sql_error!(9324, self.label)),
                c if c == quote && !doubled => {
                    self.at += 1;
                    break;
                }
                c => {
                    self.at += c.len_utf8() * if matches!(c, '{' | '}') || c == quote { 2 } else { 1 };
                    text.push(if matches!(c, '\n' | '\t' | '\r') { ' ' } else { c });
                }
            }
            if inner.is_some() {
                return Err(sql_error!(9313, self.label));
            }
        }
        Ok(inner.unwrap_or_else(|| Expr::Literal(Atomic::text(text))))
    }

    /// Up to the end tag. White space alone between tags and expressions is none of it.
    fn content(&mut self, open: &str, line: usize) -> SqlResult<Vec<Content>> {
        let mut content = Vec::new();
        let mut text = String::new();
        // Of characters only: no reference, no CDATA section.
        let mut bare = true;
        loop {
            let Some(c) = self.peek() else { return Err(sql_error!(2267, self.label, open)) };
            let rest = self.rest();
            let doubled = rest[c.len_utf8()..].starts_with(c);
            if let Some(section) = rest.strip_prefix("<![CDATA[") {
                let Some(end) = section.find("]]>") else { return Err(sql_error!(2273, self.label)) };
                text.push_str(&section[..end]);
                self.at += "<![CDATA[".len() + end + 3;
                bare = false;
                continue;
            }
            match c {
                '&' => {
                    text.push(self.reference()?);
                    bare = false;
                    continue;
                }
                '}' if !doubled => return Err(sql_error!(9324, self.label)),
                c if c != '<' && (c != '{' || doubled) => {
                    self.at += if matches!(c, '{' | '}') { 2 } else { c.len_utf8() };
                    text.push(c);
                    continue;
                }
                _ => {}
            }
            if !(text.is_empty() || bare && text.chars().all(is_space)) {
                content.push(Content::Text(std::mem::take(&mut text).into()));
            }
            text.clear();
            bare = true;
            if rest.starts_with("</") {
                self.at += 2;
                let name = self.written_name()?;
                if name != open {
                    return Err(sql_error!(2323, self.label, name, open, line));
                }
                self.expect(">")?;
                return Ok(content);
            }
            if c == '{' {
                self.at += 1;
                content.push(Content::Expr(self.expression()?));
                self.expect("}")?;
            } else {
                content.push(Content::Expr(self.direct()?));
            }
        }
    }

    /// `element name {...}`, `attribute name {...}`, `text {...}`
    #[inline(never)]
    pub(super) fn computed(&mut self, word: &str) -> SqlResult<Expr> {
        match word {
            "comment" => return Err(sql_error!(9326, self.label)),
            "processing-instruction" => return Err(sql_error!(9325, self.label)),
            "document" | "ordered" | "unordered" | "validate" => return Err(self.unsupported(word)),
            _ => {}
        }
        self.at += word.len();
        if word == "text" {
            self.expect("{")?;
            let value = self.single()?;
            if self.eat(",")? {
                return Err(sql_error!(2205, self.label, "}"));
            }
            self.expect("}")?;
            return Ok(Expr::Text(Box::new(value)));
        }
        self.skip()?;
        if self.rest().starts_with('{') {
            return Err(sql_error!(9315, self.label));
        }
        let name = self.name(word == "element")?;
        if word == "attribute" && (&*name.local == "xmlns" || &*name.prefix == "xmlns") {
            return Err(sql_error!(9316, self.label));
        }
        self.expect("{")?;
        let value = if self.eat("}")? {
            Expr::empty()
        } else {
            let value = self.expression()?;
            self.expect("}")?;
            value
        };
        if word == "attribute" {
            return Ok(Expr::Attribute(Box::new(name), Box::new(value)));
        }
        let content = vec![Content::Expr(value)];
        Ok(Expr::Element(Box::new(Element { name, declared: Vec::new(), attributes: Vec::new(), content })))
    }
}
