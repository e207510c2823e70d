//! The collations that exist, as data. Both tables are append only: a `CollationId` on disk is an index into them.

/// Letters (base, accent number or 0) with a place of their own in a language's alphabet.
pub type Tailoring = &'static [(u16, u8, u8)];

/// Weight of a letter of a to z, with three places after each for tailored letters; eight more follow z's.
pub const fn latin(letter: u8) -> u8 {
    0x70 + 4 * (letter - b'a')
}

/// First place after z's own.
pub const AFTER_Z: u8 = 0xd8;

/// A language's Windows collations of one version: `Latin1_General`, `Latin1_General_100` ...
#[derive(Debug)]
pub struct Family {
    pub name: &'static str,
    pub lcid: u32,
    /// 0: only for nchar and nvarchar.
    pub code_page: u16,
    /// 0 (no suffix), 90, 100, 140.
    pub version: u8,
    pub tailoring: Tailoring,
}

/// A SQL_ collation, or rather SQL Server 7's sort order.
#[derive(Debug)]
pub struct SqlCollation {
    pub name: &'static str,
    pub sort_id: u8,
    pub lcid: u32,
    pub code_page: u16,
    pub case: bool,
    pub accent: bool,
}

const fn family(name: &'static str, lcid: u32, code_page: u16, version: u8, tailoring: Tailoring) -> Family {
    Family { name, lcid, code_page, version, tailoring }
}

const ACUTE: u8 = 4;
const CIRCUMFLEX: u8 = 5;
const TILDE: u8 = 6;
const BREVE: u8 = 9;
const DOT: u8 = 10;
const DIAERESIS: u8 = 11;
const RING: u8 = 13;
const DOUBLE_ACUTE: u8 = 14;
const CARON: u8 = 15;
const HORN: u8 = 0x1b + 3;
const COMMA: u8 = 0x26 + 3;
const CEDILLA: u8 = 0x27 + 3;
const OGONEK: u8 = 0x28 + 3;
const BAR: u8 = 0x35 + 3;
const STROKE: u8 = 0x38 + 3;

const fn after(letter: u8, accent: u8, place: u8) -> (u16, u8, u8) {
    (letter as u16, accent, latin(letter) + place)
}
const fn last(letter: u8, accent: u8, place: u8) -> (u16, u8, u8) {
    (letter as u16, accent, AFTER_Z + place)
}

const NONE: Tailoring = &[];
const ALBANIAN: Tailoring = &[after(b'c', CEDILLA, 1), after(b'e', DIAERESIS, 1)];
const BALTIC: Tailoring = &[
    after(b'c', CARON, 1),
    after(b'g', CEDILLA, 1),
    after(b'k', CEDILLA, 1),
    after(b'l', CEDILLA, 1),
    after(b'n', CEDILLA, 1),
    after(b's', CARON, 1),
    after(b'z', CARON, 1),
];
const CZECH: Tailoring = &[after(b'c', CARON, 1), after(b'r', CARON, 1), after(b's', CARON, 1), after(b'z', CARON, 1)];
const ESTONIAN: Tailoring = &[
    after(b's', CARON, 1),
    after(b'z', CARON, 1),
    after(b'v', TILDE, 1),
    last(b'o', TILDE, 0),
    last(b'a', DIAERESIS, 1),
    last(b'o', DIAERESIS, 2),
    last(b'u', DIAERESIS, 3),
];
const HUNGARIAN: Tailoring =
    &[after(b'o', DIAERESIS, 1), after(b'o', DOUBLE_ACUTE, 1), after(b'u', DIAERESIS, 1), after(b'u', DOUBLE_ACUTE, 1)];
