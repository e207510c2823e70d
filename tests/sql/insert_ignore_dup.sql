-- IGNORE_DUP_KEY: an INSERT leaves out the rows whose key is there, and message 3604 says so.
-- https://learn.microsoft.com/sql/t-sql/statements/create-index-transact-sql, "IGNORE_DUP_KEY"
create table pk (id int constraint pk_id primary key with (ignore_dup_key = on), v varchar(10) null);
create table uq (id int not null, constraint uq_id unique (id) with (ignore_dup_key = on), v int identity);
create table ix (id int null, other int null, index ix_inline unique (id) with (ignore_dup_key = on));
create table two (id int not null primary key nonclustered with (ignore_dup_key = on), k int null);
create unique index two_k on two (k) with (ignore_dup_key = on);
create table mixed (id int not null constraint mixed_pk primary key, k int null);
create unique index mixed_k on mixed (k) with (ignore_dup_key = on);
go
insert pk values (1, 'a'), (1, 'b'), (2, 'c');
select @@rowcount as [rowcount], @@error as error;
insert pk values (2, 'again');
select @@rowcount as [rowcount];
insert pk values (3, 'new');
insert uq (id) values (1), (1), (2);
insert ix (id) values (null), (null), (5), (5);
insert two values (1, 10), (2, 10), (1, 11), (3, 12);
select id, v from pk order by id;
select id from uq order by id;
select id from ix order by id;
select id, k from two order by id;
go
-- Only the index with the option leaves rows out; what the other refuses ends the statement.
insert mixed values (1, 10), (2, 10), (3, 11);
insert mixed values (4, 20), (1, 21);
select id, k from mixed order by id;
select (select count(*) from mixed with (index (mixed_k))) as by_index, (select count(*) from mixed with (index (1))) as by_table;
go
-- INSERT ... SELECT, EXEC, OUTPUT, many rows, a transaction, a table variable, a temporary table, a trigger.
insert pk select value % 50, 'many' from generate_series(1, 3000);
select @@rowcount as [rowcount], count(*) as rows from pk;
create table log (n int, ids varchar(100));
go
create trigger pk_insert on pk after insert as insert log select count(*), string_agg(id, ',') from inserted;
go
insert pk values (1, 'x'), (100, 'y'), (100, 'z');
insert pk values (1, 'x');
select n, ids from log;
drop trigger pk_insert;
go
insert pk output inserted.id, inserted.v values (1, 'x'), (101, 'y'), (101, 'z'), (102, 'w');
insert pk exec ('select 103, ''e'' union all select 103, ''f''');
select count(*) as rows from pk where id >= 100;
begin tran;
insert pk values (200, 'a'), (200, 'b');
rollback;
select count(*) as rows from pk where id = 200;
declare @t table (id int primary key with (ignore_dup_key = on), k int unique);
insert @t values (1, 1), (1, 2), (2, 3);
select @@rowcount as [rowcount], (select count(*) from @t) as rows;
insert @t values (3, 1);
create table #t (id int primary key with (ignore_dup_key = on));
insert #t values (1), (1);
select count(*) as rows from #t;
begin try
    insert pk values (1, 'x'), (1, 'y');
    select 'not caught' as result;
end try
begin catch
    select error_number() as caught;
end catch;
go
-- It is about INSERT alone.
update pk set id = 2 where id = 1;
update ix set id = 5 where id is null;
merge pk as t using (values (1), (300)) s (id) on 1 = 0 when not matched then insert (id) values (s.id);
go
-- Changed afterwards.
create table later (id int not null constraint later_pk primary key, k int not null, n int null);
create unique index later_k on later (k);
create index later_n on later (n);
insert later values (1, 1, 1);
go
alter table later rebuild with (ignore_dup_key = on);
insert later values (1, 2, 2), (2, 2, 2);
alter table later rebuild with (ignore_dup_key = off);
insert later values (1, 3, 3);
alter index later_k on later set (ignore_dup_key = on);
insert later values (3, 2, 3), (4, 4, 4);
alter index later_k on later rebuild with (ignore_dup_key = off);
insert later values (5, 2, 3);
alter index later_k on later rebuild with (ignore_dup_key = on, fillfactor = 80);
alter index later_k on later rebuild;
select name, ignore_dup_key from sys.indexes where object_id = object_id('later') order by index_id;
select id, k, n from later order by id;
go
alter index later_pk on later rebuild with (ignore_dup_key = on);
go
alter index later_pk on later set (ignore_dup_key = on);
go
alter index later_n on later set (ignore_dup_key = on);
go
create index later_other on later (k, n) with (ignore_dup_key = on);
go
create unique index later_filtered on later (k) where k > 1 with (ignore_dup_key = on);
go
create unique index later_dup on later (n) with (ignore_dup_key = on);
go
