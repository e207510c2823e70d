//! A record of an audit, and its bytes in a file.
//!
//! ```text
//! file:    magic 8   guid of the audit 16   chain 16 (of the file before, or 0)   then records
//! record:  length u32 (of what follows)   number u64   chain 16   contents
//! chain:   SHA-512 of the chain before, number and contents, cut to 16 bytes
//! ```
//! So a record that was changed, left out or torn is seen: its chain, or that of the next, is another.

use sha2::{Digest, Sha512};

pub const MAGIC: [u8; 8] = *b"HDLAUD01";
pub const HEADER_BYTES: usize = 40;
const CHAIN_BYTES: usize = 16;
/// Length, number and chain.
const FRAME_BYTES: usize = 4 + 8 + CHAIN_BYTES;
/// A record is not longer: of a statement so much is kept, and so much of any other text.
const STATEMENT_BYTES_MAX: usize = 512 << 10;
const TEXT_BYTES_MAX: usize = 32 << 10;
const RECORD_BYTES_MAX: usize = 1 << 20;

pub type Chain = [u8; CHAIN_BYTES];

/// What an audit writes of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// UTC, in ticks since 0001-01-01.
    pub ticks: i64,
    pub action: String,
    pub class: String,
    pub succeeded: bool,
    pub session: u32,
    pub server_principal: i32,
    pub database_principal: i32,
    pub object: i32,
    pub duration_ms: i64,
    pub transaction: i64,
    pub affected_rows: i64,
    pub server_principal_name: String,
    /// The login that came, whoever it acts as.
    pub session_principal_name: String,
    pub database_principal_name: String,
    pub target_principal_name: String,
    pub server: String,
    pub database: String,
    pub schema: String,
    pub object_name: String,
    pub statement: String,
    pub information: String,
    pub client: String,
    pub application: String,
    pub host: String,
    pub connection: [u8; 16],
}

/// Its place among the texts.
const STATEMENT: usize = 9;

impl Record {
    fn numbers(&mut self) -> [&mut i64; 4] {
        [&mut self.ticks, &mut self.duration_ms, &mut self.transaction, &mut self.affected_rows]
    }

    fn ids(&mut self) -> [&mut i32; 3] {
        [&mut self.server_principal, &mut self.database_principal, &mut self.object]
    }

    fn texts(&mut self) -> [&mut String; 15] {
        [
            &mut self.action,
            &mut self.class,
            &mut self.server_principal_name,
            &mut self.database_principal_name,
            &mut self.target_principal_name,
            &mut self.server,
            &mut self.database,
            &mut self.schema,
            &mut self.object_name,
            &mut self.statement,
            &mut self.information,
            &mut self.client,
            &mut self.application,
            &mut self.host,
            &mut self.session_principal_name,
        ]
    }

    /// Contents without their frame.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut copy = self.clone();
        let mut bytes = vec![u8::from(self.succeeded)];
        bytes.extend(self.session.to_le_bytes());
        bytes.extend(self.connection);
        copy.numbers().into_iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        copy.ids().into_iter().for_each(|id| bytes.extend(id.to_le_bytes()));
        for (at, text) in copy.texts().into_iter().enumerate() {
            let most = if at == STATEMENT { STATEMENT_BYTES_MAX } else { TEXT_BYTES_MAX };
            let mut end = text.len().min(most);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            bytes.extend((end as u32).to_le_bytes());
            bytes.extend(&text.as_bytes()[..end]);
        }
        assert!(bytes.len() <= RECORD_BYTES_MAX, "texts are cut");
        bytes
    }

    /// None: it is no record.
    pub fn from_bytes(bytes: &[u8]) -> Option<Record> {
        let mut record = Record::default();
        let mut rest = bytes;
        let mut take = |count: usize| {
            let (part, after) = rest.split_at_checked(count)?;
            rest = after;
            Some(part)
        };
        record.succeeded = take(1)?[0] != 0;
        record.session = u32::from_le_bytes(take(4)?.try_into().ok()?);
        record.connection = take(16)?.try_into().ok()?;
        for number in record.numbers() {
            *number = i64::from_le_bytes(take(8)?.try_into().ok()?);
        }
        for id in record.ids() {
            *id = i32::from_le_bytes(take(4)?.try_into().ok()?);
        }
        for text in record.texts() {
            let length = u32::from_le_bytes(take(4)?.try_into().ok()?);
            *text = String::from_utf8_lossy(take(length as usize)?).into_owned();
        }
        Some(record)
    }
}

fn link(before: &Chain, number: u64, contents: &[u8]) -> Chain {
    let mut digest = Sha512::new();
    digest.update(before);
    digest.update(number.to_le_bytes());
    digest.update(contents);
    digest.finalize()[..CHAIN_BYTES].try_into().expect("16 bytes")
}

