//! What is asked, and what must hold between the answers.

use types::CollationId;
use types::{Datum, SqlType, TypeKind};

use super::change;
use super::expression::Maker;
use super::native;
use super::node::{Dialect, FORMS, MEMORY_FORM, Node};
use crate::client::ResultSet;
use crate::text;

/// What must hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum)]
pub enum Oracle {
    /// A query's rows are those with a predicate, those with its negation, and those where it is unknown
    Partition,
    /// The same of its different rows
    PartitionDistinct,
    /// The same of its aggregates
    PartitionAggregate,
    /// The same of groups, by HAVING
    PartitionGroups,
    /// As many rows pass a filter as count one in a sum over all
    Count,
    /// Every form of its tables and every hint gives a query the same rows
    Plans,
    /// SQLite gives the same rows, where both dialects can say a query
    Sqlite,
    /// A change does the same to every form of its table
    Changes,
    /// A natively compiled procedure gives what the same statement gives outside of it
    Native,
}

impl Oracle {
    pub const ALL: [Oracle; 9] = [
        Oracle::Partition,
        Oracle::PartitionDistinct,
        Oracle::PartitionAggregate,
        Oracle::PartitionGroups,
        Oracle::Count,
        Oracle::Plans,
        Oracle::Sqlite,
        Oracle::Changes,
        Oracle::Native,
    ];
}

/// A question, as a tree whose children are its parts in the oracle's order.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    pub oracle: Oracle,
    pub parts: Node,
    /// Draws which form of its tables a query is asked of.
    pub draw: u64,
}

const CASELESS: [CollationId; 2] = [CollationId::SQL_LATIN1_GENERAL_CP1_CI_AS, CollationId::LATIN1_GENERAL_CI_AS];

const HINTS: [&str; 6] = [
    "",
    " OPTION (LOOP JOIN)",
    " OPTION (HASH JOIN)",
    " OPTION (MERGE JOIN)",
    " OPTION (FORCE ORDER)",
    " OPTION (HASH GROUP)",
];

pub fn random(maker: &mut Maker, oracle: Oracle) -> Question {
    maker.subqueries = 2;
    if oracle == Oracle::Changes || oracle == Oracle::Native && maker.one_in(3) {
        let parts = maker.change();
        let draw = maker.rng.next();
        return Question { oracle, parts: Node::list(", ", parts), draw };
    }
    let tables = [1, 1, 1, 2, 2, 3][maker.below(6)];
    let (from, scope) = maker.rows(tables);
    let parts = match oracle {
        Oracle::Partition | Oracle::PartitionDistinct => {
            let (items, filter) = (maker.items(&scope), maker.filter(&scope));
            vec![items, from, filter]
        }
        Oracle::PartitionAggregate => {
            let (aggregate, filter) = (maker.partitioned_aggregate(&scope), maker.filter(&scope));
            let [inner, outer] = aggregate;
            vec![inner, outer, from, filter]
        }
        Oracle::PartitionGroups => {
            let (key, aggregate) = (maker.group_key(&scope), maker.aggregate(&scope));
            // What HAVING names is grouped.
            let named = super::expression::Scope {
                columns: vec![super::expression::Named {
                    text: aggregate.text(Dialect::Tsql(0)),
                    class: aggregate.class,
                    tiny: false,
                }],
                keys: Vec::new(),
            };
            maker.subqueries = 0;
            let having = maker.filter(&named);
            vec![key, aggregate, from, having]
        }
        Oracle::Count => vec![from, maker.filter(&scope)],
        Oracle::Plans | Oracle::Sqlite | Oracle::Changes | Oracle::Native => vec![maker.query(from, &scope)],
    };
    let draw = maker.rng.next();
    Question { oracle, parts: Node::list(", ", parts), draw }
}

impl Question {
    fn dialect(&self) -> Dialect {
        match self.draw % 8 {
            form if form < FORMS as u64 => Dialect::Tsql(form as usize),
            _ => Dialect::Mixed(self.draw),
        }
    }

