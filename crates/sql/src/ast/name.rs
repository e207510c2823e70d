//! Identifiers, names of one to four parts, and data types as written.

use types::TypeKind;

/// An identifier without its quotes or brackets (`]]` and `""` undone).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ident {
    pub text: Box<str>,
    /// Written in brackets or double quotes.
    pub quoted: bool,
}

impl Ident {
    pub fn new(text: &str) -> Ident {
        Ident { text: text.into(), quoted: false }
    }

    /// ASCII case ignored: for the words of the language, not for names of objects (those follow a collation).
    pub fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }
}

impl std::ops::Deref for Ident {
    type Target = str;
    fn deref(&self) -> &str {
        &self.text
    }
}

/// `server.database.schema.name`. A part left out (`db..t`, `.dbo.t`) is None.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectName {
    pub server: Option<Ident>,
    pub database: Option<Ident>,
    pub schema: Option<Ident>,
    pub name: Ident,
    pub line: u32,
}

impl ObjectName {
    pub fn unqualified(name: Ident, line: u32) -> ObjectName {
        ObjectName { server: None, database: None, schema: None, name, line }
    }

    pub fn is_unqualified(&self) -> bool {
        self.schema.is_none() && self.database.is_none() && self.server.is_none()
    }

    /// `#t` and `##t`.
    pub fn is_temporary(&self) -> bool {
        self.name.text.starts_with('#')
    }
}

/// `@name` with its at sign, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    pub name: Box<str>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DataType {
    pub name: TypeName,
    pub length: TypeLength,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TypeName {
    /// A type of the language under any of its spellings (`integer`, `national char varying`, `double precision`).
    Builtin(TypeKind),
    Sysname,
    Cursor,
    Vector,
    /// `xml(collection)`, `xml(DOCUMENT collection)`, `xml(CONTENT collection)`.
    XmlOf {
        document: Option<bool>,
        collection: Box<ObjectName>,
    },
    /// Alias, table and CLR types.
    User(Box<ObjectName>),
}

/// The parentheses behind a type's name, unchecked: the binder knows the bounds of each type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeLength {
    Default,
    /// varchar(10), float(24), time(3), decimal(10)
    One(u32),
    /// decimal(10, 2)
    Two(u32, u32),
    Max,
}
