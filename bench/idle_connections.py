#!/usr/bin/env python3
"""Idle connections: memory of the server for each, and how soon one of them answers.

    bench/idle_connections.py --heddle target/release/heddle --connections 5000
    bench/idle_connections.py --connections 100000 --serve "--kernel process --engines 8 --max-connections 101000"

Each connection logs in, runs one statement and then rests. Memory is the server's, of all its processes, before, after, and once
more after half of the connections have run another statement; the answer is timed on connections drawn at random, one request at a
time. The client speaks just enough TDS 7.4 without encryption for this, and nothing else.

The system limits what one process may have open (ulimit -n). Clients are as many processes as that takes, each with a loopback
address of its own, since an address has some 28,000 ports. A server of the threaded kernel is one process; engines of the process
kernel have a limit each.
"""

import argparse
import math
import multiprocessing
import os
import pathlib
import random
import resource
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

PASSWORD = "Bench-1-password"
BATCH, LOGIN7, PRELOGIN = 1, 16, 18
END_OF_MESSAGE = 1
# Of Linux; Python names it from 3.13 on.
IP_BIND_ADDRESS_NO_PORT = 24


def packet(kind, payload):
    return struct.pack(">BBHHBB", kind, END_OF_MESSAGE, len(payload) + 8, 0, 1, 0) + payload


def response(connection):
    """The payload of one answer, all its packets."""
    payload = b""
    while True:
        header = connection.recv(8, socket.MSG_WAITALL)
        if len(header) < 8:
            raise ConnectionError("the server closed the connection")
        length = struct.unpack(">H", header[2:4])[0] - 8
        payload += connection.recv(length, socket.MSG_WAITALL) if length else b""
        if header[1] & END_OF_MESSAGE:
            return payload


def prelogin():
    # VERSION, ENCRYPTION (not supported: the login comes in the clear), terminator.
    options = struct.pack(">BHHBHHB", 0, 11, 6, 1, 17, 1, 0xFF)
    return packet(PRELOGIN, options + b"\x10\0\0\0\0\0" + b"\x02")


def login():
    def scrambled(text):
        return bytes(((byte << 4 | byte >> 4) & 0xFF) ^ 0xA5 for byte in text.encode("utf-16-le"))

    fields = ["idle", "sa", PASSWORD, "idle_connections", "", "", "", "", ""]
    # The fixed part: 36 bytes, then offset and length of nine strings, client id, SSPI, file, new password, long SSPI.
    at, table, data = 94, b"", b""
    for index, text in enumerate(fields):
        encoded = scrambled(text) if index == 2 else text.encode("utf-16-le")
        table += struct.pack("<HH", at + len(data), len(text))
        data += encoded
    end = at + len(data)
    table += bytes(6) + struct.pack("<HHHHHH", end, 0, end, 0, end, 0) + bytes(4)
    fixed = struct.pack("<IIIIIIBBBBiI", at + len(data), 0x74000004, 4096, 7, os.getpid(), 0, 0xE0, 0x03, 0, 0, 0, 0x409)
    assert len(fixed) + len(table) == at
    return packet(LOGIN7, fixed + table + data)


def batch(text):
    # ALL_HEADERS: the transaction descriptor, none.
    headers = struct.pack("<IIHQI", 22, 18, 2, 0, 1)
    return packet(BATCH, headers + text.encode("utf-16-le"))


