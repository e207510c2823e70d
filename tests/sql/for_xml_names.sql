-- FOR XML: names that XML does not have, node functions, references of bytes, EXPLICIT, and where the clause may not stand.
-- https://learn.microsoft.com/sql/relational-databases/xml/for-xml-sql-server and use-explicit-mode-with-for-xml
create table xt (id int not null, nm varchar(20), b varbinary(10), constraint pk_xt primary key (id)); insert xt values (1, 'a', 0x01), (2, null, null);
go
create table bc (k1 int not null, k2 varchar(10) not null, bin varbinary(10), constraint pk_bc primary key (k1, k2)); insert bc values (1, 'a&b', 0x02);
go
select id, nm, b from xt for xml auto
go
select k1, k2, bin from bc for xml auto
go
select b from xt for xml raw
go
select b from xt for xml auto
go
select cast(0x01 as varbinary(4)) b from xt for xml auto
go
select b from xt for xml raw, binary base64
go
select b from xt for xml path
go
select 1 for xml raw
go
select 1 a for xml auto
go
select id from xt for xml auto('x')
go
select id from xt for xml raw, type, type
go
select id from xt for xml raw, root, root
go
select id from xt for xml raw, binary hex
go
select id as [@id] from xt for xml path('')
go
select id from xt for xml raw('')
go
select id from xt for xml raw(''), elements
go
select id, nm as [@nm] from xt for xml path
go
select cast('<a/>' as xml) as [@x] for xml path
go
select cast('<a/>' as xml) as x for xml raw
go
select cast('<a/>' as xml) as [text()] for xml path
go
select cast('<a/>' as xml) as [comment()] for xml path
go
select cast('<a/>' as xml) as [*] for xml path
go
select cast('<a/>' as xml) as [node()] for xml path
go
select 'x' as [comment()] for xml path
go
select 'x' as [processing-instruction(t)] for xml path
go
select 'x' as [processing-instruction()] for xml path
go
select 'x' as [processing-instruction(xml)] for xml path
go
select 'x' as [processing-instruction(1a)] for xml path
go
select 'a--b' as [comment()] for xml path
go
select 1 as [TEXT()] for xml path
go
select 1 as [a b] for xml path
go
select 1 as [/a] for xml path
go
select 1 as [a//b] for xml path
go
select 1 as [p:a] for xml path
go
select 1 as [xmlns] for xml path
go
select 1 as a for xml path, root('xmlns')
go
select 1 as a for xml path('a/b')
go
select 1 as a for xml path('a b')
go
select 1 as a for xml path, root('')
go
select 1 as [a b] for xml raw
go
select 1 as [1a] for xml raw
go
select 1 as [a_x0020_b] for xml raw
go
select 1 as [_x] for xml raw
go
select 1 as [a_Xb] for xml raw
go
select 1 as [a-b] for xml raw
go
select 1 as [comment()] for xml raw
go
select 1 as a, '' , 2 as a for xml path
go
select 1 as a, 2 as a for xml path
go
select 10 as [data()], 30 as [data()] for xml path
go
select 10 as [text()], 30 as [text()] for xml path
go
select 1 as [a/b], 2 as [a/c] for xml path
go
select 1 as [a/@x], 2 as a for xml path
go
select cast(null as int) as a for xml path
go
select cast(null as int) as a for xml path, elements xsinil
go
select cast(null as int) as a for xml path, elements xsinil, root('r')
go
insert xt (id) select 1 for xml raw
go
select 1 a into #zz for xml raw
go
declare @v nvarchar(max); select @v = 1 for xml raw
go
insert xt (id) select 1 a for json path
go
select 1 a into #zz for json path
go
declare @v nvarchar(max); select @v = 1 for json path
go
with xmlnamespaces ('urn:x' as p, default 'urn:d') select 1 as a for xml path
go
with xmlnamespaces ('urn:x' as xmlns) select 1 as a for xml path
go
with xmlnamespaces ('urn:x' as [p q]) select 1 as a for xml path
go
with xmlnamespaces ('urn:x' as xml) select 1 as a for xml path
go
with xmlnamespaces ('http://www.w3.org/XML/1998/namespace' as p) select 1 as a for xml path
go
with xmlnamespaces ('' as p) select 1 as a for xml path
go
with xmlnamespaces (default '') select 1 as a for xml path
go
with xmlnamespaces ('urn:x' as p, 'urn:y' as p) select 1 as a for xml path
go
with xmlnamespaces (default 'urn:x', default 'urn:y') select 1 as a for xml path
go
with xmlnamespaces ('urn:x' as xsi) select 1 as a for xml path, elements xsinil
go
with xmlnamespaces ('urn:x' as p) select 1 as tag, null as parent, 1 as [a!1!b] for xml explicit
go
with xmlnamespaces ('urn:x' as p) select 1 a for xml raw, xmlschema
go
with c as (select 1 a), xmlnamespaces ('urn:x' as p) select a from c for xml raw
go
with xmlnamespaces ('urn:x' as p), c as (select 1 a) select a as [@p:a] from c for xml path('c')
go
select 1 as tag, null as parent for xml explicit
go
select cast(1 as bigint) as tag, null as parent, 1 as [a!1!b] for xml explicit
go
select 1 as tag, 'x' as parent, 1 as [a!1!b] for xml explicit
go
select 1 as tagg, null as parent, 1 as [a!1!b] for xml explicit
go
select 1 as tag, null as parentt, 1 as [a!1!b] for xml explicit
go
select 0 as tag, null as parent, 1 as [a!1!b] for xml explicit
go
select 2 as tag, null as parent, 1 as [a!1!b] for xml explicit
go
select 1 as tag, 2 as parent, 1 as [a!1!b] for xml explicit
go
select 1 as tag, 2 as parent, 1 as [a!1!b], 2 as [c!2!d] for xml explicit
go
select 1 as tag, null as parent, 1 as b for xml explicit
go
select 1 as tag, null as parent, 1 as [a!x!b] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!0!b] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b], 2 as [A!1!d] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b!foo] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b!element!xml] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b!id!idref] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b!hide!id] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b!hide!hide] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b!idrefs] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b] for xml explicit, elements
go
select 1 as tag, null as parent, 0x01 as [a!1!b] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b] for xml explicit
go
select 1 as tag, 0 as parent, 1 as [a!1!b] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b!element] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b!ELEMENT] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b!hide] for xml explicit
go
select 1 as tag, null as parent, 'x' as [a!1!!cdata] for xml explicit
go
select 1 as tag, null as parent, 'a]]>b' as [a!1!!cdata] for xml explicit
go
select 1 as tag, null as parent, 1 as [e f!1!a b] for xml explicit
go
select 1 as tag, null as parent, cast(null as int) as [a!1!b!elementxsinil] for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b], null as [c!2!d] union all select 2, 1, null, 2 union all select 1, null, 3, null for xml explicit
go
select 1 as tag, null as parent, 1 as [a!1!b] union all select 1, 1, 2 for xml explicit
go
select 1 as a from xt t where id = 1 for xml auto
go
select id from dbo.xt for xml auto
go
select p.id, c.nm from xt p join xt c on c.id = p.id order by 1 for xml auto
go
select t.id from xt t union all select id from xt u for xml auto
go
select cast('<c d="2"/>' as xml) for xml path('a')
go
