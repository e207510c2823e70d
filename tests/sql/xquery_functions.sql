-- Functions of XQuery over untyped xml: https://learn.microsoft.com/sql/xquery/xquery-functions-against-the-xml-data-type
create table docs (k char(1) primary key, x xml);
insert docs values ('b', '<books><book id="1" cat="x"><title>A</title><price>10.5</price><author>P</author><author>Q</author></book><book id="2" cat="y"><title>B</title><price>20</price><author>R</author></book><book id="3"><title/><price>5</price></book></books>');
insert docs values ('n', '<r><a>1</a><a>2</a><a>10</a><b>x</b><c/></r>');
insert docs values ('d', '<!--pre--><?pi data?><r a="1" b="two"><x>t1<y>t2</y>t3</x><!--in--><?go now?></r>');
insert docs values ('s', '<p:r xmlns:p="urn:p" xmlns="urn:d"><c p:k="v" k="w">z</c><p:c>y</p:c></p:r>');
go
select x.query('string((/books/book/title)[1])') as found from docs where k = 'b';
select x.query('string((/books/book/title)[3])') as found from docs where k = 'b';
select x.query('string-length("abc")') as found from docs where k = 'b';
select x.query('string-length("")') as found from docs where k = 'b';
select x.query('substring("abc",2)') as found from docs where k = 'b';
select x.query('substring("abc",2,1)') as found from docs where k = 'b';
select x.query('substring("abc",0,3)') as found from docs where k = 'b';
select x.query('substring("abc",-1)') as found from docs where k = 'b';
select x.query('substring("abc",5)') as found from docs where k = 'b';
select x.query('substring("abc",1.5)') as found from docs where k = 'b';
select x.query('substring("abc",1.5,1)') as found from docs where k = 'b';
select x.query('contains("abc","b")') as found from docs where k = 'b';
select x.query('contains("abc","")') as found from docs where k = 'b';
select x.query('contains("abc","B")') as found from docs where k = 'b';
select x.query('concat("a","b","c")') as found from docs where k = 'b';
select x.query('concat("a",())') as found from docs where k = 'b';
go
select x.query('concat("a")') as found from docs where k = 'b';
go
select x.query('upper-case("abc")') as found from docs where k = 'b';
select x.query('lower-case("ABC")') as found from docs where k = 'b';
select x.query('upper-case("aé")') as found from docs where k = 'b';
go
select x.query('starts-with("a","b")') as found from docs where k = 'b';
go
select x.query('ends-with("a","b")') as found from docs where k = 'b';
go
select x.query('normalize-space("a")') as found from docs where k = 'b';
go
select x.query('translate("a","b","c")') as found from docs where k = 'b';
go
select x.query('substring-before("a","b")') as found from docs where k = 'b';
go
select x.query('matches("a","b")') as found from docs where k = 'b';
go
select x.query('replace("a","b","c")') as found from docs where k = 'b';
go
select x.query('tokenize("a","b")') as found from docs where k = 'b';
go
select x.query('exists(/books)') as found from docs where k = 'b';
go
select x.query('abs(1)') as found from docs where k = 'b';
go
select x.query('string-join(("a","b"),",")') as found from docs where k = 'b';
go
select x.query('reverse((1,2))') as found from docs where k = 'b';
go
select x.query('name(/books[1])') as found from docs where k = 'b';
go
select x.query('current-dateTime()') as found from docs where k = 'b';
go
select x.query('index-of((1,2),1)') as found from docs where k = 'b';
go
select x.query('ceiling(2.1)') as found from docs where k = 'b';
select x.query('floor(2.9)') as found from docs where k = 'b';
select x.query('floor(-2.1)') as found from docs where k = 'b';
select x.query('ceiling(-2.9)') as found from docs where k = 'b';
select x.query('round(2.5)') as found from docs where k = 'b';
select x.query('round(-2.5)') as found from docs where k = 'b';
select x.query('round(0.5)') as found from docs where k = 'b';
select x.query('round(-0.5)') as found from docs where k = 'b';
select x.query('floor(())') as found from docs where k = 'b';
select x.query('count(/books/book)') as found from docs where k = 'b';
select x.query('count(/books/none)') as found from docs where k = 'b';
select x.query('count((1,2,3))') as found from docs where k = 'b';
select x.query('sum(/books/book/price)') as found from docs where k = 'b';
select x.query('sum((1,2,3))') as found from docs where k = 'b';
select x.query('sum(())') as found from docs where k = 'b';
select x.query('avg((1,2,3))') as found from docs where k = 'b';
select x.query('avg((1,2))') as found from docs where k = 'b';
select x.query('min(/books/book/price)') as found from docs where k = 'b';
select x.query('max(/books/book/price)') as found from docs where k = 'b';
select x.query('max(/r/a)') as found from docs where k = 'n';
select x.query('min((3,1,2))') as found from docs where k = 'b';
select x.query('max(("a","c","b"))') as found from docs where k = 'b';
go
select x.query('sum(("a","b"))') as found from docs where k = 'b';
go
select x.query('empty(/books/none)') as found from docs where k = 'b';
select x.query('empty(/books)') as found from docs where k = 'b';
select x.query('empty(())') as found from docs where k = 'b';
select x.query('not(())') as found from docs where k = 'b';
select x.query('not(/books)') as found from docs where k = 'b';
select x.query('true()') as found from docs where k = 'b';
select x.query('false()') as found from docs where k = 'b';
select x.query('data(/books/book/@id)') as found from docs where k = 'b';
select x.query('data((/books/book/title)[1])') as found from docs where k = 'b';
select x.query('distinct-values(/r/a)') as found from docs where k = 'n';
select x.query('distinct-values((1,2,1))') as found from docs where k = 'b';
select x.query('distinct-values(("a","b","a"))') as found from docs where k = 'b';
select x.query('local-name((/r/x)[1])') as found from docs where k = 'd';
select x.query('local-name((/*)[1])') as found from docs where k = 's';
select x.query('namespace-uri((/*)[1])') as found from docs where k = 's';
select x.query('namespace-uri((/r)[1])') as found from docs where k = 'd';
select x.query('local-name(())') as found from docs where k = 'd';
select x.query('local-name((/r/processing-instruction())[1])') as found from docs where k = 'd';
select x.query('local-name((/r/comment())[1])') as found from docs where k = 'd';
select x.query('number((/books/book/price)[1])') as found from docs where k = 'b';
select x.query('number((/books/book/title)[1])') as found from docs where k = 'b';
go
