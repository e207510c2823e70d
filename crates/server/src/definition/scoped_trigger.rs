//! Triggers of a database or of the server: CREATE, ALTER, DROP, ENABLE and DISABLE TRIGGER ... ON DATABASE | ALL SERVER, and the order
//! in which they fire.
//! https://learn.microsoft.com/sql/t-sql/statements/create-trigger-transact-sql

use std::sync::Arc;

use sql::ast::{
    CreateTrigger, Drop, ExecuteAsPrincipal, Expr, Literal, ModuleOptions, ModuleVerb, ObjectName, SwitchTrigger,
    TriggerScope,
};
use types::{SqlResult, sql_error};

use super::execute_as::keep_execute_as;
use super::module::{check_body, kept_text, option_bits};
use super::site::{Ddl, Place, cannot_drop, cannot_find, written};
use super::table;
use crate::catalog::base::{
    KeyReferenceRow, LoginRow, ObjectRow, ReferenceRow, TextRow, class, object_status as os_, schema,
};
use crate::catalog::event_type::{self, DATABASE_LEVEL, EventType, LOGON};
use crate::catalog::load::{self, BY_NAME, BY_PARENT, FIRST, LAST, int, name as name_datum, small};
use crate::catalog::{Database, MASTER, clock};
use crate::security::hierarchy::Class;

/// What a table's triggers fire for, by the numbers of these events, which begin with 1.
const ACTIONS: [&str; 3] = ["INSERT", "UPDATE", "DELETE"];
const ACTION_BITS: [i32; 3] = [os_::ON_INSERT, os_::ON_UPDATE, os_::ON_DELETE];

/// Where the triggers of a scope are.
pub struct Scope {
    pub db: Arc<Database>,
    nsid: i32,
}

impl Scope {
    pub fn of_server(ddl: &Ddl<'_>) -> Scope {
        Scope { db: ddl.catalog.expect_database(MASTER), nsid: schema::OF_SERVER }
    }

    pub fn of_database(ddl: &mut Ddl<'_>) -> SqlResult<Scope> {
        Ok(Scope { db: ddl.current()?, nsid: schema::OF_DATABASE })
    }

    fn of(ddl: &mut Ddl<'_>, on: &TriggerScope) -> SqlResult<Scope> {
        match on {
            TriggerScope::Table(_) => panic!("a table's triggers are no scope's"),
            TriggerScope::Database => Scope::of_database(ddl),
            TriggerScope::AllServer => Ok(Scope::of_server(ddl)),
        }
    }

    pub fn find(&self, ddl: &mut Ddl<'_>, name: &str) -> SqlResult<Option<ObjectRow>> {
        ddl.rows(&self.db, |rows| load::object_row_named(rows, self.nsid, name))
    }

    fn all(&self, ddl: &mut Ddl<'_>) -> SqlResult<Vec<ObjectRow>> {
        ddl.rows(&self.db, |rows| rows.find::<ObjectRow>(BY_NAME, &[int(self.nsid)]))
    }

    pub fn is_of_server(&self) -> bool {
        self.nsid == schema::OF_SERVER
    }
}

/// 1094: their names have no schema.
fn check_name(name: &ObjectName) -> SqlResult<()> {
    if name.is_unqualified() { Ok(()) } else { Err(sql_error!(1094)) }
}

/// The events that it fires for, each with the group that was named, or 0. 1084: there is no such event; 1098: not in this scope.
fn events_of(create: &CreateTrigger, scope: &Scope) -> SqlResult<Vec<(i32, i32)>> {
    let mut found: Vec<(i32, i32)> = Vec::new();
    for name in &create.events {
        if ACTIONS.iter().any(|action| name.eq_ignore_ascii_case(action)) {
            return Err(sql_error!(1098));
        }
        let named = event_type::named(name).ok_or_else(|| sql_error!(1084, name))?;
        if !scope.is_of_server() && !named.is_within(DATABASE_LEVEL) {
            return Err(sql_error!(1098));
        }
        let group = if named.is_group() { named.number } else { 0 };
        for EventType { number, .. } in named.events() {
            if found.iter().all(|(known, _)| *known != number) {
                found.push((number, group));
            }
        }
    }
    Ok(found)
}

