-- Constructors and sequences: https://learn.microsoft.com/sql/xquery/xml-construction-xquery and sequence-expressions-xquery
create table docs (k char(1) primary key, x xml);
insert docs values ('b', '<books><book id="1" cat="x"><title>A</title><price>10.5</price><author>P</author><author>Q</author></book><book id="2" cat="y"><title>B</title><price>20</price><author>R</author></book><book id="3"><title/><price>5</price></book></books>');
insert docs values ('n', '<r><a>1</a><a>2</a><a>10</a><b>x</b><c/></r>');
insert docs values ('d', '<!--pre--><?pi data?><r a="1" b="two"><x>t1<y>t2</y>t3</x><!--in--><?go now?></r>');
insert docs values ('s', '<p:r xmlns:p="urn:p" xmlns="urn:d"><c p:k="v" k="w">z</c><p:c>y</p:c></p:r>');
go
select x.query('<a x="1"/>') as found from docs where k = 'b';
select x.query('<a x="{(1,2)}"/>') as found from docs where k = 'b';
go
select x.query('<a x="v{1}w"/>') as found from docs where k = 'b';
go
select x.query('<a>{1,2}</a>') as found from docs where k = 'b';
select x.query('<a>{1}{2}</a>') as found from docs where k = 'b';
select x.query('<a>x{1}y</a>') as found from docs where k = 'b';
select x.query('<a> <b/> </a>') as found from docs where k = 'b';
select x.query('<a> x </a>') as found from docs where k = 'b';
select x.query('<a>{{}}</a>') as found from docs where k = 'b';
select x.query('<a>&lt;&amp;&gt;</a>') as found from docs where k = 'b';
select x.query('<a>&#65;</a>') as found from docs where k = 'b';
select x.query('<a><![CDATA[<x>]]></a>') as found from docs where k = 'b';
select x.query('<a><!--c--></a>') as found from docs where k = 'b';
select x.query('<a><?t d?></a>') as found from docs where k = 'b';
select x.query('<a>{/books/book[1]/@cat}</a>') as found from docs where k = 'b';
select x.query('<a>{/books/book[1]/@*}z</a>') as found from docs where k = 'b';
select x.query('element a {}') as found from docs where k = 'b';
select x.query('element a {1}') as found from docs where k = 'b';
select x.query('element a {attribute k {5}}') as found from docs where k = 'b';
go
select x.query('element a {attribute k {5}, "t"}') as found from docs where k = 'b';
go
select x.query('element a {attribute k {5}, text {"t"}}') as found from docs where k = 'b';
select x.query('element a {element b {1}}') as found from docs where k = 'b';
go
select x.query('<a></b>') as found from docs where k = 'b';
go
select x.query('<a') as found from docs where k = 'b';
go
select x.query('element {"a"} {1}') as found from docs where k = 'b';
go
select x.query('declare namespace x="urn:x"; <x:a/>') as found from docs where k = 'b';
select x.query('<a xmlns="urn:x"><b/></a>') as found from docs where k = 'b';
select x.query('<a xmlns:x="urn:x"><x:b/></a>') as found from docs where k = 'b';
select x.query('declare default element namespace "urn:d"; <a/>') as found from docs where k = 'b';
select x.query('<a>{1.5}</a>') as found from docs where k = 'b';
select x.query('<a>{true()}</a>') as found from docs where k = 'b';
select x.query('<a>{1e10}</a>') as found from docs where k = 'b';
select x.query('<a>{string((/books/book/title)[1])}</a>') as found from docs where k = 'b';
select x.query('<a>{(/books/book/title)[1]}</a>') as found from docs where k = 'b';
go
select x.query('(<a/>, "b")') as found from docs where k = 'b';
go
select x.query('(/books, 1)') as found from docs where k = 'b';
go
select x.query('()') as found from docs where k = 'b';
select x.query('(1,2)') as found from docs where k = 'b';
select x.query('(1,(2,3))') as found from docs where k = 'b';
select x.query('(1,())') as found from docs where k = 'b';
select x.query('(1,2,3)[2]') as found from docs where k = 'b';
select x.query('(1,2,3)[. > 1]') as found from docs where k = 'b';
select x.query('"a"') as found from docs where k = 'b';
select x.query('"a""b"') as found from docs where k = 'b';
select x.query('''a''''b''') as found from docs where k = 'b';
go
select x.query('1 to 3') as found from docs where k = 'b';
go
select x.query('/books | /r') as found from docs where k = 'b';
go
select x.query('/books union /r') as found from docs where k = 'b';
go
select x.query('/books intersect /r') as found from docs where k = 'b';
go
