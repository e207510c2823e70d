//! Machine code and interpreter are twins: procedures made at random from a printed seed do the same in both, value by value, row by row,
//! error by error.
//!
//! `HEDDLE_PROCEDURES=20000 HEDDLE_SEED=7 cargo test -p heddle --test native` looks for longer, elsewhere.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "native/ranges.rs"]
mod ranges;
mod support;

use std::fmt::Write as _;

use support::{Server, scratch};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Variables of every integer type, and some that machine code leaves alone.
const INTEGERS: [(&str, &str); 5] =
    [("@t", "tinyint"), ("@s", "smallint"), ("@i", "int"), ("@b", "bigint"), ("@c", "bigint")];
const LITERALS: [&str; 14] = [
    "0",
    "1",
    "2",
    "-1",
    "7",
    "100",
    "255",
    "256",
    "32767",
    "-32768",
    "2147483647",
    "CAST(-2147483648 AS int)",
    "CAST(9223372036854775807 AS bigint)",
    "CAST(-3000000000 AS bigint)",
];

fn value(random: &mut Random, depth: usize) -> String {
    let leaf = depth == 0 || random.below(4) == 0;
    if leaf {
        return match random.below(3) {
            0 if random.below(4) == 0 => random.pick(&LITERALS).into(),
            0 => random.below(10).to_string(),
            _ => INTEGERS[random.below(5)].0.into(),
        };
    }
    let operand = |random: &mut Random| value(random, depth - 1);
    match random.below(17) {
        14 => format!("{}({})", random.pick(&["ABS", "SIGN", "FLOOR", "CEILING"]), operand(random)),
        15 => format!("COALESCE({}, {}, {})", operand(random), operand(random), operand(random)),
        16 => format!("NULLIF({}, {})", operand(random), operand(random)),
        12 => format!("dbo.joined({}, {})", operand(random), operand(random)),
        13 => format!("dbo.counted({})", operand(random)),
        0 => format!("-({})", operand(random)),
        1 => format!("CAST({} AS {})", operand(random), INTEGERS[random.below(5)].1),
        2 => {
            let when = predicate(random, depth - 1);
            format!("CASE WHEN {when} THEN {} ELSE {} END", operand(random), operand(random))
        }
        3 => format!("ISNULL({}, {})", operand(random), operand(random)),
        _ => {
            let op = random.pick(&["+", "-", "+", "-", "*", "/", "%", "&", "|", "^"]);
            format!("({} {op} {})", operand(random), operand(random))
        }
    }
}

fn predicate(random: &mut Random, depth: usize) -> String {
    if depth > 0 && random.below(3) == 0 {
        let (left, right) = (predicate(random, depth - 1), predicate(random, depth - 1));
        return match random.below(3) {
            0 => format!("({left} AND {right})"),
            1 => format!("({left} OR {right})"),
            _ => format!("NOT ({left})"),
        };
    }
    match random.below(6) {
        0 => format!("{} IS NULL", INTEGERS[random.below(5)].0),
        1 => format!("{} IS NOT NULL", INTEGERS[random.below(5)].0),
        2 => "@text = 'b'".into(),
        _ => {
            let op = random.pick(&["=", "<>", "<", "<=", ">", ">="]);
            let (left, right) = (value(random, depth.min(1)), value(random, depth.min(1)));
            format!("{left} {op} {right}")
        }
    }
}

/// Of the decimals @d, of three digits behind the point, and @e, of one; and of integers.
fn decimal(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return match random.below(6) {
            0 => random.pick(&["1.5", "-2.25", "99999999999999.9", "-0.001", "7", "1234567890123456789.5"]).into(),
            1 => INTEGERS[random.below(5)].0.into(),
            2 | 3 => "@e".into(),
            _ => "@d".into(),
        };
    }
    let (left, right) = (decimal(random, depth - 1), decimal(random, depth - 1));
    match random.below(11) {
        9 => format!("ABS({left})"),
        10 => format!("COALESCE({left}, {right}, @d)"),
        0 => format!("CASE WHEN {left} < {right} THEN @d ELSE {right} END"),
        1 => format!("CAST({left} AS decimal(14, 4))"),
        2 => format!("ISNULL({left}, @e)"),
        _ => format!("({left} {} {right})", random.pick(&["+", "-", "*", "+", "-", "/"])),
    }
}

/// Statements about decimals.
fn decimals(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let (value, k) = (decimal(random, 2), random.below(12));
    match random.below(11) {
        0 => writeln!(out, "INSERT INTO dbo.money (k, d, e) VALUES ({k} + 9, @d, {value});"),
        7 => writeln!(out, "INSERT INTO dbo.money (k, d, e) VALUES ({k} + 9, @d, @s);"),
        8 => writeln!(out, "UPDATE dbo.money SET d = @d - d, e = @t WHERE k = {k};"),
        // More than 64 bits.
        9 => writeln!(
            out,
            "SET @e = 1234567890123456789.5;\nSET @c = CASE WHEN @e > 5 THEN 1 ELSE 2 END;\nSET @e = 0.5;"
        ),
        1 => writeln!(out, "UPDATE dbo.money SET d = d + {value} WHERE k = {k};"),
        2 => writeln!(out, "UPDATE dbo.money SET e = {value}, d = @d WHERE k = {k};"),
        3 => writeln!(out, "SELECT @d = d, @e = e - {value} FROM dbo.money WHERE k = {k};"),
        4 => writeln!(out, "SELECT @d = MIN(d), @c = COUNT(*) FROM dbo.money WHERE k < {k} AND d <> @e;"),
        5 => writeln!(out, "IF {value} > @d SET @i = 5; ELSE SET @i = 6;"),
        6 => writeln!(out, "SET @e = {value};"),
        _ => writeln!(out, "SET @d = {value};"),
    }
}

/// Of the floats @f and @r, the latter a real, and of other numbers.
fn float(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return match random.below(8) {
            0 if random.below(3) == 0 => {
                random.pick(&["-2e300", "1e-310", "3e38", "-0e0", "1e18", "16777217e0"]).into()
            }
            0 => random.pick(&["1.5e0", "0.1e0", "2e0", "-7.25e0"]).into(),
            1 => INTEGERS[random.below(5)].0.into(),
            2 => random.pick(&["@d", "@m", "@z", "2.75"]).into(),
            3 | 4 => "@r".into(),
            _ => "@f".into(),
        };
    }
    let (left, right) = (float(random, depth - 1), float(random, depth - 1));
    match random.below(13) {
        0 => format!("CASE WHEN {left} {} {right} THEN @f ELSE {right} END", random.pick(&["<", "=", ">=", "<>"])),
        1 => format!("CAST({left} AS {})", random.pick(&["real", "float", "float"])),
        2 => format!("ISNULL({left}, {right})"),
        3 => format!("{}(CAST({left} AS float))", random.pick(&["ABS", "FLOOR", "CEILING", "SQRT"])),
        4 => format!("-({left})"),
        _ => format!(
            "({left} {} CAST({right} AS {}))",
            random.pick(&["+", "-", "*", "/"]),
            random.pick(&["float", "real"])
        ),
    }
}

