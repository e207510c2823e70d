//! A partitioned table and a plain one are twins: the same statements leave the same rows in both, while boundaries of one come and go
//! and its partitions are exchanged for a table and back; also after a rollback, a kill, and a backup.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::random::Random;
use support::session::Session;
use support::{Server, scratch};

const VALUES: usize = 60;

const TABLES: &str = "
CREATE PARTITION FUNCTION f (int) AS RANGE RIGHT FOR VALUES (20, 40);
CREATE PARTITION SCHEME s AS PARTITION f ALL TO ([PRIMARY]);
CREATE TABLE p (id int NOT NULL, a int NOT NULL, b varchar(max) NULL, c AS a * 2 PERSISTED, CONSTRAINT pk_p PRIMARY KEY (id, a), INDEX b (a, id)) ON s(a);
CREATE TABLE q (id int NOT NULL, a int NOT NULL, b varchar(max) NULL, c AS a * 2 PERSISTED, CONSTRAINT pk_q PRIMARY KEY (id, a), INDEX b (a, id));
CREATE TABLE stage (id int NOT NULL, a int NOT NULL, b varchar(max) NULL, c AS a * 2 PERSISTED, CONSTRAINT pk_s PRIMARY KEY (id, a), INDEX b (a, id))";

/// A statement for both tables; `T` is the table.
fn change(random: &mut Random) -> String {
    let (id, a) = (random.below(200), random.below(VALUES));
    match random.below(7) {
        0 | 1 => format!("INSERT T (id, a, b) SELECT {id} + n, ({a} + n * 7) % {VALUES}, REPLICATE('x', n * 900) FROM (VALUES (0), (1000), (2000)) v(n)
            WHERE NOT EXISTS (SELECT * FROM T o WHERE o.id = {id} + n)"),
        2 => format!("UPDATE T SET a = {a} WHERE id = {id}"),
        3 => format!("UPDATE T SET a = (a + 13) % {VALUES} WHERE a BETWEEN {a} AND {a} + 3"),
        4 => format!("DELETE T WHERE a = {a}"),
        5 => format!("UPDATE T SET b = CONCAT(b, 'y') WHERE a < {a} AND id % 5 = 2"),
        _ => format!("MERGE T USING (VALUES ({id}, {a}), ({id} + 1, {a})) v(id, a) ON T.id = v.id AND T.a = v.a
            WHEN MATCHED THEN UPDATE SET b = 'merged' WHEN NOT MATCHED AND v.id NOT IN (SELECT id FROM T) THEN INSERT (id, a) VALUES (v.id, v.a);"),
    }
}

/// What the partitioned table alone has done to it, which leaves its rows as they are.
fn divide(random: &mut Random) -> String {
    let value = random.below(VALUES);
    match random.below(4) {
        0 => format!("IF NOT EXISTS (SELECT * FROM sys.partition_range_values WHERE value = {value}) ALTER PARTITION FUNCTION f() SPLIT RANGE ({value})"),
        1 => format!(
            "DECLARE @v int = (SELECT TOP 1 CONVERT(int, value) FROM sys.partition_range_values WHERE value >= {value} ORDER BY value);
            IF @v IS NOT NULL ALTER PARTITION FUNCTION f() MERGE RANGE (@v)"
        ),
        2 => "ALTER INDEX ALL ON p REBUILD PARTITION = 1".to_owned(),
        _ => format!(
            "DECLARE @n int = $PARTITION.f({value}), @low int, @high int;
            SELECT @low = MAX(CASE WHEN value <= {value} THEN CONVERT(int, value) END),
              @high = MIN(CASE WHEN value > {value} THEN CONVERT(int, value) END) FROM sys.partition_range_values;
            DECLARE @add varchar(200) = CONCAT('ALTER TABLE stage ADD CONSTRAINT ck CHECK (a >= ', ISNULL(@low, -1), ' AND a < ', ISNULL(@high, 1000000), ')');
            ALTER TABLE p SWITCH PARTITION @n TO stage;
            IF EXISTS (SELECT * FROM p WHERE $PARTITION.f(a) = @n) THROW 50000, 'the partition is not empty', 1;
            EXEC (@add);
            ALTER TABLE stage SWITCH TO p PARTITION @n;
            ALTER TABLE stage DROP CONSTRAINT ck"
        ),
    }
}

/// Both tables by each of their indexes, and by the values of a range; nothing but `same` is right.
const COMPARE: &str = "
IF EXISTS (SELECT id, a, b, c FROM p EXCEPT SELECT id, a, b, c FROM q) PRINT 'p has more'
IF EXISTS (SELECT id, a, b, c FROM q EXCEPT SELECT id, a, b, c FROM p) PRINT 'q has more'
IF EXISTS (SELECT id, a FROM p WITH (INDEX(b)) EXCEPT SELECT id, a FROM q WITH (INDEX(b))) PRINT 'the index has more'
IF (SELECT COUNT(*) FROM p WHERE a >= 10 AND a < 33) <> (SELECT COUNT(*) FROM q WHERE a >= 10 AND a < 33) PRINT 'a range differs'
IF (SELECT COUNT(*) FROM p WHERE a IN (7, 20, 21, 59)) <> (SELECT COUNT(*) FROM q WHERE a IN (7, 20, 21, 59)) PRINT 'a list differs'
IF (SELECT SUM(rows) FROM sys.partitions WHERE object_id = OBJECT_ID('p') AND index_id = 1) <> (SELECT COUNT(*) FROM q) PRINT 'counts differ'
IF EXISTS (SELECT n FROM (SELECT partition_number AS n, rows FROM sys.partitions WHERE object_id = OBJECT_ID('p') AND index_id = 1) x
  WHERE rows <> (SELECT COUNT(*) FROM p WHERE $PARTITION.f(a) = n)) PRINT 'a count differs'
IF EXISTS (SELECT * FROM stage) PRINT 'the stage is not empty'
IF (SELECT COUNT(*) FROM (SELECT TOP (50) id FROM p ORDER BY id, a) x JOIN (SELECT TOP (50) id FROM q ORDER BY id, a) y ON x.id = y.id) < (SELECT CASE WHEN COUNT(*) < 50 THEN COUNT(*) ELSE 50 END FROM q) PRINT 'the order differs'
DBCC CHECKTABLE ('p') WITH NO_INFOMSGS
PRINT 'same'";

/// Words of SQL with a T in them are not the table.
fn on(table: &str, statement: &str) -> String {
    let mut text = String::new();
    for word in statement.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let (name, rest) = word.split_at(word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len()));
        text.push_str(if name == "T" { table } else { name });
        text.push_str(rest);
    }
    text
}

