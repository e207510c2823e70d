#!/usr/bin/env python3
"""Procedures natively compiled, and the same statements interpreted on memory-optimized tables, on tables on pages, and by PostgreSQL.

    bench/native.py --heddle target/release/heddle
    bench/native.py --sessions 2 --postgres /usr/lib/postgresql/15/bin

Each procedure runs its statement in a loop, one transaction a call, keys of reads and updates at random; printed are statements a second
of all sessions, the best of the rounds, which take turns, and how much faster native is than each of the others. `empty` is the loop
alone. Commits are delayed (PostgreSQL: synchronous_commit = off): what the disk can do is another measurement.

Before each call the versions that the last one left behind are collected. Before each way's calls of a round memory is touched: where a
virtual machine's host takes free memory away, a page that is used again waits for the host, 9 us of 4 KB on one machine, whoever asks for
it. (For rows of memory-optimized tables the server sees to that itself, ahead of their use.)
"""

import argparse
import concurrent.futures
import mmap
import pathlib
import tempfile
import time

from fairness import Server
from side_by_side import Postgres

# The seed's table has about a kilobyte a row; the narrow one shows what is left without copying that.
TABLES = {
    "narrow": "c2 bigint NOT NULL DEFAULT 0, c3 int NOT NULL DEFAULT 0",
    "wide": "c2 bigint NOT NULL DEFAULT 0, c3 int NOT NULL DEFAULT 0, c4 char(500) NOT NULL DEFAULT 'a', c5 char(500) NOT NULL DEFAULT 'b'",
}
# Of so many rows a table with a hash index is to have twice as many buckets: its chains are short, and most of them are used.
BUCKETS_A_ROW = 2
MEMORY = "WITH (MEMORY_OPTIMIZED = ON, DURABILITY = {durability})"
KEYS = {
    "memory": "PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = {buckets})",
    "ordered": "PRIMARY KEY NONCLUSTERED",
    "disk": "PRIMARY KEY",
}
ATOMIC = "BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english', DELAYED_DURABILITY = ON)"

LOOPS = {
    "empty": "",
    "insert": "INSERT INTO {table} (c1) VALUES (@base + @i);",
    "read": "SELECT @found = c2 FROM {table} WHERE c1 = @base + @k % {keys};",
    "update": "UPDATE {table} SET c3 = c3 + 1 WHERE c1 = @base + @k % {keys};",
    "range": "SELECT @found = SUM(c2) FROM {table} WHERE c1 >= @k % {keys} AND c1 < @k % {keys} + 10;",
}
NEXT_KEY = "SET @k = @k * 48271 % 2147483647;"
WAYS = {"native": "memory", "interpreted": "memory", "pages": "disk", "postgres": "disk"}


def place_of(way, loop, number):
    """Each round inserts into a new table. All others are filled once; ranges are of an ordered one."""
    if loop == "range":
        return "disk_filled" if WAYS[way] == "disk" else "ordered_filled"
    return f"{WAYS[way]}_{number}" if loop == "insert" else f"{WAYS[way]}_filled"


def procedures(options, width):
    """Their names, ways, and statements."""
    for way in WAYS:
        for loop, statement in LOOPS.items():
            for number in range(options.rounds if loop == "insert" else 1):
                schema = "" if way == "postgres" else "dbo."
                table = f"{schema}{width}_{place_of(way, loop, number)}"
                yield procedure_name(width, loop, way, number), way, statement.format(table=table, keys=options.keys)


def procedure_name(width, loop, way, number):
    return f"{width}_{loop}_{way}_{number if loop == 'insert' else 0}"


def filled_rows(options):
    """Enough for the keys of all sessions, and a range after the last."""
    return options.sessions * options.keys + 10


def procedure(name, statement, native):
    body = f"DECLARE @i bigint = 0, @found bigint = 0, @k bigint = 1; WHILE @i < @rows BEGIN {NEXT_KEY} {statement} SET @i += 1; END"
    parameters = "@base bigint, @rows bigint"
    if native:
        return f"CREATE PROCEDURE dbo.{name} {parameters} WITH NATIVE_COMPILATION, SCHEMABINDING AS {ATOMIC} {body} END"
    return f"CREATE PROCEDURE dbo.{name} {parameters} AS SET NOCOUNT ON; BEGIN TRAN; {body} COMMIT WITH (DELAYED_DURABILITY = ON)"


def postgres_function(name, statement):
    for variable in ("base", "rows", "i", "k", "found"):
        statement = statement.replace(f"@{variable}", f"v_{variable}")
    if statement.startswith("SELECT"):
        target, rest = statement.removeprefix("SELECT v_found = ").split(" FROM ")
        statement = f"SELECT {target} INTO v_found FROM {rest}"
    return (
        f"CREATE FUNCTION {name}(v_base bigint, v_rows bigint) RETURNS void LANGUAGE plpgsql AS $$ "
        "DECLARE v_i bigint := 0; v_k bigint := 1; v_found bigint; BEGIN WHILE v_i < v_rows LOOP "
        f"v_k := v_k * 48271 % 2147483647; {statement} v_i := v_i + 1; END LOOP; END $$;"
    )


def touch_memory(size):
    """Of the kernel's free memory, so much becomes such that the host has it, too."""
    if size == 0:
        return
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        for page in range(0, size, mmap.PAGESIZE):
            memory[page] = 1


