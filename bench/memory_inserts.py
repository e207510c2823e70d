#!/usr/bin/env python3
"""Inserts of many sessions by the natively compiled procedure of the seeds: what bucket counts and the length of transactions do.

    bench/memory_inserts.py --heddle target/release/heddle
    bench/memory_inserts.py --sessions 12 --rows 30000000 --memory 16GB

The scripts mybigtableim.sql and usp_insertim.sql run as they are in print, then with other bucket counts; the sessions share the rows.
With --calls 1 a session's rows are one transaction, as in print; with more, each call is one. Printed: rows a second of all sessions
and, by sys.dm_db_xtp_hash_index_stats, how long the chains are. It fails if a row is missing.
"""

import argparse
import pathlib
import re
import tempfile
import time

from fairness import Server

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "tests/sql/seeds"
IN_PRINT = 2_097_152

# The procedure multiplies its first argument by 10^10: that of each call is another one.
LOAD = """SET NOCOUNT ON; DECLARE @call int = 0, @base bigint;
WHILE @call < {calls} BEGIN SET @base = @@SPID * CAST({calls} AS bigint) + @call; EXEC dbo.usp_InsertIm @base, {rows}; SET @call += 1 END"""
CHAINS = "SET NOCOUNT ON; SELECT avg_chain_length, max_chain_length FROM sys.dm_db_xtp_hash_index_stats WHERE object_id = OBJECT_ID('dbo.MyBigTableIm')"


def make_table(options, server, directory, buckets):
    text = (SCRIPTS / "mybigtableim.sql").read_text(encoding="utf-8-sig")
    if buckets != IN_PRINT:
        text, count = re.subn(r"BUCKET_COUNT = \d+", f"BUCKET_COUNT = {buckets}", text)
        assert count == 1, "one hash index"
    path = pathlib.Path(directory) / "table.sql"
    path.write_text(text)
    for script in (path, SCRIPTS / "usp_insertim.sql"):
        server.tool(options.heddle, "sql", "-b", "-d", "seed", "-i", str(script))


def measure(options, server, sql, directory, buckets, sessions, calls):
    make_table(options, server, directory, buckets)
    rows = options.rows // sessions // calls
    load = ["-n", str(sessions), "-r", "1", "-q", "--no-progress", "-d", "seed", "-Q", LOAD.format(calls=calls, rows=rows)]
    begun = time.monotonic()
    server.tool(options.heddle, "stress", *load)
    seconds = time.monotonic() - begun
    there = int(sql("SET NOCOUNT ON; SELECT COUNT_BIG(*) FROM dbo.MyBigTableIm").split()[-1])
    if there != rows * calls * sessions:
        raise SystemExit(f"{rows * calls * sessions} rows were inserted, {there} are there")
    average, longest = map(int, sql(CHAINS).split()[-2:])
    sql("DROP PROCEDURE dbo.usp_InsertIm; DROP TABLE dbo.MyBigTableIm")
    time.sleep(options.pause)
    return there / seconds, average, longest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle", help="the program to measure")
    parser.add_argument("--rows", type=int, default=2_500_000, help="of all sessions together")
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 2, 6, 12])
    parser.add_argument("--buckets", type=int, nargs="+", default=[IN_PRINT, 131_072, 4_194_304], help=f"{IN_PRINT}: as in print")
    parser.add_argument("--calls", type=int, nargs="+", default=[1, 100], help="of each session")
    parser.add_argument("--pause", type=float, default=2.0, help="seconds after each, for its memory to come back")
    parser.add_argument("--memory", default="8GB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-inserts-") as directory:
        server = Server(options.heddle, ["--memory", options.memory], directory)
        try:
            sql = lambda query: server.tool(options.heddle, "sql", "-b", "-h", "-1", "-W", "-d", "seed", "-Q", query)
            server.tool(options.heddle, "sql", "-b", "-Q", "CREATE DATABASE seed")
            for buckets in options.buckets:
                for calls in options.calls:
                    for sessions in options.sessions:
                        rate, average, longest = measure(options, server, sql, directory, buckets, sessions, calls)
                        print(f"buckets {buckets:9}   calls {calls:5}   sessions {sessions:3}   {rate / 1e3:7.0f} k rows/s   chains {average:4} on average, {longest:4} at most", flush=True)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
