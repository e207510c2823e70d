//! The base tables: ordinary tables with fixed ids in every database (some in master only), on which all catalog views stand.
//!
//! What must hold: object ids below `USER_OBJECT_MIN` are base tables; a definition and its rows change in one transaction, so a
//! rollback or a crash leaves both or neither.

use super::row::{
    BaseColumn, BaseKey, BaseRow, BaseTable, Binary, Code, Date, Field, Text, Variant, Whole, base_tables,
};

use types::Datum;

/// Ids of user objects start above the system's fixed ones.
pub use sql::catalog::USER_OBJECT_MIN;

base_tables! {
    /// A principal of the database.
    OwnerRow = 27 "sysowners" every {
        id: i32,
        name: String,
        /// S SQL user, R role, U Windows user, A application role.
        kind: Code<2>,
        sid: Binary,
        created: Date,
        modified: Date,
        default_schema: Option<String>,
        owner: i32,
        /// 1: fixed role.
        status: i32,
    } unique [0] unique [1];

    /// A database.
    DatabaseRow = 28 "sysdbreg" master {
        id: i32,
        name: String,
        created: Date,
        collation: String,
        compatibility_level: u8,
        /// `database_option`.
        options: i64,
        /// 1 full, 2 bulk-logged, 3 simple.
        recovery_model: u8,
        /// 0 none, 1 torn page detection, 2 checksum.
        page_verify: u8,
        /// 0 disabled, 1 allowed, 2 forced.
        delayed_durability: u8,
        /// 0 multi-user, 1 single-user, 2 restricted.
        user_access: u8,
        /// 0 off, 1 on.
        snapshot_isolation: u8,
        target_recovery_time: i32,
        owner_sid: Binary,
    } unique [0] unique [1];

    /// GRANT and DENY.
    PrivilegeRow = 29 "sysprivs" every {
        class: u8,
        id: i32,
        subid: i32,
        grantee: i32,
        grantor: i32,
        kind: Code<4>,
        /// G, W (with grant option), D.
        state: Code<1>,
        name: String,
    } unique [0, 1, 2, 3, 4, 5];

    /// An object: table, view, module, constraint, sequence, synonym; a schema collection (XS: `xml_collection`).
    ObjectRow = 34 "sysschobjs" every {
        id: i32,
        name: String,
        /// Its schema.
        nsid: i32,
        /// `sys.objects.type`.
        kind: Code<2>,
        /// Parent object of a constraint or trigger, else 0.
        pid: i32,
        created: Date,
        modified: Date,
        /// `object_status`.
        status: i32,
        /// Tables: highest column id ever used. Column constraints: their column.
        intprop: i32,
        /// Owner, when it is not the schema's.
        owner: Option<i32>,
    } unique [0] unique [2, 1] index [4];

    /// A column (number 0) or a parameter (number 1).
    ColumnRow = 41 "syscolpars" every {
        id: i32,
        number: i16,
        colid: i32,
        name: String,
        /// `system_type_id`.
        xtype: u8,
        /// `user_type_id`.
        utype: i32,
        length: i16,
        /// Of typed xml: 1 if it is a DOCUMENT.
        prec: u8,
        scale: u8,
        /// Of typed xml: the number of its schema collection.
        collation: Option<String>,
        /// `column_status`.
        status: i32,
        /// The default constraint, or the default that is bound to it.
        dflt: i32,
        seed: Whole,
        increment: Whole,
        /// Text of a computed column, a mask or a parameter's default.
        definition: Text,
    } unique [0, 1, 2];

    /// A login or server role.
    LoginRow = 42 "sysxlgns" master {
        id: i32,
        name: String,
        sid: Binary,
        /// S, R, U, C, K.
        kind: Code<1>,
        created: Date,
        modified: Date,
        /// `login_status`.
        status: i32,
        default_database: Option<String>,
        default_language: Option<String>,
        password: Binary,
    } unique [0] unique [1];

    /// A linked server; 0 is this server.
    ServerRow = 43 "sysxsrvs" master {
        id: i32,
        name: String,
        product: String,
        provider: String,
        source: Text,
        status: i32,
        modified: Date,
    } unique [0] unique [1];

    /// sp_addmessage.
    MessageRow = 45 "sysusermsgs" master {
        id: i32,
        language: i16,
        severity: u8,
        status: i16,
        text: Text,
    } unique [0, 1];

    /// An extended property.
    PropertyRow = 49 "sysxprops" every {
        class: u8,
        id: i32,
        subid: i32,
        name: String,
        value: Variant,
    } unique [0, 1, 2, 3];

    /// A data type, system's or user's.
    TypeRow = 50 "sysscalartypes" every {
        /// `user_type_id`.
        id: i32,
        schid: i32,
        name: String,
        xtype: u8,
        length: i16,
        prec: u8,
        scale: u8,
        collation: Option<String>,
        /// 1: nullable, 2: table type, 4: CLR type, 8: memory-optimized.
        status: i32,
        /// `type_table_object_id`.
        tableid: i32,
        created: Date,
        modified: Date,
        dflt: i32,
        chk: i32,
    } unique [0] unique [1, 2];

    /// An index, a heap (indid 0) or a statistics object.
    IndexRow = 54 "sysidxstats" every {
        id: i32,
        indid: i32,
        name: Option<String>,
        /// `index_status`.
        status: i32,
        /// 0 heap, 1 clustered, 2 nonclustered, 3 XML (status STATISTICS, filter its purpose, buckets the primary one), 5 and 6 columnstore,
        /// 7 hash.
        kind: u8,
        fillfact: u8,
        dataspace: i32,
        filter: Text,
        buckets: i64,
        /// The key constraint it serves, else 0.
        constraint_id: i32,
    } unique [0, 1];

    /// A column of an index.
    IndexColumnRow = 55 "sysiscols" every {
        id: i32,
        indid: i32,
        /// `index_column_id`.
        subid: i32,
        colid: i32,
        /// 0: included.
        keyord: i32,
        /// 1: descending, 2: included, 4: the partitioning column.
        status: i32,
    } unique [0, 1, 2];

    /// Text of a module, constraint or synonym.
    TextRow = 60 "sysobjvalues" every {
        objid: i32,
        value: Text,
    } unique [0];

    /// What has a name but no row of its own elsewhere: schemas (class 50), filegroups (65: `value` a GUID, of PRIMARY
    /// none), partition functions (67) and schemes (68:
    /// `partition`), resource pools
    /// (200: `value` has the settings in the order of `governor::SETTINGS`), the resource governor (201: `status` 1 if it is enabled),
    /// the password policy of logins (210: `login_policy`), the database's family (220: `family`).
    ClassRow = 64 "sysclsobjs" every {
        class: u8,
        id: i32,
        name: String,
        owner: i32,
        created: Date,
        modified: Date,
        status: i32,
        value: Text,
    } unique [0, 1] unique [0, 2];

    /// One thing refers to another: foreign keys (class 27: depid the key, indepid the table), role members (25: depid the role,
    /// indepid the member), server role members (26), modules (1), databases in resource pools (202), predicates of security policies (204),
    /// history tables (205).
    ReferenceRow = 74 "syssingleobjrefs" every {
        class: u8,
        depid: i32,
        depsubid: i32,
        indepid: i32,
        indepsubid: i32,
        /// Foreign keys: delete action + 16 * update action + 256 * key index.
        status: i32,
    } unique [1, 0, 2, 3] index [3, 0];

    /// Columns of a foreign key: depsubid the ordinal, indepid the referencing column, indepsubid the referenced one. Events of triggers
    /// (class 207).
    KeyReferenceRow = 75 "sysmultiobjrefs" every {
        class: u8,
        depid: i32,
        depsubid: i32,
        indepid: i32,
        indepsubid: i32,
        status: i32,
    } unique [1, 0, 2];

    /// A sequence's definition.
    SequenceRow = 101 "sysseqobjs" every {
        id: i32,
        xtype: u8,
        utype: i32,
        prec: u8,
        scale: u8,
        start: Whole,
        increment: Whole,
        minimum: Whole,
        maximum: Whole,
        /// 1: cycling, 2: cached.
        status: i32,
        cache_size: Option<i32>,
    } unique [0];

    /// How far the values of an identity column or sequence are handed out. Written outside the user's transaction.
    CounterRow = 102 "syscounters" every {
        id: i32,
        /// Values up to this one may have been given.
        reserved: Whole,
        /// 0: none has been given.
        used: u8,
    } unique [0];

    /// A file of a database.
    FileRow = 103 "sysprufiles" master {
        dbid: i32,
        fileid: i32,
        /// 1 PRIMARY and up; 0 the log.
        filegroup: i32,
        name: String,
        path: Text,
        /// Pages of 8 KB; -1: no limit.
        size: i32,
        size_max: i32,
        /// Pages, or percent.
        growth: i32,
        /// 1: growth is in percent, 2: log.
        status: i32,
    } unique [0, 1];

    /// A configured option.
    OptionRow = 104 "sysconfigvalues" master {
        id: i32,
        value: i64,
    } unique [0];

    /// A file of backups: a media set with its one family.
    BackupMediaRow = 105 "sysbackupmedia" master {
        id: i32,
        guid: Binary,
        family: Binary,
        name: Option<String>,
        description: Text,
        path: Text,
        /// 1: compressed; 2: its files are objects of a store.
        status: i32,
    } unique [0] unique [1];

    /// A backup set that was taken or restored here. LSNs are bytes of the log.
    BackupSetRow = 106 "sysbackupsets" master {
        id: i32,
        guid: Binary,
        media: i32,
        position: i32,
        expires: Option<Date>,
        name: Option<String>,
        description: Text,
        user: String,
        /// Of local time, in minutes from UTC.
        time_zone: i16,
        first_lsn: i64,
        last_lsn: i64,
        checkpoint_lsn: i64,
        database_created: Date,
        started: Date,
        finished: Date,
        compatibility_level: u8,
        /// Bytes of pages, rows and log, and of the set in its file.
        size: i64,
        stored: i64,
        database: String,
        server: String,
        machine: String,
        collation: String,
        recovery_model: u8,
        /// 1: copy-only, 2: compressed, 4: the database was read-only, 8: in single-user mode, 16: of the log, 32: differential, 64: the
        /// first of a chain, 128: of the log and whole, 256: the database was closed,
        /// 512: it was damaged.
        status: i32,
        database_guid: Binary,
        family_guid: Binary,
    } unique [0] unique [1] index [18];

    /// A file of the database in a backup set.
    BackupFileRow = 107 "sysbackupfiles" master {
        set: i32,
        fileid: i32,
        filegroup: Option<String>,
        name: String,
        path: Text,
        /// 2: log.
        status: i32,
        /// Pages of 8 KB in the set, and bytes of the file.
        pages: i64,
        size: i64,
    } unique [0, 1];

    /// A restore that was done here.
    RestoreRow = 108 "sysrestores" master {
        id: i32,
        finished: Date,
        database: String,
        user: String,
        set: i32,
        /// D database, I differential, L log, V verify only.
        kind: Code<1>,
        /// 1: WITH REPLACE, 2: the database was left restoring.
        status: i32,
    } unique [0] index [4];

    /// Of a backup set: the full backup that the database had before it.
    BackupBaseRow = 109 "sysbackupbases" master {
        set: i32,
        /// 0: there was none.
        lsn: i64,
        guid: Binary,
    } unique [0];

    /// Where a restore was to stop.
    RestoreStopRow = 110 "sysrestorestops" master {
        restore: i32,
        at: Option<Date>,
        mark: Option<String>,
        /// 1: before the mark.
        status: i32,
    } unique [0];

    /// A credential. Its secret is encrypted (`security::secret`), with `id`.
    CredentialRow = 111 "syscredentials" master {
        id: i32,
        name: String,
        identity: Text,
        secret: Binary,
        created: Date,
        modified: Date,
    } unique [0] unique [1];

    /// One more family of a media set: its stripes from the second on.
    BackupStripeRow = 112 "sysbackupstripes" master {
        media: i32,
        number: u8,
        family: Binary,
        path: Text,
    } unique [0, 1];

    /// A mark that a transaction has put into the log.
    LogMarkRow = 113 "syslogmarks" master {
        /// Its LSN.
        id: i64,
        database: String,
        name: String,
        description: Text,
        user: String,
        time: Date,
    } unique [0];

    /// A page that could not be read as it was written.
    SuspectPageRow = 114 "syssuspectpages" master {
        database: i32,
        file: i32,
        page: i64,
        /// 1 unreadable, 2 another checksum, 3 torn; 4 restored, 5 repaired, 7 deallocated.
        kind: i32,
        errors: i32,
        updated: Date,
    } unique [0, 1, 2, 3];

    /// A certificate of master. Its private key is encrypted by the master key there, and NULL if it is not known.
    CertificateRow = 115 "syscertificates" master {
        id: i32,
        name: String,
        /// DER.
        certificate: Binary,
        /// SHA-1 of that.
        thumbprint: Binary,
        secret: Binary,
        issuer: Text,
        subject: Text,
        serial: String,
        starts: Date,
        ends: Date,
        /// When its private key was last backed up.
        saved: Option<Date>,
        key_bits: i32,
    } unique [0] unique [1];

    /// The master key of a database, encrypted by the server's key, and by its password.
    MasterKeyRow = 116 "sysmasterkeys" master {
        database: i32,
        guid: Binary,
        by_service: Binary,
        by_password: Binary,
        created: Date,
        modified: Date,
    } unique [0];

    /// Of a backup set that is encrypted: how, and the certificate that keeps its key.
    BackupKeyRow = 117 "sysbackupkeys" master {
        set: i32,
        algorithm: String,
        thumbprint: Binary,
    } unique [0];
}

