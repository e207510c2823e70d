//! The types that the undeclared parameters of a text should have, by the rules of
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-undeclared-parameters-transact-sql
//! ("Parameter selection algorithm").
//!
//! | where | type |
//! |---|---|
//! | `expression = @p`, also `<>`, IN, SET, of variables, too | the expression's |
//! | `expression < @p`, LIKE, BETWEEN, `expression + @p` | of its kind the one that rules call general: `numeric(38,19)`, `varchar(8000)` |
//! | `INSERT t (a, b) VALUES (@p, @q)`, `SELECT @p, @q`, also MERGE's | of the column in that place |
//! | an argument of a procedure or a function of users | the parameter's, which may be a table type |
//! | `CAST(@p AS type)`, `CONVERT(type, @p)` | that type |
//! | TOP (@p), OFFSET, FETCH NEXT | bigint |
//! | a result of CASE, an operand of it | as another result; as what it is compared with |
//! | a number of a function, a date of one | float; datetimeoffset(7): the types that go before those that suit as well |
//! | `SELECT @p`, `@p IS NULL`, `@p = @q` | none: 11502, 11503 |
//! | anywhere else | nvarchar(4000) |

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use exec::session::Session as State;
use exec::sink::Sink;
use sql::catalog::{Catalog as _, Object, ObjectName, TableDef, UserType};
use sql::plan::{Client, Module, StatementKind};
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::describe::{columns_of, not_compiled, tds_form};
use super::parameters::Parameters;
use super::result::{ResultSet, bit, number, optional_text, text};
use super::undeclared_words::Words;
use crate::catalog::base::TypeRow;
use crate::catalog::scalar_type;
use crate::session::early;
use crate::session::host::SessionHost;

/// Parameters of one text, as SQL Server allows them.
const PARAMETERS_MAX: usize = 2_100;
/// Tables of a query that an expression may be of all at once.
const JOINED_MAX: usize = 8;
const ARITHMETIC: [&str; 8] = ["+", "-", "*", "/", "%", "&", "|", "^"];

/// What a parameter should be.
enum Suggested {
    Scalar(SqlType),
    Table(Arc<TableDef>),
}

impl From<SqlType> for Suggested {
    fn from(ty: SqlType) -> Suggested {
        Suggested::Scalar(ty)
    }
}

impl Suggested {
    /// As @params declares it.
    fn declared(&self) -> String {
        match self {
            Suggested::Scalar(ty) => ty.to_string(),
            Suggested::Table(table) => format!("[{}].[{}] READONLY", table.schema, table.name),
        }
    }
}

/// The type that the general rules take for a value of `ty`: the longest of its kind.
fn general(ty: SqlType) -> SqlType {
    use TypeKind::*;
    let max = ty.is_max() && !matches!(ty.kind, Text | NText | Image);
    match ty.kind {
        Decimal | Numeric => SqlType { kind: Numeric, ..SqlType::decimal(38, 19) },
        Char | VarChar | Text if max => SqlType::VARCHAR_MAX.with_collation(ty.collation),
        Char | VarChar | Text => SqlType::varchar(8_000).with_collation(ty.collation),
        NChar | NVarChar | NText if max => SqlType::NVARCHAR_MAX.with_collation(ty.collation),
        NChar | NVarChar | NText => SqlType::nvarchar(4_000).with_collation(ty.collation),
        Binary | VarBinary | Image | RowVersion if max => SqlType::VARBINARY_MAX,
        Binary | VarBinary | Image | RowVersion => SqlType::varbinary(8_000),
        Time => SqlType::time(7),
        DateTime2 => SqlType::datetime2(7),
        DateTimeOffset => SqlType::datetimeoffset(7),
        _ => ty,
    }
}

/// The type that a text names.
fn named_type(host: &mut SessionHost, state: &mut State, ty: &str) -> Option<Suggested> {
    let declared = format!("@p {ty}");
    if let Ok(Some(columns)) = columns_of(host, state, "SELECT @p AS p", &declared, Client::Plain) {
        return columns.first().map(|column| column.ty.into());
    }
    let name = ObjectName::from_text(ty)?;
    match host.with_catalog(state, |catalog| catalog.user_type(&name)) {
        Ok(Some(UserType::Table(table))) => Some(Suggested::Table(table)),
        _ => None,
    }
}

/// What an argument of a function of the language has to be.
enum Argument {
    Is(SqlType),
    /// As the argument in that place.
    Like(usize),
}

