//! A session of the tests' own, request by request: batches, calls, loads and transaction manager requests, with or without MARS, and
//! an attention at any moment.
#![allow(dead_code)]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use tds::client::{Client, ClientEncryption, ConnectOptions, Event};
use tds::column::{ColumnInfo, flag};
use tds::request::TransactionAction;
use tds::rpc::{ParameterValue, Procedure, RpcCall, RpcParameter};
use tds::token::{Token, done};
use types::{Datum, RowBatch, SqlType};

use super::PASSWORD;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Kinds of frames.
pub const SYN: u8 = 1;
pub const ACK: u8 = 2;
pub const DATA: u8 = 8;
pub const FRAME_HEADER: usize = 16;

/// A window that nothing here fills.
const WIDE: u32 = u32::MAX / 4;

/// What came back for a request.
#[derive(Debug, Default, Clone)]
pub struct Answer {
    /// Number, severity and text of each error, in order.
    pub errors: Vec<(i32, u8, String)>,
    pub rows: Vec<Vec<Datum>>,
    pub cancelled: bool,
    /// The server closed the connection before the response had ended.
    pub closed: bool,
}

pub struct Wire {
    stream: TcpStream,
    pub client: Client,
    /// The frames of MARS: of the one session that this end opens, the numbers of the last frame sent and received.
    frames: Option<(u32, u32)>,
    /// As they came, up to a whole frame.
    raw: Vec<u8>,
    /// Read already, to see whether something came.
    next: Option<Event>,
}

impl Wire {
    /// None: there is nobody, or no login.
    pub fn open(port: u16, database: &str) -> Option<Wire> {
        Wire::connect(port, database, false)
    }

    /// The same with MARS: after login all goes in the frames of one session.
    pub fn open_mars(port: u16, database: &str) -> Option<Wire> {
        Wire::connect(port, database, true)
    }

    fn connect(port: u16, database: &str, mars: bool) -> Option<Wire> {
        let options = ConnectOptions {
            user: "sa".into(),
            password: PASSWORD.into(),
            database: database.into(),
            encryption: ClientEncryption::Plain,
            ..ConnectOptions::default()
        };
        let stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        stream.set_write_timeout(Some(PATIENCE)).expect("set");
        let mut wire = Wire { stream, client: Client::new(options), frames: None, raw: Vec::new(), next: None };
        let mut prelogin = wire.client.take_outgoing();
        if mars {
            ask_for_mars(&mut prelogin);
        }
        wire.stream.write_all(&prelogin).ok()?;
        while !wire.client.is_ready() {
            match wire.client.next_event().ok()? {
                Some(Event::LoginFailed | Event::StartTls { .. }) => return None,
                Some(_) => {}
                None => {
                    wire.try_send().ok()?;
                    if !wire.client.is_ready() && !wire.receive() {
                        return None;
                    }
                }
            }
        }
        if mars {
            wire.stream.write_all(&frame(SYN, 0, 0, WIDE, &[])).ok()?;
            wire.frames = Some((0, 0));
        }
        Some(wire)
    }

    fn try_send(&mut self) -> std::io::Result<()> {
        let mut bytes = self.client.take_outgoing();
        if let Some((sent, _)) = &mut self.frames {
            let packets = std::mem::take(&mut bytes);
            let mut rest = &packets[..];
            while rest.len() >= 4 {
                let (packet, more) = rest.split_at(usize::from(u16::from_be_bytes([rest[2], rest[3]])));
                *sent += 1;
                bytes.extend(frame(DATA, 0, *sent, WIDE, packet));
                rest = more;
            }
        }
        self.stream.write_all(&bytes)
    }

    /// The server may be gone: then the answer says so.
    pub fn send(&mut self) {
        let _ = self.try_send();
    }

