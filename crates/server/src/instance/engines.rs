//! The engines of a server, as each of them sees the others: who serves, how many connections each has, and mail between them.
//!
//! In the threaded kernel there is one engine, number 0, and nobody to write to. In the process kernel engines count from 1;
//! what their sessions know is private to them, so one that must show or end another's session asks it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::engines::ENGINES_MAX;
use os::net::{MESSAGE_BYTES_MAX, Mail, NetResult, Stream};
use os::region::Placed;
use os::shared_struct;
use os::sync::{Event, Mutex};
use os::wait::WaitType;
use storage::{Memory, StorageResult};

/// By engine number.
type Each = [AtomicU32; ENGINES_MAX + 1];

shared_struct! {
    struct Board {
        /// 1: the engine takes connections and answers mail.
        serving: Each,
        connections: Each,
        /// A dead engine whose sessions' work is to be ended; 0: none.
        to_bury: AtomicU32,
        /// Who has taken on to do so; 0: nobody yet.
        undertaker: AtomicU32,
    }
}

/// How long an answer is waited for.
const ANSWER_MS: u64 = 5_000;
/// How often one who waits looks whether the other engine is still there.
const LOOK_MS: u64 = 20;

/// First byte of a message.
const CONNECTION: u8 = 1;
const QUESTION: u8 = 2;
const ANSWER: u8 = 3;
const LAST_OF_ANSWER: u8 = 4;
/// Then the number of the question, and who asks.
const HEAD_BYTES: usize = 1 + 8 + 4;

/// A question under way, and what has come of its answer.
struct Asked {
    answered: Event,
    answer: Mutex<Vec<u8>>,
}

/// What an engine finds in its box.
pub enum Letter {
    Connection(Stream, Counted),
    /// To be answered with `Engines::answer`.
    Question {
        from: u32,
        number: u64,
        text: Vec<u8>,
    },
}

pub struct Engines {
    /// Of processes; 0 in the threaded kernel.
    count: u32,
    board: Placed<Board>,
    bell: Placed<Event>,
    mail: Option<Mail>,
    asked: Mutex<BTreeMap<u64, Arc<Asked>>>,
    questions: AtomicU64,
}

/// A connection that counts as its engine's for as long as this lives.
pub struct Counted {
    board: Placed<Board>,
    engine: u32,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.board.connections[self.engine as usize].fetch_sub(1, Ordering::Relaxed);
    }
}

impl Engines {
    /// `count`: of processes; 0 in the threaded kernel. Made before they are forked.
    pub fn new(memory: &Memory, count: u32) -> StorageResult<Engines> {
        let each = || [const { AtomicU32::new(0) }; ENGINES_MAX + 1];
        let none = || AtomicU32::new(0);
        let board = Board { serving: each(), connections: each(), to_bury: none(), undertaker: none() };
        let mail = (count > 0).then(|| Mail::new(count)).transpose();
        Ok(Engines {
            count,
            board: memory.place("engines", board)?,
            bell: memory.place("burials", Event::auto_reset(WaitType::SLEEP_SYSTEMTASK))?,
            mail: mail.map_err(|_| storage::StorageError::OutOfMemory)?,
            asked: Mutex::new(WaitType::SOS_MUTEX, BTreeMap::new()),
            questions: AtomicU64::new(0),
        })
    }

    /// Of processes; 0 in the threaded kernel.
    pub fn count(&self) -> u32 {
        self.count
    }

    pub fn begin_to_serve(&self) {
        self.board.serving[os::engines::number() as usize].store(1, Ordering::Release);
    }

    pub fn serves(&self, engine: u32) -> bool {
        self.board.serving[engine as usize].load(Ordering::Acquire) != 0
    }

    /// The launcher's note that an engine has ended.
    pub fn has_ended(&self, engine: u32) {
        self.board.serving[engine as usize].store(0, Ordering::Release);
        self.board.connections[engine as usize].store(0, Ordering::Relaxed);
    }

    /// The engine with the fewest connections, this one if it is among them; the new connection is counted there.
    pub fn choose(&self) -> (u32, Counted) {
        let here = os::engines::number();
        let load = |engine: u32| self.board.connections[engine as usize].load(Ordering::Relaxed);
        let serving = (1..=self.count).filter(|engine| self.serves(*engine));
        let engine = serving.min_by_key(|engine| (load(*engine), *engine != here)).unwrap_or(here);
        self.board.connections[engine as usize].fetch_add(1, Ordering::Relaxed);
        (engine, Counted { board: self.board.clone(), engine })
    }

    /// Hands a connection over to the engine it was counted for.
    pub fn hand_over(&self, counted: Counted, stream: Stream) -> NetResult<()> {
        let deadline = os::clock::after_ms(ANSWER_MS);
        self.mail().send(counted.engine, &[CONNECTION], Some(stream), deadline)?;
        // From here on the receiver counts it.
        std::mem::forget(counted);
        Ok(())
    }

    fn mail(&self) -> &Mail {
        self.mail.as_ref().expect("only engines that are processes write to each other")
    }

    /// The other engines that serve.
    pub fn others(&self) -> impl Iterator<Item = u32> {
        (1..=self.count).filter(|engine| *engine != os::engines::number() && self.serves(*engine))
    }

    /// Asks an engine. None: it has ended meanwhile, or does not answer in time.
    pub fn ask(&self, engine: u32, text: &[u8]) -> Option<Vec<u8>> {
        let asked = self.send_question(engine, text)?;
        self.wait_for_answer(engine, asked)
    }

