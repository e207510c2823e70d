//! How many rows? From row counts, unique keys and statistics of columns; where there are none, by the form of a predicate.
//!
//! Several predicates are taken as SQL Server does since 2014: the most selective one whole, of the next ones the square root, the fourth
//! and the eighth root, since columns are seldom independent
//! (<https://learn.microsoft.com/sql/relational-databases/performance/cardinality-estimation-sql-server>).

use types::convert::NO_STYLE;
use types::like::LikePattern;
use types::pause::Pacer;
use types::{ConvertContext, Datum, SqlType};

use super::constant::{column_of, constant_of, likely_key, plain};
use super::rel::{ColumnId, ColumnSet, Get, Rel};
use crate::plan::{CompareOp, Expr, ExprKind, JoinKind, TableSource};
use crate::statistics::Statistics;

/// A table just created is empty while its plan is made and may not stay so.
const TABLE_ROWS_MIN: f64 = 100.0;

/// Parts of the rows that pass predicates of which nothing better is known.
const EQUAL: f64 = 0.05;
const RANGE: f64 = 0.3;
const LIKE: f64 = 0.1;
const NULLS: f64 = 0.1;
const OTHER: f64 = 0.5;

/// Values that a pattern is tried on: fewer say nothing, more cost each plan more than they tell.
const SAMPLE_MIN: usize = 20;
const SAMPLE_MAX: usize = 64;
/// Of a text, and of a pattern.
const SAMPLED_BYTES_MAX: usize = 256;

pub fn table_rows(get: &Get) -> f64 {
    // What a statement has changed, for an indexed view, is thought to be few rows.
    let is_change = get.lock.own && !matches!(get.source, TableSource::Base(_));
    let known = is_change || !get.statistics.all.is_empty();
    if known { (get.rows as f64).max(1.0) } else { (get.rows as f64).max(TABLE_ROWS_MIN) }
}

/// Whose columns predicates are about.
pub trait Known {
    /// The table that the column's values come from, and the column there.
    fn column(&self, id: ColumnId) -> Option<(&Get, u16)>;
}

impl Known for Get {
    fn column(&self, id: ColumnId) -> Option<(&Get, u16)> {
        Some((self, self.column_of(id)?))
    }
}

impl Known for Rel {
    fn column(&self, id: ColumnId) -> Option<(&Get, u16)> {
        match self {
            Rel::Get(get) => get.column(id),
            Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => input.column(id),
            Rel::Map { input, defs } => match defs.iter().find(|(own, _)| *own == id) {
                Some((_, Expr { kind: ExprKind::Column(column), .. })) => input.column(ColumnId(*column as u32)),
                Some(_) => None,
                None => input.column(id),
            },
            Rel::Window(window) => window.input.column(id),
            Rel::Top(top) => top.input.column(id),
            Rel::Join(join) => join.left.column(id).or_else(|| match join.kind {
                JoinKind::Semi | JoinKind::Anti => None,
                _ => join.right.column(id),
            }),
            Rel::Aggregate(group) => match group.group.iter().find(|(own, _)| *own == id) {
                Some((_, Expr { kind: ExprKind::Column(column), .. })) => group.input.column(ColumnId(*column as u32)),
                _ => None,
            },
            // The branch with the largest table stands for all.
            Rel::Concat { ids, branches } => {
                let at = ids.iter().position(|own| *own == id)?;
                let each = branches.iter().filter_map(|branch| branch.rel.column(branch.columns[at]));
                each.max_by_key(|(get, _)| get.rows)
            }
            Rel::Leaf(_) | Rel::Values { .. } | Rel::SetOperation { .. } | Rel::Recursive { .. } | Rel::Text(_) => None,
        }
    }
}

/// Different values of a column in its whole table.
fn distinct_values(get: &Get, column: u16) -> Option<f64> {
    let is_key = get.table.indexes.iter().any(|index| {
        index.unique && index.filter.is_empty() && matches!(index.key.as_slice(), [(own, _)] if *own == column)
    });
    match is_key {
        true => Some(table_rows(get)),
        false => get.statistics.of(column).map(|own| own.distinct[0].clamp(1.0, table_rows(get))),
    }
}

