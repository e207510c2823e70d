-- The examples of https://learn.microsoft.com/sql/t-sql/spatial-geometry/ogc-methods-on-geometry-instances
declare @g geometry = geometry::STGeomFromText('POLYGON((0 0, 3 0, 3 3, 0 3, 0 0),(2 2, 2 1, 1 1, 1 2, 2 2))', 0);
select @g.STArea() as area, @g.STLength() as length, @g.STNumPoints() as points, @g.STDimension() as dim, @g.STCentroid().ToString() as centroid, @g.STExteriorRing().ToString() as ext, @g.STNumInteriorRing() as rings, @g.STInteriorRingN(1).ToString() as ring1, @g.STInteriorRingN(2).ToString() as ring2, @g.STEnvelope().ToString() as env;
select @g.STIsClosed() as closed, @g.STIsSimple() as simple, @g.STIsValid() as valid, @g.STPointN(2).ToString() as p2, @g.STStartPoint().ToString() as s, @g.STEndPoint().ToString() as e, @g.STNumGeometries() as n, @g.STGeometryN(1).STGeometryType() as g1, @g.STContains(@g.STPointOnSurface()) as inner_point, @g.STBoundary().ToString() as boundary, @g.STIsRing() as ring;
select @g.InstanceOf('Surface') as surface, @g.InstanceOf('Polygon') as polygon, @g.InstanceOf('Curve') as curve, @g.MinDbCompatibilityLevel() as level, @g.IsValidDetailed() as detail;
go
declare @g geometry = geometry::STGeomFromText('POLYGON((0 0, 0 2, 2 2, 2 0, 0 0))', 0), @h geometry = geometry::STGeomFromText('POLYGON((1 1, 3 1, 3 3, 1 3, 1 1))', 0);
select @g.STIntersection(@h).ToString() as i, @g.STUnion(@h).ToString() as u, @g.STDifference(@h).ToString() as d, @g.STSymDifference(@h).ToString() as s;
select @g.STIntersects(@h) as i, @g.STDisjoint(@h) as d, @g.STOverlaps(@h) as o, @g.STTouches(@h) as t, @g.STWithin(@h) as w, @g.STContains('POINT(1 1)') as c, @g.STEquals(@g.MakeValid()) as e, @g.STRelate(@h, 'T*T***T**') as r, @g.Filter(@h) as f, @g.STDistance('POINT(10 10)') as dist, @g.ShortestLineTo('POINT(5 1)').ToString() as line;
set @h.STSrid = 1;
select @g.STIntersects(@h) as other_system, @g.STUnion(@h).ToString() as u, @g.STDistance(@h) as d;
go
declare @g geometry = 'LINESTRING(0 2, 2 0, 4 2)', @h geometry = 'POINT(1 1)', @s geometry = 'POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))', @l geometry = 'LINESTRING(1 -1, 1 5)';
select @g.STIntersects(@h) as i, @g.STCrosses(@l) as c, @g.STIsClosed() as closed, @g.STIsRing() as ring, @g.STLength() as len, @g.STBoundary().ToString() as b, @g.STIntersection(@s).ToString() as i2, @g.STDifference(@s).ToString() as d, @g.STCentroid() as none, @g.STConvexHull().ToString() as hull, @g.STEnvelope().ToString() as env;
select @l.STIntersection(@g).ToString() as p, @g.STUnion(@h).ToString() as u, @g.STUnion('POINT(9 9)').ToString() as u2, @g.STTouches('POINT(0 2)') as t, @g.STIntersection('POINT(7 7)').ToString() as e;
go
-- https://learn.microsoft.com/sql/t-sql/spatial-geometry/isvaliddetailed-geometry-datatype
declare @p geometry = 'Polygon((2 2, 4 4, 4 2, 2 4, 2 2))';
select @p.IsValidDetailed() as why, @p.STIsValid() as valid, @p.MakeValid().STIsValid() as mended, @p.MakeValid().STArea() as area, @p.STAsText() as text;
select @p.STArea();
go
-- https://learn.microsoft.com/sql/t-sql/spatial-geometry/makevalid-geometry-data-type
declare @g geometry = geometry::STGeomFromText('LINESTRING(0 2, 1 1, 1 0, 1 1, 2 2)', 0);
select @g.STIsValid() as valid, @g.MakeValid().STIsValid() as mended, @g.IsValidDetailed() as why;
select geometry::Parse('LINESTRING(1 1, 1 1)').IsValidDetailed() as point, geometry::Parse('MULTILINESTRING((0 0, 2 0), (1 0, 3 0))').IsValidDetailed() as over1, geometry::Parse('POLYGON((0 0, 9 0, 9 9, 0 9, 0 0), (20 20, 21 20, 21 21, 20 20))').IsValidDetailed() as outside, geometry::Parse('POLYGON((0 0, 9 0, 9 9, 0 9, 0 0), (0 0, 5 4, 9 9, 4 5, 0 0))').IsValidDetailed() as cut, geometry::Parse('MULTIPOLYGON(((0 0, 4 0, 4 4, 0 0)), ((1 0.5, 5 0.5, 5 3, 1 0.5)))').IsValidDetailed() as twice;
go
declare @g geometry = 'POINT(0 0)', @l geometry = 'LINESTRING(0 0, 10 0)', @s geometry = 'POLYGON((0 0, 4 0, 4 4, 0 4, 0 0))';
select round(@g.STBuffer(2).STArea(), 1) as circle, round(@l.STBuffer(1).STArea(), 1) as line, round(@s.STBuffer(1).STArea(), 1) as grown, @s.STBuffer(-1).ToString() as less, @s.STBuffer(-3).ToString() as nothing, @g.STBuffer(0).ToString() as same, round(@g.BufferWithTolerance(2, .5, 0).STArea(), 3) as rough, @s.STBuffer(1).STGeometryType() as t;
select geometry::STGeomFromText('LINESTRING(0 0, 0 1, 1 0, 2 1, 3 0, 4 1)', 0).Reduce(.75).ToString() as r;
go
-- Curves: https://learn.microsoft.com/sql/relational-databases/spatial/circularstring
declare @c geometry = 'CIRCULARSTRING(2 0, 1 1, 0 0)', @k geometry = 'COMPOUNDCURVE((0 0, 2 0), CIRCULARSTRING(2 0, 1 1, 0 0))', @p geometry = 'CURVEPOLYGON(CIRCULARSTRING(0 4, 4 0, 8 4, 4 8, 0 4))';
select @c.STLength() as half, @k.STLength() as l, @p.STArea() as a, @p.STLength() as pl, @p.STNumPoints() as n, @c.STIsClosed() as c1, @k.STIsClosed() as c2, @k.STNumCurves() as curves, @k.STCurveN(1).ToString() as k1, @k.STCurveN(2).ToString() as k2, @p.STGeometryType() as t, @p.STExteriorRing().ToString() as ring, @p.MinDbCompatibilityLevel() as level;
select @p.STContains('POINT(4 4)') as inside, @p.STContains('POINT(0.5 0.5)') as outside, round(@p.STCurveToLine().STArea(), 1) as lines, @p.STCurveToLine().STGeometryType() as lt, @c.CurveToLineWithTolerance(.5, 0).STNumPoints() as rough;
go
-- https://learn.microsoft.com/sql/t-sql/spatial-geometry/strelate-geometry-data-type
declare @a geometry = 'LINESTRING(0 2, 2 0, 4 2)', @b geometry = 'POINT(5 5)';
select @a.STRelate(@b, 'FF*FF****') as apart;
select @a.STRelate(@b, 'FF*FF***');
go
declare @a geometry = 'LINESTRING(0 2, 2 0, 4 2)'; select @a.STPointN(0);
go
declare @a geometry = 'LINESTRING(0 2, 2 0, 4 2)'; select @a.STPointN(9).ToString() as none, @a.STGeometryN(2).ToString() as none2, @a.STX as nox;
select @a.STPointN(null);
