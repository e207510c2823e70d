//! A client's rows for a table-valued parameter: inserted into a variable of the type, so that keys, checks, defaults, identity and computed
//! columns are those of any insert.

use std::sync::Arc;

use exec::host::{CallArgument, Ended, TableArgument};
use exec::session::{Options, Session as State};
use exec::sink::{Sink, Stop};
use sql::catalog::TableDef;
use sql::plan::{Module, OutputColumn, StatementKind, Variable};
use types::{RowBatch, SqlError, SqlResult, SqlType};

use crate::session::host::SessionHost;
use crate::wire::sink::FirstError;

/// Of column `i` of the rows as they come: text in its own code page, which need not be the database's.
pub fn declaration(i: usize, ty: &SqlType) -> String {
    match ty.is_ansi_string() {
        true => format!("[{i}] {ty} COLLATE {} NULL", ty.collation.name()),
        false => format!("[{i}] {ty} NULL"),
    }
}

/// The table variable that a module of `DECLARE @rows TABLE (...); INSERT ...` begins with becomes its one parameter.
pub fn rows_as_parameter(mut module: Module) -> Module {
    assert!(matches!(module.body.first().map(|first| &first.kind), Some(StatementKind::DeclareTable(_))));
    assert!(module.variables.is_empty(), "the text declares nothing else");
    module.body.remove(0);
    module.table_variables[0].parameter = Some(0);
    let name = module.table_variables[0].name.clone();
    module.variables.push(Variable { name, ty: SqlType::INT, output: false, default: None, not_null: false });
    module.parameter_count = 1;
    module
}

fn quoted(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// The rows of a variable of the type `table` after the client's were inserted. `name`: the parameter's, which errors show.
pub fn insert(
    host: &mut SessionHost,
    state: &mut State,
    table: &TableDef,
    name: &str,
    given: TableArgument,
) -> SqlResult<RowBatch> {
    let declared: Vec<String> = given.types.iter().enumerate().map(|(i, ty)| declaration(i, ty)).collect();
    let sent: Vec<usize> = (0..table.columns.len()).filter(|at| given.defaults.get(*at) != Some(&true)).collect();
    let own: Vec<String> = sent.iter().map(|at| quoted(&table.columns[*at].name)).collect();
    let values: Vec<String> = sent.iter().map(|at| format!("[{at}]")).collect();
    // As a variable keeps them.
    let mut stored: Vec<(u16, usize)> =
        table.stored.iter().enumerate().filter_map(|(at, stored)| stored.map(|stored| (stored, at))).collect();
    stored.sort_unstable();
    let all: Vec<String> = stored.iter().map(|(_, at)| quoted(&table.columns[*at].name)).collect();
    let insert = match sent.is_empty() {
        // Each row is of defaults alone.
        true => format!("MERGE {name} USING {name}$ ON 1 = 0 WHEN NOT MATCHED THEN INSERT DEFAULT VALUES"),
        false => format!("INSERT {name} ({}) SELECT {} FROM {name}$", own.join(", "), values.join(", ")),
    };
    let text = format!(
        "DECLARE {name}$ TABLE ({}); DECLARE {name} {}.{}; {insert}; SELECT {} FROM {name}",
        declared.join(", "),
        quoted(&table.schema),
        quoted(&table.name),
        all.join(", "),
    );
    let module = Arc::new(rows_as_parameter(host.bind_text(state, &text, "").map_err(SqlError::together)?));
    let argument = CallArgument {
        name: None,
        value: None,
        table: Some(TableArgument { defaults: Vec::new(), from_client: false, ..given }),
        output: false,
    };
    let counts = (state.row_count, state.error);
    let options = state.options.clone();
    // What says how a client's statements run is not for this one.
    let plain = Options::default();
    state.options = Options {
        ansi_warnings: options.ansi_warnings,
        arith_abort: options.arith_abort,
        language: options.language,
        date_format: options.date_format,
        isolation: options.isolation,
        ..plain
    };
    let mut kept = Kept { failed: FirstError::default(), rows: RowBatch::default() };
    let (ended, _) = exec::call_module(&module, None, vec![argument], state, host, &mut kept);
    state.options = options;
    (state.row_count, state.error) = counts;
    match (ended, kept.failed.0) {
        (Ended::Stopped(stop), _) => Err(exec::session::stopped(stop)),
        (Ended::Failed(error), _) | (_, Some(error)) => Err(error),
        (Ended::Completed | Ended::Aborted, None) => Ok(kept.rows),
    }
}

/// The rows that the variable has in the end, or what was wrong.
struct Kept {
    failed: FirstError,
    rows: RowBatch,
}

impl Sink for Kept {
    fn columns(&mut self, columns: &[OutputColumn]) -> Result<(), Stop> {
        self.rows = RowBatch::new(columns.iter().map(|column| column.ty.physical()));
        Ok(())
    }

    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        exec::columns::append_batch(&mut self.rows, batch);
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        self.failed.message(message)
    }
}
