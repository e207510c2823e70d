#!/usr/bin/env python3
"""What do connections that never log in cost those that do? Thousands are opened and stall at each stage of a login, others send theirs a byte at a
time; beside them sessions ask `SELECT 1`, and new ones log in. Printed: medians and 99th percentiles without and with them, and their ratios.

    bench/half_open.py --heddle target/release/heddle
    bench/half_open.py --count 20000 --arguments='--kernel process --workers thread'

Stages, the same number of each: nothing sent; one byte; half of PRELOGIN; PRELOGIN; half of the first message of the TLS handshake; all of it; half
of the client's last; TLS made and half of LOGIN7. One of eight goes on slowly: a byte each --pause seconds, from the first of PRELOGIN to the last of
its TLS handshake. Who is dropped by the server opens again.

Sessions and logins are two processes of their own, as the stalling ones are: Python's threads would take turns.
"""

import argparse
import asyncio
import multiprocessing
import os
import resource
import socket
import ssl
import statistics
import struct
import subprocess
import time

from fairness import PASSWORD, Server

HEADER = struct.Struct(">BBHHBB")
PRELOGIN, LOGIN7, RESPONSE = 0x12, 0x10, 0x04
DONE_OF_LOGIN = 0xAD
ASKED = "SELECT 1"


def packet(kind, payload):
    return HEADER.pack(kind, 1, len(payload) + HEADER.size, 0, 1, 0) + payload


def prelogin(encryption):
    """VERSION and ENCRYPTION (MS-TDS 2.2.6.5): 1 asks for all, 2 for none."""
    return packet(PRELOGIN, bytes([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xFF]) + bytes(6) + bytes([encryption]))


