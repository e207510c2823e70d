"""pymssql (FreeTDS) against a running server: HOST PORT USER PASSWORD."""
import sys
import time

import pymssql
from pymssql import _mssql

from common import COLUMNS, FORCED, ROWS, VALUES_SQL, equal, run

host, port, user, password = sys.argv[1:5]


def connect(**options):
    options = {"autocommit": True, "password": password, "tds_version": "7.4", **({"encryption": "require"} if FORCED else {}), **options}
    return pymssql.connect(server=host, port=port, user=user, database="master", timeout=60, login_timeout=30, **options)


def one(cursor, sql, parameters=None):
    cursor.execute(sql, parameters)
    return cursor.fetchone()


def login_plain():
    with connect(encryption="off") as connection, connection.cursor() as cursor:
        equal(one(cursor, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID")[0], "FALSE")


def login_encrypted():
    with connect(encryption="require") as connection, connection.cursor() as cursor:
        equal(one(cursor, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID")[0], "TRUE")


def wrong_password():
    try:
        connect(password="not " + password)
    except pymssql.Error as error:
        assert "18456" in str(error), error
        return
    raise AssertionError("logged in with a wrong password")


def types():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute(VALUES_SQL)
        for number, expected in ROWS.items():
            row = one(cursor, f"SELECT {', '.join(COLUMNS)} FROM dbo.client_values WHERE id = %d", (number,))
            for name, seen, wanted in zip(COLUMNS, row, expected):
                if name in ("c_float", "c_real") and wanted is not None:
                    assert abs(seen - wanted) <= abs(wanted) * 1e-12, f"row {number} {name}: {seen!r}"
                    continue
                if name == "c_datetimeoffset" and wanted is not None:
                    assert seen is not None, f"row {number} {name}"
                    equal(seen.replace(tzinfo=None), wanted.replace(tzinfo=None), f"row {number} {name}")
                    continue
                equal(seen, wanted, f"row {number} {name}")


def parameters():
    with connect() as connection, connection.cursor() as cursor:
        for value in (None, 0, -5, 2**40, "", "text", "naïve 😀", "x" * 5000):
            equal(one(cursor, "SELECT %s AS v", (value,))[0], value, repr(value)[:20])
        equal(one(cursor, "SELECT %(a)d + %(b)d AS v", {"a": 2, "b": 3})[0], 5)


def procedure():
    with connect() as connection, connection.cursor() as cursor:
        # DB-Library has the outputs only where no result set comes before them.
        cursor.execute("CREATE OR ALTER PROCEDURE dbo.pymssql_outputs @a int, @b nvarchar(20) OUTPUT AS "
                       "BEGIN SET @b = @b + N'!'; RETURN @a / 3; END")
        equal(cursor.callproc("dbo.pymssql_outputs", (21, pymssql.output(str, "hi")))[1], "hi!")
        equal(cursor.returnvalue, 7)
        cursor.execute("CREATE OR ALTER PROCEDURE dbo.pymssql_rows @a int AS SELECT @a * 2 AS doubled")
        cursor.callproc("dbo.pymssql_rows", (21,))
        equal(cursor.fetchall(), [(42,)])


def rollback():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("IF OBJECT_ID('dbo.pymssql_rollback') IS NOT NULL DROP TABLE dbo.pymssql_rollback")
        cursor.execute("CREATE TABLE dbo.pymssql_rollback (a int)")
    with connect(autocommit=False) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO dbo.pymssql_rollback VALUES (1)")
        equal(one(cursor, "SELECT COUNT(*) FROM dbo.pymssql_rollback")[0], 1)
        connection.rollback()
        equal(one(cursor, "SELECT COUNT(*) FROM dbo.pymssql_rollback")[0], 0)
        cursor.execute("INSERT INTO dbo.pymssql_rollback VALUES (2)")
        connection.commit()
        equal(one(cursor, "SELECT a FROM dbo.pymssql_rollback")[0], 2)


def result_sets():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1 AS a, 'x' AS b; PRINT 'between'; SELECT 2 AS c UNION ALL SELECT 3; SELECT 4 AS d WHERE 1 = 0")
        equal([column[0] for column in cursor.description], ["a", "b"])
        equal(cursor.fetchall(), [(1, "x")])
        assert cursor.nextset()
        equal(cursor.fetchall(), [(2,), (3,)])
        assert cursor.nextset()
        equal(cursor.fetchall(), [])


def error():
    messages = []
    connection = _mssql.connect(server=host, port=port, user=user, password=password, tds_version="7.4")
    connection.set_msghandler(lambda state, severity, server, procedure, line, text:
                              messages.append((severity, state, line, procedure, text)))
    try:
        connection.execute_query("SELECT 1\nSELECT 1/0")
        for _ in connection:
            pass
        connection.nextresult()
        for _ in connection:
            pass
    except _mssql.MSSQLDatabaseException as failure:
        equal((failure.number, failure.severity, failure.state, failure.line), (8134, 16, 1, 2))
    else:
        raise AssertionError("no error came")
    connection.execute_non_query("IF OBJECT_ID('dbo.pymssql_error') IS NOT NULL DROP PROCEDURE dbo.pymssql_error")
    connection.execute_non_query("CREATE PROCEDURE dbo.pymssql_error AS\nBEGIN\n  RAISERROR('from %s', 15, 3, 'inside')\nEND")
    try:
        connection.execute_non_query("EXEC dbo.pymssql_error")
    except _mssql.MSSQLDatabaseException as failure:
        equal((failure.number, failure.severity, failure.state, failure.line), (50000, 15, 3, 3))
        procedure_name = failure.procname.decode() if isinstance(failure.procname, bytes) else failure.procname
        equal(procedure_name.split(".")[-1], "pymssql_error")
    else:
        raise AssertionError("no error came from the procedure")
    connection.execute_non_query("PRINT 'hello'")
    assert any("hello" in (m[4].decode() if isinstance(m[4], bytes) else m[4]) for m in messages), messages
    connection.close()


def cancel():
    connection = _mssql.connect(server=host, port=port, user=user, password=password, tds_version="7.4")
    connection.execute_query("SELECT TOP 100000000 a.object_id FROM sys.objects a, sys.objects b, sys.objects c, sys.objects d")
    for _, row in zip(range(10), connection):
        pass
    started = time.monotonic()
    connection.cancel()
    took = time.monotonic() - started
    assert took < 10, f"cancelled only after {took:.1f} s"
    equal(connection.execute_scalar("SELECT 5"), 5)
    connection.close()


def reset():
    # FreeTDS's DB-Library sends no reset bit: the call itself is what pools of other drivers stand for.
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE #t (a int)")
        cursor.execute("SET LOCK_TIMEOUT 1234")
        cursor.callproc("sp_reset_connection", ())
        equal(one(cursor, "SELECT OBJECT_ID('tempdb..#t') AS o")[0], None)
        equal(one(cursor, "SELECT @@LOCK_TIMEOUT AS t")[0], -1)


def large():
    text = "ab字" * 350_000
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET TEXTSIZE 2147483647")
        equal(one(cursor, "SELECT %s AS v", (text,))[0] == text, True, "text")
        row = one(cursor, "SELECT CAST(REPLICATE(CAST('ab' AS varchar(max)), 500000) AS varbinary(max)) AS v")
        equal(row[0] == b"ab" * 500_000, True, "bytes")


run([(check.__name__, check) for check in (login_plain, login_encrypted, wrong_password, types, parameters, procedure, rollback,
                                            result_sets, error, cancel, reset, large)])
