//! Nodes that mix classes: CASE, functions, conversions, subqueries, globals. They give a `Value` of their type's class.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::sync::Arc;

use sql::catalog::{ModuleDef, SequenceDef};
use sql::plan::{CompareOp, Global, OuterSlot};
use types::{Column, Datum, RowBatch, SqlResult, SqlType, sql_error};

use super::Scalar;
use super::integer::{I64Expr, holds, ordering_holds};
use super::mask::MaskNode;
use super::xml::XmlCall;
use crate::context::{Context, RowSource};
use crate::kernel;
use crate::value::{Row, Value};

pub enum General {
    Case {
        branches: Box<[(I64Expr, Scalar)]>,
        otherwise: Option<Scalar>,
    },
    Call(Call),
    Convert(Conversion),
    Subquery(RefCell<SubqueryState>),
    Global(Global, SqlType),
    UserFunction {
        definition: Arc<ModuleDef>,
        arguments: Box<[Scalar]>,
        ty: SqlType,
    },
    NextValueFor(Arc<SequenceDef>),
    Mask(Box<MaskNode>),
    Xml(Box<XmlCall>),
    /// RAND(): one value for all rows of a query. `Context::execution` and the value.
    Rand(Cell<(u64, f64)>),
}

/// A built-in function and its arguments.
pub struct Call {
    pub ty: SqlType,
    pub function: Function,
    pub id: sql::function::FunctionId,
    pub arguments: Box<[Scalar]>,
}

/// Computes a built-in from its call node; it evaluates the arguments it needs.
pub type Function = for<'a> fn(&'a Call, &'a Context<'_>, Row<'a>) -> SqlResult<Value<'a>>;

pub struct Conversion {
    pub value: Scalar,
    pub to: SqlType,
    pub style: Option<Scalar>,
    pub attempt: bool,
    pub explicit: bool,
}

pub struct SubqueryState {
    pub source: Box<dyn RowSource>,
    pub bindings: Box<[(OuterSlot, Scalar)]>,
    pub kind: SubqueryKind,
    pub batch: RowBatch,
    /// `Context::execution` in which the source was opened last.
    pub opened_in: u64,
    /// `Context::execution` and the answer, when nothing of the outer row is asked for.
    pub kept: Option<(u64, Datum)>,
    /// The rows of an uncorrelated ANY or ALL.
    pub kept_rows: Option<(u64, Column)>,
}

pub enum SubqueryKind {
    Scalar,
    Exists,
    Any { value: Scalar, op: CompareOp },
    All { value: Scalar, op: CompareOp },
}

impl General {
    pub fn eval<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        match self {
            General::Case { branches, otherwise } => {
                for (condition, result) in branches {
                    if holds(condition.eval(context, row)?) {
                        return result.value(context, row);
                    }
                }
                otherwise.as_ref().map_or(Ok(Value::Null), |result| result.value(context, row))
            }
            General::Call(call) => {
                let value = (call.function)(call, context, row);
                value.or_else(|error| context.uncomputed(error).map(|none| none.unwrap_or(Value::Null)))
            }
            General::Convert(conversion) => conversion.eval(context, row),
            General::Subquery(state) => {
                let answer = state.borrow_mut().eval(context, row)?;
                Ok(Value::from_owned(answer))
            }
            General::Global(global, ty) => super::functions::global(context, *global, ty).map(Value::from_owned),
            General::UserFunction { definition, arguments, ty } => {
                let arguments = arguments
                    .iter()
                    .map(|argument| Ok((argument.ty, argument.datum(context, row)?)))
                    .collect::<SqlResult<Vec<_>>>()?;
                (context.interpreter.scalar_function)(context, definition, arguments, ty).map(Value::from_owned)
            }
            General::NextValueFor(sequence) => {
                let mut runtime = context.runtime();
                let runtime = &mut *runtime;
                runtime.host.sequence_next(runtime.session, sequence).map(Value::from_owned)
            }
            General::Xml(call) => call.eval(context, row),
            General::Mask(mask) => mask.eval(context, row),
            General::Rand(kept) => {
                let execution = context.execution.get();
                if execution == 0 || kept.get().0 != execution {
                    kept.set((execution, super::functions::next_random(context)));
                }
                Ok(Value::F64(kept.get().1))
            }
        }
    }
}

