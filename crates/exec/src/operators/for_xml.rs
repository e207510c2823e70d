//! FOR XML: rows become elements.
//!
//! RAW and PATH make an element of each row: the names of the columns say where in it a value goes (`a/b`, `@c`, `text()`), and neighbours
//! share what their names begin with. AUTO nests the tables of FROM: an element stays open while the values of its table stay as they
//! are. EXPLICIT says with each row which element it is and in which one it belongs.

use sql::plan::{ForFormat, InlineSchema, OutputColumn, XmlMode, XmlOwner, XmlReference};
use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

use super::for_xml_explicit::Explicit;
use super::for_xml_row::RowText;
use super::for_xml_schema::{self, Described, Part};
use crate::context::Context;
use crate::expression::shown;

const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// How a value without a name of its own stands in its element.
#[derive(Debug, Clone, PartialEq)]
enum Leaf {
    Element(String),
    Attribute(String),
    /// Xml stays nodes.
    Text,
    /// `data()`: values next to each other have a blank between them.
    Data,
    Comment,
    Instruction(String),
}

enum Node {
    Leaf { leaf: Leaf, column: usize },
    Branch { name: String, children: Vec<Node> },
}

/// A table of AUTO and its columns.
struct Level {
    name: String,
    nodes: Vec<Node>,
    columns: Vec<usize>,
}

enum Shape {
    /// The row's element; empty: none, and values of `data()` go on from row to row.
    Row {
        element: String,
        nodes: Vec<Node>,
        after_data: bool,
    },
    Auto {
        levels: Vec<Level>,
        /// The row before.
        previous: Vec<Datum>,
    },
    Explicit(Explicit),
}

pub struct XmlWriter {
    shape: Shape,
    types: Vec<SqlType>,
    /// Of AUTO: columns of bytes that are shown as where they are found.
    references: Vec<Option<XmlReference>>,
    root: Option<String>,
    /// ` xmlns:a="..."` of the outermost elements.
    declared: String,
    nil: bool,
    /// The text becomes xml.
    ty: bool,
    /// What XMLSCHEMA and XMLDATA have before the rows.
    schema: String,
}

impl XmlWriter {
    pub fn new(context: &Context, format: &ForFormat, columns: &[OutputColumn]) -> SqlResult<XmlWriter> {
        let ForFormat::Xml { mode, element, root, elements, nil, ty, base64, namespaces, owners, schema } = format
        else {
            panic!("it is asked for XML only")
        };
        let names = Names { namespaces };
        let root = root.as_ref().map(|root| names.tag("Root", root)).transpose()?;
        let element = match element {
            Some(element) if element.is_empty() => Some(String::new()),
            Some(element) => Some(names.tag("Row", element)?),
            None => None,
        };
        if columns.iter().any(|column| column.ty.is_spatial() || column.ty.kind == TypeKind::HierarchyId) {
            return Err(sql_error!(6865));
        }
        let binary = columns.iter().find(|column| column.ty.is_binary()).filter(|_| !base64);
        if let (XmlMode::Raw | XmlMode::Explicit, Some(column)) = (mode, binary) {
            return Err(sql_error!(6829, column.name));
        }
        let references = match (mode, base64) {
            (XmlMode::Auto, false) => names.references(columns, owners)?,
            _ => Vec::new(),
        };
        let shape = match mode {
            XmlMode::Path => {
                let mut nodes = Vec::new();
                for (column, output) in columns.iter().enumerate() {
                    names.path(&mut nodes, output, column)?;
                }
                Shape::Row { element: element.unwrap_or_else(|| "row".into()), nodes, after_data: false }
            }
            XmlMode::Raw => {
                let all: Vec<usize> = (0..columns.len()).collect();
                let nodes = names.flat(columns, &all, *elements)?;
                Shape::Row { element: element.unwrap_or_else(|| "row".into()), nodes, after_data: false }
            }
            XmlMode::Auto => {
                let levels = names.levels(columns, owners, *elements)?;
                Shape::Auto { levels, previous: Vec::new() }
            }
            XmlMode::Explicit => Shape::Explicit(Explicit::new(columns)?),
        };
        if let Shape::Row { element, nodes, .. } = &shape
            && element.is_empty()
            && nodes.iter().any(|node| matches!(node, Node::Leaf { leaf: Leaf::Attribute(_), .. }))
        {
            return Err(sql_error!(6864));
        }
        let mut declared = String::new();
        let mut described = String::new();
        if let Some(asked) = schema {
            let number = context.session(|session| {
                session.xml_schemas += u32::from(!matches!(asked, InlineSchema::Xsd(Some(_))));
                session.xml_schemas
            });
            let elements = shape.described(columns);
            let (text, uri) = for_xml_schema::schema(asked, number, &elements, (*mode == XmlMode::Auto, *nil))?;
            declare("", &uri, &mut declared);
            described = text;
        }
        let explicit_nil = matches!(&shape, Shape::Explicit(explicit) if explicit.nil);
        if *nil || explicit_nil {
            declare("xsi", INSTANCE, &mut declared);
        }
        for (prefix, uri) in namespaces.iter().rev() {
            declare(prefix, uri, &mut declared);
        }
        let types = columns.iter().map(|column| column.ty).collect();
        Ok(XmlWriter { shape, types, references, root, declared, nil: *nil, ty: *ty, schema: described })
    }

