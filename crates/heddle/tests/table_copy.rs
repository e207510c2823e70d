//! `heddle sql out`, `queryout` and `in`: tables into files and back, in all forms, and what is wrong with files.
//!
//! https://learn.microsoft.com/sql/tools/bcp-utility has the two text forms' NULL and empty text, what identity values become, and native format;
//! https://www.rfc-editor.org/rfc/rfc4180 CSV. Parquet files of others are in tests/parquet, as hexadecimal text.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use lab::client::Connection;
use support::ask::{ask, connect, must, one, word};
use support::random::number;
use support::{PASSWORD, Server, binary, root, scratch};

struct Site {
    server: Server,
    directory: PathBuf,
    sa: Connection,
}

impl Site {
    fn new(name: &str) -> Site {
        let directory = scratch(name);
        let allowed = directory.to_string_lossy().into_owned();
        let server = Server::start(&["--bulk-directory", &allowed, "--admin-listen", "off"]);
        let mut sa = connect(&server, "master");
        must(&mut sa, "CREATE DATABASE shop");
        must(&mut sa, "USE shop");
        Site { server, directory, sa }
    }

    fn path(&self, name: &str) -> String {
        self.directory.join(name).to_string_lossy().into_owned()
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.directory.join(name), bytes).expect("written");
        self.path(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        self.server.sql(&[&["-d", "shop"], args].concat())
    }

    /// What has to go well: the count that it tells.
    fn copied(&self, args: &[&str]) -> u64 {
        let output = self.run(args);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{args:?}: {}{}", told, String::from_utf8_lossy(&output.stderr));
        told.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{told}"))
    }

    /// What has to fail: why.
    fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).expect("UTF-8")
    }

    fn count(&mut self, table: &str) -> i64 {
        one(&mut self.sa, &format!("SELECT COUNT(*) FROM {table}"))
    }
}

/// Every type, of the names that `values` has; `variant` is of native format alone.
const COLUMNS: &str = "
    id int IDENTITY(5, 2) NOT NULL PRIMARY KEY, twice AS id * 2, version rowversion,
    a bit, b tinyint, c smallint, d int, e bigint, f decimal(38, 10), g numeric(5, 2), h smallmoney, i money, j real, k float,
    l date, m time(7), n time(0), o smalldatetime, p datetime, q datetime2(7), r datetime2(3), s datetimeoffset(7),
    t char(5), u varchar(20), v varchar(max), w nchar(5), x nvarchar(20), y nvarchar(max), z text, aa ntext,
    ab binary(4), ac varbinary(8), ad varbinary(max), ae image, af uniqueidentifier, ag xml, ah hierarchyid, ai geometry, aj geography,
    ak varchar(30) COLLATE Japanese_CI_AS, al varchar(30) COLLATE Latin1_General_100_CI_AS_SC_UTF8, am nvarchar(30) NOT NULL DEFAULT 'none',
    an int NOT NULL, ao datetime2(7) NOT NULL, ap uniqueidentifier NOT NULL, aq decimal(9, 4) NOT NULL, ar bit NOT NULL";

const GIVEN: &str = "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj,
    ak, al, am, an, ao, ap, aq, ar";

