//! What a schema knows of the nodes that an expression gives: which declarations they have. So a step says how many nodes it finds, a value
//! has its type, and a name that is nowhere in the schema is told before anything runs.

use std::collections::HashSet;

use super::kinds::Count;
use super::tree::Test;
use crate::atomic::{AtomicType, Base};
use crate::document::Name;
use crate::schema::atomic_type;
use crate::schema::builtin::ANY_TYPE;
use crate::schema::component::{Body, Complex, Content, Process, QName, Schema, TypeId, Variety, Wildcard};
use crate::schema::model::{Term, occurrences};

/// The schema of what a query is about.
#[derive(Clone, Copy)]
pub struct Typing<'s> {
    pub schema: &'s Schema,
    /// A document: one element at the top.
    pub whole: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub enum Shape {
    /// Nothing is known.
    #[default]
    Unknown,
    /// The document node.
    Top,
    /// Elements of these declarations.
    Elements(Vec<u32>),
    /// Attributes of this type.
    Attribute(TypeId),
}

/// What a step leads to.
pub enum Found {
    Nothing,
    Unknown,
    Nodes(Shape, Count),
}

/// Declarations that a search of descendants goes through.
const SEARCHED_MAX: usize = 20_000;

fn is_named(name: &Name, other: &QName) -> bool {
    name.local == other.local && name.uri == other.uri
}

fn fits(test: &Test, name: &QName) -> bool {
    match test {
        Test::Name(wanted) => is_named(wanted, name),
        Test::AnyName => true,
        Test::AnyNamespace(local) => name.local == *local,
        Test::AnyLocal(uri) => name.uri == *uri,
        _ => false,
    }
}

fn of_bounds(min: u32, max: u32) -> Count {
    match (min, max) {
        (0, 0..=1) => Count::Optional,
        (_, 0..=1) => Count::One,
        (0, _) => Count::Many,
        _ => Count::OneOrMore,
    }
}

impl<'s> Typing<'s> {
    /// A step to children.
    pub fn children(&self, from: &Shape, test: &Test) -> Found {
        match from {
            Shape::Top => {
                let declared = self.schema.global_elements.iter().filter(|(name, _)| fits(test, name));
                let mut found: Vec<u32> = declared.map(|(_, element)| *element).collect();
                found.sort_unstable();
                if found.is_empty() {
                    return Found::Nothing;
                }
                let count = match self.whole {
                    true if found.len() == self.schema.global_elements.len() => Count::One,
                    true => Count::Optional,
                    false => Count::Many,
                };
                Found::Nodes(Shape::Elements(found), count)
            }
            Shape::Elements(elements) => {
                let mut all: Vec<u32> = Vec::new();
                let mut count: Option<Count> = None;
                for element in elements {
                    match self.of_type(self.schema.elements[*element as usize].ty, test) {
                        Found::Unknown => return Found::Unknown,
                        Found::Nothing => count = count.map(Count::optional),
                        Found::Nodes(Shape::Elements(found), here) => {
                            count = Some(match count {
                                None if all.is_empty() && elements.first() == Some(element) => here,
                                None => here.optional(),
                                Some(known) if known == here => here,
                                Some(known) if known.is_single() && here.is_single() => Count::Optional,
                                Some(_) => Count::Many,
                            });
                            for one in found {
                                if !all.contains(&one) {
                                    all.push(one);
                                }
                            }
                        }
                        Found::Nodes(..) => return Found::Unknown,
                    }
                }
                match count {
                    Some(count) => Found::Nodes(Shape::Elements(all), count),
                    None => Found::Nothing,
                }
            }
            Shape::Attribute(_) => Found::Nothing,
            Shape::Unknown => Found::Unknown,
        }
    }