    /// What stands before all rows and behind them.
    pub fn frame(&self) -> (String, String) {
        match &self.root {
            // The namespace of a schema is that of the rows.
            Some(root) if self.is_described() => (format!("<{root}>{}", self.schema), format!("</{root}>")),
            Some(root) => (format!("<{root}{}>", self.declared), format!("</{root}>")),
            None => (self.schema.clone(), String::new()),
        }
    }

    /// There is a text even without rows.
    pub fn is_described(&self) -> bool {
        !self.schema.is_empty()
    }

    pub fn row(&mut self, context: &Context, values: &[Datum], out: &mut String) -> SqlResult<()> {
        let declared = if self.root.is_some() && !self.is_described() { "" } else { &self.declared };
        let row =
            RowText { context, types: &self.types, references: &self.references, values, nil: self.nil, ty: self.ty };
        match &mut self.shape {
            Shape::Row { element, nodes, after_data } if element.is_empty() => {
                *after_data = row.content(nodes, declared, *after_data, out)?;
                Ok(())
            }
            Shape::Row { element, nodes, .. } => row.element(element, nodes, declared, false, out),
            Shape::Auto { levels, previous } => {
                auto_row(&row, levels, previous, declared, out)?;
                *previous = values.to_vec();
                Ok(())
            }
            Shape::Explicit(explicit) => explicit.row(&row, declared, out),
        }
    }

    /// Closes what is open behind the last row.
    pub fn finish(self, out: &mut String) {
        match self.shape {
            Shape::Auto { levels, previous } if !previous.is_empty() => {
                for level in levels[..levels.len() - 1].iter().rev() {
                    out.extend(["</", &level.name, ">"]);
                }
            }
            Shape::Explicit(explicit) => explicit.finish(out),
            _ => {}
        }
    }
}

impl Shape {
    /// Its elements and what is in them, for a schema: of RAW and AUTO.
    fn described<'a>(&'a self, columns: &'a [OutputColumn]) -> Vec<Described<'a>> {
        let parts = |nodes: &'a [Node]| {
            let part = |node: &'a Node| match node {
                Node::Leaf { leaf: Leaf::Element(name), column } => {
                    Some(Part { name, column: &columns[*column], is_element: true })
                }
                Node::Leaf { leaf: Leaf::Attribute(name), column } => {
                    Some(Part { name, column: &columns[*column], is_element: false })
                }
                _ => None,
            };
            nodes.iter().filter_map(part).collect()
        };
        match self {
            Shape::Row { element, nodes, .. } => vec![Described { name: element, parts: parts(nodes) }],
            Shape::Auto { levels, .. } => {
                levels.iter().map(|level| Described { name: &level.name, parts: parts(&level.nodes) }).collect()
            }
            Shape::Explicit(_) => Vec::new(),
        }
    }
}

