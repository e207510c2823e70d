-- CREATE, ALTER, DROP XML SCHEMA COLLECTION: https://learn.microsoft.com/sql/t-sql/statements/create-xml-schema-collection-transact-sql
create xml schema collection dbo.orders as N'<?xml version="1.0" encoding="utf-16"?>
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:o" xmlns="urn:o" elementFormDefault="qualified">
  <xsd:annotation><xsd:documentation>orders</xsd:documentation></xsd:annotation>
  <xsd:simpleType name="code"><xsd:restriction base="xsd:string"><xsd:pattern value="[A-Z]{2}[0-9]+"/><xsd:maxLength value="8"/></xsd:restriction></xsd:simpleType>
  <xsd:complexType name="line"><xsd:sequence><xsd:element name="item" type="code"/><xsd:element name="qty" type="xsd:positiveInteger"/>
    <xsd:element name="note" type="xsd:string" minOccurs="0"/></xsd:sequence><xsd:attribute name="no" type="xsd:int" use="required"/></xsd:complexType>
  <xsd:element name="order"><xsd:complexType><xsd:sequence><xsd:element name="line" type="line" maxOccurs="unbounded"/></xsd:sequence>
    <xsd:attribute name="day" type="xsd:date"/></xsd:complexType></xsd:element>
</xsd:schema>';
select name, schema_name(schema_id) as s, xml_collection_id from sys.xml_schema_collections order by xml_collection_id;
select xml_collection_id, name, xml_namespace_id from sys.xml_schema_namespaces order by 1, 3;
go
create xml schema collection dbo.orders as N'<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"/>';
go
-- A variable, several documents in one text, no target namespace.
declare @x xml = N'<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="a" type="int"/></schema><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:b"><element name="b" type="date"/></schema>';
create xml schema collection two as @x;
declare @n nvarchar(max);
create xml schema collection three as @n;
go
declare @b varbinary(max) = 0x3C736368656D6120786D6C6E733D22687474703A2F2F7777772E77332E6F72672F323030312F584D4C536368656D61222F3E;
create xml schema collection empty_one as @b;
declare @i int = 1;
create xml schema collection four as @i;
go
-- ALTER adds: https://learn.microsoft.com/sql/t-sql/statements/alter-xml-schema-collection-transact-sql
alter xml schema collection two add N'<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:b"><element name="c" type="boolean"/></schema>';
declare @t xml(two) = N'<c xmlns="urn:b">1</c><a>07</a>';
select @t as t;
go
alter xml schema collection nowhere add N'<schema xmlns="http://www.w3.org/2001/XMLSchema"/>';
go
alter xml schema collection sys.sys add N'<schema xmlns="http://www.w3.org/2001/XMLSchema"/>';
go
alter xml schema collection two add N'<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:b"><element name="b" type="boolean"/></schema>';
go
-- XML_SCHEMA_NAMESPACE: https://learn.microsoft.com/sql/t-sql/xml/xml-schema-namespace
select xml_schema_namespace(N'dbo', N'two') as x;
select xml_schema_namespace(N'dbo', N'two', N'urn:b') as x;
select xml_schema_namespace(N'dbo', N'two').query('count(/*)') as n;
go
select xml_schema_namespace(N'dbo', N'none') as x;
go
select xml_schema_namespace(N'sys', N'sys') as x;
go
-- In use.
create table t (id int primary key, x xml(content dbo.orders), d xml(document orders));
select name, is_xml_document, xml_collection_id, collation_name, precision, max_length from sys.columns where object_id = object_id('t') order by column_id;
select object_name(object_id) as o, column_id, xml_collection_id from sys.column_xml_schema_collection_usages;
go
drop xml schema collection orders;
go
drop table t;
go
create procedure p @x xml(orders) as select @x.value('count(//*)', 'int') as n;
go
select object_name(object_id) as o, parameter_id, xml_collection_id from sys.parameter_xml_schema_collection_usages;
select name, is_xml_document, xml_collection_id from sys.parameters where object_id = object_id('p');
go
drop xml schema collection orders;
go
drop procedure p;
drop xml schema collection if exists nothing;
go
drop xml schema collection nothing;
go
declare @x xml(nothing);
go
create table u (x xml(nothing));
go
-- ALTER SCHEMA: https://learn.microsoft.com/sql/t-sql/statements/alter-schema-transact-sql
create schema s;
go
alter schema s transfer xml schema collection::dbo.two;
select name, schema_name(schema_id) as s from sys.xml_schema_collections where name = 'two';
go
drop schema s;
go
drop xml schema collection s.two;
drop schema s;
-- Names of collections are apart from those of tables.
create table orders (id int);
select name, type from sys.objects where name = 'orders';
go
-- What it consists of: https://learn.microsoft.com/sql/relational-databases/system-catalog-views/xml-schemas-xml-type-system-catalog-views-transact-sql
select name, kind, kind_desc, symbol_space, derivation_desc from sys.xml_schema_components where name is not null order by kind, name;
select e.name, t.name as type, e.is_nillable, e.must_be_qualified from sys.xml_schema_elements e left join sys.xml_schema_types t on t.xml_component_id = e.base_xml_component_id order by e.name;
select t.name, f.kind, f.kind_desc, f.value from sys.xml_schema_facets f join sys.xml_schema_types t on t.xml_component_id = f.xml_component_id order by f.facet_id;
select compositor_desc from sys.xml_schema_model_groups;
select a.name, p.min_occurrences, p.max_occurrences from sys.xml_schema_component_placements p join sys.xml_schema_attributes a on a.xml_component_id = p.placed_xml_component_id order by a.name;
select count(*) as n from sys.xml_schema_wildcards;
go
drop xml schema collection orders;
drop xml schema collection empty_one;
go
-- In a transaction.
begin transaction;
create xml schema collection c as N'<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="a" type="int"/></schema>';
declare @x xml(c) = N'<a>01</a>';
select @x as x;
rollback;
select name from sys.xml_schema_collections;
go
-- Requirements and limitations: https://learn.microsoft.com/sql/relational-databases/xml/requirements-and-limitations-for-xml-schema-collections-on-the-server
create xml schema collection bad as N'<a/>';
go
create xml schema collection bad as N'<a>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="x"/></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:redefine schemaLocation="x"/></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:key name="k"><xs:selector xpath="b"/><xs:field xpath="c"/></xs:key></xs:element></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:complexType name="c"><xs:choice/></xs:complexType></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:complexType name="c"><xs:sequence minOccurs="3000000000" maxOccurs="unbounded"/></xs:complexType></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:simpleType name="myUnion"><xs:union memberTypes="xs:int xs:QName"/></xs:simpleType></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:ID"/></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="b"/></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:o="urn:o"><xs:element name="a" type="o:b"/></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:simpleType name="s"><xs:restriction base="xs:decimal"><xs:fractionDigits value="11"/></xs:restriction></xs:simpleType></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:complexType name="c"><xs:sequence><xs:element name="a" minOccurs="0"/><xs:element name="a"/></xs:sequence></xs:complexType></xs:schema>';
go
create xml schema collection bad as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:simpleType name="s"><xs:restriction base="s"/></xs:simpleType></xs:schema>';
go
select name from sys.xml_schema_collections;
