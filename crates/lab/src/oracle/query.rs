//! Random FROMs and queries.

use super::expression::{Maker, Named, Scope};
use super::node::{Class, Node};
use super::schema::{TABLES, pick};

const DEPTH: usize = 3;

const AGGREGATES_OF_INTEGERS: [&str; 7] = [
    "COUNT(*) + 0 * COUNT($)",
    "COUNT($)",
    "COUNT(DISTINCT $)",
    "SUM(CAST($ AS bigint))",
    "MIN($)",
    "MAX($)",
    "SUM(DISTINCT CAST($ AS bigint))",
];
const AGGREGATES: [&str; 4] = ["COUNT($)", "COUNT(DISTINCT $)", "MIN($)", "MAX($)"];

impl Maker<'_> {
    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("a{}", self.aliases)
    }

    /// A FROM of up to `tables` tables. `outer`: what a subquery may name as well.
    pub fn rows(&mut self, tables: usize) -> (Node, Scope) {
        if tables <= 1 {
            return match self.one_in(6) {
                true => self.derived(),
                false => self.table(),
            };
        }
        let (left, left_scope) = self.rows(tables - 1);
        let (right, right_scope) = self.rows(1);
        let mut both = left_scope.clone();
        both.columns.extend(right_scope.columns.iter().cloned());
        let keyed = !left_scope.keys.is_empty() && !right_scope.keys.is_empty();
        both.keys = if keyed { [left_scope.keys.clone(), right_scope.keys.clone()].concat() } else { Vec::new() };
        if self.one_in(8) {
            return (Node::new(Class::Rows, "$ CROSS JOIN $", [left, right]), both);
        }
        let on = self.on(&left_scope, &right_scope, &both);
        // SQLite before 3.41 gives no row of the right side where a join on the left gives none.
        let kinds = if self.portable() && tables > 2 { 4 } else { 6 };
        let forms = [
            "$ JOIN $ ON $",
            "$ JOIN $ ON $",
            "$ LEFT JOIN $ ON $",
            "$ LEFT JOIN $ ON $",
            "$ RIGHT JOIN $ ON $",
            "$ FULL JOIN $ ON $",
        ];
        let form = forms[self.below(kinds)];
        (Node::new(Class::Rows, form, [left, right, on]), both)
    }

    fn table(&mut self) -> (Node, Scope) {
        let (number, alias) = (self.below(TABLES), self.alias());
        let table = &self.schema.tables[number];
        let columns = table.columns.iter().map(|column| Named {
            text: format!("{alias}.{}", column.name),
            class: column.class,
            tiny: column.sql_type == "tinyint",
        });
        let scope = Scope { columns: columns.collect(), keys: vec![format!("{alias}.k")] };
        (Node::table(number, &alias), scope)
    }

    /// Texts that are equal and not the same would make what is above it depend on which of them it is.
    fn derived(&mut self) -> (Node, Scope) {
        let alias = self.alias();
        let (from, inner) = self.rows(1);
        let filter = self.where_clause(&inner);
        let mut items = Vec::new();
        let mut scope = Scope::default();
        for number in 0..1 + self.below(3) {
            let class = if self.one_in(2) { Class::Integer } else { self.class() };
            let class = if matches!(class, Class::Text(_)) { Class::Integer } else { class };
            let value = self.value(&inner, class, 1, &subquery);
            items.push(Node::new(class, pick(&mut self.rng, &["$"]), [value]));
            let name = format!("d{number}");
            scope.columns.push(Named { text: format!("{alias}.{name}"), class, tiny: false });
        }
        let named = items.into_iter().enumerate().map(|(number, item)| {
            let class = item.class;
            let name = Node::fixed(Class::List, format!("d{number}"));
            Node::new(class, "$ AS $", [item, name])
        });
        let items = Node::list(", ", named.collect());
        let alias = Node::fixed(Class::List, alias);
        let form = pick(&mut self.rng, &["(SELECT $ FROM $$) AS $", "(SELECT DISTINCT $ FROM $$) AS $"]);
        (Node::new(Class::Rows, form, [items, from, filter, alias]), scope)
    }

    /// Mostly an equality that a join can hash or look up, sometimes with more, sometimes something else.
    fn on(&mut self, left: &Scope, right: &Scope, both: &Scope) -> Node {
        if self.one_in(6) {
            return self.predicate(both, 1, &subquery);
        }
        let class = if self.one_in(3) { self.class() } else { Class::Integer };
        let (one, other) = (self.leaf(left, class), self.leaf(right, class));
        let form = pick(&mut self.rng, &["$ = $", "$ = $", "$ = $", "$ = $", "$ < $", "$ >= $"]);
        let equal = Node::new(Class::Predicate, form, [one, other]);
        match self.below(4) {
            0 => {
                let more = self.predicate(both, 1, &subquery);
                Node::new(Class::Predicate, "($ AND $)", [equal, more])
            }
            1 => {
                let (one, other) = (self.leaf(left, Class::Integer), self.leaf(right, Class::Integer));
                let more = Node::new(Class::Predicate, "$ = $", [one, other]);
                Node::new(Class::Predicate, "($ AND $)", [equal, more])
            }
            _ => equal,
        }
    }

    pub fn filter(&mut self, scope: &Scope) -> Node {
        self.predicate(scope, DEPTH, &subquery)
    }

    pub fn where_clause(&mut self, scope: &Scope) -> Node {
        if self.one_in(3) {
            return Node::nothing();
        }
        let filter = self.predicate(scope, 2, &subquery);
        Node::new(Class::Clause, " WHERE $", [filter])
    }

    /// Values of a select list.
    pub fn items(&mut self, scope: &Scope) -> Node {
        let count = 1 + self.below(4);
        let items = (0..count).map(|_| {
            let class = self.class();
            let depth = self.below(3);
            self.value(scope, class, depth, &subquery)
        });
        Node::list(", ", items.collect())
    }

    /// A value to group by: a column mostly.
    pub fn group_key(&mut self, scope: &Scope) -> Node {
        let class = self.class();
        let columns: Vec<&Named> = scope.columns.iter().filter(|column| column.class == class).collect();
        if !columns.is_empty() && !self.one_in(4) {
            let column = columns[self.below(columns.len())];
            return Node::fixed(class, &column.text[..]);
        }
        // Not a constant, and no subquery: neither may be grouped by.
        let key = Node::fixed(Class::List, &scope.columns[0].text[..]);
        let numeric = scope.columns[0].class == Class::Integer;
        match numeric {
            true => Node::new(Class::Integer, "($ % 3)", [key]),
            false => Node::new(Class::Integer, "CASE WHEN $ IS NULL THEN 1 ELSE 0 END", [key]),
        }
    }

    /// An aggregate's template and argument.
    pub fn aggregate(&mut self, scope: &Scope) -> Node {
        // An argument with a subquery is refused.
        let subqueries = std::mem::take(&mut self.subqueries);
        let class = if self.one_in(2) { Class::Integer } else { self.class() };
        let argument = self.value(scope, class, 1, &subquery);
        self.subqueries = subqueries;
        match class {
            Class::Integer => Node::new(Class::Integer, pick(&mut self.rng, &AGGREGATES_OF_INTEGERS), [argument]),
            _ => match pick(&mut self.rng, &AGGREGATES) {
                counted if counted.starts_with("COUNT") => Node::new(Class::Integer, counted, [argument]),
                one => Node::new(class, one, [argument]),
            },
        }
    }
}

