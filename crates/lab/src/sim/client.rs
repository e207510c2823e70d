//! One client of a simulated server: requests over its connection, cancels, transactions whose outcome is one of
//! committed, rolled back, unknown.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use os::sync::{SpinClass, SpinLock};
use os::wait::{WaitType, sleep};
use tds::client::{ClientEncryption, ConnectOptions, Event};
use tds::request::{Begin, TransactionAction};
use tds::token::ServerMessage;
use types::Datum;

use super::plan::Isolation;
use super::trace::{Line, Trace, Who, short};
use crate::address::ServerAddress;
use crate::client::{Answer, ClientError, Connection, Target, Trust};

/// `sa`'s, in every simulated server.
pub const PASSWORD: &str = "Simulated-1";

/// A request that takes longer hangs.
const PATIENCE_MS: u64 = 600_000;
/// Tries to connect, with growing pauses: some minutes.
const CONNECTS_MAX: u64 = 60;

/// A server whose disk has failed ends, and somebody starts it again.
const CONNECTS_BEFORE_RESTART: u64 = 5;

static FAILURE: SpinClass = SpinClass::new("SIM_FAILURE");

/// Why a request came to nothing.
#[derive(Debug)]
pub enum Trouble {
    /// The server said so.
    Error(i32),
    Cancelled,
    /// The connection is gone, and what the request did is not known.
    Lost,
}

pub type Done = Result<(), Trouble>;

/// What became of a transaction, as far as its client knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Nobody has asked for a commit yet: it must never be seen.
    Open,
    /// The request to commit was sent.
    Committing,
    Committed,
    RolledBack,
    /// The answer to the commit was lost.
    Unknown,
}

impl Fate {
    pub fn may_be_there(self) -> bool {
        matches!(self, Fate::Committing | Fate::Committed | Fate::Unknown)
    }

    pub fn must_be_there(self) -> bool {
        self == Fate::Committed
    }
}

/// A check that did not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// In a word or three: failures of one kind are taken for the same.
    pub kind: String,
    pub text: String,
}

/// Errors that the plan's faults explain.
#[derive(Clone, Copy, Default, Debug)]
pub struct Excuses {
    pub disk_full: bool,
    pub disk_fails: bool,
    pub memory: bool,
    pub network: bool,
}

/// What all who take part in a run share: trace, verdict, and where the server is.
pub struct Referee {
    pub trace: Trace,
    pub excuses: Excuses,
    failure: SpinLock<Option<Failure>>,
    pub life: AtomicU32,
    /// The life ends in order: who loses a connection has no reason to connect again.
    pub ending: AtomicBool,
}

impl Referee {
    pub fn new(excuses: Excuses) -> Referee {
        Referee {
            trace: Trace::default(),
            excuses,
            failure: SpinLock::new(&FAILURE, None),
            life: AtomicU32::new(0),
            ending: AtomicBool::new(false),
        }
    }

    pub fn say(&self, who: Who, text: impl Into<String>) {
        let at_ns = if os::sim::active() { os::sim::elapsed_ns() } else { 0 };
        self.trace.add(Line { life: self.life.load(Ordering::Relaxed), at_ns, who, text: text.into() });
    }

    /// The first failure is the run's.
    pub fn note_failure(&self, kind: &str, text: impl Into<String>) {
        let text = text.into();
        self.say(Who::Referee, format!("FAILURE, {kind}: {text}"));
        self.failure.lock().get_or_insert(Failure { kind: kind.into(), text });
    }

    /// A panic explains whatever else was seen.
    pub fn note_panic(&self, text: String) {
        self.say(Who::Referee, format!("PANIC: {text}"));
        *self.failure.lock() = Some(Failure { kind: "panic".into(), text });
    }

    /// Ends the run: nothing that comes after matters.
    pub fn fail(&self, kind: &str, text: impl Into<String>) -> ! {
        self.note_failure(kind, text);
        os::sim::kill_now()
    }

    pub fn failure(&self) -> Option<Failure> {
        self.failure.lock().clone()
    }

    fn excuses_error(&self, number: i32) -> bool {
        match number {
            // Deadlock, lock timeout, a snapshot that does not fit a row or a table any more.
            1205 | 1222 | 3960 | 3961 => true,
            // Conflicts in memory-optimized tables.
            41301 | 41302 | 41305 | 41325 => true,
            1105 | 9002 => self.excuses.disk_full || self.excuses.disk_fails,
            701 | 1204 | 41805 | 41823 => self.excuses.memory,
            823 | 9001 | 3624 => self.excuses.disk_fails,
            _ => false,
        }
    }
}

/// What a request hears that is under way when its session ends.
pub const SESSION_KILLED: i32 = 596;

