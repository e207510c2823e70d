-- Widths, sizes and states of RAISERROR.
-- https://learn.microsoft.com/sql/t-sql/language-elements/raiserror-transact-sql
begin try raiserror('x', 16, 256) end try begin catch select error_state() as state end catch
GO
begin try raiserror('x', 16, -5) end try begin catch select error_state() as state end catch
GO
begin try raiserror('x', 16, 300) end try begin catch select error_state() as state end catch
GO
begin try raiserror('big=%I64d', 16, 1, 5000000000) end try begin catch select error_message() as told end catch
GO
declare @b bigint = 5000000000; raiserror('n=%d', 16, 1, @b)
GO
declare @b bigint = 5000000000; begin try raiserror('n=%I64d', 16, 1, @b) end try begin catch select error_message() as told end catch
GO
declare @i int = 5; raiserror('%hd', 16, 1, @i)
GO
declare @i int = 5; raiserror('%I64d', 16, 1, @i)
GO
declare @s smallint = 5; raiserror('%hd %d %ld', 16, 1, @s, @s, @s)
GO
begin try raiserror('[%.*s][%*.*d][%.3d]', 16, 1, -1,'abc',8,5,42,-4) end try begin catch select error_message() as told end catch
GO
declare @m nvarchar(50) = null; begin try raiserror(@m, 16, 1) end try begin catch select '['+error_message()+']' as told end catch
GO
exec sp_executesql N'select 1 x', N'@p int = 5', 1, 2
GO