/// Of the money @m and @y, the latter smallmoney.
fn money(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        let leaves =
            ["@m", "@m", "@y", "CAST(12.3456 AS money)", "@i", "$0.0001", "CAST(-9000000000.5 AS money)", "@z"];
        return random.pick(&leaves).into();
    }
    let (left, right) = (money(random, depth - 1), money(random, depth - 1));
    match random.below(7) {
        0 => format!("ISNULL({left}, {right})"),
        1 => format!("-CAST({left} AS {})", random.pick(&["money", "smallmoney"])),
        2 => format!("CAST({left} AS {})", random.pick(&["money", "smallmoney", "decimal(12, 4)"])),
        _ => format!("(CAST({left} AS money) {} {right})", random.pick(&["+", "-", "*", "/"])),
    }
}

/// Floats, money, bits, dates and times.
fn kinds(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let (k, depth) = (random.below(12), random.below(3));
    let number = float(random, depth);
    let op = random.pick(&["=", "<>", "<", "<=", ">", ">="]);
    match random.below(20) {
        0..=2 => writeln!(out, "SET @f = {number};"),
        3 => writeln!(out, "SET @r = {number};"),
        4 => writeln!(out, "SET {} = {number};", INTEGERS[random.below(5)].0),
        5 => {
            let depth = random.below(2);
            let right = random.pick(&["@f", "@i", "@r", "0e0"]);
            // Two numbers are rarely equal by chance.
            let left = if random.below(2) == 0 { format!("({right} + 0e0)") } else { float(random, depth) };
            writeln!(out, "IF {left} {op} {right} SET @i = 7; ELSE SET @z = 1;")
        }
        6 | 7 => writeln!(out, "SET @m = {};", money(random, 2)),
        8 => writeln!(out, "SET @y = {}; SET @e = @m;", money(random, 1)),
        9 => writeln!(out, "SET @z = {}; SET @z = @z | @t;", random.pick(&["@i", "@m", "@z ^ 1", "@b", "@d", "NULL"])),
        10 | 11 => writeln!(
            out,
            "INSERT dbo.kinds (k, f, r, m, y, z, d, t, t0, d4, d7, dt, sd) VALUES ({}, {number}, @r, @m, @y, @z, @day, @time, @time, @when, @when, @then, @soon);",
            k + 9
        ),
        12 if k < 5 => writeln!(
            out,
            "INSERT dbo.kinds (k, f, r, m, y, z, d, t, d4, d7, dt, sd) VALUES ({}, @f, {number}, @m, @y, @z, @day, @time, @when, @when, @then, @soon);",
            k + 8
        ),
        13 if k < 8 => writeln!(
            out,
            "UPDATE dbo.kinds SET f = {number}, r = r * 2, d = @day, t = @time, d4 = @when, d7 = @when, dt = @then, sd = @soon WHERE k = {k};"
        ),
        12 => writeln!(
            out,
            "UPDATE dbo.kinds SET f = f + {number}, r = r * 2, m = m * @m, d4 = d7, t = @time WHERE k = {k};"
        ),
        13 => {
            writeln!(out, "UPDATE dbo.kinds SET d = @day, sd = @soon, z = 1, y = y + 1 WHERE d {op} @day AND f > @f;")
        }
        14 => writeln!(
            out,
            "SELECT @f = f, @r = r, @m = m, @y = y, @z = z, @day = d, @time = t, @when = d4, @then = dt, @soon = sd FROM dbo.kinds WHERE k = {k};"
        ),
        15 => writeln!(
            out,
            "SELECT @c = COUNT(*) FROM dbo.kinds WHERE d7 {op} @when OR sd {op} @soon OR z = @z AND f {op} {number};"
        ),
        16 => writeln!(out, "IF @when {op} @day OR @then {op} '20240101' OR @time {op} '10:11' SET @c = 9;"),
        17 => writeln!(
            out,
            "SET @when = DATEADD(ms, 12345 * @t, CAST(@day AS datetime2(4))); SET @day = '2023-12-31'; SET @time = '11:12:13.4567891'; SET @soon = '20290101 10:00';"
        ),
        18 => writeln!(
            out,
            "SELECT @when = MAX(d7), @then = MIN(dt), @f = MAX(f), @day = MAX(d) FROM dbo.kinds WHERE k < {k};"
        ),
        _ => writeln!(
            out,
            "SELECT k, f, r, d, t, f * 2 AS g, d7, CAST(d AS datetime2(2)) AS h, m + 1 AS n FROM dbo.kinds WHERE f {op} @f AND r < {number};"
        ),
    }
}

/// SELECT @v = ... over several rows.
fn many_rows(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let (table, small, big) = [("rows", "small", "big"), ("ordered", "t", "n")][random.below(2)];
    let (low, high) = (random.below(12), random.below(12));
    let filter = match random.below(7) {
        0 => String::new(),
        1 => format!(" WHERE {small} = {}", value(random, 0)),
        2 => format!(" WHERE k > {low} AND {big} <> {}", value(random, 0)),
        3 => format!(" WHERE {big} IS NOT NULL AND k <= {high}"),
        4 => format!(" WHERE k IN ({low}, {high}, 4)"),
        _ => format!(" WHERE k BETWEEN {low} AND {low} + {high}"),
    };
    let argument = match random.below(4) {
        // Each is an int, the sum of some is not.
        3 => "k * 900000".into(),
        0 => big.to_string(),
        1 => small.to_string(),
        _ => format!("k * {}", value(random, 0)),
    };
    match random.below(6) {
        0 => writeln!(out, "SELECT @c = COUNT_BIG(*), @i = COUNT({argument}) FROM dbo.{table}{filter};"),
        1 => writeln!(out, "SELECT @b = SUM({argument}), @c = COUNT(*) FROM dbo.{table}{filter};"),
        2 => writeln!(out, "SELECT @b = MIN({argument}), @c = MAX({argument}) - 1 FROM dbo.{table}{filter};"),
        3 => writeln!(out, "SELECT @b = AVG({argument}) FROM dbo.{table}{filter};"),
        4 => {
            let order = random.pick(&["", " DESC"]);
            let top = 1 + random.below(4);
            writeln!(
                out,
                "SELECT TOP ({top}) @c = {big}, @b = {argument} FROM dbo.{table}{filter} ORDER BY k{order};
SET @n0 = ISNULL(@n0, 0) + @@ROWCOUNT;"
            )
        }
        // The same in whatever order the rows come, which equal keys leave open.
        _ => {
            let column = random.pick(&[small, big, "k * 3"]);
            writeln!(out, "SELECT @b = @b + 1, @c = ISNULL(@c, 0) | {column} FROM dbo.{table}{filter};")
        }
    }
}

