"""python-tds against a running server: HOST PORT USER PASSWORD."""
import os
import sys
import time

import pytds
from pytds.tds_types import Binary

from common import COLUMNS, FORCED, ROWS, VALUES_SQL, equal, run

host, port, user, password = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]


def connect(**options):
    options = {"autocommit": True, "password": password, "timeout": 60, **(encrypted() if FORCED else {}), **options}
    return pytds.connect(dsn=host, port=port, user=user, database="master", login_timeout=30, **options)


def encrypted():
    # With a CA file python-tds asks for encryption; the server's own certificate is the CA that it trusts.
    certificate = os.environ.get("HEDDLE_CERTIFICATE")
    assert certificate, "HEDDLE_CERTIFICATE must name the server's certificate"
    return {"cafile": certificate, "validate_host": False}


def one(cursor, sql, parameters=()):
    cursor.execute(sql, parameters)
    return cursor.fetchone()


def login_plain():
    with connect(cafile=None) as connection, connection.cursor() as cursor:
        equal(one(cursor, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID")[0], "FALSE")


def login_encrypted():
    with connect(**encrypted()) as connection, connection.cursor() as cursor:
        equal(one(cursor, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID")[0], "TRUE")


def wrong_password():
    try:
        connect(password="not " + password)
    except pytds.Error as error:
        equal((error.msg_no, error.severity, error.state), (18456, 14, 1))
        return
    raise AssertionError("logged in with a wrong password")


def types():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute(VALUES_SQL)
        for number, expected in ROWS.items():
            row = one(cursor, f"SELECT {', '.join(COLUMNS)} FROM dbo.client_values WHERE id = %s", (number,))
            for name, seen, wanted in zip(COLUMNS, row, expected):
                if name == "c_datetime" and wanted is not None and seen is not None:
                    # python-tds gives 1/300 s in microseconds.
                    assert abs((seen - wanted).total_seconds()) < 0.0011, f"{name}: {seen}"
                    continue
                equal(seen, wanted, f"row {number} {name}")


def parameters():
    with connect() as connection, connection.cursor() as cursor:
        for value in (None, 0, -5, 2**40, 1.25, "", "text", "naïve 😀", "x" * 5000, Binary(b"\0\1\xff"), True):
            equal(one(cursor, "SELECT %s", (value,))[0], value, repr(value)[:20])
        equal(one(cursor, "SELECT %s + %s", (2, 3))[0], 5)


def procedure():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("IF OBJECT_ID('dbo.pytds_procedure') IS NOT NULL DROP PROCEDURE dbo.pytds_procedure")
        # python-tds lists the outputs after a result set by position: they come first.
        cursor.execute("CREATE PROCEDURE dbo.pytds_procedure @b nvarchar(20) OUTPUT, @a int AS "
                       "BEGIN SELECT @a * 2 AS doubled; SET @b = @b + N'!'; RETURN 7; END")
        cursor.callproc("dbo.pytds_procedure", [pytds.output(value="hi", param_type="nvarchar(20)"), 21])
        equal(cursor.fetchall(), [(42,)])
        equal(cursor.get_proc_outputs(), ["hi!"])
        equal(cursor.get_proc_return_status(), 7)


def rollback():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("IF OBJECT_ID('dbo.pytds_rollback') IS NOT NULL DROP TABLE dbo.pytds_rollback")
        cursor.execute("CREATE TABLE dbo.pytds_rollback (a int)")
    with connect(autocommit=False) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO dbo.pytds_rollback VALUES (1)")
        equal(one(cursor, "SELECT COUNT(*) FROM dbo.pytds_rollback")[0], 1)
        connection.rollback()
        equal(one(cursor, "SELECT COUNT(*) FROM dbo.pytds_rollback")[0], 0)
        cursor.execute("INSERT INTO dbo.pytds_rollback VALUES (2)")
        connection.commit()
        equal(one(cursor, "SELECT a FROM dbo.pytds_rollback")[0], 2)


def result_sets():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1 AS a, 'x' AS b; PRINT 'between'; SELECT 2 AS c UNION ALL SELECT 3; SELECT 4 AS d WHERE 1 = 0")
        equal([column[0] for column in cursor.description], ["a", "b"])
        equal(cursor.fetchall(), [(1, "x")])
        assert cursor.nextset()
        equal(cursor.fetchall(), [(2,), (3,)])
        assert cursor.nextset()
        equal(cursor.fetchall(), [])
        equal(any("between" in str(message[1]) for message in cursor.messages or []), True, "PRINT")


def error():
    with connect() as connection, connection.cursor() as cursor:
        try:
            cursor.execute("SELECT 1\nSELECT 1/0")
            cursor.fetchall()
            while cursor.nextset():
                pass
        except pytds.Error as failure:
            equal((failure.msg_no, failure.severity, failure.state, failure.line), (8134, 16, 1, 2))
        else:
            raise AssertionError("no error came")
        cursor.execute("IF OBJECT_ID('dbo.pytds_error') IS NOT NULL DROP PROCEDURE dbo.pytds_error")
        cursor.execute("CREATE PROCEDURE dbo.pytds_error AS\nBEGIN\n  RAISERROR('from %s', 15, 3, 'inside')\nEND")
        try:
            cursor.execute("EXEC dbo.pytds_error")
        except pytds.Error as failure:
            equal((failure.msg_no, failure.severity, failure.state, failure.line), (50000, 15, 3, 3))
            equal(failure.procname.split(".")[-1], "pytds_error")
            assert "from inside" in str(failure), failure
        else:
            raise AssertionError("no error came from the procedure")


def cancel():
    # Rows on their way: python-tds cancels from the thread that reads.
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT TOP 100000000 a.object_id FROM sys.objects a, sys.objects b, sys.objects c, sys.objects d")
        assert cursor.fetchone() is not None
        started = time.monotonic()
        cursor.cancel()
        took = time.monotonic() - started
        assert took < 10, f"cancelled only after {took:.1f} s"
        equal(one(cursor, "SELECT 5")[0], 5)
    # Nothing on its way: a time limit makes python-tds send the attention.
    with connect(timeout=1) as connection, connection.cursor() as cursor:
        started = time.monotonic()
        try:
            cursor.execute("DECLARE @i bigint = 0; WHILE @i < 100000000000 SET @i += 1; SELECT @i")
        except (pytds.Error, TimeoutError):
            pass
        else:
            raise AssertionError("the loop ended")
        equal(one(cursor, "SELECT 6")[0], 6)
        took = time.monotonic() - started
        assert took < 10, f"cancelled only after {took:.1f} s"


def reset():
    # A pooled connection resets itself with the first request after it is taken again.
    connection = connect(pooling=True)
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE #t (a int); SET LOCK_TIMEOUT 1234")
    spid = one(cursor, "SELECT @@SPID")[0]
    connection.close()
    with connect(pooling=True) as again, again.cursor() as cursor:
        equal(one(cursor, "SELECT @@SPID")[0], spid)
        equal(one(cursor, "SELECT OBJECT_ID('tempdb..#t')")[0], None)
        equal(one(cursor, "SELECT @@LOCK_TIMEOUT")[0], -1)


def mars():
    # Two results read in turns over one connection, and what the sessions share.
    with connect(use_mars=True) as connection, connection.cursor() as first, connection.cursor() as second:
        first.execute("SELECT TOP 5000 ROW_NUMBER() OVER (ORDER BY a.object_id), REPLICATE('x', 200) FROM sys.objects a, sys.objects b")
        for number in range(1, 5001):
            equal(first.fetchone()[0], number)
            if number % 500 == 0:
                equal(one(second, "SELECT %s", (number,))[0], number)
        first.execute("CREATE TABLE #shared (a int)")
        second.execute("INSERT #shared VALUES (1), (2)")
        equal(one(first, "SELECT COUNT(*) FROM #shared")[0], 2)


def large():
    text, blob = "ab字" * 350_000, Binary(bytes(range(256)) * 4096)
    with connect() as connection, connection.cursor() as cursor:
        row = one(cursor, "SELECT %s, %s", (text, blob))
        assert row[0] == text and row[1] == blob, "changed on the way"


run([(check.__name__, check) for check in (login_plain, login_encrypted, wrong_password, types, parameters, procedure, rollback,
                                            result_sets, error, cancel, reset, mars, large)])