    /// Statements, each of which gives a result set.
    pub fn statements(&self) -> Vec<String> {
        let dialect = self.dialect();
        let parts: Vec<String> = self.parts.children.iter().map(|part| part.text(dialect)).collect();
        let unknown = |of: &str| format!("CASE WHEN {of} THEN 1 WHEN NOT ({of}) THEN 0 END IS NULL");
        match self.oracle {
            Oracle::Partition | Oracle::PartitionDistinct => {
                let distinct = if self.oracle == Oracle::PartitionDistinct { "DISTINCT " } else { "" };
                let (items, from, filter) = (&parts[0], &parts[1], &parts[2]);
                let query = format!("SELECT {distinct}{items} FROM {from}");
                let thirds = [filter.clone(), format!("NOT ({filter})"), unknown(filter)];
                let thirds = thirds.map(|filter| format!("{query} WHERE {filter}"));
                std::iter::once(query).chain(thirds).collect()
            }
            Oracle::PartitionAggregate => {
                let (inner, outer, from, filter) = (&parts[0], &parts[1], &parts[2], &parts[3]);
                let thirds = [filter.clone(), format!("NOT ({filter})"), unknown(filter)];
                let thirds = thirds.map(|filter| format!("SELECT {inner} AS x FROM {from} WHERE {filter}"));
                let whole = format!("SELECT {outer} FROM ({}) AS u", thirds.join(" UNION ALL "));
                vec![format!("SELECT {inner} AS x FROM {from}"), whole]
            }
            Oracle::PartitionGroups => {
                let (key, aggregate, from, having) = (&parts[0], &parts[1], &parts[2], &parts[3]);
                let query = format!("SELECT {key}, {aggregate} FROM {from} GROUP BY {key}");
                let thirds = [having.clone(), format!("NOT ({having})"), unknown(having)];
                let thirds = thirds.map(|having| format!("{query} HAVING {having}"));
                std::iter::once(query).chain(thirds).collect()
            }
            Oracle::Count => {
                let (from, filter) = (&parts[0], &parts[1]);
                vec![
                    format!("SELECT COUNT(*) FROM {from} WHERE {filter}"),
                    format!(
                        "SELECT ISNULL(SUM(x), 0) FROM (SELECT CASE WHEN {filter} THEN 1 ELSE 0 END AS x FROM {from}) AS u"
                    ),
                ]
            }
            Oracle::Sqlite => parts,
            Oracle::Native => native::statements(&self.parts),
            Oracle::Changes => {
                // MERGE does not change memory-optimized tables.
                let forms = if parts[0].starts_with("MERGE") { MEMORY_FORM } else { FORMS };
                let undone = |form: usize| {
                    let text = |part: usize| self.parts.children[part].text(Dialect::Tsql(form));
                    let (change, table, asked) = (text(0), text(1), text(2));
                    format!("BEGIN TRAN;\n{change};\nSELECT * FROM {table};\n{asked};\nROLLBACK")
                };
                (0..forms).map(undone).collect()
            }
            Oracle::Plans => {
                let form = |form: usize| self.parts.children[0].text(Dialect::Tsql(form));
                let hint = HINTS[(self.draw / 8) as usize % HINTS.len()];
                let forms = (0..FORMS).map(form);
                let hinted = format!("{}{hint}", form((self.draw / 64) as usize % MEMORY_FORM));
                let mixed = self.parts.children[0].text(Dialect::Mixed(self.draw));
                forms.chain([hinted, mixed]).collect()
            }
        }
    }

    /// Result sets of each statement.
    pub fn sets(&self) -> usize {
        let changes = self.oracle == Oracle::Changes || self.oracle == Oracle::Native && self.parts.children.len() > 1;
        if changes { change::SETS } else { 1 }
    }

    /// As SQLite is asked.
    pub fn sqlite(&self) -> Option<String> {
        (self.oracle == Oracle::Sqlite).then(|| self.parts.children[0].text(Dialect::Sqlite))
    }