pub fn create(ddl: &mut Ddl<'_>, create: &CreateTrigger) -> SqlResult<()> {
    let scope = Scope::of(ddl, &create.on)?;
    check_name(&create.name)?;
    if create.options.native_compilation || create.options.schemabinding {
        return Err(super::unsupported("NATIVE_COMPILATION of a trigger ON DATABASE or ALL SERVER"));
    }
    if create.options.execute_as.as_ref().is_some_and(|context| context.principal == ExecuteAsPrincipal::Owner) {
        return Err(sql_error!(1083));
    }
    let events = events_of(create, &scope)?;
    let status = option_bits(ddl, &create.options);
    let text = kept_text(ddl, &create.definition);
    let name = &*create.name.name;
    let found = if create.definition.verb == ModuleVerb::Create { None } else { scope.find(ddl, name)? };
    let db = scope.db.clone();
    let id = match found {
        Some(row) => {
            ddl.lock(&db, row.id)?;
            let now = clock::now();
            ddl.rows(&db, |rows| {
                rows.delete::<TextRow>(0, &[int(row.id)])?;
                rows.delete::<KeyReferenceRow>(0, &[int(row.id), small(class::TRIGGER_EVENT)])?;
                rows.update::<ObjectRow>(0, &[int(row.id)], |row| {
                    row.status = status | row.status & os_::DISABLED;
                    row.modified = now;
                })
            })?;
            ddl.changed(db.id, row.id);
            row.id
        }
        None if create.definition.verb == ModuleVerb::Alter => {
            return Err(sql_error!(208, state 6, written(&create.name)));
        }
        None => {
            let place =
                Place { db: db.clone(), schema: scope.nsid, schema_name: String::new(), name: name.to_string() };
            ddl.add_object(&place, "TR", 0, status, 0)?
        }
    };
    ddl.add_text(&db, id, &text)?;
    for (event, group) in events {
        let row = KeyReferenceRow {
            class: class::TRIGGER_EVENT,
            depid: id,
            depsubid: event,
            indepid: group,
            indepsubid: 0,
            status: 0,
        };
        ddl.rows(&db, |rows| rows.insert(&row))?;
    }
    match scope.is_of_server() {
        true => keep_login(ddl, &db, id, &create.options)?,
        false => keep_execute_as(ddl, &db, id, &create.options)?,
    }
    check_body(ddl, &db, id)
}

/// WITH EXECUTE AS of a trigger of the server names a login. 15151: there is none, or one may not act as it.
fn keep_login(ddl: &mut Ddl<'_>, master: &Arc<Database>, id: i32, options: &ModuleOptions) -> SqlResult<()> {
    ddl.rows(master, |rows| rows.delete::<ReferenceRow>(0, &[int(id), small(class::EXECUTE_AS)]))?;
    let own = ddl.rights(|rights, look| Ok(rights.login(look)?.map(|login| login.id)))?;
    let login = match options.execute_as.as_ref().map(|context| &context.principal) {
        None | Some(ExecuteAsPrincipal::Caller | ExecuteAsPrincipal::Owner) => return Ok(()),
        Some(ExecuteAsPrincipal::SelfUser) => match own {
            Some(own) => own,
            None => return Ok(()),
        },
        Some(ExecuteAsPrincipal::User(name) | ExecuteAsPrincipal::Login(name)) => {
            let Expr::Literal(Literal::String { text: name, .. }) = name else { return Err(sql_error!(102, "@")) };
            let missing = || cannot_find("execute as", "login", name);
            let row = ddl.rows(master, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))?;
            let row = row.filter(|row| row.kind.as_str() != "R").ok_or_else(missing)?;
            if own != Some(row.id) && !ddl.login_permission(Class::Login, row.id, "IMPERSONATE")? {
                return Err(missing());
            }
            row.id
        }
    };
    let row =
        ReferenceRow { class: class::EXECUTE_AS, depid: id, depsubid: 0, indepid: login, indepsubid: 0, status: 0 };
    ddl.rows(master, |rows| rows.insert(&row))
}

pub fn drop(ddl: &mut Ddl<'_>, drop: &Drop) -> SqlResult<()> {
    let scope = Scope::of(ddl, drop.scope.as_ref().expect("it names its scope"))?;
    for name in &drop.names {
        check_name(name)?;
        let Some(row) = scope.find(ddl, &name.name)? else {
            if drop.if_exists {
                continue;
            }
            return Err(cannot_drop("trigger", &name.name, 5));
        };
        ddl.lock(&scope.db, row.id)?;
        ddl.site.server().plans.forget_module(scope.db.id.0, row.id);
        table::erase(ddl, &scope.db, &row)?;
    }
    Ok(())
}

