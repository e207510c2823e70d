//! Whether somebody has a permission: the algorithm of "Permissions (Database Engine)", summary of the permission check algorithm.
//!
//! What is granted or denied to any of the principals that somebody is counts, on the securable and on all that contain it, for the
//! permission itself and for all that imply it. A denial wins; but a column's grant wins over the table's denial.

use types::SqlResult;

use super::actor::{DBO, Look, Who};
use super::hierarchy::{self, Class, Permission};
use super::role;
use crate::catalog::Database;
use crate::catalog::base::{ClassRow, ObjectRow, OwnerRow, PrivilegeRow, TypeRow, class};
use crate::catalog::load::{int, small};
use crate::catalog::row::Code;

/// What a permission is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Securable {
    pub class: Class,
    /// 0: the server, the database.
    pub id: i32,
    /// Of an object or type.
    pub schema: i32,
    /// The principal that owns it. Who owns something has CONTROL of it, and cannot be denied that.
    pub owner: Option<i32>,
    /// Of the schema it is in.
    pub schema_owner: Option<i32>,
}

impl Securable {
    pub const SERVER: Securable = Securable::plain(Class::Server, 0);
    pub const DATABASE: Securable = Securable::plain(Class::Database, 0);

    pub const fn plain(class: Class, id: i32) -> Securable {
        Securable { class, id, schema: 0, owner: None, schema_owner: None }
    }

    pub fn schema(look: &mut Look<'_>, db: &Database, id: i32) -> SqlResult<Securable> {
        Ok(Securable { owner: schema_owner(look, db, id)?, ..Securable::plain(Class::Schema, id) })
    }

    /// None: there is no such object.
    pub fn object(look: &mut Look<'_>, db: &Database, id: i32) -> SqlResult<Option<Securable>> {
        match look.rows(db, |rows| rows.first::<ObjectRow>(0, &[int(id)]))? {
            Some(row) => Securable::of_row(look, db, &row),
            None => Ok(None),
        }
    }

    /// A trigger or a constraint is as its table is.
    pub fn of_row(look: &mut Look<'_>, db: &Database, row: &ObjectRow) -> SqlResult<Option<Securable>> {
        match row.pid {
            0 => Securable::of_object(look, db, row).map(Some),
            parent => Securable::object(look, db, parent),
        }
    }

    pub fn of_object(look: &mut Look<'_>, db: &Database, row: &ObjectRow) -> SqlResult<Securable> {
        let schema_owner = schema_owner(look, db, row.nsid)?;
        let owner = row.owner.or(schema_owner);
        Ok(Securable { class: Class::Object, id: row.id, schema: row.nsid, owner, schema_owner })
    }

    pub fn data_type(look: &mut Look<'_>, db: &Database, row: &TypeRow) -> SqlResult<Securable> {
        let owner = schema_owner(look, db, row.schid)?;
        Ok(Securable { class: Class::Type, id: row.id, schema: row.schid, owner, schema_owner: owner })
    }

    /// Its row is in the space of its schema's collections.
    pub fn xml_collection(look: &mut Look<'_>, db: &Database, row: &ObjectRow) -> SqlResult<Securable> {
        let schema = -row.nsid;
        let schema_owner = schema_owner(look, db, schema)?;
        let owner = row.owner.or(schema_owner);
        Ok(Securable { class: Class::XmlSchemaCollection, id: row.id, schema, owner, schema_owner })
    }

    /// dbo's, as all are.
    pub fn certificate(id: i32) -> Securable {
        Securable { owner: Some(DBO), ..Securable::plain(Class::Certificate, id) }
    }

    /// A user, role or application role.
    pub fn principal(row: &OwnerRow) -> Securable {
        let class = match row.kind.as_str() {
            "R" => Class::Role,
            "A" => Class::ApplicationRole,
            _ => Class::User,
        };
        Securable { owner: (class == Class::Role).then_some(row.owner), ..Securable::plain(class, row.id) }
    }
}

fn schema_owner(look: &mut Look<'_>, db: &Database, schema: i32) -> SqlResult<Option<i32>> {
    let key = [small(class::SCHEMA_ENTRY), int(schema)];
    Ok(look.rows(db, |rows| rows.first::<ClassRow>(0, &key))?.map(|row| row.owner))
}

/// What was found out about a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Granted,
    Refused,
    /// Because of this column: of what is asked only some columns are permitted.
    RefusedColumn(u32),
}

