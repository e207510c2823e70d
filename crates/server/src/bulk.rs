//! Bulk load: INSERT BULK names a table and its columns, then rows arrive as one long message.
//!
//! Each row runs the same compiled INSERT, so defaults, constraints and indexes are those of any insert. All rows of a load are one
//! transaction.

use std::sync::Arc;

use exec::host::{CallArgument, Ended};
use exec::sink::{Command, Discard, Done, DoneKind, Sink};
use sql::plan::Module;
use tds::Message;
use tds::bulk::BulkReader;
use types::{RowBatch, SqlError, SqlResult, SqlType};

use crate::bulk_target::BulkTarget;
use crate::connection::ConnectionError;
use crate::session::{Parts, Session};

/// One row with its long values.
const ROW_BYTES_MAX: usize = 64 << 20;
const ROWS_AT_ONCE: usize = 256;

pub fn run(session: &mut Session, first: Message) -> Result<(), ConnectionError> {
    let version = session.writer.version();
    let signal = session.state.signal.clone();
    let mut reader = BulkReader::new(version, ROW_BYTES_MAX);
    let mut load = match session.host.bulk_target.take() {
        Some(target) => Ok(Load::new(target)),
        None => Err(SqlError::new(4022, 16, "Bulk load data was expected but not sent. The batch will be terminated.")),
    };
    let mut message = first;
    loop {
        reader.feed(&session.connection.payload);
        if let Ok(running) = &mut load {
            let mut parts = session.parts(&signal, false);
            if let Err(error) = running.take_rows(&mut parts, &mut reader, message.is_last) {
                running.undo(&mut parts);
                load = Err(error);
            }
        }
        if message.is_last {
            break;
        }
        // After an error the rest of the rows is read and dropped: the client listens only when it has sent them all.
        message = session.connection.receive(None)?;
    }
    let mut parts = session.parts(&signal, false);
    let ended = load.and_then(|mut load| load.commit(&mut parts));
    let stopped = match ended {
        Ok(rows) => {
            let done =
                Done { kind: DoneKind::Statement, command: Command::Insert, row_count: Some(rows), error: false };
            parts.sink.done(done).err()
        }
        Err(error) => match exec::session::stop_of(&error) {
            Some(stop) => Some(stop),
            None => parts.sink.message(&error.at_line(1)).err(),
        },
    };
    Session::finish(parts, stopped)
}

struct Load {
    target: BulkTarget,
    /// Compiled when the columns of the rows are known.
    insert: Option<Arc<Module>>,
    types: Vec<SqlType>,
    rows: u64,
    /// It began the transaction: it ends it.
    own_transaction: bool,
}

impl Load {
    fn new(target: BulkTarget) -> Load {
        Load { target, insert: None, types: Vec::new(), rows: 0, own_transaction: false }
    }

    fn take_rows(&mut self, parts: &mut Parts<'_>, reader: &mut BulkReader, is_last: bool) -> SqlResult<()> {
        let mut batch = RowBatch::default();
        loop {
            if let (Some(columns), None) = (reader.columns(), &self.insert) {
                self.types = columns.iter().map(|column| column.info.sql_type).collect();
                batch = RowBatch::new(self.types.iter().map(SqlType::physical));
                self.begin(parts)?;
            } else if batch.columns.len() != self.types.len() {
                batch = RowBatch::new(self.types.iter().map(SqlType::physical));
            }
            let more = reader.read(&mut batch, ROWS_AT_ONCE, is_last).map_err(|error| error.to_sql_error())?;
            self.insert_rows(parts, &batch)?;
            batch.clear();
            if !more {
                return Ok(());
            }
        }
    }

    fn begin(&mut self, parts: &mut Parts<'_>) -> SqlResult<()> {
        let quoted = |name: &String| format!("[{}]", name.replace(']', "]]"));
        let names: Vec<String> = self.target.columns.iter().map(quoted).collect();
        if names.len() != self.types.len() {
            return Err(SqlError::new(
                4819,
                16,
                "Cannot bulk load. The bulk data stream was incorrectly specified as sorted or has other columns than INSERT BULK named.",
            ));
        }
        let values: Vec<String> = (0..names.len()).map(|i| format!("@p{i}")).collect();
        let declared: Vec<String> = self.types.iter().enumerate().map(|(i, ty)| format!("@p{i} {}", ty)).collect();
        let text = format!("INSERT INTO {} ({}) VALUES ({})", self.target.table, names.join(", "), values.join(", "));
        let module = crate::batch::compile(parts.host, parts.state, &text, &declared.join(", "))
            .map_err(crate::prepared::first)?;
        self.insert = Some(module);
        if parts.state.transaction.level == 0 {
            exec::begin_transaction(parts.state, parts.host, &mut Discard, None)?;
            self.own_transaction = true;
        }
        Ok(())
    }

    fn insert_rows(&mut self, parts: &mut Parts<'_>, batch: &RowBatch) -> SqlResult<()> {
        let Some(module) = self.insert.clone() else { return Ok(()) };
        for row in 0..batch.rows {
            let arguments = self.types.iter().zip(&batch.columns).map(|(ty, column)| CallArgument {
                name: None,
                value: Some((*ty, column.datum(row))),
                table: None,
                output: false,
            });
            let mut errors = FirstError(None);
            let (ended, _) =
                exec::call_module(&module, None, arguments.collect(), parts.state, parts.host, &mut errors);
            match (ended, errors.0) {
                (Ended::Stopped(stop), _) => return Err(exec::session::stopped(stop)),
                (Ended::Failed(error), _) | (_, Some(error)) => return Err(error),
                (Ended::Completed | Ended::Aborted, None) => self.rows += 1,
            }
        }
        Ok(())
    }

    fn undo(&mut self, parts: &mut Parts<'_>) {
        if std::mem::take(&mut self.own_transaction) {
            exec::abandon_transaction(parts.state, parts.host);
        }
    }

    fn commit(&mut self, parts: &mut Parts<'_>) -> SqlResult<u64> {
        if std::mem::take(&mut self.own_transaction) {
            exec::commit_transaction(parts.state, parts.host, &mut Discard)?;
        }
        Ok(self.rows)
    }
}

/// A row's insert says nothing but why it failed.
struct FirstError(Option<SqlError>);

impl Sink for FirstError {
    fn columns(&mut self, _: &[sql::plan::OutputColumn]) -> Result<(), exec::sink::Stop> {
        Ok(())
    }

    fn batch(&mut self, _: &RowBatch) -> Result<(), exec::sink::Stop> {
        Ok(())
    }

    fn done(&mut self, _: Done) -> Result<(), exec::sink::Stop> {
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> Result<(), exec::sink::Stop> {
        if message.severity > 10 {
            self.0.get_or_insert_with(|| message.clone());
        }
        Ok(())
    }
}
