//! Settings of `heddle serve`: command line over environment over configuration file over defaults.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Deserialize;
use types::CollationId;

use crate::settings::config::{CONNECTIONS_DEFAULT, OPTIONS, cpus_of, option};
use crate::settings::startup::{self, StartupValues};
use crate::settings::strength;

/// Port when neither `--listen` nor `MSSQL_TCP_PORT` says otherwise.
const PORT_DEFAULT: u16 = 1433;

/// The instance that has no name of its own.
pub const INSTANCE_DEFAULT: &str = "MSSQLSERVER";
/// Characters of an instance's name.
const INSTANCE_LENGTH_MAX: usize = 16;

/// Of `--errorlog-size`.
const ERRORLOG_MB_DEFAULT: u32 = 20;
const ERRORLOG_MB_LEAST: i64 = 1;
const ERRORLOG_MB_MOST: i64 = 1_000;

/// Of `--archive-snapshot`, `--archive-retention` and `--archive-lag`. A hundred years of hours are more than anybody means.
const ARCHIVE_SNAPSHOT_HOURS: f64 = 24.0;
const ARCHIVE_RETENTION_HOURS: f64 = 168.0;
const ARCHIVE_HOURS_MOST: f64 = 876_000.0;
const ARCHIVE_LAG_BYTES: u64 = 16 << 30;

/// Of `--max-connections`. Each may have state in the region and in the sockets' layer; more than a million was never tried.
const CONNECTIONS_LEAST: i64 = 100;
const CONNECTIONS_MOST: i64 = 1_000_000;

/// Serve T-SQL over TDS: every SQL Server driver connects to it as it is.
#[derive(Args, Debug, Default, Clone)]
#[command(after_help = "\
--kernel, --workers, --cpus and --memory win over what sp_configure set ('kernel mode', 'lightweight pooling', 'affinity mask',
'max server memory (MB)'), which wins over the defaults; 'max worker threads' has no option here. sp_configure's value_in_use
is what really runs.

The environment of SQL Server's containers works too: MSSQL_SA_PASSWORD (or SA_PASSWORD), MSSQL_TCP_PORT, MSSQL_DATA_DIR,
MSSQL_MEMORY_LIMIT_MB, MSSQL_COLLATION; ACCEPT_EULA is ignored, and a name MSSQL_... that is not one of these is told in the log.