    /// Asks all the others, all at the same time.
    pub fn ask_others(&self, text: &[u8]) -> Vec<Vec<u8>> {
        let asked: Vec<_> =
            self.others().filter_map(|engine| Some((engine, self.send_question(engine, text)?))).collect();
        asked.into_iter().filter_map(|(engine, asked)| self.wait_for_answer(engine, asked)).collect()
    }

    fn send_question(&self, engine: u32, text: &[u8]) -> Option<(u64, Arc<Asked>)> {
        let number = self.questions.fetch_add(1, Ordering::Relaxed) + 1;
        let asked = Arc::new(Asked {
            answered: Event::manual_reset(WaitType::DISPATCHER_QUEUE_SEMAPHORE),
            answer: Mutex::new(WaitType::SOS_MUTEX, Vec::new()),
        });
        self.asked.lock().insert(number, asked.clone());
        let message = message(QUESTION, number, text);
        let sent = message.len() <= MESSAGE_BYTES_MAX
            && self.mail().send(engine, &message, None, os::clock::after_ms(ANSWER_MS)).is_ok();
        if !sent {
            self.asked.lock().remove(&number);
        }
        sent.then_some((number, asked))
    }

    fn wait_for_answer(&self, engine: u32, (number, asked): (u64, Arc<Asked>)) -> Option<Vec<u8>> {
        let deadline = os::clock::after_ms(ANSWER_MS);
        let mut answered = false;
        while !answered && self.serves(engine) && os::clock::now() < deadline {
            answered = asked.answered.wait(Some(os::clock::after_ms(LOOK_MS)));
            if os::wait::is_interrupted() {
                break;
            }
        }
        self.asked.lock().remove(&number);
        if !answered && self.serves(engine) && !os::wait::is_interrupted() {
            tracing::warn!("engine {engine} does not answer: what it knows is left out");
        }
        answered.then(|| std::mem::take(&mut *asked.answer.lock()))
    }

    /// Sends the answer to a question, in as many messages as it takes.
    pub fn answer(&self, to: u32, number: u64, text: &[u8]) -> NetResult<()> {
        let mut pieces = text.chunks(MESSAGE_BYTES_MAX - HEAD_BYTES).peekable();
        loop {
            let piece = pieces.next().unwrap_or(&[]);
            let is_last = pieces.peek().is_none();
            let message = message(if is_last { LAST_OF_ANSWER } else { ANSWER }, number, piece);
            self.mail().send(to, &message, None, os::clock::after_ms(ANSWER_MS))?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Waits for the next letter to this engine.
    pub fn receive(&self) -> NetResult<Letter> {
        let mut bytes = Vec::new();
        loop {
            let stream = self.mail().receive(os::engines::number(), &mut bytes)?;
            let kind = bytes.first().copied().unwrap_or(0);
            if let (CONNECTION, Some(stream)) = (kind, stream) {
                let counted = Counted { board: self.board.clone(), engine: os::engines::number() };
                return Ok(Letter::Connection(stream, counted));
            }
            let Some((head, text)) = bytes.split_at_checked(HEAD_BYTES) else { continue };
            let number = u64::from_le_bytes(head[1..9].try_into().expect("8 bytes"));
            let from = u32::from_le_bytes(head[9..].try_into().expect("4 bytes"));
            match kind {
                QUESTION => return Ok(Letter::Question { from, number, text: text.to_vec() }),
                ANSWER | LAST_OF_ANSWER => self.take_answer(number, text, kind == LAST_OF_ANSWER),
                _ => {}
            }
        }
    }

    fn take_answer(&self, number: u64, text: &[u8], is_last: bool) {
        // Nobody there any more: the answer came too late, or to an engine that died.
        let Some(asked) = self.asked.lock().get(&number).cloned() else { return };
        asked.answer.lock().extend_from_slice(text);
        if is_last {
            asked.answered.set();
        }
    }

    /// The launcher asks the engines that are left to bury one.
    pub fn order_burial(&self, engine: u32) {
        self.board.undertaker.store(0, Ordering::Relaxed);
        self.board.to_bury.store(engine, Ordering::Release);
        self.bell.set();
    }

    /// The engine that is being buried, and who does it (0: nobody yet).
    pub fn burial(&self) -> Option<(u32, u32)> {
        let engine = self.board.to_bury.load(Ordering::Acquire);
        (engine != 0).then(|| (engine, self.board.undertaker.load(Ordering::Acquire)))
    }

    /// Waits until an engine is to be buried and nobody else does it, or for `ms`.
    pub fn take_burial(&self, ms: u64) -> Option<u32> {
        self.bell.wait(Some(os::clock::after_ms(ms)));
        let (engine, _) = self.burial()?;
        let own = os::engines::number();
        let taken = self.board.undertaker.compare_exchange(0, own, Ordering::AcqRel, Ordering::Relaxed);
        taken.is_ok().then_some(engine)
    }

    pub fn buried(&self) {
        self.board.to_bury.store(0, Ordering::Release);
    }
}

fn message(kind: u8, number: u64, text: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(HEAD_BYTES + text.len());
    message.push(kind);
    message.extend_from_slice(&number.to_le_bytes());
    message.extend_from_slice(&os::engines::number().to_le_bytes());
    message.extend_from_slice(text);
    message
}
