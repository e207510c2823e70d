//! A backup as an object of an S3 store: written in parts, which come to be the object in one step once all are there, and read in pieces.
//!
//! What must hold: an object is there whole or not at all; a backup that failed or that nobody wants any more leaves neither it nor parts;
//! no more parts are in memory than `LANES`, and the one that is being filled.
//! https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use os::sched::{JoinHandle, Place, TaskKind};
use os::sync::Mutex;
use os::wait::WaitType;
use storage::backup::Media;
use storage::{StorageError, StorageResult};

use super::s3::{Answer, S3Store, Unanswered, element};

/// Parts that are on their way at a time, of all stripes of a backup together.
const LANES: usize = 3;
/// https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
const PARTS_MAX: u32 = 10_000;
/// A request that the store could not serve is made so often, after pauses of this and its doubles, and not any more after so long.
const TRIES: u32 = 4;
const PAUSE_MS: u64 = 100;
const PATIENCE_MS: u64 = 20_000;
/// Bytes of a piece that is read: from the first to the last, when one piece is read behind the other.
const PIECE_MIN: u64 = 64 << 10;
const PIECE_MAX: u64 = 4 << 20;
/// What was begun is ended in this time, or behind the back of who gave it up.
const GIVE_UP_MS: u64 = 10_000;

/// Why a store did not do what it was asked: a number of Windows', as SQL Server's messages have them, and words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub number: u32,
    pub words: String,
    /// What the store said, for the error log.
    pub said: String,
}

pub const DENIED: u32 = 5;
pub const NOT_FOUND: u32 = 2;
pub const NOT_SUPPORTED: u32 = 50;
pub const EXISTS: u32 = 80;
pub const INVALID: u32 = 87;
pub const FULL: u32 = 112;
const DEVICE: u32 = 1_117;

impl Refusal {
    pub fn plain(number: u32, said: String) -> Refusal {
        let words = match number {
            DENIED => "Access is denied.",
            NOT_FOUND => "The system cannot find the file specified.",
            NOT_SUPPORTED => "The request is not supported.",
            EXISTS => "The file exists.",
            INVALID => "The parameter is incorrect.",
            FULL => "There is not enough space on the disk.",
            _ => "The request could not be performed because of an I/O device error.",
        };
        Refusal { number, words: words.to_owned(), said }
    }

    fn of(answer: &Answer) -> Refusal {
        let (code, words) = answer.said();
        let said = format!("{} {code} {words}", answer.status).trim_end().to_owned();
        let number = match (answer.status, &*code) {
            (_, "NoSuchBucket") => NOT_SUPPORTED,
            (_, "QuotaExceeded" | "InsufficientStorage" | "EntityTooLarge" | "XMinioStorageFull") | (507, _) => FULL,
            (401 | 403, _) => DENIED,
            (404, _) => NOT_FOUND,
            (409 | 412, _) => EXISTS,
            _ => return Refusal { number: DEVICE, words: said.clone(), said },
        };
        Refusal::plain(number, said)
    }

    /// It may be otherwise in a moment.
    fn passes(answer: &Result<Answer, Unanswered>) -> bool {
        match answer {
            Ok(answer) => answer.status >= 500 && answer.status != 507 || matches!(answer.status, 408 | 429),
            // Names and certificates stay as they are.
            Err(unanswered) => !matches!(unanswered.number, 12_007 | 12_175),
        }
    }

    /// As messages have it: `5(Access is denied.)`
    pub fn shown(&self) -> String {
        format!("{}({})", self.number, self.words)
    }
}

impl From<Unanswered> for Refusal {
    fn from(unanswered: Unanswered) -> Refusal {
        Refusal { number: unanswered.number, words: unanswered.why.clone(), said: unanswered.why }
    }
}

impl From<Refusal> for StorageError {
    fn from(refusal: Refusal) -> StorageError {
        match refusal.number {
            FULL => StorageError::DiskFull,
            _ => StorageError::Io(refusal.shown()),
        }
    }
}

/// Asks until the store serves it, or has not done so for some times. Err: how it was answered otherwise.
fn ask(
    store: &S3Store,
    (method, name): (&str, &str),
    query: &[(&str, &str)],
    headers: &[(&str, &str)],
    body: &[u8],
) -> Result<Answer, Refusal> {
    let mut pause = PAUSE_MS;
    let begun = os::clock::now_ms();
    for tries in 1.. {
        let answer = store.send(method, name, query, headers, body);
        let is_last = tries == TRIES || os::clock::now_ms() > begun + PATIENCE_MS || os::wait::is_interrupted();
        if is_last || !Refusal::passes(&answer) {
            let answer = answer?;
            return if (200..300).contains(&answer.status) { Ok(answer) } else { Err(Refusal::of(&answer)) };
        }
        os::wait::sleep(WaitType::BACKUPIO, pause);
        pause *= 2;
    }
    unreachable!("the last try returns")
}

