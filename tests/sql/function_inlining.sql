-- Scalar functions whose body becomes an expression of the calling query, each beside one that is never inlined: the same rows.
-- https://learn.microsoft.com/sql/relational-databases/user-defined-functions/scalar-udf-inlining
CREATE TABLE dbo.customers (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, region int NULL);
CREATE TABLE dbo.orders (id int NOT NULL PRIMARY KEY, customer int NULL, price decimal(12,2) NULL, placed date NOT NULL);
INSERT dbo.customers SELECT value, IIF(value % 9 = 0, NULL, CONCAT('c', value)), NULLIF(value % 5, 0) FROM GENERATE_SERIES(1, 40);
INSERT dbo.orders SELECT value, NULLIF(value % 37, 0), value * 10.5, DATEADD(day, value, '2024-01-01') FROM GENERATE_SERIES(1, 400);
GO
-- One expression.
CREATE FUNCTION dbo.discount(@price decimal(12,2), @off decimal(12,2)) RETURNS decimal(12,2) AS BEGIN RETURN @price * (1 - @off) END
GO
CREATE FUNCTION dbo.discount_called(@price decimal(12,2), @off decimal(12,2)) RETURNS decimal(12,2) WITH INLINE = OFF AS BEGIN RETURN @price * (1 - @off) END
GO
SELECT COUNT(*) AS rows_, SUM(CASE WHEN dbo.discount(price, 0.125) = dbo.discount_called(price, 0.125) THEN 1 ELSE 0 END) AS same, SUM(dbo.discount(price, 0.125)) AS total FROM dbo.orders
SELECT customer, SUM(dbo.discount(price, 0.1)) AS a, SUM(dbo.discount_called(price, 0.1)) AS b FROM dbo.orders WHERE customer < 4 GROUP BY customer ORDER BY customer
GO
-- Several statements: the page's example.
CREATE FUNCTION dbo.category(@key int) RETURNS char(10) AS
BEGIN
  DECLARE @total decimal(18,2), @category char(10);
  SELECT @total = SUM(price) FROM dbo.orders WHERE customer = @key;
  IF @total < 21600 SET @category = 'REGULAR';
  ELSE IF @total < 22800 SET @category = 'GOLD';
  ELSE SET @category = 'PLATINUM';
  RETURN @category;
END
GO
CREATE FUNCTION dbo.category_called(@key int) RETURNS char(10) WITH INLINE = OFF AS
BEGIN
  DECLARE @total decimal(18,2), @category char(10);
  SELECT @total = SUM(price) FROM dbo.orders WHERE customer = @key;
  IF @total < 21600 SET @category = 'REGULAR';
  ELSE IF @total < 22800 SET @category = 'GOLD';
  ELSE SET @category = 'PLATINUM';
  RETURN @category;
END
GO
SELECT category, COUNT(*) AS customers FROM (SELECT dbo.category(id) AS category FROM dbo.customers) c GROUP BY category ORDER BY category
SELECT COUNT(*) AS same FROM dbo.customers WHERE dbo.category(id) = dbo.category_called(id)
GO
-- Rows that are not there leave the variable as it is; of several rows the last one counts; a subquery of several is 512.
CREATE FUNCTION dbo.name_of(@key int) RETURNS varchar(30) AS
BEGIN
  DECLARE @name varchar(30) = 'nobody';
  SELECT @name = name FROM dbo.customers WHERE id = @key;
  RETURN @name + '!';
END
GO
CREATE FUNCTION dbo.name_of_called(@key int) RETURNS varchar(30) WITH INLINE = OFF AS
BEGIN
  DECLARE @name varchar(30) = 'nobody';
  SELECT @name = name FROM dbo.customers WHERE id = @key;
  RETURN @name + '!';
