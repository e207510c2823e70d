#!/usr/bin/env python3
"""What the live page costs the server that it shows, and a bound for what counting costs.

    bench/page_cost.py --heddle target/release/heddle

One server under the load of clients that never pause. In turns, nobody looks, or /metrics and /sessions are read once a second as the page
does it. Printed for each pair of turns: requests by the clock, and requests for a second of the server's CPU; then the medians of the
ratios. On a machine that has other work both scatter by far more than what is looked for. What does not: the page is served by a thread
of its own, the administrator's scheduler, so what that thread has of the CPU in polled turns, less what it has in the others, is a poll's
cost under that load, and its share of the machine is what polling can take from the clients. It fails if that is 1 % or more.

How many of the events that /metrics tells are counted for a request, the server says itself: the differences of all counters over a turn.
Each is an addition to a word of the scheduler's own, at worst a locked one: some 20 cycles where the line is the CPU's, which 10 ns bound.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from fairness import PASSWORD, Server
from page_history import free_port

PATHS = ("metrics", "sessions")
ADDITION_MAX_NS = 10
# As much of the name "scheduler 1048576" as a thread can have.
ADMINISTRATOR = "scheduler 10485"
# Sums of amounts, each added at once.
AMOUNTS = re.compile("bytes|seconds|spins")


def cpu_s(pid, name=""):
    """What the threads of a process whose names begin so have had of the CPUs."""
    threads = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads if (thread / "comm").read_text().startswith(name)) / 1e9


class Page:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}/"
        self.polls = 0

    def read(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return answer.read().decode()

    def events(self):
        """How often something was counted since the server started."""
        samples = (line.rsplit(" ", 1) for line in self.read("metrics").splitlines() if not line.startswith("#"))
        names = ((name.split("{")[0], value) for name, value in samples)
        return sum(float(value) for name, value in names if name.endswith("_total") and not AMOUNTS.search(name))

    def poll(self, ended):
        """Once a second, one path after the other."""
        while not ended.wait(1):
            for path in PATHS:
                self.read(path)
            self.polls += 1


class Turn:
    """Of requests: how many by the clock, for a second of the server's CPU, and events counted for one. Of the administrator's thread: s
    of CPU in a second, with so many polls."""

    def __init__(self, options, server, page, polled):
        ended = threading.Event()
        poller = threading.Thread(target=page.poll, args=(ended,))
        pid = server.process.pid
        look = lambda: (time.monotonic(), cpu_s(pid), cpu_s(pid, ADMINISTRATOR), page.polls)
        with tempfile.NamedTemporaryFile() as summary:
            arguments = [options.heddle, "stress", "-S", server.address, "-U", "sa", "-P", PASSWORD, "-n", str(options.clients), "-q",
                         "--no-progress", "--duration", str(options.seconds), "--json", summary.name, "-Q", options.query]
            counted = page.events()
            before = look()
            if polled:
                poller.start()
            subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
            if polled:
                ended.set()
                poller.join()
            seconds, spent, administrator, polls = (b - a for a, b in zip(before, look()))
            counted = page.events() - counted
            told = json.loads(pathlib.Path(summary.name).read_text())
        self.rate, self.work, self.events = told["requests_per_second"], told["requests"] / spent, counted / told["requests"]
        self.administrator, self.polls = administrator / seconds, polls / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--query", default="SELECT 1")
    options = parser.parse_args()
    port = free_port()
    page = Page(port)
    server = Server(options.heddle, ["--http", f"127.0.0.1:{port}"])
    try:
        Turn(options, server, page, False)
        pairs = []
        print(f"{'requests/s':>12} {'polled':>12} {'ratio':>7} {'requests/CPU s':>16} {'polled':>12} {'ratio':>7} {'ms of CPU a poll':>18}")
        for number in range(options.rounds):
            # Which comes first alternates, so that a drift of the machine counts for both.
            order = (False, True) if number % 2 == 0 else (True, False)
            seen = {polled: Turn(options, server, page, polled) for polled in order}
            plain, polled = seen[False], seen[True]
            poll = (polled.administrator - plain.administrator) / polled.polls
            pairs.append((polled.rate / plain.rate, polled.work / plain.work, poll, plain.events, 1e9 / plain.work))
            print(f"{plain.rate:>12,.0f} {polled.rate:>12,.0f} {pairs[-1][0]:>7.3f} {plain.work:>16,.0f} {polled.work:>12,.0f} "
                  f"{pairs[-1][1]:>7.3f} {poll * 1000:>18.2f}", flush=True)
    finally:
        server.stop()
    rate, work, poll, events, cost_ns = (statistics.median(column) for column in zip(*pairs))
    share = poll / os.cpu_count()
    print(f"medians: {rate:.3f} by the clock, {work:.3f} by CPU; {poll * 1000:.2f} ms of CPU a poll, one a second: {share:.2%} of {os.cpu_count()} CPUs")
    print(f"{events:.1f} events counted a request of {cost_ns / 1000:.1f} us of CPU: at most {events * ADDITION_MAX_NS / cost_ns:.1%}")
    sys.exit(share >= 0.01)


if __name__ == "__main__":
    main()
