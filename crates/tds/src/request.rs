//! What a client asks (MS-TDS 2.2.6): a message decoded into one owned value.

use types::CollationId;

use crate::error::{ProtocolError, ProtocolResult};
use crate::packet::PacketType;
use crate::rpc::RpcCall;
use crate::version::TdsVersion;
use crate::wire::{Input, Put, utf16_to_string};

/// ALL_HEADERS longer than this is garbage: the longest known ones together have under 200 bytes.
const ALL_HEADERS_BYTES_MAX: usize = 4_096;
const HEADER_TRANSACTION: u16 = 2;

#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    Batch(SqlBatch),
    Rpc(RpcBatch),
    Transaction(TransactionRequest),
    Attention,
}

/// A transaction descriptor: what ENVCHANGE 8 gave the client, 0 outside a transaction.
pub type TransactionDescriptor = u64;

/// What a client says of the transaction that its request belongs to (MS-TDS 2.2.5.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headers {
    pub transaction: TransactionDescriptor,
    /// So many requests are at work in it, with this one: more than one only where a connection has several sessions (MARS).
    pub outstanding: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlBatch {
    pub headers: Headers,
    pub text: String,
}

/// One or more calls in one message.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcBatch {
    pub headers: Headers,
    pub calls: Vec<RpcCall>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionRequest {
    pub headers: Headers,
    pub action: TransactionAction,
}

/// 0 to 5 as a TM_BEGIN_XACT says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Isolation {
    /// As it is now.
    Unchanged = 0,
    ReadUncommitted = 1,
    ReadCommitted = 2,
    RepeatableRead = 3,
    Serializable = 4,
    Snapshot = 5,
}

impl Isolation {
    fn from_wire(value: u8) -> ProtocolResult<Isolation> {
        use Isolation::*;
        [Unchanged, ReadUncommitted, ReadCommitted, RepeatableRead, Serializable, Snapshot]
            .get(usize::from(value))
            .copied()
            .ok_or(ProtocolError::AllHeaders)
    }
}

/// A transaction that begins; an empty name is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begin {
    pub isolation: Isolation,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransactionAction {
    Begin(Begin),
    /// `begin_again`: the next transaction begins in the same step.
    Commit {
        name: String,
        begin_again: Option<Begin>,
    },
    Rollback {
        name: String,
        begin_again: Option<Begin>,
    },
    Save {
        name: String,
    },
    /// Distributed transactions: a server without a coordinator refuses these.
    DtcAddress,
    Propagate,
    Promote,
}

/// Bounds on what a message may ask for, and what it leaves to its session.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub rpc_parameters_max: u16,
    pub rpc_calls_max: usize,
    /// Of texts whose type names none: the database's.
    pub collation: CollationId,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { rpc_parameters_max: 2_100, rpc_calls_max: 100_000, collation: CollationId::default() }
    }
}

impl Request {
    /// `kind` is the message's type. Login and bulk load messages are not requests: they have their own decoders.
    pub fn decode(kind: PacketType, payload: &[u8], version: TdsVersion, limits: Limits) -> ProtocolResult<Request> {
        let mut input = Input::new(payload);
        input.collation = limits.collation;
        match kind {
            PacketType::SqlBatch => {
                let headers = all_headers(&mut input, version)?;
                Ok(Request::Batch(SqlBatch { headers, text: utf16_to_string(input.rest()) }))
            }
            PacketType::Rpc => {
                let headers = all_headers(&mut input, version)?;
                Ok(Request::Rpc(RpcBatch { headers, calls: RpcCall::decode_all(&mut input, version, limits)? }))
            }
            PacketType::Transaction => {
                let headers = all_headers(&mut input, version)?;
                let action = TransactionAction::decode(&mut input)?;
                Ok(Request::Transaction(TransactionRequest { headers, action }))
            }
            PacketType::Attention => Ok(Request::Attention),
            other => Err(ProtocolError::PacketType(other as u8)),
        }
    }
}

