//! Instances by their schema: one walk in document order that writes the instance again as SQL Server keeps it, with defaults filled in and
//! values in canonical form, and notes the type of each node.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use types::{SqlError, SqlResult, sql_error};

use super::builtin::{ANY_TYPE, ID, IDREF, INSTANCE};
use super::component::{AttributeUse, Body, Complex, Content, ElementDecl, Process, QName, Schema, TypeId, Wildcard};
use super::facet;
use super::location::location;
use super::model::{Model, Position, Step, Taken};
use super::value::normalized;
use crate::document::{Annotations, Builder, Document, Kind, Name, UNTYPED};
use crate::meter::{Meter, NODE};
use crate::read::is_space;

/// The instance, validated, in canonical form. `whole`: it must be a document, one element and no text beside it.
/// 6901, 6905 and their kin.
pub fn validate(
    schema: &Arc<Schema>,
    document: &Document,
    whole: bool,
    meter: &mut Meter<'_, '_>,
) -> SqlResult<Document> {
    run(schema, document, whole, meter)
}

/// What was validated before, with the types of its nodes.
pub fn annotate(schema: &Arc<Schema>, document: &Document, meter: &mut Meter<'_, '_>) -> SqlResult<Document> {
    run(schema, document, false, meter)
}

fn run(schema: &Arc<Schema>, document: &Document, whole: bool, meter: &mut Meter<'_, '_>) -> SqlResult<Document> {
    let mut validator = Validator {
        schema,
        document,
        builder: Builder::default(),
        types: vec![UNTYPED],
        nil: HashSet::new(),
        ids: HashMap::new(),
        references: Vec::new(),
    };
    let elements = document.children(0).filter(|child| document.kind(*child) == Kind::Element).count();
    let texts = document.children(0).any(|child| document.kind(child) == Kind::Text);
    if whole && (elements != 1 || texts) {
        return Err(sql_error!(6901));
    }
    validator.walk(meter)?;
    validator.check_references()?;
    let Validator { builder, types, nil, .. } = validator;
    let mut out = builder.finish();
    out.annotate(Annotations { schema: schema.clone(), types, nil });
    Ok(out)
}

struct Validator<'a> {
    schema: &'a Arc<Schema>,
    document: &'a Document,
    builder: Builder,
    /// Of the nodes that the builder has.
    types: Vec<TypeId>,
    nil: HashSet<u32>,
    ids: HashMap<Box<str>, Box<str>>,
    /// Name of the attribute, value.
    references: Vec<(Box<str>, Box<str>)>,
}

/// An element whose children come.
struct Open<'a> {
    node: u32,
    end: u32,
    state: State<'a>,
}

