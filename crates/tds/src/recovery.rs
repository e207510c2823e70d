//! Session recovery: what a client is told of its session, and hands back with the login by which it replaces a broken connection.
//!
//! ```text
//! SESSIONSTATE (MS-TDS 2.2.7.21)   0xE4 | length u32 | sequence u32 | status u8: bit 0 recoverable | states
//! states                           (id u8 | length u8, or 0xFF and a u32 | value)*
//! FEATUREEXTACK                    states, as the session begins
//! LOGIN7 (MS-TDS 2.2.6.4)          nothing at a first login; at a second:
//!                                  length u32 | a session, as it began | length u32 | what is different in the one that is to be
//! a session                        database B_VARCHAR | collation: length u8, 0 or 5, and so many bytes | language B_VARCHAR | states
//! ```
//! What a value means is the server's matter: a client keeps the last of each id.

use crate::error::{ProtocolError, ProtocolResult};
use crate::wire::{Input, Put};

/// Of a value's length: the real one is in the four bytes that follow.
const LONG: u8 = 0xFF;
const COLLATION_BYTES: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub id: u8,
    pub value: Vec<u8>,
}

pub fn put_states(states: &[State], out: &mut impl Put) {
    for State { id, value } in states {
        out.put_u8(*id);
        match u8::try_from(value.len()) {
            Ok(length) if length != LONG => out.put_u8(length),
            _ => {
                out.put_u8(LONG);
                out.put_u32(value.len() as u32);
            }
        }
        out.put(value);
    }
}

/// All that is left of the input.
pub fn read_states(input: &mut Input<'_>) -> ProtocolResult<Vec<State>> {
    let mut states: Vec<State> = Vec::new();
    while !input.is_empty() {
        let id = input.u8()?;
        let length = match input.u8()? {
            LONG => input.u32()? as usize,
            length => length.into(),
        };
        let value = input.take(length)?.to_vec();
        match states.iter_mut().find(|state| state.id == id) {
            Some(state) => state.value = value,
            None => states.push(State { id, value }),
        }
    }
    Ok(states)
}

/// A session as a client writes it down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// Empty in one that is to be: as it began.
    pub database: String,
    /// Of the database; empty where it says nothing.
    pub collation: Vec<u8>,
    pub language: String,
    pub states: Vec<State>,
}

impl Picture {
    fn encode(&self, out: &mut impl Put) {
        let mut body = Vec::new();
        body.put_b_varchar(&self.database);
        body.put_u8(self.collation.len() as u8);
        body.put(&self.collation);
        body.put_b_varchar(&self.language);
        put_states(&self.states, &mut body);
        out.put_u32(body.len() as u32);
        out.put(&body);
    }

    fn decode(input: &mut Input<'_>) -> ProtocolResult<Picture> {
        let length = input.u32()? as usize;
        let mut body = Input::new(input.take(length)?);
        let database = body.b_varchar()?;
        let collation = body.b_varbyte()?;
        if !matches!(collation.len(), 0 | COLLATION_BYTES) {
            return Err(ProtocolError::Login("a collation of a lost session has five bytes"));
        }
        let language = body.b_varchar()?;
        Ok(Picture { database, collation: collation.to_vec(), language, states: read_states(&mut body)? })
    }
}

/// What a client says of the session that it has lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    pub began: Picture,
    /// What is different in the session that is to be.
    pub to_be: Picture,
}

impl Lost {
    /// The data of the feature. None: a first login, which has none.
    pub fn decode(data: &[u8]) -> ProtocolResult<Option<Lost>> {
        if data.is_empty() {
            return Ok(None);
        }
        let mut input = Input::new(data);
        let mut picture = || Picture::decode(&mut input).map_err(|_| ProtocolError::Login("a lost session cut short"));
        let lost = Lost { began: picture()?, to_be: picture()? };
        if input.is_empty() { Ok(Some(lost)) } else { Err(ProtocolError::Login("more than a lost session")) }
    }

    pub fn encode(&self, out: &mut impl Put) {
        self.began.encode(out);
        self.to_be.encode(out);
    }

    pub fn database(&self) -> &str {
        if self.to_be.database.is_empty() { &self.began.database } else { &self.to_be.database }
    }

    /// The last value of each state.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        let changed = &self.to_be.states;
        let kept = self.began.states.iter().filter(|state| changed.iter().all(|other| other.id != state.id));
        kept.chain(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost() -> Lost {
        let state = |id, value: &[u8]| State { id, value: value.to_vec() };
        let began = Picture {
            database: "master".into(),
            collation: vec![9, 4, 0xD0, 0, 0x34],
            language: "us_english".into(),
            states: vec![state(0, &[1, 2]), state(1, &[])],
        };
        let states = vec![state(1, &[7; 300])];
        Lost { began, to_be: Picture { database: "weaving".into(), states, ..Picture::default() } }
    }

    #[test]
    fn a_lost_session_survives_both_ways() {
        let mut bytes = Vec::new();
        lost().encode(&mut bytes);
        let read = Lost::decode(&bytes).expect("whole").expect("a second login");
        assert_eq!(read, lost());
        assert_eq!(read.database(), "weaving");
        let states: Vec<(u8, usize)> = read.states().map(|state| (state.id, state.value.len())).collect();
        assert_eq!(states, [(0, 2), (1, 300)], "what was changed last counts");
        assert_eq!(Lost::decode(&[]), Ok(None));
    }

    #[test]
    fn whatever_is_cut_or_added_is_refused() {
        let mut bytes = Vec::new();
        lost().encode(&mut bytes);
        for length in 1..bytes.len() {
            assert!(Lost::decode(&bytes[..length]).is_err(), "{length} bytes");
        }
        bytes.push(0);
        assert!(Lost::decode(&bytes).is_err());
    }
}
