UPDATE dbo.t SET b = a + b;
