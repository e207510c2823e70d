-- Names in triggers, and OUTPUT on tables with triggers. learn.microsoft.com: OUTPUT clause, "Triggers": without INTO the target has no
-- enabled trigger for the action.
CREATE TABLE t (a int CONSTRAINT pk_t PRIMARY KEY, b int, c int);
CREATE TABLE kept (a int, b int);
INSERT t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3);
GO
-- The table is the target without standing in FROM, whatever else stands there.
CREATE TRIGGER tr_u ON t AFTER UPDATE AS
BEGIN
    SET NOCOUNT ON;
    UPDATE t SET b = i.c * 10 FROM inserted i WHERE i.a = t.a;
    UPDATE dbo.t SET c = 7 FROM inserted WHERE inserted.a = dbo.t.a AND dbo.t.a = 2;
    UPDATE t SET c = t.c + d.c FROM inserted i JOIN deleted d ON i.a = d.a WHERE t.a = i.a AND i.a = 3;
    UPDATE t SET c = t.c + 1 FROM deleted, kept WHERE deleted.a = t.a AND kept.a = t.a;
END
GO
INSERT kept VALUES (1, 1);
UPDATE t SET c = c + 1;
SELECT * FROM t ORDER BY a;
GO
ALTER TRIGGER tr_u ON t AFTER UPDATE AS DELETE t FROM deleted d WHERE d.a = t.a AND d.a = 1;
GO
UPDATE t SET b = 0;
SELECT * FROM t ORDER BY a;
GO
ALTER TRIGGER tr_u ON t AFTER UPDATE AS
BEGIN
    -- In FROM under another name it is the target too.
    UPDATE t SET b = 5 FROM t AS x JOIN inserted i ON i.a = x.a WHERE x.a = 2;
    DELETE FROM t FROM inserted WHERE inserted.a = t.a AND t.a = 3;
    MERGE t USING inserted AS s ON t.a = s.a WHEN MATCHED AND s.a = 2 THEN UPDATE SET c = -1;
END
GO
UPDATE t SET c = 0;
SELECT * FROM t ORDER BY a;
GO
-- The rows themselves cannot be changed.
ALTER TRIGGER tr_u ON t AFTER UPDATE AS UPDATE inserted SET b = 1;
GO
ALTER TRIGGER tr_u ON t AFTER UPDATE AS DELETE d FROM deleted d;
GO
ALTER TRIGGER tr_u ON t AFTER UPDATE AS INSERT inserted VALUES (1, 1, 1);
GO
DROP TRIGGER tr_u;
DELETE t;
INSERT t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3);
GO
-- OUTPUT.
CREATE TRIGGER tr_i ON t AFTER INSERT AS SELECT 'fired' AS f;
GO
INSERT t OUTPUT inserted.a VALUES (4, 4, 4);
GO
INSERT dbo.t (a) OUTPUT inserted.a SELECT 5;
GO
INSERT t OUTPUT inserted.a, inserted.b INTO kept OUTPUT inserted.a VALUES (6, 6, 6);
GO
MERGE t AS x USING (VALUES (7)) AS s (a) ON x.a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a) OUTPUT $action;
GO
IF 1 = 0 INSERT t OUTPUT inserted.a VALUES (8, 8, 8);
GO
CREATE VIEW v AS SELECT a, b FROM t;
GO
INSERT v OUTPUT inserted.a VALUES (9, 9);
GO
INSERT kept SELECT a, 1 FROM (INSERT t OUTPUT inserted.a VALUES (8, 8, 8)) AS x;
GO
SELECT COUNT(*) AS n FROM t;
-- Other actions, INTO, a trigger that is disabled.
UPDATE t SET b = 9 OUTPUT deleted.b, inserted.b WHERE a = 1;
DELETE t OUTPUT deleted.a WHERE a = 3;
INSERT t OUTPUT inserted.a, inserted.b INTO kept VALUES (4, 4, 4);
MERGE t AS x USING (VALUES (1)) AS s (a) ON x.a = s.a WHEN MATCHED THEN UPDATE SET c = 0 OUTPUT $action, inserted.a;
DECLARE @k TABLE (a int);
INSERT t OUTPUT inserted.a INTO @k VALUES (5, 5, 5);
SELECT a FROM @k;
DISABLE TRIGGER tr_i ON t;
GO
INSERT t OUTPUT inserted.a VALUES (6, 6, 6);
GO
DROP TRIGGER tr_i;
GO
CREATE TRIGGER tr_all ON t INSTEAD OF UPDATE, DELETE AS PRINT 'instead';
GO
UPDATE t SET b = 1 OUTPUT inserted.b;
GO
UPDATE x SET b = 1 OUTPUT inserted.b FROM t AS x;
GO
DELETE t OUTPUT deleted.a;
GO
INSERT t OUTPUT inserted.a VALUES (7, 7, 7);
DELETE t OUTPUT deleted.a INTO kept (a) WHERE a = 7;
GO
