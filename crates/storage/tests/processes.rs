//! One instance, several engines that are processes: they change the same rows, wait for each other's locks and latches,
//! share one log and one small buffer pool. Then the instance is opened again from its files.
//!
//! Then engines are killed, at random moments and at each mark (`sim_point!`). One that dies outside of critical sections is buried
//! by another, which the rest do not notice; after any other death all are killed and the instance recovers. No acknowledged row
//! is ever missing.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::*;
use os::disk::Disk;
use os::launcher::{End, Engines};
use os::region::{Part, Region, Visibility};
use os::sched::{MachineConfig, Place, TaskKind, WorkerKind};
use os::wait::WaitType;
use storage::*;

const ENGINES: u32 = 3;
const SESSIONS: u32 = 4;
const TRANSACTIONS: i64 = 150;
const ACCOUNTS: i64 = 5;
const FIRST_ACCOUNT: i64 = 1_000_000;
const TOTAL: i64 = ACCOUNTS * 1000;

/// What an account has that stays as it is, and is out of its row.
fn deeds() -> Option<Vec<u8>> {
    Some(vec![b'd'; 1500])
}

fn transfer(table: &Table, tx: &mut Transaction, rng: &mut Rng) -> StorageResult<()> {
    for change in [-7, 7] {
        tx.begin_statement();
        let id = FIRST_ACCOUNT + rng.next(ACCOUNTS as u64) as i64;
        let (locator, bytes) = newest(table, tx, id)?.expect("accounts stay");
        let balance = types::row::RowView::new(&table.layout().row, &bytes)?.datum(2).as_i64();
        table.update(tx, &locator, &image(table.layout(), id, &(None, balance + change, deeds())))?;
    }
    Ok(())
}

/// The first row of a session; it inserts as many as it has transactions.
fn first_row(engine: u32, session: u32) -> i64 {
    ((engine - 1) * SESSIONS + session) as i64 * TRANSACTIONS
}

fn session(storage: &Storage, engine: u32, session: u32) {
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut rng = Rng(u64::from(engine * 100 + session + 1));
    for number in 0..TRANSACTIONS {
        loop {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            tx.set_session(engine * 100 + session);
            let row = (value(&mut rng, 2000), number, value(&mut rng, 6000));
            let done = table
                .insert(&mut tx, &image(table.layout(), first_row(engine, session) + number, &row))
                .map(|_| ())
                .and_then(|()| transfer(&table, &mut tx, &mut rng));
            let ended =
                done.and_then(|()| tx.commit(if number % 3 == 0 { Durability::Full } else { Durability::Delayed }));
            match ended {
                Ok(()) => break,
                Err(error) if is_conflict(&error) => {}
                Err(error) => panic!("engine {engine}, session {session}: {error}"),
            }
            os::wait::yield_now();
        }
    }
}

/// What two transactions may do to each other: one of them begins again.
fn is_conflict(error: &StorageError) -> bool {
    matches!(
        error,
        StorageError::Deadlock
            | StorageError::WriteConflict { .. }
            | StorageError::NotRepeatable { .. }
            | StorageError::DependencyFailed
    )
}

fn engine(storage: &Storage, number: u32, workers: WorkerKind) -> i32 {
    let cpus = os::limits::usable_cpus();
    let cpu = cpus[number as usize % cpus.len()];
    let machine = os::sched::start(MachineConfig { cpus: vec![cpu], workers, ..MachineConfig::default() });
    let storage = storage.clone();
    machine.run(move || {
        let sessions: Vec<_> = (0..SESSIONS)
            .map(|at| {
                let storage = storage.clone();
                os::sched::spawn(TaskKind::Request, Place::Here, move || session(&storage, number, at))
            })
            .collect();
        sessions.into_iter().for_each(|session| session.join().expect("a session"));
    });
    0
}

