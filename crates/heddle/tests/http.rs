//! The live page: what it serves, to whom, and what it refuses.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::client::Trust;
use lab::tls::TlsSettings;
use server::security::tls::Certificate;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{PASSWORD, Server, binary, free_port, scratch};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

struct Page {
    server: Server,
    port: u16,
}

impl Page {
    fn start(args: &[&str]) -> Page {
        let port = free_port();
        let server = Server::start(&[&["--http", &format!("127.0.0.1:{port}")], args].concat());
        Page { server, port }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        stream
    }

    /// Sends these bytes and reads to the end.
    fn send(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request).expect("sent");
        Answer::read(&mut stream)
    }

    fn get(&self, path: &str) -> Answer {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port).as_bytes())
    }

    fn metrics(&self) -> Metrics {
        let answer = self.get("/metrics");
        assert_eq!(answer.status, 200, "{}", answer.body);
        Metrics::parse(&answer.body).unwrap_or_else(|why| panic!("{why}\n{}", answer.body))
    }

    /// What `/sessions` says, once it says what is wanted.
    fn sessions_until(&self, wanted: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let text = self.get("/sessions").body;
            if wanted(&text) {
                return text;
            }
            assert!(started.elapsed() < PATIENCE, "never came: {text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// `heddle sql` that goes on by itself.
    fn begin(&self, query: &str) -> Child {
        let mut command = binary();
        command.args(["sql", "-S", &self.server.address(), "-U", "sa", "-P", PASSWORD, "-Q", query]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("heddle sql runs")
    }
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn read(stream: &mut impl Read) -> Answer {
        let mut bytes = Vec::new();
        match stream.read_to_end(&mut bytes) {
            // A server that has answered need not hear the rest.
            Err(error) if error.kind() == ErrorKind::ConnectionReset && !bytes.is_empty() => {}
            outcome => {
                outcome.expect("an answer and its end");
            }
        }
        let text = String::from_utf8(bytes).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        Answer { status: status.expect("a status"), head: head.to_owned(), body: body.to_owned() }
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

type Labels = BTreeMap<String, String>;

/// A page in the text format of Prometheus 0.0.4, read by its strict rules.
struct Metrics {
    kinds: BTreeMap<String, String>,
    values: BTreeMap<(String, Labels), f64>,
}

impl Metrics {
    fn parse(text: &str) -> Result<Metrics, String> {
        let mut metrics = Metrics { kinds: BTreeMap::new(), values: BTreeMap::new() };
        let (mut helped, mut current) = (BTreeSet::new(), String::new());
        if !text.ends_with('\n') {
            return Err("the last line has no end".into());
        }
        for line in text.lines() {
            let wrong = |why: &str| Err(format!("{why}: {line}"));
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').ok_or("HELP without text")?;
                let plain = help.replace("\\\\", "").replace("\\n", "");
                if plain.contains('\\') || help.is_empty() || !helped.insert(name.to_owned()) {
                    return wrong("HELP is empty, escaped wrongly or said twice");
                }
                current = name.to_owned();
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').ok_or("TYPE without kind")?;
                if name != current || !["counter", "gauge"].contains(&kind) {
                    return wrong("TYPE is not that of the HELP before it");
                }
                if (kind == "counter") != name.ends_with("_total") {
                    return wrong("counters, and only they, end with _total");
                }
                if metrics.kinds.insert(name.to_owned(), kind.to_owned()).is_some() {
                    return wrong("TYPE is said twice");
                }
            } else {
                let (name, labels, value) = sample(line)?;
                if name != current || !metrics.kinds.contains_key(&name) {
                    return wrong("a sample apart from its HELP and TYPE");
                }
                if !value.is_finite() || value < 0.0 {
                    return wrong("no number of ours");
                }
                if metrics.values.insert((name, labels), value).is_some() {
                    return wrong("said twice");
                }
            }
        }
        let told: BTreeSet<&String> = metrics.values.keys().map(|(name, _)| name).collect();
        if told != metrics.kinds.keys().collect() {
            return Err("a TYPE without samples".into());
        }
        Ok(metrics)
    }

    fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let labels = labels.iter().map(|(label, text)| ((*label).into(), (*text).into())).collect();
        *self.values.get(&(name.to_owned(), labels)).unwrap_or_else(|| panic!("{name} is not told"))
    }

    /// Of all samples of a metric.
    fn sum(&self, name: &str) -> f64 {
        let of_name: Vec<f64> =
            self.values.iter().filter(|((own, _), _)| own == name).map(|(_, value)| *value).collect();
        assert!(!of_name.is_empty(), "{name} is not told");
        of_name.iter().sum()
    }
}

/// `name{label="text",...} value`
fn sample(line: &str) -> Result<(String, Labels, f64), String> {
    let wrong = || format!("not a sample: {line}");
    let is_name = |text: &str, more: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
        text.chars().all(fits) && text.starts_with(|c: char| !c.is_ascii_digit())
    };
    let end = line.find(['{', ' ']).ok_or_else(wrong)?;
    let (name, mut rest) = line.split_at(end);
    let mut labels = Labels::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        loop {
            let (label, text) = rest.split_once("=\"").ok_or_else(wrong)?;
            let mut value = String::new();
            let mut characters = text.char_indices();
            let end = loop {
                match characters.next().ok_or_else(wrong)? {
                    (at, '"') => break at,
                    (_, '\\') => value.push(match characters.next().ok_or_else(wrong)?.1 {
                        'n' => '\n',
                        c @ ('\\' | '"') => c,
                        _ => return Err(wrong()),
                    }),
                    (_, c) => value.push(c),
                }
            };
            if !is_name(label, "_") || labels.insert(label.to_owned(), value).is_some() {
                return Err(wrong());
            }
            rest = &text[end + 1..];
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        rest = rest.strip_prefix('}').ok_or_else(wrong)?;
    }
    let value = rest.strip_prefix(' ').and_then(|value| value.parse().ok()).ok_or_else(wrong)?;
    if is_name(name, "_:") { Ok((name.to_owned(), labels, value)) } else { Err(wrong()) }
}

#[test]
fn the_check_of_the_format_finds_what_is_wrong() {
    let good = "# HELP a_total x\\n\n# TYPE a_total counter\na_total{b=\"c\\\"}\",d=\"\"} 1\na_total 2.5\n";
    assert_eq!(Metrics::parse(good).map(|metrics| metrics.sum("a_total")), Ok(3.5));
    let broken = [
        ("a_total 2.5", "a_total 2.5 x"),
        ("a_total 2.5", "b_total 2.5"),
        ("a_total 2.5", "a_total{b=\"c\\\"}\",d=\"\"} 1"),
        ("a_total 2.5", "a_total NaN"),
        ("d=\"\"", "b=\"\""),
        ("d=\"\"", "d=\"\\x\""),
        ("d=\"\"", "d=\"\"\""),
        ("# TYPE a_total counter", "# TYPE a_total gauge"),
        ("# TYPE a_total counter", ""),
        ("# HELP a_total x\\n\n", ""),
        ("2.5\n", "2.5"),
    ];
    for (from, to) in broken {
        assert!(Metrics::parse(&good.replace(from, to)).is_err(), "{from:?} -> {to:?}");
    }
}

#[test]
fn the_page_is_served_and_asks_for_nothing_elsewhere() {
    let page = Page::start(&[]);
    let html = page.get("/");
    assert_eq!((html.status, html.field("Content-Type")), (200, Some("text/html; charset=utf-8")));
    for path in ["/", "/page.css", "/page.js"] {
        let answer = page.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.field("Content-Length"), Some(&*answer.body.len().to_string()));
        assert!(answer.field("Content-Security-Policy").is_some_and(|policy| policy.contains("default-src 'none'")));
        let elsewhere = answer.body.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !elsewhere.contains("//www") && !elsewhere.contains("http:") && !elsewhere.contains("https:"),
            "{path}"
        );
        let request = format!("HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let head = page.send(request.as_bytes());
        assert_eq!((head.status, head.body.as_str(), head.head), (200, "", answer.head), "{path}");
    }
    assert!(html.body.contains("page.js") && html.body.contains("page.css"));
    assert_eq!(page.get("/page.js?1").status, 200);
    assert_eq!(page.get("/no-such-thing").status, 404);
    assert_eq!(page.get("/../page.js").status, 404);
    let health = page.get("/health");
    assert_eq!((health.status, health.body.as_str()), (200, "logins are accepted\n"));
}

