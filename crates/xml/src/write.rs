//! Nodes as text, as SQL Server shows them: no white space of its own, `<a/>` for what is empty, only what has to be is escaped.
//!
//! A node that is written out of its document loses the declarations above it. Where a name needs one it is declared again, with the prefix
//! that the query's prolog has for the namespace, else with p1, p2 and so on.

use types::{SqlResult, xml};

use crate::document::{Document, Kind, Name};
use crate::meter::{Meter, NODE};
use crate::read::KNOWN_PREFIXES;

/// Writes nodes one after the other.
pub struct Writer<'a> {
    /// Prefixes that the query declares; the empty one is the default namespace of elements.
    prolog: &'a [(Box<str>, Box<str>)],
    /// What is declared where it writes, innermost last.
    bound: Vec<(String, String)>,
    made: u32,
    out: String,
}

struct Open {
    end: u32,
    name: String,
    bound: usize,
}

impl<'a> Writer<'a> {
    pub fn new(prolog: &'a [(Box<str>, Box<str>)]) -> Writer<'a> {
        Writer { prolog, bound: Vec::new(), made: 0, out: String::new() }
    }

    pub fn finish(self) -> String {
        self.out
    }

    /// Text that stands between nodes.
    pub fn text(&mut self, text: &str, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        meter.hold(text.len())?;
        xml::escape(text, false, &mut self.out, meter.pacer)
    }

    /// A node and all that is in it; of a document what is in it.
    pub fn node(&mut self, document: &Document, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        let mut open: Vec<Open> = Vec::new();
        let end = document.end(node);
        let mut at = node;
        while at < end {
            self.close_until(&mut open, at);
            let before = self.out.len();
            match document.kind(at) {
                Kind::Document => {}
                Kind::Element => {
                    let bound = self.bound.len();
                    let name = self.start_tag(document, at, meter)?;
                    let content = document.content(at);
                    if content == document.end(at) {
                        self.out.push_str("/>");
                        self.bound.truncate(bound);
                    } else {
                        self.out.push('>');
                        open.push(Open { end: document.end(at), name, bound });
                    }
                    meter.hold(self.out.len() - before)?;
                    at = content;
                    continue;
                }
                Kind::Attribute | Kind::Namespace => {}
                Kind::Text => xml::escape(document.value(at), false, &mut self.out, meter.pacer)?,
                Kind::Comment => self.out.extend(["<!--", document.value(at), "-->"]),
                Kind::Instruction => {
                    self.out.extend(["<?", &document.name(at).local]);
                    if !document.value(at).is_empty() {
                        self.out.extend([" ", document.value(at)]);
                    }
                    self.out.push_str("?>");
                }
            }
            meter.spend(NODE)?;
            meter.hold(self.out.len() - before)?;
            at += 1;
        }
        self.close_until(&mut open, end);
        Ok(())
    }

    fn close_until(&mut self, open: &mut Vec<Open>, at: u32) {
        while open.last().is_some_and(|element| element.end <= at) {
            let element = open.pop().expect("just seen");
            self.out.extend(["</", &element.name, ">"]);
            self.bound.truncate(element.bound);
        }
    }

    /// `<name a="b"`, without its end. The name as it was written.
    fn start_tag(&mut self, document: &Document, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<String> {
        for inner in document.beside(node).filter(|&inner| document.kind(inner) == Kind::Namespace) {
            self.bound.push((document.name(inner).local.to_string(), document.value(inner).to_owned()));
        }
        let (prefix, declare) = self.prefix(document.name(node), true);
        let name = qualified(&prefix, &document.name(node).local);
        self.out.extend(["<", &name]);
        if declare {
            self.declare(&prefix, &document.name(node).uri, meter)?;
        }
        for inner in document.beside(node) {
            meter.spend(NODE)?;
            if document.kind(inner) == Kind::Namespace {
                let prefix = &document.name(inner).local;
                self.out.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
                self.out.extend([&**prefix, "=\""]);
            } else {
                let (prefix, declare) = self.prefix(document.name(inner), false);
                if declare {
                    self.declare(&prefix, &document.name(inner).uri, meter)?;
                }
                self.out.extend([" ", &qualified(&prefix, &document.name(inner).local), "=\""]);
            }
            xml::escape(document.value(inner), true, &mut self.out, meter.pacer)?;
            self.out.push('"');
        }
        Ok(name)
    }

    fn declare(&mut self, prefix: &str, uri: &str, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        self.out.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
        self.out.extend([prefix, "=\""]);
        xml::escape(uri, true, &mut self.out, meter.pacer)?;
        self.out.push('"');
        self.bound.push((prefix.to_owned(), uri.to_owned()));
        Ok(())
    }

    fn meaning(&self, prefix: &str) -> Option<&str> {
        self.bound.iter().rev().find(|(known, _)| known == prefix).map(|(_, uri)| &**uri)
    }

    /// The prefix to write a name with, and whether it has to be declared first.
    fn prefix(&mut self, name: &Name, element: bool) -> (String, bool) {
        let uri = &*name.uri;
        if &*name.prefix == "xml" || uri.is_empty() && !element {
            return (name.prefix.to_string(), false);
        }
        if uri.is_empty() {
            return (String::new(), !self.meaning("").unwrap_or("").is_empty());
        }
        if (element || !name.prefix.is_empty()) && self.meaning(&name.prefix) == Some(uri) {
            return (name.prefix.to_string(), false);
        }
        let fits = |prefix: &str| element || !prefix.is_empty();
        let in_scope = self
            .bound
            .iter()
            .rev()
            .find(|(prefix, known)| known == uri && fits(prefix) && self.meaning(prefix) == Some(uri));
        if let Some((prefix, _)) = in_scope {
            return (prefix.clone(), false);
        }
        let known = self.prolog.iter().map(|(prefix, known)| (&**prefix, &**known)).rev().chain(KNOWN_PREFIXES);
        for (prefix, known) in known {
            if known == uri && fits(prefix) {
                return (prefix.to_owned(), true);
            }
        }
        let mut number = self.made + 1;
        loop {
            let prefix = format!("p{number}");
            if self.meaning(&prefix).is_none() {
                self.made = number;
                return (prefix, true);
            }
            number += 1;
        }
    }
}

fn qualified(prefix: &str, local: &str) -> String {
    if prefix.is_empty() { local.to_owned() } else { format!("{prefix}:{local}") }
}
