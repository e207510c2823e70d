//! A client whose connection breaks brings its session back with its next login: the SESSIONRECOVERY feature, MS-TDS 2.2.6.4 and 2.2.7.21.
//! What can come back and what cannot: https://learn.microsoft.com/sql/connect/odbc/connection-resiliency and the page of SqlClient's
//! ConnectRetryCount.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;
use support::ask::{connect, must, text_of};
use support::raw::{Raw, errors, rows, tokens};
use tds::login7::{Feature, feature};
use tds::recovery::{Lost, Picture, State};
use tds::token::{EnvChange, SessionState, Token, done};

/// LOGIN7's database of `Raw`.
const BEGAN_IN: &str = "tempdb";

fn login(server: &Server, lost: Option<&Lost>) -> Raw {
    let mut data = Vec::new();
    if let Some(lost) = lost {
        lost.encode(&mut data);
    }
    Raw::open(server.port, true, vec![Feature { id: feature::SESSION_RECOVERY, data }])
}

/// The states with which a session begins.
fn acknowledged(raw: &Raw) -> Vec<State> {
    let acknowledged = tokens(&raw.greeting).into_iter().find_map(|token| match token {
        Token::FeatureAck(features) => features.into_iter().find(|(id, _)| *id == feature::SESSION_RECOVERY),
        _ => None,
    });
    let (_, data) = acknowledged.expect("the feature is acknowledged");
    tds::recovery::read_states(&mut tds::wire::Input::new(&data)).expect("states")
}

/// The news of the session in an answer. They stand before its last DONE, which is its end.
fn news(answer: &[u8]) -> Option<SessionState> {
    let tokens = tokens(answer);
    let at = tokens.iter().position(|token| matches!(token, Token::SessionState(_)))?;
    assert_eq!(at, tokens.len() - 2, "{tokens:?}");
    assert!(matches!(tokens[at + 1], Token::Done(last) if last.status & done::MORE == 0), "{tokens:?}");
    match &tokens[at] {
        Token::SessionState(state) => Some(state.clone()),
        _ => unreachable!("it was found"),
    }
}

fn text(raw: &mut Raw, query: &str) -> String {
    let answer = raw.batch(query);
    match &rows(&answer)[..] {
        [row] => text_of(&row[0]),
        other => panic!("{query}: {other:?} {:?}", errors(&answer)),
    }
}

const SEEN: &str = "SELECT CONCAT_WS(' ', DB_NAME(), @@LANGUAGE, @@LOCK_TIMEOUT, @@DATEFIRST, @@TEXTSIZE, @@OPTIONS,
    CONVERT(varchar(40), CONTEXT_INFO(), 1), date_format, transaction_isolation_level, deadlock_priority, row_count)
    FROM sys.dm_exec_sessions WHERE session_id = @@SPID";

#[test]
fn a_killed_session_comes_back_as_it_was() {
    let server = Server::start(&[]);
    let mut other = connect(&server, "master");
    must(&mut other, "CREATE DATABASE weaving");
    let mut raw = login(&server, None);
    let began = acknowledged(&raw);
    assert_eq!(news(&raw.batch("SELECT 1")), None, "nothing has changed");
    let told = news(&raw.batch(
        "SET LANGUAGE Deutsch; SET LOCK_TIMEOUT 1234; SET DATEFIRST 3; SET TEXTSIZE 5000; SET XACT_ABORT ON; SET ANSI_WARNINGS OFF;
         SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET DEADLOCK_PRIORITY 4; SET ROWCOUNT 50; SET CONTEXT_INFO 0x0102; USE weaving",
    ));
    let told = told.expect("news");
    assert!(told.recoverable);
    assert_eq!(told.sequence, 1);
    let seen = text(&mut raw, SEEN);
    assert!(seen.contains("weaving Deutsch 1234 3 5000"), "{seen}");
    let spid = text(&mut raw, "SELECT CAST(@@SPID AS nvarchar(10))");
    must(&mut other, &format!("KILL {spid}"));

    let lost = Lost {
        began: Picture {
            database: BEGAN_IN.into(),
            language: "us_english".into(),
            states: began.clone(),
            ..Picture::default()
        },
        to_be: Picture {
            database: "weaving".into(),
            language: "Deutsch".into(),
            states: told.states,
            ..Picture::default()
        },
    };
    let mut again = login(&server, Some(&lost));
    let first_database = tokens(&again.greeting).into_iter().find_map(|token| match token {
        Token::EnvChange(EnvChange::Database { new, .. }) => Some(new),
        _ => None,
    });
    assert_eq!(first_database.as_deref(), Some("weaving"), "the client is told where it is");
    assert_eq!(text(&mut again, SEEN), seen);
    // mssql-jdbc heeds no lower number than those of the connection that broke.
    let answer = again.batch("SET LOCK_TIMEOUT 5");
    assert_eq!(news(&answer).map(|news| news.sequence), Some(2));
    // A reset is to what the first session began with.
    assert_eq!(acknowledged(&again).len(), began.len());
    assert_eq!(text(again.reset(), "SELECT CONCAT(DB_NAME(), @@LANGUAGE, @@LOCK_TIMEOUT)"), "tempdbus_english-1");
}

