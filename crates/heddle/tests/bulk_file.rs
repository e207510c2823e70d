//! BULK INSERT and OPENROWSET(BULK ...): files of all forms, what is wrong with them, and who may read which.
//! https://learn.microsoft.com/sql/t-sql/statements/bulk-insert-transact-sql
//! https://learn.microsoft.com/sql/t-sql/functions/openrowset-bulk-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use support::wire::{Wire, must, one};
use support::{Server, scratch};

struct Site {
    server: Server,
    directory: PathBuf,
    wire: Wire,
}

impl Site {
    fn new(name: &str) -> Site {
        let root = scratch(name);
        let (data, directory) = (root.join("data"), root.join("files"));
        fs::create_dir_all(&directory).expect("made");
        let allowed = directory.to_string_lossy().into_owned();
        let server = Server::start_on(&data.to_string_lossy(), &["--bulk-directory", &allowed, "--cpus", "0"]);
        let wire = Wire::open(server.port, "master").expect("logged in");
        Site { server, directory, wire }
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.directory.join(name);
        fs::write(&path, bytes).expect("written");
        path.to_string_lossy().into_owned()
    }

    /// All rows of the query, values joined by bars.
    fn rows(&mut self, query: &str) -> Vec<String> {
        let shown = format!("SELECT * FROM ({query}) AS q");
        let found =
            self.server.sql(&["-d", "master", "-h", "-1", "-s", "|", "-W", "-Q", &format!("SET NOCOUNT ON; {shown}")]);
        String::from_utf8_lossy(&found.stdout)
            .lines()
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect()
    }

    /// The numbers of a batch's errors.
    fn errors(&mut self, batch: &str) -> Vec<i32> {
        self.wire.query(batch).errors.iter().map(|error| error.0).collect()
    }
}

