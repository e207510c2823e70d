//! Events of system procedures that define things: what they are about, and their parameters.
//! https://learn.microsoft.com/sql/relational-databases/triggers/ddl-events

use sql::catalog::ObjectName as Name;
use types::SqlResult;

use super::bound::Bound;
use super::data_type::find_type;
use super::event::{Found, Occasion, find};
use super::event_data::Extent;
use super::scoped_trigger::Scope;
use super::site::Ddl;
use crate::catalog::load;

/// A name and what it names, as extended properties give them.
pub type Level = (Option<String>, Option<String>);

/// `column` of `table.column`, and the table.
fn of_table(ddl: &mut Ddl<'_>, name: &Name) -> SqlResult<Option<(String, Found)>> {
    let table = Name {
        server: None,
        database: name.server.clone(),
        schema: name.database.clone(),
        name: name.schema.clone().unwrap_or_default(),
    };
    Ok(find(ddl, &table.into())?.map(|table| (name.name.to_string(), table)))
}

/// sp_rename. `kind`: as it was given, in capitals.
pub fn renamed(
    ddl: &mut Ddl<'_>,
    (old, new): (&str, &str),
    kind: Option<&str>,
    parameters: &[String],
) -> SqlResult<Vec<Occasion>> {
    let Some(name) = Name::from_text(old) else { return Ok(Vec::new()) };
    if kind == Some("DATABASE") {
        return Ok(vec![Occasion::new("ALTER_DATABASE", None, Extent::Tokens).text("DatabaseName", old)]);
    }
    let occasion = if kind == Some("USERDATATYPE") {
        let Ok(Some((db, row))) = find_type(ddl, &name.into()) else { return Ok(Vec::new()) };
        let schema = ddl.rows(&db, |rows| load::schema_name(rows, row.schid))?;
        let occasion = Occasion::new("RENAME", Some(&db), Extent::Tokens).text("SchemaName", &schema);
        occasion.object(&row.name, "TYPE").target("", "")
    } else {
        let object = if kind.is_none_or(|kind| kind == "OBJECT") { find(ddl, &name.clone().into())? } else { None };
        match object {
            Some(found) => {
                let occasion =
                    Occasion::new("RENAME", Some(&found.db), Extent::Tokens).text("SchemaName", &found.schema);
                occasion.object(&found.name, found.kind()).target("", "")
            }
            None => {
                let Some((item, table)) = of_table(ddl, &name)? else { return Ok(Vec::new()) };
                let occasion =
                    Occasion::new("RENAME", Some(&table.db), Extent::Tokens).text("SchemaName", &table.schema);
                occasion.object(&item, kind.unwrap_or("COLUMN")).target(&table.name, table.kind())
            }
        }
    };
    Ok(vec![occasion.text("NewObjectName", new).parameters(parameters)])
}

/// sp_addextendedproperty and its kin. `value`: None of a drop.
pub fn property(
    ddl: &mut Ddl<'_>,
    event: &str,
    levels: &[Level; 3],
    (name, value): (&str, Option<&str>),
    parameters: &[String],
) -> SqlResult<Vec<Occasion>> {
    let db = ddl.current()?;
    let word = |at: usize| levels[at].0.as_deref().unwrap_or_default().to_uppercase();
    let named = |at: usize| levels[at].1.as_deref().unwrap_or_default();
    let occasion = Occasion::new(event, Some(&db), Extent::Tokens);
    // The deepest level that was given.
    let occasion = match levels.iter().rposition(|(kind, _)| kind.is_some()) {
        None => occasion.text("SchemaName", "").object(&db.name(), "DATABASE").target("", ""),
        Some(0) => occasion.text("SchemaName", "").object(named(0), &word(0)).target("", ""),
        Some(1) => occasion.text("SchemaName", named(0)).object(named(1), &word(1)).target("", ""),
        Some(_) => occasion.text("SchemaName", named(0)).object(named(2), &word(2)).target(named(1), &word(1)),
    };
    let occasion = occasion.text("PropertyName", name);
    let occasion = match value {
        Some(value) => occasion.text("PropertyValue", value),
        None => occasion,
    };
    Ok(vec![occasion.parameters(parameters)])
}

/// sp_bindefault and its kin. Of what binds, the default or rule is named; of what unbinds, what had it.
pub fn bound(
    ddl: &mut Ddl<'_>,
    kind: Bound,
    binds: bool,
    name: &str,
    parameters: &[String],
) -> SqlResult<Vec<Occasion>> {
    let (word, object) = if kind == Bound::Default { ("DEFAULT", "DEFAULT") } else { ("RULE", "RULE") };
    let event = format!("{}_{word}", if binds { "BIND" } else { "UNBIND" });
    let Some(parsed) = Name::from_text(name) else { return Ok(Vec::new()) };
    let occasion = if binds {
        let Some(found) = find(ddl, &parsed.into())? else { return Ok(Vec::new()) };
        let occasion = Occasion::new(&event, Some(&found.db), Extent::Tokens).text("SchemaName", &found.schema);
        occasion.object(&found.name, object)
    } else if let Some((column, table)) = of_table(ddl, &parsed)? {
        let occasion = Occasion::new(&event, Some(&table.db), Extent::Tokens).text("SchemaName", &table.schema);
        occasion.object(&column, "COLUMN")
    } else {
        let Ok(Some((db, row))) = find_type(ddl, &parsed.into()) else { return Ok(Vec::new()) };
        let schema = ddl.rows(&db, |rows| load::schema_name(rows, row.schid))?;
        let occasion = Occasion::new(&event, Some(&db), Extent::Tokens).text("SchemaName", &schema);
        occasion.object(&row.name, "TYPE")
    };
    Ok(vec![occasion.parameters(parameters)])
}

/// "ALTER_TRIGGER applies to the ALTER TRIGGER statement and sp_settriggerorder": of a scope's, or of a table.
pub fn ordered(
    ddl: &mut Ddl<'_>,
    scope: Option<&Scope>,
    name: &str,
    parameters: &[String],
) -> SqlResult<Vec<Occasion>> {
    let occasion = match scope {
        Some(scope) => {
            let of_server = scope.is_of_server();
            let db = (!of_server).then_some(&scope.db);
            let occasion = Occasion::new("ALTER_TRIGGER", db, Extent::Tokens).text("SchemaName", "");
            occasion.object(name, "TRIGGER").target("", if of_server { "Server" } else { "Database" })
        }
        None => {
            let Some(parsed) = Name::from_text(name) else { return Ok(Vec::new()) };
            let Some(found) = find(ddl, &parsed.into())? else { return Ok(Vec::new()) };
            let occasion = Occasion::new("ALTER_TRIGGER", Some(&found.db), Extent::Tokens);
            occasion.text("SchemaName", &found.schema).object(&found.name, "TRIGGER")
        }
    };
    Ok(vec![occasion.parameters(parameters)])
}
