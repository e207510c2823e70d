//! What a schema collection consists of: types, elements and attributes by number, so that they may refer to each other.

use std::collections::HashMap;
use std::sync::Arc;

use super::builtin::{self, BUILTINS, Primitive};
use super::model::Model;
use super::pattern::Pattern;
use super::value::Value;

/// An index of `Schema::types`; built-in types come first.
pub type TypeId = u32;

/// A namespace and a local name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QName {
    pub uri: Box<str>,
    pub local: Box<str>,
}

impl QName {
    pub fn new(uri: &str, local: &str) -> QName {
        QName { uri: uri.into(), local: local.into() }
    }

    /// As messages of validation show it: `{uri}local`.
    pub fn shown(&self) -> String {
        if self.uri.is_empty() { self.local.to_string() } else { format!("{{{}}}{}", self.uri, self.local) }
    }
}

/// How a type comes from its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derivation {
    Restriction,
    Extension,
    List,
    Union,
}

/// Sets of derivations, as `block` and `final` have them.
pub mod derivations {
    pub const RESTRICTION: u8 = 1;
    pub const EXTENSION: u8 = 2;
    pub const SUBSTITUTION: u8 = 4;
    pub const LIST: u8 = 8;
    pub const UNION: u8 = 16;
}

#[derive(Debug)]
pub struct TypeDef {
    /// None: written where it is used.
    pub name: Option<QName>,
    pub base: TypeId,
    pub derivation: Derivation,
    pub is_abstract: bool,
    /// `derivations`
    pub block: u8,
    pub finals: u8,
    pub body: Body,
}

#[derive(Debug)]
pub enum Body {
    Simple(Simple),
    Complex(Complex),
}

