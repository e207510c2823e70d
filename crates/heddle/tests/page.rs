//! The live page in a real browser, under load: `tests/page/checks.py` looks at it as people do, with eyes, keyboard and screen reader.
//!
//! Where there is no Chromium, or no Python, it is passed over with a word on stderr, except where `CI` is set: there it fails.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::process::{Child, Command, Stdio};

use support::{PASSWORD, Server, binary, free_port, root};

const CHECKS: &[&str] = &[
    "numbers_move",
    "pause_stops_the_drawing",
    "keyboard",
    "screen_reader",
    "live_regions_are_not_chatty",
    "contrast",
    "redraws_are_cheap",
    "lines_keep_their_colours",
    "calm",
    "narrow",
    "ten_minutes_are_kept",
    "console_is_empty",
];

/// `heddle stress`, ended with the test.
struct Load(Child);

impl Load {
    fn begin(server: &Server) -> Load {
        let query = "SELECT COUNT(*) FROM sys.objects";
        let at = ["stress", "-S", &server.address(), "-U", "sa", "-P", PASSWORD, "-Q", query];
        let much = ["-n", "3", "--think", "20", "--duration", "1200", "-q", "--no-progress"];
        let mut command = binary();
        command.args(at).args(much).stdin(Stdio::null()).stdout(Stdio::null());
        Load(command.spawn().expect("heddle stress runs"))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Python in the folder of the checks.
fn python(args: &[&str]) -> Command {
    let mut python = Command::new("python3");
    python.arg("-B").args(args).current_dir(root().join("tests/page"));
    python
}

/// False, with a word: the browser or Python is missing and this is not CI.
fn have_browser() -> bool {
    let find = "import sys, browser; sys.exit(browser.find() is None)";
    let found = python(&["-c", find]).status().is_ok_and(|status| status.success());
    assert!(found || std::env::var_os("CI").is_none(), "CI must have python3 and chromium");
    if !found {
        eprintln!("passed over: python3 or chromium is not on this machine");
    }
    found
}

#[test]
fn people_can_use_the_page() {
    if !have_browser() {
        return;
    }
    let port = free_port();
    let server = Server::start(&["--http", &format!("127.0.0.1:{port}")]);
    let _load = Load::begin(&server);
    let checks = python(&["checks.py", &format!("http://127.0.0.1:{port}/")]).output().expect("python3 runs");
    let text = String::from_utf8_lossy(&checks.stdout);
    let missing: Vec<&&str> =
        CHECKS.iter().filter(|name| !text.lines().any(|line| line == format!("ok {name}"))).collect();
    assert!(missing.is_empty(), "{missing:?}\n{text}\n{}", String::from_utf8_lossy(&checks.stderr));
}
