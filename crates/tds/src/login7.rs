//! LOGIN7 (MS-TDS 2.2.6.4): who the client is and what it wants.
//!
//! ```text
//! 0  length u32 | tds version u32 | packet size u32 | client version u32 | process id u32 | connection id u32
//! 24 option flags 1, 2 | type flags | option flags 3 | time zone i32 | LCID u32
//! 36 offset u16, length u16 of: host, user, password, application, server, extension, library, language, database
//! 72 client id (6) | offset, length of: SSPI, attached file, [7.2: new password] | [7.2: long SSPI length u32]
//!    data that the pairs point at (UTF-16LE; passwords with nibbles swapped, then XOR 0xA5)
//! ```

use std::fmt;

use crate::error::{ProtocolError, ProtocolResult};
use crate::recovery::Lost;
use crate::version::TdsVersion;
use crate::wire::{Put, clip_utf16, utf16_len, utf16_to_string};

/// The longest name SQL Server takes here.
const NAME_UNITS_MAX: usize = 128;
const FILE_UNITS_MAX: usize = 260;
const FEATURES_MAX: usize = 64;
const FIXED_BYTES: usize = 36;
const HEADER_BYTES_7_1: usize = 86;
const HEADER_BYTES_7_2: usize = 94;

/// Feature extension ids.
pub mod feature {
    pub const SESSION_RECOVERY: u8 = 0x01;
    pub const FEDERATED_AUTH: u8 = 0x02;
    pub const COLUMN_ENCRYPTION: u8 = 0x04;
    pub const GLOBAL_TRANSACTIONS: u8 = 0x05;
    pub const AZURE_SQL_SUPPORT: u8 = 0x08;
    pub const DATA_CLASSIFICATION: u8 = 0x09;
    pub const UTF8_SUPPORT: u8 = 0x0A;
    pub const AZURE_SQL_DNS_CACHING: u8 = 0x0B;
    pub const JSON_SUPPORT: u8 = 0x0D;
    pub const VECTOR_SUPPORT: u8 = 0x0E;
    pub const ENHANCED_ROUTING: u8 = 0x0F;
    pub const USER_AGENT: u8 = 0x10;
    pub const TERMINATOR: u8 = 0xFF;
}

/// Bits of `option_flags_1`.
pub const OPTION1_USE_DATABASE_NOTIFY: u8 = 0x20;
pub const OPTION1_DATABASE_FATAL: u8 = 0x40;
pub const OPTION1_SET_LANGUAGE_NOTIFY: u8 = 0x80;
/// Bits of `option_flags_2`.
pub const OPTION2_LANGUAGE_FATAL: u8 = 0x01;
pub const OPTION2_ODBC: u8 = 0x02;
pub const OPTION2_INTEGRATED_SECURITY: u8 = 0x80;
/// Bits of `type_flags`.
pub const TYPE_READ_ONLY_INTENT: u8 = 0x20;
/// Bits of `option_flags_3`.
pub const OPTION3_CHANGE_PASSWORD: u8 = 0x01;
pub const OPTION3_EXTENSION: u8 = 0x10;

#[derive(Clone, PartialEq, Eq, Default)]
pub struct Login7 {
    /// As the client wrote it; see `TdsVersion::negotiate`.
    pub tds_version: u32,
    /// 0: the server's choice.
    pub packet_bytes: u32,
    pub client_version: u32,
    pub client_pid: u32,
    pub connection_id: u32,
    pub option_flags_1: u8,
    pub option_flags_2: u8,
    pub type_flags: u8,
    pub option_flags_3: u8,
    /// Minutes, UTC minus local.
    pub time_zone_min: i32,
    pub lcid: u32,
    pub host: String,
    pub user: String,
    pub password: String,
    pub application: String,
    pub server: String,
    pub library: String,
    pub language: String,
    pub database: String,
    pub client_id: [u8; 6],
    pub sspi: Vec<u8>,
    pub attach_file: String,
    pub new_password: String,
    pub features: Vec<Feature>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    pub id: u8,
    pub data: Vec<u8>,
}

