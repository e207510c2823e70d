//! Views, procedures, functions and triggers. Their text is kept as written, ALTER as CREATE; their columns and parameters are rows.

use std::sync::Arc;

use sql::ast::{
    CreateFunction, CreateProcedure, CreateTrigger, CreateView, Definition, ExecuteAsPrincipal, Expr, FunctionReturns,
    Ident, ModuleBody, ModuleOptions, ModuleVerb, ObjectName, Parameter, Span, SwitchTrigger,
};
use sql::catalog::ReferentialAction;
use sql::plan::OutputColumn;
use types::{SqlError, SqlResult, TypeKind, sql_error};

use super::column::column_row;
use super::data_type::{self, ResolvedType};
use super::execute_as::keep_execute_as;
use super::schema_binding;
use super::site::{Ddl, Place, has, place_of, temporary_name, written};
use super::text;
use super::workload;
use crate::catalog::Database;
use crate::catalog::base::{
    ColumnRow, KeyReferenceRow, ObjectRow, ReferenceRow, TextRow, class, column_status as cs, object_status as os_,
};
use crate::catalog::load::{self, BY_PARENT, int, small};
use crate::catalog::row::{Code, Text, Whole};
use crate::catalog::scalar_type;

/// A module about to be kept.
struct Draft<'a> {
    name: &'a ObjectName,
    definition: &'a Definition,
    kind: &'static str,
    status: i32,
    parent: i32,
}

/// The text with the verb as CREATE: for ALTER it stands there, and of CREATE OR ALTER it is left, with the white space that was between.
pub(super) fn kept_text(ddl: &Ddl<'_>, definition: &Definition) -> String {
    let (all, verb) = (definition.text, definition.verb_span);
    let part = |start: u32, end: u32| ddl.span(Span { start, end });
    match (definition.verb, definition.or_alter) {
        (ModuleVerb::Alter, _) => format!("{}CREATE{}", part(all.start, verb.start), part(verb.end, all.end)),
        (_, Some([or, alter])) => {
            let kept = [part(all.start, or.start), part(or.end, alter.start), part(alter.end, all.end)];
            kept.concat()
        }
        _ => ddl.span(all).to_string(),
    }
}

pub(super) fn option_bits(ddl: &Ddl<'_>, options: &ModuleOptions) -> i32 {
    let session = ddl.site.options();
    let bit = |on: bool, bit: i32| if on { bit } else { 0 };
    bit(session.ansi_nulls, os_::ANSI_NULLS)
        | bit(session.quoted_identifier, os_::QUOTED_IDENTIFIER)
        | bit(options.schemabinding, os_::SCHEMA_BOUND)
        | bit(options.native_compilation, os_::NATIVE)
        | bit(options.recompile, os_::RECOMPILE)
        | bit(options.view_metadata, os_::VIEW_METADATA)
        | bit(options.encryption, os_::ENCRYPTED)
        | bit(options.called_on_null == Some(false), os_::NULL_ON_NULL)
        | bit(runs_as_owner(options), os_::EXECUTE_AS_OWNER)
}

fn runs_as_owner(options: &ModuleOptions) -> bool {
    options.execute_as.as_ref().is_some_and(|context| context.principal == ExecuteAsPrincipal::Owner)
}

