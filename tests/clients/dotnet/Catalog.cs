// What two databases have, compared.

using System;
using System.Collections.Generic;
using System.Data.SqlClient;
using System.IO;
using System.Linq;

static class Catalog
{
    // Each query of catalog.sql gives the same rows in both databases.
    public static void Same(string one, string other)
    {
        foreach (var query in File.ReadAllText("catalog.sql").Split(';').Where(text => text.Trim() != ""))
        {
            var rows = new[] { one, other }.Select(database => Rows(database, query)).ToArray();
            var lost = rows[0].Except(rows[1]).ToList();
            var more = rows[1].Except(rows[0]).ToList();
            if (lost.Count + more.Count > 0)
                throw new Exception("lost: " + string.Join(" / ", lost.Take(10)) + "; more: " + string.Join(" / ", more.Take(10))
                    + " (" + query.Trim().Split('\n')[0] + ")");
        }
    }

    // Every row of every table of the database.
    public static void SameData(string one, string other)
    {
        var tables = Rows(one, "SELECT QUOTENAME(SCHEMA_NAME(schema_id)) + '.' + QUOTENAME(name) FROM sys.tables");
        foreach (var table in tables)
        {
            var rows = new[] { one, other }.Select(database => Rows(database, "SELECT * FROM " + table)).ToArray();
            Checks.Equal(rows[1].Count, rows[0].Count, "rows of " + table);
            Checks.Equal(rows[0].Except(rows[1]).FirstOrDefault(), null, "a row of " + table + " that was lost");
        }
    }

    static List<string> Rows(string database, string query)
    {
        var rows = new List<string>();
        using (var connection = Checks.Open(Checks.Text(database)))
        using (var command = new SqlCommand(query, connection) { CommandTimeout = 300 })
        using (var reader = command.ExecuteReader())
        {
            while (reader.Read())
            {
                var fields = Enumerable.Range(0, reader.FieldCount).Select(i => Shown(reader, i));
                rows.Add(string.Join("|", fields));
            }
        }
        return rows;
    }

    static string Shown(SqlDataReader reader, int field)
    {
        // A new value in each database.
        if (reader.GetDataTypeName(field) == "timestamp") return "";
        var value = reader.GetProviderSpecificValue(field);
        if (value is System.Data.SqlTypes.SqlBinary && !((System.Data.SqlTypes.SqlBinary)value).IsNull)
            return BitConverter.ToString(((System.Data.SqlTypes.SqlBinary)value).Value);
        if (value is System.Data.SqlTypes.SqlXml && !((System.Data.SqlTypes.SqlXml)value).IsNull)
            return ((System.Data.SqlTypes.SqlXml)value).Value;
        return value.ToString();
    }
}