#[test]
fn what_would_be_lost_makes_a_session_unrecoverable() {
    let server = Server::start(&[]);
    let mut raw = login(&server, None);
    for (makes, undoes) in [
        ("CREATE TABLE #held (i int)", "DROP TABLE #held"),
        ("DECLARE held CURSOR GLOBAL FOR SELECT 1", "DEALLOCATE held"),
        ("EXEC sp_getapplock 'held', 'Exclusive', 'Session'", "EXEC sp_releaseapplock 'held', 'Session'"),
        ("EXEC sp_set_session_context 'held', 1", ""),
        ("EXECUTE AS LOGIN = 'sa'", "REVERT"),
        ("DECLARE @h int; EXEC sp_xml_preparedocument @h OUTPUT, '<a/>'", "EXEC sp_xml_removedocument 1"),
        ("SET QUERY_GOVERNOR_COST_LIMIT 100", ""),
    ] {
        let answer = raw.batch(makes);
        assert_eq!(news(&answer).map(|news| news.recoverable), Some(false), "{makes}: {:?}", errors(&answer));
        assert_eq!(news(&raw.batch("SELECT 1")), None, "{makes}: told once");
        if undoes.is_empty() {
            raw = login(&server, None);
            continue;
        }
        let answer = raw.batch(undoes);
        assert_eq!(news(&answer).map(|news| news.recoverable), Some(true), "{undoes}: {:?}", errors(&answer));
    }
}

#[test]
fn who_did_not_ask_is_told_nothing() {
    let server = Server::start(&[]);
    let mut raw = Raw::open(server.port, true, vec![Feature { id: feature::UTF8_SUPPORT, data: vec![1] }]);
    assert!(tokens(&raw.greeting).contains(&Token::FeatureAck(vec![(feature::UTF8_SUPPORT, vec![1])])));
    assert_eq!(news(&raw.batch("SET LOCK_TIMEOUT 1234; CREATE TABLE #held (i int)")), None);
}

/// 17832, 4060: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
#[test]
fn what_no_server_told_is_refused() {
    let server = Server::start(&[]);
    let began = acknowledged(&login(&server, None));
    let lost = |database: &str, states: Vec<State>| Lost {
        began: Picture { database: BEGAN_IN.into(), states: began.clone(), ..Picture::default() },
        to_be: Picture { database: database.into(), states, ..Picture::default() },
    };
    let strange = State { id: 200, value: vec![1] };
    let cut = State { id: 0, value: began[0].value[1..].to_vec() };
    for (lost, number) in [
        (lost("", vec![strange]), 17832),
        (lost("", vec![cut]), 17832),
        (lost("nowhere", Vec::new()), 4060),
        (lost("", Vec::new()), 0),
    ] {
        let greeting = login(&server, Some(&lost)).greeting;
        assert_eq!(errors(&greeting).first().copied().unwrap_or(0), number);
        assert_eq!(tokens(&greeting).iter().any(|token| matches!(token, Token::LoginAck(_))), number == 0);
    }
    let data = vec![1, 2, 3];
    let raw = Raw::open(server.port, true, vec![Feature { id: feature::SESSION_RECOVERY, data }]);
    assert_eq!(errors(&raw.greeting), [17832]);
}