/// Keeps the module; its place and id. ALTER keeps the id and the date of creation.
fn keep(ddl: &mut Ddl<'_>, draft: &Draft<'_>) -> SqlResult<(Arc<Database>, i32, Place)> {
    if draft.name.database.is_some() {
        let what = match draft.kind {
            "V" => "CREATE VIEW",
            "TR" => "CREATE TRIGGER",
            "P" => "CREATE/ALTER PROCEDURE",
            _ => "CREATE/ALTER FUNCTION",
        };
        return Err(sql_error!(166, what));
    }
    let text = kept_text(ddl, draft.definition);
    let found = if draft.definition.verb == ModuleVerb::Create { None } else { ddl.find(draft.name)? };
    if let Some((db, row)) = found {
        let same = match draft.kind {
            "FN" | "IF" | "TF" => row.kind.as_str() == draft.kind,
            kind => row.kind.as_str() == kind,
        };
        if !same {
            return Err(sql_error!(2010, written(draft.name)));
        }
        if draft.kind == "FN" {
            workload::refuse_classifier(ddl, &db, row.id, "alter", &written(draft.name))?;
        }
        ddl.lock(&db, row.id)?;
        let id = row.id;
        // A procedure is called, and a function is part of who depends on it.
        if draft.kind != "P" {
            schema_binding::check_unused(ddl, &db, id, "ALTER", &written(draft.name))?;
        }
        // "All indexes on the view are dropped" with its definition: the page of ALTER VIEW.
        super::view_index::drop_all(ddl, &db, id)?;
        let now = crate::catalog::clock::now();
        ddl.rows(&db, |rows| {
            rows.delete::<ColumnRow>(0, &[int(id)])?;
            rows.delete::<TextRow>(0, &[int(id)])?;
            rows.delete::<ReferenceRow>(0, &[int(id), small(class::OBJECT)])?;
            // "If ALTER TRIGGER changes a first or last trigger, the attribute is dropped": sp_settriggerorder's page.
            rows.delete::<KeyReferenceRow>(0, &[int(id), small(class::TRIGGER_EVENT)])?;
            rows.update::<ObjectRow>(0, &[int(id)], |row| {
                row.status = draft.status | row.status & os_::DISABLED;
                row.modified = now;
                row.pid = draft.parent;
            })
        })?;
        ddl.add_text(&db, id, &text)?;
        ddl.changed(db.id, id);
        let place = place_of(ddl, &db, &row)?;
        return Ok((db, id, place));
    }
    if draft.definition.verb == ModuleVerb::Alter {
        return Err(sql_error!(208, state 6, written(draft.name)));
    }
    let mut place = ddl.place(draft.name)?;
    let temporary = draft.name.is_temporary();
    let local = temporary && !draft.name.name.starts_with("##");
    if local {
        if ddl.find(draft.name)?.is_some() {
            return Err(sql_error!(2714, state 3, &*draft.name.name));
        }
        place.name = temporary_name(ddl, &draft.name.name)?;
    }
    let id = ddl.add_object(&place, draft.kind, draft.parent, draft.status, 0)?;
    ddl.add_text(&place.db, id, &text)?;
    let (session, _) = ddl.site.state();
    if local {
        // It lives as long as its session, also when a procedure made it.
        session.add_temporary(&draft.name.name, id, 0);
    } else if temporary {
        session.add_global_temporary(id);
    }
    Ok((place.db.clone(), id, place))
}

fn column(id: i32, number: i16, colid: i32, name: &str, ty: &ResolvedType, status: i32) -> ColumnRow {
    let table = ty.table.is_some();
    ColumnRow {
        id,
        number,
        colid,
        name: name.to_string(),
        xtype: ty.xtype,
        utype: ty.utype,
        length: if table { -1 } else { scalar_type::max_length(&ty.ty) },
        prec: if table { 0 } else { ty.ty.precision },
        scale: if table { 0 } else { ty.ty.scale },
        collation: if table { None } else { scalar_type::collation_name(&ty.ty) },
        status,
        dflt: 0,
        seed: Whole(0),
        increment: Whole(0),
        definition: Text(None),
    }
}

fn keep_output(ddl: &mut Ddl<'_>, db: &Database, id: i32, columns: &[OutputColumn], names: &[Ident]) -> SqlResult<()> {
    for (i, output) in columns.iter().enumerate() {
        let name = names.get(i).map_or(&*output.name, |name| &*name.text);
        let system = scalar_type::system_type(output.ty.kind);
        // What is only shown keeps its alias type, and is told to be numbered.
        let shown = match &output.origin {
            Some(origin) if origin.table.database == db.id => {
                let number = origin.table.columns[usize::from(origin.column)].column_id as i32;
                let key = [int(origin.table.object.0), small(0), int(number)];
                ddl.rows(db, |rows| rows.first::<ColumnRow>(0, &key))?.filter(|row| row.xtype == system.xtype)
            }
            _ => None,
        };
        let utype = shown.as_ref().map_or(system.utype, |row| row.utype);
        let identity = shown.map_or(0, |row| row.status & cs::IDENTITY);
        let ty = ResolvedType { ty: output.ty, xtype: system.xtype, utype, nullable: None, table: None };
        let row = column(id, 0, i as i32 + 1, name, &ty, identity | if output.nullable { cs::NULLABLE } else { 0 });
        ddl.rows(db, |rows| rows.insert(&row))?;
    }
    Ok(())
}

