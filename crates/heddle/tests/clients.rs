//! Real drivers, unmodified, against the built binary. Each is the small project in `tests/clients/` that its README describes.
//!
//! A driver whose toolchain is not on the machine is passed over with a word on stderr, except where `CI` is set: there it fails.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU8, Ordering};

use support::{PASSWORD, Server, root, scratch};

const CHECKS: &[&str] = &[
    "login_plain",
    "login_encrypted",
    "wrong_password",
    "types",
    "parameters",
    "procedure",
    "rollback",
    "result_sets",
    "error",
    "cancel",
    "reset",
    "large",
];

/// What the servers are called.
const INSTANCE: &str = "LOOM";

/// False, with a word: the tool is missing and this is not CI.
fn have(tool: &str) -> bool {
    let found = Command::new(tool).arg(if tool == "go" { "version" } else { "--version" }).output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "CI must have {tool}");
    if !found {
        eprintln!("passed over: {tool} is not on this machine");
    }
    found
}

fn run(what: &str, command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{what}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{what} failed:\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Runs the driver's program with HOST PORT USER PASSWORD against servers of both kernels, on fibers and on threads, and
/// demands every check. The last server forces encryption: it gives nobody a plain session.
fn check(driver: &str, program: impl Fn() -> Command) {
    for kernel in ["threaded", "process"] {
        for workers in ["fiber", "thread"] {
            let encrypt = if (kernel, workers) == ("process", "thread") { "required" } else { "optional" };
            let name = format!("{driver} ({kernel}, {workers}, encryption {encrypt})");
            let serve = ["--kernel", kernel, "--workers", workers, "--encrypt", encrypt];
            if encrypt == "required" {
                let mut program = program();
                program.env("HEDDLE_FORCED", "1");
                let failed = check_with(&name, program, &serve);
                assert_eq!(failed, ["login_plain"], "{name}");
            } else {
                let failed = check_with(&name, program(), &serve);
                assert!(failed.is_empty(), "{name}: {failed:?}");
            }
        }
    }
}

/// The checks that failed, and those that a driver has for itself.
fn check_with(driver: &str, mut program: Command, serve: &[&str]) -> Vec<String> {
    let data = scratch(&format!("client-{driver}"));
    // An address for each server: clients find the instance by its host, always on port 1434.
    static HOSTS: AtomicU8 = AtomicU8::new(1);
    let host = format!("127.0.87.{}", HOSTS.fetch_add(1, Ordering::Relaxed));
    let browser = format!("{host}:1434");
    let serve = [serve, &["--instance", INSTANCE, "--browser", &browser]].concat();
    let server = Server::start_at(&format!("{host}:0"), data.to_str().expect("UTF-8 path"), &serve);
    let output = program
        .args([&*host, &server.port.to_string(), "sa", PASSWORD])
        .env("HEDDLE_CERTIFICATE", data.join("tls/certificate.pem"))
        .env("HEDDLE_INSTANCE", format!("{host}\\{INSTANCE}"))
        .output()
        .unwrap_or_else(|error| panic!("{driver}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{driver}\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let passed = |name: &str| text.lines().any(|line| line.strip_prefix("ok ") == Some(name));
    let failed = text.lines().filter_map(|line| line.strip_prefix("not ok ")?.split(':').next());
    let failed = failed.filter(|name| !CHECKS.contains(name));
    CHECKS.iter().copied().filter(|name| !passed(name)).chain(failed).map(str::to_owned).collect()
}

/// A program with its first arguments, started in `directory`.
fn program(name: impl AsRef<std::ffi::OsStr>, args: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(name);
    command.args(args).current_dir(directory);
    command
}

fn folder(name: &str) -> PathBuf {
    root().join("tests/clients").join(name)
}

/// A virtual environment with both Python drivers, made once.
fn python() -> PathBuf {
    static MADE: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    MADE.get_or_init(|| {
        let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-drivers");
        let python = venv.join("bin/python");
        if !python.exists() {
            run("python3 -m venv", Command::new("python3").args(["-m", "venv"]).arg(&venv));
        }
        let requirements = folder("python").join("requirements.txt");
        run("pip install", Command::new(&python).args(["-m", "pip", "install", "-q", "-r"]).arg(requirements));
        python
    })
    .clone()
}

#[test]
fn python_tds() {
    if have("python3") {
        check("python-tds", || program(python(), &["pytds_checks.py"], &folder("python")));
    }
}

#[test]
fn pymssql() {
    if have("python3") {
        check("pymssql", || program(python(), &["pymssql_checks.py"], &folder("python")));
    }
}

#[test]
fn go_mssqldb() {
    if have("go") {
        let binary = scratch("go").join("checks");
        run(
            "go build",
            Command::new("go").args(["build", "-o"]).arg(&binary).arg(".").current_dir(folder("go-mssqldb")),
        );
        check("go-mssqldb", || program(&binary, &[], &folder("go-mssqldb")));
    }
}

#[test]
fn tedious() {
    if have("node") && have("npm") {
        // Installed beside the test, not beside the source: `npm` reads only package.json.
        let project = scratch("tedious").join("tedious");
        std::fs::create_dir(&project).expect("made");
        for file in ["package.json", "checks.js", ".npmrc"] {
            std::fs::copy(folder("tedious").join(file), project.join(file)).expect("copied");
        }
        std::fs::copy(folder("values.sql"), project.join("../values.sql")).expect("copied");
        run("npm install", Command::new("npm").args(["install", "--no-audit", "--no-fund"]).current_dir(&project));
        check("tedious", || program("node", &["checks.js"], &project));
    }
}

#[test]
fn mssql_jdbc() {
    if have("mvn") {
        let project = folder("mssql-jdbc");
        run("mvn compile", Command::new("mvn").args(["-q", "-B", "compile"]).current_dir(&project));
        let classes = scratch("jdbc").join("classpath");
        let list = format!("-Dmdep.outputFile={}", classes.display());
        run(
            "mvn classpath",
            Command::new("mvn").args(["-q", "-B", "dependency:build-classpath", &list]).current_dir(&project),
        );
        let path = format!("target/classes:{}", std::fs::read_to_string(&classes).expect("written").trim());
        check("mssql-jdbc", || program("java", &["-cp", &path, "Checks"], &project));
    }
}

/// The program with SqlClient, SMO and DacFx; None: it cannot be here.
fn dotnet() -> Option<PathBuf> {
    if cfg!(not(target_arch = "x86_64")) {
        eprintln!("passed over: the wheels are of x86-64");
        return None;
    }
    if !(have("python3") && have("mcs")) {
        return None;
    }
    static MADE: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    let made = MADE.get_or_init(|| {
        let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dotnet");
        run("prepare.py", Command::new("python3").arg("prepare.py").arg(&made).current_dir(folder("dotnet")));
        made.join("run")
    });
    Some(made.clone())
}

#[test]
fn sql_client() {
    if let Some(made) = dotnet() {
        check("SqlClient", || program(&made, &[], &folder("dotnet")));
    }
}

/// What SQL Server Management Studio and sqlpackage are built on: some minutes, and so only where HEDDLE_TOOLS is set.
#[test]
fn smo_and_dacfx() {
    let Some(made) = dotnet().filter(|_| std::env::var_os("HEDDLE_TOOLS").is_some()) else { return };
    for tool in ["smo", "dacfx"] {
        let server = Server::start(&["--admin-listen", "off"]);
        let mut checks =
            program(&made, &["127.0.0.1", &server.port.to_string(), "sa", PASSWORD, tool], &folder("dotnet"));
        println!("{}", run(tool, &mut checks));
    }
}

#[test]
fn tiberius() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tiberius");
    let build = ["build", "--quiet", "--target-dir"];
    run("cargo build", Command::new(env!("CARGO")).args(build).arg(&target).current_dir(folder("tiberius")));
    check("tiberius", || program(target.join("debug/tiberius-checks"), &[], &root()));
}
