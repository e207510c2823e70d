-- https://learn.microsoft.com/sql/t-sql/data-types/hierarchyid-data-type-method-reference
CREATE TABLE org (node hierarchyid CONSTRAINT pk_org PRIMARY KEY, lvl AS node.GetLevel(), name varchar(20), up AS node.GetAncestor(1) PERSISTED);
CREATE UNIQUE INDEX by_level ON org (lvl, node);
GO
INSERT org (node, name) VALUES (hierarchyid::GetRoot(), 'root'), ('/1/', 'one'), ('/2/', 'two'), (hierarchyid::Parse('/1/1/'), 'one one'),
  (CAST('/1/2.1/' AS hierarchyid), 'one two one'), (0x5B40, 'one two'), ('/-1/', 'before'), ('/1.1/', 'between'), ('/10/', 'ten'), ('/100000/-5/', 'far');
SELECT node.ToString() AS path, CAST(node AS nvarchar(30)) AS text, CONVERT(varbinary(892), node) AS bytes, lvl, up.ToString() AS up, name FROM org ORDER BY node;
SELECT name FROM org WHERE node.IsDescendantOf('/1/') = 1 ORDER BY node DESC;
SELECT name FROM org WHERE node = '/2/' OR node > '/10/' ORDER BY node;
SELECT name FROM org WHERE node BETWEEN '/1/' AND '/1/2/' ORDER BY node;
SELECT lvl, COUNT(*) AS n, MAX(node).ToString() AS last FROM org GROUP BY lvl ORDER BY lvl;
SELECT a.name, b.name AS above FROM org a LEFT JOIN org b ON b.node = a.node.GetAncestor(1) ORDER BY a.node;
GO
DECLARE @p hierarchyid = '/1/', @a hierarchyid, @b hierarchyid, @n hierarchyid;
SELECT @p.GetDescendant(NULL, NULL).ToString() AS first, @p.GetDescendant('/1/1/', NULL).ToString() AS behind, @p.GetDescendant(NULL, '/1/1/').ToString() AS before,
  @p.GetDescendant('/1/1/', '/1/2/').ToString() AS between_, @p.GetDescendant('/1/1.1/', '/1/2/').ToString() AS further, @p.GetDescendant('/1/2/', '/1/2.1/').ToString() AS zero;
SELECT @p.GetAncestor(0).ToString() AS own, @p.GetAncestor(1).ToString() AS root, @p.GetAncestor(2) AS none, @p.GetLevel() AS lvl, @n.GetLevel() AS null_level, @n.ToString() AS null_text;
SET @a = '/1/2/3/';
SELECT @a.GetReparentedValue('/1/', '/7/8/').ToString() AS moved, @a.IsDescendantOf(@a) AS own, @a.IsDescendantOf('/2/') AS other, @a.IsDescendantOf(NULL) AS unknown;
GO
UPDATE org SET node = node.GetReparentedValue('/1/', '/3/') WHERE node.IsDescendantOf('/1/') = 1;
SELECT node.ToString() AS path, lvl FROM org ORDER BY lvl, node;
GO
INSERT org (node, name) VALUES ('/3/', 'again');
GO
-- What is wrong.
SELECT CAST('/1/1' AS hierarchyid);
GO
DECLARE @h hierarchyid = 'x';
GO
SELECT CAST(0x5800 AS hierarchyid);
GO
DECLARE @h hierarchyid = '/1/'; SELECT @h.GetAncestor(-1);
GO
DECLARE @h hierarchyid = '/1/'; SELECT @h.GetDescendant('/2/', NULL);
GO
DECLARE @h hierarchyid = '/'; SELECT @h.GetDescendant('/2/', '/1/');
GO
DECLARE @h hierarchyid = '/1/'; SELECT @h.GetReparentedValue('/2/', '/3/');
GO
DECLARE @h hierarchyid = '/1/'; SELECT @h.getlevel();
GO
DECLARE @h hierarchyid = '/1/'; SELECT @h.GetLevel;
GO
DECLARE @h hierarchyid = '/1/'; SELECT @h.GetRoot();
GO
SELECT hierarchyid::GetLevel();
GO
SELECT hierarchyid::Nothing();
GO
DECLARE @h hierarchyid = '/1/'; SELECT @h.GetLevel(1);
GO
SELECT CAST(1 AS hierarchyid);
GO
DECLARE @h hierarchyid = '/1/'; SELECT @h + 1;
GO
SELECT name, system_type_id, user_type_id, max_length, is_nullable, is_assembly_type FROM sys.types WHERE name = 'hierarchyid';
SELECT c.name, TYPE_NAME(c.user_type_id) AS type, c.max_length, c.is_computed FROM sys.columns c WHERE c.object_id = OBJECT_ID('org') ORDER BY c.column_id;
SELECT definition FROM sys.computed_columns WHERE object_id = OBJECT_ID('org') ORDER BY column_id;
