#!/usr/bin/env python3
"""How long a start takes after `kill -9`, by the log it has to repeat.

    bench/recovery.py --heddle target/release/heddle --rows 4000000

Inserts rows by committed transactions of two after a checkpoint, kills the server, starts it again and times it until it accepts
connections; the server's own line says how much log that was. 4 million rows are about 1 GB of log. The rows are counted afterwards.
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


def start(options, directory, log):
    command = [options.heddle, "serve", "--data", directory, "--listen", f"127.0.0.1:{options.port}", "--sa-password", PASSWORD]
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
    parser.add_argument("--port", type=int, default=21960)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers stop and their data goes
    with tempfile.TemporaryDirectory(prefix="heddle-recovery-") as directory, tempfile.TemporaryFile() as log:
        server, fresh = start(options, directory, log)
        try:
            sql(options, SCHEMA)
            sql(options, TABLE, "recovery")
            begin = time.perf_counter()
            sql(options, INSERT.format(rows=options.rows), "recovery")
            inserted = time.perf_counter() - begin
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
