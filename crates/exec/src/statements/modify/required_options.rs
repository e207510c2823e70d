//! SET options that a table's indexes ask for: what a filter or a computed column gives must not depend on who changes the row.

use sql::catalog::TableDef;
use types::{SqlResult, sql_error};

use crate::context::Context;

/// An indexed view is made of the table's rows, or it has an index that is filtered or has a computed column in its key.
pub fn has_them(table: &TableDef) -> bool {
    !table.views.is_empty()
        || table.indexes.iter().any(|index| {
            let computed = |column: u16| table.columns[usize::from(column)].computed.is_some();
            !index.filter.is_empty() || index.key.iter().any(|(column, _)| computed(*column))
        })
}

/// 1934, unless all are as such an index needs them. ANSI_WARNINGS includes ARITHABORT.
pub fn check(context: &Context, verb: &str) -> SqlResult<()> {
    // A module keeps these two as they were when it was made.
    let own = context.module.as_ref().map(|module| (module.ansi_nulls, module.quoted_identifier));
    let wrong = context.session(|session| {
        let options = &session.options;
        let (ansi_nulls, quoted_identifier) = own.unwrap_or((options.ansi_nulls, options.quoted_identifier));
        let needed = [
            ("ANSI_NULLS", ansi_nulls),
            ("QUOTED_IDENTIFIER", quoted_identifier),
            ("CONCAT_NULL_YIELDS_NULL", options.concat_null_yields_null),
            ("ANSI_WARNINGS", options.ansi_warnings),
            ("ANSI_PADDING", options.ansi_padding),
            ("NUMERIC_ROUNDABORT", !options.numeric_round_abort),
        ];
        let wrong: Vec<&str> = needed.into_iter().filter(|(_, right)| !right).map(|(name, _)| name).collect();
        wrong.join(", ")
    });
    if wrong.is_empty() {
        return Ok(());
    }
    Err(sql_error!(1934, verb, wrong))
}
