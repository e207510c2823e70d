//! A scalar function that is inlined gives what it gives when it is called: bodies made at random, each made twice, once WITH INLINE = OFF,
//! and asked for by the same queries.
//!
//! https://learn.microsoft.com/sql/relational-databases/user-defined-functions/scalar-udf-inlining
//!
//! `SEEDS=50 cargo test -p heddle --test inlined` makes more; `SEED=4711` that one.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::client::{Answer, Connection};
use support::Server;
use support::ask::{ask, connect, must, one};
use support::random::{Random, number};

const SEEDS: u64 = 4;
const FUNCTIONS: usize = 25;

/// Variables of a body, with their types.
const VARIABLES: [(&str, &str); 4] = [("@i", "int"), ("@d", "decimal(9,2)"), ("@s", "varchar(6)"), ("@n", "bigint")];
const RETURNS: [&str; 4] = ["int", "decimal(12,3)", "varchar(8)", "bigint"];

struct Body {
    random: Random,
    text: String,
    depth: usize,
}

impl Body {
    fn number(&mut self) -> String {
        let depth = self.depth;
        self.depth += 1;
        let choice = if depth > 3 { self.random.below(5) } else { self.random.below(14) };
        let text = match choice {
            0 => (self.random.below(9) as i64 - 3).to_string(),
            1 | 2 => self.random.pick(&["@a", "@i", "@n", "@d"]).to_string(),
            3 => self.random.pick(&["@a", "@i", "NULL + @a", "2.5"]).to_string(),
            4 => "LEN(@s)".into(),
            5..8 => {
                let (left, right) = (self.number(), self.number());
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*"]))
            }
            8 => {
                let (left, right) = (self.number(), self.number());
                format!("({left} / {right})")
            }
            9 => {
                let (when, then, otherwise) = (self.condition(), self.number(), self.number());
                format!("CASE WHEN {when} THEN {then} ELSE {otherwise} END")
            }
            10 => {
                let (value, other) = (self.number(), self.number());
                format!("ISNULL({value}, {other})")
            }
            11 => {
                let value = self.number();
                let aggregate = self.random.pick(&["SUM", "MAX", "MIN", "COUNT"]);
                format!("(SELECT {aggregate}(v) FROM dbo.r WHERE k = {value} % 7)")
            }
            12 => {
                let value = self.number();
                format!("(SELECT TOP 1 v FROM dbo.r WHERE id >= {value} ORDER BY id)")
            }
            _ => {
                let value = self.number();
                format!("dbo.shared(CAST({value} AS int) % 50)")
            }
        };
        self.depth -= 1;
        text
    }

    fn text(&mut self) -> String {
        match self.random.below(5) {
            0 => "@s".into(),
            1 => "@b".into(),
            2 => format!("'{}'", self.random.pick(&["", "x", "Yz"])),
            3 => format!("CONCAT(@s, {})", self.number()),
            _ => "UPPER(@s + @b)".into(),
        }
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("{} IS NULL", self.number()),
            1 => "@s = @b".into(),
            2 => format!("EXISTS (SELECT 1 FROM dbo.r WHERE id = {})", self.number()),
            3 => format!("NOT {} > {}", self.number(), self.number()),
            _ => format!("{} {} {}", self.number(), self.random.pick(&["<", "=", ">=", "<>"]), self.number()),
        }
    }

    fn assignment(&mut self) -> String {
        let (variable, ty) = VARIABLES[self.random.below(VARIABLES.len())];
        let value = if ty.starts_with("varchar") { self.text() } else { self.number() };
        match self.random.below(6) {
            0 if !ty.starts_with("varchar") => format!("SET {variable} += {value};"),
            1 => format!("SELECT {variable} = {value};"),
            2 => {
                let value = self.number();
                format!("SELECT @i = v, @s = t FROM dbo.r WHERE id = {value};")
            }
            3 => {
                let value = self.number();
                format!("SELECT @n = SUM(v) FROM dbo.r WHERE k < {value};")
            }
            _ => format!("SET {variable} = {value};"),
        }
    }

    fn statements(&mut self, count: usize, nested: usize) {
        for _ in 0..count {
            if nested < 2 && self.random.below(4) == 0 {
                let when = self.condition();
                self.text.push_str(&format!("IF {when} BEGIN "));
                let count = 1 + self.random.below(2);
                self.statements(count, nested + 1);
                self.text.push_str("END ");
                if self.random.below(2) == 0 {
                    self.text.push_str("ELSE BEGIN ");
                    self.statements(1, nested + 1);
                    self.text.push_str("END ");
                }
            } else {
                let text = self.assignment();
                self.text.push_str(&text);
                self.text.push('\n');
            }
        }
    }
}

