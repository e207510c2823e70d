//! PRELOGIN; what decodes must encode to something that decodes to the same.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tds::Prelogin;

fuzz_target!(|data: &[u8]| {
    if let Ok(prelogin) = Prelogin::decode(data) {
        let mut bytes = Vec::new();
        prelogin.encode(&mut bytes);
        if bytes.len() < 60_000 {
            assert_eq!(Prelogin::decode(&bytes), Ok(prelogin));
        }
    }
});
