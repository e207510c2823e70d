//! Random tables: the same rows in every form that a table can have, so that a query may be asked of each.

use std::fmt::Write as _;

use os::random::Rng;

use super::node::{Class, FORMS, MEMORY_FORM};

pub const TABLES: usize = 3;
/// Of texts, by the number of `Class::Text`. Of few letters SQLite's NOCASE is the first, and its BINARY the second.
pub const COLLATIONS: [&str; 3] = ["Latin1_General_CI_AS", "Latin1_General_BIN2", "Latin1_General_CS_AS"];

pub struct Column {
    pub name: String,
    pub class: Class,
    /// As T-SQL writes it.
    pub sql_type: String,
    pub nullable: bool,
}

pub struct Table {
    /// The first is the key.
    pub columns: Vec<Column>,
    /// Literals.
    pub rows: Vec<Vec<String>>,
}

pub struct Schema {
    pub tables: Vec<Table>,
    /// Whether SQLite has all of it.
    pub portable: bool,
    /// Draws the indexes.
    seed: u64,
}

pub fn pick<'a, T: ?Sized>(rng: &mut Rng, from: &[&'a T]) -> &'a T {
    from[rng.below(from.len() as u64) as usize]
}

pub fn one_in(rng: &mut Rng, bound: u64) -> bool {
    rng.below(bound) == 0
}

impl Schema {
    pub fn random(rng: &mut Rng, portable: bool) -> Schema {
        let tables = (0..TABLES).map(|_| table(rng, portable)).collect();
        Schema { tables, portable, seed: rng.next() }
    }

    /// Makes all forms of all tables, filled; a batch each.
    pub fn batches(&self) -> Vec<String> {
        let mut rng = Rng::from_seed(self.seed);
        let mut found = Vec::new();
        for (number, table) in self.tables.iter().enumerate() {
            for form in 0..FORMS {
                found.push(table.definition(&format!("t{number}_{form}"), form, &mut rng));
                found.extend(table.inserts(&format!("t{number}_{form}")));
            }
        }
        found
    }

    /// The same, where tables of another seed may be.
    pub fn made_anew(&self) -> Vec<String> {
        let names = (0..TABLES).flat_map(|table| (0..FORMS).map(move |form| format!("t{table}_{form}")));
        let dropped = format!("DROP TABLE IF EXISTS {}", names.collect::<Vec<_>>().join(", "));
        [super::native::DROP.to_owned(), dropped].into_iter().chain(self.batches()).collect()
    }

    /// The same for SQLite.
    pub fn sqlite(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (number, table) in self.tables.iter().enumerate() {
            let columns = table.columns.iter().map(|column| match column.class {
                Class::Integer => format!("{} INTEGER", column.name),
                Class::Text(0) => format!("{} TEXT COLLATE NOCASE", column.name),
                _ => format!("{} TEXT", column.name),
            });
            found.push(format!("CREATE TABLE t{number} ({})", columns.collect::<Vec<_>>().join(", ")));
            found.extend(table.inserts(&format!("t{number}")));
        }
        found
    }
}

fn table(rng: &mut Rng, portable: bool) -> Table {
    let mut columns = vec![Column { name: "k".into(), class: Class::Integer, sql_type: "int".into(), nullable: false }];
    for number in 0..3 + rng.below(5) {
        let (class, sql_type) = column_type(rng, portable);
        columns.push(Column { name: format!("c{number}"), class, sql_type, nullable: !one_in(rng, 4) });
    }
    // Now and then nothing, one row, or more than a batch of rows.
    let count = match rng.below(12) {
        0 => 0,
        1 => 1,
        2 => 45,
        _ => 3 + rng.below(16),
    };
    let rows = (0..count).map(|key| {
        let values = columns.iter().skip(1).map(|column| value(rng, column));
        std::iter::once(key.to_string()).chain(values.collect::<Vec<_>>()).collect()
    });
    let rows = rows.collect();
    Table { columns, rows }
}

fn column_type(rng: &mut Rng, portable: bool) -> (Class, String) {
    let text = |rng: &mut Rng| {
        let collation = rng.below(if portable { 2 } else { 3 }) as u8;
        let kinds: &[&str] =
            if portable { &["varchar(10)", "nvarchar(10)"] } else { &["varchar(10)", "nvarchar(10)", "char(4)"] };
        (Class::Text(collation), format!("{} COLLATE {}", pick(rng, kinds), COLLATIONS[collation as usize]))
    };
    match rng.below(if portable { 8 } else { 12 }) {
        0..4 => (Class::Integer, pick(rng, &["int", "int", "bigint", "smallint", "tinyint"]).into()),
        4..7 => text(rng),
        7 => (Class::Date, "date".into()),
        8 => (Class::Decimal, pick(rng, &["decimal(9, 2)", "money", "decimal(20, 4)"]).into()),
        9 => (Class::Float, pick(rng, &["float", "real"]).into()),
        10 => (Class::Moment, pick(rng, &["datetime", "datetime2(3)", "smalldatetime"]).into()),
        _ => (Class::Binary, "varbinary(6)".into()),
    }
}