fn check(storage: &Storage, what: &str) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let (mut found, by_index) = (read(storage, &mut tx, 1), read(storage, &mut tx, 2));
    assert!(found == by_index, "{what}: the indexes disagree");
    let accounts = found.split_off(&FIRST_ACCOUNT);
    assert_eq!(accounts.len() as i64, ACCOUNTS, "{what}");
    assert_eq!(accounts.values().map(|row| row.1).sum::<i64>(), TOTAL, "{what}: a transfer by half");
    assert!(accounts.values().all(|row| row.2 == deeds()), "{what}: a value that changed");
    assert_eq!(found.len() as i64, (ENGINES * SESSIONS) as i64 * TRANSACTIONS, "{what}: rows");
    assert!(found.iter().all(|(id, row)| id % TRANSACTIONS == row.1), "{what}: rows of their sessions");
    assert_eq!(storage.locks(), [], "{what}: nothing is locked");
    drop(tx);
    assert_eq!(storage.transactions(), [], "{what}: nobody is left");
}

fn open_accounts(storage: &Storage) {
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    for account in 0..ACCOUNTS {
        let row = image(table.layout(), FIRST_ACCOUNT + account, &(None, 1000, deeds()));
        table.insert(&mut tx, &row).expect("an account");
    }
    tx.commit(Durability::Full).expect("committed");
}

fn engines_share_an_instance(kind: Kind, workers: WorkerKind) {
    let home = Home::new(&format!("processes-{workers:?}"), kind);
    let storage = home.open_new();

    let mut engines = Engines::launch(ENGINES, 1, &|number| engine(&storage, number, workers));
    while let Some((number, end)) = engines.wait() {
        assert_eq!(end, End::Exited(0), "engine {number}");
    }
    check(&storage, "after the engines");
    let metrics = storage.metrics();
    let met = kind != Kind::Clustered || metrics.page_evictions > 0 && metrics.lock_waits > 0;
    assert!(met, "they met: {metrics:?}");
    storage.flush_log().expect("flushed");
    drop(storage);
    check(&home.open(Visibility::ThisProcess), "opened again");
}

/// What the launcher and its engines tell each other: one word each.
struct Board {
    words: Part<AtomicU64>,
}

impl Board {
    fn new() -> Board {
        let region = Region::reserve(1 << 16, Visibility::ForkedProcesses).expect("a page");
        Board { words: region.carve("board", 64).expect("a page") }
    }

    /// Rows that a session has acknowledged.
    fn rows(&self, engine: u32, session: u32) -> &AtomicU64 {
        &self.words[((engine - 1) * SESSIONS + session) as usize]
    }

    fn rows_of(&self, engine: u32) -> u64 {
        (0..SESSIONS).map(|session| self.rows(engine, session).load(Ordering::SeqCst)).sum()
    }

    /// The dead engine that an engine is to bury; 0: none, or it is done.
    fn order(&self, engine: u32) -> &AtomicU64 {
        &self.words[(ENGINES * SESSIONS + engine) as usize]
    }
}

/// Rows of a session in the second test.
const ROWS_MAX: i64 = 50_000;

fn row_of(engine: u32, session: u32, number: u64) -> i64 {
    ((engine - 1) * SESSIONS + session) as i64 * ROWS_MAX + number as i64
}

/// Under REPEATABLE READ they stay as they are until the transaction ends.
fn read_accounts(table: &Table, tx: &mut Transaction) -> StorageResult<()> {
    let mut spec = ScanSpec::all(IndexId(1), vec![]);
    spec.lower = KeyBound::Inclusive(common::key(FIRST_ACCOUNT));
    let mut scan = table.scan(tx, spec)?;
    while scan.next(tx)?.is_some() {}
    Ok(())
}

fn insert_for_ever(storage: &Storage, board: &Board, engine: u32, session: u32) -> StorageResult<()> {
    let table = storage.open_table(DB, TABLE)?;
    let mut rng = Rng(os::clock::now() | 1);
    // One of them locks what it reads.
    let isolation = if session == 0 { Isolation::RepeatableRead } else { Isolation::ReadCommitted };
    loop {
        let number = board.rows(engine, session).load(Ordering::SeqCst);
        let mut tx = storage.begin(isolation);
        tx.set_session(engine * 100 + session);
        let row = (value(&mut rng, 2000), (number % 1000) as i64, value(&mut rng, 3000));
        let image = image(table.layout(), row_of(engine, session, number), &row);
        let done = read_accounts(&table, &mut tx)
            .and_then(|()| table.insert(&mut tx, &image))
            .and_then(|_| transfer(&table, &mut tx, &mut rng));
        let ended = match done {
            Ok(()) if rng.next(8) == 0 => {
                tx.rollback()?;
                continue;
            }
            done => done.and_then(|()| tx.commit(Durability::Full)),
        };
        match ended {
            // A key that is there was committed in an earlier life that could not say so any more.
            Ok(()) | Err(StorageError::DuplicateKey { .. }) => {}
            Err(error) if is_conflict(&error) => {
                os::wait::yield_now();
                continue;
            }
            Err(error) => return Err(error),
        }
        board.rows(engine, session).store(number + 1, Ordering::SeqCst);
    }
}

