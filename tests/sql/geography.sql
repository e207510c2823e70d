-- https://learn.microsoft.com/sql/relational-databases/spatial/create-construct-and-query-geography-instances
create table s (id int identity primary key, g geography, t as g.STAsText());
insert s (g) values (geography::STGeomFromText('LINESTRING(-122.360 47.656, -122.343 47.656)', 4326)), (geography::STGeomFromText('POLYGON((-122.358 47.653, -122.348 47.649, -122.348 47.658, -122.358 47.658, -122.358 47.653))', 4326)), (geography::Point(47.65100, -122.34900, 4326));
select id, t, g.STSrid as srid, g.Lat as lat, g.Long as long, g.STGeometryType() as type, g.STIsValid() as valid, round(g.STLength(), 1) as length, round(g.STArea(), 0) as area, g.NumRings() as rings, g.STNumPoints() as n from s order by id;
select a.g.STIntersection(b.g).STAsText() as i, round(a.g.STIntersection(b.g).STLength(), 1) as l from s a, s b where a.id = 1 and b.id = 2;
select cast(g as varbinary(max)) as b from s where id = 3;
select round(a.g.STDistance(b.g), 1) as d from s a, s b where a.id = 3 and b.id in (1, 2) order by b.id;
go
-- Distances on the ellipsoid: from Paris to London, along a meridian and along the equator.
select round(geography::Point(48.8566, 2.3522, 4326).STDistance(geography::Point(51.5074, -0.1278, 4326)), 0) as paris_london, round(geography::Point(0, 0, 4326).STDistance(geography::Point(90, 0, 4326)), 1) as quarter, round(geography::Point(0, 0, 4326).STDistance(geography::Point(0, 1, 4326)), 3) as degree, round(geography::Point(10, 170, 4326).STDistance(geography::Point(10, -170, 4326)), 0) as over_180;
declare @p geography = geography::Point(47.651, -122.349, 4326);
select round(@p.STBuffer(1000).STArea() / 1e6, 2) as circle, @p.STBuffer(1000).STContains(@p) as c, @p.STBuffer(1000).STContains(geography::Point(47.658, -122.349, 4326)) as near, @p.STBuffer(1000).STContains(geography::Point(47.661, -122.349, 4326)) as far, @p.STBuffer(1000).EnvelopeCenter().STDistance(@p) as center, round(@p.STBuffer(1000).EnvelopeAngle(), 4) as angle;
go
-- A ring the other way around is all the rest: https://learn.microsoft.com/sql/relational-databases/spatial/spatial-data-types-overview
declare @small geography = 'POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))', @large geography = 'POLYGON((0 0, 0 10, 10 10, 10 0, 0 0))';
select round(@small.STArea() / 1e9, 1) as small, round(@large.STArea() / 1e9, 0) as large, @large.ReorientObject().STArea() - @small.STArea() as difference, @small.STContains('POINT(5 5)') as inner1, @large.STContains('POINT(5 5)') as inner2, @large.STContains('POINT(50 50)') as outer1, @small.MinDbCompatibilityLevel() as level1, @large.MinDbCompatibilityLevel() as level2;
select @small.STUnion(@large).ToString() as everything, @small.STIntersects(@large) as touch, @large.STIntersection('POLYGON((5 5, 15 5, 15 15, 5 15, 5 5))').STNumPoints() as n, round(geography::Parse('FULLGLOBE').STArea() / 1e12, 3) as globe, geography::Parse('FULLGLOBE').STContains(@small) as inside;
go
declare @g geography = 'POLYGON((-122.358 47.653, -122.348 47.649, -122.348 47.658, -122.358 47.658, -122.358 47.653))', @h geography = 'POLYGON((-122.351 47.656, -122.341 47.656, -122.341 47.661, -122.351 47.661, -122.351 47.656))';
select @g.STIntersects(@h) as i, @g.STDisjoint(@h) as d, @g.STOverlaps(@h) as o, @g.STWithin(@h) as w, @g.STEquals(@g) as e, @g.STUnion(@h).STGeometryType() as u, round(@g.STUnion(@h).STArea() + @g.STIntersection(@h).STArea() - @g.STArea() - @h.STArea(), 0) as rest, @g.STDifference(@h).STNumGeometries() as n, @g.STSymDifference(@h).STNumGeometries() as s, @g.STConvexHull().STNumPoints() as hull, @g.RingN(1).STGeometryType() as ring;
select geography::UnionAggregate(v.g).STNumGeometries() as n, geography::ConvexHullAggregate(v.g).STNumPoints() as h, geography::CollectionAggregate(v.g).STGeometryType() as c from (values (@g), (@h)) v(g);
go
select geography::Point(1, 2, 4326).AsGml() as gml, geography::GeomFromGml('<Point xmlns="http://www.opengis.net/gml"><pos>1 2</pos></Point>', 4326).ToString() as t, geography::STGeomFromWKB(geography::Point(1, 2, 4326).STAsBinary(), 4326).ToString() as w, geography::Parse('POINT(2 1)').STEquals(geography::Point(1, 2, 4326)) as same;
select geography::Point(91, 0, 4326);
go
select geography::Point(0, 20000, 4326);
go
select geography::Point(90, 100, 0);
go
declare @g geography = 'POINT(1 1)'; select @g.STX;
go
declare @g geography = 'POINT(1 1)', @h geometry = 'POINT(1 1)'; select @g.STDistance(@h);
go
select spatial_reference_id, authority_name, authorized_spatial_reference_id, well_known_text, unit_of_measure, unit_conversion_factor from sys.spatial_reference_systems where spatial_reference_id in (4326, 104001) order by 1;
