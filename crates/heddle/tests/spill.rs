//! What sorts, hash tables and spools have no memory for goes to work files: the answers are those of enough memory, and nothing is left.
//!
//! `SEEDS=50 cargo test -p heddle --test spill` draws more tables and queries; `SEED=4711` that one.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use lab::client::{Answer, Connection};
use support::ask::{ask, must};
use support::random::{Random, number};
use support::{Server, target};
use types::Datum;

const SEEDS: u64 = 3;

/// Rows of the larger table.
const ROWS: usize = 4_000;

/// Blocks that statements have in work files now, in pages of tempdb.
const RESERVED: &str =
    "EXEC tempdb.sys.sp_executesql N'SELECT SUM(internal_object_reserved_page_count) FROM sys.dm_db_file_space_usage'";

fn open(server: &Server) -> Connection {
    let mut connection =
        Connection::open(&target(server.port, "master"), Some(os::clock::after_ms(10_000))).expect("a session");
    must(&mut connection, "SET NOCOUNT ON");
    connection
}

fn one(answer: &Answer) -> i64 {
    match &answer.sets[0].rows[0][0] {
        Datum::I64(value) => *value,
        other => panic!("a number: {other:?}"),
    }
}

/// What a text is drawn from: few, so that many are equal, some of them only by their collation.
const WORDS: [&str; 8] = ["", "a", "A", "a ", "zebra", "Zebra", "Ähre", "ähre"];

fn value(random: &mut Random, column: usize, id: usize) -> String {
    if column > 0 && random.below(7) == 0 {
        return "NULL".into();
    }
    match column {
        0 => id.to_string(),
        1 => (random.below(40) as i64 - 20).to_string(),
        2 => (random.below(1 << 20) as i64 * 1_000_003 - (1 << 38)).to_string(),
        3 => format!("{}.{:02}", random.below(100), random.below(4) * 25),
        4 => format!("{}e{}", random.below(9) as i64 - 4, random.below(5) as i64 - 2),
        5 => format!("N'{}'", random.pick(&WORDS)),
        6 => format!("'{}{}'", random.pick(&WORDS[..4]), random.below(3)),
        7 => format!("DATEADD(second, {}, '20240101')", random.below(90_000)),
        8 => format!("0x{:04x}", random.below(300)),
        // Some are much longer than a piece of a work file, some longer than a block.
        9 => match random.below(200) {
            0 => format!(
                "REPLICATE(CAST('{}' AS varchar(max)), {})",
                random.pick(&["x", "yz"]),
                30_000 + random.below(60_000)
            ),
            1..20 => format!("REPLICATE('{}', {})", random.pick(&["q", "r"]), random.below(900)),
            _ => format!("'{}'", random.below(30)),
        },
        10 => format!(
            "CAST('0000000{}-0000-0000-0000-00000000000{}' AS uniqueidentifier)",
            random.below(9),
            random.below(9)
        ),
        _ => unreachable!("there are eleven columns"),
    }
}

const COLUMNS: [&str; 11] = ["id", "i", "b", "d", "f", "u", "s", "m", "v", "t", "g"];

const TYPES: &str = "id int NOT NULL, i int, b bigint, d decimal(9,2), f float, u nvarchar(20) COLLATE Latin1_General_CI_AS, \
     s varchar(20) COLLATE Latin1_General_BIN2, m datetime2(3), v varbinary(8), t varchar(max), g uniqueidentifier";

fn make_table(connection: &mut Connection, random: &mut Random, name: &str, rows: usize) {
    must(connection, &format!("DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({TYPES})"));
    let mut id = 0;
    while id < rows {
        let mut text = format!("INSERT INTO {name} VALUES ");
        for at in 0..100.min(rows - id) {
            let values: Vec<String> = (0..COLUMNS.len()).map(|column| value(random, column, id + at)).collect();
            let _ = write!(text, "{}({})", if at > 0 { ", " } else { "" }, values.join(", "));
        }
        must(connection, &text);
        id += 100;
    }
}

