//! The first result set of a batch without running it: sp_describe_first_result_set, SET FMTONLY ON.

use types::SqlResult;

use super::BindOptions;
use super::statement::bind_query;
use crate::catalog::Catalog;
use crate::plan::{Client, Module, OutputColumn, Query, QueryId, QueryKind, Statement, StatementKind};

/// None: the batch returns no rows (or only through EXEC, which is not followed).
pub fn describe(module: &Module, catalog: &dyn Catalog, options: &BindOptions) -> SqlResult<Option<Vec<OutputColumn>>> {
    first_rows(&module.body, module, catalog, options)
}

fn first_rows(
    statements: &[Statement],
    module: &Module,
    catalog: &dyn Catalog,
    options: &BindOptions,
) -> SqlResult<Option<Vec<OutputColumn>>> {
    for statement in statements {
        let found = match &statement.kind {
            StatementKind::Query(QueryId(id)) => {
                let text = &module.queries[*id as usize];
                let client = if options.client == Client::Plain { text.client } else { options.client };
                let options = BindOptions { client, ..*options };
                columns_of(&bind_query(&text.statement, module, catalog, &options)?)
            }
            StatementKind::If { then, otherwise, .. } => match first_rows(then, module, catalog, options)? {
                None => first_rows(otherwise, module, catalog, options)?,
                found => found,
            },
            StatementKind::While { body, .. } | StatementKind::Block(body) => {
                first_rows(body, module, catalog, options)?
            }
            StatementKind::TryCatch { body, handler } => match first_rows(body, module, catalog, options)? {
                None => first_rows(handler, module, catalog, options)?,
                found => found,
            },
            _ => None,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The columns that go to the client.
pub fn columns_of(query: &Query) -> Option<Vec<OutputColumn>> {
    match &query.kind {
        QueryKind::Select(plan) | QueryKind::ForText { plan, .. } => Some(plan.columns.clone()),
        QueryKind::Modify(modify) => {
            modify.output.as_ref().filter(|output| output.to_client).map(|output| output.columns.clone())
        }
        QueryKind::SelectAssign { .. } | QueryKind::SelectInto { .. } | QueryKind::InsertExecute { .. } => None,
    }
}
