//! Format files, in both forms.
//!
//! https://learn.microsoft.com/sql/relational-databases/import-export/non-xml-format-files-sql-server
//! https://learn.microsoft.com/sql/relational-databases/import-export/xml-format-files-sql-server

use types::collation::CodePage;
use types::{CollationId, SqlResult, SqlType, TypeKind, sql_error};
use xml::Document;

use super::{end_of, options::BulkOptions};
use crate::plan::{BulkEnd, BulkField, BulkKind, BulkLayout};

/// Fields that a file may have.
const FIELDS_MAX: usize = 1024;

#[derive(Debug, Clone)]
pub struct FormatFile {
    /// Their `column` is a position in `columns`.
    pub fields: Vec<BulkField>,
    pub columns: Vec<FormatColumn>,
}

#[derive(Debug, Clone)]
pub struct FormatColumn {
    pub name: Box<str>,
    /// As OPENROWSET shows it.
    pub ty: SqlType,
    /// Its number in the table, from 1.
    pub number: u16,
}

impl FormatFile {
    /// `path`: as messages name it. `collation`: the database's. `stated`: the types of the table's columns, where there is a table.
    pub fn parse(
        bytes: &[u8],
        path: &str,
        options: &BulkOptions,
        collation: CollationId,
        stated: &[SqlType],
    ) -> SqlResult<FormatFile> {
        let text = match bytes.strip_prefix(b"\xff\xfe") {
            Some(wide) => String::from_utf16_lossy(
                &wide.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect::<Vec<u16>>(),
            ),
            None => String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_owned(),
        };
        let page = options.code_page.unwrap_or_else(|| collation.code_page());
        let file = match text.trim_start().starts_with('<') {
            true => of_xml(&text, path, page, collation)?,
            false => of_lines(&text, path, page, collation, stated)?,
        };
        if file.columns.is_empty() || file.fields.is_empty() || file.fields.len() > FIELDS_MAX {
            return Err(sql_error!(4822, path));
        }
        Ok(file)
    }

    /// FORMAT = 'CSV' takes ends and order of the fields from it.
    pub fn layout(&self, options: &BulkOptions) -> SqlResult<BulkLayout> {
        let fields = self.fields.clone();
        if !options.csv {
            return Ok(BulkLayout::Fields(fields));
        }
        if fields.iter().any(|field| !matches!(field.kind, BulkKind::Text(_)) || field.end.bytes.is_empty()) {
            return Err(sql_error!(40510, "FORMAT = 'CSV' with fields that are no text"));
        }
        let mut row_end = fields.last().map(|field| field.end.clone()).unwrap_or_default();
        // A line feed alone ends a line as well.
        if *row_end.bytes == *b"\r\n" {
            row_end = BulkEnd { bytes: (*b"\n").into(), return_at: Some(0), unit: 1 };
        }
        Ok(BulkLayout::Quoted { fields, quote: options.quote, row_end, more: None })
    }
}

/// A host data type: how it lies in the file, and as a column. None: there is no such.
fn host_type(name: &str, length: usize, page: CodePage, collation: CollationId) -> Option<(BulkKind, SqlType)> {
    let narrow = || match length {
        0 => SqlType::varchar(8000),
        1..=8000 => SqlType::varchar(length as u16),
        _ => SqlType::VARCHAR_MAX,
    };
    let wide = || match length / 2 {
        0 => SqlType::nvarchar(4000),
        units @ 1..=4000 => SqlType::nvarchar(units as u16),
        _ => SqlType::NVARCHAR_MAX,
    };
    let native = |ty: SqlType| (BulkKind::Native(ty), ty);
    Some(match name.to_ascii_uppercase().as_str() {
        "SQLCHAR" | "SQLVARYCHAR" => (BulkKind::Text(page), narrow().with_collation(collation)),
        "SQLNCHAR" | "SQLNVARCHAR" => (BulkKind::Wide, wide().with_collation(collation)),
        "SQLBINARY" | "SQLVARYBIN" | "SQLVARBIN" => native(match length {
            0 => SqlType::varbinary(8000),
            1..=8000 => SqlType::varbinary(length as u16),
            _ => SqlType::VARBINARY_MAX,
        }),
        "SQLBIT" => native(SqlType::BIT),
        "SQLTINYINT" => native(SqlType::TINYINT),
        "SQLSMALLINT" => native(SqlType::SMALLINT),
        "SQLINT" => native(SqlType::INT),
        "SQLBIGINT" => native(SqlType::BIGINT),
        "SQLFLT4" => native(SqlType::REAL),
        "SQLFLT8" => native(SqlType::FLOAT),
        "SQLMONEY" => native(SqlType::MONEY),
        "SQLMONEY4" => native(SqlType::SMALLMONEY),
        "SQLDATETIME" => native(SqlType::DATETIME),
        "SQLDATETIM4" => native(SqlType::SMALLDATETIME),
        "SQLDATE" => native(SqlType::DATE),
        "SQLTIME" => native(SqlType::time(7)),
        "SQLDATETIME2" => native(SqlType::datetime2(7)),
        "SQLDATETIMEOFFSET" => native(SqlType::datetimeoffset(7)),
        "SQLDECIMAL" | "SQLNUMERIC" => native(SqlType::decimal(38, 0)),
        "SQLUNIQUEID" => native(SqlType::UNIQUEIDENTIFIER),
        _ => return None,
    })
}

