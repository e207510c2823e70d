//! What the functions give.

use std::cmp::Ordering;
use std::collections::HashSet;

use types::SqlResult;
use types::pause::STRIDE;

use super::evaluate::{Evaluation, Focus, Sequence, boolean, maybe};
use super::function::Function;
use super::tree::Expr;
use super::{Item, atomize};
use crate::atomic::{self, Arithmetic, Atomic, Rounding};
use crate::meter::{Meter, NODE};

fn text(value: String) -> Sequence {
    vec![Item::Atomic(Atomic::text(value))]
}

fn integer(value: usize) -> Sequence {
    vec![Item::Atomic(Atomic::Integer(value as i128))]
}

impl Evaluation<'_> {
    #[inline(never)]
    pub(super) fn call(
        &mut self,
        function: Function,
        arguments: &[Expr],
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Sequence> {
        use Function::*;
        Ok(match function {
            True => boolean(true),
            False => boolean(false),
            Position => integer(focus.position),
            Last => integer(focus.size),
            Not => boolean(!self.holds(&arguments[0], focus, meter)?),
            Empty => boolean(self.eval(&arguments[0], focus, meter)?.is_empty()),
            Count => integer(self.eval(&arguments[0], focus, meter)?.len()),
            Data => self.atoms(&arguments[0], focus, meter)?.into_iter().map(Item::Atomic).collect(),
            DistinctValues => {
                let mut seen = HashSet::new();
                let mut distinct = Vec::new();
                for value in self.atoms(&arguments[0], focus, meter)? {
                    meter.spend(NODE)?;
                    let key = (value.is_numeric(), value.show());
                    if seen.insert(key) {
                        distinct.push(Item::Atomic(value));
                    }
                }
                distinct
            }
            Sum | Avg => self.total(function, &arguments[0], focus, meter)?,
            Min | Max => self.extreme(function, &arguments[0], focus, meter)?,
            Round | Floor | Ceiling => {
                let how = match function {
                    Round => Rounding::Nearest,
                    Floor => Rounding::Down,
                    _ => Rounding::Up,
                };
                match self.single(&arguments[0], focus, meter)? {
                    Some(value) => maybe(atomic::round(how, &value)),
                    None => Vec::new(),
                }
            }
            Number => match self.argument(arguments, focus, meter)? {
                Some(item) => maybe(atomize(&item, meter)?.and_then(|value| value.number()).map(Atomic::Double)),
                None => Vec::new(),
            },
            String => text(self.string_argument(arguments, focus, meter)?),
            StringLength => {
                let value = self.string_argument(arguments, focus, meter)?;
                let mut length = 0;
                meter.pieces(&value, |piece| {
                    length += piece.encode_utf16().count();
                    Ok(())
                })?;
                integer(length)
            }
            LocalName | NamespaceUri => text(match self.argument(arguments, focus, meter)? {
                Some(Item::Node(document, node)) => {
                    let name = document.name(node);
                    if function == LocalName { name.local.to_string() } else { name.uri.to_string() }
                }
                _ => Default::default(),
            }),
            Concat => {
                let mut joined = std::string::String::new();
                for argument in arguments {
                    if let Some(value) = self.single(argument, focus, meter)? {
                        meter.pacer.push(&value.into_shown(), &mut joined)?;
                    }
                }
                meter.hold(joined.len())?;
                text(joined)
            }
            Contains => {
                let (whole, part) =
                    (self.string(&arguments[0], focus, meter)?, self.string(&arguments[1], focus, meter)?);
                boolean(meter.finds(&whole, &part)?)
            }
            Substring => self.substring(arguments, focus, meter)?,
            UpperCase | LowerCase => {
                let (whole, mut cased) = (self.string(&arguments[0], focus, meter)?, std::string::String::new());
                meter.pieces(&whole, |piece| {
                    cased += &if function == UpperCase { piece.to_uppercase() } else { piece.to_lowercase() };
                    Ok(())
                })?;
                text(cased)
            }
            Id => Vec::new(),
        })
    }

    /// The argument's first item, or the context item where there is no argument.
    fn argument(&mut self, arguments: &[Expr], focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<Option<Item>> {
        match arguments.first() {
            Some(argument) => Ok(self.eval(argument, focus, meter)?.into_iter().next()),
            None => Ok(Some(focus.item.clone())),
        }
    }

    fn string_argument(&mut self, arguments: &[Expr], focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<String> {
        match self.argument(arguments, focus, meter)? {
            Some(Item::Node(document, node)) => document.string(node, meter),
            Some(Item::Atomic(value)) => Ok(value.into_shown()),
            None => Ok(String::new()),
        }
    }

    fn string(&mut self, argument: &Expr, focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<String> {
        Ok(self.single(argument, focus, meter)?.map_or(String::new(), Atomic::into_shown))
    }

    /// Values as numbers: what is untyped is a double, or nothing.
    fn numbers(&mut self, argument: &Expr, focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<Vec<Atomic>> {
        let values = self.atoms(argument, focus, meter)?;
        Ok(values
            .into_iter()
            .filter_map(|value| match value {
                Atomic::Untyped(_) => value.number().map(Atomic::Double),
                value => Some(value),
            })
            .collect())
    }

    fn total(
        &mut self,
        function: Function,
        argument: &Expr,
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Sequence> {
        let values = self.numbers(argument, focus, meter)?;
        let mut sum: Option<Atomic> = None;
        for value in &values {
            meter.spend(NODE)?;
            sum = match sum {
                None => Some(value.clone()),
                Some(sum) => match atomic::arithmetic(Arithmetic::Add, &sum, value) {
                    Some(sum) => Some(sum),
                    None => return Ok(Vec::new()),
                },
            };
        }
        Ok(match (function, sum) {
            (Function::Sum, sum) => maybe(Some(sum.unwrap_or(Atomic::Integer(0)))),
            (_, Some(sum)) => maybe(atomic::mean(&sum, values.len())),
            (_, None) => Vec::new(),
        })
    }

    fn extreme(
        &mut self,
        function: Function,
        argument: &Expr,
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Sequence> {
        let wanted = if function == Function::Min { Ordering::Less } else { Ordering::Greater };
        let mut best: Option<Atomic> = None;
        for value in self.numbers(argument, focus, meter)? {
            meter.spend(NODE)?;
            if best.as_ref().is_none_or(|best| value.order(best) == Some(wanted)) {
                best = Some(value);
            }
        }
        Ok(maybe(best))
    }

    /// Positions count from 1 and are rounded; what lies outside is left out.
    fn substring(&mut self, arguments: &[Expr], focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<Sequence> {
        let whole = self.string(&arguments[0], focus, meter)?;
        let mut positions = Vec::new();
        for position in &arguments[1..] {
            let Some(number) = self.single(position, focus, meter)?.and_then(|value| value.number()) else {
                return Ok(Vec::new());
            };
            positions.push((number + 0.5).floor());
        }
        let first = positions[0];
        let end = positions.get(1).map_or(f64::INFINITY, |length| first + length);
        let (mut units, mut position) = (Vec::new(), 0.0);
        meter.pieces(&whole, |piece| {
            for unit in piece.encode_utf16() {
                position += 1.0;
                if position >= first && position < end {
                    units.push(unit);
                }
            }
            Ok(())
        })?;
        let (mut part, mut rest) = (String::new(), &units[..]);
        while !rest.is_empty() {
            let whole_pairs = rest[STRIDE.min(rest.len()) - 1] & 0xFC00 == 0xD800;
            let (now, later) = rest.split_at((STRIDE + usize::from(whole_pairs)).min(rest.len()));
            part.push_str(&String::from_utf16_lossy(now));
            meter.spend(now.len())?;
            rest = later;
        }
        Ok(text(part))
    }
}
