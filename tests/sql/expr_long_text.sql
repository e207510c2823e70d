-- Text keeps its length and its type: varchar(8000) beside nvarchar, sums of many terms.
-- https://learn.microsoft.com/sql/t-sql/language-elements/string-concatenation-transact-sql: truncation at 8,000 bytes does not
-- occur where at least one of the strings is of a large value type.
create table t (v varchar(8000), n nvarchar(max), x varchar(max));
create table f (c char(7000), n nvarchar(max));
insert t values (replicate('a', 5000), replicate(cast(N'a' as nvarchar(max)), 5000), replicate(cast('a' as varchar(max)), 9000));
insert f values (replicate('a', 5000), replicate(cast(N'a' as nvarchar(max)), 5000));
declare @v varchar(8000) = replicate('a', 5000), @n nvarchar(max) = replicate(cast(N'a' as nvarchar(max)), 5000), @other nvarchar(max) = replicate(cast(N'a' as nvarchar(max)), 4000);
select iif(@v = @n, 1, 0) as variables, iif(@n = @v, 1, 0) as swapped, iif(@v = @other, 1, 0) as shorter, iif(@v > @other, 1, 0) as greater, iif(@v in (@other, @n), 1, 0) as in_list, iif(@v like @n, 1, 0) as liked, iif(@n like @v, 1, 0) as pattern, iif(@v between @other and @n, 1, 0) as [between];
select count(*) as columns from t where v = n and n in (v, N'b') and v in (select n from t) and v like n and not exists (select v from t except select n from t);
select count(*) as joined from t a join t b on a.v = b.n;
select count(*) as fixed from f where c = n and n = c and c in (N'b', n) and c like n + N'%';
select iif(@v is distinct from @n, 1, 0) as [distinct], case @v when @n then 1 else 0 end as [case], nullif(@v, @n) as [nullif];
select datalength(coalesce(@v, @n)) as [coalesce], datalength(iif(1 = 1, @v, @n)) as [iif], datalength(isnull(@n, @v)) as [isnull], datalength(choose(1, @v, @n)) as [choose], datalength(greatest(@v, @n)) as [greatest];
select len(v + n) as a, len(n + v) as b, len(v + N'b' + n) as c, (select len(c + n) from f) as d, len(concat(v, n)) as e, len(v + x) as f from t;
select len(replace(@v, @n, N'b')) as [replace], charindex(N'b', @v + 'b') as [charindex], patindex(N'%b%', @v + 'b') as [patindex], len(stuff(@v, 1, 1, @n)) as [stuff], len(trim(@other from @v)) as [trim], len(concat_ws(@n, @v, @v)) as [concat_ws];
declare @union table (n int);
insert @union select len(q.s) from (select v as s from t union all select n from t) q;
select n from @union;
go
-- A long literal is nvarchar(max) by itself.
declare @statement nvarchar(max) = N'declare @v varchar(8000) = replicate(''a'', 5000); select iif(@v = N''' + replicate(cast(N'a' as nvarchar(max)), 5000) + N''', 1, 0) as literal, iif(@v in (N''' + replicate(cast(N'a' as nvarchar(max)), 5000) + N'''), 1, 0) as in_list, (select count(*) from t where v = N''' + replicate(cast(N'a' as nvarchar(max)), 5000) + N''') as of_column';
exec (@statement);
exec sp_executesql N'select iif(v = @p, 1, 0) as parameter from t', N'@p nvarchar(max)', @p = @statement;
go
-- As a value of a column that is wide enough.
create table wide (n nvarchar(max), small nvarchar(4000));
insert wide (n) select v from t;
update wide set n += v from t;
select len(n) from wide;
begin try insert wide (small) select v from t; end try begin catch select error_number() as too_long; end catch
go
-- More than 64 terms: what is long from some term on stays so.
declare @list nvarchar(max) = stuff(replicate(cast(N'+replicate(''a'',300)' as nvarchar(max)), 66), 1, 1, N'');
declare @wide nvarchar(max) = replace(@list, N'(''a', N'(N''a');
declare @text nvarchar(max) = N'declare @s varchar(max) = '''', @n nvarchar(max) = N'''';
select len(@s + ' + @list + N') as first_long, len(' + @list + N' + @s) as last_long, len(' + @list + N' + @s + ' + @list + N') as in_the_middle, len(' + @list + N') as short,
  len(@n + ' + @wide + N') as wide_first, len(' + @wide + N' + @n) as wide_last, len(' + @wide + N') as wide_short, len(@n + ' + @list + N') as mixed;
set @s = @s + ' + @list + N'; select len(@s) as [set];
set @s += ' + @list + N'; select len(@s) as compound;
select len(x + ' + @list + N') as of_column from t;';
exec (@text);
go
