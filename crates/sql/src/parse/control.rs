//! Control of flow, transactions, DECLARE of variables, THROW, RAISERROR, WAITFOR.

use super::{Jump, K, P, Parser, ReturnRule, T};
use crate::ast::*;
use ::types::sql_error;

/// Characters of a transaction's name.
const TRANSACTION_NAME_MAX: usize = 32;

impl Parser<'_> {
    /// BEGIN ... END, BEGIN TRY, BEGIN TRANSACTION and its other followers.
    pub(super) fn begin(&mut self) -> P<StatementKind> {
        let next = self.peek(1);
        match next.keyword {
            K::TRAN | K::TRANSACTION | K::DISTRIBUTED => return self.begin_transaction(),
            K::TRY => return self.try_catch(),
            K::DIALOG | K::CONVERSATION => return self.other(),
            _ => {}
        }
        self.bump();
        let statements = self.block()?;
        Ok(StatementKind::Block(statements))
    }

    /// From behind BEGIN to behind END; at least one statement.
    pub(super) fn block(&mut self) -> P<Vec<Statement>> {
        let statements = self.statements(Parser::at_end_of_block)?;
        if statements.is_empty() && self.at_word(K::END) {
            return Err(self.near(self.token.line, &self.shown(self.token)));
        }
        if !self.at_word(K::END) {
            return Err(self.unexpected());
        }
        self.bump();
        Ok(statements)
    }

    fn at_end_of_block(&self) -> bool {
        if self.at(T::End) {
            return true;
        }
        // END CONVERSATION is a statement.
        self.at_word(K::END) && !self.followed_by(K::CONVERSATION)
    }

    /// Like `peek_word(1, ...)` without reading ahead: the lexer is copied.
    fn followed_by(&self, keyword: K) -> bool {
        if self.ahead_count > 0 {
            return self.ahead[0].keyword == keyword;
        }
        self.lexer.clone().next_token().keyword == keyword
    }

    #[inline(never)]
    fn try_catch(&mut self) -> P<StatementKind> {
        self.bump();
        self.bump();
        let body = self.trial()?;
        self.expect_word(K::END)?;
        if body.is_empty() && self.at_word(K::TRY) {
            return Err(self.unexpected());
        }
        self.expect_word(K::TRY)?;
        // A semicolon may not stand here; SQL Server says so of the BEGIN CATCH.
        self.expect_word(K::BEGIN)?;
        self.expect_word(K::CATCH)?;
        let handler = self.trial()?;
        self.expect_word(K::END)?;
        self.expect_word(K::CATCH)?;
        Ok(StatementKind::TryCatch(Box::new(TryCatch { body, handler })))
    }

    /// What a TRY or a CATCH holds.
    fn trial(&mut self) -> P<Vec<Statement>> {
        self.trial_count += 1;
        self.trials.push(self.trial_count);
        let statements = self.statements(Parser::at_end_of_block);
        self.trials.pop();
        statements
    }

    #[inline(never)]
    pub(super) fn if_statement(&mut self) -> P<StatementKind> {
        let mut branches = Vec::new();
        loop {
            let line = self.token.line;
            self.expect_word(K::IF)?;
            let condition = self.condition()?;
            let then = self.statement()?;
            branches.push(IfBranch { condition, then, line });
            if self.at(T::Semicolon) && self.peek_word(1, K::ELSE) {
                self.bump();
            }
            if !self.eat_word(K::ELSE) {
                return Ok(StatementKind::If(Box::new(If { branches, otherwise: None })));
            }
            if !self.at_word(K::IF) {
                let otherwise = Some(self.statement()?);
                return Ok(StatementKind::If(Box::new(If { branches, otherwise })));
            }
        }
    }

    #[inline(never)]
    pub(super) fn while_statement(&mut self) -> P<StatementKind> {
        self.bump();
        let condition = self.condition()?;
        self.loops += 1;
        let body = self.statement()?;
        self.loops -= 1;
        Ok(StatementKind::While(Box::new(While { condition, body })))
    }

    pub(super) fn break_statement(&mut self) -> P<StatementKind> {
        if self.loops == 0 {
            return Err(sql_error!(135).at_line(self.token.line));
        }
        self.bump();
        Ok(StatementKind::Break)
    }

    pub(super) fn continue_statement(&mut self) -> P<StatementKind> {
        if self.loops == 0 {
            return Err(sql_error!(136).at_line(self.token.line));
        }
        self.bump();
        Ok(StatementKind::Continue)
    }

    #[inline(never)]
    pub(super) fn goto(&mut self) -> P<StatementKind> {
        let line = self.token.line;
        self.bump();
        let label = self.ident()?;
        self.gotos.push(Jump { label: label.text.clone(), line, trials: self.trials.as_slice().into() });
        Ok(StatementKind::Goto(label))
    }

    #[inline(never)]
    pub(super) fn label(&mut self) -> P<StatementKind> {
        let line = self.token.line;
        let label = self.ident()?;
        self.bump();
        if self.labels.iter().any(|other| other.label.eq_ignore_ascii_case(&label)) {
            return Err(sql_error!(132, label.text).at_line(line));
        }
        self.labels.push(Jump { label: label.text.clone(), line, trials: self.trials.as_slice().into() });
        Ok(StatementKind::Label(label))
    }

    /// At the end of a batch or module: every GOTO has its label. 1026: which is not in a TRY or CATCH that the GOTO is not in.
    pub(super) fn check_labels(&mut self) -> P<()> {
        for goto in &self.gotos {
            let Some(label) = self.labels.iter().find(|label| label.label.eq_ignore_ascii_case(&goto.label)) else {
                return Err(sql_error!(133, goto.label).at_line(goto.line));
            };
            if !goto.trials.starts_with(&label.trials) {
                return Err(sql_error!(1026).at_line(goto.line));
            }
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn return_statement(&mut self) -> P<StatementKind> {
        let line = self.token.line;
        self.bump();
        if !self.at_value() {
            return Ok(StatementKind::Return(None));
        }
        let value = self.scalar()?;
        if self.returns == ReturnRule::Bare {
            return Err(sql_error!(178).at_line(line));
        }
        Ok(StatementKind::Return(Some(Box::new(value))))
    }

    #[inline(never)]
    pub(super) fn print(&mut self) -> P<StatementKind> {
        self.bump();
        Ok(StatementKind::Print(Box::new(self.scalar()?)))
    }

    #[inline(never)]
    pub(super) fn throw(&mut self) -> P<StatementKind> {
        self.bump();
        if !Self::is_number(self.token.kind) && !self.at(T::Variable) {
            return Ok(StatementKind::Throw(None));
        }
        let number = self.constant()?;
        self.expect(T::Comma)?;
        let message = self.string_or_variable()?;
        self.expect(T::Comma)?;
        let state = self.constant()?;
        Ok(StatementKind::Throw(Some(Box::new(Throw { number, message, state }))))
    }

    #[inline(never)]
    pub(super) fn raiserror(&mut self) -> P<StatementKind> {
        self.bump();
        if !self.at(T::LeftParen) {
            return self.old_raiserror();
        }
        self.bump();
        let message = self.constant()?;
        self.expect(T::Comma)?;
        let severity = self.constant()?;
        self.expect(T::Comma)?;
        let state = self.constant()?;
        let mut args = Vec::new();
        while self.eat(T::Comma) {
            args.push(self.constant()?);
        }
        self.expect(T::RightParen)?;
        let mut raiserror =
            Raiserror { message, severity, state, args, old_text: None, log: false, no_wait: false, set_error: false };
        if self.at_word(K::WITH) && !self.peek_is(1, T::LeftParen) {
            self.bump();
            loop {
                let token = self.token;
                match &*self.upper_word() {
                    "LOG" => raiserror.log = true,
                    "NOWAIT" => raiserror.no_wait = true,
                    "SETERROR" => raiserror.set_error = true,
                    _ => return Err(self.not_an_option(token, "RAISERROR")),
                }
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        Ok(StatementKind::Raiserror(Box::new(raiserror)))
    }

    /// `RAISERROR 50001 'text'`
    fn old_raiserror(&mut self) -> P<StatementKind> {
        let message = self.constant()?;
        self.eat(T::Comma);
        let old_text = if self.at_string() || self.at(T::Variable) { Some(self.string_or_variable()?) } else { None };
        let number = |value| Expr::Literal(Literal::Int(value));
        Ok(StatementKind::Raiserror(Box::new(Raiserror {
            message,
            severity: number(16),
            state: number(1),
            args: Vec::new(),
            old_text,
            log: false,
            no_wait: false,
            set_error: false,
        })))
    }

    #[inline(never)]
    pub(super) fn wait_for(&mut self) -> P<StatementKind> {
        self.bump();
        let wait = match self.keyword() {
            K::DELAY => {
                self.bump();
                WaitFor::Delay(self.string_or_variable()?)
            }
            K::TIME => {
                self.bump();
                WaitFor::Time(self.string_or_variable()?)
            }
            _ if self.at(T::LeftParen) => {
                self.skip_parentheses()?;
                let mut timeout = None;
                if self.eat(T::Comma) {
                    self.expect_word(K::TIMEOUT)?;
                    timeout = Some(self.constant()?);
                }
                WaitFor::Broker { timeout }
            }
            _ => return Err(self.unexpected()),
        };
        Ok(StatementKind::WaitFor(Box::new(wait)))
    }

    #[inline(never)]
    pub(super) fn declare(&mut self) -> P<StatementKind> {
        self.bump();
        if !self.at(T::Variable) {
            return self.declare_cursor();
        }
        // A table is declared alone.
        let first = self.declaration()?;
        if matches!(first, Declaration::Table { .. }) && self.at(T::Comma) {
            return Err(self.unexpected());
        }
        let mut all = vec![first];
        while self.eat(T::Comma) {
            let next = self.declaration()?;
            all.push(next);
        }
        Ok(StatementKind::Declare(all))
    }

    fn declaration(&mut self) -> P<Declaration> {
        let variable = self.variable()?;
        self.eat_word(K::AS);
        match self.keyword() {
            K::TABLE => {
                self.bump();
                let definition = Box::new(self.table_type_definition()?);
                Ok(Declaration::Table { variable, definition })
            }
            K::CURSOR => {
                self.bump();
                Ok(Declaration::Cursor { variable })
            }
            _ => {
                let data_type = self.data_type()?;
                let null = self.nullability()?;
                let value = if self.eat(T::Equals) { Some(self.scalar()?) } else { None };
                Ok(Declaration::Scalar { variable, data_type, null, value })
            }
        }
    }

    /// A transaction's or savepoint's name, if there is one.
    fn transaction_name(&mut self) -> P<Option<TransactionName>> {
        if self.at(T::Variable) {
            return Ok(Some(TransactionName::Variable(self.variable()?)));
        }
        if self.at_label() || !self.at_name() {
            return Ok(None);
        }
        let (line, name) = (self.token.line, self.ident()?);
        if name.text.chars().count() > TRANSACTION_NAME_MAX {
            return Err(sql_error!(103, state 2, "identifier", &*name.text, TRANSACTION_NAME_MAX).at_line(line));
        }
        Ok(Some(TransactionName::Name(name)))
    }

    #[inline(never)]
    fn begin_transaction(&mut self) -> P<StatementKind> {
        self.bump();
        let distributed = self.eat_word(K::DISTRIBUTED);
        if !self.eat_word(K::TRAN) {
            self.expect_word(K::TRANSACTION)?;
        }
        let name = self.transaction_name()?;
        let mut mark = None;
        if self.eat_words(K::WITH, K::MARK) {
            mark = Some(if self.at_string() || self.at(T::Variable) { Some(self.string_or_variable()?) } else { None });
        }
        Ok(StatementKind::BeginTransaction(Box::new(BeginTransaction { name, distributed, mark })))
    }

    #[inline(never)]
    pub(super) fn commit(&mut self) -> P<StatementKind> {
        self.bump();
        let mut commit = CommitTransaction { name: None, work: true, delayed_durability: None };
        if self.eat_word(K::TRAN) || self.eat_word(K::TRANSACTION) {
            commit.work = false;
            commit.name = self.transaction_name()?;
        } else {
            self.eat_word(K::WORK);
        }
        if self.at_word(K::WITH) && self.peek_is(1, T::LeftParen) {
            let settings = self.with_settings()?;
            commit.delayed_durability = find_setting(&settings, "DELAYED_DURABILITY").map(Setting::is_on);
            if commit.delayed_durability.is_none() || settings.len() > 1 {
                let token = self.previous;
                return Err(self.unexpected_token(token));
            }
        }
        Ok(StatementKind::CommitTransaction(Box::new(commit)))
    }

    #[inline(never)]
    pub(super) fn rollback(&mut self) -> P<StatementKind> {
        self.bump();
        let mut rollback = RollbackTransaction { name: None, work: true };
        if self.eat_word(K::TRAN) || self.eat_word(K::TRANSACTION) {
            rollback.work = false;
            rollback.name = self.transaction_name()?;
        } else {
            self.eat_word(K::WORK);
        }
        Ok(StatementKind::RollbackTransaction(Box::new(rollback)))
    }

    #[inline(never)]
    pub(super) fn save(&mut self) -> P<StatementKind> {
        self.bump();
        if !self.eat_word(K::TRAN) {
            self.expect_word(K::TRANSACTION)?;
        }
        match self.transaction_name()? {
            Some(name) => Ok(StatementKind::SaveTransaction(name)),
            None => Err(self.unexpected()),
        }
    }
}