fn function_argument(name: &str, place: usize) -> Option<Argument> {
    let name = name.to_ascii_uppercase();
    let is_int = matches!(
        (name.as_str(), place),
        ("LEFT" | "RIGHT" | "ROUND" | "REPLICATE" | "DATEADD" | "EOMONTH", 1)
            | ("SUBSTRING" | "STUFF", 1 | 2)
            | ("CHARINDEX", 2)
            | ("SPACE" | "CHAR" | "NCHAR" | "CHOOSE", 0)
            | ("DATEFROMPARTS" | "TIMEFROMPARTS" | "DATETIMEFROMPARTS" | "DATETIME2FROMPARTS", _)
    );
    if is_int {
        return Some(Argument::Is(SqlType::INT));
    }
    // Of the types that need no conversion the one that goes first: for a number float, for a date datetimeoffset.
    let general = match (name.as_str(), place) {
        ("ABS" | "SIGN" | "CEILING" | "FLOOR" | "ROUND" | "POWER" | "SUM" | "AVG", 0)
        | ("SQRT" | "SQUARE" | "EXP" | "LOG" | "LOG10" | "SIN" | "COS" | "TAN" | "COT" | "ASIN" | "ACOS" | "ATAN", 0)
        | ("DEGREES" | "RADIANS" | "STDEV" | "STDEVP" | "VAR" | "VARP" | "STR", 0)
        | ("ATN2" | "POWER" | "LOG", _) => Some(SqlType::FLOAT),
        ("YEAR" | "MONTH" | "DAY", 0)
        | ("DATEPART" | "DATENAME", 1)
        | ("DATEADD", 2)
        | ("DATEDIFF" | "DATEDIFF_BIG", 1 | 2) => Some(SqlType::datetimeoffset(7)),
        _ => None,
    };
    if let Some(ty) = general {
        return Some(Argument::Is(ty));
    }
    let other = match (name.as_str(), place) {
        ("ISNULL" | "NULLIF" | "COALESCE", 0) => 1,
        ("ISNULL" | "NULLIF" | "COALESCE" | "REPLACE", _) => 0,
        ("CHARINDEX" | "PATINDEX", 0) => 1,
        ("IIF", 1) => 2,
        ("IIF", 2) => 1,
        _ => return None,
    };
    (other != place).then_some(Argument::Like(other))
}

struct Deduction<'a> {
    host: &'a mut SessionHost,
    state: &'a mut State,
    words: Words<'a>,
    /// @params, and what the text itself declares.
    declared: String,
    known: Vec<(String, String)>,
    /// DECLAREs of the text's table variables.
    tables: String,
}

