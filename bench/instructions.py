#!/usr/bin/env python3
"""Instructions a row of the loops of `bench/native.py`, natively compiled and interpreted: each one counted, so (nearly) the same in every
run, whatever else the machine does. Needs Linux on x86-64 and nm; neither hardware counters nor valgrind, which has too few addresses.

    cargo build --profile bench-dev --example instructions -p heddle
    bench/instructions.py --program target/bench-dev/examples/instructions

A whole server runs in the simulated machine (`crates/heddle/examples/instructions.rs`), on one thread, and this script makes that thread stop
after each instruction. A procedure is called to warm up, then for N and for 2N rows: what the last call executes more than the one before,
by N, is a row's share of everything, the log included; `a call` is the rest of the call for N rows, from the packet that asks to the one
that answers. --place pages: tables on pages, which native modules cannot use, all rows of a call in one transaction; --rcsi: with
READ_COMMITTED_SNAPSHOT. `call` is a loop of T-SQL that calls an empty procedure: a row is such a call there. `asked` and `told` are batches
of one statement, a SELECT and an INSERT of one row: a row is a batch, from the packet that asks to the one that answers. --ordinary: by a
login that has been granted what these loops need, and no more. The client's functions and the simulated
machine's own are not counted. --profile tells in which functions the instructions are. A million of them take half a minute on a busy
machine: hence the small N.
"""

import argparse
import bisect
import collections
import ctypes
import os
import pathlib
import signal
import subprocess
import tempfile

from native import ATOMIC, BUCKETS_A_ROW, KEYS, LOOPS, MEMORY, TABLES, procedure

WAYS = ("native", "interpreted")
PLACES = {"memory": WAYS, "pages": WAYS[1:]}
# A batch each: the cache of statements has its text.
BATCHES = {"asked": "SELECT c2 FROM dbo.numbered WHERE c1 = 5", "told": "INSERT dbo.numbered (c3) VALUES (1)"}
BATCHES_BEFORE = 20
# `instructions.rs` logs in with sa's password.
ORDINARY, PASSWORD = "ordinary", "Simulated-1"
# What differs from call to call by chance is more than a turn of these loops: they get more of them.
TIMES = {"empty": 20, "read": 4}
# Functions that a real server does not have, and those that belong to whoever calls them.
APART = ("os::sim", "os::net::sim", "os::disk::sim", "lab::", "tds::client", "tds::token::TokenReader", "instructions::")
HELPERS = ("libc.so", "alloc::", "core::", "__r")
# Called for so many rows: the difference of the last two counts.
CALLS = ("warm", "once", "twice")

TRACE_ME, PEEK_TEXT, PEEK_USER, POKE_TEXT, POKE_USER, CONTINUE, STEP = 0, 1, 3, 4, 6, 7, 9
INSTRUCTION_POINTER = 16 * 8
BREAKPOINT = 0xCC

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
LIBC.ptrace.restype = ctypes.c_long