/// Further system tables that `sys.objects` of a new database lists. As on SQL Server nobody can read them.
pub const LISTED_TABLES: &[(i32, &str)] = &[
    (3, "sysrscols"),
    (5, "sysrowsets"),
    (6, "sysclones"),
    (7, "sysallocunits"),
    (8, "sysfiles1"),
    (9, "sysseobjvalues"),
    (17, "syspriorities"),
    (18, "sysdbfrag"),
    (19, "sysfgfrag"),
    (20, "sysdbfiles"),
    (21, "syspru"),
    (22, "sysbrickfiles"),
    (23, "sysphfg"),
    (25, "sysftinds"),
    (35, "syscsrowgroups"),
    (36, "sysextsources"),
    (37, "sysexttables"),
    (38, "sysextfileformats"),
    (39, "sysmultiobjvalues"),
    (44, "sysnsobjs"),
    (46, "syscerts"),
    (47, "sysrmtlgns"),
    (48, "syslnklgns"),
    (51, "systypedsubobjs"),
    (56, "sysendpts"),
    (57, "syswebmethods"),
    (58, "sysbinobjs"),
    (59, "sysaudacts"),
    (62, "syscscolsegments"),
    (63, "syscsdictionaries"),
    (65, "sysrowsetrefs"),
    (67, "sysremsvcbinds"),
    (68, "sysxmitqueue"),
    (69, "sysrts"),
    (71, "sysconvgroup"),
    (72, "sysdesend"),
    (73, "sysdercv"),
    (78, "sysguidrefs"),
    (79, "sysfoqueues"),
    (80, "syschildinsts"),
    (81, "syscompfragments"),
    (82, "sysftsemanticsdb"),
    (84, "sysftstops"),
    (85, "sysftproperties"),
    (90, "sysxmitbody"),
    (91, "sysfos"),
    (92, "sysqnames"),
    (93, "sysxmlcomponent"),
    (94, "sysxmlfacet"),
    (95, "sysxmlplacement"),
    (96, "sysobjkeycrypts"),
    (97, "sysasymkeys"),
    (98, "syssqlguides"),
    (99, "sysbinsubobjs"),
    (100, "syssoftobjrefs"),
];

