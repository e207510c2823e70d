//! Rows that point to each other in one ring. A transaction swaps two neighbours; at any time, whoever looks sees one ring
//! through all rows. Serializable transactions keep it, and so do repeatable reads and snapshots, since whatever a swap
//! reads it also writes.

use os::random::Rng;

use super::client::{Client, Done, How, Trouble, number_of};
use super::plan::{Isolation, Mix, Workload};

const ROWS: i64 = 12;
const SAFE: [Isolation; 3] = [Isolation::RepeatableRead, Isolation::Snapshot, Isolation::Serializable];

#[derive(Clone, Debug)]
pub enum Op {
    /// Swaps the two rows behind `at`; one statement, or one for each of the three rows.
    Swap { at: i64, how: How, one_statement: bool },
    /// Takes the row behind `at` out of the ring and puts it in elsewhere: a delete and an insert.
    Move { at: i64, how: How },
    /// Looks at all rows.
    Look { isolation: Isolation, order: bool },
    /// Follows the ring, a row at a time.
    Follow { isolation: Isolation },
}

pub struct Ring {
    locking_reads: bool,
}

impl Workload for Ring {
    type Op = Op;
    const NAME: &'static str = "ring";

    fn tables() -> Vec<String> {
        let rows: Vec<String> = (0..ROWS).map(|id| format!("({id}, {}, {id})", (id + 1) % ROWS)).collect();
        vec![
            "IF OBJECT_ID('ring') IS NULL CREATE TABLE ring (id int PRIMARY KEY, next int NOT NULL, moves int NOT NULL, filler char(700) NOT NULL DEFAULT 'x', INDEX by_next (next))".into(),
            format!("IF NOT EXISTS (SELECT * FROM ring) INSERT ring (id, next, moves) VALUES {}", rows.join(", ")),
        ]
    }

    fn op(rng: &mut Rng, _: &Mix) -> Op {
        let at = rng.below(ROWS as u64) as i64;
        let isolation = SAFE[rng.below(3) as usize];
        let how = How { isolation, managed: rng.below(3) == 0, commits: rng.below(8) != 0 };
        match rng.below(10) {
            0 | 1 => Op::Look { isolation: Isolation::ALL[rng.below(5) as usize], order: rng.below(2) == 0 },
            2 => Op::Follow { isolation },
            3 | 4 => Op::Move { at, how },
            _ => Op::Swap { at, how, one_statement: rng.below(2) == 0 },
        }
    }

    fn new(mix: &Mix) -> Ring {
        Ring { locking_reads: mix.locking_reads }
    }

    fn perform(&self, client: &mut Client, op: &Op) -> Done {
        match *op {
            Op::Look { isolation, order } => self.look(client, isolation, order),
            Op::Follow { isolation } => {
                let how = How { isolation, managed: false, commits: true };
                client.transact(how, &mut |_| {}, |client| {
                    let mut at = 0;
                    for step in 1..=ROWS {
                        at = next(client, at)?;
                        if (at == 0) != (step == ROWS) {
                            client.referee.fail("ring", format!("back at the start after {step} rows"));
                        }
                    }
                    Ok(())
                });
                Ok(())
            }
            Op::Swap { at, how, one_statement } => {
                client.transact(how, &mut |_| {}, |client| {
                    let a = at;
                    let b = next(client, a)?;
                    let c = next(client, b)?;
                    let d = next(client, c)?;
                    if one_statement {
                        client.run(&format!(
                            "UPDATE ring SET next = CASE id WHEN {a} THEN {c} WHEN {b} THEN {d} ELSE {b} END WHERE id IN ({a}, {b}, {c})"
                        ))?;
                    } else {
                        for (id, next) in [(a, c), (b, d), (c, b)] {
                            client.run(&format!("UPDATE ring SET next = {next}, moves = moves + 1 WHERE id = {id}"))?;
                        }
                    }
                    Ok(())
                });
                Ok(())
            }
            Op::Move { at, how } => {
                client.transact(how, &mut |_| {}, |client| {
                    let taken = next(client, at)?;
                    let behind = next(client, taken)?;
                    let after = next(client, behind)?;
                    client.run(&format!("DELETE ring WHERE id = {taken}; UPDATE ring SET next = {behind} WHERE id = {at}"))?;
                    client.run(&format!(
                        "INSERT ring (id, next, moves) VALUES ({taken}, {after}, 0); UPDATE ring SET next = {taken} WHERE id = {behind}"
                    ))
                });
                Ok(())
            }
        }
    }

    fn check(&self, client: &mut Client, _fresh: bool) -> Done {
        self.look(client, Isolation::Snapshot, false)?;
        self.look(client, Isolation::Snapshot, true)
    }
}

/// Whom a row points to, and that there is one such row.
fn next(client: &mut Client, id: i64) -> Result<i64, Trouble> {
    let answer = client.run(&format!("SELECT next FROM ring WHERE id = {id}"))?;
    match answer.rows() {
        [row] => Ok(number_of(&row[0])),
        rows => client.referee.fail("ring", format!("{} rows with id {id}", rows.len())),
    }
}

impl Ring {
    fn look(&self, client: &mut Client, isolation: Isolation, order: bool) -> Done {
        let from = if order { "ring WITH (INDEX(by_next)) WHERE next >= 0" } else { "ring" };
        let level = isolation.sql();
        let answer = client.run(&format!("SET TRANSACTION ISOLATION LEVEL {level}; SELECT id, next FROM {from}"))?;
        let one_moment = match isolation {
            Isolation::ReadUncommitted => false,
            Isolation::ReadCommitted => !self.locking_reads,
            Isolation::RepeatableRead => false,
            Isolation::Snapshot | Isolation::Serializable => true,
        };
        if !one_moment {
            return Ok(());
        }
        let rows: Vec<(i64, i64)> = answer.rows().iter().map(|row| (number_of(&row[0]), number_of(&row[1]))).collect();
        let mut at = 0;
        for step in 1..=ROWS {
            let pointed: Vec<i64> = rows.iter().filter(|(id, _)| *id == at).map(|(_, next)| *next).collect();
            let [next] = pointed[..] else {
                client.referee.fail("ring", format!("{} rows with id {at} at {level}: {rows:?}", pointed.len()));
            };
            at = next;
            if (at == 0) != (step == ROWS) {
                client.referee.fail("ring", format!("back at the start after {step} rows at {level}: {rows:?}"));
            }
        }
        if rows.len() as i64 != ROWS {
            client.referee.fail("ring", format!("{} rows at {level}: {rows:?}", rows.len()));
        }
        Ok(())
    }
}
