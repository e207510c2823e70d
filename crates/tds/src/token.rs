//! The small tokens of a response (MS-TDS 2.2.7): their numbers, their contents, and both directions of their bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use types::SqlType;

use crate::collation::WireCollation;
use crate::column::{COLMETADATA, ColumnInfo, TableName, decode_columns};
use crate::error::{ProtocolError, ProtocolResult};
use crate::login7::feature;
use crate::recovery;
use crate::row::{NBCROW, ROW};
use crate::type_info::{Form, Place, TypeInfo};
use crate::value::{CHUNKED_NULL, Value};
use crate::version::TdsVersion;
use crate::wire::{Input, Put, clip_utf16};

pub const OFFSET: u8 = 0x78;
pub const RETURN_STATUS: u8 = 0x79;
pub const TABLE_NAME: u8 = 0xA4;
pub const COLUMN_INFO: u8 = 0xA5;
pub const ORDER: u8 = 0xA9;
pub const ERROR: u8 = 0xAA;
pub const INFO: u8 = 0xAB;
pub const RETURN_VALUE: u8 = 0xAC;
pub const LOGIN_ACK: u8 = 0xAD;
pub const FEATURE_EXT_ACK: u8 = 0xAE;
pub const ENV_CHANGE: u8 = 0xE3;
pub const SESSION_STATE: u8 = 0xE4;
pub const SSPI: u8 = 0xED;
pub const FED_AUTH_INFO: u8 = 0xEE;
pub const DONE: u8 = 0xFD;
pub const DONE_PROC: u8 = 0xFE;
pub const DONE_IN_PROC: u8 = 0xFF;

/// Longest message text sent: with its names it stays below the 64 KB of a token.
const MESSAGE_UNITS_MAX: usize = 30_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoneKind {
    /// End of a statement in a batch, or of a batch.
    Batch,
    /// End of a procedure.
    Procedure,
    /// End of a statement inside a procedure.
    InProcedure,
}

/// Bits of `Done::status`.
pub mod done {
    pub const FINAL: u16 = 0x000;
    pub const MORE: u16 = 0x001;
    pub const ERROR: u16 = 0x002;
    pub const COUNT: u16 = 0x010;
    pub const ATTENTION: u16 = 0x020;
    pub const RPC_IN_BATCH: u16 = 0x080;
    pub const SERVER_ERROR: u16 = 0x100;
}

/// What `Done::command` says a statement was.
pub mod command {
    pub const NONE: u16 = 0x00;
    pub const OPEN_CURSOR: u16 = 0x20;
    pub const CLOSE_CURSOR: u16 = 0x2B;
    pub const DEALLOCATE_CURSOR: u16 = 0x2C;
    pub const IDENTITY_INSERT_ON: u16 = 0xB7;
    pub const IDENTITY_INSERT_OFF: u16 = 0xB8;
    pub const SET_ON: u16 = 0xB9;
    pub const SET_OFF: u16 = 0xBA;
    pub const SET_STATISTICS: u16 = 0xBC;
    pub const SET_ROWCOUNT: u16 = 0xBD;
    pub const SET_TEXTSIZE: u16 = 0xBE;
    /// IF and WHILE.
    pub const CONDITION: u16 = 0xC0;
    /// A cursor's declaration and its FETCH too.
    pub const SELECT: u16 = 0xC1;
    pub const SELECT_INTO: u16 = 0xC2;
    pub const INSERT: u16 = 0xC3;
    pub const DELETE: u16 = 0xC4;
    pub const UPDATE: u16 = 0xC5;
    /// BREAK and CONTINUE.
    pub const LEAVE: u16 = 0xCA;
    pub const ROLLBACK: u16 = 0xD2;
    pub const BEGIN_TRANSACTION: u16 = 0xD4;
    pub const COMMIT: u16 = 0xD5;
    pub const SAVE: u16 = 0xD6;
    /// Without a value; with one it is a SELECT.
    pub const RETURN: u16 = 0xDB;
    pub const EXECUTE: u16 = 0xE0;
    pub const USE: u16 = 0xE2;
    pub const BULK_INSERT: u16 = 0xF0;
    pub const WAITFOR: u16 = 0xF3;
    pub const RAISE: u16 = 0xF6;
    pub const PRINT: u16 = 0xF7;
    /// SET of what is neither ON nor OFF.
    pub const SET_VALUE: u16 = 0xF9;
    /// What ends a batch by its error; a text that is not compiled, or without a statement; an attention.
    pub const NOTHING: u16 = 0xFD;
    pub const MERGE: u16 = 0x117;
    pub const TRY: u16 = 0x15D;
    pub const CATCH: u16 = 0x15E;
    pub const END_CATCH: u16 = 0x15F;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    pub kind: DoneKind,
    /// See `done`. COUNT must be set for `rows` to mean something.
    pub status: u16,
    /// See `command`.
    pub command: u16,
    pub rows: u64,
}