/// Tables of a join, a value that tells its rows apart, integers in it (one may be NULL), and what is no number.
const JOINS: [(&str, &str, [&str; 2], &str); 9] = [
    ("dbo.ordered AS a JOIN dbo.rows AS b ON b.k = a.t", "a.k", ["b.small", "b.big"], "b.text"),
    ("dbo.rows AS a JOIN dbo.ordered AS b ON b.k = a.small", "a.k", ["b.n", "b.t"], "a.filler"),
    ("dbo.ordered AS a JOIN dbo.rows AS b ON b.k = a.n AND b.big > @b - a.t", "a.k", ["b.small", "b.big"], "b.far"),
    ("dbo.ordered AS a LEFT JOIN dbo.rows AS b ON b.k = a.n AND b.small <> 1", "a.k", ["b.big", "a.t"], "b.filler"),
    ("dbo.ordered AS a JOIN dbo.rows AS b ON b.small = a.t", "b.k", ["b.small", "a.t"], "b.text"),
    (
        "dbo.rows AS a LEFT JOIN dbo.ordered AS b ON b.k > a.k AND b.k <= a.k + @s AND b.n IS NULL",
        "a.k * 1000 + ISNULL(b.k, 0)",
        ["b.k", "a.big"],
        "a.text",
    ),
    (
        "dbo.ordered AS a JOIN dbo.rows AS b ON b.k = a.t LEFT JOIN dbo.money AS c ON c.k = b.small + a.n",
        "a.k",
        ["c.k", "b.big"],
        "c.d",
    ),
    (
        "dbo.rows AS a JOIN dbo.ordered AS b ON b.k = 1000 + a.k LEFT JOIN dbo.rows AS c ON c.small = b.n
  JOIN dbo.ordered AS d ON d.k = ISNULL(c.k, 5)",
        "a.k",
        ["c.small", "d.t"],
        "c.text",
    ),
    ("dbo.money AS a JOIN dbo.rows AS b ON b.k = @i", "a.k", ["b.small", "a.k"], "b.text"),
];

/// What a SELECT reads: tables with a filter, and values, of which the third is an integer that may be too large.
struct Read {
    from: String,
    key: &'static str,
    null: &'static str,
    other: &'static str,
    text: &'static str,
    argument: String,
}

fn read(random: &mut Random) -> Read {
    let (tables, key, [null, other], text) = JOINS[random.below(JOINS.len())];
    let (low, high) = (random.below(12), random.below(12));
    let filter = match random.below(7) {
        0 | 1 => String::new(),
        2 => format!(" WHERE {null} = {}", value(random, 0)),
        3 => format!(" WHERE a.k > {low} AND {other} + 1 <> {}", value(random, 0)),
        4 => format!(" WHERE {null} IS NULL AND a.k <= {high}"),
        5 => format!(" WHERE a.k = {low} OR {null} > {other}"),
        _ => format!(" WHERE a.k BETWEEN {low} AND {low} + {high}"),
    };
    let argument = match random.below(4) {
        0 => null.to_string(),
        1 => format!("a.k * {}", value(random, 0)),
        2 => format!("{other} * 900000"),
        _ => other.to_string(),
    };
    Read { from: format!("{tables}{filter}"), key, null, other, text, argument }
}

/// The same, whose rows come in an order that is known: equal keys of an index that is not unique leave theirs open.
fn read_in_order(random: &mut Random) -> Read {
    loop {
        let read = read(random);
        if !read.from.contains("small") {
            return read;
        }
    }
}

/// SELECT @v = ... over a join.
fn joins(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let (form, all) = (random.below(8), read(random));
    let Read { from, key, null, other, argument, .. } = if matches!(form, 4 | 6) { read_in_order(random) } else { all };
    match form {
        0 => writeln!(out, "SELECT @c = COUNT_BIG(*), @i = COUNT({argument}) FROM {from};"),
        1 => writeln!(out, "SELECT @b = SUM({argument}), @c = COUNT(*) FROM {from};"),
        2 => writeln!(out, "SELECT @b = MIN({argument}), @c = MAX({argument}) - 1 FROM {from};"),
        3 => writeln!(out, "SELECT @b = AVG({argument}) FROM {from};"),
        4 => writeln!(out, "SELECT TOP ({}) @b = @b + 1, @c = {argument} FROM {from};", 1 + random.below(70)),
        5 => writeln!(out, "SELECT @c = MAX({key}), @b = COUNT(*) FROM {from};"),
        6 => writeln!(out, "SELECT @c = {null}, @b = {key} FROM {from};\nSET @n1 = ISNULL(@n1, 0) + @@ROWCOUNT;"),
        _ => {
            let column = random.pick(&[null, other, "a.k * 3"]);
            writeln!(
                out,
                "SELECT @b = @b + 1, @c = ISNULL(@c, 0) | {column} FROM {from};\nSET @n0 = ISNULL(@n0, 0) + @@ROWCOUNT;"
            )
        }
    }
}

/// Columns of aggregates.
fn totals(random: &mut Random, argument: &str, other: &str) -> String {
    match random.below(5) {
        0 => format!("COUNT(*) AS n, COUNT_BIG({other}) AS c"),
        1 => format!("SUM({argument}) AS x, COUNT(*) AS n, MAX({other}) + @b AS y"),
        2 => format!("MIN({argument}) AS x, @i AS i, AVG({other}) AS y"),
        3 => "COUNT(*) + 1 AS n".into(),
        _ => format!("MAX({other}) AS x, CASE WHEN COUNT(*) > 3 THEN @c ELSE SUM({other}) END AS y"),
    }
}