/// All that is granted or denied to somebody on something and on what contains it.
pub struct Entries {
    class: Class,
    /// Nobody is asked: a sysadmin, dbo, the owner.
    all: bool,
    /// He is nobody in the database.
    nobody: bool,
    /// CONTROL by owning the schema.
    owns_schema: bool,
    found: Vec<Entry>,
}

struct Entry {
    class: Class,
    code: Code<4>,
    column: u32,
    grantee: i32,
    says: Says,
}

#[derive(Clone, Copy, PartialEq)]
enum Says {
    Granted,
    Denied,
    /// What its grantee has of the whole does not reach the column.
    Revoked,
}

/// `state` of sys.database_permissions, of a column that was revoked from who has the whole object.
pub const REVOKED: &str = "R";

fn is_of_server(class: Class) -> bool {
    matches!(class, Class::Server | Class::Login | Class::ServerRole | Class::Endpoint)
}

impl Entries {
    pub fn of(look: &mut Look<'_>, db: Option<&Database>, who: &Who, on: &Securable) -> SqlResult<Entries> {
        let sysadmin = who.login.as_ref().is_some_and(|login| login.sysadmin);
        let mut entries =
            Entries { class: on.class, all: sysadmin, nobody: false, owns_schema: false, found: Vec::new() };
        let users: &[i32] = who.user.as_ref().map_or(&[], |user| &user.ids);
        if !is_of_server(on.class) && !sysadmin {
            let Some(user) = &who.user else { return Ok(Entries { nobody: true, ..entries }) };
            entries.all = user.dbo || on.owner.is_some_and(|owner| user.ids.contains(&owner));
        }
        let mut next = Some(on.class).filter(|_| !entries.all);
        while let Some(class) = next {
            next = class.parent();
            let id = match class {
                class if class == on.class => on.id,
                Class::Schema => on.schema,
                _ => 0,
            };
            let ids: &[i32] = match (is_of_server(class), &who.login) {
                (true, Some(login)) => &login.ids,
                (true, None) => continue,
                (false, _) => users,
            };
            entries.owns_schema |= class == Class::Schema && on.schema_owner.is_some_and(|owner| ids.contains(&owner));
            let of_roles = role::permissions(class).iter().filter(|(role, ..)| ids.contains(role));
            entries.found.extend(of_roles.map(|(role, code, state)| Entry {
                class,
                code: Code::new(code),
                column: 0,
                grantee: *role,
                says: if *state == "D" { Says::Denied } else { Says::Granted },
            }));
            let key = [small(class.number()), int(id)];
            let rows: Vec<PrivilegeRow> = match (is_of_server(class), db) {
                (false, Some(db)) => look.rows(db, |rows| rows.find(0, &key))?,
                _ => look.master(|rows| rows.find(0, &key))?,
            };
            let own = rows.into_iter().filter(|row| ids.contains(&row.grantee));
            entries.found.extend(own.map(|row| Entry {
                class,
                code: row.kind,
                column: row.subid as u32,
                grantee: row.grantee,
                says: match row.state.as_str() {
                    "D" => Says::Denied,
                    REVOKED => Says::Revoked,
                    _ => Says::Granted,
                },
            }));
        }
        Ok(entries)
    }

    /// `columns`: those that it is asked for; none: any.
    pub fn judge(&self, permission: &'static Permission, columns: &[u32]) -> Decision {
        if self.all {
            return Decision::Granted;
        }
        if self.nobody {
            return Decision::Refused;
        }
        let implying = hierarchy::implying(permission);
        let mut found = Found::default();
        let wanted = |class: Class, code: &str| implying.iter().any(|known| known.class == class && known.code == code);
        if self.owns_schema && wanted(Class::Schema, "CL") {
            found.granted.push(NOBODY);
        }
        for entry in self.found.iter().filter(|entry| wanted(entry.class, entry.code.as_str())) {
            match (entry.column, entry.says) {
                (0, Says::Denied) if entry.class == self.class && entry.code.as_str() == permission.code => {
                    found.denied_here = true;
                }
                (0, Says::Denied) => found.denied = true,
                (0, _) => found.granted.push(entry.grantee),
                (column, says) => found.columns.push((column, says, entry.grantee)),
            }
        }
        if columns.is_empty() {
            return if found.whole() { Decision::Granted } else { Decision::Refused };
        }
        let refused = columns.iter().map(|column| found.column(*column)).find(|found| *found != Decision::Granted);
        refused.unwrap_or(Decision::Granted)
    }
}

