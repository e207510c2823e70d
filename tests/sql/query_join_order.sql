-- Join orders by cost: what many rows have in common comes last, small ends first, and the answer is the same in any order. https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide
create table b (id int not null constraint pk_b primary key, g int not null, k int not null);
insert b select value, value % 100, (value * 7919) % 10000 from generate_series(1, 10000);
create table land (id int not null constraint pk_land primary key, part int not null, name varchar(10) not null);
insert land select value, value % 5, concat('land', value) from generate_series(0, 24);
create table maker (id int not null constraint pk_maker primary key, land int not null);
insert maker select value, value % 25 from generate_series(1, 500);
create table buyer (id int not null constraint pk_buyer primary key, land int not null);
insert buyer select value, (value / 3) % 25 from generate_series(1, 3000);
create table sale (id int not null constraint pk_sale primary key, buyer int not null, day date not null, index ix_buyer (buyer));
insert sale select value, (value * 1009) % 3000 + 1, dateadd(day, value % 1000, '2024-01-01') from generate_series(1, 10000);
create table line (sale int not null, n int not null, maker int not null, price int not null, constraint pk_line primary key (sale, n));
insert line select s.value, n.value, (s.value * 31 + n.value * 17) % 500 + 1, s.value % 90 from generate_series(1, 10000) s cross join generate_series(1, 3) n;
go
set showplan_text on;
go
select count(*) from b x join b y on x.g = y.g join b z on z.id = x.id and z.k = y.k;
go
select land.name, sum(price) from buyer, sale, line, maker, land
where buyer.id = sale.buyer and line.sale = sale.id and line.maker = maker.id and buyer.land = maker.land and maker.land = land.id
  and land.part = 2 and sale.day >= '2024-02-01' and sale.day < '2024-03-01' group by land.name;
go
select count(*) from line join sale on sale.id = line.sale join buyer on buyer.id = sale.buyer where buyer.id = 77;
go
select min(day), max(day), min(id) from sale;
go
select min(id), max(id) from sale;
go
select min(buyer), max(buyer) from sale where buyer > 10;
go
set showplan_text off;
go
select count(*) as n from b x join b y on x.g = y.g join b z on z.id = x.id and z.k = y.k;
select count(*) as n from b x join b y on x.g = y.g join b z on z.id = x.id and z.k = y.k option (force order);
with joined as (select land.name, sum(price) as price from buyer, sale, line, maker, land
where buyer.id = sale.buyer and line.sale = sale.id and line.maker = maker.id and buyer.land = maker.land and maker.land = land.id
  and land.part = 2 and sale.day >= '2024-02-01' and sale.day < '2024-03-01' group by land.name)
select name, price from joined order by name;
with joined as (select land.name, sum(price) as price from buyer, sale, line, maker, land
where buyer.id = sale.buyer and line.sale = sale.id and line.maker = maker.id and buyer.land = maker.land and maker.land = land.id
  and land.part = 2 and sale.day >= '2024-02-01' and sale.day < '2024-03-01' group by land.name)
select name, price from joined order by name option (force order);
select min(id) as low, max(id) as high from sale;
select min(buyer) as low, max(buyer) as high from sale where buyer > 10 and buyer < 2000;
select min(buyer) as low, max(buyer) as high from sale where buyer > 100000;
-- Parts that read others, outer and semi joins keep their meaning among what is ordered.
select count(*) as n from land l cross apply (select top (2) m.id, m.land from maker m where m.land = l.id order by m.id) m join buyer on buyer.land = m.land left join sale on sale.buyer = buyer.id and sale.day < '2024-01-20'
where exists (select * from line where line.maker = m.id and line.price > 80) and l.part in (1, 3);
go
