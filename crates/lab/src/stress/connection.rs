//! One connection, from its login to its end.

use std::path::Path;
use std::sync::atomic::Ordering;

use os::random::Rng;
use os::wait::WaitType;
use tds::client::Event;
use tds::token::{Done, ServerMessage, Token, done};
use types::Datum;

use super::control::Control;
use super::draw::Draw;
use super::output::Output;
use super::plan::{Plan, STOP_WAIT_MS};
use super::totals::{Lane, Totals};
use super::work::{Group, Step};
use crate::client::{ClientError, ClientResult, Connection, Target};

/// Client-side errors, numbered below zero to keep apart from the server's.
const ERROR_CONNECT: i64 = -1;
const ERROR_TIMEOUT: i64 = -2;
const ERROR_CONNECTION: i64 = -3;
const ERROR_FILE: i64 = -4;

/// From this severity on the server closes the connection behind an error.
const SEVERITY_FATAL: u8 = 20;
/// How long to wait before a connection that broke is opened again.
const RECONNECT_MS: u64 = 100;
/// So many times a refused statement is tried again without a pause, and then with one before each.
const RETRIES_AT_ONCE: u64 = 10;
const RETRY_MS: u64 = 1;

/// Errors that may be gone when the same is tried again: a deadlock's victim (1205), a lock that was waited for too long (1222), rows that
/// others changed (3960; of memory-optimized tables 41301, 41302, 41305, 41325).
const TRANSIENT: [i32; 7] = [1205, 1222, 3960, 41301, 41302, 41305, 41325];

/// How a request ended.
enum Ended {
    /// With these errors, most often none.
    Answered(Vec<ServerMessage>),
    /// The control file had it cancelled.
    Cancelled,
    /// The connection was closed before the answer.
    Left,
}

pub struct Session<'p> {
    plan: &'p Plan,
    control: &'p Control,
    group: &'p Group,
    /// Among all connections.
    index: u32,
    target: &'p Target,
    lane: &'p Lane,
    rng: Rng,
    connection: Option<Connection>,
    /// Of the steps that are prepared.
    handles: Vec<Option<i32>>,
    output: Option<Output>,
    errors: u64,
}

