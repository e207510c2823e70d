//! The habits that a machine can check, over the repository's own text. See CONTRIBUTING.md.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines a source file may have. Long files are a sign of two subjects in one; this is the limit of pain, not the aim.
const FILE_LINES_MAX: usize = 1_200;

/// Lines a function outside of tests may have.
const FUNCTION_LINES_MAX: usize = 100;

/// Longer ones, by file and name, each with its reason. This list may only get shorter.
const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[];

/// Outside `os`, the only files that may contain `unsafe`.
const UNSAFE_FILES: &[&str] = &[
    "crates/native/src/program.rs",
    "crates/native/src/runtime.rs",
    "crates/storage/src/buffer.rs",
    "crates/storage/src/pages/page.rs",
    "crates/storage/src/log/ring.rs",
    "crates/storage/src/xtp/memory.rs",
];

/// Where an error may have a text that `types::messages` does not have: a user's.
const USER_TEXT_FILES: &[&str] =
    &["crates/types/src/error.rs", "crates/exec/src/session.rs", "crates/exec/src/statements/raise.rs"];

/// Where an error's text is written to after it was made: what storage did not know is filled in.
const COMPLETED_TEXT_FILE: &str = "crates/exec/src/statements/failure.rs";

/// References against the order of modules, by folder: halves of one thing that need each other, as a wait and the scheduler that ends
/// it. `*`: every module of the folder, where one runs what the others are parts of. This list may only get shorter.
const MUTUAL: &[(&str, &str, &str)] = &[
    ("exec", "memory_table", "context"),
    ("exec", "memory_table", "operators"),
    ("exec", "operators", "statements"),
    ("exec", "session", "statements"),
    ("exec/expression", "batch", "integer"),
    ("exec/expression", "general", "functions"),
    ("exec/expression", "general", "integer"),
    ("exec/expression", "integer", "wide"),
    ("exec/expression", "json", "functions"),
    ("exec/statements", "*", "run"),
    ("exec/statements", "atomic", "failure"),
    ("exec/statements", "code", "callee"),
    ("exec/statements", "cursor_table", "cursor"),
    ("exec/statements/modify", "target", "constraint"),
    ("exec/statements/native", "*", "run"),
    ("exec/statements/native", "form", "joins"),
    ("lab/experiment", "bench", "measure"),
    ("lab/experiment", "definition", "measure"),
    ("lab/sim", "client", "plan"),
    ("lab/sim", "farm", "runner"),
    ("lab/stress", "totals", "plan"),
    ("os", "kernel", "wait"),
    ("os/kernel", "machine", "scheduler"),
    ("os/kernel", "scheduler", "door"),
    ("os/kernel", "scheduler", "workers"),
    ("server/catalog", "counter", "database"),
    ("sql/bind", "call", "expr"),
    ("sql/bind", "describe", "statement"),
    ("sql/bind", "early", "statement"),
    ("sql/bind", "expr", "query"),
    ("sql/plan", "expr", "operator"),
    ("sql/plan", "operator", "statement"),
    ("tds", "rpc", "request"),
    ("tds", "value", "variant"),
    ("types/collation", "units", "weights"),
    ("xml/query", "kinds", "shape"),
    ("xml/schema", "builtin", "component"),
    ("xml/schema", "model", "component"),
    ("xml/schema", "value", "component"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace root exists")
}

/// (path relative to the root, text) of every Rust source file.
fn sources() -> Vec<(String, String)> {
    fn walk(dir: &Path, root: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(dir).expect("readable directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target" && name != "node_modules") {
                    walk(&path, root, found);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path).expect("UTF-8 source")));
            }
        }
    }
    let root = root();
    let mut found = Vec::new();
    walk(&root.join("crates"), &root, &mut found);
    assert!(found.len() > 20, "the sources were found");
    found
}

fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn files_say_what_they_are_and_stay_short() {
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        let first = text.lines().find(|line| !line.starts_with("#![")).unwrap_or("");
        if !first.starts_with("//!") {
            complaints.push(format!("{name}: opens without saying what it is"));
        }
        let lines = text.lines().count();
        if lines > FILE_LINES_MAX {
            complaints.push(format!("{name}: {lines} lines, more than {FILE_LINES_MAX}: split it by subject"));
        }
    }
    report(complaints);
}

/// The line after a function's last, where it begins at `first`: rustfmt puts its closing brace below its first word.
fn function_end(lines: &[&str], first: usize) -> Option<usize> {
    let indent = &lines[first][..lines[first].len() - lines[first].trim_start().len()];
    for (number, line) in lines.iter().enumerate().skip(first) {
        let Some(inner) = line.strip_prefix(indent) else { continue };
        if inner.starts_with(' ') {
            continue;
        }
        // A trait's function without a body, or one in a line.
        if inner.ends_with(';') || number == first && inner.ends_with('}') {
            return None;
        }
        if inner == "}" {
            return Some(number + 1);
        }
    }
    None
}

