//! `heddle stress` as people who know ostress use it, and what it can beyond that.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::path::Path;
use std::process::{Output, Stdio};

use support::{PASSWORD, Server, binary, scratch};

fn stress(server: &Server, args: &[&str]) -> Output {
    let address = server.local_address();
    let command = [&["stress", "-U", "sa", "-P", PASSWORD, "-S", &address], args].concat();
    binary().args(command).output().expect("runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// The number behind a word at the beginning of a line of the summary.
fn figure(output: &Output, name: &str) -> u64 {
    let said = text(output);
    let line = said.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} in {said}"));
    line[name.len()..].split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number")
}

fn files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_line_as_it_is_in_print() {
    let server = Server::start(&[]);
    let directory = scratch("stress_print");
    let place = format!("-Slpc:.\\SQL2012,{}", server.port);
    let output = format!("-o{}", directory.display());
    // As a shell hands it over: it knows no such quotes.
    let line = ["-E", &place, "-Q”{call", "sp_reset_connection()}”", "-q", "-r50", "-n16", &output, "-L120"];
    let ran = binary().arg("stress").args(line).env("SQLCMDPASSWORD", PASSWORD).output().expect("runs");
    let said = text(&ran);
    assert!(ran.status.success(), "{said}");
    assert_eq!((figure(&ran, "requests"), figure(&ran, "errors")), (800, 0));
    assert!(said.contains("Creating 16 thread(s) to process queries"), "{said}");
    assert!(said.contains("OSTRESS exiting normally, elapsed time: 00:00:"), "{said}");
    assert_eq!(files(&directory), ["ostress.log"]);
    let log = std::fs::read_to_string(directory.join("ostress.log")).expect("the log");
    assert!(log.contains("OSTRESS exiting normally") && log.contains("latency ms"), "{log}");
}

#[test]
fn every_switch_of_ostress_is_taken() {
    let server = Server::start(&[]);
    let directory = scratch("stress_switches");
    let (place, output) = (format!("-Slpc:.,{}", server.port), format!("-o{}", directory.display()));
    let password = format!("/P{PASSWORD}");
    let named = ["-Usa", &password, &place, "-dmaster", "-QSELECT 1", &output, "-n2", "-r3", "-q", "-v", "-fx"];
    let others =
        ["-l20", "-L1033", "-t30", "-p4096", "-mstress", "-asecret", "-T146", "-T28", "-M8", "-b", "-X", "-y", "-N"];
    let ran = binary().arg("stress").args(named).args(others).output().expect("runs");
    let said = text(&ran);
    assert!(ran.status.success(), "{said}");
    assert_eq!((figure(&ran, "requests"), figure(&ran, "rows")), (6, 6));
    assert!(said.contains("Max threads setting: 8") && said.contains("Trace flag 28 has no effect here"), "{said}");
    assert!(!said.contains("OSTRESS exiting"), "{said}");
    assert_eq!(files(&directory), ["ostress.log", "query_1.xml", "query_2.xml"]);
}

#[test]
fn several_servers_share_the_connections() {
    let servers = [Server::start(&[]), Server::start(&[])];
    let table = "CREATE DATABASE shared; USE shared; EXEC('CREATE TABLE dbo.seen (id int IDENTITY)')";
    servers.iter().for_each(|server| drop(server.query(table)));
    let seen = || {
        let counted =
            servers.each_ref().map(|server| server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM shared.dbo.seen"));
        counted.map(|count| count.trim().parse::<u64>().expect("a number"))
    };
    // Their transports need not be the same.
    let (one, two) = (servers[0].local_address(), servers[1].address());
    let run = |places: [&str; 2], args: &[&str]| {
        let load = ["-dshared", "-Q", "INSERT dbo.seen DEFAULT VALUES", "-q"];
        let server = places.into_iter().flat_map(|place| ["-S", place]);
        let command = binary().args(["stress", "-U", "sa", "-P", PASSWORD]).args(server).args(load).args(args).output();
        command.expect("runs")
    };
    let json = scratch("stress_servers").join("run.json");
    let ran = run([&one, &two], &["-n5", "-r20", "--deltas", "--json", json.to_str().expect("UTF-8")]);
    let said = text(&ran);
    assert!(ran.status.success(), "{said}");
    assert_eq!((figure(&ran, "requests"), seen()), (100, [60, 40]));
    for (place, connections, requests) in [(&one, 3, 60), (&two, 2, 40)] {
        let line =
            format!("server        {place}: {connections} of {connections} logged in\n{requests:>12} requests (");
        assert!(said.contains(&line), "{line}: {said}");
        // Each tells what it counted.
        let (_, counted) = said.split_once(&format!("\n{place} meanwhile (")).expect(&said);
        assert!(counted.contains("Batch Requests/sec"), "{said}");
    }
    let json = std::fs::read_to_string(json).expect("the summary");
    for part in [format!("\"server\": \"{one}\""), format!("\"server\": \"{two}\""), "\"requests\": 60,".into()] {
        assert!(json.contains(&part), "{part}: {json}");
    }
    // One that is not there has its errors for itself.
    let ran = run([&two, "127.0.0.1,1"], &["-n4", "-r5"]);
    let said = text(&ran);
    assert_eq!((ran.status.code(), figure(&ran, "errors"), seen()), (Some(1), 2, [60, 50]), "{said}");
    let [there, missing] = [&two, "127.0.0.1,1"].map(|place| {
        let (_, rest) = said.split_once(&format!("server        {place}: ")).expect(&said);
        rest.lines().take(3).collect::<Vec<_>>().join("\n")
    });
    assert!(
        there.starts_with("2 of 2 logged in") && there.contains(" 0 errors") && !there.contains("client:"),
        "{said}"
    );
    assert!(missing.starts_with("0 of 2 logged in") && missing.contains("2 x client: connecting"), "{said}");
}

/// Starts `heddle stress`, and interrupts it after a while as Ctrl-C does.
fn interrupted(args: &[&str], after_ms: u64) -> Output {
    let mut command = binary();
    command.args(["stress", "-U", "sa", "-P", PASSWORD]).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let load = command.spawn().expect("starts");
    std::thread::sleep(std::time::Duration::from_millis(after_ms));
    let told = std::process::Command::new("kill").args(["-INT", &load.id().to_string()]).status().expect("kill runs");
    assert!(told.success());
    load.wait_with_output().expect("ends")
}

#[test]
fn a_run_that_is_interrupted_tells_what_it_measured() {
    let server = Server::start(&[]);
    let directory = scratch("stress_interrupted");
    let [json, csv] = ["run.json", "run.csv"].map(|name| directory.join(name).to_string_lossy().into_owned());
    let (address, output) = (server.local_address(), format!("-o{}", directory.display()));
    let load = ["-S", &address, "-Q", "SELECT 1 AS n", "-n2", "--duration", "600", "--think", "5", &output];
    let ran = interrupted(&[&load[..], &["--json", &json, "--csv", &csv]].concat(), 3_000);
    let said = text(&ran);
    assert_eq!((ran.status.code(), figure(&ran, "errors")), (Some(1), 0), "{said}");
    assert!(said.contains("OSTRESS exiting due to Ctrl-C or Ctrl-Break"), "{said}");
    let requests = figure(&ran, "requests");
    assert!(requests > 0, "{said}");
    let read = |path: &str| std::fs::read_to_string(path).expect("written");
    let json = read(&json);
    let measured = format!("\"requests\": {requests},");
    assert!(json.contains("\"interrupted\": true") && json.contains(&measured), "{json}");
    assert!(read(&csv).lines().count() >= 2);
    assert_eq!(files(&directory), ["ostress.log", "query_1.out", "query_2.out", "run.csv", "run.json"]);
    assert!(read(&directory.join("query_2.out").to_string_lossy()).starts_with("n\n1\n(1 rows affected)\n"));
    // Also before anybody is in: this server never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("127.0.0.1,{}", silent.local_addr().expect("bound").port());
    let ran = interrupted(&["-S", &address, "-Q", "SELECT 1", "-n2", "-l4", "--barrier"], 1_500);
    let said = text(&ran);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("exiting due to Ctrl-C") && said.contains("connections   0 of 2 logged in"), "{said}");
}

#[test]
fn each_script_has_connections_of_its_own() {
    let server = Server::start(&[]);
    let (scripts, results) = (scratch("stress_scripts"), scratch("stress_results"));
    std::fs::write(scripts.join("one.sql"), "SELECT 1 AS [a<b], NULL AS n\nGO 2\nPRINT 'said'").expect("written");
    std::fs::write(scripts.join("two.sql"), "SELECT 'x & y' AS [text]").expect("written");
    let (input, output) = (format!("-i{}/*.sql", scripts.display()), format!("-o{}", results.display()));
    let ran = stress(&server, &[&input, "-n3", "-r2", &output]);
    assert!(ran.status.success(), "{}", text(&ran));
    // Three batches by three connections, twice, and one.
    assert_eq!((figure(&ran, "requests"), figure(&ran, "iterations")), (24, 12));
    let names = ["one_1.out", "one_2.out", "one_3.out", "ostress.log", "two_1.out", "two_2.out", "two_3.out"];
    assert_eq!(files(&results), names);
    let read = |name: &str| std::fs::read_to_string(results.join(name)).expect("results");
    let once = "a<b\tn\n1\tNULL\n(1 rows affected)\n";
    assert_eq!(read("one_3.out"), format!("{once}{once}said\n").repeat(2));
    let ran = stress(&server, &[&input, "-q", "-v", "-fx", &output]);
    assert!(ran.status.success() && text(&ran).contains("Using -v"), "{}", text(&ran));
    let xml = read("one_1.xml");
    assert!(xml.contains("<row><column name=\"a&lt;b\">1</column><column name=\"n\"/></row>"), "{xml}");
    assert!(xml.ends_with("<message number=\"0\">said</message>\n</results>\n"), "{xml}");
    assert!(read("two_1.xml").contains(">x &amp; y<"));
}

#[test]
fn a_control_file_is_followed() {
    let server = Server::start(&[]);
    let directory = scratch("stress_control");
    let path = directory.join("control.ini");
    let run = |control: &str, args: &[&str]| {
        std::fs::write(&path, control).expect("written");
        stress(&server, &[args, &[&format!("-c{}", path.display())]].concat())
    };
    // Cancelled, all of them; the transaction of each is rolled back.
    let wait = "BEGIN TRAN; WAITFOR DELAY '00:01:00'";
    let cancel = "[Query Options]\nCancelPct=100\nCancelDelayMin=1\nCancelDelay=20\nRollbackOnCancel=Yes";
    let ran = run(cancel, &["-Q", wait, "-n4", "-r5", "-q"]);
    assert!(ran.status.success(), "{}", text(&ran));
    assert_eq!((figure(&ran, "cancelled"), figure(&ran, "errors")), (20, 0));
    // Connections come and go. One is the question's own.
    let logins = || {
        let question =
            "SET NOCOUNT ON; SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Logins/sec'";
        server.query(question).trim().parse::<u64>().expect("a number")
    };
    let before = logins();
    let ran = run("[Connection Options]\nDisconnectPct=100", &["-Q", "SELECT 1", "-n4", "-r5", "-q"]);
    assert!(ran.status.success() && figure(&ran, "iterations") == 20, "{}", text(&ran));
    assert_eq!(logins() - before, 20 + 1);
    let ran = run("[Query Options]\nBatchDisconnectPct=100", &["-Q", wait, "-n2", "-r3", "-q"]);
    assert!(ran.status.success() && figure(&ran, "iterations") == 6, "{}", text(&ran));
    // Settings of the session, and a delay of users: 5 queries a connection, 20 ms each.
    let settings = "[Connection Options]\nQuotedIdentifier=Off\nAutocommitMode=Off\n[Query Options]\nQueryDelay=20";
    let query = "IF SESSIONPROPERTY('QUOTED_IDENTIFIER') = 1 OR @@OPTIONS & 2 = 0 THROW 50001, 'not set', 1";
    let begun = std::time::Instant::now();
    let ran = run(settings, &["-Q", query, "-n2", "-r5", "-q"]);
    assert!(ran.status.success(), "{}", text(&ran));
    assert!(begun.elapsed().as_millis() >= 100);
    // Who has had too many errors goes.
    let ran = run("[Connection Options]\nMaxThreadErrors=3", &["-Q", "SELECT 1/0", "-n2", "-r9", "-q"]);
    assert_eq!((ran.status.code(), figure(&ran, "errors")), (Some(1), 6), "{}", text(&ran));
    // A slow reader: 20 rows of 5 ms.
    let begun = std::time::Instant::now();
    let rows = "SELECT value FROM GENERATE_SERIES(1, 20)";
    let ran = run("[Query Options]\nRowFetchDelay=5", &["-Q", rows, "-q"]);
    assert!(ran.status.success() && figure(&ran, "rows") == 20, "{}", text(&ran));
    assert!(begun.elapsed().as_millis() >= 100);
    let ran = run("[Query Options]\nQueryDelays=20", &["-Q", "SELECT 1"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran).contains("control.ini: line 2: there is no QueryDelays"), "{}", text(&ran));
}

#[test]
fn what_may_pass_is_tried_again() {
    let server = Server::start(&[]);
    let table =
        "CREATE TABLE dbo.hot (id int NOT NULL PRIMARY KEY NONCLUSTERED, n int NOT NULL) WITH (MEMORY_OPTIMIZED = ON)";
    server
        .query(&format!("CREATE DATABASE retried; USE retried; EXEC('{table}'); EXEC('INSERT dbo.hot VALUES (1, 0)')"));
    // Whoever comes second gets 41302. Without the first pause one that is unlucky tries more than a thousand times meanwhile.
    let change = "WAITFOR DELAY '00:00:00.001'; \
                  BEGIN TRAN; UPDATE dbo.hot WITH (SNAPSHOT) SET n += 1; WAITFOR DELAY '00:00:00.002'; COMMIT";
    let ran = stress(&server, &["-dretried", "-Q", change, "-n4", "-r10", "-q", "--retries", "1000"]);
    assert!(ran.status.success(), "{}", text(&ran));
    assert_eq!(server.query("SET NOCOUNT ON; SELECT n FROM retried.dbo.hot").trim(), "40");
    assert!(figure(&ran, "retries") > 0, "{}", text(&ran));
    let ran = stress(&server, &["-dretried", "-Q", change, "-n4", "-r10", "-q"]);
    assert!(ran.status.code() == Some(1) && text(&ran).contains("Msg 41302"), "{}", text(&ran));
}

#[test]
fn a_connection_that_broke_is_opened_again() {
    let server = Server::start(&[]);
    let ran = std::thread::scope(|scope| {
        let load = scope.spawn(|| {
            stress(&server, &["-Q", "SELECT 1", "-n4", "-q", "--duration", "2", "--think", "5", "--reconnect"])
        });
        let kill = "DECLARE @all nvarchar(max) = N''; SELECT @all += N'KILL ' + CONVERT(nvarchar(9), session_id) + N';'
            FROM sys.dm_exec_sessions WHERE program_name = 'heddle stress'; EXEC(@all)";
        for _ in 0..3 {
            std::thread::sleep(std::time::Duration::from_millis(500));
            server.query(kill);
        }
        load.join().expect("the load")
    });
    let (errors, iterations) = (figure(&ran, "errors"), figure(&ran, "iterations"));
    assert!((1..=12).contains(&errors) && ran.status.code() == Some(1), "{}", text(&ran));
    // Nobody stays away: all four go on to the end.
    assert!(iterations > 200 && figure(&ran, "fairness") > 50, "{}", text(&ran));
}

#[test]
fn who_stood_in_line_at_the_end_is_counted() {
    let server = Server::start(&[]);
    let load = ["-Q", "WAITFOR DELAY '00:00:00.100'", "-n1", "-q", "--duration", "2"];
    // Ten a second can be done: of 28 that are due eight stand in line at the end, and there is time for them.
    let ran = stress(&server, &[&load[..], &["--rate", "14"]].concat());
    assert!((27..=29).contains(&figure(&ran, "iterations")) && !text(&ran).contains("not begun"), "{}", text(&ran));
    // Of two hundred most stay in line; none is forgotten.
    let ran = stress(&server, &[&load[..], &["--rate", "100"]].concat());
    let (begun, not_begun) = (figure(&ran, "iterations"), figure(&ran, "not begun"));
    assert!((20..=42).contains(&begun) && (195..=205).contains(&(begun + not_begun)), "{}", text(&ran));
}

#[test]
fn batches_run_as_prepared_statements() {
    let server = Server::start(&[]);
    let question = "SELECT event_type FROM sys.dm_exec_input_buffer(@@SPID, NULL)";
    let asked = |name: &str, args: &[&str]| {
        let directory = scratch(name);
        let output = format!("-o{}", directory.display());
        let ran = stress(&server, &[&["-Q", question, "-r3", &output], args].concat());
        assert!(ran.status.success() && figure(&ran, "rows") == 3, "{}", text(&ran));
        std::fs::read_to_string(directory.join("query_1.out")).expect("results")
    };
    let once = |kind: &str| format!("event_type\n{kind}\n(1 rows affected)\n");
    assert_eq!(asked("stress_batch", &[]), once("Language Event").repeat(3));
    assert_eq!(asked("stress_prepared", &["--prepare"]), once("RPC Event").repeat(3));
}

#[test]
fn what_cannot_be_had_is_said() {
    let server = Server::start(&[]);
    for (args, why) in [
        (&["-mreplay", "-Q", "SELECT 1"][..], "RML files are not replayed here"),
        (&["-Dsource", "-Q", "SELECT 1"], "there are no ODBC data sources here; -S names the server"),
        (&["-Snp:server", "-Q", "SELECT 1"], "there are no named pipes here; tcp:server goes over TCP"),
        (&["-ino_such_*.sql"], "no_such_*.sql: there is no such file"),
        (&["-Q", "  "], "there is no batch in it"),
        (&[], "nothing to run: give -Q, -i, --rpc or --mix"),
        (&["-S.,70000", "-Q", "SELECT 1"], "'70000' is no port, 1 to 65535"),
        (&["-Q", "SELECT 1", "-Jno_such.pem"], "the certificate file no_such.pem: No such file or directory"),
        (&["-Q", "SELECT 1", "-J", "Cargo.toml"], "Cargo.toml: there is no certificate in it (-C trusts"),
        (&["-Q", "SELECT 1", "--json", "no_such_directory/a.json"], "no_such_directory/a.json: No such file"),
        (&["-Q", "SELECT 1", "--csv", "no_such_directory/a.csv"], "no_such_directory/a.csv: No such file"),
        (&["-Q", "SELECT 1", "--schedulers", "100000"], "100000 is not in 1..=254"),
        (&["-Q", "SELECT 1", "--rate", "0"], "expected a number above 0 and up to 1e9"),
        (&["-Q", "SELECT 1", "--rate", "nan"], "expected a number above 0 and up to 1e9"),
        (&["-Q", "SELECT 1", "--duration", "99999999999999"], "99999999999999 is not in 0..=31622400"),
        (&["-Q", "SELECT 1", "-l99999999999999"], "99999999999999 is not in 0..=31622400"),
        (&["-Q", "SELECT 1", "-p1"], "1 is not in 512..=32767"),
        (&["-Q", "SELECT 1", "-n30001"], "30001 is not in 1..=30000"),
        (&["-iCargo.toml", "Cargo.toml", "-n20000"], "40000 connections are more than the 30000 that one process can"),
    ] {
        let address = server.local_address();
        let at = if args[0..].iter().any(|arg| arg.starts_with("-S")) { vec![] } else { vec!["-S", &address] };
        let ran = binary().arg("stress").args(at).args(args).output().expect("runs");
        assert_eq!(ran.status.code(), Some(2), "{args:?}: {}", text(&ran));
        assert!(text(&ran).contains(why) && !text(&ran).contains("Creating"), "{args:?}: {}", text(&ran));
    }
    let ran = binary().args(["stress", "-S127.0.0.1,1", "-Q", "SELECT 1"]).output().expect("runs");
    assert_eq!(ran.status.code(), Some(1));
    assert!(text(&ran).contains("1 x client: connecting: connection refused: nothing listens"), "{}", text(&ran));
    // A script that is not there is missed before anybody is asked: nothing listens on that port.
    let ran = binary().args(["sql", "-S127.0.0.1,1", "-P", PASSWORD, "-i", "no_such.sql"]).output().expect("runs");
    assert_eq!(ran.status.code(), Some(1));
    assert_eq!(text(&ran), "Sqlcmd: Error: 'no_such.sql': there is no such file; nothing was run.\n");
}

#[test]
fn a_run_second_by_second() {
    let server = Server::start(&[]);
    let directory = scratch("stress_series");
    let (csv, json) = (directory.join("run.csv"), directory.join("run.json"));
    let files = ["--csv", csv.to_str().expect("UTF-8"), "--json", json.to_str().expect("UTF-8")];
    let ran = stress(&server, &[&["-Q", "SELECT 1", "-n4", "-q", "--duration", "2"], &files[..]].concat());
    assert!(ran.status.success(), "{}", text(&ran));
    let csv = std::fs::read_to_string(csv).expect("the seconds");
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let column = |name: &str| names.iter().position(|known| *known == name).expect("a column");
    let seconds: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|value| value.parse().unwrap_or(f64::NAN)).collect()).collect();
    assert!(seconds.len() >= 2, "{csv}");
    let sum = |name: &str| seconds.iter().map(|second| second[column(name)]).sum::<f64>();
    assert_eq!(sum("iterations") as u64, figure(&ran, "iterations"));
    // A busy machine ends it late, but no second is missing.
    let last = seconds.last().expect("a second")[column("at_s")];
    assert!(last >= 2.0 && (sum("seconds") - last).abs() < 0.01, "{csv}");
    let (first, p50, max) = (&seconds[0], column("p50_ms"), column("max_ms"));
    assert!(first[p50] > 0.0 && first[p50] <= first[max], "{csv}");
    assert_eq!(first[column("connections")], 4.0);
    let json = std::fs::read_to_string(json).expect("the summary");
    assert!(json.contains("\"series\": [") && json.contains("\"client_bound\": "), "{json}");
}

