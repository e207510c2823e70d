#!/usr/bin/env python3
"""Does the memory of versions that nobody needs come back? A day of updates in miniature.

    bench/garbage.py --heddle target/release/heddle

A natively compiled procedure changes rows of a memory-optimized table, a million of them again and again, and now and then a slow reader
holds its snapshot for some seconds, so that nothing behind it can go. Printed by time: updates so far, the memory of rows and indexes and
what waits for collection by the server's views, and what the process has of the machine's memory. Afterwards it is checked that

- every update is there, and a reader saw the same at its beginning and at its end;
- between readers memory is in the end what it was in the beginning: nothing is left for good;
- when all is done, rows take what they took when they were loaded, within a tenth.
"""

import argparse
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from fairness import PASSWORD, Server

TABLE = """CREATE TABLE dbo.rows (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = {buckets}),
    n bigint NOT NULL DEFAULT 0, pad char(60) NOT NULL DEFAULT 'a', INDEX by_n NONCLUSTERED (n, id)) WITH (MEMORY_OPTIMIZED = ON)"""
CHURN = """CREATE PROCEDURE dbo.churn @first int, @step int, @from bigint, @count int, @rows bigint WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english', DELAYED_DURABILITY = ON)
    DECLARE @i int = 0;
    WHILE @i < @count BEGIN UPDATE dbo.rows SET n = n + 1 WHERE id = @first + @step * ((@from + @i) * 7919 % @rows); SET @i += 1; END
END"""
# Each writer has rows of its own: this is about garbage, not about conflicts.
WRITE = """SET NOCOUNT ON; DECLARE @turn bigint = 0;
WHILE @turn < {turns} BEGIN EXEC dbo.churn {writer}, {writers}, @turn, {count}, {rows}; SET @turn += {count}; END"""
READ = """SET NOCOUNT ON; BEGIN TRAN; DECLARE @before bigint = (SELECT SUM(n) FROM dbo.rows WITH (SNAPSHOT));
WAITFOR DELAY '00:00:{seconds:02}'; DECLARE @after bigint = (SELECT SUM(n) FROM dbo.rows WITH (SNAPSHOT)); COMMIT;
IF @before <> @after THROW 50000, 'the snapshot has changed', 1"""
SAMPLE = """SET NOCOUNT ON; SELECT (SELECT SUM(memory_used_by_table_kb) FROM sys.dm_db_xtp_table_memory_stats),
(SELECT SUM(memory_used_by_indexes_kb) FROM sys.dm_db_xtp_table_memory_stats), (SELECT SUM(current_queue_depth) FROM sys.dm_xtp_gc_queue_stats)"""


def resident_mb(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))


