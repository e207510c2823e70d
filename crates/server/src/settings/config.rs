//! sp_configure: the options, their bounds, and their values: as configured and as running.
//!
//! The list, bounds and defaults are SQL Server's, but: `lightweight pooling` is on by default; from 20001 on are options of this server.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use exec::session::Options;
use os::region::Part;
use os::shared_struct;
use storage::{Memory, StorageResult};
use types::datetime::LanguageId;
use types::{SqlError, SqlResult, sql_error};

/// SQL Server's limit: `user connections` at most, and the last number that is a smallint.
pub const CONNECTIONS_DEFAULT: u32 = 32_767;

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
    1546 "lightweight pooling" 0 1 1 0 1 "User mode scheduler uses lightweight pooling";
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
    20002 "statement cache size" 0 2147483647 65536 1 0 "Memory for the plans of batches and prepared statements (2 kByte pages); 0: none is kept";
    20003 "max online engines" 0 128 0 0 0 "Engines of the process kernel; 0: one for each CPU";
    20004 "procedure cache size" 3271 2147483647 65536 1 0 "Memory for the plans of procedures, functions and triggers (2 kByte pages)";
    20005 "enable spinlock monitoring" 0 1 0 1 0 "Count how often spinlocks are taken, for monSpinlockActivity";
    20006 "native code enabled" 0 1 1 1 1 "Natively compiled modules run as machine code; 0: they are interpreted";
    20007 "in-memory OLTP quota (MB)" 0 2147483647 0 1 1 "Memory for the memory-optimized tables of each database; 0: what its resource pool has";
    20008 "streamlined dynamic SQL" 0 1 1 1 0 "Plans of prepared statements are kept in the statement cache; 0: each goes with its handle";
    20009 "enable plan sharing" 0 1 1 1 0 "Sessions share the plans of the statement cache; 0: each has its own";
    20010 "request time limit (s)" 0 2147483647 0 1 1 "How long a request may take; 0: as long as it does";
    20011 "idle session limit (s)" 0 2147483647 0 1 1 "How long a session may ask for nothing; 0: as long as it does";
    20030 "login auditing" 0 3 2 1 0 "Logins that the error log tells of. 0: none, 1: successful, 2: failed, 3: both";
    20031 "account lockout threshold" 0 999 10 1 1 "Wrong passwords that lock a login with CHECK_POLICY; 0: none do";
    20032 "account lockout duration (min)" 0 99999 10 1 1 "How long a login stays locked; 0: until it is unlocked";
    20033 "reset account lockout after (min)" 1 99999 10 1 1 "After so long the count of wrong passwords begins anew";
    20034 "enforce password history" 0 24 0 1 1 "Former passwords that a login with CHECK_POLICY may not take again";
    20035 "maximum password age (days)" 0 999 42 1 1 "Age at which the password of a login with CHECK_EXPIRATION expires; 0: never";
    20036 "minimum password age (days)" 0 998 0 1 1 "Age at which a login with CHECK_POLICY may change its own password";
    20037 "minimum password length" 0 128 8 1 1 "Characters of the password of a login with CHECK_POLICY";
}

/// Positions in `OPTIONS` of the options that the server itself looks up.
pub mod option {
    use super::position;