/// The smallest values, the largest, some between, and NULL where there may be one. What moments nanoseconds have is between 1678 and 2261.
const ROWS: [&str; 4] = [
    "0, 0, -32768, -2147483648, -9223372036854775808, -9999999999999999999999999999.9999999999, -999.99, -214748.3648,
     -922337203685477.5808, -3.4028235E38, -1.7976931348623157E308, '0001-01-01', '00:00:00', '00:00:00', '1900-01-01', '1753-01-01',
     '1678-01-01', '0001-01-01', '0001-01-02 00:00:00.0000001 +14:00', '', '', '', N'', N'', N'', '', N'', 0x, 0x, 0x, 0x,
     '00000000-0000-0000-0000-000000000000', N'', hierarchyid::GetRoot(), geometry::STGeomFromText('POINT EMPTY', 0),
     geography::STGeomFromText('POINT(-122.34 47.65)', 4326), '', '', N'', -1, '2000-01-01', '01234567-89ab-cdef-0123-456789abcdef', -0.0001, 0",
    "1, 255, 32767, 2147483647, 9223372036854775807, 9999999999999999999999999999.9999999999, 999.99, 214748.3647,
     922337203685477.5807, 1.17549435E-38, 2.2250738585072014E-308, '9999-12-31', '23:59:59.9999999', '23:59:59', '2079-06-06 23:59',
     '9999-12-31 23:59:59.997', '2261-12-31 23:59:59.9999999', '9999-12-31 23:59:59.999', '9999-12-31 23:59:59.9999999 +14:00',
     'abcde', 'caf' + CHAR(233), REPLICATE(CONVERT(varchar(max), 'long '), 20000), N'\u{3a9}\u{3a9}\u{3a9}\u{3a9}\u{3a9}',
     N'\u{1f600} ' + NCHAR(8364), REPLICATE(CONVERT(nvarchar(max), N'\u{3b1}'), 70000), REPLICATE(CONVERT(varchar(max), 't'), 9000),
     REPLICATE(CONVERT(nvarchar(max), N'n'), 9000), 0x01020304, 0xFFFEFDFCFBFAF9F8, CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'b'), 90000)),
     CONVERT(varbinary(max), REPLICATE('i', 8000)), 'ffffffff-ffff-ffff-ffff-ffffffffffff', N'<r a=\"1\">x<b/>\u{e9}</r>', hierarchyid::Parse('/1/2.5/'),
     geometry::STGeomFromText('POLYGON((0 0, 3 0, 3 3, 0 0))', 7), geography::STGeomFromText('LINESTRING(0 0, 1 1)', 4326),
     N'\u{30c6}\u{30b9}\u{30c8}', N'\u{1f600}\u{e9}', N'x', 2147483647, '2024-02-29 12:34:56.7654321', NEWID(), 12345.6789, 1",
    "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, N' ', 0, '1999-12-31', NEWID(), 0, 1",
    "1, 7, -5, 12, 34, 0.0000000001, 0.01, -0.0001, 0.0001, 0.1, 0.1, '2024-02-29', '12:34:56.7890123', '12:34:56', '2024-02-29 12:35',
     '2024-02-29 12:34:56.003', '2024-02-29 12:34:56.1234567', '1969-12-31 23:59:59.999', '2024-02-29 12:34:56.1234567 +05:30', ' a',
     'x,\"y\"; z', '\"', N' ', N'a''b', N'  ', ' ', N' ', 0x00, 0x00, 0x00, 0x00, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', N'text &amp; more', hierarchyid::GetRoot(),
     geometry::STGeomFromText('POINT(1.5 -2.5)', 0), NULL, 'half', 'utf8', N'NULL', 5, '1700-01-01 00:00:00.0000001', NEWID(), 1.5, 0",
];

/// A table of all types, filled.
fn with_all(sa: &mut Connection, name: &str) {
    must(sa, &format!("CREATE TABLE {name} ({COLUMNS})"));
    for row in ROWS {
        must(sa, &format!("INSERT {name} ({GIVEN}) SELECT {row}"));
    }
}

/// All values of a table as bytes, which are the same where the values are.
fn bytes_of(table: &str) -> String {
    let columns = GIVEN.split(',').map(|column| match column.trim() {
        name @ ("z" | "t" | "u" | "v" | "ak" | "al") => {
            format!("CONVERT(varbinary(max), CONVERT(varchar(max), {name})) AS {name}")
        }
        name @ ("aa" | "ag" | "w" | "x" | "y" | "am") => {
            format!("CONVERT(varbinary(max), CONVERT(nvarchar(max), {name})) AS {name}")
        }
        name @ ("ae" | "ah" | "ai" | "aj") => format!("CONVERT(varbinary(max), {name}) AS {name}"),
        // An offset is no part of what is compared.
        "s" => "CONVERT(nvarchar(40), s) AS s".to_owned(),
        name => name.to_owned(),
    });
    format!("SELECT id, {} FROM {table}", columns.collect::<Vec<_>>().join(", "))
}

/// Rows that only one of the two has.
fn differing(sa: &mut Connection, one_table: &str, other: &str) -> i64 {
    let (a, b) = (bytes_of(one_table), bytes_of(other));
    one(sa, &format!("SELECT COUNT(*) FROM (({a} EXCEPT {b}) UNION ALL ({b} EXCEPT {a})) AS d"))
}

