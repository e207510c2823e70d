//! OPENXML: rows of a prepared document, with columns by patterns or by their names, or the edge table.
//!
//! Flags: 1 (and 0) a column without a pattern is the attribute of its name, 2 the child element, 3 the attribute or else the element.

use std::collections::HashMap;
use std::sync::Arc;

use sql::plan::OpenXmlColumn;
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, convert, sql_error};
use xml::query::{Method, Query, Receiver};
use xml::write::Writer;
use xml::{Document, Item, Kind, Meter};

use crate::context::{Context, GRANT_BYTES_MAX, out_of_memory};
use crate::expression::metered;
use crate::kernel;

/// What a column shows of its row's node.
enum Source {
    Pattern(Query),
    /// By the column's name.
    Name(Box<str>),
    /// Of the row's node, or of the first that a path from it finds.
    Meta(Option<Query>, Meta),
}

#[derive(Clone, Copy)]
enum Meta {
    Id,
    LocalName,
    NamespaceUri,
    Prefix,
    Previous,
    ParentId,
    ParentLocalName,
    ParentNamespaceUri,
    ParentPrefix,
    Text,
}

const META: &[(&str, Meta)] = &[
    ("id", Meta::Id),
    ("localname", Meta::LocalName),
    ("namespaceuri", Meta::NamespaceUri),
    ("prefix", Meta::Prefix),
    ("prev", Meta::Previous),
    ("parentid", Meta::ParentId),
    ("parentlocalname", Meta::ParentLocalName),
    ("parentnamespaceuri", Meta::ParentNamespaceUri),
    ("parentprefix", Meta::ParentPrefix),
    ("xmltext", Meta::Text),
];

/// Bit of the flags: what other columns show is left out of `@mp:xmltext`.
const OVERFLOW: i64 = 8;

type Namespaces = [(Box<str>, Box<str>)];

/// 6603
fn pattern(text: &str, namespaces: &Namespaces) -> SqlResult<Query> {
    let receiver = Receiver { method: Method::Nodes, column: String::new() };
    let wrong = |error: SqlError| {
        let found = error.text.split_once("]: ").map_or(&*error.text, |(_, found)| found);
        sql_error!(6603, state 2, format_args!("{found}\r\n\n{text}--><--"))
    };
    Query::parse(text, &receiver, namespaces).map_err(wrong)
}

/// The rows for `columns`; of none of them the edge table. 8179, 6603, 701.
pub fn rows(
    context: &Context,
    types: &[SqlType],
    arguments: &[Datum],
    columns: &[OpenXmlColumn],
    out: &mut RowBatch,
) -> SqlResult<()> {
    let number = |at: usize| match &arguments[at] {
        Datum::I64(number) => Some(*number),
        _ => None,
    };
    let (document, namespaces) = context.session(|session| {
        let prepared = session.prepared_xml.find(number(0))?;
        Ok::<_, SqlError>((prepared.document.clone(), prepared.namespaces.clone()))
    })?;
    let row_pattern = match &arguments[1] {
        Datum::Bytes(text) => pattern(&kernel::text(&types[1], text), &namespaces)?,
        _ => return Ok(()),
    };
    let flags = number(2).unwrap_or(0);
    let sources = columns.iter().map(|column| source(column, flags, &namespaces)).collect::<SqlResult<Vec<_>>>()?;
    metered(context, |meter| {
        let mut bytes = 0;
        for item in row_pattern.evaluate(&document, 0, &[], meter)? {
            let Item::Node(_, node) = item else { continue };
            if columns.is_empty() {
                edges(&document, node, meter, out)?;
                continue;
            }
            for ((column, source), values) in columns.iter().zip(&sources).zip(&mut out.columns) {
                match shown(&document, node, column, source, flags, meter)? {
                    Some(text) => {
                        bytes += 2 * text.len();
                        values.push(&convert::text_datum_paced(&text, &SqlType::NVARCHAR_MAX, meter.pacer)?);
                    }
                    None => values.push_null(),
                }
            }
            out.rows += 1;
            if bytes > GRANT_BYTES_MAX {
                return Err(out_of_memory());
            }
        }
        Ok(())
    })
}

fn source(column: &OpenXmlColumn, flags: i64, namespaces: &Namespaces) -> SqlResult<Source> {
    let Some(text) = &column.pattern else { return Ok(Source::Name(column.name.clone())) };
    let (path, meta) = match (text.strip_prefix("@mp:"), text.rsplit_once("/@mp:")) {
        (Some(meta), _) => (None, meta),
        (None, Some((path, meta))) => (Some(pattern(path, namespaces)?), meta),
        (None, None) => return pattern(text, namespaces).map(Source::Pattern),
    };
    match META.iter().find(|(name, _)| *name == meta) {
        Some((_, Meta::Text)) if flags & OVERFLOW != 0 => Err(sql_error!(40517, "OPENXML with flag 8 and @mp:xmltext")),
        Some((_, meta)) => Ok(Source::Meta(path, *meta)),
        None => Err(sql_error!(6603, state 2, format_args!("Unknown metaproperty\r\n\n{text}--><--"))),
    }
}

