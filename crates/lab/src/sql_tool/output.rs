//! Results and messages as text, in sqlcmd's layout.

use std::io::{BufWriter, Write};
use std::sync::Arc;

use tds::ColumnInfo;
use tds::client::format_message;
use tds::token::{Done, ServerMessage, Token, command, done};
use types::{Datum, SqlType};

use crate::text::{display_width, is_right_aligned, push_value};

/// Columns are padded to at most this width, unless -Y says another.
const PADDING_MAX: usize = 256;

#[derive(Debug, Clone)]
pub struct Format {
    pub headers: i32,
    pub separator: String,
    pub line_width: usize,
    pub trim: bool,
    pub large_width: usize,
    pub fixed_width: usize,
    /// 0 leave, 1 a space for each, 2 one space for several.
    pub control_characters: u8,
    pub message_level: Option<i32>,
    pub messages_to_stderr: Option<u8>,
}

struct Column {
    sql_type: SqlType,
    name: String,
    /// 0: as wide as each value.
    width: usize,
    /// Values are cut here; 0: never.
    cut: usize,
    right: bool,
}

pub struct Printer {
    format: Format,
    out: Box<dyn Write>,
    errors: Option<Box<dyn Write>>,
    columns: Vec<Column>,
    rows_since_header: i32,
    line: String,
    cell: String,
    /// Text of the last first column, for `:exit(query)`.
    pub last_value: Option<i64>,
    /// Writing failed: the reader of our output has gone.
    pub is_broken: bool,
}

impl Printer {
    pub fn new(format: Format, file: Option<&str>) -> Result<Printer, String> {
        let out = match file {
            Some(path) => open_file(path)?,
            None => standard_output(),
        };
        Ok(Printer {
            format,
            out,
            errors: None,
            columns: Vec::new(),
            rows_since_header: 0,
            line: String::new(),
            cell: String::new(),
            last_value: None,
            is_broken: false,
        })
    }

    /// `:out` and `:error`: a file, `stdout` or `stderr`.
    pub fn redirect(&mut self, place: &str, errors_only: bool) -> Result<(), String> {
        self.flush();
        let target = match place.to_lowercase().as_str() {
            "stdout" => standard_output(),
            "stderr" => Box::new(std::io::stderr()),
            _ => open_file(place)?,
        };
        if errors_only {
            self.errors = Some(target);
        } else {
            self.out = target;
        }
        Ok(())
    }

    pub fn flush(&mut self) {
        self.is_broken |= self.out.flush().is_err();
        if let Some(errors) = &mut self.errors {
            let _ = errors.flush();
        }
    }

    pub fn text(&mut self, line: &str) {
        self.is_broken |= writeln!(self.out, "{line}").is_err();
    }

    pub fn token(&mut self, token: Token) {
        match token {
            Token::Columns(columns) => self.begin_set(columns),
            Token::Row(row) => self.row(&row),
            Token::Message(message) => self.message(&message),
            Token::Done(done) => self.done(done),
            _ => {}
        }
    }

    fn begin_set(&mut self, columns: Arc<[ColumnInfo]>) {
        let format = &self.format;
        self.columns = columns
            .iter()
            .map(|column| {
                let sql_type = column.info.sql_type;
                let is_text = sql_type.is_string() || sql_type.is_max() || sql_type.is_binary();
                let natural = match display_width(sql_type, format.fixed_width, format.large_width) {
                    // Short text is cut, but not the word that there is none.
                    width if width > 0 && is_text && column.is_nullable() => width.max("NULL".len()),
                    width => width,
                };
                // An unbounded nvarchar(4000) is not cut, but nobody wants 4,000 blanks after `yes`.
                let padded = if format.fixed_width == 0 { natural.min(PADDING_MAX) } else { natural };
                Column {
                    sql_type,
                    name: column.name.clone(),
                    width: if format.trim || natural == 0 { 0 } else { padded.max(column.name.chars().count()) },
                    cut: if is_text { natural } else { 0 },
                    right: is_right_aligned(sql_type),
                }
            })
            .collect();
        self.rows_since_header = 0;
        if self.format.headers >= 0 {
            self.header();
        }
    }

