//! Clients that break the protocol, stall, or go: each gets the right error or loses its connection, and no other client notices.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use support::{PASSWORD, Server};
use tds::client::{Client, ClientEncryption, ConnectOptions, Event};
use tds::rpc::{ParameterValue, Procedure, RpcCall, RpcParameter};
use tds::token::{Token, done};
use types::Datum;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What came back for a request.
#[derive(Debug, Default)]
struct Answer {
    /// Numbers of errors, in order.
    errors: Vec<i32>,
    rows: Vec<Vec<Datum>>,
    cancelled: bool,
    /// The server closed the connection before the response had ended.
    closed: bool,
}

struct Session {
    stream: TcpStream,
    client: Client,
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", server.port)).expect("connected");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream.set_write_timeout(Some(PATIENCE)).expect("set");
    stream
}

fn plain() -> ConnectOptions {
    ConnectOptions {
        user: "sa".into(),
        password: PASSWORD.into(),
        encryption: ClientEncryption::Plain,
        ..ConnectOptions::default()
    }
}

impl Session {
    fn open(server: &Server) -> Session {
        let mut session = Session { stream: connect(server), client: Client::new(plain()) };
        while !session.client.is_ready() {
            match session.client.next_event().expect("a login is answered in TDS") {
                Some(Event::LoginFailed | Event::StartTls { .. }) => panic!("sa logs in without encryption"),
                Some(_) => {}
                None => {
                    session.send();
                    if !session.client.is_ready() {
                        assert!(session.receive(), "the server closed during login");
                    }
                }
            }
        }
        session
    }

    fn send(&mut self) {
        let bytes = self.client.take_outgoing();
        self.stream.write_all(&bytes).expect("the server reads");
    }

    /// False: the connection is closed.
    fn receive(&mut self) -> bool {
        let mut bytes = [0; 16 << 10];
        match self.stream.read(&mut bytes) {
            Ok(0) => false,
            Ok(count) => {
                self.client.feed(&bytes[..count]);
                true
            }
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => false,
            Err(error) => panic!("no answer and no end: {error}"),
        }
    }

    fn answer(&mut self) -> Answer {
        let mut answer = Answer::default();
        loop {
            match self.client.next_event().expect("the response is TDS") {
                Some(Event::End) => return answer,
                Some(Event::Token(Token::Message(message))) if message.severity > 10 => {
                    answer.errors.push(message.number)
                }
                Some(Event::Token(Token::Row(row))) => answer.rows.push(row),
                Some(Event::Token(Token::Done(ended))) => answer.cancelled |= ended.status & done::ATTENTION != 0,
                Some(_) => {}
                None if self.receive() => {}
                None => {
                    answer.closed = true;
                    return answer;
                }
            }
        }
    }

    fn query(&mut self, text: &str) -> Answer {
        self.client.batch(text);
        self.send();
        self.answer()
    }

    /// The packets of a good call, to be spoiled.
    fn packets_of_call(&mut self) -> Vec<u8> {
        self.client.rpc(&[call()]);
        self.client.take_outgoing()
    }

    /// Sends these bytes instead of the request that the client has just made.
    fn send_instead(&mut self, bytes: &[u8]) -> Answer {
        // The server may close before it has read them all.
        let _ = self.stream.write_all(bytes);
        self.answer()
    }

    fn still_works(&mut self) {
        let answer = self.query("SELECT 5");
        assert_eq!((answer.rows.len(), answer.errors.len(), answer.closed), (1, 0, false), "{answer:?}");
    }
}

fn call() -> RpcCall {
    let parameter = |name: &str, text: &str| RpcParameter {
        name: name.into(),
        is_output: false,
        is_default: false,
        value: ParameterValue::Scalar {
            sql_type: types::SqlType::nvarchar(200),
            value: Datum::bytes(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
        },
    };
    let parameters =
        vec![parameter("", "SELECT @a, LEN(@a)"), parameter("", "@a nvarchar(200)"), parameter("@a", "some text")];
    RpcCall::new(Procedure::Name("sp_executesql".into()), parameters)
}

fn packet(kind: u8, status: u8, payload: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(payload.len() + 8).expect("one packet").to_be_bytes();
    [&[kind, status, high, low, 0, 0, 1, 0], payload].concat()
}

#[test]
fn strangers_are_shown_out() {
    let server = Server::start(&[]);
    let mut witness = Session::open(&server);
    let strangers: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\nHost: here\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        &[0x16, 3, 1, 0, 4, 1, 2, 3, 4, 5],
        &packet(0x12, 1, &[0xFF; 40]),
        &packet(0x10, 1, &[0; 20]),
        &packet(0x01, 1, b"S\0E\0L\0"),
    ];
    for (at, greeting) in strangers.iter().enumerate() {
        let mut stream = connect(&server);
        stream.write_all(greeting).expect("sent");
        stream.shutdown(Shutdown::Write).expect("half closed");
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "stranger {at}"),
        }
        witness.still_works();
    }
}

