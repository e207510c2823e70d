//! INSERT, UPDATE, DELETE, TRUNCATE, BULK INSERT and INSERT BULK. MERGE has its own file.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

impl Parser<'_> {
    /// INSERT, UPDATE, DELETE or MERGE inside parentheses, as the source of another INSERT.
    pub(super) fn dml_statement(&mut self) -> P<Statement> {
        let (line, start) = (self.token.line, self.token.start);
        let kind = match self.keyword() {
            K::INSERT => self.insert(None)?,
            K::UPDATE => self.update(None)?,
            K::DELETE => self.delete(None)?,
            _ => StatementKind::Merge(Box::new(self.merge(None)?)),
        };
        Ok(Statement { kind, line, span: self.span_from(start) })
    }

    /// Outside SELECT the count is in parentheses.
    pub(super) fn optional_top(&mut self) -> P<Option<Box<Top>>> {
        if !self.at_word(K::TOP) {
            return Ok(None);
        }
        if !self.peek_is(1, T::LeftParen) {
            self.bump();
            return Err(self.unexpected());
        }
        Ok(Some(self.top()?))
    }

    /// The table that is changed.
    pub(super) fn target(&mut self) -> P<Target> {
        self.target_with(false)
    }

    /// `reads`: it may have the hints of a table that is read.
    pub(super) fn target_with(&mut self, reads: bool) -> P<Target> {
        if self.at(T::Variable) {
            return Ok(Target::Variable(self.variable()?));
        }
        if self.at_any(&[K::OPENQUERY, K::OPENROWSET, K::OPENDATASOURCE]) {
            return Ok(Target::Function(Box::new(self.table_source()?)));
        }
        let name = self.object_name()?;
        let hints = self.target_hints(reads)?;
        Ok(Target::Table { name, hints })
    }

    /// UPDATE and DELETE also reach through an inline function.
    fn target_or_function(&mut self) -> P<Target> {
        let target = self.target()?;
        match target {
            Target::Table { name, hints } if hints.is_empty() && self.at(T::LeftParen) => {
                Ok(Target::Function(Box::new(self.function_source(name)?)))
            }
            other => Ok(other),
        }
    }

    #[inline(never)]
    pub(super) fn insert(&mut self, with: Option<Box<With>>) -> P<StatementKind> {
        self.bump();
        if self.at_word(K::BULK) {
            return Ok(StatementKind::InsertBulk(Box::new(self.insert_bulk()?)));
        }
        let top = self.optional_top()?;
        self.eat_word(K::INTO);
        let target = self.target()?;
        refuse_read_past(&target).map_err(|error| error.at_line(self.previous.line))?;
        let mut columns = Vec::new();
        if self.at(T::LeftParen) && !self.at_source_in_parentheses() {
            columns = self.paren_list(Self::column_name)?;
        }
        let output = self.output_clause()?;
        let (source, options) = self.insert_source()?;
        Ok(StatementKind::Insert(Box::new(Insert { with, top, target, columns, output, source, options })))
    }

    /// `INSERT t (SELECT ...)`: the parenthesis holds no columns.
    fn at_source_in_parentheses(&mut self) -> bool {
        let next = self.peek(1);
        next.kind == T::LeftParen || matches!(next.keyword, K::SELECT | K::WITH)
    }

    fn insert_source(&mut self) -> P<(InsertSource, Vec<QueryHint>)> {
        let source = match self.keyword() {
            K::VALUES => {
                self.bump();
                InsertSource::Values(self.value_rows()?)
            }
            K::DEFAULT => {
                self.bump();
                self.expect_word(K::VALUES)?;
                InsertSource::DefaultValues
            }
            K::EXEC | K::EXECUTE => match self.execute()? {
                StatementKind::Execute(execute) => InsertSource::Execute(execute),
                StatementKind::ExecuteString(execute) => InsertSource::ExecuteString(execute),
                _ => return Err(self.unexpected()),
            },
            K::SELECT => return self.insert_query(None),
            // Hints stand before the columns.
            K::WITH if self.peek_is(1, T::LeftParen) => {
                return Err(self.unexpected());
            }
            K::WITH => {
                let with = self.with_clause()?;
                return self.insert_query(Some(with));
            }
            _ if self.at(T::LeftParen) => return self.insert_query(None),
            _ => return Err(self.unexpected()),
        };
        Ok((source, self.option_clause()?))
    }

    fn insert_query(&mut self, with: Option<Box<With>>) -> P<(InsertSource, Vec<QueryHint>)> {
        let mut query = self.query_statement(with, false)?;
        let options = std::mem::take(&mut query.options);
        Ok((InsertSource::Query(Box::new(query)), options))
    }

    /// `OUTPUT items [INTO t (columns)] [OUTPUT items]` if it is there.
    pub(super) fn output_clause(&mut self) -> P<Option<Box<Output>>> {
        if !self.at_word(K::OUTPUT) {
            return Ok(None);
        }
        self.bump();
        let items = self.list(Self::select_item)?;
        if !self.eat_word(K::INTO) {
            return Ok(Some(Box::new(Output { into: None, items })));
        }
        let target = self.target()?;
        let columns =
            if self.at(T::LeftParen) && !self.at_source_in_parentheses() { self.ident_list()? } else { Vec::new() };
        let into = Some(OutputInto { items, target, columns });
        let items = if self.eat_word(K::OUTPUT) { self.list(Self::select_item)? } else { Vec::new() };
        Ok(Some(Box::new(Output { into, items })))
    }

    #[inline(never)]
    pub(super) fn update(&mut self, with: Option<Box<With>>) -> P<StatementKind> {
        self.bump();
        let top = self.optional_top()?;
        let target = self.target_or_function()?;
        self.expect_word(K::SET)?;
        let set = self.list(Self::set_clause)?;
        let output = self.output_clause()?;
        let from = if self.eat_word(K::FROM) { self.list(Self::table_source)? } else { Vec::new() };
        let filter = self.filter()?;
        let options = self.option_clause()?;
        Ok(StatementKind::Update(Box::new(Update { with, top, target, set, output, from, filter, options })))
    }

    pub(super) fn set_clause(&mut self) -> P<SetClause> {
        if self.at(T::Variable) {
            return self.set_clause_of_variable();
        }
        let column = self.column_name()?;
        if self.at(T::LeftParen) {
            return self.mutator(column);
        }
        let op = self.assign_op()?;
        let value = self.value_or_default()?;
        Ok(SetClause::Column { column, op, value })
    }

    fn value_or_default(&mut self) -> P<Expr> {
        if self.eat_word(K::DEFAULT) { Ok(Expr::Default) } else { self.scalar() }
    }

    /// `@v = x`, `@v = column = x`, `@v = column += x`
    fn set_clause_of_variable(&mut self) -> P<SetClause> {
        let variable = self.variable()?;
        let op = self.assign_op()?;
        if op == AssignOp::Set && self.at_name() {
            let parts = self.name_parts(false)?;
            if self.at_assignment() {
                let column = parts.into_column().ok_or_else(|| self.unexpected())?;
                let op = self.assign_op()?;
                let value = self.value_or_default()?;
                return Ok(SetClause::VariableColumn { variable, column, op, value });
            }
            let name = self.named_rest(parts)?;
            let value = self.scalar_behind(name)?;
            return Ok(SetClause::Variable { variable, op, value });
        }
        Ok(SetClause::Variable { variable, op, value: self.scalar()? })
    }

    fn at_assignment(&mut self) -> bool {
        use T::{Ampersand, Bar, Caret, DoubleBar, Minus, Percent, Plus, Slash, Star};
        self.at(T::Equals)
            || matches!(self.token.kind, Plus | Minus | Star | Slash | Percent | Ampersand | Bar | Caret | DoubleBar)
                && self.peek_is(1, T::Equals)
    }

    /// `column.WRITE(...)`: what was read as a column's name ends with the method's. The column is not named with its table.
    /// https://learn.microsoft.com/sql/t-sql/queries/update-transact-sql
    fn mutator(&mut self, name: ColumnName) -> P<SetClause> {
        let Some(table) = name.table else { return Err(self.unexpected()) };
        let method = name.name;
        if table.schema.is_some() {
            return Err(self.near(table.line, "."));
        }
        let args = self.arguments()?;
        let column = ColumnName { table: None, name: table.name, line: table.line };
        Ok(SetClause::Method { column, method, args })
    }

    fn filter(&mut self) -> P<Option<Filter>> {
        if !self.eat_word(K::WHERE) {
            return Ok(None);
        }
        if self.eat_word(K::CURRENT) {
            self.expect_word(K::OF)?;
            return Ok(Some(Filter::CurrentOf(self.cursor_name()?)));
        }
        Ok(Some(Filter::Where(self.condition()?)))
    }

    #[inline(never)]
    pub(super) fn delete(&mut self, with: Option<Box<With>>) -> P<StatementKind> {
        self.bump();
        let top = self.optional_top()?;
        self.eat_word(K::FROM);
        let target = self.target_or_function()?;
        let output = self.output_clause()?;
        let from = if self.eat_word(K::FROM) { self.list(Self::table_source)? } else { Vec::new() };
        let filter = self.filter()?;
        let options = self.option_clause()?;
        Ok(StatementKind::Delete(Box::new(Delete { with, top, target, output, from, filter, options })))
    }

    #[inline(never)]
    pub(super) fn truncate(&mut self) -> P<StatementKind> {
        self.bump();
        self.expect_word(K::TABLE)?;
        let table = self.object_name()?;
        let mut partitions = Vec::new();
        if self.at_word(K::WITH) && self.peek_is(1, T::LeftParen) && self.peek_word(2, K::PARTITIONS) {
            self.bump();
            self.bump();
            self.bump();
            partitions = self.paren_list(|parser| {
                let from = parser.scalar()?;
                let to = if parser.eat_word(K::TO) { Some(parser.scalar()?) } else { None };
                Ok((from, to))
            })?;
            self.expect(T::RightParen)?;
        }
        Ok(StatementKind::Truncate(Box::new(Truncate { table, partitions })))
    }

    #[inline(never)]
    pub(super) fn bulk_insert(&mut self) -> P<StatementKind> {
        self.bump();
        self.expect_word(K::INSERT)?;
        let table = self.object_name()?;
        self.expect_word(K::FROM)?;
        let file = self.string_or_variable()?;
        let (options, order) = self.bulk_options()?;
        Ok(StatementKind::BulkInsert(Box::new(BulkInsert { table, file, options, order })))
    }

    /// `WITH (a = 1, ORDER (columns), ...)`
    fn bulk_options(&mut self) -> P<(Vec<Setting>, Vec<OrderItem>)> {
        let (mut options, mut order) = (Vec::new(), Vec::new());
        if !self.at_word(K::WITH) || !self.peek_is(1, T::LeftParen) {
            return Ok((options, order));
        }
        self.bump();
        self.bump();
        loop {
            if self.at_word(K::ORDER) && self.peek_is(1, T::LeftParen) {
                self.bump();
                order = self.paren_list(Self::order_item)?;
            } else {
                options.push(self.setting()?);
            }
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(T::RightParen)?;
        Ok((options, order))
    }

    /// What a client sends before a bulk load. The current token is BULK.
    fn insert_bulk(&mut self) -> P<InsertBulk> {
        self.bump();
        let table = self.object_name()?;
        let mut columns = Vec::new();
        if self.at(T::LeftParen) {
            columns = self.paren_list(|parser| {
                let column = parser.column_definition(true)?;
                let data_type = match column.kind {
                    ColumnKind::Typed(data_type) => Some(data_type),
                    _ => None,
                };
                Ok(InsertBulkColumn { name: column.name, data_type, collation: column.collation, null: column.null })
            })?;
        }
        let (options, order) = self.bulk_options()?;
        Ok(InsertBulk { table, columns, options, order })
    }

    /// NULL true, NOT NULL false.
    pub(super) fn nullability(&mut self) -> P<Option<bool>> {
        if self.eat_word(K::NULL) {
            return Ok(Some(true));
        }
        if self.at_word(K::NOT) && self.peek_word(1, K::NULL) {
            self.bump();
            self.bump();
            return Ok(Some(false));
        }
        Ok(None)
    }
}

/// 4102: a new row has nothing that could be passed by.
fn refuse_read_past(target: &Target) -> P<()> {
    let reads_past = |hint: &TableHint| matches!(hint, TableHint::Word(word) if &**word == "READPAST");
    match target {
        Target::Table { hints, .. } if hints.iter().any(reads_past) => Err(sql_error!(4102)),
        _ => Ok(()),
    }
}
