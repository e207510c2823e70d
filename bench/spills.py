#!/usr/bin/env python3
"""Queries that hold more than there is memory for, beside PostgreSQL with the same memory: sort, hash join, groups, distinct, window, index build,
table variable, each alone and several at once. Answers are compared, and so is time.

    bench/spills.py --heddle target/release/heddle --postgres /usr/lib/postgresql/15/bin --rows 1000000
    bench/spills.py --rows 25000000 --memory 256MB --cgroup 600MB --sessions 8 --directory /data

A row has some 400 bytes: 25 million of them are 10 GB. --cgroup: each server in a control group with so much memory, page cache included (version 1 of
control groups, and the right to make one). PostgreSQL has half of --memory as shared_buffers and the other half as work_mem, divided by the number of
sessions, and no parallel workers. Printed: seconds, their ratio, and the most memory of its own that the server was seen to have, looked at ten
times a second (for PostgreSQL the sum of what its processes have, and its buffers), and for Heddle what was spilled.
Several at once: each session takes its own share of the rows, so that as much is spilled as by one alone.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from fairness import PASSWORD, Server
from side_by_side import Postgres

CHUNK = 250_000

TABLE = "CREATE TABLE big (id int NOT NULL PRIMARY KEY, g int NOT NULL, v int NOT NULL, t varchar(500) {collate} NOT NULL)"
ROW = "{n}, {n} % 1009, CAST(CAST({n} AS bigint) * 7919 % {prime} AS int), CONCAT(CAST({n} AS bigint) * 104729 % {prime}, {repeat}('x', 350 + {n} % 80))"

# {of}: which rows. What is computed is the same number in both dialects.
QUERIES = {
    "sort": "SELECT SUM(CAST(n % 1000 AS bigint) * (id % 97)) FROM (SELECT id, LEN(t) AS l, ROW_NUMBER() OVER (ORDER BY t DESC, id) AS n FROM big WHERE {of}) AS x",
    "join": "SELECT COUNT_BIG(*), SUM(CAST(LEN(a.t) + LEN(b.t) AS bigint)) FROM big AS a JOIN big AS b ON a.v = b.v AND a.t = b.t WHERE {of_a} AND {of_b}",
    "group": "SELECT SUM(n), COUNT_BIG(*), SUM(CAST(LEN(m) AS bigint)) FROM (SELECT v, COUNT_BIG(*) AS n, MAX(t) AS m FROM big WHERE {of} GROUP BY v) AS x",
    "distinct": "SELECT COUNT_BIG(*), SUM(CAST(LEN(t) AS bigint)) FROM (SELECT DISTINCT t, g FROM big WHERE {of}) AS x",
    "window": "SELECT SUM(s), SUM(CAST(LEN(f) AS bigint)) FROM (SELECT SUM(CAST(v AS bigint)) OVER (PARTITION BY g ORDER BY t, id ROWS 10 PRECEDING) AS s, "
              "LAG(t) OVER (PARTITION BY g ORDER BY t, id) AS f FROM big WHERE {of}) AS x",
}
# They make something, which is looked at afterwards. {n}: the session's number.
BUILDS = {
    "index": ("CREATE INDEX by_t{n} ON big (t){where}", "SELECT COUNT_BIG(*) FROM big WHERE t LIKE '1%'", "DROP INDEX by_t{n} ON big"),
    "table": ("DECLARE @t TABLE (id int NOT NULL, t varchar(500) NOT NULL); INSERT @t SELECT id, t FROM big WHERE {of}; "
              "SELECT COUNT_BIG(*), SUM(CAST(LEN(t) AS bigint)) FROM @t", None, None),
}
POSTGRES_TABLE = "CREATE TEMP TABLE made AS SELECT id, t FROM big WHERE {of}; SELECT COUNT_BIG(*), SUM(CAST(LEN(t) AS bigint)) FROM made"

SPILLED = "SET NOCOUNT ON; SELECT COALESCE(SUM(total_spills), 0) * 8 / 1024 FROM sys.dm_exec_query_stats"


def translated(text):
    """The same for PostgreSQL."""
    text = re.sub(r"COUNT_BIG", "COUNT", text)
    text = re.sub(r"\bLEN\(", "length(", text)
    return re.sub(r" ON big$", "", text) if text.startswith("DROP") else text


def share(sessions, number, alias=""):
    column = f"{alias}.id" if alias else "id"
    return f"{column} % {sessions} = {number}"


def filled(text, sessions, number, rows):
    first, end = (rows * part // sessions for part in (number, number + 1))
    where = f" WHERE id >= {first} AND id < {end}" if sessions > 1 else ""
    of, of_a, of_b = (share(sessions, number, alias) for alias in ("", "a", "b"))
    return text.format(of=of, of_a=of_a, of_b=of_b, where=where, n=number)


def prime_from(rows):
    """At least so large, for every value of v once, and of t."""
    return next(n for n in range(rows | 1, rows * 2 + 9, 2) if all(n % k for k in range(3, int(n**0.5) + 1, 2)))


def megabytes(text):
    number, unit = re.fullmatch(r"(\d+)(MB|GB)", text).groups()
    return int(number) * (1024 if unit == "GB" else 1)


def status_kb(process, name):
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB", pathlib.Path(f"/proc/{process}/status").read_text(), re.M)
    except OSError:
        found = None
    return int(found[1]) if found else 0


class Group:
    """A control group of memory, with all processes that those in it start."""

    def __init__(self, name, limit):
        self.path = pathlib.Path("/sys/fs/cgroup/memory") / f"heddle-{name}-{os.getpid()}"
        self.path.mkdir()
        (self.path / "memory.limit_in_bytes").write_text(str(megabytes(limit) << 20))

    def take(self, *processes):
        for process in processes:
            (self.path / "cgroup.procs").write_text(str(process))

    def killed(self):
        return int(re.search(r"oom_kill (\d+)", (self.path / "memory.oom_control").read_text())[1])

    def remove(self):
        self.path.rmdir()


class Heddle:
    name = "Heddle"

    def __init__(self, options, directory):
        self.options = options
        self.server = Server(options.heddle, ["--memory", options.memory], str(directory / "heddle"))
        self.group = Group("spills", options.cgroup) if options.cgroup else None
        if self.group:
            self.group.take(self.server.process.pid)
        self.client = ["sql", "-S", self.server.address, "-U", "sa", "-P", PASSWORD, "-b", "-h", "-1", "-W"]
        self.ask("CREATE DATABASE spills", "master")
        self.ask("ALTER DATABASE spills SET RECOVERY SIMPLE", "master")
        self.ask(TABLE.format(collate="COLLATE Latin1_General_BIN2"))
        for first in range(0, options.rows, CHUNK):
            row = ROW.format(n="value", prime=options.prime, repeat="REPLICATE")
            self.ask(f"INSERT big SELECT {row} FROM GENERATE_SERIES({first}, {min(first + CHUNK, options.rows) - 1})")

    def ask(self, text, database="spills"):
        command = [self.options.heddle, *self.client, "-d", database, "-Q", "SET NOCOUNT ON; SET ANSI_WARNINGS OFF; " + text]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{text[:500]}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout.split()

    def text(self, name, sessions, number):
        return filled(QUERIES.get(name) or BUILDS[name][0], sessions, number, self.options.rows)

    def own_mb(self):
        """Of now: pages that are the process's own, and pages of its buffer."""
        return (status_kb(self.server.process.pid, "RssAnon") + status_kb(self.server.process.pid, "RssShmem")) / 1024

    def spilled_mb(self):
        return int(self.ask(SPILLED)[0])

    def stop(self):
        self.server.stop()
        if self.group:
            self.group.remove()


