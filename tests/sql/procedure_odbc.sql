-- Catalog procedures of drivers. The first column is the database, whose name differs from run to run: INSERT ... EXEC drops it. https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/catalog-stored-procedures-transact-sql
CREATE TABLE dbo.parent (id int IDENTITY NOT NULL CONSTRAINT pk_parent PRIMARY KEY, code varchar(20) NOT NULL CONSTRAINT uq_parent UNIQUE,
  note nvarchar(max) NULL, amount decimal(12, 3) NULL CONSTRAINT df_amount DEFAULT 0, moment datetime2(3) NULL, ratio float NULL, version rowversion);
CREATE TABLE dbo.child (a int NOT NULL, b int NOT NULL, parent_id int NULL CONSTRAINT fk_child REFERENCES dbo.parent (id) ON DELETE CASCADE,
  CONSTRAINT pk_child PRIMARY KEY (b, a));
GO
CREATE PROCEDURE dbo.two_parameters @a int, @b nvarchar(20) OUTPUT AS SELECT 1 AS one;
GO
DECLARE @c TABLE (q sysname NULL, o sysname NULL, t sysname NULL, c sysname NULL, data_type smallint, type_name sysname NULL, precision int, length int,
  scale smallint NULL, radix smallint NULL, nullable smallint, remarks varchar(254) NULL, def nvarchar(4000) NULL, sql_type smallint, sub smallint NULL,
  octets int NULL, place int, is_nullable varchar(254), sparse smallint, cs smallint, computed smallint, ident smallint, u1 sysname NULL, u2 sysname NULL,
  u3 sysname NULL, x1 sysname NULL, x2 sysname NULL, x3 sysname NULL, ss tinyint);
INSERT @c EXEC sp_columns_100 'parent', @ODBCVer = 3;
SELECT c, data_type, type_name, precision, length, scale, radix, nullable, def, sql_type, sub, octets, place, is_nullable, computed, ident, ss FROM @c ORDER BY place;
GO
DECLARE @k TABLE (q sysname, o sysname, t sysname, c sysname, seq smallint, pk sysname);
INSERT @k EXEC sp_pkeys 'child';
SELECT o, t, c, seq, pk FROM @k ORDER BY seq;
DECLARE @f TABLE (pq sysname, po sysname, pt sysname, pc sysname, fq sysname, fo sysname, ft sysname, fc sysname, seq smallint, upd smallint, del smallint,
  fk sysname, pk sysname, deferrability smallint);
INSERT @f EXEC sp_fkeys @pktable_name = 'parent';
SELECT pt, pc, ft, fc, seq, upd, del, fk, pk, deferrability FROM @f;
GO
EXEC sp_fkeys;
EXEC sp_columns 'parent', @table_qualifier = 'nowhere';
GO
DECLARE @s TABLE (q sysname, o sysname, t sysname, non_unique smallint NULL, iq sysname NULL, name sysname NULL, type smallint, seq smallint NULL,
  c sysname NULL, coll char(1) NULL, card int NULL, pages int NULL, filter varchar(128) NULL);
INSERT @s EXEC sp_statistics 'parent';
SELECT non_unique, name, type, seq, c, coll FROM @s WHERE type <> 0 ORDER BY non_unique, type, name, seq;
EXEC sp_special_columns 'parent';
EXEC sp_special_columns 'parent', @col_type = 'V';
EXEC sp_special_columns 'parent', @col_type = 'X';
GO
DECLARE @t TABLE (q sysname, o sysname, t sysname, kind varchar(32), remarks varchar(254) NULL);
INSERT @t EXEC sp_tables @table_type = "'TABLE'";
SELECT o, t, kind FROM @t;
EXEC sp_tables @table_name = '', @table_owner = '', @table_qualifier = '', @table_type = '%';
GO
DECLARE @p TABLE (q sysname, o sysname, name nvarchar(134), i int, u int, r int, remarks varchar(254) NULL, kind smallint);
INSERT @p EXEC sp_stored_procedures 'two[_]%';
SELECT o, name, i, u, r, kind FROM @p;
DECLARE @v TABLE (q sysname, o sysname, p nvarchar(134), c sysname, kind smallint, data_type smallint, type_name sysname, precision int, length int,
  scale smallint NULL, radix smallint NULL, nullable smallint, remarks varchar(254) NULL, def nvarchar(4000) NULL, sql_type smallint, sub smallint NULL,
  octets int NULL, place int, is_nullable varchar(254), ss tinyint);
INSERT @v EXEC sp_sproc_columns 'two_parameters';
SELECT p, c, kind, data_type, type_name, precision, length, nullable, place, is_nullable, ss FROM @v ORDER BY place;
GO
EXEC sp_datatype_info_100 -9, 3;
EXEC sp_datatype_info 4;
EXEC sp_server_info 1;
GO