#[test]
fn statements_are_mixed_and_their_parameters_drawn() {
    let server = Server::start(&[]);
    server.query("CREATE DATABASE mixed; USE mixed; EXEC('CREATE TABLE dbo.seen (id bigint, kind varchar(9))')");
    let keep = "CREATE PROCEDURE dbo.keep @n bigint, @kind varchar(9) AS INSERT dbo.seen VALUES (@n, @kind)";
    assert!(server.sql(&["-b", "-d", "mixed", "-Q", keep]).status.success());
    let directory = scratch("stress_mix");
    let path = directory.join("mix.toml");
    let mix = "
        [[statement]]
        name = 'often'
        weight = 90
        sql = 'INSERT dbo.seen VALUES (@id, @kind)'
        parameters = { id = 'uniform(1, 4)', kind = \"'often'\" }
        [[statement]]
        name = 'seldom'
        weight = 10
        rpc = \"dbo.keep @kind = 'seldom'\"
        parameters = { n = 'sequence(100)' }";
    std::fs::write(&path, mix).expect("written");
    let file = path.to_str().expect("UTF-8");
    let ran = stress(&server, &["-dmixed", "--mix", file, "-n4", "-r250", "-q", "--think", "uniform(0, 1)"]);
    assert!(ran.status.success(), "{}", text(&ran));
    let question = "SET NOCOUNT ON; SELECT kind, COUNT(*), MIN(id), MAX(id), COUNT(DISTINCT id) FROM mixed.dbo.seen GROUP BY kind ORDER BY kind";
    let seen = server.query(question);
    let words: Vec<&str> = seen.split_whitespace().collect();
    let [often, seldom] = [1, 6].map(|at| words[at].parse::<u64>().expect("a number"));
    assert_eq!(often + seldom, 1000, "{seen}");
    // Ten of a hundred: no more than 5 standard deviations away.
    assert!((53..=147).contains(&seldom), "{seen}");
    assert_eq!((words[0], &words[2..5]), ("often", &["1", "4", "4"][..]), "{seen}");
    // A sequence is everybody's, and gives each number once.
    let last = (99 + seldom).to_string();
    assert_eq!((words[5], &words[7..10]), ("seldom", &["100", &last, words[6]][..]), "{seen}");
    assert!(text(&ran).contains(&format!("{often} x often (")), "{}", text(&ran));
    let drawn = ["-dmixed", "-Q", "IF @x NOT BETWEEN 5 AND 7 THROW 50001, 'no', 1", "--parameter", "x=uniform(5, 7)"];
    let ran = stress(&server, &[&drawn[..], &["-r50", "-q"]].concat());
    assert!(ran.status.success(), "{}", text(&ran));
    std::fs::write(&path, "[[statement]]\nsql = 'a'\nweight = 'x'").expect("written");
    let ran = stress(&server, &["--mix", file]);
    assert!(ran.status.code() == Some(2) && text(&ran).contains("mix.toml: "), "{}", text(&ran));
}

#[test]
fn the_server_says_what_it_counted() {
    let server = Server::start(&[]);
    let ran = stress(&server, &["-Q", "WAITFOR DELAY '00:00:00.010'", "-n4", "-r50", "-q", "--deltas"]);
    assert!(ran.status.success(), "{}", text(&ran));
    let said = text(&ran);
    let line = said.lines().find(|line| line.trim_start().starts_with("WAITFOR ")).expect(&said);
    let numbers: Vec<u64> = line.split_whitespace().skip(1).map(|word| word.parse().expect("a number")).collect();
    // 200 waits of 10 ms; the first may have begun before the counters were read.
    assert!((190..=200).contains(&numbers[0]) && numbers[1] >= 1_900, "{line}");
    assert!(said.contains("Batch Requests/sec"), "{said}");
}

/// `heddle stress` with a terminal of 100 columns as stderr; what was shown there is the output's stderr.
fn stress_on_terminal(server: &Server, locale: &str, args: &[&str]) -> Output {
    let program = "
import fcntl, os, pty, struct, subprocess, sys, termios
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 100, 0, 0))
load = subprocess.Popen(sys.argv[1:], stderr=theirs)
os.close(theirs)
try:
    while shown := os.read(ours, 65536):
        os.write(2, shown)
