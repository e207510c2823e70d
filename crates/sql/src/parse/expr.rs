//! Expressions and conditions.
//!
//! Precedence, tightest first: `~`; `* / %`; signs and `+ - & ^ |`; comparisons and the other predicates; NOT; AND;
//! OR. A sign binds looser than `*`, as in SQL Server: `100 / -100 * 10` is `100 / -(100 * 10)`.
//!
//! A parenthesis in a condition may hold either a condition or a value. Both are read by `either`; what came out
//! decides what may follow.

use super::{K, P, Parser, T};
use crate::ast::*;
use crate::lex::Token;
use ::types::sql_error;

/// Precedences of the arithmetic operators.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;

fn binary_op(kind: T) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        T::Plus => (BinaryOp::Add, SUM),
        T::Minus => (BinaryOp::Subtract, SUM),
        T::Star => (BinaryOp::Multiply, PRODUCT),
        T::Slash => (BinaryOp::Divide, PRODUCT),
        T::Percent => (BinaryOp::Modulo, PRODUCT),
        T::Ampersand => (BinaryOp::BitAnd, SUM),
        T::Bar => (BinaryOp::BitOr, SUM),
        T::Caret => (BinaryOp::BitXor, SUM),
        T::DoubleBar => (BinaryOp::Concat, SUM),
        T::DoubleLess => (BinaryOp::ShiftLeft, SUM),
        T::DoubleGreater => (BinaryOp::ShiftRight, SUM),
        _ => return None,
    })
}

pub(super) fn is_condition(expr: &Expr) -> bool {
    use Expr::*;
    if let Call(call) = expr {
        return call.name.name.is("REGEXP_LIKE");
    }
    matches!(
        expr,
        Compare(_)
            | And(_)
            | Or(_)
            | Not(_)
            | IsNull { .. }
            | IsDistinctFrom(_)
            | Like(_)
            | Between(_)
            | InList(_)
            | InQuery(_)
            | Exists(_)
            | Quantified(_)
            | FullText(_)
            | UpdateColumn(_)
            | GraphMatch(_)
    )
}

/// Constants have no methods: `1.2.e` is an error at the second point.
fn has_methods(expr: &Expr) -> bool {
    !matches!(expr, Expr::Literal(_) | Expr::Niladic(_) | Expr::OdbcLiteral(..))
}

impl<'a> Parser<'a> {
    /// A value.
    pub(super) fn scalar(&mut self) -> P<Expr> {
        self.arithmetic(SUM)
    }

    fn arithmetic(&mut self, lowest: u8) -> P<Expr> {
        self.enter()?;
        let first = self.factor()?;
        let result = if binary_op(self.token.kind).is_some() { self.operators(first, lowest)? } else { first };
        self.depth -= 1;
        Ok(result)
    }

    /// The operators of precedence `lowest` or tighter behind `first`.
    pub(super) fn operators(&mut self, first: Expr, lowest: u8) -> P<Expr> {
        let mut left = first;
        // What is being collected: operators of one precedence behind `left`.
        let mut rest: Vec<(BinaryOp, Expr)> = Vec::new();
        let mut collecting = 0;
        let mut line = 0;
        while let Some((op, precedence)) = binary_op(self.token.kind) {
            if precedence < lowest || self.compound_assignment() {
                break;
            }
            if !rest.is_empty() && precedence != collecting {
                left = Expr::Arithmetic(Box::new(Arithmetic { first: left, rest: std::mem::take(&mut rest), line }));
            }
            if rest.is_empty() {
                line = self.token.line;
            }
            collecting = precedence;
            self.bump();
            let right = if precedence == PRODUCT { self.factor_nested()? } else { self.arithmetic(PRODUCT)? };
            rest.push((op, right));
        }
        if rest.is_empty() {
            return Ok(left);
        }
        Ok(Expr::Arithmetic(Box::new(Arithmetic { first: left, rest, line })))
    }

    /// `+=` ends an expression: it belongs to SET.
    fn compound_assignment(&mut self) -> bool {
        self.peek_is(1, T::Equals)
    }

    fn factor_nested(&mut self) -> P<Expr> {
        self.nested(Self::factor)
    }

    /// An operand with its sign and what binds tightest behind it.
    fn factor(&mut self) -> P<Expr> {
        let op = match self.kind() {
            T::Minus => UnaryOp::Minus,
            T::Plus => UnaryOp::Plus,
            T::Tilde => UnaryOp::BitNot,
            _ => {
                let operand = self.primary()?;
                return self.postfix(operand);
            }
        };
        self.bump();
        let operand = if op == UnaryOp::BitNot { self.factor_nested()? } else { self.arithmetic(PRODUCT)? };
        Ok(Expr::Unary(op, Box::new(operand)))
    }

