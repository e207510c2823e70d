//! `heddle completions` as shells take it.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::process::Command;

use support::{binary, scratch};

fn script_for(shell: &str) -> String {
    let wrote = binary().args(["completions", shell]).output().expect("runs");
    assert!(wrote.status.success() && wrote.stderr.is_empty(), "{shell}: {wrote:?}");
    String::from_utf8(wrote.stdout).expect("UTF-8")
}

#[test]
fn bash_completes_commands_options_and_values() {
    let path = scratch("completions").join("heddle");
    let path = path.to_str().expect("UTF-8");
    std::fs::write(path, script_for("bash")).expect("written");
    let checked = Command::new("bash").args(["-n", path]).output().expect("bash runs");
    assert!(checked.status.success() && checked.stderr.is_empty(), "{checked:?}");
    // What bash does when somebody presses the tab key behind these words.
    let press = r#"source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _heddle heddle "${@: -1}" "${@: -2:1}"
        echo "${COMPREPLY[*]}""#;
    for (words, offered) in [
        (&["heddle", "str"][..], "stress"),
        (&["heddle", "stress", "--thi"], "--think --think-spread"),
        (&["heddle", "stress", "--stop-"], "--stop-on-error"),
        (&["heddle", "lab", "s"], "show sim"),
        (&["heddle", "lab", "sim", "--see"], "--seed --seeds"),
        (&["heddle", "lab", "run", "--re"], "--repeat --resume"),
        (&["heddle", "completions", "z"], "zsh"),
    ] {
        let pressed = Command::new("bash").args(["--norc", "-c", press, path]).args(words).output().expect("bash runs");
        assert!(pressed.stderr.is_empty(), "{words:?}: {pressed:?}");
        assert_eq!(String::from_utf8_lossy(&pressed.stdout).trim(), offered, "{words:?}");
    }
}

#[test]
fn each_shell_has_a_script() {
    for (shell, beginning) in [
        ("zsh", "#compdef heddle"),
        ("fish", "# Print an optspec"),
        ("powershell", "\nusing namespace System.Management.Automation"),
        ("elvish", "\nuse builtin;"),
    ] {
        let script = script_for(shell);
        assert!(script.starts_with(beginning), "{shell}: {script}");
        assert!(script.contains("think-spread"), "{shell}: {script}");
    }
    let unknown = binary().args(["completions", "ksh"]).output().expect("runs");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("bash, elvish, fish, powershell, zsh"), "{unknown:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let unread = binary().args(["completions", "bash"]).stdout(writer).output().expect("runs");
    assert!(unread.status.success() && unread.stderr.is_empty(), "{unread:?}");
}
