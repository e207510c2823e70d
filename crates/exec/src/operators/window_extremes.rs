//! MIN and MAX of frames that slide: in a queue wait the rows that are or may still become the extreme, each less so than the one before it.
//! So each row is compared about twice, however long frames are.

use std::collections::VecDeque;

use types::{Column, SqlResult};

use super::aggregate_state::Accumulator;
use crate::columns;
use crate::context::Context;

/// Work for a row, in a pacer's units.
const STEP: usize = 32;

/// Appends the extreme of each frame, `start..end` of the loaded rows; neither bound goes back.
pub fn slide(
    accumulator: &mut Accumulator,
    frames: impl Iterator<Item = (usize, usize)>,
    context: &Context,
    results: &mut Column,
) -> SqlResult<()> {
    let mut waiting: VecDeque<usize> = VecDeque::new();
    let mut keys = (Vec::new(), Vec::new());
    let mut next = 0;
    let pacer = &mut context.pacer();
    for (start, end) in frames {
        pacer.spend(STEP)?;
        while waiting.front().is_some_and(|row| *row < start) {
            waiting.pop_front();
        }
        next = next.max(start);
        while next < end {
            pacer.spend(STEP)?;
            if accumulator.passes_null(next) {
                next += 1;
                continue;
            }
            while waiting.back().is_some_and(|row| accumulator.is_better(next, *row, &mut keys)) {
                waiting.pop_back();
            }
            waiting.push_back(next);
            next += 1;
        }
        match waiting.front() {
            Some(row) => columns::append_row(results, accumulator.loaded(), *row),
            None => results.push_null(),
        }
    }
    Ok(())
}
