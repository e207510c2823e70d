// mssql-jdbc against a running server: HOST PORT USER PASSWORD.

import com.microsoft.sqlserver.jdbc.SQLServerBulkCopy;
import com.microsoft.sqlserver.jdbc.SQLServerBulkCopyOptions;
import com.microsoft.sqlserver.jdbc.SQLServerException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Timer;
import java.util.TimerTask;
import javax.sql.PooledConnection;

public class Checks {
    static String host, port, user, password;

    /** What the checks ask for, but those of logins: a server may take nothing that is not encrypted. */
    static final String USUAL = System.getenv("HEDDLE_FORCED") == null ? "false" : "true";

    interface Check {
        void run() throws Exception;
    }

    static String url(String encrypt) {
        return "jdbc:sqlserver://" + host + ":" + port + ";databaseName=master;encrypt=" + encrypt
                + ";trustServerCertificate=true;loginTimeout=30;sendTimeAsDatetime=false";
    }

    static Connection connect(String encrypt) throws SQLException {
        return DriverManager.getConnection(url(encrypt), user, password);
    }

    static void equal(Object seen, Object expected, String what) {
        if (!Objects.deepEquals(seen, expected)) {
            String text = what + ": saw " + show(seen) + ", expected " + show(expected);
            throw new AssertionError(text);
        }
    }

