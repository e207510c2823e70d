//! The error log: what goes there, who reads it and how, and its files.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Output, Stdio};

use support::{Server, binary, scratch};

fn said(server: &Server, query: &str) -> String {
    let output = server.sql(&["-h", "-1", "-W", "-s", "|", "-Q", &format!("SET NOCOUNT ON; {query}")]);
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned()
}

fn run_as(server: &Server, user: &str, password: &str, query: &str) -> Output {
    let mut command = binary();
    command.args(["sql", "-S", &server.address(), "-U", user, "-P", password, "-Q", query]);
    command.stdin(Stdio::null()).output().expect("heddle sql runs")
}

/// Source and text of the entries.
fn entries(server: &Server, arguments: &str) -> Vec<(String, String)> {
    let query = format!(
        "CREATE TABLE #log (at datetime, source nvarchar(50), said nvarchar(4000), number int IDENTITY); \
         INSERT #log EXEC xp_readerrorlog {arguments}; SELECT source, said FROM #log ORDER BY number"
    );
    let text = said(server, &query);
    text.lines().filter_map(|line| line.split_once('|')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

/// As SQL Server tells of who scans its port: 17836 of bytes that are no packet, 17828 of a packet that asks for nothing.
#[test]
fn who_is_no_client_is_told_of() {
    let data = scratch("error-log-strangers");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &[]);
    let prelogin = [&[0x12, 1, 0, 16, 0, 0, 0, 0][..], &[7; 8]].concat();
    for (bytes, number, begins) in [
        (&b"GET / HTTP/1.0\r\n\r\n"[..], 17836, "Length specified in network packet payload"),
        (&prelogin[..], 17828, "The prelogin packet used to open the connection is structurally invalid"),
    ] {
        let mut socket = TcpStream::connect(("127.0.0.1", server.port)).expect("connected");
        socket.write_all(bytes).expect("written");
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        assert!(answer.is_empty(), "{answer:?}");
        let told = entries(&server, &format!("0, 1, N'{begins}'"));
        assert!(
            matches!(&told[..], [(source, text)] if source == "Logon" && text.contains("[CLIENT: 127.0.0.1")),
            "{told:?}"
        );
        assert_eq!(entries(&server, &format!("0, 1, N'Error: {number}, Severity: 20'")).len(), 1);
    }
    // Who comes and goes without a word is nobody.
    drop(TcpStream::connect(("127.0.0.1", server.port)).expect("connected"));
    assert_eq!(entries(&server, "0, 1, N'CLIENT: '").len(), 2);
}

/// learn.microsoft.com, "sp_readerrorlog" and "xp_logevent": entries of RAISERROR WITH LOG, xp_logevent and failed logins.
fn log_of(kernel: &str) {
    let data = scratch(&format!("error-log-{kernel}"));
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--kernel", kernel]);
    said(&server, "RAISERROR('first %d', 11, 3, 7) WITH LOG");
    said(&server, "EXEC xp_logevent 60000, N'an event', 'warning'");
    said(&server, "RAISERROR('not for the log', 16, 1)");
    let refused = run_as(&server, "nobody", "x", "SELECT 1");
    assert!(!refused.status.success());
    said(&server, "RAISERROR(N'forged\n2020-01-01 00:00:00.00 Server      no entry', 10, 1) WITH LOG");
    let all = entries(&server, "0, 1");
    let at = |text: &str| {
        all.iter().position(|(_, said)| said == text).unwrap_or_else(|| panic!("no {text:?} among {all:#?}"))
    };
    let first = at("first 7");
    assert_eq!(all[first - 1].1, "Error: 50000, Severity: 11, State: 3.");
    assert!(all[first].0.starts_with("spid"), "{:?}", all[first]);
    assert_eq!(all[at("an event") - 1].1, "Error: 60000, Severity: 10, State: 1.");
    let failed = "Login failed for user 'nobody'. Reason: Could not find a login matching the name provided. [CLIENT: 127.0.0.1]";
    assert_eq!((&*all[at(failed)].0, &*all[at(failed) - 1].1), ("Logon", "Error: 18456, Severity: 14, State: 5."));
    assert!(!all.iter().any(|(source, text)| text.contains("not for the log") || source.contains("no entry")));
    assert!(all.iter().any(|(source, text)| source == "Server" && text.starts_with("Server process ID is ")));
    // Both words, whatever their letters' case; an order; times.
    assert_eq!(entries(&server, "0, 1, N'FIRST', N'7'").len(), 1);
    assert_eq!(entries(&server, "0, 1, N'first', N'event'").len(), 0);
    let backwards = entries(&server, "0, 1, NULL, NULL, NULL, NULL, N'desc'");
    assert!(
        backwards.iter().position(|entry| entry.1 == "first 7")
            > backwards.iter().position(|entry| entry.1 == "an event")
    );
    assert_eq!(entries(&server, "0, 1, N'first', NULL, '20200101', '20200102'").len(), 0);
    assert_eq!(entries(&server, "0, 1, N'first', NULL, '20200101', '21000101'").len(), 1);
    assert!(said(&server, "EXEC xp_readerrorlog 9").contains("Msg 22004"));
    assert!(said(&server, "EXEC sp_readerrorlog 0, 1, N'first'").contains("first 7"));

    said(&server, "EXEC sp_cycle_errorlog");
    assert_eq!(entries(&server, "0, 1, N'first 7'").len(), 0);
    assert_eq!(entries(&server, "1, 1, N'first 7'").len(), 1);
    let files = said(&server, "EXEC sp_enumerrorlogs");
    let numbers: Vec<&str> = files.lines().filter_map(|line| Some(line.split_once('|')?.0)).collect();
    assert_eq!(numbers, ["0", "1"], "{files}");
    for _ in 0..7 {
        said(&server, "EXEC sp_cycle_errorlog");
    }
    let kept = |name: &str| data.join("log").join(name).exists();
    assert!(kept("errorlog") && kept("errorlog.6") && !kept("errorlog.7"));
    assert_eq!(server.stop().0, Some(0));
    let text = std::fs::read_to_string(data.join("log/errorlog")).expect("UTF-8");
    assert!(text.contains("stopping"), "{text}");

    // The next start begins a new one.
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--kernel", kernel]);
    assert!(entries(&server, "1, 1, N'stopping'").len() == 1);
    only_for_members(&server);
    assert_eq!(server.stop().0, Some(0));
}

fn only_for_members(server: &Server) {
    said(server, "CREATE LOGIN reader WITH PASSWORD = 'Reader-1:er', CHECK_POLICY = OFF");
    let read = || {
        let output = run_as(server, "reader", "Reader-1:er", "EXEC sp_readerrorlog");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let refused = read();
    assert!(refused.contains("Msg 15003") && !refused.contains("Server process ID"), "{refused}");
    said(server, "ALTER SERVER ROLE securityadmin ADD MEMBER reader");
    assert!(read().contains("Server process ID"));
}

#[test]
fn the_log_of_one_process() {
    log_of("threaded");
}

#[test]
fn the_log_of_several() {
    log_of("process");
}

#[test]
fn a_file_that_has_grown_is_put_aside() {
    let data = scratch("error-log-size");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--errorlog-size", "1"]);
    let long = "DECLARE @i int = 0, @text nvarchar(2000) = REPLICATE(N'x', 1900); \
        WHILE @i < 1000 BEGIN RAISERROR('%d %s', 10, 1, @i, @text) WITH LOG; SET @i += 1 END";
    said(&server, long);
    assert_eq!(server.stop().0, Some(0));
    let size = |name: &str| std::fs::metadata(data.join("log").join(name)).map(|there| there.len());
    let (now, before) = (size("errorlog").expect("there"), size("errorlog.1").expect("there"));
    // What one write brings may be beyond the limit.
    assert!(now < 1 << 20 && (1 << 20..3 << 20).contains(&before), "{now}, {before}");
}

/// Without a directory the log is kept in memory, up to a bound.
#[test]
fn a_server_that_keeps_nothing_has_a_log() {
    let server = Server::start(&[]);
    said(&server, "RAISERROR('first', 11, 3) WITH LOG; RAISERROR('second', 11, 3) WITH LOG");
    assert_eq!(entries(&server, "0, 1, N'second'").len(), 1);
    said(&server, "EXEC sp_cycle_errorlog");
    assert_eq!(entries(&server, "1, 1, N'second'").len(), 1);
}
