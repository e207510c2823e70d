-- A number in ORDER BY is the place of a column, with its sign; what is computed while the statement is compiled orders nothing.
-- https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql and select-over-clause-transact-sql
create table t (a int, b int, c varchar(20)); insert t values (1, 2, 'x'), (2, 3, 'y');
go
select row_number() over (order by 1+1) from t
go
select row_number() over (order by abs(-1)) from t
go
select row_number() over (order by len('abc')) from t
go
select row_number() over (order by null) from t
go
select row_number() over (order by 0) from t
go
select row_number() over (order by -1) from t
go
select row_number() over (order by 1.5) from t
go
select row_number() over (order by cast(1 as bigint)) from t
go
select row_number() over (order by 'x'+'y') from t
go
select row_number() over (order by (select 1)) from t
go
select row_number() over (order by (select null)) from t
go
declare @a int select row_number() over (order by @a) from t
go
select row_number() over (order by @@spid) from t
go
select row_number() over (order by getdate()) from t
go
select a from t order by 1+0
go
select a from t order by cast(1 as int)
go
select a from t order by 'x'
go
select a from t order by null
go
select a from t order by (select 1)
go
declare @v int = 1; select a from t order by @v
go
declare @v int = 1; select a from t order by @v+1
go
select a from t union select b from t order by a+1
go
select a from t union select b from t order by c
go
select a from t union select b from t order by zz
go
select t.a from t union select u.b from t u order by u.b
go
select a from t union select b from t order by 2
go
select a from t order by -1
go
select a from t order by 0
go
select a from t order by (1)
go
select a from t order by +1
go
select a from t order by 2-1
go
select a from t order by 'a'+'b'
go
select a from t order by coalesce(null,1)
go
select a from t order by case when 1=1 then 1 else 2 end
go
select a from t order by 'x' collate Latin1_General_CI_AS
go
select a from t order by isnull(null,1)
go
select a from t order by upper('a')
go
select count(a) from (select top 9 a from t order by newid()) x
go
select a from t order by db_name()
go
declare @v int = 1 select a from t order by (@v)
go
declare @v int = 1 select a from t order by cast(@v as int)
go
declare @v int = 1 select a from t order by -@v
go
select (select 1 union select 2 order by 1 desc) 
go
select a from t order by a union select b from t
go
(select a from t) union select b from t
go
select a from t union (select b from t except select 1)
go
