//! Work over long values gives way, and ends when it is told to: every function of the table gets a long value, and operators get many rows
//! and long ones, on a server with one scheduler, and beside it another session asks for one row after the other.
//!
//! ONLY: statements that contain it. BYTES: of the value; 67108864 for a longer look at a release.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use support::Server;
use support::wire::Wire;
use types::Datum;

/// Longest wait of the other session, and from an attention to the answer, on a machine that others use as well.
const WAIT_MAX: Duration = Duration::from_millis(500);

/// An expression that takes longer is run again, and cancelled in the middle.
const LONG: Duration = Duration::from_millis(100);

/// They take numbers, dates, a hierarchyid of at most 892 bytes, or nothing: no value is long.
const SHORT: &str = "ABS ACOS ASIN ATAN ATN2 CEILING COS COT DEGREES EXP FLOOR LOG LOG10 PI POWER RADIANS RAND ROUND SIGN SIN SQRT SQUARE TAN \
    LONG_SUM LONG_DIFFERENCE PARTITION_NUMBER BIT_COUNT GET_BIT SET_BIT LEFT_SHIFT RIGHT_SHIFT CHAR NCHAR SPACE STR CURRENT_TIMESTAMP DATEADD DATEDIFF DATEDIFF_BIG DATEFROMPARTS DATENAME \
    DATEPART DATETIME2FROMPARTS DATETIMEFROMPARTS DATETIMEOFFSETFROMPARTS DATETRUNC DATE_BUCKET DAY EOMONTH GETDATE GETUTCDATE MONTH \
    SMALLDATETIMEFROMPARTS SWITCHOFFSET SYSDATETIME SYSDATETIMEOFFSET SYSUTCDATETIME TIMEFROMPARTS TODATETIMEOFFSET YEAR CURRENT_TIMEZONE CURRENT_TIMEZONE_ID \
    CRYPT_GEN_RANDOM NEWID NEWSEQUENTIALID APP_NAME CONTEXT_INFO CURRENT_REQUEST_ID CURRENT_TRANSACTION_ID CURRENT_USER ERROR_LINE ERROR_MESSAGE \
    ERROR_NUMBER ERROR_PROCEDURE ERROR_SEVERITY ERROR_STATE HOST_ID HOST_NAME MIN_ACTIVE_ROWVERSION ORIGINAL_LOGIN PERMISSIONS ROWCOUNT_BIG \
    SCOPE_IDENTITY SESSION_USER SYSTEM_USER USER XACT_STATE TRIGGER_NESTLEVEL COLUMNS_UPDATED EVENTDATA COL_NAME FILEGROUP_NAME FILE_NAME \
    INDEXKEY_PROPERTY OBJECTPROPERTY OBJECTPROPERTYEX OBJECT_DEFINITION OBJECT_NAME OBJECT_SCHEMA_NAME SCHEMA_NAME STATS_DATE TYPE_NAME \
    ODBCPREC ODBCSCALE SUSER_NAME USER_NAME DB_NAME ORIGINAL_DB_NAME GetAncestor GetDescendant GetLevel GetReparentedValue IsDescendantOf ToString";

/// They take names, which are cut or refused where they are too long.
const NAMES: &str = "SQL_VARIANT_PROPERTY APPLOCK_MODE APPLOCK_TEST CONNECTIONPROPERTY CURSOR_STATUS GETANSINULL HAS_ACCESS HAS_DBACCESS \
    HAS_PERMS_BY_NAME IDENT_CURRENT IDENT_INCR IDENT_SEED IS_MEMBER IS_ROLEMEMBER IS_SRVROLEMEMBER SESSIONPROPERTY SESSION_CONTEXT SUSER_ID \
    SUSER_SID SUSER_SNAME USER_ID UPDATE COL_LENGTH COLUMNPROPERTY COLLATIONPROPERTY DATABASEPROPERTYEX DATABASEPROPERTY DATABASE_PRINCIPAL_ID \
    DB_ID FILEGROUP_ID FILEGROUPPROPERTY FILEPROPERTY FILE_ID FILE_IDEX FULLTEXTCATALOGPROPERTY FULLTEXTSERVICEPROPERTY INDEXPROPERTY INDEX_COL \
    LOGINPROPERTY OBJECT_ID PARSENAME SCHEMA_ID SERVERPROPERTY TYPEPROPERTY TYPE_ID TERTIARY_WEIGHTS IS_OBJECTSIGNED CERT_ID ASSEMBLYPROPERTY \
    VERIFYSIGNEDBYCERT AT_TIME_ZONE PWDENCRYPT PWDCOMPARE SID_BINARY XML_SCHEMA_NAMESPACE";

