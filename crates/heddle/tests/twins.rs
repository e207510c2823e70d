//! Tables on pages and memory-optimized tables are twins: the same statements, made at random from a printed seed, give the same
//! rows, counts and errors in a database of each kind, and all indexes of a table agree; also after a kill.
//!
//! `HEDDLE_OPERATIONS=1000000 HEDDLE_SEED=7 cargo test -p heddle --test twins` looks for longer, elsewhere.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fmt::Write as _;
use std::time::Instant;

use lab::client::{Answer, Connection};
use support::{Server, scratch};

/// Statements of a batch.
const BATCH: usize = 200;
/// The tables are compared as a whole after so many batches.
const COMPARED_EVERY: usize = 8;
/// A request that takes longer has failed.
const REQUEST_MAX_NS: u64 = 120_000_000_000;
/// Keys are of 0..KEYS, so that many meet.
const KEYS: usize = 160;

const DUPLICATES: [i32; 2] = [2601, 2627];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// `{hash}` and what else differs between the twins stands in braces: in memory, on pages.
const TABLES: &str = "CREATE TABLE dbo.t (
    id int NOT NULL CONSTRAINT pk_t PRIMARY KEY NONCLUSTERED {HASH WITH (BUCKET_COUNT = 64)|},
    a int NULL,
    b bigint NOT NULL,
    s varchar(12) COLLATE Latin1_General_CI_AS NULL,
    u nvarchar(12) COLLATE Latin1_General_BIN2 NOT NULL,
    d decimal(9, 2) NULL,
    m varchar(max) NULL,
    v varchar(6000) NULL,
    w varchar(4000) NULL,
    CONSTRAINT uq_u UNIQUE NONCLUSTERED (u),
    CONSTRAINT uq_sb UNIQUE NONCLUSTERED {HASH |}(s, b) {WITH (BUCKET_COUNT = 16)|},
    INDEX by_a NONCLUSTERED (a DESC, id),
    INDEX by_s NONCLUSTERED {HASH |}(s) {WITH (BUCKET_COUNT = 8)|},
    INDEX by_d NONCLUSTERED (d)
) {WITH (MEMORY_OPTIMIZED = ON)|};
CREATE TABLE dbo.o (
    k int NOT NULL, n int NOT NULL, s char(4) COLLATE Latin1_General_CS_AI NULL,
    CONSTRAINT pk_o PRIMARY KEY NONCLUSTERED {HASH |}(k, n) {WITH (BUCKET_COUNT = 32)|},
    INDEX by_n NONCLUSTERED (n, k)
) {WITH (MEMORY_OPTIMIZED = ON)|};";

const INDEXES_OF_T: [&str; 6] = ["pk_t", "uq_u", "uq_sb", "by_a", "by_s", "by_d"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Memory,
    Pages,
}

impl Kind {
    fn database(self) -> &'static str {
        match self {
            Kind::Memory => "memory",
            Kind::Pages => "pages",
        }
    }

    fn tables(self) -> String {
        let mut text = String::new();
        for (at, part) in TABLES.split(['{', '}']).enumerate() {
            text.push_str(match (part.split_once('|'), self) {
                (Some((memory, _)), Kind::Memory) if at % 2 == 1 => memory,
                (Some((_, pages)), Kind::Pages) if at % 2 == 1 => pages,
                _ => part,
            });
        }
        text
    }
}

fn key(random: &mut Random) -> usize {
    random.below(KEYS)
}

fn range(random: &mut Random) -> String {
    let from = key(random);
    format!("BETWEEN {from} AND {}", from + random.below(8))
}

fn number(random: &mut Random) -> String {
    match random.below(12) {
        0 => "NULL".into(),
        1 => "2147483647".into(),
        2 => "-2147483648".into(),
        _ => (random.below(40) as i64 - 20).to_string(),
    }
}

/// Equal to others in one collation and not in another.
fn text(random: &mut Random) -> &'static str {
    random.pick(&[
        "'ab'", "'AB'", "'Ab '", "'áb'", "'b'", "'B'", "'abc'", "''", "' '", "NULL", "'zz'", "'Zz'", "'\u{df}'", "'ss'",
    ])
}

fn unique_text(random: &mut Random) -> String {
    match random.below(40) {
        0 => "NULL".into(),
        1 => "N'longer than it may be'".into(),
        _ => format!("N'{}{}'", random.pick(&["k", "K", "\u{e4}"]), random.below(KEYS)),
    }
}

fn decimal(random: &mut Random) -> String {
    match random.below(10) {
        0 => "NULL".into(),
        1 => "12345678.9".into(),
        _ => format!("{}.{}", random.below(20), random.below(100)),
    }
}