impl Deduction<'_> {
    fn is_known(&self, name: &str) -> bool {
        self.known.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    fn is_undeclared(&self, at: usize) -> bool {
        self.words.is_variable(at) && !self.is_known(self.words.text(at))
    }

    fn named_type(&mut self, ty: &str) -> Option<Suggested> {
        named_type(self.host, self.state, ty)
    }

    /// Of an expression of the query that the token at `at` belongs to.
    fn type_of(&mut self, expr: &str, at: usize) -> Option<SqlType> {
        let tables = self.words.tables(at);
        let mut texts = Vec::new();
        for table in &tables {
            texts.push(format!("SELECT {expr} FROM {} AS {}", table.name, table.alias));
            texts.push(format!("SELECT {expr} FROM {}", table.name));
        }
        if (2..=JOINED_MAX).contains(&tables.len()) {
            let all: Vec<String> = tables.iter().map(|table| format!("{} AS {}", table.name, table.alias)).collect();
            texts.push(format!("SELECT {expr} FROM {}", all.join(" CROSS JOIN ")));
        }
        texts.push(format!("SELECT {expr}"));
        texts.iter().find_map(|text| {
            let text = format!("{}{text}", self.tables);
            let columns = columns_of(self.host, self.state, &text, &self.declared, Client::Plain).ok()??;
            columns.first().map(|column| column.ty)
        })
    }

    /// The type of the operand from `start` to before `end`, beside the parameter at `at`. 11503: that has none either.
    fn operand(&mut self, start: usize, end: usize, at: usize) -> SqlResult<Option<SqlType>> {
        if end == start + 1 && self.is_undeclared(start) {
            // Signs and parentheses may stand before it.
            let own = (at..self.words.tokens.len()).find(|at| self.is_undeclared(*at)).unwrap_or(at);
            let (first, second) = (start.min(own), start.max(own));
            return Err(sql_error!(11503, self.words.text(first), self.words.text(second)));
        }
        if (start..end).any(|at| self.is_undeclared(at)) {
            return Ok(None);
        }
        let expr = self.words.between(start, end);
        Ok(self.type_of(expr, at))
    }

    /// Of the columns of a table, the one that a value is inserted into.
    fn inserted(&mut self, values: usize, place: usize) -> Option<SqlType> {
        let (table, column) = self.words.inserted(values, place)?;
        let what = column.unwrap_or("*");
        let text = format!("{}SELECT {what} FROM {table}", self.tables);
        let columns = columns_of(self.host, self.state, &text, "", Client::Plain).ok()??;
        let found = match column {
            Ok(_) => columns.first(),
            Err(place) => columns.iter().filter(|column| !is_identity(column)).nth(place),
        };
        found.map(|column| column.ty)
    }

    /// Where EXECUTE names its procedure, if the token at `at` is an argument of it, or what it returns.
    fn execute(&self, at: usize) -> Option<Execute> {
        let words = &self.words;
        let call = (0..at)
            .rev()
            .take(3 * PARAMETERS_MAX)
            .take_while(|i| !words.is(*i, ";"))
            .find(|i| words.is_one_of(*i, &["EXEC", "EXECUTE", "CALL"]))?;
        // Nothing of another statement stands between.
        let is_other = |i: usize| words.is_reserved(i) && !words.is_one_of(i, &["DEFAULT", "NULL"]);
        if (call + 1..at).any(is_other) {
            return None;
        }
        let returns = words.is_variable(call + 1) && words.is(call + 2, "=");
        let name = if returns { call + 3 } else { call + 1 };
        let behind = words.name(name)?.1;
        let first = if words.is(behind, "(") { behind + 1 } else { behind };
        let commas = (first..at).filter(|i| words.is(*i, ",")).count();
        let named = at >= first + 2 && words.is(at - 1, "=") && words.is_variable(at - 2);
        Some(Execute {
            name,
            is_status: returns && at == call + 1,
            is_formal: at >= first && words.is(at + 1, "=") && words.is_variable(at),
            place: if named { Err(at - 2) } else { Ok(commas) },
        })
    }

    /// The parameter in that place, or of that name, of a module of the catalog.
    fn module_parameter(&mut self, module: &str, place: Result<usize, usize>) -> Option<Suggested> {
        let name = ObjectName::from_text(module)?;
        let definition = match self.host.resolve(self.state, &name) {
            Ok(Some(Object::Module(definition))) => definition,
            Ok(Some(Object::Virtual(rows))) => return rows.parameters.get(place.ok()?).map(|ty| (*ty).into()),
            _ => return None,
        };
        let module = Words::new(&definition.text);
        let parameters = module.module_parameters();
        let (_, ty) = match place {
            Ok(place) => parameters.get(place)?,
            Err(at) => {
                let wanted = self.words.text(at);
                parameters.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted))?
            }
        };
        // A procedure of the server's own works in the database that it is called in.
        let own = self.host.catalog_session.database;
        let database = if definition.object.0 < 0 { own } else { definition.database };
        let state = &mut *self.state;
        self.host.within(database, |host| named_type(host, state, ty))
    }

    /// Of the argument of a call, a cast or VALUES that the parameter at `at` is.
    fn argument(&mut self, at: usize) -> Option<Suggested> {
        let words = &self.words;
        let is_whole = words.is_one_of(at - 1, &["(", ","]) && words.is_one_of(at + 1, &[")", ",", "AS"]);
        let enclosing = words.enclosing(at).filter(|_| is_whole)?;
        let (open, place) = (enclosing.open, enclosing.place);
        if let Some(values) = words.values_of(open) {
            return self.inserted(values, place).map(Suggested::from);
        }
        let start = words.name_before(open)?;
        let name = words.between(start, open).to_string();
        if words.is(at + 1, "AS") {
            let close = words.other(open)?;
            let ty = words.between(at + 2, close).to_string();
            return words.is_one_of(start, &["CAST", "TRY_CAST"]).then(|| self.named_type(&ty)).flatten();
        }
        if words.is_one_of(start, &["CONVERT", "TRY_CONVERT"]) {
            let ty = words.between(open + 1, words.argument(open, 1)? - 1).to_string();
            return if place == 1 { self.named_type(&ty) } else { Some(SqlType::INT.into()) };
        }
        if open > start + 1 {
            return self.module_parameter(&name, Ok(place));
        }
        match function_argument(&name, place) {
            Some(Argument::Is(ty)) => Some(ty.into()),
            Some(Argument::Like(other)) => {
                let first = words.argument(open, other)?;
                let end = words.operand_at(first)?;
                let ty = self.operand(first, end, at).ok().flatten()?;
                Some(general(ty).into())
            }
            // A function of users without a schema has rows.
            None => self.module_parameter(&name, Ok(place)),
        }
    }

    /// Of a variable that the parameter at `at` is the first value of: `DECLARE @v int = @p`.
    fn initial(&mut self, at: usize) -> Option<Suggested> {
        let words = &self.words;
        let end = at.checked_sub(1).filter(|before| words.is(*before, "="))?;
        let variable = (end.saturating_sub(DECLARATION_MAX)..end).rev().find(|i| words.is_variable(*i))?;
        let (_, ty) = words.declarations(variable, end).first().copied()?;
        let first = variable + 1 + usize::from(words.is(variable + 1, "AS"));
        let is_whole = words.between(first, end) == ty && in_declare(words, variable);
        is_whole.then(|| self.named_type(ty)).flatten()
    }

    /// Of what the parameter, signed or in parentheses as the tokens from `at` to before `behind` are, is compared with, or assigned to.
    fn compared(&mut self, at: usize, behind: usize, signed: bool) -> SqlResult<Option<SqlType>> {
        let found = self.compared_exactly(at, behind)?;
        Ok(found.map(|ty| if signed { general(ty) } else { ty }))
    }

    fn compared_exactly(&mut self, at: usize, behind: usize) -> SqlResult<Option<SqlType>> {
        let words = &self.words;
        let operators = ["=", "<", ">", "!"];
        let mut left = at;
        let mut exact = true;
        let within = words.enclosing(at);
        let list = within
            .as_ref()
            .map(|enclosing| enclosing.open)
            .filter(|open| *open > 0 && words.is(open - 1, "IN") && !words.is(open + 1, "SELECT"));
        let between = words.between_of(at);
        if let Some(open) = list {
            left = open - 1;
        } else if let Some(between) = between {
            (left, exact) = (between, false);
        } else if at > 0 && words.is(at - 1, "LIKE") {
            (left, exact) = (at - 1, false);
        } else {
            while left > 0 && words.is_one_of(left - 1, &operators) {
                left -= 1;
            }
            exact = matches!(words.between(left, at), "" | "=" | "<>" | "!=");
        }
        if left != at {
            let not = usize::from(left > 0 && words.is(left - 1, "NOT"));
            let end = left - not;
            if let Some(start) = words.operand_before(end) {
                let found = self.operand(start, end, at)?;
                return Ok(found.map(|ty| if exact { ty } else { general(ty) }));
            }
            return Ok(None);
        }
        let mut right = behind + usize::from(words.is(behind, "NOT"));
        let first = right;
        while words.is_one_of(right, &operators) {
            right += 1;
        }
        let mut exact = matches!(words.between(first, right), "=" | "<>" | "!=");
        if right == first && words.is_one_of(right, &["LIKE", "BETWEEN", "IN"]) {
            exact = words.is(right, "IN");
            right += 1;
            if exact && words.is(right, "(") && !words.is(right + 1, "SELECT") {
                right += 1;
            }
        } else if right == first {
            return Ok(None);
        }
        let Some(end) = words.operand_at(right) else { return Ok(None) };
        let found = self.operand(right, end, at)?;
        Ok(found.map(|ty| if exact { ty } else { general(ty) }))
    }

    /// Of what the parameter at `at` is added to, or the like.
    fn beside(&mut self, at: usize, behind: usize) -> SqlResult<Option<SqlType>> {
        let words = &self.words;
        let before = at.checked_sub(1).filter(|before| words.is_one_of(*before, &ARITHMETIC));
        let (start, end) = if let Some(start) = before.and_then(|before| words.operand_before(before)) {
            (start, before.expect("some"))
        } else if words.is_one_of(behind, &ARITHMETIC)
            && let Some(end) = words.operand_at(behind + 1)
        {
            (behind + 1, end)
        } else {
            return Ok(None);
        };
        Ok(self.operand(start, end, at)?.map(general))
    }

    /// Of CASE: what is compared with the one behind CASE has its type, and a result is of the kind of the others.
    fn branch(&mut self, at: usize, behind: usize) -> SqlResult<Option<SqlType>> {
        let words = &self.words;
        let Some(before) = at.checked_sub(1).filter(|before| words.is_one_of(*before, &CASE_PARTS)) else {
            return Ok(None);
        };
        let Some(case) = words.case_of(before) else { return Ok(None) };
        let parts = words.case_parts(case);
        let is_result = words.is_one_of(before, &["THEN", "ELSE"]);
        if !is_result && (words.is(case + 1, "WHEN") || !words.is_one_of(behind, &["WHEN", "THEN"])) {
            return Ok(None);
        }
        let kinds: &[&str] = match is_result {
            true => &["THEN", "ELSE"],
            false if before == case => &["WHEN"],
            false => &["CASE"],
        };
        let others: Vec<usize> = parts
            .into_iter()
            .filter(|part| *part != before && words.is_one_of(*part, kinds))
            .map(|part| part + 1)
            .collect();
        for other in others {
            let Some(end) = self.words.operand_at(other) else { continue };
            if let Some(found) = self.operand(other, end, at)? {
                return Ok(Some(if is_result { general(found) } else { found }));
            }
        }
        Ok(None)
    }

    /// Of a column that the parameter at `at`, which stands alone in a select list, is inserted into. 11502: it says nothing.
    fn selected(&mut self, at: usize) -> SqlResult<Option<SqlType>> {
        let words = &self.words;
        let Some((select, place)) = words.select_item(at) else { return Ok(None) };
        if words.inserts(select) && words.enclosing(select).is_none() {
            return Ok(self.inserted(select, place));
        }
        Err(sql_error!(11502, words.text(at)))
    }

    /// None: its place says nothing of it.
    fn suggested(&mut self, at: usize) -> SqlResult<Option<Suggested>> {
        let words = &self.words;
        let before = |back: usize, word: &str| at >= back && words.is(at - back, word);
        if before(1, "TOP")
            || before(1, "(") && before(2, "TOP")
            || before(1, "OFFSET")
            || before(1, "NEXT")
            || before(1, "FIRST")
        {
            return Ok(Some(SqlType::BIGINT.into()));
        }
        if words.is(at + 1, "=") && words.is(at + 2, "CALL") {
            return Ok(Some(SqlType::INT.into()));
        }
        if words.is(at + 1, "IS") {
            return Err(sql_error!(11502, words.text(at)));
        }
        if let Some(execute) = self.execute(at) {
            if execute.is_status {
                return Ok(Some(SqlType::INT.into()));
            }
            let name = words.name(execute.name).map(|(name, _)| name.to_string()).unwrap_or_default();
            return Ok(self.module_parameter(&name, execute.place));
        }
        if at > 0
            && let Some(found) = self.argument(at)
        {
            return Ok(Some(found));
        }
        if let Some(found) = self.initial(at) {
            return Ok(Some(found));
        }
        let (first, behind, signed) = self.words.atom(at);
        if let Some(found) = self.beside(first, behind)? {
            return Ok(Some(found.into()));
        }
        if let Some(found) = self.compared(first, behind, signed)? {
            return Ok(Some(found.into()));
        }
        if let Some(found) = self.branch(first, behind)? {
            return Ok(Some(found.into()));
        }
        Ok(self.selected(at)?.map(Suggested::from))
    }
}