/// ENABLE, DISABLE TRIGGER.
pub fn switch(ddl: &mut Ddl<'_>, switch: &SwitchTrigger) -> SqlResult<()> {
    let scope = Scope::of(ddl, &switch.on)?;
    let chosen = match &switch.triggers {
        None => scope.all(ddl)?,
        Some(names) => {
            let mut chosen = Vec::new();
            for name in names {
                check_name(name)?;
                let found = scope.find(ddl, &name.name)?;
                chosen.push(found.ok_or_else(|| sql_error!(1088, state 119, &*name.name))?);
            }
            chosen
        }
    };
    for row in chosen {
        ddl.lock(&scope.db, row.id)?;
        ddl.rows(&scope.db, |rows| {
            rows.update::<ObjectRow>(0, &[int(row.id)], |row| {
                row.status = if switch.enable { row.status & !os_::DISABLED } else { row.status | os_::DISABLED };
            })
        })?;
        ddl.changed(scope.db.id, row.id);
    }
    Ok(())
}

/// sp_settriggerorder: `name` is the first or last, or neither, of those that an event fires. Without a scope it is a table's.
///
/// 15165: there is no such trigger; 15600: what is named is no event; 15125: it does not fire for that; 15133: it is
/// the only one; 15130: another has that place.
/// https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-settriggerorder-transact-sql
pub fn set_order(ddl: &mut Ddl<'_>, scope: Option<&Scope>, name: &str, order: i32, event: &str) -> SqlResult<()> {
    debug_assert!([0, FIRST, LAST].contains(&order), "the places that there are");
    let missing = || sql_error!(15165, name);
    let (db, row, others) = match scope {
        Some(scope) => {
            let row = scope.find(ddl, name)?.ok_or_else(missing)?;
            let permitted = match scope.is_of_server() {
                true => ddl.server_permission("CONTROL SERVER")?,
                false => ddl.database_permission(&scope.db, "ALTER ANY DATABASE DDL TRIGGER")?,
            };
            if !permitted {
                return Err(missing());
            }
            (scope.db.clone(), row, scope.all(ddl)?)
        }
        None => {
            let parsed = sql::catalog::ObjectName::from_text(name).ok_or_else(missing)?;
            let (db, row) =
                ddl.find(&parsed.into())?.filter(|(_, row)| row.kind.as_str() == "TR").ok_or_else(missing)?;
            if !ddl.object_permission(&db, &row, "ALTER")? {
                return Err(missing());
            }
            let mut others = ddl.rows(&db, |rows| rows.find::<ObjectRow>(BY_PARENT, &[int(row.pid)]))?;
            others.retain(|other| other.kind.as_str() == "TR");
            (db, row, others)
        }
    };
    let shown = event.to_ascii_lowercase();
    let invalid = || sql_error!(15600, "sp_settriggerorder");
    let number = match scope {
        Some(scope) => match event_type::named(event) {
            Some(known) if !known.is_group() && (known != LOGON || scope.is_of_server()) => known.number,
            _ => return Err(invalid()),
        },
        None => 1 + ACTIONS.iter().position(|action| event.eq_ignore_ascii_case(action)).ok_or_else(invalid)? as i32,
    };
    let key = |id: i32| [int(id), small(class::TRIGGER_EVENT), int(number)];
    let place = |ddl: &mut Ddl<'_>, id: i32| ddl.rows(&db, |rows| rows.first::<KeyReferenceRow>(0, &key(id)));
    let own = place(ddl, row.id)?;
    let fires = match scope {
        Some(_) => own.is_some(),
        None => row.status & ACTION_BITS[number as usize - 1] != 0,
    };
    if !fires {
        return Err(sql_error!(15125, name, shown));
    }
    // Of what takes an action's place there is one.
    if scope.is_none() && row.status & os_::INSTEAD_OF != 0 {
        return Err(sql_error!(15133, name));
    }
    if order != 0 {
        for other in others.iter().filter(|other| other.id != row.id) {
            if place(ddl, other.id)?.is_some_and(|taken| taken.status == order) {
                let word = if order == FIRST { "first" } else { "last" };
                return Err(sql_error!(15130, word, shown));
            }
        }
    }
    ddl.lock(&db, row.id)?;
    match own {
        Some(_) => {
            ddl.rows(&db, |rows| rows.update::<KeyReferenceRow>(0, &key(row.id), |row| row.status = order))?;
        }
        None => {
            let kept = KeyReferenceRow {
                class: class::TRIGGER_EVENT,
                depid: row.id,
                depsubid: number,
                indepid: 0,
                indepsubid: 0,
                status: order,
            };
            ddl.rows(&db, |rows| rows.insert(&kept))?;
        }
    }
    if row.pid != 0 {
        ddl.changed(db.id, row.pid);
    }
    ddl.touch(&db, row.id)
}