/// The others, and expressions that are no functions. @v is varchar(max), @n nvarchar(max), @b varbinary(max), all of the letter a; @d are digits
/// with commas between them, @e accented letters.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("GREATEST", "LEN(GREATEST(@n, @n + N'b'))"),
    ("LEAST", "LEN(LEAST(@e, @e + N'b'))"),
    ("ASCII", "ASCII(@n)"),
    ("CHARINDEX", "CHARINDEX(REPLICATE('a', 500) + 'b', @v)"),
    ("CHARINDEX", "CHARINDEX(N'ab', @n)"),
    ("CHARINDEX", "CHARINDEX(@n + N'b', @n)"),
    ("CHARINDEX", "CHARINDEX(N'b' COLLATE Latin1_General_BIN2, @n)"),
    ("CONCAT", "LEN(CONCAT(@v, @n))"),
    ("CONCAT_WS", "LEN(CONCAT_WS('-', @v, @v))"),
    ("DIFFERENCE", "DIFFERENCE(@v, @n)"),
    ("FORMAT", "LEN(FORMAT(1, CAST(@n AS nvarchar(4000))))"),
    ("LEFT", "LEN(LEFT(@n, 2000000))"),
    ("LEN", "LEN(REPLICATE(CAST(' ' AS varchar(max)), @bytes))"),
    ("LOWER", "LEN(LOWER(@n))"),
    ("LTRIM", "LEN(LTRIM(REPLICATE(CAST(N' ' AS nvarchar(max)), @bytes / 2)))"),
    ("PATINDEX", "PATINDEX(N'%' + REPLICATE(N'a', 500) + N'b%', @n)"),
    ("PATINDEX", "PATINDEX('%[a]_b', @v)"),
    ("QUOTENAME", "QUOTENAME(@n)"),
    ("EDIT_DISTANCE", "EDIT_DISTANCE(CAST(@n AS nvarchar(4000)), REPLICATE(N'b', 4000))"),
    ("EDIT_DISTANCE_SIMILARITY", "EDIT_DISTANCE_SIMILARITY(CAST(@v AS varchar(8000)), REPLICATE('b', 8000))"),
    ("JARO_WINKLER_DISTANCE", "JARO_WINKLER_DISTANCE(CAST(@v AS varchar(8000)), REPLICATE('b', 8000))"),
    ("JARO_WINKLER_SIMILARITY", "JARO_WINKLER_SIMILARITY(CAST(@v AS varchar(8000)), REPLICATE('b', 8000))"),
    ("REGEXP_LIKE", "IIF(REGEXP_LIKE(@v, 'a+b'), 1, 0)"),
    ("REGEXP_LIKE", "IIF(REGEXP_LIKE(@n, N'(a|aa)+(.)?b{1,200}$', 'i'), 1, 0)"),
    ("REGEXP_REPLACE", "LEN(REGEXP_REPLACE(@v, 'a', 'b'))"),
    ("REGEXP_REPLACE", "LEN(REGEXP_REPLACE(@n, N'(a)(.)', N'\\2\\1'))"),
    ("REGEXP_SUBSTR", "LEN(REGEXP_SUBSTR(@n, N'(.*)', 1, 1, 'c', 1))"),
    ("REGEXP_INSTR", "REGEXP_INSTR(@n, N'a*$', 2)"),
    ("REGEXP_COUNT", "REGEXP_COUNT(@v, 'aa')"),
    ("REGEXP_COUNT", "REGEXP_COUNT(@d, '[0-9]*?,')"),
    ("REPLACE", "LEN(REPLACE(@v, 'a', 'b'))"),
    ("REPLACE", "LEN(REPLACE(@n, N'aab', N'b'))"),
    ("REPLICATE", "LEN(REPLICATE(@v, 2))"),
    ("REVERSE", "LEN(REVERSE(@n))"),
    ("RIGHT", "LEN(RIGHT(@v, 2000000))"),
    ("RTRIM", "LEN(RTRIM(REPLICATE(CAST(' ' AS varchar(max)), @bytes)))"),
    ("SOUNDEX", "SOUNDEX(@n)"),
    ("STRING_ESCAPE", "LEN(STRING_ESCAPE(@n, 'json'))"),
    ("STUFF", "LEN(STUFF(@n, 2, 1, @n))"),
    ("SUBSTRING", "DATALENGTH(SUBSTRING(@b, 2, 2000000000))"),
    ("TRANSLATE", "LEN(TRANSLATE(@n, N'xyzu', N'zuxy'))"),
    ("TRIM", "LEN(TRIM(N'xya' FROM @n))"),
    ("UNICODE", "UNICODE(@n)"),
    ("UNISTR", "LEN(UNISTR(@n))"),
    ("UPPER", "LEN(UPPER(@e))"),
    ("UPPER", "LEN(UPPER(@v))"),
    ("DATALENGTH", "DATALENGTH(@n)"),
    ("ISDATE", "ISDATE(@v)"),
    ("CHOOSE", "LEN(CHOOSE(1, @n, @n))"),
    ("COALESCE", "LEN(COALESCE(NULL, @n))"),
    ("IIF", "IIF(@n = @n + N'a', 1, 0)"),
    ("IIF", "IIF(@e = @e + N'a', 1, 0)"),
    ("IIF", "IIF(@v COLLATE Latin1_General_BIN2 = @v + 'a', 1, 0)"),
    ("IIF", "IIF(@n LIKE N'%' + REPLICATE(N'a', 500) + N'b%', 1, 0)"),
    ("IIF", "IIF(@v LIKE '%_a%b%', 1, 0)"),
    ("IIF", "IIF(@n IN (N'x', @n + N'b', @n + N'c'), 1, 0)"),
    ("ISNULL", "LEN(ISNULL(@n, N''))"),
    ("NULLIF", "LEN(NULLIF(@n, @n + N'b'))"),
    ("ISNUMERIC", "ISNUMERIC(@n)"),
    ("ISJSON", "ISJSON(N'[\"' + @n + N'\"]')"),
    ("ISJSON", "ISJSON(N'[' + @d + N']')"),
    ("JSON_VALUE", "LEN(JSON_VALUE(N'[\"' + @n + N'\", 1]', '$[1]'))"),
    ("JSON_OBJECT", "LEN(JSON_OBJECT(@n: @n))"),
    ("JSON_ARRAY", "LEN(JSON_ARRAY(@n, @n))"),
    ("JSON_TEXT", "LEN(JSON_ARRAY(@b))"),
    ("JSON_CONTAINS", "JSON_CONTAINS(CAST(N'[\"' + @n + N'\"]' AS json), N'x')"),
    ("JSON_RETURNING", "LEN(JSON_VALUE(CAST(N'[\"' + @n + N'\", \"a\"]' AS json), '$[1]' RETURNING nvarchar(10)))"),
    ("JSON_MEMBER", "LEN((SELECT JSON_OBJECTAGG(@n: @n) FROM (VALUES (1)) v(a)))"),
    ("JSON_WRAP", "LEN((SELECT JSON_ARRAYAGG(@n) FROM (VALUES (1), (2)) v(a)))"),
    ("ISJSON", "ISJSON(N'\"' + @n + N'\"', VALUE)"),
    ("JSON_PATH_EXISTS", "JSON_PATH_EXISTS(N'[\"' + @n + N'\", 1]', '$[*].a')"),
    ("JSON_QUERY", "LEN(JSON_QUERY(N'[' + @d + N']'))"),
    ("JSON_MODIFY", "LEN(JSON_MODIFY(N'[1]', '$[0]', @n))"),
    ("PARSE", "TRY_PARSE(@n AS int)"),
    ("TRY_PARSE", "TRY_PARSE(@n AS date)"),
    ("BINARY_CHECKSUM", "BINARY_CHECKSUM(@n)"),
    ("CHECKSUM", "CHECKSUM(@n)"),
    ("BASE64_ENCODE", "LEN(BASE64_ENCODE(@b))"),
    ("BASE64_DECODE", "DATALENGTH(BASE64_DECODE(BASE64_ENCODE(@b)))"),
    ("COMPRESS", "DATALENGTH(COMPRESS(@b))"),
    ("DECOMPRESS", "DATALENGTH(DECOMPRESS(COMPRESS(@b)))"),
    ("HASHBYTES", "HASHBYTES('SHA2_512', @b)"),
    ("HASHBYTES", "HASHBYTES('SHA1', @b)"),
    ("HASHBYTES", "HASHBYTES('MD5', @b)"),
    ("FORMATMESSAGE", "LEN(FORMATMESSAGE('%s', CAST(@n AS nvarchar(4000))))"),
    ("", "hierarchyid::Parse(@n)"),
    (
        "",
        "geometry::STGeomFromText('LINESTRING(' + REPLICATE(CAST('1 1, ' AS varchar(max)), @bytes / 5) + '2 2)', 0).STNumPoints()",
    ),
    (
        "",
        "geometry::STGeomFromText('MULTIPOINT(' + REPLICATE(CAST('1 2, ' AS varchar(max)), @bytes / 5) + '2 2)', 0).STConvexHull().STNumPoints()",
    ),
    ("", "LEN(CAST(@v AS nvarchar(max)))"),
    ("", "LEN(CAST(@e AS varchar(max)))"),
    ("", "LEN(CONVERT(varchar(max), @b, 1))"),
    ("", "DATALENGTH(CONVERT(varbinary(max), @v, 2))"),
    ("", "DATALENGTH(CAST(N'<a>' + @n + N'</a>' AS xml))"),
    ("", "TRY_CAST(@v AS int)"),
    ("", "TRY_CAST(@v AS float)"),
    ("", "TRY_CAST(@v AS decimal(38, 2))"),
    ("", "TRY_CAST(@v AS money)"),
    ("", "TRY_CAST(@n AS uniqueidentifier)"),
    ("", "TRY_CAST(@n AS datetime2)"),
    ("", "(SELECT COUNT(*) FROM STRING_SPLIT(@v, 'b'))"),
    ("", "(SELECT COUNT(*) FROM STRING_SPLIT(@d, N','))"),
    ("", "(SELECT COUNT(*) FROM REGEXP_SPLIT_TO_TABLE(@d, ','))"),
    ("", "(SELECT COUNT(*) FROM REGEXP_MATCHES(@d, '([0-9]),'))"),
    ("", "(SELECT COUNT(*) FROM OPENJSON(N'[' + @d + N']'))"),
    ("", "(SELECT LEN(STRING_AGG(v, ',')) FROM (VALUES (@v), (@v)) AS t (v))"),
];

