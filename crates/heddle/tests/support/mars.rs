//! Several sessions of one connection (MARS), each with a result that may be left half read: its window lets a few packets through, and
//! the next ones when the answer is read.
#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::time::Duration;

use tds::client::{Client, ClientEncryption, ConnectOptions, Event};
use tds::request::TransactionAction;
use tds::rpc::RpcCall;
use tds::token::{EnvChange, ReturnValue, Token, done};

use super::wire::{ACK, Answer, DATA, FRAME_HEADER, SYN, ask_for_mars, frame, next_frame};

const PATIENCE: Duration = Duration::from_secs(60);

/// Packets of an answer that come before the reader asks for more.
const WINDOW: u32 = 2;

/// The kind of packet that takes a request back.
const ATTENTION: u8 = 6;

/// In a request's first packet: what its headers say (MS-TDS 2.2.5.3.2).
const TRANSACTION: Range<usize> = 18..26;
const OUTSTANDING: Range<usize> = 26..30;

struct Lane {
    client: Client,
    sent: u32,
    received: u32,
    /// The last frame that the server may send.
    allowed: u32,
    outputs: Vec<ReturnValue>,
    /// The transaction of its request, until that one's answer has been read.
    works_in: Option<u64>,
}

pub struct Mars {
    stream: TcpStream,
    lanes: Vec<Lane>,
    raw: Vec<u8>,
    /// The connection's, as its sessions have been told.
    transaction: u64,
}

impl Mars {
    pub fn open(port: u16, database: &str, login: (&str, &str), lanes: u16) -> Mars {
        let options = ConnectOptions {
            user: login.0.into(),
            password: login.1.into(),
            database: database.into(),
            encryption: ClientEncryption::Plain,
            ..ConnectOptions::default()
        };
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server is there");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        // Each session's client logs in, the first at the server, the others with what that one heard.
        let mut clients: Vec<Client> = (0..lanes).map(|_| Client::new(options.clone())).collect();
        let mut prelogin = clients[0].take_outgoing();
        ask_for_mars(&mut prelogin);
        stream.write_all(&prelogin).expect("sent");
        let mut bytes = [0; 16 << 10];
        while !clients[0].is_ready() {
            let count = stream.read(&mut bytes).expect("an answer");
            assert!(count > 0, "no login");
            for (at, client) in clients.iter_mut().enumerate() {
                client.feed(&bytes[..count]);
                while let Some(event) = client.next_event().expect("a login is TDS") {
                    assert!(!matches!(event, Event::LoginFailed), "no login");
                }
                let outgoing = client.take_outgoing();
                if at == 0 {
                    stream.write_all(&outgoing).expect("sent");
                }
            }
        }
        let lane = |client| Lane { client, sent: 0, received: 0, allowed: WINDOW, outputs: Vec::new(), works_in: None };
        let lanes: Vec<Lane> = clients.into_iter().map(lane).collect();
        for session in 0..lanes.len() {
            stream.write_all(&frame(SYN, session as u16, 0, WINDOW, &[])).expect("sent");
        }
        Mars { stream, lanes, raw: Vec::new(), transaction: 0 }
    }

    pub fn start(&mut self, lane: usize, text: &str) {
        self.lanes[lane].client.batch(text);
        self.send(lane);
    }

    /// Takes back what a session asked for last.
    pub fn attention(&mut self, lane: usize) {
        self.lanes[lane].client.attention();
        self.send(lane);
    }

    pub fn transact(&mut self, lane: usize, action: &TransactionAction) -> Answer {
        self.lanes[lane].client.transact(action);
        self.send(lane);
        self.answer(lane)
    }

    /// As drivers do, a request names the connection's transaction, and how many requests are at work in it.
    fn send(&mut self, lane: usize) {
        let mut packets = self.lanes[lane].client.take_outgoing();
        if packets.first().is_some_and(|kind| *kind != ATTENTION) {
            self.lanes[lane].works_in = Some(self.transaction);
            let at_work = self.lanes.iter().filter(|lane| lane.works_in == Some(self.transaction)).count() as u32;
            packets[TRANSACTION].copy_from_slice(&self.transaction.to_le_bytes());
            packets[OUTSTANDING].copy_from_slice(&at_work.to_le_bytes());
        }
        let Lane { sent, allowed, .. } = &mut self.lanes[lane];
        let mut rest = &packets[..];
        while rest.len() >= 4 {
            let (packet, more) = rest.split_at(usize::from(u16::from_be_bytes([rest[2], rest[3]])));
            *sent += 1;
            self.stream.write_all(&frame(DATA, lane as u16, *sent, *allowed, packet)).expect("sent");
            rest = more;
        }
    }

    /// What has come goes to its session's client.
    fn receive(&mut self) {
        let mut bytes = [0; 16 << 10];
        let count = self.stream.read(&mut bytes).expect("an answer");
        assert!(count > 0, "the server closed the connection");
        self.raw.extend_from_slice(&bytes[..count]);
        while let Some(whole) = next_frame(&mut self.raw) {
            if whole[1] == DATA {
                let lane = &mut self.lanes[usize::from(whole[2])];
                lane.received += 1;
                assert!(lane.received <= lane.allowed, "more than the window allows");
                lane.client.feed(&whole[FRAME_HEADER..]);
            }
        }
    }

    /// Reads until the window is full: the answer is longer than that.
    pub fn half(&mut self, lane: usize) {
        while self.lanes[lane].received < self.lanes[lane].allowed {
            self.receive();
        }
    }

    /// What is left of an answer.
    pub fn answer(&mut self, lane: usize) -> Answer {
        let mut answer = Answer::default();
        loop {
            match self.lanes[lane].client.next_event().expect("the response is TDS") {
                Some(Event::End) => {
                    self.lanes[lane].works_in = None;
                    return answer;
                }
                Some(Event::Token(Token::EnvChange(change))) => match change {
                    EnvChange::BeginTransaction { descriptor } => self.transaction = descriptor,
                    EnvChange::CommitTransaction { .. } | EnvChange::RollbackTransaction { .. } => self.transaction = 0,
                    _ => {}
                },
                Some(Event::Token(Token::Message(message))) if message.severity > 10 => {
                    answer.errors.push((message.number, message.severity, message.text));
                }
                Some(Event::Token(Token::Row(row))) => answer.rows.push(row),
                Some(Event::Token(Token::ReturnValue(value))) => self.lanes[lane].outputs.push(value),
                Some(Event::Token(Token::Done(ended))) => answer.cancelled |= ended.status & done::ATTENTION != 0,
                Some(_) => {}
                None => {
                    let Lane { sent, received, allowed, .. } = &mut self.lanes[lane];
                    if *received == *allowed {
                        *allowed += WINDOW;
                        let ack = frame(ACK, lane as u16, *sent, *allowed, &[]);
                        self.stream.write_all(&ack).expect("sent");
                    }
                    self.receive();
                }
            }
        }
    }

    pub fn query(&mut self, lane: usize, text: &str) -> Answer {
        self.start(lane, text);
        self.answer(lane)
    }

    /// With the values of output parameters.
    pub fn call(&mut self, lane: usize, calls: &[RpcCall]) -> (Answer, Vec<ReturnValue>) {
        self.lanes[lane].client.rpc(calls);
        self.send(lane);
        let answer = self.answer(lane);
        (answer, std::mem::take(&mut self.lanes[lane].outputs))
    }
}
