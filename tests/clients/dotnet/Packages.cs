// DacFx, as sqlpackage and SQL Server Data Tools use it: a database out as a package and in again.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.SqlServer.Dac;

static class Packages
{
    public static void Add(Action<string, Action> add)
    {
        foreach (var schema in Management.Schemas)
        {
            add("dacfx_publish_" + schema, () => Publish(schema));
            add("dacfx_import_" + schema, () => Import(schema));
        }
    }

    static DacServices Services(List<string> messages)
    {
        var services = new DacServices(Checks.Text("master"));
        services.Message += (sender, news) => messages.Add(news.Message.ToString());
        return services;
    }

    // What DacFx said besides is what explains its errors.
    static void Told(Action<DacServices> work)
    {
        var messages = new List<string>();
        try
        {
            work(Services(messages));
        }
        catch (Exception error)
        {
            throw new Exception(string.Join(" | ", messages.Where(text => text.StartsWith("Error")).Take(10)), error);
        }
    }

    static string Temporary(string name)
    {
        var path = Path.Combine(Path.GetTempPath(), "heddle-" + Guid.NewGuid() + "-" + name);
        return path;
    }

    static void Publish(string schema)
    {
        string made = "dac_" + schema, copy = "dac_" + schema + "_copy", file = Temporary(schema + ".dacpac");
        Management.Make(made, schema);
        Management.Make(copy, null);
        try
        {
            Told(services =>
            {
                services.Extract(file, made, schema, new Version(1, 0), null, null,
                    new DacExtractOptions { IgnorePermissions = false, VerifyExtraction = true });
                using (var package = DacPackage.Load(file))
                    services.Deploy(package, copy, true, new DacDeployOptions { IgnorePermissions = false });
            });
            Catalog.Same(made, copy);
        }
        finally
        {
            File.Delete(file);
        }
    }

    static void Import(string schema)
    {
        string made = "dac_" + schema, copy = "dac_" + schema + "_import", file = Temporary(schema + ".bacpac");
        Management.Make(made, schema);
        using (var connection = Checks.Open(Checks.Text("master"))) Management.Drop(connection, copy);
        try
        {
            Told(services =>
            {
                services.ExportBacpac(file, made);
                using (var package = BacPackage.Load(file)) services.ImportBacpac(package, copy);
            });
            Catalog.Same(made, copy);
            Catalog.SameData(made, copy);
        }
        finally
        {
            File.Delete(file);
        }
    }
}
