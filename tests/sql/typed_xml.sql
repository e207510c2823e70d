-- Typed xml: https://learn.microsoft.com/sql/relational-databases/xml/compare-typed-xml-to-untyped-xml
create xml schema collection prim as N'
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="decList"><xs:list itemType="xs:decimal"/></xs:simpleType>
  <xs:simpleType name="decOrBool"><xs:union memberTypes="xs:decimal xs:boolean"/></xs:simpleType>
  <xs:element name="v"><xs:complexType><xs:sequence>
    <xs:element name="dec" type="xs:decimal" minOccurs="0"/><xs:element name="int" type="xs:integer" minOccurs="0"/>
    <xs:element name="bool" type="xs:boolean" minOccurs="0"/><xs:element name="dbl" type="xs:double" minOccurs="0"/>
    <xs:element name="flt" type="xs:float" minOccurs="0"/><xs:element name="str" type="xs:string" minOccurs="0"/>
    <xs:element name="tok" type="xs:token" minOccurs="0"/><xs:element name="dt" type="xs:dateTime" minOccurs="0"/>
    <xs:element name="dat" type="xs:date" minOccurs="0"/><xs:element name="tm" type="xs:time" minOccurs="0"/>
    <xs:element name="dur" type="xs:duration" minOccurs="0"/><xs:element name="hex" type="xs:hexBinary" minOccurs="0"/>
    <xs:element name="b64" type="xs:base64Binary" minOccurs="0"/><xs:element name="lst" type="decList" minOccurs="0"/>
    <xs:element name="uni" type="decOrBool" minOccurs="0"/>
  </xs:sequence><xs:attribute name="adec" type="xs:decimal"/></xs:complexType></xs:element>
</xs:schema>';
create xml schema collection xv as N'
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" xmlns:t="urn:t" elementFormDefault="qualified">
  <xs:element name="r"><xs:complexType><xs:sequence><xs:element name="a" type="xs:int"/>
    <xs:element name="b" type="xs:string" minOccurs="0" maxOccurs="2"/></xs:sequence>
    <xs:attribute name="k" type="xs:int" use="required"/></xs:complexType></xs:element>
  <xs:element name="s" type="xs:int"/>
