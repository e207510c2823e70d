//! The text of an xml value as a tree. The text was checked when the value was made (`types::xml`), so this reads what is there and looks
//! for no faults; text that is no xml all the same ends in an error and never in a panic.

use types::{SqlError, SqlResult, sql_error};

use crate::document::{Builder, Document, Name};
use crate::meter::{Meter, NODE};

/// Prefixes that every query knows.
pub const KNOWN_PREFIXES: [(&str, &str); 5] = [
    ("xs", "http://www.w3.org/2001/XMLSchema"),
    ("xsi", "http://www.w3.org/2001/XMLSchema-instance"),
    ("xdt", "http://www.w3.org/2004/07/xpath-datatypes"),
    ("fn", "http://www.w3.org/2004/07/xpath-functions"),
    ("sql", "urn:schemas-microsoft-com:xml-sql"),
];

/// What the prefix xml stands for.
pub const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

fn broken() -> SqlError {
    sql_error!(9422, 1, 1)
}

/// 9422, 9448, 9459, 6335, 701.
pub fn read(text: &str, meter: &mut Meter<'_, '_>) -> SqlResult<Document> {
    let mut reader = Reader { rest: text, builder: Builder::default(), scopes: Vec::new(), open: Vec::new() };
    while !reader.rest.is_empty() {
        let before = reader.rest.len();
        reader.node(meter)?;
        let read = before - reader.rest.len();
        meter.spend(NODE + read)?;
        meter.hold(NODE + read)?;
    }
    if !reader.open.is_empty() {
        return Err(broken());
    }
    Ok(reader.builder.finish())
}

struct Reader<'t> {
    rest: &'t str,
    builder: Builder,
    /// Declared prefixes and their URIs, innermost last.
    scopes: Vec<(String, String)>,
    /// Open elements: what they are called, and how long `scopes` was before.
    open: Vec<(&'t str, usize)>,
}

impl<'t> Reader<'t> {
    fn node(&mut self, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        if let Some(rest) = self.rest.strip_prefix("<!--") {
            let (value, rest) = rest.split_once("-->").ok_or_else(broken)?;
            self.rest = rest;
            self.builder.comment(value)
        } else if let Some(rest) = self.rest.strip_prefix("<![CDATA[") {
            let (value, rest) = rest.split_once("]]>").ok_or_else(broken)?;
            self.rest = rest;
            self.literal(value, meter)
        } else if let Some(rest) = self.rest.strip_prefix("<?") {
            let (whole, rest) = rest.split_once("?>").ok_or_else(broken)?;
            self.rest = rest;
            let (target, value) = whole.split_once(is_space).unwrap_or((whole, ""));
            self.builder.instruction(target, value.trim_start_matches(is_space))
        } else if let Some(rest) = self.rest.strip_prefix("</") {
            let (name, rest) = rest.split_once('>').ok_or_else(broken)?;
            self.rest = rest;
            match self.open.pop() {
                Some((open, scopes)) if open == name.trim_end_matches(is_space) => {
                    self.scopes.truncate(scopes);
                    self.builder.close();
                    Ok(())
                }
                _ => Err(broken()),
            }
        } else if let Some(rest) = self.rest.strip_prefix('<') {
            self.rest = rest;
            self.start_tag(meter)
        } else {
            let end = self.rest.find('<').unwrap_or(self.rest.len());
            let (raw, rest) = self.rest.split_at(end);
            self.rest = rest;
            self.text(raw, meter)
        }
    }

    /// With references resolved.
    fn text(&mut self, raw: &str, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        let mut rest = raw;
        while let Some((before, behind)) = rest.split_once('&') {
            self.literal(before, meter)?;
            let (character, behind) = reference(behind)?;
            self.builder.text(character.encode_utf8(&mut [0; 4]))?;
            rest = behind;
        }
        self.literal(rest, meter)
    }

    fn literal(&mut self, text: &str, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        meter.pieces(text, |piece| self.builder.text(piece))
    }

    fn name(&mut self) -> SqlResult<&'t str> {
        let end = self.rest.find(|c| is_space(c) || matches!(c, '/' | '>' | '=' | '<')).ok_or_else(broken)?;
        if end == 0 {
            return Err(broken());
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name)
    }

    fn start_tag(&mut self, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        let name = self.name()?;
        let scopes = self.scopes.len();
        let mut declared: Vec<(&str, String)> = Vec::new();
        let mut attributes: Vec<(&str, String)> = Vec::new();
        // Declarations and attributes in the order in which they are written: true is a declaration.
        let mut order = Vec::new();
        let closed = loop {
            self.rest = self.rest.trim_start_matches(is_space);
            if let Some(rest) = self.rest.strip_prefix("/>") {
                self.rest = rest;
                break true;
            }
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                break false;
            }
            let attribute = self.name()?;
            let rest = self.rest.trim_start_matches(is_space).strip_prefix('=').ok_or_else(broken)?;
            let rest = rest.trim_start_matches(is_space);
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(broken)?;
            let (raw, rest) = rest[1..].split_once(quote).ok_or_else(broken)?;
            self.rest = rest;
            let value = resolve(raw)?;
            meter.spend(NODE + raw.len())?;
            let prefix = if attribute == "xmlns" { Some("") } else { attribute.strip_prefix("xmlns:") };
            order.push(prefix.is_some());
            match prefix {
                Some(prefix) => {
                    self.scopes.push((prefix.to_owned(), value.clone()));
                    declared.push((prefix, value));
                }
                None => attributes.push((attribute, value)),
            }
        };
        let element = self.qualified(name, true)?;
        self.builder.open(&element)?;
        let (mut declared, mut attributes) = (declared.into_iter(), attributes.into_iter());
        for is_declaration in order {
            if is_declaration {
                let (prefix, uri) = declared.next().expect("counted");
                self.builder.namespace(prefix, &uri)?;
            } else {
                let (name, value) = attributes.next().expect("counted");
                let name = self.qualified(name, false)?;
                self.builder.attribute(&name, &value)?;
            }
        }
        if closed {
            self.builder.close();
            self.scopes.truncate(scopes);
        } else {
            self.open.push((name, scopes));
        }
        Ok(())
    }

    /// The default namespace is for elements only.
    fn qualified(&self, written: &str, element: bool) -> SqlResult<Name> {
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        let uri = match prefix {
            "" if !element => "",
            "xml" => XML_NAMESPACE,
            prefix => match self.scopes.iter().rev().find(|(known, _)| known == prefix) {
                Some((_, uri)) => uri,
                None if prefix.is_empty() => "",
                None => return Err(sql_error!(9459, 1, 1)),
            },
        };
        Ok(Name::new(prefix, local, uri))
    }
}

pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// The character that `name` of `&name;` stands for.
pub fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "amp" => return Some('&'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => {}
    }
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

/// The character of the reference whose `&` came before, and what follows it.
fn reference(behind: &str) -> SqlResult<(char, &str)> {
    let (name, behind) = behind.split_once(';').ok_or_else(broken)?;
    Ok((entity(name).ok_or_else(|| sql_error!(9448, 1, 1))?, behind))
}

/// With references resolved.
fn resolve(raw: &str) -> SqlResult<String> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let (character, behind) = reference(behind)?;
        out.push(character);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}
