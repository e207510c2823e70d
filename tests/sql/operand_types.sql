-- Which types meet under an operator, in a comparison and in one result; what the others are refused by, and which of them is named first.
-- https://learn.microsoft.com/sql/t-sql/data-types/data-type-conversion-database-engine
-- https://learn.microsoft.com/sql/t-sql/language-elements/arithmetic-operators-transact-sql
create table t(bit bit, int int, dec decimal(9, 2), flt float, vc varchar(10), vb varbinary(10), txt text, img image, uid uniqueidentifier,
    dt datetime, d date, t time, dt2 datetime2, xml xml, var sql_variant, hid hierarchyid, geo geometry);
go
select int + d from t;
go
select d + int from t;
go
select uid - dec from t;
go
select flt + vb from t;
go
select bit + vc from t;
go
select d + dt from t;
go
select d + d from t;
go
select uid - xml from t;
go
select hid + int from t;
go
select vc * vc from t;
go
select bit * vc from t;
go
select dt * int from t;
go
select int * var from t;
go
select flt % int from t;
go
select dec % vc from t;
go
select dec & int from t;
go
select flt | dt from t;
go
select vb ^ vb from t;
go
select int & vc, vc | int, bit & int, int & vb from t;
go
select null + null, 1 + null, null * 2.5, 'a' + null, 1 & null;
go
select 1 from t where int = d;
go
select 1 from t where uid = 1;
go
select 1 from t where d = -1;
go
select 1 from t where d in (70000);
go
select 1 from t where t = dt;
go
select 1 from t where txt = vc;
go
select 1 from t where txt = int;
go
select 1 from t where xml = vc;
go
select 1 from t where xml = int;
go
select 1 from t where xml = xml;
go
select 1 from t where geo = vc;
go
select 1 from t where hid = int;
go
select 1 from t where flt between vb and 1;
go
select case when 1 = 1 then d else int end from t;
go
select coalesce(uid, int) from t;
go
select xml from t union all select var from t;
go
select vb from t union all select d from t;
go
select sum(null);
go
select count(null) over ();
go
select string_agg(null, ',');
go
-- Two bits, two binaries: the pair is named. 257 names the column, where it is one.
select bit + bit from t;
go
select vb - vb from t;
go
select vb % vb from t;
go
select var + int from t;
go
select 1 + hid from t;
go
