//! TDS, the wire protocol of SQL Server, both sides, as pure functions of bytes: 7.1 to 7.4, and 8.0 (which differs only
//! in what carries it). No socket, no session, no plan is known here.
//!
//! A server: `MessageReader` cuts what was read into messages, `request` turns one into what is asked,
//! `ResponseWriter` writes tokens straight into outgoing packets. A client: `client::Client` is the other half.
//!
//! Modules in dependency order, lowest first.

pub mod collation;
pub mod date_text;
pub mod error;
pub mod version;
pub mod wire;
pub mod recovery;
pub mod login7;
pub mod packet;
pub mod prelogin;
pub mod resolution;
pub mod tls_wrap;
pub mod type_info;
pub mod column;
pub mod value;
pub mod variant;
pub mod row;
pub mod token;
pub mod table_value;
pub mod bulk;
pub mod response;
pub mod rpc;
pub mod request;
pub mod client;

pub use collation::WireCollation;
pub use column::ColumnInfo;
pub use error::{ProtocolError, ProtocolResult, ValueFault};
pub use login7::Login7;
pub use packet::{Message, MessageReader, PacketType, PacketWriter, Reset};
pub use prelogin::{Encryption, Prelogin};
pub use request::Request;
pub use response::ResponseWriter;
pub use row::RowLayout;
pub use type_info::{Place, TypeInfo};
pub use value::Value;
pub use version::TdsVersion;