/// #long has `BYTES` in values of 32 KB, below the work between two pauses; #many has short rows.
const TABLES: &str = "SELECT value AS id, CAST(REPLICATE(CAST(N'a' AS nvarchar(max)), 16000) + CAST(value AS nvarchar(10)) AS nvarchar(max)) AS s, \
     CAST(CAST(REPLICATE(CAST('a' AS varchar(max)), 32000) + CAST(value AS varchar(10)) AS varchar(max)) AS varbinary(max)) AS b \
     INTO #long FROM GENERATE_SERIES(1, @bytes / 32000); \
     SELECT value AS id, CAST(CONCAT('a name of ', value % 1000, ' and ', value) AS varchar(40)) AS s \
     INTO #many FROM GENERATE_SERIES(1, @bytes / 256);";

/// Statements over them.
const STATEMENTS: &[&str] = &[
    "SELECT MAX(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY s DESC) AS n FROM #long) AS t",
    "SELECT MAX(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY b DESC) AS n FROM #long) AS t",
    "SELECT MAX(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY s, id DESC) AS n FROM #many) AS t",
    "SELECT TOP (10) id FROM #many ORDER BY NEWID()",
    "SELECT COUNT(*) FROM (SELECT s FROM #long GROUP BY s) AS t",
    "SELECT COUNT(*) FROM (SELECT b FROM #long GROUP BY b) AS t",
    "SELECT COUNT(DISTINCT s), COUNT(DISTINCT b) FROM #long",
    "SELECT LEN(MIN(s)), LEN(MAX(s)), DATALENGTH(MAX(b)) FROM #long",
    "SELECT COUNT(*) FROM #long AS a JOIN #long AS b ON a.s = b.s",
    "SELECT COUNT(*) FROM #many AS a JOIN #many AS b ON a.s = b.s",
    "SELECT COUNT(*) FROM (SELECT s FROM #long UNION SELECT s + N'b' FROM #long) AS t",
    "SELECT COUNT(*) FROM #long WHERE UPPER(s) LIKE N'%b%' OR REVERSE(s) = N'b'",
    "SELECT SUM(CHARINDEX(N'b', s)), SUM(LEN(REPLACE(s, N'aab', N'b'))) FROM #long",
    "SELECT MIN(CHECKSUM(s)), MAX(BINARY_CHECKSUM(b)), MAX(SOUNDEX(s)) FROM #long",
    "SELECT COUNT(TRY_CAST(s AS int)), SUM(ISNUMERIC(s)), SUM(ISDATE(CAST(s AS nvarchar(4000)))) FROM #long",
    "SELECT COUNT(a.id) FROM #long AS a JOIN #long AS b ON a.s < b.s WHERE a.id <= 2",
    "SELECT LEN((SELECT s, b FROM #long FOR XML PATH('r'), ROOT('all')))",
    "SELECT LEN((SELECT id AS [@id], s FROM #many FOR XML PATH('r')))",
    "SELECT LEN((SELECT s, b FROM #long FOR JSON PATH, ROOT('all')))",
    "SELECT LEN((SELECT id AS [a.id], s AS [a.s] FROM #many FOR JSON PATH))",
    "SELECT id, s FROM #many FOR XML RAW",
    "SELECT id, s FROM #many FOR JSON AUTO",
    "SELECT (SELECT s FROM #long FOR XML PATH(''), TYPE)",
    "SELECT LEN(STRING_AGG(s, N', ') WITHIN GROUP (ORDER BY s DESC)) FROM #long",
    "SELECT LEN(STRING_AGG(CAST(s AS varchar(max)), ', ') WITHIN GROUP (ORDER BY s DESC)) FROM #many",
    "SELECT LEN(@v + @v + @v + @v + @v + @v + @v + @v + @v + @v + @v + @v)",
    "SELECT MAX(m) FROM (SELECT MIN(id) OVER (ORDER BY id ROWS BETWEEN 2000 PRECEDING AND CURRENT ROW) AS m FROM #many WHERE id <= 5000) AS t",
    "SELECT MAX(LEN(l)) FROM (SELECT LAG(s) OVER (ORDER BY id) AS l FROM #many) AS t",
    "SELECT COUNT(*) FROM OPENJSON((SELECT id, s FROM #many FOR JSON PATH)) WITH (id int, s varchar(40))",
    "SELECT LEN(JSON_MODIFY((SELECT id, s FROM #many FOR JSON PATH), '$[1].s', @n))",
    "SELECT DATALENGTH(CAST(@b AS xml))",
    "SELECT LEN((SELECT id AS [@id], s FROM #many FOR XML PATH('r'), TYPE).value('.', 'nvarchar(max)'))",
    "SELECT (SELECT id AS [@id], s FROM #many FOR XML PATH('r'), TYPE).value('string-length(string((/r/s)[last()]))', 'int')",
    "SELECT (SELECT id AS [@id], s FROM #many FOR XML PATH('r'), TYPE).exist('/r[s = \"none\"]')",
    "SELECT DATALENGTH((SELECT id AS [@id], s FROM #many FOR XML PATH('r'), TYPE).query('for $r in /r order by $r/s[1] descending return <r>{data($r/@id)}</r>'))",
    "DECLARE @x xml = (SELECT id AS [@id], s FROM #many FOR XML PATH('r'), TYPE); SELECT MAX(n.c.value('@id', 'int')) FROM @x.nodes('/r') AS n(c)",
    "DECLARE @x xml = (SELECT id AS [@id], s FROM #many FOR XML PATH('r'), TYPE); SET @x.modify('delete /r[@id > 10]')",
    "SELECT CAST(N'<a>' + @n + N'</a>' AS xml).value('string-length((/a)[1])', 'int')",
    "SELECT id, s FROM #many AS t FOR XML AUTO, ELEMENTS",
];

