//! A TDS server that costs next to nothing: it lets everybody in and answers each request with a DONE, whatever it asks. Against it
//! `bench/generator.py` measures what `heddle stress` itself can do.
//!
//! `cargo build --profile bench-dev -p lab --example null_server`; the first line on stdout ends with its port. SIGTERM stops it.

use os::net::{Listener, NetError, Place, Stream};
use os::sched::{MachineConfig, TaskKind, spawn, start};
use tds::response::ResponseWriter;
use tds::token::{Done, DoneKind, LoginAck, command, done};
use tds::{Encryption, Login7, Message, MessageReader, PacketType, Prelogin, ProtocolError, TdsVersion};

/// Read from a socket at once; requests are short.
const READ_BYTES: usize = 4096;
/// A request may be as long.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
const PACKET_BYTES: usize = 4096;
/// Until files are free again.
const TOO_MANY_FILES_PAUSE_MS: u64 = 10;

fn main() {
    os::limits::raise_open_files();
    let stop = os::signal::stop_requests();
    let machine = start(MachineConfig::default());
    machine.run(move || {
        let listener = Listener::bind(os::net::Endpoint::Tcp(([127, 0, 0, 1], 0).into())).expect("a free port");
        println!("null_server is ready on {}", listener.local_addr());
        spawn(TaskKind::Accept, Place::Here, move || accept(&listener));
        stop.wait(None);
    });
    machine.stop();
}

/// Until the machine stops.
fn accept(listener: &Listener) {
    while !os::sched::stopping() {
        match listener.accept(None) {
            Ok((stream, _)) => Peer::new().rest(stream),
            Err(NetError::TooManyFiles) => {
                os::wait::sleep(os::wait::WaitType::SLEEP_TASK, TOO_MANY_FILES_PAUSE_MS);
            }
            Err(_) => return,
        }
    }
}

/// One connection. Between its requests it has no worker.
struct Peer {
    reader: MessageReader,
    payload: Vec<u8>,
    writer: ResponseWriter,
}

/// Why a connection ends: its other side has gone, or speaks something else.
struct Ended;

impl From<NetError> for Ended {
    fn from(_: NetError) -> Ended {
        Ended
    }
}

impl From<ProtocolError> for Ended {
    fn from(_: ProtocolError) -> Ended {
        Ended
    }
}

impl Peer {
    fn new() -> Box<Peer> {
        Box::new(Peer {
            reader: MessageReader::new(PacketType::BulkLoad, MESSAGE_BYTES_MAX),
            payload: Vec::new(),
            writer: ResponseWriter::new(TdsVersion::V7_4, PACKET_BYTES, "null"),
        })
    }

    fn rest(mut self: Box<Peer>, stream: Stream) {
        stream.arm(Place::LeastLoaded, None, move |stream, _| {
            if self.serve(&stream).is_ok() {
                self.rest(stream);
            }
        });
    }

    /// Answers what has come.
    fn serve(&mut self, stream: &Stream) -> Result<(), Ended> {
        let mut bytes = [0; READ_BYTES];
        while let Some(count) = stream.try_read(&mut bytes)? {
            if count == 0 {
                return Err(Ended);
            }
            self.reader.feed(&bytes[..count]);
            while let Some(message) = self.reader.next(&mut self.payload)? {
                self.answer(message)?;
                self.writer.finish(&mut |packets: &[u8]| stream.write_all(packets, None))?;
            }
            if count < bytes.len() {
                break;
            }
        }
        Ok(())
    }

    fn answer(&mut self, message: Message) -> Result<(), ProtocolError> {
        match message.kind {
            PacketType::Prelogin => {
                let answer = Prelogin { encryption: Some(Encryption::NotSupported), ..Prelogin::default() };
                answer.encode(&mut self.writer.packets);
            }
            PacketType::Login7 => {
                let login = Login7::decode(&self.payload)?;
                let version =
                    TdsVersion::negotiate(login.tds_version).ok_or(ProtocolError::Login("too old a version"))?;
                self.writer.set_version(version);
                self.writer.login_ack(&LoginAck { version, program: "null".into(), program_version: [16, 0, 0, 0] });
                self.done(done::FINAL);
            }
            PacketType::Attention => self.done(done::ATTENTION),
            // Of a bulk load each packet comes alone.
            _ if message.is_last => self.done(done::FINAL),
            _ => {}
        }
        Ok(())
    }

    fn done(&mut self, status: u16) {
        self.writer.done(Done { kind: DoneKind::Batch, status, command: command::NONE, rows: 0 });
    }
}