class Traced:
    """A program that stops where it enters `mark`."""

    def __init__(self, command, mark):
        # It must not be traced without anybody who goes on with it, nor run on another CPU than this script: they take turns.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        self.process = subprocess.Popen(command, preexec_fn=lambda: LIBC.ptrace(TRACE_ME, 0, None, None))
        self.pid = self.process.pid
        self.wait()
        symbols = subprocess.run(["nm", "-C", command[0]], check=True, capture_output=True, text=True).stdout
        symbols = [line.split(" ", 2) for line in symbols.splitlines() if line[:1] != " "]
        symbols = sorted((int(address, 16), name) for address, kind, name in symbols if kind in "tTwW")
        self.program = os.path.realpath(command[0])
        self.base = next(start for start, _, name in self.mappings() if name == self.program)
        # The mapping that was looked at last: where it begins and ends, and its name.
        self.place = None
        self.starts, self.names = [start for start, _ in symbols], [name for _, name in symbols]
        self.mark = self.base + next(start for start, name in symbols if mark in name)

    def mappings(self):
        for line in pathlib.Path(f"/proc/{self.pid}/maps").read_text().splitlines():
            fields = line.split(None, 5)
            start, end = (int(address, 16) for address in fields[0].split("-"))
            yield start, end, fields[5] if len(fields) > 5 else "machine code"

    def ask(self, request, address=None, data=None):
        return LIBC.ptrace(request, self.pid, address, data)

    def wait(self):
        """The signal that it stopped for, 0 for the one that this script causes."""
        _, status = os.waitpid(self.pid, 0)
        if not os.WIFSTOPPED(status):
            raise SystemExit(f"the program has ended, status {status}")
        stopped_by = os.WSTOPSIG(status)
        return 0 if stopped_by == signal.SIGTRAP else stopped_by

    def run_to_mark(self):
        text = self.ask(PEEK_TEXT, self.mark)
        self.ask(POKE_TEXT, self.mark, text & ~0xFF & 0xFFFFFFFFFFFFFFFF | BREAKPOINT)
        passed_on = 0
        while True:
            self.ask(CONTINUE, None, passed_on)
            passed_on = self.wait()
            if passed_on == 0:
                break
        self.ask(POKE_TEXT, self.mark, text & 0xFFFFFFFFFFFFFFFF)
        self.ask(POKE_USER, INSTRUCTION_POINTER, self.mark)

    def count_to_mark(self):
        """How often each instruction of the server is executed until the mark comes again, by address."""
        counts, ask, pid, mark, waitpid = collections.Counter(), LIBC.ptrace, self.pid, self.mark, os.waitpid
        trapped = signal.SIGTRAP << 8 | 0x7F
        passed_on, last = None, None
        # By address: True for the simulated machine's, None for a helper's, which are those of who ran before.
        whose, apart = {}, False
        while True:
            ask(STEP, pid, None, passed_on)
            _, status = waitpid(pid, 0)
            passed_on = None
            if status != trapped:
                if not os.WIFSTOPPED(status):
                    raise SystemExit(f"the program has ended, status {status}")
                passed_on = os.WSTOPSIG(status)
                continue
            at = ask(PEEK_USER, pid, INSTRUCTION_POINTER, None)
            # An instruction that repeats itself (`rep movsb` copies) stops at each turn, and is one.
            if at != last:
                if at not in whose:
                    name = self.function_at(at)
                    whose[at] = None if name.startswith(HELPERS) else any(part in name for part in APART)
                if whose[at] is not None:
                    apart = whose[at]
                if not apart:
                    counts[at] += 1
                last = at
            if at == mark:
                return counts

    def function_at(self, at):
        if not self.place or not self.place[0] <= at < self.place[1]:
            self.place = next((start, end, name) for start, end, name in self.mappings() if start <= at < end)
        name = self.place[2]
        if name == self.program:
            name = self.names[bisect.bisect(self.starts, at - self.base) - 1]
        return os.path.basename(name) if name.startswith("/") else name

    def by_function(self, counts):
        functions = collections.Counter()
        for at, count in counts.items():
            functions[self.function_at(at)] += count
        return functions


def setup(options):
    yield "CREATE DATABASE bench"
    yield "USE bench; ALTER DATABASE bench SET DELAYED_DURABILITY = ALLOWED; ALTER DATABASE bench SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON"
    yield f"ALTER DATABASE bench SET READ_COMMITTED_SNAPSHOT {'ON' if options.rcsi else 'OFF'}"
    in_memory, columns = options.place == "memory", TABLES[options.width]
    memory = MEMORY.format(durability=options.durability) if in_memory else ""
    for table, key in {"hashed": "memory", "ordered": "ordered"}.items():
        key = KEYS[key if in_memory else "disk"].format(buckets=BUCKETS_A_ROW * 10 * options.warm * len(WAYS))
        yield f"CREATE TABLE dbo.{table} (c1 bigint NOT NULL {key}, {columns}) {memory}"
        if table == "ordered":
            yield f"INSERT dbo.{table} (c1) SELECT value FROM GENERATE_SERIES(0, {options.warm + 10})"
    for way in PLACES[options.place]:
        for loop, statement in LOOPS.items():
            table = "dbo.ordered" if loop == "range" else "dbo.hashed"
            yield procedure(f"{loop}_{way}", statement.format(table=table, keys=options.warm), way == "native")
    if in_memory:
        yield f"CREATE PROCEDURE dbo.callee_native @i bigint WITH NATIVE_COMPILATION, SCHEMABINDING AS {ATOMIC} DECLARE @j bigint = @i; END"
    yield "CREATE PROCEDURE dbo.callee_interpreted @i bigint AS SET NOCOUNT ON; DECLARE @j bigint = @i;"
    for way in PLACES[options.place]:
        call = f"EXEC dbo.callee_{way} @i;"
        yield procedure(f"call_{way}", call, False).replace("BEGIN TRAN;", "").replace("COMMIT WITH (DELAYED_DURABILITY = ON)", "")
    yield f"CREATE TABLE dbo.numbered (c1 bigint IDENTITY NOT NULL {KEYS['ordered' if in_memory else 'disk']}, {columns}) {memory}"
    for _ in range(BATCHES_BEFORE):
        yield BATCHES["told"]
    if options.ordinary:
        yield f"CREATE LOGIN {ORDINARY} WITH PASSWORD = '{PASSWORD}', DEFAULT_DATABASE = bench; CREATE USER {ORDINARY} FOR LOGIN {ORDINARY}"
        yield f"GRANT EXECUTE, SELECT, INSERT ON SCHEMA::dbo TO {ORDINARY}"


