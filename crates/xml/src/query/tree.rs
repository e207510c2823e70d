//! A query as a tree. Names are resolved while it is parsed: a step's name has its namespace, a variable its slot.

use super::function::Function;
use crate::atomic::{Arithmetic, Atomic, AtomicType};
use crate::document::Name;

#[derive(Debug)]
pub enum Body {
    Expression(Expr),
    Action(Action),
}

#[derive(Debug, Default)]
pub struct Prolog {
    /// Prefix and URI, the later one holds. The empty prefix: the default namespace of elements.
    pub namespaces: Vec<(Box<str>, Box<str>)>,
}

/// A value that SQL supplies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum External {
    /// The name as it is written: one part or several.
    Column(Box<str>),
    /// With its sign.
    Variable(Box<str>),
}

#[derive(Debug)]
pub enum Expr {
    Literal(Atomic),
    Variable(usize),
    /// An index of `Query::externals`.
    External(usize),
    Context,
    /// Empty: `()`.
    Sequence(Vec<Expr>),
    Path(Box<Path>),
    Filter(Box<Expr>, Vec<Expr>),
    If(Box<[Expr; 3]>),
    Flwor(Box<Flwor>),
    Quantified(Box<Quantified>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// True if any two items compare so.
    General(Comparison, Box<[Expr; 2]>),
    /// Of single values.
    Value(Comparison, Box<[Expr; 2]>),
    Node(NodeComparison, Box<[Expr; 2]>),
    Arithmetic(Arithmetic, Box<[Expr; 2]>),
    Negate(Box<Expr>),
    Call(Function, Vec<Expr>),
    Cast(AtomicType, Box<Expr>),
    InstanceOf(Box<Expr>, SequenceType),
    Element(Box<Element>),
    Attribute(Box<Name>, Box<Expr>),
    Text(Box<Expr>),
    Comment(Box<str>),
    Instruction(Box<str>, Box<str>),
}

impl Expr {
    pub fn empty() -> Expr {
        Expr::Sequence(Vec::new())
    }

    /// `()`
    pub fn is_written_empty(&self) -> bool {
        matches!(self, Expr::Sequence(list) if list.is_empty())
    }

    /// The literal is a whole number.
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Expr::Literal(Atomic::Integer(value)) => Some(*value),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::LessOrEqual => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::GreaterOrEqual => ordering.is_ge(),
        }
    }

    /// `=` and its kind, or `eq` and its kind.
    pub fn written(self, general: bool) -> &'static str {
        let (symbol, word) = match self {
            Comparison::Equal => ("=", "eq"),
            Comparison::NotEqual => ("!=", "ne"),
            Comparison::Less => ("<", "lt"),
            Comparison::LessOrEqual => ("<=", "le"),
            Comparison::Greater => (">", "gt"),
            Comparison::GreaterOrEqual => (">=", "ge"),
        };
        if general { symbol } else { word }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeComparison {
    Same,
    Before,
    After,
}

#[derive(Debug)]
pub enum Start {
    /// `/`
    Root,
    Context,
    Expr(Expr),
}

#[derive(Debug)]
pub struct Path {
    pub start: Start,
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub struct Step {
    pub axis: Axis,
    pub test: Test,
    pub predicates: Vec<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    Child,
    Attribute,
    Itself,
    Parent,
    Descendant,
    DescendantOrSelf,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Test {
    Name(Name),
    /// `*`: any element, on the attribute axis any attribute.
    AnyName,
    /// `*:local`
    AnyNamespace(Box<str>),
    /// `prefix:*`: the URI.
    AnyLocal(Box<str>),
    Node,
    Text,
    Comment,
    Instruction(Option<Box<str>>),
}

#[derive(Debug)]
pub enum Clause {
    For(usize, Expr),
    Let(usize, Expr),
}

#[derive(Debug)]
pub struct Flwor {
    pub clauses: Vec<Clause>,
    pub filter: Option<Expr>,
    /// Each with whether it descends.
    pub order: Vec<(Expr, bool)>,
    pub result: Expr,
}

#[derive(Debug)]
pub struct Quantified {
    /// Else some.
    pub every: bool,
    pub bindings: Vec<(usize, Expr)>,
    pub test: Expr,
}

/// `element`, `xs:int?` and the like behind `instance of`.
#[derive(Debug)]
pub struct SequenceType {
    pub item: ItemTest,
    /// `?`, `*`, `+`
    pub occurrence: Option<char>,
}

#[derive(Debug)]
pub enum ItemTest {
    Empty,
    Item,
    Atomic(AtomicType),
    Node,
    Element(Option<Name>),
    Attribute(Option<Name>),
    Text,
    Comment,
    Instruction,
}

#[derive(Debug)]
pub struct Element {
    pub name: Name,
    /// Prefixes that it declares itself.
    pub declared: Vec<(Box<str>, Box<str>)>,
    pub attributes: Vec<(Name, Expr)>,
    pub content: Vec<Content>,
}

#[derive(Debug)]
pub enum Content {
    Text(Box<str>),
    Expr(Expr),
}

/// XML data manipulation.
#[derive(Debug)]
pub enum Action {
    Insert {
        content: Expr,
        place: Place,
        target: Expr,
    },
    Delete(Expr),
    /// `replace value of target with value`
    Replace {
        target: Expr,
        value: Expr,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// `into`, which is `as last`.
    Into,
    First,
    Last,
    Before,
    After,
}
