//! A server's response as a client reads it: decoding rows and skipping them must agree on where each ends.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tds::TdsVersion;
use tds::token::{Token, TokenReader};
use tds::wire::Input;

fuzz_target!(|data: &[u8]| {
    for version in [TdsVersion::V7_1, TdsVersion::V7_4] {
        let mut decoding = TokenReader::new(version);
        let mut skipping = TokenReader::new(version);
        skipping.skip_rows = true;
        let (mut one, mut two) = (Input::new(data), Input::new(data));
        let mut ahead = 0;
        while !one.is_empty() {
            let Ok(token) = decoding.next(&mut one) else { break };
            if matches!(token, Token::Row(_)) && ahead > 0 {
                ahead -= 1;
                continue;
            }
            assert_eq!(ahead, 0, "more rows were skipped than there are");
            match skipping.next(&mut two).expect("what decodes can be skipped") {
                Token::Rows(rows) => ahead = rows - 1,
                _ => assert_eq!(one.position(), two.position()),
            }
        }
    }
});
