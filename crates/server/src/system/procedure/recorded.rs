//! Results that a cursor keeps: rows of its query, or all that a procedure answers until it is known whether that is one result.

use exec::sink::{Done, Environment, Sink, Stop};
use sql::plan::OutputColumn;
use types::{RowBatch, SqlError, SqlResult, sql_error};

/// Bytes of rows one cursor may keep.
const BYTES_MAX: usize = 1 << 30;

/// Keeps the rows of a query; messages go on, and so do transactions' changes.
pub struct Kept<'a> {
    inner: &'a mut dyn Sink,
    pub rows: Option<RowBatch>,
    bytes: usize,
    pub failed: Option<SqlError>,
}

impl<'a> Kept<'a> {
    pub fn new(inner: &'a mut dyn Sink) -> Kept<'a> {
        Kept { inner, rows: None, bytes: 0, failed: None }
    }
}

impl Sink for Kept<'_> {
    fn columns(&mut self, columns: &[OutputColumn]) -> Result<(), Stop> {
        self.rows = Some(RowBatch::new(columns.iter().map(|column| column.ty.physical())));
        Ok(())
    }

    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        self.bytes += exec::columns::batch_bytes(batch);
        if self.bytes > BYTES_MAX {
            self.failed.get_or_insert_with(|| sql_error!(701, "default"));
        } else if let Some(rows) = &mut self.rows {
            exec::columns::append_batch(rows, batch);
        }
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        if message.severity > 10 {
            self.rows = None;
        }
        self.inner.message(message)
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.inner.flush()
    }

    fn interrupted(&mut self) -> Result<(), Stop> {
        self.inner.interrupted()
    }

    fn environment(&mut self, change: &Environment) -> Result<(), Stop> {
        self.inner.environment(change)
    }
}

enum Item {
    Columns(Vec<OutputColumn>),
    Rows(RowBatch),
    Done(Done),
}

/// Keeps results in their order; messages go on.
pub struct Recorded<'a> {
    inner: &'a mut dyn Sink,
    items: Vec<Item>,
    bytes: usize,
    failed: bool,
}

/// All that was kept.
pub struct Results(Vec<Item>);

impl<'a> Recorded<'a> {
    pub fn new(inner: &'a mut dyn Sink) -> Recorded<'a> {
        Recorded { inner, items: Vec::new(), bytes: 0, failed: false }
    }

    /// An error came, of which the client has been told.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// 701: it was more than a cursor may keep.
    pub fn end(self) -> SqlResult<Results> {
        if self.bytes > BYTES_MAX { Err(sql_error!(701, "default")) } else { Ok(Results(self.items)) }
    }
}

impl Results {
    /// One result set, and not none or several.
    pub fn is_one(&self) -> bool {
        self.0.iter().filter(|item| matches!(item, Item::Columns(_))).count() == 1
    }

    /// The columns and rows of the one result set.
    pub fn rows(self) -> (Vec<OutputColumn>, RowBatch) {
        let mut result = (Vec::new(), RowBatch::default());
        for item in self.0 {
            match item {
                Item::Columns(columns) => {
                    let rows = RowBatch::new(columns.iter().map(|column| column.ty.physical()));
                    result = (columns, rows);
                }
                Item::Rows(batch) => exec::columns::append_batch(&mut result.1, &batch),
                Item::Done(_) => {}
            }
        }
        result
    }

    pub fn send(self, sink: &mut dyn Sink) -> SqlResult<()> {
        for item in self.0 {
            let sent = match item {
                Item::Columns(columns) => sink.columns(&columns),
                Item::Rows(rows) => sink.batch(&rows),
                Item::Done(done) => sink.done(done),
            };
            sent.map_err(exec::session::stopped)?;
        }
        Ok(())
    }
}

impl Sink for Recorded<'_> {
    fn columns(&mut self, columns: &[OutputColumn]) -> Result<(), Stop> {
        self.items.push(Item::Columns(columns.to_vec()));
        Ok(())
    }

    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        self.bytes += exec::columns::batch_bytes(batch);
        if self.bytes > BYTES_MAX {
            self.items.clear();
            return Ok(());
        }
        let mut rows = RowBatch::new(batch.columns.iter().map(exec::columns::class_of));
        exec::columns::append_batch(&mut rows, batch);
        self.items.push(Item::Rows(rows));
        Ok(())
    }

    fn done(&mut self, done: Done) -> Result<(), Stop> {
        self.items.push(Item::Done(done));
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        self.failed |= message.severity > 10;
        self.inner.message(message)
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.inner.flush()
    }

    fn interrupted(&mut self) -> Result<(), Stop> {
        self.inner.interrupted()
    }

    fn environment(&mut self, change: &Environment) -> Result<(), Stop> {
        self.inner.environment(change)
    }
}
