//! A client's connection: messages in, packets out, over a socket that TLS may cover in any of its three forms.
//!
//! ```text
//! strict (8.0):    TLS [ PRELOGIN, LOGIN7, requests ... ]
//! encrypt on:      PRELOGIN, handshake inside TDS packets, TLS [ LOGIN7, requests ... ]
//! encrypt off:     PRELOGIN, handshake inside TDS packets, TLS [ LOGIN7 ], requests ...
//! ```

use std::io::{Read, Write};

use os::net::{NetError, Stream};
use rustls::ServerConnection;
use tds::tls_wrap::{Unwrapper, wrap};
use tds::{Message, MessageReader, PacketType, ProtocolError};

use crate::instance::engines::Counted;
use crate::instance::spare::Buffers;
use crate::wire::mars::Multiplexer;

/// Bytes asked of the socket at once: less before login, when a client may have sent a little and be silent.
const READ_BYTES: usize = 16 << 10;
const READ_BYTES_LOGIN: usize = 1 << 10;

/// The longest message a client may send that is not a bulk load: a batch of 64 MB of text, or a large parameter.
pub const MESSAGE_BYTES_MAX: usize = 256 << 20;

/// Before login a client has no business with more than LOGIN7.
pub const LOGIN_BYTES_MAX: usize = 128 << 10;

/// What is taken, and for how long, of a client that was told the end of its connection and may still be sending.
const LEFT_OVER_BYTES_MAX: usize = 4 << 20;
const LEFT_OVER_MS: u64 = 500;

/// Of the rows of a bulk load, before their turn comes: what a client had sent when it sent an attention mostly lies within that.
const AHEAD_BYTES_MAX: usize = 4 << 20;

/// What TLS holds of a connection, about.
const TLS_BYTES: usize = 16 << 10;

/// Why a connection cannot go on.
#[derive(Debug)]
pub enum ConnectionError {
    /// The client closed it, or the network did.
    Closed,
    /// The client was too slow (before login only).
    Timeout,
    Protocol(ProtocolError),
    Tls(String),
    /// It did not encrypt, and must.
    NotEncrypted,
}

impl std::fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConnectionError::Closed => f.write_str("closed"),
            ConnectionError::Timeout => f.write_str("timed out"),
            ConnectionError::Protocol(error) => write!(f, "{error}"),
            ConnectionError::Tls(text) => write!(f, "TLS: {text}"),
            ConnectionError::NotEncrypted => f.write_str("not encrypted"),
        }
    }
}

impl From<ProtocolError> for ConnectionError {
    fn from(error: ProtocolError) -> ConnectionError {
        ConnectionError::Protocol(error)
    }
}

impl From<NetError> for ConnectionError {
    fn from(error: NetError) -> ConnectionError {
        match error {
            NetError::Timeout => ConnectionError::Timeout,
            _ => ConnectionError::Closed,
        }
    }
}

impl From<rustls::Error> for ConnectionError {
    fn from(error: rustls::Error) -> ConnectionError {
        ConnectionError::Tls(error.to_string())
    }
}

/// The socket and what covers it.
pub struct Transport {
    /// None while the connection rests: then the scheduler's poller has it.
    stream: Option<Stream>,
    tls: Option<Box<ServerConnection>>,
    /// Ciphertext on its way out; empty between calls.
    outgoing: Vec<u8>,
    /// Packets travel in frames of sessions.
    mars: Option<Box<Multiplexer>>,
    pub packets_received: u64,
    pub packets_sent: u64,
    /// Bytes of a packet may have gone, and not the rest of it.
    in_packet: bool,
    /// Until when the client has to read what is sent; None: it may take its time.
    deadline: Option<u64>,
    read_bytes: usize,
}

