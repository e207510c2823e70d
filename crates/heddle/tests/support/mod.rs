//! A server of the built binary for one test: started on a free port, stopped by its process id.
#![allow(dead_code, clippy::disallowed_methods, clippy::disallowed_types)]

pub mod ask;
pub mod files;
pub mod placed;
pub mod random;
pub mod raw;
pub mod session;
pub mod wire;
pub mod words;
pub mod mars;

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use lab::address::ServerAddress;
use lab::client::{Target, Trust};
use tds::client::{ClientEncryption, ConnectOptions};

pub const PASSWORD: &str = "Heddle-1-test";

/// Longer than any start takes; a start that takes longer has failed.
const READY_MAX: Duration = Duration::from_secs(60);

pub struct Server {
    child: Child,
    host: String,
    pub port: u16,
}

/// The server that was built with the test, or the one that HEDDLE_BINARY names.
pub fn binary() -> Command {
    Command::new(std::env::var_os("HEDDLE_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_heddle").into()))
}

/// `heddle sql` as sa at `server`, with more arguments.
pub fn sql_at(server: &str, args: &[&str]) -> Output {
    binary()
        .args(["sql", "-S", server, "-U", "sa", "-P", PASSWORD])
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("heddle sql runs")
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace root exists")
}

/// An empty directory of this test's own, below cargo's directory for test files.
pub fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a scratch directory can be made");
    path
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}

/// Where sessions of the tests' own client log in, the login encrypted as most drivers do it.
pub fn target(port: u16, database: &str) -> Target {
    target_of(port, ("sa", PASSWORD), database)
}

/// As another login; `database`: its own if that is empty.
pub fn target_of(port: u16, (user, password): (&str, &str), database: &str) -> Target {
    let address = ServerAddress::parse(&format!("127.0.0.1,{port}")).expect("an address");
    let options = ConnectOptions {
        user: user.into(),
        password: password.into(),
        database: database.into(),
        encryption: ClientEncryption::Login,
        ..ConnectOptions::default()
    };
    Target::new(address, options, &Trust::Anyone).expect("a target")
}

impl Server {
    /// In memory, with the test password.
    pub fn start(args: &[&str]) -> Server {
        Server::start_on(":memory:", args)
    }

    pub fn start_on(data: &str, args: &[&str]) -> Server {
        Server::start_at("127.0.0.1:0", data, args)
    }

    /// `listen`: address:port.
    pub fn start_at(listen: &str, data: &str, args: &[&str]) -> Server {
        Server::start_with(listen, data, args, &[])
    }

    /// With more variables in its environment.
    pub fn start_with(listen: &str, data: &str, args: &[&str], environment: &[(&str, &str)]) -> Server {
        let host = listen.rsplit_once(':').expect("address:port").0.to_owned();
        let mut command = binary();
        command.args(["serve", "--data", data, "--listen", listen, "--sa-password", PASSWORD]).args(args);
        command.envs(environment.iter().copied()).stderr(Stdio::inherit());
        Server::start_command(command, &host)
    }

    /// As the command says, which is `heddle serve` with the test password, on `host`, or becomes that.
    pub fn start_command(mut command: Command, host: &str) -> Server {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
        let mut line = String::new();
        let started = Instant::now();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line on stdout");
        assert!(started.elapsed() < READY_MAX, "ready only after {:?}", started.elapsed());
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        let port =
            port.unwrap_or_else(|| panic!("the ready line ends with the port: {line:?}, {:?}", child.try_wait()));
        Server { child, host: host.to_owned(), port }
    }

    pub fn address(&self) -> String {
        format!("{},{}", self.host, self.port)
    }

    /// Of the local transport.
    pub fn local_address(&self) -> String {
        format!("lpc:.,{}", self.port)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `heddle sql` as sa, with more arguments.
    pub fn sql(&self, args: &[&str]) -> Output {
        sql_at(&self.address(), args)
    }

    /// Standard output of `heddle sql -Q query`.
    pub fn query(&self, query: &str) -> String {
        String::from_utf8(self.sql(&["-h", "-1", "-W", "-Q", query]).stdout).expect("UTF-8")
    }

    /// SIGKILL: what a crash leaves. Engines that are processes are gone when it returns, too: the system ends them a moment later.
    pub fn kill(mut self) {
        let id = self.child.id();
        let engines = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        self.child.kill().expect("it was running");
        self.child.wait().expect("it ends");
        let runs = |id: &&str| {
            let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
        };
        let started = Instant::now();
        while engines.split_whitespace().any(|id| runs(&id)) && started.elapsed() < READY_MAX {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::mem::forget(self);
    }

    /// The exit code, once it has ended by itself.
    pub fn ended(mut self) -> Option<i32> {
        let started = Instant::now();
        while started.elapsed() < READY_MAX {
            if let Some(status) = self.child.try_wait().expect("it can be asked") {
                std::mem::forget(self);
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it goes on");
    }

    /// SIGTERM; the exit code and how long it took.
    pub fn stop(mut self) -> (Option<i32>, Duration) {
        let started = Instant::now();
        let status = Command::new("kill").arg(self.child.id().to_string()).status().expect("kill runs");
        assert!(status.success());
        let code = self.child.wait().expect("it ends").code();
        std::mem::forget(self);
        (code, started.elapsed())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