</xs:schema>';
go
-- Values are kept in canonical form.
declare @x xml(prim) = N'<v adec="2.50"><dec>+05.</dec><int>+007</int><bool>1</bool><dbl>1000000</dbl><flt>1234567890123456789</flt><str>  a  b  </str><tok>  a  b  </tok><dt>2020-01-02T24:00:00</dt><dat>2020-01-02-00:00</dat><tm>03:04:05.1200</tm><dur>P1Y2M3DT4H5M6.000S</dur><hex>ABcd</hex><b64>YW Jj</b64><lst>  1.50   2.00  </lst><uni>2.50</uni></v>';
select @x as x;
set @x = N'<v><dbl>0</dbl></v>';
select @x as x, cast(N'<v><dec>-0.0</dec></v>' as xml(prim)) as y, convert(xml(document prim), N'<v/>') as z;
set @x = null;
select @x as x;
go
create table t (id int primary key identity, x xml(xv) null, d xml(document xv) null);
insert t (x) values (N'<t:r xmlns:t="urn:t" k="01"><t:a> 1 </t:a><t:b>x</t:b></t:r>'), (N'<t:s xmlns:t="urn:t">1</t:s><t:s xmlns:t="urn:t">02</t:s>'), (null);
select id, x from t order by id;
-- Only what is assigned is validated; what comes of the same type is valid.
update t set d = null;
insert t (x) select x from t where id = 1;
update t set x = N'<t:s xmlns:t="urn:t">+3</t:s>' where id = 3;
select id, x from t order by id;
go
insert t (d) values (N'<t:s xmlns:t="urn:t">1</t:s><t:s xmlns:t="urn:t">02</t:s>');
go
insert t (d) select x from t where id = 2;
go
insert t (x) values (N'<t:r xmlns:t="urn:t" k="1"><t:a>zz</t:a></t:r>');
go
insert t (x) values (N'<t:r xmlns:t="urn:t" k="zz"><t:a>1</t:a></t:r>');
go
insert t (x) values (N'<t:s xmlns:t="urn:t">99999999999</t:s>');
go
insert t (x) values (N'<t:r xmlns:t="urn:t" k="1"><t:a>1</t:a><t:zz>1</t:zz></t:r>');
go
insert t (x) values (N'<t:r xmlns:t="urn:t" k="1"><t:b>x</t:b><t:a>1</t:a></t:r>');
go
insert t (x) values (N'<t:r xmlns:t="urn:t" k="1"/>');
go
insert t (x) values (N'<t:r xmlns:t="urn:t" k="1"><t:a>1</t:a><t:b>x</t:b><t:b>y</t:b><t:b>z</t:b></t:r>');
go
insert t (x) values (N'<t:r xmlns:t="urn:t" k="1" q="2"><t:a>1</t:a></t:r>');
go
insert t (x) values (N'<t:r xmlns:t="urn:t"><t:a>1</t:a></t:r>');
go
insert t (x) values (N'<t:zzz xmlns:t="urn:t"/>');
go
insert t (x) values (N'<r k="1"><a>1</a></r>');
go
insert t (x) values (N'<t:r xmlns:t="urn:t" k="1">text<t:a>1</t:a></t:r>');
go
update t set x = N'<t:s xmlns:t="urn:t"/>' where id = 1;
go
declare @x xml(xv) = N'<t:s xmlns:t="urn:t">x</t:s>';
go
declare @x xml(xv);
set @x = N'<t:s xmlns:t="urn:t">x</t:s>';
go
select try_cast(N'<t:s xmlns:t="urn:t">x</t:s>' as xml(xv)) as none, try_convert(xml(xv), N'<t:s xmlns:t="urn:t">01</t:s>') as one;
select cast(N'<t:s xmlns:t="urn:t">x</t:s>' as xml(xv)) as none;
go
-- Parameters, results of functions, table variables, cursors, INSERT ... EXEC.
create procedure p @x xml(xv), @y xml(xv) = null output as set @y = @x; select @x as x;
go
create function f (@x xml(xv)) returns xml(xv) as begin return (select @x.query('/*') as q) end;
go
declare @y xml;
exec p N'<t:s xmlns:t="urn:t">+1</t:s>', @y output;
select @y as y, dbo.f(N'<t:s xmlns:t="urn:t">+2</t:s>') as f;
exec p N'<t:s xmlns:t="urn:t">x</t:s>';
go
select dbo.f(N'<t:q xmlns:t="urn:t">+2</t:q>') as f;
go
exec sp_executesql N'select @x as x', N'@x xml(xv)', N'<t:s xmlns:t="urn:t">+4</t:s>';
exec sp_executesql N'select @x as x', N'@x xml(xv)', N'<t:s xmlns:t="urn:t">?</t:s>';
go
declare @t table (x xml(xv));
insert @t values (N'<t:s xmlns:t="urn:t">+5</t:s>');
insert @t exec ('select N''<t:s xmlns:t="urn:t">+6</t:s>''');
select x from @t order by cast(x as nvarchar(100));
insert @t exec ('select N''<t:s xmlns:t="urn:t">no</t:s>''');
go
declare c cursor for select N'<t:s xmlns:t="urn:t">+7</t:s>';
declare @x xml(xv);
open c; fetch c into @x; select @x as x; close c; deallocate c;
go
-- Into untyped xml and into text.
declare @u xml, @n nvarchar(100);
select @u = x, @n = cast(x as nvarchar(100)) from t where id = 3;
select @u as u, @n as n;
go
-- A default.
create table w (id int, u xml, x xml(xv) default N'<t:s xmlns:t="urn:t">+8</t:s>');
insert w (id, u) values (1, N'<t:s xmlns:t="urn:t">+9</t:s>');
select x from w;
go
select * into w2 from w;
select name, xml_collection_id from sys.columns where object_id = object_id('w2') order by column_id;
go
drop table w, w2;
drop function f;
drop procedure p;
go
-- What the schema fills in; nil, xsi:type, groups, wildcards.
create xml schema collection kinds as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:complexType name="base"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence><xs:attribute name="d" type="xs:int" default="5"/></xs:complexType>
  <xs:complexType name="more"><xs:complexContent><xs:extension base="base"><xs:sequence><xs:element name="b" type="xs:date" minOccurs="0"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name="e" type="base"/>
  <xs:element name="n" type="xs:int" nillable="true"/>
  <xs:element name="def" type="xs:int" default="7"/>
  <xs:element name="fix" type="xs:decimal" fixed="1.0"/>
  <xs:element name="all"><xs:complexType><xs:all><xs:element name="x" type="xs:int"/><xs:element name="y" type="xs:int" minOccurs="0"/></xs:all></xs:complexType></xs:element>
  <xs:element name="head" abstract="true" type="xs:decimal"/>
  <xs:element name="one" substitutionGroup="head" type="xs:int"/>
  <xs:element name="heads"><xs:complexType><xs:sequence><xs:element ref="head" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="any"><xs:complexType mixed="true"><xs:sequence><xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="ids"><xs:complexType><xs:sequence><xs:element name="i" maxOccurs="unbounded"><xs:complexType><xs:attribute name="id" type="xs:ID"/><xs:attribute name="ref" type="xs:IDREF"/></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
