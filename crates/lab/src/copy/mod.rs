//! `heddle sql out`, `in` and `queryout`: a table's rows into a file and back, in the manner of `bcp`.
//!
//! What must hold: a file under its name is whole; of a load all rows are there or none (`--batch` apart); what the file's form, or the
//! table, has no place for is told by row and column.
//!
//! https://learn.microsoft.com/sql/tools/bcp-utility
//!
//! Modules in dependency order, lowest first.

mod fault;
mod file;
mod value;
mod characters;
mod table;
mod lines;
mod native;
mod parquet;
mod unload;
mod load;

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use types::Datum;
use types::text::unescaped;

use crate::client::Connection;
use characters::Encoding;
use fault::Fault;
use lines::Form;

/// Takes rows, one after the other, and then their end.
trait RowWriter {
    fn row(&mut self, values: &[Datum]) -> Result<(), Fault>;
    fn finish(&mut self) -> Result<(), Fault>;
}

/// Gives rows.
trait RowReader {
    /// Puts the next row's values in place of `values`. False: there is none.
    fn row(&mut self, values: &mut Vec<Datum>) -> Result<bool, Fault>;

    /// What may be wrong with the file although all of it was read.
    fn doubt(&self) -> Option<String> {
        None
    }
}

/// What is copied, and where.
#[derive(Debug, Clone, Subcommand)]
pub enum CopyCommand {
    /// Copy a table or view into a file
    ///
    ///   heddle sql -U sa -d shop out dbo.orders orders.csv
    #[command(verbatim_doc_comment)]
    Out {
        /// Table or view: table, schema.table or database.schema.table.
        table: String,
        /// What it is copied into. A file of the name is replaced, once all rows are in the new one.
        file: PathBuf,
        #[command(flatten)]
        form: FormArgs,
    },
    /// Copy the rows of a query into a file
    #[command(name = "queryout")]
    QueryOut {
        /// T-SQL with one result.
        query: String,
        /// What it is copied into.
        file: PathBuf,
        #[command(flatten)]
        form: FormArgs,
    },
    /// Load a file into a table: all of its rows, or none
    ///
    ///   heddle sql -U sa -d shop in dbo.orders orders.csv --keep-identity
    #[command(verbatim_doc_comment)]
    In {
        /// Table or view: table, schema.table or database.schema.table.
        table: String,
        /// Has the rows.
        file: PathBuf,
        #[command(flatten)]
        form: FormArgs,
        #[command(flatten)]
        load: LoadArgs,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// bcp's -n: values as they are, for a table of the same columns.
    Native,
    /// bcp's -c: text with ends of fields and rows, without quotes.
    Character,
    /// RFC 4180, with the columns' names in the first line.
    Csv,
    /// Apache Parquet.
    Parquet,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct FormArgs {
    /// Default: csv or parquet for a file whose name ends so, else native.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Of text: utf-8, utf-16 or a code page such as 1252. What a byte order mark says counts more. Default: utf-8.
    #[arg(long, value_parser = Encoding::parse)]
    encoding: Option<Encoding>,
    /// Between the fields of text; \t, \n, \r and \0 as in C. Default: a comma in CSV, else a tab.
    #[arg(long, value_name = "TEXT")]
    field_end: Option<String>,
    /// Behind a row in character format. Default: \n.
    #[arg(long, value_name = "TEXT")]
    row_end: Option<String>,
    /// The first line of CSV has no names: all columns, in the table's order.
    #[arg(long)]
    no_header: bool,
}

#[derive(Debug, Clone, Default, ClapArgs)]
pub struct LoadArgs {
    /// Identity values are the file's; else the server gives new ones.
    #[arg(long)]
    keep_identity: bool,
    /// NULL stays NULL where the column has a default.
    #[arg(long)]
    keep_nulls: bool,
    /// CHECK and FOREIGN KEY constraints are checked.
    #[arg(long)]
    check_constraints: bool,
    /// INSERT triggers fire.
    #[arg(long)]
    fire_triggers: bool,
    /// Nobody else uses the table meanwhile.
    #[arg(long)]
    tablock: bool,
    /// So many rows are a transaction of their own, and stay if what follows is wrong. Default: all are one.
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    batch: Option<u64>,
}

impl FormArgs {
    /// Of a file of the name. Err: a switch means nothing there.
    fn format(&self, file: &Path) -> Result<Format, Fault> {
        let ending = file.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let format = self.format.unwrap_or(match ending.as_deref() {
            Some("csv") => Format::Csv,
            Some("parquet") => Format::Parquet,
            _ => Format::Native,
        });
        let (name, taken): (&str, &[&str]) = match format {
            Format::Native => ("native", &[]),
            Format::Parquet => ("parquet", &[]),
            Format::Character => ("character", &["--encoding", "--field-end", "--row-end"]),
            Format::Csv => ("csv", &["--encoding", "--field-end", "--no-header"]),
        };
        let given = [
            (self.encoding.is_some(), "--encoding"),
            (self.field_end.is_some(), "--field-end"),
            (self.row_end.is_some(), "--row-end"),
            (self.no_header, "--no-header"),
        ];
        match given.iter().find(|(is_given, switch)| *is_given && !taken.contains(switch)) {
            Some((_, switch)) => Err(Fault::File(format!("{switch} means nothing in format {name}"))),
            None => Ok(format),
        }
    }

    /// Of text.
    fn lines(&self, csv: bool) -> Result<Form, Fault> {
        let (field_end, row_end) = if csv { (",", "\r\n") } else { ("\t", "\n") };
        let form = Form {
            csv,
            field_end: self.field_end.as_deref().map_or_else(|| field_end.to_owned(), unescaped),
            row_end: self.row_end.as_deref().map_or_else(|| row_end.to_owned(), unescaped),
            encoding: self.encoding.unwrap_or(Encoding::Utf8),
            header: csv && !self.no_header,
        };
        form.check()?;
        Ok(form)
    }
}

/// The process's exit code.
pub fn run(connection: &mut Connection, copy: &CopyCommand) -> i32 {
    let (file, copied, what) = match copy {
        CopyCommand::Out { table, file, form } => (file, unload::table(connection, table, file, form), "copied"),
        CopyCommand::QueryOut { query, file, form } => (file, unload::query(connection, query, file, form), "copied"),
        CopyCommand::In { table, file, form, load } => (file, load::run(connection, table, file, form, load), "loaded"),
    };
    match copied {
        Ok(rows) => {
            println!("{rows} rows {what}.");
            0
        }
        Err(fault @ Fault::Server(_)) => {
            eprintln!("{fault}");
            1
        }
        Err(fault) => {
            eprintln!("{}: {fault}", file.display());
            1
        }
    }
}
