//! GRANT, DENY, REVOKE: kept in the catalog as SQL Server keeps them.
//! https://learn.microsoft.com/sql/t-sql/statements/grant-transact-sql, and revoke, deny

use std::sync::Arc;

use sql::ast::{ObjectName, Permission as Statement, PermissionItem, PermissionVerb};
use types::{SqlResult, sql_error};

use super::data_type::find_type;
use super::site::{Ddl, cannot_find};
use crate::catalog::base::{CertificateRow, ColumnRow, LoginRow, OwnerRow, PrivilegeRow};
use crate::catalog::load::{self, int, name as name_datum, small};
use crate::catalog::row::Code;
use crate::catalog::{Database, MASTER, TEMPDB, scalar_type};
use crate::security::actor::{self, GUEST, Who};
use crate::security::check::{self, REVOKED, Securable};
use crate::security::hierarchy::{self, Class, PERMISSIONS, Permission};

/// What a statement is about: what it is, and what is named with it.
struct Subject {
    on: Securable,
    /// As messages call it: its class and its name.
    word: &'static str,
    shown: String,
    /// Columns named with the object.
    columns: Vec<i32>,
    /// Names of the columns of a table, to find those named with a permission.
    table: Option<i32>,
    /// Of an object its type, as `sys.objects` has it.
    kind: String,
}

impl Subject {
    fn is_of_server(&self) -> bool {
        matches!(self.on.class, Class::Server | Class::Login | Class::ServerRole | Class::Endpoint)
    }
}

pub fn permission(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    let subject = subject(ddl, statement)?;
    let server = subject.is_of_server();
    let db = if server { ddl.catalog.expect_database(MASTER) } else { ddl.current()? };
    let wanted = wanted(ddl, &db, statement, &subject)?;
    let mut grantees = Vec::new();
    for name in &statement.principals {
        let grantee = if server { login(ddl, name)? } else { principal(ddl, &db, name)? };
        if let Some(state) = has_it_anyway(ddl, &db, &subject, grantee)? {
            // Told, not refused: nothing of the statement is done.
            ddl.message(sql_error!(4624, state state));
            return Ok(());
        }
        check_grantee(ddl, &db, &subject, statement, grantee, &wanted)?;
        grantees.push(grantee);
    }
    let named = match &statement.grantor {
        Some(name) => Some(named_grantor(ddl, &db, server, name)?),
        None => None,
    };
    let mut changes = Vec::new();
    for (known, columns) in wanted {
        changes.push((known, grantor(ddl, &db, &subject, statement.verb, known, named)?, columns));
    }
    for grantee in grantees {
        for (known, grantor, columns) in &changes {
            let entry = Entry { on: &subject.on, known, grantee, grantor: *grantor };
            if columns.is_empty() {
                write(ddl, &db, statement, &entry, 0)?;
            }
            for column in columns {
                write(ddl, &db, statement, &entry, *column)?;
            }
        }
    }
    Ok(())
}

/// The permissions that a statement names, each with the columns it is about.
fn wanted(
    ddl: &mut Ddl<'_>,
    db: &Database,
    statement: &Statement,
    subject: &Subject,
) -> SqlResult<Vec<(&'static Permission, Vec<i32>)>> {
    let mut wanted = Vec::new();
    let all = |name: &str| name == "ALL" || name == "ALL PRIVILEGES";
    if statement.permissions.iter().any(|item| all(&item.name)) {
        if !matches!(subject.on.class, Class::Database | Class::Object) {
            return Err(sql_error!(4623));
        }
        ddl.message(sql_error!(4628));
    }
    for item in &statement.permissions {
        let mut columns = subject.columns.clone();
        if let Some(table) = subject.table {
            for column in &item.columns {
                columns.push(column_id(ddl, db, table, column)?);
            }
        }
        let known = if all(&item.name) { all_of(subject, db) } else { vec![find(&item.name, subject, db)?] };
        wanted.extend(known.into_iter().map(|known| (known, columns.clone())));
    }
    Ok(wanted)
}

/// The state of 4624: nobody is granted or denied what is his anyway.
fn has_it_anyway(ddl: &mut Ddl<'_>, db: &Arc<Database>, subject: &Subject, grantee: i32) -> SqlResult<Option<u8>> {
    let server = subject.is_of_server();
    let own = ddl.rights(|rights, look| {
        Ok(match server {
            true => rights.login(look)?.is_some_and(|login| login.id == grantee),
            false => rights.user(look, db)?.is_some_and(|user| user.id == grantee),
        })
    })?;
    let nobody = if server { grantee == 1 } else { matches!(grantee, 1 | 3 | 4) };
    Ok(match own || nobody {
        true => Some(2),
        false => (subject.on.owner == Some(grantee)).then_some(3),
    })
}

