//! The client's half of a connection as a state machine without I/O.
//!
//! ```text
//! new -> [PRELOGIN sent] -> StartTls? -> tls_ready -> [LOGIN7 sent] -> Connected -> ready
//! ready -> batch | rpc | transaction | bulk -> tokens ... -> End -> ready
//! ```
//! Send what `take_outgoing` gives, `feed` what arrives, then ask `next_event` until it says `None`. TLS lies between
//! this and the socket and belongs to the caller; `tls_wrap` frames its handshake.

use std::convert::Infallible;

use types::RowBatch;

use crate::column::ColumnInfo;
use crate::error::{ProtocolError, ProtocolResult};
use crate::login7::{
    Feature, Login7, OPTION1_DATABASE_FATAL, OPTION1_SET_LANGUAGE_NOTIFY, OPTION1_USE_DATABASE_NOTIFY,
    OPTION2_LANGUAGE_FATAL, OPTION2_ODBC, OPTION3_CHANGE_PASSWORD, TYPE_READ_ONLY_INTENT, feature,
};
use crate::packet::{
    MessageReader, PACKET_BYTES_DEFAULT, PACKET_BYTES_MAX, PacketType, PacketWriter, Reset, STATUS_RESET_CONNECTION,
    STATUS_RESET_CONNECTION_SKIP_TRANSACTION,
};
use crate::prelogin::{Encryption, Prelogin};
use crate::request::{TransactionAction, TransactionDescriptor, put_all_headers};
use crate::row::RowLayout;
use crate::rpc::RpcCall;
use crate::token::{Done, DoneKind, EnvChange, LoginAck, ServerMessage, Token, TokenReader, done};
use crate::version::TdsVersion;
use crate::wire::{Input, Put};

/// How a client wants its connection encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientEncryption {
    /// Never, not even the login: for a server without a certificate.
    Plain,
    /// The login at least, if the server can.
    #[default]
    Login,
    /// All of it, or no connection.
    Full,
    /// TDS 8.0: TLS before the first packet. The caller has already made it.
    Strict,
}

#[derive(Debug, Clone, Default)]
pub struct ConnectOptions {
    pub user: String,
    pub password: String,
    /// What the password is to be from now on; empty: as it is.
    pub new_password: String,
    /// Empty: the login's default.
    pub database: String,
    pub application: String,
    pub host: String,
    pub server: String,
    /// Empty: the login's default.
    pub language: String,
    /// 0: the server's choice.
    pub packet_bytes: u32,
    pub encryption: ClientEncryption,
    /// `None`: 7.4.
    pub version: Option<TdsVersion>,
    pub read_only: bool,
    pub client_pid: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Make the TLS handshake in PRELOGIN packets, then call `tls_ready`. With `login_only`, what `take_outgoing` then
    /// gives once is the only thing sent through it: everything after that is plain.
    StartTls {
        login_only: bool,
    },
    Connected(LoginAck),
    /// The server closed the door; why was said in messages before.
    LoginFailed,
    Token(Token),
    /// The response is complete: the next request may be sent.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Prelogin,
    TlsHandshake,
    Login,
    Ready,
    Response,
    /// After LOGIN failed or the stream broke.
    Dead,
}

#[derive(Debug)]
pub struct Client {
    state: State,
    options: ConnectOptions,
    outgoing: Vec<u8>,
    writer: PacketWriter,
    reader: MessageReader,
    tokens: TokenReader,
    /// Token bytes received and not yet read, from `at` on.
    pending: Vec<u8>,
    at: usize,
    /// Reading was tried with fewer bytes than this and came up short.
    retry_bytes: usize,
    message_ended: bool,
    transaction: TransactionDescriptor,
    login_ack: Option<LoginAck>,
    attention_sent: bool,
    reset_next: Reset,
    packet: Vec<u8>,
}

