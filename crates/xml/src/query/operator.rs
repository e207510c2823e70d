//! Operators by their precedence, and what `instance of` and `cast as` name.

use types::{SqlResult, sql_error};

use super::parse::Parser;
use super::tree::{Comparison, Expr, ItemTest, NodeComparison, SequenceType};
use crate::atomic::{Arithmetic, AtomicType};
use crate::document::Name;

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Or,
    And,
    General(Comparison),
    Value(Comparison),
    Node(NodeComparison),
    Arithmetic(Arithmetic),
    InstanceOf,
    Cast,
    Unsupported(&'static str),
}

use Comparison::*;

/// The longer ones first where one begins as another.
const SYMBOLS: &[(&str, Operator, u8)] = &[
    ("<<", Operator::Node(NodeComparison::Before), 2),
    (">>", Operator::Node(NodeComparison::After), 2),
    ("!=", Operator::General(NotEqual), 2),
    ("<=", Operator::General(LessOrEqual), 2),
    (">=", Operator::General(GreaterOrEqual), 2),
    ("=", Operator::General(Equal), 2),
    ("<", Operator::General(Less), 2),
    (">", Operator::General(Greater), 2),
    ("+", Operator::Arithmetic(Arithmetic::Add), 4),
    ("-", Operator::Arithmetic(Arithmetic::Subtract), 4),
    ("*", Operator::Arithmetic(Arithmetic::Multiply), 5),
    ("|", Operator::Unsupported("union"), 6),
];

const WORDS: &[(&str, Operator, u8)] = &[
    ("or", Operator::Or, 0),
    ("and", Operator::And, 1),
    ("eq", Operator::Value(Equal), 2),
    ("ne", Operator::Value(NotEqual), 2),
    ("lt", Operator::Value(Less), 2),
    ("le", Operator::Value(LessOrEqual), 2),
    ("gt", Operator::Value(Greater), 2),
    ("ge", Operator::Value(GreaterOrEqual), 2),
    ("is", Operator::Node(NodeComparison::Same), 2),
    ("to", Operator::Unsupported("to"), 3),
    ("div", Operator::Arithmetic(Arithmetic::Divide), 5),
    ("idiv", Operator::Unsupported("idiv"), 5),
    ("mod", Operator::Arithmetic(Arithmetic::Modulo), 5),
    ("union", Operator::Unsupported("union"), 6),
    ("intersect", Operator::Unsupported("intersect"), 7),
    ("except", Operator::Unsupported("except"), 7),
    ("instance", Operator::InstanceOf, 8),
    ("treat", Operator::Unsupported("treat as"), 9),
    ("castable", Operator::Unsupported("castable as"), 10),
    ("cast", Operator::Cast, 11),
];

impl<'t> Parser<'t> {
    /// Operands and operators that bind at least as tightly as `least`.
    pub(super) fn operators(&mut self, least: u8) -> SqlResult<Expr> {
        let above = self.operator_count;
        let mut left = self.unary()?;
        loop {
            let word = self.peek_word()?;
            let rest = self.rest();
            let found = match word {
                "" => SYMBOLS.iter().find(|(symbol, ..)| rest.starts_with(symbol)),
                word => WORDS.iter().find(|(known, ..)| *known == word),
            };
            let Some(&(written, operator, precedence)) = found.filter(|found| found.2 >= least) else {
                return Ok(left);
            };
            self.at += written.len();
            if !matches!(operator, Operator::And | Operator::Or) {
                self.count()?;
            }
            left = match operator {
                Operator::Unsupported(what) => return Err(self.unsupported(what)),
                Operator::InstanceOf => {
                    self.expect_word("of")?;
                    Expr::InstanceOf(Box::new(left), self.sequence_type()?)
                }
                Operator::Cast => {
                    self.expect_word("as")?;
                    let ty = self.atomic_type()?;
                    if !self.eat("?")? {
                        return Err(sql_error!(9301, self.label, ""));
                    }
                    Expr::Cast(ty, Box::new(left))
                }
                // Operands of AND and OR stand beside each other in the tree.
                Operator::And | Operator::Or => {
                    let before = std::mem::replace(&mut self.operator_count, above);
                    let right = self.operators(precedence + 1)?;
                    self.operator_count = self.operator_count.max(before);
                    joined(operator, left, right)
                }
                _ => {
                    let right = self.operators(precedence + 1)?;
                    joined(operator, left, right)
                }
            };
        }
    }

