//! sp_configure: the options, their bounds, and their values: as configured and as running.

use os::sync::Mutex;
use types::{SqlError, SqlResult};

#[derive(Debug, Clone, Copy)]
pub struct ConfigOption {
    pub id: i32,
    pub name: &'static str,
    pub minimum: i64,
    pub maximum: i64,
    pub default: i64,
    pub description: &'static str,
    /// Takes effect with RECONFIGURE; otherwise after a restart.
    pub dynamic: bool,
    pub advanced: bool,
}

macro_rules! options {
    ($($id:literal $name:literal $min:literal $max:literal $default:literal $dynamic:literal $advanced:literal $description:literal;)*) => {
        /// By name, as `sys.configurations` lists them by id.
        pub const OPTIONS: &[ConfigOption] = &[$(ConfigOption {
            id: $id,
            name: $name,
            minimum: $min,
            maximum: $max,
            default: $default,
            description: $description,
            dynamic: $dynamic == 1,
            advanced: $advanced == 1,
        }),*];
    };
}

options! {
    101 "recovery interval (min)" 0 32767 0 1 1 "Maximum recovery interval in minutes";
    102 "allow updates" 0 1 0 1 0 "Allow updates to system tables";
    103 "user connections" 0 32767 0 0 1 "Number of user connections allowed";
    106 "locks" 5000 2147483647 0 0 1 "Number of locks for all users";
    107 "open objects" 0 2147483647 0 0 1 "Number of open database objects";
    109 "fill factor (%)" 0 100 0 0 1 "Default fill factor percentage";
    114 "disallow results from triggers" 0 1 0 1 1 "Disallow returning results from triggers";
    115 "nested triggers" 0 1 1 1 0 "Allow triggers to be invoked within triggers";
    116 "server trigger recursion" 0 1 1 1 0 "Allow recursion for server level triggers";
    117 "remote access" 0 1 1 0 0 "Allow remote access";
    124 "default language" 0 9999 0 1 0 "default language";
    400 "cross db ownership chaining" 0 1 0 1 0 "Allow cross db ownership chaining";
    503 "max worker threads" 128 65535 0 1 1 "Maximum worker threads";
    505 "network packet size (B)" 512 32767 4096 1 1 "Network packet size";
    518 "show advanced options" 0 1 0 1 0 "show advanced options";
    542 "remote proc trans" 0 1 0 1 0 "Create DTC transaction for remote procedures";
    544 "c2 audit mode" 0 1 0 0 1 "c2 audit mode";
    1126 "default full-text language" 0 2147483647 1033 1 1 "default full-text language";
    1127 "two digit year cutoff" 1753 9999 2049 1 1 "two digit year cutoff";
    1505 "index create memory (KB)" 704 2147483647 0 1 1 "Memory for index create sorts (kBytes)";
    1517 "priority boost" 0 1 0 0 1 "Priority boost";
    1519 "remote login timeout (s)" 0 2147483647 10 1 0 "remote login timeout";
    1520 "remote query timeout (s)" 0 2147483647 600 1 0 "remote query timeout";
    1531 "cursor threshold" -1 2147483647 -1 1 1 "cursor threshold";
    1532 "set working set size" 0 1 0 0 1 "set working set size";
    1534 "user options" 0 32767 0 1 0 "user options";
    1535 "affinity mask" -2147483648 2147483647 0 1 1 "affinity mask";
    1536 "max text repl size (B)" -1 2147483647 65536 1 0 "Maximum size of a text field in replication.";
    1537 "media retention" 0 365 0 1 1 "Tape retention period in days";
    1538 "cost threshold for parallelism" 0 32767 5 1 1 "cost threshold for parallelism";
    1539 "max degree of parallelism" 0 32767 0 1 1 "maximum degree of parallelism";
    1540 "min memory per query (KB)" 512 2147483647 1024 1 1 "minimum memory per query (kBytes)";
    1541 "query wait (s)" -1 2147483647 -1 1 1 "maximum time to wait for query memory (s)";
    1543 "min server memory (MB)" 0 2147483647 0 1 1 "Minimum size of server memory (MB)";
    1544 "max server memory (MB)" 128 2147483647 2147483647 1 1 "Maximum size of server memory (MB)";
    1545 "query governor cost limit" 0 2147483647 0 1 1 "Maximum estimated cost allowed by query governor";
    1546 "lightweight pooling" 0 1 0 0 1 "User mode scheduler uses lightweight pooling";
    1547 "scan for startup procs" 0 1 0 0 1 "scan for startup stored procedures";
    1549 "affinity64 mask" -2147483648 2147483647 0 1 1 "affinity64 mask";
    1550 "affinity I/O mask" -2147483648 2147483647 0 0 1 "affinity I/O mask";
    1551 "affinity64 I/O mask" -2147483648 2147483647 0 0 1 "affinity64 I/O mask";
    1555 "transform noise words" 0 1 0 1 1 "Transform noise words for full-text query";
    1556 "precompute rank" 0 1 0 1 1 "Use precomputed rank for full-text query";
    1557 "PH timeout (s)" 1 3600 60 1 1 "DB connection timeout for full-text protocol handler (s)";
    1562 "clr enabled" 0 1 0 1 0 "CLR user code execution enabled in the server";
    1568 "default trace enabled" 0 1 1 1 1 "Enable or disable the default trace";
    1569 "blocked process threshold (s)" 0 86400 0 1 1 "Blocked process reporting threshold";
    1570 "in-doubt xact resolution" 0 2 0 1 1 "Recovery policy for DTC transactions with unknown outcome";
    1576 "remote admin connections" 0 1 0 1 0 "Dedicated Admin Connections are allowed from remote clients";
    1577 "common criteria compliance enabled" 0 1 0 0 1 "Common Criteria compliance mode enabled";
    1578 "EKM provider enabled" 0 1 0 1 1 "Enable or disable EKM provider";
    1579 "backup compression default" 0 1 0 1 0 "Enable compression of backups by default";
    1580 "filestream access level" 0 2 0 1 0 "Sets the FILESTREAM access level";
    1581 "optimize for ad hoc workloads" 0 1 0 1 1 "When this option is set, plan cache size is further reduced for single-use adhoc OLTP workload.";
    1582 "access check cache bucket count" 0 16384 0 1 1 "Default hash bucket count for the access check result security cache";
    1583 "access check cache quota" 0 2147483647 0 1 1 "Default quota for the access check result security cache";
    1584 "backup checksum default" 0 1 0 1 0 "Enable checksum of backups by default";
    1585 "automatic soft-NUMA disabled" 0 1 0 0 1 "Automatic soft-NUMA is enabled by default";
    1586 "external scripts enabled" 0 1 0 1 0 "Allows execution of external scripts";
    1587 "clr strict security" 0 1 1 1 1 "CLR strict security enabled in the server";
    1588 "column encryption enclave type" 0 2 0 0 0 "Type of enclave used for computations on encrypted columns";
    1589 "tempdb metadata memory-optimized" 0 1 0 0 1 "Tempdb metadata memory-optimized is disabled by default.";
    1591 "ADR cleaner retry timeout (min)" 0 32767 15 1 1 "ADR cleaner retry timeout.";
    1592 "ADR Preallocation Factor" 0 32767 4 1 1 "ADR Preallocation Factor.";
    1593 "version high part of SQL Server" -2147483648 2147483647 1048576 1 1 "version high part of SQL Server that model database copied for";
    1594 "version low part of SQL Server" -2147483648 2147483647 262344708 1 1 "version low part of SQL Server that model database copied for";
    16384 "Agent XPs" 0 1 0 1 1 "Enable or disable Agent XPs";
    16386 "Database Mail XPs" 0 1 0 1 1 "Enable or disable Database Mail XPs";
    16387 "SMO and DMO XPs" 0 1 1 1 1 "Enable or disable SMO and DMO XPs";
    16388 "Ole Automation Procedures" 0 1 0 1 1 "Enable or disable Ole Automation Procedures";
    16390 "xp_cmdshell" 0 1 0 1 1 "Enable or disable command shell";
    16391 "Ad Hoc Distributed Queries" 0 1 0 1 1 "Enable or disable Ad Hoc Distributed Queries";
    16392 "Replication XPs" 0 1 0 1 1 "Enable or disable Replication XPs";
    16393 "contained database authentication" 0 1 0 1 0 "Enables contained databases and contained authentication";
    16394 "polybase network encryption" 0 1 1 1 0 "Configure SQL Server to encrypt control and data channels when using PolyBase";
    16395 "remote data archive" 0 1 0 1 0 "Allow the use of the REMOTE_DATA_ARCHIVE data access for databases";
    16397 "allow polybase export" 0 1 0 1 0 "Allow INSERT into a Hadoop external table";
    16398 "allow filesystem enumeration" 0 1 1 1 1 "Allow enumeration of filesystem";
    16399 "polybase enabled" 0 1 0 0 0 "Configure SQL Server to connect to external data sources through PolyBase";
    20001 "kernel mode" 0 1 0 0 0 "Engines are threads of one process (0, threaded) or processes over shared memory (1, process)";
    20002 "statement cache size" 0 2147483647 65536 1 0 "Memory for cached statements (kBytes)";
}

