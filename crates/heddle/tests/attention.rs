//! What a client's attention leaves: the SET options of the session's own scope, whatever was running.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;

/// Each runs for longer than the client waits, with other options than the session's.
const CALLS: [&str; 5] = [
    "EXEC ('SET ROWCOUNT 1; SET DATEFIRST 3; SET LOCK_TIMEOUT 7; WAITFOR DELAY ''0:00:30''')",
    "EXEC sp_executesql N'SET ROWCOUNT 1; SET DATEFIRST 3; SET LOCK_TIMEOUT 7; WAITFOR DELAY ''0:00:30'''",
    "EXEC p",
    "{call sp_executesql(N'SET ROWCOUNT 1; SET DATEFIRST 3; SET LOCK_TIMEOUT 7; WAITFOR DELAY ''0:00:30''')}",
    "{call p}",
];

#[test]
fn options_are_the_session_s_after_an_attention() {
    let server = Server::start(&[]);
    server.query("CREATE DATABASE stopped");
    let begun =
        "CREATE PROCEDURE p AS SET ROWCOUNT 1; SET DATEFIRST 3; SET LOCK_TIMEOUT 7; WAITFOR DELAY '0:00:30'\nGO\n";
    let asked = "SELECT CONCAT(COUNT(*), ' ', @@DATEFIRST, ' ', @@LOCK_TIMEOUT) FROM (SELECT 1 AS a UNION ALL SELECT 2) AS two;\n\
                 SELECT 1 AS a UNION ALL SELECT 2;\nGO\n";
    let calls: String = CALLS.iter().map(|call| format!("{call}\nGO\n{asked}")).collect();
    let file = std::env::temp_dir().join(format!("attention-{}.sql", std::process::id()));
    std::fs::write(&file, format!("SET NOCOUNT ON\nGO\n{begun}{calls}")).expect("written");
    let path = file.to_str().expect("UTF-8 path");
    let output = server.sql(&["-d", "stopped", "-W", "-h", "-1", "-t", "1", "-i", path]);
    std::fs::remove_file(&file).expect("removed");
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<&str> = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    let each = ["2 7 -1", "1", "2"];
    assert_eq!(answers, each.repeat(CALLS.len()), "{text}");
}
