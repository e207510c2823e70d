#!/usr/bin/env python3
"""Whether `heddle stress --rate` tells latencies as they were: against a server that stalls one second in ten.

    bench/open_loop.py --heddle target/release/heddle

A request that comes in the first second of ten is answered at its end, all others at once. Requests begin at a rate of their own, so one
in ten of them falls into a stall, evenly spread over it: nine of ten wait for nothing, and of the rest the nth hundredth waits n
seconds of ten: p95 is 500 ms, p99 is 900 ms, p99.9 990 ms, the mean 50 ms. Who counted from when a request was sent, and not from when
it was due, would see one slow request a connection and stall. Beside it the same load in a closed loop, which sees just that.
The run begins and ends in the middle of a stall: who then stands in line is not to be forgotten.
"""

import argparse
import datetime
import json
import time

from fairness import Server

STALL = """DECLARE @ms bigint = DATEDIFF_BIG(millisecond, '2000-01-01', SYSDATETIME()) % 10000;
IF @ms < 1000
BEGIN
    DECLARE @rest datetime = DATEADD(millisecond, 1000 - @ms, 0);
    WAITFOR DELAY @rest;
END"""
EXPECTED_MS = {"p95": 500.0, "p99": 900.0, "p99.9": 990.0, "mean": 50.0}


def wait_for_stall():
    """Until half of one has passed."""
    since = (datetime.datetime.now() - datetime.datetime(2000, 1, 1)).total_seconds() % 10
    time.sleep((10.5 - since) % 10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--connections", type=int, default=20)
    parser.add_argument("--rate", type=int, default=500, help="requests a second")
    parser.add_argument("--seconds", type=int, default=60, help="a multiple of ten")
    options = parser.parse_args()
    server = Server(options.heddle, [])
    try:
        load = ["-Q", STALL, "-n", str(options.connections), "-q", "--no-progress", "--json", "-"]
        wait_for_stall()
        open_loop = server.tool(options.heddle, "stress", *load, "--duration", str(options.seconds), "--rate", str(options.rate))
        closed = server.tool(options.heddle, "stress", *load, "--duration", "20")
    finally:
        server.stop()
    open_loop, closed = json.loads(open_loop), json.loads(closed)
    print(f"{open_loop['iterations']} requests, {open_loop['iterations_per_second']:.1f} /s of {options.rate}, {open_loop['error_count']} errors")
    for name, expected in EXPECTED_MS.items():
        found = open_loop["latency_ms"][name]
        print(f"{name:>6}: {found:8.1f} ms, {expected:6.1f} expected ({100 * (found / expected - 1):+.2f} %); closed loop {closed['latency_ms'][name]:.3f} ms")


if __name__ == "__main__":
    main()
