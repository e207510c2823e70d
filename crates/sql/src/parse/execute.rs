//! EXECUTE in all its forms, the call without EXEC, EXECUTE AS, REVERT.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

impl Parser<'_> {
    /// The current token is EXEC or EXECUTE.
    #[inline(never)]
    pub(super) fn execute(&mut self) -> P<StatementKind> {
        let line = self.token.line;
        self.bump();
        if self.at(T::LeftParen) {
            return Ok(StatementKind::ExecuteString(Box::new(self.execute_string(line)?)));
        }
        if self.eat_word(K::AS) {
            let context = self.execute_as()?;
            return Ok(StatementKind::ExecuteAs(Box::new(context)));
        }
        let mut result = None;
        let mut procedure = None;
        if self.at(T::Variable) {
            let variable = self.variable()?;
            if self.eat(T::Equals) {
                result = Some(variable);
            } else {
                procedure = Some(Procedure::Variable(variable));
            }
        }
        let procedure = match procedure {
            Some(procedure) => procedure,
            None if self.at(T::Variable) => Procedure::Variable(self.variable()?),
            None => self.procedure_name()?,
        };
        self.call_of(result, procedure, line)
    }

    /// The first statement of a batch may leave EXEC out.
    #[inline(never)]
    pub(super) fn bare_call(&mut self) -> P<StatementKind> {
        let line = self.token.line;
        let procedure = self.procedure_name()?;
        self.call_of(None, procedure, line)
    }

    fn procedure_name(&mut self) -> P<Procedure> {
        let name = self.object_name()?;
        let number = self.procedure_number()?;
        Ok(Procedure::Name(name, number))
    }

    /// `;2` behind a procedure's name. `;` and a number cannot be two statements.
    pub(super) fn procedure_number(&mut self) -> P<Option<i32>> {
        if !self.at(T::Semicolon) || !self.peek_is(1, T::Integer) {
            return Ok(None);
        }
        self.bump();
        Ok(Some(self.unsigned()?.min(i32::MAX as u32) as i32))
    }

    fn call_of(&mut self, result: Option<Variable>, procedure: Procedure, line: u32) -> P<StatementKind> {
        let mut args = Vec::new();
        if self.at_argument() {
            args = self.call_arguments_of_procedure()?;
        }
        let mut execute = Execute { result, procedure, args, recompile: false, result_sets: None, odbc: false, line };
        (execute.recompile, execute.result_sets) = self.execute_options()?;
        if self.at_word(K::AT) {
            // EXEC p AT server is not T-SQL, EXEC ('...') AT server is.
            return Err(self.unexpected());
        }
        Ok(StatementKind::Execute(Box::new(execute)))
    }

    fn at_argument(&mut self) -> bool {
        match self.kind() {
            T::Variable | T::Global | T::Minus | T::Plus | T::Binary | T::LeftBrace => true,
            T::Word if self.at_any(&[K::DEFAULT, K::NULL]) => true,
            T::Word => self.at_name() && !self.at_label(),
            T::Bracketed | T::DoubleQuoted => true,
            kind => Self::is_number(kind) || self.at_string(),
        }
    }

    /// Once `@name = value` has been used, all that follow must have it.
    fn call_arguments_of_procedure(&mut self) -> P<Vec<Argument>> {
        let mut args: Vec<Argument> = Vec::new();
        loop {
            let line = self.token.line;
            let argument = self.call_argument()?;
            if argument.name.is_none() && args.last().is_some_and(|last| last.name.is_some()) {
                return Err(sql_error!(119, args.len() + 1).at_line(line));
            }
            args.push(argument);
            if !self.eat(T::Comma) {
                return Ok(args);
            }
        }
    }

    fn call_argument(&mut self) -> P<Argument> {
        let mut name = None;
        if self.at(T::Variable) && self.peek_is(1, T::Equals) {
            name = Some(self.variable()?);
            self.bump();
        }
        let value = self.argument_value()?;
        let output = self.eat_word(K::OUTPUT) || self.eat_word(K::OUT);
        Ok(Argument { name, value, output })
    }

    fn argument_value(&mut self) -> P<Expr> {
        if self.eat_word(K::DEFAULT) {
            return Ok(Expr::Default);
        }
        if self.at(T::LeftBrace) {
            return self.odbc_escape();
        }
        if self.at_name() {
            return Ok(Expr::Word(self.ident()?));
        }
        self.constant()
    }

    /// `WITH RECOMPILE, RESULT SETS ...`
    fn execute_options(&mut self) -> P<(bool, Option<ResultSets>)> {
        let mut recompile = false;
        let mut sets = None;
        if !self.at_word(K::WITH) || !(self.peek_word(1, K::RECOMPILE) || self.peek_word(1, K::RESULT)) {
            return Ok((recompile, sets));
        }
        self.bump();
        loop {
            if self.eat_word(K::RECOMPILE) {
                recompile = true;
            } else {
                self.expect_word(K::RESULT)?;
                self.expect_word(K::SETS)?;
                sets = Some(self.result_sets()?);
            }
            if !self.eat(T::Comma) {
                return Ok((recompile, sets));
            }
        }
    }

    fn result_sets(&mut self) -> P<ResultSets> {
        if self.eat_word(K::UNDEFINED) {
            return Ok(ResultSets::Undefined);
        }
        if self.eat_text("NONE") {
            return Ok(ResultSets::None);
        }
        Ok(ResultSets::Sets(self.paren_list(Self::result_set)?))
    }

    fn result_set(&mut self) -> P<ResultSet> {
        if !self.eat_word(K::AS) {
            return Ok(ResultSet::Columns(self.paren_list(Self::result_column)?));
        }
        if self.eat_word(K::OBJECT) {
            return Ok(ResultSet::Object(self.object_name()?));
        }
        if self.eat_word(K::TYPE) {
            return Ok(ResultSet::Type(self.object_name()?));
        }
        self.expect_word(K::FOR)?;
        self.expect_word(K::XML)?;
        Ok(ResultSet::ForXml)
    }

    fn result_column(&mut self) -> P<ResultColumn> {
        let name = self.ident()?;
        let data_type = self.data_type()?;
        let collation = if self.eat_word(K::COLLATE) { Some(self.ident()?) } else { None };
        let null = self.nullability()?;
        Ok(ResultColumn { name, data_type, collation, null })
    }

    /// `('text' + @x, args) [AS USER = 'u'] [AT server]`
    fn execute_string(&mut self, line: u32) -> P<ExecuteString> {
        self.bump();
        let mut text = vec![self.string_or_variable_piece()?];
        while self.eat(T::Plus) {
            text.push(self.string_or_variable_piece()?);
        }
        let mut args = Vec::new();
        while self.eat(T::Comma) {
            args.push(self.call_argument()?);
        }
        self.expect(T::RightParen)?;
        let mut execute = ExecuteString {
            text,
            args,
            context: None,
            at: None,
            at_data_source: None,
            recompile: false,
            result_sets: None,
            line,
        };
        if self.at_word(K::AS) && (self.peek_word(1, K::USER) || self.peek_word(1, K::LOGIN)) {
            self.bump();
            execute.context = Some(self.execute_as()?);
        }
        if self.eat_word(K::AT) {
            if self.eat_word(K::DATA_SOURCE) {
                execute.at_data_source = Some(self.ident()?);
            } else {
                execute.at = Some(self.ident()?);
            }
        }
        (execute.recompile, execute.result_sets) = self.execute_options()?;
        Ok(execute)
    }

    fn string_or_variable_piece(&mut self) -> P<Expr> {
        if self.at(T::Global) {
            return Ok(self.global());
        }
        self.string_or_variable()
    }

    /// Behind EXECUTE AS: `CALLER`, `USER = 'u' [WITH ...]`, `'u'`.
    pub(super) fn execute_as(&mut self) -> P<ExecuteAs> {
        let principal = match self.keyword() {
            K::CALLER => {
                self.bump();
                ExecuteAsPrincipal::Caller
            }
            K::OWNER => {
                self.bump();
                ExecuteAsPrincipal::Owner
            }
            K::SELF => {
                self.bump();
                ExecuteAsPrincipal::SelfUser
            }
            K::USER => {
                self.bump();
                self.expect(T::Equals)?;
                ExecuteAsPrincipal::User(self.string_or_variable()?)
            }
            K::LOGIN => {
                self.bump();
                self.expect(T::Equals)?;
                ExecuteAsPrincipal::Login(self.string_or_variable()?)
            }
            _ => ExecuteAsPrincipal::User(self.string_or_variable()?),
        };
        let mut context = ExecuteAs { principal, no_revert: false, cookie: None };
        if self.at_word(K::WITH) && (self.peek_word(1, K::NO) || self.peek_word(1, K::COOKIE)) {
            self.bump();
            if self.eat_word(K::NO) {
                self.expect_word(K::REVERT)?;
                context.no_revert = true;
            } else {
                self.bump();
                self.expect_word(K::INTO)?;
                context.cookie = Some(self.variable()?);
            }
        }
        Ok(context)
    }

    #[inline(never)]
    pub(super) fn revert(&mut self) -> P<StatementKind> {
        self.bump();
        if !self.eat_words(K::WITH, K::COOKIE) {
            return Ok(StatementKind::Revert(None));
        }
        self.expect(T::Equals)?;
        Ok(StatementKind::Revert(Some(Box::new(self.constant()?))))
    }

    /// `{call p (args)}`, `{? = call p}` arrives as an RPC and never as text.
    #[inline(never)]
    pub(super) fn odbc_call(&mut self) -> P<StatementKind> {
        let line = self.token.line;
        self.bump();
        let mut result = None;
        if self.at(T::Variable) {
            result = Some(self.variable()?);
            self.expect(T::Equals)?;
        }
        self.expect_text("CALL")?;
        let procedure = self.procedure_name()?;
        let mut args = Vec::new();
        if self.eat(T::LeftParen) {
            if !self.at(T::RightParen) {
                args = self.list(Self::call_argument)?;
            }
            self.expect(T::RightParen)?;
        } else if self.at_argument() {
            args = self.list(Self::call_argument)?;
        }
        self.expect(T::RightBrace)?;
        let execute = Execute { result, procedure, args, recompile: false, result_sets: None, odbc: true, line };
        Ok(StatementKind::Execute(Box::new(execute)))
    }
}