/// Different values that the expressions have together in `rows` rows of `known`. One of which nothing is known may be a key.
fn distinct_together<'e>(known: &dyn Known, rows: f64, values: impl Iterator<Item = &'e Expr>) -> f64 {
    let found: Vec<Option<(&Get, u16)>> = values.map(|value| plain(value).and_then(|id| known.column(id))).collect();
    if let [Some((get, _)), _, ..] = found.as_slice()
        && let Some(columns) = found
            .iter()
            .map(|one| one.filter(|(own, _)| own.first == get.first).map(|(_, c)| c))
            .collect::<Option<Vec<_>>>()
    {
        let is_key = get.table.indexes.iter().any(|index| {
            index.unique && index.filter.is_empty() && index.key.iter().all(|(column, _)| columns.contains(column))
        });
        let together = if is_key { Some(table_rows(get)) } else { get.statistics.distinct_together(&columns) };
        if let Some(together) = together {
            return together.clamp(1.0, rows.max(1.0));
        }
    }
    let each = found.into_iter().map(|one| one.and_then(|(get, column)| distinct_values(get, column)).unwrap_or(rows));
    let mut each: Vec<f64> = each.map(|count| 1.0 / count.clamp(1.0, rows.max(1.0))).collect();
    (1.0 / weighed(&mut each)).clamp(1.0, rows.max(1.0))
}

/// The part that several predicates leave together.
fn weighed(parts: &mut [f64]) -> f64 {
    parts.sort_by(f64::total_cmp);
    let mut weight = 1.0;
    let mut product = 1.0;
    for part in parts.iter().take(4) {
        product *= part.powf(weight);
        weight /= 2.0;
    }
    product
}

/// Part of the rows of `known` that pass all predicates.
pub fn part<'e>(known: &dyn Known, predicates: impl Iterator<Item = &'e Expr>) -> f64 {
    let mut parts: Vec<f64> = Vec::new();
    let mut ranges: Vec<Range> = Vec::new();
    for predicate in predicates {
        match range(known, predicate) {
            Some(own) => match ranges.iter_mut().find(|range| range.column == own.column) {
                Some(range) => (range.low, range.high) = (range.low.max(own.low), range.high.min(own.high)),
                None => ranges.push(own),
            },
            None => parts.push(selectivity(known, predicate)),
        }
    }
    parts.extend(ranges.iter().map(Range::part));
    weighed(&mut parts)
}

/// What comparisons leave of the values of a column, as parts of the table's rows that lie below.
struct Range {
    column: ColumnId,
    low: f64,
    high: f64,
    least: f64,
}

impl Range {
    fn part(&self) -> f64 {
        (self.high - self.low).clamp(self.least, 1.0)
    }
}

/// A comparison with a constant.
fn range(known: &dyn Known, predicate: &Expr) -> Option<Range> {
    let ExprKind::Compare { op, left, right, null_equal: false } = &predicate.kind else { return None };
    let (id, value, op) = match (plain(left), plain(right)) {
        (Some(id), None) => (id, right, *op),
        (None, Some(id)) => (id, left, op.swapped()),
        _ => return None,
    };
    if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
        return None;
    }
    let (get, column) = known.column(id)?;
    let own = get.statistics.of(column)?;
    let key = likely_key(&get.table.columns[usize::from(column)].ty, value)?;
    let rows = own.rows.max(1.0);
    let below = |inclusive| own.histogram.below(&key, inclusive) / rows;
    let all = own.histogram.values() / rows;
    let (low, high) = match op {
        CompareOp::Less => (0.0, below(false)),
        CompareOp::LessOrEqual => (0.0, below(true)),
        CompareOp::Greater => (below(true), all),
        _ => (below(false), all),
    };
    Some(Range { column: id, low, high, least: (1.0 / rows).min(1.0) })
}

/// What the estimate of a predicate is worth: nothing is known of its column, or the bound is known when it runs.
pub fn is_guess(get: &Get, predicate: &Expr) -> bool {
    let known = |value: &Expr| {
        plain(value).and_then(|id| get.column_of(id)).is_some_and(|column| get.statistics.of(column).is_some())
    };
    match &predicate.kind {
        ExprKind::Compare { op: CompareOp::Equal, left, right, .. } => !known(left) && !known(right),
        ExprKind::InList { value, .. } => !known(value),
        ExprKind::Like { value, pattern, .. } => !known(value) || !matches!(pattern.kind, ExprKind::Literal(_)),
        _ => range(get, predicate).is_none(),
    }
}

