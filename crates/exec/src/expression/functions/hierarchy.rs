//! Methods of hierarchyid.
//! https://learn.microsoft.com/sql/t-sql/data-types/hierarchyid-data-type-method-reference

use sql::function::FunctionId;
use types::hierarchy::{self, Node};
use types::{SqlResult, SqlType};

use crate::context::Context;
use crate::expression::general::{Call, Function};
use crate::kernel;
use crate::value::{Row, Value};

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        HierarchyAncestor => ancestor,
        HierarchyDescendant => descendant,
        HierarchyLevel => |call, context, row| {
            Ok(node(call, 0, context, row)?.map_or(Value::Null, |node| Value::I64(node.0.len() as i64)))
        },
        HierarchyReparent => reparented,
        HierarchyIsDescendant => is_descendant,
        HierarchyText => |call, context, row| {
            let Some(node) = node(call, 0, context, row)? else { return Ok(Value::Null) };
            Ok(Value::from_owned(kernel::text_datum(&node.to_string(), &SqlType::NVARCHAR_MAX)))
        },
        _ => return None,
    })
}

/// None: NULL.
fn node<'a>(call: &'a Call, at: usize, context: &'a Context, row: Row<'a>) -> SqlResult<Option<Node>> {
    match call.value(at, context, row)?.bytes() {
        Some(bytes) => hierarchy::read(&bytes).map(Some),
        None => Ok(None),
    }
}

fn value(node: &Node) -> SqlResult<Value<'static>> {
    hierarchy::write(node).map(Value::owned)
}

fn ancestor<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let Some(node) = node(call, 0, context, row)? else { return Ok(Value::Null) };
    let Some(above) = call.i64(1, context, row)? else { return Ok(Value::Null) };
    let above = usize::try_from(above).map_err(|_| {
        hierarchy::failure(24011, "SqlHierarchyId.GetAncestor failed because 'n' was negative.", "GetAncestor(Int32 n)")
    })?;
    node.ancestor(above).as_ref().map_or(Ok(Value::Null), value)
}

fn descendant<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    const SIGNATURE: &str = "GetDescendant(SqlHierarchyId child1, SqlHierarchyId child2)";
    let Some(parent) = node(call, 0, context, row)? else { return Ok(Value::Null) };
    let (first, second) = (node(call, 1, context, row)?, node(call, 2, context, row)?);
    for (name, child) in [("child1", &first), ("child2", &second)] {
        if let Some(child) = child.as_ref().filter(|child| !child.is_child_of(&parent)) {
            let why = format!(
                "SqlHierarchyId.GetDescendant failed because '{name}' must be a child of 'this'.  '{name}' was '{child}' and \
                 'this' was '{parent}'."
            );
            return Err(hierarchy::failure(24008, &why, SIGNATURE));
        }
    }
    if let (Some(first), Some(second)) = (&first, &second)
        && hierarchy::write(first)? >= hierarchy::write(second)?
    {
        let why = format!(
            "SqlHierarchyId.GetDescendant failed because 'child1' must be less than 'child2'.  'child1' was '{first}' and \
             'child2' was '{second}'."
        );
        return Err(hierarchy::failure(24006, &why, SIGNATURE));
    }
    value(&parent.child_between(first.as_ref(), second.as_ref()))
}

fn is_descendant<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let (node, parent) = (node(call, 0, context, row)?, node(call, 1, context, row)?);
    Ok(match (node, parent) {
        (Some(node), Some(parent)) => Value::I64(i64::from(node.is_descendant_of(&parent))),
        _ => Value::Null,
    })
}

fn reparented<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let (own, old, new) = (node(call, 0, context, row)?, node(call, 1, context, row)?, node(call, 2, context, row)?);
    let (Some(own), Some(old), Some(new)) = (own, old, new) else { return Ok(Value::Null) };
    let moved = own.reparented(&old, &new).ok_or_else(|| {
        let why = format!(
            "SqlHierarchyId.GetReparentedValue failed because 'oldRoot' was not an ancestor node of 'this'.  'oldRoot' was \
             '{old}', and 'this' was '{own}'."
        );
        hierarchy::failure(24009, &why, "GetReparentedValue(SqlHierarchyId oldRoot, SqlHierarchyId newRoot)")
    })?;
    value(&moved)
}
