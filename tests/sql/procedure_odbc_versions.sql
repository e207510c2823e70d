-- What the procedures of drivers say to clients of three generations, and whom they refuse. https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/catalog-stored-procedures-transact-sql
CREATE SCHEMA app;
GO
CREATE TYPE dbo.code FROM varchar(12) NOT NULL;
CREATE TABLE app.every_type (a bit NOT NULL, b tinyint NULL, c smallint NULL, d int IDENTITY(1, 1) NOT NULL, e bigint NULL, f decimal(9, 2) NULL,
  g numeric(20, 5) NULL, h money NULL, i smallmoney NULL, j float NULL, k real NULL, l date NULL, m time(2) NULL, n datetime2(0) NULL,
  o datetimeoffset(7) NULL, p datetime NULL, q smalldatetime NOT NULL, r char(3) NULL, s varchar(10) NULL, t varchar(max) NULL, u text NULL,
  v nchar(3) NULL, w nvarchar(10) NULL, x nvarchar(max) NULL, y ntext NULL, z binary(4) NULL, aa varbinary(5) NULL, ab varbinary(max) NULL,
  ac image NULL, ad rowversion, ae uniqueidentifier NULL, af sql_variant NULL, ag xml NULL, ah sysname NULL, ai dbo.code, aj AS (d + 1));
