//! Packets and messages.
//!
//! ```text
//! byte  0     1       2..4           4..6   6          7
//!       type  status  length (BE)    SPID   packet id  window   payload ...
//! ```
//! `length` includes the header. A message is a run of packets of one type; the last has EOM in its status.

use crate::error::{ProtocolError, ProtocolResult};
use crate::wire::Put;

pub const HEADER_BYTES: usize = 8;
/// Smallest and largest packet that can be negotiated, and what is used before that.
pub const PACKET_BYTES_MIN: usize = 512;
pub const PACKET_BYTES_MAX: usize = 32_767;
pub const PACKET_BYTES_DEFAULT: usize = 4_096;
/// Whole packets waiting in a `PacketWriter` are handed on at this many bytes.
pub const FLUSH_BYTES: usize = 32_768;

pub const STATUS_EOM: u8 = 0x01;
pub const STATUS_IGNORE: u8 = 0x02;
pub const STATUS_RESET_CONNECTION: u8 = 0x08;
pub const STATUS_RESET_CONNECTION_SKIP_TRANSACTION: u8 = 0x10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketType {
    SqlBatch = 0x01,
    Rpc = 0x03,
    /// What a server sends, always.
    Response = 0x04,
    Attention = 0x06,
    BulkLoad = 0x07,
    FederatedToken = 0x08,
    Transaction = 0x0E,
    Login7 = 0x10,
    Sspi = 0x11,
    Prelogin = 0x12,
}

impl PacketType {
    pub fn from_wire(value: u8) -> ProtocolResult<PacketType> {
        Ok(match value {
            0x01 => PacketType::SqlBatch,
            0x03 => PacketType::Rpc,
            0x04 => PacketType::Response,
            0x06 => PacketType::Attention,
            0x07 => PacketType::BulkLoad,
            0x08 => PacketType::FederatedToken,
            0x0E => PacketType::Transaction,
            0x10 => PacketType::Login7,
            0x11 => PacketType::Sspi,
            0x12 => PacketType::Prelogin,
            other => return Err(ProtocolError::PacketType(other)),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub kind: PacketType,
    pub status: u8,
    /// With the header: 8 to 32,767.
    pub length: u16,
    pub spid: u16,
    pub packet_id: u8,
}

impl Header {
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> ProtocolResult<Header> {
        let kind = PacketType::from_wire(bytes[0])?;
        let length = u16::from_be_bytes([bytes[2], bytes[3]]);
        if (length as usize) < HEADER_BYTES || length as usize > PACKET_BYTES_MAX + 1 {
            return Err(ProtocolError::PacketLength(length));
        }
        let spid = u16::from_be_bytes([bytes[4], bytes[5]]);
        Ok(Header { kind, status: bytes[1], length, spid, packet_id: bytes[6] })
    }

    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let [l0, l1] = self.length.to_be_bytes();
        let [s0, s1] = self.spid.to_be_bytes();
        [self.kind as u8, self.status, l0, l1, s0, s1, self.packet_id, 0]
    }

    pub fn is_last(&self) -> bool {
        self.status & STATUS_EOM != 0
    }
}

/// What the first packet of a request asks for before the request itself runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reset {
    #[default]
    No,
    /// Like sp_reset_connection: also rolls back.
    Connection,
    /// Keeps the transaction.
    KeepTransaction,
}

/// The envelope of a message; its payload is in the buffer given to `MessageReader::next`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    pub kind: PacketType,
    pub reset: Reset,
    /// The client withdrew the message: do not execute it, answer with a plain DONE.
    pub ignore: bool,
    /// False: more of this message follows (only for the streamed type).
    pub is_last: bool,
}

/// Cuts a byte stream into messages. One type may be streamed: its payload is given out packet by packet.
///
/// Memory: one packet plus what the caller feeds ahead; the payload goes to the caller's buffer, bounded by `bytes_max`.
#[derive(Debug)]
pub struct MessageReader {
    buffer: Vec<u8>,
    /// Unread bytes are `buffer[start..end]`.
    start: usize,
    end: usize,
    streamed: PacketType,
    bytes_max: usize,
    /// Set between the first and the last packet of a message.
    open: Option<(PacketType, Reset)>,
}

impl MessageReader {
    /// `streamed`: `BulkLoad` on a server, `Response` on a client. `bytes_max` bounds a message that is not streamed.
    pub fn new(streamed: PacketType, bytes_max: usize) -> MessageReader {
        MessageReader { buffer: Vec::new(), start: 0, end: 0, streamed, bytes_max, open: None }
    }

