//! Regular expressions, and distances of strings: their arguments are strings as they are, nothing is converted but the numbers.

use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::{BuiltinCall, varying};
use crate::bind::collating::common_collation;
use crate::bind::errors;
use crate::bind::typing::is_null_literal;
use crate::function::FunctionId;

/// What 8116 calls the types that a pattern cannot have.
pub const LONG_TEXT: &str = "VARCHAR(MAX)/NVARCHAR(MAX)";

pub(super) fn regexp(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    // Where the flags stand, and the state of an error about a pattern that is too long a type.
    let (flags, long) = match call.function {
        RegexpLike => (2, 15),
        RegexpCount => (3, 13),
        RegexpReplace => (5, 17),
        RegexpSubstr => (4, 19),
        RegexpInstr => (5, 21),
        _ => return Ok(None),
    };
    let is_replace = call.function == RegexpReplace;
    for i in 0..call.args.len() {
        match i {
            0 => call.regexp_text(i, |_| true)?,
            1 => {
                call.not_long(i, long)?;
                call.regexp_text(i, |_| true)?
            }
            2 if is_replace => call.regexp_text(i, |_| true)?,
            i if i == flags => {
                call.regexp_text(i, |ty| !ty.is_unicode_string())?;
                call.not_long(i, long + 1)?
            }
            i => {
                let ty = call.args[i].ty;
                let whole = matches!(ty.kind, TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt);
                if !(whole || ty.is_string() || is_null_literal(&call.args[i])) {
                    return Err(errors::invalid_argument(&ty, i + 1, call.name));
                }
                call.take(i, SqlType::INT)?;
            }
        }
    }
    common_collation(&call.args[0], &call.args[1], &call.name.to_ascii_lowercase(), &call.binder.columns)?;
    let source = call.args[0].ty;
    Ok(Some(match call.function {
        RegexpLike => SqlType::BIT,
        RegexpReplace => {
            let long = source.is_max() || call.args.get(2).is_some_and(|with| with.ty.is_max());
            SqlType { length: if long { types::MAX_LENGTH } else { 8000 }, ..varying(&source) }
        }
        RegexpSubstr => varying(&source),
        _ => SqlType::INT,
    }))
}

/// EDIT_DISTANCE and its kin. They take no (max) types.
pub(super) fn distance(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    let ty = match call.function {
        EditDistance | EditDistanceSimilarity | JaroWinklerSimilarity => SqlType::INT,
        JaroWinklerDistance => SqlType::FLOAT,
        _ => return Ok(None),
    };
    for i in 0..2 {
        call.regexp_text(i, |ty| !ty.is_max())?;
    }
    call.strings(&[0, 1])?;
    call.take(2, SqlType::INT)?;
    Ok(Some(ty))
}

impl BuiltinCall<'_, '_> {
    /// 8116: a (max) type cannot stand there.
    fn not_long(&self, i: usize, state: u8) -> SqlResult<()> {
        match self.args[i].ty.is_string() && self.args[i].ty.is_max() {
            true => Err(sql_error!(8116, state state, LONG_TEXT, i + 1, errors::shown_function(self.name))),
            false => Ok(()),
        }
    }

    /// 8116: the argument is no string, or none that may stand there.
    fn regexp_text(&mut self, i: usize, fits: impl Fn(&SqlType) -> bool) -> SqlResult<()> {
        if is_null_literal(&self.args[i]) {
            let taken = std::mem::replace(&mut self.args[i], crate::plan::Expr::null(SqlType::INT));
            self.args[i] = self.binder.as_string(taken, i + 1, self.name)?;
            return Ok(());
        }
        let ty = self.args[i].ty;
        let string = matches!(ty.kind, TypeKind::Char | TypeKind::VarChar | TypeKind::NChar | TypeKind::NVarChar);
        if string && fits(&ty) { Ok(()) } else { Err(errors::invalid_argument(&ty, i + 1, self.name)) }
    }
}