pub struct Client {
    pub who: Who,
    target: Target,
    pub referee: Arc<Referee>,
    connection: Option<Connection>,
    /// Cancel this request (counted from 0 by `requests`) after so many microseconds.
    cancel: Option<(u32, u64)>,
    requests: u32,
}

impl Client {
    pub fn new(who: Who, target: &Target, referee: &Arc<Referee>) -> Client {
        Client { who, target: target.clone(), referee: referee.clone(), connection: None, cancel: None, requests: 0 }
    }

    pub fn say(&self, text: impl Into<String>) {
        self.referee.say(self.who, text);
    }

    /// The next requests are numbered from 0; one of them may be cancelled.
    pub fn begin_step(&mut self, cancel: Option<(u32, u64)>) {
        self.cancel = cancel;
        self.requests = 0;
    }

    pub fn disconnect(&mut self) {
        self.connection = None;
    }

    /// The connection, to do with it as the caller likes.
    pub fn take_connection(&mut self) -> Result<Connection, Trouble> {
        self.connect()?;
        Ok(self.connection.take().expect("just made"))
    }

    pub fn give_connection(&mut self, connection: Connection) {
        self.connection = Some(connection);
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The connection, made if there is none.
    pub fn connect(&mut self) -> Result<&mut Connection, Trouble> {
        if self.connection.is_none() {
            self.connection = Some(self.dial()?);
        }
        Ok(self.connection.as_mut().expect("just made"))
    }

    fn dial(&self) -> Result<Connection, Trouble> {
        for pause_ms in 1..=CONNECTS_MAX {
            let deadline = Some(os::clock::after_ms(PATIENCE_MS));
            match Connection::open(&self.target, deadline) {
                Ok(connection) => return Ok(connection),
                Err(error) if self.may_be_refused(&error) => self.say(format!("cannot connect: {error}")),
                Err(error) => self.referee.fail("no login", error.to_string()),
            }
            if self.referee.ending.load(Ordering::Relaxed) {
                return Err(Trouble::Lost);
            }
            if pause_ms == CONNECTS_BEFORE_RESTART && self.referee.excuses.disk_fails {
                self.power_off();
            }
            sleep(WaitType::WAITFOR, pause_ms * 10);
        }
        self.referee.fail("no login", "the server lets nobody in")
    }

    /// Whether a login may fail like this, with the faults there are.
    fn may_be_refused(&self, error: &ClientError) -> bool {
        let excuses = &self.referee.excuses;
        match error {
            ClientError::Login(messages) => {
                let number = messages.iter().find(|message| message.is_error()).map_or(0, |message| message.number);
                excuses.memory
                    || excuses.disk_fails
                    || self.referee.excuses_error(number)
                    || self.referee.ending.load(Ordering::Relaxed)
            }
            ClientError::Timeout => false,
            _ => excuses.network || excuses.memory || excuses.disk_fails || self.referee.ending.load(Ordering::Relaxed),
        }
    }

    /// Runs a batch. An error that no fault explains ends the run.
    pub fn run(&mut self, sql: &str) -> Result<Answer, Trouble> {
        self.run_or(sql, &[])
    }

    /// Runs a batch that may end with one of these errors as well.
    pub fn run_or(&mut self, sql: &str, expected: &[i32]) -> Result<Answer, Trouble> {
        self.connect()?;
        self.say(format!("> {}", short(sql)));
        self.request(expected, |connection| connection.protocol().batch(sql))
    }

    /// Begins, commits or rolls back by the protocol's own request, as drivers do.
    pub fn manage(&mut self, action: &TransactionAction) -> Result<Answer, Trouble> {
        self.connect()?;
        self.say(format!("> {action:?}"));
        self.request(&[], |connection| connection.protocol().transact(action))
    }

    fn request(&mut self, expected: &[i32], send: impl FnOnce(&mut Connection)) -> Result<Answer, Trouble> {
        let number = self.requests;
        self.requests += 1;
        let cancel = self.cancel.filter(|(request, _)| *request == number);
        let cancel_at = cancel.map(|(_, us)| os::clock::now() + us * 1_000);
        let connection = self.connection.as_mut().expect("connected");
        send(connection);
        let answered = collect(connection, cancel_at);
        let (answer, cancelled) = match answered {
            Ok(answered) => answered,
            Err(ClientError::Timeout) => {
                self.referee.fail("no answer", format!("a request of {:?} is not answered", self.who))
            }
            Err(ClientError::Protocol(error)) => {
                self.referee.fail("protocol", format!("the answer is not TDS: {error}"))
            }
            Err(error) => return Err(self.lost(&error.to_string())),
        };
        self.say(format!("< {}{}", if cancelled { "cancelled, " } else { "" }, summary(&answer)));
        if let Some(error) = answer.first_error() {
            let number = error.number;
            if number == SESSION_KILLED {
                return Err(self.lost(&error.text));
            }
            if error.severity >= 20 {
                self.connection = None;
            }
            self.judge(error, expected);
            return Err(Trouble::Error(number));
        }
        if cancelled { Err(Trouble::Cancelled) } else { Ok(answer) }
    }

    fn lost(&mut self, why: &str) -> Trouble {
        self.connection = None;
        self.say(format!("< lost: {why}"));
        let excuses = &self.referee.excuses;
        if !excuses.network && !excuses.disk_fails && !self.referee.ending.load(Ordering::Relaxed) {
            self.referee.fail("connection lost", format!("{why}, and nobody broke it"));
        }
        Trouble::Lost
    }

    /// An error that is not expected and that no fault explains ends the run.
    pub fn judge(&self, error: &ServerMessage, expected: &[i32]) {
        if !expected.contains(&error.number) && !self.referee.excuses_error(error.number) {
            self.referee.fail("unexpected error", format!("{}: {}", error.number, error.text));
        }
    }

    /// The data cannot be used any more until the server starts again.
    fn power_off(&self) -> ! {
        self.referee.say(Who::Machine, "switched off, since the server stopped its data");
        os::sim::kill_now()
    }

    /// Ends what transaction there is. Afterwards the connection has none, or there is no connection.
    pub fn roll_back(&mut self) {
        self.cancel = None;
        if self.connection.is_some() && self.run("IF @@TRANCOUNT > 0 ROLLBACK").is_err() {
            self.connection = None;
        }
    }

    /// Runs `body` in a transaction and ends it as wished. `note` is told each turn before the next request is sent. `None`: the
    /// transaction did not come to its end.
    pub fn transact<T>(
        &mut self,
        how: How,
        note: &mut dyn FnMut(Fate),
        body: impl FnOnce(&mut Client) -> Result<T, Trouble>,
    ) -> (Fate, Option<T>) {
        let level = how.isolation.sql();
        let begun = match how.managed {
            true => self
                .run(&format!("SET TRANSACTION ISOLATION LEVEL {level}"))
                .and_then(|_| self.manage(&TransactionAction::Begin(begin()))),
            false => self.run(&format!("SET TRANSACTION ISOLATION LEVEL {level}; BEGIN TRAN")),
        };
        let done = begun.and_then(|_| body(self));
        let Ok(result) = done else {
            note(Fate::RolledBack);
            self.roll_back();
            return (Fate::RolledBack, None);
        };
        if !how.commits {
            note(Fate::RolledBack);
            let action = TransactionAction::Rollback { name: String::new(), begin_again: None };
            let ended = if how.managed { self.manage(&action) } else { self.run("ROLLBACK") };
            if ended.is_err() {
                self.roll_back();
            }
            return (Fate::RolledBack, Some(result));
        }
        note(Fate::Committing);
        let action = TransactionAction::Commit { name: String::new(), begin_again: None };
        let ended = if how.managed { self.manage(&action) } else { self.run("COMMIT") };
        let fate = match ended {
            Ok(_) => Fate::Committed,
            Err(Trouble::Lost) => Fate::Unknown,
            Err(Trouble::Error(_) | Trouble::Cancelled) => self.fate_after_cancel(),
        };
        note(fate);
        (fate, Some(result))
    }

    /// A whole transaction as one batch.
    pub fn transact_at_once(&mut self, how: How, note: &mut dyn FnMut(Fate), body: &str) -> (Fate, Option<Answer>) {
        let level = how.isolation.sql();
        let end = if how.commits { "COMMIT" } else { "ROLLBACK" };
        note(if how.commits { Fate::Committing } else { Fate::RolledBack });
        let ended =
            self.run(&format!("SET XACT_ABORT ON; SET TRANSACTION ISOLATION LEVEL {level}; BEGIN TRAN; {body}; {end}"));
        let (fate, answer) = match ended {
            _ if !how.commits => {
                self.roll_back();
                (Fate::RolledBack, ended.ok())
            }
            Ok(answer) => (Fate::Committed, Some(answer)),
            Err(Trouble::Error(number)) if !is_of_the_world(number) => {
                self.roll_back();
                (Fate::RolledBack, None)
            }
            Err(_) => {
                // Cancelled before it began or after it ended: there is no transaction in either case.
                self.roll_back();
                (Fate::Unknown, None)
            }
        };
        note(fate);
        (fate, answer)
    }

    /// A batch that begins and commits its own transaction, and has rolled it back if it fails.
    pub fn autocommit(&mut self, note: &mut dyn FnMut(Fate), sql: &str) -> Fate {
        note(Fate::Committing);
        let fate = match self.run(sql) {
            Ok(_) => Fate::Committed,
            Err(Trouble::Error(number)) if !is_of_the_world(number) => Fate::RolledBack,
            Err(_) => Fate::Unknown,
        };
        if fate != Fate::Committed {
            self.roll_back();
        }
        note(fate);
        fate
    }

    /// After a commit that was cancelled or refused: a transaction that is still there was not committed.
    fn fate_after_cancel(&mut self) -> Fate {
        self.cancel = None;
        match self.run("SELECT @@TRANCOUNT").map(|answer| answer.number()) {
            Ok(Some(0)) => Fate::Unknown,
            Ok(_) => {
                self.roll_back();
                Fate::RolledBack
            }
            Err(_) => {
                self.connection = None;
                Fate::Unknown
            }
        }
    }
}

fn begin() -> Begin {
    Begin { isolation: tds::request::Isolation::Unchanged, name: String::new() }
}

/// A failing disk may fail a commit that later turns out to be there.
pub fn is_of_the_world(number: i32) -> bool {
    matches!(number, 823 | 9001 | 3624)
}

/// How a transaction is made.
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub isolation: Isolation,
    /// By transaction manager requests instead of BEGIN TRAN and COMMIT.
    pub managed: bool,
    pub commits: bool,
}