CREATE TABLE dbo.[odd[name] (id int NOT NULL CONSTRAINT pk_odd PRIMARY KEY, [co_l] int NULL CONSTRAINT df_odd DEFAULT 7, [coxl] int NULL);
CREATE TABLE dbo.plain (id int NOT NULL CONSTRAINT pk_plain PRIMARY KEY NONCLUSTERED, other int NULL CONSTRAINT fk_plain REFERENCES dbo.[odd[name] (id) ON UPDATE CASCADE);
CREATE UNIQUE INDEX by_other ON dbo.plain (other DESC) WHERE other > 3;
GO
CREATE VIEW app.seen AS SELECT d, s FROM app.every_type;
GO
CREATE PROCEDURE app.many @a decimal(9, 2), @b varchar(max), @c date = NULL, @d xml OUTPUT AS SELECT 1 AS one;
GO
CREATE FUNCTION app.twice(@a int) RETURNS int AS BEGIN RETURN 2 * @a END;
GO
CREATE FUNCTION app.rows_of(@a nvarchar(7)) RETURNS TABLE AS RETURN SELECT @a AS a;
GO
EXEC sp_columns 'every_type';
EXEC sp_columns 'every_type', @ODBCVer = 3;
EXEC sp_columns_90 'every_type', 'app';
EXEC sp_columns_90 'every_type', 'app', @ODBCVer = 3;
EXEC sp_columns_100 'every_type', 'app', @ODBCVer = 2;
EXEC sp_columns_100 'every_type', 'app', @ODBCVer = 3;
GO
EXEC sp_columns 'pl%';
EXEC sp_columns 'plain', 'nobody';
EXEC sp_columns 'plain', 'd[b]o';
EXEC sp_columns 'odd[name', @column_name = 'co_l';
EXEC sp_columns_90 'pl%', @fUsePattern = 0;
EXEC sp_columns_90 'pl%', 'db_';
EXEC sp_columns_90 'odd[name', @column_name = 'co[_]l';
EXEC sp_columns_100 'odd[name', @column_name = 'co_l', @fUsePattern = 0;
EXEC sp_columns_100 'odd[name', @column_name = 'co_l';
EXEC sp_columns_100 'plain', @NameScope = 1;
EXEC sp_columns_100 'seen', 'app', 'golden_procedure_odbc_versions';
EXEC sp_columns_100 'rows_of', 'app';
EXEC sp_columns_100 NULL, @column_name = 'coxl', @ODBCVer = NULL;
EXEC sp_columns_90 'plain', @table_qualifier = 'nowhere';
EXEC sp_columns_100 'plain', @table_qualifier = 'nowhere';
DECLARE @status int;
EXEC @status = sp_columns_100 'plain', @table_qualifier = 'nowhere';
SELECT @status AS refused;
GO
EXEC sp_tables 'pl%';
EXEC sp_tables 'pl%', @fUsePattern = 0;
EXEC sp_tables NULL, 'app';
EXEC sp_tables '%', 'a%', @table_type = "'VIEW','TABLE'";
EXEC sp_tables '%', 'app', @table_type = 'VIEW';
EXEC sp_tables 'plain', 'dbo', '%';
EXEC sp_tables 'plain', 'dbo', '';
EXEC sp_tables 'plain', 'dbo', 'nowhere';
EXEC sp_tableswc 'plain';
GO
EXEC sp_pkeys 'plain';
EXEC sp_pkeys 'odd[name', 'dbo', 'golden_procedure_odbc_versions';
EXEC sp_pkeys 'nothing';
EXEC sp_pkeys 'plain', @table_qualifier = 'nowhere';
EXEC sp_primary_keys_rowset 'plain';
EXEC sp_primary_keys_rowset 'plain', 'app';
EXEC sp_fkeys 'odd[name';
EXEC sp_fkeys @fktable_name = 'plain', @fktable_owner = 'dbo';
EXEC sp_fkeys 'plain';
EXEC sp_fkeys 'nothing';
EXEC sp_fkeys 'plain', @pktable_qualifier = 'nowhere';
EXEC sp_fkeys 'plain', @fktable_qualifier = 'nowhere';
GO
EXEC sp_statistics 'plain', @is_unique = 'Y';
EXEC sp_statistics 'plain', 'dbo', @index_name = 'by%';
EXEC sp_statistics_100 'plain';
EXEC sp_statistics 'plain', @accuracy = 'X';
EXEC sp_statistics 'plain', @table_qualifier = 'nowhere';
EXEC sp_statistics_100 'plain', @table_qualifier = 'nowhere';
GO
EXEC sp_special_columns_90 'plain', @nullable = 'O', @scope = 'C';
EXEC sp_special_columns_100 'plain', @ODBCVer = 3;
EXEC sp_special_columns_100 'every_type', 'app', @col_type = 'V';
EXEC sp_special_columns_100 'plain', @table_qualifier = 'nowhere';
EXEC sp_special_columns 'plain', @table_qualifier = 'nowhere';
EXEC sp_special_columns 'plain', @scope = 'X';
EXEC sp_special_columns 'plain', @nullable = 'X';
EXEC sp_special_columns 'plain', @col_type = NULL;
EXEC sp_special_columns_100 'plain', @col_type = 'X';
EXEC sp_special_columns_100 'plain', @scope = 'X';
EXEC sp_special_columns_100 'plain', @nullable = NULL;
GO
EXEC sp_stored_procedures NULL, 'app';
EXEC sp_stored_procedures 'man_';
EXEC sp_stored_procedures 'man_', @fUsePattern = 0;
EXEC sp_stored_procedures 'many', 'app', '';
EXEC sp_stored_procedures 'many', 'app', 'nowhere';
EXEC sp_sproc_columns 'many', 'app';
EXEC sp_sproc_columns_90 'many;1', 'app', @ODBCVer = 3;
EXEC sp_sproc_columns_100 '%', 'app', @ODBCVer = 3;
EXEC sp_sproc_columns_100 'many', 'a_p', @fUsePattern = 0;
EXEC sp_sproc_columns_100 'many', @column_name = '@b';
EXEC sp_sproc_columns 'many', @procedure_qualifier = 'nowhere';
EXEC sp_sproc_columns_90 'many', @procedure_qualifier = 'nowhere';
EXEC sp_sproc_columns_100 'many', @procedure_qualifier = 'nowhere';
GO
EXEC sp_datatype_info;
EXEC sp_datatype_info 0, 3;
EXEC sp_datatype_info_90 0, 3;
EXEC sp_datatype_info_100 0, 3;
EXEC sp_datatype_info_90 12;
EXEC sp_datatype_info_100 93, 4;
EXEC sp_datatype_info_100 11, 2;
GO
CREATE USER reader WITHOUT LOGIN;
GRANT SELECT ON dbo.plain TO reader WITH GRANT OPTION;
GRANT UPDATE ON dbo.plain (other) TO reader;
DENY DELETE ON dbo.plain TO reader;
GO
EXEC sp_table_privileges 'pla_n', 'dbo';
EXEC sp_table_privileges 'pla_n', @fUsePattern = 0;
EXEC sp_table_privileges 'plain', @table_qualifier = 'nowhere';
EXEC sp_column_privileges 'plain';
EXEC sp_column_privileges 'plain', 'dbo', @column_name = 'o%';
EXEC sp_column_privileges 'plain', @table_qualifier = 'nowhere';
GO
DROP USER reader;
GO
CREATE TABLE dbo.bracketed ([a[b] int);
EXEC sp_columns 'bracketed', @column_name = 'a[b';
EXEC sp_columns_90 'bracketed', @column_name = 'a[b';
EXEC sp_special_columns_90 'bracketed', @scope = 'X';
GO