/// Of types that say more than the host's name: precision, scale.
fn refined(kind: BulkKind, stated: Option<&SqlType>) -> BulkKind {
    let alike = |a: TypeKind, b: TypeKind| {
        a == b || matches!((a, b), (TypeKind::Decimal | TypeKind::Numeric, TypeKind::Decimal | TypeKind::Numeric))
    };
    match (kind, stated) {
        (BulkKind::Native(own), Some(stated)) if alike(own.kind, stated.kind) => BulkKind::Native(*stated),
        (kind, _) => kind,
    }
}

/// Words of a line; those in quotes without them.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut end = None;
            let mut escaped = false;
            for (at, c) in quoted.char_indices() {
                match c {
                    '\\' if !escaped => escaped = true,
                    '"' if !escaped => {
                        end = Some(at);
                        break;
                    }
                    _ => escaped = false,
                }
            }
            let end = end.unwrap_or(quoted.len());
            words.push(quoted[..end].replace("\\\"", "\""));
            rest = quoted.get(end + 1..).unwrap_or_default().trim_start();
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            words.push(rest[..end].to_owned());
            rest = rest[end..].trim_start();
        }
    }
    words
}

fn of_lines(
    text: &str,
    path: &str,
    page: CodePage,
    collation: CollationId,
    stated: &[SqlType],
) -> SqlResult<FormatFile> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let version = lines.next().unwrap_or_default().trim();
    if version.parse::<f64>().is_err() {
        return Err(sql_error!(4820, path));
    }
    let count = lines.next().unwrap_or_default().trim().parse::<usize>().map_err(|_| sql_error!(4821, path))?;
    if !(1..=FIELDS_MAX).contains(&count) {
        return Err(sql_error!(4822, path));
    }
    let (mut fields, mut columns) = (Vec::new(), Vec::<FormatColumn>::new());
    for at in 0..count {
        let number = at + 1;
        let line = words(lines.next().unwrap_or_default());
        let [order, kind, prefix, length, end, server, name, ..] = &line[..] else {
            return Err(sql_error!(4823, path));
        };
        if order.parse::<usize>().ok() != Some(number) {
            return Err(sql_error!(4823, path));
        }
        let length = length.parse::<usize>().map_err(|_| sql_error!(4826, number, path))?;
        let prefix = prefix.parse::<u8>().ok().filter(|prefix| matches!(prefix, 0 | 1 | 2 | 4 | 8));
        let prefix = prefix.ok_or_else(|| sql_error!(4825, number, path))?;
        let server = server.parse::<u16>().map_err(|_| sql_error!(4828, number, path))?;
        let own = line.get(7).filter(|name| !name.is_empty()).and_then(|name| types::collation::lookup(name));
        let collation = own.unwrap_or(collation);
        let page = own.map_or(page, |own| if page == CodePage::UTF8 { page } else { own.code_page() });
        let (kind, ty) = host_type(kind, length, page, collation).ok_or_else(|| sql_error!(4824, number, path))?;
        let kind = refined(kind, usize::from(server).checked_sub(1).and_then(|at| stated.get(at)));
        let end = match end.as_str() {
            "" => BulkEnd::default(),
            end => end_of(end, kind == BulkKind::Wide && !end.contains("\\0"))
                .map_err(|_| sql_error!(4827, number, path))?,
        };
        if end.bytes.is_empty() && prefix == 0 && length == 0 {
            return Err(sql_error!(4827, number, path));
        }
        let column = (server > 0).then(|| {
            columns.push(FormatColumn { name: name.as_str().into(), ty, number: server });
            columns.len() - 1
        });
        fields.push(BulkField { kind, prefix, length, end, column });
    }
    // Rows have the columns in the order of the table.
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|at| columns[*at].number);
    let place = |column: usize| order.iter().position(|at| *at == column).expect("all are in it");
    for field in &mut fields {
        field.column = field.column.map(place);
    }
    let columns = order.iter().map(|at| columns[*at].clone()).collect();
    Ok(FormatFile { fields, columns })
}

