//! Who logs in: the password, the policy, and what is told of it.
//!
//! A wrong password costs as much for a login that is not there, and is answered as late; what differs is said in the log alone. But
//! a locked login is told so, as SQL Server tells it, whatever the password: nobody learns by it whether that is right.

use os::wait::WaitType;
use types::{SqlError, SqlResult, sql_error};

use crate::catalog::base::{LoginRow, login_status};
use crate::catalog::load::int;
use crate::catalog::login_policy::LoginPolicy;
use crate::catalog::row::Binary;
use crate::catalog::{MASTER, clock};
use crate::instance::error_log::{self, CONSOLE, Source};
use crate::instance::server::{Event, Server};
use crate::security::guessing::Turn;
use crate::security::password::{self, Known};
use crate::security::policy::Rules;
use crate::settings::config::option;

/// Bits of 'login auditing'.
const AUDIT_SUCCESSFUL: i64 = 1;
const AUDIT_FAILED: i64 = 2;

/// What came with an attempt.
#[derive(Clone, Copy)]
pub struct Attempt<'a> {
    pub name: &'a str,
    pub password: &'a str,
    /// Where it comes from, without a port.
    pub address: &'a str,
    /// It brings a new password, which is what a login wants whose password has expired or must be changed.
    pub changes_password: bool,
}

pub enum Outcome {
    In(Box<LoginRow>),
    /// For the client; the log has been told.
    Refused(SqlError),
    /// Others are at it: ask again.
    Later,
    /// The client went away.
    Gone,
}

/// 18456: the client never learns why; the log does.
pub fn login_failed(user: &str) -> SqlError {
    sql_error!(18456, user, "", "")
}

/// A name that a client made up must not look like lines of the log.
fn on_one_line(text: &str) -> String {
    text.trim_end().chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Takes a verification that was begun out of the list of those under way, however its task ends.
struct Begun<'a> {
    server: &'a Server,
    digest: [u8; 32],
    fits: bool,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.server.verified.lock().end(self.digest, self.fits);
    }
}

impl Server {
    /// When an attempt may begin that has failed before.
    pub fn turn_of(&self, attempt: &Attempt<'_>) -> SqlResult<Turn> {
        self.catalog.catch_up()?;
        Ok(self.guesses.ask(&self.counted_as(attempt.name)?, attempt.address))
    }

    /// A login has one name for all its spellings that compare equal, or each would be counted by itself.
    fn counted_as(&self, name: &str) -> SqlResult<String> {
        Ok(self.catalog.login(name)?.map_or_else(|| name.trim_end().to_lowercase(), |row| row.name))
    }

    /// The login of that name, if it may log in with this password.
    pub fn authenticate(&self, attempt: &Attempt<'_>) -> SqlResult<Outcome> {
        self.catalog.catch_up()?;
        let found = self.catalog.login(attempt.name)?.filter(|row| row.kind.as_str() == "S");
        let stored = found.as_ref().and_then(|row| row.password.0.as_deref()).unwrap_or(&[]);
        if let Some(row) = &found {
            if self.is_locked(row)? {
                return Ok(self.refuse_locked(attempt));
            }
        }
        let known = self.verified.lock().begin(stored, attempt.password);
        // One who is not the first to show this password has nothing to renew either.
        let first = matches!(known, Known::Begun(_));
        let fits = match known {
            Known::Fits => true,
            Known::Later => return Ok(Outcome::Later),
            Known::Begun(digest) => {
                let mut begun = Begun { server: self, digest, fits: false };
                let verify = || password::verify(stored, attempt.password);
                let Some(fits) = os::sched::compute(WaitType::PREEMPTIVE_OS_CRYPTOPS, verify) else {
                    return Ok(Outcome::Gone);
                };
                begun.fits = fits;
                fits
            }
        };
        match found {
            Some(row) if fits => self.admit(attempt, row, first),
            found => {
                if let Err(error) = self.count_failure(attempt, found.as_ref()) {
                    tracing::error!("a wrong password could not be counted: {}", error.text);
                }
                let (state, why) = match &found {
                    None => (5, "Could not find a login matching the name provided."),
                    Some(row) if row.status & login_status::DISABLED != 0 => {
                        (7, "The login is disabled, and the password did not match.")
                    }
                    Some(_) => (8, "Password did not match that for the login provided."),
                };
                self.audit_failed(attempt, &login_failed(attempt.name), state, why);
                Ok(Outcome::Refused(login_failed(attempt.name)))
            }
        }
    }

    /// The password fits. What else may be in the way?
    fn admit(&self, attempt: &Attempt<'_>, row: LoginRow, first: bool) -> SqlResult<Outcome> {
        // Looked at again: others may have locked it while this password was verified, and one guess among many at once may be right.
        if self.is_locked(&row)? {
            return Ok(self.refuse_locked(attempt));
        }
        let refuse = |error: SqlError| {
            self.audit_failed(attempt, &error, error.state, "");
            Ok(Outcome::Refused(error))
        };
        if row.status & login_status::DISABLED != 0 {
            return refuse(sql_error!(18470, attempt.name, ""));
        }
        self.guesses.succeeded(&row.name, attempt.address);
        self.guesses.clear_bad(row.id);
        if row.status & login_status::CHECK_EXPIRATION != 0 && !attempt.changes_password {
            let (rules, policy) = (Rules::of(&self.catalog.configuration), self.policy_of(&row)?);
            if policy.must_change {
                return refuse(sql_error!(18488, attempt.name, ""));
            }
            if rules.is_expired(&policy, clock::now()) {
                return refuse(sql_error!(18487, attempt.name, ""));
            }
        }
        if first && row.password.0.as_deref().is_some_and(password::is_outdated) {
            self.renew(&row, attempt.password);
        }
        Ok(Outcome::In(Box::new(row)))
    }