/// A subquery's number: of a row by its key, of aggregates, of the first row, some of none or of more than one.
fn subquery(random: &mut Random) -> String {
    let (k, low) =
        (if random.below(4) == 0 { value(random, 0) } else { random.below(13).to_string() }, random.below(12));
    match random.below(9) {
        0 | 1 => format!(
            "SELECT {} FROM dbo.rows WHERE k = {k}",
            random.pick(&["small", "big", "big + small", "small * @s"])
        ),
        2 => format!("SELECT n + t FROM dbo.ordered WHERE k = {k}"),
        3 => {
            let total = random.pick(&[
                "COUNT(*)",
                "SUM(k * 900000)",
                "MAX(big)",
                "MIN(small) - 1",
                "AVG(k)",
                "SUM(small) / COUNT(*)",
            ]);
            format!("SELECT {total} FROM dbo.rows WHERE k > {low}")
        }
        4 => format!("SELECT TOP (1) k FROM dbo.ordered WHERE k > {k} ORDER BY k{}", random.pick(&["", " DESC"])),
        5 => format!("SELECT big FROM dbo.rows WHERE k BETWEEN {low} AND {low} + {}", random.below(2)),
        6 => format!("SELECT MAX(b.big) FROM dbo.ordered AS a JOIN dbo.rows AS b ON b.k = a.t WHERE a.k < {low}"),
        7 => format!("SELECT b.small FROM dbo.ordered AS a LEFT JOIN dbo.rows AS b ON b.k = a.n WHERE a.k = {k}"),
        _ => format!("SELECT t FROM dbo.ordered WHERE n = {}", value(random, 0)),
    }
}

fn exists(random: &mut Random) -> String {
    let k = random.below(13);
    match random.below(4) {
        0 => format!("EXISTS (SELECT * FROM dbo.rows WHERE k = {})", value(random, 0)),
        1 => format!("NOT EXISTS (SELECT k FROM dbo.ordered WHERE k > {k} AND t <> {})", value(random, 0)),
        2 => format!("EXISTS (SELECT 1 FROM dbo.ordered AS a JOIN dbo.rows AS b ON b.k = a.n WHERE a.k > {k})"),
        _ => format!("EXISTS ({})", subquery(random)),
    }
}

/// A test of a row `a`, which it reads mostly: semi joins, NULLs and predicates that fail among them.
fn tested(random: &mut Random, key: &str, number: &str) -> String {
    let not = random.pick(&["", "NOT "]);
    match random.below(12) {
        0 | 1 => format!("{not}EXISTS (SELECT * FROM dbo.rows AS x WHERE x.k = {number})"),
        // More rows than one match, for most.
        9 => format!("{not}EXISTS (SELECT * FROM dbo.ordered AS x WHERE x.k > {key})"),
        10 => format!("{not}EXISTS (SELECT * FROM dbo.ordered AS x WHERE x.k >= {key} AND x.t <> {key} AND x.k < 12)"),
        11 => format!("{key} {not}IN (SELECT x.small FROM dbo.rows AS x WHERE x.small IS NOT NULL)"),
        2 => format!("{not}EXISTS (SELECT * FROM dbo.ordered AS x WHERE x.k > {key} AND x.n = {number})"),
        3 => format!("{not}EXISTS (SELECT 1 FROM dbo.rows AS x WHERE x.small = {number} AND x.big <> {key} * 100)"),
        4 => format!("{key} IN (SELECT x.k FROM dbo.rows AS x WHERE x.big > {})", value(random, 0)),
        5 => format!("{number} {not}IN (SELECT x.n FROM dbo.ordered AS x WHERE x.k < {})", random.below(14)),
        6 => format!("{key} {not}IN (SELECT x.t FROM dbo.ordered AS x)"),
        7 => format!("{not}EXISTS (SELECT * FROM dbo.rows AS x WHERE x.k < {key} AND 100 / x.small > {number})"),
        _ => format!("{not}EXISTS (SELECT * FROM dbo.money AS x WHERE x.k = {})", value(random, 0)),
    }
}

/// WHERE with EXISTS and IN.
fn semi_joins(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let tests = |random: &mut Random, key: &str, number: &str| match random.below(3) {
        0 => tested(random, key, number),
        1 => format!("{} AND {}", tested(random, key, number), tested(random, key, number)),
        _ => format!("{} AND {}", predicate(random, 1), tested(random, key, number)),
    };
    let (keys, of_one) = (tests(random, "a.k", "a.n"), tests(random, "@i", "@s"));
    let joined = tests(random, "a.k", "b.small");
    match random.below(8) {
        0 | 1 => writeln!(out, "SELECT @c = {}, @b = @b + 1 WHERE {of_one}; SET @i = @@ROWCOUNT;", value(random, 0)),
        2 => writeln!(out, "SELECT {} AS x, @t AS t WHERE {of_one};", value(random, 1)),
        3 => writeln!(out, "SELECT a.k, a.n + @b AS n FROM dbo.ordered AS a WHERE {keys};"),
        4 => writeln!(out, "SELECT @c = COUNT(*), @b = MAX(a.k) FROM dbo.ordered AS a WHERE {keys};"),
        5 => {
            writeln!(out, "SELECT COUNT(*) AS n FROM dbo.ordered AS a JOIN dbo.rows AS b ON b.k = a.t WHERE {joined};")
        }
        6 => writeln!(
            out,
            "SELECT a.k, b.text FROM dbo.ordered AS a LEFT JOIN dbo.rows AS b ON b.k = a.n WHERE {joined};"
        ),
        _ => writeln!(out, "SELECT TOP (2) @c = a.n, @b = @b + a.k FROM dbo.ordered AS a WHERE {keys};"),
    }
}

/// Subqueries of a SELECT without FROM.
fn subqueries(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let (one, other, exists) = (subquery(random), subquery(random), exists(random));
    let target = INTEGERS[random.below(5)].0;
    match random.below(16) {
        12 => writeln!(out, "SELECT ({one}) AS x, {} AS y, @d AS d;", value(random, 1)),
        13 => writeln!(out, "SELECT CASE WHEN {exists} THEN @f ELSE ({one}) END AS x, @z AS z, @when AS t;"),
        14 => writeln!(out, "INSERT dbo.ordered (k, n, t) SELECT {} + 20, {}, 3;", random.below(40), value(random, 1)),
        15 => writeln!(out, "INSERT dbo.ordered (k, n, t) SELECT {} + 20, ({one}), 3;", random.below(40)),
        0..=2 => writeln!(out, "SELECT {target} = ({one});"),
        3 => writeln!(out, "SELECT {target} = ISNULL(({one}), {}) + 1;", value(random, 0)),
        4 => writeln!(out, "SELECT @c = ({one}), @b = {} + ({other});", value(random, 1)),
        5 | 6 => writeln!(out, "SELECT @i = CASE WHEN {exists} THEN 1 ELSE {} END;", value(random, 0)),
        7 => writeln!(
            out,
            "SELECT @b = CASE WHEN {} AND {exists} THEN ({one}) ELSE ({other}) END;",
            predicate(random, 1)
        ),
        8 => writeln!(out, "SELECT @b = CASE WHEN ({one}) > ({other}) OR {exists} THEN 8 ELSE @c END;"),
        9 => writeln!(out, "SELECT @b = COALESCE(({one}), ({other}), @s) * 2, @i = {};", asked(random)),
        10 => writeln!(out, "SELECT @c = dbo.counted(({one})) + ({other});"),
        _ => writeln!(out, "SELECT @d = ({one}), @f = ({other}); SET @c = @@ROWCOUNT;"),
    }
}

