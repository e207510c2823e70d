//! Strings of the tree as datums of their types.

use types::{CollationId, Datum, MAX_LENGTH, SqlType, collation};

use crate::plan::Expr;

/// A character literal: varchar(n) in the collation's code page, or nvarchar(n); n is at least 1.
pub fn string(text: &str, national: bool, collation: CollationId) -> Expr {
    if national {
        let Datum::Bytes(bytes) = Datum::nvarchar(text) else { panic!("nvarchar is made of bytes") };
        let ty =
            if bytes.len() > 8000 { SqlType::NVARCHAR_MAX } else { SqlType::nvarchar((bytes.len() / 2).max(1) as u16) };
        return Expr::literal(ty.with_collation(collation), Datum::Bytes(bytes));
    }
    let bytes = encode(text, collation);
    let length = if bytes.len() > 8000 { MAX_LENGTH } else { bytes.len().max(1) as u16 };
    Expr::literal(SqlType::varchar(length).with_collation(collation), Datum::Bytes(bytes))
}

pub fn binary(bytes: &[u8]) -> Expr {
    let length = if bytes.len() > 8000 { MAX_LENGTH } else { bytes.len().max(1) as u16 };
    Expr::literal(SqlType::varbinary(length), Datum::bytes(bytes))
}

fn encode(text: &str, id: CollationId) -> Box<[u8]> {
    let mut out = Vec::with_capacity(text.len());
    collation::code_page::encode_str(id.code_page(), text, &mut out);
    out.into()
}

pub fn collation(name: &str) -> Option<CollationId> {
    collation::lookup(name)
}

pub fn collation_name(collation: CollationId) -> String {
    collation.name()
}