/// A subquery of a class, which may name what is outside of it.
pub fn subquery(maker: &mut Maker, outer: &Scope, class: Class) -> Node {
    let tables = 1 + usize::from(maker.one_in(4));
    let (from, inner) = maker.rows(tables);
    let mut both = inner.clone();
    both.columns.extend(outer.columns.iter().cloned());
    let correlated = !maker.one_in(3);
    let scope = if correlated { &both } else { &inner };
    let filter = match (correlated, maker.one_in(2)) {
        // What can become a join.
        (true, true) if !outer.columns.is_empty() => {
            let of = inner.columns[maker.below(inner.columns.len())].class;
            let (one, other) = (maker.leaf(&inner, of), maker.leaf(outer, of));
            let equal = Node::new(Class::Predicate, "$ = $", [one, other]);
            let more = maker.predicate(scope, 0, &subquery);
            match maker.one_in(2) {
                true => Node::new(Class::Clause, " WHERE $", [equal]),
                false => Node::new(Class::Clause, " WHERE $ AND $", [equal, more]),
            }
        }
        _ => maker.where_clause(scope),
    };
    if class != Class::Predicate {
        // One row: an aggregate without groups.
        let value = maker.leaf(&inner, class);
        let value = match class {
            // A literal's collation is the database's once it is a column.
            Class::Text(0) => Node::new(class, "${ COLLATE Latin1_General_CI_AS¦}", [value]),
            Class::Text(1) => Node::new(class, "${ COLLATE Latin1_General_BIN2¦}", [value]),
            Class::Text(_) => Node::new(class, "${ COLLATE Latin1_General_CS_AS¦}", [value]),
            _ => value,
        };
        return Node::new(
            class,
            pick(&mut maker.rng, &["(SELECT MIN($) FROM $$)", "(SELECT MAX($) FROM $$)"]),
            [value, from, filter],
        );
    }
    match maker.below(5) {
        0 | 1 => Node::new(
            class,
            pick(&mut maker.rng, &["EXISTS (SELECT * FROM $$)", "NOT EXISTS (SELECT * FROM $$)"]),
            [from, filter],
        ),
        2 | 3 => {
            let of = maker.class();
            let (operand, item) = (maker.leaf(outer, of), maker.leaf(&inner, of));
            let form = pick(&mut maker.rng, &["$ IN (SELECT $ FROM $$)", "$ NOT IN (SELECT $ FROM $$)"]);
            Node::new(class, form, [operand, item, from, filter])
        }
        _ if maker.portable() => {
            let (operand, item) = (maker.leaf(outer, Class::Integer), maker.leaf(&inner, Class::Integer));
            Node::new(class, "$ <= (SELECT COUNT($) FROM $$)", [operand, item, from, filter])
        }
        _ => {
            let (operand, item) = (maker.leaf(outer, Class::Integer), maker.leaf(&inner, Class::Integer));
            let form = pick(
                &mut maker.rng,
                &[
                    "$ > ALL (SELECT $ FROM $$)",
                    "$ = ANY (SELECT $ FROM $$)",
                    "$ < ANY (SELECT $ FROM $$)",
                    "$ <> ALL (SELECT $ FROM $$)",
                ],
            );
            Node::new(class, form, [operand, item, from, filter])
        }
    }
}

