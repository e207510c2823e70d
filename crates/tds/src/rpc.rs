//! Remote procedure calls (MS-TDS 2.2.6.6).
//!
//! ```text
//! name length u16, name | 0xFFFF, procedure id u16      then flags u16, then parameters:
//! name B_VARCHAR, status u8, TYPE_INFO, value           0xFF (0x80 before 7.2) starts the next call, 0xFE: do not run
//! ```

use types::{Datum, SqlType};

use crate::error::{ProtocolError, ProtocolResult, ValueFault};
use crate::request::Limits;
use crate::table_value::TableValue;
use crate::type_info::{Form, NamedType, Place, TypeInfo, token};
use crate::value::Value;
use crate::version::TdsVersion;
use crate::wire::{Input, Put};

const BY_ID: u16 = 0xFFFF;
const NAME_UNITS_MAX: u16 = 1_046; // Four parts of 128, quoted, with dots: SQL Server's own bound.
const SEPARATOR: u8 = 0xFF;
const SEPARATOR_7_1: u8 = 0x80;
const NO_EXECUTE: u8 = 0xFE;

const STATUS_OUTPUT: u8 = 0x01;
const STATUS_DEFAULT: u8 = 0x02;

/// System procedures that have a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum ProcedureId {
    Cursor = 1,
    CursorOpen = 2,
    CursorPrepare = 3,
    CursorExecute = 4,
    CursorPrepExec = 5,
    CursorUnprepare = 6,
    CursorFetch = 7,
    CursorOption = 8,
    CursorClose = 9,
    ExecuteSql = 10,
    Prepare = 11,
    Execute = 12,
    PrepExec = 13,
    PrepExecRpc = 14,
    Unprepare = 15,
}

impl ProcedureId {
    const ALL: [ProcedureId; 15] = {
        use ProcedureId::*;
        [
            Cursor,
            CursorOpen,
            CursorPrepare,
            CursorExecute,
            CursorPrepExec,
            CursorUnprepare,
            CursorFetch,
            CursorOption,
            CursorClose,
            ExecuteSql,
            Prepare,
            Execute,
            PrepExec,
            PrepExecRpc,
            Unprepare,
        ]
    };

    pub fn from_wire(value: u16) -> Option<ProcedureId> {
        ProcedureId::ALL.get(usize::from(value).checked_sub(1)?).copied()
    }

