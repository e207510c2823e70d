#!/usr/bin/env python3
"""What is left of the throughput when everybody wants the same rows, and who gets it.

    bench/contention.py --heddle target/release/heddle

Sessions change one of a few hot rows (`rows`), or rows of their own that lie in one bucket of a hash index (`bucket`); conflicts are
tried again by the client, as an application does. Compared in one run: memory-optimized tables with a natively compiled procedure, the
same statements interpreted, and a table on pages, where who comes second waits. Printed: successes a second, conflicts a second by error
number, tries per success, and the successes of the luckiest and the unluckiest session. It fails if a session had none.
"""

import argparse
import re
import signal
import sys
import tempfile
import time

from fairness import Server

ATOMIC = "BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = {level}, LANGUAGE = N'us_english'{delayed})"
UPDATE = "UPDATE dbo.{table} SET n = n + 1 WHERE id = @id;"
HASH = "PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = {buckets})"
MEMORY = "WITH (MEMORY_OPTIMIZED = ON)"
CONFLICTS = (41302, 41305, 41325, 41301, 1205, 3960)
WAYS = {"native": "hot", "interpreted": "hot", "pages": "cold"}

# A session counts its own successes and failures: the loop runs in the server, so that a client that is scheduled late is no
# unfairness of the server's. SET @id: which row a turn wants.
LOOP = """SET NOCOUNT ON; SET XACT_ABORT OFF; SET IMPLICIT_TRANSACTIONS OFF;
DECLARE @until datetime2 = DATEADD(second, {seconds}, CAST('{begin}' AS datetime2)), @id int, @turn int = 0, @done int = 0, @worst int = 0, @tries int = 0, @who int = @@SPID;
DECLARE @a int = 0, @b int = 0, @c int = 0, @d int = 0, @e int = 0, @f int = 0, @error int, @again bit;
WHILE SYSDATETIME() < CAST('{begin}' AS datetime2) WAITFOR DELAY '00:00:00.005';
WHILE SYSDATETIME() < @until BEGIN
    SET @turn += 1; SET @id = {row}; SET @again = 1; SET @tries = 0;
    WHILE @again = 1 AND SYSDATETIME() < @until BEGIN
        SET @tries += 1;
        BEGIN TRY EXEC dbo.{procedure} @id; SET @again = 0; SET @done += 1; END TRY
        BEGIN CATCH
            SET @error = ERROR_NUMBER();
            IF @@TRANCOUNT > 0 ROLLBACK;
            IF @error = 41302 SET @a += 1 ELSE IF @error = 41305 SET @b += 1 ELSE IF @error = 41325 SET @c += 1
            ELSE IF @error = 41301 SET @d += 1 ELSE IF @error = 1205 SET @e += 1 ELSE IF @error = 3960 SET @f += 1 ELSE BEGIN; THROW; END
        END CATCH
    END
    IF @tries > @worst SET @worst = @tries;
END
INSERT dbo.outcomes VALUES ('{label}', @who, @done, @worst, @a, @b, @c, @d, @e, @f)"""


def procedures(options):
    delayed = ", DELAYED_DURABILITY = ON" if options.delayed else ""
    level = options.level
    hint = {"SNAPSHOT": "SNAPSHOT", "REPEATABLE READ": "REPEATABLEREAD", "SERIALIZABLE": "SERIALIZABLE"}[level]
    commit = "COMMIT WITH (DELAYED_DURABILITY = ON)" if options.delayed else "COMMIT"
    parameters = "@id int"
    for work, table in (("rows", "hot_rows"), ("bucket", "hot_bucket")):
        text = UPDATE.format(table=table)
        yield f"CREATE PROCEDURE dbo.{work}_native {parameters} WITH NATIVE_COMPILATION, SCHEMABINDING AS {ATOMIC.format(level=level, delayed=delayed)} {text} END"
        hinted = text.replace(f"dbo.{table}", f"dbo.{table} WITH ({hint})")
        yield f"CREATE PROCEDURE dbo.{work}_interpreted {parameters} AS SET NOCOUNT ON; BEGIN TRAN; {hinted} {commit}"
        yield f"CREATE PROCEDURE dbo.{work}_pages {parameters} AS SET NOCOUNT ON; BEGIN TRAN; {text.replace('hot_', 'cold_')} {commit}"