/// An engine ends by itself after so long: what should have killed it has not.
const LIFE_MS: u64 = 60_000;
const LIVED_TOO_LONG: i32 = 3;

fn mortal_engine(storage: &Storage, board: &Arc<Board>, number: u32) -> i32 {
    let cpus = os::limits::usable_cpus();
    let cpu = cpus[number as usize % cpus.len()];
    let machine = os::sched::start(MachineConfig { cpus: vec![cpu], ..MachineConfig::default() });
    let (storage, board) = (storage.clone(), board.clone());
    machine.run(move || {
        for at in 0..SESSIONS {
            let (storage, board) = (storage.clone(), board.clone());
            os::sched::spawn(TaskKind::Request, Place::Here, move || insert_for_ever(&storage, &board, number, at));
        }
        if number == 1 {
            let storage = storage.clone();
            os::sched::spawn(TaskKind::Checkpoint, Place::Here, move || {
                // Most of the time there is none: a death in one is the hard case.
                loop {
                    os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, 50);
                    if storage.checkpoint().is_err() {
                        break;
                    }
                }
            });
        }
        let deadline = os::clock::after_ms(LIFE_MS);
        while os::clock::now() < deadline {
            let dead = board.order(number).load(Ordering::SeqCst);
            if dead != 0 {
                storage.bury(dead as u32, || ()).expect("a burial");
                board.order(number).store(0, Ordering::SeqCst);
            }
            os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, 1);
        }
        LIVED_TOO_LONG
    })
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = os::clock::after_ms(20_000);
    while !done() {
        assert!(os::clock::now() < deadline, "{what}");
        os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, 1);
    }
}

fn check_acknowledged(storage: &Storage, board: &Board) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let (mut found, by_index) = (read(storage, &mut tx, 1), read(storage, &mut tx, 2));
    assert!(found == by_index, "the indexes disagree");
    let accounts = found.split_off(&FIRST_ACCOUNT);
    assert_eq!(accounts.values().map(|row| row.1).sum::<i64>(), TOTAL, "a transfer by half");
    for engine in 1..=ENGINES {
        for session in 0..SESSIONS {
            let (first, told) = (row_of(engine, session, 0), board.rows(engine, session).load(Ordering::SeqCst) as i64);
            let rows: Vec<i64> = found.range(first..first + ROWS_MAX).map(|(id, _)| id - first).collect();
            let complete = rows.iter().copied().eq(0..rows.len() as i64);
            assert!(complete, "engine {engine}, session {session}: a row is missing of {}", rows.len());
            let last = rows.len() as i64;
            assert!(last == told || last == told + 1, "engine {engine}, session {session}: {last} rows, {told} told");
        }
    }
}

/// Where a test keeps its instance; removed at the end.
struct Home {
    directory: std::path::PathBuf,
    kind: Kind,
}

impl Home {
    fn new(name: &str, kind: Kind) -> Home {
        let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{kind:?}"));
        let _ = os::fs::remove_dir_all(&directory);
        os::fs::create_dir_all(&directory).expect("a directory");
        Home { directory, kind }
    }

    fn open(&self, visibility: Visibility) -> Storage {
        let disk = Disk::directory(&self.directory).expect("a disk");
        Storage::open(StorageConfig { visibility, ..small(disk) }).expect("an instance")
    }

    /// With the table and the accounts.
    fn open_new(&self) -> Storage {
        let storage = self.open(Visibility::ForkedProcesses);
        create(&storage, self.kind);
        open_accounts(&storage);
        storage
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        os::fs::remove_dir_all(&self.directory).ok();
    }
}

