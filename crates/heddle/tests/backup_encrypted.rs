//! Encrypted backups, and the certificates that keep their keys: what is in the file, who can read it, and what is lost with what.
//!
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/backup-encryption
//! https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/create-certificate-transact-sql, backup-certificate, create-master-key, open-master-key
//! 3096 of an expired certificate, which can still restore: seen with SQL Server 2016,
//! https://super-unix.com/database/sql-server-sql-server-certificate-for-backups-does-expiration-date-matter
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;
#[path = "support/bucket.rs"]
mod bucket;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use bucket::{Bucket, KEY, NAME, SECRET};
use lab::client::Connection;
use support::ask::{as_login, ask, connect, must, numbers, one, text_of, texts, word};
use support::{Server, scratch};

/// In a row, and nowhere in a file that is encrypted; nor are the passwords and private keys anywhere.
const MARK: &str = "what stands here is for nobody to see";
const MASTER_PASSWORD: &str = "of the master key 1A";
const FILE_PASSWORD: &str = "of the key, in file 1A";

fn refused(sa: &mut Connection, statement: &str, wanted: &[i32]) -> String {
    let answer = ask(sa, statement);
    assert_eq!(numbers(&answer), wanted, "{statement}: {:?}", texts(&answer));
    texts(&answer).into_iter().next().unwrap_or_default().1
}

fn again(directory: &Path) -> Server {
    Server::start_on(directory.join("data").to_str().expect("UTF-8"), &["--admin-listen", "off"])
}

fn start(name: &str) -> (Server, PathBuf) {
    let directory = scratch(name);
    (again(&directory), directory)
}

fn with_shop(sa: &mut Connection) {
    for batch in [
        "CREATE DATABASE shop",
        "USE shop; CREATE TABLE t (id int PRIMARY KEY, v varchar(900) NOT NULL);
         CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, v varchar(100) NOT NULL) WITH (MEMORY_OPTIMIZED = ON); USE master",
    ] {
        must(sa, batch);
    }
    add(sa, 1);
}

fn add(sa: &mut Connection, id: i32) {
    must(sa, &format!("INSERT shop..t VALUES ({id}, '{MARK}'); INSERT shop..m VALUES ({id}, '{MARK}')"));
}

fn with_certificate(sa: &mut Connection, name: &str) {
    must(sa, &format!("CREATE MASTER KEY ENCRYPTION BY PASSWORD = '{MASTER_PASSWORD}'"));
    must(sa, &format!("CREATE CERTIFICATE {name} WITH SUBJECT = 'of backups'"));
}

fn save(sa: &mut Connection, name: &str, directory: &Path) {
    let [certificate, key] = ["cer", "key"].map(|end| directory.join(format!("{name}.{end}")));
    must(
        sa,
        &format!(
            "BACKUP CERTIFICATE {name} TO FILE = '{}' WITH PRIVATE KEY (FILE = '{}', ENCRYPTION BY PASSWORD = '{FILE_PASSWORD}')",
            certificate.display(),
            key.display()
        ),
    );
}

fn load_from(name: &str, directory: &Path, password: &str) -> String {
    let [certificate, key] = ["cer", "key"].map(|end| directory.join(format!("keeper.{end}")));
    format!(
        "CREATE CERTIFICATE {name} FROM FILE = '{}' WITH PRIVATE KEY (FILE = '{}', DECRYPTION BY PASSWORD = '{password}')",
        certificate.display(),
        key.display()
    )
}

fn encrypted(algorithm: &str) -> String {
    format!("ENCRYPTION (ALGORITHM = {algorithm}, SERVER CERTIFICATE = keeper)")
}

fn has(file: &Path, what: &str) -> bool {
    let bytes = std::fs::read(file).expect("readable");
    bytes.windows(what.len()).any(|part| part == what.as_bytes())
}

fn crc32<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

/// Rows of a database in both tables, all of them whole.
fn rows(sa: &mut Connection, database: &str) -> i64 {
    let count = |sa: &mut Connection, table: &str| {
        one(sa, &format!("SELECT COUNT(*) FROM {database}..{table} WHERE v = '{MARK}'"))
    };
    let on_pages = count(sa, "t");
    assert_eq!(on_pages, count(sa, "m"), "{database}");
    on_pages
}

