//! From the first byte of a connection to a logged-in client: PRELOGIN, TLS, LOGIN7, authentication.
//!
//! ```text
//! client: [TLS?] PRELOGIN -> [handshake] -> LOGIN7            server: PRELOGIN -> [handshake] -> LOGINACK ... DONE, or ERROR, DONE
//! ```
//! Everything here has a deadline: a client that stalls before it has logged in is cut off.

use tds::token::{Done, DoneKind, EnvChange, LoginAck, command, done};
use tds::{Encryption, Login7, PacketType, Prelogin, ProtocolError, ResponseWriter, TdsVersion, WireCollation};
use types::{CollationId, SqlError, sql_error};

use crate::instance::logins::login_failed;
use crate::instance::server::Server;
use crate::settings::config::option;
use crate::settings::options::Encrypt;
use crate::wire::connection::{Connection, ConnectionError};

/// From accept to LOGIN7.
pub const LOGIN_TIME_MAX_MS: u64 = 60_000;

/// What PRELOGIN and LOGINACK say the server is: SQL Server 2022.
pub const PROGRAM_NAME: &str = "Microsoft SQL Server";
pub const PROGRAM_VERSION: [u8; 4] = [16, 0, 0x0F, 0xA3];
const PRELOGIN_VERSION: [u8; 6] = [16, 0, 0x0F, 0xA3, 0, 0];

const PACKET_BYTES_MIN: u32 = 512;
const PACKET_BYTES_MAX: u32 = 32_767;
const PACKET_BYTES_DEFAULT: u32 = 4_096;
/// TLS records hold 16 KB: SQL Server never negotiates larger packets than that under TLS.
const PACKET_BYTES_TLS_MAX: u32 = 16_383;

const FEATURE_COLUMN_ENCRYPTION: u8 = 0x04;
const FEATURE_UTF8_SUPPORT: u8 = 0x0A;

/// What a client said of itself, and what was agreed.
#[derive(Debug)]
pub struct Greeting {
    pub login: Login7,
    pub version: TdsVersion,
    pub packet_bytes: u32,
    /// All of the session is encrypted (not only the login).
    pub encrypted: bool,
    /// Packets after the login come in frames of sessions.
    pub sessions: bool,
}

