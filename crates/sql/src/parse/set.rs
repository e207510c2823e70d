//! SET: variables, options, isolation.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

/// Options that are ON or OFF.
const SWITCHES: &[&str] = &[
    "NOCOUNT",
    "ANSI_NULLS",
    "QUOTED_IDENTIFIER",
    "XACT_ABORT",
    "ANSI_PADDING",
    "ANSI_WARNINGS",
    "ARITHABORT",
    "CONCAT_NULL_YIELDS_NULL",
    "NUMERIC_ROUNDABORT",
    "IMPLICIT_TRANSACTIONS",
    "ANSI_DEFAULTS",
    "ANSI_NULL_DFLT_ON",
    "ANSI_NULL_DFLT_OFF",
    "ARITHIGNORE",
    "CURSOR_CLOSE_ON_COMMIT",
    "DISABLE_DEF_CNST_CHK",
    "FMTONLY",
    "FORCEPLAN",
    "NOEXEC",
    "NO_BROWSETABLE",
    "PARSEONLY",
    "REMOTE_PROC_TRANSACTIONS",
    "RESULT_SET_CACHING",
    "SHOWPLAN_ALL",
    "SHOWPLAN_TEXT",
    "SHOWPLAN_XML",
];

/// Options with a value.
const VALUES: &[&str] = &[
    "ROWCOUNT",
    "TEXTSIZE",
    "LANGUAGE",
    "DATEFORMAT",
    "DATEFIRST",
    "LOCK_TIMEOUT",
    "DEADLOCK_PRIORITY",
    "CONTEXT_INFO",
    "QUERY_GOVERNOR_COST_LIMIT",
    "FIPS_FLAGGER",
    "ERRLVL",
];

