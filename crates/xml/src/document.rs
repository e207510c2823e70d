//! The tree of an xml value: nodes in document order in one array.
//!
//! A node's subtree is the run of nodes from it to its `end`; an element's namespace declarations and attributes come first, then its
//! children. So order is a comparison of numbers, descendants are a range, and no walk needs recursion. Node 0 is the document.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use types::{SqlResult, sql_error};

use crate::meter::{Meter, NODE};

/// Elements within one another.
pub const DEPTH_MAX: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Document,
    Element,
    Attribute,
    /// A declaration of a prefix: its name's `local` is the prefix, its value the URI.
    Namespace,
    Text,
    Comment,
    Instruction,
}

/// A name as it is written and what it stands for. No prefix, no namespace: empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Name {
    pub prefix: Box<str>,
    pub local: Box<str>,
    pub uri: Box<str>,
}

impl Name {
    pub fn new(prefix: &str, local: &str, uri: &str) -> Name {
        Name { prefix: prefix.into(), local: local.into(), uri: uri.into() }
    }

    /// The same name, whatever prefix says so.
    pub fn is(&self, other: &Name) -> bool {
        self.local == other.local && self.uri == other.uri
    }

    /// `prefix:local`
    pub fn written(&self) -> String {
        if self.prefix.is_empty() { self.local.to_string() } else { format!("{}:{}", self.prefix, self.local) }
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    parent: u32,
    /// The first node behind its subtree.
    end: u32,
    /// In `Document::names`; 0: none.
    name: u32,
    /// Its value in `Document::text`.
    start: u32,
    length: u32,
}

/// The type of each node, by a schema's numbers.
#[derive(Debug)]
pub struct Annotations {
    /// A `schema::Schema`, which stands above trees.
    pub schema: Arc<dyn Any + Send + Sync>,
    /// By node; `UNTYPED` of texts and of what was not validated.
    pub types: Vec<u32>,
    /// Elements with xsi:nil.
    pub nil: HashSet<u32>,
}

/// In `Annotations::types`: no type.
pub const UNTYPED: u32 = u32::MAX;

impl Annotations {
    pub fn ty(&self, node: u32) -> Option<u32> {
        self.types.get(node as usize).copied().filter(|ty| *ty != UNTYPED)
    }
}

#[derive(Debug)]
pub struct Document {
    nodes: Vec<Node>,
    /// The first is empty.
    names: Vec<Name>,
    text: String,
    /// Types of its nodes, if a schema says some.
    annotations: Option<Box<Annotations>>,
}

impl Document {
    /// Bytes it holds.
    pub fn size(&self) -> usize {
        let annotations = self.annotations.as_ref().map_or(0, |known| known.types.capacity() * size_of::<u32>());
        self.nodes.capacity() * size_of::<Node>()
            + self.text.capacity()
            + self.names.len() * 4 * size_of::<Name>()
            + annotations
    }

    pub fn annotations(&self) -> Option<&Annotations> {
        self.annotations.as_deref()
    }

    pub fn annotate(&mut self, annotations: Annotations) {
        self.annotations = Some(Box::new(annotations));
    }

    /// Nodes, the document included.
    pub fn count(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub fn kind(&self, node: u32) -> Kind {
        self.nodes[node as usize].kind
    }

    /// None: the document's.
    pub fn parent(&self, node: u32) -> Option<u32> {
        (node > 0).then(|| self.nodes[node as usize].parent)
    }

    /// The first node behind the subtree of `node`.
    pub fn end(&self, node: u32) -> u32 {
        self.nodes[node as usize].end
    }

    pub fn name(&self, node: u32) -> &Name {
        &self.names[self.nodes[node as usize].name as usize]
    }

    /// What an attribute, a text, a comment, an instruction says; empty for others.
    pub fn value(&self, node: u32) -> &str {
        let Node { start, length, .. } = self.nodes[node as usize];
        &self.text[start as usize..start as usize + length as usize]
    }

    fn is_beside(&self, node: u32) -> bool {
        matches!(self.kind(node), Kind::Attribute | Kind::Namespace)
    }

    /// Where the children of an element or document begin.
    pub fn content(&self, node: u32) -> u32 {
        let end = self.end(node);
        (node + 1..end).find(|&inner| !self.is_beside(inner)).unwrap_or(end)
    }

    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end(node);
        let mut at = if matches!(self.kind(node), Kind::Document | Kind::Element) { self.content(node) } else { end };
        std::iter::from_fn(move || {
            let child = (at < end).then_some(at)?;
            at = self.end(child);
            Some(child)
        })
    }

