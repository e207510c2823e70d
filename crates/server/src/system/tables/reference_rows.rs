//! Which columns of which objects a module's statements read and change: what binding them notes as needed, asked of those that the
//! module's own text names. And which columns of their tables the expressions of definitions name.

use std::sync::Arc;

use exec::session::Session as State;
use sql::bind::BindOptions;
use sql::catalog::{ModuleDef, ModuleKind, ObjectId};
use sql::plan::{Action, Module, Need, QueryText};
use types::SqlResult;

use crate::catalog::Database;
use crate::catalog::base::{ColumnRow, IndexRow, ObjectRow, column_status, index_status};
use crate::catalog::load::{self, int, small};
use crate::catalog::row::BaseRow;
use crate::catalog::store::Rows;
use crate::session::host::SessionHost;
use crate::system::answer::Arguments;
use crate::system::cell::{NamedRow, number};

/// What a module does with an object (column 0) or with a column of it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Used {
    object: i32,
    column: u32,
    updated: bool,
}

/// A row for each object that the module's own text reads or changes, and for each column. Statements that cannot be bound, since
/// something that they name is not there, are left out.
pub fn columns_of(
    host: &mut SessionHost,
    state: &mut State,
    db: &Database,
    arguments: &Arguments<'_>,
) -> SqlResult<Vec<NamedRow>> {
    let Some(id) = arguments.number(0).and_then(|id| i32::try_from(id).ok()) else { return Ok(Vec::new()) };
    if !host.rights(state, |rights, look| rights.sees(look, db, ObjectRow::TABLE.id, id))? {
        return Ok(Vec::new());
    }
    let found = host.with_catalog(state, |catalog| catalog.module_by_id(db.id, ObjectId(id)))?;
    let Some(definition) = found else { return Ok(Vec::new()) };
    let mut used = Vec::new();
    for need in host.within(db.id, |host| needs_of(host, state, &definition)) {
        if need.named_by != Some((db.id, ObjectId(id))) || need.object.0 != db.id || need.action == Action::Execute {
            continue;
        }
        let (object, updated) = (need.object.1.0, need.action != Action::Select);
        used.push(Used { object, column: 0, updated });
        used.extend(need.columns.iter().map(|column| Used { object, column: *column, updated }));
    }
    used.sort_unstable();
    used.dedup();
    let row = |used: &Used| -> NamedRow {
        vec![
            ("referenced_id", number(used.object)),
            ("column_id", number(used.column)),
            ("is_selected", (!used.updated).into()),
            ("is_updated", used.updated.into()),
        ]
    };
    Ok(used.iter().map(row).collect())
}

/// Classes of what refers to something: sys.sql_expression_dependencies.
const OBJECT_OR_COLUMN: i32 = 1;
const INDEX: i32 = 7;

/// An expression over the columns of a table, and what it is of: a CHECK, a computed column (`minor`: which), the filter of an index.
struct Expression {
    class: i32,
    id: i32,
    minor: i32,
    table: i32,
    columns: Vec<Box<str>>,
}

/// A row for each column that an expression names.
pub fn columns_of_expressions(host: &SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<NamedRow>> {
    host.catalog_rows(state, db, |rows| {
        let mut found = Vec::new();
        for expression in expressions(rows)? {
            for column in rows.find::<ColumnRow>(0, &[int(expression.table), small(0)])? {
                if expression.columns.iter().any(|name| db.equal_names(name, &column.name)) {
                    found.push(vec![
                        ("class", number(expression.class)),
                        ("referencing_id", number(expression.id)),
                        ("minor_id", number(expression.minor)),
                        ("referenced_id", number(expression.table)),
                        ("column_id", number(column.colid)),
                    ]);
                }
            }
        }
        Ok(found)
    })
}

fn expressions(rows: &mut Rows<'_>) -> SqlResult<Vec<Expression>> {
    let mut found = Vec::new();
    for check in rows.all::<ObjectRow>()?.into_iter().filter(|row| row.kind.as_str().trim() == "C") {
        let columns = sql::bind::columns_of(&load::text_of(rows, check.id)?.unwrap_or_default(), true);
        found.push(Expression { class: OBJECT_OR_COLUMN, id: check.id, minor: 0, table: check.pid, columns });
        os::wait::maybe_yield();
    }
    for column in rows.all::<ColumnRow>()?.into_iter().filter(|column| column.status & column_status::COMPUTED != 0) {
        let columns = sql::bind::columns_of(column.definition.0.as_deref().unwrap_or_default(), false);
        let (id, minor) = (column.id, column.colid);
        found.push(Expression { class: OBJECT_OR_COLUMN, id, minor, table: id, columns });
        os::wait::maybe_yield();
    }
    // An XML or a spatial index keeps something else there, and has this bit.
    for index in rows.all::<IndexRow>()?.into_iter().filter(|index| index.status & index_status::STATISTICS == 0) {
        let Some(filter) = index.filter.0.as_deref() else { continue };
        let columns = sql::bind::columns_of(filter, true);
        found.push(Expression { class: INDEX, id: index.id, minor: index.indid, table: index.id, columns });
        os::wait::maybe_yield();
    }
    Ok(found)
}

fn needs_of(host: &mut SessionHost, state: &mut State, definition: &ModuleDef) -> Vec<Need> {
    let module = match definition.kind {
        ModuleKind::View | ModuleKind::InlineFunction => host.bind_text(state, &query_of(definition), "").map(Arc::new),
        _ => host.bind_body(state, definition),
    };
    let mut needs = Vec::new();
    if let Ok(module) = module {
        for text in module.queries.iter().filter(|text| sql::bind::is_query(&text.statement)) {
            os::wait::maybe_yield();
            needs.extend(needs_of_query(host, state, &module, text));
        }
    }
    needs
}

fn needs_of_query(host: &mut SessionHost, state: &mut State, module: &Module, text: &QueryText) -> Vec<Need> {
    let own = SessionHost::bind_options(state);
    let options = BindOptions { ansi_nulls: text.ansi_nulls, client: text.client, ..own };
    let bound = host.with_catalog(state, |catalog| sql::bind::bind_query(&text.statement, module, catalog, &options));
    bound.map_or_else(|_| Vec::new(), |query| query.needs.to_vec())
}

/// A query of all that a view or an inline function gives.
fn query_of(definition: &ModuleDef) -> String {
    let quoted = |name: &str| format!("[{}]", name.replace(']', "]]"));
    let arguments = match definition.kind {
        ModuleKind::InlineFunction => no_arguments(&definition.text),
        _ => String::new(),
    };
    // What is stored of an indexed view names no table.
    let (schema, name) = (quoted(&definition.schema), quoted(&definition.name));
    format!("SELECT * FROM {schema}.{name}{arguments} OPTION (EXPAND VIEWS)")
}

/// The arguments, in parentheses, that a function of this text is given where only its columns are wanted.
pub fn no_arguments(definition: &str) -> String {
    let batch = sql::parse::parse_batch(definition, &Default::default());
    let none = |parameter: &sql::ast::Parameter| if parameter.readonly { "DEFAULT" } else { "NULL" };
    let arguments: Vec<&str> = match batch.as_ref().map(|batch| batch.statements.first().map(|first| &first.kind)) {
        Ok(Some(sql::ast::StatementKind::CreateFunction(create))) => create.parameters.iter().map(none).collect(),
        _ => Vec::new(),
    };
    format!("({})", arguments.join(", "))
}
