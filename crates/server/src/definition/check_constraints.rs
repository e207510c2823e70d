//! DBCC CHECKCONSTRAINTS: rows that a foreign key or a CHECK constraint does not let in, which came while it was not asked.
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-checkconstraints-transact-sql

use sql::ast::{Dbcc, find_setting};
use types::collation::code_page::utf16_to_string;
use types::{Datum, SqlResult, SqlType};

use super::dbcc::{answer, no_such_object, number_argument, text_argument};
use super::site::Ddl;
use super::text::bracket;

/// Rows told of a constraint, unless all are asked for with ALL_ERRORMSGS.
const ROWS_TOLD: usize = 200;
/// The same with it.
const ROWS_TOLD_MAX: usize = 100_000;

/// A constraint, and which rows it does not let in.
struct Constraint {
    table: String,
    name: String,
    columns: Vec<String>,
    /// Of the table `t`.
    violated: String,
}

pub fn run(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let has = |name: &str| find_setting(&dbcc.options, name).is_some();
    let (all, told_max) = (has("ALL_CONSTRAINTS"), if has("ALL_ERRORMSGS") { ROWS_TOLD_MAX } else { ROWS_TOLD });
    let wanted = match (text_argument(dbcc, 0), number_argument(dbcc, 0)) {
        (Some(name), _) => {
            let quoted = name.replace('\'', "''");
            let found = texts(ddl, &format!("SELECT CONVERT(nvarchar(20), OBJECT_ID(N'{quoted}'))"), 1)?;
            let id = found.first().and_then(|row| row[0].clone());
            Some(id.ok_or_else(|| no_such_object(&name))?)
        }
        (None, Some(id)) if id != 0 => Some(id.to_string()),
        _ => None,
    };
    // One that was named is checked whether it is enabled or not.
    let which = match &wanted {
        Some(id) if all => format!("(c.object_id = {id} OR c.parent_object_id = {id})"),
        Some(id) => format!("(c.object_id = {id} OR c.parent_object_id = {id} AND c.is_disabled = 0)"),
        None if all => "1 = 1".to_string(),
        None => "c.is_disabled = 0".to_string(),
    };
    let mut constraints = foreign_keys(ddl, &which)?;
    constraints.extend(checks(ddl, &which)?);
    let mut rows = Vec::new();
    for constraint in constraints {
        let shown: Vec<String> =
            constraint.columns.iter().map(|column| format!("CONVERT(nvarchar(4000), t.{})", bracket(column))).collect();
        let query = format!(
            "SELECT TOP ({told_max}) {} FROM {} AS t WHERE {}",
            shown.join(", "),
            constraint.table,
            constraint.violated
        );
        for values in texts(ddl, &query, shown.len())? {
            let terms: Vec<String> = constraint
                .columns
                .iter()
                .zip(values)
                .map(|(column, value)| match value {
                    Some(value) => format!("{} = '{}'", bracket(column), value.replace('\'', "''")),
                    None => format!("{} IS NULL", bracket(column)),
                })
                .collect();
            let text = |text: &str| Datum::nvarchar(text);
            rows.push(vec![text(&constraint.table), text(&bracket(&constraint.name)), text(&terms.join(" AND "))]);
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let columns =
        [("Table", SqlType::nvarchar(517)), ("Constraint", SqlType::nvarchar(258)), ("Where", SqlType::nvarchar(4000))];
    answer(ddl, &columns, &rows)
}

/// Rows of a query whose columns are all wide texts.
fn texts(ddl: &mut Ddl<'_>, query: &str, columns: usize) -> SqlResult<Vec<Vec<Option<String>>>> {
    let mut found = Vec::new();
    ddl.site.query(query, &mut |_, batch| {
        for row in 0..batch.rows {
            let value = |column: usize| match batch.columns[column].datum(row) {
                Datum::Null => None,
                datum => Some(utf16_to_string(datum.as_bytes())),
            };
            found.push((0..columns).map(value).collect());
        }
        Ok(())
    })?;
    Ok(found)
}

fn word(value: &Option<String>) -> String {
    value.clone().unwrap_or_default()
}

fn foreign_keys(ddl: &mut Ddl<'_>, which: &str) -> SqlResult<Vec<Constraint>> {
    let query = format!(
        "SELECT CONVERT(nvarchar(20), c.object_id), c.name, SCHEMA_NAME(p.schema_id), p.name, SCHEMA_NAME(r.schema_id), r.name,
           CONVERT(nvarchar(128), COL_NAME(k.parent_object_id, k.parent_column_id)),
           CONVERT(nvarchar(128), COL_NAME(k.referenced_object_id, k.referenced_column_id))
         FROM sys.foreign_keys c JOIN sys.foreign_key_columns k ON k.constraint_object_id = c.object_id
         JOIN sys.tables p ON p.object_id = c.parent_object_id JOIN sys.tables r ON r.object_id = c.referenced_object_id
         WHERE {which} ORDER BY c.object_id, k.constraint_column_id"
    );
    let mut found: Vec<(String, Constraint, String, Vec<String>)> = Vec::new();
    for row in texts(ddl, &query, 8)? {
        let place = |schema: usize| format!("{}.{}", bracket(&word(&row[schema])), bracket(&word(&row[schema + 1])));
        if found.last().is_none_or(|(id, ..)| *id != word(&row[0])) {
            let constraint =
                Constraint { table: place(2), name: word(&row[1]), columns: Vec::new(), violated: String::new() };
            found.push((word(&row[0]), constraint, place(4), Vec::new()));
        }
        let (_, constraint, _, referenced) = found.last_mut().expect("pushed just now");
        constraint.columns.push(word(&row[6]));
        referenced.push(word(&row[7]));
    }
    let finish = |(_, mut constraint, place, referenced): (String, Constraint, String, Vec<String>)| {
        let pairs = || constraint.columns.iter().zip(&referenced);
        let filled: Vec<String> = pairs().map(|(own, _)| format!("t.{} IS NOT NULL", bracket(own))).collect();
        let equal: Vec<String> =
            pairs().map(|(own, other)| format!("r.{} = t.{}", bracket(other), bracket(own))).collect();
        constraint.violated = format!(
            "{} AND NOT EXISTS (SELECT 1 FROM {place} AS r WHERE {})",
            filled.join(" AND "),
            equal.join(" AND ")
        );
        constraint
    };
    Ok(found.into_iter().map(finish).collect())
}

fn checks(ddl: &mut Ddl<'_>, which: &str) -> SqlResult<Vec<Constraint>> {
    let query = format!(
        "SELECT CONVERT(nvarchar(20), c.object_id), c.name, SCHEMA_NAME(p.schema_id), p.name, CONVERT(nvarchar(4000), c.definition), k.name
         FROM sys.check_constraints c JOIN sys.tables p ON p.object_id = c.parent_object_id
         JOIN sys.columns k ON k.object_id = p.object_id
         WHERE {which} ORDER BY c.object_id, k.column_id"
    );
    let mut found: Vec<(String, Constraint)> = Vec::new();
    for row in texts(ddl, &query, 6)? {
        let (id, definition, column) = (word(&row[0]), word(&row[4]), word(&row[5]));
        if found.last().is_none_or(|(before, _)| *before != id) {
            let table = format!("{}.{}", bracket(&word(&row[2])), bracket(&word(&row[3])));
            let violated = format!("NOT ({definition})");
            found.push((id, Constraint { table, name: word(&row[1]), columns: Vec::new(), violated }));
        }
        // Definitions are kept with their columns' names in brackets.
        if definition.contains(&bracket(&column)) {
            found.last_mut().expect("pushed just now").1.columns.push(column);
        }
    }
    found.retain(|(_, constraint)| !constraint.columns.is_empty());
    Ok(found.into_iter().map(|(_, constraint)| constraint).collect())
}
