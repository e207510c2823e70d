//! Marks of transactions: where each lies in the log of the databases that its transaction has changed, so that a restore of several
//! databases can stop at the same transaction in all of them.
//!
//! A mark is a record that changes nothing (`Kind::Note`), the last one of its transaction before the commit, with a body:
//!
//! ```text
//! magic "MARK" u32, length u16 and UTF-8 of its name, length u16 and UTF-8 of its description
//! ```

use std::collections::BTreeSet;

use super::blocks::{BlockKind, damaged};
use super::media::Media;
use super::set::{Progress, Words, read_set};
use crate::concurrency::locks::{LockMode, Resource};
use crate::engine::Author;
use crate::error::StorageResult;
use crate::layout::DatabaseId;
use crate::log::BLOCK_HEAD;
use crate::log::record::{HEAD_BYTES, Kind, Record};
use crate::pages::page::u32_at;
use crate::transaction::Transaction;

const MAGIC: &[u8; 4] = b"MARK";
/// Transactions of one mark that are looked after at a time: each has its commit right behind it.
const OPEN_MAX: usize = 65_536;

/// Which mark is looked for.
pub enum Wanted<'a> {
    /// By its name, of a transaction that committed at this time or later (ticks, UTC).
    Name { fits: &'a dyn Fn(&str) -> bool, after: u64 },
    /// By the LSN of the mark.
    Lsn(u64),
}

fn encode(name: &str, description: &str) -> Vec<u8> {
    let mut body = MAGIC.to_vec();
    for text in [name, description] {
        let length = u16::try_from(text.len()).expect("names are short");
        body.extend_from_slice(&length.to_le_bytes());
        body.extend_from_slice(text.as_bytes());
    }
    body
}

/// The name of a mark. None: the record is none.
fn name_of<'a>(record: &Record<'a>) -> Option<&'a str> {
    let body = record.body.strip_prefix(MAGIC).filter(|_| record.head.kind == Kind::Note)?;
    let mut words = Words(body);
    let length = words.u16()?;
    std::str::from_utf8(words.bytes(length.into())?).ok()
}

impl Transaction {
    /// The databases that it has changed, by the locks that it holds; none if it changed nothing that is logged.
    pub fn changed_databases(&self) -> Vec<DatabaseId> {
        let id = self.writer.id;
        if id == 0 {
            return Vec::new();
        }
        let mut changed = BTreeSet::new();
        for lock in self.engine.locks.entries() {
            let changes = !matches!(lock.mode, LockMode::SchemaStability | LockMode::IntentShared | LockMode::Shared);
            if let (Resource::Table(db, _), true) = (lock.resource, lock.transaction == id && lock.granted && changes) {
                changed.insert(db);
            }
        }
        changed.into_iter().collect()
    }

    /// Puts a mark into the log, right before the commit. The LSN of it. Names and descriptions are of some hundred characters.
    pub fn put_mark(&mut self, db: DatabaseId, name: &str, description: &str) -> StorageResult<u64> {
        self.check_running()?;
        let engine = self.engine.clone();
        let file = engine.file_of(db)?;
        engine.identify(&mut self.writer)?;
        engine.append(&mut Author::Change(&mut self.writer), Kind::Note, &file, 0, &[&encode(name, description)])?;
        Ok(self.writer.last_lsn)
    }
}

/// The LSN of the commit of the first transaction with this mark, in the log backup at `at`; what lies before `from_lsn` is passed.
pub fn find_mark(
    from: &dyn Media,
    at: u64,
    from_lsn: u64,
    wanted: &Wanted<'_>,
    step: &mut dyn FnMut(Progress) -> StorageResult<()>,
) -> StorageResult<Option<u64>> {
    let (mut open, mut found) = (BTreeSet::new(), None);
    read_set(from, at, &mut |_, kind, body, progress| {
        let bad = || damaged("a block of its log");
        let mut words = Words(if kind == BlockKind::Log && found.is_none() { body } else { &[] });
        while !words.0.is_empty() {
            let (lsn, length) = (words.u64().ok_or_else(bad)?, words.u32().ok_or_else(bad)? as usize);
            let block = words.bytes(length).ok_or_else(bad)?;
            found = found.or(look(lsn, block, from_lsn, wanted, &mut open)?);
        }
        step(progress)
    })?;
    Ok(found)
}

fn look(
    lsn: u64,
    block: &[u8],
    from_lsn: u64,
    wanted: &Wanted<'_>,
    open: &mut BTreeSet<u64>,
) -> StorageResult<Option<u64>> {
    let mut at = BLOCK_HEAD as usize;
    while at < block.len() {
        let length = block.get(at..at + 4).map_or(0, |bytes| u32_at(bytes, 0) as usize);
        let bytes = block.get(at..at.saturating_add(length)).filter(|bytes| bytes.len() >= HEAD_BYTES);
        let record = bytes.and_then(|bytes| Record::decode(lsn + at as u64, bytes));
        let record = record.ok_or_else(|| damaged("a record of its log"))?;
        at += length;
        if record.lsn < from_lsn {
            continue;
        }
        let transaction = record.head.transaction;
        match record.head.kind {
            Kind::Commit if open.remove(&transaction) => {
                let is_late = match wanted {
                    Wanted::Name { after, .. } => record.head.time() >= *after,
                    Wanted::Lsn(_) => true,
                };
                if is_late {
                    return Ok(Some(record.lsn));
                }
            }
            Kind::Note => {
                let is_it = name_of(&record).is_some_and(|name| match wanted {
                    Wanted::Name { fits, .. } => fits(name),
                    Wanted::Lsn(lsn) => record.lsn == *lsn,
                });
                if is_it && open.len() < OPEN_MAX {
                    open.insert(transaction);
                }
            }
            _ => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::record::Head;

    #[test]
    fn what_is_no_mark_has_no_name() {
        let head = Head { kind: Kind::Note, flags: 0, transaction: 7, previous: 0, file: 1, page: 0 };
        let body = encode("release", "of today");
        let name = |head: Head, body: &[u8]| name_of(&Record { lsn: 0, end: 0, head, body }).map(str::to_owned);
        assert_eq!(name(head, &body).as_deref(), Some("release"));
        assert_eq!(name(Head { kind: Kind::Commit, ..head }, &body), None);
        assert_eq!(name(head, &[]), None);
        for length in 0..body.len() - "of today".len() - 2 {
            assert_eq!(name(head, &body[..length]), None);
        }
    }
}
