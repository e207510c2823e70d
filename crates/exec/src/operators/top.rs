//! Top: the first rows, a percentage of them, those that tie with the last; and OFFSET.

use sql::plan;
use types::{Physical, RowBatch, SqlResult, sql_error};

use super::buffer::{Buffer, Place};
use super::keys::RowKeys;
use super::{batch_of, source};
use crate::columns;
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, Scalar};

struct Top {
    input: Box<dyn RowSource>,
    count: Option<Scalar>,
    percent: bool,
    ties: Option<RowKeys>,
    offset: Option<Scalar>,
    skip: u64,
    left: u64,
    /// The key of the last row given, once the count is reached: rows that follow with the same key still belong.
    last: Option<Vec<u8>>,
    /// Of a percentage: all rows, for their count.
    rows: Buffer,
    place: Place,
    scratch: RowBatch,
    started: bool,
}

pub fn make(top: &plan::Top, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let scalar = |expr: &Option<plan::Expr>, compiler: &mut Compiler| {
        expr.as_ref().map(|expr| compiler.scalar(expr)).transpose()
    };
    let ties = if top.ties.is_empty() {
        None
    } else {
        let scalars = top.ties.iter().map(|key| compiler.scalar(&key.expr)).collect::<SqlResult<Vec<_>>>()?;
        Some(RowKeys::new(scalars, &[]))
    };
    Ok(Box::new(Top {
        input: source(&top.input, compiler)?,
        count: scalar(&top.count, compiler)?,
        percent: top.percent,
        ties,
        offset: scalar(&top.offset, compiler)?,
        skip: 0,
        left: 0,
        last: None,
        rows: Buffer::new(batch_of(&top.input)),
        place: Place::default(),
        scratch: batch_of(&top.input),
        started: false,
    }))
}

impl Top {
    fn start(&mut self, context: &Context) -> SqlResult<()> {
        self.started = true;
        self.last = None;
        self.place.rewind();
        self.skip = match &self.offset {
            None => 0,
            Some(offset) => match offset.scalar_value(context)?.i64() {
                Some(value) if value >= 0 => value as u64,
                _ => return Err(sql_error!(10742)),
            },
        };
        let Some(count) = &self.count else {
            self.left = u64::MAX;
            return Ok(());
        };
        let value = count.scalar_value(context)?;
        if self.percent {
            let percent = match count.ty.physical() {
                Physical::F64 => value.f64(),
                _ => value.i64().map(|value| value as f64),
            };
            let percent = percent.ok_or_else(|| sql_error!(1014))?;
            if !(0.0..=100.0).contains(&percent) {
                return Err(sql_error!(1031));
            }
            self.rows.fill(&mut *self.input, context, &mut self.scratch)?;
            self.left = (self.rows.rows() as f64 * percent / 100.0).ceil() as u64;
            return Ok(());
        }
        self.left = match value.i64() {
            Some(value) if value >= 0 => value as u64,
            _ if self.offset.is_some() => return Err(sql_error!(10744)),
            None => return Err(sql_error!(1014)),
            Some(_) => return Err(sql_error!(127)),
        };
        Ok(())
    }

    /// The next input rows.
    fn read(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        if self.percent {
            return self.place.next(context, &self.rows, wanted, out);
        }
        self.input.next(context, wanted, out)
    }
}

impl RowSource for Top {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.started = false;
        self.input.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if !self.started {
            self.start(context)?;
        }
        while self.skip > 0 {
            let ask = self.skip.min(columns::BATCH_ROWS as u64) as usize;
            self.read(context, ask, out)?;
            if out.rows == 0 {
                return Ok(());
            }
            self.skip = self.skip.saturating_sub(out.rows as u64);
            context.yield_point()?;
        }
        if self.left == 0 {
            return self.tied(context, wanted, out);
        }
        self.read(context, (wanted as u64).min(self.left) as usize, out)?;
        if out.rows as u64 > self.left {
            truncate(out, self.left as usize, &mut self.scratch);
        }
        self.left -= out.rows as u64;
        if self.left == 0
            && out.rows > 0
            && let Some(ties) = &mut self.ties
        {
            ties.load(context, out)?;
            let mut key = Vec::new();
            ties.encode(out.rows - 1, &mut key);
            self.last = Some(key);
        }
        Ok(())
    }

    fn close(&mut self) {
        self.rows.clear();
        self.place.rewind();
        self.input.close();
    }
}

fn truncate(batch: &mut RowBatch, rows: usize, scratch: &mut RowBatch) {
    scratch.clear();
    if batch.columns.is_empty() {
        batch.rows = rows;
        return;
    }
    columns::append_batch_range(scratch, batch, 0, rows);
    std::mem::swap(batch, scratch);
}

impl Top {
    fn tied(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let Some(last) = self.last.take() else { return Ok(()) };
        self.read(context, wanted.min(64), out)?;
        let Some(ties) = &mut self.ties else { return Ok(()) };
        ties.load(context, out)?;
        let mut key = Vec::new();
        let tied = (0..out.rows)
            .take_while(|row| {
                ties.encode_to(*row, &mut key);
                key == last
            })
            .count();
        if tied == out.rows && tied > 0 {
            self.last = Some(last);
        } else {
            truncate(out, tied, &mut self.scratch);
        }
        Ok(())
    }
}
