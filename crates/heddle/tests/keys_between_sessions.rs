//! No key refers to a row that is not there, whoever changes the two tables meanwhile, at whatever isolation level, and whoever defines the key.
//! https://learn.microsoft.com/sql/relational-databases/tables/primary-and-foreign-key-constraints: "Referential integrity";
//! https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide: update conflicts under snapshot
//! isolation, schema modification locks.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;
use support::session::{Session, until_someone_waits};

const ORPHANS: &str = "SELECT id FROM c WHERE pid NOT IN (SELECT id FROM p)";

/// `p` with 1 to 4, `c` whose `pid` may refer to it, with 10 (of nobody) and an index on what it refers with.
fn prepared(server: &Server, key: &str) -> [Session; 3] {
    server.query(
        "DROP DATABASE IF EXISTS keys; CREATE DATABASE keys; ALTER DATABASE keys SET ALLOW_SNAPSHOT_ISOLATION ON",
    );
    let mut sessions = [(); 3].map(|()| Session::open(server, "keys"));
    sessions[0].run(&format!(
        "CREATE TABLE p (id int NOT NULL CONSTRAINT pk PRIMARY KEY, v int NOT NULL); INSERT p VALUES (1, 0), (2, 0), (3, 0), (4, 0);
         CREATE TABLE c (id int NOT NULL PRIMARY KEY, pid int NULL {key}, INDEX by_pid (pid)); INSERT c VALUES (10, NULL)"
    ));
    sessions
}

/// Who waits with a row whose parent was there when he began finds it gone when he goes on, or keeps it.
#[test]
fn a_parent_that_goes_while_its_child_waits_is_missed() {
    let server = Server::start(&[]);
    for change in [
        "INSERT c VALUES (20, 1)",
        "MERGE c USING (VALUES (20)) s (a) ON id = a WHEN NOT MATCHED THEN INSERT VALUES (a, 1);",
    ] {
        let [mut a, mut b, mut other] = prepared(&server, "REFERENCES p");
        other.run("BEGIN TRAN; INSERT c VALUES (20, NULL)");
        a.send(change);
        until_someone_waits(&server);
        assert_eq!(b.run("DELETE p WHERE id = 1"), "");
        other.run("ROLLBACK");
        let said = a.answer();
        assert!(said.contains("Msg 547"), "{change}: {said}");
        assert_eq!(b.run(ORPHANS), "");
    }
}

/// Under SNAPSHOT a key is looked for as it is now; what changed after the snapshot is a conflict.
#[test]
fn a_snapshot_is_no_reason_to_miss_a_change_of_the_other_table() {
    let server = Server::start(&[]);
    let cases = [
        ("REFERENCES p", "DELETE p WHERE id = 1", "INSERT c VALUES (20, 1)"),
        ("REFERENCES p", "DELETE p WHERE id = 1", "UPDATE c SET pid = 1 WHERE id = 10"),
        ("REFERENCES p", "UPDATE p SET id = 9 WHERE id = 1", "INSERT c VALUES (20, 1)"),
        ("REFERENCES p", "INSERT p VALUES (7, 0)", "INSERT c VALUES (20, 7)"),
        ("REFERENCES p", "UPDATE p SET v = 1 WHERE id = 1", "INSERT c VALUES (20, 1)"),
        ("REFERENCES p", "INSERT c VALUES (20, 1)", "DELETE p WHERE id = 1"),
        ("REFERENCES p ON DELETE CASCADE", "INSERT c VALUES (20, 1)", "DELETE p WHERE id = 1"),
        ("REFERENCES p ON DELETE SET NULL", "UPDATE c SET pid = 1 WHERE id = 10", "DELETE p WHERE id = 1"),
        ("REFERENCES p ON UPDATE CASCADE", "INSERT c VALUES (20, 1)", "UPDATE p SET id = 9 WHERE id = 1"),
    ];
    for (key, before, change) in cases {
        let [mut a, mut b, _] = prepared(&server, key);
        a.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN; SELECT COUNT(*) FROM p");
        assert_eq!(b.run(before), "", "{before}");
        let said = a.run(change);
        assert!(said.contains("Msg 3960") && said.contains("database 'keys'"), "{key}; {before}; {change}: {said}");
        assert_eq!(a.run("SELECT @@TRANCOUNT"), "0");
        assert_eq!(b.run(ORPHANS), "");
    }
    // What nobody else has touched is no conflict.
    let [mut a, mut b, _] = prepared(&server, "REFERENCES p");
    a.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN; SELECT COUNT(*) FROM p");
    b.run("DELETE p WHERE id = 1; INSERT c VALUES (30, 2)");
    assert_eq!(a.run("INSERT c VALUES (20, 3); DELETE p WHERE id = 4; COMMIT"), "");
    assert_eq!(b.run(ORPHANS), "");
}

/// Who changes rows waits for a definition that says what else they ask for.
#[test]
fn a_definition_that_is_not_committed_holds_the_rows_that_it_is_about() {
    let server = Server::start(&[]);
    let key = "ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p";
    let cases = [
        ("", format!("UPDATE c SET pid = 1; {key}")),
        ("", "CREATE TABLE d (id int, pid int REFERENCES p); INSERT d VALUES (1, 1)".to_owned()),
        ("CONSTRAINT fk REFERENCES p", "UPDATE c SET pid = 1; ALTER TABLE c CHECK CONSTRAINT fk".to_owned()),
        ("", "EXEC ('CREATE TRIGGER t ON p FOR DELETE AS ROLLBACK')".to_owned()),
    ];
    for (own, definition) in cases {
        let [mut a, mut b, _] = prepared(&server, own);
        if !own.is_empty() {
            a.run("ALTER TABLE c NOCHECK CONSTRAINT fk");
        }
        assert_eq!(a.run(&format!("BEGIN TRAN; {definition}")), "", "{definition}");
        b.send("DELETE p WHERE id = 1");
        until_someone_waits(&server);
        a.run("COMMIT");
        let said = b.answer();
        assert!(said.contains("Msg 547") || said.contains("Msg 3609"), "{definition}: {said}");
    }
    // A key that is disabled is a key: what it refers to is not emptied.
    let [mut a, ..] = prepared(&server, "CONSTRAINT fk REFERENCES p");
    a.run("ALTER TABLE c NOCHECK CONSTRAINT fk");
    assert!(a.run("TRUNCATE TABLE p").contains("Msg 4712"));
}