/// Part of the rows that pass the predicate.
pub fn selectivity(known: &dyn Known, predicate: &Expr) -> f64 {
    let of = |value: &Expr| {
        let (get, column) = known.column(plain(value)?)?;
        Some((get.table.columns[usize::from(column)].ty, get.statistics.of(column)?))
    };
    match &predicate.kind {
        ExprKind::Compare { op, left, right, null_equal } => {
            if let Some(range) = range(known, predicate) {
                return range.part();
            }
            match (of(left), of(right)) {
                (Some((ty, own)), None) => compared(*op, own, &ty, right, *null_equal),
                (None, Some((ty, own))) => compared(op.swapped(), own, &ty, left, *null_equal),
                (Some((_, one)), Some((_, other))) if *op == CompareOp::Equal => {
                    1.0 / one.distinct[0].max(other.distinct[0]).max(1.0)
                }
                _ => match op {
                    CompareOp::Equal => EQUAL,
                    CompareOp::NotEqual => 0.9,
                    _ => RANGE,
                },
            }
        }
        ExprKind::InList { value, list } => match of(value) {
            Some((ty, own)) => list
                .iter()
                .map(|item| compared(CompareOp::Equal, own, &ty, item, false))
                .sum::<f64>()
                .min(1.0 - null_part(own)),
            None => (EQUAL * list.len() as f64).min(0.5),
        },
        ExprKind::Like { value, pattern, escape: None } => of(value)
            .and_then(|(ty, own)| begins(own, &ty, pattern).or_else(|| matching_steps(own, &ty, value, pattern)))
            .unwrap_or(LIKE),
        ExprKind::Like { .. } => LIKE,
        ExprKind::IsNull(value) => of(value).map_or(NULLS, |(_, own)| null_part(own)),
        ExprKind::Not(inner) => 1.0 - selectivity(known, inner),
        ExprKind::And(list) => part(known, list.iter()),
        ExprKind::Or(list) => {
            let none: f64 = list.iter().map(|arm| 1.0 - selectivity(known, arm)).product();
            (1.0 - none).min(1.0)
        }
        ExprKind::Literal(Datum::I64(1)) => 1.0,
        ExprKind::Literal(_) => 0.0,
        _ => OTHER,
    }
}

fn null_part(own: &Statistics) -> f64 {
    own.histogram.nulls / own.rows.max(1.0)
}

/// Of a comparison of a column with a value: one that is known when the plan is made, or any.
fn compared(op: CompareOp, own: &Statistics, ty: &SqlType, value: &Expr, null_equal: bool) -> f64 {
    let rows = own.rows.max(1.0);
    let (nulls, least) = (null_part(own), (1.0 / rows).min(1.0));
    if matches!(value.kind, ExprKind::Literal(Datum::Null)) {
        return if null_equal && op == CompareOp::Equal { nulls } else { 0.0 };
    }
    let equal = match likely_key(ty, value) {
        Some(key) => (own.histogram.equal(&key) / rows).max(least),
        None => ((1.0 - nulls) / (own.distinct[0] - f64::from(nulls > 0.0)).max(1.0)).max(least),
    };
    match op {
        CompareOp::Equal => equal,
        CompareOp::NotEqual => (1.0 - nulls - equal).max(least),
        _ => RANGE,
    }
}

/// Of `LIKE 'abc%'`: what lies between 'abc' and 'abd'. None: the pattern begins with no letter.
fn begins(own: &Statistics, ty: &SqlType, pattern: &Expr) -> Option<f64> {
    let ExprKind::Literal(Datum::Bytes(bytes)) = &pattern.kind else { return None };
    let unit = if pattern.ty.is_ansi_string() { 1 } else { 2 };
    let plain = |unit: &[u8]| unit[0].is_ascii_alphanumeric() && unit[1..].iter().all(|&byte| byte == 0);
    let count = bytes.chunks_exact(unit).take_while(|unit| plain(unit)).count();
    if count == 0 {
        return None;
    }
    let key = |bytes: &[u8]| {
        let text = Expr::literal(pattern.ty, Datum::Bytes(bytes.into()));
        likely_key(ty, &text)
    };
    let mut text = bytes[..count * unit].to_vec();
    let low = key(&text)?;
    if count * unit == bytes.len() {
        return Some(compared(CompareOp::Equal, own, ty, pattern, false));
    }
    text[(count - 1) * unit] += 1;
    let high = key(&text)?;
    let rows = own.rows.max(1.0);
    let between = own.histogram.between_texts(&low, &high);
    Some((between / rows).clamp((1.0 / rows).min(1.0), 1.0))
}