/// Every metric that the page's script names is told.
#[test]
fn what_the_page_draws_is_told() {
    let page = Page::start(&[]);
    let script = page.get("/page.js").body;
    let metrics = page.metrics();
    let names: BTreeSet<&str> =
        script.split('"').filter(|text| text.starts_with("heddle_") && !text.contains(' ')).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        // Of spinlocks and latches only those are told that somebody waited for.
        let seldom = name.contains("spinlock") || name.contains("latch");
        assert!(metrics.kinds.contains_key(name) || seldom, "{name} is not told");
    }
}

#[test]
fn numbers_move_under_load() {
    for args in [&["--workers", "fiber"][..], &["--workers", "thread"], &["--kernel", "process", "--engines", "2"]] {
        let page = Page::start(args);
        page.server.query("CREATE TABLE moved (a int PRIMARY KEY, b int); INSERT moved VALUES (1, 0)");
        let before = page.metrics();
        for _ in 0..5 {
            page.server.query("UPDATE moved SET b += 1");
        }
        let after = page.metrics();
        let grown = |name: &str| after.sum(name) - before.sum(name);
        assert!(grown("heddle_sql_statistics_batch_requests_total") >= 5.0, "{args:?}");
        assert!(grown("heddle_databases_transactions_total") >= 5.0, "{args:?}");
        assert!(grown("heddle_databases_log_bytes_flushed_total") > 0.0, "{args:?}");
        assert!(grown("heddle_general_statistics_logins_total") >= 5.0, "{args:?}");
        assert!(grown("heddle_cpu_seconds_total") > 0.0 && grown("heddle_uptime_seconds") > 0.0, "{args:?}");
        assert!(grown("heddle_scheduler_context_switches_total") > 0.0, "{args:?}");
        assert!(after.sum("heddle_memory_clerk_bytes") > 0.0, "{args:?}");
        // What the system waits for when nobody delays it is no wait that anyone looks for.
        let is_told = |wait: &str| {
            let mut waits = after.values.keys().filter(|(name, _)| name == "heddle_wait_seconds_total");
            waits.any(|(_, labels)| labels["wait_type"] == wait)
        };
        assert!(is_told("WRITELOG") && is_told("LCK_M_X") && is_told("ASYNC_NETWORK_IO"), "{args:?}");
        assert!(!is_told("WAITFOR") && !is_told("NETWORK_READ") && !is_told("LAZYWRITER_SLEEP"), "{args:?}");
        let kernel = if args.contains(&"process") { "process" } else { "threaded" };
        let info = after.values.keys().find(|(name, _)| name == "heddle_info").expect("told");
        assert_eq!(info.1["kernel"], kernel);
        // The DMV tells the same.
        let told = page.server.query(
            "SET NOCOUNT ON; SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Logouts/sec'",
        );
        let logouts = after.value("heddle_general_statistics_logouts_total", &[]);
        assert!((told.trim().parse::<f64>().expect("a number") - logouts).abs() <= 1.0, "{told} {logouts}");
        assert_eq!(page.server.stop().0, Some(0), "{args:?}");
    }
}

