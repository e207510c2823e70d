//! Paths and what they begin with: literals, variables, calls, parentheses, constructors.

use types::{SqlResult, sql_error};

use super::function::Function;
use super::parse::{Parser, is_name_start};
use super::tree::{Axis, Expr, External, Path, Start, Step, Test};
use crate::atomic::{Atomic, AtomicType};
use crate::document::Name;

const FUNCTIONS: &str = "http://www.w3.org/2004/07/xpath-functions";
const SQL: &str = "urn:schemas-microsoft-com:xml-sql";
const SCHEMA: &str = "http://www.w3.org/2001/XMLSchema";
const DATATYPES: &str = "http://www.w3.org/2004/07/xpath-datatypes";

/// Words before `::`; SQL Server knows more axes than it follows.
const AXES: &[(&str, Option<Axis>)] = &[
    ("child", Some(Axis::Child)),
    ("attribute", Some(Axis::Attribute)),
    ("self", Some(Axis::Itself)),
    ("parent", Some(Axis::Parent)),
    ("descendant", Some(Axis::Descendant)),
    ("descendant-or-self", Some(Axis::DescendantOrSelf)),
    ("ancestor", None),
    ("ancestor-or-self", None),
    ("following", None),
    ("following-sibling", None),
    ("preceding", None),
    ("preceding-sibling", None),
];

/// What looks like a call and is a test of nodes.
const NODE_TESTS: [&str; 4] = ["node", "text", "comment", "processing-instruction"];

fn any_node(axis: Axis) -> Step {
    Step { axis, test: Test::Node, predicates: Vec::new() }
}

impl<'t> Parser<'t> {
    pub(super) fn path(&mut self) -> SqlResult<Expr> {
        let mut steps = Vec::new();
        let start = if self.eat("//")? {
            steps.push(any_node(Axis::DescendantOrSelf));
            steps.push(self.step()?);
            Start::Root
        } else if self.eat("/")? {
            if !self.at_step()? {
                return Ok(Expr::Path(Box::new(Path { start: Start::Root, steps })));
            }
            steps.push(self.step()?);
            Start::Root
        } else if self.at_axis_step()? {
            steps.push(self.step()?);
            Start::Context
        } else {
            let primary = self.primary()?;
            let predicates = self.predicates()?;
            let base = if predicates.is_empty() { primary } else { Expr::Filter(Box::new(primary), predicates) };
            if !self.at_slash()? {
                return Ok(base);
            }
            Start::Expr(base)
        };
        loop {
            if self.eat("//")? {
                steps.push(any_node(Axis::DescendantOrSelf));
            } else if !self.eat("/")? {
                break;
            }
            steps.push(self.step()?);
        }
        Ok(Expr::Path(Box::new(Path { start, steps: shortened(steps) })))
    }

    fn at_slash(&mut self) -> SqlResult<bool> {
        self.skip()?;
        Ok(self.rest().starts_with('/'))
    }

    /// Something that may follow a slash.
    fn at_step(&mut self) -> SqlResult<bool> {
        self.skip()?;
        Ok(self.peek().is_some_and(|c| is_name_start(c) || matches!(c, '@' | '*' | '.')))
    }

    /// A step, and not an expression that begins with a name.
    fn at_axis_step(&mut self) -> SqlResult<bool> {
        self.skip()?;
        let rest = self.rest();
        if rest.starts_with("..") || rest.starts_with('@') || rest.starts_with('*') {
            return Ok(true);
        }
        let word = self.peek_word()?;
        if word.is_empty() {
            return Ok(false);
        }
        let close = &rest[word.len()..];
        if close.starts_with("::") {
            return Ok(true);
        }
        // `prefix:name`
        let name_end = match close.strip_prefix(':').filter(|local| local.starts_with(|c| is_name_start(c) || c == '*'))
        {
            Some(local) => rest.len() - local.trim_start_matches(|c| super::parse::is_name(c) || c == '*').len(),
            None => word.len(),
        };
        let behind = rest[name_end..].trim_start_matches(crate::read::is_space);
        if behind.starts_with('(') && !behind.starts_with("(:") {
            return Ok(name_end == word.len() && NODE_TESTS.contains(&word));
        }
        Ok(!self.at_computed(word, behind))
    }