/// In `TypeRow::status`: WITH (MEMORY_OPTIMIZED = ON). Bit 1 is "allows NULL".
pub const MEMORY_OPTIMIZED_TYPE: i32 = 8;

/// Bits of `ObjectRow::status`.
pub mod object_status {
    pub const SHIPPED: i32 = 1;
    /// The server made the name.
    pub const SYSTEM_NAMED: i32 = 2;
    pub const DISABLED: i32 = 4;
    pub const NOT_TRUSTED: i32 = 8;
    pub const NOT_FOR_REPLICATION: i32 = 16;
    pub const INSTEAD_OF: i32 = 32;
    pub const ON_INSERT: i32 = 64;
    pub const ON_UPDATE: i32 = 128;
    pub const ON_DELETE: i32 = 256;
    pub const ANSI_NULLS: i32 = 512;
    pub const QUOTED_IDENTIFIER: i32 = 1024;
    pub const SCHEMA_BOUND: i32 = 2048;
    pub const NATIVE: i32 = 4096;
    pub const MEMORY_OPTIMIZED: i32 = 8192;
    pub const SCHEMA_ONLY: i32 = 16384;
    /// A constraint written with its column (`intprop`).
    pub const OF_COLUMN: i32 = 32768;
    pub const CHECK_OPTION: i32 = 65536;
    pub const RECOMPILE: i32 = 131_072;
    pub const NULL_ON_NULL: i32 = 262_144;
    pub const EXECUTE_AS_OWNER: i32 = 524_288;
    pub const ENCRYPTED: i32 = 1_048_576;
    /// SYSTEM_VERSIONING: the current table, and its history.
    pub const VERSIONED: i32 = 2_097_152;
    pub const HISTORY: i32 = 4_194_304;
    /// A procedure of master that runs when the server has started.
    pub const AT_START: i32 = 8_388_608;
    /// Of a table: LOCK_ESCALATION, where it is not TABLE.
    pub const ESCALATION_DISABLED: i32 = 16_777_216;
    pub const ESCALATION_AUTO: i32 = 33_554_432;
    pub const VIEW_METADATA: i32 = 67_108_864;
    /// Of a scalar function: its text may be inlined; WITH INLINE = OFF.
    pub const INLINEABLE: i32 = 134_217_728;
    pub const NEVER_INLINED: i32 = 268_435_456;
}

