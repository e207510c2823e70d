-- Defaults and rules that are objects, bound to columns and alias types.
-- https://learn.microsoft.com/sql/t-sql/statements/create-rule-transact-sql
-- https://learn.microsoft.com/sql/t-sql/statements/create-default-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-bindrule-transact-sql
CREATE DEFAULT phonedflt AS 'unknown'
GO
CREATE RULE range_rule AS @range >= $1000 AND @range < $20000;
GO
CREATE RULE list_rule AS @list IN ('1389', '0736', '0877')
GO
CREATE RULE pattern_rule AS @value LIKE '__-%[0-9]'
GO
SELECT name, type, type_desc, parent_object_id FROM sys.objects WHERE type IN ('D', 'R') ORDER BY name
GO
SELECT 1
CREATE DEFAULT late AS 1
GO
CREATE DEFAULT of_column AS a
GO
CREATE RULE of_column AS @a > b
GO
EXEC sp_addtype 'amount', 'money', 'null'
CREATE TABLE t (id int IDENTITY, phone varchar(12), price money, pub char(4), part varchar(20), own amount, both_ AS price * 2, later int DEFAULT 1)
GO
EXEC sp_bindefault 'phonedflt', 't.phone'
EXEC sp_bindrule 'range_rule', 't.price'
EXEC sp_bindrule list_rule, 'dbo.t.pub'
EXEC sp_bindrule 'pattern_rule', 't.[part]'
GO
INSERT t DEFAULT VALUES
INSERT t (phone, price, pub, part) VALUES ('555', 1000, '0736', 'ab-7')
SELECT id, phone, price, pub, part FROM t ORDER BY id
GO
INSERT t (price) VALUES (999)
GO
INSERT t (pub) VALUES ('0000')
GO
UPDATE t SET part = 'x' WHERE id = 2
GO
UPDATE t SET phone = DEFAULT, price = 19999.99 WHERE id = 2
SELECT phone, price FROM t WHERE id = 2
GO
SELECT c.name, OBJECT_NAME(NULLIF(c.default_object_id, 0)) AS default_, OBJECT_NAME(NULLIF(c.rule_object_id, 0)) AS rule_
FROM sys.columns c WHERE object_id = OBJECT_ID('t') AND name <> 'later' ORDER BY column_id
EXEC sp_helptext 'range_rule'
GO
-- What is in use stays.
DROP RULE range_rule
GO
DROP DEFAULT phonedflt
GO
-- What has none, or may have none.
EXEC sp_bindefault 'phonedflt', 't.id'
EXEC sp_bindefault 'phonedflt', 't.both_'
EXEC sp_bindefault 'phonedflt', 't.later'
EXEC sp_bindrule 'range_rule', 't.both_'
EXEC sp_bindefault 'missing', 't.phone'
EXEC sp_bindrule 'phonedflt', 't.phone'
EXEC sp_bindrule 'range_rule', 't.missing'
EXEC sp_bindrule 'range_rule', 'missing'
EXEC sp_unbindefault 't.price'
EXEC sp_unbindefault 't.later'
EXEC sp_unbindrule 't.phone'
EXEC sp_unbindrule 'amount'
EXEC sp_unbindefault 'amount'
EXEC sp_bindrule 'range_rule', 't.price', 'later'
GO
-- An alias type: its columns of now, and of later.
EXEC sp_bindrule 'range_rule', 'amount'
GO
INSERT t (own) VALUES (5)
GO
CREATE DEFAULT amount_default AS 5000
GO
EXEC sp_bindefault 'amount_default', 'amount', 'futureonly'
GO
CREATE TABLE u (id int, own amount)
ALTER TABLE u ADD second amount NULL
GO
INSERT u (id) VALUES (1)
INSERT t (pub) VALUES (NULL)
SELECT id, own, second FROM u
SELECT TOP 1 own FROM t ORDER BY id DESC
GO
INSERT u VALUES (2, 1, NULL)
GO
INSERT u VALUES (2, NULL, 1)
GO
EXEC sp_unbindrule 'amount'
EXEC sp_unbindefault 'amount'
GO
INSERT u (id, own) VALUES (2, 1)
SELECT id, own, second FROM u ORDER BY id
GO
EXEC sp_unbindrule 't.price'
EXEC sp_unbindefault 't.phone'
INSERT t (price) VALUES (1)
SELECT TOP 1 phone, price FROM t ORDER BY id DESC
GO
-- What is bound keeps its column; a table that goes takes its bindings with it.
ALTER TABLE t DROP COLUMN part
GO
EXEC sp_unbindrule 't.[part]'
ALTER TABLE t DROP COLUMN part
DROP RULE pattern_rule
DROP TABLE t, u
DROP RULE list_rule, range_rule
DROP DEFAULT phonedflt, amount_default
DROP TYPE amount
SELECT COUNT(*) AS left_ FROM sys.objects WHERE type = 'R'