    /// From now on: before login a server wants it small.
    pub fn limit_message(&mut self, bytes_max: usize) {
        self.bytes_max = bytes_max;
    }

    /// Room for a socket to read into, at least `bytes_min` long; say with `filled` how much came.
    pub fn space(&mut self, bytes_min: usize) -> &mut [u8] {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
        if self.buffer.len() - self.end < bytes_min {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if self.buffer.len() - self.end < bytes_min {
                self.buffer.resize(self.end + bytes_min, 0);
            }
        }
        &mut self.buffer[self.end..]
    }

    pub fn filled(&mut self, bytes: usize) {
        assert!(bytes <= self.buffer.len() - self.end, "more bytes than space() gave");
        self.end += bytes;
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        self.space(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.filled(bytes.len());
    }

    /// Bytes received and not yet given out.
    pub fn buffered(&self) -> usize {
        self.end - self.start
    }

    /// The first of them.
    pub fn peek(&self) -> Option<u8> {
        self.buffer[self.start..self.end].first().copied()
    }

    /// Memory that it has.
    pub fn held_bytes(&self) -> usize {
        self.buffer.capacity()
    }

    /// The kind of the message that begins at the bytes received and not yet given out; None in the middle of a message, or before
    /// its header is whole.
    pub fn next_kind(&self) -> ProtocolResult<Option<PacketType>> {
        match self.buffer[self.start..self.end].first_chunk::<HEADER_BYTES>() {
            Some(head) if self.open.is_none() => Ok(Some(Header::decode(head)?.kind)),
            _ => Ok(None),
        }
    }

    /// Whether what was received and not yet given out is the rest of a message, or a part of that, and an attention.
    pub fn has_attention_behind(&self) -> ProtocolResult<bool> {
        let mut bytes = &self.buffer[self.start..self.end];
        let mut open = self.open.is_some();
        while let Some(head) = bytes.first_chunk::<HEADER_BYTES>() {
            let header = Header::decode(head)?;
            if header.kind == PacketType::Attention {
                return Ok(true);
            }
            if !open || bytes.len() < header.length as usize {
                break;
            }
            open = !header.is_last();
            bytes = &bytes[header.length as usize..];
        }
        Ok(false)
    }

    /// True between messages with nothing buffered: the state in which a connection may idle, or TLS may begin.
    pub fn is_idle(&self) -> bool {
        self.buffered() == 0 && self.open.is_none()
    }

    /// Takes the buffer of an idle connection, for another one (`reuse`); else it keeps it and gives an empty one.
    pub fn release(&mut self) -> Vec<u8> {
        if !self.is_idle() {
            return Vec::new();
        }
        self.start = 0;
        self.end = 0;
        std::mem::take(&mut self.buffer)
    }

    /// A buffer that was another reader's. What is in it is never given out.
    pub fn reuse(&mut self, buffer: Vec<u8>) {
        if self.buffer.is_empty() {
            self.buffer = buffer;
        }
    }

    /// Takes what was received and not yet given out: a layer below (TLS) begins in the middle of the stream.
    pub fn take_buffered(&mut self) -> Vec<u8> {
        let bytes = self.buffer[self.start..self.end].to_vec();
        self.start = self.end;
        bytes
    }

    /// A request, not a part of a login.
    fn is_withdrawable(&self, kind: PacketType) -> bool {
        kind == self.streamed || matches!(kind, PacketType::SqlBatch | PacketType::Rpc | PacketType::Transaction)
    }

    /// The next message, or the next packet of a streamed one; `None`: feed more. Packets of a message that is not
    /// streamed collect in `payload` over several calls, so give the same buffer until `Some` comes; it is cleared
    /// when a message begins.
    pub fn next(&mut self, payload: &mut Vec<u8>) -> ProtocolResult<Option<Message>> {
        while let Some(head) = self.buffer[self.start..self.end].first_chunk::<HEADER_BYTES>() {
            let header = Header::decode(head)?;
            let length = header.length as usize;
            if self.buffered() < length {
                return Ok(None);
            }
            let reset = match self.open {
                // SqlClient cancels what it still sends so: the message is withdrawn, and the attention comes next.
                Some((kind, reset)) if self.is_withdrawable(kind) && header.kind == PacketType::Attention => {
                    payload.clear();
                    self.open = None;
                    return Ok(Some(Message { kind, reset, ignore: true, is_last: true }));
                }
                Some((kind, _)) if kind != header.kind => {
                    return Err(ProtocolError::PacketInterleaved { expected: kind as u8, found: header.kind as u8 });
                }
                Some((_, reset)) => reset,
                None => {
                    payload.clear();
                    reset_of(header.status)
                }
            };
            let streamed = header.kind == self.streamed;
            if streamed {
                payload.clear();
            } else if payload.len() + length - HEADER_BYTES > self.bytes_max {
                return Err(ProtocolError::MessageTooLong { bytes_max: self.bytes_max });
            }
            payload.extend_from_slice(&self.buffer[self.start + HEADER_BYTES..self.start + length]);
            self.start += length;
            self.open = if header.is_last() { None } else { Some((header.kind, reset)) };
            if header.is_last() || streamed {
                let ignore = header.status & STATUS_IGNORE != 0;
                return Ok(Some(Message { kind: header.kind, reset, ignore, is_last: header.is_last() }));
            }
        }
        Ok(None)
    }
}

fn reset_of(status: u8) -> Reset {
    if status & STATUS_RESET_CONNECTION_SKIP_TRANSACTION != 0 {
        Reset::KeepTransaction
    } else if status & STATUS_RESET_CONNECTION != 0 {
        Reset::Connection
    } else {
        Reset::No
    }
}

/// Builds outgoing packets in place: bytes put here land where they will be sent from.
///
/// ```text
/// buffer: [header payload][header payload][header payload...|        ]
///          whole packets, to be flushed   ^open             ^at      ^limit (where the open packet is full)
/// ```
/// Putting never fails and never blocks; `flush_full` hands whole packets on, and is called between rows and between
/// chunks of a long value, so at most `FLUSH_BYTES` plus one row or chunk waits here.
#[derive(Debug)]
pub struct PacketWriter {
    /// Length is capacity: everything up to it is initialized, so writing is plain slicing.
    buffer: Vec<u8>,
    at: usize,
    open: usize,
    limit: usize,
    packet_bytes: usize,
    kind: PacketType,
    spid: u16,
    packet_id: u8,
    /// Status bits of the first packet of the message, besides EOM.
    first_status: u8,
}

impl PacketWriter {
    /// `packet_bytes` is clamped to what the protocol allows.
    pub fn new(kind: PacketType, packet_bytes: usize) -> PacketWriter {
        let packet_bytes = packet_bytes.clamp(PACKET_BYTES_MIN, PACKET_BYTES_MAX);
        PacketWriter {
            buffer: Vec::new(),
            at: 0,
            open: 0,
            limit: 0,
            packet_bytes,
            kind,
            spid: 0,
            packet_id: 1,
            first_status: 0,
        }
    }

