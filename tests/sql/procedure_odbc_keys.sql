-- The first column is the database, whose name differs from run to run: INSERT ... EXEC drops it. sp_fkeys: what a deletion and an update do, as 0 for CASCADE, 1 for NO ACTION, 2 for SET NULL and 3 for SET DEFAULT; asked by the referencing table only,
-- those that are no CASCADE are 1. A qualifier that is not the database's is refused with status -6.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-fkeys-transact-sql
CREATE TABLE town (county int NOT NULL, number int NOT NULL, code char(3) NOT NULL CONSTRAINT town_code UNIQUE,
  CONSTRAINT town_key PRIMARY KEY (number, county))
CREATE TABLE street (code char(3) NULL CONSTRAINT street_code REFERENCES town (code) ON DELETE SET NULL ON UPDATE CASCADE)
CREATE TABLE lane (c int NULL, n int NULL, code char(3) NULL DEFAULT 'abc' CONSTRAINT lane_code REFERENCES town (code),
  CONSTRAINT lane_town FOREIGN KEY (n, c) REFERENCES town (number, county) ON DELETE SET DEFAULT ON UPDATE SET NULL)
GO
CREATE TABLE #rows (pq sysname, po sysname, pt sysname, pc sysname, fq sysname, fo sysname, ft sysname, fc sysname, seq smallint, upd smallint,
  del smallint, fk sysname, pk sysname, deferrability smallint, place int IDENTITY)
GO
INSERT #rows EXEC sp_fkeys town
SELECT ft, fc, pc, seq, upd, del, fk, pk, deferrability FROM #rows ORDER BY place
GO
DELETE #rows
INSERT #rows EXEC sp_fkeys @fktable_name = lane
SELECT ft, fc, pc, seq, upd, del, fk, pk, deferrability FROM #rows ORDER BY place
GO
DELETE #rows
INSERT #rows EXEC sp_fkeys @pktable_name = town, @fktable_name = lane
SELECT ft, fc, pc, seq, upd, del, fk, pk, deferrability FROM #rows ORDER BY place
GO
DECLARE @status int
EXEC @status = sp_fkeys @fktable_name = street, @fktable_qualifier = master
SELECT @status AS status
GO
DECLARE @status int
EXEC @status = sp_fkeys
SELECT @status AS status
EXEC @status = sp_pkeys town, dbo, master
SELECT @status AS status
GO
EXEC sp_pkeys @table_name = town, @none = 1
GO
EXEC sys.sp_pkeys
GO