class Run:
    def __init__(self, options, server):
        self.options, self.server, self.begin = options, server, time.monotonic()
        # While writers work: whether a reader was at work, too, and what the rows took.
        self.samples = []
        self.readers = 0

    def command(self, query):
        return [self.options.heddle, "sql", "-S", self.server.address, "-U", "sa", "-P", PASSWORD, "-b", "-h", "-1", "-W", "-d", "bench", "-Q", query]

    def sql(self, query):
        done = subprocess.run(self.command(query), capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{query}\n{done.stdout}{done.stderr}")
        return done.stdout

    def sample(self, reading):
        rows, indexes, waiting = map(int, self.sql(SAMPLE).split()[-3:])
        seconds = time.monotonic() - self.begin
        print(
            f"{seconds:7.1f} s   rows {rows / 1024:8.1f} MB   indexes {indexes / 1024:7.1f} MB   waiting {waiting:9}"
            f"   resident {resident_mb(self.server):6} MB   {'a reader' if reading else ''}",
            flush=True,
        )
        return rows

    def write(self):
        options = self.options
        turns = options.updates // options.writers
        text = [WRITE.format(turns=turns, writer=writer, writers=options.writers, count=options.count, rows=options.rows // options.writers)
                for writer in range(options.writers)]
        return [subprocess.Popen(self.command(query), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for query in text]

    def churn(self):
        """Until the writers are done: samples, and readers now and then."""
        options = self.options
        writers, reader, ended = self.write(), None, time.monotonic()
        while any(writer.poll() is None for writer in writers):
            if reader is None and time.monotonic() - ended > options.pause:
                reader = subprocess.Popen(self.command(READ.format(seconds=options.hold)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.readers += 1
            elif reader is not None and reader.poll() is not None:
                self.finish(reader, "a reader")
                reader, ended = None, time.monotonic()
            self.samples.append((reader is not None, self.sample(reader is not None)))
            time.sleep(options.every)
        for writer in writers:
            self.finish(writer, "a writer")
        if reader is not None:
            self.finish(reader, "a reader")

    @staticmethod
    def finish(process, what):
        said = process.communicate()[0]
        if process.returncode:
            raise SystemExit(f"{what} failed: {said}")

    def settle(self, loaded):
        """Collection goes on when nobody works; the memory that is left at last."""
        deadline = time.monotonic() + self.options.patience
        while (rows := self.sample(False)) > loaded * 1.01 and time.monotonic() < deadline:
            time.sleep(1)
        return rows


def judge(options, run, loaded, left):
    complaints = []
    done = options.updates // options.writers // options.count * options.count * options.writers
    kept = int(run.sql("SET NOCOUNT ON; SELECT SUM(n) FROM dbo.rows").split()[-1])
    if kept != done:
        complaints.append(f"{done} updates were done, {kept} are there")
    # A few seconds after a reader its backlog is still being collected.
    recent = lambda at: run.samples[max(0, at - options.calm) : at + 1]
    quiet = [rows for at, (_, rows) in enumerate(run.samples) if not any(reading for reading, _ in recent(at))]
    third = len(quiet) // 3
    if third:
        first, last = statistics.median(quiet[:third]), statistics.median(quiet[-third:])
        print(f"between readers {first / 1024:.1f} MB in the first third, {last / 1024:.1f} MB in the last")
        if last > first * 1.25:
            complaints.append("memory between readers grows")
    most = max(rows for _, rows in run.samples)
    print(f"loaded {loaded / 1024:.1f} MB, at most {most / 1024:.1f} MB, at last {left / 1024:.1f} MB; {run.readers} readers")
    if left > loaded * 1.1:
        complaints.append("not all that nobody needs has gone")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle", help="the program to measure")
    parser.add_argument("--updates", type=int, default=100_000_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--count", type=int, default=1_000, help="updates of a transaction")
    parser.add_argument("--hold", type=int, default=5, help="seconds that a reader holds its snapshot")
    parser.add_argument("--pause", type=float, default=15, help="seconds between readers")
    parser.add_argument("--every", type=float, default=1, help="seconds between samples")
    parser.add_argument("--calm", type=int, default=5, help="samples after a reader that do not count as quiet")
    parser.add_argument("--patience", type=float, default=60, help="seconds for the last of it to go")
    parser.add_argument("--memory", default="6GB")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server stops and its data goes
    with tempfile.TemporaryDirectory(prefix="heddle-garbage-") as directory:
        server = Server(options.heddle, ["--memory", options.memory], directory)
        try:
            server.tool(options.heddle, "sql", "-b", "-Q", "CREATE DATABASE bench; ALTER DATABASE bench SET DELAYED_DURABILITY = ALLOWED")
            run = Run(options, server)
            run.sql(TABLE.format(buckets=options.rows))
            run.sql(CHURN)
            run.sql(f"INSERT dbo.rows (id) SELECT value FROM GENERATE_SERIES(0, {options.rows - 1})")
            loaded = run.sample(False)
            run.churn()
            left = run.settle(loaded)
            complaints = judge(options, run, loaded, left)
        finally:
            server.stop()
    sys.exit("\n".join(complaints) or 0)


if __name__ == "__main__":
    main()