/// SELECT to the client: of a row, of a scan, of a join.
fn results(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let Read { from, key, null, other, text, argument } = read_in_order(random);
    let k = random.below(12);
    match random.below(12) {
        6 | 7 => writeln!(out, "SELECT {} FROM {from};", totals(random, &argument, null)),
        8 => {
            let table = random.pick(&["rows", "ordered", "money"]);
            writeln!(out, "SELECT {} FROM dbo.{table} WHERE k > {k};", totals(random, "k * 900000", "k"))
        }
        0 => writeln!(out, "SELECT small, k, text, big + @b AS more, far, filler FROM dbo.rows WHERE k = {k};"),
        1 => writeln!(out, "SELECT k, n, t FROM dbo.ordered WHERE k > {k} AND n <> @t;"),
        2 => writeln!(out, "SELECT TOP (3) d, e, d + e AS f, k FROM dbo.money WHERE k <> {k};"),
        3 => writeln!(out, "SELECT k, d, f, m, w, t, b FROM dbo.typed WHERE k <= @i;"),
        // More rows than the code gathers.
        4 if random.below(4) == 0 => {
            writeln!(out, "SELECT a.k, b.k AS l FROM dbo.ordered AS a JOIN dbo.rows AS b ON b.k >= @t;")
        }
        5 => writeln!(out, "SELECT TOP ({}) {argument} AS x, {text} AS y FROM {from};", 1 + random.below(70)),
        _ => writeln!(out, "SELECT {key} AS k, {text} AS x, {null} AS y, {argument} + {other} AS z FROM {from};"),
    }?;
    match random.below(2) {
        0 => writeln!(out, "SET @i = @@ROWCOUNT;"),
        _ => Ok(()),
    }
}

/// UPDATE and DELETE of several rows.
fn change_rows(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let (low, high) = (random.below(12), random.below(12));
    let (table, small, big) = [("rows", "small", "big"), ("ordered", "t", "n")][random.below(2)];
    let filter = match random.below(7) {
        0 => format!("{small} = {}", value(random, 0)),
        1 => format!("k > {low} AND {big} <> {}", value(random, 0)),
        2 => format!("{big} IS NOT NULL AND k <= {high}"),
        3 => format!("k IN ({low}, {high}, 4)"),
        // More than one batch.
        4 => format!("k BETWEEN 1000 AND {}", 1000 + 13 * high),
        5 => "k < 20".into(),
        _ => format!("k BETWEEN {low} AND {low} + {high}"),
    };
    match random.below(8) {
        0 => write!(out, "DELETE dbo.{table} WHERE {filter};"),
        // Found again by the same index, if it were looked for again.
        1 => write!(out, "UPDATE dbo.rows SET small = small + 1 WHERE small > {} AND k < 1000;", value(random, 0)),
        2 => write!(out, "UPDATE dbo.rows SET small = 1 WHERE small = {};", random.below(3)),
        3 => write!(out, "UPDATE dbo.money SET d = d * {low}, e = e + d WHERE k <= {high};"),
        // Which key is met first depends on the order of the rows, which only this table's index says.
        4 if table == "ordered" => write!(out, "UPDATE dbo.ordered SET k = k + 1 WHERE {filter};"),
        5 => write!(out, "UPDATE dbo.{table} SET {small} = {}, {big} = {small} WHERE {filter};", value(random, 0)),
        // An overflow, for some.
        6 => write!(out, "UPDATE dbo.{table} SET {small} = k * 40 WHERE {filter};"),
        _ => write!(out, "UPDATE dbo.{table} SET {big} = {big} + {} WHERE {filter};", value(random, 1)),
    }?;
    writeln!(out, "SET @n0 = ISNULL(@n0, 0) + @@ROWCOUNT;")
}

/// EXEC of the procedures of `CALLED`, which fail for some arguments.
fn call(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let mut argument = || match random.below(4) {
        0 => random.below(12).to_string(),
        1 => random.pick(&["NULL", "-1", "300", "'7'", "'x'", "2.5"]).into(),
        _ => INTEGERS[random.below(5)].0.to_owned(),
    };
    let (first, second) = (argument(), argument());
    let target = INTEGERS[random.below(5)].0;
    match random.below(7) {
        0 => writeln!(out, "EXEC dbo.put {first};"),
        1 => writeln!(out, "EXEC @i = dbo.put {first}, {second};"),
        2 => writeln!(out, "EXEC dbo.put @more = {second}, @k = {first};"),
        3 => writeln!(out, "EXEC dbo.change {first}, {target} OUTPUT, @text OUTPUT;"),
        4 => writeln!(out, "EXEC @c = dbo.change @d = @d OUTPUT, @k = {first}, @b = {target} OUTPUT;"),
        5 => writeln!(out, "SET @b = 5; IF dbo.counted({target}) = -7 SET @b = 6; SET @c = @@ROWCOUNT;"),
        _ => writeln!(out, "EXEC dbo.nothing; SET @c = @@ROWCOUNT;"),
    }
}

/// A value that no machine code makes, and reads no row; an error for some.
fn asked(random: &mut Random) -> String {
    let number = INTEGERS[random.below(5)].0;
    match random.below(12) {
        0 => "LEN(@text)".into(),
        1 => format!("DATEDIFF(day, '2024-01-01', @day) + {number}"),
        2 => format!("CAST(SUBSTRING(@text, 1, {}) AS int)", random.below(4) / 3),
        3 => "@@ROWCOUNT".into(),
        4 => format!("DATEPART(year, DATEADD(day, {number} % 1000, @day))"),
        5 => format!("~{number}"),
        6 => "ISNULL(LEN(@text), 3)".into(),
        7 => format!("CASE WHEN @text = 'a' THEN {number} WHEN @text > 'ab' THEN 2 ELSE LEN(@text) % 3 END"),
        8 => format!("CAST(POWER(2e0, {number} % 50) AS bigint)"),
        9 => "CASE WHEN DATEDIFF(second, SYSUTCDATETIME(), GETUTCDATE()) < 100 THEN 4 ELSE 5 END".into(),
        10 => "NULL".into(),
        _ => "CAST(SCOPE_IDENTITY() AS int)".into(),
    }
}

