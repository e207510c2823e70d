//! What is accepted, what is refused and with which words.

use super::*;
use crate::ast::*;

/// The batches of the scripts in `tests/sql/seeds`, as they are in print.
const SEEDS: &[(&str, &str)] = &[
    ("mybigtable", include_str!("../../../../tests/sql/seeds/mybigtable.sql")),
    ("mybigtableim", include_str!("../../../../tests/sql/seeds/mybigtableim.sql")),
    ("rbar_client_server", include_str!("../../../../tests/sql/seeds/rbar_client_server.sql")),
    ("rbar_local", include_str!("../../../../tests/sql/seeds/rbar_local.sql")),
    ("rows_8kb", include_str!("../../../../tests/sql/seeds/rows_8kb.sql")),
    ("usp_insert", include_str!("../../../../tests/sql/seeds/usp_insert.sql")),
    ("usp_insertim", include_str!("../../../../tests/sql/seeds/usp_insertim.sql")),
    ("ostress_reset", "{call sp_reset_connection()}"),
];

fn parse(text: &str) -> Batch {
    parse_batch(text, &ParseOptions::default()).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}

fn errors(text: &str) -> String {
    match parse_batch(text, &ParseOptions::default()) {
        Ok(batch) => panic!("accepted: {text}\n{batch:?}"),
        Err(errors) => errors.iter().map(|error| error.to_string()).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn the_seeds_scripts_parse_as_printed() {
    for (name, text) in SEEDS {
        for batch in text.split("\nGO") {
            let result = parse_batch(batch, &ParseOptions::default());
            assert!(result.is_ok(), "{name}: {result:?}");
        }
    }
}

#[test]
fn a_constraint_without_a_body_is_flagged() {
    let batch = parse("CREATE TABLE t (c1 bigint NOT NULL CONSTRAINT DF CONSTRAINT PK PRIMARY KEY CLUSTERED)");
    let StatementKind::CreateTable(table) = &batch.statements[0].kind else { panic!("{batch:?}") };
    let constraints = &table.definition.columns[0].constraints;
    assert_eq!(constraints.len(), 2);
    assert_eq!(constraints[0].kind, ConstraintKind::Missing);
    assert_eq!(constraints[0].name.as_deref(), Some("DF"));
    assert!(matches!(&constraints[1].kind, ConstraintKind::PrimaryKey(key) if key.clustered == Some(true)));
}

#[test]
fn refusals_have_the_words_of_sql_server() {
    for (text, expected) in [
        ("declare @a int\nselec 1", "Msg 102, Level 15, State 1, Line 2: Incorrect syntax near 'selec'."),
        ("select * form t", "Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'form'."),
        ("select 1\nfrom where x", "Msg 156, Level 15, State 1, Line 2: Incorrect syntax near the keyword 'where'."),
        ("select * from", "Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'from'."),
        ("create table t (a int", "Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'int'."),
        ("if 1 = 1 begin select 1", "Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '1'."),
        (
            "select 'abc",
            "Msg 105, Level 15, State 1, Line 1: Unclosed quotation mark after the character string 'abc'.\n\
             Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'abc'.",
        ),
        ("select 1 /* x", "Msg 113, Level 15, State 1, Line 1: Missing end comment mark '*/'."),
        (
            "select 1\nwith a as (select 1 x) select * from a",
            "Msg 319, Level 15, State 1, Line 2: Incorrect syntax near the keyword 'with'. If this statement is a common \
             table expression, an xmlnamespaces clause or a change tracking context clause, the previous statement must be \
             terminated with a semicolon.",
        ),
        (
            "select 1 from t where 1",
            "Msg 4145, Level 15, State 1, Line 1: An expression of non-boolean type specified in a context where a \
             condition is expected, near '1'.",
        ),
        (
            "if @a print 'x'",
            "Msg 4145, Level 15, State 1, Line 1: An expression of non-boolean type specified in a context where a \
             condition is expected, near 'print'.",
        ),
        ("select (1 = 1)", "Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '='."),
        (
            "select 1 create view v as select 1 a",
            "Msg 111, Level 15, State 9, Line 1: 'CREATE VIEW' must be the first statement in a query batch.",
        ),
        (
            "if 1 = 1 create proc p as select 1",
            "Msg 156, Level 15, State 1, Line 1: Incorrect syntax near the keyword 'proc'.",
        ),
        ("set foo on", "Msg 195, Level 15, State 5, Line 1: 'foo' is not a recognized SET option."),
        (
            "break",
            "Msg 135, Level 15, State 1, Line 1: Cannot use a BREAK statement outside the scope of a WHILE statement.",
        ),
        (
            "goto a",
            "Msg 133, Level 15, State 1, Line 1: A GOTO statement references the label 'a' but the label has not been \
             declared.",
        ),
        (
            "return 1",
            "Msg 178, Level 15, State 1, Line 1: A RETURN statement with a return value cannot be used in this context.",
        ),
        (
            "create table t (a)",
            "Msg 173, Level 15, State 1, Line 1: The definition for column 'a' must include a data type.",
        ),
        (
            "merge t using s on t.a = s.a when matched then delete",
            "Msg 10713, Level 15, State 1, Line 1: A MERGE statement must be terminated by a semi-colon (;).",
        ),
        (
            "select * from t with (foo)",
            "Msg 321, Level 15, State 1, Line 1: \"foo\" is not a recognized table hints option.",
        ),
        (
            "select * from t holdlock",
            "Msg 1018, Level 15, State 1, Line 1: Incorrect syntax near 'holdlock'. If this is intended as a part of a table \
             hint, A WITH keyword and parenthesis are now required. See SQL Server Books Online for proper syntax.",
        ),
        (
            "create procedure dbo.p as\nselect 1\nfrom",
            "Msg 102, Level 15, State 1, Procedure p, Line 3: Incorrect syntax near 'from'.",
        ),
        (
            "select 100000000000000000000000000000000000000.0",
            "Msg 1007, Level 15, State 1, Line 1: The number '100000000000000000000000000000000000000.0' is out of the range \
             for numeric representation (maximum precision 38).",
        ),
    ] {
        assert_eq!(errors(text), expected, "{text}");
    }
}
