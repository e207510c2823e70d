//! Sessions that survive their connection: a client that asked for it at login is told what its session is now, and hands that back when
//! it logs in again after its connection broke (`tds::recovery`).
//!
//! What cannot be handed back (temporary tables, cursors, locks and the like: "Connection resiliency" in Microsoft's guide to drivers) makes
//! a session unrecoverable as long as it is there; its client gets the error then. Open transactions a client knows by itself.

use exec::session::{CONTEXT_INFO_BYTES, Options, Session as State};
use sql::plan::IsolationLevel;
use tds::recovery;
use tds::token::SessionState;
use tds::wire::{Input, Put};
use tds::{ProtocolError, ProtocolResult};
use types::datetime::{DateFormat, LanguageId};

use crate::instance::sessions::Picture;
use crate::session::host::SessionHost;

/// Numbers of states. Their values mean something only here, and each keeps its length: mssql-jdbc takes a longer one for a new state, which
/// it counts once more among the unrecoverable ones. None has more than 127 bytes: older versions of mssql-jdbc (11.2) take the length for
/// a signed byte and cannot log in then.
const OPTIONS: u8 = 0;
const CONTEXT_INFO: u8 = 1;
const CONTEXT_INFO_END: u8 = 2;

/// Bytes of CONTEXT_INFO in each of its states.
const INFO_HALF: usize = CONTEXT_INFO_BYTES / 2;

const SWITCHES: usize = 27;

/// SET options that are on or off, in the order of their bits.
fn switches(options: &mut Options) -> [&mut bool; SWITCHES] {
    [
        &mut options.ansi_defaults,
        &mut options.ansi_null_dflt_on,
        &mut options.ansi_null_dflt_off,
        &mut options.ansi_nulls,
        &mut options.ansi_padding,
        &mut options.ansi_warnings,
        &mut options.arith_abort,
        &mut options.arith_ignore,
        &mut options.concat_null_yields_null,
        &mut options.cursor_close_on_commit,
        &mut options.fmt_only,
        &mut options.implicit_transactions,
        &mut options.no_count,
        &mut options.no_browse_table,
        &mut options.no_exec,
        &mut options.numeric_round_abort,
        &mut options.parse_only,
        &mut options.quoted_identifier,
        &mut options.remote_proc_transactions,
        &mut options.statistics_io,
        &mut options.statistics_profile,
        &mut options.statistics_time,
        &mut options.statistics_xml,
        &mut options.xact_abort,
        &mut options.force_plan,
        &mut options.date_first_given,
        &mut options.date_format_given,
    ]
}

const DATE_FORMATS: [DateFormat; 6] =
    [DateFormat::Mdy, DateFormat::Dmy, DateFormat::Ymd, DateFormat::Ydm, DateFormat::Myd, DateFormat::Dym];

const ISOLATION_LEVELS: [IsolationLevel; 5] = [
    IsolationLevel::ReadUncommitted,
    IsolationLevel::ReadCommitted,
    IsolationLevel::RepeatableRead,
    IsolationLevel::Snapshot,
    IsolationLevel::Serializable,
];

/// The number of the SESSIONSTATE comes first: who brings the session back goes on counting, since mssql-jdbc, which still knows the states
/// of the connection that broke, heeds only higher numbers.
fn options_value(options: &Options, sequence: u32) -> Vec<u8> {
    let mut value = Vec::new();
    value.put_u32(sequence);
    let mut copy = options.clone();
    let bits = switches(&mut copy).into_iter().rev().fold(0u32, |bits, switch| bits << 1 | u32::from(*switch));
    value.put_u32(bits);
    value.put_u64(options.row_count);
    value.put_u32(options.text_size as u32);
    value.put_u32(options.lock_timeout_ms as u32);
    value.put_u16(options.language.number() as u16);
    value.put_u8(options.date_first);
    value.put_u8(options.date_format as u8);
    value.put_u8(options.deadlock_priority as u8);
    value.put_u8(options.isolation as u8);
    let (database, table) = options.identity_insert.unwrap_or_default();
    value.put_u16(database);
    value.put_u32(table as u32);
    value
}

