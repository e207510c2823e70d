SELECT t.a, u.c, u.b FROM dbo.t AS t JOIN dbo.u AS u ON u.k = t.b WHERE u.a < t.a;
