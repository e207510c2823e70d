//! What a command writes to stdout in one piece.

use std::io::{self, ErrorKind, Write};

/// Writes all of it. Who reads no further has seen enough: that is no error.
pub fn write_all(bytes: &[u8]) -> io::Result<()> {
    match io::stdout().lock().write_all(bytes) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}
