//! SQL Server's part of XQuery 1.0: a text is parsed, its static types are checked as SQL Server checks them, and it is evaluated over a
//! tree, any number of times.
//!
//! What is parsed nests no deeper than [`NESTING_MAX`], so neither parsing nor evaluation needs much of a fiber's stack.

mod function;
mod tree;
mod parse;
mod operator;
mod path;
mod construct;
mod data_manipulation;
mod kinds;
mod shape;
mod check;
mod evaluate;
mod step;
mod call;

use std::sync::Arc;

use types::SqlResult;

pub use crate::atomic::{
    Atomic, AtomicType, Base, FRACTION_DIGITS_MAX, parse_decimal, parse_double, parse_integer, show_number,
};
pub use evaluate::{Evaluation, append as append_items};
pub use kinds::{ContextKind, NodeType};
pub use shape::Typing;
pub use tree::{Action, External, Place};

use crate::document::Document;
use crate::meter::Meter;
use crate::write::Writer;
use tree::{Body, Prolog};

/// Parentheses, predicates and constructors within one another; more is error 2363.
pub const NESTING_MAX: u32 = 24;

/// Operators, casts and bindings of one text, each of which may be an operand of the next; more is error 2363. AND and OR do not count.
pub const OPERATORS_MAX: u32 = 50;

/// Which method a text belongs to, as its errors say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Value,
    Query,
    Exist,
    Nodes,
    Modify,
}

impl Method {
    /// By its name; methods are written in lower case only.
    pub fn find(name: &str) -> Option<Method> {
        Some(match name {
            "value" => Method::Value,
            "query" => Method::Query,
            "exist" => Method::Exist,
            "nodes" => Method::Nodes,
            "modify" => Method::Modify,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Method::Value => "value",
            Method::Query => "query",
            Method::Exist => "exist",
            Method::Nodes => "nodes",
            Method::Modify => "modify",
        }
    }
}

/// What a method is called on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    pub method: Method,
    /// `table.column` of a column; empty for all else.
    pub column: String,
}

impl Receiver {
    /// What errors begin with.
    pub fn label(&self) -> String {
        let dot = if self.column.is_empty() { "" } else { "." };
        format!("XQuery [{}{dot}{}()]: ", self.column, self.method.name())
    }
}

/// One item of a sequence.
#[derive(Debug, Clone)]
pub enum Item {
    Node(Arc<Document>, u32),
    Atomic(Atomic),
}

/// What SQL gives for a name in `sql:column` or `sql:variable`.
#[derive(Debug, Clone)]
pub enum Supplied {
    Null,
    Atomic(Atomic),
    Xml(Arc<Document>),
}

/// What the checks know of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppliedType {
    Atomic(AtomicType),
    Xml,
}

/// A text that was parsed.
#[derive(Debug)]
pub struct Query {
    label: String,
    method: Method,
    prolog: Prolog,
    body: Body,
    externals: Vec<External>,
    /// Of variables.
    slots: usize,
}

impl Query {
    /// 2209 and its kin. `prolog`: prefixes that WITH XMLNAMESPACES declares, the empty one for the default namespace.
    pub fn parse(text: &str, receiver: &Receiver, prolog: &[(Box<str>, Box<str>)]) -> SqlResult<Query> {
        parse::parse(text, receiver, prolog)
    }

    /// The columns and variables it asks of SQL, each once, in the order in which their values have to be supplied.
    pub fn externals(&self) -> &[External] {
        &self.externals
    }

    /// 2389 and its kin. `types`: of the externals; `typing`: of typed xml, its schema. What comes back is of nodes() alone: what its
    /// rows are.
    pub fn check(
        &self,
        context: ContextKind,
        types: &[SuppliedType],
        typing: Option<Typing<'_>>,
    ) -> SqlResult<NodeType> {
        check::check(self, context, types, typing)
    }

    /// What the query gives for a node, which is the context item.
    pub fn evaluate(
        &self,
        document: &Arc<Document>,
        node: u32,
        supplied: &[Supplied],
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Vec<Item>> {
        let Body::Expression(body) = &self.body else { panic!("only modify has data manipulation") };
        Evaluation::new(self, document, node, supplied).run(body, meter)
    }

    /// What it changes. None: nothing.
    pub fn action(&self) -> Option<&Action> {
        match &self.body {
            Body::Action(action) => Some(action),
            Body::Expression(_) => None,
        }
    }

    /// Prefixes of the prolog.
    pub fn prefixes(&self) -> &[(Box<str>, Box<str>)] {
        &self.prolog.namespaces
    }

    /// The items as the text of an xml value: values next to each other have a blank between them. 6307.
    pub fn text(&self, items: &[Item], meter: &mut Meter<'_, '_>) -> SqlResult<String> {
        let mut writer = Writer::new(&self.prolog.namespaces);
        let mut after_value = false;
        for item in items {
            match item {
                Item::Atomic(value) => {
                    if after_value {
                        writer.text(" ", meter)?;
                    }
                    writer.text(&value.show(), meter)?;
                    after_value = true;
                }
                Item::Node(document, node) => {
                    if document.kind(*node) == crate::document::Kind::Attribute {
                        return Err(types::sql_error!(6307));
                    }
                    writer.node(document, *node, meter)?;
                    after_value = false;
                }
            }
        }
        Ok(writer.finish())
    }
}

/// The value of an item: of a node what it says, of a list its first.
pub fn atomize(item: &Item, meter: &mut Meter<'_, '_>) -> SqlResult<Option<Atomic>> {
    Ok(values(item, meter)?.into_iter().next())
}

/// The values of an item: of a node whose type a schema says maybe several, or none.
pub fn values(item: &Item, meter: &mut Meter<'_, '_>) -> SqlResult<Vec<Atomic>> {
    let (document, node) = match item {
        Item::Node(document, node) => (document, *node),
        Item::Atomic(value) => return Ok(vec![value.clone()]),
    };
    match crate::schema::atoms(document, node, meter)? {
        Some(values) => Ok(values),
        None => Ok(vec![Atomic::Untyped(document.string(node, meter)?.into())]),
    }
}
