//! BACKUP TO URL and RESTORE FROM URL: objects of an S3 store that are there whole or not at all, and the credentials that let in.
//!
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/sql-server-backup-to-url-s3-compatible-object-storage
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/sql-server-backup-to-url-s3-compatible-object-storage-best-practices-and-troubleshooting
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;
#[path = "support/bucket.rs"]
mod bucket;

use std::time::{Duration, Instant};

use bucket::{Bucket, KEY, Mood, NAME, SECRET};
use lab::client::Connection;
use support::ask::{as_login, ask, connect, must, numbers, one, text_of, texts, word};
use support::{Server, scratch};

/// Longer than anything that is waited for takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that is told to speak in clear with the store, whose requests are signed for the store's region.
fn start(data: &str, bucket: &Bucket) -> Server {
    let endpoint = format!("http://127.0.0.1:{}", bucket.port);
    Server::start_with("127.0.0.1:0", data, &["--admin-listen", "off"], &[("AWS_ENDPOINT_URL_S3", &endpoint)])
}

fn place(bucket: &Bucket) -> String {
    format!("s3://127.0.0.1:{}/{NAME}", bucket.port)
}

const REGION: &str = "'{\"s3\": {\"region\": \"test-region-1\"}}'";

fn credential(bucket: &Bucket) -> String {
    format!("CREATE CREDENTIAL [{}] WITH IDENTITY = 'S3 Access Key', SECRET = '{KEY}:{SECRET}'", place(bucket))
}

/// A database with about so many megabytes that deflate badly.
fn with_shop(server: &Server, megabytes: u32) -> Connection {
    let mut sa = connect(server, "master");
    must(&mut sa, "CREATE DATABASE shop; ALTER DATABASE shop SET RECOVERY FULL");
    must(&mut sa, "USE shop; CREATE TABLE t (id int IDENTITY PRIMARY KEY, note varbinary(8000))");
    let rows = megabytes * 128;
    must(&mut sa, &format!("INSERT t (note) SELECT CRYPT_GEN_RANDOM(7900) FROM GENERATE_SERIES(1, {rows})"));
    must(&mut sa, "USE master");
    sa
}

