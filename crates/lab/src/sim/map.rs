//! A table against an ordered map: each client changes rows of its own (all in one table, side by side on its pages) and
//! reads them back by key, by range and by index, inside transactions and after them, through roll backs and savepoints.

use std::collections::BTreeMap;

use os::random::Rng;
use os::sync::{SpinClass, SpinLock};
use types::Datum;

use super::client::{Client, Done, Fate, How, Trouble, is_of_the_world, number_of};
use super::plan::{Isolation, Mix, Workload};
use super::trace::Who;

/// Keys of one client.
const KEYS: i64 = 60;
const NUMBERS: i64 = 50;
/// A client's keys are this far apart, so that its neighbours in the index are others'.
const STRIDE: i64 = 8;

static MODELS: SpinClass = SpinClass::new("SIM_MODELS");

#[derive(Clone, Debug)]
pub enum Op {
    Transaction {
        how: How,
        statements: Vec<Statement>,
    },
    /// Statements that commit by themselves.
    Alone(Vec<Statement>),
    /// An index comes or goes under the others.
    Index {
        create: bool,
    },
    Checkpoint,
    /// A temporary table with the client's rows.
    Temporary,
}

#[derive(Clone, Debug)]
pub enum Statement {
    Insert {
        key: i64,
        n: i64,
        bytes: i64,
    },
    Update {
        key: i64,
        n: i64,
        bytes: i64,
    },
    /// Adds to `n` of a range of keys.
    Add {
        from: i64,
        to: i64,
        n: i64,
    },
    /// Moves a row to another key, if that is free.
    Rename {
        key: i64,
        to: i64,
    },
    Delete {
        from: i64,
        to: i64,
    },
    /// Rows of a range of keys, up or down.
    ByKey {
        from: i64,
        to: i64,
        down: bool,
    },
    /// Rows of a range of `n`, through its index.
    ByNumber {
        from: i64,
        to: i64,
    },
    Count,
    /// SAVE TRANSACTION, these, and back to it; alone they stay.
    Undone(Vec<Statement>),
}

/// n, bytes of the text.
type Row = (i64, i64);
type Rows = BTreeMap<i64, Row>;

#[derive(Clone, Default)]
struct Model {
    rows: Rows,
    /// What it is instead, if a commit whose answer was lost was one.
    perhaps: Option<Rows>,
}

pub struct Map {
    models: SpinLock<Vec<Model>>,
}

impl Workload for Map {
    type Op = Op;
    const NAME: &'static str = "map";

    fn tables() -> Vec<String> {
        vec![
            "IF OBJECT_ID('items') IS NULL CREATE TABLE items (k int PRIMARY KEY, owner int NOT NULL, n int NOT NULL, v varchar(max) NOT NULL, INDEX by_n (n, owner))".into(),
        ]
    }

    fn op(rng: &mut Rng, _: &Mix) -> Op {
        let isolation = Isolation::ALL[rng.below(5) as usize];
        match rng.below(20) {
            0 => Op::Index { create: rng.below(2) == 0 },
            1 => Op::Checkpoint,
            2 => Op::Temporary,
            3..7 => Op::Alone((0..1 + rng.below(4)).map(|_| statement(rng, 0)).collect()),
            _ => Op::Transaction {
                how: How { isolation, managed: rng.below(3) == 0, commits: rng.below(5) != 0 },
                statements: (0..1 + rng.below(8)).map(|_| statement(rng, 1)).collect(),
            },
        }
    }

    fn new(mix: &Mix) -> Map {
        Map { models: SpinLock::new(&MODELS, vec![Model::default(); mix.clients as usize]) }
    }