fn declare(prefix: &str, uri: &str, out: &mut String) {
    out.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
    out.extend([prefix, "=\""]);
    types::pause::unpaced(|pacer| types::xml::escape(uri, true, out, pacer));
    out.push('"');
}

/// Elements of the tables whose values have changed, and of all below them; the last table has one for each row.
fn auto_row(
    row: &RowText<'_, '_>,
    levels: &[Level],
    previous: &[Datum],
    declared: &str,
    out: &mut String,
) -> SqlResult<()> {
    let last = levels.len() - 1;
    let differs = |level: &Level| {
        level.columns.iter().any(|&column| {
            // Long values are not compared.
            row.values[column] != previous[column] || row.types[column].kind == TypeKind::Xml
        })
    };
    let first = match previous.is_empty() {
        true => 0,
        false => levels[..last].iter().position(differs).unwrap_or(last),
    };
    if !previous.is_empty() {
        for level in levels[first..last].iter().rev() {
            out.extend(["</", &level.name, ">"]);
        }
    }
    for (at, level) in levels.iter().enumerate().skip(first) {
        let declared = if at == 0 { declared } else { "" };
        if at == last {
            row.element(&level.name, &level.nodes, declared, false, out)?;
        } else {
            row.start_tag(&level.name, &level.nodes, declared, out)?;
            out.push('>');
            row.content(&level.nodes, "", false, out)?;
        }
    }
    Ok(())
}

/// The tables of AUTO, in the order of their first columns, with their columns: what is of no table is of the one before it.
pub(super) fn auto_levels(count: usize, owners: &[Option<XmlOwner>]) -> Vec<(&str, Vec<usize>)> {
    let mut found: Vec<(usize, &str, Vec<usize>)> = Vec::new();
    let mut before = Vec::new();
    for column in 0..count {
        match owners.get(column).and_then(Option::as_ref) {
            Some(owner) => match found.iter_mut().find(|level| level.0 == owner.number) {
                Some(level) => level.2.push(column),
                None => {
                    let mut own = std::mem::take(&mut before);
                    own.push(column);
                    found.push((owner.number, &owner.name, own));
                }
            },
            None => match found.last_mut() {
                Some(level) => level.2.push(column),
                None => before.push(column),
            },
        }
    }
    found.into_iter().map(|(_, name, columns)| (name, columns)).collect()
}

/// Names of columns and what they become.
struct Names<'a> {
    namespaces: &'a [(Box<str>, Box<str>)],
}

/// Puts a leaf below `path`, together with a neighbour that begins alike, or is the same element. 6852.
fn insert(nodes: &mut Vec<Node>, path: &[String], leaf: Node, whole: &str) -> SqlResult<()> {
    let Some((first, rest)) = path.split_first() else {
        if let Node::Leaf { leaf: Leaf::Element(name), column } = &leaf
            && let Some(children) = shared(nodes, name)
        {
            children.push(Node::Leaf { leaf: Leaf::Text, column: *column });
            return Ok(());
        }
        let attribute = |node: &Node| matches!(node, Node::Leaf { leaf: Leaf::Attribute(_), .. });
        if attribute(&leaf) && nodes.iter().any(|node| !attribute(node)) {
            return Err(sql_error!(6852, whole));
        }
        nodes.push(leaf);
        return Ok(());
    };
    if let Some(children) = shared(nodes, first) {
        return insert(children, rest, leaf, whole);
    }
    let mut children = Vec::new();
    insert(&mut children, rest, leaf, whole)?;
    nodes.push(Node::Branch { name: first.clone(), children });
    Ok(())
}

