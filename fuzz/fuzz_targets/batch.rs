//! T-SQL text: batches at GO, then statements. Whatever comes, a tree or errors.
#![no_main]
use libfuzzer_sys::fuzz_target;
use sql::parse::{ParseOptions, parse_batch, parse_multipart_name, parse_parameter_declarations, parse_type};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for quoted_identifier in [true, false] {
        let _ = parse_batch(&text, &ParseOptions { quoted_identifier });
    }
    let _ = (parse_parameter_declarations(&text), parse_type(&text), parse_multipart_name(&text));
});
