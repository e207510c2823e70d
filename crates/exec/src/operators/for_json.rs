//! FOR JSON: rows become objects.
//!
//! With PATH the names of the columns say where a value goes: `a.b` nests, and neighbours share what they have in common. So the names are
//! made into a tree once, and each row walks it. AUTO nests the tables of FROM: an object stays open while the values of its table stay as they
//! are, and those of the next table are an array in it.

use sql::plan::{ForFormat, OutputColumn};
use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

use super::for_xml::auto_levels;
use crate::context::Context;
use crate::expression::functions::{escape_json, push_json};

pub struct JsonWriter {
    levels: Vec<Level>,
    types: Vec<SqlType>,
    /// Columns whose text is JSON already.
    raw: Vec<bool>,
    include_nulls: bool,
    without_wrapper: bool,
    root: Option<Box<str>>,
    /// The row before; empty: there was none.
    previous: Vec<Datum>,
}

/// A table of AUTO; of PATH there is one, of all columns.
struct Level {
    name: String,
    /// Where each column's value goes.
    tree: Vec<Node>,
    columns: Vec<usize>,
}

enum Node {
    /// Column number.
    Value {
        name: String,
        column: usize,
    },
    Branch {
        name: String,
        children: Vec<Node>,
    },
}

impl JsonWriter {
    pub fn new(format: &ForFormat, columns: &[OutputColumn]) -> SqlResult<JsonWriter> {
        let ForFormat::Json { auto, root, include_nulls, without_wrapper, raw, owners } = format else {
            panic!("it is asked for JSON only")
        };
        if columns.iter().any(|column| column.name.is_empty()) {
            return Err(sql_error!(13605));
        }
        let found = match auto {
            true => auto_levels(columns.len(), owners),
            false => vec![("", (0..columns.len()).collect())],
        };
        let level = |(name, own): (&str, Vec<usize>)| {
            let tree = tree(columns, &own, !auto)?;
            Ok(Level { name: name.to_owned(), tree, columns: own })
        };
        Ok(JsonWriter {
            levels: found.into_iter().map(level).collect::<SqlResult<_>>()?,
            types: columns.iter().map(|column| column.ty).collect(),
            raw: raw.clone(),
            include_nulls: *include_nulls,
            without_wrapper: *without_wrapper,
            root: root.clone(),
            previous: Vec::new(),
        })
    }

    /// What stands before all rows and behind them.
    pub fn frame(&self) -> (String, String) {
        let (open, close) = if self.without_wrapper { ("", "") } else { ("[", "]") };
        match &self.root {
            None => (open.to_owned(), close.to_owned()),
            Some(root) => {
                let mut name = String::new();
                escape_json(root, &mut name);
                (format!("{{\"{name}\":{open}"), format!("{close}}}"))
            }
        }
    }

    /// Objects of the tables whose values have changed, and of all below them; the last table has one for each row.
    pub fn row(&mut self, context: &Context, values: &[Datum], out: &mut String) -> SqlResult<()> {
        let last = self.levels.len() - 1;
        let differs = |level: &Level| {
            // Long values are not compared.
            let is_other = |&at: &usize| {
                values[at] != self.previous[at] || matches!(self.types[at].kind, TypeKind::Xml | TypeKind::Json)
            };
            level.columns.iter().any(is_other)
        };
        let mut first = 0;
        if !self.previous.is_empty() {
            first = self.levels[..last].iter().position(differs).unwrap_or(last);
            (first..last).for_each(|_| out.push_str("]}"));
            out.push(',');
        }
        let row = Row { writer: self, context, values };
        for (at, level) in self.levels.iter().enumerate().skip(first) {
            out.push('{');
            let has_members = row.members(&level.tree, out)?;
            match self.levels.get(at + 1) {
                Some(inner) => {
                    out.push_str(if has_members { ",\"" } else { "\"" });
                    escape_json(&inner.name, out);
                    out.push_str("\":[");
                }
                None => out.push('}'),
            }
        }
        if last > 0 || self.previous.is_empty() {
            self.previous = values.to_vec();
        }
        Ok(())
    }

    /// Closes what is open behind the last row.
    pub fn finish(self, out: &mut String) {
        if !self.previous.is_empty() {
            self.levels[1..].iter().for_each(|_| out.push_str("]}"));
        }
    }
}

/// Puts `leaf` below `path`, together with a neighbour that begins alike.
fn insert(nodes: &mut Vec<Node>, path: &[&str], leaf: Node) {
    let Some((first, rest)) = path.split_first() else {
        nodes.push(leaf);
        return;
    };
    if !matches!(nodes.last(), Some(Node::Branch { name, .. }) if name == first) {
        nodes.push(Node::Branch { name: first.to_string(), children: Vec::new() });
    }
    let Some(Node::Branch { children, .. }) = nodes.last_mut() else { unreachable!("just made") };
    insert(children, rest, leaf);
}

fn tree(columns: &[OutputColumn], own: &[usize], nested: bool) -> SqlResult<Vec<Node>> {
    let mut tree = Vec::new();
    for &column in own {
        let name = &columns[column].name;
        let path: Vec<&str> = if nested { name.split('.').collect() } else { vec![name] };
        let (last, before) = path.split_last().expect("a name has a part");
        if is_taken(&tree, before, last) {
            return Err(sql_error!(13601, name));
        }
        insert(&mut tree, before, Node::Value { name: last.to_string(), column });
    }
    Ok(tree)
}

/// The name of a value or of a branch that is to begin is there already.
fn is_taken(nodes: &[Node], path: &[&str], last: &str) -> bool {
    let first = path.first().unwrap_or(&last);
    match nodes.last() {
        Some(Node::Branch { name, children }) if name == first && !path.is_empty() => {
            is_taken(children, &path[1..], last)
        }
        _ => nodes.iter().any(|node| match node {
            Node::Value { name, .. } | Node::Branch { name, .. } => name == first,
        }),
    }
}

struct Row<'a, 'c> {
    writer: &'a JsonWriter,
    context: &'a Context<'c>,
    values: &'a [Datum],
}

impl Row<'_, '_> {
    /// False: it has none.
    fn members(&self, nodes: &[Node], out: &mut String) -> SqlResult<bool> {
        let start = out.len();
        for node in nodes {
            if !self.writer.include_nulls && self.is_null(node) {
                continue;
            }
            if out.len() > start {
                out.push(',');
            }
            let (Node::Value { name, .. } | Node::Branch { name, .. }) = node;
            out.push('"');
            escape_json(name, out);
            out.push_str("\":");
            match node {
                Node::Value { column, .. } => self.value(*column, out)?,
                Node::Branch { children, .. } => {
                    out.push('{');
                    self.members(children, out)?;
                    out.push('}');
                }
            }
        }
        Ok(out.len() > start)
    }

    fn is_null(&self, node: &Node) -> bool {
        match node {
            Node::Value { column, .. } => self.values[*column].is_null(),
            Node::Branch { children, .. } => children.iter().all(|child| self.is_null(child)),
        }
    }

    fn value(&self, column: usize, out: &mut String) -> SqlResult<()> {
        let (ty, value) = (&self.writer.types[column], &self.values[column]);
        if value.is_null() {
            out.push_str("null");
            return Ok(());
        }
        push_json(self.context, ty, value, self.writer.raw.get(column).copied().unwrap_or(false), out)
    }
}