    /// `element name {`, `text {` and their kind.
    fn at_computed(&self, word: &str, behind: &str) -> bool {
        match word {
            "text" | "comment" | "document" | "ordered" | "unordered" | "validate" => behind.starts_with('{'),
            "element" | "attribute" | "processing-instruction" => {
                let named = behind.trim_start_matches(|c| super::parse::is_name(c) || c == ':');
                behind.starts_with('{')
                    || named.len() < behind.len() && named.trim_start_matches(crate::read::is_space).starts_with('{')
            }
            _ => false,
        }
    }

    fn step(&mut self) -> SqlResult<Step> {
        self.skip()?;
        if self.eat("..")? {
            let predicates = self.predicates()?;
            return Ok(Step { axis: Axis::Parent, test: Test::Node, predicates });
        }
        if self.rest().starts_with('.') {
            self.at += 1;
            let predicates = self.predicates()?;
            return Ok(Step { axis: Axis::Itself, test: Test::Node, predicates });
        }
        let mut axis = Axis::Child;
        if self.eat("@")? {
            axis = Axis::Attribute;
        } else {
            let word = self.peek_word()?;
            if self.rest()[word.len()..].starts_with("::") && !word.is_empty() {
                axis = match AXES.iter().find(|(known, _)| *known == word) {
                    Some((_, Some(axis))) => *axis,
                    Some((name, None)) => return Err(self.unsupported(name)),
                    None => return Err(sql_error!(2392, self.label, word)),
                };
                self.at += word.len() + 2;
            }
        }
        let test = self.node_test(axis)?;
        let predicates = self.predicates()?;
        Ok(Step { axis, test, predicates })
    }

    #[inline(never)]
    fn node_test(&mut self, axis: Axis) -> SqlResult<Test> {
        self.skip()?;
        if self.rest().starts_with("*:") {
            self.at += 2;
            let local = self.peek_word()?;
            if local.is_empty() {
                return Err(self.near());
            }
            self.at += local.len();
            return Ok(Test::AnyNamespace(local.into()));
        }
        if self.eat("*")? {
            return Ok(Test::AnyName);
        }
        let word = self.peek_word()?;
        if word.is_empty() {
            let token = self.token();
            return Err(sql_error!(9341, self.label, token));
        }
        if self.behind(word).starts_with('(') {
            self.at += word.len();
            if !NODE_TESTS.contains(&word) {
                return Err(self.near());
            }
            self.expect("(")?;
            let mut target = None;
            if word == "processing-instruction" && !self.eat(")")? {
                target = Some(match self.peek_word()? {
                    "" => self.string()?.into(),
                    name => {
                        self.at += name.len();
                        name.into()
                    }
                });
                self.expect(")")?;
            } else if word != "processing-instruction" {
                self.expect(")")?;
            }
            return Ok(match word {
                "node" => Test::Node,
                "text" => Test::Text,
                "comment" => Test::Comment,
                _ => Test::Instruction(target),
            });
        }
        if self.rest()[word.len()..].starts_with(":*") {
            self.at += word.len() + 2;
            return Ok(Test::AnyLocal(self.namespace(word)?));
        }
        Ok(Test::Name(self.name(axis != Axis::Attribute)?))
    }

    /// A name with its namespace; without a prefix, that of elements is the default one.
    pub(super) fn name(&mut self, element: bool) -> SqlResult<Name> {
        let first = self.peek_word()?;
        if first.is_empty() {
            return Err(self.near());
        }
        self.at += first.len();
        let local = match self.rest().strip_prefix(':').filter(|rest| rest.starts_with(is_name_start)) {
            Some(_) => {
                self.at += 1;
                let local = self.peek_word()?;
                self.at += local.len();
                local
            }
            None => {
                let uri = if element { self.namespace("")? } else { "".into() };
                return Ok(Name { prefix: "".into(), local: first.into(), uri });
            }
        };
        Ok(Name { prefix: first.into(), local: local.into(), uri: self.namespace(first)? })
    }

    fn predicates(&mut self) -> SqlResult<Vec<Expr>> {
        let mut predicates = Vec::new();
        while self.eat("[")? {
            self.predicates += 1;
            let predicate = self.single();
            self.predicates -= 1;
            predicates.push(predicate?);
            self.expect("]")?;
        }
        Ok(predicates)
    }

