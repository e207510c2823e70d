//! A script as client tools cut it into batches: at lines that say GO, outside strings, brackets and comments.

/// (line of the script on which the batch begins, from 1; how often it runs; its text).
pub fn split(script: &str) -> Vec<(u32, u32, &str)> {
    let mut batches = Vec::new();
    let mut inside = Inside::Code;
    let mut start = 0;
    let mut start_line = 1;
    let mut at = 0;
    for (number, line) in (1..).zip(script.split_inclusive('\n')) {
        match inside == Inside::Code {
            true if go_count(line).is_some() => {
                push(&mut batches, start_line, go_count(line).unwrap_or(1), &script[start..at]);
                start = at + line.len();
                start_line = number + 1;
            }
            _ => inside = inside.after(line),
        }
        at += line.len();
    }
    push(&mut batches, start_line, 1, &script[start..]);
    batches
}

fn push<'a>(batches: &mut Vec<(u32, u32, &'a str)>, line: u32, count: u32, text: &'a str) {
    if !text.trim().is_empty() {
        batches.push((line, count, text));
    }
}

/// `GO` and `GO 5`, in any case.
fn go_count(line: &str) -> Option<u32> {
    let mut words = line.split_whitespace();
    if !words.next()?.eq_ignore_ascii_case("go") {
        return None;
    }
    match (words.next(), words.next()) {
        (None, _) => Some(1),
        (Some(count), None) => count.parse().ok(),
        _ => None,
    }
}

/// What the end of a line is inside of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    /// By its closing character.
    Quoted(u8),
    /// Nested so deep.
    Comment(u32),
}

impl Inside {
    fn after(mut self, line: &str) -> Inside {
        let bytes = line.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let pair = bytes.get(at..at + 2);
            match self {
                Inside::Code => match bytes[at] {
                    b'\'' | b'"' => self = Inside::Quoted(bytes[at]),
                    b'[' => self = Inside::Quoted(b']'),
                    b'-' if pair == Some(b"--") => return self,
                    b'/' if pair == Some(b"/*") => {
                        self = Inside::Comment(1);
                        at += 1;
                    }
                    _ => {}
                },
                // A doubled closing character closes and opens again: the same in the end.
                Inside::Quoted(close) if bytes[at] == close => self = Inside::Code,
                Inside::Quoted(_) => {}
                Inside::Comment(depth) => {
                    if pair == Some(b"/*") {
                        self = Inside::Comment(depth + 1);
                        at += 1;
                    } else if pair == Some(b"*/") {
                        self = if depth == 1 { Inside::Code } else { Inside::Comment(depth - 1) };
                        at += 1;
                    }
                }
            }
            at += 1;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn go_on_a_line_of_its_own_ends_a_batch() {
        let script =
            "select 1\nGO\n\nselect '\ngo\n' /* \ngo */ select 2\r\ngo 3\r\n-- it's\nselect [\ngo\n]\nGO\nGO\n";
        let seen: Vec<(u32, u32, &str)> = split(script);
        let expected = [
            (1, 1, "select 1\n"),
            (3, 3, "\nselect '\ngo\n' /* \ngo */ select 2\r\n"),
            (9, 1, "-- it's\nselect [\ngo\n]\n"),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn what_only_looks_like_go_does_not() {
        assert_eq!(split("go home\nGOTO x\nselect go\n").len(), 1);
        assert!(split("GO\n \nGO\n").is_empty());
    }
}