    pub fn name(self) -> &'static str {
        use ProcedureId::*;
        match self {
            Cursor => "sp_cursor",
            CursorOpen => "sp_cursoropen",
            CursorPrepare => "sp_cursorprepare",
            CursorExecute => "sp_cursorexecute",
            CursorPrepExec => "sp_cursorprepexec",
            CursorUnprepare => "sp_cursorunprepare",
            CursorFetch => "sp_cursorfetch",
            CursorOption => "sp_cursoroption",
            CursorClose => "sp_cursorclose",
            ExecuteSql => "sp_executesql",
            Prepare => "sp_prepare",
            Execute => "sp_execute",
            PrepExec => "sp_prepexec",
            PrepExecRpc => "sp_prepexecrpc",
            Unprepare => "sp_unprepare",
        }
    }

    /// By name, without schema, any case.
    pub fn by_name(name: &str) -> Option<ProcedureId> {
        ProcedureId::ALL.into_iter().find(|id| id.name().eq_ignore_ascii_case(name))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct RpcCall {
    pub procedure: Procedure,
    pub recompile: bool,
    /// The client keeps the columns of the last time: COLMETADATA may be left out.
    pub no_metadata: bool,
    /// Set on a call that is only to be prepared, not run.
    pub no_execute: bool,
    pub parameters: Vec<RpcParameter>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Procedure {
    Id(ProcedureId),
    /// As the client wrote it: one to four parts, perhaps bracketed, perhaps `name;number`.
    Name(String),
}

impl Procedure {
    pub fn name(&self) -> &str {
        match self {
            Procedure::Id(id) => id.name(),
            Procedure::Name(name) => name,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct RpcParameter {
    /// With its @, empty if by position.
    pub name: String,
    pub is_output: bool,
    /// The client asks for the parameter's default; `value` is then NULL.
    pub is_default: bool,
    pub value: ParameterValue,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ParameterValue {
    Scalar {
        sql_type: SqlType,
        value: Datum,
    },
    /// A NULL without a type.
    UntypedNull,
    Table(Box<TableValue>),
    /// A CLR type's serialized form. `value` is Bytes or NULL.
    Udt {
        name: Box<NamedType>,
        value: Datum,
    },
}

impl RpcParameter {
    pub fn input(name: &str, sql_type: SqlType, value: Datum) -> RpcParameter {
        RpcParameter {
            name: name.into(),
            is_output: false,
            is_default: false,
            value: ParameterValue::Scalar { sql_type, value },
        }
    }

    pub fn output(name: &str, sql_type: SqlType, value: Datum) -> RpcParameter {
        RpcParameter { is_output: true, ..RpcParameter::input(name, sql_type, value) }
    }
}

impl RpcCall {
    pub fn new(procedure: Procedure, parameters: Vec<RpcParameter>) -> RpcCall {
        RpcCall { procedure, recompile: false, no_metadata: false, no_execute: false, parameters }
    }

    /// All calls of a message, after ALL_HEADERS.
    pub fn decode_all(input: &mut Input<'_>, version: TdsVersion, limits: Limits) -> ProtocolResult<Vec<RpcCall>> {
        let mut calls = Vec::new();
        while calls.is_empty() || !input.is_empty() {
            if calls.len() == limits.rpc_calls_max {
                return Err(ProtocolError::RpcParameterCount { parameters_max: limits.rpc_parameters_max });
            }
            calls.push(RpcCall::decode(input, version, limits)?);
        }
        Ok(calls)
    }

    fn decode(input: &mut Input<'_>, version: TdsVersion, limits: Limits) -> ProtocolResult<RpcCall> {
        let procedure = match input.u16()? {
            BY_ID => Procedure::Id(ProcedureId::from_wire(input.u16()?).ok_or(ProtocolError::RpcName)?),
            count @ 1..=NAME_UNITS_MAX => Procedure::Name(input.utf16(count.into())?),
            _ => return Err(ProtocolError::RpcName),
        };
        let flags = input.u16()?;
        let mut call = RpcCall {
            procedure,
            recompile: flags & 1 != 0,
            no_metadata: flags & 2 != 0,
            no_execute: false,
            parameters: Vec::new(),
        };
        while let Some(next) = input.peek() {
            if is_separator(next, version) {
                input.u8()?;
                call.no_execute = next == NO_EXECUTE;
                break;
            }
            if call.parameters.len() == usize::from(limits.rpc_parameters_max) {
                return Err(ProtocolError::RpcParameterCount { parameters_max: limits.rpc_parameters_max });
            }
            let ordinal = call.parameters.len() as u32 + 1;
            call.parameters.push(RpcParameter::decode(input, version, ordinal)?);
        }
        Ok(call)
    }

    pub fn encode_all(calls: &[RpcCall], out: &mut impl Put, version: TdsVersion) {
        for (i, call) in calls.iter().enumerate() {
            if i > 0 {
                out.put_u8(if version.is_7_2() { SEPARATOR } else { SEPARATOR_7_1 });
            }
            call.encode(out, version);
        }
    }

    fn encode(&self, out: &mut impl Put, version: TdsVersion) {
        match &self.procedure {
            Procedure::Id(id) => {
                out.put_u16(BY_ID);
                out.put_u16(*id as u16);
            }
            Procedure::Name(name) => out.put_us_varchar(name),
        }
        out.put_u16(u16::from(self.recompile) | u16::from(self.no_metadata) << 1);
        self.parameters.iter().for_each(|parameter| parameter.encode(out, version));
    }
}

fn is_separator(byte: u8, version: TdsVersion) -> bool {
    if version.is_7_2() { byte == SEPARATOR || byte == NO_EXECUTE } else { byte == SEPARATOR_7_1 }
}

impl RpcParameter {
    fn decode(input: &mut Input<'_>, version: TdsVersion, ordinal: u32) -> ProtocolResult<RpcParameter> {
        let units = input.u8()?;
        if units > 128 {
            return Err(ProtocolError::ParameterName { ordinal });
        }
        let name = input.utf16(units.into())?;
        let status = input.u8()?;
        if status & !(STATUS_OUTPUT | STATUS_DEFAULT) != 0 {
            // Encrypted values need a feature that is never acknowledged.
            return Err(ProtocolError::ParameterStatus { ordinal });
        }
        let (is_output, is_default) = (status & STATUS_OUTPUT != 0, status & STATUS_DEFAULT != 0);
        let token = input.u8()?;
        let value = if token == token::TABLE {
            // Tables go to the server only: MS-TDS 2.2.5.5.5.
            if is_output {
                return Err(ProtocolError::ParameterStatus { ordinal });
            }
            let table = TableValue::decode(input, version, ordinal, &name)?;
            if table.is_null && !is_default {
                return Err(ProtocolError::Value(ValueFault::TableNull).in_table_parameter(ordinal, &name, 0, 0));
            }
            ParameterValue::Table(Box::new(table))
        } else {
            decode_value(token, input, is_output).map_err(|error| error.in_parameter(ordinal, &name))?
        };
        Ok(RpcParameter { name, is_output, is_default, value })
    }

    fn encode(&self, out: &mut impl Put, version: TdsVersion) {
        out.put_b_varchar(&self.name);
        out.put_u8(u8::from(self.is_output) * STATUS_OUTPUT + u8::from(self.is_default) * STATUS_DEFAULT);
        match &self.value {
            ParameterValue::Scalar { sql_type, value } => {
                let info = TypeInfo::for_type(*sql_type, true, version);
                info.encode(out, Place::Parameter);
                Value::of(value).encode(out, &info, Place::Parameter);
            }
            ParameterValue::UntypedNull => out.put_u8(token::NULL),
            ParameterValue::Table(table) => {
                out.put_u8(token::TABLE);
                table.encode(out, version);
            }
            ParameterValue::Udt { name, value } => {
                let mut info = TypeInfo::for_type(SqlType::VARBINARY_MAX, true, TdsVersion::V7_4);
                info.token = token::UDT;
                info.named = Some(name.clone());
                info.encode(out, Place::Parameter);
                Value::of(value).encode(out, &info, Place::Parameter);
            }
        }
    }
}

fn decode_value(token: u8, input: &mut Input<'_>, is_output: bool) -> ProtocolResult<ParameterValue> {
    let info = TypeInfo::decode_after_token(token, input, Place::Parameter)?;
    if is_output && info.form == Form::Text {
        return Err(ValueFault::DeprecatedOutput(token).into());
    }
    if info.form == Form::Null {
        return if is_output { Err(ValueFault::UntypedNullOutput.into()) } else { Ok(ParameterValue::UntypedNull) };
    }
    let value = match Value::decode(input, &info, Place::Parameter) {
        // tedious leaves out the last chunk, which is empty, of binary values.
        Err(ProtocolError::Truncated) if info.form == Form::Chunked => {
            return Err(ProtocolError::UnfinishedValue { in_chunk: !input.is_empty() });
        }
        value => value?.into_datum(),
    };
    Ok(match info.named {
        Some(name) if token == token::UDT => ParameterValue::Udt { name, value },
        _ => ParameterValue::Scalar { sql_type: info.sql_type, value },
    })
}