pub fn create_view(ddl: &mut Ddl<'_>, create: &CreateView) -> SqlResult<()> {
    if let Some(error) = sql::bind::view_error(create) {
        return Err(error.in_procedure(&create.name.name));
    }
    let status = option_bits(ddl, &create.options) | if create.check_option { os_::CHECK_OPTION } else { 0 };
    let draft = Draft { name: &create.name, definition: &create.definition, kind: "V", status, parent: 0 };
    let (db, id, place) = keep(ddl, &draft)?;
    // The view is visible to its own session now: the binder checks and types its columns.
    let from = format!("{}.{}", text::bracket(&place.schema_name), text::bracket(&place.name));
    let columns = ddl.site.describe(&format!("SELECT * FROM {from}"))?;
    if create.columns.is_empty() {
        for (i, output) in columns.iter().enumerate() {
            if output.name.is_empty() {
                return Err(sql_error!(4511, i + 1));
            }
            if columns[..i].iter().any(|other| db.equal_names(&other.name, &output.name)) {
                return Err(sql_error!(4506, output.name, place.name));
            }
        }
    }
    keep_output(ddl, &db, id, &columns, &create.columns)?;
    check_body(ddl, &db, id)
}

/// Returns which of them are table-valued.
fn keep_parameters(
    ddl: &mut Ddl<'_>,
    db: &Database,
    id: i32,
    place: &Place,
    parameters: &[Parameter],
) -> SqlResult<Vec<bool>> {
    let mut tables = Vec::with_capacity(parameters.len());
    for (i, parameter) in parameters.iter().enumerate() {
        let resolved = if parameter.varying {
            ResolvedType { ty: types::SqlType::INT, xtype: 56, utype: 56, nullable: None, table: None }
        } else {
            data_type::resolve_in(ddl, db, Some(&place.schema_name), &parameter.data_type, i + 1)?
        };
        let resolved = ResolvedType { ty: data_type::collate(db, resolved.ty, None)?, ..resolved };
        if resolved.table.is_some() && !parameter.readonly {
            return Err(sql_error!(352, parameter.name.name));
        }
        if resolved.table.is_none() && parameter.readonly {
            return Err(sql_error!(346, parameter.name.name));
        }
        tables.push(resolved.table.is_some());
        let status = if parameter.output { cs::OUTPUT } else { 0 }
            | if parameter.readonly { cs::READ_ONLY } else { 0 }
            | if parameter.varying { cs::CURSOR } else { 0 }
            | if parameter.null == Some(false) { cs::NOT_NULL } else { 0 }
            | if parameter.default.is_some() { cs::HAS_DEFAULT } else { 0 };
        let mut row = column(id, 1, i as i32 + 1, &parameter.name.name, &resolved, status);
        row.definition = Text(parameter.default.as_ref().and_then(default_text));
        ddl.rows(db, |rows| rows.insert(&row))?;
    }
    Ok(tables)
}

fn default_text(default: &Expr) -> Option<String> {
    text::expression(default)
}

pub fn create_procedure(ddl: &mut Ddl<'_>, create: &CreateProcedure) -> SqlResult<()> {
    if let ModuleBody::External(_) = create.body {
        return Err(super::unsupported("CREATE PROCEDURE ... EXTERNAL NAME"));
    }
    if create.number.is_some_and(|number| number != 1) && !create.options.native_compilation {
        return Err(super::unsupported("CREATE PROCEDURE ...;number"));
    }
    if create.for_replication && !create.options.native_compilation {
        return Err(super::unsupported("CREATE PROCEDURE ... FOR REPLICATION"));
    }
    if create.options.native_compilation {
        schema_binding::refuse_in_transaction(ddl, schema_binding::MODULES)?;
    }
    let status = option_bits(ddl, &create.options);
    let draft = Draft { name: &create.name, definition: &create.definition, kind: "P", status, parent: 0 };
    let (db, id, place) = keep(ddl, &draft)?;
    keep_execute_as(ddl, &db, id, &create.options)?;
    keep_parameters(ddl, &db, id, &place, &create.parameters)?;
    check_body(ddl, &db, id)
}