    pub(super) fn postfix(&mut self, mut operand: Expr) -> P<Expr> {
        // Each round wraps the operand once more, so the rounds count as levels.
        let depth = self.depth;
        loop {
            match self.kind() {
                T::Word if self.at_word(K::COLLATE) => {
                    self.bump();
                    operand = Expr::Collate(Box::new(operand), self.ident()?);
                }
                T::Word if self.at_word(K::AT) && self.peek_word(1, K::TIME) => operand = self.at_time_zone(operand)?,
                T::Dot if has_methods(&operand) => operand = self.method(operand)?,
                _ => break,
            }
            self.enter()?;
        }
        self.depth = depth;
        Ok(operand)
    }

    #[inline(never)]
    fn at_time_zone(&mut self, operand: Expr) -> P<Expr> {
        self.bump();
        self.bump();
        self.expect_word(K::ZONE)?;
        let zone = self.nested(Self::primary)?;
        Ok(Expr::AtTimeZone(Box::new(operand), Box::new(zone)))
    }

    /// `.name(args)` or `.name` behind a value that is not a plain name.
    #[inline(never)]
    fn method(&mut self, target: Expr) -> P<Expr> {
        let line = self.token.line;
        self.bump();
        let name = if self.at(T::Word) { self.any_word()? } else { self.ident()? };
        let args = if self.at(T::LeftParen) { Some(self.arguments()?) } else { None };
        Ok(Expr::Method(Box::new(Method { target, name, args, line })))
    }

    pub(super) fn primary(&mut self) -> P<Expr> {
        match self.kind() {
            T::Word if self.token.keyword.is_reserved() => self.reserved_primary(),
            T::Word | T::Bracketed | T::Dollar => self.named_primary(),
            T::DoubleQuoted if self.quoted_identifier => self.named_primary(),
            T::Integer
            | T::Decimal
            | T::Float
            | T::Money
            | T::Binary
            | T::String
            | T::NationalString
            | T::DoubleQuoted => Ok(Expr::Literal(self.literal()?)),
            T::Variable => self.variable_primary(),
            T::Global => Ok(self.global()),
            T::LeftParen => self.parenthesized(),
            T::LeftBrace => self.odbc_escape(),
            T::Dot => self.named_primary(),
            T::DoubleColon => {
                // The old `::fn_name()`.
                self.bump();
                self.named_primary()
            }
            _ => Err(self.unexpected()),
        }
    }

    fn variable_primary(&mut self) -> P<Expr> {
        let variable = Expr::Variable(self.variable()?);
        // `@point::Parse` does not exist, but `@x.method` is common: postfix reads it.
        Ok(variable)
    }

    pub(super) fn global(&mut self) -> Expr {
        let variable = Variable { name: self.token_text(self.token).into(), line: self.token.line };
        self.bump();
        Expr::Global(variable)
    }

    /// `(value)` or `(SELECT ...)`.
    fn parenthesized(&mut self) -> P<Expr> {
        self.bump();
        let inner = if self.at_query() { self.subquery()? } else { self.scalar()? };
        let inner = self.more_of_query(inner)?;
        self.expect(T::RightParen)?;
        Ok(inner)
    }

    pub(super) fn at_query(&self) -> bool {
        self.at_any(&[K::SELECT, K::WITH])
    }

    #[inline(never)]
    fn subquery(&mut self) -> P<Expr> {
        Ok(Expr::Subquery(Box::new(self.query()?)))
    }

    /// Inside a parenthesis, behind a subquery that had its own: `((SELECT 1) UNION (SELECT 2))`.
    pub(super) fn more_of_query(&mut self, inner: Expr) -> P<Expr> {
        match inner {
            Expr::Subquery(query) if self.at_any(&[K::UNION, K::EXCEPT, K::INTERSECT]) => {
                Ok(Expr::Subquery(Box::new(self.query_behind(*query)?)))
            }
            inner => Ok(inner),
        }
    }