/// Some of it out of the row, some just not.
fn long_text(random: &mut Random) -> String {
    match random.below(12) {
        0 => format!("REPLICATE(CAST('x' AS varchar(max)), {})", 9_000 * random.below(3)),
        1 => format!("REPLICATE('{}', {})", random.pick(&["y", "z"]), 990 + random.below(20)),
        2..4 => "NULL".into(),
        _ => format!("'{}'", "m".repeat(random.below(30))),
    }
}

fn wide_text(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("REPLICATE('{}', {})", random.pick(&["w", "v"]), 800 * random.below(6)),
        _ => "NULL".into(),
    }
}

fn big(random: &mut Random) -> String {
    if random.one_in(30) { "9223372036854775807".into() } else { random.below(500).to_string() }
}

fn row(random: &mut Random) -> String {
    format!(
        "({}, {}, {}, {}, {}, {}, {}, {}, {})",
        key(random),
        number(random),
        big(random),
        text(random),
        unique_text(random),
        decimal(random),
        long_text(random),
        wide_text(random),
        wide_text(random)
    )
}

fn predicate(random: &mut Random) -> String {
    match random.below(14) {
        0..4 => format!("id = {}", key(random)),
        4 => format!("id {}", range(random)),
        5 => format!("a = {}", number(random)),
        6 => format!("a > {} AND a <= {}", random.below(20) as i64 - 20, random.below(20)),
        7 => format!("s = {}", text(random)),
        8 => format!("u = {}", unique_text(random)),
        9 => format!("u LIKE N'{}1%'", random.pick(&["k", "K", "[kK]"])),
        10 => format!("s = {} AND b = {}", text(random), random.below(500)),
        11 => format!("{} IS NULL", random.pick(&["a", "s", "d"])),
        12 => format!("d >= {} AND d < {}", random.below(20), random.below(30)),
        _ => format!("id IN ({}, {}, {})", key(random), key(random), key(random)),
    }
}

fn change(random: &mut Random) -> String {
    match random.below(21) {
        0..2 => "b = b + 1".into(),
        2 => format!("a = {}", number(random)),
        3 => "a = a + 1".into(),
        4 => format!("s = {}", text(random)),
        5 => format!("u = {}", unique_text(random)),
        6 => format!("d = {}", decimal(random)),
        7 => format!("m = {}", long_text(random)),
        8 => format!("id = {}", key(random)),
        9 => "id = id + 1".into(),
        10 => "b = b * 1000000007".into(),
        11 => "d = d * 3, s = s + 'x'".into(),
        12 => "u = u + N'x', a = NULL".into(),
        13 => format!("b = {} / (id % 5)", random.below(90)),
        14 => format!("id = {} - id", KEYS),
        15 => "m = LEFT(m + REPLICATE('n', 600), 2500)".into(),
        16 => format!("v = {}, a = 1", wide_text(random)),
        17 => "v = w, w = LEFT(v, 4000)".into(),
        18 => "m.WRITE('M', 3, 2)".into(),
        // Another value of the same length.
        19 => format!("m = {0}(m), v = {0}(v)", random.pick(&["UPPER", "LOWER"])),
        _ => format!("a = b % 7, b = b + {}", random.below(3)),
    }
}

/// None of them can fail: how many rows come before the row that fails is nobody's promise.
fn columns(random: &mut Random) -> &'static str {
    random.pick(&[
        "*",
        "id",
        "id, a, b",
        "id, s, u",
        "u, d, id",
        "id, LEN(m) AS length, m",
        "id, v, w",
        "id, CAST(a AS bigint) + 1 AS next, UPPER(s) AS s",
    ])
}

