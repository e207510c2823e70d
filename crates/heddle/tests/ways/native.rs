//! Natively compiled modules: what one reads and writes is asked of whom it acts as, each time, whatever was permitted when it was compiled.
//! https://learn.microsoft.com/sql/t-sql/statements/execute-as-clause-transact-sql

use lab::client::Connection;

use crate::support::ask::{ask, must};
use crate::support::{Server, target};
use crate::{errors, make_modules};

/// A statement and what it needs of dbo.m; whether it needs column b.
const STATEMENTS: &[(&str, &[&str], bool)] = &[
    ("SELECT id, a FROM dbo.m WHERE id = 1", &["SELECT"], false),
    ("SELECT a, b FROM dbo.m", &["SELECT"], true),
    ("SELECT SUM(b) AS total FROM dbo.m", &["SELECT"], true),
    ("DECLARE @x int SELECT @x = b FROM dbo.m WHERE id = 1", &["SELECT"], true),
    ("INSERT dbo.m (id, a) VALUES (9, 1)", &["INSERT"], false),
    ("INSERT dbo.m (id, a) SELECT 9, b FROM dbo.m WHERE id = 1", &["INSERT", "SELECT"], true),
    ("UPDATE dbo.m SET a = 1", &["UPDATE"], false),
    ("UPDATE dbo.m SET a = b WHERE id = 1", &["UPDATE", "SELECT"], true),
    ("DELETE dbo.m WHERE id = 9", &["DELETE", "SELECT"], false),
    ("DELETE dbo.m WHERE b = 9", &["DELETE", "SELECT"], true),
    (
        "DECLARE @n bigint SELECT @n = COUNT(*) FROM dbo.m WHERE b = 1 IF @n > 0 DELETE dbo.m",
        &["DELETE", "SELECT"],
        true,
    ),
];

/// The clause of a module, and whom it acts as when low calls it.
const CONTEXTS: &[(&str, &str)] = &[("CALLER", "low"), ("OWNER", "them"), ("'other'", "other")];

const HOLDERS: [&str; 3] = ["low", "them", "other"];

fn make(sa: &mut Connection) {
    make_modules(sa);
    must(sa, "CREATE USER other WITHOUT LOGIN");
    must(
        sa,
        "CREATE TABLE dbo.m (id int NOT NULL PRIMARY KEY NONCLUSTERED, a int, b int) \
         WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY)",
    );
    must(sa, "INSERT dbo.m VALUES (1, 2, 3)");
    for (context, (clause, _)) in CONTEXTS.iter().enumerate() {
        for (at, (statement, ..)) in STATEMENTS.iter().enumerate() {
            must(sa, &procedure(&format!("theirs.n{context}_{at}"), clause, statement));
        }
    }
    must(sa, "GRANT EXECUTE ON SCHEMA::theirs TO low");
}

fn procedure(name: &str, clause: &str, statement: &str) -> String {
    format!(
        "CREATE PROCEDURE {name} WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS {clause} AS \
         BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') {statement} END"
    )
}

/// As low: the module as often as it takes to run what was compiled, all in a transaction that is rolled back.
fn run(low: &mut Connection, name: &str) -> Option<i32> {
    let answers = [0; 2].map(|_| {
        let answer = ask(low, &format!("BEGIN TRANSACTION EXEC {name}"));
        ask(low, "IF @@TRANCOUNT > 0 ROLLBACK");
        (errors(&answer).first().copied(), answer.sets.iter().map(|set| set.rows.len()).sum::<usize>())
    });
    assert_eq!(answers[0], answers[1], "{name}");
    assert!(answers[0].0.is_none() || answers[0].1 == 0, "{name} gave rows and an error");
    answers[0].0
}

