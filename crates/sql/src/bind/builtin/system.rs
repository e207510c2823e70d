//! Functions that ask the session and the catalog.

use types::{SqlResult, SqlType, TypeKind};

use super::BuiltinCall;
use crate::bind::typing::numeric;
use crate::function::FunctionId;

/// Who is connected, and what happened last.
pub fn session(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    Ok(Some(match call.function {
        AppName | HostName | OriginalDbName | OriginalLogin | ErrorProcedure => call.sysname(),
        CurrentUser | SessionUser | SystemUser | User => call.sysname(),
        ErrorMessage => call.wide(4000),
        ErrorLine | ErrorNumber | ErrorSeverity | ErrorState => SqlType::INT,
        CurrentRequestId => {
            call.nullable = false;
            SqlType::INT
        }
        HostId => SqlType::char(10).with_collation(call.collation),
        XactState => {
            call.nullable = false;
            SqlType::SMALLINT
        }
        RowcountBig => {
            call.nullable = false;
            SqlType::BIGINT
        }
        CurrentTransactionId => SqlType::BIGINT,
        ScopeIdentity => numeric(38, 0),
        IdentCurrent | IdentIncr | IdentSeed => {
            call.take(0, call.sysname())?;
            numeric(38, 0)
        }
        ContextInfo => SqlType::varbinary(128),
        CursorStatus => {
            call.take_all(call.sysname())?;
            SqlType::SMALLINT
        }
        ApplockMode => {
            lock_names(call)?;
            call.wide(32)
        }
        Getansinull => {
            call.take_all(call.sysname())?;
            SqlType::INT
        }
        TriggerNestlevel => {
            for at in 0..call.args.len() {
                call.take(at, if at == 0 { SqlType::INT } else { call.sysname() })?;
            }
            SqlType::INT
        }
        ApplockTest => {
            lock_names(call)?;
            call.nullable = false;
            SqlType::INT
        }
        SuserSid | SidBinary => {
            call.take(0, call.sysname())?;
            call.take(1, SqlType::INT)?;
            SqlType::varbinary(85)
        }
        _ => return Ok(None),
    }))
}

/// Names, numbers and properties of what the catalog holds.
pub fn metadata(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    Ok(Some(match call.function {
        SuserName | UserName | DbName | SchemaName | FileName | FilegroupName | TypeName => {
            call.take(0, if call.function == FilegroupName { SqlType::SMALLINT } else { SqlType::INT })?;
            call.sysname()
        }
        SuserSname => {
            call.take(0, SqlType::varbinary(85))?;
            call.sysname()
        }
        ColName => {
            call.take(0, SqlType::INT)?;
            call.take(1, SqlType::INT)?;
            call.sysname()
        }
        IndexCol => {
            call.take(0, call.wide(776))?;
            call.take(1, SqlType::INT)?;
            call.take(2, SqlType::INT)?;
            call.sysname()
        }
        ObjectName | ObjectSchemaName => {
            call.take(0, SqlType::INT)?;
            call.take(1, SqlType::INT)?;
            call.sysname()
        }
        Parsename => {
            call.only(0, |kind| kind != TypeKind::Xml)?;
            call.take(0, call.wide(4000))?;
            call.take(1, SqlType::INT)?;
            call.sysname()
        }
        ObjectDefinition => {
            call.take(0, SqlType::INT)?;
            SqlType::NVARCHAR_MAX.with_collation(call.collation)
        }
        Objectproperty | Objectpropertyex | Columnproperty | Typeproperty | Indexproperty | IndexkeyProperty
        | Assemblyproperty => {
            let id_first = matches!(
                call.function,
                Objectproperty | Objectpropertyex | Columnproperty | Indexproperty | IndexkeyProperty
            );
            for i in 0..call.args.len() {
                let number = id_first && i == 0 || call.function == IndexkeyProperty && i < 3;
                if !number {
                    call.assignable(i, &SqlType::varchar(1))?;
                }
                call.take(i, if number { SqlType::INT } else { call.wide(517) })?;
            }
            if call.function == Objectpropertyex { SqlType::SQL_VARIANT } else { SqlType::INT }
        }
        Odbcprec | Odbcscale => {
            call.take_all(SqlType::INT)?;
            SqlType::INT
        }
        XmlSchemaNamespace => {
            call.take_all(call.wide(4000))?;
            SqlType::XML
        }
        StatsDate => {
            call.take(0, SqlType::INT)?;
            call.take(1, SqlType::INT)?;
            SqlType::DATETIME
        }
        Serverproperty | Databasepropertyex | Sessionproperty | SessionContext | Connectionproperty
        | Collationproperty | Loginproperty => {
            (0..call.args.len()).try_for_each(|i| call.assignable(i, &SqlType::varchar(1)))?;
            call.take_all(call.wide(256))?;
            SqlType::SQL_VARIANT
        }
        ColLength => {
            call.take_all(call.wide(517))?;
            SqlType::SMALLINT
        }
        DbId => {
            call.take(0, call.sysname())?;
            SqlType::SMALLINT
        }
        ColumnsUpdated => SqlType::varbinary(128),
        Eventdata => SqlType::XML,
        Formatmessage => {
            if call.args[0].ty.is_string() {
                call.strings(&[0])?;
            } else {
                call.take(0, SqlType::INT)?;
            }
            call.wide(2047)
        }
        MinActiveRowversion => {
            call.nullable = false;
            SqlType::binary(8)
        }
        TertiaryWeights => SqlType::varbinary(8000),
        Permissions => SqlType::INT,
        _ => return Ok(None),
    }))
}

/// 8116: all are text, and none but the owner, the last, is NULL itself.
fn lock_names(call: &mut BuiltinCall) -> SqlResult<()> {
    for at in 0..call.args.len() {
        call.only(at, |kind| {
            matches!(kind, TypeKind::Char | TypeKind::VarChar | TypeKind::NChar | TypeKind::NVarChar)
        })?;
        if at + 1 < call.args.len() {
            call.given(at)?;
        }
    }
    call.take_all(call.wide(255))
}
