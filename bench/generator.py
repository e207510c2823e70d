#!/usr/bin/env python3
"""How many requests a second `heddle stress` can make when the server costs next to nothing, and what each of them costs it.

    cargo build --release -p heddle; cargo build --release -p lab --example null_server
    bench/generator.py --heddle target/release/heddle --null target/release/examples/null_server

`null_server` answers whatever comes with a DONE; from one process of `heddle stress` it gets requests of 100, 1,000 and 10,000
connections. Beside it `SELECT 1`, whose answer has a row, goes to Heddle, and from pgbench to PostgreSQL, all over TCP on loopback. pgbench
takes as many clients as PostgreSQL has processes for, so it has no line of 10,000.

A rate on a machine with few CPUs is that of generator and server together, and of whatever else runs there: the CPU time that the
generator uses for a request is the figure to trust. A generator whose figure is far below its server's measures the server; as it
comes near it, the rates say as much of the generator. It is the process's whole CPU time, user and system, without that of a run of one
request a connection, which is what start and logins cost. Runs have a number of requests and no time, since pgbench counts in a time also
that in which PostgreSQL starts its processes. The loads come in turns; of each the round with the lowest figure is shown.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from fairness import Server
from side_by_side import PASSWORD, Postgres, cpu_of


class Null:
    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline().strip()
        if not ready:
            sys.exit(f"{binary} does not start")
        self.address = "127.0.0.1," + ready.rsplit(":", 1)[1]

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)


def run(command, **options):
    """What the program printed, and the CPU seconds that it used."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    with process.stdout, process.stderr:
        output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: {errors.strip() or output.strip()}")
    return output, usage.ru_utime + usage.ru_stime


def stress(options, server, connections, *length):
    """Requests, those of a second, CPU seconds."""
    command = [options.heddle, "stress", "-S", server.address, "-U", "sa", "-P", PASSWORD, "-Q", "SELECT 1", "-n", str(connections)]
    output, cpu_s = run([*command, "--barrier", "-q", "--no-progress", "--json", "-", *length])
    summary = json.loads(output)
    return summary["requests"], summary["requests_per_second"], cpu_s


def pgbench(options, postgres, connections, *length):
    command = postgres.command("pgbench", "-n", "-c", str(connections), "-j", str(min(connections, os.cpu_count())), "-f", options.script)
    output, cpu_s = run([*command, *length], env=postgres.environment(), cwd="/")
    requests = re.search(r"^number of transactions actually processed: (\d+)", output, re.M)
    rate = re.search(r"^tps = ([\d.]+)", output, re.M)
    if not requests or not rate:
        sys.exit(f"pgbench with {connections} clients: {output.strip()}")
    return int(requests[1]), float(rate[1]), cpu_s


def measure(generate, options, server, pids, switch, connections):
    """Requests a second, and CPU in microseconds for each: the generator's and the server's. `switch`: for requests of a connection."""
    begun = cpu_of(pids())
    few, _, few_cpu_s = generate(options, server, connections, switch, "1")
    between = cpu_of(pids())
    many, rate, many_cpu_s = generate(options, server, connections, switch, str(options.requests // connections + 1))
    server_cpu_s = (cpu_of(pids()) - between) - (between - begun)
    return rate, (many_cpu_s - few_cpu_s) / (many - few) * 1e6, server_cpu_s / (many - few) * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--null", default="target/release/examples/null_server")
    parser.add_argument("--pg-programs", default="/usr/lib/postgresql/15/bin")
    parser.add_argument("--pg-port", type=int, default=54331)
    parser.add_argument("--pg-user", default="postgres", help="who runs PostgreSQL when this script runs as root")
    parser.add_argument("--connections", type=int, nargs="+", default=[100, 1_000, 10_000], help="to the null server")
    parser.add_argument("--beside", type=int, default=1_000, help="connections to Heddle and to PostgreSQL")
    parser.add_argument("--requests", type=int, default=400_000, help="in a run, shared among its connections")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers stop and their data goes
    directory = pathlib.Path(tempfile.mkdtemp(prefix="generator-"))
    os.chmod(directory, 0o755)
    options.script = str(directory / "select.sql")
    pathlib.Path(options.script).write_text("SELECT 1;\n")
    servers = []
    try:
        null = Null(options.null)
        servers.append(null)
        heddle = Server(options.heddle, [])
        servers.append(heddle)
        postgres = Postgres(options.pg_programs, options.pg_port, directory, options.pg_user, "tcp", schema=None)
        servers.append(postgres)
        own = lambda server: lambda: [server.process.pid]
        loads = [("heddle stress, null server", stress, null, own(null), "-r", count) for count in options.connections]
        loads.append(("heddle stress, Heddle", stress, heddle, own(heddle), "-r", options.beside))
        loads.append(("pgbench, PostgreSQL", pgbench, postgres, postgres.pids, "-t", options.beside))
        rounds = []
        for _ in range(options.rounds):
            rounds.append([measure(generate, options, *load) for _, generate, *load in loads])
        print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; {options.requests:,} requests a run, best of {options.rounds}")
        print(f"{'load':<28} {'connections':>11} {'requests/s':>11} {'us/request':>11} {'server us':>11}   us/request of each round")
        for at, (name, *_, count) in enumerate(loads):
            results = [each[at] for each in rounds]
            rate, cost, server_cost = min(results, key=lambda result: result[1])
            each = " ".join(f"{result[1]:.2f}" for result in results)
            print(f"{name:<28} {count:>11,} {rate:>11,.0f} {cost:>11.2f} {server_cost:>11.2f}   {each}")
    finally:
        for server in reversed(servers):
            server.stop()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
