#!/usr/bin/env python3
"""Does what was acknowledged come back? An order entry load in the manner of TPC-C, on pages and in memory-optimized tables, with a journal of what each
client sent and heard. Meanwhile full, differential and log backups are taken, and the archive is written. Then the database is restored to
random moments and to its end: under a new name beside the original, on a new instance, and from the archive. What comes back must be between
what had been acknowledged at that moment and what had been sent, its sums must agree, and DBCC CHECKDB be silent.

    bench/restores.py --heddle target/release/heddle --seconds 30 --moments 5 --seed 1
    bench/restores.py --heddle target/release/heddle --kills 20 --seed 2

With --kills the server is killed so many times in the middle of a backup, a restore, a differential one, a shrink, a snapshot of the database, a
checkpoint, or while it ships to the archive, and started again. Exit code 1 if anything is missing, that should not be there, or does not fit
together. The clients are python-tds.
"""

import argparse
import datetime
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytds

from fairness import PASSWORD, Server

DISTRICTS, STOCK = 10, 1000
# A moment that lies nearer to an event is not asked for: clocks of clients and the server are read one after the other.
MARGIN = 0.05

SETUP = [
    "CREATE DATABASE shop",
    "ALTER DATABASE shop SET RECOVERY FULL",
    f"""USE shop;
    CREATE TABLE district (d int PRIMARY KEY, next_order int NOT NULL, ytd bigint NOT NULL);
    INSERT district SELECT value, 1, 0 FROM GENERATE_SERIES(1, {DISTRICTS});
    CREATE TABLE orders (d int NOT NULL, o int NOT NULL, session int NOT NULL, n int NOT NULL, PRIMARY KEY (d, o));
    CREATE INDEX by_session ON orders (session, n);
    CREATE TABLE line (d int NOT NULL, o int NOT NULL, l int NOT NULL, amount int NOT NULL, note varchar(300) NOT NULL, PRIMARY KEY (d, o, l));
    CREATE TABLE payment (session int NOT NULL, n int NOT NULL, amount int NOT NULL, PRIMARY KEY NONCLUSTERED (session, n)) WITH (MEMORY_OPTIMIZED = ON);
    CREATE TABLE stock (session int NOT NULL, i int NOT NULL, quantity int NOT NULL,
        PRIMARY KEY NONCLUSTERED HASH (session, i) WITH (BUCKET_COUNT = 16384)) WITH (MEMORY_OPTIMIZED = ON)""",
]

ORDER = """SET XACT_ABORT ON; BEGIN TRAN; DECLARE @o int;
UPDATE district SET @o = next_order, next_order += 1, ytd += {total} WHERE d = {d};
INSERT orders VALUES ({d}, @o, {session}, {n});
INSERT line SELECT {d}, @o, value, {each}, REPLICATE('x', {note}) FROM GENERATE_SERIES(1, {lines});
INSERT payment WITH (SNAPSHOT) VALUES ({session}, {n}, {total});
UPDATE stock WITH (SNAPSHOT) SET quantity -= 1 WHERE session = {session} AND i = {i};
COMMIT"""

# What must be equal, and each session's orders, whose numbers are 1 to the last.
SUMS = f"""SELECT (SELECT SUM(ytd) FROM district), (SELECT COALESCE(SUM(CAST(amount AS bigint)), 0) FROM line),
(SELECT COALESCE(SUM(CAST(amount AS bigint)), 0) FROM payment)"""
COUNTS = f"""SELECT (SELECT SUM(next_order - 1) FROM district), (SELECT COUNT(*) FROM orders), (SELECT COUNT(*) FROM payment),
(SELECT COALESCE(SUM({STOCK} - quantity), 0) FROM stock)"""
LAST = "SELECT session, MAX(n), COUNT(*) FROM orders GROUP BY session"


def connect(server, database="master", timeout=120):
    host, port = server.address.split(",")
    return pytds.connect(host, database=database, user="sa", password=PASSWORD, port=int(port), autocommit=True, timeout=timeout, login_timeout=20)


