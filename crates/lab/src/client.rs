//! A blocking client: `tds::client` over a socket and TLS. On a worker a call that waits parks the worker; on a plain
//! thread it waits with poll(2).

use std::fmt;
use std::sync::Arc;

use os::net::{Endpoint, NetError, Stream};
use rustls::ClientConnection;
use tds::ProtocolError;
use tds::client::{Client, ClientEncryption, ConnectOptions, Event};
use tds::rpc::RpcCall;
use tds::tls_wrap::{Unwrapper, wrap};
use tds::token::{Done, EnvChange, ReturnValue, ServerMessage, Token, done};
use types::Datum;

use crate::address::ServerAddress;
pub use crate::tls::Trust;
use crate::tls::{TlsSettings, incoming, outgoing, read_plain, write_plain};

/// Read from the socket at once, at most.
const READ_BYTES: usize = 32 * 1024;
/// The same until an answer fills it: thousands of connections that ask for little have no pages to touch for more.
const READ_BYTES_FIRST: usize = 4 * 1024;
/// How long a cancelled request may take to end before the connection is given up.
const CANCEL_WAIT_MS: u64 = 5_000;

#[derive(Debug)]
pub enum ClientError {
    Address(String),
    Net(NetError),
    /// Nothing on this machine has the local transport of this port.
    NoLocalServer(u16),
    Tls(String),
    Protocol(ProtocolError),
    /// The server refused the login; its messages, errors first of all.
    Login(Vec<ServerMessage>),
    /// The deadline passed; the request has been cancelled.
    Timeout,
    /// The server closed the connection in the middle of a response.
    Closed,
}

pub type ClientResult<T> = Result<T, ClientError>;

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Address(why) => write!(f, "cannot find the server: {why}"),
            ClientError::Net(NetError::Refused) => {
                f.write_str("connection refused: nothing listens on that port (heddle serve starts a server)")
            }
            ClientError::Net(error) => write!(f, "{error}"),
            ClientError::NoLocalServer(port) => {
                let tcp = format!("tcp:localhost,{port} goes over TCP");
                write!(f, "no server of port {port} is running on this machine, or it has no local transport ({tcp})")
            }
            ClientError::Tls(why) => {
                write!(f, "TLS: {why}")?;
                if why.contains("certificate") {
                    write!(f, " (-C trusts the server's certificate without checking it)")?;
                }
                Ok(())
            }
            ClientError::Protocol(error) => write!(f, "{error}"),
            ClientError::Login(messages) => match messages.iter().find(|message| message.is_error()) {
                Some(message) => f.write_str(&message.text),
                None => f.write_str("the server refused the login"),
            },
            ClientError::Timeout => f.write_str("timeout expired"),
            ClientError::Closed => f.write_str("the server closed the connection"),
        }
    }
}

impl std::error::Error for ClientError {}

impl From<NetError> for ClientError {
    fn from(error: NetError) -> ClientError {
        match error {
            NetError::Timeout => ClientError::Timeout,
            NetError::Closed => ClientError::Closed,
            other => ClientError::Net(other),
        }
    }
}

impl From<ProtocolError> for ClientError {
    fn from(error: ProtocolError) -> ClientError {
        ClientError::Protocol(error)
    }
}

/// Where to connect and how: made once, used for many connections.
#[derive(Clone)]
pub struct Target {
    address: ServerAddress,
    resolved: Vec<Endpoint>,
    options: ConnectOptions,
    tls: Option<TlsSettings>,
}

impl Target {
    /// `options.server`, `host` and `client_pid` are filled in where empty.
    pub fn new(address: ServerAddress, mut options: ConnectOptions, trust: &Trust) -> ClientResult<Target> {
        let resolved = address.resolve().map_err(ClientError::Address)?;
        if options.server.is_empty() {
            options.server = address.text.clone();
        }
        if options.host.is_empty() {
            options.host = os::env::host_name();
        }
        options.client_pid = os::env::process_id();
        // Also where nobody will look at a certificate: who names a file means it.
        trust.check().map_err(ClientError::Tls)?;
        let tls = match options.encryption {
            ClientEncryption::Plain => None,
            // Encrypting the login alone protects from listeners only: drivers do not look at the certificate then.
            ClientEncryption::Login => Some(TlsSettings::new(&Trust::Anyone, false)),
            ClientEncryption::Full => Some(TlsSettings::new(trust, false)),
            ClientEncryption::Strict => Some(TlsSettings::new(trust, true)),
        };
        let tls = tls.transpose().map_err(ClientError::Tls)?;
        Ok(Target { address, resolved, options, tls })
    }

    pub fn address(&self) -> &ServerAddress {
        &self.address
    }

    pub fn options(&self) -> &ConnectOptions {
        &self.options
    }

    /// Another user of the same server.
    pub fn with_login(&self, user: &str, password: &str) -> Target {
        let options = ConnectOptions {
            user: user.into(),
            password: password.into(),
            new_password: String::new(),
            ..self.options.clone()
        };
        Target { options, ..self.clone() }
    }

