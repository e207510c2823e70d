-- value(), exist(), nodes(): https://learn.microsoft.com/sql/t-sql/xml/value-method-xml-data-type
create table t (id int identity, s nvarchar(20));
insert t values (N'one'), (N'two & <three>'), (N'four');
select stuff((select ',' + s from t for xml path(''), type).value('.', 'nvarchar(max)'), 1, 1, '') as list;
select stuff((select N', ' + s from t order by id desc for xml path(''), type).value('(./text())[1]', 'nvarchar(max)'), 1, 2, N'') as reversed;
select t.id, (select ',' + u.s from t u where u.id <= t.id for xml path(''), type).value('.', 'nvarchar(100)') as running from t;
go
declare @x xml = '<r i="42" d="1.25" f="1e3" b="true" t="2024-01-02T03:04:05" day="2024-01-02" g="6F9619FF-8B86-D011-B42D-00C04FC964FF" e=""><s> text </s><s>two</s><z/><b64>AQID</b64></r>';
select @x.value('/r[1]/@i', 'int') as i, @x.value('(/r/@i)[1]', 'bigint') as big, @x.value('(/r/@d)[1]', 'decimal(9, 4)') as d, @x.value('(/r/@f)[1]', 'float') as f, @x.value('(/r/@b)[1]', 'bit') as b;
select @x.value('(/r/@t)[1]', 'datetime') as t, @x.value('(/r/@t)[1]', 'datetime2(0)') as t2, @x.value('(/r/@day)[1]', 'date') as day, @x.value('(/r/@g)[1]', 'uniqueidentifier') as g, @x.value('(/r/b64)[1]', 'varbinary(10)') as bin;
select @x.value('(/r/s)[1]', 'varchar(10)') as s, @x.value('(/r/s)[2]', 'char(5)') as c, @x.value('(/r/s)[2]', 'nvarchar(2)') as cut, @x.value('(/r/z)[1]', 'nvarchar(5)') as empty, @x.value('(/r/none)[1]', 'int') as none, @x.value('(/r/@e)[1]', 'int') as zero;
select @x.value('count(/r/s)', 'int') as c, @x.value('sum(/r/@i)', 'int') as s, @x.value('sum(/r/none)', 'int') as nothing, @x.value('string((/r/s)[2])', 'sysname') as st, @x.value('"a"', 'varchar') as one, @x.value('(/r/@i)[1]', 'money') as m, @x.value('.', 'nvarchar(20)') as all_text;
select @x.value('(/r/s)[1]', 'int') as bad;
go
declare @x xml = '<r i="x"/>';
select @x.value('(/r/@i)[1]', 'int') as bad;
go
declare @x xml;
select @x.value('(/r)[1]', 'int') as v, @x.query('/r') as q, @x.exist('/r') as e;
go
-- https://learn.microsoft.com/sql/t-sql/xml/exist-method-xml-data-type
declare @x xml = '<r a="1"><b>2010-01-01</b></r>';
select @x.exist('/r') as yes, @x.exist('/q') as no, @x.exist('/r[@a=1]') as by_attribute, @x.exist('/r[b="x"]') as wrong, @x.exist('false()') as one_item, @x.exist('()') as none, @x.exist('/r[((b/text())[1] cast as xs:date?) eq xs:date("2010-01-01")]') as dates;
if @x.exist('/r/b') = 1 print 'found';
go
-- https://learn.microsoft.com/sql/t-sql/xml/nodes-method-xml-data-type
declare @x xml = '<r><i k="1">a</i><i k="2">b<s>c</s></i><i k="3"/></r>';
select n.c.value('@k', 'int') as k, n.c.value('.', 'nvarchar(5)') as v, n.c.value('text()[1]', 'nvarchar(5)') as t, n.c.query('s') as s, n.c.exist('s') as has, n.c.value('../i[1]/@k', 'int') as first_one, n.c.value('count(../i)', 'int') as beside from @x.nodes('/r/i') as n(c);
select n.c.query('.') as q, n.c.query('..') as p from @x.nodes('/r/i[2]') as n(c);
select count(*) as n from @x.nodes('//i') as n(c);
select m.d.value('.', 'nvarchar(5)') as v, n.c.value('@k', 'int') as k from @x.nodes('/r') as r(o) cross apply r.o.nodes('i') as n(c) outer apply n.c.nodes('s') as m(d);
select n.c.value('local-name(.)', 'sysname') as name, n.c.value('.', 'int') as v from @x.nodes('/r/i/@*') as n(c) order by v desc;
go
declare @x xml = '<r/>';
select row_number() over (order by n.c) from @x.nodes('/r/i') as n(c);
go
declare @x xml = '<r><i k="1"/><i k="2"/></r>';
select n.c.value('@k', 'int') as k, row_number() over (order by n.c.value('@k', 'int') desc) as r from @x.nodes('/r/i') as n(c) where n.c.exist('@k[. > 0]') = 1 and n.c is not null order by k;
go
create table d (id int, x xml);
insert d values (1, '<r><i>1</i><i>2</i></r>'), (2, '<r/>'), (3, null), (4, '<r><i>3</i></r>');
select d.id, n.c.value('.', 'int') as i from d cross apply d.x.nodes('/r/i') as n(c) order by d.id, i;
select d.id, n.c.value('.', 'int') as i from d outer apply x.nodes('/r/i') as n(c) order by d.id, i;
select id, (select sum(n.c.value('.', 'int')) from d.x.nodes('/r/i') as n(c)) as s from d;
select id from d where exists (select 1 from d.x.nodes('/r/i') as n(c) where n.c.value('.', 'int') = 2);
insert d select 5, n.c.query('.') from d cross apply d.x.nodes('/r/i') as n(c) where id = 4;
select * from d where id = 5;
update d set x = null where x.exist('/r/i[. = 2]') = 1;
select id, iif(x is null, 1, 0) as gone from d order by id;
go
-- A document that is too long to be in each row's value.
declare @x xml = cast('<r>' + replicate(cast('<i k="7"><v>abc</v></i>' as nvarchar(max)), 3000) + '</r>' as xml);
select count(*) as n, sum(n.c.value('@k', 'int')) as s, max(n.c.value('(v)[1]', 'varchar(3)')) as v, sum(n.c.value('count(v)', 'int')) as inner_count from @x.nodes('/r/i') as n(c);
select top (2) n.c.value('../@none', 'int') as none, n.c.value('(v/text())[1]', 'varchar(9)') as v from @x.nodes('/r/i') as n(c) order by n.c.value('@k', 'int');
select count(*) as n from @x.nodes('/r') as r(o) cross apply r.o.nodes('i') as n(c) where n.c.exist('v') = 1;
declare k cursor local for select n.c.value('@k', 'int') from @x.nodes('/r/i') as n(c);
declare @k int, @sum int = 0, @n int = 0;
open k;
fetch k into @k;
while @@fetch_status = 0 and @n < 10
begin
    select @sum += @k, @n += 1;
    fetch k into @k;
