//! Transactions append numbers to lists and read lists. From what they read the order of all appends follows, and from that
//! which transaction depends on which: `history` then looks for the cycles that the isolation level forbids.

use os::random::Rng;
use os::sync::{SpinClass, SpinLock};
use types::Datum;

use super::client::{Client, Done, Fate, How, Trouble};
use super::history::{Action, History};
use super::plan::{Isolation, Mix, Workload};
use crate::client::Answer;

const LISTS: u64 = 4;

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
    /// Several lists by one statement.
    ReadAll,
}

pub struct Append {
    isolation: Isolation,
    history: SpinLock<History>,
}

impl Workload for Append {
    type Op = Op;
    const NAME: &'static str = "append";

    fn tables() -> Vec<String> {
        let rows: Vec<String> = (0..LISTS).map(|id| format!("({id}, '')")).collect();
        vec![
            "IF OBJECT_ID('lists') IS NULL CREATE TABLE lists (id int PRIMARY KEY, items varchar(max) NOT NULL)".into(),
            format!("IF NOT EXISTS (SELECT * FROM lists) INSERT lists VALUES {}", rows.join(", ")),
        ]
    }

    fn op(rng: &mut Rng, mix: &Mix) -> Op {
        let step = |rng: &mut Rng| match rng.below(8) {
            0..4 => Step::Append(rng.below(LISTS)),
            4..7 => Step::Read(rng.below(LISTS)),
            _ => Step::ReadAll,
        };
        Op {
            how: How { isolation: mix.isolation, managed: rng.below(3) == 0, commits: rng.below(10) != 0 },
            steps: (0..1 + rng.below(4)).map(|_| step(rng)).collect(),
            at_once: rng.below(4) == 0,
        }
    }

    fn new(mix: &Mix) -> Append {
        Append { isolation: mix.isolation, history: SpinLock::new(&HISTORY, History::default()) }
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
                let answer = client.run(&self.sql(number, *step))?;
                if !matches!(step, Step::Append(_)) {
                    let reads = reads(client, *step, answer.rows());
                    reads.into_iter().for_each(|read| self.history.lock().act(number, read));
                }
            }
            Ok::<(), Trouble>(())
        });
        Ok(())
    }

    fn check(&self, client: &mut Client, fresh: bool) -> Done {
        let answer = client.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; SELECT id, items FROM lists ORDER BY id")?;
        let lists: Vec<Vec<i64>> = answer.rows().iter().map(|row| items(client, &row[1])).collect();
        let complaint = self.history.lock().judge(&lists, self.isolation, fresh);
        match complaint {
            Some((kind, text)) => client.referee.fail(&kind, text),
            None => Ok(()),
        }
    }
}

impl Append {
    /// An append is noted before it is sent: a kill may come before its answer.
    fn sql(&self, number: usize, step: Step) -> String {
        match step {
            Step::Append(list) => {
                let item = self.history.lock().append(number, list as usize);
                format!("UPDATE lists SET items = items + '{item},' WHERE id = {list}")
            }
            Step::Read(list) => format!("SELECT id, items FROM lists WHERE id = {list}"),
            Step::ReadAll => "SELECT id, items FROM lists".into(),
        }
    }

    /// The appends were noted before the batch was sent; now the reads stand between them.
    fn note_batch(&self, client: &Client, number: usize, steps: &[Step], answer: &Answer) {
        let readers: Vec<Step> = steps.iter().copied().filter(|step| !matches!(step, Step::Append(_))).collect();
        if readers.len() != answer.sets.len() {
            client.referee.fail("lists", format!("{} result sets instead of {}", answer.sets.len(), readers.len()));
        }
        let mut found = readers.iter().zip(&answer.sets).map(|(step, set)| reads(client, *step, &set.rows));
        let mut appends = self.history.lock().take_actions(number).into_iter();
        let actions = steps.iter().flat_map(|step| match step {
            Step::Append(_) => appends.next().into_iter().collect(),
            Step::Read(_) | Step::ReadAll => found.next().unwrap_or_default(),
        });
        let actions = actions.collect();
        self.history.lock().set_actions(number, actions);
    }
}

fn reads(client: &Client, step: Step, rows: &[Vec<Datum>]) -> Vec<Action> {
    let expected = if matches!(step, Step::ReadAll) { LISTS as usize } else { 1 };
    if rows.len() != expected {
        client.referee.fail("lists", format!("{} rows instead of {expected}", rows.len()));
    }
    rows.iter().map(|row| Action::Read(super::client::number_of(&row[0]) as usize, items(client, &row[1]))).collect()
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