impl fmt::Debug for Login7 {
    /// Without the passwords: this ends up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login7")
            .field("tds_version", &format_args!("{:#010x}", self.tds_version))
            .field("packet_bytes", &self.packet_bytes)
            .field("host", &self.host)
            .field("user", &self.user)
            .field("application", &self.application)
            .field("server", &self.server)
            .field("library", &self.library)
            .field("language", &self.language)
            .field("database", &self.database)
            .field("features", &self.features.iter().map(|feature| feature.id).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Login7 {
    pub fn wants_integrated_security(&self) -> bool {
        self.option_flags_2 & OPTION2_INTEGRATED_SECURITY != 0
    }

    pub fn feature(&self, id: u8) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.id == id)
    }

    /// The session that this login is to bring back. None: it begins a new one.
    pub fn lost_session(&self) -> ProtocolResult<Option<Lost>> {
        self.feature(feature::SESSION_RECOVERY).map_or(Ok(None), |recovery| Lost::decode(&recovery.data))
    }

    pub fn decode(payload: &[u8]) -> ProtocolResult<Login7> {
        const SHORT: ProtocolError = ProtocolError::Login("shorter than its header");
        let dword = |at: usize| -> ProtocolResult<u32> {
            let bytes = payload.get(at..).and_then(|rest| rest.first_chunk()).ok_or(SHORT)?;
            Ok(u32::from_le_bytes(*bytes))
        };
        let length = dword(0)? as usize;
        if length > payload.len() || length < HEADER_BYTES_7_1 {
            return Err(ProtocolError::Login("length field does not match the packet"));
        }
        let payload = &payload[..length];
        let reader = Pairs { payload };
        let tds_version = dword(4)?;
        let has_7_2_fields = TdsVersion::negotiate(tds_version).is_some_and(TdsVersion::is_7_2);
        if has_7_2_fields && payload.len() < HEADER_BYTES_7_2 {
            return Err(SHORT);
        }
        let mut login = Login7 {
            tds_version,
            packet_bytes: dword(8)?,
            client_version: dword(12)?,
            client_pid: dword(16)?,
            connection_id: dword(20)?,
            option_flags_1: payload[24],
            option_flags_2: payload[25],
            type_flags: payload[26],
            option_flags_3: payload[27],
            time_zone_min: dword(28)? as i32,
            lcid: dword(32)?,
            host: reader.text(36, NAME_UNITS_MAX)?,
            user: reader.text(40, NAME_UNITS_MAX)?,
            password: reader.password(44)?,
            application: reader.text(48, NAME_UNITS_MAX)?,
            server: reader.text(52, NAME_UNITS_MAX)?,
            library: reader.text(60, NAME_UNITS_MAX)?,
            language: reader.text(64, NAME_UNITS_MAX)?,
            database: reader.text(68, NAME_UNITS_MAX)?,
            attach_file: reader.text(82, FILE_UNITS_MAX)?,
            ..Login7::default()
        };
        login.client_id.copy_from_slice(&payload[72..78]);
        let (sspi_offset, mut sspi_bytes) = reader.pair(78);
        if has_7_2_fields {
            login.new_password = reader.password(86)?;
            if sspi_bytes == usize::from(u16::MAX) {
                sspi_bytes = (dword(90)? as usize).max(sspi_bytes);
            }
        }
        login.sspi = reader.bytes(sspi_offset, sspi_bytes)?.to_vec();
        if has_7_2_fields && login.option_flags_3 & OPTION3_EXTENSION != 0 {
            login.features = reader.features()?;
        }
        Ok(login)
    }

