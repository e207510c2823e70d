//! Values of hierarchyid: the path of a node from the root, as text and as the bits that are stored.
//!
//! A level is a row of numbers, `2.1` of `/1/2.1/`. Each number is a prefix that tells its range, its bits and a last bit, 1 at the end of a
//! level; one that others of its level follow is kept greater by 1, so that `/1.1/` lies behind all that is below `/1/`. Read as
//! numbers, the bytes of values have the order of the tree: depth first. [MS-SSCLRT] 2.1.3, "SqlHierarchyId Structure".

use std::fmt::Write as _;

use crate::error::{SqlError, SqlResult};
use crate::sql_error;

/// Bytes of a value: `hierarchyid` columns are so long.
pub const BYTES_MAX: usize = 892;

/// The numbers of a range: the first of them, and how they are written. `x` is a bit of how far a number is from the first, `T` the last bit.
struct Pattern {
    first: i64,
    last: i64,
    bits: &'static str,
}

const fn pattern(first: i64, last: i64, bits: &'static str) -> Pattern {
    Pattern { first, last, bits }
}

/// By their first bits no two of them are alike.
const PATTERNS: [Pattern; 13] = [
    pattern(-281_479_271_682_120, -4_294_971_465, "000100xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxxT"),
    pattern(-4_294_971_464, -4_169, "000101xxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxxT"),
    pattern(-4_168, -73, "000110xxxxx0xxx0x1xxxT"),
    pattern(-72, -9, "0010xx0x1xxxT"),
    pattern(-8, -1, "00111xxxT"),
    pattern(0, 3, "01xxT"),
    pattern(4, 7, "100xxT"),
    pattern(8, 15, "101xxxT"),
    pattern(16, 79, "110xx0x1xxxT"),
    pattern(80, 1_103, "1110xxx0xxx0x1xxxT"),
    pattern(1_104, 5_199, "11110xxxxx0xxx0x1xxxT"),
    pattern(5_200, 4_294_972_495, "111110xxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxxT"),
    pattern(4_294_972_496, 281_479_271_683_151, "111111xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxxT"),
];

/// The numbers of a level, at least one.
pub type Level = Vec<i64>;

/// A node: the levels of its path. The root has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node(pub Vec<Level>);

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn peek(&self, ahead: usize) -> Option<bool> {
        let at = self.at + ahead;
        Some(self.bytes.get(at / 8)? >> (7 - at % 8) & 1 == 1)
    }

    /// Less than a byte is left, and that is zeros.
    fn is_over(&self) -> bool {
        let left = self.bytes.len() * 8 - self.at;
        left < 8 && (0..left).all(|ahead| self.peek(ahead) == Some(false))
    }

    /// A number as it is kept, and whether its level ends with it.
    fn number(&mut self) -> Option<(i64, bool)> {
        let begins = |pattern: &&Pattern| {
            let prefix = pattern.bits.bytes().take_while(|bit| *bit != b'x');
            prefix.enumerate().all(|(ahead, bit)| self.peek(ahead) == Some(bit == b'1'))
        };
        let pattern = PATTERNS.iter().find(begins)?;
        let (mut offset, mut ends) = (0_i64, false);
        for (ahead, bit) in pattern.bits.bytes().enumerate() {
            let seen = self.peek(ahead)?;
            match bit {
                b'x' => offset = offset << 1 | i64::from(seen),
                b'T' => ends = seen,
                fixed if (fixed == b'1') != seen => return None,
                _ => {}
            }
        }
        self.at += pattern.bits.len();
        Some((pattern.first + offset, ends))
    }
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    bits: usize,
}

impl Writer {
    fn bit(&mut self, on: bool) {
        if self.bits.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if on {
            let last = self.bytes.len() - 1;
            self.bytes[last] |= 1 << (7 - self.bits % 8);
        }
        self.bits += 1;
    }

    /// None: a number beyond those that there are.
    fn number(&mut self, number: i64, ends: bool) -> Option<()> {
        let pattern = PATTERNS.iter().find(|pattern| (pattern.first..=pattern.last).contains(&number))?;
        let offset = number - pattern.first;
        let mut left = pattern.bits.bytes().filter(|bit| *bit == b'x').count();
        for bit in pattern.bits.bytes() {
            match bit {
                b'x' => {
                    left -= 1;
                    self.bit(offset >> left & 1 == 1);
                }
                b'T' => self.bit(ends),
                fixed => self.bit(fixed == b'1'),
            }
        }
        Some(())
    }
}