    /// None: what must hold holds. `answers`: of the statements, and then SQLite's, if it was asked.
    pub fn judge(&self, answers: &[Rows]) -> Option<String> {
        match self.oracle {
            Oracle::Partition | Oracle::PartitionGroups => {
                differ(&answers[0], &together(&answers[1..], false), "the whole and its three parts")
            }
            Oracle::PartitionDistinct => {
                differ(&answers[0], &together(&answers[1..], true), "the whole and its three parts")
            }
            Oracle::PartitionAggregate | Oracle::Count => differ(&answers[0], &answers[1], "the two ways"),
            // It says nothing of collations, so which of two equal texts it gave is not told by their columns.
            Oracle::Sqlite => {
                let small: Vec<Rows> = answers.iter().map(lowered).collect();
                differ(&small[0], small.get(1)?, "Heddle and SQLite")
            }
            Oracle::Native => differ(&answers[0], &answers[1], "the statement and the natively compiled procedure"),
            Oracle::Plans | Oracle::Changes => (1..answers.len())
                .find_map(|other| differ(&answers[0], &answers[other], &format!("statements 1 and {}", other + 1))),
        }
    }
}

/// Rows as texts, sorted: which of several equal texts stands for a group is nobody's promise, so letters are small and blanks at an
/// end are gone.
pub type Rows = Vec<String>;

/// Of all result sets of a statement, one behind the other.
pub fn rows_of_all(sets: &[ResultSet]) -> Rows {
    if let [set] = sets {
        return rows_of(set);
    }
    sets.iter().flat_map(|set| std::iter::once("rows".to_owned()).chain(rows_of(set))).collect()
}

fn rows_of(set: &ResultSet) -> Rows {
    let mut rows: Rows = set
        .rows
        .iter()
        .map(|row| {
            let values = row.iter().zip(set.columns.iter()).map(|(value, column)| shown(column.info.sql_type, value));
            values.collect::<Vec<_>>().join(" | ")
        })
        .collect();
    rows.sort_unstable();
    rows
}

fn shown(sql_type: SqlType, value: &Datum) -> String {
    let mut out = String::new();
    match value {
        Datum::F64(number) if *number == 0.0 => return "0.0".into(),
        _ => text::push_value(sql_type, value, &mut out),
    }
    if *value == Datum::Null {
        return out;
    }
    if sql_type.is_unicode_string() || sql_type.is_ansi_string() {
        let end = out.trim_end().len();
        out.truncate(end);
        if CASELESS.contains(&sql_type.collation) {
            out = out.to_lowercase();
        }
    } else if matches!(sql_type.kind, TypeKind::Binary | TypeKind::VarBinary) {
        // To a comparison they are as if filled up with zeros.
        while out.len() > 2 && out.ends_with("00") {
            out.truncate(out.len() - 2);
        }
    }
    out
}

fn lowered(rows: &Rows) -> Rows {
    let mut rows: Rows = rows.iter().map(|row| row.to_lowercase()).collect();
    rows.sort_unstable();
    rows
}

fn together(parts: &[Rows], distinct: bool) -> Rows {
    let mut all = parts.concat();
    all.sort_unstable();
    if distinct {
        all.dedup();
    }
    all
}

pub fn differ(one: &Rows, other: &Rows, what: &str) -> Option<String> {
    if one == other {
        return None;
    }
    let only = |one: &Rows, other: &Rows| {
        let mut left = other.clone();
        let only = one.iter().filter(|row| match left.iter().position(|other| other == *row) {
            Some(at) => {
                left.swap_remove(at);
                false
            }
            None => true,
        });
        only.take(4).cloned().collect::<Vec<_>>()
    };
    Some(format!(
        "{what} differ: {} rows and {}; only the first: {:?}; only the second: {:?}",
        one.len(),
        other.len(),
        only(one, other),
        only(other, one)
    ))
}
