//! Transfers between accounts in memory, each told to a table on pages, too: a transaction over both kinds of table is there whole or
//! not at all. Balances are read as of one moment at each isolation level, the sum of all never changes, and at SERIALIZABLE what was
//! read may be written back. Some are done by procedures, natively compiled or not, which may be all of their transaction.

use std::collections::{BTreeMap, BTreeSet};

use os::random::Rng;
use os::sync::{SpinClass, SpinLock};

use super::accounts::{ACCOUNTS, BALANCE, SUM, Transfer, check_balances, check_sum};
use super::client::{Client, Done, Fate, How, number_of};
use super::outcomes::Outcomes;
use super::plan::{Isolation, Mix, Workload};

/// Numbers that the transfers of accounts fall into: old ones are deleted, so that indexes shrink as well as grow.
const OLD: i64 = 40;

#[derive(Clone, Debug)]
pub enum Op {
    Transfer {
        from: u64,
        to: u64,
        amount: i64,
        level: Level,
        style: Style,
        how: How,
    },
    /// The sum of all balances, by the hash index or by the ordered one.
    Sum {
        ordered: bool,
        level: Level,
    },
    /// Forgets old entries of the journal, which nobody is told of.
    Tidy,
    /// Makes all indexes anew.
    Alter {
        add: bool,
    },
    Checkpoint,
}

/// Of the reads of rows in memory. Without a hint the database elevates them to SNAPSHOT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    Elevated,
    Snapshot,
    RepeatableRead,
    Serializable,
}

impl Level {
    const ALL: [Level; 4] = [Level::Elevated, Level::Snapshot, Level::RepeatableRead, Level::Serializable];

    fn hint(self) -> &'static str {
        match self {
            Level::Elevated => "",
            Level::Snapshot => "WITH (SNAPSHOT)",
            Level::RepeatableRead => "WITH (REPEATABLEREAD)",
            Level::Serializable => "WITH (SERIALIZABLE)",
        }
    }

    /// A natively compiled module says its level; nothing elevates it.
    fn of_module(self) -> Isolation {
        match self {
            Level::Elevated | Level::Snapshot => Isolation::Snapshot,
            Level::RepeatableRead => Isolation::RepeatableRead,
            Level::Serializable => Isolation::Serializable,
        }
    }

    fn native_module(self) -> &'static str {
        match self.of_module() {
            Isolation::RepeatableRead => "move_repeatable",
            Isolation::Serializable => "move_serializable",
            _ => "move_snapshot",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Updates,
    /// Deletes both rows and inserts them again.
    Replace,
    /// Reads both balances, then writes them: who read what is not so any more fails.
    ReadThenWrite,
    /// Calls a procedure, which notes the number in a table of its own.
    Call {
        native: bool,
        /// Nothing else is in the transaction: the procedure makes it. Only that table knows of it then.
        alone: bool,
    },
}

static CALLS: SpinClass = SpinClass::new("SIM_CALLS");

pub struct Vault {
    transfers: Outcomes<Transfer>,
    /// By number of a transfer that a procedure does: whether it is alone in its transaction.
    calls: SpinLock<BTreeMap<i64, bool>>,
}

const MOVE: &str = "UPDATE dbo.accounts SET balance = balance - @amount WHERE id = @from; \
                    UPDATE dbo.accounts SET balance = balance + @amount WHERE id = @to; INSERT dbo.moved (number) VALUES (@number);";

/// A batch that makes a procedure unless it is there.
fn procedure(name: &str, options: &str, begin: &str, end: &str) -> String {
    let parameters = "@number bigint, @from int, @to int, @amount bigint";
    let text = format!("CREATE PROCEDURE dbo.{name} {parameters} {options} AS {begin} {MOVE} {end}");
    format!("IF OBJECT_ID('{name}') IS NULL EXEC('{}')", text.replace('\'', "''"))
}

fn native_procedure(level: Level) -> String {
    let begin = format!(
        "BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = {}, LANGUAGE = N'us_english')",
        level.of_module().sql()
    );
    procedure(level.native_module(), "WITH NATIVE_COMPILATION, SCHEMABINDING", &begin, "END")
}

impl Workload for Vault {
    type Op = Op;
    const NAME: &'static str = "vault";