/// Bytes of an object, and what names this very version of it. None: it is not there.
pub fn find(store: &S3Store, name: &str) -> Result<Option<(u64, String)>, Refusal> {
    match ask(store, ("GET", name), &[], &[("range", "bytes=0-0")], &[]) {
        Ok(answer) => Ok(Some((answer.length.unwrap_or(answer.body.len() as u64), answer.etag.unwrap_or_default()))),
        Err(refusal) if refusal.number == NOT_FOUND => Ok(None),
        // It is empty: there is no first byte.
        Err(refusal) if refusal.said.starts_with("416") => Ok(Some((0, String::new()))),
        Err(refusal) => Err(refusal),
    }
}

/// Parts on their way, of all stripes.
#[derive(Default)]
pub struct Lanes(AtomicUsize);

type PartSent = Result<String, Refusal>;

struct Writing {
    part: Vec<u8>,
    length: u64,
    number: u32,
    flying: Vec<(u32, JoinHandle<PartSent>)>,
    etags: Vec<(u32, String)>,
    ending: Option<JoinHandle<Result<(), Refusal>>>,
    failed: Option<Refusal>,
    is_there: bool,
    /// It was asked for, whatever the answer was.
    was_ended: bool,
}

/// Writes one.
pub struct ObjectWriter {
    store: Arc<S3Store>,
    name: String,
    upload: String,
    wanted: WantedObject,
    lanes: Arc<Lanes>,
    writing: Mutex<Writing>,
}

/// How one is to be written.
#[derive(Debug, Clone, Copy)]
pub struct WantedObject {
    /// Bytes of a part.
    pub part: usize,
    /// One of its name goes when this one comes.
    pub replaces: bool,
    /// One of its name was there, or may have been.
    pub was_there: bool,
}

impl ObjectWriter {
    pub fn begin(
        store: Arc<S3Store>,
        name: &str,
        wanted: WantedObject,
        lanes: Arc<Lanes>,
    ) -> Result<ObjectWriter, Refusal> {
        let answer = ask(&store, ("POST", name), &[("uploads", "")], &[], &[])?;
        let upload = element(&String::from_utf8_lossy(&answer.body), "UploadId");
        let upload =
            upload.ok_or_else(|| Refusal::plain(NOT_SUPPORTED, "it is no S3 store: there is no UploadId".into()))?;
        let writing = Writing {
            part: Vec::new(),
            length: 0,
            number: 0,
            flying: Vec::new(),
            etags: Vec::new(),
            ending: None,
            failed: None,
            is_there: false,
            was_ended: false,
        };
        let writing = Mutex::new(WaitType::BACKUPIO, writing);
        Ok(ObjectWriter { store, name: name.to_owned(), upload, wanted, lanes, writing })
    }

    /// What was said last of why it failed.
    pub fn failed(&self) -> Option<Refusal> {
        self.writing.lock().failed.clone()
    }

    /// Takes note of the parts that have arrived.
    fn look(&self, writing: &mut Writing) -> StorageResult<()> {
        let (done, flying): (Vec<_>, Vec<_>) = writing.flying.drain(..).partition(|(_, part)| part.is_done());
        writing.flying = flying;
        for (number, part) in done {
            match part.join() {
                Ok(Ok(etag)) => writing.etags.push((number, etag)),
                Ok(Err(refusal)) => writing.failed = Some(refusal),
                Err(_) => writing.failed = Some(Refusal::plain(DEVICE, "a part could not be sent".into())),
            }
        }
        writing.failed.clone().map_or(Ok(()), |refusal| Err(refusal.into()))
    }

