//! Collations: the table of names, what each distinguishes, its code page, its five bytes on the wire.
//!
//! A `CollationId` is family << 8 | variant. Family 0 holds the SQL_ collations, variant being their row in
//! `families::SQL_COLLATIONS`; family f > 0 is row f - 1 of `families::FAMILIES`, and its variant is
//!
//! ```text
//!  0 _BIN   1 _BIN2   2 _BIN2_UTF8   16 + 16*k + bits: bit 0 CS, 1 AS, 2 KS, 3 WS
//!  k: 0 nothing more   1 _SC   2 _SC_UTF8   3 _VSS   4 _VSS_UTF8   5 _UTF8
//! ```

pub mod letters;
pub mod code_page;
mod families;
mod units;
mod weights;

use std::cmp::Ordering;

use crate::sql_type::{CollationId, SqlType};
pub use code_page::CodePage;
use families::{FAMILIES, SQL_COLLATIONS, SqlCollation};
pub use units::{CharWeight, Chars};
pub use weights::{Comparer, Rules};

/// What a collation is, by its id.
#[derive(Debug, Clone, Copy)]
pub struct Collation {
    pub id: CollationId,
    pub rules: Rules,
    /// Of char and varchar.
    pub code_page: CodePage,
    pub lcid: u32,
    /// 0 for Windows collations.
    pub sort_id: u8,
    /// 0, 1, 2, 3 for the versions without number, 90, 100, 140.
    pub version: u8,
    /// Surrogate pairs count as one character in LEN, SUBSTRING and LIKE.
    pub supplementary: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    Bin,
    Bin2,
    Bin2Utf8,
    Linguistic { bits: u8, extra: Extra },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extra {
    None,
    Sc,
    ScUtf8,
    Vss,
    VssUtf8,
    Utf8,
}

const EXTRAS: [(Extra, &str); 6] = [
    (Extra::None, ""),
    (Extra::Sc, "_SC"),
    (Extra::ScUtf8, "_SC_UTF8"),
    (Extra::Vss, "_VSS"),
    (Extra::VssUtf8, "_VSS_UTF8"),
    (Extra::Utf8, "_UTF8"),
];
const CASE: u8 = 1;
const ACCENT: u8 = 2;
const KANA: u8 = 4;
const WIDTH: u8 = 8;

impl Variant {
    fn from_number(number: u8) -> Option<Variant> {
        Some(match number {
            0 => Variant::Bin,
            1 => Variant::Bin2,
            2 => Variant::Bin2Utf8,
            16..112 => Variant::Linguistic { bits: number % 16, extra: EXTRAS[number as usize / 16 - 1].0 },
            _ => return None,
        })
    }

    fn number(self) -> u8 {
        match self {
            Variant::Bin => 0,
            Variant::Bin2 => 1,
            Variant::Bin2Utf8 => 2,
            Variant::Linguistic { bits, extra } => 16 + 16 * extra as u8 + bits,
        }
    }

    fn push_name(self, name: &mut String) {
        match self {
            Variant::Bin => name.push_str("_BIN"),
            Variant::Bin2 => name.push_str("_BIN2"),
            Variant::Bin2Utf8 => name.push_str("_BIN2_UTF8"),
            Variant::Linguistic { bits, extra } => {
                name.push_str(if bits & CASE != 0 { "_CS" } else { "_CI" });
                name.push_str(if bits & ACCENT != 0 { "_AS" } else { "_AI" });
                name.push_str(if bits & KANA != 0 { "_KS" } else { "" });
                name.push_str(if bits & WIDTH != 0 { "_WS" } else { "" });
                name.push_str(EXTRAS[extra as usize].1);
            }
        }
    }

    fn utf8(self) -> bool {
        match self {
            Variant::Bin | Variant::Bin2 => false,
            Variant::Bin2Utf8 => true,
            Variant::Linguistic { extra, .. } => matches!(extra, Extra::ScUtf8 | Extra::VssUtf8 | Extra::Utf8),
        }
    }

    /// Whether a family of that version has it.
    fn exists(self, version: u8) -> bool {
        match self {
            Variant::Bin => version < 140,
            Variant::Bin2 => true,
            Variant::Bin2Utf8 => version >= 100,
            Variant::Linguistic { extra: Extra::None, .. } => true,
            Variant::Linguistic { extra: Extra::Sc | Extra::ScUtf8, .. } => version == 90 || version == 100,
            Variant::Linguistic { extra: Extra::Vss | Extra::VssUtf8 | Extra::Utf8, .. } => version == 140,
        }
    }
}

impl CollationId {
    pub const SQL_LATIN1_GENERAL_CP1_CI_AS: CollationId = CollationId(0);
    /// The collation of names where SQL Server compares them in binary.
    pub const LATIN1_GENERAL_BIN2: CollationId = CollationId(1 << 8 | 1);
    /// What texts of json are sent in.
    pub const LATIN1_GENERAL_100_BIN2_UTF8: CollationId = CollationId(2 << 8 | 2);
    pub const LATIN1_GENERAL_CI_AS: CollationId = CollationId(1 << 8 | 16 | ACCENT as u16);