#[test]
fn text_files_of_all_forms() {
    let mut site = Site::new("bulk_text");
    must(
        &mut site.wire,
        "CREATE TABLE t (id int NOT NULL, name varchar(10) NULL, amount decimal(9, 2) NULL DEFAULT 7, at datetime2(0) NULL)",
    );
    let tabs = site.file("tabs.txt", "1\tone\t1.50\t2024-02-29 10:11:12\r\n2\t\t\t\r\n");
    must(&mut site.wire, &format!("BULK INSERT t FROM '{tabs}'"));
    assert_eq!(
        site.rows("SELECT id, ISNULL(name, '-') AS n, amount, ISNULL(CONVERT(varchar(19), at, 120), '-') AS at FROM t"),
        ["1|one|1.50|2024-02-29 10:11:12", "2|-|7.00|-"]
    );
    // KEEPNULLS, own terminators, some rows; a line feed alone ends a row too, and the last row needs no end.
    let bars = site.file("bars.txt", "id|name|amount|at\n3|three|3|2024-01-01\n4|four||\n5|five|5|2024-01-01");
    must(
        &mut site.wire,
        &format!(
            "TRUNCATE TABLE t; BULK INSERT t FROM '{bars}' WITH (FIELDTERMINATOR = '|', ROWTERMINATOR = '\\n', FIRSTROW = 2, LASTROW = 4, KEEPNULLS, TABLOCK)"
        ),
    );
    assert_eq!(
        site.rows("SELECT id, name, ISNULL(CONVERT(varchar(9), amount), '-') AS a FROM t"),
        ["3|three|3.00", "4|four|-", "5|five|5.00"]
    );
    let feeds = site.file("feeds.txt", "6||x;y||1||2024-01-01;;7||z||2||2024-01-01;;");
    must(
        &mut site.wire,
        &format!(
            "TRUNCATE TABLE t; BULK INSERT t FROM '{feeds}' WITH (FIELDTERMINATOR = '||', ROWTERMINATOR = '0x3b3b')"
        ),
    );
    assert_eq!(site.rows("SELECT id, name FROM t"), ["6|x;y", "7|z"]);
    // RFC 4180: quotes, terminators and quotes within them, lines within them.
    let csv = site.file(
        "quoted.csv",
        "id,name,amount,at\r\n8,\"a, \"\"b\"\"\",1,\r\n9,\"two\r\nrows\",2,2024-01-01\r\n10,,,\"\"\r\n",
    );
    must(&mut site.wire, &format!("TRUNCATE TABLE t; BULK INSERT t FROM '{csv}' WITH (FORMAT = 'CSV', FIRSTROW = 2)"));
    assert_eq!(
        site.rows("SELECT id, REPLACE(name, CHAR(13) + CHAR(10), '/') AS n FROM t"),
        ["8|a, \"b\"", "9|two/rows", "10|NULL"]
    );
    let own_quote = site.file("own.csv", "11;'it''s; so';1;\n");
    must(
        &mut site.wire,
        &format!(
            "TRUNCATE TABLE t; BULK INSERT t FROM '{own_quote}' WITH (FORMAT = 'CSV', FIELDQUOTE = '''', FIELDTERMINATOR = ';', ROWTERMINATOR = '0x0a')"
        ),
    );
    assert_eq!(site.rows("SELECT id, name FROM t"), ["11|it's; so"]);
    // A terminator that ends in a line feed may have a carriage return before it.
    for end in ["\r\n", "\n"] {
        let ends = site.file("ends.txt", format!("12|twelve|1|&|{end}13|x&y|2|2024-01-01&|{end}"));
        must(
            &mut site.wire,
            &format!(
                "TRUNCATE TABLE t; BULK INSERT t FROM '{ends}' WITH (FIELDTERMINATOR = '|', ROWTERMINATOR = '&|\\n')"
            ),
        );
        assert_eq!(site.rows("SELECT id, name FROM t"), ["12|twelve", "13|x&y"]);
    }
    // Code pages, and UTF-16.
    must(&mut site.wire, "CREATE TABLE w (name nvarchar(20), b varbinary(4))");
    let utf8 = site.file("utf8.txt", "\u{feff}\u{e9}t\u{e9} \u{1f600}\t0x01fF\r\n");
    must(&mut site.wire, &format!("BULK INSERT w FROM '{utf8}' WITH (CODEPAGE = '65001')"));
    let latin = site.file("latin.txt", b"\xe9t\xe9\t0a\n");
    must(&mut site.wire, &format!("BULK INSERT w FROM '{latin}' WITH (CODEPAGE = 'ACP')"));
    let wide: Vec<u8> = "\u{feff}\u{3a9}\u{d0a}\t\r\nb\t0b\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = site.file("wide.txt", wide);
    must(&mut site.wire, &format!("BULK INSERT w FROM '{wide}' WITH (DATAFILETYPE = 'widechar')"));
    assert_eq!(
        one(
            &mut site.wire,
            "SELECT COUNT(*) FROM w WHERE name = NCHAR(233) + 't' + NCHAR(233) + ' ' + NCHAR(0xd83d) + NCHAR(0xde00) AND b = 0x01ff OR name = NCHAR(233) + 't' + NCHAR(233) AND b = 0x0a OR name = NCHAR(937) + NCHAR(0xd0a) AND b IS NULL OR name = 'b' AND b = 0x0b"
        ),
        4
    );
    assert_eq!(site.errors(&format!("BULK INSERT w FROM '{utf8}' WITH (CODEPAGE = '12345')")), [2775]);
}

