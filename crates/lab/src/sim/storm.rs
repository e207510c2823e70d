//! Connections that come and go in every way a network and a user can think of. Whatever they do, the server answers others,
//! and of those that are gone nothing is left (`leftovers`).

use std::collections::BTreeSet;

use os::net::Stream;
use os::random::Rng;
use os::wait::{WaitType, sleep_until};
use tds::client::Event;
use tds::token::Token;

use super::client::{Client, Done, Fate, How, SESSION_KILLED, Trouble, number_of};
use super::outcomes::Outcomes;
use super::plan::{Isolation, Mix, Workload};
use crate::client::{ClientError, Connection};

const ROWS: u64 = 6;

#[derive(Clone, Debug)]
pub enum Op {
    /// A new connection, and a question to it.
    Login,
    WrongPassword,
    /// A socket that says so many bytes of nothing sensible, and goes after a while.
    Gibberish {
        bytes: usize,
        stays_us: u64,
    },
    /// A request that is cancelled; then the connection must be fit for another.
    Cancel {
        work: Work,
        after_us: u64,
    },
    /// A connection that vanishes in the middle of a request.
    Vanish {
        work: Work,
        after_us: u64,
    },
    /// A connection that vanishes with a transaction open.
    Abandon {
        rows: u64,
        managed: bool,
    },
    /// A client that reads nothing of a large result for a while, and then all of it or nothing.
    Deaf {
        for_ms: u64,
        reads: bool,
    },
    /// Ends somebody else's session.
    Kill {
        which: u64,
    },
    /// A pooled connection is handed to the next user: its transaction and temporary tables end.
    Reset,
    /// A transaction, acknowledged.
    Commit {
        row: u64,
        how: How,
    },
}

/// What keeps a session busy.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    Wait,
    Loop,
    Rows,
    Update,
    Sort,
}

pub struct Storm {
    commits: Outcomes<u64>,
}

impl Workload for Storm {
    type Op = Op;
    const NAME: &'static str = "storm";
    const BREAKS_CONNECTIONS: bool = true;

    fn tables() -> Vec<String> {
        let rows: Vec<String> = (0..ROWS).map(|id| format!("({id}, 0)")).collect();
        vec![
            "IF OBJECT_ID('counters') IS NULL CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL)".into(),
            "IF OBJECT_ID('noted') IS NULL CREATE TABLE noted (id bigint PRIMARY KEY)".into(),
            "IF OBJECT_ID('wide') IS NULL CREATE TABLE wide (id int IDENTITY PRIMARY KEY, text char(2000) NOT NULL DEFAULT 'x')".into(),
            format!("IF NOT EXISTS (SELECT * FROM counters) INSERT counters VALUES {}", rows.join(", ")),
            "WHILE (SELECT COUNT(*) FROM wide) < 64 INSERT wide DEFAULT VALUES".into(),
        ]
    }

    fn op(rng: &mut Rng, _: &Mix) -> Op {
        let work = [Work::Wait, Work::Loop, Work::Rows, Work::Update, Work::Sort][rng.below(5) as usize];
        let after_us = 1 << rng.below(16);
        match rng.below(16) {
            0 => Op::Login,
            1 => Op::WrongPassword,
            2 => Op::Gibberish { bytes: rng.below(200) as usize, stays_us: 1 << rng.below(20) },
            3..6 => Op::Cancel { work, after_us },
            6..8 => Op::Vanish { work, after_us },
            8 | 9 => Op::Abandon { rows: 1 + rng.below(ROWS), managed: rng.below(2) == 0 },
            10 => Op::Deaf { for_ms: 1 << rng.below(13), reads: rng.below(2) == 0 },
            11 => Op::Kill { which: rng.below(8) },
            12 => Op::Reset,
            _ => Op::Commit {
                row: rng.below(ROWS),
                how: How {
                    isolation: Isolation::ALL[rng.below(5) as usize],
                    managed: rng.below(2) == 0,
                    commits: rng.below(6) != 0,
                },
            },
        }
    }

    fn new(_: &Mix) -> Storm {
        Storm { commits: Outcomes::default() }
    }