/// A body that names missing columns of tables that are there is not kept; missing tables may come later.
pub(super) fn check_body(ddl: &mut Ddl<'_>, db: &Database, id: i32) -> SqlResult<()> {
    ddl.changed(db.id, id);
    let references = ddl.site.check_module(db.id, id).map_err(SqlError::together)?;
    schema_binding::keep(ddl, db, id, &references)
}

/// Of a scalar function. "If INLINE = ON is specified but the UDF is found ineligible for inlining, an error will be thrown."
fn inlining_bits(create: &CreateFunction) -> SqlResult<i32> {
    let may = sql::bind::inlineable_body(create).is_some();
    if create.options.inline == Some(true) && !may && matches!(create.returns, FunctionReturns::Scalar { .. }) {
        return Err(sql_error!(487, "CREATE/ALTER FUNCTION").in_procedure(&create.name.name));
    }
    let never = create.options.inline == Some(false);
    Ok(if may { os_::INLINEABLE } else { 0 } | if never { os_::NEVER_INLINED } else { 0 })
}

pub fn create_function(ddl: &mut Ddl<'_>, create: &CreateFunction) -> SqlResult<()> {
    let kind = match &create.returns {
        FunctionReturns::Scalar { body: ModuleBody::External(_), .. } | FunctionReturns::ExternalTable { .. } => {
            return Err(super::unsupported("CREATE FUNCTION ... EXTERNAL NAME"));
        }
        FunctionReturns::Scalar { .. } => "FN",
        FunctionReturns::Inline { .. } => "IF",
        FunctionReturns::Table { .. } => "TF",
    };
    let name = &create.name.name;
    let mut shape = Vec::new();
    if !create.options.native_compilation {
        if let Some(error) = sql::bind::bare_return(create) {
            return Err(error.in_procedure(name));
        }
        let errors = sql::bind::function_errors(create, ddl.text);
        shape.extend(errors.into_iter().map(|error| error.in_procedure(name)));
    }
    let status = option_bits(ddl, &create.options) | inlining_bits(create)?;
    let draft = Draft { name: &create.name, definition: &create.definition, kind, status, parent: 0 };
    let (db, id, place) = keep(ddl, &draft)?;
    keep_execute_as(ddl, &db, id, &create.options)?;
    let tables = keep_parameters(ddl, &db, id, &place, &create.parameters)?;
    match &create.returns {
        FunctionReturns::Scalar { data_type, .. } => {
            let resolved = data_type::resolve_in(ddl, &db, Some(&place.schema_name), data_type, 0)?;
            if matches!(resolved.ty.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image | TypeKind::RowVersion) {
                return Err(sql_error!(2733, resolved.ty.name()));
            }
            let resolved = ResolvedType { ty: data_type::collate(&db, resolved.ty, None)?, ..resolved };
            let row = column(id, 1, 0, "", &resolved, cs::OUTPUT);
            ddl.rows(&db, |rows| rows.insert(&row))?;
        }
        FunctionReturns::Inline { .. } => {
            let arguments: Vec<&str> = tables.iter().map(|table| if *table { "DEFAULT" } else { "NULL" }).collect();
            let arguments = arguments.join(", ");
            let from = format!("{}.{}({arguments})", text::bracket(&place.schema_name), text::bracket(&place.name));
            let columns = ddl.site.describe(&format!("SELECT * FROM {from}"))?;
            keep_output(ddl, &db, id, &columns, &[])?;
        }
        FunctionReturns::Table { definition, .. } => {
            let keys = definition.primary_key();
            for (i, defined) in definition.columns.iter().enumerate() {
                let primary = keys.iter().any(|name| db.equal_names(name, &defined.name));
                let row = column_row(ddl, &db, id, i as i32 + 1, defined, primary, &place.name)?;
                ddl.rows(&db, |rows| rows.insert(&row))?;
            }
        }
        FunctionReturns::ExternalTable { .. } => {}
    }
    // What a function may not do is told behind what its body names.
    ddl.changed(db.id, id);
    let references = ddl.site.check_module(db.id, id);
    if !shape.is_empty() {
        return Err(SqlError::together(references.err().into_iter().flatten().chain(shape).collect()));
    }
    schema_binding::keep(ddl, &db, id, &references.map_err(SqlError::together)?)
}

