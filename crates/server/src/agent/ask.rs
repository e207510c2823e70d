//! Runs a text of the server's own, and gives the rows.

use std::sync::Arc;

use exec::host::Ended;
use exec::sink::{Sink, Stop};
use sql::catalog::DatabaseId;
use sql::plan::OutputColumn;
use storage::Transaction;
use types::{RowBatch, SqlError, SqlResult, SqlType, sql_error};

use crate::catalog::MSDB;
use crate::instance::server::Server;
use crate::session::host::SessionHost;
use crate::system::answer::Answer;

/// Rows of all results, one after another.
#[derive(Default)]
struct Rows {
    types: Vec<SqlType>,
    results: Vec<Vec<Vec<Answer>>>,
    error: Option<SqlError>,
}

impl Sink for Rows {
    fn columns(&mut self, columns: &[OutputColumn]) -> Result<(), Stop> {
        self.types = columns.iter().map(|column| column.ty).collect();
        self.results.push(Vec::new());
        Ok(())
    }

    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        let Some(result) = self.results.last_mut() else { return Ok(()) };
        for row in 0..batch.rows {
            let cells = batch.columns.iter().zip(&self.types);
            result.push(cells.map(|(column, ty)| Answer::of(&column.datum(row), ty)).collect());
        }
        Ok(())
    }

    fn batch_within(&mut self, batch: &RowBatch, _transaction: Option<&mut Transaction>) -> Result<(), Stop> {
        self.batch(batch)
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        if message.severity > 10 {
            self.error.get_or_insert_with(|| message.clone());
        }
        Ok(())
    }
}

/// The rows of each result of a text that runs in msdb.
pub fn ask(server: &Arc<Server>, text: &str) -> SqlResult<Vec<Vec<Vec<Answer>>>> {
    let (mut state, mut host) = SessionHost::internal(server);
    host.catalog_session.database = DatabaseId(MSDB.0);
    let mut rows = Rows::default();
    // Outside of the cache of plans: most of these texts name a job.
    let outcome = match host.bind_text(&mut state, text, "") {
        Ok(module) => match exec::run_batch(&Arc::new(module), &mut state, &mut host, &mut rows) {
            Ended::Failed(error) => Err(error),
            Ended::Stopped(_) => Err(sql_error!(596)),
            Ended::Completed | Ended::Aborted => rows.error.take().map_or(Ok(()), Err),
        },
        Err(errors) => Err(SqlError::together(errors)),
    };
    host.log_out(&mut state);
    outcome.map(|()| rows.results)
}

/// As a literal of T-SQL.
pub fn literal(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}

/// The text of a cell; empty for NULL.
pub fn text(cell: &Answer) -> String {
    if let Answer::Text(text) = cell { text.clone() } else { String::new() }
}

/// Of a cell that may be NULL.
pub fn text_or_none(cell: &Answer) -> Option<String> {
    if let Answer::Text(text) = cell { Some(text.clone()) } else { None }
}
