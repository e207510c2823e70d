//! What a computed column's definition, a view or a function is: whether it gives the same for the same row or arguments at any time, and
//! whether that is exact.
//!
//! https://learn.microsoft.com/sql/relational-databases/user-defined-functions/deterministic-and-nondeterministic-functions
//! https://learn.microsoft.com/sql/relational-databases/indexes/indexes-on-computed-columns

use std::sync::Arc;

use types::{Datum, SqlResult, SqlType, TypeKind};

use super::BindOptions;
use super::binder::{Binder, Names, STACK_LEFT_MIN};
use super::schema_bound::uses_of;
use super::scope::{Scope, Source, SourceColumns};
use crate::catalog::{Catalog, ModuleDef, ModuleKind, TableDef};
use crate::function::FunctionId;
use crate::plan::{Condition, Expr, ExprKind, Module, StatementKind, in_order};

/// Of a definition or a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nature {
    pub deterministic: bool,
    /// Nothing in it is a float or a real.
    pub precise: bool,
    /// It reads tables, or may.
    pub reads: bool,
    /// It calls a method of an xml value itself, and not within a function.
    pub xml_method: bool,
}

impl Nature {
    /// Of what nobody knows anything of.
    pub const UNKNOWN: Nature = Nature { deterministic: false, precise: false, reads: true, xml_method: false };
    pub const CONSTANT: Nature = Nature { deterministic: true, precise: true, reads: false, xml_method: false };
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
    let source =
        Source { alias: table.name.clone(), schema: None, qualified: false, columns, nullable: false, written: None };
    let scope = Scope { sources: std::slice::from_ref(&source), parent: None, ctes: None, block: None };
    let bound = binder.expand(|binder| binder.without_variables(|binder| binder.expr(&parsed, &scope)))?;
    let mut nature = Nature::CONSTANT;
    bound.any(&mut |part| {
        nature.deterministic &= !varies(part) && !matches!(part.kind, ExprKind::Variable(_));
        nature.precise &= !is_inexact(&part.ty);
        nature.xml_method |= super::xml::is_xml_method(part);
        if let ExprKind::UserFunction(module, _) = &part.kind {
            nature = nature.with(nature_of_module(module, options, catalog));
        }
        false
    });
    Ok(nature)
}

/// Of a view or a function. Without SCHEMABINDING nobody knows what it will be. A view may be the same for the same rows; a function that
/// reads tables is not.
pub fn nature_of_module(module: &ModuleDef, options: &BindOptions, catalog: &dyn Catalog) -> Nature {
    if catalog.stack_left() < STACK_LEFT_MIN {
        return Nature::UNKNOWN;
    }
    let Ok(Some(uses)) = uses_of(module, catalog) else { return Nature::UNKNOWN };
    let name_varies = |name: &str| match FunctionId::find(name) {
        // Which part is asked for is not in the name.
        Some((_, FunctionId::Datepart, ..)) | None => false,
        Some((_, function, ..)) => function_varies(*function, &[]),
    };
    let is_view = module.kind == ModuleKind::View;
    let mut nature = Nature {
        deterministic: !uses.session && (is_view || !uses.reads) && !uses.built_in.iter().any(|name| name_varies(name)),
        precise: !uses.floats,
        reads: uses.reads,
        xml_method: false,
    };
    if module.kind == ModuleKind::ScalarFunction {
        let Ok(body) = super::bind_definition(module, options, catalog) else { return Nature::UNKNOWN };
        nature = nature.with(nature_of_body(&body));
    }
    uses.functions.iter().fold(nature, |nature, called| nature.with(nature_of_module(called, options, catalog)))
}

/// Of the statements that read no tables.
fn nature_of_body(body: &Module) -> Nature {
    let mut nature = Nature::CONSTANT;
    nature.precise = !body.variables.iter().any(|variable| is_inexact(&variable.ty));
    let mut look = |expr: &Expr| {
        expr.any(&mut |part| {
            nature.deterministic &= !varies(part);
            nature.precise &= !is_inexact(&part.ty);
            false
        });
    };
    for statement in in_order(&body.body) {
        match &statement.kind {
            StatementKind::Assign { value, .. } | StatementKind::Return(Some(value)) => look(value),
            StatementKind::If { condition: Condition::Scalar(value), .. }
            | StatementKind::While { condition: Condition::Scalar(value), .. } => look(value),
            _ => {}
        }
    }
    nature
}

impl Nature {
    /// Of what has both in it.
    fn with(self, other: Nature) -> Nature {
        Nature {
            deterministic: self.deterministic && other.deterministic,
            precise: self.precise && other.precise,
            reads: self.reads || other.reads,
            xml_method: self.xml_method || other.xml_method,
        }
    }
}

pub fn is_inexact(ty: &SqlType) -> bool {
    matches!(ty.kind, TypeKind::Float | TypeKind::Real)
}

fn varies(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Global(_) | ExprKind::NextValueFor(_) | ExprKind::Subquery(_) => true,
        ExprKind::Function(function, arguments) => function_varies(*function, arguments),
        ExprKind::Convert { value, style, .. } => conversion_varies(&value.ty, &expr.ty, style.as_deref()),
        _ => false,
    }
}

/// Between text and time it is the session's language and date format that say what is meant, unless the style is a constant that leaves
/// nothing to them.
pub fn conversion_varies(from: &SqlType, to: &SqlType, style: Option<&Expr>) -> bool {
    let text_and_time = from.is_string() && to.is_temporal() || from.is_temporal() && to.is_string();
    let style = match style.map(|style| &style.kind) {
        Some(ExprKind::Literal(Datum::I64(style))) => Some(*style),
        Some(_) => return text_and_time,
        None => None,
    };
    text_and_time
        && !style.is_some_and(|style| match style {
            20 | 21 => true,
            106 | 107 | 109 | 113 => false,
            _ => style > 100,
        })
}

pub fn function_varies(function: FunctionId, arguments: &[Expr]) -> bool {
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
        | Format | Parse | TryParse | Compress | Decompress => true,
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