impl Node {
    /// `/`, `/1/`, `/-1/2.3/`. None: the text is no path, or one that has no value.
    pub fn parse(text: &str) -> Option<Node> {
        let inner = text.strip_prefix('/')?;
        if inner.is_empty() {
            return Some(Node::default());
        }
        let number = |word: &str| {
            let digits = word.strip_prefix('-').unwrap_or(word);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            if is_number { word.parse::<i64>().ok() } else { None }
        };
        let level = |level: &str| level.split('.').map(number).collect::<Option<Level>>();
        let node = Node(inner.strip_suffix('/')?.split('/').map(level).collect::<Option<Vec<Level>>>()?);
        node.to_bytes().map(|_| node)
    }

    /// None: the bytes are no value's.
    pub fn from_bytes(bytes: &[u8]) -> Option<Node> {
        let mut bits = Bits { bytes, at: 0 };
        let (mut levels, mut level) = (Vec::new(), Level::new());
        if bytes.len() > BYTES_MAX {
            return None;
        }
        while !bits.is_over() || !level.is_empty() {
            let (number, ends) = bits.number()?;
            level.push(if ends { number } else { number - 1 });
            if ends {
                levels.push(std::mem::take(&mut level));
            }
        }
        Some(Node(levels))
    }

    /// None: it would be too long, or a number is out of range.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut writer = Writer::default();
        for level in &self.0 {
            for (at, number) in level.iter().enumerate() {
                let ends = at + 1 == level.len();
                writer.number(if ends { *number } else { number.checked_add(1)? }, ends)?;
                if writer.bytes.len() > BYTES_MAX {
                    return None;
                }
            }
        }
        Some(writer.bytes)
    }

    /// None: there are not so many.
    pub fn ancestor(&self, above: usize) -> Option<Node> {
        let kept = self.0.len().checked_sub(above)?;
        Some(Node(self.0[..kept].to_vec()))
    }

    /// Every node is its own descendant.
    pub fn is_descendant_of(&self, of: &Node) -> bool {
        self.0.starts_with(&of.0)
    }

    /// The path with `new` instead of `old` at its beginning. None: it does not begin so.
    pub fn reparented(&self, old: &Node, new: &Node) -> Option<Node> {
        let below = self.0.strip_prefix(&old.0[..])?;
        Some(Node([&new.0[..], below].concat()))
    }

    pub fn is_child_of(&self, of: &Node) -> bool {
        self.0.len() == of.0.len() + 1 && self.is_descendant_of(of)
    }

    /// A child between two of its children, or before or behind one. The caller has seen that they are, and are in order.
    pub fn child_between(&self, first: Option<&Node>, second: Option<&Node>) -> Node {
        let last = |node: &Node| node.0.last().cloned().unwrap_or_default();
        let moved = |mut level: Level, by: i64| {
            if let Some(number) = level.last_mut() {
                *number = number.saturating_add(by);
            }
            level
        };
        let level = match (first.map(last), second.map(last)) {
            (None, None) => vec![1],
            (Some(first), None) => moved(first, 1),
            (None, Some(second)) => moved(second, -1),
            (Some(first), Some(second)) => {
                let same = first.iter().zip(&second).take_while(|(a, b)| a == b).count();
                match (first.get(same), second.get(same)) {
                    (Some(a), Some(b)) if b - a > 1 => [&first[..same], &[a + 1]].concat(),
                    (Some(_), Some(_)) if first.len() > same + 1 => moved(first, 1),
                    (None, Some(_)) => moved(second, -1),
                    _ => [&first[..], &[1]].concat(),
                }
            }
        };
        let mut levels = self.0.clone();
        levels.push(level);
        Node(levels)
    }
}

impl std::fmt::Display for Node {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_char('/')?;
        for level in &self.0 {
            for (at, number) in level.iter().enumerate() {
                if at > 0 {
                    to.write_char('.')?;
                }
                write!(to, "{number}")?;
            }
            to.write_char('/')?;
        }
        Ok(())
    }
}

/// 6522, as the type's own code in SQL Server fails. `signature`: of its method.
pub fn failure(number: i32, why: &str, signature: &str) -> SqlError {
    const EXCEPTION: &str = "Microsoft.SqlServer.Types.HierarchyIdException";
    let text = format!(
        "{EXCEPTION}: {number}: {why}\r\n{EXCEPTION}: \r\n   at Microsoft.SqlServer.Types.SqlHierarchyId.{signature}\r\n"
    );
    sql_error!(6522, state 2, "hierarchyid", text)
}