    fn perform(&self, client: &mut Client, op: &Op) -> Done {
        match *op {
            Op::Login => {
                client.disconnect();
                let answer = client.run("SELECT 40 + 2")?;
                if answer.number() != Some(42) {
                    client.referee.fail("answer", format!("40 + 2 is {:?}", answer.number()));
                }
                Ok(())
            }
            Op::WrongPassword => wrong_password(client),
            Op::Gibberish { bytes, stays_us } => {
                gibberish(client, bytes, stays_us);
                Ok(())
            }
            Op::Cancel { work, after_us } => {
                client.begin_step(Some((0, after_us)));
                match client.run(sql(work)) {
                    Ok(_) | Err(Trouble::Cancelled) => {}
                    Err(trouble) => return Err(trouble),
                }
                client.begin_step(None);
                let answer = client.run("SELECT @@TRANCOUNT")?;
                if answer.number() != Some(0) {
                    client.referee.fail("answer", "a cancelled request left a transaction");
                }
                Ok(())
            }
            Op::Vanish { work, after_us } => {
                let mut connection = client.take_connection()?;
                client.say(format!("> {} and vanishes", sql(work)));
                connection.protocol().batch(sql(work));
                let until = os::clock::now() + after_us * 1_000;
                // Until then it reads, so that the request is sent and its answer flows.
                while let Ok(event) = connection.next_event(Some(until)) {
                    if event == Event::End {
                        break;
                    }
                }
                Ok(())
            }
            Op::Abandon { rows, managed } => {
                let how = How { isolation: Isolation::ReadCommitted, managed, commits: false };
                client.transact(how, &mut |_| {}, |client| {
                    for id in 0..rows {
                        client.run(&format!("UPDATE counters SET n = n + 1000 WHERE id = {id}"))?;
                    }
                    client.run("SELECT * INTO #abandoned FROM counters")?;
                    client.say("vanishes");
                    client.disconnect();
                    Err::<(), Trouble>(Trouble::Lost)
                });
                Ok(())
            }
            Op::Deaf { for_ms, reads } => deaf(client, for_ms, reads),
            Op::Kill { which } => kill(client, which),
            Op::Reset => {
                client.run("BEGIN TRAN; UPDATE counters SET n = n + 1000 WHERE id = 0; CREATE TABLE #mine (i int)")?;
                let connection = client.connect()?;
                connection.protocol().reset_with_next(tds::packet::Reset::Connection);
                let answer = client.run("SELECT @@TRANCOUNT + ISNULL(OBJECT_ID('tempdb..#mine'), 0)")?;
                if answer.number() != Some(0) {
                    client.referee.fail("answer", format!("a reset left {:?}", answer.number()));
                }
                Ok(())
            }
            Op::Commit { row, how } => {
                client.connect()?;
                let number = self.commits.begin(row);
                client.transact(how, &mut |fate: Fate| self.commits.set(number, fate), |client| {
                    client.run(&format!("UPDATE counters SET n = n + 1 WHERE id = {row}"))?;
                    client.run(&format!("INSERT noted VALUES ({number})"))
                });
                Ok(())
            }
        }
    }

    fn check(&self, client: &mut Client, fresh: bool) -> Done {
        client.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN")?;
        let counters = client.run("SELECT id, n FROM counters ORDER BY id")?;
        let noted = client.run("SELECT id FROM noted")?;
        client.run("COMMIT")?;
        let there: BTreeSet<i64> = noted.rows().iter().map(|row| number_of(&row[0])).collect();
        self.commits.compare(&client.referee, &there, fresh);
        let all = self.commits.all();
        for row in counters.rows() {
            let (id, n) = (number_of(&row[0]), number_of(&row[1]));
            let wanted = there.iter().filter(|number| all[**number as usize].1 == id as u64).count() as i64;
            if n != wanted {
                client.referee.fail("counters", format!("row {id} counts {n}, and {wanted} commits are noted"));
            }
        }
        Ok(())
    }
}

