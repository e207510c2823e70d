//! System-versioned tables beside a model that keeps a copy of all rows at each commit: AS OF the moment of a commit gives that copy,
//! whatever was rolled back between, and after a kill too. The other forms of FOR SYSTEM_TIME give what their definitions say of
//! all versions.
//! https://learn.microsoft.com/sql/relational-databases/tables/temporal/querying-data-in-a-system-versioned-temporal-table
//!
//! More sequences, or one of them: SEEDS=100, SEED=4711.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, text_of, word};
use support::random::{Random, number};
use support::{Server, scratch};

const SEEDS: u64 = 4;
/// Transactions of a sequence.
const TRANSACTIONS: usize = 30;
/// Keys are of 0..KEYS.
const KEYS: usize = 24;

type Rows = BTreeMap<i64, i64>;

/// A statement, and what it makes of the rows.
fn statement(random: &mut Random, rows: &mut Rows) -> String {
    let (from, value) = (random.below(KEYS) as i64, random.below(1000) as i64);
    let to = from + random.below(6) as i64;
    match random.below(7) {
        0 | 1 => {
            let new: Vec<i64> = (from..=to.min(KEYS as i64 - 1)).filter(|id| !rows.contains_key(id)).collect();
            let values: Vec<String> = new.iter().map(|id| format!("({id}, {value})")).collect();
            rows.extend(new.iter().map(|id| (*id, value)));
            if values.is_empty() { "SELECT 1".into() } else { format!("INSERT t VALUES {}", values.join(", ")) }
        }
        2 => {
            rows.range_mut(from..=to).for_each(|(_, a)| *a += value);
            format!("UPDATE t SET a += {value} WHERE id BETWEEN {from} AND {to}")
        }
        3 => {
            rows.retain(|id, _| !(from..=to).contains(id));
            format!("DELETE t WHERE id BETWEEN {from} AND {to}")
        }
        4 => {
            *rows = rows.iter().map(|(id, a)| (KEYS as i64 - 1 - id, *a)).collect();
            format!("UPDATE t SET id = {} - id", KEYS - 1)
        }
        5 => {
            rows.values_mut().for_each(|a| *a = value);
            format!("UPDATE t SET a = v.a FROM t CROSS JOIN (VALUES ({value})) AS v (a)")
        }
        _ => {
            let given: Vec<i64> = (from..=to.min(KEYS as i64 - 1)).collect();
            rows.retain(|id, _| given.contains(id) || id % 3 != 0);
            rows.extend(given.iter().map(|id| (*id, value)));
            let values: Vec<String> = given.iter().map(|id| format!("({id}, {value})")).collect();
            format!(
                "MERGE t USING (VALUES {}) AS n (id, a) ON n.id = t.id WHEN MATCHED THEN UPDATE SET a = n.a
                 WHEN NOT MATCHED THEN INSERT VALUES (n.id, n.a) WHEN NOT MATCHED BY SOURCE AND t.id % 3 = 0 THEN DELETE;",
                values.join(", ")
            )
        }
    }
}

/// A transaction with savepoints to which it goes back. False: it is rolled back as a whole.
fn transaction(random: &mut Random, rows: &mut Rows, text: &mut String) -> bool {
    let before = rows.clone();
    text.push_str("BEGIN TRANSACTION;\n");
    for _ in 0..1 + random.below(4) {
        let saved = rows.clone();
        let undone = random.below(5) == 0;
        if undone {
            text.push_str("SAVE TRANSACTION s;\n");
        }
        writeln!(text, "{};", statement(random, rows).trim_end_matches(';')).expect("a text grows");
        if undone {
            *rows = saved;
            text.push_str("ROLLBACK TRANSACTION s;\n");
        }
    }
    let kept = random.below(5) != 0;
    text.push_str(if kept { "COMMIT" } else { "ROLLBACK" });
    if !kept {
        *rows = before;
    }
    kept
}

fn now(connection: &mut Connection) -> String {
    word(connection, "SELECT CONVERT(nvarchar(40), SYSUTCDATETIME(), 126)")
}

fn rows_of(connection: &mut Connection, query: &str) -> Vec<Vec<String>> {
    let answer = must(connection, query);
    answer.sets[0].rows.iter().map(|row| row.iter().map(text_of).collect()).collect()
}

fn check(connection: &mut Connection, commits: &[(String, Rows)], context: &str) {
    for (at, rows) in commits {
        let found = rows_of(
            connection,
            &format!(
                "SELECT CONVERT(nvarchar(9), id), CONVERT(nvarchar(9), a) FROM t FOR SYSTEM_TIME AS OF '{at}' ORDER BY id"
            ),
        );
        let wanted: Vec<Vec<String>> = rows.iter().map(|(id, a)| vec![id.to_string(), a.to_string()]).collect();
        assert_eq!(found, wanted, "{context}: as of {at}");
    }
}