fn backup(bucket: &Bucket, name: &str, with: &str) -> String {
    format!("BACKUP DATABASE shop TO URL = '{}/{name}' WITH BACKUP_OPTIONS = {REGION}{with}", place(bucket))
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_database_goes_to_a_store_and_comes_back() {
    let (root, bucket) = (scratch("backup-url"), Bucket::start());
    let data = root.join("data").to_str().expect("UTF-8").to_owned();
    let server = start(&data, &bucket);
    let mut sa = with_shop(&server, 12);
    let place = place(&bucket);
    must(&mut sa, &credential(&bucket));
    let rows = one(&mut sa, "SELECT COUNT(*) FROM shop.dbo.t");
    let told = must(&mut sa, &backup(&bucket, "a b/full.bak", ", MAXTRANSFERSIZE = 5242880, STATS = 25"));
    assert!(numbers(&told).ends_with(&[3014]), "{:?}", texts(&told));
    let (parts, most) = bucket.parts();
    assert!(parts >= 3 && most == 5 << 20, "{parts} parts of {most} bytes at most");
    assert_eq!((bucket.open_uploads(), bucket.names()), (0, vec!["a b/full.bak".to_owned()]));
    let from = format!("FROM URL = '{place}/a b/full.bak' WITH RESTORE_OPTIONS = {REGION}");
    let header = must(&mut sa, &format!("RESTORE HEADERONLY {from}"));
    let of = |name: &str| {
        let at = header.sets[0].columns.iter().position(|column| column.name == name).expect("a column");
        header.sets[0].rows[0][at].clone()
    };
    assert_eq!((of("DeviceType").as_i64(), of("BackupType").as_i64()), (9, 1));
    assert_eq!(text_of(&of("DatabaseName")), "shop");
    assert_eq!(must(&mut sa, &format!("RESTORE FILELISTONLY {from}")).sets[0].rows.len(), 2);
    assert_eq!(must(&mut sa, &format!("RESTORE LABELONLY {from}")).sets[0].rows.len(), 1);
    assert_eq!(numbers(&must(&mut sa, &format!("RESTORE VERIFYONLY {from}"))), [3262]);
    let family = "FROM msdb.dbo.backupmediafamily ORDER BY media_set_id DESC";
    assert_eq!(one(&mut sa, &format!("SELECT TOP 1 CONVERT(bigint, device_type) {family}")), 9);
    assert_eq!(word(&mut sa, &format!("SELECT TOP 1 physical_device_name {family}")), format!("{place}/a b/full.bak"));
    // What is there is replaced WITH FORMAT alone.
    let again = ask(&mut sa, &backup(&bucket, "a b/full.bak", ", INIT"));
    assert_eq!(numbers(&again), [3271, 3013], "{:?}", texts(&again));
    assert!(texts(&again)[0].1.contains("exists on the remote endpoint, and WITH FORMAT was not specified"));
    must(&mut sa, &backup(&bucket, "a b/full.bak", ", FORMAT, COMPRESSION"));
    must(&mut sa, &backup(&bucket, "diff.bak", ", DIFFERENTIAL"));
    must(&mut sa, "INSERT shop.dbo.t (note) VALUES (0x01)");
    must(&mut sa, &format!("BACKUP LOG shop TO URL = '{place}/log.trn' WITH BACKUP_OPTIONS = {REGION}"));
    // Another server has it from there, step by step.
    let elsewhere = start(root.join("other").to_str().expect("UTF-8"), &bucket);
    let mut other = connect(&elsewhere, "master");
    let refused = ask(&mut other, &format!("RESTORE HEADERONLY {from}"));
    assert_eq!(numbers(&refused), [3201, 3013], "{:?}", texts(&refused));
    assert!(texts(&refused)[0].1.ends_with("Operating system error 50(The request is not supported.)."));
    must(&mut other, &credential(&bucket));
    must(&mut other, &format!("RESTORE DATABASE shop {from}, NORECOVERY"));
    let and = format!("WITH RESTORE_OPTIONS = {REGION}");
    must(&mut other, &format!("RESTORE DATABASE shop FROM URL = '{place}/diff.bak' {and}, NORECOVERY"));
    must(&mut other, &format!("RESTORE LOG shop FROM URL = '{place}/log.trn' {and}"));
    assert_eq!(one(&mut other, "SELECT COUNT(*) FROM shop.dbo.t"), rows + 1);
    assert_eq!(bucket.refused_signatures(), 0);
    // Damage is found, and what is missing named.
    bucket.change("a b/full.bak", |mut bytes| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        Some(bytes)
    });
    let damaged = ask(&mut other, &format!("RESTORE VERIFYONLY {from}"));
    assert_eq!(numbers(&damaged), [3189, 3013], "{:?}", texts(&damaged));
    bucket.change("a b/full.bak", |_| None);
    let gone = ask(&mut other, &format!("RESTORE VERIFYONLY {from}"));
    assert_eq!(numbers(&gone), [3201, 3013]);
    assert!(texts(&gone)[0].1.ends_with("Operating system error 2(The system cannot find the file specified.)."));
}

