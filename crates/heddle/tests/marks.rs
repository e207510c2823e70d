//! Marks of transactions: where a restore of several databases stops, and what msdb and the headers of log backups say.
//!
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/use-marked-transactions-to-recover-related-databases-consistently
//! https://learn.microsoft.com/sql/t-sql/language-elements/begin-transaction-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, one, texts, word};
use support::{Server, scratch};

fn with_two(name: &str) -> (Server, Connection) {
    let data = scratch(name).join("data");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--admin-listen", "off"]);
    let mut sa = connect(&server, "master");
    for name in ["a", "b"] {
        must(&mut sa, &format!("CREATE DATABASE {name}; ALTER DATABASE {name} SET RECOVERY FULL"));
        must(&mut sa, &format!("CREATE TABLE {name}.dbo.t (n int)"));
        must(&mut sa, &format!("BACKUP DATABASE {name} TO DISK = '{name}.bak'"));
    }
    (server, sa)
}

/// What a restore of `a` or `b` up to there has; None: it was left for more log.
fn restored(sa: &mut Connection, of: &str, stop: &str) -> Option<Vec<i64>> {
    must(sa, &format!("RESTORE DATABASE r FROM DISK = '{of}.bak' WITH NORECOVERY"));
    let applied = must(sa, &format!("RESTORE LOG r FROM DISK = '{of}.trn' WITH {stop}"));
    let is_left = word(sa, "SELECT state_desc FROM sys.databases WHERE name = 'r'") == "RESTORING";
    assert_eq!(is_left, numbers(&applied).contains(&4329), "{stop}: {:?}", texts(&applied));
    let rows = (!is_left).then(|| must(sa, "SELECT n FROM r.dbo.t ORDER BY n"));
    let rows = rows.map(|answer| answer.sets[0].rows.iter().map(|row| row[0].as_i64()).collect());
    must(sa, "DROP DATABASE r");
    rows
}

#[test]
fn databases_come_back_as_they_were_at_the_same_transaction() {
    let (_server, mut sa) = with_two("marks");
    must(&mut sa, "INSERT a.dbo.t VALUES (1); INSERT b.dbo.t VALUES (1)");
    must(
        &mut sa,
        "BEGIN TRAN release WITH MARK 'the first'; INSERT a.dbo.t VALUES (2); INSERT b.dbo.t VALUES (2); COMMIT",
    );
    must(&mut sa, "INSERT a.dbo.t VALUES (3); INSERT b.dbo.t VALUES (3)");
    must(&mut sa, "WAITFOR DELAY '00:00:00.050'");
    let between = word(&mut sa, "SELECT CONVERT(nvarchar(30), SYSDATETIME(), 126)");
    must(&mut sa, "WAITFOR DELAY '00:00:00.050'");
    // The name may be in a variable, and the mark of an inner BEGIN is the transaction's, if it is the first.
    let told = must(
        &mut sa,
        "DECLARE @name varchar(32) = 'release', @why nvarchar(99) = N'the second'
         BEGIN TRAN; BEGIN TRAN @name WITH MARK @why; BEGIN TRAN other WITH MARK
         INSERT a.dbo.t VALUES (4); COMMIT; COMMIT; COMMIT",
    );
    assert_eq!(numbers(&told), [3920], "{:?}", texts(&told));
    must(&mut sa, "BEGIN TRAN undone WITH MARK; INSERT a.dbo.t VALUES (99); ROLLBACK");
    must(&mut sa, "BEGIN TRAN idle WITH MARK; DECLARE @n int = (SELECT COUNT(*) FROM a.dbo.t); COMMIT");
    must(&mut sa, "INSERT a.dbo.t VALUES (5); INSERT b.dbo.t VALUES (5)");
    must(&mut sa, "BACKUP LOG a TO DISK = 'a.trn'; BACKUP LOG b TO DISK = 'b.trn'");
    let history = must(
        &mut sa,
        "SELECT database_name, mark_name, description, user_name FROM msdb.dbo.logmarkhistory ORDER BY mark_time, database_name",
    );
    let shown: Vec<Vec<String>> =
        history.sets[0].rows.iter().map(|row| row.iter().map(support::ask::text_of).collect()).collect();
    assert_eq!(
        shown,
        [
            ["a", "release", "the first", "sa"],
            ["b", "release", "the first", "sa"],
            ["a", "release", "the second", "sa"]
        ]
    );
    for of in ["a", "b"] {
        assert_eq!(restored(&mut sa, of, "STOPATMARK = 'release'"), Some(vec![1, 2]));
        assert_eq!(restored(&mut sa, of, "STOPBEFOREMARK = 'release'"), Some(vec![1]));
    }
    let after = format!("= 'release' AFTER '{between}'");
    assert_eq!(restored(&mut sa, "a", &format!("STOPATMARK {after}")), Some(vec![1, 2, 3, 4]));
    assert_eq!(restored(&mut sa, "a", &format!("STOPBEFOREMARK {after}")), Some(vec![1, 2, 3]));
    assert_eq!(restored(&mut sa, "b", &format!("STOPATMARK {after}")), None);
    for absent in ["undone", "idle", "other"] {
        assert_eq!(restored(&mut sa, "a", &format!("STOPATMARK = '{absent}'")), None);
    }
    let lsn = word(
        &mut sa,
        "SELECT TOP 1 CONVERT(nvarchar(30), lsn) FROM msdb.dbo.logmarkhistory WHERE database_name = 'a' ORDER BY lsn",
    );
    assert_eq!(restored(&mut sa, "a", &format!("STOPATMARK = 'lsn:{lsn}'")), Some(vec![1, 2]));
    assert_eq!(restored(&mut sa, "a", &format!("STOPBEFOREMARK = 'lsn:{lsn}'")), Some(vec![1]));
    // A mark needs a name, and a database backup has none.
    assert!(ask(&mut sa, "BEGIN TRAN WITH MARK").first_error().is_some());
    assert_eq!(one(&mut sa, "SELECT CONVERT(bigint, @@TRANCOUNT)"), 0);
    let of_database = ask(&mut sa, "RESTORE DATABASE r FROM DISK = 'a.bak' WITH STOPATMARK = 'release'");
    assert_eq!(numbers(&of_database), [4340, 3013]);
}

