//! A connection's results as text or XML, kept until the run ends.

use tds::ColumnInfo;
use tds::token::ServerMessage;
use types::Datum;

use crate::text::push_value;

/// Of one connection, at most.
const BYTES_MAX: usize = 64 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Text,
    Xml,
}

pub struct Output {
    form: Form,
    text: String,
    columns: Vec<ColumnInfo>,
    in_set: bool,
}

impl Output {
    pub fn new(form: Form) -> Output {
        let text = if form == Form::Xml { "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<results>\n" } else { "" };
        Output { form, text: text.into(), columns: Vec::new(), in_set: false }
    }

    fn is_full(&self) -> bool {
        self.text.len() >= BYTES_MAX
    }

    pub fn columns(&mut self, columns: &[ColumnInfo]) {
        self.end_set();
        self.columns = columns.to_vec();
        self.in_set = true;
        match self.form {
            Form::Xml => self.text.push_str("<resultset>\n"),
            Form::Text => {
                let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
                self.text.push_str(&names.join("\t"));
                self.text.push('\n');
            }
        }
    }

    pub fn row(&mut self, row: &[Datum]) {
        if self.is_full() {
            return;
        }
        if self.form == Form::Xml {
            self.text.push_str("<row>");
        }
        for (at, (column, value)) in self.columns.iter().zip(row).enumerate() {
            let mut text = String::new();
            push_value(column.info.sql_type, value, &mut text);
            match self.form {
                Form::Text if at > 0 => self.text.push_str(&format!("\t{text}")),
                Form::Text => self.text.push_str(&text),
                Form::Xml if matches!(value, Datum::Null) => {
                    self.text.push_str(&format!("<column name=\"{}\"/>", escaped(&column.name)));
                }
                Form::Xml => {
                    let line = format!("<column name=\"{}\">{}</column>", escaped(&column.name), escaped(&text));
                    self.text.push_str(&line);
                }
            }
        }
        self.text.push_str(if self.form == Form::Xml { "</row>\n" } else { "\n" });
    }

    pub fn message(&mut self, message: &ServerMessage) {
        self.end_set();
        let text = match message.is_error() {
            true => tds::client::format_message(message),
            false => message.text.clone(),
        };
        match self.form {
            Form::Text => self.text.push_str(&format!("{text}\n")),
            Form::Xml => {
                let line = format!("<message number=\"{}\">{}</message>\n", message.number, escaped(&text));
                self.text.push_str(&line);
            }
        }
    }

    pub fn count(&mut self, rows: u64) {
        self.end_set();
        match self.form {
            Form::Text => self.text.push_str(&format!("({rows} rows affected)\n")),
            Form::Xml => self.text.push_str(&format!("<rowcount>{rows}</rowcount>\n")),
        }
    }

    fn end_set(&mut self) {
        if std::mem::take(&mut self.in_set) && self.form == Form::Xml {
            self.text.push_str("</resultset>\n");
        }
    }

    /// The file's contents.
    pub fn finish(mut self) -> String {
        self.end_set();
        if self.form == Form::Xml {
            self.text.push_str("</results>\n");
        }
        self.text
    }

    pub fn extension(form: Form) -> &'static str {
        match form {
            Form::Text => "out",
            Form::Xml => "xml",
        }
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 has no other characters below the blank.
            c if c.is_control() && !"\t\r\n".contains(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