impl Deduction<'_> {
    /// How the parameter at `at` is used: a target of an assignment gives a value out, and so does one that a procedure is given so.
    fn usage(&mut self, at: usize) -> Usage {
        let words = &self.words;
        let assigned = words.is(at + 1, "=")
            && at.checked_sub(1).is_some_and(|before| words.is_one_of(before, &["SET", "SELECT", "DISTINCT", ","]));
        let execute = self.execute(at);
        let status = execute.as_ref().is_some_and(|execute| execute.is_status);
        let given = execute.is_some() && words.is_one_of(at + 1, &["OUTPUT", "OUT"]);
        let (input, output) = (!assigned && !status, assigned || status || given);
        let formal = match execute {
            Some(execute) if execute.is_status => None,
            Some(execute) => {
                let name = words.name(execute.name).map(|(name, _)| name.to_string());
                name.and_then(|name| self.formal(&name, execute.place))
            }
            None => self.called_with(at).and_then(|(name, place)| self.formal(&name, Ok(place))),
        };
        Usage { input, output, formal }
    }

    /// The function that the parameter at `at` is a whole argument of, and which of them.
    fn called_with(&self, at: usize) -> Option<(String, usize)> {
        let words = &self.words;
        let is_whole = at > 0 && words.is_one_of(at - 1, &["(", ","]) && words.is_one_of(at + 1, &[")", ","]);
        let enclosing = words.enclosing(at).filter(|_| is_whole)?;
        let start = words.name_before(enclosing.open)?;
        Some((words.between(start, enclosing.open).to_string(), enclosing.place))
    }

    /// What a module of the catalog calls its parameter in that place.
    fn formal(&mut self, module: &str, place: Result<usize, usize>) -> Option<String> {
        let name = ObjectName::from_text(module)?;
        let Ok(Some(Object::Module(definition))) = self.host.resolve(self.state, &name) else { return None };
        let module = Words::new(&definition.text);
        let parameters = module.module_parameters();
        let found = match place {
            Ok(place) => parameters.get(place)?.0,
            Err(at) => {
                let wanted = self.words.text(at);
                parameters.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted))?.0
            }
        };
        Some(found.to_string())
    }
}

