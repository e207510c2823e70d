//! Accounts and transfers between them. The sum of all balances never changes, at each isolation level that promises it, and each
//! balance is what the transfers that are there make it.

use std::collections::BTreeSet;

use os::random::Rng;

use super::accounts::{ACCOUNTS, BALANCE, SUM, Transfer, check_balances, check_sum};
use super::client::{Client, Done, Fate, How, number_of};
use super::outcomes::Outcomes;
use super::plan::{Isolation, Mix, Workload};

#[derive(Clone, Debug)]
pub enum Op {
    Transfer {
        from: u64,
        to: u64,
        amount: i64,
        how: How,
        style: Style,
    },
    /// The sum of all balances, in one statement.
    Sum {
        isolation: Isolation,
        order: bool,
    },
    /// The sum of all balances, a row at a time in one transaction.
    Rows {
        isolation: Isolation,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A request for each update.
    Updates,
    /// One batch.
    Batch,
    /// Reads both balances, then writes them: only where reads are protected until the end.
    ReadThenWrite,
    /// One statement for both rows.
    OneUpdate,
}

pub struct Bank {
    transfers: Outcomes<Transfer>,
    locking_reads: bool,
}

impl Workload for Bank {
    type Op = Op;
    const NAME: &'static str = "bank";

    fn tables() -> Vec<String> {
        let rows: Vec<String> = (0..ACCOUNTS).map(|id| format!("({id}, {BALANCE})")).collect();
        vec![
            "IF OBJECT_ID('accounts') IS NULL CREATE TABLE accounts (id int PRIMARY KEY, balance bigint NOT NULL, INDEX by_balance (balance))".into(),
            "IF OBJECT_ID('transfers') IS NULL CREATE TABLE transfers (id bigint PRIMARY KEY, source int, target int, amount bigint, filler varchar(2000))".into(),
            format!("IF NOT EXISTS (SELECT * FROM accounts) INSERT accounts VALUES {}", rows.join(", ")),
        ]
    }

    fn op(rng: &mut Rng, _: &Mix) -> Op {
        let isolation = Isolation::ALL[rng.below(5) as usize];
        match rng.below(10) {
            0 | 1 => Op::Sum { isolation, order: rng.below(2) == 0 },
            2 => Op::Rows { isolation },
            _ => {
                let from = rng.below(ACCOUNTS);
                let style = match rng.below(6) {
                    0 | 1 => Style::Updates,
                    2 => Style::Batch,
                    3 => Style::OneUpdate,
                    _ if isolation >= Isolation::RepeatableRead => Style::ReadThenWrite,
                    _ => Style::Updates,
                };
                Op::Transfer {
                    from,
                    to: (from + 1 + rng.below(ACCOUNTS - 1)) % ACCOUNTS,
                    amount: 1 + rng.below(50) as i64,
                    how: How { isolation, managed: rng.below(3) == 0, commits: rng.below(8) != 0 },
                    style,
                }
            }
        }
    }

    fn new(mix: &Mix) -> Bank {
        Bank { transfers: Outcomes::default(), locking_reads: mix.locking_reads }
    }

    fn perform(&self, client: &mut Client, op: &Op) -> Done {
        match *op {
            Op::Sum { isolation, order } => self.sum(client, isolation, order),
            Op::Rows { isolation } => self.rows(client, isolation),
            Op::Transfer { from, to, amount, how, style } => {
                self.transfer(client, Transfer { from, to, amount }, how, style);
                Ok(())
            }
        }
    }