    fn perform(&self, client: &mut Client, op: &Op) -> Done {
        let me = me(client);
        self.decide(client, me)?;
        let rows = self.models.lock()[me as usize].rows.clone();
        match op {
            Op::Checkpoint => client.run("CHECKPOINT").map(|_| ()),
            Op::Index { create: true } => client
                .run_or("IF INDEXPROPERTY(OBJECT_ID('items'), 'extra', 'IndexID') IS NULL CREATE INDEX extra ON items (owner, n DESC, k)", &[1913])
                .map(|_| ()),
            Op::Index { create: false } => client.run_or("DROP INDEX IF EXISTS extra ON items", &[3701]).map(|_| ()),
            Op::Temporary => {
                client.run(&format!("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT * INTO #mine FROM items WHERE owner = {me}"))?;
                let answer = client.run("SELECT COUNT(*) FROM #mine; DROP TABLE #mine")?;
                expect(client, "temporary table", answer.number() == Some(rows.len() as i64), || {
                    format!("{:?} rows, not {}", answer.number(), rows.len())
                });
                Ok(())
            }
            Op::Alone(statements) => {
                client.run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")?;
                for statement in statements {
                    self.alone(client, me, statement)?;
                }
                Ok(())
            }
            Op::Transaction { how, statements } => {
                let mut after = rows;
                // Kept outside of the transaction's closure: it is what a commit makes of the model.
                let wanted = SpinLock::new(&MODELS, Rows::new());
                let mut note = |fate: Fate| {
                    let mut models = self.models.lock();
                    let model = &mut models[me as usize];
                    match fate {
                        Fate::Committing => model.perhaps = Some(wanted.lock().clone()),
                        Fate::Committed => model.rows = model.perhaps.take().expect("committing"),
                        Fate::RolledBack => model.perhaps = None,
                        Fate::Open | Fate::Unknown => {}
                    }
                };
                client.transact(*how, &mut note, |client| {
                    for statement in statements {
                        run(client, me, statement, &mut after)?;
                    }
                    *wanted.lock() = after;
                    Ok(())
                });
                Ok(())
            }
        }
    }

    fn check(&self, client: &mut Client, fresh: bool) -> Done {
        let answer = client.run(
            "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT k, n, DATALENGTH(v), LEFT(v, 1), RIGHT(v, 1), owner FROM items ORDER BY k",
        )?;
        let all: Vec<(i64, (i64, Row))> =
            answer.rows().iter().map(|row| (number_of(&row[5]), row_of(client, row))).collect();
        let clients = self.models.lock().len();
        for me in 0..clients {
            let mine: Rows = all.iter().filter(|(owner, _)| *owner == me as i64).map(|(_, row)| *row).collect();
            self.compare(client, me as i64, &mine, fresh);
        }
        let counts = client.run(
            "SELECT COUNT(*), SUM(CAST(n AS bigint)) FROM items WITH (INDEX(by_n)) WHERE n > -1000000; SELECT COUNT(*), SUM(CAST(n AS bigint)) FROM items WITH (INDEX(1))",
        )?;
        let [by_index, by_key] = &counts.sets[..] else { return Ok(()) };
        expect(client, "index", by_index.rows == by_key.rows, || {
            format!("{:?} by the index, {:?} by the key", by_index.rows, by_key.rows)
        });
        Ok(())
    }
}

fn me(client: &Client) -> i64 {
    match client.who {
        Who::Client(number) => i64::from(number),
        Who::Machine | Who::Referee => unreachable!("only clients change rows"),
    }
}

fn expect(client: &Client, kind: &str, holds: bool, text: impl FnOnce() -> String) {
    if !holds {
        client.referee.fail(kind, text());
    }
}

fn statement(rng: &mut Rng, nested: u32) -> Statement {
    let key = rng.below(KEYS as u64) as i64;
    let n = rng.below(NUMBERS as u64) as i64;
    let bytes = match rng.below(40) {
        0 => 20_000,
        1 | 2 => 7_000,
        3..8 => rng.below(3_000) as i64,
        _ => rng.below(80) as i64,
    };
    let to = key + 1 + rng.below(12) as i64;
    match rng.below(20) {
        0..6 => Statement::Insert { key, n, bytes },
        6..9 => Statement::Update { key, n, bytes },
        9 | 10 => Statement::Add { from: key, to, n: n - NUMBERS / 2 },
        11 => Statement::Rename { key, to: rng.below(KEYS as u64) as i64 },
        12 | 13 => Statement::Delete { from: key, to },
        14 | 15 => Statement::ByKey { from: key, to: key + 30, down: rng.below(2) == 0 },
        16 => Statement::ByNumber { from: n, to: n + 15 },
        17 => Statement::Count,
        _ if nested > 0 => Statement::Undone((0..1 + rng.below(4)).map(|_| statement(rng, nested - 1)).collect()),
        _ => Statement::Insert { key, n, bytes },
    }
}

