-- OPENXML: https://learn.microsoft.com/sql/t-sql/functions/openxml-transact-sql
declare @h int, @d nvarchar(max) = N'<ROOT><Customer id="1" name="Ann"><Order no="10" day="2024-01-02"><note>first</note></Order><Order no="11"/></Customer><Customer id="2"><name>Bob</name></Customer></ROOT>';
exec sp_xml_preparedocument @h output, @d;
select @h as handle;
select * from openxml(@h, '/ROOT/Customer', 1) with (id int, name nvarchar(10));
select * from openxml(@h, '/ROOT/Customer', 2) with (id int, name nvarchar(10));
select * from openxml(@h, '/ROOT/Customer', 3) with (id int, name nvarchar(10));
select * from openxml(@h, '/ROOT/Customer') with (id int, name nvarchar(10));
select * from openxml(@h, '/ROOT/Customer/Order', 1) with (customer int '../@id', no int '@no', day date, note varchar(10) 'note', whole xml '.', text nvarchar(20) 'note/text()') as o;
select o.no, c.id from openxml(@h, '//Order') with (no int, c int '../@id') o join openxml(@h, '/ROOT/Customer') with (id int) c on c.id = o.c order by o.no;
select * from openxml(@h, '/ROOT/Customer[@id=2]', 2) with (me int '@mp:id', parent int '@mp:parentid', local sysname '@mp:localname', above sysname '@mp:parentlocalname', before int '@mp:prev', markup nvarchar(100) '@mp:xmltext');
create table #c (id int, name nvarchar(10));
insert #c select * from openxml(@h, '/ROOT/Customer', 3) with #c;
select * from #c;
select * from openxml(@h, '/ROOT/Customer[1]/Order[1]') order by id;
declare @p nvarchar(20) = N'/ROOT/Customer', @f int = 2;
select count(*) as n from openxml(@h, @p, @f);
exec sp_xml_removedocument @h;
go
-- Handles are the session's, and are not given twice.
declare @a int, @b int, @c int;
exec sp_xml_preparedocument @a output, '<a/>';
exec sp_xml_preparedocument @b output, N'<b/>';
exec sp_xml_removedocument @a;
exec sp_xml_preparedocument @c output, null;
select @b - @a as apart, @c - @b as apart_again;
exec sp_xml_removedocument @a;
go
declare @h int;
select * from openxml(@h, '/a') with (id int);
go
declare @h int;
exec sp_xml_preparedocument @h output, N'<a>';
go
declare @h int;
exec sp_xml_preparedocument @h output, N'<r xmlns:p="urn:x"><p:a p:id="1"/></r>', N'<root xmlns:q="urn:x"/>';
select id from openxml(@h, '/r/q:a') with (id int '@q:id');
select id from openxml(@h, '/r/q:a[') with (id int '@q:id');
select id from openxml(@h, '/r/q:a') with (id int '@mp:nope');
select id from openxml(@h, '/r/q:a', 8) with (id int '@q:id', rest nvarchar(10) '@mp:xmltext');
select id from openxml(@h, '/r/q:a') with (id date '@q:id');
go
declare @h int;
select * from openxml(@h, '/r') with nosuch;
go
-- Metaproperties of another node than the row's: https://learn.microsoft.com/sql/relational-databases/xml/specify-metaproperties-in-openxml
declare @h int;
exec sp_xml_preparedocument @h output, '<r><a id="1"><b>x</b><b>y</b></a><a id="2"><b>z</b></a></r>';
select * from openxml(@h, '/r/a/b', 2) with (id int '../@id', said varchar(10) '.', named nvarchar(10) '../@mp:localname', numbered int '../@mp:id',
  top_named nvarchar(10) '../../@mp:localname', before int '@mp:prev', none int 'c/@mp:id', of_attribute nvarchar(10) '../@id/@mp:localname');
exec sp_xml_removedocument @h;
go
declare @h int;
exec sp_xml_preparedocument @h output, '<r><a/></r>';
select * from openxml(@h, '/r/a', 2) with (a int '../@mp:nope');
go
