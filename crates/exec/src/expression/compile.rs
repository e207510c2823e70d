//! From `plan::Expr` to nodes. Done once a module instance; what can be decided from types is decided here.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

use sql::catalog::TableDef;
use sql::plan::{self, ArithmeticOp, CompareOp, Expr, ExprKind, Operator, OuterSlot};
use types::compare::ValueComparer;
use types::like::LikePattern;
use types::pause::Pacer;
use types::{Datum, Physical, RowBatch, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::functions;
use super::general::{Conversion, General, Same};
use super::integer::{
    Comparison, I64Expr, InKeys, InList, IntegerArithmetic, IntegerRange, Like, NEVER, into_predicate,
};
use super::mask::MaskNode;
use super::subquery::{SubqueryKind, SubqueryState};
use super::wide::{BytesExpr, DecimalArithmetic, F64Expr, I128Expr};
use super::{Node, Scalar};
use crate::context::{DEPTH_MAX, RowSource};
use crate::kernel;
use crate::table_reads::WorkTables;

/// Makes an operator: stands above expressions, so it is handed down.
pub type PlanSource = fn(&Operator, &mut Compiler) -> SqlResult<Box<dyn RowSource>>;

/// Stack kept for what one level does without asking again.
const STACK_LEFT_MIN: usize = 64 << 10;

/// What a query does with a table; of several, the last counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableUse {
    /// Reads also what is not committed (NOLOCK).
    Dirty,
    /// Reads as its transaction's isolation level says.
    Level,
    /// Reads what is committed when it comes there, for an indexed view: nobody has asked for its rows.
    Upkeep,
    /// Reads what is committed when it comes there (READCOMMITTEDLOCK).
    Committed,
    /// Changes its rows.
    Changes,
}

pub struct Compiler {
    pub plan_source: PlanSource,
    /// What was compiled reads variables of the module it belongs to, so it can run only there.
    pub reads_variables: bool,
    /// Tables and indexes of the database that it uses, and how.
    pub tables: Vec<(Arc<TableDef>, TableUse)>,
    /// Operators that are watched while they run, by the number that each is given: where it lies in the plan. None: nobody asked.
    pub watched: Option<Vec<usize>>,
    /// The query has to keep something while it runs: documents for rows of nodes(), rows that ANY and ALL compare with.
    pub keeps: bool,
    /// What the query's operators put rows in.
    pub works: WorkTables,
    /// Of the query that is compiled, rows that several of its places ask for: `operators::shared` knows what they are.
    pub shared: Vec<Box<dyn Any + Send>>,
    /// What is compiled runs once a row, in executions that `Context::execution` counts.
    pub in_query: bool,
    /// The change whose OUTPUT the query reads: it runs first.
    pub nested: Option<Box<plan::Modify>>,
    /// What was compiled of the subquery or the inner side so far.
    pub reads: Reads,
    depth: u32,
}

/// Upon what the rows of a subquery or an inner side depend besides what is the same for all outer rows.
#[derive(Default)]
pub struct Reads {
    /// They may be others for the same values: a call that is volatile, rows that change while the query runs.
    pub varies: bool,
    /// Slots of outer values.
    pub slots: Vec<OuterSlot>,
}

pub fn too_deep() -> SqlError {
    sql_error!(191)
}

impl Compiler {
    pub fn new(plan_source: PlanSource) -> Compiler {
        Compiler {
            plan_source,
            reads_variables: false,
            tables: Vec::new(),
            watched: None,
            keeps: false,
            works: WorkTables::default(),
            shared: Vec::new(),
            in_query: false,
            nested: None,
            reads: Reads::default(),
            depth: 0,
        }
    }

    /// Runs `make` one level deeper.
    pub fn deeper<T>(&mut self, make: impl FnOnce(&mut Compiler) -> SqlResult<T>) -> SqlResult<T> {
        if self.depth >= DEPTH_MAX || os::sched::stack_remaining() < STACK_LEFT_MIN {
            return Err(too_deep());
        }
        self.depth += 1;
        let made = make(self);
        self.depth -= 1;
        made
    }

    /// Runs `make`, whose reads are given back and belong to what is around it as well, but for the slots `own`, which it sets itself.
    pub fn reading<T>(
        &mut self,
        own: impl Iterator<Item = OuterSlot>,
        make: impl FnOnce(&mut Compiler) -> SqlResult<T>,
    ) -> SqlResult<(T, Reads)> {
        let around = std::mem::take(&mut self.reads);
        let made = make(self);
        let reads = std::mem::replace(&mut self.reads, around);
        let own: Vec<OuterSlot> = own.collect();
        self.reads.varies |= reads.varies;
        self.reads.slots.extend(reads.slots.iter().filter(|slot| !own.contains(slot)));
        Ok((made?, reads))
    }