impl Transport {
    /// Panics while the connection rests.
    pub fn stream(&self) -> &Stream {
        self.stream.as_ref().expect("a connection that is served has its stream")
    }

    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// All of `bytes`, or an error. A slow client makes the worker wait (ASYNC_NETWORK_IO).
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), ConnectionError> {
        self.packets_sent += 1;
        self.in_packet = true;
        let sent = match self.mars.take() {
            None => self.write(bytes),
            Some(mut mars) => {
                let mut frames = Vec::new();
                mars.send(bytes, &mut frames);
                let mut sent = self.write(&frames);
                while sent.is_ok() && mars.must_wait() {
                    sent = self.fill_frames(&mut mars, Some(self.deadline)).map(|_| ());
                }
                self.mars = Some(mars);
                sent
            }
        };
        self.in_packet = false;
        sent
    }

    /// What is still sent waits for the client until `deadline`. False: the stream is in the middle of a packet, nothing more can be sent.
    pub fn end_by(&mut self, deadline: u64) -> bool {
        self.deadline = Some(deadline);
        !self.in_packet
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ConnectionError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let stream = self.stream.as_ref().expect("a connection that is served has its stream");
        let Some(tls) = &mut self.tls else {
            return Ok(stream.write_all(bytes, self.deadline)?);
        };
        // One record's worth at a time: what waits as ciphertext stays small.
        for chunk in bytes.chunks(READ_BYTES) {
            tls.writer().write_all(chunk).map_err(|error| ConnectionError::Tls(error.to_string()))?;
            while tls.wants_write() {
                tls.write_tls(&mut self.outgoing).map_err(|_| ConnectionError::Closed)?;
            }
            stream.write_all(&self.outgoing, self.deadline)?;
            self.outgoing.clear();
        }
        Ok(())
    }

    /// Whatever the socket has, decrypted, into `reader`. `wait`: until when (of `os::clock::now`) to wait for it; None
    /// takes only what is there. False: nothing was.
    fn fill(&mut self, reader: &mut MessageReader, wait: Option<Option<u64>>) -> Result<bool, ConnectionError> {
        let stream = self.stream.as_ref().expect("a connection that is served has its stream");
        let Some(tls) = &mut self.tls else {
            let count = read(stream, reader.space(self.read_bytes), wait)?;
            reader.filled(count.unwrap_or(0));
            return Ok(count.is_some());
        };
        let mut cipher = [0; 4096];
        let Some(count) = read(stream, &mut cipher, wait)? else { return Ok(false) };
        decrypt(tls, &cipher[..count], reader)?;
        Ok(true)
    }
}

impl Transport {
    /// `fill` for frames, which go to their sessions.
    fn fill_frames(&mut self, mars: &mut Multiplexer, wait: Option<Option<u64>>) -> Result<bool, ConnectionError> {
        let found = self.fill(&mut mars.raw, wait)?;
        let mut answers = Vec::new();
        mars.dispatch(&mut answers)?;
        self.write(&answers)?;
        Ok(found)
    }
}

/// Some(n > 0), or None where nothing is there and there is no time to wait.
fn read(stream: &Stream, buffer: &mut [u8], wait: Option<Option<u64>>) -> Result<Option<usize>, ConnectionError> {
    let count = match wait {
        None => stream.try_read(buffer)?,
        Some(deadline) => Some(stream.read(buffer, deadline)?),
    };
    if count == Some(0) { Err(ConnectionError::Closed) } else { Ok(count) }
}

/// Ciphertext to plaintext, straight into the reader's buffer.
fn decrypt(tls: &mut ServerConnection, mut cipher: &[u8], reader: &mut MessageReader) -> Result<(), ConnectionError> {
    while !cipher.is_empty() {
        if tls.read_tls(&mut cipher).map_err(|error| ConnectionError::Tls(error.to_string()))? == 0 {
            return Err(ConnectionError::Tls("the client sent on after closing TLS".into()));
        }
        let state = tls.process_new_packets()?;
        let mut left = state.plaintext_bytes_to_read();
        while left > 0 {
            let space = reader.space(left);
            let count = tls.reader().read(space).map_err(|error| ConnectionError::Tls(error.to_string()))?;
            reader.filled(count);
            left -= count;
        }
    }
    Ok(())
}

/// A connection between its messages: transport, packet assembly and the payload of the message at hand.
pub struct Connection {
    pub transport: Transport,
    reader: MessageReader,
    pub payload: Vec<u8>,
    /// Of the message at hand, a bulk load, the end is still to come.
    message_goes_on: bool,
    pub origin: Origin,
}

