//! Several sessions of one connection (MARS): results that are read in turns, and transactions, which end with the batch that began them.
//! https://learn.microsoft.com/sql/relational-databases/native-client/features/using-multiple-active-result-sets-mars
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::mars::Mars;
use support::wire::Answer;
use support::{PASSWORD, Server};
use tds::request::{Begin, Isolation, TransactionAction};
use tds::rpc::{Procedure, RpcCall, RpcParameter};
use types::{Datum, SqlType};

/// More than the windows hold.
const ROWS: usize = 20_000;
const SELECT: &str = "SELECT id, filler FROM many ORDER BY id";

fn errors(answer: &Answer) -> Vec<i32> {
    answer.errors.iter().map(|error| error.0).collect()
}

fn number(mars: &mut Mars, lane: usize, text: &str) -> i64 {
    let answer = mars.query(lane, text);
    assert!(answer.errors.is_empty(), "{text}: {:?}", answer.errors);
    answer.rows[0][0].as_i64()
}

fn open(server: &Server) -> Mars {
    let mut mars = Mars::open(server.port, "tempdb", ("sa", PASSWORD), 3);
    for text in [
        "CREATE TABLE many (id int PRIMARY KEY, filler char(100) NOT NULL)",
        &format!("INSERT many SELECT value, 'x' FROM GENERATE_SERIES(1, {ROWS})"),
        "CREATE TABLE few (id int PRIMARY KEY)",
    ] {
        assert_eq!(errors(&mars.query(0, text)), [0; 0], "{text}");
    }
    mars
}

fn begin() -> TransactionAction {
    TransactionAction::Begin(Begin { isolation: Isolation::Unchanged, name: String::new() })
}

/// A call of sp_executesql.
fn executed(mars: &mut Mars, lane: usize, text: &str) -> Answer {
    let text = RpcParameter::input("", SqlType::nvarchar(4000), Datum::nvarchar(text));
    mars.call(lane, &[RpcCall::new(Procedure::Name("sp_executesql".into()), vec![text])]).0
}

#[test]
fn an_open_result_is_whole_whatever_others_do() {
    let server = Server::start(&[]);
    let mut mars = open(&server);
    for (at, beside) in [
        "INSERT few VALUES (1)",
        "DELETE many WHERE id > 19000",
        "SELECT 1/0",
        "SELECT * FROM absent",
        "SELEC",
        "TRUNCATE TABLE few",
        "SET ROWCOUNT 5 SET TEXTSIZE 10 SET LANGUAGE French",
        "SELECT 1 WAITFOR DELAY '0:00:00.1' SELECT 2",
        "CREATE TABLE #shared (a int)",
    ]
    .into_iter()
    .enumerate()
    {
        mars.start(0, SELECT);
        mars.half(0);
        // Another that is taken back in the middle.
        mars.start(2, SELECT);
        mars.half(2);
        mars.query(1, beside);
        mars.attention(2);
        assert!(mars.answer(2).cancelled, "{beside}");
        mars.start(2, "WAITFOR DELAY '0:10'");
        mars.attention(2);
        assert!(mars.answer(2).cancelled, "{beside}");
        let rest = mars.answer(0);
        let wanted = if at < 2 { ROWS } else { 19_000 };
        assert_eq!((errors(&rest), rest.rows.len()), (vec![], wanted), "{beside}");
        assert!(rest.rows.iter().zip(1..).all(|(row, id)| row[0] == Datum::I64(id)), "{beside}");
        mars.query(1, "SET ROWCOUNT 0 SET LANGUAGE us_english");
    }
    assert_eq!(number(&mut mars, 2, "SELECT COUNT(*) FROM #shared"), 0);
}