    fn variant(self) -> Option<Variant> {
        Variant::from_number(self.0 as u8)
    }

    /// Whether the number is a collation's; one that came from outside is asked once.
    pub fn is_valid(self) -> bool {
        match self.0 >> 8 {
            0 => (self.0 as usize) < SQL_COLLATIONS.len(),
            family => FAMILIES
                .get(family as usize - 1)
                .is_some_and(|family| self.variant().is_some_and(|variant| variant.exists(family.version))),
        }
    }

    pub fn name(self) -> String {
        if let Some(sql) = self.sql() {
            return sql.name.to_owned();
        }
        let mut name = FAMILIES[(self.0 >> 8) as usize - 1].name.to_owned();
        self.variant().expect("a valid collation").push_name(&mut name);
        name
    }

    fn sql(self) -> Option<&'static SqlCollation> {
        (self.0 >> 8 == 0).then(|| &SQL_COLLATIONS[self.0 as usize])
    }

    /// Panics if the id is not valid.
    pub fn get(self) -> Collation {
        if let Some(sql) = self.sql() {
            let binary = sql.name.contains("_BIN");
            return Collation {
                id: self,
                rules: Rules {
                    binary,
                    old_binary: binary && !sql.name.ends_with('2'),
                    case: sql.case,
                    accent: sql.accent,
                    sql: true,
                    ..Rules::default()
                },
                code_page: CodePage(sql.code_page),
                lcid: sql.lcid,
                sort_id: sql.sort_id,
                version: 0,
                supplementary: false,
            };
        }
        let family = &FAMILIES[(self.0 >> 8) as usize - 1];
        let variant = self.variant().expect("a valid collation");
        let (rules, supplementary) = match variant {
            Variant::Linguistic { bits, extra } => (
                Rules {
                    case: bits & CASE != 0,
                    accent: bits & ACCENT != 0,
                    kana: bits & KANA != 0,
                    width: bits & WIDTH != 0,
                    tailoring: family.tailoring,
                    ..Rules::default()
                },
                extra != Extra::None || family.version == 140,
            ),
            _ => (Rules { binary: true, old_binary: variant == Variant::Bin, ..Rules::default() }, false),
        };
        let code_page = if variant.utf8() { CodePage::UTF8 } else { CodePage(family.code_page) };
        Collation {
            id: self,
            rules,
            code_page,
            lcid: family.lcid,
            sort_id: 0,
            version: match family.version {
                0 => 0,
                90 => 1,
                100 => 2,
                _ => 3,
            },
            supplementary,
        }
    }

    pub fn code_page(self) -> CodePage {
        if self.0 == 0 { CodePage::LATIN1 } else { self.get().code_page }
    }

    /// The collation of the wire: 20 bits LCID, 8 bits flags, 4 bits version, then the sort id (MS-TDS 2.2.5.1.2).
    pub fn to_tds(self) -> [u8; 5] {
        let collation = self.get();
        let rules = collation.rules;
        let flags = if rules.binary {
            if rules.old_binary { 1 << 4 } else { 1 << 5 }
        } else {
            !rules.case as u32 | (!rules.accent as u32) << 1 | (!rules.width as u32) << 2 | (!rules.kana as u32) << 3
        };
        let utf8 = (collation.code_page == CodePage::UTF8) as u32;
        // A sort order of SQL Server 7 does not say LCID variants; its flags are what the wire has had since then.
        let word = collation.lcid | flags << 20 | utf8 << 26 | (collation.version as u32) << 28;
        let [a, b, c, d] = word.to_le_bytes();
        [a, b, c, d, collation.sort_id]
    }

    /// The collation whose wire form this is; a wire form that no collation has: the nearest of its LCID, or None.
    pub fn from_tds(bytes: &[u8; 5]) -> Option<CollationId> {
        if bytes[4] != 0 {
            let row = SQL_COLLATIONS.iter().position(|sql| sql.sort_id == bytes[4])?;
            return Some(CollationId(row as u16));
        }
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let (lcid, flags, utf8, version) = (word & 0xfffff, word >> 20 & 0x3f, word >> 26 & 1 != 0, word >> 28);
        let version = [0, 90, 100, 140].get(version as usize).copied()?;
        let of_lcid = || FAMILIES.iter().enumerate().filter(|(_, family)| family.lcid == lcid);
        let (row, family) = of_lcid().find(|(_, family)| family.version == version).or_else(|| of_lcid().next())?;
        let bits = (flags & 1 == 0) as u8 * CASE
            + (flags & 2 == 0) as u8 * ACCENT
            + (flags & 4 == 0) as u8 * WIDTH
            + (flags & 8 == 0) as u8 * KANA;
        let extra = match (utf8, family.version) {
            (false, _) => Extra::None,
            (true, 140) => Extra::Utf8,
            (true, _) => Extra::ScUtf8,
        };
        let variant = match flags >> 4 {
            0 => Variant::Linguistic { bits, extra },
            1 => Variant::Bin,
            _ if utf8 => Variant::Bin2Utf8,
            _ => Variant::Bin2,
        };
        Some(id_of(row, variant))
    }
}