    static String show(Object value) {
        String text = value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value);
        return text.substring(0, Math.min(200, text.length())) + (value == null ? "" : " (" + value.getClass().getSimpleName() + ")");
    }

    static Object one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getObject(1);
        }
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static void login(String encrypt, String expected) throws SQLException {
        try (Connection connection = connect(encrypt)) {
            equal(one(connection, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID"), expected, "encrypt_option");
        }
    }

    /** HOST\\INSTANCE, without a port: the driver asks for it on UDP 1434. */
    static void instance() throws SQLException {
        String place = System.getenv("HEDDLE_INSTANCE");
        String url = "jdbc:sqlserver://" + place + ";databaseName=master;encrypt=" + USUAL + ";trustServerCertificate=true;loginTimeout=30";
        try (Connection connection = DriverManager.getConnection(url, user, password)) {
            String name = place.substring(place.indexOf('\\') + 1);
            equal(one(connection, "SELECT CONVERT(nvarchar(128), SERVERPROPERTY('InstanceName'))"), name, "instance");
        }
    }

    static void wrongPassword() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(USUAL), user, "not " + password)) {
            throw new AssertionError("logged in with a wrong password");
        } catch (SQLServerException failure) {
            equal(failure.getErrorCode(), 18456, failure.getMessage());
        }
    }

    static byte[] filled(int count, int value) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    static List<Object> expected(int id) {
        D d = BigDecimal::new;
        return switch (id) {
            case 1 -> new ArrayList<>(java.util.Collections.nCopies(27, null));
            case 2 -> List.of(false, (short) 0, (short) -32768, -2147483648, -9223372036854775808L,
                    d.of("-9999999999999999999999999999.9999999999"), d.of("-999.99"), d.of("-922337203685477.5808"), d.of("-214748.3648"),
                    -1.7976931348623157E308, -3.4E38f, "     ", "", "", "     ", "", "", filled(4, 0), filled(0, 0), filled(0, 0),
                    LocalDate.of(1, 1, 1), "00:00:00", LocalDateTime.of(1753, 1, 1, 0, 0), LocalDateTime.of(1, 1, 1, 0, 0),
                    LocalDateTime.of(1900, 1, 1, 0, 0), OffsetDateTime.parse("0001-01-01T00:00:00Z"), "00000000-0000-0000-0000-000000000000");
            case 3 -> List.of(true, (short) 255, (short) 32767, 2147483647, 9223372036854775807L,
                    d.of("9999999999999999999999999999.9999999999"), d.of("999.99"), d.of("922337203685477.5807"), d.of("214748.3647"),
                    1.7976931348623157E308, 3.4E38f, "zzzzz", "z".repeat(50), "z".repeat(10000), "ÿĀ字ÿz", "字".repeat(50), "字".repeat(10000),
                    filled(4, 255), filled(50, 255), filled(10000, 255), LocalDate.of(9999, 12, 31), "23:59:59.9999999",
                    LocalDateTime.of(9999, 12, 31, 23, 59, 59, 997_000_000), LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_900),
                    LocalDateTime.of(2079, 6, 6, 23, 59), OffsetDateTime.parse("9999-12-31T23:59:59.9999999Z"),
                    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF");
            default -> List.of(true, (short) 42, (short) -7, 123456789, 1234567890123L, d.of("12345.6789000000"), d.of("3.14"), d.of("12.3400"),
                    d.of("-0.0100"), 0.1, 1.5f, "ab   ", "Grüße", "text", "añb  ", "Zażółć gęślą", "naïve 😀", new byte[] {1, 2, 3, 4},
                    new byte[] {(byte) 0xde, (byte) 0xad, (byte) 0xbe, (byte) 0xef}, new byte[] {0, (byte) 0xff, 0}, LocalDate.of(2024, 2, 29),
                    "13:14:15.1234567", LocalDateTime.of(2024, 2, 29, 13, 14, 15, 123_000_000), LocalDateTime.of(2024, 2, 29, 13, 14, 15, 123_456_700),
                    LocalDateTime.of(2024, 2, 29, 13, 14), OffsetDateTime.parse("2024-02-29T13:14:15.1234567+05:30"),
                    "6F9619FF-8B86-D011-B42D-00C04FC964FF");
        };
    }

    interface D {
        BigDecimal of(String text);
    }

    static void types() throws Exception {
        String sql = Files.readString(Path.of("../values.sql"));
        try (Connection connection = connect(USUAL)) {
            execute(connection, sql);
            for (int id = 1; id <= 4; id++) {
                try (PreparedStatement statement = connection.prepareStatement("SELECT * FROM dbo.client_values WHERE id = ?")) {
                    statement.setInt(1, id);
                    try (ResultSet row = statement.executeQuery()) {
                        row.next();
                        List<Object> expected = expected(id);
                        for (int i = 0; i < expected.size(); i++) {
                            String name = row.getMetaData().getColumnName(i + 2);
                            Object wanted = expected.get(i);
                            Object seen;
                            if (wanted == null) {
                                seen = row.getObject(i + 2);
                            } else if (wanted instanceof LocalDate) {
                                seen = row.getObject(i + 2, LocalDate.class);
                            } else if (wanted instanceof LocalDateTime) {
                                seen = row.getObject(i + 2, LocalDateTime.class);
                            } else if (wanted instanceof OffsetDateTime) {
                                seen = row.getObject(i + 2, OffsetDateTime.class);
                            } else if (wanted instanceof String) {
                                seen = row.getString(i + 2);
                                if (name.equals("c_time")) {
                                    seen = row.getObject(i + 2, java.time.LocalTime.class);
                                    wanted = java.time.LocalTime.parse((String) wanted);
                                }
                            } else {
                                seen = row.getObject(i + 2);
                            }
                            if (name.equals("c_datetime") && wanted != null) {
                                long difference = java.time.Duration.between((LocalDateTime) seen, (LocalDateTime) wanted).abs().toNanos();
                                equal(difference <= 1_000_000, true, "row " + id + " " + name + " " + seen);
                                continue;
                            }
                            equal(seen, wanted, "row " + id + " " + name);
                        }
                    }
                }
            }
        }
    }

    static void parameters() throws SQLException {
        try (Connection connection = connect(USUAL)) {
            Object[] values = {null, 0, -5, 1L << 40, 1.25, "", "naïve 😀", "x".repeat(5000), new byte[] {0, 1, (byte) 255}, true,
                new BigDecimal("12345678901234567890.123456")};
            for (Object value : values) {
                try (PreparedStatement statement = connection.prepareStatement("SELECT ?")) {
                    if (value == null) {
                        statement.setNull(1, Types.INTEGER);
                    } else {
                        statement.setObject(1, value);
                    }
                    try (ResultSet rows = statement.executeQuery()) {
                        rows.next();
                        equal(rows.getObject(1), value, "parameter");
                    }
                }
            }
            // sp_executesql, then sp_prepexec, then sp_execute.
            try (PreparedStatement statement = connection.prepareStatement("SELECT ? * 2")) {
                for (int i = 0; i < 4; i++) {
                    statement.setInt(1, i);
                    try (ResultSet rows = statement.executeQuery()) {
                        rows.next();
                        equal(rows.getInt(1), i * 2, "prepared");
                    }
                }
            }
        }
    }

    static void procedure() throws SQLException {
        try (Connection connection = connect(USUAL)) {
            execute(connection, "CREATE OR ALTER PROCEDURE dbo.jdbc_procedure @a int, @b nvarchar(20) OUTPUT AS "
                    + "BEGIN SELECT @a * 2 AS doubled; SET @b = @b + N'!'; RETURN 7; END");
            try (CallableStatement call = connection.prepareCall("{? = call dbo.jdbc_procedure(?, ?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, 21);
                call.setString(3, "hi");
                call.registerOutParameter(3, Types.NVARCHAR);
                equal(call.execute(), true, "a result set");
                try (ResultSet rows = call.getResultSet()) {
                    rows.next();
                    equal(rows.getInt(1), 42, "row");
                }
                equal(call.getInt(1), 7, "return value");
                equal(call.getString(3), "hi!", "OUTPUT");
            }
        }
    }

    static void rollback() throws SQLException {
        try (Connection connection = connect(USUAL)) {
            execute(connection, "IF OBJECT_ID('dbo.jdbc_rollback') IS NOT NULL DROP TABLE dbo.jdbc_rollback; CREATE TABLE dbo.jdbc_rollback (a int)");
            connection.setAutoCommit(false);
            execute(connection, "INSERT dbo.jdbc_rollback VALUES (1)");
            equal(one(connection, "SELECT COUNT(*) FROM dbo.jdbc_rollback"), 1, "inside");
            connection.rollback();
            execute(connection, "INSERT dbo.jdbc_rollback VALUES (2)");
            connection.commit();
            connection.setAutoCommit(true);
            equal(one(connection, "SELECT SUM(a) FROM dbo.jdbc_rollback"), 2, "after");
        }
    }

    static void resultSets() throws SQLException {
        try (Connection connection = connect(USUAL); Statement statement = connection.createStatement()) {
            boolean rows = statement.execute("SELECT 1 AS a; PRINT 'between'; DECLARE @t TABLE (a int); INSERT @t VALUES (1), (2); SELECT 2 AS c UNION ALL SELECT 3");
            List<Object> seen = new ArrayList<>();
            while (rows || statement.getUpdateCount() != -1) {
                if (rows) {
                    try (ResultSet set = statement.getResultSet()) {
                        while (set.next()) {
                            seen.add(set.getInt(1));
                        }
                    }
                } else {
                    seen.add("count " + statement.getUpdateCount());
                }
                rows = statement.getMoreResults();
            }
            equal(seen, List.of(1, "count 2", 2, 3), "results");
            equal(statement.getWarnings() != null && statement.getWarnings().getMessage().contains("between"), true, "PRINT");
        }
    }

    static void error() throws SQLException {
        try (Connection connection = connect(USUAL); Statement statement = connection.createStatement()) {
            try {
                statement.execute("SELECT 1\nSELECT 1/0");
                do {
                    try (ResultSet rows = statement.getResultSet()) {
                        while (rows != null && rows.next()) {}
                    }
                } while (statement.getMoreResults() || statement.getUpdateCount() != -1);
                throw new AssertionError("no error came");
            } catch (SQLServerException failure) {
                var detail = failure.getSQLServerError();
                equal(List.of(detail.getErrorNumber(), detail.getErrorSeverity(), detail.getErrorState(), (int) detail.getLineNumber()),
                        List.of(8134, 16, 1, 2), "batch");
            }
            statement.execute("CREATE OR ALTER PROCEDURE dbo.jdbc_error AS\nBEGIN\n  RAISERROR('from %s', 15, 3, 'inside')\nEND");
            try {
                statement.execute("EXEC dbo.jdbc_error");
                throw new AssertionError("no error came");
            } catch (SQLServerException failure) {
                var detail = failure.getSQLServerError();
                equal(List.of(detail.getErrorNumber(), detail.getErrorSeverity(), detail.getErrorState(), (int) detail.getLineNumber()),
                        List.of(50000, 15, 3, 3), "procedure");
                equal(detail.getErrorMessage(), "from inside", "text");
                equal(detail.getProcedureName().replaceAll(".*\\.", ""), "jdbc_error", "procedure name");
            }
        }
    }

    static void cancel() throws SQLException {
        try (Connection connection = connect(USUAL); Statement statement = connection.createStatement()) {
            Timer timer = new Timer(true);
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    try {
                        statement.cancel();
                    } catch (SQLException ignored) {
                        // The statement then runs on and the time below tells.
                    }
                }
            }, 300);
            long started = System.nanoTime();
            try {
                statement.execute("DECLARE @i bigint = 0; WHILE @i < 100000000000 SET @i += 1");
                throw new AssertionError("not cancelled");
            } catch (SQLException expected) {
                long ms = (System.nanoTime() - started) / 1_000_000;
                equal(ms < 10_000, true, "cancelled after " + ms + " ms");
            }
            equal(one(connection, "SELECT 5"), 5, "after");
        }
    }

    static void reset() throws Exception {
        var source = new com.microsoft.sqlserver.jdbc.SQLServerConnectionPoolDataSource();
        source.setURL(url(USUAL));
        source.setUser(user);
        source.setPassword(password);
        PooledConnection pooled = source.getPooledConnection();
        Object before;
        try (Connection connection = pooled.getConnection()) {
            before = one(connection, "SELECT @@SPID");
            execute(connection, "CREATE TABLE #t (a int); SET LOCK_TIMEOUT 1234");
        }
        // The next logical connection resets the physical one with its first request.
        try (Connection connection = pooled.getConnection()) {
            equal(one(connection, "SELECT @@SPID"), before, "spid");
            equal(one(connection, "SELECT OBJECT_ID('tempdb..#t')"), null, "temporary table");
            equal(one(connection, "SELECT @@LOCK_TIMEOUT"), -1, "lock timeout");
        }
        pooled.close();
    }

    /** The driver looks whether its connection is gone when it was idle for 15 seconds: here at once, as its own tests have it. */
    static void looksAtOnce(Connection connection) throws Exception {
        var driver = connection.unwrap(com.microsoft.sqlserver.jdbc.SQLServerConnection.class);
        var tracker = com.microsoft.sqlserver.jdbc.SQLServerConnection.class.getDeclaredField("idleNetworkTracker");
        tracker.setAccessible(true);
        var limit = tracker.getType().getDeclaredMethod("setMaxIdleMillis", int.class);
        limit.setAccessible(true);
        limit.invoke(tracker.get(driver), -1);
    }

    static void kill(Connection other, Object spid) throws Exception {
        execute(other, "KILL " + spid);
        // Until its end has come here.
        Thread.sleep(200);
    }

    /** connectRetryCount is 1 unless a URL says otherwise: a connection that broke while it was idle comes back as it was. */
    static void recovered() throws Exception {
        try (Connection connection = connect(USUAL); Connection other = connect(USUAL)) {
            looksAtOnce(connection);
            execute(connection, "SET LOCK_TIMEOUT 1234; SET DATEFIRST 3; SET CONTEXT_INFO 0x0102; USE tempdb");
            Object spid = one(connection, "SELECT @@SPID");
            kill(other, spid);
            equal(one(connection, "SELECT @@LOCK_TIMEOUT"), 1234, "lock timeout");
            equal(one(connection, "SELECT DB_NAME()"), "tempdb", "database");
            equal(one(connection, "SELECT @@DATEFIRST + CAST(SUBSTRING(CONTEXT_INFO(), 1, 2) AS int)"), 3 + 0x0102, "settings");
            // What would be lost is not lost in silence.
            execute(connection, "CREATE TABLE #t (a int)");
            spid = one(connection, "SELECT @@SPID");
            kill(other, spid);
            boolean told = false;
            try {
                one(connection, "SELECT 1");
            } catch (SQLException error) {
                told = true;
            }
            equal(told, true, "the loss of a temporary table");
        }
    }

    static void large() throws SQLException {
        String text = "ab字".repeat(350_000);
        byte[] blob = filled(1 << 20, 7);
        try (Connection connection = connect(USUAL); PreparedStatement statement = connection.prepareStatement("SELECT ?, ?")) {
            statement.setNString(1, text);
            statement.setBytes(2, blob);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                equal(rows.getString(1).equals(text), true, "text");
                equal(Arrays.equals(rows.getBytes(2), blob), true, "bytes");
            }
        }
    }

    /** Every type, as the driver reads it from another table; fires triggers of views, and tells of what does not fit. */
    static void bulkCopy() throws Exception {
        try (Connection from = connect(USUAL); Connection to = connect(USUAL)) {
            execute(from, Files.readString(Path.of("../values.sql")));
            execute(to, "DROP TABLE IF EXISTS dbo.jdbc_bulk; SELECT * INTO dbo.jdbc_bulk FROM dbo.client_values WHERE 1 = 0");
            copy(from, "SELECT * FROM dbo.client_values", to, "dbo.jdbc_bulk", new SQLServerBulkCopyOptions());
            String both = "SELECT COUNT(*) FROM (SELECT * FROM dbo.%s EXCEPT SELECT * FROM dbo.%s) d";
            equal(one(to, both.formatted("client_values", "jdbc_bulk")), 0, "rows that were not copied");
            equal(one(to, both.formatted("jdbc_bulk", "client_values")), 0, "rows that changed");
            // NOT NULL columns are sent in the types that have no length.
            execute(to, "DROP TABLE IF EXISTS dbo.jdbc_fixed, dbo.jdbc_fixed_to; CREATE TABLE dbo.jdbc_fixed (b bit NOT NULL, t tinyint NOT NULL, "
                    + "s smallint NOT NULL, i int NOT NULL, l bigint NOT NULL, m money NOT NULL, n smallmoney NOT NULL, f float NOT NULL, r real NOT NULL, "
                    + "d datetime NOT NULL, e smalldatetime NOT NULL, g uniqueidentifier NOT NULL); INSERT dbo.jdbc_fixed VALUES (1, 2, 3, 4, 5, 6.5, 7.5, "
                    + "8.25, 9.5, '2024-02-29T13:14:15.123', '2024-02-29T13:14:00', '6F9619FF-8B86-D011-B42D-00C04FC964FF'); "
                    + "SELECT * INTO dbo.jdbc_fixed_to FROM dbo.jdbc_fixed WHERE 1 = 0");
            copy(from, "SELECT * FROM dbo.jdbc_fixed", to, "dbo.jdbc_fixed_to", new SQLServerBulkCopyOptions());
            equal(one(to, both.formatted("jdbc_fixed", "jdbc_fixed_to")), 0, "rows of types without a length");
            // A smalldatetime into other types of dates, and other types of dates into it.
            execute(to, "DROP TABLE IF EXISTS dbo.jdbc_dates; CREATE TABLE dbo.jdbc_dates (a datetime, b datetime2(0), c date, d smalldatetime, e varchar(40))");
            copy(from, "SELECT CONVERT(smalldatetime, '2024-02-29T13:14:00'), CONVERT(smalldatetime, '2024-02-29T13:14:00'), "
                    + "CONVERT(smalldatetime, '2024-02-29T13:14:00'), CONVERT(datetime, '2024-02-29T13:14:00'), CONVERT(smalldatetime, '2024-02-29T13:14:00')", to,
                    "dbo.jdbc_dates", new SQLServerBulkCopyOptions());
            equal(one(to, "SELECT CONCAT(CONVERT(varchar(30), a, 126), ' ', CONVERT(varchar(30), b, 126), ' ', CONVERT(varchar(10), c, 120), ' ', CONVERT(varchar(30), d, 126)) "
                    + "FROM dbo.jdbc_dates"), "2024-02-29T13:14:00 2024-02-29T13:14:00 2024-02-29 2024-02-29T13:14:00", "dates");
        }
    }

    static void copy(Connection from, String query, Connection to, String table, SQLServerBulkCopyOptions options) throws SQLException {
        try (Statement statement = from.createStatement(); ResultSet rows = statement.executeQuery(query);
                SQLServerBulkCopy copy = new SQLServerBulkCopy(to)) {
            copy.setBulkCopyOptions(options);
            copy.setDestinationTableName(table);
            copy.writeToServer(rows);
        }
    }

    /** Rows go to the INSTEAD OF trigger of a view if triggers are to fire. */
    static void bulkCopyIntoView() throws SQLException {
        try (Connection from = connect(USUAL); Connection to = connect(USUAL)) {
            execute(to, "DROP VIEW IF EXISTS dbo.jdbc_view; DROP TABLE IF EXISTS dbo.jdbc_one, dbo.jdbc_two; "
                    + "CREATE TABLE dbo.jdbc_one (id int, a int); CREATE TABLE dbo.jdbc_two (id int, b varchar(10))");
            execute(to, "CREATE VIEW dbo.jdbc_view AS SELECT o.id, o.a, t.b FROM dbo.jdbc_one o JOIN dbo.jdbc_two t ON t.id = o.id");
            execute(to, "CREATE TRIGGER dbo.jdbc_instead ON dbo.jdbc_view INSTEAD OF INSERT AS BEGIN "
                    + "INSERT dbo.jdbc_one SELECT id, a FROM inserted; INSERT dbo.jdbc_two SELECT id, b FROM inserted END");
            SQLServerBulkCopyOptions fires = new SQLServerBulkCopyOptions();
            fires.setFireTriggers(true);
            copy(from, "SELECT 1 AS id, 10 AS a, 'x' AS b UNION ALL SELECT 2, 20, 'y'", to, "dbo.jdbc_view", fires);
            equal(one(to, "SELECT CONCAT(SUM(a), ' ', STRING_AGG(b, ',') WITHIN GROUP (ORDER BY id)) FROM dbo.jdbc_view"), "30 x,y", "rows of the view");
        }
    }

    /** OUT parameters of each type have its own type and length. */
    static void outParameters() throws SQLException {
        try (Connection connection = connect(USUAL)) {
            execute(connection, "CREATE OR ALTER PROCEDURE dbo.jdbc_out @g uniqueidentifier OUTPUT, @n nvarchar(4000) OUTPUT, @d date OUTPUT, "
                    + "@t time(3) OUTPUT, @m datetime2(4) OUTPUT, @o datetimeoffset(2) OUTPUT, @s smalldatetime OUTPUT, @c decimal(20, 5) OUTPUT, "
                    + "@b bit OUTPUT, @v varbinary(max) OUTPUT, @x varchar(8000) OUTPUT AS "
                    + "SELECT @g = '6F9619FF-8B86-D011-B42D-00C04FC964FF', @n = REPLICATE(N'字', 4000), @d = '2024-02-29', @t = '13:14:15.123', "
                    + "@m = '2024-02-29T13:14:15.1234', @o = '2024-02-29T13:14:15.12+05:30', @s = '2024-02-29T13:14:00', @c = 1.5, @b = 1, @v = 0x0102, "
                    + "@x = REPLICATE('x', 4000)");
            for (int run = 0; run < 3; run++) {
                try (CallableStatement call = connection.prepareCall("{call dbo.jdbc_out(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)}")) {
                    int[] types = {microsoft.sql.Types.GUID, Types.NVARCHAR, Types.DATE, Types.TIME, Types.TIMESTAMP, microsoft.sql.Types.DATETIMEOFFSET,
                        microsoft.sql.Types.SMALLDATETIME, Types.DECIMAL, Types.BIT, Types.LONGVARBINARY, Types.VARCHAR};
                    for (int i = 0; i < types.length; i++) {
                        if (types[i] == Types.DECIMAL) {
                            call.registerOutParameter(i + 1, types[i], 5);
                        } else {
                            call.registerOutParameter(i + 1, types[i]);
                        }
                    }
                    call.execute();
                    equal(call.getString(1), "6F9619FF-8B86-D011-B42D-00C04FC964FF", "uniqueidentifier");
                    equal(call.getString(2), "字".repeat(4000), "nvarchar(4000)");
                    equal(call.getObject(3, LocalDate.class), LocalDate.of(2024, 2, 29), "date");
                    equal(call.getObject(5, LocalDateTime.class), LocalDateTime.of(2024, 2, 29, 13, 14, 15, 123_400_000), "datetime2");
                    equal(call.getObject(6, OffsetDateTime.class), OffsetDateTime.parse("2024-02-29T13:14:15.12+05:30"), "datetimeoffset");
                    equal(call.getTimestamp(7), Timestamp.valueOf("2024-02-29 13:14:00"), "smalldatetime");
                    equal(call.getBigDecimal(8), new BigDecimal("1.50000"), "decimal");
                    equal(call.getBoolean(9), true, "bit");
                    equal(call.getBytes(10), new byte[] {1, 2}, "varbinary(max)");
                    equal(call.getString(11), "x".repeat(4000), "varchar(8000)");
                }
            }
        }
    }

    /** A procedure's rows through a server cursor, which goes back and forth in them. */
    static void scrollableCall() throws SQLException {
        try (Connection connection = connect(USUAL)) {
            execute(connection, "CREATE OR ALTER PROCEDURE dbo.jdbc_scroll @from int, @to int AS "
                    + "SELECT value FROM (VALUES (1), (2), (3), (4), (5)) v (value) WHERE value BETWEEN @from AND @to ORDER BY value");
            int[] kinds = {ResultSet.TYPE_SCROLL_INSENSITIVE, com.microsoft.sqlserver.jdbc.SQLServerResultSet.TYPE_SS_SCROLL_STATIC,
                com.microsoft.sqlserver.jdbc.SQLServerResultSet.TYPE_SS_SERVER_CURSOR_FORWARD_ONLY};
            for (int kind : kinds) {
                try (CallableStatement call = connection.prepareCall("{call dbo.jdbc_scroll(?, ?)}", kind, ResultSet.CONCUR_READ_ONLY)) {
                    for (int run = 0; run < 3; run++) {
                        call.setInt(1, 2);
                        call.setInt(2, 4);
                        try (ResultSet rows = call.executeQuery()) {
                            int sum = 0;
                            while (rows.next()) {
                                sum += rows.getInt(1);
                            }
                            equal(sum, 9, "sum of kind " + kind);
                            if (kind != com.microsoft.sqlserver.jdbc.SQLServerResultSet.TYPE_SS_SERVER_CURSOR_FORWARD_ONLY) {
                                equal(rows.last() && rows.previous() ? rows.getInt(1) : 0, 3, "back");
                                equal(rows.absolute(1) ? rows.getInt(1) : 0, 2, "first");
                                equal(rows.absolute(-1) ? rows.getInt(1) : 0, 4, "last");
                            }
                        }
                    }
                }
            }
        }
    }

    static boolean report(String name, Check check) {
        try {
            check.run();
            System.out.println("ok " + name);
            return true;
        } catch (Throwable failure) {
            System.out.println("not ok " + name + ": " + failure.toString().replace('\n', ' '));
            return false;
        }
    }

    public static void main(String[] arguments) {
        host = arguments[0];
        port = arguments[1];
        user = arguments[2];
        password = arguments[3];
        boolean all = report("login_plain", () -> login("false", "FALSE"));
        all &= report("login_encrypted", () -> login("true", "TRUE"));
        all &= report("wrong_password", Checks::wrongPassword);
        all &= report("types", Checks::types);
        all &= report("parameters", Checks::parameters);
        all &= report("procedure", Checks::procedure);
        all &= report("rollback", Checks::rollback);
        all &= report("result_sets", Checks::resultSets);
        all &= report("error", Checks::error);
        all &= report("cancel", Checks::cancel);
        all &= report("reset", Checks::reset);
        all &= report("large", Checks::large);
        all &= report("bulk_copy", Checks::bulkCopy);
        all &= report("bulk_copy_into_view", Checks::bulkCopyIntoView);
        all &= report("out_parameters", Checks::outParameters);
        all &= report("scrollable_call", Checks::scrollableCall);
        all &= report("recovered", Checks::recovered);
        all &= report("instance", Checks::instance);
        System.exit(all ? 0 : 1);
    }
}
