//! A client and a server made of this crate's two halves, talking through buffers.

use std::convert::Infallible;

use tds::bulk::BulkReader;
use tds::client::{Client, ClientEncryption, ConnectOptions, Event};
use tds::column::flag;
use tds::request::{Begin, Isolation, Limits, Request, TransactionAction};
use tds::rpc::{ParameterValue, Procedure, ProcedureId, RpcCall, RpcParameter};
use tds::token::{Done, DoneKind, EnvChange, LoginAck, ReturnValue, Token, done};
use tds::{
    ColumnInfo, Encryption, Login7, MessageReader, PacketType, PacketWriter, Prelogin, Reset, ResponseWriter,
    RowLayout, TdsVersion, WireCollation,
};
use types::{Datum, RowBatch, SqlError, SqlType, sql_error};

/// As much of a server as a conversation needs: it answers each request from a closure.
struct Server {
    reader: MessageReader,
    writer: ResponseWriter,
    out: Vec<u8>,
    payload: Vec<u8>,
    bulk: Option<BulkReader>,
    log: Vec<String>,
}

fn into(out: &mut Vec<u8>) -> impl FnMut(&[u8]) -> Result<(), Infallible> + '_ {
    |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        Ok(())
    }
}

impl Server {
    fn new() -> Server {
        Server {
            reader: MessageReader::new(PacketType::BulkLoad, 1 << 20),
            writer: ResponseWriter::new(TdsVersion::V7_4, 4096, "SRV"),
            out: Vec::new(),
            payload: Vec::new(),
            bulk: None,
            log: Vec::new(),
        }
    }

    fn finish(&mut self) {
        let Ok(()) = self.writer.finish(&mut into(&mut self.out));
    }

    fn done(&mut self, kind: DoneKind, status: u16, rows: u64) {
        self.writer.done(Done { kind, status, command: 0, rows });
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.reader.feed(bytes);
        while let Some(message) = self.reader.next(&mut self.payload).expect("good framing") {
            if message.reset != Reset::No {
                self.log.push(format!("{:?}", message.reset));
                self.writer.env_change(&EnvChange::ResetAcknowledged);
            }
            let version = self.writer.version();
            match message.kind {
                PacketType::Prelogin => {
                    Prelogin::decode(&self.payload).expect("a prelogin");
                    let answer = Prelogin { encryption: Some(Encryption::NotSupported), ..Prelogin::default() };
                    answer.encode(&mut self.writer.packets);
                    self.finish();
                }
                PacketType::Login7 => self.login(),
                PacketType::BulkLoad => self.bulk_packet(message.is_last),
                kind => {
                    let request = Request::decode(kind, &self.payload, version, Limits::default()).expect("a request");
                    self.answer(request);
                    self.finish();
                }
            }
        }
    }

    fn login(&mut self) {
        let login = Login7::decode(&self.payload).expect("a login");
        let version = TdsVersion::negotiate(login.tds_version).expect("7.1 or newer");
        self.writer.set_version(version);
        if login.password != "secret" {
            self.writer.error(&sql_error!(18456, login.user, "", ""));
            self.done(DoneKind::Batch, done::ERROR, 0);
            return self.finish();
        }
        self.writer.env_change(&EnvChange::Database { new: "master".into(), old: String::new() });
        self.writer.env_change(&EnvChange::Collation { new: WireCollation::SQL_LATIN1, old: None });
        self.writer.login_ack(&LoginAck { version, program: "Test".into(), program_version: [16, 0, 0, 1] });
        self.writer.env_change(&EnvChange::PacketBytes { new: 512, old: 4096 });
        if !login.features.is_empty() {
            self.writer.feature_ack(&[(10, &[1])]);
        }
        self.done(DoneKind::Batch, done::FINAL, 0);
        self.finish();
        self.writer.packets.set_packet_bytes(512);
    }

    fn bulk_packet(&mut self, is_last: bool) {
        let version = self.writer.version();
        let bulk = self.bulk.get_or_insert_with(|| BulkReader::new(version, 1 << 20));
        bulk.feed(&self.payload);
        while bulk.columns().is_none() && bulk.read(&mut RowBatch::default(), 1, is_last).expect("columns") {}
        if let Some(columns) = bulk.columns() {
            let mut batch = RowBatch::new(columns.iter().map(|column| column.info.sql_type.physical()));
            while bulk.read(&mut batch, 10_000, is_last).expect("rows") {}
            for row in 0..batch.rows {
                let values: Vec<Datum> = batch.columns.iter().map(|column| column.datum(row)).collect();
                self.log.push(format!("{values:?}"));
            }
        }
        if is_last {
            assert!(bulk.is_done());
            self.bulk = None;
            self.done(DoneKind::Batch, done::COUNT, self.log.len() as u64);
            self.finish();
        }
    }