#[test]
fn functions_stay_short() {
    let mut complaints = Vec::new();
    let mut excepted = Vec::new();
    for (name, text) in sources() {
        let Some((_, inside)) = name.split_once("/src/") else { continue };
        if inside.ends_with("tests.rs") {
            continue;
        }
        let lines: Vec<&str> = text.lines().take_while(|line| !line.contains("#[cfg(test)]")).collect();
        for (first, line) in lines.iter().enumerate() {
            let Some((before, after)) = line.split_once("fn ") else { continue };
            let words = ["pub", "pub(super)", "pub(crate)", "const", "unsafe", "async", "extern", "\"C\""];
            if !before.split_whitespace().all(|word| words.contains(&word)) {
                continue;
            }
            let function: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some(end) = function_end(&lines, first) else { continue };
            if end - first <= FUNCTION_LINES_MAX {
                continue;
            }
            match LONG_FUNCTIONS.iter().find(|(file, long, _)| *file == name && *long == function) {
                Some(exception) => excepted.push(exception),
                None => complaints.push(format!(
                    "{name}:{}: {function} has {} lines, more than {FUNCTION_LINES_MAX}: split it by subject",
                    first + 1,
                    end - first
                )),
            }
        }
    }
    for exception in LONG_FUNCTIONS.iter().filter(|exception| !excepted.contains(exception)) {
        complaints.push(format!("{}: {} is short now: take it off the list", exception.0, exception.1));
    }
    report(complaints);
}

#[test]
fn unsafe_stays_where_it_is_fenced() {
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        if name.starts_with("crates/os/") || UNSAFE_FILES.contains(&name.as_str()) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            if ["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe"].iter().any(|word| code.contains(word))
                && !name.ends_with("tests/tidy.rs")
            {
                complaints.push(format!("{name}:{}: unsafe outside its fence", number + 1));
            }
        }
    }
    report(complaints);
}

#[test]
fn every_unsafe_block_says_why() {
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            if !code.contains("unsafe {") || name.ends_with("tests/tidy.rs") {
                continue;
            }
            // The reason may stand above the statement that the block is part of, or cover a run of blocks.
            let above = lines[number.saturating_sub(12)..=number].iter().any(|line| line.contains("SAFETY"));
            if !above {
                complaints.push(format!("{name}:{}: no SAFETY comment", number + 1));
            }
        }
    }
    report(complaints);
}

#[test]
fn nothing_is_left_for_later() {
    let words = ["TO".to_owned() + "DO", "FIX".to_owned() + "ME", "XX".to_owned() + "X", "todo".to_owned() + "!("];
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            if words
                .iter()
                .any(|word| line.split(|c: char| !c.is_alphanumeric() && c != '!' && c != '(').any(|w| w == word))
            {
                complaints.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    report(complaints);
}

/// A folder's `lib.rs` or `mod.rs` lists its modules lowest first: a module may use the ones above it, not the ones below.
#[test]
fn modules_are_listed_in_dependency_order() {
    let sources = sources();
    let mut complaints = Vec::new();
    for (name, text) in &sources {
        let Some(folder) = name.strip_suffix("lib.rs").or_else(|| name.strip_suffix("mod.rs")) else { continue };
        let Some((package, inside)) = folder.trim_start_matches("crates/").split_once("/src/") else { continue };
        let order: HashMap<&str, usize> = text
            .lines()
            .filter_map(|line| line.strip_suffix(';')?.split_once("mod "))
            .filter(|(before, _)| before.is_empty() || before.starts_with("pub"))
            .map(|(_, module)| module)
            .enumerate()
            .map(|(position, module)| (module, position))
            .collect();
        let place = format!("{package}/{inside}");
        let place = place.trim_end_matches('/');
        let absolute = format!("crate::{}", inside.replace('/', "::"));
        for (file, text) in &sources {
            let Some(rest) = file.strip_prefix(folder) else { continue };
            let module = rest.split('/').next().unwrap_or("").trim_end_matches(".rs");
            let Some(&own) = order.get(module) else { continue };
            // `super` is this folder for the module's own file: `m.rs` or `m/mod.rs`.
            let is_own_file = rest == format!("{module}.rs") || rest == format!("{module}/mod.rs");
            // Tests may look anywhere.
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            for (number, line) in code.lines().enumerate() {
                let line = line.split("//").next().unwrap_or("");
                let relative = line.split("super::").skip(1).filter(|_| is_own_file && !line.contains("super::super"));
                for used in line.split(&absolute).skip(1).chain(relative) {
                    let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    let below = order.get(used.as_str()).is_some_and(|&position| position > own);
                    let is_known = MUTUAL.iter().any(|&(at, user, lower)| {
                        at == place && (user == module || user == "*") && lower == used.as_str()
                    });
                    if below && !is_known {
                        complaints.push(format!(
                            "{file}:{}: uses `{used}`, which stands below `{module}` in {name}",
                            number + 1
                        ));
                    }
                }
            }
        }
    }
    report(complaints);
}

/// From the bracket that `text` begins with to the one that closes it; quotes of `quote` hide brackets, doubled or behind a
/// backslash.
fn bracketed(text: &str, quote: char) -> &str {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted && quote == '"' => escaped = true,
            _ if c == quote => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 && !quoted {
            return &text[..at + c.len_utf8()];
        }
    }
    text
}

