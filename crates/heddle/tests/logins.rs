//! Logins: what guessing costs and whom it does not hold up, lockout, passwords that must be changed, what the log tells, and how sa
//! gets its password.
//!
//! Errors and their states: learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-18456-database-engine-error and
//! the list of database engine errors (15xxx, 18xxx); what the policy asks: learn.microsoft.com/sql/relational-databases/security/password-policy.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use support::session::Session;
use support::{PASSWORD, Server, binary, scratch};
use tds::client::{Client, ClientEncryption, ConnectOptions, Event};
use tds::token::Token;

/// Longer than any login takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Number and state of what the client is told, if it is not let in; 0: the server is gone.
fn log_in(port: u16, user: &str, password: &str, new_password: &str) -> Result<(), (i32, u8)> {
    let options = ConnectOptions {
        user: user.into(),
        password: password.into(),
        new_password: new_password.into(),
        encryption: ClientEncryption::Plain,
        ..ConnectOptions::default()
    };
    let mut told = (0, 0);
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return Err(told) };
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    let mut client = Client::new(options);
    loop {
        match client.next_event().expect("the protocol") {
            Some(Event::Token(Token::Message(message))) if message.severity > 10 => {
                told = (message.number, message.state);
            }
            Some(Event::LoginFailed) => return Err(told),
            Some(_) => {}
            None if client.is_ready() => return Ok(()),
            None => {
                let mut bytes = [0; 4096];
                let sent = stream.write_all(&client.take_outgoing());
                match sent.and_then(|()| stream.read(&mut bytes)) {
                    Ok(count) if count > 0 => client.feed(&bytes[..count]),
                    _ => return Err(told),
                }
            }
        }
    }
}

/// `heddle sql` as anybody.
fn sql(port: u16, user: &str, password: &str, args: &[&str]) -> Output {
    let server = format!("127.0.0.1,{port}");
    let login = ["sql", "-S", &server, "-U", user, "-P", password];
    binary().args(login).args(args).stdin(Stdio::null()).output().expect("heddle sql runs")
}

fn failure(port: u16, user: &str, password: &str) -> i32 {
    log_in(port, user, password, "").expect_err("not let in").0
}

/// Passwords that were hashed so far: each is a wait of its kind.
const HASHED: &str =
    "SET NOCOUNT ON; SELECT waiting_tasks_count FROM sys.dm_os_wait_stats WHERE wait_type = 'PREEMPTIVE_OS_CRYPTOPS'";

fn hashed(server: &Server) -> i64 {
    server.query(HASHED).trim().parse().expect("a count")
}

fn value(server: &Server, expression: &str) -> String {
    server.query(&format!("SET NOCOUNT ON; SELECT {expression}")).trim().to_owned()
}

fn configure(server: &Server, option: &str, value: u32) {
    let shown = "EXEC sp_configure 'show advanced options', 1; RECONFIGURE";
    let told = server.query(&format!("{shown}; EXEC sp_configure '{option}', {value}; RECONFIGURE"));
    assert!(told.contains(&format!("'{option}' changed from")), "{told}");
}

/// Any user's wrong password costs one hash, whether there is such a login, or it is disabled.
#[test]
fn a_wrong_password_costs_the_same_where_there_is_no_login() {
    let server = Server::start(&[]);
    server.query(
        "CREATE LOGIN fritz WITH PASSWORD = 'Weaver-1-loom'; CREATE LOGIN gone WITH PASSWORD = 'Weaver-1-loom'; ALTER LOGIN gone DISABLE",
    );
    for user in ["fritz", "nobody", "gone", "sysadmin", ""] {
        let before = hashed(&server);
        assert_eq!(log_in(server.port, user, "wrong", ""), Err((18456, 1)), "{user}");
        assert_eq!(hashed(&server) - before, 1, "{user}");
    }
    // The right password of a disabled login is told so; a login that has been verified costs nothing more.
    assert_eq!(failure(server.port, "gone", "Weaver-1-loom"), 18470);
    for hashes in [1, 0] {
        let before = hashed(&server);
        assert_eq!(log_in(server.port, "fritz", "Weaver-1-loom", ""), Ok(()));
        assert_eq!(hashed(&server) - before, hashes);
    }
}

