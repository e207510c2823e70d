//! The first start of a data directory makes the system databases; every start makes tempdb anew and reads what databases there are.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use os::sync::{Mutex, RwLock};
use os::wait::WaitType;
use storage::{Durability, Isolation, Storage, TableId, Transaction};
use types::{CollationId, SqlResult, SqlType};

use super::base::{
    BASE_TABLES, ClassRow, ColumnRow, DatabaseRow, FileRow, LISTED_TABLES, LoginRow, ObjectRow, OwnerRow, PrivilegeRow,
    ReferenceRow, ServerRow, TypeRow, class, column_status, database_option, login_status, object_status, schema,
};
use super::clock;
use super::error::storage_error;
use super::login_policy::LoginPolicy;
use super::row::{BaseTable, Binary, Code, Date, Text, Whole};
use super::scalar_type::{self, SYSTEM_TYPES, SystemType};
use super::shared::Shared;
use super::store::Rows;
use super::{ASE_MDA, ASE_MDA_NAME, Catalog, Database, MASTER, MODEL, MSDB, TEMPDB};
use crate::settings::config::Configuration;

/// What the command line decides.
#[derive(Debug, Clone)]
pub struct BootOptions {
    pub server_name: String,
    pub data_directory: String,
    /// Where BULK INSERT may read, besides a directory of the data.
    pub bulk_directories: Vec<std::path::PathBuf>,
    /// Bytes a second that backups read of their databases.
    pub backup_rate: Option<u64>,
    /// Of the server and of new databases; only at the first start.
    pub collation: CollationId,
    /// Hash of sa's password (`crate::security::password`); None leaves it as it is, at the first start: no password fits.
    pub sa_password_hash: Option<Vec<u8>>,
    /// A new server's sa has CHECK_POLICY.
    pub password_policy: bool,
    /// Of session numbers.
    pub session_number: SqlType,
}

const SYSTEM_DATABASES: [(sql::catalog::DatabaseId, &str); 4] =
    [(MASTER, "master"), (TEMPDB, "tempdb"), (MODEL, "model"), (MSDB, "msdb")];

/// Server principals of a new server: sa and the fixed roles.
const SERVER_ROLES: &[(i32, &str)] = &[
    (2, "public"),
    (3, "sysadmin"),
    (4, "securityadmin"),
    (5, "serveradmin"),
    (6, "setupadmin"),
    (7, "processadmin"),
    (8, "diskadmin"),
    (9, "dbcreator"),
    (10, "bulkadmin"),
    (11, "##MS_ServerStateReader##"),
    (12, "##MS_ServerStateManager##"),
    (13, "##MS_DefinitionReader##"),
    (14, "##MS_DatabaseConnector##"),
    (15, "##MS_DatabaseManager##"),
    (16, "##MS_LoginManager##"),
    (17, "##MS_SecurityDefinitionReader##"),
    (18, "##MS_PerformanceDefinitionReader##"),
    (19, "##MS_ServerSecurityStateReader##"),
    (20, "##MS_ServerPerformanceStateReader##"),
];

const DATABASE_ROLES: &[(i32, &str)] = &[
    (0, "public"),
    (16384, "db_owner"),
    (16385, "db_accessadmin"),
    (16386, "db_securityadmin"),
    (16387, "db_ddladmin"),
    (16389, "db_backupoperator"),
    (16390, "db_datareader"),
    (16391, "db_datawriter"),
    (16392, "db_denydatareader"),
    (16393, "db_denydatawriter"),
];

pub const SA_LOGIN: i32 = 1;
const PUBLIC_SERVER_ROLE: i32 = 2;
/// Of `sys.endpoints`: all may connect to each.
const ENDPOINTS: [i32; 4] = [2, 3, 4, 5];
pub const SYSADMIN_ROLE: i32 = 3;

