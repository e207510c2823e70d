-- Schemas before the rows of FOR XML: learn.microsoft.com/sql/relational-databases/xml/generate-an-inline-xsd-schema (XMLSCHEMA, its namespaces,
-- types and NULLs), /sql/t-sql/queries/select-for-clause-transact-sql (XMLDATA). SqlRowSet1, 2, ...: of the session.
CREATE TABLE product (id int NOT NULL CONSTRAINT pk_product PRIMARY KEY, name nvarchar(50) COLLATE Latin1_General_CI_AS NOT NULL, price decimal(9, 2) NULL, day datetime NULL, note varchar(max) COLLATE Latin1_General_CI_AS NULL, g uniqueidentifier NULL, code binary(2) NULL);
CREATE TABLE part (id int NOT NULL CONSTRAINT pk_part PRIMARY KEY, product int NOT NULL, kind char(3) COLLATE Latin1_General_CI_AS NULL);
INSERT product VALUES (1, N'one', 1.5, '2024-01-02T03:04:05', 'n', '6F9619FF-8B86-D011-B42D-00C04FC964FF', 0x0102), (2, N'two', NULL, NULL, NULL, NULL, NULL);
INSERT part VALUES (1, 1, 'abc'), (2, 1, NULL);
GO
SELECT id, name, price FROM product ORDER BY id FOR XML RAW, XMLSCHEMA;
GO
SELECT id, name, price FROM product ORDER BY id FOR XML RAW, XMLSCHEMA ('urn:example.com'), ELEMENTS;
GO
SELECT id, price FROM product ORDER BY id FOR XML RAW ('p'), XMLSCHEMA ('urn:example.com'), ELEMENTS XSINIL, ROOT ('all');
GO
SELECT * FROM product WHERE id = 1 FOR XML AUTO, XMLSCHEMA ('urn:example.com'), BINARY BASE64;
GO
SELECT product.id, name, part.id AS part, kind FROM product JOIN part ON part.product = product.id ORDER BY product.id, part.id FOR XML AUTO, XMLSCHEMA ('urn:example.com'), TYPE;
GO
-- Without rows the schema is there all the same; the next has the next number.
SELECT id FROM product WHERE id = 9 FOR XML RAW, XMLSCHEMA; SELECT id FROM product WHERE id = 1 FOR XML RAW, XMLSCHEMA;
GO
SELECT id, name, price FROM product WHERE id = 1 FOR XML RAW, XMLDATA;
GO
SELECT 1 AS a FOR XML PATH, XMLSCHEMA;
GO
SELECT 1 AS tag, NULL AS parent, 1 AS [a!1!b] FOR XML EXPLICIT, XMLSCHEMA;
GO
SELECT CAST('<a/>' AS xml) AS x FOR XML RAW, XMLSCHEMA;
GO
SELECT 1 AS a, 'x' AS a FOR XML RAW, ELEMENTS, XMLSCHEMA;
GO
