#!/usr/bin/env python3
"""TPC-H's queries on Heddle and on PostgreSQL without parallel workers: time, answers, and rows that the plan counts on beside those that came.

    bench/tpch.py --heddle target/release/heddle --scale 0.1
    bench/tpch.py --scale 0.05 --only 9,20,21 --runs 5 --limit 20
    bench/tpch.py --directory /data/tpch      # rows and both servers' data stay there, and the next run begins with the queries

Tables and queries: tpch_data.py. Both servers have the same keys and indexes (--no-indexes: keys alone), load from the same files, and run on 127.0.0.1.
Each query runs --runs times on each in turns; printed are medians in milliseconds, for Heddle as its own clock has them, for PostgreSQL as psql times
them, and their ratio. CPU: milliseconds that Heddle's process used for a run, which a shared machine disturbs less. A query over --limit seconds is told
as such, and not run again. Answers must be the same in all rows but for the last digits of numbers, since AVG has another scale in each; with --duckdb
DuckDB, where its Python package is installed, is asked as well. The last columns are of the operator whose rows the plan expected worst: expected, and
what came of one execution. A goal of rows (TOP, EXISTS) above an operator, and a LIMIT that stops it early, count as such an error.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from fairness import PASSWORD, Server
from side_by_side import Postgres, cpu_of
from tpch_data import INDEXES, TABLES, Generator, postgres, queries


class Heddle:
    """Of another benchmark: its own database and tables."""

    database, tables = "tpch", TABLES

    def __init__(self, options, directory):
        self.binary, self.limit_s = options.heddle, options.limit
        self.server = Server(options.heddle, ["--memory", options.memory, "--bulk-directory", str(directory)], str(directory / "heddle"))

    def sql(self, text, database=None, limit_s=None):
        arguments = ["-t", str(limit_s)] if limit_s else []
        return self.server.tool(self.binary, "sql", "-b", "-d", database or self.database, "-h", "-1", "-W", "-s", "|", *arguments, "-Q", "SET NOCOUNT ON; " + text)

    def load(self, directory, indexes):
        self.sql(f"CREATE DATABASE {self.database}; ALTER DATABASE {self.database} SET DELAYED_DURABILITY = FORCED", "master")
        for table, columns in self.tables.items():
            self.sql(f"CREATE TABLE {table} ({columns})")
            self.sql(f"BULK INSERT {table} FROM '{directory / table}.tbl' WITH (FIELDTERMINATOR = '|', ROWTERMINATOR = '0x0a', TABLOCK)")
        for name, on in indexes.items():
            self.sql(f"CREATE INDEX {name} ON {on}")

    def run(self, text):
        """Rows, milliseconds, and milliseconds of CPU; None: over the limit."""
        before = cpu_of([self.server.process.pid])
        command = [self.binary, "sql", "-S", self.server.address, "-U", "sa", "-P", PASSWORD, "-b", "-d", self.database, "-h", "-1", "-W", "-s", "|", "-t", str(self.limit_s),
                   "-Q", f"SET NOCOUNT ON; DECLARE @t datetime2 = SYSDATETIME(); {text}; SELECT DATEDIFF_BIG(microsecond, @t, SYSDATETIME())"]
        started = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            if time.monotonic() - started >= self.limit_s:
                return None
            raise SystemExit(f"{text}\n{done.stdout}{done.stderr}")
        *rows, clock = [line for line in done.stdout.splitlines() if line.strip() and not line.startswith("Warning: ")]
        return rows, int(clock) / 1e3, (cpu_of([self.server.process.pid]) - before) * 1e3

    def plan(self, text):
        return operators_of(self.server, self.binary, self.database, text, self.limit_s)


def operators_of(server, binary, database, text, limit_s=60):
    """The operators of a run: depth, name, what it does, rows expected and rows that came of an execution, milliseconds with those below it."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(f"SET STATISTICS XML ON\nGO\n{text}\nGO\n")
        script.flush()
        shown = server.tool(binary, "sql", "-d", database, "-y", "0", "-t", str(limit_s), "-i", script.name)
    found = re.search(r"<ShowPlanXML.*</ShowPlanXML>", shown)
    operators = []

    def visit(node, depth):
        name = node.tag.rsplit("}")[-1]
        if name == "RelOp":
            counters = [child for run in node if run.tag.endswith("RunTimeInformation") for child in run]
            came = sum(int(of.get("ActualRows")) for of in counters) / max(sum(int(of.get("ActualExecutions")) for of in counters), 1) if counters else None
            spent_ms = sum(int(of.get("ActualElapsedms")) for of in counters)
            operators.append((depth, node.get("PhysicalOp"), node.get("Description"), float(node.get("EstimateRows") or 1), came, spent_ms))
        for child in node:
            visit(child, depth + (name == "RelOp"))

    if found:
        visit(xml.etree.ElementTree.fromstring(found[0]), 0)
    return operators


