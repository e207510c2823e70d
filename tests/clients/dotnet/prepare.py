"""Makes the program of this folder in a directory: DIRECTORY. Its `run` starts it.

All of it comes in wheels of the Python package index: dotnetcore2 has the runtime (3.1), mssql-cli the assemblies of SQL Tools
Service (SqlClient, SMO, DacFx), and psycopg2-binary the OpenSSL 1.1 that this runtime wants. mcs compiles.
"""
import glob
import os
import pathlib
import re
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
WHEELS = {
    "dotnetcore2==3.1.23": [],
    "mssql-cli==1.0.0": [],
    # The last one that was linked with OpenSSL 1.1, for the Python of its day.
    "psycopg2-binary==2.8.6": ["--only-binary", ":all:", "--python-version", "38", "--platform", "manylinux1_x86_64"],
}


def unpacked(made):
    """The three wheels, unpacked."""
    marker = made / "unpacked"
    if not marker.exists():
        for wheel, more in WHEELS.items():
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(made / "wheels"), *more, wheel]
            subprocess.run(command, check=True)
        for file in (made / "wheels").glob("*.whl"):
            with zipfile.ZipFile(file) as wheel:
                wheel.extractall(made)
        marker.touch()
    return made / "dotnetcore2/bin", made / "mssqlcli/mssqltoolsservice/bin", made / "psycopg2_binary.libs"


def link(place, target):
    if not place.exists():
        place.symlink_to(target)


def icu():
    """The version of the system's ICU, which the runtime has to be told."""
    found = [re.search(r"\.so\.(\d+\.\d+)$", name) for name in glob.glob("/usr/lib/*/libicuuc.so.*") + glob.glob("/usr/lib/libicuuc.so.*")]
    versions = [match.group(1) for match in found if match]
    if not versions:
        sys.exit("no ICU is on this machine (libicu)")
    return max(versions, key=lambda version: [int(part) for part in version.split(".")])


def main():
    made = pathlib.Path(sys.argv[1]).resolve()
    made.mkdir(parents=True, exist_ok=True)
    runtime, service, openssl = unpacked(made)
    (framework,) = runtime.glob("shared/Microsoft.NETCore.App/*")
    (runtime / "dotnet").chmod(0o755)
    program = made / "program"
    program.mkdir(exist_ok=True)
    for assembly in service.glob("*.dll"):
        # The service is published with a runtime of its own.
        if not (framework / assembly.name).exists():
            link(program / assembly.name, assembly)
    for library in ("ssl", "crypto"):
        (file,) = openssl.glob(f"lib{library}-*.so.1.1*")
        link(openssl / f"lib{library}.so.1.1", file.name)
    references = [*framework.glob("System.*.dll"), framework / "netstandard.dll", framework / "mscorlib.dll",
                  program / "System.Data.SqlClient.dll", *program.glob("Microsoft.SqlServer*.dll")]
    sources = sorted(str(source) for source in HERE.glob("*.cs"))
    output = program / "checks.dll"
    subprocess.run(["mcs", "-nostdlib", "-noconfig", "-langversion:7", "-nowarn:1702", f"-out:{output}", *(f"-r:{file}" for file in references), *sources],
                   check=True)
    settings = program / "checks.runtimeconfig.json"
    settings.write_text('{"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "%s"}}}' % framework.name)
    run = made / "run"
    run.write_text(f"""#!/bin/sh
export LD_LIBRARY_PATH='{openssl}' CLR_ICU_VERSION_OVERRIDE={icu()}
exec '{runtime}/dotnet' exec '{output}' "$@"
""")
    run.chmod(0o755)


main()