/// "Batch-scoped transactions": https://learn.microsoft.com/sql/t-sql/language-elements/transactions-transact-sql. 3997
#[test]
fn a_transaction_of_a_batch_ends_with_it() {
    let server = Server::start(&[]);
    let mut mars = open(&server);
    for (text, wanted, rows) in [
        ("BEGIN TRANSACTION", vec![3997], 1),
        ("BEGIN TRANSACTION INSERT few VALUES (1)", vec![3997], 1),
        ("BEGIN TRANSACTION INSERT few VALUES (1) COMMIT", vec![], 2),
        ("BEGIN TRANSACTION DELETE few ROLLBACK", vec![], 1),
        ("BEGIN TRANSACTION DELETE few BEGIN TRANSACTION COMMIT", vec![3997], 1),
        ("BEGIN TRANSACTION DELETE few COMMIT BEGIN TRANSACTION INSERT few VALUES (2)", vec![3997], 0),
        ("SET IMPLICIT_TRANSACTIONS ON INSERT few VALUES (3) SET IMPLICIT_TRANSACTIONS OFF", vec![3997], 1),
        ("BEGIN TRANSACTION INSERT few VALUES (4) RAISERROR('said', 16, 1)", vec![50000, 3997], 1),
        ("SET XACT_ABORT ON BEGIN TRANSACTION INSERT few VALUES (5) SELECT 1/0", vec![8134], 1),
        ("SET XACT_ABORT OFF BEGIN TRANSACTION INSERT few VALUES (9)", vec![2627, 3997], 1),
        ("BEGIN TRY BEGIN TRANSACTION SELECT CAST('a' AS int) END TRY BEGIN CATCH END CATCH", vec![3998], 1),
    ] {
        for lane in [0, 1] {
            mars.query(2, "DELETE few INSERT few VALUES (9)");
            let answer = mars.query(lane, text);
            assert_eq!(errors(&answer), wanted, "{text}");
            assert_eq!(number(&mut mars, 2, "SELECT COUNT(*) FROM few"), rows, "{text}");
            assert_eq!(number(&mut mars, lane, "SELECT @@TRANCOUNT"), 0, "{text}");
        }
    }
    // By a call too.
    assert_eq!(errors(&executed(&mut mars, 1, "BEGIN TRANSACTION")).last(), Some(&3997));
    assert_eq!(number(&mut mars, 1, "SELECT @@TRANCOUNT"), 0);
}

#[test]
fn a_transaction_of_the_driver_lasts() {
    let server = Server::start(&[]);
    let mut mars = open(&server);
    assert!(mars.transact(0, &begin()).errors.is_empty());
    for text in ["INSERT few VALUES (1)", "BEGIN TRANSACTION INSERT few VALUES (2) COMMIT", "SAVE TRANSACTION s"] {
        assert_eq!(errors(&mars.query(0, text)), [0; 0], "{text}");
        assert_eq!(number(&mut mars, 0, "SELECT @@TRANCOUNT"), 1, "{text}");
    }
    assert!(executed(&mut mars, 0, "INSERT few VALUES (3)").errors.is_empty());
    // A batch of another session is in it too.
    assert_eq!(number(&mut mars, 1, "SELECT COUNT(*) FROM few"), 3);
    let rollback = TransactionAction::Rollback { name: String::new(), begin_again: None };
    assert!(mars.transact(0, &rollback).errors.is_empty());
    assert_eq!(number(&mut mars, 1, "SELECT COUNT(*) FROM few"), 0);
}

/// "New transaction is not allowed because there are other threads running in the session", 3988; and what works in a transaction has to end
/// before it is committed or saved: 3981, which rolls it back. A batch's own transaction is nobody else's.
#[test]
fn a_transaction_waits_for_the_requests_that_are_in_it() {
    let server = Server::start(&[]);
    let mut mars = open(&server);
    mars.start(1, SELECT);
    mars.half(1);
    assert_eq!(errors(&mars.transact(0, &begin())), [3988]);
    assert_eq!(errors(&mars.query(0, "BEGIN TRANSACTION INSERT few VALUES (1) COMMIT")), [0; 0]);
    assert_eq!(mars.answer(1).rows.len(), ROWS);
    let save = TransactionAction::Save { name: "s".into() };
    let commit = TransactionAction::Commit { name: String::new(), begin_again: None };
    type Ends = fn(&mut Mars, &TransactionAction) -> Answer;
    let by_text: Ends = |mars, action| {
        let text = if matches!(action, TransactionAction::Save { .. }) { "SAVE TRANSACTION s" } else { "COMMIT" };
        mars.query(0, &format!("{text} INSERT few VALUES (9)"))
    };
    let by_driver: Ends = |mars, action| mars.transact(0, action);
    for (action, ends) in [(&save, by_text), (&commit, by_text), (&save, by_driver), (&commit, by_driver)] {
        assert_eq!(errors(&mars.transact(0, &begin())), [0; 0]);
        assert_eq!(errors(&mars.query(0, "INSERT few VALUES (2)")), [0; 0]);
        mars.start(1, SELECT);
        mars.half(1);
        assert_eq!(errors(&ends(&mut mars, action)), [3981], "{action:?}");
        assert_eq!(mars.answer(1).rows.len(), ROWS);
        assert_eq!(number(&mut mars, 0, "SELECT @@TRANCOUNT"), 0, "{action:?}");
        assert_eq!(number(&mut mars, 0, "SELECT COUNT(*) FROM few"), 1, "{action:?}");
        // Where its results have been read, it is committed.
        assert_eq!(errors(&mars.transact(0, &begin())), [0; 0]);
        assert_eq!(mars.query(1, SELECT).rows.len(), ROWS);
        assert_eq!(errors(&mars.transact(0, &commit)), [0; 0]);
    }
}
