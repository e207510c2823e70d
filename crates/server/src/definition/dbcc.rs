//! What all DBCC statements share: their arguments, and rows for the client.

use std::sync::Arc;

use sql::ast::{Dbcc, Expr, Literal};
use sql::plan::OutputColumn;
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use super::number::whole_number;
use super::site::Ddl;
use crate::catalog::Database;
use crate::catalog::base::ObjectRow;

/// Its variables replaced by their values: numbers if they read as such.
pub fn with_values(ddl: &Ddl<'_>, dbcc: &Dbcc) -> Dbcc {
    let value = |argument: &Expr| match argument {
        Expr::Variable(variable) => Expr::Literal(match ddl.site.variable(&variable.name) {
            None => Literal::Null,
            Some(text) => match text.trim().parse() {
                Ok(number) => Literal::Int(number),
                Err(_) => Literal::String { text: text.into(), national: true },
            },
        }),
        other => other.clone(),
    };
    Dbcc { args: dbcc.args.iter().map(value).collect(), ..dbcc.clone() }
}

/// An argument as text: a string, a word or a name.
pub fn text_argument(dbcc: &Dbcc, position: usize) -> Option<String> {
    match dbcc.args.get(position)? {
        Expr::Word(word) => Some(word.to_string()),
        Expr::Literal(Literal::String { text, .. }) => Some(text.to_string()),
        Expr::Column(column) => {
            let before = column.table.as_ref().map(|table| super::site::written(table) + ".");
            Some(before.unwrap_or_default() + &column.name)
        }
        _ => None,
    }
}

pub fn number_argument(dbcc: &Dbcc, position: usize) -> Option<i128> {
    whole_number(dbcc.args.get(position)?)
}

/// A result set of nullable columns.
pub fn answer(ddl: &mut Ddl<'_>, columns: &[(&str, SqlType)], rows: &[Vec<Datum>]) -> SqlResult<()> {
    let mut batch = RowBatch::new(columns.iter().map(|(_, ty)| ty.physical()));
    for row in rows {
        for (value, column) in row.iter().zip(&mut batch.columns) {
            column.push(value);
        }
        batch.rows += 1;
    }
    let described = columns.iter().map(|(name, ty)| OutputColumn::plain(name, *ty, true));
    let described: Vec<OutputColumn> = described.collect();
    ddl.site.result(&described, &batch)
}

/// The database that a command is about: one named or numbered, or the current one.
pub fn database_argument(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<Arc<Database>> {
    let db = match (text_argument(dbcc, 0), number_argument(dbcc, 0)) {
        (Some(name), _) => ddl.catalog.database_named(&name).ok_or_else(|| sql_error!(2520, state 5, name)),
        (None, Some(id)) if id != 0 => {
            let found = u16::try_from(id).ok().and_then(|id| ddl.catalog.database(sql::catalog::DatabaseId(id)));
            found.ok_or_else(|| sql_error!(2521, state 5, id))
        }
        _ => ddl.current(),
    }?;
    db.check_restored()?;
    Ok(db)
}

/// The table that a command is about. None: there is no such table, or it names none.
pub fn table_argument(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<Option<(Arc<Database>, ObjectRow)>> {
    text_argument(dbcc, 0).map_or(Ok(None), |name| find(ddl, &name))
}

pub fn find(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<Option<(std::sync::Arc<Database>, ObjectRow)>> {
    match sql::catalog::ObjectName::from_text(name) {
        Some(name) => ddl.find_any(&name.into()),
        None => Ok(None),
    }
}

/// 2501
pub fn no_such_object(name: &str) -> SqlError {
    sql_error!(2501, state 45, name)
}
