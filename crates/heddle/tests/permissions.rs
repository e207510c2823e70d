//! Permissions: random GRANT, DENY, REVOKE and changes of roles against a small model of the documented rules, answers of
//! HAS_PERMS_BY_NAME and of really trying compared; and what a login without rights must be refused, by every way there is.
//! https://learn.microsoft.com/sql/relational-databases/security/permissions-database-engine
//!
//! More sequences, or one of them: SEEDS=10000, SEED=4711.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "matrix/attempts.rs"]
mod attempts;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use attempts::{ATTEMPTS, SETUP};
use lab::client::{Answer, Connection};
use support::ask::{ask, must};
use support::random::{Random, number};
use support::{Server, target};
use types::Datum;

const SEEDS: u64 = 150;
/// Statements of a sequence.
const STEPS: usize = 14;

const USERS: [&str; 3] = ["u0", "u1", "u2"];
const ROLES: [&str; 3] = ["r0", "r1", "r2"];
const FIXED: [&str; 5] = ["db_datareader", "db_datawriter", "db_denydatareader", "db_denydatawriter", "db_owner"];
const TABLES: [(&str, &str); 3] = [("s0", "t0"), ("s0", "t1"), ("s1", "t2")];
const COLUMNS: [&str; 2] = ["a", "b"];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Database,
    Schema(&'static str),
    Table(usize),
    Column(usize, &'static str),
}

impl Place {
    fn written(self) -> String {
        match self {
            Place::Database => String::new(),
            Place::Schema(schema) => format!(" ON SCHEMA::{schema}"),
            Place::Table(at) => format!(" ON {}.{}", TABLES[at].0, TABLES[at].1),
            Place::Column(at, column) => format!(" ON {}.{} ({column})", TABLES[at].0, TABLES[at].1),
        }
    }
}

/// What the documented rules say, and nothing of how the server finds it out.
#[derive(Default)]
struct Model {
    /// (principal, permission, place) -> denied.
    entries: BTreeMap<(&'static str, &'static str, Place), bool>,
    /// (role, member).
    members: BTreeSet<(&'static str, &'static str)>,
}

impl Model {
    fn is_in(&self, role: &str, member: &str) -> bool {
        role == member || self.members.iter().any(|(of, who)| *of == role && self.is_in(who, member))
    }

    fn all_of(&self, user: &str) -> Vec<&'static str> {
        let roles = ROLES.iter().chain(&FIXED).copied().filter(|role| self.is_in(role, user));
        let own = USERS.iter().copied().filter(|own| *own == user);
        own.chain(roles).chain(["public"]).collect()
    }

    fn change(&mut self, denied: Option<bool>, permission: &'static str, place: Place, to: &'static str) {
        if let Place::Table(at) = place {
            // What is said of a table is said of its columns.
            self.entries.retain(|(who, of, place), _| {
                *who != to || *of != permission || !matches!(place, Place::Column(of, _) if *of == at)
            });
        }
        match denied {
            Some(denied) => self.entries.insert((to, permission, place), denied),
            None => self.entries.remove(&(to, permission, place)),
        };
    }

    /// Whether one has a permission for a column of a table, or for the table.
    fn allows(&self, user: &str, permission: &'static str, table: usize, column: Option<&'static str>) -> bool {
        let who = self.all_of(user);
        let said = |permission: &'static str, place: Place| {
            let found = who.iter().filter_map(|who| self.entries.get(&(*who, permission, place)));
            found.fold((false, false), |(granted, denied), entry| (granted | !entry, denied | *entry))
        };
        let schema = Place::Schema(TABLES[table].0);
        let (mut granted, mut denied) = (false, false);
        for place in [Place::Database, schema, Place::Table(table)] {
            for implying in [permission, "CONTROL"] {
                if place == Place::Table(table) && implying == permission {
                    continue;
                }
                let (grants, denies) = said(implying, place);
                (granted, denied) = (granted | grants, denied | denies);
            }
        }
        let writes = permission != "SELECT";
        let fixed = |role: &str| who.contains(&role);
        granted |= fixed("db_owner") || fixed(if writes { "db_datawriter" } else { "db_datareader" });
        denied |= fixed(if writes { "db_denydatawriter" } else { "db_denydatareader" });
        let (here, not_here) = said(permission, Place::Table(table));
        let column = column.map_or((false, false), |column| said(permission, Place::Column(table, column)));
        !denied && !column.1 && (column.0 || (granted || here) && !not_here)
    }
}

