//! What a schema document may be made of: which elements of XML Schema stand in which, and their attributes.

use types::{SqlResult, sql_error};

use super::builtin::SCHEMA;
use super::location::location;
use crate::document::{Document, Kind};
use crate::meter::{Meter, NODE};
use crate::read::is_space;

struct Rule {
    name: &'static str,
    attributes: &'static str,
    children: &'static str,
}

const FACETS: &str = "length minLength maxLength pattern enumeration whiteSpace maxInclusive maxExclusive minInclusive \
                      minExclusive totalDigits fractionDigits";

const fn rule(name: &'static str, attributes: &'static str, children: &'static str) -> Rule {
    Rule { name, attributes, children }
}

/// An annotation may stand in all of them, and an id on all.
const RULES: &[Rule] = &[
    rule(
        "schema",
        "targetNamespace version elementFormDefault attributeFormDefault blockDefault finalDefault",
        "import simpleType complexType element attribute group attributeGroup",
    ),
    rule("import", "namespace schemaLocation", ""),
    rule(
        "element",
        "name ref type minOccurs maxOccurs default fixed nillable abstract substitutionGroup block final form",
        "simpleType complexType",
    ),
    rule("attribute", "name ref type use default fixed form", "simpleType"),
    rule(
        "complexType",
        "name mixed abstract final block",
        "simpleContent complexContent group all choice sequence attribute attributeGroup anyAttribute",
    ),
    rule("simpleContent", "", "restriction extension"),
    rule("complexContent", "mixed", "restriction extension"),
    rule("extension", "base", "group all choice sequence attribute attributeGroup anyAttribute"),
    rule("restriction", "base", "simpleType group all choice sequence attribute attributeGroup anyAttribute"),
    rule("simpleType", "name final", "restriction list union"),
    rule("list", "itemType", "simpleType"),
    rule("union", "memberTypes", "simpleType"),
    rule("group", "name ref minOccurs maxOccurs", "all choice sequence"),
    rule("attributeGroup", "name ref", "attribute attributeGroup anyAttribute"),
    rule("all", "minOccurs maxOccurs", "element"),
    rule("choice", "minOccurs maxOccurs", "element group choice sequence any"),
    rule("sequence", "minOccurs maxOccurs", "element group choice sequence any"),
    rule("any", "namespace processContents minOccurs maxOccurs", ""),
    rule("anyAttribute", "namespace processContents", ""),
];

pub fn is_facet(name: &str) -> bool {
    FACETS.split_ascii_whitespace().any(|known| known == name)
}

/// A whole number, however large.
pub fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == name)
}

/// 2297, 2298, 2378, 2380, 2391, 9336.
pub fn check(document: &Document, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
    let mut roots = 0;
    for root in document.children(0) {
        let is_schema = document.kind(root) == Kind::Element
            && &*document.name(root).uri == SCHEMA
            && &*document.name(root).local == "schema";
        match document.kind(root) {
            Kind::Comment | Kind::Instruction => {}
            _ if is_schema => roots += 1,
            _ => return Err(sql_error!(2378, "")),
        }
    }
    if roots == 0 {
        return Err(sql_error!(2378, ""));
    }
    let mut at = 1;
    while at < document.count() {
        meter.spend(NODE)?;
        match document.kind(at) {
            Kind::Element => {
                let name = document.name(at);
                if &*name.uri == SCHEMA && &*name.local == "annotation" {
                    at = document.end(at);
                    continue;
                }
                element(document, at)?;
            }
            Kind::Text if !document.value(at).chars().all(is_space) => {
                let parent = document.parent(at).unwrap_or(0);
                return Err(sql_error!(2380, "", location(document, parent)));
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

fn element(document: &Document, node: u32) -> SqlResult<()> {
    let name = document.name(node);
    let invalid = |shown: &str| sql_error!(2297, "", shown, location(document, node));
    if &*name.uri != SCHEMA {
        return Err(invalid(&name.written()));
    }
    let parent = document.parent(node).unwrap_or(0);
    let local = &*name.local;
    if parent == 0 {
        return attributes(document, node, RULES[0].attributes);
    }
    let parent_name = &*document.name(parent).local;
    let fits = match RULES.iter().find(|rule| rule.name == parent_name) {
        Some(rule) => has(rule.children, local) || parent_name == "restriction" && is_facet(local),
        None => false,
    };
    if !fits {
        return Err(match (parent_name, local) {
            ("schema", "redefine") => sql_error!(2391, ""),
            ("schema", "include" | "notation") => sql_error!(9336, "", format_args!("<{}>", name.written())),
            ("element", "key" | "keyref" | "unique") => sql_error!(9336, "", local),
            _ => invalid(local),
        });
    }
    let known = RULES.iter().find(|rule| rule.name == local);
    attributes(document, node, known.map_or("value fixed", |rule| rule.attributes))
}

/// Those of other namespaces say nothing here.
fn attributes(document: &Document, node: u32, known: &str) -> SqlResult<()> {
    for attribute in document.attributes(node) {
        let name = document.name(attribute);
        let fits = has(known, &name.local) || &*name.local == "id";
        if name.uri.is_empty() && !fits || &*name.uri == SCHEMA {
            return Err(sql_error!(2298, "", name.written(), location(document, node)));
        }
    }
    Ok(())
}