/// Columns to join, group and sort by.
fn some(random: &mut Random, from: &str) -> String {
    let count = 1 + random.below(3);
    let mut columns: Vec<&str> = Vec::new();
    while columns.len() < count {
        let column = COLUMNS[1 + random.below(COLUMNS.len() - 1)];
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns.iter().map(|column| format!("{from}{column}")).collect::<Vec<_>>().join(", ")
}

/// A query, and whether it says in which order its rows come.
fn query(random: &mut Random) -> (String, bool) {
    let keys = some(random, "");
    let column = COLUMNS[1 + random.below(8)];
    match random.below(18) {
        0 => {
            let top = random.pick(&["", "", "TOP 10 ", "TOP 3000 ", "TOP 40 PERCENT "]);
            (format!("SELECT {top}* FROM a ORDER BY {keys}, id"), true)
        }
        1 => (
            format!(
                "SELECT id, {column} FROM a ORDER BY {column} DESC, t, id DESC OFFSET 100 ROWS FETCH NEXT 3000 ROWS ONLY"
            ),
            true,
        ),
        2 => {
            let rest = random.pick(&["", " AND a.i < b.i + 10"]);
            let kind = random.pick(&["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
            (format!("SELECT a.id, b.id, a.t FROM a {kind} b ON a.b % 500 = b.b % 500 AND a.s = b.s{rest}"), false)
        }
        3 => {
            let kind = random.pick(&["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
            (format!("SELECT a.id, b.id, b.t FROM a {kind} b ON a.id = b.id + {}", random.below(2_000)), false)
        }
        // Few keys: what hashes cannot part.
        4 => {
            let kind = random.pick(&["LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
            (
                format!(
                    "SELECT COUNT_BIG(*), SUM(CAST(a.id AS bigint) * 7 + b.id), COUNT(a.id), COUNT(b.id) FROM a {kind} b ON a.i = b.i AND a.id % 3 = 1 AND b.id % 2 = 0"
                ),
                false,
            )
        }
        5 => {
            let not = random.pick(&["", "NOT "]);
            (
                format!(
                    "SELECT id, t FROM a WHERE {not}EXISTS (SELECT * FROM b WHERE b.{column} = a.{column} AND b.id > a.id)"
                ),
                false,
            )
        }
        6 => {
            let not = random.pick(&["", "NOT "]);
            (format!("SELECT id, u FROM a WHERE i {not}IN (SELECT i FROM b WHERE i IS NOT NULL AND id % 7 = 0)"), false)
        }
        7 => (
            format!(
                "SELECT {keys}, COUNT(*), SUM(CAST(i AS bigint)), MIN(id), MAX(t), AVG(d), COUNT(DISTINCT u), COUNT(DISTINCT b), CHECKSUM_AGG(i), \
                 STRING_AGG(CAST(id AS varchar(max)), ',') WITHIN GROUP (ORDER BY id) FROM a GROUP BY {keys}"
            ),
            false,
        ),
        8 => (format!("SELECT DISTINCT {keys} FROM a"), false),
        9 => {
            let verb = random.pick(&["EXCEPT", "INTERSECT", "UNION"]);
            (format!("SELECT {keys} FROM a {verb} SELECT {keys} FROM b"), false)
        }
        10 => (
            format!(
                "SELECT {keys}, GROUPING_ID({keys}), COUNT(*), COUNT(DISTINCT b), MAX(u) FROM a GROUP BY ROLLUP ({keys})"
            ),
            false,
        ),
        // Rows put aside for what outer rows ask: without room for them the table is read again.
        11 => {
            let most = random.pick(&["COUNT(*)", "MAX(id)", "MAX(t)"]);
            (
                format!(
                    "SELECT id, (SELECT {most} FROM b WHERE b.{column} = a.{column} AND b.id > a.id) FROM a WHERE id < 60"
                ),
                false,
            )
        }
        12 => (
            format!(
                "SELECT id, CASE WHEN {column} IN (SELECT {column} FROM b WHERE i > 0) THEN 1 WHEN {column} <> ALL (SELECT {column} FROM b WHERE i > 0) THEN 2 END FROM a"
            ),
            false,
        ),
        // The same between bounds, in an order that TOP relies on.
        13 => {
            let order = random.pick(&["DESC, id", ", id DESC", "DESC, t, id"]);
            let (key, bound) = (random.pick(&["", "b.i = a.i AND "]), random.pick(&["<=", "<", ">", ">="]));
            (
                format!(
                    "SELECT a.id, x.id, x.{column} FROM a OUTER APPLY (SELECT TOP 2 id, {column} FROM b WHERE {key}b.{column} {bound} a.{column} ORDER BY b.{column} {order}) x WHERE a.id < 60"
                ),
                false,
            )
        }
        14 => {
            let kind = random.pick(&["JOIN", "LEFT JOIN"]);
            (
                format!(
                    "SELECT a.id, b.id FROM a {kind} b ON b.b BETWEEN a.b AND a.b + 1000000000 AND b.id <> a.id WHERE a.id < 200"
                ),
                false,
            )
        }
        15 => {
            let not = random.pick(&["", "NOT "]);
            (
                format!(
                    "SELECT id FROM a WHERE {not}EXISTS (SELECT * FROM b WHERE b.{column} > a.{column} AND b.id < a.id) AND id < 300"
                ),
                false,
            )
        }
        _ => ("SELECT COUNT(DISTINCT id), COUNT(DISTINCT t), SUM(DISTINCT b), MIN(g), MAX(v) FROM a".into(), false),
    }
}

/// Texts that are equal are not always the same: any of them stands for a group.
fn plain(datum: &Datum) -> String {
    match datum {
        Datum::Bytes(bytes) if bytes.len() > 200 => {
            let sum = bytes.iter().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(*byte as u64));
            format!("{} bytes {sum}", bytes.len())
        }
        Datum::Bytes(bytes) => {
            let end = bytes.iter().rposition(|byte| !matches!(byte, 0 | b' ')).map_or(0, |last| last + 1);
            let small = |byte: &u8| if *byte == 0xc4 { 0xe4 } else { byte.to_ascii_lowercase() };
            format!("{:02x?}", bytes[..end].iter().map(small).collect::<Vec<u8>>())
        }
        other => format!("{other:?}"),
    }
}

fn rows_of(answer: &Answer, ordered: bool) -> Vec<String> {
    let rows = &answer.sets[0].rows;
    let mut rows: Vec<String> = rows.iter().map(|row| row.iter().map(plain).collect::<Vec<_>>().join(" | ")).collect();
    if !ordered {
        rows.sort();
    }
    rows
}

#[test]
fn answers_are_those_of_enough_memory() {
    let server = Server::start(&["--memory", "256MB"]);
    let mut connection = open(&server);
    must(&mut connection, "CREATE DATABASE spilled");
    must(&mut connection, "USE spilled");
    let seeds = match number("SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("SEEDS").unwrap_or(SEEDS),
    };
    let mut answered = 0;
    for seed in seeds {
        let mut random = Random(seed + 1);
        make_table(&mut connection, &mut random, "a", ROWS);
        make_table(&mut connection, &mut random, "b", ROWS / 2);
        for _ in 0..number("QUERIES").unwrap_or(30) {
            let (text, ordered) = query(&mut random);
            let whole = must(&mut connection, &text);
            let expected = rows_of(&whole, ordered);
            for percent in ["0", "0.5", "5"] {
                let spilled = ask(&mut connection, &format!("{text} OPTION (MAX_GRANT_PERCENT = {percent})"));
                assert!(
                    spilled.first_error().is_none(),
                    "seed {seed}, {percent} %: {text}: {:?}",
                    spilled.first_error()
                );
                let seen = rows_of(&spilled, ordered);
                assert_eq!(expected.len(), seen.len(), "seed {seed}, {percent} %: {text}");
                let different = expected.iter().zip(&seen).position(|(one, other)| one != other);
                if let Some(at) = different {
                    panic!("seed {seed}, {percent} %: {text}\nrow {at}: {}\ninstead: {}", seen[at], expected[at]);
                }
                answered += 1;
            }
            assert_eq!(one(&must(&mut connection, RESERVED)), 0, "{text}");
        }
    }
    println!("{answered} answers");
}

/// The table n in tempdb: numbers from 0, each with a text that is the same for all.
fn make_numbers(connection: &mut Connection, bytes: usize, rows: usize) {
    must(connection, &format!("CREATE TABLE tempdb.dbo.n (n int, t char({bytes}))"));
    must(
        connection,
        &format!(
            "WITH d AS (SELECT x FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS v (x)) \
             INSERT INTO tempdb.dbo.n SELECT q.n, 'x' FROM (SELECT a.x + 10 * b.x + 100 * c.x + 1000 * e.x + 10000 * f.x AS n \
             FROM d AS a CROSS JOIN d AS b CROSS JOIN d AS c CROSS JOIN d AS e CROSS JOIN d AS f) AS q WHERE q.n < {rows}"
        ),
    );
}

/// A statement that spills for long, and pages that statements have reserved while it runs.
#[test]
fn a_statement_that_is_stopped_leaves_nothing() {
    let server = Server::start(&["--memory", "256MB"]);
    let (mut working, mut watching) = (open(&server), open(&server));
    make_numbers(&mut working, 200, 40_000);
    let all = [
        "SELECT * FROM tempdb.dbo.n AS a CROSS JOIN (SELECT TOP 9 n FROM tempdb.dbo.n) AS b ORDER BY a.n % 977, a.t",
        "SELECT a.n FROM tempdb.dbo.n AS a JOIN tempdb.dbo.n AS b ON a.t = b.t AND a.n < b.n - 39990",
        "SELECT n % 39999, COUNT(DISTINCT t + STR(n)) FROM tempdb.dbo.n GROUP BY n % 39999 ORDER BY 2",
    ];
    let mut seen = 0;
    for text in all {
        for wait_ms in [5, 40, 150, 400] {
            working.protocol().batch(&format!("{text} OPTION (MAX_GRANT_PERCENT = 0.1)"));
            let soon = Some(os::clock::after_ms(wait_ms));
            while working.next_event(soon).is_ok() {}
            seen = seen.max(one(&must(&mut watching, RESERVED)));
            working.cancel().expect("the session goes on");
            assert_eq!(one(&must(&mut watching, RESERVED)), 0, "after {wait_ms} ms: {text}");
            must(&mut working, "SELECT 1");
        }
    }
    assert!(seen > 0, "some were stopped while they had work files");
}

/// What there is no room for is an error, whose room is free again.
#[test]
fn a_full_tempdb_is_an_error() {
    let server = Server::start(&["--memory", "256MB", "--spill-size", "1MB"]);
    let mut connection = open(&server);
    make_numbers(&mut connection, 900, 4_000);
    let begun = Instant::now();
    for text in [
        "SELECT * FROM tempdb.dbo.n ORDER BY n DESC",
        "SELECT a.n, a.t FROM tempdb.dbo.n AS a JOIN tempdb.dbo.n AS b ON a.n = b.n AND a.t = b.t",
        "SELECT n, t, COUNT(*) FROM tempdb.dbo.n GROUP BY n, t",
        "SELECT n, t FROM tempdb.dbo.n EXCEPT SELECT n + 1, t FROM tempdb.dbo.n",
    ] {
        let answer = ask(&mut connection, &format!("{text} OPTION (MAX_GRANT_PERCENT = 0)"));
        let error = answer.first_error().unwrap_or_else(|| panic!("{text}: there is no room"));
        assert_eq!(error.number, 1105, "{text}: {error:?}");
        assert!(error.text.contains("'tempdb'"), "{}", error.text);
        assert_eq!(one(&must(&mut connection, RESERVED)), 0, "{text}");
        must(&mut connection, "SELECT COUNT(*) FROM tempdb.dbo.n");
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
}

/// Rows of a table variable that do not fit: read, sought, changed, undone, and read by a cursor while they change.
#[test]
fn a_table_variable_goes_to_work_files() {
    let server = Server::start(&["--memory", "128MB"]);
    let mut connection = open(&server);
    for key in ["", "PRIMARY KEY", "UNIQUE NONCLUSTERED", "INDEX ix NONCLUSTERED"] {
        let text = format!(
            "DECLARE @t TABLE (id int {key}, s varchar(2000), big varchar(max)); \
             INSERT @t SELECT (value * 7) % 60000, REPLICATE(CHAR(65 + value % 26), 1000), \
                 CASE WHEN value % 20000 = 7 THEN REPLICATE(CAST('y' AS varchar(max)), 300000) END FROM GENERATE_SERIES(1, 60000); \
             SELECT COUNT(*), SUM(CAST(id AS bigint)), SUM(LEN(s)), SUM(LEN(big)), COUNT(DISTINCT id) FROM @t; \
             UPDATE @t SET s = CONCAT('new ', id) WHERE id % 3 = 0; \
             DELETE @t WHERE id % 5 = 0; \
             DECLARE c CURSOR LOCAL FOR SELECT id FROM @t; OPEN c; DECLARE @first int; FETCH c INTO @first; \
             BEGIN TRY INSERT @t SELECT value + 100000, REPLICATE('z', 1500), CONVERT(varchar(9), 1 / (50000 - value)) \
                 FROM GENERATE_SERIES(1, 60000) END TRY BEGIN CATCH SELECT ERROR_NUMBER() END CATCH; \
             SELECT COUNT(*), SUM(CAST(id AS bigint)), SUM(LEN(s)), SUM(LEN(big)), COUNT(DISTINCT id) FROM @t; \
             INSERT @t SELECT id + 200000, s, big FROM @t WHERE id < 1000; \
             SELECT COUNT(*), MAX(id) FROM @t WHERE id >= 200000; \
             SELECT id, s FROM @t WHERE id IN (59997, 3, 5, 59998, 59999); \
             SELECT COUNT(*), MIN(id), MAX(id) FROM @t WHERE id BETWEEN 30001 AND 30010; \
             SELECT TOP 3 id FROM @t ORDER BY id DESC; \
             DECLARE @n int = 0, @id int; WHILE @@FETCH_STATUS = 0 BEGIN SET @n += 1; FETCH c INTO @id END; SELECT @n; \
             DELETE @t; SELECT COUNT(*) FROM @t; INSERT @t VALUES (1, 'a', NULL); SELECT COUNT(*), MAX(id) FROM @t"
        );
        let answer = must(&mut connection, &text);
        let shown = |datum: &Datum| match datum {
            Datum::I64(value) => value.to_string(),
            _ => String::new(),
        };
        let row = |row: &Vec<Datum>| row.iter().map(shown).collect::<Vec<_>>().join(" ");
        let sets: Vec<Vec<String>> = answer.sets.iter().map(|set| set.rows.iter().map(row).collect()).collect();
        // Multiples of 3 have 'new n', and multiples of 5 are gone.
        let kept: Vec<i64> = (0..60_000).filter(|id| id % 5 != 0).collect();
        let long = kept.iter().filter(|id| **id % 3 != 0).count() as i64 * 1000;
        let short: i64 = kept.iter().filter(|id| **id % 3 == 0).map(|id| 4 + id.to_string().len() as i64).sum();
        // Of 7, 20007 and 40007, times 7: 49, 20049 and 40049.
        let after = format!("{} {} {} {} {}", kept.len(), kept.iter().sum::<i64>(), long + short, 900_000, kept.len());
        assert_eq!(sets[0], [format!("60000 {} 60000000 900000 60000", (0..60_000_i64).sum::<i64>())], "{key}");
        assert_eq!(sets[1], ["8134"], "{key}");
        assert_eq!(sets[2], [after], "{key}");
        assert_eq!(sets[3], [format!("800 {}", 200_999)], "{key}");
        let mut sought: Vec<&str> = sets[4].iter().map(|row| row.split(' ').next().expect("an id")).collect();
        sought.sort_unstable();
        assert_eq!(sought, ["3", "59997", "59998", "59999"], "{key}");
        assert_eq!(sets[5], ["8 30001 30009"], "{key}");
        assert_eq!(sets[6], ["200999", "200998", "200997"], "{key}");
        assert_eq!(sets[7], [kept.len().to_string()], "{key}");
        assert_eq!((&sets[8][..], &sets[9][..]), (&["0".to_string()][..], &["1 1".to_string()][..]), "{key}");
        assert_eq!(one(&must(&mut connection, RESERVED)), 0, "{key}");
    }
}

/// What SET STATISTICS XML says of a query, and the query's own answer.
fn run_told(connection: &mut Connection, text: &str) -> (Answer, String) {
    must(connection, "SET STATISTICS XML ON");
    let answer = must(connection, text);
    must(connection, "SET STATISTICS XML OFF");
    let Datum::Bytes(bytes) = &answer.sets.last().expect("the plan").rows[0][0] else { panic!("a text") };
    let xml = types::collation::code_page::utf16_to_string(bytes);
    (answer, xml)
}

/// The value of the first attribute of this name.
fn attribute(xml: &str, name: &str) -> u64 {
    let from = xml.find(&format!("{name}=\"")).unwrap_or_else(|| panic!("{name} in {xml}")) + name.len() + 2;
    xml[from..].split('"').next().and_then(|value| value.parse().ok()).expect("a number")
}

/// Names as in the showplan schema, http://schemas.microsoft.com/sqlserver/2004/07/showplan: WarningsType, SpillToTempDbType,
/// SortSpillDetailsType, HashSpillDetailsType, RunTimeInformationType.
#[test]
fn spills_are_told_by_statistics_xml() {
    let server = Server::start(&["--memory", "128MB"]);
    let mut connection = open(&server);
    must(&mut connection, "CREATE TABLE tempdb.dbo.large (k int NOT NULL, v int NOT NULL, t char(200) NOT NULL)");
    must(&mut connection, "INSERT tempdb.dbo.large SELECT value % 3500, value, 'l' FROM GENERATE_SERIES(1, 120000)");
    must(&mut connection, "CREATE TABLE tempdb.dbo.small (k int NOT NULL, t char(200) NOT NULL)");
    must(&mut connection, "INSERT tempdb.dbo.small SELECT value, 's' FROM GENERATE_SERIES(1, 3000)");

    let sort = "SELECT MAX(r), COUNT(DISTINCT t) FROM \
        (SELECT ROW_NUMBER() OVER (ORDER BY v DESC) AS r, t FROM tempdb.dbo.large) AS x OPTION (MAX_GRANT_PERCENT = 10)";
    let (answer, xml) = run_told(&mut connection, sort);
    assert_eq!(one(&answer), 120_000);
    let sorted = &xml[xml.find("PhysicalOp=\"Sort\"").expect("a sort")..];
    assert!(
        sorted.contains("<Warnings><SpillToTempDb SpillLevel=\"1\" SpilledThreadCount=\"1\"/><SortSpillDetails "),
        "{xml}"
    );
    // 120,000 rows of more than 200 bytes.
    assert!(attribute(sorted, "WritesToTempDb") > 2_900, "{sorted}");
    assert!(attribute(sorted, "ReadsFromTempDb") > 2_900, "{sorted}");
    assert!(attribute(sorted, "GrantedMemoryKb") > 0 && attribute(sorted, "UsedMemoryKb") > 0, "{sorted}");
    assert_eq!(attribute(sorted, "ActualRows"), 120_000);
    assert_eq!(xml.matches("SortSpillDetails").count(), 1, "{xml}");
    assert!(attribute(&xml, "GrantedMemory") <= 16 << 10, "{xml}");

    // The table is made of the right side: of all rows of the larger one, as long as it fits. What does not is joined the other way
    // round, and is divided once.
    for join in ["LEFT JOIN", "RIGHT JOIN", "FULL JOIN"] {
        let query = format!(
            "SELECT COUNT(*), SUM(CAST(l.v AS bigint)), COUNT(s.t), COUNT(l.t), MAX(s.t), MAX(l.t) FROM tempdb.dbo.small AS s {join} tempdb.dbo.large AS l ON l.k = s.k"
        );
        let whole = rows_of(&must(&mut connection, &query), true);
        let (answer, xml) = run_told(&mut connection, &format!("{query} OPTION (MAX_GRANT_PERCENT = 10)"));
        assert_eq!(rows_of(&answer, true), whole, "{join}");
        if join == "LEFT JOIN" {
            assert!(
                xml.contains("<SpillToTempDb SpillLevel=\"1\" SpilledThreadCount=\"1\"/><HashSpillDetails "),
                "{xml}"
            );
        }
    }
    let spills = "SELECT TOP 1 last_spills FROM sys.dm_exec_query_stats AS s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) AS t \
        WHERE t.text LIKE '%LEFT JOIN tempdb.dbo.large%GRANT_PERCENT = 10%' AND t.text NOT LIKE '%query_stats%'";
    assert!(one(&must(&mut connection, spills)) > 2_900);

    let (answer, xml) = run_told(&mut connection, "SELECT COUNT(*) FROM tempdb.dbo.small WHERE k > 1000");
    assert_eq!(one(&answer), 2_000);
    assert!(
        !xml.contains("Warnings") && xml.contains("<RunTimeCountersPerThread Thread=\"0\" ActualRows=\"1\" "),
        "{xml}"
    );
    // A change, and a statement that fails, which has no plan.
    let (_, xml) = run_told(&mut connection, "SET NOCOUNT ON; SELECT k INTO tempdb.dbo.copied FROM tempdb.dbo.small");
    assert!(xml.contains("ActualRows=\"3000\""), "{xml}");
    must(&mut connection, "SET STATISTICS XML ON");
    assert_eq!(
        ask(&mut connection, "SELECT 1 / k FROM (SELECT 0 AS k) AS x").first_error().expect("8134").number,
        8134
    );
    must(&mut connection, "SET STATISTICS XML OFF");
}