#[test]
fn every_type_comes_back_from_every_form() {
    let mut site = Site::new("copy_types");
    with_all(&mut site.sa, "t");
    must(&mut site.sa, &format!("CREATE TABLE back ({COLUMNS})"));
    let forms: [(&str, &[&str]); 9] = [
        ("t.bcp", &[]),
        ("t.txt", &["--format", "character"]),
        ("t16.txt", &["--format", "character", "--encoding", "utf-16"]),
        ("bars.txt", &["--format", "character", "--field-end", "||", "--row-end", "@@\\n"]),
        ("t.csv", &[]),
        ("bare.csv", &["--no-header"]),
        ("t16.csv", &["--encoding", "utf-16"]),
        ("semicolons.csv", &["--field-end", ";"]),
        ("t.parquet", &[]),
    ];
    for (file, form) in forms {
        let file = site.path(file);
        assert_eq!(site.copied(&[&["out", "t", &file], form].concat()), 4, "{file}");
        must(&mut site.sa, "TRUNCATE TABLE back");
        assert_eq!(
            site.copied(&[&["in", "back", &file, "--keep-identity", "--keep-nulls"], form].concat()),
            4,
            "{file}"
        );
        assert_eq!(differing(&mut site.sa, "t", "back"), 0, "{file}");
        assert_eq!(one(&mut site.sa, "SELECT COUNT(*) FROM back WHERE twice = id * 2 AND version > 0x"), 4, "{file}");
    }
    // An empty table, too.
    must(&mut site.sa, "TRUNCATE TABLE back");
    for (file, form) in forms {
        let file = site.path(file);
        assert_eq!(site.copied(&[&["out", "back", &file], form].concat()), 0, "{file}");
        assert_eq!(site.copied(&[&["in", "back", &file], form].concat()), 0, "{file}");
    }
    assert!(
        !fs::read_dir(&site.directory)
            .expect("a directory")
            .any(|entry| { entry.expect("an entry").file_name().to_string_lossy().ends_with(".part") })
    );
}

/// The server's own reader of such files was written apart from this one.
#[test]
fn bulk_insert_reads_what_was_copied() {
    let mut site = Site::new("copy_bulk_insert");
    with_all(&mut site.sa, "t");
    must(&mut site.sa, &format!("CREATE TABLE back ({COLUMNS})"));
    let native = site.path("t.bcp");
    site.copied(&["out", "t", &native]);
    // It reads no geometry, geography and hierarchyid in native format: without these.
    must(
        &mut site.sa,
        "SELECT id, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, ab, ac, ad, af, ag, ak, al, am, an, ao, ap, aq, ar INTO plain FROM t",
    );
    must(&mut site.sa, "SELECT TOP (0) * INTO plain_back FROM plain");
    let plain = site.path("plain.bcp");
    site.copied(&["out", "plain", &plain]);
    must(
        &mut site.sa,
        &format!("BULK INSERT plain_back FROM '{plain}' WITH (DATAFILETYPE = 'native', KEEPIDENTITY, KEEPNULLS)"),
    );
    let same = |table: &str| {
        format!(
            "SELECT id, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, CONVERT(nvarchar(40), s) AS s, CONVERT(varbinary(20), u) AS u, CONVERT(varbinary(max), v) AS v, CONVERT(varbinary(max), y) AS y, ab, ac, ad, af, CONVERT(nvarchar(max), ag) AS ag, CONVERT(varbinary(30), ak) AS ak, CONVERT(varbinary(30), al) AS al, an, ao, ap, aq, ar FROM {table}"
        )
    };
    let (a, b) = (same("plain"), same("plain_back"));
    assert_eq!(
        one(&mut site.sa, &format!("SELECT COUNT(*) FROM (({a} EXCEPT {b}) UNION ALL ({b} EXCEPT {a})) AS d")),
        0
    );
    let wide = site.path("wide.txt");
    site.copied(&["out", "plain", &wide, "--format", "character", "--encoding", "utf-16"]);
    must(
        &mut site.sa,
        &format!(
            "TRUNCATE TABLE plain_back; BULK INSERT plain_back FROM '{wide}' WITH (DATAFILETYPE = 'widechar', KEEPIDENTITY, KEEPNULLS)"
        ),
    );
    assert_eq!(
        one(&mut site.sa, &format!("SELECT COUNT(*) FROM (({a} EXCEPT {b}) UNION ALL ({b} EXCEPT {a})) AS d")),
        0
    );
    let csv = site.path("plain.csv");
    site.copied(&["out", "plain", &csv]);
    must(
        &mut site.sa,
        &format!(
            "TRUNCATE TABLE plain_back; BULK INSERT plain_back FROM '{csv}' WITH (FORMAT = 'CSV', FIRSTROW = 2, CODEPAGE = '65001', KEEPIDENTITY, KEEPNULLS)"
        ),
    );
    assert_eq!(site.count("plain_back"), 4);
}

