//! From the server into a file.

use std::path::Path;

use tds::client::Event;
use tds::token::Token;

use super::fault::Fault;
use super::file::Making;
use super::lines;
use super::native;
use super::parquet;
use super::table::{Field, Heard, Table, fields_of, told};
use super::{FormArgs, Format, RowWriter};
use crate::client::Connection;

/// How many rows were copied.
pub fn table(connection: &mut Connection, name: &str, file: &Path, form: &FormArgs) -> Result<u64, Fault> {
    let table = Table::open(connection, name)?;
    run(connection, &table.select(), Some(table.fields()), file, form)
}

pub fn query(connection: &mut Connection, query: &str, file: &Path, form: &FormArgs) -> Result<u64, Fault> {
    run(connection, query, None, file, form)
}

/// `fields`: of a table, which knows better than the result whether a column is NULL.
fn run(
    connection: &mut Connection,
    text: &str,
    fields: Option<Vec<Field>>,
    file: &Path,
    form: &FormArgs,
) -> Result<u64, Fault> {
    let format = form.format(file)?;
    let mut making = Making::begin(file)?;
    let copied = rows(connection, text, fields, &mut making, format, form);
    match copied {
        Ok(rows) => making.end().map(|()| rows).map_err(Fault::from),
        Err(fault) => {
            making.give_up();
            Err(fault)
        }
    }
}

fn writer<'a>(
    out: &'a mut Making,
    fields: Vec<Field>,
    format: Format,
    form: &FormArgs,
) -> Result<Box<dyn RowWriter + 'a>, Fault> {
    Ok(match format {
        Format::Native => Box::new(native::Writer::new(out, fields)),
        Format::Character => Box::new(lines::Writer::new(out, form.lines(false)?, fields)?),
        Format::Csv => Box::new(lines::Writer::new(out, form.lines(true)?, fields)?),
        Format::Parquet => Box::new(parquet::Writer::new(out, fields)?),
    })
}

fn rows(
    connection: &mut Connection,
    text: &str,
    mut fields: Option<Vec<Field>>,
    making: &mut Making,
    format: Format,
    form: &FormArgs,
) -> Result<u64, Fault> {
    connection.protocol().batch(text);
    let mut heard = Heard::default();
    let mut count = 0;
    let mut out: Option<Box<dyn RowWriter + '_>> = None;
    let mut making = Some(making);
    loop {
        match connection.next_event(None)? {
            Event::End => break,
            Event::Token(Token::Columns(columns)) => match making.take() {
                Some(making) => {
                    let fields = fields.take().unwrap_or_else(|| fields_of(&columns));
                    out = Some(writer(making, fields, format, form)?);
                }
                None => return Err(Fault::File("the query has a second result, for which there is no file".into())),
            },
            Event::Token(Token::Row(values)) => {
                count += 1;
                out.as_mut().expect("columns come before rows").row(&values)?;
            }
            Event::Token(token) => heard.take(token),
            other => panic!("{other:?} after login"),
        }
    }
    told(&heard.0)?;
    match out {
        Some(mut out) => out.finish().map(|()| count),
        None => Err(Fault::File("the query has no result".into())),
    }
}