/// In place of the principal that was granted something: it comes with owning.
const NOBODY: i32 = i32::MIN;

/// The entries that decide.
#[derive(Default)]
struct Found {
    /// To whom the whole is granted.
    granted: Vec<i32>,
    denied: bool,
    /// The securable itself, for the very permission: what a column's entry overrides.
    denied_here: bool,
    columns: Vec<(u32, Says, i32)>,
}

impl Found {
    fn column(&self, column: u32) -> Decision {
        let own = |said: Says| self.columns.iter().any(|(other, says, _)| *other == column && *says == said);
        if self.denied {
            return Decision::Refused;
        }
        if own(Says::Denied) {
            return Decision::RefusedColumn(column);
        }
        let reaches = |grantee: &i32| !self.columns.contains(&(column, Says::Revoked, *grantee));
        if own(Says::Granted) || self.granted.iter().any(reaches) && !self.denied_here {
            return Decision::Granted;
        }
        if self.denied_here || self.columns.is_empty() { Decision::Refused } else { Decision::RefusedColumn(column) }
    }

    /// Of the object as a whole, where any column is enough.
    fn whole(&self) -> bool {
        let column = self.columns.iter().any(|(_, says, _)| *says == Says::Granted);
        !self.denied && (column || !self.granted.is_empty() && !self.denied_here)
    }
}

/// `columns`: those that it is asked for; none: any.
pub fn decide(
    look: &mut Look<'_>,
    db: Option<&Database>,
    who: &Who,
    on: &Securable,
    permission: &'static Permission,
    columns: &[u32],
) -> SqlResult<Decision> {
    Ok(Entries::of(look, db, who, on)?.judge(permission, columns))
}

/// Whether somebody may know of something: he has some permission for it.
/// https://learn.microsoft.com/sql/relational-databases/security/metadata-visibility-configuration
pub fn is_seen(look: &mut Look<'_>, db: Option<&Database>, who: &Who, on: &Securable) -> SqlResult<bool> {
    let entries = Entries::of(look, db, who, on)?;
    let of_class = hierarchy::PERMISSIONS.iter().filter(|permission| permission.class == on.class);
    Ok(of_class.into_iter().any(|permission| entries.judge(permission, &[]) == Decision::Granted))
}

/// Whether one who owns what names an object owns that object too, so that nobody is asked on the way from one to the other.
/// https://learn.microsoft.com/sql/relational-databases/security/tutorial-ownership-chains-and-context-switching
pub fn is_chained(look: &mut Look<'_>, from: (&Database, i32), to: (&Database, i32)) -> SqlResult<bool> {
    let owner = |look: &mut Look<'_>, (db, id): (&Database, i32)| -> SqlResult<Option<i32>> {
        Ok(Securable::object(look, db, id)?.and_then(|object| object.owner))
    };
    let (Some(first), Some(second)) = (owner(look, from)?, owner(look, to)?) else { return Ok(false) };
    if from.0.id == to.0.id {
        return Ok(first == second);
    }
    // Across databases: both must let it pass, and the owners must be one login.
    if !may_chain(look, from.0) || !may_chain(look, to.0) {
        return Ok(false);
    }
    let sid = |look: &mut Look<'_>, db: &Database, id: i32| -> SqlResult<Option<Vec<u8>>> {
        let row = look.rows(db, |rows| rows.first::<OwnerRow>(0, &[int(id)]))?;
        let own = row.and_then(|row| row.sid.0.map(|sid| sid.to_vec()));
        Ok(if id == super::actor::DBO { db.row().owner_sid.0.as_deref().map(<[u8]>::to_vec).or(own) } else { own })
    };
    let (first, second) = (sid(look, from.0, first)?, sid(look, to.0, second)?);
    Ok(first.is_some() && first == second)
}

/// DB_CHAINING, which master, msdb and tempdb have, or sp_configure 'cross db ownership chaining'.
fn may_chain(look: &Look<'_>, db: &Database) -> bool {
    use crate::catalog::base::database_option::DB_CHAINING;
    use crate::settings::config::option;
    let system = db.id.0 <= 4 && db.id.0 != 3;
    system || db.option(DB_CHAINING) || look.catalog.configuration.running(option::CROSS_DB_OWNERSHIP_CHAINING) != 0
}
