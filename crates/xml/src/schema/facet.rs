//! Facets: what a restriction says of a simple type's values, and whether a value satisfies it.

use std::cmp::Ordering;
use std::sync::Arc;

use types::{SqlResult, sql_error};

use super::builtin::Primitive;
use super::compile::{Compiler, VALUE_MAX};
use super::component::{Body, Facets, Simple, TypeId, Variety, WhiteSpace};
use super::grammar::{is_facet, is_number};
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

/// What one restriction says, besides what goes into the type's facets at once.
#[derive(Default)]
struct Step {
    patterns: Vec<Arc<Pattern>>,
    enumeration: Vec<Value>,
    seen: Vec<&'static str>,
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
        let shown = self.shown_type(node);
        let mut step = Step::default();
        let mut attributes_seen = false;
        for child in self.children(node) {
            let local = self.local(child);
            if !is_facet(local) {
                attributes_seen |= local != "simpleType";
                continue;
            }
            self.count(meter)?;
            let name = *NAMES.iter().find(|known| **known == local).expect("it is a facet");
            if attributes_seen {
                return Err(sql_error!(2321, "", name, self.location(child)));
            }
            if !applies(name, &simple.variety) {
                return Err(sql_error!(2319, "", name, self.location(child)));
            }
            if !matches!(name, "pattern" | "enumeration") && step.seen.contains(&name) {
                return Err(sql_error!(2320, "", name, self.location(child)));
            }
            step.seen.push(name);
            let raw = self.facet_value(child, name)?;
            let fixed = self.flag(child, "fixed")?;
            if self.is_fixed_otherwise(base, name, raw) {
                return Err(sql_error!(6956, shown, name));
            }
            let invalid = || sql_error!(6945, name, shown);
            let looser = match name {
                "pattern" => {
                    step.patterns.push(Arc::new(Pattern::parse(raw).ok_or_else(invalid)?));
                    false
                }
                "enumeration" => {
                    step.enumeration.push(self.value_of(base, raw, meter)?.ok_or_else(invalid)?);
                    meter.hold(raw.len() + 64)?;
                    false
                }
                "whiteSpace" => white_space(raw, &mut simple).ok_or_else(invalid)?,
                name if name.ends_with("Inclusive") || name.ends_with("Exclusive") => {
                    let Variety::Atomic(primitive) = base_simple.variety else { return Err(invalid()) };
                    let value = Value::parse(primitive, raw.trim()).ok_or_else(invalid)?;
                    bound(name, value, &base_simple.facets, &mut simple.facets)
                }
                name => {
                    let written = raw.trim();
                    if !is_number(written) {
                        return Err(sql_error!(2309, "", "value"));
                    }
                    let value = written.parse::<u32>().map_err(|_| invalid())?;
                    if name == "totalDigits" && value == 0 {
                        return Err(sql_error!(2386, "", name));
                    }
                    let most = if name == "totalDigits" { WHOLE_DIGITS_MAX + FRACTION_MAX } else { FRACTION_MAX };
                    if name.ends_with("Digits") && value > most {
                        return Err(sql_error!(6960, shown));
                    }
                    count(name, value, &mut simple)
                }
            };
            if looser {
                return Err(sql_error!(6944, shown, name));
            }
            simple.facets.written.push((name, raw.into(), fixed));
        }
        if !step.patterns.is_empty() {
            simple.facets.patterns.push(step.patterns);
        }
        if !step.enumeration.is_empty() {
            simple.facets.enumeration = Some(step.enumeration.into());
        }
        let says = |name: &str| step.seen.contains(&name);
        if says("minInclusive") && says("minExclusive") || says("maxInclusive") && says("maxExclusive") {
            return Err(sql_error!(6996, shown));
        }
        consistent(&simple.facets, &shown)?;
        Ok(simple)
    }

    /// 2299, 6964.
    fn facet_value(&self, node: u32, name: &'static str) -> SqlResult<&str> {
        let document = self.document;
        let found = document.attributes(node).find(|at| &*document.name(*at).local == "value");
        let Some(raw) = found.map(|at| document.value(at)) else {
            return Err(sql_error!(2299, "", "value", name));
        };
        if raw.chars().count() > VALUE_MAX {
            return Err(sql_error!(6964, raw.chars().take(100).collect::<String>()));
        }
        Ok(raw)
    }

    /// The base says that the facet has another value for good.
    fn is_fixed_otherwise(&self, base: TypeId, name: &str, raw: &str) -> bool {
        let Some(Body::Simple(simple)) = self.types[base as usize].as_ref().map(|base| &base.body) else {
            return false;
        };
        simple.facets.written.iter().any(|(known, text, fixed)| *known == name && *fixed && **text != *raw)
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

/// Whether it is looser than the base's. None: it is none.
fn white_space(raw: &str, simple: &mut Simple) -> Option<bool> {
    let wanted = match raw.trim() {
        "preserve" => WhiteSpace::Preserve,
        "replace" => WhiteSpace::Replace,
        "collapse" => WhiteSpace::Collapse,
        _ => return None,
    };
    let looser = wanted < simple.white_space;
    simple.white_space = wanted;
    Some(looser)
}

/// A least or a greatest value. Whether it is looser than the base's.
fn bound(name: &str, value: Value, base: &Facets, facets: &mut Facets) -> bool {
    let looser = !within_bounds(base, &value, name.ends_with("Inclusive"));
    match name {
        "minInclusive" => facets.min_inclusive = Some(value),
        "maxInclusive" => facets.max_inclusive = Some(value),
        "minExclusive" => facets.min_exclusive = Some(value),
        _ => facets.max_exclusive = Some(value),
    }
    looser
}

/// A facet that is a number. Whether it is looser than the base's.
fn count(name: &str, value: u32, simple: &mut Simple) -> bool {
    let facets = &mut simple.facets;
    let below = |known: Option<u32>| known.is_some_and(|known| known < value);
    let above = |known: Option<u32>| known.is_some_and(|known| known > value);
    let (looser, place) = match name {
        "length" => {
            let other = below(facets.length) || above(facets.length);
            (other || above(facets.min_length) || below(facets.max_length), &mut facets.length)
        }
        "minLength" => (above(facets.min_length), &mut facets.min_length),
        "maxLength" => (below(facets.max_length), &mut facets.max_length),
        "totalDigits" => (below(facets.total_digits), &mut facets.total_digits),
        _ => {
            let whole = matches!(simple.variety, Variety::Atomic(Primitive::Integer(..)));
            (below(facets.fraction_digits) || whole && value > 0, &mut facets.fraction_digits)
        }
    };
    *place = Some(value);
    looser
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
