//! A search that gives way: all ways through the pattern go on side by side, a byte at a time, so it ends after as many steps as the text
//! has bytes, times the pattern's states. For texts over which the library's search, which nobody can interrupt, would take too long.

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;
use types::SqlResult;
use types::pause::{CHARACTER, Pacer};

/// No position.
pub const NONE: u32 = u32::MAX;

/// States that are on, in order of preference, and where each was in the pattern's groups.
struct Threads {
    dense: Vec<StateID>,
    sparse: Vec<u32>,
    /// As many a state as are asked for.
    slots: Vec<u32>,
}

impl Threads {
    fn new(states: usize, slots: usize) -> Threads {
        Threads { dense: Vec::new(), sparse: vec![0; states], slots: vec![NONE; states * slots] }
    }

    fn insert(&mut self, state: StateID) -> bool {
        let at = self.sparse[state.as_usize()] as usize;
        if self.dense.get(at) == Some(&state) {
            return false;
        }
        self.sparse[state.as_usize()] = self.dense.len() as u32;
        self.dense.push(state);
        true
    }
}

enum Step {
    Explore(StateID),
    Restore(usize, u32),
}

pub struct Machine {
    now: Threads,
    next: Threads,
    stack: Vec<Step>,
    current: Vec<u32>,
}

impl Machine {
    /// `slots`: two a group that is asked for, the whole match among them.
    pub fn new(nfa: &NFA, slots: usize) -> Machine {
        let states = nfa.states().len();
        Machine {
            now: Threads::new(states, slots),
            next: Threads::new(states, slots),
            stack: Vec::new(),
            current: vec![NONE; slots],
        }
    }

    /// The first match at or behind `from`: where its groups begin and end, in `out`. `any`: that there is one is enough.
    pub fn search(
        &mut self,
        nfa: &NFA,
        text: &str,
        from: usize,
        any: bool,
        out: &mut [u32],
        pacer: &mut Pacer<'_>,
    ) -> SqlResult<bool> {
        let bytes = text.as_bytes();
        let width = self.current.len();
        let mut matched = false;
        self.now.dense.clear();
        self.next.dense.clear();
        for at in from..=bytes.len() {
            if !matched && text.is_char_boundary(at) {
                self.current.fill(NONE);
                close(nfa, bytes, at, nfa.start_anchored(), &mut self.now, &mut self.stack, &mut self.current);
            }
            if self.now.dense.is_empty() {
                if matched {
                    break;
                }
                pacer.spend(1)?;
                continue;
            }
            pacer.spend(self.now.dense.len() * CHARACTER)?;
            for index in 0..self.now.dense.len() {
                let state = self.now.dense[index];
                let own = state.as_usize() * width;
                let to = match nfa.state(state) {
                    State::ByteRange { trans } if trans.matches(bytes, at) => Some(trans.next),
                    State::Sparse(trans) => trans.matches(bytes, at),
                    State::Dense(trans) => trans.matches(bytes, at),
                    State::Match { .. } => {
                        out.copy_from_slice(&self.now.slots[own..own + width]);
                        matched = true;
                        // What is preferred less ends here.
                        break;
                    }
                    _ => None,
                };
                if let Some(to) = to {
                    self.current.copy_from_slice(&self.now.slots[own..own + width]);
                    close(nfa, bytes, at + 1, to, &mut self.next, &mut self.stack, &mut self.current);
                }
            }
            if matched && any {
                break;
            }
            std::mem::swap(&mut self.now, &mut self.next);
            self.next.dense.clear();
        }
        Ok(matched)
    }
}

/// Adds `state` and all that is reached from it without a byte.
fn close(
    nfa: &NFA,
    bytes: &[u8],
    at: usize,
    state: StateID,
    into: &mut Threads,
    stack: &mut Vec<Step>,
    current: &mut [u32],
) {
    let width = current.len();
    stack.push(Step::Explore(state));
    while let Some(step) = stack.pop() {
        let mut state = match step {
            Step::Explore(state) => state,
            Step::Restore(slot, before) => {
                current[slot] = before;
                continue;
            }
        };
        while into.insert(state) {
            state = match nfa.state(state) {
                State::Look { look, next } if nfa.look_matcher().matches(*look, bytes, at) => *next,
                State::Union { alternates } => {
                    let Some((first, others)) = alternates.split_first() else { break };
                    stack.extend(others.iter().rev().map(|other| Step::Explore(*other)));
                    *first
                }
                State::BinaryUnion { alt1, alt2 } => {
                    stack.push(Step::Explore(*alt2));
                    *alt1
                }
                State::Capture { next, slot, .. } => {
                    if slot.as_usize() < width {
                        stack.push(Step::Restore(slot.as_usize(), current[slot.as_usize()]));
                        current[slot.as_usize()] = at as u32;
                    }
                    *next
                }
                State::Look { .. } | State::Fail => break,
                _ => {
                    let own = state.as_usize() * width;
                    into.slots[own..own + width].copy_from_slice(current);
                    break;
                }
            };
        }
    }
}