    /// Words that begin a value although they are reserved.
    fn reserved_primary(&mut self) -> P<Expr> {
        let niladic = match self.keyword() {
            K::NULL => {
                self.bump();
                return Ok(Expr::Literal(Literal::Null));
            }
            K::CASE => return self.case(),
            K::COALESCE | K::NULLIF | K::LEFT | K::RIGHT | K::IDENTITY if self.peek_is(1, T::LeftParen) => {
                return self.reserved_call();
            }
            K::CONVERT | K::TRY_CONVERT => return self.convert(),
            K::IDENTITYCOL | K::ROWGUIDCOL => return Ok(Expr::Column(Box::new(self.column_name()?))),
            K::CURRENT_TIMESTAMP => Niladic::CurrentTimestamp,
            K::CURRENT_DATE => Niladic::CurrentDate,
            K::CURRENT_TIME => Niladic::CurrentTime,
            K::CURRENT_USER => Niladic::CurrentUser,
            K::SESSION_USER => Niladic::SessionUser,
            K::SYSTEM_USER => Niladic::SystemUser,
            K::USER => Niladic::User,
            _ => return Err(self.unexpected()),
        };
        self.bump();
        Ok(Expr::Niladic(niladic))
    }

    #[inline(never)]
    fn reserved_call(&mut self) -> P<Expr> {
        if self.at_word(K::IDENTITY) {
            return self.identity_function();
        }
        let line = self.token.line;
        let name = ObjectName::unqualified(self.any_word()?, line);
        self.call(name)
    }

    /// A column, or whatever begins with a name.
    fn named_primary(&mut self) -> P<Expr> {
        let first = self.token;
        if first.kind == T::Word && first.keyword != K::NONE_ && self.peek_is(1, T::LeftParen) {
            if let Some(special) = self.special_call(first)? {
                return Ok(special);
            }
        }
        if first.keyword == K::NEXT && self.peek_word(1, K::VALUE) && self.peek_word(2, K::FOR) {
            return self.next_value();
        }
        let parts = self.name_parts(false)?;
        self.named_rest(parts)
    }

    /// Behind a name in an expression.
    pub(super) fn named_rest(&mut self, parts: super::name::Parts) -> P<Expr> {
        match self.kind() {
            T::LeftParen => {
                let name = self.parts_to_object(parts)?;
                self.call(name)
            }
            T::DoubleColon => self.static_method(parts),
            _ => self.parts_to_column(parts),
        }
    }

    #[inline(never)]
    fn static_method(&mut self, parts: super::name::Parts) -> P<Expr> {
        let type_name = self.parts_to_object(parts)?;
        self.bump();
        let line = self.token.line;
        let name = if self.at(T::Word) { self.any_word()? } else { self.ident()? };
        let args = if self.at(T::LeftParen) { Some(self.arguments()?) } else { None };
        Ok(Expr::StaticMethod(Box::new(StaticMethod { type_name, name, args, line })))
    }

    #[inline(never)]
    fn next_value(&mut self) -> P<Expr> {
        self.bump();
        self.bump();
        self.bump();
        let sequence = self.object_name()?;
        let mut over_order_by = Vec::new();
        if self.eat_word(K::OVER) {
            let line = self.token.line;
            self.expect(T::LeftParen)?;
            if self.at_word(K::PARTITION) {
                return Err(sql_error!(11716).at_line(line));
            }
            if self.at(T::RightParen) {
                return Err(sql_error!(11718).at_line(line));
            }
            self.expect_word(K::ORDER)?;
            self.expect_word(K::BY)?;
            over_order_by = self.list(Self::order_item)?;
            if self.at_any(&[K::ROWS, K::RANGE]) {
                return Err(sql_error!(11737).at_line(line));
            }
            self.expect(T::RightParen)?;
        }
        Ok(Expr::NextValueFor(Box::new(NextValueFor { sequence, over_order_by })))
    }

    #[inline(never)]
    fn case(&mut self) -> P<Expr> {
        let line = self.token.line;
        self.bump();
        let operand = if self.at_word(K::WHEN) { None } else { Some(self.scalar()?) };
        let mut whens = Vec::new();
        while self.eat_word(K::WHEN) {
            let when = if operand.is_some() { self.scalar()? } else { self.condition()? };
            self.expect_word(K::THEN)?;
            whens.push((when, self.scalar()?));
        }
        if whens.is_empty() {
            return Err(self.unexpected());
        }
        let otherwise = if self.eat_word(K::ELSE) { Some(self.scalar()?) } else { None };
        self.expect_word(K::END)?;
        Ok(Expr::Case(Box::new(Case { operand, whens, otherwise, line })))
    }

