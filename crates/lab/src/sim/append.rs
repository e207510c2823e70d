//! Transactions append numbers to lists and read lists. From what they read the order of all appends follows, and from that
//! which transaction depends on which: `history` then looks for the cycles that the isolation level forbids.
//!
//! A list is a row of a table on pages or of a memory-optimized one; in some runs all are of one kind, in others a transaction may
//! touch both. Some lists have no row until the first append, so that their readers may be surprised by a phantom.

use os::random::Rng;
use os::sync::{SpinClass, SpinLock};
use types::Datum;

use super::client::{Client, Done, Fate, How, Trouble};
use super::history::{Action, History, Seen, Setting};
use super::plan::{Home, Isolation, Mix, Workload};
use crate::client::Answer;

/// Lists that are there from the beginning, and those that come later.
const LISTS: u64 = 4;
const LATE: u64 = 16;

/// Looks at both kinds of table until two looks in a row are the same.
const LOOKS_MAX: u32 = 1_000;

static HISTORY: SpinClass = SpinClass::new("SIM_HISTORY");

#[derive(Clone, Debug)]
pub struct Op {
    how: How,
    steps: Vec<Step>,
    /// All statements in one batch.
    at_once: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Step {
    Append(u64),
    Read(u64),
    /// Several lists by one statement; `ordered`: by a range of an index on their numbers.
    ReadAll {
        in_memory: bool,
        ordered: bool,
    },
}

pub struct Append {
    mix: Mix,
    history: SpinLock<History>,
    seen: SpinLock<Seen>,
}

impl Workload for Append {
    type Op = Op;
    const NAME: &'static str = "append";

    fn tables() -> Vec<String> {
        let rows = |table: &str| {
            let rows: Vec<String> = (0..LISTS).map(|id| format!("INSERT {table} VALUES ({id}, '')")).collect();
            format!("IF NOT EXISTS (SELECT * FROM {table}) BEGIN BEGIN TRAN; {}; COMMIT END", rows.join("; "))
        };
        vec![
            "ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON".into(),
            "IF OBJECT_ID('lists') IS NULL CREATE TABLE lists (id int PRIMARY KEY, items varchar(max) NOT NULL)".into(),
            "IF OBJECT_ID('lists_in_memory') IS NULL CREATE TABLE lists_in_memory (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH \
             WITH (BUCKET_COUNT = 4), items varchar(max) NOT NULL, INDEX by_id NONCLUSTERED (id)) WITH (MEMORY_OPTIMIZED = ON)"
                .into(),
            rows("lists"),
            rows("lists_in_memory"),
        ]
    }

    fn op(rng: &mut Rng, mix: &Mix) -> Op {
        let list = |rng: &mut Rng| if rng.below(4) == 0 { LISTS + rng.below(LATE) } else { rng.below(LISTS) };
        let in_memory = |rng: &mut Rng| match mix.home {
            Home::Pages => false,
            Home::Memory => true,
            Home::Both => rng.below(2) == 0,
        };
        let step = |rng: &mut Rng| match rng.below(8) {
            0..4 => Step::Append(list(rng)),
            4..7 => Step::Read(list(rng)),
            _ => Step::ReadAll { in_memory: in_memory(rng), ordered: rng.below(2) == 0 },
        };
        let steps: Vec<Step> = match rng.below(5) {
            // Half of a write skew, which somebody else may do the other half of.
            0 => {
                let one = list(rng);
                let other = if one % 4 < 2 { one + 2 } else { one - 2 };
                vec![Step::Read(one), Step::Append(other)]
            }
            _ => (0..1 + rng.below(4)).map(|_| step(rng)).collect(),
        };
        let at_once = rng.below(4) == 0 && !steps.iter().any(|step| matches!(step, Step::Append(LISTS..)));
        let how = How { isolation: session_level(mix), managed: rng.below(3) == 0, commits: rng.below(10) != 0 };
        Op { how, steps, at_once }
    }

    fn new(mix: &Mix) -> Append {
        Append {
            mix: mix.clone(),
            history: SpinLock::new(&HISTORY, History::default()),
            seen: SpinLock::new(&HISTORY, Seen::new()),
        }
    }

