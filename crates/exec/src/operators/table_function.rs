//! Table-valued functions: STRING_SPLIT, GENERATE_SERIES, OPENJSON, those of regular expressions, and multi-statement functions of users.

use std::sync::Arc;

use sql::catalog::ModuleDef;
use sql::function::FunctionId;
use sql::plan::{Expr, OpenXmlColumn, Operator, TableFunction};
use types::collation::{self, Chars};
use types::pause::{CHARACTER, Pacer};
use types::{Datum, Physical, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use xml::query::Method;

use super::batch_of;
use super::open_xml;
use super::simple::Pending;
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::regexp::{self, Compiled};
use crate::expression::{Compiler, Scalar, XmlCall, functions, json};
use crate::memory_table::{MemoryRows, MemoryTable};
use crate::regexp::{Caller, Pattern};
use crate::workspace::Held;

/// A batch of long pieces ends behind so many bytes.
const BATCH_BYTES: usize = 1 << 20;

/// Work for a row.
const ROW: usize = 16 * CHARACTER;

enum Kind {
    Matches,
    RegexpSplit,
    Json(Vec<(Box<str>, bool)>),
    JsonAll,
    Nodes(Box<XmlCall>),
    OpenXml(Vec<OpenXmlColumn>),
}

/// A function that gives all its rows at once.
struct Whole {
    kind: Kind,
    arguments: Vec<Scalar>,
    rows: Pending,
    held: Held,
    /// Of the regular expressions.
    pattern: Option<Compiled>,
}

pub fn user(
    operator: &Operator,
    module: &Arc<ModuleDef>,
    arguments: &[Expr],
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    let columns = (0..operator.columns.len() as u16).collect();
    Ok(Box::new(Filled { module: module.clone(), arguments: compiler.scalars(arguments)?, columns, table: None }))
}

/// A user's function of several statements: they fill its table, which is read then.
struct Filled {
    module: Arc<ModuleDef>,
    arguments: Vec<Scalar>,
    columns: Vec<u16>,
    table: Option<(MemoryTable, MemoryRows)>,
}

impl RowSource for Filled {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.table = None;
        let values = self.arguments.iter().map(|argument| Ok((argument.ty, argument.scalar_datum(context)?)));
        let values = values.collect::<SqlResult<Vec<_>>>()?;
        let table = (context.interpreter.table_function)(context, &self.module, values)?;
        let rows = MemoryRows::all(&table, false);
        self.table = Some((table, rows));
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let (table, rows) = self.table.as_mut().expect("it is open");
        rows.next(context, table, &self.columns, wanted.min(BATCH_ROWS), out)?;
        Ok(())
    }

    fn close(&mut self) {
        self.table = None;
    }
}

pub fn make(
    operator: &Operator,
    function: &TableFunction,
    arguments: &[Expr],
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    let kind = match function {
        TableFunction::GenerateSeries => {
            let ty = operator.columns[0].ty;
            let arguments = compiler.scalars(arguments)?;
            return Ok(Box::new(Series { arguments, ty, next: None, stop: 0, step: 0 }));
        }
        TableFunction::StringSplit => {
            let arguments = compiler.scalars(arguments)?;
            return Ok(Box::new(Split { arguments, text: None, separator: Box::default(), at: 0, ordinal: 0 }));
        }
        TableFunction::RegexpMatches => Kind::Matches,
        TableFunction::RegexpSplit => Kind::RegexpSplit,
        TableFunction::Bulk(_) => unreachable!("it has an operator of its own"),
        TableFunction::OpenJson => Kind::JsonAll,
        TableFunction::OpenJsonWith(paths) => Kind::Json(paths.clone()),
        TableFunction::OpenXml(columns) => Kind::OpenXml(columns.clone()),
        TableFunction::XmlNodes => {
            compiler.keeps = true;
            let arguments = compiler.scalars(arguments)?;
            let call = XmlCall::new(FunctionId::XmlQuery, Method::Nodes, arguments, SqlType::XML_NODE)?;
            let rows = Pending::new(batch_of(operator));
            return Ok(Box::new(Whole {
                kind: Kind::Nodes(Box::new(call)),
                arguments: Vec::new(),
                rows,
                held: Held::default(),
                pattern: None,
            }));
        }
    };
    whole(operator, kind, arguments, compiler)
}