def ask(connection, text):
    with connection.cursor() as cursor:
        cursor.execute(text)
        rows = cursor.fetchall() if cursor.description else []
        while cursor.nextset():
            pass
        return rows


def once(server, text):
    connection = connect(server)
    try:
        return ask(connection, text)
    finally:
        connection.close()


class Journal:
    """What each session sent and heard, in seconds since 1970: entry n - 1 is of order n."""

    def __init__(self, sessions):
        self.entries = [[] for _ in range(sessions)]
        self.errors = []

    def bounds(self, session, moment):
        """Orders that must and that may be there at a moment; None: at the end."""
        entries = self.entries[session]
        heard = sum(1 for sent, heard in entries if heard is not None and (moment is None or heard <= moment))
        sent = sum(1 for sent, heard in entries if moment is None or sent <= moment)
        return heard, sent


def load(server, session, journal, over, seed):
    draw = random.Random(f"{seed} {session} {len(journal.entries[session])}")
    entries = journal.entries[session]
    try:
        connection = connect(server, "shop")
    except Exception:
        return
    while not over.is_set():
        n, lines, each = len(entries) + 1, draw.randint(1, 10), draw.randint(1, 500)
        text = ORDER.format(d=draw.randint(1, DISTRICTS), session=session, n=n, lines=lines, each=each, total=lines * each, note=draw.randrange(300),
                            i=draw.randint(1, 100))
        entries.append([time.time(), None])
        try:
            ask(connection, text)
        except pytds.OperationalError as error:
            if getattr(error, "msg_no", 0) in (1205, 41302, 41305, 41325, 41301):
                entries.pop()
                continue
            return
        except pytds.ClosedConnectionError:
            return
        except pytds.Error as error:
            journal.errors.append(f"session {session}: {error}")
            return
        except OSError:
            return
        entries[-1][1] = time.time()


class Loads:
    def __init__(self, server, journal, seed):
        self.over = threading.Event()
        run = lambda session: load(server, session, journal, self.over, seed)
        self.threads = [threading.Thread(target=run, args=(session,), daemon=True) for session in range(len(journal.entries))]
        for thread in self.threads:
            thread.start()

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join(timeout=180)


def check(server, database, journal, moment, what):
    """The faults of a database; at a moment, or, without one, after all that was acknowledged. And the orders of each session."""
    faults, connection = [], connect(server, database)
    sums, counts = ask(connection, SUMS)[0], ask(connection, COUNTS)[0]
    if len(set(sums)) != 1 or len(set(counts)) != 1:
        faults.append(f"{what}: sums {sums}, counts {counts}")
    found = {session: (last, count) for session, last, count in ask(connection, LAST)}
    there = []
    for session in range(len(journal.entries)):
        last, count = found.get(session, (0, 0))
        least, most = journal.bounds(session, moment)
        there.append(last)
        if last != count or not least <= last <= most:
            faults.append(f"{what}: session {session} has {count} orders up to {last}, of {least} to {most}")
    try:
        said = ask(connection, f"DBCC CHECKDB ('{database}') WITH NO_INFOMSGS")
        if said:
            faults.append(f"{what}: CHECKDB {said}")
    except pytds.Error as error:
        faults.append(f"{what}: CHECKDB {error}")
    connection.close()
    return faults, there