fn error_of(answer: &Answer) -> Option<i32> {
    answer.first_error().map(|message| message.number)
}

/// A statement of the sequence, on the server and in the model.
fn step(random: &mut Random, model: &mut Model) -> Option<String> {
    if random.below(5) == 0 {
        let role = random.pick(&[&ROLES[..], &FIXED[..]].concat());
        let member = random.pick(&[&USERS[..], &ROLES[..]].concat());
        if random.below(3) == 0 {
            model.members.remove(&(role, member));
            return Some(format!("ALTER ROLE {role} DROP MEMBER {member}"));
        }
        // A role in itself is refused.
        if model.is_in(member, role) {
            return None;
        }
        model.members.insert((role, member));
        return Some(format!("ALTER ROLE {role} ADD MEMBER {member}"));
    }
    let permission = random.pick(&["SELECT", "INSERT", "UPDATE", "DELETE", "CONTROL"]);
    let table = random.below(TABLES.len());
    let by_column = matches!(permission, "SELECT" | "UPDATE");
    let place = match random.below(8) {
        0 => Place::Database,
        1 => Place::Schema(TABLES[table].0),
        2 | 3 if by_column => Place::Column(table, random.pick(&COLUMNS)),
        _ => Place::Table(table),
    };
    let to = random.pick(&[&USERS[..], &ROLES[..], &["public"]].concat());
    let (verb, denied) =
        random.pick(&[("GRANT", Some(false)), ("GRANT", Some(false)), ("DENY", Some(true)), ("REVOKE", None)]);
    model.change(denied, permission, place, to);
    Some(format!("{verb} {permission}{} TO {to}", place.written()))
}

