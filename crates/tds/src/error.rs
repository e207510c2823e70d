//! What can be wrong with bytes from the other side, and what SQL Server calls it.
//!
//! Numbers and wording: sys.messages 8002-8060 (RPC), 48xx (bulk load), 178xx (login and framing).

use std::fmt;

use types::SqlError;

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
}

impl From<ValueFault> for ProtocolError {
    fn from(fault: ValueFault) -> ProtocolError {
        ProtocolError::Value(fault)
    }
}

const RPC: &str = "The incoming tabular data stream (TDS) remote procedure call (RPC) protocol stream is incorrect.";
const XTYPE_TABLE: u8 = 0xF3;
const XTYPE_VARIANT: u8 = 0x62;

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
                | TransactionRequest(_)
        )
    }

    /// As SQL Server numbers and words it.
    pub fn to_sql_error(&self) -> SqlError {
        match self {
            ProtocolError::PacketLength(_) | ProtocolError::PacketType(_) => SqlError::new(
                17836,
                20,
                "Length specified in network packet payload did not match number of bytes read; the connection has been closed. \
                 Please contact the vendor of the client library.",
            ),
            ProtocolError::PacketInterleaved { .. } | ProtocolError::Token(_) => {
                SqlError::new(17805, 20, "Invalid buffer received from client.")
            }
            ProtocolError::MessageTooLong { .. } => SqlError::new(
                702,
                20,
                "Memory request exceeds the limit: the message is longer than this server accepts.",
            ),
            ProtocolError::Truncated | ProtocolError::AllHeaders => SqlError::new(
                4002,
                16,
                "The incoming tabular data stream (TDS) protocol stream is incorrect. The stream ended unexpectedly.",
            ),
            ProtocolError::Prelogin(_) => SqlError::new(
                17828,
                20,
                "The prelogin packet used to open the connection is structurally invalid; the connection has been closed. \
                 Please contact the vendor of the client library.",
            ),
            ProtocolError::Login(_) => SqlError::new(
                17832,
                20,
                "The login packet used to open the connection is structurally invalid; the connection has been closed. \
                 Please contact the vendor of the client library.",
            ),
            ProtocolError::RpcName => SqlError::new(8004, 16, format!("{RPC} The RPC name is invalid.")),
            ProtocolError::RpcParameterCount { parameters_max } => SqlError::new(
                8003,
                16,
                format!(
                    "The incoming request has too many parameters. The server supports a maximum of {parameters_max} parameters. \
                     Reduce the number of parameters and resend the request."
                ),
            ),
            ProtocolError::ParameterName { ordinal } => {
                SqlError::new(8005, 16, format!("{RPC} Parameter {ordinal}: The parameter name is invalid."))
            }
            ProtocolError::ParameterStatus { ordinal } => {
                SqlError::new(8006, 16, format!("{RPC} Parameter {ordinal}: The parameter status flags are invalid."))
            }
            ProtocolError::Parameter { ordinal, name, fault } => parameter_error(*ordinal, name, *fault),
            ProtocolError::TableParameter { ordinal, name, row, column, fault } => {
                let (number, text) = table_fault(*fault);
                let place = format!("Table-valued parameter {ordinal} (\"{name}\"), row {row}, column {column}");
                SqlError::new(number, 16, format!("{RPC} {place}: {text}"))
            }
            ProtocolError::BulkColumn { column, fault } => bulk_error(*column, *fault),
            ProtocolError::BulkToken(_) => SqlError::new(
                4804,
                17,
                "While reading current row from host, a premature end-of-message was encountered--an incoming data stream was \
                 interrupted when the server expected to see more data. The host program may have terminated. Ensure that you are \
                 using a supported client application programming interface (API).",
            ),
            ProtocolError::TransactionRequest(_) => SqlError::new(
                3989,
                16,
                "New request is not allowed to start because it should come with valid transaction descriptor.",
            ),
            ProtocolError::Value(fault) => parameter_error(0, "", *fault),
        }
    }
}

