//! Facets: what a restriction says of a simple type's values, and whether a value satisfies it.

use std::cmp::Ordering;
use std::sync::Arc;

use types::{SqlResult, sql_error};

use super::builtin::Primitive;
use super::compile::{Compiler, VALUE_MAX};
use super::component::{Body, Facets, Simple, TypeId, Variety, WhiteSpace};
use super::grammar::is_facet;
use super::pattern::Pattern;
use super::value::{Value, normalized, words};
use crate::meter::Meter;

/// Digits of numbers before the point; behind it there are `FRACTION_DIGITS_MAX`.
const WHOLE_DIGITS_MAX: u32 = 28;
const FRACTION_MAX: u32 = crate::atomic::FRACTION_DIGITS_MAX as u32;

const NAMES: [&str; 12] = [
    "length",
    "minLength",
    "maxLength",
    "pattern",
    "enumeration",
    "whiteSpace",
    "maxInclusive",
    "maxExclusive",
    "minInclusive",
    "minExclusive",
    "totalDigits",
    "fractionDigits",
];

fn is_ordered(primitive: Primitive) -> bool {
    use Primitive::*;
    !matches!(primitive, Text | Boolean | Hex | Base64 | QName | Token(_))
}

/// 2319
fn applies(name: &str, variety: &Variety) -> bool {
    let Variety::Atomic(primitive) = variety else {
        return matches!(name, "pattern" | "enumeration")
            || matches!(variety, Variety::List(_)) && (name.ends_with("ength") || name == "whiteSpace");
    };
    match name {
        "pattern" | "whiteSpace" => true,
        "enumeration" => *primitive != Primitive::Boolean,
        "length" | "minLength" | "maxLength" => {
            use Primitive::*;
            matches!(primitive, Text | Token(_) | Hex | Base64 | QName)
        }
        "totalDigits" | "fractionDigits" => matches!(primitive, Primitive::Decimal | Primitive::Integer(..)),
        _ => is_ordered(*primitive),
    }
}