#[test]
fn identity_constraints_triggers_and_batches() {
    let mut site = Site::new("bulk_rules");
    must(
        &mut site.wire,
        "CREATE TABLE t (id int IDENTITY, a int CHECK (a < 10), twice AS a * 2, rv rowversion); CREATE TABLE fired (n int)",
    );
    must(&mut site.wire, "EXEC ('CREATE TRIGGER tr ON t AFTER INSERT AS INSERT fired SELECT COUNT(*) FROM inserted')");
    let rows = site.file("rows.txt", "100\t1\t0\t\r\n200\t50\t0\t\r\n");
    let untrusted = "SELECT COUNT(*) FROM sys.check_constraints WHERE is_not_trusted = 1";
    must(
        &mut site.wire,
        &format!("BULK INSERT t FROM '{rows}' WITH (CHECK_CONSTRAINTS, LASTROW = 1); TRUNCATE TABLE t"),
    );
    assert_eq!(one(&mut site.wire, untrusted), 0);
    must(&mut site.wire, &format!("BULK INSERT t FROM '{rows}'"));
    assert_eq!(site.rows("SELECT id, a, twice FROM t"), ["1|1|2", "2|50|100"]);
    assert_eq!(one(&mut site.wire, untrusted), 1, "nobody has looked at what came");
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{rows}' WITH (CHECK_CONSTRAINTS)")), [547]);
    must(&mut site.wire, &format!("TRUNCATE TABLE t; BULK INSERT t FROM '{rows}' WITH (KEEPIDENTITY, FIRE_TRIGGERS)"));
    assert_eq!(site.rows("SELECT id FROM t"), ["100", "200"]);
    assert_eq!(site.rows("SELECT n FROM fired"), ["2"]);
    // A batch that is done stays; without batches it is all or nothing.
    must(&mut site.wire, "CREATE TABLE u (id int PRIMARY KEY)");
    let twice = site.file("twice.txt", "1\n2\n3\n4\n3\n");
    assert_eq!(site.errors(&format!("BULK INSERT u FROM '{twice}'")), [2627]);
    assert_eq!(one(&mut site.wire, "SELECT COUNT(*) FROM u"), 0);
    assert_eq!(site.errors(&format!("BULK INSERT u FROM '{twice}' WITH (BATCHSIZE = 2)")), [2627]);
    assert_eq!(one(&mut site.wire, "SELECT COUNT(*) FROM u"), 4);
    must(
        &mut site.wire,
        &format!(
            "TRUNCATE TABLE u; BEGIN TRANSACTION; BULK INSERT u FROM '{twice}' WITH (BATCHSIZE = 2, LASTROW = 4); ROLLBACK"
        ),
    );
    assert_eq!(one(&mut site.wire, "SELECT COUNT(*) FROM u"), 0);
    assert_eq!(one(&mut site.wire, &format!("BULK INSERT u FROM '{twice}' WITH (LASTROW = 4); SELECT @@ROWCOUNT")), 4);
    // Through a view.
    must(&mut site.wire, "EXEC ('CREATE VIEW v AS SELECT id FROM u'); TRUNCATE TABLE u");
    must(&mut site.wire, &format!("BULK INSERT v FROM '{twice}' WITH (LASTROW = 2)"));
    assert_eq!(one(&mut site.wire, "SELECT COUNT(*) FROM u"), 2);
}