/// A trigger of a table or view.
pub fn create_trigger(ddl: &mut Ddl<'_>, create: &CreateTrigger, on: &ObjectName) -> SqlResult<()> {
    let invalid = |state: u8| sql_error!(8197, state state, written(on));
    let Some((db, parent)) = ddl.find(on)? else { return Err(invalid(4)) };
    // Nobody changes its rows before the trigger is there for all.
    ddl.lock(&db, parent.id)?;
    let parent = ddl.rows(&db, |rows| load::object_row(rows, parent.id))?.ok_or_else(|| invalid(4))?;
    check_place(ddl, &db, &parent, (create, on))?;
    let on_view = parent.kind.as_str() == "V";
    // AFTER triggers are for tables.
    if on_view && !create.instead_of {
        return Err(invalid(6));
    }
    if create.options.native_compilation != has(parent.status, os_::MEMORY_OPTIMIZED) {
        return Err(match create.options.native_compilation {
            true => sql_error!(10776),
            false => sql_error!(10777),
        });
    }
    let versioned = has(parent.status, os_::VERSIONED) && create.instead_of;
    if versioned || has(parent.status, os_::HISTORY) {
        let table = ddl.reload(&db, parent.id)?;
        return Err(sql_error!(13569, super::versioned::full_name(&db, &table)));
    }
    let event = |name: &str, bit: i32| if create.events.iter().any(|event| &**event == name) { bit } else { 0 };
    let status = option_bits(ddl, &create.options)
        | if create.instead_of { os_::INSTEAD_OF } else { 0 }
        | if create.not_for_replication { os_::NOT_FOR_REPLICATION } else { 0 }
        | event("INSERT", os_::ON_INSERT)
        | event("UPDATE", os_::ON_UPDATE)
        | event("DELETE", os_::ON_DELETE);
    if create.instead_of {
        check_instead_of(ddl, &db, &parent, (create, on), status)?;
    }
    // A trigger is in its table's schema.
    let mut name = create.name.clone();
    if name.schema.is_none() {
        let schema = ddl.rows(&db, |rows| load::schema_name(rows, parent.nsid))?;
        name.schema = Some(Ident { text: schema.into(), quoted: true });
    }
    let draft = Draft { name: &name, definition: &create.definition, kind: "TR", status, parent: parent.id };
    let (db, id, _) = keep(ddl, &draft)?;
    keep_execute_as(ddl, &db, id, &create.options)?;
    ddl.changed(db.id, parent.id);
    check_body(ddl, &db, id)
}

/// A trigger is in its table's database and schema, and stays with its table.
fn check_place(
    ddl: &mut Ddl<'_>,
    db: &Database,
    parent: &ObjectRow,
    (create, on): (&CreateTrigger, &ObjectName),
) -> SqlResult<()> {
    let alters = create.definition.verb == ModuleVerb::Alter;
    let verb = if alters { "alter" } else { "create" };
    if create.name.database.is_none() && db.id != ddl.current()?.id {
        return Err(sql_error!(2108, verb, "trigger", written(on)));
    }
    let schema = ddl.rows(db, |rows| load::schema_name(rows, parent.nsid))?;
    let other_schema = create.name.schema.as_ref().is_some_and(|name| !db.equal_names(name, &schema));
    if other_schema && !alters {
        return Err(sql_error!(2103, verb, written(&create.name)));
    }
    if create.definition.verb == ModuleVerb::Create {
        return Ok(());
    }
    match ddl.find(&create.name)? {
        Some((_, found)) if found.kind.as_str() == "TR" && found.pid != parent.id => {
            Err(sql_error!(2110, written(&create.name), written(on)))
        }
        None if alters => Err(sql_error!(208, state 6, written(&create.name))),
        _ => Ok(()),
    }
}

