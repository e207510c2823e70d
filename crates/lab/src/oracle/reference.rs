//! SQLite, as Python has it, in a process of its own: another engine that answers the queries both dialects can say.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde_json::json;

/// RIGHT and FULL JOIN came with this version.
const VERSION_MIN: [u32; 2] = [3, 39];

pub struct Reference {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Made {
    version: Vec<u32>,
}

#[derive(Deserialize)]
struct Answers {
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    Rows(Vec<String>),
    Error(String),
}

impl Reference {
    /// None: there is no Python, or its SQLite is too old.
    pub fn start() -> Option<Reference> {
        let mut command = Command::new("python3");
        command.args(["-c", include_str!("reference.py")]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let requests = child.stdin.take().expect("piped");
        let replies = BufReader::new(child.stdout.take().expect("piped"));
        let mut reference = Reference { child, requests, replies };
        let made: Made = serde_json::from_str(&reference.exchange(&json!({ "make": [] })).ok()?).ok()?;
        (made.version[..2] >= VERSION_MIN[..]).then_some(reference)
    }

    /// An empty database in which these statements have run.
    pub fn make(&mut self, statements: &[String]) -> Result<(), String> {
        self.exchange(&json!({ "make": statements })).map(|_| ())
    }

    pub fn ask(&mut self, queries: &[String]) -> Result<Vec<Answer>, String> {
        let reply = self.exchange(&json!({ "ask": queries }))?;
        let answers: Answers = serde_json::from_str(&reply).map_err(|error| format!("SQLite's answer: {error}"))?;
        Ok(answers.answers)
    }

    fn exchange(&mut self, request: &serde_json::Value) -> Result<String, String> {
        let mut reply = String::new();
        writeln!(self.requests, "{request}")
            .and_then(|()| self.replies.read_line(&mut reply))
            .map_err(|error| format!("SQLite: {error}"))?;
        if reply.is_empty() { Err("SQLite: its process ended".into()) } else { Ok(reply) }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // Of one that has ended already neither does anything.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
