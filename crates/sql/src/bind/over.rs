//! OVER: what it takes from the WINDOW clause, what each function lets it say, and its frame.

use types::{Datum, SqlError, SqlResult, sql_error};

use super::binder::{Binder, Place};
use super::constant::{Constant, constant_of};
use super::names::same_name;
use super::scope::Scope;
use super::typing::sortable;
use crate::ast;
use crate::plan::{Expr, ExprKind, Frame, FrameBound, SortKey, WindowKind};

/// An OVER clause with all that a named window gives it.
pub struct Over {
    pub over: ast::Over,
    /// Something of it, or all, is a window's of the WINDOW clause: errors then have other numbers.
    pub named: bool,
    /// The frame is the window's.
    named_frame: bool,
}

impl Over {
    /// 4112, 5366, 10752, 4106: whether a function that is no aggregate has the order it needs, and no frame that it does not take.
    pub fn check(&self, kind: WindowKind, name: &str) -> SqlResult<()> {
        let shifted = matches!(kind, WindowKind::Lag | WindowKind::Lead);
        let framed = matches!(kind, WindowKind::FirstValue | WindowKind::LastValue);
        if self.over.order_by.is_empty() {
            let state = if kind.ranks() { 3 } else { 2 };
            return Err(if self.named { sql_error!(5366, state state, name) } else { sql_error!(4112, name) });
        }
        if self.over.frame.is_none() || framed {
            return Ok(());
        }
        let inner = matches!(kind, WindowKind::PercentileCont | WindowKind::PercentileDisc);
        let shifted = shifted || inner;
        Err(match self.named_frame {
            true => sql_error!(4106, state if shifted { 1 } else { 2 }, name),
            false => sql_error!(10752, state if shifted { 1 } else { 3 }, name),
        })
    }
}

/// 16211, 5362, 5365, 5367: the definitions of a WINDOW clause, whether something uses them or not.
pub fn check_windows(windows: &[(Box<str>, ast::Over)]) -> SqlResult<()> {
    for (at, (name, over)) in windows.iter().enumerate() {
        if windows[..at].iter().any(|(known, _)| same_name(known, name)) {
            return Err(sql_error!(16211));
        }
        if over.window.as_ref().is_some_and(|base| same_name(base, name)) {
            return Err(sql_error!(5362, state 7, &**name));
        }
        let (mut base, mut steps) = (over.window.as_ref(), 0);
        while let Some(next) = base {
            steps += 1;
            if steps > windows.len() {
                return Err(sql_error!(5365));
            }
            base = named(windows, next).ok_or_else(|| sql_error!(5362, state 7, &**next))?.window.as_ref();
        }
    }
    for (_, over) in windows {
        resolved(windows, over, 7, || sql_error!(5367, state 2))?;
    }
    Ok(())
}

fn named<'w>(windows: &'w [(Box<str>, ast::Over)], name: &str) -> Option<&'w ast::Over> {
    windows.iter().find(|(known, _)| same_name(known, name)).map(|(_, over)| over)
}

/// `OVER w`, `OVER (w ORDER BY x)`, `w AS (v ...)`: with what the named windows say, each of which may be over another. `unknown`: the
/// state of the error about a name that no window has. `twice`: two say the same.
fn resolved(
    windows: &[(Box<str>, ast::Over)],
    over: &ast::Over,
    unknown: u8,
    twice: impl Fn() -> SqlError,
) -> SqlResult<ast::Over> {
    let mut resolved = over.clone();
    while let Some(name) = resolved.window.take() {
        let base = named(windows, &name).ok_or_else(|| sql_error!(5362, state unknown, &*name))?;
        if !resolved.partition_by.is_empty() && !base.partition_by.is_empty()
            || !resolved.order_by.is_empty() && !base.order_by.is_empty()
            || resolved.frame.is_some() && base.frame.is_some()
        {
            return Err(twice());
        }
        if resolved.partition_by.is_empty() {
            resolved.partition_by = base.partition_by.clone();
        }
        if resolved.order_by.is_empty() {
            resolved.order_by = base.order_by.clone();
        }
        resolved.frame = resolved.frame.take().or_else(|| base.frame.clone());
        resolved.window = base.window.clone();
    }
    Ok(resolved)
}

pub fn misplaced_window() -> SqlError {
    sql_error!(4108)
}