const ICELANDIC: Tailoring = &[
    after(b'a', ACUTE, 2),
    after(b'e', ACUTE, 2),
    after(b'i', ACUTE, 2),
    after(b'o', ACUTE, 2),
    after(b'u', ACUTE, 2),
    after(b'y', ACUTE, 2),
    (0xf0, 0, latin(b'd') + 1),
    (0xfe, 0, AFTER_Z),
    (0xe6, 0, AFTER_Z + 1),
    last(b'o', DIAERESIS, 2),
    last(b'o', STROKE, 2),
    last(b'a', RING, 3),
];
const NORDIC: Tailoring = &[
    (0xe6, 0, AFTER_Z),
    last(b'a', DIAERESIS, 0),
    last(b'o', STROKE, 1),
    last(b'o', DIAERESIS, 1),
    last(b'a', RING, 2),
];
const POLISH: Tailoring = &[
    after(b'a', OGONEK, 1),
    after(b'c', ACUTE, 1),
    after(b'e', OGONEK, 1),
    after(b'l', STROKE, 1),
    after(b'n', ACUTE, 1),
    after(b'o', ACUTE, 1),
    after(b's', ACUTE, 1),
    after(b'z', ACUTE, 1),
    after(b'z', DOT, 2),
];
const ROMANIAN: Tailoring = &[
    after(b'a', BREVE, 1),
    after(b'a', CIRCUMFLEX, 2),
    after(b'i', CIRCUMFLEX, 1),
    after(b's', COMMA, 1),
    after(b's', CEDILLA, 1),
    after(b't', COMMA, 1),
    after(b't', CEDILLA, 1),
];
const SOUTH_SLAVIC: Tailoring =
    &[after(b'c', CARON, 1), after(b'c', ACUTE, 2), after(b'd', BAR, 2), after(b's', CARON, 1), after(b'z', CARON, 1)];
const SPANISH: Tailoring = &[after(b'n', TILDE, 1)];
const SWEDISH: Tailoring =
    &[last(b'a', RING, 0), last(b'a', DIAERESIS, 1), last(b'o', DIAERESIS, 2), last(b'o', STROKE, 2)];
const TURKISH: Tailoring = &[
    after(b'c', CEDILLA, 1),
    after(b'g', BREVE, 1),
    (0x131, 0, latin(b'i') - 1),
    after(b'o', DIAERESIS, 1),
    after(b's', CEDILLA, 1),
    after(b'u', DIAERESIS, 1),
];
const VIETNAMESE: Tailoring = &[
    after(b'a', BREVE, 1),
    after(b'a', CIRCUMFLEX, 2),
    after(b'd', BAR, 2),
    after(b'e', CIRCUMFLEX, 1),
    after(b'o', CIRCUMFLEX, 1),
    after(b'o', HORN, 2),
    after(b'u', HORN, 1),
];

