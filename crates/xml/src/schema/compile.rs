//! From documents of XML Schema to a [`Schema`]: names are collected first, then everything that is global is resolved, in a queue, so that
//! what refers to itself needs no recursion. Bases of types are resolved at once: they may not refer to themselves.

use std::collections::HashMap;
use std::sync::Arc;

use types::{SqlResult, sql_error};

use super::builtin::{self, ANY_TYPE, BUILTINS, SCHEMA};
use super::component::{
    AttributeDecl, Body, Complex, Constraint, Content, Derivation, ElementDecl, QName, Schema, TypeDef, TypeId,
    Wildcard, derivations,
};
use super::location::location;
use super::model::Particle;
use super::{finish, grammar};
use crate::document::{Document, Kind};
use crate::meter::{Meter, NODE};
use crate::read::XML_NAMESPACE;

/// Types, groups and particles within one another, or derived from one another.
pub(super) const DEPTH_MAX: u32 = 48;
/// Characters of a default, a fixed value or a facet.
pub(super) const VALUE_MAX: usize = 4_000;
/// Types, elements, attributes and particles of one collection.
const COMPONENTS_MAX: usize = 200_000;

/// The text of documents, each a schema element, as a schema. 22xx, 23xx, 69xx.
pub fn compile(document: &Document, known: usize, meter: &mut Meter<'_, '_>) -> SqlResult<Schema> {
    grammar::check(document, meter)?;
    let mut compiler = Compiler::new(document);
    compiler.collect(known, meter)?;
    compiler.globals(meter)?;
    finish::finish(compiler, meter)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Type,
    Element,
    Attribute,
    Group,
    AttributeGroup,
}

/// What a schema element says of all that is in it.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub target: Box<str>,
    pub qualified_elements: bool,
    pub qualified_attributes: bool,
    pub block: u8,
    pub finals: u8,
}

pub(super) struct Compiler<'d> {
    pub document: &'d Document,
    pub sources: Vec<Source>,
    /// The node that defines a global name, and the schema it is in.
    pub names: HashMap<(Space, QName), (u32, usize)>,
    /// In the order in which they are written.
    order: Vec<(Space, QName)>,
    pub types: Vec<Option<TypeDef>>,
    /// The node of each type that is not built in, and its schema; whether it is being resolved.
    pub type_nodes: Vec<(u32, usize, bool)>,
    pub type_names: HashMap<QName, TypeId>,
    queue: Vec<TypeId>,
    pub elements: Vec<ElementDecl>,
    pub element_names: HashMap<QName, u32>,
    pub attributes: Vec<AttributeDecl>,
    pub attribute_names: HashMap<QName, u32>,
    /// Content of complex types, for which models are made at the end.
    pub particles: HashMap<TypeId, Arc<Particle>>,
    /// None: it is being resolved.
    pub groups: HashMap<QName, Option<Arc<Particle>>>,
    pub depth: u32,
    components: usize,
    pub namespaces: Vec<Box<str>>,
    pub has_lax: bool,
}

