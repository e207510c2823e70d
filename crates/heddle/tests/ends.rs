//! Which tokens end what in an answer, and their order: those that SQL Server 2025 was seen to send for the same texts. `support::words` tells them.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;
use support::raw::{RPC, Raw, wide};
use support::words::{hold, words};
use tds::TdsVersion;
use tds::request::put_all_headers;

fn named(raw: &mut Raw, procedure: &&str) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_all_headers(&mut bytes, raw.transaction, TdsVersion::V7_4);
    bytes.extend((procedure.len() as u16).to_le_bytes());
    bytes.extend(wide(procedure));
    bytes.extend([0, 0]);
    raw.ask(RPC, &bytes)
}

fn executesql(raw: &mut Raw, text: &&str) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_all_headers(&mut bytes, raw.transaction, TdsVersion::V7_4);
    bytes.extend([0xFF, 0xFF, 10, 0, 0, 0, 0, 0, 0xE7]);
    bytes.extend(8000u16.to_le_bytes());
    bytes.extend([0x09, 0x04, 0xD0, 0x00, 0x34]);
    bytes.extend((2 * text.len() as u16).to_le_bytes());
    bytes.extend(wide(text));
    raw.ask(RPC, &bytes)
}

fn batch(raw: &mut Raw, text: &&str) -> Vec<u8> {
    raw.batch(text)
}

fn open(server: &Server, made_first: &[&str]) -> Raw {
    let mut raw = Raw::open(server.port, true, Vec::new());
    for text in made_first {
        let answer = raw.batch(text);
        assert!(support::raw::errors(&answer).is_empty(), "{text}");
    }
    raw
}

#[test]
fn statements_of_a_batch() {
    let server = Server::start(&[]);
    let mut raw = open(&server, &[]);
    let cases = [
        ("PRINT 'a'; PRINT 'b'", "M0 D247 M0 D247"),
        ("IF 1=0 PRINT 'skip'; PRINT 'after'", "D192 M0 D247"),
        ("IF 1=1 SELECT 1 AS x; SELECT 2 AS y", "D192 C R D193=1 C R D193=1"),
        ("IF 1=0 PRINT 'skip'", "D192"),
        ("BEGIN PRINT 'a'; PRINT 'b'; END", "M0 D247 M0 D247"),
        ("WHILE 1=0 PRINT 'skip'; PRINT 'after'", "D192 M0 D247"),
        (
            "DECLARE @i INT=0; WHILE @i<2 BEGIN SET @i=@i+1; PRINT 'loop'; END; SELECT @i AS i",
            "D193=1 D192 D193=1 M0 D247 D192 D193=1 M0 D247 D192 C R D193=1",
        ),
        ("DECLARE @i int, @s varchar(9) = 'a' SET @s += 'b' SELECT @i = 1", "D193=1 D193=1 D193=1"),
        ("DECLARE @t TABLE (a int) INSERT @t VALUES (1)", "D195=1"),
        ("RETURN SELECT 1 AS skipped", "D219"),
        ("BEGIN TRY PRINT 'a'; END TRY BEGIN CATCH PRINT 'caught'; END CATCH", "D349 M0 D247 D351"),
        (
            "BEGIN TRY RAISERROR('oops',16,1); END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n; END CATCH; SELECT 3 AS z",
            "D349 D246 D350 C R D193=1 D351 C R D193=1",
        ),
        (
            "BEGIN TRY SELECT 1/0 AS bad; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n; END CATCH",
            "D349 C D193=0 D350 C R D193=1 D351",
        ),
        (
            "BEGIN TRY BEGIN TRY RAISERROR('inner',16,2); END TRY BEGIN CATCH THROW; END CATCH; PRINT 'skip'; END TRY \
             BEGIN CATCH SELECT ERROR_NUMBER() AS n; END CATCH",
            "D349 D349 D246 D350 D246 D350 C R D193=1 D351",
        ),
        ("BEGIN TRY RETURN; END TRY BEGIN CATCH PRINT 'bad'; END CATCH; PRINT 'skip'", "D349 D219"),
        ("BEGIN TRY RAISERROR('x',16,1); END TRY BEGIN CATCH RETURN; END CATCH", "D349 D246 D350 D219"),
        ("BEGIN TRY RAISERROR('x',16,1); END TRY BEGIN CATCH END CATCH", "D349 D246 D350 D351"),
        (
            "WHILE 1=1 BEGIN TRY RAISERROR('x',16,1); END TRY BEGIN CATCH BREAK; END CATCH; SELECT 1 AS after_loop",
            "D192 D349 D246 D350 D202 C R D193=1",
        ),
        (
            "DECLARE @i INT=0; WHILE @i<2 BEGIN TRY SET @i=@i+1; CONTINUE; END TRY BEGIN CATCH PRINT 'bad'; END CATCH; \
             SELECT @i AS i",
            "D193=1 D192 D349 D193=1 D202 D192 D349 D193=1 D202 D192 C R D193=1",
        ),
        ("SET NOCOUNT ON; IF 1=0 PRINT 'skip'; PRINT 'after'", "D185 D192 M0 D247"),
        ("SET NOCOUNT ON; DECLARE @i INT=1; SET @i=2; SELECT @i AS n", "D185 D193 D193 C R D193"),
        ("SET NOCOUNT ON; RAISERROR('notice',10,1); SELECT 1 AS n", "D185 M50000 D246 C R D193"),
        ("SET NOCOUNT ON; RAISERROR('error',16,1); SELECT 1 AS n", "D185 E50000 D246! C R D193"),
        ("SET NOCOUNT ON; THROW 50003,'error',1", "D185 E50003 D253!"),
        ("SET NOCOUNT ON; IF 1=1 PRINT 'yes'; WHILE 1=1 BREAK; SELECT 1 AS n", "D185 D192 M0 D247 D192 D202 C R D193"),
        ("SET NOCOUNT ON; BEGIN TRAN; SELECT @@TRANCOUNT AS n; ROLLBACK", "D185 B D212 C R D193 X D210"),
        ("BEGIN TRAN SAVE TRAN s ROLLBACK TRAN s ROLLBACK TRAN other COMMIT", "B D212 D214 D210 E6401 D210! K D213"),
        ("BEGIN TRAN SELECT 1 AS n", "B D212 C R D193=1"),
        ("-- nothing", "D253"),
        ("SET QUOTED_IDENTIFIER ON", "D253"),
        ("EXEC (N'USE tempdb; SELECT DB_NAME() AS inside')", "I226 C R I193=1 S0 P224"),
    ];
    hold(&mut raw, batch, &cases);
}