/// What is in the element `name`, if that is what comes last.
fn shared<'n>(nodes: &'n mut [Node], name: &str) -> Option<&'n mut Vec<Node>> {
    let last = nodes.last_mut()?;
    if let Node::Leaf { leaf: Leaf::Element(own), column } = last
        && own == name
    {
        let text = Node::Leaf { leaf: Leaf::Text, column: *column };
        *last = Node::Branch { name: std::mem::take(own), children: vec![text] };
    }
    match last {
        Node::Branch { name: own, children } if own == name => Some(children),
        _ => None,
    }
}

impl Names<'_> {
    /// The name of a row's or the root's element. 6846, 6850.
    fn tag(&self, what: &str, name: &str) -> SqlResult<String> {
        self.checked(what, name)?;
        Ok(name.to_owned())
    }

    /// A name that has to be one of XML. 6846, 6850, 6867.
    fn checked(&self, what: &str, name: &str) -> SqlResult<()> {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        if name == "xmlns" || prefix == "xmlns" {
            return Err(sql_error!(6867, "xmlns"));
        }
        for part in [prefix, local] {
            let fault = part.chars().enumerate().find(|(at, c)| !is_name(*c, *at == 0));
            if let Some((_, c)) = fault {
                return Err(sql_error!(6850, what, name, c, format_args!("{:04X}", c as u32)));
            }
        }
        let known = matches!(prefix, "" | "xml") || self.namespaces.iter().any(|(known, _)| **known == *prefix);
        if !known {
            return Err(sql_error!(6846, prefix, what.to_lowercase(), name));
        }
        Ok(())
    }

    /// The name of a column or table of RAW and AUTO: what a name may not hold is written `_xHHHH_`. 6809.
    fn encoded(&self, name: &str) -> SqlResult<String> {
        if name.is_empty() {
            return Err(sql_error!(6809));
        }
        if !self.namespaces.is_empty() && name.contains(':') {
            self.checked("Column", name)?;
            return Ok(name.to_owned());
        }
        let mut out = String::with_capacity(name.len());
        for (at, c) in name.char_indices() {
            // What looks like such a mark is one itself.
            let mark = c == '_' && name[at + 1..].starts_with('x');
            if !mark && (is_name(c, at == 0) || c == ':' && at > 0) && (c as u32) < 0x1_0000 {
                out.push(c);
            } else if c as u32 > 0xFFFF {
                out.push_str(&format!("_x{:06X}_", c as u32));
            } else {
                out.push_str(&format!("_x{:04X}_", c as u32));
            }
        }
        Ok(out)
    }

    /// Columns beside each other: attributes, or elements. 6810.
    fn flat(&self, columns: &[OutputColumn], chosen: &[usize], elements: bool) -> SqlResult<Vec<Node>> {
        let mut nodes: Vec<Node> = Vec::new();
        for &column in chosen {
            let output = &columns[column];
            // Nodes are put inside, as they are or within an element, also where other columns are attributes.
            let leaf = if output.ty.kind == TypeKind::Xml && output.name.is_empty() {
                Leaf::Text
            } else if elements || output.ty.kind == TypeKind::Xml {
                Leaf::Element(self.encoded(&output.name)?)
            } else {
                let leaf = Leaf::Attribute(self.encoded(&output.name)?);
                if nodes.iter().any(|node| matches!(node, Node::Leaf { leaf: known, .. } if *known == leaf)) {
                    return Err(sql_error!(6810, output.name));
                }
                leaf
            };
            nodes.push(Node::Leaf { leaf, column });
        }
        Ok(nodes)
    }

    /// 6830, 6831: a value of bytes is shown as where it is found, by the keys of its table.
    fn references(
        &self,
        columns: &[OutputColumn],
        owners: &[Option<XmlOwner>],
    ) -> SqlResult<Vec<Option<XmlReference>>> {
        let reference = |(at, column): (usize, &OutputColumn)| {
            if !column.ty.is_binary() {
                return Ok(None);
            }
            let owner = owners.get(at).and_then(Option::as_ref).filter(|_| column.origin.is_some());
            let owner = owner.ok_or_else(|| sql_error!(6830, column.name))?;
            let found = owner.reference.as_ref().ok_or_else(|| sql_error!(6831, column.name))?;
            let key = found.key.iter().map(|(name, at)| Ok((self.encoded(name)?.into(), *at)));
            Ok(Some(XmlReference {
                table: self.encoded(&found.table)?.into(),
                column: self.encoded(&found.column)?.into(),
                key: key.collect::<SqlResult<_>>()?,
            }))
        };
        columns.iter().enumerate().map(reference).collect()
    }

    /// The tables in the order of their first columns; a column of none is the deepest one's so far.
    fn levels(&self, columns: &[OutputColumn], owners: &[Option<XmlOwner>], elements: bool) -> SqlResult<Vec<Level>> {
        auto_levels(columns.len(), owners)
            .into_iter()
            .map(|(name, chosen)| {
                Ok(Level { name: self.encoded(name)?, nodes: self.flat(columns, &chosen, elements)?, columns: chosen })
            })
            .collect()
    }

    /// A column of PATH. 6846, 6849, 6850, 6851, 6852, 6853, 6854.
    fn path(&self, nodes: &mut Vec<Node>, output: &OutputColumn, column: usize) -> SqlResult<()> {
        let name = &*output.name;
        let is_xml = output.ty.kind == TypeKind::Xml;
        let steps: Vec<&str> = name.split('/').collect();
        if steps.len() > 1 && steps.iter().any(|step| step.is_empty()) {
            return Err(sql_error!(6849, name));
        }
        let (last, before) = steps.split_last().expect("a text has a part");
        let leaf = match *last {
            "" | "*" | "node()" => Leaf::Text,
            "text()" | "data()" | "comment()" if is_xml => return Err(sql_error!(6853, name)),
            "text()" => Leaf::Text,
            "data()" => Leaf::Data,
            "comment()" => Leaf::Comment,
            step if step.starts_with("processing-instruction") => {
                let target = step["processing-instruction".len()..].strip_prefix('(').and_then(|t| t.strip_suffix(')'));
                match target.filter(|target| !target.is_empty()) {
                    Some("xml") => return Err(sql_error!(6879)),
                    Some(_) if is_xml => return Err(sql_error!(6853, name)),
                    Some(target) => {
                        if let Some((_, c)) = target.chars().enumerate().find(|(at, c)| !is_name(*c, *at == 0)) {
                            return Err(sql_error!(6850, "", name, c, format_args!("{:04X}", c as u32)));
                        }
                        Leaf::Instruction(target.to_owned())
                    }
                    None => return Err(sql_error!(6854, name)),
                }
            }
            step => match step.strip_prefix('@') {
                Some(_) if is_xml => return Err(sql_error!(6851, name)),
                Some(attribute) => {
                    self.checked("Column", attribute)?;
                    Leaf::Attribute(attribute.to_owned())
                }
                None => {
                    self.checked("Column", step)?;
                    Leaf::Element(step.to_owned())
                }
            },
        };
        for step in before {
            self.checked("Column", step)?;
        }
        let before: Vec<String> = before.iter().map(|step| (*step).to_owned()).collect();
        insert(nodes, &before, Node::Leaf { leaf, column }, name)
    }
}

