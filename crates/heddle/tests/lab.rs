//! `heddle lab run` end to end: small runs against real servers, resumed, interrupted, and on a server that runs already.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::{PASSWORD, Server, binary, scratch};

fn lab(args: &[&str]) -> Output {
    binary().arg("lab").args(args).output().expect("runs")
}

fn run(experiment: &str, out: &Path, args: &[&str]) -> Output {
    let out = out.to_str().expect("UTF-8");
    lab(&[&["run", experiment, "--quick", "--no-progress", "--out", out], args].concat())
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// The lines of one kind.
fn lines(out: &Path, experiment: &str, kind: &str) -> Vec<String> {
    let all = std::fs::read_to_string(out.join(format!("{experiment}.jsonl"))).unwrap_or_default();
    let begin = format!("{{\"line\":\"{kind}\"");
    all.lines().filter(|line| line.starts_with(&begin)).map(str::to_owned).collect()
}

/// The number behind a name.
fn figure(line: &str, name: &str) -> Option<f64> {
    let rest = line.split_once(&format!("\"{name}\":"))?.1;
    rest[..rest.find([',', '}'])?].parse().ok()
}

#[test]
fn an_experiment_from_its_servers_to_its_page() {
    let out = scratch("lab_startup");
    let ran = run("startup", &out, &["--repeat", "1"]);
    assert!(ran.status.success(), "{}", text(&ran));
    assert!(text(&ran).contains("startup: 4 runs, about 4 s"), "{}", text(&ran));
    let runs = lines(&out, "startup", "run");
    assert_eq!((runs.len(), lines(&out, "startup", "machine").len()), (4, 1));
    for run in &runs {
        assert!(figure(run, "start_ms").is_some_and(|ms| ms > 1.0) && run.contains("\"failed\":null"), "{run}");
        assert!(figure(run, "memory_start_mb").is_some_and(|mb| mb > 1.0), "{run}");
    }
    let page = std::fs::read_to_string(out.join("report.html")).expect("the page");
    for needed in ["Until it is ready", "Memory of an idle server", "Start of the server", "prefers-color-scheme: dark"]
    {
        assert!(page.contains(needed), "{needed}");
    }
    // Two charts, a legend with two signs in each.
    assert_eq!((page.matches("<svg viewBox=\"0 0 400").count(), page.matches("<svg viewBox=\"0 0 16").count()), (2, 4));
    for foreign in ["http:", "https:", "src=", "<link", "<script", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    // Each chart is a picture as well.
    let mut pictures: Vec<String> = std::fs::read_dir(out.join("charts"))
        .expect("pictures")
        .flatten()
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .collect();
    pictures.sort();
    assert_eq!(pictures, ["startup-memory-of-an-idle-server.png", "startup-until-it-is-ready.png"]);
    let picture = std::fs::read(out.join("charts").join(&pictures[0])).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 5_000, "{} bytes", picture.len());
    // What is there is not made again, and not overwritten.
    let again = run("startup", &out, &["--repeat", "1"]);
    assert!(again.status.code() == Some(2) && text(&again).contains("--resume goes on"), "{}", text(&again));
    // A run that was lost and a line that was cut off: the one that is missing is made, and no other.
    let path = out.join("startup.jsonl");
    let kept: Vec<String> = std::fs::read_to_string(&path).expect("results").lines().map(str::to_owned).collect();
    let (cut, whole) = kept.split_last().expect("lines");
    std::fs::write(&path, format!("{}\n{}", whole.join("\n"), &cut[..cut.len() / 2])).expect("written");
    let resumed = run("startup", &out, &["--repeat", "1", "--resume"]);
    assert!(resumed.status.success(), "{}", text(&resumed));
    let now = lines(&out, "startup", "run");
    assert_eq!((now.len(), &now[..3]), (4, &runs[..3]));
    let setting =
        |run: &str| run.split_once("\"setting\":").map(|(_, rest)| rest[..rest.find('}').expect("its end")].to_owned());
    assert_eq!(setting(&now[3]), setting(&runs[3]));
    let whole = run("startup", &out, &["--repeat", "1", "--resume"]);
    assert!(whole.status.success() && lines(&out, "startup", "run").len() == 4, "{}", text(&whole));
}

#[test]
fn a_loop_without_a_server() {
    let out = scratch("lab_locks");
    let ran = run("locks", &out, &["--repeat", "1"]);
    assert!(ran.status.success(), "{}", text(&ran));
    let runs = lines(&out, "locks", "run");
    assert_eq!(runs.len(), 12);
    for run in &runs {
        let share = figure(run, "million_reads_per_second").zip(figure(run, "million_operations_per_second"));
        let (reads, all) = share.unwrap_or_else(|| panic!("{run}"));
        let expected = if run.contains("\"reads\":\"90\"") { 0.9 } else { 1.0 };
        assert!(reads > 0.0 && (reads / all - expected).abs() < 1e-9 && run.contains("\"failed\":null"), "{run}");
        assert!(figure(run, "cpu_ns_per_operation").is_some_and(|ns| ns > 0.0), "{run}");
    }
    // Somebody waits where many workers read and write, and the page says for what.
    let page = std::fs::read_to_string(out.join("report.html")).expect("the page");
    assert!(page.contains("<td class=\"text\">SOS_RW</td>"), "{page}");
    // A target would have to be asked for its locks.
    let elsewhere = scratch("lab_locks_target");
    let server = Server::start(&[]);
    let target = format!("tds://sa:{PASSWORD}@127.0.0.1:{}", server.port);
    let ran = run("locks", &elsewhere, &["--target", &target]);
    assert!(ran.status.success() && lines(&elsewhere, "locks", "run").is_empty(), "{}", text(&ran));
    assert_eq!(lines(&elsewhere, "locks", "skipped").len(), 1);
    let wrong = lab(&["bench", "rwlock", "--lock", "fair", "--reads", "90", "--workers", "1", "--duration", "1"]);
    assert!(wrong.status.code() == Some(2) && text(&wrong).contains("classic, atomic, biased"), "{}", text(&wrong));
}

#[test]
fn a_server_that_runs_already() {
    let server = Server::start(&[]);
    let out = scratch("lab_target");
    let target = format!("tds://sa:{PASSWORD}@127.0.0.1:{}", server.port);
    let ran = run("logins", &out, &["--repeat", "1", "--target", &target]);
    assert!(ran.status.success(), "{}", text(&ran));
    let runs = lines(&out, "logins", "run");
    assert!(runs.len() == 1 && figure(&runs[0], "iterations_per_second").is_some_and(|rate| rate > 1.0), "{runs:?}");
    // Nothing is known of its process, and nothing is left in it.
    assert_eq!(figure(&runs[0], "server_cpu_us_per_iteration"), None);
    assert!(figure(&runs[0], "wait_us_per_request").is_some(), "{runs:?}");
    assert_eq!(
        server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM sys.databases WHERE name = 'heddle_lab'").trim(),
        "0"
    );
    let page = std::fs::read_to_string(out.join("report.html")).expect("the page");
    assert!(page.contains("it is chosen when the server starts") && page.contains("as it is"), "{page}");
    let ran = run("startup", &out, &["--repeat", "1", "--target", &target]);
    assert!(ran.status.success() && lines(&out, "startup", "skipped").len() == 1, "{}", text(&ran));
    // What a client can ask is there as sp_sysmon has it, and what it cannot has no line.
    let ran = run("kernels", &out, &["--repeat", "1", "--target", &target]);
    assert!(ran.status.success(), "{}", text(&ran));
    let sheet = std::fs::read_to_string(out.join("kernels-sysmon.txt")).expect("the sheet");
    let part = |name: &str, from_end: usize| {
        let line = sheet.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{sheet}"));
        line.split_whitespace().rev().nth(from_end).and_then(|word| word.parse::<f64>().ok())
    };
    // Each loop calls one procedure, whose three statements are found: 100.0 %, of which the sign is a word.
    assert_eq!(
        (part("Procedure Requests", 2), part("Statements Found in Cache", 3)),
        (Some(1.0), Some(3.0)),
        "{sheet}"
    );
    assert!(part("Engine Busy (us)", 1).is_some_and(|percent| percent > 0.0 && percent <= 100.0), "{sheet}");
    assert!(!sheet.contains("Process CPU") && !sheet.contains("Grabs"), "{sheet}");
    // A database of that name is somebody's.
    server.query("CREATE DATABASE heddle_lab");
    let refused = scratch("lab_target_taken");
    let ran = run("logins", &refused, &["--repeat", "1", "--target", &target]);
    assert!(
        ran.status.code() == Some(1) && text(&ran).contains("the database of the run cannot be made"),
        "{}",
        text(&ran)
    );
    assert_eq!(
        server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM sys.databases WHERE name = 'heddle_lab'").trim(),
        "1"
    );
    // Where no database can be made one is given: it is used, emptied, and not if it has something.
    server.query("CREATE DATABASE given");
    let ran = run("kernels", &scratch("lab_given"), &["--repeat", "1", "--target", &format!("{target}/given")]);
    assert!(ran.status.success(), "{}", text(&ran));
    let objects = "SET NOCOUNT ON; SELECT COUNT(*) FROM given.sys.objects WHERE is_ms_shipped = 0";
    assert_eq!(server.query(objects).trim(), "0");
    server.query("USE given; EXEC (N'CREATE VIEW dbo.mine AS SELECT 1 AS one')");
    let ran = run("kernels", &scratch("lab_given_full"), &["--repeat", "1", "--target", &format!("{target}/given")]);
    assert!(ran.status.code() == Some(1) && text(&ran).contains("has VIEW [dbo].[mine]"), "{}", text(&ran));
    assert_eq!(server.query(objects).trim(), "1");
}

#[test]
fn tpcc_keeps_its_conditions() {
    let out = scratch("lab_tpcc");
    let ran = run("tpcc", &out, &["--repeat", "1"]);
    assert!(ran.status.success(), "{}", text(&ran));
    let runs = lines(&out, "tpcc", "run");
    // On pages and in memory.
    assert_eq!(runs.len(), 2, "{runs:?}");
    for run in &runs {
        let of = |name: &str| figure(run, name).unwrap_or_else(|| panic!("{name}: {run}"));
        assert!(of("tpm") > 0.0 && (of("tpm") / of("new_orders_per_second") - 60.0).abs() < 1e-6, "{run}");
        // 45 of 100 transactions are New-Orders.
        let share = of("new_orders_per_second") / of("iterations_per_second");
        assert!((0.3..0.6).contains(&share), "{run}");
        for name in ["payment_p99_ms", "delivery_p99_ms", "order_status_p99_ms", "stock_level_p99_ms"] {
            assert!(of(name) > 0.0, "{run}");
        }
        assert!(of("new_order_p50_ms") <= of("new_order_p99_ms") && of("retries_per_1000") >= 0.0, "{run}");
    }
}

#[test]
fn a_run_whose_data_break_a_rule_has_failed() {
    let server = Server::start(&[]);
    let out = scratch("lab_broken_rule");
    let target = format!("tds://sa:{PASSWORD}@127.0.0.1:{}", server.port);
    let mut command = binary();
    command.args(["lab", "run", "tpcc", "--quick", "--no-progress", "--repeat", "1", "--target", &target, "--out"]);
    let child = command.arg(&out).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let until = Instant::now() + Duration::from_secs(300);
    // The last of its procedures is there: the load begins.
    while server
        .query("SET NOCOUNT ON; SELECT OBJECT_ID('heddle_lab.dbo.tx_stock_level')")
        .trim()
        .parse::<i32>()
        .is_err()
    {
        assert!(Instant::now() < until, "the set-up never ended");
        std::thread::sleep(Duration::from_millis(50));
    }
    // Orders beyond the population's 3,000 of a district are not delivered yet.
    // One moment of all of it: the load goes on.
    server.query("ALTER DATABASE heddle_lab SET ALLOW_SNAPSHOT_ISOLATION ON");
    let population = "SET NOCOUNT ON; SET TRANSACTION ISOLATION LEVEL SNAPSHOT; USE heddle_lab; SELECT (SELECT COUNT(*) FROM item), (SELECT COUNT(*) FROM stock),
        (SELECT COUNT(*) FROM customer), (SELECT COUNT(DISTINCT c_last) FROM customer),
        (SELECT MAX(c_last) FROM customer WHERE c_id = 372),
        (SELECT CASE WHEN COUNT(*) BETWEEN 9000 AND 11000 THEN 1 ELSE 0 END FROM stock WHERE s_data LIKE '%ORIGINAL%'),
        (SELECT COUNT(*) FROM orders WHERE o_id > 3000) - (SELECT COUNT(*) FROM new_order WHERE no_o_id > 3000)";
    let population = server.query(population);
    assert_eq!(population.trim().lines().last(), Some("100000 100000 30000 1000 PRICALLYOUGHT 1 0"));
    server.query("UPDATE heddle_lab.dbo.warehouse SET w_ytd += 1");
    let ran = child.wait_with_output().expect("ends");
    let said = text(&ran);
    assert!(ran.status.code() == Some(1), "{said}");
    let breach = "rule '1: a warehouse's year is the sum of those of its districts': 1 row, the first w_id 1, w_ytd ";
    assert!(said.contains(breach), "{said}");
    let runs = lines(&out, "tpcc", "run");
    assert!(
        runs.len() == 1
            && runs[0].contains("\"failed\":\"the data break the rule")
            && figure(&runs[0], "tpm").is_none(),
        "{runs:?}"
    );
    assert_eq!(server.query("SET NOCOUNT ON; SELECT DB_ID('heddle_lab')").trim(), "NULL");
}

/// Writes an experiment of one's own, or a script of it.
fn file(directory: &Path, name: &str, text: &str) -> String {
    std::fs::create_dir_all(directory).expect("a directory");
    let path = directory.join(name);
    std::fs::write(&path, text).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

/// An experiment of one's own, with a script beside it: the same rows by a slow link, by the proxy alone, and without either.
#[test]
fn an_experiment_of_ones_own_and_its_link() {
    let out = scratch("lab_own");
    let file = |name: &str, text: &str| file(&out, name, text);
    file(
        "rows.sql",
        "CREATE TABLE dbo.numbers (n int NOT NULL, wide char(8000) NOT NULL)\nGO\nINSERT dbo.numbers VALUES (1, 'a')\nGO 20\n",
    );
    let own = file(
        "wires.toml",
        r#"title = "Wires"
question = "What does a wire carry?"
reading = "Rows of 8,000 bytes."
repeat = 1
variables = { mbit = "" }
[server]
setup_file = "rows.sql"
[workload]
transport = "tcp"
link = { mbit_per_second = "$(mbit)", delay_us = 0 }
arguments = ["-Q", "SELECT n, wide FROM dbo.numbers", "-q", "--duration", "2"]
[[axis]]
name = "wire"
label = "wire"
unit = ""
values = [{ name = "none", set = { mbit = "" } }, { name = "proxy", set = { mbit = 0 } }, { name = "slow", set = { mbit = 20 } }]
[[measure]]
name = "mbit_per_second"
unit = "Mbit/s"
says = "bits of rows"
of = "rows_per_second"
times = 0.064
[[chart]]
kind = "bars"
title = "Carried"
says = "What comes by each wire."
x = "wire"
y = "mbit_per_second"
"#,
    );
    let results = out.join("results");
    let ran = run(&own, &results, &[]);
    assert!(ran.status.success(), "{}", text(&ran));
    let runs = lines(&results, "wires", "run");
    let carried = |wire: &str| {
        let run = runs.iter().find(|run| run.contains(&format!("\"wire\":\"{wire}\""))).expect(wire);
        figure(run, "mbit_per_second").expect("a figure")
    };
    // A link carries no more than it may; the proxy without a limit, and no proxy, far more on any machine.
    assert!(carried("slow") > 10.0 && carried("slow") < 22.0, "{runs:?}");
    assert!(carried("proxy") > 100.0 && carried("none") > 100.0, "{runs:?}");
    // The page is written anew without the file.
    std::fs::remove_file(&own).expect("removed");
    let again = lab(&["report", results.to_str().expect("UTF-8")]);
    let page = std::fs::read_to_string(results.join("report.html")).expect("the page");
    assert!(again.status.success() && page.contains("What comes by each wire."), "{}", text(&again));
    let tables = lab(&["report", results.to_str().expect("UTF-8"), "--text"]);
    assert!(tables.status.success() && text(&tables).contains("two CPUs at once"), "{}", text(&tables));
    let taken = file("rwlock.toml", "");
    let ran = run(&taken, &results, &[]);
    assert!(ran.status.code() == Some(2) && text(&ran).contains("rwlock is taken"), "{}", text(&ran));
    // What is brought along is a beginning for such a file.
    let shown = lab(&["show", "rbar"]);
    assert!(shown.status.success() && text(&shown).contains("[[axis]]"), "{}", text(&shown));
}

/// A busy server may take its time to tell its counters.
#[test]
fn what_reading_the_counters_takes_is_no_part_of_what_is_measured() {
    let out = scratch("lab_slow_counters");
    let patience = r#"title = "Patience"
question = "What is measured when counters come late?"
reading = "They take a second."
repeat = 1
[workload]
transport = "local"
arguments = ["-Q", "SELECT 1", "-n", "2", "--think", "10", "--duration", "1", "--warmup", "1"]
[[axis]]
name = "users"
label = "users"
unit = ""
values = ["few"]
[[measure]]
name = "slow"
unit = ""
says = "nothing, late"
query = "WAITFOR DELAY '00:00:01'; SELECT 1"
per = "second"
[[chart]]
kind = "bars"
title = "Rate"
says = "Requests a second."
x = "users"
y = "requests_per_second"
"#;
    let results = out.join("results");
    let ran = run(&file(&out, "patience.toml", patience), &results, &[]);
    assert!(ran.status.success(), "{}", text(&ran));
    let runs = lines(&results, "patience", "run");
    assert!(figure(&runs[0], "seconds").expect("a figure") >= 1.0, "{runs:?}");
    // Two users who think for 10 ms ask no more often than that, in whatever second it is.
    let (_, seconds) = runs[0].split_once("\"seconds\":[[").expect("the run second by second");
    let (seconds, _) = seconds.split_once("]]").expect("its end");
    let rates = seconds.split("],[").map(|second| second.split_once(',').expect("two numbers").1.parse::<f64>());
    assert!(rates.clone().count() >= 2 && rates.clone().all(|rate| rate.expect("a number") <= 200.0), "{seconds}");
}

#[test]
fn an_interrupted_run_leaves_what_it_has() {
    let out = scratch("lab_interrupted");
    let mut command = binary();
    command.args(["lab", "run", "startup", "--no-progress", "--repeat", "1000", "--out", out.to_str().expect("UTF-8")]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("starts");
    let until = Instant::now() + Duration::from_secs(60);
    while lines(&out, "startup", "run").is_empty() {
        assert!(Instant::now() < until, "no run ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let temporary = std::env::temp_dir().join(format!("heddle-{}-lab", child.id()));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().expect("piped"), &mut said).expect("UTF-8");
    assert_eq!(child.wait().expect("ends").code(), Some(1), "{said}");
    assert!(said.contains("--resume goes on") && out.join("report.html").exists(), "{said}");
    assert!(!temporary.exists(), "{} is left", temporary.display());
}

#[test]
fn wrong_input_is_told_what_is_right() {
    let out = scratch("lab_wrong");
    for (args, why) in [
        (&["fibres"][..], "there is no experiment 'fibres'; did you mean fibers?"),
        (&["startup", "--target", "db:1433"], "--target: expected tds://user:password@host:port"),
        (&["startup", "--repeat", "0"], "0 is not in 1..=1000"),
        (&["startup", "all"], "startup is given twice"),
        (&["no/such.toml"], "no/such.toml: No such file"),
    ] {
        let ran = run(args[0], &out, &args[1..]);
        assert!(ran.status.code() == Some(2) && text(&ran).contains(why), "{args:?}: {}", text(&ran));
    }
    let ran = lab(&["report", out.to_str().expect("UTF-8")]);
    assert!(ran.status.code() == Some(2) && text(&ran).contains("there are no results"), "{}", text(&ran));
    let ran = lab(&["list"]);
    let has_length = text(&ran).contains("27 runs, about 8 min; with --quick: 12 runs, about 48 s");
    assert!(ran.status.success() && text(&ran).contains("rwlock") && has_length, "{}", text(&ran));
    // Into a pipe that nobody reads.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let unread = binary().args(["lab", "list"]).stdout(writer).output().expect("runs");
    assert!(unread.status.success() && unread.stderr.is_empty(), "{}", text(&unread));
}