    /// False: the connection is closed.
    fn receive(&mut self) -> bool {
        let mut bytes = [0; 16 << 10];
        match self.stream.read(&mut bytes) {
            Ok(0) => false,
            Ok(count) if self.frames.is_some() => {
                self.raw.extend_from_slice(&bytes[..count]);
                self.take_frames();
                true
            }
            Ok(count) => {
                self.client.feed(&bytes[..count]);
                true
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => true,
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => false,
            Err(error) => panic!("no answer and no end: {error}"),
        }
    }

    fn take_frames(&mut self) {
        while let Some(whole) = next_frame(&mut self.raw) {
            if whole[1] == DATA {
                self.client.feed(&whole[FRAME_HEADER..]);
            }
        }
    }

    /// None: there is no whole one yet.
    fn event(&mut self) -> Option<Event> {
        self.next.take().or_else(|| self.client.next_event().expect("the response is TDS"))
    }

    pub fn answer(&mut self) -> Answer {
        let mut answer = Answer::default();
        loop {
            match self.event() {
                Some(Event::End) => return answer,
                Some(Event::Token(Token::Message(message))) if message.severity > 10 => {
                    answer.errors.push((message.number, message.severity, message.text));
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

    /// Takes what comes of the answer for so long.
    pub fn read_for(&mut self, time: Duration) {
        let begun = std::time::Instant::now();
        while begun.elapsed() < time {
            match self.event() {
                Some(Event::End) => panic!("the answer has ended"),
                Some(_) => {}
                None if self.something_comes(Duration::from_millis(5)) => assert!(self.receive(), "closed"),
                None => {}
            }
        }
    }

    pub fn query(&mut self, text: &str) -> Answer {
        self.client.batch(text);
        self.send();
        self.answer()
    }

    /// `sp_executesql` with one parameter, `@a int`.
    pub fn call(&mut self, text: &str, a: i64) -> Answer {
        self.start_call(text, a);
        self.answer()
    }

    pub fn start_call(&mut self, text: &str, a: i64) {
        let parameters = vec![
            parameter("", SqlType::nvarchar(4000), wide(text)),
            parameter("", SqlType::nvarchar(4000), wide("@a int")),
            parameter("@a", SqlType::INT, Datum::I64(a)),
        ];
        self.client.rpc(&[RpcCall::new(Procedure::Name("sp_executesql".into()), parameters)]);
        self.send();
    }

    pub fn transact(&mut self, action: &TransactionAction) -> Answer {
        self.client.transact(action);
        self.send();
        self.answer()
    }

    /// Rows of one int column `a` for an INSERT BULK that was answered.
    pub fn start_bulk(&mut self, values: impl Iterator<Item = i64>) {
        let mut rows = RowBatch::new([SqlType::INT.physical()]);
        values.for_each(|value| rows.push_row(&[Datum::I64(value)]));
        let column = ColumnInfo::new("a", SqlType::INT, flag::NULLABLE, self.client.version());
        self.client.bulk(vec![column], &rows);
        self.send();
    }

    /// Whether a byte comes within `limit`.
    pub fn something_comes(&mut self, limit: Duration) -> bool {
        self.next = self.event();
        if self.next.is_some() {
            return true;
        }
        self.stream.set_read_timeout(Some(limit)).expect("set");
        let found = self.stream.peek(&mut [0]).is_ok();
        self.stream.set_read_timeout(Some(PATIENCE)).expect("set");
        found
    }

    /// Waits for the server to close the connection.
    pub fn is_closed(&mut self) -> bool {
        while self.receive() {}
        true
    }
}

fn wide(text: &str) -> Datum {
    Datum::bytes(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
}

fn parameter(name: &str, sql_type: SqlType, value: Datum) -> RpcParameter {
    let value = ParameterValue::Scalar { sql_type, value };
    RpcParameter { name: name.into(), is_output: false, is_default: false, value }
}

/// A frame of a session (MC-SMP 2.2).
pub fn frame(flags: u8, session: u16, sequence: u32, window: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x53, flags];
    bytes.extend(session.to_le_bytes());
    bytes.extend((FRAME_HEADER as u32 + payload.len() as u32).to_le_bytes());
    bytes.extend(sequence.to_le_bytes());
    bytes.extend(window.to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Takes a frame from the front of what came, once it is whole.
pub fn next_frame(raw: &mut Vec<u8>) -> Option<Vec<u8>> {
    let length = u32::from_le_bytes(*raw.get(4..8)?.first_chunk()?) as usize;
    (raw.len() >= length).then(|| raw.drain(..length).collect())
}

/// Sets the option MARS (4) of a PRELOGIN packet (MS-TDS 2.2.6.5).
pub fn ask_for_mars(packet: &mut [u8]) {
    let options = 8;
    let mut at = options;
    while packet[at] != 0xFF {
        if packet[at] == 4 {
            let value = options + usize::from(u16::from_be_bytes([packet[at + 1], packet[at + 2]]));
            packet[value] = 1;
        }
        at += 5;
    }
}

/// The rows of a long batch that must go well.
pub fn must_within(wire: &mut Wire, limit: Duration, batch: &str) -> Vec<Vec<Datum>> {
    wire.stream.set_read_timeout(Some(limit)).expect("set");
    let rows = must(wire, batch);
    wire.stream.set_read_timeout(Some(PATIENCE)).expect("set");
    rows
}

/// The rows of a batch that must go well.
pub fn must(wire: &mut Wire, batch: &str) -> Vec<Vec<Datum>> {
    let answer = wire.query(batch);
    assert!(answer.errors.is_empty() && !answer.closed, "{batch}: {:?}", answer.errors);
    answer.rows
}

/// The first value of a query.
pub fn one(wire: &mut Wire, query: &str) -> i64 {
    must(wire, query)[0][0].as_i64()
}
