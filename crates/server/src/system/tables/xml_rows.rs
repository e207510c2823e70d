//! What schema collections consist of, as their catalog views show it.
//! https://learn.microsoft.com/sql/relational-databases/system-catalog-views/xml-schemas-xml-type-system-catalog-views-transact-sql
//!
//! A component's number is its place among the components of all collections of the database, in the order of the collections.

use std::sync::Arc;

use exec::session::Session as State;
use types::SqlResult;
use xml::schema::builtin::{ANY_TYPE, BUILTINS};
use xml::schema::component::{
    Body, Complex, Constraint, Content, Derivation, Namespaces, Process, QName, Schema, TypeId, Variety, Wildcard,
    derivations,
};
use xml::schema::model::{Particle, Term, UNBOUNDED};

use crate::catalog::base::ObjectRow;
use crate::catalog::{Database, xml_collection};
use crate::session::host::SessionHost;
use crate::system::cell::{NamedRow, number, text};

/// Components of users' collections begin here; below are the built-in ones.
const FIRST: i32 = 65_536;

/// None: not a table of this family.
pub fn rows(host: &mut SessionHost, state: &mut State, db: &Database, name: &str) -> SqlResult<Option<Vec<NamedRow>>> {
    let Some(wanted) = name.strip_prefix("xml_schema_") else { return Ok(None) };
    let mut out = Vec::new();
    for collection in &collections(host, state, db)? {
        os::wait::maybe_yield();
        match wanted {
            "namespaces" => collection.namespaces(&mut out),
            "components" => collection.components(|_| true, &mut out),
            "types" => collection.components(|kind| "NZPSLUCK".contains(kind.kind), &mut out),
            "elements" => collection.components(|kind| kind.kind == 'E', &mut out),
            "attributes" => collection.components(|kind| kind.kind == 'A', &mut out),
            "model_groups" => collection.components(|kind| kind.kind == 'M', &mut out),
            "wildcards" => collection.components(|kind| "WV".contains(kind.kind), &mut out),
            "wildcard_namespaces" => collection.wildcard_namespaces(&mut out),
            "facets" => collection.facets(&mut out),
            "component_placements" => collection.placements(&mut out),
            _ => return Ok(None),
        }
    }
    Ok(Some(out))
}

/// What a component is, as `sys.xml_schema_components` says it.
struct Kind {
    symbol_space: char,
    kind: char,
}

struct Component<'s> {
    id: i32,
    kind: Kind,
    name: Option<&'s QName>,
    derivation: char,
    base: Option<i32>,
    scope: Option<i32>,
    /// Further columns of the views of its kind.
    more: NamedRow,
}

struct Collection {
    id: i32,
    schema: Arc<Schema>,
    /// The number of its first component.
    first: i32,
    /// Groups and wildcards of complex types, each with the type it is of.
    groups: Vec<(TypeId, Arc<Particle>)>,
    attribute_wildcards: Vec<TypeId>,
}

fn collections(host: &mut SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<Collection>> {
    let all: Vec<ObjectRow> = host.catalog_rows(state, db, |rows| rows.all())?;
    let mut numbers: Vec<u16> = all.iter().filter_map(xml_collection::number_of).collect();
    numbers.sort_unstable();
    let mut first = FIRST;
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        let schema = host.within(db.id, |host| {
            host.with_catalog(state, |catalog| sql::catalog::Catalog::xml_schema(catalog, number))
        })?;
        let mut groups = Vec::new();
        let mut attribute_wildcards = Vec::new();
        for id in BUILTINS.len() as TypeId..schema.types.len() as TypeId {
            if let Body::Complex(complex) = &schema.ty(id).body {
                if let Content::Elements(model) = &complex.content {
                    gather(id, &model.particle, &mut groups);
                }
                if complex.any_attribute.is_some() {
                    attribute_wildcards.push(id);
                }
            }
        }
        let own = schema.types.len() - BUILTINS.len() + schema.elements.len() + schema.attributes.len();
        let count = own + groups.len() + attribute_wildcards.len();
        found.push(Collection { id: xml_collection::id_of(number), schema, first, groups, attribute_wildcards });
        first = first.saturating_add(count as i32);
    }
    Ok(found)
}