    /// Takes effect with the next message. Panics inside one.
    pub fn set_packet_bytes(&mut self, packet_bytes: usize) {
        assert!(self.is_empty(), "packet size changes between messages");
        self.packet_bytes = packet_bytes.clamp(PACKET_BYTES_MIN, PACKET_BYTES_MAX);
    }

    pub fn packet_bytes(&self) -> usize {
        self.packet_bytes
    }

    pub fn set_spid(&mut self, spid: u16) {
        self.spid = spid;
    }

    /// Type and first status of the next message. Panics inside one.
    pub fn begin(&mut self, kind: PacketType, first_status: u8) {
        assert!(self.is_empty(), "the last message was not finished");
        self.kind = kind;
        self.first_status = first_status;
    }

    /// Nothing put since the last `finish`, and all of that sent.
    pub fn is_empty(&self) -> bool {
        self.at == 0 && self.packet_id == 1
    }

    /// Takes the buffer between messages, for another writer (`reuse`).
    pub fn release(&mut self) -> Vec<u8> {
        if !self.is_empty() {
            return Vec::new();
        }
        self.limit = 0;
        std::mem::take(&mut self.buffer)
    }

    /// A buffer that was another writer's. What is in it is never sent.
    pub fn reuse(&mut self, buffer: Vec<u8>) {
        if self.buffer.is_empty() {
            self.buffer = buffer;
        }
    }

    /// Forgets what was put and not flushed. Whole packets already handed on stay sent.
    pub fn discard(&mut self) {
        self.at = 0;
        self.open = 0;
        self.limit = 0;
        self.packet_id = 1;
    }

    /// Bytes in whole packets, ready to go.
    #[inline]
    pub fn full_bytes(&self) -> usize {
        self.open
    }

