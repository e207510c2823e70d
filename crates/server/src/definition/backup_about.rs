//! What the server keeps in a backup set beside pages and log: the database's options and files as master has them, and what the
//! statement said of the set and its media.
//!
//! ```text
//! format u16, then fields in a fixed order: numbers i64, texts (bytes u32, UTF-8; 0xffffffff: NULL), ids 16 bytes
//! ```
//! A backup is a file that anybody may have written, so nothing in it is believed: what does not fit its column is no backup (3241).

use storage::backup::Algorithm;
use storage::backup::set::Words;

use crate::catalog::base::{DatabaseRow, FileRow, database_option};
use crate::catalog::family::{Fork, Guid};
use crate::catalog::row::{Binary, Date, Text};

/// Of these bytes. Format 1 does not say whether a chain begins, and 2 not where it goes on from; 4 is that of encrypted sets alone.
const FORMAT: u16 = 4;
const FORMAT_CLEAR: u16 = 3;
/// More than a thumbprint has, or a key that is wrapped.
const SECRET_MAX: usize = 256;
const NULL: u32 = u32::MAX;
/// Characters of a name.
const NAME_MAX: usize = 128;
/// More files than a database may have.
const FILES_MAX: i64 = 32_767;

/// A file of the database, and the name of its filegroup; None: it is of the log.
#[derive(Debug, Clone)]
pub struct KeptFile {
    pub row: FileRow,
    pub filegroup: Option<String>,
}

impl KeptFile {
    pub fn is_log(&self) -> bool {
        const LOG: i32 = 2;
        self.row.status & LOG != 0
    }
}

/// The media set: what all sets of a file have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    pub id: Guid,
    pub family: Guid,
    pub name: Option<String>,
    pub description: Option<String>,
    pub made: Date,
}

/// How a set is encrypted, and its key as who has the certificate's private key can read it (`security::encryptor`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encryption {
    pub algorithm: Algorithm,
    pub thumbprint: Vec<u8>,
    pub wrapped: Vec<u8>,
}

impl Encryption {
    /// As RESTORE HEADERONLY and msdb show it.
    pub fn algorithm_name(&self) -> &'static str {
        match self.algorithm {
            Algorithm::Aes128 => "aes_128",
            Algorithm::Aes256 => "aes_256",
        }
    }
}

#[derive(Debug, Clone)]
pub struct About {
    pub id: Guid,
    pub media: Media,
    /// Of the database: the same in all that were restored from one, and that of this one.
    pub database_family: Guid,
    pub database: Guid,
    pub name: Option<String>,
    pub description: Option<String>,
    pub user: String,
    pub server: String,
    pub machine: String,
    pub copy_only: bool,
    /// The first log backup of a chain.
    pub begins_chain: bool,
    pub compressed: bool,
    pub expires: Option<Date>,
    /// Of local time, when it was made.
    pub offset_minutes: i16,
    /// Of its states it says two: RESTORING, that WITH NORECOVERY closed the database, and OFFLINE, that nobody could open it.
    pub row: DatabaseRow,
    pub files: Vec<KeptFile>,
    /// Of a whole log or differential backup: what it goes on from.
    pub fork: Option<Fork>,
    pub encryption: Option<Encryption>,
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, value: impl Into<i64>) {
        self.0.extend_from_slice(&value.into().to_le_bytes());
    }

    fn bytes(&mut self, bytes: Option<&[u8]>) {
        let length = bytes.map_or(NULL, |bytes| bytes.len() as u32);
        self.0.extend_from_slice(&length.to_le_bytes());
        self.0.extend_from_slice(bytes.unwrap_or_default());
    }

    fn text(&mut self, text: Option<&str>) {
        self.bytes(text.map(str::as_bytes));
    }

    fn id(&mut self, id: &Guid) {
        self.0.extend_from_slice(id);
    }
}

struct Reader<'a>(Words<'a>);

impl Reader<'_> {
    fn number<T: TryFrom<i64>>(&mut self) -> Option<T> {
        T::try_from(self.0.u64()? as i64).ok()
    }

    fn flag(&mut self) -> Option<bool> {
        self.number::<u8>().filter(|flag| *flag < 2).map(|flag| flag == 1)
    }

    /// The outer None: it is damaged.
    fn bytes(&mut self) -> Option<Option<Vec<u8>>> {
        match self.0.u32()? {
            NULL => Some(None),
            length => Some(Some(self.0.bytes(length as usize)?.to_vec())),
        }
    }

    fn text(&mut self) -> Option<Option<String>> {
        match self.bytes()? {
            Some(bytes) => String::from_utf8(bytes).ok().map(Some),
            None => Some(None),
        }
    }

    fn name(&mut self) -> Option<String> {
        self.text()?.filter(|name| !name.is_empty() && name.encode_utf16().count() <= NAME_MAX)
    }

    fn id(&mut self) -> Option<Guid> {
        self.0.bytes(16)?.try_into().ok()
    }

    fn date(&mut self) -> Option<Date> {
        // What datetime can hold: from 1753 to 9999.
        const DAY: i64 = 25_920_000;
        self.number::<i64>().filter(|ticks| (-53_690 * DAY..2_958_464 * DAY).contains(ticks)).map(Date)
    }
}