def login7():
    """sa with its password (MS-TDS 2.2.6.4)."""
    password = bytes(((b << 4 | b >> 4) & 0xFF) ^ 0xA5 for b in PASSWORD.encode("utf-16-le"))
    texts = [b"", "sa".encode("utf-16-le"), password, *[b""] * 6]
    fixed = struct.pack("<IIIIIIBBBBII", 0, 0x74000004, 4096, 7, os.getpid(), 0, 0xE0, 3, 0, 0, 0, 0)
    at, offsets, data = 94, b"", b""
    for text in texts:
        offsets += struct.pack("<HH", at + len(data), len(text) // 2)
        data += text
    offsets += bytes(6) + struct.pack("<HHHHHHI", at + len(data), 0, at + len(data), 0, at + len(data), 0, 0)
    body = fixed[4:] + offsets + data
    return packet(LOGIN7, struct.pack("<I", len(body) + 4) + body)


def receive(connection):
    payload = b""
    while True:
        head = b""
        while len(head) < HEADER.size:
            more = connection.recv(HEADER.size - len(head))
            if not more:
                raise ConnectionError("closed")
            head += more
        _, status, length, *_ = HEADER.unpack(head)
        left = length - HEADER.size
        while left:
            more = connection.recv(left)
            if not more:
                raise ConnectionError("closed")
            payload, left = payload + more, left - len(more)
        if status & 1:
            return payload


def log_in(address):
    connection = socket.create_connection(address, timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(prelogin(2))
    receive(connection)
    connection.sendall(login7())
    if DONE_OF_LOGIN not in receive(connection):
        raise ConnectionError("not logged in")
    return connection


def send(connection, text):
    headers = struct.pack("<IIHQI", 22, 18, 2, 0, 1)
    connection.sendall(packet(1, headers + text.encode("utf-16-le")))


def ask(connection, text=ASKED):
    send(connection, text)
    return receive(connection)


def measure(address, seconds, results):
    """How long answers and logins take, ms."""
    sessions, answers, logins = [log_in(address) for _ in range(4)], [], []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for session in sessions:
            for _ in range(5):
                begun = time.perf_counter()
                ask(session)
                answers.append((time.perf_counter() - begun) * 1e3)
                time.sleep(0.001)
        begun = time.perf_counter()
        log_in(address).close()
        logins.append((time.perf_counter() - begun) * 1e3)
    results.put((answers, logins))


class Flights:
    """A client's messages of a TLS handshake inside TDS packets."""

    def __init__(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing)

    def next(self, answer):
        self.incoming.write(answer)
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        return packet(PRELOGIN, self.outgoing.read())


async def answer_of(reader):
    head = await reader.readexactly(HEADER.size)
    return await reader.readexactly(HEADER.unpack(head)[2] - HEADER.size)


async def stall(address, stage, slow, pause):
    """Comes as far as `stage`, and waits to be dropped."""
    reader, writer = await asyncio.open_connection(*address)

    async def send(bytes_, part=1.0):
        bytes_ = bytes_[: max(1, int(len(bytes_) * part))]
        if not slow:
            return writer.write(bytes_)
        for at in range(len(bytes_)):
            writer.write(bytes_[at : at + 1])
            await asyncio.sleep(pause)

    try:
        if stage == 1:
            await send(prelogin(1)[:1])
        if stage == 2:
            await send(prelogin(1), 0.5)
        if stage >= 3:
            await send(prelogin(1))
            await answer_of(reader)
        flights = Flights() if stage >= 4 else None
        if stage == 4:
            await send(flights.next(b""), 0.5)
        if stage >= 5:
            await send(flights.next(b""))
            answer = await answer_of(reader)
        if stage == 6:
            await send(flights.next(answer), 0.5)
        if stage == 7:
            await send(flights.next(answer))
            flights.next(await answer_of(reader))
            flights.tls.write(login7())
            await send(flights.outgoing.read(), 0.5)
        await reader.read()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    writer.close()


async def stall_again(address, number, options, reached, dropped):
    stage, slow = number % 8, number // 8 % 8 == 0
    while True:
        try:
            reached[0] += 1
            await stall(address, 7 if slow else stage, slow, options.pause)
        except OSError:
            pass
        dropped[0] += 1
        await asyncio.sleep(options.again)


def besiege(address, options, ready):
    # It stands for thousands of other machines: what it takes of this one's CPUs is nobody's.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

    async def all_of_them():
        reached, dropped = [0], [0]
        tasks = []
        for number in range(options.count):
            tasks.append(asyncio.create_task(stall_again(address, number, options, reached, dropped)))
            if number % 100 == 99:
                await asyncio.sleep(0.05)
        await asyncio.sleep(3)
        ready.put((reached[0], dropped[0]))
        await asyncio.gather(*tasks)

    asyncio.run(all_of_them())


def run(address, seconds):
    results = multiprocessing.Queue()
    process = multiprocessing.Process(target=measure, args=(address, seconds, results))
    process.start()
    answers, logins = results.get(timeout=seconds + 600)
    process.join()
    return {"answer": answers, "login": logins}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--count", type=int, default=20_000, help="connections that stall")
    parser.add_argument("--seconds", type=int, default=20, help="of each measurement")
    parser.add_argument("--pause", type=float, default=5, help="seconds between a slow one's bytes")
    parser.add_argument("--again", type=float, default=10, help="seconds until one that was dropped opens again")
    parser.add_argument("--arguments", default="", help="more for `heddle serve`, in one word")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = Server(options.heddle, options.arguments.split())
    address = ("127.0.0.1", int(server.address.rsplit(",", 1)[1]))
    ready, attackers = multiprocessing.Queue(), []
    try:
        alone = run(address, options.seconds)
        # One process has 28,000 ports to one address, and is busy with as many.
        attacker = multiprocessing.Process(target=besiege, args=(address, options, ready), daemon=True)
        attacker.start()
        attackers.append(attacker)
        reached, dropped = ready.get(timeout=600)
        beside = run(address, options.seconds)
        rss = int(subprocess.run(["ps", "-o", "rss=", "-p", str(server.process.pid)], capture_output=True, text=True).stdout)
    finally:
        for attacker in attackers:
            attacker.kill()
        server.stop()
    print(f"{reached} opened, {dropped} dropped by then; the server has {rss / 1024:.0f} MB")
    for kind, before in alone.items():
        after = beside[kind]
        for name, of in {"median": statistics.median, "p99": lambda all_: statistics.quantiles(all_, n=100)[98]}.items():
            print(f"{kind:7} {name:7} {of(before):8.3f} ms alone {of(after):8.3f} ms beside them   {of(after) / of(before):5.2f}")


if __name__ == "__main__":
    main()