    pub fn scalars(&mut self, exprs: &[Expr]) -> SqlResult<Vec<Scalar>> {
        exprs.iter().map(|expr| self.scalar(expr)).collect()
    }

    pub fn predicate(&mut self, expr: &Expr) -> SqlResult<I64Expr> {
        Ok(into_predicate(self.scalar(expr)?))
    }

    pub fn optional_predicate(&mut self, expr: &Option<Expr>) -> SqlResult<Option<I64Expr>> {
        expr.as_ref().map(|expr| self.predicate(expr)).transpose()
    }

    pub fn scalar(&mut self, expr: &Expr) -> SqlResult<Scalar> {
        self.deeper(|compiler| compiler.node(expr))
    }

    fn node(&mut self, expr: &Expr) -> SqlResult<Scalar> {
        let ty = expr.ty;
        let predicate = |node| Ok(Scalar { ty, node: Node::I64(node) });
        self.reads.varies |= expr.varies();
        match &expr.kind {
            ExprKind::Literal(value) => Ok(Scalar::constant(ty, value)),
            ExprKind::Column(index) => Ok(Scalar::column(*index, ty)),
            ExprKind::Outer(slot) => {
                self.reads.slots.push(*slot);
                Ok(match ty.physical() {
                    Physical::I64 => Scalar { ty, node: Node::I64(I64Expr::Outer(slot.0)) },
                    Physical::F64 => Scalar { ty, node: Node::F64(F64Expr::Outer(slot.0)) },
                    Physical::I128 => Scalar { ty, node: Node::I128(I128Expr::Outer(slot.0)) },
                    Physical::Bytes => Scalar { ty, node: Node::Bytes(BytesExpr::Outer(slot.0)) },
                })
            }
            ExprKind::Variable(slot) => {
                self.reads_variables = true;
                Ok(match ty.physical() {
                    Physical::I64 => Scalar { ty, node: Node::I64(I64Expr::Variable(slot.0)) },
                    Physical::F64 => Scalar { ty, node: Node::F64(F64Expr::Variable(slot.0)) },
                    Physical::I128 => Scalar { ty, node: Node::I128(I128Expr::Variable(slot.0)) },
                    Physical::Bytes => Scalar { ty, node: Node::Bytes(BytesExpr::Variable(slot.0)) },
                })
            }
            ExprKind::Global(global) => match functions::session_number(*global) {
                Some(read) => predicate(I64Expr::Session(read)),
                None => Ok(Scalar::general(ty, General::Global(*global, ty))),
            },
            ExprKind::Negate(operand) => self.negate(operand, ty),
            ExprKind::BitNot(operand) => {
                let operand = into_predicate(self.scalar(operand)?);
                predicate(I64Expr::BitNot(Box::new(operand), ty.kind))
            }
            ExprKind::Arithmetic(op, left, right) => self.arithmetic(*op, left, right, ty),
            ExprKind::Compare { op, left, right, null_equal } => {
                let operand_ty = left.ty;
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                predicate(comparison(*op, *null_equal, left, right, operand_ty))
            }
            ExprKind::And(terms) => predicate(I64Expr::And(self.predicates(terms)?)),
            ExprKind::Or(terms) => predicate(I64Expr::Or(self.predicates(terms)?)),
            ExprKind::Not(operand) => predicate(I64Expr::Not(Box::new(self.predicate(operand)?))),
            ExprKind::IsNull(operand) => predicate(I64Expr::IsNull(Box::new(self.scalar(operand)?))),
            ExprKind::Like { value, pattern, escape } => predicate(self.like(value, pattern, escape.as_deref())?),
            ExprKind::InList { value, list } => {
                let (value, list) = (self.scalar(value)?, self.scalars(list)?);
                predicate(in_list(value, list))
            }
            ExprKind::Case { branches, otherwise } => self.case(branches, otherwise.as_deref(), ty),
            ExprKind::Convert { value, style, attempt, explicit } => {
                let style = match style {
                    None => None,
                    Some(style) => Some(self.scalar(style)?),
                };
                let value = self.scalar(value)?;
                Ok(conversion(value, ty, style, *attempt, *explicit))
            }
            ExprKind::Function(id, arguments) => {
                let arguments = self.scalars(arguments)?;
                functions::call(*id, arguments, ty)
            }
            ExprKind::UserFunction(definition, arguments) => {
                let arguments = self.scalars(arguments)?.into();
                let definition = definition.clone();
                Ok(Scalar::general(ty, General::UserFunction { definition, arguments, ty }))
            }
            ExprKind::Subquery(subquery) => self.subquery(subquery, ty),
            ExprKind::Mask(masked) => {
                let value = self.scalar(&masked.value)?;
                let (function, columns) = (masked.mask.function.clone(), masked.mask.columns.clone());
                let node = MaskNode { value, function, columns, seen: Cell::new((0, false)) };
                Ok(Scalar::general(ty, General::Mask(Box::new(node))))
            }
            ExprKind::NextValueFor(sequence) => Ok(Scalar::general(ty, General::NextValueFor(sequence.clone()))),
        }
    }