    fn unary(&mut self) -> SqlResult<Expr> {
        let mut negative = false;
        let mut signs = 0;
        loop {
            if self.eat("-")? {
                negative = !negative;
            } else if !self.eat("+")? {
                break;
            }
            signs += 1;
        }
        let operand = self.path()?;
        Ok(if signs == 0 {
            operand
        } else if negative {
            Expr::Negate(Box::new(operand))
        } else {
            Expr::Negate(Box::new(Expr::Negate(Box::new(operand))))
        })
    }

    /// 2232, 2231
    fn atomic_type(&mut self) -> SqlResult<AtomicType> {
        let (prefix, local) = self.type_name()?;
        if prefix == "xdt" && local == "untypedAtomic" {
            return Ok(AtomicType::UNTYPED);
        }
        match AtomicType::find(local).filter(|_| prefix == "xs") {
            Some(ty) => Ok(ty),
            None if prefix.is_empty() => Err(sql_error!(2231, self.label, local)),
            None => {
                let uri = self.namespace(prefix)?;
                Err(sql_error!(2232, self.label, uri, local))
            }
        }
    }

    fn type_name(&mut self) -> SqlResult<(&'t str, &'t str)> {
        let first = self.peek_word()?;
        if first.is_empty() {
            let token = self.token();
            return Err(sql_error!(9328, self.label, token));
        }
        self.at += first.len();
        if !self.rest().starts_with(':') {
            return Ok(("", first));
        }
        self.at += 1;
        let local = self.peek_word()?;
        self.at += local.len();
        Ok((first, local))
    }

    #[inline(never)]
    fn sequence_type(&mut self) -> SqlResult<SequenceType> {
        let word = self.peek_word()?;
        let kind_test = self.behind(word).starts_with('(');
        let item = if kind_test {
            self.at += word.len();
            self.expect("(")?;
            let name = match word {
                "element" | "attribute" => self.type_argument(word == "element")?,
                _ => None,
            };
            self.expect(")")?;
            match word {
                "empty" => ItemTest::Empty,
                "item" => ItemTest::Item,
                "node" => ItemTest::Node,
                "element" => ItemTest::Element(name),
                "attribute" => ItemTest::Attribute(name),
                "text" => ItemTest::Text,
                "comment" => ItemTest::Comment,
                "processing-instruction" => ItemTest::Instruction,
                other => return Err(self.unsupported(other)),
            }
        } else {
            ItemTest::Atomic(self.atomic_type()?)
        };
        let mut occurrence = None;
        for sign in ['?', '*', '+'] {
            if occurrence.is_none() && self.rest().starts_with(sign) {
                self.at += 1;
                occurrence = Some(sign);
            }
        }
        Ok(SequenceType { item, occurrence })
    }

    fn type_argument(&mut self, element: bool) -> SqlResult<Option<Name>> {
        if self.eat("*")? || self.peek_word()?.is_empty() {
            return Ok(None);
        }
        self.name(element).map(Some)
    }
}

/// A row of ANDs, or of ORs, is one node.
fn joined(operator: Operator, left: Expr, right: Expr) -> Expr {
    match (operator, left) {
        (Operator::Or, Expr::Or(mut list)) => {
            list.push(right);
            Expr::Or(list)
        }
        (Operator::And, Expr::And(mut list)) => {
            list.push(right);
            Expr::And(list)
        }
        (Operator::Or, left) => Expr::Or(vec![left, right]),
        (Operator::And, left) => Expr::And(vec![left, right]),
        (Operator::General(op), left) => Expr::General(op, Box::new([left, right])),
        (Operator::Value(op), left) => Expr::Value(op, Box::new([left, right])),
        (Operator::Node(op), left) => Expr::Node(op, Box::new([left, right])),
        (Operator::Arithmetic(op), left) => Expr::Arithmetic(op, Box::new([left, right])),
        (Operator::InstanceOf | Operator::Cast | Operator::Unsupported(_), _) => {
            unreachable!("these have no right side")
        }
    }
}
