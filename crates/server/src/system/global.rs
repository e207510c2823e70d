//! `@@name`, as far as execution does not know it itself.

use sql::plan::Global;
use types::{Datum, SqlResult};

use super::server_property::version_text;
use crate::instance::server::Event;
use crate::session::host::SessionHost;

/// Milliseconds since the server started: what `@@CPU_BUSY` counts ticks of.
const TICK_MICROSECONDS: i64 = 31_250;

pub fn global(host: &mut SessionHost, global: Global) -> SqlResult<Datum> {
    let text = |text: &str| Ok(Datum::nvarchar(text));
    let number = match global {
        Global::Version => return text(&version_text()),
        Global::ServerName => return text(&host.server.catalog.server_name),
        Global::ServiceName => return text(&host.server.settings.instance),
        Global::RemServer => return Ok(Datum::Null),
        Global::KernelMode => return text(if host.server.engines.count() > 0 { "process" } else { "threaded" }),
        Global::Dbts => {
            let last = host.server.catalog.rowversion_last(host.catalog_session.database)?;
            return Ok(Datum::bytes(&last.to_be_bytes()));
        }
        Global::Connections => host.server.events.total(Event::Login) as i64,
        Global::MaxConnections => host.server.settings.max_connections.into(),
        // 16.0.4003: the major version in the high byte, the build in the low half.
        Global::MicrosoftVersion => 0x1000_0FA3,
        Global::TimeTicks => TICK_MICROSECONDS,
        Global::CpuBusy => ticks(cpu_ns()),
        // Of all processors together.
        Global::Idle => {
            let up_ms = os::clock::now_ms().saturating_sub(host.server.started_ms);
            let whole_ns = up_ms * 1_000_000 * os::limits::topology().logical_cpus as u64;
            ticks(whole_ns.saturating_sub(cpu_ns()))
        }
        Global::TotalRead => host.server.catalog.storage.metrics().page_reads as i64,
        Global::TotalWrite => host.server.catalog.storage.metrics().page_writes as i64,
        Global::PackReceived => host.entry.packets_received.load(std::sync::atomic::Ordering::Relaxed) as i64,
        Global::PackSent => host.entry.packets_sent.load(std::sync::atomic::Ordering::Relaxed) as i64,
        // A worker that waits for a disk is not busy, and errors of packets and disks end what met them: none is counted.
        Global::IoBusy | Global::PacketErrors | Global::TotalErrors => 0,
        Global::Language
        | Global::LangId
        | Global::Options
        | Global::MaxPrecision
        | Global::RowCount
        | Global::Error
        | Global::TranCount
        | Global::TranCountOfChange
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

fn cpu_ns() -> u64 {
    let (user_ns, system_ns) = os::clock::process_cpu();
    user_ns + system_ns
}

fn ticks(ns: u64) -> i64 {
    (ns / 1_000) as i64 / TICK_MICROSECONDS
}