/// 4617: fixed roles have what they have. 4627: who connects is no role. 15182: master and tempdb are everybody's.
fn check_grantee(
    ddl: &mut Ddl<'_>,
    db: &Database,
    subject: &Subject,
    statement: &Statement,
    grantee: i32,
    wanted: &[(&'static Permission, Vec<i32>)],
) -> SqlResult<()> {
    let server = subject.is_of_server();
    let fixed = if server { (3..=actor::FIXED_LOGIN_MAX).contains(&grantee) } else { actor::is_fixed_role(grantee) };
    if fixed {
        return Err(sql_error!(4617));
    }
    if subject.on.class != Class::Database || !wanted.iter().any(|(known, _)| known.code == "CO") {
        return Ok(());
    }
    if grantee == GUEST && statement.verb != PermissionVerb::Grant && matches!(db.id, MASTER | TEMPDB) {
        return Err(sql_error!(15182));
    }
    let row = ddl.rows(db, |rows| rows.first::<OwnerRow>(0, &[int(grantee)]))?;
    match row.is_some_and(|row| row.kind.as_str() != "S") {
        true => Err(sql_error!(4627)),
        false => Ok(()),
    }
}

/// Whom AS names: oneself, a role that one is in, or whom one may act as. 15151
fn named_grantor(ddl: &mut Ddl<'_>, db: &Arc<Database>, server: bool, name: &str) -> SqlResult<i32> {
    let id = if server { login(ddl, name)? } else { principal(ddl, db, name)? };
    let on = match server {
        true => Securable::plain(Class::Login, id),
        false => {
            let row = ddl.rows(db, |rows| rows.first::<OwnerRow>(0, &[int(id)]))?;
            Securable::principal(&row.expect("found by its name"))
        }
    };
    let held = ddl.rights(|rights, look| {
        let is_in = match server {
            true => rights.login(look)?.is_some_and(|login| login.ids.contains(&id)),
            false => rights.user(look, db)?.is_some_and(|user| user.dbo || user.ids.contains(&id)),
        };
        let acts = if matches!(on.class, Class::User | Class::Login) { "IMPERSONATE" } else { "CONTROL" };
        Ok(is_in || rights.holds(look, Some(db), &on, acts)?)
    })?;
    super::rights::expect(held, || cannot_find("find", if server { "login" } else { "user" }, name))?;
    Ok(id)
}

/// In whose name the permission is given: the owner's, by who controls the securable; else one's own, if it was given WITH GRANT OPTION,
/// which is no right to deny. 15151, 4613: one may not.
fn grantor(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    subject: &Subject,
    verb: PermissionVerb,
    known: &'static Permission,
    named: Option<i32>,
) -> SqlResult<i32> {
    let (on, server) = (subject.on, subject.is_of_server());
    let (controls, ids) = ddl.rights(|rights, look| {
        let control = hierarchy::find(on.class, if on.class == Class::Server { "CONTROL SERVER" } else { "CONTROL" });
        let control = control.expect("every class has it");
        let who = match (named, server) {
            (None, _) => rights.who(look, Some(db))?,
            (Some(id), true) => Who { login: actor::login_token(look, id)?.map(Arc::new), user: None },
            (Some(id), false) => Who { login: None, user: actor::user_token(look, db, id)?.map(Arc::new) },
        };
        let decision = match named {
            None => rights.decide(look, Some(db), &on, control, &[])?,
            Some(_) => check::decide(look, Some(db), &who, &on, control, &[])?,
        };
        let ids = match server {
            true => who.login.map(|login| login.ids.clone()),
            false => who.user.map(|user| user.ids.clone()),
        };
        Ok((decision == check::Decision::Granted, ids.unwrap_or_default()))
    })?;
    if controls {
        return Ok(if server { 1 } else { on.owner.unwrap_or(actor::DBO) });
    }
    let key = [small(on.class.number()), int(on.id), int(0)];
    let rows: Vec<PrivilegeRow> = ddl.rows(db, |rows| rows.find(0, &key))?;
    // A role's option is used in the role's name, which AS says.
    let option = |row: &&PrivilegeRow| {
        row.state.as_str() == "W" && row.kind.as_str() == known.code && ids.first() == Some(&row.grantee)
    };
    match rows.iter().find(option) {
        Some(row) if verb != PermissionVerb::Deny => Ok(row.grantee),
        _ if matches!(on.class, Class::Server | Class::Database) => Err(sql_error!(4613)),
        _ => Err(cannot_find("find", subject.word, &subject.shown)),
    }
}

/// What ALL stands for.
fn all_of(subject: &Subject, db: &Database) -> Vec<&'static Permission> {
    let all: &[&str] = match (subject.on.class, &*subject.kind) {
        (Class::Database, _) => &["BADB", "BALO", "CRDB", "CRDF", "CRFN", "CRPR", "CRRU", "CRTB", "CRVW"],
        (_, "P") => &["EX"],
        (_, "FN") => &["EX", "RF"],
        (_, "SO") => &["RF", "UP"],
        _ => &["DL", "IN", "RF", "SL", "UP"],
    };
    let of_class = PERMISSIONS.iter().filter(|known| known.class == subject.on.class && all.contains(&known.code));
    of_class.filter(|known| known.code != "CRDB" || db.id == MASTER).collect()
}

/// The permission of that name. 102: the class of the securable has none. 4606: nor has an object of its type. 4619, 4620.
fn find(name: &str, subject: &Subject, db: &Database) -> SqlResult<&'static Permission> {
    let name = match name {
        "EXEC" => "EXECUTE",
        "CREATE PROC" => "CREATE PROCEDURE",
        name => name,
    };
    let Some(known) = hierarchy::find(subject.on.class, name) else {
        let plain = matches!(subject.word, "server" | "database");
        let other = if subject.is_of_server() { Class::Database } else { Class::Server };
        return Err(match plain && hierarchy::find(other, name).is_some() {
            true => sql_error!(4620),
            false => sql_error!(102, name),
        });
    };
    if known.class == Class::Database && known.code == "CRDB" && db.id != MASTER {
        return Err(sql_error!(4619));
    }
    let fits = known.class != Class::Object
        || match known.code {
            "DL" | "IN" | "SL" => matches!(&*subject.kind, "U" | "V" | "IF" | "TF" | "SN"),
            "UP" => matches!(&*subject.kind, "U" | "V" | "IF" | "TF" | "SN" | "SO"),
            "EX" => matches!(&*subject.kind, "P" | "FN" | "SN"),
            "UMSK" => subject.kind == "U",
            // Of queues alone.
            "RC" => false,
            _ => true,
        };
    if fits { Ok(known) } else { Err(sql_error!(4606, name)) }
}

