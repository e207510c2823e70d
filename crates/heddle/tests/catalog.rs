//! Every system view and function answers; definitions outlive the process, killed or stopped.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeMap;

use support::{Server, scratch};

/// Arguments that the widest system function takes.
const ARGUMENTS_MAX: usize = 7;

/// What each `PRINT`ed name is followed by.
fn answers(server: &Server, folder: &str, script: &str) -> BTreeMap<String, String> {
    let file = scratch(folder).join("script.sql");
    std::fs::write(&file, script).expect("a script can be written");
    let output = server.sql(&["-h", "-1", "-W", "-i", file.to_str().expect("UTF-8 path")]);
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut current = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines().chain(String::from_utf8_lossy(&output.stderr).lines()) {
        match line.strip_prefix("##") {
            Some(name) => current = name.to_string(),
            None => {
                let text = found.entry(current.clone()).or_default();
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    found
}

fn names(server: &Server, kind: &str) -> Vec<String> {
    let query = format!(
        "SET NOCOUNT ON; SELECT SCHEMA_NAME(schema_id) + '.' + name FROM sys.all_objects WHERE is_ms_shipped = 1 AND RTRIM(type) = '{kind}' AND SCHEMA_NAME(schema_id) IN ('sys', 'INFORMATION_SCHEMA') ORDER BY 1"
    );
    server.query(&query).lines().map(str::trim).filter(|line| line.contains('.')).map(str::to_string).collect()
}

#[test]
fn every_system_view_gives_its_rows() {
    let server = Server::start(&[]);
    // Something of each kind for the views to show.
    server.query(
        "CREATE TABLE t (id int IDENTITY PRIMARY KEY, v AS (id + 1), d int DEFAULT (1) CHECK (d > 0), r int REFERENCES t (id)); \
         CREATE INDEX ix ON t (d); CREATE SEQUENCE s; CREATE SYNONYM n FOR t; CREATE TYPE a FROM int; CREATE TYPE b AS TABLE (id int)",
    );
    let views = names(&server, "V");
    assert!(views.len() > 250, "only {} system views", views.len());
    let script: String = views.iter().map(|view| format!("PRINT '##{view}'\nGO\nSELECT * FROM {view}\nGO\n")).collect();
    let answers = answers(&server, "catalog-views", &script);
    let silent: Vec<&String> = views.iter().filter(|view| !answers.contains_key(*view)).collect();
    assert!(silent.is_empty(), "no answer from {silent:?}");
    let failed: Vec<String> = views
        .iter()
        .filter_map(|view| {
            answers[view]
                .lines()
                .skip_while(|line| !line.starts_with("Msg "))
                .take(2)
                .map(|line| format!("{line} "))
                .reduce(|a, b| a + &b)
                .map(|error| format!("{view}: {error}"))
        })
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_system_function_takes_its_arguments() {
    let server = Server::start(&[]);
    let functions = names(&server, "IF");
    assert!(functions.len() > 15, "only {} system functions", functions.len());
    let mut script = String::new();
    for function in &functions {
        for count in 0..=ARGUMENTS_MAX {
            let arguments = vec!["NULL"; count].join(", ");
            script.push_str(&format!("PRINT '##{function} {count}'\nGO\nSELECT * FROM {function}({arguments})\nGO\n"));
        }
    }
    let answers = answers(&server, "catalog-functions", &script);
    for function in &functions {
        // 33224: of files, NULL names none.
        let complains = |text: &String| text.contains("Msg ") && !text.contains("Msg 33224,");
        let works = |count: usize| answers.get(&format!("{function} {count}")).is_some_and(|text| !complains(text));
        let fitting = (0..=ARGUMENTS_MAX).filter(|count| works(*count)).count();
        assert_eq!(
            fitting,
            1,
            "{function} takes {fitting} counts of arguments: {:?}",
            answers.get(&format!("{function} 1"))
        );
    }
}

const DEFINITIONS: &str = "
CREATE DATABASE kept
GO
USE kept
GO
CREATE SCHEMA app
GO
CREATE TABLE app.parent (id int IDENTITY(1, 1) CONSTRAINT pk PRIMARY KEY, code char(3) NOT NULL CONSTRAINT uq UNIQUE,
  amount decimal(10, 2) CONSTRAINT df DEFAULT (2.5) CONSTRAINT ck CHECK (amount > 0), twice AS (amount * 2))
CREATE TABLE app.child (id int PRIMARY KEY, parent_id int CONSTRAINT fk REFERENCES app.parent (id))
CREATE INDEX ix ON app.child (parent_id) INCLUDE (id)
CREATE SEQUENCE app.seq AS int START WITH 7
CREATE SYNONYM app.syn FOR app.parent
CREATE TYPE app.phone FROM varchar(20) NOT NULL
GO
CREATE VIEW app.v AS SELECT id, code FROM app.parent
GO
CREATE PROCEDURE app.p @a int = 3 AS SELECT @a + 1 AS a
GO
CREATE FUNCTION app.f (@x int) RETURNS int AS BEGIN RETURN @x * 2 END
GO
CREATE TRIGGER app.tr ON app.child AFTER INSERT AS PRINT 'fired'
GO
CREATE LOGIN keeper WITH PASSWORD = 'K33per!Thread'
CREATE USER keeper FOR LOGIN keeper
GRANT SELECT ON app.parent TO keeper
INSERT app.parent (code) VALUES ('aaa'), ('bbb')
INSERT app.child VALUES (1, 1), (2, 2)
GO
ALTER TABLE app.child ADD note varchar(10) NOT NULL DEFAULT 'x'
EXEC sp_rename 'app.child.note', 'remark', 'COLUMN'
GO
CREATE TABLE app.dropped (id int)
DROP TABLE app.dropped
BEGIN TRANSACTION
CREATE TABLE app.rolled_back (id int)
ROLLBACK
GO
";

const QUESTIONS: &str = "
SET NOCOUNT ON
SELECT name, RTRIM(type), SCHEMA_NAME(schema_id) FROM sys.objects WHERE type <> 'S' ORDER BY 1
SELECT OBJECT_NAME(object_id), name, column_id, system_type_id, is_identity, is_computed FROM sys.columns WHERE object_id > 1000 ORDER BY 1, 3
SELECT OBJECT_NAME(object_id), definition FROM sys.sql_modules ORDER BY 1
SELECT OBJECT_NAME(object_id), name, index_id, is_primary_key FROM sys.indexes WHERE object_id > 1000 ORDER BY 1, 3
SELECT name, delete_referential_action FROM sys.foreign_keys
SELECT name FROM sys.types WHERE is_user_defined = 1
SELECT USER_NAME(grantee_principal_id), permission_name FROM sys.database_permissions WHERE class = 1
SELECT * FROM app.parent ORDER BY id
SELECT * FROM app.child ORDER BY id
SELECT * FROM app.v ORDER BY id
SELECT id FROM app.syn ORDER BY id
EXEC app.p
SELECT app.f(4)
";

fn survives(folder: &str, end: impl FnOnce(Server)) {
    let data = scratch(folder);
    let data = data.to_str().expect("UTF-8 path");
    let script = scratch(&format!("{folder}-script")).join("definitions.sql");
    std::fs::write(&script, DEFINITIONS).expect("a script can be written");
    let server = Server::start_on(data, &[]);
    let made = server.sql(&["-i", script.to_str().expect("UTF-8 path")]);
    let said = String::from_utf8_lossy(&made.stdout).into_owned() + &String::from_utf8_lossy(&made.stderr);
    assert!(!said.contains("Msg "), "{said}");
    let ask = |server: &Server| {
        String::from_utf8_lossy(&server.sql(&["-d", "kept", "-h", "-1", "-W", "-Q", QUESTIONS]).stdout).into_owned()
    };
    let before = ask(&server);
    assert!(before.contains("pk PK app") && !before.contains("rolled_back") && !before.contains("Msg "), "{before}");
    end(server);
    let server = Server::start_on(data, &[]);
    assert_eq!(ask(&server), before, "definitions and rows are as they were");
    // Constraints, the identity and the trigger still do their work.
    let after = |query: &str| {
        let output = server.sql(&["-d", "kept", "-h", "-1", "-W", "-Q", query]);
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    assert!(after("INSERT app.parent (code) VALUES ('aaa')").contains("Msg 2627"));
    assert!(after("INSERT app.parent (code, amount) VALUES ('ccc', -1)").contains("Msg 547"));
    assert!(after("INSERT app.child (id, parent_id) VALUES (9, 99)").contains("Msg 547"));
    assert!(after("INSERT app.child (id, parent_id) VALUES (3, 1)").contains("fired"));
    let next = after("SET NOCOUNT ON; INSERT app.parent (code) VALUES ('ddd'); SELECT MAX(id) FROM app.parent");
    assert!(next.trim().parse::<i32>().is_ok_and(|id| id > 2), "{next}");
    let login = support::binary()
        .args([
            "sql",
            "-S",
            &server.address(),
            "-U",
            "keeper",
            "-P",
            "K33per!Thread",
            "-h",
            "-1",
            "-W",
            "-Q",
            "SELECT SUSER_NAME()",
        ])
        .output()
        .expect("heddle sql runs");
    assert!(String::from_utf8_lossy(&login.stdout).contains("keeper"), "{login:?}");
}

#[test]
fn definitions_survive_a_clean_stop() {
    survives("catalog-stop", |server| {
        server.stop();
    });
}

#[test]
fn definitions_survive_a_kill() {
    survives("catalog-kill", Server::kill);
}

/// Where the server's clock is nine hours ahead of UTC the views say what that clock does, but where they are said to tell UTC.
#[test]
fn times_of_views_are_those_of_the_server() {
    let server = Server::start_with("127.0.0.1:0", ":memory:", &[], &[("TZ", "UTC-9")]);
    let off = "ABS(DATEDIFF(minute, %, GETDATE()))";
    let of = |column: &str, from: &str| format!("UNION ALL SELECT MAX({}) FROM {from} ", off.replace('%', column));
    let columns = [
        ("login_time", "sys.dm_exec_sessions WHERE session_id = @@SPID"),
        ("last_request_start_time", "sys.dm_exec_sessions WHERE session_id = @@SPID"),
        ("connect_time", "sys.dm_exec_connections WHERE session_id = @@SPID"),
        ("start_time", "sys.dm_exec_requests WHERE session_id = @@SPID"),
        ("creation_time", "sys.dm_exec_query_stats"),
        ("last_execution_time", "sys.dm_exec_query_stats"),
        ("transaction_begin_time", "sys.dm_tran_active_transactions"),
        ("sqlserver_start_time", "sys.dm_os_sys_info"),
        ("CONVERT(datetime, last_startup_time)", "sys.dm_server_services"),
        ("create_date", "sys.objects WHERE name = 't'"),
        ("last_user_update", "sys.dm_db_index_usage_stats"),
        ("create_date", "sys.server_audits"),
    ];
    let all: String = columns.iter().map(|(column, from)| of(column, from)).collect();
    let script = format!(
        "SET NOCOUNT ON; CREATE TABLE t (a int PRIMARY KEY); CREATE SERVER AUDIT a TO FILE (FILEPATH = '/tmp')
GO
SET NOCOUNT ON; INSERT t VALUES (1)
GO
SET NOCOUNT ON; BEGIN TRANSACTION; INSERT t VALUES (2)
SELECT DATEDIFF(hour, GETUTCDATE(), GETDATE()) - 9 {all}
ROLLBACK
GO
"
    );
    let file = scratch("zone").join("script.sql");
    std::fs::write(&file, script).expect("written");
    let output = server.sql(&["-h", "-1", "-W", "-i", file.to_str().expect("UTF-8 path")]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let minutes: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(minutes.len(), columns.len() + 1, "{said}{}", String::from_utf8_lossy(&output.stderr));
    for (at, minute) in minutes.iter().enumerate() {
        let what = at.checked_sub(1).map_or("the zone", |at| columns[at].0);
        assert!(minute.parse().is_ok_and(|minutes: i64| minutes <= 1), "{what}: {minute} minutes off");
    }
}