    fn perform(&self, client: &mut Client, op: &Op) -> Done {
        client.connect()?;
        let number = self.history.lock().begin();
        let mut note = |fate: Fate| self.history.lock().set(number, fate);
        if op.at_once {
            let sql: Vec<String> = op.steps.iter().map(|step| self.sql(number, *step)).collect();
            let (_, answer) = client.transact_at_once(op.how, &mut note, &sql.join("; "));
            if let Some(answer) = answer {
                self.note_batch(client, number, &op.steps, &answer);
            }
            return Ok(());
        }
        client.transact(op.how, &mut note, |client| {
            for step in &op.steps {
                // Two may bring the same row.
                let answer = client.run_or(&self.sql(number, *step), &[2627])?;
                if !matches!(step, Step::Append(_)) {
                    let reads = self.reads(client, *step, answer.rows());
                    reads.into_iter().for_each(|read| self.history.lock().act(number, read));
                }
            }
            Ok::<(), Trouble>(())
        });
        Ok(())
    }

    fn check(&self, client: &mut Client, fresh: bool) -> Done {
        let lists = self.all_lists(client)?;
        let settings: Vec<Setting> = (0..LISTS + LATE).map(|list| self.setting(list)).collect();
        let judged = self.history.lock().judge(&lists, &settings, fresh);
        match judged {
            Err((kind, text)) => client.referee.fail(&kind, format!("{}: {text}", self.levels())),
            Ok(seen) => {
                *self.seen.lock() = seen;
                Ok(())
            }
        }
    }

    fn sightings(&self) -> Vec<String> {
        let seen = self.seen.lock();
        let kinds = seen.iter().map(String::as_str).chain(["histories"]);
        kinds.map(|kind| format!("{}, {kind}", self.levels())).collect()
    }
}

/// Of pages, and of the transaction. SQL Server lets a transaction at SNAPSHOT not touch memory-optimized tables (41332), and one
/// that keeps its reads of pages must read those at SNAPSHOT (41333).
fn session_level(mix: &Mix) -> Isolation {
    match (mix.home, mix.isolation) {
        (Home::Pages, level) => level,
        (_, Isolation::Snapshot) => Isolation::ReadCommitted,
        (_, Isolation::RepeatableRead | Isolation::Serializable) if mix.memory_isolation != Isolation::Snapshot => {
            Isolation::ReadCommitted
        }
        (_, level) => level,
    }
}

impl Append {
    fn levels(&self) -> String {
        let (pages, memory) = (session_level(&self.mix).sql(), self.mix.memory_isolation.sql());
        match self.mix.home {
            Home::Pages => format!("pages at {pages}"),
            Home::Memory => format!("memory at {memory}"),
            Home::Both => format!("pages at {pages} and memory at {memory}"),
        }
    }

    fn is_in_memory(&self, list: u64) -> bool {
        match self.mix.home {
            Home::Pages => false,
            Home::Memory => true,
            Home::Both => list.is_multiple_of(2),
        }
    }

    fn setting(&self, list: u64) -> Setting {
        let in_memory = self.is_in_memory(list);
        let isolation = if in_memory { self.mix.memory_isolation } else { session_level(&self.mix) };
        Setting { isolation, in_memory, late: list >= LISTS }
    }

    /// A table with its hints. The database elevates what has none to SNAPSHOT, unless the session is at a higher level.
    fn table(&self, in_memory: bool, number: usize) -> String {
        if !in_memory {
            return "lists".into();
        }
        let elevated = session_level(&self.mix) <= Isolation::ReadCommitted && number.is_multiple_of(2);
        match self.mix.memory_isolation {
            Isolation::Snapshot if elevated => "lists_in_memory".into(),
            level => format!("lists_in_memory WITH ({})", level.hint()),
        }
    }

    /// An append is noted before it is sent: a kill may come before its answer.
    fn sql(&self, number: usize, step: Step) -> String {
        match step {
            Step::Append(list) => {
                let item = self.history.lock().append(number, list as usize);
                let in_memory = self.is_in_memory(list);
                let table = self.table(in_memory, number);
                let update = format!("UPDATE {table} SET items = items + '{item},' WHERE id = {list}");
                if list < LISTS {
                    return update;
                }
                let name = if in_memory { "lists_in_memory" } else { "lists" };
                format!("{update}; IF @@ROWCOUNT = 0 INSERT {name} VALUES ({list}, '{item},')")
            }
            Step::Read(list) => {
                format!("SELECT id, items FROM {} WHERE id = {list}", self.table(self.is_in_memory(list), number))
            }
            Step::ReadAll { in_memory, ordered } => {
                let range = if ordered { " WHERE id >= 0" } else { "" };
                format!("SELECT id, items FROM {}{range}", self.table(in_memory, number))
            }
        }
    }

