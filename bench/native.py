#!/usr/bin/env python3
"""Procedures natively compiled, and the same statements interpreted on memory-optimized tables and on tables on pages.

    bench/native.py --heddle target/release/heddle

Each procedure runs its statement in a loop, one transaction a call; printed are rows a second of one session, best of the rounds, which
take turns. `native` is compared with the others in the same run. Commits are delayed: what the disk can do is another measurement.
"""

import argparse

from fairness import Server

# The seed's table has about a kilobyte a row; the narrow one shows what is left without copying that.
WIDE = "c2 char(500) NOT NULL DEFAULT 'a', c3 char(500) NOT NULL DEFAULT 'b'"
NARROW = "c2 bigint NOT NULL DEFAULT 0, c3 int NOT NULL DEFAULT 0"
MEMORY = "WITH (MEMORY_OPTIMIZED = ON, DURABILITY = {durability})"
HASH = "PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 4194304)"
ATOMIC = "BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english', DELAYED_DURABILITY = ON)"

TABLES = {
    "wide": WIDE,
    "narrow": NARROW,
}

LOOPS = {
    "insert": "INSERT dbo.{table} (c1) VALUES (@base + @i);",
    "read": "SELECT @found = c1 FROM dbo.{table} WHERE c1 = @base + @i * 7919 % @rows;",
    "update": "UPDATE dbo.{table} SET c3 = {changed} WHERE c1 = @base + @i * 7919 % @rows;",
}


def procedure(name, statement, native):
    body = f"DECLARE @i bigint = 0, @found bigint = 0; WHILE @i < @rows BEGIN {statement} SET @i += 1; END"
    parameters = "@base bigint, @rows bigint"
    if native:
        return f"CREATE PROCEDURE dbo.{name} {parameters} WITH NATIVE_COMPILATION, SCHEMABINDING AS {ATOMIC} {body} END"
    return f"CREATE PROCEDURE dbo.{name} {parameters} AS SET NOCOUNT ON; BEGIN TRAN; {body} COMMIT WITH (DELAYED_DURABILITY = ON)"


def rate(server, heddle, database, name, base, rows):
    query = (
        f"SET NOCOUNT ON; DECLARE @t datetime2 = SYSDATETIME(); EXEC dbo.{name} {base}, {rows}; "
        "SELECT DATEDIFF_BIG(microsecond, @t, SYSDATETIME())"
    )
    return rows * 1e6 / int(server.tool(heddle, "sql", "-b", "-h", "-1", "-W", "-d", database, "-Q", query).split()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle", help="the program to measure")
    parser.add_argument("--rows", type=int, default=400_000, help="rows of a call")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--durability", choices=["SCHEMA_AND_DATA", "SCHEMA_ONLY"], default="SCHEMA_AND_DATA")
    parser.add_argument("--memory", default="8GB")
    options = parser.parse_args()
    server = Server(options.heddle, ["--memory", options.memory])
    try:
        sql = lambda database, query: server.tool(options.heddle, "sql", "-b", "-d", database, "-Q", query)
        sql("master", "CREATE DATABASE bench")
        sql("master", "ALTER DATABASE bench SET DELAYED_DURABILITY = ALLOWED; ALTER DATABASE bench SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON")
        ways = {"native": "memory", "interpreted": "memory", "pages": "disk"}
        for width, columns in TABLES.items():
            memory = MEMORY.format(durability=options.durability)
            sql("bench", f"CREATE TABLE dbo.{width}_memory (c1 bigint NOT NULL {HASH}, {columns}) {memory}")
            sql("bench", f"CREATE TABLE dbo.{width}_disk (c1 bigint NOT NULL PRIMARY KEY, {columns})")
            changed = "c3 + 1" if width == "narrow" else "'c'"
            for way, place in ways.items():
                for loop, statement in LOOPS.items():
                    text = statement.format(table=f"{width}_{place}", changed=changed)
                    sql("bench", procedure(f"{width}_{loop}_{way}", text, way == "native"))
        for width in TABLES:
            best = {}
            for number in range(options.rounds):
                for position, way in enumerate(ways):
                    for loop in LOOPS:
                        # The two ways into the table in memory have keys of their own.
                        base = (number * len(ways) + position) * options.rows
                        found = rate(server, options.heddle, "bench", f"{width}_{loop}_{way}", base, options.rows)
                        best[loop, way] = max(best.get((loop, way), 0), found)
            for loop in LOOPS:
                native, interpreted, pages = (best[loop, way] for way in ways)
                print(
                    f"{width:7} {loop:7} native {native / 1e3:7.0f} k/s   interpreted {interpreted / 1e3:7.0f} ({native / interpreted:4.1f}x)"
                    f"   on pages {pages / 1e3:7.0f} ({native / pages:4.1f}x)",
                    flush=True,
                )
    finally:
        server.stop()


if __name__ == "__main__":
    main()
