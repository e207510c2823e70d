//! A request has panicked: what it held goes back, its session ends and leaves no trace, its client hears why.
//!
//! `os::panics` says what a panic costs. Who comes here has unwound without leaving anything half done that others see. What is the
//! session's alone may be in any state, so the session ends, and with it its connection and what other sessions of MARS that shares.

use exec::host::Host;
use os::panics::Panic;
use tds::token::{Done, DoneKind, command, done};
use types::sql_error;

use crate::instance::sessions::Input;
use crate::request::session::Session;
use crate::security::written;

/// How long the client may take to read the last answer.
const ANSWER_MS: u64 = 5_000;

/// Of a batch, in the log.
const STATEMENT_CHARS_MAX: usize = 4_000;

/// Ends the session. The log names the panic by a number that the client is told.
pub fn end(mut session: Box<Session>, panic: &Panic) {
    let number = number();
    let Panic { message, place, backtrace } = panic;
    tracing::error!(
        spid = session.state.spid,
        panic = number,
        place,
        message,
        statement = statement(&session),
        "{backtrace}"
    );
    session.connection.transport.stream().interrupt_on_input(false);
    os::wait::clear_interrupt();
    session.state.signal.clear_attention();
    let Session { state, host, .. } = &mut *session;
    exec::abandon_transaction(state, host);
    // Also where the transaction was not in its place, but with the frame that unwound.
    host.transaction_ended(state, false);
    host.log_out(state);
    os::sched::set_session(0);
    tell(&mut session, number);
}

/// The client may be gone, or not read: that is no matter of anybody else's.
fn tell(session: &mut Session, number: u32) {
    let Session { connection, writer, .. } = session;
    let deadline = os::clock::after_ms(ANSWER_MS);
    if !connection.transport.end_by(deadline) {
        // It panicked in the middle of a packet.
        return;
    }
    writer.error(&sql_error!(3624, format_args!("the server's log has it as panic {number}")));
    writer.done(Done { kind: DoneKind::Batch, status: done::SERVER_ERROR, command: command::NONE, rows: 0 });
    let transport = &mut connection.transport;
    if writer.finish(&mut |bytes: &[u8]| transport.send(bytes)).is_ok() && connection.is_still_sending() {
        connection.drop_rest(deadline);
    }
}

/// What a reader of the log looks for: not counted, since the counts of engines and of earlier lives of the server would be the same.
fn number() -> u32 {
    let mut bytes = [0; 4];
    os::random::fill(&mut bytes);
    u32::from_le_bytes(bytes)
}

fn statement(session: &Session) -> String {
    match &*session.host.entry.input.lock() {
        Some(Input::Batch(text)) => written::shown(text).chars().take(STATEMENT_CHARS_MAX).collect(),
        Some(Input::Call(procedure, parameters)) => format!("{procedure:?} with {parameters} parameters"),
        None => String::new(),
    }
}
