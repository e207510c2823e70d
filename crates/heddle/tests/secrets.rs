//! What others on the machine and on the wire must not see: files and keys of their owner alone, certificates that change under open
//! sessions, encryption that is required; and signals that end nothing.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lab::address::ServerAddress;
use lab::client::{Connection, Target, Trust};
use server::security::certificate;
use server::security::tls::Certificate;
use support::session::Session;
use support::{PASSWORD, Server, binary, scratch};
use tds::client::{ClientEncryption, ConnectOptions};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").mode() & 0o777
}

/// Everything below a directory.
fn below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("readable").flatten() {
        if entry.path().is_dir() {
            below(&entry.path(), found);
        }
        found.push(entry.path());
    }
}

fn signal(server: &Server, name: &str) {
    let pid = server.pid().to_string();
    assert!(Command::new("kill").args(["-s", name, &pid]).status().expect("kill runs").success());
}

/// A certificate and its key as files; the key for its owner alone.
fn write_pair(directory: &Path, pem: &Certificate) -> (PathBuf, PathBuf) {
    let (certificate, key) = (directory.join("certificate.pem"), directory.join("key.pem"));
    std::fs::write(&certificate, &pem.certificate).expect("written");
    std::fs::write(&key, &pem.key).expect("written");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("closed");
    (certificate, key)
}

fn connect(server: &Server, encryption: ClientEncryption, trust: &Trust) -> Result<Connection, String> {
    let address = ServerAddress::parse(&server.address()).expect("an address");
    let options =
        ConnectOptions { user: "sa".into(), password: PASSWORD.into(), encryption, ..ConnectOptions::default() };
    let target = Target::new(address, options, trust).map_err(|error| error.to_string())?;
    Connection::open(&target, None).map_err(|error| error.to_string())
}

/// Whether a new connection meets this certificate.
fn is_served(server: &Server, certificate: &Path) -> bool {
    let trust = Trust::File(certificate.to_str().expect("UTF-8").into());
    connect(server, ClientEncryption::Full, &trust).is_ok()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn files_are_their_owners_alone_whatever_the_umask() {
    for umask in [0o000, 0o277] {
        let data = scratch(&format!("private-{umask:03o}")).join("data");
        let mut command = binary();
        command.args(["serve", "--data", data.to_str().expect("UTF-8"), "--listen", "127.0.0.1:0"]);
        command.args(["--sa-password", PASSWORD]).stdout(Stdio::piped());
        let server = Server::start_command(umasked(command, umask), "127.0.0.1");
        server.query("CREATE DATABASE one; EXEC('CREATE TABLE one.dbo.t (a int); INSERT one.dbo.t VALUES (1)')");
        server.query("EXEC sp_configure 'show advanced options', 1; RECONFIGURE; SELECT 1 a INTO #t; CHECKPOINT");
        let mut found = Vec::new();
        below(&data, &mut found);
        assert!(found.len() > 8, "{found:?}");
        assert_eq!(mode(&data), 0o700);
        for path in found {
            let wanted = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(&path), wanted, "{}", path.display());
        }
        assert_eq!(server.stop().0, Some(0));
    }
}

/// Whoever may name a path is told that it is no backup, and nothing becomes of the file: neither what it says nor who may read it.
#[test]
fn a_file_that_is_no_backup_is_left_as_it_is() {
    let data = scratch("no-backup");
    let server = Server::start_on(data.join("data").to_str().expect("UTF-8"), &[]);
    let path = data.join("hosts");
    std::fs::write(&path, "127.0.0.1 localhost\n").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("open to all");
    for statement in ["BACKUP DATABASE model TO", "RESTORE DATABASE other FROM", "RESTORE VERIFYONLY FROM"] {
        let answer = server.sql(&["-Q", &format!("{statement} DISK = '{}'", path.display())]);
        let told = String::from_utf8_lossy(&answer.stdout).into_owned();
        assert!(told.contains("Msg 3241"), "{statement}: {told}");
        assert_eq!(
            (mode(&path), std::fs::read_to_string(&path).expect("readable")),
            (0o644, "127.0.0.1 localhost\n".into())
        );
    }
}

