-- xml as text and bytes, and where its methods cannot stand. learn.microsoft.com/sql/relational-databases/xml: "Create instances of XML data",
-- "Use the XML data type" (entitization of white space), /sql/t-sql/functions/cast-and-convert-transact-sql (xml styles), "Rules for using xml
-- data type methods"; texts as in the list of errors 0 to 999, 2000 to 2999 and 6000 to 6999.
SELECT CAST(CAST('<a> x </a>' AS xml) AS nvarchar(40)) AS text, CAST(CONVERT(xml, '<a>   </a>', 1) AS nvarchar(40)) AS blank, CONVERT(nvarchar(40), CONVERT(xml, '<a>   </a>', 1), 1) AS kept, CONVERT(xml, '<a>   </a>', 1) AS shown;
SELECT CAST(CAST('<a a="&#xA;x&#9;y&#13;z">q&#13;r&#10;&#9;s</a>' AS xml) AS nvarchar(100)) AS ends;
SELECT CAST(CAST('<a/>' AS xml) AS varbinary(max)) AS bytes, CAST(CAST(N'<a>é</a>' AS xml) AS varbinary(100)) AS more;
GO
SELECT CAST(CAST('<abc/>' AS xml) AS varchar(3));
GO
SELECT CAST(CAST('<abc/>' AS xml) AS varbinary(3));
GO
SELECT CAST(CAST(N'<a>Δ</a>' AS xml) AS varchar(30));
GO
-- Rows of nodes are no values.
DECLARE @x xml = '<a/>'; SELECT CONVERT(varchar(20), t.c) FROM @x.nodes('/a') t(c);
GO
DECLARE @x xml = '<a/>'; SELECT CAST(t.c AS xml) FROM @x.nodes('/a') t(c);
GO
DECLARE @x xml = '<a/>'; PRINT @x.value('(/a)[1]', 'varchar(5)');
GO
CREATE TABLE hx (a xml, b AS a.value('(/a)[1]', 'int'));
GO
CREATE TABLE hx (a xml, CONSTRAINT ck_hx CHECK (a.exist('/a') = 1));
GO
CREATE TABLE hx (id int, a xml);
GO
ALTER TABLE hx ADD b AS a.value('(/a)[1]', 'int');
GO
ALTER TABLE hx ADD CONSTRAINT ck_hx CHECK (a.exist('/a') = 1);
GO
CREATE FUNCTION dbo.fx (@x xml) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @x.value('(/a)[1]', 'int') END;
GO
ALTER TABLE hx ADD b AS dbo.fx(a), CONSTRAINT ck_hx CHECK (dbo.fx(a) > 3);
GO
INSERT hx (id, a) VALUES (1, '<a>5</a>');
SELECT b FROM hx;
INSERT hx (id, a) VALUES (1, '<a>1</a>');
GO
-- Blank values in FOR XML; values that have no XML.
SELECT ' ' AS a FOR XML RAW; SELECT ' ' AS a FOR XML RAW, ELEMENTS; SELECT ' ' AS a FOR XML PATH, TYPE;
GO
SELECT geometry::Point(1, 1, 0) AS g FOR XML PATH;
GO
SELECT hierarchyid::GetRoot() AS h FOR XML RAW;
GO
