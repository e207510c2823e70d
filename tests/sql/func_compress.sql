-- The first as SQL Server 2016 writes it, and what a program outside of it wrote. https://learn.microsoft.com/sql/t-sql/functions/compress-transact-sql
SELECT COMPRESS('Basavaraj') AS packed;
SELECT CAST(DECOMPRESS(0x1F8B0800000000000400734A2C4E2C4B2C4ACC0200D462F86709000000) AS varchar(max)) AS text_;
SELECT CAST(DECOMPRESS(0x1f8b0800000000000203cb4d4c495548aa5448cccb2fc9482d522828ca4f2f4accd551c8cc4388e52426a7ea282496c0454a327353012ae4edc23a000000) AS varchar(max)) AS foreign_;
GO
SELECT CAST(DECOMPRESS(COMPRESS(N'Überfluß')) AS nvarchar(max)) AS wide, DECOMPRESS(COMPRESS(0x)) AS nothing_, COMPRESS(NULL) AS n, DECOMPRESS(NULL) AS m;
DECLARE @long varchar(max) = REPLICATE(CAST('abc' AS varchar(max)), 100000);
SELECT DATALENGTH(@long) AS before, IIF(DATALENGTH(COMPRESS(@long)) < 3000, 'short', 'long') AS packed, IIF(CAST(DECOMPRESS(COMPRESS(@long)) AS varchar(max)) = @long, 'same', 'other') AS back;
GO