/// One permission on one securable for one principal.
struct Entry<'a> {
    on: &'a Securable,
    known: &'static Permission,
    grantee: i32,
    grantor: i32,
}

fn write(ddl: &mut Ddl<'_>, db: &Database, statement: &Statement, entry: &Entry<'_>, column: i32) -> SqlResult<()> {
    let class = entry.on.class.number();
    let code = Code::<4>::new(entry.known.code);
    let key = [small(class), int(entry.on.id)];
    ddl.rows(db, |rows| {
        let all: Vec<PrivilegeRow> = rows.find(0, &key)?;
        // A permission is taken back by who gave it.
        let revokes = statement.verb == PermissionVerb::Revoke;
        let mine = |row: &&PrivilegeRow| {
            row.kind == code && row.grantee == entry.grantee && (!revokes || row.grantor == entry.grantor)
        };
        // What is said of an object is said of each of its columns.
        let here = |row: &PrivilegeRow| row.kind == code && (row.subid == column || column == 0);
        let with_option = all.iter().filter(mine).any(|row| here(row) && row.state.as_str() == "W");
        let takes_away = statement.verb != PermissionVerb::Grant;
        if takes_away && with_option && !statement.cascade {
            return Err(sql_error!(4611));
        }
        let mut remove = |row: &PrivilegeRow| {
            let key = [small(class), int(row.id), int(row.subid), int(row.grantee), int(row.grantor)];
            rows.delete_if::<PrivilegeRow>(0, &key, |other| other.kind == code)
        };
        if takes_away && with_option {
            // Who had it WITH GRANT OPTION gave it on.
            let mut givers = vec![entry.grantee];
            let mut at = 0;
            while let Some(&giver) = givers.get(at) {
                for row in all.iter().filter(|row| here(row) && row.grantor == giver && row.grantee != entry.grantee) {
                    remove(row)?;
                    if !givers.contains(&row.grantee) {
                        givers.push(row.grantee);
                    }
                }
                at += 1;
            }
        }
        if revokes && statement.grant_option {
            // REVOKE GRANT OPTION FOR leaves the permission itself.
            let mut kept = Vec::new();
            for row in all.iter().filter(mine).filter(|row| here(row) && row.state.as_str() == "W") {
                remove(row)?;
                kept.push(PrivilegeRow { state: Code::new("G"), ..row.clone() });
            }
            return kept.iter().try_for_each(|row| rows.insert(row));
        }
        for row in all.iter().filter(mine).filter(|row| here(row)) {
            remove(row)?;
        }
        // The whole object's is kept, and so is that it does not reach this column; a denial that is taken back leaves it as it was.
        let of_whole = |row: &PrivilegeRow| row.subid == 0 && matches!(row.state.as_str(), "G" | "W");
        let was_denied = all.iter().filter(mine).any(|row| here(row) && row.state.as_str() == "D");
        let state = match (statement.verb, statement.grant_option) {
            (PermissionVerb::Grant, true) => "W",
            (PermissionVerb::Grant, false) => "G",
            (PermissionVerb::Deny, _) => "D",
            (PermissionVerb::Revoke, _) if column != 0 && !was_denied && all.iter().filter(mine).any(of_whole) => {
                REVOKED
            }
            (PermissionVerb::Revoke, _) => return Ok(()),
        };
        rows.insert(&PrivilegeRow {
            class,
            id: entry.on.id,
            subid: column,
            grantee: entry.grantee,
            grantor: entry.grantor,
            kind: code,
            state: Code::new(state),
            name: entry.known.name.to_string(),
        })
    })
}