#[derive(Debug, Clone)]
pub struct Simple {
    pub variety: Variety,
    pub white_space: WhiteSpace,
    pub facets: Facets,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Variety {
    /// anySimpleType: any text.
    AnySimple,
    Atomic(Primitive),
    List(TypeId),
    Union(Vec<TypeId>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhiteSpace {
    Preserve,
    Replace,
    Collapse,
}

/// Those of a type and of all that it is derived from.
#[derive(Debug, Clone, Default)]
pub struct Facets {
    pub length: Option<u32>,
    pub min_length: Option<u32>,
    pub max_length: Option<u32>,
    /// One of each step of derivation must match.
    pub patterns: Vec<Vec<Arc<Pattern>>>,
    /// Of the last step that has some.
    pub enumeration: Option<Arc<[Value]>>,
    pub min_inclusive: Option<Value>,
    pub max_inclusive: Option<Value>,
    pub min_exclusive: Option<Value>,
    pub max_exclusive: Option<Value>,
    pub total_digits: Option<u32>,
    pub fraction_digits: Option<u32>,
    /// For the catalog: what this step says, by the facet's name, its text, and whether it is fixed.
    pub written: Vec<(&'static str, Box<str>, bool)>,
}

#[derive(Debug)]
pub struct Complex {
    pub attributes: Vec<AttributeUse>,
    pub any_attribute: Option<Wildcard>,
    pub content: Content,
    pub mixed: bool,
}

#[derive(Debug)]
pub enum Content {
    Empty,
    Simple(TypeId),
    Elements(Arc<Model>),
}

#[derive(Debug, Clone)]
pub struct AttributeUse {
    /// Of `Schema::attributes`.
    pub attribute: u32,
    pub required: bool,
    pub prohibited: bool,
    pub constraint: Option<Constraint>,
}

/// DEFAULT or FIXED.
#[derive(Debug, Clone)]
pub struct Constraint {
    pub fixed: bool,
    /// As it is written.
    pub text: Box<str>,
}

#[derive(Debug)]
pub struct ElementDecl {
    pub name: QName,
    pub ty: TypeId,
    pub global: bool,
    pub nillable: bool,
    pub is_abstract: bool,
    pub constraint: Option<Constraint>,
    pub block: u8,
    pub finals: u8,
    /// The head of its substitution group.
    pub head: Option<u32>,
    /// The elements that may stand for it, itself left out.
    pub substitutes: Vec<u32>,
}

#[derive(Debug)]
pub struct AttributeDecl {
    pub name: QName,
    pub ty: TypeId,
    pub global: bool,
    pub constraint: Option<Constraint>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wildcard {
    pub namespaces: Namespaces,
    pub process: Process,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Namespaces {
    Any,
    /// Not this one, and not none.
    Other(Box<str>),
    /// Empty: no namespace.
    List(Vec<Box<str>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Process {
    Skip,
    Lax,
    Strict,
}

impl Wildcard {
    pub fn admits(&self, uri: &str) -> bool {
        match &self.namespaces {
            Namespaces::Any => true,
            Namespaces::Other(not) => !uri.is_empty() && uri != &**not,
            Namespaces::List(list) => list.iter().any(|known| &**known == uri),
        }
    }

    /// As a list of what is expected has it.
    pub fn shown(&self) -> String {
        match &self.namespaces {
            Namespaces::Any => "{##any}*".into(),
            Namespaces::Other(uri) => format!("{{##other:{uri}}}*"),
            Namespaces::List(list) => {
                let each = |uri: &str| if uri.is_empty() { "*".to_owned() } else { format!("{{{uri}}}*") };
                list.iter().map(|uri| each(uri)).collect::<Vec<_>>().join("', '")
            }
        }
    }
}

/// A schema collection, ready to validate.
#[derive(Debug)]
pub struct Schema {
    /// Target namespaces in the order in which they came.
    pub namespaces: Vec<Box<str>>,
    pub types: Vec<TypeDef>,
    pub elements: Vec<ElementDecl>,
    pub attributes: Vec<AttributeDecl>,
    pub global_elements: HashMap<QName, u32>,
    pub global_attributes: HashMap<QName, u32>,
    pub global_types: HashMap<QName, TypeId>,
    /// Named groups, of elements and of attributes: whether it is the latter.
    pub groups: Vec<(QName, bool)>,
    /// An element of it may hold what is validated only if it is known, or not at all.
    pub has_lax: bool,
}

impl Schema {
    pub fn ty(&self, id: TypeId) -> &TypeDef {
        &self.types[id as usize]
    }

    /// The simple type of a type's values: its own, or of its content. None: elements, or nothing.
    pub fn simple(&self, id: TypeId) -> Option<&Simple> {
        match &self.ty(id).body {
            Body::Simple(simple) => Some(simple),
            Body::Complex(Complex { content: Content::Simple(inner), .. }) => self.simple(*inner),
            Body::Complex(_) => None,
        }
    }

    /// The number of that simple type.
    pub fn simple_id(&self, id: TypeId) -> Option<TypeId> {
        match &self.ty(id).body {
            Body::Simple(_) => Some(id),
            Body::Complex(Complex { content: Content::Simple(inner), .. }) => Some(*inner),
            Body::Complex(_) => None,
        }
    }

    pub fn is_complex(&self, id: TypeId) -> bool {
        matches!(self.ty(id).body, Body::Complex(_))
    }

    /// By which steps `from` comes from `to`. None: it does not.
    pub fn derived(&self, from: TypeId, to: TypeId) -> Option<u8> {
        let mut steps = 0;
        let mut at = from;
        while at != to {
            let here = self.ty(at);
            if at == here.base {
                // A member of a union stands for the union.
                let members = match &self.ty(to).body {
                    Body::Simple(Simple { variety: Variety::Union(members), .. }) => members,
                    _ => return None,
                };
                return members.iter().any(|member| self.derived(from, *member).is_some()).then_some(0);
            }
            steps |= match here.derivation {
                Derivation::Extension => derivations::EXTENSION,
                _ => derivations::RESTRICTION,
            };
            at = here.base;
        }
        Some(steps)
    }

    /// The built-in type that a type is, or comes from first.
    pub fn builtin(&self, id: TypeId) -> TypeId {
        let mut at = id;
        while at as usize >= BUILTINS.len() {
            at = self.ty(at).base;
        }
        at
    }

    /// Whether values of the type are IDs or references to them.
    pub fn is_of(&self, id: TypeId, builtin: TypeId) -> bool {
        self.simple_id(id).is_some_and(|simple| self.derived(simple, builtin).is_some())
    }

    /// As messages show a type's name.
    pub fn type_name(&self, id: TypeId) -> String {
        match &self.ty(id).name {
            Some(name) if &*name.uri == builtin::SCHEMA => format!("{{{}}}{}", name.uri, name.local),
            Some(name) => name.shown(),
            None => "(anonymous)".into(),
        }
    }
}

impl Wildcard {
    /// What anyType admits.
    pub fn anything() -> Wildcard {
        Wildcard { namespaces: Namespaces::Any, process: Process::Lax }
    }
}