/// Compares all that a user may do. `told`: the sequence, for the message.
fn compare(connection: &mut Connection, model: &Model, user: &'static str, told: &[String]) {
    must(connection, &format!("EXECUTE AS USER = '{user}'"));
    for (at, (schema, table)) in TABLES.iter().enumerate() {
        let name = format!("{schema}.{table}");
        let tries: [(&str, Option<&'static str>, String); 6] = [
            ("SELECT", Some("a"), format!("SELECT a FROM {name}")),
            ("SELECT", Some("b"), format!("SELECT b FROM {name}")),
            ("UPDATE", Some("a"), format!("UPDATE {name} SET a = 1")),
            ("UPDATE", Some("b"), format!("UPDATE {name} SET b = 1")),
            ("INSERT", None, format!("INSERT {name} VALUES (1, 1)")),
            ("DELETE", None, format!("DELETE {name}")),
        ];
        for (permission, column, statement) in tries {
            let right = model.allows(user, permission, at, column);
            let part = column.map_or(String::new(), |column| format!(", '{column}', 'COLUMN'"));
            let question = format!("SELECT HAS_PERMS_BY_NAME('{name}', 'OBJECT', '{permission}'{part})");
            let answer = ask(connection, &question);
            let Some(Datum::I64(said)) = answer.sets.first().and_then(|set| set.rows.first()).map(|row| row[0].clone())
            else {
                panic!("{question}: {:?}", answer.first_error());
            };
            let tried = error_of(&ask(connection, &statement));
            let refused = matches!(tried, Some(229 | 230));
            assert!(refused || tried.is_none(), "{statement}: {tried:?}");
            assert!(
                (said == 1) == right && refused != right,
                "{user}: {statement}: by the rules {right}, HAS_PERMS_BY_NAME {said}, tried {tried:?}, after\n{}",
                told.join("\n")
            );
        }
    }
    must(connection, "REVERT");
}

#[test]
fn permissions_are_what_the_rules_say() {
    let server = Server::start(&[]);
    let mut connection = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    must(&mut connection, "CREATE DATABASE rules");
    must(&mut connection, "USE rules");
    let first = number("SEED").unwrap_or(0);
    let count = if number("SEED").is_some() { 1 } else { number("SEEDS").unwrap_or(SEEDS) };
    let (mut allowed, mut asked) = (0, 0);
    for seed in first..first + count {
        for schema in ["s0", "s1"] {
            must(&mut connection, &format!("CREATE SCHEMA {schema}"));
        }
        for (schema, table) in TABLES {
            must(&mut connection, &format!("CREATE TABLE {schema}.{table} (a int, b int)"));
        }
        for user in USERS {
            must(&mut connection, &format!("CREATE USER {user} WITHOUT LOGIN"));
        }
        for role in ROLES {
            must(&mut connection, &format!("CREATE ROLE {role}"));
        }
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
        let mut model = Model::default();
        let mut told = vec![format!("-- seed {seed}")];
        for at in 0..STEPS {
            let Some(statement) = step(&mut random, &mut model) else { continue };
            must(&mut connection, &statement);
            told.push(statement);
            if at % 5 == 4 || at == STEPS - 1 {
                for user in USERS {
                    compare(&mut connection, &model, user, &told);
                    for table in 0..TABLES.len() {
                        asked += 1;
                        allowed += u64::from(model.allows(user, "SELECT", table, Some("a")));
                    }
                }
            }
        }
        for permission in ["SELECT", "INSERT", "UPDATE", "DELETE", "CONTROL"] {
            must(&mut connection, &format!("REVOKE {permission} TO public"));
        }
        for (schema, table) in TABLES {
            must(&mut connection, &format!("DROP TABLE {schema}.{table}"));
        }
        for schema in ["s0", "s1"] {
            must(&mut connection, &format!("DROP SCHEMA {schema}"));
        }
        for (role, member) in &model.members {
            must(&mut connection, &format!("ALTER ROLE {role} DROP MEMBER {member}"));
        }
        for role in ROLES {
            must(&mut connection, &format!("DROP ROLE {role}"));
        }
        for user in USERS {
            must(&mut connection, &format!("DROP USER {user}"));
        }
    }
    // Neither all nor nothing.
    assert!(count == 1 || allowed * 10 > asked && allowed * 10 < asked * 9, "{allowed} of {asked}");
}

/// All attempts on a connection, each refused as it should be; what is left of one that succeeds would show in the next ones.
fn all_refused(connection: &mut Connection, who: &str) {
    for (statement, errors) in ATTEMPTS {
        let answer = ask(connection, statement);
        let found = error_of(&answer);
        assert!(found.is_some_and(|number| errors.contains(&number)), "{who}: {statement}: {:?}", answer.first_error());
        assert!(answer.sets.iter().all(|set| set.rows.is_empty()), "{who}: {statement} gave rows");
    }
    let hashes = ask(connection, "SELECT password_hash FROM sys.sql_logins WHERE password_hash IS NOT NULL");
    assert!(hashes.sets[0].rows.is_empty(), "{who} reads hashes");
    let seen = ask(connection, "SELECT name FROM sys.tables UNION ALL SELECT name FROM sys.procedures");
    assert!(seen.sets[0].rows.is_empty(), "{who} sees objects");
}

#[test]
fn who_has_no_rights_is_refused_everywhere() {
    let server = Server::start(&[]);
    let sa = target(server.port, "master");
    let mut connection = Connection::open(&sa, None).expect("the server is there");
    for statement in SETUP {
        must(&mut connection, statement);
    }
    let low = target(server.port, "k").with_login("low", "Some-1-password");
    // Without a user of its own the database is closed.
    assert!(Connection::open(&low, None).is_err(), "a login without a user gets in");
    // As guest.
    must(&mut connection, "GRANT CONNECT TO guest");
    all_refused(&mut Connection::open(&low, None).expect("guests may connect"), "guest");
    must(&mut connection, "REVOKE CONNECT FROM guest");
    must(&mut connection, "CREATE USER low FOR LOGIN low");
    all_refused(&mut Connection::open(&low, None).expect("it has a user"), "a user without rights");
    // Every permission denied.
    for denied in ["SELECT", "INSERT", "UPDATE", "DELETE", "EXECUTE", "ALTER", "VIEW DEFINITION"] {
        must(&mut connection, &format!("DENY {denied} TO low"));
    }
    all_refused(&mut Connection::open(&low, None).expect("it may connect"), "a user denied all");
    // An application role, whoever has logged in; another password does not make one.
    let mut program = Connection::open(&target(server.port, "k"), None).expect("sa may connect");
    assert_eq!(error_of(&ask(&mut program, "EXEC sp_setapprole 'app', 'Another-1-password'")), Some(15161));
    must(&mut program, "EXEC sp_setapprole 'app', 'Some-1-password'");
    assert_eq!(error_of(&ask(&mut program, "REVERT")), Some(15357));
    all_refused(&mut program, "an application role");
    // A user without login; what it begins as it ends as.
    must(&mut connection, "EXECUTE AS USER = 'nobody' WITH NO REVERT");
    all_refused(&mut connection, "a user without login");
}

#[test]
fn what_is_revoked_is_refused_where_it_was_prepared() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    for statement in SETUP {
        must(&mut sa, statement);
    }
    must(&mut sa, "CREATE USER low FOR LOGIN low");
    must(&mut sa, "INSERT dbo.t (a) VALUES (1), (2), (3)");
    must(&mut sa, "GRANT SELECT, INSERT ON dbo.t TO low");
    let mut low =
        Connection::open(&target(server.port, "k").with_login("low", "Some-1-password"), None).expect("it has a user");
    must(&mut low, "CREATE PROCEDURE #again AS SELECT id FROM dbo.t");
    must(&mut low, "DECLARE c CURSOR GLOBAL DYNAMIC FOR SELECT id FROM dbo.t OPEN c FETCH NEXT FROM c");
    must(&mut low, "EXEC #again");
    must(&mut low, "SELECT id FROM dbo.t");
    must(&mut sa, "REVOKE SELECT ON dbo.t FROM low");
    for statement in ["SELECT id FROM dbo.t", "EXEC #again", "FETCH NEXT FROM c"] {
        assert_eq!(error_of(&ask(&mut low, statement)), Some(229), "{statement}");
    }
    must(&mut low, "INSERT dbo.t (a) VALUES (4)");
    must(&mut sa, "ALTER ROLE db_denydatawriter ADD MEMBER low");
    assert_eq!(error_of(&ask(&mut low, "INSERT dbo.t (a) VALUES (5)")), Some(229));
    // The same text, and the same plan, serves who may.
    must(&mut sa, "SELECT id FROM dbo.t");
}