/// A value's text as its bytes. 24001
pub fn bytes_of_text(text: &str) -> SqlResult<Vec<u8>> {
    let node = Node::parse(text).ok_or_else(|| {
        let why = format!(
            "SqlHierarchyId.Parse failed because the input string '{text}' is not a valid string representation of a \
             SqlHierarchyId node."
        );
        failure(24001, &why, "Parse(SqlString input)")
    })?;
    write(&node)
}

/// 24000: the bytes are no value's.
pub fn read(bytes: &[u8]) -> SqlResult<Node> {
    Node::from_bytes(bytes).ok_or_else(|| {
        let why =
            "SqlHierarchyId operation failed because HierarchyId object was constructed from an invalid binary string.";
        failure(24000, why, "Read(BinaryReader r)")
    })
}

/// 24002: it would have more than `BYTES_MAX` bytes, or numbers that there are not.
pub fn write(node: &Node) -> SqlResult<Vec<u8>> {
    node.to_bytes().ok_or_else(|| {
        failure(24002, "SqlHierarchyId operation failed because the node is too long.", "Write(BinaryWriter w)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node {
        Node::parse(text).expect(text)
    }

    #[test]
    fn known_values_have_their_bytes() {
        for (text, bytes) in [
            ("/", &[][..]),
            ("/1/", &[0x58]),
            ("/2/", &[0x68]),
            ("/1/1/", &[0x5a, 0xc0]),
            ("/1/2/", &[0x5b, 0x40]),
            ("/-1/", &[0x3f, 0x80]),
            ("/1.1/", &[0x62, 0xc0]),
        ] {
            assert_eq!(node(text).to_bytes().expect(text), bytes, "{text}");
            assert_eq!(Node::from_bytes(bytes).expect(text).to_string(), text);
        }
    }

    #[test]
    fn bytes_have_the_order_of_the_tree_at_every_bound() {
        let bounds = PATTERNS.iter().flat_map(|pattern| [pattern.first, pattern.last]);
        let mut numbers: Vec<i64> = bounds.clone().chain(bounds.map(|bound| bound + 1)).collect();
        numbers.retain(|number| (PATTERNS[0].first..PATTERNS[12].last).contains(number));
        numbers.sort_unstable();
        numbers.dedup();
        let mut last = Vec::new();
        for number in numbers {
            for text in [
                format!("/{number}/"),
                format!("/{number}/-5/"),
                format!("/{number}/7/3/"),
                format!("/{number}.0/"),
                format!("/{number}.9/1/"),
            ] {
                let bytes = node(&text).to_bytes().expect("in range");
                assert!(last < bytes, "{text} lies behind what was before");
                assert_eq!(Node::from_bytes(&bytes).expect("written").to_string(), text);
                last = bytes;
            }
        }
    }

    #[test]
    fn what_is_no_path_or_no_value_is_none() {
        for text in
            ["", "1", "/1", "1/", "//", "/1//", "/a/", "/1./", "/.1/", "/1.-/", "/+1/", "/ 1/", "/281479271683152/"]
        {
            assert_eq!(Node::parse(text), None, "{text}");
        }
        for bytes in [&[0x00][..], &[0x58, 0x00], &[0x50], &[0x08], &[0xff; 900]] {
            assert_eq!(Node::from_bytes(bytes), None, "{bytes:?}");
        }
        assert_eq!(Node::parse(&format!("{}/", "/1".repeat(2_000))), None, "too long");
    }

    #[test]
    fn children_come_between() {
        let between = |first: &str, second: &str| {
            let given = |text: &str| (!text.is_empty()).then(|| node(text));
            node("/").child_between(given(first).as_ref(), given(second).as_ref()).to_string()
        };
        for (first, second, child) in [
            ("", "", "/1/"),
            ("/1/", "", "/2/"),
            ("", "/1/", "/0/"),
            ("", "/0/", "/-1/"),
            ("/1/", "/5/", "/2/"),
            ("/2/", "/3/", "/2.1/"),
            ("/2.1/", "/3/", "/2.2/"),
            ("/2.1/", "/2.2/", "/2.1.1/"),
            ("/2/", "/2.1/", "/2.0/"),
        ] {
            assert_eq!(between(first, second), child, "{first} {second}");
        }
    }
}
