//! Text files: character format as bcp writes it, and CSV (RFC 4180).
//!
//! Character format has no quotes: a value with an end of a field or a row in it is refused when it is written. A field with nothing in it is
//! NULL, and an empty text is one NUL character, as bcp has both. In CSV a field with nothing in it is NULL, and an empty text is "".
//!
//! https://learn.microsoft.com/sql/tools/bcp-utility
//! https://www.rfc-editor.org/rfc/rfc4180

use std::io::{Read, Write};

use types::Datum;

use super::characters::{self, Characters, Encoding};
use super::fault::Fault;
use super::table::Field;
use super::value;
use super::{RowReader, RowWriter};

/// Of a value in memory.
const VALUE_BYTES_MAX: usize = i32::MAX as usize;

/// How the file is written.
#[derive(Debug, Clone)]
pub struct Form {
    pub csv: bool,
    pub field_end: String,
    pub row_end: String,
    pub encoding: Encoding,
    /// The first row has the columns' names.
    pub header: bool,
}

impl Form {
    /// Err: nobody could read that.
    pub fn check(&self) -> Result<(), Fault> {
        let told = |why: &str| Err(Fault::File(why.to_owned()));
        if self.field_end.is_empty() || self.row_end.is_empty() {
            return told("an end of fields or rows has one character at least");
        }
        if self.csv && (self.field_end.chars().count() != 1 || matches!(&*self.field_end, "\"" | "\r" | "\n")) {
            return told("between fields of CSV stands one character, which is no quote and no end of a line");
        }
        if self.field_end.contains(&self.row_end) || self.row_end.contains(&self.field_end) {
            return told("the end of a field and that of a row hold each other");
        }
        Ok(())
    }
}

pub struct Writer<W> {
    out: W,
    form: Form,
    fields: Vec<Field>,
    row: u64,
    line: String,
    text: String,
}

impl<W: Write> Writer<W> {
    pub fn new(mut out: W, form: Form, fields: Vec<Field>) -> Result<Writer<W>, Fault> {
        if form.encoding == Encoding::Utf16 {
            out.write_all(&[0xff, 0xfe])?;
        }
        let mut writer = Writer { out, form, fields, row: 0, line: String::new(), text: String::new() };
        if writer.form.header {
            let names: Vec<String> = writer.fields.iter().map(|field| field.name.clone()).collect();
            for (at, name) in names.iter().enumerate() {
                writer.text.clone_from(name);
                writer.put(at, false)?;
            }
            writer.write_line()?;
        }
        Ok(writer)
    }

    /// Adds field `at` to the line, with what ends it: `text`, or nothing.
    fn put(&mut self, at: usize, is_null: bool) -> Result<(), Fault> {
        let is_last = at + 1 == self.fields.len();
        let end = if is_last { &self.form.row_end } else { &self.form.field_end };
        let start = self.line.len();
        if !is_null {
            push_field(&self.text, &self.form, &mut self.line);
        }
        let behind = self.line.len();
        self.line.push_str(end);
        if self.form.csv || is_null {
            return Ok(());
        }
        // The reader takes the first end that it finds.
        let comes_sooner = |end: &str| self.line[start..].find(end).is_some_and(|found| start + found < behind);
        let why = if self.text == "\0" {
            "a NUL alone stands for an empty text"
        } else if comes_sooner(&self.form.field_end) {
            "it has the end of a field in it"
        } else if comes_sooner(&self.form.row_end) {
            "it has the end of a row in it"
        } else if is_last && self.text.ends_with('\r') && self.form.row_end == "\n" {
            "its last character would be of the row's end"
        } else {
            return Ok(());
        };
        let why =
            format!("'{}': {why} (format csv or native has it, or --field-end, --row-end)", value::shown(&self.text));
        Err(Fault::value(self.row, &self.fields[at].name, why))
    }

    fn write_line(&mut self) -> Result<(), Fault> {
        let written = characters::write(&self.line, self.form.encoding, &mut self.out)?;
        self.line.clear();
        written.map_err(|other| Fault::row(self.row, format!("'{other}' is not in {}", self.form.encoding)))
    }
}