    /// A condition; a value in its place is error 4145.
    pub(super) fn condition(&mut self) -> P<Expr> {
        let expr = self.either()?;
        if is_condition(&expr) { Ok(expr) } else { Err(self.not_a_condition()) }
    }

    /// A condition or a value.
    fn either(&mut self) -> P<Expr> {
        self.enter()?;
        let first = self.conjunction()?;
        let result = if self.at_word(K::OR) {
            let mut operands = vec![self.checked(first)?];
            while self.eat_word(K::OR) {
                let next = self.conjunction()?;
                operands.push(self.checked(next)?);
            }
            Expr::Or(operands)
        } else {
            first
        };
        self.depth -= 1;
        Ok(result)
    }

    fn conjunction(&mut self) -> P<Expr> {
        let first = self.negation()?;
        if !self.at_word(K::AND) {
            return Ok(first);
        }
        let mut operands = vec![self.checked(first)?];
        while self.eat_word(K::AND) {
            let next = self.negation()?;
            operands.push(self.checked(next)?);
        }
        Ok(Expr::And(operands))
    }

    fn checked(&self, expr: Expr) -> P<Expr> {
        if is_condition(&expr) { Ok(expr) } else { Err(self.not_a_condition()) }
    }

    fn negation(&mut self) -> P<Expr> {
        let mut count = 0;
        while self.eat_word(K::NOT) {
            count += 1;
            self.enter()?;
        }
        let mut operand = self.predicate()?;
        if count > 0 {
            operand = self.checked(operand)?;
            self.depth -= count;
        }
        for _ in 0..count {
            operand = Expr::Not(Box::new(operand));
        }
        Ok(operand)
    }

    fn predicate(&mut self) -> P<Expr> {
        let left = match self.kind() {
            T::LeftParen => {
                let inner = self.parenthesized_either()?;
                if is_condition(&inner) {
                    return Ok(inner);
                }
                let operand = self.postfix(inner)?;
                self.operators(operand, SUM)?
            }
            T::Word => match self.keyword() {
                K::EXISTS => return self.exists(),
                K::CONTAINS | K::FREETEXT => return self.full_text(),
                K::UPDATE if self.peek_is(1, T::LeftParen) => return self.update_column(),
                K::MATCH if self.peek_is(1, T::LeftParen) => return self.graph_match(),
                _ if self.at_text("REGEXP_LIKE") && self.peek_is(1, T::LeftParen) => return self.regexp_like(),
                _ => self.scalar()?,
            },
            _ => self.scalar()?,
        };
        self.comparison(left)
    }

    fn parenthesized_either(&mut self) -> P<Expr> {
        self.bump();
        let inner = if self.at_query() { self.nested(Self::subquery)? } else { self.either()? };
        let inner = self.more_of_query(inner)?;
        self.expect(T::RightParen)?;
        Ok(inner)
    }

    /// What follows the left side of a predicate; nothing makes it a value.
    fn comparison(&mut self, left: Expr) -> P<Expr> {
        let line = self.token.line;
        match self.kind() {
            T::Equals if self.peek_is(1, T::Star) => Err(self.near(line, "=*")),
            T::Star if self.peek_is(1, T::Equals) => Err(self.near(line, "*=")),
            T::Equals | T::Less | T::Greater | T::Exclamation => self.compared(left, line),
            T::Word => match self.keyword() {
                K::IS => self.is_predicate(left, line),
                K::NOT => {
                    self.bump();
                    self.range_predicate(left, true, line)
                }
                K::LIKE | K::BETWEEN | K::IN => self.range_predicate(left, false, line),
                _ => Ok(left),
            },
            _ => Ok(left),
        }
    }

    /// `=`, `<>`, `!=`, `<`, `<=`, `!<` ...: blanks may stand inside.
    pub(super) fn compare_op(&mut self) -> P<CompareOp> {
        let first = self.token.kind;
        self.bump();
        let second = self.token.kind;
        let (op, two) = match (first, second) {
            (T::Equals, _) => (CompareOp::Equal, false),
            (T::Less, T::Equals) => (CompareOp::LessOrEqual, true),
            (T::Less, T::Greater) => (CompareOp::NotEqual, true),
            (T::Less, _) => (CompareOp::Less, false),
            (T::Greater, T::Equals) => (CompareOp::GreaterOrEqual, true),
            (T::Greater, _) => (CompareOp::Greater, false),
            (T::Exclamation, T::Equals) => (CompareOp::NotEqual, true),
            (T::Exclamation, T::Less) => (CompareOp::GreaterOrEqual, true),
            (T::Exclamation, T::Greater) => (CompareOp::LessOrEqual, true),
            _ => return Err(self.unexpected()),
        };
        if two {
            self.bump();
        }
        Ok(op)
    }