    pub const RECOVERY_INTERVAL: usize = position(101);
    pub const ALLOW_UPDATES: usize = position(102);
    pub const USER_CONNECTIONS: usize = position(103);
    pub const FILL_FACTOR: usize = position(109);
    pub const INDEX_CREATE_MEMORY: usize = position(1505);
    pub const DISALLOW_TRIGGER_RESULTS: usize = position(114);
    pub const NESTED_TRIGGERS: usize = position(115);
    pub const SERVER_TRIGGER_RECURSION: usize = position(116);
    pub const C2_AUDIT_MODE: usize = position(544);
    pub const MEDIA_RETENTION: usize = position(1537);
    pub const COMMON_CRITERIA: usize = position(1577);
    pub const BACKUP_COMPRESSION_DEFAULT: usize = position(1579);
    pub const CROSS_DB_OWNERSHIP_CHAINING: usize = position(400);
    pub const DEFAULT_LANGUAGE: usize = position(124);
    pub const MAX_WORKER_THREADS: usize = position(503);
    pub const SCAN_FOR_STARTUP_PROCS: usize = position(1547);
    pub const NETWORK_PACKET_SIZE: usize = position(505);
    pub const TWO_DIGIT_YEAR_CUTOFF: usize = position(1127);
    pub const USER_OPTIONS: usize = position(1534);
    pub const REMOTE_ADMIN_CONNECTIONS: usize = position(1576);
    pub const AFFINITY_MASK: usize = position(1535);
    pub const MIN_SERVER_MEMORY: usize = position(1543);
    pub const MIN_MEMORY_PER_QUERY: usize = position(1540);
    pub const QUERY_WAIT: usize = position(1541);
    pub const QUERY_COST_LIMIT: usize = position(1545);
    pub const MAX_SERVER_MEMORY: usize = position(1544);
    pub const LIGHTWEIGHT_POOLING: usize = position(1546);
    pub const AFFINITY64_MASK: usize = position(1549);
    pub const AFFINITY_IO_MASK: usize = position(1550);
    pub const AFFINITY64_IO_MASK: usize = position(1551);
    pub const KERNEL_MODE: usize = position(20001);
    pub const STATEMENT_CACHE_SIZE: usize = position(20002);
    pub const MAX_ONLINE_ENGINES: usize = position(20003);
    pub const PROCEDURE_CACHE_SIZE: usize = position(20004);
    pub const SPINLOCK_MONITORING: usize = position(20005);
    pub const NATIVE_CODE: usize = position(20006);
    pub const MEMORY_OPTIMIZED_QUOTA: usize = position(20007);
    pub const STREAMLINED_DYNAMIC_SQL: usize = position(20008);
    pub const PLAN_SHARING: usize = position(20009);
    pub const REQUEST_TIME_LIMIT: usize = position(20010);
    pub const IDLE_SESSION_LIMIT: usize = position(20011);
    pub const LOGIN_AUDITING: usize = position(20030);
    pub const LOCKOUT_THRESHOLD: usize = position(20031);
    pub const LOCKOUT_DURATION: usize = position(20032);
    pub const LOCKOUT_RESET: usize = position(20033);
    pub const PASSWORD_HISTORY: usize = position(20034);
    pub const PASSWORD_AGE_MAX: usize = position(20035);
    pub const PASSWORD_AGE_MIN: usize = position(20036);
    pub const PASSWORD_LENGTH_MIN: usize = position(20037);
}

/// For constants: an id that is not in the list does not compile.
const fn position(id: i32) -> usize {
    let mut index = 0;
    while OPTIONS[index].id != id {
        index += 1;
    }
    index
}

shared_struct! {
    /// Values of one option: what the user set, and what is in effect. Plain numbers that order nothing else.
    struct Value {
        configured: AtomicI64,
        running: AtomicI64,
        /// Somebody set it, if only to the default.
        given: AtomicBool,
        /// Somebody set it since it last took effect: RECONFIGURE leaves alone what the command line decided otherwise.
        changed: AtomicBool,
    }
}

/// Values of all options, in the order of `OPTIONS`.
pub struct Configuration {
    values: Part<Value>,
}

impl Configuration {
    /// The defaults.
    pub fn new(memory: &Memory) -> StorageResult<Configuration> {
        let values: Part<Value> = memory.carve("sp_configure", OPTIONS.len())?;
        for (option, value) in OPTIONS.iter().zip(values.iter()) {
            value.configured.store(option.default, Ordering::Relaxed);
            value.running.store(option.default, Ordering::Relaxed);
        }
        Ok(Configuration { values })
    }

    /// (configured, running) of every option, in the order of `OPTIONS`.
    pub fn all(&self) -> Vec<(i64, i64)> {
        (0..OPTIONS.len()).map(|index| (self.configured(index), self.running(index))).collect()
    }

    pub fn configured(&self, index: usize) -> i64 {
        self.values[index].configured.load(Ordering::Relaxed)
    }

    /// The value in effect.
    pub fn running(&self, index: usize) -> i64 {
        self.values[index].running.load(Ordering::Relaxed)
    }

