//! Framing in pieces chosen by the first byte, and the handshake's unwrapper.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tds::tls_wrap::Unwrapper;
use tds::{MessageReader, PacketType};

fuzz_target!(|data: &[u8]| {
    let Some((piece, bytes)) = data.split_first() else { return };
    let mut reader = MessageReader::new(PacketType::BulkLoad, 1 << 16);
    let mut payload = Vec::new();
    'stream: for chunk in bytes.chunks(usize::from(*piece).max(1)) {
        reader.feed(chunk);
        loop {
            match reader.next(&mut payload) {
                Ok(Some(_)) => assert!(payload.len() <= 1 << 16),
                Ok(None) => break,
                Err(_) => break 'stream,
            }
        }
    }
    let (mut unwrapper, mut rest) = (Unwrapper::default(), bytes);
    while !rest.is_empty() {
        let Ok((used, _)) = unwrapper.unwrap(rest) else { break };
        assert!(used > 0);
        rest = &rest[used..];
    }
});
