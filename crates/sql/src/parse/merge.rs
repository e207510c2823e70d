//! MERGE.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

impl Parser<'_> {
    /// Without the semicolon that must follow a statement of its own.
    #[inline(never)]
    pub(super) fn merge(&mut self, with: Option<Box<With>>) -> P<Merge> {
        self.bump();
        let top = self.optional_top()?;
        self.eat_word(K::INTO);
        // Hints stand before the alias.
        let target = self.target_with(true)?;
        let alias = self.table_alias()?;
        self.expect_word(K::USING)?;
        if self.at(T::LeftParen) && self.peek_word(1, K::WITH) {
            self.bump();
            return Err(self.unexpected());
        }
        let source = self.table_source()?;
        self.expect_word(K::ON)?;
        let on = self.condition()?;
        let mut clauses = Vec::new();
        while self.at_word(K::WHEN) {
            clauses.push(self.merge_clause()?);
        }
        if clauses.is_empty() {
            return Err(self.unexpected());
        }
        check_clauses(&clauses)?;
        let output = self.output_clause()?;
        let options = self.option_clause()?;
        Ok(Merge { with, top, target, alias, source, on, clauses, output, options })
    }

    fn merge_clause(&mut self) -> P<MergeClause> {
        let line = self.token.line;
        self.bump();
        let not = self.eat_word(K::NOT);
        self.expect_word(K::MATCHED)?;
        let when = if !not {
            MergeWhen::Matched
        } else if self.eat_word(K::BY) {
            if self.eat_word(K::SOURCE) {
                MergeWhen::NotMatchedBySource
            } else {
                self.expect_word(K::TARGET)?;
                MergeWhen::NotMatchedByTarget
            }
        } else {
            MergeWhen::NotMatchedByTarget
        };
        let condition = if self.eat_word(K::AND) { Some(self.condition()?) } else { None };
        self.expect_word(K::THEN)?;
        let action_word = self.token;
        let action = self.merge_action()?;
        let inserts = matches!(action, MergeAction::Insert { .. } | MergeAction::InsertDefaultValues);
        if inserts != (when == MergeWhen::NotMatchedByTarget) {
            let error = match when {
                MergeWhen::Matched => sql_error!(10711, "WHEN MATCHED"),
                MergeWhen::NotMatchedByTarget => sql_error!(10710, self.token_text(action_word).to_ascii_uppercase()),
                MergeWhen::NotMatchedBySource => sql_error!(10711, "WHEN NOT MATCHED BY SOURCE"),
            };
            return Err(error.at_line(action_word.line));
        }
        Ok(MergeClause { when, condition, action, line })
    }

    fn merge_action(&mut self) -> P<MergeAction> {
        match self.keyword() {
            K::UPDATE => {
                self.bump();
                self.expect_word(K::SET)?;
                Ok(MergeAction::Update(self.list(Self::set_clause)?))
            }
            K::DELETE => {
                self.bump();
                Ok(MergeAction::Delete)
            }
            K::INSERT => {
                self.bump();
                let columns = if self.at(T::LeftParen) { self.paren_list(Self::column_name)? } else { Vec::new() };
                if self.eat_word(K::DEFAULT) {
                    self.expect_word(K::VALUES)?;
                    return Ok(MergeAction::InsertDefaultValues);
                }
                self.expect_word(K::VALUES)?;
                let values =
                    self.paren_list(
                        |parser| {
                            if parser.eat_word(K::DEFAULT) { Ok(Expr::Default) } else { parser.scalar() }
                        },
                    )?;
                Ok(MergeAction::Insert { columns, values })
            }
            _ => Err(self.unexpected()),
        }
    }
}

/// 10714: an action stands twice in one kind of clause; 5324: a clause behind one that takes all rows.
fn check_clauses(clauses: &[MergeClause]) -> P<()> {
    for (at, clause) in clauses.iter().enumerate() {
        let mut before = clauses[..at].iter().filter(|other| other.when == clause.when);
        let name = match clause.when {
            MergeWhen::Matched => "WHEN MATCHED",
            MergeWhen::NotMatchedByTarget => "WHEN NOT MATCHED",
            MergeWhen::NotMatchedBySource => "WHEN NOT MATCHED BY SOURCE",
        };
        let action = |clause: &MergeClause| match clause.action {
            MergeAction::Update(_) => "UPDATE",
            MergeAction::Delete => "DELETE",
            MergeAction::Insert { .. } | MergeAction::InsertDefaultValues => "INSERT",
        };
        if before.clone().any(|other| action(other) == action(clause)) {
            return Err(sql_error!(10714, name, action(clause)).at_line(clause.line));
        }
        if before.any(|other| other.condition.is_none()) {
            return Err(sql_error!(5324, name, name).at_line(clause.line));
        }
    }
    Ok(())
}