    /// Bytes left in the open packet.
    #[inline]
    pub fn room(&self) -> usize {
        self.limit - self.at
    }

    /// A slice of exactly `bytes`, if the open packet has room; `advance` over what was written.
    #[inline]
    pub fn spare(&mut self, bytes: usize) -> Option<&mut [u8]> {
        if self.limit - self.at >= bytes { Some(&mut self.buffer[self.at..self.at + bytes]) } else { None }
    }

    #[inline]
    pub fn advance(&mut self, bytes: usize) {
        assert!(bytes <= self.limit - self.at, "wrote past the packet");
        self.at += bytes;
    }

    /// Hands on all whole packets once enough of them wait. `send` gets one or more packets and must take them all.
    #[inline]
    pub fn flush_full<E>(&mut self, send: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.open < FLUSH_BYTES { Ok(()) } else { self.flush_whole(send) }
    }

    fn flush_whole<E>(&mut self, send: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        send(&self.buffer[..self.open])?;
        self.buffer.copy_within(self.open..self.at, 0);
        self.at -= self.open;
        self.limit -= self.open;
        self.open = 0;
        Ok(())
    }

    /// Hands on all that was written so far; the open packet ends short. For what must not wait (RAISERROR WITH NOWAIT).
    pub fn flush_now<E>(&mut self, send: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.at > self.open + HEADER_BYTES {
            self.close_packet(0);
        }
        let end = self.open;
        self.at = 0;
        self.open = 0;
        self.limit = 0;
        if end == 0 { Ok(()) } else { send(&self.buffer[..end]) }
    }

    /// Ends the message (EOM) and hands everything on. An empty message is one header.
    pub fn finish<E>(&mut self, send: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.limit == self.open {
            self.open_packet();
        }
        self.close_packet(STATUS_EOM);
        self.packet_id = 1;
        self.first_status = 0;
        let end = self.at;
        self.at = 0;
        self.open = 0;
        self.limit = 0;
        send(&self.buffer[..end])
    }

    fn open_packet(&mut self) {
        self.open = self.at;
        self.limit = self.open + self.packet_bytes;
        if self.buffer.len() < self.limit {
            let wanted = self.limit.max((self.buffer.len() * 2).min(FLUSH_BYTES + 2 * self.packet_bytes));
            self.buffer.resize(wanted, 0);
        }
        self.at += HEADER_BYTES;
    }

    fn close_packet(&mut self, status: u8) {
        let header = Header {
            kind: self.kind,
            status: status | std::mem::take(&mut self.first_status),
            length: (self.at - self.open) as u16,
            spid: self.spid,
            packet_id: self.packet_id,
        };
        self.buffer[self.open..self.open + HEADER_BYTES].copy_from_slice(&header.encode());
        self.packet_id = self.packet_id.wrapping_add(1);
        self.open = self.at;
        self.limit = self.at;
    }

    #[cold]
    fn put_across(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.at == self.limit {
                if self.limit != self.open {
                    self.close_packet(0);
                }
                self.open_packet();
            }
            let count = bytes.len().min(self.limit - self.at);
            self.buffer[self.at..self.at + count].copy_from_slice(&bytes[..count]);
            self.at += count;
            bytes = &bytes[count..];
        }
    }
}

