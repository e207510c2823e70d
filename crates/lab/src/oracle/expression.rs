//! Random expressions and predicates over what a FROM offers. None of them should fail: which of several rows is computed is nobody's
//! promise, so neither is its error.

use os::random::Rng;

use super::node::{Class, Node};
use super::schema::{COLLATIONS, literal, one_in, pick};

/// What expressions may name.
#[derive(Clone, Default)]
pub struct Scope {
    pub columns: Vec<Named>,
    /// Columns that together are of one row each; none: there may be equal rows.
    pub keys: Vec<String>,
}

#[derive(Clone)]
pub struct Named {
    pub text: String,
    pub class: Class,
    /// So small that sums of it overflow.
    pub tiny: bool,
}

/// Makes subqueries, which this file cannot.
pub type Subquery<'m> = &'m dyn Fn(&mut Maker, &Scope, Class) -> Node;

pub struct Maker<'s> {
    pub rng: Rng,
    pub schema: &'s super::schema::Schema,
    pub aliases: usize,
    /// Subqueries that may still be made.
    pub subqueries: usize,
}

const COMPARISONS: [&str; 6] = ["$ = $", "$ <> $", "$ < $", "$ <= $", "$ > $", "$ >= $"];

impl Maker<'_> {
    pub fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound as u64) as usize
    }

    pub fn one_in(&mut self, bound: u64) -> bool {
        one_in(&mut self.rng, bound)
    }

    pub fn portable(&self) -> bool {
        self.schema.portable
    }

    pub fn class(&mut self) -> Class {
        match self.below(if self.portable() { 8 } else { 12 }) {
            0..4 => Class::Integer,
            4 | 5 => Class::Text(0),
            6 => Class::Text(1),
            7 => Class::Date,
            8 => Class::Decimal,
            9 => Class::Float,
            10 => Class::Moment,
            _ => Class::Text(2),
        }
    }

    /// A column of the class, else a literal.
    pub fn leaf(&mut self, scope: &Scope, class: Class) -> Node {
        let fitting: Vec<&Named> = scope.columns.iter().filter(|column| column.class == class).collect();
        if !fitting.is_empty() && !self.one_in(6) {
            let column = fitting[self.below(fitting.len())];
            return match column.tiny {
                true => Node::fixed(class, format!("CAST({} AS int)", column.text)),
                false => Node::fixed(class, &column.text[..]),
            };
        }
        if self.one_in(12) && class == Class::Integer {
            return Node::fixed(class, "CAST(NULL AS int)");
        }
        self.literal(class)
    }

    pub fn literal(&mut self, class: Class) -> Node {
        let text = literal(&mut self.rng, class);
        match class {
            // Two literals would be compared as the database does, not as SQLite.
            Class::Text(1) if self.portable() => {
                Node::fixed(class, format!("{{{text} COLLATE Latin1_General_BIN2¦{text}}}"))
            }
            Class::Date if self.portable() => Node::fixed(class, text),
            Class::Date => Node::fixed(class, format!("CAST({text} AS date)")),
            Class::Moment => Node::fixed(class, format!("CAST({text} AS datetime2(3))")),
            _ => Node::fixed(class, text),
        }
    }

    pub fn value(&mut self, scope: &Scope, class: Class, depth: usize, subquery: Subquery) -> Node {
        if depth == 0 || self.one_in(3) {
            return self.leaf(scope, class);
        }
        if self.subqueries > 0 && self.one_in(14) {
            self.subqueries -= 1;
            return subquery(self, scope, class);
        }
        let depth = depth - 1;
        if self.one_in(3) {
            return self.general(scope, class, depth, subquery);
        }
        match class {
            Class::Integer => self.integer(scope, depth, subquery),
            Class::Text(_) => self.text(scope, class, depth, subquery),
            Class::Decimal => {
                let (left, right) = (self.leaf(scope, class), self.leaf(scope, class));
                let form = pick(&mut self.rng, &["($ + $)", "($ - $)", "($ * $)"]);
                Node::new(class, form, [left, right])
            }
            Class::Float => {
                let (left, right) = (self.leaf(scope, class), self.leaf(scope, class));
                let form = pick(&mut self.rng, &["($ + $)", "($ - $)", "($ * $)", "($ / NULLIF($, 0e0))"]);
                Node::new(class, form, [left, right])
            }
            Class::Date | Class::Moment if !self.portable() => {
                let (days, from) = (self.literal(Class::Integer), self.leaf(scope, class));
                let form = pick(&mut self.rng, &["DATEADD(day, $, $)", "DATEADD(month, $, $)"]);
                Node::new(class, form, [days, from])
            }
            _ => self.leaf(scope, class),
        }
    }

    /// What there is of every class.
    fn general(&mut self, scope: &Scope, class: Class, depth: usize, subquery: Subquery) -> Node {
        let one = self.value(scope, class, depth, subquery);
        let other = self.leaf(scope, class);
        match self.below(5) {
            0 => Node::new(class, "COALESCE($, $)", [one, other]),
            1 => Node::new(class, "NULLIF($, $)", [one, other]),
            2 => {
                let when = self.predicate(scope, depth, subquery);
                Node::new(class, "CASE WHEN $ THEN $ ELSE $ END", [when, one, other])
            }
            3 => {
                let when = self.predicate(scope, depth, subquery);
                Node::new(class, "CASE WHEN $ THEN $ END", [when, one])
            }
            _ => {
                let (operand, when) = (self.leaf(scope, Class::Integer), self.literal(Class::Integer));
                Node::new(class, "CASE $ WHEN $ THEN $ ELSE $ END", [operand, when, one, other])
            }
        }
    }

    fn integer(&mut self, scope: &Scope, depth: usize, subquery: Subquery) -> Node {
        const OF_TWO: [&str; 6] =
            ["($ + $)", "($ - $)", "(($ * $) % 1000)", "($ / NULLIF($, 0))", "($ % NULLIF($, 0))", "(($ - $) * 2 + 1)"];
        match self.below(9) {
            0 => {
                let of = Class::Text(self.below(2) as u8);
                let text = self.value(scope, of, depth, subquery);
                Node::new(Class::Integer, "{LEN¦LENGTH}($)", [text])
            }
            1 => {
                let inner = self.value(scope, Class::Integer, depth, subquery);
                Node::new(Class::Integer, pick(&mut self.rng, &["ABS($)", "SIGN($)", "(-($))", "(0 + $)"]), [inner])
            }
            2 if !self.portable() => {
                let day = self.leaf(scope, Class::Date);
                Node::new(Class::Integer, pick(&mut self.rng, &["YEAR($)", "MONTH($)", "DAY($)"]), [day])
            }
            3 if !self.portable() => {
                let of = Class::Text(self.below(2) as u8);
                let (what, text) = (self.literal(of), self.value(scope, of, depth, subquery));
                Node::new(Class::Integer, "CHARINDEX($, $)", [what, text])
            }
            4 => {
                let when = self.predicate(scope, depth, subquery);
                Node::new(Class::Integer, "CASE WHEN $ THEN 1 ELSE 0 END", [when])
            }
            _ => {
                let left = self.value(scope, Class::Integer, depth, subquery);
                let right = self.value(scope, Class::Integer, depth, subquery);
                Node::new(Class::Integer, pick(&mut self.rng, &OF_TWO), [left, right])
            }
        }
    }

    fn text(&mut self, scope: &Scope, class: Class, depth: usize, subquery: Subquery) -> Node {
        let inner = self.value(scope, class, depth, subquery);
        match self.below(6) {
            0 => Node::new(class, pick(&mut self.rng, &["UPPER($)", "LOWER($)"]), [inner]),
            1 => {
                let other = self.leaf(scope, class);
                Node::new(class, "($ {+¦||} $)", [inner, other])
            }
            2 => Node::new(class, "{LEFT(¦SUBSTR(}${, 2)¦, 1, 2)}", [inner]),
            3 => Node::new(class, "{SUBSTRING¦SUBSTR}($, 2, 2)", [inner]),
            4 if !self.portable() => Node::new(class, "REVERSE($)", [inner]),
            _ => {
                let (what, with) = (self.literal(class), self.literal(class));
                let Class::Text(of) = class else { unreachable!("a text") };
                // SQLite's knows no collation.
                match of == 1 || !self.portable() {
                    true => Node::new(class, "REPLACE($, $, $)", [inner, what, with]),
                    false => inner,
                }
            }
        }
    }

    pub fn predicate(&mut self, scope: &Scope, depth: usize, subquery: Subquery) -> Node {
        if depth > 0 && self.one_in(2) {
            let (left, right) =
                (self.predicate(scope, depth - 1, subquery), self.predicate(scope, depth - 1, subquery));
            return match self.below(5) {
                0 | 1 => Node::new(Class::Predicate, "($ AND $)", [left, right]),
                2 | 3 => Node::new(Class::Predicate, "($ OR $)", [left, right]),
                _ => Node::new(Class::Predicate, "NOT ($)", [left]),
            };
        }
        if self.subqueries > 0 && self.one_in(7) {
            self.subqueries -= 1;
            return subquery(self, scope, Class::Predicate);
        }
        let class = self.class();
        match self.below(9) {
            0 => {
                let operand = self.value(scope, class, depth, subquery);
                Node::new(Class::Predicate, pick(&mut self.rng, &["$ IS NULL", "$ IS NOT NULL"]), [operand])
            }
            1 => {
                let operand = self.value(scope, class, depth, subquery);
                let count = 1 + self.below(4);
                let items = (0..count).map(|_| self.literal(class)).collect();
                let form = pick(&mut self.rng, &["$ IN ($)", "$ IN ($)", "$ NOT IN ($)"]);
                Node::new(Class::Predicate, form, [operand, Node::list(", ", items)])
            }
            2 => {
                let operand = self.value(scope, class, depth, subquery);
                let (from, to) = (self.leaf(scope, class), self.leaf(scope, class));
                let form = pick(&mut self.rng, &["$ BETWEEN $ AND $", "$ NOT BETWEEN $ AND $"]);
                Node::new(Class::Predicate, form, [operand, from, to])
            }
            3 => self.like(scope, depth, subquery),
            _ => {
                let left = self.value(scope, class, depth, subquery);
                let right = if self.one_in(2) { self.literal(class) } else { self.leaf(scope, class) };
                Node::new(Class::Predicate, pick(&mut self.rng, &COMPARISONS), [left, right])
            }
        }
    }

    /// SQLite's LIKE is the first collation's.
    fn like(&mut self, scope: &Scope, depth: usize, subquery: Subquery) -> Node {
        let of = if self.portable() { 0 } else { self.below(COLLATIONS.len()) as u8 };
        let operand = self.value(scope, Class::Text(of), depth, subquery);
        let portable = ["'a%'", "'%b'", "'%b%'", "'_'", "'a_%'", "'%'", "''", "'ab'"];
        let all = ["'a%'", "'%b'", "'[ab]%'", "'_'", "'[^a]%'", "'%'", "''", "'ab'", "'a[b-c]_'"];
        let patterns: &[&str] = if self.portable() { &portable } else { &all };
        let pattern = pick(&mut self.rng, patterns);
        let pattern = Node::fixed(Class::Text(of), pattern);
        Node::new(Class::Predicate, pick(&mut self.rng, &["$ LIKE $", "$ LIKE $", "$ NOT LIKE $"]), [operand, pattern])
    }
}