/// Bits of `ColumnRow::status`.
pub mod column_status {
    pub const NULLABLE: i32 = 1;
    pub const IDENTITY: i32 = 2;
    pub const COMPUTED: i32 = 4;
    pub const PERSISTED: i32 = 8;
    pub const ROWGUID: i32 = 16;
    pub const OUTPUT: i32 = 32;
    pub const HAS_DEFAULT: i32 = 64;
    pub const READ_ONLY: i32 = 128;
    pub const SPARSE: i32 = 256;
    pub const NOT_FOR_REPLICATION: i32 = 1024;
    pub const CURSOR: i32 = 2048;
    /// The type was written as a user type with this meaning: `xml` and the like have none.
    pub const SYSNAME: i32 = 4096;
    /// Of parameters, which may be NULL otherwise.
    pub const NOT_NULL: i32 = 8192;
    /// Its `definition` is a mask.
    pub const MASKED: i32 = 32768;
    pub const HIDDEN: i32 = 65536;
    /// Ends of its table's PERIOD FOR SYSTEM_TIME.
    pub const ROW_START: i32 = 131_072;
    pub const ROW_END: i32 = 262_144;
    /// A computed column whose values lie in the rows, though it is not PERSISTED: an index or a history has them.
    pub const STORED: i32 = 524_288;
    /// A reference of `class::RULE` says which.
    pub const HAS_RULE: i32 = 1_048_576;
    /// COLUMN_SET FOR ALL_SPARSE_COLUMNS; COMPUTED, too, without a text of its own.
    pub const COLUMN_SET: i32 = 2_097_152;
}