    /// What somebody set; None: nobody did.
    pub fn given(&self, index: usize) -> Option<i64> {
        self.values[index].given.load(Ordering::Relaxed).then(|| self.configured(index))
    }

    /// Answers the old value.
    pub(crate) fn configure(&self, index: usize, value: i64) -> i64 {
        self.values[index].given.store(true, Ordering::Relaxed);
        self.values[index].changed.store(true, Ordering::Relaxed);
        self.values[index].configured.swap(value, Ordering::Relaxed)
    }

    /// `default language`: of a login made without one.
    pub fn default_language(&self) -> LanguageId {
        let number = self.running(option::DEFAULT_LANGUAGE);
        LanguageId::all().find(|id| i64::from(id.number()) == number).unwrap_or_default()
    }

    /// `user options`: SET options that a session begins with, besides those it has anyway.
    pub fn set_user_options(&self, options: &mut Options) {
        let bits = self.running(option::USER_OPTIONS);
        if bits == 0 {
            return;
        }
        let settings: [(i64, &mut bool); 14] = [
            (2, &mut options.implicit_transactions),
            (4, &mut options.cursor_close_on_commit),
            (8, &mut options.ansi_warnings),
            (16, &mut options.ansi_padding),
            (32, &mut options.ansi_nulls),
            (64, &mut options.arith_abort),
            (128, &mut options.arith_ignore),
            (256, &mut options.quoted_identifier),
            (512, &mut options.no_count),
            (1024, &mut options.ansi_null_dflt_on),
            (2048, &mut options.ansi_null_dflt_off),
            (4096, &mut options.concat_null_yields_null),
            (8192, &mut options.numeric_round_abort),
            (16384, &mut options.xact_abort),
        ];
        for (bit, setting) in settings {
            *setting |= bits & bit != 0;
        }
    }

    /// What a start did, whatever is configured: settings of the command line win.
    pub fn set_running(&self, index: usize, value: i64) {
        self.values[index].running.store(value, Ordering::Relaxed);
        self.values[index].changed.store(false, Ordering::Relaxed);
        if index == option::TWO_DIGIT_YEAR_CUTOFF {
            self.apply_to_process();
        }
    }

    /// What of the values in effect each process keeps for itself.
    pub fn apply_to_process(&self) {
        types::datetime::set_two_digit_year_cutoff(self.running(option::TWO_DIGIT_YEAR_CUTOFF) as i32);
    }

    /// RECONFIGURE: dynamic options take effect, all or, if one of them may not, none. `with_override` lets pass what is unwise.
    pub fn reconfigure(&self, with_override: bool) -> SqlResult<()> {
        self.check(with_override)?;
        for (index, option) in OPTIONS.iter().enumerate() {
            if option.dynamic && self.values[index].changed.load(Ordering::Relaxed) {
                self.set_running(index, self.configured(index));
            }
        }
        Ok(())
    }

    fn check(&self, with_override: bool) -> SqlResult<()> {
        use option::*;
        let value = |index| self.configured(index);
        let (least, most) = (value(MIN_SERVER_MEMORY), value(MAX_SERVER_MEMORY));
        if least > most {
            return Err(sql_error!(5831, least, most));
        }
        let both_null_defaults = 1024 | 2048;
        if value(USER_OPTIONS) & both_null_defaults == both_null_defaults {
            return Err(sql_error!(5829));
        }
        let usable = os::limits::usable_cpus();
        let cpus = cpus_of(value(AFFINITY_MASK), value(AFFINITY64_MASK));
        if cpus.iter().any(|cpu| !usable.contains(&(*cpu as u32))) {
            return Err(no_such_cpu());
        }
        if with_override {
            return Ok(());
        }
        if value(ALLOW_UPDATES) != 0 {
            return Err(sql_error!(5808));
        }
        if value(RECOVERY_INTERVAL) > RECOVERY_MINUTES_WISE {
            return Err(sql_error!(5807, RECOVERY_MINUTES_WISE));
        }
        let io = cpus_of(value(AFFINITY_IO_MASK), value(AFFINITY64_IO_MASK));
        if cpus.iter().any(|cpu| io.contains(cpu)) {
            return Err(sql_error!(5834));
        }
        Ok(())
    }
}