/// By which way a connection came.
pub enum Origin {
    /// By the server's ports; in the process kernel it counts as its engine's while it lives.
    Server(Option<Box<Counted>>),
    /// By the administrator's own port.
    Admin,
}

impl Connection {
    pub fn new(stream: Stream, origin: Origin) -> Connection {
        Connection {
            origin,
            transport: Transport {
                stream: Some(stream),
                tls: None,
                outgoing: Vec::new(),
                mars: None,
                packets_received: 0,
                packets_sent: 0,
                in_packet: false,
                // Before login nothing is waited for.
                deadline: Some(0),
                read_bytes: READ_BYTES_LOGIN,
            },
            reader: MessageReader::new(PacketType::BulkLoad, LOGIN_BYTES_MAX),
            payload: Vec::new(),
            message_goes_on: false,
        }
    }

    pub fn is_admin(&self) -> bool {
        matches!(self.origin, Origin::Admin)
    }

    /// After login a message may be long.
    pub fn logged_in(&mut self) {
        self.reader.limit_message(MESSAGE_BYTES_MAX);
        self.transport.deadline = None;
        self.transport.read_bytes = READ_BYTES;
    }

    /// The next message, its payload in `payload`; waits until `deadline` (None: for ever).
    pub fn receive(&mut self, deadline: Option<u64>) -> Result<Message, ConnectionError> {
        loop {
            if let Some(message) = self.next()? {
                return Ok(message);
            }
            self.fill(Some(deadline))?;
        }
    }

    /// The next message if it is there already: the socket is tried, nothing is waited for.
    pub fn poll(&mut self) -> Result<Option<Message>, ConnectionError> {
        loop {
            if let Some(message) = self.next_of_any()? {
                return Ok(Some(message));
            }
            if !self.fill(None)? {
                return Ok(None);
            }
        }
    }

    /// Whether something has come, or may have, that was not looked at: cheap.
    pub fn has_news(&mut self) -> bool {
        self.buffered() > 0 || self.transport.stream().readable_now()
    }

    fn buffered(&mut self) -> usize {
        match &mut self.transport.mars {
            None => self.reader.buffered(),
            Some(mars) => mars.buffered(),
        }
    }

    /// From here on the client's packets come in frames of sessions, and its answers go so.
    pub fn start_sessions(&mut self) {
        let mut mars = Box::new(Multiplexer::new(MESSAGE_BYTES_MAX));
        mars.raw.feed(&self.reader.take_buffered());
        self.transport.mars = Some(mars);
    }

    pub fn has_sessions(&self) -> bool {
        self.transport.mars.is_some()
    }

    fn fill(&mut self, wait: Option<Option<u64>>) -> Result<bool, ConnectionError> {
        let Some(mut mars) = self.transport.mars.take() else { return self.transport.fill(&mut self.reader, wait) };
        let found = self.transport.fill_frames(&mut mars, wait);
        self.transport.mars = Some(mars);
        found
    }

    fn next_kind(&mut self) -> Result<Option<PacketType>, ConnectionError> {
        Ok(match &mut self.transport.mars {
            None => self.reader.next_kind()?,
            Some(mars) => mars.next_kind()?,
        })
    }

    /// In the middle of a request: whether its attention has come. It is taken then; behind rows of a load it stays until those were
    /// received. What else a client sends ahead stays for later; only so much of it is read. Forgets the payload of the message at hand.
    pub fn take_attention(&mut self) -> Result<bool, ConnectionError> {
        if self.message_goes_on {
            while self.buffered() < AHEAD_BYTES_MAX && self.fill(None)? {}
            return Ok(match &mut self.transport.mars {
                None => self.reader.has_attention_behind()?,
                Some(mars) => mars.has_attention_behind()?,
            });
        }
        while self.next_kind()?.is_none() && self.fill(None)? {}
        if self.next_kind()? != Some(PacketType::Attention) {
            return Ok(false);
        }
        Ok(self.next()?.is_some())
    }

    /// The attention that has interrupted a wait is here or on its way. False: it was something else.
    pub fn await_attention(&mut self, deadline: u64) -> Result<bool, ConnectionError> {
        loop {
            if self.take_attention()? {
                return Ok(true);
            }
            // With sessions, what interrupted was perhaps another one's.
            if self.has_sessions() || self.next_kind()?.is_some_and(|kind| kind != PacketType::Attention) {
                return Ok(false);
            }
            self.fill(Some(Some(deadline)))?;
        }
    }