/// Failed logins, errors, the log, the disk, the last checkpoint, space and state of each database.
#[test]
fn what_an_operator_watches_is_told() {
    let (port, data) = (free_port(), scratch("http-watched").join("data"));
    let http = format!("127.0.0.1:{port}");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--http", &http, "--admin-listen", "off"]);
    let page = Page { server, port };
    page.server.query("CREATE DATABASE shop; CREATE DATABASE other; CREATE TABLE shop..t (v char(5000))");
    page.server.query("BACKUP DATABASE shop TO DISK = 'NUL'");
    let before = page.metrics();
    let mut wrong = binary();
    wrong.args(["sql", "-S", &page.server.address(), "-U", "sa", "-P", "Wrong-1-password", "-Q", "SELECT 1"]);
    assert!(!wrong.stdin(Stdio::null()).output().expect("heddle sql runs").status.success());
    page.server.query("SELECT 1/0");
    page.server.query("PRINT 'told'");
    page.server.query("RAISERROR('the end', 20, 1) WITH LOG");
    page.server.query("INSERT shop..t SELECT 'v' FROM GENERATE_SERIES(1, 3000)");
    page.server.query("ALTER DATABASE other SET OFFLINE; BACKUP LOG shop TO DISK = 'NUL' WITH NORECOVERY; CHECKPOINT");
    let after = page.metrics();
    let grown = |name: &str, labels: &[(&str, &str)]| after.value(name, labels) - before.value(name, labels);
    assert_eq!(grown("heddle_failed_logins_total", &[]), 1.0);
    let errors = |instance: &str| grown("heddle_sql_errors_errors_total", &[("instance", instance)]);
    assert_eq!((errors("User Errors"), errors("Kill Connection Errors"), errors("DB Offline Errors")), (1.0, 1.0, 0.0));
    assert!(errors("Info Errors") >= 1.0, "PRINT");
    assert_eq!(
        grown("heddle_sql_errors_errors_total", &[]),
        errors("User Errors") + errors("Kill Connection Errors") + errors("Info Errors")
    );
    for name in ["heddle_log_bytes", "heddle_log_used_bytes", "heddle_disk_free_bytes"] {
        assert!(after.value(name, &[]) > 0.0, "{name}");
    }
    assert!(after.value("heddle_checkpoint_age_seconds", &[]) < PATIENCE.as_secs_f64());
    let of = |name: &str| after.value("heddle_database_online", &[("database", name)]);
    assert_eq!((of("master"), of("shop"), of("other")), (1.0, 0.0, 0.0));
    assert_eq!(before.sum("heddle_database_online") - after.sum("heddle_database_online"), 2.0);
    assert!(grown("heddle_database_bytes", &[("database", "shop")]) > 3000.0 * 5000.0);
    assert!(grown("heddle_database_used_bytes", &[("database", "shop")]) > 3000.0 * 5000.0);
}

