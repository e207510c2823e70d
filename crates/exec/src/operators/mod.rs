//! The operators of a query: each is a `RowSource` over its inputs.
//!
//! A batch without columns may count any number of rows up to `wanted`; one with columns holds at most `BATCH_ROWS` or so.

mod for_xml_schema;
mod for_xml_row;
mod for_xml_explicit;
mod for_xml;
mod for_json;
pub mod for_text;
mod keys;
mod range;
mod simple;
mod scan;
pub mod row_file;
mod memory_scan;
mod scatter;
mod buffer;
mod spool;
mod shared;
mod index_spool;
mod nested_loops;
mod set;
mod hash_join;
mod recursive;
mod lookup_join;
mod merge;
mod sort;
mod aggregate_state;
mod aggregate;
mod open_xml;
pub mod bulk;
mod table_function;
mod top;
mod virtual_table;
mod window_running;
mod window_pieces;
mod window_extremes;
mod window;
mod watched;

pub use keys::{FastHash, encode_from};
pub use scan::{BaseScan, base, needs_snapshot, not_open, session_at_snapshot, storage_error};
pub use simple::Rows;

use std::sync::Arc;

use sql::catalog::TableDef;
use sql::plan::{self, Operator, OperatorKind, TableFunction, TableSource};
use types::{RowBatch, SqlResult};

use crate::columns::BATCH_ROWS;
use crate::context::{Context, RowSource};
use crate::expression::Compiler;

pub fn batch_of(operator: &Operator) -> RowBatch {
    RowBatch::new(operator.columns.iter().map(|column| column.ty.physical()))
}

/// Compiles an operator and all below it.
pub fn source(operator: &Operator, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    compiler.deeper(|compiler| match &mut compiler.watched {
        None => make(operator, compiler),
        Some(nodes) => {
            let node = nodes.len() as u32;
            nodes.push(std::ptr::from_ref(operator).addr());
            Ok(watched::make(make(operator, compiler)?, node))
        }
    })
}

/// A scan of a table, of which nobody will look at some columns, by stored ordinal.
pub fn source_without(
    scan: &plan::Scan,
    table: &Arc<TableDef>,
    unread: &[u16],
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    let mut source = base(scan, table, compiler)?;
    source.leave_unread(unread.to_vec());
    Ok(Box::new(source))
}

fn make(operator: &Operator, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    compiler.works.note(&operator.kind);
    compiler.reads.varies |= matches!(
        operator.kind,
        OperatorKind::WorkTable(_)
            | OperatorKind::Virtual { .. }
            | OperatorKind::UserTableFunction { .. }
            | OperatorKind::Modify(_)
    );
    Ok(match &operator.kind {
        OperatorKind::Scan(scan) => match &scan.table {
            TableSource::Base(table) => Box::new(scan::base(scan, table, compiler)?),
            _ => memory_scan::make(scan, compiler)?,
        },
        OperatorKind::Virtual { table, columns, arguments } => {
            virtual_table::make(operator, table, columns, arguments, compiler)?
        }
        OperatorKind::Values(rows) => simple::values(rows, compiler)?,
        OperatorKind::Filter { input, predicate } => simple::filter(input, predicate, compiler)?,
        OperatorKind::Project { input, exprs } => simple::project(input, exprs, compiler)?,
        OperatorKind::NestedLoops(join) => nested_loops::make(join, compiler)?,
        OperatorKind::HashJoin(join) => hash_join::make(join, compiler)?,
        OperatorKind::Aggregate { input, group, aggregates, strategy } => {
            aggregate::make(input, group, aggregates, *strategy, compiler)?
        }
        OperatorKind::GroupingSets { input, group, sets, aggregates } => {
            aggregate::grouping_sets(operator, input, group, sets, aggregates, compiler)?
        }
        OperatorKind::Sort { input, keys, limit } => sort::make(input, keys, limit, compiler)?,
        OperatorKind::Top(top) => top::make(top, compiler)?,
        OperatorKind::Concat(inputs) => simple::concat(inputs, compiler)?,
        OperatorKind::SetOperation { left, right, intersect } => set::make(left, right, *intersect, compiler)?,
        OperatorKind::Window { input, partition, order, functions } => {
            window::make(input, partition, order, functions, compiler)?
        }
        OperatorKind::Recursive { anchor, recursive, work_table, rounds_max } => {
            recursive::make(anchor, recursive, *work_table, *rounds_max, compiler)?
        }
        OperatorKind::WorkTable(number) => recursive::work_table(*number),
        OperatorKind::TableFunction { function: TableFunction::Bulk(file), .. } => bulk::make(file),
        OperatorKind::TableFunction { function, arguments } => {
            table_function::make(operator, function, arguments, compiler)?
        }
        OperatorKind::UserTableFunction { module, arguments } => {
            table_function::user(operator, module, arguments, compiler)?
        }
        OperatorKind::ForText { input, format } => for_text::operator(input, format, compiler)?,
        OperatorKind::Spool(input) => spool::make(input, compiler)?,
        OperatorKind::IndexSpool(spool) => index_spool::make(spool, compiler)?,
        OperatorKind::Shared(own) => shared::make(own, compiler)?,
        OperatorKind::Sharing { input, count } => shared::sharing(input, *count, compiler)?,
        OperatorKind::Modify(modify) => {
            compiler.nested = Some(modify.clone());
            simple::given()
        }
    })
}

/// Calls `each` for every batch of an opened source.
pub fn drain(
    source: &mut dyn RowSource,
    context: &Context,
    batch: &mut RowBatch,
    mut each: impl FnMut(&mut RowBatch) -> SqlResult<()>,
) -> SqlResult<()> {
    loop {
        source.next(context, BATCH_ROWS, batch)?;
        if batch.rows == 0 {
            return Ok(());
        }
        each(batch)?;
        context.yield_point()?;
    }
}
