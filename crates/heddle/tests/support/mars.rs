//! Several sessions of one connection (MARS), each with a result that may be left half read: its window lets a few packets through, and
//! the next ones when the answer is read.
#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use tds::client::{Client, ClientEncryption, ConnectOptions, Event};
use tds::rpc::RpcCall;
use tds::token::{ReturnValue, Token};

use super::wire::{ACK, Answer, DATA, FRAME_HEADER, SYN, ask_for_mars, frame, next_frame};

const PATIENCE: Duration = Duration::from_secs(60);

/// Packets of an answer that come before the reader asks for more.
const WINDOW: u32 = 2;

struct Lane {
    client: Client,
    sent: u32,
    received: u32,
    /// The last frame that the server may send.
    allowed: u32,
    outputs: Vec<ReturnValue>,
}

pub struct Mars {
    stream: TcpStream,
    lanes: Vec<Lane>,
    raw: Vec<u8>,
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
        let lane = |client| Lane { client, sent: 0, received: 0, allowed: WINDOW, outputs: Vec::new() };
        let lanes: Vec<Lane> = clients.into_iter().map(lane).collect();
        for session in 0..lanes.len() {
            stream.write_all(&frame(SYN, session as u16, 0, WINDOW, &[])).expect("sent");
        }
        Mars { stream, lanes, raw: Vec::new() }
    }

    pub fn start(&mut self, lane: usize, text: &str) {
        self.lanes[lane].client.batch(text);
        self.send(lane);
    }

    fn send(&mut self, lane: usize) {
        let Lane { client, sent, allowed, .. } = &mut self.lanes[lane];
        let packets = client.take_outgoing();
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
                Some(Event::End) => return answer,
                Some(Event::Token(Token::Message(message))) if message.severity > 10 => {
                    answer.errors.push((message.number, message.severity, message.text));
                }
                Some(Event::Token(Token::Row(row))) => answer.rows.push(row),
                Some(Event::Token(Token::ReturnValue(value))) => self.lanes[lane].outputs.push(value),
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