    /// Sends the part that was filled.
    fn launch(&self, writing: &mut Writing) -> StorageResult<()> {
        let part = std::mem::take(&mut writing.part);
        writing.number += 1;
        if writing.number > PARTS_MAX {
            let refusal = Refusal::plain(INVALID, format!("more than {PARTS_MAX} parts"));
            writing.failed = Some(refusal.clone());
            return Err(refusal.into());
        }
        let (store, name, upload) = (self.store.clone(), self.name.clone(), self.upload.clone());
        let (number, lanes) = (writing.number, self.lanes.clone());
        lanes.0.fetch_add(1, Ordering::Relaxed);
        let send = move || {
            let query = [("partNumber", &*number.to_string()), ("uploadId", &*upload)];
            let sent = ask(&store, ("PUT", &name), &query, &[], &part);
            lanes.0.fetch_sub(1, Ordering::Relaxed);
            sent.and_then(|answer| {
                answer.etag.ok_or_else(|| Refusal::plain(NOT_SUPPORTED, "it is no S3 store: a part has no ETag".into()))
            })
        };
        writing.flying.push((number, os::sched::spawn(TaskKind::System, Place::LeastLoaded, send)));
        Ok(())
    }

    /// Makes the parts be the object.
    fn complete(&self, writing: &mut Writing) {
        writing.etags.sort();
        let mut body = String::from("<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        for (number, etag) in &writing.etags {
            let etag = etag.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
            // Into memory: it cannot fail.
            write!(body, "<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>").unwrap_or_default();
        }
        body.push_str("</CompleteMultipartUpload>");
        let (store, name, upload, replaces) =
            (self.store.clone(), self.name.clone(), self.upload.clone(), self.wanted.replaces);
        let complete = move || {
            let headers: &[(&str, &str)] = if replaces { &[] } else { &[("if-none-match", "*")] };
            let answer = ask(&store, ("POST", &name), &[("uploadId", &upload)], headers, body.as_bytes())?;
            // It may take a while, so the store says first that all is well, and at the end whether it was.
            match element(&String::from_utf8_lossy(&answer.body), "Code") {
                Some(_) => Err(Refusal::of(&Answer { status: 500, ..answer })),
                None => Ok(()),
            }
        };
        writing.was_ended = true;
        writing.ending = Some(os::sched::spawn(TaskKind::System, Place::LeastLoaded, complete));
    }

    /// Nothing came of it: parts go, and the object if it had come. One that was there before stays.
    pub fn give_up(self: Arc<Self>) {
        let clear = move || {
            let mut writing = self.writing.lock();
            for (_, part) in writing.flying.drain(..) {
                part.join().ok();
            }
            let ended = writing.ending.take().map(|ending| matches!(ending.join(), Ok(Ok(()))));
            let (store, name) = (&self.store, &*self.name);
            if !writing.is_there && ended != Some(true) {
                ask(store, ("DELETE", name), &[("uploadId", &self.upload)], &[], &[]).ok();
            }
            // Whether it came is not known for sure of an end that failed.
            if (writing.is_there || ended.is_some() || writing.was_ended) && !self.wanted.was_there {
                ask(store, ("DELETE", name), &[], &[], &[]).ok();
            }
        };
        let clearing = os::sched::spawn(TaskKind::System, Place::LeastLoaded, clear);
        clearing.join_until(os::clock::after_ms(GIVE_UP_MS)).ok();
    }
}

impl Media for ObjectWriter {
    fn len(&self) -> StorageResult<u64> {
        Ok(self.writing.lock().length)
    }

