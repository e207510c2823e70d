//! The last part of compiling: what needs all types and elements at once, and the finished [`Schema`].

use std::collections::HashMap;
use std::sync::Arc;

use types::{SqlResult, sql_error};

use super::builtin::{self, ANY_TYPE, ID, IDREF};
use super::compile::Compiler;
use super::component::{Body, Complex, Constraint, Content, QName, Schema, TypeId, Variety, derivations};
use super::facet;
use super::model::{Fault, Model, Particle, Term};
use super::value::normalized;
use crate::meter::{Meter, NODE};

/// 2322, 6916, 6926, 6932, 6962, 6992, 6995, 6998, 6999.
pub(super) fn finish(compiler: Compiler<'_>, meter: &mut Meter<'_, '_>) -> SqlResult<Schema> {
    let Compiler { types, type_names, elements, element_names, attributes, attribute_names, particles, .. } = compiler;
    let is_group = |space: super::compile::Space| {
        matches!(space, super::compile::Space::Group | super::compile::Space::AttributeGroup)
    };
    let mut groups: Vec<(QName, bool)> = compiler
        .names
        .keys()
        .filter(|(space, _)| is_group(*space))
        .map(|(space, name)| (name.clone(), *space == super::compile::Space::AttributeGroup))
        .collect();
    groups.sort();
    let mut schema = Schema {
        namespaces: compiler.namespaces,
        types: types.into_iter().map(|ty| ty.expect("all types are resolved")).collect(),
        elements,
        attributes,
        global_elements: element_names,
        global_attributes: attribute_names,
        global_types: type_names,
        groups,
        has_lax: compiler.has_lax,
    };
    substitutions(&mut schema, meter)?;
    for element in &schema.elements {
        meter.spend(NODE)?;
        let local = element.name.local.to_string();
        if schema.is_of(element.ty, ID) || schema.is_of(element.ty, IDREF) {
            return Err(sql_error!(6995, local));
        }
        if let Some(constraint) = &element.constraint {
            element_constraint(&schema, element.ty, constraint, &local, particles.contains_key(&element.ty), meter)?;
        }
    }
    for attribute in &schema.attributes {
        meter.spend(NODE)?;
        if schema.is_complex(attribute.ty) {
            return Err(sql_error!(6955, attribute.name.local));
        }
        if let Some(constraint) = &attribute.constraint {
            let local = attribute.name.local.to_string();
            if schema.is_of(attribute.ty, ID) {
                return Err(sql_error!(6932, local));
            }
            simple_constraint(&schema, attribute.ty, constraint, &local, meter)?;
        }
    }
    for ty in 0..schema.types.len() {
        if let Body::Complex(complex) = &schema.types[ty].body {
            for attribute in &complex.attributes {
                let declared = &schema.attributes[attribute.attribute as usize];
                if let Some(constraint) = &attribute.constraint {
                    simple_constraint(&schema, declared.ty, constraint, &declared.name.local, meter)?;
                }
            }
        }
    }
    models(&mut schema, particles, meter)?;
    Ok(schema)
}

/// Which elements may stand for which. 2322, 2366.
fn substitutions(schema: &mut Schema, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
    for number in 0..schema.elements.len() {
        let mut at = schema.elements[number].head;
        let mut steps = 0;
        while let Some(head) = at {
            meter.spend(NODE)?;
            meter.hold(8)?;
            steps += 1;
            if head as usize == number || steps > schema.elements.len() {
                return Err(sql_error!(2366, "", schema.elements[number].name.local));
            }
            let (element, above) = (&schema.elements[number], &schema.elements[head as usize]);
            let Some(how) = schema.derived(element.ty, above.ty) else { return Err(sql_error!(2322, "")) };
            if steps == 1 && how & above.finals != 0 {
                return Err(sql_error!(2322, ""));
            }
            let blocked = above.block & (how | derivations::SUBSTITUTION) != 0;
            at = above.head;
            if !blocked {
                schema.elements[head as usize].substitutes.push(number as u32);
            }
        }
    }
    Ok(())
}

/// 6927, 6999.
fn simple_constraint(
    schema: &Schema,
    ty: TypeId,
    constraint: &Constraint,
    local: &str,
    meter: &mut Meter<'_, '_>,
) -> SqlResult<()> {
    let lookup = |id: TypeId| schema.simple(id);
    let Some(simple) = schema.simple(ty) else { return Ok(()) };
    if matches!(simple.variety, Variety::Atomic(builtin::Primitive::QName)) {
        return Err(sql_error!(6999, local));
    }
    match facet::parse_with(&lookup, ty, &constraint.text, meter)? {
        Some(_) => Ok(()),
        None => Err(sql_error!(6927, normalized(&constraint.text, simple.white_space))),
    }
}

/// 6962
fn element_constraint(
    schema: &Schema,
    ty: TypeId,
    constraint: &Constraint,
    local: &str,
    has_content: bool,
    meter: &mut Meter<'_, '_>,
) -> SqlResult<()> {
    if schema.simple(ty).is_some() {
        return simple_constraint(schema, ty, constraint, local, meter);
    }
    // Of mixed content that may be empty; whether it may is asked when there is a model.
    match &schema.ty(ty).body {
        Body::Complex(Complex { mixed: true, .. }) => Ok(()),
        _ if has_content || ty != ANY_TYPE => Err(sql_error!(6962, local)),
        _ => Ok(()),
    }
}

/// 6916, 6992, 6998.
fn models(
    schema: &mut Schema,
    mut particles: HashMap<TypeId, Arc<Particle>>,
    meter: &mut Meter<'_, '_>,
) -> SqlResult<()> {
    let anything =
        Particle { min: 0, max: super::model::UNBOUNDED, term: Term::Any(super::component::Wildcard::anything()) };
    particles.insert(ANY_TYPE, Arc::new(anything));
    for id in 0..schema.types.len() {
        let Body::Complex(complex) = &schema.types[id].body else { continue };
        if matches!(complex.content, Content::Simple(_)) {
            continue;
        }
        let particle = match particles.remove(&(id as TypeId)) {
            Some(particle) => particle,
            None if complex.mixed => Arc::new(Particle { min: 1, max: 1, term: Term::Sequence(Vec::new()) }),
            None => continue,
        };
        let shown = schema.ty(id as TypeId).name.as_ref().map_or_else(String::new, |name| name.local.to_string());
        let model = match Model::new(particle, &schema.elements, meter)? {
            Ok(model) => model,
            Err(Fault::TooLarge) => return Err(sql_error!(6998, shown)),
            Err(Fault::Ambiguous) => return Err(sql_error!(6916, shown)),
        };
        let mut known: HashMap<&QName, u32> = HashMap::new();
        for element in model.elements() {
            meter.spend(NODE)?;
            let declared = &schema.elements[element as usize];
            let other = *known.entry(&declared.name).or_insert(element);
            let other = &schema.elements[other as usize];
            let same = other.ty == declared.ty && other.nillable == declared.nillable;
            if !same {
                return Err(sql_error!(6992, shown, declared.name.local));
            }
        }
        meter.hold(model.size())?;
        if let Body::Complex(complex) = &mut schema.types[id].body {
            complex.content = Content::Elements(Arc::new(model));
        }
    }
    Ok(())
}
