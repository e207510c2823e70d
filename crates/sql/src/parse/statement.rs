//! The batch, lists of statements, and which word begins which statement.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

impl Parser<'_> {
    pub(super) fn batch(&mut self) -> P<Batch> {
        let statements = self.statements(|parser| parser.at(T::End))?;
        self.check_labels()?;
        Ok(Batch { statements })
    }

    /// Statements until `ended`, semicolons between and behind them.
    pub(super) fn statements(&mut self, ended: impl Fn(&Self) -> bool) -> P<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut terminated = true;
        loop {
            while self.eat(T::Semicolon) {
                terminated = true;
            }
            if ended(self) {
                return Ok(statements);
            }
            if !terminated && self.at_word(K::WITH) {
                return Err(self.with_needs_terminator(self.token));
            }
            statements.push(self.statement()?);
            terminated = false;
        }
    }

    /// One statement, with the semicolon behind it left alone.
    pub(super) fn statement(&mut self) -> P<Statement> {
        self.enter()?;
        let (line, start) = (self.token.line, self.token.start);
        let kind = self.statement_kind()?;
        self.first = false;
        self.depth -= 1;
        Ok(Statement { kind, line, span: self.span_from(start) })
    }

    fn statement_kind(&mut self) -> P<StatementKind> {
        if self.token.kind != T::Word || !self.token.keyword.is_reserved() {
            return self.unreserved_statement();
        }
        match self.keyword() {
            K::SELECT => Ok(StatementKind::Select(Box::new(self.query_statement(None, true)?))),
            K::WITH => self.with_statement(),
            K::INSERT => self.insert(None),
            K::UPDATE => {
                if self.peek_word(1, K::STATISTICS) {
                    return self.update_statistics();
                }
                self.update(None)
            }
            K::DELETE => self.delete(None),
            K::MERGE => self.merge_statement(None),
            K::TRUNCATE => self.truncate(),
            K::BULK => self.bulk_insert(),

            K::BEGIN => self.begin(),
            K::IF => self.if_statement(),
            K::WHILE => self.while_statement(),
            K::BREAK => self.break_statement(),
            K::CONTINUE => self.continue_statement(),
            K::GOTO => self.goto(),
            K::RETURN => self.return_statement(),
            K::PRINT => self.print(),
            K::RAISERROR => self.raiserror(),
            K::WAITFOR => self.wait_for(),
            K::EXEC | K::EXECUTE => self.execute(),
            K::REVERT => self.revert(),
            K::DECLARE => self.declare(),
            K::SET => self.set(),

            K::OPEN => self.open(),
            K::FETCH => self.fetch(),
            K::CLOSE => self.close(),
            K::DEALLOCATE => self.deallocate(),

            K::COMMIT => self.commit(),
            K::ROLLBACK => self.rollback(),
            K::SAVE => self.save(),

            K::CREATE => self.create(),
            K::ALTER => self.alter(),
            K::DROP => self.drop_statement(),
            K::ADD => self.other(),

            K::USE => self.use_database(),
            K::BACKUP => self.backup(),
            K::RESTORE => self.restore(),
            K::GRANT | K::DENY | K::REVOKE => self.permission(),

            K::DBCC => self.dbcc(),
            K::KILL => self.kill(),
            K::CHECKPOINT => self.checkpoint(),
            K::SHUTDOWN => self.shutdown(),
            K::RECONFIGURE => self.reconfigure(),
            K::SETUSER => self.set_user(),
            K::END if self.peek_word(1, K::CONVERSATION) => self.other(),
            K::READTEXT | K::WRITETEXT | K::UPDATETEXT => self.other(),
            K::LINENO => self.other(),
            _ => Err(self.unexpected()),
        }
    }

    /// Labels, statements whose first word is not reserved, and the procedure call without EXEC.
    fn unreserved_statement(&mut self) -> P<StatementKind> {
        if self.at(T::LeftBrace) {
            return self.odbc_call();
        }
        if self.at(T::LeftParen) {
            let query = self.query_statement(None, true)?;
            return Ok(StatementKind::Select(Box::new(query)));
        }
        if self.at_label() {
            return self.label();
        }
        match self.keyword() {
            K::THROW => return self.throw(),
            K::ENABLE | K::DISABLE if self.peek_word(1, K::TRIGGER) => return self.switch_trigger(),
            K::SEND | K::RECEIVE | K::GET | K::MOVE if !(self.first && self.depth == 1) => return self.other(),
            K::RECEIVE if self.peek_is(1, T::Star) || self.peek_word(1, K::TOP) => return self.other(),
            K::MOVE if self.peek_word(1, K::CONVERSATION) => return self.other(),
            K::GET if self.peek_word(1, K::CONVERSATION) => return self.other(),
            K::SEND if self.peek_word(1, K::ON) => return self.other(),
            _ => {}
        }
        // A semicolon before it makes it no first statement.
        let first = self.first && self.previous.kind != T::Semicolon;
        if first && self.depth == 1 && (self.at_name() || self.at(T::Dot)) {
            return self.bare_call();
        }
        Err(self.unexpected())
    }

    /// `WITH a AS (...) SELECT | INSERT | UPDATE | DELETE | MERGE`
    #[inline(never)]
    fn with_statement(&mut self) -> P<StatementKind> {
        let with = self.with_clause()?;
        match self.keyword() {
            K::INSERT => self.insert(Some(with)),
            K::UPDATE => self.update(Some(with)),
            K::DELETE => self.delete(Some(with)),
            K::MERGE => self.merge_statement(Some(with)),
            K::SELECT => Ok(StatementKind::Select(Box::new(self.query_statement(Some(with), true)?))),
            _ if self.at(T::LeftParen) => Ok(StatementKind::Select(Box::new(self.query_statement(Some(with), true)?))),
            _ => Err(self.unexpected()),
        }
    }

    fn merge_statement(&mut self, with: Option<Box<With>>) -> P<StatementKind> {
        let merge = self.merge(with)?;
        if !self.at(T::Semicolon) {
            let line = self.previous.line;
            return Err(sql_error!(10713).at_line(line));
        }
        Ok(StatementKind::Merge(Box::new(merge)))
    }

    /// A statement that is only recognized: its first words, and its end.
    #[inline(never)]
    pub(super) fn other(&mut self) -> P<StatementKind> {
        let mut verb = String::new();
        for _ in 0..4 {
            if !self.at(T::Word) || verb == "RECEIVE" {
                break;
            }
            // Names begin behind the words of the language.
            if !verb.is_empty() && self.token.keyword == K::NONE_ {
                break;
            }
            if !verb.is_empty() {
                verb.push(' ');
            }
            verb.push_str(&self.upper_word());
        }
        if self.at_word(K::IF) && self.peek_word(1, K::EXISTS) {
            self.bump();
            self.bump();
        }
        let of_session = matches!(verb.as_str(), "ALTER EVENT SESSION" | "DROP EVENT SESSION");
        let session = if of_session && self.at_name() { Some(self.ident()?.text) } else { None };
        self.skip_statement()?;
        Ok(StatementKind::Other(Box::new(OtherStatement { verb: verb.into(), session })))
    }

    /// To the semicolon, or to a word that begins another statement and stands in no list of options.
    pub(super) fn skip_statement(&mut self) -> P<()> {
        let mut parens = 0u32;
        loop {
            match self.kind() {
                T::LeftParen => parens += 1,
                T::RightParen if parens == 0 => return Err(self.unexpected()),
                T::RightParen => parens -= 1,
                T::End if parens > 0 => return Err(self.unexpected()),
                T::End => return Ok(()),
                T::Semicolon if parens == 0 => return Ok(()),
                T::UnclosedString | T::UnclosedQuote | T::UnclosedComment => return Err(self.unexpected()),
                T::Word if parens == 0 && self.at_other_statement() => return Ok(()),
                _ => {}
            }
            self.bump();
        }
    }

    fn at_other_statement(&mut self) -> bool {
        match self.keyword() {
            K::EXEC | K::EXECUTE => !self.peek_word(1, K::AS),
            K::CREATE => !self.peek_word(1, K::ANY),
            K::SELECT
            | K::IF
            | K::WHILE
            | K::BEGIN
            | K::END
            | K::ELSE
            | K::PRINT
            | K::DECLARE
            | K::USE
            | K::RETURN
            | K::COMMIT
            | K::ROLLBACK
            | K::RAISERROR
            | K::WAITFOR
            | K::TRUNCATE
            | K::RECONFIGURE
            | K::DBCC
            | K::GOTO => true,
            K::DROP => matches!(
                self.peek(1).keyword,
                K::TABLE
                    | K::VIEW
                    | K::FUNCTION
                    | K::PROC
                    | K::PROCEDURE
                    | K::TRIGGER
                    | K::SCHEMA
                    | K::DATABASE
                    | K::LOGIN
                    | K::USER
                    | K::ROLE
                    | K::TYPE
                    | K::SEQUENCE
                    | K::SYNONYM
                    | K::SECURITY
                    | K::CERTIFICATE
                    | K::SYMMETRIC
                    | K::ASYMMETRIC
                    | K::MASTER
                    | K::CREDENTIAL
            ),
            K::ALTER => !self.previous.keyword.is_reserved(),
            _ => false,
        }
    }
}
