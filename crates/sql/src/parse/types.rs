//! Data types as they are written.

use super::{K, P, Parser, T};
use crate::ast::{DataType, ObjectName, TypeLength, TypeName};
use ::types::TypeKind;

/// Types of one word, in every spelling.
const NAMES: &[(&str, TypeName)] = &[
    ("INT", TypeName::Builtin(TypeKind::Int)),
    ("INTEGER", TypeName::Builtin(TypeKind::Int)),
    ("BIGINT", TypeName::Builtin(TypeKind::BigInt)),
    ("VARCHAR", TypeName::Builtin(TypeKind::VarChar)),
    ("NVARCHAR", TypeName::Builtin(TypeKind::NVarChar)),
    ("BIT", TypeName::Builtin(TypeKind::Bit)),
    ("TINYINT", TypeName::Builtin(TypeKind::TinyInt)),
    ("SMALLINT", TypeName::Builtin(TypeKind::SmallInt)),
    ("DECIMAL", TypeName::Builtin(TypeKind::Decimal)),
    ("DEC", TypeName::Builtin(TypeKind::Decimal)),
    ("NUMERIC", TypeName::Builtin(TypeKind::Numeric)),
    ("SMALLMONEY", TypeName::Builtin(TypeKind::SmallMoney)),
    ("MONEY", TypeName::Builtin(TypeKind::Money)),
    ("REAL", TypeName::Builtin(TypeKind::Real)),
    ("FLOAT", TypeName::Builtin(TypeKind::Float)),
    ("DATE", TypeName::Builtin(TypeKind::Date)),
    ("TIME", TypeName::Builtin(TypeKind::Time)),
    ("SMALLDATETIME", TypeName::Builtin(TypeKind::SmallDateTime)),
    ("DATETIME", TypeName::Builtin(TypeKind::DateTime)),
    ("DATETIME2", TypeName::Builtin(TypeKind::DateTime2)),
    ("DATETIMEOFFSET", TypeName::Builtin(TypeKind::DateTimeOffset)),
    ("CHAR", TypeName::Builtin(TypeKind::Char)),
    ("CHARACTER", TypeName::Builtin(TypeKind::Char)),
    ("TEXT", TypeName::Builtin(TypeKind::Text)),
    ("NCHAR", TypeName::Builtin(TypeKind::NChar)),
    ("NCHARACTER", TypeName::Builtin(TypeKind::NChar)),
    ("NTEXT", TypeName::Builtin(TypeKind::NText)),
    ("BINARY", TypeName::Builtin(TypeKind::Binary)),
    ("VARBINARY", TypeName::Builtin(TypeKind::VarBinary)),
    ("IMAGE", TypeName::Builtin(TypeKind::Image)),
    ("UNIQUEIDENTIFIER", TypeName::Builtin(TypeKind::UniqueIdentifier)),
    ("TIMESTAMP", TypeName::Builtin(TypeKind::RowVersion)),
    ("ROWVERSION", TypeName::Builtin(TypeKind::RowVersion)),
    ("XML", TypeName::Builtin(TypeKind::Xml)),
    ("SQL_VARIANT", TypeName::Builtin(TypeKind::SqlVariant)),
    ("SYSNAME", TypeName::Sysname),
    ("HIERARCHYID", TypeName::Builtin(TypeKind::HierarchyId)),
    ("GEOMETRY", TypeName::Builtin(TypeKind::Geometry)),
    ("GEOGRAPHY", TypeName::Builtin(TypeKind::Geography)),
    ("JSON", TypeName::Builtin(TypeKind::Json)),
    ("VECTOR", TypeName::Vector),
];

fn builtin(name: &str) -> Option<TypeName> {
    NAMES.iter().find(|(text, _)| text.eq_ignore_ascii_case(name)).map(|(_, name)| name.clone())
}

impl Parser<'_> {
    pub(super) fn data_type(&mut self) -> P<DataType> {
        let line = self.token.line;
        let name = match self.keyword() {
            K::CURSOR => {
                self.bump();
                return Ok(DataType { name: TypeName::Cursor, length: TypeLength::Default, line });
            }
            K::DOUBLE => {
                self.bump();
                self.expect_word(K::PRECISION)?;
                TypeName::Builtin(TypeKind::Float)
            }
            K::NATIONAL => self.national_type()?,
            _ => self.named_type()?,
        };
        if matches!(name, TypeName::Builtin(TypeKind::Xml)) && self.at(T::LeftParen) {
            return self.xml_of(line);
        }
        let length = self.type_length()?;
        Ok(DataType { name, length, line })
    }

    fn national_type(&mut self) -> P<TypeName> {
        self.bump();
        if self.eat_word(K::TEXT) {
            return Ok(TypeName::Builtin(TypeKind::NText));
        }
        if !self.eat_word(K::CHAR) && !self.eat_word(K::CHARACTER) {
            return Err(self.unexpected());
        }
        let varying = self.eat_word(K::VARYING);
        Ok(TypeName::Builtin(if varying { TypeKind::NVarChar } else { TypeKind::NChar }))
    }

    fn named_type(&mut self) -> P<TypeName> {
        let name = self.object_name()?;
        let in_sys = |schema: &crate::ast::Ident| schema.is("sys");
        let is_system = name.database.is_none() && name.schema.as_ref().is_none_or(in_sys);
        let found = if is_system { builtin(&name.name) } else { None };
        let Some(found) = found else { return Ok(TypeName::User(Box::new(name))) };
        if self.at_word(K::VARYING) {
            let varying = match found {
                TypeName::Builtin(TypeKind::Char) => TypeKind::VarChar,
                TypeName::Builtin(TypeKind::NChar) => TypeKind::NVarChar,
                TypeName::Builtin(TypeKind::Binary) => TypeKind::VarBinary,
                _ => return Ok(found),
            };
            self.bump();
            return Ok(TypeName::Builtin(varying));
        }
        Ok(found)
    }

    fn type_length(&mut self) -> P<TypeLength> {
        if !self.eat(T::LeftParen) {
            return Ok(TypeLength::Default);
        }
        let length = if self.eat_word(K::MAX) {
            TypeLength::Max
        } else {
            let first = self.unsigned()?;
            if self.eat(T::Comma) {
                // The second argument of vector(n, float32) is a word.
                if self.at(T::Integer) {
                    TypeLength::Two(first, self.unsigned()?)
                } else {
                    self.ident()?;
                    TypeLength::One(first)
                }
            } else {
                TypeLength::One(first)
            }
        };
        self.expect(T::RightParen)?;
        Ok(length)
    }

    /// Digits; more than 32 bits stay at the largest number, which no type accepts.
    pub(super) fn unsigned(&mut self) -> P<u32> {
        if !self.at(T::Integer) {
            return Err(self.unexpected());
        }
        let number = self.token_text(self.token).parse().unwrap_or(u32::MAX);
        self.bump();
        Ok(number)
    }

    fn xml_of(&mut self, line: u32) -> P<DataType> {
        self.expect(T::LeftParen)?;
        let mut document = None;
        // Both words may also be the name of a collection.
        if self.at_any(&[K::DOCUMENT, K::CONTENT]) && !self.peek_is(1, T::RightParen) && !self.peek_is(1, T::Dot) {
            document = Some(self.at_word(K::DOCUMENT));
            self.bump();
        }
        let collection: ObjectName = self.object_name()?;
        self.expect(T::RightParen)?;
        let name = TypeName::XmlOf { document, collection: Box::new(collection) };
        Ok(DataType { name, length: TypeLength::Default, line })
    }
}