/// The beginning of a file, and the chain that its first record is linked to.
pub fn header(guid: [u8; 16], before: Chain) -> (Vec<u8>, Chain) {
    let bytes = [&MAGIC[..], &guid, &before].concat();
    let chain = link(&before, 0, &bytes);
    (bytes, chain)
}

/// A record in its frame; the chain goes on with the one it leaves.
pub fn frame(contents: &[u8], number: u64, chain: &mut Chain) -> Vec<u8> {
    *chain = link(chain, number, contents);
    let length = (FRAME_BYTES - 4 + contents.len()) as u32;
    [&length.to_le_bytes(), &number.to_le_bytes()[..], &*chain, contents].concat()
}

/// The records of a file with the places where they begin, up to its end or to the first that is not whole.
pub struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    number: u64,
    chain: Chain,
    /// Where a record begins that is not whole, or not the one that was written.
    pub broken: Option<usize>,
}

impl<'a> Records<'a> {
    /// None: no file of an audit.
    pub fn of(bytes: &'a [u8]) -> Option<Records<'a>> {
        let head = bytes.get(..HEADER_BYTES)?;
        let before: Chain = head[24..].try_into().expect("16 bytes");
        let (expected, chain) = header(head[8..24].try_into().expect("16 bytes"), before);
        (expected == head).then_some(Records { bytes, at: HEADER_BYTES, number: 0, chain, broken: None })
    }

    pub fn chain(&self) -> Chain {
        self.chain
    }

    fn read(&mut self) -> Option<Record> {
        let rest = &self.bytes[self.at..];
        let length = u32::from_le_bytes(rest.get(..4)?.try_into().ok()?) as usize;
        let framed = rest.get(4..4 + length)?;
        let contents = framed.get(FRAME_BYTES - 4..)?;
        let number = u64::from_le_bytes(framed[..8].try_into().ok()?);
        let chain = link(&self.chain, number, contents);
        if number != self.number + 1 || framed[8..FRAME_BYTES - 4] != chain {
            return None;
        }
        let record = Record::from_bytes(contents)?;
        (self.number, self.chain) = (number, chain);
        self.at += 4 + length;
        Some(record)
    }
}

impl Iterator for Records<'_> {
    type Item = (usize, Record);

    fn next(&mut self) -> Option<(usize, Record)> {
        // Room that is kept for more is zeros.
        if self.broken.is_some() || self.bytes[self.at..].iter().take(FRAME_BYTES).all(|byte| *byte == 0) {
            return None;
        }
        let at = self.at;
        let record = self.read();
        if record.is_none() {
            self.broken = Some(at);
        }
        Some((at, record?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: i64) -> Record {
        Record { ticks: number, action: "SL".into(), statement: "SELECT 'ä'".into(), ..Record::default() }
    }

    fn file(count: u64) -> Vec<u8> {
        let (mut bytes, mut chain) = header([7; 16], [0; 16]);
        for number in 1..=count {
            bytes.extend(frame(&record(number as i64).to_bytes(), number, &mut chain));
        }
        bytes
    }

    fn read(bytes: &[u8]) -> (usize, Option<usize>) {
        let mut records = Records::of(bytes).expect("a file of an audit");
        let count = records.by_ref().count();
        (count, records.broken)
    }

    #[test]
    fn records_come_back_and_a_torn_one_is_seen() {
        let bytes = file(3);
        let records: Vec<Record> = Records::of(&bytes).expect("a file").map(|(_, record)| record).collect();
        assert_eq!(records, [record(1), record(2), record(3)]);
        let whole = file(2).len();
        assert_eq!(read(&bytes), (3, None));
        assert_eq!(read(&[&bytes[..], &[0; 4096]].concat()), (3, None), "room that is kept");
        for end in whole + 1..bytes.len() {
            assert_eq!(read(&bytes[..end]), (2, Some(whole)), "{end}");
        }
        assert_eq!(read(&bytes[..whole]), (2, None));
    }

    #[test]
    fn what_was_changed_or_left_out_is_seen() {
        let bytes = file(3);
        for at in HEADER_BYTES..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let (count, broken) = read(&changed);
            assert!(count < 3 && broken.is_some(), "{at}");
        }
        let (first, second) = (file(1).len(), file(2).len());
        let without = [&bytes[..first], &bytes[second..]].concat();
        assert_eq!(read(&without), (1, Some(first)));
        assert!(Records::of(&bytes[1..]).is_none() && Records::of(&[]).is_none());
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = "ä".repeat(1 << 20);
        let texts = Record { information: long.clone(), statement: long, ..Record::default() };
        let read = Record::from_bytes(&texts.to_bytes()).expect("a record");
        assert_eq!((read.statement.len(), read.information.len()), (STATEMENT_BYTES_MAX, TEXT_BYTES_MAX));
    }

    #[test]
    fn no_bytes_are_too_strange() {
        let bytes = record(1).to_bytes();
        for end in 0..bytes.len() {
            assert_eq!(Record::from_bytes(&bytes[..end]), None);
        }
    }
}
