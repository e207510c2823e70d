//! Steps the sessions of a program, one statement at a time, and holds what they answer, and who waits for whom, against the model.
//!
//! The model is a set of worlds: where several statements go on at once, or documentation leaves something open, each way that agrees
//! with what was seen is followed. None left: the server did what no world has.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use tds::client::Event;
use tds::packet::Reset;
use tds::token::{ServerMessage, Token};
use types::Datum;

use super::freedoms::Freedom;
use super::optimistic::Optimistic;
use super::program::{
    Action, Answer, Level, LevelHint, Program, SESSIONS_MAX, SETUP, SETUP_MEMORY, SHAPES, Step, first_rows, number,
};
use super::serial::History;
use super::world::World;
use crate::client::{ClientError, ClientResult, Connection, Target};

/// A request that takes longer has failed.
const REQUEST_MAX_MS: u64 = 30_000;
/// How long an answer is waited for before it is asked who waits.
const ANSWER_MS: u64 = 2;
/// Who waits for nobody and has not answered after so long has failed, and so has a deadlock that nobody has found.
const SETTLED_MAX_MS: u64 = 20_000;
/// Worlds that are followed at once.
const WORLDS_MAX: usize = 48;

/// What was seen, over programs.
#[derive(Debug, Default)]
pub struct Seen {
    pub statements: u64,
    pub waits: u64,
    pub errors: BTreeMap<i32, u64>,
    /// Waits that documentation leaves open, by what.
    pub freedoms: BTreeMap<Freedom, u64>,
    /// Histories that were put in a serial order.
    pub serial: u64,
    /// Programs left early, because documentation does not say how they go on.
    pub left: u64,
}

pub struct Controller {
    own: Connection,
    sessions: Vec<Connection>,
    ids: Vec<i64>,
    databases: [String; 2],
    has_memory: bool,
}

/// Why a program failed, and what was sent and answered.
#[derive(Debug, Default)]
pub struct Failure {
    pub why: Vec<String>,
    pub log: Vec<String>,
}

impl Controller {
    pub fn open(target: &Target) -> ClientResult<Controller> {
        let deadline = || Some(os::clock::after_ms(REQUEST_MAX_MS));
        let mut own = Connection::open(target, deadline())?;
        let databases = [0, 1].map(|at| format!("transactions_{}_{at}", os::env::process_id()));
        for (database, option) in databases.iter().zip(["OFF", "ON"]) {
            must(&mut own, &format!("CREATE DATABASE {database}"))?;
            must(&mut own, &format!("ALTER DATABASE {database} SET ALLOW_SNAPSHOT_ISOLATION ON"))?;
            must(&mut own, &format!("ALTER DATABASE {database} SET READ_COMMITTED_SNAPSHOT {option}"))?;
            must(&mut own, &format!("USE {database}"))?;
            must(&mut own, SETUP)?;
        }
        let has_memory = must(&mut own, SETUP_MEMORY).is_ok();
        let mut sessions = Vec::new();
        let mut ids = Vec::new();
        for _ in 0..SESSIONS_MAX {
            let mut session = Connection::open(target, deadline())?;
            let answer = session.query("SELECT CAST(@@SPID AS int)", deadline())?;
            ids.extend(answer.sets.first().and_then(|set| number(&set.rows.first()?[0])));
            sessions.push(session);
        }
        Ok(Controller { own, sessions, ids, databases, has_memory })
    }

    pub fn close(&mut self) -> ClientResult<()> {
        for session in &mut self.sessions {
            must(session, "IF @@TRANCOUNT > 0 ROLLBACK; USE master")?;
        }
        let databases = self.databases.join(", ");
        must(&mut self.own, &format!("USE master; DROP DATABASE {databases}"))
    }

    /// None: all that the server did some world has.
    pub fn run(&mut self, program: &Program, seen: &mut Seen) -> ClientResult<Option<Failure>> {
        if program.memory && !self.has_memory {
            seen.left += 1;
            return Ok(None);
        }
        let database = self.databases[usize::from(program.versions || program.memory)].clone();
        must(&mut self.own, &format!("USE {database}"))?;
        let rows = first_rows().map(|(k, row)| format!("({k}, {}, {})", row.v, row.w)).collect::<Vec<_>>().join(", ");
        let tables = (0..SHAPES.len()).map(|table| format!("DELETE t{table}; INSERT t{table} VALUES {rows};"));
        let memory = format!("DELETE m; INSERT m VALUES {rows};");
        must(&mut self.own, &if program.memory { memory } else { tables.collect::<String>() })?;
        let count = program.steps.iter().map(|step| step.session + 1).max().unwrap_or(1);
        for session in &mut self.sessions[..count] {
            session.protocol().reset_with_next(Reset::Connection);
            must(session, &format!("USE {database}"))?;
        }
        if program.memory {
            let failure = self.run_optimistic(program, count, seen)?;
            if failure.is_some() {
                self.give_up(count)?;
            }
            return Ok(failure);
        }
        let world = World::new(program.versions, count, first_rows());
        let mut run = Run {
            controller: self,
            seen,
            worlds: vec![world],
            failure: Failure::default(),
            history: History::new(count),
        };
        let failed = run.steps(&program.steps)? || run.end()?;
        let (failure, is_open) = (mem::take(&mut run.failure), run.is_open());
        if failed || is_open {
            self.give_up(count)?;
        }
        seen.left += u64::from(is_open && !failed);
        Ok(failed.then_some(failure))
    }

