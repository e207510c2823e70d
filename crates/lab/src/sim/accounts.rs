//! What the workloads of transfers between accounts have in common: the sum of all balances never changes, and each is what the
//! transfers that are there make it.

use std::collections::BTreeSet;

use super::super::client::Answer;
use super::client::{Referee, number_of};
use super::outcomes::Outcomes;

pub const ACCOUNTS: u64 = 8;
pub const BALANCE: i64 = 1_000;
pub const SUM: i64 = ACCOUNTS as i64 * BALANCE;

#[derive(Clone, Copy)]
pub struct Transfer {
    pub from: u64,
    pub to: u64,
    pub amount: i64,
}

impl Transfer {
    /// What it adds to the balances of its two accounts.
    pub fn changes(&self) -> [(u64, i64); 2] {
        [(self.from, -self.amount), (self.to, self.amount)]
    }
}

/// `answer`: the sum of all balances and the number of accounts.
pub fn check_sum(referee: &Referee, answer: &Answer, how: &str) {
    let row = &answer.rows()[0];
    let (sum, count) = (number_of(&row[0]), number_of(&row[1]));
    if (sum, count) != (SUM, ACCOUNTS as i64) {
        referee.fail("sum", format!("{count} accounts with {sum} at {how}"));
    }
}

/// `balances`: each account's number and balance, in order. `there`: the numbers of the transfers that are there.
pub fn check_balances(referee: &Referee, transfers: &Outcomes<Transfer>, there: &BTreeSet<i64>, balances: &Answer) {
    let mut expected = [BALANCE; ACCOUNTS as usize];
    for (number, (_, transfer)) in transfers.all().iter().enumerate() {
        if there.contains(&(number as i64)) {
            transfer.changes().iter().for_each(|(account, change)| expected[*account as usize] += change);
        }
    }
    let found: Vec<(i64, i64)> = balances.rows().iter().map(|row| (number_of(&row[0]), number_of(&row[1]))).collect();
    let wanted: Vec<(i64, i64)> = (0..).zip(expected).collect();
    if found != wanted {
        referee.fail("balances", format!("{found:?}; the transfers that are there make {wanted:?}"));
    }
}