#[test]
fn stripes_are_all_needed_and_in_any_order() {
    let (root, bucket) = (scratch("backup-url-stripes"), Bucket::start());
    let server = start(root.join("data").to_str().expect("UTF-8"), &bucket);
    let mut sa = with_shop(&server, 24);
    let place = place(&bucket);
    must(&mut sa, &credential(&bucket));
    let urls = |names: &[u32]| {
        let urls: Vec<String> = names.iter().map(|name| format!("URL = '{place}/{name}.bak'")).collect();
        urls.join(", ")
    };
    let and = format!("WITH RESTORE_OPTIONS = {REGION}");
    let to = urls(&[1, 2, 3]);
    must(&mut sa, &format!("BACKUP DATABASE shop TO {to} WITH BACKUP_OPTIONS = {REGION}, MAXTRANSFERSIZE = 5242880"));
    assert_eq!((bucket.names().len(), bucket.open_uploads()), (3, 0));
    assert!(bucket.names().iter().all(|name| bucket.object(name).len() >= 5 << 20), "each has its share");
    let families = "SELECT COUNT(*) FROM msdb.dbo.backupmediafamily WHERE device_type = 9";
    assert_eq!(one(&mut sa, families), 3);
    let some = ask(&mut sa, &format!("RESTORE VERIFYONLY FROM {} {and}", urls(&[1, 3])));
    assert_eq!(
        texts(&some)[0].1,
        "The media set has 3 media families but only 2 are provided. All members must be provided."
    );
    assert_eq!(numbers(&some), [3132, 3013]);
    must(&mut sa, &format!("RESTORE DATABASE again FROM {} {and}", urls(&[3, 1, 2])));
    let sum = "SELECT CHECKSUM_AGG(BINARY_CHECKSUM(id, note)) + 0 FROM";
    let of = |sa: &mut Connection, name: &str| one(sa, &format!("{sum} {name}.dbo.t"));
    let before = of(&mut sa, "shop");
    assert_eq!(of(&mut sa, "again"), before);
    // Files hold stripes as well.
    must(&mut sa, "BACKUP DATABASE shop TO DISK = 's1.bak', DISK = 's2.bak' WITH FORMAT");
    must(&mut sa, "BACKUP DATABASE shop TO DISK = 's2.bak', DISK = 's1.bak' WITH COMPRESSION");
    let sets = must(&mut sa, "RESTORE HEADERONLY FROM DISK = 's1.bak', DISK = 's2.bak'").sets[0].rows.len();
    assert_eq!(sets, 2);
    assert_eq!(numbers(&ask(&mut sa, "RESTORE VERIFYONLY FROM DISK = 's1.bak'")), [3132, 3013]);
    assert_eq!(numbers(&ask(&mut sa, "BACKUP DATABASE shop TO DISK = 's1.bak'")), [3231, 3013]);
    must(&mut sa, "RESTORE DATABASE third FROM DISK = 's2.bak', DISK = 's1.bak' WITH FILE = 2");
    assert_eq!(of(&mut sa, "third"), before);
    let mixed = ask(&mut sa, &format!("BACKUP DATABASE shop TO DISK = 'a.bak', URL = '{place}/a.bak'"));
    assert_eq!(numbers(&mixed), [40510]);
}

