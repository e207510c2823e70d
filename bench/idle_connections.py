#!/usr/bin/env python3
"""Idle connections: resident memory of the server for each, and how soon one of them answers.

    bench/idle_connections.py --heddle target/release/heddle --connections 5000

Each connection logs in, runs one statement and then rests. Memory is the server's resident set before, after, and once more after
half of the connections have run another statement; the answer is timed on connections drawn at random, one request at a time.
The client speaks just enough TDS 7.4 without encryption for this, and nothing else.
"""

import argparse
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


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
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


def resident(pid):
    """Bytes."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmRSS")


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
    if hard < options.connections + 64:
        sys.exit(f"{options.connections} connections need a higher limit of open files than {hard} (ulimit -n)")
    errors = tempfile.TemporaryFile()
    server = subprocess.Popen(
        [options.heddle, "serve", "--data", ":memory:", "--listen", "127.0.0.1:0", "--sa-password", PASSWORD,
         *options.serve.split()], stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        line = server.stdout.readline()
        if "ready" not in line:
            sys.exit("the server does not start")
        port = int(line.rsplit(":", 1)[1])
        # What is made once (the plan, the first workers) is not a connection's.
        warm = [connect(port) for _ in range(16)]
        for connection in warm:
            ask(connection)
        before = resident(server.pid)
        started = time.perf_counter()
        connections = []
        for _ in range(options.connections):
            connections.append(connect(port))
            ask(connections[-1])
        took = time.perf_counter() - started
        idle = resident(server.pid)
        for connection in connections[::2]:
            ask(connection, "DECLARE @t nvarchar(max) = REPLICATE(CAST(N'x' AS nvarchar(max)), 20000); SELECT LEN(@t)")
        used = resident(server.pid)
        times = sorted(ask(random.choice(connections)) for _ in range(options.answers))
        each = (idle - before) / options.connections / 1024
        print(f"connections        {options.connections} in {took:.2f} s, a login and a statement each")
        print(f"resident memory    {before / 2**20:.1f} MB without them, {idle / 2**20:.1f} MB with them: {each:.2f} KB each")
        print(f"after larger work  {used / 2**20:.1f} MB: {(used - before) / options.connections / 1024:.2f} KB each")
        print(f"one answers in     {statistics.median(times) * 1e3:.3f} ms median, {times[len(times) * 99 // 100] * 1e3:.3f} ms at 99 %")
        if options.kilobytes_max is not None and each > options.kilobytes_max:
            sys.exit(f"more than {options.kilobytes_max} KB a connection")
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()


if __name__ == "__main__":
    main()
