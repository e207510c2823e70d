//! docs/statements.md against the server: a case of each of its rows does what the row says. And the sessions that ALTER DATABASE ends.
//!
//! Errors that are SQL Server's own for the case (1921, 5042, 5064, 5070, 7729, 7735, 10638, 15122, 33106):
//! https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors, by their numbers.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeSet;
use std::process::Output;

use support::session::Session;
use support::{Server, root, scratch, sql_at};

/// What a row says of itself.
#[derive(Debug, PartialEq)]
enum Class {
    Works,
    /// With this error.
    Refused(u32),
    NoMeaning,
}

/// `section: row` and what it says, in the page's order.
fn rows(page: &str) -> Vec<(String, Class)> {
    let mut section = "";
    let mut rows = Vec::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, class, _] = cells[..] else { continue };
        if !line.starts_with("| ") || class == "here" {
            continue;
        }
        let number = class.strip_prefix("refused (").and_then(|rest| rest.strip_suffix(')'));
        let class = match (class, number) {
            ("works", _) => Class::Works,
            ("no meaning here", _) => Class::NoMeaning,
            (_, Some(number)) => Class::Refused(number.parse().expect("an error's number")),
            _ => panic!("no class: {line}"),
        };
        rows.push((format!("{section}: {name}"), class));
    }
    rows
}

/// `section: row` and its batches.
fn cases(text: &str) -> Vec<(String, String)> {
    let cases = text.split("\n--- ").skip(1);
    cases
        .map(|case| case.split_once('\n').expect("batches below the name"))
        .map(|(a, b)| (a.into(), b.into()))
        .collect()
}

/// All that a client printed.
fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What is wrong with a case's answer, if anything is.
fn complaint(class: &Class, said: &str) -> Option<String> {
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("Msg ")).collect();
    match class {
        Class::Refused(number) => {
            let is_it = errors.first().is_some_and(|error| error.starts_with(&format!("Msg {number},")));
            // An error that only says that the statement failed may follow.
            (!is_it || errors.len() > 2).then(|| format!("{number} was to come: {said}"))
        }
        Class::Works | Class::NoMeaning => {
            let shown = said.lines().any(|line| line.trim() == "ok");
            (!errors.is_empty() || !shown).then(|| format!("it was to be accepted and shown: {said}"))
        }
    }
}

#[test]
fn every_row_of_the_page_is_true() {
    let page = std::fs::read_to_string(root().join("docs/statements.md")).expect("the page");
    let text = std::fs::read_to_string(root().join("tests/statements/cases.sql")).expect("the cases");
    let (rows, cases) = (rows(&page), cases(&text));
    let names = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(rows.iter().map(|(name, _)| name).collect()),
        names(cases.iter().map(|(name, _)| name).collect()),
        "the page's rows, and their cases"
    );
    let server = Server::start(&[]);
    let folder = scratch("statements");
    let mut complaints = Vec::new();
    for (number, ((name, class), (_, batches))) in rows.iter().zip(&cases).enumerate() {
        let (database, file) = (format!("case_{number}"), folder.join(format!("{number}.sql")));
        std::fs::write(&file, format!("SET NOCOUNT ON\nGO\n{batches}\nGO\n")).expect("written");
        server.query(&format!("CREATE DATABASE {database}"));
        let output = server.sql(&["-d", &database, "-h", "-1", "-W", "-i", file.to_str().expect("UTF-8 path")]);
        if let Some(complaint) = complaint(class, &told(&output)) {
            complaints.push(format!("{name}: {complaint}"));
        }
        // It may be read-only, or no more be there.
        server.query(&format!("DROP DATABASE IF EXISTS {database}"));
    }
    let count = |wanted: fn(&Class) -> bool| rows.iter().filter(|(_, class)| wanted(class)).count();
    println!(
        "{} rows: {} work, {} are refused, {} have no meaning here",
        rows.len(),
        count(|class| *class == Class::Works),
        count(|class| matches!(class, Class::Refused(_))),
        count(|class| *class == Class::NoMeaning)
    );
    assert!(complaints.is_empty(), "{} of {} rows\n{}", complaints.len(), rows.len(), complaints.join("\n"));
}

/// What `sys.databases` shows of ALTER DATABASE SET is in the page: an option that can be set and is not there would be one that
/// nobody has asked what it does.
#[test]
fn every_option_of_a_database_that_can_be_set_is_in_the_page() {
    let page = std::fs::read_to_string(root().join("docs/statements.md")).expect("the page");
    let listed: BTreeSet<String> = rows(&page)
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("ALTER DATABASE SET: "))
        .flat_map(|names| names.split(", ").map(str::to_string).collect::<Vec<_>>())
        .collect();
    let source = std::fs::read_to_string(root().join("crates/server/src/catalog/base.rs")).expect("the source");
    let names =
        source.split_once("pub const NAMES").and_then(|(_, rest)| rest.split_once("];")).expect("the options").0;
    let options: Vec<&str> = names.split("(\"").skip(1).filter_map(|entry| Some(entry.split_once('"')?.0)).collect();
    assert!(options.len() > 10, "{options:?}");
    let missing: Vec<&&str> = options.iter().filter(|option| !listed.contains(**option)).collect();
    assert!(missing.is_empty(), "not in docs/statements.md: {missing:?}");
}

