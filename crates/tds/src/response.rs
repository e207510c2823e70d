//! The server's side of a response: tokens straight into outgoing packets.

use std::ops::Range;

use types::{RowBatch, SqlError, error::Message};

use crate::packet::{PacketType, PacketWriter};
use crate::row::{RowLayout, put_pieces};
use crate::token::{
    ColumnSource, Done, EnvChange, LoginAck, RETURN_STATUS, ReturnValue, ServerMessage, SessionState,
    encode_column_sources, encode_feature_ack, encode_order, encode_table_names, put_return_value_head,
};
use crate::type_info::{Place, TypeInfo};
use crate::value::{Codec, Value};
use crate::version::TdsVersion;
use crate::wire::Put;

/// Writes the tokens of one session's responses. Methods that may write much take `send`, which gets whole packets and
/// may block; the others only add to the open packet, so call `flush_full` now and then, and `finish` at the end.
#[derive(Debug)]
pub struct ResponseWriter {
    pub packets: PacketWriter,
    version: TdsVersion,
    /// Agreed at login (FEATUREEXTACK COLUMNENCRYPTION).
    pub column_encryption: bool,
    /// As it stands in every message.
    server_name: String,
}

impl ResponseWriter {
    pub fn new(version: TdsVersion, packet_bytes: usize, server_name: &str) -> ResponseWriter {
        let packets = PacketWriter::new(PacketType::Response, packet_bytes);
        ResponseWriter { packets, version, column_encryption: false, server_name: server_name.into() }
    }

    pub fn version(&self) -> TdsVersion {
        self.version
    }

    pub fn set_version(&mut self, version: TdsVersion) {
        self.version = version;
    }

    pub fn columns(&mut self, layout: &RowLayout) {
        layout.encode_metadata(&mut self.packets, self.column_encryption);
    }

    /// See `RowLayout::encode_rows`.
    pub fn rows<E>(
        &mut self,
        layout: &RowLayout,
        batch: &RowBatch,
        rows: Range<usize>,
        send: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        layout.encode_rows(batch, rows, &mut self.packets, send)
    }

    pub fn done(&mut self, done: Done) {
        done.encode(&mut self.packets, self.version);
    }

    pub fn env_change(&mut self, change: &EnvChange) {
        change.encode(&mut self.packets);
    }

    /// An ERROR for severities above 10, else an INFO.
    pub fn message(&mut self, message: &Message) {
        ServerMessage::of(message, &self.server_name).encode(&mut self.packets, self.version);
    }

    pub fn error(&mut self, error: &SqlError) {
        self.message(error);
    }

    pub fn login_ack(&mut self, ack: &LoginAck) {
        ack.encode(&mut self.packets);
    }

    pub fn feature_ack(&mut self, features: &[(u8, &[u8])]) {
        encode_feature_ack(features, &mut self.packets);
    }

    pub fn session_state(&mut self, state: &SessionState) {
        state.encode(&mut self.packets);
    }

    pub fn return_status(&mut self, status: i32) {
        self.packets.put_u8(RETURN_STATUS);
        self.packets.put_u32(status as u32);
    }

    pub fn return_value<E>(
        &mut self,
        value: &ReturnValue,
        send: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let info = TypeInfo::for_type(value.sql_type, true, self.version);
        put_return_value_head(value, &info, &mut self.packets, self.version);
        match &value.value {
            types::Datum::Bytes(bytes) if !bytes.is_empty() => {
                put_pieces(Codec::of(&info, Place::Column), bytes, &mut self.packets, send)
            }
            other => {
                Value::of(other).encode(&mut self.packets, &info, Place::Column);
                Ok(())
            }
        }
    }

    pub fn order(&mut self, columns: &[u16]) {
        encode_order(columns, &mut self.packets);
    }

    pub fn table_names(&mut self, tables: &[Vec<String>]) {
        encode_table_names(tables, &mut self.packets, self.version);
    }

    pub fn column_sources(&mut self, columns: &[ColumnSource]) {
        encode_column_sources(columns, &mut self.packets);
    }

    /// Hands on whole packets if many wait.
    pub fn flush_full<E>(&mut self, send: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.packets.flush_full(send)
    }

    /// Ends the response and hands all of it on.
    pub fn finish<E>(&mut self, send: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.packets.finish(send)
    }
}
