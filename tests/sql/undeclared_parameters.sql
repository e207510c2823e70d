-- The types of undeclared parameters: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-undeclared-parameters-transact-sql
CREATE TYPE up_rows AS TABLE (a int, b varchar(10))
CREATE TABLE up_t (a int NOT NULL, b varchar(20), c decimal(9, 2), d datetime2(3), e nvarchar(max), f char(30), g uniqueidentifier, m money, i int IDENTITY,
  h hierarchyid, x xml, t time(2), s smallint)
CREATE TABLE #u (ordinal int, name sysname, type_id int, type nvarchar(256), length smallint, precision tinyint, scale tinyint, user_type_id int,
  user_type_database sysname NULL, user_type_schema sysname NULL, user_type_name sysname NULL, assembly nvarchar(4000), x int, x1 sysname NULL, x2 sysname NULL,
  x3 sysname NULL, b1 bit, b2 bit, b3 bit, is_input bit, is_output bit, formal sysname NULL, tds_type int, tds_length int)
GO
CREATE PROCEDURE up_p @a int, @b varchar(10) = 'x' OUTPUT, @c decimal(10, 3) = NULL, @d nvarchar(max) = N'z', @r up_rows READONLY AS RETURN 1
GO
CREATE FUNCTION up_f (@a int, @b money) RETURNS decimal(10, 2) AS BEGIN RETURN @a END
GO
CREATE FUNCTION up_tf (@a AS smallint) RETURNS TABLE AS RETURN SELECT @a AS q
GO
-- Arguments of procedures by place and by name, as drivers send them from {call up_p(?, ?)}; what a procedure returns is an int.
INSERT #u EXEC sp_describe_undeclared_parameters N'EXEC up_p @p0, @p1 OUTPUT, @d = @p2, @r = @p3'
INSERT #u EXEC sp_describe_undeclared_parameters N'EXEC @p4 = dbo.up_p @p5, DEFAULT, @p6'
INSERT #u EXEC sp_describe_undeclared_parameters N'{call up_p(@p7, @p8)}'
SELECT name, type_id, type, length, user_type_schema, user_type_name, tds_type FROM #u
GO
-- Arguments of functions of users.
TRUNCATE TABLE #u
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT dbo.up_f(@p0, @p1) FROM dbo.up_tf(@p2)'
SELECT name, type FROM #u
GO
-- Equality and assignment: the other side's type. Any other comparison, and arithmetic: of the general types one.
TRUNCATE TABLE #u
INSERT #u EXEC sp_describe_undeclared_parameters
  N'SELECT a FROM up_t WHERE f = @p0 AND f > @p1 AND c <> @p2 AND c < @p3 AND d IN (@p4, @p5) AND d >= @p6 AND b LIKE @p7 AND t BETWEEN @p8 AND @p9 AND @p10 = g'
INSERT #u EXEC sp_describe_undeclared_parameters N'UPDATE up_t SET c = @q0, m = m * @q1, e = @q2, a = a + @q3 WHERE upper(b) = @q4 AND a + 1 = @q5'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT b, count(*) FROM up_t GROUP BY b HAVING count(*) > @r0 AND max(d) = @r1'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT 1 FROM up_t WHERE b IN (SELECT x.b FROM up_t x WHERE x.s = @s0) AND @s1 IN (SELECT m FROM up_t)'
SELECT name, type FROM #u
GO
-- Values: of the column in their place, which an identity column has not; of MERGE; of a select list.
TRUNCATE TABLE #u
INSERT #u EXEC sp_describe_undeclared_parameters N'INSERT up_t (m, b) VALUES (@p0, @p1), (@p2, @p3)'
INSERT #u EXEC sp_describe_undeclared_parameters N'INSERT INTO up_t (c, d) SELECT @q0, @q1 FROM up_t WHERE a = @q2'
INSERT #u EXEC sp_describe_undeclared_parameters
  N'MERGE up_t t USING (VALUES (1)) AS v (k) ON t.a = v.k WHEN MATCHED THEN UPDATE SET e = @r0 WHEN NOT MATCHED THEN INSERT (a, g) VALUES (@r1, @r2);'