struct Usage {
    input: bool,
    output: bool,
    /// The name of the parameter of a module that it is an argument of.
    formal: Option<String>,
}

struct Found {
    name: String,
    suggested: Suggested,
    usage: Usage,
}

impl Found {
    /// As @params declares it.
    fn declared(&self) -> String {
        format!("{} {}", self.name, self.suggested.declared())
    }
}

/// Words that a statement begins with, or its clauses, and no declaration has.
const STATEMENTS: [&str; 16] = [
    "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "SET", "EXEC", "EXECUTE", "IF", "WHILE", "RETURN", "BEGIN",
    "PRINT", "FROM", "WHERE", "WITH",
];
const CASE_PARTS: [&str; 4] = ["CASE", "WHEN", "THEN", "ELSE"];
/// Tokens of a variable's type at most, its name among them.
const DECLARATION_MAX: usize = 12;

struct Execute {
    name: usize,
    /// It takes what the procedure returns.
    is_status: bool,
    /// It is the name of a parameter of the procedure.
    is_formal: bool,
    /// Among the arguments; or where the name of its parameter stands.
    place: Result<usize, usize>,
}

/// `declared`, with the parameters that a text uses beyond it. 11521: one of them says what a column is.
pub fn with_undeclared(host: &mut SessionHost, state: &mut State, text: &str, declared: &str) -> SqlResult<String> {
    let found = infer(host, state, text, declared, Uses::Any).map_err(|error| match error.number {
        11502 | 11503 => sql_error!(11521, text.trim()),
        _ => error,
    })?;
    let words = Words::new(text);
    let is_found = |at: usize| found.iter().any(|found| found.name.eq_ignore_ascii_case(words.text(at)));
    if (0..words.tokens.len()).any(|at| words.is_variable(at) && is_found(at) && is_shown(&words, at)) {
        return Err(sql_error!(11521, text.trim()));
    }
    let given = Some(declared.to_string()).filter(|part| !part.trim().is_empty());
    let all = found.iter().map(Found::declared);
    Ok(given.into_iter().chain(all).collect::<Vec<_>>().join(", "))
}