/// 5832
pub fn no_such_cpu() -> SqlError {
    sql_error!(5832)
}

/// RECONFIGURE takes more minutes of `recovery interval` only WITH OVERRIDE.
const RECOVERY_MINUTES_WISE: i64 = 60;

/// CPUs 0 to 31 of the one mask and 32 to 63 of the other: `int` each, so the highest bit is the sign. None: no mask.
pub fn cpus_of(mask: i64, mask64: i64) -> Vec<usize> {
    let bits = u64::from(mask as u32) | u64::from(mask64 as u32) << 32;
    (0..64).filter(|cpu| bits >> cpu & 1 == 1).collect()
}

/// The two masks of these CPUs, as far as they are below 64.
pub fn masks_of(cpus: &[usize]) -> (i64, i64) {
    let bits = cpus.iter().filter(|cpu| **cpu < 64).fold(0u64, |bits, cpu| bits | 1 << cpu);
    (i64::from(bits as u32 as i32), i64::from((bits >> 32) as u32 as i32))
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
        (None, _) => Err(sql_error!(15123, name)),
        _ => Err(sql_error!(15124, name)),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Also for the tests of other files.
    pub fn defaults() -> Configuration {
        let memory = Memory::reserve(1 << 20, os::region::Visibility::ThisProcess).expect("memory");
        Configuration::new(&memory).expect("room")
    }

    #[test]
    fn masks_and_cpus_are_two_writings_of_one_thing() {
        for cpus in [vec![], vec![0], vec![0, 5, 31], vec![31, 32], vec![0, 32, 63]] {
            let (mask, mask64) = masks_of(&cpus);
            assert!((-2147483648..=2147483647).contains(&mask) && (-2147483648..=2147483647).contains(&mask64));
            assert_eq!(cpus_of(mask, mask64), cpus);
        }
        assert_eq!(masks_of(&[31]).0, -2147483648);
    }

    #[test]
    fn a_refused_reconfigure_changes_nothing() {
        let configuration = defaults();
        let refused = |with_override| configuration.reconfigure(with_override).map_err(|error| error.number);
        configuration.configure(option::NESTED_TRIGGERS, 0);
        configuration.configure(option::RECOVERY_INTERVAL, 61);
        assert_eq!(refused(false), Err(5807));
        assert_eq!(configuration.running(option::NESTED_TRIGGERS), 1);
        assert_eq!(refused(true), Ok(()));
        assert_eq!(configuration.running(option::NESTED_TRIGGERS), 0);
        assert_eq!(configuration.running(option::RECOVERY_INTERVAL), 61);
        configuration.configure(option::RECOVERY_INTERVAL, 0);
        configuration.configure(option::ALLOW_UPDATES, 1);
        assert_eq!(refused(false), Err(5808));
        configuration.configure(option::ALLOW_UPDATES, 0);
        configuration.configure(option::MIN_SERVER_MEMORY, 2000);
        configuration.configure(option::MAX_SERVER_MEMORY, 1000);
        assert_eq!(refused(true), Err(5831));
        configuration.configure(option::MIN_SERVER_MEMORY, 0);
        configuration.configure(option::USER_OPTIONS, 3072);
        assert_eq!(refused(true), Err(5829));
        configuration.configure(option::USER_OPTIONS, 0);
        let first = os::limits::usable_cpus()[0] as usize;
        configuration.configure(option::AFFINITY_MASK, masks_of(&[first]).0);
        configuration.configure(option::AFFINITY_IO_MASK, masks_of(&[first]).0);
        assert_eq!(refused(false), Err(5834));
        assert_eq!(refused(true), Ok(()));
        if let Some(missing) = (0..64).find(|cpu| !os::limits::usable_cpus().contains(&(*cpu as u32))) {
            let (mask, mask64) = masks_of(&[missing]);
            configuration.configure(option::AFFINITY_MASK, mask);
            configuration.configure(option::AFFINITY64_MASK, mask64);
            assert_eq!(refused(true), Err(5832));
        }
    }
}
