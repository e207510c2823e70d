//! Ranges of one value that are joined by OR: those that overlap or touch are one.

use std::cmp::Ordering;

use types::compare::compare;

use crate::plan::{CompareOp, Expr, ExprKind};

/// A literal, and whether the value may be it. None: it has no end there.
type End = Option<(Expr, bool)>;

struct Band {
    low: End,
    high: End,
}

/// As few arms as say the same; None: there are no fewer.
pub fn merged(arms: &[Expr]) -> Option<Vec<Expr>> {
    let mut value = None;
    let mut bands = arms.iter().map(|arm| band(arm, &mut value)).collect::<Option<Vec<Band>>>()?;
    let value = value?;
    bands.sort_by(|a, b| order(&a.low, &b.low, true));
    let mut out: Vec<Band> = Vec::with_capacity(bands.len());
    for band in bands {
        match out.last_mut() {
            Some(last) if touch(&last.high, &band.low) => {
                if order(&last.high, &band.high, false).is_lt() {
                    last.high = band.high;
                }
            }
            _ => out.push(band),
        }
    }
    (out.len() < arms.len()).then(|| out.into_iter().map(|band| test(&value, band)).collect::<Option<_>>())?
}

/// `arm` as a range of `value`, which the first arm says.
fn band(arm: &Expr, value: &mut Option<Expr>) -> Option<Band> {
    let mut band = Band { low: None, high: None };
    let mut parts = Vec::new();
    arm.clone().split_and(&mut parts);
    for part in parts {
        let ExprKind::Compare { op, left, right, null_equal: false } = part.kind else { return None };
        let (own, op, literal) = match (&left.kind, &right.kind) {
            (ExprKind::Column(_), ExprKind::Literal(constant)) if !constant.is_null() => (left, op, right),
            (ExprKind::Literal(constant), ExprKind::Column(_)) if !constant.is_null() => (right, op.swapped(), left),
            _ => return None,
        };
        if !value.get_or_insert_with(|| (*own).clone()).same(&own) || own.ty.is_max() {
            return None;
        }
        let end = |inclusive| Some(((*literal).clone(), inclusive));
        let (low, high) = match op {
            CompareOp::Equal => (end(true), end(true)),
            CompareOp::Greater => (end(false), None),
            CompareOp::GreaterOrEqual => (end(true), None),
            CompareOp::Less => (None, end(false)),
            CompareOp::LessOrEqual => (None, end(true)),
            CompareOp::NotEqual => return None,
        };
        // Two ends on one side are for who looks at ranges.
        if low.is_some() && band.low.is_some() || high.is_some() && band.high.is_some() {
            return None;
        }
        band = Band { low: low.or(band.low), high: high.or(band.high) };
    }
    Some(band)
}

/// Which of two ends lies lower; `low`: they are lower ones.
fn order(a: &End, b: &End, low: bool) -> Ordering {
    let open = if low { Ordering::Less } else { Ordering::Greater };
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => open,
        (Some(_), None) => open.reverse(),
        (Some(a), Some(b)) => literals(&a.0, &b.0).then_with(|| match low {
            true => b.1.cmp(&a.1),
            false => a.1.cmp(&b.1),
        }),
    }
}

/// Nothing lies between a range that ends at `high` and one that begins at `low`.
fn touch(high: &End, low: &End) -> bool {
    match (high, low) {
        (Some(high), Some(low)) => match literals(&low.0, &high.0) {
            Ordering::Less => true,
            Ordering::Equal => high.1 || low.1,
            Ordering::Greater => false,
        },
        _ => true,
    }
}

fn literals(a: &Expr, b: &Expr) -> Ordering {
    let (ExprKind::Literal(one), ExprKind::Literal(other)) = (&a.kind, &b.kind) else {
        unreachable!("ends are literals")
    };
    compare(one, other, &a.ty)
}

/// None: it is every value.
fn test(value: &Expr, band: Band) -> Option<Expr> {
    let compared = |op, end: Expr| {
        let (left, right) = (Box::new(value.clone()), Box::new(end));
        Expr::predicate(ExprKind::Compare { op, left, right, null_equal: false })
    };
    if let (Some((low, true)), Some((high, true))) = (&band.low, &band.high)
        && literals(low, high).is_eq()
    {
        return Some(compared(CompareOp::Equal, low.clone()));
    }
    let low = band
        .low
        .map(|(end, inclusive)| compared(if inclusive { CompareOp::GreaterOrEqual } else { CompareOp::Greater }, end));
    let high = band
        .high
        .map(|(end, inclusive)| compared(if inclusive { CompareOp::LessOrEqual } else { CompareOp::Less }, end));
    Expr::all(low.into_iter().chain(high).collect())
}
