//! Several sessions over one connection (MARS): after login every packet travels in a frame of the Session Multiplex Protocol, MC-SMP.
//!
//! ```text
//! 0x53 | flags u8 | session u16 | length u32, with this header | sequence u32 | window u32 | payload: a packet
//! flags: 1 SYN opens a session, 2 ACK moves the window, 4 FIN closes the session (and is answered), 8 DATA
//! ```
//! DATA frames of a session and direction are numbered from 1. `window` is the last number that the sender of the frame will take.
//!
//! Requests of all sessions run one after another in the one session they share. So a client that reads two results in turns must not
//! keep the second waiting for the first: what a window holds back waits here, up to `WAITING_BYTES_MAX`.

use std::collections::VecDeque;

use tds::{Message, MessageReader, PacketType, ProtocolError, ProtocolResult};

const SMID: u8 = 0x53;
const HEADER_BYTES: usize = 16;
/// A frame holds one packet.
const FRAME_BYTES_MAX: usize = HEADER_BYTES + (1 << 16);
/// Frames that a client may send ahead of what was taken from it.
const WINDOW: u32 = 4;
const SESSIONS_MAX: usize = 256;
/// Of a session's requests, before their turn comes.
const READ_AHEAD_BYTES_MAX: usize = 128 << 10;
/// Of one session's results. Beyond it the run waits for the client.
const WAITING_BYTES_MAX: usize = 64 << 20;

mod flag {
    pub const SYN: u8 = 1;
    pub const ACK: u8 = 2;
    pub const FIN: u8 = 4;
    pub const DATA: u8 = 8;
}

/// The frames of one connection. What is to be sent goes to an `out` that the caller writes to the socket.
pub struct Multiplexer {
    /// Bytes as they came; only a buffer here.
    pub raw: MessageReader,
    sessions: Vec<Session>,
    /// Whose request is being served.
    current: u16,
    message_bytes_max: usize,
}

struct Session {
    id: u16,
    reader: MessageReader,
    /// Of the message that is still coming.
    payload: Vec<u8>,
    /// Number of the last DATA frame that came, and the last that was allowed to.
    received: u32,
    allowed: u32,
    /// The same for what goes out.
    sent: u32,
    window: u32,
    waiting: VecDeque<Vec<u8>>,
    waiting_bytes: usize,
}

struct Frame {
    flags: u8,
    session: u16,
    sequence: u32,
    window: u32,
}

impl Frame {
    fn put(&self, payload: &[u8], out: &mut Vec<u8>) {
        out.extend([SMID, self.flags]);
        out.extend(self.session.to_le_bytes());
        out.extend(((HEADER_BYTES + payload.len()) as u32).to_le_bytes());
        out.extend(self.sequence.to_le_bytes());
        out.extend(self.window.to_le_bytes());
        out.extend_from_slice(payload);
    }

    /// The frame at the beginning of `bytes` and its length, once it is whole.
    fn read(bytes: &[u8]) -> ProtocolResult<Option<(Frame, usize)>> {
        let Some(head) = bytes.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        if head[0] != SMID {
            return Err(ProtocolError::PacketType(head[0]));
        }
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let length = word(4) as usize;
        if !(HEADER_BYTES..=FRAME_BYTES_MAX).contains(&length) {
            return Err(ProtocolError::PacketLength(length.min(u16::MAX.into()) as u16));
        }
        let session = u16::from_le_bytes([head[2], head[3]]);
        let frame = Frame { flags: head[1], session, sequence: word(8), window: word(12) };
        Ok((bytes.len() >= length).then_some((frame, length)))
    }
}

impl Session {
    fn frame(&self, flags: u8) -> Frame {
        Frame { flags, session: self.id, sequence: self.sent, window: self.allowed }
    }

    /// Whether `number` is at or before `limit`; numbers wrap.
    fn reaches(limit: u32, number: u32) -> bool {
        limit.wrapping_sub(number) < 1 << 31
    }

    fn send(&mut self, packet: &[u8], out: &mut Vec<u8>) {
        self.sent = self.sent.wrapping_add(1);
        self.frame(flag::DATA).put(packet, out);
    }

    fn may_send(&self) -> bool {
        Session::reaches(self.window, self.sent.wrapping_add(1))
    }

    /// What the window lets through by now.
    fn send_waiting(&mut self, out: &mut Vec<u8>) {
        while self.may_send()
            && let Some(packet) = self.waiting.pop_front()
        {
            self.waiting_bytes -= packet.len();
            self.send(&packet, out);
        }
    }