    fn primary(&mut self) -> SqlResult<Expr> {
        self.skip()?;
        let Some(first) = self.peek() else { return Err(self.near()) };
        let rest = self.rest();
        match first {
            '"' | '\'' => Ok(Expr::Literal(Atomic::text(self.string()?))),
            '$' => self.variable(),
            '(' => {
                self.at += 1;
                if self.eat(")")? {
                    return Ok(Expr::empty());
                }
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            '.' if !rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.at += 1;
                Ok(Expr::Context)
            }
            '.' | '0'..='9' => self.number().map(Expr::Literal),
            '<' => self.direct(),
            c if is_name_start(c) => {
                let word = self.peek_word()?;
                let behind = self.behind(word);
                if self.at_computed(word, behind) { self.computed(word) } else { self.call() }
            }
            _ => Err(self.near()),
        }
    }

    #[inline(never)]
    fn call(&mut self) -> SqlResult<Expr> {
        let word = self.peek_word()?;
        let prefixed = self.rest()[word.len()..].strip_prefix(':').filter(|rest| rest.starts_with(is_name_start));
        let (uri, local): (Box<str>, &str) = match prefixed {
            Some(_) => {
                let uri = self.namespace(word)?;
                self.at += word.len() + 1;
                let local = self.peek_word()?;
                self.at += local.len();
                (uri, local)
            }
            None => {
                self.at += word.len();
                (FUNCTIONS.into(), word)
            }
        };
        if !self.eat("(")? {
            return Err(self.near());
        }
        if &*uri == SQL {
            return self.external(local);
        }
        let mut arguments = Vec::new();
        if !self.eat(")")? {
            loop {
                arguments.push(self.single()?);
                if !self.eat(",")? {
                    break;
                }
            }
            self.expect(")")?;
        }
        let cast = match &*uri {
            SCHEMA => AtomicType::find(local),
            DATATYPES if local == "untypedAtomic" => Some(AtomicType::UNTYPED),
            _ => None,
        };
        if let Some(ty) = cast {
            return match arguments.len() {
                0 => Err(sql_error!(2236, self.label, ty.name)),
                1 => Ok(Expr::Cast(ty, Box::new(arguments.remove(0)))),
                _ => Err(sql_error!(2238, self.label, ty.name)),
            };
        }
        let found = if &*uri == FUNCTIONS { Function::find(local) } else { None };
        let Some((function, least, most)) = found else {
            return Err(sql_error!(2395, self.label, format_args!("{{{uri}}}"), local));
        };
        let name = || format!("{local}()");
        if arguments.len() < least {
            return Err(sql_error!(2236, self.label, name()));
        }
        if arguments.len() > most {
            return Err(sql_error!(2238, self.label, name()));
        }
        if matches!(function, Function::Position | Function::Last) && self.predicates == 0 {
            return Err(sql_error!(2371, self.label, name()));
        }
        Ok(Expr::Call(function, arguments))
    }

    /// `sql:column("...")`, `sql:variable("...")`; the name and its parenthesis are read.
    fn external(&mut self, local: &str) -> SqlResult<Expr> {
        if !matches!(local, "column" | "variable") {
            return Err(sql_error!(2395, self.label, format_args!("{{{SQL}}}"), local));
        }
        let name: Box<str> = self.string()?.into();
        self.expect(")")?;
        let external = if local == "column" { External::Column(name) } else { External::Variable(name) };
        let known = self.externals.iter().position(|known| *known == external);
        Ok(Expr::External(known.unwrap_or_else(|| {
            self.externals.push(external);
            self.externals.len() - 1
        })))
    }
}

/// `//name` looks through all descendants at once, unless a predicate counts those of each parent.
fn shortened(steps: Vec<Step>) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        let slashes = out.last().is_some_and(|last| {
            last.axis == Axis::DescendantOrSelf && last.test == Test::Node && last.predicates.is_empty()
        });
        if slashes && step.axis == Axis::Child && step.predicates.is_empty() {
            out.pop();
            out.push(Step { axis: Axis::Descendant, ..step });
        } else {
            out.push(step);
        }
    }
    out
}
