//! Which audits concern what happens, and the writing of it. A session that none concerns pays one look at a flag.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use os::sync::{Mutex, RwLock};
use os::wait::WaitType;
use types::{SqlResult, sql_error};

use super::actions::{Action, Group};
use super::record::Record;
use super::setup::{Audit, OnFailure, Securable, Setup, Specification};
use super::trail::Trail;

/// An audit that runs.
pub struct Target {
    pub audit: Audit,
    /// None: it could not be started, and is tried again with each record.
    trail: Mutex<Option<Arc<Trail>>>,
    /// The log has been told that it cannot be written.
    told: AtomicBool,
}

/// An object and what is done with it.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    pub action: Action,
    pub object: i32,
    pub schema: i32,
}

#[derive(Default)]
struct Active {
    targets: Vec<Arc<Target>>,
    /// Of those that are enabled, with the place of their target.
    specifications: Vec<(usize, Specification)>,
}

pub struct Audits {
    /// Something is audited.
    any: AtomicBool,
    active: RwLock<Arc<Active>>,
    /// The lock lets one change after the other.
    setup: Mutex<Setup>,
    file: Option<PathBuf>,
}

impl Audits {
    /// `directory`: None for a server that keeps nothing.
    pub fn load(directory: Option<&Path>) -> Result<Audits, String> {
        let file = directory.map(Setup::path);
        let setup = file.as_deref().map_or(Ok(Setup::default()), Setup::read)?;
        Ok(Audits {
            any: AtomicBool::new(false),
            active: RwLock::new(WaitType::SOS_RW, Arc::default()),
            setup: Mutex::new(WaitType::SOS_MUTEX, setup),
            file,
        })
    }

    /// Whether anything is audited: what everybody asks first.
    #[inline]
    pub fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Starts the audits that are enabled. Err: one cannot start without which the server must not run.
    pub fn start(&self) -> Result<(), String> {
        let setup = self.setup.lock().clone();
        self.apply(&setup, Vec::new());
        let active = self.active.read().clone();
        for target in &active.targets {
            let Err(error) = target.trail() else { continue };
            target.tell(&error);
            if target.audit.on_failure == OnFailure::Shutdown {
                return Err(sql_error!(33219, target.audit.name).text.clone());
            }
        }
        Ok(())
    }

    /// Another engine has changed the setup.
    pub fn follow(&self) {
        let mut setup = self.setup.lock();
        if let Some(Ok(read)) = self.file.as_deref().map(Setup::read) {
            *setup = read;
            self.apply(&setup, Vec::new());
        }
    }

    pub fn setup(&self) -> Setup {
        self.setup.lock().clone()
    }

    /// Carries out a change. Err: nothing has changed. An audit that is to start and cannot is 33222.
    pub fn change<R>(&self, edit: impl FnOnce(&mut Setup) -> SqlResult<R>) -> SqlResult<R> {
        let mut setup = self.setup.lock();
        let mut next = setup.clone();
        let answer = edit(&mut next)?;
        let is_new = |audit: &&Audit| audit.enabled && !setup.audits.contains(audit);
        let mut started = Vec::new();
        for audit in next.audits.iter().filter(is_new) {
            let trail = Trail::start(audit).map_err(|error| {
                tracing::error!("audit {} in {}: {error}", audit.name, audit.directory);
                sql_error!(33222, audit.name, "start")
            })?;
            started.push(Arc::new(trail));
        }
        if let Some(file) = &self.file
            && let Err(error) = next.write(file)
        {
            tracing::error!("{}: {error}", file.display());
            return Err(sql_error!(33222, "", "be kept"));
        }
        *setup = next;
        self.apply(&setup, started);
        Ok(answer)
    }