impl<'p> Session<'p> {
    pub fn new(plan: &'p Plan, index: u32) -> Session<'p> {
        let group = &plan.work.groups[(index / plan.args.connections) as usize];
        Session {
            plan,
            control: &plan.control,
            group,
            index,
            target: &plan.targets[plan.server_of(index)],
            lane: plan.totals.lane(plan.server_of(index), plan.scheduler_of(index)),
            rng: Rng::from_seed(index.into()),
            connection: None,
            handles: vec![None; group.steps.len()],
            output: plan.output.as_ref().map(|_| Output::new(plan.form)),
            errors: 0,
        }
    }

    /// How many iterations it made.
    pub fn run(mut self) -> u64 {
        let (plan, totals) = (self.plan, &self.plan.totals);
        let all = u64::from(plan.connections());
        // Divided first: a long ramp times many connections would not fit.
        pause_until(os::clock::now() + plan.args.ramp_s * 1_000_000_000 / all * u64::from(self.index), totals);
        let mut done = 0;
        if self.log_in() {
            self.lane.counters.connected.fetch_add(1, Ordering::Relaxed);
            if plan.args.barrier {
                plan.begin.wait(None);
            }
            done = self.iterate();
        }
        self.lane.counters.finished.fetch_add(1, Ordering::Relaxed);
        if let (Some(directory), Some(output)) = (&plan.output, self.output.take()) {
            self.save(directory, &output.finish());
        }
        done
    }

    fn log_in(&mut self) -> bool {
        let plan = self.plan;
        let seconds = plan.args.login_timeout_s.or(self.control.login_timeout_s).unwrap_or(30);
        match Connection::open(self.target, Some(os::clock::after_ms(seconds.max(1) * 1_000))) {
            Ok(mut connection) => {
                connection.protocol().skip_rows(self.output.is_none() && self.control.row_fetch_delay_ms == 0);
                self.connection = Some(connection);
                self.handles.fill(None);
                match self.first_batch() {
                    Some(text) => {
                        matches!(self.request(|connection, _| connection.protocol().batch(&text), None), Ok(Ended::Answered(errors)) if errors.is_empty())
                    }
                    None => true,
                }
            }
            Err(ClientError::Login(messages)) => {
                messages.iter().filter(|message| message.is_error()).for_each(|m| self.lane.server_error(m));
                self.errors += 1;
                false
            }
            Err(error) => {
                self.fail(ERROR_CONNECT, || format!("connecting: {error}"));
                false
            }
        }
    }

    /// What the control file says of a session's settings.
    fn first_batch(&self) -> Option<String> {
        let setting = |name: &str, on: bool| format!("SET {name} {};", if on { "ON" } else { "OFF" });
        let quoted = self.control.quoted_identifier.map(|on| setting("QUOTED_IDENTIFIER", on));
        let implicit = self.control.autocommit.map(|on| setting("IMPLICIT_TRANSACTIONS", !on));
        let text: String = [quoted, implicit].into_iter().flatten().collect();
        (!text.is_empty()).then_some(text)
    }

    fn iterate(&mut self) -> u64 {
        let (args, totals) = (&self.plan.args, &self.plan.totals);
        let all = u64::from(self.plan.connections());
        // An open loop begins iterations on a schedule of its own, each connection an equal share, evenly staggered.
        let interval_ns = args.rate.map(|rate| (all as f64 / rate.max(1e-9) * 1e9) as u64);
        let first = os::clock::now();
        let stagger = interval_ns.unwrap_or(0) / all * u64::from(self.index);
        let mut done = 0;
        while done < args.iterations() {
            let began = match interval_ns {
                Some(interval_ns) => {
                    let due = first.saturating_add(stagger).saturating_add(interval_ns.saturating_mul(done));
                    pause_until(due, totals);
                    due
                }
                None => os::clock::now(),
            };
            if !totals.begins(began) {
                let overdue_ns = totals.time_up.load(Ordering::Relaxed).saturating_sub(began);
                let not_begun = interval_ns.map_or(0, |interval_ns| overdue_ns.div_ceil(interval_ns.max(1)));
                self.lane.counters.not_begun.fetch_add(not_begun.min(args.iterations() - done), Ordering::Relaxed);
                break;
            }
            if !self.has_connection() {
                break;
            }
            let chosen = self.group.choose(&mut self.rng);
            if self.iteration(chosen).is_err() {
                break;
            }
            done += 1;
            self.lane.counters.iterations.fetch_add(1, Ordering::Relaxed);
            let taken = os::clock::now().saturating_sub(began);
            self.lane.latencies.lock().saturating_record(taken);
            if let Some(statement) = chosen.filter(|_| totals.measuring.load(Ordering::Relaxed)) {
                self.lane.statements[statement].lock().saturating_record(taken);
            }
            if self.has_luck(self.control.disconnect_percent) {
                self.connection = None;
            }
            if let Some(think) = args.think.as_ref().filter(|_| done < args.iterations()) {
                let think_ns = think_ns(think, args.think_spread, &mut self.rng);
                pause_until(os::clock::now() + think_ns, totals);
            }
        }
        done
    }

    /// Opens it again if it was closed, or broke and --reconnect was given.
    fn has_connection(&mut self) -> bool {
        while self.connection.is_none() && !self.plan.totals.stop.load(Ordering::Relaxed) {
            if self.log_in() {
                return true;
            }
            if !self.plan.args.reconnect {
                return false;
            }
            pause_until(os::clock::after_ms(RECONNECT_MS), &self.plan.totals);
        }
        self.connection.is_some()
    }

    /// All steps once, or the one that was chosen. Err: the session is at its end.
    fn iteration(&mut self, chosen: Option<usize>) -> Result<(), ()> {
        let (group, control) = (self.group, self.control);
        let steps = match chosen {
            Some(step) => step..step + 1,
            None => 0..group.steps.len(),
        };
        for number in steps.clone() {
            let step = &group.steps[number];
            if number > steps.start && control.query_delay_ms > 0 {
                pause_until(os::clock::after_ms(control.query_delay_ms), &self.plan.totals);
            }
            self.step(number, step)?;
            if self.connection.is_none() {
                // Its answer was not waited for: what follows belonged to it.
                return Ok(());
            }
        }
        if control.query_delay_ms > 0 {
            pause_until(os::clock::after_ms(control.query_delay_ms), &self.plan.totals);
        }
        Ok(())
    }

    fn step(&mut self, number: usize, step: &Step) -> Result<(), ()> {
        let (plan, totals) = (self.plan, &self.plan.totals);
        let retries_max = plan.args.retries.max(self.control.retries_max);
        for retry in 0.. {
            let prepares = plan.args.prepare || self.control.prepare;
            let handle = self.handles[number];
            let send = |connection: &mut Connection, rng: &mut Rng| match prepares {
                true => step.send_prepared(handle, connection.protocol(), rng),
                false => step.send(connection.protocol(), rng),
            };
            match self.request(send, prepares.then_some(number)) {
                Ok(Ended::Answered(errors)) => {
                    self.lane.counters.requests.fetch_add(1, Ordering::Relaxed);
                    let is_transient = errors.iter().any(|error| TRANSIENT.contains(&error.number));
                    if is_transient && retry < retries_max {
                        // At the end of the run there is no other try: it neither failed nor was it done.
                        if totals.stop.load(Ordering::Relaxed) {
                            return Err(());
                        }
                        self.lane.counters.retries.fetch_add(1, Ordering::Relaxed);
                        // Who is in the way may have lost its CPU.
                        if retry >= RETRIES_AT_ONCE {
                            pause_until(os::clock::after_ms(RETRY_MS), totals);
                        }
                        continue;
                    }
                    errors.iter().for_each(|error| self.lane.server_error(error));
                    self.errors += errors.len() as u64;
                    // It is closed behind this: the next request must not count it once more.
                    if errors.iter().any(|error| error.severity >= SEVERITY_FATAL) {
                        self.connection = None;
                        if !plan.args.reconnect {
                            return Err(());
                        }
                    }
                }
                Ok(Ended::Cancelled) => {
                    self.lane.counters.cancelled.fetch_add(1, Ordering::Relaxed);
                    if self.control.rollback_on_cancel {
                        let text = "IF @@TRANCOUNT > 0 ROLLBACK";
                        self.request(|connection, _| connection.protocol().batch(text), None).map_err(|_| ())?;
                    }
                }
                Ok(Ended::Left) => self.connection = None,
                Err(ClientError::Timeout) if totals.stop.load(Ordering::Relaxed) => return Err(()),
                Err(ClientError::Timeout) => self.fail(ERROR_TIMEOUT, || "timeout expired".into()),
                Err(error) => {
                    self.fail(ERROR_CONNECTION, || error.to_string());
                    self.connection = None;
                    if !plan.args.reconnect {
                        return Err(());
                    }
                }
            }
            break;
        }
        let errors_max = self.control.errors_max;
        if errors_max > 0 && self.errors >= errors_max { Err(()) } else { Ok(()) }
    }

    /// Sends a request and reads its answer. `prepares`: the step whose handle the answer may bring.
    fn request(
        &mut self,
        send: impl FnOnce(&mut Connection, &mut Rng),
        prepares: Option<usize>,
    ) -> ClientResult<Ended> {
        let (plan, control) = (self.plan, self.control);
        let stop = &plan.totals.stop;
        let is_cancelled = self.has_luck(control.cancel_percent);
        let leaves = self.has_luck(control.batch_disconnect_percent);
        let limit_ms = match plan.args.query_timeout_s.or(control.query_timeout_s).unwrap_or(0) {
            _ if leaves => Some(1),
            _ if is_cancelled => {
                let spread = control.cancel_delay_ms - control.cancel_delay_min_ms;
                Some(control.cancel_delay_min_ms + self.rng.below(spread + 1))
            }
            0 => None,
            seconds => Some(seconds * 1_000),
        };
        let limit = limit_ms.map(os::clock::after_ms);
        let Session { connection, output, handles, rng, .. } = self;
        let connection = connection.as_mut().expect("opened before");
        send(connection, rng);
        let (mut rows, mut errors) = (0, Vec::new());
        let outcome = loop {
            // Wake up now and then: a request that never ends must not outlive the run.
            let look_again = os::clock::after_ms(STOP_WAIT_MS);
            match connection.next_event(Some(limit.map_or(look_again, |limit| limit.min(look_again)))) {
                Ok(Event::Token(Token::Row(row))) => {
                    rows += 1;
                    if let Some(output) = output {
                        output.row(&row);
                    }
                    if control.row_fetch_delay_ms > 0 {
                        pause_until(os::clock::after_ms(control.row_fetch_delay_ms), &plan.totals);
                    }
                }
                Ok(Event::Token(Token::Rows(count))) => rows += count,
                Ok(Event::Token(Token::Message(message))) => {
                    if let Some(output) = output {
                        output.message(&message);
                    }
                    if message.is_error() {
                        errors.push(message);
                    }
                }
                Ok(Event::Token(Token::ReturnValue(value))) => {
                    if let (Some(step), Datum::I64(handle), 0) = (prepares, &value.value, value.ordinal) {
                        handles[step] = i32::try_from(*handle).ok();
                    }
                }
                Ok(Event::Token(Token::Columns(columns))) => {
                    if let Some(output) = output {
                        output.columns(&columns);
                    }
                }
                Ok(Event::Token(Token::Done(Done { status, rows, .. }))) if status & done::COUNT != 0 => {
                    if let Some(output) = output {
                        output.count(rows);
                    }
                }
                Ok(Event::Token(_)) => {}
                Ok(Event::End) => break Ok(Ended::Answered(errors)),
                Ok(other) => panic!("{other:?} after login"),
                Err(ClientError::Timeout) if leaves => break Ok(Ended::Left),
                Err(ClientError::Timeout) => {
                    let is_late = limit.is_some_and(|limit| os::clock::now() >= limit);
                    if is_late && is_cancelled {
                        break connection.cancel().map(|()| Ended::Cancelled);
                    }
                    if is_late || stop.load(Ordering::Relaxed) {
                        break connection.cancel().and(Err(ClientError::Timeout));
                    }
                }
                Err(error) => break Err(error),
            }
        };
        self.lane.counters.rows.fetch_add(rows, Ordering::Relaxed);
        outcome
    }

    /// Happens to so many of a hundred.
    fn has_luck(&mut self, percent: f64) -> bool {
        percent > 0.0 && (self.rng.below(1_000_000) as f64) < percent * 10_000.0
    }

    fn fail(&mut self, number: i64, why: impl FnOnce() -> String) {
        self.errors += 1;
        self.lane.error(number, why);
    }

    fn save(&mut self, directory: &Path, text: &str) {
        let extension = Output::extension(self.plan.form);
        let path =
            directory.join(format!("{}_{}.{extension}", self.group.name, self.index % self.plan.args.connections + 1));
        if let Err(error) = os::fs::write(&path, text.as_bytes()) {
            self.fail(ERROR_FILE, || format!("{}: {error}", path.display()));
        }
    }
}

/// How long a user thinks before the next iteration: what was drawn, and evenly spread around it.
fn think_ns(think: &Draw, spread_percent: u64, rng: &mut Rng) -> u64 {
    let mean = (think.number(rng).max(0.0) * 1e6) as u64;
    let spread = (u128::from(mean) * u128::from(spread_percent) / 100) as u64;
    mean - spread + rng.below(spread.saturating_mul(2).saturating_add(1))
}

/// Sleeps, in pieces short enough to notice the end of the run.
fn pause_until(deadline: u64, totals: &Totals) {
    const PIECE_NS: u64 = 200_000_000;
    loop {
        let now = os::clock::now();
        if now >= deadline || totals.stop.load(Ordering::Relaxed) {
            return;
        }
        let until = deadline.min(now + PIECE_NS);
        os::wait::park(WaitType::SLEEP_TASK, Some(until));
    }
}