/// Values of all options. `configured` is what the user set, `running` what is in effect.
pub struct Configuration {
    /// In the order of `OPTIONS`.
    pub(crate) values: Mutex<Vec<(i64, i64)>>,
}

impl Default for Configuration {
    fn default() -> Configuration {
        Configuration::new()
    }
}

impl Configuration {
    pub fn new() -> Configuration {
        let defaults = OPTIONS.iter().map(|option| (option.default, option.default)).collect();
        Configuration { values: Mutex::new(os::wait::WaitType::SOS_PHYS_PAGE_CACHE, defaults) }
    }

    /// (configured, running) of every option, in the order of `OPTIONS`.
    pub fn all(&self) -> Vec<(i64, i64)> {
        self.values.lock().clone()
    }

    /// The value in effect. Panics if there is no option of exactly this name: names are constants of this program.
    pub fn running(&self, name: &str) -> i64 {
        let index = OPTIONS.iter().position(|option| option.name == name).expect("a known option");
        self.values.lock()[index].1
    }

    /// RECONFIGURE: dynamic options take effect.
    pub fn reconfigure(&self) {
        let mut values = self.values.lock();
        for (option, value) in OPTIONS.iter().zip(values.iter_mut()) {
            if option.dynamic {
                value.1 = value.0;
            }
        }
    }
}

/// The option a name or a unique part of one means: 15123 if none, 15124 if several.
pub fn find(name: &str) -> SqlResult<usize> {
    if let Some(exact) = OPTIONS.iter().position(|option| option.name.eq_ignore_ascii_case(name)) {
        return Ok(exact);
    }
    let wanted = name.to_ascii_lowercase();
    let mut found = OPTIONS.iter().enumerate().filter(|(_, option)| option.name.to_ascii_lowercase().contains(&wanted));
    match (found.next(), found.next()) {
        (Some((index, _)), None) if !wanted.is_empty() => Ok(index),
        (None, _) => Err(SqlError::new(
            15123,
            16,
            format!("The configuration option '{name}' does not exist, or it may be an advanced option."),
        )),
        _ => Err(SqlError::new(15124, 16, format!("The configuration option '{name}' is not unique."))),
    }
}
