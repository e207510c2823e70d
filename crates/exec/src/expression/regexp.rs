//! REGEXP_LIKE, REGEXP_REPLACE, REGEXP_SUBSTR, REGEXP_INSTR and REGEXP_COUNT. The compiled pattern is kept from row to row.
//!
//! Where a search starts is counted in characters; what REGEXP_INSTR answers, in UTF-16 code units of nvarchar, as all functions do.
//!
//! https://learn.microsoft.com/sql/t-sql/functions/regular-expressions-functions-transact-sql

use std::cell::RefCell;
use std::sync::Arc;

use sql::function::FunctionId;
use types::pause::{CHARACTER, Pacer};
use types::{Datum, SqlError, SqlResult, SqlType, convert, sql_error};

use super::Scalar;
use crate::context::{Context, out_of_memory};
use crate::kernel;
use crate::regexp::{Caller, Flags, Pattern};
use crate::value::{Row, Value};

/// Characters that a result of no (max) type takes.
const SHORT_RESULT: usize = 8000;

pub struct RegexpCall {
    function: FunctionId,
    arguments: Box<[Scalar]>,
    ty: SqlType,
    kept: RefCell<Option<Compiled>>,
}

/// A pattern as it was given, and what became of it.
pub struct Compiled {
    text: String,
    flags: Flags,
    pattern: Arc<Pattern>,
}

/// The pattern of the last row, if it is the same.
pub fn compiled(kept: &mut Option<Compiled>, text: String, flags: &str, caller: Caller) -> SqlResult<Arc<Pattern>> {
    let flags = Flags::parse(flags)?;
    match kept {
        Some(last) if last.text == text && last.flags == flags => Ok(last.pattern.clone()),
        _ => {
            let pattern = Arc::new(Pattern::compile(&text, flags, caller)?);
            *kept = Some(Compiled { text, flags, pattern: pattern.clone() });
            Ok(pattern)
        }
    }
}

/// Arguments of a function that counts positions, by their places; what is not given has its default.
struct Places {
    start: Option<usize>,
    occurrence: Option<usize>,
    option: Option<usize>,
    flags: usize,
    group: Option<usize>,
}

fn places(function: FunctionId) -> Places {
    let none = Places { start: None, occurrence: None, option: None, flags: 2, group: None };
    match function {
        FunctionId::RegexpReplace => Places { start: Some(3), occurrence: Some(4), flags: 5, ..none },
        FunctionId::RegexpSubstr => Places { start: Some(2), occurrence: Some(3), flags: 4, group: Some(5), ..none },
        FunctionId::RegexpInstr => {
            Places { start: Some(2), occurrence: Some(3), option: Some(4), flags: 5, group: Some(6) }
        }
        FunctionId::RegexpCount => Places { start: Some(2), flags: 3, ..none },
        _ => none,
    }
}

/// 19301. Its state tells the function and the argument.
#[cold]
fn below(argument: &str, least: i64, given: i64, function: FunctionId, state: u8) -> SqlError {
    sql_error!(19301, state state, argument, least, given, function.name())
}

impl RegexpCall {
    pub fn new(function: FunctionId, arguments: Vec<Scalar>, ty: SqlType) -> RegexpCall {
        RegexpCall { function, arguments: arguments.into(), ty, kept: RefCell::new(None) }
    }

    fn text(&self, at: usize, context: &Context, row: Row<'_>) -> SqlResult<Option<String>> {
        let argument = &self.arguments[at];
        let Some(bytes) = argument.value(context, row)?.bytes() else { return Ok(None) };
        convert::text_of_paced(&bytes, &argument.ty, &mut context.pacer()).map(Some)
    }

    /// A whole number, or the default of one that is not given.
    fn number(&self, at: Option<usize>, default: i64, context: &Context, row: Row<'_>) -> SqlResult<Option<i64>> {
        match at.and_then(|at| self.arguments.get(at)) {
            Some(argument) => Ok(argument.value(context, row)?.i64()),
            None => Ok(Some(default)),
        }
    }

