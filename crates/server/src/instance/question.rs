//! What one engine asks another, and rows of an answer, as bytes.

use types::Datum;

use crate::instance::plan_cache::Forget;

/// Statistics that each engine has of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Counted {
    Latches,
    Spinlocks,
}

impl Counted {
    /// In this engine.
    pub fn clear(self) {
        match self {
            Counted::Latches => os::stats::clear_latches(),
            Counted::Spinlocks => os::stats::clear_spinlocks(),
        }
    }
}

/// What an engine may be asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// The rows that it has of a computed table (`VirtualTableDef::id`), all columns.
    Rows { table: u32, arguments: Vec<Datum> },
    /// To end a session. The answer is one byte, 1: it was there.
    Kill { spid: u32 },
    /// Which sessions have this database as their current one. The answer is their numbers, four bytes each.
    Users { database: u16 },
    /// DBCC FREEPROCCACHE and its kin.
    ForgetPlans(Forget),
    /// DBCC SQLPERF ('sys.dm_os_latch_stats', CLEAR) and its like: what an engine counts for itself.
    Clear(Counted),
    /// RECONFIGURE has changed what each engine follows for itself.
    FollowConfiguration,
    /// As that, for the affinity masks.
    FollowAffinity,
    /// What is audited has changed.
    FollowAudits,
}

const ROWS: u8 = 1;
const KILL: u8 = 2;
const FORGET_PLANS: u8 = 3;
const FOLLOW_CONFIGURATION: u8 = 4;
const CLEAR_LATCHES: u8 = 5;
const CLEAR_SPINLOCKS: u8 = 6;
const FOLLOW_AFFINITY: u8 = 7;
const USERS: u8 = 8;
const FOLLOW_AUDITS: u8 = 9;

/// Kinds of what is to be forgotten.
const ALL: u8 = 1;
const STATEMENTS: u8 = 2;
const PROCEDURES: u8 = 3;
const OF_DATABASE: u8 = 4;
const OF_HANDLE: u8 = 5;

const NULL: u8 = 0;
const I64: u8 = 1;
const F64: u8 = 2;
const I128: u8 = 3;
const BYTES: u8 = 4;

impl Question {
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Question::Rows { table, arguments } => {
                let mut bytes = vec![ROWS];
                bytes.extend_from_slice(&table.to_le_bytes());
                arguments.iter().for_each(|datum| put(datum, &mut bytes));
                bytes
            }
            Question::Kill { spid } => [&[KILL][..], &spid.to_le_bytes()].concat(),
            Question::Users { database } => [&[USERS][..], &database.to_le_bytes()].concat(),
            Question::ForgetPlans(forget) => {
                let mut bytes = vec![FORGET_PLANS];
                put_forget(*forget, &mut bytes);
                bytes
            }
            Question::Clear(Counted::Latches) => vec![CLEAR_LATCHES],
            Question::Clear(Counted::Spinlocks) => vec![CLEAR_SPINLOCKS],
            Question::FollowConfiguration => vec![FOLLOW_CONFIGURATION],
            Question::FollowAffinity => vec![FOLLOW_AFFINITY],
            Question::FollowAudits => vec![FOLLOW_AUDITS],
        }
    }

    /// None: it is none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Question> {
        let (kind, mut rest) = bytes.split_first()?;
        match *kind {
            ROWS => {
                let table = u32::from_le_bytes(take(&mut rest)?);
                let mut arguments = Vec::new();
                while !rest.is_empty() {
                    arguments.push(get(&mut rest)?);
                }
                Some(Question::Rows { table, arguments })
            }
            KILL => Some(Question::Kill { spid: u32::from_le_bytes(take(&mut rest)?) }),
            USERS => Some(Question::Users { database: u16::from_le_bytes(take(&mut rest)?) }),
            FORGET_PLANS => get_forget(rest).map(Question::ForgetPlans),
            CLEAR_LATCHES => Some(Question::Clear(Counted::Latches)),
            CLEAR_SPINLOCKS => Some(Question::Clear(Counted::Spinlocks)),
            FOLLOW_CONFIGURATION => Some(Question::FollowConfiguration),
            FOLLOW_AFFINITY => Some(Question::FollowAffinity),
            FOLLOW_AUDITS => Some(Question::FollowAudits),
            _ => None,
        }
    }
}

