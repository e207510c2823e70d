-- What exist() and value() make of results: https://learn.microsoft.com/sql/t-sql/xml/value-method-xml-data-type and exist-method-xml-data-type
create table docs (k char(1) primary key, x xml);
insert docs values ('b', '<books><book id="1" cat="x"><title>A</title><price>10.5</price><author>P</author><author>Q</author></book><book id="2" cat="y"><title>B</title><price>20</price><author>R</author></book><book id="3"><title/><price>5</price></book></books>');
insert docs values ('n', '<r><a>1</a><a>2</a><a>10</a><b>x</b><c/></r>');
insert docs values ('d', '<!--pre--><?pi data?><r a="1" b="two"><x>t1<y>t2</y>t3</x><!--in--><?go now?></r>');
insert docs values ('s', '<p:r xmlns:p="urn:p" xmlns="urn:d"><c p:k="v" k="w">z</c><p:c>y</p:c></p:r>');
go
select x.exist('/books') as found from docs where k = 'b';
select x.exist('/none') as found from docs where k = 'b';
select x.exist('1 = 2') as found from docs where k = 'b';
select x.exist('false()') as found from docs where k = 'b';
select x.exist('()') as found from docs where k = 'b';
select x.exist('/books/book[@id="1"]') as found from docs where k = 'b';
select x.exist('/books/book[@id="9"]') as found from docs where k = 'b';
select x.exist('//title[. = "B"]') as found from docs where k = 'b';
select x.exist('/books/@*[1] or true()') as found from docs where k = 'b';
select x.value('(/books/book/title)[1]', 'varchar(10)') as found from docs where k = 'b';
select x.value('(/books/book/price)[1]', 'decimal(5,2)') as found from docs where k = 'b';
go
select x.value('/books/book/@id', 'int') as found from docs where k = 'b';
go
select x.value('(/books/book/@id)[1]', 'int') as found from docs where k = 'b';
select x.value('(/books/none)[1]', 'int') as found from docs where k = 'b';
go
select x.value('(/books/book/title)[1]', 'int') as found from docs where k = 'b';
go
select x.value('count(/books/book)', 'int') as found from docs where k = 'b';
select x.value('1 = 1', 'varchar(5)') as found from docs where k = 'b';
select x.value('1 = 1', 'bit') as found from docs where k = 'b';
go
select x.value('(/books)[1]', 'xml') as found from docs where k = 'b';
go
select x.value('(/books)[1]', 'foo') as found from docs where k = 'b';
go
select x.value('string(/books)', 'varchar(100)') as found from docs where k = 'b';
go
select x.value('(/books)[1]', 'varchar(100)') as found from docs where k = 'b';
select x.value('(/books/book/author)[1]', 'char(1)') as found from docs where k = 'b';
go
