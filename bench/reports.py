#!/usr/bin/env python3
"""Thirty reports in the manner of TPC-DS on Heddle and on PostgreSQL without parallel workers: do all end, with the same rows, and how soon?

    bench/reports.py --heddle target/release/heddle
    bench/reports.py --scale 0.2 --only 4,11,26 --runs 5 --limit 20 --plans
    bench/reports.py --directory /data/reports      # rows and both servers' data stay there, and the next run begins with the queries

Tables and rows: reports_data.py; queries: reports_queries.py. Both servers have the same keys and indexes, load from the same files, run on 127.0.0.1 and
have the same memory for their pages; PostgreSQL is analyzed. Each query runs --runs times on each in turns; printed are medians in milliseconds, for Heddle
as its own clock has them, for PostgreSQL as psql times them. All rows must be the same, in the same order, but for the last digits of numbers. A query over
--limit seconds is told as such and not run again, an error as one. The last columns are of the operator whose rows the plan expected worst, as tpch.py's.
"""

import pathlib
import statistics
import sys
import tempfile
import time

import tpch
from reports_data import INDEXES, TABLES, Generator
from reports_queries import QUERIES, postgres
from tpch import error, same


class Heddle(tpch.Heddle):
    database, tables = "reports", TABLES


class Peer(tpch.Peer):
    tables = TABLES


class Result:
    """Of one query on one server: rows and milliseconds of its runs, or why there are none."""

    def __init__(self):
        self.rows, self.times, self.why = None, [], None

    def add(self, server, text, limit_s):
        if self.why:
            return
        try:
            run = server.run(text)
        except SystemExit as said:
            self.why = "error"
            print(said)
            return
        if run is None:
            self.why = f"over {limit_s} s"
            return
        rows, ms, _ = run
        # A first answer that is not that of the next run is wrong as well.
        if self.rows is not None and not same(self.rows, rows, ordered=True):
            self.why = "unstable"
        self.rows = rows
        self.times.append(ms)

    @property
    def ms(self):
        return None if self.why else statistics.median(self.times)

    def __str__(self):
        return self.why or f"{self.ms:.1f}"


def measure(heddle, peer, number, options):
    """Prints a query's row; its two results, and whether they agree (None: one has none)."""
    text = QUERIES[number]
    ours, theirs = Result(), Result()
    for _ in range(options.runs):
        ours.add(heddle, text, options.limit)
        theirs.add(peer, postgres(text), options.limit)
    agree = None if ours.why or theirs.why else same(ours.rows, theirs.rows, ordered=True)
    operators = [] if ours.why else heddle.plan(text)
    worst = max(operators, key=error, default=None)
    ratio = f"{ours.ms / theirs.ms:.2f}" if agree is not None else "-"
    answer = {True: "same", False: "DIFFERS", None: "-"}[agree]
    told = f"{worst[3]:>12.0f}{worst[4] or 0:>12.0f}  {worst[1]}" if worst else ""
    print(f"{number:<4}{str(ours):>11}{str(theirs):>12}{ratio:>8}{len(ours.rows or []):>6}  {answer:8}{told}", flush=True)
    for depth, name, does, expected, came, spent_ms in operators if options.plans else []:
        rows = f"{expected:.0f}" if came is None else f"{expected:.0f} / {came:.0f}"
        print(f"{spent_ms:>14} ms{rows:>24}  {'  ' * depth}{name}{does[:200]}")
    if agree is False and options.differences:
        for name, rows in (("Heddle", ours.rows), ("PostgreSQL", theirs.rows)):
            (options.differences / f"{number}.{name}").write_text("\n".join(rows) + "\n")
    return ours, theirs, agree


def run(options, directory):
    """How many queries failed: with another answer, an error, or no end."""
    if not (directory / "inventory.tbl").exists():
        Generator(options.scale).write(directory)
    fresh = not (directory / "heddle").exists()
    heddle, peer = Heddle(options, directory), Peer(options, directory)
    try:
        for server, is_new in ((heddle, fresh), (peer, peer.made)):
            started = time.monotonic()
            if is_new:
                server.load(directory, INDEXES)
                print(f"{type(server).__name__.lower()} loaded in {time.monotonic() - started:.1f} s", flush=True)
        print(f"{'':4}{'Heddle':>11}{'PostgreSQL':>12}{'ratio':>8}{'rows':>6}  {'answer':8}{'expected':>12}{'came':>12}  worst operator", flush=True)
        only = [int(number) for number in options.only.split(",")] if options.only else [*QUERIES]
        results = [measure(heddle, peer, number, options) for number in only]
    finally:
        heddle.server.stop()
        peer.server.stop()
    ratios = [ours.ms / theirs.ms for ours, theirs, agree in results if agree is not None]
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios: {statistics.geometric_mean(ratios):.2f}, worst {max(ratios):.2f}")
    ours = [result for result, _, _ in results]
    ended, wrong = sum(not result.why for result in ours), sum(agree is False for _, _, agree in results)
    print(f"of {len(results)} queries {ended} ended within {options.limit} s, {sum(str(result).startswith('over') for result in ours)} did not, {wrong} differ")
    return len(results) - ended + wrong


def main():
    parser = tpch.arguments(__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="1: 500,000 lines sold in stores")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--limit", type=int, default=60, help="seconds for a query")
    parser.add_argument("--only", help="numbers of queries, with commas between")
    parser.add_argument("--directory", type=pathlib.Path)
    parser.add_argument("--plans", action="store_true", help="print the operators of each plan")
    parser.add_argument("--differences", type=pathlib.Path, help="directory for both answers where they differ")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="reports-") as temporary:
        directory = (options.directory or pathlib.Path(temporary)).resolve()
        directory.mkdir(exist_ok=True)
        directory.chmod(0o755)
        sys.exit(run(options, directory) > 0)


if __name__ == "__main__":
    main()
