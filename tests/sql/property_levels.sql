-- Properties of what lies in no schema: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addextendedproperty-transact-sql
create trigger told on database for create_table as print 'told';
go
create partition function pf (int) as range for values (1);
create partition scheme ps as partition pf all to ([primary]);
go
exec sp_addextendedproperty 'note', 'of a trigger', 'TRIGGER', told;
exec sp_addextendedproperty 'note', 'of a function', 'PARTITION FUNCTION', pf;
exec sp_addextendedproperty 'note', 'of a scheme', 'PARTITION SCHEME', ps;
select objtype, objname, name, value from fn_listextendedproperty(default, 'TRIGGER', default, default, default, default, default);
select objtype, objname, name, value from fn_listextendedproperty(default, 'PARTITION FUNCTION', 'pf', default, default, default, default);
select objtype, objname, name, value from fn_listextendedproperty(default, 'PARTITION SCHEME', default, default, default, default, default);
go
exec sp_addextendedproperty 'note', 'of none', 'TRIGGER', absent;
go
exec sp_dropextendedproperty 'note', 'TRIGGER', told;
select count(*) as left_over from fn_listextendedproperty(default, 'TRIGGER', default, default, default, default, default);
drop trigger told on database;
go
