-- FOR XML: https://learn.microsoft.com/sql/relational-databases/xml/for-xml-sql-server
create table c (id int primary key, name nvarchar(20), note nvarchar(20));
create table o (id int primary key, c int, total decimal(9, 2));
insert c values (1, N'Ann', null), (2, N'Bob & Co', N'<x>'), (3, N'Cid', N'');
insert o values (10, 1, 1.50), (11, 1, 2.00), (12, 2, null);
go
-- RAW: https://learn.microsoft.com/sql/relational-databases/xml/use-raw-mode-with-for-xml
select id, name, note from c order by id for xml raw;
select id, name, note from c order by id for xml raw('cust'), root('all');
select id, name, note from c order by id for xml raw, elements;
select id, name, note from c order by id for xml raw('c'), elements xsinil;
select id, note from c order by id for xml raw('c'), root, elements xsinil;
select 1 as [a b], 2 as [3], 3 as [a:b] for xml raw;
select cast(0x010203 as varbinary(3)) as b for xml raw, binary base64;
select id, cast('<n/>' as xml) as x from c where id = 1 for xml raw;
select id from c where 1 = 0 for xml raw;
go
-- AUTO: https://learn.microsoft.com/sql/relational-databases/xml/use-auto-mode-with-for-xml
select c.id, c.name, o.id, o.total from c join o on o.c = c.id order by c.id, o.id for xml auto;
select c.id, c.name, o.id, o.total from c join o on o.c = c.id order by c.id, o.id for xml auto, elements;
select cust.id, ord.id as oid from c as cust left join o as ord on ord.c = cust.id order by cust.id, ord.id for xml auto, root('all');
select o.id, c.name from c join o on o.c = c.id order by o.id for xml auto;
select c.id, 1 as one, o.id, 2 as two from c join o on o.c = c.id order by c.id, o.id for xml auto;
select id, note from c order by id for xml auto, elements xsinil;
select x.id from (select id from c) x order by x.id for xml auto;
go
-- PATH: https://learn.microsoft.com/sql/relational-databases/xml/use-path-mode-with-for-xml
select id as '@id', name as 'n/@full', note as 'n/note', id as 'n/i', 'x' as 'm' from c order by id for xml path('c');
select id, name, note from c order by id for xml path;
select id, note from c order by id for xml path('c'), elements xsinil;
select id, note from c order by id for xml path('c'), root('all'), elements xsinil;
select id as 'a/b/@c', name as 'a/b/d', note as 'a/b/e', id as 'a/f' from c where id = 2 for xml path('');
select 'a' as 'text()', 'b' as 'x', 'c' as 'text()', 'd' as '*', 'e' as 'node()', 'f' for xml path('r');
select id as 'data()' from c order by id for xml path('');
select name as 'data()' from c order by id for xml path(''), root('names');
select 'note' as 'comment()', 'run me' as 'processing-instruction(go)', 'b' as b for xml path('r');
select cast('<n/>' as xml), cast('<m/>' as xml) as 'q', cast('<k/>' as xml) as '*' for xml path('r');
select id as '@id', (select o.id as '@id', total from o where o.c = c.id order by o.id for xml path('o'), type) as 'orders' from c order by id for xml path('c'), root('all');
select (select id as '@id' from o where o.c = c.id order by o.id for xml path('o')) as 'text' from c where id = 1 for xml path('c');
select (select c.id, c.name from c order by id for xml auto, type).query('/c[2]') as q;
select (select id from c for xml raw, type).value('count(/row)', 'int') as n;
declare @x xml = (select id from c order by id for xml path('c'), root('r'), type);
select @x.query('/r/c[2]') as second, @x.value('(/r/c/id)[3]', 'int') as v;
select 'a' + char(10) + 'b' as '@a', '"<&>' as '@q', 'c' + char(13) + 'd' as e for xml path('r');
select cast(1 as bit) as b, cast(1.5 as float) as f, cast('2024-01-02T03:04:05' as datetime) as d, cast('2024-01-02' as date) as dd, cast(2.50 as money) as m, newid() as g where 1 = 0 for xml path;
select cast(1 as bit) as b, cast(1.5 as float) as f, cast('2024-01-02T03:04:05' as datetime) as d, cast('2024-01-02' as date) as dd, cast(2.50 as money) as m, cast(0x01 as varbinary(1)) as v for xml path;
go
-- WITH XMLNAMESPACES: https://learn.microsoft.com/sql/relational-databases/xml/add-namespaces-to-queries-with-with-xmlnamespaces
with xmlnamespaces ('uri' as ns1) select id as 'ns1:id', name as 'ns1:name' from c where id = 1 for xml raw('ns1:c'), elements;
with xmlnamespaces ('uri1' as ns1, 'uri2' as ns2, default 'uri2') select note as '@ns1:note', id as 'ns1:id', name as 'ns2:name' from c where id = 2 for xml path('ns1:c');
go
with xmlnamespaces ('uri1' as ns1, 'uri2' as ns2, default 'uri2') select name as 'ns1:name' from c where id = 1 for xml raw('ns1:c'), root('ns2:root'), elements;
with xmlnamespaces ('uri' as ns1) select id as 'ns1:id', note as 'ns1:note' from c where id = 1 for xml raw('ns1:c'), elements xsinil;
with xmlnamespaces ('uri' as p), one as (select 1 as a) select a as '@p:a' from one for xml path('p:r'), type;
go
-- EXPLICIT: https://learn.microsoft.com/sql/relational-databases/xml/use-explicit-mode-with-for-xml
select 1 as tag, null as parent, id as [c!1!id], name as [c!1!name!element], note as [c!1!!cdata] from c order by id for xml explicit;
select 1 as Tag, null as Parent, id as [c!1!id], name as [c!1!name], null as [o!2!id], null as [o!2!total!element] from c
union all select 2, 1, c.id, null, o.id, o.total from c join o on o.c = c.id
order by [c!1!id], [o!2!id] for xml explicit, root('all');
select 1 as tag, null as parent, '<a/>' as [r!1!x!xml], '<a/>' as [r!1!e!element], 'h' as [r!1!h!hide], null as [r!1!n!elementxsinil] for xml explicit;
go
-- Errors: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-6000-to-6999
select 1 for xml raw;
go
select 1 as a for xml auto;
go
select 1 as a, 2 as a for xml raw;
go
select 1 as 'a b' for xml path;
go
select 1 as 'p:a' for xml path;
go
select 1 as 'a//b' for xml path;
go
select 1 as '/a' for xml path;
go
select 1 as a, 2 as '@b' for xml path;
go
select 1 as 'a/b', 2 as 'a/@c' for xml path;
go
select 1 as '@a' for xml path('');
go
select 1 as a for xml raw('');
go
select 1 as a for xml path('x y');
go
select 1 as a for xml path, root('1');
go
select 1 as a for xml path, root('');
go
select id from c for xml auto('x');
go
select id from c for xml path, xmlschema;
go
select id from c for xml raw, xmldata;
go
select cast('<a/>' as xml) as '@a' for xml path;
go
select cast('<a/>' as xml) as 'comment()' for xml path;
go
select 1 as 'processing-instruction()' for xml path;
go
select 'x' as 'processing-instruction(xml)' for xml path;
go
select cast(1 as varbinary(4)) as b for xml raw;
go
select nchar(1) as a for xml path('r'), type;
go
select nchar(1) as a for xml path('r');
go
select 1 as tag, null as parent for xml explicit;
go
select 1 as a, null as parent, 1 as [a!1!b] for xml explicit;
go
select 1 as tag, null as parent, 1 as [a!x!b] for xml explicit;
go
select 1 as tag, 5 as parent, 1 as [a!1!b] for xml explicit;
go
select 2 as tag, null as parent, 1 as [a!1!b] for xml explicit;
go
select 1 as tag, null as parent, 1 as [a!1!b!nope] for xml explicit;
go
select 1 as tag, null as parent, 1 as [a!1!b], 2 as [z!1!c] for xml explicit;
go
select 1 as tag, null as parent, 1 as [a!1!b] for xml explicit, elements;
go
with xmlnamespaces ('' as p) select 1 as a for xml path;
go
with xmlnamespaces ('u' as p, 'v' as p) select 1 as a for xml path;
go
with xmlnamespaces ('u' as xmlns) select 1 as a for xml path;
go
with xmlnamespaces ('u' as xml) select 1 as a for xml path;
go
with xmlnamespaces ('u' as xsi) select 1 as a for xml path, elements xsinil;
go
with xmlnamespaces ('u' as p) select 1 as tag, null as parent, 1 as [a!1!b] for xml explicit;
go