/// Bits of `IndexRow::status`.
/// Bits of a filegroup's `ClassRow::status`.
pub mod filegroup_status {
    /// CONTAINS MEMORY_OPTIMIZED_DATA
    pub const IN_MEMORY: i32 = 2;
}

/// `FileRow::fileid` of a database's first log file.
pub const LOG_FILE: i32 = 2;

/// Bits of `FileRow::status`; 1 is growth in percent.
pub mod file_status {
    /// Growth is in percent.
    pub const PERCENT: i32 = 1;
    pub const LOG: i32 = 2;
    /// Of a filegroup of memory-optimized data.
    pub const IN_MEMORY: i32 = 4;
}

pub mod index_status {
    pub const UNIQUE: i32 = 1;
    pub const PRIMARY_KEY: i32 = 2;
    pub const UNIQUE_CONSTRAINT: i32 = 4;
    pub const DISABLED: i32 = 8;
    pub const IGNORE_DUPLICATES: i32 = 16;
    pub const PADDED: i32 = 32;
    pub const NO_ROW_LOCKS: i32 = 64;
    pub const NO_PAGE_LOCKS: i32 = 128;
    /// Statistics without an index.
    pub const STATISTICS: i32 = 256;
    pub const NO_RECOMPUTE: i32 = 1024;
    pub const SYSTEM_NAMED: i32 = 2048;
}