/// Where the server is, for clients of the database `sim` (empty: the default).
pub fn target(address: std::net::SocketAddr, database: &str, password: &str) -> Target {
    let text = format!("{},{}", address.ip(), address.port());
    let options = ConnectOptions {
        user: "sa".into(),
        password: password.into(),
        database: database.into(),
        host: "simulated".into(),
        encryption: ClientEncryption::Plain,
        ..ConnectOptions::default()
    };
    let address = ServerAddress::parse(&text).expect("an address");
    Target::new(address, options, &Trust::Anyone).expect("a numeric address")
}

/// The whole response; cancelled at a time, and whether it was.
fn collect(connection: &mut Connection, cancel_at: Option<u64>) -> Result<(Answer, bool), ClientError> {
    let mut answer = Answer::default();
    let mut cancelled = false;
    let patience = os::clock::after_ms(PATIENCE_MS);
    loop {
        let deadline = cancel_at.filter(|_| !cancelled).unwrap_or(patience);
        match connection.next_event(Some(deadline)) {
            Ok(Event::Token(token)) => answer.add(token),
            Ok(Event::End) => return Ok((answer, cancelled)),
            Ok(_) => {}
            Err(ClientError::Timeout) if !cancelled && cancel_at.is_some() => {
                connection.protocol().attention();
                cancelled = true;
            }
            Err(error) => return Err(error),
        }
    }
}

