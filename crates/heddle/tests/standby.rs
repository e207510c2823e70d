//! RESTORE WITH STANDBY: a database is read between the steps of its restore, and the next step goes on as if nobody had. BACKUP LOG WITH
//! STANDBY or NORECOVERY: a database is closed, and goes on with the log of who took over, as two servers do that change roles.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-arguments-transact-sql
//! https://learn.microsoft.com/sql/database-engine/log-shipping/about-log-shipping-sql-server
//! https://learn.microsoft.com/sql/database-engine/log-shipping/change-roles-between-primary-and-secondary-log-shipping-servers-sql-server
//! https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql has NORECOVERY, STANDBY and NO_TRUNCATE.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, one, texts, word};
use support::files::{again, start};
use support::random::{Random, number};
use support::{Server, scratch, target};

fn refused(sa: &mut Connection, statement: &str, wanted: &[i32]) {
    let answer = ask(sa, statement);
    assert_eq!(numbers(&answer), wanted, "{statement}: {:?}", texts(&answer));
}

/// `shop`, with a full backup.
fn with_shop(sa: &mut Connection) {
    must(sa, "CREATE DATABASE shop; ALTER DATABASE shop SET RECOVERY FULL");
    must(
        sa,
        "USE shop; CREATE TABLE t (id int PRIMARY KEY, v varchar(900) NOT NULL);
         CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON); USE master",
    );
    add(sa, 1);
    must(sa, "BACKUP DATABASE shop TO DISK = 'shop.bak' WITH FORMAT");
}

fn add(sa: &mut Connection, id: i64) {
    add_to(sa, "shop", id);
}

fn add_to(sa: &mut Connection, name: &str, id: i64) {
    must(
        sa,
        &format!(
            "INSERT {name}..t VALUES ({id}, REPLICATE('v', 900)); INSERT {name}..m WITH (SNAPSHOT) VALUES ({id}, {id})"
        ),
    );
}

fn back_up_log(sa: &mut Connection) {
    must(sa, "BACKUP LOG shop TO DISK = 'shop.trn'");
}

/// Rows of both tables, which are as many.
fn rows(sa: &mut Connection, database: &str) -> i64 {
    let rows = one(sa, &format!("SELECT COUNT(*) FROM {database}..t"));
    assert_eq!(rows, one(sa, &format!("SELECT COUNT(*) FROM {database}..m")));
    rows
}

/// is_in_standby, is_read_only, state, and the properties that say so.
fn shown(sa: &mut Connection) -> [i64; 4] {
    shown_of(sa, "there")
}

fn shown_of(sa: &mut Connection, name: &str) -> [i64; 4] {
    let answer = must(
        sa,
        &format!(
            "SELECT CONVERT(int, is_in_standby), CONVERT(int, is_read_only), CONVERT(int, state),
             CONVERT(int, DATABASEPROPERTYEX('{name}', 'IsInStandBy')) FROM sys.databases WHERE name = '{name}'"
        ),
    );
    [0, 1, 2, 3].map(|column| answer.sets[0].rows[0][column].as_i64())
}

const IN_STANDBY: [i64; 4] = [1, 1, 0, 1];
const RESTORING: [i64; 4] = [0, 0, 1, 0];
const OPEN: [i64; 4] = [0, 0, 0, 0];

