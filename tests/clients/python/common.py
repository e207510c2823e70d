"""What both Python drivers must read from dbo.client_values, and how a check reports."""
import datetime
import decimal
import os
import pathlib
import sys
import traceback
import uuid

D = decimal.Decimal
# The server takes nothing that is not encrypted.
FORCED = "HEDDLE_FORCED" in os.environ
VALUES_SQL = (pathlib.Path(__file__).parent.parent / "values.sql").read_text(encoding="utf-8")
utc = datetime.timezone.utc
minutes = lambda m: datetime.timezone(datetime.timedelta(minutes=m))

COLUMNS = """c_bit c_tinyint c_smallint c_int c_bigint c_decimal c_numeric c_money c_smallmoney c_float c_real c_char c_varchar
c_varchar_max c_nchar c_nvarchar c_nvarchar_max c_binary c_varbinary c_varbinary_max c_date c_time c_datetime c_datetime2
c_smalldatetime c_datetimeoffset c_uniqueidentifier""".split()

# Python keeps microseconds: the seventh digit is cut by the drivers.
ROWS = {
    1: [None] * len(COLUMNS),
    2: [False, 0, -32768, -2147483648, -9223372036854775808,
        D("-9999999999999999999999999999.9999999999"), D("-999.99"), D("-922337203685477.5808"), D("-214748.3648"),
        -1.7976931348623157e308, -3.3999999521443642e38, "     ", "", "", "     ", "", "",
        b"\0\0\0\0", b"", b"", datetime.date(1, 1, 1), datetime.time(0), datetime.datetime(1753, 1, 1),
        datetime.datetime(1, 1, 1), datetime.datetime(1900, 1, 1), datetime.datetime(1, 1, 1, tzinfo=utc), uuid.UUID(int=0)],
    3: [True, 255, 32767, 2147483647, 9223372036854775807,
        D("9999999999999999999999999999.9999999999"), D("999.99"), D("922337203685477.5807"), D("214748.3647"),
        1.7976931348623157e308, 3.3999999521443642e38, "zzzzz", "z" * 50, "z" * 10000, "ÿĀ字ÿz", "字" * 50, "字" * 10000,
        b"\xff" * 4, b"\xff" * 50, b"\xff" * 10000, datetime.date(9999, 12, 31), datetime.time(23, 59, 59, 999999),
        datetime.datetime(9999, 12, 31, 23, 59, 59, 997000), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999),
        datetime.datetime(2079, 6, 6, 23, 59), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=utc),
        uuid.UUID(int=2**128 - 1)],
    4: [True, 42, -7, 123456789, 1234567890123, D("12345.6789"), D("3.14"), D("12.34"), D("-0.01"), 0.1, 1.5,
        "ab   ", "Grüße", "text", "añb  ", "Zażółć gęślą", "naïve 😀", b"\1\2\3\4", b"\xde\xad\xbe\xef", b"\0\xff\0",
        datetime.date(2024, 2, 29), datetime.time(13, 14, 15, 123456), datetime.datetime(2024, 2, 29, 13, 14, 15, 123000),
        datetime.datetime(2024, 2, 29, 13, 14, 15, 123456), datetime.datetime(2024, 2, 29, 13, 14),
        datetime.datetime(2024, 2, 29, 13, 14, 15, 123456, tzinfo=minutes(330)), uuid.UUID("6F9619FF-8B86-D011-B42D-00C04FC964FF")],
}


def run(checks):
    """Runs each (name, function), prints its line; the exit code tells whether all held."""
    failed = 0
    for name, check in checks:
        try:
            check()
            print(f"ok {name}", flush=True)
        except Exception as error:
            failed += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(f"not ok {name}: {type(error).__name__}: {error} (line {where.lineno})", flush=True)
    sys.exit(1 if failed else 0)


def equal(seen, expected, what=""):
    assert seen == expected and (isinstance(seen, bool) == isinstance(expected, bool) or seen is None), \
        f"{what}: saw {seen!r:.200}, expected {expected!r:.200}"