/// A permission as it is granted to begin with.
pub fn granted(class: u8, id: i32, grantee: i32, kind: &str, name: &str) -> PrivilegeRow {
    let (kind, state, name) = (Code::new(kind), Code::new("G"), name.to_string());
    PrivilegeRow { class, id, subid: 0, grantee, grantor: 1, kind, state, name }
}

impl Catalog {
    /// Opens the catalog of an instance, making it first if the instance is new.
    pub fn boot(storage: Storage, options: &BootOptions) -> SqlResult<Catalog> {
        let shared = Shared::new(storage.memory(), options.session_number).map_err(storage_error)?;
        let configuration = Configuration::new(storage.memory()).map_err(storage_error)?;
        let new = !storage.databases().contains(&storage::DatabaseId::MASTER);
        if new {
            create_system_databases(&storage, options, &shared)?;
        }
        // Master's own row is in master: it is opened with the collation asked for, then again with the one found.
        let mut master = Database::new(database_row(1, "master", &options.collation.name(), clock::now()), &shared);
        let mut tx = storage.begin(Isolation::ReadCommitted);
        tx.begin_statement();
        let mut found: Vec<DatabaseRow> = master.rows(&storage, &mut tx).all::<DatabaseRow>()?;
        tx.commit(Durability::Full).map_err(storage_error)?;
        let own = found.remove(0);
        assert!(own.id == 1, "master is the first database of sysdbreg");
        let collation = types::collation::lookup(&own.collation).unwrap_or(options.collation);
        if collation != master.collation {
            master = Database::new(own, &shared);
        } else {
            master.set_row(own);
        }
        let mut databases = vec![Arc::new(master)];
        databases.extend(found.into_iter().map(|row| Arc::new(Database::new(row, &shared))));
        let started_ticks = shared.start();
        let catalog = Catalog {
            storage,
            databases: RwLock::new(WaitType::METADATA_CACHE, databases),
            databases_seen: AtomicU64::new(0),
            claimed: Mutex::new(WaitType::OBJECT_CATALOG, Vec::new()),
            shared,
            configuration,
            server_name: options.server_name.clone(),
            data_directory: options.data_directory.clone(),
            bulk_directories: options.bulk_directories.clone(),
            backup_rate: options.backup_rate,
            collation,
            started: clock::local(started_ticks),
            started_ticks,
        };
        if !new {
            catalog.make_missing_tables()?;
            catalog.make_tempdb()?;
            catalog.make_missing_types()?;
        }
        catalog.make_ase_mda()?;
        catalog.settle_emergencies()?;
        catalog.settle_backups()?;
        catalog.grant_to_all()?;
        catalog.load_configuration()?;
        catalog.load_governor()?;
        if let (false, Some(hash)) = (new, &options.sa_password_hash) {
            let master = catalog.expect_database(MASTER);
            catalog.change(&master, |rows| {
                rows.update::<LoginRow>(0, &[super::load::int(SA_LOGIN)], |row| {
                    row.password = Binary(Some(hash.as_slice().into()))
                })?;
                // Whoever starts the server may set the password, and so may let its login in again.
                LoginPolicy::new(clock::now()).write(rows, SA_LOGIN)
            })?;
        }
        Ok(catalog)
    }

    /// Whatever tempdb held is gone.
    fn make_tempdb(&self) -> SqlResult<()> {
        let tempdb = self.expect_database(TEMPDB);
        let mut tx = self.storage.begin(Isolation::ReadCommitted);
        tx.begin_statement();
        if self.storage.databases().contains(&storage::DatabaseId::TEMPDB) {
            self.storage.drop_database(&mut tx, storage::DatabaseId::TEMPDB).map_err(storage_error)?;
        }
        self.storage.create_database(&mut tx, storage::DatabaseId::TEMPDB, "tempdb").map_err(storage_error)?;
        fill_database(&self.storage, &mut tx, &tempdb)?;
        tx.commit(Durability::Full).map_err(storage_error)
    }