#[test]
fn variants_go_through_native_format_alone() {
    let mut site = Site::new("copy_variants");
    must(&mut site.sa, "CREATE TABLE v (id int, x sql_variant)");
    must(
        &mut site.sa,
        "INSERT v VALUES (1, CONVERT(sql_variant, 1)), (2, N'\u{3a9}'), (3, CONVERT(decimal(9, 3), 1.5)), (4, NULL), (5, CONVERT(varchar(9), 'x')), (6, GETDATE()), (7, 0x01), (8, NEWID())",
    );
    let file = site.path("v.bcp");
    assert_eq!(site.copied(&["out", "v", &file]), 8);
    must(&mut site.sa, "CREATE TABLE back (id int, x sql_variant)");
    assert_eq!(site.copied(&["in", "back", &file]), 8);
    let of = |table: &str| {
        format!(
            "SELECT id, x, SQL_VARIANT_PROPERTY(x, 'BaseType') AS t, SQL_VARIANT_PROPERTY(x, 'Scale') AS s FROM {table}"
        )
    };
    assert_eq!(one(&mut site.sa, &format!("SELECT COUNT(*) FROM ({} INTERSECT {}) AS d", of("v"), of("back"))), 8);
    for name in ["v.csv", "v.parquet"] {
        let told = site.refused(&["out", "v", &site.path(name)]);
        assert!(
            told.contains("column x") && told.contains("sql_variant keeps its types in format native alone"),
            "{told}"
        );
        assert!(!Path::new(&site.path(name)).exists());
    }
}

#[test]
fn rows_of_queries_and_of_other_databases() {
    let mut site = Site::new("copy_queries");
    must(
        &mut site.sa,
        "CREATE TABLE t (id int NOT NULL, s nvarchar(20)); INSERT t VALUES (1, N'one'), (2, NULL), (3, N'')",
    );
    let csv = site.path("q.csv");
    assert_eq!(site.copied(&["queryout", "SELECT s, id * 10 AS ten FROM t ORDER BY id", &csv]), 3);
    assert_eq!(fs::read_to_string(&csv).expect("made"), "s,ten\r\none,10\r\n,20\r\n\"\",30\r\n");
    let text = site.path("q.txt");
    assert_eq!(site.copied(&["queryout", "SELECT id, s FROM t ORDER BY id", &text, "--format", "character"]), 3);
    assert_eq!(fs::read(&text).expect("made"), b"1\tone\n2\t\n3\t\0\n");
    must(&mut site.sa, "CREATE DATABASE other; USE other");
    must(&mut site.sa, "CREATE SCHEMA a; CREATE TABLE a.[t t] (id int NOT NULL, s nvarchar(20)); USE shop");
    assert_eq!(site.copied(&["in", "other.a.[t t]", &text, "--format", "character"]), 3);
    assert_eq!(
        one(
            &mut site.sa,
            "SELECT COUNT(*) FROM other.a.[t t] WHERE id = 2 AND s IS NULL OR id = 3 AND s = '' OR s = 'one'"
        ),
        3
    );
    must(&mut site.sa, "CREATE VIEW v AS SELECT id FROM t WHERE id < 3");
    assert_eq!(site.copied(&["out", "dbo.v", &csv]), 2);
    assert_eq!(site.copied(&["in", "v", &csv]), 2);
    assert_eq!(site.count("t"), 5);
    let told = site.refused(&["queryout", "SELECT 1 AS a; SELECT 2 AS b", &csv]);
    assert!(told.contains("second result"), "{told}");
    assert!(site.refused(&["queryout", "PRINT 'x'", &csv]).contains("no result"));
    let told = site.refused(&["queryout", "SELECT 1 / 0 AS a", &csv]);
    assert!(told.contains("Msg 8134"), "{told}");
    assert_eq!(fs::read_to_string(&csv).expect("made"), "id\r\n1\r\n2\r\n", "what was there is there");
    let told = site.refused(&["out", "missing", &csv]);
    assert!(told.contains("there is no table 'missing' in database 'shop'"), "{told}");
}

