//! Paths: each step goes from every node that the one before gave, and what comes is in document order, each node once.

use std::sync::Arc;

use types::SqlResult;

use super::Item;
use super::evaluate::{Evaluation, Focus, Sequence, order, sorted, truth};
use super::tree::{Axis, Expr, Path, Start, Step, Test};
use crate::document::{Document, Kind};
use crate::meter::{Meter, NODE};

impl Evaluation<'_> {
    #[inline(never)]
    pub(super) fn path(&mut self, path: &Path, focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<Sequence> {
        let mut items = match &path.start {
            Start::Root => match &focus.item {
                Item::Node(document, _) => vec![Item::Node(document.clone(), 0)],
                Item::Atomic(_) => vec![Item::Node(self.document.clone(), 0)],
            },
            Start::Context => vec![focus.item.clone()],
            Start::Expr(start) => self.eval(start, focus, meter)?,
        };
        for step in &path.steps {
            items = self.step(step, items, meter)?;
        }
        Ok(items)
    }

    fn step(&mut self, step: &Step, from: Sequence, meter: &mut Meter<'_, '_>) -> SqlResult<Sequence> {
        let mut out: Sequence = Vec::new();
        for item in &from {
            let Item::Node(document, node) = item else { continue };
            if step.predicates.is_empty() {
                along(document, *node, step, meter, &mut out)?;
                continue;
            }
            let mut found = Vec::new();
            along(document, *node, step, meter, &mut found)?;
            for predicate in &step.predicates {
                found = self.filtered(found, predicate, meter)?;
            }
            out.append(&mut found);
        }
        meter.spend(NODE / 8 * out.len())?;
        if out.is_sorted_by(|a, b| order(a, b).is_lt()) {
            return Ok(out);
        }
        let mut out = sorted(out, order, meter)?;
        out.dedup_by(|a, b| order(a, b).is_eq());
        Ok(out)
    }

    /// Those items for which the predicate holds, or the one at the position that it says.
    #[inline(never)]
    pub(super) fn filtered(
        &mut self,
        mut items: Sequence,
        predicate: &Expr,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Sequence> {
        if let Some(position) = predicate.as_integer() {
            let at = usize::try_from(position).ok().and_then(|position| position.checked_sub(1));
            return Ok(match at.filter(|at| *at < items.len()) {
                Some(at) => vec![items.swap_remove(at)],
                None => Vec::new(),
            });
        }
        let size = items.len();
        let mut kept = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            let focus = Focus { item, position: at + 1, size };
            let test = self.eval(predicate, &focus, meter)?;
            let keep = match test.as_slice() {
                [Item::Atomic(value)] if value.is_numeric() => value.number() == Some((at + 1) as f64),
                test => truth(test),
            };
            if keep {
                kept.push(focus.item);
            }
        }
        Ok(kept)
    }
}

/// Appends what an axis has for a node, in document order.
fn along(
    document: &Arc<Document>,
    node: u32,
    step: &Step,
    meter: &mut Meter<'_, '_>,
    out: &mut Sequence,
) -> SqlResult<()> {
    let before = out.len();
    let mut take = |found: u32, meter: &mut Meter<'_, '_>| -> SqlResult<()> {
        meter.spend(NODE / 2)?;
        if passes(document, found, step) {
            out.push(Item::Node(document.clone(), found));
        }
        Ok(())
    };
    match step.axis {
        Axis::Child => {
            for child in document.children(node) {
                take(child, meter)?;
            }
        }
        Axis::Attribute => {
            for attribute in document.attributes(node) {
                take(attribute, meter)?;
            }
        }
        Axis::Itself => take(node, meter)?,
        Axis::Parent => {
            if let Some(parent) = document.parent(node) {
                take(parent, meter)?;
            }
        }
        Axis::Descendant | Axis::DescendantOrSelf => {
            if step.axis == Axis::DescendantOrSelf {
                take(node, meter)?;
            }
            for inner in node + 1..document.end(node) {
                if !matches!(document.kind(inner), Kind::Attribute | Kind::Namespace) {
                    take(inner, meter)?;
                }
            }
        }
    }
    let found = out.len() - before;
    meter.hold(size_of::<Item>() * found)
}

fn passes(document: &Document, node: u32, step: &Step) -> bool {
    let kind = document.kind(node);
    let principal = if step.axis == Axis::Attribute { Kind::Attribute } else { Kind::Element };
    match &step.test {
        Test::Name(name) => kind == principal && document.name(node).is(name),
        Test::AnyName => kind == principal,
        Test::AnyNamespace(local) => kind == principal && document.name(node).local == *local,
        Test::AnyLocal(uri) => kind == principal && document.name(node).uri == *uri,
        Test::Node => true,
        Test::Text => kind == Kind::Text,
        Test::Comment => kind == Kind::Comment,
        Test::Instruction(target) => {
            kind == Kind::Instruction && target.as_ref().is_none_or(|target| document.name(node).local == *target)
        }
    }
}