/// Begins with that umask: a shell sets it, since the test must not for itself.
fn umasked(command: Command, umask: u32) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("umask {umask:03o}; exec \"$0\" \"$@\"")).arg(command.get_program());
    shell.args(command.get_args()).stdout(Stdio::piped());
    shell
}

#[test]
fn a_directory_that_was_open_is_closed() {
    let data = scratch("was-open");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &[]);
    assert_eq!(server.stop().0, Some(0));
    let mut found = vec![data.clone()];
    below(&data, &mut found);
    for path in &found {
        let open = if path.is_dir() { 0o755 } else { 0o644 };
        // The key is another matter: it is refused, not closed.
        if !path.ends_with("tls/key.pem") {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(open)).expect("opened");
        }
    }
    let server = Server::start_on(data.to_str().expect("UTF-8"), &[]);
    assert_eq!(mode(&data), 0o700);
    // What is opened is closed to others; what is not lies in a directory that is.
    let left_alone = |path: &Path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        [".pem", ".toml"].iter().any(|end| name.ends_with(end)) || name.starts_with("errorlog.")
    };
    let opened = |path: &&PathBuf| path.is_file() && !left_alone(path);
    let opened: Vec<&PathBuf> = found.iter().filter(opened).collect();
    assert!(opened.len() > 3, "{opened:?}");
    for path in opened {
        assert_eq!(mode(path), 0o600, "{}", path.display());
    }
    assert_eq!(server.stop().0, Some(0));
}

#[test]
fn a_private_key_that_others_may_read_is_refused() {
    let directory = scratch("open-key");
    let (certificate, key) = write_pair(&directory, &Certificate::generate("db.example").expect("made"));
    for open in [0o640, 0o604, 0o644] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(open)).expect("opened");
        let output = binary()
            .args(["serve", "--data", ":memory:", "--listen", "127.0.0.1:0", "--sa-password", PASSWORD])
            .arg("--tls-certificate")
            .arg(&certificate)
            .arg("--tls-key")
            .arg(&key)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{open:o}");
        assert!(said.contains(&format!("chmod 600 {}", key.display())), "{said}");
    }
}

/// The certificate changes while sessions work; none is lost, and new ones have the new one. A bad one changes nothing.
fn reload(kernel: &str) {
    let directory = scratch(&format!("reload-{kernel}"));
    let first = Certificate::generate("first.example").expect("made");
    let (certificate, key) = write_pair(&directory, &first);
    let (old, new) = (directory.join("old.pem"), directory.join("new.pem"));
    std::fs::write(&old, &first.certificate).expect("written");
    let second = Certificate::generate("second.example").expect("made");
    std::fs::write(&new, &second.certificate).expect("written");
    let (certificate_text, key_text) = (certificate.to_str().expect("UTF-8"), key.to_str().expect("UTF-8"));
    let server = Server::start(&["--kernel", kernel, "--tls-certificate", certificate_text, "--tls-key", key_text]);
    let mut sessions: Vec<Session> = (0..4).map(|_| Session::open(&server, "master")).collect();
    for session in &mut sessions {
        session.run("CREATE TABLE #held (a int); INSERT #held VALUES (0)");
    }
    let mut work = |rounds: u32| {
        for _ in 0..rounds {
            sessions.iter_mut().for_each(|session| session.send("UPDATE #held SET a += 1; SELECT a FROM #held"));
            for session in &mut sessions {
                let answer = session.answer();
                assert!(answer.parse::<u32>().is_ok(), "{answer}");
            }
        }
    };
    assert!(is_served(&server, &old) && !is_served(&server, &new));

    // Certificate and key do not belong together.
    std::fs::write(&certificate, &second.certificate).expect("written");
    signal(&server, "HUP");
    work(200);
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(is_served(&server, &old), "what cannot be used changes nothing");

    write_pair(&directory, &second);
    signal(&server, "HUP");
    work(200);
    // Each engine reads it, so each of several connections must have it.
    until("the new certificate is used", || (0..4).all(|_| is_served(&server, &new)));
    assert!(!is_served(&server, &old));
    signal(&server, "USR1");
    signal(&server, "USR2");
    signal(&server, "XFSZ");
    work(50);
    assert_eq!(sessions[0].run("SELECT a FROM #held"), "450");
    drop(sessions);
    assert_eq!(server.stop().0, Some(0));
}

