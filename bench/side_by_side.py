#!/usr/bin/env python3
"""Heddle and PostgreSQL side by side: the same work on both, one after the other, in one run, as ratios.

    bench/side_by_side.py --heddle target/release/heddle
    bench/side_by_side.py --only insert --seconds 10 --json figures.json
    bench/side_by_side.py --transport local

Both servers are started here, on 127.0.0.1, with data in a temporary directory, and stopped at the end. Clients reach both over TCP,
or both by a Unix socket (--transport local: Heddle as lpc:., PostgreSQL by its socket directory). Both answer a commit before
it is on disk (Heddle: DELAYED_DURABILITY = FORCED; PostgreSQL: synchronous_commit = off). Loads come from `heddle stress` and from
`pgbench -M prepared`; what streams rows to a client uses COPY on PostgreSQL, its fastest way. CPU seconds of the servers are shown
because wall-clock rates mean little on a shared machine: rate/cpu counts work per second of server CPU. "stolen" is the share of its
CPUs that a virtual machine's host gave to others during Heddle's run and PostgreSQL's.

PostgreSQL does not run as root: as root its programs run as --pg-user.
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
import time

PASSWORD = "Bench-1-password"
PG_CONNECT_SECONDS = 20
SPID_STRIDE = 10_000_000_000

HEDDLE_SCHEMA = """
CREATE DATABASE bench
GO
ALTER DATABASE bench SET DELAYED_DURABILITY = FORCED
GO
USE bench
GO
CREATE TABLE dbo.MyBigTable (
    c1 bigint NOT NULL PRIMARY KEY CLUSTERED, c2 datetime DEFAULT GETDATE(), c3 char(111) DEFAULT 'a',
    c4 int DEFAULT 1, c5 int DEFAULT 2, c6 bigint DEFAULT 42)
CREATE TABLE dbo.Calls (id bigint IDENTITY PRIMARY KEY, c2 datetime DEFAULT GETDATE(), c3 char(111) DEFAULT 'a')
CREATE TABLE dbo.Numbers (n int NOT NULL PRIMARY KEY)
GO
CREATE PROCEDURE dbo.usp_Insert @RowsToInsert int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @i bigint = 0, @base bigint = @@SPID * 10000000000
    WHILE @i < @RowsToInsert
    BEGIN
        BEGIN TRANSACTION
            INSERT INTO dbo.MyBigTable (c1) VALUES (@base + @i), (@base + @i + 1)
        COMMIT
        SET @i += 2
    END
END
GO
CREATE PROCEDURE dbo.usp_InsertRandom @RowsToInsert int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @i bigint = 0
    WHILE @i < @RowsToInsert
    BEGIN
        BEGIN TRANSACTION
            INSERT INTO dbo.MyBigTable (c1)
                VALUES (CAST(CAST(NEWID() AS binary(8)) AS bigint)), (CAST(CAST(NEWID() AS binary(8)) AS bigint))
        COMMIT
        SET @i += 2
    END
END
GO
CREATE PROCEDURE dbo.usp_InsertOne AS
BEGIN
    SET NOCOUNT ON
    INSERT INTO dbo.Calls (c3) VALUES ('a')
END
GO
CREATE PROCEDURE dbo.usp_Cursor @rows int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @v int, @left int = @rows
    DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT a.n FROM dbo.Numbers a CROSS JOIN dbo.Numbers b
    OPEN c
    FETCH NEXT FROM c INTO @v
    WHILE @@FETCH_STATUS = 0 AND @left > 1
    BEGIN
        SET @left -= 1
        FETCH NEXT FROM c INTO @v
    END
    CLOSE c
    DEALLOCATE c
END
GO
CREATE PROCEDURE dbo.usp_While @n bigint AS
BEGIN
    SET NOCOUNT ON
    DECLARE @i bigint = 0
    WHILE @i < @n SET @i += 1