/// One that is blocked, the one it waits for, and others, spread over the engines.
#[test]
fn sessions_tell_what_they_wait_for() {
    for args in [&["--kernel", "threaded"][..], &["--kernel", "process", "--engines", "2"]] {
        let page = Page::start(args);
        page.server.query("CREATE TABLE held (a int PRIMARY KEY); INSERT held VALUES (1)");
        let holds = "BEGIN TRAN; UPDATE held SET a = 2; WAITFOR DELAY '00:10:00'";
        let mut clients = vec![page.begin(holds)];
        page.sessions_until(|text| text.matches("\"WAITFOR\"").count() == 1);
        clients.push(page.begin("UPDATE held SET a = 3"));
        clients.push(page.begin("WAITFOR DELAY '00:10:00'"));
        clients.push(page.begin("WAITFOR DELAY '00:10:00'"));
        let told = page.sessions_until(|text| {
            text.matches("\"WAITFOR\"").count() == 3 && text.contains("\"LCK_M_") && text.contains("\"running\":4")
        });
        assert!(told.starts_with("{\"total\":4,\"running\":4,\"sessions\":["), "{told}");
        assert_eq!(told.matches("\"login_name\":\"sa\"").count(), 4, "{told}");
        let number = |row: &str, name: &str| -> u32 {
            let (_, rest) = row.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{name}: {row}"));
            rest.split([',', '}']).next().and_then(|number| number.parse().ok()).expect("a number")
        };
        let rows: Vec<&str> = told.split('{').skip(2).collect();
        let blocked = rows.iter().find(|row| row.contains("\"LCK_M_")).expect("a row");
        let by = number(blocked, "blocking_session_id");
        let holder = rows.iter().find(|row| number(row, "session_id") == by).expect("a row");
        assert!(holder.contains("\"WAITFOR\"") && !told.contains("UPDATE held"), "{told}");
        assert_eq!(page.metrics().value("heddle_general_statistics_user_connections", &[]), 4.0);
        for client in &mut clients {
            client.kill().expect("it ran");
            client.wait().expect("it ends");
        }
        page.sessions_until(|text| text.starts_with("{\"total\":0,\"running\":0,"));
    }
}