    /// Opens a socket to the first address that answers.
    pub fn dial(&self, deadline: Option<u64>) -> ClientResult<Stream> {
        let mut last = ClientError::Closed;
        for endpoint in &self.resolved {
            match (Stream::connect(*endpoint, deadline), endpoint) {
                (Ok(stream), _) => return Ok(stream),
                (Err(NetError::Refused), Endpoint::Local(port)) => last = ClientError::NoLocalServer(*port),
                (Err(error), _) => last = error.into(),
            }
        }
        Err(last)
    }
}

/// A logged-in connection.
pub struct Connection {
    stream: Stream,
    tls: Option<ClientConnection>,
    client: Client,
    /// Of the buffer without TLS.
    read_bytes: usize,
    /// Bytes as they come from the socket while TLS is on.
    raw: Vec<u8>,
    out: Vec<u8>,
    /// Messages of the login: 5701 and the like.
    pub login_messages: Vec<ServerMessage>,
    /// As ENVCHANGE told: the current database.
    pub database: String,
}

impl Connection {
    pub fn open(target: &Target, deadline: Option<u64>) -> ClientResult<Connection> {
        let mut connection = Connection::dial(target, deadline)?;
        loop {
            match connection.next_event(deadline)? {
                Event::StartTls { login_only } => connection.start_tls(target, login_only, deadline)?,
                Event::Connected(_) => return Ok(connection),
                Event::LoginFailed => return Err(ClientError::Login(connection.login_messages)),
                Event::Token(Token::Message(message)) => connection.login_messages.push(message),
                Event::Token(_) | Event::End => {}
            }
        }
    }

    /// As far as PRELOGIN: whether a TDS server answers there at all.
    pub fn knock(target: &Target, deadline: Option<u64>) -> ClientResult<()> {
        let mut connection = Connection::dial(target, deadline)?;
        if connection.tls.is_some() {
            return Ok(()); // TDS 8.0: the TLS handshake was the answer.
        }
        connection.flush(deadline)?;
        let mut first = [0u8; 1];
        os::net::read_exact(&connection.stream, &mut first, deadline)?;
        if first[0] == tds::PacketType::Response as u8 {
            Ok(())
        } else {
            Err(ClientError::Protocol(ProtocolError::PacketType(first[0])))
        }
    }

    fn dial(target: &Target, deadline: Option<u64>) -> ClientResult<Connection> {
        let mut connection = Connection {
            stream: target.dial(deadline)?,
            tls: None,
            client: Client::new(target.options.clone()),
            read_bytes: READ_BYTES_FIRST,
            raw: Vec::new(),
            out: Vec::new(),
            login_messages: Vec::new(),
            database: String::new(),
        };
        if target.options.encryption == ClientEncryption::Strict {
            connection.tls = Some(connection.handshake(target, false, deadline)?);
        }
        Ok(connection)
    }

    fn start_tls(&mut self, target: &Target, login_only: bool, deadline: Option<u64>) -> ClientResult<()> {
        let tls = self.handshake(target, true, deadline)?;
        self.tls = Some(tls);
        self.client.tls_ready();
        self.flush(deadline)?;
        if login_only {
            self.tls = None;
            self.raw = Vec::new();
        }
        Ok(())
    }

    /// `wrapped`: in PRELOGIN packets.
    fn handshake(&mut self, target: &Target, wrapped: bool, deadline: Option<u64>) -> ClientResult<ClientConnection> {
        let settings = target.tls.as_ref().ok_or(ClientError::Tls("the server insists on encryption".into()))?;
        let mut tls = settings.connect(&target.address.host).map_err(ClientError::Tls)?;
        let mut unwrapper = Unwrapper::default();
        self.raw.resize(READ_BYTES, 0);
        loop {
            let flight = outgoing(&mut tls).map_err(ClientError::Tls)?;
            if wrapped && !flight.is_empty() {
                let mut packets = Vec::new();
                wrap(&flight, &mut packets);
                self.stream.write_all(&packets, deadline)?;
            } else if !flight.is_empty() {
                self.stream.write_all(&flight, deadline)?;
            }
            if !tls.is_handshaking() {
                return Ok(tls);
            }
            let count = self.stream.read(&mut self.raw, deadline)?;
            if count == 0 {
                let why =
                    "the server closed the connection during the handshake (one without TLS wants encryption disabled)";
                return Err(ClientError::Tls(why.into()));
            }
            let mut bytes = &self.raw[..count];
            while !bytes.is_empty() {
                // After the handshake's last packet raw records may follow in the same read.
                let (used, mut records) =
                    if wrapped && tls.is_handshaking() { unwrapper.unwrap(bytes)? } else { (bytes.len(), bytes) };
                while !records.is_empty() {
                    incoming(&mut tls, &mut records).map_err(ClientError::Tls)?;
                }
                bytes = &bytes[used..];
            }
        }
    }

