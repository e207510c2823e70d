//! Regular expressions, and distances of strings: their arguments are strings as they are, nothing is converted but the numbers.

use types::{SqlResult, SqlType, TypeKind};

use super::{BuiltinCall, varying};
use crate::bind::convert::common_collation;
use crate::bind::errors;
use crate::bind::typing::is_null_literal;
use crate::function::FunctionId;

pub fn regexp(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    let flags = match call.function {
        RegexpLike => 2,
        RegexpCount => 3,
        RegexpReplace => 5,
        RegexpSubstr => 4,
        RegexpInstr => 5,
        _ => return Ok(None),
    };
    let is_replace = call.function == RegexpReplace;
    for i in 0..call.args.len() {
        match i {
            0 => call.regexp_text(i, |_| true)?,
            1 => call.regexp_text(i, |ty| !ty.is_max())?,
            2 if is_replace => call.regexp_text(i, |_| true)?,
            i if i == flags => call.regexp_text(i, |ty| !ty.is_unicode_string() && !ty.is_max())?,
            i => {
                let ty = call.args[i].ty;
                if !(ty.is_integer() || ty.is_string() || is_null_literal(&call.args[i])) {
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
pub fn distance(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
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
