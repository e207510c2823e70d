//! Types as they are written: what they are derived from and how, and the attributes of complex ones.

use types::{SqlResult, sql_error};

use super::builtin::{self, ANY_TYPE, ID, IDREF};
use super::compile::{Compiler, Space};
use super::component::{
    AttributeUse, Body, Complex, Content, Derivation, Facets, Namespaces, Process, QName, Simple, TypeDef, TypeId,
    Variety, WhiteSpace, Wildcard, derivations,
};
use crate::meter::Meter;

impl Compiler<'_> {
    fn type_name(&self, node: u32, source: usize) -> Option<QName> {
        let target = &self.sources[source].target;
        self.attribute(node, "name").map(|local| QName::new(target, local))
    }

    /// The type that `attribute` names or the simpleType in `node` is, resolved. 2358, 2316.
    fn referred(
        &mut self,
        node: u32,
        source: usize,
        attribute: &'static str,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Option<TypeId>> {
        let inner = self.child(node, "simpleType");
        let id = match (self.attribute(node, attribute), inner) {
            (Some(_), Some(_)) => return Err(sql_error!(2358, "", self.location(node))),
            (Some(written), None) => {
                let name = self.resolve(node, written)?;
                self.named_type(&name)?
            }
            (None, Some(inner)) => self.allocate(inner, source),
            (None, None) => return Ok(None),
        };
        self.ensure(id, meter)?;
        Ok(Some(id))
    }

    fn as_simple(&self, id: TypeId) -> Option<&Simple> {
        match &self.resolved(id).body {
            Body::Simple(simple) => Some(simple),
            Body::Complex(_) => None,
        }
    }

    /// Whether a type is that built-in one, or derived from it.
    pub(super) fn comes_from(&self, id: TypeId, builtin: TypeId) -> bool {
        let mut at = id;
        loop {
            if at == builtin {
                return true;
            }
            let base = self.resolved(at).base;
            if base == at {
                return false;
            }
            at = base;
        }
    }

    /// 6943
    fn not_final(&self, base: TypeId, how: u8, node: u32) -> SqlResult<()> {
        if self.resolved(base).finals & how != 0 { Err(sql_error!(6943, self.shown_type(node))) } else { Ok(()) }
    }

    pub(super) fn simple_type(&mut self, node: u32, source: usize, meter: &mut Meter<'_, '_>) -> SqlResult<TypeDef> {
        let Some(&child) = self.children(node).first() else {
            return Err(sql_error!(2327, "", "simpleType"));
        };
        let shown = self.shown_type(node);
        let (base, derivation, simple) = match self.local(child) {
            "restriction" => {
                let Some(base) = self.referred(child, source, "base", meter)? else {
                    return Err(sql_error!(2316, "", self.location(child)));
                };
                let Some(simple) = self.as_simple(base).cloned() else {
                    let name = self.attribute(child, "base").unwrap_or_default().to_owned();
                    return Err(sql_error!(2317, "", name, "restriction"));
                };
                self.not_final(base, derivations::RESTRICTION, node)?;
                match simple.variety {
                    Variety::AnySimple => return Err(sql_error!(2361, "")),
                    Variety::Union(_) => return Err(sql_error!(6910, shown)),
                    Variety::Atomic(builtin::Primitive::QName) => return Err(sql_error!(2276, "")),
                    _ => {}
                }
                let simple = self.restricted(child, base, &simple, meter)?;
                if let Variety::List(item) = simple.variety
                    && matches!(
                        self.as_simple(item).map(|item| &item.variety),
                        Some(Variety::Atomic(builtin::Primitive::QName))
                    )
                    && (!simple.facets.patterns.is_empty() || simple.facets.enumeration.is_some())
                {
                    return Err(sql_error!(6902, shown));
                }
                (base, Derivation::Restriction, simple)
            }
            "list" => {
                let Some(item) = self.referred(child, source, "itemType", meter)? else {
                    return Err(sql_error!(2393, "", self.location(child)));
                };
                let Some(simple) = self.as_simple(item) else {
                    return Err(sql_error!(2367, "", self.location(child)));
                };
                let of_lists = match &simple.variety {
                    Variety::List(_) => true,
                    Variety::Union(members) => {
                        let is_list =
                            |id: &TypeId| matches!(self.as_simple(*id), Some(Simple { variety: Variety::List(_), .. }));
                        members.iter().any(is_list)
                    }
                    _ => false,
                };
                if of_lists || self.comes_from(item, ID) {
                    return Err(sql_error!(6978, shown));
                }
                self.not_final(item, derivations::LIST, node)?;
                let simple = Simple {
                    variety: Variety::List(item),
                    white_space: WhiteSpace::Collapse,
                    facets: Facets::default(),
                };
                (builtin::ANY_SIMPLE, Derivation::List, simple)
            }
            "union" => (builtin::ANY_SIMPLE, Derivation::Union, self.union(child, source, &shown, meter)?),
            other => return Err(sql_error!(2297, "", other, self.location(child))),
        };
        let finals = self.derivation_set(node, "final")?.unwrap_or(self.sources[source].finals);
        Ok(TypeDef {
            name: self.type_name(node, source),
            base,
            derivation,
            is_abstract: false,
            block: 0,
            finals,
            body: Body::Simple(simple),
        })
    }

    /// Members that are unions are what they consist of. 2339, 6903, 6977.
    fn union(&mut self, node: u32, source: usize, shown: &str, meter: &mut Meter<'_, '_>) -> SqlResult<Simple> {
        let mut members: Vec<TypeId> = Vec::new();
        for written in self.attribute(node, "memberTypes").unwrap_or("").split_ascii_whitespace() {
            let name = self.resolve(node, written)?;
            members.push(self.named_type(&name)?);
        }
        for inner in self.children(node) {
            members.push(self.allocate(inner, source));
        }
        if members.is_empty() {
            return Err(sql_error!(2339, "", self.location(node)));
        }
        let mut flat: Vec<TypeId> = Vec::new();
        for member in members {
            self.ensure(member, meter)?;
            self.not_final(member, derivations::UNION, node)?;
            let Some(simple) = self.as_simple(member) else {
                let name = self.resolved(member).name.as_ref().map_or_else(String::new, |name| name.local.to_string());
                return Err(sql_error!(6977, name, shown));
            };
            let of_qnames = match &simple.variety {
                Variety::Atomic(primitive) => *primitive == builtin::Primitive::QName,
                Variety::List(item) => {
                    let item = self.as_simple(*item).map(|item| &item.variety);
                    item == Some(&Variety::Atomic(builtin::Primitive::QName))
                }
                _ => false,
            };
            if of_qnames || self.comes_from(member, ID) {
                return Err(sql_error!(6903, shown));
            }
            match &simple.variety {
                Variety::Union(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(member),
            }
            meter.hold(flat.len() * 4)?;
            self.count(meter)?;
        }
        Ok(Simple { variety: Variety::Union(flat), white_space: WhiteSpace::Preserve, facets: Facets::default() })
    }

    pub(super) fn complex_type(
        &mut self,
        id: TypeId,
        node: u32,
        source: usize,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<TypeDef> {
        let mixed = self.flag(node, "mixed")?;
        let first = self.children(node).first().copied();
        let (base, derivation, complex) = match first.map(|child| self.local(child)) {
            Some("simpleContent") => self.simple_content(first.expect("it is there"), source, meter)?,
            Some("complexContent") => self.complex_content(id, first.expect("it is there"), source, mixed, meter)?,
            _ => {
                let (attributes, any_attribute) = self.attribute_uses(node, source, meter)?;
                self.content(id, node, source, None, meter)?;
                let complex = Complex { attributes, any_attribute, content: Content::Empty, mixed };
                (ANY_TYPE, Derivation::Restriction, complex)
            }
        };
        let ids = |attribute: &&AttributeUse| {
            let ty = self.attributes[attribute.attribute as usize].ty;
            self.types[ty as usize].is_some() && self.comes_from(ty, ID)
        };
        if complex.attributes.iter().filter(ids).count() > 1 {
            return Err(sql_error!(6970, self.shown_type(node)));
        }
        let (block, finals) = (self.sources[source].block, self.sources[source].finals);
        Ok(TypeDef {
            name: self.type_name(node, source),
            base,
            derivation,
            is_abstract: self.flag(node, "abstract")?,
            block: self.derivation_set(node, "block")?.unwrap_or(block),
            finals: self.derivation_set(node, "final")?.unwrap_or(finals),
            body: Body::Complex(complex),
        })
    }

    /// The restriction or extension in a node and the type that it names. 2316, 2327.
    fn derived_from(&mut self, node: u32, meter: &mut Meter<'_, '_>) -> SqlResult<(u32, Derivation, TypeId)> {
        let Some(&inner) = self.children(node).first() else {
            return Err(sql_error!(2327, "", self.local(node)));
        };
        let Some(written) = self.attribute(inner, "base") else {
            return Err(sql_error!(2316, "", self.location(inner)));
        };
        let name = self.resolve(inner, written)?;
        let base = self.named_type(&name)?;
        self.ensure(base, meter)?;
        let (derivation, how) = match self.local(inner) {
            "extension" => (Derivation::Extension, derivations::EXTENSION),
            _ => (Derivation::Restriction, derivations::RESTRICTION),
        };
        self.not_final(base, how, node)?;
        Ok((inner, derivation, base))
    }

    /// 6942, 6968, 6995, 2292, 2368.
    fn simple_content(
        &mut self,
        node: u32,
        source: usize,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<(TypeId, Derivation, Complex)> {
        let (inner, derivation, base) = self.derived_from(node, meter)?;
        let shown = self.shown_type(node);
        if self
            .children(inner)
            .iter()
            .any(|child| matches!(self.local(*child), "group" | "all" | "choice" | "sequence"))
        {
            return Err(sql_error!(2368, "", self.location(inner)));
        }
        let base_body = &self.resolved(base).body;
        let (mut content, inherited, any) = match base_body {
            Body::Simple(_) if derivation == Derivation::Extension => (Some(base), Vec::new(), None),
            Body::Simple(_) => return Err(sql_error!(6968, shown)),
            Body::Complex(Complex { content: Content::Simple(simple), attributes, any_attribute, .. }) => {
                (Some(*simple), attributes.clone(), any_attribute.clone())
            }
            Body::Complex(Complex { mixed: true, attributes, any_attribute, .. })
                if derivation == Derivation::Restriction && base != ANY_TYPE =>
            {
                (None, attributes.clone(), any_attribute.clone())
            }
            Body::Complex(_) => return Err(sql_error!(6942, shown)),
        };
        if derivation == Derivation::Restriction {
            let of = match self.child(inner, "simpleType") {
                Some(own) => {
                    let own = self.allocate(own, source);
                    self.ensure(own, meter)?;
                    own
                }
                None => content.ok_or_else(|| sql_error!(2292, "", self.location(inner)))?,
            };
            let simple = self.as_simple(of).cloned().ok_or_else(|| sql_error!(6942, shown.clone()))?;
            let facets = self.children(inner).into_iter().any(|child| super::grammar::is_facet(self.local(child)));
            content = Some(if facets {
                if matches!(simple.variety, Variety::Union(_)) {
                    return Err(sql_error!(6910, shown));
                }
                let simple = self.restricted(inner, of, &simple, meter)?;
                self.add_type(TypeDef {
                    name: None,
                    base: of,
                    derivation: Derivation::Restriction,
                    is_abstract: false,
                    block: 0,
                    finals: 0,
                    body: Body::Simple(simple),
                })
            } else {
                of
            });
        }
        let content = content.expect("a simple type was found");
        if derivation == Derivation::Extension && (self.comes_from(content, ID) || self.comes_from(content, IDREF)) {
            return Err(sql_error!(6995, shown));
        }
        let (attributes, any_attribute) = self.attribute_uses(inner, source, meter)?;
        let (attributes, any_attribute) =
            self.inherit(derivation, (attributes, any_attribute), (inherited, any), &shown, meter)?;
        let complex = Complex { attributes, any_attribute, content: Content::Simple(content), mixed: false };
        Ok((base, derivation, complex))
    }

    /// 2237, 6941, 6967.
    fn complex_content(
        &mut self,
        id: TypeId,
        node: u32,
        source: usize,
        mixed: bool,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<(TypeId, Derivation, Complex)> {
        let (inner, derivation, base) = self.derived_from(node, meter)?;
        let shown = self.shown_type(node);
        let mixed = if self.has(node, "mixed") { self.flag(node, "mixed")? } else { mixed };
        let Body::Complex(complex) = &self.resolved(base).body else { return Err(sql_error!(6941, shown)) };
        if let Content::Simple(_) = complex.content {
            return Err(sql_error!(6941, shown));
        }
        let (inherited, any, base_mixed) = (complex.attributes.clone(), complex.any_attribute.clone(), complex.mixed);
        if derivation == Derivation::Extension && base == ANY_TYPE {
            return Err(sql_error!(2237, ""));
        }
        let has_content = self.particles.contains_key(&base) || base_mixed;
        let differs = match derivation {
            Derivation::Extension => has_content && base_mixed != mixed,
            _ => mixed && !base_mixed,
        };
        if differs {
            return Err(sql_error!(6967, shown));
        }
        let before = if derivation == Derivation::Extension { self.particles.get(&base).cloned() } else { None };
        self.content(id, inner, source, before, meter)?;
        let own = self.attribute_uses(inner, source, meter)?;
        let (attributes, any_attribute) =
            if base == ANY_TYPE { own } else { self.inherit(derivation, own, (inherited, any), &shown, meter)? };
        Ok((base, derivation, Complex { attributes, any_attribute, content: Content::Empty, mixed }))
    }

    /// Attributes of a type and of its base. 6971 to 6976.
    fn inherit(
        &mut self,
        derivation: Derivation,
        own: (Vec<AttributeUse>, Option<Wildcard>),
        inherited: (Vec<AttributeUse>, Option<Wildcard>),
        shown: &str,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<(Vec<AttributeUse>, Option<Wildcard>)> {
        let (own, own_any) = own;
        let (inherited, base_any) = inherited;
        let named: std::collections::HashMap<QName, usize> = inherited
            .iter()
            .enumerate()
            .map(|(at, known)| (self.attributes[known.attribute as usize].name.clone(), at))
            .collect();
        let mut all = inherited;
        let mut removed = std::collections::HashSet::new();
        for attribute in own {
            self.count(meter)?;
            let declared = &self.attributes[attribute.attribute as usize];
            let (name, ty) = (declared.name.clone(), declared.ty);
            let local = name.local.to_string();
            let Some(&at) = named.get(&name) else {
                if derivation == Derivation::Restriction {
                    if attribute.prohibited {
                        return Err(sql_error!(6920, shown, local));
                    }
                    if !base_any.as_ref().is_some_and(|any| any.admits(&name.uri)) {
                        return Err(sql_error!(6971, shown, local));
                    }
                }
                if !attribute.prohibited {
                    all.push(attribute);
                }
                continue;
            };
            if derivation == Derivation::Extension {
                return Err(sql_error!(6976, local, shown));
            }
            let before = all[at].clone();
            let before_type = self.attributes[before.attribute as usize].ty;
            if before.required && (attribute.prohibited || !attribute.required) {
                return Err(sql_error!(6973, local, shown));
            }
            if attribute.prohibited {
                removed.insert(at);
                continue;
            }
            self.ensure(ty, meter)?;
            self.ensure(before_type, meter)?;
            if !self.comes_from(ty, before_type) {
                return Err(sql_error!(6972, local, shown));
            }
            if let Some(fixed) = before.constraint.as_ref().filter(|constraint| constraint.fixed)
                && !attribute.constraint.as_ref().is_some_and(|own| own.fixed && own.text == fixed.text)
            {
                return Err(sql_error!(6975, local, shown));
            }
            all[at] = attribute;
        }
        let mut at = 0;
        all.retain(|_| {
            at += 1;
            !removed.contains(&(at - 1))
        });
        let any = match derivation {
            Derivation::Extension => match (own_any, base_any) {
                (Some(own), Some(base)) => {
                    Some(Wildcard { namespaces: union_of(own.namespaces, base.namespaces), ..own })
                }
                (own, base) => own.or(base),
            },
            _ => {
                if let Some(own) = &own_any {
                    let fits = base_any.as_ref().is_some_and(|base| {
                        own.process >= base.process && is_subset(&own.namespaces, &base.namespaces)
                    });
                    if !fits {
                        return Err(sql_error!(6994, shown));
                    }
                }
                own_any
            }
        };
        Ok((all, any))
    }

    /// The attributes that a node lists, those of groups among them. 2310, 2311.
    fn attribute_uses(
        &mut self,
        node: u32,
        source: usize,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<(Vec<AttributeUse>, Option<Wildcard>)> {
        let (mut uses, mut any) = (Vec::new(), None);
        self.gather(node, source, &mut uses, &mut any, meter)?;
        let mut seen = std::collections::HashSet::new();
        for attribute in &uses {
            let name = &self.attributes[attribute.attribute as usize].name;
            if !seen.insert(name) {
                let shown = self.shown_type(node);
                return Err(match shown.is_empty() {
                    true => sql_error!(2310, "", name.local),
                    false => sql_error!(2311, "", name.local, shown),
                });
            }
        }
        Ok((uses, any))
    }

    fn gather(
        &mut self,
        node: u32,
        source: usize,
        uses: &mut Vec<AttributeUse>,
        any: &mut Option<Wildcard>,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<()> {
        meter.deeper()?;
        self.enter()?;
        for child in self.children(node) {
            match self.local(child) {
                "attribute" => uses.push(self.attribute_use(child, source, meter)?),
                "anyAttribute" => {
                    let own = self.wildcard(child, source)?;
                    let process = own.process;
                    *any = Some(match any.take() {
                        Some(known) => Wildcard { namespaces: intersection(known.namespaces, own.namespaces), process },
                        None => own,
                    });
                }
                "attributeGroup" => {
                    let written = self.required(child, "ref")?;
                    let name = self.resolve(child, written)?;
                    let Some(&(group, group_source)) = self.names.get(&(Space::AttributeGroup, name.clone())) else {
                        return Err(Self::undefined(&name));
                    };
                    self.count(meter)?;
                    let mut inner = None;
                    self.gather(group, group_source, uses, &mut inner, meter)?;
                    if let Some(inner) = inner {
                        *any = Some(match any.take() {
                            Some(known) => Wildcard {
                                namespaces: intersection(known.namespaces, inner.namespaces),
                                process: known.process,
                            },
                            None => inner,
                        });
                    }
                }
                _ => {}
            }
        }
        self.leave();
        Ok(())
    }

    pub(super) fn check_attribute_group(&mut self, name: &QName, meter: &mut Meter<'_, '_>) -> SqlResult<()> {
        let &(node, source) = self.names.get(&(Space::AttributeGroup, name.clone())).expect("it was collected");
        self.attribute_uses(node, source, meter).map(drop)
    }

    /// 2313, 2360, 2387, 6993.
    fn attribute_use(&mut self, node: u32, source: usize, meter: &mut Meter<'_, '_>) -> SqlResult<AttributeUse> {
        let (mut required, mut prohibited) = (false, false);
        match self.attribute(node, "use") {
            None | Some("optional") => {}
            Some("required") => required = true,
            Some("prohibited") => prohibited = true,
            Some(other) => return Err(sql_error!(2313, "", "use", other)),
        }
        let mut constraint = self.constraint(node)?;
        let attribute = match self.attribute(node, "ref") {
            Some(written) => {
                if self.has(node, "name") {
                    return Err(sql_error!(2360, "", self.location(node)));
                }
                if self.has(node, "type") {
                    return Err(sql_error!(2387, "", self.location(node)));
                }
                let name = self.resolve(node, written)?;
                let number = self.global_attribute(&name, meter)?;
                let declared = self.attributes[number as usize].constraint.clone();
                let differs = |own: &super::component::Constraint| match &declared {
                    Some(known) => known.fixed && !(own.fixed && own.text == known.text),
                    None => false,
                };
                if constraint.as_ref().is_some_and(differs) {
                    return Err(sql_error!(6993, name.local));
                }
                constraint = constraint.or(declared);
                number
            }
            None => {
                let local = self.required(node, "name")?;
                let local = self.ncname(local)?;
                let qualified = match self.attribute(node, "form") {
                    Some(form) => form == "qualified",
                    None => self.sources[source].qualified_attributes,
                };
                let target = self.sources[source].target.clone();
                let name = QName::new(if qualified { &target } else { "" }, local);
                self.new_attribute(node, source, name, false, meter)?
            }
        };
        Ok(AttributeUse { attribute, required, prohibited, constraint })
    }

    /// `any`, `anyAttribute`. 2313.
    pub(super) fn wildcard(&mut self, node: u32, source: usize) -> SqlResult<Wildcard> {
        let target = &self.sources[source].target;
        let namespaces = match self.attribute(node, "namespace") {
            None | Some("##any") => Namespaces::Any,
            Some("##other") => Namespaces::Other(target.clone()),
            Some(list) => {
                let each = |uri: &str| match uri {
                    "##targetNamespace" => target.clone(),
                    "##local" => "".into(),
                    uri => uri.into(),
                };
                Namespaces::List(list.split_ascii_whitespace().map(each).collect())
            }
        };
        let process = match self.attribute(node, "processContents") {
            None | Some("strict") => Process::Strict,
            Some("lax") => Process::Lax,
            Some("skip") => Process::Skip,
            Some(other) => return Err(sql_error!(2313, "", "processContents", other)),
        };
        self.has_lax |= process != Process::Strict;
        Ok(Wildcard { namespaces, process })
    }
}

fn is_subset(a: &Namespaces, b: &Namespaces) -> bool {
    match (a, b) {
        (_, Namespaces::Any) => true,
        (Namespaces::List(list), b) => {
            let b = Wildcard { namespaces: b.clone(), process: Process::Strict };
            list.iter().all(|uri| b.admits(uri))
        }
        (a, b) => a == b,
    }
}

fn intersection(a: Namespaces, b: Namespaces) -> Namespaces {
    match (a, b) {
        (Namespaces::Any, other) | (other, Namespaces::Any) => other,
        (Namespaces::List(list), other) | (other, Namespaces::List(list)) => {
            let other = Wildcard { namespaces: other, process: Process::Strict };
            Namespaces::List(list.into_iter().filter(|uri| other.admits(uri)).collect())
        }
        (a, b) if a == b => a,
        // Neither of two namespaces, and not none: as near as a wildcard comes to it.
        (a, _) => a,
    }
}

fn union_of(a: Namespaces, b: Namespaces) -> Namespaces {
    match (a, b) {
        (Namespaces::List(mut a), Namespaces::List(b)) => {
            a.extend(b);
            Namespaces::List(a)
        }
        (a, b) if a == b => a,
        _ => Namespaces::Any,
    }
}
