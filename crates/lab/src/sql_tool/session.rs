//! A run of `heddle sql`: inputs line by line, batches to the server, answers to the printer, and how it all ends.

use std::io::{BufRead, IsTerminal, Write};

use tds::token::Token;

use super::Args;
use super::output::Printer;
use crate::call::odbc_call;
use crate::client::{ClientError, Connection, Target};
use crate::script::{Line, Splitter, Variables, decode};

/// `:r` files inside each other.
const DEPTH_MAX: u32 = 16;

pub enum Input {
    Text(String),
    File(String),
    /// Standard input: typed, or piped in.
    Standard,
}

/// Go on, or end with this exit code.
pub type Flow = std::ops::ControlFlow<i32>;
const GO_ON: Flow = Flow::Continue(());

pub struct Session {
    pub(super) args: Args,
    pub(super) target: Target,
    pub(super) connection: Connection,
    pub(super) printer: Printer,
    pub(super) variables: Variables,
    pub(super) splitter: Splitter,
    /// `:on error exit`, or -b.
    pub(super) exit_on_error: bool,
    pub(super) depth: u32,
    /// Highest severity of an error so far that -V asks about.
    exit_code: i32,
}

impl Session {
    pub fn connect(args: Args, target: Target, printer: Printer, variables: Variables) -> Result<Session, String> {
        let connection = open(&target, args.login_timeout_s)?;
        let splitter = Splitter::new(&args.terminator, !args.no_variables, true);
        Ok(Session {
            exit_on_error: args.exit_on_error,
            args,
            target,
            connection,
            printer,
            variables,
            splitter,
            depth: 0,
            exit_code: 0,
        })
    }

    /// Runs all inputs; the process's exit code.
    pub fn run(&mut self, inputs: Vec<Input>) -> i32 {
        for input in inputs {
            let flow = match input {
                Input::Text(text) => self.text(&text),
                Input::File(path) => self.file(&path),
                Input::Standard => self.standard(),
            };
            if let Flow::Break(code) = flow {
                self.printer.flush();
                return code;
            }
        }
        self.printer.flush();
        self.exit_code
    }

    pub(super) fn file(&mut self, path: &str) -> Flow {
        if self.depth == DEPTH_MAX {
            return self.fatal(&format!("'{path}': script files nested deeper than {DEPTH_MAX}."));
        }
        let bytes = match os::fs::read(path.as_ref()) {
            Ok(bytes) => bytes,
            Err(error) => return self.fatal(&format!("'{path}': {error}.")),
        };
        self.depth += 1;
        let flow = self.lines(&decode(bytes));
        self.depth -= 1;
        flow?;
        // A file at the top is complete; one read by :r leaves its last lines to the batch around it.
        if self.depth == 0 { self.batch(1) } else { GO_ON }
    }

    fn text(&mut self, text: &str) -> Flow {
        self.lines(text)?;
        self.batch(1)
    }

    fn lines(&mut self, text: &str) -> Flow {
        for line in text.lines() {
            self.line(line)?;
            if self.printer.is_broken {
                return Flow::Break(1);
            }
        }
        GO_ON
    }

    fn standard(&mut self) -> Flow {
        let typed = std::io::stdin().is_terminal();
        let mut line = Vec::new();
        loop {
            if typed {
                self.printer.flush();
                print!("{}> ", self.splitter.line_in_batch());
                let _ = std::io::stdout().flush();
            }
            line.clear();
            match std::io::stdin().lock().read_until(b'\n', &mut line) {
                Ok(0) if typed => return GO_ON,
                Ok(0) => return self.batch(1),
                Ok(_) => {}
                Err(error) => return self.fatal(&error.to_string()),
            }
            let text = String::from_utf8_lossy(&line);
            let flow = self.line(text.trim_end_matches(['\n', '\r']));
            self.printer.flush();
            // What is typed wrong can be typed again; only leaving leaves.
            if flow.is_break() {
                return flow;
            }
        }
    }

    fn line(&mut self, line: &str) -> Flow {
        match self.splitter.line(line, &self.variables) {
            Line::Text => GO_ON,
            Line::Go(count) => self.batch(count),
            Line::Command(word, rest) => self.command(&word, &rest),
            Line::Bad(why) if std::io::stdin().is_terminal() && self.depth == 0 && self.args.query.is_none() => {
                eprintln!("{why}");
                GO_ON
            }
            Line::Bad(why) => self.fatal(&why),
        }
    }