END
GO
SELECT id, dbo.name_of(id * 9) AS a, dbo.name_of_called(id * 9) AS b FROM dbo.customers WHERE id IN (1, 2, 4, 5) ORDER BY id
GO
CREATE FUNCTION dbo.two(@key int) RETURNS varchar(60) AS
BEGIN
  DECLARE @a int = -1, @b decimal(12,2), @n int = 0;
  SELECT @a = id, @b = price FROM dbo.orders WHERE id = @key;
  SET @n += @a; SET @n = @n * 2; SET @key = @key + 1;
  RETURN CONCAT(@a, ';', @b, ';', @n, ';', @key);
END
GO
CREATE FUNCTION dbo.two_called(@key int) RETURNS varchar(60) WITH INLINE = OFF AS
BEGIN
  DECLARE @a int = -1, @b decimal(12,2), @n int = 0;
  SELECT @a = id, @b = price FROM dbo.orders WHERE id = @key;
  SET @n += @a; SET @n = @n * 2; SET @key = @key + 1;
  RETURN CONCAT(@a, ';', @b, ';', @n, ';', @key);
END
GO
SELECT id, dbo.two(id * 20) AS a, dbo.two_called(id * 20) AS b FROM dbo.customers WHERE id IN (1, 20, 21) ORDER BY id
GO
CREATE FUNCTION dbo.several(@key int) RETURNS int AS BEGIN RETURN (SELECT id FROM dbo.orders WHERE customer = @key) END
GO
CREATE FUNCTION dbo.several_called(@key int) RETURNS int WITH INLINE = OFF AS BEGIN RETURN (SELECT id FROM dbo.orders WHERE customer = @key) END
GO
SELECT dbo.several(id) FROM dbo.customers WHERE id = 3
GO
SELECT dbo.several_called(id) FROM dbo.customers WHERE id = 3
GO
-- What a branch does that is not taken is not done. Errors have the same numbers.
CREATE FUNCTION dbo.ratio(@a int, @b int) RETURNS int AS
BEGIN
  DECLARE @r int;
  IF @b = 0 BEGIN SET @r = -1; SET @r = @r - 1 END
  ELSE IF @b < 0 BEGIN DECLARE @x int; SET @x = @a / @b; SET @r = @x * @x + @x END
  ELSE SET @r = @a / @b;
  RETURN @r;
END
GO
CREATE FUNCTION dbo.ratio_called(@a int, @b int) RETURNS int WITH INLINE = OFF AS
BEGIN
  DECLARE @r int;
  IF @b = 0 BEGIN SET @r = -1; SET @r = @r - 1 END
  ELSE IF @b < 0 BEGIN DECLARE @x int; SET @x = @a / @b; SET @r = @x * @x + @x END
  ELSE SET @r = @a / @b;
  RETURN @r;