#[test]
fn every_function_gives_way_and_ends_when_it_is_told_to() {
    let bytes: usize = std::env::var("BYTES").map_or(8 << 20, |bytes| bytes.parse().expect("a number"));
    let server = Server::start(&["--cpus", "0"]);
    let beside = Beside::start(server.port);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    let begin = format!(
        "SET NOCOUNT ON; DECLARE @bytes int = {bytes}; DECLARE @v varchar(max) = REPLICATE(CAST('a' AS varchar(max)), @bytes), \
         @n nvarchar(max) = REPLICATE(CAST(N'a' AS nvarchar(max)), @bytes / 2), @b varbinary(max), \
         @d nvarchar(max) = REPLICATE(CAST(N'1,2,' AS nvarchar(max)), @bytes / 64) + N'3', \
         @e nvarchar(max) = REPLICATE(CAST(NCHAR(233) AS nvarchar(max)), @bytes / 2); SET @b = CAST(@v AS varbinary(max)); "
    );
    let (mut wrong, mut slowest, mut latest) = (Vec::new(), Duration::ZERO, Duration::ZERO);
    let made = wire.query(&format!("{begin} {TABLES}"));
    assert!(made.errors.is_empty(), "{:?}", made.errors);
    for statement in statements() {
        let mut text = format!("{begin} SELECT CAST(SYSDATETIME() AS time) AS at; {statement}; SELECT 1 AS [end];");
        beside.reset();
        let begun = Instant::now();
        let answer = wire.query(&text);
        let (took, wait) = (begun.elapsed(), beside.slowest());
        let refused = answer.errors.first().map(|error| error.0);
        slowest = slowest.max(wait);
        let mut heard = None;
        if took > LONG {
            text = format!("{begin} {}", format!("{statement}; ").repeat(3));
            wire.client.batch(&text);
            wire.send();
            std::thread::sleep(took.mul_f64(0.9));
            wire.client.attention();
            let asked = Instant::now();
            wire.send();
            let answer = wire.answer();
            // It may have ended in time.
            assert!(!answer.closed, "{statement}");
            heard = Some(asked.elapsed());
        }
        latest = latest.max(heard.unwrap_or_default());
        println!(
            "{:>7.1} ms beside, {heard:>9.1?} to the end, {took:>9.1?} in all, {refused:?}: {statement}",
            wait.as_secs_f64() * 1e3
        );
        if wait > WAIT_MAX || heard > Some(WAIT_MAX) {
            wrong.push(format!("{statement}: {wait:?} beside, {heard:?} to the end"));
        }
    }
    println!("slowest answer beside {slowest:?}, latest end {latest:?}, of values of {bytes} bytes");
    assert!(wrong.is_empty(), "held the scheduler, or did not hear:\n{}", wrong.join("\n"));
}

