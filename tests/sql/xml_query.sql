-- XQuery over xml: https://learn.microsoft.com/sql/xquery/xquery-language-reference-sql-server
-- Paths: https://learn.microsoft.com/sql/xquery/path-expressions-xquery
declare @x xml = '<r a="1"><p id="10"><b>x</b><c>1</c></p><p id="20"><b>y</b><c>2</c><c>3</c></p><!--note--><?do it now?>end</r>';
select @x.query('/r/p') as child, @x.query('/r/p/b') as grand, @x.query('//c') as anywhere, @x.query('/r/p[2]/c[1]') as position;
select @x.query('/r/child::p/child::b/text()') as text_nodes, @x.query('//comment()') as comments, @x.query('//processing-instruction()') as instructions, @x.query('/r/processing-instruction(do)') as named, @x.query('/r/text()') as own;
select @x.query('/r/*') as any_element, @x.query('/r/node()') as any_node, @x.query('/*/*/*') as third, @x.query('/nothing') as none;
select @x.query('/r/p/c/..') as parents, @x.query('/descendant::c') as below, @x.query('/r/descendant-or-self::p') as self_or_below, @x.query('(//b)[2]') as second, @x.query('/r/p/b[1]') as firsts;
select @x.query('/r/p[@id="20"]/b') as by_attribute, @x.query('/r/p[@id=20]/b') as by_number, @x.query('/r/p[c=3]/b') as by_child, @x.query('/r/p[b]/c') as has, @x.query('/r/p[not(c=1)]/b') as has_not;
select @x.query('/r/p[last()]/b') as last_one, @x.query('/r/p[position()=1]/b') as first_one, @x.query('/r/p[position()>1]/b') as others, @x.query('/r/p[c][2]/b') as chained, @x.query('/r/self::r/@a/..') as up_again;
select @x.query('data(/r/@a)') as data_of, @x.query('data(/r/p/@id)') as list, @x.query('count(//c)') as counted, @x.query('string((/r/p)[1])') as string_of, @x.query('/r/p[@id]/b/text()') as existing;
go
-- https://learn.microsoft.com/sql/xquery/sequence-expressions-xquery
declare @x xml = '<r><a>1</a><a>2</a></r>';
select @x.query('(1, 2, 3)') as numbers, @x.query('(1, "a", 2.5)') as mixed, @x.query('()') as none, @x.query('(/r/a)[2], (/r/a)[1]') as nodes, @x.query('("a", (1, 2))') as flat;
select @x.query('(1,2,3)[2]') as filtered, @x.query('(1,2,3)[. > 1]') as by_value, @x.query('"quo""te"') as quoted, @x.query('"&lt;&#65;"') as entities;
go
-- https://learn.microsoft.com/sql/xquery/arithmetic-expressions-xquery
declare @x xml = '<r><a>7</a><b>2</b></r>';
select @x.query('1 + 2 * 3') as precedence, @x.query('(1 + 2) * 3') as parentheses, @x.query('7 div 2') as divided, @x.query('7 mod 2') as modulo, @x.query('-7 mod 4') as negative;
select @x.query('(/r/a)[1] + (/r/b)[1]') as untyped, @x.query('(/r/a)[1] * 1.5') as times, @x.query('2 div 3') as third, @x.query('1 div 0') as nothing, @x.query('1.5 + 1') as decimals, @x.query('1e2 + 1') as doubles, @x.query('-(1)') as minus;
go
-- https://learn.microsoft.com/sql/xquery/comparison-expressions-xquery
declare @x xml = '<r><a>1</a><a>2</a><b>2</b><b>3</b></r>';
select @x.query('/r/a = /r/b') as eq, @x.query('/r/a != /r/b') as ne, @x.query('/r/a < 1') as lt, @x.query('/r/a >= 2') as ge, @x.query('(/r/a)[1] eq "1"') as value_eq, @x.query('(/r/a)[1] lt (/r/b)[1]') as value_lt;
select @x.query('"a" = "a"') as texts, @x.query('"a" < "B"') as by_code, @x.query('1 = 1.0') as numbers, @x.query('(/r/a)[1] is (/r/a)[1]') as same, @x.query('(/r/a)[1] << (/r/b)[1]') as before, @x.query('(/r/a)[1] >> (/r/b)[1]') as after;
select @x.query('true() and false()') as anded, @x.query('true() or false()') as ored, @x.query('not(/r/c)') as negated, @x.query('/r/a = "2" and /r/b = "3"') as both;
go
-- https://learn.microsoft.com/sql/xquery/conditional-expressions-xquery and quantified-expressions-xquery
declare @x xml = '<r><a>1</a><a>2</a></r>';
select @x.query('if (/r/a = 2) then "yes" else "no"') as yes, @x.query('if (/r/b) then <b/> else <none/>') as no, @x.query('if (count(/r/a) > 1) then "many" else "one"') as many;
select @x.query('some $a in /r/a satisfies $a = 2') as some_are, @x.query('every $a in /r/a satisfies $a > 0') as all_are, @x.query('every $a in /r/a satisfies $a > 1') as not_all, @x.query('some $a in /r/none satisfies $a = 2') as none, @x.query('every $a in /r/none satisfies $a = 2') as all_of_none;
go
-- https://learn.microsoft.com/sql/xquery/flwor-statement-and-iteration-xquery
declare @x xml = '<r><p n="b"><v>2</v></p><p n="a"><v>10</v></p><p n="c"><v>1</v></p></r>';
select @x.query('for $p in /r/p return data($p/@n)') as plain, @x.query('for $p in /r/p order by $p/@n return data($p/@n)') as ordered, @x.query('for $p in /r/p order by $p/@n descending return data($p/@n)') as descending;
select @x.query('for $p in /r/p order by number(($p/v)[1]) return <v>{data($p/v)}</v>') as by_number, @x.query('for $p in /r/p where $p/v > 1 return $p/v') as filtered, @x.query('let $s := /r/p/v return count($s)') as let_it;
select @x.query('for $a in (1,2), $b in (10,20) return $a + $b') as nested, @x.query('for $p in /r/p for $v in $p/v return $v') as twice, @x.query('for $i in (3,1,2) order by $i return <i>{$i}</i>') as numbers;
select @x.query('<all>{ for $p in /r/p order by $p/@n return <p name="{data($p/@n)}">{ $p/v/text() }</p> }</all>') as built;
go
-- https://learn.microsoft.com/sql/xquery/xml-construction-xquery
declare @x xml = '<r a="1"><b>t</b></r>';
select @x.query('<new/>') as empty, @x.query('<new>text</new>') as with_text, @x.query('<new x="1" y="{data(/r/@a)}"/>') as attributes, @x.query('<new>{ /r/b }</new>') as nodes, @x.query('<new>{ 1, 2 }{ 3 }</new>') as atoms;
select @x.query('element out { "in" }') as computed, @x.query('element out { attribute k { 5 }, text { "v" } }') as with_attribute, @x.query('<o>{ text { "x" } }</o>') as text_of, @x.query('<!-- c -->') as comment, @x.query('<?p d?>') as instruction;
select @x.query('<a>  {1}  </a>') as boundary, @x.query('<a> x {1}</a>') as kept, @x.query('<a>{{}}</a>') as braces, @x.query('<a>&lt;</a>') as entity, @x.query('<e>{/r/@a}</e>') as hoisted, @x.query('<a><![CDATA[<x>]]></a>') as cdata;
go
-- Functions: https://learn.microsoft.com/sql/xquery/xquery-functions-against-the-xml-data-type
declare @x xml = '<r><v>3</v><v>1</v><v>2</v><s>Hello</s><s/></r>';
select @x.query('sum(/r/v)') as s, @x.query('avg(/r/v)') as a, @x.query('min(/r/v)') as mi, @x.query('max(/r/v)') as ma, @x.query('count(/r/v)') as c, @x.query('sum((1,2,3))') as si, @x.query('avg((1,2))') as ai;
select @x.query('round(2.5)') as r, @x.query('round(-2.5)') as rn, @x.query('floor(2.7)') as f, @x.query('ceiling(2.1)') as ce, @x.query('floor((/r/v)[1])') as fu, @x.query('number((/r/v)[1])') as n;
select @x.query('string((/r/s)[1])') as st, @x.query('concat("a", "b", (/r/s)[1])') as co, @x.query('contains((/r/s)[1], "ell")') as con, @x.query('substring("hello", 2, 3)') as su, @x.query('substring("hello", 3)') as su2, @x.query('string-length((/r/s)[1])') as le, @x.query('upper-case("abc")') as up, @x.query('lower-case("ABC")') as lo;
select @x.query('empty(/r/none)') as em, @x.query('not(true())') as no, @x.query('distinct-values((1, 2, 1, 3))') as di, @x.query('distinct-values(/r/v)') as dn, @x.query('local-name((/r/*)[1])') as ln, @x.query('namespace-uri((/r/*)[1])') as ns, @x.query('data(/r/v)') as d, @x.query('fn:count(/r/v)') as pf;
go
-- https://learn.microsoft.com/sql/xquery/type-casting-rules-in-xquery and constructor functions
declare @x xml = '<r><v>3</v></r>';
select @x.query('xs:integer("5") + 1') as i, @x.query('"7" cast as xs:int?') as c, @x.query('xs:decimal("1.50")') as d, @x.query('xs:double("1e20")') as db, @x.query('xs:boolean("1")') as b, @x.query('xs:string(5)') as s, @x.query('xs:integer((/r/v)[1])') as u, @x.query('xs:date("2024-01-02")') as dt;
select @x.query('5 instance of xs:integer?') as i, @x.query('"a" instance of xs:integer?') as n, @x.query('(/r/v)[1] instance of element()?') as e, @x.query('xs:integer(1.7)') as truncated, @x.query('data(/r/v)[1] cast as xs:double?') as dd;
go
-- Namespaces: https://learn.microsoft.com/sql/xquery/modules-and-prologs-xquery-prolog
declare @x xml = '<r xmlns="urn:d" xmlns:p="urn:p"><a>1</a><p:a k="1" p:k="2">2</p:a></r>';
select @x.query('declare namespace d="urn:d"; /d:r/d:a') as prefixed, @x.query('declare default element namespace "urn:d"; /r/a') as by_default, @x.query('/r') as unqualified;
select @x.query('declare namespace q="urn:p"; //q:a') as other_prefix, @x.query('//*:a') as any_namespace, @x.query('declare namespace q="urn:p"; //q:*') as any_local, @x.query('declare namespace q="urn:p"; data(//q:a/@q:k)') as attribute_of;
select @x.query('declare default element namespace "urn:d"; <b/>') as made, @x.query('declare namespace p="urn:p"; <p:b p:c="1"/>') as made_prefixed, @x.query('<b xmlns="urn:x"><c/></b>') as own, @x.value('declare namespace d="urn:d"; (/d:r/d:a)[1]', 'int') as v;
go
with xmlnamespaces ('urn:p' as p, default 'urn:d')
select cast('<r xmlns="urn:d" xmlns:p="urn:p"><a>1</a><p:a>2</p:a></r>' as xml).query('/r/a') as d, cast('<r xmlns="urn:d" xmlns:p="urn:p"><a>1</a><p:a>2</p:a></r>' as xml).value('(/r/p:a)[1]', 'int') as v;
go
-- sql:variable and sql:column: https://learn.microsoft.com/sql/xquery/xquery-extension-functions-sql-variable
declare @i int = 5, @s nvarchar(10) = N'x', @d decimal(5, 2) = 1.50, @f float = 1e10, @b bit = 1, @t datetime = '2020-01-02T03:04:05', @n int;
declare @x xml = '<r><a>5</a><a>6</a></r>';
select @x.query('sql:variable("@i")') as i, @x.query('<e s="{sql:variable("@s")}"/>') as s, @x.query('sql:variable("@d")') as d, @x.query('sql:variable("@f")') as f, @x.query('sql:variable("@b")') as b, @x.query('sql:variable("@t")') as t, @x.query('<n>{sql:variable("@n")}</n>') as n;
select @x.query('/r/a[. = sql:variable("@i")]') as found, @x.exist('/r/a[. = sql:variable("@n")]') as none, @x.query('(/r/a)[sql:variable("@i") - 3]') as at_position;
go
create table t (id int, k nvarchar(10), x xml);
insert t values (1, N'a', '<r><v k="a">1</v><v k="b">2</v></r>'), (2, N'b', '<r><v k="a">3</v><v k="b">4</v></r>'), (3, N'c', null);
select id, x.value('(/r/v[@k=sql:column("k")])[1]', 'int') as v, x.query('<o id="{sql:column("t.id")}"/>') as o, x.exist('/r/v[@k=sql:column("t.k")]') as e from t;
select t.id, t.x.value('count(/r/v)', 'int') as c, t.x.query('/r/v[1]') as q from t order by t.x.value('(/r/v)[1]', 'int') desc;
select id from t where x.exist('/r/v[. = 3]') = 1;
select x.value('(/r/v)[1]', 'int') as v, count(*) as n from t group by x.value('(/r/v)[1]', 'int') having max(x.value('(/r/v)[1]', 'int')) > 0;
select (select u.x.value('(/r/v)[2]', 'int') from t u where u.id = t.id) as s from t where x is not null;
go