fn put_forget(forget: Forget, bytes: &mut Vec<u8>) {
    match forget {
        Forget::All => bytes.push(ALL),
        Forget::Statements => bytes.push(STATEMENTS),
        Forget::Procedures => bytes.push(PROCEDURES),
        Forget::Database(database) => put_number(OF_DATABASE, &database.to_le_bytes(), bytes),
        Forget::Handle(handle) => put_number(OF_HANDLE, &handle, bytes),
    }
}

fn get_forget(mut bytes: &[u8]) -> Option<Forget> {
    let [kind] = take(&mut bytes)?;
    Some(match kind {
        ALL => Forget::All,
        STATEMENTS => Forget::Statements,
        PROCEDURES => Forget::Procedures,
        OF_DATABASE => Forget::Database(u16::from_le_bytes(take(&mut bytes)?)),
        OF_HANDLE => Forget::Handle(take(&mut bytes)?),
        _ => return None,
    })
}

/// Rows of so many columns each.
pub fn rows_to_bytes(rows: &[Vec<Datum>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    rows.iter().flatten().for_each(|datum| put(datum, &mut bytes));
    bytes
}

/// None: they are not rows of `columns` columns.
pub fn rows_from_bytes(mut bytes: &[u8], columns: usize) -> Option<Vec<Vec<Datum>>> {
    let mut rows = Vec::new();
    while !bytes.is_empty() {
        rows.push((0..columns).map(|_| get(&mut bytes)).collect::<Option<Vec<Datum>>>()?);
    }
    Some(rows)
}

fn put(datum: &Datum, bytes: &mut Vec<u8>) {
    match datum {
        Datum::Null => bytes.push(NULL),
        Datum::I64(value) => put_number(I64, &value.to_le_bytes(), bytes),
        Datum::F64(value) => put_number(F64, &value.to_le_bytes(), bytes),
        Datum::I128(value) => put_number(I128, &value.to_le_bytes(), bytes),
        Datum::Bytes(value) => {
            put_number(BYTES, &(value.len() as u32).to_le_bytes(), bytes);
            bytes.extend_from_slice(value);
        }
    }
}

fn put_number(kind: u8, number: &[u8], bytes: &mut Vec<u8>) {
    bytes.push(kind);
    bytes.extend_from_slice(number);
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

fn get(bytes: &mut &[u8]) -> Option<Datum> {
    let [kind] = take(bytes)?;
    Some(match kind {
        NULL => Datum::Null,
        I64 => Datum::I64(i64::from_le_bytes(take(bytes)?)),
        F64 => Datum::F64(f64::from_le_bytes(take(bytes)?)),
        I128 => Datum::I128(i128::from_le_bytes(take(bytes)?)),
        BYTES => {
            let length = u32::from_le_bytes(take(bytes)?) as usize;
            let (value, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            Datum::bytes(value)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_rows_come_back_as_they_went() {
        let values = vec![Datum::Null, Datum::I64(-5), Datum::F64(0.25), Datum::I128(1 << 100), Datum::nvarchar("é")];
        let rows = Question::Rows { table: 77, arguments: values.clone() };
        let forget =
            [Forget::All, Forget::Statements, Forget::Procedures, Forget::Database(7), Forget::Handle([9; 20])];
        let forget = forget.into_iter().map(Question::ForgetPlans);
        let others = [rows, Question::Kill { spid: 60_000 }, Question::FollowConfiguration, Question::FollowAffinity];
        let others = others.into_iter().chain([Question::FollowAudits]);
        let clear = [Question::Clear(Counted::Latches), Question::Clear(Counted::Spinlocks)];
        for question in others.chain(clear).chain(forget) {
            let bytes = question.to_bytes();
            assert_eq!(Question::from_bytes(&bytes), Some(question));
        }
        let two = vec![values.clone(), values];
        let bytes = rows_to_bytes(&two);
        assert_eq!(rows_from_bytes(&bytes, 5), Some(two));
        assert_eq!(rows_from_bytes(&bytes[..bytes.len() - 1], 5), None);
        assert_eq!(rows_from_bytes(&[9], 1), None);
    }
}
