//! Long columns that an UPDATE or DELETE neither changes nor looks at: of a memory-optimized table they stay where they are, and
//! are not even read.

use sql::plan::{self, ActionKind, Expr, ExprKind, OperatorKind, Scan, TableSource};

use super::Target;

/// The scan that gives the rows and these columns, by stored ordinal; None: there are none.
pub fn unread<'m>(modify: &'m plan::Modify, target: &Target) -> Option<(&'m Scan, Vec<u16>)> {
    let (TableSource::Base(table), OperatorKind::Scan(scan)) = (&modify.target, &modify.source.kind) else {
        return None;
    };
    let [action] = &modify.actions[..] else { return None };
    let whole_rows_are_wanted = modify.output.is_some()
        || !action.barriers.is_empty()
        || !table.triggers.is_empty()
        || !table.foreign_keys.is_empty()
        || !table.referenced_by.is_empty();
    if table.memory.is_none() || modify.verb == "MERGE" || whole_rows_are_wanted {
        return None;
    }
    let mut exprs: Vec<&Expr> = scan.residual.iter().chain(&action.condition).collect();
    exprs.extend(modify.checks.iter().map(|check| &check.predicate));
    let mut changed = Vec::new();
    match &action.kind {
        ActionKind::Insert(_) => return None,
        ActionKind::Delete => {}
        ActionKind::Update { set, computed, assign } => {
            changed.extend(set.iter().chain(computed).map(|(column, _)| *column));
            exprs.extend(set.iter().chain(computed).map(|(_, expr)| expr));
            exprs.extend(assign.iter().filter(|set| set.column.is_none()).map(|set| &set.value));
        }
    }
    let is_key = |column: u16| {
        let ordinal = target.column_of(usize::from(column)) as u16;
        table.indexes.iter().any(|index| index.key.iter().any(|(key, _)| *key == ordinal))
    };
    // A row whose unique key changes may be written as another one, for which all of it is needed.
    if changed.iter().any(|column| is_key(*column)) {
        return None;
    }
    // A subquery says nowhere which columns it is given.
    if exprs.iter().any(|expr| expr.any(&mut |expr| matches!(expr.kind, ExprKind::Subquery(_)))) {
        return None;
    }
    let is_read = |column: u16| {
        let mut reads = |expr: &Expr| matches!(expr.kind, ExprKind::Column(read) if read == usize::from(column));
        exprs.iter().any(|expr| expr.any(&mut reads))
    };
    let long = (0..target.width() as u16).filter(|column| target.types[usize::from(*column)].is_max());
    let columns: Vec<u16> = long.filter(|column| !changed.contains(column) && !is_read(*column)).collect();
    (!columns.is_empty()).then_some((scan, columns))
}
