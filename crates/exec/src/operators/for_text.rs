//! FOR XML and FOR JSON: rows become one text.

use sql::plan::{ForFormat, Operator, OutputColumn};
use types::{Datum, RowBatch, SqlResult, SqlType, convert};

use super::for_json::JsonWriter;
use super::for_xml::XmlWriter;
use super::{batch_of, drain, source};
use crate::context::{Context, GRANT_BYTES_MAX, RowSource, out_of_memory};
use crate::expression::Compiler;
use crate::workspace::Held;

/// Text made row by row.
pub struct Writer {
    shape: Shape,
    text: String,
    /// What ends the text that `text` begins.
    end: String,
    held: Held,
    rows: u64,
}

enum Shape {
    Json(JsonWriter),
    Xml(Box<XmlWriter>),
}

impl Writer {
    pub fn new(context: &Context, format: &ForFormat, columns: &[OutputColumn]) -> SqlResult<Writer> {
        let (shape, (text, end)) = match format {
            ForFormat::Json { .. } => {
                let json = JsonWriter::new(format, columns)?;
                let frame = json.frame();
                (Shape::Json(json), frame)
            }
            ForFormat::Xml { .. } => {
                let xml = XmlWriter::new(context, format, columns)?;
                let frame = xml.frame();
                (Shape::Xml(Box::new(xml)), frame)
            }
        };
        Ok(Writer { shape, text, end, held: Held::default(), rows: 0 })
    }

    pub fn append(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        for row in 0..batch.rows {
            let mut pacer = context.pacer();
            let values = batch.columns.iter().map(|column| column.at(row).to_datum_paced(&mut pacer));
            let values = values.collect::<SqlResult<Vec<Datum>>>()?;
            drop(pacer);
            match &mut self.shape {
                Shape::Json(json) => json.row(context, &values, &mut self.text)?,
                Shape::Xml(xml) => xml.row(context, &values, &mut self.text)?,
            }
            self.rows += 1;
            if self.text.len() > GRANT_BYTES_MAX / 2 {
                return Err(out_of_memory());
            }
        }
        self.held.force(context.workspace(), self.text.len())
    }

    /// None: no rows, and nothing that describes them.
    pub fn finish(mut self) -> Option<String> {
        let mut is_described = false;
        match self.shape {
            Shape::Json(json) => json.finish(&mut self.text),
            Shape::Xml(xml) => {
                is_described = xml.is_described();
                xml.finish(&mut self.text);
            }
        }
        self.text.push_str(&self.end);
        Some(self.text).filter(|_| self.rows > 0 || is_described)
    }
}

struct ForText {
    input: Box<dyn RowSource>,
    columns: Vec<OutputColumn>,
    format: ForFormat,
    scratch: RowBatch,
    done: bool,
}

/// One row with one nvarchar(max) column.
pub fn operator(input: &Operator, format: &ForFormat, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    Ok(Box::new(ForText {
        scratch: batch_of(input),
        columns: input.columns.clone(),
        input: source(input, compiler)?,
        format: format.clone(),
        done: false,
    }))
}

impl RowSource for ForText {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.done = false;
        Ok(())
    }

    fn next(&mut self, context: &Context, _wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if std::mem::replace(&mut self.done, true) {
            return Ok(());
        }
        let mut writer = Writer::new(context, &self.format, &self.columns)?;
        self.input.open(context)?;
        drain(&mut *self.input, context, &mut self.scratch, |batch| writer.append(context, batch))?;
        match writer.finish() {
            Some(text) => {
                let text = convert::text_datum_paced(&text, &SqlType::NVARCHAR_MAX, &mut context.pacer())?;
                out.columns[0].push_owned(text);
            }
            None => out.columns[0].push_null(),
        }
        out.rows = 1;
        Ok(())
    }

    fn close(&mut self) {
        self.input.close();
    }
}