impl Client {
    /// With PRELOGIN ready to be sent.
    pub fn new(options: ConnectOptions) -> Client {
        let version = match options.encryption {
            ClientEncryption::Strict => TdsVersion::V8_0,
            _ => options.version.unwrap_or(TdsVersion::V7_4),
        };
        let mut client = Client {
            state: State::Prelogin,
            options,
            outgoing: Vec::new(),
            writer: PacketWriter::new(PacketType::Prelogin, PACKET_BYTES_DEFAULT),
            reader: MessageReader::new(PacketType::Response, PACKET_BYTES_MAX),
            tokens: TokenReader::new(version),
            pending: Vec::new(),
            at: 0,
            retry_bytes: 0,
            message_ended: false,
            transaction: 0,
            login_ack: None,
            attention_sent: false,
            reset_next: Reset::No,
            packet: Vec::new(),
        };
        let encryption = match client.options.encryption {
            ClientEncryption::Plain => Encryption::NotSupported,
            ClientEncryption::Login => Encryption::Off,
            ClientEncryption::Full | ClientEncryption::Strict => Encryption::On,
        };
        let prelogin = Prelogin {
            version: [16, 0, 0, 0, 0, 0],
            encryption: Some(encryption),
            thread_id: Some(client.options.client_pid),
            mars: Some(false),
            ..Prelogin::default()
        };
        client.send(PacketType::Prelogin, |out, _| prelogin.encode(out));
        client
    }

    pub fn version(&self) -> TdsVersion {
        self.tokens.version()
    }

    /// True between requests.
    pub fn is_ready(&self) -> bool {
        self.state == State::Ready
    }

    pub fn transaction(&self) -> TransactionDescriptor {
        self.transaction
    }

    /// Rows are counted, not decoded: `Token::Rows` instead of `Token::Row`.
    pub fn skip_rows(&mut self, skip: bool) {
        self.tokens.skip_rows = skip;
    }

    /// The next request also resets the session.
    pub fn reset_with_next(&mut self, reset: Reset) {
        self.reset_next = reset;
    }

