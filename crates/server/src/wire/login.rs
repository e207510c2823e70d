//! What a client is told at the end of its login: that it is in, or why it is not.

use tds::login7::feature;
use tds::token::{Done, DoneKind, EnvChange, LoginAck, command, done};
use tds::{Login7, ResponseWriter, TdsVersion, WireCollation};
use types::{CollationId, SqlError, sql_error};

use crate::instance::logins::login_failed;
use crate::wire::connection::{Connection, ConnectionError};

/// From accept to LOGIN7.
pub const LOGIN_TIME_MAX_MS: u64 = 60_000;

/// What PRELOGIN and LOGINACK say the server is: SQL Server 2022.
pub const PROGRAM_NAME: &str = "Microsoft SQL Server";
pub const PROGRAM_VERSION: [u8; 4] = [16, 0, 0x0F, 0xA3];

pub const PACKET_BYTES_DEFAULT: u32 = 4_096;

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

/// The answer to a login that succeeded. `states`: of its session, for a client that can bring it back.
pub fn welcome(
    connection: &mut Connection,
    greeting: &Greeting,
    database: &str,
    language: &str,
    collation: CollationId,
    spid: u32,
    states: Option<&[u8]>,
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
        let states = states.map(|states| (feature::SESSION_RECOVERY, states));
        let known = states.into_iter().chain([(feature::COLUMN_ENCRYPTION, &[1][..]), (feature::UTF8_SUPPORT, &[1])]);
        let known: Vec<(u8, &[u8])> = known.filter(|(id, _)| greeting.login.feature(*id).is_some()).collect();
        writer.feature_ack(&known);
        writer.column_encryption = known.iter().any(|(id, _)| *id == feature::COLUMN_ENCRYPTION);
    }
    writer.done(Done { kind: DoneKind::Batch, status: done::FINAL, command: command::NONE, rows: 0 });
    let transport = &mut connection.transport;
    writer.finish(&mut |bytes: &[u8]| transport.send(bytes))?;
    writer.packets.set_packet_bytes(greeting.packet_bytes as usize);
    Ok(writer)
}