class Backups:
    """The sets in the order in which they were begun: kind, path, and between which times; None: nobody heard of its end."""

    def __init__(self, directory):
        self.directory, self.sets = directory, []

    def take(self, server, kind):
        path = os.path.join(self.directory, f"{len(self.sets):04}.{kind}")
        text = {"full": f"BACKUP DATABASE shop TO DISK = '{path}' WITH FORMAT, COMPRESSION", "log": f"BACKUP LOG shop TO DISK = '{path}' WITH FORMAT",
                "diff": f"BACKUP DATABASE shop TO DISK = '{path}' WITH FORMAT, DIFFERENTIAL"}[kind]
        entry = [kind, path, time.time(), None]
        self.sets.append(entry)
        once(server, text)
        entry[3] = time.time()

    def restore(self, server, name, moment, draw):
        """As an operator would: a full backup, perhaps a differential one, the logs behind, up to a moment or the end."""
        connection = connect(server)
        whole = [number for number, one in enumerate(self.sets) if one[3] is not None and (moment is None or one[3] + MARGIN < moment)]
        fulls = [number for number in whole if self.sets[number][0] == "full"]
        full = draw.choice(fulls)
        ask(connection, f"RESTORE DATABASE {name} FROM DISK = '{self.sets[full][1]}' WITH NORECOVERY")
        later = [number for number in fulls if number > full]
        diffs = [number for number in whole if self.sets[number][0] == "diff" and full < number < min(later, default=len(self.sets))]
        from_set = full
        if diffs and draw.random() < 0.6:
            from_set = draw.choice(diffs)
            ask(connection, f"RESTORE DATABASE {name} FROM DISK = '{self.sets[from_set][1]}' WITH NORECOVERY")
        until = ""
        if moment is not None:
            at = datetime.datetime.fromtimestamp(moment).strftime("%Y-%m-%dT%H:%M:%S.%f")
            until = f", STOPAT = '{at}'"
        for kind, path, _, ended in self.sets:
            if kind != "log" or not os.path.exists(path):
                continue
            try:
                ask(connection, f"RESTORE LOG {name} FROM DISK = '{path}' WITH {'RECOVERY' if until else 'NORECOVERY'}{until}")
            except pytds.Error as error:
                # Too early; or cut by a kill, and the next one has its log.
                if "too early" not in str(error) and ended is not None:
                    raise
            state = ask(connection, f"SELECT state FROM sys.databases WHERE name = '{name}'")
            if state[0][0] == 0:
                break
        else:
            ask(connection, f"RESTORE DATABASE {name} WITH RECOVERY")
        connection.close()


STARTED = []


def serve(options, data, *more):
    server = Server(options.heddle, ["--memory", options.memory, *options.arguments.split(), *more], data)
    STARTED.append(server)
    return server


def start(options, data, archive):
    return serve(options, data, "--archive", archive, "--archive-snapshot", "0.002")


def restored_archive(options, archive, to, moment):
    command = [options.heddle, "restore", "--archive", archive, "--to", to]
    if moment is not None:
        command += ["--at", datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stderr}")
    return serve(options, to)


def shipped(server):
    connection = connect(server)
    wanted = ask(connection, "SELECT hardened_lsn FROM sys.dm_heddle_archive")[0][0]
    while ask(connection, "SELECT archived_lsn FROM sys.dm_heddle_archive")[0][0] < wanted:
        time.sleep(0.1)
    time.sleep(1.5)


def kill_in(server, backups, draw, number):
    """Begins something and kills the server in its middle; what that was."""
    full = next(one[1] for one in backups.sets if one[0] == "full" and one[3] is not None)
    statements = {
        "restore": f"RESTORE DATABASE copy_{number} FROM DISK = '{full}' WITH NORECOVERY; RESTORE DATABASE copy_{number} WITH RECOVERY",
        "restore in one step": f"RESTORE DATABASE copy_{number} FROM DISK = '{full}'",
        "shrink": "DBCC SHRINKDATABASE ('shop') WITH NO_INFOMSGS; DBCC SHRINKDATABASE ('shop') WITH NO_INFOMSGS",
        "snapshot": f"CREATE DATABASE then_{number} ON (NAME = shop, FILENAME = 'then_{number}.ss') AS SNAPSHOT OF shop; DROP DATABASE then_{number}",
        "checkpoint": "USE shop; CHECKPOINT; CHECKPOINT; CHECKPOINT",
        "archive": "WAITFOR DELAY '00:00:05'",
    }
    what = draw.choice(["full", "log", "log", "diff", *statements])

    def work():
        try:
            if what in statements:
                once(server, statements[what])
            else:
                backups.take(server, what)
        except Exception:
            # The server has gone.
            pass

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    # Most are over within this time.
    time.sleep(draw.random() ** 2 * (3 if what == "archive" else 0.8))
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    thread.join(timeout=60)
    return what


