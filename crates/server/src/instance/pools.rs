//! Sybase ASE's thread pools on the machine's own: a pool is a named group of schedulers, an execution class names one, a login
//! bound to a class is served by its pool from its next request on.
//!
//! `pools.toml` in the data directory is the truth, as ASE's configuration file is: written after each change, read at a start.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use os::sched::{ChangeError, IdleTimeout, Pool};
use os::sync::Mutex;
use os::wait::WaitType;
use serde::{Deserialize, Serialize};
use types::{SqlError, SqlResult, sql_error};

pub const DEFAULT_POOL: &str = "syb_default_pool";
pub const BLOCKING_POOL: &str = "syb_blocking_pool";
pub const SYSTEM_POOL: &str = "syb_system_pool";

/// Microseconds, when CREATE THREAD POOL does not say: ASE's.
pub const IDLE_TIMEOUT_DEFAULT: i64 = 100;
/// Threads that a pool may have.
pub const THREADS_MAX: i64 = 128;
/// Pools, classes and bindings there may be of each.
const ENTRIES_MAX: usize = 1_000;

const HEADER: &str =
    "# Thread pools, execution classes and bindings of logins. Written by the server: change them there.\n\n";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedPool {
    pub name: String,
    pub threads: u32,
    /// Microseconds that an idle thread looks for work before it sleeps; below 0: it never sleeps. None: as the server learns.
    pub idle_timeout: Option<i64>,
    #[serde(default)]
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionClass {
    pub name: String,
    pub priority: String,
    pub time_slice: i64,
    pub pool: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    pub login: String,
    pub class: String,
}

/// What the file holds. Of the system's pools those that somebody changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    #[serde(rename = "pool")]
    pub pools: Vec<NamedPool>,
    #[serde(rename = "class")]
    pub classes: Vec<ExecutionClass>,
    #[serde(rename = "binding")]
    pub bindings: Vec<Binding>,
}

impl Setup {
    pub fn pool(&self, name: &str) -> Option<&NamedPool> {
        self.pools.iter().find(|pool| pool.name.eq_ignore_ascii_case(name))
    }

    pub fn class(&self, name: &str) -> Option<ExecutionClass> {
        let given = self.classes.iter().find(|class| class.name.eq_ignore_ascii_case(name)).cloned();
        given.or_else(|| predefined().into_iter().find(|class| class.name.eq_ignore_ascii_case(name)))
    }
}

/// The classes that are always there.
pub fn predefined() -> Vec<ExecutionClass> {
    let class = |(name, priority): (&str, &str)| ExecutionClass {
        name: name.into(),
        priority: priority.into(),
        time_slice: 0,
        pool: DEFAULT_POOL.into(),
    };
    [("EC1", "HIGH"), ("EC2", "MEDIUM"), ("EC3", "LOW")].map(class).into()
}

pub struct Pools {
    /// The lock lets one change after the other.
    state: Mutex<State>,
    file: Option<PathBuf>,
    /// Grows with each change: sessions then look again where they belong.
    changes: AtomicU32,
}

struct State {
    setup: Setup,
    /// The machine's names of the pools.
    numbers: Vec<(String, Pool)>,
    next: u32,
}

impl Pools {
    /// `directory`: None for a server that keeps nothing.
    pub fn load(directory: Option<&Path>) -> Result<Pools, String> {
        let file = directory.map(|directory| directory.join("pools.toml"));
        let setup = match &file {
            Some(path) if os::fs::exists(path) => {
                let text = os::fs::read_text(path).map_err(|error| format!("{}: {error}", path.display()))?;
                toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?
            }
            _ => Setup::default(),
        };
        let state = State { setup, numbers: Vec::new(), next: 1 };
        Ok(Pools { state: Mutex::new(WaitType::SOS_MUTEX, state), file, changes: AtomicU32::new(1) })
    }

    /// Makes the pools that the file names. One that cannot be made is told in the log; its logins are the default pool's.
    pub fn start(&self) {
        let mut state = self.state.lock();
        for pool in state.setup.pools.clone() {
            if let Err(error) = state.make(&pool) {
                tracing::error!("thread pool {}: {}", pool.name, error.text);
            }
        }
    }

    pub fn setup(&self) -> Setup {
        self.state.lock().setup.clone()
    }