#[test]
fn the_first_log_backup_of_a_chain_begins_it() {
    let (_server, mut sa) = with_two("chains");
    let begins = "SELECT CONVERT(nvarchar(9), STRING_AGG(CONVERT(char(1), CONVERT(tinyint, begins_log_chain)), '')
      WITHIN GROUP (ORDER BY backup_set_id)) FROM msdb.dbo.backupset WHERE database_name = 'a' AND type = 'L'";
    must(
        &mut sa,
        "BACKUP LOG a TO DISK = 'a.trn' WITH COPY_ONLY; BACKUP LOG a TO DISK = 'a.trn'; BACKUP LOG a TO DISK = 'a.trn'",
    );
    // Another full backup goes on with the chain; the model SIMPLE ends it.
    must(&mut sa, "BACKUP DATABASE a TO DISK = 'a.bak'; BACKUP LOG a TO DISK = 'a.trn'");
    assert_eq!(word(&mut sa, begins), "0100");
    must(&mut sa, "ALTER DATABASE a SET RECOVERY SIMPLE; ALTER DATABASE a SET RECOVERY FULL");
    assert_eq!(numbers(&ask(&mut sa, "BACKUP LOG a TO DISK = 'a.trn'")), [4214, 3013]);
    must(
        &mut sa,
        "BACKUP DATABASE a TO DISK = 'a.bak'; BACKUP LOG a TO DISK = 'a.trn'; BACKUP LOG a TO DISK = 'a.trn'",
    );
    assert_eq!(word(&mut sa, begins), "010010");
    let header = must(&mut sa, "RESTORE HEADERONLY FROM DISK = 'a.trn'");
    let at = header.sets[0].columns.iter().position(|column| column.name == "BeginsLogChain").expect("a column");
    let shown: Vec<i64> = header.sets[0].rows.iter().map(|row| row[at].as_i64()).collect();
    assert_eq!(shown, [0, 1, 0, 0, 1, 0]);
}
