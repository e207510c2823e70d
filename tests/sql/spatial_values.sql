-- geometry: https://learn.microsoft.com/sql/relational-databases/spatial/create-construct-and-query-geometry-instances
create table s (id int identity primary key, g geometry, t as g.STAsText());
insert s (g) values (geometry::STGeomFromText('LINESTRING (100 100, 20 180, 180 180)', 0));
insert s (g) values ('POLYGON ((0 0, 150 0, 150 150, 0 150, 0 0))'), (null), (0x00000000010C000000000000F03F0000000000000040), (geometry::Point(3, 4.5, 4326));
select id, t, g.STSrid as srid, g.STGeometryType() as type, g.STX as x, g.STIsEmpty() as empty, g from s order by id;
select s.g.STAsText() as w, dbo.s.g.ToString() as w2 from dbo.s where s.g.STArea() > 0;
select a.t, b.t, a.g.STIntersection(b.g).ToString() as both from s a, s b where a.id = 1 and b.id = 2 and a.g.STIntersects(b.g) = 1;
update s set g.STSrid = 7 where id = 1;
update s set g = geometry::Parse('POINT EMPTY') where id = 3;
select id, g.STSrid as srid, g.ToString() as w, cast(g as varbinary(max)) as b, datalength(g) as d from s where id in (1, 3);
delete s where g.STNumPoints() = 5;
select count(*) as n, count(g) as c from s;
go
declare @g geometry = 'POINT(1 2 3 4)', @n geometry;
select @g.STX as x, @g.STY as y, @g.Z as z, @g.M as m, @g.HasZ as hz, @g.HasM as hm, @g.STSrid as srid, @n.STX as nx, @n.IsNull as isn, @g.IsNull as isg;
set @g.STSrid = 12;
select @g.STSrid as srid, @g.STAsText() as t, @g.AsTextZM() as zm, @g.ToString() as s, cast(@g as nvarchar(100)) as c, convert(varchar(20), @g) as v;
select @g.STAsBinary() as wkb, @g.AsBinaryZM() as wkbzm, geometry::STGeomFromWKB(@g.AsBinaryZM(), 3).ToString() as back;
select geometry::[Null].ToString() as n, geometry::Parse('null').ToString() as p, geometry::STGeomFromText(null, 0).ToString() as t;
select try_cast('POINT(1 2)' as geometry).STX as x, cast(cast(@g as varbinary(max)) as geometry).STY as y, convert(geometry, N'POINT(5 6)').STX as z;
set @n.STSrid = 5;
go
-- The serialized form: https://learn.microsoft.com/openspecs/sql_server_protocols/ms-ssclrt
select cast(geometry::Parse(v.t) as varbinary(max)) as b from (values ('POINT EMPTY'), ('LINESTRING (0 0, 1 1)'), ('MULTIPOINT ((1 1), (2 2))'), ('POLYGON ((0 0, 3 0, 3 3, 0 0), (1 0.5, 2 1, 2 0.5, 1 0.5))'), ('GEOMETRYCOLLECTION (POINT (1 1), GEOMETRYCOLLECTION EMPTY)'), ('CIRCULARSTRING (1 0, 0 1, -1 0)'), ('COMPOUNDCURVE ((1 0, 2 0), CIRCULARSTRING (2 0, 1 1, 0 0))')) v(t);
select cast(cast(geometry::Parse(v.t) as varbinary(max)) as geometry).ToString() as t, geometry::Parse(v.t).AsGml() as gml from (values ('POINT (1 2)'), ('LINESTRING (0 0, 1 1)'), ('POLYGON ((0 0, 3 0, 3 3, 0 0), (1 0.5, 2 1, 2 0.5, 1 0.5))'), ('GEOMETRYCOLLECTION (POINT (1 1), MULTIPOINT ((2 2), (3 3)))'), ('CURVEPOLYGON (COMPOUNDCURVE ((0 0, 2 0), CIRCULARSTRING (2 0, 1 1, 0 0)))'), ('MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))'), ('MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))')) v(t);
select geometry::GeomFromGml('<LineString xmlns="http://www.opengis.net/gml"><posList>100 100 20 180 180 180</posList></LineString>', 0).ToString() as l;
select name, system_type_id, user_type_id, max_length, is_assembly_type from sys.types where system_type_id = 240 order by user_type_id;
select name, assembly_class, assembly_qualified_name from sys.assembly_types order by user_type_id;
select c.name, c.system_type_id, c.user_type_id, c.max_length, type_name(c.user_type_id) as t from sys.columns c where c.object_id = object_id('s') order by c.column_id;
select column_name, data_type, character_maximum_length as l from information_schema.columns where table_name = 's' order by ordinal_position;
exec sp_describe_first_result_set N'select g, id from s';
go
-- Each kind by its own constructor: https://learn.microsoft.com/sql/t-sql/spatial-geometry/ogc-static-geometry-methods
select geometry::STPointFromText('POINT (100 100)', 0).ToString() as p, geometry::STLineFromText('LINESTRING (100 100, 200 200)', 0).ToString() as l, geometry::STPolyFromText('POLYGON ((5 5, 10 5, 10 10, 5 5))', 0).ToString() as y, geometry::STMPointFromText('MULTIPOINT ((100 100), (200 200))', 0).ToString() as mp, geometry::STMLineFromText('MULTILINESTRING ((100 100, 200 200), (3 4, 7 8, 10 10))', 0).ToString() as ml, geometry::STMPolyFromText('MULTIPOLYGON (((5 5, 10 5, 10 10, 5 5)), ((10 10, 100 10, 100 100, 10 10)))', 0).ToString() as my, geometry::STGeomCollFromText('GEOMETRYCOLLECTION ( POINT(1 1), POLYGON((0 0, 2 0, 1 1, 0 0)) )', 0).ToString() as gc;
select geometry::STPointFromText('LINESTRING (1 1, 2 2)', 0);
go
select geometry::STGeomFromText('LINESTRING ZM (1 2 0 0,3 4 0 0)', 0);
go
select geometry::Parse('LINESTRING (0 1 1, 3 2 2, 4 ABC 9)');
go
select geometry::Parse('FOO(10 20)');
go
select geometry::Parse('');
go
select geometry::Parse('LINESTRING (1 1)');
go
select geometry::Parse('POLYGON ((0 0, 1 0, 0 0))');
go
select geometry::Parse('POLYGON ((0 0, 1 0, 1 1, 0 1))');
go
select geometry::STGeomFromText('POINT(1 1)', -1);
go
select geometry::STGeomFromText('POINT(1 1)', null);
go
select cast(0x0102 as geometry);
go
select geometry::STGeomFromWKB(0x01, 0);
go
-- Members are found by their exact names.
declare @g geometry = 'POINT(1 1)'; select @g.starea();
go
declare @g geometry = 'POINT(1 1)'; select @g.Lat;
go
declare @g geometry = 'POINT(1 1)'; select @g.STX();
go
declare @g geometry = 'POINT(1 1)'; select @g.STArea;
go
declare @g geometry = 'POINT(1 1)'; select @g.Parse('POINT(1 1)');
go
select geometry::STArea();
go
declare @g geometry = 'POINT(1 1)'; select @g.STDistance();
go
declare @g int = 1; select @g.STArea();
go
select geomtry::Parse('POINT(1 1)');
go
declare @g geometry = 'POINT(1 1)'; set @g.STX = 5;
go
-- What has no order.
select * from s order by g;
go
select g, count(*) from s group by g;
go
select distinct g from s;
go
select * from s where g = g;
go
select max(g) from s;
go
select cast(g as int) from s;
go
select cast(1 as geometry);
go
create index i on s (g);
go
create table k (g geometry primary key);
go
create type shape from geometry;
go
select cast(g as sql_variant) from s;
go
create function dbo.middle (@g geometry) returns geometry as begin return @g.STCentroid() end;
go
create procedure dbo.p @g geometry, @o geometry output as set @o = @g.STBuffer(0); select @g.STSrid as srid;
go
declare @o geometry; exec dbo.p 'POINT(7 8)', @o output; select @o.ToString() as o, dbo.middle('POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))').ToString() as m;
select geometry::UnionAggregate(x.g).ToString() as u, geometry::EnvelopeAggregate(x.g).ToString() as e, geometry::ConvexHullAggregate(x.g).ToString() as h, geometry::CollectionAggregate(x.g).ToString() as c from (values (geometry::Parse('POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))')), (geometry::Parse('POLYGON((1 1, 3 1, 3 3, 1 3, 1 1))')), (null)) x(g);
select n, geometry::UnionAggregate(p).STNumGeometries() as u from (select v % 2 as n, geometry::Point(v, v, 0) as p from (values (1), (2), (3), (4), (5)) v(v)) q group by n order by n;
select geometry::UnionAggregate(g) from s where 1 = 0;
