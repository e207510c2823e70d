#!/usr/bin/env python3
"""A table of ten times the memory: reads by key, updates by key, short ranges, look-ups by an index and whole scans, beside PostgreSQL with the same
memory, each server in a control group of its own that counts the page cache (version 1 of control groups, and the right to make one).

    bench/beyond_memory.py --heddle target/release/heddle --postgres /usr/lib/postgresql/15/bin --rows 50000000 --memory 2GB --cgroup 2500MB
    bench/beyond_memory.py --rows 10000000 --memory 400MB --cgroup 500MB --sessions 1 --sessions 8

The rows are those of spills.py, some 400 bytes each. The system's page cache is dropped before each measurement; half of PostgreSQL's memory are its
buffers. Printed: seconds, their ratio, and whether the answers are the same. Each session has keys of its own.
"""

import argparse
import pathlib
import sys
import tempfile

import spills

# {turns} keys of session {n}, in no order. Sums are the same number in both dialects.
KEY = "CAST((CAST({i} AS bigint) * 104729 + {n} * 15485863) % {rows} AS int)"
LOOPS = {
    "reads by key": ("SELECT @v = LEN(t) FROM big WHERE id = {key}", "select length(t) into own from big where id = {key}"),
    "ranges of 20": ("SELECT @v = SUM(LEN(t)) FROM big WHERE id BETWEEN {key} AND {key} + 19", "select sum(length(t)) into own from big where id between {key} and {key} + 19"),
    "look-ups": ("SELECT @v = LEN(t) FROM big WHERE v = {key}", "select length(t) into own from big where v = {key}"),
    "updates by key": ("SET @v = 1; UPDATE big SET g += 1 WHERE id = {key}", "own := 1; update big set g = g + 1 where id = {key}"),
}
SCANS = {"scan": "SELECT SUM(CAST(LEN(t) AS bigint)) FROM big", "scan of a column": "SELECT SUM(CAST(g AS bigint)) FROM big"}
TSQL = """DECLARE @i int = 0, @v bigint, @s bigint = 0; BEGIN TRAN; WHILE @i < {turns} BEGIN SET @v = 0; {body}; SET @s += @v; SET @i += 1 END; COMMIT; SELECT @s"""
PLPGSQL = """create or replace function looped{n}() returns bigint language plpgsql as $$ declare own bigint; total bigint := 0;
begin for i in 0 .. {turns} - 1 loop own := 0; {body}; total := total + coalesce(own, 0); end loop; return total; end $$; select looped{n}()"""


class Ours(spills.Heddle):
    def __init__(self, options, directory):
        super().__init__(options, directory)
        self.ask("ALTER DATABASE spills SET DELAYED_DURABILITY = FORCED", "master")
        self.ask("CREATE INDEX by_v ON big (v)")

    def text(self, name, sessions, number):
        if name in SCANS:
            return SCANS[name]
        key = KEY.format(i="@i", n=number, rows=self.options.rows)
        return TSQL.format(turns=self.options.turns // sessions, body=LOOPS[name][0].format(key=key))


class Theirs(spills.Beside):
    def __init__(self, options, directory):
        super().__init__(options, directory, 1)
        self.turns = options.turns
        self.server.sql("create index by_v on big (v)")

    def text(self, name, sessions, number):
        if name in SCANS:
            return spills.translated(SCANS[name])
        key = KEY.format(i="i", n=number, rows=self.rows)
        return PLPGSQL.format(turns=self.turns // sessions, n=number, body=LOOPS[name][1].format(key=key))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--postgres", default="/usr/lib/postgresql/15/bin", help="directory of its programs")
    parser.add_argument("--postgres-port", type=int, default=54333)
    parser.add_argument("--postgres-user", default="postgres", help="who runs it, where this script is root's")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--turns", type=int, default=20_000, help="keys of a loop, shared by the sessions")
    parser.add_argument("--memory", default="400MB")
    parser.add_argument("--cgroup", default="500MB", help="memory of each server's control group, page cache included")
    parser.add_argument("--sessions", type=int, action="append", help="1 and 8 where none is given")
    parser.add_argument("--directory", help="where the servers' data lies for a while")
    options = parser.parse_args()
    options.prime = spills.prime_from(options.rows)
    wrong = False
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        pathlib.Path(directory).chmod(0o755)
        engines = [Ours(options, pathlib.Path(directory))]
        try:
            engines.append(Theirs(options, pathlib.Path(directory)))
            for sessions in options.sessions or [1, 8]:
                for name in [*LOOPS, *SCANS]:
                    results = []
                    for engine in engines:
                        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
                        results.append(spills.run(engine, name, sessions))
                    (took, most, answers), (beside, their, theirs) = results
                    same = sorted(answers) == sorted(theirs)
                    wrong |= not same
                    print(f"{name:18} {sessions:2} at once {took:8.2f} s {most:5.0f} MB   PostgreSQL {beside:8.2f} s {their:5.0f} MB   {took / beside:5.2f}   "
                          f"{'same answers' if same else f'{answers} and {theirs}'}", flush=True)
        finally:
            for engine in engines:
                engine.stop()
    sys.exit(wrong)


if __name__ == "__main__":
    main()
