-- xml is checked where a value is made: https://learn.microsoft.com/sql/t-sql/xml/xml-transact-sql
create table t (id int identity, x xml);
go
insert t values ('<r><u></r>');
go
select cast('<a>' as xml);
go
select convert(xml, N'<a b="1" b="2"/>');
go
declare @x xml = '<a b=c/>';
go
declare @x xml;
set @x = N'Tom & Jerry';
go
update t set x = '<a/><b' where 1 = 1;
insert t values ('<ok/>');
update t set x = '<a/><b';
go
select try_convert(xml, '<a>') as a, try_cast('<a/>' as xml) as b, try_convert(xml, '&nbsp;') as c, try_cast(N'<p:a/>' as xml) as d, try_convert(xml, 0x3C) as e;
go
create procedure takes_xml @x xml as select @x as x;
go
exec takes_xml '<a';
go
exec takes_xml '<a><b>1</b></a>';
exec sp_executesql N'select @x as x', N'@x xml', @x = N'<a></b>';
go
-- Every number.
create table wrong (n int, s nvarchar(100));
insert wrong values (9400, N'<a>'), (9402, N'<?xml version="1.0" encoding="utf-8"?><a/>'), (9410, N'<a b="1"c="2"/>'), (9411, N'<a>&amp </a>'), (9412, N'<a/ >'), (9413, N'<a b=1/>'), (9414, N'<a b/>'), (9415, N'<a b="<"/>'), (9416, N'&#xg;'), (9417, N'&#a;'), (9420, N'<a>' + nchar(1) + N'</a>'), (9421, N'<1/>'), (9422, N'<!a>'), (9424, N'<!-- -- -->'), (9436, N'<a></b>'), (9437, N'<a b="1" b="1"/>'), (9438, N' <?xml version="1.0"?><a/>'), (9448, N'&copy;'), (9455, N'<a:/>'), (9456, N'<a:b:c/>'), (9459, N'<a:b/>'), (9460, N'<a xmlns:p=""/>'), (6335, replicate(N'<a>', 33)), (6359, N'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>');
declare @n int, @s nvarchar(100), @x xml;
declare c cursor local for select n, s from wrong where n <> 6335 order by n;
open c;
fetch c into @n, @s;
while @@fetch_status = 0
begin
    begin try
        set @x = @s;
        print concat(@n, ' was taken');
    end try
    begin catch
        print concat(@n, iif(error_number() = @n, ': ', ' but '), error_number(), ' ', error_message());
    end catch;
    fetch c into @n, @s;
end;
begin try
    set @x = replicate(cast(N'<a>' as nvarchar(max)), 200) + replicate(cast(N'</a>' as nvarchar(max)), 200);
end try
begin catch
    print error_message();
end catch;
go
-- What is kept of it: nodes, not how they were written.
delete t;
insert t values ('<?xml version="1.0"?><a></a>'), ('<a>
  <b>x</b>
</a>'), ('plain text'), ('<a/><b/>'), (N'<a c=''"''>ž<![CDATA[<&]]></a>'), (cast(0x3C00610020002F003E00 as xml)), (cast(0xEFBBBF3C612F3E as xml)), (null), ('');
select x from t order by id;
select convert(xml, '<a> <b> </b></a>', 1) as kept, convert(xml, '<a> <b> </b></a>') as dropped, cast(cast('<a>&lt;</a>' as xml) as nvarchar(max)) as back;
go
-- FOR XML ... TYPE nests as nodes; without TYPE it is text, and escaped.
select (select 1 as a for xml path('x'), type) for xml path('o'), type;
select (select 1 as a for xml path('x')) for xml path('o'), type;
select (select 1 as a for xml path('x'), type) as inner_name for xml path('o');
select 7 as id, (select 1 as a for xml raw, type) for xml raw, type;
select 7 as id, (select 1 as a for xml raw, type) as n for xml raw;
select o.id, (select i.id as [@id], i.v as [text()] from (values (1, 'a'), (2, '<b>')) i (id, v) where i.id <= o.id for xml path('i'), type) as items from (values (1), (2)) o (id) for xml path('o'), root('all');
declare @x xml = (select 'v' as a for xml path(''), type);
select @x as x, @x as [@no] for json path;
select @x as y, (select @x for xml path('deep'), type) for xml path('z');
select cast((select 'a' + char(38) as [text()] for xml path(''), type) as nvarchar(max)) as text;
select x from t where id = 3 for xml path('row');
create table made (x xml);
insert made select (select 1 as a for xml path('p'), type);
insert made (x) select (select 1 as a for xml path('q'));
select x from made;
select (select 1 as a where 1 = 0 for xml path('x'), type) as nothing;
go
declare @s nvarchar(max) = (select 1 as a for xml path('x'), type);
go
select stuff((select ',' + name from wrong, (values ('x')) v (name) for xml path(''), type), 1, 1, '');
go
select (select 1 as a for xml path(''), type).value('.', 'int');
go