fn push_field(text: &str, form: &Form, line: &mut String) {
    if !form.csv {
        return line.push_str(if text.is_empty() { "\0" } else { text });
    }
    let quoted = text.is_empty() || text.contains(['"', '\r', '\n']) || text.contains(&form.field_end);
    if !quoted {
        return line.push_str(text);
    }
    line.push('"');
    line.push_str(&text.replace('"', "\"\""));
    line.push('"');
}

impl<W: Write> RowWriter for Writer<W> {
    fn row(&mut self, values: &[Datum]) -> Result<(), Fault> {
        self.row += 1;
        for (at, value) in values.iter().enumerate() {
            self.text.clear();
            let field = &self.fields[at];
            value::push_text(field.sql_type, value, &mut self.text)
                .map_err(|why| Fault::value(self.row, &field.name, why))?;
            self.put(at, value.is_null())?;
        }
        self.write_line()
    }

    fn finish(&mut self) -> Result<(), Fault> {
        Ok(self.out.flush()?)
    }
}

/// What stands behind a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Field,
    Row,
    File,
}

pub struct Reader<R> {
    characters: Characters<R>,
    form: Form,
    fields: Vec<Field>,
    /// The last characters of the two ends.
    last: [char; 2],
    row: u64,
    text: String,
    /// The last row had no end, which CSV allows.
    is_open: bool,
}

impl<R: Read> Reader<R> {
    /// `of_names`: the table's columns, by the names in the header, or all of them.
    pub fn new(
        input: R,
        form: Form,
        of_names: impl FnOnce(Option<&[String]>) -> Result<Vec<Field>, Fault>,
    ) -> Result<Reader<R>, Fault> {
        let last = [&form.field_end, &form.row_end].map(|end| end.chars().next_back().expect("checked"));
        let characters = Characters::new(input, form.encoding)?;
        let mut reader =
            Reader { characters, form, fields: Vec::new(), last, row: 0, text: String::new(), is_open: false };
        let names = match reader.form.header {
            true => Some(reader.names()?),
            false => None,
        };
        reader.fields = of_names(names.as_deref())?;
        Ok(reader)
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Err: there are none.
    fn names(&mut self) -> Result<Vec<String>, Fault> {
        let mut names = Vec::new();
        loop {
            let (is_there, end) = self.field().map_err(|why| Fault::File(format!("the header: {why}")))?;
            if !is_there && names.is_empty() && end == End::File {
                return Err(Fault::File("the file is empty: there is no header".into()));
            }
            names.push(std::mem::take(&mut self.text));
            if end != End::Field {
                return Ok(names);
            }
        }
    }

    /// Reads a field into `text`. False: nothing stands there.
    fn field(&mut self) -> Result<(bool, End), String> {
        self.text.clear();
        let found = if self.form.csv { self.csv_field() } else { self.plain_field() };
        match found {
            Ok(_) if self.text.len() > VALUE_BYTES_MAX => Err("the value is longer than 2 GB".into()),
            found => found,
        }
    }

    fn next(&mut self) -> Result<Option<char>, String> {
        self.characters.next().map_err(|broken| broken.to_string())
    }

    fn peek(&mut self) -> Result<Option<char>, String> {
        self.characters.peek().map_err(|broken| broken.to_string())
    }

    fn plain_field(&mut self) -> Result<(bool, End), String> {
        let [field_last, row_last] = self.last;
        let end = loop {
            let Some(next) = self.next()? else { break End::File };
            self.text.push(next);
            if next == field_last && self.text.ends_with(&self.form.field_end) {
                self.text.truncate(self.text.len() - self.form.field_end.len());
                break End::Field;
            }
            if next == row_last && self.text.ends_with(&self.form.row_end) {
                self.text.truncate(self.text.len() - self.form.row_end.len());
                if self.form.row_end == "\n" && self.text.ends_with('\r') {
                    self.text.pop();
                }
                break End::Row;
            }
            if self.text.len() > VALUE_BYTES_MAX {
                return Err("the value is longer than 2 GB".into());
            }
        };
        let is_there = !self.text.is_empty();
        if self.text == "\0" {
            self.text.clear();
        }
        Ok((is_there, end))
    }

    fn csv_field(&mut self) -> Result<(bool, End), String> {
        if self.peek()? != Some('"') {
            let end = loop {
                match self.end()? {
                    Err(other) => self.text.push(other),
                    Ok(end) => break end,
                }
                if self.text.len() > VALUE_BYTES_MAX {
                    return Err("the value is longer than 2 GB".into());
                }
            };
            return Ok((!self.text.is_empty(), end));
        }
        self.next()?;
        loop {
            match self.next()? {
                None => return Err("the file ends within quotes".into()),
                Some('"') if self.peek()? == Some('"') => {
                    self.next()?;
                    self.text.push('"');
                }
                Some('"') => break,
                Some(other) => self.text.push(other),
            }
            if self.text.len() > VALUE_BYTES_MAX {
                return Err("the value is longer than 2 GB".into());
            }
        }
        match self.end()? {
            Ok(end) => Ok((true, end)),
            Err(other) => Err(format!("'{}' stands behind the closing quote", other.escape_debug())),
        }
    }

    /// What ends a field of CSV here, or a character of its text.
    fn end(&mut self) -> Result<Result<End, char>, String> {
        Ok(match self.next()? {
            None => Ok(End::File),
            Some(next) if next == self.last[0] => Ok(End::Field),
            Some('\n') => Ok(End::Row),
            Some('\r') if self.peek()? == Some('\n') => {
                self.next()?;
                Ok(End::Row)
            }
            Some(other) => Err(other),
        })
    }
}

impl<R: Read> RowReader for Reader<R> {
    fn row(&mut self, values: &mut Vec<Datum>) -> Result<bool, Fault> {
        let is_end = self.peek().map_err(|why| Fault::row(self.row + 1, why))?.is_none();
        if is_end {
            return Ok(false);
        }
        self.row += 1;
        values.clear();
        let count = self.fields.len();
        for at in 0..count {
            let (is_there, end) = self.field().map_err(|why| Fault::value(self.row, &self.fields[at].name, why))?;
            let field = &self.fields[at];
            let made = match is_there && field.is_wanted {
                true => value::of_text(&self.text, field.sql_type),
                false => Ok(Datum::Null),
            };
            values.push(made.map_err(|why| Fault::value(self.row, &field.name, why))?);
            let is_last = at + 1 == count;
            if is_last && end == End::Field {
                return Err(Fault::row(self.row, format!("it has more than {count} fields")));
            }
            if !is_last && end != End::Field {
                let what = if end == End::File { "the file ends" } else { "it ends" };
                return Err(Fault::row(self.row, format!("{what} after {} of {count} fields", at + 1)));
            }
            if end == End::File && !self.form.csv {
                // A file that was cut within its last row has lost at least the end of it.
                return Err(Fault::row(self.row, "the file ends within it: there is no end of the row"));
            }
            self.is_open = end == End::File;
        }
        Ok(true)
    }