/// One INSTEAD OF trigger for each action; none where the rows would have to be checked, or followed by a cascade, as they are changed.
fn check_instead_of(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    parent: &ObjectRow,
    (create, on): (&CreateTrigger, &ObjectName),
    status: i32,
) -> SqlResult<()> {
    let name = &*create.name.name;
    let verb = if create.definition.verb == ModuleVerb::Alter { "alter" } else { "create" };
    let on_view = parent.kind.as_str() == "V";
    let has_event = |bit: i32| status & bit != 0;
    if on_view && has(parent.status, os_::CHECK_OPTION) && (has_event(os_::ON_UPDATE) || has_event(os_::ON_DELETE)) {
        return Err(sql_error!(2112, name, written(on)));
    }
    if let Some(table) = ddl.rows(db, |rows| if on_view { Ok(None) } else { load::table(rows, parent) })? {
        let cascades = |action: ReferentialAction| action != ReferentialAction::NoAction;
        let in_the_way = table.foreign_keys.iter().any(|key| {
            has_event(os_::ON_DELETE) && cascades(key.on_delete) || has_event(os_::ON_UPDATE) && cascades(key.on_update)
        });
        if in_the_way {
            return Err(sql_error!(2113, verb, name, written(on)));
        }
    }
    let others = ddl.rows(db, |rows| rows.find::<ObjectRow>(BY_PARENT, &[int(parent.id)]))?;
    let others = others.iter().filter(|t| {
        t.kind.as_str() == "TR" && t.status & os_::INSTEAD_OF != 0 && !db.equal_names(&t.name, &create.name.name)
    });
    for other in others {
        for (bit, action) in [(os_::ON_INSERT, "INSERT"), (os_::ON_UPDATE, "UPDATE"), (os_::ON_DELETE, "DELETE")] {
            if has_event(bit) && other.status & bit != 0 {
                let kind = if on_view { "view" } else { "table" };
                return Err(sql_error!(2111, verb, name, kind, written(on), action));
            }
        }
    }
    Ok(())
}

/// Of a table or view.
pub fn switch_trigger(ddl: &mut Ddl<'_>, switch: &SwitchTrigger, on: &ObjectName) -> SqlResult<()> {
    let Some((db, parent)) = ddl.find(on)? else {
        return Err(sql_error!(1088, state 21, written(on)));
    };
    let names = switch.triggers.as_ref().map(|names| names.iter().map(|n| n.name.to_string()).collect::<Vec<_>>());
    switch_triggers_of(ddl, &db, parent.id, names.as_deref(), switch.enable, |name| sql_error!(1088, state 119, name))
}

pub fn switch_triggers_of(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    table: i32,
    names: Option<&[String]>,
    enable: bool,
    missing: impl Fn(&str) -> SqlError,
) -> SqlResult<()> {
    ddl.lock(db, table)?;
    let children = ddl.rows(db, |rows| rows.find::<ObjectRow>(BY_PARENT, &[int(table)]))?;
    let triggers: Vec<&ObjectRow> = children.iter().filter(|child| child.kind == Code::new("TR")).collect();
    let mut chosen = Vec::new();
    match names {
        None => chosen.extend(triggers.iter().map(|t| t.id)),
        Some(names) => {
            for name in names {
                let found = triggers.iter().find(|t| db.equal_names(&t.name, name));
                chosen.push(found.map(|t| t.id).ok_or_else(|| missing(name))?);
            }
        }
    }
    for id in chosen {
        ddl.rows(db, |rows| {
            rows.update::<ObjectRow>(0, &[int(id)], |row| {
                row.status = if enable { row.status & !os_::DISABLED } else { row.status | os_::DISABLED };
            })
        })?;
        ddl.changed(db.id, id);
    }
    ddl.changed(db.id, table);
    Ok(())
}