impl About {
    /// BACKUP LOG WITH NORECOVERY: the database cannot be used any more.
    pub fn closes(&self) -> bool {
        self.row.options & database_option::RESTORING != 0
    }

    /// The tail of the log of a damaged database: what that says of itself is not known.
    pub fn is_incomplete(&self) -> bool {
        self.row.options & database_option::OFFLINE != 0
    }

    pub fn encode(&self) -> Vec<u8> {
        let format = if self.encryption.is_some() { FORMAT } else { FORMAT_CLEAR };
        let mut to = Writer(format.to_le_bytes().to_vec());
        for id in [&self.id, &self.media.id, &self.media.family, &self.database_family, &self.database] {
            to.id(id);
        }
        to.text(self.media.name.as_deref());
        to.text(self.media.description.as_deref());
        to.number(self.media.made.0);
        to.text(self.name.as_deref());
        to.text(self.description.as_deref());
        for text in [&self.user, &self.server, &self.machine] {
            to.text(Some(text));
        }
        to.number(self.copy_only);
        to.number(self.compressed);
        to.number(self.expires.is_some());
        to.number(self.expires.unwrap_or_default().0);
        to.number(self.offset_minutes);
        write_database(&mut to, &self.row);
        to.number(self.files.len() as i64);
        self.files.iter().for_each(|file| write_file(&mut to, file));
        to.number(self.begins_chain);
        to.number(self.fork.is_some());
        if let Some(fork) = &self.fork {
            write_fork(&mut to, fork);
        }
        if let Some(encryption) = &self.encryption {
            to.number(encryption.algorithm.key_bytes() as i64);
            to.bytes(Some(&encryption.thumbprint));
            to.bytes(Some(&encryption.wrapped));
        }
        to.0
    }

    /// None: it is damaged, or of another version.
    pub fn decode(bytes: &[u8]) -> Option<About> {
        let mut words = Words(bytes);
        let format = words.u16().filter(|format| (1..=FORMAT).contains(format))?;
        let mut from = Reader(words);
        let [id, media, media_family, database_family, database] =
            [from.id()?, from.id()?, from.id()?, from.id()?, from.id()?];
        let media = Media {
            id: media,
            family: media_family,
            name: from.text()?,
            description: from.text()?,
            made: from.date()?,
        };
        let (name, description) = (from.text()?, from.text()?);
        let [user, server, machine] = [from.text()??, from.text()??, from.text()??];
        let (copy_only, compressed, expires) = (from.flag()?, from.flag()?, from.flag()?);
        let expires = expires.then_some(from.date()?);
        let offset_minutes = from.number()?;
        let row = read_database(&mut from)?;
        let count: i64 = from.number()?;
        if !(1..=FILES_MAX).contains(&count) {
            return None;
        }
        let files: Option<Vec<KeptFile>> = (0..count).map(|_| read_file(&mut from)).collect();
        let files = files?;
        let begins_chain = format > 1 && from.flag()?;
        let fork = match format > 2 && from.flag()? {
            true => Some(read_fork(&mut from)?),
            false => None,
        };
        let encryption = if format > FORMAT_CLEAR { Some(read_encryption(&mut from)?) } else { None };
        let about = About {
            id,
            media,
            database_family,
            database,
            name,
            description,
            user,
            server,
            machine,
            copy_only,
            begins_chain,
            compressed,
            expires,
            offset_minutes,
            row,
            files,
            fork,
            encryption,
        };
        from.0.0.is_empty().then_some(about)
    }
}

fn write_database(to: &mut Writer, row: &DatabaseRow) {
    to.text(Some(&row.name));
    to.text(Some(&row.collation));
    to.number(row.created.0);
    to.number(row.options);
    for number in [
        row.compatibility_level,
        row.recovery_model,
        row.page_verify,
        row.delayed_durability,
        row.user_access,
        row.snapshot_isolation,
    ] {
        to.number(number);
    }
    to.number(row.target_recovery_time);
    to.bytes(row.owner_sid.0.as_deref());
}

