//! Modules of the catalog (procedures, functions, triggers) bound for a session: from the cache, or now.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use exec::host::{Callee, ModuleInfo};
use exec::session::Session as State;
use sql::bind::{BindOptions, References};
use sql::catalog::{DatabaseId, ModuleDef, ModuleKind};
use sql::plan::Module;
use types::{SqlError, SqlResult};

use crate::catalog::{MASTER, registry};
use crate::instance::handle;
use crate::instance::handle::PlanKey;
use crate::instance::server::Event;
use crate::session::early;
use crate::session::host::SessionHost;

impl SessionHost {
    /// A module, bound in the database that it works in, which this gives too.
    pub fn bind_module(
        &mut self,
        state: &mut State,
        definition: &Arc<ModuleDef>,
    ) -> SqlResult<(Arc<Module>, DatabaseId)> {
        let home = workplace(definition, self.catalog_session.database);
        let module = self.within(home, |host| host.bind_here(state, definition))?;
        Ok((module, home))
    }

    /// The body of a module of the catalog: from the cache, or bound now.
    pub fn bind_here(&mut self, state: &mut State, definition: &Arc<ModuleDef>) -> SqlResult<Arc<Module>> {
        let is_system = definition.object.0 < 0;
        let key = PlanKey {
            text: &definition.text,
            parameters: handle::MODULE,
            database: if is_system { definition.database } else { self.catalog_session.database }.0,
            quoted_identifier: definition.quoted_identifier,
            ansi_nulls: definition.ansi_nulls,
            client: sql::plan::Client::Plain,
            session: 0,
        };
        let version = self.catalog_session.checked_version(&self.server.catalog);
        if let Some(module) = self.server.plans.procedures.find(key)
            && (is_system || module.checked.load(Ordering::Relaxed) == version)
        {
            return Ok(module);
        }
        let module = self.bind_body(state, definition).map_err(SqlError::together)?;
        if !is_system {
            let name = shown_name(definition);
            let wrong = |errors| SqlError::together(errors).in_procedure(&name);
            early::check(self, state, &module, true).map_err(wrong)?;
            module.checked.store(version, Ordering::Relaxed);
        }
        self.server.plans.procedures.insert(key, module.clone(), definition.object.0);
        Ok(module)
    }

    pub fn bind_body(&mut self, state: &mut State, definition: &ModuleDef) -> Result<Arc<Module>, Vec<SqlError>> {
        self.server.events.add(Event::Compilation);
        let options = BindOptions {
            quoted_identifier: definition.quoted_identifier,
            ansi_nulls: definition.ansi_nulls,
            ..BindOptions::default()
        };
        let bound = self.with_catalog(state, |catalog| sql::bind::bind_definition(definition, &options, catalog));
        bound.map(Arc::new)
    }

    /// What is wrong with a module that is about to be kept: every error that its execution could not change. And what a natively
    /// compiled or schema-bound one depends on.
    pub fn check_module(&mut self, state: &mut State, definition: &ModuleDef) -> Result<References, Vec<SqlError>> {
        let references = self.with_catalog(state, |catalog| sql::bind::check_native(definition, catalog))?;
        let bound = self.with_catalog(state, |catalog| sql::bind::schema_references(definition, catalog))?;
        let references: References = references.into_iter().chain(bound).collect();
        if matches!(definition.kind, ModuleKind::InlineFunction | ModuleKind::View) {
            // Bound when its columns were described, and with each caller.
            return Ok(references);
        }
        let module = self.bind_body(state, definition)?;
        match early::check(self, state, &module, false) {
            Ok(()) => Ok(references),
            Err(errors) => Err(errors.into_iter().map(|error| error.in_procedure(&definition.name)).collect()),
        }
    }

    pub fn callee(&mut self, state: &mut State, definition: &Arc<ModuleDef>) -> SqlResult<Callee> {
        let (module, database) = self.bind_module(state, definition)?;
        let info = ModuleInfo {
            database,
            object: definition.object,
            name: shown_name(definition),
            quoted_identifier: definition.quoted_identifier,
            ansi_nulls: definition.ansi_nulls,
            execute_as: definition.execute_as,
        };
        Ok(Callee::Module(module, Arc::new(info)))
    }
}

/// The database that a module works in: its own, but for those that work for whoever calls them.
pub fn workplace(definition: &ModuleDef, caller: DatabaseId) -> DatabaseId {
    let name = &definition.name;
    let for_all = definition.database == MASTER && name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("sp_"));
    // Tempdb only keeps a temporary procedure.
    match for_all || name.starts_with('#') || definition.object.0 < 0 {
        true => caller,
        false => definition.database,
    }
}

/// As messages name a module: with its schema, but for a temporary one and a trigger of no table; one that users do not know by its
/// caller.
fn shown_name(definition: &ModuleDef) -> Box<str> {
    let of_scope = definition.kind == ModuleKind::Trigger && definition.parent.is_none();
    match of_scope || definition.name.starts_with('#') {
        _ if registry::by_id(definition.object.0).is_some_and(|entry| entry.internal) => Box::default(),
        true => definition.name.clone(),
        false => format!("{}.{}", definition.schema, definition.name).into(),
    }
}