END
GO
SET NOCOUNT ON
DECLARE @i int = 1
BEGIN TRANSACTION
WHILE @i <= 10000 BEGIN INSERT dbo.Numbers VALUES (@i); SET @i += 1 END
COMMIT
GO
CREATE TABLE district (d_w_id int, d_id int, d_next_o_id int, PRIMARY KEY (d_w_id, d_id))
CREATE TABLE customer (c_w_id int, c_d_id int, c_id int, c_first varchar(16), c_middle char(2), c_last varchar(16),
    c_balance decimal(12,2), c_data varchar(500), PRIMARY KEY (c_w_id, c_d_id, c_id))
CREATE TABLE orders (o_w_id int, o_d_id int, o_id int, o_c_id int, o_entry_d datetime, o_carrier_id int, o_ol_cnt int,
    PRIMARY KEY (o_w_id, o_d_id, o_id))
CREATE TABLE order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int,
    ol_delivery_d datetime, ol_quantity int, ol_amount decimal(6,2), ol_dist_info char(24),
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number))
CREATE TABLE stock (s_w_id int, s_i_id int, s_quantity int, s_data varchar(50), PRIMARY KEY (s_w_id, s_i_id))
GO
INSERT district SELECT 1, n, 3001 FROM Numbers WHERE n <= 10
INSERT customer SELECT 1, d.n, c.n, 'first' + CAST(c.n AS varchar(10)), 'OE', 'last' + CAST(c.n % 1000 AS varchar(10)), 10,
    REPLICATE('x', 300) FROM Numbers d CROSS JOIN Numbers c WHERE d.n <= 10 AND c.n <= 3000
INSERT orders SELECT 1, d.n, o.n, 1 + o.n * 7919 % 3000, GETDATE(), 1, 10 FROM Numbers d CROSS JOIN Numbers o
    WHERE d.n <= 10 AND o.n <= 3000
INSERT order_line SELECT 1, d.n, o.n, l.n, 1 + (o.n * 131 + l.n * 7) % 10000, 1, GETDATE(), 5, 1, 'distinfo'
    FROM Numbers d CROSS JOIN Numbers o CROSS JOIN Numbers l WHERE d.n <= 10 AND o.n <= 3000 AND l.n <= 10
INSERT stock SELECT 1, n, n * 37 % 100, 'data' FROM Numbers
CREATE INDEX orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)
GO
CREATE PROCEDURE dbo.usp_Mix AS
BEGIN
    SET NOCOUNT ON
    DECLARE @d int = 1 + ABS(CHECKSUM(NEWID())) % 10, @c int = 1 + ABS(CHECKSUM(NEWID())) % 3000, @next int
    IF ABS(CHECKSUM(NEWID())) % 2 = 0
    BEGIN
        SELECT c_first, c_middle, c_last, c_balance FROM customer WHERE c_w_id = 1 AND c_d_id = @d AND c_id = @c
        SELECT TOP 1 o_id, o_entry_d, o_carrier_id FROM orders WHERE o_w_id = 1 AND o_d_id = @d AND o_c_id = @c ORDER BY o_id DESC
        SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
            WHERE ol_w_id = 1 AND ol_d_id = @d AND ol_o_id = @c
    END
    ELSE
    BEGIN
        SELECT @next = d_next_o_id FROM district WHERE d_w_id = 1 AND d_id = @d
        SELECT COUNT(DISTINCT s_i_id) FROM order_line JOIN stock ON s_w_id = 1 AND s_i_id = ol_i_id
            WHERE ol_w_id = 1 AND ol_d_id = @d AND ol_o_id < @next AND ol_o_id >= @next - 20 AND s_quantity < 15
    END
END
GO
"""

PG_SCHEMA = """
create table mybigtable (c1 bigint primary key, c2 timestamp default now(), c3 char(111) default 'a',
    c4 int default 1, c5 int default 2, c6 bigint default 42);