/// Bits of `DatabaseRow::options`.
pub mod database_option {
    pub const READ_COMMITTED_SNAPSHOT: i64 = 1;
    pub const AUTO_CLOSE: i64 = 1 << 1;
    pub const AUTO_SHRINK: i64 = 1 << 2;
    pub const READ_ONLY: i64 = 1 << 3;
    pub const AUTO_CREATE_STATISTICS: i64 = 1 << 4;
    pub const AUTO_UPDATE_STATISTICS: i64 = 1 << 5;
    pub const AUTO_UPDATE_STATISTICS_ASYNC: i64 = 1 << 6;
    pub const ANSI_NULL_DEFAULT: i64 = 1 << 7;
    pub const ANSI_NULLS: i64 = 1 << 8;
    pub const ANSI_PADDING: i64 = 1 << 9;
    pub const ANSI_WARNINGS: i64 = 1 << 10;
    pub const ARITHABORT: i64 = 1 << 11;
    pub const CONCAT_NULL_YIELDS_NULL: i64 = 1 << 12;
    pub const NUMERIC_ROUNDABORT: i64 = 1 << 13;
    pub const QUOTED_IDENTIFIER: i64 = 1 << 14;
    pub const RECURSIVE_TRIGGERS: i64 = 1 << 15;
    pub const CURSOR_CLOSE_ON_COMMIT: i64 = 1 << 16;
    pub const CURSOR_DEFAULT_LOCAL: i64 = 1 << 17;
    pub const TRUSTWORTHY: i64 = 1 << 18;
    pub const DB_CHAINING: i64 = 1 << 19;
    pub const PARAMETERIZATION_FORCED: i64 = 1 << 20;
    pub const ENABLE_BROKER: i64 = 1 << 21;
    pub const DATE_CORRELATION_OPTIMIZATION: i64 = 1 << 22;
    pub const MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT: i64 = 1 << 23;
    pub const QUERY_STORE: i64 = 1 << 24;
    pub const OFFLINE: i64 = 1 << 25;
    pub const ACCELERATED_DATABASE_RECOVERY: i64 = 1 << 26;
    pub const ENCRYPTION: i64 = 1 << 27;
    pub const MIXED_PAGE_ALLOCATION: i64 = 1 << 28;
    /// Its restore goes on, or its tail of the log has been backed up for one: nobody may use it.
    pub const RESTORING: i64 = 1 << 29;
    /// TEMPORAL_HISTORY_RETENTION OFF: what has outlived its retention is not removed.
    pub const NO_HISTORY_RETENTION: i64 = 1 << 30;
    /// EMERGENCY: nobody changes it, and members of sysadmin read it.
    pub const EMERGENCY: i64 = 1 << 31;
    /// It is a snapshot of another.
    pub const SNAPSHOT: i64 = 1 << 32;
    /// It is read between two steps of its restore.
    pub const STANDBY: i64 = 1 << 33;
    pub const OPTIMIZED_LOCKING: i64 = 1 << 36;
    /// DBCC CLONEDATABASE has made it, and has found it sound.
    pub const CLONE: i64 = 1 << 34;
    pub const VERIFIED_CLONE: i64 = 1 << 35;
    /// ALTER DATABASE SCOPED CONFIGURATION SET TSQL_SCALAR_UDF_INLINING = OFF
    pub const NO_FUNCTION_INLINING: i64 = 1 << 37;
    /// What a database is in at the moment, and a copy of it is not.
    pub const STATES: i64 = OFFLINE | RESTORING | EMERGENCY | STANDBY;

