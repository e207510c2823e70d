//! The types that the undeclared parameters of a text should have: those of the columns they are compared with or stored in.
//!
//! | where | type |
//! |---|---|
//! | `column = @p`, also `<`, LIKE, IN, BETWEEN, SET | the column's |
//! | `INSERT t (a, b) VALUES (@p, @q)` | of the column in that place |
//! | `TOP (@p)`, OFFSET, FETCH NEXT | bigint |
//! | anywhere else | nvarchar(4000) |

use exec::session::Session as State;
use exec::sink::Sink;
use sql::lex::{Lexer, Token, TokenKind};
use sql::plan::Client;
use types::{Datum, SqlResult, SqlType, sql_error};

use super::describe::{columns_of, tds_form};
use super::parameters::Parameters;
use super::result::{ResultSet, bit, number, text};
use crate::catalog::scalar_type;
use crate::session::host::SessionHost;

/// Parameters of one text, as SQL Server allows them.
const PARAMETERS_MAX: usize = 2_100;
/// Tables of a text that are tried for a column.
const TABLES_MAX: usize = 64;
/// Parentheses around a parameter whose tables are looked at.
const LEVELS_MAX: usize = 32;

/// A column as the text names it.
struct Column<'a> {
    qualifier: Option<&'a str>,
    name: &'a str,
}

struct Table<'a> {
    name: &'a str,
    /// Or the last part of its name.
    alias: &'a str,
}

/// Without brackets or quotes.
fn plain(name: &str) -> &str {
    name.trim_matches(['[', ']', '"'])
}

struct Words<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Words<'a> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::End {
                break;
            }
            tokens.push(token);
        }
        Words { text, tokens }
    }

    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    fn is(&self, at: usize, word: &str) -> bool {
        self.text(at).eq_ignore_ascii_case(word)
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| matches!(token.kind, TokenKind::Word | TokenKind::Bracketed | TokenKind::DoubleQuoted))
    }

    /// A name of several parts that begins at `at`: its text and the token behind it.
    fn name(&self, at: usize) -> Option<(&'a str, usize)> {
        if !self.is_name(at) {
            return None;
        }
        let mut end = at;
        while self.is(end + 1, ".") && self.is_name(end + 2) {
            end += 2;
        }
        Some((&self.text[self.tokens[at].start as usize..self.tokens[end].end as usize], end + 1))
    }

    /// The name that ends just before `at`: what stands before its last part, if anything, and that part.
    fn column_before(&self, at: usize) -> Option<Column<'a>> {
        if at == 0 || !self.is_name(at - 1) {
            return None;
        }
        let qualifier = (at >= 3 && self.is(at - 2, ".") && self.is_name(at - 3)).then(|| self.text(at - 3));
        Some(Column { qualifier, name: self.text(at - 1) })
    }

    /// The name that begins at `at`, likewise.
    fn column_at(&self, at: usize) -> Option<Column<'a>> {
        let (_, end) = self.name(at)?;
        let qualifier = (end >= at + 3).then(|| self.text(end - 3));
        Some(Column { qualifier, name: self.text(end - 1) })
    }

    /// The tables that a name at `at` may be a column of: those of its own query first, then those of the queries around it.
    fn tables(&self, at: usize) -> Vec<Table<'a>> {
        let mut found = Vec::new();
        let (mut start, mut end) = (at, at);
        for _ in 0..LEVELS_MAX {
            // From `start` and `end` out to the parentheses around them.
            let mut depth = 0;
            while start > 0 && depth >= 0 {
                start -= 1;
                depth += match self.text(start) {
                    ")" => 1,
                    "(" => -1,
                    _ => 0,
                };
            }
            let outermost = depth >= 0;
            depth = 0;
            while end < self.tokens.len() && depth >= 0 {
                end += 1;
                depth += match self.text(end) {
                    "(" => 1,
                    ")" => -1,
                    _ => 0,
                };
            }
            self.tables_between(if outermost { 0 } else { start + 1 }, end, &mut found);
            if outermost || found.len() >= TABLES_MAX {
                break;
            }
        }
        found.truncate(TABLES_MAX);
        found
    }

    /// Of one query, without those within its parentheses.
    fn tables_between(&self, start: usize, end: usize, found: &mut Vec<Table<'a>>) {
        let mut depth = 0;
        let mut in_from = false;
        for at in start..end {
            match self.text(at) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth != 0 {
                continue;
            }
            let starts = ["FROM", "JOIN", "INTO", "UPDATE", "MERGE", "INSERT", "DELETE"];
            let before_table = starts.iter().any(|word| self.is(at, word)) || in_from && self.is(at, ",");
            in_from |= self.is(at, "FROM");
            in_from &= !["WHERE", "GROUP", "ORDER", "SET", "SELECT", "HAVING"].iter().any(|word| self.is(at, word));
            let Some((name, behind)) = self.name(at + 1).filter(|_| before_table) else { continue };
            let alias = if self.is(behind, "AS") { behind + 1 } else { behind };
            let is_alias = self.is_name(alias) && (alias > behind || !self.tokens[alias].keyword.is_reserved());
            let alias = if is_alias { self.text(alias) } else { self.text(behind - 1) };
            found.push(Table { name, alias });
        }
    }

    /// Where the parameter at `at` is a value of INSERT: the table, and the place among the columns or the column's name.
    fn inserted(&self, at: usize) -> Option<(&'a str, Result<&'a str, usize>)> {
        let mut depth = 0;
        let mut place = 0;
        let mut open = at;
        while open > 0 {
            open -= 1;
            match self.text(open) {
                ")" => depth += 1,
                "(" if depth == 0 => break,
                "(" => depth -= 1,
                "," if depth == 0 => place += 1,
                _ => {}
            }
        }
        // Back over earlier rows of the same VALUES.
        let mut values = open;
        while values > 0 && !self.is(values, "VALUES") {
            values -= 1;
        }
        let insert = (0..values).rev().find(|i| self.is(*i, "INSERT"))?;
        let first = if self.is(insert + 1, "INTO") { insert + 2 } else { insert + 1 };
        let (table, behind) = self.name(first)?;
        if !self.is(behind, "(") {
            return Some((table, Err(place)));
        }
        let mut names = (behind + 1..values).filter(|i| self.is_name(*i));
        names.nth(place).map(|i| (table, Ok(self.text(i))))
    }
}