impl Done {
    pub fn encode(&self, out: &mut impl Put, version: TdsVersion) {
        out.put_u8(match self.kind {
            DoneKind::Batch => DONE,
            DoneKind::Procedure => DONE_PROC,
            DoneKind::InProcedure => DONE_IN_PROC,
        });
        out.put_u16(self.status);
        out.put_u16(self.command);
        if version.is_7_2() {
            out.put_u64(self.rows);
        } else {
            out.put_u32(u32::try_from(self.rows).unwrap_or(u32::MAX));
        }
    }

    fn decode(kind: DoneKind, input: &mut Input<'_>, version: TdsVersion) -> ProtocolResult<Done> {
        let (status, command) = (input.u16()?, input.u16()?);
        let rows = if version.is_7_2() { input.u64()? } else { input.u32()?.into() };
        Ok(Done { kind, status, command, rows })
    }
}

/// An error or a message, with where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerMessage {
    pub number: i32,
    pub state: u8,
    /// 0-10 goes as INFO, above as ERROR.
    pub severity: u8,
    pub text: String,
    pub server: String,
    pub procedure: String,
    pub line: u32,
}

impl ServerMessage {
    pub fn of(message: &types::error::Message, server: &str) -> ServerMessage {
        ServerMessage {
            number: message.number,
            state: message.state,
            // "Database Engine Error Severities": 10 goes out as 0.
            severity: if message.severity == 10 { 0 } else { message.severity },
            text: message.text.clone(),
            server: server.into(),
            procedure: message.procedure.clone(),
            line: message.line,
        }
    }

    pub fn is_error(&self) -> bool {
        self.severity > 10
    }

    pub fn encode(&self, out: &mut impl Put, version: TdsVersion) {
        let mut body = Vec::with_capacity(self.text.len() * 2 + 64);
        body.put_u32(self.number as u32);
        body.put(&[self.state, self.severity]);
        body.put_us_varchar(clip_utf16(&self.text, MESSAGE_UNITS_MAX));
        body.put_b_varchar(&self.server);
        body.put_b_varchar(&self.procedure);
        if version.is_7_2() {
            body.put_u32(self.line);
        } else {
            body.put_u16(self.line as u16);
        }
        put_token(out, if self.is_error() { ERROR } else { INFO }, &body);
    }

    fn decode(input: &mut Input<'_>, version: TdsVersion) -> ProtocolResult<ServerMessage> {
        let number = input.i32()?;
        let [state, severity] = input.array()?;
        let (text, server, procedure) = (input.us_varchar()?, input.b_varchar()?, input.b_varchar()?);
        let line = if version.is_7_2() { input.u32()? } else { input.u16()?.into() };
        Ok(ServerMessage { number, state, severity, text, server, procedure, line })
    }
}

/// What changed in the session, with its old value where the protocol has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvChange {
    Database {
        new: String,
        old: String,
    },
    Language {
        new: String,
        old: String,
    },
    PacketBytes {
        new: u32,
        old: u32,
    },
    Collation {
        new: WireCollation,
        old: Option<WireCollation>,
    },
    BeginTransaction {
        descriptor: u64,
    },
    CommitTransaction {
        descriptor: u64,
    },
    RollbackTransaction {
        descriptor: u64,
    },
    /// The database's mirror; never sent by us, understood from others.
    MirroringPartner {
        new: String,
    },
    ResetAcknowledged,
    /// A server sends the client elsewhere during login.
    Routing {
        port: u16,
        server: String,
    },
    Other {
        kind: u8,
    },
}