    /// Declarations and attributes of an element.
    pub fn beside(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = if self.kind(node) == Kind::Element { self.end(node) } else { node };
        (node + 1..end.max(node + 1)).take_while(move |&inner| inner < end && self.is_beside(inner))
    }

    pub fn attributes(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.beside(node).filter(|&inner| self.kind(inner) == Kind::Attribute)
    }

    /// The string value: of elements and the document, all text inside.
    pub fn string(&self, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<String> {
        let mut out = String::new();
        if !matches!(self.kind(node), Kind::Document | Kind::Element) {
            meter.pacer.push(self.value(node), &mut out)?;
            return Ok(out);
        }
        for inner in node + 1..self.end(node) {
            meter.spend(NODE / 8)?;
            if self.kind(inner) == Kind::Text {
                meter.pacer.push(self.value(inner), &mut out)?;
            }
        }
        meter.hold(out.len())?;
        Ok(out)
    }

    /// Elements that `node` is in, itself not counted.
    pub fn depth(&self, node: u32) -> usize {
        std::iter::successors(self.parent(node), |&above| self.parent(above)).count()
    }

    /// The URI that `prefix` stands for at an element. None: it is not declared there.
    pub fn namespace(&self, node: u32, prefix: &str) -> Option<&str> {
        let mut at = Some(node);
        while let Some(here) = at {
            let declared = self
                .beside(here)
                .find(|&inner| self.kind(inner) == Kind::Namespace && &*self.name(inner).local == prefix);
            if let Some(declared) = declared {
                return Some(self.value(declared));
            }
            at = self.parent(here);
        }
        None
    }
}

/// Makes a tree node by node, in document order.
pub struct Builder {
    document: Document,
    open: Vec<u32>,
    known: HashMap<String, u32>,
    key: String,
}

impl Default for Builder {
    fn default() -> Builder {
        let root = Node { kind: Kind::Document, parent: 0, end: 1, name: 0, start: 0, length: 0 };
        let document =
            Document { nodes: vec![root], names: vec![Name::default()], text: String::new(), annotations: None };
        Builder { document, open: vec![0], known: HashMap::new(), key: String::new() }
    }
}

impl Builder {
    fn intern(&mut self, name: &Name) -> u32 {
        self.key.clear();
        for part in [&name.prefix, &name.local, &name.uri] {
            self.key.push_str(part);
            self.key.push('\0');
        }
        if let Some(known) = self.known.get(&self.key) {
            return *known;
        }
        let number = self.document.names.len() as u32;
        self.document.names.push(name.clone());
        self.known.insert(self.key.clone(), number);
        number
    }

    /// The node that is open.
    pub fn parent(&self) -> u32 {
        *self.open.last().expect("the document is open until it is finished")
    }

    /// Nodes so far, the document included.
    pub fn count(&self) -> u32 {
        self.document.count()
    }

    fn push(&mut self, kind: Kind, name: u32, value: &str) -> SqlResult<u32> {
        let number = self.document.nodes.len();
        let start = self.document.text.len();
        if number >= u32::MAX as usize || start + value.len() >= u32::MAX as usize {
            return Err(sql_error!(6365));
        }
        self.document.text.push_str(value);
        let parent = self.parent();
        let node = Node { kind, parent, end: number as u32 + 1, name, start: start as u32, length: value.len() as u32 };
        self.document.nodes.push(node);
        Ok(number as u32)
    }