    /// Master's tables that a data directory of an older version has not.
    fn make_missing_tables(&self) -> SqlResult<()> {
        let master = self.expect_database(MASTER);
        let there = self.storage.tables(master.storage_id()).map_err(storage_error)?;
        let missing = BASE_TABLES.iter().filter(|table| table.master_only && !there.contains(&TableId(table.id)));
        for table in missing {
            let mut tx = self.storage.begin(Isolation::ReadCommitted);
            tx.begin_statement();
            let layout = master.layouts.table_layout(table);
            self.storage
                .create_table(&mut tx, master.storage_id(), TableId(table.id), &layout)
                .map_err(storage_error)?;
            let mut rows = master.rows(&self.storage, &mut tx);
            rows.insert(&shipped(table.id, table.name))?;
            fill_columns(&mut rows, &master, table)?;
            tx.commit(Durability::Full).map_err(storage_error)?;
        }
        Ok(())
    }

    /// Types that the databases of a data directory of an older version have not.
    fn make_missing_types(&self) -> SqlResult<()> {
        for database in self.open_databases() {
            let there: Vec<TypeRow> = self.read(&database, |rows| rows.all())?;
            let is_missing = |ty: &&SystemType| there.iter().all(|row| row.id != ty.utype);
            let missing: Vec<&SystemType> = SYSTEM_TYPES.iter().filter(is_missing).collect();
            if !missing.is_empty() {
                self.change(&database, |rows| missing.iter().try_for_each(|ty| rows.insert(&type_row(ty, &database))))?;
            }
        }
        Ok(())
    }

