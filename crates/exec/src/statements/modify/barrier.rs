//! Block predicates of security policies: what a row has to be before or after it changes.

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
