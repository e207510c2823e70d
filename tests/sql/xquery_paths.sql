-- Steps, axes, tests and predicates: https://learn.microsoft.com/sql/xquery/path-expressions-xquery
create table docs (k char(1) primary key, x xml);
insert docs values ('b', '<books><book id="1" cat="x"><title>A</title><price>10.5</price><author>P</author><author>Q</author></book><book id="2" cat="y"><title>B</title><price>20</price><author>R</author></book><book id="3"><title/><price>5</price></book></books>');
insert docs values ('n', '<r><a>1</a><a>2</a><a>10</a><b>x</b><c/></r>');
insert docs values ('d', '<!--pre--><?pi data?><r a="1" b="two"><x>t1<y>t2</y>t3</x><!--in--><?go now?></r>');
insert docs values ('s', '<p:r xmlns:p="urn:p" xmlns="urn:d"><c p:k="v" k="w">z</c><p:c>y</p:c></p:r>');
go
select x.query('/books/book[2]/title') as found from docs where k = 'b';
select x.query('/books/book[last()]/title') as found from docs where k = 'b';
select x.query('/books/book[position()=2]/title') as found from docs where k = 'b';
select x.query('/books/book[position()<=2]/title') as found from docs where k = 'b';
select x.query('/books/book[last()-1]/title') as found from docs where k = 'b';
select x.query('(/books/book/title)[1]') as found from docs where k = 'b';
select x.query('/books/book/author[2]') as found from docs where k = 'b';
select x.query('(/books/book/author)[2]') as found from docs where k = 'b';
select x.query('/books/book[0]') as found from docs where k = 'b';
select x.query('/books/book[4]') as found from docs where k = 'b';
select x.query('/books/book/author[1]') as found from docs where k = 'b';
select x.query('/books/book[@id="2"]/title') as found from docs where k = 'b';
select x.query('/books/book[@id=2]/title') as found from docs where k = 'b';
select x.query('/books/book[@cat="x"]/title') as found from docs where k = 'b';
select x.query('/books/book[not(@cat)]/title') as found from docs where k = 'b';
select x.query('/books/book[@cat]/title') as found from docs where k = 'b';
select x.query('/books/book[price>15]/title') as found from docs where k = 'b';
select x.query('/books/book[author="Q"]/title') as found from docs where k = 'b';
select x.query('/books/book[count(author)=2]/title') as found from docs where k = 'b';
select x.query('/books/book[author][1]/title') as found from docs where k = 'b';
select x.query('/books/book[@cat="y" and price=20]/title') as found from docs where k = 'b';
select x.query('/books/book[@cat="y" or price=10.5]/title') as found from docs where k = 'b';
select x.query('/books/book/title[../price=10.5]') as found from docs where k = 'b';
select x.query('/books/book/title[. = "B"]') as found from docs where k = 'b';
select x.query('//title[text()="B"]') as found from docs where k = 'b';
select x.query('/books/book[1]/title/text()') as found from docs where k = 'b';
select x.query('/books/book[1]/title/node()') as found from docs where k = 'b';
select x.query('/r/x/child::y') as found from docs where k = 'd';
select x.query('/r/descendant::y') as found from docs where k = 'd';
select x.query('/r/descendant-or-self::*[local-name(.)="x" or local-name(.)="y"]') as found from docs where k = 'd';
select x.query('//y/parent::x') as found from docs where k = 'd';
select x.query('//y/..') as found from docs where k = 'd';
select x.query('//y/parent::z') as found from docs where k = 'd';
select x.query('/r/x/text()') as found from docs where k = 'd';
select x.query('//x//text()') as found from docs where k = 'd';
select x.query('/r/comment()') as found from docs where k = 'd';
select x.query('//comment()') as found from docs where k = 'd';
select x.query('/r/processing-instruction()') as found from docs where k = 'd';
select x.query('//processing-instruction(go)') as found from docs where k = 'd';
select x.query('/processing-instruction("pi")') as found from docs where k = 'd';
select x.query('data(/r/attribute::a)') as found from docs where k = 'd';
select x.query('data(/r/@*)') as found from docs where k = 'd';
select x.query('/r/x/self::x/y') as found from docs where k = 'd';
go
select x.query('/r/following-sibling::x') as found from docs where k = 'd';
go
select x.query('/r/x/preceding::x') as found from docs where k = 'd';
go
select x.query('/r/x/ancestor::r') as found from docs where k = 'd';
go
select x.query('/r/@a') as found from docs where k = 'd';
go
select x.query('//@*') as found from docs where k = 'd';
go
select x.query('declare default element namespace "urn:d"; declare namespace p="urn:p"; /p:r/c/text()') as found from docs where k = 's';
select x.query('declare namespace q="urn:p"; /q:r/q:c/text()') as found from docs where k = 's';
select x.query('declare namespace q="urn:p"; data(/q:r/*/@q:k)') as found from docs where k = 's';
select x.query('declare namespace q="urn:p"; data(/q:r/*/@k)') as found from docs where k = 's';
select x.query('/*:r/*:c/text()') as found from docs where k = 's';
go
select x.query('/zz:r') as found from docs where k = 's';
go
select x.query('declare namespace q="urn:q"; /q:r') as found from docs where k = 's';
go