fn sql(work: Work) -> &'static str {
    match work {
        Work::Wait => "WAITFOR DELAY '00:00:02'",
        Work::Loop => "DECLARE @i int = 0; WHILE @i < 20000 SET @i = @i + 1",
        Work::Rows => "SELECT a.id, b.text FROM wide a CROSS JOIN wide b",
        Work::Update => "UPDATE counters SET n = n + 1 - 1; UPDATE wide SET text = 'y'",
        Work::Sort => "SELECT TOP 10 a.id FROM wide a CROSS JOIN wide b ORDER BY b.text, a.id DESC",
    }
}

fn wrong_password(client: &mut Client) -> Done {
    let wrong = client.target().with_login("sa", "not this one");
    match Connection::open(&wrong, Some(os::clock::after_ms(120_000))) {
        Err(ClientError::Login(messages)) if messages.iter().any(|message| message.number == 18456) => Ok(()),
        Ok(_) => client.referee.fail("login", "a wrong password was accepted"),
        Err(ClientError::Timeout) => client.referee.fail("login", "a wrong password is never refused"),
        Err(error) => {
            client.say(format!("a wrong password: {error}"));
            Err(Trouble::Lost)
        }
    }
}

/// What it sends may look like the begin of a packet, or not.
fn gibberish(client: &Client, bytes: usize, stays_us: u64) {
    let Ok(stream) = client.target().dial(Some(os::clock::after_ms(60_000))) else { return };
    client.say(format!("says {bytes} bytes of gibberish"));
    let begin = [0x12, 1, 0, 0x2f, 0, 0, 1, 0];
    let noise =
        (0..bytes).map(|at| if at < begin.len() && bytes.is_multiple_of(2) { begin[at] } else { (at * 37) as u8 });
    let noise: Vec<u8> = noise.collect();
    if !noise.is_empty() && say(&stream, &noise).is_err() {
        return;
    }
    sleep_until(WaitType::WAITFOR, os::clock::now() + stays_us * 1_000);
}

fn say(stream: &Stream, bytes: &[u8]) -> os::net::NetResult<()> {
    stream.write_all(bytes, Some(os::clock::after_ms(60_000)))
}

fn deaf(client: &mut Client, for_ms: u64, reads: bool) -> Done {
    let mut connection = client.take_connection()?;
    client.say(format!("asks for many rows and does not read for {for_ms} ms"));
    // Their ids need not be 1 to 64: identity values that were reserved when the power failed are not given again.
    connection
        .protocol()
        .batch("SELECT a.id, b.text FROM (SELECT TOP (30) id FROM wide ORDER BY id) a CROSS JOIN wide b ORDER BY a.id");
    // The request goes out with the first look at the answer, which is not waited for.
    let _ = connection.next_event(Some(os::clock::now()));
    os::wait::sleep(WaitType::WAITFOR, for_ms);
    if !reads {
        return Ok(());
    }
    let (mut rows, mut error) = (0, None);
    loop {
        match connection.next_event(Some(os::clock::after_ms(600_000))) {
            Ok(Event::Token(Token::Row(_))) => rows += 1,
            Ok(Event::Token(Token::Message(message))) if message.number == SESSION_KILLED => {
                return Err(Trouble::Lost);
            }
            Ok(Event::Token(Token::Message(message))) if message.is_error() => {
                client.judge(&message, &[]);
                error = Some(message.number);
            }
            Ok(Event::End) => break,
            Ok(_) => {}
            Err(ClientError::Timeout) => client.referee.fail("no answer", format!("it stops after {rows} rows")),
            Err(_) => return Err(Trouble::Lost),
        }
    }
    client.give_connection(connection);
    if let Some(number) = error {
        return Err(Trouble::Error(number));
    }
    if rows != 30 * 64 {
        client.referee.fail("answer", format!("{rows} rows of {}", 30 * 64));
    }
    Ok(())
}

fn kill(client: &mut Client, which: u64) -> Done {
    let answer = client.run(
        "SELECT session_id FROM sys.dm_exec_sessions WHERE is_user_process = 1 AND session_id <> @@SPID ORDER BY session_id",
    )?;
    let rows = answer.rows();
    if rows.is_empty() {
        return Ok(());
    }
    let session = number_of(&rows[which as usize % rows.len()][0]);
    // It may be gone by now.
    client.run_or(&format!("KILL {session}"), &[6106]).map(|_| ())
}