/// None: no client of ours was ever told such a value.
fn options_of(value: &[u8]) -> Option<(Options, u32)> {
    let mut input = Input::new(value);
    let sequence = input.u32().ok()?;
    let mut options = Options::default();
    let bits = input.u32().ok()?;
    for (at, switch) in switches(&mut options).into_iter().enumerate() {
        *switch = bits >> at & 1 != 0;
    }
    options.row_count = input.u64().ok()?;
    options.text_size = Some(input.i32().ok()?).filter(|&size| size >= -1)?;
    options.lock_timeout_ms = Some(input.i32().ok()?).filter(|&limit| limit >= -1)?;
    let language = input.u16().ok()?;
    options.language = LanguageId::all().find(|known| known.number() as u16 == language)?;
    options.date_first = Some(input.u8().ok()?).filter(|day| (1..=7).contains(day))?;
    options.date_format = *DATE_FORMATS.get(usize::from(input.u8().ok()?))?;
    options.deadlock_priority = Some(input.u8().ok()? as i8).filter(|priority| (-10..=10).contains(priority))?;
    options.isolation = *ISOLATION_LEVELS.get(usize::from(input.u8().ok()?))?;
    let (database, table) = (input.u16().ok()?, input.i32().ok()?);
    options.identity_insert = (database != 0).then_some((database, table));
    input.is_empty().then_some((options, sequence))
}

impl Picture {
    fn states(&self, sequence: u32) -> Vec<recovery::State> {
        let mut info = vec![self.context_info.len() as u8];
        info.extend(&self.context_info);
        info.resize(1 + CONTEXT_INFO_BYTES, 0);
        let end = info.split_off(1 + INFO_HALF);
        vec![
            recovery::State { id: OPTIONS, value: options_value(&self.options, sequence) },
            recovery::State { id: CONTEXT_INFO, value: info },
            recovery::State { id: CONTEXT_INFO_END, value: end },
        ]
    }

    /// What it is by these states; also the number of the SESSIONSTATE that they came with.
    fn set<'a>(&mut self, states: impl Iterator<Item = &'a recovery::State>) -> ProtocolResult<u32> {
        const STRANGE: ProtocolError = ProtocolError::Login("a lost session of another server");
        let mut last = 0;
        let mut length = self.context_info.len();
        let mut info = [0; CONTEXT_INFO_BYTES];
        info[..length].copy_from_slice(&self.context_info);
        for recovery::State { id, value } in states {
            match (*id, &value[..]) {
                (OPTIONS, value) => (self.options, last) = options_of(value).ok_or(STRANGE)?,
                (CONTEXT_INFO, [all, begin @ ..]) if begin.len() == INFO_HALF => {
                    length = usize::from(*all);
                    info[..INFO_HALF].copy_from_slice(begin);
                }
                (CONTEXT_INFO_END, end) if end.len() == INFO_HALF => info[INFO_HALF..].copy_from_slice(end),
                _ => return Err(STRANGE),
            }
        }
        self.context_info = info.get(..length).ok_or(STRANGE)?.into();
        Ok(last)
    }
}

/// What a client that can bring back its session has been told of it.
pub struct ToldState {
    /// What a reset goes back to, as the client knows it.
    began: Picture,
    told: Picture,
    recoverable: bool,
    /// Of the last SESSIONSTATE.
    sequence: u32,
}

impl ToldState {
    /// Of a session that begins.
    pub fn begin(state: &State) -> ToldState {
        let picture = Picture::of(state);
        ToldState { began: picture.clone(), told: picture, recoverable: true, sequence: 0 }
    }