    #[inline(never)]
    fn compared(&mut self, left: Expr, line: u32) -> P<Expr> {
        let op = self.compare_op()?;
        if self.at_any(&[K::ALL, K::ANY, K::SOME]) && self.peek_is(1, T::LeftParen) {
            let all = self.at_word(K::ALL);
            self.bump();
            let query = self.parenthesized_query()?;
            return Ok(Expr::Quantified(Box::new(Quantified { op, left, all, query, line })));
        }
        let right = self.scalar()?;
        Ok(Expr::Compare(Box::new(Compare { op, left, right, line })))
    }

    /// `(query)`, with any number of parentheses around.
    pub(super) fn parenthesized_query(&mut self) -> P<Query> {
        if !self.at(T::LeftParen) {
            return Err(self.unexpected());
        }
        match self.nested(Self::parenthesized)? {
            Expr::Subquery(query) => Ok(*query),
            _ => {
                let token = self.previous;
                Err(self.unexpected_token(token))
            }
        }
    }

    #[inline(never)]
    fn is_predicate(&mut self, left: Expr, line: u32) -> P<Expr> {
        self.bump();
        let not = self.eat_word(K::NOT);
        if self.eat_word(K::NULL) {
            return Ok(Expr::IsNull { operand: Box::new(left), not });
        }
        self.expect_word(K::DISTINCT)?;
        self.expect_word(K::FROM)?;
        let right = self.scalar()?;
        Ok(Expr::IsDistinctFrom(Box::new(IsDistinctFrom { left, right, not, line })))
    }