impl Put for PacketWriter {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        if bytes.len() <= self.limit - self.at {
            self.buffer[self.at..self.at + bytes.len()].copy_from_slice(bytes);
            self.at += bytes.len();
        } else {
            self.put_across(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn packets(kind: PacketType, packet_bytes: usize, payload: &[u8], piece: usize) -> Vec<u8> {
        let mut writer = PacketWriter::new(kind, packet_bytes);
        let mut sent = Vec::new();
        let mut send = |bytes: &[u8]| {
            sent.extend_from_slice(bytes);
            Ok::<(), Infallible>(())
        };
        for bytes in payload.chunks(piece.max(1)) {
            writer.put(bytes);
            writer.flush_full(&mut send).unwrap();
        }
        writer.finish(&mut send).unwrap();
        assert!(writer.is_empty());
        sent
    }

    #[test]
    fn what_is_written_in_any_pieces_is_read_in_any_pieces() {
        for length in [0, 1, 503, 504, 505, 1008, 1009, 100_000] {
            let payload: Vec<u8> = (0..length).map(|i| (i * 7) as u8).collect();
            for piece in [1, 3, 504, 40_000] {
                let sent = packets(PacketType::SqlBatch, 512, &payload, piece);
                for fed in [1, 7, 600, usize::MAX] {
                    let mut reader = MessageReader::new(PacketType::BulkLoad, 1 << 20);
                    let mut received = Vec::new();
                    let mut message = None;
                    for bytes in sent.chunks(fed.min(sent.len())) {
                        assert_eq!(message, None);
                        reader.feed(bytes);
                        message = reader.next(&mut received).unwrap();
                    }
                    let message = message.expect("whole");
                    assert_eq!((message.kind, message.is_last), (PacketType::SqlBatch, true));
                    assert_eq!(received, payload);
                    assert!(reader.is_idle());
                }
            }
        }
    }

    #[test]
    fn full_packets_and_a_numbered_last_one() {
        let sent = packets(PacketType::Response, 512, &[9; 1008], 1008);
        assert_eq!(sent[..8], [4, 0, 2, 0, 0, 0, 1, 0]);
        assert_eq!(sent[512..520], [4, 1, 2, 0, 0, 0, 2, 0]);
    }

    #[test]
    fn refuses_bad_framing() {
        let read = |bytes: &[u8]| {
            let mut reader = MessageReader::new(PacketType::BulkLoad, 100);
            reader.feed(bytes);
            reader.next(&mut Vec::new())
        };
        assert_eq!(read(&[1, 1, 0, 7, 0, 0, 0, 0]), Err(ProtocolError::PacketLength(7)));
        assert_eq!(read(&[1, 1, 0xFF, 0xFF, 0, 0, 0, 0]), Err(ProtocolError::PacketLength(0xFFFF)));
        assert_eq!(read(&[0x47, 1, 0, 8, 0, 0, 0, 0]), Err(ProtocolError::PacketType(0x47)));
        let mut long = vec![1, 0, 0, 109, 0, 0, 0, 0];
        long.resize(109, 0);
        assert_eq!(read(&long), Err(ProtocolError::MessageTooLong { bytes_max: 100 }));
        let mixed = [1, 0, 0, 8, 0, 0, 0, 0, 3, 1, 0, 8, 0, 0, 0, 0];
        assert_eq!(read(&mixed), Err(ProtocolError::PacketInterleaved { expected: 1, found: 3 }));
    }

    #[test]
    fn reset_bits_are_those_of_the_first_packet() {
        let mut reader = MessageReader::new(PacketType::BulkLoad, 100);
        reader.feed(&[1, 0x08, 0, 8, 0, 0, 0, 0, 1, 0x01, 0, 9, 0, 0, 0, 0, 0x41]);
        let mut payload = Vec::new();
        let message = reader.next(&mut payload).unwrap().unwrap();
        assert_eq!((message.reset, payload.as_slice()), (Reset::Connection, &[0x41][..]));
        reader.feed(&[1, 0x11, 0, 8, 0, 0, 0, 0]);
        assert_eq!(reader.next(&mut payload).unwrap().unwrap().reset, Reset::KeepTransaction);
    }

    #[test]
    fn an_attention_withdraws_what_is_still_sent() {
        let mut reader = MessageReader::new(PacketType::BulkLoad, 100);
        let mut payload = Vec::new();
        reader.feed(&[3, 0x08, 0, 9, 0, 0, 0, 0, 0x41, 6, 1, 0, 8, 0, 0, 0, 0]);
        let withdrawn = reader.next(&mut payload).unwrap().unwrap();
        assert_eq!((withdrawn.kind, withdrawn.reset), (PacketType::Rpc, Reset::Connection));
        assert!(withdrawn.ignore && withdrawn.is_last && payload.is_empty());
        assert_eq!(reader.next(&mut payload).unwrap().unwrap().kind, PacketType::Attention);
        reader.feed(&[0x10, 0, 0, 9, 0, 0, 0, 0, 0x41, 6, 1, 0, 8, 0, 0, 0, 0]);
        assert!(reader.next(&mut payload).is_err());
    }

    #[test]
    fn the_streamed_type_comes_packet_by_packet() {
        let mut reader = MessageReader::new(PacketType::BulkLoad, 10);
        let sent = packets(PacketType::BulkLoad, 512, &[1; 1200], 1200);
        reader.feed(&sent);
        let (mut payload, mut total, mut packets) = (Vec::new(), 0, 0);
        while let Some(message) = reader.next(&mut payload).unwrap() {
            total += payload.len();
            packets += 1;
            assert_eq!(message.is_last, packets == 3);
        }
        assert_eq!((total, packets), (1200, 3));
    }
}