def settle(server, journal, round_name):
    """After a kill: nothing that was acknowledged is lost; what nobody heard of is there or not, and the journal follows."""
    faults, there = check(server, "shop", journal, None, round_name)
    for entries, last in zip(journal.entries, there):
        del entries[last:]
        for entry in entries:
            # Committed at some time before the kill.
            if entry[1] is None:
                entry[1] = time.time()
    connection = connect(server)
    for (name,) in ask(connection, "SELECT name FROM sys.databases WHERE name LIKE 'copy[_]%' OR name LIKE 'then[_]%' ORDER BY name DESC"):
        ask(connection, f"DROP DATABASE {name}")
    connection.close()
    return faults


def run(options, root):
    draw, faults, cases = random.Random(options.seed), [], 0
    journal, backups = Journal(options.sessions), Backups(os.path.join(root, "sets"))
    os.mkdir(backups.directory)
    data, archive = os.path.join(root, "data"), os.path.join(root, "archive")
    server = start(options, data, archive)
    connection = connect(server)
    for batch in SETUP:
        ask(connection, batch)
    ask(connection, f"""USE shop; INSERT stock SELECT s.value, i.value, {STOCK} FROM GENERATE_SERIES(0, {options.sessions - 1}) s
        CROSS JOIN GENERATE_SERIES(1, 100) i""")
    connection.close()
    backups.take(server, "full")
    loads = Loads(server, journal, options.seed)
    begun = time.time()
    for number in range(options.kills):
        time.sleep(0.3 + draw.random() * 0.7)
        what = kill_in(server, backups, draw, number)
        loads.end()
        server = start(options, data, archive)
        faults += settle(server, journal, f"kill {number} in {what}")
        cases += 1
        print(f"kill {number} in {what}: {sum(map(len, journal.entries))} orders, {len(faults)} faults", flush=True)
        loads = Loads(server, journal, options.seed)
        time.sleep(0.2)
        backups.take(server, "log")
    while time.time() - begun < options.seconds:
        time.sleep(draw.random() * options.seconds / 8)
        backups.take(server, draw.choice(["log", "log", "log", "diff", "full"]))
    # So that every moment before has a log backup behind it.
    time.sleep(0.3)
    ended = time.time()
    time.sleep(0.3)
    loads.end()
    backups.take(server, "log")
    shipped(server)
    faults += journal.errors
    found, _ = check(server, "shop", journal, None, "the original")
    faults += found
    first = backups.sets[0][3] + 2 * MARGIN
    others = serve(options, os.path.join(root, "other"))
    for number in range(options.moments + 1):
        moment = None if number == options.moments else first + draw.random() * (ended - first)
        shown = "the end" if moment is None else f"{moment - first:.3f} s"
        for where, on in [("beside", server), ("elsewhere", others)]:
            name = f"back_{number}"
            backups.restore(on, name, moment, draw)
            found, there = check(on, name, journal, moment, f"{shown}, {where}")
            faults += found
            once(on, f"ALTER DATABASE {name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE {name}")
            print(f"{shown}, {where}: {there}, {len(faults)} faults", flush=True)
            cases += 1
        if moment is None or moment > first + 12:
            to = os.path.join(root, f"archived-{number}")
            back = restored_archive(options, archive, to, moment)
            found, there = check(back, "shop", journal, moment, f"{shown}, from the archive")
            back.stop()
            faults += found
            print(f"{shown}, from the archive: {there}, {len(faults)} faults", flush=True)
            cases += 1
    others.stop()
    server.stop()
    orders = sum(map(len, journal.entries))
    print(f"{orders} orders, {len(backups.sets)} sets, {cases} cases, {len(faults)} faults")
    for fault in faults:
        print(f"FAULT {fault}")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--seconds", type=float, default=20, help="of load, at least")
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--moments", type=int, default=4, help="random ones that are restored; the end is always")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", default="512MB")
    parser.add_argument("--arguments", default="", help="more for `heddle serve`, in one word")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        try:
            sys.exit(run(options, root))
        finally:
            for server in STARTED:
                server.process.kill()
                server.process.wait()


if __name__ == "__main__":
    main()
