//! Scalar expressions, compiled to trees of one node type a physical class. One evaluator serves variables (over `no_row`) and
//! batches (`fill`, `filter`, with loops of their own for the commonest shapes).
//!
//! Classes meet in `General` nodes only (CASE, functions, conversions, subqueries), which give a `Value`.

mod batch;
pub mod json;
mod mask;
pub mod memo;
pub mod subquery;
mod shown;
pub mod regexp;
mod xml;
pub mod spatial;
mod general;
mod integer;
mod wide;
mod first_look;
pub mod functions;
mod compile;

pub use batch::{fill, fill_all, filter, filter_batch};
pub use compile::{Compiler, TableUse};
pub use first_look::FirstLook;
pub use general::General;
pub use integer::{I64Expr, holds};
pub use shown::shown;
pub use wide::{BytesExpr, F64Expr, I128Expr, concat};
pub use xml::{XmlCall, metered};

use types::{Datum, Physical, SqlResult, SqlType};

use crate::context::Context;
use crate::value::{Row, Value, no_row};

/// An expression and its type.
pub struct Scalar {
    pub ty: SqlType,
    pub node: Node,
}

pub enum Node {
    I64(I64Expr),
    F64(F64Expr),
    I128(I128Expr),
    Bytes(BytesExpr),
}

impl Scalar {
    pub fn column(index: usize, ty: SqlType) -> Scalar {
        let node = match ty.physical() {
            Physical::I64 => Node::I64(I64Expr::Column(index)),
            Physical::F64 => Node::F64(F64Expr::Column(index)),
            Physical::I128 => Node::I128(I128Expr::Column(index)),
            Physical::Bytes => Node::Bytes(BytesExpr::Column(index)),
        };
        Scalar { ty, node }
    }

    pub fn general(ty: SqlType, general: General) -> Scalar {
        let general = Box::new(general);
        let node = match ty.physical() {
            Physical::I64 => Node::I64(I64Expr::General(general)),
            Physical::F64 => Node::F64(F64Expr::General(general)),
            Physical::I128 => Node::I128(I128Expr::General(general)),
            Physical::Bytes => Node::Bytes(BytesExpr::General(general)),
        };
        Scalar { ty, node }
    }

    pub fn constant(ty: SqlType, value: &Datum) -> Scalar {
        let node = match (ty.physical(), value) {
            (Physical::I64, Datum::Null) => Node::I64(I64Expr::Const(None)),
            (Physical::F64, Datum::Null) => Node::F64(F64Expr::Const(None)),
            (Physical::I128, Datum::Null) => Node::I128(I128Expr::Const(None)),
            (Physical::Bytes, Datum::Null) => Node::Bytes(BytesExpr::Const(None)),
            (Physical::I64, Datum::I64(value)) => Node::I64(I64Expr::Const(Some(*value))),
            (Physical::F64, Datum::F64(value)) => Node::F64(F64Expr::Const(Some(*value))),
            (Physical::I128, Datum::I128(value)) => Node::I128(I128Expr::Const(Some(*value))),
            (Physical::Bytes, Datum::Bytes(value)) => Node::Bytes(BytesExpr::Const(Some(value.clone()))),
            (class, value) => panic!("literal {value:?} of class {class:?}"),
        };
        Scalar { ty, node }
    }

    /// The column it is, if it is nothing else.
    pub fn as_column(&self) -> Option<usize> {
        match &self.node {
            Node::I64(I64Expr::Column(column))
            | Node::F64(F64Expr::Column(column))
            | Node::I128(I128Expr::Column(column))
            | Node::Bytes(BytesExpr::Column(column)) => Some(*column),
            _ => None,
        }
    }

    pub fn as_constant(&self) -> Option<Datum> {
        match &self.node {
            Node::I64(I64Expr::Const(value)) => Some(value.map_or(Datum::Null, Datum::I64)),
            Node::F64(F64Expr::Const(value)) => Some(value.map_or(Datum::Null, Datum::F64)),
            Node::I128(I128Expr::Const(value)) => Some(value.map_or(Datum::Null, Datum::I128)),
            Node::Bytes(BytesExpr::Const(value)) => Some(value.clone().map_or(Datum::Null, Datum::Bytes)),
            _ => None,
        }
    }

    #[inline]
    pub fn value<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        Ok(match &self.node {
            Node::I64(node) => node.eval(context, row)?.map_or(Value::Null, Value::I64),
            Node::F64(node) => node.eval(context, row)?.map_or(Value::Null, Value::F64),
            Node::I128(node) => node.eval(context, row)?.map_or(Value::Null, Value::I128),
            Node::Bytes(node) => node.eval(context, row)?.map_or(Value::Null, Value::Bytes),
        })
    }

    pub fn datum(&self, context: &Context, row: Row<'_>) -> SqlResult<Datum> {
        Ok(match self.value(context, row)? {
            Value::Bytes(bytes) => Datum::Bytes(context.own(bytes)?.into_boxed_slice()),
            value => value.into_datum(),
        })
    }

    /// Of an expression that reads no row.
    pub fn scalar_value<'a>(&'a self, context: &'a Context) -> SqlResult<Value<'a>> {
        self.value(context, Row { batch: no_row(), index: 0 })
    }

    pub fn scalar_datum(&self, context: &Context) -> SqlResult<Datum> {
        self.datum(context, Row { batch: no_row(), index: 0 })
    }

    /// Panics if the expression is of another class.
    #[inline]
    pub fn i64(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
        match &self.node {
            Node::I64(node) => node.eval(context, row),
            _ => panic!("an expression of type {:?} asked for an I64", self.ty.kind),
        }
    }
}