#[test]
fn a_database_in_standby_is_read_and_goes_on() {
    let (server, directory) = start("standby");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    add(&mut sa, 2);
    // Open at the end of the first log backup, committed in the second.
    let mut writer = connect(&server, "shop");
    must(&mut writer, "BEGIN TRANSACTION; INSERT t VALUES (3, 'open')");
    back_up_log(&mut sa);
    must(&mut writer, "INSERT m WITH (SNAPSHOT) VALUES (3, 3); COMMIT");
    drop(writer);
    back_up_log(&mut sa);
    add(&mut sa, 4);
    back_up_log(&mut sa);
    must(&mut sa, "RESTORE DATABASE there FROM DISK = 'shop.bak' WITH STANDBY = 'there.undo', STATS = 50");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (1, [1, 1, 0, 1]));
    refused(&mut sa, "INSERT there..t VALUES (9, '')", &[3906]);
    refused(&mut sa, "BACKUP DATABASE there TO DISK = 'no.bak'", &[3036, 3013]);
    refused(&mut sa, "BACKUP LOG there TO DISK = 'no.bak'", &[3036, 3013]);
    refused(&mut sa, "ALTER DATABASE there SET READ_WRITE", &[5063, 5069]);
    refused(&mut sa, "EXEC sp_detach_db 'there'", &[40510]);
    must(&mut sa, "DBCC CHECKDB ('there') WITH NO_INFOMSGS");
    // Who reads has to leave, or is made to.
    let mut reader = lab::client::Connection::open(&target(server.port, "there"), None).expect("logged in");
    must(&mut reader, "SELECT COUNT(*) FROM t");
    refused(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 1, STANDBY = 'there.undo'", &[3101, 3013]);
    assert_eq!(shown(&mut sa), [1, 1, 0, 1]);
    must(&mut sa, "ALTER DATABASE there SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
    must(&mut sa, "ALTER DATABASE there SET MULTI_USER");
    drop(reader);
    must(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 1, STANDBY = 'there.undo'");
    assert_eq!(rows(&mut sa, "there"), 2, "what was open is not there");
    refused(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 3, STANDBY = 'there.undo'", &[4305, 3013]);
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (2, [1, 1, 0, 1]));
    must(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 2, NORECOVERY");
    refused(&mut sa, "SELECT * FROM there..t", &[927]);
    must(&mut sa, "RESTORE DATABASE there WITH STANDBY = 'there.undo'");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (3, [1, 1, 0, 1]));
    must(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 3, STANDBY = 'there.undo'");
    assert_eq!(rows(&mut sa, "there"), 4);
    must(&mut sa, "RESTORE DATABASE there WITH NORECOVERY");
    assert_eq!(shown(&mut sa), RESTORING);
    must(&mut sa, "RESTORE DATABASE there WITH STANDBY = 'there.undo'");
    drop(sa);
    server.stop();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (4, [1, 1, 0, 1]));
    must(&mut sa, "RESTORE DATABASE there WITH RECOVERY");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (4, [0, 0, 0, 0]));
    must(&mut sa, "INSERT there..t VALUES (9, ''); DBCC CHECKDB ('there') WITH NO_INFOMSGS");
    refused(&mut sa, "RESTORE DATABASE there WITH STANDBY = 'there.undo'", &[3153, 3013]);
    refused(&mut sa, "RESTORE DATABASE x FROM DISK = 'shop.bak' WITH STANDBY = 'u', NORECOVERY", &[3031, 3013]);
    // One that nobody goes on with is dropped, or replaced, and leaves nothing.
    must(&mut sa, "RESTORE DATABASE other FROM DISK = 'shop.bak' WITH STANDBY = 'other.undo'; DROP DATABASE other");
    must(&mut sa, "RESTORE DATABASE other FROM DISK = 'shop.bak' WITH STANDBY = 'other.undo'");
    must(&mut sa, "RESTORE DATABASE other FROM DISK = 'shop.bak' WITH REPLACE; INSERT other..t VALUES (9, '')");
    assert_eq!(left(&directory), Vec::<String>::new());
}

/// Files of restores that go on.
fn left(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let files = entries.filter(|path| path.is_dir()).filter(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.starts_with("restoring-") || name.starts_with("standing-")
    });
    files
        .flat_map(|path| std::fs::read_dir(path).expect("a directory"))
        .map(|entry| entry.expect("an entry").path().display().to_string())
        .collect()
}

/// KILLS: so many.
#[test]
fn a_kill_leaves_it_in_standby_or_restoring() {
    let kills = number("KILLS").unwrap_or(4) as i64;
    let seed = number("SEED").unwrap_or(1);
    let mut random = Random(seed);
    let (mut server, directory) = start("standby-kills");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    must(&mut sa, "RESTORE DATABASE there FROM DISK = 'shop.bak' WITH STANDBY = 'there.undo'");
    let mut seen = [0, 0];
    for file in 1..=kills {
        add(&mut sa, file + 1);
        back_up_log(&mut sa);
        let port = server.port;
        let step = format!("RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = {file}, STANDBY = 'there.undo'");
        let text = step.clone();
        let stepping = std::thread::spawn(move || {
            if let Ok(mut sa) = Connection::open(&target(port, "master"), None) {
                let _ = sa.query(&text, None);
            }
        });
        std::thread::sleep(Duration::from_millis(random.below(400) as u64));
        drop(sa);
        server.kill();
        stepping.join().expect("it ended");
        server = again(&directory);
        sa = connect(&server, "master");
        let state = shown(&mut sa);
        let shown = format!("kill {file}, seed {seed}: {state:?}");
        if state == [1, 1, 0, 1] {
            seen[0] += 1;
            let read = rows(&mut sa, "there");
            assert!(read == file || read == file + 1, "{shown}: {read}");
        } else {
            seen[1] += 1;
            assert_eq!(state[2], 1, "{shown}");
        }
        // A log that was applied already is applied again, and changes nothing.
        must(&mut sa, &step);
        assert_eq!(rows(&mut sa, "there"), file + 1, "{shown}");
        must(&mut sa, "DBCC CHECKDB ('there') WITH NO_INFOMSGS");
    }
    println!("{kills} kills: {} in standby, {} restoring", seen[0], seen[1]);
    must(&mut sa, "RESTORE DATABASE there WITH RECOVERY");
    assert_eq!(rows(&mut sa, "there"), kills + 1);
    assert_eq!(left(&directory), Vec::<String>::new());
}