    /// Nobody waits, so each statement is answered before the next is sent.
    fn run_optimistic(&mut self, program: &Program, count: usize, seen: &mut Seen) -> ClientResult<Option<Failure>> {
        let mut model = Optimistic::new(count, first_rows());
        let mut history = History::new(count);
        let mut failure = Failure::default();
        let commits = (0..count).map(|session| Step { session, action: Action::Commit });
        for step in program.steps.iter().copied().chain(commits) {
            let Step { session, action } = step;
            if !model.fits(session, action) {
                continue;
            }
            seen.statements += 1;
            let text = action.text(true);
            self.sessions[session].protocol().batch(&text);
            let mut answer = Answer { rows: Vec::new(), error: None };
            let deadline = Some(os::clock::after_ms(REQUEST_MAX_MS));
            self.sessions[session].response(deadline, |token| add(&mut answer, token))?;
            failure.log.push(format!("{session}> {text}"));
            failure.log.push(format!("{session}< {answer:?}"));
            if let Some(error) = answer.error {
                *seen.errors.entry(error).or_default() += 1;
            }
            let is_serializable = match action {
                Action::Data(statement) => !model.is_open(session) || statement.hints.level == Some(LevelHint::Hold),
                _ => true,
            };
            if let Err(why) = model.answer(session, action, &answer) {
                failure.why.push(format!("session {session}: {why}"));
                return Ok(Some(failure));
            }
            match action {
                Action::Data(statement) => history.answered(session, statement, answer, is_serializable),
                // A commit that failed has left nothing.
                Action::Commit if answer.error.is_some() => history.control(session, Action::Rollback),
                _ => history.control(session, action),
            }
        }
        let answer = self.own.query("SELECT k, v, w FROM m ORDER BY k", Some(os::clock::after_ms(REQUEST_MAX_MS)))?;
        let rows = answer.sets.iter().flat_map(|set| &set.rows);
        let last: Vec<Vec<i64>> = rows.map(|row| row.iter().filter_map(number).collect()).collect();
        if last != model.committed() {
            failure.why.push(format!("at the end {last:?}, not {:?}", model.committed()));
            return Ok(Some(failure));
        }
        // The history's first table is this one; the others are as at the beginning.
        let untouched = |table: i64| first_rows().map(move |(key, row)| vec![table, key, row.v, row.w]);
        let own = last.into_iter().map(|row| [vec![0], row].concat());
        let last: Vec<Vec<i64>> = own.chain((1..SHAPES.len() as i64).flat_map(untouched)).collect();
        match history.judge(&last) {
            Ok(judged) => seen.serial += u64::from(judged),
            Err(why) => {
                failure.why.push(why);
                return Ok(Some(failure));
            }
        }
        Ok(None)
    }

    /// Whatever a failed program has left.
    fn give_up(&mut self, count: usize) -> ClientResult<()> {
        for session in &mut self.sessions[..count] {
            if !session.protocol().is_ready() {
                session.cancel()?;
            }
        }
        for session in &mut self.sessions[..count] {
            must(session, "IF @@TRANCOUNT > 0 ROLLBACK")?;
        }
        Ok(())
    }
}

fn must(connection: &mut Connection, text: &str) -> ClientResult<()> {
    let answer = connection.query(text, Some(os::clock::after_ms(REQUEST_MAX_MS)))?;
    match answer.first_error() {
        Some(error) => Err(ClientError::Address(format!("{text}: {}", tds::client::format_message(error)))),
        None => Ok(()),
    }
}

/// A program that runs.
struct Run<'a> {
    controller: &'a mut Controller,
    seen: &'a mut Seen,
    worlds: Vec<World>,
    failure: Failure,
    history: History,
}

/// Who has answered, and who waits for whom.
#[derive(Debug, Default)]
struct Settled {
    answers: Vec<(usize, Answer)>,
    waits: Vec<(usize, usize)>,
}

