//! A server that cannot start says why in one sentence, its last line, and ends with exit code 1; it has changed nothing, so the next start with what was wrong
//! mended serves. What an operator meets first: rights, disks, ports, certificates, passwords, scripts, directories of others.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use support::{PASSWORD, Server, binary, scratch};

/// On `data`, with more arguments; nothing is asked, and no log is wanted.
fn serve(data: &Path, more: &[&str]) -> Command {
    let mut command = binary();
    command.args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "off", "--data"]).arg(data).args(more);
    command.stdin(Stdio::null()).env("HEDDLE_LOG", "error");
    command
}

/// What the last line says behind the command's name.
fn why(output: &Output, command: &str) -> String {
    let said = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(output.stdout.is_empty(), "a server that does not serve prints no ready line");
    let reasons: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix(command)).collect();
    assert_eq!(reasons.len(), 1, "one sentence: {said}");
    assert!(said.ends_with(&format!("{}\n", reasons[0])), "it is the last line: {said}");
    assert!(!said.contains("panicked"), "{said}");
    reasons[0].to_owned()
}

fn refused(mut command: Command) -> String {
    why(&command.output().expect("it runs"), "heddle serve: ")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// With sa's password given.
fn refused_on(data: &Path, more: &[&str]) -> String {
    refused(serve(data, &[&["--sa-password", PASSWORD], more].concat()))
}

fn says(said: &str, wanted: &[&str]) {
    for part in wanted {
        assert!(said.contains(part), "{part:?} is in {said:?}");
    }
}

#[test]
fn places_that_cannot_have_data() {
    let root = scratch("refused-places");
    let file = root.join("file");
    fs::write(&file, "x").expect("written");
    says(&refused_on(&file, &[]), &["data directory", text(&file), "Not a directory"]);
    says(&refused_on(&file.join("below"), &[]), &["data directory", text(&file), "Not a directory"]);
    // What is somebody else's stays as it is.
    let other = root.join("other");
    fs::create_dir_all(other.join("photos")).expect("made");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("opened");
    says(&refused_on(&other, &[]), &[text(&other), "'photos'", "name an empty one"]);
    assert_eq!(fs::metadata(&other).expect("it is there").permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read_dir(&other).expect("a directory").count(), 1);
    // On a file system that is read-only, mounted in a namespace: that needs no rights.
    for there in [false, true] {
        let place = root.join(format!("read-only-{there}"));
        fs::create_dir_all(&place).expect("made");
        let data = place.join("data");
        let make = if there { format!("mkdir {} && ", text(&data)) } else { String::new() };
        let script = format!("mount -t tmpfs tmpfs {0} && {make}mount -o remount,ro {0} && exec \"$@\"", text(&place));
        let inner = serve(&data, &["--sa-password", PASSWORD]);
        let mut outer = Command::new("unshare");
        outer.args(["-rm", "sh", "-c", &script, "sh"]).arg(inner.get_program()).args(inner.get_args());
        outer.stdin(Stdio::null()).env("HEDDLE_LOG", "error");
        says(&refused(outer), &["data directory", text(&data), "Read-only file system"]);
    }
}

/// As a user who is not the owner: another one where the test is root's.
fn as_another(inner: &Command) -> Option<Command> {
    let is_root = String::from_utf8(Command::new("id").arg("-u").output().ok()?.stdout).ok()?.trim() == "0";
    let mut outer = Command::new(if is_root { "setpriv" } else { "env" });
    if is_root {
        outer.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    outer.arg(inner.get_program()).args(inner.get_args()).stdin(Stdio::null()).env("HEDDLE_LOG", "error");
    // The other user may not be let near the program.
    let mut may_run = Command::new(outer.get_program());
    may_run.args(outer.get_args().take_while(|argument| *argument != "serve")).arg("--version");
    may_run.output().ok()?.status.success().then_some(outer)
}

#[test]
fn rights_that_are_missing() {
    // Below the system's directory for such things, which anybody may look into.
    let root = std::env::temp_dir().join(format!("heddle-rights-{}", std::process::id()));
    fs::create_dir_all(&root).expect("made");
    let data = root.join("data");
    fs::create_dir_all(&data).expect("made");
    fs::set_permissions(&data, fs::Permissions::from_mode(0o500)).expect("closed");
    let inner = serve(&data.join("deeper"), &["--sa-password", PASSWORD]);
    match as_another(&inner) {
        Some(outer) => says(&refused(outer), &["data directory", text(&data), "Permission denied"]),
        None => println!("passed over: another user cannot run the program"),
    }
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).expect("opened");
    fs::remove_dir_all(&root).expect("removed");
}

#[test]
fn addresses_that_cannot_be_had() {
    let root = scratch("refused-addresses");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    let data = root.join("data");
    for switch in ["--listen", "--http", "--admin-listen"] {
        let mut command = binary();
        command.args(["serve", "--data", text(&data), "--sa-password", PASSWORD, switch, &taken]);
        if switch != "--listen" {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        command.stdin(Stdio::null()).env("HEDDLE_LOG", "error");
        says(&refused(command), &[&taken, "in use"]);
    }
    let mut elsewhere = binary();
    elsewhere.args(["serve", "--data", text(&data), "--sa-password", PASSWORD, "--listen", "203.0.113.7:1433"]);
    says(&refused(elsewhere), &["203.0.113.7:1433"]);
    assert!(!data.exists(), "nothing was touched");
}

#[test]
fn what_was_to_be_there_before() {
    let root = scratch("refused-files");
    let (data, missing, noise) = (root.join("data"), root.join("missing"), root.join("noise"));
    fs::write(&noise, "no PEM").expect("written");
    fs::set_permissions(&noise, fs::Permissions::from_mode(0o600)).expect("closed");
    let pair = |certificate: &'static str, key: &'static str| -> [String; 4] {
        let path = |name: &str| text(&root.join(name)).to_owned();
        ["--tls-certificate".into(), path(certificate), "--tls-key".into(), path(key)]
    };
    let with = |words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        refused_on(&data, &words)
    };
    says(&with(&pair("missing", "missing")), &["the certificate ", text(&missing), "No such file"]);
    says(&with(&pair("noise", "missing")), &["the private key ", text(&missing), "No such file"]);
    says(&with(&pair("noise", "noise")), &[text(&noise), "PEM"]);
    says(&refused_on(&data, &["--config", text(&missing)]), &["--config", text(&missing), "No such file"]);
    let lone = root.join("lone.toml");
    fs::write(&lone, "tls-certificate = \"x.pem\"").expect("written");
    says(&refused_on(&data, &["--config", text(&lone)]), &["tls-certificate and tls-key"]);
    says(
        &refused(serve(&data, &["--sa-password-file", text(&missing)])),
        &["--sa-password-file", text(&missing), "No such file"],
    );
    says(&refused(serve(&data, &["--sa-password", "weak"])), &["--no-password-policy"]);
    says(&refused_on(&data, &["--init", text(&missing)]), &["--init", text(&missing), "no such file"]);
    // None of them has made anything: the first start that goes well is the first.
    assert!(!data.exists() || !data.join("heddle.hct").exists(), "no data yet");
    let script = root.join("first.sql");
    fs::write(&script, "CREATE TABLE made (a int)").expect("written");
    let server = Server::start_on(text(&data), &["--init", text(&script)]);
    assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM sys.tables WHERE name = 'made'").trim(), "1");
}

/// A script that fails leaves half of what it was to make: no later start takes that for the whole.
#[test]
fn scripts_that_did_not_end_are_not_forgotten() {
    for kernel in ["threaded", "process"] {
        let root = scratch(&format!("refused-scripts-{kernel}"));
        let (data, script) = (root.join("data"), root.join("schema.sql"));
        fs::write(
            &script,
            "CREATE TABLE one (a int)\nGO\nCREATE TABLE two (a no_such_type)\nGO\nCREATE TABLE three (a int)\n",
        )
        .expect("written");
        let more = ["--kernel", kernel, "--sa-password", PASSWORD, "--init", text(&script)];
        let output = serve(&data, &more).output().expect("it runs");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{said}");
        says(&said, &["--init", "line 3", "Msg 2715"]);
        fs::write(&script, "CREATE TABLE one (a int)").expect("written");
        for again in [&more[..], &more[..4]] {
            says(&refused(serve(&data, again)), &["--init did not run to their end", text(&data), "init-unfinished"]);
        }
        // Who wants what is there takes it.
        fs::remove_file(data.join("init-unfinished")).expect("it is there");
        let server = Server::start_on(text(&data), &["--kernel", kernel]);
        assert_eq!(
            server
                .query("SET NOCOUNT ON; SELECT COUNT(*) FROM sys.tables WHERE name IN ('one', 'two', 'three')")
                .trim(),
            "1"
        );
    }
}

/// Both copies of the control file as a newer version writes them.
fn made_newer(data: &Path) {
    let file = data.join("heddle.hct");
    let mut bytes = fs::read(&file).expect("the control file");
    let head: Vec<u8> = bytes[..8].to_vec();
    for at in (0..bytes.len() - 12).step_by(512) {
        if bytes[at..].starts_with(&head) {
            bytes[at + 8..at + 12].copy_from_slice(&99_u32.to_le_bytes());
        }
    }
    fs::write(&file, bytes).expect("written");
}

fn all_bytes(data: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(data).expect("a directory").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
        .into_iter()
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), fs::read(path).expect("readable")))
        .collect()
}

