// System.Data.SqlClient, SMO and DacFx against a running server: HOST PORT USER PASSWORD [smo|dacfx], from the folder of this file.

using System;
using System.Collections.Generic;
using System.Data;
using System.Data.SqlClient;
using System.Data.SqlTypes;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;

static class Checks
{
    static string host, user, password;
    static int port;

    // What the checks ask for, but those of logins: a server may take nothing that is not encrypted.
    static readonly bool Forced = Environment.GetEnvironmentVariable("HEDDLE_FORCED") != null;

    static int Main(string[] arguments)
    {
        host = arguments[0];
        port = int.Parse(arguments[1]);
        user = arguments[2];
        password = arguments[3];
        var checks = new List<KeyValuePair<string, Action>>();
        Action<string, Action> add = (name, check) => checks.Add(new KeyValuePair<string, Action>(name, check));
        switch (arguments.ElementAtOrDefault(4))
        {
            case "smo":
                Management.Add(add);
                break;
            case "dacfx":
                Packages.Add(add);
                break;
            default:
                add("login_plain", () => Login(false));
                add("login_encrypted", () => Login(true));
                add("wrong_password", WrongPassword);
                add("types", Types);
                add("parameters", Parameters);
                add("procedure", Procedure);
                add("rollback", Rollback);
                add("result_sets", ResultSets);
                add("error", Error);
                add("cancel", Cancel);
                add("reset", Reset);
                add("large", Large);
                add("bulk_copy", BulkCopy);
                add("mars", Mars);
                add("table_value", TableValue);
                add("data_set", DataSetIsUpdated);
                break;
        }
        return Run(checks) ? 0 : 1;
    }

    static bool Run(List<KeyValuePair<string, Action>> checks)
    {
        var well = true;
        foreach (var check in checks)
        {
            try
            {
                check.Value();
                Console.WriteLine("ok " + check.Key);
            }
            catch (Exception error)
            {
                well = false;
                Console.WriteLine("not ok " + check.Key + ": " + Line(error));
                Console.Error.WriteLine(error);
            }
        }
        return well;
    }

    // Every message of an error and of what caused it, on one line.
    public static string Line(Exception error)
    {
        var all = new List<string>();
        for (var cause = error; cause != null; cause = cause.InnerException)
            all.Add(cause.GetType().Name + ": " + cause.Message);
        return string.Join(" <- ", all).Replace("\r", "").Replace("\n", " | ");
    }

    public static string Text(string database, bool encrypted)
    {
        return new SqlConnectionStringBuilder
        {
            DataSource = "tcp:" + host + "," + port,
            UserID = user,
            Password = password,
            InitialCatalog = database,
            Encrypt = encrypted,
            TrustServerCertificate = true,
            ConnectTimeout = 30,
        }.ConnectionString;
    }

    public static string Text(string database)
    {
        return Text(database, Forced);
    }

    public static SqlConnection Open(string text)
    {
        var connection = new SqlConnection(text);
        connection.Open();
        return connection;
    }

    static SqlConnection Open()
    {
        return Open(Text("master"));
    }

    public static object One(SqlConnection connection, string sql, params SqlParameter[] parameters)
    {
        using (var command = new SqlCommand(sql, connection))
        {
            command.CommandTimeout = 300;
            command.Parameters.AddRange(parameters);
            return command.ExecuteScalar();
        }
    }

    // Batches apart from each other by lines that are GO.
    public static void Script(SqlConnection connection, string text)
    {
        var batch = new List<string>();
        foreach (var line in text.Replace("\r", "").Split('\n').Concat(new[] { "GO" }))
        {
            if (line.Trim().ToUpperInvariant() != "GO")
            {
                batch.Add(line);
                continue;
            }
            if (batch.Any(part => part.Trim() != "")) One(connection, string.Join("\n", batch));
            batch.Clear();
        }
    }

    public static void Equal(object seen, object expected, string what)
    {
        var same = seen is byte[] && expected is byte[]
            ? ((byte[])seen).SequenceEqual((byte[])expected)
            : object.Equals(seen, expected);
        if (!same) throw new Exception(what + ": saw " + Shown(seen) + ", expected " + Shown(expected));
    }

