#!/usr/bin/env python3
"""The Join Order Benchmark's queries: does the plan that is chosen take much longer than the best of other orders of the same joins?

    git clone https://github.com/gregrahn/join-order-benchmark
    bench/job.py --queries join-order-benchmark --titles 100000 --orders 50

Rows: job_data.py. Each query runs as it is (the median of --runs), then with FORCE ORDER in --orders orders by chance, in each of which a table comes
after one that it is joined with; an order has three times as long as the chosen plan, and half a second. The best of them runs again, --runs times.
Printed: milliseconds of the chosen plan and of the best order by the server's own clock, their ratio, whether all orders have the same answer, and the
q-error of the chosen plan's joins: how many times more or fewer rows came than were expected.
"""

import argparse
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from fairness import PASSWORD, Server
from job_data import INDEXED, TABLES, Generator, Query
from tpch import error, operators_of


class Heddle:
    def __init__(self, options, directory):
        self.binary = options.heddle
        self.server = Server(options.heddle, ["--memory", options.memory, "--bulk-directory", str(directory)], str(directory / "heddle"))

    def sql(self, text, database="job"):
        return self.server.tool(self.binary, "sql", "-b", "-d", database, "-h", "-1", "-W", "-s", "|", "-Q", "SET NOCOUNT ON; " + text)

    def load(self, directory):
        self.sql("CREATE DATABASE job; ALTER DATABASE job SET DELAYED_DURABILITY = FORCED", "master")
        for table, columns in TABLES.items():
            self.sql(f"CREATE TABLE {table} ({columns})")
            self.sql(f"BULK INSERT {table} FROM '{directory / table}.tbl' WITH (FIELDTERMINATOR = '|', ROWTERMINATOR = '0x0a', TABLOCK)")
            for column in INDEXED.get(table, "").split():
                self.sql(f"CREATE INDEX {table}_{column} ON {table} ({column})")

    def run(self, text, limit_s):
        """Its rows and milliseconds; None: it has not ended in time."""
        limit_s = max(math.ceil(limit_s), 1)
        command = [self.binary, "sql", "-S", self.server.address, "-U", "sa", "-P", PASSWORD, "-b", "-d", "job", "-h", "-1", "-W", "-s", "|", "-t", str(limit_s),
                   "-Q", f"SET NOCOUNT ON; DECLARE @t datetime2 = SYSDATETIME(); {text}; SELECT DATEDIFF_BIG(microsecond, @t, SYSDATETIME())"]
        started = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            if time.monotonic() - started >= limit_s - 0.1:
                return None
            raise SystemExit(f"{text}\n{done.stdout}{done.stderr}")
        *rows, clock = [line for line in done.stdout.splitlines() if line.strip() and not line.startswith("Warning: ")]
        return rows, int(clock) / 1e3


def ordered(query, chance):
    """Its text with its tables in another order, each after one that it is joined with."""
    left = list(query.tables)
    chance.shuffle(left)
    order = [left.pop()]
    while left:
        near = next((alias for alias in left if any({alias, other} == {*join} for other in order for join in query.joins)), left[0])
        left.remove(near)
        order.append(near)
    tables = ", ".join(f"{query.tables[alias]} AS {alias}" for alias in order)
    return f"{query.select} FROM {tables} WHERE {query.where} OPTION (FORCE ORDER)"


def measure(heddle, query, options):
    """The row that is printed, the ratio, whether the answers agree, and q-errors."""
    chosen = [heddle.run(query.text, options.limit) for _ in range(options.runs)]
    if None in chosen:
        return f"over {options.limit} s", None, True, []
    ours, answers = statistics.median(ms for _, ms in chosen), {tuple(chosen[0][0])}
    chance, best = random.Random(query.name), None
    ended = 0
    for _ in range(options.orders):
        text = ordered(query, chance)
        run = heddle.run(text, ours / 1e3 * 3 + 0.5)
        if run is None:
            continue
        ended += 1
        answers.add(tuple(run[0]))
        if best is None or run[1] < best[0]:
            best = (run[1], text)
    theirs = None
    if best:
        again = [heddle.run(best[1], options.limit) for _ in range(options.runs)]
        theirs = statistics.median(ms for _, ms in again)
    errors = [error(operator) for operator in operators_of(heddle.server, heddle.binary, "job", query.text) if "Match" in operator[1] or "Loops" in operator[1]]
    ratio = ours / theirs if theirs else None
    told = f"{ours:>10.1f}{theirs or 0:>10.1f}{ratio or 0:>8.2f}{ended:>8}{max(errors, default=1):>10.1f}  {'same' if len(answers) == 1 else 'DIFFERS'}"
    return told, ratio, len(answers) == 1, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--queries", type=pathlib.Path, required=True, help="directory with 1a.sql and so on")
    parser.add_argument("--titles", type=int, default=100_000, help="the original has 2.5 million")
    parser.add_argument("--orders", type=int, default=50)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=int, default=60, help="seconds for a chosen plan")
    parser.add_argument("--only", help="names of queries, with commas between")
    parser.add_argument("--directory", type=pathlib.Path, help="rows and the server's data stay there, and the next run begins with the queries")
    options = parser.parse_args()
    files = sorted(options.queries.glob("[0-9]*.sql"), key=lambda path: (int(re.match(r"\d+", path.stem)[0]), path.stem))
    queries = [Query(path.stem, path.read_text()) for path in files]
    with tempfile.TemporaryDirectory(prefix="job-") as temporary:
        directory = (options.directory or pathlib.Path(temporary)).resolve()
        directory.mkdir(exist_ok=True)
        if not (directory / "title.tbl").exists():
            Generator(options.titles, queries).write(directory)
        fresh = not (directory / "heddle").exists()
        heddle = Heddle(options, directory)
        try:
            if fresh:
                heddle.load(directory)
            sys.exit(run(heddle, queries, options))
        finally:
            heddle.server.stop()


def run(heddle, queries, options):
    print(f"{'':5}{'chosen ms':>10}{'best ms':>10}{'ratio':>8}{'orders':>8}{'q-error':>10}  answers", flush=True)
    ratios, errors, wrong = [], [], 0
    for query in queries:
        if options.only and query.name not in options.only.split(","):
            continue
        told, ratio, agree, of_joins = measure(heddle, query, options)
        print(f"{query.name:5}{told}", flush=True)
        ratios += [ratio] if ratio else []
        errors += of_joins
        wrong += not agree
    if ratios:
        worst = sorted(ratios)
        print(f"chosen by best of {options.orders} orders: geometric mean {statistics.geometric_mean(ratios):.2f}, worst {worst[-1]:.2f}, over 3: {sum(ratio > 3 for ratio in ratios)} of {len(ratios)}")
    if len(errors) > 1:
        print(f"q-error of {len(errors)} joins: median {statistics.median(errors):.1f}, 95th percentile {statistics.quantiles(errors, n=20)[-1]:.1f}")
    return wrong > 0


if __name__ == "__main__":
    main()