impl Compiler<'_> {
    /// What the facets in `node` make of `base`. 2299, 2319, 2320, 6944 to 6952, 6956, 6960, 6964, 6996.
    pub(super) fn restricted(
        &mut self,
        node: u32,
        base: TypeId,
        base_simple: &Simple,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Simple> {
        let mut simple = base_simple.clone();
        simple.facets.written = Vec::new();
        let type_name = self.shown_type(node);
        let shown = || type_name.clone();
        let mut patterns: Vec<Arc<Pattern>> = Vec::new();
        let mut enumeration: Vec<Value> = Vec::new();
        let mut seen: Vec<&'static str> = Vec::new();
        let mut attributes_seen = false;
        for child in self.children(node) {
            let local = self.local(child);
            if !is_facet(local) {
                attributes_seen |= local != "simpleType";
                continue;
            }
            self.count(meter)?;
            let name = NAMES.iter().find(|known| **known == local).expect("it is a facet");
            if attributes_seen {
                return Err(sql_error!(2321, "", *name, self.location(child)));
            }
            if !applies(name, &simple.variety) {
                return Err(sql_error!(2319, "", *name, self.location(child)));
            }
            if !matches!(*name, "pattern" | "enumeration") && seen.contains(name) {
                return Err(sql_error!(2320, "", *name, self.location(child)));
            }
            seen.push(name);
            let document = self.document;
            let raw = document.attributes(child).find(|at| &*document.name(*at).local == "value");
            let Some(raw) = raw.map(|at| document.value(at)) else {
                return Err(sql_error!(2299, "", "value", *name));
            };
            if raw.chars().count() > VALUE_MAX {
                return Err(sql_error!(6964, raw.chars().take(100).collect::<String>()));
            }
            let fixed = self.flag(child, "fixed")?;
            let before = self.types[base as usize].as_ref();
            let was_fixed = before.is_some_and(|before| match &before.body {
                Body::Simple(Simple { facets, .. }) => {
                    facets.written.iter().any(|(known, text, fixed)| known == name && *fixed && **text != *raw)
                }
                Body::Complex(_) => false,
            });
            if was_fixed {
                return Err(sql_error!(6956, shown(), *name));
            }
            let invalid = || sql_error!(6945, *name, shown());
            let number = || raw.trim().parse::<u32>().map_err(|_| invalid());
            let facets = &mut simple.facets;
            let mut looser = false;
            match *name {
                "length" => {
                    let value = number()?;
                    looser = facets.length.is_some_and(|known| known != value)
                        || facets.min_length.is_some_and(|least| value < least)
                        || facets.max_length.is_some_and(|most| value > most);
                    facets.length = Some(value);
                }
                "minLength" => {
                    let value = number()?;
                    looser = facets.min_length.is_some_and(|known| known > value);
                    facets.min_length = Some(value);
                }
                "maxLength" => {
                    let value = number()?;
                    looser = facets.max_length.is_some_and(|known| known < value);
                    facets.max_length = Some(value);
                }
                "totalDigits" => {
                    let value = number()?;
                    if value == 0 {
                        return Err(invalid());
                    }
                    if value > WHOLE_DIGITS_MAX + FRACTION_MAX {
                        return Err(sql_error!(6960, shown()));
                    }
                    looser = facets.total_digits.is_some_and(|known| known < value);
                    facets.total_digits = Some(value);
                }
                "fractionDigits" => {
                    let value = number()?;
                    if value > FRACTION_MAX {
                        return Err(sql_error!(6960, shown()));
                    }
                    let whole = matches!(simple.variety, Variety::Atomic(Primitive::Integer(..)));
                    looser = facets.fraction_digits.is_some_and(|known| known < value) || whole && value > 0;
                    facets.fraction_digits = Some(value);
                }
                "whiteSpace" => {
                    let wanted = match raw.trim() {
                        "preserve" => WhiteSpace::Preserve,
                        "replace" => WhiteSpace::Replace,
                        "collapse" => WhiteSpace::Collapse,
                        _ => return Err(invalid()),
                    };
                    looser = wanted < simple.white_space;
                    simple.white_space = wanted;
                }
                "pattern" => patterns.push(Arc::new(Pattern::parse(raw).ok_or_else(invalid)?)),
                "enumeration" => {
                    let value = self.value_of(base, raw, meter)?.ok_or_else(invalid)?;
                    meter.hold(raw.len() + 64)?;
                    enumeration.push(value);
                }
                _ => {
                    let value = match &base_simple.variety {
                        Variety::Atomic(primitive) => Value::parse(*primitive, raw.trim()).ok_or_else(invalid)?,
                        _ => return Err(invalid()),
                    };
                    looser = !within_bounds(&base_simple.facets, &value, name.ends_with("Inclusive"));
                    match *name {
                        "minInclusive" => facets.min_inclusive = Some(value),
                        "maxInclusive" => facets.max_inclusive = Some(value),
                        "minExclusive" => facets.min_exclusive = Some(value),
                        _ => facets.max_exclusive = Some(value),
                    }
                }
            }
            if looser {
                return Err(sql_error!(6944, shown(), *name));
            }
            simple.facets.written.push((name, raw.into(), fixed));
        }
        if !patterns.is_empty() {
            simple.facets.patterns.push(patterns);
        }
        if !enumeration.is_empty() {
            simple.facets.enumeration = Some(enumeration.into());
        }
        // What the step says replaces the other kind of the same bound.
        let says = |name: &str| seen.contains(&name);
        if says("minInclusive") && says("minExclusive") || says("maxInclusive") && says("maxExclusive") {
            return Err(sql_error!(6996, shown()));
        }
        consistent(&simple.facets, &shown())?;
        Ok(simple)
    }

    /// A text as a value of a resolved simple type. None: it is none.
    fn value_of(&self, id: TypeId, text: &str, meter: &mut Meter<'_, '_>) -> SqlResult<Option<Value>> {
        let lookup = |id: TypeId| match &self.types[id as usize].as_ref()?.body {
            Body::Simple(simple) => Some(simple),
            Body::Complex(_) => None,
        };
        Ok(parse_with(&lookup, id, text, meter)?.map(|(value, _)| value))
    }
}