/// The token at `at` is a part of the outermost select list, and no cast says its type.
fn is_shown(words: &Words<'_>, at: usize) -> bool {
    let ends = ["FROM", "WHERE", "BY", "ON", "SET", "VALUES", "HAVING", "TOP", "EXEC", "EXECUTE", "IF", "WHILE", ";"];
    if words.is(at + 1, "AS") && at.checked_sub(2).is_some_and(|cast| words.is_one_of(cast, &["CAST", "TRY_CAST"])) {
        return false;
    }
    let mut here = at;
    while let Some(before) = here.checked_sub(1) {
        here = match words.text(before) {
            ")" => match words.other(before) {
                Some(open) => open,
                None => return false,
            },
            _ if words.is_one_of(before, &ends) => return false,
            _ if words.is(before, "SELECT") => return words.enclosing(before).is_none() && !words.inserts(before),
            _ => before,
        };
    }
    false
}

/// How often a parameter may be used: SQL Server describes none that is used again.
#[derive(PartialEq, Eq)]
enum Uses {
    Once,
    Any,
}

/// The undeclared parameters in the order of their use, with their types. 11508: one of them is used again.
fn infer(host: &mut SessionHost, state: &mut State, text: &str, declared: &str, uses: Uses) -> SqlResult<Vec<Found>> {
    let words = Words::new(text);
    let given = Words::new(declared);
    let mut known: Vec<(String, String)> = given
        .declarations(0, given.tokens.len())
        .into_iter()
        .map(|(name, ty)| (name.to_string(), ty.to_string()))
        .collect();
    let mut joined: Vec<String> =
        Some(declared.to_string()).filter(|text| !text.trim().is_empty()).into_iter().collect();
    let mut tables = String::new();
    let mut first = HashMap::new();
    for at in (0..words.tokens.len()).filter(|at| words.is_variable(*at)) {
        first.entry(words.text(at).to_ascii_lowercase()).or_insert(at);
    }
    for (name, ty) in words.declarations(0, words.tokens.len()) {
        os::wait::yield_now();
        // A variable is declared where it stands first, if anywhere.
        if !first.remove(&name.to_ascii_lowercase()).is_some_and(|at| in_declare(&words, at)) {
            continue;
        }
        known.push((name.to_string(), ty.to_string()));
        if ty.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("table")) {
            tables.push_str(&format!("DECLARE {name} {ty}; "));
        } else if !ty.eq_ignore_ascii_case("cursor") {
            joined.push(format!("{name} {ty}"));
        }
    }
    let joined = joined.join(", ");
    let mut deduction = Deduction { host: &mut *host, state: &mut *state, words, declared: joined, known, tables };
    let is_meant =
        |at: &usize| deduction.is_undeclared(*at) && !deduction.execute(*at).is_some_and(|execute| execute.is_formal);
    let mut places: Vec<usize> = (0..deduction.words.tokens.len()).filter(is_meant).collect();
    if places.len() > PARAMETERS_MAX {
        return Err(sql_error!(180, "prepared", PARAMETERS_MAX));
    }
    let mut seen = HashSet::new();
    let mut again = None;
    places.retain(|at| {
        let name = deduction.words.text(*at);
        let is_first = seen.insert(name.to_lowercase());
        again = again.or((!is_first).then_some(name));
        is_first
    });
    if let Some(again) = again.filter(|_| uses == Uses::Once) {
        return Err(sql_error!(11508, again));
    }
    let names: Vec<String> = places.iter().map(|at| deduction.words.text(*at).to_string()).collect();
    let mut found: Vec<Found> = Vec::with_capacity(names.len());
    let mut guesses = false;
    for (at, name) in places.into_iter().zip(names) {
        let suggested = deduction.suggested(at)?;
        guesses |= suggested.is_none();
        let suggested = suggested.unwrap_or(Suggested::Scalar(SqlType::nvarchar(4000)));
        found.push(Found { name, suggested, usage: deduction.usage(at) });
        // Each of them has bound some texts.
        os::wait::yield_now();
    }
    // What stays wrong with the types found is the text's own error.
    let all = found.iter().map(Found::declared);
    let given = Some(declared.to_string()).filter(|part| !part.trim().is_empty());
    let joined = given.into_iter().chain(all).collect::<Vec<_>>().join(", ");
    let module = host.bind_text(state, text, &joined).map_err(uncompiled)?;
    host.check_text(state, &module)?;
    let module = Arc::new(module);
    // What only the type of a parameter is to blame for is none of the text's.
    let is_own = |error: &SqlError| !guesses || matches!(error.number, 207 | 208 | 4104);
    let errors: Vec<SqlError> = early::check(host, state, &module, false).err().unwrap_or_default();
    let errors: Vec<SqlError> = errors.into_iter().filter(is_own).collect();
    if !errors.is_empty() {
        return Err(uncompiled(errors));
    }
    let missing = missing_objects(host, state, &module);
    if missing.is_empty() { Ok(found) } else { Err(uncompiled(missing)) }
}