fn id_of(family: usize, variant: Variant) -> CollationId {
    CollationId((family as u16 + 1) << 8 | variant.number() as u16)
}

/// The collation of that name, whatever its case.
pub fn lookup(name: &str) -> Option<CollationId> {
    if let Some(row) = SQL_COLLATIONS.iter().position(|sql| sql.name.eq_ignore_ascii_case(name)) {
        return Some(CollationId(row as u16));
    }
    // The family is the longest name that the given one starts with: `Latin1_General_100`, not `Latin1_General`.
    let (row, family) = FAMILIES
        .iter()
        .enumerate()
        .filter(|(_, family)| {
            let prefix = name.get(..family.name.len());
            prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(family.name))
                && name.as_bytes().get(family.name.len()) == Some(&b'_')
        })
        .max_by_key(|(_, family)| family.name.len())?;
    let suffix = name[family.name.len() + 1..].to_ascii_uppercase();
    let variant = parse_variant(&suffix, family.version)?;
    Some(id_of(row, variant))
}

fn parse_variant(suffix: &str, version: u8) -> Option<Variant> {
    let variant = match suffix {
        "BIN" => Variant::Bin,
        "BIN2" => Variant::Bin2,
        "BIN2_UTF8" => Variant::Bin2Utf8,
        _ => {
            let rest = suffix;
            let (case, rest) = flag(rest, "CS", "CI")?;
            let (accent, rest) = flag(rest, "AS", "AI")?;
            let (kana, rest) = optional(rest, "KS");
            let (width, rest) = optional(rest, "WS");
            let extra = EXTRAS.iter().find(|(_, name)| name.trim_start_matches('_') == rest)?.0;
            let bits = case as u8 * CASE + accent as u8 * ACCENT + kana as u8 * KANA + width as u8 * WIDTH;
            Variant::Linguistic { bits, extra }
        }
    };
    variant.exists(version).then_some(variant)
}

/// Cuts a part off a name: whether it was `yes`, and what follows. None: neither.
fn flag<'n>(rest: &'n str, yes: &str, no: &str) -> Option<(bool, &'n str)> {
    let (part, after) = rest.split_once('_').unwrap_or((rest, ""));
    if part == yes {
        Some((true, after))
    } else if part == no {
        Some((false, after))
    } else {
        None
    }
}

fn optional<'n>(rest: &'n str, yes: &str) -> (bool, &'n str) {
    let (part, after) = rest.split_once('_').unwrap_or((rest, ""));
    if part == yes { (true, after) } else { (false, rest) }
}

/// Every collation, as fn_helpcollations lists them: name order within the Windows ones, then the SQL_ ones.
pub fn all() -> impl Iterator<Item = CollationId> {
    let windows = FAMILIES.iter().enumerate().flat_map(|(row, family)| {
        (0..=u8::MAX)
            .filter_map(Variant::from_number)
            .filter(|variant| variant.exists(family.version))
            .map(move |variant| id_of(row, variant))
    });
    windows.chain((0..SQL_COLLATIONS.len()).map(|row| CollationId(row as u16)))
}

/// fn_helpcollations' second column.
pub fn description(id: CollationId) -> String {
    let collation = id.get();
    let rules = collation.rules;
    let family = match id.sql() {
        Some(sql) => sql.name.trim_start_matches("SQL_").split("_CP").next().unwrap_or(sql.name).replace('_', "-"),
        None => FAMILIES[(id.0 >> 8) as usize - 1].name.replace('_', "-"),
    };
    let mut text = family;
    if rules.binary {
        text.push_str(if rules.old_binary { ", binary sort" } else { ", binary code point comparison sort" });
    } else {
        text.push_str(if rules.case { ", case-sensitive" } else { ", case-insensitive" });
        text.push_str(if rules.accent { ", accent-sensitive" } else { ", accent-insensitive" });
        text.push_str(if rules.kana { ", kanatype-sensitive" } else { ", kanatype-insensitive" });
        text.push_str(if rules.width { ", width-sensitive" } else { ", width-insensitive" });
        if collation.supplementary {
            text.push_str(", supplementary characters");
        }
    }
    if collation.code_page == CodePage::UTF8 {
        text.push_str(", UTF8");
    }
    if let Some(sql) = id.sql() {
        text.push_str(" for Unicode Data, SQL Server Sort Order ");
        text.push_str(&format!("{} on Code Page {} for non-Unicode Data", sql.sort_id, sql.code_page));
    }
    text
}

/// For values of a character type.
pub fn comparer(ty: &SqlType) -> Comparer {
    let collation = ty.collation.get();
    if ty.is_ansi_string() {
        Comparer::ansi(collation.rules, collation.code_page)
    } else {
        Comparer::unicode(collation.rules)
    }
}

/// One comparison of two values of a character type. In a loop, keep the `comparer`.
pub fn compare(ty: &SqlType, a: &[u8], b: &[u8]) -> Ordering {
    comparer(ty).compare(a, b)
}
