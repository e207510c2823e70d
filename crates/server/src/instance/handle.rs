//! `sql_handle` and `plan_handle`: what the DMVs name a text and a plan by. 20 bytes: kind, 0, database (little endian), digest.
//!
//! A text's handle is the same wherever it runs; a plan's also depends on its database, its parameters' declarations and the SET
//! options it was bound with.

use sha2::{Digest, Sha512};
use sql::plan::Client;

pub type Handle = [u8; 20];

/// What a batch's meaning depends on, besides the catalog. Borrowed: a look into the cache copies nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlanKey<'a> {
    pub text: &'a str,
    /// Parameter declarations of sp_executesql and sp_prepare; empty for a batch.
    pub parameters: &'a str,
    pub database: u16,
    pub quoted_identifier: bool,
    pub ansi_nulls: bool,
    pub client: Client,
    /// The session that alone may use the plan, where plans are not shared; 0: all may.
    pub session: u32,
}

/// `parameters` of a module of the catalog: no declarations of a client begin so.
pub const MODULE: &str = "\u{0}module";

const SQL_AD_HOC: u8 = 2;
const SQL_MODULE: u8 = 3;
const PLAN_MODULE: u8 = 5;
const PLAN_AD_HOC: u8 = 6;

fn handle(kind: u8, database: u16, parts: &[&[u8]]) -> Handle {
    let mut digest = Sha512::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let mut handle = [0; 20];
    handle[0] = kind;
    handle[2..4].copy_from_slice(&database.to_le_bytes());
    handle[4..].copy_from_slice(&digest.finalize()[..16]);
    handle
}

pub fn sql_handle(text: &str) -> Handle {
    handle(SQL_AD_HOC, 0, &[text.as_bytes()])
}

/// Of a module of the catalog.
pub fn module_handle(text: &str, database: u16) -> Handle {
    handle(SQL_MODULE, database, &[text.as_bytes()])
}

/// Of the text of a cached plan, and of the plan.
pub fn handles(key: &PlanKey) -> (Handle, Handle) {
    // A plain client's plans have the names that they had before there were others.
    let options = [u8::from(key.quoted_identifier), u8::from(key.ansi_nulls) | (key.client as u8) << 1];
    let session = key.session.to_le_bytes();
    let parts = [key.text.as_bytes(), key.parameters.as_bytes(), &options, &session];
    // A shared plan is the same whoever asks for it.
    let parts = if key.session == 0 { &parts[..3] } else { &parts[..] };
    match key.parameters {
        MODULE => (module_handle(key.text, key.database), handle(PLAN_MODULE, key.database, parts)),
        _ => (sql_handle(key.text), handle(PLAN_AD_HOC, key.database, parts)),
    }
}

/// `query_hash`: the same for statements that differ in their literals, spaces, comments and letters' case only.
pub fn query_hash(statement: &str) -> [u8; 8] {
    use sql::lex::{Lexer, TokenKind::*};
    let mut digest = Sha512::new();
    let mut lexer = Lexer::new(statement);
    // A statement has at most so many tokens as bytes: the loop ends at the last of them even if the text is not one.
    for _ in 0..=statement.len() {
        let token = lexer.next_token();
        match token.kind {
            End => break,
            String | NationalString | Integer | Decimal | Float | Money | Binary => digest.update(b"?"),
            _ => {
                let (start, end) = (token.start as usize, token.end as usize);
                digest.update(statement.get(start..end).unwrap_or_default().to_lowercase());
            }
        }
        digest.update([0]);
    }
    digest.finalize()[..8].try_into().expect("8 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_named_by_all_that_it_depends_on() {
        let key = PlanKey {
            text: "select 1",
            parameters: "",
            database: 5,
            quoted_identifier: true,
            ansi_nulls: true,
            client: Client::Plain,
            session: 0,
        };
        let (sql, plan) = handles(&key);
        assert_eq!((sql, sql[0], plan[0]), (sql_handle("select 1"), 2, 6));
        let elsewhere = PlanKey { database: 6, ..key };
        assert_eq!(handles(&elsewhere).0, sql);
        for other in [
            elsewhere,
            PlanKey { ansi_nulls: false, ..key },
            PlanKey { client: Client::Cursor, ..key },
            PlanKey { session: 51, ..key },
            PlanKey { parameters: "@a int", ..key },
        ] {
            assert_ne!(handles(&other).1, plan);
        }
        let module = PlanKey { parameters: MODULE, ..key };
        assert_eq!((handles(&module).0[0], handles(&module).1[0]), (3, 5));
    }

    #[test]
    fn literals_and_looks_do_not_count() {
        let hash = query_hash("SELECT a FROM t WHERE b = 5");
        assert_eq!(hash, query_hash("select a  from T /* x */ where b=77"));
        assert_eq!(query_hash("select 'a'"), query_hash("SELECT N'b'"));
        assert_ne!(hash, query_hash("SELECT a FROM u WHERE b = 5"));
        query_hash("select ' unfinished");
    }
}
