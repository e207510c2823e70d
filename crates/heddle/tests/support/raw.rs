//! A client that writes its bytes itself, as drivers do that are not to be had here: what it sends and reads is what a test says.
#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use tds::login7::{Feature, Login7, OPTION2_ODBC};
use tds::request::put_all_headers;
use tds::token::{DoneKind, EnvChange, Token, TokenReader};
use tds::wire::{Input, Put};
use tds::{Encryption, Prelogin, TdsVersion};
use types::Datum;

use super::PASSWORD;

pub const BATCH: u8 = 1;
pub const RPC: u8 = 3;
pub const BULK: u8 = 7;
const LOGIN: u8 = 0x10;
const PRELOGIN: u8 = 0x12;
/// Status bits of a packet (MS-TDS 2.2.3.1.2).
const END_OF_MESSAGE: u8 = 0x01;
const RESET_CONNECTION: u8 = 0x08;

pub struct Raw {
    stream: TcpStream,
    /// The answer to the login.
    pub greeting: Vec<u8>,
    resets: bool,
    /// What requests say that they belong to: the transaction that the server has told of last, as drivers do it.
    pub transaction: u64,
}

impl Raw {
    /// `odbc`: what the client says of itself in fODBC.
    pub fn open(port: u16, odbc: bool, features: Vec<Feature>) -> Raw {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
        let mut raw = Raw { stream, greeting: Vec::new(), resets: false, transaction: 0 };
        let prelogin = Prelogin { encryption: Some(Encryption::NotSupported), ..Prelogin::default() };
        let mut bytes = Vec::new();
        prelogin.encode(&mut bytes);
        raw.ask(PRELOGIN, &bytes);
        let login = Login7 {
            tds_version: TdsVersion::V7_4.raw(),
            packet_bytes: 4096,
            option_flags_2: if odbc { OPTION2_ODBC } else { 0 },
            user: "sa".into(),
            password: PASSWORD.into(),
            database: "tempdb".into(),
            features,
            ..Login7::default()
        };
        let mut bytes = Vec::new();
        login.encode(&mut bytes);
        raw.greeting = raw.ask(LOGIN, &bytes);
        raw
    }

    /// A message of one packet: the payload of its answer.
    pub fn ask(&mut self, kind: u8, payload: &[u8]) -> Vec<u8> {
        let reset = if std::mem::take(&mut self.resets) { RESET_CONNECTION } else { 0 };
        self.packet(kind, END_OF_MESSAGE | reset, payload);
        self.answer()
    }

    /// Sends a packet. Of its status 1 ends the message, 2 takes it back.
    pub fn packet(&mut self, kind: u8, status: u8, payload: &[u8]) {
        let length = (payload.len() + 8) as u16;
        let mut packet = vec![kind, status];
        packet.extend(length.to_be_bytes());
        packet.extend([0, 0, 1, 0]);
        packet.extend(payload);
        self.stream.write_all(&packet).expect("sent");
    }

    /// The payload of the next message that comes.
    pub fn answer(&mut self) -> Vec<u8> {
        let mut answer = Vec::new();
        loop {
            let mut header = [0; 8];
            self.stream.read_exact(&mut header).expect("an answer");
            let mut body = vec![0; usize::from(u16::from_be_bytes([header[2], header[3]])) - 8];
            self.stream.read_exact(&mut body).expect("all of it");
            answer.append(&mut body);
            if header[1] & 1 != 0 {
                self.transaction = transaction_after(self.transaction, &answer);
                return answer;
            }
        }
    }

    /// The next message resets the connection first.
    pub fn reset(&mut self) -> &mut Raw {
        self.resets = true;
        self
    }

    pub fn batch(&mut self, text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_all_headers(&mut bytes, self.transaction, TdsVersion::V7_4);
        bytes.put_utf16(text);
        self.ask(BATCH, &bytes)
    }

    pub fn bulk(&mut self, insert: &str, payload: &[u8]) -> Vec<u8> {
        let announced = self.batch(insert);
        assert!(errors(&announced).is_empty(), "{insert}");
        self.ask(BULK, payload)
    }
}

fn transaction_after(before: u64, answer: &[u8]) -> u64 {
    tokens(answer).iter().fold(before, |open, token| match token {
        Token::EnvChange(EnvChange::BeginTransaction { descriptor }) => *descriptor,
        Token::EnvChange(EnvChange::CommitTransaction { .. } | EnvChange::RollbackTransaction { .. }) => 0,
        _ => open,
    })
}

/// UTF-16LE.
pub fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

pub fn has(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// The tokens of an answer, up to one that cannot be read.
pub fn tokens(answer: &[u8]) -> Vec<Token> {
    let mut reader = TokenReader::new(TdsVersion::V7_4);
    let mut input = Input::new(answer);
    let mut found = Vec::new();
    while !input.is_empty() {
        let Ok(token) = reader.next(&mut input) else { break };
        found.push(token);
    }
    found
}

/// The numbers of the errors in an answer.
pub fn errors(answer: &[u8]) -> Vec<i32> {
    let number = |token: Token| match token {
        Token::Message(message) if message.severity > 10 => Some(message.number),
        _ => None,
    };
    tokens(answer).into_iter().filter_map(number).collect()
}

/// Kind, status, command and count of the DONEs of an answer.
pub fn dones(answer: &[u8]) -> Vec<(DoneKind, u16, u16, u64)> {
    let done = |token: Token| match token {
        Token::Done(done) => Some((done.kind, done.status, done.command, done.rows)),
        _ => None,
    };
    tokens(answer).into_iter().filter_map(done).collect()
}

pub fn rows(answer: &[u8]) -> Vec<Vec<Datum>> {
    let row = |token: Token| match token {
        Token::Row(row) => Some(row),
        _ => None,
    };
    tokens(answer).into_iter().filter_map(row).collect()
}