fn uncompiled(errors: Vec<SqlError>) -> SqlError {
    SqlError::together(not_compiled(errors))
}

/// 208 of each query whose tables are not there. One that the text makes itself may come to be.
fn missing_objects(host: &mut SessionHost, state: &mut State, module: &Arc<Module>) -> Vec<SqlError> {
    let makes = module.body.iter().any(|statement| matches!(statement.kind, StatementKind::Definition(_)));
    let options = SessionHost::bind_options(state);
    let queries = module.queries.iter().filter(|text| !makes && sql::bind::is_query(&text.statement));
    let bound = queries.filter_map(|text| {
        host.with_catalog(state, |catalog| sql::bind::bind_query(&text.statement, module, catalog, &options)).err()
    });
    bound.filter(|error| error.number == 208 && !error.text.contains("'#")).collect()
}

/// The token at `at` is in the list of a DECLARE.
fn in_declare(words: &Words<'_>, at: usize) -> bool {
    let mut here = at;
    while let Some(before) = here.checked_sub(1) {
        here = match words.text(before) {
            ")" => match words.other(before) {
                Some(open) => open,
                None => return false,
            },
            "(" | ";" => return false,
            _ if words.is(before, "DECLARE") => return words.is(at - 1, "DECLARE") || words.is(at - 1, ","),
            _ if words.is_one_of(before, &STATEMENTS) => return false,
            _ => before,
        };
    }
    false
}