/// In the order of their ids. `Japanese_Unicode` and the like have code page 932.
pub static FAMILIES: &[Family] = &[
    family("Latin1_General", 0x0409, 1252, 0, NONE),
    family("Latin1_General_100", 0x0409, 1252, 100, NONE),
    family("Albanian", 0x041c, 1250, 0, ALBANIAN),
    family("Albanian_100", 0x041c, 1250, 100, ALBANIAN),
    family("Arabic", 0x0401, 1256, 0, NONE),
    family("Arabic_100", 0x0401, 1256, 100, NONE),
    family("Assamese_100", 0x044d, 0, 100, NONE),
    family("Azeri_Cyrillic_100", 0x082c, 1251, 100, NONE),
    family("Azeri_Latin_100", 0x042c, 1254, 100, TURKISH),
    family("Bashkir_100", 0x046d, 1251, 100, NONE),
    family("Bengali_100", 0x0445, 0, 100, NONE),
    family("Bosnian_Cyrillic_100", 0x201a, 1251, 100, NONE),
    family("Bosnian_Latin_100", 0x141a, 1250, 100, SOUTH_SLAVIC),
    family("Breton_100", 0x047e, 1252, 100, NONE),
    family("Chinese_Hong_Kong_Stroke_90", 0x0c04, 950, 90, NONE),
    family("Chinese_PRC", 0x0804, 936, 0, NONE),
    family("Chinese_PRC_90", 0x0804, 936, 90, NONE),
    family("Chinese_PRC_Stroke", 0x20804, 936, 0, NONE),
    family("Chinese_PRC_Stroke_90", 0x20804, 936, 90, NONE),
    family("Chinese_Simplified_Pinyin_100", 0x0804, 936, 100, NONE),
    family("Chinese_Simplified_Stroke_Order_100", 0x20804, 936, 100, NONE),
    family("Chinese_Taiwan_Bopomofo", 0x30404, 950, 0, NONE),
    family("Chinese_Taiwan_Bopomofo_90", 0x30404, 950, 90, NONE),
    family("Chinese_Taiwan_Stroke", 0x0404, 950, 0, NONE),
    family("Chinese_Taiwan_Stroke_90", 0x0404, 950, 90, NONE),
    family("Chinese_Traditional_Bopomofo_100", 0x30404, 950, 100, NONE),
    family("Chinese_Traditional_Pinyin_100", 0x21404, 950, 100, NONE),
    family("Chinese_Traditional_Stroke_Count_100", 0x0404, 950, 100, NONE),
    family("Chinese_Traditional_Stroke_Order_100", 0x0c04, 950, 100, NONE),
    family("Corsican_100", 0x0483, 1252, 100, NONE),
    family("Croatian", 0x041a, 1250, 0, SOUTH_SLAVIC),
    family("Croatian_100", 0x041a, 1250, 100, SOUTH_SLAVIC),
    family("Cyrillic_General", 0x0419, 1251, 0, NONE),
    family("Cyrillic_General_100", 0x0419, 1251, 100, NONE),
    family("Czech", 0x0405, 1250, 0, CZECH),
    family("Czech_100", 0x0405, 1250, 100, CZECH),
    family("Danish_Greenlandic_100", 0x0406, 1252, 100, NORDIC),
    family("Danish_Norwegian", 0x0406, 1252, 0, NORDIC),
    family("Dari_100", 0x048c, 1256, 100, NONE),
    family("Divehi_90", 0x0465, 0, 90, NONE),
    family("Divehi_100", 0x0465, 0, 100, NONE),
    family("Estonian", 0x0425, 1257, 0, ESTONIAN),
    family("Estonian_100", 0x0425, 1257, 100, ESTONIAN),
    family("Finnish_Swedish", 0x040b, 1252, 0, SWEDISH),
    family("Finnish_Swedish_100", 0x040b, 1252, 100, SWEDISH),
    family("French", 0x040c, 1252, 0, NONE),
    family("French_100", 0x040c, 1252, 100, NONE),
    family("Frisian_100", 0x0462, 1252, 100, NONE),
    family("Georgian_Modern_Sort", 0x10437, 1252, 0, NONE),
    family("Georgian_Modern_Sort_100", 0x10437, 1252, 100, NONE),
    family("German_PhoneBook", 0x10407, 1252, 0, NONE),
    family("German_PhoneBook_100", 0x10407, 1252, 100, NONE),
    family("Greek", 0x0408, 1253, 0, NONE),
    family("Greek_100", 0x0408, 1253, 100, NONE),
    family("Hebrew", 0x040d, 1255, 0, NONE),
    family("Hebrew_100", 0x040d, 1255, 100, NONE),
    family("Hungarian", 0x040e, 1250, 0, HUNGARIAN),
    family("Hungarian_100", 0x040e, 1250, 100, HUNGARIAN),
    family("Hungarian_Technical", 0x1040e, 1250, 0, HUNGARIAN),
    family("Hungarian_Technical_100", 0x1040e, 1250, 100, HUNGARIAN),
    family("Icelandic", 0x040f, 1252, 0, ICELANDIC),
    family("Icelandic_100", 0x040f, 1252, 100, ICELANDIC),
    family("Indic_General_90", 0x0439, 0, 90, NONE),
    family("Indic_General_100", 0x0439, 0, 100, NONE),
    family("Japanese", 0x0411, 932, 0, NONE),
    family("Japanese_90", 0x0411, 932, 90, NONE),
    family("Japanese_Bushu_Kakusu_100", 0x40411, 932, 100, NONE),
    family("Japanese_Bushu_Kakusu_140", 0x40411, 932, 140, NONE),
    family("Japanese_Unicode", 0x10411, 932, 0, NONE),
    family("Japanese_XJIS_100", 0x0411, 932, 100, NONE),
    family("Japanese_XJIS_140", 0x0411, 932, 140, NONE),
    family("Kazakh_90", 0x043f, 1251, 90, NONE),
    family("Kazakh_100", 0x043f, 1251, 100, NONE),
    family("Khmer_100", 0x0453, 0, 100, NONE),
    family("Korean_90", 0x0412, 949, 90, NONE),
    family("Korean_100", 0x0412, 949, 100, NONE),
    family("Korean_Wansung", 0x0412, 949, 0, NONE),
    family("Lao_100", 0x0454, 0, 100, NONE),
    family("Latvian", 0x0426, 1257, 0, BALTIC),
    family("Latvian_100", 0x0426, 1257, 100, BALTIC),
    family("Lithuanian", 0x0427, 1257, 0, BALTIC),
    family("Lithuanian_100", 0x0427, 1257, 100, BALTIC),
    family("Macedonian_FYROM_90", 0x042f, 1251, 90, NONE),
    family("Macedonian_FYROM_100", 0x042f, 1251, 100, NONE),
    family("Maltese_100", 0x043a, 0, 100, NONE),
    family("Maori_100", 0x0481, 0, 100, NONE),
    family("Mapudungan_100", 0x047a, 1252, 100, NONE),
    family("Modern_Spanish", 0x0c0a, 1252, 0, SPANISH),
    family("Modern_Spanish_100", 0x0c0a, 1252, 100, SPANISH),
    family("Mohawk_100", 0x047c, 1252, 100, NONE),
    family("Nepali_100", 0x0461, 0, 100, NONE),
    family("Norwegian_100", 0x0414, 1252, 100, NORDIC),
    family("Pashto_100", 0x0463, 0, 100, NONE),
    family("Persian_100", 0x0429, 1256, 100, NONE),
    family("Polish", 0x0415, 1250, 0, POLISH),
    family("Polish_100", 0x0415, 1250, 100, POLISH),
    family("Romanian", 0x0418, 1250, 0, ROMANIAN),
    family("Romanian_100", 0x0418, 1250, 100, ROMANIAN),
    family("Romansh_100", 0x0417, 1252, 100, NONE),
    family("Sami_Norway_100", 0x043b, 1252, 100, NONE),
    family("Sami_Sweden_Finland_100", 0x083b, 1252, 100, NONE),
    family("Serbian_Cyrillic_100", 0x0c1a, 1251, 100, NONE),
    family("Serbian_Latin_100", 0x081a, 1250, 100, SOUTH_SLAVIC),
    family("Slovak", 0x041b, 1250, 0, CZECH),
    family("Slovak_100", 0x041b, 1250, 100, CZECH),
    family("Slovenian", 0x0424, 1250, 0, SOUTH_SLAVIC),
    family("Slovenian_100", 0x0424, 1250, 100, SOUTH_SLAVIC),
    family("Syriac_90", 0x045a, 0, 90, NONE),
    family("Syriac_100", 0x045a, 0, 100, NONE),
    family("Tamazight_100", 0x085f, 1252, 100, NONE),
    family("Tatar_90", 0x0444, 1251, 90, NONE),
    family("Tatar_100", 0x0444, 1251, 100, NONE),
    family("Thai", 0x041e, 874, 0, NONE),
    family("Thai_100", 0x041e, 874, 100, NONE),
    family("Tibetan_100", 0x0451, 0, 100, NONE),
    family("Traditional_Spanish", 0x040a, 1252, 0, SPANISH),
    family("Traditional_Spanish_100", 0x040a, 1252, 100, SPANISH),
    family("Turkish", 0x041f, 1254, 0, TURKISH),
    family("Turkish_100", 0x041f, 1254, 100, TURKISH),
    family("Turkmen_100", 0x0442, 1250, 100, NONE),
    family("Uighur_100", 0x0480, 1256, 100, NONE),
    family("Ukrainian", 0x0422, 1251, 0, NONE),
    family("Ukrainian_100", 0x0422, 1251, 100, NONE),
    family("Upper_Sorbian_100", 0x042e, 1252, 100, NONE),
    family("Urdu_100", 0x0420, 1256, 100, NONE),
    family("Uzbek_Latin_90", 0x0443, 1254, 90, NONE),
    family("Uzbek_Latin_100", 0x0443, 1254, 100, NONE),
    family("Vietnamese", 0x042a, 1258, 0, VIETNAMESE),
    family("Vietnamese_100", 0x042a, 1258, 100, VIETNAMESE),
    family("Welsh_100", 0x0452, 1252, 100, NONE),
    family("Yakut_100", 0x0485, 1251, 100, NONE),
];