/// ALTER DATABASE SET Options, https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options: SINGLE_USER
/// and RESTRICTED_USER, WITH <termination>.
#[test]
fn a_single_user_is_alone_in_the_database() {
    let server = Server::start(&[]);
    server.query("CREATE DATABASE shop");
    server.query("CREATE TABLE shop.dbo.t (a int)");
    let mut other = Session::open(&server, "shop");
    other.run("BEGIN TRANSACTION; INSERT t VALUES (1)");

    let refused = sql_at(&server.address(), &["-Q", "ALTER DATABASE shop SET SINGLE_USER WITH NO_WAIT"]);
    let said = told(&refused);
    assert!(said.contains("Msg 5070,") && said.contains("Msg 5069,"), "{said}");

    let mut own = Session::open(&server, "shop");
    own.run("ALTER DATABASE shop SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
    assert_eq!(own.run("SELECT COUNT(*) FROM t"), "0", "the other's transaction was rolled back");
    assert_eq!(
        own.run("SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE database_id = DB_ID() AND session_id <> @@SPID"),
        "0"
    );

    let came = sql_at(&server.address(), &["-Q", "USE shop"]);
    assert!(told(&came).contains("Msg 924,"), "{came:?}");
    let logged_in = sql_at(&server.address(), &["-d", "shop", "-Q", "SELECT 1"]);
    // 4060, whose number `heddle sql` leaves out.
    assert!(told(&logged_in).contains("Cannot open database \"shop\""), "{logged_in:?}");
    let changed = sql_at(&server.address(), &["-Q", "ALTER DATABASE shop SET MULTI_USER"]);
    assert!(told(&changed).contains("Msg 5064,"), "{changed:?}");

    own.run("USE master");
    let mut next = Session::open(&server, "shop");
    assert_eq!(next.run("SELECT DB_NAME()"), "shop", "the place is free");
    next.run("ALTER DATABASE shop SET MULTI_USER");
    own.run("USE shop");
    assert_eq!(own.run("SELECT DB_NAME()"), "shop");
}

#[test]
fn without_a_termination_clause_the_others_are_waited_for() {
    let server = Server::start(&[]);
    server.query("CREATE DATABASE shop");
    let mut other = Session::open(&server, "shop");
    let mut own = Session::open(&server, "master");
    own.send("ALTER DATABASE shop SET RESTRICTED_USER; PRINT 'alone'");
    other.run("USE master");
    assert_eq!(own.answer(), "alone");
    server.query("CREATE LOGIN clerk WITH PASSWORD = 'Statements-1-x'; USE shop; CREATE USER clerk FOR LOGIN clerk");
    let clerk = support::binary()
        .args(["sql", "-S", &server.address(), "-U", "clerk", "-P", "Statements-1-x", "-Q", "USE shop"])
        .output()
        .expect("heddle sql runs");
    assert!(told(&clerk).contains("Msg 923,"), "{clerk:?}");
    other.run("USE shop");
    assert_eq!(other.run("SELECT DB_NAME()"), "shop", "sa administers");
}

/// The environment of SQL Server's containers: https://learn.microsoft.com/sql/linux/sql-server-linux-configure-environment-variables
#[test]
fn the_environment_names_the_collation_of_the_server() {
    const NAME: &str = "Latin1_General_100_CS_AS_SC_UTF8";
    let data = scratch("collation");
    let path = data.to_str().expect("UTF-8 path");
    let environment = [("MSSQL_COLLATION", NAME), ("MSSQL_FAST_MODE", "1")];
    let server = Server::start_with("127.0.0.1:0", path, &[], &environment);
    assert_eq!(server.query("SET NOCOUNT ON; SELECT CONVERT(sysname, SERVERPROPERTY('Collation'))").trim(), NAME);
    server.query("CREATE DATABASE cased; CREATE TABLE cased.dbo.t (a varchar(9)); INSERT cased.dbo.t VALUES ('a')");
    assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM cased.dbo.t WHERE a = 'A'").trim(), "0");
    assert_eq!(server.stop().0, Some(0));

    for (collation, reason) in [("Nowhere_CI_AS", "'Nowhere_CI_AS'"), ("Latin1_General_CI_AS", NAME)] {
        let refused = support::binary()
            .args(["serve", "--listen", "127.0.0.1:0", "--data", path, "--sa-password", support::PASSWORD])
            .env("MSSQL_COLLATION", collation)
            .output()
            .expect("heddle serve runs");
        let said = told(&refused);
        assert!(!refused.status.success() && said.contains(reason), "{collation}: {said}");
    }
}