fn subject(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<Subject> {
    let Some(on) = &statement.on else {
        // What only a server has is the server's.
        let of_server = |name: &str| {
            hierarchy::find(Class::Server, name).is_some() && hierarchy::find(Class::Database, name).is_none()
        };
        if statement.permissions.iter().any(|item| of_server(&item.name)) {
            in_master(ddl)?;
            return Ok(plain(Securable::SERVER, "server", ""));
        }
        return Ok(plain(Securable::DATABASE, "database", ""));
    };
    let name = &*on.name.name;
    match on.class.as_deref() {
        None | Some("OBJECT") => of_object(ddl, on),
        Some("SCHEMA") => {
            let db = ddl.current()?;
            let row = ddl.rows(&db, |rows| load::schema_named(rows, name))?;
            let id = row.ok_or_else(|| cannot_find("find", "schema", name))?.id;
            let on = ddl.rights(|_, look| Securable::schema(look, &db, id))?;
            Ok(plain(on, "schema", name))
        }
        Some("DATABASE") => match ddl.catalog.database_named(name) {
            None => Err(cannot_find("find", "database", name)),
            Some(db) if db.id == ddl.current()?.id => Ok(plain(Securable::DATABASE, "database", name)),
            Some(_) => Err(sql_error!(4610)),
        },
        // Whatever the server is called there.
        Some("SERVER") => {
            in_master(ddl)?;
            Ok(plain(Securable::SERVER, "server", ""))
        }
        Some("LOGIN") => {
            in_master(ddl)?;
            Ok(plain(Securable::plain(Class::Login, login(ddl, name)?), "login", name))
        }
        Some("SERVER ROLE") => {
            in_master(ddl)?;
            Ok(plain(Securable::plain(Class::ServerRole, login(ddl, name)?), "server role", name))
        }
        Some("USER") => of_principal(ddl, statement, Class::User, "user", name),
        Some("ROLE") => of_principal(ddl, statement, Class::Role, "role", name),
        Some("APPLICATION ROLE") => of_principal(ddl, statement, Class::ApplicationRole, "application role", name),
        Some("TYPE") => {
            let Some(found) = find_type(ddl, &on.name)? else {
                let word = if scalar_type::by_name(name).is_some() { "object" } else { "type" };
                return Err(cannot_find("find", word, name));
            };
            let on = ddl.rights(|_, look| Securable::data_type(look, &found.0, &found.1))?;
            Ok(plain(on, "type", name))
        }
        Some("XML SCHEMA COLLECTION") => {
            let db = ddl.current()?;
            let found = super::xml_schema::find(ddl, &db, None, &on.name)?;
            let row = found.ok_or_else(|| cannot_find("find", "XML schema collection", name))?;
            let on = ddl.rights(|_, look| Securable::xml_collection(look, &db, &row))?;
            Ok(plain(on, "XML schema collection", name))
        }
        // They are in master.
        Some("CERTIFICATE") => {
            let db = ddl.current()?;
            let row = match db.id {
                MASTER => ddl.rows(&db, |rows| rows.first::<CertificateRow>(1, &[name_datum(name)]))?,
                _ => None,
            };
            let id = row.ok_or_else(|| cannot_find("find", "certificate", name))?.id;
            Ok(plain(Securable::certificate(id), "certificate", name))
        }
        Some("ENDPOINT") => {
            in_master(ddl)?;
            const ENDPOINTS: [(&str, i32); 3] =
                [("TSQL Local Machine", 2), ("TSQL Named Pipes", 3), ("TSQL Default TCP", 4)];
            let known = ENDPOINTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let (_, id) = known.ok_or_else(|| cannot_find("find", "endpoint", name))?;
            Ok(plain(Securable::plain(Class::Endpoint, *id), "endpoint", name))
        }
        Some(class) => Err(super::unsupported(&format!("GRANT ON {class}::"))),
    }
}

fn plain(on: Securable, word: &'static str, name: &str) -> Subject {
    Subject { on, word, shown: name.to_string(), columns: Vec::new(), table: None, kind: String::new() }
}

/// 4621
fn in_master(ddl: &mut Ddl<'_>) -> SqlResult<()> {
    if ddl.current()?.id == MASTER { Ok(()) } else { Err(sql_error!(4621, state 10)) }
}

/// A user, role or application role. What its class has not got is told before the name is looked at.
fn of_principal(
    ddl: &mut Ddl<'_>,
    statement: &Statement,
    class: Class,
    word: &'static str,
    name: &str,
) -> SqlResult<Subject> {
    let unknown = |item: &&PermissionItem| {
        !matches!(&*item.name, "ALL" | "ALL PRIVILEGES") && hierarchy::find(class, &item.name).is_none()
    };
    if let Some(item) = statement.permissions.iter().find(unknown) {
        return Err(sql_error!(102, &*item.name));
    }
    let db = ddl.current()?;
    let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    let row = row.ok_or_else(|| cannot_find("find", word, name))?;
    let on = Securable::principal(&row);
    // A fixed role is none that may be altered.
    if on.class != class || actor::is_fixed_role(row.id) {
        return Err(cannot_find("find", "object", name));
    }
    Ok(plain(on, word, name))
}

fn of_object(ddl: &mut Ddl<'_>, on: &sql::ast::Securable) -> SqlResult<Subject> {
    let current = ddl.current()?;
    if on.name.database.as_deref().is_some_and(|name| !name.is_empty() && !current.equal_names(&current.name(), name)) {
        return Err(sql_error!(4610));
    }
    let Some((db, row)) = ddl.find(&on.name)? else {
        // What all databases share is permitted in master, for all of them.
        let shared = on.name.schema.as_deref().is_some_and(|schema| {
            let of_sys = schema.eq_ignore_ascii_case("sys") && on.name.name.to_ascii_lowercase().starts_with("sp_");
            of_sys || schema.eq_ignore_ascii_case("INFORMATION_SCHEMA")
        });
        return Err(match shared && current.id != MASTER {
            true => sql_error!(4629, state 10),
            false => cannot_find("find", "object", &shown(&on.name)),
        });
    };
    if row.kind.as_str() == "SN" && !on.columns.is_empty() {
        return Err(sql_error!(1020, severity 16, state 3));
    }
    let mut columns = Vec::new();
    for column in &on.columns {
        columns.push(column_id(ddl, &db, row.id, column)?);
    }
    let securable = ddl.rights(|_, look| Securable::of_object(look, &db, &row))?;
    Ok(Subject {
        on: securable,
        word: "object",
        shown: shown(&on.name),
        columns,
        table: Some(row.id),
        kind: row.kind.as_str().to_string(),
    })
}

fn shown(name: &ObjectName) -> String {
    name.name.to_string()
}

fn column_id(ddl: &mut Ddl<'_>, db: &Database, table: i32, column: &str) -> SqlResult<i32> {
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(table), small(0)]))?;
    let found = columns.iter().find(|row| db.equal_names(&row.name, column));
    found.map(|row| row.colid).ok_or_else(|| sql_error!(4615, column))
}

/// The id of a user or role. 15151.
pub fn principal(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<i32> {
    let row = ddl.rows(db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    Ok(row.ok_or_else(|| cannot_find("find", "user", name))?.id)
}

/// The id of a login or server role. 15151.
pub fn login(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<i32> {
    let master = ddl.catalog.expect_database(MASTER);
    let row = ddl.rows(&master, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))?;
    Ok(row.ok_or_else(|| cannot_find("find", "login", name))?.id)
}