    fn doubt(&self) -> Option<String> {
        self.is_open
            .then(|| format!("row {} has no end of a line: it is the last one, unless the file was cut", self.row))
    }
}

#[cfg(test)]
mod tests {
    use types::SqlType;

    use super::*;

    fn fields() -> Vec<Field> {
        let field = |name: &str, sql_type| Field { name: name.into(), sql_type, is_nullable: true, is_wanted: true };
        vec![field("id", SqlType::INT), field("text", SqlType::nvarchar(30))]
    }

    fn form(csv: bool, header: bool) -> Form {
        let (field_end, row_end) = if csv { (",", "\r\n") } else { ("\t", "\n") };
        Form { csv, field_end: field_end.into(), row_end: row_end.into(), encoding: Encoding::Utf8, header }
    }

    fn read(bytes: &[u8], form: Form) -> Result<Vec<Vec<Datum>>, String> {
        let mut reader = Reader::new(bytes, form, |_| Ok(fields())).map_err(|fault| fault.to_string())?;
        let (mut rows, mut row) = (Vec::new(), Vec::new());
        while reader.row(&mut row).map_err(|fault| fault.to_string())? {
            rows.push(row.clone());
        }
        Ok(rows)
    }

    #[test]
    fn rows_come_back_as_they_were_written() {
        let text = |text: &str| vec![Datum::I64(1), Datum::nvarchar(text)];
        let plain = vec![text("a"), text(""), vec![Datum::Null, Datum::Null], text(" b \u{1f600}"), text("\"")];
        let quoted = [&plain[..], &[text("two\r\nlines, \"so\""), text("\t"), text("\n"), text(",")]].concat();
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for (form, rows) in
                [(form(false, false), &plain), (form(true, false), &quoted), (form(true, true), &quoted)]
            {
                let form = Form { encoding, ..form };
                let mut bytes = Vec::new();
                let mut writer = Writer::new(&mut bytes, form.clone(), fields()).expect("written");
                rows.iter().for_each(|row| writer.row(row).expect("written"));
                writer.finish().expect("written");
                assert_eq!(read(&bytes, form).as_ref(), Ok(rows), "{:?}", String::from_utf8_lossy(&bytes));
            }
        }
    }

