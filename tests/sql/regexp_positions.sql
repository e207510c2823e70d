-- The types of positions, patterns and flags of regular expressions, and matches of nothing.
-- https://learn.microsoft.com/sql/t-sql/functions/regexp-count-transact-sql and the pages of the others
select regexp_count('abcb', 'b', cast(1 as tinyint))
GO
select regexp_count('abcb', 'b', 1.0)
GO
select regexp_count('abcb', cast('b' as varchar(max)))
GO
select regexp_count('abcb', 'b', 1, cast('c' as varchar(max)))
GO
select regexp_replace('abcb', cast('b' as varchar(max)), 'z')
GO
select 1 where regexp_like('abc', 'b', cast('i' as nvarchar(max)))
GO
select regexp_instr('abcb', 'b', 1, 1, cast(null as int)) as a, regexp_count('abcb', 'b', cast(3 as smallint)) as b
GO
select regexp_count('abc', '') as a, regexp_count('abc', 'x*') as b, regexp_count('aXbXc', 'X*') as c, regexp_replace('abc', '', '-') as d, regexp_replace('abc', 'x*', '-') as e, regexp_replace('aXbXc', 'X*', '-') as f
GO
