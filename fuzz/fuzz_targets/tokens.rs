//! A server's response as a client reads it: decoding rows and skipping them must agree on where each ends.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tds::TdsVersion;
use tds::token::TokenReader;
use tds::wire::Input;

fuzz_target!(|data: &[u8]| {
    for version in [TdsVersion::V7_1, TdsVersion::V7_4] {
        let mut decoding = TokenReader::new(version);
        let mut skipping = TokenReader::new(version);
        skipping.skip_rows = true;
        let (mut one, mut two) = (Input::new(data), Input::new(data));
        while !one.is_empty() && decoding.next(&mut one).is_ok() {
            assert!(skipping.next(&mut two).is_ok());
            assert_eq!(one.position(), two.position());
        }
    }
});