/// They end with DONEINPROC, and NOCOUNT leaves out those without a result.
#[test]
fn statements_of_a_call() {
    let server = Server::start(&[]);
    let mut raw = open(&server, &[]);
    let cases = [
        ("IF 1=1 PRINT 'yes'; PRINT 'after'", "I192 M0 I247 M0 I247 S0 P224"),
        (
            "DECLARE @i INT=0; WHILE @i<2 BEGIN SET @i=@i+1; PRINT 'loop'; END; SELECT @i AS i",
            "I193=1 I192 I193=1 M0 I247 I192 I193=1 M0 I247 I192 C R I193=1 S0 P224",
        ),
        (
            "BEGIN TRY RAISERROR('oops',16,1); END TRY BEGIN CATCH PRINT 'caught'; END CATCH; SELECT 3 AS z",
            "I349 I246 I350 M0 I247 I351 C R I193=1 S0 P224",
        ),
        (
            "BEGIN TRY RAISERROR('x',16,1); END TRY BEGIN CATCH PRINT 'b'; RETURN; END CATCH",
            "I349 I246 I350 M0 I247 I219 S0 P224",
        ),
        ("SET NOCOUNT ON; PRINT 'one'; PRINT 'two'", "M0 M0 S0 P224"),
        ("SET NOCOUNT ON; SELECT 1 AS n WHERE 1=0", "C I193 S0 P224"),
        ("SET NOCOUNT ON; DECLARE @i INT=1; SET @i=2; SELECT @i AS n", "C R I193 S0 P224"),
        ("SET NOCOUNT ON; IF 1=1 PRINT 'yes'; WHILE 1=1 BREAK; SELECT 1 AS n", "M0 C R I193 S0 P224"),
        ("SET NOCOUNT ON; RAISERROR('error',16,1); SELECT 1 AS n", "E50000 I246! C R I193 S0 P224"),
        (
            "SET NOCOUNT ON; BEGIN TRY SELECT 1/0 AS n; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n; END CATCH",
            "C I193 C R I193 S0 P224",
        ),
        ("SET NOCOUNT ON; RETURN; SELECT 1 AS skipped", "S0 P224"),
        ("BEGIN TRAN", "B I212 E266 S266 P224!"),
        ("SET XACT_ABORT ON; BEGIN TRAN; SELECT 1/0 AS z", "I185 B I212 C E8134 X P224!"),
        ("CREATE SCHEMA of_call", "S0 P224"),
        ("EXEC (N'USE tempdb; SELECT DB_NAME() AS inside') SELECT 1 AS a", "I226 C R I193=1 I224 C R I193=1 S0 P224"),
    ];
    hold(&mut raw, executesql, &cases);
}