    /// The appends were noted before the batch was sent; now the reads stand between them.
    fn note_batch(&self, client: &Client, number: usize, steps: &[Step], answer: &Answer) {
        let readers: Vec<Step> = steps.iter().copied().filter(|step| !matches!(step, Step::Append(_))).collect();
        if readers.len() != answer.sets.len() {
            client.referee.fail("lists", format!("{} result sets instead of {}", answer.sets.len(), readers.len()));
        }
        let mut found = readers.iter().zip(&answer.sets).map(|(step, set)| self.reads(client, *step, &set.rows));
        let mut appends = self.history.lock().take_actions(number).into_iter();
        let actions = steps.iter().flat_map(|step| match step {
            Step::Append(_) => appends.next().into_iter().collect(),
            Step::Read(_) | Step::ReadAll { .. } => found.next().unwrap_or_default(),
        });
        let actions = actions.collect();
        self.history.lock().set_actions(number, actions);
    }

    /// What a step has read of each of its lists.
    fn reads(&self, client: &Client, step: Step, rows: &[Vec<Datum>]) -> Vec<Action> {
        let lists: Vec<u64> = match step {
            Step::Append(_) => Vec::new(),
            Step::Read(list) => vec![list],
            Step::ReadAll { in_memory, .. } => {
                (0..LISTS + LATE).filter(|list| self.is_in_memory(*list) == in_memory).collect()
            }
        };
        let mut found = rows_of(client, rows);
        let reads = lists.iter().map(|list| match found.iter().position(|(id, _)| id == list) {
            Some(at) => Action::Read(*list as usize, found.swap_remove(at).1),
            None if *list < LISTS => client.referee.fail("lists", format!("list {list} is not there")),
            None => Action::Read(*list as usize, Vec::new()),
        });
        let reads = reads.collect();
        // Both tables begin with all rows, each of which is used in one of them.
        if found.iter().any(|(list, items)| *list >= LISTS || !items.is_empty() || self.mix.home != Home::Both) {
            client.referee.fail("lists", format!("nobody asked for these: {found:?}"));
        }
        reads
    }

    /// What is in each list. The two kinds of table are not read as of one moment; but lists only grow, so if nothing has changed
    /// between two looks at each, all of this was there at once.
    fn all_lists(&self, client: &mut Client) -> Result<Vec<Vec<i64>>, Trouble> {
        let look = |client: &mut Client| {
            let mut lists = vec![Vec::new(); (LISTS + LATE) as usize];
            for (in_memory, level, table) in [(true, "READ COMMITTED", "lists_in_memory"), (false, "SNAPSHOT", "lists")]
            {
                let sql = format!("SET TRANSACTION ISOLATION LEVEL {level}; SELECT id, items FROM {table}");
                let answer = client.run(&sql)?;
                for (list, items) in rows_of(client, answer.rows()) {
                    if self.is_in_memory(list) == in_memory {
                        lists[list as usize] = items;
                    }
                }
            }
            Ok(lists)
        };
        let mut before = look(client)?;
        for _ in 0..LOOKS_MAX {
            let now = look(client)?;
            if self.mix.home != Home::Both || now == before {
                return Ok(now);
            }
            before = now;
        }
        client.referee.fail("lists", "they change though nobody is at work")
    }
}

fn rows_of(client: &Client, rows: &[Vec<Datum>]) -> Vec<(u64, Vec<i64>)> {
    rows.iter().map(|row| (super::client::number_of(&row[0]) as u64, items(client, &row[1]))).collect()
}

fn items(client: &Client, value: &Datum) -> Vec<i64> {
    let text = match value {
        Datum::Bytes(bytes) => std::str::from_utf8(bytes).unwrap_or("?"),
        _ => "?",
    };
    let parsed: Result<Vec<i64>, _> = text.split_terminator(',').map(str::parse).collect();
    match parsed {
        Ok(items) => items,
        Err(_) => client.referee.fail("lists", format!("a list reads {}", super::client::show(value))),
    }
}