#[test]
fn identities_defaults_and_constraints() {
    let mut site = Site::new("copy_rules");
    must(
        &mut site.sa,
        "CREATE TABLE t (id int IDENTITY PRIMARY KEY, n int DEFAULT 7 CHECK (n < 100), k int NOT NULL DEFAULT 8, twice AS n * 2);
         CREATE TABLE fired (n int)",
    );
    must(&mut site.sa, "CREATE TRIGGER tr ON t AFTER INSERT AS INSERT fired SELECT COUNT(*) FROM inserted");
    let file = site.file("t.csv", "k,id,n\n,100,1\n5,200,\n");
    let rows = |site: &mut Site| {
        word(
            &mut site.sa,
            "SELECT STRING_AGG(CONCAT(id, N'/', ISNULL(CONVERT(nvarchar(9), n), N'-'), N'/', k, N'/', twice), N' ') WITHIN GROUP (ORDER BY id) FROM t",
        )
    };
    assert_eq!(site.copied(&["in", "t", &file]), 2);
    assert_eq!(rows(&mut site), "1/1/8/2 2/7/5/14", "numbers of the server's, NULL is the default");
    must(&mut site.sa, "TRUNCATE TABLE t");
    assert_eq!(site.copied(&["in", "t", &file, "--keep-identity", "--fire-triggers", "--tablock"]), 2);
    assert_eq!(rows(&mut site), "100/1/8/2 200/7/5/14");
    assert_eq!(one(&mut site.sa, "SELECT SUM(n) FROM fired"), 2);
    must(&mut site.sa, "TRUNCATE TABLE t");
    let told = site.refused(&["in", "t", &file, "--keep-nulls"]);
    assert!(told.ends_with("row 1, column k: NULL, which the column does not take\n"), "{told}");
    let nulls = site.file("nulls.csv", "k,n\n1,\n");
    assert_eq!(site.copied(&["in", "t", &nulls, "--keep-nulls"]), 1);
    assert_eq!(rows(&mut site), "1/-/1/");
    // The table's order, without names: every column is there, and what nobody gives is passed over.
    let bare = site.file("bare.csv", "9,10,11,12\n");
    must(&mut site.sa, "TRUNCATE TABLE t");
    assert_eq!(site.copied(&["in", "t", &bare, "--no-header"]), 1);
    assert_eq!(rows(&mut site), "1/10/11/20");
    let large = site.file("large.csv", "n\n1\n500\n");
    must(&mut site.sa, "TRUNCATE TABLE t");
    assert!(site.refused(&["in", "t", &large, "--check-constraints"]).contains("Msg 547"));
    assert_eq!(site.count("t"), 0, "all or none");
    assert_eq!(site.copied(&["in", "t", &large]), 2, "as bcp has it");
    let twice = site.file("twice.csv", "id\n1\n2\n3\n4\n4\n5\n");
    must(&mut site.sa, "TRUNCATE TABLE t");
    assert!(site.refused(&["in", "t", &twice, "--keep-identity"]).contains("Msg 2627"));
    assert_eq!(site.count("t"), 0);
    assert!(site.refused(&["in", "t", &twice, "--keep-identity", "--batch", "2"]).contains("Msg 2627"));
    assert_eq!(site.count("t"), 4, "batches before it stay");
}