fn summary(answer: &Answer) -> String {
    const ROWS_SHOWN: usize = 12;
    let mut parts = Vec::new();
    for set in &answer.sets {
        let shown = set.rows.iter().take(ROWS_SHOWN).map(|row| {
            let values: Vec<String> = row.iter().map(show).collect();
            format!("({})", values.join(", "))
        });
        let more = if set.rows.len() > ROWS_SHOWN { format!(" ... {} rows", set.rows.len()) } else { String::new() };
        parts.push(format!("{}{more}", shown.collect::<Vec<_>>().join(" ")));
    }
    if answer.sets.is_empty() && !answer.counts.is_empty() {
        parts.push(format!("{:?} rows", answer.counts));
    }
    for message in answer.messages.iter().filter(|message| message.is_error()) {
        parts.push(format!("error {}: {}", message.number, short(&message.text)));
    }
    if parts.is_empty() { "done".into() } else { short(&parts.join("; ")) }
}

/// A value in the trace.
pub fn show(value: &Datum) -> String {
    match value {
        Datum::Null => "NULL".into(),
        Datum::I64(number) => number.to_string(),
        Datum::I128(number) => number.to_string(),
        Datum::F64(number) => number.to_string(),
        Datum::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if text.len() > 40 => format!("'{}'...{}", text.chars().take(24).collect::<String>(), text.len()),
            Ok(text) => format!("'{text}'"),
            Err(_) => format!("{} bytes", bytes.len()),
        },
    }
}

impl Answer {
    /// The first value of the first row, if it is a number.
    pub fn number(&self) -> Option<i64> {
        match self.sets.first()?.rows.first()?.first()? {
            Datum::I64(number) => Some(*number),
            Datum::I128(number) => i64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The rows of the last result set that has any columns.
    pub fn rows(&self) -> &[Vec<Datum>] {
        self.sets.last().map_or(&[], |set| &set.rows)
    }
}

/// A column of numbers.
pub fn number_of(value: &Datum) -> i64 {
    match value {
        Datum::I64(number) => *number,
        other => panic!("a number, not {other:?}"),
    }
}