#[test]
fn directories_of_others() {
    let root = scratch("refused-directories");
    let data = root.join("data");
    let server = Server::start_on(text(&data), &[]);
    server.query("CREATE TABLE kept (a int); INSERT kept VALUES (1)");
    says(&refused_on(&data, &[]), &[text(&data), "is in use by another server"]);
    assert_eq!(server.stop().0, Some(0));
    let kept = all_bytes(&data);
    made_newer(&data);
    let newer = all_bytes(&data);
    says(&refused_on(&data, &[]), &[text(&data), "files of format 99", "a newer version wrote them"]);
    assert!(all_bytes(&data) == newer, "nothing was changed");
    kept.iter().for_each(|(path, bytes)| fs::write(path, bytes).expect("written"));
    // Without its log, or its control file.
    let logs = |ending: &str| -> Vec<PathBuf> {
        kept.iter()
            .map(|(path, _)| path.clone())
            .filter(|path| path.extension().is_some_and(|end| end == ending))
            .collect()
    };
    for (ending, wanted) in [("log", &["log", "missing"][..]), ("hct", &["heddle.hct"])] {
        logs(ending).iter().for_each(|path| fs::remove_file(path).expect("removed"));
        says(&refused_on(&data, &[]), wanted);
        kept.iter().for_each(|(path, bytes)| fs::write(path, bytes).expect("written"));
    }
    let server = Server::start_on(text(&data), &[]);
    assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM kept").trim(), "1");
}