/// What changes rows and fails ends as what it is, unless it ends the batch and has no result.
#[test]
fn changes_that_fail() {
    let server = Server::start(&[]);
    let mut raw = open(
        &server,
        &["CREATE TABLE t (id int PRIMARY KEY, n int, v varchar(10)) INSERT t VALUES (10, 7, 'a'), (20, 8, 'b')"],
    );
    let merge = "MERGE t USING (VALUES(10)) s(id) ON t.id=s.id WHEN MATCHED THEN UPDATE SET n=1/0";
    let (plain, told) = (format!("{merge};"), format!("{merge} OUTPUT $action, inserted.id;"));
    let cases = [
        ("UPDATE t SET n=(SELECT id FROM t)", "E512 M3621 D197!"),
        ("DELETE t WHERE n/0=1", "E8134 M3621 D196!"),
        ("INSERT INTO t(id,n) SELECT id+100, n/0 FROM t", "E8134 M3621 D195!"),
        (&plain, "E8134 M3621 D279!"),
        (&told, "C E8134 M3621 D279!"),
        ("DECLARE @t TABLE(a int); INSERT INTO @t VALUES(1/0)", "E8134 M3621 D195!"),
        ("UPDATE t SET n=CAST(1e30 AS int) OUTPUT inserted.n; SELECT 1 AS after", "C E232 M3621 D197! C R D193=1"),
        ("UPDATE t SET n=CAST('x' AS int); SELECT 1 AS not_reached", "E245 D253!"),
        ("INSERT INTO t(id,n) OUTPUT inserted.id VALUES(30, CAST('x' AS int))", "C E245 D195!"),
        ("DELETE t OUTPUT deleted.id WHERE CAST(v AS int)=1", "C E245 D196!"),
        ("SET XACT_ABORT ON; UPDATE t SET n=1/0; SELECT 1 AS x", "D185 E8134 D253!"),
        ("SET XACT_ABORT ON; UPDATE t SET n=1/0 OUTPUT inserted.id; SELECT 1 AS x", "D185 C E8134 D197!"),
        ("BEGIN TRY DELETE t WHERE n/0=1 END TRY BEGIN CATCH END CATCH", "D349 D196=0 D350 D351"),
    ];
    hold(&mut raw, batch, &cases);
}

#[test]
fn definitions() {
    let server = Server::start(&[]);
    let mut raw =
        open(&server, &["CREATE TABLE dbo.a (id int NOT NULL PRIMARY KEY, x int NULL) INSERT a VALUES (1, 1), (2, 1)"]);
    let cases = [
        ("CREATE SCHEMA of_batch", "D253"),
        ("DROP SCHEMA of_batch", "D253"),
        ("CREATE TABLE b (i int) TRUNCATE TABLE b DROP TABLE b", "D198 D234 D199"),
        (
            "BEGIN TRY CREATE TABLE dbo.a (id int); END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n; END CATCH",
            "D349 D198 D350 C R D193=1 D351",
        ),
        (
            "BEGIN TRY ALTER TABLE dbo.a DROP COLUMN nosuch; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n; END CATCH",
            "D349 D216 D350 C R D193=1 D351",
        ),
        (
            "BEGIN TRY CREATE UNIQUE INDEX ix ON dbo.a (x); END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n; END CATCH",
            "D349 D200 D350 C R D193=1 D351",
        ),
        (
            "BEGIN TRY DROP TABLE dbo.nosuch; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n; END CATCH",
            "D349 D199 D350 C R D193=1 D351",
        ),
        ("ALTER TABLE dbo.a ADD CONSTRAINT uq UNIQUE (x); SELECT 1 AS after", "E1505 E1750 M3621 D253!"),
        (
            "BEGIN TRY ALTER TABLE dbo.a ADD CONSTRAINT more PRIMARY KEY (x) END TRY BEGIN CATCH SELECT 1 AS n END CATCH",
            "D349 E1779 E1750 D253!",
        ),
        ("BEGIN TRY ALTER TABLE dbo.nosuch ADD z int END TRY BEGIN CATCH SELECT 1 AS n END CATCH", "D349 E4902 D253!"),
        (
            "BEGIN TRY EXEC ('ALTER TABLE dbo.nosuch ADD z int') END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n END CATCH",
            "D349 P224 D350 C R D193=1 D351",
        ),
    ];
    hold(&mut raw, batch, &cases);
}