/// Of `LIKE '%abc%'`: what the pattern finds among the upper values of the histogram's steps, which are a sample of the values.
fn matching_steps(own: &Statistics, ty: &SqlType, value: &Expr, pattern: &Expr) -> Option<f64> {
    let ExprKind::Literal(Datum::Bytes(bytes)) = &pattern.kind else { return None };
    let unit = if pattern.ty.is_ansi_string() { 1 } else { 2 };
    let steps = &own.histogram.steps;
    let says_enough = steps.len() >= SAMPLE_MIN || steps.iter().all(|step| step.range_rows == 0.0);
    // A column that is NULL everywhere has no steps.
    if steps.is_empty() || !says_enough || bytes.len() > SAMPLED_BYTES_MAX {
        return None;
    }
    let mut pacer = Pacer::none();
    let pattern = LikePattern::new(&pattern.ty, bytes, None, &mut pacer).ok()?;
    let (mut all, mut found) = (0.0_f64, 0.0_f64);
    for step in steps.iter().step_by(steps.len().div_ceil(SAMPLE_MAX)) {
        let text = types::convert(&step.value, ty, &value.ty, NO_STYLE, &ConvertContext::ASSIGN).ok()?;
        let Datum::Bytes(text) = text else { return None };
        if text.len() > SAMPLED_BYTES_MAX {
            continue;
        }
        let rows = step.equal_rows + step.range_rows;
        all += rows;
        if pattern.matches(&text, &mut pacer).ok()? {
            found += rows;
        }
    }
    if all == 0.0 {
        return None;
    }
    // What none of them has may still be there: half a step, and less the longer the pattern.
    let least = 0.5 / steps.len().min(SAMPLE_MAX) as f64;
    let rare = || (least * letters_part(bytes, unit).clamp((1.0 / own.rows.max(1.0)).min(least), least)).sqrt();
    Some((1.0 - null_part(own)) * if found > 0.0 { (found / all).max(least) } else { rare() })
}

/// Of a pattern of which nothing is known but its text: a letter stands in a place in one of five texts, and after a `%` there are so many
/// places for what follows. PostgreSQL has the same figures ("like_support.c": FIXED_CHAR_SEL, FULL_WILDCARD_SEL).
fn letters_part(pattern: &[u8], unit: usize) -> f64 {
    pattern.chunks_exact(unit).fold(1.0, |part, letter| match letter[0] {
        b'%' => part * 5.0,
        b'_' => part,
        _ => part * 0.2,
    })
}

pub fn rows(rel: &Rel) -> f64 {
    match rel {
        Rel::Get(get) => table_rows(get),
        Rel::Leaf(_) => 100.0,
        Rel::Values { rows, .. } => rows.len() as f64,
        Rel::Filter { input, predicates } => match &**input {
            Rel::Get(get) => filtered(get, predicates),
            other => (rows(other) * part(other, predicates.iter())).max(1.0),
        },
        Rel::Map { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => rows(input),
        Rel::Window(window) => rows(&window.input),
        Rel::Join(join) => join.rows.unwrap_or_else(|| {
            let sides = ((&join.left, rows(&join.left)), (&join.right, rows(&join.right)));
            joined(join.kind, sides.0, sides.1, &join.on)
        }),
        Rel::Aggregate(group) if group.group.is_empty() => 1.0,
        Rel::Aggregate(group) => groups(&group.input, rows(&group.input), group.group.iter().map(|(_, e)| e)),
        Rel::Top(top) => {
            let input = rows(&top.input);
            match &top.count {
                Some(Expr { kind: ExprKind::Literal(Datum::I64(count)), .. }) => input.min((*count).max(0) as f64),
                Some(_) if !top.percent => input.min(100.0),
                _ => input,
            }
        }
        Rel::Concat { branches, .. } => branches.iter().map(|branch| rows(&branch.rel)).sum(),
        Rel::SetOperation { left, .. } => rows(&left.rel),
        Rel::Text(_) => 1.0,
        Rel::Recursive { anchor, .. } => rows(&anchor.rel) * 10.0,
    }
}

/// Groups of `rows` rows: by their density where it is known of each key.
pub fn groups<'e>(input: &Rel, rows: f64, keys: impl Iterator<Item = &'e Expr> + Clone) -> f64 {
    let all = keys.clone().all(|key| {
        let found = plain(key).and_then(|id| input.column(id));
        found.is_some_and(|(get, column)| distinct_values(get, column).is_some())
    });
    let groups = if all { distinct_together(input, rows, keys) } else { rows.powf(0.7) };
    groups.max(1.0).min(rows.max(1.0))
}