    #[inline(never)]
    fn range_predicate(&mut self, left: Expr, not: bool, line: u32) -> P<Expr> {
        match self.keyword() {
            K::LIKE => {
                self.bump();
                let pattern = self.scalar()?;
                let escape = self.escape()?;
                Ok(Expr::Like(Box::new(Like { operand: left, pattern, escape, not, line })))
            }
            K::BETWEEN => {
                self.bump();
                let low = self.scalar()?;
                self.expect_word(K::AND)?;
                let high = self.scalar()?;
                Ok(Expr::Between(Box::new(Between { operand: left, low, high, not, line })))
            }
            K::IN => {
                self.bump();
                self.in_predicate(left, not, line)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `ESCAPE 'c'`, also as `{escape 'c'}`.
    fn escape(&mut self) -> P<Option<Expr>> {
        if self.at(T::LeftBrace) && self.peek_word(1, K::ESCAPE) {
            self.bump();
            self.bump();
            let escape = self.scalar()?;
            self.expect(T::RightBrace)?;
            return Ok(Some(escape));
        }
        if self.eat_word(K::ESCAPE) { Ok(Some(self.scalar()?)) } else { Ok(None) }
    }

    fn in_predicate(&mut self, operand: Expr, not: bool, line: u32) -> P<Expr> {
        self.expect(T::LeftParen)?;
        if self.at_query() {
            let query = self.nested(Self::query)?;
            self.expect(T::RightParen)?;
            return Ok(Expr::InQuery(Box::new(InQuery { operand, query, not, line })));
        }
        let first = self.scalar()?;
        let first = self.more_of_query(first)?;
        let mut list = vec![first];
        while self.eat(T::Comma) {
            list.push(self.scalar()?);
        }
        self.expect(T::RightParen)?;
        // `IN ((SELECT ...))` is a subquery in parentheses, not a list of one value.
        if let [Expr::Subquery(_)] = list.as_slice()
            && let Some(Expr::Subquery(query)) = list.pop()
        {
            return Ok(Expr::InQuery(Box::new(InQuery { operand, query: *query, not, line })));
        }
        Ok(Expr::InList(Box::new(InList { operand, list, not, line })))
    }

    #[inline(never)]
    fn exists(&mut self) -> P<Expr> {
        self.bump();
        Ok(Expr::Exists(Box::new(self.parenthesized_query()?)))
    }

    #[inline(never)]
    fn update_column(&mut self) -> P<Expr> {
        self.bump();
        self.bump();
        let column = self.ident()?;
        self.expect(T::RightParen)?;
        Ok(Expr::UpdateColumn(column))
    }

    /// `REGEXP_LIKE(text, pattern, flags)`: a predicate, and no value.
    #[inline(never)]
    fn regexp_like(&mut self) -> P<Expr> {
        let line = self.token.line;
        let name = ObjectName::unqualified(self.any_word()?, line);
        self.expect(T::LeftParen)?;
        let mut args = vec![self.scalar()?];
        self.expect(T::Comma)?;
        args.push(self.scalar()?);
        if self.eat(T::Comma) {
            args.push(self.scalar()?);
        }
        self.expect(T::RightParen)?;
        let call = Call { name, args, star: false, distinct: false, odbc: false, extra: None, line };
        let (left, right) = (Expr::Call(Box::new(call)), Expr::Literal(Literal::Int(1)));
        Ok(Expr::Compare(Box::new(Compare { op: CompareOp::Equal, left, right, line })))
    }

    #[inline(never)]
    fn graph_match(&mut self) -> P<Expr> {
        let start = self.token.start;
        self.bump();
        self.skip_parentheses()?;
        Ok(Expr::GraphMatch(self.span_from(start)))
    }

    /// From `(` to behind its `)`.
    pub(super) fn skip_parentheses(&mut self) -> P<()> {
        let mut parens = 0u32;
        loop {
            match self.kind() {
                T::LeftParen => parens += 1,
                T::RightParen => parens -= 1,
                T::End | T::UnclosedComment | T::UnclosedQuote | T::UnclosedString => return Err(self.unexpected()),
                _ => {}
            }
            self.bump();
            if parens == 0 {
                return Ok(());
            }
        }
    }

    /// `CONTAINS (columns, 'condition' [, LANGUAGE l])`
    #[inline(never)]
    fn full_text(&mut self) -> P<Expr> {
        let line = self.token.line;
        let free = self.at_word(K::FREETEXT);
        self.bump();
        self.expect(T::LeftParen)?;
        let mut columns = Vec::new();
        let mut property = None;
        if self.eat(T::LeftParen) {
            if !self.eat(T::Star) {
                loop {
                    let parts = self.name_parts(true)?;
                    if !parts.star {
                        columns.push(parts.into_column().ok_or_else(|| self.unexpected())?);
                    }
                    if !self.eat(T::Comma) {
                        break;
                    }
                }
            }
            self.expect(T::RightParen)?;
        } else if self.at_word(K::PROPERTY) && self.peek_is(1, T::LeftParen) {
            self.bump();
            self.bump();
            columns.push(self.column_name()?);
            self.expect(T::Comma)?;
            property = Some(self.string()?);
            self.expect(T::RightParen)?;
        } else if !self.eat(T::Star) {
            let parts = self.name_parts(true)?;
            if !parts.star {
                columns.push(parts.into_column().ok_or_else(|| self.unexpected())?);
            }
        }
        self.expect(T::Comma)?;
        let condition = self.string_or_variable()?;
        let language = self.full_text_language()?;
        self.expect(T::RightParen)?;
        Ok(Expr::FullText(Box::new(FullText { free, columns, property, condition, language, line })))
    }

    pub(super) fn full_text_language(&mut self) -> P<Option<Expr>> {
        if !self.at(T::Comma) || !self.peek_word(1, K::LANGUAGE) {
            return Ok(None);
        }
        self.bump();
        self.bump();
        Ok(Some(self.constant()?))
    }

    /// A value can begin at the current token; what follows RETURN and the like is optional.
    pub(super) fn at_value(&mut self) -> bool {
        let token: Token = self.token;
        match token.kind {
            T::Word if token.keyword.is_reserved() => match token.keyword {
                K::LEFT | K::RIGHT | K::IDENTITY => self.peek_is(1, T::LeftParen),
                K::NULL
                | K::CASE
                | K::COALESCE
                | K::NULLIF
                | K::CONVERT
                | K::TRY_CONVERT
                | K::IDENTITYCOL
                | K::ROWGUIDCOL
                | K::CURRENT_TIMESTAMP
                | K::CURRENT_DATE
                | K::CURRENT_TIME
                | K::CURRENT_USER
                | K::SESSION_USER
                | K::SYSTEM_USER
                | K::USER => true,
                _ => false,
            },
            // A label is not a value.
            T::Word => !self.peek_is(1, T::Colon),
            T::Bracketed | T::Dollar | T::DoubleQuoted | T::Variable | T::Global | T::LeftParen | T::LeftBrace => true,
            T::Minus | T::Plus | T::Tilde | T::Dot | T::DoubleColon => true,
            T::Binary => true,
            kind => Self::is_number(kind) || self.at_string(),
        }
    }
}