/// 6946, 6948 to 6952.
fn consistent(facets: &Facets, shown: &str) -> SqlResult<()> {
    let above = |a: Option<u32>, b: Option<u32>| a.zip(b).is_some_and(|(a, b)| a > b);
    if above(facets.min_length, facets.max_length) {
        return Err(sql_error!(6946, shown));
    }
    if above(facets.min_length, facets.length) {
        return Err(sql_error!(6948, shown));
    }
    if above(facets.length, facets.max_length) {
        return Err(sql_error!(6949, shown));
    }
    if above(facets.fraction_digits, facets.total_digits) {
        return Err(sql_error!(6950, shown));
    }
    let order = |a: &Option<Value>, b: &Option<Value>| a.as_ref().zip(b.as_ref()).and_then(|(a, b)| a.compare(b));
    use Ordering::*;
    if order(&facets.min_inclusive, &facets.max_inclusive) == Some(Greater)
        || matches!(order(&facets.min_inclusive, &facets.max_exclusive), Some(Greater | Equal))
    {
        return Err(sql_error!(6951, shown));
    }
    if order(&facets.min_exclusive, &facets.max_exclusive) == Some(Greater)
        || matches!(order(&facets.min_exclusive, &facets.max_inclusive), Some(Greater | Equal))
    {
        return Err(sql_error!(6952, shown));
    }
    Ok(())
}

fn within_bounds(facets: &Facets, value: &Value, inclusive: bool) -> bool {
    use Ordering::*;
    let order = |bound: &Option<Value>| bound.as_ref().map(|bound| value.compare(bound));
    !matches!(order(&facets.min_inclusive), Some(Some(Less) | None))
        && !matches!(order(&facets.max_inclusive), Some(Some(Greater) | None))
        && match order(&facets.min_exclusive) {
            Some(Some(Equal)) => !inclusive,
            Some(Some(Less) | None) => false,
            _ => true,
        }
        && match order(&facets.max_exclusive) {
            Some(Some(Equal)) => !inclusive,
            Some(Some(Greater) | None) => false,
            _ => true,
        }
}

/// Reads a text as a value of the simple type `id`, which `lookup` knows, with the type that it is of: of a union, its member's.
/// None: it is no such value.
pub fn parse_with<'s>(
    lookup: &dyn Fn(TypeId) -> Option<&'s Simple>,
    id: TypeId,
    text: &str,
    meter: &mut Meter<'_, '_>,
) -> SqlResult<Option<(Value, TypeId)>> {
    let Some(simple) = lookup(id) else { return Ok(None) };
    meter.spend(text.len() + 32)?;
    let plain = normalized(text, simple.white_space);
    let mut of = id;
    let value = match &simple.variety {
        Variety::AnySimple => Some(Value::Text(text.into())),
        Variety::Atomic(primitive) => Value::parse(*primitive, &plain),
        Variety::List(item) => {
            let mut items = Vec::new();
            for word in words(&plain) {
                meter.hold(word.len() + 32)?;
                match parse_with(lookup, *item, word, meter)? {
                    Some((value, _)) => items.push(value),
                    None => return Ok(None),
                }
            }
            Some(Value::List(items))
        }
        Variety::Union(members) => {
            let mut found = None;
            for member in members {
                if let Some((value, member)) = parse_with(lookup, *member, text, meter)? {
                    of = member;
                    found = Some(value);
                    break;
                }
            }
            found
        }
    };
    let Some(value) = value else { return Ok(None) };
    Ok(if satisfies(&simple.facets, &value, &plain, meter)? { Some((value, of)) } else { None })
}

fn satisfies(facets: &Facets, value: &Value, plain: &str, meter: &mut Meter<'_, '_>) -> SqlResult<bool> {
    if facets.length.is_some() || facets.min_length.is_some() || facets.max_length.is_some() {
        let length = value.length().unwrap_or(0);
        let fits = facets.length.is_none_or(|wanted| length == wanted as usize)
            && facets.min_length.is_none_or(|least| length >= least as usize)
            && facets.max_length.is_none_or(|most| length <= most as usize);
        if !fits {
            return Ok(false);
        }
    }
    if let Some((whole, part)) = value.digits() {
        let fits = facets.total_digits.is_none_or(|most| whole + part <= most as usize)
            && facets.fraction_digits.is_none_or(|most| part <= most as usize);
        if !fits {
            return Ok(false);
        }
    }
    if !within_bounds(facets, value, true) {
        return Ok(false);
    }
    if let Some(list) = &facets.enumeration {
        meter.spend(16 * list.len())?;
        if !list.iter().any(|known| known.compare(value) == Some(Ordering::Equal)) {
            return Ok(false);
        }
    }
    for step in &facets.patterns {
        let mut any = false;
        for pattern in step {
            if pattern.matches(plain, meter)? {
                any = true;
                break;
            }
        }
        if !any {
            return Ok(false);
        }
    }
    Ok(true)
}
