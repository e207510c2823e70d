//! Ranges of ordered indexes: of one column and two, ascending and descending, open at one end, at both or empty, with bounds that are NULL
//! or beyond what the column holds.

use std::fmt::Write as _;

use crate::{Random, decimal, float, money, value};

pub const TABLE: &str = "CREATE TABLE dbo.spans (u int NOT NULL CONSTRAINT pk_spans PRIMARY KEY NONCLUSTERED, w bigint NOT NULL CONSTRAINT uq_spans UNIQUE NONCLUSTERED (w DESC),
  a int NULL, b bigint NULL, s smallint NOT NULL, d decimal(12, 3) NULL, f float NULL, m money NULL, day date NULL, n int NOT NULL, INDEX by_a_b NONCLUSTERED (a, b DESC),
  INDEX by_b_s NONCLUSTERED (b DESC, s), INDEX by_s_w NONCLUSTERED (s DESC, w), INDEX by_d NONCLUSTERED (d), INDEX by_f NONCLUSTERED (f DESC),
  INDEX by_day_m NONCLUSTERED (day, m)) WITH (MEMORY_OPTIMIZED = ON);
GO
";

/// More than a leaf of an index has.
pub const ROWS: &str = "INSERT dbo.spans (u, w, a, b, s, d, f, m, day, n)
SELECT value, 120 - value * 3, NULLIF(value % 7, 3), NULLIF(value / 4, 5) - 9, value % 5 - 1, NULLIF(value % 11, 4) * 1.125, NULLIF(value % 13, 5) / 4e0,
  NULLIF(value % 3, 2) * 6.1728, DATEADD(day, NULLIF(value % 9, 8) - 4, '2024-03-01'), value * 2 FROM GENERATE_SERIES(-10, 119);
GO
";

pub const SHOWN: &str =
    "SELECT COUNT(*), CHECKSUM_AGG(CHECKSUM(u, w, a, b, s, n)) FROM dbo.spans; DELETE dbo.spans;\nGO\n";

fn bound(random: &mut Random, column: &str) -> String {
    match column {
        "d" => decimal(random, 0),
        "f" => float(random, 0),
        "m" => money(random, 0),
        "day" => random.pick(&["@day", "@day", "'2024-03-01'", "DATEADD(day, 1, @day)", "@when"]).into(),
        _ => match random.below(4) {
            0 => format!("@k0 % {}", 1 + random.below(30)),
            1 => format!("@k0 - {}", random.below(60)),
            depth => value(random, depth - 2),
        },
    }
}

/// Between two bounds, or on one side of one.
fn between(random: &mut Random, column: &str) -> String {
    let above = format!("{column} {} {}", random.pick(&[">", ">="]), bound(random, column));
    let below = format!("{column} {} {}", random.pick(&["<", "<="]), bound(random, column));
    match random.below(6) {
        0 => above,
        1 => below,
        2 if column != "day" => format!("{column} > @k0 AND {column} <= @k0 + {}", random.below(40)),
        _ => format!("{above} AND {below}"),
    }
}

fn range(random: &mut Random) -> String {
    let single = |random: &mut Random| {
        let column = random.pick(&["u", "w", "a", "b", "s", "d", "f", "day"]).to_owned();
        between(random, &column)
    };
    let (first, second) = [("a", "b"), ("b", "s"), ("s", "w"), ("day", "m")][random.below(4)];
    match random.below(8) {
        0 => format!("{first} = {}", bound(random, first)),
        1 => format!("{first} = {} AND {second} = {}", bound(random, first), bound(random, second)),
        2..=4 => format!("{first} = {} AND {}", bound(random, first), between(random, second)),
        _ => single(random),
    }
}

/// Statements about the rows of a range.
pub fn ranges(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let k = random.pick(&["@i", "@b", "@s", "7", "21", "40", "-3", "NULL"]);
    let range = range(random);
    writeln!(out, "SET @k0 = {k};")?;
    match random.below(8) {
        0 => writeln!(out, "UPDATE dbo.spans SET n = n + 1 WHERE {range};"),
        1 => writeln!(out, "DELETE dbo.spans WHERE {range};"),
        2 => {
            let (column, top) = (random.pick(&["u", "w"]).to_owned(), 1 + random.below(20));
            let (of, order) = (between(random, &column), random.pick(&["", " DESC"]));
            writeln!(out, "SELECT TOP ({top}) @b = n, @c = u FROM dbo.spans WHERE {of} ORDER BY {column}{order};")
        }
        3 => writeln!(out, "SELECT u, n, d FROM dbo.spans WHERE u > @k0 AND u < @k0 + 12 ORDER BY u;"),
        4 => writeln!(out, "SELECT @c = COUNT(*), @i = MAX(u) FROM dbo.spans WHERE {range} AND n > @t;"),
        _ => writeln!(out, "SELECT @c = COUNT(*), @b = SUM(n) FROM dbo.spans WHERE {range};"),
    }?;
    writeln!(out, "SET @n1 = ISNULL(@n1, 0) + @@ROWCOUNT;")
}
