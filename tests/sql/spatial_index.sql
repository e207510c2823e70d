-- https://learn.microsoft.com/sql/t-sql/statements/create-spatial-index-transact-sql
create table SpatialTable (id int constraint PK_SpatialTable primary key, geometry_col geometry, object geography, n int);
create spatial index SIndx_1 on SpatialTable(geometry_col) with (bounding_box = (0, 0, 500, 200));
create spatial index SIndx_2 on SpatialTable(geometry_col) using geometry_grid with (bounding_box = (xmin = 0, ymin = -10.5, xmax = 500, ymax = 200), grids = (low, low, medium, high), cells_per_object = 64, pad_index = on);
create spatial index SIndx_3 on SpatialTable(object) using GEOGRAPHY_GRID with (grids = (level_3 = high, level_2 = low));
create spatial index SIndx_4 on SpatialTable(object);
select name, index_id, type, type_desc, spatial_index_type, spatial_index_type_desc, tessellation_scheme from sys.spatial_indexes order by name;
select index_id, tessellation_scheme as scheme, bounding_box_xmin as x0, bounding_box_ymin as y0, bounding_box_xmax as x1, bounding_box_ymax as y1, level_1_grid as l1, level_2_grid_desc as l2, level_3_grid as l3, level_4_grid_desc as l4, cells_per_object as cells from sys.spatial_index_tessellations order by index_id;
select i.name, i.type, i.type_desc, i.has_filter, c.column_id, c.key_ordinal from sys.indexes i join sys.index_columns c on c.object_id = i.object_id and c.index_id = i.index_id where i.object_id = object_id('SpatialTable') and i.type = 4 order by i.name;
insert SpatialTable values (1, 'POINT(1 1)', 'POINT(1 1)', 1), (2, 'POINT(400 1)', null, 2);
select id from SpatialTable where geometry_col.STIntersects('POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))') = 1;
alter index SIndx_1 on SpatialTable rebuild;
alter index all on SpatialTable rebuild;
create index later on SpatialTable (n);
drop index SIndx_4 on SpatialTable;
select name from sys.indexes where object_id = object_id('SpatialTable') order by name;
alter table SpatialTable drop column object;
go
create spatial index SIndx_1 on SpatialTable(geometry_col) with (bounding_box = (0, 0, 500, 200));
go
create spatial index i on SpatialTable(geometry_col);
go
create spatial index i on SpatialTable(n) with (bounding_box = (0, 0, 500, 200));
go
create spatial index i on SpatialTable(nothing) with (bounding_box = (0, 0, 500, 200));
go
create spatial index i on SpatialTable(geometry_col) using geography_grid;
go
create spatial index i on SpatialTable(geometry_col) with (bounding_box = (0, 0, 0, 200));
go
create spatial index i on SpatialTable(geometry_col) with (bounding_box = (0, 0, 500));
go
create spatial index i on SpatialTable(geometry_col) with (bounding_box = (0, 0, 500, 200), cells_per_object = 9000);
go
create table heap (g geometry);
create spatial index i on heap(g) with (bounding_box = (0, 0, 500, 200));
