#!/usr/bin/env python3
"""How long a start takes after `kill -9`, by the log it has to repeat.

    bench/recovery.py --heddle target/release/heddle --rows 4000000
    bench/recovery.py --heddle target/release/heddle --rows 50000000 --memory-optimized --checkpoint

Inserts rows by committed transactions of two after a checkpoint, kills the server, starts it again and times it until it accepts
connections; the server's own line says how much log that was. 4 million rows are about 1 GB of log. The rows are counted afterwards.
A memory-optimized table is filled by a native procedure, 100,000 rows a transaction; its rows come back from the log, or from
checkpoint files if there was a checkpoint.
"""

import argparse
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

PASSWORD = "Bench-1-password"
SCHEMA = """CREATE DATABASE recovery;
ALTER DATABASE recovery SET DELAYED_DURABILITY = FORCED;"""
TABLE = """CREATE TABLE dbo.rows (c1 bigint NOT NULL PRIMARY KEY CLUSTERED, c2 datetime DEFAULT GETDATE(), c3 char(111) DEFAULT 'a',
    c4 int DEFAULT 1, c5 int DEFAULT 2, c6 bigint DEFAULT 42);
CHECKPOINT"""
INSERT = """SET NOCOUNT ON;
DECLARE @i bigint = 0;
WHILE @i < {rows}
BEGIN
    BEGIN TRANSACTION;
    INSERT dbo.rows (c1) VALUES (@i), (@i + 1);
    COMMIT;
    SET @i += 2;
END;
EXEC sys.sp_flush_log"""
MEMORY_TABLE = """CREATE TABLE dbo.rows (c1 bigint NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = {rows}), c2 bigint NOT NULL,
    c3 int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE PROCEDURE dbo.fill @first bigint, @end bigint WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    WHILE @first < @end BEGIN INSERT dbo.rows (c1, c2, c3) VALUES (@first, @first, 1); SET @first += 1; END
END
GO
CHECKPOINT"""
MEMORY_INSERT = """SET NOCOUNT ON;
DECLARE @i bigint = 0, @end bigint;
WHILE @i < {rows}
BEGIN
    SET @end = IIF(@i + 100000 < {rows}, @i + 100000, {rows});
    EXEC dbo.fill @i, @end;
    SET @i = @end;
END;
EXEC sys.sp_flush_log"""


def start(options, directory, log):
    command = [options.heddle, "serve", "--data", directory, "--listen", f"127.0.0.1:{options.port}", "--sa-password", PASSWORD]
    command += ["--memory", options.memory]
    begin = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
    if not server.stdout.readline():
        raise SystemExit("the server did not start")
    return server, time.perf_counter() - begin


def sql(options, text, database="master"):
    command = [options.heddle, "sql", "-S", f"127.0.0.1,{options.port}", "-U", "sa", "-P", PASSWORD, "-b", "-d", database, "-Q", text]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, help="the binary to measure")
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--memory-optimized", action="store_true", help="the table lies in memory")
    parser.add_argument("--checkpoint", action="store_true", help="between the inserts and the kill")
    parser.add_argument("--memory", default="12GB", help="the server's (default: %(default)s)")
    parser.add_argument("--port", type=int, default=21960)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers stop and their data goes
    with tempfile.TemporaryDirectory(prefix="heddle-recovery-") as directory, tempfile.TemporaryFile() as log:
        server, fresh = start(options, directory, log)
        try:
            sql(options, SCHEMA)
            table, insert = (MEMORY_TABLE, MEMORY_INSERT) if options.memory_optimized else (TABLE, INSERT)
            for batch in table.format(rows=options.rows).split("\nGO\n"):
                sql(options, batch, "recovery")
            begin = time.perf_counter()
            sql(options, insert.format(rows=options.rows), "recovery")
            inserted = time.perf_counter() - begin
            if options.checkpoint:
                sql(options, "CHECKPOINT", "recovery")
            server.send_signal(signal.SIGKILL)
            server.wait(60)
            server, again = start(options, directory, log)
            rows = int(re.search(r"\d+", sql(options, "SET NOCOUNT ON; SELECT COUNT(*) FROM dbo.rows", "recovery").split("-\n")[-1])[0])
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
        log.seek(0)
        said = [line for line in log.read().decode().splitlines() if "recovery is complete" in line]
    print(f"first start {fresh:.3f} s; {options.rows} rows inserted in {inserted:.2f} s; start after kill -9 {again:.3f} s, {rows} rows")
    print("\n".join(said))


if __name__ == "__main__":
    main()