mod env {
    pub const DATABASE: u8 = 1;
    pub const LANGUAGE: u8 = 2;
    pub const PACKET_BYTES: u8 = 4;
    pub const COLLATION: u8 = 7;
    pub const BEGIN: u8 = 8;
    pub const COMMIT: u8 = 9;
    pub const ROLLBACK: u8 = 10;
    pub const MIRROR: u8 = 13;
    pub const RESET_ACK: u8 = 18;
    pub const ROUTING: u8 = 20;
}

impl EnvChange {
    /// Panics for `Other`, which only a client meets.
    pub fn encode(&self, out: &mut impl Put) {
        let mut body = Vec::new();
        match self {
            EnvChange::Database { new, old } => put_names(&mut body, env::DATABASE, new, old),
            EnvChange::Language { new, old } => put_names(&mut body, env::LANGUAGE, new, old),
            EnvChange::PacketBytes { new, old } => {
                put_names(&mut body, env::PACKET_BYTES, &new.to_string(), &old.to_string());
            }
            EnvChange::Collation { new, old } => {
                body.put(&[env::COLLATION, 5]);
                body.put(&new.0);
                match old {
                    Some(old) => {
                        body.put_u8(5);
                        body.put(&old.0);
                    }
                    None => body.put_u8(0),
                }
            }
            EnvChange::BeginTransaction { descriptor } => {
                body.put(&[env::BEGIN, 8]);
                body.put_u64(*descriptor);
                body.put_u8(0);
            }
            EnvChange::CommitTransaction { descriptor } => put_ended(&mut body, env::COMMIT, *descriptor),
            EnvChange::RollbackTransaction { descriptor } => put_ended(&mut body, env::ROLLBACK, *descriptor),
            EnvChange::MirroringPartner { new } => put_names(&mut body, env::MIRROR, new, ""),
            EnvChange::ResetAcknowledged => body.put(&[env::RESET_ACK, 0, 0]),
            EnvChange::Routing { port, server } => {
                let units = crate::wire::utf16_len(server);
                body.put_u8(env::ROUTING);
                body.put_u16((5 + units * 2) as u16);
                body.put_u8(0);
                body.put_u16(*port);
                body.put_us_varchar(server);
                body.put_u16(0);
            }
            EnvChange::Other { kind } => panic!("environment change {kind} is not ours to send"),
        }
        put_token(out, ENV_CHANGE, &body);
    }

    fn decode(body: &[u8]) -> ProtocolResult<EnvChange> {
        let mut input = Input::new(body);
        let names = |input: &mut Input<'_>| -> ProtocolResult<(String, String)> {
            Ok((input.b_varchar()?, input.b_varchar().unwrap_or_default()))
        };
        let kind = input.u8()?;
        Ok(match kind {
            env::DATABASE => {
                let (new, old) = names(&mut input)?;
                EnvChange::Database { new, old }
            }
            env::LANGUAGE => {
                let (new, old) = names(&mut input)?;
                EnvChange::Language { new, old }
            }
            env::PACKET_BYTES => {
                let (new, old) = names(&mut input)?;
                let bytes = new.parse().map_err(|_| ProtocolError::Token(ENV_CHANGE))?;
                EnvChange::PacketBytes { new: bytes, old: old.parse().unwrap_or(0) }
            }
            env::COLLATION => {
                let collation = |bytes: &[u8]| bytes.first_chunk().map(|bytes| WireCollation(*bytes));
                let new = collation(input.b_varbyte()?).unwrap_or_default();
                EnvChange::Collation { new, old: collation(input.b_varbyte().unwrap_or_default()) }
            }
            env::BEGIN => EnvChange::BeginTransaction { descriptor: descriptor(input.b_varbyte()?) },
            env::COMMIT | env::ROLLBACK => {
                input.b_varbyte()?;
                let descriptor = descriptor(input.b_varbyte()?);
                if kind == env::COMMIT {
                    EnvChange::CommitTransaction { descriptor }
                } else {
                    EnvChange::RollbackTransaction { descriptor }
                }
            }
            env::MIRROR => EnvChange::MirroringPartner { new: input.b_varchar()? },
            env::RESET_ACK => EnvChange::ResetAcknowledged,
            env::ROUTING => {
                input.u16()?;
                input.u8()?;
                EnvChange::Routing { port: input.u16()?, server: input.us_varchar()? }
            }
            kind => EnvChange::Other { kind },
        })
    }
}