fn whole(
    operator: &Operator,
    kind: Kind,
    arguments: &[Expr],
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    let arguments = compiler.scalars(arguments)?;
    let rows = Pending::new(batch_of(operator));
    Ok(Box::new(Whole { kind, arguments, rows, held: Held::default(), pattern: None }))
}

impl RowSource for Whole {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        let arguments =
            self.arguments.iter().map(|argument| argument.scalar_datum(context)).collect::<SqlResult<Vec<_>>>()?;
        let types: Vec<SqlType> = self.arguments.iter().map(|argument| argument.ty).collect();
        self.held.clear();
        let mut out = Kept { context, batch: self.rows.clear(), held: &mut self.held };
        match &self.kind {
            Kind::Nodes(call) => {
                let mut failure = Ok(());
                call.nodes(context, |node| {
                    if failure.is_ok() {
                        failure = out.push(&[node]);
                    }
                })?;
                failure
            }
            Kind::OpenXml(columns) => open_xml::rows(context, &types, &arguments, columns, out.batch),
            Kind::Matches => regexp_matches(&types, &arguments, &mut self.pattern, &mut out, &mut context.pacer()),
            Kind::RegexpSplit => regexp_split(&types, &arguments, &mut self.pattern, &mut out, &mut context.pacer()),
            Kind::JsonAll => open_json(&types, &arguments, None, &mut out, &mut context.pacer()),
            Kind::Json(paths) => open_json(&types, &arguments, Some(paths), &mut out, &mut context.pacer()),
        }?;
        out.count()
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        context.yield_point()?;
        self.rows.give(wanted.min(BATCH_ROWS), out);
        Ok(())
    }

    fn close(&mut self) {
        self.rows.clear();
        self.held.clear();
    }
}

/// The rows of a call, and the memory that they take.
struct Kept<'a, 'c> {
    context: &'a Context<'c>,
    batch: &'a mut RowBatch,
    held: &'a mut Held,
}

impl Kept<'_, '_> {
    /// Appends a row. The values are of the columns' classes.
    fn push(&mut self, row: &[Datum]) -> SqlResult<()> {
        for (column, value) in self.batch.columns.iter_mut().zip(row) {
            column.push(value);
        }
        self.batch.rows += 1;
        if self.batch.rows.is_multiple_of(BATCH_ROWS) { self.count() } else { Ok(()) }
    }

    /// 701
    fn count(&mut self) -> SqlResult<()> {
        self.context.force(self.held, columns::batch_room(self.batch))
    }
}

/// Text and pattern of a call. None: something is NULL, and there are no rows.
fn text_and_pattern(
    types: &[SqlType],
    arguments: &[Datum],
    kept: &mut Option<Compiled>,
    pacer: &mut Pacer<'_>,
) -> SqlResult<Option<(String, Arc<Pattern>)>> {
    let mut texts = Vec::with_capacity(3);
    for (ty, argument) in types.iter().zip(arguments) {
        let Datum::Bytes(bytes) = argument else { return Ok(None) };
        texts.push(types::convert::text_of_paced(bytes, ty, pacer)?);
    }
    let flags = if texts.len() > 2 { texts.pop() } else { None };
    let pattern = texts.pop().expect("the binder has counted");
    let pattern = regexp::compiled(kept, pattern, flags.as_deref().unwrap_or_default(), Caller::Table)?;
    Ok(texts.pop().map(|text| (text, pattern)))
}