fn is_identity(column: &sql::plan::OutputColumn) -> bool {
    column.origin.as_ref().is_some_and(|origin| origin.table.columns[usize::from(origin.column)].identity.is_some())
}

const UNDECLARED: &str = "parameter_ordinal int; name sysname; suggested_system_type_id int; suggested_system_type_name nvarchar(256); \
    suggested_max_length smallint; suggested_precision tinyint; suggested_scale tinyint; suggested_user_type_id int; \
    suggested_user_type_database sysname; suggested_user_type_schema sysname; suggested_user_type_name sysname; \
    suggested_assembly_qualified_type_name nvarchar(4000); suggested_xml_collection_id int; \
    suggested_xml_collection_database sysname; suggested_xml_collection_schema sysname; suggested_xml_collection_name sysname; \
    suggested_is_xml_document bit; suggested_is_case_sensitive bit; suggested_is_fixed_length_clr_type bit; \
    suggested_is_input bit; suggested_is_output bit; formal_parameter_name sysname; suggested_tds_type_id int; \
    suggested_tds_length int";

/// sp_describe_undeclared_parameters @tsql, @params.
pub fn undeclared_parameters(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let tsql = given.text(0).unwrap_or_default();
    let declared = given.text(1).unwrap_or_default();
    let found = infer(host, state, &tsql, &declared, Uses::Once)?;
    let mut result = ResultSet::new(UNDECLARED);
    for (at, found) in found.iter().enumerate() {
        let mut row = vec![number(at as i64 + 1), text(&found.name)];
        let (tds_type, tds_length) = match &found.suggested {
            Suggested::Scalar(ty) => {
                let system = scalar_type::system_type(ty.kind);
                let udt = ty.kind.udt();
                row.extend([
                    number(system.xtype),
                    if udt.is_some() { Datum::Null } else { text(&ty.to_string()) },
                    number(scalar_type::max_length(ty)),
                    number(if ty.kind == TypeKind::Xml { 0 } else { ty.precision }),
                    number(ty.scale),
                ]);
                if let Some(udt) = udt {
                    let database = host.server.catalog.expect_database(host.catalog_session.database).name();
                    row.extend([number(system.utype), text(&database), text("sys"), text(system.name)]);
                    row.push(text(udt.assembly_qualified_name));
                }
                tds_form(ty)
            }
            Suggested::Table(table) => {
                let database = host.server.catalog.expect_database(table.database);
                let rows: Vec<TypeRow> = host.catalog_rows(state, &database, |rows| rows.all::<TypeRow>())?;
                let id = rows.iter().find(|row| row.tableid == table.object.0).map_or(0, |row| row.id);
                row.extend([number(scalar_type::TABLE_TYPE), Datum::Null, number(-1), number(0), number(0)]);
                row.extend([number(id), text(&database.name()), text(&table.schema), text(&table.name)]);
                (i64::from(scalar_type::TABLE_TYPE), 0)
            }
        };
        row.resize(16, Datum::Null);
        row.extend([
            bit(false),
            bit(false),
            bit(false),
            bit(found.usage.input),
            bit(found.usage.output),
            optional_text(found.usage.formal.as_deref()),
            number(tds_type),
            number(tds_length),
        ]);
        result.push(&row);
    }
    result.send(sink)?;
    Ok(0)
}