/// A server that ends its sessions before it stops says meanwhile that it is not for new ones.
#[test]
fn a_server_that_stops_is_not_healthy() {
    let page = Page::start(&["--kernel", "threaded"]);
    page.server.query("CREATE TABLE undone (a int PRIMARY KEY)");
    // What is undone when the session is ended takes the stop a second.
    let mut client =
        page.begin("BEGIN TRAN; INSERT undone SELECT value FROM GENERATE_SERIES(1, 1000000); WAITFOR DELAY '00:10:00'");
    page.sessions_until(|text| text.contains("\"WAITFOR\""));
    // Connections that are there already, since a server that stops accepts none.
    let mut asking: Vec<TcpStream> = (0..15).map(|_| page.connect()).collect();
    for stream in &mut asking {
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n").expect("sent");
    }
    let told = Command::new("kill").arg(page.server.pid().to_string()).status().expect("kill runs");
    assert!(told.success());
    let unhealthy = asking.iter_mut().find_map(|stream| {
        std::thread::sleep(Duration::from_millis(200));
        stream.write_all(b"\r\n").expect("the server still runs");
        Some(Answer::read(stream)).filter(|answer| answer.status != 200)
    });
    let unhealthy = unhealthy.expect("it stops");
    assert_eq!((unhealthy.status, unhealthy.body.as_str()), (503, "no logins are accepted\n"));
    client.wait().expect("its session is ended");
}

/// The page is the first engine's: whoever takes its place goes on with it.
#[test]
fn the_page_outlives_its_engine() {
    let page = Page::start(&["--kernel", "process", "--engines", "2"]);
    let path = format!("/proc/{0}/task/{0}/children", page.server.pid());
    let engines = || std::fs::read_to_string(&path).expect("the launcher runs");
    let all = engines();
    let first = all.split_whitespace().next().expect("an engine");
    let killed = Command::new("kill").args(["-KILL", first]).status().expect("kill runs");
    assert!(killed.success());
    let started = Instant::now();
    while engines().split_whitespace().any(|engine| engine == first) {
        assert!(started.elapsed() < PATIENCE, "the launcher never noticed");
        std::thread::sleep(Duration::from_millis(10));
    }
    // The launcher keeps the listener: whoever connects now waits until the page is back.
    assert_eq!(page.get("/health").status, 200);
    assert!(engines().split_whitespace().count() == 2 && engines() != all);
    assert_eq!(page.metrics().value("heddle_general_statistics_user_connections", &[]), 0.0);
}

