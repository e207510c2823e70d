//! Sessions of one connection (MARS): what one is refused does not depend on what another has open, and what was revoked is refused in each.

use lab::client::Connection;
use tds::rpc::{Procedure, ProcedureId, RpcCall, RpcParameter};
use types::Datum;

use crate::attempts::ATTEMPTS;
use crate::support::ask::must;
use crate::support::mars::Mars;
use crate::support::wire::Answer;
use crate::support::{Server, target};
use crate::{make_modules, number, text};

/// Rows of a result that is left half read.
const ROWS: i64 = 20_000;

fn start() -> (Server, Connection, Mars) {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    make_modules(&mut sa);
    must(&mut sa, "CREATE TABLE dbo.many (id int IDENTITY PRIMARY KEY, filler char(100) NOT NULL DEFAULT 'x')");
    must(&mut sa, &format!("INSERT dbo.many (filler) SELECT 'y' FROM GENERATE_SERIES(1, {ROWS})"));
    must(&mut sa, "GRANT SELECT ON dbo.many TO low");
    let low = Mars::open(server.port, "k", ("low", "Some-1-password"), 2);
    (server, sa, low)
}

fn errors(answer: &Answer) -> Vec<i32> {
    answer.errors.iter().map(|error| error.0).collect()
}

fn call(procedure: ProcedureId, parameters: Vec<RpcParameter>) -> [RpcCall; 1] {
    [RpcCall::new(Procedure::Id(procedure), parameters)]
}

/// As long as the first session has a result open, the second tries; then the other way round.
#[test]
fn what_is_refused_is_refused_beside_an_open_result() {
    let (_server, mut sa, mut low) = start();
    let mut differ = Vec::new();
    for (holds, tries) in [(0, 1), (1, 0)] {
        low.start(holds, "SELECT id, filler FROM dbo.many ORDER BY id");
        low.half(holds);
        for (statement, refused) in ATTEMPTS {
            let answer = low.query(tries, statement);
            if !errors(&answer).iter().any(|number| refused.contains(number)) || !answer.rows.is_empty() {
                differ.push(format!("{statement}: {:?}, {} rows", errors(&answer), answer.rows.len()));
            }
        }
        let rest = low.answer(holds);
        assert_eq!((errors(&rest), rest.rows.len() as i64), (vec![], ROWS), "the open result is whole");
    }
    assert!(differ.is_empty(), "{} of {}:\n{}", differ.len(), 2 * ATTEMPTS.len(), differ.join("\n"));
    let left = must(&mut sa, "SELECT name FROM sys.tables WHERE name IN ('mine', 'copy', 'u')");
    assert!(left.sets[0].rows.is_empty(), "{:?}", left.sets[0].rows);
}

/// What one session has prepared, opened or begun, the other finds refused once it is revoked; and the result that was open then ends.
#[test]
fn what_is_revoked_is_refused_in_each_session() {
    let (_server, mut sa, mut low) = start();
    let select = "SELECT id, filler FROM dbo.many ORDER BY id";
    let prepare = call(ProcedureId::Prepare, vec![number(0, true), text(""), text(select), number(1, false)]);
    let handle = low.call(0, &prepare).1[0].value.as_i64();
    let execute = call(ProcedureId::Execute, vec![number(handle, false)]);
    let declared = low.query(0, "DECLARE c CURSOR GLOBAL FOR SELECT id FROM dbo.many OPEN c FETCH c");
    assert_eq!(errors(&declared), [0; 0]);
    let run = |low: &mut Mars, lane: usize| {
        let prepared = low.call(lane, &execute).0;
        let fetched = low.query(lane, "FETCH c");
        let asked = low.query(lane, "SELECT TOP (1) id FROM dbo.many");
        [prepared, fetched, asked].map(|answer| errors(&answer).first().copied())
    };
    let (allowed, refused) = ([None; 3], [Some(229); 3]);
    assert_eq!((run(&mut low, 1), run(&mut low, 0)), (allowed, allowed));
    low.start(0, select);
    low.half(0);
    must(&mut sa, "REVOKE SELECT ON dbo.many FROM low");
    assert_eq!(run(&mut low, 1), refused, "beside the result that is open since before");
    let rest = low.answer(0);
    assert!(rest.rows.len() as i64 == ROWS || !rest.errors.is_empty(), "{} rows", rest.rows.len());
    assert_eq!(run(&mut low, 0), refused, "where it was open");
    must(&mut sa, "GRANT SELECT ON dbo.many TO low");
    assert_eq!((run(&mut low, 1), run(&mut low, 0)), (allowed, allowed), "granted again");
    low.start(1, select);
    low.half(1);
    must(&mut sa, "DENY SELECT ON dbo.many (filler) TO low");
    assert_eq!(errors(&low.query(0, select)), [230], "a column");
    assert_eq!(low.query(0, "SELECT TOP (1) id FROM dbo.many").rows, [vec![Datum::I64(1)]]);
    low.answer(1);
    must(&mut sa, "DROP USER low");
    for lane in [0, 1] {
        assert!(!errors(&low.query(lane, "SELECT TOP (1) id FROM dbo.many")).is_empty(), "nobody any more");
    }
}

/// Who a connection acts as it acts as in all its sessions: what one has begun the other is, until it ends.
#[test]
fn sessions_of_a_connection_act_as_one() {
    let (_server, mut sa, mut low) = start();
    must(&mut sa, "GRANT IMPERSONATE ON USER::nobody TO low");
    let who = |low: &mut Mars, lane: usize| low.query(lane, "SELECT USER_NAME()").rows[0][0].clone();
    low.start(0, "SELECT id, filler FROM dbo.many ORDER BY id");
    low.half(0);
    assert_eq!(errors(&low.query(1, "EXECUTE AS USER = 'nobody'")), [0; 0]);
    assert_eq!(low.answer(0).rows.len() as i64, ROWS);
    for lane in [0, 1] {
        assert_eq!(who(&mut low, lane), Datum::nvarchar("nobody"));
        assert_eq!(errors(&low.query(lane, "SELECT id FROM dbo.many")), [229]);
    }
    assert_eq!(errors(&low.query(0, "REVERT")), [0; 0]);
    for lane in [0, 1] {
        assert_eq!(who(&mut low, lane), Datum::nvarchar("low"));
        assert_eq!(errors(&low.query(lane, "SELECT TOP (1) id FROM dbo.many")), [0; 0]);
    }
}
