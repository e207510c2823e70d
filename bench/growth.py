#!/usr/bin/env python3
"""How the time of a statement grows with the rows of its table, beside PostgreSQL without parallel workers: each case at every --rows, medians of --runs.

    bench/growth.py --heddle target/release/heddle
    bench/growth.py --rows 10000 --rows 1000000 --rows 20000000 --only point,join --limit 120

Printed of each case: milliseconds of both at each size, their ratio at the largest, and the exponents from one size to the next, of both (1: twice the
rows, twice the time; what sorts or misses the caches has more, as PostgreSQL then has). What is over --ratio or, with more than PostgreSQL's by 0.1,
over --exponent is marked. Answers must be the same. The cases: growth_cases.py.
"""

import math
import pathlib
import statistics
import sys
import tempfile

import tpch
from growth_cases import CASES, TABLE


class Heddle(tpch.Heddle):
    database, tables = "growth", {}

    def fill(self, rows):
        columns, row, indexes = TABLE["tsql"]
        self.sql(f"CREATE TABLE b{rows} ({columns})")
        self.sql(f"INSERT b{rows} WITH (TABLOCK) SELECT {row.format(n=rows)} FROM GENERATE_SERIES(0, {rows - 1})")
        self.sql(";".join(indexes).format(n=rows))


class Peer(tpch.Peer):
    tables = {}

    def fill(self, rows):
        columns, row, indexes = TABLE["postgres"]
        self.server.sql(f"create table b{rows} ({columns}); insert into b{rows} select {row.format(n=rows)} from generate_series(0, {rows - 1}) as value")
        self.server.sql(";".join(indexes).format(n=rows) + f"; vacuum analyze b{rows}")


def measured(case, rows, options, heddle, peer):
    """Medians of both, and whether the answers differ. None: over the limit."""
    texts = [text.replace("{b}", f"b{rows}").replace("{n}", str(rows)) for text in (case.tsql, case.postgres)]
    ours, theirs = [], []
    for _ in range(options.runs):
        for runs, server, text in ((ours, heddle, texts[0]), (theirs, peer, texts[1])):
            if None not in runs:
                runs.append(server.run(text))
    differs = case.compared and None not in (*ours, *theirs) and not tpch.same(ours[0][0], theirs[0][0])
    if differs:
        print(f"{case.name}: {ours[0][0][:5]} and {theirs[0][0][:5]}")
    return [None if None in runs else statistics.median(run[1] for run in runs) for runs in (ours, theirs)], differs


def exponent(smaller, larger, factor):
    return math.log(max(larger, 1e-3) / max(smaller, 1e-3)) / math.log(factor)


def shown(case, sizes, times, options):
    """The line of a case, and its ratio at the largest size."""
    cells = [" / ".join("over" if ms is None else f"{ms:.1f}" for ms in times[rows]) for rows in sizes]
    ours, theirs = times[sizes[-1]]
    ratio = ours / theirs if ours and theirs else None
    grows, marks = [], []
    for rows, more in zip(sizes, sizes[1:]):
        pair = [None if None in (a, b) else exponent(a, b, more / rows) for a, b in zip(times[rows], times[more])]
        grows.append(" / ".join("-" if of is None else f"{of:.2f}" for of in pair))
    # What takes no time has no exponent.
    if len(sizes) > 1 and pair[0] is not None and ours > 5 and pair[0] > max(options.exponent, (pair[1] or 0) + 0.1):
        marks.append("GROWS")
    if ratio is None or ratio > options.ratio:
        marks.append("SLOWER")
    line = f"{case.name:28}" + "".join(f"{cell:>20}" for cell in cells) + f"{f'{ratio:.2f}' if ratio else '-':>8}  " + "".join(f"{cell:>14}" for cell in grows)
    return f"{line}  {' '.join(marks)}".rstrip(), ratio


def measure(options, directory):
    heddle, peer = Heddle(options, directory), Peer(options, directory)
    wrong, ratios, sizes = 0, [], sorted(options.rows or [10_000, 100_000, 1_000_000])
    try:
        heddle.load(directory, {})
        for rows in sizes:
            for server in (heddle, peer):
                server.fill(rows)
        print(f"{'':28}" + "".join(f"{rows:>20,}" for rows in sizes) + f"{'ratio':>8}  " + "exponents".rjust(14))
        for case in CASES:
            if options.only and not any(part in case.name for part in options.only.split(",")):
                continue
            times = {}
            taken = [rows for rows in sizes if rows <= case.rows_max]
            for rows in taken:
                times[rows], differs = measured(case, rows, options, heddle, peer)
                wrong += differs
            line, ratio = shown(case, taken, times, options)
            ratios += [ratio] if ratio else []
            print(line, flush=True)
        print(f"geometric mean of {len(ratios)} ratios: {statistics.geometric_mean(ratios):.2f}")
    finally:
        heddle.server.stop()
        peer.server.stop()
    return wrong


def main():
    parser = tpch.arguments(__doc__)
    parser.add_argument("--rows", type=int, action="append", help="10,000, 100,000 and 1,000,000 where none is given")
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--limit", type=int, default=60, help="seconds for a statement")
    parser.add_argument("--ratio", type=float, default=1.2)
    parser.add_argument("--exponent", type=float, default=1.1)
    parser.add_argument("--only", help="parts of cases' names, with commas between")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="growth-") as temporary:
        directory = pathlib.Path(temporary).resolve()
        directory.chmod(0o755)
        if measure(options, directory):
            sys.exit(1)


if __name__ == "__main__":
    main()