    pub fn eval<'a>(&self, context: &'a Context, row: Row<'_>) -> SqlResult<Value<'a>> {
        let places = places(self.function);
        let Some(text) = self.text(0, context, row)? else { return Ok(Value::Null) };
        let Some(pattern) = self.text(1, context, row)? else { return Ok(Value::Null) };
        let is_replace = self.function == FunctionId::RegexpReplace;
        let with = match is_replace && self.arguments.len() > 2 {
            true => self.text(2, context, row)?,
            false => Some(String::new()),
        };
        let Some(with) = with else { return Ok(Value::Null) };
        let Some(start) = self.number(places.start, 1, context, row)? else { return Ok(Value::Null) };
        let all = if is_replace { 0 } else { 1 };
        let Some(occurrence) = self.number(places.occurrence, all, context, row)? else { return Ok(Value::Null) };
        // NULL counts as not given there, other than all else.
        let option = self.number(places.option, 0, context, row)?.unwrap_or(0);
        let flags = match self.arguments.len() > places.flags {
            true => self.text(places.flags, context, row)?,
            false => Some(String::new()),
        };
        let Some(flags) = flags else { return Ok(Value::Null) };
        let Some(group) = self.number(places.group, 0, context, row)? else { return Ok(Value::Null) };
        self.check(start, occurrence, option, group)?;
        let is_empty = pattern.is_empty();
        let pattern = compiled(&mut self.kept.borrow_mut(), pattern, &flags, Caller::Scalar)?;
        let asked = Asked {
            function: self.function,
            ty: self.ty,
            wide: self.arguments[0].ty.is_unicode_string(),
            is_empty,
            start,
            occurrence,
            from_end: option == 1,
            group: usize::try_from(group).unwrap_or(usize::MAX),
        };
        // The text goes where the work is done.
        context.away(text.len(), move |pacer| asked.answer(&pattern, &text, &with, pacer)).map(Value::from_owned)
    }

    /// 19301
    fn check(&self, start: i64, occurrence: i64, option: i64, group: i64) -> SqlResult<()> {
        let function = self.function;
        let (start_state, occurrence_state, group_state, least_group) = match function {
            FunctionId::RegexpCount => (0, 0, 0, 0),
            FunctionId::RegexpReplace => (1, 2, 0, 0),
            FunctionId::RegexpInstr => (3, 4, 5, 1),
            _ => (7, 8, 9, 0),
        };
        let least = if function == FunctionId::RegexpReplace { 0 } else { 1 };
        if start < 1 {
            return Err(below("START", 1, start, function, start_state));
        }
        if occurrence < least {
            return Err(below("OCCURRENCE", least, occurrence, function, occurrence_state));
        }
        if !(0..=1).contains(&option) {
            return Err(below("RETURN_OPTION", 0, option, function, 6));
        }
        if group < 0 {
            return Err(below("GROUP", least_group, group, function, group_state));
        }
        Ok(())
    }
}

/// What is asked of a text, all of it known and checked.
struct Asked {
    function: FunctionId,
    ty: SqlType,
    /// Positions are those of nvarchar.
    wide: bool,
    /// The pattern has no characters.
    is_empty: bool,
    start: i64,
    occurrence: i64,
    from_end: bool,
    group: usize,
}

impl Asked {
    fn answer(&self, pattern: &Pattern, text: &str, with: &str, pacer: &mut Pacer<'_>) -> SqlResult<Datum> {
        let from = byte_of(text, self.start, pacer)?;
        match self.function {
            FunctionId::RegexpLike => Ok(Datum::I64(pattern.search(text, 0).any(pacer)?.into())),
            FunctionId::RegexpCount => {
                let Some(from) = from else { return Ok(Datum::I64(0)) };
                let (mut search, mut count) = (pattern.search(text, 0).from(from), 0);
                while search.next(pacer)? {
                    count += 1;
                }
                Ok(Datum::I64(count))
            }
            FunctionId::RegexpReplace => match from {
                // An empty pattern stands for none.
                Some(from) if !self.is_empty => {
                    let limit = if self.ty.is_max() { kernel::VALUE_BYTES_MAX } else { SHORT_RESULT * 4 };
                    let replaced = replaced(pattern, text, from, self.occurrence, with, limit, pacer)?;
                    convert::text_datum_paced(&replaced, &self.ty, pacer)
                }
                _ => convert::text_datum_paced(text, &self.ty, pacer),
            },
            _ => {
                let none = if self.function == FunctionId::RegexpInstr { Datum::I64(0) } else { Datum::Null };
                let Some(from) = from.filter(|_| self.group <= pattern.groups) else { return Ok(none) };
                let mut search = pattern.search(text, self.group).from(from);
                for _ in 0..self.occurrence {
                    if !search.next(pacer)? {
                        return Ok(none);
                    }
                }
                let Some((start, end)) = search.group(self.group) else { return Ok(none) };
                if self.function == FunctionId::RegexpSubstr {
                    return convert::text_datum_paced(&text[start..end], &self.ty, pacer);
                }
                let at = if self.from_end { end } else { start };
                Ok(Datum::I64(units(&text[..at], self.wide, pacer)? + 1))
            }
        }
    }
}