#[test]
fn changes_of_indexes() {
    let server = Server::start(&[]);
    let made = "CREATE TABLE t (id int CONSTRAINT pk_t PRIMARY KEY, v int, w int, INDEX ux UNIQUE (v), INDEX ix (w)) \
        INSERT t VALUES (1, 1, 1), (2, 2, 2)";
    let mut raw = open(&server, &[made]);
    let cases = [
        ("ALTER INDEX nope ON dbo.t DISABLE", "E2727 D253!"),
        ("ALTER INDEX ix ON dbo.nope DISABLE", "E1088 D253!"),
        ("ALTER INDEX ux ON dbo.t DISABLE; INSERT t VALUES (3, 1, 3)", "D337 D195=1"),
        ("ALTER INDEX ux ON dbo.t REBUILD", "E1505 M3621 D253!"),
        ("DELETE t WHERE id = 3; ALTER INDEX ux ON dbo.t REORGANIZE", "D196=1 E1973 D253!"),
        ("ALTER INDEX ALL ON dbo.t REBUILD ALTER INDEX ix ON t REORGANIZE", "D337 D337"),
        ("INSERT t VALUES (4, 1, 4)", "E2601 M3621 D195!"),
        ("BEGIN TRAN; ALTER INDEX ix ON t DISABLE; ROLLBACK", "B D212 D337 X D210"),
        ("DROP INDEX ux ON dbo.t; CREATE INDEX again ON dbo.t (v)", "D201 D200"),
    ];
    hold(&mut raw, batch, &cases);
}

#[test]
fn definitions_that_fail() {
    let server = Server::start(&[]);
    let made = [
        "CREATE TABLE dbo.a (id int NOT NULL CONSTRAINT pk_a PRIMARY KEY, x int NULL)",
        "CREATE VIEW dbo.shown AS SELECT id FROM dbo.a",
    ];
    let mut raw = open(&server, &made);
    let cases = [
        ("CREATE TABLE dbo.a (id int); SELECT 1 AS never", "E2714 D253!"),
        ("CREATE TABLE dbo.b (id int CONSTRAINT pk_a PRIMARY KEY); SELECT 1 AS never", "E2714 E1750 D253!"),
        ("ALTER TABLE dbo.a ADD CONSTRAINT more PRIMARY KEY (x); SELECT 1 AS never", "E1779 E1750 D253!"),
        ("ALTER TABLE dbo.a DROP COLUMN absent; SELECT 1 AS never", "E4924 D253!"),
        ("ALTER TABLE dbo.a DROP COLUMN id; SELECT 1 AS never", "E5074 E4922 D253!"),
        ("ALTER TABLE dbo.absent ADD y int; SELECT 1 AS never", "E4902 D253!"),
        ("ALTER TABLE dbo.a DROP CONSTRAINT absent; SELECT 1 AS never", "E3728 E3727 D253!"),
        ("ALTER TABLE dbo.a ADD x int; SELECT 1 AS never", "E2705 D253!"),
        ("CREATE INDEX ix ON dbo.absent (x); SELECT 1 AS never", "E1088 D253!"),
        ("CREATE INDEX ix ON dbo.a (absent); SELECT 1 AS never", "E1911 D253!"),
        ("DROP TABLE dbo.absent; SELECT 1 AS after", "E3701 D199! C R D193=1"),
        ("CREATE VIEW dbo.shown AS SELECT 1 AS one", "E2714 D207!"),
        ("CREATE PROCEDURE dbo.shown AS SELECT 1 AS one", "E2714 D222!"),
        ("ALTER VIEW dbo.absent AS SELECT 1 AS one", "E208 D253!"),
        ("ALTER PROCEDURE dbo.absent AS SELECT 1 AS one", "E208 D253!"),
        ("CREATE TRIGGER dbo.fired ON dbo.absent AFTER INSERT AS SET NOCOUNT ON", "E8197 D253!"),
        ("CREATE VIEW dbo.nameless AS SELECT 1", "E4511 D253!"),
    ];
    hold(&mut raw, batch, &cases);
}

#[test]
fn definitions_of_modules() {
    let server = Server::start(&[]);
    let mut raw = open(&server, &["CREATE TABLE dbo.a (id int)"]);
    let cases = [
        ("CREATE VIEW dbo.v AS SELECT id FROM dbo.a", "D207"),
        ("ALTER VIEW dbo.v AS SELECT id + 1 AS id FROM dbo.a", "D207"),
        ("CREATE PROCEDURE dbo.p AS SELECT 1 AS one", "D222"),
        ("CREATE OR ALTER PROCEDURE dbo.p AS SELECT 2 AS two", "D222"),
        ("CREATE FUNCTION dbo.f (@x int) RETURNS int AS BEGIN RETURN @x END", "D222"),
        ("ALTER FUNCTION dbo.f (@x int) RETURNS int AS BEGIN RETURN @x + 1 END", "D222"),
        ("CREATE TRIGGER dbo.t ON dbo.a AFTER INSERT AS SET NOCOUNT ON", "D221"),
        ("ALTER TRIGGER dbo.t ON dbo.a AFTER INSERT, UPDATE AS SET NOCOUNT ON", "D221"),
        ("ALTER TABLE dbo.a DISABLE TRIGGER t ALTER TABLE dbo.a ENABLE TRIGGER ALL", "D216 D216"),
        (
            "DROP TRIGGER dbo.t DROP FUNCTION dbo.f DROP VIEW IF EXISTS dbo.v DROP VIEW IF EXISTS dbo.v",
            "D225 D179 D208 D208",
        ),
        ("DROP PROCEDURE dbo.p", "D223"),
        ("DROP INDEX IF EXISTS ix ON dbo.a ALTER TABLE dbo.a DROP COLUMN IF EXISTS absent", "D201 D216"),
    ];
    hold(&mut raw, batch, &cases);
}

