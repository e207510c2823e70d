-- Where many tables are joined, a small one is looked into while the plan is made: which of its rows a constant leaves says how many rows of a
-- large one belong to these. Half of all films have the first word, and hardly any one of the others: the plans begin at other ends. https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide
create table word (id int not null constraint pk_word primary key, name varchar(20) not null);
insert word select value, concat('word', value) from generate_series(1, 100);
create table film (id int not null constraint pk_film primary key, year int not null);
insert film select value, 1990 + value % 30 from generate_series(1, 5000);
create table tag (id int not null constraint pk_tag primary key, film int not null, word int not null, index ix_film (film), index ix_word (word));
insert tag select value, (value * 7) % 4999 + 1, iif(value % 2 = 0, 1, 2 + value % 99) from generate_series(1, 10000);
create table award (id int not null constraint pk_award primary key, film int not null, prize int not null, index ix_film (film), index ix_prize (prize));
insert award select value, (value * 13) % 5000 + 1, value % 20 from generate_series(1, 2000);
go
set showplan_text on;
go
select count(*) from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name = 'word1' and award.prize = 7;
go
select count(*) from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name = 'word88' and award.prize = 7;
go
select count(*) from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name in ('word88', 'nothing') and award.prize = 7;
go
select count(*) from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name like '%88' and award.prize = 7;
go
select count(*) from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name < 'word10' and award.prize = 7;
go
set showplan_text off;
go
select count(*) as n from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name = 'word1' and award.prize = 7;
select count(*) as n from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name = 'word1' and award.prize = 7 option (force order);
select count(*) as n from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name = 'word88' and award.prize = 7;
select count(*) as n from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name = 'word88' and award.prize = 7 option (force order);
-- Rows that are not committed are looked at, too, for the plan alone.
begin tran;
update word set name = 'word0' where id = 1;
select count(*) as n from word, tag, film, award where word.id = tag.word and tag.film = film.id and award.film = film.id and word.name = 'word0' and award.prize = 7;
rollback;
go
-- Of a large table that is joined with a small one some rows are looked at: nearly all dates are of one kind, so that a tenth of all values is of
-- that kind nearly each, and of another one hardly any. Each plan begins where few rows are left.
create table kind (id int not null constraint pk_kind primary key, name varchar(20) not null);
insert kind select value, concat('kind', value) from generate_series(1, 100);
create table fact (id int not null constraint pk_fact primary key, film int not null, kind int not null, value varchar(30) not null, index ix_film (film), index ix_kind (kind));
insert fact select value, (value * 11) % 4999 + 1, iif(value % 10 = 0, 7, iif(value % 10 = 1, 8, value % 90 + 9)), iif(value % 10 = 0, 'date ', 'text ') + cast(value as varchar(10)) from generate_series(1, 40000);
go
set showplan_text on;
go
select count(*) from kind, fact, film, award where kind.id = fact.kind and fact.film = film.id and award.film = film.id and kind.name = 'kind7' and fact.value like 'date%' and award.prize between 1 and 9;
go
select count(*) from kind, fact, film, award where kind.id = fact.kind and fact.film = film.id and award.film = film.id and kind.name = 'kind8' and (fact.value like 'date%' or fact.value = 'date') and award.prize between 1 and 9;
go
set showplan_text off;
go
select count(*) as n from kind, fact, film, award where kind.id = fact.kind and fact.film = film.id and award.film = film.id and kind.name = 'kind7' and fact.value like 'date%' and award.prize between 1 and 9;
select count(*) as n from kind, fact, film, award where kind.id = fact.kind and fact.film = film.id and award.film = film.id and kind.name = 'kind7' and fact.value like 'date%' and award.prize between 1 and 9 option (force order);
select count(*) as n from kind, fact, film, award where kind.id = fact.kind and fact.film = film.id and award.film = film.id and kind.name = 'kind8' and (fact.value like 'date%' or fact.value = 'date') and award.prize between 1 and 9;
go