    fn answer(&mut self, request: Request) {
        match request {
            Request::Batch(batch) => {
                self.log.push(batch.text.clone());
                self.select();
            }
            Request::Rpc(rpc) => {
                for (i, call) in rpc.calls.iter().enumerate() {
                    self.log.push(format!("{} {:?}", call.procedure.name(), call.parameters));
                    for (ordinal, parameter) in call.parameters.iter().enumerate() {
                        let ParameterValue::Scalar { sql_type, value } = &parameter.value else { continue };
                        if parameter.is_output {
                            let value = ReturnValue {
                                ordinal: ordinal as u16,
                                name: parameter.name.clone(),
                                is_function_result: false,
                                sql_type: *sql_type,
                                value: value.clone(),
                            };
                            let Ok(()) = self.writer.return_value(&value, &mut into(&mut self.out));
                        }
                    }
                    self.writer.return_status(-6);
                    let more = if i + 1 < rpc.calls.len() { done::MORE } else { done::FINAL };
                    self.done(DoneKind::Procedure, more, 0);
                }
            }
            Request::Transaction(request) => {
                self.log.push(format!("{:?} in {}", request.action, request.headers.transaction));
                match request.action {
                    TransactionAction::Begin(_) => {
                        self.writer.env_change(&EnvChange::BeginTransaction { descriptor: 42 });
                    }
                    _ => self.writer.env_change(&EnvChange::CommitTransaction { descriptor: 42 }),
                }
                self.done(DoneKind::Batch, done::FINAL, 0);
            }
            Request::Attention => self.done(DoneKind::Batch, done::ATTENTION, 0),
        }
    }

    /// Two columns, three rows with a NULL, one message.
    fn select(&mut self) {
        let version = self.writer.version();
        let columns = vec![
            ColumnInfo::new("a", SqlType::INT, flag::NULLABLE, version),
            ColumnInfo::new("b", SqlType::nvarchar(4000), flag::NULLABLE, version),
        ];
        let layout = RowLayout::new(columns, version);
        let mut batch = RowBatch::new([SqlType::INT.physical(), SqlType::nvarchar(1).physical()]);
        batch.push_row(&[Datum::I64(1), Datum::nvarchar(&"x".repeat(4000))]);
        batch.push_row(&[Datum::Null, Datum::Null]);
        batch.push_row(&[Datum::I64(-3), Datum::nvarchar("")]);
        self.writer.columns(&layout);
        let Ok(()) = self.writer.rows(&layout, &batch, 0..batch.rows, &mut into(&mut self.out));
        self.writer.error(&SqlError::of_user(0, 0, 1, "printed"));
        self.done(DoneKind::Batch, done::COUNT, 3);
    }
}

/// Carries bytes both ways, `piece` at a time, until nobody has more to say.
fn converse(client: &mut Client, server: &mut Server, piece: usize) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let sent = client.take_outgoing();
        for bytes in sent.chunks(piece) {
            server.receive(bytes);
        }
        let answered = std::mem::take(&mut server.out);
        for bytes in answered.chunks(piece) {
            client.feed(bytes);
            while let Some(event) = client.next_event().expect("a good answer") {
                events.push(event);
            }
        }
        if sent.is_empty() && answered.is_empty() {
            return events;
        }
    }
}

fn connect(version: TdsVersion, password: &str, piece: usize) -> (Client, Server, Vec<Event>) {
    let mut client = Client::new(ConnectOptions {
        user: "sa".into(),
        password: password.into(),
        encryption: ClientEncryption::Plain,
        version: Some(version),
        ..ConnectOptions::default()
    });
    let mut server = Server::new();
    let events = converse(&mut client, &mut server, piece);
    (client, server, events)
}

/// What the server says of encryption in its PRELOGIN decides whether TLS comes, and for how long; a client without TLS
/// must not send its password to a server that wants it encrypted (MS-TDS 2.2.6.5).
#[test]
fn each_side_has_its_say_on_encryption() {
    use ClientEncryption::{Full, Login, Plain};
    use Encryption::{NotSupported, Off, On, Required};
    let answered = |encryption, answer| {
        let mut client = Client::new(ConnectOptions { encryption, ..ConnectOptions::default() });
        client.take_outgoing();
        let mut packets = PacketWriter::new(PacketType::Response, 4096);
        Prelogin { encryption: Some(answer), ..Prelogin::default() }.encode(&mut packets);
        let Ok(()) = packets.finish(&mut |bytes: &[u8]| {
            client.feed(bytes);
            Ok::<(), Infallible>(())
        });
        match client.next_event() {
            Err(_) => "refused",
            Ok(Some(Event::StartTls { login_only: true })) => "TLS for the login",
            Ok(Some(Event::StartTls { login_only: false })) => "TLS",
            Ok(None) if !client.take_outgoing().is_empty() => "login in the clear",
            Ok(other) => panic!("{other:?}"),
        }
    };
    for (client, expected) in [
        (Plain, ["login in the clear", "login in the clear", "refused", "refused"]),
        (Login, ["login in the clear", "TLS for the login", "TLS", "TLS"]),
        (Full, ["refused", "TLS", "TLS", "TLS"]),
    ] {
        assert_eq!([NotSupported, Off, On, Required].map(|answer| answered(client, answer)), expected, "{client:?}");
    }
}

const VERSIONS: [TdsVersion; 5] =
    [TdsVersion::V7_1, TdsVersion::V7_2, TdsVersion::V7_3A, TdsVersion::V7_3B, TdsVersion::V7_4];

