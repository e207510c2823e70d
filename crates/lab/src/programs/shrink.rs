//! Makes a failing program small: statements are dropped, and bodies put in the place of what holds them, while it still fails.

use super::program::{Kind, Program, Statement};

/// Tries until it is given up.
const TRIES_MAX: usize = 600;

pub fn shrink(mut program: Program, mut fails: impl FnMut(&mut Program) -> bool) -> Program {
    let mut tries = 0;
    loop {
        let mut smaller = false;
        for way in [Way::Drop, Way::Open] {
            let mut at = 0;
            while tries < TRIES_MAX {
                let mut candidate = program.clone();
                if !change(&mut candidate, at, way) {
                    break;
                }
                tries += 1;
                candidate.number();
                if is_valid(&candidate) && fails(&mut candidate) {
                    program = candidate;
                    smaller = true;
                } else {
                    at += 1;
                }
            }
        }
        if !smaller || tries >= TRIES_MAX {
            program.number();
            return program;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Drop,
    /// What it holds instead of it.
    Open,
}

/// Changes the statement, trigger or batch of this number; false: there are not so many.
fn change(program: &mut Program, at: usize, way: Way) -> bool {
    let mut left = at;
    for trigger in &mut program.triggers {
        if let Some(inner) = trigger {
            if left == 0 && way == Way::Drop {
                *trigger = None;
                return true;
            }
            left = left.saturating_sub(usize::from(way == Way::Drop));
            if in_list(&mut inner.body, &mut left, way) {
                return true;
            }
        }
    }
    let mut batch = 0;
    while way == Way::Drop && batch < program.batches.len() && program.batches.len() > 1 {
        if left == 0 {
            program.batches.remove(batch);
            return true;
        }
        left -= 1;
        batch += 1;
    }
    let bodies = program.procedures.iter_mut().chain(&mut program.batches);
    bodies.into_iter().any(|body| in_list(body, &mut left, way))
}

fn in_list(list: &mut Vec<Statement>, left: &mut usize, way: Way) -> bool {
    let mut at = 0;
    while at < list.len() {
        if *left == 0 {
            let taken = list.remove(at);
            if way == Way::Open {
                list.splice(at..at, opened(taken));
            }
            return true;
        }
        *left -= 1;
        let inside = list[at].bodies().any(|body| in_list(body, left, way));
        if inside {
            return true;
        }
        at += 1;
    }
    false
}

fn opened(statement: Statement) -> Vec<Statement> {
    match statement.kind {
        Kind::Try(first, second) | Kind::If(_, first, second) => first.into_iter().chain(second).collect(),
        Kind::Text(body) | Kind::Executed(body) | Kind::While(_, _, body) => body,
        Kind::InsertExec(source) => vec![*source],
        _ => Vec::new(),
    }
}

/// THROW alone stands in a CATCH, BREAK in a loop, GOTO before its label, and IF has something to do: else it is another program that fails, for another reason.
fn is_valid(program: &Program) -> bool {
    let triggers = program.triggers.iter().flatten().map(|trigger| &trigger.body);
    program.procedures.iter().chain(triggers).chain(&program.batches).all(|body| is_valid_list(body, Inside::default()))
}

/// What is around a list.
#[derive(Debug, Clone, Default)]
struct Inside {
    is_catch: bool,
    is_loop: bool,
    labels: Vec<u32>,
}

fn is_valid_list(list: &[Statement], mut inside: Inside) -> bool {
    inside.labels.extend(list.iter().filter_map(|statement| match statement.kind {
        Kind::Label(label) => Some(label),
        _ => None,
    }));
    list.iter().all(|statement| match &statement.kind {
        Kind::Rethrow => inside.is_catch,
        Kind::Break | Kind::Continue => inside.is_loop,
        Kind::Goto(label) => inside.labels.contains(label),
        Kind::Try(tried, caught) => {
            is_valid_list(tried, inside.clone()) && is_valid_list(caught, Inside { is_catch: true, ..inside.clone() })
        }
        Kind::If(_, then, otherwise) => {
            [then, otherwise].iter().all(|list| !list.is_empty() && is_valid_list(list, inside.clone()))
        }
        Kind::While(_, _, body) => !body.is_empty() && is_valid_list(body, Inside { is_loop: true, ..inside.clone() }),
        Kind::Text(body) | Kind::Executed(body) => is_valid_list(body, Inside::default()),
        Kind::InsertExec(source) => match &source.kind {
            Kind::Text(body) => is_valid_list(body, Inside::default()),
            _ => false,
        },
        _ => true,
    })
}