    static string Shown(object value)
    {
        if (value == null) return "null";
        var text = value is byte[] ? BitConverter.ToString((byte[])value) : Convert.ToString(value);
        return text.Substring(0, Math.Min(200, text.Length)) + " (" + value.GetType().Name + ")";
    }

    static void Login(bool encrypted)
    {
        using (var connection = Open(Text("master", encrypted)))
            Equal(One(connection, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID"),
                encrypted ? "TRUE" : "FALSE", "encrypt_option");
    }

    static void WrongPassword()
    {
        var text = new SqlConnectionStringBuilder(Text("master")) { Password = "not " + password, Pooling = false };
        try
        {
            Open(text.ConnectionString).Dispose();
        }
        catch (SqlException error)
        {
            Equal(error.Number + "," + error.Class + "," + error.State, "18456,14,1", "error");
            return;
        }
        throw new Exception("logged in with a wrong password");
    }

    static void Types()
    {
        using (var connection = Open())
        {
            Script(connection, File.ReadAllText("../values.sql"));
            foreach (var expected in Expected())
            {
                var text = "SELECT * FROM dbo.client_values WHERE id = " + expected.Key;
                using (var command = new SqlCommand(text, connection))
                using (var row = command.ExecuteReader())
                {
                    row.Read();
                    for (var i = 0; i < expected.Value.Length; i++)
                    {
                        var wanted = expected.Value[i];
                        var what = "row " + expected.Key + " " + row.GetName(i + 1);
                        // System.Decimal has 28 digits, the column 38.
                        var seen = row.GetName(i + 1) == "c_decimal" && wanted != DBNull.Value
                            ? row.GetSqlDecimal(i + 1).ToString()
                            : row.GetValue(i + 1);
                        Equal(seen, wanted, what);
                    }
                }
            }
        }
    }

    static byte[] Bytes(int count, byte value)
    {
        return Enumerable.Repeat(value, count).ToArray();
    }

    static Dictionary<int, object[]> Expected()
    {
        var most = new DateTime(9999, 12, 31, 23, 59, 59).AddTicks(9999999);
        return new Dictionary<int, object[]>
        {
            { 1, Enumerable.Repeat((object)DBNull.Value, 27).ToArray() },
            { 2, new object[] {
                false, (byte)0, (short)-32768, int.MinValue, long.MinValue, "-9999999999999999999999999999.9999999999", -999.99m,
                -922337203685477.5808m, -214748.3648m, -1.7976931348623157E308, -3.4E38f, "     ", "", "", "     ", "", "",
                Bytes(4, 0), new byte[0], new byte[0], new DateTime(1, 1, 1), TimeSpan.Zero, new DateTime(1753, 1, 1),
                new DateTime(1, 1, 1), new DateTime(1900, 1, 1), new DateTimeOffset(1, 1, 1, 0, 0, 0, TimeSpan.Zero), Guid.Empty } },
            { 3, new object[] {
                true, (byte)255, (short)32767, int.MaxValue, long.MaxValue, "9999999999999999999999999999.9999999999", 999.99m,
                922337203685477.5807m, 214748.3647m, 1.7976931348623157E308, 3.4E38f, "zzzzz", new string('z', 50),
                new string('z', 10000), "ÿĀ字ÿz", new string('字', 50), new string('字', 10000), Bytes(4, 255), Bytes(50, 255),
                Bytes(10000, 255), new DateTime(9999, 12, 31), most.TimeOfDay, new DateTime(9999, 12, 31, 23, 59, 59, 997), most,
                new DateTime(2079, 6, 6, 23, 59, 0), new DateTimeOffset(most, TimeSpan.Zero),
                new Guid("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF") } },
            { 4, new object[] {
                true, (byte)42, (short)-7, 123456789, 1234567890123L, "12345.6789000000", 3.14m, 12.34m, -0.01m, 0.1, 1.5f, "ab   ",
                "Grüße", "text", "añb  ", "Zażółć gęślą", "naïve 😀", new byte[] { 1, 2, 3, 4 }, new byte[] { 0xDE, 0xAD, 0xBE, 0xEF },
                new byte[] { 0, 255, 0 }, new DateTime(2024, 2, 29), new DateTime(2024, 2, 29, 13, 14, 15).AddTicks(1234567).TimeOfDay,
                new DateTime(2024, 2, 29, 13, 14, 15, 123), new DateTime(2024, 2, 29, 13, 14, 15).AddTicks(1234567),
                new DateTime(2024, 2, 29, 13, 14, 0),
                new DateTimeOffset(new DateTime(2024, 2, 29, 13, 14, 15).AddTicks(1234567), TimeSpan.FromMinutes(330)),
                new Guid("6F9619FF-8B86-D011-B42D-00C04FC964FF") } },
        };
    }

    static void Parameters()
    {
        var values = new object[] {
            DBNull.Value, true, (byte)7, (short)-5, -5, 1L << 40, 1.25, 1.5f, 12345678901234567890.123456m, "", "naïve 😀",
            new string('x', 5000), new byte[] { 0, 1, 255 }, new DateTime(2024, 2, 29, 13, 14, 15), TimeSpan.FromTicks(12345678),
            new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.FromHours(-8)), new Guid("6F9619FF-8B86-D011-B42D-00C04FC964FF"),
        };
        using (var connection = Open())
        {
            foreach (var value in values) Equal(One(connection, "SELECT @p", new SqlParameter("@p", value)), value, "parameter");
            var variant = new SqlParameter("@p", SqlDbType.Variant) { Value = 1.5m };
            Equal(One(connection, "SELECT @p", variant), 1.5m, "sql_variant");
            var xml = new SqlParameter("@p", SqlDbType.Xml) { Value = "<a b=\"1\" />" };
            Equal(One(connection, "SELECT @p", xml), "<a b=\"1\" />", "xml");
            using (var command = new SqlCommand("SELECT @a * 2", connection))
            {
                command.Parameters.Add("@a", SqlDbType.Int);
                command.Prepare();
                for (var i = 0; i < 4; i++)
                {
                    command.Parameters[0].Value = i;
                    Equal(command.ExecuteScalar(), i * 2, "prepared");
                }
            }
        }
    }