    /// Names longer than the protocol's limit are cut.
    pub fn encode(&self, out: &mut impl Put) {
        let mut fixed = Vec::with_capacity(HEADER_BYTES_7_2);
        for value in [self.tds_version, self.packet_bytes, self.client_version, self.client_pid, self.connection_id] {
            fixed.put_u32(value);
        }
        let extension = if self.features.is_empty() { 0 } else { OPTION3_EXTENSION };
        fixed.put(&[
            self.option_flags_1,
            self.option_flags_2,
            self.type_flags,
            self.option_flags_3 & !OPTION3_EXTENSION | extension,
        ]);
        fixed.put_u32(self.time_zone_min as u32);
        fixed.put_u32(self.lcid);

        let mut data = Data { bytes: Vec::new() };
        data.text(&mut fixed, &self.host);
        data.text(&mut fixed, &self.user);
        data.password(&mut fixed, &self.password);
        data.text(&mut fixed, &self.application);
        data.text(&mut fixed, &self.server);
        let extension_at = data.extension_pointer(&mut fixed, !self.features.is_empty());
        data.text(&mut fixed, &self.library);
        data.text(&mut fixed, &self.language);
        data.text(&mut fixed, &self.database);
        fixed.put(&self.client_id);
        data.pair(&mut fixed, self.sspi.len().min(u16::MAX.into()));
        data.bytes.put(&self.sspi);
        data.text(&mut fixed, &self.attach_file);
        data.password(&mut fixed, &self.new_password);
        fixed.put_u32(if self.sspi.len() >= u16::MAX.into() { self.sspi.len() as u32 } else { 0 });

        if let Some(at) = extension_at {
            let block = (HEADER_BYTES_7_2 + data.bytes.len()) as u32;
            data.bytes[at..at + 4].copy_from_slice(&block.to_le_bytes());
            for feature in &self.features {
                data.bytes.put_u8(feature.id);
                data.bytes.put_u32(feature.data.len() as u32);
                data.bytes.put(&feature.data);
            }
            data.bytes.put_u8(feature::TERMINATOR);
        }
        assert_eq!(fixed.len() + 4, HEADER_BYTES_7_2, "the header has one size");
        out.put_u32((HEADER_BYTES_7_2 + data.bytes.len()) as u32);
        out.put(&fixed);
        out.put(&data.bytes);
    }
}

/// Offset/length pairs, each checked against the packet it points into.
struct Pairs<'a> {
    payload: &'a [u8],
}

impl<'a> Pairs<'a> {
    fn pair(&self, at: usize) -> (usize, usize) {
        let word = |at: usize| u16::from_le_bytes([self.payload[at], self.payload[at + 1]]) as usize;
        (word(at), word(at + 2))
    }

    fn bytes(&self, offset: usize, count: usize) -> ProtocolResult<&'a [u8]> {
        if count == 0 {
            return Ok(&[]); // Clients leave garbage in the offset of what they do not send.
        }
        if offset < FIXED_BYTES {
            return Err(ProtocolError::Login("an offset points into the header"));
        }
        self.payload.get(offset..offset + count).ok_or(ProtocolError::Login("an offset points outside the packet"))
    }

    fn units(&self, at: usize, units_max: usize) -> ProtocolResult<&'a [u8]> {
        let (offset, units) = self.pair(at);
        if units > units_max {
            return Err(ProtocolError::Login("a name is too long"));
        }
        self.bytes(offset, units * 2)
    }

    fn text(&self, at: usize, units_max: usize) -> ProtocolResult<String> {
        Ok(utf16_to_string(self.units(at, units_max)?))
    }

    fn password(&self, at: usize) -> ProtocolResult<String> {
        let hidden = self.units(at, NAME_UNITS_MAX)?;
        Ok(utf16_to_string(&hidden.iter().map(|byte| (byte ^ 0xA5).rotate_left(4)).collect::<Vec<u8>>()))
    }

    fn features(&self) -> ProtocolResult<Vec<Feature>> {
        const BAD: ProtocolError = ProtocolError::Login("feature extension outside the packet");
        let (offset, count) = self.pair(56);
        let pointer = self.bytes(offset, count)?.first_chunk().ok_or(BAD)?;
        let mut rest = self.payload.get(u32::from_le_bytes(*pointer) as usize..).ok_or(BAD)?;
        let mut features = Vec::new();
        while features.len() < FEATURES_MAX {
            match rest {
                [feature::TERMINATOR, ..] => return Ok(features),
                [id, l0, l1, l2, l3, data @ ..] => {
                    let count = u32::from_le_bytes([*l0, *l1, *l2, *l3]) as usize;
                    let data_of_feature = data.get(..count).ok_or(BAD)?;
                    features.push(Feature { id: *id, data: data_of_feature.to_vec() });
                    rest = &data[count..];
                }
                _ => return Err(ProtocolError::Login("feature extension without terminator")),
            }
        }
        Err(ProtocolError::Login("too many feature extensions"))
    }
}

