//! FOR XML and FOR JSON: rows become one text.
//!
//! The names of the columns say where a value goes: `a.b` nests, and neighbours share what they have in
//! common. So the names are made into a tree once, and each row walks it.

use sql::plan::{ForFormat, Operator, OutputColumn};
use types::{Datum, RowBatch, SqlResult, SqlType, convert, sql_error};

use super::for_xml::XmlWriter;
use super::{batch_of, drain, source};
use crate::context::{Context, GRANT_BYTES_MAX, RowSource, out_of_memory};
use crate::expression::Compiler;
use crate::expression::functions::{escape_json, push_json};
use crate::workspace::Held;

/// Text made row by row.
pub struct Writer {
    format: ForFormat,
    /// Where each column's value goes.
    tree: Vec<Node>,
    types: Vec<SqlType>,
    /// Of FOR XML.
    xml: Option<XmlWriter>,
    text: String,
    /// What ends the text that `text` begins.
    end: String,
    held: Held,
    rows: u64,
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

impl Writer {
    pub fn new(context: &Context, format: &ForFormat, columns: &[OutputColumn]) -> SqlResult<Writer> {
        let types = columns.iter().map(|column| column.ty).collect();
        let (tree, xml) = match format {
            ForFormat::Json { .. } => (json_tree(format, columns)?, None),
            ForFormat::Xml { .. } => (Vec::new(), Some(XmlWriter::new(context, format, columns)?)),
        };
        let (text, end) = match &xml {
            Some(xml) => xml.frame(),
            None => frame(format),
        };
        Ok(Writer { format: format.clone(), tree, types, xml, text, end, held: Held::default(), rows: 0 })
    }

    pub fn append(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        for row in 0..batch.rows {
            let mut pacer = context.pacer();
            let values = batch.columns.iter().map(|column| column.at(row).to_datum_paced(&mut pacer));
            let values = values.collect::<SqlResult<Vec<Datum>>>()?;
            drop(pacer);
            let Writer { format, tree, types, xml, text, .. } = self;
            match format {
                ForFormat::Json { raw, include_nulls, .. } => {
                    if self.rows > 0 {
                        text.push(',');
                    }
                    let row = JsonRow { context, types, values: &values, raw, include_nulls: *include_nulls };
                    row.object(tree, text)?;
                }
                ForFormat::Xml { .. } => {
                    xml.as_mut().expect("made with the format").row(context, &values, text)?;
                }
            }
            self.rows += 1;
            if self.text.len() > GRANT_BYTES_MAX / 2 {
                return Err(out_of_memory());
            }
        }
        self.held.force(context.workspace(), self.text.len())
    }

    /// None: no rows, and nothing that describes them.
    pub fn finish(mut self) -> Option<String> {
        let mut is_described = false;
        if let Some(xml) = self.xml {
            is_described = xml.is_described();
            xml.finish(&mut self.text);
        }
        self.text.push_str(&self.end);
        Some(self.text).filter(|_| self.rows > 0 || is_described)
    }
}

/// What stands before all rows and behind them.
fn frame(format: &ForFormat) -> (String, String) {
    match format {
        ForFormat::Json { root, without_wrapper, .. } => {
            let (open, close) = if *without_wrapper { ("", "") } else { ("[", "]") };
            match root {
                None => (open.to_owned(), close.to_owned()),
                Some(root) => {
                    let mut name = String::new();
                    escape_json(root, &mut name);
                    (format!("{{\"{name}\":{open}"), format!("{close}}}"))
                }
            }
        }
        ForFormat::Xml { .. } => Default::default(),
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

fn json_tree(format: &ForFormat, columns: &[OutputColumn]) -> SqlResult<Vec<Node>> {
    let nested = !matches!(format, ForFormat::Json { auto: true, .. });
    let mut tree = Vec::new();
    for (column, output) in columns.iter().enumerate() {
        if output.name.is_empty() {
            return Err(sql_error!(13605));
        }
        let path: Vec<&str> = if nested { output.name.split('.').collect() } else { vec![&output.name] };
        let (last, before) = path.split_last().expect("a name has a part");
        insert(&mut tree, before, Node::Value { name: last.to_string(), column });
    }
    check_conflicts(&tree, "")?;
    Ok(tree)
}

fn check_conflicts(nodes: &[Node], above: &str) -> SqlResult<()> {
    let mut names: Vec<&str> = Vec::new();
    for node in nodes {
        let (Node::Value { name, .. } | Node::Branch { name, .. }) = node;
        if names.contains(&name.as_str()) {
            return Err(sql_error!(13601, format_args!("{above}{name}")));
        }
        names.push(name);
        if let Node::Branch { name, children } = node {
            check_conflicts(children, &format!("{above}{name}."))?;
        }
    }
    Ok(())
}

struct JsonRow<'a, 'c> {
    context: &'a Context<'c>,
    types: &'a [SqlType],
    values: &'a [Datum],
    /// Columns whose text is JSON already.
    raw: &'a [bool],
    include_nulls: bool,
}

impl JsonRow<'_, '_> {
    fn object(&self, nodes: &[Node], out: &mut String) -> SqlResult<()> {
        out.push('{');
        let start = out.len();
        for node in nodes {
            if !self.include_nulls && self.is_null(node) {
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
                Node::Branch { children, .. } => self.object(children, out)?,
            }
        }
        out.push('}');
        Ok(())
    }

    fn is_null(&self, node: &Node) -> bool {
        match node {
            Node::Value { column, .. } => self.values[*column].is_null(),
            Node::Branch { children, .. } => children.iter().all(|child| self.is_null(child)),
        }
    }

    fn value(&self, column: usize, out: &mut String) -> SqlResult<()> {
        let (ty, value) = (&self.types[column], &self.values[column]);
        if value.is_null() {
            out.push_str("null");
            return Ok(());
        }
        push_json(self.context, ty, value, self.raw.get(column).copied().unwrap_or(false), out)
    }
}

struct ForText {
    input: Box<dyn RowSource>,
    columns: Vec<OutputColumn>,
    format: ForFormat,
    scratch: RowBatch,
    done: bool,
}

/// One row with one nvarchar(max) column.
pub fn operator(input: &Operator, format: &ForFormat, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    Ok(Box::new(ForText {
        scratch: batch_of(input),
        columns: input.columns.clone(),
        input: source(input, compiler)?,
        format: format.clone(),
        done: false,
    }))
}

impl RowSource for ForText {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.done = false;
        Ok(())
    }

    fn next(&mut self, context: &Context, _wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if std::mem::replace(&mut self.done, true) {
            return Ok(());
        }
        let mut writer = Writer::new(context, &self.format, &self.columns)?;
        self.input.open(context)?;
        drain(&mut *self.input, context, &mut self.scratch, |batch| writer.append(context, batch))?;
        match writer.finish() {
            Some(text) => {
                let text = convert::text_datum_paced(&text, &SqlType::NVARCHAR_MAX, &mut context.pacer())?;
                out.columns[0].push_owned(text);
            }
            None => out.columns[0].push_null(),
        }
        out.rows = 1;
        Ok(())
    }

    fn close(&mut self) {
        self.input.close();
    }
}
