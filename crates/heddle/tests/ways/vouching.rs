//! Contexts that reach beyond their database: the owner of a TRUSTWORTHY database vouches for its users where it has AUTHENTICATE.
//! https://learn.microsoft.com/previous-versions/sql/sql-server-2008-r2/ms188304(v=sql.105)

use lab::client::Connection;
use types::Datum;

use crate::errors;
use crate::support::ask::{ask, must};
use crate::support::{Server, target};

/// bob owns marketing, fred owns sales; the clerk may read one table of sales.
const SETUP: &[&str] = &[
    "CREATE LOGIN bob WITH PASSWORD = 'Some-1-password'",
    "CREATE LOGIN fred WITH PASSWORD = 'Some-1-password'",
    "CREATE LOGIN clerk WITH PASSWORD = 'Some-1-password'",
    "CREATE LOGIN admin WITH PASSWORD = 'Some-1-password'",
    "ALTER SERVER ROLE sysadmin ADD MEMBER admin",
    "GRANT VIEW SERVER STATE TO clerk",
    "CREATE DATABASE marketing",
    "CREATE DATABASE sales",
    "ALTER AUTHORIZATION ON DATABASE::marketing TO bob",
    "ALTER AUTHORIZATION ON DATABASE::sales TO fred",
    "USE sales",
    "CREATE TABLE dbo.stats (id int)",
    "INSERT dbo.stats VALUES (1)",
    "CREATE TABLE dbo.hidden (id int)",
    "CREATE USER bob FOR LOGIN bob",
    "CREATE USER clerk_here FOR LOGIN clerk",
    "GRANT SELECT ON dbo.stats TO clerk_here",
    "USE marketing",
    "CREATE USER clerk FOR LOGIN clerk",
    "CREATE USER admin FOR LOGIN admin",
    "CREATE USER loose WITHOUT LOGIN",
    "CREATE PROCEDURE dbo.reads WITH EXECUTE AS 'clerk' AS SELECT id FROM sales.dbo.stats",
];

fn start() -> (Server, Connection) {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    for statement in SETUP {
        must(&mut sa, statement);
    }
    (server, sa)
}

/// In another database.
fn there(sa: &mut Connection, database: &str, statement: &str) {
    must(sa, &format!("USE {database}"));
    must(sa, statement);
    must(sa, "USE marketing");
}

fn first_error(sa: &mut Connection, statement: &str) -> Option<i32> {
    errors(&ask(sa, statement)).first().copied()
}

/// As a user of marketing.
fn as_user(sa: &mut Connection, user: &str, statement: &str) -> Option<i32> {
    must(sa, &format!("EXECUTE AS USER = '{user}'"));
    let found = first_error(sa, statement);
    must(sa, "REVERT");
    found
}

#[test]
fn who_owns_a_database_vouches_for_its_users_where_he_may() {
    let (_server, mut sa) = start();
    let reads = "EXEC dbo.reads";
    assert_eq!(first_error(&mut sa, reads), Some(916), "not trustworthy");
    must(&mut sa, "ALTER DATABASE marketing SET TRUSTWORTHY ON");
    assert_eq!(first_error(&mut sa, reads), Some(916), "the owner may not vouch there");
    there(&mut sa, "sales", "GRANT AUTHENTICATE TO bob");
    assert_eq!(first_error(&mut sa, reads), None);
    assert_eq!(as_user(&mut sa, "clerk", "SELECT id FROM sales.dbo.stats"), None);
    assert_eq!(as_user(&mut sa, "clerk", "SELECT id FROM sales.dbo.hidden"), Some(229), "he may no more than there");
    assert_eq!(as_user(&mut sa, "loose", "SELECT id FROM sales.dbo.stats"), Some(916), "without a login he is nobody");
    let changes: [(&str, Option<i32>); 9] = [
        ("DENY AUTHENTICATE TO bob", Some(916)),
        ("GRANT AUTHENTICATE TO bob", None),
        ("DENY CONNECT TO bob", Some(916)),
        ("GRANT CONNECT TO bob", None),
        ("DENY CONNECT TO clerk_here", Some(916)),
        ("GRANT CONNECT TO clerk_here", None),
        ("REVOKE AUTHENTICATE FROM bob", Some(916)),
        ("ALTER ROLE db_owner ADD MEMBER bob", None),
        ("ALTER ROLE db_owner DROP MEMBER bob", Some(916)),
    ];
    for (change, expected) in changes {
        there(&mut sa, "sales", change);
        assert_eq!(first_error(&mut sa, reads), expected, "{change}");
    }
    // One owner of both.
    there(&mut sa, "sales", "DROP USER bob");
    must(&mut sa, "ALTER AUTHORIZATION ON DATABASE::sales TO bob");
    assert_eq!(first_error(&mut sa, reads), None);
    must(&mut sa, "ALTER DATABASE marketing SET TRUSTWORTHY OFF");
    assert_eq!(first_error(&mut sa, reads), Some(916));
}

#[test]
fn on_the_server_he_vouches_with_authenticate_server() {
    let (_server, mut sa) = start();
    must(&mut sa, "ALTER DATABASE marketing SET TRUSTWORTHY ON");
    there(&mut sa, "sales", "GRANT AUTHENTICATE TO bob");
    let state = "SELECT wait_type FROM sys.dm_os_wait_stats";
    let held = |sa: &mut Connection, user: &str| {
        must(sa, &format!("EXECUTE AS USER = '{user}'"));
        let answer = must(sa, "SELECT CAST(HAS_PERMS_BY_NAME(NULL, NULL, 'CONTROL SERVER') AS int)");
        must(sa, "REVERT");
        answer.sets[0].rows[0][0] == Datum::I64(1)
    };
    assert!(as_user(&mut sa, "clerk", state).is_some(), "AUTHENTICATE in a database is nothing on the server");
    assert!(!held(&mut sa, "admin"));
    there(&mut sa, "master", "GRANT AUTHENTICATE SERVER TO bob");
    assert_eq!(as_user(&mut sa, "clerk", state), None);
    assert!(held(&mut sa, "admin") && !held(&mut sa, "clerk"));
    // It is AUTHENTICATE in each database where the owner is somebody.
    there(&mut sa, "sales", "REVOKE AUTHENTICATE FROM bob");
    assert_eq!(first_error(&mut sa, "EXEC dbo.reads"), None);
    there(&mut sa, "sales", "DENY AUTHENTICATE TO bob");
    assert_eq!(first_error(&mut sa, "EXEC dbo.reads"), Some(916));
    there(&mut sa, "master", "REVOKE AUTHENTICATE SERVER FROM bob");
    assert!(as_user(&mut sa, "clerk", state).is_some() && !held(&mut sa, "admin"));
    there(&mut sa, "master", "GRANT AUTHENTICATE SERVER TO bob");
    must(&mut sa, "ALTER DATABASE marketing SET TRUSTWORTHY OFF");
    assert!(as_user(&mut sa, "clerk", state).is_some() && !held(&mut sa, "admin"), "not trustworthy");
}
