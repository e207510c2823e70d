//! Rows that the server computes: dynamic management views and what catalog views stand on.

use std::sync::Arc;

use sql::catalog::VirtualTableDef;
use sql::plan::{Expr, Operator};
use types::{Datum, RowBatch, SqlResult};

use super::batch_of;
use super::simple::Pending;
use crate::columns::BATCH_ROWS;
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, Scalar};
use crate::value::{Row, Value, no_row};
use crate::workspace::{Held, SMALL_BYTES};

struct VirtualTable {
    table: Arc<VirtualTableDef>,
    columns: Vec<u16>,
    arguments: Vec<Scalar>,
    /// The server gives all rows at once: they are of one moment, and it holds no lock while the client reads them.
    rows: Pending,
    held: Held,
}

pub fn make(
    operator: &Operator,
    table: &Arc<VirtualTableDef>,
    columns: &[u16],
    arguments: &[Expr],
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    Ok(Box::new(VirtualTable {
        table: table.clone(),
        columns: columns.to_vec(),
        arguments: compiler.scalars(arguments)?,
        rows: Pending::new(batch_of(operator)),
        held: Held::default(),
    }))
}

impl RowSource for VirtualTable {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        let mut arguments: Vec<Datum> = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            arguments.push(argument.value(context, Row { batch: no_row(), index: 0 })?.into_datum());
        }
        let (batch, held) = (self.rows.clear(), &mut self.held);
        held.clear();
        let workspace = context.workspace().clone();
        let mut bytes = 0;
        let runtime = &mut *context.runtime();
        runtime.host.virtual_rows(runtime.session, &self.table, &self.columns, &arguments, &mut |row| {
            for (value, column) in row.iter().zip(&mut batch.columns) {
                bytes += std::mem::size_of::<i64>() + if let Datum::Bytes(value) = value { value.len() } else { 0 };
                Value::from_datum(value).push_to(column);
            }
            batch.rows += 1;
            // In steps: few of these tables are large.
            if bytes >= held.bytes() + SMALL_BYTES { held.force(&workspace, bytes) } else { Ok(()) }
        })
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        context.yield_point()?;
        if !self.rows.is_empty() {
            self.rows.give(wanted.min(BATCH_ROWS), out);
        }
        Ok(())
    }

    fn close(&mut self) {
        self.rows.clear();
        self.held.clear();
    }
}
