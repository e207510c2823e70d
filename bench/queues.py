#!/usr/bin/env python3
"""Does a queue stay as fast as it was? Rows come in at the right end of a table and leave at the left, one at a time.

    bench/queues.py --heddle target/release/heddle [--base other/heddle] [--after 0,100000,300000]

Printed for each server: microseconds a dequeue, by the clock of the server, of a thousand of them at the beginning and after so many. A
`backlog` was filled before, `steady` gets a row for each one that leaves, `priority` is a backlog whose order is that of another index;
`insert` and `delete` are single rows by ascending keys in a table that is no queue, for the cost of looking after ghosts. A server that
needs more than --patience seconds to get to a measurement is not measured there.
"""

import argparse
import time

from fairness import Server

TABLES = """CREATE TABLE queue (id int IDENTITY PRIMARY KEY, priority int NOT NULL, pad char(40) NOT NULL DEFAULT 'p');
CREATE INDEX by_priority ON queue (priority)"""
FILL = """SET NOCOUNT ON; WITH ten AS (SELECT 1 AS n FROM (VALUES (1), (1), (1), (1), (1), (1), (1), (1), (1), (1)) AS t (n))
INSERT queue (priority) SELECT TOP ({rows}) ROW_NUMBER() OVER (ORDER BY (SELECT 1)) FROM ten a, ten b, ten c, ten d, ten e, ten f, ten g"""
TAKE = "WITH first AS (SELECT TOP (1) * FROM queue ORDER BY {order}) DELETE first"
PUT = "INSERT queue (priority) VALUES (0)"
WORK = {
    "backlog": TAKE.format(order="id"),
    "steady": PUT + "; " + TAKE.format(order="id"),
    "priority": TAKE.format(order="priority"),
    "insert": PUT,
    "delete": "DELETE queue WHERE id = @id; SET @id += 1",
}
LOOP = """SET NOCOUNT ON; DECLARE @i int = 0, @id int = (SELECT MIN(id) FROM queue), @begin datetime2 = SYSDATETIME();
WHILE @i < {turns} BEGIN {work}; SET @i += 1 END; SELECT DATEDIFF(microsecond, @begin, SYSDATETIME())"""
TURNS = 1000


def sql(server, binary, query):
    return server.tool(binary, "sql", "-b", "-h", "-1", "-W", "-d", "bench", "-Q", query)


def turns(options, server, binary, work, count):
    """Microseconds for so many turns, in batches of a bounded length; None: out of patience."""
    spent, end = 0, time.monotonic() + options.patience
    while count:
        now = min(count, 10 * TURNS)
        query = LOOP.format(work=WORK[work], turns=now)
        spent += int(sql(server, binary, query))
        count -= now
        if time.monotonic() > end and count:
            return None
    return spent


def measure(options, binary, work):
    server = Server(binary, [])
    try:
        server.tool(binary, "sql", "-b", "-Q", "CREATE DATABASE bench")
        sql(server, binary, TABLES)
        rows = 1000 if work in ("steady", "insert") else options.after[-1] + 2 * TURNS * (len(options.after) + 1)
        sql(server, binary, FILL.format(rows=rows))
        done, figures = 0, []
        for after in options.after:
            if after > done and turns(options, server, binary, work, after - done) is None:
                return figures
            figures.append(turns(options, server, binary, work, TURNS) / TURNS)
            done = max(after, done) + TURNS
        return figures
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--base", help="another one to compare with")
    parser.add_argument("--after", default="0,100000,300000", help="turns before each measurement, ascending")
    parser.add_argument("--work", default=",".join(WORK))
    parser.add_argument("--patience", type=int, default=120, help="seconds for the turns between two measurements")
    options = parser.parse_args()
    options.after = [int(after) for after in options.after.split(",")]
    print("us a turn".ljust(20) + "".join(f"after {after:,}".rjust(16) for after in options.after))
    for work in options.work.split(","):
        for name, binary in [("base", options.base), ("new", options.heddle)]:
            if binary:
                figures = [f"{figure:.1f}" for figure in measure(options, binary, work)]
                figures += ["-"] * (len(options.after) - len(figures))
                print(f"{work} {name}".ljust(20) + "".join(figure.rjust(16) for figure in figures), flush=True)


if __name__ == "__main__":
    main()