/// Model groups and wildcards; what a type has from its base is written out in its own model.
fn gather(of: TypeId, particle: &Arc<Particle>, out: &mut Vec<(TypeId, Arc<Particle>)>) {
    match &particle.term {
        Term::Element(_) => {}
        Term::Any(_) => out.push((of, particle.clone())),
        Term::Sequence(list) | Term::Choice(list) | Term::All(list) => {
            out.push((of, particle.clone()));
            list.iter().for_each(|part| gather(of, part, out));
        }
    }
}

fn spelled(symbol: char) -> &'static str {
    match symbol {
        'T' => "TYPE",
        'E' => "ELEMENT",
        'M' => "MODEL-GROUP",
        'A' => "ATTRIBUTE",
        'G' => "ATTRIBUTE-GROUP",
        _ => "NONE",
    }
}

fn kind_name(kind: char) -> &'static str {
    match kind {
        'N' => "ANY_TYPE",
        'Z' => "ANY_SIMPLE_TYPE",
        'P' => "PRIMITIVE_TYPE",
        'S' => "SIMPLE_TYPE",
        'L' => "LIST_TYPE",
        'U' => "UNION_TYPE",
        'C' => "COMPLEX_SIMPLE_TYPE",
        'K' => "COMPLEX_TYPE",
        'E' => "ELEMENT",
        'M' => "MODEL_GROUP",
        'W' => "ELEMENT_WILDCARD",
        'A' => "ATTRIBUTE",
        'V' => "ATTRIBUTE_WILDCARD",
        _ => "ATTRIBUTE_GROUP",
    }
}

fn derivation_name(derivation: char) -> &'static str {
    match derivation {
        'X' => "EXTENSION",
        'R' => "RESTRICTION",
        'S' => "SUBSTITUTION",
        _ => "NONE",
    }
}

fn facet_kind(name: &str) -> (&'static str, &'static str) {
    match name {
        "length" => ("LG", "LENGTH"),
        "minLength" => ("LN", "MINIMUM_LENGTH"),
        "maxLength" => ("LX", "MAXIMUM_LENGTH"),
        "pattern" => ("PT", "PATTERN"),
        "enumeration" => ("EU", "ENUMERATION"),
        "minInclusive" => ("IN", "MINIMUM_INCLUSIVE_VALUE"),
        "maxInclusive" => ("IX", "MAXIMUM_INCLUSIVE_VALUE"),
        "minExclusive" => ("EN", "MINIMUM_EXCLUSIVE_VALUE"),
        "maxExclusive" => ("EX", "MAXIMUM_EXCLUSIVE_VALUE"),
        "totalDigits" => ("DT", "TOTAL_DIGITS"),
        "fractionDigits" => ("DF", "FRACTION_DIGITS"),
        _ => ("WS", "WHITESPACE_NORMALIZATION"),
    }
}

impl Collection {
    fn type_id(&self, ty: TypeId) -> i32 {
        match (ty as usize).checked_sub(BUILTINS.len()) {
            Some(own) => self.first + own as i32,
            None => ty as i32 + 1,
        }
    }

    fn own_types(&self) -> usize {
        self.schema.types.len() - BUILTINS.len()
    }

    fn element_id(&self, element: u32) -> i32 {
        self.first + self.own_types() as i32 + element as i32
    }

    fn attribute_id(&self, attribute: u32) -> i32 {
        self.element_id(self.schema.elements.len() as u32) + attribute as i32
    }

    fn group_id(&self, at: usize) -> i32 {
        self.attribute_id(self.schema.attributes.len() as u32) + at as i32
    }

    fn namespace_id(&self, uri: &str) -> i32 {
        self.schema.namespaces.iter().position(|known| &**known == uri).map_or(0, |at| at as i32 + 1)
    }

    fn namespaces(&self, out: &mut Vec<NamedRow>) {
        for (at, uri) in self.schema.namespaces.iter().enumerate() {
            out.push(vec![
                ("xml_collection_id", number(self.id)),
                ("name", text(uri)),
                ("xml_namespace_id", number(at as u64 + 1)),
            ]);
        }
    }

