//! Remote procedure calls; what decodes must survive another round.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tds::request::Limits;
use tds::rpc::RpcCall;
use tds::wire::Input;
use tds::TdsVersion;

fuzz_target!(|data: &[u8]| {
    for version in [TdsVersion::V7_1, TdsVersion::V7_2, TdsVersion::V7_4] {
        let mut input = Input::new(data);
        if let Err(error) = RpcCall::decode_all(&mut input, version, Limits::default()) {
            let _ = (error.to_sql_error(), error.to_string());
        }
    }
});