/// Of the names of XML 1.0, fourth edition, which knows fewer letters than Unicode has by now.
fn is_name(c: char, first: bool) -> bool {
    let letter = c.is_alphabetic() && !matches!(c, 'ª' | 'µ' | 'º' | '\u{2100}'..='\u{2125}' | '\u{ff00}'..='\u{ffef}');
    letter || c == '_' || !first && (c.is_alphanumeric() || matches!(c, '-' | '.' | '\u{b7}'))
}

impl RowText<'_, '_> {
    /// An element with what is in it. `optional`: nothing at all when every value is NULL.
    fn element(&self, name: &str, nodes: &[Node], declared: &str, optional: bool, out: &mut String) -> SqlResult<()> {
        if optional && nodes.iter().all(|node| self.is_left_out(node)) {
            return Ok(());
        }
        self.start_tag(name, nodes, declared, out)?;
        let before = out.len();
        out.push('>');
        self.content(nodes, "", false, out)?;
        let written = nodes
            .iter()
            .any(|node| !matches!(node, Node::Leaf { leaf: Leaf::Attribute(_), .. }) && !self.is_left_out(node));
        if written {
            out.extend(["</", name, ">"]);
        } else {
            out.truncate(before);
            out.push_str("/>");
        }
        Ok(())
    }