    fn tables() -> Vec<String> {
        let rows = (0..ACCOUNTS).map(|id| format!("INSERT accounts (id, balance) VALUES ({id}, {BALANCE})"));
        vec![
            "ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON".into(),
            "IF OBJECT_ID('accounts') IS NULL CREATE TABLE accounts (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 4), \
             balance bigint NOT NULL, deed varchar(max) NOT NULL DEFAULT REPLICATE(CAST('d' AS varchar(max)), 1500), \
             INDEX by_balance NONCLUSTERED (balance DESC)) WITH (MEMORY_OPTIMIZED = ON)".into(),
            "IF OBJECT_ID('journal') IS NULL CREATE TABLE journal (number bigint NOT NULL PRIMARY KEY NONCLUSTERED, filler varchar(max)) \
             WITH (MEMORY_OPTIMIZED = ON)".into(),
            "IF OBJECT_ID('transfers') IS NULL CREATE TABLE transfers (number bigint PRIMARY KEY, filler varchar(2000))".into(),
            "IF OBJECT_ID('moved') IS NULL CREATE TABLE moved (number bigint NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 64)) \
             WITH (MEMORY_OPTIMIZED = ON)".into(),
            native_procedure(Level::Snapshot),
            native_procedure(Level::RepeatableRead),
            native_procedure(Level::Serializable),
            procedure("move_interpreted", "", "SET XACT_ABORT ON; BEGIN TRAN;", "COMMIT"),
            format!(
                "IF NOT EXISTS (SELECT * FROM accounts) BEGIN BEGIN TRAN; {}; COMMIT END",
                rows.collect::<Vec<_>>().join("; ")
            ),
        ]
    }

    fn op(rng: &mut Rng, _: &Mix) -> Op {
        let level = Level::ALL[rng.below(4) as usize];
        match rng.below(24) {
            0..=3 => Op::Sum { ordered: rng.below(2) == 0, level },
            4 => Op::Tidy,
            5 => Op::Checkpoint,
            6 => Op::Alter { add: rng.below(2) == 0 },
            _ => {
                let from = rng.below(ACCOUNTS);
                let style = match rng.below(8) {
                    0 => Style::ReadThenWrite,
                    1 => Style::Replace,
                    2 | 3 => Style::Updates,
                    _ => Style::Call { native: rng.below(4) > 0, alone: rng.below(2) == 0 },
                };
                Op::Transfer {
                    from,
                    to: (from + 1 + rng.below(ACCOUNTS - 1)) % ACCOUNTS,
                    amount: 1 + rng.below(50) as i64,
                    level,
                    style,
                    how: How {
                        isolation: Isolation::ReadCommitted,
                        managed: rng.below(3) == 0,
                        commits: rng.below(8) != 0,
                    },
                }
            }
        }
    }

    fn new(_: &Mix) -> Vault {
        Vault { transfers: Outcomes::default(), calls: SpinLock::new(&CALLS, BTreeMap::new()) }
    }

    fn perform(&self, client: &mut Client, op: &Op) -> Done {
        match *op {
            Op::Sum { ordered, level } => {
                let answer = client.run(&format!(
                    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT SUM(balance), COUNT(*) FROM accounts {} {}",
                    level.hint(),
                    if ordered { "WHERE balance > -1000000" } else { "" }
                ))?;
                check_sum(&client.referee, &answer, &format!("{level:?}"));
            }
            Op::Tidy => {
                client.run(&format!("DELETE journal WHERE number < (SELECT MAX(number) FROM journal) - {OLD}"))?;
            }
            Op::Checkpoint => {
                client.run("CHECKPOINT")?;
            }
            Op::Alter { add } => {
                let exists = "INDEXPROPERTY(OBJECT_ID('accounts'), 'extra', 'IndexID')";
                let sql = match add {
                    true => {
                        format!("IF {exists} IS NULL ALTER TABLE accounts ADD INDEX extra NONCLUSTERED (balance, id)")
                    }
                    false => format!("IF {exists} IS NOT NULL ALTER TABLE accounts DROP INDEX extra"),
                };
                // Another client was as fast: it is there already, or gone.
                client.run_or(&sql, &[1913, 3701, 3728])?;
            }
            Op::Transfer { from, to, amount, level, style, how } => {
                self.transfer(client, Transfer { from, to, amount }, level, style, how);
            }
        }
        Ok(())
    }

