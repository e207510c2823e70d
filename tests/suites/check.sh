#!/bin/bash
# Compares one run of a client's own test suite with the list of its tests that are known to pass.
# usage: check.sh NAME RESULT [--grow]
#   NAME    freetds-tools, freetds-odbc, go-sqlcmd, python-tds, python-tds-mars, pymssql, tiberius, go-mssqldb, tedious, node-mssql,
#           knex, sequelize, typeorm, sqlalchemy, django, jvm-tools, benchbase: the list is NAME.passing beside this script
#   RESULT  what the run left: a JUnit file (.xml), mocha's JSON report (.json), or lines "PASS name" / "name ... ok"
#   --grow  adds the tests that newly pass to the list
# Exits 0 when every listed test passed, 1 when one did not, 2 when the result cannot be read.
set -u
[ $# -ge 2 ] && [ -r "$2" ] || { echo "usage: $0 NAME RESULT [--grow]" >&2; exit 2; }
LIST=$(cd "$(dirname "$0")" && pwd)/$1.passing
exec python3 - "$LIST" "$2" "${3:-}" <<'P'
import json, os, re, sys
import xml.etree.ElementTree as tree

def junit(path):
    """A test passed when its case has neither a failure nor an error nor was skipped."""
    cases = tree.parse(path).getroot().iter('testcase')
    return [f"{c.get('classname')}::{c.get('name')}" for c in cases
            if all(c.find(kind) is None for kind in ('failure', 'error', 'skipped'))]

def mocha(path):
    return [test['fullTitle'] for test in json.load(open(path, encoding='utf-8'))['passes']]

def lines(path):
    names = []
    for line in open(path, encoding='utf-8', errors='replace'):
        if found := re.match(r'PASS (.+)', line) or re.match(r'(.+) \.\.\. ok$', line):
            names.append(found[1].strip())
    return names

listed_path, result, grow = sys.argv[1:4]
read = junit if result.endswith('.xml') else mocha if result.endswith('.json') else lines
try:
    # One name per line: a name that holds line ends, memory addresses or random UUIDs would never compare equal again.
    # SQLAlchemy's have the driver and the server's version in them.
    one = lambda name: re.sub(r'0x[0-9a-f]{6,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', '0x',
                              re.sub(r'_mssql\+[a-z]+(_[0-9]+)+(?=::)', '', ' '.join(name.split())))
    passed = {one(name) for name in read(result)}
except (OSError, ValueError, KeyError, tree.ParseError) as error:
    sys.exit(print(f'cannot read {result}: {error}', file=sys.stderr) or 2)
listed = set(open(listed_path, encoding='utf-8').read().splitlines()) if os.path.exists(listed_path) else set()
lost, new = sorted(listed - passed), sorted(passed - listed)
for name in lost:
    print('no longer passes:', name)
print(f'{len(passed)} passed, {len(listed)} listed, {len(lost)} lost, {len(new)} new')
if grow == '--grow' and new:
    with open(listed_path, 'w', encoding='utf-8') as out:
        out.writelines(name + '\n' for name in sorted(listed | passed))
    print(f'{len(new)} added to {os.path.basename(listed_path)}')
sys.exit(1 if lost else 0)
P
