//! The TLS handshake of TDS 7.x (MS-TDS 2.2.6.5): its records travel as the payload of PRELOGIN packets, both ways,
//! until the handshake ends. After that raw TLS records carry ordinary packets. No TLS library is known here.
//!
//! ```text
//! [0x12 header][TLS ClientHello] ... [0x12 header][TLS Finished] | [TLS record: [TDS header][LOGIN7 ...]]
//! ```
//! Receiving: call `unwrap` on what came, give the returned bytes to TLS, and stop calling once TLS says the handshake
//! is over: all that is left is raw. Sending: `wrap` what TLS wants to write, one message a flight.

use crate::error::{ProtocolError, ProtocolResult};
use crate::packet::{HEADER_BYTES, Header, PACKET_BYTES_DEFAULT, PacketType, STATUS_EOM};

/// Strips packet headers from a handshake that arrives in pieces.
#[derive(Debug, Default)]
pub struct Unwrapper {
    header: [u8; HEADER_BYTES],
    header_bytes: usize,
    payload_left: usize,
}

impl Unwrapper {
    /// Consumes at most one packet's worth: how many bytes of `bytes` are done with, and the TLS bytes among them.
    /// `(0, _)` only for empty input.
    pub fn unwrap<'a>(&mut self, bytes: &'a [u8]) -> ProtocolResult<(usize, &'a [u8])> {
        let mut used = 0;
        if self.payload_left == 0 {
            used = bytes.len().min(HEADER_BYTES - self.header_bytes);
            self.header[self.header_bytes..self.header_bytes + used].copy_from_slice(&bytes[..used]);
            self.header_bytes += used;
            if self.header_bytes < HEADER_BYTES {
                return Ok((used, &[]));
            }
            let header = Header::decode(&self.header)?;
            // A server may answer PRELOGIN as type 4, but the handshake is 0x12 both ways.
            if header.kind != PacketType::Prelogin && header.kind != PacketType::Response {
                return Err(ProtocolError::PacketInterleaved {
                    expected: PacketType::Prelogin as u8,
                    found: header.kind as u8,
                });
            }
            self.header_bytes = 0;
            self.payload_left = header.length as usize - HEADER_BYTES;
        }
        let count = self.payload_left.min(bytes.len() - used);
        self.payload_left -= count;
        Ok((used + count, &bytes[used..used + count]))
    }

    /// True between packets: the only place where a handshake may end.
    pub fn at_boundary(&self) -> bool {
        self.payload_left == 0 && self.header_bytes == 0
    }
}

/// One flight of handshake bytes as one message of PRELOGIN packets, appended to `out`.
pub fn wrap(tls: &[u8], out: &mut Vec<u8>) {
    let mut chunks = tls.chunks(PACKET_BYTES_DEFAULT - HEADER_BYTES).peekable();
    let mut packet_id = 0u8;
    while let Some(chunk) = chunks.next() {
        packet_id = packet_id.wrapping_add(1);
        let status = if chunks.peek().is_none() { STATUS_EOM } else { 0 };
        let length = (chunk.len() + HEADER_BYTES) as u16;
        out.extend_from_slice(&Header { kind: PacketType::Prelogin, status, length, spid: 0, packet_id }.encode());
        out.extend_from_slice(chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwraps_what_was_wrapped_and_leaves_the_raw_rest() {
        let flight: Vec<u8> = (0..10_000).map(|i| (i % 251) as u8).collect();
        let mut wire = Vec::new();
        wrap(&flight, &mut wire);
        let wrapped = wire.len();
        wire.extend_from_slice(b"\x17\x03\x03raw");
        for piece in [1, 5, 4_096, wire.len()] {
            let (mut unwrapper, mut got, mut at) = (Unwrapper::default(), Vec::new(), 0);
            while got.len() < flight.len() {
                let end = (at + piece).min(wire.len());
                let (used, tls) = unwrapper.unwrap(&wire[at..end]).unwrap();
                got.extend_from_slice(tls);
                at += used;
            }
            assert_eq!(got, flight);
            assert!(unwrapper.at_boundary());
            assert_eq!(at, wrapped);
        }
    }

    #[test]
    fn refuses_another_packet_type() {
        let mut unwrapper = Unwrapper::default();
        assert!(unwrapper.unwrap(&[1, 1, 0, 9, 0, 0, 0, 0, 7]).is_err());
    }
}