fn of_xml(text: &str, path: &str, page: CodePage, collation: CollationId) -> SqlResult<FormatFile> {
    let broken = || sql_error!(4820, path);
    let document = types::pause::unpaced(|pacer| {
        let mut grow = |_: usize| Ok(());
        Ok(xml::read::read(text, &mut xml::Meter::new(pacer, &mut grow)))
    });
    let document = document.map_err(|_| broken())?;
    let named = |parent: u32, name: &str| -> Vec<u32> {
        document.children(parent).filter(|node| &*document.name(*node).local == name).collect()
    };
    let root = *named(0, "BCPFORMAT").first().ok_or_else(broken)?;
    let record = *named(root, "RECORD").first().ok_or_else(broken)?;
    let row = *named(root, "ROW").first().ok_or_else(broken)?;
    let (mut fields, mut ids) = (Vec::new(), Vec::new());
    for (at, node) in named(record, "FIELD").into_iter().enumerate() {
        let number = at + 1;
        let own = attribute(&document, node, "COLLATION").and_then(|name| types::collation::lookup(&name));
        let page = own.map_or(page, |own| if page == CodePage::UTF8 { page } else { own.code_page() });
        let kind = attribute(&document, node, "type").unwrap_or_default();
        let (form, how) = kind.rsplit_once(':').map_or(kind.as_str(), |(_, kind)| kind).split_at(
            ["Term", "Fixed", "Prefix"].iter().find_map(|how| kind.strip_suffix(how).map(str::len)).unwrap_or(0),
        );
        let whole = |name: &str| attribute(&document, node, name).map(|text| text.parse::<usize>());
        let sized = |name: &str| match whole(name) {
            Some(Ok(number)) => Ok(number),
            Some(Err(_)) => Err(sql_error!(4826, number, path)),
            None => Ok(0),
        };
        let kind = match form {
            "Char" => BulkKind::Text(page),
            "NChar" => BulkKind::Wide,
            // Its column says which.
            "Native" => BulkKind::Native(SqlType::VARBINARY_MAX),
            _ => return Err(sql_error!(4824, number, path)),
        };
        let (mut prefix, mut length, mut end) = (0, sized("MAX_LENGTH")?, BulkEnd::default());
        match how {
            "Term" => {
                let text = attribute(&document, node, "TERMINATOR").unwrap_or_default();
                let wide = kind == BulkKind::Wide;
                end = end_of(&text, wide).map_err(|_| sql_error!(4827, number, path))?;
            }
            "Fixed" => {
                length = sized("LENGTH")?;
                if length == 0 {
                    return Err(sql_error!(4826, number, path));
                }
            }
            _ => {
                prefix = sized("PREFIX_LENGTH")? as u8;
                if !matches!(prefix, 1 | 2 | 4 | 8) {
                    return Err(sql_error!(4825, number, path));
                }
            }
        }
        ids.push(attribute(&document, node, "ID").unwrap_or_default());
        fields.push(BulkField { kind, prefix, length, end, column: None });
    }
    let mut columns = Vec::new();
    for (at, node) in named(row, "COLUMN").into_iter().enumerate() {
        let source = attribute(&document, node, "SOURCE").unwrap_or_default();
        let name = attribute(&document, node, "NAME").unwrap_or_default();
        let field = ids.iter().position(|id| *id == source).ok_or_else(|| sql_error!(4828, at + 1, path))?;
        if fields[field].column.is_some() {
            return Err(sql_error!(4828, at + 1, path));
        }
        let kind = attribute(&document, node, "type").unwrap_or_default();
        let kind = kind.rsplit_once(':').map_or(kind.as_str(), |(_, kind)| kind);
        let whole = |name: &str| attribute(&document, node, name).and_then(|text| text.parse::<usize>().ok());
        let length = whole("LENGTH").unwrap_or(fields[field].length);
        let wanted = host_type(kind, length, page, collation);
        let (native, mut ty) = wanted.ok_or_else(|| sql_error!(4824, at + 1, path))?;
        if ty.is_decimal() {
            let (precision, scale) = (whole("PRECISION").unwrap_or(18), whole("SCALE").unwrap_or(0));
            if !(1..=38).contains(&precision) || scale > precision {
                return Err(sql_error!(4824, at + 1, path));
            }
            ty = SqlType::decimal(precision as u8, scale as u8);
        }
        if let BulkKind::Native(_) = fields[field].kind {
            fields[field].kind = match native {
                BulkKind::Native(_) => BulkKind::Native(ty),
                text => text,
            };
        }
        fields[field].column = Some(at);
        columns.push(FormatColumn { name: name.into(), ty, number: at as u16 + 1 });
    }
    Ok(FormatFile { fields, columns })
}

/// By its local name.
fn attribute(document: &Document, node: u32, name: &str) -> Option<String> {
    let found = document.attributes(node).find(|attribute| &*document.name(*attribute).local == name)?;
    Some(document.value(found).to_owned())
}