    fn check(&self, client: &mut Client, fresh: bool) -> Done {
        // Both tables as of one moment: sessions of broken connections may still be rolling back.
        client.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN")?;
        let balances = client.run("SELECT id, balance FROM accounts ORDER BY id")?;
        let indexed =
            client.run("SELECT SUM(balance) FROM accounts WITH (INDEX(by_balance)) WHERE balance > -1000000")?;
        let there = client.run("SELECT id FROM transfers ORDER BY id")?;
        client.run("COMMIT")?;
        let there: BTreeSet<i64> = there.rows().iter().map(|row| number_of(&row[0])).collect();
        self.transfers.compare(&client.referee, &there, fresh);
        check_balances(&client.referee, &self.transfers, &there, &balances);
        if indexed.number() != Some(SUM) {
            client.referee.fail("index", format!("by the index the sum is {:?}", indexed.number()));
        }
        Ok(())
    }
}

impl Bank {
    fn sum(&self, client: &mut Client, isolation: Isolation, order: bool) -> Done {
        // The order makes the reader go by the other index.
        let rows = if order {
            "accounts WITH (INDEX(by_balance)) WHERE balance > -1000000"
        } else {
            "accounts WITH (INDEX(1))"
        };
        let level = isolation.sql();
        let answer = client
            .run(&format!("SET TRANSACTION ISOLATION LEVEL {level}; SELECT SUM(balance), COUNT(*) FROM {rows}"))?;
        // A statement that locks row by row may meet a row twice or never, as it moves in the other index.
        let one_moment = match isolation {
            Isolation::ReadUncommitted => false,
            Isolation::ReadCommitted => !self.locking_reads,
            Isolation::RepeatableRead => !order,
            Isolation::Snapshot | Isolation::Serializable => true,
        };
        if one_moment {
            check_sum(&client.referee, &answer, isolation.sql());
        }
        Ok(())
    }

    fn rows(&self, client: &mut Client, isolation: Isolation) -> Done {
        let how = How { isolation, managed: false, commits: true };
        let (_, sum) = client.transact(how, &mut |_| {}, |client| {
            let mut sum = 0;
            for id in 0..ACCOUNTS {
                let answer = client.run(&format!("SELECT balance FROM accounts WHERE id = {id}"))?;
                sum += answer.number().unwrap_or(0);
            }
            Ok(sum)
        });
        match sum {
            Some(sum) if isolation >= Isolation::RepeatableRead && sum != SUM => {
                client.referee.fail("sum", format!("row by row {sum} at {}", isolation.sql()))
            }
            _ => Ok(()),
        }
    }

    fn transfer(&self, client: &mut Client, transfer: Transfer, how: How, style: Style) {
        let (Transfer { from, to, amount }, changes) = (transfer, transfer.changes());
        let number = self.transfers.begin(transfer);
        let filler = number % 5 * 400;
        let insert = format!("INSERT transfers VALUES ({number}, {from}, {to}, {amount}, REPLICATE('x', {filler}))");
        let mut note = |fate: Fate| self.transfers.set(number, fate);
        if style == Style::Batch {
            let body = format!(
                "UPDATE accounts SET balance = balance - {amount} WHERE id = {from}; {insert}; \
                 UPDATE accounts SET balance = balance + {amount} WHERE id = {to}"
            );
            client.transact_at_once(how, &mut note, &body);
            return;
        }
        client.transact(how, &mut note, |client| {
            match style {
                Style::OneUpdate => {
                    client.run(&format!(
                        "UPDATE accounts SET balance = balance + CASE id WHEN {from} THEN -{amount} ELSE {amount} END WHERE id IN ({from}, {to})"
                    ))?;
                }
                Style::ReadThenWrite => {
                    for (id, change) in changes {
                        let read = client.run(&format!("SELECT balance FROM accounts WHERE id = {id}"))?;
                        let balance = read.number().unwrap_or(0) + change;
                        client.run(&format!("UPDATE accounts SET balance = {balance} WHERE id = {id}"))?;
                    }
                }
                Style::Updates | Style::Batch => {
                    for (id, change) in changes {
                        client.run(&format!("UPDATE accounts SET balance = balance + ({change}) WHERE id = {id}"))?;
                    }
                }
            }
            client.run(&insert)
        });
    }
}
