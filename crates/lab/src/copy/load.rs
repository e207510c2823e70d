//! From a file into the server, as a bulk load (MS-TDS 2.2.6.1).

use std::path::Path;

use tds::client::Event;
use tds::column::flag;
use tds::{ColumnInfo, RowLayout};
use types::{Datum, RowBatch};

use super::fault::Fault;
use super::file::{self, Whole};
use super::lines;
use super::native;
use super::parquet;
use super::table::{Field, Heard, Table, announced, sent_as, told};
use super::{FormArgs, Format, LoadArgs, RowReader};
use crate::client::Connection;

/// Rows that are sent at once, and about how many bytes of them.
const ROWS_AT_ONCE: usize = 1024;
const BYTES_AT_ONCE: usize = 1 << 20;
/// For what a server says that ends a connection.
const LAST_WORDS_MS: u64 = 5_000;

/// How many rows were loaded.
pub fn run(
    connection: &mut Connection,
    name: &str,
    file: &Path,
    form: &FormArgs,
    load: &LoadArgs,
) -> Result<u64, Fault> {
    let table = Table::open(connection, name)?;
    let (mut reader, fields) = reader(&table, file, form, load)?;
    if !fields.iter().any(|field| field.is_wanted) {
        return Err(Fault::File(format!("it has no column that {name} takes")));
    }
    let mut rows = Rows::new(&table, &fields, load);
    loop {
        let more = rows.load_batch(connection, &mut *reader, load)?;
        if !more {
            break;
        }
    }
    if let Some(doubt) = reader.doubt() {
        eprintln!("{}: {doubt}", file.display());
    }
    Ok(rows.loaded)
}

fn reader(
    table: &Table,
    path: &Path,
    form: &FormArgs,
    load: &LoadArgs,
) -> Result<(Box<dyn RowReader>, Vec<Field>), Fault> {
    let of_names = |names: Option<&[String]>| table.expected(names, load.keep_identity);
    let text = |csv: bool| -> Result<(Box<dyn RowReader>, Vec<Field>), Fault> {
        let reader = lines::Reader::new(file::open(path)?, form.lines(csv)?, of_names)?;
        let fields = reader.fields().to_vec();
        Ok((Box::new(reader), fields))
    };
    match form.format(path)? {
        Format::Character => text(false),
        Format::Csv => text(true),
        Format::Native => {
            let fields = of_names(None)?;
            let input = std::io::BufReader::with_capacity(BYTES_AT_ONCE, file::open(path)?);
            Ok((Box::new(native::Reader::new(input, fields.clone())), fields))
        }
        Format::Parquet => {
            let reader = parquet::Reader::new(Whole::open(path)?, of_names)?;
            let fields = reader.fields().to_vec();
            Ok((Box::new(reader), fields))
        }
    }
}

/// Rows on their way.
struct Rows {
    statement: String,
    columns: Vec<ColumnInfo>,
    /// Of the file's fields those that are loaded, by position; and whether NULL has a place in each.
    wanted: Vec<usize>,
    takes_null: Vec<bool>,
    names: Vec<String>,
    batch: RowBatch,
    bytes: usize,
    /// Of the file.
    row: u64,
    loaded: u64,
}

impl Rows {
    fn new(table: &Table, fields: &[Field], load: &LoadArgs) -> Rows {
        let wanted: Vec<usize> = (0..fields.len()).filter(|at| fields[*at].is_wanted).collect();
        let of = |at: &usize| &fields[*at];
        let column = |field: &Field| {
            // NULL stands for a default, too, so each column may have it.
            ColumnInfo::new(
                &field.name,
                sent_as(field.sql_type),
                flag::NULLABLE | flag::UPDATABLE,
                tds::TdsVersion::V7_4,
            )
        };
        let takes_null = |field: &Field| field.is_nullable || table.column(&field.name).has_default && !load.keep_nulls;
        let announced: Vec<String> = wanted.iter().map(|at| announced(of(at))).collect();
        let options = [
            (load.keep_nulls, "KEEP_NULLS"),
            (load.check_constraints, "CHECK_CONSTRAINTS"),
            (load.fire_triggers, "FIRE_TRIGGERS"),
            (load.tablock, "TABLOCK"),
        ];
        let options: Vec<&str> = options.iter().filter(|(said, _)| *said).map(|(_, name)| *name).collect();
        let with = if options.is_empty() { String::new() } else { format!(" WITH ({})", options.join(", ")) };
        Rows {
            statement: format!("INSERT BULK {} ({}){with}", table.name, announced.join(", ")),
            columns: wanted.iter().map(|at| column(of(at))).collect(),
            takes_null: wanted.iter().map(|at| takes_null(of(at))).collect(),
            names: wanted.iter().map(|at| of(at).name.clone()).collect(),
            batch: RowBatch::new(wanted.iter().map(|at| sent_as(of(at).sql_type).physical())),
            wanted,
            bytes: 0,
            row: 0,
            loaded: 0,
        }
    }

    /// Loads what is one transaction. False: the file is at its end.
    fn load_batch(
        &mut self,
        connection: &mut Connection,
        reader: &mut dyn RowReader,
        load: &LoadArgs,
    ) -> Result<bool, Fault> {
        let answer = connection.query(&self.statement, None)?;
        told(&answer.messages)?;
        let layout = connection.protocol().begin_bulk(self.columns.clone());
        let most = load.batch.unwrap_or(u64::MAX);
        let mut values = Vec::new();
        let mut count = 0;
        let mut more = true;
        while count < most {
            if !reader.row(&mut values)? {
                more = false;
                break;
            }
            count += 1;
            self.add(&mut values)?;
            if self.batch.rows >= ROWS_AT_ONCE || self.bytes >= BYTES_AT_ONCE {
                self.send(connection, &layout)?;
            }
        }
        self.send(connection, &layout)?;
        connection.protocol().end_bulk();
        let mut heard = Heard::default();
        connection.response(None, |token| heard.take(token))?;
        told(&heard.0)?;
        self.loaded += count;
        Ok(more)
    }

    fn add(&mut self, values: &mut [Datum]) -> Result<(), Fault> {
        self.row += 1;
        let mut row = Vec::with_capacity(self.wanted.len());
        for (at, from) in self.wanted.iter().enumerate() {
            let value = std::mem::replace(&mut values[*from], Datum::Null);
            if value.is_null() && !self.takes_null[at] {
                return Err(Fault::value(self.row, &self.names[at], "NULL, which the column does not take"));
            }
            self.bytes += if let Datum::Bytes(bytes) = &value { bytes.len() } else { 16 };
            row.push(value);
        }
        self.batch.push_row(&row);
        Ok(())
    }

    fn send(&mut self, connection: &mut Connection, layout: &RowLayout) -> Result<(), Fault> {
        connection.protocol().bulk_rows(layout, &self.batch);
        self.batch.clear();
        self.bytes = 0;
        connection.flush(None).map_err(|error| why_it_ended(connection, error.into()))
    }
}

/// A server that ends a connection says so before.
fn why_it_ended(connection: &mut Connection, fault: Fault) -> Fault {
    let mut heard = Heard::default();
    let deadline = Some(os::clock::after_ms(LAST_WORDS_MS));
    while let Ok(Event::Token(token)) = connection.next_event(deadline) {
        heard.take(token);
    }
    told(&heard.0).err().unwrap_or(fault)
}