/// An engine died outside of critical sections: another one ends what it left, and the others go on.
fn bury(storage: &Storage, board: &Board, dead: u32) {
    os::launcher::bury(dead);
    let survivor = dead % ENGINES + 1;
    let before = board.rows_of(survivor);
    board.order(survivor).store(dead as u64, Ordering::SeqCst);
    until("the dead engine is buried", || board.order(survivor).load(Ordering::SeqCst) == 0);
    let left = storage.transactions().into_iter().filter(|tx| tx.session / 100 == dead).count()
        + storage.locks().into_iter().filter(|lock| lock.session / 100 == dead).count();
    assert_eq!(left, 0, "nothing of engine {dead} is left");
    until("the others go on", || board.rows_of(survivor) > before);
}

/// All engines die at once; the instance recovers.
fn start_again(home: &Home, storage: Storage, mut engines: Engines, board: &Board) -> Storage {
    engines.signal(9);
    while let Some((_, end)) = engines.wait() {
        assert_eq!(end, End::Killed(9));
    }
    (1..=ENGINES).for_each(os::launcher::forget);
    (1..=ENGINES).for_each(|engine| board.order(engine).store(0, Ordering::SeqCst));
    drop(engines);
    drop(storage);
    let started = os::clock::now();
    let storage = home.open(Visibility::ForkedProcesses);
    let ms = (os::clock::now() - started) / 1_000_000;
    assert!(ms < 10_000, "recovery took {ms} ms");
    check_acknowledged(&storage, board);
    storage
}

fn engines_are_killed(kind: Kind, kills: u32) {
    let home = Home::new("processes-killed", kind);
    let mut storage = home.open_new();
    let board = Arc::new(Board::new());
    let mut rng = Rng(os::clock::now() | 1);
    let (mut soft, mut hard) = (0, 0);
    while soft + hard < kills {
        let run = |number| mortal_engine(&storage, &board, number);
        let mut engines = Engines::launch(ENGINES, 1, &run);
        while soft + hard < kills {
            os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, 5 + rng.next(60));
            let victim = 1 + rng.next(ENGINES as u64) as u32;
            engines.kill(victim);
            assert_eq!(engines.wait(), Some((victim, End::Killed(9))));
            if os::engines::died_inside(victim) {
                hard += 1;
                break;
            }
            soft += 1;
            bury(&storage, &board, victim);
            engines.replace(victim, &run);
        }
        storage = start_again(&home, storage, engines, &board);
    }
    println!("{soft} engines died alone, {hard} took the others with them");
    assert!(kills < 10 || soft > 0 && hard > 0, "both ways of dying are met");
}