#[test]
fn what_is_no_request_is_refused() {
    let page = Page::start(&["--admin-listen", "off"]);
    let host = "Host: 127.0.0.1\r\n";
    let status = |request: &str| page.send(request.as_bytes()).status;
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get"] {
        let answer = page.send(format!("{method} / HTTP/1.1\r\n{host}\r\n").as_bytes());
        assert_eq!((answer.status, answer.field("Allow")), (405, Some("GET, HEAD")), "{method}");
    }
    for broken in [
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "\u{12}\u{1}\0\u{34}",
        "GET / HTTP/1.1\r\n: x\r\n",
    ] {
        assert_eq!(status(broken), 400, "{broken:?}");
    }
    assert_eq!(status(&format!("GET / HTTP/1.1\r\n{host}{host}\r\n")), 400);
    assert_eq!(status(&format!("GET http://127.0.0.1/ HTTP/1.1\r\n{host}\r\n")), 400);
    assert_eq!(status(&format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(20_000))), 431);
    assert_eq!(status(&format!("GET / HTTP/1.1\r\n{host}{}\r\n", "X: y\r\n".repeat(100))), 431);
    for name in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "evil.example:80@127.0.0.1", ""]
    {
        for path in ["/", "/metrics", "/sessions", "/health"] {
            let answer = page.send(format!("GET {path} HTTP/1.1\r\nHost: {name}\r\n\r\n").as_bytes());
            assert_eq!(answer.status, 421, "{name} {path}");
            assert!(!answer.body.contains("heddle"), "{}", answer.body);
        }
    }
    for name in ["127.0.0.1", "localhost:1", "[::1]:8080"] {
        assert_eq!(status(&format!("GET /health HTTP/1.1\r\nHost: {name}\r\n\r\n")), 200, "{name}");
    }
    // The same server still is one.
    assert_eq!(page.server.query("SET NOCOUNT ON; SELECT 40 + 2").trim(), "42");
}

