#!/usr/bin/env python3
"""Does anything grow? A server with little memory under a mixed load for so many minutes: money that moves, queries that spill, cancelled and killed
requests, temporary tables, connections that come in storms and leave in the middle. Each minute it prints what the server holds; at the end, with
nobody left, what is still held, and whether the sums are those of the beginning. Exit code 1 if they are not, or if something has grown.

    bench/soak.py --heddle target/release/heddle --minutes 90
    bench/soak.py --minutes 10 --memory 256MB --arguments='--workers thread'

The load's own connections are plain TDS of one process (half_open); what is printed is read from /proc and from the server's tables.
"""

import argparse
import os
import random
import sys
import tempfile
import threading
import time

from fairness import Server
from half_open import log_in, packet, prelogin, receive, send, ask

ACCOUNTS, BALANCE, ROWS = 500, 1000, 40000
ATTENTION = 6

SETUP = f"""
CREATE DATABASE soak;
GO
USE soak;
CREATE TABLE account (id int NOT NULL PRIMARY KEY, balance bigint NOT NULL);
INSERT account SELECT value, {BALANCE} FROM GENERATE_SERIES(1, {ACCOUNTS});
CREATE TABLE moved (id bigint IDENTITY PRIMARY KEY, source int NOT NULL, target int NOT NULL, amount bigint NOT NULL);
CREATE TABLE big (id int NOT NULL PRIMARY KEY, g int NOT NULL, v int NOT NULL, t varchar(400) NOT NULL);
INSERT big SELECT value, value % 97, value * 7919 % 40009, REPLICATE(CHAR(97 + value % 26), value % 400) FROM GENERATE_SERIES(1, {ROWS});
CREATE TABLE wrong (what varchar(200) NOT NULL);
CREATE TABLE shape (id int NOT NULL, t varchar(400) NOT NULL);
"""

SPILLS = [
    "SELECT SUM(CAST(LEN(t) AS bigint) * (n % 11)) FROM (SELECT t, ROW_NUMBER() OVER (ORDER BY t, id) AS n FROM big) x",
    "SELECT COUNT_BIG(*) FROM big a JOIN big b ON a.v = b.v AND a.t = b.t",
    "SELECT SUM(CAST(CHECKSUM(v, n) AS bigint)) FROM (SELECT v, t, COUNT_BIG(*) AS n FROM big GROUP BY v, t) x",
    "SELECT COUNT_BIG(*) FROM (SELECT DISTINCT t, v FROM big) x",
]

LONG = [
    "SELECT COUNT_BIG(*) FROM big a JOIN big b ON a.v + 1 > b.v OPTION (MAX_GRANT_PERCENT = 0)",
    "SELECT a.t FROM big a JOIN big b ON a.g = b.g ORDER BY a.t, b.t OPTION (MAX_GRANT_PERCENT = 0)",
    "BEGIN TRAN; UPDATE big SET g = g + 1; ROLLBACK",
    "BEGIN TRAN; SELECT * INTO copied FROM big; CREATE INDEX i ON copied (t, v); ROLLBACK",
    "DECLARE @t TABLE (t varchar(max)); INSERT @t SELECT a.t FROM big a JOIN big b ON a.g = b.g",
    "WAITFOR DELAY '00:01'",
]

TEMPORARY = """DROP TABLE IF EXISTS #own; CREATE TABLE #own (id int NOT NULL PRIMARY KEY, t varchar(400) NOT NULL);
INSERT #own SELECT TOP (3000) id, t FROM big ORDER BY v; CREATE INDEX i ON #own (t);
DECLARE @n int = (SELECT COUNT(*) FROM #own); IF @n <> 3000 INSERT wrong VALUES (CONCAT('temporary: ', @n)); DROP TABLE #own"""

