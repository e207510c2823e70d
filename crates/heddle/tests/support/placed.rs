//! A load of memory-optimized tables by a natively compiled procedure, beside a table on pages, and what must hold of it at any time:
//! what a session has inserted is there once, whole, in all indexes, and counted.
#![allow(dead_code)]

use super::Server;

/// Conflicts: the transaction may be tried again.
pub const TRY_AGAIN: [i32; 4] = [41301, 41302, 41305, 41325];

/// Rows that a session leaves of those it has inserted: older ones it deletes, so that checkpoint files get empty.
pub const KEPT: u64 = 50;

pub const SCHEMA: &str =
    "CREATE TABLE placed (session int NOT NULL, n int NOT NULL, amount int NOT NULL, note varchar(max) NOT NULL DEFAULT 'short',
    CONSTRAINT pk PRIMARY KEY NONCLUSTERED HASH (session, n) WITH (BUCKET_COUNT = 256), CONSTRAINT by_n UNIQUE NONCLUSTERED (n, session),
    INDEX by_amount NONCLUSTERED (amount DESC), INDEX by_session NONCLUSTERED HASH (session) WITH (BUCKET_COUNT = 4)) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE lines (session int NOT NULL, n int NOT NULL, line int NOT NULL,
    CONSTRAINT pk_lines PRIMARY KEY NONCLUSTERED (session, n, line)) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE total (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 2), n int NOT NULL, amount bigint NOT NULL,
    deed varchar(max) NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
INSERT total SELECT value, 0, 0, REPLICATE(CAST('d' AS varchar(max)), 5000) FROM GENERATE_SERIES(0, 1);
CREATE TABLE noted (session int, n int, CONSTRAINT pk_noted PRIMARY KEY (session, n));
EXEC('CREATE PROCEDURE dbo.place @session int, @n int, @amount int, @old int, @total int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N''us_english'')
    INSERT dbo.placed (session, n, amount) VALUES (@session, @n, @amount);
    INSERT dbo.lines (session, n, line) VALUES (@session, @n, 1);
    INSERT dbo.lines (session, n, line) VALUES (@session, @n, 2);
    UPDATE dbo.total SET n = n + 1, amount = amount + @amount WHERE id = @total;
    DELETE dbo.placed WHERE session = @session AND n = @old;
    DELETE dbo.lines WHERE session = @session AND n = @old AND line = 1;
    DELETE dbo.lines WHERE session = @session AND n = @old AND line = 2;
END')";

/// What row `n` is worth.
fn amount(n: u64) -> u64 {
    n * 7919 % 1000
}

/// An error that leaves an atomic block ends the batch and not the transaction around it, whatever XACT_ABORT says.
const CLEAN: &str = "IF @@TRANCOUNT > 0 ROLLBACK; SET XACT_ABORT ON";

/// One row of `placed` and two of `lines`, and two sessions add to one row of `total`; each third row is noted on pages, too.
pub fn insert(session: usize, n: u64) -> String {
    let old = n.saturating_sub(KEPT);
    let place = format!("EXEC dbo.place {session}, {n}, {}, {old}, {}", amount(n), session % 2);
    let more = match n {
        _ if n.is_multiple_of(3) => format!("INSERT noted VALUES ({session}, {n})"),
        _ if n.is_multiple_of(8) => format!(
            "UPDATE placed WITH (SNAPSHOT) SET note = REPLICATE(CAST('x' AS varchar(max)), 20000) WHERE session = {session} AND n = {n}"
        ),
        _ => return format!("{CLEAN}; {place}"),
    };
    format!("{CLEAN}; BEGIN TRAN; {place}; {more}; COMMIT")
}

/// The last row of each session, after the whole has been found sound.
pub fn check<const SESSIONS: usize>(server: &Server, database: &str) -> [u64; SESSIONS] {
    let mut last = [0; SESSIONS];
    let placed = "SELECT session, MIN(n), MAX(n), COUNT(*) FROM placed GROUP BY session";
    for row in numbers(server, database, placed) {
        let [session, first, max, count] = row[..] else { panic!("{row:?}") };
        let kept = max.min(KEPT);
        assert_eq!((first, count), (max - kept + 1, kept), "of session {session} the rows up to {max}, each once");
        last[session as usize] = max;
    }
    let figures = "COUNT(*), ISNULL(SUM(amount), 0), ISNULL(SUM(session * 1000 + n % 1000), 0)";
    let by_index = ["pk", "by_n", "by_amount", "by_session"]
        .map(|index| numbers(server, database, &format!("SELECT {figures} FROM placed WITH (INDEX({index}))")));
    assert!(by_index.iter().all(|figures| *figures == by_index[0]), "indexes differ: {by_index:?}");
    let halves = "SELECT (SELECT COUNT(*) FROM placed p WHERE 2 <> (SELECT COUNT(*) FROM lines l WHERE l.session = p.session AND l.n = p.n)),
        (SELECT COUNT(*) FROM placed) * 2 - (SELECT COUNT(*) FROM lines),
        (SELECT COUNT(*) FROM placed WHERE amount <> CAST(n AS bigint) * 7919 % 1000
            OR LEN(note) <> CASE WHEN n % 8 = 0 AND n % 3 <> 0 THEN 20000 ELSE 5 END)";
    assert_eq!(numbers(server, database, halves), [[0, 0, 0]], "rows without lines, lines without rows, torn values");
    for (id, row) in numbers(server, database, "SELECT n, amount FROM total ORDER BY id").iter().enumerate() {
        let sessions = || last.iter().skip(id).step_by(2);
        let worth = sessions().map(|last| (1..=*last).map(amount).sum::<u64>()).sum::<u64>();
        assert_eq!(row[..], [sessions().sum::<u64>(), worth], "total {id} is of all rows: {last:?}");
    }
    let kept =
        numbers(server, database, "SELECT COUNT(*) FROM total WHERE deed = REPLICATE(CAST('d' AS varchar(max)), 5000)");
    assert_eq!(kept, [[2]], "a long value stays beside numbers that change");
    for (session, last) in last.iter().enumerate() {
        let noted = format!("SELECT COUNT(*), ISNULL(MAX(n), 0) FROM noted WHERE session = {session}");
        assert_eq!(numbers(server, database, &noted), [[last / 3, last / 3 * 3]], "noted of session {session}, {last}");
    }
    last
}

/// Numbers that a query answers, row by row. An answer that did not come is no answer without rows.
pub fn numbers(server: &Server, database: &str, query: &str) -> Vec<Vec<u64>> {
    let text = format!("SET NOCOUNT ON; USE {database}; {query}");
    let output = server.sql(&["-h", "-1", "-W", "-b", "-Q", &text]);
    assert!(output.status.success(), "{query}: {output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with("Changed database"));
    rows.map(|line| line.split_whitespace().map(|n| n.parse().unwrap_or_else(|_| panic!("{query}: {text}"))).collect())
        .collect()
}