#[test]
fn a_whole_conversation_in_every_version_and_any_pieces() {
    for version in VERSIONS {
        for piece in [1, 100, 100_000] {
            let (mut client, mut server, events) = connect(version, "secret", piece);
            assert!(matches!(events.last(), Some(Event::Connected(ack)) if ack.version == version), "{events:?}");

            client.reset_with_next(Reset::Connection);
            client.batch("select * from t");
            let events = converse(&mut client, &mut server, piece);
            assert_eq!(server.log, ["Connection", "select * from t"]);
            let rows: Vec<_> = events
                .iter()
                .filter_map(|event| if let Event::Token(Token::Row(row)) = event { Some(row.clone()) } else { None })
                .collect();
            assert_eq!(
                rows,
                [
                    vec![Datum::I64(1), Datum::nvarchar(&"x".repeat(4000))],
                    vec![Datum::Null, Datum::Null],
                    vec![Datum::I64(-3), Datum::nvarchar("")],
                ]
            );
            assert!(events.iter().any(|event| matches!(event, Event::Token(Token::Message(m)) if m.text == "printed")));
            assert_eq!(events.last(), Some(&Event::End));
            assert!(client.is_ready());
        }
    }
}

#[test]
fn a_wrong_password_is_told_with_its_message() {
    let (client, _, events) = connect(TdsVersion::V7_4, "wrong", 10);
    assert!(matches!(&events[0], Event::Token(Token::Message(m)) if m.number == 18456 && m.server == "SRV"));
    assert_eq!(events.last(), Some(&Event::LoginFailed));
    assert!(!client.is_ready());
}

#[test]
fn calls_with_output_parameters() {
    for version in VERSIONS {
        let (mut client, mut server, _) = connect(version, "secret", 1000);
        let calls = [
            RpcCall::new(
                Procedure::Id(ProcedureId::ExecuteSql),
                vec![RpcParameter::input("", SqlType::nvarchar(50), Datum::nvarchar("set @o = 1"))],
            ),
            RpcCall::new(
                Procedure::Name("dbo.p".into()),
                vec![RpcParameter::output("@o", SqlType::decimal(10, 2), Datum::I128(-12_345))],
            ),
        ];
        client.rpc(&calls);
        let events = converse(&mut client, &mut server, 1000);
        assert_eq!(server.log.len(), 2);
        let returned = events.iter().find_map(|event| match event {
            Event::Token(Token::ReturnValue(value)) => Some(value.clone()),
            _ => None,
        });
        assert_eq!(returned.expect("an output").value, Datum::I128(-12_345));
        assert_eq!(events.iter().filter(|event| matches!(event, Event::Token(Token::ReturnStatus(-6)))).count(), 2);
    }
}

#[test]
fn transactions_carry_their_descriptor() {
    let (mut client, mut server, _) = connect(TdsVersion::V7_4, "secret", 1000);
    client.transact(&TransactionAction::Begin(Begin { isolation: Isolation::Snapshot, name: String::new() }));
    converse(&mut client, &mut server, 1000);
    assert_eq!(client.transaction(), 42);
    client.transact(&TransactionAction::Commit { name: String::new(), begin_again: None });
    converse(&mut client, &mut server, 1000);
    assert_eq!(client.transaction(), 0);
    assert!(server.log[1].ends_with("in 42"), "{:?}", server.log);
}

#[test]
fn bulk_rows_arrive() {
    for version in VERSIONS {
        for piece in [1, 700, 100_000] {
            let (mut client, mut server, _) = connect(version, "secret", piece);
            let columns = vec![
                ColumnInfo::new("a", SqlType::BIGINT, 0, version),
                ColumnInfo::new("t", SqlType::TEXT, flag::NULLABLE, version),
                ColumnInfo::new("m", SqlType::VARBINARY_MAX, flag::NULLABLE, version),
            ];
            let mut batch = RowBatch::new(columns.iter().map(|column| column.info.sql_type.physical()));
            for i in 0..50 {
                let long = vec![i as u8; 100 * i as usize];
                batch.push_row(&[
                    Datum::I64(i),
                    Datum::bytes(b"text"),
                    if i % 3 == 0 { Datum::Null } else { Datum::bytes(&long) },
                ]);
            }
            client.bulk(columns, &batch);
            let events = converse(&mut client, &mut server, piece);
            assert_eq!(server.log.len(), 50);
            let done = events.iter().find_map(|event| match event {
                Event::Token(Token::Done(done)) => Some(done.rows),
                _ => None,
            });
            assert_eq!(done, Some(50));
        }
    }
}

#[test]
fn an_attention_is_answered_after_the_response_it_met() {
    let (mut client, mut server, _) = connect(TdsVersion::V7_4, "secret", 1000);
    client.batch("select 1");
    client.attention();
    let events = converse(&mut client, &mut server, 1000);
    assert_eq!(events.iter().filter(|event| **event == Event::End).count(), 1);
    assert!(
        events.iter().any(|event| matches!(event, Event::Token(Token::Done(d)) if d.status & done::ATTENTION != 0))
    );
    assert!(client.is_ready());
}