fn check_forms(connection: &mut Connection, random: &mut Random, moments: &[String], context: &str) {
    const COLUMNS: &str = "CONVERT(nvarchar(40), s, 126) AS s, CONVERT(nvarchar(40), e, 126) AS e,
        CONVERT(nvarchar(9), id) AS id, CONVERT(nvarchar(9), a) AS a";
    let all = rows_of(connection, &format!("SELECT {COLUMNS} FROM t FOR SYSTEM_TIME ALL ORDER BY s, id"));
    let versions = rows_of(
        connection,
        &format!("SELECT {COLUMNS} FROM t UNION ALL SELECT {COLUMNS} FROM h WHERE s < e ORDER BY s, id"),
    );
    assert_eq!(all, versions, "{context}: all versions");
    for _ in 0..12 {
        let from = &moments[random.below(moments.len())];
        let to =
            if random.below(4) == 0 { &all[random.below(all.len())][0] } else { &moments[random.below(moments.len())] };
        type Holds = fn(&str, &str, &str, &str) -> bool;
        let forms: [(String, Holds); 3] = [
            (format!("FROM '{from}' TO '{to}'"), |s, e, from, to| s < to && e > from),
            (format!("BETWEEN '{from}' AND '{to}'"), |s, e, from, to| s <= to && e > from),
            (format!("CONTAINED IN ('{from}', '{to}')"), |s, e, from, to| s >= from && e <= to),
        ];
        for (form, holds) in forms {
            let found = rows_of(connection, &format!("SELECT {COLUMNS} FROM t FOR SYSTEM_TIME {form} ORDER BY s, id"));
            let wanted: Vec<_> = all.iter().filter(|row| holds(&row[0], &row[1], from, to)).cloned().collect();
            assert_eq!(found, wanted, "{context}: {form}");
        }
    }
}

#[test]
fn as_of_every_commit_are_the_rows_of_that_commit() {
    let data = scratch("temporal");
    let path = data.to_str().expect("a path of letters").to_owned();
    let server = Server::start_on(&path, &[]);
    let one = number("SEED");
    let seeds: Vec<u64> = one.map_or_else(|| (1..=number("SEEDS").unwrap_or(SEEDS)).collect(), |seed| vec![seed]);
    let mut kept = Vec::new();
    for seed in seeds {
        let database = format!("temporal{seed}");
        let mut connection = connect(&server, "master");
        must(&mut connection, &format!("CREATE DATABASE {database}"));
        must(&mut connection, &format!("USE {database}"));
        must(
            &mut connection,
            "CREATE TABLE t (id int NOT NULL PRIMARY KEY, a int NOT NULL, s datetime2 GENERATED ALWAYS AS ROW START HIDDEN,
             e datetime2 GENERATED ALWAYS AS ROW END HIDDEN, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h))",
        );
        let (mut random, mut rows, mut commits) = (Random(seed), Rows::new(), Vec::new());
        let mut moments = vec![now(&mut connection)];
        for _ in 0..TRANSACTIONS {
            let mut text = String::new();
            let done = transaction(&mut random, &mut rows, &mut text);
            let answer = ask(&mut connection, &text);
            assert_eq!(numbers(&answer), Vec::<i32>::new(), "SEED={seed}: {text}");
            let at = now(&mut connection);
            if done {
                commits.push((at.clone(), rows.clone()));
            }
            moments.push(at);
        }
        let context = format!("SEED={seed}");
        check(&mut connection, &commits, &context);
        check_forms(&mut connection, &mut random, &moments, &context);
        kept.push((database, commits));
    }
    server.kill();
    let server = Server::start_on(&path, &[]);
    for (database, commits) in &kept {
        let mut connection = connect(&server, database);
        check(&mut connection, commits, &format!("{database} after a kill"));
    }
}

/// https://techcommunity.microsoft.com/blog/sqlserver/3500970
#[test]
fn a_transaction_does_not_change_what_a_later_one_has_changed() {
    let server = Server::start(&[]);
    let (mut first, mut second) = (connect(&server, "master"), connect(&server, "master"));
    must(
        &mut first,
        "CREATE TABLE t (id int PRIMARY KEY, a int, s datetime2 GENERATED ALWAYS AS ROW START,
         e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h))",
    );
    must(&mut first, "INSERT t (id, a) VALUES (1, 1), (2, 2)");
    must(&mut first, "BEGIN TRANSACTION");
    must(&mut second, "UPDATE t SET a = 5 WHERE id = 1");
    for text in ["UPDATE t SET a = 6 WHERE id = 1", "DELETE t WHERE id = 1"] {
        assert_eq!(numbers(&ask(&mut first, text)), [13535, 3621], "{text}");
    }
    must(&mut first, "UPDATE t SET a = 7 WHERE id = 2");
    must(&mut first, "COMMIT");
    let found = rows_of(
        &mut first,
        "SELECT CONVERT(nvarchar(9), id) AS id, CONVERT(nvarchar(9), a) AS a FROM (SELECT id, a FROM t UNION ALL SELECT id, a FROM h) AS v ORDER BY 1, 2",
    );
    assert_eq!(found, [["1", "1"], ["1", "5"], ["2", "2"], ["2", "7"]]);
}
