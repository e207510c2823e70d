//! CREATE and ALTER SECURITY POLICY.

use super::{K, P, Parser, T};
use crate::ast::*;

impl Parser<'_> {
    /// Whether such a statement, or its DROP, begins here; the current token is the verb.
    pub(super) fn at_security_policy(&mut self) -> bool {
        let word = self.peek(2);
        self.peek_word(1, K::SECURITY) && word.kind == T::Word && self.token_text(word).eq_ignore_ascii_case("POLICY")
    }

    /// The current token is CREATE or ALTER, behind which `at_security_policy` has looked.
    #[inline(never)]
    pub(super) fn security_policy(&mut self) -> P<StatementKind> {
        let alter = self.at_word(K::ALTER);
        (0..3).for_each(|_| self.bump());
        let mut policy = SecurityPolicy {
            alter,
            name: self.object_name()?,
            predicates: Vec::new(),
            state: None,
            schemabinding: None,
            not_for_replication: None,
        };
        // ADD | DROP NOT FOR REPLICATION stands in place of the predicates.
        if alter && self.at_any(&[K::ADD, K::DROP]) && self.peek_word(1, K::NOT) {
            policy.not_for_replication = Some(self.at_word(K::ADD));
            self.bump();
            self.not_for_replication()?;
            return Ok(StatementKind::SecurityPolicy(Box::new(policy)));
        }
        if !alter || self.at_any(&[K::ADD, K::ALTER, K::DROP]) {
            policy.predicates = self.list(|parser| parser.predicate_change(alter))?;
        }
        if self.eat_word(K::WITH) {
            self.expect(T::LeftParen)?;
            loop {
                let option = match self.at_text("STATE") {
                    true => &mut policy.state,
                    // What was said when the policy was made stays.
                    false if !alter && self.at_word(K::SCHEMABINDING) => &mut policy.schemabinding,
                    false => return Err(self.unexpected()),
                };
                if option.is_some() {
                    return Err(self.unexpected());
                }
                self.bump();
                self.expect(T::Equals)?;
                if !self.at_any(&[K::ON, K::OFF]) {
                    return Err(self.unexpected());
                }
                *option = Some(self.at_word(K::ON));
                self.bump();
                if !self.eat(T::Comma) {
                    break;
                }
            }
            self.expect(T::RightParen)?;
        }
        if self.at_word(K::NOT) {
            self.not_for_replication()?;
            policy.not_for_replication = Some(true);
        }
        let says_nothing =
            policy.predicates.is_empty() && policy.state.is_none() && policy.not_for_replication.is_none();
        if says_nothing {
            return Err(self.unexpected());
        }
        Ok(StatementKind::SecurityPolicy(Box::new(policy)))
    }

    /// The current token is DROP, behind which `at_security_policy` has looked.
    pub(super) fn drop_security_policy(&mut self) -> P<StatementKind> {
        (0..3).for_each(|_| self.bump());
        let if_exists = self.if_exists()?;
        let names = vec![self.object_name()?];
        Ok(StatementKind::Drop(Box::new(Drop { kind: DropKind::SecurityPolicy, if_exists, names, scope: None })))
    }

    fn predicate_change(&mut self, alter: bool) -> P<PredicateChange> {
        let line = self.token.line;
        let verb = match self.keyword() {
            K::ADD => PredicateVerb::Add,
            K::ALTER if alter => PredicateVerb::Alter,
            K::DROP if alter => PredicateVerb::Drop,
            _ => return Err(self.unexpected()),
        };
        self.bump();
        let block = self.at_text("BLOCK");
        if !block && !self.at_text("FILTER") {
            return Err(self.unexpected());
        }
        self.bump();
        self.expect_text("PREDICATE")?;
        let function = match verb {
            PredicateVerb::Drop => None,
            _ => {
                let name = self.object_name()?;
                self.expect(T::LeftParen)?;
                let arguments = if self.at(T::RightParen) { Vec::new() } else { self.list(Self::scalar)? };
                self.expect(T::RightParen)?;
                Some(PredicateFunction { name, arguments })
            }
        };
        self.expect_word(K::ON)?;
        let table = self.object_name()?;
        let operation = if block { self.blocked_operation()? } else { None };
        Ok(PredicateChange { verb, block, function, table, operation, line })
    }

    fn blocked_operation(&mut self) -> P<Option<BlockedOperation>> {
        let after = self.at_text("AFTER");
        if !after && !self.at_text("BEFORE") {
            return Ok(None);
        }
        self.bump();
        let operation = match self.keyword() {
            K::INSERT if after => BlockedOperation::AfterInsert,
            K::UPDATE if after => BlockedOperation::AfterUpdate,
            K::UPDATE => BlockedOperation::BeforeUpdate,
            K::DELETE if !after => BlockedOperation::BeforeDelete,
            _ => return Err(self.unexpected()),
        };
        self.bump();
        Ok(Some(operation))
    }
}
