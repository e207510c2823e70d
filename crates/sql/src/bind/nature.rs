//! What a computed column's definition is: whether it gives the same for the same row at any time, and whether that is exact.
//!
//! https://learn.microsoft.com/sql/relational-databases/user-defined-functions/deterministic-and-nondeterministic-functions
//! https://learn.microsoft.com/sql/relational-databases/indexes/indexes-on-computed-columns

use std::sync::Arc;

use types::{Datum, SqlResult, SqlType, TypeKind};

use super::BindOptions;
use super::binder::{Binder, Names};
use super::scope::{Scope, Source, SourceColumns};
use crate::catalog::{Catalog, ModuleDef, TableDef};
use crate::function::FunctionId;
use crate::plan::{Expr, ExprKind};

/// Of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nature {
    pub deterministic: bool,
    /// Nothing in it is a float or a real.
    pub precise: bool,
}

/// Of a definition over the columns of `table`.
pub fn nature_of(
    definition: &str,
    table: &Arc<TableDef>,
    options: &BindOptions,
    catalog: &dyn Catalog,
) -> SqlResult<Nature> {
    let mut binder = Binder::new(catalog, options, Names::NONE);
    let parsed = super::modules::parse_expression(definition)?;
    let first = binder.columns.add_table(table);
    let columns = SourceColumns::Table { table: table.clone(), first };
    let source = Source { alias: table.name.clone(), schema: None, qualified: false, columns, nullable: false };
    let scope = Scope { sources: std::slice::from_ref(&source), parent: None, ctes: None, block: None };
    let bound = binder.expand(|binder| binder.without_variables(|binder| binder.expr(&parsed, &scope)))?;
    Ok(Nature {
        deterministic: !bound.any(&mut |part| varies(part)),
        precise: !bound.any(&mut |part| matches!(part.ty.kind, TypeKind::Float | TypeKind::Real)),
    })
}

fn varies(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Global(_) | ExprKind::Variable(_) | ExprKind::NextValueFor(_) | ExprKind::Subquery(_) => true,
        ExprKind::UserFunction(module, _) => !is_bound(module),
        ExprKind::Function(function, arguments) => function_varies(*function, arguments),
        ExprKind::Convert { value, style, .. } => conversion_varies(&value.ty, &expr.ty, style.as_deref()),
        _ => false,
    }
}

/// WITH SCHEMABINDING: without it nobody knows what the function will be.
fn is_bound(module: &ModuleDef) -> bool {
    super::modules::parse_function(module).is_ok_and(|function| function.options.schemabinding)
}

/// Between text and time it is the session's language and date format that say what is meant, unless the style is a constant that leaves
/// nothing to them.
fn conversion_varies(from: &SqlType, to: &SqlType, style: Option<&Expr>) -> bool {
    let text_and_time = from.is_string() && to.is_temporal() || from.is_temporal() && to.is_string();
    let style = match style.map(|style| &style.kind) {
        Some(ExprKind::Literal(Datum::I64(style))) => Some(*style),
        Some(_) => return text_and_time,
        None => None,
    };
    text_and_time && !style.is_some_and(|style| style > 100 && !matches!(style, 106 | 107 | 109 | 113))
}

fn function_varies(function: FunctionId, arguments: &[Expr]) -> bool {
    use FunctionId::*;
    match function {
        Rand => arguments.is_empty(),
        // The first day of a week is a setting.
        Datepart | Datename => {
            let part = match arguments.first().map(|part| &part.kind) {
                Some(ExprKind::Literal(Datum::Bytes(part))) => &**part,
                _ => return true,
            };
            function == Datename || matches!(part, b"week" | b"weekday")
        }
        CurrentTimestamp | Getdate | Getutcdate | Sysdatetime | Sysdatetimeoffset | Sysutcdatetime | Isdate
        | CurrentTimezone | CurrentTimezoneId | AtTimeZone | Newid | Newsequentialid | CryptGenRandom | Pwdencrypt
        | Format | Parse | TryParse => true,
        // Who asks, and what the catalog holds.
        AppName | ApplockMode | ApplockTest | Connectionproperty | ContextInfo | CurrentRequestId
        | CurrentTransactionId | CurrentUser | CursorStatus | ErrorLine | ErrorMessage | ErrorNumber
        | ErrorProcedure | ErrorSeverity | ErrorState | Getansinull | HostId | HostName | IdentCurrent | IdentIncr
        | IdentSeed | IsMember | IsRolemember | IsSrvrolemember | MinActiveRowversion | OriginalDbName
        | OriginalLogin | Permissions | RowcountBig | ScopeIdentity | SessionContext | SessionUser
        | Sessionproperty | SystemUser | User | UserId | UserName | SuserId | SuserName | SuserSid | SuserSname
        | XactState | TriggerNestlevel | ColumnsUpdated | Eventdata | ColLength | ColName | DbId | DbName
        | ObjectId | ObjectName | SchemaId | SchemaName | Serverproperty | Databasepropertyex | TypeId | TypeName => {
            true
        }
        _ => false,
    }
}