create table calls (id bigserial primary key, c2 timestamp default now(), c3 char(111) default 'a');
create table numbers (n int primary key);
insert into numbers select generate_series(1, 10000);
create procedure usp_insert(spid bigint, n int) language plpgsql as $$
declare i bigint := 0; base bigint := spid * 10000000000;
begin while i < n loop insert into mybigtable (c1) values (base + i), (base + i + 1); commit; i := i + 2; end loop; end $$;
create procedure usp_insert_random(n int) language plpgsql as $$
declare i bigint := 0;
begin while i < n loop
    insert into mybigtable (c1) values ((random() * 9e18)::bigint), ((random() * 9e18)::bigint); commit; i := i + 2;
end loop; end $$;
create procedure usp_insert_one() language plpgsql as $$ begin insert into calls (c3) values ('a'); end $$;
create procedure usp_cursor(n int) language plpgsql as $$
declare c refcursor; v int; remaining int := n;
begin
    open c for select a.n from numbers a cross join numbers b;
    fetch c into v;
    while found and remaining > 1 loop remaining := remaining - 1; fetch c into v; end loop;
    close c;
end $$;
create procedure usp_while(n bigint) language plpgsql as $$
declare i bigint := 0; begin while i < n loop i := i + 1; end loop; end $$;
create table district (d_w_id int, d_id int, d_next_o_id int, primary key (d_w_id, d_id));
create table customer (c_w_id int, c_d_id int, c_id int, c_first varchar(16), c_middle char(2), c_last varchar(16),
    c_balance numeric(12,2), c_data varchar(500), primary key (c_w_id, c_d_id, c_id));
create table orders (o_w_id int, o_d_id int, o_id int, o_c_id int, o_entry_d timestamp, o_carrier_id int, o_ol_cnt int,
    primary key (o_w_id, o_d_id, o_id));
create table order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int,
    ol_delivery_d timestamp, ol_quantity int, ol_amount numeric(6,2), ol_dist_info char(24),
    primary key (ol_w_id, ol_d_id, ol_o_id, ol_number));
create table stock (s_w_id int, s_i_id int, s_quantity int, s_data varchar(50), primary key (s_w_id, s_i_id));
insert into district select 1, d, 3001 from generate_series(1, 10) d;
insert into customer select 1, d, c, 'first' || c, 'OE', 'last' || c % 1000, 10, repeat('x', 300)
    from generate_series(1, 10) d, generate_series(1, 3000) c;
insert into orders select 1, d, o, 1 + o * 7919 % 3000, now(), 1, 10 from generate_series(1, 10) d, generate_series(1, 3000) o;
insert into order_line select 1, d, o, l, 1 + (o * 131 + l * 7) % 10000, 1, now(), 5, 1, 'distinfo'
    from generate_series(1, 10) d, generate_series(1, 3000) o, generate_series(1, 10) l;
insert into stock select 1, n, n * 37 % 100, 'data' from generate_series(1, 10000) n;
create index orders_customer on orders (o_w_id, o_d_id, o_c_id, o_id);
vacuum analyze;
"""

# One user's transaction with plain statements, each prepared once a connection: what an application sends PostgreSQL.
PG_ORDER_STATUS = """\\set d random(1, 10)
\\set c random(1, 3000)
select c_first, c_middle, c_last, c_balance from customer where c_w_id = 1 and c_d_id = :d and c_id = :c;
select o_id, o_entry_d, o_carrier_id from orders where o_w_id = 1 and o_d_id = :d and o_c_id = :c order by o_id desc limit 1;
select ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d from order_line
    where ol_w_id = 1 and ol_d_id = :d and ol_o_id = :c;
"""
PG_STOCK_LEVEL = """\\set d random(1, 10)
select count(distinct s_i_id) from district join order_line on ol_w_id = d_w_id and ol_d_id = d_id and ol_o_id < d_next_o_id
    and ol_o_id >= d_next_o_id - 20 join stock on s_w_id = 1 and s_i_id = ol_i_id
    where d_w_id = 1 and d_id = :d and s_quantity < 15;
