"""Answers queries by SQLite: a line of JSON in, a line of JSON out. `make` opens an empty database and runs statements; `ask` gives the rows
of each query as texts, or the text of its error."""

import json
import sqlite3
import sys

connection = None


def text(value):
    return "NULL" if value is None else str(value).rstrip(" ")


def answer(query):
    try:
        return {"rows": [" | ".join(map(text, row)) for row in connection.execute(query)]}
    except sqlite3.Error as error:
        return {"error": str(error)}


for line in sys.stdin:
    message = json.loads(line)
    if "make" in message:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.create_function("SIGN", 1, lambda x: None if x is None else (x > 0) - (x < 0), deterministic=True)
        for statement in message["make"]:
            connection.execute(statement)
        reply = {"version": sqlite3.sqlite_version_info}
    else:
        reply = {"answers": [answer(query) for query in message["ask"]]}
    print(json.dumps(reply), flush=True)