/// Statements with such values: alone, and within what machine code makes.
fn asks(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let (k, part) = (random.below(12), asked(random));
    let target = INTEGERS[random.below(5)].0;
    match random.below(11) {
        0 | 1 => writeln!(out, "SET {target} = {part};"),
        2 => writeln!(out, "SET {target} = {} + ({part});", value(random, 1)),
        3 => writeln!(out, "IF {part} > {} SET @i = 3; ELSE SET @b = 4;", value(random, 1)),
        4 => writeln!(out, "INSERT dbo.ordered (k, n, t) VALUES ({k} + 20, {part}, {});", value(random, 0)),
        5 => writeln!(out, "UPDATE dbo.rows SET big = big + ISNULL({part}, 1), small = {part} WHERE k = {k};"),
        6 => writeln!(out, "UPDATE dbo.ordered SET n = n + ({part}) WHERE k > {k} AND n < {part};"),
        7 => writeln!(out, "SELECT @b = big - ({part}) FROM dbo.rows WHERE k = ABS({part}) % 10;"),
        8 => writeln!(out, "SELECT @c = SUM(big), @i = {part} FROM dbo.rows WHERE small < {part};"),
        9 => writeln!(out, "EXEC @i = dbo.put {target}, {k}; SET @when = DATEADD(hour, LEN(@text), @when);"),
        _ => writeln!(out, "DELETE dbo.rows WHERE k = {part} AND @text = 'a';"),
    }
}

/// Tables with identity, CHECK constraints and foreign keys: of numbers alone (`child`), and not (`noted`).
fn constrained(random: &mut Random, out: &mut String) -> std::fmt::Result {
    let (k, code) = (random.below(12), random.below(30));
    let (parent, small) = (if random.below(3) == 0 { "@i".into() } else { k.to_string() }, value(random, 0));
    let kind = random.pick(&["1", "2", "NULL", "@t", "4"]);
    match random.below(12) {
        0..=2 => writeln!(
            out,
            "INSERT dbo.child (parent, code, qty, kind, price) VALUES ({parent}, {code}, {small}, {kind}, {}.5);",
            random.pick(&["@s", "2", "7"]).replace("@s", "3")
        ),
        3 => writeln!(out, "INSERT dbo.child (parent, code, qty) VALUES (NULL, {}, {k});", value(random, 1)),
        4 | 5 => writeln!(
            out,
            "INSERT dbo.noted (code, parent, note, qty) VALUES ({}, {parent}, {}, {small});",
            random.pick(&["@b", "6", "4", "5"]),
            random.pick(&["@text", "'a'", "NULL", "'longer than it is'", "'ab'"])
        ),
        6 => writeln!(out, "UPDATE dbo.child SET qty = qty + {small}, kind = {kind} WHERE code = {code};"),
        7 => writeln!(out, "UPDATE dbo.child SET qty = {small} WHERE id > {code} AND price > 2;"),
        8 => writeln!(out, "UPDATE dbo.child SET parent = {parent} WHERE code = {code};"),
        9 => {
            writeln!(out, "DELETE dbo.child WHERE code = {code}; UPDATE dbo.noted SET qty = {small} WHERE code = {k};")
        }
        10 => writeln!(out, "DELETE dbo.parent WHERE id = {k};"),
        _ => writeln!(out, "UPDATE dbo.parent SET n = {small} WHERE id = {k};"),
    }?;
    match random.below(4) {
        0 => writeln!(out, "SET @c = SCOPE_IDENTITY();"),
        1 => writeln!(out, "SET @n1 = ISNULL(@n1, 0) + @@ROWCOUNT;"),
        _ => Ok(()),
    }
}

/// `loops`: how many are around it, each counting in a variable of its own.
fn statement(random: &mut Random, depth: usize, loops: usize, out: &mut String) {
    let block = |random: &mut Random, loops: usize, before: &str, out: &mut String| {
        let _ = writeln!(out, "{before} BEGIN");
        for _ in 0..1 + random.below(3) {
            statement(random, depth.saturating_sub(1), loops, out);
        }
        out.push_str("END\n");
    };
    if random.below(6) == 0 {
        let _ = decimals(random, out);
        return;
    }
    if random.below(8) == 0 {
        let _ = call(random, out);
        return;
    }
    if random.below(10) == 0 {
        let _ = constrained(random, out);
        return;
    }
    if random.below(9) == 0 {
        let _ = kinds(random, out);
        return;
    }
    if random.below(10) == 0 {
        let _ = asks(random, out);
        return;
    }
    if random.below(8) == 0 {
        let _ = subqueries(random, out);
        return;
    }
    if random.below(9) == 0 {
        let _ = semi_joins(random, out);
        return;
    }
    if random.below(8) == 0 {
        let _ = change_rows(random, out);
        return;
    }
    if random.below(8) == 0 {
        let _ = ranges::ranges(random, out);
        return;
    }
    match random.below(if depth == 0 { 8 } else { 13 }) {
        0..=3 => {
            let _ = writeln!(out, "SET {} = {};", INTEGERS[random.below(5)].0, value(random, 2));
        }
        4 => {
            let (k, small, big) = (value(random, 1), value(random, 1), value(random, 1));
            let _ = match random.below(6) {
                0 => writeln!(out, "INSERT INTO dbo.ordered (k, n, t) VALUES ({k}, {big}, 3);"),
                1 => writeln!(
                    out,
                    "INSERT INTO dbo.rows (k, small, big, filler, text) VALUES ({k}, {small}, {big}, ISNULL(@text, 'n'), @text);"
                ),
                2 => writeln!(
                    out,
                    "INSERT INTO dbo.typed (k, d, f, m, w, t, b) VALUES ({k}, {small} / 3.0, {big} * 1.5e0, CAST({small} AS money),
  CONCAT_WS(N'', N'\u{e9}', @text, @@ROWCOUNT), DATEADD(day, {small}, '20200101'), CAST({small} AS varbinary(4)));"
                ),
                _ => writeln!(out, "INSERT INTO dbo.rows (k, small, big) VALUES ({k}, {small}, {big});"),
            };
        }
        5 => out.push_str("SET @text = ISNULL(@text, 'a') + 'b';\n"),
        6 => out.push_str("SET @i = @@ROWCOUNT;\n"),
        7 => {
            let k = if random.below(4) == 0 { value(random, 1) } else { random.below(12).to_string() };
            let more = value(random, 0);
            let _ = match random.below(26) {
                14..=19 => joins(random, out),
                20.. => results(random, out),
                5 => writeln!(out, "UPDATE dbo.rows SET big = big + {more}, small = 7 WHERE k = {k};"),
                6 => writeln!(out, "UPDATE dbo.ordered SET n = {more}, k = k + 1 WHERE k = {k};"),
                7 => writeln!(out, "DELETE dbo.rows WHERE k = {k};"),
                8 => writeln!(out, "UPDATE dbo.ordered SET t = {more} WHERE k = {k};"),
                0 | 9.. => many_rows(random, out),
                1 => writeln!(out, "SELECT @s = small, @b = big FROM dbo.rows WHERE k = {k};"),
                2 => writeln!(out, "SELECT @t = t, @c = n FROM dbo.ordered WHERE k = {k};"),
                _ => writeln!(out, "SELECT @i = small, @b = big + {more} FROM dbo.rows WHERE k = {k};"),
            };
        }
        8 | 9 => {
            let when = format!("IF {}", predicate(random, 2));
            block(random, loops, &when, out);
            if random.below(2) == 0 {
                block(random, loops, "ELSE", out);
            }
        }
        10 if loops < 2 => {
            let counter = ["@n0", "@n1"][loops];
            let _ = writeln!(out, "SET {counter} = 0;");
            let turns = 1 + random.below(5);
            let _ = writeln!(
                out,
                "WHILE {counter} < {turns} AND ({} OR 1 = 1) BEGIN SET {counter} += 1;",
                predicate(random, 1)
            );
            for _ in 0..1 + random.below(3) {
                statement(random, depth - 1, loops + 1, out);
            }
            out.push_str("END\n");
        }
        11 => {
            block(random, loops, "BEGIN TRY", out);
            out.push_str(
                "END TRY BEGIN CATCH SET @text = CONCAT_WS(':', @text, ERROR_NUMBER(), ERROR_LINE()); END CATCH\n",
            );
        }
        12 if random.below(4) == 0 => {
            let _ = writeln!(out, "RETURN {};", random.below(3));
        }
        12 if random.below(2) == 0 => {
            let (k, change) = (random.below(12), random.below(10));
            let _ = writeln!(out, "SELECT @far = far FROM dbo.rows WHERE k = {k};");
            let _ = match random.below(2) {
                0 => writeln!(out, "INSERT INTO dbo.rows (k, big, far) VALUES ({k} + 10, @b, @far);"),
                _ => writeln!(out, "UPDATE dbo.rows SET big = @i, far = @far WHERE k = {change};"),
            };
        }
        _ => {
            let _ = writeln!(out, "SET {} += {};", INTEGERS[random.below(5)].0, value(random, 1));
        }
    }
}