fn put_names(body: &mut Vec<u8>, kind: u8, new: &str, old: &str) {
    body.put_u8(kind);
    body.put_b_varchar(new);
    body.put_b_varchar(old);
}

fn put_ended(body: &mut Vec<u8>, kind: u8, descriptor: u64) {
    body.put(&[kind, 0, 8]);
    body.put_u64(descriptor);
}

fn descriptor(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn put_token(out: &mut impl Put, token: u8, body: &[u8]) {
    out.put_u8(token);
    out.put_u16(u16::try_from(body.len()).expect("a token below 64 KB"));
    out.put(body);
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginAck {
    pub version: TdsVersion,
    pub program: String,
    /// Major, minor, build high, build low.
    pub program_version: [u8; 4],
}

impl LoginAck {
    pub fn encode(&self, out: &mut impl Put) {
        let mut body = vec![1]; // The interface: T-SQL.
        body.put(&self.version.raw().to_be_bytes());
        body.put_b_varchar(&self.program);
        body.put(&self.program_version);
        put_token(out, LOGIN_ACK, &body);
    }

    fn decode(body: &[u8]) -> ProtocolResult<LoginAck> {
        let mut input = Input::new(body);
        input.u8()?;
        let raw = u32::from_be_bytes(input.array()?);
        let version = TdsVersion::negotiate(raw).ok_or(ProtocolError::Token(LOGIN_ACK))?;
        Ok(LoginAck { version, program: input.b_varchar()?, program_version: input.array()? })
    }
}

/// What a client may bring back of its session. The next token is the last DONE of its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// Rises with each of a connection.
    pub sequence: u32,
    /// The session holds nothing that would be lost with its connection.
    pub recoverable: bool,
    pub states: Vec<recovery::State>,
}

impl SessionState {
    const RECOVERABLE: u8 = 1;

    pub fn encode(&self, out: &mut impl Put) {
        let mut body = Vec::new();
        body.put_u32(self.sequence);
        body.put_u8(if self.recoverable { SessionState::RECOVERABLE } else { 0 });
        recovery::put_states(&self.states, &mut body);
        out.put_u8(SESSION_STATE);
        out.put_u32(body.len() as u32);
        out.put(&body);
    }

    fn decode(body: &[u8]) -> ProtocolResult<SessionState> {
        let mut input = Input::new(body);
        let (sequence, status) = (input.u32()?, input.u8()?);
        let recoverable = status & SessionState::RECOVERABLE != 0;
        Ok(SessionState { sequence, recoverable, states: recovery::read_states(&mut input)? })
    }
}

/// Acknowledged features with their data, in the order given.
pub fn encode_feature_ack(features: &[(u8, &[u8])], out: &mut impl Put) {
    out.put_u8(FEATURE_EXT_ACK);
    for (id, data) in features {
        out.put_u8(*id);
        out.put_u32(data.len() as u32);
        out.put(data);
    }
    out.put_u8(feature::TERMINATOR);
}

fn decode_feature_ack(input: &mut Input<'_>) -> ProtocolResult<Vec<(u8, Vec<u8>)>> {
    const FEATURES_MAX: usize = 256;
    let mut features = Vec::new();
    loop {
        let id = input.u8()?;
        if id == feature::TERMINATOR {
            return Ok(features);
        }
        if features.len() == FEATURES_MAX {
            return Err(ProtocolError::Token(FEATURE_EXT_ACK));
        }
        let count = input.u32()? as usize;
        features.push((id, input.take(count)?.to_vec()));
    }
}

/// An OUTPUT parameter, or a function's result.
#[derive(Debug, Clone, PartialEq)]
pub struct ReturnValue {
    /// Of the parameter in the call, from 0.
    pub ordinal: u16,
    /// With its @.
    pub name: String,
    pub is_function_result: bool,
    pub sql_type: SqlType,
    pub value: types::Datum,
}

/// Everything of a RETURNVALUE before the value itself.
pub(crate) fn put_return_value_head(value: &ReturnValue, info: &TypeInfo, out: &mut impl Put, version: TdsVersion) {
    out.put_u8(RETURN_VALUE);
    out.put_u16(value.ordinal);
    out.put_b_varchar(&value.name);
    out.put_u8(if value.is_function_result { 2 } else { 1 });
    if version.is_7_2() {
        out.put_u32(0);
    } else {
        out.put_u16(0);
    }
    out.put_u16(crate::column::flag::NULLABLE);
    info.encode(out, Place::Column);
}

fn decode_return_value(input: &mut Input<'_>, version: TdsVersion) -> ProtocolResult<ReturnValue> {
    let ordinal = input.u16()?;
    let name = input.b_varchar()?;
    let is_function_result = input.u8()? == 2;
    input.take(if version.is_7_2() { 4 } else { 2 })?;
    input.u16()?;
    let info = TypeInfo::decode(input, Place::Column)?;
    let value = Value::decode(input, &info, Place::Column)?.into_datum();
    Ok(ReturnValue { ordinal, name, is_function_result, sql_type: info.sql_type, value })
}

/// What a client reads.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Columns(Arc<[ColumnInfo]>),
    /// Values of the columns last announced.
    Row(Vec<types::Datum>),
    /// So many rows, passed over unread: `TokenReader::skip_rows` was set. Several tokens may say it of one result.
    Rows(u64),
    Done(Done),
    Message(ServerMessage),
    EnvChange(EnvChange),
    LoginAck(LoginAck),
    FeatureAck(Vec<(u8, Vec<u8>)>),
    ReturnStatus(i32),
    ReturnValue(ReturnValue),
    Order(Vec<u16>),
    SessionState(SessionState),
    /// A token with nothing for us in it: TABNAME, COLINFO, SSPI.
    Skipped(u8),
}