/// What follows the name of a function.
fn function(seed: u64) -> (String, String) {
    let mut body = Body { random: Random(seed), text: String::new(), depth: 0 };
    let returns = RETURNS[body.random.below(RETURNS.len())];
    for (variable, ty) in VARIABLES {
        let value = match body.random.below(3) {
            0 => "",
            _ if ty.starts_with("varchar") => " = 'q'",
            _ => " = 1",
        };
        body.text.push_str(&format!("DECLARE {variable} {ty}{value};\n"));
    }
    let count = 1 + body.random.below(5);
    body.statements(count, 0);
    let value = if returns.starts_with("varchar") { body.text() } else { body.number() };
    let with = if body.random.below(4) == 0 { "RETURNS NULL ON NULL INPUT, " } else { "" };
    let head = format!("(@a int, @b varchar(4)) RETURNS {returns} WITH {with}");
    (head, format!(" AS BEGIN\n{}RETURN {value};\nEND", body.text))
}

/// What an answer comes to: its rows, or the number of its error.
fn said(answer: &Answer) -> Result<Vec<String>, i32> {
    match answer.first_error() {
        Some(error) => Err(error.number),
        None => Ok(answer.sets[0].rows.iter().map(|row| format!("{row:?}")).collect()),
    }
}

/// What a body computes and does not use need not be computed, and so need not fail; and of two errors either may come first.
fn is_sooner(inlined: &Result<Vec<String>, i32>, called: &Result<Vec<String>, i32>) -> bool {
    const ERRORS: [i32; 4] = [245, 512, 8115, 8134];
    match (inlined, called) {
        (Ok(_), Err(number)) => ERRORS.contains(number),
        (Err(one), Err(other)) => ERRORS.contains(one) && ERRORS.contains(other),
        _ => false,
    }
}

fn prepare(connection: &mut Connection) {
    for text in [
        "CREATE TABLE dbo.r (id int NOT NULL, k int NULL, v int NULL, t varchar(5) NULL)",
        "INSERT dbo.r SELECT value, NULLIF(value % 7, 4), NULLIF(value * 13 % 31, 3), CONCAT('t', value % 5) FROM GENERATE_SERIES(1, 60)",
        "CREATE TABLE dbo.o (id int NOT NULL PRIMARY KEY, a int NULL, b varchar(4) NULL)",
        "INSERT dbo.o SELECT value, NULLIF(value % 11, 10) - 2, CHOOSE(value % 4 + 1, 'q', 'x', NULL, 'Q') FROM GENERATE_SERIES(1, 40)",
        "CREATE FUNCTION dbo.shared(@x int) RETURNS int AS BEGIN DECLARE @y int = @x; IF @y > 3 SET @y = (SELECT MAX(v) FROM dbo.r WHERE id < @x); RETURN @y END",
    ] {
        must(connection, text);
    }
}

#[test]
fn inlined_functions_give_what_called_ones_give() {
    let server = Server::start(&[]);
    let mut connection = connect(&server, "master");
    must(&mut connection, "CREATE DATABASE inlined");
    must(&mut connection, "USE inlined");
    prepare(&mut connection);
    let seeds = match number("SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("SEEDS").unwrap_or(SEEDS),
    };
    let (mut asked, mut failed, mut inlined) = (0, 0, 0);
    for seed in seeds {
        for at in 0..FUNCTIONS {
            let (head, body) = function(seed * 1_000 + at as u64 + 1);
            must(&mut connection, &format!("CREATE OR ALTER FUNCTION dbo.f{head}EXECUTE AS CALLER{body}"));
            must(&mut connection, &format!("CREATE OR ALTER FUNCTION dbo.g{head}INLINE = OFF{body}"));
            for query in [
                "SELECT id, dbo.f(a, b) FROM dbo.o ORDER BY id",
                "SELECT id FROM dbo.o WHERE dbo.f(a, b) IS NOT NULL ORDER BY id",
                "SELECT b, COUNT(dbo.f(a, b)), MAX(dbo.f(id % 3, b)) FROM dbo.o GROUP BY b ORDER BY b",
                "SELECT o.id, x.v FROM dbo.o CROSS APPLY (SELECT MAX(dbo.f(r.k + o.a, o.b)) AS v FROM dbo.r WHERE r.id < o.id) x WHERE o.id < 9 ORDER BY o.id",
            ] {
                let one = said(&ask(&mut connection, query));
                let other = said(&ask(&mut connection, &query.replace("dbo.f(", "dbo.g(")));
                let same = one == other || is_sooner(&one, &other);
                assert!(same, "seed {seed}, function {at}: {query}\n{one:?}\ncalled:\n{other:?}\n{head}{body}");
                asked += 1;
                failed += u32::from(one.is_err());
            }
            let plan = "SELECT id, dbo.f(a, b) FROM dbo.o";
            inlined += u32::from(!calls(&mut connection, plan));
        }
    }
    println!("{asked} queries, {failed} errors, {inlined} inlined");
    assert!(failed * 2 < asked, "most have answers");
    assert!(inlined > 0);
    assert_eq!(one(&mut connection, "SELECT COUNT(*) FROM dbo.o"), 40);
}

/// The function's name is in the plan.
fn calls(connection: &mut Connection, query: &str) -> bool {
    must(connection, "SET SHOWPLAN_TEXT ON");
    let answer = must(connection, query);
    must(connection, "SET SHOWPLAN_TEXT OFF");
    let rows = answer.sets.iter().skip(1).flat_map(|set| &set.rows);
    rows.flatten().any(|value| support::ask::text_of(value).contains("[f]("))
}