#[test]
fn what_is_wrong_with_a_file() {
    let mut site = Site::new("bulk_wrong");
    must(&mut site.wire, "CREATE TABLE t (id int NOT NULL, name varchar(3) NULL)");
    let rows = site.file("rows.txt", "1\tone\r\nx\ttwo\r\n3\tthree\r\n4\tfor\r\n");
    let rejected = site.directory.join("rejected.txt").to_string_lossy().into_owned();
    let answer = site.wire.query(&format!("BULK INSERT t FROM '{rows}' WITH (ERRORFILE = '{rejected}')"));
    let told: Vec<(i32, String)> = answer.errors.iter().map(|error| (error.0, error.2.clone())).collect();
    assert_eq!(told.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [4864, 4863]);
    assert!(told[0].1.contains("for row 2, column 1 (id)"), "{told:?}");
    assert!(told[1].1.contains("for row 3, column 2 (name)"), "{told:?}");
    assert_eq!(site.rows("SELECT id, name FROM t"), ["1|one", "4|for"]);
    assert_eq!(fs::read_to_string(&rejected).expect("made"), "x\ttwo\r\n3\tthree\r\n");
    let reasons = fs::read_to_string(format!("{rejected}.Error.Txt")).expect("made");
    assert_eq!(reasons.lines().count(), 2);
    // It is there now.
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{rows}' WITH (ERRORFILE = '{rejected}')")), [4861]);
    must(&mut site.wire, "TRUNCATE TABLE t");
    assert_eq!(
        site.errors(&format!("BULK INSERT t FROM '{rows}' WITH (MAXERRORS = 1)")),
        [4864, 4863, 4865, 7399, 7330]
    );
    assert_eq!(one(&mut site.wire, "SELECT COUNT(*) FROM t"), 0);
    let short = site.file("short.txt", "1\tone\r\n2");
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{short}'")), [4832, 7399, 7330]);
    let null = site.file("null.txt", "\tone\r\n");
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{null}'")), [4869, 7399, 7330]);
    let open = site.file("open.csv", "1,\"one\n");
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{open}' WITH (FORMAT = 'CSV')")), [4879, 7399, 7330]);
    let few = site.file("few.csv", "1\n2,b\n");
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{few}' WITH (FORMAT = 'CSV')")), [4879, 7399, 7330]);
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{rows}' WITH (FIRSTROW = 3, LASTROW = 2)")), [4880]);
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{rows}' WITH (NO_SUCH = 2)")), [155]);
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{rows}' WITH (FORMATFILE_DATA_SOURCE = 'x')")), [40510]);
    assert_eq!(site.errors(&format!("DECLARE @f varchar(99) = '{rows}'; BULK INSERT t FROM @f")), [102]);
    assert_eq!(site.errors(&format!("BULK INSERT missing FROM '{rows}'")), [208]);
    let binary = site.file("binary.txt", [0xff; 40]);
    assert!(!site.errors(&format!("BULK INSERT t FROM '{binary}'")).is_empty());
}

#[test]
fn format_files() {
    let mut site = Site::new("bulk_format");
    must(&mut site.wire, "CREATE TABLE t (id int, name varchar(20), skipped int DEFAULT 5, n float)");
    let rows = site.file("rows.txt", "one,1,x,0.5\r\ntwo,2,y,1e2\r\n");
    let lines = site.file(
        "rows.fmt",
        "14.0\r\n4\r\n1 SQLCHAR 0 20 \",\" 2 name SQL_Latin1_General_CP1_CI_AS\r\n2 SQLCHAR 0 12 \",\" 1 id \"\"\r\n3 SQLCHAR 0 9 \",\" 0 extra \"\"\r\n4 SQLCHAR 0 30 \"\\r\\n\" 4 n \"\"\r\n",
    );
    must(&mut site.wire, &format!("BULK INSERT t FROM '{rows}' WITH (FORMATFILE = '{lines}')"));
    assert_eq!(site.rows("SELECT id, name, skipped, n FROM t"), ["1|one|5|0.5", "2|two|5|100.0"]);
    let read = format!("SELECT f.id, f.name, f.n FROM OPENROWSET(BULK '{rows}', FORMATFILE = '{lines}') AS f");
    assert_eq!(site.rows(&read), ["1|one|0.5", "2|two|1e2"]);
    let xml = site.file(
        "rows.xml",
        r#"<?xml version="1.0"?>
<BCPFORMAT xmlns="http://schemas.microsoft.com/sqlserver/2004/bulkload/format" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
 <RECORD>
  <FIELD ID="1" xsi:type="CharTerm" TERMINATOR="," MAX_LENGTH="20"/>
  <FIELD ID="2" xsi:type="CharTerm" TERMINATOR="," MAX_LENGTH="12"/>
  <FIELD ID="3" xsi:type="CharTerm" TERMINATOR="," MAX_LENGTH="9"/>
  <FIELD ID="4" xsi:type="CharTerm" TERMINATOR="\r\n" MAX_LENGTH="30"/>
 </RECORD>
 <ROW>
  <COLUMN SOURCE="2" NAME="id" xsi:type="SQLINT"/>
  <COLUMN SOURCE="1" NAME="name" xsi:type="SQLVARYCHAR"/>
  <COLUMN SOURCE="4" NAME="n" xsi:type="SQLFLT8"/>
 </ROW>
</BCPFORMAT>"#,
    );
    let read = format!("SELECT f.id + 1 AS id, f.name, f.n FROM OPENROWSET(BULK '{rows}', FORMATFILE = '{xml}') AS f");
    assert_eq!(site.rows(&read), ["2|one|0.5", "3|two|100.0"]);
    // Native fields: a fixed one, one with a prefix, NULL.
    let mut native = Vec::new();
    native.extend(7_i32.to_le_bytes());
    native.extend(2_u16.to_le_bytes());
    native.extend(b"ab");
    native.extend(8_i32.to_le_bytes());
    native.extend([0xff, 0xff]);
    let native = site.file("native.dat", native);
    let format = site.file("native.fmt", "14.0\n2\n1 SQLINT 0 4 \"\" 1 id \"\"\n2 SQLCHAR 2 20 \"\" 2 name \"\"\n");
    must(&mut site.wire, &format!("TRUNCATE TABLE t; BULK INSERT t FROM '{native}' WITH (FORMATFILE = '{format}')"));
    assert_eq!(site.rows("SELECT id, name FROM t"), ["7|ab", "8|NULL"]);
    for (text, number) in [
        ("x\n1\n", 4820),
        ("14.0\nx\n", 4821),
        ("14.0\n0\n", 4822),
        ("14.0\n1\n2 SQLINT 0 4 \"\" 1 id \"\"\n", 4823),
        ("14.0\n1\n1 SQLWHAT 0 4 \"\" 1 id \"\"\n", 4824),
        ("14.0\n1\n1 SQLINT 3 4 \"\" 1 id \"\"\n", 4825),
        ("14.0\n1\n1 SQLINT 0 x \"\" 1 id \"\"\n", 4826),
        ("14.0\n1\n1 SQLCHAR 0 0 \"\" 1 id \"\"\n", 4827),
        ("14.0\n1\n1 SQLINT 0 4 \"\" 9 id \"\"\n", 4828),
    ] {
        let format = site.file("wrong.fmt", text);
        assert_eq!(
            site.errors(&format!("BULK INSERT t FROM '{rows}' WITH (FORMATFILE = '{format}')")),
            [number],
            "{text}"
        );
    }
}

