//! Random changes of a table. None depends on the order in which rows come: keys stay unique, and no row is matched twice.

use super::expression::{Maker, Named, Scope};
use super::node::{Class, Node};
use super::query::subquery;
use super::schema::{Column, TABLES};

impl Maker<'_> {
    /// A change, its table, and a query of the table that is asked afterwards.
    pub fn change(&mut self) -> Vec<Node> {
        let number = self.below(TABLES);
        let change = match self.below(8) {
            0..3 => self.update(number),
            3 | 4 => self.delete(number),
            5 | 6 => self.insert(number),
            _ => self.merge(number),
        };
        let scope = self.scope_of(number, "z");
        let (items, clause) = (self.items(&scope), self.where_clause(&scope));
        let asked = Node::new(Class::Query, "SELECT $ FROM $$", [items, Node::table(number, "z"), clause]);
        vec![change, Node::table(number, "z"), asked]
    }

    fn scope_of(&self, number: usize, alias: &str) -> Scope {
        let columns = self.schema.tables[number].columns.iter().map(|column| Named {
            text: format!("{alias}.{}", column.name),
            class: column.class,
            tiny: column.sql_type == "tinyint",
        });
        Scope { columns: columns.collect(), keys: vec![format!("{alias}.k")] }
    }

    /// What an UPDATE sets: some columns, and perhaps the key.
    fn assignments(&mut self, number: usize, scope: &Scope, key_too: bool) -> Node {
        let schema = self.schema;
        let mut found = Vec::new();
        if key_too {
            let key = &scope.keys[0];
            let moved = [format!("k = {key} + 1"), format!("k = 60 - {key}"), format!("k = {key} * 2")];
            found.push(Node::fixed(Class::List, &moved[self.below(3)][..]));
        }
        for column in &schema.tables[number].columns[1..] {
            if self.one_in(2) || found.is_empty() {
                let value = self.assigned(column, scope);
                found.push(Node::new(Class::List, "$ = $", [Node::fixed(Class::List, &column.name[..]), value]));
            }
        }
        Node::list(", ", found)
    }

    fn assigned(&mut self, column: &Column, scope: &Scope) -> Node {
        if column.class == Class::Binary || !column.nullable && self.one_in(2) {
            return self.literal(column.class);
        }
        self.value(scope, column.class, 1, &subquery)
    }

    fn update(&mut self, number: usize) -> Node {
        let scope = self.scope_of(number, "x");
        // All keys move or none: one that moves alone may meet another.
        let clause = self.where_clause(&scope);
        let key_too = clause == Node::nothing() && self.one_in(2);
        let set = self.assignments(number, &scope, key_too);
        Node::new(
            Class::Query,
            "UPDATE x SET $ OUTPUT deleted.k, inserted.* FROM $$",
            [set, Node::table(number, "x"), clause],
        )
    }

    fn delete(&mut self, number: usize) -> Node {
        let scope = self.scope_of(number, "x");
        let clause = self.where_clause(&scope);
        Node::new(Class::Query, "DELETE x OUTPUT deleted.* FROM $$", [Node::table(number, "x"), clause])
    }

    /// From a table, perhaps itself, with keys that are not there.
    fn insert(&mut self, number: usize) -> Node {
        let schema = self.schema;
        let source = self.below(TABLES);
        let scope = self.scope_of(source, "x");
        let mut values = vec![Node::fixed(Class::List, "x.k + 100")];
        values.extend(schema.tables[number].columns[1..].iter().map(|column| self.assigned(column, &scope)));
        let clause = self.where_clause(&scope);
        let parts = [Node::table(number, ""), Node::list(", ", values), Node::table(source, "x"), clause];
        Node::new(Class::Query, "INSERT INTO $ OUTPUT inserted.* SELECT $ FROM $$", parts)
    }

    fn merge(&mut self, number: usize) -> Node {
        let schema = self.schema;
        let source = self.below(TABLES);
        let (own, other) = (self.scope_of(number, "x"), self.scope_of(source, "y"));
        let mut both = own.clone();
        both.columns.extend(other.columns.iter().cloned());
        let apart = self.below(7);
        let matched = match self.one_in(3) {
            true => Node::fixed(Class::List, "DELETE"),
            false => {
                let set = self.assignments(number, &both, false);
                Node::new(Class::List, "UPDATE SET $", [set])
            }
        };
        let when = self.predicate(&both, 1, &subquery);
        let mut values = vec![Node::fixed(Class::List, format!("y.k + {apart}"))];
        values.extend(schema.tables[number].columns[1..].iter().map(|column| self.assigned(column, &other)));
        let gone = self.predicate(&own, 1, &subquery);
        let parts = [
            Node::table(number, "x"),
            Node::table(source, "y"),
            Node::fixed(Class::List, format!("x.k = y.k + {apart}")),
            Node::new(Class::Clause, " WHEN MATCHED AND $ THEN $", [when, matched]),
            Node::new(Class::Clause, " WHEN NOT MATCHED THEN INSERT VALUES ($)", [Node::list(", ", values)]),
            Node::new(Class::Clause, " WHEN NOT MATCHED BY SOURCE AND $ THEN DELETE", [gone]),
        ];
        Node::new(Class::Query, "MERGE INTO $ USING $ ON $$$$ OUTPUT deleted.k, inserted.*", parts)
    }
}

/// Result sets of a change's statement: what it gives out, the table, the query.
pub const SETS: usize = 3;
