//! An archive in a bucket of an S3 store: what fails there holds nobody up, and nothing that is there is written over.
//!
//! https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;
#[path = "support/bucket.rs"]
mod bucket;

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use bucket::{Bucket, Mood, NAME};
use lab::client::Connection;
use support::ask::{connect, must, one, word};
use support::{PASSWORD, Server, binary, scratch};

/// Longer than anything that is waited for takes.
const PATIENCE: Duration = Duration::from_secs(60);
const PLACE: &str = "s3://shelf/of/shop";

fn start(data: &str, bucket: &Bucket) -> Server {
    let environment = bucket.environment();
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let args = ["--admin-listen", "off", "--archive", PLACE, "--archive-snapshot", "0.002"];
    Server::start_with("127.0.0.1:0", data, &args, &environment)
}

fn tool(bucket: &Bucket, args: &[&str]) -> Output {
    binary().args(args).envs(bucket.environment()).stdin(Stdio::null()).output().expect("it runs")
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn state(sa: &mut Connection) -> String {
    word(sa, "SELECT state_desc FROM sys.dm_heddle_archive")
}

fn shipped(sa: &mut Connection) {
    let lsn = one(sa, "SELECT hardened_lsn FROM sys.dm_heddle_archive");
    until("it is shipped", || one(sa, "SELECT archived_lsn FROM sys.dm_heddle_archive") >= lsn);
}

fn with_shop(data: &str, bucket: &Bucket) -> (Server, Connection) {
    let server = start(data, bucket);
    let mut sa = connect(&server, "master");
    must(&mut sa, "CREATE DATABASE shop; ALTER DATABASE shop SET RECOVERY FULL");
    must(&mut sa, "USE shop; CREATE TABLE t (id int IDENTITY, note varchar(100))");
    until("a snapshot", || one(&mut sa, "SELECT snapshot_count FROM sys.dm_heddle_archive") > 0);
    (server, sa)
}

/// The rows of what comes back.
fn restored(bucket: &Bucket, root: &Path, name: &str) -> i64 {
    let to = root.join(name).to_str().expect("UTF-8").to_owned();
    let output = tool(bucket, &["restore", "--archive", PLACE, "--to", &to]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let back = Server::start_on(&to, &["--admin-listen", "off"]);
    one(&mut connect(&back, "shop"), "SELECT COUNT(*) FROM t")
}

#[test]
fn what_fails_in_the_store_holds_nobody_up() {
    let (root, bucket) = (scratch("archive-s3"), Bucket::start());
    let data = root.join("data").to_str().expect("UTF-8").to_owned();
    let (server, mut sa) = with_shop(&data, &bucket);
    let mut rows = 0;
    for mood in [Mood::Broken, Mood::Full, Mood::Shaky, Mood::Slow, Mood::Mute] {
        bucket.set(mood);
        for _ in 0..10 {
            let begun = Instant::now();
            must(&mut sa, "INSERT t (note) VALUES ('goes on')");
            rows += 1;
            assert!(begun.elapsed() < Duration::from_secs(5), "{mood:?} holds a commit up");
            std::thread::sleep(Duration::from_millis(120));
        }
        if matches!(mood, Mood::Broken | Mood::Full | Mood::Mute) {
            until("it is told", || state(&mut sa) == "FAILS");
            let why = word(&mut sa, "SELECT last_error FROM sys.dm_heddle_archive");
            assert!(why.contains(PLACE), "{mood:?}: {why}");
            assert!(mood != Mood::Full || why.contains("The disk is full"), "{why}");
        }
        bucket.set(Mood::Well);
        until("it goes on", || state(&mut sa) == "SHIPS");
        shipped(&mut sa);
    }
    assert_eq!(one(&mut sa, "SELECT gap_count FROM sys.dm_heddle_archive"), 0);
    // The only object that is ever written anew says how far an idle server has come.
    assert!(bucket.replaced().iter().all(|name| name == "of/shop/owner/seen"), "{:?}", bucket.replaced());
    assert_eq!(bucket.refused_signatures(), 0);
    drop(sa);
    server.kill();
    assert_eq!(restored(&bucket, &root, "back"), rows);
    // Killed, it goes on in the same place.
    let again = start(&data, &bucket);
    let mut sa = connect(&again, "shop");
    must(&mut sa, "INSERT t (note) VALUES ('after a kill')");
    shipped(&mut sa);
    assert_eq!(one(&mut sa, "SELECT term FROM sys.dm_heddle_archive"), 2);
    drop(sa);
    assert_eq!(again.stop().0, Some(0));
    assert_eq!(restored(&bucket, &root, "later"), rows + 1);
    let listed = tool(&bucket, &["archive", "list", "--archive", PLACE]);
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stdout));
    // Damage is found there as well.
    let victim = bucket.names().into_iter().rfind(|name| name.contains("/log/")).expect("a segment");
    bucket.change(&victim, |mut bytes| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        Some(bytes)
    });
    let to = root.join("refused").to_str().expect("UTF-8").to_owned();
    let why = String::from_utf8(tool(&bucket, &["restore", "--archive", PLACE, "--to", &to]).stderr).expect("UTF-8");
    let name = victim.rsplit('/').next().expect("a name");
    assert!(why.contains(name) && why.contains("is damaged"), "{why}");
}

