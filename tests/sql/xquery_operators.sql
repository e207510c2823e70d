-- Operators: arithmetic and comparisons: https://learn.microsoft.com/sql/xquery/comparison-expressions-xquery and arithmetic-expressions-xquery
create table docs (k char(1) primary key, x xml);
insert docs values ('b', '<books><book id="1" cat="x"><title>A</title><price>10.5</price><author>P</author><author>Q</author></book><book id="2" cat="y"><title>B</title><price>20</price><author>R</author></book><book id="3"><title/><price>5</price></book></books>');
insert docs values ('n', '<r><a>1</a><a>2</a><a>10</a><b>x</b><c/></r>');
insert docs values ('d', '<!--pre--><?pi data?><r a="1" b="two"><x>t1<y>t2</y>t3</x><!--in--><?go now?></r>');
insert docs values ('s', '<p:r xmlns:p="urn:p" xmlns="urn:d"><c p:k="v" k="w">z</c><p:c>y</p:c></p:r>');
go
select x.query('1+2') as found from docs where k = 'b';
select x.query('1 - 2') as found from docs where k = 'b';
select x.query('7 mod 5') as found from docs where k = 'b';
select x.query('7 div 5') as found from docs where k = 'b';
select x.query('7 div 2') as found from docs where k = 'b';
select x.query('2*3') as found from docs where k = 'b';
select x.query('-3') as found from docs where k = 'b';
select x.query('10 mod 3') as found from docs where k = 'b';
select x.query('-10 mod 3') as found from docs where k = 'b';
select x.query('1.5 + 1') as found from docs where k = 'b';
select x.query('(/r/a)[1] + 2') as found from docs where k = 'n';
go
select x.query('/r/a + 2') as found from docs where k = 'n';
go
select x.query('(/r/none)[1] + 2') as found from docs where k = 'n';
go
select x.query('7 idiv 2') as found from docs where k = 'b';
go
select x.query('"a" + 1') as found from docs where k = 'b';
go
select x.query('1 div 0') as found from docs where k = 'b';
select x.query('1e0 div 0') as found from docs where k = 'b';
select x.query('1 = 1') as found from docs where k = 'b';
select x.query('(1,2) = (2,3)') as found from docs where k = 'b';
select x.query('(1,2) != (1,2)') as found from docs where k = 'b';
select x.query('() = 1') as found from docs where k = 'b';
select x.query('() eq 1') as found from docs where k = 'b';
select x.query('1 eq 1') as found from docs where k = 'b';
select x.query('"a" lt "b"') as found from docs where k = 'b';
select x.query('/r/a = 2') as found from docs where k = 'n';
select x.query('/r/a > 5') as found from docs where k = 'n';
select x.query('/r/a > 50') as found from docs where k = 'n';
go
select x.query('/r/a eq "1"') as found from docs where k = 'n';
go
select x.query('(/r/a)[1] eq "1"') as found from docs where k = 'n';
select x.query('(/r/a)[1] eq 1') as found from docs where k = 'n';
select x.query('(/r/a)[1] = 1') as found from docs where k = 'n';
select x.query('(/r/a)[1] is (/r/a)[1]') as found from docs where k = 'n';
select x.query('(/r/a)[1] is (/r/a)[2]') as found from docs where k = 'n';
select x.query('(/r/a)[1] << (/r/a)[2]') as found from docs where k = 'n';
select x.query('(/r/a)[1] >> (/r/a)[2]') as found from docs where k = 'n';
go
select x.query('/r/a is (/r/a)[1]') as found from docs where k = 'n';
go
select x.query('1 = "a"') as found from docs where k = 'b';
go
select x.query('true() = 1') as found from docs where k = 'b';
go