/// A pool that opens its connections at once has its password hashed once.
#[test]
fn many_first_logins_at_once_are_verified_once() {
    let server = Server::start(&[]);
    server.query("CREATE LOGIN fritz WITH PASSWORD = 'Weaver-1-loom'");
    let before = hashed(&server);
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| assert_eq!(log_in(server.port, "fritz", "Weaver-1-loom", ""), Ok(())));
        }
    });
    assert_eq!(hashed(&server) - before, 1);
}

/// What the server gives a connection to log in.
const LOGIN_SECONDS: u64 = 60;

/// How long each answer takes, one every 10 ms, from the shortest.
fn answers(session: &mut Session, length: Duration) -> Vec<Duration> {
    let (started, mut took) = (Instant::now(), Vec::new());
    while started.elapsed() < length {
        let asked = Instant::now();
        assert_eq!(session.run("SELECT 1"), "1");
        took.push(asked.elapsed());
        std::thread::sleep(Duration::from_millis(10));
    }
    took.sort_unstable();
    took
}

fn setting<T: std::str::FromStr>(name: &str, usual: T) -> T {
    std::env::var(name).ok().map_or(usual, |value| value.parse().ok().expect("a number"))
}

/// While threads guess as fast as they are let, another session is answered as usual, and the guesses are few. ATTACKERS=32 SECONDS=60:
/// so many, so long.
#[test]
fn who_guesses_holds_up_nobody() {
    let (attackers, seconds) = (setting("ATTACKERS", 8u8), setting("SECONDS", 3u64));
    for workers in ["fiber", "thread"] {
        let server = Server::start(&["--workers", workers]);
        // More connections than there are workers would be held up by a worker for each.
        configure(&server, "max worker threads", 128);
        configure(&server, "account lockout threshold", 0);
        server.query("CREATE LOGIN clerk WITH PASSWORD = 'Weaver-1-loom'");
        assert_eq!(log_in(server.port, "clerk", "Weaver-1-loom", ""), Ok(()));
        let mut session = Session::open(&server, "master");
        let alone = answers(&mut session, Duration::from_secs(seconds));
        let (port, before) = (server.port, hashed(&server));
        let (over, guesses, dropped) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
        let mut beside = Vec::new();
        std::thread::scope(|scope| {
            for thread in 0..attackers {
                let (over, guesses, dropped) = (&over, &guesses, &dropped);
                scope.spawn(move || {
                    for guess in 0.. {
                        let user = if guess % 2 == 0 { "sa".to_owned() } else { format!("user{thread}") };
                        let number = failure(port, &user, &format!("guess-{thread}-{guess}"));
                        if over.load(Ordering::Relaxed) {
                            return;
                        }
                        // 0: its turn had not come within the time that a login may take.
                        assert!(number == 18456 || number == 0 && seconds >= LOGIN_SECONDS, "{number}");
                        let count = if number == 0 { dropped } else { guesses };
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            beside = answers(&mut session, Duration::from_secs(seconds));
            // All are of one address: some are refused without a look at the password.
            let verified = session.run(HASHED).parse::<i64>().expect("a count") - before;
            let (guesses, dropped) = (guesses.load(Ordering::Relaxed), dropped.load(Ordering::Relaxed));
            let [alone, beside] = [&alone, &beside].map(|took| (took[took.len() / 2], took[took.len() * 99 / 100]));
            println!(
                "{workers}: {guesses} guesses, {verified} looked at, {dropped} that waited too long; median and 99th percentile {alone:?} alone, {beside:?} beside them"
            );
            let guesses_max = u32::from(attackers) * 10 + 20 + 2 * seconds as u32;
            let verified_max = 15 * seconds as i64 + 5;
            assert!(guesses < guesses_max && verified < verified_max, "{guesses} guesses, {verified} looked at");
            // Who has logged in from here before does not wait for what others did.
            let asked = Instant::now();
            assert_eq!(log_in(port, "clerk", "Weaver-1-loom", ""), Ok(()));
            assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
            over.store(true, Ordering::Relaxed);
            // Who still waits for its turn is let go.
            drop(server);
        });
        let slowest = beside.last().expect("an answer");
        assert!(beside.len() > 40 && *slowest < Duration::from_secs(2), "{} answers, {slowest:?}", beside.len());
    }
}

/// Threshold, duration and what unlocks: learn.microsoft.com/sql/t-sql/statements/alter-login-transact-sql, example F.
#[test]
fn wrong_passwords_lock_a_login_until_it_is_unlocked() {
    lock_and_unlock(&["--kernel", "threaded"]);
    // Whichever engine the guesses come to, they are counted together.
    lock_and_unlock(&["--kernel", "process", "--engines", "2"]);
}

fn lock_and_unlock(args: &[&str]) {
    let data = scratch(&format!("logins-locked-{}", args[1]));
    let path = data.to_str().expect("UTF-8");
    let server = Server::start_on(path, args);
    configure(&server, "account lockout threshold", 3);
    server.query(
        "CREATE LOGIN fritz WITH PASSWORD = 'Weaver-1-loom'; CREATE LOGIN free WITH PASSWORD = 'Weaver-1-loom', CHECK_POLICY = OFF",
    );
    assert_eq!(failure(server.port, "fritz", "wrong"), 18456);
    assert_eq!(value(&server, "LOGINPROPERTY('fritz', 'BadPasswordCount')"), "1");
    assert_eq!(log_in(server.port, "fritz", "Weaver-1-loom", ""), Ok(()));
    assert_eq!(value(&server, "LOGINPROPERTY('fritz', 'BadPasswordCount')"), "0");
    for user in ["fritz", "fritz", "fritz", "free", "free", "free"] {
        assert_eq!(failure(server.port, user, "wrong"), 18456);
    }
    assert_eq!(log_in(server.port, "free", "Weaver-1-loom", ""), Ok(()));
    // Right or wrong: nobody learns which.
    assert_eq!(log_in(server.port, "fritz", "Weaver-1-loom", ""), Err((18486, 1)));
    assert_eq!(log_in(server.port, "fritz", "wrong", ""), Err((18486, 1)));
    let state = "CONCAT(CONVERT(int, LOGINPROPERTY('fritz', 'IsLocked')), ' ', CONVERT(int, LOGINPROPERTY('fritz', 'BadPasswordCount')), ' ', \
                 IIF(DATEDIFF(second, CONVERT(datetime, LOGINPROPERTY('fritz', 'LockoutTime')), GETDATE()) BETWEEN 0 AND 59, 'now', 'then'))";
    assert_eq!(value(&server, state), "1 3 now");
    server.stop();

    let server = Server::start_on(path, args);
    assert_eq!(failure(server.port, "fritz", "Weaver-1-loom"), 18486, "a restart unlocks nobody");
    let old = server.query("ALTER LOGIN fritz WITH PASSWORD = 'Weaver-2-loom' OLD_PASSWORD = 'Weaver-1-loom'");
    assert!(old.contains("Msg 15113"), "{old}");
    server.query("ALTER LOGIN fritz WITH PASSWORD = 'Weaver-2-loom'");
    assert_eq!(failure(server.port, "fritz", "Weaver-2-loom"), 18486, "a new password alone unlocks nobody");
    server.query("ALTER LOGIN fritz WITH PASSWORD = 'Weaver-3-loom' UNLOCK");
    assert_eq!(log_in(server.port, "fritz", "Weaver-3-loom", ""), Ok(()));
    for _ in 0..3 {
        assert_eq!(failure(server.port, "fritz", "wrong"), 18456);
    }
    assert_eq!(failure(server.port, "fritz", "Weaver-3-loom"), 18486);
    server.query("ALTER LOGIN fritz WITH CHECK_POLICY = OFF; ALTER LOGIN fritz WITH CHECK_POLICY = ON");
    assert_eq!(log_in(server.port, "fritz", "Weaver-3-loom", ""), Ok(()));
}

/// Of SQL Server 2012, as sp_help_revlogin brings them.
#[test]
fn an_old_hash_is_renewed_by_the_next_login() {
    let server = Server::start(&[]);
    server.query(
        "DECLARE @hash varbinary(256) = 0x0200 + 0x01020304 + HASHBYTES('SHA2_512', CONVERT(varbinary(256), N'Weaver-1-loom') + 0x01020304);
         DECLARE @text nvarchar(max) = N'CREATE LOGIN fritz WITH PASSWORD = ' + CONVERT(nvarchar(max), @hash, 1) + N' HASHED, CHECK_POLICY = OFF';
         EXEC (@text)",
    );
    let form = "CONVERT(varchar(10), CONVERT(varbinary(2), LOGINPROPERTY('fritz', 'PasswordHash')), 1)";
    assert_eq!(value(&server, form), "0x0200");
    assert_eq!(failure(server.port, "fritz", "weaver-1-loom"), 18456);
    assert_eq!(value(&server, form), "0x0200");
    assert_eq!(log_in(server.port, "fritz", "Weaver-1-loom", ""), Ok(()));
    assert_eq!(value(&server, form), "0x0300");
    let before = hashed(&server);
    assert_eq!(log_in(server.port, "fritz", "Weaver-1-loom", ""), Ok(()));
    assert_eq!(hashed(&server), before, "it is remembered");
    assert_eq!(failure(server.port, "fritz", "weaver-1-loom"), 18456);
}

/// The new password comes with the login (MS-TDS 2.2.6.4, fChangePassword), as from sqlcmd -z.
#[test]
fn a_password_is_changed_at_login() {
    let server = Server::start(&[]);
    configure(&server, "enforce password history", 2);
    server.query("CREATE LOGIN fritz WITH PASSWORD = 'Weaver-1-loom' MUST_CHANGE, CHECK_EXPIRATION = ON");
    assert_eq!(value(&server, "LOGINPROPERTY('fritz', 'IsMustChange')"), "1");
    assert_eq!(failure(server.port, "fritz", "Weaver-1-loom"), 18488);
    assert_eq!(failure(server.port, "fritz", "wrong"), 18456);
    let change = |old: &str, new: &str| log_in(server.port, "fritz", old, new).map_err(|told| told.0);
    assert_eq!(change("Weaver-1-loom", "short"), Err(18464));
    assert_eq!(change("Weaver-1-loom", "onlyletters"), Err(18466));
    assert_eq!(change("Weaver-1-loom", "Weaver-1-loom"), Err(18463));
    assert_eq!(change("wrong", "Weaver-2-loom"), Err(18456));
    assert_eq!(change("Weaver-1-loom", "Weaver-2-loom"), Ok(()));
    assert_eq!(failure(server.port, "fritz", "Weaver-1-loom"), 18456);
    assert_eq!(value(&server, "LOGINPROPERTY('fritz', 'IsMustChange')"), "0");
    assert_eq!(change("Weaver-2-loom", "Weaver-1-loom"), Err(18463), "it is remembered");
    assert_eq!(change("Weaver-2-loom", "Weaver-3-loom"), Ok(()));
    assert_eq!(change("Weaver-3-loom", "Weaver-1-loom"), Ok(()), "two are remembered, not three");
    configure(&server, "minimum password age (days)", 1);
    assert_eq!(change("Weaver-1-loom", "Weaver-4-loom"), Err(18462));
    configure(&server, "minimum password age (days)", 0);
    let go_on = ["-z", "Weaver-5-loom", "-h", "-1", "-Q", "SET NOCOUNT ON; PRINT SUSER_SNAME()"];
    let changed = sql(server.port, "fritz", "Weaver-1-loom", &go_on);
    assert_eq!(String::from_utf8_lossy(&changed.stdout).trim(), "fritz", "{changed:?}");
    assert!(sql(server.port, "fritz", "Weaver-5-loom", &["-Z", "Weaver-6-loom"]).status.success());
    assert_eq!(log_in(server.port, "fritz", "Weaver-6-loom", ""), Ok(()));
}

#[test]
fn sa_may_have_another_name_and_be_disabled() {
    let server = Server::start(&[]);
    server.query("CREATE LOGIN second WITH PASSWORD = 'Weaver-1-loom'; ALTER SERVER ROLE sysadmin ADD MEMBER second");
    server.query("ALTER LOGIN sa WITH NAME = boss");
    assert_eq!(failure(server.port, "sa", PASSWORD), 18456);
    assert_eq!(log_in(server.port, "BOSS", PASSWORD, ""), Ok(()));
    let told = sql(server.port, "second", "Weaver-1-loom", &["-Q", "ALTER LOGIN boss DISABLE"]);
    assert!(told.status.success(), "{told:?}");
    assert_eq!(failure(server.port, "boss", PASSWORD), 18470);
}

/// A server whose standard input and error are the test's.
struct Piped {
    child: Child,
    port: u16,
}

impl Piped {
    fn start(args: &[&str], input: &str, log: &std::path::Path) -> Piped {
        let mut child = binary()
            .args(["serve", "--data", ":memory:", "--listen", "127.0.0.1:0", "--admin-listen", "off"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(log).expect("a log"))
            .spawn()
            .expect("the binary starts");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        Piped { child, port: port.unwrap_or_else(|| panic!("no port: {line:?}")) }
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_password_of_sa_comes_by_standard_input_and_is_in_no_list_of_processes() {
    let folder = scratch("logins-input");
    let server = Piped::start(&["--sa-password-file", "-"], "Weaver-1-loom\n", &folder.join("log"));
    assert_eq!(log_in(server.port, "sa", "Weaver-1-loom", ""), Ok(()));
    let seen = std::fs::read(format!("/proc/{}/cmdline", server.child.id())).expect("Linux");
    assert!(!String::from_utf8_lossy(&seen).contains("Weaver"));
}

#[test]
fn a_weak_password_of_sa_is_refused_unless_the_policy_is_off() {
    let folder = scratch("logins-weak");
    let refused = |password: &str| {
        let args = ["serve", "--data", ":memory:", "--listen", "127.0.0.1:0", "--sa-password", password];
        let output = binary().args(args).output().expect("it runs");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused("short").contains("because it is too short. The password must be at least 8 characters."));
    assert!(refused("onlyletters").contains("because it is not complex enough."));
    let server = Piped::start(&["--sa-password", "weak", "--no-password-policy"], "", &folder.join("log"));
    assert_eq!(log_in(server.port, "sa", "weak", ""), Ok(()));
}

/// The client is told state 1; the log has the state that says why.
#[test]
fn the_log_tells_of_logins_what_it_is_asked_to() {
    let folder = scratch("logins-audit");
    let log = folder.join("log");
    let server = Piped::start(&["--sa-password-file", "-"], "Weaver-1-loom", &log);
    let run = |text: &str| {
        let output = sql(server.port, "sa", "Weaver-1-loom", &["-Q", text]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(
        "CREATE LOGIN fritz WITH PASSWORD = 'Weaver-1-loom'; CREATE LOGIN gone WITH PASSWORD = 'Weaver-1-loom'; ALTER LOGIN gone DISABLE",
    );
    let told = || std::fs::read_to_string(&log).expect("a log");
    let has = |needle: &str| told().contains(needle);
    assert!(run("EXEC xp_loginconfig 'audit level'").contains("failure"));
    for (user, password) in [("fritz", "wrong"), ("no\nbody", "wrong"), ("gone", "wrong"), ("gone", "Weaver-1-loom")] {
        assert_eq!(log_in(server.port, user, password, "").expect_err("not let in").1, 1);
    }
    assert!(has("Error: 18456, Severity: 14, State: 8. Login failed for user 'fritz'. Reason: Password did not match"));
    assert!(has(
        "Error: 18456, Severity: 14, State: 5. Login failed for user 'no?body'. Reason: Could not find a login"
    ));
    assert!(has("Error: 18456, Severity: 14, State: 7. Login failed for user 'gone'."));
    assert!(has(
        "Error: 18470, Severity: 14, State: 1. Login failed for user 'gone'. Reason: The account is disabled. [CLIENT: 127.0.0.1]"
    ));
    assert!(!has("Login succeeded"));
    run("EXEC sp_configure 'login auditing', 3; RECONFIGURE");
    assert_eq!(log_in(server.port, "fritz", "Weaver-1-loom", ""), Ok(()));
    assert!(has(
        "Login succeeded for user 'fritz'. Connection made using SQL Server authentication. [CLIENT: 127.0.0.1]"
    ));
    assert!(run("EXEC xp_loginconfig 'audit level'").contains("all"));
    run("EXEC sp_configure 'login auditing', 0; RECONFIGURE");
    let before = told().len();
    assert_eq!(failure(server.port, "fritz", "wrong"), 18456);
    assert_eq!(log_in(server.port, "fritz", "Weaver-1-loom", ""), Ok(()));
    assert!(!told()[before..].contains("fritz"));
}

/// A client that went away while it waited for its turn costs nothing, and the server goes on.
#[test]
fn who_goes_away_before_its_turn_is_forgotten() {
    let server = Server::start(&[]);
    for guess in 0..12 {
        assert_eq!(failure(server.port, "nobody", &format!("guess-{guess}")), 18456);
        if guess > 6 {
            break;
        }
    }
    let before = hashed(&server);
    let gone = Instant::now();
    for _ in 0..20 {
        let options = ConnectOptions {
            user: "nobody".into(),
            password: "wrong".into(),
            encryption: ClientEncryption::Plain,
            ..ConnectOptions::default()
        };
        let mut client = Client::new(options);
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("the server listens");
        stream.write_all(&client.take_outgoing()).expect("sent");
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).expect("PRELOGIN");
        client.feed(&bytes[..count]);
        assert_eq!(client.next_event().expect("the protocol"), None);
        stream.write_all(&client.take_outgoing()).expect("sent");
    }
    assert!(gone.elapsed() < Duration::from_secs(5));
    std::thread::sleep(Duration::from_secs(2));
    assert!(hashed(&server) - before <= 1, "nobody waits for these");
    assert_eq!(value(&server, "1"), "1");
}

/// As on SQL Server, which keeps no plan of such statements and shows dashes for their text.
#[test]
fn passwords_are_in_no_cache_and_no_list() {
    let server = Server::start(&[]);
    let mut session = Session::open(&server, "master");
    session.run("CREATE LOGIN fritz WITH PASSWORD = 'Weaver-1-loom'; SELECT 1 AS a");
    let sent = "DECLARE @spid int = (SELECT MAX(session_id) FROM sys.dm_exec_sessions WHERE session_id <> @@SPID AND is_user_process = 1);
        SELECT event_info FROM sys.dm_exec_input_buffer(@spid, NULL);
        SELECT t.text FROM sys.dm_exec_connections c CROSS APPLY sys.dm_exec_sql_text(c.most_recent_sql_handle) t WHERE c.session_id = @spid";
    assert!(server.query(sent).contains("PRINT 'end of"), "the session's last text is shown");
    for batch in [
        "ALTER LOGIN fritz WITH PASSWORD = 'Weaver-2-loom' OLD_PASSWORD = 'Weaver-1-loom'",
        "EXEC sp_password 'Weaver-2-loom', 'Weaver-3-loom', 'fritz'",
        "EXEC ('ALTER LOGIN fritz WITH PASSWORD = ''Weaver-4-loom''; SELECT 1')",
        "EXEC sp_addlogin 'other', 'Weaver-5-loom'",
        "SELECT PWDCOMPARE('Weaver-6-loom', password_hash) FROM sys.sql_logins",
    ] {
        session.run(batch);
    }
    assert_eq!(log_in(server.port, "fritz", "Weaver-4-loom", "Weaver-7-loom"), Ok(()));
    let kept = server.query(
        "SELECT t.text FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) t;
         SELECT t.text FROM sys.dm_exec_query_stats p CROSS APPLY sys.dm_exec_sql_text(p.sql_handle) t",
    );
    assert!(kept.contains("dm_exec_input_buffer"), "the cache is shown");
    assert!(!kept.to_lowercase().contains("weaver"), "{kept}");
    let last = "ALTER LOGIN fritz WITH PASSWORD = 'Weaver-8-loom'";
    let waits = format!("{last}; WAITFOR DELAY '0:0:3'");
    session.send(&waits);
    std::thread::sleep(Duration::from_secs(1));
    let told = server.query(sent);
    assert!(told.matches("--*PASSWORD").count() == 2 && !told.contains("Weaver"), "{told}");
    session.answer();
}

/// Permissions: learn.microsoft.com/sql/t-sql/functions/loginproperty-transact-sql
#[test]
fn properties_of_a_login_are_shown_to_who_may_see_it() {
    let server = Server::start(&[]);
    server.query(
        "CREATE LOGIN fritz WITH PASSWORD = 'Weaver-1-loom'; CREATE LOGIN other WITH PASSWORD = 'Weaver-1-loom'",
    );
    let seen = |login: &str, property: &str| {
        let query = format!("SET NOCOUNT ON; SELECT LOGINPROPERTY('{login}', '{property}')");
        let output = sql(server.port, "fritz", "Weaver-1-loom", &["-h", "-1", "-W", "-Q", &query]);
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let all = || {
        [seen("fritz", "IsLocked"), seen("other", "IsLocked"), seen("other", "PasswordHash").replace("0x0300", "0x")]
    };
    assert_eq!(all(), ["0", "NULL", "NULL"]);
    assert_eq!(seen("fritz", "PasswordHash"), "NULL");
    server.query("GRANT VIEW ANY DEFINITION TO fritz");
    assert_eq!(all(), ["0", "0", "NULL"]);
    server.query("ALTER SERVER ROLE sysadmin ADD MEMBER fritz");
    assert!(all()[2].starts_with("0x"), "{:?}", all());
    // Who changes his own password has no say in what an administrator says.
    for option in ["UNLOCK", "MUST_CHANGE"] {
        let text = format!("ALTER LOGIN fritz WITH PASSWORD = 'Weaver-2-loom' OLD_PASSWORD = 'Weaver-1-loom' {option}");
        assert!(server.query(&text).contains("Incorrect syntax near"), "{option}");
    }
}
