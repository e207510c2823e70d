//! This program run again as a child process: to its end, or as a service that goes on.
#![allow(unsafe_code)]

use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs this program with `arguments` to its end and hands on each line of its standard output. Blocks: on a scheduler call it
/// by `sched::preemptive`. The child ends with this process. None: a signal killed it.
pub fn run_self(arguments: &[String], mut line: impl FnMut(&str)) -> io::Result<Option<i32>> {
    let mut child = self_with(arguments, libc::SIGKILL)?.spawn()?;
    let output = BufReader::new(child.stdout.take().expect("piped"));
    for text in output.lines() {
        line(&text?);
    }
    Ok(child.wait()?.code())
}

/// Runs this program with `arguments` to its end and returns what it printed: a few lines, since nobody reads them before. Blocks. None: it
/// did not end well, or `is_over` said so, after which it is killed. It hears no Ctrl-C of this process's terminal, and ends with the caller.
pub fn ask_self(arguments: &[String], is_over: impl Fn() -> bool) -> io::Result<Option<String>> {
    let mut child = self_with(arguments, libc::SIGKILL)?.process_group(0).spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if is_over() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut said = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut said)?;
    Ok(status.success().then_some(said))
}

/// This program with `arguments`; `at_my_end`: the signal that it gets when the thread that started it ends.
fn self_with(arguments: &[String], at_my_end: libc::c_int) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    // SAFETY: between fork and exec only prctl is called, which is async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            libc::prctl(libc::PR_SET_PDEATHSIG, at_my_end);
            Ok(())
        });
    }
    Ok(command)
}

/// This program as a child that goes on until it is stopped. It ends in order with the thread that started it, and in disorder when dropped.
pub struct Service {
    child: Child,
    /// What it printed when it was ready.
    pub ready: String,
}

impl Service {
    /// Returns when it has printed a line. Blocks. `environment` is added to this process's own; its standard error goes to `errors`.
    /// It hears no Ctrl-C of this process's terminal.
    pub fn start(arguments: &[String], environment: &[(&str, &str)], errors: &Path) -> io::Result<Service> {
        let mut command = self_with(arguments, libc::SIGTERM)?;
        command.envs(environment.iter().copied()).stderr(crate::private::create(errors)?).process_group(0);
        let mut service = Service { child: command.spawn()?, ready: String::new() };
        let output = service.child.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut service.ready)?;
        Ok(service)
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// SIGTERM, and SIGKILL if it is still there after `limit_ms`. Blocks.
    pub fn stop(mut self, limit_ms: u64) -> io::Result<()> {
        // SAFETY: the child has not been waited for, so its number is nobody else's.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGTERM) };
        let until = Instant::now() + Duration::from_millis(limit_ms);
        while self.child.try_wait()?.is_none() {
            if Instant::now() > until {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "it did not stop"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Of one that has ended already neither does anything.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
