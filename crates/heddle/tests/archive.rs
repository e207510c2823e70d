//! The archive of a running server: what clients were told stands against what comes back, at random moments of a load in which the server
//! was killed; another server, a store out of reach, damage; and the commands of the page about it.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lab::client::Connection;
use support::ask::{connect, must, one, word};
use support::{PASSWORD, Server, binary, scratch, target};

/// Longer than anything that is waited for takes.
const PATIENCE: Duration = Duration::from_secs(40);

const TABLES: &str = "CREATE DATABASE shop; ALTER DATABASE shop SET RECOVERY FULL";
const IN_SHOP: &str = "CREATE TABLE t (session int, n int, note varchar(900) NOT NULL, PRIMARY KEY (session, n));
    CREATE TABLE m (session int NOT NULL, n int NOT NULL, PRIMARY KEY NONCLUSTERED (session, n)) WITH (MEMORY_OPTIMIZED = ON)";

struct Places {
    root: PathBuf,
}

impl Places {
    fn new(name: &str) -> Places {
        Places { root: scratch(name) }
    }

    fn path(&self, name: &str) -> String {
        self.root.join(name).to_str().expect("UTF-8").to_owned()
    }

    fn start(&self, more: &[&str]) -> Server {
        let archive = self.path("archive");
        let mut args = vec!["--admin-listen", "off", "--archive", &archive];
        args.extend_from_slice(more);
        Server::start_on(&self.path("data"), &args)
    }

    fn restore(&self, to: &str, until: &[&str]) -> Output {
        let (archive, to) = (self.path("archive"), self.path(to));
        let mut args = vec!["restore", "--archive", &archive, "--to", &to];
        args.extend_from_slice(until);
        binary().args(args).stdin(Stdio::null()).output().expect("heddle restore runs")
    }

    /// What a restore is refused with.
    fn refused(&self, until: &[&str]) -> String {
        let output = self.restore("refused", until);
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
        let left = std::fs::read_dir(self.path("refused")).map_or(0, |entries| entries.count());
        assert_eq!(left, 0, "it leaves nothing behind");
        String::from_utf8(output.stderr).expect("UTF-8")
    }

    /// A server on what was restored, without an archive.
    fn restored(&self, to: &str, until: &[&str]) -> Server {
        let output = self.restore(to, until);
        assert!(output.status.success(), "{until:?}: {}", String::from_utf8_lossy(&output.stderr));
        Server::start_on(&self.path(to), &["--admin-listen", "off"])
    }

