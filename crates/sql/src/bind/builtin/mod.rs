//! Calls of built-in functions: arguments converted to what the function takes, the result typed, in one function a family.

mod data;
mod datetime;
mod math;
pub mod regexp;
mod system;
mod text;

use types::precedence::check_conversion;
use types::{CollationId, Datum, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::collating;
use super::convert::{converted, implicit, typing_wide};
use super::errors;
use super::typing::is_null_literal;
use crate::function::FunctionId;
use crate::plan::{Expr, ExprKind};

/// A call on its way to being typed.
struct BuiltinCall<'a, 'b> {
    binder: &'a Binder<'b>,
    function: FunctionId,
    name: &'a str,
    args: Vec<Expr>,
    /// Of the database.
    collation: CollationId,
    any_null: bool,
    /// The result may be NULL, as most may whatever their arguments are.
    nullable: bool,
}

/// Converts the arguments of its own functions and says their result's type; None: another family's.
type Family = fn(&mut BuiltinCall) -> SqlResult<Option<SqlType>>;

const FAMILIES: &[Family] = &[
    text::text,
    text::measure,
    regexp::regexp,
    regexp::distance,
    math::math,
    math::bits,
    datetime::datetime,
    data::variants,
    data::bytes,
    system::session,
    system::metadata,
];

impl Binder<'_> {
    pub fn builtin(&mut self, function: FunctionId, name: &str, mut args: Vec<Expr>) -> SqlResult<Expr> {
        let any_null = args.iter().any(|e| e.nullable);
        if reads_json(function) && args.first().is_some_and(|document| document.ty.is_json()) {
            let document = args.remove(0);
            return self.of_document(function, name, document, args);
        }
        let collation = self.catalog.collation();
        let mut call = BuiltinCall { binder: self, function, name, args, collation, any_null, nullable: true };
        for family in FAMILIES {
            if let Some(ty) = family(&mut call)? {
                return Ok(call.of_type(ty));
            }
        }
        // The rest look names up: nvarchar in, int out.
        for i in 0..call.args.len() {
            if call.args[i].ty.is_string() || is_null_literal(&call.args[i]) {
                call.take(i, call.wide(1035))?;
            } else {
                call.assignable(i, &SqlType::nvarchar(1))?;
            }
        }
        Ok(call.of_type(SqlType::INT))
    }
}

impl BuiltinCall<'_, '_> {
    fn of_type(self, ty: SqlType) -> Expr {
        Expr::new(ty, self.nullable, ExprKind::Function(self.function, self.args))
    }

    /// The result is NULL where an argument is, and only there.
    fn null_from_arguments(&mut self) {
        self.nullable = self.any_null;
    }

    fn varchar(&self, units: u16) -> SqlType {
        SqlType::varchar(units).with_collation(self.collation)
    }

    fn wide(&self, units: u16) -> SqlType {
        SqlType::nvarchar(units).with_collation(self.collation)
    }

    fn sysname(&self) -> SqlType {
        self.wide(128)
    }

    /// An argument, if it is given, as `ty`: 206 and 257 as for a value that is assigned.
    fn take(&mut self, i: usize, ty: SqlType) -> SqlResult<()> {
        if i < self.args.len() {
            let taken = std::mem::replace(&mut self.args[i], Expr::null(SqlType::INT));
            self.args[i] = implicit(taken, &ty)?;
        }
        Ok(())
    }

    /// 206, 257: no value of the argument's type could be assigned to a `ty`.
    fn assignable(&self, i: usize, ty: &SqlType) -> SqlResult<()> {
        match self.args.get(i).filter(|given| !is_null_literal(given)) {
            Some(given) => check_conversion(&given.ty, ty, false),
            None => Ok(()),
        }
    }

    /// How many, or where: an int for whoever gives it, kept whole so that too many are too many.
    fn count(&mut self, i: usize) -> SqlResult<()> {
        self.assignable(i, &SqlType::INT)?;
        self.take(i, SqlType::BIGINT)
    }

    /// As `count`, but of what is a number already: 8116.
    fn place(&mut self, i: usize, taken: fn(TypeKind) -> bool) -> SqlResult<()> {
        match self.args.get(i) {
            Some(given) if !is_null_literal(given) && !taken(given.ty.kind) => {
                Err(errors::invalid_argument(&given.ty, i + 1, self.name))
            }
            _ => self.take(i, SqlType::BIGINT),
        }
    }

    /// 8116 for an argument, if it is given, that is not of the kinds.
    fn only(&self, i: usize, takes: fn(TypeKind) -> bool) -> SqlResult<()> {
        match self.args.get(i) {
            Some(given) if !is_null_literal(given) && !takes(given.ty.kind) => {
                Err(errors::invalid_argument(&given.ty, i + 1, self.name))
            }
            _ => Ok(()),
        }
    }

    /// 8116: NULL itself is no argument.
    fn given(&self, i: usize) -> SqlResult<()> {
        match self.args.get(i).is_some_and(is_null_literal) {
            true => Err(sql_error!(8116, "NULL", i + 1, errors::shown_function(self.name))),
            false => Ok(()),
        }
    }

