//! What can be wrong with bytes from the other side, and what SQL Server calls it.
//!
//! Numbers and wording: sys.messages 8002-8060 (RPC), 48xx (bulk load), 178xx (login and framing).

use std::fmt;

use types::{SqlError, sql_error};

pub type ProtocolResult<T> = Result<T, ProtocolError>;

/// A stream that cannot be TDS, or a value that cannot be of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtocolError {
    /// The bytes end inside an item. While a message is still arriving this only means "more, please".
    Truncated,
    /// A packet header with a length below 8 or above the largest packet.
    PacketLength(u16),
    PacketType(u8),
    /// A packet of another type before the message before it had ended.
    PacketInterleaved {
        expected: u8,
        found: u8,
    },
    MessageTooLong {
        bytes_max: usize,
    },
    Prelogin(&'static str),
    Login(&'static str),
    AllHeaders,
    /// RPC: no procedure id and no usable name.
    RpcName,
    RpcParameterCount {
        parameters_max: u16,
    },
    /// `ordinal` from 1.
    ParameterName {
        ordinal: u32,
    },
    ParameterStatus {
        ordinal: u32,
    },
    Parameter {
        ordinal: u32,
        name: String,
        fault: ValueFault,
    },
    /// Of a table-valued parameter; `row` and `column` from 1, 0 while its metadata is read.
    TableParameter {
        ordinal: u32,
        name: String,
        row: u64,
        column: u32,
        fault: ValueFault,
    },
    BulkColumn {
        column: u32,
        fault: ValueFault,
    },
    BulkToken(u8),
    TransactionRequest(u16),
    /// A server token that is unknown or stands where it must not.
    Token(u8),
    /// The message ends within a value that comes in chunks: where the next one should begin, or (`in_chunk`) within one.
    UnfinishedValue {
        in_chunk: bool,
    },
    /// A value's fault before anybody has said which value.
    Value(ValueFault),
}

/// What is wrong with one value or its TYPE_INFO. The byte is the type's token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueFault {
    UnknownType(u8),
    Length(u8),
    PrecisionOrScale(u8),
    Chunking(u8),
    /// Not a value of the named type: a date out of range, NaN, too many digits.
    NotAnInstance(&'static str),
    /// Odd number of bytes in UTF-16 and the like.
    InstanceLength(&'static str),
    VariantLength,
    VariantPrecisionOrScale,
    VariantInstanceLength,
    VariantType,
    UntypedNullOutput,
    DeprecatedOutput(u8),
    TableToken,
    TableDatabaseName,
    TableTypeName,
    TableColumnCount,
    TableColumnName,
    TableColumnFlags,
    TableOrdering,
    TableColumnOrdering,
    TableTooManyMetadata,
    TableNull,
}

impl From<ValueFault> for ProtocolError {
    fn from(fault: ValueFault) -> ProtocolError {
        ProtocolError::Value(fault)
    }
}

const XTYPE_TABLE: u8 = 0xF3;
const XTYPE_VARIANT: u8 = 0x62;
const XTYPE_VARBINARY: u8 = 0xA5;
const XTYPE_BINARY: u8 = 0xAD;
const XTYPE_VARCHAR: u8 = 0xA7;
const XTYPE_NVARCHAR: u8 = 0xE7;

impl ProtocolError {
    /// The same error, said of parameter `ordinal` (from 1).
    pub fn in_parameter(self, ordinal: u32, name: &str) -> ProtocolError {
        match self {
            ProtocolError::Value(fault) => ProtocolError::Parameter { ordinal, name: name.into(), fault },
            other => other,
        }
    }

    pub fn in_table_parameter(self, ordinal: u32, name: &str, row: u64, column: u32) -> ProtocolError {
        match self {
            ProtocolError::Value(fault) => {
                ProtocolError::TableParameter { ordinal, name: name.into(), row, column, fault }
            }
            other => other,
        }
    }

    pub fn in_bulk_column(self, column: u32) -> ProtocolError {
        match self {
            ProtocolError::Value(fault) => ProtocolError::BulkColumn { column, fault },
            other => other,
        }
    }

    /// After these the session can go on: the message was whole, its content was refused. After all others the
    /// stream has lost its place and the connection ends.
    pub fn is_recoverable(&self) -> bool {
        use ProtocolError::*;
        matches!(
            self,
            RpcName
                | RpcParameterCount { .. }
                | ParameterName { .. }
                | ParameterStatus { .. }
                | Parameter { .. }
                | TableParameter { .. }
                | UnfinishedValue { .. }
                | TransactionRequest(_)
        )
    }

    /// As SQL Server numbers and words it.
    pub fn to_sql_error(&self) -> SqlError {
        match self {
            ProtocolError::PacketLength(_)
            | ProtocolError::PacketType(_)
            | ProtocolError::PacketInterleaved { .. }
            | ProtocolError::Token(_) => sql_error!(17836, ""),
            ProtocolError::MessageTooLong { .. } => sql_error!(702),
            ProtocolError::Truncated | ProtocolError::AllHeaders => sql_error!(4002),
            ProtocolError::Prelogin(_) => sql_error!(17828, ""),
            ProtocolError::Login(_) => sql_error!(17832, ""),
            ProtocolError::RpcName => sql_error!(8004),
            ProtocolError::RpcParameterCount { parameters_max } => sql_error!(8003, parameters_max),
            ProtocolError::ParameterName { ordinal } => sql_error!(8005, ordinal),
            ProtocolError::ParameterStatus { ordinal } => sql_error!(8006, ordinal),
            ProtocolError::Parameter { ordinal, name, fault } => parameter_error(*ordinal, name, *fault),
            ProtocolError::TableParameter { ordinal, name, row, column, fault } => {
                table_error(*ordinal, name, *row, *column, *fault)
            }
            ProtocolError::BulkColumn { column, fault } => bulk_error(*column, *fault),
            ProtocolError::BulkToken(_) => sql_error!(4804, severity 16, state 2),
            ProtocolError::TransactionRequest(_) => sql_error!(3989),
            // States as a capture of SQL Server 2025 has them.
            ProtocolError::UnfinishedValue { in_chunk } => sql_error!(4002, state if *in_chunk { 4 } else { 2 }),
            ProtocolError::Value(fault) => parameter_error(0, "", *fault),
        }
    }
}

fn parameter_error(ordinal: u32, name: &str, fault: ValueFault) -> SqlError {
    use ValueFault::*;
    match fault {
        DeprecatedOutput(token) => sql_error!(8018, ordinal, name, hex(token)),
        UnknownType(token) => sql_error!(8009, ordinal, name, hex(token)),
        Chunking(token) => sql_error!(8007, ordinal, name, hex(token)),
        UntypedNullOutput => sql_error!(8015, ordinal, name, "1F"),
        VariantLength => sql_error!(8011, ordinal, name, hex(XTYPE_VARIANT)),
        VariantPrecisionOrScale => sql_error!(8012, ordinal, name, hex(XTYPE_VARIANT)),
        VariantInstanceLength => sql_error!(8013, ordinal, name, hex(XTYPE_VARIANT)),
        VariantType => sql_error!(8014, ordinal, name, hex(XTYPE_VARIANT)),
        Length(token) => sql_error!(8016, state state_of_length(token), ordinal, name, hex(token)),
        PrecisionOrScale(token) => sql_error!(8017, ordinal, name, hex(token)),
        NotAnInstance(of) => sql_error!(8023, ordinal, name, of),
        InstanceLength(of) => sql_error!(8028, ordinal, name, of),
        // Of a table's metadata, before its first row.
        _ => table_error(ordinal, name, 0, 0, fault),
    }
}

fn table_error(ordinal: u32, name: &str, row: u64, column: u32, fault: ValueFault) -> SqlError {
    use ValueFault::*;
    let table = hex(XTYPE_TABLE);
    match fault {
        TableToken => sql_error!(8029, ordinal, name, row, column, table),
        Chunking(token) => sql_error!(8031, ordinal, name, row, column, hex(token)),
        UnknownType(token) => sql_error!(8032, ordinal, name, row, column, hex(token)),
        UntypedNullOutput => sql_error!(8032, ordinal, name, row, column, "1F"),
        VariantLength => sql_error!(8033, ordinal, name, row, column, hex(XTYPE_VARIANT)),
        VariantPrecisionOrScale => sql_error!(8034, ordinal, name, row, column, hex(XTYPE_VARIANT)),
        VariantInstanceLength => sql_error!(8035, ordinal, name, row, column, hex(XTYPE_VARIANT)),
        VariantType => sql_error!(8036, ordinal, name, row, column, hex(XTYPE_VARIANT)),
        Length(token) | DeprecatedOutput(token) => sql_error!(8037, ordinal, name, row, column, hex(token)),
        PrecisionOrScale(token) => sql_error!(8038, ordinal, name, row, column, hex(token)),
        NotAnInstance(of) => sql_error!(8043, ordinal, name, row, column, of),
        InstanceLength(of) => sql_error!(8046, ordinal, name, row, column, of),
        TableDatabaseName => sql_error!(8047, ordinal, name, row, column, table),
        TableTypeName => sql_error!(8049, ordinal, name, row, column, table),
        TableColumnCount => sql_error!(8050, ordinal, name, row, column, table),
        TableColumnName => sql_error!(8051, ordinal, name, row, column, table),
        TableColumnFlags => sql_error!(8053, ordinal, name, row, column, table),
        TableOrdering => sql_error!(8054, ordinal, name, row, column, table),
        TableColumnOrdering => sql_error!(8055, ordinal, name, row, column, table),
        TableTooManyMetadata => sql_error!(8056, ordinal, name, row, column, table),
        TableNull => sql_error!(8060, ordinal, name, row, column, table),
    }
}

/// As a capture of SQL Server 2025 has them.
fn state_of_length(token: u8) -> u8 {
    match token {
        XTYPE_VARBINARY => 38,
        XTYPE_BINARY => 39,
        XTYPE_VARCHAR => 40,
        XTYPE_NVARCHAR => 42,
        _ => 1,
    }
}

fn hex(token: u8) -> String {
    format!("{token:02X}")
}

fn bulk_error(column: u32, fault: ValueFault) -> SqlError {
    match fault {
        ValueFault::NotAnInstance(name) => sql_error!(9803, name),
        ValueFault::UnknownType(_) | ValueFault::PrecisionOrScale(_) => sql_error!(4816, column),
        _ => sql_error!(4815, column),
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProtocolError::Truncated => f.write_str("the stream ends inside an item"),
            ProtocolError::PacketLength(length) => write!(f, "packet length {length} is out of bounds"),
            ProtocolError::PacketType(kind) => write!(f, "packet type 0x{kind:02X} is unknown"),
            ProtocolError::PacketInterleaved { expected, found } => {
                write!(f, "packet type 0x{found:02X} inside a message of type 0x{expected:02X}")
            }
            ProtocolError::MessageTooLong { bytes_max } => write!(f, "message longer than {bytes_max} bytes"),
            ProtocolError::Prelogin(what) => write!(f, "PRELOGIN: {what}"),
            ProtocolError::Login(what) => write!(f, "LOGIN7: {what}"),
            ProtocolError::Token(token) => write!(f, "token 0x{token:02X} is unknown or out of place"),
            ProtocolError::BulkToken(token) => write!(f, "token 0x{token:02X} in a bulk load"),
            other => f.write_str(&other.to_sql_error().text),
        }
    }
}

impl std::error::Error for ProtocolError {}