    static void Procedure()
    {
        using (var connection = Open())
        {
            One(connection, "CREATE OR ALTER PROCEDURE dbo.dotnet_procedure @a int, @b nvarchar(20) OUTPUT AS "
                + "BEGIN SELECT @a * 2 AS doubled; SET @b = @b + N'!'; RETURN 7; END");
            using (var command = new SqlCommand("dbo.dotnet_procedure", connection) { CommandType = CommandType.StoredProcedure })
            {
                SqlCommandBuilder.DeriveParameters(command);
                Equal(string.Join(" ", command.Parameters.Cast<SqlParameter>().Select(p => p.ParameterName + ":" + p.SqlDbType)),
                    "@RETURN_VALUE:Int @a:Int @b:NVarChar", "derived");
                command.Parameters["@a"].Value = 21;
                command.Parameters["@b"].Value = "hi";
                Equal(command.ExecuteScalar(), 42, "row");
                Equal(command.Parameters["@b"].Value, "hi!", "OUTPUT");
                Equal(command.Parameters["@RETURN_VALUE"].Value, 7, "return value");
            }
        }
    }

    static void Rollback()
    {
        using (var connection = Open())
        {
            One(connection, "DROP TABLE IF EXISTS dbo.dotnet_rollback; CREATE TABLE dbo.dotnet_rollback (a int)");
            foreach (var level in new[] { IsolationLevel.ReadCommitted, IsolationLevel.Serializable })
            {
                using (var transaction = connection.BeginTransaction(level))
                using (var command = new SqlCommand("INSERT dbo.dotnet_rollback VALUES (1)", connection, transaction))
                {
                    command.ExecuteNonQuery();
                    transaction.Save("here");
                    command.ExecuteNonQuery();
                    transaction.Rollback("here");
                    command.CommandText = "SELECT COUNT(*) FROM dbo.dotnet_rollback";
                    Equal(command.ExecuteScalar(), 1, "after the savepoint");
                    transaction.Rollback();
                }
                Equal(One(connection, "SELECT COUNT(*) FROM dbo.dotnet_rollback"), 0, "rolled back");
            }
            using (var transaction = connection.BeginTransaction())
            {
                new SqlCommand("INSERT dbo.dotnet_rollback VALUES (2)", connection, transaction).ExecuteNonQuery();
                transaction.Commit();
            }
            Equal(One(connection, "SELECT SUM(a) FROM dbo.dotnet_rollback"), 2, "committed");
        }
    }

