//! What stands in FROM: tables, functions, derived tables, joins, PIVOT, and the hints of tables.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

/// Hints that need no WITH when they stand alone in parentheses, and all others of one word.
const TABLE_HINTS: &[&str] = &[
    "NOLOCK",
    "READUNCOMMITTED",
    "UPDLOCK",
    "REPEATABLEREAD",
    "SERIALIZABLE",
    "READCOMMITTED",
    "TABLOCK",
    "TABLOCKX",
    "PAGLOCK",
    "ROWLOCK",
    "NOWAIT",
    "READPAST",
    "XLOCK",
    "SNAPSHOT",
    "NOEXPAND",
    "HOLDLOCK",
    "READCOMMITTEDLOCK",
    "FORCESCAN",
    "FORCESEEK",
    "KEEPIDENTITY",
    "KEEPDEFAULTS",
    "IGNORE_CONSTRAINTS",
    "IGNORE_TRIGGERS",
];

/// One hint of each of these groups at most: table hints' page.
const ISOLATIONS: &[&[&str]] = &[
    &["NOLOCK", "READUNCOMMITTED"],
    &["READCOMMITTED"],
    &["READCOMMITTEDLOCK"],
    &["REPEATABLEREAD"],
    &["SERIALIZABLE", "HOLDLOCK"],
];
const GRANULARITIES: &[&[&str]] = &[&["ROWLOCK"], &["PAGLOCK"], &["TABLOCK"], &["TABLOCKX"]];

/// Locks that a read without locks would have.
const LOCKING: &[&str] = &["UPDLOCK", "XLOCK", "ROWLOCK", "PAGLOCK", "TABLOCK", "TABLOCKX"];
const MODES: &[&[&str]] = &[&["UPDLOCK"], &["XLOCK"]];

/// 1047.
fn conflict(hints: &[TableHint]) -> bool {
    let has =
        |words: &&[&str]| hints.iter().any(|hint| matches!(hint, TableHint::Word(word) if words.contains(&&**word)));
    let several = |groups: &[&[&str]]| groups.iter().filter(|group| has(group)).count() > 1;
    several(ISOLATIONS) || several(GRANULARITIES) || several(MODES) || has(&ISOLATIONS[0]) && has(&LOCKING)
}

/// 10746
fn seeks_and_scans(hints: &[TableHint]) -> bool {
    let has = |wanted: &str| hints.iter().any(|hint| matches!(hint, TableHint::Word(word) if &**word == wanted));
    let seeks = has("FORCESEEK") || hints.iter().any(|hint| matches!(hint, TableHint::ForceSeek { .. }));
    seeks && has("FORCESCAN")
}

/// What a parenthesis in FROM turns out to hold.
enum Inside {
    Query(Query),
    Rows(Vec<Vec<Expr>>, u32),
    Table(TableRef),
}

