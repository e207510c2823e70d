-- What a sparse column cannot be, and what one is no part of. https://learn.microsoft.com/sql/relational-databases/tables/use-sparse-columns
CREATE TYPE dbo.phone FROM varchar(20) NULL;
GO
CREATE TABLE s (id int, a int SPARSE NOT NULL);
GO
CREATE TABLE s (id int, a int IDENTITY SPARSE);
GO
CREATE TABLE s (id int, a uniqueidentifier ROWGUIDCOL SPARSE);
GO
CREATE TABLE s (id int, a text SPARSE);
GO
CREATE TABLE s (id int, a ntext SPARSE);
GO
CREATE TABLE s (id int, a image SPARSE);
GO
CREATE TABLE s (id int, a timestamp SPARSE);
GO
CREATE TABLE s (id int, a geometry SPARSE);
GO
CREATE TABLE s (id int, a geography SPARSE NULL);
GO
CREATE TABLE s (id int, a dbo.phone SPARSE NULL);
GO
CREATE TABLE s (id int, x xml COLUMN_SET FOR ALL_SPARSE_COLUMNS, y xml COLUMN_SET FOR ALL_SPARSE_COLUMNS);
GO
CREATE TABLE s (id int, x nvarchar(max) COLUMN_SET FOR ALL_SPARSE_COLUMNS);
GO
CREATE TABLE s (id int NOT NULL, a int SPARSE NULL, b xml SPARSE, c varchar(max) SPARSE, d sql_variant SPARSE NULL, e hierarchyid SPARSE);
GO
INSERT s (id, a) VALUES (1, 5), (2, NULL);
SELECT id, a, b, c, d FROM s ORDER BY id;
ALTER TABLE s ADD f int SPARSE NOT NULL;
GO
ALTER TABLE s ALTER COLUMN a ADD SPARSE;
ALTER TABLE s ALTER COLUMN a DROP SPARSE;
ALTER TABLE s ALTER COLUMN id ADD SPARSE;
GO