/// Everything up to LOGIN7. Err: the connection is to be dropped; where the protocol can tell the client why, it has been told.
pub fn greet(connection: &mut Connection, server: &Server) -> Result<Greeting, ConnectionError> {
    let tls = &server.tls;
    let deadline = os::clock::after_ms(LOGIN_TIME_MAX_MS);
    let first = connection.first_bytes(deadline)?;
    let strict = first.is_some();
    let wanted = server.settings.encrypt;
    if wanted == Encrypt::Strict && !strict {
        return Err(ConnectionError::NotEncrypted);
    }
    if let Some(first) = first {
        connection.start_strict(tls.strict(), first, deadline)?;
    }
    let mut message = connection.receive(Some(deadline))?;
    let mut only_login_encrypted = false;
    let mut sessions = false;
    if message.kind == PacketType::Prelogin {
        let prelogin = Prelogin::decode(&connection.payload)?;
        let asked = prelogin.encryption.unwrap_or(Encryption::NotSupported);
        let own = if wanted == Encrypt::Optional { Encryption::Off } else { Encryption::Required };
        let agreed = if strict { Some(Encryption::On) } else { asked.answer(own) };
        // Who hears that it is required and cannot do it knows why the connection ends (MS-TDS 2.2.6.5).
        let answer = agreed.unwrap_or(Encryption::Required);
        sessions = prelogin_wants_sessions(&prelogin);
        answer_prelogin(connection, &prelogin, answer)?;
        if agreed.is_none() {
            return Err(ConnectionError::NotEncrypted);
        }
        if !strict && answer != Encryption::NotSupported {
            connection.start_wrapped(tls.wrapped(), deadline)?;
            only_login_encrypted = answer == Encryption::Off;
        }
        message = connection.receive(Some(deadline))?;
    }
    if wanted != Encrypt::Optional && !connection.transport.is_encrypted() {
        // A LOGIN7 without PRELOGIN before it.
        return Err(ConnectionError::NotEncrypted);
    }
    if message.kind != PacketType::Login7 {
        return Err(ProtocolError::PacketType(message.kind as u8).into());
    }
    let login = Login7::decode(&connection.payload)?;
    connection.payload = Vec::new();
    if only_login_encrypted {
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
    Ok(Greeting { login, version, packet_bytes, encrypted, sessions })
}

fn answer_prelogin(
    connection: &mut Connection,
    asked: &Prelogin,
    encryption: Encryption,
) -> Result<(), ConnectionError> {
    // An empty instance name and no thread: as SQL Server answers, and the only answer that Microsoft's ODBC driver accepts.
    let answer = Prelogin {
        version: PRELOGIN_VERSION,
        encryption: Some(encryption),
        mars: Some(prelogin_wants_sessions(asked)),
        // Answered only to those who asked: 0, federated authentication is not required.
        federated_auth: asked.federated_auth.map(|_| 0),
        ..Prelogin::default()
    };
    let mut packets = tds::PacketWriter::new(PacketType::Response, PACKET_BYTES_DEFAULT as usize);
    answer.encode(&mut packets);
    let transport = &mut connection.transport;
    packets.finish(&mut |bytes: &[u8]| transport.send(bytes))
}

/// Several sessions over the connection (MARS) are there for who asks.
fn prelogin_wants_sessions(asked: &Prelogin) -> bool {
    asked.mars == Some(true)
}

/// Tells the client that it may not log in. The connection ends.
pub fn refuse(connection: &mut Connection, version: TdsVersion, errors: &[SqlError]) -> Result<(), ConnectionError> {
    let mut writer = ResponseWriter::new(version, PACKET_BYTES_DEFAULT as usize, crate::SERVER_NAME);
    for error in errors {
        writer.error(error);
    }
    writer.done(Done { kind: DoneKind::Batch, status: done::ERROR, command: command::NONE, rows: 0 });
    let transport = &mut connection.transport;
    writer.finish(&mut |bytes: &[u8]| transport.send(bytes))
}

/// 17810
pub fn admin_connection_taken() -> SqlError {
    sql_error!(17810, 1, "")
}

/// 4060, followed by 18456.
pub fn cannot_open(database: &str, user: &str) -> [SqlError; 2] {
    [sql_error!(4060, database), login_failed(user)]
}

/// The answer to a login that succeeded. `told` is what the client now knows.
pub fn welcome(
    connection: &mut Connection,
    greeting: &Greeting,
    database: &str,
    language: &str,
    collation: CollationId,
    spid: u32,
) -> Result<ResponseWriter, ConnectionError> {
    let mut writer = ResponseWriter::new(greeting.version, PACKET_BYTES_DEFAULT as usize, crate::SERVER_NAME);
    // As much of it as the packet header has room for.
    writer.packets.set_spid(spid as u16);
    writer.env_change(&EnvChange::Database { new: database.into(), old: "master".into() });
    writer.message(&sql_error!(5701, state 2, database).at_line(1));
    writer.env_change(&EnvChange::Collation { new: WireCollation::of(collation), old: None });
    writer.env_change(&EnvChange::Language { new: language.into(), old: String::new() });
    writer.message(&sql_error!(5703, language).at_line(1));
    writer.login_ack(&LoginAck {
        version: greeting.version,
        program: PROGRAM_NAME.into(),
        program_version: PROGRAM_VERSION,
    });
    writer.env_change(&EnvChange::PacketBytes { new: greeting.packet_bytes, old: PACKET_BYTES_DEFAULT });
    if greeting.version.has_feature_ack() && !greeting.login.features.is_empty() {
        // Of column encryption the first version: without enclaves. Its clients ask about parameters before they send them.
        let known = [FEATURE_COLUMN_ENCRYPTION, FEATURE_UTF8_SUPPORT];
        let known = known.into_iter().filter(|&id| greeting.login.feature(id).is_some());
        let known: Vec<(u8, &[u8])> = known.map(|id| (id, &[1u8][..])).collect();
        writer.feature_ack(&known);
        writer.column_encryption = known.iter().any(|(id, _)| *id == FEATURE_COLUMN_ENCRYPTION);
    }
    writer.done(Done { kind: DoneKind::Batch, status: done::FINAL, command: command::NONE, rows: 0 });
    let transport = &mut connection.transport;
    writer.finish(&mut |bytes: &[u8]| transport.send(bytes))?;
    writer.packets.set_packet_bytes(greeting.packet_bytes as usize);
    Ok(writer)
}