/// The columns of a result.
#[derive(Debug)]
struct Shape {
    columns: Arc<[ColumnInfo]>,
    /// How long their values are: all that skipping needs.
    forms: Vec<Form>,
    /// What announced them, behind the token's first byte.
    announced: Box<[u8]>,
}

/// Results whose columns are remembered, and how long their announcement may be: an application asks for the same few again and
/// again, and they need not be decoded each time.
const SHAPES_MAX: usize = 8;
const ANNOUNCED_BYTES_MAX: usize = 4096;

/// Reads tokens one by one. Holds the columns that ROW tokens refer to.
#[derive(Debug)]
pub struct TokenReader {
    version: TdsVersion,
    shape: Option<Arc<Shape>>,
    /// The last ones, the newest last.
    shapes: VecDeque<Arc<Shape>>,
    /// Check rows for their length only.
    pub skip_rows: bool,
}

impl TokenReader {
    pub fn new(version: TdsVersion) -> TokenReader {
        TokenReader { version, shape: None, shapes: VecDeque::new(), skip_rows: false }
    }

    pub fn set_version(&mut self, version: TdsVersion) {
        self.version = version;
        self.shapes.clear();
    }

    pub fn version(&self) -> TdsVersion {
        self.version
    }

    /// `Truncated` means that the token is not whole yet: keep its bytes, feed more, try again.
    pub fn next(&mut self, input: &mut Input<'_>) -> ProtocolResult<Token> {
        let token = input.u8()?;
        Ok(match token {
            ROW | NBCROW if self.shape.is_none() => return Err(ProtocolError::Token(token)),
            ROW | NBCROW if self.skip_rows => {
                input.rewind(input.position() - 1);
                Token::Rows(self.skip(input)?)
            }
            ROW | NBCROW => self.row(token, input)?,
            DONE => Token::Done(Done::decode(DoneKind::Batch, input, self.version)?),
            DONE_PROC => Token::Done(Done::decode(DoneKind::Procedure, input, self.version)?),
            DONE_IN_PROC => Token::Done(Done::decode(DoneKind::InProcedure, input, self.version)?),
            COLMETADATA => {
                self.announce(input)?;
                Token::Columns(self.shape.as_ref().map(|shape| shape.columns.clone()).unwrap_or_default())
            }
            RETURN_STATUS => Token::ReturnStatus(input.i32()?),
            RETURN_VALUE => Token::ReturnValue(decode_return_value(input, self.version)?),
            FEATURE_EXT_ACK => Token::FeatureAck(decode_feature_ack(input)?),
            SESSION_STATE => {
                let count = input.u32()? as usize;
                let body = input.take(count)?;
                Token::SessionState(SessionState::decode(body).map_err(|_| ProtocolError::Token(token))?)
            }
            FED_AUTH_INFO => {
                let count = input.u32()? as usize;
                input.take(count)?;
                Token::Skipped(token)
            }
            OFFSET => {
                input.take(4)?;
                Token::Skipped(token)
            }
            ERROR | INFO | ENV_CHANGE | LOGIN_ACK | ORDER | TABLE_NAME | COLUMN_INFO | SSPI => {
                let body = input.us_varbyte()?;
                // From here on a short read is a lie in the token, not a packet still to come.
                self.counted(token, body).map_err(|_| ProtocolError::Token(token))?
            }
            other => return Err(ProtocolError::Token(other)),
        })
    }

