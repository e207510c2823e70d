//! SELECT and what combines SELECTs.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

/// What an ORDER BY between or behind the operands of UNION, EXCEPT and INTERSECT belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Of a statement: it stands behind the last and orders the whole result. There is none in parentheses:
    /// https://learn.microsoft.com/sql/t-sql/queries/select-transact-sql#syntax
    Statement,
    /// Of the source of an INSERT and of a cursor: likewise, but for the parentheses.
    Whole,
    /// In subqueries, views and functions: each SELECT with TOP may have its own.
    Select,
}

impl Query {
    /// Without anything around its body.
    fn of_body(body: QueryBody, line: u32) -> Query {
        Query {
            with: None,
            body,
            order_by: Vec::new(),
            offset: None,
            fetch: None,
            for_clause: None,
            options: Vec::new(),
            line,
        }
    }
}

impl Parser<'_> {
    /// A query inside a statement: no OPTION. WITH is not permitted here and gives its error.
    pub(super) fn query(&mut self) -> P<Query> {
        self.query_whole(None, Order::Select)
    }

    /// The query of a view or a function: it may begin with WITH.
    pub(super) fn query_with_ctes(&mut self) -> P<Query> {
        self.query_begun(Order::Select)
    }

    /// The query of a cursor likewise; it is ordered as a statement is.
    pub(super) fn query_of_cursor(&mut self) -> P<Query> {
        self.query_begun(Order::Whole)
    }

    fn query_begun(&mut self, order: Order) -> P<Query> {
        let with = if self.at_word(K::WITH) { Some(self.with_clause()?) } else { None };
        if !self.at_word(K::SELECT) && !self.at(T::LeftParen) {
            return Err(self.unexpected());
        }
        self.query_whole(with, order)
    }

    /// As a statement of its own, or the source of INSERT (`alone` says which): with OPTION.
    pub(super) fn query_statement(&mut self, with: Option<Box<With>>, alone: bool) -> P<Query> {
        let mut query = self.query_whole(with, if alone { Order::Statement } else { Order::Whole })?;
        // FOR UPDATE, FOR READ ONLY: of a driver's cursor, which the binder knows.
        if self.at_word(K::FOR) && (self.peek_word(1, K::UPDATE) || self.peek_word(1, K::READ)) {
            self.bump();
            query.for_clause = Some(Box::new(self.cursor_for()?));
        }
        query.options = self.option_clause()?;
        // FOR XML and FOR JSON are also taken behind OPTION.
        if !query.options.is_empty() && query.for_clause.is_none() && self.at_word(K::FOR) {
            query.for_clause = self.for_clause()?;
        }
        Ok(query)
    }

    /// `first` was in parentheses; set operators follow it inside another pair.
    pub(super) fn query_behind(&mut self, first: Query) -> P<Query> {
        let line = first.line;
        let body = self.set_operations(QueryBody::Nested(Box::new(first)), Order::Select)?;
        self.query_tail(None, body, line)
    }

    fn query_whole(&mut self, with: Option<Box<With>>, order: Order) -> P<Query> {
        let line = self.token.line;
        self.enter()?;
        let mut first = self.query_operand(order)?;
        if order == Order::Select && self.at_word(K::ORDER) && matches!(first, QueryBody::Select(_)) {
            let ordered = self.query_tail(None, first, line)?;
            if !self.at_any(&[K::UNION, K::EXCEPT, K::INTERSECT]) {
                self.depth -= 1;
                return Ok(Query { with, ..ordered });
            }
            first = QueryBody::Nested(Box::new(ordered));
        }
        let body = self.set_operations(first, order)?;
        self.depth -= 1;
        self.query_tail(with, body, line)
    }

    /// In parentheses of a statement.
    fn query_unordered(&mut self) -> P<Query> {
        let line = self.token.line;
        self.enter()?;
        let first = self.query_operand(Order::Statement)?;
        let body = self.set_operations(first, Order::Statement)?;
        self.depth -= 1;
        if self.at_any(&[K::ORDER, K::FOR]) {
            return Err(self.unexpected());
        }
        self.query_tail(None, body, line)
    }

    fn set_operations(&mut self, first: QueryBody, order: Order) -> P<QueryBody> {
        let first = self.intersections(first, order)?;
        let mut rest = Vec::new();
        while self.at_any(&[K::UNION, K::EXCEPT]) {
            let operator = match (self.eat_word(K::EXCEPT), self.eat_word(K::UNION)) {
                (true, _) => {
                    self.refuse_all("EXCEPT", 2)?;
                    SetOperator::Except
                }
                _ if self.eat_word(K::ALL) => SetOperator::UnionAll,
                _ => SetOperator::Union,
            };
            let operand = self.operand_behind(order)?;
            rest.push((operator, self.intersections(operand, order)?));
        }
        Ok(set_operation(first, rest))
    }

    /// INTERSECT binds tighter than the others.
    fn intersections(&mut self, first: QueryBody, order: Order) -> P<QueryBody> {
        let mut rest = Vec::new();
        while self.eat_word(K::INTERSECT) {
            self.refuse_all("INTERSECT", 1)?;
            rest.push((SetOperator::Intersect, self.operand_behind(order)?));
        }
        Ok(set_operation(first, rest))
    }

    /// 324
    fn refuse_all(&mut self, operator: &str, state: u8) -> P<()> {
        match self.at_word(K::ALL) {
            true => Err(sql_error!(324, state state, operator).at_line(self.token.line)),
            false => Ok(()),
        }
    }

    /// An operand behind a set operator. In a subquery the order of a SELECT with TOP says which of its rows come first.
    fn operand_behind(&mut self, order: Order) -> P<QueryBody> {
        match self.query_operand(order)? {
            QueryBody::Select(select) if order == Order::Select && select.top.is_some() && self.at_word(K::ORDER) => {
                let line = select.line;
                let mut ordered = Query::of_body(QueryBody::Select(select), line);
                self.order_and_offset(&mut ordered)?;
                Ok(QueryBody::Nested(Box::new(ordered)))
            }
            // Only the first makes a table.
            QueryBody::Select(select) if select.into.is_some() => Err(sql_error!(156, "into").at_line(select.line)),
            operand => Ok(operand),
        }
    }

    fn query_operand(&mut self, order: Order) -> P<QueryBody> {
        if self.eat(T::LeftParen) {
            let query = self.nested(|parser| match order {
                Order::Statement => parser.query_unordered(),
                Order::Whole | Order::Select => parser.query(),
            })?;
            self.expect(T::RightParen)?;
            return Ok(QueryBody::Nested(Box::new(query)));
        }
        if !self.at_word(K::SELECT) {
            return Err(self.unexpected());
        }
        Ok(QueryBody::Select(self.select()?))
    }

    #[inline(never)]
    fn select(&mut self) -> P<Box<Select>> {
        let mut select = Box::new(Select {
            distinct: false,
            top: None,
            items: Vec::new(),
            into: None,
            from: Vec::new(),
            filter: None,
            group_by: None,
            having: None,
            windows: Vec::new(),
            line: self.token.line,
        });
        self.bump();
        if self.eat_word(K::DISTINCT) {
            select.distinct = true;
        } else {
            self.eat_word(K::ALL);
        }
        if self.at_word(K::TOP) {
            select.top = Some(self.top()?);
        }
        select.items = self.list(Self::select_item)?;
        if self.eat_word(K::INTO) {
            let table = self.object_name()?;
            let filegroup = if self.eat_word(K::ON) { Some(self.ident_or_string()?) } else { None };
            select.into = Some(Box::new(IntoTable { table, filegroup }));
        }
        if self.eat_word(K::FROM) {
            select.from = self.list(Self::table_source)?;
        }
        if self.eat_word(K::WHERE) {
            select.filter = Some(self.condition()?);
        }
        if self.eat_word(K::GROUP) {
            select.group_by = Some(self.group_by()?);
        }
        if self.eat_word(K::HAVING) {
            select.having = Some(self.condition()?);
        }
        if self.at_window_clause() {
            select.windows = self.window_clause()?;
        }
        Ok(select)
    }

    /// WINDOW is a name unless `name AS (` follows.
    pub(super) fn at_window_clause(&mut self) -> bool {
        if !self.at_word(K::WINDOW) {
            return false;
        }
        let name = self.peek(1);
        self.is_name(name) && self.peek_word(2, K::AS) && self.peek_is(3, T::LeftParen)
    }

    /// The current token is TOP.
    pub(super) fn top(&mut self) -> P<Box<Top>> {
        self.bump();
        let bare = !self.at(T::LeftParen);
        let count = if bare {
            if !Self::is_number(self.token.kind) {
                return Err(self.unexpected());
            }
            Expr::Literal(self.literal()?)
        } else {
            self.bump();
            let count = if self.at_query() { Expr::Subquery(Box::new(self.query()?)) } else { self.scalar()? };
            let count = self.more_of_query(count)?;
            self.expect(T::RightParen)?;
            count
        };
        let percent = self.eat_word(K::PERCENT);
        let with_ties = self.eat_words(K::WITH, K::TIES);
        Ok(Box::new(Top { count, percent, with_ties, bare }))
    }

    pub(super) fn select_item(&mut self) -> P<SelectItem> {
        let line = self.token.line;
        match self.kind() {
            T::Star => {
                self.bump();
                return Ok(SelectItem::Star { table: None, line });
            }
            T::Variable => {
                if let Some(assignment) = self.assignment()? {
                    return Ok(assignment);
                }
            }
            _ if self.at_name() => match self.peek(1).kind {
                T::Dot => return self.dotted_item(line),
                T::Equals => return self.named_item(line),
                _ => {}
            },
            _ if self.at_string() && self.peek_is(1, T::Equals) => return self.named_item(line),
            _ => {}
        }
        let expr = self.scalar()?;
        self.aliased(expr, line)
    }

    /// `alias = x`
    fn named_item(&mut self, line: u32) -> P<SelectItem> {
        let alias = Some(self.ident_or_string()?);
        self.bump();
        Ok(SelectItem::Expr { expr: self.scalar()?, alias, line })
    }

    /// `t.*`, or an expression that begins with a name of several parts.
    fn dotted_item(&mut self, line: u32) -> P<SelectItem> {
        let parts = self.name_parts(true)?;
        if parts.star {
            let table = self.parts_to_object(parts)?;
            return Ok(SelectItem::Star { table: Some(Box::new(table)), line });
        }
        let name = self.named_rest(parts)?;
        let expr = self.scalar_behind(name)?;
        self.aliased(expr, line)
    }

    fn aliased(&mut self, expr: Expr, line: u32) -> P<SelectItem> {
        let alias = self.column_alias()?;
        Ok(SelectItem::Expr { expr, alias, line })
    }

    pub(super) fn column_alias(&mut self) -> P<Option<Ident>> {
        if self.eat_word(K::AS) {
            return Ok(Some(self.ident_or_string()?));
        }
        if self.at_string() {
            return Ok(Some(self.ident_or_string()?));
        }
        if self.at_name() && !self.at_label() && !self.at_window_clause() {
            return Ok(Some(self.ident()?));
        }
        Ok(None)
    }

    /// `name:` begins a statement, whatever stands before it.
    pub(super) fn at_label(&mut self) -> bool {
        self.at(T::Word) && self.peek_is(1, T::Colon)
    }

    /// `@v = x`, `@v += x`; None if the variable begins an expression.
    fn assignment(&mut self) -> P<Option<SelectItem>> {
        let Some(op) = self.assign_op_behind() else { return Ok(None) };
        let variable = self.variable()?;
        self.skip_assign_op();
        Ok(Some(SelectItem::Assign { variable, op, value: self.scalar()? }))
    }

    /// The assignment operator behind the current token.
    pub(super) fn assign_op_behind(&mut self) -> Option<AssignOp> {
        let first = self.peek(1);
        if first.kind == T::Equals {
            return Some(AssignOp::Set);
        }
        let op = compound(first.kind)?;
        let equals = self.peek(2);
        (equals.kind == T::Equals && equals.start == first.end).then_some(op)
    }

    /// The assignment operator at the current token, consumed.
    pub(super) fn assign_op(&mut self) -> P<AssignOp> {
        if self.eat(T::Equals) {
            return Ok(AssignOp::Set);
        }
        match compound(self.token.kind) {
            Some(op) if self.peek_is(1, T::Equals) && self.peek(1).start == self.token.end => {
                self.skip_assign_op();
                Ok(op)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn skip_assign_op(&mut self) {
        if !self.at(T::Equals) {
            self.bump();
        }
        self.bump();
    }

    /// The rest of a value whose first operand has been read.
    pub(super) fn scalar_behind(&mut self, first: Expr) -> P<Expr> {
        self.nested(|parser| {
            let operand = parser.postfix(first)?;
            parser.operators(operand, 0)
        })
    }

    fn group_by(&mut self) -> P<Box<GroupBy>> {
        self.expect_word(K::BY)?;
        let all = self.eat_word(K::ALL);
        let items = self.list(Self::group_item)?;
        let with = if self.at_word(K::WITH) && (self.peek_word(1, K::ROLLUP) || self.peek_word(1, K::CUBE)) {
            self.bump();
            let rollup = self.at_word(K::ROLLUP);
            self.bump();
            Some(if rollup { OldGrouping::Rollup } else { OldGrouping::Cube })
        } else {
            None
        };
        if self.at_word(K::WITH) && self.peek_is(1, T::LeftParen) {
            // WITH (DISTRIBUTED_AGG), of other members of the family.
            self.bump();
            self.settings_list()?;
        }
        Ok(Box::new(GroupBy { all, items, with }))
    }

    fn group_item(&mut self) -> P<GroupItem> {
        if self.at(T::LeftParen) && self.peek_is(1, T::RightParen) {
            self.bump();
            self.bump();
            return Ok(GroupItem::Set(Vec::new()));
        }
        if self.at_any(&[K::ROLLUP, K::CUBE]) && self.peek_is(1, T::LeftParen) {
            let rollup = self.at_word(K::ROLLUP);
            self.bump();
            let items = self.nested(|parser| parser.paren_list(Self::grouping_element))?;
            return Ok(if rollup { GroupItem::Rollup(items) } else { GroupItem::Cube(items) });
        }
        if self.at_word(K::GROUPING) && self.peek_word(1, K::SETS) {
            self.bump();
            self.bump();
            let items = self.nested(|parser| parser.paren_list(Self::grouping_element))?;
            return Ok(GroupItem::GroupingSets(items));
        }
        Ok(GroupItem::Expr(self.scalar()?))
    }

    /// Inside ROLLUP, CUBE and GROUPING SETS `(a, b)` is one element.
    fn grouping_element(&mut self) -> P<GroupItem> {
        if !self.at(T::LeftParen) || self.peek_is(1, T::RightParen) {
            return self.group_item();
        }
        self.bump();
        let exprs = self.list(Self::scalar)?;
        self.expect(T::RightParen)?;
        if exprs.len() > 1 {
            return Ok(GroupItem::Set(exprs));
        }
        // A parenthesized value may go on: `(a) + 1`.
        let mut exprs = exprs;
        let Some(first) = exprs.pop() else { return Ok(GroupItem::Set(exprs)) };
        Ok(GroupItem::Expr(self.scalar_behind(first)?))
    }

    /// ORDER BY, OFFSET, FETCH, FOR.
    fn query_tail(&mut self, with: Option<Box<With>>, body: QueryBody, line: u32) -> P<Query> {
        let mut query = Query { with, ..Query::of_body(body, line) };
        if self.at_word(K::ORDER) {
            self.order_and_offset(&mut query)?;
        }
        if self.at_word(K::FOR) {
            query.for_clause = self.for_clause()?;
        }
        Ok(query)
    }

    #[inline(never)]
    fn order_and_offset(&mut self, query: &mut Query) -> P<()> {
        self.bump();
        self.expect_word(K::BY)?;
        query.order_by = self.list(Self::order_item)?;
        if self.eat_word(K::OFFSET) {
            query.offset = Some(self.scalar()?);
            self.row_or_rows()?;
        }
        if self.at_word(K::FETCH) && (self.peek_word(1, K::NEXT) || self.peek_word(1, K::FIRST)) {
            let word = self.peek(1);
            // FETCH NEXT FROM a cursor is the next statement.
            if query.offset.is_none() {
                if self.peek_word(2, K::FROM) || !Self::is_number(self.peek(2).kind) {
                    return Ok(());
                }
                return Err(
                    sql_error!(153, state 2, self.token_text(word).to_ascii_uppercase(), "FETCH").at_line(word.line)
                );
            }
            if self.peek_word(2, K::FROM) {
                return Ok(());
            }
            self.bump();
            self.bump();
            query.fetch = Some(self.scalar()?);
            self.row_or_rows()?;
            self.expect_word(K::ONLY)?;
        }
        Ok(())
    }

    fn row_or_rows(&mut self) -> P<()> {
        if self.eat_word(K::ROW) { Ok(()) } else { self.expect_word(K::ROWS) }
    }

    /// `WITH a AS (...), ...` and WITH XMLNAMESPACES; the current token is WITH.
    pub(super) fn with_clause(&mut self) -> P<Box<With>> {
        self.bump();
        let mut with = With::default();
        loop {
            if self.at_word(K::XMLNAMESPACES) && self.peek_is(1, T::LeftParen) {
                // It comes first.
                if !with.ctes.is_empty() {
                    return Err(self.unexpected());
                }
                self.bump();
                with.xml_namespaces = self.paren_list(Self::xml_namespace)?;
            } else if self.at_word(K::CHANGE_TRACKING_CONTEXT) && self.peek_is(1, T::LeftParen) {
                self.bump();
                self.bump();
                with.change_tracking_context = Some(self.constant()?);
                self.expect(T::RightParen)?;
            } else {
                with.ctes.push(self.cte()?);
            }
            if !self.eat(T::Comma) {
                return Ok(Box::new(with));
            }
        }
    }

    fn xml_namespace(&mut self) -> P<XmlNamespace> {
        if self.eat_word(K::DEFAULT) {
            return Ok(XmlNamespace { uri: self.string()?, prefix: None });
        }
        let uri = self.string()?;
        self.expect_word(K::AS)?;
        Ok(XmlNamespace { uri, prefix: Some(self.ident()?) })
    }

    fn cte(&mut self) -> P<Cte> {
        let line = self.token.line;
        let name = self.ident()?;
        let columns = self.optional_ident_list()?;
        self.expect_word(K::AS)?;
        self.expect(T::LeftParen)?;
        let query = self.nested(Self::query)?;
        self.expect(T::RightParen)?;
        Ok(Cte { name, columns, query, line })
    }
}

fn set_operation(first: QueryBody, rest: Vec<(SetOperator, QueryBody)>) -> QueryBody {
    if rest.is_empty() { first } else { QueryBody::SetOperation(Box::new(SetOperation { first, rest })) }
}

fn compound(kind: T) -> Option<AssignOp> {
    Some(match kind {
        T::Plus => AssignOp::Add,
        T::Minus => AssignOp::Subtract,
        T::Star => AssignOp::Multiply,
        T::Slash => AssignOp::Divide,
        T::Percent => AssignOp::Modulo,
        T::Ampersand => AssignOp::BitAnd,
        T::Bar => AssignOp::BitOr,
        T::Caret => AssignOp::BitXor,
        T::DoubleBar => AssignOp::Concat,
        _ => return None,
    })
}