end;
print @sum;
go
-- What may not be: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-2000-to-2999
declare @x xml = '<r><i/></r>';
select n.c from @x.nodes('/r/i') as n(c);
go
declare @x xml = '<r><i/></r>';
select * from @x.nodes('/r/i') as n(c);
go
declare @x xml = '<r><i/></r>';
select 1 as a from @x.nodes('/r/i');
go
declare @x xml = '<r><i/></r>';
select 1 as a from @x.nodes('/r/i') as n(c, d);
go
declare @x xml = '<r><i/></r>';
select @x.nodes('/r');
go
declare @x xml = '<r><i/></r>';
select @x.Value('/r', 'int');
go
declare @x xml = '<r><i/></r>', @q nvarchar(10) = N'/r';
select @x.query(@q);
go
declare @x xml = '<r><i/></r>';
select @x.value('/r');
go
declare @x xml = '<r><i/></r>';
select @x.value('(/r)[1]', 'xml');
go
declare @x xml = '<r><i/></r>';
select @x.value('(/r)[1]', 'nosuch');
go
declare @i int = 1;
select @i.value('(/r)[1]', 'int');
go
select id.value('(/r)[1]', 'int') from d;
go
declare @x xml = '<r/>';
select 1 where @x = @x;
go
select max(x) from d;
go