const fn sql(name: &'static str, sort_id: u8, lcid: u32, code_page: u16, case: bool, accent: bool) -> SqlCollation {
    SqlCollation { name, sort_id, lcid, code_page, case, accent }
}

/// In the order of their ids; the first is the default of every server.
#[rustfmt::skip]
pub static SQL_COLLATIONS: &[SqlCollation] = &[
    sql("SQL_Latin1_General_CP1_CI_AS", 52, 0x0409, 1252, false, true),
    sql("SQL_Latin1_General_CP1_CI_AI", 54, 0x0409, 1252, false, false),
    sql("SQL_Latin1_General_CP1_CS_AS", 51, 0x0409, 1252, true, true),
    sql("SQL_Latin1_General_Pref_CP1_CI_AS", 53, 0x0409, 1252, false, true),
    sql("SQL_1xCompat_CP850_CI_AS", 49, 0x0409, 850, false, true),
    sql("SQL_AltDiction_CP850_CI_AI", 57, 0x0409, 850, false, false),
    sql("SQL_AltDiction_CP850_CI_AS", 61, 0x0409, 850, false, true),
    sql("SQL_AltDiction_CP850_CS_AS", 55, 0x0409, 850, true, true),
    sql("SQL_AltDiction_Pref_CP850_CI_AS", 56, 0x0409, 850, false, true),
    sql("SQL_AltDiction2_CP1253_CS_AS", 122, 0x0408, 1253, true, true),
    sql("SQL_AltDiction_CP1253_CS_AS", 121, 0x0408, 1253, true, true),
    sql("SQL_Croatian_CP1250_CI_AS", 92, 0x041a, 1250, false, true),
    sql("SQL_Croatian_CP1250_CS_AS", 91, 0x041a, 1250, true, true),
    sql("SQL_Czech_CP1250_CI_AS", 84, 0x0405, 1250, false, true),
    sql("SQL_Czech_CP1250_CS_AS", 83, 0x0405, 1250, true, true),
    sql("SQL_Danish_Pref_CP1_CI_AS", 183, 0x0406, 1252, false, true),
    sql("SQL_EBCDIC037_CP1_CS_AS", 210, 0x0409, 1252, true, true),
    sql("SQL_EBCDIC1141_CP1_CS_AS", 218, 0x0407, 1252, true, true),
    sql("SQL_EBCDIC273_CP1_CS_AS", 211, 0x0409, 1252, true, true),
    sql("SQL_EBCDIC277_2_CP1_CS_AS", 221, 0x0409, 1252, true, true),
    sql("SQL_EBCDIC277_CP1_CS_AS", 212, 0x0406, 1252, true, true),
    sql("SQL_EBCDIC278_CP1_CS_AS", 213, 0x040b, 1252, true, true),
    sql("SQL_EBCDIC280_CP1_CS_AS", 214, 0x0409, 1252, true, true),
    sql("SQL_EBCDIC284_CP1_CS_AS", 215, 0x0409, 1252, true, true),
    sql("SQL_EBCDIC285_CP1_CS_AS", 216, 0x0409, 1252, true, true),
    sql("SQL_EBCDIC297_CP1_CS_AS", 217, 0x0409, 1252, true, true),
    sql("SQL_Estonian_CP1257_CI_AS", 156, 0x0425, 1257, false, true),
    sql("SQL_Estonian_CP1257_CS_AS", 155, 0x0425, 1257, true, true),
    sql("SQL_Hungarian_CP1250_CI_AS", 86, 0x040e, 1250, false, true),
    sql("SQL_Hungarian_CP1250_CS_AS", 85, 0x040e, 1250, true, true),
    sql("SQL_Icelandic_Pref_CP1_CI_AS", 186, 0x040f, 1252, false, true),
    sql("SQL_Latin1_General_CP1250_CI_AS", 82, 0x0409, 1250, false, true),
    sql("SQL_Latin1_General_CP1250_CS_AS", 81, 0x0409, 1250, true, true),
    sql("SQL_Latin1_General_CP1251_CI_AS", 106, 0x0419, 1251, false, true),
    sql("SQL_Latin1_General_CP1251_CS_AS", 105, 0x0419, 1251, true, true),
    sql("SQL_Latin1_General_CP1253_CI_AI", 124, 0x0408, 1253, false, false),
    sql("SQL_Latin1_General_CP1253_CI_AS", 114, 0x0408, 1253, false, true),
    sql("SQL_Latin1_General_CP1253_CS_AS", 113, 0x0408, 1253, true, true),
    sql("SQL_Latin1_General_CP1254_CI_AS", 130, 0x041f, 1254, false, true),
    sql("SQL_Latin1_General_CP1254_CS_AS", 129, 0x041f, 1254, true, true),
    sql("SQL_Latin1_General_CP1255_CI_AS", 138, 0x040d, 1255, false, true),
    sql("SQL_Latin1_General_CP1255_CS_AS", 137, 0x040d, 1255, true, true),
    sql("SQL_Latin1_General_CP1256_CI_AS", 146, 0x0401, 1256, false, true),
    sql("SQL_Latin1_General_CP1256_CS_AS", 145, 0x0401, 1256, true, true),
    sql("SQL_Latin1_General_CP1257_CI_AS", 154, 0x0425, 1257, false, true),
    sql("SQL_Latin1_General_CP1257_CS_AS", 153, 0x0425, 1257, true, true),
    sql("SQL_Latin1_General_CP437_BIN", 30, 0x0409, 437, true, true),
    sql("SQL_Latin1_General_CP437_BIN2", 30, 0x0409, 437, true, true),
    sql("SQL_Latin1_General_CP437_CI_AI", 34, 0x0409, 437, false, false),
    sql("SQL_Latin1_General_CP437_CI_AS", 32, 0x0409, 437, false, true),
    sql("SQL_Latin1_General_CP437_CS_AS", 31, 0x0409, 437, true, true),
    sql("SQL_Latin1_General_CP850_BIN", 40, 0x0409, 850, true, true),
    sql("SQL_Latin1_General_CP850_BIN2", 40, 0x0409, 850, true, true),
    sql("SQL_Latin1_General_CP850_CI_AI", 44, 0x0409, 850, false, false),
    sql("SQL_Latin1_General_CP850_CI_AS", 42, 0x0409, 850, false, true),
    sql("SQL_Latin1_General_CP850_CS_AS", 41, 0x0409, 850, true, true),
    sql("SQL_Latin1_General_Pref_CP437_CI_AS", 33, 0x0409, 437, false, true),
    sql("SQL_Latin1_General_Pref_CP850_CI_AS", 43, 0x0409, 850, false, true),
    sql("SQL_Latvian_CP1257_CI_AS", 158, 0x0426, 1257, false, true),
    sql("SQL_Latvian_CP1257_CS_AS", 157, 0x0426, 1257, true, true),
    sql("SQL_Lithuanian_CP1257_CI_AS", 160, 0x0427, 1257, false, true),
    sql("SQL_Lithuanian_CP1257_CS_AS", 159, 0x0427, 1257, true, true),
    sql("SQL_MixDiction_CP1253_CS_AS", 120, 0x0408, 1253, true, true),
    sql("SQL_Polish_CP1250_CI_AS", 88, 0x0415, 1250, false, true),
    sql("SQL_Polish_CP1250_CS_AS", 87, 0x0415, 1250, true, true),
    sql("SQL_Romanian_CP1250_CI_AS", 90, 0x0418, 1250, false, true),
    sql("SQL_Romanian_CP1250_CS_AS", 89, 0x0418, 1250, true, true),
    sql("SQL_Scandinavian_CP850_CI_AS", 60, 0x0406, 850, false, true),
    sql("SQL_Scandinavian_CP850_CS_AS", 59, 0x0406, 850, true, true),
    sql("SQL_Scandinavian_Pref_CP850_CI_AS", 58, 0x0406, 850, false, true),
    sql("SQL_Slovak_CP1250_CI_AS", 94, 0x041b, 1250, false, true),
    sql("SQL_Slovak_CP1250_CS_AS", 93, 0x041b, 1250, true, true),
    sql("SQL_Slovenian_CP1250_CI_AS", 96, 0x0424, 1250, false, true),
    sql("SQL_Slovenian_CP1250_CS_AS", 95, 0x0424, 1250, true, true),
    sql("SQL_SwedishPhone_Pref_CP1_CI_AS", 184, 0x040b, 1252, false, true),
    sql("SQL_SwedishStd_Pref_CP1_CI_AS", 185, 0x040b, 1252, false, true),
    sql("SQL_Ukrainian_CP1251_CI_AS", 108, 0x0422, 1251, false, true),
    sql("SQL_Ukrainian_CP1251_CS_AS", 107, 0x0422, 1251, true, true),
];