enum State<'a> {
    /// Elements by a model. `mixed`: with text between them.
    Elements { model: &'a Model, position: Position, mixed: bool },
    /// No elements and no text.
    Empty,
    /// Text only; it is written when the element ends.
    Text { ty: TypeId, text: String, declared: Option<&'a ElementDecl> },
    /// xsi:nil
    Nil,
    /// Below a wildcard with processContents="skip".
    Unchecked,
}

impl<'a> Validator<'a> {
    fn at(&self, node: u32) -> String {
        location(self.document, node)
    }

    fn note(&mut self, ty: TypeId) {
        self.types.push(ty);
    }

    fn name_of(&self, node: u32) -> QName {
        let name = self.document.name(node);
        QName { uri: name.uri.clone(), local: name.local.clone() }
    }

    fn walk(&mut self, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        let document = self.document;
        let mut open: Vec<Open<'a>> = Vec::new();
        let mut at = 1;
        let count = document.count();
        loop {
            while open.last().is_some_and(|element| element.end <= at) {
                let element = open.pop().expect("just seen");
                self.close(element, meter)?;
            }
            if at >= count {
                return Ok(());
            }
            meter.spend(NODE)?;
            meter.hold(NODE + document.value(at).len())?;
            match document.kind(at) {
                Kind::Element => {
                    let state = self.open(at, open.last_mut(), meter)?;
                    open.push(Open { node: at, end: document.end(at), state });
                    at = document.content(at);
                    continue;
                }
                Kind::Text => self.text(at, open.last_mut())?,
                Kind::Comment => {
                    self.builder.comment(document.value(at))?;
                    self.note(UNTYPED);
                }
                Kind::Instruction => {
                    self.builder.instruction(&document.name(at).local, document.value(at))?;
                    self.note(UNTYPED);
                }
                Kind::Document | Kind::Attribute | Kind::Namespace => {}
            }
            at += 1;
        }
    }

    /// 6909, 6918, 6924.
    fn text(&mut self, node: u32, parent: Option<&mut Open<'a>>) -> SqlResult<()> {
        let text = self.document.value(node);
        let blank = text.chars().all(is_space);
        let Some(parent) = parent else {
            if blank {
                return self.write_text(text);
            }
            return Err(sql_error!(6909, "/"));
        };
        match &mut parent.state {
            State::Elements { mixed: true, .. } | State::Unchecked => self.write_text(text),
            State::Elements { .. } if blank => self.write_text(text),
            State::Elements { .. } => Err(sql_error!(6909, location(self.document, parent.node))),
            State::Empty if blank => Ok(()),
            State::Empty => {
                let shown: String = text.chars().take(100).collect();
                Err(sql_error!(6924, shown, location(self.document, parent.node)))
            }
            State::Text { text: all, .. } => {
                all.push_str(text);
                Ok(())
            }
            State::Nil if blank => Ok(()),
            State::Nil => {
                let name = self.name_of(parent.node).shown();
                Err(sql_error!(6918, name, location(self.document, parent.node)))
            }
        }
    }

    fn write_text(&mut self, text: &str) -> SqlResult<()> {
        let before = self.builder.count();
        self.builder.text(text)?;
        if self.builder.count() > before {
            self.note(UNTYPED);
        }
        Ok(())
    }

    /// What the element that is open takes an element for: its declaration, or a wildcard. None: a top-level element.
    fn taken(
        &mut self,
        node: u32,
        name: &QName,
        parent: &mut Open<'a>,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Option<Taken>> {
        match &mut parent.state {
            State::Unchecked => Ok(None),
            State::Nil => {
                let parent_name = self.name_of(parent.node).shown();
                Err(sql_error!(6918, parent_name, self.at(parent.node)))
            }
            State::Empty => Err(sql_error!(6923, name.shown(), self.at(node))),
            State::Text { .. } => Err(sql_error!(6912, name.shown(), self.at(node))),
            State::Elements { model, position, .. } => {
                match model.step(position, name, &self.schema.elements, meter)? {
                    Step::Taken(taken) => Ok(Some(taken)),
                    Step::Again => Err(sql_error!(6911, name.shown(), self.at(node))),
                    Step::Refused => {
                        let expected = model.expected(position, meter)?;
                        Err(if expected.is_empty() {
                            sql_error!(6923, name.shown(), self.at(node))
                        } else {
                            sql_error!(6965, self.listed(&expected), name.shown(), self.at(node))
                        })
                    }
                }
            }
        }
    }

    /// `'{uri}a','{uri}b'`
    fn listed(&self, expected: &[Taken]) -> String {
        let mut seen = HashSet::new();
        let each = expected.iter().map(|taken| match taken {
            Taken::Element(element) => self.schema.elements[*element as usize].name.shown(),
            Taken::Any(wildcard) => wildcard.shown(),
        });
        let names: Vec<String> =
            each.filter(|name| seen.insert(name.clone())).map(|name| format!("'{name}'")).collect();
        names.join(",")
    }

    /// 6912, 6913, 6917, 6919, 6923, 6934, 6936, 6965 and what its attributes have wrong.
    fn open(&mut self, node: u32, parent: Option<&mut Open<'a>>, meter: &mut Meter<'_, '_>) -> SqlResult<State<'a>> {
        let document = self.document;
        let schema: &'a Schema = self.schema;
        let name = self.name_of(node);
        let global = |name: &QName| schema.global_elements.get(name).map(|at| &schema.elements[*at as usize]);
        let missing = || sql_error!(6913, name.shown(), location(document, node));
        let declared = match parent {
            None => Some(global(&name).ok_or_else(missing)?),
            Some(parent) => match self.taken(node, &name, parent, meter)? {
                None => return self.unchecked(node, meter),
                Some(Taken::Element(element)) => Some(&schema.elements[element as usize]),
                Some(Taken::Any(Wildcard { process: Process::Skip, .. })) => return self.unchecked(node, meter),
                Some(Taken::Any(Wildcard { process, .. })) => {
                    let found = global(&name);
                    if found.is_none() && process == Process::Strict && self.instance(node, "type").is_none() {
                        return Err(missing());
                    }
                    found
                }
            },
        };
        if let Some(declared) = declared.filter(|declared| declared.is_abstract) {
            return Err(sql_error!(6934, declared.name.shown(), self.at(node)));
        }
        let mut ty = declared.map_or(ANY_TYPE, |declared| declared.ty);
        if let Some(written) = self.instance(node, "type") {
            let cast = self.cast(node, written.trim())?;
            let block = declared.map_or(0, |declared| declared.block) | schema.ty(ty).block;
            match schema.derived(cast, ty) {
                Some(how) if how & block == 0 => ty = cast,
                _ => {
                    let (from, to) = (schema.type_name(ty), schema.type_name(cast));
                    return Err(sql_error!(6936, name.shown(), from, to, self.at(node)));
                }
            }
        }
        if schema.ty(ty).is_abstract {
            return Err(sql_error!(6919, name.shown(), self.at(node)));
        }
        let nil = match self.instance(node, "nil").map(str::trim) {
            None | Some("false" | "0") => false,
            Some("true" | "1") => true,
            Some(other) => {
                let at = format!("{}/@*:nil", self.at(node));
                return Err(sql_error!(6926, other, at));
            }
        };
        let fixed = declared.and_then(|declared| declared.constraint.as_ref()).is_some_and(|known| known.fixed);
        if nil && (declared.is_some_and(|declared| !declared.nillable) || fixed) {
            return Err(sql_error!(6917, name.shown(), self.at(node)));
        }
        self.builder.open(document.name(node))?;
        let number = self.builder.count() - 1;
        self.note(ty);
        if nil {
            self.nil.insert(number);
        }
        self.attributes(node, ty, meter)?;
        if nil {
            return Ok(State::Nil);
        }
        Ok(match &schema.ty(ty).body {
            Body::Simple(_) => State::Text { ty, text: String::new(), declared },
            Body::Complex(Complex { content: Content::Simple(simple), .. }) => {
                State::Text { ty: *simple, text: String::new(), declared }
            }
            Body::Complex(Complex { content: Content::Elements(model), mixed, .. }) => {
                State::Elements { model, position: model.begin(), mixed: *mixed }
            }
            Body::Complex(_) => State::Empty,
        })
    }

    fn unchecked(&mut self, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<State<'a>> {
        self.builder.open(self.document.name(node))?;
        self.note(UNTYPED);
        for inner in self.document.beside(node) {
            meter.spend(NODE)?;
            self.copy_beside(inner, self.document.value(inner), UNTYPED)?;
        }
        Ok(State::Unchecked)
    }

    fn copy_beside(&mut self, node: u32, value: &str, ty: TypeId) -> SqlResult<()> {
        let name = self.document.name(node);
        match self.document.kind(node) {
            Kind::Namespace => self.builder.namespace(&name.local, value)?,
            _ => self.builder.attribute(name, value)?,
        }
        self.note(ty);
        Ok(())
    }

    /// xsi:type, xsi:nil
    fn instance(&self, node: u32, local: &str) -> Option<&'a str> {
        let document = self.document;
        let is = |at: &u32| &*document.name(*at).uri == INSTANCE && &*document.name(*at).local == local;
        document.attributes(node).find(is).map(|at| document.value(at))
    }

    /// The type that xsi:type names. 6914, 6922, 6929.
    fn cast(&self, node: u32, written: &str) -> SqlResult<TypeId> {
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        if local.is_empty() || local.contains(':') {
            return Err(sql_error!(6929, written));
        }
        let uri = match self.document.namespace(node, prefix) {
            Some(uri) => uri,
            None if prefix.is_empty() => "",
            None => return Err(sql_error!(6922, prefix)),
        };
        let name = QName::new(uri, local);
        if uri == super::builtin::SCHEMA
            && let Some(id) = super::builtin::find(local)
        {
            return Ok(id);
        }
        self.schema.global_types.get(&name).copied().ok_or_else(|| sql_error!(6914, name.shown(), self.at(node)))
    }

    /// 6905, 6906, 6921, 6926.
    fn attributes(&mut self, node: u32, ty: TypeId, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        let document = self.document;
        let schema: &'a Schema = self.schema;
        let nothing: &'a [AttributeUse] = &[];
        let (uses, any) = match &schema.ty(ty).body {
            Body::Complex(complex) => (&complex.attributes[..], complex.any_attribute.as_ref()),
            Body::Simple(_) => (nothing, None),
        };
        let mut seen = vec![false; uses.len()];
        let mut identified = false;
        for inner in document.beside(node) {
            meter.spend(NODE + 8 * uses.len())?;
            meter.hold(NODE + document.value(inner).len())?;
            let written = document.name(inner);
            if document.kind(inner) == Kind::Namespace {
                self.copy_beside(inner, document.value(inner), UNTYPED)?;
                continue;
            }
            if &*written.uri == INSTANCE
                && matches!(&*written.local, "type" | "nil" | "schemaLocation" | "noNamespaceSchemaLocation")
            {
                self.copy_beside(inner, document.value(inner), UNTYPED)?;
                continue;
            }
            let same = |name: &QName| name.local == written.local && name.uri == written.uri;
            let found = uses.iter().position(|known| same(&schema.attributes[known.attribute as usize].name));
            let refused = || sql_error!(6905, shown(written), location(document, inner));
            let (attribute, fixed) = match found.map(|at| (at, &uses[at])) {
                Some((at, known)) if !known.prohibited => {
                    seen[at] = true;
                    (known.attribute, known.constraint.as_ref().filter(|constraint| constraint.fixed))
                }
                Some(_) => return Err(refused()),
                None => {
                    let Some(any) = any.filter(|any| any.admits(&written.uri)) else { return Err(refused()) };
                    let name = QName { uri: written.uri.clone(), local: written.local.clone() };
                    match schema.global_attributes.get(&name) {
                        Some(known) if any.process != Process::Skip => {
                            let declared = &schema.attributes[*known as usize];
                            (*known, declared.constraint.as_ref().filter(|constraint| constraint.fixed))
                        }
                        _ if any.process == Process::Strict => return Err(refused()),
                        _ => {
                            self.copy_beside(inner, document.value(inner), UNTYPED)?;
                            continue;
                        }
                    }
                }
            };
            let ty = schema.attributes[attribute as usize].ty;
            let text = self.canonical(ty, document.value(inner), inner, meter)?;
            if let Some(fixed) = fixed
                && self.canonical(ty, &fixed.text, inner, meter)? != text
            {
                return Err(sql_error!(6921, shown(written), self.at(inner)));
            }
            if schema.is_of(ty, ID) {
                if std::mem::replace(&mut identified, true) {
                    return Err(sql_error!(6947, self.at(node)));
                }
                meter.hold(text.len() + 64)?;
                if self.ids.insert(text.as_str().into(), written.local.clone()).is_some() {
                    return Err(sql_error!(6930, shown(written), text, self.at(inner)));
                }
            } else if schema.is_of(ty, IDREF) || is_references(schema, ty) {
                for word in super::value::words(&text) {
                    meter.hold(word.len() + 64)?;
                    self.references.push((shown(written).into(), word.into()));
                }
            }
            self.copy_beside(inner, &text, ty)?;
        }
        for (at, known) in uses.iter().enumerate() {
            if seen[at] || known.prohibited {
                continue;
            }
            let declared = &schema.attributes[known.attribute as usize];
            if known.required {
                return Err(sql_error!(6906, declared.name.shown(), self.at(node)));
            }
            if let Some(constraint) = known.constraint.as_ref().or(declared.constraint.as_ref()) {
                let text = self.canonical(declared.ty, &constraint.text, node, meter)?;
                let prefix = self.prefix_of(node, &declared.name.uri);
                let name = Name::new(&prefix, &declared.name.local, &declared.name.uri);
                meter.hold(NODE + text.len())?;
                self.builder.attribute(&name, &text)?;
                self.note(declared.ty);
            }
        }
        Ok(())
    }

    /// A prefix that stands for a namespace at a node; none if there is none: the writer makes one.
    fn prefix_of(&self, node: u32, uri: &str) -> String {
        if uri.is_empty() {
            return String::new();
        }
        let mut at = Some(node);
        while let Some(here) = at {
            let declared = self.document.beside(here).find(|inner| {
                self.document.kind(*inner) == Kind::Namespace
                    && self.document.value(*inner) == uri
                    && !self.document.name(*inner).local.is_empty()
            });
            if let Some(declared) = declared {
                return self.document.name(declared).local.to_string();
            }
            at = self.document.parent(here);
        }
        String::new()
    }

    /// 6926
    fn canonical(&self, ty: TypeId, text: &str, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<String> {
        let schema = self.schema;
        let lookup = |id: TypeId| schema.simple(id);
        match facet::parse_with(&lookup, ty, text, meter)? {
            Some((value, _)) => {
                if let super::value::Value::Text(_) = &value
                    && is_qname(schema, ty)
                    && !self.is_known_prefix(node, text.trim())
                {
                    return Err(self.invalid(ty, text, node));
                }
                Ok(value.canonical())
            }
            None => Err(self.invalid(ty, text, node)),
        }
    }

    fn is_known_prefix(&self, node: u32, written: &str) -> bool {
        let element = if self.document.kind(node) == Kind::Attribute { self.document.parent(node) } else { Some(node) };
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        let known = prefix.is_empty() || element.is_some_and(|at| self.document.namespace(at, prefix).is_some());
        known && super::value::is_ncname(local)
    }

    fn invalid(&self, ty: TypeId, text: &str, node: u32) -> SqlError {
        let white = self.schema.simple(ty).map_or(super::component::WhiteSpace::Collapse, |simple| simple.white_space);
        let shown: String = normalized(text, white).chars().take(1_000).collect();
        sql_error!(6926, shown, self.at(node))
    }

    /// 6908, 6921, 6926.
    fn close(&mut self, element: Open<'a>, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        match element.state {
            State::Elements { model, position, .. } => {
                if !model.may_end(&position, meter)? {
                    let expected = model.expected(&position, meter)?;
                    return Err(sql_error!(6908, self.listed(&expected), self.at(element.node)));
                }
            }
            State::Text { ty, text, declared } => {
                let constraint = declared.and_then(|declared| declared.constraint.as_ref());
                let text = match constraint {
                    Some(constraint) if text.is_empty() => self.canonical(ty, &constraint.text, element.node, meter)?,
                    Some(constraint) if constraint.fixed => {
                        let text = self.canonical(ty, &text, element.node, meter)?;
                        if text != self.canonical(ty, &constraint.text, element.node, meter)? {
                            let name = self.name_of(element.node).shown();
                            return Err(sql_error!(6921, name, self.at(element.node)));
                        }
                        text
                    }
                    _ => self.canonical(ty, &text, element.node, meter)?,
                };
                self.write_text(&text)?;
            }
            State::Empty | State::Nil | State::Unchecked => {}
        }
        self.builder.close();
        Ok(())
    }

    /// 6931
    fn check_references(&self) -> SqlResult<()> {
        match self.references.iter().find(|(_, value)| !self.ids.contains_key(value)) {
            Some((name, value)) => Err(sql_error!(6931, name, value)),
            None => Ok(()),
        }
    }
}

fn shown(name: &Name) -> String {
    QName { uri: name.uri.clone(), local: name.local.clone() }.shown()
}

fn is_qname(schema: &Schema, ty: TypeId) -> bool {
    use super::builtin::Primitive;
    use super::component::Variety;
    matches!(schema.simple(ty).map(|simple| &simple.variety), Some(Variety::Atomic(Primitive::QName)))
}

fn is_references(schema: &Schema, ty: TypeId) -> bool {
    use super::component::Variety;
    match schema.simple(ty).map(|simple| &simple.variety) {
        Some(Variety::List(item)) => schema.is_of(*item, IDREF),
        _ => false,
    }
}