    #[test]
    fn what_a_text_file_has_no_place_for_is_refused() {
        for text in ["a\tb", "a\nb", "a\r", "\0"] {
            let mut writer = Writer::new(Vec::new(), form(false, false), fields()).expect("written");
            let told = writer.row(&[Datum::I64(1), Datum::nvarchar(text)]).expect_err(text).to_string();
            assert!(told.starts_with("row 1, column text: "), "{told}");
        }
        let bars = Form { field_end: "||".into(), row_end: "@@".into(), ..form(false, false) };
        for text in ["a||b", "a|", "@@", "x@"] {
            let mut writer = Writer::new(Vec::new(), bars.clone(), fields()).expect("written");
            let wrong = writer.row(&[Datum::I64(1), Datum::nvarchar(text)]).is_err();
            assert_eq!(wrong, text != "a|", "{text}: only what stands before the same end clashes with it");
        }
        let latin = Form { encoding: Encoding::Page(1252), ..form(true, false) };
        let mut writer = Writer::new(Vec::new(), latin, fields()).expect("written");
        writer.row(&[Datum::I64(1), Datum::nvarchar("\u{3a9}")]).expect_err("not in the code page");
    }

    #[test]
    fn files_of_others_are_read() {
        let row = |id: i64, text: Datum| vec![Datum::I64(id), text];
        let cases: [(&[u8], Form, Vec<Vec<Datum>>); 6] = [
            (b"", form(false, false), Vec::new()),
            (b"\xef\xbb\xbf", form(true, false), Vec::new()),
            (b"id,text\n", form(true, true), Vec::new()),
            (b"1\tx\r\n2\t\r\n", form(false, false), vec![row(1, Datum::nvarchar("x")), row(2, Datum::Null)]),
            (
                b"1,5\" pipe\n\"2\",\"\"",
                form(true, false),
                vec![row(1, Datum::nvarchar("5\" pipe")), row(2, Datum::nvarchar(""))],
            ),
            (b"1,a\rb\r\n", form(true, false), vec![row(1, Datum::nvarchar("a\rb"))]),
        ];
        for (bytes, form, rows) in cases {
            assert_eq!(read(bytes, form), Ok(rows), "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn wrong_files_are_told_by_row_and_column() {
        let cases: [(&[u8], bool, &str); 11] = [
            (b"x\ta\n", false, "row 1, column id: 'x' is no int"),
            (b"1\ta\n2\n", false, "row 2: it ends after 1 of 2 fields"),
            (b"1\ta\tb\n", false, "row 1: it has more than 2 fields"),
            (b"1\ta\n2\tb", false, "row 2: the file ends within it"),
            (b"1\ta\n2", false, "row 2: the file ends after 1 of 2 fields"),
            (b"1,a\n2", true, "row 2: the file ends after 1 of 2 fields"),
            (b"1,a\n\n", true, "row 2: it ends after 1 of 2 fields"),
            (b"1,a,b\n", true, "row 1: it has more than 2 fields"),
            (b"1,\"a\n2,b\n", true, "row 1, column text: the file ends within quotes"),
            (b"1,\"a\"b\n", true, "row 1, column text: 'b' stands behind the closing quote"),
            (b"1,a\n2,\xff\n", true, "row 2, column text: the bytes at 6 of the file are no UTF-8"),
        ];
        for (bytes, csv, wanted) in cases {
            let told = read(bytes, form(csv, false)).expect_err(wanted);
            assert!(told.starts_with(wanted), "{told}");
        }
        let told = read(b"", form(true, true)).expect_err("no header");
        assert_eq!(told, "the file is empty: there is no header");
    }
}