/// ALL_HEADERS (2.2.5.3), 7.2 on: `total u32, (length u32, type u16, data)*`. Returns the transaction descriptor.
fn all_headers(input: &mut Input<'_>, version: TdsVersion) -> ProtocolResult<Headers> {
    let mut told = Headers { transaction: 0, outstanding: 1 };
    if !version.is_7_2() {
        return Ok(told);
    }
    let bad = |_| ProtocolError::AllHeaders;
    let total = input.u32().map_err(bad)? as usize;
    if !(4..=ALL_HEADERS_BYTES_MAX).contains(&total) {
        return Err(ProtocolError::AllHeaders);
    }
    let mut headers = Input::new(input.take(total - 4).map_err(bad)?);
    while !headers.is_empty() {
        let length = headers.u32().map_err(bad)? as usize;
        if length < 6 {
            return Err(ProtocolError::AllHeaders);
        }
        let mut header = Input::new(headers.take(length - 4).map_err(bad)?);
        if header.u16().map_err(bad)? == HEADER_TRANSACTION {
            told = Headers { transaction: header.u64().map_err(bad)?, outstanding: header.u32().unwrap_or(1) };
        }
    }
    Ok(told)
}

/// As a client sends it: the transaction descriptor header and one outstanding request.
pub fn put_all_headers(out: &mut impl Put, transaction: TransactionDescriptor, version: TdsVersion) {
    if version.is_7_2() {
        out.put_u32(22);
        out.put_u32(18);
        out.put_u16(HEADER_TRANSACTION);
        out.put_u64(transaction);
        out.put_u32(1);
    }
}

impl TransactionAction {
    fn decode(input: &mut Input<'_>) -> ProtocolResult<TransactionAction> {
        let request = input.u16()?;
        Ok(match request {
            0 => TransactionAction::DtcAddress,
            1 => TransactionAction::Propagate,
            5 => {
                let isolation = Isolation::from_wire(input.u8()?)?;
                TransactionAction::Begin(Begin { isolation, name: last_name(input)? })
            }
            6 => TransactionAction::Promote,
            7 => {
                let (name, begin_again) = end_payload(input)?;
                TransactionAction::Commit { name, begin_again }
            }
            8 => {
                let (name, begin_again) = end_payload(input)?;
                TransactionAction::Rollback { name, begin_again }
            }
            9 => TransactionAction::Save { name: last_name(input)? },
            other => return Err(ProtocolError::TransactionRequest(other)),
        })
    }

    /// With its request type, names counted in bytes as Microsoft's drivers do.
    pub fn encode(&self, out: &mut impl Put) {
        match self {
            TransactionAction::DtcAddress => out.put_u16(0),
            TransactionAction::Propagate => out.put_u16(1),
            TransactionAction::Promote => out.put_u16(6),
            TransactionAction::Begin(begin) => {
                out.put_u16(5);
                put_begin(out, begin);
            }
            TransactionAction::Commit { name, begin_again } => put_end(out, 7, name, begin_again.as_ref()),
            TransactionAction::Rollback { name, begin_again } => put_end(out, 8, name, begin_again.as_ref()),
            TransactionAction::Save { name } => {
                out.put_u16(9);
                put_name(out, name);
            }
        }
    }
}

/// Names are a length byte and UTF-16. Some drivers count bytes, others code units: what fits the message decides.
fn last_name(input: &mut Input<'_>) -> ProtocolResult<String> {
    let count: usize = input.u8()?.into();
    let bytes = input.rest();
    if bytes.len() == count || bytes.len() == count * 2 {
        Ok(utf16_to_string(bytes))
    } else {
        Err(ProtocolError::Truncated)
    }
}

fn end_payload(input: &mut Input<'_>) -> ProtocolResult<(String, Option<Begin>)> {
    let start = input.position();
    read_end(input, 2).or_else(|_| {
        input.rewind(start);
        read_end(input, 1)
    })
}

fn read_end(input: &mut Input<'_>, bytes_per_count: usize) -> ProtocolResult<(String, Option<Begin>)> {
    let name = |input: &mut Input<'_>| -> ProtocolResult<String> {
        let count = usize::from(input.u8()?) * bytes_per_count;
        Ok(utf16_to_string(input.take(count)?))
    };
    let ended = name(input)?;
    // The flag is left out by drivers that never begin again.
    let flags = if input.is_empty() { 0 } else { input.u8()? };
    let begin_again = if flags & 1 != 0 {
        Some(Begin { isolation: Isolation::from_wire(input.u8()?)?, name: name(input)? })
    } else {
        None
    };
    // Padding after a plain end has been seen; anything after a name would mean we counted it wrong.
    let is_plain = ended.is_empty() && begin_again.is_none();
    if !input.is_empty() && !is_plain {
        return Err(ProtocolError::Truncated);
    }
    Ok((ended, begin_again))
}

