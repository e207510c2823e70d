#!/usr/bin/env python3
"""CREATE INDEX beside PostgreSQL without parallel workers, and what ten sessions that write wait while one is made ONLINE (there: CONCURRENTLY).

    bench/index_builds.py --heddle target/release/heddle --postgres /usr/lib/postgresql/15/bin --rows 1000000 --rows 20000000
    bench/index_builds.py --rows 20000000 --memory 256MB

The table is that of growth.py. Printed: seconds, medians of --runs, their ratio, and the most memory that the server had; then of the writers the
operations a second and the 99th percentile in milliseconds, without a build and beside builds that follow one another, and how many these were.
Afterwards DBCC CHECKTABLE (there: the rows counted by the index) must find the last index whole.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import growth
import tpch
from fairness import PASSWORD

KINDS = {
    "two integers": "(g, x)",
    "unique": "(k)",
    "texts": "(s)",
    "covering": "(x) INCLUDE (s, d)",
}
WRITE = """CREATE PROCEDURE written AS SET NOCOUNT ON; DECLARE @id int = ABS(CHECKSUM(NEWID())) % {rows};
UPDATE b{rows} SET g += 1, s = CONCAT('99-', @id % 5000, '+', @id) WHERE id = @id"""
PG_WRITE = "\\set id random(0, {last})\nupdate b{rows} set g = g + 1, s = concat('99-', cast(:id as int) % 5000, '+', cast(:id as int)) where id = :id;\n"
SESSIONS = 10


def peak_mb(pids):
    """The most memory of their own that processes have had, in MB: what they share is counted once by nobody."""
    of = 0
    for pid in pids:
        try:
            lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:
            continue
        held = dict(line.split(":", 1) for line in lines if ":" in line)
        of = max(of, int(held.get("VmHWM", "0 kB").split()[0]) / 1024)
    return of


def built(options, heddle, peer, rows):
    """Lines of the kinds of indexes."""
    for name, of in KINDS.items():
        unique = "UNIQUE " if name == "unique" else ""
        ours, theirs = [], []
        for _ in range(options.runs):
            ours.append(heddle.run(f"CREATE {unique}INDEX made ON b{rows} {of}")[1] / 1e3)
            heddle.sql(f"DROP INDEX made ON b{rows}")
            began = time.monotonic()
            peer.server.sql(f"create {unique}index made on b{rows} {of}".lower())
            theirs.append(time.monotonic() - began)
            peer.server.sql("drop index made")
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"{rows:>11,} {name:14} {a:8.2f} {b:8.2f} {a / b:6.2f}   peak {peak_mb([heddle.server.process.pid]):.0f} MB", flush=True)


class Builder(threading.Thread):
    """Builds an index again and again, until it is told to end."""

    def __init__(self, build, drop):
        super().__init__()
        self.build, self.drop, self.ends, self.builds, self.failed = build, drop, threading.Event(), 0, None
        self.start()

    def run(self):
        try:
            while True:
                self.build()
                self.builds += 1
                if self.ends.is_set():
                    return
                self.drop()
        except Exception as error:  # Told by `stop`.
            self.failed = error

    def stop(self):
        self.ends.set()
        self.join()
        if self.failed:
            raise self.failed
        return self.builds


def written_here(options, heddle):
    load = ["-d", heddle.database, "--rpc", "dbo.written", "-n", str(SESSIONS), "--duration", str(options.seconds), "-q", "--no-progress", "--json", "-"]
    said = json.loads(heddle.server.tool(options.heddle, "stress", *load))
    return said["iterations"] / said["seconds"], said["latency_ms"]["p99"]


def written_there(options, peer, rows, directory):
    script = directory / "written.sql"
    script.write_text(PG_WRITE.format(rows=rows, last=rows - 1))
    log = directory / "log"
    log.mkdir(exist_ok=True)
    log.chmod(0o777)
    for old in log.iterdir():
        old.unlink()
    peer.server.run("pgbench", "-n", "-M", "prepared", "-c", str(SESSIONS), "-j", "2", "-T", str(options.seconds), "-l", f"--log-prefix={log}/of", "-f", str(script),
                    capture_output=True, check=True)
    waits = sorted(int(line.split()[2]) for file in log.iterdir() for line in file.read_text().splitlines())
    return len(waits) / options.seconds, waits[len(waits) * 99 // 100] / 1e3


def beside(options, heddle, peer, rows, directory):
    """Writers without and with builds."""
    heddle.sql("EXEC(N'" + WRITE.format(rows=rows).replace("'", "''") + "')")
    make = (lambda: heddle.sql(f"CREATE INDEX online ON b{rows} (g, s) WITH (ONLINE = ON)"), lambda: heddle.sql(f"DROP INDEX online ON b{rows}"))
    make_there = (lambda: peer.server.sql(f"create index concurrently online on b{rows} (g, s)"), lambda: peer.server.sql("drop index concurrently online"))
    for name, write, (build, drop) in (("here", lambda: written_here(options, heddle), make), ("there", lambda: written_there(options, peer, rows, directory), make_there)):
        alone = write()
        builder = Builder(build, drop)
        with_builds = write()
        builds = builder.stop()
        print(f"{rows:>11,} writers {name:6} alone {alone[0]:9.0f}/s p99 {alone[1]:7.2f} ms   beside {with_builds[0]:9.0f}/s p99 {with_builds[1]:7.2f} ms   {builds} builds", flush=True)
    wrong = subprocess.run([options.heddle, "sql", "-S", heddle.server.address, "-U", "sa", "-P", PASSWORD, "-b", "-d", heddle.database,
                            "-Q", f"DBCC CHECKTABLE ('b{rows}') WITH NO_INFOMSGS"], capture_output=True, text=True)
    counted = peer.server.sql(f"set enable_seqscan = off; select count(*) from b{rows} where g >= 0").strip()
    return wrong.returncode != 0 or wrong.stdout.strip() or int(counted) != rows


def main():
    parser = tpch.arguments(__doc__)
    parser.add_argument("--rows", type=int, action="append", help="1,000,000 where none is given")
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--limit", type=int, default=600, help="seconds for a statement")
    parser.add_argument("--seconds", type=int, default=10, help="of writers")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="index-builds-") as temporary:
        directory = pathlib.Path(temporary).resolve()
        directory.chmod(0o755)
        heddle, peer = growth.Heddle(options, directory), growth.Peer(options, directory)
        wrong = False
        try:
            heddle.load(directory, {})
            print(f"{'rows':>11} {'index':14} {'heddle s':>8} {'pg s':>8} {'ratio':>6}")
            for rows in options.rows or [1_000_000]:
                for server in (heddle, peer):
                    server.fill(rows)
                built(options, heddle, peer, rows)
                wrong |= bool(beside(options, heddle, peer, rows, directory))
        finally:
            heddle.server.stop()
            peer.server.stop()
    if wrong:
        sys.exit("an index is not whole")


if __name__ == "__main__":
    main()
