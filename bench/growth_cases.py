"""The table and the statements of growth.py, in both dialects. {b} is a table of {n} rows.

Of a loop within the server (`point`, `loop`) the time is that of all its turns, so it should not grow. What changes rows changes as many in each run,
leaves as many behind, and comes after what reads them.
"""

import dataclasses

TURNS = 20_000

TABLE = {
    "tsql": (
        "id int NOT NULL PRIMARY KEY, k int NOT NULL, g int NOT NULL, x int NOT NULL, s varchar(30) COLLATE Latin1_General_BIN2 NOT NULL, "
        "d decimal(12, 2) NOT NULL, t datetime2(0) NOT NULL",
        "value, CAST(CAST(value AS bigint) * 7919 % {n} AS int), value % 100, value % 1000, CONCAT('99-', value % 5000, '-', value), "
        "CAST(value % 100000 AS decimal(12, 2)) / 100, DATEADD(second, value, CAST('2020-01-01' AS datetime2(0)))",
        ["CREATE UNIQUE INDEX b{n}_k ON b{n} (k)", "CREATE INDEX b{n}_x ON b{n} (x)"],
    ),
    "postgres": (
        'id int not null primary key, k int not null, g int not null, x int not null, s varchar(30) collate "C" not null, d decimal(12, 2) not null, '
        "t timestamp(0) not null",
        "value, value::bigint * 7919 % {n}, value % 100, value % 1000, concat('99-', value % 5000, '-', value), "
        "(value % 100000)::decimal(12, 2) / 100, timestamp '2020-01-01' + value * interval '1 second'",
        ["create unique index b{n}_k on b{n} (k)", "create index b{n}_x on b{n} (x)"],
    ),
}


@dataclasses.dataclass
class Case:
    name: str
    tsql: str
    postgres: str
    rows_max: int = 10**9
    compared: bool = True


def both(name, text, **options):
    return Case(name, text, text, **options)


def loop(name, tsql, postgres, turns=TURNS, declared="", theirs="", **options):
    """`turns` times the statement, with @k (j) a key that jumps about."""
    ours = (f"DECLARE @i int = 0, @k int, @v bigint{declared}; WHILE @i < {turns} BEGIN SET @k = CAST(@i AS bigint) * 7907 % {{n}}; {tsql}; SET @i += 1 END")
    other = (f"do $$ declare j int; v bigint{theirs}; begin for i in 0..{turns - 1} loop j := i::bigint * 7907 % {{n}}; {postgres}; end loop; end $$")
    return Case(name, ours, other, compared=False, **options)


def block(statements):
    return f"do $$ begin {statements}; end $$"


def picked(count):
    """Keys that jump about, as a list."""
    return ", ".join(str(at * 7919 % 1_000_003) for at in range(count))


def pairs(count):
    return " or ".join(f"(g = {at % 100} and k = {at * 79 % 10_000})" for at in range(count))