fn run(session: &mut Session, statement: &str) {
    for table in ["p", "q"] {
        let text = on(table, statement);
        assert_eq!(session.run(&text), "", "{text}");
    }
}

/// What looks for the bounds of a partition that has none.
const NULL_ELIMINATED: &str = "Warning: Null value is eliminated by an aggregate or other SET operation.";

#[test]
fn a_partitioned_table_and_a_plain_one_are_twins() {
    let data = scratch("partitions");
    let data = data.to_str().expect("a path in UTF-8");
    let mut server = Server::start_on(data, &[]);
    server.query("CREATE DATABASE twins; ALTER DATABASE twins SET RECOVERY SIMPLE");
    let mut session = Session::open(&server, "twins");
    assert_eq!(session.run(TABLES), "");
    let mut random = Random(20_260);
    for round in 0..24 {
        let rolls_back = random.below(4) == 0;
        if rolls_back {
            session.run("BEGIN TRAN");
        }
        for _ in 0..random.below(8) + 3 {
            if random.below(3) == 0 {
                let text = divide(&mut random);
                let told = session.run(&text);
                assert_eq!(told.replace(NULL_ELIMINATED, "").trim(), "", "{text}");
            } else {
                run(&mut session, &change(&mut random));
            }
        }
        if rolls_back {
            // A roll-back does not correct counts; who makes the rows' tree anew counts them.
            session.run("ROLLBACK; ALTER INDEX pk_p ON p REBUILD");
        }
        if round % 8 == 7 {
            // In the middle of a change of the partitions that nobody has committed.
            session.run("BEGIN TRAN; ALTER PARTITION FUNCTION f() SPLIT RANGE (-5); DELETE p WHERE a < 30");
            server.kill();
            server = Server::start_on(data, &[]);
            session = Session::open(&server, "twins");
            // What a start estimates of large tables, it counts when they are made anew.
            session.run("ALTER INDEX pk_p ON p REBUILD");
        }
        assert_eq!(session.run(COMPARE), "same", "round {round}");
    }
    let directory = scratch("partitions-backup");
    std::fs::create_dir_all(&directory).expect("a directory");
    let backup = directory.join("twins.bak");
    let backup = backup.to_str().expect("a path in UTF-8");
    session.run(&format!("BACKUP DATABASE twins TO DISK = '{backup}'"));
    session.run("DELETE p WHERE a < 30; USE master");
    let restored = session.run(&format!("RESTORE DATABASE twins FROM DISK = '{backup}' WITH REPLACE"));
    assert!(restored.contains("successfully"), "{restored}");
    session.run("USE twins; ALTER INDEX pk_p ON p REBUILD");
    assert_eq!(session.run(COMPARE), "same", "restored");
    assert_eq!(session.run("DBCC CHECKDB WITH NO_INFOMSGS"), "");
}