/// One or more of each function of the table, then those over rows.
fn statements() -> Vec<String> {
    let functions = expressions().into_iter().map(|expression| format!("SELECT {expression}"));
    let only = std::env::var("ONLY").unwrap_or_default();
    let all = functions.chain(STATEMENTS.iter().map(|statement| (*statement).to_owned()));
    all.filter(|statement| statement.contains(&only)).collect()
}

/// One or more of each function of the table.
fn expressions() -> Vec<String> {
    let mut all = Vec::new();
    for (name, _, least, _) in sql::function::FUNCTIONS {
        // Methods, which nobody calls by these names: they are among the statements.
        if name.starts_with(|c: char| c.is_lowercase()) {
            continue;
        }
        if SHORT.split_whitespace().any(|short| short == *name) {
            continue;
        }
        if NAMES.split_whitespace().any(|of_names| of_names == *name) {
            all.push(format!("{name}({})", vec!["@n"; *least as usize].join(", ")));
            continue;
        }
        let own: Vec<_> = EXPRESSIONS.iter().filter(|(function, _)| function == name).collect();
        assert!(!own.is_empty(), "{name} has no entry here: does it give way over a long value?");
        all.extend(own.iter().map(|(_, expression)| (*expression).to_owned()));
    }
    all.extend(EXPRESSIONS.iter().filter(|(name, _)| name.is_empty()).map(|(_, expression)| (*expression).to_owned()));
    all
}

