//! This program run again as a child process, and what it prints.
#![allow(unsafe_code)]

use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Runs this program with `arguments` to its end and hands on each line of its standard output. Blocks: on a scheduler call it
/// by `sched::preemptive`. The child ends with this process. None: a signal killed it.
pub fn run_self(arguments: &[String], mut line: impl FnMut(&str)) -> io::Result<Option<i32>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    // SAFETY: between fork and exec only prctl is called, which is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    let mut child = command.spawn()?;
    let output = BufReader::new(child.stdout.take().expect("piped"));
    for text in output.lines() {
        line(&text?);
    }
    Ok(child.wait()?.code())
}
