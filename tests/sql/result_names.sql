-- A result column is called as the query writes it; * has the names of the definition. https://learn.microsoft.com/sql/t-sql/queries/select-clause-transact-sql
create table cased (Id int identity, Name varchar(10));
insert cased values ('a');
go
create view shown as select ID, NAME as Called from cased;
go
select ID, name from cased;
select Id, [iD], c.ID from cased c;
select * from cased;
select id, called from shown;
select * from shown;
with listed as (select ID from cased) select * from listed;
with listed as (select ID from cased) select id from listed;
select * from (select iD from cased) as inner_one;
select ID from cased union all select 2;
select "NAME" from sys.databases where name = 'master';
select ID, max(NAME) as most from cased group by id;
go
-- The columns of a new table too.
select ID, name into copied from cased;
select name from sys.columns where object_id = object_id('copied') order by column_id;
-- Names are found whatever their letters.
select ID from cased order by id;
select ID as x from cased order by X;
insert cased output INSERTED.ID values ('b');
go
