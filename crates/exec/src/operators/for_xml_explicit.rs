//! FOR XML EXPLICIT: the universal table. A row says which element it is (Tag) and in which open one it belongs (Parent); a column's name,
//! `ELEMENT!TAG!NAME!DIRECTIVE`, says of which element it is a part and how.

use sql::plan::OutputColumn;
use types::{Datum, SqlResult, TypeKind, sql_error};

use super::for_xml_row::RowText;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Directive {
    Attribute,
    Element,
    /// ELEMENTXSINIL: also of NULL.
    Nil,
    /// As it is, not escaped.
    Xml,
    CData,
    Hide,
}

struct Part {
    column: usize,
    tag: i64,
    /// Empty: the element itself holds the value.
    name: String,
    directive: Directive,
}

pub struct Explicit {
    /// Elements by their tags.
    elements: Vec<(i64, String)>,
    parts: Vec<Part>,
    /// Tags of open elements.
    open: Vec<i64>,
    /// The end of the innermost one's start tag is not written yet.
    begun: bool,
    /// Something has to be shown as nil.
    pub nil: bool,
}

impl Explicit {
    /// 6801, 6802, 6803, 6812, 6820, 6824, 6843.
    pub fn new(columns: &[OutputColumn]) -> SqlResult<Explicit> {
        if columns.len() < 3 {
            return Err(sql_error!(6801));
        }
        for (at, wanted) in ["TAG", "PARENT"].into_iter().enumerate() {
            if !columns[at].name.eq_ignore_ascii_case(wanted) {
                return Err(sql_error!(6820, at + 1, wanted, columns[at].name));
            }
        }
        if columns[0].ty.kind != TypeKind::Int {
            return Err(sql_error!(6803));
        }
        if columns[1].ty.kind != TypeKind::Int {
            return Err(sql_error!(6804));
        }
        let mut explicit =
            Explicit { elements: Vec::new(), parts: Vec::new(), open: Vec::new(), begun: false, nil: false };
        for (column, output) in columns.iter().enumerate().skip(2) {
            explicit.part(column, output)?;
        }
        Ok(explicit)
    }

    fn part(&mut self, column: usize, output: &OutputColumn) -> SqlResult<()> {
        let invalid = || sql_error!(6802, output.name);
        let mut fields = output.name.split('!');
        let element = fields.next().unwrap_or_default();
        let tag: i64 =
            fields.next().and_then(|tag| tag.trim().parse().ok()).filter(|tag| *tag > 0).ok_or_else(invalid)?;
        let name = fields.next().unwrap_or_default();
        if element.is_empty() {
            return Err(invalid());
        }
        let directive = directive(output, name, fields)?;
        if directive == Directive::CData && !name.is_empty() {
            return Err(invalid());
        }
        self.nil |= directive == Directive::Nil;
        match self.elements.iter().find(|(known, _)| *known == tag) {
            Some((_, known)) if known != element => return Err(sql_error!(6812, tag, known, element)),
            Some(_) => {}
            None => self.elements.push((tag, element.to_owned())),
        }
        self.parts.push(Part { column, tag, name: name.to_owned(), directive });
        Ok(())
    }

    fn name(&self, tag: i64) -> Option<&str> {
        self.elements.iter().find(|(known, _)| *known == tag).map(|(_, name)| &**name)
    }

    fn close(&mut self, out: &mut String) {
        let tag = self.open.pop().expect("it is open");
        if std::mem::take(&mut self.begun) {
            out.push_str("/>");
            return;
        }
        let name = self.name(tag).expect("it was opened by its name").to_owned();
        out.extend(["</", &name, ">"]);
    }