fn shown(
    document: &Arc<Document>,
    node: u32,
    column: &OpenXmlColumn,
    source: &Source,
    flags: i64,
    meter: &mut Meter<'_, '_>,
) -> SqlResult<Option<String>> {
    let found = match source {
        Source::Meta(None, meta) => return meta_property(document, node, *meta, meter),
        Source::Meta(Some(path), meta) => {
            return match first(path, document, node, meter)? {
                Some(node) => meta_property(document, node, *meta, meter),
                None => Ok(None),
            };
        }
        Source::Pattern(query) => first(query, document, node, meter)?,
        Source::Name(name) => {
            let named = |inner: &u32| document.name(*inner).written() == **name;
            let attribute = document.attributes(node).find(named);
            let element = || document.children(node).filter(|child| document.kind(*child) == Kind::Element).find(named);
            match flags & 3 {
                2 => element(),
                3 => attribute.or_else(element),
                _ => attribute,
            }
        }
    };
    match found {
        Some(node) if column.is_xml => markup(document, node, meter).map(Some),
        Some(node) => document.string(node, meter).map(Some),
        None => Ok(None),
    }
}

/// The first node that a pattern finds.
fn first(query: &Query, document: &Arc<Document>, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<Option<u32>> {
    Ok(query.evaluate(document, node, &[], meter)?.into_iter().find_map(|item| match item {
        Item::Node(_, node) => Some(node),
        Item::Atomic(_) => None,
    }))
}

fn markup(document: &Document, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<String> {
    if document.kind(node) == Kind::Attribute {
        return document.string(node, meter);
    }
    let mut writer = Writer::new(&[]);
    writer.node(document, node, meter)?;
    Ok(writer.finish())
}

/// The outermost element is 0, all others count on from 2.
fn id(node: u32) -> i64 {
    if node <= 1 { 0 } else { i64::from(node) }
}

fn previous(document: &Document, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<Option<u32>> {
    let Some(parent) = document.parent(node) else { return Ok(None) };
    let mut last = None;
    for sibling in document.children(parent).take_while(|&sibling| sibling < node) {
        meter.spend(xml::meter::NODE)?;
        last = Some(sibling);
    }
    Ok(last)
}

fn meta_property(document: &Document, node: u32, meta: Meta, meter: &mut Meter<'_, '_>) -> SqlResult<Option<String>> {
    let parent = document.parent(node).filter(|&parent| parent > 0);
    let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Ok(match meta {
        Meta::Id => Some(id(node).to_string()),
        Meta::LocalName => filled(&document.name(node).local),
        Meta::NamespaceUri => filled(&document.name(node).uri),
        Meta::Prefix => filled(&document.name(node).prefix),
        Meta::Previous => previous(document, node, meter)?.map(|node| id(node).to_string()),
        Meta::ParentId => parent.map(|parent| id(parent).to_string()),
        Meta::ParentLocalName => parent.and_then(|parent| filled(&document.name(parent).local)),
        Meta::ParentNamespaceUri => parent.and_then(|parent| filled(&document.name(parent).uri)),
        Meta::ParentPrefix => parent.and_then(|parent| filled(&document.name(parent).prefix)),
        Meta::Text => Some(markup(document, node, meter)?),
    })
}

/// Kinds of nodes as the edge table numbers them.
const ELEMENT: i64 = 1;
const ATTRIBUTE: i64 = 2;
const TEXT: i64 = 3;
const INSTRUCTION: i64 = 7;
const COMMENT: i64 = 8;

/// A row for each node of a subtree; the text of an attribute is a node of its own, numbered behind all others.
fn edges(document: &Document, top: u32, meter: &mut Meter<'_, '_>, out: &mut RowBatch) -> SqlResult<()> {
    let mut behind = i64::from(document.count());
    // The last child that was seen of each element.
    let mut last: HashMap<u32, u32> = HashMap::new();
    for node in top..document.end(top) {
        meter.spend(xml::meter::NODE)?;
        let (kind, name) = match document.kind(node) {
            Kind::Element => (ELEMENT, &*document.name(node).local),
            Kind::Attribute | Kind::Namespace => (ATTRIBUTE, &*document.name(node).local),
            Kind::Text => (TEXT, "#text"),
            Kind::Comment => (COMMENT, "#comment"),
            Kind::Instruction => (INSTRUCTION, &*document.name(node).local),
            Kind::Document => continue,
        };
        let own = matches!(kind, TEXT | COMMENT | INSTRUCTION).then(|| document.value(node));
        let parent = document.parent(node).filter(|&parent| parent > 0).map(id);
        let before = match document.parent(node).filter(|_| kind != ATTRIBUTE) {
            Some(parent) => last.insert(parent, node).map(id),
            None => None,
        };
        let (prefix, uri) = (&*document.name(node).prefix, &*document.name(node).uri);
        push_edge(
            out,
            [Some(id(node)), parent, Some(kind), before],
            [Some(name), Some(prefix), Some(uri), own],
            meter,
        )?;
        if kind == ATTRIBUTE {
            let text = Some(document.value(node));
            push_edge(out, [Some(behind), Some(id(node)), Some(TEXT), None], [Some("#text"), None, None, text], meter)?;
            behind += 1;
        }
    }
    Ok(())
}

/// id, parentid, nodetype and prev; localname, prefix, namespaceuri and text.
fn push_edge(
    out: &mut RowBatch,
    numbers: [Option<i64>; 4],
    texts: [Option<&str>; 4],
    meter: &mut Meter<'_, '_>,
) -> SqlResult<()> {
    let number = |at: usize| numbers[at].map_or(Datum::Null, Datum::I64);
    let mut text = |at: usize| match texts[at].filter(|text| !text.is_empty()) {
        Some(text) => convert::text_datum_paced(text, &SqlType::NVARCHAR_MAX, meter.pacer),
        None => Ok(Datum::Null),
    };
    let row = [number(0), number(1), number(2), text(0)?, text(1)?, text(2)?, Datum::Null, number(3), text(3)?];
    for (column, value) in out.columns.iter_mut().zip(&row) {
        column.push(value);
    }
    out.rows += 1;
    Ok(())
}