    fn next(&mut self) -> Result<Option<Message>, ConnectionError> {
        let mut answers = Vec::new();
        let message = match &mut self.transport.mars {
            None => self.reader.next(&mut self.payload)?,
            Some(mars) => mars.next_of_current(&mut self.payload, &mut answers)?,
        };
        self.received(message, &answers)
    }

    /// Of whichever session has one.
    fn next_of_any(&mut self) -> Result<Option<Message>, ConnectionError> {
        let mut answers = Vec::new();
        let message = match &mut self.transport.mars {
            None => self.reader.next(&mut self.payload)?,
            Some(mars) => mars.next(&mut self.payload, &mut answers)?,
        };
        self.received(message, &answers)
    }

    fn received(&mut self, message: Option<Message>, answers: &[u8]) -> Result<Option<Message>, ConnectionError> {
        self.transport.packets_received += u64::from(message.is_some());
        self.message_goes_on = message.as_ref().map_or(self.message_goes_on, |message| !message.is_last);
        self.transport.write(answers)?;
        Ok(message)
    }

    /// Whether the client says nothing and is there. Looks at the socket itself: an end that came with the bytes before it wakes nobody.
    pub fn is_quiet(&self) -> bool {
        matches!(self.transport.stream().try_read(&mut [0; 1]), Ok(None))
    }

    /// The stream of a connection that is to rest, and in `spare` the buffers it does not need then; the beginning of a message
    /// whose end is still to come stays.
    pub fn rest(&mut self, spare: &mut Buffers) -> Stream {
        if self.reader.is_idle() {
            spare.received = self.reader.release();
            spare.payload = std::mem::take(&mut self.payload);
        }
        self.transport.stream.take().expect("a connection that is served has its stream")
    }

    /// Its stream is back: something has come.
    pub fn wake(&mut self, stream: Stream, received: Vec<u8>, payload: Vec<u8>) {
        self.transport.stream = Some(stream);
        if self.reader.is_idle() {
            self.reader.reuse(received);
            self.payload = payload;
        }
    }

    pub fn is_still_sending(&mut self) -> bool {
        self.message_goes_on || self.has_news()
    }

    /// Takes what the client is still sending, until it stops or `deadline`: a connection that closes with bytes unread is reset, and the client
    /// may lose its last answer.
    pub fn drop_rest(&mut self, deadline: u64) {
        let mut left = LEFT_OVER_BYTES_MAX;
        let mut bytes = [0; 4096];
        let quiet = os::clock::after_ms(LEFT_OVER_MS).min(deadline);
        while left > 0 {
            match self.transport.stream().read(&mut bytes, Some(quiet)) {
                Ok(count) if count > 0 => left = left.saturating_sub(count),
                _ => return,
            }
        }
    }

    /// The first bytes that a client sends, before anything else: true if they begin TLS around all of TDS, which is 0x16. None: nothing has
    /// come.
    pub fn poll_first(&mut self) -> Result<Option<bool>, ConnectionError> {
        Ok(match self.fill(None)? {
            true => Some(self.reader.peek() == Some(0x16)),
            false => None,
        })
    }

    /// `wrapped`: inside TDS packets; what follows is raw TLS. Else all is, and what has come already as well.
    pub fn begin_tls(&mut self, tls: ServerConnection, wrapped: bool) -> TlsHandshake {
        // A client may have sent its first flight together with PRELOGIN.
        let pending = self.reader.take_buffered();
        TlsHandshake { tls: Box::new(tls), unwrapper: wrapped.then(Unwrapper::default), pending }
    }

    /// Goes on with what has come. None: the handshake is done, and TLS covers what follows.
    pub fn shake(&mut self, mut handshake: TlsHandshake) -> Result<Option<TlsHandshake>, ConnectionError> {
        let mut bytes = [0; 4096];
        loop {
            handshake.take(&mut self.reader)?;
            let flight = handshake.flight()?;
            if !flight.is_empty() {
                self.transport.stream().write_all(&flight, self.transport.deadline)?;
            }
            if handshake.is_done() {
                break;
            }
            let Some(count) = read(self.transport.stream(), &mut bytes, None)? else { return Ok(Some(handshake)) };
            handshake.pending.extend_from_slice(&bytes[..count]);
        }
        decrypt(&mut handshake.tls, &handshake.pending, &mut self.reader)?;
        self.transport.tls = Some(handshake.tls);
        Ok(None)
    }

