-- All that is wrong with a statement, and with a batch, in order; a CATCH has the last of them, and the client none. https://learn.microsoft.com/sql/t-sql/language-elements/try-catch-transact-sql
CREATE TABLE t (a int, b int);
GO
SELECT x;SELECT y;
GO
SELECT x, a, y FROM t;
GO
SELECT x FROM t WHERE y = 1 AND z = 2 GROUP BY w ORDER BY v;
SELECT q.a FROM t; SELECT a FROM t;
GO
SELECT t.x, q.b FROM t AS t JOIN t AS u ON t.z = u.a WHERE a = 1;
GO
INSERT t (x, y) VALUES (1, 2); UPDATE t SET a = x, b = y WHERE z = 1; DELETE t WHERE x = y;
GO
UPDATE t SET p = x, a = 1, q = y; UPDATE u SET p = DEFAULT FROM t AS u WHERE q = 1;
GO
INSERT t SELECT x, y FROM t;
MERGE t USING t AS u ON t.x = u.y WHEN MATCHED THEN UPDATE SET a = u.z;
GO
SELECT (SELECT x FROM t) + y FROM t WHERE EXISTS (SELECT z FROM t WHERE w = 1);
GO
WITH c AS (SELECT x FROM t) SELECT y FROM c;
GO
SELECT x + 'abc', CONVERT(date, y), SUM(z) OVER (ORDER BY w) FROM t;
GO
IF EXISTS (SELECT x FROM t WHERE y = 1) PRINT 'no';
DECLARE @v int = (SELECT z FROM t);
GO
-- By EXEC, by sp_executesql, as a call, in a module.
EXEC ('SELECT x; SELECT y');
EXEC sp_executesql N'SELECT x, y FROM t';
PRINT 'goes on';
GO
{call sp_executesql(N'SELECT x;SELECT y;')}
GO
{call sp_prepexec(NULL, N'', N'SELECT x, y FROM t')}
GO
CREATE PROCEDURE p AS SELECT x FROM t; SELECT y FROM t;
GO
CREATE VIEW v AS SELECT x, y FROM t;
GO
CREATE FUNCTION f () RETURNS TABLE AS RETURN SELECT x AS x, y AS y FROM t;
GO
-- Caught.
BEGIN TRY EXEC ('SELECT x; SELECT y') END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message END CATCH;
GO
CREATE TABLE parent (id int CONSTRAINT pk_parent PRIMARY KEY, n int);
CREATE TABLE child (id int, CONSTRAINT fk FOREIGN KEY (id) REFERENCES parent);
CREATE INDEX ix ON t (a);
GO
CREATE TABLE cases (number int IDENTITY, text nvarchar(200));
INSERT cases VALUES ('ALTER TABLE t DROP CONSTRAINT nosuch'), ('ALTER TABLE parent DROP CONSTRAINT pk_parent'),
    ('ALTER TABLE t ADD CONSTRAINT f1 FOREIGN KEY (a) REFERENCES nowhere (id)'),
    ('ALTER TABLE t ADD CONSTRAINT f2 FOREIGN KEY (a) REFERENCES parent (n)'),
    ('ALTER TABLE t ADD CONSTRAINT f3 FOREIGN KEY (x) REFERENCES parent (id)'),
    ('ALTER TABLE t ADD CONSTRAINT f4 FOREIGN KEY (a) REFERENCES parent (x)'),
    ('CREATE TABLE u (a int CONSTRAINT pk_parent PRIMARY KEY)'), ('CREATE TABLE u (a int REFERENCES nowhere (id))'),
    ('ALTER TABLE t ALTER COLUMN a bigint'), ('ALTER TABLE t DROP COLUMN a'), ('CREATE SCHEMA dbo'),
    ('DROP TABLE nosuch, nosuch_either'), ('CREATE PROCEDURE q AS SELECT x FROM t; SELECT y FROM t');
GO
DECLARE @number int = 1, @text nvarchar(200);
WHILE @number <= (SELECT MAX(number) FROM cases)
BEGIN
    SELECT @text = text FROM cases WHERE number = @number;
    BEGIN TRY EXEC (@text); PRINT 'no error: ' + @text END TRY
    BEGIN CATCH PRINT CONCAT(ERROR_NUMBER(), ' ', ERROR_MESSAGE(), ' ', ERROR_LINE()) END CATCH;
    SET @number += 1;
END;
GO
ALTER TABLE t DROP CONSTRAINT nosuch;
GO
SELECT @@ERROR AS error;
GO