    fn read_at(&self, _: &mut [u8], _: u64) -> StorageResult<()> {
        Err(Refusal::plain(NOT_SUPPORTED, "it is being written".into()).into())
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> StorageResult<()> {
        let mut writing = self.writing.lock();
        assert!(at == writing.length, "an object is written from its begin to its end");
        self.look(&mut writing)?;
        let mut bytes = bytes;
        writing.length += bytes.len() as u64;
        while !bytes.is_empty() {
            if writing.part.is_empty() {
                writing.part.reserve_exact(self.wanted.part);
            }
            let room = self.wanted.part - writing.part.len();
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            writing.part.extend_from_slice(now);
            bytes = rest;
            if writing.part.len() == self.wanted.part {
                self.launch(&mut writing)?;
            }
        }
        Ok(())
    }

    /// What was written stays: who gives it up says so.
    fn set_len(&self, _: u64) -> StorageResult<()> {
        Ok(())
    }

    fn sync(&self) -> StorageResult<()> {
        Ok(())
    }

    fn is_busy(&self) -> bool {
        let is_full = self.lanes.0.load(Ordering::Relaxed) >= LANES;
        // What failed is heard with the next write.
        is_full && self.look(&mut self.writing.lock()).is_ok()
    }

    fn end(&self) -> StorageResult<bool> {
        let mut writing = self.writing.lock();
        if writing.is_there {
            return Ok(true);
        }
        self.look(&mut writing)?;
        if let Some(ending) = writing.ending.take_if(|ending| ending.is_done()) {
            return match ending.join() {
                Ok(Ok(())) => {
                    writing.is_there = true;
                    Ok(true)
                }
                Ok(Err(refusal)) => {
                    writing.failed = Some(refusal.clone());
                    Err(refusal.into())
                }
                Err(_) => Err(Refusal::plain(DEVICE, String::new()).into()),
            };
        }
        let is_full = self.lanes.0.load(Ordering::Relaxed) >= LANES;
        if writing.ending.is_none() && !is_full {
            if !writing.part.is_empty() || writing.number == 0 {
                self.launch(&mut writing)?;
            } else if writing.flying.is_empty() {
                self.complete(&mut writing);
            }
        }
        Ok(false)
    }

    fn holds_one(&self) -> bool {
        true
    }
}

#[derive(Default)]
struct Piece {
    at: u64,
    bytes: Vec<u8>,
}

/// Reads one, of the version that it had when it was found.
pub struct ObjectReader {
    store: Arc<S3Store>,
    name: String,
    length: u64,
    etag: String,
    piece: Mutex<Piece>,
    failed: Mutex<Option<Refusal>>,
}

impl ObjectReader {
    /// `found`: as `find` says.
    pub fn new(store: Arc<S3Store>, name: &str, (length, etag): (u64, String)) -> ObjectReader {
        let piece = Mutex::new(WaitType::BACKUPIO, Piece::default());
        let failed = Mutex::new(WaitType::BACKUPIO, None);
        ObjectReader { store, name: name.to_owned(), length, etag, piece, failed }
    }

    pub fn failed(&self) -> Option<Refusal> {
        self.failed.lock().clone()
    }

    /// Another piece, that begins at `at`.
    fn fetch(&self, piece: &mut Piece, at: u64) -> Result<(), Refusal> {
        let is_next = piece.at + piece.bytes.len() as u64 == at && !piece.bytes.is_empty();
        let length = if is_next { (piece.bytes.len() as u64 * 2).min(PIECE_MAX) } else { PIECE_MIN };
        let last = (at + length).min(self.length) - 1;
        let range = format!("bytes={at}-{last}");
        let mut headers = vec![("range", &*range)];
        if !self.etag.is_empty() {
            headers.push(("if-match", &*self.etag));
        }
        piece.bytes.clear();
        let answer = ask(&self.store, ("GET", &self.name), &[], &headers, &[]);
        let answer = answer.map_err(|refusal| match refusal.number {
            EXISTS => Refusal { number: DEVICE, words: "it was changed while it was read".into(), said: refusal.said },
            _ => refusal,
        })?;
        let wanted = last + 1 - at;
        if answer.body.len() as u64 != wanted {
            let said = format!("{} bytes of {wanted}, at {at}", answer.body.len());
            return Err(Refusal { number: DEVICE, words: said.clone(), said });
        }
        (piece.at, piece.bytes) = (at, answer.body);
        Ok(())
    }
}

impl Media for ObjectReader {
    fn len(&self) -> StorageResult<u64> {
        Ok(self.length)
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> StorageResult<()> {
        let mut piece = self.piece.lock();
        let mut done = 0;
        while done < bytes.len() {
            let now = at + done as u64;
            if now >= self.length {
                bytes[done..].fill(0);
                break;
            }
            let held = now.checked_sub(piece.at).and_then(|from| piece.bytes.get(usize::try_from(from).ok()?..));
            match held.filter(|held| !held.is_empty()) {
                Some(held) => {
                    let count = held.len().min(bytes.len() - done);
                    bytes[done..done + count].copy_from_slice(&held[..count]);
                    done += count;
                }
                None => self.fetch(&mut piece, now).map_err(|refusal| {
                    *self.failed.lock() = Some(refusal.clone());
                    StorageError::from(refusal)
                })?,
            }
        }
        Ok(())
    }

    fn write_at(&self, _: &[u8], _: u64) -> StorageResult<()> {
        Err(Refusal::plain(DENIED, "it is being read".into()).into())
    }

    fn set_len(&self, _: u64) -> StorageResult<()> {
        Err(Refusal::plain(DENIED, "it is being read".into()).into())
    }

    fn sync(&self) -> StorageResult<()> {
        Ok(())
    }

    fn holds_one(&self) -> bool {
        true
    }
}
