//! The tree of a random query: what can be written in T-SQL and, where another engine has the same, in SQLite's dialect, and what can be
//! made smaller without knowing what it means.
//!
//! A node is a template with a place, `$`, for each child. `{one¦other}` is what the two dialects write differently. A part is made smaller
//! by one of its own class that lies in it: a predicate by a predicate, a number by a number.

use std::fmt::Write as _;

use os::random::Rng;

/// Of each table: how it is stored. `schema` says which is what.
pub const FORMS: usize = 5;
/// Of the last: memory-optimized.
pub const MEMORY_FORM: usize = 4;

/// What a node is, so that it can stand in another's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Integer,
    Decimal,
    Float,
    /// Of a collation, by its number: texts of two collations do not meet.
    Text(u8),
    Date,
    Moment,
    Binary,
    Predicate,
    /// What a FROM names: a table, a join, a derived table.
    Rows,
    Query,
    /// May be left out as a whole.
    Clause,
    List,
}

#[derive(Clone, PartialEq, Debug)]
enum Form {
    /// Text with a `$` for each child.
    Template(&'static str),
    Fixed(String),
    /// Children with this between them.
    List(&'static str),
    /// The table of this number, which has several forms, by this alias, if it has one.
    Table(usize, String),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub class: Class,
    form: Form,
    pub children: Vec<Node>,
}

/// How a query is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// With the tables' form of this number.
    Tsql(usize),
    /// Each table in a form of its own, drawn from this number.
    Mixed(u64),
    /// As a schema-bound module names memory-optimized tables.
    Native,
    Sqlite,
}

impl Node {
    pub fn new<const N: usize>(class: Class, template: &'static str, children: [Node; N]) -> Node {
        debug_assert_eq!(template.matches('$').count(), N, "{template}");
        Node { class, form: Form::Template(template), children: children.into() }
    }

    pub fn fixed(class: Class, text: impl Into<String>) -> Node {
        Node { class, form: Form::Fixed(text.into()), children: Vec::new() }
    }

    pub fn list(separator: &'static str, children: Vec<Node>) -> Node {
        Node { class: Class::List, form: Form::List(separator), children }
    }

    pub fn table(number: usize, alias: &str) -> Node {
        Node { class: Class::Rows, form: Form::Table(number, alias.into()), children: Vec::new() }
    }

    /// A clause that is not there.
    pub fn nothing() -> Node {
        Node::fixed(Class::Clause, "")
    }

    pub fn text(&self, dialect: Dialect) -> String {
        let mut out = String::new();
        self.write(dialect, &mut out);
        out
    }

    fn write(&self, dialect: Dialect, out: &mut String) {
        match &self.form {
            Form::Fixed(text) if text.contains('¦') => self.write_template(text, dialect, out),
            Form::Fixed(text) => out.push_str(text),
            Form::List(separator) => {
                for (at, child) in self.children.iter().enumerate() {
                    if at > 0 {
                        out.push_str(separator);
                    }
                    child.write_collated(dialect, out);
                }
            }
            Form::Table(number, alias) => {
                let form = match dialect {
                    Dialect::Tsql(form) => Some(form as u64),
                    Dialect::Mixed(draw) => Some(Rng::from_seed(draw ^ out.len() as u64).below(FORMS as u64)),
                    Dialect::Native => {
                        out.push_str("dbo.");
                        Some(MEMORY_FORM as u64)
                    }
                    Dialect::Sqlite => None,
                };
                let _ = match form {
                    Some(form) => write!(out, "t{number}_{form}"),
                    None => write!(out, "t{number}"),
                };
                if !alias.is_empty() {
                    let _ = write!(out, " AS {alias}");
                }
            }
            Form::Template(template) => self.write_template(template, dialect, out),
        }
    }

    /// An expression has no collation in SQLite unless it says so, or something in it does.
    fn write_collated(&self, dialect: Dialect, out: &mut String) {
        let collation = match self.class {
            Class::Text(0) => " COLLATE NOCASE)",
            Class::Text(_) => " COLLATE BINARY)",
            _ => return self.write(dialect, out),
        };
        if dialect != Dialect::Sqlite {
            return self.write(dialect, out);
        }
        out.push('(');
        self.write(dialect, out);
        out.push_str(collation);
    }

    fn write_template(&self, template: &str, dialect: Dialect, out: &mut String) {
        let mut children = self.children.iter();
        let mut rest = template;
        while let Some(at) = rest.find(['$', '{']) {
            out.push_str(&rest[..at]);
            if rest[at..].starts_with('$') {
                children.next().expect("a child for each place").write_collated(dialect, out);
                rest = &rest[at + 1..];
            } else {
                let (inner, after) = rest[at + 1..].split_once('}').expect("a closed brace");
                let (tsql, sqlite) = inner.split_once('¦').expect("two dialects");
                out.push_str(if dialect == Dialect::Sqlite { sqlite } else { tsql });
                rest = after;
            }
        }
        out.push_str(rest);
    }

    /// Nodes in it, itself included.
    pub fn size(&self) -> usize {
        1 + self.children.iter().map(Node::size).sum::<usize>()
    }

    /// What this could be instead, the smallest first.
    fn smaller(&self) -> Vec<Node> {
        let mut found = Vec::new();
        match self.class {
            Class::Predicate => found.extend(["1 = 1", "1 = 0"].map(|text| Node::fixed(self.class, text))),
            Class::Integer => found.push(Node::fixed(self.class, "1")),
            Class::Text(_) => found.push(Node::fixed(self.class, "'a'")),
            Class::Clause => found.push(Node::nothing()),
            _ => {}
        }
        let mut inside = Vec::new();
        self.children.iter().for_each(|child| child.of_class(self.class, &mut inside));
        inside.sort_by_key(|node| node.size());
        found.extend(inside.into_iter().cloned());
        if let Form::List(_) = self.form {
            for out in (0..self.children.len()).filter(|_| self.children.len() > 1) {
                let mut fewer = self.clone();
                fewer.children.remove(out);
                found.push(fewer);
            }
        }
        found.retain(|node| node.size() < self.size() || node.size() == 1 && self.size() == 1 && node != self);
        found
    }

    fn of_class<'n>(&'n self, class: Class, found: &mut Vec<&'n Node>) {
        if self.class == class {
            found.push(self);
        }
        self.children.iter().for_each(|child| child.of_class(class, found));
    }

    fn at(&mut self, path: &[usize]) -> &mut Node {
        path.iter().fold(self, |node, child| &mut node.children[*child])
    }

    fn paths(&self, here: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
        found.push(here.clone());
        for (number, child) in self.children.iter().enumerate() {
            here.push(number);
            child.paths(here, found);
            here.pop();
        }
    }

    /// The smallest tree found for which `fails` still holds, after at most `tries_max` questions.
    pub fn shrink(mut self, tries_max: usize, mut fails: impl FnMut(&Node) -> bool) -> Node {
        let mut tries = 0;
        'again: loop {
            let mut paths = Vec::new();
            self.paths(&mut Vec::new(), &mut paths);
            for path in paths {
                for node in self.at(&path).smaller() {
                    let mut other = self.clone();
                    *other.at(&path) = node;
                    // A leaf for a leaf could go on for ever.
                    if other.size() > self.size() || other.size() == self.size() && other.length() >= self.length() {
                        continue;
                    }
                    tries += 1;
                    if tries > tries_max {
                        return self;
                    }
                    if fails(&other) {
                        self = other;
                        continue 'again;
                    }
                }
            }
            return self;
        }
    }

    fn length(&self) -> usize {
        self.text(Dialect::Tsql(0)).len()
    }
}
