-- Keys that could be or are too long: 900 bytes of a clustered index, 1,700 of another,
-- https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server
create table t (a varchar(1000), b varchar(900), c char(1800), d nvarchar(450));
create index i on t (a, b);
create index covering on t (a) include (b);
create clustered index c on t (a);
go
create index fixed on t (c);
go
create table u (a nvarchar(451) constraint pk_u primary key);
create table w (d nvarchar(450) constraint pk_w primary key);
go
-- A view without SCHEMABINDING may have none.
create view loose as select d from w;
go
create unique clustered index i on loose (d);
go
create view bound with schemabinding as select d from dbo.w;
go
create unique clustered index i on bound (d);
go
exec ('select 1') at elsewhere;
go
