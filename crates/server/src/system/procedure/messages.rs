//! The user's messages: sp_addmessage, sp_altermessage, sp_dropmessage.
//!
//! Severity, and whether it is logged, belong to the message and are in every language's version; us_english is the first and the last of them.
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addmessage-transact-sql

use exec::session::{Session as State, stopped};
use exec::sink::Sink;
use types::datetime::LanguageId;
use types::{SqlResult, sql_error};

use super::parameters::Parameters;
use crate::catalog::MASTER;
use crate::catalog::base::MessageRow;
use crate::catalog::load::int;
use crate::catalog::row::Text;
use crate::session::host::SessionHost;
use crate::system::messages::ENGLISH;

/// Messages up to this number are the system's.
const SYSTEM_NUMBER_MAX: i64 = 50_000;
const LOGGED: i16 = 1;

/// The language that an argument names, with the name; the session's without one.
fn language_of(state: &State, given: &Parameters<'_>, position: usize) -> SqlResult<(String, i16)> {
    let name = given.text(position).unwrap_or_else(|| state.options.language.get().name.to_string());
    let language = LanguageId::named(name.trim_end()).ok_or_else(|| sql_error!(15033, name))?;
    Ok((name, language.get().message_lcid as i16))
}

/// None: it is neither word.
fn true_or_false(word: &str) -> Option<bool> {
    let is = |wanted: &str| word.trim_end().eq_ignore_ascii_case(wanted);
    if is("true") { Some(true) } else { is("false").then_some(false) }
}

/// sp_addmessage @msgnum, @severity, @msgtext, @lang, @with_log, @replace.
pub fn add(host: &mut SessionHost, state: &State, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let (Some(id), Some(severity), Some(words)) = (given.number(0)?, given.number(1)?, given.text(2)) else {
        return Err(sql_error!(15071));
    };
    let Some(id) = i32::try_from(id).ok().filter(|id| i64::from(*id) > SYSTEM_NUMBER_MAX) else {
        return Err(sql_error!(15040));
    };
    let Some(severity) = u8::try_from(severity).ok().filter(|severity| (1..=25).contains(severity)) else {
        return Err(sql_error!(15041));
    };
    let (name, language) = language_of(state, given, 3)?;
    let word = given.text(4);
    let mut logged = true_or_false(word.as_deref().unwrap_or("false")).ok_or_else(|| sql_error!(15271))?;
    let replace = given.text(5);
    if replace.as_deref().is_some_and(|word| !word.trim_end().eq_ignore_ascii_case("replace")) {
        return Err(sql_error!(15043));
    }
    let catalog = host.server.catalog.clone();
    let master = catalog.expect_database(MASTER);
    catalog.change(&master, |rows| {
        let versions: Vec<MessageRow> = rows.find(0, &[int(id)])?;
        if language != ENGLISH {
            let Some(english) = versions.iter().find(|row| row.language == ENGLISH) else {
                return Err(sql_error!(15279, name));
            };
            if english.severity != severity {
                return Err(sql_error!(15304, name, english.severity));
            }
            logged = english.status & LOGGED != 0;
        }
        if replace.is_none() && versions.iter().any(|row| row.language == language) {
            return Err(sql_error!(15043));
        }
        let status = if logged { LOGGED } else { 0 };
        rows.delete::<MessageRow>(0, &[int(id)])?;
        for kept in versions.into_iter().filter(|row| row.language != language) {
            rows.insert(&MessageRow { severity, status, ..kept })?;
        }
        rows.insert(&MessageRow { id, language, severity, status, text: Text::from(words.as_str()) })
    })?;
    if language != ENGLISH && word.is_some() {
        sink.message(&sql_error!(15042)).map_err(stopped)?;
    }
    Ok(0)
}

/// sp_altermessage @message_id, @parameter, @parameter_value.
pub fn alter(host: &mut SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    if given.text(1).is_some_and(|word| !word.trim_end().eq_ignore_ascii_case("with_log")) {
        return Err(sql_error!(15176));
    }
    let logged = true_or_false(&given.text(2).unwrap_or_default()).ok_or_else(|| sql_error!(15277))?;
    let id = given.number(0)?.and_then(|id| i32::try_from(id).ok()).unwrap_or(0);
    let catalog = host.server.catalog.clone();
    let master = catalog.expect_database(MASTER);
    catalog.change(&master, |rows| {
        let versions: Vec<MessageRow> = rows.find(0, &[int(id)])?;
        if versions.is_empty() {
            return Err(sql_error!(15179, id));
        }
        rows.delete::<MessageRow>(0, &[int(id)])?;
        for row in versions {
            rows.insert(&MessageRow { status: if logged { LOGGED } else { 0 }, ..row })?;
        }
        Ok(())
    })?;
    Ok(0)
}

/// sp_dropmessage @msgnum, @lang.
pub fn drop(host: &mut SessionHost, state: &State, given: &Parameters<'_>) -> SqlResult<i32> {
    let Some(id) = given.number(0)? else { return Err(sql_error!(15177)) };
    let Some(id) = i32::try_from(id).ok().filter(|id| i64::from(*id) > SYSTEM_NUMBER_MAX) else {
        return Err(sql_error!(15178));
    };
    let all = given.text(1).is_some_and(|word| word.trim_end().eq_ignore_ascii_case("all"));
    let language = if all { None } else { Some(language_of(state, given, 1)?.1) };
    let catalog = host.server.catalog.clone();
    let master = catalog.expect_database(MASTER);
    catalog.change(&master, |rows| {
        let versions: Vec<MessageRow> = rows.find(0, &[int(id)])?;
        if !versions.iter().any(|row| language.is_none_or(|language| row.language == language)) {
            return Err(sql_error!(15179, id));
        }
        if language == Some(ENGLISH) && versions.len() > 1 {
            return Err(sql_error!(15280));
        }
        let prefix = [Some(int(id)), language.map(|language| int(language.into()))];
        rows.delete::<MessageRow>(0, &prefix.into_iter().flatten().collect::<Vec<_>>())
    })?;
    Ok(0)
}