#[test]
fn wrong_files_are_told_by_row_and_column() {
    let mut site = Site::new("copy_wrong");
    must(&mut site.sa, "CREATE TABLE t (id int NOT NULL, s varchar(3), d date)");
    let long = format!("id,s,d\n{}1,toolong,\n", "1,a,2024-01-01\n".repeat(5000));
    let cases: [(&str, Vec<u8>, &str); 22] = [
        ("a.csv", b"id,s,d\n1,a,\n2,b,2024-02-30\n".to_vec(), "row 2, column d: '2024-02-30' is no date"),
        ("b.csv", long.into_bytes(), "row 5001, column s: too long for varchar(3): 7 bytes"),
        ("c.csv", b"id,s,d\n,a,\n".to_vec(), "row 1, column id: NULL, which the column does not take"),
        ("d.csv", b"id,s,d\n1,a\n".to_vec(), "row 1: it ends after 2 of 3 fields"),
        ("e.csv", b"id,s,d\n1,a,,\n".to_vec(), "row 1: it has more than 3 fields"),
        ("f.csv", b"id,s,x\n1,a,b\n".to_vec(), "its column 'x' is none of t"),
        ("g.csv", b"id,id\n1,1\n".to_vec(), "its column 'id' is there twice"),
        ("h.csv", b"".to_vec(), "the file is empty: there is no header"),
        ("i.csv", b"id,s,d\n1,\"a\n".to_vec(), "row 1, column s: the file ends within quotes"),
        ("j.csv", b"id,s,d\n1,\xe9,\n".to_vec(), "row 1, column s: the bytes at 9 of the file are no UTF-8"),
        (
            "k.csv",
            "id,s,d\n1,\u{3a9},\n".into(),
            "row 1, column s: '\u{3a9}' has a character that is not in code page 1252",
        ),
        ("l.csv", b"id,s,d\n1 000,a,\n".to_vec(), "row 1, column id: '1 000' is no int"),
        ("m.txt", b"1\ta\t2024-01-01\n2\ta".to_vec(), "row 2: the file ends after 2 of 3 fields"),
        ("n.txt", b"1\ta\t2024-01-01\n2\ta\t2024-01".to_vec(), "row 2, column d: '2024-01' is no date"),
        ("o.txt", b"1\ta\t\n\n".to_vec(), "row 2: it ends after 1 of 3 fields"),
        (
            "p.bcp",
            b"\x01\0\0\0\x01\0a\x03\x5b\x95\x0a\x02\0\0\0\x01\0".to_vec(),
            "row 2, column s: the file ends within it",
        ),
        (
            "q.bcp",
            b"\x01\0\0\0\x09\0a".to_vec(),
            "row 1, column s: its length is said to be 9 bytes, and varchar(3) has 3 at most",
        ),
        ("r.bcp", b"\x01\0\0\0\x01\0a\x03\xff\xff\xff".to_vec(), "row 1, column d: its 3 bytes are no date"),
        ("s.bcp", b"id,s".to_vec(), "row 1, column s: the file ends within it"),
        ("t.parquet", b"id,s,d\n".to_vec(), "it is no Parquet file, or was cut"),
        ("u.parquet", b"PAR1\x00\x00\x00\x00\xff\xff\xff\x7fPAR1".to_vec(), "the length of its metadata is damaged"),
        ("v.parquet", b"".to_vec(), "it is no Parquet file, or was cut"),
    ];
    for (name, bytes, why) in cases {
        let file = site.file(name, bytes);
        let form: &[&str] = if name.ends_with(".txt") { &["--format", "character"] } else { &[] };
        let told = site.refused(&[&["in", "t", &file], form].concat());
        assert!(told.starts_with(&format!("{file}: {why}")), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert_eq!(site.count("t"), 0, "{told}");
    }
    for name in ["missing.csv", ""] {
        let told = site.refused(&["in", "t", &site.path(name)]);
        assert!(told.contains("No such file or directory") || told.contains("it is a directory"), "{told}");
    }
    // A last line without an end is one in RFC 4180; it is told all the same.
    let open = site.file("open.csv", "id\n1\n2");
    let output = site.run(&["in", "t", &open]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("row 2 has no end of a line"));
    assert_eq!(site.count("t"), 2);
    let told = site.refused(&["out", "t", &site.path("no/such/directory.csv")]);
    assert!(told.contains("No such file or directory"), "{told}");
    let told = site.refused(&["out", "t", &site.path("x.csv"), "--field-end", "ab"]);
    assert!(told.contains("one character"), "{told}");
    for (name, switch) in [
        ("x.parquet", &["--field-end", ";"][..]),
        ("x.bcp", &["--encoding", "utf-16"]),
        ("x.csv", &["--row-end", ";"]),
        ("x.bcp", &["--no-header"]),
    ] {
        let told = site.refused(&[&["out", "t", &site.path(name)], switch].concat());
        assert!(told.contains(&format!("{} means nothing in format ", switch[0])), "{told}");
        assert!(!Path::new(&site.path(name)).exists());
    }
    let told = site.refused(&["-Q", "SELECT 1", "out", "t", &site.path("x.csv")]);
    assert!(told.contains("one of them, please"), "{told}");
}

/// A Parquet file that was cut at any byte is refused. With any byte flipped it is refused, too, or brings the rows that were there; what it says of its columns, at its
/// end, has no checksum, and may then be another column's. STEP: every so many bytes.
#[test]
fn damaged_files_end_in_words() {
    let mut site = Site::new("copy_damaged");
    must(
        &mut site.sa,
        "CREATE TABLE t (id int NOT NULL, s nvarchar(20), d decimal(20, 2), at datetime2(3));
         INSERT t VALUES (1, N'one', 1.25, '2024-02-29'), (2, NULL, NULL, NULL), (3, N'three', -3, '2024-02-29 12:00')",
    );
    must(&mut site.sa, "SELECT TOP (0) * INTO back FROM t");
    let whole = site.path("whole.parquet");
    site.copied(&["out", "t", &whole]);
    let bytes = fs::read(&whole).expect("made");
    let tail = bytes.len() - 8;
    let said = u32::from_le_bytes(bytes[tail..tail + 4].try_into().expect("four bytes")) as usize;
    let step = number("STEP").unwrap_or(17) as usize;
    let (mut refused, mut harmless) = (0, 0);
    for at in (0..bytes.len()).step_by(step) {
        let cut = site.file("cut.parquet", &bytes[..at]);
        let told = site.refused(&["in", "back", &cut]);
        assert_eq!(told.lines().count(), 1, "cut at {at}: {told}");
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x41;
        let flipped = site.file("flipped.parquet", flipped);
        let output = site.run(&["in", "back", &flipped]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!told.contains("panicked"), "{at}: {told}");
        if !output.status.success() {
            assert_eq!((output.status.code(), site.count("back")), (Some(1), 0), "{at}: {told}");
            refused += 1;
            continue;
        }
        let others = one(&mut site.sa, "SELECT COUNT(*) FROM (SELECT * FROM back EXCEPT SELECT * FROM t) AS d");
        let is_right = others == 0 && site.count("back") == 3;
        assert!(is_right || at >= tail - said, "{at} of {}", bytes.len());
        harmless += i32::from(is_right);
        must(&mut site.sa, "TRUNCATE TABLE back");
    }
    println!("{refused} refused, {harmless} harmless");
}

#[test]
fn parquet_files_of_others() {
    let mut site = Site::new("copy_parquet");
    for name in ["snappy", "gzip", "zstd", "delta", "nested"] {
        let text = fs::read_to_string(root().join(format!("tests/parquet/{name}.hex"))).expect("it is kept");
        let digits: String = text.split_whitespace().collect();
        let bytes = types::text::parse_hex(digits.as_bytes()).expect("hexadecimal");
        site.file(&format!("{name}.parquet"), bytes);
    }
    let directory = site.directory.clone();
    let file = |name: &str| directory.join(name).to_string_lossy().into_owned();
    must(
        &mut site.sa,
        "CREATE TABLE t (id int NOT NULL, name varchar(20), amount decimal(12, 2), flag bit, day date, moment datetime2(6), small smallint,
         large decimal(20, 0), real8 float, [key] uniqueidentifier, bytes varbinary(10), clock time(3), wide decimal(38, 6))",
    );
    for name in ["snappy.parquet", "gzip.parquet", "delta.parquet"] {
        must(&mut site.sa, "TRUNCATE TABLE t");
        assert_eq!(site.copied(&["in", "t", &file(name)]), 39);
        let right = "SELECT COUNT(*) FROM t WHERE amount = id * 1.25 AND flag = 1 - id % 2 AND day = DATEADD(day, id, '2024-02-28')
            AND moment = DATEADD(minute, id, CONVERT(datetime2(6), '2024-02-29 10:11:12.123456')) AND small = id - 3
            AND large = CONVERT(decimal(20, 0), id) * 1000000000000 AND real8 = id / 7.0E0 AND bytes = 0xAB00 AND clock = '23:59:59.5'
            AND [key] = CONVERT(uniqueidentifier, CONCAT('00000000-0000-0000-0000-', FORMAT(id, '000000000000')))
            AND wide = CONVERT(decimal(38, 6), id) * 10000000000
            AND (id % 3 = 0 AND name IS NULL OR id % 3 <> 0 AND name = CONCAT('name ', id % 5))";
        assert_eq!(one(&mut site.sa, right), 39, "{name}");
    }
    for (name, why) in [
        ("zstd.parquet", "row 1, column id: its pages are compressed by ZSTD; UNCOMPRESSED, SNAPPY and GZIP are read"),
        ("nested.parquet", "its column 'list' has parts, and a table's column has none"),
    ] {
        let told = site.refused(&["in", "t", &file(name)]);
        assert!(told.contains(why), "{told}");
    }
    // Other types take what they have a place for.
    must(
        &mut site.sa,
        "CREATE TABLE narrow (id tinyint NOT NULL, flag int, amount money, large bigint, moment datetime2(0))",
    );
    let told = site.refused(&["in", "narrow", &file("snappy.parquet")]);
    assert!(told.contains("its column 'name' is none of narrow"), "{told}");
    must(&mut site.sa, "INSERT t (id, moment) VALUES (300, '1600-01-01')");
    must(&mut site.sa, "CREATE TABLE moments (at datetime2(7)); INSERT moments VALUES ('1600-01-01')");
    let told = site.refused(&["out", "moments", &site.path("moments.parquet")]);
    assert!(told.contains("row 1, column at: 1600-01-01 00:00:00.0000000 is before 1677"), "{told}");
}

