-- Casts, and values of SQL: https://learn.microsoft.com/sql/xquery/type-casting-rules-in-xquery and xquery-extension-functions-sql-variable
create table docs (k char(1) primary key, x xml);
insert docs values ('b', '<books><book id="1" cat="x"><title>A</title><price>10.5</price><author>P</author><author>Q</author></book><book id="2" cat="y"><title>B</title><price>20</price><author>R</author></book><book id="3"><title/><price>5</price></book></books>');
insert docs values ('n', '<r><a>1</a><a>2</a><a>10</a><b>x</b><c/></r>');
insert docs values ('d', '<!--pre--><?pi data?><r a="1" b="two"><x>t1<y>t2</y>t3</x><!--in--><?go now?></r>');
insert docs values ('s', '<p:r xmlns:p="urn:p" xmlns="urn:d"><c p:k="v" k="w">z</c><p:c>y</p:c></p:r>');
go
select x.query('xs:integer("5")') as found from docs where k = 'b';
go
select x.query('xs:integer("x")') as found from docs where k = 'b';
go
select x.query('"5" cast as xs:integer ?') as found from docs where k = 'b';
select x.query('xs:decimal("1.50")') as found from docs where k = 'b';
select x.query('xs:boolean("1")') as found from docs where k = 'b';
select x.query('xs:boolean("false")') as found from docs where k = 'b';
select x.query('xs:date("2024-01-02")') as found from docs where k = 'b';
select x.query('xs:date("2024-01-02Z")') as found from docs where k = 'b';
select x.query('xs:time("10:11:12")') as found from docs where k = 'b';
select x.query('xs:dateTime("2024-01-02T10:11:12")') as found from docs where k = 'b';
go
select x.query('xs:gYear("2024")') as found from docs where k = 'b';
go
select x.query('xs:dayTimeDuration("P1D")') as found from docs where k = 'b';
go
select x.query('xs:integer("abc")') as found from docs where k = 'b';
go
select x.query('"5" cast as xs:integer') as found from docs where k = 'b';
go
select x.query('xs:integer(/r/a)') as found from docs where k = 'n';
go
select x.query('xs:integer((/r/a)[1])') as found from docs where k = 'n';
select x.query('5 instance of xs:integer') as found from docs where k = 'b';
select x.query('"a" instance of xs:string') as found from docs where k = 'b';
select x.query('"a" instance of xs:integer') as found from docs where k = 'b';
select x.query('(/r/a)[1] instance of element()') as found from docs where k = 'n';
go
select x.query('5 castable as xs:string') as found from docs where k = 'b';
go
select x.query('5 treat as xs:string') as found from docs where k = 'b';
go
select x.query('xs:foo("a")') as found from docs where k = 'b';
go
select x.query('"a" cast as xs:foo ?') as found from docs where k = 'b';
go
declare @i int = 7; select x.query('sql:variable("@i")') as found from docs where k = 'b';
go
declare @s nvarchar(20) = N'A'; select x.query('sql:variable("@s")') as found from docs where k = 'b';
go
declare @n int; select x.query('sql:variable("@n")') as found from docs where k = 'b';
go
declare @s nvarchar(20) = N'A'; select x.query('/books/book/title[. = sql:variable("@s")]') as found from docs where k = 'b';
go
declare @i int = 7; select x.query('/books/book[xs:integer(@id) = sql:variable("@i") - 5]/title') as found from docs where k = 'b';
go
declare @bit bit = 1; select x.query('sql:variable("@bit")') as found from docs where k = 'b';
go
declare @d date = '2024-01-02'; select x.query('sql:variable("@d")') as found from docs where k = 'b';
go
declare @f float = 1.5; select x.query('sql:variable("@f")') as found from docs where k = 'b';
go
declare @m money = 2.5; select x.query('sql:variable("@m")') as found from docs where k = 'b';
go
select x.query('sql:variable("@zz")') as found from docs where k = 'b';
go
select x.query('sql:variable("zz")') as found from docs where k = 'b';
go
declare @i int = 7; select x.query('sql:variable(@i)') as found from docs where k = 'b';
go
