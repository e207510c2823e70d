//! `/sessions`: who is logged in and what each waits for, as JSON: `sys.dm_exec_sessions` with `sys.dm_exec_requests`. No text of any
//! statement: on a loopback address nobody is asked who looks.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use types::SqlResult;

use crate::instance::server::Server;
use crate::system;
use crate::system::answer::Answer;

/// Sessions that are named; of more there is only the number.
const SESSIONS_MAX: usize = 100;

/// The first column finds the other's row.
const OF_SESSION: [&str; 4] = ["session_id", "login_name", "host_name", "program_name"];
const OF_REQUEST: [&str; 7] =
    ["session_id", "status", "wait_type", "wait_time", "blocking_session_id", "scheduler_id", "total_elapsed_time"];

#[derive(Serialize)]
struct Activity<'a> {
    total: usize,
    running: usize,
    sessions: Vec<Columns<'a>>,
}

/// Columns of a session, and of its request if it runs one.
struct Columns<'a>(Vec<(&'a str, &'a Answer)>);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, json_value(value))))
    }
}

fn json_value(value: &Answer) -> serde_json::Value {
    match value {
        Answer::Number(number) => (*number).into(),
        Answer::Text(text) => text.trim_end().into(),
        _ => serde_json::Value::Null,
    }
}

/// `{"total": n, "running": n, "sessions": [{"session_id": 51, ...}, ...]}`. Those that run a request come first, the longest ahead;
/// what belongs to a request is missing from the others. Times are ms.
pub fn json(server: &Arc<Server>) -> SqlResult<String> {
    let sessions = system::read(server, "dm_exec_sessions", &OF_SESSION)?;
    let requests: BTreeMap<i64, Vec<Answer>> =
        system::read(server, "dm_exec_requests", &OF_REQUEST)?.into_iter().map(|row| (row[0].number(), row)).collect();
    let mut rows: Vec<(&Vec<Answer>, Option<&Vec<Answer>>)> =
        sessions.iter().map(|session| (session, requests.get(&session[0].number()))).collect();
    let elapsed = |request: &Option<&Vec<Answer>>| request.map_or(-1, |request| request[OF_REQUEST.len() - 1].number());
    rows.sort_by_key(|(session, request)| (-elapsed(request), session[0].number()));
    let running = rows.iter().filter(|(_, request)| request.is_some()).count();
    let named = rows.iter().take(SESSIONS_MAX).map(|(session, request)| {
        let of_request = request.iter().flat_map(|request| OF_REQUEST.iter().zip(request.iter()).skip(1));
        Columns(OF_SESSION.iter().zip(session.iter()).chain(of_request).map(|(name, value)| (*name, value)).collect())
    });
    let activity = Activity { total: sessions.len(), running, sessions: named.collect() };
    Ok(serde_json::to_string(&activity).expect("names and plain values") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_calls_itself_cannot_end_a_string() {
        let program = Answer::Text("a\"b\\c\n\u{1f}é  ".into());
        let columns =
            Columns(vec![("program_name", &program), ("wait_time", &Answer::Number(-3)), ("b", &Answer::Null)]);
        let text = serde_json::to_string(&columns).expect("plain values");
        assert_eq!(text, r#"{"program_name":"a\"b\\c\n\u001fé","wait_time":-3,"b":null}"#);
    }
}
