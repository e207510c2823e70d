//! LOGIN7.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = tds::Login7::decode(data);
});