    fn of_type(&self, ty: TypeId, test: &Test) -> Found {
        let schema = self.schema;
        if ty == ANY_TYPE {
            return Found::Unknown;
        }
        let Body::Complex(Complex { content: Content::Elements(model), .. }) = &schema.ty(ty).body else {
            return Found::Nothing;
        };
        let mut found: Vec<u32> = Vec::new();
        let mut unknown = false;
        let bounds = occurrences(&model.particle, &mut |term| match term {
            Term::Element(element) => {
                let declared = &schema.elements[*element as usize];
                let own = std::iter::once(element).chain(&declared.substitutes);
                let before = found.len();
                let mut any = false;
                for one in own {
                    if fits(test, &schema.elements[*one as usize].name) {
                        any = true;
                        if !found[..before].contains(one) {
                            found.push(*one);
                        }
                    }
                }
                any
            }
            Term::Any(wildcard) => {
                let admitted = self.admitted(wildcard, test);
                unknown |= admitted.is_none();
                match admitted {
                    Some(elements) if !elements.is_empty() => {
                        found.extend(elements);
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        });
        if unknown {
            return Found::Unknown;
        }
        if found.is_empty() {
            return Found::Nothing;
        }
        found.sort_unstable();
        found.dedup();
        Found::Nodes(Shape::Elements(found), of_bounds(bounds.0, bounds.1))
    }

    /// The global elements that a wildcard admits and the test names. None: also what is not declared.
    fn admitted(&self, wildcard: &Wildcard, test: &Test) -> Option<Vec<u32>> {
        let named = match test {
            Test::Name(name) => wildcard.admits(&name.uri),
            _ => true,
        };
        if wildcard.process != Process::Strict {
            return if named { None } else { Some(Vec::new()) };
        }
        let all = self.schema.global_elements.iter();
        Some(all.filter(|(name, _)| wildcard.admits(&name.uri) && fits(test, name)).map(|(_, at)| *at).collect())
    }

    /// A step to descendants.
    pub fn descendants(&self, from: &Shape, test: &Test) -> Found {
        let mut pending: Vec<u32> = match from {
            Shape::Top => self.schema.global_elements.values().copied().collect(),
            Shape::Elements(elements) => elements.clone(),
            _ => return Found::Unknown,
        };
        let own: &[u32] = if let Shape::Elements(elements) = from { elements } else { &[] };
        let mut seen: HashSet<u32> = pending.iter().copied().collect();
        let mut found: HashSet<u32> = HashSet::new();
        let take = |element: u32, found: &mut HashSet<u32>| {
            if fits(test, &self.schema.elements[element as usize].name) {
                found.insert(element);
            }
        };
        if own.is_empty() {
            pending.iter().for_each(|element| take(*element, &mut found));
        }
        while let Some(element) = pending.pop() {
            if seen.len() > SEARCHED_MAX {
                return Found::Unknown;
            }
            match self.of_type(self.schema.elements[element as usize].ty, &Test::AnyName) {
                Found::Unknown => return Found::Unknown,
                Found::Nodes(Shape::Elements(inner), _) => {
                    for one in inner {
                        take(one, &mut found);
                        if seen.insert(one) {
                            pending.push(one);
                        }
                    }
                }
                _ => {}
            }
        }
        if found.is_empty() {
            return Found::Nothing;
        }
        let mut found: Vec<u32> = found.into_iter().collect();
        found.sort_unstable();
        Found::Nodes(Shape::Elements(found), Count::Many)
    }

    /// A step to attributes.
    pub fn attributes(&self, from: &Shape, test: &Test) -> Found {
        let (Shape::Elements(elements), Test::Name(wanted)) = (from, test) else { return Found::Unknown };
        let mut all: Option<(TypeId, Count)> = None;
        for element in elements {
            let Body::Complex(complex) = &self.schema.ty(self.schema.elements[*element as usize].ty).body else {
                continue;
            };
            let uses = complex.attributes.iter().filter(|known| !known.prohibited);
            let declared = uses.map(|known| (known, &self.schema.attributes[known.attribute as usize]));
            let mut named = declared.filter(|(_, declared)| is_named(wanted, &declared.name));
            match named.next() {
                Some((known, declared)) => {
                    let sure = known.required || known.constraint.is_some() || declared.constraint.is_some();
                    let count = if sure && elements.len() == 1 { Count::One } else { Count::Optional };
                    match all {
                        Some((ty, _)) if ty != declared.ty => return Found::Unknown,
                        _ => all = Some((declared.ty, count)),
                    }
                }
                None if complex.any_attribute.as_ref().is_some_and(|any| any.admits(&wanted.uri)) => {
                    return Found::Unknown;
                }
                None => {}
            }
        }
        match all {
            Some((ty, count)) => Found::Nodes(Shape::Attribute(ty), count),
            None => Found::Nothing,
        }
    }

    /// The types of the nodes.
    fn types(&self, shape: &Shape) -> Vec<TypeId> {
        match shape {
            Shape::Elements(elements) => elements.iter().map(|at| self.schema.elements[*at as usize].ty).collect(),
            Shape::Attribute(ty) => vec![*ty],
            Shape::Unknown | Shape::Top => Vec::new(),
        }
    }

    /// The atomic type of the nodes' values, and how many values a node has. None: they are not simple.
    pub fn value(&self, shape: &Shape) -> Option<(AtomicType, Count)> {
        let types = self.types(shape);
        let mut all: Option<(AtomicType, Count)> = None;
        for ty in types {
            let simple = self.schema.simple(ty)?;
            let atomic = atomic_type(self.schema, ty)?;
            let count = if matches!(simple.variety, Variety::List(_)) { Count::Many } else { Count::One };
            all = Some(match all {
                None => (atomic, count),
                Some((known, _)) if known != atomic => {
                    (AtomicType { name: "xdt:anyAtomicType", base: Base::Untyped }, Count::Many)
                }
                Some((_, known)) => (atomic, if known == count { count } else { Count::Many }),
            });
        }
        let nillable = match shape {
            Shape::Elements(elements) => elements.iter().any(|at| self.schema.elements[*at as usize].nillable),
            _ => false,
        };
        all.map(|(ty, count)| (ty, if nillable { count.optional() } else { count }))
    }

    /// Whether all the nodes are elements of simple content.
    pub fn is_simple(&self, shape: &Shape) -> bool {
        let types = self.types(shape);
        !types.is_empty() && types.iter().all(|ty| self.schema.simple(*ty).is_some())
    }

    /// `element(name,type)`, as messages show it. None: nothing is known.
    pub fn shown(&self, shape: &Shape, written: &str) -> Option<String> {
        let types = self.types(shape);
        let ty = *types.first().filter(|_| types.iter().all(|ty| *ty == types[0]))?;
        let name = match &self.schema.ty(ty).name {
            Some(name) if &*name.uri == crate::schema::builtin::SCHEMA => format!("xs:{}", name.local),
            Some(name) => name.local.to_string(),
            None => "#anonymous".into(),
        };
        let kind = if let Shape::Attribute(_) = shape { "attribute" } else { "element" };
        Some(format!("{kind}({written},{name})"))
    }
}
