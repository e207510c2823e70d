#!/usr/bin/env python3
"""What the live page costs the browser that shows it for longer than the ten minutes that it keeps.

    bench/page_history.py --heddle target/release/heddle --minutes 12

A server under a steady load, and a real browser that shows all charts over ten minutes. Printed for each minute: the points of the
longest line, the page's memory after a collection of garbage, its nodes, and what a reading, with drawing it, takes: CPU of the page's
thread, and by the clock, which counts what other programs had of the CPU, all of it, its script, its layout and its longest task. It fails if the memory still grows once ten minutes are kept.
Needs Chromium.
"""

import argparse
import pathlib
import socket
import subprocess
import sys
import time

from fairness import PASSWORD, Server

sys.path.append(str(pathlib.Path(__file__).parent.parent / "tests" / "page"))
from browser import Browser

# How long a task of the page's was at most, since this was asked last: the browser tells of those from 50 ms.
LONGEST = "(() => { const longest = Math.max(0, ...slow); slow.length = 0; return longest; })()"
WATCH = "window.slow = []; new PerformanceObserver((list) => slow.push(...list.getEntries().map((task) => task.duration))).observe({ type: 'longtask' })"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def watch(url, minutes):
    """The page's memory, minute by minute."""
    memory = []
    with Browser() as browser:
        browser.open(url)
        browser.evaluate(WATCH + "; window.readings = 0; const take = charts[0].take; charts[0].take = function (...all) { readings++; take.apply(this, all); }")
        browser.evaluate("$('span').value = '600', $('span').dispatchEvent(new Event('change'))")
        print(f"{'minute':>6} {'points':>7} {'heap MB':>8} {'nodes':>7} {'CPU ms':>7} {'ms':>7} {'script':>7} {'layout':>7} {'longest':>8}")
        before, readings = browser.performance(), 0
        for minute in range(1, minutes + 1):
            time.sleep(60)
            now, read = browser.performance(), browser.evaluate("readings")
            spent = lambda *what: sum(now[name] - before[name] for name in what) * 1000 / max(1, read - readings)
            shares = spent("ThreadTime"), spent("TaskDuration"), spent("ScriptDuration"), spent("LayoutDuration", "RecalcStyleDuration")
            longest = browser.evaluate(LONGEST)
            points = browser.evaluate("Math.max(...charts.flatMap((chart) => [...chart.series.values()].map((points) => points.length)))")
            browser.ask("HeapProfiler.collectGarbage")
            before, readings = browser.performance(), read
            memory.append(before["JSHeapUsedSize"])
            print(f"{minute:>6} {points:>7} {memory[-1] / 1e6:>8.1f} {before['Nodes']:>7.0f} {' '.join(f'{share:>7.1f}' for share in shares)} "
                  f"{f'{longest:.0f} ms' if longest else '< 50 ms':>8}", flush=True)
        for message in browser.messages:
            print("console:", message)
    return memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--minutes", type=int, default=12)
    parser.add_argument("--url", help="of a server that runs already, instead of one of its own")
    options = parser.parse_args()
    if options.url:
        memory = watch(options.url, options.minutes)
    else:
        port = free_port()
        server = Server(options.heddle, ["--http", f"127.0.0.1:{port}"])
        load = subprocess.Popen([options.heddle, "stress", "-S", server.address, "-U", "sa", "-P", PASSWORD, "-n", "4", "--think", "20", "-q",
                                 "--no-progress", "--duration", str(options.minutes * 60 + 60), "-Q", "SELECT COUNT(*) FROM sys.objects"],
                                stdout=subprocess.DEVNULL)
        try:
            memory = watch(f"http://127.0.0.1:{port}/", options.minutes)
        finally:
            load.terminate()
            load.wait()
            server.stop()
    full, last = memory[min(10, len(memory) - 1)], memory[-1]
    print(f"heap when ten minutes are kept {full / 1e6:.1f} MB, at the end {last / 1e6:.1f} MB")
    sys.exit(last > full * 1.1 + 1e6)


if __name__ == "__main__":
    main()