    /// What a connection that is not logged in holds, about, `in_handshake` of TLS or not.
    pub fn held_bytes(&self, in_handshake: bool) -> usize {
        let tls = if in_handshake || self.transport.tls.is_some() { TLS_BYTES } else { 0 };
        size_of::<Connection>() + self.reader.held_bytes() + self.payload.capacity() + tls
    }

    /// LOGIN7 has come and only it was to be encrypted.
    pub fn stop_tls(&mut self) {
        self.transport.tls = None;
    }
}

/// A TLS handshake that has begun.
pub struct TlsHandshake {
    tls: Box<ServerConnection>,
    /// Its records come inside TDS packets.
    unwrapper: Option<Unwrapper>,
    /// What has come and was not looked at.
    pending: Vec<u8>,
}

impl TlsHandshake {
    fn is_done(&self) -> bool {
        !self.tls.is_handshaking() && self.unwrapper.as_ref().is_none_or(Unwrapper::at_boundary)
    }

    /// What has come, as far as the handshake goes; what was encrypted after it goes to `reader`.
    fn take(&mut self, reader: &mut MessageReader) -> Result<(), ConnectionError> {
        let mut used = 0;
        while used < self.pending.len() && !self.is_done() {
            let bytes = &self.pending[used..];
            let (count, records) = match &mut self.unwrapper {
                Some(unwrapper) => unwrapper.unwrap(bytes)?,
                None => (bytes.len(), bytes),
            };
            used += count;
            decrypt(&mut self.tls, records, reader)?;
        }
        self.pending.drain(..used);
        Ok(())
    }

    /// What is to be sent now.
    fn flight(&mut self) -> Result<Vec<u8>, ConnectionError> {
        let mut flight = Vec::new();
        while self.tls.wants_write() {
            self.tls.write_tls(&mut flight).map_err(|_| ConnectionError::Closed)?;
        }
        if flight.is_empty() || self.unwrapper.is_none() {
            return Ok(flight);
        }
        let mut wrapped = Vec::new();
        wrap(&flight, &mut wrapped);
        Ok(wrapped)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    use rustls::{ClientConfig, ClientConnection, RootCertStore};

    use super::*;
    use crate::security::tls::{Certificate, Tls};

    fn reader() -> MessageReader {
        MessageReader::new(PacketType::BulkLoad, LOGIN_BYTES_MAX)
    }

    /// A client and a server after their handshake.
    fn joined() -> (ClientConnection, ServerConnection) {
        let pem = Certificate::generate("db.example").expect("generated");
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(pem.certificate.as_bytes()).expect("PEM")).expect("a certificate");
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = "db.example".try_into().expect("a name");
        let mut client = ClientConnection::new(Arc::new(config), name).expect("a client");
        let mut server = Tls::new(&pem).expect("usable").wrapped();
        while client.is_handshaking() || server.is_handshaking() {
            let mut flight = Vec::new();
            while client.wants_write() {
                client.write_tls(&mut flight).expect("in memory");
            }
            decrypt(&mut server, &flight, &mut reader()).expect("a handshake");
            flight.clear();
            while server.wants_write() {
                server.write_tls(&mut flight).expect("in memory");
            }
            let mut flight = &flight[..];
            while !flight.is_empty() {
                client.read_tls(&mut flight).expect("in memory");
                client.process_new_packets().expect("a handshake");
            }
        }
        (client, server)
    }

    /// rustls takes nothing more then: without an error the worker would offer it the rest for ever.
    #[test]
    fn bytes_after_the_end_of_tls_end_the_connection() {
        let (mut client, mut server) = joined();
        client.send_close_notify();
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).expect("in memory");
        bytes.resize(64 * 1024, 0);
        assert!(decrypt(&mut server, &bytes, &mut reader()).is_err());
    }
}
