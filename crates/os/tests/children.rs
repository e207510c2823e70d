//! This program as its own child: heard to its end, or killed.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::time::{Duration, Instant};

use os::children::ask_self;

/// What the child is told to run: one of the tests below, which nobody else runs.
fn ask(test: &str, is_over: impl Fn() -> bool) -> Option<String> {
    let arguments = ["--ignored", "--exact", test, "--nocapture"].map(str::to_owned);
    ask_self(&arguments, is_over).expect("it starts")
}

#[test]
#[ignore = "a child's part"]
fn says_something() {
    println!("something");
}

#[test]
#[ignore = "a child's part"]
fn fails() {
    panic!("as it should");
}

#[test]
#[ignore = "a child's part"]
fn never_ends() {
    std::thread::sleep(Duration::from_secs(120));
}

#[test]
fn a_child_is_heard_to_its_end() {
    let said = ask("says_something", || false).expect("it ends well");
    assert!(said.contains("something"), "{said}");
    assert_eq!(ask("fails", || false), None);
}

#[test]
fn a_child_that_takes_too_long_is_killed() {
    let begun = Instant::now();
    assert_eq!(ask("never_ends", || begun.elapsed() > Duration::from_millis(200)), None);
    assert!(begun.elapsed() < Duration::from_secs(60));
}