/// Those who send nothing, or slowly, are cut off; where there are more than may be, the oldest give way to who asks.
#[test]
fn slow_and_silent_clients_hold_nothing() {
    let page = Page::start(&[]);
    let started = Instant::now();
    let mut oldest: Vec<TcpStream> = (0..100).map(|_| page.connect()).collect();
    let mut slow = page.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: 127").expect("sent");
    let mut silent: Vec<TcpStream> = (0..10).map(|_| page.connect()).collect();
    for _ in 0..5 {
        assert_eq!(page.get("/health").status, 200);
    }
    for stream in &mut oldest[..80] {
        assert_eq!(stream.read(&mut [0; 1]).expect("closed"), 0, "it gave way");
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(page.server.query("SET NOCOUNT ON; SELECT 40 + 2").trim(), "42");
    // A byte now and then gains no time.
    slow.set_read_timeout(Some(Duration::from_millis(500))).expect("set");
    let mut heard = Vec::new();
    let mut bytes = [0; 1024];
    loop {
        let _ = slow.write_all(b".");
        match slow.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => heard.extend_from_slice(&bytes[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
        assert!(started.elapsed() < PATIENCE, "never cut off");
    }
    assert!(heard.starts_with(b"HTTP/1.1 408 "), "{:?}", String::from_utf8_lossy(&heard));
    assert!(started.elapsed() > Duration::from_secs(5), "cut off too early: {:?}", started.elapsed());
    for stream in &mut silent {
        assert_eq!(Answer::read(stream).status, 408);
    }
    assert_eq!(page.get("/health").status, 200);
    // One that holds a connection does not hold the server's stop up.
    let _held = page.connect();
    let (code, took) = page.server.stop();
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(3), "stopped only after {took:?}");
    assert!(TcpStream::connect(("127.0.0.1", page.port)).is_err(), "nobody listens any more");
}

#[test]
fn addresses_that_cannot_be_are_named() {
    let refused = |args: &[&str]| {
        let args = [&["serve", "--data", ":memory:", "--listen", "127.0.0.1:0"], args].concat();
        let output = binary().args(&args).stdin(Stdio::null()).output().expect("runs");
        assert!(!output.status.success(), "{args:?} must be refused");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:8080"] {
        let message = refused(&["--http", address]);
        assert!(message.contains(address) && message.contains("--tls-certificate"), "{message}");
    }
    assert!(refused(&["--http", "page"]).contains("--http: 'page'"));
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("bound").to_string();
    let message = refused(&["--http", &address]);
    assert!(message.contains(&address) && message.contains("in use"), "{message}");
}

/// Seen from other machines: TLS, and only for those who could log in.
#[test]
fn other_machines_need_tls_and_a_login() {
    let directory = scratch("http-tls");
    let pem = Certificate::generate("db.example").expect("generated");
    let (certificate, key) = (directory.join("certificate.pem"), directory.join("key.pem"));
    std::fs::write(&certificate, pem.certificate).and_then(|()| std::fs::write(&key, pem.key)).expect("written");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("closed");
    let (certificate, key) = (certificate.to_str().expect("UTF-8"), key.to_str().expect("UTF-8"));
    let port = free_port();
    let http = format!("0.0.0.0:{port}");
    let server = Server::start(&["--http", &http, "--tls-certificate", certificate, "--tls-key", key]);
    let page = Page { server, port };
    page.server
        .query("CREATE LOGIN watcher WITH PASSWORD = 'Watch-1:er'; CREATE LOGIN gone WITH PASSWORD = 'Away-1:er'");
    let tls = TlsSettings::new(&Trust::File(certificate.into()), false).expect("settings");
    let get = |path: &str, fields: &str| {
        let mut stream = page.connect();
        let mut tls = tls.connect("127.0.0.1").expect("a connection");
        // Who needs a login may ask by any name.
        let request = format!("GET {path} HTTP/1.1\r\nHost: db.example:{port}\r\n{fields}\r\n");
        tls.writer().write_all(request.as_bytes()).expect("taken");
        while tls.is_handshaking() || tls.wants_write() {
            tls.complete_io(&mut stream).expect("a handshake");
        }
        let (mut plain, mut is_end) = (Vec::new(), false);
        while !is_end {
            is_end = tls.read_tls(&mut stream).expect("bytes") == 0;
            let state = tls.process_new_packets().expect("TLS");
            let mut bytes = vec![0; state.plaintext_bytes_to_read()];
            tls.reader().read_exact(&mut bytes).expect("it is there");
            plain.extend(bytes);
        }
        Answer::read(&mut plain.as_slice())
    };
    for path in ["/", "/page.js", "/metrics", "/sessions", "/health", "/no-such-thing"] {
        let answer = get(path, "");
        assert_eq!((answer.status, answer.field("WWW-Authenticate").is_some()), (401, true), "{path}");
        assert!(!answer.body.contains("heddle_") && !answer.body.contains("<html"), "{}", answer.body);
    }
    // Base64 of name and password: gone:Away-1:er.
    const GONE: &str = "Basic Z29uZTpBd2F5LTE6ZXI=";
    assert_eq!(get("/health", &format!("Authorization: {GONE}\r\n")).status, 200);
    page.server.query("ALTER LOGIN gone DISABLE");
    let wrong = [
        "Basic d2F0Y2hlcjpubw==",         // watcher:no
        "Basic bm9ib2R5OldhdGNoLTE6ZXI=", // nobody:Watch-1:er
        GONE,
        "Basic d2F0Y2hlcg==", // watcher
        "Basic !!!!",
        "Bearer d2F0Y2hlcjpXYXRjaC0xOmVy",
    ];
    for field in wrong {
        assert_eq!(get("/metrics", &format!("Authorization: {field}\r\n")).status, 401, "{field}");
    }
    let right = "Authorization: Basic d2F0Y2hlcjpXYXRjaC0xOmVy\r\n"; // watcher:Watch-1:er
    let answer = get("/metrics", right);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(Metrics::parse(&answer.body).is_ok());
    assert_eq!(get("/", right).status, 200);
    // Without TLS nothing is said.
    let mut stream = page.connect();
    stream.write_all(format!("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n{right}\r\n").as_bytes()).expect("sent");
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    assert!(!bytes.starts_with(b"HTTP"), "{:?}", String::from_utf8_lossy(&bytes));
}