fn parameter_error(ordinal: u32, name: &str, fault: ValueFault) -> SqlError {
    if let ValueFault::DeprecatedOutput(token) = fault {
        return SqlError::new(
            8018,
            16,
            format!(
                "Invalid parameter {ordinal} ('{name}'): Data type 0x{token:02X} is a deprecated large object, or LOB, but is marked \
                 as output parameter. Deprecated types are not supported as output parameters. Use current large object types instead."
            ),
        );
    }
    let (number, text) = match fault {
        ValueFault::UnknownType(token) => (8009, format!("Data type 0x{token:02X} is unknown.")),
        ValueFault::Chunking(token) => {
            (8007, format!("The chunking format is incorrect for a large object parameter of type 0x{token:02X}."))
        }
        ValueFault::UntypedNullOutput => {
            (8015, "Data type 0x1F is an untyped NULL but is marked as an output parameter.".into())
        }
        other => {
            let (number, text) = table_fault(other);
            // The two lists run in parallel, apart from where the table's has one entry more in front.
            let number = match number {
                8033 => 8011,
                8034 => 8012,
                8035 => 8013,
                8036 => 8014,
                8037 => 8016,
                8038 => 8017,
                8043 => 8023,
                8046 => 8028,
                table => table,
            };
            (number, text)
        }
    };
    SqlError::new(number, 16, format!("{RPC} Parameter {ordinal} (\"{name}\"): {text}"))
}

fn table_fault(fault: ValueFault) -> (i32, String) {
    use ValueFault::*;
    let variant = |text: &str| format!("Data type 0x{XTYPE_VARIANT:02X} (sql_variant) {text}");
    let table = |text: &str| format!("Data type 0x{XTYPE_TABLE:02X} (user-defined table type) {text}");
    match fault {
        TableToken => (8029, table("unexpected token encountered processing a table-valued parameter.")),
        Chunking(token) => {
            (8031, format!("The chunking format is incorrect for a large object parameter of data type 0x{token:02X}."))
        }
        UnknownType(token) => (8032, format!("Data type 0x{token:02X} is unknown.")),
        VariantLength => (8033, variant("has an invalid length for type-specific metadata.")),
        VariantPrecisionOrScale => (8034, variant("has an invalid precision or scale for type-specific metadata.")),
        VariantInstanceLength => (8035, variant("has an invalid instance length.")),
        VariantType => (8036, variant("has an invalid type for type-specific metadata.")),
        Length(token) | DeprecatedOutput(token) => {
            (8037, format!("Data type 0x{token:02X} has an invalid data length or metadata length."))
        }
        UntypedNullOutput => (8032, "Data type 0x1F is unknown.".into()),
        PrecisionOrScale(token) => (8038, format!("Data type 0x{token:02X} has an invalid precision or scale.")),
        NotAnInstance(name) => (
            8043,
            format!(
                "The supplied value is not a valid instance of data type {name}. Check the source data for invalid values. An example \
                 of an invalid value is data of numeric type with scale greater than precision."
            ),
        ),
        InstanceLength(name) => (
            8046,
            format!(
                "The supplied length is not valid for data type {name}. Check the source data for invalid lengths. An example of an \
                 invalid length is data of nchar type with an odd length in bytes."
            ),
        ),
        TableDatabaseName => (
            8047,
            table(
                "has a non-zero length database name specified. Database name is not allowed with a table-valued parameter, only \
                 schema name and type name are valid.",
            ),
        ),
        TableTypeName => (8049, table("has an invalid type name specified.")),
        TableColumnCount => (8050, table("has an invalid column count specified.")),
        TableColumnName => (8051, table("has an invalid column name specified.")),
        TableColumnFlags => (8053, table("has an invalid column flag specified.")),
        TableOrdering => (8054, table("has invalid ordering and uniqueness metadata specified.")),
        TableColumnOrdering => (8055, table("has invalid column ordering metadata specified.")),
        TableTooManyMetadata => (8056, table("has too many optional metadata tokens specified.")),
    }
}

fn bulk_error(column: u32, fault: ValueFault) -> SqlError {
    match fault {
        ValueFault::NotAnInstance(name) => SqlError::new(9803, 16, format!("Invalid data for type \"{name}\".")),
        ValueFault::UnknownType(_) | ValueFault::PrecisionOrScale(_) => {
            SqlError::new(4816, 16, format!("Invalid column type from bcp client for colid {column}."))
        }
        _ => SqlError::new(
            4815,
            16,
            format!("Received an invalid column length from the bcp client for colid {column}."),
        ),
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