def prepare(options, sql):
    sql("master", "CREATE DATABASE bench")
    sql("master", "ALTER DATABASE bench SET DELAYED_DURABILITY = ALLOWED; ALTER DATABASE bench SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON")
    filler = "pad char(100) NOT NULL DEFAULT ''"
    many = max(options.sessions, options.rows) + 1
    for name, buckets in (("rows", 1024), ("bucket", options.buckets)):
        sql("bench", f"CREATE TABLE dbo.hot_{name} (id int NOT NULL {HASH.format(buckets=buckets)}, n int NOT NULL, {filler}) {MEMORY}")
        sql("bench", f"CREATE TABLE dbo.cold_{name} (id int NOT NULL PRIMARY KEY, n int NOT NULL, {filler})")
        for place in ("hot", "cold"):
            sql("bench", f"INSERT dbo.{place}_{name} (id, n) SELECT value, 0 FROM GENERATE_SERIES(0, {many})")
    sql("bench", "CREATE TABLE dbo.outcomes (label varchar(40), session int, done int, worst int, e41302 int, e41305 int, e41325 int, e41301 int, e1205 int, e3960 int)")
    for text in procedures(options):
        sql("bench", text)


def measure(options, server, sql, work, way, number):
    label = f"{work} {way} {number}"
    begin = sql("bench", f"SET NOCOUNT ON; SELECT CONVERT(varchar(27), DATEADD(millisecond, {options.warm_ms}, SYSDATETIME()), 121)").splitlines()[-1].strip()
    # Ranks are not known to a session, but its number is one of a row in the hot bucket, and any number will do for the turns.
    row = f"(@turn * 7 + @who) % {options.rows}" if work == "rows" else f"@who % {options.sessions}"
    text = LOOP.format(seconds=options.seconds, begin=begin, row=row, procedure=f"{work}_{way}", label=label)
    load = ["-n", str(options.sessions), "-r", "1", "-q", "--no-progress", "-d", "bench", "-Q", text]
    server.tool(options.heddle, "stress", *load)
    columns = "session, done, worst, e41302, e41305, e41325, e41301, e1205, e3960"
    found = sql("bench", f"SET NOCOUNT ON; SELECT {columns} FROM dbo.outcomes WHERE label = '{label}'")
    sessions = [tuple(map(int, line.split())) for line in found.splitlines() if re.fullmatch(r"[\d\s-]+\d", line.strip())]
    if len(sessions) != options.sessions:
        raise SystemExit(f"{label}: {len(sessions)} of {options.sessions} sessions came to their end")
    place = "cold" if way == "pages" else "hot"
    total = sum(session[1] for session in sessions)
    kept = int(sql("bench", f"SET NOCOUNT ON; SELECT SUM(n) FROM dbo.{place}_{work}").splitlines()[-1])
    sql("bench", f"UPDATE dbo.{place}_{work} SET n = 0")
    if kept != total:
        raise SystemExit(f"{label}: {total} successes were told, {kept} are there")
    return sessions


def report(options, work, way, sessions):
    done = [session[1] for session in sessions]
    failed = {error: sum(session[3 + at] for session in sessions) for at, error in enumerate(CONFLICTS)}
    total = sum(done)
    errors = "  ".join(f"{error} {count / options.seconds:.0f}/s" for error, count in failed.items() if count)
    tries = (total + sum(failed.values())) / max(total, 1)
    print(
        f"{work:7} {way:12} {total / options.seconds:9.0f}/s   tries {tries:6.2f} at most {max(session[2] for session in sessions):6}"
        f"   min {min(done):7} max {max(done):7}   {errors or 'no conflicts'}",
        flush=True,
    )
    return min(done) > 0


def run(options, directory):
    server = Server(options.heddle, ["--memory", options.memory, *options.arguments.split()], directory)
    fair = True
    try:
        sql = lambda database, query: server.tool(options.heddle, "sql", "-b", "-h", "-1", "-W", "-d", database, "-Q", query)
        prepare(options, sql)
        for number in range(options.rounds):
            for work in ("rows", "bucket"):
                for way in WAYS:
                    fair &= report(options, work, way, measure(options, server, sql, work, way, number))
                    time.sleep(0.2)
    finally:
        server.stop()
    if not fair:
        raise SystemExit("a session had no success at all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle", help="the program to measure")
    parser.add_argument("--sessions", type=int, default=64)
    parser.add_argument("--rows", type=int, default=10, help="hot rows")
    parser.add_argument("--buckets", type=int, default=1, help="of the hash index that all sessions share")
    parser.add_argument("--seconds", type=int, default=5, help="of a measurement")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--warm-ms", type=int, default=1500, help="for all sessions to be there before they begin")
    parser.add_argument("--level", choices=["SNAPSHOT", "REPEATABLE READ", "SERIALIZABLE"], default="SNAPSHOT")
    parser.add_argument("--delayed", action=argparse.BooleanOptionalAction, default=False,
                        help="commits do not wait for the disk: a row is held for microseconds only")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--arguments", default="", help="more for `heddle serve`, in one word")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server stops and its data goes
    with tempfile.TemporaryDirectory(prefix="heddle-contention-") as directory:
        run(options, directory)


if __name__ == "__main__":
    main()
