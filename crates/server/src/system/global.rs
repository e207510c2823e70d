//! `@@name`, as far as execution does not know it itself.

use exec::session::Session as State;
use sql::plan::Global;
use types::{Datum, SqlResult};

use super::server_property::version_text;
use crate::instance::server::Event;
use crate::session::host::SessionHost;

/// `@@MAX_CONNECTIONS` of SQL Server.
/// Milliseconds since the server started: what `@@CPU_BUSY` counts ticks of.
const TICK_MICROSECONDS: i64 = 31_250;

pub fn global(host: &mut SessionHost, state: &mut State, global: Global) -> SqlResult<Datum> {
    let text = |text: &str| Ok(Datum::nvarchar(text));
    let number = match global {
        Global::Version => return text(&version_text()),
        Global::ServerName => return text(&host.server.catalog.server_name),
        Global::ServiceName => return text("MSSQLSERVER"),
        Global::Language => return text(state.options.language.get().name),
        Global::RemServer => return Ok(Datum::Null),
        Global::KernelMode => return text(if host.server.engines.count() > 0 { "process" } else { "threaded" }),
        Global::Dbts => {
            let last = host.server.catalog.rowversion_last(host.catalog_session.database)?;
            return Ok(Datum::bytes(&last.to_be_bytes()));
        }
        Global::Connections => host.server.events.total(Event::Login) as i64,
        Global::MaxConnections => host.server.settings.max_connections.into(),
        Global::MaxPrecision => 38,
        // 16.0.4003: the major version in the high byte, the build in the low half.
        Global::MicrosoftVersion => 0x1000_0FA3,
        Global::LangId => 0,
        Global::Options => options_bits(state),
        Global::TimeTicks => TICK_MICROSECONDS,
        Global::CpuBusy => {
            let (user_ns, system_ns) = os::clock::process_cpu();
            ((user_ns + system_ns) / 1_000) as i64 / TICK_MICROSECONDS
        }
        Global::PackReceived => host.entry.packets_received.load(std::sync::atomic::Ordering::Relaxed) as i64,
        Global::PackSent => host.entry.packets_sent.load(std::sync::atomic::Ordering::Relaxed) as i64,
        Global::Idle
        | Global::IoBusy
        | Global::PacketErrors
        | Global::TotalErrors
        | Global::TotalRead
        | Global::TotalWrite => 0,
        Global::RowCount
        | Global::Error
        | Global::TranCount
        | Global::FetchStatus
        | Global::NestLevel
        | Global::ProcId
        | Global::Spid
        | Global::CursorRows
        | Global::TextSize
        | Global::LockTimeout
        | Global::DateFirst
        | Global::Identity => {
            unreachable!("execution answers {global:?} itself")
        }
    };
    Ok(Datum::I64(number))
}

/// The bits of `user options`.
fn options_bits(state: &State) -> i64 {
    let options = &state.options;
    let bits = [
        (2, options.implicit_transactions),
        (4, options.cursor_close_on_commit),
        (8, options.ansi_warnings),
        (16, options.ansi_padding),
        (32, options.ansi_nulls),
        (64, options.arith_abort),
        (128, options.arith_ignore),
        (256, options.quoted_identifier),
        (512, options.no_count),
        (1024, options.ansi_null_dflt_on),
        (2048, options.ansi_null_dflt_off),
        (4096, options.concat_null_yields_null),
        (8192, options.numeric_round_abort),
        (16384, options.xact_abort),
    ];
    bits.iter().filter(|(_, on)| *on).map(|(bit, _)| bit).sum()
}
