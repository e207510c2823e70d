#!/usr/bin/env python3
"""One load on both kernels and both kinds of worker: what a request costs in each.

    bench/combinations.py --heddle target/release/heddle

Printed for each combination: requests a second; and a request's CPU time of the server, switches from one worker to another that the
server made, switches that the operating system made, and system calls (by perf's raw_syscalls tracepoint; '-' where perf may not).
"""

import argparse
import glob
import json
import os
import subprocess
import time

from fairness import Server

TICKS = os.sysconf("SC_CLK_TCK")
CALL = "sp_executesql N'SELECT done FROM work WHERE client = @a', N'@a int', 7"


def processes(server):
    pid = server.process.pid
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        return [pid, *map(int, children.read().split())]


def cpu_seconds(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
    return total / TICKS


def system_switches(pids):
    total = 0
    for path in (path for pid in pids for path in glob.glob(f"/proc/{pid}/task/*/status")):
        with open(path) as status:
            total += sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
    return total


def own_switches(options, server):
    query = "SET NOCOUNT ON; SELECT SUM(CAST(context_switches_count AS bigint)) FROM sys.dm_os_schedulers"
    return int(server.tool(options.heddle, "sql", "-h", "-1", "-W", "-Q", query))


class SystemCalls:
    """perf, counting while the load runs; `total` is None where it may not."""

    def __init__(self, pids, seconds):
        command = ["perf", "stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "-p", ",".join(map(str, pids)), "sleep", str(seconds)]
        try:
            self.perf = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        except OSError:
            self.perf = None

    def total(self):
        if not self.perf:
            return None
        first = self.perf.communicate()[1].split(",", 1)[0]
        return int(first) if first.isdigit() else None


def load(options, server, seconds):
    answer = server.tool(options.heddle, "stress", "-q", "--no-progress", "-n", str(options.clients), "--duration", str(seconds), "--json", "-", "--rpc", CALL)
    return json.loads(answer)["iterations"]


def measure(options, kernel, workers):
    server = Server(options.heddle, ["--kernel", kernel, "--workers", workers])
    try:
        setup = "CREATE TABLE work (client int PRIMARY KEY, done int); "
        setup += "DECLARE @n int = 0; WHILE @n < 200 BEGIN INSERT work VALUES (@n, 0); SET @n += 1 END"
        server.tool(options.heddle, "sql", "-b", "-Q", setup)
        load(options, server, 1)
        pids = processes(server)
        before = cpu_seconds(pids), own_switches(options, server), system_switches(pids)
        requests = load(options, server, options.seconds)
        after = cpu_seconds(pids), own_switches(options, server), system_switches(pids)
        cpu, own, system = (b - a for a, b in zip(before, after))
        # Apart: counting slows the calls down.
        calls = SystemCalls(pids, options.seconds + 1)
        counted = load(options, server, options.seconds)
        time.sleep(0.2)
        calls = calls.total()
        calls = "-" if calls is None else f"{calls / counted:.2f}"
        print(f"{kernel:10} {workers:8} {requests / options.seconds:12,.0f} {cpu / requests * 1e6:10.1f} {own / requests:10.2f} {system / requests:10.2f} {calls:>10}", flush=True)
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle", help="the binary")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=4)
    options = parser.parse_args()
    print(f"{'kernel':10} {'workers':8} {'requests/s':>12} {'CPU us':>10} {'switches':>10} {'of the OS':>10} {'calls':>10}")
    for kernel in ("threaded", "process"):
        for workers in ("fiber", "thread"):
            measure(options, kernel, workers)


if __name__ == "__main__":
    main()
