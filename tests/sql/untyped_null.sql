-- A column that is NULL in every row takes the type of what it is put into, as NULL itself does; a view's columns have a type. https://learn.microsoft.com/sql/t-sql/data-types/data-type-conversion-database-engine
CREATE TABLE d (d date, t time, b varbinary(5), u uniqueidentifier);
GO
INSERT d SELECT p, q, r, s FROM (VALUES (NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL)) v(p, q, r, s);
INSERT d SELECT p, p, p, p FROM (SELECT NULL AS p) v;
INSERT d (d, b) SELECT NULL, NULL UNION ALL SELECT NULL, NULL;
WITH c AS (SELECT NULL AS p) INSERT d (d) SELECT p FROM c;
MERGE d USING (VALUES (NULL)) v(p) ON d.d = v.p WHEN NOT MATCHED BY TARGET THEN INSERT (d) VALUES (v.p);
UPDATE d SET u = v.p, b = v.p FROM (SELECT NULL AS p) v;
SELECT COUNT(*) AS n FROM d;
SELECT p, COUNT(*) AS n FROM (VALUES (NULL), (NULL)) v(p) GROUP BY p;
SELECT DISTINCT p FROM (VALUES (NULL), (NULL)) v(p) ORDER BY p;
SELECT p, p + 1 AS q, COALESCE(p, 'text') AS r, NULLIF(p, 1) AS s FROM (VALUES (NULL)) v(p);
SELECT v.p, w.a FROM (VALUES (NULL)) v(p) LEFT JOIN (VALUES (1)) w(a) ON w.a = v.p;
GO
CREATE VIEW nothing AS SELECT NULL AS p;
GO
INSERT d (d) SELECT p FROM nothing;
GO
SELECT * INTO made FROM (SELECT NULL AS p) v;
SELECT TYPE_NAME(user_type_id) AS type FROM sys.columns WHERE object_id = OBJECT_ID('made');
GO