/// What a client sends until its login, flight by flight: PRELOGIN and LOGIN7, or PRELOGIN and the first record of a TLS handshake.
fn flights(encryption: ClientEncryption) -> [Vec<u8>; 2] {
    let mut client = Client::new(ConnectOptions { encryption, ..plain() });
    let prelogin = client.take_outgoing();
    let second = match encryption {
        ClientEncryption::Plain => packet(0x10, 1, &[0; 200]),
        // A record that says to be longer than what follows.
        _ => packet(0x12, 1, &[0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3]),
    };
    [prelogin, second]
}

/// More of them than there are workers, silent before and after each message of a login, and in the middle of each.
#[test]
fn many_who_say_nothing_do_not_keep_others_out() {
    for workers in ["fiber", "thread"] {
        let server = Server::start(&["--workers", workers]);
        server.query("EXEC sp_configure 'show advanced options', 1; RECONFIGURE; EXEC sp_configure 'max worker threads', 128; RECONFIGURE");
        let mut witness = Session::open(&server);
        let mut stalled: Vec<TcpStream> = (0..400).map(|_| connect(&server)).collect();
        for encryption in [ClientEncryption::Plain, ClientEncryption::Full] {
            let [prelogin, second] = flights(encryption);
            for sent in [1, prelogin.len() / 2, prelogin.len(), prelogin.len() + 1, prelogin.len() + second.len() / 2] {
                stalled.extend((0..40).map(|_| {
                    let mut stream = connect(&server);
                    stream.write_all(&prelogin[..sent.min(prelogin.len())]).expect("sent");
                    if sent >= prelogin.len() {
                        // PRELOGIN is answered.
                        assert!(stream.read(&mut [0; 512]).expect("an answer") > 0);
                        stream.write_all(&second[..sent - prelogin.len()]).expect("sent");
                    }
                    stream
                }));
            }
        }
        let started = Instant::now();
        witness.still_works();
        Session::open(&server).still_works();
        assert!(started.elapsed() < Duration::from_secs(10), "logged in only after {:?}", started.elapsed());
        let busy = server.query("SET NOCOUNT ON; SELECT SUM(active_workers_count) FROM sys.dm_os_schedulers WHERE status = 'VISIBLE ONLINE'");
        let busy: u32 = busy.trim().parse().expect("a count");
        assert!(busy < 40, "{busy} workers for {} that say nothing", stalled.len());
        drop(stalled);
        Session::open(&server).still_works();
    }
}

/// Each byte by itself.
#[test]
fn a_login_may_come_slowly() {
    let server = Server::start(&[]);
    let mut session = Session { stream: connect(&server), client: Client::new(plain()) };
    session.stream.set_nodelay(true).expect("set");
    while !session.client.is_ready() {
        match session.client.next_event().expect("a login is answered in TDS") {
            Some(_) => {}
            None => {
                for byte in session.client.take_outgoing() {
                    session.stream.write_all(&[byte]).expect("sent");
                    std::thread::sleep(Duration::from_micros(200));
                }
                if !session.client.is_ready() {
                    assert!(session.receive(), "the server closed during login");
                }
            }
        }
    }
    session.still_works();
}

#[test]
fn bad_framing_ends_the_connection_only() {
    let server = Server::start(&[]);
    let mut witness = Session::open(&server);
    let all_headers = [22, 0, 0, 0, 18, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0];
    let broken: [Vec<u8>; 4] = [
        vec![1, 1, 0, 7, 0, 0, 0, 0],
        vec![1, 1, 0xFF, 0xFF, 0, 0, 0, 0],
        packet(0x47, 1, b"what"),
        [packet(1, 0, &all_headers), packet(3, 1, &all_headers)].concat(),
    ];
    for bytes in broken {
        let mut session = Session::open(&server);
        session.packets_of_call();
        let answer = session.send_instead(&bytes);
        assert!(answer.closed, "{bytes:02X?}: {answer:?}");
        witness.still_works();
    }
}