#[test]
fn what_fails_leaves_nothing_and_says_why() {
    let (root, bucket) = (scratch("backup-url-fails"), Bucket::start());
    let data = root.join("data").to_str().expect("UTF-8").to_owned();
    let server = start(&data, &bucket);
    let mut sa = with_shop(&server, 16);
    let place = place(&bucket);
    must(&mut sa, &credential(&bucket));
    let parts = ", MAXTRANSFERSIZE = 5242880";
    let cases: [(Mood, i32, &str); 5] = [
        (Mood::Broken, 3201, "500 InternalError"),
        (Mood::Full, 3202, "112(There is not enough space on the disk.)"),
        (Mood::Filling, 3202, "112(There is not enough space on the disk.)"),
        (Mood::Mute, 3202, "failed: 12030("),
        (Mood::Unending, 3202, "InternalError It could not be completed"),
    ];
    for (mood, number, words) in cases {
        bucket.set(mood);
        let failed = ask(&mut sa, &backup(&bucket, "fails.bak", parts));
        assert_eq!(
            numbers(&failed).iter().rev().take(2).rev().copied().collect::<Vec<_>>(),
            [number, 3013],
            "{mood:?}: {:?}",
            texts(&failed)
        );
        let said = texts(&failed);
        assert!(said.iter().any(|(_, text)| text.contains(words)), "{mood:?}: {said:?}");
        bucket.set(Mood::Well);
        assert_eq!((bucket.names().len(), bucket.open_uploads()), (0, 0), "{mood:?} leaves something");
    }
    // It goes on where a store stumbles.
    for mood in [Mood::Shaky, Mood::Slow] {
        bucket.set(mood);
        must(&mut sa, &backup(&bucket, "stumbles.bak", ", FORMAT, MAXTRANSFERSIZE = 5242880"));
        bucket.set(Mood::Well);
        assert_eq!(bucket.open_uploads(), 0);
    }
    let and = format!("WITH RESTORE_OPTIONS = {REGION}");
    must(&mut sa, &format!("RESTORE VERIFYONLY FROM URL = '{place}/stumbles.bak' {and}"));
    bucket.change("stumbles.bak", |_| None);
    // Wrong keys, another region, another bucket, nobody there.
    let last_two = |sa: &mut Connection, text: &str| {
        let said = texts(&ask(sa, text));
        assert_eq!(said.last().expect("a message").0, 3013, "{said:?}");
        said[said.len() - 2].clone()
    };
    must(&mut sa, &format!("ALTER CREDENTIAL [{place}] WITH IDENTITY = 'S3 Access Key', SECRET = '{KEY}:wrong'"));
    let denied = last_two(&mut sa, &backup(&bucket, "denied.bak", ""));
    let text = format!("Cannot open backup device '{place}/denied.bak'. Operating system error 5(Access is denied.).");
    assert_eq!(denied, (3201, text));
    must(&mut sa, &format!("ALTER CREDENTIAL [{place}] WITH IDENTITY = 'S3 Access Key', SECRET = '{KEY}:{SECRET}'"));
    assert_eq!(last_two(&mut sa, &format!("BACKUP DATABASE shop TO URL = '{place}/region.bak'")).0, 3201);
    let host = place.trim_end_matches(NAME);
    let other = format!("{host}nobucket/x.bak");
    let named = format!("CREDENTIAL = '{place}'");
    let missing =
        last_two(&mut sa, &format!("BACKUP DATABASE shop TO URL = '{other}' WITH {named}, BACKUP_OPTIONS = {REGION}"));
    let text =
        format!("Cannot open backup device '{other}'. Operating system error 50(The request is not supported.).");
    assert_eq!(missing, (3201, text));
    // In clear with no other host than the server was told of.
    let nobody = format!("BACKUP DATABASE shop TO URL = 's3://127.0.0.1:1/{NAME}/x.bak' WITH {named}");
    let (number, text) = last_two(&mut sa, &nobody);
    assert!(number == 3201 && text.contains("Operating system error 12029("), "{text}");
    assert_eq!((bucket.names().len(), bucket.open_uploads()), (0, 0));
    // A client that goes away, and a server that is killed.
    bucket.set(Mood::Slow);
    let mut victim = connect(&server, "master");
    let spid = one(&mut victim, "SELECT CONVERT(bigint, @@SPID)");
    let text = backup(&bucket, "killed.bak", parts);
    let ended = std::thread::spawn(move || victim.query(&text, Some(os::clock::after_ms(30_000))).is_ok());
    until("it begins", || bucket.open_uploads() > 0);
    must(&mut sa, &format!("KILL {spid}"));
    ended.join().expect("it ends");
    until("parts go", || bucket.open_uploads() == 0);
    assert!(bucket.names().is_empty());
    let mut victim = connect(&server, "master");
    let text = backup(&bucket, "cut.bak", parts);
    let ended = std::thread::spawn(move || victim.query(&text, Some(os::clock::after_ms(30_000))).is_ok());
    until("it begins", || bucket.open_uploads() > 0);
    server.kill();
    ended.join().expect("it ends");
    std::thread::sleep(Duration::from_secs(2));
    assert!(bucket.names().is_empty(), "nothing that could be restored");
    bucket.set(Mood::Well);
    let server = start(&data, &bucket);
    let mut sa = connect(&server, "master");
    must(&mut sa, &backup(&bucket, "cut.bak", ""));
    must(&mut sa, &format!("RESTORE VERIFYONLY FROM URL = '{place}/cut.bak' {and}"));
}