/// Rows enough that a load is under way for a while.
fn many(site: &Site) -> String {
    let mut text = String::from("id,s\n");
    (0..400_000).for_each(|id| text.push_str(&format!("{id},{}\n", "x".repeat(60))));
    site.file("many.csv", text)
}

fn loading(site: &Site, file: &str) -> std::process::Child {
    let mut command: Command = binary();
    command.args(["sql", "-S", &site.server.address(), "-U", "sa", "-P", PASSWORD, "-d", "shop", "in", "t", file]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
}

/// Until the session of the load has sent rows.
fn session_of_load(sa: &mut Connection) -> i64 {
    let asked = "SELECT ISNULL(MAX(r.session_id), 0) FROM sys.dm_exec_requests AS r JOIN sys.dm_exec_sessions AS s ON s.session_id = r.session_id
        WHERE s.program_name = 'heddle sql' AND r.command = 'BULK INSERT'";
    let begun = Instant::now();
    loop {
        let session = one(sa, asked);
        if session > 0 {
            return session;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "no load");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_load_that_is_cancelled_leaves_nothing() {
    let mut site = Site::new("copy_cancelled");
    must(&mut site.sa, "CREATE TABLE t (id int NOT NULL PRIMARY KEY, s varchar(100))");
    let file = many(&site);
    for round in 0..6 {
        let mut load = loading(&site, &file);
        let session = session_of_load(&mut site.sa);
        std::thread::sleep(Duration::from_millis(round * 30));
        if round % 2 == 0 {
            load.kill().expect("it runs");
            load.wait().expect("it ended");
        } else {
            ask(&mut site.sa, &format!("KILL {session}"));
            let output = load.wait_with_output().expect("it ended");
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{told}");
            assert!(!told.contains("panicked"), "{told}");
        }
        // Waits for what is being undone.
        assert_eq!(site.count("t"), 0, "round {round}");
    }
    assert_eq!(site.copied(&["in", "t", &file]), 400_000);
    // What is being written when it is cancelled is not under its name.
    let out = site.path("out.csv");
    let mut command = binary();
    command.args(["sql", "-S", &site.server.address(), "-U", "sa", "-P", PASSWORD, "-d", "shop", "out", "t", &out]);
    let mut copying = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(150));
    copying.kill().expect("it was there");
    copying.wait().expect("it ended");
    if Path::new(&out).exists() {
        assert_eq!(fs::read_to_string(&out).expect("readable").lines().count(), 400_001, "it was done before");
    }
}

/// The commands of docs/operations.md, as they stand there.
#[test]
fn the_page_about_tables_as_files_is_true() {
    let mut site = Site::new("copy_page");
    let schema =
        "CREATE TABLE prices (id int IDENTITY, price money); CREATE TABLE [of all] (id int PRIMARY KEY, s xml)";
    must(
        &mut site.sa,
        &format!("{schema}; INSERT prices VALUES (9.5), (10.5), (NULL); INSERT [of all] VALUES (1, N'<a/>')"),
    );
    must(&mut site.sa, "CREATE DATABASE shop_moved; USE shop_moved");
    must(&mut site.sa, &format!("{schema}; USE shop"));
    let page = fs::read_to_string(root().join("docs/operations.md")).expect("the page");
    let section = page.split("\n## ").find(|section| section.starts_with("Tables as files")).expect("the section");
    let commands: Vec<&str> =
        section.split("```sh\n").skip(1).filter_map(|block| block.split("```").next()).flat_map(str::lines).collect();
    assert_eq!(commands.len(), 6, "{commands:?}");
    for command in commands {
        // `heddle` is what was built.
        let mut shell = Command::new("sh");
        shell.args(["-ec", &format!("heddle() {{ \"$PROGRAM\" \"$@\"; }}\n{command}")]).current_dir(&site.directory);
        shell.env("PROGRAM", binary().get_program()).env("SQLCMDSERVER", site.server.address());
        let output = shell.env("SQLCMDPASSWORD", PASSWORD).stdin(Stdio::null()).output().expect("it runs");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let written = fs::read_to_string(site.path("prices.csv")).expect("made");
    assert_eq!(written, "id,price\r\n1,9.5000\r\n2,10.5000\r\n3,\r\n");
    assert_eq!(one(&mut site.sa, "SELECT COUNT(*) FROM prices WHERE id = 2 AND price = 10.5"), 2);
    let moved = "SELECT COUNT(*) FROM shop_moved.dbo.prices WHERE id = 2 AND price = 10.5";
    assert_eq!(one(&mut site.sa, moved), 2);
    assert_eq!(one(&mut site.sa, "SELECT COUNT(*) FROM shop_moved.dbo.[of all] WHERE s.exist('/a') = 1"), 1);
    must(&mut site.sa, "TRUNCATE TABLE prices");
    assert_eq!(site.copied(&["in", "prices", &site.path("dear.parquet")]), 1);
}