CASES = [
    loop("point select", "SELECT @v = x FROM {b} WHERE id = @k", "select x into v from {b} where id = j"),
    loop("point by index", "SELECT @v = x FROM {b} WHERE k = @k", "select x into v from {b} where k = j"),
    loop("point range of 100", "SELECT @v = SUM(x) FROM {b} WHERE id BETWEEN @k AND @k + 99", "select sum(x) into v from {b} where id between j and j + 99"),
    loop("point either of two", "SELECT @v = COUNT(*) FROM {b} WHERE id = @k OR k = @k + 1", "select count(*) into v from {b} where id = j or k = j + 1"),
    loop("point update", "UPDATE {b} SET g = g + 1 WHERE id = @k", "update {b} set g = g + 1 where id = j"),
    loop("point update indexed", "UPDATE {b} SET x = x + 1 WHERE id = @k", "update {b} set x = x + 1 where id = j"),
    Case("min and max", "SELECT MIN(k), MAX(k) FROM {b}", "select min(k), max(k) from {b}"),
    both("top 10 by index", "SELECT k FROM {b} ORDER BY k DESC OFFSET 10 ROWS FETCH NEXT 10 ROWS ONLY"),
    both("top 10 by column", "SELECT id FROM {b} ORDER BY d DESC, id OFFSET 0 ROWS FETCH NEXT 10 ROWS ONLY"),
    both("offset far", "SELECT id FROM {b} ORDER BY id OFFSET ({n} / 10 * 9) ROWS FETCH NEXT 10 ROWS ONLY"),
    both("count", "SELECT COUNT(*) FROM {b}"),
    both("sum", "SELECT SUM(CAST(x AS bigint)) FROM {b}"),
    both("sum of decimals", "SELECT SUM(d * (1 - d / 1000)), AVG(d) FROM {b}"),
    both("count distinct", "SELECT COUNT(DISTINCT s) FROM {b}"),
    both("group few", "SELECT g, COUNT(*), SUM(CAST(x AS bigint)), MAX(s) FROM {b} GROUP BY g"),
    both("group many", "SELECT COUNT(*), SUM(n) FROM (SELECT s, COUNT(*) AS n FROM {b} GROUP BY s) AS q"),
    both("group by two", "SELECT COUNT(*), SUM(n) FROM (SELECT g, x, COUNT(*) AS n FROM {b} GROUP BY g, x) AS q"),
    both("cube", "SELECT COUNT(*), SUM(n), SUM(v) FROM (SELECT g % 10 AS a, x % 10 AS c, COUNT(*) AS n, SUM(CAST(x AS bigint)) AS v FROM {b} GROUP BY CUBE (g % 10, x % 10)) AS q"),
    both("having", "SELECT COUNT(*) FROM (SELECT x FROM {b} GROUP BY x HAVING COUNT(*) > 1 AND MIN(k) > 10) AS q"),
    both("distinct", "SELECT COUNT(*) FROM (SELECT DISTINCT s, g FROM {b}) AS q"),
    both("union", "SELECT COUNT(*) FROM (SELECT k FROM {b} UNION SELECT x FROM {b}) AS q"),
    both("except", "SELECT COUNT(*) FROM (SELECT k FROM {b} EXCEPT SELECT id FROM {b} WHERE g = 1) AS q"),
    both("intersect", "SELECT COUNT(*) FROM (SELECT k FROM {b} INTERSECT SELECT id FROM {b} WHERE g < 50) AS q"),
    both("join by key", "SELECT COUNT(*), SUM(CAST(a.x AS bigint)) FROM {b} AS a JOIN {b} AS c ON a.k = c.id"),
    both("join by text", "SELECT COUNT(*) FROM {b} AS a JOIN {b} AS c ON a.s = c.s WHERE a.g < 50"),
    both("join of a few", "SELECT COUNT(*), SUM(CAST(c.x AS bigint)) FROM {b} AS a JOIN {b} AS c ON a.k = c.id WHERE a.x = 7"),
    both("join of three", "SELECT COUNT(*) FROM {b} AS a JOIN {b} AS c ON a.k = c.id JOIN {b} AS e ON c.k = e.id WHERE a.g = 3"),
    both("left join, none", "SELECT COUNT(*) FROM {b} AS a LEFT JOIN {b} AS c ON a.k = c.id AND c.g = 3 WHERE c.id IS NULL"),
    both("exists", "SELECT COUNT(*) FROM {b} AS a WHERE EXISTS (SELECT * FROM {b} AS c WHERE c.id = a.k AND c.g = 3)"),
    both("not exists", "SELECT COUNT(*) FROM {b} AS a WHERE NOT EXISTS (SELECT * FROM {b} AS c WHERE c.id = a.k + 5)"),
    both("in subquery", "SELECT COUNT(*) FROM {b} WHERE k IN (SELECT x FROM {b} WHERE g = 7)"),
    both("not in subquery", "SELECT COUNT(*) FROM {b} WHERE k NOT IN (SELECT x FROM {b} WHERE g = 7)"),
    both("correlated maximum", "SELECT COUNT(*) FROM {b} AS a WHERE a.g = 5 AND a.d >= (SELECT MAX(c.d) FROM {b} AS c WHERE c.x = a.x)"),
    both("range with look-ups", "SELECT SUM(CAST(g AS bigint)) FROM {b} WHERE k BETWEEN {n} / 10 AND {n} / 10 * 4"),
    both("small range of look-ups", "SELECT SUM(CAST(g AS bigint)) FROM {b} WHERE k BETWEEN {n} / 10 AND {n} / 10 + {n} / 100"),
    both("sort", "SELECT SUM(CAST(n % 1000 AS bigint) * (id % 97)) FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY s, id) AS n FROM {b}) AS q"),
    both("sum over", "SELECT SUM(CAST(v AS bigint) % 1000) FROM (SELECT SUM(x) OVER (PARTITION BY g ORDER BY id) AS v FROM {b}) AS q"),
    both("moving maximum", "SELECT SUM(CAST(v AS bigint)) FROM (SELECT MAX(x) OVER (ORDER BY id ROWS BETWEEN 100 PRECEDING AND 100 FOLLOWING) AS v FROM {b}) AS q"),
    both("moving sum", "SELECT SUM(CAST(v AS bigint)) FROM (SELECT SUM(x) OVER (ORDER BY k ROWS 20 PRECEDING) AS v FROM {b}) AS q"),
    both("lag", "SELECT COUNT(*) FROM (SELECT k - LAG(k) OVER (ORDER BY id) AS v FROM {b}) AS q WHERE v > 0"),
    both("rank", "SELECT SUM(CAST(v AS bigint)) FROM (SELECT DENSE_RANK() OVER (PARTITION BY g ORDER BY x DESC) AS v FROM {b}) AS q"),
    both("last of each", "SELECT COUNT(*), SUM(CAST(id AS bigint)) FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY x ORDER BY t DESC) AS n FROM {b}) AS q WHERE n = 1"),
    both("like with a middle", "SELECT COUNT(*) FROM {b} WHERE s LIKE '%99-1%'"),
    both("like with a beginning", "SELECT COUNT(*) FROM {b} WHERE s LIKE '99-12%'"),
    Case("search in texts", "SELECT SUM(CHARINDEX('-', s, 4)) FROM {b} WHERE s <> 'x'", "select sum(strpos(substr(s, 4), '-') + 3) from {b} where s <> 'x'"),
    Case("functions of texts", "SELECT SUM(LEN(REPLACE(UPPER(s) + 'x', '9', 'nine'))) FROM {b}", "select sum(length(replace(upper(s) || 'x', '9', 'nine'))) from {b}"),
    Case("functions of dates", "SELECT SUM(DATEPART(hour, t) + DATEPART(minute, t)), COUNT(DISTINCT CAST(t AS date)) FROM {b}",
         "select sum(extract(hour from t) + extract(minute from t)), count(distinct cast(t as date)) from {b}"),
    both("group by case", "SELECT c, COUNT(*) FROM (SELECT CASE WHEN s LIKE '99-1%' THEN 'one' WHEN x < 500 THEN 'low' ELSE 'high' END AS c FROM {b}) AS q GROUP BY c"),
    Case("joined texts", "SELECT LEN(STRING_AGG(CAST(s AS varchar(max)), ',')) FROM {b}", "select length(string_agg(s, ',')) from {b}"),
    Case("json out", "SELECT LEN((SELECT id, x, s FROM {b} FOR JSON PATH)) / 10000000", "select length((select json_agg(q)::text from (select id, x, s from {b}) as q)) / 10000000", compared=False),
    Case("recursive", "WITH c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < {n}) SELECT COUNT(*) FROM c OPTION (MAXRECURSION 0)",
         "with recursive c as (select 1 as n union all select n + 1 from c where n < {n}) select count(*) from c"),
    both("list of 10", f"SELECT COUNT(*) FROM {{b}} WHERE k IN ({picked(10)})"),
    both("list of 1,000", f"SELECT COUNT(*) FROM {{b}} WHERE k IN ({picked(1_000)})"),
    both("list of 10,000", f"SELECT COUNT(*) FROM {{b}} WHERE k IN ({picked(10_000)})"),
    both("list of 1,000, no index", f"SELECT COUNT(*) FROM {{b}} WHERE x + 0 IN ({picked(1_000)})"),
    both("pairs, 10", f"SELECT COUNT(*) FROM {{b}} WHERE {pairs(10)}"),
    both("pairs, 1,000", f"SELECT COUNT(*) FROM {{b}} WHERE {pairs(1_000)}"),
    Case("copy of all", "SELECT * INTO made FROM {b}; DROP TABLE made", block("create table made as select * from {b}; drop table made"), compared=False),
    Case("create index", "CREATE INDEX made ON {b} (g, x); DROP INDEX made ON {b}", block("create index made on {b} (g, x); drop index made"), compared=False),
    Case("create index on texts", "CREATE INDEX made ON {b} (s); DROP INDEX made ON {b}", block("create index made on {b} (s); drop index made"), compared=False),
    Case("temporary table", "SELECT id, k INTO #t FROM {b}; CREATE INDEX i ON #t (k); SELECT COUNT(*) FROM #t AS a JOIN {b} AS c ON a.k = c.id; DROP TABLE #t",
         block("create temp table made as select id, k from {b}; create index i on made (k); perform count(*) from made as a join {b} as c on a.k = c.id; drop table made"), compared=False),
    Case("table variable", "DECLARE @r TABLE (id int PRIMARY KEY, k int); INSERT @r SELECT id, k FROM {b}; SELECT COUNT(*) FROM @r AS a JOIN {b} AS c ON a.k = c.id",
         block("create temp table made (id int primary key, k int); insert into made select id, k from {b}; perform count(*) from made as a join {b} as c on a.k = c.id; drop table made"),
         compared=False),
    Case("update of all", "UPDATE {b} SET g = (g + 1) % 100", "update {b} set g = (g + 1) % 100", compared=False),
    Case("update of a tenth", "UPDATE {b} SET d = d + 1 WHERE x < 100", "update {b} set d = d + 1 where x < 100", compared=False),
    Case("update by join", "UPDATE a SET a.d = c.d FROM {b} AS a JOIN {b} AS c ON a.k = c.id WHERE c.x < 100", "update {b} as a set d = c.d from {b} as c where a.k = c.id and c.x < 100", compared=False),
    Case("delete and insert a half",
         "SELECT * INTO #h FROM {b} WHERE id % 2 = 0; DELETE {b} WHERE id % 2 = 0; INSERT {b} SELECT * FROM #h; DROP TABLE #h",
         block("create temp table h as select * from {b} where id % 2 = 0; delete from {b} where id % 2 = 0; insert into {b} select * from h; drop table h"), compared=False),
    Case("merge", "MERGE {b} AS t USING (SELECT k, d FROM {b} WHERE x < 200) AS s ON t.id = s.k WHEN MATCHED THEN UPDATE SET d = s.d WHEN NOT MATCHED THEN "
         "INSERT VALUES (s.k, s.k, 0, 0, '', 0, '2020-01-01');",
         "merge into {b} as t using (select k, d from {b} where x < 200) as s on t.id = s.k when matched then update set d = s.d when not matched then "
         "insert values (s.k, s.k, 0, 0, '', 0, '2020-01-01')", compared=False),
    loop("point delete and insert", "DELETE {b} WHERE id = @k; INSERT {b} VALUES (@k, CAST(@k AS bigint) * 7919 % {n}, 0, 0, 'x', 0, '2020-01-01')",
         "delete from {b} where id = j; insert into {b} values (j, j::bigint * 7919 % {n}, 0, 0, 'x', 0, '2020-01-01')"),
    Case("rolled back", "BEGIN TRANSACTION; UPDATE {b} SET g = g + 1; ROLLBACK", block("begin update {b} set g = g + 1; raise exception 'back'; exception when others then null; end"), compared=False),
    Case("cursor", "DECLARE @v bigint = 0, @x int; DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT x FROM {b}; OPEN c; FETCH NEXT FROM c INTO @x; "
         "WHILE @@FETCH_STATUS = 0 BEGIN SET @v += @x; FETCH NEXT FROM c INTO @x END",
         "do $$ declare v bigint := 0; r record; begin for r in select x from {b} loop v := v + r.x; end loop; end $$", compared=False),
    loop("loop of texts", "SET @s = @s + 'x'", "s := s || 'x'", declared=", @s varchar(max) = ''", theirs="; s text := ''"),
    loop("loop of dates and texts", "SET @v = DATEDIFF(day, '2020-01-01', DATEADD(hour, @i, '2020-01-01')) + LEN(CONCAT(@i, 'a', @k))",
         "v := extract(day from timestamp '2020-01-01' + i * interval '1 hour' - timestamp '2020-01-01') + length(concat(i, 'a', j))"),
    loop("loop of TRY", "BEGIN TRY SET @v = 1 / (@i % 2) END TRY BEGIN CATCH SET @v = 0 END CATCH", "begin v := 1 / (i % 2); exception when others then v := 0; end"),
    loop("loop of prepared texts", "EXEC sp_executesql N'SELECT @v = x FROM {b} WHERE id = @k', N'@k int, @v bigint OUTPUT', @k, @v OUTPUT",
         "execute 'select x from {b} where id = $1' into v using j"),
]