class HeddleRates:
    def __init__(self, options):
        self.options = options
        self.server = Server(options.heddle, ["--memory", options.memory])

    def sql(self, query, database="bench"):
        return self.server.tool(self.options.heddle, "sql", "-b", "-h", "-1", "-W", "-d", database, "-Q", query)

    def prepare(self):
        self.sql("CREATE DATABASE bench", "master")
        self.sql("ALTER DATABASE bench SET DELAYED_DURABILITY = ALLOWED; ALTER DATABASE bench SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON")
        for width in self.options.width:
            columns = TABLES[width]
            for place, key in KEYS.items():
                key = key.format(buckets=BUCKETS_A_ROW * self.options.sessions * self.options.rows)
                memory = "" if place == "disk" else MEMORY.format(durability=self.options.durability)
                numbers = range(self.options.rounds) if place in WAYS.values() else ()
                for number in [*numbers, "filled"]:
                    self.sql(f"CREATE TABLE dbo.{width}_{place}_{number} (c1 bigint NOT NULL {key}, {columns}) {memory}")
                self.sql(f"INSERT dbo.{width}_{place}_filled (c1) SELECT value FROM GENERATE_SERIES(0, {filled_rows(self.options)})")
            for name, way, statement in procedures(self.options, width):
                if way != "postgres":
                    self.sql(procedure(name, statement, way == "native"))

    def settle(self):
        """Returns when no old version is left to collect."""
        until = time.monotonic() + 30
        while int(self.sql("SET NOCOUNT ON; SELECT SUM(current_queue_depth) FROM sys.dm_xtp_gc_queue_stats").split()[-1]) > 0:
            if time.monotonic() > until:
                raise SystemExit("old versions are not collected in 30 s")
            time.sleep(0.05)

    def rate(self, name, base, rows):
        query = f"SET NOCOUNT ON; DECLARE @t datetime2 = SYSDATETIME(); EXEC dbo.{name} {base}, {rows}; SELECT DATEDIFF_BIG(microsecond, @t, SYSDATETIME())"
        return rows * 1e6 / int(self.sql(query).split()[-1])

    def stop(self):
        self.server.stop()


class PostgresRates:
    def __init__(self, options, directory):
        self.options = options
        self.server = Postgres(options.postgres, 15990, directory, options.pg_user, "tcp")

    def prepare(self):
        for width in self.options.width:
            columns = TABLES[width]
            for number in [*range(self.options.rounds), "filled"]:
                self.server.sql(f"CREATE TABLE {width}_disk_{number} (c1 bigint NOT NULL PRIMARY KEY, {columns});")
            self.server.sql(f"INSERT INTO {width}_disk_filled (c1) SELECT generate_series(0, {filled_rows(self.options)});")
            for name, way, statement in procedures(self.options, width):
                if way == "postgres":
                    self.server.sql(postgres_function(name, statement))

    def settle(self):
        """Nothing that could be waited for: autovacuum comes when it likes."""

    def rate(self, name, base, rows):
        text = f"SELECT clock_timestamp() AS t \\gset\nSELECT {name}({base}, {rows});\nSELECT extract(epoch FROM clock_timestamp() - :'t'::timestamptz);"
        return rows / float(self.server.sql(text).split()[-1])

    def stop(self):
        self.server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle", help="the program to measure")
    parser.add_argument("--postgres", metavar="DIRECTORY", help="its programs, to measure it as well")
    parser.add_argument("--pg-user", default="postgres", help="who PostgreSQL runs as if this runs as root")
    parser.add_argument("--sessions", type=int, default=1, help="at the same time, each with keys of its own")
    parser.add_argument("--rows", type=int, default=300_000, help="statements of a call; so many rows are inserted")
    parser.add_argument("--keys", type=int, help="rows that are read and updated, at random (default: --rows); 1,000 lie in the CPU's cache")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--width", choices=TABLES, action="append", help="only this table")
    parser.add_argument("--durability", choices=["SCHEMA_AND_DATA", "SCHEMA_ONLY"], default="SCHEMA_AND_DATA")
    parser.add_argument("--memory", default="12GB")
    parser.add_argument("--touch", type=int, default=2048, metavar="MB", help="memory to touch before the calls of a way")
    options = parser.parse_args()
    options.keys = options.keys or options.rows
    options.width = options.width or list(TABLES)
    if options.keys > options.rows:
        parser.error("--keys: no more rows than there are")
    ways = [way for way in WAYS if way != "postgres" or options.postgres]
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory).chmod(0o755)
        servers = [HeddleRates(options)]
        try:
            if options.postgres:
                servers.append(PostgresRates(options, pathlib.Path(directory)))
            for server in servers:
                server.prepare()
            for width in options.width:
                measure(options, servers, ways, width)
        finally:
            for server in servers:
                server.stop()


def measure(options, servers, ways, width):
    best = {}
    with concurrent.futures.ThreadPoolExecutor(options.sessions) as sessions:
        for number in range(options.rounds):
            for position, way in enumerate(ways):
                server = servers[-1] if way == "postgres" else servers[0]
                touch_memory(options.touch << 20)
                for loop in LOOPS:
                    server.settle()
                    # Each session has keys of its own; what two ways insert goes into one table.
                    first, step = (position * options.sessions, options.rows) if loop == "insert" else (0, options.keys)
                    bases = [(first + session) * step for session in range(options.sessions)]
                    name = procedure_name(width, loop, way, number)
                    rates = sessions.map(lambda base: server.rate(name, base, options.rows), bases)
                    best[loop, way] = max(best.get((loop, way), 0), sum(rates))
    for loop in LOOPS:
        native = best[loop, "native"]
        others = "".join(f"   {way} {best[loop, way] / 1e3:7.0f} ({native / best[loop, way]:4.1f}x)" for way in ways[1:])
        print(f"{width:7} {loop:7} native {native / 1e3:7.0f} k/s{others}", flush=True)


if __name__ == "__main__":
    main()