    /// What users call a pool of the machine.
    pub fn name_of(&self, pool: Pool) -> String {
        let state = self.state.lock();
        let named = state.numbers.iter().find(|(_, number)| *number == pool).map(|(name, _)| name.clone());
        named.unwrap_or_else(|| DEFAULT_POOL.into())
    }

    pub fn changes(&self) -> u32 {
        self.changes.load(Ordering::Acquire)
    }

    /// Which pool serves the sessions of a login.
    pub fn of_login(&self, login: &str) -> Pool {
        let state = self.state.lock();
        let binding = state.setup.bindings.iter().find(|binding| binding.login.eq_ignore_ascii_case(login));
        let class = binding.and_then(|binding| state.setup.class(&binding.class));
        class.map_or(Pool::DEFAULT, |class| state.number(&class.pool).unwrap_or(Pool::DEFAULT))
    }

    /// Carries out a change: `edit` says what is to be, and which pools the machine has to make anew, or to close (no threads).
    pub fn change(&self, edit: impl FnOnce(&mut Setup) -> SqlResult<Vec<NamedPool>>) -> SqlResult<()> {
        let mut state = self.state.lock();
        let mut setup = state.setup.clone();
        let pools = edit(&mut setup)?;
        if [setup.pools.len(), setup.classes.len(), setup.bindings.len()].iter().any(|count| *count > ENTRIES_MAX) {
            return Err(sql_error!(10909, ENTRIES_MAX));
        }
        for pool in &pools {
            state.make(pool)?;
        }
        state.setup = setup;
        self.changes.fetch_add(1, Ordering::Release);
        let Some(path) = &self.file else { return Ok(()) };
        let text = toml::to_string(&state.setup).expect("plain tables are TOML");
        if let Err(error) = os::fs::write(path, (HEADER.to_string() + &text).as_bytes()) {
            tracing::error!("{}: {error}: the next start will not know of this change", path.display());
        }
        Ok(())
    }

    /// A pool has a new name.
    pub fn renamed(&self, old: &str, new: &str) {
        for (name, _) in &mut self.state.lock().numbers {
            if name.eq_ignore_ascii_case(old) {
                *name = new.into();
            }
        }
    }
}

impl State {
    fn number(&self, pool: &str) -> Option<Pool> {
        if pool.eq_ignore_ascii_case(DEFAULT_POOL) {
            return Some(Pool::DEFAULT);
        }
        self.numbers.iter().find(|(name, _)| name.eq_ignore_ascii_case(pool)).map(|(_, number)| *number)
    }

    fn make(&mut self, pool: &NamedPool) -> SqlResult<()> {
        if pool.name.eq_ignore_ascii_case(BLOCKING_POOL) {
            os::sched::set_preemptive_threads_max(pool.threads.max(1) as usize);
            return Ok(());
        }
        let number = self.number(&pool.name).unwrap_or(Pool(self.next));
        let idle = match pool.idle_timeout {
            None => IdleTimeout::ByExperience,
            Some(us) => u32::try_from(us).map_or(IdleTimeout::Never, IdleTimeout::Microseconds),
        };
        os::sched::set_pool(number, pool.threads, idle).map_err(|error| refused(error, pool.threads))?;
        self.numbers.retain(|(name, _)| !name.eq_ignore_ascii_case(&pool.name));
        if pool.threads > 0 && number != Pool::DEFAULT {
            self.next = self.next.max(number.0 + 1);
            self.numbers.push((pool.name.clone(), number));
        }
        Ok(())
    }
}

fn refused(error: ChangeError, threads: u32) -> SqlError {
    match error {
        ChangeError::ManyEngines => sql_error!(1844, "A thread pool", "'kernel mode' process"),
        _ => sql_error!(15129, threads, "thread count"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let setup = Setup {
            pools: vec![NamedPool {
                name: "sales \"x\"".into(),
                threads: 3,
                idle_timeout: Some(-1),
                description: "a\nb".into(),
            }],
            classes: vec![ExecutionClass {
                name: "EC".into(),
                priority: "LOW".into(),
                time_slice: 0,
                pool: "sales \"x\"".into(),
            }],
            bindings: vec![Binding { login: "fritz".into(), class: "EC".into() }],
        };
        let text = toml::to_string(&setup).expect("TOML");
        assert_eq!(toml::from_str::<Setup>(&text).expect("its own text"), setup);
        assert!(toml::from_str::<Setup>("[[pond]]\nname = 'x'").is_err());
        assert_eq!(setup.class("ec1").expect("predefined").pool, DEFAULT_POOL);
    }
}
