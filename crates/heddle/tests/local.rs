//! The local transport, `lpc:`: the same server without the network.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::{Server, binary, sql_at};

/// Lines that `heddle sql -Q query` prints at `server`.
fn lines(server: &str, more: &[&str], query: &str) -> Vec<String> {
    let query = format!("SET NOCOUNT ON; {query}");
    let output = sql_at(server, &[&["-b", "-h", "-1", "-W", "-s", "|", "-Q", &query], more].concat());
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
    assert!(output.status.success(), "{}", text.lines().last().unwrap_or_default());
    text.lines().map(str::to_owned).collect()
}

/// What `heddle sql` says where it fails.
fn refused(server: &str) -> String {
    let output = sql_at(server, &["-b", "-Q", "SELECT 1"]);
    assert!(!output.status.success(), "{server} must not answer");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
}

const CONNECTION: &str = "SELECT net_transport, endpoint_id, client_net_address, client_tcp_port, local_net_address, \
    local_tcp_port, encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID; \
    SELECT CONNECTIONPROPERTY('net_transport'), CONNECTIONPROPERTY('physical_net_transport'), \
    CONNECTIONPROPERTY('client_net_address'), CONNECTIONPROPERTY('local_net_address'), CONNECTIONPROPERTY('local_tcp_port'); \
    SELECT e.name, RTRIM(p.net_library) FROM sys.sysprocesses p JOIN sys.dm_exec_sessions s ON s.session_id = p.spid \
    JOIN sys.endpoints e ON e.endpoint_id = s.endpoint_id WHERE p.spid = @@SPID";

#[test]
fn views_tell_the_transports_apart() {
    let server = Server::start(&[]);
    let local = [
        "Shared memory|2|<local machine>|NULL|NULL|NULL|FALSE",
        "Shared memory|Shared memory|<local machine>|NULL|NULL",
        "TSQL Local Machine|LPC",
    ];
    for place in [".", "localhost", "(local)", ".\\INSTANCE"] {
        assert_eq!(lines(&format!("lpc:{place},{}", server.port), &[], CONNECTION), local);
    }
    let encrypted = lines(&server.local_address(), &["-N", "-C"], CONNECTION);
    assert_eq!(encrypted[0], "Shared memory|2|<local machine>|NULL|NULL|NULL|TRUE");
    let tcp = lines(&server.address(), &[], CONNECTION);
    let columns: Vec<&str> = tcp[0].split('|').collect();
    assert_eq!(columns[..3], ["TCP", "4", "127.0.0.1"]);
    assert!(columns[3].parse::<u16>().is_ok_and(|port| port != server.port), "the client's port: {tcp:?}");
    assert_eq!(columns[4..], ["127.0.0.1", &server.port.to_string(), "FALSE"]);
    assert_eq!(tcp[1], format!("TCP|TCP|127.0.0.1|127.0.0.1|{}", server.port));
    assert_eq!(tcp[2], "TSQL Default TCP|TCP/IP");
    assert_eq!(server.stop().0, Some(0));
}

/// Some MB, more than a socket holds by far, plain and encrypted, on both kinds of workers; and over TCP the same.
#[test]
fn a_big_result_arrives_whole() {
    const ROWS: usize = 600;
    let query = format!(
        "SELECT TOP {ROWS} REPLICATE(CHAR(97 + ROW_NUMBER() OVER (ORDER BY a.object_id, b.object_id) % 26), 8000) \
         FROM sys.all_objects a CROSS JOIN sys.all_objects b ORDER BY a.object_id, b.object_id"
    );
    for workers in ["fiber", "thread"] {
        let server = Server::start(&["--workers", workers]);
        for encryption in [&[][..], &["-N", "-C"]] {
            for address in [server.local_address(), server.address()] {
                let lines = lines(&address, encryption, &query);
                assert_eq!(lines.len(), ROWS);
                for (at, line) in lines.iter().enumerate() {
                    let letter = char::from(b'a' + ((at + 1) % 26) as u8);
                    assert!(line.len() == 8000 && line.chars().all(|found| found == letter), "row {at}: {line:.20}");
                }
            }
        }
    }
}

#[test]
fn the_load_and_the_health_check_come_by_it() {
    let server = Server::start(&[]);
    let address = server.local_address();
    let ping = binary().args(["ping", "-S", &address]).output().expect("runs");
    assert!(ping.status.success(), "{}", String::from_utf8_lossy(&ping.stderr));
    let stress =
        ["stress", "-S", &address, "-U", "sa", "-P", support::PASSWORD, "-Q", "SELECT 1", "-n", "50", "-r", "20", "-q"];
    let stress = binary().args(stress).output().expect("runs");
    assert!(stress.status.success(), "{}", String::from_utf8_lossy(&stress.stderr));
    let tcp = lines(&server.address(), &[], "SELECT COUNT(*) FROM sys.dm_exec_connections WHERE net_transport = 'TCP'");
    assert_eq!(tcp, ["1"]);
}

/// Its name is no file: nothing is left of a server that was killed, and the next one of that port has it.
#[test]
fn the_name_goes_with_the_server() {
    let server = Server::start(&[]);
    let (port, address) = (server.port, server.local_address());
    server.kill();
    let message = refused(&address);
    assert!(message.contains(&format!("no server of port {port} is running")), "{message}");
    let server = Server::start_at(&format!("127.0.0.1:{port}"), ":memory:", &[]);
    assert_eq!(lines(&address, &[], "SELECT SERVERPROPERTY('ProcessID')"), [server.pid().to_string()]);
}

/// Two servers may have one port, on two addresses. The first has the local transport.
#[test]
fn a_server_whose_name_is_taken_serves_tcp() {
    let first = Server::start(&[]);
    let second = Server::start_at(&format!("127.0.0.2:{}", first.port), ":memory:", &[]);
    let process = "SELECT SERVERPROPERTY('ProcessID')";
    assert_eq!(lines(&second.address(), &[], process), [second.pid().to_string()]);
    assert_eq!(lines(&first.address(), &[], process), [first.pid().to_string()]);
    assert_eq!(lines(&first.local_address(), &[], process), [first.pid().to_string()]);
    assert_eq!(second.stop().0, Some(0));
}

#[test]
fn another_machine_is_out_of_reach() {
    let message = refused("lpc:db.example,1433");
    assert!(message.contains("on this machine only") && message.contains("tcp:db.example,1433"), "{message}");
}