/// "CREATE DATABASE": who makes one owns it, and is its dbo.
#[test]
fn who_makes_a_database_owns_it() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    must(&mut sa, "CREATE LOGIN maker WITH PASSWORD = 'Some-1-password'");
    must(&mut sa, "ALTER SERVER ROLE dbcreator ADD MEMBER maker");
    let maker = target(server.port, "master").with_login("maker", "Some-1-password");
    must(&mut Connection::open(&maker, None).expect("guests are let in"), "CREATE DATABASE theirs");
    let mut own = Connection::open(&target(server.port, "theirs").with_login("maker", "Some-1-password"), None)
        .expect("it is the owner's");
    must(&mut own, "CREATE TABLE t (a int)");
    must(&mut own, "IF USER_NAME() <> 'dbo' THROW 50000, N'somebody else', 1");
    must(&mut own, "DROP TABLE t; USE master; DROP DATABASE theirs");
}

/// What a view of another database shows is what one may see there, and not what a thing of the same number is here.
#[test]
fn views_of_another_database_ask_there() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    for statement in SETUP {
        must(&mut sa, statement);
    }
    must(&mut sa, "CREATE USER low FOR LOGIN low");
    must(&mut sa, "GRANT EXECUTE ON dbo.p TO low");
    must(&mut sa, "GRANT CREATE TABLE TO nobody");
    let mut low =
        Connection::open(&target(server.port, "master").with_login("low", "Some-1-password"), None).expect("a guest");
    let first = |low: &mut Connection, query: &str| {
        let answer = ask(low, query);
        answer.sets[0].rows.first().map(|row| row[0].clone())
    };
    let text = "SELECT definition FROM k.sys.sql_modules WHERE definition LIKE '%PROCEDURE dbo.p%'";
    let granted = "SELECT 1 FROM k.sys.database_permissions WHERE permission_name = 'CREATE TABLE'";
    assert_eq!(first(&mut low, "SELECT name FROM k.sys.procedures"), Some(Datum::nvarchar("p")));
    assert_eq!((first(&mut low, text), first(&mut low, granted)), (None, None));
    must(&mut sa, "GRANT VIEW DEFINITION TO low");
    assert!(first(&mut low, text).is_some() && first(&mut low, granted).is_some());
}
