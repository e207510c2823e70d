//! `/sessions`: who is logged in and what each waits for, as JSON: `sys.dm_exec_sessions` with `sys.dm_exec_requests`. No text of any
//! statement: on a loopback address nobody is asked who looks.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use types::SqlResult;

use crate::server::Server;
use crate::system;
use crate::system::answer::Answer;

/// Sessions that are named; of more there is only the number.
const SESSIONS_MAX: usize = 100;

/// The first column finds the other's row.
const OF_SESSION: [&str; 4] = ["session_id", "login_name", "host_name", "program_name"];
const OF_REQUEST: [&str; 7] =
    ["session_id", "status", "wait_type", "wait_time", "blocking_session_id", "scheduler_id", "total_elapsed_time"];

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
    let rows: Vec<String> = rows[..rows.len().min(SESSIONS_MAX)]
        .iter()
        .map(|(session, request)| {
            let of_session = OF_SESSION.iter().zip(session.iter());
            let of_request = request.iter().flat_map(|request| OF_REQUEST.iter().zip(request.iter()).skip(1));
            let members: Vec<String> =
                of_session.chain(of_request).map(|(name, value)| format!("\"{name}\":{}", literal(value))).collect();
            format!("{{{}}}", members.join(","))
        })
        .collect();
    Ok(format!("{{\"total\":{},\"running\":{running},\"sessions\":[{}]}}\n", sessions.len(), rows.join(",\n")))
}

fn literal(value: &Answer) -> String {
    match value {
        Answer::Number(number) => number.to_string(),
        Answer::Text(text) => string(text.trim_end()),
        _ => "null".to_owned(),
    }
}

/// RFC 8259, section 7.
fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\0'..='\u{1f}' => write!(quoted, "\\u{:04x}", u32::from(c)).expect("a String takes all"),
            _ => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_calls_itself_cannot_end_a_string() {
        assert_eq!(literal(&Answer::Text("a\"b\\c\n\u{1f}é  ".into())), r#""a\"b\\c\u000a\u001fé""#);
        assert_eq!(literal(&Answer::Number(-3)), "-3");
        assert_eq!(literal(&Answer::Null), "null");
    }
}