fn select(random: &mut Random) -> String {
    let wanted = predicate(random);
    match random.below(15) {
        0..4 => format!("SELECT {} FROM dbo.t WHERE {wanted} ORDER BY id", columns(random)),
        4 => {
            let order = random.pick(&["a DESC, id", "b, id DESC", "d, id", "u", "s, id", "a, d DESC, id"]);
            format!("SELECT TOP ({}) id, {} FROM dbo.t WHERE {wanted} ORDER BY {order}", random.below(6), "a, b, d, u")
        }
        5 => {
            let index = INDEXES_OF_T[random.below(INDEXES_OF_T.len())];
            format!("SELECT {} FROM dbo.t WITH (INDEX({index})) WHERE {wanted} ORDER BY id", columns(random))
        }
        6 => format!(
            "SELECT COUNT(*), COUNT(a), SUM(CAST(a AS bigint)), MIN(b), MAX(d), AVG(d), MIN(u), MAX(u) FROM dbo.t WHERE {wanted}"
        ),
        7 => {
            "SELECT COUNT(*) AS n, SUM(CAST(a AS bigint)) AS a, MIN(id) AS first FROM dbo.t GROUP BY s ORDER BY MIN(id)"
                .into()
        }
        8 => format!("SELECT a, COUNT(*) AS n FROM dbo.t WHERE {wanted} GROUP BY a HAVING COUNT(*) > 1 ORDER BY a"),
        9 => {
            let kind = random.pick(&["JOIN", "LEFT JOIN", "RIGHT JOIN"]);
            format!(
                "SELECT TOP (20) t.id, o.k, o.n, o.s FROM dbo.t {kind} dbo.o ON o.k = t.id AND t.{wanted} ORDER BY t.id, o.k, o.n"
            )
        }
        10 => format!(
            "SELECT t.id, x.id AS other FROM dbo.t JOIN dbo.t x ON x.a = t.a WHERE t.{wanted} AND x.id < 40 ORDER BY t.id, x.id"
        ),
        11 => format!(
            "SELECT id FROM dbo.t WHERE EXISTS (SELECT * FROM dbo.o WHERE o.n = t.id % 7 AND o.k = {}) ORDER BY id",
            key(random)
        ),
        12 => format!("SELECT k, n FROM dbo.o WHERE n {} ORDER BY n, k", range(random)),
        13 => format!("SELECT k, n, s FROM dbo.o WHERE s = {} ORDER BY k, n", text(random)),
        _ => format!(
            "SELECT TOP (5) id, ROW_NUMBER() OVER (ORDER BY b DESC, id) AS place FROM dbo.t WHERE {wanted} ORDER BY place"
        ),
    }
}

fn statement(random: &mut Random) -> String {
    match random.below(32) {
        0..6 => format!("INSERT dbo.t VALUES {}", row(random)),
        6 => format!("INSERT dbo.t VALUES {}, {}, {}", row(random), row(random), row(random)),
        7 => format!(
            "INSERT dbo.t (id, a, b, s, u) SELECT id + {}, a, b + 1, s, u + N'{}' FROM dbo.t WHERE {}",
            random.below(5),
            random.below(3),
            predicate(random)
        ),
        8..10 => format!("INSERT dbo.o VALUES ({}, {}, {})", key(random), random.below(9), text(random)),
        10..16 => format!("UPDATE dbo.t SET {} WHERE {}", change(random), predicate(random)),
        16 => format!(
            "UPDATE t SET a = o.n FROM dbo.t JOIN dbo.o ON o.k = t.id AND o.n = {} WHERE t.{}",
            random.below(9),
            predicate(random)
        ),
        17 => format!("UPDATE dbo.o SET n = n + {} WHERE k {}", random.below(2), range(random)),
        18..20 => format!("DELETE dbo.t WHERE {}", predicate(random)),
        20 => format!("DELETE dbo.o WHERE k {}", range(random)),
        21 => format!(
            "DELETE t FROM dbo.t JOIN dbo.o ON o.k = t.id WHERE o.n = {} AND t.{}",
            random.below(9),
            predicate(random)
        ),
        22 => format!("UPDATE dbo.t SET b = b + 1 OUTPUT deleted.b, inserted.b, inserted.u WHERE id = {}", key(random)),
        _ => select(random),
    }
}

/// Statements, some of them in transactions that end in either way; each in a line of its own.
fn batch(random: &mut Random) -> String {
    let mut batch = String::new();
    let mut open = false;
    for _ in 0..BATCH {
        let line = match (open, random.below(24)) {
            (false, 0) => "BEGIN TRAN; SAVE TRAN here".into(),
            (true, 0) => "COMMIT".into(),
            (true, 1) => "ROLLBACK".into(),
            (true, 2) => "SAVE TRAN here".into(),
            (true, 3) => "ROLLBACK TRAN here".into(),
            _ => statement(random),
        };
        let of_transaction = open && ["COMMIT", "ROLLBACK", "here"].iter().any(|end| line.ends_with(end));
        open = match &line[..] {
            "BEGIN TRAN; SAVE TRAN here" => true,
            "COMMIT" | "ROLLBACK" => false,
            _ => open,
        };
        // An error may have ended the transaction.
        let guard = if of_transaction { "IF @@TRANCOUNT > 0 " } else { "" };
        let _ = writeln!(batch, "{guard}{line};");
    }
    batch + "IF @@TRANCOUNT > 0 COMMIT"
}

struct Twins {
    memory: Connection,
    pages: Connection,
}