class Beside:
    name = "PostgreSQL"

    def __init__(self, options, directory, sessions):
        self.server = Postgres(options.postgres, options.postgres_port, directory, options.postgres_user, "tcp", None)
        half = megabytes(options.memory) // 2
        self.work_mem = half // sessions
        for setting in [f"shared_buffers = '{half}MB'", f"work_mem = '{self.work_mem}MB'", "hash_mem_multiplier = 1.0", "max_wal_size = '1GB'",
                        f"maintenance_work_mem = '{self.work_mem}MB'", "max_parallel_maintenance_workers = 0"]:
            self.server.sql(f"ALTER SYSTEM SET {setting}")
        self.server.run("pg_ctl", "-D", str(self.server.directory / "data"), "-l", str(self.server.directory / "log"), "-w", "restart", check=True)
        self.postmaster = int((self.server.directory / "data/postmaster.pid").read_text().split()[0])
        self.rows, self.half = options.rows, half
        self.group = Group("spills-pg", options.cgroup) if options.cgroup else None
        if self.group:
            self.group.take(*self.processes())
        row = ROW.format(n="g", prime=options.prime, repeat="repeat")
        self.server.sql(TABLE.format(collate='COLLATE "C"'))
        for first in range(0, options.rows, CHUNK):
            self.server.sql(f"INSERT INTO big SELECT {row} FROM generate_series({first}, {min(first + CHUNK, options.rows) - 1}) AS g")
        self.server.sql("VACUUM ANALYZE big")

    def processes(self):
        children = pathlib.Path(f"/proc/{self.postmaster}/task/{self.postmaster}/children").read_text().split()
        return [self.postmaster, *map(int, children)]

    def ask(self, text):
        return re.split(r"[\s|]+", self.server.sql(text).strip())

    def text(self, name, sessions, number):
        text = POSTGRES_TABLE if name == "table" else QUERIES.get(name) or BUILDS[name][0]
        return translated(filled(text, sessions, number, self.rows))

    def own_mb(self):
        return self.half + sum(status_kb(process, "RssAnon") for process in self.processes()) / 1024

    def stop(self):
        self.server.stop()
        if self.group:
            self.group.remove()


