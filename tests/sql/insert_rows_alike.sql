-- "The values specified in a multi-row INSERT statement follow the data type conversion properties of the UNION ALL syntax."
-- https://learn.microsoft.com/sql/t-sql/queries/table-value-constructor-transact-sql
create table t (a int null, b char null);
create table wide (v varchar(20) null default 'made', w sql_variant null, d datetime2 null, m varbinary(8) null);
go
insert into t values (1, 'a'), (2, 1);
go
insert into t values (1, 'a'), (2, convert(char, 1));
select * from t;
go
insert wide (v) values (1), ('x');
go
insert wide (v) values ('x'), (1);
go
-- One type, then the column's: 1.50 and 1e0.
insert wide (v) values (1.5), (10.25);
insert wide (v) values (1), (2.5), (null);
select v from wide;
delete wide;
go
insert wide (w) values (1), ('2'), (null);
select w, sql_variant_property(w, 'BaseType') as type from wide;
delete wide;
go
insert wide (w) values (1), ('x');
go
insert wide (w) values (1), (cast('x' as sql_variant));
select w, sql_variant_property(w, 'BaseType') as type from wide;
delete wide;
go
insert wide (d) values ('2024-02-29T13:14:15.1234567'), (getdate());
go
insert wide (m) values (0x01), (1);
select m from wide;
delete wide;
go
-- DEFAULT is the column's.
insert wide (v) values (5), (default), ('6');
select v from wide;
delete wide;
go
insert wide (w) values (1), (cast('2024-01-01' as date));
go
declare @t table (a varchar(5), b xml);
insert @t values ('x', '<a/>'), (N'ż', cast('<b/>' as xml));
select * from @t;
go