/// What it has not got then comes with the next start.
#[test]
fn a_stop_does_not_wait_for_a_store_that_is_silent() {
    for kernel in ["threaded", "process"] {
        let (root, bucket) = (scratch(&format!("archive-s3-silent-{kernel}")), Bucket::start());
        let data = root.join("data").to_str().expect("UTF-8").to_owned();
        let environment = bucket.environment();
        let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let args = ["--admin-listen", "off", "--archive", PLACE, "--kernel", kernel];
        let begin = || Server::start_with("127.0.0.1:0", &data, &args, &environment);
        let server = begin();
        let mut sa = connect(&server, "master");
        must(&mut sa, "CREATE DATABASE shop");
        must(&mut sa, "CREATE TABLE shop.dbo.t (id int)");
        until("a snapshot", || one(&mut sa, "SELECT snapshot_count FROM sys.dm_heddle_archive") > 0);
        bucket.set(Mood::Silent);
        must(&mut sa, "INSERT shop.dbo.t VALUES (1)");
        // By then it asks.
        std::thread::sleep(Duration::from_millis(1_500));
        must(&mut sa, "INSERT shop.dbo.t VALUES (2)");
        drop(sa);
        let (code, took) = server.stop();
        assert_eq!(code, Some(0), "{kernel}");
        assert!(took < Duration::from_secs(15), "{kernel}: stopped only after {took:?}");
        bucket.set(Mood::Well);
        let again = begin();
        let mut sa = connect(&again, "master");
        until("it goes on", || state(&mut sa) == "SHIPS");
        shipped(&mut sa);
        drop(sa);
        assert_eq!(again.stop().0, Some(0));
        assert_eq!(restored(&bucket, &root, "back"), 2);
    }
}

#[test]
fn another_server_is_refused_and_wrong_keys_are_told() {
    let (root, bucket) = (scratch("archive-s3-owner"), Bucket::start());
    let path = |name: &str| root.join(name).to_str().expect("UTF-8").to_owned();
    let (server, mut sa) = with_shop(&path("data"), &bucket);
    shipped(&mut sa);
    let arguments = |data: &str| {
        ["serve", "--data", data, "--listen", "127.0.0.1:0", "--admin-listen", "off", "--archive", PLACE]
            .map(String::from)
            .into_iter()
            .chain(["--sa-password".into(), PASSWORD.into()])
            .collect::<Vec<String>>()
    };
    let output = binary().args(arguments(&path("other"))).envs(bucket.environment()).output().expect("it runs");
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{why}");
    assert!(why.contains("written by another server") && why.contains(&path("data")), "{why}");
    // Without keys it is known at once that nothing will come of it.
    let output = binary()
        .args(arguments(&path("keyless")))
        .env("HOME", path("home"))
        .env_remove("AWS_ACCESS_KEY_ID")
        .output()
        .expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no keys for S3"), "{output:?}");
    drop(sa);
    assert_eq!(server.stop().0, Some(0));
    // Keys that are not right may be so in a minute: the server serves, and says what the store says.
    let environment = bucket.environment();
    let mut environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    environment[2].1 = "another secret";
    let args = ["--admin-listen", "off", "--archive", PLACE];
    let server = Server::start_with("127.0.0.1:0", &path("data"), &args, &environment);
    let mut sa = connect(&server, "shop");
    must(&mut sa, "INSERT t (note) VALUES ('goes on')");
    until("it fails", || state(&mut sa) == "FAILS");
    until("it says why", || !word(&mut sa, "SELECT ISNULL(last_error, '') FROM sys.dm_heddle_archive").is_empty());
    let why = word(&mut sa, "SELECT last_error FROM sys.dm_heddle_archive");
    assert!(why.contains("403 SignatureDoesNotMatch"), "{why}");
    assert!(!why.contains("secret"), "{why}");
    assert!(bucket.refused_signatures() > 0 && bucket.requests() > 0);
    assert!(bucket.names().iter().all(|name| name.starts_with("of/shop/")), "in {NAME} only where it was told");
}