/// Those of the server's own procedures that are written in T-SQL raise their errors as any procedure does.
#[test]
fn procedures_of_the_server() {
    let server = Server::start(&[]);
    let mut raw = open(&server, &["CREATE TABLE dbo.p (id int NOT NULL CONSTRAINT pk_p PRIMARY KEY)"]);
    let cases = [
        ("EXEC sp_pkeys", "E201 P224!"),
        ("EXEC sp_pkeys @table_name = 'p', @absent = 1; SELECT 1 AS after", "E8145 P224! C R D193=1"),
        ("EXEC sp_pkeys 'p', 'dbo', 'tempdb', 'more'; SELECT 1 AS never", "E8144 D253!"),
        ("EXEC sp_fkeys", "E15252 I246! S-6 P224"),
        ("EXEC sp_fkeys 'absent'", "C I193 S0 P224"),
    ];
    hold(&mut raw, batch, &cases);
}

/// So do those that are not: what is wrong they tell, and return 1. A transaction of their own is told of.
#[test]
fn renaming() {
    let server = Server::start(&[]);
    let table = "CREATE TABLE dbo.r (id int NOT NULL CONSTRAINT pk_r PRIMARY KEY, a int)";
    let mut raw = open(&server, &[table, "CREATE VIEW dbo.seen AS SELECT id FROM dbo.r"]);
    let cases = [
        ("EXEC sp_rename 'dbo.r.a', 'b', 'COLUMN'; SELECT 1 AS after", "B M15477 K S0 P224 C R D193=1"),
        ("EXEC sp_rename 'dbo.r.absent', 'y', 'COLUMN'", "B K E15248 I246! S1 P224"),
        ("DECLARE @r int; EXEC @r = sp_rename 'absent', 'y'; SELECT @r AS r", "B K E15225 I246! S1 P224 C R D193=1"),
        ("EXEC sp_rename 'pk_r', 'r'", "B K E15335 I246! S1 P224"),
        ("EXEC sp_rename NULL, NULL", "E15223 I246! S1 P224"),
        ("EXEC sp_rename 'r', 'x', 'bogus'", "E15249 I246! S1 P224"),
        (
            "BEGIN TRY EXEC sp_rename 'r.absent', 'x', 'COLUMN' END TRY BEGIN CATCH SELECT ERROR_LINE() AS n END CATCH",
            "D349 B K P224 D350 C R D193=1 D351",
        ),
        ("BEGIN TRAN EXEC sp_rename 'r', 'other' ROLLBACK", "B D212 M15477 S0 P224 X D210"),
        (
            "SET NOCOUNT ON; EXEC sp_refreshview 'seen'; EXEC sp_refreshview 'nope'; SET NOCOUNT OFF",
            "D185 B K S0 P224 E15165 I246! S15165 P224 D186",
        ),
        ("EXEC sp_dropmessage 70000; SELECT @@ERROR AS e", "E15179 I246! S1 P224 C R D193=1"),
    ];
    hold(&mut raw, batch, &cases);
}

/// The statements of SQL Server's own texts.
#[test]
fn application_locks() {
    let server = Server::start(&[]);
    let mut raw = open(&server, &[]);
    let (got, let_go) = (
        "I193=1 I192 I193=1 I192 I192 I193=1 I193=1 I192 I224 I193=1 S0 P224",
        "I193=1 I192 I193=1 I224 I193=1 S0 P224",
    );
    let both = format!("{got} {let_go}");
    let cases = [
        ("EXEC sp_getapplock 'x', 'Exclusive', 'Session' EXEC sp_releaseapplock 'x', 'Session'", &*both),
        (
            "EXEC sp_getapplock 'x', 'Shared', 'Session', 0",
            "I193=1 I192 I193=1 I192 I192 I193=1 I192 I224 I193=1 S0 P224",
        ),
        ("SET NOCOUNT ON EXEC sp_getapplock 'x', 'Shared', 'Session' SET NOCOUNT OFF", "D185 S0 P224 D186"),
        (
            "EXEC sp_releaseapplock 'x', 'Session' SELECT @@ERROR AS e",
            "I193=1 I192 I193=1 E1223 I224! I193=1 S-999 P224 C R D193=1",
        ),
        (
            "EXEC sp_getapplock 'x', 'Shared'",
            "I193=1 I192 I193=1 I192 I192 I193=1 I193=1 I192 M15626 I246 I193=1 S-999 P224",
        ),
        ("EXEC sp_getapplock 'x', 'Bogus'", "I193=1 I192 M15625 I246 I193=1 S-999 P224"),
        ("EXEC sp_getapplock 'x', @LockOwner = 'Session'", "E201 P224!"),
    ];
    hold(&mut raw, batch, &cases);
}

