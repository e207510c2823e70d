//! Calls: functions with their peculiar arguments, CAST and its kin, ODBC escapes.

use super::{K, P, Parser, T};
use crate::ast::*;
use crate::lex::Token;
use ::types::sql_error;

impl Parser<'_> {
    /// Functions that are no ordinary calls; None: `word` begins an ordinary one. A parenthesis follows `word`.
    pub(super) fn special_call(&mut self, word: Token) -> P<Option<Expr>> {
        Ok(Some(match word.keyword {
            K::CAST => self.cast(false)?,
            K::TRY_CAST => self.cast(true)?,
            K::PARSE => self.parse_call(false)?,
            K::TRY_PARSE => self.parse_call(true)?,
            K::TRIM => self.trim()?,
            K::JSON_OBJECT | K::JSON_OBJECTAGG => self.json_object()?,
            K::JSON_ARRAY | K::JSON_ARRAYAGG => self.json_array()?,
            _ => return Ok(None),
        }))
    }

    #[inline(never)]
    fn cast(&mut self, is_try: bool) -> P<Expr> {
        let line = self.token.line;
        let word = self.token;
        self.bump();
        self.bump();
        let operand = self.converted(word)?;
        let to = self.data_type()?;
        self.expect(T::RightParen)?;
        Ok(Expr::Cast(Box::new(Cast { operand, to, is_try, line })))
    }

    /// What CAST and PARSE convert, with the AS behind it. 1035: the call ends without one.
    fn converted(&mut self, word: Token) -> P<Expr> {
        let missing = |parser: &Self| sql_error!(1035, parser.token_text(word), "AS").at_line(word.line);
        if self.at(T::RightParen) {
            return Err(missing(self));
        }
        let operand = self.scalar()?;
        if self.at(T::RightParen) || self.at(T::Comma) {
            return Err(missing(self));
        }
        self.expect_word(K::AS)?;
        Ok(operand)
    }

    #[inline(never)]
    pub(super) fn convert(&mut self) -> P<Expr> {
        let line = self.token.line;
        let is_try = self.at_word(K::TRY_CONVERT);
        self.bump();
        self.expect(T::LeftParen)?;
        let to = self.data_type()?;
        self.expect(T::Comma)?;
        let operand = self.scalar()?;
        let style = if self.eat(T::Comma) { Some(self.scalar()?) } else { None };
        self.expect(T::RightParen)?;
        Ok(Expr::Convert(Box::new(Convert { to, operand, style, is_try, line })))
    }

    #[inline(never)]
    fn parse_call(&mut self, is_try: bool) -> P<Expr> {
        let line = self.token.line;
        let word = self.token;
        self.bump();
        self.bump();
        let operand = self.converted(word)?;
        let to = self.data_type()?;
        let culture = if self.eat_word(K::USING) { Some(self.scalar()?) } else { None };
        self.expect(T::RightParen)?;
        Ok(Expr::Parse(Box::new(Parse { operand, to, culture, is_try, line })))
    }

    /// `IDENTITY(type [, seed, increment])`, in SELECT INTO. The type is the call's `returning`.
    pub(super) fn identity_function(&mut self) -> P<Expr> {
        let line = self.token.line;
        let name = ObjectName::unqualified(self.any_word()?, line);
        self.expect(T::LeftParen)?;
        let returning = Some(self.data_type()?);
        let mut args = Vec::new();
        while self.eat(T::Comma) {
            args.push(self.constant()?);
        }
        if args.len() > 2 {
            return Err(self.unexpected_token(self.previous));
        }
        self.expect(T::RightParen)?;
        Ok(call(name, args, Some(Box::new(CallExtra { returning, ..CallExtra::default() })), line))
    }

    /// `TRIM(x)`, `TRIM(c FROM x)`, `TRIM(LEADING c FROM x)`
    #[inline(never)]
    fn trim(&mut self) -> P<Expr> {
        let line = self.token.line;
        let name = ObjectName::unqualified(self.any_word()?, line);
        self.bump();
        if self.at(T::RightParen) {
            return Err(sql_error!(189, "Trim", 1, 3).at_line(line));
        }
        let mut side = None;
        for (word, meant) in
            [("LEADING", TrimSide::Leading), ("TRAILING", TrimSide::Trailing), ("BOTH", TrimSide::Both)]
        {
            // The words are columns where a comma or parenthesis follows.
            if self.at_text(word) && !self.peek_is(1, T::RightParen) && !self.peek_is(1, T::Dot) {
                self.bump();
                side = Some(meant);
                break;
            }
        }
        let mut args = vec![self.scalar()?];
        if self.eat_word(K::FROM) {
            side = side.or(Some(TrimSide::Unsaid));
            args.push(self.scalar()?);
        }
        if self.at(T::Comma) {
            return Err(sql_error!(174, "trim", 1).at_line(line));
        }
        self.expect(T::RightParen)?;
        let extra = side.map(|side| Box::new(CallExtra { trim: Some(side), ..CallExtra::default() }));
        Ok(call(name, args, extra, line))
    }

    /// `JSON_OBJECT('key': value, ... [ABSENT | NULL ON NULL])`
    #[inline(never)]
    fn json_object(&mut self) -> P<Expr> {
        let line = self.token.line;
        let name = ObjectName::unqualified(self.any_word()?, line);
        self.bump();
        let mut args = Vec::new();
        if !self.at(T::RightParen) && !self.at_json_null_clause() {
            loop {
                args.push(self.scalar()?);
                self.expect(T::Colon)?;
                args.push(self.scalar()?);
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        let mut extra = CallExtra { json_pairs: true, ..CallExtra::default() };
        self.json_tail(&mut extra)?;
        self.expect(T::RightParen)?;
        self.behind_call(&mut extra)?;
        Ok(call(name, args, Some(Box::new(extra)), line))
    }

    #[inline(never)]
    fn json_array(&mut self) -> P<Expr> {
        let line = self.token.line;
        let name = ObjectName::unqualified(self.any_word()?, line);
        self.bump();
        let mut args = Vec::new();
        if !self.at(T::RightParen) && !self.at_json_null_clause() {
            args = self.list(Self::scalar)?;
        }
        let mut extra = CallExtra::default();
        if self.eat_words(K::ORDER, K::BY) {
            extra.order_by = self.list(Self::order_item)?;
        }
        self.json_tail(&mut extra)?;
        self.expect(T::RightParen)?;
        self.behind_call(&mut extra)?;
        let extra = if extra == CallExtra::default() { None } else { Some(Box::new(extra)) };
        Ok(call(name, args, extra, line))
    }

    fn at_json_null_clause(&mut self) -> bool {
        self.at_any(&[K::NULL, K::ABSENT]) && self.peek_word(1, K::ON)
    }

    fn json_tail(&mut self, extra: &mut CallExtra) -> P<()> {
        if self.at_json_null_clause() {
            extra.absent_on_null = Some(self.at_word(K::ABSENT));
            self.bump();
            self.bump();
            self.expect_word(K::NULL)?;
        }
        if self.eat_word(K::RETURNING) {
            extra.returning = Some(self.data_type()?);
        }
        Ok(())
    }

    /// `(args)` of a method.
    pub(super) fn arguments(&mut self) -> P<Vec<Expr>> {
        self.expect(T::LeftParen)?;
        let mut args = Vec::new();
        if !self.at(T::RightParen) {
            args = self.list(Self::argument)?;
        }
        self.expect(T::RightParen)?;
        Ok(args)
    }

    /// The parentheses of an ordinary call and what may stand behind them.
    #[inline(never)]
    pub(super) fn call(&mut self, name: ObjectName) -> P<Expr> {
        let line = name.line;
        if name.is_unqualified() && !name.name.quoted && name.name.is("REGEXP_LIKE") {
            return Err(sql_error!(156, name.name.text).at_line(line));
        }
        let mut call = Call { name, args: Vec::new(), star: false, distinct: false, odbc: false, extra: None, line };
        self.call_arguments(&mut call)?;
        if self.at_any(&[K::OVER, K::WITHIN, K::IGNORE, K::RESPECT]) {
            let mut extra = CallExtra::default();
            self.behind_call(&mut extra)?;
            if extra != CallExtra::default() {
                call.extra = Some(Box::new(extra));
            }
        }
        Ok(Expr::Call(Box::new(call)))
    }

    fn call_arguments(&mut self, call: &mut Call) -> P<()> {
        self.expect(T::LeftParen)?;
        // Reserved words are called as the grammar has it.
        let is = |word: &str| call.name.is_unqualified() && !call.name.name.quoted && call.name.name.is(word);
        let is_iif = is("IIF");
        let least = if is("COALESCE") || is("NULLIF") { 2 } else { usize::from(is("LEFT") || is("RIGHT")) };
        if self.at(T::RightParen) && least == 0 {
            self.bump();
            return Ok(());
        }
        if self.at(T::Star) && self.peek_is(1, T::RightParen) {
            self.bump();
            call.star = true;
        } else {
            if self.eat_word(K::DISTINCT) {
                call.distinct = true;
            } else {
                self.eat_word(K::ALL);
            }
            call.args.push(if is_iif { self.condition()? } else { self.argument()? });
            while !call.distinct && self.eat(T::Comma) {
                call.args.push(self.argument()?);
            }
            if call.args.len() < least {
                return Err(self.unexpected());
            }
            if call.name.is_unqualified() && call.name.name.is("JSON_VALUE") && self.eat_word(K::RETURNING) {
                call.extra = Some(Box::new(CallExtra { returning: Some(self.data_type()?), ..CallExtra::default() }));
            }
        }
        self.expect(T::RightParen)
    }

    /// DEFAULT may stand for a parameter's default.
    fn argument(&mut self) -> P<Expr> {
        if self.eat_word(K::DEFAULT) { Ok(Expr::Default) } else { self.scalar() }
    }

    #[inline(never)]
    fn behind_call(&mut self, extra: &mut CallExtra) -> P<()> {
        if self.eat_word(K::WITHIN) {
            self.expect_word(K::GROUP)?;
            self.expect(T::LeftParen)?;
            if self.eat_word(K::GRAPH) {
                self.expect_word(K::PATH)?;
                extra.graph_path = true;
            } else {
                self.expect_word(K::ORDER)?;
                self.expect_word(K::BY)?;
                extra.within_group = self.list(Self::order_item)?;
            }
            self.expect(T::RightParen)?;
        }
        if self.at_any(&[K::IGNORE, K::RESPECT]) && self.peek_word(1, K::NULLS) {
            extra.ignore_nulls = Some(self.at_word(K::IGNORE));
            self.bump();
            self.bump();
            if !self.at_word(K::OVER) {
                return Err(self.unexpected());
            }
        }
        if self.at_word(K::OVER) {
            extra.over = Some(self.over()?);
        }
        Ok(())
    }

    /// `{d '...'}`, `{t '...'}`, `{ts '...'}`, `{guid '...'}`, `{fn f(...)}`
    #[inline(never)]
    pub(super) fn odbc_escape(&mut self) -> P<Expr> {
        self.bump();
        let kind = match self.token_text(self.token).to_ascii_lowercase().as_str() {
            "d" => OdbcKind::Date,
            "t" => OdbcKind::Time,
            "ts" => OdbcKind::Timestamp,
            "guid" => OdbcKind::Guid,
            "fn" => {
                self.bump();
                let call = self.odbc_function()?;
                self.expect(T::RightBrace)?;
                return Ok(call);
            }
            _ => return Err(self.unexpected()),
        };
        self.bump();
        let text = self.string()?;
        self.expect(T::RightBrace)?;
        Ok(Expr::OdbcLiteral(kind, text))
    }

    /// The name may be a reserved word (`{fn CONVERT(x, SQL_INTEGER)}`, `{fn INSERT(...)}`).
    fn odbc_function(&mut self) -> P<Expr> {
        let line = self.token.line;
        let is_special = self.at_any(&[K::CAST, K::TRIM]);
        if is_special && self.peek_is(1, T::LeftParen) {
            let word = self.token;
            if let Some(call) = self.special_call(word)? {
                return Ok(call);
            }
        }
        if !self.at(T::Word) {
            return Err(self.unexpected());
        }
        // `{fn CONVERT(type, x)}` is T-SQL's own, `{fn CONVERT(x, SQL_INTEGER)}` is ODBC's: both arrive as a call.
        let name = ObjectName::unqualified(self.any_word()?, line);
        let is_extract = name.name.is("EXTRACT");
        let is_position = name.name.is("POSITION");
        let mut call = Call { name, args: Vec::new(), star: false, distinct: false, odbc: true, extra: None, line };
        if is_extract {
            self.expect(T::LeftParen)?;
            call.args.push(self.scalar()?);
            self.expect_word(K::FROM)?;
            call.args.push(self.scalar()?);
            self.expect(T::RightParen)?;
        } else if is_position {
            self.expect(T::LeftParen)?;
            call.args.push(self.scalar()?);
            self.expect_word(K::IN)?;
            call.args.push(self.scalar()?);
            self.expect(T::RightParen)?;
        } else if self.at(T::LeftParen) {
            self.call_arguments(&mut call)?;
        }
        Ok(Expr::Call(Box::new(call)))
    }
}

fn call(name: ObjectName, args: Vec<Expr>, extra: Option<Box<CallExtra>>, line: u32) -> Expr {
    Expr::Call(Box::new(Call { name, args, star: false, distinct: false, odbc: false, extra, line }))
}
