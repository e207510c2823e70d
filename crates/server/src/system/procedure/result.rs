//! A small result set that a native procedure makes.

use exec::sink::{Command, Done, DoneKind, Outcome, Sink};
use sql::plan::OutputColumn;
use types::{Datum, RowBatch, SqlResult, SqlType, variant};

use crate::catalog::spec;

pub struct ResultSet {
    columns: Vec<OutputColumn>,
    rows: RowBatch,
    sent: u64,
}

impl ResultSet {
    /// `columns`: `name type; name type; ...` as T-SQL writes them, all nullable. A name may have blanks, a type has none.
    pub fn new(columns: &str) -> ResultSet {
        let columns = columns.split("; ").map(|column| {
            let (name, ty) = column.rsplit_once(' ').expect("a name and a type");
            OutputColumn::plain(name, spec::sql_type(ty), true)
        });
        ResultSet::of(columns.collect())
    }

    pub fn of(columns: Vec<OutputColumn>) -> ResultSet {
        let rows = RowBatch::new(columns.iter().map(|column| column.ty.physical()));
        ResultSet { columns, rows, sent: 0 }
    }

    pub fn push(&mut self, row: &[Datum]) {
        self.rows.push_row(row);
    }

    pub fn send(self, sink: &mut dyn Sink) -> SqlResult<()> {
        self.begin(sink)?.end(sink)
    }

    /// For a long one, whose rows go with `flush` as they are made.
    pub fn begin(self, sink: &mut dyn Sink) -> SqlResult<ResultSet> {
        sink.columns(&self.columns).map_err(exec::session::stopped)?;
        Ok(self)
    }

    pub fn flush(&mut self, sink: &mut dyn Sink) -> SqlResult<()> {
        if self.rows.rows > 0 {
            sink.batch(&self.rows).map_err(exec::session::stopped)?;
            self.sent += self.rows.rows as u64;
            self.rows = RowBatch::new(self.columns.iter().map(|column| column.ty.physical()));
        }
        Ok(())
    }

    pub fn end(mut self, sink: &mut dyn Sink) -> SqlResult<()> {
        self.flush(sink)?;
        let row_count = Some(self.sent);
        sink.done(Done { kind: DoneKind::InProcedure, command: Command::Select, row_count, outcome: Outcome::Well })
            .map_err(exec::session::stopped)
    }
}

pub fn text(value: &str) -> Datum {
    Datum::nvarchar(value)
}

pub fn number(value: impl Into<i64>) -> Datum {
    Datum::I64(value.into())
}

pub fn bit(value: bool) -> Datum {
    Datum::I64(value.into())
}

pub fn optional_text(value: Option<&str>) -> Datum {
    value.map_or(Datum::Null, Datum::nvarchar)
}

/// A value of any type as the sql_variant that holds it; NULL for one that none holds.
pub fn as_variant(ty: &SqlType, value: Datum) -> Datum {
    match value {
        Datum::Null => Datum::Null,
        value if ty.kind == types::TypeKind::SqlVariant => value,
        value => variant::encode(ty, &value),
    }
}