#[test]
fn a_bad_request_in_good_packets_is_an_error() {
    let server = Server::start(&[]);
    let mut witness = Session::open(&server);
    let all_headers = [22, 0, 0, 0, 18, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0];
    let cases: [(u8, &[u8], i32); 4] = [
        (1, &[255, 255, 255, 127], 4002),
        (1, &[1, 0], 4002),
        (3, &[&all_headers[..], &[0xFF, 0xFF, 0xEE, 0xEE, 0, 0]].concat(), 8004),
        (14, &[&all_headers[..], &[99, 0]].concat(), 3989),
    ];
    for (kind, payload, number) in cases {
        let mut session = Session::open(&server);
        session.packets_of_call();
        let answer = session.send_instead(&packet(kind, 1, payload));
        assert!(!answer.closed && answer.errors == [number], "packet type {kind}, {number}: {answer:?}");
        witness.still_works();
    }
}

/// A small generator: the same spoiled requests each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

#[test]
fn spoiled_calls_never_stop_the_server() {
    let server = Server::start(&[]);
    let mut witness = Session::open(&server);
    let mut session = Session::open(&server);
    let mut random = Random(20_240_229);
    for round in 0..400 {
        let mut bytes = session.packets_of_call();
        let at = 8 + random.below(bytes.len() - 8);
        match random.below(3) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            // The rest is missing, and the packet says so.
            _ => {
                bytes.truncate(at);
                bytes[2..4].copy_from_slice(&(at as u16).to_be_bytes());
            }
        }
        let answer = session.send_instead(&bytes);
        if answer.closed {
            session = Session::open(&server);
        }
        if round % 50 == 49 {
            witness.still_works();
        }
    }
    session.still_works();
}

#[test]
fn an_attention_stops_loops_waits_and_locks() {
    let server = Server::start(&[]);
    let mut holder = Session::open(&server);
    let answer = holder
        .query("CREATE TABLE held (a int PRIMARY KEY); INSERT held VALUES (1); BEGIN TRAN; UPDATE held SET a = 2");
    assert_eq!(answer.errors, [0; 0]);
    let mut session = Session::open(&server);
    for text in [
        "DECLARE @i bigint = 0; WHILE 1 = 1 SET @i += 1",
        "WAITFOR DELAY '00:10:00'",
        "UPDATE held SET a = 3",
        "WHILE 1 = 1 BEGIN TRY WAITFOR DELAY '00:00:01' END TRY BEGIN CATCH PRINT 'caught' END CATCH",
    ] {
        for at_once in [false, true] {
            let started = Instant::now();
            session.client.batch(text);
            if !at_once {
                session.send();
                std::thread::sleep(Duration::from_millis(200));
            }
            session.client.attention();
            session.send();
            let answer = session.answer();
            assert!(answer.cancelled && !answer.closed, "{text}: {answer:?}");
            assert!(started.elapsed() < Duration::from_secs(20), "{text}: {:?}", started.elapsed());
            session.still_works();
        }
    }
    assert_eq!(holder.query("ROLLBACK; SELECT a FROM held").rows, [vec![Datum::I64(1)]]);
}

#[test]
fn a_client_that_never_reads_holds_up_nobody() {
    let server = Server::start(&[]);
    let mut deaf = Session::open(&server);
    deaf.client.batch(
        "SELECT TOP 100000000 a.object_id, a.name FROM sys.objects a, sys.objects b, sys.objects c, sys.objects d",
    );
    deaf.send();
    let mut witness = Session::open(&server);
    for _ in 0..20 {
        witness.still_works();
        std::thread::sleep(Duration::from_millis(20));
    }
    // It cancels after all: what was on its way comes, then the confirmation.
    deaf.client.attention();
    deaf.send();
    let answer = deaf.answer();
    assert!(answer.cancelled && !answer.closed && answer.rows.len() < 100_000_000);
    deaf.still_works();
    // And once more, to go without a word.
    deaf.client.batch("SELECT a.object_id FROM sys.objects a, sys.objects b, sys.objects c, sys.objects d");
    deaf.send();
    drop(deaf);
    witness.still_works();
}

#[test]
fn a_batch_of_100_mb_runs() {
    let server = Server::start(&[]);
    let mut session = Session::open(&server);
    let text = format!("/*{}*/ SELECT 7", "x".repeat(50 << 20));
    let answer = session.query(&text);
    assert_eq!((answer.rows, answer.errors.len()), (vec![vec![Datum::I64(7)]], 0));
    drop(text);
    session.still_works();
}
