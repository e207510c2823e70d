//! Scripts as sqlcmd reads them, line by line: batches end at GO, lines that begin with a colon are commands of the tool,
//! `$(name)` stands for a variable. None of this counts inside strings, bracketed names and (nested) comments, except
//! that variables are replaced in strings.

use std::collections::BTreeMap;

/// Scripting variables, by lower-case name.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    values: BTreeMap<String, String>,
}

impl Variables {
    pub fn set(&mut self, name: &str, value: &str) {
        self.values.insert(name.to_lowercase(), value.into());
    }

    pub fn remove(&mut self, name: &str) {
        self.values.remove(&name.to_lowercase());
    }

    /// One of the script's own, else of the environment.
    pub fn value(&self, name: &str) -> Option<String> {
        self.values.get(&name.to_lowercase()).cloned().or_else(|| os::env::var(name))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// What a line meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Part of a batch that goes on.
    Text,
    /// GO: run what has collected, so many times.
    Go(u32),
    /// A command of the tool: its word in lower case, without colon, and the rest of the line.
    Command(String, String),
    /// GO with something that is no count after it, or a variable that is not defined.
    Bad(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    /// Until this character; doubled, it is part of the text.
    Until(char),
    /// Nested so deep.
    Comment(u32),
}

/// Collects lines into batches.
#[derive(Debug)]
pub struct Splitter {
    batch: String,
    state: State,
    /// GO, or what -c says.
    terminator: String,
    /// Line of the script that the batch begins with, and the current one; from 1.
    first_line: u32,
    line: u32,
    replace_variables: bool,
    allow_commands: bool,
}

/// Commands that need no colon, as sqlcmd has it.
const BARE_COMMANDS: [&str; 4] = ["quit", "exit", "reset", "list"];

impl Splitter {
    pub fn new(terminator: &str, replace_variables: bool, allow_commands: bool) -> Splitter {
        Splitter {
            batch: String::new(),
            state: State::Plain,
            terminator: terminator.into(),
            first_line: 1,
            line: 0,
            replace_variables,
            allow_commands,
        }
    }

    /// The text collected so far.
    pub fn batch(&self) -> &str {
        &self.batch
    }

    pub fn is_blank(&self) -> bool {
        self.batch.trim().is_empty()
    }

    /// Lines in the batch so far, for the prompt.
    pub fn line_in_batch(&self) -> u32 {
        self.line + 2 - self.first_line
    }

    /// Takes the batch; the next line begins another.
    pub fn take_batch(&mut self) -> String {
        self.state = State::Plain;
        self.first_line = self.line + 1;
        std::mem::take(&mut self.batch)
    }

    /// One line without its end.
    pub fn line(&mut self, line: &str, variables: &Variables) -> Line {
        self.line += 1;
        if self.state == State::Plain
            && let Some(special) = self.special(line, variables)
        {
            return special;
        }
        match self.scan(line, variables) {
            Ok(text) => {
                self.batch.push_str(&text);
                self.batch.push('\n');
                Line::Text
            }
            Err(name) => Line::Bad(format!("'{name}' scripting variable not defined.")),
        }
    }

    fn special(&self, line: &str, variables: &Variables) -> Option<Line> {
        let trimmed = line.trim();
        let word_end = trimmed.find(|c: char| c.is_whitespace() || c == '(' || c == ';').unwrap_or(trimmed.len());
        let (word, rest) = trimmed.split_at(word_end);
        if word.eq_ignore_ascii_case(&self.terminator) {
            let rest = rest.split("--").next().unwrap_or_default().trim().trim_end_matches(';').trim();
            return Some(match rest {
                "" => Line::Go(1),
                count => match self.replaced(count, variables).map(|count| count.trim().parse()) {
                    Ok(Ok(count)) => Line::Go(count),
                    _ => Line::Bad(format!(
                        "A fatal scripting error occurred. Incorrect syntax was encountered while parsing {} '{count}'.",
                        self.terminator
                    )),
                },
            });
        }
        if !self.allow_commands {
            return None;
        }
        let command = if let Some(command) = word.strip_prefix(':') {
            command.to_lowercase()
        } else if let Some(shell) = trimmed.strip_prefix("!!") {
            return Some(Line::Command("!!".into(), shell.trim().into()));
        } else if BARE_COMMANDS.contains(&word.to_lowercase().as_str()) && self.is_blank_or_complete(word, rest) {
            word.to_lowercase()
        } else {
            return None;
        };
        Some(match self.replaced(rest.trim(), variables) {
            Ok(rest) => Line::Command(command, rest),
            Err(name) => Line::Bad(format!("'{name}' scripting variable not defined.")),
        })
    }

    /// `exit` alone is a command; `list` as a column alias or a procedure called `reset` with arguments is not.
    fn is_blank_or_complete(&self, word: &str, rest: &str) -> bool {
        rest.trim().is_empty() || word.eq_ignore_ascii_case("exit") && rest.trim_start().starts_with('(')
    }

    fn replaced(&self, text: &str, variables: &Variables) -> Result<String, String> {
        if !self.replace_variables {
            return Ok(text.into());
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("$(") {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            match variable_at(rest) {
                Some(name) => {
                    out.push_str(&variables.value(name).ok_or(name)?);
                    rest = &rest[name.len() + 3..];
                }
                None => {
                    out.push_str("$(");
                    rest = &rest[2..];
                }
            }
        }
        out.push_str(rest);
        Ok(out)
    }

    /// The line with its variables replaced; moves the state over it. `Err`: an undefined variable.
    fn scan(&mut self, line: &str, variables: &Variables) -> Result<String, String> {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let two = rest.get(..2).unwrap_or_default();
            let mut take = c.len_utf8();
            match self.state {
                State::Comment(depth) => match two {
                    "*/" => {
                        take = 2;
                        self.state = if depth > 1 { State::Comment(depth - 1) } else { State::Plain };
                    }
                    "/*" => {
                        take = 2;
                        self.state = State::Comment(depth + 1);
                    }
                    _ => {}
                },
                State::Plain if two == "--" => take = rest.len(),
                State::Plain if two == "/*" => {
                    take = 2;
                    self.state = State::Comment(1);
                }
                _ if two == "$(" && self.replace_variables => {
                    if let Some(name) = variable_at(rest) {
                        out.push_str(&variables.value(name).ok_or(name)?);
                        rest = &rest[name.len() + 3..];
                        continue;
                    }
                }
                State::Plain => {
                    self.state = match c {
                        '\'' | '"' => State::Until(c),
                        '[' => State::Until(']'),
                        _ => State::Plain,
                    }
                }
                // A doubled end closes and opens again: the same to us.
                State::Until(end) if c == end => self.state = State::Plain,
                State::Until(_) => {}
            }
            out.push_str(&rest[..take]);
            rest = &rest[take..];
        }
        Ok(out)
    }
}

/// The name in `$(name)` that `text` begins with.
fn variable_at(text: &str) -> Option<&str> {
    let name = &text[2..text[2..].find(')')? + 2];
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    is_name.then_some(name)
}

/// All batches of a script without commands and variables: for tools that only need the splitting.
pub fn batches(text: &str) -> Vec<(String, u32)> {
    let mut splitter = Splitter::new("GO", false, false);
    let variables = Variables::default();
    let mut found = Vec::new();
    for line in text.lines() {
        if let Line::Go(count) = splitter.line(line, &variables) {
            let batch = splitter.take_batch();
            if !batch.trim().is_empty() {
                found.push((batch, count));
            }
        }
    }
    if !splitter.is_blank() {
        found.push((splitter.take_batch(), 1));
    }
    found
}

/// Text of a script file: UTF-8, UTF-16 with a byte order mark, else code page 1252.
pub fn decode(bytes: Vec<u8>) -> String {
    match bytes.as_slice() {
        [0xFF, 0xFE, rest @ ..] => tds::wire::utf16_to_string(rest),
        [0xFE, 0xFF, rest @ ..] => {
            let swapped: Vec<u8> = rest.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect();
            tds::wire::utf16_to_string(&swapped)
        }
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let code_page = types::collation::CodePage(1252);
                types::collation::code_page::decode_str(code_page, error.as_bytes())
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_counts_only_where_it_is_code() {
        let script = "select 1\nGO\nselect 'a\nGO\nb'\n go 3 -- three\n/* GO\n/* nested */\nGO\n*/ select [x\nGO\n]\nGO;\nselect 2 -- 'it\nGo\n\nGO\nselect gone\ngoto x\n";
        let found = batches(script);
        let expected = [
            ("select 1\n", 1),
            ("select 'a\nGO\nb'\n", 3),
            ("/* GO\n/* nested */\nGO\n*/ select [x\nGO\n]\n", 1),
            ("select 2 -- 'it\n", 1),
            ("select gone\ngoto x\n", 1),
        ];
        assert_eq!(found, expected.map(|(text, count)| (text.to_owned(), count)));
    }

    #[test]
    fn variables_and_commands() {
        let mut variables = Variables::default();
        variables.set("Table", "dbo.t");
        variables.set("n", "2");
        let mut splitter = Splitter::new("GO", true, true);
        assert_eq!(splitter.line("select '$(TABLE)' from $(table) -- $(missing)", &variables), Line::Text);
        assert_eq!(splitter.batch(), "select 'dbo.t' from dbo.t -- $(missing)\n");
        assert_eq!(
            splitter.line("select $(missing)", &variables),
            Line::Bad("'missing' scripting variable not defined.".into())
        );
        assert_eq!(splitter.line("select $(not a name)", &variables), Line::Text);
        assert_eq!(splitter.line("GO $(n)", &variables), Line::Go(2));
        assert_eq!(
            splitter.line(":setvar x \"$(n) 3\"", &variables),
            Line::Command("setvar".into(), "x \"2 3\"".into())
        );
        assert_eq!(splitter.line("  EXIT(select 1)", &variables), Line::Command("exit".into(), "(select 1)".into()));
        assert_eq!(splitter.line("QUIT", &variables), Line::Command("quit".into(), String::new()));
        assert_eq!(splitter.line("exit_loop:", &variables), Line::Text);
        assert!(matches!(splitter.line("GO soon", &variables), Line::Bad(_)));
    }

    #[test]
    fn files_in_any_encoding() {
        assert_eq!(decode(b"\xFF\xFEa\0".to_vec()), "a");
        assert_eq!(decode(b"\xEF\xBB\xBFa".to_vec()), "a");
        assert_eq!(decode(b"caf\xE9".to_vec()), "café");
        assert_eq!(decode("café".into()), "café");
    }
}
