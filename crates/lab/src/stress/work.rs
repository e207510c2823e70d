//! What every connection does in one iteration.

use tds::client::Client;
use tds::rpc::RpcCall;

use super::Args;
use crate::call::{odbc_call, procedure_call};
use crate::script::{batches, decode};

pub enum Step {
    Batch(String),
    Call(Vec<RpcCall>),
}

impl Step {
    fn of(batch: String) -> Step {
        match odbc_call(&batch) {
            Some(call) => Step::Call(vec![call]),
            None => Step::Batch(batch),
        }
    }

    pub fn send(&self, client: &mut Client) {
        match self {
            Step::Batch(text) => client.batch(text),
            Step::Call(calls) => client.rpc(calls),
        }
    }
}

/// Never empty.
pub struct Work {
    pub steps: Vec<Step>,
}

impl Work {
    pub fn from_args(args: &Args) -> Result<Work, String> {
        let mut steps = Vec::new();
        if let Some(rpc) = &args.rpc {
            let call = procedure_call(rpc).ok_or(format!("--rpc {rpc}: expected a procedure and literals"))?;
            steps.push(Step::Call(vec![call]));
        }
        if let Some(query) = &args.query {
            push_script(query, &mut steps);
        }
        for path in &args.input {
            let bytes = os::fs::read(path.as_ref()).map_err(|error| format!("{path}: {error}"))?;
            push_script(&decode(bytes), &mut steps);
        }
        if steps.is_empty() { Err("nothing to run: give -Q, -i or --rpc".into()) } else { Ok(Work { steps }) }
    }
}

fn push_script(text: &str, steps: &mut Vec<Step>) {
    for (batch, count) in batches(text) {
        for _ in 0..count {
            steps.push(Step::of(batch.clone()));
        }
    }
}
