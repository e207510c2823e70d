//! What a step says: messages as its history has them, and all of it as its output file has it.

use exec::sink::{Sink, Stop};
use sql::plan::OutputColumn;
use storage::Transaction;
use types::convert::{ConvertContext, NO_STYLE, convert};
use types::{RowBatch, SqlError, SqlType};

use crate::session::arguments::string_of;

/// `sysjobhistory.message` has as many characters.
pub const HISTORY_CHARS_MAX: usize = 4_000;
/// Kept of a step's output, in bytes; what comes after is left out.
const OUTPUT_BYTES_MAX: usize = 4 << 20;
/// Of a value in the output, in characters.
const VALUE_CHARS_MAX: u16 = 2_000;

#[derive(Default)]
pub struct Output {
    /// Each message followed by its SQLSTATE, as Agent writes them.
    pub history: String,
    /// Messages and rows. Nobody asked for them: it stays empty.
    pub all: String,
    pub keeps_all: bool,
    /// Number and severity of the first error: the step has failed.
    pub error: Option<(i32, u8)>,
    types: Vec<SqlType>,
}

impl Output {
    fn say(&mut self, line: &str) {
        if self.keeps_all && self.all.len() + line.len() < OUTPUT_BYTES_MAX {
            self.all.push_str(line);
            self.all.push_str("\r\n");
        }
    }

    pub fn add_to_history(&mut self, text: &str) {
        // Twice the characters that are kept are enough for any that are wide.
        if self.history.len() < 4 * HISTORY_CHARS_MAX {
            if !self.history.is_empty() {
                self.history.push_str("  ");
            }
            self.history.push_str(text);
        }
    }

    /// As if nothing had been said yet.
    pub fn forget(&mut self) {
        self.history.clear();
        self.all.clear();
    }

    /// An error, or a message of the step.
    pub fn hear(&mut self, message: &SqlError) {
        for earlier in &message.earlier {
            self.hear(earlier);
        }
        let (state, kind) = if message.severity > 10 { ("42000", "Error") } else { ("01000", "Message") };
        if message.severity > 10 {
            self.error.get_or_insert((message.number, message.severity));
        }
        self.add_to_history(&format!("{} [SQLSTATE {state}] ({kind} {}).", message.text, message.number));
        self.say(&message.text);
    }
}

fn shown(value: &types::Datum, ty: &SqlType) -> String {
    let text = SqlType::nvarchar(VALUE_CHARS_MAX);
    match convert(value, ty, &text, NO_STYLE, &ConvertContext::CAST) {
        Ok(types::Datum::Bytes(bytes)) => string_of(&text, &bytes),
        _ if value.is_null() => "NULL".to_owned(),
        _ => "...".to_owned(),
    }
}

impl Sink for Output {
    fn columns(&mut self, columns: &[OutputColumn]) -> Result<(), Stop> {
        if self.keeps_all {
            self.types = columns.iter().map(|column| column.ty).collect();
            let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
            self.say(&names.join(" "));
        }
        Ok(())
    }

    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        if self.keeps_all {
            for row in 0..batch.rows {
                let cells = batch.columns.iter().zip(&self.types);
                let values: Vec<String> = cells.map(|(column, ty)| shown(&column.datum(row), ty)).collect();
                self.say(&values.join(" "));
            }
        }
        Ok(())
    }

    fn batch_within(&mut self, batch: &RowBatch, _transaction: Option<&mut Transaction>) -> Result<(), Stop> {
        self.batch(batch)
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        self.hear(message);
        Ok(())
    }
}
