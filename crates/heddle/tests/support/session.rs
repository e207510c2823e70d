//! Sessions kept open side by side, for tests of what they see of each other.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use super::{PASSWORD, Server, binary};

/// One session, kept open by a `heddle sql` that reads batches from its standard input.
pub struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    batches: u32,
}

impl Session {
    pub fn open(server: &Server, database: &str) -> Session {
        let mut command = binary();
        command.args(["sql", "-S", &server.address(), "-U", "sa", "-P", PASSWORD, "-d", database, "-h", "-1", "-W"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("heddle sql runs");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut session = Session { child, input, output, batches: 0 };
        session.run("SET NOCOUNT ON");
        session
    }

    /// Sends a batch without waiting for its answer.
    pub fn send(&mut self, batch: &str) {
        self.batches += 1;
        writeln!(self.input, "{batch}\nGO\nPRINT 'end of {}'\nGO", self.batches).expect("the client reads");
        self.input.flush().expect("the client reads");
    }

    /// What the last batch printed.
    pub fn answer(&mut self) -> String {
        let end = format!("end of {}\n", self.batches);
        let mut text = String::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("UTF-8") > 0, "the client ended after {text:?}");
            if line == end {
                return text.trim().to_owned();
            }
            text.push_str(&line);
        }
    }

    pub fn run(&mut self, batch: &str) -> String {
        self.send(batch);
        self.answer()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Until a session waits for a lock; gives up after some seconds.
pub fn until_someone_waits(server: &Server) {
    let waiting = "SET NOCOUNT ON; SELECT COUNT(*) FROM sys.dm_exec_requests WHERE blocking_session_id <> 0";
    for _ in 0..100 {
        if server.query(waiting).trim() != "0" {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