impl Parser<'_> {
    /// One element of the comma list: a table and everything joined to it.
    pub(super) fn table_source(&mut self) -> P<TableRef> {
        self.enter()?;
        let first = self.table_primary()?;
        let source = self.joined(first)?;
        self.depth -= 1;
        Ok(source)
    }

    /// Joins and PIVOTs in the order they are written; a PIVOT takes everything before it.
    fn joined(&mut self, first: TableRef) -> P<TableRef> {
        let mut first = first;
        let mut joins = Vec::new();
        let depth = self.depth;
        loop {
            if self.at_any(&[K::PIVOT, K::UNPIVOT]) {
                self.enter()?;
                let source = join_chain(first, std::mem::take(&mut joins));
                first = if self.at_word(K::PIVOT) { self.pivot(source)? } else { self.unpivot(source)? };
            } else if let Some((kind, hint)) = self.join_words()? {
                joins.push(self.join(kind, hint)?);
            } else {
                self.depth = depth;
                return Ok(join_chain(first, joins));
            }
        }
    }

    /// Behind the words of a join.
    fn join(&mut self, kind: JoinKind, hint: Option<JoinHint>) -> P<Join> {
        let line = self.previous.line;
        let mut right = self.table_primary()?;
        let mut on = None;
        if !matches!(kind, JoinKind::Cross | JoinKind::CrossApply | JoinKind::OuterApply) {
            // `a JOIN b JOIN c ON x ON y`: what is joined before our ON belongs to the right side.
            if !self.at_word(K::ON) {
                right = self.nested(|parser| parser.joined(right))?;
            }
            self.expect_word(K::ON)?;
            on = Some(self.condition()?);
        }
        Ok(Join { kind, hint, right, on, line })
    }

    /// `INNER LOOP JOIN`, `CROSS APPLY` ..., consumed; None if no join follows.
    fn join_words(&mut self) -> P<Option<(JoinKind, Option<JoinHint>)>> {
        let kind = match self.keyword() {
            K::JOIN => {
                self.bump();
                return Ok(Some((JoinKind::Inner, None)));
            }
            K::CROSS => {
                self.bump();
                if self.eat_word(K::APPLY) {
                    return Ok(Some((JoinKind::CrossApply, None)));
                }
                self.expect_word(K::JOIN)?;
                return Ok(Some((JoinKind::Cross, None)));
            }
            K::OUTER => {
                self.bump();
                self.expect_word(K::APPLY)?;
                return Ok(Some((JoinKind::OuterApply, None)));
            }
            K::INNER => JoinKind::Inner,
            K::LEFT => JoinKind::Left,
            K::RIGHT => JoinKind::Right,
            K::FULL => JoinKind::Full,
            _ => return Ok(None),
        };
        self.bump();
        if kind != JoinKind::Inner {
            self.eat_word(K::OUTER);
        }
        let hint = match self.keyword() {
            K::LOOP => Some(JoinHint::Loop),
            K::HASH => Some(JoinHint::Hash),
            K::MERGE => Some(JoinHint::Merge),
            K::REMOTE => Some(JoinHint::Remote),
            _ => None,
        };
        if hint.is_some() {
            self.bump();
        }
        self.expect_word(K::JOIN)?;
        Ok(Some((kind, hint)))
    }

    fn table_primary(&mut self) -> P<TableRef> {
        match self.kind() {
            T::LeftParen => self.parenthesized_source(),
            T::LeftBrace => self.odbc_outer_join(),
            T::Variable => self.variable_source(),
            T::Word if self.token.keyword != K::NONE_ && self.peek_is(1, T::LeftParen) => match self.keyword() {
                K::OPENROWSET => self.open_rowset(),
                K::OPENQUERY => self.open_query(),
                K::OPENXML => self.open_xml(),
                K::OPENDATASOURCE => self.open_data_source(),
                K::CONTAINSTABLE | K::FREETEXTTABLE => self.full_text_table(),
                K::OPENJSON => self.open_json(),
                K::CHANGETABLE => self.change_table(),
                _ => self.named_source(),
            },
            T::DoubleColon => {
                self.bump();
                self.named_source()
            }
            _ => self.named_source(),
        }
    }

    /// A table, a view, a function, or the nodes of an XML column.
    fn named_source(&mut self) -> P<TableRef> {
        let name = self.object_name()?;
        if self.at(T::LeftParen) && self.peek_word(1, K::INDEX) {
            let index = self.peek(1);
            return Err(self.old_table_hint(index));
        }
        if self.at(T::LeftParen) && !self.at_old_hints() {
            return self.function_source(name);
        }
        Ok(TableRef::Table(Box::new(self.table_behind(name, None)?)))
    }

    /// `t (NOLOCK)` is no function; what has more in its parentheses is one.
    fn at_old_hints(&mut self) -> bool {
        let word = self.peek(1);
        let is_end = self.peek_is(2, T::RightParen) || self.at_hint_of_index(word.keyword);
        word.kind == T::Word && is_end && self.is_hint(self.token_text(word))
    }

    /// Behind the parenthesis.
    fn at_hint(&mut self) -> bool {
        let word = self.peek(1);
        word.kind == T::Word && self.is_hint(self.token_text(word))
    }

    fn at_hint_of_index(&mut self, keyword: K) -> bool {
        keyword == K::FORCESEEK && self.peek_is(2, T::LeftParen)
    }

    fn is_hint(&self, word: &str) -> bool {
        TABLE_HINTS.iter().any(|hint| hint.eq_ignore_ascii_case(word))
    }

    /// What may follow a table's name: system time, sample, alias, hints, in the orders that are accepted.
    fn table_behind(&mut self, name: ObjectName, data_source: Option<Box<(Expr, Expr)>>) -> P<TableName> {
        let mut table =
            TableName { name, alias: None, hints: Vec::new(), sample: None, system_time: None, data_source };
        if self.at_word(K::FOR) && (self.peek_word(1, K::SYSTEM_TIME) || self.peek_word(1, K::PATH)) {
            table.system_time = self.system_time()?;
        }
        if self.at_word(K::TABLESAMPLE) {
            table.sample = Some(self.table_sample()?);
        }
        if self.at(T::LeftParen) && self.at_old_hints() {
            table.hints = self.hint_list(false)?;
        }
        table.alias = self.table_alias()?;
        if self.at_word(K::TABLESAMPLE) {
            table.sample = Some(self.table_sample()?);
        }
        if self.at(T::LeftParen) && (self.at_old_hints() || table.alias.is_some() && self.at_hint()) {
            table.hints = self.hint_list(false)?;
        }
        table.hints.extend(self.with_hints()?);
        if self.at_any(&[K::HOLDLOCK, K::INDEX]) {
            return Err(self.old_table_hint(self.token));
        }
        Ok(table)
    }

    /// `AS a` or `a`.
    pub(super) fn table_alias(&mut self) -> P<Option<Ident>> {
        if self.eat_word(K::AS) {
            return Ok(Some(self.ident()?));
        }
        if !self.at_name() || self.at_label() || self.at_window_clause() || self.at_word(K::USING) {
            return Ok(None);
        }
        Ok(Some(self.ident()?))
    }

    fn required_alias(&mut self) -> P<Ident> {
        match self.table_alias()? {
            Some(alias) => Ok(alias),
            None => Err(self.unexpected()),
        }
    }

    /// `WITH (hints)`; WITH and something else begins the next statement.
    pub(super) fn with_hints(&mut self) -> P<Vec<TableHint>> {
        if self.at_word(K::WITH) && self.peek_word(2, K::AS) {
            let name = self.peek(1);
            return Err(sql_error!(336, self.shown(name)).at_line(name.line));
        }
        if !self.at_word(K::WITH) || !self.peek_is(1, T::LeftParen) {
            return Ok(Vec::new());
        }
        self.bump();
        self.hint_list(true)
    }

    /// Of a table that is changed: which rows there are is for the locks of the change to say, and which index is for FROM, but of MERGE,
    /// which reads its target.
    pub(super) fn target_hints(&mut self, reads: bool) -> P<Vec<TableHint>> {
        let hints = self.with_hints()?;
        for hint in &hints {
            let error = match hint {
                TableHint::Word(word) => match &**word {
                    "NOLOCK" | "READUNCOMMITTED" => sql_error!(1065),
                    "FORCESEEK" if !reads => sql_error!(10724),
                    "FORCESCAN" if !reads => sql_error!(10745),
                    _ => continue,
                },
                TableHint::ForceSeek { .. } if !reads => sql_error!(10724),
                TableHint::Index(_) if !reads => sql_error!(1069),
                _ => continue,
            };
            return Err(error.at_line(self.previous.line));
        }
        Ok(hints)
    }

    /// `(hint, hint)`; commas may be left out. Without WITH only the hints of one word are permitted.
    fn hint_list(&mut self, with: bool) -> P<Vec<TableHint>> {
        self.expect(T::LeftParen)?;
        let mut hints = Vec::new();
        loop {
            if !with && self.at_word(K::INDEX) {
                return Err(self.old_table_hint(self.token));
            }
            hints.push(self.table_hint()?);
            if self.eat(T::RightParen) {
                if conflict(&hints) {
                    return Err(sql_error!(1047).at_line(self.previous.line));
                }
                if seeks_and_scans(&hints) {
                    return Err(sql_error!(10746).at_line(self.previous.line));
                }
                return Ok(hints);
            }
            self.eat(T::Comma);
            if !with {
                let is_hint = self.at(T::Word) && self.is_hint(self.token_text(self.token));
                return Err(if is_hint { self.old_table_hint(self.token) } else { self.unexpected() });
            }
        }
    }

    pub(super) fn table_hint(&mut self) -> P<TableHint> {
        if self.eat_word(K::INDEX) {
            if self.eat(T::Equals) {
                if self.at(T::LeftParen) {
                    return Ok(TableHint::Index(self.paren_list(Self::index_reference)?));
                }
                return Ok(TableHint::Index(vec![self.index_reference()?]));
            }
            return Ok(TableHint::Index(self.paren_list(Self::index_reference)?));
        }
        if self.at_word(K::FORCESEEK) && self.peek_is(1, T::LeftParen) {
            self.bump();
            self.bump();
            let index = self.index_reference()?;
            let columns = self.optional_ident_list()?;
            self.expect(T::RightParen)?;
            return Ok(TableHint::ForceSeek { index, columns });
        }
        if self.at_text("SPATIAL_WINDOW_MAX_CELLS") {
            self.bump();
            self.expect(T::Equals)?;
            return Ok(TableHint::SpatialWindowMaxCells(self.constant()?));
        }
        let token = self.token;
        if token.kind != T::Word {
            return Err(self.unexpected());
        }
        if !self.is_hint(self.token_text(token)) {
            return Err(sql_error!(321, self.shown(token)).at_line(token.line));
        }
        Ok(TableHint::Word(self.upper_word()))
    }

    fn index_reference(&mut self) -> P<IndexReference> {
        if self.at(T::Integer) {
            return Ok(IndexReference::Id(self.unsigned()?.min(i32::MAX as u32) as i32));
        }
        Ok(IndexReference::Name(self.ident()?))
    }

    /// A constant or a variable, and nothing that is computed.
    fn moment(&mut self) -> P<Expr> {
        if self.at_string() || self.at(T::Variable) || self.at_word(K::NULL) || Self::is_number(self.token.kind) {
            return self.primary();
        }
        Err(self.unexpected())
    }

    #[inline(never)]
    fn system_time(&mut self) -> P<Option<Box<SystemTime>>> {
        self.bump();
        if self.eat_word(K::PATH) {
            // The marker of graph queries: it changes nothing in the tree but the MATCH that needs it.
            return Ok(None);
        }
        self.bump();
        let time = match self.keyword() {
            K::ALL => {
                self.bump();
                SystemTime::All
            }
            K::AS => {
                self.bump();
                self.expect_word(K::OF)?;
                SystemTime::AsOf(self.moment()?)
            }
            K::FROM => {
                self.bump();
                let from = self.moment()?;
                self.expect_word(K::TO)?;
                SystemTime::FromTo(from, self.moment()?)
            }
            K::BETWEEN => {
                self.bump();
                let from = self.moment()?;
                self.expect_word(K::AND)?;
                SystemTime::BetweenAnd(from, self.moment()?)
            }
            K::CONTAINED => {
                self.bump();
                self.expect_word(K::IN)?;
                self.expect(T::LeftParen)?;
                let from = self.moment()?;
                self.expect(T::Comma)?;
                let to = self.moment()?;
                self.expect(T::RightParen)?;
                SystemTime::ContainedIn(from, to)
            }
            _ => return Err(self.unexpected()),
        };
        Ok(Some(Box::new(time)))
    }

    #[inline(never)]
    fn table_sample(&mut self) -> P<Box<TableSample>> {
        self.bump();
        self.eat_word(K::SYSTEM);
        self.expect(T::LeftParen)?;
        let count = self.scalar()?;
        let rows = self.eat_word(K::ROWS);
        if !rows {
            self.eat_word(K::PERCENT);
        }
        self.expect(T::RightParen)?;
        let mut seed = None;
        if self.eat_word(K::REPEATABLE) {
            self.expect(T::LeftParen)?;
            seed = Some(self.scalar()?);
            self.expect(T::RightParen)?;
        }
        Ok(Box::new(TableSample { count, rows, seed }))
    }

    #[inline(never)]
    fn variable_source(&mut self) -> P<TableRef> {
        let line = self.token.line;
        let variable = self.variable()?;
        if self.eat(T::Dot) {
            let name = self.ident()?;
            let args = self.arguments()?;
            let kind = TableFunctionKind::Method { target: Expr::Variable(variable), name, args };
            return self.function_behind(kind, line);
        }
        let alias = self.table_alias()?;
        // WITH begins the next statement.
        let old = self.at(T::LeftParen) && self.at_old_hints();
        let hints = if old { self.hint_list(false)? } else { Vec::new() };
        Ok(TableRef::Variable(Box::new(TableVariable { variable, alias, hints })))
    }

    pub(super) fn function_source(&mut self, name: ObjectName) -> P<TableRef> {
        let line = name.line;
        self.expect(T::LeftParen)?;
        let mut args = Vec::new();
        if !self.at(T::RightParen) {
            args = self.list(|parser| if parser.eat_word(K::DEFAULT) { Ok(Expr::Default) } else { parser.scalar() })?;
        }
        self.expect(T::RightParen)?;
        self.function_behind(TableFunctionKind::Call { name, args }, line)
    }

    fn function_behind(&mut self, kind: TableFunctionKind, line: u32) -> P<TableRef> {
        let alias = self.table_alias()?;
        let columns = if alias.is_some() && self.at(T::LeftParen) && !self.at_old_hints() {
            self.ident_list()?
        } else {
            Vec::new()
        };
        let hints = self.with_hints()?;
        Ok(TableRef::Function(Box::new(TableFunction { kind, alias, columns, hints, line })))
    }

    /// A derived table, rows, or a join in parentheses.
    fn parenthesized_source(&mut self) -> P<TableRef> {
        match self.inside_parentheses()? {
            Inside::Query(query) => self.derived(query),
            Inside::Rows(rows, line) => self.values(rows, line),
            Inside::Table(table) => Ok(table),
        }
    }

    fn derived(&mut self, query: Query) -> P<TableRef> {
        let alias = self.required_alias()?;
        let columns = self.optional_ident_list()?;
        Ok(TableRef::Derived(Box::new(DerivedTable { query, alias, columns })))
    }

    fn values(&mut self, rows: Vec<Vec<Expr>>, line: u32) -> P<TableRef> {
        let alias = self.required_alias()?;
        let columns = self.optional_ident_list()?;
        Ok(TableRef::Values(Box::new(ValuesTable { rows, alias, columns, line })))
    }

    /// From `(` to its `)`. Which of the three it is shows only behind the inner parentheses.
    fn inside_parentheses(&mut self) -> P<Inside> {
        self.enter()?;
        self.bump();
        let inside = match self.keyword() {
            K::SELECT | K::WITH => Inside::Query(self.query()?),
            K::VALUES => {
                let line = self.token.line;
                self.bump();
                Inside::Rows(self.value_rows()?, line)
            }
            K::INSERT | K::UPDATE | K::DELETE | K::MERGE => return self.dml_source(),
            _ if self.at(T::LeftParen) => self.doubly_parenthesized()?,
            _ => Inside::Table(self.table_source()?),
        };
        self.expect(T::RightParen)?;
        self.depth -= 1;
        Ok(inside)
    }

    fn doubly_parenthesized(&mut self) -> P<Inside> {
        let table = match self.inside_parentheses()? {
            Inside::Query(query) if self.at(T::RightParen) => return Ok(Inside::Query(query)),
            Inside::Query(query) if self.at_any(&[K::UNION, K::EXCEPT, K::INTERSECT, K::ORDER]) => {
                return Ok(Inside::Query(self.query_behind(query)?));
            }
            Inside::Rows(rows, line) if self.at(T::RightParen) => return Ok(Inside::Rows(rows, line)),
            Inside::Query(query) => self.derived(query)?,
            Inside::Rows(rows, line) => self.values(rows, line)?,
            Inside::Table(table) => table,
        };
        Ok(Inside::Table(self.joined(table)?))
    }

    /// The rows of VALUES: `(a, b), (c, d)`.
    pub(super) fn value_rows(&mut self) -> P<Vec<Vec<Expr>>> {
        self.list(|parser| {
            parser.paren_list(|parser| if parser.eat_word(K::DEFAULT) { Ok(Expr::Default) } else { parser.scalar() })
        })
    }

    /// `(MERGE ... OUTPUT ...) AS a (columns)`; the current token is the statement's first.
    #[inline(never)]
    fn dml_source(&mut self) -> P<Inside> {
        let statement = self.dml_statement()?;
        self.expect(T::RightParen)?;
        self.depth -= 1;
        let alias = self.required_alias()?;
        let columns = self.optional_ident_list()?;
        Ok(Inside::Table(TableRef::Dml(Box::new(DmlTable { statement, alias, columns }))))
    }

    /// `{oj a LEFT JOIN b ON ...}`
    #[inline(never)]
    fn odbc_outer_join(&mut self) -> P<TableRef> {
        self.bump();
        self.expect_text("OJ")?;
        let source = self.table_source()?;
        self.expect(T::RightBrace)?;
        Ok(source)
    }

    #[inline(never)]
    fn pivot(&mut self, source: TableRef) -> P<TableRef> {
        let line = self.token.line;
        self.bump();
        self.expect(T::LeftParen)?;
        let aggregate = self.object_name()?;
        self.expect(T::LeftParen)?;
        let argument = self.column_name()?;
        self.expect(T::RightParen)?;
        self.expect_word(K::FOR)?;
        let column = self.pivot_column()?;
        self.expect_word(K::IN)?;
        let values = self.ident_list()?;
        self.expect(T::RightParen)?;
        let alias = self.required_alias()?;
        Ok(TableRef::Pivot(Box::new(Pivot { source, aggregate, argument, column, values, alias, line })))
    }

    /// The table's name may stand before the column and says nothing.
    fn pivot_column(&mut self) -> P<Ident> {
        Ok(self.column_name()?.name)
    }

    #[inline(never)]
    fn unpivot(&mut self, source: TableRef) -> P<TableRef> {
        let line = self.token.line;
        self.bump();
        self.expect(T::LeftParen)?;
        let value = self.ident()?;
        self.expect_word(K::FOR)?;
        let column = self.ident()?;
        self.expect_word(K::IN)?;
        let columns = self.paren_list(Self::pivot_column)?;
        self.expect(T::RightParen)?;
        let alias = self.required_alias()?;
        Ok(TableRef::Unpivot(Box::new(Unpivot { source, value, column, columns, alias, line })))
    }

    #[inline(never)]
    fn open_json(&mut self) -> P<TableRef> {
        let line = self.token.line;
        self.bump();
        self.bump();
        let text = self.scalar()?;
        let path = if self.eat(T::Comma) { Some(self.scalar()?) } else { None };
        self.expect(T::RightParen)?;
        let schema = if self.at_word(K::WITH) && self.peek_is(1, T::LeftParen) {
            self.bump();
            Some(self.paren_list(Self::open_column)?)
        } else {
            None
        };
        self.function_behind(TableFunctionKind::OpenJson { text, path, schema }, line)
    }

    /// `name type [COLLATE c] ['path' | ordinal] [AS JSON]`
    fn open_column(&mut self) -> P<OpenColumn> {
        let name = self.ident()?;
        let data_type = self.data_type()?;
        let collation = if self.eat_word(K::COLLATE) { Some(self.ident()?) } else { None };
        let mut path = None;
        if self.at_string() || self.at(T::Integer) || self.at(T::Variable) {
            path = Some(self.constant()?);
        }
        let as_json = self.at_word(K::AS) && self.peek_word(1, K::JSON);
        if as_json {
            self.bump();
            self.bump();
        }
        if self.eat_word(K::NOT) {
            self.expect_word(K::NULL)?;
        } else {
            self.eat_word(K::NULL);
        }
        Ok(OpenColumn { name, data_type, collation, path, as_json })
    }

    #[inline(never)]
    fn open_xml(&mut self) -> P<TableRef> {
        let line = self.token.line;
        self.bump();
        self.bump();
        let handle = self.scalar()?;
        self.expect(T::Comma)?;
        let pattern = self.scalar()?;
        let flags = if self.eat(T::Comma) { Some(self.scalar()?) } else { None };
        self.expect(T::RightParen)?;
        let mut schema = OpenXmlSchema::None;
        if self.at_word(K::WITH) {
            let next = self.peek(1);
            if next.kind == T::LeftParen {
                self.bump();
                schema = OpenXmlSchema::Columns(self.paren_list(Self::open_column)?);
            } else if self.is_name(next) {
                self.bump();
                schema = OpenXmlSchema::Table(Box::new(self.object_name()?));
            }
        }
        self.function_behind(TableFunctionKind::OpenXml { handle, pattern, flags, schema }, line)
    }

    /// OPENQUERY(server, 'query'): the server becomes a column of one part.
    #[inline(never)]
    fn open_query(&mut self) -> P<TableRef> {
        let line = self.token.line;
        let name = ObjectName::unqualified(self.any_word()?, line);
        self.expect(T::LeftParen)?;
        let server = ColumnName { table: None, name: self.ident()?, line };
        self.expect(T::Comma)?;
        let args = vec![Expr::Column(Box::new(server)), self.string_or_variable()?];
        self.expect(T::RightParen)?;
        self.function_behind(TableFunctionKind::Call { name, args }, line)
    }

    #[inline(never)]
    fn open_data_source(&mut self) -> P<TableRef> {
        self.bump();
        self.bump();
        let provider = self.string_expr()?;
        self.expect(T::Comma)?;
        let connection = self.string_expr()?;
        self.expect(T::RightParen)?;
        self.expect(T::Dot)?;
        let name = self.object_name()?;
        let table = self.table_behind(name, Some(Box::new((provider, connection))))?;
        Ok(TableRef::Table(Box::new(table)))
    }

    #[inline(never)]
    fn open_rowset(&mut self) -> P<TableRef> {
        let line = self.token.line;
        self.bump();
        self.bump();
        if self.at_word(K::BULK) {
            return self.open_rowset_bulk(line);
        }
        let mut args = vec![self.string_or_word()?];
        let mut object = None;
        // `'server';'user';'password'` is the old connection string.
        while self.eat(T::Comma) || self.eat(T::Semicolon) {
            if self.at_string() || self.at(T::Variable) || self.at_word(K::NULL) || Self::is_number(self.token.kind) {
                args.push(self.constant()?);
            } else if self.at_name() || self.at(T::Dot) {
                // Internal rowsets take bare names as well: OPENROWSET(TABLE SYSxxx, 1).
                object = Some(Box::new(self.object_name()?));
            } else {
                return Err(self.unexpected());
            }
        }
        self.expect(T::RightParen)?;
        self.function_behind(TableFunctionKind::OpenRowset { args, object }, line)
    }

    fn string_or_word(&mut self) -> P<Expr> {
        if self.at_string() || self.at(T::Variable) {
            return self.string_or_variable();
        }
        if self.at_word(K::TABLE) {
            self.bump();
        }
        Ok(Expr::Word(self.ident()?))
    }

    fn open_rowset_bulk(&mut self, line: u32) -> P<TableRef> {
        self.bump();
        let files = if self.at(T::LeftParen) {
            self.paren_list(Self::string_or_variable)?
        } else {
            vec![self.string_or_variable()?]
        };
        let mut options = Vec::new();
        let mut order = Vec::new();
        let mut unique = false;
        while self.eat(T::Comma) {
            if self.at_word(K::ORDER) && self.peek_is(1, T::LeftParen) {
                self.bump();
                order = self.paren_list(Self::order_item)?;
                unique = self.eat_word(K::UNIQUE);
            } else {
                options.push(self.setting()?);
            }
        }
        self.expect(T::RightParen)?;
        let schema = if self.at_word(K::WITH) && self.peek_is(1, T::LeftParen) && !self.peek_is_hint(2) {
            self.bump();
            self.paren_list(Self::open_column)?
        } else {
            Vec::new()
        };
        self.function_behind(TableFunctionKind::OpenRowsetBulk { files, options, order, unique, schema }, line)
    }

    fn peek_is_hint(&mut self, distance: usize) -> bool {
        let token = self.peek(distance);
        self.is_hint(self.token_text(token))
    }

    #[inline(never)]
    fn change_table(&mut self) -> P<TableRef> {
        let line = self.token.line;
        self.bump();
        self.bump();
        let mut changes_since = None;
        let (mut key_columns, mut key_values) = (Vec::new(), Vec::new());
        let table;
        if self.eat_word(K::CHANGES) {
            table = self.object_name()?;
            self.expect(T::Comma)?;
            changes_since = Some(self.scalar()?);
            if self.eat(T::Comma) {
                self.expect_word(K::FORCESEEK)?;
            }
        } else {
            self.expect_word(K::VERSION)?;
            table = self.object_name()?;
            self.expect(T::Comma)?;
            key_columns = self.ident_list()?;
            self.expect(T::Comma)?;
            key_values = self.arguments()?;
        }
        self.expect(T::RightParen)?;
        self.function_behind(TableFunctionKind::ChangeTable { table, changes_since, key_columns, key_values }, line)
    }

    #[inline(never)]
    fn full_text_table(&mut self) -> P<TableRef> {
        let line = self.token.line;
        let free = self.at_word(K::FREETEXTTABLE);
        self.bump();
        self.bump();
        let table = self.object_name()?;
        self.expect(T::Comma)?;
        let columns = if self.eat(T::Star) {
            Vec::new()
        } else if self.eat(T::LeftParen) {
            let columns = if self.eat(T::Star) { Vec::new() } else { self.list(Self::ident)? };
            self.expect(T::RightParen)?;
            columns
        } else {
            vec![self.ident()?]
        };
        self.expect(T::Comma)?;
        let condition = self.string_or_variable()?;
        let language = self.full_text_language()?;
        let top = if self.eat(T::Comma) { Some(self.constant()?) } else { None };
        self.expect(T::RightParen)?;
        let kind = TableFunctionKind::FullText { free, table, columns, condition, language, top };
        self.function_behind(kind, line)
    }
}

fn join_chain(first: TableRef, joins: Vec<Join>) -> TableRef {
    if joins.is_empty() { first } else { TableRef::Join(Box::new(JoinChain { first, joins })) }
}