#[test]
fn a_natively_compiled_module_asks_whom_it_acts_as() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    make(&mut sa);
    let low = target(server.port, "k").with_login("low", "Some-1-password");
    let mut low = Connection::open(&low, None).expect("it has a user");
    let (mut tried, mut differ) = (0, Vec::new());
    let mut check = |low: &mut Connection, when: &str, expected: &dyn Fn(&str, bool) -> Option<i32>, at: usize| {
        for (context, (clause, actor)) in CONTEXTS.iter().enumerate() {
            let found = run(low, &format!("theirs.n{context}_{at}"));
            let expected = expected(actor, STATEMENTS[at].2);
            tried += 1;
            if found != expected {
                let statement = STATEMENTS[at].0;
                differ.push(format!("AS {clause}, {when}: {found:?}, not {expected:?}: {statement}"));
            }
        }
    };
    for (at, (_, needs, _)) in STATEMENTS.iter().enumerate() {
        check(&mut low, "nothing granted", &|_, _| Some(229), at);
        for holder in HOLDERS {
            let only = |actor: &str| if actor == holder { None } else { Some(229) };
            for need in *needs {
                must(&mut sa, &format!("GRANT {need} ON dbo.m TO {holder}"));
            }
            check(&mut low, &format!("granted to {holder}"), &|actor, _| only(actor), at);
            must(&mut sa, &format!("DENY SELECT ON dbo.m (b) TO {holder}"));
            let column = |actor: &str, b: bool| if actor == holder && b { Some(230) } else { only(actor) };
            check(&mut low, &format!("column denied to {holder}"), &column, at);
            must(&mut sa, &format!("REVOKE SELECT ON dbo.m (b) FROM {holder}"));
            check(&mut low, &format!("column no more denied to {holder}"), &|actor, _| only(actor), at);
            for need in *needs {
                must(&mut sa, &format!("REVOKE {need} ON dbo.m FROM {holder}"));
            }
            check(&mut low, &format!("revoked from {holder}"), &|_, _| Some(229), at);
        }
    }
    println!("{tried} attempts");
    assert!(differ.is_empty(), "{} of {tried}:\n{}", differ.len(), differ.join("\n"));
    let rows = must(&mut sa, "SELECT id, a, b FROM dbo.m");
    assert_eq!(rows.sets[0].rows.len(), 1, "all was rolled back");
}

/// EXECUTE itself, of the procedure and of what it calls; modules of one owner are a chain.
#[test]
fn a_natively_compiled_module_is_called_by_who_may() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    make(&mut sa);
    must(&mut sa, "REVOKE EXECUTE ON SCHEMA::theirs FROM low");
    let inner = "SELECT id FROM dbo.m";
    must(&mut sa, &procedure("dbo.inner_p", "CALLER", inner));
    must(&mut sa, &procedure("dbo.outer_p", "CALLER", "EXEC dbo.inner_p"));
    must(&mut sa, &procedure("theirs.outer_p", "CALLER", "EXEC dbo.inner_p"));
    must(&mut sa, &procedure("theirs.outer_o", "'other'", "EXEC dbo.inner_p"));
    must(
        &mut sa,
        "CREATE FUNCTION theirs.f (@id int) RETURNS int WITH NATIVE_COMPILATION, SCHEMABINDING AS \
         BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') \
         DECLARE @b int SELECT @b = b FROM dbo.m WHERE id = @id RETURN @b END",
    );
    let low = target(server.port, "k").with_login("low", "Some-1-password");
    let mut low = Connection::open(&low, None).expect("it has a user");
    let mut tried = |statement: &str| errors(&ask(&mut low, statement)).first().copied();
    let calls =
        ["EXEC dbo.inner_p", "EXEC dbo.outer_p", "EXEC theirs.outer_p", "EXEC theirs.outer_o", "SELECT theirs.f(1)"];
    assert_eq!(calls.map(&mut tried), [Some(229); 5]);
    for granted in ["dbo.outer_p", "theirs.outer_p", "theirs.outer_o", "theirs.f"] {
        must(&mut sa, &format!("GRANT EXECUTE ON {granted} TO low"));
    }
    // One owner has the outer, the inner and the table.
    assert_eq!(calls.map(&mut tried), [Some(229), None, Some(229), Some(229), Some(229)]);
    must(&mut sa, "GRANT EXECUTE ON dbo.inner_p TO low");
    assert_eq!(calls.map(&mut tried), [None, None, None, Some(229), Some(229)]);
    must(&mut sa, "GRANT EXECUTE ON dbo.inner_p TO other");
    must(&mut sa, "GRANT SELECT ON dbo.m (id, b) TO low");
    assert_eq!(calls.map(&mut tried), [None; 5]);
    must(&mut sa, "DENY SELECT ON dbo.m (b) TO low");
    assert_eq!(calls.map(&mut tried), [None, None, None, None, Some(230)]);
    must(&mut sa, "REVOKE EXECUTE ON dbo.outer_p FROM low");
    must(&mut sa, "DENY EXECUTE ON dbo.inner_p TO other");
    assert_eq!(calls.map(&mut tried), [None, Some(229), None, Some(229), Some(230)]);
}