    /// What public, guest and each login may do from the beginning. A data directory of a version that granted nothing gets it once: the
    /// rows of the endpoints say that it has.
    fn grant_to_all(&self) -> SqlResult<()> {
        let master = self.expect_database(MASTER);
        let endpoint = [super::load::small(class::ENDPOINT)];
        if self.read(&master, |rows| rows.first::<PrivilegeRow>(0, &endpoint))?.is_some() {
            return Ok(());
        }
        let logins: Vec<LoginRow> = self.read(&master, |rows| rows.all())?;
        self.change(&master, |rows| {
            // What somebody has granted or denied already stays as it is.
            for login in logins.iter().filter(|login| login.kind.as_str() != "R") {
                rows.try_insert(&granted(class::SERVER, 0, login.id, "COSQ", "CONNECT SQL"))?.ok();
            }
            rows.try_insert(&granted(class::SERVER, 0, PUBLIC_SERVER_ROLE, "VWDB", "VIEW ANY DATABASE"))?.ok();
            for endpoint in ENDPOINTS {
                rows.insert(&granted(class::ENDPOINT, endpoint, PUBLIC_SERVER_ROLE, "CO", "CONNECT"))?;
            }
            Ok(())
        })?;
        for database in self.open_databases() {
            let guests = [MASTER, TEMPDB, MSDB, ASE_MDA].contains(&database.id);
            self.change(&database, |rows| {
                let mut grant = |user| rows.try_insert(&granted(class::DATABASE, 0, user, "CO", "CONNECT"));
                grant(1)?.ok();
                if guests {
                    grant(2)?.ok();
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The database of ASE's monitoring tables, which a data directory of an older version has not. Its tables are the program's.
    fn make_ase_mda(&self) -> SqlResult<()> {
        if self.database(ASE_MDA).is_some() {
            return Ok(());
        }
        if self.database_named(ASE_MDA_NAME).is_some() {
            tracing::warn!("a user's database has the name {ASE_MDA_NAME}: the monitoring tables are not there");
            return Ok(());
        }
        let id = i32::from(ASE_MDA.0);
        let mut row = database_row(id, ASE_MDA_NAME, &self.collation.name(), clock::now());
        row.options |= database_option::READ_ONLY;
        row.recovery_model = 3;
        self.create_database(row, &files_of(&self.data_directory, id, ASE_MDA_NAME))
    }

    /// CREATE DATABASE: base tables and their first rows, and its row in master. In a transaction of its own.
    pub(crate) fn create_database(&self, row: DatabaseRow, files: &[FileRow]) -> SqlResult<()> {
        let master = self.expect_database(MASTER);
        let db = Database::new(row.clone(), &self.shared);
        let mut tx = self.storage.begin(Isolation::ReadCommitted);
        tx.begin_statement();
        self.storage.create_database(&mut tx, db.storage_id(), &row.name).map_err(storage_error)?;
        fill_database(&self.storage, &mut tx, &db)?;
        let mut rows = master.rows(&self.storage, &mut tx);
        rows.insert(&row)?;
        for file in files {
            rows.insert(file)?;
        }
        tx.commit(Durability::Full).map_err(storage_error)?;
        self.add_database(db);
        Ok(())
    }
}

fn create_system_databases(storage: &Storage, options: &BootOptions, shared: &Shared) -> SqlResult<()> {
    let now = clock::now();
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let collation = options.collation.name();
    let mut made = Vec::new();
    for (id, name) in SYSTEM_DATABASES {
        let db = Database::new(database_row(i32::from(id.0), name, &collation, now), shared);
        storage.create_database(&mut tx, db.storage_id(), name).map_err(storage_error)?;
        fill_database(storage, &mut tx, &db)?;
        made.push(db);
    }
    let mut rows = made[0].rows(storage, &mut tx);
    for db in &made {
        rows.insert(&*db.row())?;
        for file in files_of(&options.data_directory, i32::from(db.id.0), &db.name()) {
            rows.insert(&file)?;
        }
    }
    fill_master(&mut rows, options, now)?;
    tx.commit(Durability::Full).map_err(storage_error)
}

/// A database as CREATE DATABASE without options makes it.
pub fn database_row(id: i32, name: &str, collation: &str, now: Date) -> DatabaseRow {
    // tempdb, master and msdb are in simple recovery on SQL Server, and master has no delayed durability.
    let simple = id != 3 && id <= 4;
    DatabaseRow {
        id,
        name: name.to_string(),
        created: now,
        collation: collation.to_string(),
        compatibility_level: 160,
        options: database_option::DEFAULT,
        recovery_model: if simple { 3 } else { 1 },
        page_verify: 2,
        delayed_durability: 0,
        user_access: 0,
        snapshot_isolation: u8::from(id == 1 || id == 4),
        target_recovery_time: 60,
        owner_sid: Binary(Some([1].into())),
    }
}

/// The data and log file of a database, as the catalog shows them: pages of all databases share the instance's files.
pub fn files_of(directory: &str, id: i32, name: &str) -> [FileRow; 2] {
    let directory = directory.trim_end_matches('/');
    let (data, log) = match id {
        1 => ("master".to_string(), "mastlog".to_string()),
        2 => ("tempdev".to_string(), "templog".to_string()),
        3 => ("modeldev".to_string(), "modellog".to_string()),
        4 => ("MSDBData".to_string(), "MSDBLog".to_string()),
        _ => (name.to_string(), format!("{name}_log")),
    };
    let file = |fileid: i32, name: &str, path: String, log: bool| FileRow {
        dbid: id,
        fileid,
        filegroup: i32::from(!log),
        name: name.to_string(),
        path: Text(Some(path)),
        size: 1024,
        size_max: -1,
        growth: 8192,
        status: if log { 2 } else { 0 },
    };
    [
        file(1, &data, format!("{directory}/{name}.mdf"), false),
        file(2, &log, format!("{directory}/{name}_log.ldf"), true),
    ]
}

/// Base tables of a database and the rows every database begins with.
pub fn fill_database(storage: &Storage, tx: &mut Transaction, db: &Database) -> SqlResult<()> {
    for table in BASE_TABLES.iter().filter(|table| !table.master_only || db.id == MASTER) {
        let layout = db.layouts.table_layout(table);
        storage.create_table(tx, db.storage_id(), TableId(table.id), &layout).map_err(storage_error)?;
    }
    let mut rows = db.rows(storage, tx);
    fill_objects(&mut rows, db)?;
    fill_types(&mut rows, db)?;
    fill_principals(&mut rows, db.row().owner_sid.0.as_deref())?;
    rows.insert(&granted(class::DATABASE, 0, 1, "CO", "CONNECT"))?;
    if db.id == TEMPDB {
        rows.insert(&granted(class::DATABASE, 0, 2, "CO", "CONNECT"))?;
    }
    Ok(())
}

/// SQL Server shows its own objects as of its release.
pub const SHIPPED: Date = Date(41_368 * 25_920_000);

fn fill_objects(rows: &mut Rows<'_>, db: &Database) -> SqlResult<()> {
    let listed = LISTED_TABLES.iter().copied();
    let kept =
        BASE_TABLES.iter().filter(|table| !table.master_only || db.id == MASTER).map(|table| (table.id, table.name));
    for (id, name) in kept.chain(listed) {
        rows.insert(&shipped(id, name))?;
    }
    let mut tables = BASE_TABLES.iter().filter(|table| !table.master_only || db.id == MASTER);
    tables.try_for_each(|table| fill_columns(rows, db, table))
}

/// A system table as `sys.objects` has it.
fn shipped(id: i32, name: &str) -> ObjectRow {
    ObjectRow {
        id,
        name: name.to_string(),
        nsid: schema::SYS,
        kind: Code::new("S"),
        pid: 0,
        created: SHIPPED,
        modified: SHIPPED,
        status: object_status::SHIPPED,
        intprop: 0,
        owner: None,
    }
}

fn fill_columns(rows: &mut Rows<'_>, db: &Database, table: &BaseTable) -> SqlResult<()> {
    for (i, column) in (table.columns)().into_iter().enumerate() {
        let mut row = column_row(table.id, i as i32 + 1, column.name, &column.ty, db.collation);
        row.status = if column.nullable { column_status::NULLABLE } else { 0 };
        rows.insert(&row)?;
    }
    Ok(())
}

/// A plain column of `ty`, not null.
pub fn column_row(id: i32, colid: i32, name: &str, ty: &types::SqlType, collation: CollationId) -> ColumnRow {
    let system = scalar_type::system_type(ty.kind);
    ColumnRow {
        id,
        number: 0,
        colid,
        name: name.to_string(),
        xtype: system.xtype,
        utype: system.utype,
        length: scalar_type::max_length(ty),
        prec: ty.precision,
        scale: ty.scale,
        collation: ty.is_string().then(|| collation.name()),
        status: 0,
        dflt: 0,
        seed: Whole(0),
        increment: Whole(0),
        definition: Text(None),
    }
}

fn fill_types(rows: &mut Rows<'_>, db: &Database) -> SqlResult<()> {
    SYSTEM_TYPES.iter().try_for_each(|ty| rows.insert(&type_row(ty, db)))
}

fn type_row(ty: &SystemType, db: &Database) -> TypeRow {
    TypeRow {
        id: ty.utype,
        schid: schema::SYS,
        name: ty.name.to_string(),
        xtype: ty.xtype,
        length: ty.length,
        prec: ty.prec,
        scale: ty.scale,
        collation: ty.has_collation.then(|| db.collation.name()),
        // All may be null but sysname and timestamp.
        status: i32::from(ty.name != "sysname" && ty.name != "timestamp") + if ty.xtype == 240 { 4 } else { 0 },
        tableid: 0,
        created: SHIPPED,
        modified: SHIPPED,
        dflt: 0,
        chk: 0,
    }
}

/// S-1-9-4-0-0-0-ID; public has the one that SQL Server's model gives to every database.
fn fixed_role_sid(id: i32) -> [u8; 28] {
    const PUBLIC: [u8; 16] = 0x8374_1B00_6749_C04B_A943_C027_02F2_A762_u128.to_be_bytes();
    let mut sid = [0; 28];
    sid[..12].copy_from_slice(&[1, 5, 0, 0, 0, 0, 0, 9, 4, 0, 0, 0]);
    match id {
        0 => sid[12..].copy_from_slice(&PUBLIC),
        _ => sid[24..].copy_from_slice(&id.to_le_bytes()),
    }
    sid
}

/// `owner`: the database's, who is its dbo.
fn fill_principals(rows: &mut Rows<'_>, owner: Option<&[u8]>) -> SqlResult<()> {
    let mut user = |id: i32, name: &str, kind: &str, sid: Option<&[u8]>, default_schema: Option<&str>| {
        rows.insert(&OwnerRow {
            id,
            name: name.to_string(),
            kind: Code::new(kind),
            sid: Binary(sid.map(Into::into)),
            created: SHIPPED,
            modified: SHIPPED,
            default_schema: default_schema.map(Into::into),
            owner: 1,
            status: i32::from(kind == "R" && id != 0),
        })
    };
    for (id, name) in DATABASE_ROLES {
        user(*id, name, "R", Some(&fixed_role_sid(*id)), None)?;
    }
    user(1, "dbo", "S", owner, Some("dbo"))?;
    user(2, "guest", "S", Some(&[0]), Some("guest"))?;
    user(3, "INFORMATION_SCHEMA", "S", None, None)?;
    user(4, "sys", "S", None, None)?;
    let mut entry = |class: u8, id: i32, name: &str, owner: i32, status: i32| {
        rows.insert(&ClassRow {
            class,
            id,
            name: name.to_string(),
            owner,
            created: SHIPPED,
            modified: SHIPPED,
            status,
            value: Text(None),
        })
    };
    for (id, name) in [(1, "dbo"), (2, "guest"), (3, "INFORMATION_SCHEMA"), (4, "sys")] {
        entry(class::SCHEMA_ENTRY, id, name, id, 0)?;
    }
    for (id, name) in &DATABASE_ROLES[1..] {
        entry(class::SCHEMA_ENTRY, *id, name, *id, 0)?;
    }
    entry(class::FILEGROUP, 1, "PRIMARY", 1, 1)?;
    rows.insert(&ReferenceRow {
        class: class::ROLE_MEMBER,
        depid: 16384,
        depsubid: 0,
        indepid: 1,
        indepsubid: 0,
        status: 0,
    })
}

fn fill_master(rows: &mut Rows<'_>, options: &BootOptions, now: Date) -> SqlResult<()> {
    let login = |id: i32, name: &str, kind: &str, sid: Vec<u8>, password: Option<&[u8]>| LoginRow {
        id,
        name: name.to_string(),
        sid: Binary(Some(sid.into())),
        kind: Code::new(kind),
        created: now,
        modified: now,
        status: match kind {
            "R" if id != 2 => login_status::FIXED,
            "S" if options.password_policy => login_status::CHECK_POLICY,
            _ => 0,
        },
        default_database: (kind == "S").then(|| "master".to_string()),
        default_language: (kind == "S").then(|| "us_english".to_string()),
        password: Binary(password.map(Into::into)),
    };
    rows.insert(&login(SA_LOGIN, "sa", "S", vec![1], options.sa_password_hash.as_deref()))?;
    for (id, name) in SERVER_ROLES {
        rows.insert(&login(*id, name, "R", vec![*id as u8], None))?;
    }
    rows.insert(&ReferenceRow {
        class: class::SERVER_ROLE_MEMBER,
        depid: SYSADMIN_ROLE,
        depsubid: 0,
        indepid: SA_LOGIN,
        indepsubid: 0,
        status: 0,
    })?;
    rows.insert(&ServerRow {
        id: 0,
        name: options.server_name.clone(),
        product: "SQL Server".to_string(),
        provider: "SQLNCLI".to_string(),
        source: Text(Some(options.server_name.clone())),
        status: 0,
        modified: now,
    })
}
