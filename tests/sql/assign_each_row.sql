-- SELECT @v = ... that reads what the row before assigned: row by row, also within comparisons that no column changes otherwise.
-- https://learn.microsoft.com/sql/t-sql/language-elements/select-local-variable-transact-sql
create table t(id int primary key, v int null, s varchar(20) null);
insert t select value, case when value % 10 = 0 then null else value * 7 % 1000 end, concat('s', value) from generate_series(1, 3000);
go
declare @list varchar(max) = '', @max int = 0, @count int = 0, @n nvarchar(max), @step int = 0;
select @list += s + ',' from t where id <= 1500 order by id;
select len(@list) as length, left(@list, 20) as begins, right(@list, 12) as ends, @@rowcount as rows;
select @list = @list + s from t where id between 5 and 7 order by id desc;
select right(@list, 12) as ends;
select @max = case when v > @max * 1 then v else @max end from t;
select @max as greatest;
select @count = @count + case when id > @count + 1 then 1 else 0 end from t;
select @count as counted;
select @n = isnull(@n + N', ', N'') + s from t where id in (3, 1, 2) order by id;
select @n as list;
select @n += cast(id as varchar(9)) from t where id < 0;
select @n as list, @@rowcount as rows;
select @list = 'x', @count = 0;
select @list += s, @count += 1 from t where id < 4 order by id;
select @list as list, @count as count;
select top (2) @list += s from t order by id desc;
select @list as list;
select @list += s from t where id in (10, 11) and v is null;
select @list as list;
select @list += null from t where id = 1;
select @list as list;
-- UPDATE has it the same way.
update t set @step = @step + 1, v = case when id > @step * 1 + 2990 then -@step else v end where id > 2990;
select sum(v) as sum, @step as step from t where id > 2990;
begin try
    select @list = isnull(@list, '') + cast(1 / (id - 3) as varchar(9)) from t where id < 5 order by id;
end try
begin catch
    select error_number() as number, @list as list;
end catch;
go
