-- The identity column and the column of ROWGUIDCOL by what they are: learn.microsoft.com/sql/t-sql/queries/select-clause-transact-sql
-- ($IDENTITY, $ROWGUID), /sql/t-sql/statements/create-table-transact-sql-identity-property (IDENTITYCOL). The result has the column's own name.
CREATE TABLE one (id int IDENTITY(5, 5) CONSTRAINT pk_one PRIMARY KEY, g uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT df_g DEFAULT '6F9619FF-8B86-D011-B42D-00C04FC964FF', v int);
CREATE TABLE two (number bigint IDENTITY, one int);
CREATE TABLE neither (a int);
INSERT one (v) VALUES (10), (20), (30);
INSERT two (one) VALUES (5), (10);
INSERT neither VALUES (1);
GO
SELECT $IDENTITY, v FROM one ORDER BY IDENTITYCOL DESC;
SELECT $identity, $rowguid, ROWGUIDCOL AS again FROM one WHERE $IDENTITY = 10;
SELECT o.$IDENTITY, t.IDENTITYCOL, o.ROWGUIDCOL FROM one o JOIN two t ON t.one = o.$IDENTITY ORDER BY t.$IDENTITY;
SELECT MAX(IDENTITYCOL) AS last, COUNT($ROWGUID) AS n FROM one;
SELECT $IDENTITY, COUNT(*) AS n FROM two GROUP BY $IDENTITY ORDER BY 1;
SELECT v FROM one WHERE EXISTS (SELECT 1 FROM neither WHERE a < $IDENTITY - 5);
GO
UPDATE one SET v = 0 WHERE $IDENTITY = 15;
DELETE one WHERE IDENTITYCOL = 10;
SELECT id, v FROM one;
SET IDENTITY_INSERT one ON;
INSERT one ($IDENTITY, v, $ROWGUID) VALUES (1, 1, '00000000-0000-0000-0000-000000000001');
SET IDENTITY_INSERT one OFF;
SELECT id, g, v FROM one WHERE id = 1;
GO
-- Without such a column; with two of them.
SELECT $IDENTITY FROM neither;
GO
SELECT $ROWGUID FROM two;
GO
SELECT n.IDENTITYCOL FROM neither n;
GO
SELECT IDENTITYCOL FROM one, two;
GO
SELECT "$IDENTITY" FROM one;
GO