impl Run<'_> {
    /// True: it failed.
    fn steps(&mut self, steps: &[Step]) -> ClientResult<bool> {
        let mut left: Vec<Step> = steps.to_vec();
        // Whose session waits, does so with its next statement, too.
        while let Some(at) = left.iter().position(|step| !self.is_running(step.session)) {
            if self.is_open() {
                break;
            }
            let step = left.remove(at);
            if self.worlds[0].fits(step.session, step.action) && self.step(step)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_open(&self) -> bool {
        self.worlds.iter().any(|world| world.is_open)
    }

    fn is_running(&self, session: usize) -> bool {
        self.worlds[0].sessions[session].running.is_some()
    }

    fn step(&mut self, step: Step) -> ClientResult<bool> {
        let session = step.session;
        let text = step.action.text(false);
        self.failure.log.push(format!("{session}> {text}"));
        self.seen.statements += 1;
        self.controller.sessions[session].protocol().batch(&text);
        if let Action::Data(statement) = step.action {
            self.worlds.iter_mut().for_each(|world| world.start(session, statement));
            return self.settle();
        }
        let mut answer = Answer { rows: Vec::new(), error: None };
        let deadline = Some(os::clock::after_ms(REQUEST_MAX_MS));
        self.controller.sessions[session].response(deadline, |token| add(&mut answer, token))?;
        if let Some(error) = answer.error {
            self.failure.why.push(format!("error {error}"));
            return Ok(true);
        }
        self.history.control(session, step.action);
        self.worlds.iter_mut().for_each(|world| world.control(session, step.action));
        self.settle()
    }

    /// Waits until each session has answered or waits for one that does not go on, and judges that.
    fn settle(&mut self) -> ClientResult<bool> {
        let settled = match self.observe()? {
            Ok(settled) => settled,
            Err(why) => {
                self.failure.why.push(why);
                return Ok(true);
            }
        };
        for (session, answer) in &settled.answers {
            let told = answer.error.map_or_else(|| format!("{:?}", answer.rows), |error| format!("error {error}"));
            self.failure.log.push(format!("{session}< {told}"));
            if let Some(error) = answer.error {
                *self.seen.errors.entry(error).or_default() += 1;
            }
        }
        for (session, other) in &settled.waits {
            self.failure.log.push(format!("{session}  waits for {other}"));
        }
        let mut worlds: Vec<World> = Vec::new();
        let mut why = BTreeSet::new();
        for world in &self.worlds {
            for order in orders(settled.answers.len()) {
                match follow(world.clone(), &settled, &order) {
                    Ok(next) if !worlds.contains(&next) => worlds.push(next),
                    Ok(_) => {}
                    Err(reason) => {
                        why.insert(reason);
                    }
                }
            }
        }
        if worlds.is_empty() {
            self.failure.why.extend(why);
            return Ok(true);
        }
        worlds.truncate(WORLDS_MAX);
        for (session, other) in &settled.waits {
            self.seen.waits += 1;
            if let Some(Some(freedom)) = worlds[0].blockers(*session).get(other) {
                *self.seen.freedoms.entry(*freedom).or_default() += 1;
            }
        }
        for (session, answer) in settled.answers {
            let running = self.worlds[0].sessions[session].running.as_ref().expect("it was judged");
            let hints = running.statement.hints;
            let level = self.worlds[0].sessions[session].level;
            let is_serializable = level == Level::Serializable && hints.level.is_none() && !hints.skip;
            self.history.answered(session, running.statement, answer, is_serializable);
        }
        self.worlds = worlds;
        Ok(false)
    }

    fn observe(&mut self) -> ClientResult<Result<Settled, String>> {
        let until = os::clock::after_ms(SETTLED_MAX_MS);
        let mut settled = Settled::default();
        let mut running: Vec<usize> = (0..self.worlds[0].sessions.len()).filter(|at| self.is_running(*at)).collect();
        let mut partial: BTreeMap<usize, Answer> = BTreeMap::new();
        let mut before = None;
        loop {
            for session in mem::take(&mut running) {
                let answer = partial.entry(session).or_insert(Answer { rows: Vec::new(), error: None });
                if self.read(session, answer)? {
                    settled.answers.extend(partial.remove(&session).map(|answer| (session, answer)));
                    before = None;
                } else {
                    running.push(session);
                }
            }
            if running.is_empty() {
                return Ok(Ok(settled));
            }
            let waits = self.waits(&running)?;
            let is_timed = |session: &usize| self.worlds[0].sessions[*session].timeout >= 0;
            let is_still = waits.len() == running.len() && !has_cycle(&waits) && !running.iter().any(is_timed);
            if is_still && before.as_ref() == Some(&waits) {
                settled.waits = waits;
                return Ok(Ok(settled));
            }
            if os::clock::now() > until {
                return Ok(Err(format!("{running:?} do not answer; waits: {waits:?}")));
            }
            before = is_still.then_some(waits);
        }
    }

    /// What has come of a session's answer; true: all.
    fn read(&mut self, session: usize, answer: &mut Answer) -> ClientResult<bool> {
        let connection = &mut self.controller.sessions[session];
        let deadline = Some(os::clock::after_ms(ANSWER_MS));
        loop {
            match connection.next_event(deadline) {
                Ok(Event::Token(token)) => add(answer, token),
                Ok(Event::End) => return Ok(true),
                Ok(other) => panic!("{other:?} after login"),
                Err(ClientError::Timeout) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// As the server's views have it.
    fn waits(&mut self, running: &[usize]) -> ClientResult<Vec<(usize, usize)>> {
        let text = "SELECT CAST(session_id AS int), CAST(blocking_session_id AS int) FROM sys.dm_exec_requests \
                    WHERE wait_type LIKE 'LCK%' AND blocking_session_id <> 0";
        let answer = self.controller.own.query(text, Some(os::clock::after_ms(REQUEST_MAX_MS)))?;
        let place = |value: &Datum| {
            let id = number(value)?;
            self.controller.ids.iter().position(|of| *of == id)
        };
        let rows = answer.sets.iter().flat_map(|set| &set.rows);
        let mut waits: Vec<_> = rows.filter_map(|row| place(&row[0]).zip(place(&row[1]))).collect();
        waits.retain(|(session, _)| running.contains(session));
        waits.sort_unstable();
        Ok(waits)
    }

    /// All transactions end; then the tables must be as the worlds have them.
    fn end(&mut self) -> ClientResult<bool> {
        loop {
            if self.is_open() {
                return Ok(false);
            }
            let sessions = &self.worlds[0].sessions;
            let open = sessions.iter().position(|state| state.running.is_none() && state.transaction.is_some());
            let Some(session) = open else { break };
            if self.step(Step { session, action: Action::Commit })? {
                return Ok(true);
            }
        }
        let text = (0..SHAPES.len()).map(|table| format!("SELECT {table}, k, v, w FROM t{table} "));
        let text = text.collect::<Vec<_>>().join("UNION ALL ") + "ORDER BY 1, 2";
        let answer = self.controller.own.query(&text, Some(os::clock::after_ms(REQUEST_MAX_MS)))?;
        let rows = answer.sets.iter().flat_map(|set| &set.rows);
        let last: Vec<Vec<i64>> = rows.map(|row| row.iter().filter_map(number).collect()).collect();
        if !self.worlds.iter().any(|world| committed(world) == last) {
            self.failure.why.push(format!("at the end {last:?}, not {:?}", committed(&self.worlds[0])));
            return Ok(true);
        }
        match self.history.judge(&last) {
            Ok(judged) => self.seen.serial += u64::from(judged),
            Err(why) => {
                self.failure.why.push(why);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn committed(world: &World) -> Vec<Vec<i64>> {
    let tables = world.tables.iter().zip(0..);
    let rows = tables.flat_map(|(table, at)| table.iter().map(move |(key, cell)| (at, *key, cell.committed())));
    rows.filter_map(|(at, key, row)| row.map(|row| vec![at, key, row.v, row.w])).collect()
}

/// The answers in this order, and then who waits.
fn follow(mut world: World, settled: &Settled, order: &[usize]) -> Result<World, String> {
    for at in order {
        let (session, answer) = &settled.answers[*at];
        world.answer(*session, answer).map_err(|why| format!("session {session}: {why}"))?;
    }
    for (session, other) in &settled.waits {
        if !world.blockers(*session).contains_key(other) {
            return Err(format!("session {session} waits for {other} without a reason"));
        }
    }
    Ok(world)
}

fn has_cycle(waits: &[(usize, usize)]) -> bool {
    let next = |session: usize| waits.iter().find(|(from, _)| *from == session).map(|(_, to)| *to);
    waits.iter().any(|(first, _)| {
        let mut at = *first;
        (0..waits.len()).any(|_| match next(at) {
            Some(to) => {
                at = to;
                to == *first
            }
            None => false,
        })
    })
}

/// All orders of so many.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(count - 1);
    let longer = shorter.iter().flat_map(|order| {
        (0..=order.len()).rev().map(move |place| {
            let mut order = order.clone();
            order.insert(place, count - 1);
            order
        })
    });
    longer.collect()
}

fn add(answer: &mut Answer, token: Token) {
    match token {
        Token::Row(row) => answer.rows.push(row.iter().map(number).collect()),
        Token::Message(message) if message.is_error() => note_error(answer, &message),
        _ => {}
    }
}

/// The first says what happened.
fn note_error(answer: &mut Answer, message: &ServerMessage) {
    answer.error.get_or_insert(message.number);
}
