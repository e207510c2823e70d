//! Block predicates of security policies: what a row has to be before or after it changes.

use sql::catalog::ObjectId;
use sql::plan;
use types::{RowBatch, SqlResult, sql_error};

use super::target::Target;
use crate::context::Context;
use crate::expression::{Compiler, I64Expr};
use crate::value::Row;

/// Those of one action.
pub struct Barriers(Vec<(bool, I64Expr)>);

impl Barriers {
    pub fn new(barriers: &[plan::Barrier], compiler: &mut Compiler) -> SqlResult<Barriers> {
        let compiled = barriers.iter().map(|one| Ok((one.before, compiler.predicate(&one.predicate)?)));
        compiled.collect::<SqlResult<Vec<_>>>().map(Barriers)
    }

    /// 33504, for rows that have been written.
    pub fn check(
        &self,
        target: &Target,
        context: &Context,
        new: Option<&RowBatch>,
        old: Option<&RowBatch>,
    ) -> SqlResult<()> {
        for (before, predicate) in &self.0 {
            let Some(batch) = (if *before { old } else { new }) else { continue };
            for index in 0..batch.rows {
                if !matches!(predicate.eval(context, Row { batch, index })?, Some(value) if value != 0) {
                    return Err(sql_error!(33504, target.full_name(context)));
                }
            }
        }
        Ok(())
    }
}

/// Those of a table whose rows a foreign key changes.
pub struct CascadeBarriers {
    key: ObjectId,
    updated: bool,
    barriers: Barriers,
}

impl CascadeBarriers {
    pub fn list(cascades: &[plan::CascadeBarriers], compiler: &mut Compiler) -> SqlResult<Vec<CascadeBarriers>> {
        let one = |cascade: &plan::CascadeBarriers| {
            let barriers = Barriers::new(&cascade.barriers, compiler)?;
            Ok(CascadeBarriers { key: cascade.key, updated: cascade.updated, barriers })
        };
        cascades.iter().map(one).collect()
    }

    pub fn of(all: &[CascadeBarriers], key: ObjectId, updated: bool) -> Option<&Barriers> {
        all.iter().find(|one| one.key == key && one.updated == updated).map(|one| &one.barriers)
    }
}
