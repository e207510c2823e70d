#!/usr/bin/env python3
"""Do identical clients get the same share? Six of them run the same statement for a fixed time; each counts its own work in a row of
its own. Printed: the counts and the largest by the smallest, for each kind of worker and, where asked, each kernel.

    bench/fairness.py --heddle target/release/heddle
    bench/fairness.py --clients 6 --seconds 10 --work cpu --arguments='--kernel process'

One thread of `heddle stress` drives all six, so that they come to their replies alike. With two (`--client-threads 2`), each with
clients of its own, how often each thread gets a CPU counts as well: on two CPUs the server wants both.

Work: `key` changes a row by its key; `cpu` computes for some milliseconds before that; `mixed` lets every other client do the one and
the other, and compares within each half.
"""

import argparse
import subprocess
import sys
import tempfile
import time

PASSWORD = "Bench-1-password"
COUNT = "UPDATE work SET done = done + 1 WHERE client = @@SPID"
COMPUTE = "DECLARE @i int = 0; WHILE @i < 20000 SET @i += 1; "
WORK = {"key": COUNT, "cpu": COMPUTE + COUNT, "mixed": "IF @@SPID % 2 = 0 BEGIN " + COMPUTE + "END; " + COUNT}


class Server:
    def __init__(self, binary, arguments, data=":memory:"):
        self.errors = tempfile.TemporaryFile()
        command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--sa-password", PASSWORD, "--admin-listen", "off"]
        self.process = subprocess.Popen(command + arguments, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        ready = self.process.stdout.readline().strip()
        if not ready:
            self.process.wait()
            self.errors.seek(0)
            sys.exit(self.errors.read().decode())
        self.address = "127.0.0.1," + ready.rsplit(":", 1)[1]

    def tool(self, binary, kind, *arguments, codes=(0,)):
        command = [binary, kind, "-S", self.address, "-U", "sa", "-P", PASSWORD, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode not in codes:
            raise SystemExit(f"{arguments[-1][:1000]}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)


def measure(options, arguments):
    server = Server(options.heddle, arguments)
    try:
        setup = "CREATE TABLE work (client int PRIMARY KEY, done int, pad char(4000)); "
        setup += "DECLARE @n int = 51; WHILE @n < 200 BEGIN INSERT work VALUES (@n, 0, ''); SET @n += 1 END"
        server.tool(options.heddle, "sql", "-b", "-Q", setup)
        time.sleep(0.5)
        load = ["-n", str(options.clients), "--duration", str(options.seconds), "-q", "--no-progress", "--barrier",
                "--schedulers", str(options.client_threads), "-Q", WORK[options.work]]
        server.tool(options.heddle, "stress", *load)
        counts = server.tool(options.heddle, "sql", "-h", "-1", "-W", "-Q", "SET NOCOUNT ON; SELECT client, done FROM work WHERE done > 0")
        rows = [tuple(map(int, line.split())) for line in counts.splitlines() if line.strip()]
    finally:
        server.stop()
    groups = [rows]
    if options.work == "mixed":
        groups = [[row for row in rows if row[0] % 2 == half] for half in (0, 1)]
    return [[done for _, done in group] for group in groups]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--client-threads", type=int, default=1, help="of `heddle stress`")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", choices=WORK, default="key")
    parser.add_argument("--arguments", default="", help="more for `heddle serve`, in one word")
    options = parser.parse_args()
    worst = 1.0
    for workers in ("fiber", "thread"):
        for _ in range(options.rounds):
            for counts in measure(options, ["--workers", workers, *options.arguments.split()]):
                ratio = max(counts) / min(counts)
                worst = max(worst, ratio)
                print(f"{workers:7} {options.work:6} max/min {ratio:6.3f}   {sorted(counts)}", flush=True)
    print(f"worst {worst:.3f}")
    sys.exit(worst > 1.05)


if __name__ == "__main__":
    main()
