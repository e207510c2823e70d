-- Named windows: what they give, what may be added, and the numbers of errors, which are not those of an OVER that is written out.
-- https://learn.microsoft.com/sql/t-sql/queries/select-window-transact-sql
create table nw (id int, g int, v int); insert nw values (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, 2, 40);
go
select row_number() over w as x from nw window w as (partition by g order by id) order by id;
go
select rank() over w as x from nw window w as (partition by g order by id) order by id;
go
select ntile(2) over w as x from nw window w as (partition by g order by id) order by id;
go
select cume_dist() over w as x from nw window w as (partition by g order by id) order by id;
go
select lag(v) over w as x from nw window w as (partition by g order by id) order by id;
go
select first_value(v) over w as x from nw window w as (partition by g order by id) order by id;
go
select last_value(v) over w as x from nw window w as (partition by g order by id) order by id;
go
select sum(v) over w as x from nw window w as (partition by g order by id) order by id;
go
select distinct percentile_cont(0.5) within group (order by v) over w as p from nw window w as (partition by g);
go
select id from nw window w as (partition by g order by id desc) order by row_number() over w, id;
go
select id, row_number() over W as r from nw window w as (order by id);
go
select id, row_number() over id as r from nw window id as (partition by g order by id);
go
select id, row_number() over (w order by id desc) as r from nw window w as (partition by g) order by id;
go
select id, row_number() over (w partition by g) as r from nw window w as (order by id) order by id;
go
select id, sum(v) over (w rows unbounded preceding) as s from nw window w as (partition by g order by id) order by id;
go
select id, sum(v) over (w partition by g) as s from nw window w as (order by id rows unbounded preceding) order by id;
go
select id, sum(v) over (w order by id) as s from nw window w as (partition by g rows unbounded preceding) order by id;
go
select id, sum(v) over w2 as s from nw window w2 as (w order by id), w as (partition by g) order by id;
go
select id, sum(v) over w2 as s from nw window w as (partition by g), w2 as (w) order by id;
go
select row_number() over (w) from nw window w as (order by id);
go
select row_number() over (w order by id desc) from nw window w as (partition by g order by id);
go
select row_number() over (w partition by g) from nw window w as (partition by g order by id);
go
select sum(v) over (w rows unbounded preceding) from nw window w as (order by id rows unbounded preceding);
go
select sum(v) over (w order by id) from nw window w as (partition by g order by id rows unbounded preceding);
go
select row_number() over w from nw window w as (partition by g order by id rows unbounded preceding);
go
select ntile(2) over w from nw window w as (partition by g order by id rows unbounded preceding);
go
select lag(v) over w from nw window w as (partition by g order by id rows unbounded preceding);
go
select percentile_cont(0.5) within group (order by v) over w from nw window w as (partition by g rows unbounded preceding);
go
select row_number() over (w rows unbounded preceding) from nw window w as (partition by g order by id);
go
select rank() over w from nw window w as (partition by g);
go
select lag(v) over w from nw window w as (partition by g);
go
select first_value(v) over w from nw window w as (partition by g);
go
select percentile_disc(0.5) within group (order by v) over w from nw window w as (partition by g order by id);
go
select sum(v) over w from nw window w as (partition by g rows unbounded preceding);
go
select count(*) over w from nw window w as (partition by g rows unbounded preceding);
go
select row_number() over w from nw window w as (w2 order by id), w2 as (w partition by g);
go
select row_number() over w from nw window w as (w order by id);
go
select row_number() over nope from nw window w as (order by id);
go
select row_number() over (nope order by id) from nw;
go
select row_number() over w from nw window w as (order by id), w as (order by g);
go
select id from nw window w as (w2), w2 as (w3), w3 as (w);
go
select row_number() over w from nw window w as (order by 1);
go
select lag(v) over w from nw window w as (order by null);
go
select row_number() over (w order by 'x') from nw window w as (partition by g);
go
