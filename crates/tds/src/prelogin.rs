//! PRELOGIN (MS-TDS 2.2.6.5): what client and server can do, before anybody logs in.
//!
//! ```text
//! option: type u8, offset u16 BE, length u16 BE   ... 0xFF   option data
//! ```
//! Offsets count from the start of the payload. The answer has the same form but travels as packet type 0x04.

use crate::error::{ProtocolError, ProtocolResult};
use crate::wire::Put;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Encryption {
    /// TLS for LOGIN7 only.
    Off = 0,
    On = 1,
    NotSupported = 2,
    Required = 3,
}

impl Encryption {
    fn from_wire(value: u8) -> ProtocolResult<Encryption> {
        Ok(match value & 0x7F {
            0 => Encryption::Off,
            1 => Encryption::On,
            2 => Encryption::NotSupported,
            3 => Encryption::Required,
            _ => return Err(ProtocolError::Prelogin("unknown encryption option")),
        })
    }

    /// What a server answers. `None`: the two cannot agree, refuse the login.
    ///
    /// `server`: NotSupported (no certificate), Off (as the client likes), Required (always).
    pub fn answer(self, server: Encryption) -> Option<Encryption> {
        use Encryption::*;
        Some(match (server, self) {
            (NotSupported, _) => NotSupported,
            (Off | On, NotSupported) => NotSupported,
            (Off | On, Off) => Off,
            (Off | On, On | Required) => On,
            (Required, NotSupported) => return None,
            (Required, Off) => Required,
            (Required, On | Required) => On,
        })
    }
}

const VERSION: u8 = 0;
const ENCRYPTION: u8 = 1;
const INSTANCE: u8 = 2;
const THREAD_ID: u8 = 3;
const MARS: u8 = 4;
const TRACE_ID: u8 = 5;
const FEDERATED_AUTH: u8 = 6;
const NONCE: u8 = 7;
const TERMINATOR: u8 = 0xFF;
/// More option entries than exist mean garbage.
const OPTIONS_MAX: usize = 32;

/// Both directions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prelogin {
    /// Major, minor, build (big-endian), sub-build (little-endian).
    pub version: [u8; 6],
    /// `None`: not said, which means NotSupported.
    pub encryption: Option<Encryption>,
    /// The instance a client wants, without its final zero; from a server one byte, 0: it is the right one.
    pub instance: Vec<u8>,
    pub thread_id: Option<u32>,
    pub mars: Option<bool>,
    /// Connection id and activity id of the client: 36 bytes.
    pub trace_id: Vec<u8>,
    pub federated_auth: Option<u8>,
    pub nonce: Option<[u8; 32]>,
}

impl Prelogin {
    pub fn decode(payload: &[u8]) -> ProtocolResult<Prelogin> {
        let mut prelogin = Prelogin::default();
        let mut at = 0;
        for _ in 0..OPTIONS_MAX {
            let entry = payload.get(at..).unwrap_or_default();
            match entry {
                [TERMINATOR, ..] => return Ok(prelogin),
                [option, o0, o1, l0, l1, ..] => {
                    let offset = u16::from_be_bytes([*o0, *o1]) as usize;
                    let length = u16::from_be_bytes([*l0, *l1]) as usize;
                    let data = payload
                        .get(offset..offset + length)
                        .ok_or(ProtocolError::Prelogin("option outside the packet"))?;
                    prelogin.set(*option, data)?;
                    at += 5;
                }
                _ => return Err(ProtocolError::Prelogin("no terminator")),
            }
        }
        Err(ProtocolError::Prelogin("too many options"))
    }

    fn set(&mut self, option: u8, data: &[u8]) -> ProtocolResult<()> {
        let first = data.first().copied();
        match option {
            VERSION => {
                self.version = *data.first_chunk().ok_or(ProtocolError::Prelogin("version is shorter than 6 bytes"))?;
            }
            ENCRYPTION => {
                let value = first.ok_or(ProtocolError::Prelogin("empty encryption option"))?;
                self.encryption = Some(Encryption::from_wire(value)?);
            }
            INSTANCE => self.instance = data.split(|byte| *byte == 0).next().unwrap_or_default().to_vec(),
            THREAD_ID => self.thread_id = data.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)),
            MARS => self.mars = first.map(|value| value == 1),
            TRACE_ID => self.trace_id = data.to_vec(),
            FEDERATED_AUTH => self.federated_auth = first,
            NONCE => self.nonce = data.first_chunk().copied(),
            _ => {} // Newer clients may offer more; what is not answered is not agreed.
        }
        Ok(())
    }

    pub fn encode(&self, out: &mut impl Put) {
        let instance = [self.instance.as_slice(), &[0]].concat();
        let mut options: Vec<(u8, Vec<u8>)> = vec![(VERSION, self.version.to_vec())];
        options.extend(self.encryption.map(|value| (ENCRYPTION, vec![value as u8])));
        options.push((INSTANCE, instance));
        options.push((THREAD_ID, self.thread_id.map(|id| id.to_le_bytes().to_vec()).unwrap_or_default()));
        options.extend(self.mars.map(|value| (MARS, vec![value as u8])));
        if !self.trace_id.is_empty() {
            options.push((TRACE_ID, self.trace_id.clone()));
        }
        options.extend(self.federated_auth.map(|value| (FEDERATED_AUTH, vec![value])));
        options.extend(self.nonce.map(|value| (NONCE, value.to_vec())));

        let mut offset = options.len() * 5 + 1;
        for (option, data) in &options {
            out.put_u8(*option);
            out.put(&(offset as u16).to_be_bytes());
            out.put(&(data.len() as u16).to_be_bytes());
            offset += data.len();
        }
        out.put_u8(TERMINATOR);
        options.iter().for_each(|(_, data)| out.put(data));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_both_ways() {
        let prelogin = Prelogin {
            version: [16, 0, 0x0F, 0xA3, 0, 0],
            encryption: Some(Encryption::Required),
            instance: b"MSSQLSERVER".to_vec(),
            thread_id: Some(77),
            mars: Some(true),
            trace_id: vec![5; 36],
            federated_auth: Some(1),
            nonce: Some([3; 32]),
        };
        let mut bytes = Vec::new();
        prelogin.encode(&mut bytes);
        assert_eq!(Prelogin::decode(&bytes), Ok(prelogin));
    }

    #[test]
    fn refuses_what_is_not_a_prelogin() {
        for bad in [&[][..], &[0], &[0, 0, 6, 0, 6], &[1, 0xFF, 0xFF, 0, 1, 0xFF], &[0, 0, 6, 0, 2, 0xFF, 1, 2]] {
            assert!(matches!(Prelogin::decode(bad), Err(ProtocolError::Prelogin(_))), "{bad:?}");
        }
        let endless = [9, 0, 0, 0, 0].repeat(64);
        assert!(Prelogin::decode(&endless).is_err());
    }

    #[test]
    fn encryption_answers() {
        use Encryption::*;
        assert_eq!(Off.answer(Off), Some(Off));
        assert_eq!(Required.answer(Off), Some(On));
        assert_eq!(NotSupported.answer(Required), None);
        assert_eq!(On.answer(NotSupported), Some(NotSupported));
    }
}