Examples:
  heddle serve                                        data in ./heddle-data, loopback port 1433, password made and printed once
  heddle serve --data :memory: --listen 127.0.0.1:0   keeps nothing, any free port (the ready line names it)
  heddle serve --workers thread --cpus 0-3            an operating system thread for each worker, four schedulers
  heddle serve --rwlock classic                       the read-write lock of SQL Server 2012, to compare with that of 2016
  heddle serve --http 127.0.0.1:8080                  a page that shows what the server does: http://127.0.0.1:8080/
  heddle serve --init schema/                         runs schema/*.sql in order on a new data directory")]
pub struct ServeArgs {
    /// Directory of the databases, made if it is missing; `:memory:` keeps nothing
    #[arg(long, value_name = "DIR")]
    pub data: Option<String>,
    /// Address and port to accept connections on [default: 127.0.0.1:1433]; port 0 takes a free one. Clients on this machine
    /// also come by the local transport of that port, `lpc:.,PORT`, whatever the address
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// Where the dedicated administrator connection is taken, or `off` [default: the loopback address and port 1434, or any free one,
    /// which the error log names]; from other machines only with sp_configure 'remote admin connections', 1
    #[arg(long, value_name = "ADDRESS:PORT|off")]
    pub admin_listen: Option<String>,
    /// Name of this instance, `host\NAME` for clients: 16 characters at most [default: MSSQLSERVER, the default instance, which clients
    /// call by the host's name alone]
    #[arg(long, value_name = "NAME")]
    pub instance: Option<String>,
    /// Answer clients that ask by UDP, as they ask SQL Server Browser, which port `host\NAME` has [default: off]. They ask port 1434;
    /// servers of one user on one machine share it
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub browser: Option<String>,
    /// Serve the live page, /metrics (Prometheus) and /health on this address [default: off]. On a loopback address without a
    /// login; on others only with --tls-certificate, to the server's logins
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub http: Option<String>,
    /// Password of `sa`; without one on a new data directory, one is made and printed once. At least 8 characters of three kinds. Other
    /// users of the machine can see it in the list of processes: --sa-password-file or MSSQL_SA_PASSWORD keep it from them
    #[arg(long, value_name = "PASSWORD", conflicts_with = "sa_password_file")]
    pub sa_password: Option<String>,
    /// File whose first line is the password of `sa`; `-` is the standard input
    #[arg(long, value_name = "FILE")]
    pub sa_password_file: Option<PathBuf>,
    /// Take any password for `sa`, and make its login without CHECK_POLICY: no wrong passwords lock it. For development
    #[arg(long)]
    pub no_password_policy: bool,
    /// Engines are threads of this process, or processes over shared memory [default: sp_configure 'kernel mode', else threaded]
    #[arg(long, value_enum)]
    pub kernel: Option<Kernel>,
    /// Engines of the process kernel, 1 to 128 [default: sp_configure 'max online engines', else one for each CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    pub engines: Option<u32>,
    /// Workers are user-mode fibers (SQL Server's "lightweight pooling") or operating system threads [default: sp_configure 'lightweight pooling', else fiber]
    #[arg(long, value_enum)]
    pub workers: Option<Workers>,
    /// Read-write locks inside: `classic` takes a spinlock for every read (SQL Server 2012), `atomic` changes one word instead (2016),
    /// `biased` lets readers on different CPUs write no common word, and makes writers slower for it [default: atomic]
    #[arg(long, value_enum)]
    pub rwlock: Option<RwLock>,
    /// Who runs next of those who can: `ldf`, large deficit first: who used little of its quantum of 4 ms goes on with it before
    /// others begin theirs (SQL Server 2016); `fifo`: first come, first served (2014) [default: ldf]
    #[arg(long, value_enum)]
    pub scheduling: Option<Scheduling>,
    /// CPUs to run on, one scheduler each: `0-3,6` [default: sp_configure 'affinity mask', else all that the process may use]
    #[arg(long, value_name = "LIST")]
    pub cpus: Option<String>,
    /// Bind the threads of each scheduler to its CPU, also without an affinity mask: thread workers switch faster, and cannot move out
    /// of another program's way [default: true for thread workers without a CPU quota, else false]
    #[arg(long, value_name = "true|false")]
    pub bind_workers: Option<bool>,
    /// All memory but the program's own: `512MB`, `4GB`; of it memory-optimized tables may take up to 80 %, queries half [default: sp_configure 'max server memory (MB)', else half of what the container or machine has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Most that sorts, hash tables and spools of one engine, which there was no memory for, have on disk at a time; beyond it a statement
    /// ends with error 1105 [default: 64GB]
    #[arg(long, value_name = "SIZE")]
    pub spill_size: Option<String>,
    /// Kilobytes that the operators of one query hold before they spill, for tests of that [default: an eighth of --memory]
    #[arg(long, value_name = "N", hide = true)]
    pub query_memory_kb: Option<u32>,
    /// Connections open at a time, 100 to 1000000 [default: 32767, SQL Server's limit; above it session numbers are int, not smallint]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(CONNECTIONS_LEAST..=CONNECTIONS_MOST))]
    pub max_connections: Option<u32>,
    /// Microseconds a busy scheduler looks for more work before it sleeps, ten times as long while it is busy [default: 200, and 0 with one CPU]
    #[arg(long, value_name = "MICROSECONDS")]
    pub idle_spin: Option<u32>,
    /// TOML file with these settings, named as here
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// T-SQL script, or a directory of them, to run once on a new data directory
    #[arg(long, value_name = "FILE|DIR")]
    pub init: Option<PathBuf>,
    /// Directory that BULK INSERT and OPENROWSET(BULK ...) may read and write their error files in, besides `bulk` in the data directory;
    /// may be given several times
    #[arg(long, value_name = "DIR")]
    pub bulk_directory: Vec<PathBuf>,
    /// Most that all backups together read of their databases in a second, at least 1MB [default: no limit]
    #[arg(long, value_name = "SIZE")]
    pub backup_rate: Option<String>,
    /// Encryption of connections: `optional`, as the client asks; `required`, a client that cannot encrypt is refused (mssql.conf's
    /// forceencryption); `strict`, only TDS 8.0, where all of a connection is TLS [default: optional]
    #[arg(long, value_enum)]
    pub encrypt: Option<Encrypt>,
    /// Megabytes after which a file of the error log (log/errorlog in the data directory) is put aside, 1 to 1000; six older ones are
    /// kept, and each start begins a new one [default: 20]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(ERRORLOG_MB_LEAST..=ERRORLOG_MB_MOST))]
    pub errorlog_size: Option<u32>,
    /// PEM certificate for TLS; SIGHUP has it read again. Without one, a self-signed certificate is made and kept with the data
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// PEM private key of the certificate; nobody but its owner may read it
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Directory on another disk, or s3://bucket/path, that the log is shipped to every second and snapshots of all databases are put into:
    /// `heddle restore` brings the whole instance back from it, up to any moment. One server writes an archive. Keys and endpoint of S3
    /// are told as to AWS's tools: AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL_S3, ~/.aws
    #[arg(long, value_name = "DIR|s3://BUCKET/PATH")]
    pub archive: Option<String>,
    /// Hours between two snapshots of --archive; also fractions [default: 24]
    #[arg(long, value_name = "HOURS", requires = "archive")]
    pub archive_snapshot: Option<f64>,
    /// Hours that --archive can restore any moment of; what is older goes at the next snapshot [default: 168, a week]
    #[arg(long, value_name = "HOURS", requires = "archive")]
    pub archive_retention: Option<f64>,
    /// Most log that is kept while --archive does not take it; beyond it the archive has a gap and begins anew with a snapshot. Without a
    /// database under FULL or BULK_LOGGED never more than 256MB [default: 16GB]
    #[arg(long, value_name = "SIZE", requires = "archive")]
    pub archive_lag: Option<String>,
}

#[derive(ValueEnum, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kernel {
    Threaded,
    Process,
}

#[derive(ValueEnum, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Workers {
    Fiber,
    Thread,
}

#[derive(ValueEnum, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RwLock {
    Classic,
    Atomic,
    Biased,
}

#[derive(ValueEnum, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Scheduling {
    Ldf,
    Fifo,
}

#[derive(ValueEnum, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Encrypt {
    Optional,
    Required,
    Strict,
}

/// The configuration file. An unknown name is an error: a misspelt setting must not pass in silence.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileSettings {
    data: Option<String>,
    listen: Option<String>,
    admin_listen: Option<String>,
    http: Option<String>,
    instance: Option<String>,
    browser: Option<String>,
    sa_password: Option<String>,
    sa_password_file: Option<PathBuf>,
    no_password_policy: Option<bool>,
    kernel: Option<Kernel>,
    engines: Option<u32>,
    workers: Option<Workers>,
    rwlock: Option<RwLock>,
    scheduling: Option<Scheduling>,
    cpus: Option<String>,
    bind_workers: Option<bool>,
    memory: Option<String>,
    spill_size: Option<String>,
    max_connections: Option<u32>,
    idle_spin: Option<u32>,
    init: Option<PathBuf>,
    #[serde(default)]
    bulk_directory: Vec<PathBuf>,
    backup_rate: Option<String>,
    encrypt: Option<Encrypt>,
    errorlog_size: Option<u32>,
    tls_certificate: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    archive: Option<String>,
    archive_snapshot: Option<f64>,
    archive_retention: Option<f64>,
    archive_lag: Option<String>,
}

/// Where the instance is archived, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveSettings {
    /// A directory, or `s3://bucket/path`.
    pub place: String,
    /// Between two snapshots, in ticks of 100 ns.
    pub snapshot_ticks: u64,
    /// How far back any moment can be restored, in ticks of 100 ns.
    pub retention_ticks: u64,
    /// Of log that waits for it.
    pub lag_bytes: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DataLocation {
    Memory,
    Directory(PathBuf),
}

/// Where the dedicated administrator connection is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AdminListen {
    /// On the loopback address, at port 1434, or at any that is free.
    Usual,
    At(SocketAddr),
    Off,
}

/// What the server runs with.
#[derive(Debug, Clone)]
pub struct Settings {
    pub data: DataLocation,
    pub listen: SocketAddr,
    pub admin_listen: AdminListen,
    /// Where the live page is served. None: nowhere. Not a loopback address: `tls` is given.
    pub http: Option<SocketAddr>,
    /// `INSTANCE_DEFAULT`, or the name of a named instance.
    pub instance: String,
    /// Where SQL Server Browser's requests are answered (UDP). None: nowhere.
    pub browser: Option<SocketAddr>,
    pub sa_password: Option<String>,
    /// A new server's `sa` has CHECK_POLICY.
    pub password_policy: bool,
    /// Of new data, and what data that are there must have. None: SQL_Latin1_General_CP1_CI_AS, or what is there.
    pub collation: Option<CollationId>,
    pub kernel: Kernel,
    /// Of the process kernel. None: one for each CPU it may use.
    pub engines: Option<u32>,
    pub workers: Workers,
    pub rwlock: RwLock,
    pub scheduling: Scheduling,
    /// None: all CPUs that the process may use.
    pub cpus: Option<Vec<usize>>,
    /// None: thread workers are, without a CPU quota.
    pub bind_workers: Option<bool>,
    /// None: half of what the container or machine has.
    pub memory_bytes: Option<u64>,
    pub spill_bytes: u64,
    /// None: a part of the memory.
    pub query_memory_bytes: Option<usize>,
    pub max_connections: u32,
    pub idle_spin_us: Option<u32>,
    pub init: Option<PathBuf>,
    /// Where BULK INSERT may read, besides a directory of the data.
    pub bulk_directories: Vec<PathBuf>,
    /// Bytes a second that backups read of their databases.
    pub backup_rate: Option<u64>,
    pub encrypt: Encrypt,
    /// Of a file of the error log.
    pub errorlog_bytes: u64,
    pub tls: Option<(PathBuf, PathBuf)>,
    /// None: it is not.
    pub archive: Option<ArchiveSettings>,
    /// What sp_configure left for this start: `affinity mask` and `max worker threads` are used as they are here.
    pub startup: StartupValues,
}

impl Settings {
    /// None: the default instance.
    pub fn named_instance(&self) -> Option<&str> {
        (self.instance != INSTANCE_DEFAULT).then_some(self.instance.as_str())
    }

    /// `@@SERVERNAME`: `HOST`, or `HOST\NAME`.
    pub fn server_name(&self) -> String {
        let host = os::env::host_name();
        self.named_instance().map_or(host.clone(), |name| format!("{host}\\{name}"))
    }
}

/// A setting that cannot be used; the text names it and says what is allowed.
#[derive(Debug)]
pub struct SettingError(pub String);

impl std::fmt::Display for SettingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingError {}

/// `read_file` reads the configuration file, `environment` looks up a variable: both come from the caller, since files and
/// environment belong to `os`.
pub fn resolve(
    args: ServeArgs,
    read_file: impl Fn(&std::path::Path) -> Result<String, String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Settings, SettingError> {
    let file = match &args.config {
        None => FileSettings::default(),
        Some(path) => {
            let text =
                read_file(path).map_err(|error| SettingError(format!("--config {}: {error}", path.display())))?;
            toml::from_str(&text).map_err(|error| SettingError(format!("--config {}: {error}", path.display())))?
        }
    };
    let data = match args.data.or_else(|| environment("MSSQL_DATA_DIR")).or(file.data) {
        Some(text) if text == ":memory:" => DataLocation::Memory,
        Some(text) if text.is_empty() => return Err(SettingError("--data needs a directory".into())),
        Some(text) => DataLocation::Directory(text.into()),
        None => DataLocation::Directory("heddle-data".into()),
    };
    let startup = match &data {
        DataLocation::Memory => StartupValues::default(),
        DataLocation::Directory(directory) => startup_values(&startup::path(directory), &read_file)?,
    };
    let kernel_mode =
        startup.get(option::KERNEL_MODE).map(|mode| if mode == 1 { Kernel::Process } else { Kernel::Threaded });
    let engines_configured = startup.get(option::MAX_ONLINE_ENGINES).and_then(|count| u32::try_from(count).ok());
    let engines = args.engines.or(file.engines).or(engines_configured.filter(|count| *count > 0));
    if engines.is_some_and(|count| !(1..=os::engines::ENGINES_MAX as u32).contains(&count)) {
        return Err(SettingError("engines: there may be 1 to 128".into()));
    }
    let max_connections = args.max_connections.or(file.max_connections).unwrap_or(CONNECTIONS_DEFAULT);
    if !(CONNECTIONS_LEAST..=CONNECTIONS_MOST).contains(&max_connections.into()) {
        return Err(SettingError("max-connections: 100 to 1000000".into()));
    }
    let errorlog_mb = args.errorlog_size.or(file.errorlog_size).unwrap_or(ERRORLOG_MB_DEFAULT);
    if !(ERRORLOG_MB_LEAST..=ERRORLOG_MB_MOST).contains(&errorlog_mb.into()) {
        return Err(SettingError("errorlog-size: 1 to 1000 megabytes".into()));
    }
    let listen = listen(args.listen, file.listen, &environment)?;
    let admin_listen = match args.admin_listen.or(file.admin_listen) {
        None => AdminListen::Usual,
        Some(text) if text.eq_ignore_ascii_case("off") => AdminListen::Off,
        Some(text) => AdminListen::At(parse_listen("--admin-listen", &text)?),
    };
    let archive = archive_settings(
        (args.archive.or(file.archive), args.archive_lag.or(file.archive_lag)),
        [args.archive_snapshot.or(file.archive_snapshot), args.archive_retention.or(file.archive_retention)],
    )?;
    let tls = tls_files(args.tls_certificate.or(file.tls_certificate), args.tls_key.or(file.tls_key))?;
    let http = args.http.or(file.http).map(|text| parse_listen("--http", &text)).transpose()?;
    if let Some(address) = http.filter(|address| !address.ip().is_loopback() && tls.is_none()) {
        return Err(SettingError(format!(
            "--http {address}: passwords would cross the network in the open; give --tls-certificate and --tls-key, or a loopback address such as 127.0.0.1:{}",
            address.port()
        )));
    }
    let browser = args.browser.or(file.browser).map(|text| parse_listen("--browser", &text)).transpose()?;
    let memory = memory_bytes(args.memory.or(file.memory), &environment, &startup)?;
    let pooling = startup.get(option::LIGHTWEIGHT_POOLING).unwrap_or(OPTIONS[option::LIGHTWEIGHT_POOLING].default);
    let workers_configured = if pooling == 1 { Workers::Fiber } else { Workers::Thread };
    let password_policy = !(args.no_password_policy || file.no_password_policy.unwrap_or(false));
    let told = (args.sa_password, args.sa_password_file);
    let sa_password = sa_password(told, (file.sa_password, file.sa_password_file), &read_file, &environment)?;
    if let Some(password) = &sa_password {
        check_sa_password(password, password_policy)?;
    }
    Ok(Settings {
        data,
        listen,
        admin_listen,
        http,
        instance: parse_instance(args.instance.or(file.instance).as_deref().unwrap_or(INSTANCE_DEFAULT))?,
        browser,
        sa_password,
        password_policy,
        collation: environment("MSSQL_COLLATION").map(|name| collation_named(&name)).transpose()?,
        kernel: args.kernel.or(file.kernel).or(kernel_mode).unwrap_or(Kernel::Threaded),
        engines,
        workers: args.workers.or(file.workers).unwrap_or(workers_configured),
        rwlock: args.rwlock.or(file.rwlock).unwrap_or(RwLock::Atomic),
        scheduling: args.scheduling.or(file.scheduling).unwrap_or(Scheduling::Ldf),
        bind_workers: args.bind_workers.or(file.bind_workers),
        cpus: args.cpus.or(file.cpus).map(|list| parse_cpus(&list)).transpose()?,
        memory_bytes: memory,
        spill_bytes: size_or("--spill-size", args.spill_size.or(file.spill_size), SPILL_BYTES)?,
        query_memory_bytes: args.query_memory_kb.map(|kb| kb as usize * 1024),
        max_connections,
        idle_spin_us: args.idle_spin.or(file.idle_spin),
        init: args.init.or(file.init),
        bulk_directories: if args.bulk_directory.is_empty() { file.bulk_directory } else { args.bulk_directory },
        backup_rate: args.backup_rate.or(file.backup_rate).map(|text| rate(&text)).transpose()?,
        encrypt: args.encrypt.or(file.encrypt).unwrap_or(Encrypt::Optional),
        errorlog_bytes: u64::from(errorlog_mb) << 20,
        tls,
        archive,
        startup,
    })
}

/// None: half of what the container or machine has.
fn memory_bytes(
    given: Option<String>,
    environment: impl Fn(&str) -> Option<String>,
    startup: &StartupValues,
) -> Result<Option<u64>, SettingError> {
    match given {
        Some(text) => parse_size(&text).map(Some),
        None => match environment("MSSQL_MEMORY_LIMIT_MB") {
            Some(text) => parse_size(&format!("{text}MB")).map(Some),
            None => Ok(memory_configured(startup)),
        },
    }
}

fn tls_files(certificate: Option<PathBuf>, key: Option<PathBuf>) -> Result<Option<(PathBuf, PathBuf)>, SettingError> {
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
        (None, None) => Ok(None),
        _ => Err(SettingError("tls-certificate and tls-key: one is of no use without the other".into())),
    }
}

fn archive_settings(
    (place, lag): (Option<String>, Option<String>),
    [snapshot_hours, retention_hours]: [Option<f64>; 2],
) -> Result<Option<ArchiveSettings>, SettingError> {
    let Some(place) = place else {
        let is_given = snapshot_hours.is_some() || retention_hours.is_some() || lag.is_some();
        let without = || SettingError("archive-snapshot, archive-retention and archive-lag are of an --archive".into());
        return if is_given { Err(without()) } else { Ok(None) };
    };
    if place.is_empty() {
        return Err(SettingError("--archive needs a directory, or s3://bucket/path".into()));
    }
    let ticks = |name: &str, hours: f64| {
        let wrong = || {
            SettingError(format!(
                "--archive-{name}: '{hours}' is not a number of hours, more than 0 and at most {ARCHIVE_HOURS_MOST}"
            ))
        };
        let is_some = hours > 0.0 && hours <= ARCHIVE_HOURS_MOST;
        if is_some { Ok((hours * 36e9) as u64) } else { Err(wrong()) }
    };
    Ok(Some(ArchiveSettings {
        place,
        snapshot_ticks: ticks("snapshot", snapshot_hours.unwrap_or(ARCHIVE_SNAPSHOT_HOURS))?,
        retention_ticks: ticks("retention", retention_hours.unwrap_or(ARCHIVE_RETENTION_HOURS))?,
        lag_bytes: size_or("--archive-lag", lag, ARCHIVE_LAG_BYTES)?,
    }))
}

/// As given by the command line, the environment or the configuration file, or as the first line of the file that one of these names.
fn sa_password(
    told: (Option<String>, Option<PathBuf>),
    configured: (Option<String>, Option<PathBuf>),
    read_file: impl Fn(&std::path::Path) -> Result<String, String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Option<String>, SettingError> {
    let from_file = |path: PathBuf| {
        let text = read_file(&path).map_err(|error| format!("--sa-password-file {}: {error}", path.display()));
        text.map(|text| text.lines().next().map(str::to_owned)).map_err(SettingError)
    };
    let found = || environment("MSSQL_SA_PASSWORD").or_else(|| environment("SA_PASSWORD"));
    match (told, found(), configured) {
        ((Some(password), _), ..) | ((None, None), Some(password), _) => Ok(Some(password)),
        ((None, Some(path)), ..) | ((None, None), None, (None, Some(path))) => {
            from_file(path).map(|password| Some(password.unwrap_or_default()))
        }
        ((None, None), None, (password, _)) => Ok(password),
    }
}

/// `policy`: as a login's with CHECK_POLICY is checked, by its defaults, since options of master are not there yet.
fn check_sa_password(password: &str, policy: bool) -> Result<(), SettingError> {
    if password.is_empty() {
        return Err(SettingError("the password of sa must not be empty".into()));
    }
    if password.encode_utf16().count() > strength::LENGTH_MAX {
        return Err(SettingError(format!(
            "the password of sa must have no more than {} characters",
            strength::LENGTH_MAX
        )));
    }
    let length_min = OPTIONS[option::PASSWORD_LENGTH_MIN].default as usize;
    match strength::check(password, "sa", "", length_min) {
        Err(weak) if policy => {
            let switch = "(--no-password-policy takes any password, for development)";
            Err(SettingError(format!("{} {switch}", weak.of_setup())))
        }
        _ => Ok(()),
    }
}

/// Where ordinary connections are taken.
fn listen(
    given: Option<String>,
    of_file: Option<String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<SocketAddr, SettingError> {
    Ok(match given {
        Some(text) => parse_listen("--listen", &text)?,
        None => match (environment("MSSQL_TCP_PORT"), of_file) {
            (Some(port), _) => {
                let port = port
                    .parse()
                    .map_err(|_| SettingError(format!("MSSQL_TCP_PORT: '{port}' is not a port number (0 to 65535)")))?;
                SocketAddr::from(([127, 0, 0, 1], port))
            }
            (None, Some(text)) => parse_listen("listen", &text)?,
            (None, None) => SocketAddr::from(([127, 0, 0, 1], PORT_DEFAULT)),
        },
    })
}

/// Variables of the environment that are meant for the server and that it does not know: it must not pass them over in silence.
pub fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
    const KNOWN: &[&str] =
        &["MSSQL_COLLATION", "MSSQL_DATA_DIR", "MSSQL_MEMORY_LIMIT_MB", "MSSQL_SA_PASSWORD", "MSSQL_TCP_PORT"];
    let mut unknown: Vec<String> =
        names.filter(|name| name.starts_with("MSSQL_") && !KNOWN.contains(&name.as_str())).collect();
    unknown.sort();
    unknown
}

fn collation_named(name: &str) -> Result<CollationId, SettingError> {
    let none =
        || format!("MSSQL_COLLATION: '{name}' is not a collation of this server (sys.fn_helpcollations lists them)");
    types::collation::lookup(name).ok_or_else(|| SettingError(none()))
}

/// A directory without the file is one where nobody set anything.
fn startup_values(
    path: &std::path::Path,
    read_file: impl Fn(&std::path::Path) -> Result<String, String>,
) -> Result<StartupValues, SettingError> {
    let Ok(text) = read_file(path) else { return Ok(StartupValues::default()) };
    StartupValues::parse(&text).map_err(|error| {
        SettingError(format!("{}: {error}; without the file, this start uses the defaults", path.display()))
    })
}

/// `max server memory (MB)`, None at its default: the server decides. Never below what a server needs.
fn memory_configured(startup: &StartupValues) -> Option<u64> {
    let mb = startup.get(option::MAX_SERVER_MEMORY)?;
    (mb < OPTIONS[option::MAX_SERVER_MEMORY].maximum).then_some((mb as u64) << 20)
}

impl Settings {
    /// `affinity mask` and `affinity64 mask`; None where `--cpus` decides or nobody set them.
    pub fn cpus_configured(&self) -> Option<Vec<usize>> {
        let mask = |index| self.startup.get(index).unwrap_or(0);
        let cpus = cpus_of(mask(option::AFFINITY_MASK), mask(option::AFFINITY64_MASK));
        (self.cpus.is_none() && !cpus.is_empty()).then_some(cpus)
    }

    /// `max worker threads`; 0: as many as SQL Server would have.
    pub fn max_worker_threads(&self) -> u32 {
        self.startup.get(option::MAX_WORKER_THREADS).map_or(0, |count| count as u32)
    }
}

/// `1433`, `127.0.0.1:1433`, `[::1]:1433`, `localhost:1433`.
fn parse_listen(name: &str, text: &str) -> Result<SocketAddr, SettingError> {
    let wrong = || SettingError(format!("{name}: '{text}' is not an address and port, such as 127.0.0.1:1433"));
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    text.replace("localhost:", "127.0.0.1:").parse().map_err(|_| wrong())
}

/// The rules of SQL Server's setup, of which only letters without accents are taken: the protocol that tells names has no code page.
/// https://learn.microsoft.com/sql/sql-server/install/instance-configuration
pub fn parse_instance(name: &str) -> Result<String, SettingError> {
    let wrong = |why: &str| Err(SettingError(format!("--instance: '{name}' {why}")));
    if name.eq_ignore_ascii_case(INSTANCE_DEFAULT) {
        return Ok(INSTANCE_DEFAULT.to_owned());
    }
    if name.eq_ignore_ascii_case("default") {
        return wrong("is a reserved word; MSSQLSERVER is the default instance");
    }
    let first = name.bytes().next().is_some_and(|byte| byte == b'_' || byte.is_ascii_alphabetic());
    if !first || !name.bytes().all(|byte| matches!(byte, b'_' | b'$') || byte.is_ascii_alphanumeric()) {
        return wrong("is not a name: a letter or _, then letters, digits, _ and $");
    }
    if name.len() > INSTANCE_LENGTH_MAX {
        return wrong("is longer than 16 characters");
    }
    Ok(name.to_owned())
}

/// Of `--spill-size`.
const SPILL_BYTES: u64 = 64 << 30;

/// `--memory`: at least 64 MB.
pub fn parse_size(text: &str) -> Result<u64, SettingError> {
    let bytes = size_of("--memory", text)?;
    if bytes < 64 << 20 {
        return Err(SettingError(format!("--memory: '{text}' is too little; the server needs at least 64MB")));
    }
    Ok(bytes)
}

fn size_or(name: &str, text: Option<String>, otherwise: u64) -> Result<u64, SettingError> {
    text.map_or(Ok(otherwise), |text| size_of(name, &text))
}

/// Of `--backup-rate`: less than a few pieces a second would come by jerks.
fn rate(text: &str) -> Result<u64, SettingError> {
    let bytes = size_of("--backup-rate", text)?;
    if bytes < 1 << 20 {
        return Err(SettingError(format!("--backup-rate: '{text}' is too little; at least 1MB a second")));
    }
    Ok(bytes)
}

/// `536870912`, `512MB`, `4 GB`, `4g`. In bytes.
fn size_of(name: &str, text: &str) -> Result<u64, SettingError> {
    let wrong = || SettingError(format!("{name}: '{text}' is not a size, such as 512MB or 4GB"));
    let upper = text.trim().to_ascii_uppercase();
    let split = upper.find(|c: char| !c.is_ascii_digit()).unwrap_or(upper.len());
    let (digits, unit) = upper.split_at(split);
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let shift = match unit.trim().trim_end_matches("IB").trim_end_matches('B') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(wrong()),
    };
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

/// `0-3,6` in order, without repeats.
pub fn parse_cpus(text: &str) -> Result<Vec<usize>, SettingError> {
    const CPU_MAX: usize = 1023;
    let wrong = || SettingError(format!("--cpus: '{text}' is not a list of CPUs, such as 0-3,6"));
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: usize = first.trim().parse().map_err(|_| wrong())?;
        let last: usize = last.trim().parse().map_err(|_| wrong())?;
        if first > last || last > CPU_MAX {
            return Err(wrong());
        }
        cpus.extend(first..=last);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(args: ServeArgs, file: &str, environment: &[(&str, &str)]) -> Result<Settings, SettingError> {
        after_configuring("", args, file, environment)
    }

    /// On a data directory where sp_configure left `startup`.
    fn after_configuring(
        startup: &str,
        args: ServeArgs,
        file: &str,
        environment: &[(&str, &str)],
    ) -> Result<Settings, SettingError> {
        resolve(
            args,
            |path| Ok(if path.ends_with("startup.toml") { startup.into() } else { file.into() }),
            |name| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into()),
        )
    }

    #[test]
    fn defaults_are_loopback_fibers_and_a_local_directory() {
        let settings = settings(ServeArgs::default(), "", &[]).expect("defaults hold");
        assert_eq!(settings.listen.to_string(), "127.0.0.1:1433");
        assert_eq!(settings.workers, Workers::Fiber);
        assert_eq!(settings.rwlock, RwLock::Atomic);
        assert_eq!(settings.data, DataLocation::Directory("heddle-data".into()));
    }

    #[test]
    fn command_line_wins_over_environment_over_file() {
        let file = "listen = \"127.0.0.1:1111\"\nworkers = \"thread\"\nmemory = \"1GB\"\nrwlock = \"biased\"";
        let config = || ServeArgs { config: Some("x.toml".into()), ..ServeArgs::default() };
        let from_file = settings(config(), file, &[]).expect("file");
        assert_eq!((from_file.listen.port(), from_file.workers), (1111, Workers::Thread));
        assert_eq!((from_file.memory_bytes, from_file.rwlock), (Some(1 << 30), RwLock::Biased));
        let from_environment = settings(config(), file, &[("MSSQL_TCP_PORT", "2222")]).expect("environment");
        assert_eq!(from_environment.listen.port(), 2222);
        let args = ServeArgs { listen: Some("3333".into()), rwlock: Some(RwLock::Classic), ..config() };
        let from_args = settings(args, file, &[("MSSQL_TCP_PORT", "2222")]).expect("arguments");
        assert_eq!((from_args.listen.port(), from_args.rwlock), (3333, RwLock::Classic));
    }

    #[test]
    fn variables_that_nobody_knows_are_named() {
        let given = ["PATH", "MSSQL_PID", "MSSQL_TCP_PORT", "MSSQL_AGENT_ENABLED", "ACCEPT_EULA"];
        assert_eq!(unknown_variables(given.iter().map(|name| name.to_string())), ["MSSQL_AGENT_ENABLED", "MSSQL_PID"]);
    }

    #[test]
    fn the_command_line_wins_over_sp_configure_over_defaults() {
        let stored = "\"lightweight pooling\" = 0\n\"affinity mask\" = 5\n\"max server memory (MB)\" = 512\n\"max worker threads\" = 300";
        let configured = after_configuring(stored, ServeArgs::default(), "", &[]).expect("stored");
        assert_eq!((configured.workers, configured.memory_bytes), (Workers::Thread, Some(512 << 20)));
        assert_eq!((configured.cpus_configured(), configured.max_worker_threads()), (Some(vec![0, 2]), 300));
        let args = ServeArgs {
            workers: Some(Workers::Fiber),
            cpus: Some("1".into()),
            memory: Some("256MB".into()),
            ..ServeArgs::default()
        };
        let told = after_configuring(stored, args, "", &[]).expect("told");
        assert_eq!((told.workers, told.memory_bytes), (Workers::Fiber, Some(256 << 20)));
        assert_eq!((told.cpus_configured(), told.cpus), (None, Some(vec![1])));
        let kernel = |kernel| {
            let args = ServeArgs { kernel, ..ServeArgs::default() };
            let stored = "\"kernel mode\" = 1\n\"max online engines\" = 3";
            let settings = after_configuring(stored, args, "", &[]).expect("stored");
            (settings.kernel, settings.engines)
        };
        assert_eq!(kernel(None), (Kernel::Process, Some(3)));
        assert_eq!(kernel(Some(Kernel::Threaded)), (Kernel::Threaded, Some(3)));
        assert!(after_configuring("what", ServeArgs::default(), "", &[]).is_err());
        let kept = ServeArgs { data: Some(":memory:".into()), ..ServeArgs::default() };
        assert_eq!(after_configuring(stored, kept, "", &[]).expect("no directory").workers, Workers::Fiber);
    }

    #[test]
    fn wrong_settings_name_themselves() {
        let with = |change: fn(&mut ServeArgs)| {
            let mut args = ServeArgs::default();
            change(&mut args);
            settings(args, "speed = 11", &[]).expect_err("refused").to_string()
        };
        assert!(with(|a| a.listen = Some("nowhere".into())).contains("--listen: 'nowhere'"));
        assert!(with(|a| a.memory = Some("2 bags".into())).contains("--memory: '2 bags'"));
        assert!(with(|a| a.memory = Some("1KB".into())).contains("at least 64MB"));
        assert!(with(|a| a.cpus = Some("3-1".into())).contains("--cpus: '3-1'"));
        assert!(with(|a| a.engines = Some(129)).contains("1 to 128"));
        assert!(with(|a| a.config = Some("x.toml".into())).contains("speed"));
    }

    /// As SQL Server's setup: learn.microsoft.com/sql/linux/sql-server-linux-docker-container-troubleshooting.
    #[test]
    fn a_password_of_sa_is_strong_or_refused() {
        let with = |change: fn(&mut ServeArgs), file: &str, environment: &[(&str, &str)]| {
            let mut args = ServeArgs { config: Some("x.toml".into()), ..ServeArgs::default() };
            change(&mut args);
            settings(args, file, environment).map(|settings| settings.sa_password).map_err(|error| error.0)
        };
        let refused = |change: fn(&mut ServeArgs)| with(change, "", &[]).expect_err("refused");
        assert!(refused(|a| a.sa_password = Some(String::new())).contains("must not be empty"));
        assert!(refused(|a| a.sa_password = Some("Sh0rt!".into())).contains("because it is too short"));
        assert!(refused(|a| a.sa_password = Some("onlyletters".into())).contains("three of the following four sets"));
        assert!(refused(|a| a.sa_password = Some("Xx1".repeat(50))).contains("no more than 128"));
        let weak = [("MSSQL_SA_PASSWORD", "weak")];
        assert!(with(|_| {}, "", &weak).expect_err("refused").contains("--no-password-policy"));
        let any = |args: &mut ServeArgs| args.no_password_policy = true;
        assert_eq!(with(any, "", &weak), Ok(Some("weak".into())));
        assert_eq!(with(|_| {}, "no-password-policy = true\nsa-password = \"weak\"", &[]), Ok(Some("weak".into())));
    }

    #[test]
    fn the_password_of_sa_may_be_a_files_first_line() {
        let read = |path: &std::path::Path| match path.to_str() {
            Some("secret") => Ok("Loom-1-loom\nsecond\n".to_owned()),
            Some("x.toml") => Ok("sa-password-file = \"secret\"".to_owned()),
            _ => Err("not there".to_owned()),
        };
        let with = |args: ServeArgs| resolve(args, read, |_| None).map(|settings| settings.sa_password);
        let args = |path: &str| ServeArgs {
            sa_password_file: Some(path.into()),
            data: Some(":memory:".into()),
            ..ServeArgs::default()
        };
        assert_eq!(with(args("secret")).expect("read").as_deref(), Some("Loom-1-loom"));
        assert!(with(args("elsewhere")).expect_err("missing").0.contains("--sa-password-file elsewhere: not there"));
        let from_file =
            ServeArgs { config: Some("x.toml".into()), data: Some(":memory:".into()), ..ServeArgs::default() };
        assert_eq!(with(from_file).expect("read").as_deref(), Some("Loom-1-loom"));
    }

    #[test]
    fn the_live_page_is_off_local_or_encrypted() {
        let http = |address: &str, tls: bool| {
            let path = || tls.then(|| PathBuf::from("x.pem"));
            let args = ServeArgs {
                http: Some(address.into()),
                tls_certificate: path(),
                tls_key: path(),
                ..ServeArgs::default()
            };
            settings(args, "", &[]).map(|settings| settings.http.expect("given").to_string()).map_err(|error| error.0)
        };
        assert_eq!(settings(ServeArgs::default(), "", &[]).expect("defaults").http, None);
        assert_eq!(http("8080", false).expect("loopback"), "127.0.0.1:8080");
        assert_eq!(http("[::1]:8080", false).expect("loopback"), "[::1]:8080");
        for address in ["0.0.0.0:8080", "[::]:8080", "192.0.2.1:8080", "[::ffff:127.0.0.1]:8080"] {
            assert!(http(address, false).expect_err("refused").contains("--tls-certificate"), "{address}");
            assert_eq!(http(address, true).expect("encrypted"), address);
        }
        assert!(http("page", false).expect_err("refused").contains("--http: 'page'"));
    }

    #[test]
    fn an_instance_has_a_name_by_the_rules_of_setup() {
        assert_eq!(parse_instance("MSSQLServer").expect("the default"), INSTANCE_DEFAULT);
        for name in ["SALES", "_a", "s$1", "abcdefghijklmnop"] {
            assert_eq!(parse_instance(name).expect("a name"), name);
        }
        for name in ["", "Default", "1st", "a b", "a-b", "a\\b", "a;b", "é", "abcdefghijklmnopq"] {
            assert!(parse_instance(name).expect_err("refused").0.contains("--instance"), "{name}");
        }
        let args = ServeArgs { browser: Some("0.0.0.0:1434".into()), config: Some("f".into()), ..ServeArgs::default() };
        let named = settings(args, "instance = \"SALES\"", &[]).expect("a named instance");
        assert_eq!((named.named_instance(), named.browser.map(|at| at.port())), (Some("SALES"), Some(1434)));
        assert!(named.server_name().ends_with("\\SALES"));
        let default = settings(ServeArgs::default(), "", &[]).expect("defaults");
        assert_eq!((default.named_instance(), default.browser), (None, None));
    }

    #[test]
    fn sizes_and_cpu_lists() {
        assert_eq!(parse_size("4 GB").expect("size"), 4 << 30);
        assert_eq!(parse_size("512m").expect("size"), 512 << 20);
        assert_eq!(parse_cpus("4,0-2,1").expect("cpus"), [0, 1, 2, 4]);
    }
}