/// Two of the options with a value take a number as it is written and nothing else.
fn takes(name: &str, value: &Expr) -> bool {
    let number = match value {
        Expr::Unary(_, number) => number,
        value => value,
    };
    match (name, number) {
        ("LOCK_TIMEOUT", Expr::Literal(Literal::Int(_))) => true,
        ("QUERY_GOVERNOR_COST_LIMIT", Expr::Literal(literal)) => {
            !matches!(literal, Literal::Null | Literal::String { .. })
        }
        (name, _) => !matches!(name, "LOCK_TIMEOUT" | "QUERY_GOVERNOR_COST_LIMIT"),
    }
}

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn set(&mut self) -> P<StatementKind> {
        self.bump();
        if self.at(T::Variable) {
            return Ok(StatementKind::SetVariable(Box::new(self.set_variable()?)));
        }
        let option = match self.keyword() {
            K::TRANSACTION | K::TRAN => self.set_isolation()?,
            K::STATISTICS => self.set_statistics()?,
            K::OFFSETS => self.set_offsets()?,
            K::IDENTITY_INSERT => {
                self.bump();
                let table = self.object_name()?;
                SetOption::IdentityInsert { table, on: self.on_or_off()? }
            }
            _ if self.at(T::Word) => self.set_named()?,
            _ => return Err(self.unexpected()),
        };
        Ok(StatementKind::SetOption(Box::new(option)))
    }

    fn set_variable(&mut self) -> P<SetVariable> {
        let variable = self.variable()?;
        if self.eat(T::Dot) {
            let name = self.ident()?;
            let kind = if self.at(T::LeftParen) {
                SetVariableKind::Method { name, args: self.arguments()? }
            } else {
                let op = self.assign_op()?;
                SetVariableKind::Property { name, op, value: self.scalar()? }
            };
            return Ok(SetVariable { variable, kind });
        }
        let op = self.assign_op()?;
        let kind = if op == AssignOp::Set && self.at_word(K::CURSOR) {
            self.bump();
            SetVariableKind::Cursor(Box::new(self.cursor_definition(CursorDefinition::default())?))
        } else {
            SetVariableKind::Value(op, self.scalar()?)
        };
        Ok(SetVariable { variable, kind })
    }

    fn on_or_off(&mut self) -> P<bool> {
        let on = self.eat_word(K::ON);
        if !on {
            self.expect_word(K::OFF)?;
        }
        Ok(on)
    }

    fn set_isolation(&mut self) -> P<SetOption> {
        self.bump();
        self.expect_word(K::ISOLATION)?;
        self.expect_word(K::LEVEL)?;
        let isolation = if self.eat_word(K::READ) {
            if self.eat_word(K::UNCOMMITTED) {
                Isolation::ReadUncommitted
            } else {
                self.expect_word(K::COMMITTED)?;
                Isolation::ReadCommitted
            }
        } else if self.eat_word(K::REPEATABLE) {
            self.expect_word(K::READ)?;
            Isolation::RepeatableRead
        } else if self.eat_word(K::SNAPSHOT) {
            Isolation::Snapshot
        } else {
            self.expect_word(K::SERIALIZABLE)?;
            Isolation::Serializable
        };
        Ok(SetOption::Isolation(isolation))
    }

    fn set_statistics(&mut self) -> P<SetOption> {
        self.bump();
        let options = self.list(|parser| {
            let token = parser.token;
            let is_known = ["IO", "TIME", "XML", "PROFILE"].iter().any(|word| parser.at_text(word));
            if is_known { Ok(parser.upper_word()) } else { Err(parser.not_an_option(token, "SET STATISTICS")) }
        })?;
        Ok(SetOption::Statistics { options, on: self.on_or_off()? })
    }

    fn set_offsets(&mut self) -> P<SetOption> {
        self.bump();
        let words =
            self.list(|parser| if parser.at(T::Word) { Ok(parser.upper_word()) } else { Err(parser.unexpected()) })?;
        Ok(SetOption::Offsets { words, on: self.on_or_off()? })
    }

    fn set_named(&mut self) -> P<SetOption> {
        let known = |parser: &Self, list: &[&str]| list.iter().any(|word| parser.at_text(word));
        if known(self, VALUES) {
            let name = self.upper_word();
            // -1 is every row of TEXTSIZE and no limit of LOCK_TIMEOUT, but no ROWCOUNT.
            if &*name == "ROWCOUNT" && (self.at_word(K::NULL) || self.at(T::Minus))
                || &*name == "TEXTSIZE" && !matches!(self.kind(), T::Integer | T::Minus | T::Plus)
            {
                return Err(self.unexpected());
            }
            let line = self.token.line;
            if &*name == "DEADLOCK_PRIORITY" && self.at_word(K::NULL) {
                return Err(sql_error!(2755, -10, 10).at_line(line));
            }
            let token = self.token;
            let value = self.set_value()?;
            if &*name == "ROWCOUNT" && matches!(value, Expr::Literal(Literal::Decimal(_) | Literal::Float(_))) {
                return Err(sql_error!(1080, self.token_text(token)).at_line(line));
            }
            if !takes(&name, &value) {
                return Err(sql_error!(102, state 3, &*name).at_line(line));
            }
            return Ok(SetOption::Value { name, value });
        }
        let mut options = Vec::new();
        let alone = self.first && self.depth == 1;
        loop {
            let token = self.token;
            if token.kind != T::Word {
                return Err(self.unexpected());
            }
            if !known(self, SWITCHES) {
                if token.keyword.is_reserved() {
                    return Err(self.unexpected());
                }
                return Err(sql_error!(195, state 5, self.shown(token), "SET option").at_line(token.line));
            }
            options.push(self.upper_word());
            if !self.eat(T::Comma) {
                break;
            }
        }
        if !self.at_any(&[K::ON, K::OFF]) {
            let last = self.previous;
            return Err(sql_error!(102, state 4, self.shown(last)).at_line(last.line));
        }
        let on = self.on_or_off()?;
        self.check_alone(&options, on, alone)?;
        if options.iter().any(|option| &**option == "QUOTED_IDENTIFIER" || &**option == "ANSI_DEFAULTS")
            && self.module.is_empty()
        {
            // Takes effect while the batch is read, wherever it stands.
            self.quoted_identifier = on;
        }
        Ok(SetOption::Switch { options, on })
    }

    /// 1067: what shows plans instead of running is a batch of its own. 1059: a module cannot say how it is read.
    fn check_alone(&mut self, options: &[Box<str>], on: bool, first: bool) -> P<()> {
        let in_module = !self.module.is_empty();
        if in_module && options.iter().any(|option| &**option == "PARSEONLY") {
            return Err(sql_error!(1059, "parseonly"));
        }
        if !options.iter().any(|option| option.starts_with("SHOWPLAN_")) {
            return Ok(());
        }
        if in_module || on && (!first || options.len() > 1) {
            return Err(sql_error!(1067));
        }
        let end = if self.at(T::Semicolon) { self.peek(1).kind } else { self.kind() };
        match on && end != T::End {
            true => Err(sql_error!(1067, state 2)),
            false => Ok(()),
        }
    }

    /// A constant, a variable, or a word (LOW, us_english, dmy, OFF).
    fn set_value(&mut self) -> P<Expr> {
        if self.at_any(&[K::ON, K::OFF]) || self.at_name() {
            return Ok(Expr::Word(self.any_word()?));
        }
        self.constant()
    }

    /// `SETUSER ['name' [WITH NORESET]]`, which is what EXECUTE AS and REVERT were before there were these.
    #[inline(never)]
    pub(super) fn set_user(&mut self) -> P<StatementKind> {
        self.bump();
        if !self.at_string() && !self.at(T::Variable) {
            return Ok(StatementKind::Revert(None));
        }
        let principal = ExecuteAsPrincipal::User(self.string_or_variable()?);
        let no_revert = self.eat_word(K::WITH);
        if no_revert {
            self.expect_text("NORESET")?;
        }
        Ok(StatementKind::ExecuteAs(Box::new(ExecuteAs { principal, no_revert, cookie: None })))
    }
}