    /// Reads COLMETADATA. One that says "as before" leaves the columns as they are.
    fn announce(&mut self, input: &mut Input<'_>) -> ProtocolResult<()> {
        let unread = input.unread();
        if let Some(known) = self.shapes.iter().find(|shape| unread.starts_with(&shape.announced)) {
            input.take(known.announced.len())?;
            self.shape = Some(known.clone());
            return Ok(());
        }
        let Some(columns) = decode_columns(input, self.version, TableName::of(self.version), false)? else {
            return Ok(());
        };
        let announced = &unread[..unread.len() - input.remaining()];
        let forms = columns.iter().map(|column| column.info.form).collect();
        let shape = Arc::new(Shape { columns: columns.into(), forms, announced: announced.into() });
        if announced.len() <= ANNOUNCED_BYTES_MAX {
            if self.shapes.len() == SHAPES_MAX {
                self.shapes.pop_front();
            }
            self.shapes.push_back(shape.clone());
        }
        self.shape = Some(shape);
        Ok(())
    }

    fn counted(&self, token: u8, body: &[u8]) -> ProtocolResult<Token> {
        Ok(match token {
            ERROR | INFO => Token::Message(ServerMessage::decode(&mut Input::new(body), self.version)?),
            ENV_CHANGE => Token::EnvChange(EnvChange::decode(body)?),
            LOGIN_ACK => Token::LoginAck(LoginAck::decode(body)?),
            ORDER => Token::Order(body.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()),
            other => Token::Skipped(other),
        })
    }

