//! Databases that nobody may use: taken offline, or held since a start that could not open their files. What brings them back. And pages
//! that were found damaged in those that are open.

use os::clock;
use os::wait::WaitType;
use types::pause::{Pause, Unheard};

use crate::concurrency::locks::Resource;
use crate::error::{StorageError, StorageResult, heard};
use crate::hold::{HeldFile, Hold, Since};
use crate::instance::storage::Storage;
use crate::layout::DatabaseId;
use crate::pages::suspects::SuspectKind;

/// How often it is looked whether those who use a database have ended.
const LOOK_MS: u64 = 10;

impl Storage {
    /// Why nobody may use the database, None: everybody may.
    pub fn hold_of(&self, db: DatabaseId) -> Option<Hold> {
        self.engine().files.hold_of(db)
    }

    /// The databases that nobody may use.
    pub fn held(&self) -> Vec<HeldFile> {
        self.engine().files.held()
    }

    /// Pages that this engine has found damaged since the last call: the database of each, its number in the data file, and how.
    pub fn take_suspects(&self) -> Vec<(DatabaseId, u32, SuspectKind)> {
        let engine = self.engine();
        let database = |file| Some(DatabaseId(engine.file(file).ok().flatten()?.database));
        let found = engine.buffer.suspects.take();
        found.into_iter().filter_map(|(at, kind)| Some((database(at.file)?, at.page, kind))).collect()
    }

    /// Closes the file of a database, whole: it may be copied, and comes back as it is or as it was then. `LockTimeout`: transactions use
    /// the database, and have not ended at `deadline` (`clock::now`).
    pub fn take_offline(&self, db: DatabaseId, deadline: u64, pause: &dyn Pause) -> StorageResult<()> {
        let engine = self.engine();
        self.close_emergency(db, Hold::Offline)?;
        if let Some(held) = engine.files.held_of(db) {
            // What it lacks of the log it still lacks.
            engine.files.say_held(held.number, Hold::Offline, held.since, &held.why);
            return self.checkpoint();
        }
        let file = engine.file_of(db)?;
        engine.files.hold(&file, Hold::Changing, Since::OPEN, "");
        // Who opened a table before looks again, and who comes later does not get it.
        engine.shapes.forget_all();
        let closed = self.until_unused(db, deadline, pause).and_then(|()| {
            let _freeing = engine.freeing.lock();
            self.checkpoint()?;
            engine.put_away(&file, Hold::Offline, Since::CLEAN, "");
            Ok(())
        });
        if let Err(error) = closed {
            engine.files.let_go(&file);
            return Err(error);
        }
        self.checkpoint()
    }

    fn until_unused(&self, db: DatabaseId, deadline: u64, pause: &dyn Pause) -> StorageResult<()> {
        let is_of = |resource: &Resource| match resource {
            Resource::Table(of, _) | Resource::Row(of, _, _) => *of == db,
            Resource::Application(..) => false,
        };
        while self.engine().locks.entries().iter().any(|entry| is_of(&entry.resource)) {
            if clock::now() >= deadline {
                return Err(StorageError::LockTimeout);
            }
            os::wait::sleep(WaitType::LCK_M_X, LOOK_MS);
            heard(pause.pause())?;
        }
        Ok(())
    }

    /// Opens the file of a database that nobody may use, and brings it up to the others.
    pub fn bring_online(&self, db: DatabaseId) -> StorageResult<()> {
        let engine = self.engine();
        self.close_emergency(db, Hold::RecoveryPending)?;
        let Some(held) = engine.files.held_of(db) else { return Ok(()) };
        self.under_checkpoint(|covered| {
            engine.log.harden_all()?;
            let end = engine.log.hardened();
            engine.recover_file(&held, end)?;
            let loaded = engine.load_memory_tables_of(db, covered, end);
            if let Err(error) = &loaded {
                let file = engine.file_of(db)?;
                engine.put_away(&file, Hold::Suspect, held.since, &error.to_string());
                engine.forget_rows_of(db);
            }
            loaded
        })?;
        self.checkpoint_heard(&Unheard::default())
    }

    /// Opens the file of a database that nobody may use for readers, as far as its pages go (`Hold::Emergency`); it lacks then what it lacked
    /// before. Rows of memory-optimized tables that are not in memory cannot be read.
    pub fn open_in_emergency(&self, db: DatabaseId) -> StorageResult<()> {
        let engine = self.engine();
        let Some(held) = engine.files.held_of(db) else { return Ok(()) };
        if held.hold == Hold::Emergency {
            return Ok(());
        }
        engine.log.harden_all()?;
        engine.open_damaged(&held, engine.log.hardened())?;
        self.checkpoint_heard(&Unheard::default())
    }

    /// Closes a file that was opened for readers alone.
    pub fn close_emergency(&self, db: DatabaseId, hold: Hold) -> StorageResult<()> {
        let engine = self.engine();
        let Some(held) = engine.files.held_of(db).filter(|held| held.hold == Hold::Emergency) else { return Ok(()) };
        let file = engine.file_of(db)?;
        // What has been redone in its pages.
        self.checkpoint()?;
        engine.put_away(&file, hold, held.since, &held.why);
        Ok(())
    }
}