#[test]
fn the_other_commands_say_what_is_missing() {
    let root = scratch("refused-commands");
    let missing = root.join("missing");
    let run = |args: &[&str]| binary().args(args).stdin(Stdio::null()).output().expect("it runs");
    let restored = run(&["restore", "--archive", text(&missing), "--to", text(&root.join("to"))]);
    says(&why(&restored, "heddle restore: "), &[text(&missing)]);
    let listed = run(&["archive", "list", "--archive", text(&missing)]);
    says(&why(&listed, "heddle archive list: "), &[text(&missing)]);
    let full = root.join("full");
    fs::create_dir_all(full.join("something")).expect("made");
    let restored = run(&["restore", "--archive", text(&missing), "--to", text(&full)]);
    assert_eq!(restored.status.code(), Some(1));
    for args in
        [&["ping", "-S", "127.0.0.1,1"][..], &["sql", "-S", "127.0.0.1,1", "-U", "sa", "-P", "x", "-Q", "SELECT 1"]]
    {
        let output = run(args);
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{said}");
        says(&said, &["connection refused", "heddle serve starts a server"]);
    }
    // A command line that is none.
    assert_eq!(run(&["serve", "--frobnicate"]).status.code(), Some(2));
    assert_eq!(run(&["frobnicate"]).status.code(), Some(2));
}
