//! What connections do: for each input a group of them runs its statements over and over.

use std::path::Path;

use os::random::Rng;
use tds::client::Client;
use tds::rpc::{Procedure, ProcedureId, RpcCall, RpcParameter};
use types::{Datum, SqlType};

use super::Args;
use super::statement::{Statement, Weighted, read_mix};
use crate::call::odbc_call;
use crate::script::{batches, decode};

pub enum Step {
    Batch(String),
    Call(RpcCall),
    Drawn(Statement),
}

impl Step {
    fn of(batch: String) -> Step {
        match odbc_call(&batch) {
            Some(call) => Step::Call(call),
            None => Step::Batch(batch),
        }
    }

    pub fn send(&self, client: &mut Client, rng: &mut Rng) {
        match self {
            Step::Batch(text) => client.batch(text),
            Step::Call(call) => client.rpc(std::slice::from_ref(call)),
            Step::Drawn(statement) => client.rpc(&[statement.call(rng)]),
        }
    }

    /// A batch as a prepared statement: by its handle, or, if it has none yet, so that the answer brings one. A call is sent as it is.
    pub fn send_prepared(&self, handle: Option<i32>, client: &mut Client, rng: &mut Rng) {
        let Step::Batch(text) = self else { return self.send(client, rng) };
        let (procedure, parameters) = match handle {
            Some(handle) => {
                (ProcedureId::Execute, vec![RpcParameter::input("", SqlType::INT, Datum::I64(handle.into()))])
            }
            None => {
                let handle = RpcParameter::output("", SqlType::INT, Datum::Null);
                let texts =
                    ["", text].map(|text| RpcParameter::input("", SqlType::NVARCHAR_MAX, Datum::nvarchar(text)));
                (ProcedureId::PrepExec, std::iter::once(handle).chain(texts).collect())
            }
        };
        client.rpc(&[RpcCall::new(Procedure::Id(procedure), parameters)]);
    }
}

/// One input: what -n connections run.
pub struct Group {
    /// Of the files with the results.
    pub name: String,
    /// Never empty.
    pub steps: Vec<Step>,
    /// An iteration is one of the steps; empty: all of them, one after the other.
    pub mix: Vec<Share>,
}

/// Of a step among those that are mixed.
pub struct Share {
    pub name: String,
    /// Its weight and those of the steps before it.
    up_to: f64,
}

impl Group {
    fn of(name: &str, steps: Vec<Step>) -> Group {
        Group { name: name.into(), steps, mix: Vec::new() }
    }

    fn mixed(statements: Vec<Weighted>) -> Group {
        let (mut up_to, mut group) = (0.0, Group::of("mix", Vec::new()));
        for Weighted { name, weight, statement } in statements {
            up_to += weight;
            group.steps.push(Step::Drawn(statement));
            group.mix.push(Share { name, up_to });
        }
        group
    }

    /// The step that the next iteration is. None: it is all of them.
    pub fn choose(&self, rng: &mut Rng) -> Option<usize> {
        let all = self.mix.last()?.up_to;
        let at = rng.next() as f64 / 2_f64.powi(64) * all;
        Some(self.mix.iter().position(|share| at < share.up_to).unwrap_or(self.mix.len() - 1))
    }
}

/// Never empty.
pub struct Work {
    pub groups: Vec<Group>,
}

impl Work {
    pub fn from_args(args: &Args) -> Result<Work, String> {
        let mut groups = Vec::new();
        let given: Option<Vec<(&str, &str)>> = args.parameters.iter().map(|given| given.split_once('=')).collect();
        let given = given.ok_or("--parameter: expected NAME=VALUE")?;
        let values = given.iter().copied();
        if let Some(rpc) = &args.rpc {
            let call = Statement::of_call(rpc, values.clone()).map_err(|why| format!("--rpc {why}"))?;
            groups.push(Group::of("query", vec![Step::Drawn(call)]));
        }
        match &args.query {
            Some(query) if given.is_empty() => groups.push(Group::of("query", steps_of(query))),
            Some(query) => groups.push(Group::of("query", vec![Step::Drawn(Statement::of_text(query, values)?)])),
            None => {}
        }
        if let Some(path) = &args.mix {
            let text = os::fs::read_text(path.as_ref()).map_err(|error| format!("{path}: {error}"))?;
            groups.push(Group::mixed(read_mix(&text).map_err(|why| format!("{path}: {why}"))?));
        }
        for input in &args.input {
            for path in files(input)? {
                let bytes = os::fs::read(path.as_ref()).map_err(|error| format!("{path}: {error}"))?;
                let name =
                    Path::new(&path).file_stem().map_or(path.clone(), |stem| stem.to_string_lossy().into_owned());
                groups.push(Group::of(&name, steps_of(&decode(bytes))));
            }
        }
        match groups.iter().find(|group| group.steps.is_empty()) {
            Some(group) => Err(format!("{}: there is no batch in it", group.name)),
            None if groups.is_empty() => Err("nothing to run: give -Q, -i, --rpc or --mix".into()),
            None => Ok(Work { groups }),
        }
    }
}

fn steps_of(script: &str) -> Vec<Step> {
    let batches = batches(script).into_iter();
    batches.flat_map(|(batch, count)| (0..count).map(move |_| Step::of(batch.clone()))).collect()
}

/// The files that -i names: `*` and `?` in the last part stand for any characters and for any one.
fn files(input: &str) -> Result<Vec<String>, String> {
    let path = Path::new(input);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.contains(['*', '?']) {
        return Ok(vec![input.into()]);
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = os::fs::list(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let found = entries.into_iter().filter(|(entry, is_directory)| !is_directory && is_like(entry, &name));
    let found: Vec<String> = found.map(|(entry, _)| directory.join(entry).to_string_lossy().into_owned()).collect();
    if found.is_empty() { Err(format!("{input}: there is no such file")) } else { Ok(found) }
}

fn is_like(name: &str, pattern: &str) -> bool {
    let mut pattern_rest = pattern.chars();
    match pattern_rest.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = pattern_rest.as_str();
            name.char_indices().any(|(at, _)| is_like(&name[at..], rest)) || is_like("", rest)
        }
        Some(wanted) => {
            let mut name_rest = name.chars();
            name_rest.next().is_some_and(|c| wanted == '?' || wanted == c)
                && is_like(name_rest.as_str(), pattern_rest.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        for (name, pattern, is_so) in [
            ("a.sql", "*.sql", true),
            ("a.sql", "?.sql", true),
            ("ab.sql", "?.sql", false),
            ("a.sql", "a*", true),
            ("a", "a*", true),
            ("", "*", true),
            ("a.sql.bak", "*.sql", false),
            ("é1.sql", "é?.*", true),
        ] {
            assert_eq!(is_like(name, pattern), is_so, "{name} {pattern}");
        }
        assert!(files("no_such_directory/*.sql").is_err_and(|why| why.starts_with("no_such_directory")));
    }
}
