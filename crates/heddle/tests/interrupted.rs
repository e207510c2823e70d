//! An attention is heard in every wait of every kind of request: the answer ends with DONE_ATTN (MS-TDS 2.2.7.6) within a second.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::{Duration, Instant};

use support::Server;
use support::wire::Wire;
use tds::request::{Begin, Isolation, TransactionAction};
use tds::rpc::{ParameterValue, Procedure, RpcCall, RpcParameter};
use types::{Datum, SqlType};

const HEARD_WITHIN: Duration = Duration::from_secs(1);

/// Until a request surely waits.
const SETTLED: Duration = Duration::from_millis(300);

/// How a request comes, with what it runs.
enum Request {
    Batch(&'static str),
    Call(&'static str),
    /// Of this many rows, into `held`.
    Load(i64),
    /// The same, within the client's transaction.
    LoadInTransaction(i64),
    /// sp_cursoropen and then sp_cursorfetch.
    Fetch(&'static str),
    /// What its batch says first leaves a transaction manager request to wait.
    Transact(TransactionAction),
}

struct Case {
    wait: &'static str,
    /// What another session holds meanwhile.
    holds: &'static str,
    request: Request,
}

fn cases() -> Vec<Case> {
    use Request::*;
    let table = "BEGIN TRAN; SELECT * FROM held WITH (TABLOCKX)";
    let row = "BEGIN TRAN; UPDATE held SET b = 1 WHERE a = 2";
    let definition = "BEGIN TRAN; ALTER TABLE held ADD c int";
    let lock = "BEGIN TRAN; EXEC sp_getapplock 'held', 'Exclusive'";
    let wait_lock = "DECLARE @r int; EXEC @r = sp_getapplock 'held', 'Exclusive', 'Session'";
    let many =
        "SELECT TOP 100000000 a.object_id, a.name FROM sys.objects a, sys.objects b, sys.objects c, sys.objects d";
    let case = |wait, holds, request| Case { wait, holds, request };
    vec![
        case("a lock", row, Batch("UPDATE held SET b = 2 WHERE a = 2")),
        case("a lock", row, Call("UPDATE held SET b = 2 WHERE a = @a")),
        case("a lock", table, Batch("INSERT held (a) VALUES (77)")),
        case("a lock", table, Call("INSERT held (a) VALUES (77 + @a)")),
        case("a lock", table, Load(10)),
        case("a lock", table, Load(20_000)),
        case("a lock", table, Load(500_000)),
        case("a lock", table, LoadInTransaction(10)),
        case("a lock", table, LoadInTransaction(20_000)),
        case("a lock", "BEGIN TRAN; INSERT held (a) VALUES (1000005)", Load(10)),
        case("a definition", definition, Batch("SELECT COUNT(*) FROM held")),
        case("a definition", definition, Call("SELECT COUNT(*) FROM held WHERE a > @a")),
        case("a definition", definition, Load(10)),
        case("a lock", table, Fetch("SELECT a, b FROM held WITH (UPDLOCK)")),
        case("a definition", table, Batch("ALTER TABLE held ADD d int")),
        case("a definition", table, Batch("CREATE INDEX i ON held (b)")),
        case("an application's lock", lock, Batch(wait_lock)),
        case("an application's lock", lock, Call(wait_lock)),
        case("a delay", "SELECT 1", Batch("WAITFOR DELAY '0:10'")),
        case("a delay", "SELECT 1", Call("WAITFOR DELAY '0:10'")),
        case("no wait, but a loop", "SELECT 1", Batch("WHILE 1 = 1 SET ROWCOUNT 0")),
        case("the network", "SELECT 1", Batch(many)),
        case("the network", "SELECT 1", Call(many)),
        case(
            "nothing at all",
            "SELECT 1",
            Transact(TransactionAction::Begin(Begin { isolation: Isolation::Unchanged, name: String::new() })),
        ),
    ]
}

fn text(text: &str) -> RpcParameter {
    let value = Datum::bytes(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let value = ParameterValue::Scalar { sql_type: SqlType::nvarchar(4000), value };
    RpcParameter { name: String::new(), is_output: false, is_default: false, value }
}

fn int(value: i64, is_output: bool) -> RpcParameter {
    let value = ParameterValue::Scalar { sql_type: SqlType::INT, value: Datum::I64(value) };
    RpcParameter { name: String::new(), is_output, is_default: false, value }
}

fn start(wire: &mut Wire, request: &Request) {
    match request {
        Request::Batch(batch) => {
            wire.client.batch(batch);
            wire.send();
        }
        Request::Call(batch) => wire.start_call(batch, 2),
        Request::Load(rows) | Request::LoadInTransaction(rows) => {
            if matches!(request, Request::LoadInTransaction(_)) {
                assert!(wire.query("BEGIN TRAN").errors.is_empty());
            }
            let answer = wire.query("INSERT BULK held (a int)");
            assert!(answer.errors.is_empty(), "{answer:?}");
            wire.start_bulk((0..*rows).map(|a| 1_000_000 + a));
        }
        Request::Fetch(select) => {
            // KEYSET 1, of which the keys are read when it is opened.
            let opened = [int(0, true), text(select), int(1, true), int(4, true), int(0, true)];
            wire.client.rpc(&[RpcCall::new(Procedure::Name("sp_cursoropen".into()), opened.to_vec())]);
            wire.send();
        }
        Request::Transact(action) => {
            wire.client.transact(action);
            wire.send();
        }
    }
}

#[test]
fn an_attention_is_heard_in_every_wait() {
    let server = Server::start(&[]);
    let mut holder = Wire::open(server.port, "master").expect("logged in");
    for batch in [
        "CREATE DATABASE waits",
        "USE waits",
        "CREATE TABLE held (a int PRIMARY KEY, b int)",
        "INSERT held SELECT value, 0 FROM GENERATE_SERIES(1, 50)",
    ] {
        let answer = holder.query(batch);
        assert!(answer.errors.is_empty(), "{batch}: {answer:?}");
    }
    let mut wrong = Vec::new();
    for (at, case) in cases().iter().enumerate() {
        // The second time the attention comes with the request, before it waits.
        for at_once in [false, true] {
            assert!(holder.query(case.holds).errors.is_empty(), "{}", case.holds);
            let mut wire = Wire::open(server.port, "waits").expect("logged in");
            start(&mut wire, &case.request);
            if !at_once {
                std::thread::sleep(SETTLED);
            }
            let begun = Instant::now();
            wire.client.attention();
            wire.send();
            // A request that nobody hears is set free, so that the others are tried.
            let stuck = !wire.something_comes(HEARD_WITHIN * 5);
            if stuck {
                holder.query("IF @@TRANCOUNT > 0 ROLLBACK");
            }
            let answer = wire.answer();
            let took = begun.elapsed();
            let case_is = format!("case {at}, {}, at once: {at_once}", case.wait);
            if stuck || !answer.cancelled || answer.closed || took > HEARD_WITHIN {
                wrong.push(format!("{case_is}: {took:?}, cancelled: {}, {:?}", answer.cancelled, answer.errors));
            }
            holder.query("IF @@TRANCOUNT > 0 ROLLBACK");
            let rows = holder.query("SELECT COUNT(*) FROM held WHERE a >= 1000000").rows;
            assert_eq!(rows, [vec![Datum::I64(0)]], "{case_is}: a load that was cancelled leaves nothing");
            let after = wire.query("SELECT @@TRANCOUNT");
            let open = i64::from(matches!(case.request, Request::LoadInTransaction(_)));
            if !matches!(case.request, Request::Transact(_)) {
                assert_eq!(after.rows, [vec![Datum::I64(open)]], "{case_is}: {after:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "not heard, or late:\n{}", wrong.join("\n"));
}