def run(engine, name, sessions):
    """Seconds, MB at most, answers."""
    answers, failed, most, over = [None] * sessions, [], [0.0], threading.Event()

    def one(number):
        try:
            answers[number] = engine.ask(engine.text(name, sessions, number))
        except (SystemExit, RuntimeError) as error:
            failed.append(str(error))

    def look():
        while not over.wait(0.1):
            most[0] = max(most[0], engine.own_mb())

    looks = threading.Thread(target=look)
    looks.start()
    begun = time.monotonic()
    threads = [threading.Thread(target=one, args=(number,)) for number in range(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - begun
    over.set()
    looks.join()
    if failed:
        raise SystemExit(f"{engine.name}: {name}: {failed[0]}")
    _, after, undone = BUILDS.get(name, (None, None, None))
    if after:
        ask = engine.ask if engine.name == "Heddle" else lambda text: engine.ask(translated(text))
        answers = [ask(after)]
        for number in range(sessions):
            ask(undone.format(n=number))
    return took, most[0], answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--postgres", help="directory of PostgreSQL's programs; without it Heddle alone")
    parser.add_argument("--postgres-port", type=int, default=54332)
    parser.add_argument("--postgres-user", default="postgres", help="who runs it, where this script is root's")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--memory", default="256MB")
    parser.add_argument("--cgroup", help="memory of each server's control group, page cache included")
    parser.add_argument("--sessions", type=int, action="append", help="1 and 8 where none is given")
    parser.add_argument("--only", action="append", choices=[*QUERIES, *BUILDS])
    parser.add_argument("--directory", help="where the servers' data lies for a while")
    options = parser.parse_args()
    options.prime = prime_from(options.rows)
    wrong = False
    for sessions in options.sessions or [1, 8]:
        with tempfile.TemporaryDirectory(dir=options.directory) as directory:
            pathlib.Path(directory).chmod(0o755)
            engines = [Heddle(options, pathlib.Path(directory))]
            try:
                if options.postgres:
                    engines.append(Beside(options, pathlib.Path(directory), sessions))
                for name in options.only or [*QUERIES, *BUILDS]:
                    wrong |= compare(engines, name, sessions)
                if engines[0].group:
                    print(f"killed for memory: {[engine.group.killed() for engine in engines]}")
            finally:
                for engine in engines:
                    engine.stop()
    sys.exit(wrong)


def compare(engines, name, sessions):
    """Whether the answers differ."""
    heddle, before = engines[0], engines[0].spilled_mb()
    results = [run(engine, name, sessions) for engine in engines]
    (took, most, answers), spilled = results[0], heddle.spilled_mb() - before
    line = f"{name:9} {sessions:2} at once   {took:8.2f} s   {most:5.0f} MB, spilled {spilled:6} MB"
    if len(results) > 1:
        beside, their, theirs = results[1]
        line += f"   PostgreSQL {beside:8.2f} s, {their:5.0f} MB   {took / beside:5.2f}   {'same answers' if answers == theirs else f'{answers} and {theirs}'}"
    print(line, flush=True)
    return len(results) > 1 and answers != results[1][2]


if __name__ == "__main__":
    main()
