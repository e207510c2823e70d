//! Figures that monitoring asks for: of CPU time, rows and sizes.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::Duration;

use support::{Server, scratch, sql_at};

fn numbers(server: &Server, database: &str, query: &str) -> Vec<i64> {
    let output = server.sql(&["-d", database, "-h", "-1", "-W", "-Q", &format!("SET NOCOUNT ON; {query}")]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = said.split_whitespace().map(|word| word.parse().ok());
    let found: Option<Vec<i64>> = words.collect();
    found.unwrap_or_else(|| panic!("{query}: {said}{}", String::from_utf8_lossy(&output.stderr)))
}

/// More of them than there are CPUs: waiting for one is not using it.
#[test]
fn requests_take_no_more_cpu_time_than_the_process() {
    let server = Server::start(&[]);
    let clients = 3 * std::thread::available_parallelism().map_or(4, usize::from);
    let work = "DECLARE @i int = 0, @s int = 0 WHILE @i < 400000000 SET @i += 1";
    let address = server.address();
    let loops: Vec<_> = (0..clients)
        .map(|_| {
            let address = address.clone();
            std::thread::spawn(move || sql_at(&address, &["-Q", work]))
        })
        .collect();
    let of_all = "SELECT COUNT(*), SUM(CONVERT(bigint, r.cpu_time)), MAX(i.process_kernel_time_ms + i.process_user_time_ms) \
        FROM sys.dm_exec_requests r CROSS JOIN sys.dm_os_sys_info i WHERE r.session_id <> @@SPID";
    let mut seen = Vec::new();
    for _ in 0..50 {
        std::thread::sleep(Duration::from_millis(100));
        seen = numbers(&server, "master", of_all);
        if seen[0] == clients as i64 && seen[2] > 2_000 {
            break;
        }
    }
    server.kill();
    loops.into_iter().for_each(|client| drop(client.join()));
    let (requests, of_requests, of_process) = (seen[0], seen[1], seen[2]);
    assert!(requests > 0 && of_requests > 0, "{seen:?}");
    // A turn is counted at its end, the process's time in ticks.
    assert!(
        of_requests <= of_process + of_process / 10 + 100,
        "{of_requests} ms of {requests} requests, {of_process} ms of the process"
    );
}

/// Whoever writes is killed in the middle of it.
#[test]
fn rows_and_sizes_are_true_after_a_kill() {
    let folder = scratch("measured-kill");
    let folder = folder.to_str().expect("UTF-8");
    let server = Server::start_on(folder, &[]);
    server.query("CREATE DATABASE sized");
    let made = "CREATE TABLE t (id int IDENTITY PRIMARY KEY, a int NOT NULL, filler char(400) NOT NULL DEFAULT '', INDEX ix (a)); \
        INSERT t (a) SELECT TOP (30000) ROW_NUMBER() OVER (ORDER BY (SELECT 1)) FROM sys.all_columns x CROSS JOIN sys.all_columns y";
    server.sql(&["-d", "sized", "-Q", made]);
    let address = server.address();
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let address = address.clone();
            let work = "SET NOCOUNT ON WHILE 1 = 1 BEGIN INSERT t (a) SELECT TOP (7) a FROM t; DELETE TOP (2) t END";
            std::thread::spawn(move || sql_at(&address, &["-d", "sized", "-Q", work]))
        })
        .collect();
    std::thread::sleep(Duration::from_secs(2));
    server.kill();
    writers.into_iter().for_each(|writer| drop(writer.join()));
    let server = Server::start_on(folder, &[]);
    let rows = "SELECT COUNT(*), (SELECT SUM(rows) FROM sys.partitions WHERE object_id = OBJECT_ID('t') AND index_id = 1), \
        (SELECT SUM(rows) FROM sys.partitions WHERE object_id = OBJECT_ID('t') AND index_id = 2), \
        (SELECT SUM(row_count) FROM sys.dm_db_partition_stats WHERE object_id = OBJECT_ID('t') AND index_id = 1) FROM t";
    // What a crash has left is estimated; who asks for a count, and a rebuild, count.
    let seen = numbers(&server, "sized", rows);
    assert!(seen[0] >= 30_000 && seen[1..].iter().all(|count| (count - seen[0]).abs() < seen[0] / 50), "{seen:?}");
    server.sql(&["-d", "sized", "-Q", "DBCC UPDATEUSAGE (sized, 't') WITH COUNT_ROWS"]);
    let seen = numbers(&server, "sized", rows);
    assert!(seen.iter().all(|count| *count == seen[0]), "{seen:?}");
    server.sql(&["-d", "sized", "-Q", "INSERT t (a) VALUES (1), (2); ALTER INDEX ALL ON t REBUILD"]);
    let seen = numbers(&server, "sized", rows);
    assert!(seen.iter().all(|count| *count == seen[0]), "{seen:?}");
    // 12 MB of rows are in a file of at least that.
    let pages = "SELECT (SELECT size FROM sys.database_files WHERE file_id = 1), \
        (SELECT size FROM sys.master_files WHERE database_id = DB_ID() AND file_id = 1), \
        (SELECT SUM(used_page_count) FROM sys.dm_db_partition_stats)";
    let seen = numbers(&server, "sized", pages);
    assert!(seen[0] == seen[1] && seen[0] >= seen[2] && seen[2] * 8_192 >= 12_000_000, "{seen:?}");
    let told = server.sql(&["-d", "sized", "-h", "-1", "-W", "-Q", "EXEC sp_spaceused; EXEC sp_spaceused 't'"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let count = numbers(&server, "sized", "SELECT COUNT(*) FROM t")[0];
    assert!(told.lines().any(|line| line.starts_with(&format!("t {count} "))), "{told}");
    let of_database = told.lines().find_map(|line| line.strip_prefix("sized ")).expect("the database's line");
    let mb: f64 = of_database.split(' ').next().and_then(|word| word.parse().ok()).expect("MB");
    assert!(mb * 1_048_576.0 >= (seen[0] * 8_192) as f64, "{told}");
}
