-- FLWOR, conditions and quantifiers: https://learn.microsoft.com/sql/xquery/flwor-statement-and-iteration-xquery, conditional-expressions-xquery and quantified-expressions-xquery
create table docs (k char(1) primary key, x xml);
insert docs values ('b', '<books><book id="1" cat="x"><title>A</title><price>10.5</price><author>P</author><author>Q</author></book><book id="2" cat="y"><title>B</title><price>20</price><author>R</author></book><book id="3"><title/><price>5</price></book></books>');
insert docs values ('n', '<r><a>1</a><a>2</a><a>10</a><b>x</b><c/></r>');
insert docs values ('d', '<!--pre--><?pi data?><r a="1" b="two"><x>t1<y>t2</y>t3</x><!--in--><?go now?></r>');
insert docs values ('s', '<p:r xmlns:p="urn:p" xmlns="urn:d"><c p:k="v" k="w">z</c><p:c>y</p:c></p:r>');
go
select x.query('for $b in /books/book return <t>{data($b/title)}</t>') as found from docs where k = 'b';
select x.query('for $i in (1,2,3) order by $i descending return $i') as found from docs where k = 'b';
select x.query('for $b in /books/book order by number(($b/price)[1]) return data($b/price)') as found from docs where k = 'b';
select x.query('for $b in /books/book order by ($b/price)[1] return data($b/price)') as found from docs where k = 'b';
go
select x.query('for $b in /books/book order by $b/price return data($b/price)') as found from docs where k = 'b';
go
select x.query('for $b in /books/book where $b/price > 15 return data($b/@id)') as found from docs where k = 'b';
select x.query('let $s := sum((1,2,3)) return $s') as found from docs where k = 'b';
select x.query('for $a in (10,20), $b in (1,2) return $a + $b') as found from docs where k = 'b';
select x.query('for $a in (1,2,3) let $b := $a return $b') as found from docs where k = 'b';
select x.query('for $a in (1,2,3) where $a != 2 return $a') as found from docs where k = 'b';
select x.query('for $a in (1,2,3) where $a != 2 order by $a descending return $a') as found from docs where k = 'b';
select x.query('<r>{for $a in (/r/a)[1] return $a}</r>') as found from docs where k = 'n';
select x.query('for $a in (1,2) return ($a,$a)') as found from docs where k = 'b';
go
select x.query('return 1') as found from docs where k = 'b';
go
select x.query('for $a in (1,2) return $zz') as found from docs where k = 'b';
go
select x.query('for a in (1,2) return 1') as found from docs where k = 'b';
go
select x.query('for $a at $p in ("x","y") return $p') as found from docs where k = 'b';
go
select x.query('for $m in (1,10) for $a in (1,2,3) return $a*$m') as found from docs where k = 'b';
select x.query('for $t in /books/book/title where string($t) != "" order by $t return data($t)') as found from docs where k = 'b';
select x.query('for $t in /books/book/title where string($t) != "" order by $t descending return data($t)') as found from docs where k = 'b';
go
select x.query('for $t in /books/book/title[. != ""] order by string($t) descending empty least return string($t)') as found from docs where k = 'b';
go
select x.query('for $b in /books/book, $a in $b/author return concat(string($a),":",string($b/@id))') as found from docs where k = 'b';
select x.query('for $b in /books/book[1] return concat(string(($b/title)[1]),"-",string(($b/author)[1]),",",string(($b/author)[2]))') as found from docs where k = 'b';
select x.query('if (1 = 1) then "yes" else "no"') as found from docs where k = 'b';
select x.query('if (/none) then "yes" else "no"') as found from docs where k = 'b';
select x.query('if (/books) then "yes" else "no"') as found from docs where k = 'b';
go
select x.query('if (1) then 1 else 2') as found from docs where k = 'b';
go
select x.query('if ("a") then 1 else 2') as found from docs where k = 'b';
go
select x.query('if (1=1) then 1') as found from docs where k = 'b';
go
select x.query('if (1=1) then 1 else ()') as found from docs where k = 'b';
select x.query('some $x in (1,2) satisfies $x = 2') as found from docs where k = 'b';
select x.query('every $x in (1,2) satisfies $x = 2') as found from docs where k = 'b';
select x.query('every $x in (1,2), $y in (1,2) satisfies $x + $y > 1') as found from docs where k = 'b';
select x.query('some $x in /r/a, $y in /r/b satisfies $x != $y') as found from docs where k = 'n';
select x.query('some $x in () satisfies $x = 1') as found from docs where k = 'b';
go