    /// Audits that were running and are the same go on with their files; `started`: those that others begin with.
    fn apply(&self, setup: &Setup, started: Vec<Arc<Trail>>) {
        let before = self.active.read().clone();
        let mut active = Active::default();
        for audit in setup.audits.iter().filter(|audit| audit.enabled) {
            let same = before.targets.iter().find(|target| target.audit == *audit).cloned();
            let new = || {
                Arc::new(Target {
                    audit: audit.clone(),
                    trail: Mutex::new(WaitType::SOS_MUTEX, started.iter().find(|trail| trail.audit == *audit).cloned()),
                    told: AtomicBool::new(false),
                })
            };
            active.targets.push(same.unwrap_or_else(new));
        }
        for specification in setup.specifications.iter().filter(|specification| specification.enabled) {
            let at = active.targets.iter().position(|target| target.audit.guid == specification.guid);
            active.specifications.extend(at.map(|at| (at, specification.clone())));
        }
        let any = !active.specifications.is_empty();
        *self.active.write() = Arc::new(active);
        self.any.store(any, Ordering::Relaxed);
    }

    /// The audits that want this. `database`: None where it happens in none. `is_principal`: whether the session is, or is a member of,
    /// a principal of the database.
    pub fn concerned(
        &self,
        group: &Group,
        database: Option<u16>,
        access: Option<Access>,
        is_principal: &dyn Fn(i32) -> bool,
    ) -> Vec<Arc<Target>> {
        let active = self.active.read().clone();
        let mut wanted = vec![false; active.targets.len()];
        for (at, specification) in &active.specifications {
            if wanted[*at] || specification.database.is_some() && specification.database != database {
                continue;
            }
            for want in &specification.wanted {
                wanted[*at] |= match (&want.on, access) {
                    (None, _) => want.action == group.name,
                    (Some(on), Some(access)) if want.action == access.action.name => {
                        let is_it = match on.securable {
                            Securable::Database => true,
                            Securable::Schema(id) => id == access.schema,
                            Securable::Object(id) => id == access.object,
                        };
                        is_it && is_principal(on.principal)
                    }
                    _ => false,
                };
            }
        }
        active.targets.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(target, _)| target.clone()).collect()
    }

    /// Flushes what waits for that, as `QUEUE_DELAY` allows.
    pub fn flush(&self) {
        if !self.any() {
            return;
        }
        let active = self.active.read().clone();
        for target in active.targets.iter().filter(|target| !target.is_strict()) {
            if let Some(trail) = target.trail.lock().clone()
                && let Err(error) = trail.flush_all()
            {
                target.tell(&error);
            }
        }
    }

    /// For sys.dm_server_audit_status: the audits that run, with their file and its length; None: it is not written.
    pub fn running(&self) -> Vec<(Audit, Option<(String, u64)>)> {
        let active = self.active.read().clone();
        let current = |target: &Arc<Target>| target.trail.lock().as_ref().and_then(|trail| trail.current());
        active.targets.iter().map(|target| (target.audit.clone(), current(target))).collect()
    }
}

/// Writes a record to each of the audits. Err: one of them could not be written, and what happens must not. With it on disk, where the
/// audit says that nothing happens without.
pub fn write(targets: &[Arc<Target>], record: &Record) -> SqlResult<()> {
    let contents = record.to_bytes();
    for target in targets {
        let written = target.trail().and_then(|trail| trail.write(&contents, target.is_strict()));
        let Err(error) = written else {
            target.told.store(false, Ordering::Relaxed);
            continue;
        };
        target.tell(&error);
        match target.audit.on_failure {
            OnFailure::Continue => {}
            OnFailure::FailOperation => return Err(sql_error!(33239)),
            OnFailure::Shutdown => {
                let why = sql_error!(33219, target.audit.name);
                tracing::error!("{}", why.text);
                os::signal::request_stop_of_all();
                return Err(why);
            }
        }
    }
    Ok(())
}

impl Target {
    /// Each record is on disk before what it tells of is answered.
    fn is_strict(&self) -> bool {
        self.audit.on_failure != OnFailure::Continue || self.audit.queue_delay == 0
    }

    fn trail(&self) -> os::disk::DiskResult<Arc<Trail>> {
        let mut trail = self.trail.lock();
        if let Some(trail) = &*trail {
            return Ok(trail.clone());
        }
        let started = Arc::new(Trail::start(&self.audit)?);
        *trail = Some(started.clone());
        Ok(started)
    }

    /// Once, until it can be written again.
    fn tell(&self, error: &os::disk::DiskError) {
        if !self.told.swap(true, Ordering::Relaxed) {
            let why = sql_error!(33245, self.audit.name, self.audit.directory);
            tracing::error!("{} ({error})", why.text);
        }
    }
}