impl<'d> Compiler<'d> {
    fn new(document: &'d Document) -> Compiler<'d> {
        let mut compiler = Compiler {
            document,
            sources: Vec::new(),
            names: HashMap::new(),
            order: Vec::new(),
            types: Vec::new(),
            type_nodes: Vec::new(),
            type_names: HashMap::new(),
            queue: Vec::new(),
            elements: Vec::new(),
            element_names: HashMap::new(),
            attributes: Vec::new(),
            attribute_names: HashMap::new(),
            particles: HashMap::new(),
            groups: HashMap::new(),
            depth: 0,
            components: 0,
            namespaces: Vec::new(),
            has_lax: false,
        };
        for (id, known) in BUILTINS.iter().enumerate() {
            let body = match builtin::simple(id as TypeId) {
                Some(simple) => Body::Simple(simple),
                None => Body::Complex(Complex {
                    attributes: Vec::new(),
                    any_attribute: Some(Wildcard::anything()),
                    content: Content::Empty,
                    mixed: true,
                }),
            };
            compiler.types.push(Some(TypeDef {
                name: Some(QName::new(SCHEMA, known.name)),
                base: known.base,
                derivation: Derivation::Restriction,
                is_abstract: false,
                block: 0,
                finals: 0,
                body,
            }));
            compiler.type_nodes.push((0, 0, false));
        }
        for (local, ty) in [("lang", "language"), ("space", "NCName"), ("base", "anyURI")] {
            let name = QName::new(XML_NAMESPACE, local);
            let ty = builtin::find(ty).expect("it is built in");
            compiler.attribute_names.insert(name.clone(), compiler.attributes.len() as u32);
            compiler.attributes.push(AttributeDecl { name, ty, global: true, constraint: None });
        }
        compiler
    }

    /// 2302, 2348, 6310.
    fn collect(&mut self, known: usize, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        for root in self.document.children(0) {
            if self.document.kind(root) != Kind::Element {
                continue;
            }
            let target = self.attribute(root, "targetNamespace").unwrap_or("");
            if self.has(root, "targetNamespace") && target.trim().is_empty() {
                return Err(sql_error!(2348, ""));
            }
            if !self.namespaces.iter().any(|known| &**known == target) {
                self.namespaces.push(target.into());
            }
            let number = self.sources.len();
            self.sources.push(Source {
                target: target.into(),
                qualified_elements: self.attribute(root, "elementFormDefault") == Some("qualified"),
                qualified_attributes: self.attribute(root, "attributeFormDefault") == Some("qualified"),
                block: self.derivation_set(root, "blockDefault")?.unwrap_or(0),
                finals: self.derivation_set(root, "finalDefault")?.unwrap_or(0),
            });
            for node in self.document.children(root) {
                meter.spend(NODE)?;
                let space = match self.local(node) {
                    "simpleType" | "complexType" => Space::Type,
                    "element" => Space::Element,
                    "attribute" => Space::Attribute,
                    "group" => Space::Group,
                    "attributeGroup" => Space::AttributeGroup,
                    _ => continue,
                };
                let local = self.required(node, "name")?;
                let name = QName::new(&self.sources[number].target, self.ncname(local)?);
                if let Some((_, before)) = self.names.insert((space, name.clone()), (node, number)) {
                    if before >= known || number < known {
                        return Err(sql_error!(2302, "", name.local));
                    }
                    // As sys.xml_schema_components calls them.
                    let kind = match (space, self.local(node)) {
                        (Space::Element, _) => "ELEMENT",
                        (Space::Attribute, _) => "ATTRIBUTE",
                        (Space::Group, _) => "MODEL_GROUP",
                        (Space::AttributeGroup, _) => "ATTRIBUTE_GROUP",
                        (Space::Type, "simpleType") => "SIMPLE_TYPE",
                        (Space::Type, _) => "COMPLEX_TYPE",
                    };
                    return Err(sql_error!(6310, name.uri, name.local, kind));
                }
                self.order.push((space, name));
            }
        }
        Ok(())
    }

    fn globals(&mut self, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        for (space, name) in std::mem::take(&mut self.order) {
            meter.spend(NODE)?;
            match space {
                Space::Type => {
                    self.named_type(&name)?;
                }
                Space::Element => {
                    self.global_element(&name)?;
                }
                Space::Attribute => {
                    self.global_attribute(&name, meter)?;
                }
                Space::Group => {
                    self.group(&name, meter)?;
                }
                Space::AttributeGroup => self.check_attribute_group(&name, meter)?,
            }
            self.drain(meter)?;
        }
        Ok(())
    }

    /// Resolves the types that something has named.
    fn drain(&mut self, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        while let Some(id) = self.queue.pop() {
            self.ensure(id, meter)?;
        }
        Ok(())
    }

    /// 2362
    pub fn count(&mut self, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        self.components += 1;
        meter.spend(NODE)?;
        meter.hold(256)?;
        if self.components > COMPONENTS_MAX { Err(sql_error!(2362, "")) } else { Ok(()) }
    }

    /// Something is within something. 2362; `leave` when it is done.
    pub fn enter(&mut self) -> SqlResult<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(sql_error!(2362, "")) } else { Ok(()) }
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    pub fn local(&self, node: u32) -> &'d str {
        if self.document.kind(node) == Kind::Element { &self.document.name(node).local } else { "" }
    }

    /// Elements of XML Schema in a node, annotations left out.
    pub fn children(&self, node: u32) -> Vec<u32> {
        let document = self.document;
        let elements = document.children(node).filter(|child| document.kind(*child) == Kind::Element);
        elements.filter(|child| &*document.name(*child).local != "annotation").collect()
    }

    pub fn child(&self, node: u32, local: &str) -> Option<u32> {
        self.children(node).into_iter().find(|child| self.local(*child) == local)
    }

    pub fn attribute(&self, node: u32, local: &str) -> Option<&'d str> {
        let document = self.document;
        let named = |at: &u32| document.name(*at).uri.is_empty() && &*document.name(*at).local == local;
        document.attributes(node).find(named).map(|at| document.value(at).trim())
    }

    pub fn has(&self, node: u32, local: &str) -> bool {
        self.attribute(node, local).is_some()
    }

    /// 2299
    pub fn required(&self, node: u32, local: &'static str) -> SqlResult<&'d str> {
        self.attribute(node, local).ok_or_else(|| sql_error!(2299, "", local, self.local(node)))
    }

    /// 2306, 2379
    pub fn ncname<'t>(&self, text: &'t str) -> SqlResult<&'t str> {
        if super::value::is_ncname(text) {
            return Ok(text);
        }
        Err(if text.contains(':') { sql_error!(2306, "", text) } else { sql_error!(2379, "", text) })
    }

    /// 2312
    pub fn flag(&self, node: u32, local: &'static str) -> SqlResult<bool> {
        match self.attribute(node, local) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(other) => Err(sql_error!(2312, "", local, format_args!("{SCHEMA}#boolean"), other)),
        }
    }

    /// `block`, `final`: None if it is not there. 2313.
    pub fn derivation_set(&self, node: u32, local: &'static str) -> SqlResult<Option<u8>> {
        let Some(text) = self.attribute(node, local) else { return Ok(None) };
        let mut set = 0;
        for word in text.split_ascii_whitespace() {
            set |= match word {
                "#all" => 0xff,
                "restriction" => derivations::RESTRICTION,
                "extension" => derivations::EXTENSION,
                "substitution" => derivations::SUBSTITUTION,
                "list" => derivations::LIST,
                "union" => derivations::UNION,
                _ => return Err(sql_error!(2313, "", local, text)),
            };
        }
        Ok(Some(set))
    }

    /// A name with its prefix as it stands for at a node. 2284.
    pub fn resolve(&self, node: u32, written: &str) -> SqlResult<QName> {
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        if prefix == "xml" {
            return Ok(QName::new(XML_NAMESPACE, local));
        }
        match self.document.namespace(node, prefix) {
            Some(uri) => Ok(QName::new(uri, local)),
            None if prefix.is_empty() => Ok(QName::new("", local)),
            None => Err(sql_error!(2284, "", prefix)),
        }
    }

    /// 2307, 2308
    pub fn undefined(name: &QName) -> types::SqlError {
        if name.uri.is_empty() { sql_error!(2307, "", name.local) } else { sql_error!(2308, "", name.local, name.uri) }
    }

    pub fn location(&self, node: u32) -> String {
        location(self.document, node)
    }

    /// The number of a named type, which is resolved later. 2307, 2308.
    pub fn named_type(&mut self, name: &QName) -> SqlResult<TypeId> {
        if &*name.uri == SCHEMA
            && let Some(id) = builtin::find(&name.local)
        {
            return Ok(id);
        }
        if let Some(id) = self.type_names.get(name) {
            return Ok(*id);
        }
        let Some(&(node, source)) = self.names.get(&(Space::Type, name.clone())) else {
            return Err(Self::undefined(name));
        };
        let id = self.allocate(node, source);
        self.type_names.insert(name.clone(), id);
        Ok(id)
    }

    /// A type that is written where it is used.
    pub fn allocate(&mut self, node: u32, source: usize) -> TypeId {
        let id = self.types.len() as TypeId;
        self.types.push(None);
        self.type_nodes.push((node, source, false));
        self.queue.push(id);
        id
    }

    /// A type that no document has, resolved as it is.
    pub fn add_type(&mut self, ty: TypeDef) -> TypeId {
        let id = self.types.len() as TypeId;
        self.types.push(Some(ty));
        self.type_nodes.push((0, 0, false));
        id
    }

    /// Resolves a type now. 2366, 6953, 2362.
    pub fn ensure(&mut self, id: TypeId, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        if self.types[id as usize].is_some() {
            return Ok(());
        }
        meter.deeper()?;
        let (node, source, busy) = self.type_nodes[id as usize];
        if busy {
            let name = self.attribute(node, "name").unwrap_or("");
            return Err(match self.local(node) {
                "simpleType" => sql_error!(2366, "", name),
                _ => sql_error!(6953, name),
            });
        }
        self.enter()?;
        self.count(meter)?;
        self.type_nodes[id as usize].2 = true;
        let ty = match self.local(node) {
            "simpleType" => self.simple_type(node, source, meter)?,
            _ => self.complex_type(id, node, source, meter)?,
        };
        self.types[id as usize] = Some(ty);
        self.type_nodes[id as usize].2 = false;
        self.leave();
        Ok(())
    }

    pub fn resolved(&self, id: TypeId) -> &TypeDef {
        self.types[id as usize].as_ref().expect("it was made sure of")
    }

    /// A type's name for messages.
    pub fn shown_type(&self, node: u32) -> String {
        let mut at = Some(node);
        while let Some(here) = at {
            if let Some(name) = self.attribute(here, "name") {
                return name.to_owned();
            }
            at = self.document.parent(here);
        }
        String::new()
    }

    /// `default` or `fixed`. 6963.
    pub fn constraint(&self, node: u32) -> SqlResult<Option<Constraint>> {
        let raw = |local: &str| {
            let document = self.document;
            let named = |at: &u32| document.name(*at).uri.is_empty() && &*document.name(*at).local == local;
            document.attributes(node).find(named).map(|at| document.value(at))
        };
        let (fixed, text) = match (raw("default"), raw("fixed")) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => return Err(sql_error!(2298, "", "fixed", self.location(node))),
            (Some(text), None) => (false, text),
            (None, Some(text)) => (true, text),
        };
        if text.chars().count() > VALUE_MAX {
            return Err(sql_error!(6963, text.chars().take(100).collect::<String>()));
        }
        Ok(Some(Constraint { fixed, text: text.into() }))
    }

    /// The type that an element or attribute says it has: by its name, or written in it. 2305.
    fn own_type(&mut self, node: u32, source: usize) -> SqlResult<Option<TypeId>> {
        let inner = self.children(node).into_iter().find(|child| self.local(*child).ends_with("Type"));
        match (self.attribute(node, "type"), inner) {
            (Some(_), Some(inner)) => Err(sql_error!(2305, "", self.location(inner))),
            (Some(written), None) => {
                let name = self.resolve(node, written)?;
                self.named_type(&name).map(Some)
            }
            (None, Some(inner)) => Ok(Some(self.allocate(inner, source))),
            (None, None) => Ok(None),
        }
    }

    /// 2307, 2308
    pub fn global_element(&mut self, name: &QName) -> SqlResult<u32> {
        if let Some(known) = self.element_names.get(name) {
            return Ok(*known);
        }
        let Some(&(node, source)) = self.names.get(&(Space::Element, name.clone())) else {
            return Err(Self::undefined(name));
        };
        for forbidden in ["ref", "minOccurs", "maxOccurs", "form"] {
            if self.has(node, forbidden) {
                return Err(sql_error!(2298, "", forbidden, self.location(node)));
            }
        }
        self.enter()?;
        let number = self.elements.len() as u32;
        self.element_names.insert(name.clone(), number);
        let element = self.declared(node, source, name.clone(), true)?;
        self.elements.push(element);
        let head = match self.attribute(node, "substitutionGroup") {
            Some(written) => {
                let head = self.resolve(node, written)?;
                Some(self.global_element(&head)?)
            }
            None => None,
        };
        self.elements[number as usize].head = head;
        if let Some(head) = head
            && !self.has(node, "type")
            && self.children(node).is_empty()
        {
            self.elements[number as usize].ty = self.elements[head as usize].ty;
        }
        self.leave();
        Ok(number)
    }

    /// 6997
    fn declared(&mut self, node: u32, source: usize, name: QName, global: bool) -> SqlResult<ElementDecl> {
        let ty = self.own_type(node, source)?.unwrap_or(ANY_TYPE);
        let constraint = self.constraint(node)?;
        let nillable = self.flag(node, "nillable")?;
        if nillable && constraint.as_ref().is_some_and(|constraint| constraint.fixed) {
            return Err(sql_error!(6997, name.local));
        }
        self.has_lax |= ty == ANY_TYPE;
        let (block, finals) = (self.sources[source].block, self.sources[source].finals);
        Ok(ElementDecl {
            name,
            ty,
            global,
            nillable,
            is_abstract: self.flag(node, "abstract")?,
            constraint,
            block: self.derivation_set(node, "block")?.unwrap_or(block),
            finals: self.derivation_set(node, "final")?.unwrap_or(finals),
            head: None,
            substitutes: Vec::new(),
        })
    }

    /// An element within a content model: its own, or one that it refers to. 2299, 2360, 2387.
    pub fn local_element(&mut self, node: u32, source: usize, meter: &mut Meter<'_, '_>) -> SqlResult<u32> {
        self.count(meter)?;
        if let Some(written) = self.attribute(node, "ref") {
            if self.has(node, "name") {
                return Err(sql_error!(2360, "", self.location(node)));
            }
            if self.has(node, "type") {
                return Err(sql_error!(2387, "", self.location(node)));
            }
            let name = self.resolve(node, written)?;
            return self.global_element(&name);
        }
        let local = self.required(node, "name")?;
        let local = self.ncname(local)?;
        let qualified = match self.attribute(node, "form") {
            Some("qualified") => true,
            Some("unqualified") => false,
            Some(other) => return Err(sql_error!(2313, "", "form", other)),
            None => self.sources[source].qualified_elements,
        };
        let target = self.sources[source].target.clone();
        let name = QName::new(if qualified { &target } else { "" }, local);
        let element = self.declared(node, source, name, false)?;
        self.elements.push(element);
        Ok(self.elements.len() as u32 - 1)
    }

    /// 2307, 2308
    pub fn global_attribute(&mut self, name: &QName, meter: &mut Meter<'_, '_>) -> SqlResult<u32> {
        if let Some(known) = self.attribute_names.get(name) {
            return Ok(*known);
        }
        let Some(&(node, source)) = self.names.get(&(Space::Attribute, name.clone())) else {
            return Err(Self::undefined(name));
        };
        let number = self.new_attribute(node, source, name.clone(), true, meter)?;
        self.attribute_names.insert(name.clone(), number);
        Ok(number)
    }

    pub fn new_attribute(
        &mut self,
        node: u32,
        source: usize,
        name: QName,
        global: bool,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<u32> {
        self.count(meter)?;
        let ty = self.own_type(node, source)?.unwrap_or(builtin::ANY_SIMPLE);
        let constraint = self.constraint(node)?;
        self.attributes.push(AttributeDecl { name, ty, global, constraint });
        Ok(self.attributes.len() as u32 - 1)
    }
}
