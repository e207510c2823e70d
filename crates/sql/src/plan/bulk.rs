//! A data file as rows: what BULK INSERT and OPENROWSET(BULK ...) read.

use types::SqlType;
use types::collation::CodePage;

/// How a file is read.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkFile {
    /// As it was written.
    pub path: Box<str>,
    pub layout: BulkLayout,
    /// The columns that rows have.
    pub columns: Vec<BulkColumn>,
    /// The first and last rows, from 1; 0: to the end.
    pub first_row: u64,
    pub last_row: u64,
    /// So many rows may be wrong and are left out.
    pub max_errors: u64,
    /// Takes those rows.
    pub error_file: Option<Box<str>>,
    /// An empty field of a column that may not be NULL and is text is an empty text.
    pub empty_texts: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum BulkLayout {
    Fields(Vec<BulkField>),
    /// RFC 4180: fields in quotes may have terminators in them. Every field has the text of one code page.
    Quoted {
        fields: Vec<BulkField>,
        quote: u8,
        row_end: BulkEnd,
        /// What ends a field, where rows may have more of them: these are passed over.
        more: Option<BulkEnd>,
    },
    /// The whole file is the one value of the one row.
    Whole,
}

/// A field of each row.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkField {
    pub kind: BulkKind,
    /// Bytes that tell the length before the value: 0, 1, 2, 4 or 8.
    pub prefix: u8,
    /// Bytes of the value, or the most of them; 0: not said.
    pub length: usize,
    /// Empty: none.
    pub end: BulkEnd,
    /// Its position among the columns of the rows. None: it is passed over.
    pub column: Option<usize>,
}

/// What ends a field or a row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BulkEnd {
    pub bytes: Box<[u8]>,
    /// Where in it a carriage return may stand: before the line feed that it ends with.
    pub return_at: Option<usize>,
    /// It begins at a multiple of so many bytes of the field: 2 in UTF-16.
    pub unit: usize,
}

/// How a value lies in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BulkKind {
    /// Text of a code page.
    Text(CodePage),
    /// UTF-16.
    Wide,
    /// As a server keeps values of the type.
    Native(SqlType),
}

#[derive(Debug, Clone, PartialEq)]
pub struct BulkColumn {
    pub name: Box<str>,
    pub ty: SqlType,
    pub nullable: bool,
    /// Its number in messages.
    pub number: u16,
    /// Something else than NULL comes where the file has nothing.
    pub has_default: bool,
}
