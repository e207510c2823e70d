//! What `modify` makes of a value: the tree is copied once, and on the way nodes are left out, put in, or given another value.

use std::collections::HashSet;
use std::sync::Arc;

use types::{SqlResult, sql_error};

use crate::document::{Builder, Document, Kind};
use crate::meter::{Meter, NODE};
use crate::query::{Action, Evaluation, Item, Place, Query, Supplied, append_items, atomize};
use crate::write::Writer;

/// The nodes that one action concerns.
pub enum Change {
    Insert { content: Vec<Item>, place: Place, target: u32 },
    Delete(HashSet<u32>),
    Replace { target: u32, value: String },
}

/// The text of the value after the query's action. None: it finds no node, and the value stays as it is. 6307, 6308, 6320, 6325.
pub fn modify(
    query: &Query,
    document: &Arc<Document>,
    supplied: &[Supplied],
    meter: &mut Meter<'_, '_>,
) -> SqlResult<Option<String>> {
    let Some(change) = change(query, document, supplied, meter)? else { return Ok(None) };
    let changed = rebuild(document, &change, meter)?;
    let mut writer = Writer::new(query.prefixes());
    writer.node(&changed, 0, meter)?;
    Ok(Some(writer.finish()))
}

fn change(
    query: &Query,
    document: &Arc<Document>,
    supplied: &[Supplied],
    meter: &mut Meter<'_, '_>,
) -> SqlResult<Option<Change>> {
    let mut evaluation = Evaluation::new(query, document, 0, supplied);
    let first = |items: &[Item]| match items.first() {
        Some(Item::Node(_, node)) => Some(*node),
        _ => None,
    };
    match query.action().expect("modify has an action") {
        Action::Delete(target) => {
            let items = evaluation.run(target, meter)?;
            let nodes: HashSet<u32> = items
                .iter()
                .filter_map(|item| match item {
                    Item::Node(_, node) => Some(*node),
                    Item::Atomic(_) => None,
                })
                .collect();
            Ok((!nodes.is_empty()).then_some(Change::Delete(nodes)))
        }
        Action::Insert { content, place, target } => {
            let Some(target) = first(&evaluation.run(target, meter)?) else { return Ok(None) };
            let content = evaluation.run(content, meter)?;
            Ok(Some(Change::Insert { content, place: *place, target }))
        }
        Action::Replace { target, value } => {
            let Some(target) = first(&evaluation.run(target, meter)?) else { return Ok(None) };
            let values = evaluation.run(value, meter)?;
            if values.is_empty() {
                // An element of typed xml says by its schema whether it may be empty.
                if !matches!(document.kind(target), Kind::Text | Kind::Element) {
                    return Err(sql_error!(6320));
                }
                if !value.is_written_empty() {
                    return Err(sql_error!(6325));
                }
            }
            let mut shown = Vec::with_capacity(values.len());
            for value in &values {
                shown.extend(atomize(value, meter)?.map(|value| value.show()));
            }
            Ok(Some(Change::Replace { target, value: shown.join(" ") }))
        }
    }
}

fn is_attribute(item: &&Item) -> bool {
    matches!(item, Item::Node(document, node) if document.kind(*node) == Kind::Attribute)
}

/// Copies the tree with what has changed.
fn rebuild(document: &Document, change: &Change, meter: &mut Meter<'_, '_>) -> SqlResult<Document> {
    let mut builder = Builder::default();
    let (mut attributes, mut nodes): (Vec<&Item>, Vec<Item>) = (Vec::new(), Vec::new());
    let mut at_place = None;
    if let Change::Insert { content, place, target } = change {
        attributes = content.iter().filter(is_attribute).collect();
        nodes = content.iter().filter(|item| !is_attribute(item)).cloned().collect();
        let place = if *place == Place::Into { Place::Last } else { *place };
        at_place = Some((*target, place));
    }
    let mut open: Vec<u32> = vec![0];
    let mut at = 0;
    let count = document.count();
    let put = |node: u32, place: Place, builder: &mut Builder, meter: &mut Meter<'_, '_>| {
        if at_place == Some((node, place)) { append_items(builder, &nodes, meter) } else { Ok(()) }
    };
    put(0, Place::First, &mut builder, meter)?;
    at += 1;
    loop {
        while let Some(&element) = open.last().filter(|&&element| document.end(element) <= at) {
            open.pop();
            put(element, Place::Last, &mut builder, meter)?;
            if element > 0 {
                builder.close();
            }
            put(element, Place::After, &mut builder, meter)?;
        }
        if at >= count {
            break;
        }
        meter.spend(NODE + document.value(at).len())?;
        if matches!(change, Change::Delete(nodes) if nodes.contains(&at)) {
            at = document.end(at);
            continue;
        }
        put(at, Place::Before, &mut builder, meter)?;
        let value = match change {
            Change::Replace { target, value } if *target == at => value,
            _ => document.value(at),
        };
        meter.hold(NODE + value.len())?;
        match document.kind(at) {
            Kind::Element => {
                builder.open(document.name(at))?;
                let own = matches!(change, Change::Insert { target, .. } if *target == at);
                beside(document, at, change, if own { &attributes } else { &[] }, &mut builder, meter)?;
                put(at, Place::First, &mut builder, meter)?;
                open.push(at);
                if let Change::Replace { target, value } = change
                    && *target == at
                {
                    builder.text(value)?;
                    at = document.end(at);
                } else {
                    at = document.content(at);
                }
                continue;
            }
            Kind::Text => builder.text(value)?,
            Kind::Comment => builder.comment(value)?,
            Kind::Instruction => builder.instruction(&document.name(at).local, value)?,
            Kind::Document | Kind::Attribute | Kind::Namespace => {}
        }
        put(at, Place::After, &mut builder, meter)?;
        at += 1;
    }
    Ok(builder.finish())
}

/// Declarations and attributes of an element. Of new ones the first comes behind its first, the second behind its second.
fn beside(
    document: &Document,
    element: u32,
    change: &Change,
    new: &[&Item],
    builder: &mut Builder,
    meter: &mut Meter<'_, '_>,
) -> SqlResult<()> {
    let mut new = new.iter();
    for node in document.beside(element) {
        meter.spend(NODE)?;
        let value = match change {
            Change::Delete(nodes) if nodes.contains(&node) => continue,
            Change::Replace { target, value } if *target == node => value,
            _ => document.value(node),
        };
        match document.kind(node) {
            Kind::Namespace => builder.namespace(&document.name(node).local, value)?,
            _ if matches!(change, Change::Insert { .. }) => builder.new_attribute(document.name(node), value, meter)?,
            _ => builder.attribute(document.name(node), value)?,
        }
        if let Some(Item::Node(tree, attribute)) = new.next() {
            builder.new_attribute(tree.name(*attribute), tree.value(*attribute), meter)?;
        }
    }
    for item in new {
        if let Item::Node(tree, attribute) = item {
            builder.new_attribute(tree.name(*attribute), tree.value(*attribute), meter)?;
        }
    }
    Ok(())
}