impl Conversion {
    fn eval<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        let style = match &self.style {
            None => None,
            Some(style) => match style.i64(context, row)? {
                None => return Ok(Value::Null),
                Some(style) => Some(style as i32),
            },
        };
        let value = match self.value.value(context, row) {
            Err(error) if self.attempt && kernel::is_conversion_error(&error) => return Ok(Value::Null),
            value => value?,
        };
        if value.is_null() {
            return Ok(Value::Null);
        }
        match kernel::convert(context, value, &self.value.ty, &self.to, style, self.explicit) {
            Err(error) if self.attempt && kernel::is_conversion_error(&error) => Ok(Value::Null),
            Err(error) => context.uncomputed(error).map(|none| none.unwrap_or(Value::Null)),
            value => value,
        }
    }
}

impl SubqueryState {
    fn eval(&mut self, context: &Context, row: Row<'_>) -> SqlResult<Datum> {
        let correlated = !self.bindings.is_empty();
        let execution = context.execution.get();
        for (slot, value) in &self.bindings {
            let value = value.datum(context, row)?;
            context.set_outer(*slot, value);
        }
        match &self.kind {
            SubqueryKind::Scalar | SubqueryKind::Exists => {
                if let Some((kept, answer)) = &self.kept
                    && !correlated
                    && *kept == execution
                {
                    return Ok(answer.clone());
                }
                let answer = self.run(context)?;
                if !correlated {
                    self.kept = Some((execution, answer.clone()));
                }
                Ok(answer)
            }
            SubqueryKind::Any { value, op } => {
                let (value, op, ty) = (value.datum(context, row)?, *op, value.ty);
                self.quantified(context, execution, correlated, value, op, &ty, true)
            }
            SubqueryKind::All { value, op } => {
                let (value, op, ty) = (value.datum(context, row)?, *op, value.ty);
                self.quantified(context, execution, correlated, value, op, &ty, false)
            }
        }
    }

    /// Nobody closes what stands in an expression, when its query ends: tables are opened anew in each execution, for their pages may be
    /// others' since the last one.
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        let execution = context.execution.get();
        if self.opened_in != execution || execution == 0 {
            self.source.close();
            self.opened_in = execution;
        }
        self.source.open(context)
    }

    fn run(&mut self, context: &Context) -> SqlResult<Datum> {
        self.open(context)?;
        self.source.next(context, 2, &mut self.batch)?;
        if matches!(self.kind, SubqueryKind::Exists) {
            return Ok(Datum::I64((self.batch.rows > 0) as i64));
        }
        if self.batch.rows == 0 {
            return Ok(Datum::Null);
        }
        let answer = self.batch.columns[0].datum(0);
        let mut rows = self.batch.rows;
        if rows == 1 {
            self.source.next(context, 1, &mut self.batch)?;
            rows += self.batch.rows;
        }
        if rows > 1 {
            return Err(sql_error!(512));
        }
        Ok(answer)
    }

    /// ANY is true if a row's comparison is, ALL false if a row's is not true; UNKNOWN rows leave UNKNOWN.
    #[allow(clippy::too_many_arguments)]
    fn quantified(
        &mut self,
        context: &Context,
        execution: u64,
        correlated: bool,
        value: Datum,
        op: CompareOp,
        ty: &SqlType,
        any: bool,
    ) -> SqlResult<Datum> {
        if correlated || !matches!(&self.kept_rows, Some((kept, _)) if *kept == execution) {
            let mut rows = Column::new(ty.physical());
            self.open(context)?;
            loop {
                self.source.next(context, crate::columns::BATCH_ROWS, &mut self.batch)?;
                if self.batch.rows == 0 {
                    break;
                }
                crate::columns::append_range(&mut rows, &self.batch.columns[0], 0, self.batch.rows);
            }
            self.kept_rows = Some((execution, rows));
        }
        let (_, rows) = self.kept_rows.as_ref().expect("set above");
        let value = Value::from_datum(&value);
        let mut unknown = false;
        for row in 0..rows.len() {
            let other = Value::from_column(rows, row);
            if value.is_null() || other.is_null() {
                unknown = true;
                continue;
            }
            let ordering: Ordering = kernel::compare_values(context, ty, &value, &other)?;
            if ordering_holds(op, ordering) == any {
                return Ok(Datum::I64(any as i64));
            }
        }
        Ok(if unknown { Datum::Null } else { Datum::I64(!any as i64) })
    }
}
