// SMO, as SQL Server Management Studio and dbatools use it: every property that it has, and scripts that make a database again.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Data.SqlClient;
using System.IO;
using System.Linq;
using System.Reflection;
using Microsoft.SqlServer.Management.Common;
using Microsoft.SqlServer.Management.Sdk.Sfc;
using Microsoft.SqlServer.Management.Smo;

static class Management
{
    public static readonly string[] Schemas = { "shop", "modules", "kinds" };

    public static void Add(Action<string, Action> add)
    {
        // This SMO is a debug build that knows versions up to 15, and would end at an assertion.
        System.Diagnostics.Trace.Listeners.Clear();
        add("smo_properties", Properties);
        foreach (var schema in Schemas) add("smo_script_" + schema, () => ScriptIsTheSame(schema));
    }

    // A new database with what the schema's script makes.
    public static void Make(string database, string schema)
    {
        using (var connection = Checks.Open(Checks.Text("master")))
        {
            Drop(connection, database);
            Checks.One(connection, "CREATE DATABASE " + database);
        }
        if (schema == null) return;
        using (var connection = Checks.Open(Checks.Text(database))) Checks.Script(connection, File.ReadAllText(schema + ".sql"));
    }

    // Pooled connections may still be in it.
    public static void Drop(SqlConnection connection, string database)
    {
        Checks.One(connection, "IF DB_ID('" + database + "') IS NOT NULL ALTER DATABASE " + database + " SET SINGLE_USER WITH ROLLBACK IMMEDIATE; "
            + "DROP DATABASE IF EXISTS " + database);
        SqlConnection.ClearAllPools();
    }

    static Server Connect()
    {
        var server = new Server(new ServerConnection(new SqlConnection(Checks.Text("master"))));
        server.ConnectionContext.StatementTimeout = 300;
        return server;
    }

    // What SMO says itself of a property that this version, edition or kind of object has not.
    static bool IsNotThere(Exception error)
    {
        for (var cause = error; cause != null; cause = cause.InnerException)
        {
            if (cause is SqlException) return false;
            if (cause is UnsupportedVersionException || cause is UnsupportedEngineTypeException || cause is UnsupportedFeatureException
                || cause is Microsoft.SqlServer.Management.Smo.PropertyNotSetException || cause is UnknownPropertyException || cause is PropertyCannotBeRetrievedException
                || cause is InvalidSmoOperationException || cause is EnumeratorException)
                return true;
        }
        return false;
    }

    static void Properties()
    {
        foreach (var schema in Schemas) Make("smo_" + schema, schema);
        var server = Connect();
        var failed = new List<string>();
        var seen = new Walk { Failed = failed };
        seen.Look(server, "Server", 2);
        foreach (var schema in Schemas) seen.Look(server.Databases["smo_" + schema], schema, 3);
        Console.WriteLine("# " + seen.Count + " properties of " + seen.Objects + " objects");
        if (failed.Count > 0) throw new Exception(failed.Count + " failed: " + string.Join("; ", failed.Distinct().Take(40)));
    }

    sealed class Walk
    {
        public List<string> Failed;
        public int Count, Objects;

        // Every public property of an object, and as deep as told those of what its collections hold.
        public void Look(SqlSmoObject about, string path, int depth)
        {
            Objects++;
            foreach (var property in about.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance))
            {
                if (property.GetIndexParameters().Length > 0 || property.Name.StartsWith("Parent")) continue;
                var name = path + "." + property.Name;
                try
                {
                    var value = property.GetValue(about);
                    Count++;
                    if (depth > 0 && value is SmoCollectionBase) LookAt((ICollection)value, name, depth - 1);
                }
                catch (Exception error)
                {
                    if (!IsNotThere(error)) Failed.Add(name + ": " + Checks.Line(error));
                }
            }
        }

        void LookAt(ICollection collection, string path, int depth)
        {
            var looked = 0;
            foreach (SqlSmoObject item in collection)
            {
                // System objects are many, and each kind of them alike.
                var system = item.GetType().GetProperty("IsSystemObject");
                if (system != null && (bool)system.GetValue(item) && looked >= 3) continue;
                if (looked++ >= 40) break;
                Look(item, path, depth);
            }
        }
    }

    static void ScriptIsTheSame(string schema)
    {
        string made = "smo_" + schema, copy = "smo_" + schema + "_copy";
        Make(made, schema);
        Make(copy, null);
        var transfer = new Transfer(Connect().Databases[made])
        {
            CopyAllObjects = true,
            CopyAllUsers = true,
            CopyAllRoles = true,
            CopyAllSchemas = true,
            CopySchema = true,
            CopyData = false,
        };
        transfer.Options.DriAll = true;
        transfer.Options.Indexes = true;
        transfer.Options.Triggers = true;
        transfer.Options.ExtendedProperties = true;
        transfer.Options.Permissions = true;
        transfer.Options.Statistics = true;
        transfer.Options.ScriptOwner = true;
        transfer.Options.IncludeDatabaseRoleMemberships = true;
        transfer.Options.WithDependencies = true;
        var script = transfer.ScriptTransfer().Cast<string>().ToList();
        using (var connection = Checks.Open(Checks.Text(copy)))
        {
            foreach (var batch in script)
            {
                try
                {
                    Checks.One(connection, batch);
                }
                catch (SqlException error)
                {
                    throw new Exception(batch, error);
                }
            }
        }
        Catalog.Same(made, copy);
    }
}
