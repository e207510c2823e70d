//! From the first byte of a connection to LOGIN7: PRELOGIN, TLS, LOGIN7.
//!
//! ```text
//! client: [TLS?] PRELOGIN -> [handshake] -> LOGIN7            server: PRELOGIN -> [handshake]
//! ```
//! Each step goes as far as what has come reaches, and none waits: a client that stalls costs a socket and this value, no worker. What is
//! sent is a few kilobytes, for which the socket has room; a client for whom it has none is cut off.

use tds::{Encryption, Login7, Message, PacketType, Prelogin, ProtocolError, TdsVersion};
use types::sql_error;

use crate::instance::server::Server;
use crate::settings::config::option;
use crate::settings::options::Encrypt;
use crate::wire::connection::{Connection, ConnectionError, TlsHandshake};
use crate::wire::login::{Greeting, PACKET_BYTES_DEFAULT, refuse};

const PRELOGIN_VERSION: [u8; 6] = [16, 0, 0x0F, 0xA3, 0, 0];

const PACKET_BYTES_MIN: u32 = 512;
const PACKET_BYTES_MAX: u32 = 32_767;
/// TLS records hold 16 KB: SQL Server never negotiates larger packets than that under TLS.
const PACKET_BYTES_TLS_MAX: u32 = 16_383;

/// What is awaited.
#[derive(Default)]
enum Stage {
    #[default]
    First,
    Tls(TlsHandshake),
    /// Or LOGIN7 without it.
    Prelogin,
    Login,
}

/// How far a client has come.
#[derive(Default)]
pub struct Handshake {
    stage: Stage,
    /// TLS is around all of TDS (8.0).
    strict: bool,
    only_login_encrypted: bool,
    sessions: bool,
}

impl Handshake {
    pub fn is_in_tls(&self) -> bool {
        matches!(self.stage, Stage::Tls(_))
    }

    /// Takes what has come. None: more is to come. Err: the connection is to be dropped; where the protocol can tell the client why, it has
    /// been told.
    pub fn go_on(&mut self, connection: &mut Connection, server: &Server) -> Result<Option<Greeting>, ConnectionError> {
        loop {
            match std::mem::replace(&mut self.stage, Stage::First) {
                Stage::First => match connection.poll_first()? {
                    None => return Ok(None),
                    Some(strict) => self.begin(strict, connection, server)?,
                },
                Stage::Tls(handshake) => match connection.shake(handshake)? {
                    Some(rest) => {
                        self.stage = Stage::Tls(rest);
                        return Ok(None);
                    }
                    None => self.stage = if self.strict { Stage::Prelogin } else { Stage::Login },
                },
                stage @ (Stage::Prelogin | Stage::Login) => match connection.poll()? {
                    None => {
                        self.stage = stage;
                        return Ok(None);
                    }
                    Some(message) if message.kind == PacketType::Prelogin && matches!(stage, Stage::Prelogin) => {
                        self.answer_prelogin(connection, server)?;
                    }
                    Some(message) => return self.login(&message, connection, server).map(Some),
                },
            }
        }
    }

    fn begin(&mut self, strict: bool, connection: &mut Connection, server: &Server) -> Result<(), ConnectionError> {
        if server.settings.encrypt == Encrypt::Strict && !strict {
            return Err(ConnectionError::NotEncrypted);
        }
        self.strict = strict;
        self.stage = match strict {
            true => Stage::Tls(connection.begin_tls(server.tls.strict(), false)),
            false => Stage::Prelogin,
        };
        Ok(())
    }

    fn answer_prelogin(&mut self, connection: &mut Connection, server: &Server) -> Result<(), ConnectionError> {
        let prelogin = Prelogin::decode(&connection.payload)?;
        let asked = prelogin.encryption.unwrap_or(Encryption::NotSupported);
        let is_optional = server.settings.encrypt == Encrypt::Optional;
        let own = if is_optional { Encryption::Off } else { Encryption::Required };
        let agreed = if self.strict { Some(Encryption::On) } else { asked.answer(own) };
        // Who hears that it is required and cannot do it knows why the connection ends (MS-TDS 2.2.6.5).
        let answer = agreed.unwrap_or(Encryption::Required);
        // Several sessions over the connection (MARS) are there for who asks.
        self.sessions = prelogin.mars == Some(true);
        send_prelogin(connection, &prelogin, answer, self.sessions)?;
        if agreed.is_none() {
            return Err(ConnectionError::NotEncrypted);
        }
        self.stage = Stage::Login;
        if !self.strict && answer != Encryption::NotSupported {
            self.stage = Stage::Tls(connection.begin_tls(server.tls.wrapped(), true));
            self.only_login_encrypted = answer == Encryption::Off;
        }
        Ok(())
    }

    fn login(
        &self,
        message: &Message,
        connection: &mut Connection,
        server: &Server,
    ) -> Result<Greeting, ConnectionError> {
        if server.settings.encrypt != Encrypt::Optional && !connection.transport.is_encrypted() {
            // A LOGIN7 without PRELOGIN before it.
            return Err(ConnectionError::NotEncrypted);
        }
        if message.kind != PacketType::Login7 {
            return Err(ProtocolError::PacketType(message.kind as u8).into());
        }
        let login = Login7::decode(&connection.payload)?;
        connection.payload = Vec::new();
        if self.only_login_encrypted {
            connection.stop_tls();
        }
        let encrypted = connection.transport.is_encrypted();
        let Some(version) = TdsVersion::negotiate(login.tds_version) else {
            // Older than 7.1.
            let error = sql_error!(17832, "");
            refuse(connection, TdsVersion::V7_1, &[error])?;
            return Err(ConnectionError::Closed);
        };
        let packet_bytes = match login.packet_bytes {
            0 => server.catalog.configuration.running(option::NETWORK_PACKET_SIZE) as u32,
            asked => asked,
        };
        let packet_bytes =
            packet_bytes.clamp(PACKET_BYTES_MIN, if encrypted { PACKET_BYTES_TLS_MAX } else { PACKET_BYTES_MAX });
        connection.logged_in();
        Ok(Greeting { login, version, packet_bytes, encrypted, sessions: self.sessions })
    }
}

fn send_prelogin(
    connection: &mut Connection,
    asked: &Prelogin,
    encryption: Encryption,
    sessions: bool,
) -> Result<(), ConnectionError> {
    // An empty instance name and no thread: as SQL Server answers, and the only answer that Microsoft's ODBC driver accepts.
    let answer = Prelogin {
        version: PRELOGIN_VERSION,
        encryption: Some(encryption),
        mars: Some(sessions),
        // Answered only to those who asked: 0, federated authentication is not required.
        federated_auth: asked.federated_auth.map(|_| 0),
        ..Prelogin::default()
    };
    let mut packets = tds::PacketWriter::new(PacketType::Response, PACKET_BYTES_DEFAULT as usize);
    answer.encode(&mut packets);
    let transport = &mut connection.transport;
    packets.finish(&mut |bytes: &[u8]| transport.send(bytes))
}
