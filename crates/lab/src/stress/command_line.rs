//! ostress's way to write a command line, beyond what every option parser takes: switches with a slash, quotes and dashes as
//! word processors set them in articles, `-quiet`.

use std::collections::VecDeque;

/// Switches that have a value.
const WITH_VALUE: &str = "SDUPdQinrolLtpmacTfM";
const WITHOUT_VALUE: &str = "EqvNbXyhVC";
const OPENING: [char; 5] = ['"', '”', '“', '„', '″'];
const DASHES: [char; 3] = ['–', '—', '−'];

/// The arguments behind `heddle stress`, as the parser of the options takes them.
///
/// A shell knows no typographic quotes, so what they hold may have come in several arguments: they are one again, with a blank between
/// them, and the quotes are gone.
pub fn plain(arguments: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut rest: VecDeque<String> = arguments.into_iter().collect();
    let mut plain: Vec<String> = Vec::new();
    while let Some(word) = rest.pop_front() {
        // What stands behind an option of ours may be its value, and a path.
        let may_be_value = word.starts_with('/') && plain.last().is_some_and(|last| last.starts_with("--"));
        let Some((switch, value)) = split(&word).filter(|_| !may_be_value) else {
            plain.push(word);
            continue;
        };
        if switch == 'q' && (value.is_empty() || value == "uiet") {
            plain.push("-q".into());
        } else if WITHOUT_VALUE.contains(switch) {
            plain.push(format!("-{switch}{value}"));
        } else {
            let value = if value.is_empty() { rest.pop_front() } else { Some(value.to_string()) };
            plain.push(format!("-{switch}"));
            plain.extend(value.map(|value| unquoted(value, &mut rest)));
        }
    }
    plain
}

/// The switch that a word is, and what stands right behind it.
fn split(word: &str) -> Option<(char, &str)> {
    let mut letters = word.chars();
    let mark = letters.next()?;
    let switch = letters.next()?;
    let is_ours = WITH_VALUE.contains(switch) || WITHOUT_VALUE.contains(switch);
    let is_switch = (mark == '-' || mark == '/' || DASHES.contains(&mark)) && is_ours;
    is_switch.then_some((switch, letters.as_str()))
}

/// A value without the quotes that the shell has left around it.
fn unquoted(value: String, rest: &mut VecDeque<String>) -> String {
    let is_end = |word: &str| word.ends_with(OPENING);
    let Some(inner) = value.strip_prefix(OPENING) else { return value };
    let mut whole = inner.to_string();
    // One that never ends belongs to the value.
    if !is_end(&whole) && !rest.iter().any(|word| is_end(word)) {
        return value;
    }
    while !is_end(&whole) {
        let next = rest.pop_front().expect("one of them ends it");
        whole.push(' ');
        whole.push_str(&next);
    }
    whole.pop();
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<String> {
        plain(line.iter().map(|word| word.to_string()))
    }

    #[test]
    fn a_line_from_an_article() {
        let line = [
            "-E",
            r"-Slpc:.\SQL2012",
            "-Q”{call",
            "sp_reset_connection()}”",
            "-q",
            "-r100000",
            "-n1024",
            r"-oc:\temp",
            "-L120",
        ];
        let expected = [
            "-E",
            "-S",
            r"lpc:.\SQL2012",
            "-Q",
            "{call sp_reset_connection()}",
            "-q",
            "-r",
            "100000",
            "-n",
            "1024",
            "-o",
            r"c:\temp",
            "-L",
            "120",
        ];
        assert_eq!(words(&line), expected);
    }

    #[test]
    fn slashes_dashes_and_blanks() {
        assert_eq!(words(&["/S.", "–Usa", "-quiet", "-n", "4"]), ["-S", ".", "-U", "sa", "-q", "-n", "4"]);
        // A value may look like a switch, an option of ours keeps its form.
        let kept = ["-i", "/Scripts/a.sql", "--think", "-5", "--json", "/tmp/a.json", "--json", "-"];
        assert_eq!(words(&kept), kept);
        assert_eq!(words(&["-Q", "“select 1”"]), ["-Q", "select 1"]);
        assert_eq!(words(&["-Q", "\"open", "-n2"]), ["-Q", "\"open", "-n", "2"]);
        assert_eq!(words(&["-fx", "-T146", "-mstress"]), ["-f", "x", "-T", "146", "-m", "stress"]);
    }
}