def connect(port, source="127.0.0.1"):
    connection = socket.socket(socket.AF_INET)
    connection.settimeout(30)
    # The port is found at connect: among those that bind would look through, tens of thousands are taken.
    connection.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    connection.bind((source, 0))
    connection.connect(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(prelogin())
    response(connection)
    connection.sendall(login())
    answer = response(connection)
    if b"\xad" not in answer:
        raise ConnectionError("the login was refused")
    return connection


def ask(connection, text="SELECT 1"):
    started = time.perf_counter()
    connection.sendall(batch(text))
    answer = response(connection)
    if answer[:1] == b"\xaa":
        raise RuntimeError("the statement failed")
    return time.perf_counter() - started


def processes(pid):
    """The process and what it started."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid] + [each for child in children for each in processes(int(child))]


def resident(pid):
    """Bytes, of all processes of the server; what they share counts once."""
    total = 0
    for each in processes(pid):
        for line in pathlib.Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


def client(port, source, orders):
    """A process that has some of the connections. It answers each order with seconds, one number a request."""
    connections = []
    while True:
        order, count = orders.recv()
        if order == "end":
            return
        times = []
        try:
            for turn in range(count):
                if order == "open":
                    connections.append(connect(port, source))
                    times.append(ask(connections[-1]))
                elif order == "work":
                    ask(connections[2 * turn % len(connections)], LARGER_WORK)
                else:
                    times.append(ask(random.choice(connections)))
        except OSError as error:
            orders.send(f"{order}: {error}")
            return
        orders.send(times)


LARGER_WORK = "DECLARE @t nvarchar(max) = REPLICATE(CAST(N'x' AS nvarchar(max)), 20000); SELECT LEN(@t)"
# Files that a process has open beside connections, and more.
FILES_ELSE = 500


class Clients:
    """Processes that share the connections evenly."""

    def __init__(self, port, connections, per_process):
        self.count = math.ceil(connections / per_process)
        self.shares = [connections // self.count + (turn < connections % self.count) for turn in range(self.count)]
        self.pipes, self.running = [], []
        for turn in range(self.count):
            here, there = multiprocessing.Pipe()
            process = multiprocessing.Process(target=client, args=(port, f"127.0.0.{2 + turn}", there), daemon=True)
            process.start()
            there.close()
            self.pipes.append(here)
            self.running.append(process)

    def all(self, order, part=1):
        """Each process, at once, for so many of its connections."""
        for pipe, share in zip(self.pipes, self.shares):
            pipe.send((order, math.ceil(share * part)))
        return [time for pipe in self.pipes for time in self.answer(pipe)]

    def one(self, order):
        pipe = random.choices(self.pipes, self.shares)[0]
        pipe.send((order, 1))
        return self.answer(pipe)[0]

    def answer(self, pipe):
        try:
            answer = pipe.recv()
        except EOFError:
            answer = "a client has ended"
        if isinstance(answer, str):
            sys.exit(answer)
        return answer

    def end(self):
        for pipe in self.pipes:
            try:
                pipe.send(("end", 0))
            except OSError:
                pass  # It has ended by itself.
        for process in self.running:
            process.join(30)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=os.environ.get("HEDDLE", "target/release/heddle"))
    parser.add_argument("--connections", type=int, default=5000)
    parser.add_argument("--answers", type=int, default=200, help="requests timed")
    parser.add_argument("--serve", default="", help="more switches of heddle serve, separated by spaces")
    parser.add_argument("--kilobytes-max", type=float, help="fail if a connection takes more")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers stop and their data goes
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < options.connections + FILES_ELSE and "process" not in options.serve:
        sys.exit(f"{options.connections} connections of one process need a higher limit of open files than {hard} (ulimit -n), "
                 f"or several engines: --serve '--kernel process --engines {math.ceil(options.connections / (hard - FILES_ELSE))}'")
    errors = tempfile.TemporaryFile()
    server = subprocess.Popen(
        [options.heddle, "serve", "--data", ":memory:", "--listen", "127.0.0.1:0", "--sa-password", PASSWORD,
         *options.serve.split()], stdout=subprocess.PIPE, stderr=errors, text=True)
    clients = None
    try:
        line = server.stdout.readline()
        if "ready" not in line:
            errors.seek(0)
            sys.exit(f"the server does not start: {errors.read().decode()}")
        port = int(line.rsplit(":", 1)[1])
        # What is made once (the plan, the first workers of each engine) is not a connection's.
        warm = [connect(port) for _ in range(64)]
        for connection in warm:
            ask(connection)
        before = resident(server.pid)
        clients = Clients(port, options.connections, min(hard - FILES_ELSE, 20_000))
        started = time.perf_counter()
        clients.all("open")
        took = time.perf_counter() - started
        idle = resident(server.pid)
        clients.all("work", 0.5)
        used = resident(server.pid)
        times = sorted(clients.one("ask") for _ in range(options.answers))
        each = (idle - before) / options.connections / 1024
        print(f"connections        {options.connections} in {took:.2f} s, a login and a statement each; "
              f"{clients.count} client processes, {len(processes(server.pid))} of the server")
        print(f"resident memory    {before / 2**20:.1f} MB without them, {idle / 2**20:.1f} MB with them: {each:.2f} KB each")
        print(f"after larger work  {used / 2**20:.1f} MB: {(used - before) / options.connections / 1024:.2f} KB each")
        print(f"one answers in     {statistics.median(times) * 1e3:.3f} ms median, {times[len(times) * 99 // 100] * 1e3:.3f} ms at 99 %")
        if options.kilobytes_max is not None and each > options.kilobytes_max:
            sys.exit(f"more than {options.kilobytes_max} KB a connection")
    finally:
        server.send_signal(signal.SIGTERM)
        if clients:
            clients.end()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()


if __name__ == "__main__":
    main()