    /// The protocol's own state: to send requests by hand and to skip rows.
    pub fn protocol(&mut self) -> &mut Client {
        &mut self.client
    }

    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Sends what waits to be sent: within a bulk load, of which nothing is answered before its end.
    pub fn flush(&mut self, deadline: Option<u64>) -> ClientResult<()> {
        self.client.swap_outgoing(&mut self.out);
        if self.out.is_empty() {
            return Ok(());
        }
        match &mut self.tls {
            None => self.stream.write_all(&self.out, deadline)?,
            Some(tls) => {
                let records = write_plain(tls, &self.out).map_err(ClientError::Tls)?;
                self.stream.write_all(&records, deadline)?;
            }
        }
        Ok(())
    }

    fn receive(&mut self, deadline: Option<u64>) -> ClientResult<()> {
        let Some(tls) = &mut self.tls else {
            let count = self.stream.read(self.client.space(self.read_bytes), deadline)?;
            if count == 0 {
                return Err(ClientError::Closed);
            }
            self.client.filled(count);
            if count >= self.read_bytes {
                self.read_bytes = READ_BYTES;
            }
            return Ok(());
        };
        self.raw.resize(READ_BYTES, 0);
        let count = self.stream.read(&mut self.raw, deadline)?;
        if count == 0 {
            return Err(ClientError::Closed);
        }
        let mut records = &self.raw[..count];
        while !records.is_empty() {
            incoming(tls, &mut records).map_err(ClientError::Tls)?;
            loop {
                match read_plain(tls, self.client.space(READ_BYTES)).map_err(ClientError::Tls)? {
                    0 => break,
                    plain => self.client.filled(plain),
                }
            }
        }
        Ok(())
    }

    /// Sends what waits to be sent, then the next thing that happens. `Timeout` leaves the request running.
    pub fn next_event(&mut self, deadline: Option<u64>) -> ClientResult<Event> {
        loop {
            if let Some(event) = self.client.next_event()? {
                if let Event::Token(Token::EnvChange(EnvChange::Database { new, .. })) = &event {
                    self.database.clone_from(new);
                }
                return Ok(event);
            }
            self.flush(deadline)?;
            self.receive(deadline)?;
        }
    }

    /// Reads the response to its end and hands each token on. At the deadline the request is cancelled, and `Timeout`
    /// comes back with the connection fit for another request.
    pub fn response(&mut self, deadline: Option<u64>, mut token: impl FnMut(Token)) -> ClientResult<()> {
        loop {
            match self.next_event(deadline) {
                Ok(Event::Token(next)) => token(next),
                Ok(Event::End) => return Ok(()),
                Ok(other) => panic!("{other:?} after login"),
                Err(ClientError::Timeout) => {
                    self.cancel()?;
                    return Err(ClientError::Timeout);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Cancels the running request and reads what is left of its response.
    pub fn cancel(&mut self) -> ClientResult<()> {
        self.client.attention();
        let deadline = Some(os::clock::after_ms(CANCEL_WAIT_MS));
        while !self.client.is_ready() {
            self.next_event(deadline)?;
        }
        Ok(())
    }

    /// Runs a batch and collects its whole answer: for small answers.
    pub fn query(&mut self, text: &str, deadline: Option<u64>) -> ClientResult<Answer> {
        self.client.batch(text);
        self.collect(deadline)
    }

    /// Calls procedures and collects the whole answer.
    pub fn call(&mut self, calls: &[RpcCall], deadline: Option<u64>) -> ClientResult<Answer> {
        self.client.rpc(calls);
        self.collect(deadline)
    }

    fn collect(&mut self, deadline: Option<u64>) -> ClientResult<Answer> {
        let mut answer = Answer::default();
        self.response(deadline, |token| answer.add(token))?;
        Ok(answer)
    }
}

/// A response in memory.
#[derive(Debug, Default)]
pub struct Answer {
    pub sets: Vec<ResultSet>,
    pub messages: Vec<ServerMessage>,
    /// Counts of all statements that had one, in order.
    pub counts: Vec<u64>,
    pub outputs: Vec<ReturnValue>,
    pub status: Option<i32>,
}

#[derive(Debug, Default)]
pub struct ResultSet {
    pub columns: Arc<[tds::ColumnInfo]>,
    pub rows: Vec<Vec<Datum>>,
}

impl Answer {
    pub(crate) fn add(&mut self, token: Token) {
        match token {
            Token::Columns(columns) => self.sets.push(ResultSet { columns, rows: Vec::new() }),
            Token::Row(row) => {
                if let Some(set) = self.sets.last_mut() {
                    set.rows.push(row);
                }
            }
            Token::Message(message) => self.messages.push(message),
            Token::Done(Done { status, rows, .. }) if status & done::COUNT != 0 => self.counts.push(rows),
            Token::ReturnValue(value) => self.outputs.push(value),
            Token::ReturnStatus(status) => self.status = Some(status),
            _ => {}
        }
    }

    pub fn first_error(&self) -> Option<&ServerMessage> {
        self.messages.iter().find(|message| message.is_error())
    }
}
