//! The commands of the script language: lines that begin with a colon.

use super::session::{Flow, Session};
use crate::address::ServerAddress;
use crate::client::Target;

const HELP: &str = "\
GO [count]              run the batch, count times
:setvar NAME [VALUE]    define a variable, or forget it
:listvar                show the variables
:r FILE                 read FILE as if it stood here
:connect SERVER [-l SECONDS] [-U USER [-P PASSWORD]]
:out FILE|stdout|stderr where results go
:error FILE|stdout|stderr where errors go
:on error exit|ignore   whether an error ends the script
:list                   show the batch as typed so far
:reset                  forget the batch
:exit, :exit(), :exit(QUERY)  leave; the last: with the query's first value as exit code
:quit                   leave without running the batch
!! COMMAND              run COMMAND in the shell";

impl Session {
    pub(super) fn command(&mut self, word: &str, rest: &str) -> Flow {
        let reaches_outside = matches!(word, "!!" | "r" | "out" | "error");
        if reaches_outside && self.args.no_commands.is_some() {
            return self.fatal(&format!("the command :{word} is disabled by -X."));
        }
        match word {
            "setvar" => self.set_variable(rest),
            "listvar" => {
                let lines: Vec<String> = self
                    .variables
                    .iter()
                    .map(|(name, value)| format!("{} = \"{value}\"", name.to_uppercase()))
                    .collect();
                lines.iter().for_each(|line| self.printer.text(line));
                Flow::Continue(())
            }
            "r" => self.file(unquoted(rest)),
            "connect" => self.connect_elsewhere(rest),
            "out" | "error" => match self.printer.redirect(unquoted(rest), word == "error") {
                Ok(()) => Flow::Continue(()),
                Err(why) => self.fatal(&why),
            },
            "on" => self.on_error(rest),
            "list" => {
                let text = self.splitter.batch().trim_end().to_owned();
                self.printer.text(&text);
                Flow::Continue(())
            }
            "reset" => {
                self.splitter.take_batch();
                Flow::Continue(())
            }
            "exit" => self.exit(rest),
            "quit" => Flow::Break(0),
            "help" => {
                self.printer.text(HELP);
                Flow::Continue(())
            }
            "!!" => self.shell(rest),
            _ => self.fatal(&format!("Syntax error near command ':{word}'.")),
        }
    }

    fn set_variable(&mut self, rest: &str) -> Flow {
        let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if name.is_empty() {
            return self.fatal("Syntax error near command ':setvar'.");
        }
        match value.trim() {
            "" => self.variables.remove(name),
            value => self.variables.set(name, unquoted(value)),
        }
        Flow::Continue(())
    }

    fn on_error(&mut self, rest: &str) -> Flow {
        let words: Vec<String> = rest.split_whitespace().map(str::to_lowercase).collect();
        match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["error", "exit"] => self.exit_on_error = true,
            ["error", "ignore"] => self.exit_on_error = false,
            _ => return self.fatal("Syntax error near command ':on error'."),
        }
        Flow::Continue(())
    }

    /// `exit` runs nothing more; `exit()` runs the batch first; `exit(query)` runs both.
    fn exit(&mut self, rest: &str) -> Flow {
        let Some(query) = rest.strip_prefix('(').and_then(|rest| rest.trim_end().strip_suffix(')')) else {
            return if rest.is_empty() { Flow::Break(0) } else { self.fatal("Syntax error near command 'exit'.") };
        };
        self.batch(1)?;
        if query.trim().is_empty() {
            return Flow::Break(0);
        }
        self.printer.last_value = None;
        self.execute(query)?;
        // As sqlcmd: -100 if the query gave no number.
        Flow::Break(self.printer.last_value.map_or(-100, |value| value as i32))
    }

    fn connect_elsewhere(&mut self, rest: &str) -> Flow {
        let mut words = rest.split_whitespace();
        let Some(server) = words.next() else { return self.fatal("Syntax error near command ':connect'.") };
        let mut options = self.target.options().clone();
        options.server.clear();
        while let Some(flag) = words.next() {
            let (flag, value) = match flag.split_at_checked(2) {
                Some((flag, "")) => (flag, words.next().unwrap_or_default()),
                Some((flag, value)) => (flag, value),
                None => return self.fatal("Syntax error near command ':connect'."),
            };
            match flag {
                "-U" => options.user = value.into(),
                "-P" => options.password = value.into(),
                "-l" => self.args.login_timeout_s = value.parse().unwrap_or(self.args.login_timeout_s),
                _ => return self.fatal(&format!("':connect' has no switch {flag}.")),
            }
        }
        let trust = super::trust_of(self.args.trust, self.args.certificate.as_deref());
        let target = ServerAddress::parse(server)
            .and_then(|address| Target::new(address, options, &trust).map_err(|error| error.to_string()));
        match target {
            Ok(target) => self.reconnect(target),
            Err(why) => self.fatal(&why),
        }
    }

    fn shell(&mut self, command: &str) -> Flow {
        self.printer.flush();
        match std::process::Command::new("sh").arg("-c").arg(command).status() {
            Ok(_) => Flow::Continue(()),
            Err(error) => self.fatal(&format!("{command}: {error}.")),
        }
    }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(text)
}
