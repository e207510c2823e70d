-- Where NEXT VALUE FOR gives a value, and where it does not: https://learn.microsoft.com/sql/t-sql/functions/next-value-for-transact-sql
create sequence counted start with 1;
create table taken (a bigint, b int);
go
declare @a bigint = next value for counted; select @a as a;
declare @b bigint; set @b = next value for counted; select @b as b;
declare @c bigint; select @c = next value for dbo.counted; select @c as c;
declare @d bigint = next value for counted + 100, @e int = 1; select @d as d, @e as e;
declare @f varchar(20) = concat('N', next value for counted); select @f as f;
go
insert taken values (next value for counted, 1);
insert taken values (next value for counted, 1), (next value for counted, 2);
insert taken default values;
select a, b from taken order by a;
go
if next value for counted > 5 print 'more';
declare @rounds int = 0;
while next value for counted < 12 set @rounds += 1;
select @rounds as rounds;
go
create procedure takes as
begin
  begin try
    begin transaction;
    declare @id bigint = next value for counted;
    insert taken output inserted.a values (@id, 9);
    commit;
  end try
  begin catch rollback; throw; end catch
end
go
exec takes;
go
create procedure answers as return next value for counted;
go
create function asked() returns bigint as begin declare @a bigint = next value for counted; return @a; end
go
create function told() returns bigint as begin return next value for counted; end
go
select * from (values (next value for counted)) v(a);
go
declare @a bigint = (select next value for counted);
go
declare @a bigint = case when 1 = 1 then next value for counted end;
go
select a from taken where a = (select max(next value for counted) from taken);
go
select a from taken where a in (select b from taken where b = next value for counted);
go