impl Twins {
    fn of(server: &Server) -> Twins {
        let open = |kind: Kind| {
            let target = support::target(server.port, kind.database());
            Connection::open(&target, Some(os::clock::now() + REQUEST_MAX_NS)).expect("a session")
        };
        Twins { memory: open(Kind::Memory), pages: open(Kind::Pages) }
    }

    /// What a batch says in both, line by line, after it has been found the same.
    fn run(&mut self, sql: &str, what: &str) -> Vec<String> {
        let run = |connection: &mut Connection| {
            tell(&connection.query(sql, Some(os::clock::now() + REQUEST_MAX_NS)).expect("an answer"))
        };
        let (memory, pages) = (run(&mut self.memory), run(&mut self.pages));
        if memory != pages {
            let at = memory.iter().zip(&pages).position(|(one, other)| one != other);
            let at = at.unwrap_or(memory.len().min(pages.len()));
            let end = "nothing more".to_owned();
            let (one, other) = (memory.get(at).unwrap_or(&end), pages.get(at).unwrap_or(&end));
            panic!(
                "{what}: in memory\n  {one}\non pages\n  {other}\nafter {:?}\n{sql}",
                &memory[at.saturating_sub(3)..at]
            );
        }
        memory
    }

    /// All rows, and what each index of its own finds.
    fn compare(&mut self, what: &str) {
        let mut sql = "SELECT * FROM dbo.t ORDER BY id; SELECT * FROM dbo.o ORDER BY k, n;".to_owned();
        let figures = "COUNT(*), SUM(CAST(id AS bigint)), SUM(b % 1000003), CHECKSUM_AGG(CHECKSUM(id, a, b, u, d))";
        for index in INDEXES_OF_T {
            let _ = write!(sql, "SELECT {figures} FROM dbo.t WITH (INDEX({index}));");
        }
        let told = self.run(&sql, what);
        let rows: Vec<&String> = told.iter().filter(|line| line.starts_with('[')).collect();
        let by_index = &rows[rows.len() - INDEXES_OF_T.len()..];
        assert!(by_index.iter().all(|figures| *figures == by_index[0]), "{what}: indexes differ: {by_index:?}");
    }
}

/// Rows, then counts, then messages.
fn tell(answer: &Answer) -> Vec<String> {
    let rows = answer.sets.iter().enumerate().flat_map(|(number, set)| {
        let head = format!("result set {number}: {} rows", set.rows.len());
        std::iter::once(head).chain(set.rows.iter().map(|row| format!("{row:?}")))
    });
    let messages = answer.messages.iter().map(|message| {
        // Which of several rows is found to be wrong first is nobody's promise.
        let text = if DUPLICATES.contains(&message.number) { "" } else { &message.text };
        let text = text.replace("memory.dbo", "pages.dbo");
        format!("line {}: {} {} {text}", message.line, message.number, message.severity)
    });
    let ends = [format!("counts {:?}", answer.counts)];
    messages.chain(ends).chain(rows).collect()
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn tables_in_memory_and_on_pages_do_the_same() {
    let (seed, operations) = (setting("HEDDLE_SEED", 1), setting("HEDDLE_OPERATIONS", 20_000) as usize);
    println!("HEDDLE_SEED={seed}");
    let data = scratch("twins");
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &["--memory", "512MB"]);
    for kind in [Kind::Memory, Kind::Pages] {
        let name = kind.database();
        let made = server.sql(&[
            "-b",
            "-Q",
            &format!(
                "CREATE DATABASE {name}; ALTER DATABASE {name} SET DELAYED_DURABILITY = FORCED, MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT ON"
            ),
        ]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
        let made = server.sql(&["-b", "-d", name, "-Q", &kind.tables()]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    }
    let mut random = Random(seed);
    let mut twins = Twins::of(&server);
    let started = Instant::now();
    let (mut errors, mut rows) = (0, 0);
    for number in 0..operations.div_ceil(BATCH) {
        let what = format!("seed {seed}, batch {number}");
        let told = twins.run(&batch(&mut random), &what);
        errors += told.iter().filter(|line| line.starts_with("line ")).count();
        rows += told.iter().filter(|line| line.starts_with('[')).count();
        if number % COMPARED_EVERY == 0 {
            twins.compare(&what);
        }
    }
    println!("{operations} operations in {:?}: {rows} rows, {errors} errors", started.elapsed());
    assert!(errors > operations / 100 && rows > operations / 4, "{errors} errors and {rows} rows of {operations}");
    twins.run("EXEC sys.sp_flush_log", "at the end");
    server.kill();
    let server = Server::start_on(data, &["--memory", "512MB"]);
    Twins::of(&server).compare(&format!("seed {seed}, after the kill"));
    assert_eq!(server.stop().0, Some(0));
}