    /// A mistake in the script or around it, not in the T-SQL.
    pub(super) fn fatal(&mut self, why: &str) -> Flow {
        self.printer.flush();
        eprintln!("Sqlcmd: Error: {why}");
        Flow::Break(1)
    }

    /// Runs what has collected, `count` times.
    pub(super) fn batch(&mut self, count: u32) -> Flow {
        let text = self.splitter.take_batch();
        if text.trim().is_empty() {
            return GO_ON;
        }
        if self.args.echo {
            self.printer.text(text.trim_end_matches('\n'));
        }
        for _ in 0..count {
            self.execute(&text)?;
        }
        GO_ON
    }

    pub(super) fn execute(&mut self, text: &str) -> Flow {
        let started = os::clock::now();
        let deadline = match self.args.query_timeout_s {
            0 => None,
            seconds => Some(os::clock::after_ms(seconds.saturating_mul(1_000))),
        };
        // As ODBC, and so sqlcmd, sends it.
        match odbc_call(text) {
            Some(call) => self.connection.protocol().rpc(&[call]),
            None => self.connection.protocol().batch(text),
        }
        let printer = &mut self.printer;
        let mut worst = 0;
        let outcome = self.connection.response(deadline, |token| {
            if let Token::Message(message) = &token {
                worst = worst.max(message.severity);
            }
            printer.token(token);
        });
        if let Some(style) = self.args.statistics {
            self.statistics(style, os::clock::now() - started);
        }
        match outcome {
            Ok(()) => {}
            Err(ClientError::Timeout) => {
                self.printer.flush();
                eprintln!("Timeout expired");
                worst = worst.max(16);
            }
            // The messages before it said why: error above severity 19, KILL, SHUTDOWN.
            Err(error) => return self.fatal(&format!("{error}.")),
        }
        if worst <= 10 {
            return GO_ON;
        }
        match self.args.severity_min {
            Some(least) if worst >= least => {
                self.exit_code = worst.into();
                if self.exit_on_error { Flow::Break(worst.into()) } else { GO_ON }
            }
            Some(_) => GO_ON,
            None if self.exit_on_error => Flow::Break(1),
            None => GO_ON,
        }
    }

    fn statistics(&mut self, style: u8, took_ns: u64) {
        let ms = took_ns as f64 / 1e6;
        let rate = 1_000.0 / ms.max(0.001);
        let packet = self.args.packet_bytes;
        if style == 1 {
            self.printer.text(&format!("{packet}:1:{ms:.2}:{ms:.2}:{rate:.2}"));
        } else {
            self.printer.text(&format!(
                "\nNetwork packet size (bytes): {packet}\n1 xact[s]:\n\
                 Clock Time (ms.): total {ms:9.2}  avg   {ms:.2} ({rate:.2} xacts per sec.)"
            ));
        }
    }

    pub(super) fn reconnect(&mut self, target: Target) -> Flow {
        match open(&target, self.args.login_timeout_s) {
            Ok(connection) => {
                self.connection = connection;
                self.target = target;
                GO_ON
            }
            Err(why) => self.fatal(&why),
        }
    }
}

pub(super) fn open(target: &Target, timeout_s: u64) -> Result<Connection, String> {
    let deadline = Some(os::clock::after_ms(timeout_s.max(1).saturating_mul(1_000)));
    Connection::open(target, deadline).map_err(|error| match &error {
        ClientError::Login(messages) => {
            let lines: Vec<String> = messages.iter().filter(|m| m.is_error()).map(|m| m.text.clone()).collect();
            if lines.is_empty() { error.to_string() } else { lines.join("\n") }
        }
        _ => format!("{}: {error}.", target.address().text),
    })
}

/// Asks on the terminal, without showing what is typed where the terminal can be told so.
pub fn ask_password(user: &str) -> String {
    if !std::io::stdin().is_terminal() {
        return String::new();
    }
    let echo = |mode: &str| std::process::Command::new("stty").arg(mode).status();
    eprint!("Password for {user}: ");
    let _ = echo("-echo");
    let mut line = String::new();
    let _ = std::io::stdin().read_line(&mut line);
    let _ = echo("echo");
    eprintln!();
    line.trim_end_matches(['\n', '\r']).to_owned()
}