    /// One side of a comparison. In a query, what no row changes is computed once.
    fn operand(&mut self, expr: &Expr) -> SqlResult<Scalar> {
        use ExprKind::*;
        let scalar = self.scalar(expr)?;
        let is_leaf = matches!(expr.kind, Literal(_) | Column(_) | Outer(_) | Variable(_) | Global(_));
        if !self.in_query || is_leaf || scalar.as_constant().is_some() || expr.is_volatile() {
            return Ok(scalar);
        }
        let by_row = expr.any(&mut |part| matches!(part.kind, Column(_) | Outer(_) | Subquery(_) | Mask(_)));
        Ok(match by_row {
            true => scalar,
            false => {
                Scalar::general(expr.ty, General::Same(Box::new(Same { value: scalar, kept: Default::default() })))
            }
        })
    }

    fn negate(&mut self, operand: &Expr, ty: SqlType) -> SqlResult<Scalar> {
        let operand = self.scalar(operand)?;
        let node = match operand.node {
            Node::I64(node) => {
                let range = IntegerRange::of(ty.kind);
                match node {
                    I64Expr::Const(Some(value)) if value != i64::MIN && range.holds(-value) => {
                        Node::I64(I64Expr::Const(Some(-value)))
                    }
                    node => Node::I64(I64Expr::Negate(Box::new((node, range)))),
                }
            }
            Node::F64(node) => Node::F64(F64Expr::Negate(Box::new(node))),
            Node::I128(node) => Node::I128(I128Expr::Negate(Box::new(node))),
            Node::Bytes(_) => panic!("the binder does not negate strings"),
        };
        Ok(Scalar { ty, node })
    }

    fn like(&mut self, value: &Expr, pattern: &Expr, escape: Option<&Expr>) -> SqlResult<I64Expr> {
        let pattern_ty = pattern.ty;
        let ty = value.ty;
        let of_outer = self.in_query && escape.is_none() && is_of_outer(pattern);
        let value = into_bytes(self.scalar(value)?);
        let pattern = into_bytes(self.scalar(pattern)?);
        let escape = match escape {
            None => None,
            Some(escape) => Some(into_bytes(self.scalar(escape)?)),
        };
        // A constant pattern is compiled once; one that is not valid is refused when the row comes.
        let compiled = match (&pattern, &escape) {
            (BytesExpr::Const(Some(pattern)), None) => {
                LikePattern::new(&pattern_ty, pattern, None, &mut Pacer::none()).ok()
            }
            (BytesExpr::Const(Some(pattern)), Some(BytesExpr::Const(Some(escape)))) => {
                LikePattern::new(&pattern_ty, pattern, Some(escape), &mut Pacer::none()).ok()
            }
            _ => None,
        };
        let (last, asked) = (RefCell::default(), Cell::new(NEVER));
        let like = Like { ty, value, pattern, escape, compiled, last, of_outer, asked };
        Ok(I64Expr::Like(Box::new(like)))
    }

    fn case(&mut self, branches: &[(Expr, Expr)], otherwise: Option<&Expr>, ty: SqlType) -> SqlResult<Scalar> {
        let branches = branches
            .iter()
            .map(|(condition, result)| Ok((self.predicate(condition)?, self.scalar(result)?)))
            .collect::<SqlResult<Vec<_>>>()?;
        let otherwise = match otherwise {
            None => None,
            Some(otherwise) => Some(self.scalar(otherwise)?),
        };
        Ok(Scalar::general(ty, General::Case { branches: branches.into(), otherwise }))
    }

    fn predicates(&mut self, terms: &[Expr]) -> SqlResult<Box<[I64Expr]>> {
        terms.iter().map(|term| self.predicate(term)).collect()
    }