</xs:schema>';
go
declare @x xml(kinds) = N'<e><a>1</a></e><def/><fix/><all><y>1</y><x>2</x></all><heads><one>01</one></heads><any>text<e><a>01</a></e><q/></any><ids><i id="p"/><i ref="p"/></ids>';
select @x as x;
set @x = N'<e xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="more"><a>1</a><b>2020-01-01</b></e><n xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>';
select @x as x;
go
declare @x xml(kinds) = N'<n/>';
go
declare @x xml(kinds) = N'<e xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>';
go
declare @x xml(kinds) = N'<fix>2</fix>';
go
declare @x xml(kinds) = N'<all><x>1</x><x>2</x></all>';
go
declare @x xml(kinds) = N'<heads><head>1</head></heads>';
go
declare @x xml(kinds) = N'<any><e><a>x</a></e></any>';
go
declare @x xml(kinds) = N'<ids><i id="p"/><i id="p"/></ids>';
go
declare @x xml(kinds) = N'<ids><i ref="p"/></ids>';
go
declare @x xml(kinds) = N'<e xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="foo"><a>1</a></e>';
go
-- XQuery: types are known: https://learn.microsoft.com/sql/xquery/xquery-and-static-typing
create xml schema collection cat as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="cat"><xs:complexType><xs:sequence><xs:element name="title" type="xs:string"/>
   <xs:element name="p" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/><xs:element name="price" type="xs:decimal"/>
     <xs:element name="day" type="xs:date" minOccurs="0"/></xs:sequence><xs:attribute name="id" type="xs:int" use="required"/></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
</xs:schema>';
go
declare @d xml(document cat) = N'<cat><title>T</title><p id="10"><name>ten</name><price>9.50</price></p><p id="9"><name>nine</name><price>10</price><day>2020-02-03Z</day></p></cat>';
-- One element is one: no [1] is needed.
select @d.value('/cat/title', 'nvarchar(10)') as title, @d.value('(/cat/p/price)[1]', 'decimal(5,2)') as price, @d.value('(/cat/p/@id)[2]', 'int') as id;
-- Numbers compare as numbers.
select @d.query('for $p in /cat/p where $p/price < 10 return $p/name') as q, @d.exist('/cat/p[price = 9.5]') as e, @d.value('max(/cat/p/price)', 'decimal(5,2)') as m, @d.value('sum(/cat/p/@id)', 'int') as s;
select @d.query('for $p in /cat/p order by $p/@id return $p/@id cast as xs:string?') as q;
select @d.query('data(/cat/p/price)') as q, @d.query('/cat/p[1]/price instance of element()') as i, @d.query('data(/cat/p[1]/price) instance of xs:decimal') as j;
select p.c.value('@id', 'int') as id, p.c.value('name[1]', 'nvarchar(10)') as name, p.c.value('price[1] * 2', 'decimal(6,2)') as twice from @d.nodes('/cat/p') as p(c) order by id;
select @d.value('(/cat/p/day)[1] cast as xs:string?', 'varchar(20)') as d;
go
declare @c xml(cat) = N'<cat><title>T</title></cat>';
select @c.value('/cat[1]/title', 'nvarchar(10)') as title;
select @c.value('/cat/title', 'nvarchar(10)') as title;
go
declare @c xml(cat);
select @c.query('/dog') as q;
go
declare @c xml(cat);
select @c.query('/cat/p/nmae') as q;
go
declare @c xml(cat);
select @c.query('/cat/p[price = "x"]') as q;
go
declare @c xml(cat);
select @c.query('/cat/title/text()') as q;
go
-- modify() leaves what is valid: https://learn.microsoft.com/sql/t-sql/xml/replace-value-of-xml-dml
declare @d xml(document cat) = N'<cat><title>T</title><p id="1"><name>a</name><price>1</price></p></cat>';
set @d.modify('replace value of (/cat/p/price)[1] with 2.50');
set @d.modify('replace value of /cat/title with "U"');
set @d.modify('insert <p id="2"><name>b</name><price>3.0</price></p> into /cat');
set @d.modify('delete (/cat/p)[1]');
select @d as d;
set @d.modify('delete /cat/title');
go
declare @d xml(document cat) = N'<cat><title>T</title></cat>';
set @d.modify('insert <q/> into /cat');
go
declare @d xml(document cat) = N'<cat><title>T</title></cat>';
set @d.modify('insert attribute x {"1"} into /cat');
go
-- ALTER XML SCHEMA COLLECTION looks at what is stored.
drop table t;
go
create table t (id int primary key, x xml(prim));
go
insert t values (1, N'<v><dec>1</dec></v>');
alter xml schema collection prim add N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="w" type="xs:int"/></xs:schema>';
insert t values (2, N'<w>02</w>');
select x from t order by id;
drop table t;
drop xml schema collection prim;
drop xml schema collection xv;
drop xml schema collection kinds;
drop xml schema collection cat;
go
-- A column becomes typed, and plain again: https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql
create xml schema collection numbers as N'<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="n" type="xsd:int"/></xsd:schema>';
go
create table changed (id int constraint pk_changed primary key, x xml);
insert changed values (1, '<n>1</n>'), (2, '<n> 02 </n>');
alter table changed alter column x xml(numbers);
select id, x, x.value('(/n)[1]', 'int') + 1 as more from changed order by id;
insert changed values (3, '<n>three</n>');
go
alter table changed alter column x xml;
insert changed values (3, '<m/>');
alter table changed alter column x xml(document numbers);
go
delete changed where id = 3;
alter table changed add y xml(content numbers) not null constraint df_y default '<n>7</n>';
go
select id, y from changed order by id;
select c.name, c.is_xml_document, s.name as collection from sys.columns c left join sys.xml_schema_collections s on s.xml_collection_id = c.xml_collection_id where c.object_id = object_id('changed') order by c.column_id;