    fn list(&self) -> (Option<i32>, String) {
        let output = binary().args(["archive", "list", "--archive", &self.path("archive")]).output().expect("it runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    }

    /// The newest segments of the log last.
    fn segments(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.root.join("archive/log"))
            .expect("the archive's log")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }
}

fn with_shop(server: &Server) -> Connection {
    let mut sa = connect(server, "master");
    must(&mut sa, TABLES);
    must(&mut sa, "USE shop");
    must(&mut sa, IN_SHOP);
    sa
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn shipped(sa: &mut Connection) {
    let lsn = one(sa, "SELECT hardened_lsn FROM sys.dm_heddle_archive");
    until("it is shipped", || one(sa, "SELECT archived_lsn FROM sys.dm_heddle_archive") >= lsn);
}

fn snapshots(sa: &mut Connection) -> i64 {
    one(sa, "SELECT snapshot_count FROM sys.dm_heddle_archive")
}

fn state(sa: &mut Connection) -> String {
    word(sa, "SELECT state_desc FROM sys.dm_heddle_archive")
}

fn error_log(places: &Places, data: &str) -> String {
    std::fs::read_to_string(places.root.join(data).join("log/errorlog")).expect("the error log")
}

/// A row that a session has put: when it was sent and when the client heard that it is committed (ticks, UTC).
#[derive(Clone, Copy)]
struct Put {
    sent: u64,
    heard: Option<u64>,
}

/// Puts row after row, until the server is gone or it is enough.
fn put_rows(port: u16, session: usize, journal: &mut Vec<Put>, enough: &AtomicBool) {
    let deadline = || Some(os::clock::now() + 20_000_000_000);
    let Ok(mut connection) = Connection::open(&target(port, "shop"), deadline()) else { return };
    while !enough.load(Ordering::Relaxed) {
        let n = journal.len() + 1;
        let text = format!(
            "SET XACT_ABORT ON; BEGIN TRAN; INSERT t VALUES ({session}, {n}, REPLICATE('x', {})); INSERT m WITH (SNAPSHOT) VALUES ({session}, {n}); COMMIT",
            n * 37 % 900
        );
        journal.push(Put { sent: os::clock::utc_ticks(), heard: None });
        let Ok(answer) = connection.query(&text, deadline()) else { return };
        assert!(answer.first_error().is_none(), "{:?}", answer.messages);
        journal.last_mut().expect("put").heard = Some(os::clock::utc_ticks());
    }
}

const SESSIONS: usize = 3;

/// The last rows of the sessions, which must be all up to there, in both tables.
fn found(server: &Server) -> [usize; SESSIONS] {
    let mut sa = connect(server, "shop");
    std::array::from_fn(|session| {
        let count = |sa: &mut Connection, table: &str| {
            let last = one(sa, &format!("SELECT ISNULL(MAX(n), 0) FROM {table} WHERE session = {session}"));
            let rows = one(sa, &format!("SELECT COUNT(*) FROM {table} WHERE session = {session}"));
            assert_eq!(last, rows, "the rows of session {session} in {table} are 1 to the last");
            last as usize
        };
        let on_pages = count(&mut sa, "t");
        assert_eq!(on_pages, count(&mut sa, "m"), "both tables have a transaction, or none");
        on_pages
    })
}

/// Rounds; `HEDDLE_CRASH_ROUNDS` for more.
fn rounds() -> u64 {
    std::env::var("HEDDLE_CRASH_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(4)
}

fn random(bound: u64) -> u64 {
    let mut bytes = [0; 8];
    os::random::fill(&mut bytes);
    u64::from_le_bytes(bytes) % bound
}

/// As `--at` takes it.
fn at(ticks: u64) -> String {
    let seconds = (ticks / 10_000_000) as i64 - 62_135_596_800;
    let output =
        std::process::Command::new("date").args(["-u", "-d", &format!("@{seconds}"), "+%Y-%m-%dT%H:%M:%S"]).output();
    let text = String::from_utf8(output.expect("date runs").stdout).expect("UTF-8");
    format!("{}.{:07}Z", text.trim(), ticks % 10_000_000)
}

fn killed_under_load(name: &str, kernel: &[&str]) {
    let places = Places::new(name);
    let more: Vec<&str> = [&["--archive-snapshot", "0.0006"], kernel].concat();
    let mut server = Some(places.start(&more));
    let mut sa = with_shop(server.as_ref().expect("it runs"));
    until("a snapshot", || snapshots(&mut sa) > 0);
    drop(sa);
    let begun = os::clock::utc_ticks();
    let mut journals: [Vec<Put>; SESSIONS] = Default::default();
    for round in 0..rounds() {
        let (port, enough) = (server.as_ref().expect("it runs").port, Arc::new(AtomicBool::new(false)));
        std::thread::scope(|scope| {
            for (session, journal) in journals.iter_mut().enumerate() {
                let enough = enough.clone();
                scope.spawn(move || put_rows(port, session, journal, &enough));
            }
            std::thread::sleep(Duration::from_millis(400 + random(1_500)));
            match round + 1 < rounds() {
                true => server.take().expect("it runs").kill(),
                false => enough.store(true, Ordering::Relaxed),
            }
        });
        let server = server.get_or_insert_with(|| places.start(&more));
        // A row that nobody heard of is there or not: the journal follows.
        for (journal, there) in journals.iter_mut().zip(found(server)) {
            assert!(journal.iter().filter(|put| put.heard.is_some()).count() <= there, "nothing that was told is lost");
            journal.truncate(there);
        }
    }
    let server = server.expect("it runs");
    let ended = os::clock::utc_ticks();
    let all = found(&server);
    let mut sa = connect(&server, "master");
    assert_eq!(one(&mut sa, "SELECT term FROM sys.dm_heddle_archive"), rounds() as i64, "a term each start");
    assert_eq!(one(&mut sa, "SELECT gap_count FROM sys.dm_heddle_archive"), 0);
    drop(sa);
    assert_eq!(server.stop().0, Some(0));
    let (code, listed) = places.list();
    assert_eq!(code, Some(0), "{listed}");
    assert!(!listed.contains("GAP"), "{listed}");
    for nth in 0..5 {
        let moment = begun + 10_000_000 + random(ended - begun - 10_000_000);
        let to = format!("back-{nth}");
        let back = places.restored(&to, &["--at", &at(moment)]);
        for (session, (journal, there)) in journals.iter().zip(found(&back)).enumerate() {
            let sent = journal.iter().filter(|put| put.sent <= moment).count();
            let heard = journal.iter().filter(|put| put.heard.is_some_and(|heard| heard <= moment)).count();
            assert!(
                (heard..=sent).contains(&there),
                "session {session} at {}: {there} of {heard} to {sent}",
                at(moment)
            );
        }
        drop(back);
    }
    // Without a moment: what the server had when it stopped.
    let back = places.restored("back-all", &[]);
    assert_eq!(found(&back), all);
    let check = back.query("DBCC CHECKDB ('shop') WITH NO_INFOMSGS");
    assert_eq!(check.trim(), "");
}

#[test]
fn any_moment_of_a_load_with_kills_comes_back() {
    killed_under_load("archive-kills", &[]);
}

#[test]
fn engines_that_are_processes_are_archived_alike() {
    killed_under_load("archive-processes", &["--kernel", "process", "--engines", "2"]);
}

/// What `heddle serve` ends with.
fn start_refused(data: &str, archive: &str) -> String {
    let args = ["serve", "--data", data, "--listen", "127.0.0.1:0", "--admin-listen", "off", "--sa-password", PASSWORD];
    let output = binary().args(args).args(["--archive", archive]).stdin(Stdio::null()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn one_server_writes_an_archive() {
    let places = Places::new("archive-owner");
    let server = places.start(&[]);
    let mut sa = with_shop(&server);
    until("a snapshot", || snapshots(&mut sa) > 0);
    shipped(&mut sa);
    let why = start_refused(&places.path("other"), &places.path("archive"));
    assert!(why.contains("written by another server") && why.contains(&places.path("data")), "{why}");
    let why = start_refused(":memory:", &places.path("archive"));
    assert!(why.contains("nothing to archive"), "{why}");
    let why = start_refused(&places.path("inner"), &places.path("inner/archive"));
    assert!(why.contains("within the data directory"), "{why}");
    // A restored directory is other data from now on.
    drop(places.restored("back", &[]));
    let why = start_refused(&places.path("back"), &places.path("archive"));
    assert!(why.contains("Each server needs an archive of its own"), "{why}");
    // A copy of the data that was started elsewhere takes the next term: the first one notices.
    let owner = places.root.join("archive/owner");
    std::fs::copy(owner.join("00000001"), owner.join("00000002")).expect("copied");
    until("it notices", || state(&mut sa) == "TAKEN_OVER");
    must(&mut sa, "INSERT t VALUES (1, 1, 'goes on')");
    let told = || error_log(&places, "data");
    until("it is told", || told().contains("no longer: it is written by another server"));
    assert!(told().contains("is archived in"), "{}", told());
    let before = places.segments();
    must(&mut sa, "INSERT t VALUES (1, 2, 'goes on')");
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(places.segments(), before, "it writes there no more");
}

/// What `heddle archive take` says: its exit code, and what it printed.
fn take(places: &Places, data: &str, more: &[&str]) -> (Option<i32>, String) {
    let (archive, data) = (places.path("archive"), places.path(data));
    let args = ["archive", "take", "--archive", &archive, "--data", &data];
    let output = binary().args(args).args(more).stdin(Stdio::null()).output().expect("it runs");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).expect("UTF-8"))
}

#[test]
fn an_archive_is_taken_over_by_force_and_keeps_what_it_had() {
    let places = Places::new("archive-taken");
    let server = places.start(&[]);
    let mut sa = with_shop(&server);
    until("a snapshot", || snapshots(&mut sa) > 0);
    must(&mut sa, "INSERT t VALUES (0, 1, 'before')");
    let moment = os::clock::utc_ticks();
    std::thread::sleep(Duration::from_millis(50));
    must(&mut sa, "INSERT t VALUES (0, 2, 'before')");
    shipped(&mut sa);
    // What was restored is other data. The first server runs on, and does not know.
    drop(places.restored("back", &[]));
    let (code, said) = take(&places, "back", &[]);
    assert!(
        code == Some(1) && said.contains("written by another server") && said.contains(&places.path("data")),
        "{said}"
    );
    let (code, said) = take(&places, "data", &["--force"]);
    assert!(code == Some(1) && said.contains("--data"), "a server runs there: {said}");
    let (code, said) = take(&places, "back", &["--force"]);
    assert!(code == Some(0) && said.contains("it was written by"), "{said}");
    until("it notices", || state(&mut sa) == "TAKEN_OVER");
    must(&mut sa, "INSERT t VALUES (0, 3, 'lost to the archive')");
    let archive = places.path("archive");
    let other = Server::start_on(&places.path("back"), &["--admin-listen", "off", "--archive", &archive]);
    let mut there = connect(&other, "shop");
    until("a snapshot", || snapshots(&mut there) > 0);
    must(&mut there, "INSERT t VALUES (1, 1, 'after'), (1, 2, 'after')");
    shipped(&mut there);
    drop(there);
    other.kill();
    // It goes on where it was killed, as its own.
    let other = Server::start_on(&places.path("back"), &["--admin-listen", "off", "--archive", &archive]);
    let mut there = connect(&other, "shop");
    must(&mut there, "INSERT t VALUES (1, 3, 'after')");
    shipped(&mut there);
    let (code, said) = take(&places, "other", &["--force"]);
    assert!(code == Some(1) && said.contains("there is no such directory"), "{said}");
    drop(there);
    assert_eq!(other.stop().0, Some(0));
    let (code, listed) = places.list();
    assert!(code == Some(0) && listed.contains("before     "), "{listed}");
    let count = |server: &Server| one(&mut connect(server, "shop"), "SELECT COUNT(*) FROM t");
    assert_eq!(count(&places.restored("end", &[])), 5);
    // A moment before the other took it.
    let then = places.restored("then", &["--at", &at(moment)]);
    assert_eq!(count(&then), 1);
    drop(sa);
    drop(server);
    // The one that had it is refused now, by name.
    let why = start_refused(&places.path("data"), &archive);
    assert!(why.contains("written by another server") && why.contains(&places.path("back")), "{why}");
}

#[test]
fn a_store_out_of_reach_holds_nobody_up() {
    let places = Places::new("archive-away");
    let server = places.start(&["--http", "127.0.0.1:0"]);
    let mut sa = with_shop(&server);
    until("a snapshot", || snapshots(&mut sa) > 0);
    shipped(&mut sa);
    let (here, away) = (places.root.join("archive"), places.root.join("away"));
    std::fs::rename(&here, &away).expect("away");
    // A file is no directory, to the superuser too.
    std::fs::write(&here, "in its place").expect("written");
    for n in 1..=20 {
        must(&mut sa, &format!("INSERT t VALUES (1, {n}, 'goes on')"));
    }
    until("it fails", || state(&mut sa) == "FAILS");
    assert!(one(&mut sa, "SELECT lag_bytes FROM sys.dm_heddle_archive") > 0);
    assert!(one(&mut sa, "SELECT failure_count FROM sys.dm_heddle_archive") > 0);
    assert!(word(&mut sa, "SELECT last_error FROM sys.dm_heddle_archive").contains("archive"));
    until("it lags", || one(&mut sa, "SELECT lag_seconds FROM sys.dm_heddle_archive") >= 2);
    std::fs::remove_file(&here).expect("removed");
    std::fs::rename(&away, &here).expect("back");
    until("it goes on", || state(&mut sa) == "SHIPS");
    shipped(&mut sa);
    assert_eq!(one(&mut sa, "SELECT gap_count FROM sys.dm_heddle_archive"), 0);
    let log = error_log(&places, "data");
    assert!(log.contains("takes no log, and is tried again until it does"), "{log}");
    assert!(log.contains("takes the log again"), "{log}");
    drop(sa);
    assert_eq!(server.stop().0, Some(0));
    let back = places.restored("back", &[]);
    assert_eq!(one(&mut connect(&back, "shop"), "SELECT COUNT(*) FROM t"), 20);
}

#[test]
fn what_cannot_be_restored_is_refused_by_its_name() {
    let places = Places::new("archive-refused");
    let server = places.start(&[]);
    let mut sa = with_shop(&server);
    until("a snapshot", || snapshots(&mut sa) > 0);
    for n in 1..=4 {
        must(&mut sa, &format!("INSERT t VALUES (1, {n}, 'a row'); INSERT m VALUES (1, {n})"));
        shipped(&mut sa);
    }
    drop(sa);
    assert_eq!(server.stop().0, Some(0));
    let why = places.refused(&["--at", "tomorrow"]);
    assert!(why.contains("'tomorrow' is not a time"), "{why}");
    let why = places.refused(&["--at", "2126-01-01"]);
    assert!(why.contains("the archive ends at") && why.contains("2126-01-01 00:00:00"), "{why}");
    let why = places.refused(&["--at", "2001-01-01"]);
    assert!(why.contains("nothing before it can be restored"), "{why}");
    let why = places.refused(&["--lsn", "999999999999"]);
    assert!(why.contains("does not reach LSN 999999999999"), "{why}");
    std::fs::create_dir_all(places.root.join("full/of")).expect("made");
    let output = places.restore("full", &[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("the directory is not empty"));
    let nowhere = binary().args(["restore", "--archive", &places.path("no"), "--to", &places.path("x")]).output();
    assert!(String::from_utf8_lossy(&nowhere.expect("it runs").stderr).contains("there is no directory"));
    let victim = places.segments().pop().expect("a segment");
    let path = places.root.join("archive/log").join(&victim);
    let whole = std::fs::read(&path).expect("read");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    std::fs::write(&path, &flipped).expect("written");
    let why = places.refused(&[]);
    assert!(why.contains(&victim) && why.contains("is damaged"), "{why}");
    std::fs::write(&path, &whole[..whole.len() - 1]).expect("written");
    assert!(places.refused(&[]).contains(&victim));
    std::fs::write(&path, &whole).expect("written");
    let names = places.segments();
    let middle = &names[names.len() - 2];
    std::fs::remove_file(places.root.join("archive/log").join(middle)).expect("removed");
    let why = places.refused(&[]);
    let lsn = u64::from_str_radix(&middle[..16], 16).expect("an LSN");
    assert!(why.contains("a gap") && why.contains(&format!("LSN {lsn} ")), "{why}");
    let (code, listed) = places.list();
    assert_eq!(code, Some(1), "{listed}");
    assert!(listed.contains(&format!("GAP        LSN {lsn} to ")), "{listed}");
    // Up to the gap all is there.
    drop(places.restored("before", &["--lsn", &lsn.to_string()]));
}

#[test]
fn damage_in_the_archive_does_not_stop_a_start() {
    let places = Places::new("archive-damaged");
    let server = places.start(&[]);
    let mut sa = with_shop(&server);
    until("a snapshot", || snapshots(&mut sa) > 0);
    must(&mut sa, "INSERT t VALUES (1, 1, 'x')");
    shipped(&mut sa);
    drop(sa);
    assert_eq!(server.stop().0, Some(0));
    let change = |path: &std::path::Path| {
        let mut bytes = std::fs::read(path).expect("readable");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(path, bytes).expect("written");
    };
    // A manifest: a restore does without that snapshot, and the server says so.
    let snapshot = places.root.join("archive/snapshot");
    let manifests = std::fs::read_dir(snapshot).expect("snapshots").map(|entry| entry.expect("an entry").path());
    let manifest = manifests.min_by_key(|path| std::fs::metadata(path).expect("a file").len()).expect("a manifest");
    change(&manifest);
    let server = places.start(&[]);
    let mut sa = connect(&server, "shop");
    // What comes behind the next snapshot is shipped, and stays.
    until("another snapshot", || snapshots(&mut sa) > 0);
    must(&mut sa, "INSERT t VALUES (1, 2, 'x')");
    shipped(&mut sa);
    let name = manifest.file_name().and_then(|name| name.to_str()).expect("UTF-8").to_owned();
    let log = error_log(&places, "data");
    assert!(log.contains(&name) && log.contains("is damaged"), "{log}");
    drop(sa);
    assert_eq!(server.stop().0, Some(0));
    // The end of the log, which says whether the archive is these data's.
    let last = places.segments().pop().expect("a segment");
    let last = places.root.join("archive/log").join(last);
    let whole = std::fs::read(&last).expect("readable");
    change(&last);
    let server = places.start(&[]);
    let mut sa = connect(&server, "shop");
    must(&mut sa, "INSERT t VALUES (1, 3, 'x')");
    until("it is told", || state(&mut sa) == "FAILS");
    let why = word(&mut sa, "SELECT last_error FROM sys.dm_heddle_archive");
    let name = last.file_name().and_then(|name| name.to_str()).expect("UTF-8").to_owned();
    assert!(why.contains(&name) && why.contains("is damaged"), "{why}");
    assert!(error_log(&places, "data").contains(&name));
    std::fs::write(&last, whole).expect("written");
    until("it goes on", || state(&mut sa) == "SHIPS");
    shipped(&mut sa);
}

#[test]
fn a_database_that_was_restored_is_in_the_archive_with_the_next_snapshot() {
    let places = Places::new("archive-restored");
    let server = places.start(&[]);
    let mut sa = with_shop(&server);
    must(
        &mut sa,
        "INSERT t VALUES (1, 1, 'a row'); INSERT m VALUES (1, 1); INSERT t VALUES (1, 2, 'a row'); INSERT m VALUES (1, 2)",
    );
    until("a snapshot", || snapshots(&mut sa) > 0);
    let taken = snapshots(&mut sa);
    must(&mut sa, "USE master; BACKUP DATABASE shop TO DISK = 'shop.bak'");
    must(&mut sa, "RESTORE DATABASE copy FROM DISK = 'shop.bak'");
    until("another snapshot", || snapshots(&mut sa) > taken);
    // Behind the restore, and not yet what the snapshot has.
    let between = one(&mut sa, "SELECT last_snapshot_lsn - 1 FROM sys.dm_heddle_archive");
    shipped(&mut sa);
    drop(sa);
    assert_eq!(server.stop().0, Some(0));
    let back = places.restored("back", &[]);
    assert_eq!(one(&mut connect(&back, "copy"), "SELECT COUNT(*) FROM t JOIN m ON m.n = t.n"), 2);
    // Before that snapshot its pages are nowhere: it waits for a backup of its own, and the others are there.
    let back = places.restored("between", &["--lsn", &between.to_string()]);
    let mut sa = connect(&back, "shop");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM t JOIN m ON m.n = t.n"), 2);
    assert_eq!(word(&mut sa, "SELECT state_desc FROM sys.databases WHERE name = 'copy'"), "RECOVERY_PENDING");
}

/// The commands of `docs/operations.md`, in their order: as they stand there, with places of this test.
#[test]
fn the_commands_of_the_page_work() {
    let page = std::fs::read_to_string(support::root().join("docs/operations.md")).expect("the page");
    let section = page.split("\n## ").find(|section| section.starts_with("The archive")).expect("the section");
    let commands: Vec<&str> =
        section.split("```sh\n").skip(1).filter_map(|block| block.split("```").next()).flat_map(str::lines).collect();
    assert!(commands.len() >= 4, "{commands:?}");
    let places = Places::new("archive-page");
    let (mut server, mut moment, mut served) = (None::<Server>, String::new(), 0);
    for command in commands {
        let command = command
            .replace("/backup/", &format!("{}/backup/", places.root.display()))
            .replace("shop-data", &places.path("shop-data"))
            .replace(" shop-restored", &format!(" {}", places.path("shop-restored")));
        let mut words: Vec<String> = Vec::new();
        for (nth, part) in command.split('\'').enumerate() {
            match nth % 2 {
                0 => words.extend(part.split_whitespace().map(String::from)),
                _ => words.push(moment.clone()),
            }
        }
        assert_eq!(words.remove(0), "heddle", "{command}");
        if words[0] == "serve" {
            served += 1;
            let mut serve = binary();
            let more = ["--listen", "127.0.0.1:0", "--admin-listen", "off", "--sa-password", PASSWORD];
            serve.args(&words).args(more);
            let started = Server::start_command(serve, "127.0.0.1");
            let mut sa = connect(&started, "master");
            if served == 1 {
                must(&mut sa, "CREATE DATABASE shop");
                must(&mut sa, "USE shop; CREATE TABLE t (id int); INSERT t VALUES (1)");
            }
            assert_eq!(one(&mut sa, "SELECT SUM(id) FROM shop..t"), 1, "what was there at the moment");
            until("a snapshot", || snapshots(&mut sa) > 0);
            if served == 1 {
                std::thread::sleep(Duration::from_millis(50));
                moment = at(os::clock::utc_ticks());
                std::thread::sleep(Duration::from_millis(50));
                must(&mut sa, "INSERT t VALUES (2)");
                shipped(&mut sa);
            }
            server = Some(started);
            continue;
        }
        let output = binary().args(&words).stdin(Stdio::null()).output().expect("it runs");
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(served, 2, "the restored one serves too");
    assert!(Path::new(&places.path("shop-restored")).is_dir());
    drop(server);
}
