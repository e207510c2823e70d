-- modify(): https://learn.microsoft.com/sql/t-sql/xml/modify-method-xml-data-type
-- insert: https://learn.microsoft.com/sql/t-sql/xml/insert-xml-dml
create table #r (n int identity, x xml);
declare @x xml = '<r><a k="1">t</a><b/></r>';
set @x.modify('insert <c/> into (/r)[1]'); insert #r values (@x);
set @x.modify('insert <d/> as first into (/r)[1]'); insert #r values (@x);
set @x.modify('insert <e/> as last into (/r)[1]'); insert #r values (@x);
set @x.modify('insert <f/> before (/r/a)[1]'); insert #r values (@x);
set @x.modify('insert <g/> after (/r/a)[1]'); insert #r values (@x);
set @x.modify('insert attribute z {"9"} into (/r/a)[1]'); insert #r values (@x);
set @x.modify('insert (attribute y {"8"}, attribute w {"7"}) into (/r/b)[1]'); insert #r values (@x);
set @x.modify('insert text {"more"} into (/r/b)[1]'); insert #r values (@x);
set @x.modify('insert (<h/>, <i>{count(/r/*)}</i>) into (/r/b)[1]'); insert #r values (@x);
set @x.modify('insert <!-- note --> before (/r)[1]'); insert #r values (@x);
set @x.modify('insert <?pi data?> after (/r)[1]'); insert #r values (@x);
set @x.modify('insert /r/b into (/r/c)[1]'); insert #r values (@x);
set @x.modify('insert <n/> into (/nowhere)[1]'); insert #r values (@x);
select n, x from #r order by n;
drop table #r;
go
-- delete and replace value of: https://learn.microsoft.com/sql/t-sql/xml/delete-xml-dml, replace-value-of-xml-dml
create table #r (n int identity, x xml);
declare @x xml = '<r><a k="1" l="2">t</a><a k="3">u</a><b>v<!--c--></b></r>', @v nvarchar(10) = N'new', @i int = 5;
set @x.modify('replace value of (/r/a/@k)[1] with "10"'); insert #r values (@x);
set @x.modify('replace value of (/r/a[1]/text())[1] with "changed"'); insert #r values (@x);
set @x.modify('replace value of (/r/a/@k)[2] with sql:variable("@i")'); insert #r values (@x);
set @x.modify('replace value of (/r/b/text())[1] with sql:variable("@v")'); insert #r values (@x);
set @x.modify('replace value of (/r/a/@k)[1] with (/r/a/@k)[1] + 1'); insert #r values (@x);
set @x.modify('replace value of (/r/a/@k)[1] with if (count(/r/a) > 1) then "two" else "one"'); insert #r values (@x);
set @x.modify('delete /r/a/@l'); insert #r values (@x);
set @x.modify('delete /r/b/comment()'); insert #r values (@x);
set @x.modify('delete (/r/a)[1]'); insert #r values (@x);
set @x.modify('delete /r/b/text()'); insert #r values (@x);
set @x.modify('replace value of (/r/a/text())[1] with ()'); insert #r values (@x);
set @x.modify('delete /r/nothing'); insert #r values (@x);
set @x.modify('delete //*[@k]'); insert #r values (@x);
set @x.modify('delete /r'); insert #r values (@x);
select n, x, datalength(x) as bytes from #r order by n;
go
-- What is not changed stays as it is, and is shown as it always is.
declare @x xml = '<?xml version="1.0"?><r>  <a>1</a>   <b   c = "2"  /><d><![CDATA[x<y]]></d><e></e></r>';
set @x.modify('insert <z/> into (/r)[1]');
select @x;
set @x = '<r xmlns="urn:d"><a/></r>';
set @x.modify('declare default element namespace "urn:d"; insert <b/> into (/r)[1]');
select @x as same_namespace;
set @x.modify('insert <c/> into (/*:r)[1]');
select @x as no_namespace;
set @x.modify('declare namespace p="urn:p"; insert <p:e p:k="1"/> into (/*:r)[1]');
select @x as prefixed;
go
create table t (id int primary key, k nvarchar(10), x xml);
insert t values (1, N'a', '<r><v>1</v></r>'), (2, N'b', '<r><v>2</v></r>');
update t set x.modify('insert <w/> into (/r)[1]') where id = 1;
update t set x.modify('replace value of (/r/v/text())[1] with sql:column("k")'), k = N'z' output deleted.x as before, inserted.x as after where id = 2;
select * from t;
declare @more xml = '<m>1</m><m>2</m>';
update t set x.modify('insert sql:variable("@more") into (/r)[1]');
select * from t;
update t set x.modify('insert <k>{sql:column("u.k")}</k> as first into (/r)[1]') from t join (values (1, N'first')) u(id, k) on u.id = t.id;
select * from t;
go
-- Errors. https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-2000-to-2999
insert t values (3, N'n', null);
update t set x.modify('delete /r') where id = 3;
go
declare @x xml;
set @x.modify('delete /r');
go
declare @x xml = '<r/>';
set @x.value('(/r)[1]', 'int');
go
declare @s nvarchar(10) = N'<r/>';
set @s.modify('delete /r');
go
declare @x xml = '<r/>';
select @x.modify('delete /r');
go
update t set id.modify('delete /r');
go
declare @x xml = '<r><a/><a/></r>';
set @x.modify('insert <b/> into /r/a');
go
declare @x xml = '<r/>';
set @x.modify('insert "text" into (/r)[1]');
go
declare @x xml = '<r/>';
set @x.modify('insert attribute a {1} before (/r)[1]');
go
declare @x xml = '<r>t</r>';
set @x.modify('insert <b/> into (/r/text())[1]');
go
declare @x xml = '<r a="1"/>';
set @x.modify('insert <b/> after (/r/@a)[1]');
go
declare @x xml = '<r a="1"/>';
set @x.modify('insert attribute a {2} into (/r)[1]');
go
declare @x xml = '<r><a>1</a></r>';
set @x.modify('replace value of /r/a/text() with "2"');
go
declare @x xml = '<r><a>1</a></r>';
set @x.modify('replace value of (/r/a)[1] with "2"');
go
declare @x xml = '<r><a>1</a></r>';
set @x.modify('replace value of (/r/a/text())[1] with <b/>');
go
declare @x xml = '<r><a>1</a></r>';
set @x.modify('replace value of (/r/a/text())[1] with (/r/b)[1]');
go
declare @x xml = '<r a="1"/>';
set @x.modify('replace value of (/r/@a)[1] with ()');
go
declare @x xml = '<r a="1"/>';
set @x.modify('replace value of (/r/@a)[1] "2"');
go
declare @x xml = '<r/>';
set @x.modify('delete .');
go
declare @x xml = '<r/>';
set @x.modify('/r');
go
declare @x xml = '<r/>';
set @x.modify('insert <a/> (/r)[1]');
go
declare @x xml = '<r/>';
set @x.modify(' ');
go
