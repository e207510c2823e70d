//! Static types: what an expression may give, by its shape alone. SQL Server refuses by them what it takes for a mistake.

use std::fmt;

use super::shape::Shape;
use crate::atomic::AtomicType;

/// What the context item is.
#[derive(Debug, Clone)]
pub enum ContextKind {
    Document,
    /// A row of nodes().
    Node(NodeType),
}

/// What a row of nodes() is, as far as a schema tells.
#[derive(Debug, Clone)]
pub struct NodeType(pub(super) Type);

impl Default for NodeType {
    fn default() -> NodeType {
        NodeType(Type::new(Kind::Node, Count::One))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Empty,
    Document,
    /// `*`: any.
    Element(String),
    Attribute(String),
    Text,
    Comment,
    Instruction,
    /// Nodes of any kind.
    Node,
    Atomic(AtomicType),
}

/// How many items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    One,
    Optional,
    OneOrMore,
    Many,
}

impl Count {
    /// At most one.
    pub fn is_single(self) -> bool {
        matches!(self, Count::One | Count::Optional)
    }

    pub fn times(self, other: Count) -> Count {
        use Count::*;
        match (self, other) {
            (One, other) | (other, One) => other,
            (Optional, Optional) => Optional,
            (OneOrMore, OneOrMore) => OneOrMore,
            _ => Many,
        }
    }

    /// Maybe none of them.
    pub fn optional(self) -> Count {
        match self {
            Count::One | Count::Optional => Count::Optional,
            Count::OneOrMore | Count::Many => Count::Many,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    pub kind: Kind,
    pub count: Count,
    /// Made by a constructor of the query: little can be done with it.
    pub constructed: bool,
    /// What a schema knows of the nodes.
    pub shape: Shape,
    /// How messages show one of them, where a schema says its type.
    pub typed: Option<String>,
}

impl Type {
    pub fn new(kind: Kind, count: Count) -> Type {
        Type { kind, count, constructed: false, shape: Shape::Unknown, typed: None }
    }

    pub fn atomic(ty: AtomicType, count: Count) -> Type {
        Type::new(Kind::Atomic(ty), count)
    }

    pub fn empty() -> Type {
        Type::new(Kind::Empty, Count::Optional)
    }

    pub fn constructed(kind: Kind) -> Type {
        Type { constructed: true, ..Type::new(kind, Count::One) }
    }

    pub fn is_node(&self) -> bool {
        !matches!(self.kind, Kind::Empty | Kind::Atomic(_))
    }

    pub fn with(mut self, count: Count) -> Type {
        self.count = count;
        self
    }
}

const ANY: &str = "(element(*,xdt:untyped) ? & text ? & comment ? & processing-instruction ?) *";

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Element(_) | Kind::Attribute(_) if self.typed.is_some() => {
                f.write_str(self.typed.as_deref().unwrap_or_default())?;
            }
            Kind::Empty => return f.write_str("empty"),
            Kind::Document => return write!(f, "document {{ {ANY} }}"),
            Kind::Node => return f.write_str(ANY),
            Kind::Element(name) => write!(f, "element({name},xdt:untyped)")?,
            Kind::Attribute(name) => write!(f, "attribute({name},xdt:untypedAtomic)")?,
            Kind::Text => f.write_str("text")?,
            Kind::Comment => f.write_str("comment")?,
            Kind::Instruction => f.write_str("processing-instruction")?,
            Kind::Atomic(ty) => f.write_str(ty.name)?,
        }
        f.write_str(match self.count {
            Count::One => "",
            Count::Optional => " ?",
            Count::OneOrMore => " +",
            Count::Many => " *",
        })
    }
}