    /// The session becomes what the lost one was, but for its database.
    pub fn bring_back(state: &mut State, lost: &recovery::Lost) -> ProtocolResult<ToldState> {
        let mut began = Picture::of(state);
        let mut told = began.clone();
        began.set(lost.began.states.iter())?;
        let sequence = told.set(lost.states())?;
        state.options = told.options.clone();
        state.context_info = told.context_info.clone();
        Ok(ToldState { began, told, recoverable: true, sequence })
    }

    /// As FEATUREEXTACK has them.
    pub fn states(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        recovery::put_states(&self.told.states(self.sequence), &mut bytes);
        bytes
    }

    /// The client resets its session and knows what that makes of it.
    pub fn reset(&mut self) {
        self.told = self.began.clone();
        self.recoverable = true;
    }

    /// What the client has to be told before the last DONE of a response, if anything.
    pub fn news(&mut self, state: &State, host: &SessionHost) -> Option<SessionState> {
        let recoverable = is_recoverable(state, host);
        if self.recoverable == recoverable && self.told.is_of(state) {
            return None;
        }
        self.recoverable = recoverable;
        self.told = Picture::of(state);
        // A client does not bring back a session whose numbers have run out: MS-TDS 2.2.7.21, "SeqNo".
        self.sequence = self.sequence.saturating_add(1);
        Some(SessionState { sequence: self.sequence, recoverable, states: self.told.states(self.sequence) })
    }
}

fn is_recoverable(state: &State, host: &SessionHost) -> bool {
    host.catalog_session.temporaries().is_empty()
        && host.cursors.open.is_empty()
        && state.cursor_book.is_empty()
        && state.prepared_xml.is_empty()
        && state.contexts == 0
        && host.application_locks.held.is_empty()
        && host.context.is_empty()
        // Their permissions were looked at when they were set.
        && state.options.cost_limit.is_none()
        && !state.options.shows_plans()
        && !state.options.show_plan_xml
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_comes_back() {
        let mut options = Options { cost_limit: None, ..Options::default() };
        for at in 0..SWITCHES {
            let switch = &mut *switches(&mut options)[at];
            *switch = !*switch;
            assert_eq!(options_of(&options_value(&options, 7)), Some((options.clone(), 7)), "switch {at}");
        }
        for isolation in ISOLATION_LEVELS {
            for date_format in DATE_FORMATS {
                let language = LanguageId::CZECH;
                let numbers =
                    Options { row_count: 7, text_size: 100, lock_timeout_ms: 0, deadlock_priority: -10, ..options };
                let changed = Options { isolation, date_format, language, date_first: 1, ..numbers };
                let changed = Options { identity_insert: Some((5, -3)), ..changed };
                assert_eq!(options_of(&options_value(&changed, 8)), Some((changed.clone(), 8)));
                options = changed;
            }
        }
    }

    #[test]
    fn context_info_comes_back_and_no_state_is_long() {
        for length in [0, 1, INFO_HALF, INFO_HALF + 1, CONTEXT_INFO_BYTES] {
            let context_info = (0..length).map(|at| at as u8 ^ 0xA5).collect();
            let picture = Picture { options: Options::default(), context_info };
            let states = picture.states(9);
            assert!(states.iter().all(|state| state.value.len() < 128), "a signed byte");
            let mut back = Picture { options: Options::default(), context_info: [7; 9].into() };
            assert_eq!(back.set(states.iter()).ok(), Some(9));
            assert_eq!(back.context_info, picture.context_info, "{length} bytes");
        }
    }

    #[test]
    fn what_no_server_said_is_no_session() {
        let value = options_value(&Options::default(), 1);
        for length in 0..value.len() {
            assert_eq!(options_of(&value[..length]), None, "{length} bytes");
        }
        let weekday = 4 + 4 + 8 + 4 + 4 + 2;
        assert_eq!(options_of(&[&value[..weekday], &[8], &value[weekday + 1..]].concat()), None);
    }
}