    static void ResultSets()
    {
        using (var connection = Open())
        {
            var messages = new List<string>();
            connection.InfoMessage += (sender, news) => messages.Add(news.Message);
            var text = "SELECT 1 AS a; PRINT 'between'; DECLARE @t TABLE (a int); INSERT @t VALUES (1), (2); "
                + "SELECT 2 AS c UNION ALL SELECT 3; SELECT 4 AS d WHERE 1 = 0";
            using (var command = new SqlCommand(text, connection))
            using (var rows = command.ExecuteReader())
            {
                var seen = new List<string>();
                do
                {
                    seen.Add(rows.GetName(0));
                    while (rows.Read()) seen.Add(rows.GetInt32(0).ToString());
                } while (rows.NextResult());
                Equal(string.Join(" ", seen), "a 1 c 2 3 d", "results");
                Equal(rows.RecordsAffected, 2, "count");
            }
            Equal(messages.SingleOrDefault(), "between", "PRINT");
        }
    }

    static void Error()
    {
        using (var connection = Open())
        {
            One(connection, "CREATE OR ALTER PROCEDURE dbo.dotnet_error AS\nBEGIN\n  RAISERROR('from %s', 15, 3, 'inside')\nEND");
            foreach (var wanted in new[] {
                new[] { "SELECT 1\nSELECT 1/0", "8134,16,1,2,", "Divide by zero error encountered." },
                new[] { "EXEC dbo.dotnet_error", "50000,15,3,3,dotnet_error", "from inside" } })
            {
                try
                {
                    using (var command = new SqlCommand(wanted[0], connection)) command.ExecuteNonQuery();
                    throw new Exception("no error came");
                }
                catch (SqlException error)
                {
                    var procedure = error.Procedure.Split('.').Last();
                    var seen = error.Number + "," + error.Class + "," + error.State + "," + error.LineNumber + "," + procedure;
                    Equal(seen, wanted[1], wanted[0]);
                    Equal(error.Message, wanted[2], wanted[0]);
                }
            }
        }
    }

    static void Cancel()
    {
        using (var connection = Open())
        using (var command = new SqlCommand("DECLARE @i bigint = 0; WHILE @i < 100000000000 SET @i += 1", connection))
        {
            var watch = Stopwatch.StartNew();
            foreach (var byTimeout in new[] { false, true })
            {
                command.CommandTimeout = byTimeout ? 1 : 60;
                try
                {
                    // On Linux this SqlClient sends nothing while a call of its own waits: Cancel() needs one that does not.
                    if (byTimeout) command.ExecuteNonQuery();
                    else command.ExecuteNonQueryAsync(new CancellationTokenSource(300).Token).GetAwaiter().GetResult();
                    throw new Exception("the loop ended");
                }
                catch (SqlException error)
                {
                    Equal(error.Number, byTimeout ? -2 : 0, error.Message);
                }
                Equal(One(connection, "SELECT 5"), 5, "after");
            }
            Equal(watch.ElapsedMilliseconds < 15000, true, "cancelled after " + watch.ElapsedMilliseconds + " ms");
        }
    }

    static void Reset()
    {
        // A pooled connection resets itself with the first request after it is taken again.
        var text = new SqlConnectionStringBuilder(Text("master")) { ApplicationName = "reset" }.ConnectionString;
        object session;
        using (var connection = Open(text))
        {
            session = One(connection, "SELECT @@SPID");
            One(connection, "CREATE TABLE #t (a int); SET LOCK_TIMEOUT 1234");
        }
        using (var connection = Open(text))
        {
            Equal(One(connection, "SELECT @@SPID"), session, "session");
            Equal(One(connection, "SELECT OBJECT_ID('tempdb..#t')"), DBNull.Value, "temporary table");
            Equal(One(connection, "SELECT @@LOCK_TIMEOUT"), -1, "lock timeout");
        }
    }

