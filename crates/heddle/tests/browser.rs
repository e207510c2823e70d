//! `--browser` and `--instance`: what clients are told that ask by UDP as they ask SQL Server Browser.
//! https://learn.microsoft.com/openspecs/windows_protocols/mc-sqlr
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use support::ask::{connect, word};
use support::{Server, binary, free_port};

/// An address of this machine's that no other test has: the port is free there.
const PLACE: &str = "127.0.86.1:1434";

/// The answer to a request; None: none comes.
fn asked(place: &str, request: &[u8]) -> Option<Vec<u8>> {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.set_read_timeout(Some(Duration::from_millis(500))).expect("a limit");
    socket.send_to(request, place).expect("sent");
    let mut answer = vec![0; 65_536];
    let length = socket.recv(&mut answer).ok()?;
    answer.truncate(length);
    Some(answer)
}

/// What SVR_RESP tells.
fn told(place: &str, request: &[u8]) -> Option<String> {
    let answer = asked(place, request)?;
    assert_eq!(answer[0], 5);
    assert_eq!(usize::from(u16::from_le_bytes([answer[1], answer[2]])), answer.len() - 3);
    Some(String::from_utf8(answer[3..].to_vec()).expect("text"))
}

/// Waits until the answer is so.
fn becomes(place: &str, request: &[u8], expected: impl Fn(Option<&str>) -> bool) {
    let started = Instant::now();
    loop {
        let seen = told(place, request);
        if expected(seen.as_deref()) {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "{request:?}: {seen:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name").trim().to_owned()
}

fn line(name: &str, port: u16) -> String {
    format!("ServerName;{};InstanceName;{name};IsClustered;No;Version;16.0.4003.1;tcp;{port};;", host())
}

#[test]
fn an_instance_is_told_by_its_name() {
    let admin = free_port();
    let admin_listen = format!("127.0.0.1:{admin}");
    let server = Server::start(&["--instance", "Sales", "--browser", PLACE, "--admin-listen", &admin_listen]);
    let sales = line("Sales", server.port);
    becomes(PLACE, b"\x04SALES\0", |seen| seen == Some(&sales));
    // With the zero or without it, and every instance by either request.
    assert_eq!(told(PLACE, b"\x04sales").as_deref(), Some(&*sales));
    assert_eq!(told(PLACE, b"\x02").as_deref(), Some(&*sales));
    assert_eq!(told(PLACE, b"\x03").as_deref(), Some(&*sales));
    let port = admin.to_le_bytes();
    assert_eq!(asked(PLACE, b"\x0f\x01SALES\0"), Some(vec![5, 6, 0, 1, port[0], port[1]]));
    // What is not there, or no request, is not answered.
    for request in [&b"\x04OTHER\0"[..], b"\x0f\x01OTHER\0", b"\x0f\x02SALES\0", b"\x04", b"\x07", b"", &[4; 2_000]] {
        assert_eq!(asked(PLACE, request), None, "{:?}", &request[..request.len().min(8)]);
    }
    let mut client = connect(&server, "master");
    let names = "SELECT CONCAT_WS(' ', @@SERVERNAME, @@SERVICENAME, CONVERT(nvarchar(128), SERVERPROPERTY('InstanceName')),
        CONVERT(nvarchar(128), SERVERPROPERTY('ServerName')), CONVERT(nvarchar(128), SERVERPROPERTY('MachineName')),
        (SELECT name FROM sys.servers WHERE server_id = 0), (SELECT servicename FROM sys.dm_server_services),
        (SELECT COUNT(DISTINCT LEFT(object_name, 12)) FROM sys.dm_os_performance_counters WHERE object_name LIKE 'MSSQL$Sales:%'),
        (SELECT COUNT(*) FROM sys.dm_os_performance_counters WHERE object_name LIKE 'SQLServer:%'))";
    let host = host();
    let expected = format!("{host}\\Sales Sales Sales {host}\\Sales {host} {host}\\Sales SQL Server (Sales) 1 0");
    assert_eq!(word(&mut client, names), expected);
}

#[test]
fn servers_of_a_machine_share_the_port() {
    // Servers of the same port announce themselves to one of them: not to that of the test above.
    let place = "127.0.86.2:21434";
    let start = |name: &str, kernel: &str| {
        Server::start(&["--instance", name, "--browser", place, "--admin-listen", "off", "--kernel", kernel])
    };
    let first = start("FIRST", "threaded");
    becomes(place, b"\x04FIRST\0", |seen| seen.is_some());
    let second = start("SECOND", "process");
    let third = start("THIRD", "threaded");
    becomes(place, b"\x04SECOND\0", |seen| seen == Some(&line("SECOND", second.port)));
    becomes(place, b"\x04third\0", |seen| seen == Some(&line("THIRD", third.port)));
    let all = told(place, b"\x03").expect("an answer");
    assert_eq!(all.matches("InstanceName;").count(), 3, "{all}");
    // None has an administrator connection.
    assert_eq!(asked(place, b"\x0f\x01SECOND\0"), None);
    // One of the others takes over, and what is gone is forgotten.
    drop(first);
    becomes(place, b"\x03", |seen| {
        seen.is_some_and(|all| all.contains("SECOND") && all.contains("THIRD") && !all.contains("FIRST"))
    });
    drop(third);
    becomes(place, b"\x03", |seen| seen == Some(&line("SECOND", second.port)));
}

#[test]
fn what_cannot_be_is_refused_at_the_start() {
    let refused = |more: &[&str]| {
        let output = binary().args(["serve", "--data", ":memory:", "--listen", "127.0.0.1:0"]).args(more).output();
        let output = output.expect("it ends");
        assert!(!output.status.success(), "{more:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(refused(&["--instance", "two words"]).contains("--instance: 'two words'"));
    assert!(refused(&["--instance", "Default"]).contains("--instance: 'Default'"));
    assert!(refused(&["--browser", "nowhere"]).contains("--browser: 'nowhere'"));
    // Not an address of this machine: TEST-NET-1.
    assert!(refused(&["--browser", "192.0.2.1:1434"]).contains("--browser 192.0.2.1:1434"));
}
