#!/usr/bin/env python3
"""The seed scripts as they are in print (tests/sql/seeds), through `heddle sql` and through python-tds: seconds, server memory.

    bench/seeds.py --heddle target/release/heddle
    bench/seeds.py --only insert --client sql --memory 4GB

usp_Insert runs in 1, 2 and 6 sessions at once, each with its default of 2 million rows, with DELAYED_DURABILITY = FORCED as its author
had it. python-tds builds a Python object for every row it reads, so it reads at most --rows-max rows of a result and then cancels;
the figure says so. Needs python-tds (pip install python-tds) for its part.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

PASSWORD = "Bench-1-password"
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "tests/sql/seeds"
PAGE = os.sysconf("SC_PAGE_SIZE")


class Heddle:
    def __init__(self, binary, directory, port, memory):
        self.binary, self.port = binary, port
        options = ["--memory", memory] if memory else []
        command = [binary, "serve", "--data", directory, "--listen", f"127.0.0.1:{port}", "--sa-password", PASSWORD]
        self.process = subprocess.Popen(command + options, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if not self.process.stdout.readline():
            raise SystemExit("the server did not start")

    def sql(self, *options):
        """Runs `heddle sql`; its output goes nowhere, what it says of an error comes back."""
        command = [self.binary, "sql", "-S", f"127.0.0.1,{self.port}", "-U", "sa", "-P", PASSWORD, *options]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit(f"heddle sql {' '.join(options)}: {done.stderr}")

    def resident_mb(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * PAGE >> 20

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def connect(server):
    import pytds

    return pytds.connect("127.0.0.1", port=server.port, user="sa", password=PASSWORD, database="seed", autocommit=True)


def run_python(server, text, rows_max):
    """Sends the script's batches and reads their results. How many rows; None for a result cut short at `rows_max`."""
    read = 0
    with connect(server) as connection:
        for batch in re.split(r"(?mi)^\s*GO\s*$", text):
            if not batch.strip():
                continue
            with connection.cursor() as cursor:
                cursor.execute(batch)
                while True:
                    while cursor.description and (rows := cursor.fetchmany(1000)):
                        read += len(rows)
                        if read >= rows_max:
                            cursor.cancel()
                            return None
                    if not cursor.nextset():
                        break
    return read


def insert_python(server, sessions):
    """One usp_Insert a session at once. All connections are open before the first runs: a session's keys follow from its @@SPID."""
    connections = [connect(server) for _ in range(sessions)]

    def run(connection):
        with connection.cursor() as cursor:
            cursor.execute("EXEC dbo.usp_Insert")

    threads = [threading.Thread(target=run, args=(connection,)) for connection in connections]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begin
    for connection in connections:
        connection.close()
    return seconds


def insert_sql(server, sessions):
    begin = time.perf_counter()
    threads = [threading.Thread(target=server.sql, args=("-b", "-d", "seed", "-Q", "EXEC dbo.usp_Insert")) for _ in range(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, help="the binary to measure")
    parser.add_argument("--client", choices=["sql", "python-tds", "both"], default="both")
    parser.add_argument("--only", default="", help="names of parts, comma-separated: bigtable insert local client_server rows_8kb")
    parser.add_argument("--sessions", default="1,2,6", help="of usp_Insert")
    parser.add_argument("--rows-max", type=int, default=2_000_000, help="rows that python-tds reads of one script")
    parser.add_argument("--memory", help="the server's buffer pool, such as 4GB")
    parser.add_argument("--port", type=int, default=21950)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers stop and their data goes
    wanted = set(filter(None, options.only.split(",")))
    clients = ["sql", "python-tds"] if options.client == "both" else [options.client]

    for client in clients:
        with tempfile.TemporaryDirectory(prefix="heddle-seeds-") as directory:
            server = Heddle(options.heddle, directory, options.port, options.memory)
            try:
                server.sql("-Q", "CREATE DATABASE seed; ALTER DATABASE seed SET DELAYED_DURABILITY = FORCED")
                script = lambda name: str(SCRIPTS / f"{name}.sql")

                def report(part, seconds, cpu, note=""):
                    print(f"{client:10} {part:24} {seconds:8.2f} s  {server.cpu_seconds() - cpu:8.2f} s CPU  "
                          f"{server.resident_mb():6d} MB  {note}", flush=True)

                def run(part, name, note=""):
                    cpu, begin = server.cpu_seconds(), time.perf_counter()
                    if client == "sql":
                        server.sql("-d", "seed", "-i", script(name))
                    else:
                        read = run_python(server, pathlib.Path(script(name)).read_text(), options.rows_max)
                        note = f"cancelled after {options.rows_max} rows" if read is None else f"{read} rows read"
                    report(part, time.perf_counter() - begin, cpu, note)

                if not wanted or wanted & {"bigtable", "insert"}:
                    run("mybigtable", "mybigtable")
                    server.sql("-d", "seed", "-i", script("usp_insert"))
                if not wanted or "insert" in wanted:
                    for sessions in map(int, options.sessions.split(",")):
                        # The keys of the run before go: a session may get the same @@SPID again.
                        server.sql("-d", "seed", "-Q", "DELETE dbo.MyBigTable WHERE c1 BETWEEN 500000000000 AND 10000000000000")
                        cpu = server.cpu_seconds()
                        seconds = (insert_sql if client == "sql" else insert_python)(server, sessions)
                        report(f"usp_insert, {sessions} sessions", seconds, cpu, f"{sessions * 2_000_000 / seconds:.0f} rows/s")
                for part in ("local", "client_server"):
                    if not wanted or part in wanted:
                        run(f"rbar_{part}", f"rbar_{part}")
                if not wanted or "rows_8kb" in wanted:
                    run("rows_8kb", "rows_8kb")
            finally:
                server.stop()


if __name__ == "__main__":
    main()