/// The byte at which the character of this number begins, from 1. None: the text is shorter.
fn byte_of(text: &str, character: i64, pacer: &mut Pacer<'_>) -> SqlResult<Option<usize>> {
    let mut left = character - 1;
    for (at, _) in text.char_indices() {
        if left == 0 {
            return Ok(Some(at));
        }
        left -= 1;
        pacer.spend(1)?;
    }
    // Of an empty text the first character is its end.
    Ok((left == 0 && text.is_empty()).then_some(0))
}

/// Positions of `text`.
fn units(text: &str, wide: bool, pacer: &mut Pacer<'_>) -> SqlResult<i64> {
    let mut count = 0;
    for c in text.chars() {
        count += if wide { c.len_utf16() as i64 } else { 1 };
        pacer.spend(1)?;
    }
    Ok(count)
}

/// A piece of a replacement.
enum Piece {
    Text(String),
    Group(usize),
}

/// `\\1` to `\\9` are groups, `&` is the whole match; `\\` before another of these signs is that sign.
fn pieces(with: &str) -> Vec<Piece> {
    let (mut pieces, mut text) = (Vec::new(), String::new());
    let mut push = |piece: Piece, text: &mut String| {
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(text)));
        }
        pieces.push(piece);
    };
    let mut chars = with.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek().copied()) {
            ('&', _) => push(Piece::Group(0), &mut text),
            ('\\', Some(digit @ '1'..='9')) => {
                chars.next();
                push(Piece::Group(digit as usize - '0' as usize), &mut text);
            }
            ('\\', Some(sign @ ('\\' | '&'))) => {
                chars.next();
                text.push(sign);
            }
            (c, _) => text.push(c),
        }
    }
    push(Piece::Text(String::new()), &mut text);
    pieces
}

/// `limit`: of the result's bytes; what is more is cut where it is no (max) type, else 701.
fn replaced(
    pattern: &Pattern,
    text: &str,
    from: usize,
    occurrence: i64,
    with: &str,
    limit: usize,
    pacer: &mut Pacer<'_>,
) -> SqlResult<String> {
    let pieces = pieces(with);
    let groups = pieces.iter().map(|piece| if let Piece::Group(group) = piece { *group } else { 0 }).max();
    let mut search = pattern.search(text, groups.unwrap_or(0)).from(from);
    let (mut out, mut at, mut number) = (Vec::new(), 0, 0);
    while search.next(pacer)? {
        number += 1;
        if occurrence > 0 && number < occurrence {
            continue;
        }
        let (start, end) = search.group(0).expect("the whole match");
        pacer.copy(&text.as_bytes()[at..start], &mut out)?;
        for piece in &pieces {
            pacer.spend(CHARACTER)?;
            match piece {
                Piece::Text(own) => pacer.copy(own.as_bytes(), &mut out)?,
                Piece::Group(group) => {
                    let (start, end) = search.group(*group).unwrap_or((0, 0));
                    pacer.copy(&text.as_bytes()[start..end], &mut out)?;
                }
            }
        }
        at = end;
        if out.len() > limit {
            if limit == kernel::VALUE_BYTES_MAX {
                return Err(out_of_memory());
            }
            break;
        }
        if occurrence > 0 {
            break;
        }
    }
    pacer.copy(&text.as_bytes()[at..], &mut out)?;
    Ok(String::from_utf8(out).expect("made of whole characters"))
}
