//! Numbers that the catalog hands out: identity values, sequences, row versions. They are never given back.

use sql::catalog::{DatabaseId, SequenceDef, TableDef};
use types::{Datum, Physical, SqlResult, SqlType, TypeKind, sql_error};

use super::base::SequenceRow;
use super::counter::{Range, Rule, identity_overflow, usually_ahead};
use super::database::Database;
use super::{Catalog, load};

/// Counter of a database's row versions; no object has this id.
const ROWVERSION_COUNTER: i32 = 0;

/// The first value of @@DBTS in a new database.
const ROWVERSION_FIRST: i128 = 2_001;

/// Inclusive bounds of an exact numeric type's values, unscaled.
fn range(ty: &SqlType) -> (i128, i128) {
    match ty.kind {
        TypeKind::TinyInt => (0, 255),
        TypeKind::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        TypeKind::Int => (i32::MIN.into(), i32::MAX.into()),
        TypeKind::BigInt => (i64::MIN.into(), i64::MAX.into()),
        _ => {
            let most = 10i128.pow(u32::from(ty.precision.clamp(1, 38))) - 1;
            (-most, most)
        }
    }
}

/// The identity column of `table` and how its values go on.
fn identity_rule(table: &TableDef) -> (SqlType, Rule) {
    let column =
        table.columns.iter().find(|column| column.identity.is_some()).expect("the table has an identity column");
    let (seed, increment) = column.identity.expect("it is one");
    let (minimum, maximum) = range(&column.ty);
    let ahead = usually_ahead(minimum, maximum);
    let (start, increment) = (seed.into(), increment.into());
    (column.ty, Rule { start, increment, minimum, maximum, cycle: false, in_rows: true, ahead })
}

impl Catalog {
    /// The first of `count` further identity values of a table. 8115 at the end of the column's type.
    pub fn identity_next(&self, table: &TableDef, count: u64) -> SqlResult<i64> {
        let (ty, rule) = identity_rule(table);
        let db = self.expect_database(table.database);
        let overflow = || identity_overflow(&ty.to_string());
        let first = db.counters.next(&self.storage, &db, table.object.0, &rule, count)?.map_err(|_| overflow())?;
        i64::try_from(first).map_err(|_| overflow())
    }

    /// SET IDENTITY_INSERT gave a value: the next ones are beyond it.
    pub fn identity_used(&self, table: &TableDef, value: i64) -> SqlResult<()> {
        let (_, rule) = identity_rule(table);
        let db = self.expect_database(table.database);
        db.counters.used(&self.storage, &db, table.object.0, &rule, value.into())
    }

    /// The next row version of a database, and so its @@DBTS.
    pub fn rowversion_next(&self, database: DatabaseId) -> SqlResult<u64> {
        let db = self.expect_database(database);
        let (minimum, maximum) = (0, i128::from(u64::MAX));
        let ahead = usually_ahead(minimum, maximum);
        let start = ROWVERSION_FIRST;
        let rule = Rule { start, increment: 1, minimum, maximum, cycle: false, in_rows: false, ahead };
        let next = db.counters.next(&self.storage, &db, ROWVERSION_COUNTER, &rule, 1)?;
        Ok(next.map_or(u64::MAX, |value| value as u64))
    }

    /// @@DBTS: the last row version used.
    pub fn rowversion_last(&self, database: DatabaseId) -> SqlResult<u64> {
        let db = self.expect_database(database);
        let last = db.counters.last(&self.storage, &db, ROWVERSION_COUNTER)?;
        Ok(last.unwrap_or(ROWVERSION_FIRST - 1) as u64)
    }

    /// NEXT VALUE FOR. 11728 at the end of a sequence that does not cycle.
    pub fn sequence_next(&self, sequence: &SequenceDef) -> SqlResult<Datum> {
        let db = self.expect_database(sequence.database);
        db.check_writable()?;
        let rule = self.sequence_rule(&db, sequence)?;
        let next = db.counters.next(&self.storage, &db, sequence.object.0, &rule, 1)?;
        let value = next.map_err(|_| sql_error!(11728, sequence.name))?;
        Ok(sequence_value(sequence, value))
    }

    /// sp_sequence_get_range: so many values at once, and what the sequence counts by. 11732 where it has fewer and does not cycle.
    pub fn sequence_range(&self, sequence: &SequenceDef, count: u64) -> SqlResult<(Range, Rule)> {
        let db = self.expect_database(sequence.database);
        db.check_writable()?;
        let rule = self.sequence_rule(&db, sequence)?;
        let range = db.counters.range(&self.storage, &db, sequence.object.0, &rule, count)?;
        Ok((range.map_err(|_| sql_error!(11732, sequence.name))?, rule))
    }

    fn sequence_rule(&self, db: &Database, sequence: &SequenceDef) -> SqlResult<Rule> {
        let row = self.read(db, |rows| rows.first::<SequenceRow>(0, &[load::int(sequence.object.0)]))?;
        Ok(row.ok_or_else(|| sql_error!(208, sequence.name))?.rule())
    }
}

/// As a value of the sequence's type.
pub fn sequence_value(sequence: &SequenceDef, value: i128) -> Datum {
    match sequence.ty.physical() {
        Physical::I64 => Datum::I64(value as i64),
        _ => Datum::I128(value),
    }
}