/// A text of one SELECT, change or assignment is compiled when it is prepared, and its end is told then; others have the status 8182.
#[test]
fn preparing() {
    let server = Server::start(&[]);
    let mut raw = open(&server, &["CREATE TABLE t (a int, b nvarchar(10)) INSERT t VALUES (1, N'x'), (2, NULL)"]);
    let prepared = |text: &str| format!("DECLARE @h int, @o int; EXEC sp_prepare @h OUTPUT, {text}");
    let select = prepared("N'@p int', N'SELECT a, b FROM t WHERE a > @p'; EXEC sp_execute @h, 0; EXEC sp_unprepare @h");
    let update = prepared("N'', N'UPDATE t SET a = a', 1; EXEC sp_execute @h; EXEC sp_unprepare @h");
    let assign = prepared("N'@p int OUTPUT', N'SET @p = 5', 1; EXEC sp_execute @h, @o OUTPUT; SELECT @o AS o");
    let several = prepared("N'', N'SELECT 1 AS x; SELECT 2 AS y', 1; EXEC sp_execute @h; EXEC sp_unprepare @h");
    let failing = prepared("N'@p int', N'SELECT 1/@p AS q', 1; EXEC sp_execute @h, 0; SELECT 7 AS after");
    let (call, none) = (prepared("N'', N'SELEC 1', 1"), prepared("N'', N'SELECT 1 AS a', 0"));
    let missing = prepared("N'', N'SELECT * FROM missing_t', 1; SELECT @h AS h");
    let cases = [
        (&*select, "C I193=0 S0 P224 C R R I193=2 S0 P224 S0 P224"),
        (&*update, "I197=0 S0 P224 I197=2 S0 P224 S0 P224"),
        (&*assign, "I193=0 S0 P224 I193=1 S0 P224 C R D193=1"),
        (&*several, "S8182 P224 C R I193=1 C R I193=1 S0 P224 S0 P224"),
        (&*failing, "C I193=0 S0 P224 C E8134 I193! S8134 P224 C R D193=1"),
        (&*call, "S8182 P224"),
        (&*none, "E214 S214 P224!"),
        (&*missing, "E208 E8180 S8180 P224! C R D193=1"),
        ("EXEC sp_execute 12345", "E8179 S8179 P224!"),
        ("EXEC sp_unprepare 12345", "E8179 S8179 P224!"),
    ];
    hold(&mut raw, batch, &cases);
}

#[test]
fn cursors() {
    let server = Server::start(&[]);
    let mut raw = open(&server, &[]);
    let cases = [
        (
            "DECLARE @i int DECLARE c CURSOR FOR SELECT 1 AS one OPEN c FETCH NEXT FROM c INTO @i \
             WHILE @@FETCH_STATUS = 0 FETCH NEXT FROM c INTO @i CLOSE c DEALLOCATE c",
            "D193 D32 D193 D192 D193 D192 D43 D44",
        ),
        ("DECLARE c CURSOR LOCAL FOR SELECT 1 AS one OPEN c FETCH NEXT FROM c", "D193 D32 C R D193=1"),
        ("DECLARE c CURSOR LOCAL FOR SELECT 1 AS one FETCH NEXT FROM c", "D193 E16917 D193!"),
        ("DECLARE c CURSOR LOCAL FOR SELECT 1 AS one CLOSE c OPEN c OPEN c", "D193 E16917 D43! D32 E16905 D32!"),
        ("FETCH NEXT FROM missing DEALLOCATE missing OPEN missing", "E16916 D193! E16916 D44! E16916 D32!"),
    ];
    hold(&mut raw, batch, &cases);
}