    /// Passes over all whole rows from here on: how many. `Truncated` if not even the first is whole.
    fn skip(&self, input: &mut Input<'_>) -> ProtocolResult<u64> {
        let forms = self.shape.as_ref().map_or(&[][..], |shape| &shape.forms);
        let mut rows = 0;
        loop {
            let start = input.position();
            let skipped = match input.peek() {
                Some(ROW) => skip_row(forms, input),
                Some(NBCROW) => skip_compressed_row(forms, input),
                _ => return Ok(rows),
            };
            match skipped {
                Ok(()) => rows += 1,
                Err(_) if rows > 0 => {
                    input.rewind(start);
                    return Ok(rows);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn row(&self, token: u8, input: &mut Input<'_>) -> ProtocolResult<Token> {
        let columns = &self.shape.as_ref().ok_or(ProtocolError::Token(token))?.columns;
        let bitmap = if token == NBCROW { input.take(columns.len().div_ceil(8))? } else { &[] };
        let is_null = |i: usize| bitmap.get(i / 8).is_some_and(|bits| bits >> (i % 8) & 1 == 1);
        let mut values = Vec::with_capacity(columns.len());
        for (i, column) in columns.iter().enumerate() {
            values.push(match is_null(i) {
                true => types::Datum::Null,
                false => Value::decode(input, &column.info, Place::Column)?.into_datum(),
            });
        }
        Ok(Token::Row(values))
    }
}

#[inline]
fn skip_row(forms: &[Form], input: &mut Input<'_>) -> ProtocolResult<()> {
    input.u8()?;
    forms.iter().try_for_each(|form| skip_value(input, *form))
}

fn skip_compressed_row(forms: &[Form], input: &mut Input<'_>) -> ProtocolResult<()> {
    input.u8()?;
    let bitmap = input.take(forms.len().div_ceil(8))?;
    let is_present = |i: usize| bitmap[i / 8] >> (i % 8) & 1 == 0;
    let mut present = forms.iter().enumerate().filter(|(i, _)| is_present(*i));
    present.try_for_each(|(_, form)| skip_value(input, *form))
}

/// Passes over one value in a row without looking at it.
#[inline]
fn skip_value(input: &mut Input<'_>, form: Form) -> ProtocolResult<()> {
    let count = match form {
        Form::Null => 0,
        Form::Fixed(count) => count.into(),
        Form::ByteLength => input.u8()?.into(),
        Form::ShortLength => match input.u16()? {
            u16::MAX => 0,
            count => count.into(),
        },
        Form::Variant => input.u32()? as usize,
        Form::Text | Form::Chunked => return skip_long_value(input, form),
    };
    input.take(count).map(|_| ())
}

fn skip_long_value(input: &mut Input<'_>, form: Form) -> ProtocolResult<()> {
    if form == Form::Text {
        let pointer_bytes = input.u8()?;
        if pointer_bytes == 0 {
            return Ok(());
        }
        input.take(usize::from(pointer_bytes) + 8)?;
        let count = match input.u32()? {
            u32::MAX => 0,
            count => count as usize,
        };
        return input.take(count).map(|_| ());
    }
    if input.u64()? == CHUNKED_NULL {
        return Ok(());
    }
    loop {
        match input.u32()? as usize {
            0 => return Ok(()),
            count => input.take(count)?,
        };
    }
}

/// Which table and source column each result column is from, for FOR BROWSE and updatable cursors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSource {
    /// Of the result, from 1.
    pub column: u8,
    /// Of TABNAME, from 1; 0: an expression.
    pub table: u8,
    /// 0x04 expression, 0x08 key, 0x10 hidden, 0x20 `name` differs.
    pub status: u8,
    pub name: String,
}

pub fn encode_table_names(tables: &[Vec<String>], out: &mut impl Put, version: TdsVersion) {
    let mut body = Vec::new();
    for parts in tables {
        if version.is_7_2() {
            body.put_u8(parts.len() as u8);
            parts.iter().for_each(|part| body.put_us_varchar(part));
        } else {
            body.put_us_varchar(&parts.join("."));
        }
    }
    put_token(out, TABLE_NAME, &body);
}

pub fn encode_column_sources(columns: &[ColumnSource], out: &mut impl Put) {
    let mut body = Vec::new();
    for source in columns {
        body.put(&[source.column, source.table, source.status]);
        if source.status & 0x20 != 0 {
            body.put_b_varchar(&source.name);
        }
    }
    put_token(out, COLUMN_INFO, &body);
}

pub fn encode_order(columns: &[u16], out: &mut impl Put) {
    let body: Vec<u8> = columns.iter().flat_map(|column| column.to_le_bytes()).collect();
    put_token(out, ORDER, &body);
}

/// True if a value of this type can be sent as RETURNVALUE: the old large types cannot.
pub fn can_return(info: &TypeInfo) -> bool {
    info.form != Form::Text
}
