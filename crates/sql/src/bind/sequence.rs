//! NEXT VALUE FOR: where it may stand, and in what order rows get their values.
//!
//! "NEXT VALUE FOR (Transact-SQL)", limitations and remarks: a row gets one value of a sequence, however often it names it.

use types::{SqlResult, sql_error};

use super::binder::{Binder, Place};
use super::errors;
use super::names::{display, object_name};
use super::scope::Scope;
use crate::ast;
use crate::catalog::Object;
use crate::plan::{Expr, ExprKind, SortKey};

impl Binder<'_> {
    /// Binds what is computed only for some rows.
    pub fn conditional<T>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        self.conditionals += 1;
        let result = f(self);
        self.conditionals -= 1;
        result
    }

    pub fn next_value(&mut self, next: &ast::NextValueFor, scope: &Scope) -> SqlResult<Expr> {
        if self.conditionals > 0 {
            return Err(sql_error!(11741));
        }
        let sequence = match self.resolve(&object_name(&next.sequence))? {
            Some(Object::Sequence(sequence)) => sequence,
            Some(_) => return Err(sql_error!(11726, display(&next.sequence))),
            None => return Err(errors::invalid_object(&display(&next.sequence))),
        };
        self.need_sequence(&sequence);
        let value = Expr::new(sequence.ty, false, ExprKind::NextValueFor(sequence.clone()));
        let Some(block) = scope.block else {
            return if scope.is_below_query() { Err(sql_error!(11719)) } else { Ok(value) };
        };
        let (shape, place) = (self.blocks[block].shape, self.blocks[block].place);
        // Before what its clause forbids.
        if (shape.nested || scope.is_below_query()) && !matches!(place, Place::Set | Place::Merged) {
            return Err(sql_error!(11719));
        }
        match place {
            Place::Where
            | Place::On
            | Place::GroupBy
            | Place::Having
            | Place::OrderBy
            | Place::Window
            | Place::Output => {
                return Err(sql_error!(11720));
            }
            Place::Argument => return Err(sql_error!(11725)),
            Place::Set if !next.over_order_by.is_empty() => return Err(sql_error!(11717)),
            Place::Set => return Ok(value),
            Place::Merged => return Err(sql_error!(11742)),
            Place::Select if shape.merged => return Err(sql_error!(11721)),
            Place::Select if shape.limited => return Err(sql_error!(11739)),
            Place::Select if shape.ordered && next.over_order_by.is_empty() => return Err(sql_error!(11723)),
            Place::Select => {}
        }
        let of_sequence =
            |expr: &Expr| matches!(&expr.kind, ExprKind::NextValueFor(known) if known.object == sequence.object);
        let known = self.blocks[block].sequences.iter().position(|(_, expr)| of_sequence(expr));
        let overs = &self.blocks[block].sequence_overs;
        if known.is_some_and(|known| overs[known] != next.over_order_by) {
            return Err(sql_error!(11727));
        }
        let ordered = overs.iter().find(|over| !over.is_empty());
        if !next.over_order_by.is_empty() && ordered.is_some_and(|over| *over != next.over_order_by) {
            return Err(errors::not_supported("NEXT VALUE FOR of several sequences in several orders"));
        }
        if !next.over_order_by.is_empty() && ordered.is_none() {
            let order = self.within(block, Place::Window, |binder| {
                let key = |item: &ast::OrderItem| {
                    Ok(SortKey { expr: binder.over_key(&item.expr, scope)?, descending: item.descending })
                };
                next.over_order_by.iter().map(key).collect::<SqlResult<Vec<_>>>()
            })?;
            self.blocks[block].sequence_order = order;
        }
        let id = match known {
            Some(known) => self.blocks[block].sequences[known].0,
            None => {
                let id = self.columns.add(sequence.ty, false);
                self.blocks[block].sequences.push((id, value));
                self.blocks[block].sequence_overs.push(next.over_order_by.clone());
                id
            }
        };
        Ok(Expr::column(id.index(), sequence.ty, false))
    }
}