def measured(options):
    """Each way has keys of its own, and each call of INSERT; all others find the rows of its first."""
    only_batches = options.batch and not (options.way or options.loop)
    for way in [] if only_batches else options.way or PLACES[options.place]:
        base = 10 * options.warm * WAYS.index(way)
        for loop in options.loop or [*LOOPS, "call"]:
            first, once = base, options.rows * TIMES.get(loop, 1)
            rows = {"warm": options.warm, "once": once, "twice": 2 * once}
            if loop != "insert" and options.loop:
                yield None, f"INSERT dbo.hashed (c1) SELECT value FROM GENERATE_SERIES({base}, {base + options.warm - 1}) WHERE value NOT IN (SELECT c1 FROM dbo.hashed)"
            for call in CALLS:
                key = (way, loop, call) if call != "warm" else None
                yield key, f"EXEC dbo.{loop}_{way} {first}, {rows[call]}"
                first += rows[call] if loop == "insert" else 0
    for loop in options.batch or ([] if options.loop or options.way else BATCHES):
        for number in range(BATCHES_BEFORE + options.rows):
            yield ("batch", loop, "once") if number >= BATCHES_BEFORE else None, BATCHES[loop]


def count(options, directory):
    batches = list(measured(options))
    for name, texts in {"setup": setup(options), "measured": [text for _, text in batches]}.items():
        (directory / name).write_text("\nGO\n".join(texts))
    login = [ORDINARY] if options.ordinary else []
    traced = Traced([options.program, directory / "setup", directory / "measured", *login], "between_batches")
    try:
        traced.run_to_mark()
        for key, _ in batches:
            if key is None:
                traced.ask(STEP)
                traced.wait()
                traced.run_to_mark()
            else:
                yield key, traced.by_function(traced.count_to_mark())
    finally:
        traced.process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/bench-dev/examples/instructions")
    parser.add_argument("--rows", type=int, default=100, help="N; more of loops that do little")
    parser.add_argument("--warm", type=int, default=10_000, help="rows of the call before; so many are read and updated, at random")
    parser.add_argument("--way", choices=WAYS, action="append", help="only this one")
    parser.add_argument("--loop", choices=[*LOOPS, "call"], action="append", help="only this one")
    parser.add_argument("--batch", choices=BATCHES, action="append", help="only this one")
    parser.add_argument("--ordinary", action="store_true", help="by a login that may do what is measured and no more")
    parser.add_argument("--place", choices=PLACES, default="memory", help="of the tables")
    parser.add_argument("--rcsi", action="store_true", help="READ_COMMITTED_SNAPSHOT ON")
    parser.add_argument("--width", choices=TABLES, default="narrow")
    parser.add_argument("--durability", choices=["SCHEMA_AND_DATA", "SCHEMA_ONLY"], default="SCHEMA_AND_DATA")
    parser.add_argument("--profile", type=int, metavar="LINES", default=0, help="functions to show of each loop, those with the most instructions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        rows, once, batches = {}, None, {}
        for (way, loop, call), functions in count(options, pathlib.Path(directory)):
            if way == "batch":
                batches.setdefault(loop, collections.Counter()).update(functions)
                continue
            if call == "once":
                once = functions
                continue
            total, before = functions.total(), once.total()
            count_of = options.rows * TIMES.get(loop, 1)
            rows[way, loop] = (total - before) / count_of
            ratio = f"   {rows[way, loop] / rows['native', loop]:5.1f}x" if way != "native" and ("native", loop) in rows else ""
            print(f"{options.width:7} {loop:7} {way:11} {rows[way, loop]:8.1f} a row   {2 * before - total:7} a call{ratio}", flush=True)
            functions.subtract(once)
            for name, more in functions.most_common(options.profile):
                print(f"    {more / count_of:8.1f}  {name[:120]}")
        for loop, functions in batches.items():
            print(f"{options.width:7} {loop:7} {'batch':11} {functions.total() / options.rows:8.1f} a row")
            for name, more in functions.most_common(options.profile):
                print(f"    {more / options.rows:8.1f}  {name[:120]}")


if __name__ == "__main__":
    main()