fn procedure(random: &mut Random, number: usize) -> String {
    let mut body = String::new();
    for _ in 0..2 + random.below(6) {
        statement(random, 3, 0, &mut body);
    }
    format!(
        "CREATE PROCEDURE dbo.p{number} @t tinyint, @s smallint, @i int, @b bigint, @c bigint
WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
DECLARE @text varchar(60), @far varchar(max), @n0 int, @n1 int, @k0 bigint, @d decimal(12, 3) = @s, @e decimal(20, 1),
  @f float = @i, @r real = 0.7, @m money = 12.3457, @y smallmoney = -3.5, @z bit = @t, @day date = '2024-02-29', @time time(3) = '23:59:59.99',
  @when datetime2(4) = '2023-01-01 10:11:12.3456', @then datetime = '1753-01-01', @soon smalldatetime = '2079-06-06';
{body}SELECT @t AS t, @s AS s, @i AS i, @b AS b, @c AS c, @text AS text, @n0 AS n0, @n1 AS n1, @d AS d, @e AS e,
  CAST(@f AS varbinary(8)) AS f, CAST(@r AS varbinary(4)) AS r, @m AS m, @y AS y, @z AS z, @day AS day, @time AS time, @when AS [when], @then AS [then], @soon AS soon;
END
GO
"
    )
}

const TABLES: &str = "CREATE TABLE dbo.rows (k bigint NOT NULL CONSTRAINT pk_rows PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 64), small smallint NULL,
  big bigint NOT NULL, filler char(7) NOT NULL DEFAULT 'f', text varchar(20) NULL DEFAULT 'long', far varchar(max) NULL, INDEX by_small (small)) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.ordered (k int NOT NULL CONSTRAINT pk_ordered PRIMARY KEY NONCLUSTERED, n bigint NULL, t tinyint NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.money (k int NOT NULL CONSTRAINT pk_money PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 16), d decimal(18, 3) NULL,
  e decimal(8, 2) NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.typed (k int NOT NULL CONSTRAINT pk_typed PRIMARY KEY NONCLUSTERED, d decimal(12, 4) NULL, f float NULL, m smallmoney NULL,
  w nvarchar(6) NOT NULL, t datetime2(3) NULL, b varbinary(3) NULL) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.kinds (k int NOT NULL CONSTRAINT pk_kinds PRIMARY KEY NONCLUSTERED, f float NULL, r real NULL CONSTRAINT ck_r CHECK (r < 1e30), m money NULL,
  y smallmoney NULL, z bit NULL, d date NULL, t time(3) NULL, t0 time(0) NULL, d4 datetime2(4) NULL CONSTRAINT ck_d4 CHECK (d4 > '2000-01-01'), d7 datetime2 NULL,
  dt datetime NULL, sd smalldatetime NULL) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.parent (id int NOT NULL CONSTRAINT pk_parent PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 16), n tinyint NULL CONSTRAINT ck_n CHECK (n <> 5))
  WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.child (id bigint IDENTITY NOT NULL CONSTRAINT pk_child PRIMARY KEY NONCLUSTERED, parent int NULL CONSTRAINT fk_child REFERENCES dbo.parent (id),
  code int NOT NULL CONSTRAINT uq_child UNIQUE NONCLUSTERED HASH WITH (BUCKET_COUNT = 64), qty smallint NULL CONSTRAINT ck_qty CHECK (qty BETWEEN -10 AND 300),
  kind tinyint NULL CONSTRAINT ck_kind CHECK (kind IN (1, 2, 3)), price decimal(8, 2) NOT NULL DEFAULT 2.5,
  CONSTRAINT ck_both CHECK (NOT (kind = 2 AND qty * 100 > price * 1000) OR 1000 / qty > 3)) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.noted (number int IDENTITY NOT NULL CONSTRAINT pk_noted PRIMARY KEY NONCLUSTERED, code bigint NOT NULL CONSTRAINT uq_noted UNIQUE NONCLUSTERED,
  parent int NULL CONSTRAINT fk_noted REFERENCES dbo.parent (id), note char(10) NULL CONSTRAINT ck_note CHECK (note <> 'ab' AND DATALENGTH(note) = 10),
  qty int NOT NULL CONSTRAINT ck_noted CHECK (qty % 7 <> 3), made datetime2 NOT NULL DEFAULT SYSDATETIME()) WITH (MEMORY_OPTIMIZED = ON);
