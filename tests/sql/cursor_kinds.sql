CREATE TABLE t (id int NOT NULL PRIMARY KEY, v varchar(10));
INSERT t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four');
GO
SET NOCOUNT ON;
DECLARE @id int, @v varchar(10);
DECLARE c CURSOR FOR SELECT id, v FROM t ORDER BY id;
OPEN c;
FETCH NEXT FROM c INTO @id, @v;
WHILE @@FETCH_STATUS = 0
BEGIN
    PRINT CONCAT(@id, ' ', @v);
    FETCH c INTO @id, @v;
END
SELECT @@FETCH_STATUS AS fs, @id AS last_id;
CLOSE c;
DEALLOCATE c;
GO
DECLARE s CURSOR SCROLL STATIC FOR SELECT id FROM t ORDER BY id;
OPEN s;
SELECT @@CURSOR_ROWS AS n;
FETCH LAST FROM s;
FETCH PRIOR FROM s;
FETCH FIRST FROM s;
FETCH ABSOLUTE 3 FROM s;
FETCH ABSOLUTE -1 FROM s;
FETCH RELATIVE -2 FROM s;
FETCH RELATIVE 0 FROM s;
FETCH ABSOLUTE 50 FROM s;
SELECT @@FETCH_STATUS AS fs;
FETCH PRIOR FROM s;
DELETE t WHERE id = 4;
FETCH LAST FROM s;
CLOSE s;
OPEN s;
SELECT @@CURSOR_ROWS AS n;
CLOSE s;
DEALLOCATE s;
GO
-- WHERE CURRENT OF.
DECLARE u CURSOR FOR SELECT id, v FROM t FOR UPDATE OF v;
OPEN u;
FETCH NEXT FROM u;
UPDATE t SET v = 'changed' WHERE CURRENT OF u;
FETCH NEXT FROM u;
DELETE FROM t WHERE CURRENT OF u;
DELETE FROM t WHERE CURRENT OF u;
FETCH NEXT FROM u;
FETCH NEXT FROM u;
SELECT @@FETCH_STATUS AS fs;
UPDATE t SET v = 'x' WHERE CURRENT OF u;
CLOSE u;
DEALLOCATE u;
SELECT * FROM t ORDER BY id;
GO
-- A keyset shows changed values and holes.
INSERT t VALUES (5, 'five'), (6, 'six');
DECLARE k CURSOR KEYSET FOR SELECT id, v FROM t ORDER BY id;
OPEN k;
SELECT @@CURSOR_ROWS AS n;
UPDATE t SET v = 'V' WHERE id = 3;
DELETE t WHERE id = 5;
FETCH ABSOLUTE 2 FROM k;
FETCH NEXT FROM k;
SELECT @@FETCH_STATUS AS hole;
FETCH NEXT FROM k;
CLOSE k;
DEALLOCATE k;
DECLARE d CURSOR DYNAMIC FOR SELECT id, v FROM t ORDER BY id;
OPEN d;
SELECT @@CURSOR_ROWS AS n;
FETCH NEXT FROM d;
DELETE t WHERE id = 3;
FETCH NEXT FROM d;
FETCH PRIOR FROM d;
FETCH ABSOLUTE 1 FROM d;
CLOSE d;
DEALLOCATE d;
GO
OPEN nosuch;
GO
FETCH NEXT FROM nosuch;
GO
DECLARE c CURSOR FOR SELECT 1 AS one;
DECLARE c CURSOR FOR SELECT 2 AS two;
FETCH NEXT FROM c;
OPEN c;
OPEN c;
DECLARE @a int, @b int;
FETCH NEXT FROM c INTO @a, @b;
FETCH PRIOR FROM c;
CLOSE c;
CLOSE c;
DEALLOCATE c;
DEALLOCATE c;
GO
DECLARE ro CURSOR READ_ONLY FOR SELECT id FROM t;
OPEN ro;
FETCH NEXT FROM ro;
UPDATE t SET v = 'x' WHERE CURRENT OF ro;
DEALLOCATE ro;
GO
-- Cursor variables and their scope.
DECLARE @c CURSOR, @id int;
SET @c = CURSOR LOCAL FAST_FORWARD FOR SELECT id FROM t ORDER BY id DESC;
OPEN @c;
FETCH NEXT FROM @c INTO @id;
PRINT @id;
DECLARE @d CURSOR;
SET @d = @c;
FETCH NEXT FROM @d INTO @id;
PRINT @id;
DEALLOCATE @c;
FETCH NEXT FROM @d INTO @id;
SELECT @@FETCH_STATUS AS fs;
OPEN @c;
GO
-- A global cursor lives on from batch to batch.
DECLARE g CURSOR GLOBAL FOR SELECT id FROM t ORDER BY id;
OPEN g;
GO
FETCH NEXT FROM g;
CLOSE g;
DEALLOCATE g;
GO
-- FETCH converts to the variables' types, as an assignment does.
DECLARE typed CURSOR FOR SELECT CAST(12.345 AS decimal(9,3)), 'text', CAST('2024-05-06' AS date), 7;
DECLARE @rounded decimal(5,1), @wide nvarchar(3), @moment datetime2(0), @text varchar(10);
OPEN typed;
FETCH NEXT FROM typed INTO @rounded, @wide, @moment, @text;
SELECT @rounded AS rounded, @wide AS wide, @moment AS moment, @text AS text;
CLOSE typed;
OPEN typed;
FETCH NEXT FROM typed INTO @moment, @wide, @moment, @text;
CLOSE typed;
DEALLOCATE typed;
GO
DECLARE clash CURSOR FOR SELECT CAST('2024-05-06' AS date);
DECLARE @n int;
OPEN clash;
FETCH NEXT FROM clash INTO @n;
DEALLOCATE clash;
GO
-- A keyset needs keys: of a table without a unique index it is static ("DECLARE CURSOR", KEYSET). A dynamic cursor needs none.
CREATE TABLE heap (id int, v varchar(10));
CREATE UNIQUE INDEX part ON heap (id) WHERE id > 1;
INSERT heap VALUES (1, 'one'), (2, 'two');
DECLARE heaped CURSOR KEYSET FOR SELECT id, v FROM heap;
DECLARE joined CURSOR KEYSET FOR SELECT heap.id, heap.v FROM heap LEFT JOIN t ON t.id = heap.id;
DECLARE moving CURSOR DYNAMIC FOR SELECT id, v FROM heap;
OPEN heaped;
OPEN joined;
OPEN moving;
UPDATE heap SET v = 'changed';
FETCH NEXT FROM heaped;
FETCH NEXT FROM joined;
FETCH NEXT FROM moving;
UPDATE heap SET v = 'x' WHERE CURRENT OF heaped;
CLOSE heaped;
CREATE UNIQUE INDEX i ON heap (id);
OPEN heaped;
UPDATE heap SET v = 'again';
FETCH NEXT FROM heaped;
DEALLOCATE heaped;
DEALLOCATE joined;
DEALLOCATE moving;
GO
-- https://learn.microsoft.com/sql/t-sql/language-elements/declare-cursor-transact-sql