except OSError: # how Linux says that the other side is closed
    pass
sys.exit(load.wait())";
    let address = server.local_address();
    let load = binary();
    let mut command = std::process::Command::new("python3");
    command.args(["-c", program]).arg(load.get_program()).args(["stress", "-U", "sa", "-P", PASSWORD, "-S", &address]);
    command.args(args).env("TERM", "xterm").env("LC_ALL", locale).env_remove("NO_COLOR").output().expect("python3 runs")
}

#[test]
fn a_terminal_shows_the_last_second() {
    let server = Server::start(&[]);
    let query = "SELECT 1/CONVERT(int, RAND() * 2)";
    let load = ["-Q", query, "-n3", "--duration", "4", "--think", "1"];
    let ran = stress_on_terminal(&server, "C.UTF-8", &load);
    let (shown, said) = (String::from_utf8_lossy(&ran.stderr), String::from_utf8_lossy(&ran.stdout));
    assert_eq!(ran.status.code(), Some(1), "{shown}");
    assert!(!said.contains('\u{1b}') && !said.contains("on average") && said.contains("fairness"), "{said}");
    // The numbers move, whatever is between them: the median may be in one step of its scale all the time.
    let different = |name: &str| {
        let parts = shown.split(name).skip(1).filter_map(|part| part.split_whitespace().next());
        parts.collect::<std::collections::BTreeSet<_>>().len()
    };
    for name in ["requests/s  ", "now, ", "p99 ", "errors  "] {
        assert!(different(name) >= 2, "{name}: {shown}");
    }
    for part in [" x 8134, 0 retries", "3 of 3 open, client CPU ", "█"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // Without blocks the last minute is two numbers; a quiet run has the bar alone.
    let ran = stress_on_terminal(&server, "C", &[&load[..4], &["2"]].concat());
    let shown = String::from_utf8_lossy(&ran.stderr);
    assert!(!shown.contains('█') && shown.contains(" requests/s"), "{shown}");
    let ran = stress_on_terminal(&server, "C.UTF-8", &[&load[..4], &["2", "-q"]].concat());
    let shown = String::from_utf8_lossy(&ran.stderr);
    assert!(shown.contains("3 connections, ") && !shown.contains("on average"), "{shown}");
    // No terminal, nothing of it.
    let ran = stress(&server, &[&load[..4], &["2"]].concat());
    assert!(ran.stderr.is_empty(), "{}", text(&ran));
}