# What is held, in one row.
HELD = """SET NOCOUNT ON; SET ANSI_WARNINGS OFF; USE tempdb; SELECT CONCAT_WS(' ',
(SELECT SUM(internal_object_reserved_page_count) FROM sys.dm_db_file_space_usage),
(SELECT COALESCE(SUM(p.reserved_page_count), 0) FROM sys.dm_db_partition_stats p JOIN sys.tables t ON t.object_id = p.object_id),
(SELECT COUNT(*) FROM sys.dm_exec_query_memory_grants WHERE session_id <> @@SPID),
(SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE is_user_process = 1),
(SELECT COUNT(*) FROM sys.dm_tran_locks WHERE resource_type <> 'DATABASE' AND request_session_id <> @@SPID),
(SELECT SUM(pages_kb) / 1024 FROM sys.dm_os_memory_clerks), (SELECT COUNT(*) FROM soak.dbo.moved WITH (NOLOCK)))"""
FIGURES = ["resident MB", "descriptors", "spilled pages", "temporary pages", "grants", "sessions", "locks", "clerks MB", "moved"]


class Load:
    def __init__(self, address):
        host, port = address.split(",")
        self.address, self.over, self.errors = (host, int(port)), threading.Event(), []
        self.counts, self.lock = {}, threading.Lock()

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def repeat(self, work, what):
        """With a session that is opened again whenever it has ended."""
        draw, session = random.Random(f"{what} {threading.get_ident()}"), None
        while not self.over.is_set():
            try:
                if session is None:
                    session = log_in(self.address)
                    ask(session, "USE soak; SET NOCOUNT ON")
                work(session, draw)
                self.count(what)
            except OSError:
                session = None
            except Exception as error:  # What a thread dies of is told at the end.
                self.errors.append(f"{what}: {error!r}")
                return
        if session:
            session.close()

    def move(self, session, draw):
        source, target = draw.sample(range(1, ACCOUNTS + 1), 2)
        end = "COMMIT" if draw.random() < 0.8 else "ROLLBACK"
        ask(session, f"""BEGIN TRAN; UPDATE account SET balance -= 7 WHERE id = {min(source, target)};
            UPDATE account SET balance += 7 WHERE id = {max(source, target)};
            INSERT moved VALUES ({min(source, target)}, {max(source, target)}, 7); {end}""")

    def spill(self, session, draw):
        number = draw.randrange(len(SPILLS))
        ask(session, f"""DECLARE @now bigint = ({SPILLS[number]}); IF @now <> (SELECT answer FROM expected WHERE number = {number})
            INSERT wrong VALUES (CONCAT('query {number}: ', @now))""")
        ask(session, f"{SPILLS[number]} OPTION (MAX_GRANT_PERCENT = 0)")

    def cancel(self, session, draw):
        send(session, draw.choice(LONG))
        time.sleep(draw.random() * 2)
        way = draw.random()
        if way < 0.6:
            session.sendall(packet(ATTENTION, b""))
            # A DONE ends each message; its status has the attention's bit in the last one.
            while not receive(session)[-12] & 0x20:
                pass
            ask(session, "IF @@TRANCOUNT > 0 ROLLBACK")
        elif way < 0.8:
            session.close()
            raise ConnectionError("left")
        else:
            # To its end, or until somebody kills it.
            receive(session)

    def kill(self, session, draw):
        ask(session, """DECLARE @s varchar(40) = (SELECT TOP 1 CONCAT('KILL ', session_id) FROM sys.dm_exec_requests
            WHERE session_id > 50 AND session_id <> @@SPID AND total_elapsed_time > 2500 AND session_id IN (SELECT session_id
            FROM sys.dm_exec_sessions WHERE program_name = '') ORDER BY NEWID()); EXEC (@s)""")
        time.sleep(0.3)

    def temporary(self, session, draw):
        ask(session, TEMPORARY)

    def storm(self, session, draw):
        many = []
        for _ in range(draw.randrange(60)):
            try:
                many.append(log_in(self.address))
                if draw.random() < 0.3:
                    send(many[-1], draw.choice(LONG))
                if draw.random() < 0.3:
                    many[-1].sendall(prelogin(1)[: draw.randrange(1, 20)])
            except OSError:
                self.count("refused")
        for one in many:
            one.close()
        time.sleep(draw.random())


