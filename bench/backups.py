#!/usr/bin/env python3
"""How fast a database is backed up and restored, beside `cp` of its file and, with --postgres, beside pg_basebackup of as many bytes; and what a running load
has of its rate while a backup runs.

    bench/backups.py --heddle target/release/heddle --gb 10 --postgres /usr/lib/postgresql/17/bin

Half of each row is noise and half is text. Rates are MB of the data file a second, of the wall clock, files synced at their end. Everything lies below --directory.
The file of a database that is larger than the machine's memory is read from the disk; a smaller one comes from the system's cache in all cases alike.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import threading
import time

from fairness import Server
from side_by_side import Postgres

ROW = 1000
FILL = """SET NOCOUNT ON; CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int NOT NULL, noise varbinary(480) NOT NULL, words varchar(480) NOT NULL)"""
BATCH = """SET NOCOUNT ON; INSERT t SELECT value, 0, CRYPT_GEN_RANDOM(480), REPLICATE('words and ', 48) FROM GENERATE_SERIES({}, {})"""
BATCH_ROWS = 100_000
UPDATE = "DECLARE @id int = RAND() * {rows}; UPDATE t SET v += 1 WHERE id = @id"
PG_FILL = """CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, noise bytea NOT NULL, words text NOT NULL);
ALTER TABLE t ALTER noise SET STORAGE PLAIN, ALTER words SET STORAGE PLAIN;
INSERT INTO t SELECT i, 0, (SELECT string_agg(decode(md5(random()::text || i), 'hex'), '') FROM generate_series(1, 30)), repeat('words and ', 48)
FROM generate_series(0, {}) i; CHECKPOINT"""


def timed(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def shown(name, seconds, megabytes, copy=None):
    beside = f"{copy / seconds:6.2f} of cp" if copy else ""
    print(f"{name:>34}: {seconds:7.2f} s {megabytes / seconds:8.0f} MB/s {beside}", flush=True)


class Rate:
    """Updates a second of some sessions, while something runs."""

    def __init__(self, options, server, rows):
        self.options, self.server, self.text = options, server, UPDATE.format(rows=rows)

    def of(self, seconds):
        out = self.server.tool(self.options.heddle, "stress", "-d", "shop", "-n", str(self.options.sessions), "--duration", str(seconds), "-q",
                               "--no-progress", "-Q", self.text)
        line = next(line for line in out.splitlines() if "/s" in line or "per second" in line)
        return line.strip()


def heddle(options, directory):
    server = Server(options.heddle, ["--memory", options.memory], str(directory / "data"))
    sql = lambda text, database="shop": server.tool(options.heddle, "sql", "-b", "-d", database, "-Q", text)
    try:
        sql("CREATE DATABASE shop; ALTER DATABASE shop SET RECOVERY SIMPLE", "master")
        sql(FILL)
        rows = int(options.gb * (1 << 30) / ROW)
        for first in range(0, rows, BATCH_ROWS):
            sql(BATCH.format(first, min(first + BATCH_ROWS, rows) - 1))
        sql("CHECKPOINT")
        file = max((directory / "data").glob("d*.hdb"), key=lambda path: path.stat().st_blocks)
        megabytes = file.stat().st_blocks * 512 / 1e6
        copy = timed(lambda: subprocess.run(["sh", "-c", f"cp {file} {directory}/copy && sync {directory}/copy"], check=True))
        shown("cp", copy, megabytes)
        os.remove(directory / "copy")
        kept = directory / "shop.bak"
        for name, to, more in [("BACKUP to NUL", "NUL", "COPY_ONLY"), ("BACKUP", kept, "FORMAT"), ("BACKUP with COMPRESSION", kept, "FORMAT, COMPRESSION")]:
            shown(name, timed(lambda: sql(f"BACKUP DATABASE shop TO DISK = '{to}' WITH {more}", "master")), megabytes, copy)
        sql(f"BACKUP DATABASE shop TO DISK = '{kept}' WITH FORMAT", "master")
        rate = Rate(options, server, rows)
        print(f"load alone: {rate.of(options.seconds)}")
        backup = threading.Thread(target=lambda: sql(f"BACKUP DATABASE shop TO DISK = '{kept}' WITH FORMAT", "master"))
        backup.start()
        print(f"load beside a backup: {rate.of(options.seconds)}; the backup {'still runs' if backup.is_alive() else 'was over before'}")
        backup.join()
        shown("RESTORE beside", timed(lambda: sql(f"RESTORE DATABASE there FROM DISK = '{kept}'", "master")), megabytes, copy)
        sql("DROP DATABASE there", "master")
    finally:
        server.stop()


def postgres(options, directory):
    server = Postgres(options.postgres, options.port, directory, options.pg_user, "tcp", schema=None)
    try:
        rows = int(options.gb * (1 << 30) / ROW)
        server.sql(PG_FILL.format(rows - 1))
        megabytes = int(server.sql("SELECT pg_database_size('postgres')")) / 1e6
        to = server.directory / "backup"
        shown("pg_basebackup", timed(lambda: server.run("pg_basebackup", "-D", str(to), "-c", "fast", check=True)), megabytes)
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--gb", type=float, default=2)
    parser.add_argument("--seconds", type=int, default=10, help="of load, alone and beside a backup")
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--directory", help="where the files are for a while (default: the system's for such)")
    parser.add_argument("--postgres", metavar="DIRECTORY", help="its programs, to measure it as well")
    parser.add_argument("--pg-user", default="postgres", help="who PostgreSQL runs as if this runs as root")
    parser.add_argument("--port", type=int, default=15991)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as root:
        os.chmod(root, 0o755)
        heddle(options, pathlib.Path(root))
        if options.postgres:
            postgres(options, pathlib.Path(root))


if __name__ == "__main__":
    main()