/// https://learn.microsoft.com/sql/t-sql/statements/create-credential-transact-sql
#[test]
fn credentials_are_chosen_by_the_longest_name_and_never_shown() {
    let (root, bucket) = (scratch("credentials"), Bucket::start());
    let data = root.join("data");
    let server = start(data.to_str().expect("UTF-8"), &bucket);
    let mut sa = with_shop(&server, 1);
    let place = place(&bucket);
    must(
        &mut sa,
        &format!("CREATE CREDENTIAL [{place}] WITH IDENTITY = 'S3 Access Key', SECRET = '{KEY}:not-the-secret-of-it'"),
    );
    must(&mut sa, &format!("CREATE CREDENTIAL [{place}/a] WITH IDENTITY = 'S3 Access Key', SECRET = '{KEY}:{SECRET}'"));
    must(&mut sa, &backup(&bucket, "a/b/x.bak", ""));
    assert_eq!(numbers(&ask(&mut sa, &backup(&bucket, "ab/x.bak", ""))), [3201, 3013]);
    // By name another one may be taken.
    must(&mut sa, &backup(&bucket, "ab/x.bak", &format!(", CREDENTIAL = '{place}/a'")));
    let none = ask(&mut sa, &backup(&bucket, "c.bak", ", CREDENTIAL = 'none'"));
    assert_eq!(
        texts(&none)[0].1,
        "Cannot find the credential 'none', because it does not exist or you do not have permission."
    );
    let rows = must(&mut sa, "SELECT name, credential_identity, target_type FROM sys.credentials ORDER BY name");
    assert_eq!(rows.sets[0].rows.len(), 2);
    assert_eq!(text_of(&rows.sets[0].rows[1][1]), "S3 Access Key");
    let errors: [(&str, i32, &str); 5] = [
        ("CREATE CREDENTIAL c WITH SECRET = 'a'", 102, "Incorrect syntax near 'SECRET'."),
        (
            "DROP CREDENTIAL c",
            15151,
            "Cannot drop the credential 'c', because it does not exist or you do not have permission.",
        ),
        (
            "ALTER CREDENTIAL c WITH IDENTITY = 'a'",
            15151,
            "Cannot alter the credential 'c', because it does not exist or you do not have permission.",
        ),
        (
            "CREATE CREDENTIAL d WITH IDENTITY = 'a'; CREATE CREDENTIAL D WITH IDENTITY = 'a'",
            15530,
            "The credential with name \"D\" already exists.",
        ),
        ("CREATE CREDENTIAL e WITH IDENTITY = 'a' FOR CRYPTOGRAPHIC PROVIDER p", 40510, "CRYPTOGRAPHIC PROVIDER"),
    ];
    for (text, number, words) in errors {
        let said = ask(&mut sa, text);
        assert_eq!(numbers(&said), [number], "{text}");
        assert!(texts(&said)[0].1.contains(words), "{text}: {:?}", texts(&said));
    }
    must(&mut sa, "BEGIN TRAN; DROP CREDENTIAL d; ROLLBACK; DROP CREDENTIAL d; DROP CREDENTIAL IF EXISTS d");
    // Who may not alter credentials neither sees nor uses them.
    must(
        &mut sa,
        "CREATE LOGIN low WITH PASSWORD = 'Enough-1-x'; USE shop; CREATE USER low; ALTER ROLE db_backupoperator ADD MEMBER low; USE master",
    );
    let mut low = as_login(&server, "low", "Enough-1-x");
    assert_eq!(one(&mut low, "SELECT COUNT(*) FROM sys.credentials"), 0);
    assert_eq!(numbers(&ask(&mut low, "CREATE CREDENTIAL f WITH IDENTITY = 'a'")), [15247]);
    assert_eq!(numbers(&ask(&mut low, &format!("DROP CREDENTIAL [{place}]"))), [15151]);
    assert_eq!(numbers(&ask(&mut low, &backup(&bucket, "a/low.bak", ""))), [3201, 3013]);
    must(&mut sa, "GRANT ALTER ANY CREDENTIAL TO low");
    must(&mut low, &backup(&bucket, "a/low.bak", ""));
    assert_eq!(one(&mut low, "SELECT COUNT(*) FROM sys.credentials"), 2);
    let texts_of =
        "SELECT COUNT(*) FROM (SELECT text FROM sys.dm_exec_cached_plans CROSS APPLY sys.dm_exec_sql_text(plan_handle)
        UNION ALL SELECT text FROM sys.dm_exec_connections CROSS APPLY sys.dm_exec_sql_text(most_recent_sql_handle)) t";
    assert!(one(&mut sa, texts_of) > 0);
    assert_eq!(one(&mut sa, &format!("{texts_of} WHERE text LIKE '%not-the-' + 'secret-of-it%'")), 0);
    // Neither its data nor a backup of it has a secret in clear, but the log of a killed server has it no more either.
    must(&mut sa, "BACKUP DATABASE master TO DISK = 'master.bak'");
    server.kill();
    let mut looked_at = 0;
    let mut directories = vec![data];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                directories.push(entry);
                continue;
            }
            let bytes = std::fs::read(&entry).expect("a file");
            for secret in ["not-the-secret-of-it", SECRET] {
                let wide: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
                let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
                assert!(!has(secret.as_bytes()) && !has(&wide), "{} has a secret", entry.display());
            }
            looked_at += 1;
        }
    }
    assert!(looked_at > 5);
}
