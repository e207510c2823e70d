//! Row-level security: random policies and statements against a model in which a policy is a test of a row. What is seen by every
//! way to read, what changes, and what is refused must be what the model says, for two sessions at once that share plans.
//! https://learn.microsoft.com/sql/relational-databases/security/row-level-security
//!
//! More sequences, or one of them: SEEDS=1000, SEED=4711.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeMap;

use lab::client::{Answer, Connection};
use support::ask::{ask, must};
use support::random::{Random, number};
use support::wire::Wire;
use support::{Server, target};
use types::Datum;

const SEEDS: u64 = 40;
/// Statements of a sequence.
const STEPS: usize = 40;
const VALUES: usize = 4;

fn drawn(random: &mut Random) -> Option<i64> {
    let value = random.below(VALUES + 1);
    (value < VALUES).then_some(value as i64)
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Line {
    a: Option<i64>,
    b: Option<i64>,
}

/// Who asks.
#[derive(Clone, Copy)]
struct Who {
    user: &'static str,
    /// SESSION_CONTEXT(N'n')
    n: Option<i64>,
}

/// A function of the server, and the same here. `allowed`: the values in dbo.allowed.
const FUNCTIONS: [&str; 4] = ["rls.is_n", "rls.by_user", "rls.is_allowed", "rls.not_n"];

fn holds(function: usize, x: Option<i64>, who: Who, allowed: &[i64]) -> bool {
    match function {
        0 => x.is_some() && x == who.n,
        1 => who.user == "u1" || x.is_some_and(|x| x % 2 == 0),
        2 => x.is_some_and(|x| allowed.contains(&x)),
        _ => x.zip(who.n).is_some_and(|(x, n)| x != n) || who.n.is_none(),
    }
}

const DEFINITIONS: [&str; 4] = [
    "CREATE FUNCTION rls.is_n(@x int) RETURNS TABLE WITH SCHEMABINDING AS
     RETURN SELECT 1 AS r WHERE @x = CAST(SESSION_CONTEXT(N'n') AS int)",
    "CREATE FUNCTION rls.by_user(@x int) RETURNS TABLE WITH SCHEMABINDING AS
     RETURN SELECT 1 AS r WHERE USER_NAME() = 'u1' OR @x % 2 = 0",
    "CREATE FUNCTION rls.is_allowed(@x int) RETURNS TABLE WITH SCHEMABINDING AS
     RETURN SELECT n FROM dbo.allowed WHERE n = @x",
    "CREATE FUNCTION rls.not_n(@x int) RETURNS TABLE WITH SCHEMABINDING AS
     RETURN SELECT 1 AS r WHERE @x <> CAST(SESSION_CONTEXT(N'n') AS int) OR SESSION_CONTEXT(N'n') IS NULL",
];

/// What a predicate is given.
const ARGUMENTS: [&str; 3] = ["a", "b", "a + b"];

fn argument(at: usize, line: Line) -> Option<i64> {
    match at {
        0 => line.a,
        1 => line.b,
        _ => line.a.zip(line.b).map(|(a, b)| a + b),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Of {
    Filter,
    AfterInsert,
    AfterUpdate,
    BeforeUpdate,
    BeforeDelete,
}

const OPERATIONS: [(Of, &str); 5] = [
    (Of::Filter, ""),
    (Of::AfterInsert, " AFTER INSERT"),
    (Of::AfterUpdate, " AFTER UPDATE"),
    (Of::BeforeUpdate, " BEFORE UPDATE"),
    (Of::BeforeDelete, " BEFORE DELETE"),
];

#[derive(Default)]
struct Model {
    rows: BTreeMap<i64, Line>,
    allowed: Vec<i64>,
    /// (function, argument)
    policy: BTreeMap<Of, (usize, usize)>,
    enabled: bool,
}

impl Model {
    fn passes(&self, of: Of, line: Line, who: Who) -> bool {
        let Some((function, given)) = self.policy.get(&of).filter(|_| self.enabled) else { return true };
        holds(*function, argument(*given, line), who, &self.allowed)
    }

    fn seen(&self, who: Who) -> Vec<i64> {
        let seen = self.rows.iter().filter(|(_, line)| self.passes(Of::Filter, **line, who));
        seen.map(|(id, _)| *id).collect()
    }

    /// The rows after these changes (None: deleted), or that they are refused. `sets`: columns that an UPDATE sets.
    fn changed(&self, changes: &[(i64, Option<Line>)], who: Who, sets: &[usize]) -> Option<BTreeMap<i64, Line>> {
        let mut rows = self.rows.clone();
        for (id, new) in changes {
            let old = self.rows.get(id).copied();
            let passes = |of: Of, line: Line| self.passes(of, line, who);
            let touched = |of: Of| {
                let given = self.policy.get(&of).map_or(0, |(_, given)| *given);
                sets.iter().any(|set| given == *set || given == 2)
            };
            let fine = match (old, new) {
                (None, Some(new)) => passes(Of::AfterInsert, *new),
                (Some(old), Some(new)) => {
                    passes(Of::BeforeUpdate, old) && (!touched(Of::AfterUpdate) || passes(Of::AfterUpdate, *new))
                }
                (Some(old), None) => passes(Of::BeforeDelete, old),
                (None, None) => true,
            };
            if !fine {
                return None;
            }
            match new {
                Some(new) => rows.insert(*id, *new),
                None => rows.remove(id),
            };
        }
        Some(rows)
    }
}

fn written(value: Option<i64>) -> String {
    value.map_or_else(|| "NULL".to_string(), |value| value.to_string())
}

/// A way to read the ids that are seen, those from `@k` on.
const READS: [&str; 11] = [
    "SELECT id FROM dbo.t WHERE id >= @k",
    "SELECT id FROM dbo.v WHERE id >= @k",
    "SELECT x.id FROM dbo.t x JOIN dbo.t y ON x.id = y.id WHERE y.id >= @k",
    "SELECT n.id FROM dbo.numbers n LEFT JOIN dbo.t ON t.id = n.id WHERE t.id IS NOT NULL AND n.id >= @k",
    "SELECT n.id FROM dbo.numbers n WHERE n.id IN (SELECT id FROM dbo.t) AND n.id >= @k",
    "SELECT n.id FROM dbo.numbers n WHERE n.id >= @k AND EXISTS (SELECT * FROM dbo.t WHERE t.id = n.id)",
    "SELECT n.id FROM dbo.numbers n CROSS APPLY dbo.from_t(n.id) f WHERE n.id >= @k",
    "WITH c AS (SELECT id, COUNT(*) OVER () AS n FROM dbo.t WHERE id >= @k) SELECT id FROM c",
    "SELECT id FROM dbo.t WHERE id >= @k EXCEPT SELECT id FROM dbo.numbers WHERE id < 0",
    "DECLARE @o TABLE (id int) INSERT @o SELECT id FROM dbo.t WHERE id >= @k SELECT id FROM @o",
    "DECLARE @o TABLE (id int) DECLARE @i int
     DECLARE c CURSOR LOCAL FOR SELECT id FROM dbo.t WHERE id >= @k
     OPEN c FETCH NEXT FROM c INTO @i
     WHILE @@FETCH_STATUS = 0 BEGIN INSERT @o VALUES (@i) FETCH NEXT FROM c INTO @i END
     SELECT id FROM @o",
];

fn ids(answer: &Answer, text: &str) -> Vec<i64> {
    assert!(answer.first_error().is_none(), "{text}: {:?}", answer.first_error());
    let rows = answer.sets.last().unwrap_or_else(|| panic!("{text} gives rows")).rows.iter();
    let mut ids: Vec<i64> = rows.map(|row| row[0].as_i64()).collect();
    ids.sort_unstable();
    ids
}

struct Change {
    text: String,
    /// Rows as they are afterwards. None: gone.
    rows: Vec<(i64, Option<Line>)>,
    /// Columns that an UPDATE sets.
    sets: Vec<usize>,
    /// It inserts the key of a row that is not seen.
    collides: bool,
}

fn change(random: &mut Random, model: &Model, who: Who, next: &mut i64) -> Change {
    let seen = model.seen(who);
    let from = random.below(12) as i64;
    let to = from + random.below(8) as i64;
    let within: Vec<i64> = seen.iter().copied().filter(|id| (from..=to).contains(id)).collect();
    let value = drawn(random);
    let set = random.below(2);
    let with = |id: i64| {
        let line = model.rows[&id];
        if set == 0 { Line { a: value, ..line } } else { Line { b: value, ..line } }
    };
    let column = ["a", "b"][set];
    match random.below(5) {
        0 => {
            let lines: Vec<(i64, Line)> = (0..1 + random.below(2))
                .map(|_| {
                    *next += 1;
                    (*next, Line { a: drawn(random), b: drawn(random) })
                })
                .collect();
            let values: Vec<String> =
                lines.iter().map(|(id, line)| format!("({id}, {}, {})", written(line.a), written(line.b))).collect();
            let text = format!("INSERT {} VALUES {}", random.pick(&["dbo.t", "dbo.v"]), values.join(", "));
            let rows = lines.into_iter().map(|(id, line)| (id, Some(line))).collect();
            Change { text, rows, sets: Vec::new(), collides: false }
        }
        1 => {
            let table = random.pick(&["dbo.t", "dbo.v"]);
            let text = format!("UPDATE {table} SET {column} = {} WHERE id BETWEEN {from} AND {to}", written(value));
            let rows = within.iter().map(|id| (*id, Some(with(*id)))).collect();
            Change { text, rows, sets: vec![set], collides: false }
        }
        2 => {
            let text = format!("DELETE {} WHERE id BETWEEN {from} AND {to}", random.pick(&["dbo.t", "dbo.v"]));
            let rows = within.iter().map(|id| (*id, None)).collect();
            Change { text, rows, sets: Vec::new(), collides: false }
        }
        3 => {
            let text = format!(
                "DECLARE c CURSOR LOCAL FOR SELECT a FROM dbo.t WHERE id BETWEEN {from} AND {to} FOR UPDATE
                 OPEN c FETCH NEXT FROM c
                 IF @@FETCH_STATUS = 0 UPDATE dbo.t SET {column} = {} WHERE CURRENT OF c",
                written(value)
            );
            // The first in the order of the key: there is no other index.
            let rows = within.iter().take(1).map(|id| (*id, Some(with(*id)))).collect();
            Change { text, rows, sets: vec![set], collides: false }
        }
        _ => {
            *next += 1;
            let (old, new) = (from, *next);
            let deletes = random.below(3) == 0;
            let matched =
                if deletes { "DELETE".to_string() } else { format!("UPDATE SET {column} = {}", written(value)) };
            let line = Line { a: drawn(random), b: drawn(random) };
            let text = format!(
                "MERGE dbo.t AS t USING (VALUES ({old}), ({new})) AS s (id) ON t.id = s.id WHEN MATCHED THEN {matched}
                 WHEN NOT MATCHED THEN INSERT VALUES (s.id, {}, {});",
                written(line.a),
                written(line.b)
            );
            let hidden = model.rows.contains_key(&old) && !seen.contains(&old);
            let first = match seen.contains(&old) {
                true if deletes => None,
                true => Some(with(old)),
                false => Some(line),
            };
            let sets = if deletes { Vec::new() } else { vec![set] };
            Change { text, rows: vec![(old, first), (new, Some(line))], sets, collides: hidden }
        }
    }
}

/// Changes the policy, on the server and in the model.
fn redefine(random: &mut Random, model: &mut Model) -> String {
    match random.below(4) {
        0 => {
            model.enabled = random.below(4) != 0;
            format!("ALTER SECURITY POLICY rls.p WITH (STATE = {})", if model.enabled { "ON" } else { "OFF" })
        }
        1 if !model.allowed.is_empty() => {
            let gone = model.allowed.remove(random.below(model.allowed.len()));
            format!("DELETE dbo.allowed WHERE n = {gone}")
        }
        _ => {
            let (of, operation) = random.pick(&OPERATIONS);
            if model.policy.contains_key(&of) && random.below(3) == 0 {
                model.policy.remove(&of);
                let kind = if of == Of::Filter { "FILTER" } else { "BLOCK" };
                return format!("ALTER SECURITY POLICY rls.p DROP {kind} PREDICATE ON dbo.t{operation}");
            }
            predicate(random, model, (of, operation))
        }
    }
}

/// Adds or changes a predicate.
fn predicate(random: &mut Random, model: &mut Model, (of, operation): (Of, &'static str)) -> String {
    let kind = if of == Of::Filter { "FILTER" } else { "BLOCK" };
    let (function, given) = (random.below(FUNCTIONS.len()), random.below(ARGUMENTS.len()));
    let verb = if model.policy.insert(of, (function, given)).is_some() { "ALTER" } else { "ADD" };
    let call = format!("{}({})", FUNCTIONS[function], ARGUMENTS[given]);
    format!("ALTER SECURITY POLICY rls.p {verb} {kind} PREDICATE {call} ON dbo.t{operation}")
}

const SETUP: [&str; 12] = [
    "CREATE SCHEMA rls",
    "CREATE USER u1 WITHOUT LOGIN",
    "CREATE USER u2 WITHOUT LOGIN",
    "CREATE TABLE dbo.allowed (n int NOT NULL PRIMARY KEY)",
    "CREATE TABLE dbo.numbers (id int NOT NULL PRIMARY KEY)",
    "INSERT dbo.numbers SELECT value FROM GENERATE_SERIES(0, 200)",
    "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, a int, b int)",
    "CREATE TABLE dbo.stays (id int)",
    "CREATE VIEW dbo.v AS SELECT id, a, b FROM dbo.t",
    "CREATE FUNCTION dbo.from_t(@id int) RETURNS TABLE AS RETURN SELECT id FROM dbo.t WHERE id = @id",
    "GRANT SELECT, INSERT, UPDATE, DELETE, EXECUTE TO u1, u2",
    "CREATE FUNCTION rls.of_stays(@id int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS r WHERE 1 = 1",
];

#[test]
fn rows_are_seen_and_changed_as_the_policies_say() {
    let server = Server::start(&[]);
    let first = number("SEED").unwrap_or(0);
    let count = if number("SEED").is_some() { 1 } else { number("SEEDS").unwrap_or(SEEDS) };
    let (mut refused, mut done, mut hidden, mut shown) = (0, 0, 0, 0);
    let open = || Connection::open(&target(server.port, "master"), None).expect("the server is there");
    let mut keeper = open();
    must(&mut keeper, "CREATE DATABASE policies");
    must(&mut keeper, "USE policies");
    for text in SETUP.iter().chain(&DEFINITIONS) {
        must(&mut keeper, text);
    }
    let mut sessions = [open(), open()];
    for (session, user) in sessions.iter_mut().zip(["u1", "u2"]) {
        must(session, "USE policies");
        must(session, &format!("EXECUTE AS USER = '{user}'"));
    }
    for seed in first..first + count {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
        let mut model = Model { enabled: true, allowed: vec![0, 1, 2], ..Model::default() };
        let mut told = vec![format!("-- seed {seed}")];
        must(&mut keeper, "CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.of_stays(id) ON dbo.stays");
        must(&mut keeper, "INSERT dbo.allowed VALUES (0), (1), (2)");
        let mut next = 12;
        for id in 0..next {
            let line = Line { a: drawn(&mut random), b: drawn(&mut random) };
            model.rows.insert(id, line);
            must(&mut keeper, &format!("INSERT dbo.t VALUES ({id}, {}, {})", written(line.a), written(line.b)));
        }
        for operation in OPERATIONS.into_iter().filter(|_| random.below(3) != 0).collect::<Vec<_>>() {
            let text = predicate(&mut random, &mut model, operation);
            must(&mut keeper, &text);
            told.push(text);
        }
        let mut who = [Who { user: "u1", n: None }, Who { user: "u2", n: None }];
        for session in &mut sessions {
            must(session, "EXEC sp_set_session_context N'n', NULL");
        }
        for _ in 0..STEPS {
            let at = random.below(2);
            let (session, who) = (&mut sessions[at], &mut who[at]);
            match random.below(8) {
                0 | 1 => {
                    let text = redefine(&mut random, &mut model);
                    must(&mut keeper, &text);
                    told.push(text);
                }
                2 => {
                    who.n = drawn(&mut random);
                    let text = format!("EXEC sp_set_session_context N'n', {}", written(who.n));
                    must(session, &text);
                    told.push(format!("{}: {text}", who.user));
                }
                3 | 4 => {
                    let Change { text, rows, sets, collides } = change(&mut random, &model, *who, &mut next);
                    told.push(format!("{}: {text}", who.user));
                    let answer = ask(session, &text);
                    let expected = if collides { None } else { model.changed(&rows, *who, &sets) };
                    let error = answer.first_error().map(|message| message.number);
                    let story = told.join("\n");
                    match expected {
                        Some(rows) => {
                            assert!(error.is_none(), "{:?} after\n{story}", answer.first_error());
                            model.rows = rows;
                            done += 1;
                        }
                        None => {
                            let fine = error == Some(33504) || collides && error == Some(2627);
                            assert!(fine, "not refused: {error:?} after\n{story}");
                            refused += 1;
                        }
                    }
                    compare(&mut keeper, &model, &told);
                }
                _ => {
                    let (read, k) = (random.pick(&READS), random.below(6) as i64);
                    let text = format!("EXEC sp_executesql N'{}', N'@k int', {k}", read.replace('\'', "''"));
                    told.push(format!("{}: {text}", who.user));
                    let found = ids(&ask(session, &text), &text);
                    let seen: Vec<i64> = model.seen(*who).into_iter().filter(|id| *id >= k).collect();
                    assert_eq!(found, seen, "after\n{}", told.join("\n"));
                    shown += seen.len();
                    hidden += model.rows.keys().filter(|id| **id >= k).count() - seen.len();
                }
            }
        }
        must(&mut keeper, "DROP SECURITY POLICY rls.p");
        must(&mut keeper, "DELETE dbo.t DELETE dbo.allowed");
    }
    // Neither all nor nothing.
    let both = |some: usize, others: usize| some * 8 > others && others * 8 > some;
    assert!(count == 1 || both(refused, done) && both(hidden, shown), "{refused} {done}, {hidden} {shown}");
}

/// All rows, past the policy.
fn compare(keeper: &mut Connection, model: &Model, told: &[String]) {
    must(keeper, "BEGIN TRANSACTION ALTER SECURITY POLICY rls.p WITH (STATE = OFF)");
    let answer = ask(keeper, "SELECT id, a, b FROM dbo.t");
    must(keeper, "ROLLBACK");
    let value = |datum: &Datum| if datum.is_null() { None } else { Some(datum.as_i64()) };
    let rows = answer.sets[0].rows.iter();
    let rows: BTreeMap<i64, Line> =
        rows.map(|row| (row[0].as_i64(), Line { a: value(&row[1]), b: value(&row[2]) })).collect();
    assert_eq!(rows, model.rows, "after\n{}", told.join("\n"));
}

/// "No changes have been made to the bulk APIs": https://learn.microsoft.com/sql/relational-databases/security/row-level-security
#[test]
fn a_bulk_load_is_blocked_whatever_it_checks() {
    let server = Server::start(&[]);
    for text in [
        "CREATE DATABASE loads",
        "USE loads CREATE TABLE dbo.t (a int)",
        "USE loads EXEC ('CREATE FUNCTION dbo.f(@a int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS r WHERE @a < 10')",
        "USE loads CREATE SECURITY POLICY dbo.p ADD BLOCK PREDICATE dbo.f(a) ON dbo.t AFTER INSERT",
    ] {
        server.query(text);
    }
    let mut wire = Wire::open(server.port, "loads").expect("the server is there");
    for (last, blocked) in [(9, false), (10, true)] {
        let begun = wire.query("INSERT BULK dbo.t (a int)");
        assert!(begun.errors.is_empty(), "{:?}", begun.errors);
        wire.start_bulk(0..last + 1);
        let error = wire.answer().errors.first().map(|error| error.0);
        assert_eq!(error, blocked.then_some(33504));
    }
    let count = wire.query("SELECT COUNT(*) FROM dbo.t");
    assert_eq!(count.rows[0][0], Datum::I64(10));
}

/// A policy is there after a start, and as it was.
#[test]
fn a_policy_outlives_the_server() {
    let data = support::scratch("policy");
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &[]);
    for text in [
        "CREATE DATABASE kept",
        "USE kept CREATE TABLE dbo.t (a int) INSERT dbo.t VALUES (1), (20)",
        "USE kept EXEC ('CREATE FUNCTION dbo.f(@a int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS r WHERE @a < 10')",
        "USE kept CREATE SECURITY POLICY dbo.p ADD FILTER PREDICATE dbo.f(a) ON dbo.t, ADD BLOCK PREDICATE dbo.f(a) ON dbo.t",
    ] {
        server.query(text);
    }
    server.kill();
    let server = Server::start_on(data, &[]);
    let mut wire = Wire::open(server.port, "kept").expect("the server is there");
    assert_eq!(wire.query("SELECT a FROM dbo.t").rows, [[Datum::I64(1)]]);
    let error = wire.query("INSERT dbo.t VALUES (20)").errors.first().map(|error| error.0);
    assert_eq!(error, Some(33504));
    let refused = wire.query("DROP TABLE dbo.t").errors.first().map(|error| error.0);
    assert_eq!(refused, Some(3729));
}
