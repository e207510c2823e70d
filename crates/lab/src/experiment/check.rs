//! Rules that the data of a run keep: a server that is fast with wrong data has not won.

use super::definition::Check;
use super::server::{ask, open};
use crate::client::{Answer, Target};
use crate::text::push_value;

/// Asks for breaches of each rule. Err: the first rule that is broken, and where. `target`: the database of the run.
pub fn hold(target: &Target, checks: &[Check]) -> Result<(), String> {
    if checks.is_empty() {
        return Ok(());
    }
    let mut connection = open(target)?;
    for Check { says, query } in checks {
        let answer = ask(&mut connection, query).map_err(|why| format!("check '{says}': {why}"))?;
        match breach(&answer) {
            Some(breach) => return Err(format!("the data break the rule '{says}': {breach}")),
            None if answer.sets.is_empty() => return Err(format!("check '{says}': its query has no result")),
            None => {}
        }
    }
    Ok(())
}

/// How often, and the first row. None: there is none.
fn breach(answer: &Answer) -> Option<String> {
    let set = answer.sets.first()?;
    let first = set.rows.first()?;
    let named = set.columns.iter().zip(first).map(|(column, value)| {
        let mut text = format!("{} ", column.name);
        push_value(column.info.sql_type, value, &mut text);
        text
    });
    let named: Vec<String> = named.collect();
    let noun = if set.rows.len() == 1 { "row" } else { "rows" };
    Some(format!("{} {noun}, the first {}", set.rows.len(), named.join(", ")))
}

#[cfg(test)]
mod tests {
    use tds::ColumnInfo;
    use types::{Datum, SqlType};

    use super::*;
    use crate::client::ResultSet;

    #[test]
    fn a_breach_says_how_often_and_where() {
        let column = |name: &str| ColumnInfo::new(name, SqlType::INT, 0, tds::TdsVersion::V7_4);
        let set = |rows: &[[i64; 2]]| ResultSet {
            columns: [column("id"), column("sum")].into(),
            rows: rows.iter().map(|row| row.map(Datum::I64).to_vec()).collect(),
        };
        let of = |sets: Vec<ResultSet>| breach(&Answer { sets, ..Answer::default() });
        assert_eq!(of(vec![set(&[[7, -1], [8, 0]])]).as_deref(), Some("2 rows, the first id 7, sum -1"));
        assert_eq!(of(vec![set(&[[7, -1]])]).as_deref(), Some("1 row, the first id 7, sum -1"));
        assert_eq!(of(vec![set(&[]), set(&[[1, 1]])]), None);
        assert_eq!(of(vec![]), None);
    }
}
