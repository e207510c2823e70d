//! Evaluation: an expression and its focus give a sequence of items.

use std::cmp::Ordering;
use std::sync::Arc;

use types::SqlResult;
use types::long::Many;

use super::tree::{
    Clause, Comparison, Content, Element, Expr, Flwor, ItemTest, NodeComparison, Quantified, SequenceType,
};
use super::{Item, Query, Supplied, atomize, values};
use crate::atomic::{self, Atomic, Base};
use crate::document::{Builder, Document, Kind};
use crate::meter::{Meter, NODE};

/// The context item, its position and how many there are, both from 1.
#[derive(Clone)]
pub(super) struct Focus {
    pub item: Item,
    pub position: usize,
    pub size: usize,
}

pub(super) type Sequence = Vec<Item>;

/// A query that runs over a node.
pub struct Evaluation<'q> {
    supplied: &'q [Supplied],
    pub(super) document: Arc<Document>,
    node: u32,
    variables: Vec<Sequence>,
}

impl<'q> Evaluation<'q> {
    pub fn new(query: &Query, document: &Arc<Document>, node: u32, supplied: &'q [Supplied]) -> Evaluation<'q> {
        Evaluation { supplied, document: document.clone(), node, variables: vec![Vec::new(); query.slots] }
    }

    pub fn run(&mut self, expr: &Expr, meter: &mut Meter<'_, '_>) -> SqlResult<Vec<Item>> {
        let focus = Focus { item: Item::Node(self.document.clone(), self.node), position: 1, size: 1 };
        self.eval(expr, &focus, meter)
    }

    pub(super) fn eval(&mut self, expr: &Expr, focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<Sequence> {
        meter.spend(NODE / 4)?;
        meter.deeper()?;
        Ok(match expr {
            Expr::Literal(value) => vec![Item::Atomic(value.clone())],
            Expr::Variable(slot) => {
                let items = &self.variables[*slot];
                meter.spend(NODE / 4 * items.len())?;
                items.clone()
            }
            Expr::External(index) => match &self.supplied[*index] {
                Supplied::Null => Vec::new(),
                Supplied::Atomic(value) => vec![Item::Atomic(value.clone())],
                Supplied::Xml(document) => {
                    document.children(0).map(|child| Item::Node(document.clone(), child)).collect()
                }
            },
            Expr::Context => vec![focus.item.clone()],
            Expr::Sequence(list) => {
                let mut items = Vec::new();
                for inner in list {
                    items.extend(self.eval(inner, focus, meter)?);
                }
                items
            }
            Expr::Path(path) => return self.path(path, focus, meter),
            Expr::Filter(base, predicates) => {
                let mut items = self.eval(base, focus, meter)?;
                for predicate in predicates {
                    items = self.filtered(items, predicate, meter)?;
                }
                items
            }
            Expr::If(parts) => {
                let test = self.holds(&parts[0], focus, meter)?;
                return self.eval(&parts[if test { 1 } else { 2 }], focus, meter);
            }
            Expr::Flwor(flwor) => return self.flwor(flwor, focus, meter),
            Expr::Quantified(quantified) => {
                let found = self.quantified(quantified, 0, focus, meter)?;
                boolean(found != quantified.every)
            }
            Expr::And(operands) => boolean(self.any(operands, false, focus, meter)?.is_none()),
            Expr::Or(operands) => boolean(self.any(operands, true, focus, meter)?.is_some()),
            Expr::General(op, operands) => return self.general(*op, operands, focus, meter),
            Expr::Value(op, operands) => {
                let (left, right) = self.pair(operands, focus, meter)?;
                match (left, right) {
                    (Some(left), Some(right)) => boolean(left.order(&right).is_some_and(|ordering| op.holds(ordering))),
                    _ => Vec::new(),
                }
            }
            Expr::Node(op, operands) => return self.nodes_compared(*op, operands, focus, meter),
            Expr::Arithmetic(op, operands) => {
                let (left, right) = self.pair(operands, focus, meter)?;
                match (left, right) {
                    (Some(left), Some(right)) => maybe(atomic::arithmetic(*op, &left, &right)),
                    _ => Vec::new(),
                }
            }
            Expr::Negate(operand) => match self.single(operand, focus, meter)? {
                Some(value) => maybe(atomic::arithmetic(atomic::Arithmetic::Subtract, &Atomic::Integer(0), &value)),
                None => Vec::new(),
            },
            Expr::Call(function, arguments) => return self.call(*function, arguments, focus, meter),
            Expr::Cast(to, operand) => match self.single(operand, focus, meter)? {
                Some(value) => maybe(value.cast(*to)),
                None => Vec::new(),
            },
            Expr::InstanceOf(operand, ty) => {
                let items = self.eval(operand, focus, meter)?;
                boolean(is_instance(&items, ty))
            }
            Expr::Element(_) | Expr::Attribute(..) | Expr::Text(_) | Expr::Comment(_) | Expr::Instruction(..) => {
                return self.constructed(expr, focus, meter);
            }
        })
    }

    /// The first item as a value.
    pub(super) fn single(
        &mut self,
        expr: &Expr,
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Option<Atomic>> {
        let items = self.eval(expr, focus, meter)?;
        match items.first() {
            Some(item) => atomize(item, meter),
            None => Ok(None),
        }
    }

    #[inline(never)]
    fn pair(
        &mut self,
        operands: &[Expr; 2],
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<(Option<Atomic>, Option<Atomic>)> {
        Ok((self.single(&operands[0], focus, meter)?, self.single(&operands[1], focus, meter)?))
    }

    pub(super) fn atoms(&mut self, expr: &Expr, focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<Vec<Atomic>> {
        let items = self.eval(expr, focus, meter)?;
        let mut all = Vec::with_capacity(items.len());
        for item in &items {
            all.append(&mut values(item, meter)?);
        }
        Ok(all)
    }

    /// The effective boolean value.
    pub(super) fn holds(&mut self, expr: &Expr, focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<bool> {
        Ok(truth(&self.eval(expr, focus, meter)?))
    }

    /// The first operand that is `wanted`.
    fn any<'e>(
        &mut self,
        operands: &'e [Expr],
        wanted: bool,
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Option<&'e Expr>> {
        for operand in operands {
            if self.holds(operand, focus, meter)? == wanted {
                return Ok(Some(operand));
            }
        }
        Ok(None)
    }

    #[inline(never)]
    fn general(
        &mut self,
        op: Comparison,
        operands: &[Expr; 2],
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Sequence> {
        let (left, right) = (self.atoms(&operands[0], focus, meter)?, self.atoms(&operands[1], focus, meter)?);
        for a in &left {
            for b in &right {
                meter.spend(NODE / 4)?;
                if a.order(b).is_some_and(|ordering| op.holds(ordering)) {
                    return Ok(boolean(true));
                }
            }
        }
        Ok(boolean(false))
    }

    #[inline(never)]
    fn nodes_compared(
        &mut self,
        op: NodeComparison,
        operands: &[Expr; 2],
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Sequence> {
        let (left, right) = (self.eval(&operands[0], focus, meter)?, self.eval(&operands[1], focus, meter)?);
        let (Some(left), Some(right)) = (left.first(), right.first()) else { return Ok(Vec::new()) };
        let ordering = order(left, right);
        Ok(boolean(match op {
            NodeComparison::Same => ordering.is_eq(),
            NodeComparison::Before => ordering.is_lt(),
            NodeComparison::After => ordering.is_gt(),
        }))
    }

    /// Whether a binding's test says otherwise than `every` does not find.
    fn quantified(
        &mut self,
        quantified: &Quantified,
        at: usize,
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<bool> {
        let Some((slot, source)) = quantified.bindings.get(at) else {
            return Ok(self.holds(&quantified.test, focus, meter)? != quantified.every);
        };
        for item in self.eval(source, focus, meter)? {
            self.variables[*slot] = vec![item];
            if self.quantified(quantified, at + 1, focus, meter)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    #[inline(never)]
    fn flwor(&mut self, flwor: &Flwor, focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<Sequence> {
        let mut found: Many<(Vec<Option<Atomic>>, Sequence)> = Many(Vec::new());
        self.clauses(flwor, 0, focus, &mut found.0, meter)?;
        if !flwor.order.is_empty() {
            let compare = |a: &(Vec<Option<Atomic>>, Sequence), b: &(Vec<Option<Atomic>>, Sequence)| {
                for ((a, b), (_, descending)) in a.0.iter().zip(&b.0).zip(&flwor.order) {
                    let ordering = match (a, b) {
                        (Some(a), Some(b)) => a.order(b).unwrap_or(Ordering::Equal),
                        (a, b) => a.is_some().cmp(&b.is_some()),
                    };
                    let ordering = if *descending { ordering.reverse() } else { ordering };
                    if ordering.is_ne() {
                        return ordering;
                    }
                }
                Ordering::Equal
            };
            found.0 = sorted(std::mem::take(&mut found.0), compare, meter)?;
        }
        let mut all = Many(Sequence::new());
        for (_, items) in &mut found.0 {
            all.0.append(items);
            meter.spend(NODE)?;
        }
        Ok(std::mem::take(&mut all.0))
    }

    /// The rest of the clauses from `at` on, for the variables as they are bound.
    fn clauses(
        &mut self,
        flwor: &Flwor,
        at: usize,
        focus: &Focus,
        found: &mut Vec<(Vec<Option<Atomic>>, Sequence)>,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<()> {
        match flwor.clauses.get(at) {
            Some(Clause::For(slot, source)) => {
                for item in self.eval(source, focus, meter)? {
                    self.variables[*slot] = vec![item];
                    self.clauses(flwor, at + 1, focus, found, meter)?;
                }
                Ok(())
            }
            Some(Clause::Let(slot, source)) => {
                self.variables[*slot] = self.eval(source, focus, meter)?;
                self.clauses(flwor, at + 1, focus, found, meter)
            }
            None => {
                if let Some(filter) = &flwor.filter
                    && !self.holds(filter, focus, meter)?
                {
                    return Ok(());
                }
                let mut keys = Vec::with_capacity(flwor.order.len());
                for (key, _) in &flwor.order {
                    keys.push(self.single(key, focus, meter)?);
                }
                let items = self.eval(&flwor.result, focus, meter)?;
                meter.hold(NODE + size_of::<Item>() * items.len())?;
                found.push((keys, items));
                Ok(())
            }
        }
    }

    /// A new node, in a tree of its own.
    #[inline(never)]
    fn constructed(&mut self, expr: &Expr, focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<Sequence> {
        let mut builder = Builder::default();
        match expr {
            Expr::Element(element) => self.element(element, &mut builder, focus, meter)?,
            Expr::Attribute(name, value) => {
                let value = self.joined(value, focus, meter)?;
                builder.attribute(name, &value.unwrap_or_default())?;
            }
            Expr::Text(value) => match self.joined(value, focus, meter)? {
                Some(text) if !text.is_empty() => builder.text(&text)?,
                _ => return Ok(Vec::new()),
            },
            Expr::Comment(value) => builder.comment(value)?,
            Expr::Instruction(target, value) => builder.instruction(target, value)?,
            _ => unreachable!("it is no constructor"),
        }
        Ok(vec![Item::Node(Arc::new(builder.finish()), 1)])
    }

    /// The values with a blank between them. None: there are none.
    fn joined(&mut self, expr: &Expr, focus: &Focus, meter: &mut Meter<'_, '_>) -> SqlResult<Option<String>> {
        let values = self.atoms(expr, focus, meter)?;
        if values.is_empty() {
            return Ok(None);
        }
        let shown: Vec<String> = values.iter().map(Atomic::show).collect();
        Ok(Some(shown.join(" ")))
    }

    fn element(
        &mut self,
        element: &Element,
        builder: &mut Builder,
        focus: &Focus,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<()> {
        builder.open(&element.name)?;
        for (prefix, uri) in &element.declared {
            builder.namespace(prefix, uri)?;
        }
        for (name, value) in &element.attributes {
            let value = self.joined(value, focus, meter)?;
            builder.new_attribute(name, &value.unwrap_or_default(), meter)?;
        }
        let mut parts: Vec<Item> = Vec::new();
        for content in &element.content {
            match content {
                Content::Text(text) => parts.push(Item::Atomic(Atomic::Untyped(text.clone()))),
                Content::Expr(inner) => {
                    let mut after_value = false;
                    for item in self.eval(inner, focus, meter)? {
                        if let (true, Item::Atomic(_)) = (after_value, &item) {
                            parts.push(Item::Atomic(Atomic::text(" ")));
                        }
                        after_value = matches!(item, Item::Atomic(_));
                        parts.push(item);
                    }
                }
            }
        }
        append(builder, &parts, meter)?;
        builder.close();
        Ok(())
    }
}

/// Items as what is in the element that is open: attributes come first. 6307, 6308.
pub fn append(builder: &mut Builder, items: &[Item], meter: &mut Meter<'_, '_>) -> SqlResult<()> {
    let mut nodes = false;
    for item in items {
        let Item::Node(document, node) = item else { continue };
        match document.kind(*node) {
            Kind::Attribute if nodes => return Err(types::sql_error!(6307)),
            Kind::Attribute => builder.new_attribute(document.name(*node), document.value(*node), meter)?,
            kind => nodes |= kind != Kind::Text,
        }
    }
    for item in items {
        match item {
            Item::Atomic(value) => builder.text(&value.show())?,
            Item::Node(document, node) if document.kind(*node) != Kind::Attribute => {
                builder.copy(document, *node, meter)?;
            }
            Item::Node(..) => {}
        }
    }
    Ok(())
}

/// Document order; of different trees one after the other, always the same.
pub(super) fn order(a: &Item, b: &Item) -> Ordering {
    match (a, b) {
        (Item::Node(a_tree, a), Item::Node(b_tree, b)) => {
            (Arc::as_ptr(a_tree) as usize, a).cmp(&(Arc::as_ptr(b_tree) as usize, b))
        }
        _ => Ordering::Equal,
    }
}

pub(super) fn boolean(value: bool) -> Sequence {
    vec![Item::Atomic(Atomic::Boolean(value))]
}

pub(super) fn maybe(value: Option<Atomic>) -> Sequence {
    value.into_iter().map(Item::Atomic).collect()
}

pub(super) fn truth(items: &[Item]) -> bool {
    match items.first() {
        None => false,
        Some(Item::Node(..)) => true,
        Some(Item::Atomic(Atomic::Boolean(value))) => *value,
        Some(Item::Atomic(value)) if value.is_numeric() => value.number().is_some_and(|number| number != 0.0),
        Some(Item::Atomic(value)) => !value.show().is_empty(),
    }
}

fn is_instance(items: &[Item], ty: &SequenceType) -> bool {
    let counted = match ty.occurrence {
        _ if matches!(ty.item, ItemTest::Empty) => return items.is_empty(),
        None => items.len() == 1,
        Some('?') => items.len() <= 1,
        Some('+') => !items.is_empty(),
        Some(_) => true,
    };
    let fits = |item: &Item| match (&ty.item, item) {
        (ItemTest::Item, _) => true,
        (ItemTest::Atomic(ty), Item::Atomic(value)) => match (ty.base, value.base()) {
            (Base::Decimal, Base::Integer) => true,
            (a, b) => a == b,
        },
        (ItemTest::Node, Item::Node(..)) => true,
        (test, Item::Node(document, node)) => {
            let named = |name: &Option<crate::Name>| name.as_ref().is_none_or(|name| document.name(*node).is(name));
            match (test, document.kind(*node)) {
                (ItemTest::Element(name), Kind::Element) | (ItemTest::Attribute(name), Kind::Attribute) => named(name),
                (ItemTest::Text, Kind::Text) => true,
                (ItemTest::Comment, Kind::Comment) => true,
                (ItemTest::Instruction, Kind::Instruction) => true,
                _ => false,
            }
        }
        _ => false,
    };
    counted && items.iter().all(fits)
}

/// Items of a run that is sorted at once: a sort cannot end in its middle.
const RUN: usize = 1024;

/// In order, what is equal as it came. Runs are sorted and merged.
pub(super) fn sorted<T>(
    items: Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
    meter: &mut Meter<'_, '_>,
) -> SqlResult<Vec<T>> {
    let mut runs: Vec<Vec<T>> = Vec::new();
    let mut items = items.into_iter();
    loop {
        let mut run: Vec<T> = items.by_ref().take(RUN).collect();
        if run.is_empty() {
            break;
        }
        run.sort_by(&compare);
        meter.spend(NODE * run.len())?;
        runs.push(run);
    }
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(left) = pairs.next() {
            let Some(right) = pairs.next() else {
                merged.push(left);
                break;
            };
            let mut out = Vec::with_capacity(left.len() + right.len());
            let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
            loop {
                meter.spend(NODE / 4)?;
                let from_left = match (left.peek(), right.peek()) {
                    (Some(a), Some(b)) => compare(a, b).is_le(),
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    (None, None) => break,
                };
                out.extend(if from_left { left.next() } else { right.next() });
            }
            merged.push(out);
        }
        runs = merged;
    }
    Ok(runs.pop().unwrap_or_default())
}