"""


def cpu_of(pids):
    """User and system seconds that the processes have used, children that ended included."""
    total = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += sum(int(fields[i]) for i in (11, 12, 13, 14))
        except (FileNotFoundError, ProcessLookupError):  # ended before or while it was read
            pass
    return total / os.sysconf("SC_CLK_TCK")


class Heddle:
    def __init__(self, binary, port, directory, extra, transport):
        self.binary = str(pathlib.Path(binary).resolve())
        self.address = f"lpc:.,{port}" if transport == "local" else f"127.0.0.1,{port}"
        self.log = open(directory / "heddle.log", "wb")
        started = time.monotonic()
        self.process = subprocess.Popen(
            [self.binary, "serve", "--data", str(directory / "heddle"), "--listen", f"127.0.0.1:{port}",
             "--sa-password", PASSWORD, *extra], stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if "ready" not in line:
            sys.exit(f"Heddle does not start; see {directory / 'heddle.log'}")
        self.start_s = time.monotonic() - started
        script = directory / "heddle.sql"
        script.write_text(HEDDLE_SCHEMA)
        result = self.client("sql", "-b", "-i", str(script))
        if result.returncode:
            sys.exit(f"Heddle's schema failed:\n{result.stdout}{result.stderr}")

    def client(self, command, *args, timeout=300):
        env = {**os.environ, "SQLCMDPASSWORD": PASSWORD}
        return subprocess.run([self.binary, command, "-S", self.address, "-U", "sa", *args],
                              env=env, capture_output=True, text=True, timeout=timeout)

    def stress(self, *args, timeout=300):
        """The summary of a run of `heddle stress`."""
        result = self.client("stress", "-d", "bench", "-q", "--no-progress", "--json", "-", *args, timeout=timeout)
        try:
            summary = json.loads(result.stdout)
        except json.JSONDecodeError:
            raise RuntimeError(f"{result.stdout}{result.stderr}".strip() or "no answer") from None
        if summary["error_count"]:
            raise RuntimeError(str(summary["errors"])[:200])
        return summary

    def sql(self, text):
        result = self.client("sql", "-b", "-d", "bench", "-Q", text)
        if result.returncode:
            raise RuntimeError((result.stdout + result.stderr).strip())
        return result.stdout

    def pids(self):
        return [self.process.pid]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            print("Heddle did not stop within 10 s", file=sys.stderr)
            self.process.kill()
            self.process.wait()


class Postgres:
    def __init__(self, programs, port, directory, user, transport, schema=PG_SCHEMA):
        self.programs, self.port, self.directory = pathlib.Path(programs), port, directory / "pg"
        # libpq takes a directory for that of the server's Unix socket.
        self.host = str(self.directory) if transport == "local" else "127.0.0.1"
        self.user = user if os.geteuid() == 0 else None
        self.directory.mkdir()
        if self.user:
            shutil.chown(self.directory, self.user)
        self.run("initdb", "-D", str(self.directory / "data"), "-A", "trust", "-U", "bench", check=True)
        settings = {
            "port": port, "listen_addresses": "'127.0.0.1'", "unix_socket_directories": f"'{self.directory}'",
            "shared_buffers": "'2GB'", "max_connections": 1200, "max_wal_size": "'20GB'", "checkpoint_timeout": "'30min'",
            "synchronous_commit": "off", "max_parallel_workers_per_gather": 0, "max_parallel_maintenance_workers": 0,
        }
        with open(self.directory / "data/postgresql.conf", "a") as conf:
            conf.writelines(f"{name} = {value}\n" for name, value in settings.items())
        self.run("pg_ctl", "-D", str(self.directory / "data"), "-l", str(self.directory / "log"), "-w", "start", check=True)
        self.postmaster = int((self.directory / "data/postmaster.pid").read_text().split()[0])
        if schema:
            self.sql(schema)

    def command(self, program, *args):
        command = [str(self.programs / program), *args]
        if program == "pgbench":
            # As `heddle stress` does: the load gives way to the server.
            command = ["chrt", "--batch", "0", *command]
        if self.user:
            command = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", *command]
        return command

    def environment(self):
        return {**os.environ, "PGHOST": self.host, "PGPORT": str(self.port), "PGUSER": "bench", "PGDATABASE": "postgres"}

    def run(self, program, *args, check=False, **options):
        # pg_ctl's server would keep a pipe open.
        output = {} if program == "psql" or program == "pgbench" else {"stdout": subprocess.DEVNULL}
        return subprocess.run(self.command(program, *args), env=self.environment(), check=check, cwd="/", text=True,
                              **{**output, **options})

    def sql(self, text):
        result = self.run("psql", "-qAtX", "-v", "ON_ERROR_STOP=1", input=text, capture_output=True)
        if result.returncode:
            raise RuntimeError(result.stderr.strip())
        return result.stdout

    def drain(self, statement):
        """Seconds until psql has read, and thrown away, what the statement sends."""
        started = time.monotonic()
        self.run("psql", "-qX", "-c", statement, stdout=subprocess.DEVNULL, check=True)
        return time.monotonic() - started

    def bench(self, scripts, clients, *args, threads=2):
        """Transactions per second, connecting left out."""
        names = []
        for at, script in enumerate(scripts):
            path = self.directory / f"script{at}.sql"
            path.write_text(script)
            os.chmod(path, 0o644)
            names += ["-f", str(path)]
        result = self.run("pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, threads)), *args, *names,
                          capture_output=True)
        found = re.search(r"^tps = ([\d.]+)", result.stdout, re.M)
        if not found:
            # Also where so many clients finish nothing in the time given.
            said = (result.stderr.strip() or result.stdout.strip()).splitlines()
            raise RuntimeError(said[-1] if said else "pgbench said nothing")
        return float(found[1])

    def pids(self):
        children = subprocess.run(["pgrep", "-P", str(self.postmaster)], capture_output=True, text=True).stdout.split()
        return [self.postmaster, *children]

    def stop(self):
        self.run("pg_ctl", "-D", str(self.directory / "data"), "-m", "fast", "-w", "stop")


def loads(options, heddle, postgres):
    """(name, unit, target ratio or None, Heddle's rate, PostgreSQL's rate, limit or None): the rates as functions."""
    scale = options.scale
    rows = int(400_000 * scale)

    def heddle_loop(procedure, count, sessions=1, empty=True):
        def run():
            if empty:
                heddle.sql("TRUNCATE TABLE dbo.MyBigTable")
            return count * sessions / heddle.stress("--rpc", f"dbo.{procedure} {count}", "-n", str(sessions), "-r", "1")["seconds"]
        return run

    def postgres_loop(call, count, sessions=1, empty=True):
        def run():
            if empty:
                postgres.sql("truncate mybigtable")
            return count * postgres.bench([f"call {call};\n"], sessions, "-t", "1")
        return run

    for sessions in (1, 2):
        yield (f"insert, loop in a procedure, {sessions} session(s)", "rows/s", 3,
               heddle_loop("usp_Insert", rows, sessions),
               postgres_loop(f"usp_insert((:client_id + 1)::bigint, {rows})", rows, sessions), None)
    for sessions in (1, 2):
        duration = str(options.seconds)
        yield (f"insert, a procedure call a row, {sessions} session(s)", "rows/s", 3,
               lambda n=sessions: heddle.stress("--rpc", "dbo.usp_InsertOne", "-n", str(n), "--duration", duration)[
                   "iterations_per_second"],
               lambda n=sessions: postgres.bench(["call usp_insert_one();\n"], n, "-T", duration), None)
    for sessions in (1, 2):
        yield (f"insert, random key, {sessions} session(s)", "rows/s", 3,
               heddle_loop("usp_InsertRandom", rows, sessions), postgres_loop(f"usp_insert_random({rows})", rows, sessions), None)
    fetches, steps = int(1_000_000 * scale), int(5_000_000 * scale)
    yield ("cursor, FETCH NEXT INTO", "fetches/s", 5,
           heddle_loop("usp_Cursor", fetches, empty=False), postgres_loop(f"usp_cursor({fetches})", fetches, empty=False), None)
    yield ("WHILE loop, SET @i += 1", "turns/s", 5,
           heddle_loop("usp_While", steps, empty=False), postgres_loop(f"usp_while({steps})", steps, empty=False), None)

    def one(query, count):
        return lambda: count / heddle.stress("-Q", query, "-n", "1", "-r", "1", "-p", "32767")["seconds"]

    side = int(10_000 * min(scale, 1))
    total = side * 10_000
    cross = f"SELECT COUNT_BIG(*) FROM dbo.Numbers a CROSS JOIN dbo.Numbers b WHERE a.n <= {side}"
    yield ("count(*) of a cross join", "rows/s", None, one(cross, total),
           lambda: total / postgres.drain(cross.replace("COUNT_BIG", "count").replace("dbo.", "")), None)
    ints = int(200 * scale) or 1
    yield ("int rows to a client", "rows/s", None,
           one(f"SELECT b.n FROM dbo.Numbers a CROSS JOIN dbo.Numbers b WHERE a.n <= {ints}", ints * 10_000),
           lambda: ints * 10_000 / postgres.drain(
               f"copy (select b.n from numbers a cross join numbers b where a.n <= {ints}) to stdout (format binary)"), None)
    wide = int(10 * scale) or 1
    yield ("8 KB rows to a client", "rows/s", None,
           one(f"SELECT REPLICATE('a', 8000) FROM dbo.Numbers a CROSS JOIN dbo.Numbers b WHERE a.n <= {wide}", wide * 10_000),
           lambda: wide * 10_000 / postgres.drain(
               f"copy (select repeat('a', 8000) from numbers a cross join numbers b where a.n <= {wide}) to stdout"), None)
    # Users who all think exactly as long queue together again and again; a quarter more or less, and they do not.
    for think, spread in ((0, 0), (20, 0), (20, 25)):
        for users in (2, 50, 400, 600):
            least, most = (round(think * 10 * (100 + sign * spread)) for sign in (-1, 1))
            sleep = f"\\set t random({least}, {most})\n\\sleep :t us\n" if think else ""
            limit = users / (think / 1000) if think else None
            around = f" +-{spread} %" if spread else ""
            yield (f"reads, {users} users, think {think} ms{around}", "tx/s", None,
                   lambda n=users, t=think, s=spread: heddle.stress(
                       "--rpc", "dbo.usp_Mix", "-n", str(n), "--think", str(t), "--think-spread", str(s),
                       "--duration", str(options.seconds), "--barrier",
                       "--warmup", "1")["iterations_per_second"],
                   lambda n=users, s=sleep: postgres.bench([s + PG_ORDER_STATUS, s + PG_STOCK_LEVEL], n, "-T", str(options.seconds)),
                   limit)
    yield ("session reset, 1,024 connections", "resets/s", None,
           lambda: heddle.stress("-Q", "{call sp_reset_connection()}", "-n", "1024", "--duration", str(options.seconds), "--barrier")[
               "iterations_per_second"],
           # pgbench counts the time in which it starts 1,024 server processes, and leaves it out of its rate.
           lambda: postgres.bench(["discard all;\n"], 1024, "-T", str(options.seconds + PG_CONNECT_SECONDS)), None)


def stolen_and_all():
    """Ticks that the host gave to others, and all ticks of all CPUs, since the machine began."""
    ticks = [int(field) for field in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[7], sum(ticks)


def measure(server, run):
    """The rate, the server's CPU seconds and the share of the CPUs that was stolen; (None, why, 0) where it failed."""
    before, (stolen, all_ticks) = cpu_of(server.pids()), stolen_and_all()
    try:
        rate = run()
    except (RuntimeError, subprocess.SubprocessError) as error:
        return None, str(error).splitlines()[0][:120] if str(error) else type(error).__name__, 0
    now_stolen, now_all = stolen_and_all()
    return rate, cpu_of(server.pids()) - before, (now_stolen - stolen) / max(now_all - all_ticks, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=os.environ.get("HEDDLE", "target/release/heddle"), help="the binary")
    parser.add_argument("--heddle-port", type=int, default=14330)
    parser.add_argument("--serve", default="", help="more switches of heddle serve, separated by spaces")
    parser.add_argument("--pg-programs", default=os.environ.get("PG_PROGRAMS", "/usr/lib/postgresql/15/bin"))
    parser.add_argument("--pg-port", type=int, default=54330)
    parser.add_argument("--pg-user", default="postgres", help="who runs PostgreSQL when this script runs as root")
    parser.add_argument("--transport", choices=("tcp", "local"), default="tcp", help="how clients reach both servers")
    parser.add_argument("--seconds", type=int, default=4, help="of each load that runs for a time")
    parser.add_argument("--scale", type=float, default=1.0, help="of the loads that have a size")
    parser.add_argument("--only", default="", help="loads whose name matches this regular expression")
    parser.add_argument("--no-pg", action="store_true", help="Heddle alone")
    parser.add_argument("--directory", help="for data; default: a new temporary one")
    parser.add_argument("--json", help="write the figures to this file too")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers stop and their data goes
    directory = pathlib.Path(tempfile.mkdtemp(prefix="side-by-side-", dir=options.directory))
    os.chmod(directory, 0o755)
    heddle = postgres = None
    figures, failed = [], 0
    try:
        heddle = Heddle(options.heddle, options.heddle_port, directory, options.serve.split(), options.transport)
        postgres = None if options.no_pg else Postgres(options.pg_programs, options.pg_port, directory, options.pg_user,
                                                      options.transport)
        transport = "TCP over loopback" if options.transport == "tcp" else "Unix sockets"
        print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; {transport} to both; commits answered before they are on disk on both; "
              f"Heddle started in {heddle.start_s * 1000:.0f} ms")
        print(f"{'load':<46} {'Heddle':>13} {'PostgreSQL':>13} {'unit':<10} {'ratio':>7} {'per CPU s':>9} {'target':>7} {'stolen':>8}")
        for name, unit, target, ours, theirs, limit in loads(options, heddle, postgres):
            if not re.search(options.only, name):
                continue
            our_rate, our_cpu, our_stolen = measure(heddle, ours)
            their_rate, their_cpu, their_stolen = measure(postgres, theirs) if postgres else (None, "not run", 0)
            shown = [f"{rate:,.0f}" if rate is not None else "failed" for rate in (our_rate, their_rate)]
            ratio = our_rate / their_rate if our_rate is not None and their_rate else None
            # What each did in one second of its CPU: the machine's other load does not count.
            same_work = unit in ("rows/s", "fetches/s", "turns/s") and "call a row" not in name
            per_cpu = None
            if ratio and our_cpu and their_cpu:
                per_cpu = their_cpu / our_cpu * (1 if same_work else ratio)
            aim = f"{target}x" if target else (f"{our_rate / limit:.0%}" if limit and our_rate else "")
            print(f"{name:<46} {shown[0]:>13} {shown[1]:>13} {unit:<10} "
                  f"{f'{ratio:.2f}x' if ratio else '-':>7} {f'{per_cpu:.2f}x' if per_cpu else '-':>9} {aim:>7} "
                  f"{our_stolen:>4.0%}{their_stolen:>4.0%}", flush=True)
            for server, rate, why in (("Heddle", our_rate, our_cpu), ("PostgreSQL", their_rate, their_cpu)):
                if rate is None and why != "not run":
                    print(f"    {server}: {why}")
                    failed += 1
            figures.append({"load": name, "unit": unit, "heddle": our_rate, "postgresql": their_rate, "ratio": ratio,
                            "ratio_per_cpu_second": per_cpu, "limit": limit, "target_ratio": target,
                            "heddle_stolen": our_stolen, "postgresql_stolen": their_stolen})
    finally:
        for server in (postgres, heddle):
            if server:
                server.stop()
        shutil.rmtree(directory, ignore_errors=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
