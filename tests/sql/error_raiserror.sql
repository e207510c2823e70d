RAISERROR('simple', 16, 1);
PRINT 'goes on';
RAISERROR('state 42', 12, 42);
RAISERROR('note', 0, 1);
RAISERROR('note ten', 10, 1);
RAISERROR('nowait', 0, 1) WITH NOWAIT;
RAISERROR('d=%d i=%i u=%u x=%x X=%X o=%o s=%s', 10, 1, -1, 2, 3, 255, 255, 8, 'text');
RAISERROR('[%5d] [%-5d] [%05d] [%+d] [%#x] [%10s] [%-10s] [%.3s] [%*d]', 10, 1, 42, 42, 42, 42, 255, 'abc', 'abc', 'abcdef', 6, 7);
RAISERROR('100%% sure', 10, 1);
RAISERROR('missing %s and %d', 10, 1);
RAISERROR('null %s %d', 10, 1, NULL, NULL);
DECLARE @b bigint = 5000000000, @v varchar(10) = 'var';
RAISERROR('%I64d %s', 10, 1, @b, @v);
GO
DECLARE @msg nvarchar(100) = N'by variable %d';
RAISERROR(@msg, 16, 3, 9);
SELECT @@ERROR AS e;
GO
RAISERROR('seterror', 9, 1) WITH SETERROR;
SELECT @@ERROR AS e;
RAISERROR('no seterror', 9, 1);
SELECT @@ERROR AS e;
GO
RAISERROR(50001, 16, 1);
GO
RAISERROR('state too big', 16, 300);
RAISERROR('negative state', 16, -5);
GO
RAISERROR('severity 19', 19, 1);
GO
RAISERROR('bad type %d', 16, 1, 'text');
GO
RAISERROR('bad spec %q', 16, 1, 1);
GO
RAISERROR('severity 19 logged', 19, 1) WITH LOG;
PRINT 'goes on';
GO
RAISERROR('a long message: %s', 16, 1, 'x') ;
PRINT N'unicode é';
PRINT NULL;
PRINT '';
PRINT 1 + 1;
PRINT GETDATE() - GETDATE();
GO
SELECT FORMATMESSAGE('Inline %s %d', 'a', 3) AS f;
GO
-- https://learn.microsoft.com/sql/t-sql/language-elements/raiserror-transact-sql
