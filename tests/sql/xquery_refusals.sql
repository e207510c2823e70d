-- What the static checks refuse: https://learn.microsoft.com/sql/xquery/xquery-language-reference-sql-server
create table docs (k char(1) primary key, x xml);
insert docs values ('b', '<books><book id="1" cat="x"><title>A</title><price>10.5</price><author>P</author><author>Q</author></book><book id="2" cat="y"><title>B</title><price>20</price><author>R</author></book><book id="3"><title/><price>5</price></book></books>');
insert docs values ('n', '<r><a>1</a><a>2</a><a>10</a><b>x</b><c/></r>');
insert docs values ('d', '<!--pre--><?pi data?><r a="1" b="two"><x>t1<y>t2</y>t3</x><!--in--><?go now?></r>');
insert docs values ('s', '<p:r xmlns:p="urn:p" xmlns="urn:d"><c p:k="v" k="w">z</c><p:c>y</p:c></p:r>');
go
select x.query('for $i in (1,2) return $nope') as found from docs where k = 'b';
go
select x.query('for $i as xs:integer in (1,2) return $i') as found from docs where k = 'b';
go
select x.query('for $i in (1,2) order by $i empty greatest return $i') as found from docs where k = 'b';
go
select x.query('for $i in (1,2) order by $i collation "x" return $i') as found from docs where k = 'b';
go
select x.query('for $i in (1,2) stable order by $i return $i') as found from docs where k = 'b';
go
select x.query('for $i in (1,2) $i') as found from docs where k = 'b';
go
select x.query('for $i in (1,2) where $i = 1 $i') as found from docs where k = 'b';
go
select x.query('for $i of (1,2) return $i') as found from docs where k = 'b';
go
select x.query('let $i = 1 return $i') as found from docs where k = 'b';
go
select x.query('some $i / (1,2) satisfies $i = 1') as found from docs where k = 'b';
go
select x.query('if (1=1) "a" else "b"') as found from docs where k = 'b';
go
select x.query('for $i in (1,2) return position()') as found from docs where k = 'b';
go
select x.query('position()') as found from docs where k = 'b';
go
select x.query('last()') as found from docs where k = 'b';
go
select x.query('/books["a"]') as found from docs where k = 'b';
go
select x.query('/books[string(.)]') as found from docs where k = 'b';
go
select x.query('/books/book[data(@id)]') as found from docs where k = 'b';
go
select x.query('contains("a")') as found from docs where k = 'b';
go
select x.query('count((1,2),3)') as found from docs where k = 'b';
go
select x.query('substring("a")') as found from docs where k = 'b';
go
select x.query('substring("a",1,2,3)') as found from docs where k = 'b';
go
select x.query('true(1)') as found from docs where k = 'b';
go
select x.query('/books[., .]') as found from docs where k = 'b';
go
select x.query('not(1)') as found from docs where k = 'b';
go
select x.query('1 and 2') as found from docs where k = 'b';
go
select x.query('for $i in (1,2) where "a" return $i') as found from docs where k = 'b';
go
select x.query('some $i in (1,2) satisfies 3') as found from docs where k = 'b';
go
select x.value('<a/>', 'int') as found from docs where k = 'b';
go
select x.exist('(<a/>)[. = 1]') as found from docs where k = 'b';
go
select x.query('comment {"a"}') as found from docs where k = 'b';
go
select x.query('processing-instruction p {"a"}') as found from docs where k = 'b';
go
select x.query('attribute a {1}') as found from docs where k = 'b';
go
select x.query('text {"a"}') as found from docs where k = 'b';
go
select x.query('string(<a>v1</a>)') as found from docs where k = 'b';
go
select x.query('data(<a>v1</a>)') as found from docs where k = 'b';
go
select x.query('q:foo(1)') as found from docs where k = 'b';
go
select x.query('/books/') as found from docs where k = 'b';
go
select x.query('/books//') as found from docs where k = 'b';
go
select x.query('/books[') as found from docs where k = 'b';
go
select x.query('(') as found from docs where k = 'b';
go
select x.query('(1') as found from docs where k = 'b';
go
select x.query(')') as found from docs where k = 'b';
go
select x.query('1 +') as found from docs where k = 'b';
go
select x.query('"abc') as found from docs where k = 'b';
go
select x.query('''abc') as found from docs where k = 'b';
go
select x.query('"-"') as found from docs where k = 'b';
select x.query('/r/@a != /r/@b') as found from docs where k = 'd';
select x.query('"01" != "1"') as found from docs where k = 'b';
select x.query('/r/a[. = 1] = "1"') as found from docs where k = 'n';
select x.query('<a x="1">{attribute y {2}}</a>') as found from docs where k = 'b';
go
select x.query('<a x="1">{attribute x {2}}</a>') as found from docs where k = 'b';
go
select x.query('<a x="1" x="2"/>') as found from docs where k = 'b';
go
select x.query('<a>{"<"}</a>') as found from docs where k = 'b';
select x.query('<a b="{''<"''}"/>') as found from docs where k = 'b';
select x.query('1e0') as found from docs where k = 'b';
select x.query('150e0 + 0') as found from docs where k = 'b';
select x.query('1 div 10') as found from docs where k = 'b';
select x.query('10 div 3') as found from docs where k = 'b';
select x.query('1e0 div 3') as found from docs where k = 'b';
go