impl Map {
    /// A commit whose answer was lost: the locks of whoever is still at it make this wait, then it is known.
    fn decide(&self, client: &mut Client, me: i64) -> Done {
        if self.models.lock()[me as usize].perhaps.is_none() {
            return Ok(());
        }
        let mine = read_rows(
            client,
            &format!("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; {SELECT} WHERE owner = {me} ORDER BY k"),
        )?;
        self.compare(client, me, &mine.into_iter().collect(), true);
        Ok(())
    }

    fn compare(&self, client: &Client, me: i64, mine: &Rows, decides: bool) {
        let mut models = self.models.lock();
        let model = &mut models[me as usize];
        let complaint = match &model.perhaps {
            Some(perhaps) if perhaps == mine => {
                if decides {
                    model.rows = mine.clone();
                }
                None
            }
            _ if model.rows == *mine => None,
            _ => Some(difference(&model.rows, mine)),
        };
        if decides {
            model.perhaps = None;
        }
        drop(models);
        if let Some(text) = complaint {
            client.referee.fail("rows", format!("of client {me}: {text}"));
        }
    }

    /// A statement that is its own transaction.
    fn alone(&self, client: &mut Client, me: i64, statement: &Statement) -> Done {
        if let Statement::Undone(statements) = statement {
            return statements.iter().try_for_each(|statement| self.alone(client, me, statement));
        }
        self.decide(client, me)?;
        let before = self.models.lock()[me as usize].rows.clone();
        let mut after = before.clone();
        apply(me, statement, &mut after);
        self.models.lock()[me as usize].perhaps = Some(after.clone());
        let mut seen = before;
        match run(client, me, statement, &mut seen) {
            Ok(()) => {
                let mut models = self.models.lock();
                models[me as usize] = Model { rows: after, perhaps: None };
                Ok(())
            }
            Err(Trouble::Error(number)) if !is_of_the_world(number) => {
                self.models.lock()[me as usize].perhaps = None;
                Err(Trouble::Error(number))
            }
            Err(trouble) => Err(trouble),
        }
    }
}

const SELECT: &str = "SELECT k, n, DATALENGTH(v), LEFT(v, 1), RIGHT(v, 1) FROM items";

fn letter(key: i64, n: i64) -> char {
    char::from(b'a' + (key + n).rem_euclid(26) as u8)
}

fn text(key: i64, n: i64, bytes: i64) -> String {
    format!("REPLICATE(CAST('{}' AS varchar(max)), {bytes})", letter(key, n))
}

fn key_of(me: i64, key: i64) -> i64 {
    key * STRIDE + me
}

/// What the statement makes of the rows; how many it changes, `None`: the key is there already.
fn apply(me: i64, statement: &Statement, rows: &mut Rows) -> Option<usize> {
    match *statement {
        Statement::Insert { key, n, bytes } => {
            let key = key_of(me, key);
            if rows.contains_key(&key) {
                return None;
            }
            rows.insert(key, (n, bytes));
            Some(1)
        }
        Statement::Update { key, n, bytes } => {
            let row = rows.get_mut(&key_of(me, key));
            Some(row.map(|row| *row = (n, bytes)).iter().count())
        }
        Statement::Add { from, to, n } => {
            let range = rows.range_mut(key_of(me, from)..key_of(me, to));
            Some(range.map(|(_, row)| row.0 += n).count())
        }
        Statement::Rename { key, to } => {
            let (key, to) = (key_of(me, key), key_of(me, to));
            if !rows.contains_key(&key) {
                return Some(0);
            }
            if key != to && rows.contains_key(&to) {
                return None;
            }
            let row = rows.remove(&key).expect("there");
            rows.insert(to, row);
            Some(1)
        }
        Statement::Delete { from, to } => {
            let before = rows.len();
            let (from, to) = (key_of(me, from), key_of(me, to));
            rows.retain(|key, _| !(from..to).contains(key));
            Some(before - rows.len())
        }
        Statement::ByKey { .. } | Statement::ByNumber { .. } | Statement::Count | Statement::Undone(_) => Some(0),
    }
}