    fn take_all(&mut self, ty: SqlType) -> SqlResult<()> {
        (0..self.args.len()).try_for_each(|i| self.take(i, ty))
    }

    /// All string arguments in `which` as strings of one kind. What becomes nvarchar is cut at its 4,000 characters, unless one of
    /// the arguments is a (max) type.
    fn strings(&mut self, which: &[usize]) -> SqlResult<()> {
        let is_long = which.iter().any(|&i| self.args.get(i).is_some_and(|e| e.ty.is_max()));
        self.strings_widened(which, if is_long { typing_wide } else { typing_wide_cut })
    }

    /// As `strings`, but of no text, ntext and image.
    fn short_strings(&mut self, which: &[usize]) -> SqlResult<()> {
        which.iter().try_for_each(|&i| self.only(i, |kind| !is_old_text(kind)))?;
        self.strings(which)
    }

    /// As `strings`, but nothing is cut: for functions that look for something in a string.
    fn whole_strings(&mut self, which: &[usize]) -> SqlResult<()> {
        self.strings_widened(which, typing_wide)
    }

    fn strings_widened(&mut self, which: &[usize], widened: fn(&SqlType) -> SqlType) -> SqlResult<()> {
        let which: Vec<usize> = which.iter().copied().filter(|&i| i < self.args.len()).collect();
        for &i in &which {
            let taken = std::mem::replace(&mut self.args[i], Expr::null(SqlType::INT));
            self.args[i] = self.binder.as_string(taken, i + 1, self.name)?;
        }
        let wide = which.iter().any(|&i| self.args[i].ty.is_unicode_string());
        let mut best: Option<usize> = None;
        for &i in &which {
            let (columns, name) = (&self.binder.columns, errors::shown_function(self.name));
            let puts_together = matches!(self.function, FunctionId::Concat | FunctionId::ConcatWs);
            if !puts_together && which.len() == 1 && collating::conflict(&self.args[i], columns).is_some() {
                return Err(sql_error!(4191, name));
            }
            best = Some(match best {
                None => i,
                Some(b) => {
                    let (known, other) = (&self.args[b], &self.args[i]);
                    match puts_together {
                        true => collating::made_collation(known, other, &name, columns)?,
                        false => collating::common_collation(known, other, &name, columns)?,
                    };
                    if collating::collation_rank(other, columns) > collating::collation_rank(known, columns) {
                        i
                    } else {
                        b
                    }
                }
            });
        }
        let Some(best) = best else { return Ok(()) };
        let collation = self.args[best].ty.collation;
        for i in which {
            let mut ty = self.args[i].ty;
            if wide && !ty.is_unicode_string() {
                ty = widened(&ty);
            }
            ty.collation = collation;
            let taken = std::mem::replace(&mut self.args[i], Expr::null(SqlType::INT));
            self.args[i] = converted(taken, &ty, false);
        }
        Ok(())
    }

    /// An argument that must be a number, as `to`.
    fn number(&mut self, i: usize, to: SqlType) -> SqlResult<()> {
        self.assignable(i, &SqlType::FLOAT)?;
        let taken = std::mem::replace(&mut self.args[i], Expr::null(SqlType::INT));
        self.args[i] = implicit(taken, &to)?;
        Ok(())
    }
}

fn is_text(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::Char | TypeKind::VarChar | TypeKind::NChar | TypeKind::NVarChar)
}

/// It takes a document of the type json as it takes its text.
fn reads_json(function: FunctionId) -> bool {
    use FunctionId::{Isjson, JsonModify, JsonPathExists, JsonQuery, JsonValue};
    matches!(function, Isjson | JsonModify | JsonPathExists | JsonQuery | JsonValue)
}

fn is_bytes(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::Binary | TypeKind::VarBinary)
}

fn is_whole(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt)
}

/// What says where in a string something is, and how much of it.
fn is_position(kind: TypeKind) -> bool {
    is_whole(kind) || matches!(kind, TypeKind::Decimal | TypeKind::Numeric)
}

/// A number that is no amount and no flag.
fn is_measure(kind: TypeKind) -> bool {
    is_position(kind) || matches!(kind, TypeKind::Float | TypeKind::Real)
}

fn is_old_text(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::Text | TypeKind::NText | TypeKind::Image)
}

/// The value of an integer literal.
fn literal_count(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Literal(Datum::I64(n)) => Some(*n),
        _ => None,
    }
}

/// nchar or nvarchar of as many characters, at most 4,000.
fn typing_wide_cut(ty: &SqlType) -> SqlType {
    let wide = typing_wide(ty);
    if wide.is_max() && !ty.is_max() { SqlType { length: 8000, ..wide } } else { wide }
}

/// char to varchar of the same length, and so on.
pub fn varying(ty: &SqlType) -> SqlType {
    let kind = match ty.kind {
        TypeKind::Char => TypeKind::VarChar,
        TypeKind::NChar => TypeKind::NVarChar,
        TypeKind::Binary | TypeKind::RowVersion => TypeKind::VarBinary,
        kind => kind,
    };
    SqlType { kind, ..*ty }
}