/// Rows of a join of two sides, each with its rows.
pub fn joined(kind: JoinKind, left: (&Rel, f64), right: (&Rel, f64), on: &[Expr]) -> f64 {
    let ((left, left_rows), (right, right_rows)) = (left, right);
    if matches!(kind, JoinKind::Semi | JoinKind::Anti) {
        let part = matching(left, left_rows, right, right_rows, on).unwrap_or(0.5);
        let part = if kind == JoinKind::Semi { part } else { 1.0 - part };
        return (left_rows * part).max(1.0);
    }
    let (equal, other): (Vec<&Expr>, Vec<&Expr>) = on.iter().partition(|p| sides(p, left, right).is_some());
    let mut rows = left_rows * right_rows;
    if !equal.is_empty() {
        rows *= join_part((left, left_rows), (right, right_rows), &equal);
    }
    rows *= part(&Both(left, right), other.into_iter());
    match kind {
        JoinKind::LeftOuter => rows.max(left_rows),
        JoinKind::FullOuter => rows.max(left_rows + right_rows),
        _ => rows.max(1.0),
    }
}

/// Columns of both sides of a join.
pub struct Both<'a>(pub &'a Rel, pub &'a Rel);

impl Known for Both<'_> {
    fn column(&self, id: ColumnId) -> Option<(&Get, u16)> {
        self.0.column(id).or_else(|| self.1.column(id))
    }
}

/// Nobody's.
pub struct Nothing;

impl Known for Nothing {
    fn column(&self, _: ColumnId) -> Option<(&Get, u16)> {
        None
    }
}

/// The part of all pairs of rows that equalities between the two sides leave. Each value of the side with fewer has partners among all rows of
/// the other table, before predicates on other columns took some of them: SQL Server calls it base containment,
/// <https://learn.microsoft.com/sql/relational-databases/performance/cardinality-estimation-sql-server>.
pub fn join_part(left: (&Rel, f64), right: (&Rel, f64), equal: &[&Expr]) -> f64 {
    let pairs: Vec<(&Expr, &Expr)> = equal.iter().filter_map(|p| sides(p, left.0, right.0)).collect();
    if let [(a, b)] = pairs.as_slice() {
        let sides = [((left.0, a), (right, b)), ((right.0, b), (left, a))];
        let known = |(small, (large, key)): &((&Rel, &&Expr), ((&Rel, f64), &&Expr))| {
            KnownRows::of((small.0, small.1), (large.0, key)).map(|known| known.part(large.1))
        };
        if let Some(part) = sides.iter().find_map(known) {
            return part;
        }
    }
    let left_values = KeyValues::of(left, pairs.iter().map(|pair| pair.0));
    let right_values = KeyValues::of(right, pairs.iter().map(|pair| pair.1));
    let (few, many) = match left_values.here < right_values.here {
        true => (left_values.here, right_values.here),
        false => (right_values.here, left_values.here),
    };
    let of_many = |pair: &(&Expr, &Expr)| match left_values.here < right_values.here {
        true => skew(right.0, pair.1),
        false => skew(left.0, pair.0),
    };
    let skew = if let [pair] = pairs.as_slice() { of_many(pair) } else { 0.0 };
    // Which of the values the few are nobody knows: as many rows as they have on the average, and a standard deviation more.
    let more = 1.0 + (skew / few * (1.0 - few / many)).sqrt();
    (more / left_values.of_table.max(right_values.of_table)).min(1.0 / few)
}

