#!/usr/bin/env python3
"""What the first call of a procedure costs more than the next one, in the loops of `bench/native.py`: binding its statements, and if it is natively
compiled and its code is not switched off, making the machine code.

    bench/compile_time.py --heddle target/release/heddle

Each procedure is made many times over by different names; each of these is called twice for no rows. Printed: milliseconds a procedure, the
least of the rounds, with the code and without; the difference is what the code takes to make.
"""

import argparse

from fairness import Server
from native import KEYS, LOOPS, MEMORY, TABLES, procedure

SETUP = [
    ("master", "CREATE DATABASE bench"),
    ("master", "EXEC sp_configure 'show advanced options', 1; RECONFIGURE"),
    ("bench", "ALTER DATABASE bench SET DELAYED_DURABILITY = ALLOWED; ALTER DATABASE bench SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON"),
]


class Compiled:
    def __init__(self, options):
        self.options = options
        self.server = Server(options.heddle, ["--memory", "2GB"])
        for database, text in SETUP:
            self.sql(text, database)
        for place in ("memory", "ordered"):
            memory = MEMORY.format(durability="SCHEMA_AND_DATA")
            self.sql(f"CREATE TABLE dbo.{place} (c1 bigint NOT NULL {KEYS[place].format(buckets=1024)}, {TABLES['narrow']}) {memory}")

    def sql(self, query, database="bench"):
        return self.server.tool(self.options.heddle, "sql", "-b", "-h", "-1", "-W", "-d", database, "-Q", query)

    def calls_ms(self, names):
        calls = " ".join(f"EXEC dbo.{name} 0, 0;" for name in names)
        answer = self.sql(f"SET NOCOUNT ON; DECLARE @t datetime2 = SYSDATETIME(); {calls} SELECT DATEDIFF_BIG(microsecond, @t, SYSDATETIME())")
        return int(answer.split()[-1]) / 1e3 / len(names)

    def first_call_ms(self, loop, prefix, native):
        self.sql(f"EXEC sp_configure 'native code enabled', {int(native)}; RECONFIGURE")
        text = LOOPS[loop].format(table="dbo.ordered" if loop == "range" else "dbo.memory", keys=1000)
        names = [f"{prefix}_{number}" for number in range(self.options.procedures)]
        for name in names:
            self.sql(procedure(name, text, True))
        return self.calls_ms(names) - self.calls_ms(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--procedures", type=int, default=10, help="made of each kind in each round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    compiled = Compiled(options)
    try:
        least = {}
        for number in range(options.rounds):
            for loop in LOOPS:
                for native in (True, False):
                    taken = compiled.first_call_ms(loop, f"{loop}_{number}_{int(native)}", native)
                    least[loop, native] = min(least.get((loop, native), taken), taken)
        for loop in LOOPS:
            code, bound = least[loop, True], least[loop, False]
            print(f"{loop:7} first call {code:6.2f} ms, interpreted {bound:6.2f} ms, machine code {code - bound:6.2f} ms")
    finally:
        compiled.server.stop()


if __name__ == "__main__":
    main()