END
GO
SELECT id, dbo.ratio(100, id - 3) AS a, dbo.ratio_called(100, id - 3) AS b FROM dbo.customers WHERE id < 7 ORDER BY id
SELECT dbo.ratio(region, NULL) AS a, dbo.ratio_called(region, NULL) AS b FROM dbo.customers WHERE id < 3
GO
CREATE FUNCTION dbo.failing(@a int) RETURNS int AS BEGIN DECLARE @x int; SET @x = 10 / @a; RETURN @x END
GO
CREATE FUNCTION dbo.failing_called(@a int) RETURNS int WITH INLINE = OFF AS BEGIN DECLARE @x int; SET @x = 10 / @a; RETURN @x END
GO
CREATE FUNCTION dbo.read_number(@a varchar(10)) RETURNS int AS BEGIN RETURN @a END
GO
SELECT dbo.failing(id - 1) FROM dbo.customers
GO
SELECT dbo.failing_called(id - 1) FROM dbo.customers
GO
SELECT dbo.read_number(name) FROM dbo.customers WHERE id = 2
GO
-- Types: what is given becomes the parameter's, what is returned the function's.
CREATE FUNCTION dbo.cut(@a varchar(3)) RETURNS char(5) AS BEGIN DECLARE @b varchar(2) = @a; RETURN @b + '|' END
GO
CREATE FUNCTION dbo.cut_called(@a varchar(3)) RETURNS char(5) WITH INLINE = OFF AS BEGIN DECLARE @b varchar(2) = @a; RETURN @b + '|' END
GO
CREATE FUNCTION dbo.half(@a int) RETURNS decimal(9,3) AS BEGIN RETURN @a / 2.0 END
GO
CREATE FUNCTION dbo.half_called(@a int) RETURNS decimal(9,3) WITH INLINE = OFF AS BEGIN RETURN @a / 2.0 END
GO
CREATE FUNCTION dbo.nothing(@a int) RETURNS varchar(5) AS BEGIN RETURN NULL END
GO
CREATE FUNCTION dbo.same_value(@a int) RETURNS int AS BEGIN RETURN @a END
GO
SELECT id, '[' + dbo.cut(name + 'xyz') + ']' AS a, '[' + dbo.cut_called(name + 'xyz') + ']' AS b, dbo.half(id) AS c, dbo.half_called(id) AS d, ISNULL(dbo.nothing(id), 'longer') AS e FROM dbo.customers WHERE id IN (1, 9) ORDER BY id
SELECT TOP 1 dbo.same_value(id) AS id, dbo.half(5) AS h, dbo.nothing(1) AS n, dbo.cut('x') AS c INTO dbo.made FROM dbo.customers ORDER BY id
SELECT name, TYPE_NAME(system_type_id) AS type, max_length, precision, scale, is_nullable, is_identity FROM sys.columns WHERE object_id = OBJECT_ID('dbo.made') ORDER BY column_id
GO
-- RETURNS NULL ON NULL INPUT: the body is not run, inlined or not.
CREATE FUNCTION dbo.strict(@a int, @b int) RETURNS int WITH RETURNS NULL ON NULL INPUT AS BEGIN RETURN ISNULL(@a, 0) + ISNULL(@b, 0) END
GO
CREATE FUNCTION dbo.strict_called(@a int, @b int) RETURNS int WITH RETURNS NULL ON NULL INPUT, INLINE = OFF AS BEGIN RETURN ISNULL(@a, 0) + ISNULL(@b, 0) END
GO
SELECT id, dbo.strict(region, id) AS a, dbo.strict_called(region, id) AS b FROM dbo.customers WHERE id IN (4, 5) ORDER BY id
SELECT dbo.strict(1, NULL) AS a, dbo.strict_called(NULL, 1) AS b, dbo.strict_called(2, 1) AS c
GO
-- Functions in functions; one that calls itself, and two that call each other.
CREATE FUNCTION dbo.outer_one(@a int) RETURNS int AS BEGIN DECLARE @b int; SET @b = dbo.same_value(@a) + dbo.ratio(@a, 2); RETURN @b END
GO
CREATE FUNCTION dbo.factorial(@n int) RETURNS bigint AS BEGIN DECLARE @r bigint = 1; IF @n > 1 SET @r = @n * dbo.factorial(@n - 1); RETURN @r END
GO
CREATE FUNCTION dbo.ping(@n int) RETURNS int AS BEGIN RETURN @n END
GO
CREATE FUNCTION dbo.pong(@n int) RETURNS int AS BEGIN DECLARE @r int = 0; IF @n > 0 SET @r = dbo.ping(@n - 1) + 1; RETURN @r END
GO
ALTER FUNCTION dbo.ping(@n int) RETURNS int AS BEGIN DECLARE @r int = 0; IF @n > 0 SET @r = dbo.pong(@n - 1) + 1; RETURN @r END
GO
SELECT id, dbo.outer_one(id) AS o, dbo.factorial(id) AS f, dbo.ping(id) AS p FROM dbo.customers WHERE id < 6 ORDER BY id
GO
-- In predicates, joins, changes, aggregates, subqueries, views and inline functions.
CREATE VIEW dbo.rated AS SELECT id, dbo.category(id) AS category FROM dbo.customers
GO
CREATE FUNCTION dbo.named(@least int) RETURNS TABLE AS RETURN SELECT id, dbo.name_of(id) AS name FROM dbo.customers WHERE dbo.same_value(id) >= @least
GO
SELECT COUNT(*) AS rated FROM dbo.rated WHERE category = 'GOLD'
SELECT COUNT(name) AS named FROM dbo.named(30)
SELECT COUNT(*) AS joined FROM dbo.customers c JOIN dbo.orders o ON dbo.same_value(o.customer) = dbo.same_value(c.id)
SELECT COUNT(*) AS outside FROM dbo.customers c LEFT JOIN dbo.orders o ON o.customer = c.id AND dbo.half(o.id) > 150 WHERE o.id IS NULL
SELECT MAX(x) AS largest FROM (SELECT (SELECT SUM(dbo.ratio(o.id, 7)) FROM dbo.orders o WHERE o.customer = c.id) AS x FROM dbo.customers c) q
SELECT MAX(dbo.category(id)) AS last, COUNT(DISTINCT dbo.category(id)) AS kinds FROM dbo.customers
SELECT region, MAX(dbo.name_of(id)) AS name FROM dbo.customers GROUP BY region HAVING MIN(dbo.same_value(id)) < 3 ORDER BY region
UPDATE dbo.customers SET region = dbo.ratio(id, 2) + dbo.two_called(NULL) WHERE 1 = 0
UPDATE dbo.customers SET name = dbo.name_of(id + 1) WHERE id = 40
DELETE dbo.orders WHERE dbo.same_value(id) = 400
INSERT dbo.orders SELECT id + 1000, dbo.same_value(id), dbo.half(id), '20250101' FROM dbo.customers WHERE id < 3
SELECT name FROM dbo.customers WHERE id = 40
SELECT id, price FROM dbo.orders WHERE id > 399 ORDER BY id
GO
-- A function that is altered is another one.
CREATE PROCEDURE dbo.ask AS SELECT dbo.same_value(id) AS v FROM dbo.customers WHERE id = 7
GO
EXEC dbo.ask
GO
ALTER FUNCTION dbo.same_value(@a int) RETURNS int AS BEGIN RETURN -@a END
GO
EXEC dbo.ask
GO
DROP FUNCTION dbo.same_value
GO
EXEC dbo.ask
GO
-- RETURN of a FOR JSON text is a text.
CREATE FUNCTION dbo.as_json(@a int) RETURNS nvarchar(max) AS BEGIN RETURN (SELECT @a AS a FOR JSON PATH) END
GO
SELECT id, dbo.as_json(id) AS j FROM dbo.customers WHERE id = 1 FOR JSON PATH
GO
-- A literal stays of its parameter's type: no decimal(1,0), no untyped NULL.
CREATE FUNCTION dbo.sum_type(@a int) RETURNS varchar(20) AS BEGIN DECLARE @v sql_variant = @a + 1.5; RETURN CONCAT(CAST(SQL_VARIANT_PROPERTY(@v, 'Precision') AS int), ',', CAST(SQL_VARIANT_PROPERTY(@v, 'Scale') AS int)) END
GO
CREATE FUNCTION dbo.sum_type_called(@a int) RETURNS varchar(20) WITH INLINE = OFF AS BEGIN DECLARE @v sql_variant = @a + 1.5; RETURN CONCAT(CAST(SQL_VARIANT_PROPERTY(@v, 'Precision') AS int), ',', CAST(SQL_VARIANT_PROPERTY(@v, 'Scale') AS int)) END
GO
SELECT TOP 1 dbo.sum_type(5) AS a, dbo.sum_type_called(5) AS b, dbo.sum_type(NULL) AS c, dbo.sum_type_called(NULL) AS d FROM dbo.customers
GO
-- A text whose collation is not the database's: that of the column counts.
CREATE TABLE dbo.other (id int, name varchar(20) COLLATE Latin1_General_BIN2)
INSERT dbo.other VALUES (1, 'C1!'), (2, 'c2!')
SELECT id FROM dbo.other WHERE name = dbo.name_of(id)
GO