    /// `(name in ALTER DATABASE SET, bit)`.
    pub const NAMES: &[(&str, i64)] = &[
        ("READ_COMMITTED_SNAPSHOT", READ_COMMITTED_SNAPSHOT),
        ("AUTO_CLOSE", AUTO_CLOSE),
        ("AUTO_SHRINK", AUTO_SHRINK),
        ("AUTO_CREATE_STATISTICS", AUTO_CREATE_STATISTICS),
        ("AUTO_UPDATE_STATISTICS", AUTO_UPDATE_STATISTICS),
        ("AUTO_UPDATE_STATISTICS_ASYNC", AUTO_UPDATE_STATISTICS_ASYNC),
        ("ANSI_NULL_DEFAULT", ANSI_NULL_DEFAULT),
        ("ANSI_NULLS", ANSI_NULLS),
        ("ANSI_PADDING", ANSI_PADDING),
        ("ANSI_WARNINGS", ANSI_WARNINGS),
        ("ARITHABORT", ARITHABORT),
        ("CONCAT_NULL_YIELDS_NULL", CONCAT_NULL_YIELDS_NULL),
        ("NUMERIC_ROUNDABORT", NUMERIC_ROUNDABORT),
        ("QUOTED_IDENTIFIER", QUOTED_IDENTIFIER),
        ("RECURSIVE_TRIGGERS", RECURSIVE_TRIGGERS),
        ("CURSOR_CLOSE_ON_COMMIT", CURSOR_CLOSE_ON_COMMIT),
        ("TRUSTWORTHY", TRUSTWORTHY),
        ("DB_CHAINING", DB_CHAINING),
        ("DATE_CORRELATION_OPTIMIZATION", DATE_CORRELATION_OPTIMIZATION),
        ("MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT", MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT),
        ("ACCELERATED_DATABASE_RECOVERY", ACCELERATED_DATABASE_RECOVERY),
        ("ENCRYPTION", ENCRYPTION),
        ("MIXED_PAGE_ALLOCATION", MIXED_PAGE_ALLOCATION),
        ("OPTIMIZED_LOCKING", OPTIMIZED_LOCKING),
    ];