fn put_name(out: &mut impl Put, name: &str) {
    let name = crate::wire::clip_utf16(name, 127);
    out.put_u8(crate::wire::utf16_len(name) as u8 * 2);
    out.put_utf16(name);
}

fn put_begin(out: &mut impl Put, begin: &Begin) {
    out.put_u8(begin.isolation as u8);
    put_name(out, &begin.name);
}

fn put_end(out: &mut impl Put, request: u16, name: &str, begin_again: Option<&Begin>) {
    out.put_u16(request);
    put_name(out, name);
    out.put_u8(begin_again.is_some().into());
    if let Some(begin) = begin_again {
        put_begin(out, begin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transaction(body: &[u8]) -> ProtocolResult<TransactionAction> {
        let mut payload = Vec::new();
        put_all_headers(&mut payload, 7, TdsVersion::V7_4);
        payload.put(body);
        match Request::decode(PacketType::Transaction, &payload, TdsVersion::V7_4, Limits::default())? {
            Request::Transaction(request) => {
                assert_eq!(request.headers, Headers { transaction: 7, outstanding: 1 });
                Ok(request.action)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn transaction_requests_survive_both_ways() {
        let begin = Begin { isolation: Isolation::Snapshot, name: "tx1".into() };
        let cases = [
            TransactionAction::Begin(begin.clone()),
            TransactionAction::Commit { name: String::new(), begin_again: None },
            TransactionAction::Commit { name: "a".into(), begin_again: Some(begin.clone()) },
            TransactionAction::Rollback { name: "sp".into(), begin_again: None },
            TransactionAction::Save { name: "sp".into() },
            TransactionAction::Promote,
        ];
        for action in cases {
            let mut body = Vec::new();
            action.encode(&mut body);
            assert_eq!(transaction(&body), Ok(action));
        }
    }

    #[test]
    fn what_drivers_send() {
        let again = Some(Begin { isolation: Isolation::Unchanged, name: String::new() });
        assert_eq!(
            transaction(&[7, 0, 0, 1, 0, 0]),
            Ok(TransactionAction::Commit { name: String::new(), begin_again: again })
        );
        let plain = TransactionAction::Rollback { name: String::new(), begin_again: None };
        assert_eq!(transaction(&[8, 0, 0, 0]), Ok(plain.clone()));
        assert_eq!(transaction(&[8, 0, 0]), Ok(plain));
        // A name counted in code units.
        let begin = Begin { isolation: Isolation::ReadCommitted, name: "ab".into() };
        assert_eq!(transaction(&[5, 0, 2, 2, b'a', 0, b'b', 0]), Ok(TransactionAction::Begin(begin)));
        assert_eq!(transaction(&[99, 0]), Err(ProtocolError::TransactionRequest(99)));
        assert!(transaction(&[5, 0, 6, 0]).is_err());
    }

    #[test]
    fn all_headers_are_checked() {
        let decode =
            |payload: &[u8]| Request::decode(PacketType::SqlBatch, payload, TdsVersion::V7_4, Limits::default());
        for bad in [&[][..], &[3, 0, 0, 0], &[0xFF; 64], &[10, 0, 0, 0, 5, 0, 0, 0, 2, 0], &[22, 0, 0, 0, 18, 0]] {
            assert_eq!(decode(bad), Err(ProtocolError::AllHeaders), "{bad:?}");
        }
        let mut payload = Vec::new();
        put_all_headers(&mut payload, 3, TdsVersion::V7_4);
        payload.put_utf16("select 1");
        let headers = Headers { transaction: 3, outstanding: 1 };
        assert_eq!(decode(&payload), Ok(Request::Batch(SqlBatch { headers, text: "select 1".into() })));
    }
}