impl Binder<'_> {
    /// 4108, 4109: a window function stands in a select list or ORDER BY, and not within another. 4123: it says again what its window says.
    pub fn over(&self, block: usize, over: &ast::Over, kind: WindowKind) -> SqlResult<Over> {
        let place = self.blocks[block].place;
        if !matches!(place, Place::Select | Place::OrderBy) {
            return Err(if place == Place::Window { sql_error!(4109) } else { misplaced_window() });
        }
        let windows = &self.blocks[block].named;
        let state = if kind.ranks() { 3 } else { 2 };
        let resolved =
            resolved(windows, over, if windows.is_empty() { 3 } else { 4 }, || sql_error!(4123, state state))?;
        let named_frame = resolved.frame.is_some() && over.frame.is_none();
        Ok(Over { over: resolved, named: over.window.is_some(), named_frame })
    }

    /// 5308, 5309: a key of such an order means no column of the result, and a constant orders nothing.
    pub fn over_key(&mut self, key: &ast::Expr, scope: &Scope) -> SqlResult<Expr> {
        let bound = self.expr(key, scope)?;
        match constant_of(key, &bound) {
            Some(Constant::Place) => Err(sql_error!(5308)),
            Some(Constant::Other) => Err(sql_error!(5309)),
            None => Ok(bound),
        }
    }

    /// A key of texts that are put together: 5308 of a number as written alone.
    pub fn text_key(&mut self, key: &ast::Expr, scope: &Scope) -> SqlResult<Expr> {
        let bound = self.expr(key, scope)?;
        let computed = matches!(key, ast::Expr::Cast(_) | ast::Expr::Convert(_));
        match constant_of(key, &bound) {
            Some(Constant::Place) if !computed => Err(sql_error!(5308)),
            Some(Constant::Other) if !computed => Err(sql_error!(5309)),
            _ => Ok(bound),
        }
    }

    pub fn frame(&mut self, over: &ast::Over, ordered: bool, scope: &Scope) -> SqlResult<Frame> {
        let Some(frame) = &over.frame else {
            let end = if ordered { FrameBound::CurrentRow } else { FrameBound::UnboundedFollowing };
            return Ok(Frame { rows: false, start: FrameBound::UnboundedPreceding, end });
        };
        let rows = frame.unit == ast::FrameUnit::Rows;
        let mut bound = |bound: &ast::FrameBound| -> SqlResult<FrameBound> {
            Ok(match bound {
                ast::FrameBound::UnboundedPreceding => FrameBound::UnboundedPreceding,
                ast::FrameBound::CurrentRow => FrameBound::CurrentRow,
                ast::FrameBound::UnboundedFollowing => FrameBound::UnboundedFollowing,
                ast::FrameBound::Preceding(n) | ast::FrameBound::Following(n) => {
                    if !rows {
                        return Err(sql_error!(4194));
                    }
                    let n = match self.expr(n, scope)?.kind {
                        ExprKind::Literal(Datum::I64(n)) if n >= 0 => n as u64,
                        _ => return Err(sql_error!(4193, "ROWS")),
                    };
                    if matches!(bound, ast::FrameBound::Preceding(_)) {
                        FrameBound::Preceding(n)
                    } else {
                        FrameBound::Following(n)
                    }
                }
            })
        };
        let start = bound(&frame.start)?;
        let end = match &frame.end {
            Some(end) => bound(end)?,
            None => FrameBound::CurrentRow,
        };
        check_bounds(&start, &end, frame.end.is_some())?;
        Ok(Frame { rows, start, end })
    }
}

/// Bytes that a frame of values is ordered by.
const RANGE_ORDER_MAX: usize = 900;

/// 305, 306, 8728, 8729: a frame by values compares all that it is ordered by.
pub fn check_range_order(order: &[SortKey]) -> SqlResult<()> {
    for key in order {
        sortable(&key.expr.ty, "ORDER BY")?;
    }
    if order.iter().any(|key| key.expr.ty.is_max()) {
        return Err(sql_error!(8728));
    }
    let bytes: usize = order.iter().map(|key| usize::from(key.expr.ty.length)).sum();
    if bytes > RANGE_ORDER_MAX {
        return Err(sql_error!(8729, bytes, RANGE_ORDER_MAX));
    }
    Ok(())
}

/// 4193: a frame that ends before it begins by the kinds of its bounds; `between`: both were given.
fn check_bounds(start: &FrameBound, end: &FrameBound, between: bool) -> SqlResult<()> {
    let place = |bound: &FrameBound| match bound {
        FrameBound::UnboundedPreceding => (0, "UNBOUNDED PRECEDING"),
        FrameBound::Preceding(_) => (1, "... PRECEDING"),
        FrameBound::CurrentRow => (2, "CURRENT ROW"),
        FrameBound::Following(_) => (3, "... FOLLOWING"),
        FrameBound::UnboundedFollowing => (4, "UNBOUNDED FOLLOWING"),
    };
    let ((first, from), (last, to)) = (place(start), place(end));
    if first <= last && first < 4 && last > 0 {
        return Ok(());
    }
    let state = match (first, last) {
        (3, 2) => 4,
        (2, 1) => 5,
        _ => 1,
    };
    Err(match between {
        true => sql_error!(4193, state state, format!("BETWEEN {from} AND {to}")),
        false => sql_error!(4193, state state, from),
    })
}