    /// 6803 to 6807, 6833.
    pub fn row(&mut self, row: &RowText<'_, '_>, declared: &str, out: &mut String) -> SqlResult<()> {
        let Datum::I64(tag) = row.values[0] else { return Err(sql_error!(6803, state 2)) };
        if tag <= 0 {
            return Err(sql_error!(6803, state 2));
        }
        let parent = match row.values[1] {
            Datum::Null => 0,
            Datum::I64(parent) if parent >= 0 => parent,
            _ => return Err(sql_error!(6804, state 2)),
        };
        let Some(name) = self.name(tag).map(str::to_owned) else { return Err(sql_error!(6806, state 2, tag)) };
        if parent != 0 && self.name(parent).is_none() {
            return Err(sql_error!(6807, state 2, parent));
        }
        if parent != 0 && !self.open.contains(&parent) {
            return Err(sql_error!(6833, parent));
        }
        while self.open.last().is_some_and(|&open| open != parent) {
            self.close(out);
        }
        if self.open.contains(&tag) {
            return Err(sql_error!(6805, state 2));
        }
        if std::mem::take(&mut self.begun) {
            out.push('>');
        }
        out.extend(["<", &name]);
        if self.open.is_empty() {
            out.push_str(declared);
        }
        let parts = || self.parts.iter().filter(|part| part.tag == tag);
        for part in parts().filter(|part| part.directive == Directive::Attribute) {
            if !row.values[part.column].is_null() {
                row.attribute(&part.name, part.column, out)?;
            }
        }
        let before = out.len();
        out.push('>');
        for part in parts() {
            part.write(row, out)?;
        }
        self.begun = out.len() == before + 1;
        if self.begun {
            out.truncate(before);
        }
        self.open.push(tag);
        Ok(())
    }

    pub fn finish(mut self, out: &mut String) {
        while !self.open.is_empty() {
            self.close(out);
        }
    }
}

/// What the words behind a column's name say. 6813, 6815, 6817, 6824, 6826, 6835, 6843.
fn directive<'a>(output: &OutputColumn, name: &str, words: impl Iterator<Item = &'a str>) -> SqlResult<Directive> {
    let (mut hidden, mut identity, mut content) = (false, None, None);
    for written in words {
        let word = written.to_ascii_lowercase();
        match word.as_str() {
            "hide" if hidden => return Err(sql_error!(6835, output.name)),
            "hide" => hidden = true,
            "id" | "idref" | "idrefs" | "nmtoken" | "nmtokens" => {
                if identity.replace(word).is_some() {
                    return Err(sql_error!(6813, output.name));
                }
            }
            "element" | "elementxsinil" | "xml" | "xmltext" | "cdata" => {
                if content.replace(word).is_some() {
                    return Err(sql_error!(6817, output.name));
                }
            }
            _ => return Err(sql_error!(6824, written)),
        }
    }
    if hidden && identity.is_some() {
        return Err(sql_error!(6815, output.name));
    }
    if matches!(identity.as_deref(), Some("idrefs" | "nmtokens")) && !output.nullable {
        return Err(sql_error!(6826));
    }
    Ok(match content.as_deref() {
        _ if hidden => Directive::Hide,
        None if name.is_empty() => Directive::Element,
        None => Directive::Attribute,
        Some("element") => Directive::Element,
        Some("elementxsinil") => Directive::Nil,
        Some("xml") => Directive::Xml,
        Some("xmltext") => return Err(sql_error!(40517, "FOR XML EXPLICIT with XMLTEXT")),
        Some(_) if output.ty.kind == TypeKind::Xml => return Err(sql_error!(6843, output.name)),
        Some(_) => Directive::CData,
    })
}

impl Part {
    /// All but attributes.
    fn write(&self, row: &RowText<'_, '_>, out: &mut String) -> SqlResult<()> {
        let is_null = row.values[self.column].is_null();
        match self.directive {
            Directive::Attribute | Directive::Hide => Ok(()),
            Directive::Nil if is_null && !self.name.is_empty() => {
                out.extend(["<", &self.name, " xsi:nil=\"true\"/>"]);
                Ok(())
            }
            _ if is_null => Ok(()),
            Directive::Element | Directive::Nil if self.name.is_empty() => row.value(self.column, "", out),
            Directive::Element | Directive::Nil => row.value_element(&self.name, self.column, "", out),
            Directive::Xml => {
                let text = row.raw(self.column)?;
                if self.name.is_empty() {
                    out.push_str(&text);
                } else {
                    out.extend(["<", &self.name, ">", &text, "</", &self.name, ">"]);
                }
                Ok(())
            }
            Directive::CData => {
                let text = row.raw(self.column)?;
                // A section cannot hold its own end: it ends behind the first bracket, and the next begins with the second.
                out.extend(["<![CDATA[", &text.replace("]]>", "]]]><![CDATA[]>"), "]]>"]);
                Ok(())
            }
        }
    }
}
