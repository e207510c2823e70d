//! XML data manipulation: `insert`, `delete`, `replace value of`.

use types::{SqlResult, sql_error};

use super::parse::Parser;
use super::tree::{Action, Expr, Place};

impl Parser<'_> {
    /// 6305: an expression and nothing that changes.
    pub(super) fn action(&mut self) -> SqlResult<Action> {
        let start = self.at;
        let word = self.peek_word()?;
        self.at += word.len();
        match word {
            "insert" => self.insert(),
            "delete" => Ok(Action::Delete(self.expression()?)),
            "replace" if self.peek_word()? == "value" => {
                self.expect_word("value")?;
                self.expect_word("of")?;
                let target = self.single()?;
                if !self.eat_word("with")? {
                    return Err(sql_error!(2205, self.label, "with"));
                }
                Ok(Action::Replace { target, value: self.single()? })
            }
            _ => {
                self.at = start;
                self.expression()?;
                self.skip()?;
                Err(if self.at < self.text.len() { self.near() } else { sql_error!(6305) })
            }
        }
    }

    fn insert(&mut self) -> SqlResult<Action> {
        let content: Expr = self.single()?;
        let place = match self.peek_word()? {
            "into" => Place::Into,
            "before" => Place::Before,
            "after" => Place::After,
            "as" => {
                self.at += "as".len();
                let place = match self.peek_word()? {
                    "first" => Place::First,
                    "last" => Place::Last,
                    _ => return Err(sql_error!(2351, self.label)),
                };
                let word = self.peek_word()?;
                self.at += word.len();
                place
            }
            _ => {
                let token = self.token();
                return Err(sql_error!(2248, self.label, token));
            }
        };
        let word = self.peek_word()?;
        if matches!(place, Place::First | Place::Last) && word != "into" {
            return Err(self.expected("into"));
        }
        self.at += word.len();
        Ok(Action::Insert { content, place, target: self.single()? })
    }
}
