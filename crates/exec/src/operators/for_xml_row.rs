//! The values of a row of FOR XML as text: attributes, elements, and what stands between tags.

use sql::plan::XmlReference;
use types::pause::Pacer;
use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

use crate::context::Context;
use crate::expression::shown;

/// What writing a row needs.
pub struct RowText<'a, 'c> {
    pub context: &'a Context<'c>,
    pub types: &'a [SqlType],
    /// By column; may be shorter.
    pub references: &'a [Option<XmlReference>],
    pub values: &'a [Datum],
    pub nil: bool,
    pub ty: bool,
}

impl RowText<'_, '_> {
    pub fn attribute(&self, name: &str, column: usize, out: &mut String) -> SqlResult<()> {
        out.extend([" ", name, "=\""]);
        let text = self.text(column)?;
        self.escaped(&text, true, name, out)?;
        out.push('"');
        Ok(())
    }

    /// `<name>value</name>`, or `<name/>` of an empty text.
    pub fn value_element(&self, name: &str, column: usize, declared: &str, out: &mut String) -> SqlResult<()> {
        out.extend(["<", name, declared, ">"]);
        let before = out.len();
        self.value(column, name, out)?;
        if out.len() == before && self.types[column].kind == TypeKind::Xml {
            out.truncate(before - 1);
            out.push_str("/>");
        } else {
            out.extend(["</", name, ">"]);
        }
        Ok(())
    }

    /// The value as text, escaped unless it is xml. `name`: of the element it is in.
    pub fn value(&self, column: usize, name: &str, out: &mut String) -> SqlResult<()> {
        let ty = &self.types[column];
        let text = self.text(column)?;
        if ty.kind == TypeKind::Xml {
            out.push_str(&text);
            return Ok(());
        }
        if !self.ty && types::xml::is_blank(&text) {
            // Whoever reads the text keeps it.
            self.escaped(&text[..text.len() - 1], false, name, out)?;
            types::xml::push_reference(text.chars().next_back().expect("a blank text has a character"), out);
            return Ok(());
        }
        self.escaped(&text, false, name, out)
    }

    /// The value, or where it is found.
    fn text(&self, column: usize) -> SqlResult<String> {
        let value = |column: usize| shown(self.context, &self.types[column], &self.values[column]);
        let Some(reference) = self.references.get(column).and_then(Option::as_ref) else { return value(column) };
        let key = reference.key.iter().map(|(name, at)| Ok(format!("@{name}='{}'", value(*at)?)));
        let key = key.collect::<SqlResult<Vec<_>>>()?.join("%20and%20");
        Ok(format!("dbobject/{}[{key}]/@{}", reference.table, reference.column))
    }

    /// The value as it is written, not escaped.
    pub fn raw(&self, column: usize) -> SqlResult<String> {
        shown(self.context, &self.types[column], &self.values[column])
    }

    /// 6841: xml cannot hold the character.
    fn escaped(&self, text: &str, attribute: bool, name: &str, out: &mut String) -> SqlResult<()> {
        if self.ty
            && let Some(c) = text.chars().find(|c| *c < ' ' && !matches!(c, '\t' | '\n' | '\r'))
        {
            let name = if name.is_empty() { "NoName" } else { name };
            return Err(sql_error!(6841, name, format_args!("{:04X}", c as u32)));
        }
        escape(text, attribute, out, &mut self.context.pacer())
    }
}

/// Also characters that XML has not: as text their references are shown.
fn escape(text: &str, attribute: bool, out: &mut String, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    if !text.contains(|c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r')) {
        return types::xml::escape(text, attribute, out, pacer);
    }
    for c in text.chars() {
        pacer.spend(1)?;
        match c {
            c if c < ' ' && !matches!(c, '\t' | '\n' | '\r') => types::xml::push_reference(c, out),
            c => types::xml::escape(c.encode_utf8(&mut [0; 4]), attribute, out, pacer)?,
        }
    }
    Ok(())
}
