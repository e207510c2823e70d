//! Typed scalar expressions. Every implicit conversion is an explicit `Convert` node; operands of an operator have the class
//! (and for strings the collation, for comparisons the type) that the operator works in.

use std::sync::Arc;

use types::{Datum, SqlType};

use super::operator::Operator;
use crate::catalog::{DatabaseId, ModuleDef, ObjectId, SequenceDef};
use crate::function::FunctionId;
use crate::mask::MaskFunction;

#[derive(Debug, Clone)]
pub struct Expr {
    /// Predicates have type bit; NULL is UNKNOWN.
    pub ty: SqlType,
    pub nullable: bool,
    pub kind: ExprKind,
}

/// Index of a local variable or parameter in its module's `variables`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VariableSlot(pub u32);

/// Index of a correlated value in the running query's `outer_slots`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OuterSlot(pub u32);

#[derive(Debug, Clone)]
pub enum ExprKind {
    Literal(Datum),
    /// Column of the row that the enclosing operator evaluates over.
    Column(usize),
    /// A value that an enclosing `NestedLoops` or `Subquery` has put aside for its inner side.
    Outer(OuterSlot),
    Variable(VariableSlot),
    Global(Global),
    Negate(Box<Expr>),
    /// `~`
    BitNot(Box<Expr>),
    /// Both operands already have the class in which the operation is done: the result's type, except that decimals keep their
    /// own precision and scale (the result's is `ty`). Concatenation is `Add` over strings or binaries.
    Arithmetic(ArithmeticOp, Box<Expr>, Box<Expr>),
    /// Comparable without conversion: the same type, or integers (bit too) of any width, strings of one kind of characters and
    /// one collation, binaries, decimals of one scale, times of one kind. `null_equal`: IS [NOT] DISTINCT FROM and set operations.
    Compare {
        op: CompareOp,
        left: Box<Expr>,
        right: Box<Expr>,
        null_equal: bool,
    },
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    IsNull(Box<Expr>),
    Like {
        value: Box<Expr>,
        pattern: Box<Expr>,
        escape: Option<Box<Expr>>,
    },
    /// All of one type. NULL semantics of IN.
    InList {
        value: Box<Expr>,
        list: Vec<Expr>,
    },
    /// Searched form; a simple CASE is bound to comparisons. Result expressions have `ty`.
    Case {
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    /// `style`: of CONVERT. `attempt`: TRY_CAST and TRY_CONVERT give NULL for an error. `explicit`: written by the user.
    Convert {
        value: Box<Expr>,
        style: Option<Box<Expr>>,
        attempt: bool,
        explicit: bool,
    },
    Function(FunctionId, Vec<Expr>),
    UserFunction(Arc<ModuleDef>, Vec<Expr>),
    Subquery(Box<Subquery>),
    NextValueFor(Arc<SequenceDef>),
    Mask(Box<Masked>),
}

/// A value that is shown as it is to those who may see it, and as a mask to others. NULL is shown to all.
#[derive(Debug, Clone)]
pub struct Masked {
    pub value: Expr,
    pub mask: Mask,
}

/// What of a value is not shown to all.
#[derive(Debug, Clone, PartialEq)]
pub struct Mask {
    pub function: Arc<MaskFunction>,
    /// Columns it is made of: who lacks UNMASK for one of them sees the mask.
    pub columns: Arc<[MaskedColumn]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MaskedColumn {
    /// Of a table variable its number is negative, and UNMASK is asked of the database.
    pub table: (DatabaseId, ObjectId),
    pub column_id: u32,
}

/// A subquery that was not turned into a join.
#[derive(Debug, Clone)]
pub struct Subquery {
    pub plan: Operator,
    pub kind: SubqueryKind,
    /// Of the value of a scalar one.
    pub mask: Option<Box<Mask>>,
    /// Its text has the collation of a variable: that of others counts more.
    pub yields: bool,
    /// Values of the enclosing row to put aside before the plan runs. Empty: run once a statement and keep the answer.
    pub bindings: Vec<(OuterSlot, Expr)>,
}

#[derive(Debug, Clone)]
pub enum SubqueryKind {
    /// One column; more than one row is error 512.
    Scalar,
    /// One column of the last row, as SELECT @v = ... leaves it.
    Last,
    Exists,
    /// `value op ANY (plan)`; IN is `= ANY`.
    Any {
        value: Expr,
        op: CompareOp,
    },
    All {
        value: Expr,
        op: CompareOp,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// `@@name`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Global {
    Connections,
    CpuBusy,
    CursorRows,
    DateFirst,
    Dbts,
    Error,
    FetchStatus,
    Identity,
    Idle,
    IoBusy,
    KernelMode,
    LangId,
    Language,
    LockTimeout,
    MaxConnections,
    MaxPrecision,
    MicrosoftVersion,
    NestLevel,
    Options,
    PackReceived,
    PackSent,
    PacketErrors,
    ProcId,
    RemServer,
    RowCount,
    ServerName,
    ServiceName,
    Spid,
    TextSize,
    TimeTicks,
    TotalErrors,
    TotalRead,
    TotalWrite,
    TranCount,
    /// @@TRANCOUNT within a statement that changes rows: its own transaction counts, too.
    TranCountOfChange,
    Version,
}
