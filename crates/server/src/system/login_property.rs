//! LOGINPROPERTY, PWDCOMPARE and PWDENCRYPT: what the policy knows of a login, and hashes of passwords.

use exec::session::Session as State;
use exec::sink::Stop;
use os::wait::WaitType;
use sql::function::FunctionId;
use types::{Datum, SqlResult, SqlType, variant};

use super::answer::{Answer, Arguments};
use crate::catalog::base::login_status;
use crate::catalog::clock;
use crate::catalog::row::Date;
use crate::security::check::Securable;
use crate::security::hierarchy::Class;
use crate::security::password;
use crate::security::policy::Rules;
use crate::session::host::SessionHost;

pub fn answer(
    host: &mut SessionHost,
    state: &mut State,
    function: FunctionId,
    arguments: &Arguments<'_>,
) -> SqlResult<Answer> {
    let Some(first) = arguments.text(0) else { return Ok(Answer::Null) };
    match function {
        FunctionId::Loginproperty => match arguments.text(1) {
            Some(property) => login_property(host, state, &first, &property),
            None => Ok(Answer::Null),
        },
        FunctionId::Pwdencrypt => {
            let mut salt = [0; 16];
            os::random::fill(&mut salt);
            let hash = os::sched::compute(WaitType::PREEMPTIVE_OS_CRYPTOPS, || password::hash(&first, salt));
            hash.map(Answer::Bytes).ok_or_else(|| exec::session::stopped(Stop::Attention))
        }
        _ => {
            let Some((_, Datum::Bytes(hash))) = arguments.0.get(1) else { return Ok(Answer::Null) };
            if !password::is_hash(hash) {
                return Ok(Answer::Number(0));
            }
            let fits = host.server.verify_password(hash, &first);
            fits.map(Answer::from).ok_or_else(|| exec::session::stopped(Stop::Attention))
        }
    }
}

/// A datetime; what never was is the first day that there is.
fn moment(date: Option<Date>) -> Answer {
    match variant::encode(&SqlType::DATETIME, &Datum::I64(date.unwrap_or_default().0)) {
        Datum::Bytes(bytes) => Answer::Variant(bytes),
        _ => Answer::Null,
    }
}

/// Of one's own login, or by who may see its definition; the hash, which may be guessed at elsewhere, by who controls the server.
fn login_property(host: &mut SessionHost, state: &mut State, login: &str, property: &str) -> SqlResult<Answer> {
    let server = host.server.clone();
    let property = property.trim_end().to_ascii_lowercase();
    let Some(row) = server.catalog.login(login)?.filter(|row| row.kind.as_str() == "S") else {
        return Ok(Answer::Null);
    };
    let (on, permission) = match property.as_str() {
        "passwordhash" => (Securable::SERVER, "CONTROL SERVER"),
        _ => (Securable::plain(Class::Login, row.id), "VIEW DEFINITION"),
    };
    let own = permission == "VIEW DEFINITION" && row.name == host.entry.identity.login_name;
    if !own && !host.rights(state, |rights, look| rights.holds(look, None, &on, permission))? {
        return Ok(Answer::Null);
    }
    let (rules, policy, now) = (Rules::of(&server.catalog.configuration), server.policy_of(&row)?, clock::now());
    let checked = row.status & login_status::CHECK_POLICY != 0;
    let expires = checked && row.status & login_status::CHECK_EXPIRATION != 0;
    let bad = server.guesses.bad(row.id);
    let locked = checked && rules.is_locked(&policy, now);
    Ok(match property.as_str() {
        "badpasswordcount" => Answer::Number(bad.map_or(0, |bad| bad.count as i64)),
        "badpasswordtime" => moment(bad.map(|bad| bad.last)),
        "daysuntilexpiration" if !expires => Answer::Null,
        "daysuntilexpiration" => Answer::Number(rules.days_left(&policy, now).unwrap_or(-1)),
        "defaultdatabase" => row.default_database.unwrap_or_else(|| "master".into()).as_str().into(),
        "defaultlanguage" => row.default_language.into(),
        "historylength" => Answer::Number(if checked { policy.history.len() as i64 } else { 0 }),
        "isexpired" => (expires && rules.is_expired(&policy, now)).into(),
        "islocked" => locked.into(),
        "ismustchange" => policy.must_change.into(),
        "lockouttime" => moment(policy.locked.filter(|_| locked)),
        "passwordhash" => row.password.0.map_or(Answer::Null, |hash| Answer::Bytes(hash.into())),
        "passwordhashalgorithm" => match row.password.0 {
            // All that is stored is made of SHA-2.
            Some(_) => Answer::Number(2),
            None => Answer::Null,
        },
        "passwordlastsettime" => moment(Some(policy.password_set)),
        _ => Answer::Null,
    })
}
