//! Names of several parts inside strings, as OBJECT_ID, PARSENAME and the catalog procedures take them. Unlike a name in a
//! statement's text, a part without brackets or quotes may hold anything but a dot: reserved words, blanks, hyphens, quotes.

use crate::ast;
use crate::catalog::ObjectName;

/// Parts of a name: server, database, schema, object.
pub const PARTS_MAX: usize = 4;

/// The parts of `text`, the last one first, as they are written: blanks count, and an empty one is None. None: more than four
/// parts, a bracket or quote that is not closed, or something behind one that is.
pub fn parts(text: &str) -> Option<[Option<String>; PARTS_MAX]> {
    let mut parts: [Option<String>; PARTS_MAX] = Default::default();
    let mut rest = text;
    loop {
        if parts[PARTS_MAX - 1].is_some() {
            return None;
        }
        let (part, behind) = first_part(rest)?;
        parts.rotate_right(1);
        parts[0] = Some(part);
        match behind {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    Some(parts.map(|part| part.filter(|part| !part.is_empty())))
}

/// The part that `text` begins with, and what follows the dot behind it.
fn first_part(text: &str) -> Option<(String, Option<&str>)> {
    let start = text.trim_start();
    let close = match start.chars().next() {
        Some('[') => ']',
        Some('"') => '"',
        _ => {
            return Some(match text.split_once('.') {
                Some((part, behind)) => (part.to_owned(), Some(behind)),
                None => (text.to_owned(), None),
            });
        }
    };
    let mut part = String::new();
    let mut rest = &start[1..];
    loop {
        let (before, behind) = rest.split_once(close)?;
        part.push_str(before);
        match behind.strip_prefix(close) {
            Some(behind) => {
                part.push(close);
                rest = behind;
            }
            None => {
                let behind = behind.trim_start();
                return match behind.strip_prefix('.') {
                    Some(behind) => Some((part, Some(behind))),
                    None => behind.is_empty().then_some((part, None)),
                };
            }
        }
    }
}

impl ObjectName {
    /// The object that `text` names; None if it cannot name one. Blanks around a part do not count.
    pub fn from_text(text: &str) -> Option<ObjectName> {
        let mut parts = parts(text)?.into_iter().map(|part| {
            let part = part?;
            let part = part.trim();
            (!part.is_empty()).then(|| part.into())
        });
        let mut next = || parts.next().flatten();
        let name = next()?;
        Some(ObjectName { name, schema: next(), database: next(), server: next() })
    }

    /// The parts that there are, as messages show them.
    pub fn written(&self) -> String {
        let parts = [&self.server, &self.database, &self.schema].into_iter().flatten().chain([&self.name]);
        parts.map(|part| &**part).collect::<Vec<_>>().join(".")
    }
}

impl From<ObjectName> for ast::ObjectName {
    fn from(name: ObjectName) -> ast::ObjectName {
        let ident = |text| ast::Ident { text, quoted: true };
        ast::ObjectName {
            server: name.server.map(ident),
            database: name.database.map(ident),
            schema: name.schema.map(ident),
            name: ident(name.name),
            line: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parts;

    /// From the first part to the last, `|` between them and `-` for none.
    fn shown(text: &str) -> String {
        match parts(text) {
            None => "refused".into(),
            Some(parts) => {
                let shown: Vec<&str> = parts.iter().rev().map(|part| part.as_deref().unwrap_or("-")).collect();
                shown.join("|")
            }
        }
    }

    #[test]
    fn parts_are_told_apart() {
        let cases = [
            ("order", "-|-|-|order"),
            ("dbo.a b", "-|-|dbo|a b"),
            ("10.0.255.1", "10|0|255|1"),
            ("a..c", "-|a|-|c"),
            (".c", "-|-|-|c"),
            ("a.", "-|-|a|-"),
            ("", "-|-|-|-"),
            ("[a.b].[c]]d]", "-|-|a.b|c]d"),
            ("\"a.b\".\"c\"\"d\"", "-|-|a.b|c\"d"),
            (" [a] . [b]", "-|-|a|b"),
            ("it's.a-b\"c[d", "-|-|it's|a-b\"c[d"),
            ("a.b.c.d.e", "refused"),
            ("a.b.c.d.", "refused"),
            ("[a", "refused"),
            ("[a]b", "refused"),
            ("\"a", "refused"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
