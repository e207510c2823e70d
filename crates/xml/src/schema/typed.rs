//! Values of the nodes of documents that know their nodes' types.

use types::SqlResult;

use super::builtin::{BUILTINS, Primitive};
use super::component::{Schema, TypeId, Variety};
use super::facet;
use super::value::Value;
use crate::atomic::{Atomic, AtomicType, Base};
use crate::document::{Document, Kind};
use crate::meter::Meter;

/// The schema that a document was validated by.
pub fn schema_of(document: &Document) -> Option<&Schema> {
    document.annotations().and_then(|annotations| annotations.schema.downcast_ref::<Schema>())
}

/// The built-in atomic type of a type's values, as XQuery names it.
pub fn atomic_type(schema: &Schema, ty: TypeId) -> Option<AtomicType> {
    let simple = schema.simple_id(ty)?;
    let primitive = match &schema.simple(simple)?.variety {
        Variety::Atomic(primitive) => *primitive,
        Variety::List(item) => return atomic_type(schema, *item),
        Variety::Union(_) => return Some(AtomicType { name: "xdt:anyAtomicType", base: Base::Untyped }),
        Variety::AnySimple => return Some(AtomicType { name: "xdt:anySimpleType", base: Base::Untyped }),
    };
    let builtin = schema.builtin(simple);
    let base = match primitive {
        Primitive::Text | Primitive::Token(_) => Base::Text,
        Primitive::Boolean => Base::Boolean,
        Primitive::Decimal => Base::Decimal,
        Primitive::Integer(..) => Base::Integer,
        Primitive::Float => Base::Float,
        Primitive::Double => Base::Double,
        Primitive::Hex | Primitive::Base64 | Primitive::QName => Base::Other,
        _ => Base::Moment,
    };
    Some(AtomicType { name: BUILTINS[builtin as usize].shown, base })
}

/// The typed value of a node. None: it has none, its value is its text.
pub fn atoms(document: &Document, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<Option<Vec<Atomic>>> {
    let Some(annotations) = document.annotations() else { return Ok(None) };
    let Some(schema) = schema_of(document) else { return Ok(None) };
    let element = if document.kind(node) == Kind::Text { document.parent(node).unwrap_or(0) } else { node };
    let Some(simple) = annotations.ty(element).and_then(|ty| schema.simple_id(ty)) else { return Ok(None) };
    if element == node && annotations.nil.contains(&node) {
        return Ok(Some(Vec::new()));
    }
    let text = document.string(node, meter)?;
    let lookup = |id: TypeId| schema.simple(id);
    let Some((value, of)) = facet::parse_with(&lookup, simple, &text, meter)? else { return Ok(None) };
    let mut out = Vec::new();
    let ty = match &schema.simple(of).expect("it is simple").variety {
        Variety::List(item) => *item,
        _ => of,
    };
    match value {
        Value::List(items) => {
            meter.hold(items.len() * size_of::<Atomic>())?;
            out.extend(items.into_iter().map(|item| atom(schema, ty, item)));
        }
        value => out.push(atom(schema, ty, value)),
    }
    Ok(Some(out))
}

fn atom(schema: &Schema, ty: TypeId, value: Value) -> Atomic {
    match value {
        Value::Boolean(value) => Atomic::Boolean(value),
        Value::Exact(number) => number,
        Value::Float(number) => Atomic::Float(number),
        Value::Double(number) => Atomic::Double(number),
        Value::Text(text) => match atomic_type(schema, ty).map(|ty| ty.base) {
            Some(Base::Text) => Atomic::Text(text),
            Some(Base::Other) => Atomic::Typed(atomic_type(schema, ty).expect("just asked"), text),
            _ => Atomic::Untyped(text),
        },
        other => {
            let text: Box<str> = other.canonical().into();
            match atomic_type(schema, ty) {
                Some(ty) => Atomic::Typed(ty, text),
                None => Atomic::Untyped(text),
            }
        }
    }
}
