-- Constructor functions: every type that the page lists, of constants and of nodes. https://learn.microsoft.com/sql/xquery/constructor-functions-xquery
-- A string that is no value of the type is told before the query runs, another constant gives nothing.
create table docs (x xml);
insert docs values ('<r><a>1</a><a>2</a><b k="7">x</b><d>2024-05-06T10:00:00Z</d><d>2024-05-06T11:00:00+01:00</d></r>');
go
select x.query('xs:gYear("2024")') as found from docs;
select x.query('xs:gYearMonth("2024-05")') as found from docs;
select x.query('xs:gMonthDay("--05-06")') as found from docs;
select x.query('xs:gDay("---07")') as found from docs;
select x.query('xs:gMonth("--07")') as found from docs;
select x.query('xs:duration("P1Y2M3DT4H5M6S")') as found from docs;
select x.query('xs:hexBinary("0aFF")') as found from docs;
select x.query('xs:base64Binary("YW Jj")') as found from docs;
select x.query('<a>{xs:normalizedString("a	b")}</a>') as found from docs;
select x.query('<a>{xs:token("  a   b ")}</a>') as found from docs;
select x.query('xs:language("en-US")') as found from docs;
select x.query('xs:Name("a:b")') as found from docs;
select x.query('xs:NCName("ab")') as found from docs;
select x.query('xs:ID("i")') as found from docs;
select x.query('xs:IDREF("i")') as found from docs;
select x.query('xs:ENTITY("e")') as found from docs;
select x.query('xs:string(())') as found from docs;
select x.query('"2024" cast as xs:gYear ?') as found from docs;
select x.query('xs:short(70000)') as found from docs;
select x.query('xs:double((/r/b)[1])') as found from docs;
go
select x.query('xs:short("70000")') as found from docs;
go
select x.query('xs:NCName("a:b")') as found from docs;
go
select x.query('xs:language("englishes-")') as found from docs;
go
select x.query('xs:gMonth("13")') as found from docs;
go
select x.query('xs:date("2024-02-30")') as found from docs;
go
select x.query('xs:QName("a")') as found from docs;
go
select x.query('xs:NMTOKEN("a")') as found from docs;
go
select x.query('xdt:dayTimeDuration("P1D")') as found from docs;
go
-- Moments compare as moments, not as texts.
select x.query('xs:dateTime((/r/d)[1]) = xs:dateTime((/r/d)[2])') as found from docs;
select x.query('xs:dateTime("2024-05-06T10:30:00Z") < xs:dateTime("2024-05-06T11:00:00+01:00")') as found from docs;
select x.query('xs:duration("P1Y") = xs:duration("P12M")') as found from docs;
select x.query('/r/d[. = xs:dateTime("2024-05-06T10:00:00Z")]') as found from docs;
select x.query('xs:hexBinary("0a") = xs:hexBinary("0A")') as found from docs;
select x.query('max((xs:date("2024-01-02"), xs:date("2023-12-31")))') as found from docs;
go
select x.query('xs:date("2024-05-06") = xs:dateTime("2024-05-06T00:00:00")') as found from docs;
go
