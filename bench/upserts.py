#!/usr/bin/env python3
"""Upserts: the forms that T-SQL programs write, of keys that are there and keys that are not, beside PostgreSQL's INSERT ... ON CONFLICT.

    bench/upserts.py --heddle target/release/heddle --postgres /usr/lib/postgresql/15/bin
    bench/upserts.py --sessions 2 --sessions 16 --seconds 5 --rcsi

Printed for each form and number of sessions: operations a second, the best of the rounds, which take turns; its share of PostgreSQL's; and
deadlocks a thousand operations. `present`: one of --keys keys, all of them there. `absent`: a key that nobody has had, next to those of other
sessions. Each operation is a transaction; commits are delayed (PostgreSQL: synchronous_commit = off). Afterwards the sum of all counts must
be the number of operations that were answered without an error.
"""

import argparse
import json
import pathlib
import tempfile

from fairness import Server
from side_by_side import Postgres

FORMS = {
    "update": "BEGIN TRAN; UPDATE dbo.t WITH (UPDLOCK, HOLDLOCK) SET n += 1 WHERE id = @id; IF @@ROWCOUNT = 0 INSERT dbo.t VALUES (@id, 1); COMMIT",
    "look": "BEGIN TRAN; IF EXISTS (SELECT * FROM dbo.t WITH (UPDLOCK, HOLDLOCK) WHERE id = @id) UPDATE dbo.t SET n += 1 WHERE id = @id; "
            "ELSE INSERT dbo.t VALUES (@id, 1); COMMIT",
    "merge": "MERGE dbo.t WITH (HOLDLOCK) AS t USING (VALUES (@id)) AS s(id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET n += 1 "
             "WHEN NOT MATCHED THEN INSERT VALUES (s.id, 1);",
}
KEYS = {"present": "ABS(CHECKSUM(NEWID())) % {keys}", "absent": "NEXT VALUE FOR dbo.numbers"}
POSTGRES = "INSERT INTO t VALUES ({key}, 1) ON CONFLICT (id) DO UPDATE SET n = t.n + 1"
DEADLOCK = 1205


class HeddleUpserts:
    def __init__(self, options):
        self.options, self.server = options, Server(options.heddle, ["--memory", options.memory])
        self.sql("CREATE DATABASE bench", "master")
        self.sql(f"ALTER DATABASE bench SET DELAYED_DURABILITY = FORCED; ALTER DATABASE bench SET READ_COMMITTED_SNAPSHOT {'ON' if options.rcsi else 'OFF'}")
        self.sql("CREATE TABLE dbo.t (id bigint PRIMARY KEY, n int NOT NULL); CREATE SEQUENCE dbo.numbers START WITH 1000000000 CACHE 1000")
        for form, text in FORMS.items():
            for kind, key in KEYS.items():
                self.sql(f"CREATE PROCEDURE dbo.{form}_{kind} AS SET NOCOUNT ON; DECLARE @id bigint = {key.format(keys=options.keys)}; {text}")

    def sql(self, query, database="bench"):
        return self.server.tool(self.options.heddle, "sql", "-b", "-h", "-1", "-W", "-d", database, "-Q", query)

    def measure(self, form, kind, sessions):
        """Operations a second, operations, deadlocks, other errors."""
        self.sql(f"TRUNCATE TABLE dbo.t; INSERT dbo.t SELECT value, 0 FROM GENERATE_SERIES(0, {self.options.keys - 1})")
        load = ["-d", "bench", "--rpc", f"dbo.{form}_{kind}", "-n", str(sessions), "--duration", str(self.options.seconds), "-q", "--no-progress"]
        said = json.loads(self.server.tool(self.options.heddle, "stress", *load, "--json", "-", codes=(0, 1)))
        done, errors = said["iterations"], {int(error["number"]): error["count"] for error in said["errors"]}
        deadlocks = errors.pop(DEADLOCK, 0)
        counted = int(self.sql("SET NOCOUNT ON; SELECT SUM(CAST(n AS bigint)) FROM dbo.t"))
        if counted != done - deadlocks - sum(errors.values()):
            raise SystemExit(f"{form} {kind}: {counted} counted of {done} operations, {deadlocks} deadlocks, {errors}")
        return done / said["seconds"], done, deadlocks, errors

    def stop(self):
        self.server.stop()


class PostgresUpserts:
    def __init__(self, options, directory):
        self.options = options
        self.server = Postgres(options.postgres, options.postgres_port, directory, options.postgres_user, "tcp", None)
        self.server.sql("CREATE TABLE t (id bigint PRIMARY KEY, n int NOT NULL); CREATE SEQUENCE numbers START WITH 1000000000 CACHE 1000")

    def measure(self, kind, sessions):
        self.server.sql(f"TRUNCATE t; INSERT INTO t SELECT g, 0 FROM generate_series(0, {self.options.keys - 1}) g")
        if kind == "present":
            script = f"\\set id random(0, {self.options.keys - 1})\n" + POSTGRES.format(key=":id") + ";\n"
        else:
            script = POSTGRES.format(key="nextval('numbers')") + ";\n"
        return self.server.bench([script], sessions, "-T", str(self.options.seconds))

    def stop(self):
        self.server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--postgres", help="directory of PostgreSQL's programs; without it Heddle alone")
    parser.add_argument("--postgres-port", type=int, default=54331)
    parser.add_argument("--postgres-user", default="postgres", help="who runs it, where this script is root's")
    parser.add_argument("--sessions", type=int, action="append", help="2, 4, 8 and 16 where none is given")
    parser.add_argument("--keys", type=int, default=1000, help="that are there")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", default="1GB", help="of Heddle")
    parser.add_argument("--rcsi", action="store_true", help="READ_COMMITTED_SNAPSHOT ON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory).chmod(0o755)
        heddle = HeddleUpserts(options)
        postgres = PostgresUpserts(options, pathlib.Path(directory)) if options.postgres else None
        try:
            for kind in KEYS:
                for sessions in options.sessions or [2, 4, 8, 16]:
                    compare(heddle, postgres, kind, sessions, options.rounds)
        finally:
            heddle.stop()
            if postgres:
                postgres.stop()


def compare(heddle, postgres, kind, sessions, rounds):
    rates, done, deadlocks, best = {}, {}, {}, 0.0
    for _ in range(rounds):
        for form in FORMS:
            rate, operations, refused, errors = heddle.measure(form, kind, sessions)
            if errors:
                raise SystemExit(f"{form} {kind}: errors {errors}")
            rates[form] = max(rates.get(form, 0.0), rate)
            done[form], deadlocks[form] = done.get(form, 0) + operations, deadlocks.get(form, 0) + refused
        if postgres:
            best = max(best, postgres.measure(kind, sessions))
    for form in FORMS:
        share = f"   {rates[form] / best:5.2f} of PostgreSQL's {best:8.0f}" if best else ""
        print(f"{kind:8} {sessions:3} sessions   {form:7} {rates[form]:8.0f}/s{share}   {1000 * deadlocks[form] / done[form]:7.4f} deadlocks a thousand "
              f"of {done[form]}", flush=True)


if __name__ == "__main__":
    main()