    fn arithmetic(&mut self, op: ArithmeticOp, left: &Expr, right: &Expr, ty: SqlType) -> SqlResult<Scalar> {
        if ty.physical() == Physical::Bytes {
            let mut parts = Vec::new();
            self.concat_parts(left, &mut parts)?;
            self.concat_parts(right, &mut parts)?;
            return Ok(Scalar { ty, node: Node::Bytes(BytesExpr::Concat(parts.into(), ty)) });
        }
        let (left_ty, right_ty) = (left.ty, right.ty);
        let (left, right) = (self.scalar(left)?, self.scalar(right)?);
        let node = match (left.node, right.node) {
            (Node::I64(left), Node::I64(right)) if ty.is_integer() || ty.kind == TypeKind::Bit => {
                let range = IntegerRange::of(ty.kind);
                Node::I64(I64Expr::Arithmetic(Box::new(IntegerArithmetic { op, range, left, right })))
            }
            (Node::I64(left), Node::I64(right)) => match ty.kind {
                TypeKind::Money | TypeKind::SmallMoney => Node::I64(I64Expr::Money(Box::new((op, ty, left, right)))),
                _ => {
                    let arguments = [
                        Scalar { ty: left_ty, node: Node::I64(left) },
                        Scalar { ty: right_ty, node: Node::I64(right) },
                    ];
                    return Ok(functions::datetime_arithmetic(op, arguments, ty));
                }
            },
            (Node::F64(left), Node::F64(right)) => {
                let real = ty.kind == TypeKind::Real;
                Node::F64(F64Expr::Arithmetic(Box::new((op, left, right)), real))
            }
            (Node::I128(left), Node::I128(right)) => {
                let kernel = kernel::decimal_kernel(op, &left_ty, &right_ty, &ty);
                let may_round = kernel.may_round();
                Node::I128(I128Expr::Decimal(Box::new(DecimalArithmetic { kernel, may_round, left, right })))
            }
            _ => panic!("operands of {op:?} in different classes: {:?} and {:?}", left_ty.kind, right_ty.kind),
        };
        Ok(Scalar { ty, node })
    }

    /// A chain `a + b + c` becomes one node, however long it is.
    fn concat_parts(&mut self, expr: &Expr, parts: &mut Vec<BytesExpr>) -> SqlResult<()> {
        // A chain is left-deep: its spine is walked without recursion.
        let mut spine = Vec::new();
        let mut at = expr;
        while let ExprKind::Arithmetic(ArithmeticOp::Add, left, right) = &at.kind {
            // A part that its own type may cut short has to be made on its own.
            if !at.ty.is_max() && at.ty.length as u32 >= 8000 {
                break;
            }
            spine.push(&**right);
            at = left;
        }
        parts.push(into_bytes(self.scalar(at)?));
        for right in spine.into_iter().rev() {
            parts.push(into_bytes(self.scalar(right)?));
        }
        Ok(())
    }

    fn subquery(&mut self, subquery: &plan::Subquery, ty: SqlType) -> SqlResult<Scalar> {
        let kind = match &subquery.kind {
            plan::SubqueryKind::Scalar => SubqueryKind::Scalar,
            plan::SubqueryKind::Last => SubqueryKind::Last,
            plan::SubqueryKind::Exists => SubqueryKind::Exists,
            plan::SubqueryKind::Any { value, op } => SubqueryKind::Any { value: self.scalar(value)?, op: *op },
            plan::SubqueryKind::All { value, op } => SubqueryKind::All { value: self.scalar(value)?, op: *op },
        };
        self.keeps |= matches!(kind, SubqueryKind::Any { .. } | SubqueryKind::All { .. });
        let bindings = subquery
            .bindings
            .iter()
            .map(|(slot, value)| Ok((*slot, self.scalar(value)?)))
            .collect::<SqlResult<Vec<_>>>()?;
        let slots = || subquery.bindings.iter().map(|(slot, _)| *slot);
        let (source, reads) = self.reading(slots(), |compiler| (compiler.plan_source)(&subquery.plan, compiler))?;
        // A slot of another row may change while this one's stay.
        let is_told = slots().count() > 0 && reads.slots.iter().all(|slot| slots().any(|own| own == *slot));
        let memo = (self.in_query && !reads.varies && is_told).then(Box::default);
        let batch = RowBatch::new(subquery.plan.columns.iter().map(|column| column.ty.physical()));
        let kept_rows = Default::default();
        let state =
            SubqueryState { source, bindings: bindings.into(), kind, batch, opened_in: 0, kept: None, kept_rows, memo };
        Ok(Scalar::general(ty, General::Subquery(RefCell::new(state))))
    }
}

