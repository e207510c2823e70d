-- A column that a method changes is not named with its table.
-- https://learn.microsoft.com/sql/t-sql/queries/update-transact-sql (.WRITE), https://learn.microsoft.com/sql/t-sql/xml/modify-method-xml-data-type
CREATE TABLE t (id int PRIMARY KEY, x xml, s varchar(max));
INSERT t VALUES (1, '<a><b/></a>', 'abc');
GO
UPDATE t SET t.x.modify('delete /a/b');
GO
UPDATE q SET q.s.WRITE('x', 0, 1) FROM t AS q;
GO
UPDATE t SET dbo.t.s.WRITE('x', 0, 1);
GO
UPDATE q SET x.modify('delete /a/b'), s.WRITE('x', 0, 1) FROM t AS q WHERE q.id = 1;
SELECT id, x, s FROM t;
GO