/// The undeclared parameters in the order of their first use, with their types.
fn infer(host: &mut SessionHost, state: &mut State, text: &str, declared: &str) -> SqlResult<Vec<(String, SqlType)>> {
    let words = Words::new(text);
    let known = Words::new(declared);
    let own: Vec<&str> = (1..words.tokens.len())
        .filter(|at| {
            words.tokens[*at].kind == TokenKind::Variable
                && (words.is(at - 1, "DECLARE") || words.is(at - 1, ",") && in_declare(&words, *at))
        })
        .map(|at| words.text(at))
        .collect();
    let is_known = |name: &str| {
        own.iter().any(|own| own.eq_ignore_ascii_case(name))
            || (0..known.tokens.len()).any(|at| known.tokens[at].kind == TokenKind::Variable && known.is(at, name))
    };
    let mut found: Vec<(String, SqlType)> = Vec::new();
    for at in 0..words.tokens.len() {
        let name = words.text(at);
        if words.tokens[at].kind != TokenKind::Variable
            || is_known(name)
            || found.iter().any(|(old, _)| old.eq_ignore_ascii_case(name))
        {
            continue;
        }
        if found.len() >= PARAMETERS_MAX {
            return Err(sql_error!(180, "prepared", PARAMETERS_MAX));
        }
        let ty = type_at(host, state, &words, at);
        found.push((name.to_string(), ty.unwrap_or(SqlType::nvarchar(4000))));
    }
    // What stays wrong with the types found is the text's own error.
    let all: Vec<String> = found.iter().map(|(name, ty)| format!("{name} {ty}")).collect();
    let joined = [declared.to_string(), all.join(", ")]
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    let module = host.bind_text(state, text, &joined).map_err(crate::session::compile::first)?;
    host.check_text(state, &module)?;
    Ok(found)
}