/// It reads rows around this one, and no other.
fn is_of_outer(expr: &Expr) -> bool {
    use ExprKind::{Column, Mask, Outer, Subquery};
    let by_row = expr.any(&mut |part| matches!(part.kind, Column(_) | Subquery(_) | Mask(_)));
    !by_row && !expr.is_volatile() && expr.any(&mut |part| matches!(part.kind, Outer(_)))
}

fn into_bytes(scalar: Scalar) -> BytesExpr {
    match scalar.node {
        Node::Bytes(node) => node,
        _ => panic!("a string expected, found {:?}", scalar.ty.kind),
    }
}

/// Operands have one type.
pub fn comparison(op: CompareOp, null_equal: bool, left: Scalar, right: Scalar, ty: SqlType) -> I64Expr {
    match (left.node, right.node) {
        (Node::I64(left), Node::I64(right)) => {
            I64Expr::CompareI64(Box::new(Comparison { op, null_equal, left, right }))
        }
        (Node::F64(left), Node::F64(right)) => {
            I64Expr::CompareF64(Box::new(Comparison { op, null_equal, left, right }))
        }
        (Node::I128(left), Node::I128(right)) => {
            I64Expr::CompareI128(Box::new((Comparison { op, null_equal, left, right }, ValueComparer::new(&ty))))
        }
        (Node::Bytes(left), Node::Bytes(right)) => {
            I64Expr::CompareBytes(Box::new((Comparison { op, null_equal, left, right }, ValueComparer::new(&ty))))
        }
        _ => panic!("a comparison of two classes"),
    }
}

fn in_list(value: Scalar, list: Vec<Scalar>) -> I64Expr {
    let constants: Option<Vec<Datum>> = list.iter().map(Scalar::as_constant).collect();
    match (value.node, constants) {
        (Node::I64(value), Some(constants)) => {
            let with_null = constants.iter().any(Datum::is_null);
            let mut sorted: Vec<i64> = constants.iter().filter(|d| !d.is_null()).map(Datum::as_i64).collect();
            sorted.sort_unstable();
            I64Expr::InConstants { value: Box::new(value), sorted: sorted.into(), with_null }
        }
        (node, Some(constants))
            if constants.len() >= InKeys::ITEMS_MIN
                && !value.ty.is_binary()
                && value.ty.kind != TypeKind::SqlVariant =>
        {
            I64Expr::InKeys(Box::new(InKeys::new(Scalar { ty: value.ty, node }, &constants)))
        }
        (node, _) => I64Expr::InList(Box::new(InList::new(Scalar { ty: value.ty, node }, list))),
    }
}

/// Conversions that are nothing but another look at the same bits need no node; integers have their own.
fn conversion(value: Scalar, ty: SqlType, style: Option<Scalar>, attempt: bool, explicit: bool) -> Scalar {
    let from = value.ty;
    let whole = |ty: SqlType| ty.is_integer() || ty.kind == TypeKind::Bit;
    match value.node {
        Node::I64(node) if !attempt && whole(from) && ty.is_integer() => {
            let (of, to) = (IntegerRange::of(from.kind), IntegerRange::of(ty.kind));
            let narrower = of.min < to.min || of.max > to.max;
            let node = if let I64Expr::Const(Some(value)) = node
                && to.holds(value)
            {
                I64Expr::Const(Some(value))
            } else if narrower {
                I64Expr::Narrow(Box::new((node, to)))
            } else {
                node
            };
            Scalar { ty, node: Node::I64(node) }
        }
        Node::I64(node) if whole(from) && matches!(ty.kind, TypeKind::Float | TypeKind::Real) => {
            let real = ty.kind == TypeKind::Real;
            Scalar { ty, node: Node::F64(F64Expr::FromI64(Box::new(node), real)) }
        }
        node => {
            let value = Scalar { ty: from, node };
            if from == ty && style.is_none() {
                return value;
            }
            let widens = from.kind == ty.kind
                && from.collation == ty.collation
                && matches!(ty.kind, TypeKind::VarChar | TypeKind::NVarChar | TypeKind::VarBinary)
                && ty.length >= from.length;
            match value.node {
                node if widens => Scalar { ty, node },
                Node::I64(I64Expr::Const(None)) if style.is_none() => Scalar::constant(ty, &Datum::Null),
                node => {
                    let value = Scalar { ty: from, node };
                    Scalar::general(ty, General::Convert(Conversion { value, to: ty, style, attempt, explicit }))
                }
            }
        }
    }
}
