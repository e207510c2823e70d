-- modify(): insert, delete and replace value of: https://learn.microsoft.com/sql/t-sql/xml/xml-data-modification-language-xml-dml
create table docs (k char(1) primary key, x xml);
insert docs values ('b', '<books><book id="1" cat="x"><title>A</title><price>10.5</price><author>P</author><author>Q</author></book><book id="2" cat="y"><title>B</title><price>20</price><author>R</author></book><book id="3"><title/><price>5</price></book></books>');
insert docs values ('n', '<r><a>1</a><a>2</a><a>10</a><b>x</b><c/></r>');
insert docs values ('d', '<!--pre--><?pi data?><r a="1" b="two"><x>t1<y>t2</y>t3</x><!--in--><?go now?></r>');
insert docs values ('s', '<p:r xmlns:p="urn:p" xmlns="urn:d"><c p:k="v" k="w">z</c><p:c>y</p:c></p:r>');
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <a>{<b/>}</a> into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> as first into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> as last into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> before (/r/b)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> after (/r/b)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert (<z/>,<y/>) into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert attribute k {"v"} into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'), @i int = 7; set @x.modify('insert attribute k {sql:variable("@i")} into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert text {"t"} into (/r/c)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <!--n--> into (/r/c)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <?p d?> into (/r/c)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> into /r/a'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> into (/r/b/text())[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert 1 into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert attribute k {"v"} after (/r/b)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('delete /r/a'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('delete /r/a[2]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('delete /r/b/text()'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('delete /r'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('delete /*'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'd'); set @x.modify('delete (/r/@a, //comment(), //processing-instruction())'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/b/text())[1] with "new"'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/a/text())[1] with 9'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'd'); set @x.modify('replace value of (/r/@a)[1] with "7"'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/none/text())[1] with "new"'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of /r/a/text() with 1'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/b)[1] with 1'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/a/text())[1] with (1,2)'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/a/text())[1] with (if (count(/r/a)>2) then "big" else "small")'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('update /r'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <a/>'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('delete'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert sql:variable("@x") into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'b'); set @x.modify('insert <b/>'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('/r'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('count(/r)'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('<a/>'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('('); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert "abc" into (/r/a)'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert "abc" into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'd'); set @x.modify('insert <b/> before (/r/@a)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'd'); set @x.modify('insert <b/> before /'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('delete .'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('delete 1'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/b/text())[1] with <a/>'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/b/text())[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'd'); set @x.modify('insert attribute a {"9"} into (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/a)[1]/text() with "x"'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of /r/a[1]/text() with "x"'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> after (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> before (/r)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert <z/> into (/)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('replace value of (/r/b/text())[1] with ""'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert element n {"a","b"} into (/r/c)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert text {count(/r/a)} into (/r/c)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify('insert /r/b into (/r/c)[1]'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'd'); set @x.modify('delete (/comment(), /processing-instruction(), (/r/zz))'); select @x as changed;
go
declare @x xml = (select x from docs where k = 'n'); set @x.modify(''); select @x as changed;
go
