DELETE dbo.t;