/// A statement without end, whose client reads, ends soon after the attention.
#[test]
fn a_loop_ends_soon_after_its_attention() {
    let server = Server::start(&["--cpus", "0"]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    let endless =
        "SELECT a.object_id, b.name FROM sys.all_columns a CROSS JOIN sys.all_columns b CROSS JOIN sys.all_columns c";
    let loops = [
        "DECLARE @i int = 0; WHILE 1 = 1 SET @i += 1",
        "WHILE 1 = 1 PRINT 'round and round'",
        "DECLARE @s varchar(max) = ''; WHILE 1 = 1 SET @s = LEFT(@s + 'a', 100)",
        "WHILE 1 = 1 SELECT 1 AS a",
        "WHILE 1 = 1 BEGIN TRY THROW 50000, 'x', 1 END TRY BEGIN CATCH END CATCH",
        endless,
    ];
    let mut wrong = Vec::new();
    for text in loops {
        for _ in 0..3 {
            wire.client.batch(text);
            wire.send();
            wire.read_for(Duration::from_millis(300));
            wire.client.attention();
            let asked = Instant::now();
            wire.send();
            let answer = wire.answer();
            let heard = asked.elapsed();
            println!("{heard:>9.1?} to the end of {text}");
            if !answer.cancelled || heard > WAIT_MAX {
                wrong.push(format!("{heard:?}, cancelled: {}: {text}", answer.cancelled));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A session that asks for a row every few milliseconds.
struct Beside {
    slowest_us: Arc<AtomicU64>,
    ends: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Beside {
    fn start(port: u16) -> Beside {
        let (slowest_us, ends) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (slowest, end) = (slowest_us.clone(), ends.clone());
        let mut wire = Wire::open(port, "master").expect("logged in");
        let thread = std::thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                let begun = Instant::now();
                assert_eq!(wire.query("SELECT 1").rows, [vec![Datum::I64(1)]]);
                slowest.fetch_max(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        Beside { slowest_us, ends, thread: Some(thread) }
    }

    fn reset(&self) {
        self.slowest_us.store(0, Ordering::Relaxed);
    }

    /// Since `reset`; the answer under way is waited for.
    fn slowest(&self) -> Duration {
        std::thread::sleep(Duration::from_millis(20));
        Duration::from_micros(self.slowest_us.load(Ordering::Relaxed))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let ended = self.thread.take().expect("runs").join();
        assert!(ended.is_ok() || std::thread::panicking(), "the session beside got no answer");
    }
}
