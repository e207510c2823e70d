//! CREATE, ALTER and DROP of server audits and of audit specifications.

use super::{K, P, Parser, T};
use crate::ast::*;

impl Parser<'_> {
    /// Whether such a statement begins here; the current token is the verb.
    pub(super) fn at_audit(&mut self) -> bool {
        self.peek_word(2, K::AUDIT) && (self.peek_word(1, K::SERVER) || self.peek_word(1, K::DATABASE))
    }

    /// The current token is the verb, behind which `at_audit` has looked.
    #[inline(never)]
    pub(super) fn audit(&mut self) -> P<StatementKind> {
        let verb = match self.keyword() {
            K::CREATE => AuditVerb::Create,
            K::ALTER => AuditVerb::Alter,
            _ => AuditVerb::Drop,
        };
        self.bump();
        let of_database = self.at_word(K::DATABASE);
        self.bump();
        self.bump();
        if self.at_text("SPECIFICATION") {
            self.bump();
            return self.audit_specification(verb, of_database);
        }
        if of_database {
            return Err(self.unexpected());
        }
        self.server_audit(verb)
    }

    fn server_audit(&mut self, verb: AuditVerb) -> P<StatementKind> {
        let mut audit = ServerAudit {
            verb,
            name: self.ident()?,
            target: None,
            options: Vec::new(),
            filter: AuditFilter::Unsaid,
            new_name: None,
        };
        if verb == AuditVerb::Alter && self.at_text("REMOVE") {
            self.bump();
            self.expect_word(K::WHERE)?;
            audit.filter = AuditFilter::Removed;
        } else if verb == AuditVerb::Alter && self.at_text("MODIFY") {
            self.bump();
            self.expect_text("NAME")?;
            self.expect(T::Equals)?;
            audit.new_name = Some(self.ident()?);
        } else if verb != AuditVerb::Drop {
            if self.eat_word(K::TO) {
                audit.target = Some(self.audit_target()?);
            } else if verb == AuditVerb::Create {
                return Err(self.unexpected());
            }
            if self.eat_word(K::WITH) {
                audit.options = self.settings_list()?;
            }
            if self.eat_word(K::WHERE) {
                audit.filter = AuditFilter::Given;
                self.skip_statement()?;
            }
        }
        Ok(StatementKind::ServerAudit(Box::new(audit)))
    }

    fn audit_target(&mut self) -> P<AuditTarget> {
        if !self.at(T::Word) {
            return Err(self.unexpected());
        }
        let kind = self.upper_word();
        let settings = if self.at(T::LeftParen) { self.settings_list()? } else { Vec::new() };
        Ok(AuditTarget { kind, settings })
    }

    fn audit_specification(&mut self, verb: AuditVerb, of_database: bool) -> P<StatementKind> {
        let mut specification = AuditSpecification {
            verb,
            of_database,
            name: self.ident()?,
            audit: None,
            changes: Vec::new(),
            state: None,
        };
        if verb != AuditVerb::Drop {
            if self.eat_word(K::FOR) {
                self.expect_word(K::SERVER)?;
                self.expect_word(K::AUDIT)?;
                specification.audit = Some(self.ident()?);
            } else if verb == AuditVerb::Create {
                return Err(self.unexpected());
            }
            while self.at_any(&[K::ADD, K::DROP]) && self.peek_is(1, T::LeftParen) {
                specification.changes.push(self.audit_change(of_database)?);
                if !self.eat(T::Comma) {
                    break;
                }
            }
            if self.eat_word(K::WITH) {
                self.expect(T::LeftParen)?;
                self.expect_text("STATE")?;
                self.expect(T::Equals)?;
                let on = self.eat_word(K::ON);
                if !on {
                    self.expect_word(K::OFF)?;
                }
                self.expect(T::RightParen)?;
                specification.state = Some(on);
            }
        }
        Ok(StatementKind::AuditSpecification(Box::new(specification)))
    }

    /// `ADD (group)`, `DROP (SELECT, INSERT ON name BY public)`
    fn audit_change(&mut self, of_database: bool) -> P<AuditChange> {
        let add = self.at_word(K::ADD);
        self.bump();
        self.expect(T::LeftParen)?;
        if !self.at(T::Word) {
            return Err(self.unexpected());
        }
        let mut actions = vec![self.upper_word()];
        while self.eat(T::Comma) {
            if !self.at(T::Word) {
                return Err(self.unexpected());
            }
            actions.push(self.upper_word());
        }
        let what = if of_database && self.eat_word(K::ON) {
            let class = self.securable_class()?;
            let securable = self.object_name()?;
            self.expect_word(K::BY)?;
            let principals = self.list(Self::principal)?;
            AuditedActions::On { actions, class, securable, principals }
        } else {
            match actions.len() {
                1 => AuditedActions::Group(actions.pop().expect("one")),
                _ => return Err(self.unexpected()),
            }
        };
        self.expect(T::RightParen)?;
        Ok(AuditChange { add, what })
    }
}
