//! Makes of a drawn program one that the model can judge: a statement of which documentation does not say what comes of it there is
//! taken out.

use std::collections::BTreeMap;

use super::model::Model;
use super::program::{Kind, Program, Statement, Value};

/// A program of which more is open than this stays as it is, and is left where that begins.
const TAKEN_MAX: u32 = 60;

pub fn judged(program: &mut Program, taken: &mut BTreeMap<&'static str, u64>) {
    for _ in 0..TAKEN_MAX {
        let copy = program.clone();
        let mut model = Model::new(&copy);
        let Some(unknown) = copy.batches.iter().find_map(|batch| model.batch(batch).err()) else { return };
        if !program.bodies().any(|body| take(body, unknown.statement)) {
            return;
        }
        *taken.entry(unknown.why).or_default() += 1;
        program.number();
    }
}

fn take(body: &mut Vec<Statement>, number: u32) -> bool {
    if let Some(at) = body.iter().position(|statement| statement.number == number) {
        body.remove(at);
        if body.is_empty() {
            // A block has something to do.
            body.push(Statement::new(Kind::Select(vec![Value::Int(0), Value::Int(0)])));
        }
        return true;
    }
    body.iter_mut().any(|statement| statement.bodies().any(|body| take(body, number)))
}
