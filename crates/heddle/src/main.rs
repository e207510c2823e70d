//! The one binary: `serve`, `sql`, `stress`, `ping`. Command line and nothing else.

fn main() {}