SELECT name, type FROM #u
GO
-- Casts, functions of the language, variables.
TRUNCATE TABLE #u
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT CAST(@p0 AS date), CONVERT(varchar(5), @p1, 112), TRY_CAST(@p2 AS decimal(5, 1)) FROM up_t'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT substring(b, @q0, @q1), dateadd(day, @q2, d), left(e, @q3), isnull(c, @q4), coalesce(@q5, m) FROM up_t'
INSERT #u EXEC sp_describe_undeclared_parameters N'DECLARE @v smallint = @r0, @w varchar(7); SET @w = @r1; SELECT a FROM up_t WHERE a = @v AND b = @w'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT TOP (@s0) a FROM up_t ORDER BY a'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT a FROM up_t WHERE a = @given AND m = @t0', N'@given int'
SELECT name, type FROM #u
GO
-- A type of the server's own assembly has no name as a type of the system.
TRUNCATE TABLE #u
INSERT #u EXEC sp_describe_undeclared_parameters N'INSERT up_t (h, x) VALUES (@p0, @p1)'
SELECT name, type_id, type, length, precision, user_type_id, user_type_schema, user_type_name, assembly FROM #u
GO
EXEC sp_describe_undeclared_parameters N'SELECT a FROM up_t WHERE @p0 = @p1'
GO
EXEC sp_describe_undeclared_parameters N'SELECT a FROM up_t WHERE c = @p1 + @p2'
GO
EXEC sp_describe_undeclared_parameters N'SELECT a FROM up_t WHERE a = @p0 OR b = @p0'
GO
EXEC sp_describe_undeclared_parameters N'SELECT a FROM up_t WHERE @p0 IS NULL'
GO
EXEC sp_describe_undeclared_parameters N'SELECT @p0 AS p'
GO
-- What gives a value out: the left side of an assignment, OUTPUT, the status of a procedure. The parameter of the module that it is an argument of.
TRUNCATE TABLE #u
INSERT #u EXEC sp_describe_undeclared_parameters N'EXEC up_p @p0, @p1 OUTPUT, @d = @p2, @r = @p3'
INSERT #u EXEC sp_describe_undeclared_parameters N'EXEC @q0 = dbo.up_p @q1, DEFAULT, @q2'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT dbo.up_f(@r0, @r1) FROM dbo.up_tf(@r2) WHERE q = @r3'
INSERT #u EXEC sp_describe_undeclared_parameters N'SET @s0 = 1'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT @t0 = a, @t1 = b FROM up_t WHERE @t2 = s'
INSERT #u EXEC sp_describe_undeclared_parameters N'UPDATE up_t SET a = @v0, @v1 = b WHERE c = @v2'
SELECT name, type, is_input, is_output, formal FROM #u
GO
-- Table variables of the text.
TRUNCATE TABLE #u
INSERT #u EXEC sp_describe_undeclared_parameters N'DECLARE @t TABLE (k smallint, w varchar(7)) INSERT @t VALUES (@p0, @p1) SELECT * FROM @t WHERE k = @p2'
SELECT name, type FROM #u
GO
-- What cannot be compiled, whatever the parameters are.
EXEC sp_describe_undeclared_parameters N'SELECT * FROM nowhere WHERE a = @p0'
GO
EXEC sp_describe_undeclared_parameters N'SELECT * FROM up_t WHERE nothing = @p0'
GO
EXEC sp_describe_undeclared_parameters N'SELECT FROM up_t WHERE a = @p0'
GO
EXEC sp_describe_undeclared_parameters N'CREATE TABLE made (a int) INSERT made VALUES (@p0)'
GO
-- Signs and parentheses around a parameter; what CASE gives and compares; numbers and dates that functions take: of the types that need no conversion the first.
TRUNCATE TABLE #u
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT a FROM up_t WHERE a = -@p0 AND c = (@p1) AND f = ((@p2)) AND m > -(@p3) AND a = 1 - @p4 AND b = (@p5) + ''x'''
INSERT #u EXEC sp_describe_undeclared_parameters N'UPDATE up_t SET c = -@q0, s = (@q1) WHERE (@q2) = i AND a IN (-@q3, (@q4))'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT CASE WHEN a = @r0 THEN @r1 ELSE b END, CASE a WHEN @r2 THEN c WHEN 2 THEN @r3 END, CASE @r4 WHEN s THEN 1 END FROM up_t'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT CASE WHEN 1 = 1 THEN CASE WHEN a = @s0 THEN 1 END ELSE 5 END FROM up_t'
INSERT #u EXEC sp_describe_undeclared_parameters N'SELECT abs(@t0), sqrt(@t1), round(@t2, @t3), sum(@t4), dateadd(day, @t5, @t6), datediff(day, getdate(), @t7), year(@t8) FROM up_t'
SELECT name, type FROM #u
GO
-- Behind a TOP of a change stands its table.
TRUNCATE TABLE #u
INSERT #u EXEC sp_describe_undeclared_parameters N'DELETE TOP (@v0) up_t WHERE a = @v1 AND d = @v2'
INSERT #u EXEC sp_describe_undeclared_parameters N'UPDATE TOP (5) PERCENT up_t SET m = @w1 WHERE s = @w2'
INSERT #u EXEC sp_describe_undeclared_parameters N'INSERT TOP (@x0) INTO up_t (a, t) VALUES (@x1, @x2)'
INSERT #u EXEC sp_describe_undeclared_parameters N'INSERT TOP (5) up_t (g) SELECT @y0'
SELECT name, type FROM #u
GO