#[test]
fn an_encrypted_chain_is_read_where_its_certificate_is() {
    let (server, directory) = start("encrypted-chain");
    let mut sa = connect(&server, "master");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    with_shop(&mut sa);
    must(&mut sa, "ALTER DATABASE shop SET RECOVERY FULL");
    with_certificate(&mut sa, "keeper");
    // Nobody else could restore it yet.
    let with = encrypted("AES_256");
    let first = ask(&mut sa, &format!("BACKUP DATABASE shop TO {} WITH FORMAT, {with}", disk("full.bak")));
    assert_eq!(numbers(&first)[0], 33091, "{:?}", texts(&first));
    assert!(first.first_error().is_none(), "{:?}", texts(&first));
    save(&mut sa, "keeper", &directory);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM sys.certificates WHERE pvt_key_last_backup_date IS NOT NULL"), 1);
    add(&mut sa, 2);
    let told = must(&mut sa, &format!("BACKUP DATABASE shop TO {} WITH DIFFERENTIAL, {with}", disk("diff.bak")));
    assert!(!numbers(&told).contains(&33091), "{:?}", texts(&told));
    add(&mut sa, 3);
    let stripes = format!("{}, {}", disk("log1.trn"), disk("log2.trn"));
    must(&mut sa, &format!("BACKUP LOG shop TO {stripes} WITH COMPRESSION, {}", encrypted("AES_128")));
    for file in ["full.bak", "diff.bak", "log1.trn", "log2.trn"] {
        assert!(!has(&directory.join(file), MARK), "{file} shows a row");
    }
    must(&mut sa, &format!("BACKUP DATABASE shop TO {} WITH FORMAT, COPY_ONLY, NO_ENCRYPTION", disk("clear.bak")));
    assert!(has(&directory.join("clear.bak"), MARK), "a clear backup shows what is looked for");
    let history = "SELECT COUNT(*) FROM msdb.dbo.backupset b JOIN msdb.dbo.backupmediaset m ON m.media_set_id = b.media_set_id
        JOIN sys.certificates c ON c.thumbprint = b.encryptor_thumbprint WHERE m.is_encrypted = 1 AND b.encryptor_type = 'CERTIFICATE' AND b.key_algorithm = ";
    assert_eq!(one(&mut sa, &format!("{history} 'aes_256'")), 2);
    assert_eq!(one(&mut sa, &format!("{history} 'aes_128'")), 1);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM msdb.dbo.backupset WHERE key_algorithm IS NULL"), 1);
    restore_all(&mut sa, &disk, &stripes);
    assert_eq!(rows(&mut sa, "shop2"), 3);
    // Another server knows what the file is, and no more.
    let (other, elsewhere) = start("encrypted-elsewhere");
    let mut theirs = connect(&other, "master");
    let thumbprint = word(&mut sa, "SELECT CONVERT(nvarchar(60), thumbprint, 1) FROM sys.certificates");
    for (verb, ends) in [("RESTORE FILELISTONLY", 3013), ("RESTORE VERIFYONLY", 3013), ("RESTORE DATABASE shop2", 3013)]
    {
        let told = refused(&mut theirs, &format!("{verb} FROM {}", disk("full.bak")), &[33111, ends]);
        assert_eq!(told, format!("Cannot find server certificate with thumbprint '{thumbprint}'."));
    }
    let header = must(&mut theirs, &format!("RESTORE HEADERONLY FROM {}", disk("full.bak")));
    let column = |name: &str| {
        let at = header.sets[0].columns.iter().position(|column| column.name == name).expect("a column");
        &header.sets[0].rows[0][at]
    };
    assert_eq!(
        (text_of(column("KeyAlgorithm")), text_of(column("EncryptorType"))),
        ("aes_256".into(), "CERTIFICATE".into())
    );
    assert_eq!(column("EncryptorThumbprint").as_bytes().len(), 20);
    // Nor with a certificate of the same name.
    with_certificate(&mut theirs, "keeper");
    refused(&mut theirs, &format!("RESTORE DATABASE shop2 FROM {}", disk("full.bak")), &[33111, 3013]);
    must(&mut theirs, "DROP CERTIFICATE keeper");
    refused(&mut theirs, &load_from("mine", &directory, "another password 1A"), &[15465]);
    must(&mut theirs, &load_from("mine", &directory, FILE_PASSWORD));
    restore_all(&mut theirs, &disk, &stripes);
    assert_eq!(rows(&mut theirs, "shop2"), 3);
    drop((sa, theirs));
    // Passwords and keys lie nowhere in clear, and what is written is its owner's alone.
    for place in [&directory, &elsewhere] {
        for file in std::fs::read_dir(place.join("data")).expect("a directory").flatten().map(|entry| entry.path()) {
            if file.is_file() {
                assert!(!has(&file, MASTER_PASSWORD) && !has(&file, FILE_PASSWORD), "{}", file.display());
            }
        }
    }
    for file in ["keeper.cer", "keeper.key", "full.bak"] {
        let mode = std::fs::metadata(directory.join(file)).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

/// The chain of the first test as `shop2`.
fn restore_all(sa: &mut Connection, disk: &dyn Fn(&str) -> String, stripes: &str) {
    for statement in [
        format!("RESTORE VERIFYONLY FROM {}", disk("full.bak")),
        format!("RESTORE DATABASE shop2 FROM {} WITH NORECOVERY", disk("full.bak")),
        format!("RESTORE DATABASE shop2 FROM {} WITH NORECOVERY", disk("diff.bak")),
        format!("RESTORE LOG shop2 FROM {stripes} WITH RECOVERY"),
    ] {
        must(sa, &statement);
    }
    let found = ask(sa, "DBCC CHECKDB ('shop2') WITH NO_INFOMSGS");
    assert!(numbers(&found).is_empty(), "{:?}", texts(&found));
}

#[test]
fn what_cannot_be_encrypted_or_decrypted_is_refused_and_loses_nothing() {
    let (server, directory) = start("encrypted-refused");
    let mut sa = connect(&server, "master");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    with_shop(&mut sa);
    refused(&mut sa, "CREATE CERTIFICATE keeper WITH SUBJECT = 'x'", &[15581]);
    refused(&mut sa, "CREATE MASTER KEY", &[33161]);
    refused(&mut sa, "OPEN MASTER KEY DECRYPTION BY PASSWORD = 'x'", &[15151]);
    with_certificate(&mut sa, "keeper");
    refused(&mut sa, &format!("CREATE MASTER KEY ENCRYPTION BY PASSWORD = '{MASTER_PASSWORD}'"), &[15578]);
    refused(&mut sa, "CREATE CERTIFICATE keeper WITH SUBJECT = 'x'", &[15232]);
    refused(&mut sa, &format!("CREATE CERTIFICATE c WITH SUBJECT = '{}'", "x".repeat(65)), &[15468]);
    refused(&mut sa, "CREATE CERTIFICATE c WITH SUBJECT = 'x', EXPIRY_DATE = '20200101'", &[15468]);
    let told = refused(&mut sa, "DROP MASTER KEY", &[15580]);
    assert_eq!(told, "Cannot drop master key because certificate 'keeper' is encrypted by it.");
    must(&mut sa, "CREATE CERTIFICATE old WITH SUBJECT = 'x', START_DATE = '20200101', EXPIRY_DATE = '20210101'");
    save(&mut sa, "keeper", &directory);
    // A file that is there is not written over.
    let [certificate, key] = ["keeper.cer", "keeper.key"].map(|name| directory.join(name).display().to_string());
    refused(&mut sa, &format!("BACKUP CERTIFICATE old TO FILE = '{certificate}'"), &[15240]);
    let half = directory.join("old.cer");
    let saving = format!(
        "BACKUP CERTIFICATE old TO FILE = '{}' WITH PRIVATE KEY (FILE = '{key}', ENCRYPTION BY PASSWORD = '{FILE_PASSWORD}')",
        half.display()
    );
    refused(&mut sa, &saving, &[15240]);
    assert!(!half.exists(), "half of a certificate");
    refused(&mut sa, &load_from("same", &directory, FILE_PASSWORD), &[15232]);
    must(&mut sa, &format!("BACKUP CERTIFICATE old TO FILE = '{}'", half.display()));
    let other = format!(
        "CREATE CERTIFICATE other FROM FILE = '{}' WITH PRIVATE KEY (FILE = '{key}', DECRYPTION BY PASSWORD = '{FILE_PASSWORD}')",
        half.display()
    );
    refused(&mut sa, &other, &[15474]);
    refused(&mut sa, &format!("CREATE CERTIFICATE other FROM FILE = '{key}'"), &[15208]);
    let swapped = load_from("other", &directory, FILE_PASSWORD).replace(".key'", ".cer'");
    refused(&mut sa, &swapped, &[15464]);
    // Of backups.
    let to = |with: &str| format!("BACKUP DATABASE shop TO {} WITH {with}", disk("one.bak"));
    refused(&mut sa, &to("FORMAT, ENCRYPTION (ALGORITHM = AES_256, SERVER CERTIFICATE = none)"), &[15151, 3013]);
    refused(&mut sa, &to("FORMAT, ENCRYPTION (ALGORITHM = AES_256, SERVER ASYMMETRIC KEY = none)"), &[15151, 3013]);
    refused(&mut sa, &to("FORMAT, ENCRYPTION (ALGORITHM = AES_256, SERVER CERTIFICATE = old)"), &[3096, 3013]);
    refused(&mut sa, &to("FORMAT, ENCRYPTION (ALGORITHM = AES_192, SERVER CERTIFICATE = keeper)"), &[40510]);
    assert!(!directory.join("one.bak").exists(), "nothing is made for what is refused");
    must(&mut sa, &to("FORMAT"));
    let before = std::fs::read(directory.join("one.bak")).expect("readable");
    for with in ["NOINIT", "INIT"] {
        refused(&mut sa, &to(&format!("{with}, {}", encrypted("AES_256"))), &[3095, 3013]);
    }
    assert!(std::fs::read(directory.join("one.bak")).expect("readable") == before, "what was there is there");
    must(&mut sa, &to(&format!("FORMAT, {}", encrypted("AES_256"))));
    // What was damaged behind its checksums, by who knows of them, is found before anything is replaced.
    let mut bytes = std::fs::read(directory.join("one.bak")).expect("readable");
    let mut at = 0;
    while bytes[at + 4] != 2 {
        at += 24 + u32::from_le_bytes(bytes[at + 12..at + 16].try_into().expect("four bytes")) as usize;
    }
    let end = at + 24 + u32::from_le_bytes(bytes[at + 12..at + 16].try_into().expect("four bytes")) as usize;
    bytes[at + 300] ^= 1;
    let crc = crc32(bytes[at..at + 20].iter().chain(&bytes[at + 24..end]));
    bytes[at + 20..at + 24].copy_from_slice(&crc.to_le_bytes());
    std::fs::write(directory.join("bad.bak"), &bytes).expect("written");
    refused(&mut sa, &format!("RESTORE VERIFYONLY FROM {}", disk("bad.bak")), &[3189, 3013]);
    refused(&mut sa, &format!("RESTORE DATABASE shop FROM {} WITH REPLACE", disk("bad.bak")), &[3189, 3013]);
    must(&mut sa, "DROP CERTIFICATE keeper");
    refused(&mut sa, &format!("RESTORE DATABASE shop FROM {} WITH REPLACE", disk("one.bak")), &[33111, 3013]);
    assert_eq!(rows(&mut sa, "shop"), 1, "the database is as it was");
    must(&mut sa, &load_from("keeper", &directory, FILE_PASSWORD));
    must(&mut sa, &format!("RESTORE DATABASE shop FROM {} WITH REPLACE", disk("one.bak")));
    assert_eq!(rows(&mut sa, "shop"), 1);
}

#[test]
fn the_password_opens_what_the_servers_own_key_does_not_any_more() {
    let (server, directory) = start("encrypted-opened");
    let mut sa = connect(&server, "master");
    let disk = format!("DISK = '{}'", directory.join("one.bak").display());
    with_shop(&mut sa);
    with_certificate(&mut sa, "keeper");
    must(&mut sa, &format!("BACKUP DATABASE shop TO {disk} WITH {}", encrypted("AES_256")));
    drop(sa);
    assert_eq!(server.stop().0, Some(0));
    std::fs::remove_file(directory.join("data/service-master-key")).expect("it was there");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    let restore = format!("RESTORE DATABASE shop2 FROM {disk}");
    refused(&mut sa, &restore, &[15581, 3013]);
    refused(&mut sa, "OPEN MASTER KEY DECRYPTION BY PASSWORD = 'another password 1A'", &[15313]);
    let open = format!("OPEN MASTER KEY DECRYPTION BY PASSWORD = '{MASTER_PASSWORD}'");
    must(&mut sa, &open);
    must(&mut sa, &restore);
    must(&mut sa, "CLOSE MASTER KEY; DROP DATABASE shop2");
    refused(&mut sa, "CLOSE MASTER KEY", &[15315]);
    refused(&mut sa, &restore, &[15581, 3013]);
    must(&mut sa, &format!("{open}; ALTER MASTER KEY ADD ENCRYPTION BY SERVICE MASTER KEY; CLOSE MASTER KEY"));
    must(&mut sa, &restore);
    assert_eq!(rows(&mut sa, "shop2"), 1);
}

#[test]
fn who_may_not_see_the_certificate_can_neither_encrypt_nor_decrypt() {
    let (server, directory) = start("encrypted-rights");
    let mut sa = connect(&server, "master");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    with_shop(&mut sa);
    with_certificate(&mut sa, "keeper");
    save(&mut sa, "keeper", &directory);
    must(&mut sa, &format!("BACKUP DATABASE shop TO {} WITH {}", disk("one.bak"), encrypted("AES_256")));
    must(&mut sa, "CREATE LOGIN low WITH PASSWORD = 'Tow Pass 1'; CREATE USER low; GRANT CREATE ANY DATABASE TO low");
    must(&mut sa, "USE shop; CREATE USER low; ALTER ROLE db_backupoperator ADD MEMBER low; USE master");
    let mut low = as_login(&server, "low", "Tow Pass 1");
    let backup = format!("BACKUP DATABASE shop TO {} WITH {}", disk("low.bak"), encrypted("AES_256"));
    let restore = format!("RESTORE DATABASE shop2 FROM {}", disk("one.bak"));
    refused(&mut low, &backup, &[15151, 3013]);
    refused(&mut low, &restore, &[33111, 3013]);
    assert_eq!(one(&mut low, "SELECT COUNT(*) FROM sys.certificates"), 0);
    must(&mut sa, "GRANT VIEW DEFINITION ON CERTIFICATE::keeper TO low");
    assert_eq!(one(&mut low, "SELECT COUNT(*) FROM sys.certificates"), 1);
    must(&mut low, &backup);
    must(&mut low, &restore);
    // It sees the certificate, and cannot take it away.
    must(&mut low, &format!("BACKUP CERTIFICATE keeper TO FILE = '{}/public.cer'", directory.display()));
    let saving = format!(
        "BACKUP CERTIFICATE keeper TO FILE = '{0}/a.cer' WITH PRIVATE KEY (FILE = '{0}/a.key', ENCRYPTION BY PASSWORD = '{FILE_PASSWORD}')",
        directory.display()
    );
    refused(&mut low, &saving, &[15151]);
    refused(&mut low, "DROP CERTIFICATE keeper", &[15151]);
    refused(&mut low, "CREATE CERTIFICATE mine WITH SUBJECT = 'x'", &[15247]);
    refused(&mut low, &format!("OPEN MASTER KEY DECRYPTION BY PASSWORD = '{MASTER_PASSWORD}'"), &[15151]);
    refused(&mut low, "DROP MASTER KEY", &[15151]);
    must(&mut sa, "DROP CERTIFICATE keeper");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM sys.database_permissions WHERE class = 25"), 0);
}

#[test]
fn an_object_of_a_store_is_encrypted_alike() {
    let bucket = Bucket::start();
    let directory = scratch("encrypted-url");
    let endpoint = format!("http://127.0.0.1:{}", bucket.port);
    let data = directory.join("data");
    let server = Server::start_with(
        "127.0.0.1:0",
        data.to_str().expect("UTF-8"),
        &["--admin-listen", "off"],
        &[("AWS_ENDPOINT_URL_S3", &endpoint)],
    );
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    with_certificate(&mut sa, "keeper");
    let place = format!("s3://127.0.0.1:{}/{NAME}", bucket.port);
    must(&mut sa, &format!("CREATE CREDENTIAL [{place}] WITH IDENTITY = 'S3 Access Key', SECRET = '{KEY}:{SECRET}'"));
    const REGION: &str = "'{\"s3\": {\"region\": \"test-region-1\"}}'";
    let to = format!("BACKUP DATABASE shop TO URL = '{place}/one.bak' WITH BACKUP_OPTIONS = {REGION}");
    must(&mut sa, &format!("{to}, {}", encrypted("AES_256")));
    must(&mut sa, &format!("RESTORE DATABASE shop2 FROM URL = '{place}/one.bak' WITH RESTORE_OPTIONS = {REGION}"));
    assert_eq!(rows(&mut sa, "shop2"), 1);
    must(&mut sa, "DROP CERTIFICATE keeper");
    let gone = format!("RESTORE DATABASE shop3 FROM URL = '{place}/one.bak' WITH RESTORE_OPTIONS = {REGION}");
    refused(&mut sa, &gone, &[33111, 3013]);
}