fn read_database(from: &mut Reader<'_>) -> Option<DatabaseRow> {
    let (name, collation) = (from.name()?, from.name()?);
    types::collation::lookup(&collation)?;
    let (created, options) = (from.date()?, from.number()?);
    let mut small = |most: u8| from.number::<u8>().filter(|number| *number <= most);
    let (compatibility_level, recovery_model) = (small(u8::MAX)?, small(3)?);
    let (page_verify, delayed_durability, user_access, snapshot_isolation) =
        (small(2)?, small(2)?, small(2)?, small(1)?);
    Some(DatabaseRow {
        // Given where it is restored.
        id: 0,
        name,
        created,
        collation,
        compatibility_level,
        options,
        recovery_model: recovery_model.max(1),
        page_verify,
        delayed_durability,
        user_access,
        snapshot_isolation,
        target_recovery_time: from.number()?,
        owner_sid: Binary(from.bytes()?.filter(|sid| sid.len() <= 85).map(Into::into)),
    })
}

fn write_fork(to: &mut Writer, fork: &Fork) {
    to.id(&fork.database);
    to.number(fork.file);
    to.number(fork.end_lsn as i64);
    to.number(fork.time as i64);
    to.number(fork.base.is_some());
    to.id(&fork.base.unwrap_or_default());
    to.number(fork.takes_log);
}

fn read_fork(from: &mut Reader<'_>) -> Option<Fork> {
    let (database, file) = (from.id()?, from.number()?);
    let (end_lsn, time) = (from.number()?, from.number()?);
    let (has_base, base) = (from.flag()?, from.id()?);
    Some(Fork { database, file, end_lsn, time, base: has_base.then_some(base), takes_log: from.flag()? })
}

fn read_encryption(from: &mut Reader<'_>) -> Option<Encryption> {
    let key_bytes: usize = from.number()?;
    let algorithm = [Algorithm::Aes128, Algorithm::Aes256].into_iter().find(|known| known.key_bytes() == key_bytes)?;
    let mut secret = || from.bytes()?.filter(|bytes| bytes.len() <= SECRET_MAX);
    Some(Encryption { algorithm, thumbprint: secret()?, wrapped: secret()? })
}

fn write_file(to: &mut Writer, file: &KeptFile) {
    to.text(Some(&file.row.name));
    to.text(file.row.path.0.as_deref());
    to.text(file.filegroup.as_deref());
    for number in
        [file.row.fileid, file.row.filegroup, file.row.size, file.row.size_max, file.row.growth, file.row.status]
    {
        to.number(number);
    }
}

fn read_file(from: &mut Reader<'_>) -> Option<KeptFile> {
    let (name, path, filegroup) = (from.name()?, from.text()?, from.text()?);
    let mut number = || from.number::<i32>();
    let row = FileRow {
        dbid: 0,
        fileid: number()?,
        filegroup: number()?,
        name,
        path: Text(path),
        size: number()?,
        size_max: number()?,
        growth: number()?,
        status: number()?,
    };
    Some(KeptFile { row, filegroup })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::boot::{database_row, files_of};
    use crate::catalog::family::new_guid;

    fn about() -> About {
        let files = files_of("/data", 7, "shop").map(|row| KeptFile { row, filegroup: None });
        About {
            id: new_guid(),
            media: Media { id: new_guid(), family: [2; 16], name: None, description: None, made: Date(5) },
            database_family: [3; 16],
            database: [4; 16],
            name: Some("nightly".into()),
            description: None,
            user: "sa".into(),
            server: "here".into(),
            machine: "here".into(),
            copy_only: true,
            begins_chain: true,
            compressed: false,
            expires: Some(Date(77)),
            offset_minutes: -60,
            row: database_row(7, "shop", "SQL_Latin1_General_CP1_CI_AS", Date(9)),
            files: files.to_vec(),
            fork: Some(Fork {
                database: [5; 16],
                file: 9,
                end_lsn: 4_096,
                base: Some([6; 16]),
                time: 7,
                takes_log: true,
            }),
            encryption: Some(Encryption {
                algorithm: Algorithm::Aes256,
                thumbprint: vec![7; 20],
                wrapped: vec![8; 60],
            }),
        }
    }

    #[test]
    fn what_is_kept_comes_back_and_no_damage_is_taken_for_it() {
        let about = about();
        let bytes = about.encode();
        let again = About::decode(&bytes).expect("as it was written");
        assert_eq!(again.encode(), bytes);
        assert_eq!(again.encryption, about.encryption);
        assert_eq!((again.name, again.expires, again.offset_minutes), (about.name, about.expires, -60));
        assert_eq!(again.files.len(), 2);
        for length in 0..bytes.len() {
            assert!(About::decode(&bytes[..length]).is_none(), "cut at {length}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x80;
            // Whatever it says now: it is no panic.
            let _ = About::decode(&changed);
        }
    }
}