impl Maker<'_> {
    /// An aggregate and the one that puts those of parts together, over a column x.
    pub fn partitioned_aggregate(&mut self, scope: &Scope) -> [Node; 2] {
        let subqueries = std::mem::take(&mut self.subqueries);
        let class = if self.one_in(2) { Class::Integer } else { self.class() };
        let argument = self.value(scope, class, 1, &subquery);
        self.subqueries = subqueries;
        let (inner, outer) = match self.below(if class == Class::Integer { 5 } else { 3 }) {
            0 => ("MIN($)", "MIN(x)"),
            1 => ("MAX($)", "MAX(x)"),
            2 => ("COUNT($)", "SUM(x)"),
            3 => ("SUM(CAST($ AS bigint))", "SUM(x)"),
            _ => ("COUNT_BIG(*) + 0 * COUNT($)", "SUM(x)"),
        };
        [Node::new(class, inner, [argument]), Node::fixed(Class::List, outer)]
    }

    /// A whole query over a FROM: rows, groups, windows, sets, the first of an order.
    pub fn query(&mut self, from: Node, scope: &Scope) -> Node {
        let clause = self.where_clause(scope);
        match self.below(7) {
            0 | 1 => {
                let items = self.items(scope);
                let form = pick(&mut self.rng, &["SELECT $ FROM $$", "SELECT DISTINCT $ FROM $$"]);
                Node::new(Class::Query, form, [items, from, clause])
            }
            2 | 3 => {
                let (key, other) = (self.group_key(scope), self.group_key(scope));
                let aggregates = Node::list(", ", vec![self.aggregate(scope), self.aggregate(scope)]);
                let having = self.aggregate(scope);
                let having = match self.one_in(2) {
                    true => Node::new(Class::Clause, " HAVING $ IS NOT NULL", [having]),
                    false => Node::new(Class::Clause, " HAVING COUNT(*) >= 2", []),
                };
                let keys = Node::list(", ", vec![key, other]);
                Node::new(
                    Class::Query,
                    "SELECT $, $ FROM $$ GROUP BY $$",
                    [keys.clone(), aggregates, from, clause, keys, having],
                )
            }
            4 => {
                let items = self.items(scope);
                let windows = Node::list(", ", (0..1 + self.below(2)).map(|_| self.window(scope)).collect());
                Node::new(Class::Query, "SELECT $, $ FROM $$", [items, windows, from, clause])
            }
            5 => {
                let classes: Vec<Class> = (0..1 + self.below(2)).map(|_| self.class()).collect();
                let one = self.items_of(scope, &classes);
                let tables = 1 + self.below(2);
                let (second, second_scope) = self.rows(tables);
                let other = self.items_of(&second_scope, &classes);
                let other_clause = self.where_clause(&second_scope);
                let form = pick(
                    &mut self.rng,
                    &[
                        "SELECT $ FROM $$ UNION SELECT $ FROM $$",
                        "SELECT $ FROM $$ UNION ALL SELECT $ FROM $$",
                        "SELECT $ FROM $$ EXCEPT SELECT $ FROM $$",
                        "SELECT $ FROM $$ INTERSECT SELECT $ FROM $$",
                    ],
                );
                Node::new(Class::Query, form, [one, from, clause, other, second, other_clause])
            }
            _ => self.first_rows(from, clause, scope),
        }
    }

    fn items_of(&mut self, scope: &Scope, classes: &[Class]) -> Node {
        Node::list(", ", classes.iter().map(|class| self.value(scope, *class, 1, &subquery)).collect())
    }

    /// Ordered by all that is selected, so that which rows are first is certain.
    fn first_rows(&mut self, from: Node, clause: Node, scope: &Scope) -> Node {
        let column = scope.columns[self.below(scope.columns.len())].clone();
        let other = scope.columns[self.below(scope.columns.len())].clone();
        // A column may be named once in an order.
        let (items, orders): (_, &[&str]) = match column.text == other.text {
            true => (format!("{} AS x", column.text), &["x", "x DESC"]),
            false => (
                format!("{} AS x, {} AS y", column.text, other.text),
                &["x, y", "x DESC, y", "y, x DESC", "y DESC, x DESC"],
            ),
        };
        let items = Node::fixed(Class::List, items);
        let order = pick(&mut self.rng, orders);
        let order = Node::fixed(Class::List, order);
        let (skip, take) = (self.below(6), 1 + self.below(9));
        let bounds = Node::fixed(
            Class::List,
            format!("{{OFFSET {skip} ROWS FETCH NEXT {take} ROWS ONLY¦LIMIT {take} OFFSET {skip}}}"),
        );
        Node::new(Class::Query, "SELECT $ FROM $$ ORDER BY $ $", [items, from, clause, order, bounds])
    }

    fn window(&mut self, scope: &Scope) -> Node {
        let part = Node::fixed(Class::List, &scope.columns[self.below(scope.columns.len())].text[..]);
        let ordered =
            if scope.keys.is_empty() { part.clone() } else { Node::fixed(Class::List, scope.keys.join(", ")) };
        let value = self.leaf(scope, Class::Integer);
        let unique: &[&str] = &[
            "ROW_NUMBER() OVER (PARTITION BY $ ORDER BY $) + 0 * COALESCE($, 0)",
            "LAG($) OVER (PARTITION BY $ ORDER BY $ DESC)",
            "LEAD($, 2) OVER (PARTITION BY $ ORDER BY $)",
            "FIRST_VALUE($) OVER (PARTITION BY $ ORDER BY $)",
            "SUM(CAST($ AS bigint)) OVER (PARTITION BY $ ORDER BY $ ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)",
            "MAX($) OVER (PARTITION BY $ ORDER BY $ ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)",
        ];
        let any: &[&str] = &[
            "SUM(CAST($ AS bigint)) OVER (PARTITION BY $ ORDER BY $)",
            "COUNT($) OVER (PARTITION BY $ ORDER BY $)",
            "MIN($) OVER (PARTITION BY $ ORDER BY $)",
        ];
        let rank: &[&str] =
            &["RANK() OVER (ORDER BY $)", "DENSE_RANK() OVER (ORDER BY $)", "COUNT(*) OVER (PARTITION BY $)"];
        match self.below(3) {
            0 if !scope.keys.is_empty() => match self.below(6) {
                0 => Node::new(Class::Integer, unique[0], [part, ordered, value]),
                at => Node::new(Class::Integer, unique[at], [value, part, ordered]),
            },
            1 => Node::new(Class::Integer, pick(&mut self.rng, rank), [part]),
            _ => {
                let other = Node::fixed(Class::List, &scope.columns[self.below(scope.columns.len())].text[..]);
                Node::new(Class::Integer, pick(&mut self.rng, any), [value, part, other])
            }
        }
    }
}