/// Few different ones, so that many are equal.
fn value(rng: &mut Rng, column: &Column) -> String {
    if column.nullable && one_in(rng, 5) {
        return "NULL".into();
    }
    if column.sql_type == "tinyint" {
        return rng.below(9).to_string();
    }
    literal(rng, column.class)
}

pub fn literal(rng: &mut Rng, class: Class) -> String {
    match class {
        Class::Integer => (rng.below(14) as i64 - 4).to_string(),
        Class::Decimal => pick(rng, &["0.5", "1.25", "-3.10", "7.00", "2.5", "0.00", "-0.5", "10.75"]).into(),
        // Exact in binary, so that no order of adding them gives another sum.
        Class::Float => pick(rng, &["0.5e0", "-1.25e0", "3e0", "0e0", "2.5e0", "-8e0"]).into(),
        Class::Text(_) => {
            pick(rng, &["'a'", "'b'", "'A'", "'ab'", "'Ab'", "'abc'", "'B'", "''", "'b1'", "'ba'", "'10'", "'c'"])
                .into()
        }
        Class::Date => {
            pick(rng, &["'2024-02-29'", "'2024-01-01'", "'2023-12-31'", "'1999-07-15'", "'2024-03-01'"]).into()
        }
        Class::Moment => pick(
            rng,
            &["'2024-02-29T12:00:00'", "'2024-01-01T00:00:00'", "'2023-12-31T23:59:00'", "'2024-01-01T00:01:00'"],
        )
        .into(),
        Class::Binary => pick(rng, &["0x", "0x00", "0x01", "0x0100", "0xFF", "0xABCDEF"]).into(),
        _ => panic!("no literal of {class:?}"),
    }
}

impl Table {
    fn definition(&self, name: &str, form: usize, rng: &mut Rng) -> String {
        let mut out = format!("CREATE TABLE {name} (");
        for column in &self.columns {
            let null = if column.nullable { "NULL" } else { "NOT NULL" };
            let _ = write!(out, "{} {} {null}, ", column.name, column.sql_type);
        }
        match form {
            // A heap without any index.
            0 => {}
            1 => out.push_str("PRIMARY KEY CLUSTERED (k), "),
            2 => out.push_str("PRIMARY KEY CLUSTERED (k DESC), "),
            _ => out.push_str("PRIMARY KEY NONCLUSTERED (k), "),
        }
        if form == MEMORY_FORM {
            for number in 0..rng.below(4) {
                let (keys, _) = self.keys(rng);
                if one_in(rng, 3) {
                    let hashed = keys.replace(" DESC", "");
                    let _ = write!(out, "INDEX i{number} NONCLUSTERED HASH ({hashed}) WITH (BUCKET_COUNT = 8), ");
                } else {
                    let _ = write!(out, "INDEX i{number} NONCLUSTERED ({keys}), ");
                }
            }
        }
        out.truncate(out.len() - 2);
        out.push(')');
        if form == MEMORY_FORM {
            out.push_str(" WITH (MEMORY_OPTIMIZED = ON)");
            return out;
        }
        if form == 3 && one_in(rng, 2) {
            let (keys, _) = self.keys(rng);
            let _ = write!(out, "; CREATE CLUSTERED INDEX c ON {name} ({keys})");
        }
        for number in 0..if form == 0 { 0 } else { 1 + rng.below(3) } {
            let (keys, used) = self.keys(rng);
            let _ = write!(out, "; CREATE INDEX i{number} ON {name} ({keys})");
            let others: Vec<&str> =
                self.columns.iter().map(|column| &column.name[..]).filter(|name| !used.contains(name)).collect();
            if !others.is_empty() && one_in(rng, 2) {
                let _ = write!(out, " INCLUDE ({})", pick(rng, &others));
            }
            if one_in(rng, 3) {
                let _ = write!(out, " WHERE {}", self.filter(rng));
            }
        }
        out
    }

    /// One to three columns, some descending; and their names.
    fn keys(&self, rng: &mut Rng) -> (String, Vec<&str>) {
        let mut names: Vec<&str> = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let name = &self.columns[rng.below(self.columns.len() as u64) as usize].name[..];
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let keys = names.iter().map(|name| format!("{name}{}", pick(rng, &["", "", " DESC"])));
        (keys.collect::<Vec<_>>().join(", "), names)
    }

    fn filter(&self, rng: &mut Rng) -> String {
        let column = &self.columns[rng.below(self.columns.len() as u64) as usize];
        let name = &column.name;
        match (column.class, rng.below(3)) {
            (Class::Integer, 0) => format!("{name} > {}", literal(rng, column.class)),
            (Class::Integer, 1) => format!("{name} <> {}", literal(rng, column.class)),
            (Class::Integer, _) => format!("{name} IN ({}, 1, 2)", literal(rng, column.class)),
            (Class::Text(_), 0) => format!("{name} >= {}", literal(rng, column.class)),
            _ => format!("{name} IS NOT NULL"),
        }
    }

    fn inserts(&self, name: &str) -> Vec<String> {
        let rows: Vec<String> = self.rows.iter().map(|row| format!("({})", row.join(", "))).collect();
        rows.chunks(100).map(|rows| format!("INSERT INTO {name} VALUES {}", rows.join(", "))).collect()
    }
}