/// Positions count characters. That of an empty match at the end is the last character's.
fn regexp_matches(
    types: &[SqlType],
    arguments: &[Datum],
    kept: &mut Option<Compiled>,
    out: &mut Kept<'_, '_>,
    pacer: &mut Pacer<'_>,
) -> SqlResult<()> {
    let Some((text, pattern)) = text_and_pattern(types, arguments, kept, pacer)? else { return Ok(()) };
    let whole = count_characters(&text, pacer)?;
    let mut search = pattern.search(&text, pattern.groups);
    let (mut number, mut at, mut before) = (0, 0, 0);
    while search.next(pacer)? {
        let (start, end) = search.group(0).expect("the whole match");
        before += count_characters(&text[at..start], pacer)?;
        at = start;
        number += 1;
        let length = count_characters(&text[start..end], pacer)?;
        let first = (before + 1).min(whole);
        let last = if length == 0 { first } else { before + length };
        let mut shown = String::from("[");
        let groups = if pattern.groups == 0 { 0..=0 } else { 1..=pattern.groups };
        for group in groups {
            if shown.len() > 1 {
                shown.push(',');
            }
            match search.group(group) {
                None => shown.push_str(r#"{"value":null,"start":null,"length":null}"#),
                Some((from, to)) => {
                    let place = before + count_characters(&text[start..from], pacer)? + 1;
                    let length = count_characters(&text[from..to], pacer)?;
                    shown.push_str(r#"{"value":""#);
                    functions::escape_json(&text[from..to], &mut shown);
                    shown.push_str(&format!(r#"","start":{},"length":{length}}}"#, place.min(whole)));
                }
            }
        }
        shown.push(']');
        pacer.spend(ROW + shown.len())?;
        let value = types::convert::text_datum_paced(&text[start..end], &types[0], pacer)?;
        let shown = Datum::Bytes(shown.into_bytes().into());
        out.push(&[Datum::I64(number), Datum::I64(first), Datum::I64(last), value, shown])?;
    }
    Ok(())
}

fn count_characters(text: &str, pacer: &mut Pacer<'_>) -> SqlResult<i64> {
    let mut count = 0;
    pacer.chunks(text.as_bytes(), |bytes| {
        // The first byte of each.
        count += bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count() as i64;
    })?;
    Ok(count)
}

/// An empty match parts nothing at the beginning or the end of the text.
fn regexp_split(
    types: &[SqlType],
    arguments: &[Datum],
    kept: &mut Option<Compiled>,
    out: &mut Kept<'_, '_>,
    pacer: &mut Pacer<'_>,
) -> SqlResult<()> {
    let Some((text, pattern)) = text_and_pattern(types, arguments, kept, pacer)? else { return Ok(()) };
    let mut search = pattern.search(&text, 0);
    let (mut ordinal, mut at) = (1, 0);
    let mut push = |piece: &str, pacer: &mut Pacer<'_>| {
        pacer.spend(ROW)?;
        let value = types::convert::text_datum_paced(piece, &types[0], pacer)?;
        out.push(&[value, Datum::I64(ordinal)])?;
        ordinal += 1;
        SqlResult::Ok(())
    };
    while search.next(pacer)? {
        let (start, end) = search.group(0).expect("the whole match");
        if start == end && (start == 0 || start == text.len()) {
            continue;
        }
        push(&text[at..start], pacer)?;
        at = end;
    }
    push(&text[at..], pacer)
}

/// Without `columns`: key, value and type of each member. With: a row for the object, or for each of an array.
fn open_json(
    argument_types: &[SqlType],
    arguments: &[Datum],
    columns: Option<&[(Box<str>, bool)]>,
    out: &mut Kept<'_, '_>,
    pacer: &mut Pacer<'_>,
) -> SqlResult<()> {
    let Datum::Bytes(text) = &arguments[0] else { return Ok(()) };
    let text = types::convert::text_of_paced(text, &argument_types[0], pacer)?;
    let path = match arguments.get(1) {
        None => json::Path::root(),
        Some(Datum::Bytes(path)) => json::Path::parse(&crate::kernel::text(&argument_types[1], path))?,
        Some(_) => return Ok(()),
    };
    let Some(found) = json::Json::seek(&text, &path, pacer)? else { return Ok(()) };
    if !found.is_container() {
        return if path.strict { Err(sql_error!(13611)) } else { Ok(()) };
    }
    let mut wide = |text: &str| {
        pacer.spend(ROW)?;
        types::convert::text_datum_paced(text, &SqlType::NVARCHAR_MAX, pacer)
    };
    match columns {
        None => {
            for (key, value) in found.members() {
                let shown = match value.shown(&text) {
                    Some(shown) => wide(&shown)?,
                    None => Datum::Null,
                };
                out.push(&[wide(&key)?, shown, Datum::I64(value.type_number())])?;
            }
        }
        Some(paths) => {
            let paths = paths
                .iter()
                .map(|(path, as_json)| Ok((json::Path::parse(path)?, *as_json)))
                .collect::<SqlResult<Vec<_>>>()?;
            for row in found.rows() {
                let mut values = Vec::with_capacity(paths.len());
                for (path, as_json) in &paths {
                    let value = if *as_json { path.query(row, &text)? } else { path.value(row, &text)? };
                    values.push(value.map_or(Ok(Datum::Null), |value| wide(&value))?);
                }
                out.push(&values)?;
            }
        }
    }
    Ok(())
}

/// STRING_SPLIT: the rows are made as they are asked for.
struct Split {
    arguments: Vec<Scalar>,
    /// None: there are no more rows.
    text: Option<Box<[u8]>>,
    separator: Box<[u8]>,
    /// Where the next piece begins.
    at: usize,
    ordinal: i64,
}

/// https://learn.microsoft.com/sql/t-sql/functions/string-split-transact-sql
fn not_one_character() -> SqlError {
    sql_error!(214, state 11, "separator", "nchar(1)/nvarchar(1)")
}

impl RowSource for Split {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.text = None;
        let [text, separator] = [0, 1].map(|at| self.arguments[at].scalar_datum(context));
        let (text, Datum::Bytes(separator)) = (text?, separator?) else { return Err(not_one_character()) };
        let mut characters = Chars::new(&collation::comparer(&self.arguments[1].ty), &separator);
        if characters.next().is_none() || characters.next().is_some() {
            return Err(not_one_character());
        }
        if let Datum::Bytes(text) = text {
            (self.text, self.separator, self.at, self.ordinal) = (Some(text), separator, 0, 1);
        }
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        context.yield_point()?;
        let unit = if self.arguments[0].ty.is_unicode_string() { 2 } else { 1 };
        let separator = &*self.separator;
        let (mut bytes, pacer) = (0, &mut context.pacer());
        while let Some(text) = &self.text
            && out.rows < wanted.min(BATCH_ROWS)
            && bytes < BATCH_BYTES
        {
            let start = self.at;
            let mut end = start;
            while end < text.len() && !text[end..].starts_with(separator) {
                pacer.spend(unit)?;
                end += unit;
            }
            pacer.spend(ROW + end - start)?;
            for (column, is_value) in out.columns.iter_mut().zip([true, false]) {
                if is_value { column.push_bytes(&text[start..end]) } else { column.push(&Datum::I64(self.ordinal)) }
            }
            out.rows += 1;
            bytes += end - start;
            (self.at, self.ordinal) = (end + separator.len(), self.ordinal + 1);
            if end == text.len() {
                self.text = None;
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        self.text = None;
    }
}

/// GENERATE_SERIES: integers, or decimals in units of their scale.
struct Series {
    arguments: Vec<Scalar>,
    ty: SqlType,
    next: Option<i128>,
    stop: i128,
    step: i128,
}

impl RowSource for Series {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.next = None;
        let mut numbers = Vec::with_capacity(3);
        for argument in &self.arguments {
            numbers.push(match argument.scalar_datum(context)? {
                Datum::I64(number) => number as i128,
                Datum::I128(number) => number,
                _ => return Ok(()),
            });
        }
        let one = if self.ty.is_decimal() { 10_i128.pow(self.ty.scale as u32) } else { 1 };
        let (start, stop) = (numbers[0], numbers[1]);
        let step = numbers.get(2).copied().unwrap_or(if start > stop { -one } else { one });
        if step == 0 {
            return Err(sql_error!(4199, state 2, 0, 3, "generate_series"));
        }
        (self.next, self.stop, self.step) = (Some(start), stop, step);
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        context.yield_point()?;
        while let Some(value) = self.next.filter(|_| out.rows < wanted.min(BATCH_ROWS)) {
            if if self.step > 0 { value > self.stop } else { value < self.stop } {
                self.next = None;
                break;
            }
            if let Some(column) = out.columns.first_mut() {
                column.push(&match self.ty.physical() {
                    Physical::I64 => Datum::I64(value as i64),
                    _ => Datum::I128(value),
                });
            }
            out.rows += 1;
            self.next = value.checked_add(self.step);
        }
        Ok(())
    }

    fn close(&mut self) {
        self.next = None;
    }
}