    fn start_tag(&self, name: &str, nodes: &[Node], declared: &str, out: &mut String) -> SqlResult<()> {
        out.extend(["<", name, declared]);
        for node in nodes {
            if let Node::Leaf { leaf: Leaf::Attribute(name), column } = node
                && !self.values[*column].is_null()
            {
                self.attribute(name, *column, out)?;
            }
        }
        Ok(())
    }

    /// All but attributes. `after_data`: a value of `data()` is what comes before; the answer is whether one is what comes last.
    fn content(&self, nodes: &[Node], declared: &str, after_data: bool, out: &mut String) -> SqlResult<bool> {
        let mut after_data = after_data;
        for node in nodes {
            match node {
                Node::Leaf { leaf: Leaf::Attribute(_), .. } => continue,
                Node::Branch { name, children } => self.element(name, children, declared, true, out)?,
                Node::Leaf { leaf, column } => {
                    if *leaf == Leaf::Data && after_data && !self.values[*column].is_null() {
                        out.push(' ');
                    }
                    self.leaf(leaf, *column, declared, out)?;
                    if *leaf == Leaf::Data && self.values[*column].is_null() {
                        continue;
                    }
                }
            }
            after_data = matches!(node, Node::Leaf { leaf: Leaf::Data, .. });
        }
        Ok(after_data)
    }

    fn is_left_out(&self, node: &Node) -> bool {
        match node {
            Node::Leaf { leaf: Leaf::Element(_), .. } if self.nil => false,
            Node::Leaf { column, .. } => self.values[*column].is_null(),
            Node::Branch { children, .. } => children.iter().all(|child| self.is_left_out(child)),
        }
    }

    fn leaf(&self, leaf: &Leaf, column: usize, declared: &str, out: &mut String) -> SqlResult<()> {
        if self.values[column].is_null() {
            if let (Leaf::Element(name), true) = (leaf, self.nil) {
                out.extend(["<", name, declared, " xsi:nil=\"true\"/>"]);
            }
            return Ok(());
        }
        match leaf {
            Leaf::Element(name) => self.value_element(name, column, declared, out),
            Leaf::Text | Leaf::Data => self.value(column, "", out),
            Leaf::Comment => {
                let text = shown(self.context, &self.types[column], &self.values[column])?;
                if text.contains("--") {
                    return Err(sql_error!(9322, state 2, ""));
                }
                if text.ends_with('-') {
                    return Err(sql_error!(9322, state 3, ""));
                }
                out.extend(["<!--", &text, "-->"]);
                Ok(())
            }
            Leaf::Instruction(target) => {
                out.extend(["<?", target, " "]);
                out.push_str(&shown(self.context, &self.types[column], &self.values[column])?);
                out.push_str("?>");
                Ok(())
            }
            Leaf::Attribute(_) => Ok(()),
        }
    }
}