    fn check(&self, client: &mut Client, fresh: bool) -> Done {
        client.run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; BEGIN TRAN")?;
        let balances = client.run("SELECT id, balance FROM accounts ORDER BY id")?;
        let indexed = client.run("SELECT SUM(balance) FROM accounts WHERE balance > -1000000")?;
        let deeds = client.run("SELECT COUNT(*) FROM accounts WHERE DATALENGTH(deed) = 1500")?;
        let journal = client.run("SELECT number, DATALENGTH(filler) FROM journal ORDER BY number")?;
        let there = client.run("SELECT number FROM transfers ORDER BY number")?;
        let moved = client.run("SELECT number FROM moved ORDER BY number")?;
        client.run("COMMIT")?;
        let numbers = |answer: &super::super::client::Answer| -> BTreeSet<i64> {
            answer.rows().iter().map(|row| number_of(&row[0])).collect()
        };
        let (journal_numbers, there, moved) = (numbers(&journal), numbers(&there), numbers(&moved));
        if journal.rows().iter().any(|row| number_of(&row[1]) != length_of(number_of(&row[0]))) {
            client.referee.fail("journal", "a row is not what was inserted".to_string());
        }
        if indexed.number() != Some(SUM) {
            client.referee.fail("index", format!("by the ordered index the sum is {:?}", indexed.number()));
        }
        if deeds.number() != Some(ACCOUNTS as i64) {
            client.referee.fail("deeds", format!("{:?} of {ACCOUNTS} have the value they had", deeds.number()));
        }
        if !fresh {
            // Sessions of broken connections may be ending their transactions, and the two kinds of table are not read as of one moment.
            return Ok(());
        }
        let newest = journal_numbers.last().copied().unwrap_or(0);
        let recent = |number: &&i64| **number > newest - OLD;
        if !journal_numbers.iter().filter(recent).eq(there.iter().filter(recent)) {
            client.referee.fail("by half", format!("journal {journal_numbers:?}, on pages {there:?}"));
        }
        let calls = self.calls.lock().clone();
        let together = |number: &&i64| calls.get(*number) == Some(&false);
        if !there.iter().filter(together).eq(moved.iter().filter(together)) {
            client.referee.fail("by half", format!("by procedures {moved:?}, on pages {there:?}"));
        }
        let there: BTreeSet<i64> = there.union(&moved).copied().collect();
        self.transfers.compare(&client.referee, &there, fresh);
        check_balances(&client.referee, &self.transfers, &there, &balances);
        Ok(())
    }
}

/// Some are long.
fn length_of(number: i64) -> i64 {
    if number % 7 == 0 { 60_000 } else { number % 5 * 300 }
}

impl Vault {
    fn transfer(&self, client: &mut Client, transfer: Transfer, level: Level, style: Style, how: How) {
        let number = self.transfers.begin(transfer);
        let mut note = |fate: Fate| self.transfers.set(number, fate);
        let hint = level.hint();
        let mut call = None;
        if let Style::Call { native, alone } = style {
            let name = if native { level.native_module() } else { "move_interpreted" };
            let Transfer { from, to, amount } = transfer;
            let sql = format!("EXEC dbo.{name} {number}, {from}, {to}, {amount}");
            self.calls.lock().insert(number, alone);
            if alone {
                client.autocommit(&mut note, &format!("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; {sql}"));
                return;
            }
            call = Some(match native && number % 3 == 0 {
                // The second call fails when it has done all but its last statement, which takes back its part and no more.
                true => {
                    format!("{sql}; BEGIN TRY {sql}; END TRY BEGIN CATCH IF ERROR_NUMBER() <> 2627 THROW; END CATCH")
                }
                false => sql,
            });
        }
        client.transact(how, &mut note, |client| {
            if let Some(sql) = call {
                client.run(&sql)?;
            }
            for (id, change) in transfer.changes() {
                match style {
                    Style::Updates => {
                        client.run(&format!(
                            "UPDATE accounts {hint} SET balance = balance + ({change}) WHERE id = {id}"
                        ))?;
                    }
                    Style::Replace => {
                        client.run(&format!(
                            "DECLARE @b bigint = (SELECT balance FROM accounts {hint} WHERE id = {id}); \
                             DELETE accounts {hint} WHERE id = {id}; INSERT accounts (id, balance) VALUES ({id}, @b + ({change}))"
                        ))?;
                    }
                    Style::ReadThenWrite => {
                        let read = client.run(&format!("SELECT balance FROM accounts {hint} WHERE id = {id}"))?;
                        let balance = read.number().unwrap_or(0) + change;
                        client.run(&format!("UPDATE accounts {hint} SET balance = {balance} WHERE id = {id}"))?;
                    }
                    Style::Call { .. } => {}
                }
            }
            let filler = format!("REPLICATE(CAST('x' AS varchar(max)), {})", length_of(number));
            client.run(&format!("INSERT journal VALUES ({number}, {filler})"))?;
            client.run(&format!("INSERT transfers VALUES ({number}, REPLICATE('y', {}))", number % 5 * 400))
        });
    }
}