/// A mark, and whether it lies in a critical section. None: it does not, but others of its engine nearly always are in one then.
type Mark = (&'static str, Option<bool>);

/// Each mark that an engine of this test passes.
const MARKS: [Mark; 16] = [
    ("row.version", Some(true)),
    ("row.locked", Some(true)),
    ("lock.waited", Some(false)),
    ("tree.split", Some(false)),
    ("undo.record", Some(false)),
    ("commit.logged", Some(false)),
    ("commit.hardened", Some(false)),
    ("commit.visible", Some(false)),
    ("waiters.tell", Some(true)),
    ("log.flush", Some(true)),
    ("log.zeroed", Some(true)),
    ("log.read", Some(false)),
    ("buffer.batch", Some(true)),
    ("checkpoint.control", Some(true)),
    ("checkpoint.truncate", Some(true)),
    ("burial.undo", Some(false)),
];

/// The same for memory-optimized tables.
const MARKS_IN_MEMORY: [Mark; 11] = [
    ("xtp.insert", Some(false)),
    ("xtp.end", Some(false)),
    // A conflict with a transaction that waits for its log flush.
    ("xtp.undo", None),
    ("xtp.validate", Some(false)),
    ("commit.logged", Some(false)),
    ("commit.hardened", Some(false)),
    ("xtp.settle", Some(false)),
    ("xtp.unlink", Some(true)),
    ("xtp.node.split", Some(true)),
    ("xtp.checkpoint.block", Some(true)),
    ("xtp.checkpoint.manifest", Some(true)),
];

/// Outside of critical sections a death is the hard case only if another session of the engine was inside: seldom so many times in
/// a row.
const TRIES: u32 = 20;

fn an_engine_dies_at_each_mark(kind: Kind, marks: &[Mark]) {
    let home = Home::new("processes-marks", kind);
    let mut storage = home.open_new();
    let board = Arc::new(Board::new());
    for &(mark, is_inside) in marks {
        let mut died_alone = false;
        for nth in 1..=if is_inside == Some(false) { TRIES } else { 2 } {
            let engines;
            (engines, died_alone) = first_dies_at(mark, nth, &storage, &board);
            storage = start_again(&home, storage, engines, &board);
            assert!(!(is_inside == Some(true) && died_alone), "{mark} lies in a critical section");
            if died_alone {
                break;
            }
        }
        assert!(is_inside != Some(false) || died_alone, "{mark} lies outside of critical sections");
    }
}

/// Runs engines until the first one dies at the mark; whether it died outside of critical sections. Then it is buried.
fn first_dies_at(mark: &str, nth: u32, storage: &Storage, board: &Arc<Board>) -> (Engines, bool) {
    let in_burial = mark == "burial.undo";
    let run = |number| {
        match number {
            1 if in_burial => os::sim::die_at(mark, 1),
            1 => os::sim::die_at(mark, nth),
            // With a transaction that the first one has to roll back.
            2 if in_burial => os::sim::die_at("undo.record", nth),
            _ => {}
        }
        mortal_engine(storage, board, number)
    };
    let mut engines = Engines::launch(ENGINES, 1, &run);
    if in_burial {
        assert_eq!(engines.wait(), Some((2, End::Killed(9))));
        if os::engines::died_inside(2) {
            return (engines, false);
        }
        os::launcher::bury(2);
        board.order(1).store(2, Ordering::SeqCst);
    }
    assert_eq!(engines.wait(), Some((1, End::Killed(9))), "{mark}");
    let alone = !os::engines::died_inside(1);
    // Two deaths at a time are the hard case, whatever they were in.
    if alone && !in_burial {
        bury(storage, board, 1);
    }
    (engines, alone)
}

const OTHER: TableId = TableId(TABLE.0 + 1);

fn make_other(storage: &Storage, tx: &mut Transaction) {
    storage.create_table(tx, DB, OTHER, &layout(Kind::Hash)).expect("a table");
    let table = storage.open_table(DB, OTHER).expect("the table");
    for id in 0..2_000 {
        table
            .insert(tx, &image(table.layout(), id, &(None, id, (id % 100 == 0).then(|| vec![1; 3000]))))
            .expect("a row");
    }
}

/// Two engines: the first one does what it dies of, outside of critical sections, and the second goes on with `then`, to its end.
fn one_outlives_another(
    storage: &Storage,
    dies: impl Fn(&Storage) + Copy + Send + 'static,
    then: impl Fn(&Storage) + Copy + Send + 'static,
) {
    let board = Arc::new(Board::new());
    let run = |number| {
        let (storage, board) = (storage.clone(), board.clone());
        os::sched::start(MachineConfig::default()).run(move || {
            if number == 1 {
                dies(&storage);
            }
            until("the order to go on", || board.order(2).load(Ordering::SeqCst) == 1);
            then(&storage);
            0
        })
    };
    let mut engines = Engines::launch(2, 1, &run);
    assert_eq!(engines.wait(), Some((1, End::Killed(9))));
    assert!(!os::engines::died_inside(1), "outside of critical sections");
    os::launcher::bury(1);
    board.order(2).store(1, Ordering::SeqCst);
    assert_eq!(engines.wait(), Some((2, End::Exited(0))));
}

fn bury_and_collect(storage: &Storage) {
    storage.bury(1, || ()).expect("a burial");
    (0..2).for_each(|_| storage.collect_versions());
}

/// Before the commit of one that it makes, or between the commit of one that it drops and saying that the object goes.
fn dies_while_it_defines(storage: &Storage, drops: bool) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    match drops {
        true => storage.drop_table(&mut tx, DB, OTHER).expect("dropped"),
        false => make_other(storage, &mut tx),
    }
    os::sim::die_at(if drops { "commit.visible" } else { "xtp.validate" }, 1);
    tx.commit(Durability::Full).expect("it does not live so long");
}