    static void Large()
    {
        var text = string.Concat(Enumerable.Repeat("ab字", 350000));
        var bytes = Enumerable.Range(0, 1 << 20).Select(i => (byte)i).ToArray();
        using (var connection = Open())
        {
            Equal((string)One(connection, "SELECT @p", new SqlParameter("@p", text)) == text, true, "text");
            Equal(((byte[])One(connection, "SELECT @p", new SqlParameter("@p", bytes))).SequenceEqual(bytes), true, "bytes");
            using (var command = new SqlCommand("SELECT @p", connection))
            {
                command.Parameters.AddWithValue("@p", text);
                using (var rows = command.ExecuteReader(CommandBehavior.SequentialAccess))
                {
                    rows.Read();
                    Equal(rows.GetTextReader(0).ReadToEnd() == text, true, "as a stream");
                }
            }
        }
    }

    static void BulkCopy()
    {
        using (var from = Open())
        using (var to = Open())
        {
            Script(from, File.ReadAllText("../values.sql"));
            One(to, "DROP TABLE IF EXISTS dbo.dotnet_bulk; SELECT * INTO dbo.dotnet_bulk FROM dbo.client_values WHERE 1 = 0");
            using (var command = new SqlCommand("SELECT * FROM dbo.client_values", from))
            using (var rows = command.ExecuteReader())
            using (var copy = new SqlBulkCopy(to) { DestinationTableName = "dbo.dotnet_bulk", EnableStreaming = true })
                copy.WriteToServer(rows);
            var both = "SELECT * FROM dbo.{0} EXCEPT SELECT * FROM dbo.{1}";
            foreach (var pair in new[] { new[] { "client_values", "dotnet_bulk" }, new[] { "dotnet_bulk", "client_values" } })
                Equal(One(to, string.Format(both, pair)), null, "rows of " + pair[0] + " only");

            One(to, "DROP TABLE IF EXISTS dbo.dotnet_bulk2; CREATE TABLE dbo.dotnet_bulk2 (id int IDENTITY PRIMARY KEY, a decimal(20, 5) NOT NULL, "
                + "v sql_variant, x xml, s smalldatetime NOT NULL, d int NOT NULL DEFAULT 7)");
            var table = new DataTable();
            table.Columns.Add("id", typeof(int));
            table.Columns.Add("a", typeof(decimal));
            table.Columns.Add("v", typeof(object));
            table.Columns.Add("x", typeof(string));
            table.Columns.Add("s", typeof(DateTime));
            for (var i = 1; i <= 20000; i++)
                table.Rows.Add(i * 2, i / 100m, i % 2 == 0 ? (object)i : "text", "<a>" + i + "</a>", new DateTime(2024, 1, 1).AddMinutes(i));
            using (var copy = new SqlBulkCopy(to, SqlBulkCopyOptions.KeepIdentity, null) { DestinationTableName = "dbo.dotnet_bulk2", BatchSize = 7000 })
            {
                foreach (var name in new[] { "id", "a", "v", "x", "s" }) copy.ColumnMappings.Add(name, name);
                copy.WriteToServer(table);
            }
            Equal(One(to, "SELECT CONCAT(COUNT(*), ' ', MAX(id), ' ', SUM(a), ' ', SUM(d), ' ', CONVERT(varchar(30), MAX(s), 120), ' ', "
                + "SUM(CONVERT(int, SQL_VARIANT_PROPERTY(v, 'MaxLength')))) FROM dbo.dotnet_bulk2"),
                "20000 40000 2000100.00000 140000 2024-01-14 21:20:00 " + (10000 * 4 + 10000 * 8), "sums");
            // What stands in the way of a key comes as an error, and leaves nothing.
            using (var copy = new SqlBulkCopy(to, SqlBulkCopyOptions.KeepIdentity | SqlBulkCopyOptions.UseInternalTransaction, null)
                { DestinationTableName = "dbo.dotnet_bulk2" })
            {
                foreach (var name in new[] { "id", "a", "s" }) copy.ColumnMappings.Add(name, name);
                table.Rows[0]["id"] = -1;
                try
                {
                    copy.WriteToServer(table);
                    throw new Exception("no error came");
                }
                catch (SqlException error)
                {
                    Equal(error.Number, 2627, error.Message);
                }
            }
            Equal(One(to, "SELECT COUNT(*) FROM dbo.dotnet_bulk2"), 20000, "after the error");
        }
    }