    /// Lets the client send on, unless it is far ahead already. Not for every frame: that would double their number.
    fn acknowledge(&mut self, out: &mut Vec<u8>) {
        let left = self.allowed.wrapping_sub(self.received);
        if left <= WINDOW / 2 && self.reader.buffered() <= READ_AHEAD_BYTES_MAX {
            self.allowed = self.received.wrapping_add(WINDOW);
            self.frame(flag::ACK).put(&[], out);
        }
    }
}

impl Multiplexer {
    /// `message_bytes_max`: the longest message of a session that is not a bulk load.
    pub fn new(message_bytes_max: usize) -> Multiplexer {
        Multiplexer {
            raw: MessageReader::new(PacketType::BulkLoad, FRAME_BYTES_MAX),
            sessions: Vec::new(),
            current: 0,
            message_bytes_max,
        }
    }

    fn current(&mut self) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|session| session.id == self.current)
    }

    /// Takes the frames that have come.
    pub fn dispatch(&mut self, out: &mut Vec<u8>) -> ProtocolResult<()> {
        let bytes = self.raw.take_buffered();
        let mut at = 0;
        while let Some((frame, length)) = Frame::read(&bytes[at..])? {
            self.take(&frame, &bytes[at + HEADER_BYTES..at + length], out)?;
            at += length;
        }
        self.raw.feed(&bytes[at..]);
        Ok(())
    }

    fn take(&mut self, frame: &Frame, payload: &[u8], out: &mut Vec<u8>) -> ProtocolResult<()> {
        let found = self.sessions.iter().position(|session| session.id == frame.session);
        if frame.flags == flag::SYN {
            if found.is_some() || self.sessions.len() >= SESSIONS_MAX {
                return Err(ProtocolError::PacketType(SMID));
            }
            self.sessions.push(Session {
                id: frame.session,
                reader: MessageReader::new(PacketType::BulkLoad, self.message_bytes_max),
                payload: Vec::new(),
                received: 0,
                allowed: WINDOW,
                sent: 0,
                window: frame.window,
                waiting: VecDeque::new(),
                waiting_bytes: 0,
            });
            return Ok(());
        }
        // A session that was closed may still be acknowledged.
        let Some(found) = found else { return Ok(()) };
        let session = &mut self.sessions[found];
        if Session::reaches(frame.window, session.window) {
            session.window = frame.window;
        }
        match frame.flags {
            flag::DATA => {
                session.received = session.received.wrapping_add(1);
                if frame.sequence != session.received || !Session::reaches(session.allowed, session.received) {
                    return Err(ProtocolError::PacketType(SMID));
                }
                session.reader.feed(payload);
                session.acknowledge(out);
            }
            flag::ACK => {}
            flag::FIN => {
                session.frame(flag::FIN).put(&[], out);
                self.sessions.swap_remove(found);
                return Ok(());
            }
            _ => return Err(ProtocolError::PacketType(SMID)),
        }
        session.send_waiting(out);
        Ok(())
    }

    /// The next message of any session, which becomes the one served; the sessions take turns.
    pub fn next(&mut self, payload: &mut Vec<u8>, out: &mut Vec<u8>) -> ProtocolResult<Option<Message>> {
        let after = self.sessions.iter().position(|session| session.id == self.current).map_or(0, |at| at + 1);
        for step in 0..self.sessions.len() {
            let at = (after + step) % self.sessions.len();
            self.current = self.sessions[at].id;
            if let Some(message) = self.next_of_current(payload, out)? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// The next message of the session that is served, or the next packet of its bulk load.
    pub fn next_of_current(&mut self, payload: &mut Vec<u8>, out: &mut Vec<u8>) -> ProtocolResult<Option<Message>> {
        let Some(session) = self.current() else { return Ok(None) };
        let message = session.reader.next(&mut session.payload)?;
        session.acknowledge(out);
        if message.is_some() {
            std::mem::swap(payload, &mut session.payload);
            session.payload = Vec::new();
        }
        Ok(message)
    }

    /// Of the session that is served: see `MessageReader::next_kind`.
    pub fn next_kind(&mut self) -> ProtocolResult<Option<PacketType>> {
        self.current().map_or(Ok(None), |session| session.reader.next_kind())
    }

    /// Of the session that is served: see `MessageReader::has_attention_behind`.
    pub fn has_attention_behind(&mut self) -> ProtocolResult<bool> {
        self.current().map_or(Ok(false), |session| session.reader.has_attention_behind())
    }

    pub fn buffered(&mut self) -> usize {
        self.current().map_or(0, |session| session.reader.buffered())
    }

    /// Whole packets of a response. To a session that the client has closed nothing goes.
    pub fn send(&mut self, mut packets: &[u8], out: &mut Vec<u8>) {
        let Some(session) = self.current() else { return };
        while let [_, _, high, low, ..] = *packets {
            let length = usize::from(u16::from_be_bytes([high, low])).min(packets.len());
            assert!(length > 0, "packets have a header");
            let (packet, rest) = packets.split_at(length);
            if session.waiting.is_empty() && session.may_send() {
                session.send(packet, out);
            } else {
                session.waiting_bytes += packet.len();
                session.waiting.push_back(packet.to_vec());
            }
            packets = rest;
        }
    }

    /// Too much of the current response waits for its client.
    pub fn must_wait(&mut self) -> bool {
        self.current().is_some_and(|session| session.waiting_bytes > WAITING_BYTES_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: [u8; 10] = [0x01, 0x01, 0, 10, 0, 0, 1, 0, b'x', 0];

    fn frame(flags: u8, session: u16, sequence: u32, window: u32, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        Frame { flags, session, sequence, window }.put(payload, &mut bytes);
        bytes
    }

    fn feed(multiplexer: &mut Multiplexer, bytes: &[u8]) -> ProtocolResult<Vec<u8>> {
        let mut out = Vec::new();
        multiplexer.raw.feed(bytes);
        multiplexer.dispatch(&mut out)?;
        Ok(out)
    }

    #[test]
    fn messages_come_from_their_sessions_in_turn() {
        let mut multiplexer = Multiplexer::new(1 << 16);
        let mut bytes = [frame(flag::SYN, 0, 0, 4, &[]), frame(flag::SYN, 7, 0, 4, &[])].concat();
        for session in [0, 7] {
            bytes.extend(frame(flag::DATA, session, 1, 4, &PACKET));
        }
        // Cut anywhere, it is the same.
        for part in bytes.chunks(5) {
            feed(&mut multiplexer, part).expect("frames");
        }
        let (mut payload, mut out) = (Vec::new(), Vec::new());
        for session in [7, 0] {
            assert!(multiplexer.next(&mut payload, &mut out).expect("packets").is_some());
            assert_eq!((multiplexer.current, payload.as_slice()), (session, &b"x\0"[..]));
        }
        assert!(multiplexer.next(&mut payload, &mut out).expect("packets").is_none());
    }

    #[test]
    fn a_full_window_holds_packets_back() {
        let mut multiplexer = Multiplexer::new(1 << 16);
        feed(&mut multiplexer, &frame(flag::SYN, 0, 0, 2, &[])).expect("a frame");
        let mut out = Vec::new();
        multiplexer.send(&PACKET.repeat(3), &mut out);
        assert_eq!(out.len(), 2 * (HEADER_BYTES + PACKET.len()), "two of three");
        let more = feed(&mut multiplexer, &frame(flag::ACK, 0, 0, 4, &[])).expect("a frame");
        assert_eq!(more, frame(flag::DATA, 0, 3, WINDOW, &PACKET));
        let closed = feed(&mut multiplexer, &frame(flag::FIN, 0, 0, 4, &[])).expect("a frame");
        assert_eq!(closed, frame(flag::FIN, 0, 3, WINDOW, &[]));
        out.clear();
        multiplexer.send(&PACKET, &mut out);
        assert!(out.is_empty(), "nobody listens");
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let frames: [&[u8]; 4] = [
            &[0x12; 16],
            &frame(flag::SYN, 0, 0, 4, &[0; 1 << 17]),
            &[frame(flag::SYN, 0, 0, 4, &[]), frame(flag::DATA, 0, 2, 4, &PACKET)].concat(),
            &[frame(flag::SYN, 0, 0, 4, &[]), frame(15, 0, 1, 4, &[])].concat(),
        ];
        for bytes in frames {
            assert!(feed(&mut Multiplexer::new(1 << 16), bytes).is_err());
        }
        let mut multiplexer = Multiplexer::new(1 << 16);
        let many = (0..=SESSIONS_MAX as u16).map(|id| feed(&mut multiplexer, &frame(flag::SYN, id, 0, 4, &[])));
        assert_eq!(many.filter(Result::is_err).count(), 1);
    }
}
