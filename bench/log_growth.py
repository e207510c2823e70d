#!/usr/bin/env python3
"""Does the log stay as long as it has to be? The load of restores.py for some minutes: under FULL with an archive and log backups, then under SIMPLE;
the bytes of the log's files and of the archive are read every few seconds. Then a transaction is left open, which has to be named by
log_reuse_wait_desc, dm_tran_active_transactions and DBCC OPENTRAN, and the log has to come back when it ends.

    bench/log_growth.py --heddle target/release/heddle --minutes 20

Exit code 1 if the log was longer in the last third of a phase than in the first (by more than four of its files), or the transaction is not named. The
clients are python-tds.
"""

import argparse
import os
import sys
import tempfile
import time

from restores import SETUP, STOCK, STARTED, Journal, Loads, ask, connect, once, serve

FILE = 32 << 20
SLACK = 4 * FILE
# Seconds in which the load fills a file of the log, at the very least.
HELD_MAX = 300


def bytes_of(directory, ending=""):
    total = 0
    for root, _, names in os.walk(directory):
        for name in names:
            if name.endswith(ending):
                try:
                    total += os.stat(os.path.join(root, name)).st_blocks * 512
                except FileNotFoundError:
                    pass
    return total


def holder(server):
    return once(server, "SELECT log_reuse_wait_desc FROM sys.databases WHERE name = 'shop'")[0][0]


def phase(options, server, data, archive, name, seconds, backup):
    """The bytes of the log, by time."""
    journal = Journal(options.sessions)
    once(server, "USE shop; DELETE orders; DELETE line; DELETE payment; UPDATE stock SET quantity = " + str(STOCK) + "; UPDATE district SET next_order = 1, ytd = 0")
    loads, samples, begun, shown, backed_up = Loads(server, journal, options.seed), [], time.time(), 0, 0
    while time.time() - begun < seconds:
        time.sleep(2)
        now = time.time() - begun
        if backup and now - backed_up > 15:
            backed_up = now
            once(server, backup)
        samples.append((now, bytes_of(data, ".log")))
        if now - shown > seconds / 10:
            shown = now
            print(f"{name}: {now:5.0f} s, log {samples[-1][1] >> 20} MB, data {bytes_of(data, '.hdb') >> 20} MB, archive {bytes_of(archive) >> 20} MB, "
                  f"{sum(map(len, journal.entries))} orders, {holder(server)}", flush=True)
    loads.end()
    third = seconds / 3
    first = max(size for at, size in samples if at <= third)
    last = max(size for at, size in samples if at >= 2 * third)
    print(f"{name}: log at most {first >> 20} MB in the first third, {last >> 20} MB in the last; {sum(map(len, journal.entries))} orders, "
          f"{len(journal.errors)} errors {journal.errors[:1]}")
    return [] if last <= first + SLACK and not journal.errors else [f"{name}: {first >> 20} MB, then {last >> 20} MB; {journal.errors[:1]}"]


def long_transaction(options, server, data, seconds):
    faults, journal = [], Journal(options.sessions)
    before = bytes_of(data, ".log")
    open_one = connect(server, "shop")
    ask(open_one, "BEGIN TRANSACTION the_long_one; INSERT payment WITH (SNAPSHOT) VALUES (-1, 1, 0); INSERT district VALUES (-1, 1, 0)")
    session = ask(open_one, "SELECT @@SPID")[0][0]
    once(server, "USE shop; DELETE orders; DELETE line; DELETE payment WHERE session >= 0")
    loads = Loads(server, journal, options.seed)
    begun, told = time.time(), ""
    # Until the log has gone on to other files, and a checkpoint would give the first one back.
    while time.time() - begun < seconds or told != "ACTIVE_TRANSACTION" and time.time() - begun < HELD_MAX:
        time.sleep(1)
        told = holder(server)
    loads.end()
    grown, seconds = bytes_of(data, ".log"), time.time() - begun
    named = once(server, f"""SELECT a.name, s.session_id FROM sys.dm_tran_active_transactions AS a JOIN sys.dm_tran_session_transactions AS s
        ON s.transaction_id = a.transaction_id WHERE s.session_id = {session}""")
    lsn = once(server, f"""SELECT d.database_transaction_log_bytes_used FROM sys.dm_tran_database_transactions AS d JOIN sys.dm_tran_session_transactions AS s
        ON s.transaction_id = d.transaction_id WHERE s.session_id = {session} AND d.database_id = DB_ID('shop')""")
    oldest = once(server, "USE shop; DBCC OPENTRAN WITH TABLERESULTS, NO_INFOMSGS")
    print(f"open for {seconds:.0f} s: log {before >> 20} -> {grown >> 20} MB, {told}, {named}, {lsn}, {oldest}")
    if told != "ACTIVE_TRANSACTION" or named != [("the_long_one", session)] or "the_long_one" not in str(oldest):
        faults.append(f"the open transaction: {told}, {named}, {oldest}")
    ask(open_one, "ROLLBACK")
    open_one.close()
    once(server, "CHECKPOINT; CHECKPOINT")
    after = bytes_of(data, ".log")
    print(f"after its end: log {after >> 20} MB, {holder(server)}")
    if after > max(before, 4 * FILE) + SLACK:
        faults.append(f"the log stays at {after >> 20} MB")
    return faults


def run(options, root):
    data, archive = os.path.join(root, "data"), os.path.join(root, "archive")
    server = serve(options, data, "--archive", archive)
    connection = connect(server)
    for batch in SETUP:
        ask(connection, batch)
    ask(connection, f"""USE shop; INSERT stock SELECT s.value, i.value, {STOCK} FROM GENERATE_SERIES(0, {options.sessions - 1}) s
        CROSS JOIN GENERATE_SERIES(1, 100) i""")
    connection.close()
    kept = os.path.join(root, "shop.bak")
    once(server, f"BACKUP DATABASE shop TO DISK = '{kept}' WITH FORMAT")
    seconds = options.minutes * 60
    log = f"BACKUP LOG shop TO DISK = '{os.path.join(root, 'shop.trn')}' WITH FORMAT"
    faults = phase(options, server, data, archive, "FULL", seconds / 2, log)
    once(server, "ALTER DATABASE shop SET RECOVERY SIMPLE")
    faults += phase(options, server, data, archive, "SIMPLE", seconds / 3, None)
    faults += long_transaction(options, server, data, seconds / 12)
    server.stop()
    for fault in faults:
        print(f"FAULT {fault}")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--sessions", type=int, default=4)
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