def held(server, options):
    status = open(f"/proc/{server.process.pid}/status").read()
    kb = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if line.startswith(("VmRSS", "RssFile"))}
    resident = (int(kb["VmRSS"]) - int(kb["RssFile"])) // 1024
    descriptors = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    answer = server.tool(options.heddle, "sql", "-b", "-h", "-1", "-W", "-Q", HELD)
    return [resident, descriptors, *map(int, answer.split()[-7:])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=60, help="seconds from one line to the next")
    parser.add_argument("--memory", default="256MB")
    parser.add_argument("--arguments", default="", help="more for `heddle serve`, in one word")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        server = Server(options.heddle, ["--memory", options.memory, *options.arguments.split()], data)
        try:
            sys.exit(run(server, options))
        finally:
            server.stop()


def run(server, options):
    expected = "USE soak; CREATE TABLE expected (number int NOT NULL PRIMARY KEY, answer bigint NOT NULL); "
    expected += " ".join(f"INSERT expected SELECT {number}, ({query});" for number, query in enumerate(SPILLS))
    for batch in [*SETUP.split("GO\n"), expected]:
        server.tool(options.heddle, "sql", "-b", "-Q", batch)
    load = Load(server.address)
    kinds = [(load.move, 4), (load.spill, 2), (load.cancel, 3), (load.kill, 1), (load.temporary, 1), (load.storm, 1)]
    threads = [threading.Thread(target=load.repeat, args=(work, work.__name__), daemon=True) for work, times in kinds for _ in range(times)]
    for thread in threads:
        thread.start()
    print("  ".join(["minute", *FIGURES]), flush=True)
    begun, lines = time.monotonic(), []
    while time.monotonic() - begun < options.minutes * 60 and server.process.poll() is None:
        time.sleep(options.every)
        lines.append(held(server, options))
        minute = (time.monotonic() - begun) / 60
        cells = [f"{minute:6.1f}", *(f"{figure:{len(name)}}" for name, figure in zip(FIGURES, lines[-1]))]
        print("  ".join(cells), flush=True)
    load.over.set()
    for thread in threads:
        thread.join(timeout=120)
    print("done:", ", ".join(f"{what} {count}" for what, count in sorted(load.counts.items())))
    return judge(server, options, load, lines)


def judge(server, options, load, lines):
    """What is wrong is printed; its exit code."""
    until = time.monotonic() + 60
    # The asking session is one.
    while (last := held(server, options))[2:7] != [0, 0, 0, 1, 0] and time.monotonic() < until:
        time.sleep(1)
    print("at the end:", ", ".join(f"{name} {figure}" for name, figure in zip(FIGURES, last)))
    sums = """SET NOCOUNT ON; USE soak; SELECT CONCAT_WS(' ', SUM(balance), (SELECT COUNT(*) FROM wrong),
        (SELECT COUNT(*) FROM account a WHERE a.balance <> """ f"{BALANCE}" """ + COALESCE((SELECT SUM(amount) FROM moved WHERE target = a.id), 0)
        - COALESCE((SELECT SUM(amount) FROM moved WHERE source = a.id), 0))) FROM account"""
    total, wrong, astray = map(int, server.tool(options.heddle, "sql", "-h", "-1", "-W", "-Q", sums).split()[-3:])
    server.tool(options.heddle, "sql", "-b", "-Q", "DBCC CHECKDB ('soak') WITH NO_INFOMSGS")
    faults = list(load.errors)
    if (total, wrong, astray) != (ACCOUNTS * BALANCE, 0, 0):
        faults.append(f"sum {total}, {wrong} wrong answers, {astray} accounts astray")
    if last[2:7] != [0, 0, 0, 1, 0]:
        faults.append(f"still held: {dict(zip(FIGURES[2:7], last[2:7]))}")
    # After a while it has all that it needs; what a line shows depends on what runs just then.
    settled = [line[0] for line in lines[len(lines) // 3 :]]
    half = (len(settled) + 1) // 2
    early, late = sum(settled[:half]) / half, sum(settled[-half:]) / half
    if late > early * 1.1 + 16:
        faults.append(f"resident memory has grown from {early:.0f} to {late:.0f} MB on the average")
    if last[1] > min(line[1] for line in lines) + 8:
        faults.append(f"{last[1]} descriptors are left")
    print("\n".join(faults) or "nothing has grown, and the sums are right")
    return 1 if faults else 0


if __name__ == "__main__":
    main()