    fn header(&mut self) {
        let columns = std::mem::take(&mut self.columns);
        self.line.clear();
        for (i, column) in columns.iter().enumerate() {
            self.cell.clone_from(&column.name);
            self.put_cell(i, column.width, false);
        }
        self.end_line();
        for (i, column) in columns.iter().enumerate() {
            self.cell.clear();
            let dashes = column.width.max(column.name.chars().count()).max(1);
            self.cell.extend(std::iter::repeat_n('-', dashes));
            self.put_cell(i, 0, false);
        }
        self.end_line();
        self.columns = columns;
    }

    fn row(&mut self, row: &[Datum]) {
        if self.format.headers > 0 && self.rows_since_header == self.format.headers {
            self.text("");
            self.header();
            self.rows_since_header = 0;
        }
        self.rows_since_header = self.rows_since_header.saturating_add(1);
        if let (Some(Datum::I64(value)), Some(column)) = (row.first(), self.columns.first())
            && column.sql_type.is_integer()
        {
            self.last_value = Some(*value);
        }
        let columns = std::mem::take(&mut self.columns);
        for (i, (column, value)) in columns.iter().zip(row).enumerate() {
            self.cell.clear();
            push_value(column.sql_type, value, &mut self.cell);
            if self.format.control_characters > 0 {
                self.cell = without_control_characters(&self.cell, self.format.control_characters > 1);
            }
            if column.cut > 0
                && self.cell.len() > column.cut
                && let Some((at, _)) = self.cell.char_indices().nth(column.cut)
            {
                self.cell.truncate(at);
            }
            self.put_cell(i, column.width, column.right);
        }
        self.end_line();
        self.columns = columns;
    }

    /// Appends the cell to the line, padded to `width`.
    fn put_cell(&mut self, index: usize, width: usize, right: bool) {
        if index > 0 {
            self.line.push_str(&self.format.separator);
        }
        let text = if self.format.trim { self.cell.trim_end_matches(' ') } else { &self.cell };
        // Counting characters is only needed where padding is.
        let padding = if width == 0 { 0 } else { width.saturating_sub(text.chars().count()) };
        if right {
            self.line.extend(std::iter::repeat_n(' ', padding));
        }
        self.line.push_str(text);
        if !right {
            self.line.extend(std::iter::repeat_n(' ', padding));
        }
    }

    fn end_line(&mut self) {
        if self.format.line_width == 0 {
            self.line.push('\n');
            self.is_broken |= self.out.write_all(self.line.as_bytes()).is_err();
        } else {
            let characters: Vec<char> = self.line.chars().collect();
            for piece in characters.chunks(self.format.line_width) {
                let piece: String = piece.iter().collect();
                self.is_broken |= writeln!(self.out, "{piece}").is_err();
            }
            if characters.is_empty() {
                self.text("");
            }
        }
        self.line.clear();
    }

    fn done(&mut self, done: Done) {
        // An assignment is a SELECT without columns: its count is not shown.
        let shown = !self.columns.is_empty() || done.command != command::SELECT;
        self.columns.clear();
        if shown && done.status & done::COUNT != 0 {
            self.text("");
            self.text(&format!("({} rows affected)", done.rows));
        }
    }

    pub fn message(&mut self, message: &ServerMessage) {
        let severity = i32::from(message.severity);
        if self.format.message_level.is_some_and(|level| level > 0 && severity < level) {
            return;
        }
        let all_headers = self.format.message_level == Some(-1);
        let text =
            if all_headers || !matches!(severity, 0 | 10) { format_message(message) } else { message.text.clone() };
        let to_stderr = match self.format.messages_to_stderr {
            Some(1) => true,
            Some(_) => message.is_error(),
            None => false,
        };
        if to_stderr {
            self.flush();
            eprintln!("{text}");
        } else if let (true, Some(errors)) = (message.is_error(), &mut self.errors) {
            let _ = writeln!(errors, "{text}");
        } else {
            self.text(&text);
        }
    }
}

fn standard_output() -> Box<dyn Write> {
    Box::new(BufWriter::with_capacity(1 << 16, std::io::stdout()))
}

/// A tool's output is an ordinary file of the user, beside the server's own files and their rules.
#[allow(clippy::disallowed_types)]
fn open_file(path: &str) -> Result<Box<dyn Write>, String> {
    let file = std::fs::File::create(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(Box::new(BufWriter::with_capacity(1 << 16, file)))
}

fn without_control_characters(text: &str, squeeze: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut was_control = false;
    for c in text.chars() {
        let is_control = c.is_control();
        if !is_control {
            out.push(c);
        } else if !(squeeze && was_control) {
            out.push(' ');
        }
        was_control = is_control;
    }
    out
}