#[test]
fn sighup_reads_the_certificate_again() {
    reload("threaded");
}

#[test]
fn sighup_reads_the_certificate_again_in_all_engines() {
    reload("process");
}

#[test]
fn a_certificate_near_its_end_is_renewed_at_the_start() {
    let data = scratch("renewed");
    let path = data.to_str().expect("UTF-8");
    assert_eq!(Server::start_on(path, &[]).stop().0, Some(0));
    let file = data.join("tls/certificate.pem");
    let made = std::fs::read_to_string(&file).expect("made");
    assert_eq!(Server::start_on(path, &[]).stop().0, Some(0));
    assert_eq!(std::fs::read_to_string(&file).expect("kept"), made);
    let year_ago = certificate::now() - 350 * 86_400;
    write_pair(&data.join("tls"), &Certificate::generate_at("old.example", year_ago).expect("made"));
    let old = std::fs::read_to_string(&file).expect("written");
    let server = Server::start_on(path, &[]);
    assert_ne!(std::fs::read_to_string(&file).expect("renewed"), old);
    assert!(is_served(&server, &file));
    assert_eq!(mode(&data.join("tls/key.pem")), 0o600);
    assert_eq!(server.stop().0, Some(0));
}

/// MS-TDS 2.2.6.5: a server that requires encryption ends the connection of a client without it.
#[test]
fn encryption_can_be_required() {
    let server = Server::start(&["--encrypt", "required"]);
    assert!(connect(&server, ClientEncryption::Plain, &Trust::Anyone).is_err());
    let encrypted = "SET NOCOUNT ON; SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID";
    for encryption in [ClientEncryption::Login, ClientEncryption::Full, ClientEncryption::Strict] {
        assert!(connect(&server, encryption, &Trust::Anyone).is_ok(), "{encryption:?}");
    }
    // `heddle sql` asks for an encrypted login only, and gets more.
    assert_eq!(server.query(encrypted).trim(), "TRUE");
    let server = Server::start(&["--encrypt", "strict"]);
    for encryption in [ClientEncryption::Plain, ClientEncryption::Login, ClientEncryption::Full] {
        assert!(connect(&server, encryption, &Trust::Anyone).is_err(), "{encryption:?}");
    }
    assert!(connect(&server, ClientEncryption::Strict, &Trust::Anyone).is_ok());
    let server = Server::start(&[]);
    assert!(connect(&server, ClientEncryption::Plain, &Trust::Anyone).is_ok());
}

/// A file may not grow beyond the shell's limit: the client hears it as of a full disk, and the server goes on.
#[test]
fn a_file_that_is_too_large_is_a_full_disk() {
    let data = scratch("too-large").join("data");
    let mut command = binary();
    command.args(["serve", "--data", data.to_str().expect("UTF-8"), "--listen", "127.0.0.1:0"]);
    command.args(["--sa-password", PASSWORD]);
    let mut shell = Command::new("sh");
    // In blocks of 512 bytes.
    shell.arg("-c").arg("ulimit -f 262144; exec \"$0\" \"$@\"").arg(command.get_program());
    shell.args(command.get_args()).stdout(Stdio::piped());
    let server = Server::start_command(shell, "127.0.0.1");
    server.query("CREATE DATABASE big");
    server.query("CREATE TABLE big.dbo.t (a int IDENTITY, b char(8000) NOT NULL DEFAULT 'x')");
    let fill = "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 40 BEGIN \
        INSERT big.dbo.t (b) SELECT TOP (1000) 'x' FROM sys.all_columns; SET @i += 1 END";
    let output = server.sql(&["-Q", fill]);
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(said.contains("Msg 1105") || said.contains("Msg 9002"), "{said}");
    assert_eq!(server.query("SET NOCOUNT ON; SELECT 1").trim(), "1", "it serves");
}