const PROCEDURES: &[&str] = &[
    "CREATE TABLE t (id int CONSTRAINT pk_t PRIMARY KEY, v int)",
    "CREATE TABLE u (id int PRIMARY KEY, v int NOT NULL)",
    "CREATE PROCEDURE p_conv AS BEGIN SELECT 'a' AS a; SELECT CAST('x' AS int) AS c; SELECT 'b' AS b; END",
    "CREATE PROCEDURE p_div AS BEGIN SELECT 1/0 AS x; SELECT 2 AS y END",
    "CREATE PROCEDURE p_dup AS BEGIN INSERT t VALUES (1, 1); INSERT t VALUES (1, 1); SELECT 'after' AS a END",
    "CREATE PROCEDURE p_missing AS BEGIN SELECT 'first' AS f; SELECT * FROM no_such_table; SELECT 'after' AS after END",
    "CREATE PROCEDURE p_outer_missing AS BEGIN EXEC p_missing; SELECT 'outer after' AS a END",
    "CREATE PROCEDURE p_tran AS BEGIN TRANSACTION",
    "CREATE PROCEDURE p_tran_outer AS BEGIN EXEC p_tran; SELECT @@TRANCOUNT AS tc; END",
    "CREATE PROCEDURE p_in @a int AS SELECT @a AS a",
    "CREATE PROCEDURE p_two @a int, @b int = 7 AS SELECT @a AS a, @b AS b",
    "CREATE PROCEDURE p_out @a int, @b int = 5, @c int OUTPUT AS BEGIN SET @c = @a + @b; RETURN 3; END",
    "CREATE PROCEDURE p_outer_try AS BEGIN BEGIN TRY EXEC p_missing; SELECT 'not' AS n END TRY \
     BEGIN CATCH SELECT ERROR_NUMBER() AS num END CATCH END",
    "CREATE PROCEDURE p_dynerr AS BEGIN BEGIN TRY EXEC ('SELECT 1/0 AS z') END TRY BEGIN CATCH SELECT 1 AS p END CATCH; \
     BEGIN TRY EXEC sp_executesql N'SELECT 1/0 AS z' END TRY BEGIN CATCH SELECT 2 AS p2 END CATCH END",
    "CREATE PROCEDURE inner_p AS SELECT 1 AS a",
    "CREATE PROCEDURE outer_p AS BEGIN EXEC inner_p; RETURN 5; END",
    "CREATE PROCEDURE s11 AS RAISERROR('x', 11, 1)",
    "CREATE PROCEDURE s16_ret AS BEGIN RAISERROR('x', 16, 1); RETURN; END",
    "CREATE PROCEDURE s16_ret5 AS BEGIN RAISERROR('x', 16, 1); RETURN 5; END",
    "CREATE PROCEDURE s_null AS INSERT u (id, v) VALUES (1, NULL)",
    "CREATE PROCEDURE s_dyn AS BEGIN EXEC ('RAISERROR(''d'', 16, 1)'); SELECT 1 AS one; END",
    "CREATE PROCEDURE s_overflow AS BEGIN DECLARE @i int; SET @i = 1/0; SELECT 1 AS one; END",
    "CREATE PROCEDURE s_caught AS BEGIN BEGIN TRY SELECT 1/0 AS z END TRY BEGIN CATCH SELECT 1 AS p END CATCH END",
    "CREATE PROCEDURE s_missing_callee AS BEGIN EXEC no_such_proc; SELECT 'after' AS a; END",
    "CREATE PROCEDURE s_retnull AS RETURN NULL",
];