    /// What `model` begins with, and so the databases made from it.
    pub const DEFAULT: i64 = AUTO_CREATE_STATISTICS | AUTO_UPDATE_STATISTICS;
}

/// Classes of `sys.extended_properties`, `sys.database_permissions`, `sysclsobjs`.
/// Bits of `LoginRow::status`.
pub mod login_status {
    pub const DISABLED: i32 = 1;
    pub const CHECK_POLICY: i32 = 2;
    pub const CHECK_EXPIRATION: i32 = 4;
    pub const FIXED: i32 = 8;
}

pub mod class {
    pub const DATABASE: u8 = 0;
    pub const OBJECT: u8 = 1;
    pub const PARAMETER: u8 = 2;
    pub const SCHEMA: u8 = 3;
    pub const PRINCIPAL: u8 = 4;
    pub const TYPE: u8 = 6;
    pub const XML_COLLECTION: u8 = 10;
    pub const CERTIFICATE: u8 = 25;
    pub const INDEX: u8 = 7;
    pub const SERVER: u8 = 100;
    pub const LOGIN: u8 = 101;
    pub const ENDPOINT: u8 = 105;
    /// In `sysclsobjs`.
    pub const SCHEMA_ENTRY: u8 = 50;
    pub const FILEGROUP: u8 = 65;
    pub const PARTITION_FUNCTION: u8 = 67;
    pub const PARTITION_SCHEME: u8 = 68;
    /// In master's: the pools of the resource governor, and the governor itself.
    pub const RESOURCE_POOL: u8 = 200;
    pub const RESOURCE_GOVERNOR: u8 = 201;
    pub const WORKLOAD_GROUP: u8 = 205;
    /// What the password policy keeps of a login.
    pub const LOGIN_POLICY: u8 = 210;
    /// Of which database backups one is: `name` its family, `value` itself.
    pub const FAMILY: u8 = 220;
    /// In master's: a backup device, `status` its kind and `value` its path.
    pub const DUMP_DEVICE: u8 = 222;
    /// In `syssingleobjrefs`.
    pub const ROLE_MEMBER: u8 = 25;
    pub const SERVER_ROLE_MEMBER: u8 = 26;
    pub const FOREIGN_KEY: u8 = 27;
    pub const POOL_BINDING: u8 = 202;
    /// In master's: depid the number of a database snapshot, indepid that of its source.
    pub const SNAPSHOT: u8 = 204;
    /// In master's: depid a database, indepid and indepsubid the halves of a moment (`good_check`).
    pub const GOOD_CHECK: u8 = 208;
    /// A module WITH EXECUTE AS: depid the module, indepid the user.
    pub const EXECUTE_AS: u8 = 203;
    /// A predicate of a security policy: depid the policy, depsubid its number there, indepid the table or view.
    pub const SECURITY_PREDICATE: u8 = 204;
    /// SYSTEM_VERSIONING: depid the current table, indepid its history; indepsubid and status its retention, count and unit, or -1.
    pub const TEMPORAL_HISTORY: u8 = 205;
    /// A rule that is bound: depid and depsubid the column, indepid the rule.
    pub const RULE: u8 = 206;
    /// In `sysmultiobjrefs`: depid a trigger, depsubid the number of an event that it fires for, indepid that of the group that it was
    /// created for, or 0; status its place in the order (`scoped_trigger`).
    pub const TRIGGER_EVENT: u8 = 207;
}

pub mod schema {
    /// Triggers of the server, in master's rows, and of a database: in no schema.
    pub const OF_SERVER: i32 = -1;
    pub const OF_DATABASE: i32 = 0;
    pub const DBO: i32 = 1;
    pub const GUEST: i32 = 2;
    pub const INFORMATION_SCHEMA: i32 = 3;
    pub const SYS: i32 = 4;
    /// Ids of user schemas start here.
    pub const USER_MIN: i32 = 5;
}