/// Different values that one side of a join has in the columns it is joined by.
struct KeyValues {
    /// In its rows.
    here: f64,
    /// In its table, as far as constants in these columns leave them.
    of_table: f64,
}

impl KeyValues {
    fn of<'e>((rel, rows): (&Rel, f64), keys: impl Iterator<Item = &'e Expr> + Clone) -> KeyValues {
        let narrowed = narrowed(rel, keys.clone());
        let values = |rows| (distinct_together(rel, rows, keys.clone()) * narrowed).max(1.0);
        KeyValues { here: values(rows), of_table: values(rows_below(rel).unwrap_or(rows)) }
    }
}

/// Rows of the table that predicates take some of.
fn rows_below(rel: &Rel) -> Option<f64> {
    match rel {
        Rel::Get(get) => Some(table_rows(get)),
        Rel::Filter { input, .. } | Rel::Map { input, .. } => rows_below(input),
        _ => None,
    }
}

/// How many rows a column's values have that a small table was found to have.
pub struct KnownRows {
    /// Of the values there are so many.
    count: f64,
    /// Rows with each of them, on the average.
    pub each: f64,
    /// With each of all values.
    usual: f64,
    /// All rows.
    rows: f64,
    /// Of those that have such a value, the part that the large table's predicates leave, where rows of it were looked at.
    met: Option<f64>,
}

impl KnownRows {
    /// Each a relation and one of its values.
    fn of(small: (&Rel, &Expr), large: (&Rel, &Expr)) -> Option<KnownRows> {
        let (get, column) = small.0.column(plain(small.1)?)?;
        let found = get.statistics.found.as_ref().filter(|found| found.column == column)?;
        let (other, own) = large.0.column(plain(large.1)?)?;
        if other.table.columns[usize::from(own)].ty != get.table.columns[usize::from(column)].ty {
            return None;
        }
        let statistics = other.statistics.of(own)?;
        let count = found.keys.len().max(1) as f64;
        let all: f64 = found.keys.iter().map(|key| statistics.histogram.equal(key)).sum();
        let rows = statistics.rows.max(1.0);
        let usual = rows / statistics.distinct[0].max(1.0);
        let met = other.statistics.met.iter().find(|met| met.column == own).map(|met| met.part);
        Some(KnownRows { count, each: (all / count).max(0.5), usual, rows, met })
    }

    /// The part of all pairs. Which of the large table's rows these values leave is no more independent of which its predicates leave, `left` of
    /// them, than predicates are of each other.
    fn part(&self, left: f64) -> f64 {
        if let Some(met) = self.met {
            return (self.each * met / left).min(1.0);
        }
        let larger = (self.count * self.each / self.rows).max(left / self.rows).min(1.0);
        (self.each / self.rows / larger.sqrt()).min(1.0)
    }

    /// How many times as many rows as usual a look-up on the right finds for each row of the left.
    pub fn times(left: &Rel, right: &Rel, on: &[Expr]) -> f64 {
        let known = |predicate: &Expr| {
            let (a, b) = sides(predicate, left, right)?;
            let known = KnownRows::of((left, a), (right, b))?;
            Some(known.each / known.usual.max(1.0))
        };
        on.iter().filter_map(known).reduce(f64::max).unwrap_or(1.0)
    }
}

/// `Histogram::skew` of a column's values; 0: nothing is known of them.
fn skew(known: &dyn Known, value: &Expr) -> f64 {
    let found = plain(value).and_then(|id| known.column(id));
    found.and_then(|(get, column)| Some(get.statistics.of(column)?.histogram.skew())).unwrap_or(0.0)
}

/// The part of the columns' values that constants leave: both sides of a join may be bound to the same ones.
fn narrowed<'e>(rel: &Rel, values: impl Iterator<Item = &'e Expr>) -> f64 {
    values.filter_map(column_of).map(|id| narrowed_to(rel, id)).fold(1.0, f64::min)
}

fn narrowed_to(rel: &Rel, id: ColumnId) -> f64 {
    match rel {
        Rel::Filter { input, predicates } => {
            let mut own = predicates.iter().filter(|p| constant_of(p) == Some(id)).peekable();
            let part = if own.peek().is_some() { part(&**input, own) } else { 1.0 };
            part * narrowed_to(input, id)
        }
        Rel::Map { input, defs } => match defs.iter().find(|(own, _)| *own == id) {
            Some((_, value)) => column_of(value).map_or(1.0, |below| narrowed_to(input, below)),
            None => narrowed_to(input, id),
        },
        Rel::Join(join) => narrowed_to(&join.left, id).min(narrowed_to(&join.right, id)),
        Rel::Sort { input, .. } => narrowed_to(input, id),
        _ => 1.0,
    }
}