#[test]
fn native_files() {
    let mut site = Site::new("bulk_native");
    must(
        &mut site.wire,
        "CREATE TABLE t (i int NOT NULL, b bigint NULL, m money NOT NULL, d datetime NOT NULL, n decimal(5, 2) NULL, s varchar(5) NULL, w nvarchar(5) NULL, g date NOT NULL)",
    );
    let mut bytes = Vec::new();
    bytes.extend((-5_i32).to_le_bytes());
    bytes.push(8);
    bytes.extend((1_i64 << 40).to_le_bytes());
    bytes.extend([0, 0, 0, 0]);
    bytes.extend(15_000_u32.to_le_bytes());
    bytes.extend(1_i32.to_le_bytes());
    bytes.extend(300_u32.to_le_bytes());
    bytes.push(19);
    bytes.extend([5, 2, 0]);
    bytes.extend(12_345_u128.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(b"x");
    bytes.extend(2_u16.to_le_bytes());
    bytes.extend([0xa9, 3]);
    bytes.extend([0x5b, 0x95, 0x0a]);
    let file = site.file("native.dat", &bytes);
    must(&mut site.wire, &format!("BULK INSERT t FROM '{file}' WITH (DATAFILETYPE = 'native')"));
    assert_eq!(
        site.rows("SELECT i, b, m, CONVERT(varchar(19), d, 120) AS d, n, s, UNICODE(w) AS w, g FROM t"),
        ["-5|1099511627776|1.5000|1900-01-02 00:00:01|-123.45|x|937|1900-01-01"]
    );
    bytes.truncate(bytes.len() - 2);
    let file = site.file("cut.dat", &bytes);
    assert_eq!(site.errors(&format!("BULK INSERT t FROM '{file}' WITH (DATAFILETYPE = 'native')")), [4832, 7399, 7330]);
}

/// Values of the types with methods are hexadecimal in a text file, as bcp writes them and the files of AdventureWorks have them.
#[test]
fn values_with_methods_are_what_they_serialize_to() {
    let mut site = Site::new("bulk_methods");
    must(&mut site.wire, "CREATE TABLE p (id int, place geography, node hierarchyid)");
    let places = site.file(
        "places.txt",
        "1\tE6100000010CAE8BFC28BCE4474067A89189898A5EC0\t5AC0\n2\t0xE6100000010C18E304C4ADE14740DA930C7893915EC0\t\n3\t\t58\n",
    );
    must(&mut site.wire, &format!("BULK INSERT p FROM '{places}' WITH (ROWTERMINATOR = '0x0a')"));
    assert_eq!(
        site.rows("SELECT id, ROUND(place.Lat, 4) AS lat, place.STSrid AS srid, node.ToString() AS node FROM p"),
        ["1|47.786999999999999|4326|/1/1/", "2|47.763100000000001|4326|NULL", "3|NULL|NULL|/1/"]
    );
    let broken = site.file("broken.txt", "1\tE610000001\t58\n");
    let errors = site.errors(&format!("BULK INSERT p FROM '{broken}' WITH (ROWTERMINATOR = '0x0a')"));
    assert_eq!(errors.first(), Some(&4864));
}

#[test]
fn rowsets() {
    let mut site = Site::new("bulk_rowset");
    let text = site.file("text.txt", "some text");
    assert_eq!(
        site.rows(&format!("SELECT BulkColumn FROM OPENROWSET(BULK '{text}', SINGLE_CLOB) AS f")),
        ["some text"]
    );
    assert_eq!(
        one(
            &mut site.wire,
            &format!("SELECT CAST(DATALENGTH(f.c) AS int) FROM OPENROWSET(BULK '{text}', SINGLE_BLOB) AS f (c)")
        ),
        9
    );
    assert_eq!(site.errors(&format!("SELECT * FROM OPENROWSET(BULK '{text}', SINGLE_NCLOB) AS f")), [4809]);
    let wide: Vec<u8> = "\u{feff}wide".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = site.file("wide.txt", wide);
    assert_eq!(site.rows(&format!("SELECT * FROM OPENROWSET(BULK '{wide}', SINGLE_NCLOB) AS f")), ["wide"]);
    assert_eq!(site.errors(&format!("SELECT * FROM OPENROWSET(BULK '{wide}', SINGLE_CLOB) AS f")), [4806]);
    let csv = site.file("rows.csv", "id,name\n1,\"a\"\n2,b\n");
    let with = format!(
        "SELECT f.name, f.id FROM OPENROWSET(BULK '{csv}', FORMAT = 'CSV', FIRSTROW = 2) WITH (id int, name varchar(5)) AS f"
    );
    assert_eq!(site.rows(&format!("{with} WHERE f.id > 0")), ["a|1", "b|2"]);
    let by_place =
        format!("SELECT f.n FROM OPENROWSET(BULK '{csv}', FORMAT = 'CSV', FIRSTROW = 2) WITH (n varchar(5) 2) AS f");
    assert_eq!(site.rows(&by_place), ["a", "b"]);
    let wide = site.file("wide.csv", "1,a,\"x,\n\",2\n2,\"b\",y,3\n3,c,,\n");
    let first =
        format!("SELECT f.id, f.n FROM OPENROWSET(BULK '{wide}', FORMAT = 'CSV') WITH (id int, n varchar(5)) AS f");
    assert_eq!(site.rows(&first), ["1|a", "2|b", "3|c"]);
    must(&mut site.wire, &format!("SELECT f.* INTO t FROM ({with}) AS f; INSERT t {with}"));
    assert_eq!(one(&mut site.wire, "SELECT COUNT(*) FROM t"), 4);
    assert_eq!(site.errors(&format!("SELECT * FROM OPENROWSET(BULK '{text}', SINGLE_CLOB)")), [491]);
    assert_eq!(
        site.errors(&format!("SELECT * FROM OPENROWSET(BULK '{text}', SINGLE_CLOB, FIRSTROW = 1) AS f")),
        [4802]
    );
}

#[test]
fn who_may_read_what() {
    let mut site = Site::new("bulk_rights");
    let inside = site.file("inside.txt", "1\n");
    must(&mut site.wire, "CREATE TABLE t (a int)");
    let outside = site.directory.parent().expect("above").join("outside.txt");
    fs::write(&outside, "1\n").expect("written");
    let read = |path: &Path| format!("BULK INSERT t FROM '{}'", path.to_string_lossy());
    assert_eq!(site.errors(&read(&outside)), [4861]);
    assert_eq!(site.errors(&read(Path::new("/etc/passwd"))), [4861]);
    assert_eq!(site.errors(&read(&site.directory.join("../outside.txt"))), [4861]);
    assert_eq!(site.errors("BULK INSERT t FROM '../master.mdf'"), [4860]);
    assert_eq!(site.errors("BULK INSERT t FROM 'C:\\data\\x.txt'"), [4860]);
    std::os::unix::fs::symlink(&outside, site.directory.join("link.txt")).expect("made");
    assert_eq!(site.errors(&read(&site.directory.join("link.txt"))), [4861]);
    assert_eq!(site.errors(&read(&site.directory.join("missing.txt"))), [4860]);
    // Relative paths lie in a directory of the data.
    let bulk = site.directory.parent().expect("above").join("data/bulk");
    fs::create_dir_all(&bulk).expect("made");
    fs::write(bulk.join("own.txt"), "2\n").expect("written");
    must(&mut site.wire, "BULK INSERT t FROM 'own.txt'");
    assert_eq!(one(&mut site.wire, "SELECT a FROM t"), 2);
    // Who may load.
    must(
        &mut site.wire,
        "CREATE LOGIN loader WITH PASSWORD = 'Loom-1-loom'; CREATE USER loader FOR LOGIN loader; GRANT INSERT, SELECT ON t TO loader",
    );
    let load = format!("EXECUTE AS LOGIN = 'loader'; BULK INSERT t FROM '{inside}'; REVERT");
    assert_eq!(site.errors(&load), [4834]);
    must(&mut site.wire, "WHILE @@TRANCOUNT > 0 ROLLBACK; REVERT");
    let whole = format!("EXECUTE AS LOGIN = 'loader'; SELECT * FROM OPENROWSET(BULK '{inside}', SINGLE_BLOB) AS f");
    assert_eq!(site.errors(&whole), [4834]);
    must(&mut site.wire, "REVERT; GRANT ADMINISTER BULK OPERATIONS TO loader");
    assert!(site.errors(&load).is_empty());
    assert_eq!(one(&mut site.wire, "SELECT COUNT(*) FROM t"), 2);
}

#[test]
fn a_long_file_gives_way_and_ends_when_it_is_told_to() {
    let mut site = Site::new("bulk_long");
    must(&mut site.wire, "CREATE TABLE t (a int, b varchar(100))");
    let mut text = String::new();
    for i in 0..600_000 {
        text.push_str(&format!("{i}\tsome text of row {i}\n"));
    }
    let file = site.file("long.txt", text);
    let mut beside = Wire::open(site.server.port, "master").expect("logged in");
    site.wire.client.batch(&format!("BULK INSERT t FROM '{file}'"));
    site.wire.send();
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let begun = Instant::now();
        assert_eq!(one(&mut beside, "SELECT 1"), 1);
        slowest = slowest.max(begun.elapsed());
        std::thread::sleep(Duration::from_millis(10));
    }
    site.wire.client.attention();
    let asked = Instant::now();
    site.wire.send();
    let answer = site.wire.answer();
    println!("slowest beside {slowest:?}, {:?} to the end, cancelled {}", asked.elapsed(), answer.cancelled);
    assert!(slowest < Duration::from_secs(1) && asked.elapsed() < Duration::from_secs(2));
    let rows = one(&mut beside, "SELECT COUNT(*) FROM t");
    assert!(rows == 0 && answer.cancelled || rows == 600_000, "{rows}");
}