def error(operator):
    """How many times too many or too few rows were expected."""
    _, _, _, expected, came, _ = operator
    return 0 if came is None else max(expected, 1) / max(came, 1) if expected > came else max(came, 1) / max(expected, 1)


class Peer:
    tables = TABLES

    def __init__(self, options, directory):
        self.made = not (directory / "pg").exists()
        fresh = (options.postgres, options.pg_port, directory, options.pg_user, "tcp", None)
        self.server = Postgres(*fresh) if self.made else self.again(options, directory)
        self.limit_s, self.workers = options.limit, options.pg_workers

    @staticmethod
    def again(options, directory):
        server = Postgres.__new__(Postgres)
        server.programs, server.port, server.directory, server.host = pathlib.Path(options.postgres), options.pg_port, directory / "pg", "127.0.0.1"
        server.user = options.pg_user if os.geteuid() == 0 else None
        with open(directory / "pg/data/postgresql.conf", "a") as conf:
            conf.write(f"port = {options.pg_port}\n")
        server.run("pg_ctl", "-D", str(server.directory / "data"), "-l", str(server.directory / "log"), "-w", "start", check=True)
        server.postmaster = int((server.directory / "data/postmaster.pid").read_text().split()[0])
        return server

    def load(self, directory, indexes):
        for table, columns in self.tables.items():
            self.server.sql(f"create table {table} ({columns})")
            result = self.server.run("psql", "-qX", "-c", f"\\copy {table} from pstdin with (delimiter '|', null '')", stdin=open(directory / f"{table}.tbl"), capture_output=True)
            if result.returncode:
                raise SystemExit(result.stderr)
        self.server.sql("".join(f"create index {name} on {on};" for name, on in indexes.items()) + "vacuum analyze;")

    def run(self, text):
        before = cpu_of(self.server.pids())
        script = f"set statement_timeout = '{self.limit_s}s'; set work_mem = '128MB'; set jit = off; set max_parallel_workers_per_gather = {self.workers};\n\\timing on\n{text};\n"
        result = self.server.run("psql", "-qAtX", "-v", "ON_ERROR_STOP=1", input=script, capture_output=True)
        if result.returncode:
            if "statement timeout" in result.stderr:
                return None
            raise SystemExit(f"{text}\n{result.stderr}")
        lines = result.stdout.splitlines()
        timed = [line for line in lines if line.startswith("Time: ")]
        rows = [line for line in lines if not line.startswith("Time: ")]
        return rows, float(re.match(r"Time: ([\d.]+)", timed[-1])[1]), (cpu_of(self.server.pids()) - before) * 1e3


def duck(directory):
    import duckdb
    connection = duckdb.connect()
    for table, columns in TABLES.items():
        connection.execute(f"create table {table} ({columns})")
        connection.execute(f"copy {table} from '{directory / table}.tbl' (delimiter '|', header false)")
    return connection


def same(ours, theirs, ordered=False):
    """Two lists of rows as texts are the same up to the last digits of numbers; in any order, but where `ordered`."""
    def fields(row):
        return tuple(field.strip() for field in row.split("|"))

    def order(row):
        return [f"{float(field):.2e}" if re.fullmatch(r"-?\d*\.?\d+(e[-+]\d+)?", field) else field for field in row]

    def alike(a, b):
        if a == b or {a, b} == {"", "NULL"}:
            return True
        try:
            return abs(float(a) - float(b)) <= 1e-4 * max(1.0, abs(float(a)))
        except ValueError:
            return False

    ours, theirs = ([*map(fields, rows)] if ordered else sorted(map(fields, rows), key=order) for rows in (ours, theirs))
    return len(ours) == len(theirs) and all(len(a) == len(b) and all(map(alike, a, b)) for a, b in zip(ours, theirs))


