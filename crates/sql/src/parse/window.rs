//! OVER, frames, the WINDOW clause, and ORDER BY items.

use super::{K, P, Parser, T};
use crate::ast::*;

impl Parser<'_> {
    pub(super) fn order_item(&mut self) -> P<OrderItem> {
        let expr = self.scalar()?;
        let descending = self.eat_word(K::DESC);
        if !descending {
            self.eat_word(K::ASC);
        }
        Ok(OrderItem { expr, descending })
    }

    /// The current token is OVER.
    pub(super) fn over(&mut self) -> P<Over> {
        self.bump();
        if self.at(T::LeftParen) {
            // A window that is only named stands without parentheses.
            let named = self.peek_is(2, T::RightParen) && !self.peek_is(1, T::RightParen);
            if named {
                self.bump();
                self.ident()?;
                return Err(self.unexpected());
            }
            return self.window(false);
        }
        Ok(Over { window: Some(self.ident()?), ..Over::default() })
    }

    /// `(window PARTITION BY ... ORDER BY ... ROWS ...)`, each part optional. `defines`: in the WINDOW clause.
    fn window(&mut self, defines: bool) -> P<Over> {
        self.expect(T::LeftParen)?;
        let mut over = Over::default();
        let is_partition = self.at_word(K::PARTITION) && self.peek_word(1, K::BY);
        let is_frame = self.at_any(&[K::ROWS, K::RANGE]) && !self.peek_is(1, T::RightParen);
        if self.at_name() && !is_partition && !is_frame {
            over.window = Some(self.ident()?);
        }
        if self.eat_words(K::PARTITION, K::BY) {
            over.partition_by = self.list(Self::scalar)?;
        }
        if self.eat_word(K::ORDER) {
            self.expect_word(K::BY)?;
            over.order_by = self.list(Self::order_item)?;
        }
        if self.at_any(&[K::ROWS, K::RANGE]) {
            if over.window.is_none() && over.partition_by.is_empty() && over.order_by.is_empty() && !defines {
                return Err(self.unexpected());
            }
            over.frame = Some(self.frame()?);
        }
        self.expect(T::RightParen)?;
        Ok(over)
    }

    fn frame(&mut self) -> P<Frame> {
        let unit = if self.at_word(K::ROWS) { FrameUnit::Rows } else { FrameUnit::Range };
        self.bump();
        if self.eat_word(K::BETWEEN) {
            let start = self.frame_bound(K::PRECEDING)?;
            self.expect_word(K::AND)?;
            return Ok(Frame { unit, start, end: Some(self.frame_bound(K::FOLLOWING)?) });
        }
        Ok(Frame { unit, start: self.frame_bound(K::PRECEDING)?, end: None })
    }

    /// `unbounded`: the only direction in which this bound may be unbounded.
    fn frame_bound(&mut self, unbounded: K) -> P<FrameBound> {
        if self.eat_word(K::CURRENT) {
            self.expect_word(K::ROW)?;
            return Ok(FrameBound::CurrentRow);
        }
        if self.eat_word(K::UNBOUNDED) {
            self.expect_word(unbounded)?;
            let preceding = unbounded == K::PRECEDING;
            return Ok(if preceding { FrameBound::UnboundedPreceding } else { FrameBound::UnboundedFollowing });
        }
        // A sign or a variable is a syntax error here.
        if !self.at(T::Integer) {
            return Err(self.unexpected());
        }
        let distance = Box::new(Expr::Literal(self.literal()?));
        if self.eat_word(K::PRECEDING) {
            return Ok(FrameBound::Preceding(distance));
        }
        self.expect_word(K::FOLLOWING)?;
        Ok(FrameBound::Following(distance))
    }

    /// `WINDOW w AS (...), ...`; the current token is WINDOW.
    pub(super) fn window_clause(&mut self) -> P<Vec<(Ident, Over)>> {
        self.bump();
        self.list(|parser| {
            let name = parser.ident()?;
            parser.expect_word(K::AS)?;
            Ok((name, parser.window(true)?))
        })
    }
}