/// Until nobody is in a database any more.
fn until_empty(sa: &mut Connection, name: &str) {
    let inside = format!("SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE database_id = DB_ID('{name}')");
    for _ in 0..500 {
        if one(sa, &inside) == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("sessions stay in {name}");
}

#[test]
fn the_tail_of_the_log_leaves_a_database_that_is_read_and_opened_again() {
    let (server, directory) = start("tail-standby");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    add(&mut sa, 2);
    refused(&mut sa, "BACKUP LOG shop TO DISK = 'tail.trn' WITH STANDBY = 'u', NORECOVERY", &[3031, 3013]);
    refused(&mut sa, "BACKUP DATABASE shop TO DISK = 'tail.trn' WITH STANDBY = 'u'", &[3032, 3013]);
    // Nobody may be in it; what could not be written leaves it as it was.
    let reader = connect(&server, "shop");
    refused(&mut sa, "BACKUP LOG shop TO DISK = 'tail.trn' WITH STANDBY = 'u'", &[3101, 3013]);
    drop(reader);
    until_empty(&mut sa, "shop");
    refused(&mut sa, "BACKUP LOG shop TO DISK = '/dev/null/no/tail.trn' WITH STANDBY = 'u'", &[3201, 3013]);
    assert_eq!(shown_of(&mut sa, "shop"), OPEN);
    add(&mut sa, 3);
    must(&mut sa, "BACKUP LOG shop TO DISK = 'tail.trn' WITH STANDBY = 'shop.undo'");
    assert_eq!((rows(&mut sa, "shop"), shown_of(&mut sa, "shop")), (3, IN_STANDBY));
    refused(&mut sa, "INSERT shop..t VALUES (9, '')", &[3906]);
    refused(&mut sa, "BACKUP DATABASE shop TO DISK = 'no.bak'", &[3036, 3013]);
    refused(&mut sa, "BACKUP LOG shop TO DISK = 'no.bak'", &[3036, 3013]);
    refused(&mut sa, "ALTER DATABASE shop SET READ_WRITE", &[5063, 5069]);
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((rows(&mut sa, "shop"), shown_of(&mut sa, "shop")), (3, IN_STANDBY));
    let reader = connect(&server, "shop");
    refused(&mut sa, "RESTORE DATABASE shop WITH RECOVERY", &[3101, 3013]);
    refused(&mut sa, "RESTORE LOG shop FROM DISK = 'tail.trn' WITH NORECOVERY", &[3101, 3013]);
    assert_eq!(shown_of(&mut sa, "shop"), IN_STANDBY);
    drop(reader);
    until_empty(&mut sa, "shop");
    // From one state into the other, and back.
    must(&mut sa, "RESTORE LOG shop FROM DISK = 'tail.trn' WITH NORECOVERY");
    refused(&mut sa, "SELECT * FROM shop..t", &[927]);
    must(&mut sa, "RESTORE DATABASE shop WITH STANDBY = 'shop.undo'");
    assert_eq!((rows(&mut sa, "shop"), shown_of(&mut sa, "shop")), (3, IN_STANDBY));
    must(&mut sa, "RESTORE DATABASE shop WITH NORECOVERY");
    refused(&mut sa, "SELECT * FROM shop..t", &[927]);
    must(&mut sa, "RESTORE DATABASE shop WITH RECOVERY");
    assert_eq!(shown_of(&mut sa, "shop"), OPEN);
    refused(&mut sa, "RESTORE DATABASE shop WITH RECOVERY", &[3153, 3013]);
    add(&mut sa, 4);
    // Its chain goes on behind the tail.
    must(
        &mut sa,
        "BACKUP LOG shop TO DISK = 'tail.trn'; RESTORE DATABASE there FROM DISK = 'shop.bak' WITH NORECOVERY",
    );
    must(&mut sa, "RESTORE LOG there FROM DISK = 'tail.trn' WITH NORECOVERY");
    must(&mut sa, "RESTORE LOG there FROM DISK = 'tail.trn' WITH FILE = 2; DBCC CHECKDB ('there') WITH NO_INFOMSGS");
    assert_eq!(rows(&mut sa, "there"), 4);
    // What was read-only stays so.
    must(&mut sa, "ALTER DATABASE there SET READ_ONLY; BACKUP LOG there TO DISK = 'there.trn' WITH STANDBY = 'u'");
    must(&mut sa, "RESTORE DATABASE there WITH RECOVERY");
    assert_eq!(shown(&mut sa), [0, 1, 0, 0]);
    must(&mut sa, "ALTER DATABASE there SET READ_WRITE; INSERT there..t VALUES (9, '')");
    // NORECOVERY alone says that the database was taken offline.
    must(&mut sa, "BACKUP LOG there TO DISK = 'there.trn' WITH NORECOVERY");
    let offline = "SELECT STRING_AGG(CONVERT(nvarchar(1), is_force_offline), ',') WITHIN GROUP (ORDER BY backup_set_id) \
        FROM msdb.dbo.backupset WHERE type = 'L'";
    assert_eq!(word(&mut sa, offline), "0,0,0,1");
    let heads = must(&mut sa, "RESTORE HEADERONLY FROM DISK = 'there.trn'");
    let column = |name: &str| heads.sets[0].columns.iter().position(|column| column.name == name).expect("a column");
    let of = |row: usize| ["IsForceOffline", "Flags"].map(|name| heads.sets[0].rows[row][column(name)].as_i64());
    // The first log backup after a restore has pages (1), all have checksums (16).
    assert_eq!([of(0), of(1)], [[0, 1 + 4 + 16], [1, 16 + 64 + 256]]);
    must(&mut sa, "DROP DATABASE there; DROP DATABASE shop");
    assert_eq!(left(&directory), Vec::<String>::new());
}

/// What a closed database may go on with: the log of a database that has all that it has, from the beginning of its path.
#[test]
fn a_closed_database_goes_on_with_the_log_of_who_took_over() {
    let (server, directory) = start("tail-followed");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    add(&mut sa, 2);
    // Not from its tail, so without what that has.
    must(
        &mut sa,
        "BACKUP LOG shop TO DISK = 'shop.trn'; RESTORE DATABASE early FROM DISK = 'shop.bak' WITH NORECOVERY",
    );
    must(&mut sa, "RESTORE LOG early FROM DISK = 'shop.trn'");
    add_to(&mut sa, "early", 100);
    must(&mut sa, "BACKUP LOG early TO DISK = 'early.trn'");
    add(&mut sa, 3);
    let before = moment(&mut sa);
    must(&mut sa, "BACKUP LOG shop TO DISK = 'shop.trn' WITH NO_TRUNCATE, NORECOVERY");
    must(&mut sa, "RESTORE DATABASE there FROM DISK = 'shop.bak' WITH NORECOVERY");
    must(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH NORECOVERY");
    must(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 2, RECOVERY");
    add_to(&mut sa, "there", 4);
    let within = moment(&mut sa);
    add_to(&mut sa, "there", 5);
    must(
        &mut sa,
        "BACKUP LOG there TO DISK = 'there.trn'; BACKUP DATABASE there TO DISK = 'there.dif' WITH DIFFERENTIAL",
    );
    add_to(&mut sa, "there", 6);
    let later = moment(&mut sa);
    add_to(&mut sa, "there", 7);
    must(&mut sa, "BACKUP LOG there TO DISK = 'there.trn'");
    must(
        &mut sa,
        "CREATE DATABASE other; BACKUP DATABASE other TO DISK = 'other.bak'; BACKUP LOG other TO DISK = 'other.trn'",
    );
    // Of its own log there is nothing to add, and no way back.
    must(&mut sa, "RESTORE LOG shop FROM DISK = 'shop.trn' WITH FILE = 2, NORECOVERY");
    refused(&mut sa, "RESTORE LOG shop FROM DISK = 'shop.trn' WITH FILE = 1, NORECOVERY", &[4326, 3013]);
    let back = format!("RESTORE LOG shop FROM DISK = 'shop.trn' WITH FILE = 2, STOPAT = '{before}'");
    refused(&mut sa, &back, &[4338, 3013]);
    refused(&mut sa, "RESTORE LOG shop FROM DISK = 'early.trn' WITH NORECOVERY", &[4330, 3013]);
    refused(&mut sa, "RESTORE LOG shop FROM DISK = 'other.trn' WITH NORECOVERY", &[3154, 3013]);
    refused(&mut sa, "RESTORE LOG shop FROM DISK = 'there.trn' WITH FILE = 2, NORECOVERY", &[4330, 3013]);
    refused(&mut sa, "RESTORE DATABASE shop FROM DISK = 'there.dif' WITH NORECOVERY", &[3117, 3013]);
    for (at, error) in [(&before, 4338), (&within, 4341)] {
        let stop = format!("RESTORE LOG shop FROM DISK = 'there.trn' WITH STOPAT = '{at}'");
        refused(&mut sa, &stop, &[error, 3013]);
    }
    assert_eq!(shown_of(&mut sa, "shop"), RESTORING);
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(shown_of(&mut sa, "shop"), RESTORING);
    let told = must(&mut sa, "RESTORE LOG shop FROM DISK = 'there.trn' WITH STANDBY = 'u'");
    assert_eq!(numbers(&told), [4035, 4035, 3014], "{:?}", texts(&told));
    assert_eq!((rows(&mut sa, "shop"), shown_of(&mut sa, "shop")), (5, IN_STANDBY));
    refused(&mut sa, "RESTORE LOG shop FROM DISK = 'early.trn' WITH NORECOVERY", &[4330, 3013]);
    must(&mut sa, &format!("RESTORE LOG shop FROM DISK = 'there.trn' WITH FILE = 2, STOPAT = '{later}', RECOVERY"));
    assert_eq!((rows(&mut sa, "shop"), shown_of(&mut sa, "shop")), (6, OPEN));
    add(&mut sa, 8);
    must(&mut sa, "DBCC CHECKDB ('shop') WITH NO_INFOMSGS");
    assert_eq!(left(&directory), Vec::<String>::new());
}

/// The server's local time, to 100 ns.
fn moment(sa: &mut Connection) -> String {
    word(sa, "SELECT CONVERT(nvarchar(40), SYSDATETIME(), 126)")
}

/// Two servers, and where their backups lie.
struct Pair {
    servers: [Option<Server>; 2],
    directories: [PathBuf; 2],
    shelf: PathBuf,
}

impl Pair {
    fn start(name: &str) -> Pair {
        let [(one, here), (other, there)] = ["one", "other"].map(|which| start(&format!("{name}-{which}")));
        let shelf = scratch(&format!("{name}-shelf"));
        let pair = Pair { servers: [Some(one), Some(other)], directories: [here, there], shelf };
        let full = pair.disk("shop.bak");
        let mut sa = pair.connect(0);
        with_shop(&mut sa);
        must(&mut sa, &format!("BACKUP DATABASE shop TO {full}"));
        must(&mut pair.connect(1), &format!("RESTORE DATABASE shop FROM {full} WITH NORECOVERY"));
        pair
    }

    fn disk(&self, name: &str) -> String {
        format!("DISK = '{}'", self.shelf.join(name).display())
    }

    fn connect(&self, which: usize) -> Connection {
        connect(self.servers[which].as_ref().expect("it runs"), "master")
    }

    /// Kills a server within a statement, or behind it, and starts it again.
    fn killed_within(&mut self, which: usize, statement: &str, wait_ms: usize) {
        let server = self.servers[which].take().expect("it runs");
        let (port, text) = (server.port, statement.to_owned());
        let running = std::thread::spawn(move || {
            if let Ok(mut sa) = Connection::open(&target(port, "master"), None) {
                let _ = sa.query(&text, None);
            }
        });
        std::thread::sleep(Duration::from_millis(wait_ms as u64));
        server.kill();
        running.join().expect("it ended");
        self.servers[which] = Some(again(&self.directories[which]));
    }
}

#[test]
fn two_servers_change_roles_again_and_again() {
    let pair = Pair::start("roles");
    let closings = ["NORECOVERY", "STANDBY = 'shop.undo'", "NO_TRUNCATE, NOFORMAT, INIT, SKIP, NORECOVERY"];
    let mut count = 1;
    for round in 0..5 {
        let (first, second) = (round % 2, 1 - round % 2);
        let (log, tail) = (pair.disk(&format!("{round}.trn")), pair.disk(&format!("{round}-tail.trn")));
        let (mut here, mut there) = (pair.connect(first), pair.connect(second));
        add(&mut here, count + 1);
        must(&mut here, &format!("BACKUP LOG shop TO {log}"));
        let stands = round % 2 == 0;
        let with = if stands { "STANDBY = 'shop.undo'" } else { "NORECOVERY" };
        must(&mut there, &format!("RESTORE LOG shop FROM {log} WITH {with}"));
        if stands {
            assert_eq!((rows(&mut there, "shop"), shown_of(&mut there, "shop")), (count + 1, IN_STANDBY));
        }
        add(&mut here, count + 2);
        count += 2;
        let closing = closings[round % closings.len()];
        must(&mut here, &format!("BACKUP LOG shop TO {tail} WITH {closing}"));
        if closing.starts_with("STANDBY") {
            assert_eq!((rows(&mut here, "shop"), shown_of(&mut here, "shop")), (count, IN_STANDBY));
        } else {
            refused(&mut here, "SELECT * FROM shop..t", &[927]);
        }
        must(&mut there, &format!("RESTORE LOG shop FROM {tail} WITH RECOVERY"));
        assert_eq!((rows(&mut there, "shop"), shown_of(&mut there, "shop")), (count, OPEN), "round {round}");
        must(&mut there, "DBCC CHECKDB ('shop') WITH NO_INFOMSGS");
    }
    // The one that is closed needs no other's log to be opened.
    let mut closed = pair.connect(0);
    must(&mut closed, "RESTORE DATABASE shop WITH RECOVERY");
    assert_eq!(rows(&mut closed, "shop"), count);
}

/// KILLS: so many of each server.
#[test]
fn a_kill_while_roles_change_loses_nothing() {
    let kills = number("KILLS").unwrap_or(3) as usize;
    let seed = number("SEED").unwrap_or(1);
    let mut random = Random(seed);
    let mut pair = Pair::start("roles-killed");
    let mut count = 1;
    let (mut reopened, mut repeated) = (0, 0);
    for round in 0..kills {
        let (first, second) = (round % 2, 1 - round % 2);
        let tail = pair.disk(&format!("{round}.trn"));
        let shown = format!("round {round}, seed {seed}");
        let mut here = pair.connect(first);
        for _ in 0..1 + random.below(3) {
            count += 1;
            add(&mut here, count);
        }
        drop(here);
        let with = random.pick(&["NORECOVERY", "STANDBY = 'shop.undo'"]);
        let closing = format!("BACKUP LOG shop TO {tail} WITH FORMAT, {with}");
        pair.killed_within(first, &closing, random.below(300));
        let mut here = pair.connect(first);
        let is_whole = numbers(&ask(&mut here, &format!("RESTORE VERIFYONLY FROM {tail}"))) == [3262];
        match shown_of(&mut here, "shop") {
            OPEN => must(&mut here, &closing),
            // Nobody has the tail: it is opened, with all that it had, and closed again.
            RESTORING if !is_whole => {
                reopened += 1;
                must(&mut here, "RESTORE DATABASE shop WITH RECOVERY");
                assert_eq!(rows(&mut here, "shop"), count, "{shown}");
                must(&mut here, &closing)
            }
            state => {
                assert!(is_whole && [RESTORING, IN_STANDBY].contains(&state), "{shown}: {state:?}, {is_whole}");
                must(&mut here, "SELECT 1")
            }
        };
        let step = format!("RESTORE LOG shop FROM {tail} WITH RECOVERY");
        pair.killed_within(second, &step, random.below(900));
        let mut there = pair.connect(second);
        if shown_of(&mut there, "shop") == OPEN {
            assert_eq!(rows(&mut there, "shop"), count, "{shown}");
        } else {
            repeated += 1;
            let went = ask(&mut there, &step);
            if went.first_error().is_some() {
                assert_eq!(numbers(&went), [4347, 3013], "{shown}: {:?}", texts(&went));
                must(&mut there, "RESTORE DATABASE shop WITH RECOVERY");
            }
        }
        assert_eq!((rows(&mut there, "shop"), shown_of(&mut there, "shop")), (count, OPEN), "{shown}");
        must(&mut there, "DBCC CHECKDB ('shop') WITH NO_INFOMSGS");
    }
    println!(
        "{kills} switches with two kills each: {reopened} tails and {repeated} restores were done again, seed {seed}"
    );
}