GO
";

/// What the procedures call.
const CALLED: &str = "CREATE PROCEDURE dbo.nothing WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') DECLARE @i int; END
GO
CREATE FUNCTION dbo.counted(@k int) RETURNS int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
DECLARE @n int; SELECT @n = COUNT(*) FROM dbo.ordered WHERE k < @k; IF @n > 5 RETURN @n * @k; RETURN @n; END
GO
CREATE FUNCTION dbo.joined(@a bigint, @b smallint NOT NULL) RETURNS bigint WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') RETURN @a * 10 + dbo.counted(@b); END
GO
CREATE PROCEDURE dbo.put @k bigint, @more tinyint = 4 WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
INSERT dbo.rows (k, small, big) VALUES (@k, @more, @more); INSERT dbo.ordered (k, n, t) VALUES (@k + 50, @more, @k); RETURN @more; END
GO
CREATE PROCEDURE dbo.change @k int, @b int = 2 OUTPUT, @text varchar(3) = 'c' OUTPUT, @d decimal(12, 3) = 0 OUTPUT
WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
UPDATE dbo.rows SET big = big + 1 WHERE k = @k;
BEGIN TRY EXEC dbo.put @k, @b; END TRY BEGIN CATCH SET @b = ERROR_NUMBER(); SET @d += 0.5; END CATCH
SET @text = @text + 'd'; IF @k = 5 THROW 50005, N'five', 1; SET @b += @k; RETURN @k; END
GO
";

/// For look-ups to find, some values of them NULL.
const ROWS: &str =
    "INSERT dbo.rows (k, small, big, far) SELECT value, NULLIF(value % 3, 0), value * 100, REPLICATE(CAST('0' + value AS varchar(max)), 400 * value)
FROM GENERATE_SERIES(0, 9);
INSERT dbo.ordered (k, n, t) SELECT value, NULLIF(value % 2, 0), value FROM GENERATE_SERIES(0, 9);
INSERT dbo.money (k, d, e) SELECT value, NULLIF(value, 3) * -1.125, value * 1000.5 FROM GENERATE_SERIES(0, 9);
-- Scans give their rows in batches: more than one.
INSERT dbo.parent (id, n) SELECT value, NULLIF(value, 5) FROM GENERATE_SERIES(0, 9);
INSERT dbo.child (parent, code, qty, kind) SELECT value, value * 3, value, 1 FROM GENERATE_SERIES(0, 5);
INSERT dbo.noted (parent, code, qty) VALUES (3, 3, 1);
INSERT dbo.kinds (k, f, r, m, y, z, d, t, t0, d4, d7, dt, sd) SELECT value, NULLIF(value, 3) * 1.1e0, value / 3e0, NULLIF(value, 4) * 1.25, value, value % 2,
  DATEADD(day, value * 100, '2023-06-01'), DATEADD(ms, value * 1234567, '00:00'), NULL, DATEADD(hour, value * 1111, '2022-01-01'),
  DATEADD(ms, value * 123456789, '1999-01-01'), DATEADD(day, -value * 5000, '2001-01-01'), DATEADD(day, value * 5000, '1900-01-01') FROM GENERATE_SERIES(0, 9);
INSERT dbo.ordered (k, n, t) SELECT 1000 + value, value % 7, value FROM GENERATE_SERIES(0, 149);
GO
";

fn script(random: &mut Random, procedures: usize) -> String {
    let mut script = TABLES.to_owned() + ranges::TABLE + CALLED;
    for number in 0..procedures {
        script.push_str(&procedure(random, number));
        script.push_str(ROWS);
        script.push_str(ranges::ROWS);
        for arguments in [
            "1, 2, 3, 4, 5",
            "NULL, 2, NULL, 4, NULL",
            "5, NULL, 7, NULL, 9",
            "255, 32767, 2147483647, 9223372036854775807, -1",
        ] {
            let _ = write!(script, "DECLARE @r int; EXEC @r = dbo.p{number} {arguments}; SELECT @r AS r;\nGO\n");
        }
        script.push_str(ranges::SHOWN);
        script.push_str(
            "SELECT k, small, big, filler, text, LEN(far) AS far, CHECKSUM(far) AS sum FROM dbo.rows ORDER BY k;
SELECT k, n, t FROM dbo.ordered WHERE k NOT BETWEEN 1000 AND 1149 ORDER BY k;
SELECT COUNT(*), CHECKSUM_AGG(CHECKSUM(k, n, t)) FROM dbo.ordered; DELETE dbo.rows; DELETE dbo.ordered;
SELECT * FROM dbo.child ORDER BY id; SELECT number, code, parent, note, qty FROM dbo.noted ORDER BY number;
SELECT COUNT(*) FROM dbo.noted WHERE made < DATEADD(hour, -1, SYSDATETIME()); DELETE dbo.child; DELETE dbo.noted;
SELECT CAST(f AS varbinary(8)), CAST(r AS varbinary(4)), * FROM dbo.kinds ORDER BY k; DELETE dbo.kinds;
SELECT * FROM dbo.parent ORDER BY id; DELETE dbo.parent; SELECT * FROM dbo.typed ORDER BY k; DELETE dbo.typed; SELECT * FROM dbo.money ORDER BY k; DELETE dbo.money;\nGO\n",
        );
    }
    script
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn machine_code_does_what_the_interpreter_does() {
    let (seed, procedures) = (number("HEDDLE_SEED", 1), number("HEDDLE_PROCEDURES", 150) as usize);
    println!("HEDDLE_SEED={seed}");
    let file = scratch("native").join("twins.sql");
    std::fs::write(&file, script(&mut Random(seed), procedures)).expect("written");
    let server = Server::start(&[]);
    let run = |enabled: u32| {
        let configure =
            "EXEC sp_configure 'show advanced options', 1; RECONFIGURE; EXEC sp_configure 'native code enabled'";
        server
            .query(&format!("{configure}, {enabled}; RECONFIGURE; DROP DATABASE IF EXISTS twin; CREATE DATABASE twin"));
        let output = server.sql(&["-d", "twin", "-W", "-i", file.to_str().expect("UTF-8 path")]);
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let (interpreted, native) = (run(0), run(1));
    let answered = interpreted.lines().filter(|line| line.starts_with("t s i b c text")).count();
    assert!(answered > procedures, "{answered} calls of {} came to their end:\n{interpreted}", 4 * procedures);
    for (at, (expected, seen)) in interpreted.lines().zip(native.lines()).enumerate() {
        assert_eq!(expected, seen, "line {} of what the script prints, seed {seed}", at + 1);
    }
    assert_eq!(interpreted.lines().count(), native.lines().count());
}