#[test]
fn procedures() {
    let server = Server::start(&[]);
    let mut raw = open(&server, PROCEDURES);
    let caught = "BEGIN CATCH SELECT ERROR_NUMBER() AS n END CATCH";
    let tried = |text: &str| format!("BEGIN TRY {text} END TRY {caught}");
    let (missing, wrong, text, conv) = (
        tried("EXEC no_such_proc"),
        tried("EXEC p_in 'abc'"),
        tried("EXEC ('SELECT FROM WHERE')"),
        tried("EXEC p_conv"),
    );
    let (of_text, tran) = (
        tried("EXEC sp_executesql N'SELECT * FROM no_such_table'"),
        format!("{}; IF @@TRANCOUNT > 0 ROLLBACK", tried("EXEC p_tran")),
    );
    let one_caught = "D349 P224 D350 C R D193=1 D351";
    let cases = [
        ("EXEC outer_p", "C R I193=1 I224 I193=1 S5 P224"),
        ("EXEC ('SELECT 1 AS a')", "C R I193=1 S0 P224"),
        ("DECLARE @r int = 99; EXEC @r = p_conv; SELECT @r AS r", "D193=1 C R I193=1 C E245 D193!"),
        ("SET XACT_ABORT ON; BEGIN TRAN; EXEC p_div; SELECT 'never' AS n", "D185 B D212 C E8134 X D193!"),
        ("SET XACT_ABORT ON; BEGIN TRAN; EXEC p_dup; SELECT 'never' AS n", "D185 B D212 I195=1 E2627 X D253!"),
        ("DECLARE @r int = 99; EXEC @r = p_missing; SELECT @r AS r", "D193=1 C R I193=1 E208 P224! C R D193=1"),
        ("EXEC p_outer_missing", "C R I193=1 E208 I224! C R I193=1 S0 P224"),
        (
            "EXEC p_tran_outer; SELECT 1 AS tc; IF @@TRANCOUNT > 0 ROLLBACK",
            "B I212 E266 I224! C R I193=1 S0 E266 P224! C R D193=1 D192 X D210",
        ),
        (&missing, one_caught),
        (&wrong, one_caught),
        (&text, one_caught),
        (&of_text, one_caught),
        (&conv, "D349 C R I193=1 C I193=0 P224 D350 C R D193=1 D351"),
        (&tran, "D349 B I212 S0 P224 D350 C R D193=1 D351 D192 X D210"),
        (
            "DECLARE @r int = 7; EXEC @r = p_outer_try; SELECT @r AS r",
            "D193=1 I349 C R I193=1 I224 I350 C R I193=1 I351 S0 P224 C R D193=1",
        ),
        ("EXEC p_dynerr", "I349 C I193=0 I224 I350 C R I193=1 I351 I349 C I193=0 I224 I350 C R I193=1 I351 S0 P224"),
        ("DECLARE @r int = 5; EXEC @r = p_in; SELECT @r AS r", "D193=1 E201 P224! C R D193=1"),
        ("DECLARE @r int = 5; EXEC @r = no_such_proc; SELECT @r AS r", "D193=1 E2812 P224! C R D193=1"),
        ("EXEC p_two DEFAULT", "E201 P224!"),
        ("EXEC p_in 'abc'; SELECT 'after' AS a", "E8114 P224! C R D193=1"),
        ("DECLARE @r int = 1; EXEC @r = p_two 1, 2, 3; SELECT 'never' AS n", "D193=1 E8144 D253!"),
        (
            "DECLARE @r int, @x int; EXEC @r = p_out 1, DEFAULT, @x OUTPUT; SELECT @r AS r",
            "I193=1 I193=1 S3 P224 C R D193=1",
        ),
        ("EXEC s11", "E50000 I246! S-1 P224"),
        ("EXEC s16_ret", "E50000 I246! I219 S-6 P224"),
        ("EXEC s16_ret5", "E50000 I246! I193=1 S5 P224"),
        ("EXEC s_null", "E515 M3621 I195! S-6 P224"),
        ("EXEC s_dyn", "E50000 I246! I224 C R I193=1 S0 P224"),
        ("EXEC s_overflow", "E8134 I193! C R I193=1 S-6 P224"),
        ("EXEC s_caught", "I349 C I193=0 I350 C R I193=1 I351 S-6 P224"),
        ("EXEC s_missing_callee", "E2812 I224! C R I193=1 S0 P224"),
        ("EXEC s_retnull", "M282 I193=1 S0 P224"),
        (
            "DELETE u; INSERT u VALUES (1, 1); EXEC ('INSERT u VALUES (1, 1)'); SELECT @@ERROR AS e",
            "D196=0 D195=1 E2627 M3621 I195! S-4 P224 C R D193=1",
        ),
        ("EXEC sp_executesql N'BEGIN TRAN' ROLLBACK", "B I212 E266 S266 P224! X D210"),
    ];
    hold(&mut raw, batch, &cases);
    let called = [
        ("p_conv", "C R I193=1 C E245 P224!"),
        ("p_missing", "C R I193=1 E208 P224!"),
        ("s16_ret", "E50000 I246! I219 S-6 P224"),
        ("s_retnull", "M282 I193=1 S0 P224"),
    ];
    hold(&mut raw, named, &called);
}

/// A loop that does nothing else is not told of for ever; what comes behind it is, and so is one that does more.
#[test]
fn a_long_loop_over_variables_falls_silent() {
    let server = Server::start(&[]);
    let mut raw = open(&server, &[]);
    let loop_of =
        |body: &str, turns: u32| format!("DECLARE @i int = 0 WHILE @i < {turns} BEGIN {body} SET @i += 1 END");
    let count = |told: &str, wanted: &str| told.split(' ').filter(|word| *word == wanted).count();
    for body in ["", "IF @i > 5 SET @i = @i", "IF @i % 2 = 1 GOTO b b:"] {
        let told = words(&raw.batch(&format!("{} SET @i = 1 IF 1 = 1 PRINT 'a'", loop_of(body, 200_000))));
        assert!((1_000..5_000).contains(&count(&told, "D192")), "{body}: {}", count(&told, "D192"));
        assert!(told.ends_with("D193=1 D192 M0 D247"), "{body}");
    }
    let told = words(&raw.batch("DECLARE @i int = 0 a: SET @i += 1 IF @i < 200000 GOTO a PRINT 'a'"));
    assert!((1_000..5_000).contains(&count(&told, "D192")), "{}", count(&told, "D192"));
    let told = words(&raw.batch(&loop_of("PRINT 'a'", 2_000)));
    assert_eq!((count(&told, "D192"), count(&told, "D247"), count(&told, "D193=1")), (2_001, 2_000, 2_001));
}