    static void Mars()
    {
        var text = new SqlConnectionStringBuilder(Text("master")) { MultipleActiveResultSets = true }.ConnectionString;
        using (var connection = Open(text))
        using (var command = new SqlCommand("SELECT TOP 5000 CONVERT(int, ROW_NUMBER() OVER (ORDER BY a.object_id)), REPLICATE('x', 200) "
            + "FROM sys.objects a, sys.objects b", connection))
        using (var rows = command.ExecuteReader())
        {
            for (var number = 1; number <= 5000; number++)
            {
                rows.Read();
                Equal(rows.GetInt32(0), number, "row");
                if (number % 500 == 0) Equal(One(connection, "SELECT @p", new SqlParameter("@p", number)), number, "between");
            }
            Equal(rows.Read(), false, "the end");
        }
    }

    static void TableValue()
    {
        using (var connection = Open())
        {
            One(connection, "DROP PROCEDURE IF EXISTS dbo.dotnet_sum; DROP TYPE IF EXISTS dbo.dotnet_list");
            One(connection, "CREATE TYPE dbo.dotnet_list AS TABLE (id int NOT NULL PRIMARY KEY, name nvarchar(10) NULL, price decimal(9, 2) NULL)");
            One(connection, "CREATE PROCEDURE dbo.dotnet_sum @list dbo.dotnet_list READONLY AS "
                + "SELECT CONCAT(COUNT(*), ' ', SUM(price), ' ', STRING_AGG(name, ',')) FROM @list");
            var table = new DataTable();
            table.Columns.Add("id", typeof(int));
            table.Columns.Add("name", typeof(string));
            table.Columns.Add("price", typeof(decimal));
            table.Rows.Add(1, "one", 1.25m);
            table.Rows.Add(2, "zwei", DBNull.Value);
            table.Rows.Add(3, DBNull.Value, 2.5m);
            Func<SqlParameter> list = () => new SqlParameter("@list", SqlDbType.Structured) { TypeName = "dbo.dotnet_list", Value = table };
            Equal(One(connection, "EXEC dbo.dotnet_sum @list", list()), "3 3.75 one,zwei", "sums");
            table.Rows[2]["id"] = 1;
            try
            {
                One(connection, "EXEC dbo.dotnet_sum @list", list());
                throw new Exception("no error came");
            }
            catch (SqlException error)
            {
                Equal(error.Number, 2627, error.Message);
            }
        }
    }

    static void DataSetIsUpdated()
    {
        using (var connection = Open())
        {
            One(connection, "DROP TABLE IF EXISTS dbo.dotnet_set; CREATE TABLE dbo.dotnet_set (id int PRIMARY KEY, name nvarchar(20)); "
                + "INSERT dbo.dotnet_set VALUES (1, N'one'), (2, N'two')");
            var text = "SELECT id, name FROM dbo.dotnet_set";
            using (var adapter = new SqlDataAdapter(text, connection) { MissingSchemaAction = MissingSchemaAction.AddWithKey })
            using (new SqlCommandBuilder(adapter))
            {
                var table = new DataTable();
                adapter.Fill(table);
                Equal(string.Join(",", table.PrimaryKey.Select(column => column.ColumnName)), "id", "key");
                table.Rows[0]["name"] = "eins";
                table.Rows[1].Delete();
                table.Rows.Add(3, "drei");
                Equal(adapter.Update(table), 3, "updated");
            }
            Equal(One(connection, "SELECT STRING_AGG(CONCAT(id, name), ' ') FROM dbo.dotnet_set"), "1eins 3drei", "rows");
            foreach (DataRow collection in connection.GetSchema().Rows)
                connection.GetSchema((string)collection["CollectionName"]);
        }
    }
}