fn in_declare(words: &Words<'_>, at: usize) -> bool {
    (0..at).rev().take_while(|i| !words.is(*i, ";")).any(|i| words.is(i, "DECLARE"))
}

fn type_at(host: &mut SessionHost, state: &mut State, words: &Words<'_>, at: usize) -> Option<SqlType> {
    let before = |back: usize, word: &str| at >= back && words.is(at - back, word);
    if before(1, "TOP")
        || before(1, "(") && before(2, "TOP")
        || before(1, "OFFSET")
        || before(1, "NEXT")
        || before(1, "FIRST")
    {
        return Some(SqlType::BIGINT);
    }
    if (0..at).any(|i| words.is(i, "VALUES"))
        && let Some((table, column)) = words.inserted(at)
    {
        return match column {
            Ok(name) => column_type(host, state, table, name),
            Err(place) => {
                let columns = columns_of(host, state, &format!("SELECT * FROM {table}"), "", Client::Plain).ok()??;
                columns.iter().filter(|column| !is_identity(column)).nth(place).map(|column| column.ty)
            }
        };
    }
    let operators = ["=", "<", ">", "!", "LIKE", "BETWEEN"];
    let mut left = at;
    // `column IN (@a, @b` and `column BETWEEN @a AND @b`: the column is further back.
    if before(1, "AND") && (0..at).rev().take(6).any(|i| words.is(i, "BETWEEN")) {
        left = (0..at).rev().find(|i| words.is(*i, "BETWEEN")).unwrap_or(at) + 1;
    }
    let is_list = |i: usize| words.is(i, "(") && i > 0 && words.is(i - 1, "IN") && !words.is(i + 1, "SELECT");
    if let Some(list) =
        (0..at).rev().take_while(|i| !words.is(*i, ")") && !words.is(*i, "SELECT")).find(|i| is_list(*i))
    {
        left = list;
        if left >= 1 {
            left -= 1;
        }
        if left >= 1 && words.is(left - 1, "NOT") {
            left -= 1;
        }
    } else {
        while left > 0 && operators.iter().any(|operator| words.is(left - 1, operator)) {
            left -= 1;
        }
        if left > 0 && words.is(left - 1, "NOT") {
            left -= 1;
        }
    }
    let mut names = Vec::new();
    if left != at {
        names.extend(words.column_before(left));
    }
    let mut right = at + 1;
    while ["=", "<", ">", "!"].iter().any(|operator| words.is(right, operator)) {
        right += 1;
    }
    if right != at + 1 {
        names.extend(words.column_at(right));
    }
    let tables = words.tables(at);
    names.iter().find_map(|column| {
        let is_meant = |table: &&Table<'_>| {
            column.qualifier.is_none_or(|qualifier| plain(qualifier).eq_ignore_ascii_case(plain(table.alias)))
        };
        tables.iter().filter(is_meant).find_map(|table| column_type(host, state, table.name, column.name))
    })
}

fn is_identity(column: &sql::plan::OutputColumn) -> bool {
    column.origin.as_ref().is_some_and(|origin| origin.table.columns[usize::from(origin.column)].identity.is_some())
}

fn column_type(host: &mut SessionHost, state: &mut State, table: &str, column: &str) -> Option<SqlType> {
    let columns = columns_of(host, state, &format!("SELECT {column} FROM {table}"), "", Client::Plain).ok()??;
    columns.first().map(|column| column.ty)
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
    let found = infer(host, state, &tsql, &declared)?;
    let mut result = ResultSet::new(UNDECLARED);
    for (at, (name, ty)) in found.iter().enumerate() {
        let (tds_type, tds_length) = tds_form(ty);
        let mut row = vec![
            number(at as i64 + 1),
            text(name),
            number(scalar_type::system_type(ty.kind).xtype),
            text(&ty.to_string()),
            number(scalar_type::max_length(ty)),
            number(ty.precision),
            number(ty.scale),
        ];
        row.resize(16, Datum::Null);
        row.extend([
            bit(false),
            bit(false),
            bit(false),
            bit(true),
            bit(false),
            Datum::Null,
            number(tds_type),
            number(tds_length),
        ]);
        result.push(&row);
    }
    result.send(sink)?;
    Ok(0)
}