    /// 6335
    pub fn open(&mut self, name: &Name) -> SqlResult<()> {
        if self.open.len() > DEPTH_MAX {
            return Err(sql_error!(6335, DEPTH_MAX));
        }
        let name = self.intern(name);
        let node = self.push(Kind::Element, name, "")?;
        self.open.push(node);
        Ok(())
    }

    pub fn close(&mut self) {
        let node = self.open.pop().expect("what is closed is open");
        self.document.nodes[node as usize].end = self.document.nodes.len() as u32;
    }

    /// Of the element that was just opened.
    pub fn namespace(&mut self, prefix: &str, uri: &str) -> SqlResult<()> {
        let name = self.intern(&Name::new("", prefix, ""));
        self.push(Kind::Namespace, name, uri).map(drop)
    }

    /// Of the element that was just opened, which has none of that name.
    pub fn attribute(&mut self, name: &Name, value: &str) -> SqlResult<()> {
        let name = self.intern(name);
        self.push(Kind::Attribute, name, value).map(drop)
    }

    /// `attribute` of an element that may have one. 6308.
    pub fn new_attribute(&mut self, name: &Name, value: &str, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        for node in self.parent() + 1..self.document.nodes.len() as u32 {
            meter.spend(NODE / 8)?;
            if self.document.kind(node) == Kind::Attribute && self.document.name(node).is(name) {
                return Err(sql_error!(6308, name.written()));
            }
        }
        self.attribute(name, value)
    }

    /// The open element has something besides attributes.
    pub fn has_content(&self) -> bool {
        let last = self.document.nodes.len() as u32 - 1;
        last > self.parent() && !self.document.is_beside(last)
    }

    /// Joined to a text that comes right before. Empty: nothing.
    pub fn text(&mut self, value: &str) -> SqlResult<()> {
        if value.is_empty() {
            return Ok(());
        }
        let parent = self.parent();
        let end = self.document.text.len();
        let last = self.document.nodes.last_mut().expect("the document");
        if last.kind == Kind::Text && last.parent == parent && (last.start + last.length) as usize == end {
            if end + value.len() >= u32::MAX as usize {
                return Err(sql_error!(6365));
            }
            last.length += value.len() as u32;
            self.document.text.push_str(value);
            return Ok(());
        }
        self.push(Kind::Text, 0, value).map(drop)
    }

    pub fn comment(&mut self, value: &str) -> SqlResult<()> {
        self.push(Kind::Comment, 0, value).map(drop)
    }

    pub fn instruction(&mut self, target: &str, value: &str) -> SqlResult<()> {
        let name = self.intern(&Name::new("", target, ""));
        self.push(Kind::Instruction, name, value).map(drop)
    }

    /// A copy of a subtree; of a document, of what is in it. 6335, 701.
    pub fn copy(&mut self, from: &Document, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        let mut ends: Vec<u32> = Vec::new();
        for at in node..from.end(node) {
            while ends.last().is_some_and(|&end| end <= at) {
                ends.pop();
                self.close();
            }
            meter.spend(NODE + from.value(at).len())?;
            meter.hold(size_of::<Node>() + from.value(at).len())?;
            match from.kind(at) {
                Kind::Document => {}
                Kind::Element => {
                    self.open(from.name(at))?;
                    ends.push(from.end(at));
                }
                Kind::Attribute => self.attribute(from.name(at), from.value(at))?,
                Kind::Namespace => self.namespace(&from.name(at).local, from.value(at))?,
                Kind::Text => self.text(from.value(at))?,
                Kind::Comment => self.comment(from.value(at))?,
                Kind::Instruction => self.instruction(&from.name(at).local, from.value(at))?,
            }
        }
        ends.iter().for_each(|_| self.close());
        Ok(())
    }

    pub fn finish(mut self) -> Document {
        while !self.open.is_empty() {
            self.close();
        }
        self.document
    }
}
