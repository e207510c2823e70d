//! SQL batches and transaction manager requests of every version.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tds::request::{Limits, Request};
use tds::{PacketType, TdsVersion};

fuzz_target!(|data: &[u8]| {
    for version in [TdsVersion::V7_1, TdsVersion::V7_4] {
        for kind in [PacketType::SqlBatch, PacketType::Transaction, PacketType::Attention] {
            let _ = Request::decode(kind, data, version, Limits::default());
        }
    }
});