/// Runs a statement and compares what it says with `rows`, which it changes likewise.
fn run(client: &mut Client, me: i64, statement: &Statement, rows: &mut Rows) -> Done {
    let mine = |from: i64, to: i64| format!("k >= {} AND k < {} AND owner = {me}", key_of(me, from), key_of(me, to));
    let sql = match statement {
        Statement::Insert { key, n, bytes } => {
            let key = key_of(me, *key);
            format!("INSERT items (k, owner, n, v) VALUES ({key}, {me}, {n}, {})", text(key, *n, *bytes))
        }
        Statement::Update { key, n, bytes } => {
            let key = key_of(me, *key);
            format!("UPDATE items SET n = {n}, v = {} WHERE k = {key}", text(key, *n, *bytes))
        }
        Statement::Add { from, to, n } => format!("UPDATE items SET n = n + {n} WHERE {}", mine(*from, *to)),
        Statement::Rename { key, to } => {
            format!("UPDATE items SET k = {} WHERE k = {}", key_of(me, *to), key_of(me, *key))
        }
        Statement::Delete { from, to } => format!("DELETE items WHERE {}", mine(*from, *to)),
        Statement::ByKey { from, to, down } => {
            let order = if *down { "DESC" } else { "ASC" };
            let found = read_rows(client, &format!("{SELECT} WHERE {} ORDER BY k {order}", mine(*from, *to)))?;
            let range = rows.range(key_of(me, *from)..key_of(me, *to)).map(|(key, row)| (*key, *row));
            let wanted: Vec<(i64, Row)> = if *down { range.rev().collect() } else { range.collect() };
            expect(client, "range", found == wanted, || format!("{found:?} instead of {wanted:?}"));
            return Ok(());
        }
        Statement::ByNumber { from, to } => {
            let found = read_rows(
                client,
                &format!("{SELECT} WITH (INDEX(by_n)) WHERE n >= {from} AND n < {to} AND owner = {me} ORDER BY n, k"),
            )?;
            let range = rows.iter().filter(|(_, row)| (*from..*to).contains(&row.0));
            let mut wanted: Vec<(i64, Row)> = range.map(|(key, row)| (*key, *row)).collect();
            wanted.sort_by_key(|(key, row)| (row.0, *key));
            expect(client, "index range", found == wanted, || format!("{found:?} instead of {wanted:?}"));
            return Ok(());
        }
        Statement::Count => {
            let answer = client.run(&format!("SELECT COUNT(*) FROM items WHERE owner = {me}"))?;
            let wanted = Some(rows.len() as i64);
            expect(client, "count", answer.number() == wanted, || format!("{:?}, not {wanted:?}", answer.number()));
            return Ok(());
        }
        Statement::Undone(statements) => {
            client.run("SAVE TRANSACTION here")?;
            let mut undone = rows.clone();
            for statement in statements {
                run(client, me, statement, &mut undone)?;
            }
            client.run("ROLLBACK TRANSACTION here")?;
            return Ok(());
        }
    };
    let wanted = apply(me, statement, rows);
    match (client.run_or(&sql, &[2627]), wanted) {
        (Ok(answer), Some(count)) => {
            let counted = answer.counts.last().copied();
            expect(client, "row count", counted == Some(count as u64), || format!("{counted:?}, not {count}: {sql}"));
            Ok(())
        }
        (Ok(_), None) => client.referee.fail("duplicate", format!("accepted: {sql}")),
        (Err(Trouble::Error(2627)), None) => Ok(()),
        (Err(Trouble::Error(2627)), Some(_)) => client.referee.fail("duplicate", format!("there is none: {sql}")),
        (Err(trouble), _) => Err(trouble),
    }
}

fn read_rows(client: &mut Client, sql: &str) -> Result<Vec<(i64, Row)>, Trouble> {
    let answer = client.run(sql)?;
    Ok(answer.rows().iter().map(|row| row_of(client, row)).collect())
}

/// Key, number, bytes, first and last letter: the text must be of one letter.
fn row_of(client: &Client, row: &[Datum]) -> (i64, Row) {
    let (key, n, bytes) = (number_of(&row[0]), number_of(&row[1]), number_of(&row[2]));
    expect(client, "text", row[3] == row[4], || format!("of row {key} begins and ends differently: {row:?}"));
    (key, (n, bytes))
}

fn difference(wanted: &Rows, found: &Rows) -> String {
    let missing: Vec<_> = wanted.iter().filter(|(key, row)| found.get(key) != Some(row)).collect();
    let extra: Vec<_> = found.iter().filter(|(key, row)| wanted.get(key) != Some(row)).collect();
    format!("these should be there: {missing:?}; these are: {extra:?}")
}
