-- What XQuery refuses, before anything runs: texts as in
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-2000-to-2999 and -9000-to-9999
create table q (n int identity, method varchar(6), text nvarchar(200));
insert q values ('value', N'/r/a'), ('value', N'/r/a[1]'), ('value', N'/r/a[@x="1"]'), ('value', N'for $i in /r/a return $i'), ('value', N'for $i in /r/a return "x"'), ('value', N'(1, 2)'), ('value', N'<a/>'),
 ('query', N'string(/r/a)'), ('query', N'/r/p[b eq 1]'), ('query', N'/r/a + 1'), ('query', N'contains(/r/a, "x")'), ('query', N'for $i in /r/a order by $i/b return $i'), ('query', N'let $i := /r/a return string($i)'),
 ('query', N'/r/a["x"]'), ('query', N'/r/a[string(@x)]'), ('query', N'if (1) then 2 else 3'), ('query', N'not("x")'), ('query', N'1 and 2'),
 ('query', N'("a", /r/a)'), ('query', N'if (/r) then 1 else /r'), ('query', N'"a" = 1'), ('query', N'1 + "a"'), ('query', N'true() + 1'),
 ('query', N'/r/@a'), ('query', N'attribute x {1}'), ('query', N'/r/a, /r/@a'), ('query', N'$x'), ('query', N'p:a'), ('query', N'foo()'), ('query', N'starts-with("a", "b")'), ('query', N'contains("a")'), ('query', N'count(1, 2)'),
 ('query', N'position()'), ('query', N'last()'), ('query', N'count(<a/>)'), ('query', N'<a/>/b'), ('query', N'number("1")'), ('query', N'upper-case(1)'), ('query', N'substring("a", "b")'),
 ('query', N'xs:integer("abc")'), ('query', N'"300" cast as xs:byte?'), ('query', N'xs:integer(/r/a)'), ('query', N'1 cast as xs:integer'), ('query', N'1 cast as xs:nosuch?'), ('query', N'xs:nosuch(1)'), ('query', N'id("a")'),
 ('query', N'/r/ancestor::a'), ('query', N'/r/following-sibling::a'), ('query', N'/r/namespace::a'), ('query', N'1 to 3'), ('query', N'/r/a | /r/b'), ('query', N'/r/a union /r/b'), ('query', N'/r/a except /r/b'), ('query', N'1 idiv 2'), ('query', N'1 castable as xs:int?'), ('query', N'1 treat as xs:int'), ('query', N'typeswitch (1) case xs:int return 1 default return 2'),
 ('query', N'for $i at $p in /r return $i'), ('query', N'for $i as xs:int in /r return $i'), ('query', N'for $i in /r order by $i empty least return $i'), ('query', N'for $i in /r $i'), ('query', N'for $i /r return $i'), ('query', N'let $i = 1 return $i'), ('query', N'for $i in /r where 1 = 1 $i'), ('query', N'if (1=1) 2 else 3'), ('query', N'some $a in /r 1'),
 ('query', N'/r['), ('query', N'/r[1'), ('query', N'/r/'), ('query', N'/r/a[., .]'), ('query', N')'), ('query', N'1 2'), ('query', N'"abc'), ('query', N'(: never'), ('query', N'"&nope;"'), ('query', N'"&amp"'), ('query', N'"&#zz;"'), ('query', N'"a & b"'), ('query', N'1x'),
 ('query', N'<a></b>'), ('query', N'<a>'), ('query', N'<a b="1" b="2"/>'), ('query', N'<a b="x{1}"/>'), ('query', N'<a>}</a>'), ('query', N'element {"a"} {1}'), ('query', N'attribute xmlns {1}'), ('query', N'comment {"a"}'), ('query', N'processing-instruction a {"b"}'), ('query', N'<!-- a -- b -->'), ('query', N'<?xml a?>'),
 ('query', N'declare namespace p="u" /r'), ('query', N'declare function f() {1}; 1'), ('query', N'declare boundary-space strip; 1'), ('query', N''), ('query', N'sql:variable("x")'), ('query', N'sql:variable("@nope")'), ('query', N'sql:variable(1)'), ('query', N'sql:nope("a")'), ('query', N'sql:column("nope")'),
 ('exist', N'/r/a[. eq 1][2] eq 1'), ('nodes', N'1'), ('nodes', N'<a/>'), ('nodes', N'data(/r)');
declare @method varchar(6), @text nvarchar(200), @sql nvarchar(max);
declare c cursor local for select method, text from q order by n;
open c;
fetch c into @method, @text;
while @@fetch_status = 0
begin
    set @sql = N'declare @x xml = ''<r><a>1</a></r>''; '
        + case @method when 'nodes' then N'select count(*) as n from @x.nodes(''' + @text + N''') as n(c);'
          when 'value' then N'select @x.value(''' + @text + N''', ''int'') as v;'
          else N'select @x.' + @method + N'(''' + @text + N''') as v;' end;
    begin try
        exec (@sql);
        print concat(@method, ' ', @text, ' was taken');
    end try
    begin catch
        if xact_state() <> 0 rollback;
        print concat(@method, ' ', @text, ': ', error_number(), ', ', error_severity(), ', ', error_state(), ' ', error_message());
    end catch;
    fetch c into @method, @text;
end;
go
-- The receiver is named.
create table t (id int, x xml);
go
select x.value('/r/a', 'int') from t;
go
select a.x.value('/r/a', 'int') from dbo.t a;
go
select dbo.t.x.value('/r/a', 'int') from dbo.t;
go
select t.x.value('/r/a', 'int') from dbo.t;
go
select n.c.value('a', 'int') from t cross apply t.x.nodes('/r') as n(c);
go
update t set x.modify('insert 1 into (/r)[1]');
go
-- Nothing of the batch runs.
print 'not shown';
select x.value('/r/a', 'int') from t;
go
-- Nesting is bounded.
declare @q nvarchar(max) = replicate(N'(', 60) + N'1' + replicate(N')', 60);
declare @sql nvarchar(max) = N'declare @x xml = ''<r/>''; select @x.query(''' + @q + N''')';
exec (@sql);
set @q = replicate(N'(', 20) + N'1' + replicate(N')', 20);
set @sql = N'declare @x xml = ''<r/>''; select @x.query(''' + @q + N''') as deep';
exec (@sql);
set @q = replicate(N'<a>{', 11) + N'1' + replicate(N'}</a>', 11);
set @sql = N'declare @x xml = ''<r/>''; select @x.query(''' + @q + N''') as deep';
exec (@sql);
go
