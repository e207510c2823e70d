//! The golden scripts, spoiled at random from a printed seed, against a running server: whatever T-SQL comes, it is answered. A connection
//! that ends without an error of severity 20, or a batch that an attention does not end, is a finding.
//!
//! `HEDDLE_MUTATIONS=1000000 HEDDLE_SEED=7 cargo test -p heddle --test mutated` looks for longer, elsewhere.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::client::{ClientError, Connection};
use os::sched::MachineConfig;
use support::{Server, root};
use tds::token::Token;

const BATCH_MAX_MS: u64 = 3_000;
/// What would change the server for the batches after it, or wait on purpose.
const LEFT_OUT: [&str; 9] = [
    "waitfor",
    "shutdown",
    "kill",
    "login",
    "password",
    "sp_configure",
    "alter database",
    "drop database",
    "server role",
];
/// Put in among the scripts' own words.
const SPICE: [&str; 28] = [
    "NULL",
    "(",
    ")",
    ",",
    "*",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "1e308",
    "0x",
    "''",
    "N'\u{1F600}'",
    "DISTINCT",
    "TOP",
    "OVER()",
    "SELECT",
    "GROUP BY",
    "ORDER BY",
    "UNION ALL",
    "EXCEPT",
    "CROSS APPLY",
    "(SELECT NULL)",
    "1/0",
    "@@ROWCOUNT",
    "CAST(NULL AS varchar(max))",
    "CAST(1 AS sql_variant)",
    "sys.objects",
    "REPLICATE('a', 8000)",
];

struct Random(u64);

impl Random {
    /// Xorshift: below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Batches of all golden scripts as words: strings, names, blanks and single characters.
fn batches() -> Vec<Vec<String>> {
    let folder = root().join("tests/sql");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the scripts").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    files.sort();
    let mut batches = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).expect("UTF-8");
        let mut batch = String::new();
        for line in text.lines().chain(["GO"]) {
            if line.trim().eq_ignore_ascii_case("GO") {
                batches.push(words(&std::mem::take(&mut batch)));
            } else {
                batch.push_str(line);
                batch.push('\n');
            }
        }
    }
    batches.retain(|words| !words.is_empty());
    batches
}

fn words(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#');
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            _ if is_name(first) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ if first.is_whitespace() => rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        words.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    words
}

fn spoiled(all: &[Vec<String>], random: &mut Random) -> String {
    let mut words = all[random.below(all.len())].clone();
    let other = |random: &mut Random| {
        let batch = &all[random.below(all.len())];
        batch[random.below(batch.len())].clone()
    };
    for _ in 0..random.below(4) {
        let at = random.below(words.len());
        match random.below(8) {
            _ if words.is_empty() => {}
            0 => drop(words.remove(at)),
            1 | 2 => words[at] = other(random),
            3 => words.insert(at, format!(" {} ", other(random))),
            4 => words.insert(at, format!(" {} ", SPICE[random.below(SPICE.len())])),
            5 => {
                let with = random.below(words.len());
                words.swap(at, with);
            }
            6 => {
                let end = (at + random.below(20)).min(words.len());
                let again = words[at..end].to_vec();
                words.splice(at..at, again);
            }
            _ => {
                let batch = &all[random.below(all.len())];
                let from = random.below(batch.len());
                let end = (from + random.below(30)).min(batch.len());
                words.splice(at..at, batch[from..end].to_vec());
            }
        }
    }
    words.concat()
}

fn deadline() -> Option<u64> {
    Some(os::clock::after_ms(BATCH_MAX_MS))
}

/// Ok: the connection goes on, if true. Err: what should not have happened.
fn run(connection: &mut Connection, text: &str) -> Result<bool, ClientError> {
    let mut severity = 0;
    connection.protocol().batch(text);
    let ended = connection.response(deadline(), |token| {
        if let Token::Message(message) = token {
            severity = severity.max(message.severity);
        }
    });
    match ended {
        Ok(()) => Ok(true),
        // Cancelled, and it must be fit for the next one.
        Err(ClientError::Timeout) => connection.query("SELECT 1", deadline()).map(|_| true),
        // It said that it would close.
        Err(_) if severity >= 20 => Ok(false),
        Err(error) => Err(error),
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn spoiled_scripts_are_answered() {
    let server = Server::start(&["--memory", "1GB"]);
    server.query("CREATE DATABASE spoiled");
    let seed = number("HEDDLE_SEED", 1);
    let target = support::target(server.port, "spoiled");
    let machine = os::sched::start(MachineConfig::default());
    let findings = machine.run(move || {
        let all = batches();
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let open = || Connection::open(&target, deadline()).expect("the server is there");
        let mut connection = open();
        let mut findings = Vec::new();
        for _ in 0..number("HEDDLE_MUTATIONS", 4_000) {
            let text = spoiled(&all, &mut random);
            let lower = text.to_lowercase();
            if LEFT_OUT.iter().any(|word| lower.contains(word)) {
                continue;
            }
            match run(&mut connection, &text) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => findings.push(format!("{error}: {text}")),
            }
            connection = open();
        }
        findings
    });
    machine.stop();
    assert!(findings.is_empty(), "seed {seed}, {} findings:\n{}", findings.len(), findings.join("\n----\n"));
}