struct Data {
    bytes: Vec<u8>,
}

impl Data {
    fn pair(&self, fixed: &mut Vec<u8>, length: usize) {
        fixed.put_u16((HEADER_BYTES_7_2 + self.bytes.len()) as u16);
        fixed.put_u16(length as u16);
    }

    fn text(&mut self, fixed: &mut Vec<u8>, text: &str) {
        let text = clip_utf16(text, NAME_UNITS_MAX);
        self.pair(fixed, utf16_len(text));
        self.bytes.put_utf16(text);
    }

    fn password(&mut self, fixed: &mut Vec<u8>, text: &str) {
        let start = self.bytes.len();
        self.text(fixed, text);
        for byte in &mut self.bytes[start..] {
            *byte = byte.rotate_left(4) ^ 0xA5;
        }
    }

    /// Four bytes to be filled with where the feature block is; returns where they are.
    fn extension_pointer(&mut self, fixed: &mut Vec<u8>, present: bool) -> Option<usize> {
        self.pair(fixed, if present { 4 } else { 0 });
        present.then(|| {
            self.bytes.put_u32(0);
            self.bytes.len() - 4
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Login7 {
        Login7 {
            tds_version: TdsVersion::V7_4.raw(),
            packet_bytes: 4096,
            option_flags_1: 0xE0,
            host: "workstation".into(),
            user: "sa".into(),
            password: "pä$$word🧶".into(),
            application: "app".into(),
            server: "127.0.0.1".into(),
            library: "lib".into(),
            language: "us_english".into(),
            database: "master".into(),
            option_flags_3: OPTION3_EXTENSION,
            features: vec![
                Feature { id: feature::UTF8_SUPPORT, data: vec![] },
                Feature { id: feature::USER_AGENT, data: vec![1, 2, 3] },
            ],
            time_zone_min: -120,
            lcid: 0x409,
            ..Login7::default()
        }
    }

    fn encoded(login: &Login7) -> Vec<u8> {
        let mut bytes = Vec::new();
        login.encode(&mut bytes);
        bytes
    }

    #[test]
    fn survives_both_ways() {
        let login = sample();
        assert_eq!(Login7::decode(&encoded(&login)), Ok(login));
    }

    #[test]
    fn every_cut_is_refused_and_nothing_panics() {
        let bytes = encoded(&sample());
        for end in 0..bytes.len() {
            assert!(matches!(Login7::decode(&bytes[..end]), Err(ProtocolError::Login(_))), "{end}");
        }
        for at in 0..bytes.len() {
            for value in [0, 0x7F, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let _ = Login7::decode(&damaged);
            }
        }
    }

    #[test]
    fn the_password_is_hidden_in_bytes_and_in_debug() {
        let login = Login7 { password: "a".into(), ..sample() };
        let bytes = encoded(&login);
        let at = u16::from_le_bytes([bytes[44], bytes[45]]) as usize;
        assert_eq!(bytes[at..at + 2], [0xB3, 0xA5]); // 'a' = 0x61 -> 0x16 ^ 0xA5
        assert!(!format!("{:?}", sample()).contains("word"));
    }
}