/// What an engine has made or dropped of memory-optimized tables goes, wherever in it the engine dies.
fn a_dead_engine_leaves_no_objects(drops: bool) {
    let home = Home::new("processes-objects", Kind::Hash);
    let storage = home.open_new();
    let before = storage.memory_optimized_bytes();
    let counted = storage.memory_pools().database_bytes(DB);
    if drops {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        make_other(&storage, &mut tx);
        tx.commit(Durability::Full).expect("committed");
    }
    one_outlives_another(&storage, move |storage| dies_while_it_defines(storage, drops), bury_and_collect);
    let left = storage.memory_optimized_bytes();
    assert!(left <= before + 4_096, "{before} bytes, then {left}");
    let still_counted = storage.memory_pools().database_bytes(DB);
    assert_eq!(still_counted, counted, "bytes that the database's pool knows of");
}

/// A row whose transaction has its commit time but not its commit record may yet go with its engine: until that is known, nobody is
/// told that its key is taken.
fn a_key_of_a_dead_engines_commit_is_not_taken() {
    const KEY: i64 = 77;
    let home = Home::new("processes-rival", Kind::Hash);
    let storage = home.open_new();
    let insert = |storage: &Storage| {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let table = storage.open_table(DB, TABLE).expect("the table");
        table.insert(&mut tx, &image(table.layout(), KEY, &(None, 1, None)))?;
        tx.commit(Durability::Full)
    };
    let dies = move |storage: &Storage| {
        os::sim::die_at("xtp.validate", 1);
        insert(storage).expect("it does not live so long");
    };
    one_outlives_another(&storage, dies, move |storage| {
        let burier = storage.clone();
        os::sched::spawn(TaskKind::Request, Place::LeastLoaded, move || {
            // Time enough for a wrong answer.
            os::wait::sleep(WaitType::WAITFOR, 200);
            burier.bury(1, || ()).expect("a burial");
        });
        assert!(matches!(insert(storage), Err(StorageError::DependencyFailed)), "it has waited for the burial");
        insert(storage).expect("nobody has the key");
    });
}

/// A transaction tells of the versions it inserts in steps: what a dead engine's has not told yet, its burial counts.
fn versions_of_a_dead_engine_are_counted_once() {
    let home = Home::new("processes-counts", Kind::Hash);
    let storage = home.open_new();
    let insert = |storage: &Storage, ids: std::ops::Range<i64>| {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let table = storage.open_table(DB, TABLE).expect("the table");
        for id in ids {
            table.insert(&mut tx, &image(table.layout(), id, &(None, id, None))).expect("a row");
        }
        tx.commit(Durability::Full).expect("committed");
    };
    insert(&storage, 1_000..2_000);
    let versions = || storage.open_table(DB, TABLE).expect("the table").row_count_estimate();
    let before = versions();
    let dies = move |storage: &Storage| {
        os::sim::die_at("xtp.validate", 1);
        // More than one step, and less than another.
        insert(storage, 2_000..2_250);
    };
    one_outlives_another(&storage, dies, bury_and_collect);
    assert_eq!(versions(), before);
}

fn main() {
    let mut passed = 0;
    let mut test = |name: &str, run: &dyn Fn()| {
        run();
        println!("test {name} ... ok");
        passed += 1;
    };
    let kills = os::env::var("HEDDLE_KILLS").and_then(|kills| kills.parse().ok()).unwrap_or(20);
    let kinds = [(Kind::Clustered, "", &MARKS[..]), (Kind::Hash, "_in_memory", &MARKS_IN_MEMORY[..])];
    for (kind, what, marks) in kinds {
        let fibers = &|| engines_share_an_instance(kind, WorkerKind::Fiber);
        test(&format!("engines_with_fibers_share_an_instance{what}"), fibers);
        let threads = &|| engines_share_an_instance(kind, WorkerKind::Thread);
        test(&format!("engines_with_threads_share_an_instance{what}"), threads);
        test(&format!("acknowledged_rows{what}_outlive_killed_engines"), &|| engines_are_killed(kind, kills));
        test(&format!("an_engine_dies_at_each_mark{what}"), &|| an_engine_dies_at_each_mark(kind, marks));
    }
    test("a_dropped_table_outlives_no_dead_engine", &|| a_dead_engine_leaves_no_objects(true));
    test("an_unfinished_table_outlives_no_dead_engine", &|| a_dead_engine_leaves_no_objects(false));
    test("a_key_of_a_dead_engines_commit_is_not_taken", &a_key_of_a_dead_engines_commit_is_not_taken);
    test("versions_of_a_dead_engine_are_counted_once", &versions_of_a_dead_engine_are_counted_once);
    println!("\ntest result: ok. {passed} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
}