    /// What the policy keeps of a login.
    pub fn policy_of(&self, row: &LoginRow) -> SqlResult<LoginPolicy> {
        let master = self.catalog.expect_database(MASTER);
        let kept = self.catalog.read(&master, |rows| LoginPolicy::read(rows, row.id))?;
        Ok(kept.unwrap_or_else(|| LoginPolicy::new(row.created)))
    }

    fn is_locked(&self, row: &LoginRow) -> SqlResult<bool> {
        if row.status & login_status::CHECK_POLICY == 0 {
            return Ok(false);
        }
        Ok(Rules::of(&self.catalog.configuration).is_locked(&self.policy_of(row)?, clock::now()))
    }

    fn refuse_locked(&self, attempt: &Attempt<'_>) -> Outcome {
        let error = sql_error!(18486, attempt.name, "");
        self.audit_failed(attempt, &error, error.state, "");
        Outcome::Refused(error)
    }

    /// A password did not match: the next guess comes later, and one too many locks the login.
    fn count_failure(&self, attempt: &Attempt<'_>, found: Option<&LoginRow>) -> SqlResult<()> {
        self.guesses.failed(&self.counted_as(attempt.name)?, attempt.address);
        let Some(row) = found else { return Ok(()) };
        let rules = Rules::of(&self.catalog.configuration);
        let bad = self.guesses.count_bad(row.id, rules.reset_minutes * 60_000);
        if row.status & login_status::CHECK_POLICY == 0 || rules.lockout_threshold == 0 || bad < rules.lockout_threshold
        {
            return Ok(());
        }
        let policy = LoginPolicy { locked: Some(clock::now()), ..self.policy_of(row)? };
        let master = self.catalog.expect_database(MASTER);
        self.catalog.change(&master, |rows| policy.write(rows, row.id))?;
        tracing::warn!(login = row.name, "{bad} wrong passwords one after the other: the login is locked");
        Ok(())
    }

    /// Stores a hash of today's kind for a password that fits an older one. Where that fails the older one stays.
    fn renew(&self, row: &LoginRow, password: &str) {
        let mut salt = [0; 16];
        os::random::fill(&mut salt);
        let hash = || password::hash(password, salt);
        let Some(new) = os::sched::compute(WaitType::PREEMPTIVE_OS_CRYPTOPS, hash) else { return };
        let master = self.catalog.expect_database(MASTER);
        let renewed = self.catalog.change(&master, |rows| {
            rows.update::<LoginRow>(0, &[int(row.id)], |now| {
                // Somebody may have changed the password meanwhile.
                if now.password == row.password {
                    now.password = Binary(Some(new.as_slice().into()));
                }
            })
        });
        match renewed {
            Ok(_) => self.verified.lock().remember(&new, password),
            Err(error) => tracing::warn!(login = row.name, "the password's hash could not be renewed: {}", error.text),
        }
    }

    /// Whether `password` is the one behind `stored`. None: the request was interrupted.
    pub fn verify_password(&self, stored: &[u8], password: &str) -> Option<bool> {
        if self.verified.lock().knows(stored, password) {
            return Some(true);
        }
        let fits = os::sched::compute(WaitType::PREEMPTIVE_OS_CRYPTOPS, || password::verify(stored, password))?;
        if fits {
            self.verified.lock().remember(stored, password);
        }
        Some(fits)
    }

    /// Tells the log, if it wants to know.
    pub fn audit_succeeded(&self, attempt: &Attempt<'_>) {
        if self.catalog.configuration.running(option::LOGIN_AUDITING) & AUDIT_SUCCESSFUL != 0 {
            let message = sql_error!(18454, attempt.name, "");
            let text = format!("{} [CLIENT: {}]", on_one_line(&message.text), attempt.address);
            tracing::info!(target: CONSOLE, "{text}");
            error_log::tell(Source::Logon, &text);
        }
    }

    /// Tells the log, if it wants to know. `state`: why, which the client does not learn.
    pub fn audit_failed(&self, attempt: &Attempt<'_>, error: &SqlError, state: u8, why: &str) {
        self.events.add(Event::FailedLogin);
        if self.catalog.configuration.running(option::LOGIN_AUDITING) & AUDIT_FAILED != 0 {
            let reason = if why.is_empty() { String::new() } else { format!(" Reason: {why}") };
            let text = format!("{}{reason} [CLIENT: {}]", on_one_line(&error.text), attempt.address);
            let (number, severity) = (error.number, error.severity);
            tracing::warn!(target: CONSOLE, "Error: {number}, Severity: {severity}, State: {state}. {text}");
            error_log::raise_as(Source::Logon, number, severity, state, &text);
        }
    }
}