/// What stands between the commas of a bracket's own level.
fn arguments(bracket: &str, quote: char) -> Vec<&str> {
    let inside = bracket.trim_start_matches('(').trim_end_matches(')');
    let (mut depth, mut quoted, mut from, mut found) = (0, false, 0, Vec::new());
    for (at, c) in inside.char_indices() {
        match c {
            _ if c == quote => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                found.push(inside[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(inside[from..].trim());
    found
}

/// A site names a message and its arguments; the text is in the table. What makes errors of other texts is for users' texts.
#[test]
fn texts_of_errors_are_in_the_table() {
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        if name.contains("/tests/") {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        for (at, found) in code.match_indices("SqlError::of_") {
            let line = code[..at].matches('\n').count() + 1;
            let call = &code[at + found.len()..];
            let given = call.find('(').map_or("", |open| bracketed(&call[open..], '"'));
            if !USER_TEXT_FILES.contains(&name.as_str()) {
                complaints.push(format!("{name}:{line}: makes an error without `sql_error!`"));
            } else if given.contains('"') || given.contains("format!") {
                complaints.push(format!("{name}:{line}: a text that is no user's"));
            }
        }
        for (at, _) in code.match_indices("error.text = ") {
            if name != COMPLETED_TEXT_FILE {
                let line = code[..at].matches('\n').count() + 1;
                complaints.push(format!("{name}:{line}: gives an error another text"));
            }
        }
    }
    report(complaints);
}

/// RAISERROR in the system's procedures and views: numbers that the table has, with an argument for each placeholder.
#[test]
fn system_procedures_raise_messages_of_the_table() {
    let mut complaints = Vec::new();
    let mut seen = 0;
    for folder in ["procedures", "views", "internal"] {
        let folder = root().join("crates/server/src/system").join(folder);
        for entry in fs::read_dir(folder).expect("readable directory").flatten() {
            let text = fs::read_to_string(entry.path()).expect("UTF-8 source");
            let name = entry.file_name().to_string_lossy().into_owned();
            for (at, word) in text.match_indices("RAISERROR") {
                let line = text[..at].matches('\n').count() + 1;
                let call = text[at + word.len()..].trim_start();
                let given = arguments(bracketed(call, '\''), '\'');
                let Ok(number) = given[0].parse::<i32>() else {
                    complaints.push(format!("{name}:{line}: RAISERROR of something else than a number"));
                    continue;
                };
                seen += 1;
                match types::messages::find(number).map(|message| message.arguments()) {
                    None => complaints.push(format!("{name}:{line}: there is no message {number}")),
                    Some(count) if given.len() != 3 + count => {
                        complaints.push(format!("{name}:{line}: message {number} takes {count} arguments"));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    assert!(seen > 30, "the procedures were found");
    report(complaints);
}

#[test]
fn no_message_stands_twice_in_the_table() {
    let mut numbers = HashMap::new();
    for message in types::messages::all() {
        *numbers.entry(message.number).or_insert(0) += 1;
    }
    assert!(numbers.len() > 600, "the table was found");
    report(numbers.iter().filter(|(_, count)| **count > 1).map(|(number, _)| number.to_string()).collect());
}

#[test]
fn every_dependency_has_its_reason() {
    let mut complaints = Vec::new();
    for entry in fs::read_dir(root().join("crates")).expect("crates").flatten() {
        let path = entry.path().join("Cargo.toml");
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let mut in_dependencies = false;
        let mut previous = "";
        for line in text.lines() {
            if line.starts_with('[') {
                in_dependencies = line.contains("dependencies");
            } else if in_dependencies && line.contains('=') && !line.contains("workspace = true") {
                let reasoned = line.contains('#') || previous.starts_with('#');
                if !reasoned {
                    complaints.push(format!("{}: {line}: no reason given", path.display()));
                }
            }
            previous = line;
        }
    }
    report(complaints);
}

/// What was written by hand is short; a package or a dump that got in by mistake stays in every clone for good.
#[test]
fn every_file_is_one_that_somebody_wrote() {
    const FILE_BYTES_MAX: usize = 256 << 10;
    let root = root();
    let listed = Command::new("git").arg("-C").arg(&root).args(["ls-files", "-z"]).output().expect("git runs");
    let names = String::from_utf8(listed.stdout).expect("names in UTF-8");
    // The sources outside of a clone have no list.
    assert!(names.contains("Cargo.lock\0") || !root.join(".git").exists(), "git lists the files");
    let mut complaints = Vec::new();
    for name in names.split_terminator('\0') {
        let Ok(bytes) = fs::read(root.join(name)) else { continue };
        if bytes.len() > FILE_BYTES_MAX {
            complaints.push(format!("{name}: {} bytes, more than {FILE_BYTES_MAX}", bytes.len()));
        } else if bytes.contains(&0) {
            complaints.push(format!("{name}: not a text"));
        }
    }
    report(complaints);
}