    /// Bytes to send, all of them, each once.
    pub fn take_outgoing(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outgoing)
    }

    /// Bytes to send, exchanged for an empty buffer that is used next.
    pub fn swap_outgoing(&mut self, buffer: &mut Vec<u8>) {
        buffer.clear();
        std::mem::swap(buffer, &mut self.outgoing);
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        self.reader.feed(bytes);
    }

    /// Room to read into; see `MessageReader::space`.
    pub fn space(&mut self, bytes_min: usize) -> &mut [u8] {
        self.reader.space(bytes_min)
    }

    pub fn filled(&mut self, bytes: usize) {
        self.reader.filled(bytes);
    }

    /// The handshake asked for by `StartTls` is done. Panics at any other time.
    pub fn tls_ready(&mut self) {
        assert_eq!(self.state, State::TlsHandshake, "no handshake was asked for");
        self.send_login();
    }

    pub fn batch(&mut self, text: &str) {
        self.request(PacketType::SqlBatch, |out, _| out.put_utf16(text));
    }

    pub fn rpc(&mut self, calls: &[RpcCall]) {
        self.request(PacketType::Rpc, |out, version| RpcCall::encode_all(calls, out, version));
    }

    pub fn transact(&mut self, action: &TransactionAction) {
        self.request(PacketType::Transaction, |out, _| action.encode(out));
    }

    /// After the server has answered an INSERT BULK: all of it.
    pub fn bulk(&mut self, columns: Vec<ColumnInfo>, rows: &RowBatch) {
        let layout = self.begin_bulk(columns);
        self.bulk_rows(&layout, rows);
        self.end_bulk();
    }

    /// The same in pieces, so that what is sent need not be in memory: rows follow, then `end_bulk`. Before that there is no answer, and nothing
    /// else may be asked; a connection that is closed meanwhile has loaded nothing.
    pub fn begin_bulk(&mut self, columns: Vec<ColumnInfo>) -> RowLayout {
        assert_eq!(self.state, State::Ready, "one request at a time");
        let layout = RowLayout::new(columns, self.version());
        self.writer.begin(PacketType::BulkLoad, 0);
        layout.encode_metadata(&mut self.writer, false);
        layout
    }

    /// What fills a packet waits to be sent then.
    pub fn bulk_rows(&mut self, layout: &RowLayout, rows: &RowBatch) {
        let outgoing = &mut self.outgoing;
        let Ok(()) = layout.encode_rows(rows, 0..rows.rows, &mut self.writer, &mut |bytes: &[u8]| {
            outgoing.extend_from_slice(bytes);
            Ok::<(), Infallible>(())
        });
    }

    pub fn end_bulk(&mut self) {
        let version = self.version();
        Done { kind: DoneKind::Batch, status: done::FINAL, command: 0, rows: 0 }.encode(&mut self.writer, version);
        let outgoing = &mut self.outgoing;
        let Ok(()) = self.writer.finish(&mut |bytes: &[u8]| {
            outgoing.extend_from_slice(bytes);
            Ok::<(), Infallible>(())
        });
        self.state = State::Response;
    }

    /// Cancels what runs; tokens still come until the server has confirmed.
    pub fn attention(&mut self) {
        if self.state == State::Response && !self.attention_sent {
            self.attention_sent = true;
            self.send(PacketType::Attention, |_, _| {});
        }
    }

    fn request(&mut self, kind: PacketType, body: impl FnOnce(&mut PacketWriter, TdsVersion)) {
        assert_eq!(self.state, State::Ready, "one request at a time");
        let transaction = self.transaction;
        self.send(kind, |out, version| {
            put_all_headers(out, transaction, version);
            body(out, version);
        });
        self.state = State::Response;
    }

    fn send(&mut self, kind: PacketType, body: impl FnOnce(&mut PacketWriter, TdsVersion)) {
        let status = match (kind, self.reset_next) {
            (PacketType::Attention | PacketType::Prelogin | PacketType::Login7, _) | (_, Reset::No) => 0,
            (_, Reset::Connection) => STATUS_RESET_CONNECTION,
            (_, Reset::KeepTransaction) => STATUS_RESET_CONNECTION_SKIP_TRANSACTION,
        };
        if status != 0 {
            self.reset_next = Reset::No;
        }
        self.writer.begin(kind, status);
        body(&mut self.writer, self.tokens.version());
        let outgoing = &mut self.outgoing;
        let Ok(()) = self.writer.finish(&mut |bytes: &[u8]| {
            outgoing.extend_from_slice(bytes);
            Ok::<(), Infallible>(())
        });
    }

    fn send_login(&mut self) {
        let options = &self.options;
        let login = Login7 {
            tds_version: self.tokens.version().raw(),
            packet_bytes: options.packet_bytes,
            client_version: 0x0100_0000,
            client_pid: options.client_pid,
            option_flags_1: OPTION1_USE_DATABASE_NOTIFY | OPTION1_DATABASE_FATAL | OPTION1_SET_LANGUAGE_NOTIFY,
            option_flags_2: OPTION2_LANGUAGE_FATAL | OPTION2_ODBC,
            option_flags_3: if options.new_password.is_empty() { 0 } else { OPTION3_CHANGE_PASSWORD },
            new_password: options.new_password.clone(),
            type_flags: if options.read_only { TYPE_READ_ONLY_INTENT } else { 0 },
            lcid: 0x409,
            host: options.host.clone(),
            user: options.user.clone(),
            password: options.password.clone(),
            application: options.application.clone(),
            server: options.server.clone(),
            library: "heddle".into(),
            language: options.language.clone(),
            database: options.database.clone(),
            features: if self.tokens.version().has_feature_ack() {
                vec![Feature { id: feature::UTF8_SUPPORT, data: Vec::new() }]
            } else {
                Vec::new()
            },
            ..Login7::default()
        };
        self.send(PacketType::Login7, |out, _| login.encode(out));
        self.state = State::Login;
    }

    /// The next thing that happened; `None`: feed more. After an error the connection is of no use.
    pub fn next_event(&mut self) -> ProtocolResult<Option<Event>> {
        let event = match self.state {
            State::Prelogin => self.read_prelogin(),
            State::TlsHandshake => Ok(None),
            State::Dead => Ok(None),
            State::Login | State::Ready | State::Response => self.read_token(),
        };
        if event.is_err() {
            self.state = State::Dead;
        }
        event
    }

    fn read_prelogin(&mut self) -> ProtocolResult<Option<Event>> {
        // PRELOGIN's answer comes in the streamed type; it is small, but may still be cut.
        loop {
            let Some(message) = self.reader.next(&mut self.packet)? else { return Ok(None) };
            self.pending.extend_from_slice(&self.packet);
            if self.pending.len() > PACKET_BYTES_MAX {
                return Err(ProtocolError::Prelogin("answer is too long"));
            }
            if message.is_last {
                break;
            }
        }
        let answer = Prelogin::decode(&self.pending)?;
        self.pending.clear();
        let login_only = match (self.options.encryption, answer.encryption.unwrap_or(Encryption::NotSupported)) {
            (ClientEncryption::Strict, _) => None,
            (ClientEncryption::Plain, Encryption::On | Encryption::Required) => {
                return Err(ProtocolError::Prelogin("the server insists on encryption"));
            }
            (ClientEncryption::Plain, _) => None,
            (ClientEncryption::Login, Encryption::NotSupported) => None,
            (ClientEncryption::Login, Encryption::Off) => Some(true),
            (ClientEncryption::Login, Encryption::On | Encryption::Required) => Some(false),
            (ClientEncryption::Full, Encryption::NotSupported) => {
                return Err(ProtocolError::Prelogin("the server does not support encryption"));
            }
            (ClientEncryption::Full, _) => Some(false),
        };
        Ok(match login_only {
            Some(login_only) => {
                self.state = State::TlsHandshake;
                Some(Event::StartTls { login_only })
            }
            None => {
                self.send_login();
                None
            }
        })
    }

    fn read_token(&mut self) -> ProtocolResult<Option<Event>> {
        loop {
            let waiting = self.pending.len() - self.at;
            if waiting > 0 && (waiting >= self.retry_bytes || self.message_ended) {
                let mut input = Input::new(&self.pending[self.at..]);
                match self.tokens.next(&mut input) {
                    Ok(token) => {
                        self.at += input.position();
                        self.retry_bytes = 0;
                        return self.note(token).map(Some);
                    }
                    Err(ProtocolError::Truncated) if !self.message_ended => {
                        // A long value: do not scan it again for every packet.
                        self.retry_bytes = waiting + waiting / 2 + 1;
                    }
                    Err(error) => return Err(error),
                }
            } else if self.message_ended {
                self.message_ended = false;
                self.pending.clear();
                self.at = 0;
                if let Some(event) = self.end_of_message() {
                    return Ok(Some(event));
                }
            }
            if self.message_ended {
                continue;
            }
            let read = if waiting == 0 {
                // A packet that is not whole yet leaves `pending` as it is: what was read must not be read again.
                self.pending.clear();
                self.at = 0;
                self.reader.next(&mut self.pending)?
            } else {
                let read = self.reader.next(&mut self.packet)?;
                if read.is_some() {
                    self.pending.drain(..self.at);
                    self.at = 0;
                    self.pending.extend_from_slice(&self.packet);
                }
                read
            };
            match read {
                None => return Ok(None),
                Some(message) if message.kind != PacketType::Response => {
                    return Err(ProtocolError::PacketType(message.kind as u8));
                }
                Some(message) => self.message_ended = message.is_last,
            }
        }
    }

    fn end_of_message(&mut self) -> Option<Event> {
        match self.state {
            State::Login => Some(match self.login_ack.take() {
                Some(ack) => {
                    self.state = State::Ready;
                    Event::Connected(ack)
                }
                None => {
                    self.state = State::Dead;
                    Event::LoginFailed
                }
            }),
            // The confirmation of an attention may come as a message of its own, after the response it cut off.
            State::Response if self.attention_sent => None,
            _ => {
                self.state = State::Ready;
                Some(Event::End)
            }
        }
    }

    fn note(&mut self, token: Token) -> ProtocolResult<Event> {
        match &token {
            Token::LoginAck(ack) => {
                self.tokens.set_version(ack.version);
                self.login_ack = Some(ack.clone());
            }
            Token::EnvChange(EnvChange::PacketBytes { new, .. }) => self.writer.set_packet_bytes(*new as usize),
            Token::EnvChange(EnvChange::BeginTransaction { descriptor }) => self.transaction = *descriptor,
            Token::EnvChange(
                EnvChange::CommitTransaction { .. }
                | EnvChange::RollbackTransaction { .. }
                | EnvChange::ResetAcknowledged,
            ) => self.transaction = 0,
            Token::Done(Done { status, .. }) if status & done::ATTENTION != 0 => self.attention_sent = false,
            _ => {}
        }
        Ok(Event::Token(token))
    }
}

/// A message as sqlcmd prints it, on one or two lines, without the last newline.
pub fn format_message(message: &ServerMessage) -> String {
    let mut head = format!("Msg {}, Level {}, State {}", message.number, message.severity, message.state);
    if !message.server.is_empty() {
        head += &format!(", Server {}", message.server);
    }
    if !message.procedure.is_empty() {
        head += &format!(", Procedure {}", message.procedure);
    }
    format!("{head}, Line {}\n{}", message.line, message.text)
}