/// The part of the left rows that have a partner.
fn matching(left: &Rel, left_rows: f64, right: &Rel, right_rows: f64, on: &[Expr]) -> Option<f64> {
    let pairs: Vec<(&Expr, &Expr)> = on.iter().filter_map(|p| sides(p, left, right)).collect();
    let (first, _) = pairs.first()?;
    // Nothing is known of the left values: half of them.
    let (get, column) = left.column(plain(first)?)?;
    distinct_values(get, column)?;
    // Which of its values have a partner does not depend on how many of its rows predicates leave.
    let left_values = KeyValues::of((left, left_rows), pairs.iter().map(|pair| pair.0)).of_table;
    let right_values = KeyValues::of((right, right_rows), pairs.iter().map(|pair| pair.1)).here;
    // One of the rows with the same values has to pass what else is asked.
    let rest = part(&Both(left, right), on.iter().filter(|p| sides(p, left, right).is_none()));
    let some = 1.0 - (1.0 - rest).powf((right_rows / right_values).max(1.0));
    Some((right_values / left_values).min(1.0) * some)
}

/// `left expression = right expression`, in this order.
pub fn sides<'e>(predicate: &'e Expr, left: &Rel, right: &Rel) -> Option<(&'e Expr, &'e Expr)> {
    let ExprKind::Compare { op: CompareOp::Equal, left: a, right: b, .. } = &predicate.kind else { return None };
    let (in_a, in_b) = (ColumnSet::of(a), ColumnSet::of(b));
    if in_a.is_empty() || in_b.is_empty() || predicate.is_volatile() || predicate.has_subquery() {
        return None;
    }
    let (left, right) = (left.defined(), right.defined());
    if in_a.meets(&left) && !in_a.meets(&right) && in_b.meets(&right) && !in_b.meets(&left) {
        Some((&**a, &**b))
    } else if in_b.meets(&left) && !in_b.meets(&right) && in_a.meets(&right) && !in_a.meets(&left) {
        Some((&**b, &**a))
    } else {
        None
    }
}

/// The column a comparison fixes to one value: `column = anything that is not of this table`.
pub fn equal_column(get: &Get, predicate: &Expr) -> Option<u16> {
    let ExprKind::Compare { op: CompareOp::Equal, left, right, .. } = &predicate.kind else { return None };
    let own = |e: &Expr| {
        let mut own = false;
        e.for_each_column(&mut |c| own |= get.column_of(ColumnId(c as u32)).is_some());
        own
    };
    let bare = |e: &Expr| match &e.kind {
        ExprKind::Column(c) => get.column_of(ColumnId(*c as u32)),
        ExprKind::Convert { value, .. } => match value.kind {
            ExprKind::Column(c) => get.column_of(ColumnId(c as u32)),
            _ => None,
        },
        _ => None,
    };
    match (bare(left), bare(right)) {
        (Some(column), _) if !own(right) => Some(column),
        (_, Some(column)) if !own(left) => Some(column),
        _ => None,
    }
}

/// A unique key of the table is fixed: there is one row at most.
pub fn is_one_row(get: &Get, predicates: &[Expr]) -> bool {
    let fixed: Vec<u16> = predicates.iter().filter_map(|p| equal_column(get, p)).collect();
    let unique = |key: &[(u16, bool)]| key.iter().all(|(column, _)| fixed.contains(column));
    get.table.indexes.iter().any(|index| index.unique && index.filter.is_empty() && unique(&index.key))
}

/// Rows of `get` that pass: one at most when a unique key is fixed.
pub fn filtered(get: &Get, predicates: &[Expr]) -> f64 {
    if is_one_row(get, predicates) {
        return 1.0;
    }
    let found = get.statistics.found.as_ref().filter(|_| !predicates.is_empty());
    let rows = table_rows(get) * part(get, predicates.iter());
    found.map_or(rows, |found| rows.min(found.keys.len() as f64)).max(1.0)
}