def arguments(description):
    """Which servers are compared, and how often each is asked."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--postgres", default="/usr/lib/postgresql/15/bin", help="directory of its programs")
    parser.add_argument("--pg-port", type=int, default=54330)
    parser.add_argument("--pg-user", default="postgres", help="who runs it where this is run as root")
    parser.add_argument("--pg-workers", type=int, default=0, help="its parallel workers for a query")
    parser.add_argument("--runs", type=int, default=3)
    return parser


def main():
    parser = arguments(__doc__)
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--limit", type=int, default=30, help="seconds for a query")
    parser.add_argument("--only", help="numbers of queries, with commas between")
    parser.add_argument("--directory", type=pathlib.Path)
    parser.add_argument("--no-indexes", action="store_true")
    parser.add_argument("--plans", action="store_true", help="print the operators of each plan")
    parser.add_argument("--duckdb", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tpch-") as temporary:
        directory = (options.directory or pathlib.Path(temporary)).resolve()
        directory.mkdir(exist_ok=True)
        directory.chmod(0o755)
        if measure(options, directory):
            sys.exit(1)


def measure(options, directory):
    if not (directory / "lineitem.tbl").exists():
        Generator(options.scale).write(directory)
    indexes = {} if options.no_indexes else INDEXES
    fresh = not (directory / "heddle").exists()
    heddle, peer = Heddle(options, directory), Peer(options, directory)
    wrong = 0
    try:
        for server, is_new in ((heddle, fresh), (peer, peer.made)):
            started = time.monotonic()
            if is_new:
                server.load(directory, indexes)
                print(f"{type(server).__name__.lower()} loaded in {time.monotonic() - started:.1f} s", flush=True)
        third = duck(directory) if options.duckdb else None
        print(f"{'':4}{'Heddle':>10}{'CPU':>8}{'PostgreSQL':>12}{'CPU':>8}{'ratio':>8}  {'answer':8}{'expected':>12}{'came':>12}  worst operator", flush=True)
        ratios = []
        for number, text in queries(options.scale).items():
            if options.only and str(number) not in options.only.split(","):
                continue
            ours, theirs = [], []
            for _ in range(options.runs):
                for runs, server, query in ((ours, heddle, text), (theirs, peer, postgres(text))):
                    if None not in runs:
                        runs.append(server.run(query))
            shown = []
            for runs in (ours, theirs):
                shown.append(None if None in runs else statistics.median(run[1] for run in runs))
            answer = "-"
            if shown[0] and shown[1]:
                answer = "same" if same(ours[0][0], theirs[0][0]) else "DIFFERS"
            if shown[0] and third:
                rows = ["|".join(map(str, row)).replace("None", "NULL") for row in third.execute(postgres(text)).fetchall()]
                answer = answer if same(ours[0][0], rows) else "DIFFERS"
            wrong += answer == "DIFFERS"
            operators = heddle.plan(text) if shown[0] else []
            worst = max(operators, key=error, default=None)
            ratio = shown[0] / shown[1] if shown[0] and shown[1] else None
            ratios += [ratio] if ratio else []
            over = f"over {options.limit} s"
            times = [f"{ms:.1f}" if ms else over for ms in shown]
            spent = ["-" if None in runs else f"{statistics.median(run[2] for run in runs):.0f}" for runs in (ours, theirs)]
            told = f"{worst[3]:>12.0f}{worst[4]:>12.0f}  {worst[1]}" if worst else ""
            print(f"Q{number:<3}{times[0]:>10}{spent[0]:>8}{times[1]:>12}{spent[1]:>8}{f'{ratio:.2f}' if ratio else '-':>8}  {answer:8}{told}", flush=True)
            for depth, name, does, expected, came, spent_ms in operators if options.plans else []:
                rows = f"{expected:.0f}" if came is None else f"{expected:.0f} / {came:.0f}"
                print(f"{spent_ms:>14} ms{rows:>24}  {'  ' * depth}{name}{does[:200]}")
        if ratios:
            print(f"geometric mean of {len(ratios)} ratios: {statistics.geometric_mean(ratios):.2f}")
    finally:
        heddle.server.stop()
        peer.server.stop()
    return wrong


if __name__ == "__main__":
    main()