    fn components(&self, wanted: impl Fn(&Kind) -> bool, out: &mut Vec<NamedRow>) {
        let mut push = |component: Component<'_>| {
            if wanted(&component.kind) {
                out.push(self.row(component));
            }
        };
        for own in 0..self.own_types() {
            push(self.type_component((own + BUILTINS.len()) as TypeId));
        }
        for element in 0..self.schema.elements.len() as u32 {
            push(self.element_component(element));
        }
        for attribute in 0..self.schema.attributes.len() as u32 {
            push(self.attribute_component(attribute));
        }
        for (at, (of, particle)) in self.groups.iter().enumerate() {
            push(self.group_component(at, *of, particle));
        }
        for (at, of) in self.attribute_wildcards.iter().enumerate() {
            if let Body::Complex(Complex { any_attribute: Some(wildcard), .. }) = &self.schema.ty(*of).body {
                push(self.wildcard_component(self.group_id(self.groups.len() + at), 'V', *of, wildcard));
            }
        }
    }

    fn row(&self, component: Component<'_>) -> NamedRow {
        let Kind { symbol_space, kind } = component.kind;
        let mut row: NamedRow = vec![
            ("xml_component_id", number(component.id)),
            ("xml_collection_id", number(self.id)),
            ("xml_namespace_id", number(component.name.map_or(1, |name| self.namespace_id(&name.uri)))),
            ("is_qualified", component.name.is_some_and(|name| !name.uri.is_empty()).into()),
            ("symbol_space", text(&symbol_space.to_string())),
            ("symbol_space_desc", text(spelled(symbol_space))),
            ("kind", text(&kind.to_string())),
            ("kind_desc", text(kind_name(kind))),
            ("derivation", text(&component.derivation.to_string())),
            ("derivation_desc", text(derivation_name(component.derivation))),
        ];
        if let Some(name) = component.name {
            row.push(("name", text(&name.local)));
        }
        if let Some(base) = component.base {
            row.push(("base_xml_component_id", number(base)));
        }
        if let Some(scope) = component.scope {
            row.push(("scoping_xml_component_id", number(scope)));
        }
        row.extend(component.more);
        row
    }

    fn type_component(&self, id: TypeId) -> Component<'_> {
        let ty = self.schema.ty(id);
        let kind = match &ty.body {
            Body::Simple(simple) => match simple.variety {
                Variety::List(_) => 'L',
                Variety::Union(_) => 'U',
                _ => 'S',
            },
            Body::Complex(Complex { content: Content::Simple(_), .. }) => 'C',
            Body::Complex(_) => 'K',
        };
        let mixed = matches!(&ty.body, Body::Complex(complex) if complex.mixed);
        let has = |set: u8, bit: u8| set & bit != 0;
        Component {
            id: self.type_id(id),
            kind: Kind { symbol_space: if ty.name.is_some() { 'T' } else { 'N' }, kind },
            name: ty.name.as_ref(),
            derivation: match ty.derivation {
                Derivation::Restriction => 'R',
                Derivation::Extension => 'X',
                Derivation::List | Derivation::Union => 'N',
            },
            base: Some(self.type_id(ty.base)),
            scope: None,
            more: vec![
                ("is_abstract", ty.is_abstract.into()),
                ("allows_mixed_content", mixed.into()),
                ("is_extension_blocked", has(ty.block, derivations::EXTENSION).into()),
                ("is_restriction_blocked", has(ty.block, derivations::RESTRICTION).into()),
                ("is_final_extension", has(ty.finals, derivations::EXTENSION).into()),
                ("is_final_restriction", has(ty.finals, derivations::RESTRICTION).into()),
                ("is_final_list_member", has(ty.finals, derivations::LIST).into()),
                ("is_final_union_member", has(ty.finals, derivations::UNION).into()),
            ],
        }
    }

    fn element_component(&self, element: u32) -> Component<'_> {
        let declared = &self.schema.elements[element as usize];
        let has = |set: u8, bit: u8| set & bit != 0;
        let mut more: NamedRow = vec![
            ("is_default_fixed", declared.constraint.as_ref().is_some_and(|known| known.fixed).into()),
            ("is_abstract", declared.is_abstract.into()),
            ("is_nillable", declared.nillable.into()),
            ("must_be_qualified", (!declared.name.uri.is_empty()).into()),
            ("is_extension_blocked", has(declared.block, derivations::EXTENSION).into()),
            ("is_restriction_blocked", has(declared.block, derivations::RESTRICTION).into()),
            ("is_substitution_blocked", has(declared.block, derivations::SUBSTITUTION).into()),
            ("is_final_extension", has(declared.finals, derivations::EXTENSION).into()),
            ("is_final_restriction", has(declared.finals, derivations::RESTRICTION).into()),
        ];
        push_default(declared.constraint.as_ref(), &mut more);
        Component {
            id: self.element_id(element),
            kind: Kind { symbol_space: 'E', kind: 'E' },
            name: Some(&declared.name),
            derivation: if declared.head.is_some() { 'S' } else { 'N' },
            base: Some(self.type_id(declared.ty)),
            scope: if declared.global {
                None
            } else {
                self.scope_of(|term| matches!(term, Term::Element(at) if *at == element))
            },
            more,
        }
    }

    /// The type in whose content a term is.
    fn scope_of(&self, is: impl Fn(&Term) -> bool) -> Option<i32> {
        let holds = |particle: &Particle| match &particle.term {
            Term::Sequence(list) | Term::Choice(list) | Term::All(list) => list.iter().any(|part| is(&part.term)),
            _ => false,
        };
        self.groups.iter().find(|(_, particle)| holds(particle)).map(|(of, _)| self.type_id(*of))
    }

    fn attribute_component(&self, attribute: u32) -> Component<'_> {
        let declared = &self.schema.attributes[attribute as usize];
        let used = |id: &TypeId| match &self.schema.ty(*id).body {
            Body::Complex(complex) => complex.attributes.iter().any(|known| known.attribute == attribute),
            Body::Simple(_) => false,
        };
        let scope = (ANY_TYPE..self.schema.types.len() as TypeId).find(used);
        let mut more: NamedRow = vec![
            ("is_default_fixed", declared.constraint.as_ref().is_some_and(|known| known.fixed).into()),
            ("must_be_qualified", (!declared.name.uri.is_empty()).into()),
        ];
        push_default(declared.constraint.as_ref(), &mut more);
        Component {
            id: self.attribute_id(attribute),
            kind: Kind { symbol_space: 'A', kind: 'A' },
            name: Some(&declared.name),
            derivation: 'N',
            base: Some(self.type_id(declared.ty)),
            scope: if declared.global { None } else { scope.map(|of| self.type_id(of)) },
            more,
        }
    }

    fn group_component(&self, at: usize, of: TypeId, particle: &Particle) -> Component<'_> {
        let (compositor, spelled) = match &particle.term {
            Term::Any(wildcard) => return self.wildcard_component(self.group_id(at), 'W', of, wildcard),
            Term::All(_) => ("A", "XSD_ALL_GROUP"),
            Term::Choice(_) => ("C", "XSD_CHOICE_GROUP"),
            _ => ("S", "XSD_SEQUENCE_GROUP"),
        };
        Component {
            id: self.group_id(at),
            kind: Kind { symbol_space: 'N', kind: 'M' },
            name: None,
            derivation: 'N',
            base: None,
            scope: Some(self.type_id(of)),
            more: vec![("compositor", text(compositor)), ("compositor_desc", text(spelled))],
        }
    }

    fn wildcard_component(&self, id: i32, kind: char, of: TypeId, wildcard: &Wildcard) -> Component<'_> {
        let (process, spelled) = match wildcard.process {
            Process::Strict => ("S", "STRICT_VALIDATION"),
            Process::Lax => ("L", "LAX_VALIDATION"),
            Process::Skip => ("P", "SKIP_VALIDATION"),
        };
        Component {
            id,
            kind: Kind { symbol_space: 'N', kind },
            name: None,
            derivation: 'N',
            base: None,
            scope: Some(self.type_id(of)),
            more: vec![
                ("process_content", text(process)),
                ("process_content_desc", text(spelled)),
                ("disallow_namespaces", matches!(wildcard.namespaces, Namespaces::Other(_)).into()),
            ],
        }
    }

    fn wildcard_namespaces(&self, out: &mut Vec<NamedRow>) {
        let mut push = |id: i32, wildcard: &Wildcard| {
            let listed: Vec<&str> = match &wildcard.namespaces {
                Namespaces::Any => Vec::new(),
                Namespaces::Other(uri) => vec![uri],
                Namespaces::List(list) => list.iter().map(|uri| &**uri).collect(),
            };
            for uri in listed {
                out.push(vec![("xml_component_id", number(id)), ("namespace", text(uri))]);
            }
        };
        for (at, (_, particle)) in self.groups.iter().enumerate() {
            if let Term::Any(wildcard) = &particle.term {
                push(self.group_id(at), wildcard);
            }
        }
        for (at, of) in self.attribute_wildcards.iter().enumerate() {
            if let Body::Complex(Complex { any_attribute: Some(wildcard), .. }) = &self.schema.ty(*of).body {
                push(self.group_id(self.groups.len() + at), wildcard);
            }
        }
    }

    fn facets(&self, out: &mut Vec<NamedRow>) {
        for own in 0..self.own_types() {
            let id = (own + BUILTINS.len()) as TypeId;
            let Body::Simple(simple) = &self.schema.ty(id).body else { continue };
            for (at, (name, value, fixed)) in simple.facets.written.iter().enumerate() {
                let (kind, spelled) = facet_kind(name);
                out.push(vec![
                    ("xml_component_id", number(self.type_id(id))),
                    ("facet_id", number(at as u64 + 1)),
                    ("kind", text(kind)),
                    ("kind_desc", text(spelled)),
                    ("is_fixed", (*fixed).into()),
                    ("value", text(value)),
                ]);
            }
        }
    }

    /// Where components stand in types and groups.
    fn placements(&self, out: &mut Vec<NamedRow>) {
        let place =
            |of: i32, at: usize, placed: i32, min: u32, max: u32, constraint: Option<&Constraint>| -> NamedRow {
                let mut row: NamedRow = vec![
                    ("xml_component_id", number(of)),
                    ("placement_id", number(at as u64 + 1)),
                    ("placed_xml_component_id", number(placed)),
                    ("is_default_fixed", constraint.is_some_and(|known| known.fixed).into()),
                    ("min_occurrences", number(min)),
                    ("max_occurrences", number(if max == UNBOUNDED { i32::MAX } else { max as i32 })),
                ];
                push_default(constraint, &mut row);
                row
            };
        let of_particle = |particle: &Arc<Particle>, of: TypeId| match &particle.term {
            Term::Element(element) => Some(self.element_id(*element)),
            _ => {
                let own = |(at, known): &(usize, &(TypeId, Arc<Particle>))| {
                    known.0 == of && Arc::ptr_eq(&known.1, particle) && *at < self.groups.len()
                };
                self.groups.iter().enumerate().find(own).map(|(at, _)| self.group_id(at))
            }
        };
        for own in 0..self.own_types() {
            let id = (own + BUILTINS.len()) as TypeId;
            let Body::Complex(complex) = &self.schema.ty(id).body else { continue };
            let mut at = 0;
            if let Content::Elements(model) = &complex.content
                && let Some(placed) = of_particle(&model.particle, id)
            {
                out.push(place(self.type_id(id), at, placed, model.particle.min, model.particle.max, None));
                at += 1;
            }
            for known in complex.attributes.iter().filter(|known| !known.prohibited) {
                let placed = self.attribute_id(known.attribute);
                let min = u32::from(known.required);
                out.push(place(self.type_id(id), at, placed, min, 1, known.constraint.as_ref()));
                at += 1;
            }
        }
        for (group, (of, particle)) in self.groups.iter().enumerate() {
            os::wait::maybe_yield();
            let (Term::Sequence(list) | Term::Choice(list) | Term::All(list)) = &particle.term else { continue };
            for (at, part) in list.iter().enumerate() {
                if let Some(placed) = of_particle(part, *of) {
                    out.push(place(self.group_id(group), at, placed, part.min, part.max, None));
                }
            }
        }
    }
}

fn push_default(constraint: Option<&Constraint>, row: &mut NamedRow) {
    if let Some(constraint) = constraint {
        row.push(("default_value", text(&constraint.text)));
    }
}
