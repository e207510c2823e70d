//! Data files of BULK INSERT and OPENROWSET(BULK ...): their options, and what these and format files say of the fields.

mod format_file;
mod options;

use types::collation::CodePage;
use types::{SqlResult, SqlType, TypeKind, sql_error};

use crate::plan::{BulkEnd, BulkField, BulkKind, BulkLayout};

pub use format_file::{FormatColumn, FormatFile};
pub use options::{BulkOptions, FileType, Single, file_name};

/// A column that the file has a field for.
#[derive(Debug, Clone)]
pub struct FileColumn {
    pub ty: SqlType,
    pub nullable: bool,
    /// Its position among the columns of the rows. None: it is passed over.
    pub column: Option<usize>,
}

/// The text of the file is in the code page of `page`, or of the column. 2775
fn page_of(options: &BulkOptions, ty: &SqlType, page: CodePage) -> CodePage {
    options.code_page.unwrap_or(if ty.is_string() { ty.collation.code_page() } else { page })
}

/// A field for each column, in their order. `page`: of the database.
pub fn layout(options: &BulkOptions, columns: &[FileColumn], page: CodePage) -> SqlResult<BulkLayout> {
    let wide = matches!(options.file_type, FileType::WideChar);
    let field_end = field_end(options)?;
    let row_end = row_end(options, wide)?;
    let last = columns.len().saturating_sub(1);
    let fields = columns.iter().enumerate().map(|(at, column)| {
        let page = page_of(options, &column.ty, page);
        match options.file_type {
            FileType::Char | FileType::WideChar => BulkField {
                kind: if wide { BulkKind::Wide } else { BulkKind::Text(page) },
                prefix: 0,
                length: 0,
                end: if at == last { row_end.clone() } else { field_end.clone() },
                column: column.column,
            },
            FileType::Native => native(column, BulkKind::Text(page)),
            FileType::WideNative => native(column, BulkKind::Wide),
        }
    });
    let fields = fields.collect();
    Ok(match options.csv {
        true => BulkLayout::Quoted { fields, quote: options.quote, row_end, more: None },
        false => BulkLayout::Fields(fields),
    })
}

/// FIELDTERMINATOR, or what stands for it.
pub(crate) fn field_end(options: &BulkOptions) -> SqlResult<BulkEnd> {
    let wide = matches!(options.file_type, FileType::WideChar);
    end_of(options.field_terminator.as_deref().unwrap_or(if options.csv { "," } else { "\\t" }), wide)
}

fn row_end(options: &BulkOptions, wide: bool) -> SqlResult<BulkEnd> {
    let text = options.row_terminator.as_deref().unwrap_or("\\n");
    let mut end = end_of(text, wide)?;
    // It stands for a carriage return and a line feed; a file without the former is read as well.
    let is_line = text.strip_suffix("\\n").or_else(|| text.strip_suffix('\n'));
    if is_line.is_some_and(|before| !before.ends_with("\\r") && !before.ends_with('\r')) {
        end.return_at = Some(end.bytes.len() - end.unit);
    }
    Ok(end)
}

/// A value as bcp writes it in native format.
///
/// https://learn.microsoft.com/sql/relational-databases/import-export/specify-prefix-length-in-data-files-by-using-bcp-sql-server
fn native(column: &FileColumn, narrow: BulkKind) -> BulkField {
    use TypeKind::*;
    let ty = column.ty;
    let fixed = u8::from(column.nullable);
    let (kind, prefix) = match ty.kind {
        Char | VarChar | Text if ty.is_max() => (narrow, if ty.kind == Text { 4 } else { 8 }),
        Char | VarChar | Text => (narrow, 2),
        NText => (BulkKind::Wide, 4),
        NChar | NVarChar => (BulkKind::Wide, if ty.is_max() { 8 } else { 2 }),
        Xml => (BulkKind::Wide, 8),
        Image => (BulkKind::Native(SqlType::VARBINARY_MAX), 4),
        Binary | VarBinary => (BulkKind::Native(ty), if ty.is_max() { 8 } else { 2 }),
        RowVersion => (BulkKind::Native(SqlType::varbinary(8)), 1),
        SqlVariant | HierarchyId | Geometry | Geography | Json => (BulkKind::Native(ty), 8),
        Decimal | Numeric | UniqueIdentifier => (BulkKind::Native(ty), 1),
        _ => (BulkKind::Native(ty), fixed),
    };
    BulkField { kind, prefix, length: usize::from(ty.length), end: BulkEnd::default(), column: column.column }
}

/// `\t` and its like, `0x0a`, or text as it is.
pub(crate) fn end_of(text: &str, wide: bool) -> SqlResult<BulkEnd> {
    let unit = if wide { 2 } else { 1 };
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let hexadecimal = |digits: &str| {
        let right =
            !digits.is_empty() && digits.len().is_multiple_of(2) && digits.bytes().all(|b| b.is_ascii_hexdigit());
        right.then(|| {
            let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap_or_default());
            pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap_or_default()).collect::<Vec<u8>>()
        })
    };
    if let Some(bytes) = digits.and_then(hexadecimal) {
        return Ok(BulkEnd { bytes: bytes.into(), return_at: None, unit: 1 });
    }
    let plain = types::text::unescaped(text);
    let bytes: Vec<u8> = match wide {
        true => plain.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        false => plain.into_bytes(),
    };
    if bytes.is_empty() {
        return Err(sql_error!(155, text, "BULK"));
    }
    Ok(BulkEnd { bytes: bytes.into(), return_at: None, unit })
}
