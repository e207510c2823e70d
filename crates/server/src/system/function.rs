//! Scalar functions about the session and its database's objects: OBJECT_ID, DB_NAME, SERVERPROPERTY and their like.

use std::sync::Arc;

use exec::session::Session as State;
use sql::bind::{Nature, ViewIndex};
use sql::catalog::{DatabaseId, ModuleDef, ModuleKind, Object, ObjectId, ObjectName, TableDef};
use sql::function::FunctionId;
use sql::plan::Client;
use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use super::answer::{Answer, Arguments};
use super::column_property::{self, Owner};
use super::file_property;
use super::object_property::{self, Subject};
use super::permissions;
use super::server_property::{self, server_property};
use crate::catalog::base::{
    CertificateRow, ColumnRow, DatabaseRow, IndexRow, ObjectRow, TypeRow, column_status, index_status, object_status,
    schema,
};
use crate::catalog::load::int;
use crate::catalog::row::BaseRow as _;
use crate::catalog::statistics::StatisticsId;
use crate::catalog::store::Rows;
use crate::catalog::{Database, MASTER, SessionCatalog, good_check, load, registry, scalar_type, xml_collection};
use crate::security::check::Securable;
use crate::session::first_result::first_result;
use crate::session::host::SessionHost;

/// The functions of groups "Session and errors" and "Metadata" that execution does not answer itself.
pub fn session_function(
    host: &mut SessionHost,
    state: &mut State,
    function: FunctionId,
    arguments: &[(SqlType, Datum)],
    ty: &SqlType,
) -> SqlResult<Datum> {
    let mut call = Call { host, state, arguments: Arguments(arguments) };
    Ok(call.answer(function)?.datum(ty))
}

/// Values of `DatabaseRow::user_access`, `page_verify` and `recovery_model`.
const SINGLE_USER: u8 = 1;
const RESTRICTED_USER: u8 = 2;
const TORN_PAGE_DETECTION: u8 = 1;
const FULL: u8 = 1;
const SIMPLE: u8 = 3;

/// Characters of a sysname.
const NAME_LENGTH_MAX: usize = 128;

struct Call<'a> {
    host: &'a mut SessionHost,
    state: &'a mut State,
    arguments: Arguments<'a>,
}

impl Call<'_> {
    fn answer(&mut self, function: FunctionId) -> SqlResult<Answer> {
        use FunctionId::*;
        let arguments = &self.arguments;
        let login = || self.host.entry.identity.login_name.clone();
        Ok(match function {
            AppName => self.host.entry.identity.program_name.as_str().into(),
            HostName => self.host.entry.identity.host_name.as_str().into(),
            HostId => format!("{:<10}", self.host.entry.identity.client_pid).as_str().into(),
            OriginalLogin => login().as_str().into(),
            OriginalDbName => {
                let database = self.host.server.catalog.database(self.host.login_database);
                database.map_or(Answer::Null, |db| db.name().as_str().into())
            }
            SystemUser | SuserName | SuserSname | SuserSid | SuserId | CurrentUser | SessionUser | User | UserName
            | DatabasePrincipalId | UserId | IsSrvrolemember | IsMember | IsRolemember => {
                super::principal::answer(self.host, self.state, function, arguments)?
            }
            Loginproperty | Pwdcompare | Pwdencrypt => {
                super::login_property::answer(self.host, self.state, function, arguments)?
            }
            // Of the logins of this server, without a directory to ask: the same as SUSER_SID.
            SidBinary => super::principal::answer(self.host, self.state, FunctionId::SuserSid, arguments)?,
            XmlSchemaNamespace => self.schema_namespace()?,
            Odbcprec | Odbcscale => self.odbc_number(function)?,
            Getansinull => {
                let database = if arguments.is_given(0) { self.database_argument(0) } else { Some(self.current()) };
                database.map(|db| i64::from(SessionHost::is_null_by_default(&self.state.options, &db))).into()
            }
            ApplockMode | ApplockTest => super::application_lock::answer(self.host, self.state, function, arguments)?,
            Connectionproperty => self.connection_property(),
            Sessionproperty => self.session_property(),
            SessionContext => return self.session_context(),
            HasAccess => {
                let (table, id) = (arguments.id(0).unwrap_or(0), arguments.id(1).unwrap_or(0));
                let Some(db) = self.database_by_id(2) else { return Ok(Answer::Number(0)) };
                let current = i32::from(self.host.catalog_session.database.0);
                let seen = table == DatabaseRow::TABLE.id && id == current
                    || self.host.rights(self.state, |rights, look| rights.sees(look, &db, table, id))?;
                Answer::Number(i64::from(seen))
            }
            HasPermsByName | Permissions | HasDbaccess => self.permissions(function)?,
            DbId => match arguments.is_given(0) {
                false => Answer::Number(self.host.catalog_session.database.0.into()),
                true => self.database_argument(0).map(|db| i64::from(db.id.0)).into(),
            },
            DbName => match arguments.is_given(0) {
                false => self.host.database_name().as_str().into(),
                true => {
                    let id = arguments.number(0).and_then(|id| u16::try_from(id).ok());
                    let found = id.and_then(|id| self.host.server.catalog.database(DatabaseId(id)));
                    found.map(|db| db.row().name.clone()).into()
                }
            },
            Serverproperty => server_property(&self.host.server, &arguments.text(0).unwrap_or_default()),
            Databasepropertyex | Databaseproperty => self.database_property()?,
            ObjectId => self.object_id()?,
            Parsename => self.part_of_name().into(),
            ObjectName | ObjectSchemaName => self.object_name(function == ObjectSchemaName)?,
            ObjectDefinition => self.object_definition()?,
            Objectproperty | Objectpropertyex => self.object_property(function == Objectpropertyex)?,
            SchemaId => self.schema_id()?,
            SchemaName => self.schema_name()?,
            TypeId => self.type_id()?,
            TypeName => self.type_name()?,
            ColLength => self.column_length()?,
            ColName => self.column_name()?,
            Columnproperty => self.column_property()?,
            IndexCol => self.index_column()?,
            Indexproperty => self.index_property()?,
            IndexkeyProperty => self.index_key_property()?,
            StatsDate => self.statistics_date(),
            Typeproperty => self.type_property()?,
            IdentCurrent | IdentSeed | IdentIncr => self.identity(function)?,
            Collationproperty => self.collation_property(),
            FilegroupId | FilegroupName | FileId | FileIdex | FileName | Fileproperty | Filegroupproperty => {
                let db = self.current();
                file_property::answer(self.host, self.state, &db, (function, &self.arguments))?
            }
            MinActiveRowversion => {
                let last = self.host.server.catalog.rowversion_last(self.host.catalog_session.database)?;
                Answer::Bytes((last + 1).to_be_bytes().to_vec())
            }
            Fulltextserviceproperty | Fulltextcatalogproperty => Answer::Number(0),
            // Nothing here is signed; what is no object cannot be.
            IsObjectsigned => {
                let is_object = arguments.text(0).is_some_and(|class| class.eq_ignore_ascii_case("OBJECT"));
                let object = arguments.id(1).filter(|_| is_object);
                let (db, id) = (self.current(), object.unwrap_or(0));
                self.read(&db, |rows| load::object_row(rows, id))?.map(|_| 0).into()
            }
            CertId => self.certificate(&arguments.text(0).unwrap_or_default())?.into(),
            // Nothing is signed, there are no assemblies, and no collation is tertiary.
            Verifysignedbycert | Assemblyproperty | TertiaryWeights => Answer::Null,
            other => unreachable!("execution answers {} itself", other.name()),
        })
    }

    fn permissions(&mut self, function: FunctionId) -> SqlResult<Answer> {
        let (arguments, host, state) = (&self.arguments, &mut *self.host, &mut *self.state);
        let answer = match function {
            FunctionId::HasPermsByName => {
                let (name, class, column) = (arguments.text(0), arguments.text(1), arguments.text(3));
                let Some(wanted) = arguments.text(2) else { return Ok(Answer::Null) };
                permissions::has_permission(host, state, name.as_deref(), class.as_deref(), &wanted, column.as_deref())?
            }
            FunctionId::HasDbaccess => {
                permissions::has_database_access(host, state, &arguments.text(0).unwrap_or_default())?
            }
            _ => {
                let (object, column) = (arguments.id(0), arguments.text(1));
                return Ok(permissions::bits(host, state, object, column.as_deref())?.into());
            }
        };
        Ok(answer.map(i64::from).into())
    }

    fn current(&self) -> Arc<Database> {
        self.host.server.catalog.expect_database(self.host.catalog_session.database)
    }

    fn database_argument(&self, position: usize) -> Option<Arc<Database>> {
        self.host.server.catalog.database_named(&self.arguments.text(position)?)
    }

    /// The database of an optional id argument, else the current one.
    fn database_by_id(&self, position: usize) -> Option<Arc<Database>> {
        match self.arguments.is_given(position) {
            false => Some(self.current()),
            true => {
                self.host.server.catalog.database(DatabaseId(u16::try_from(self.arguments.number(position)?).ok()?))
            }
        }
    }

    fn connection_property(&self) -> Answer {
        let identity = &self.host.entry.identity;
        match self.arguments.text(0).unwrap_or_default().to_ascii_lowercase().as_str() {
            "net_transport" | "physical_net_transport" => identity.net_transport().into(),
            "protocol_type" => "TSQL".into(),
            "auth_scheme" => "SQL".into(),
            "local_net_address" => identity.local_net_address().map_or(Answer::Null, |address| address.as_str().into()),
            "local_tcp_port" => identity.local_tcp_port().map_or(Answer::Null, |port| Answer::Number(port.into())),
            "client_net_address" => {
                identity.client_net_address().map_or(Answer::Null, |address| address.as_str().into())
            }
            _ => Answer::Null,
        }
    }

    fn session_property(&self) -> Answer {
        let options = &self.state.options;
        match self.arguments.text(0).unwrap_or_default().to_ascii_uppercase().as_str() {
            "ANSI_NULLS" => options.ansi_nulls.into(),
            "ANSI_PADDING" => options.ansi_padding.into(),
            "ANSI_WARNINGS" => options.ansi_warnings.into(),
            "ARITHABORT" => options.arith_abort.into(),
            "CONCAT_NULL_YIELDS_NULL" => options.concat_null_yields_null.into(),
            "NUMERIC_ROUNDABORT" => options.numeric_round_abort.into(),
            "QUOTED_IDENTIFIER" => options.quoted_identifier.into(),
            _ => Answer::Null,
        }
    }

    /// The value keeps its own type: it is a sql_variant already.
    fn session_context(&self) -> SqlResult<Answer> {
        let key = self.arguments.text(0).unwrap_or_default();
        let found = self.host.context.iter().find(|entry| entry.key.eq_ignore_ascii_case(&key));
        Ok(match found.map(|entry| &entry.value) {
            Some(Datum::Bytes(bytes)) => Answer::Variant(bytes.clone()),
            _ => Answer::Null,
        })
    }

    fn database_property(&mut self) -> SqlResult<Answer> {
        use crate::catalog::base::database_option as option;
        let Some(db) = self.database_argument(0) else { return Ok(Answer::Null) };
        let row = db.row();
        let name = self.arguments.text(1).unwrap_or_default().to_ascii_lowercase();
        let flag = |bit: i64| Answer::from(row.options & bit != 0);
        let collation = types::collation::lookup(&row.collation);
        Ok(match name.as_str() {
            "collation" => row.collation.as_str().into(),
            "status" if db.is_restoring() => "RESTORING".into(),
            "status" => match self.host.server.catalog.storage.hold_of(db.storage_id()) {
                None => "ONLINE".into(),
                Some(hold) => hold.to_string().as_str().into(),
            },
            "updateability" => (if row.options & option::READ_ONLY != 0 { "READ_ONLY" } else { "READ_WRITE" }).into(),
            "useraccess" => {
                ["MULTI_USER", "SINGLE_USER", "RESTRICTED_USER"][usize::from(row.user_access.min(2))].into()
            }
            "recovery" => ["FULL", "BULK_LOGGED", "SIMPLE"][usize::from(row.recovery_model.clamp(1, 3)) - 1].into(),
            "version" => Answer::Number(957),
            "lcid" => collation.map(server_property::locale).into(),
            "sqlsortorder" => {
                collation.map_or(Answer::Null, |c| Answer::typed(&SqlType::TINYINT, server_property::sort_order(c)))
            }
            "comparisonstyle" => collation.map(server_property::comparison_style).into(),
            "isxtpsupported" => Answer::Number(1),
            "ismemoryoptimizedelevatetosnapshotenabled" => flag(option::MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT),
            // Where no check has ended well the documented value is 1900-01-01.
            "lastgoodcheckdbtime" => {
                let master = self.host.server.catalog.expect_database(MASTER);
                let moment = self.read(&master, |rows| good_check::last(rows, &db))?;
                Answer::typed(&SqlType::DATETIME, moment.unwrap_or(0))
            }
            "isautoclose" => flag(option::AUTO_CLOSE),
            "isautoshrink" => flag(option::AUTO_SHRINK),
            "isautocreatestatistics" => flag(option::AUTO_CREATE_STATISTICS),
            "isautoupdatestatistics" => flag(option::AUTO_UPDATE_STATISTICS),
            "isansinulldefault" => flag(option::ANSI_NULL_DEFAULT),
            "isansinullsenabled" => flag(option::ANSI_NULLS),
            "isansipaddingenabled" => flag(option::ANSI_PADDING),
            "isansiwarningsenabled" => flag(option::ANSI_WARNINGS),
            "isarithmeticabortenabled" => flag(option::ARITHABORT),
            "isnullconcat" => flag(option::CONCAT_NULL_YIELDS_NULL),
            "isnumericroundabortenabled" => flag(option::NUMERIC_ROUNDABORT),
            "isquotedidentifiersenabled" => flag(option::QUOTED_IDENTIFIER),
            "isrecursivetriggersenabled" => flag(option::RECURSIVE_TRIGGERS),
            "isclosecursorsoncommitenabled" => flag(option::CURSOR_CLOSE_ON_COMMIT),
            "islocalcursorsdefault" => flag(option::CURSOR_DEFAULT_LOCAL),
            "isreadonly" => flag(option::READ_ONLY),
            "isinload" => flag(option::RESTORING),
            "isinstandby" => flag(option::STANDBY),
            "isoptimizedlockingon" => flag(option::OPTIMIZED_LOCKING),
            "isclone" => flag(option::CLONE),
            "isverifiedclone" => flag(option::VERIFIED_CLONE),
            "isparameterizationforced" => flag(option::PARAMETERIZATION_FORCED),
            "issingleuser" => (row.user_access == SINGLE_USER).into(),
            "isdboonly" => (row.user_access == RESTRICTED_USER).into(),
            "istornpagedetectionenabled" => (row.page_verify == TORN_PAGE_DETECTION).into(),
            "istrunclog" => (row.recovery_model == SIMPLE).into(),
            "isbulkcopy" => (row.recovery_model != FULL).into(),
            "isfulltextenabled"
            | "ismergepublished"
            | "ispublished"
            | "issubscribed"
            | "issyncwithbackup"
            | "isoffline"
            | "issuspect"
            | "isemergencymode"
            | "isdetached"
            | "isnotrecovered"
            | "isshutdown"
            | "isinrecovery"
            | "isautocreatestatisticsincremental"
            | "isdatabasesuspendedforsnapshotbackup" => Answer::Number(0),
            _ => Answer::Null,
        })
    }

    /// A name written as text, of up to four parts.
    fn name_argument(&self, position: usize) -> Option<ObjectName> {
        ObjectName::from_text(&self.arguments.text(position)?)
    }

    /// PARSENAME: the object is part 1.
    fn part_of_name(&self) -> Option<String> {
        let place = usize::try_from(self.arguments.number(1)?.checked_sub(1)?).ok()?;
        let part = sql::multipart::parts(&self.arguments.text(0)?)?.get_mut(place)?.take()?;
        (part.encode_utf16().count() <= NAME_LENGTH_MAX).then_some(part)
    }

    fn object_id(&mut self) -> SqlResult<Answer> {
        // A blank before a name is the name's, and there is none of that name.
        if self.arguments.text(0).is_some_and(|text| text.starts_with(' ') && !text.contains(['.', '[', '"'])) {
            return Ok(Answer::Null);
        }
        let Some(name) = self.name_argument(0) else { return Ok(Answer::Null) };
        let wanted = self.arguments.text(1);
        let found = self.host.with_catalog(self.state, |catalog| catalog.object_id(&name));
        // A name in a database that does not exist is no error here.
        let Ok(Some((database, id, kind))) = found else { return Ok(Answer::Null) };
        if !self.sees(database, id)? {
            return Ok(Answer::Null);
        }
        let fits = wanted.is_none_or(|wanted| wanted.trim().eq_ignore_ascii_case(kind.trim()));
        Ok(fits.then_some(i64::from(id)).into())
    }

    /// Whether the session may know of an object.
    fn sees(&mut self, database: DatabaseId, id: i32) -> SqlResult<bool> {
        let Some(db) = self.host.server.catalog.database(database) else { return Ok(false) };
        self.host.rights(self.state, |rights, look| rights.sees(look, &db, ObjectRow::TABLE.id, id))
    }

    /// The number of a certificate, which are in master.
    fn certificate(&mut self, name: &str) -> SqlResult<Option<i64>> {
        let db = self.current();
        match db.id {
            MASTER => {
                let row = self.read(&db, |rows| rows.first::<CertificateRow>(1, &[load::name(name)]))?;
                Ok(row.map(|row| i64::from(row.id)))
            }
            _ => Ok(None),
        }
    }

    fn read<T>(&mut self, db: &Database, work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>) -> SqlResult<T> {
        self.host.catalog_rows(self.state, db, work)
    }

    /// The row of a user object of the current or the named database; triggers of no table are in no schema, and none.
    fn object_row(&mut self, id: i32, db: &Database) -> SqlResult<Option<ObjectRow>> {
        Ok(self.read(db, |rows| load::object_row(rows, id))?.filter(|row| row.nsid > schema::OF_DATABASE))
    }

    fn object_name(&mut self, of_schema: bool) -> SqlResult<Answer> {
        let (Some(id), Some(db)) = (self.arguments.id(0), self.database_by_id(1)) else { return Ok(Answer::Null) };
        if let Some(entry) = registry::by_id(id) {
            return Ok((if of_schema { entry.schema_shown() } else { entry.name }).into());
        }
        let Some(row) = self.object_row(id, &db)? else { return Ok(Answer::Null) };
        if !self.sees(db.id, id)? {
            return Ok(Answer::Null);
        }
        if !of_schema {
            return Ok(row.name.as_str().into());
        }
        let schema = self.read(&db, |rows| load::schema_name(rows, row.nsid))?;
        Ok(Answer::Text(schema))
    }

    fn object_definition(&mut self) -> SqlResult<Answer> {
        let Some(id) = self.arguments.id(0) else { return Ok(Answer::Null) };
        if let Some(registry::Entry { source: registry::Source::Text { text, .. }, .. }) = registry::by_id(id) {
            return Ok((*text).into());
        }
        let db = self.current();
        let shown = self.host.rights(self.state, |rights, look| match Securable::object(look, &db, id)? {
            Some(on) => rights.sees_definition(look, &db, &on),
            None => Ok(true),
        })?;
        if !shown {
            return Ok(Answer::Null);
        }
        let text = self.read(&db, |rows| {
            let row = load::object_row(rows, id)?;
            // A security policy has a text, but no definition.
            let hidden = row.is_some_and(|row| row.status & object_status::ENCRYPTED != 0 || row.kind.as_str() == "SP");
            if hidden { Ok(None) } else { load::text_of(rows, id) }
        })?;
        Ok(text.into())
    }

    fn table(&mut self, id: i32) -> SqlResult<Option<Arc<TableDef>>> {
        let db = self.current();
        match self.host.with_catalog(self.state, |catalog| catalog.object_by_id(&db, id))? {
            Some(Object::Table(table)) => Ok(Some(table)),
            _ => Ok(None),
        }
    }

    /// The same, or what is stored of an indexed view.
    fn stored_rows(&mut self, id: i32) -> SqlResult<Option<Arc<TableDef>>> {
        let db = self.current();
        Ok(match self.host.with_catalog(self.state, |catalog| catalog.object_by_id(&db, id))? {
            Some(Object::Table(table)) => Some(table),
            Some(Object::Module(module)) => module.rows.clone(),
            _ => None,
        })
    }

    /// Whether a clustered index could be made on a view.
    fn is_indexable(&mut self, db: &Database, id: i32) -> SqlResult<bool> {
        let options = SessionHost::bind_options(self.state);
        let database = db.name();
        self.host.with_catalog(self.state, |catalog| {
            let Some(module) = catalog.module_by_id(db.id, ObjectId(id))? else { return Ok(false) };
            let of = ViewIndex { view: &module.name, database: &database, index: "", key: &[] };
            Ok(sql::bind::indexable(&module, &of, catalog, &options).is_ok())
        })
    }

    /// `extended`: OBJECTPROPERTYEX, which gives more than numbers.
    fn object_property(&mut self, extended: bool) -> SqlResult<Answer> {
        let (Some(id), Some(property)) = (self.arguments.id(0), self.arguments.text(1)) else {
            return Ok(Answer::Null);
        };
        let db = self.current();
        let subject = match registry::by_id(id) {
            Some(entry) => Subject::of_system(entry),
            None => match self.object_row(id, &db)? {
                Some(row) => self.read(&db, |rows| Subject::read(rows, &row))?,
                None => return Ok(Answer::Null),
            },
        };
        let property = property.trim().to_ascii_lowercase();
        let table = match &*property {
            "isindexable" if subject.is_bound_view() => return Ok(self.is_indexable(&db, id)?.into()),
            "isindexed" | "cardinality" => self.stored_rows(id)?,
            _ => self.table(id)?,
        };
        let nature = if object_property::asks_nature(&property) { self.module_nature(&db, id)? } else { None };
        // https://learn.microsoft.com/sql/t-sql/functions/objectpropertyex-transact-sql
        if !extended && matches!(&*property, "basetype" | "cardinality") {
            return Ok(Answer::Null);
        }
        Ok(subject.property(&property, table.as_deref(), nature))
    }

    /// Of a view or a function that users made.
    fn module_nature(&mut self, db: &Database, id: i32) -> SqlResult<Option<Nature>> {
        let options = SessionHost::bind_options(self.state);
        self.host.with_catalog(self.state, |catalog| {
            let module = catalog.module_by_id(db.id, ObjectId(id))?;
            let is_asked = |module: &ModuleDef| !matches!(module.kind, ModuleKind::Procedure | ModuleKind::Trigger);
            let module = module.filter(|module| is_asked(module) && id > 0);
            Ok(module.map(|module| sql::bind::nature_of_module(&module, &options, catalog)))
        })
    }

    fn schema_id(&mut self) -> SqlResult<Answer> {
        if !self.arguments.is_given(0) {
            return Ok(Answer::Number(1));
        }
        let Some(name) = self.arguments.text(0) else { return Ok(Answer::Null) };
        let db = self.current();
        let row = self.read(&db, |rows| load::schema_named(rows, &name))?;
        Ok(row.map(|row| i64::from(row.id)).into())
    }

    fn schema_name(&mut self) -> SqlResult<Answer> {
        if !self.arguments.is_given(0) {
            return Ok((&*self.host.catalog_session.default_schema).into());
        }
        let Some(id) = self.arguments.id(0) else { return Ok(Answer::Null) };
        let db = self.current();
        Ok(self.read(&db, |rows| load::schema_of_id(rows, id))?.into())
    }

    fn type_id(&mut self) -> SqlResult<Answer> {
        let Some(name) = self.name_argument(0) else { return Ok(Answer::Null) };
        if let Some(system) = scalar_type::by_name(&name.name) {
            return Ok(Answer::Number(i64::from(system.utype)));
        }
        let db = self.current();
        let all: Vec<TypeRow> = self.read(&db, |rows| rows.all::<TypeRow>())?;
        let found = all.into_iter().find(|row| row.name.eq_ignore_ascii_case(&name.name));
        let Some(row) = found else { return Ok(Answer::Null) };
        let seen = self.host.rights(self.state, |rights, look| rights.sees(look, &db, TypeRow::TABLE.id, row.id))?;
        Ok(seen.then_some(i64::from(row.id)).into())
    }

    fn type_name(&mut self) -> SqlResult<Answer> {
        let Some(id) = self.arguments.id(0) else { return Ok(Answer::Null) };
        if let Some(system) = scalar_type::by_user_type(id) {
            return Ok(system.name.into());
        }
        let db = self.current();
        let row = self.read(&db, |rows| rows.first::<TypeRow>(0, &[load::int(id)]))?;
        let seen = self.host.rights(self.state, |rights, look| rights.sees(look, &db, TypeRow::TABLE.id, id))?;
        Ok(row.filter(|_| seen).map(|row| row.name).into())
    }

    /// A table, or what is stored of an indexed view.
    fn named_table(&mut self, position: usize) -> SqlResult<Option<Arc<TableDef>>> {
        let Some(name) = self.name_argument(position) else { return Ok(None) };
        use sql::catalog::Catalog as _;
        match self.host.with_catalog(self.state, |catalog| catalog.resolve(&name)) {
            Ok(Some(Object::Table(table))) => Ok(Some(table)),
            Ok(Some(Object::Module(module))) => Ok(module.rows.clone()),
            _ => Ok(None),
        }
    }

    /// Columns of an object of a database, or its parameters (`number` 1), as far as the session may know of it.
    fn columns(&mut self, db: &Database, id: i32, number: u8) -> SqlResult<Vec<ColumnRow>> {
        if !self.sees(db.id, id)? {
            return Ok(Vec::new());
        }
        self.read(db, |rows| rows.find::<ColumnRow>(0, &[load::int(id), load::small(number)]))
    }

    fn column_length(&mut self) -> SqlResult<Answer> {
        let (Some(name), Some(column)) = (self.name_argument(0), self.arguments.text(1)) else {
            return Ok(Answer::Null);
        };
        let found = self.host.with_catalog(self.state, |catalog| catalog.object_id(&name));
        let Ok(Some((database, id, _))) = found else { return Ok(Answer::Null) };
        if let Some(registry::Entry { source: registry::Source::Rows { columns, .. }, .. }) = registry::by_id(id) {
            let column = columns.iter().find(|known| known.name.eq_ignore_ascii_case(&column));
            return Ok(column.map(|column| i64::from(scalar_type::max_length(&column.ty))).into());
        }
        let Some(db) = self.host.server.catalog.database(database) else { return Ok(Answer::Null) };
        let columns = self.columns(&db, id, 0)?;
        let column = columns.into_iter().find(|row| db.equal_names(&row.name, &column));
        Ok(column.map(|row| i64::from(row.length)).into())
    }

    fn column_name(&mut self) -> SqlResult<Answer> {
        let (Some(id), Some(column_id)) = (self.arguments.id(0), self.arguments.number(1)) else {
            return Ok(Answer::Null);
        };
        if let Some(registry::Entry { source: registry::Source::Rows { columns, .. }, .. }) = registry::by_id(id) {
            let column = columns.iter().find(|column| i64::from(column.column_id) == column_id);
            return Ok(column.map(|column| column.name.to_string()).into());
        }
        let db = self.current();
        let columns = self.columns(&db, id, 0)?;
        Ok(columns.into_iter().find(|row| i64::from(row.colid) == column_id).map(|row| row.name).into())
    }

    fn column_property(&mut self) -> SqlResult<Answer> {
        let (Some(id), Some(name), Some(property)) =
            (self.arguments.id(0), self.arguments.text(1), self.arguments.text(2))
        else {
            return Ok(Answer::Null);
        };
        let db = self.current();
        // What a function gives back has no name and stands among its parameters.
        let number = u8::from(name.starts_with('@') || name.is_empty());
        let columns = self.columns(&db, id, number)?;
        let Some(row) = columns.into_iter().find(|row| db.equal_names(&row.name, &name)) else {
            return Ok(Answer::Null);
        };
        let table = self.table(id)?;
        let property = property.trim().to_ascii_lowercase();
        let nature = match (&row.definition.0, &table) {
            (Some(definition), Some(table))
                if row.status & column_status::COMPUTED != 0 && column_property::asks_nature(&property) =>
            {
                let options = SessionHost::bind_options(self.state);
                let asked = |catalog: &SessionCatalog<'_>| sql::bind::nature_of(definition, table, &options, catalog);
                // A definition that cannot be bound any more keeps nothing.
                Some(self.host.with_catalog(self.state, asked).unwrap_or(Nature::UNKNOWN))
            }
            _ => None,
        };
        let is_view = table.is_none() && self.object_row(id, &db)?.is_some_and(|row| row.kind.as_str().trim() == "V");
        let owner = match &table {
            Some(table) => Owner::Table(table),
            None if is_view => Owner::View,
            None => Owner::Module,
        };
        Ok(column_property::of_column(&row, &property, owner, nature))
    }

    fn type_property(&mut self) -> SqlResult<Answer> {
        let (Some(name), Some(property)) = (self.name_argument(0), self.arguments.text(1)) else {
            return Ok(Answer::Null);
        };
        let db = self.current();
        let types: Vec<TypeRow> = self.read(&db, |rows| rows.all())?;
        let row = types.into_iter().find(|row| db.equal_names(&row.name, &name.name));
        let Some(row) = row else { return Ok(Answer::Null) };
        Ok(column_property::of_type_row(&row, &property.trim().to_ascii_lowercase()))
    }

    /// INDEXKEY_PROPERTY(table, index, place in the key, property)
    fn statistics_date(&self) -> Answer {
        let (Some(object), Some(id)) = (self.arguments.id(0), self.arguments.number(1)) else { return Answer::Null };
        let Some(db) = self.host.server.catalog.database(self.host.catalog_session.database) else {
            return Answer::Null;
        };
        let all = db.statistics.of_table(object);
        let own = all.iter().find(|kept| i64::from(kept.id.number()) == id);
        own.map_or(Answer::Null, |kept| Answer::Number(kept.made.0))
    }

    fn index_key_property(&mut self) -> SqlResult<Answer> {
        let (Some(id), Some(index), Some(place), Some(property)) =
            (self.arguments.id(0), self.arguments.number(1), self.arguments.number(2), self.arguments.text(3))
        else {
            return Ok(Answer::Null);
        };
        let Some(table) = self.stored_rows(id)? else { return Ok(Answer::Null) };
        let index = table.indexes.iter().find(|known| i64::from(known.id) == index);
        let key = index.and_then(|index| index.key.get(usize::try_from(place.checked_sub(1)?).ok()?));
        let Some((column, descending)) = key else { return Ok(Answer::Null) };
        Ok(match property.trim().to_ascii_lowercase().as_str() {
            "columnid" => Answer::Number(table.columns[usize::from(*column)].column_id.into()),
            "isdescending" => (*descending).into(),
            _ => Answer::Null,
        })
    }

    fn index_column(&mut self) -> SqlResult<Answer> {
        let (Some(index), Some(position)) = (self.arguments.number(1), self.arguments.number(2)) else {
            return Ok(Answer::Null);
        };
        let Some(table) = self.named_table(0)? else { return Ok(Answer::Null) };
        let index = table.indexes.iter().find(|known| i64::from(known.id) == index);
        let key = index.and_then(|index| index.key.get(usize::try_from(position - 1).ok()?));
        Ok(key.map(|(column, _)| table.columns[usize::from(*column)].name.to_string()).into())
    }

    /// XML_SCHEMA_NAMESPACE(schema, collection [, namespace]): the documents of a collection. 6314, 6353.
    fn schema_namespace(&mut self) -> SqlResult<Answer> {
        let (Some(schema), Some(name)) = (self.arguments.text(0), self.arguments.text(1)) else {
            return Ok(Answer::Null);
        };
        if schema.eq_ignore_ascii_case("sys") {
            return Err(sql_error!(6353));
        }
        let db = self.current();
        let text = self.read(&db, |rows| match xml_collection::named(rows, &schema, &name)? {
            Some(row) => load::text_of(rows, row.id),
            None => Ok(None),
        })?;
        let text = text.ok_or_else(|| sql_error!(6314, name))?;
        match self.arguments.text(2) {
            Some(namespace) => xml_collection::of_namespace(&text, &namespace).map(Answer::Text),
            None => Ok(Answer::Text(text)),
        }
    }

    fn index_property(&mut self) -> SqlResult<Answer> {
        let (Some(id), Some(name), Some(property)) =
            (self.arguments.id(0), self.arguments.text(1), self.arguments.text(2))
        else {
            return Ok(Answer::Null);
        };
        let db = self.current();
        if self.object_row(id, &db)?.is_none() && self.table(id)?.is_none() {
            return Ok(Answer::Null);
        }
        let indexes: Vec<IndexRow> = self.read(&db, |rows| rows.find(0, &[int(id)]))?;
        let is_named = |index: &&IndexRow| index.name.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(&name));
        let Some(index) = indexes.iter().find(is_named) else {
            let mut automatic = db.statistics.of_table(id).into_iter().map(|kept| kept.id);
            let found = automatic.find(|of| of.automatic_name(id).is_some_and(|own| own.eq_ignore_ascii_case(&name)));
            return Ok(found.map_or(Answer::Null, |of| automatic_statistics_property(of, &property)));
        };
        let has = |bit: i32| Answer::from(index.status & bit != 0);
        Ok(match property.trim().to_ascii_lowercase().as_str() {
            "indexid" => Answer::Number(index.indid.into()),
            "indexfillfactor" => Answer::Number(index.fillfact.into()),
            "indexdepth" => Answer::Number(self.index_depth(&db, index).into()),
            "isclustered" => (index.indid == 1).into(),
            "isunique" => has(index_status::UNIQUE),
            "isdisabled" => has(index_status::DISABLED),
            "ispadindex" => has(index_status::PADDED),
            "ispagelockdisallowed" => has(index_status::NO_PAGE_LOCKS),
            "isrowlockdisallowed" => has(index_status::NO_ROW_LOCKS),
            "isstatistics" => (!matches!(index.kind, 3 | 4) && index.status & index_status::STATISTICS != 0).into(),
            "iscolumnstore" => matches!(index.kind, 5 | 6).into(),
            "isautostatistics" | "isfulltextkey" | "ishypothetical" | "isoptimizedforsequentialkey" => {
                Answer::Number(0)
            }
            _ => Answer::Null,
        })
    }

    /// Levels of its tree; 0: it has none.
    fn index_depth(&self, db: &Database, index: &IndexRow) -> u32 {
        let table = self.host.server.catalog.storage.open_table(db.storage_id(), storage::TableId(index.id));
        match table.as_deref() {
            Ok(storage::Table::Disk(table)) => {
                table.tree_size(storage::IndexId(index.indid as u32)).map_or(0, |size| size.levels.into())
            }
            Ok(storage::Table::Partitioned(table)) => {
                table.tree_size(storage::IndexId(index.indid as u32)).map_or(0, |size| size.levels.into())
            }
            _ => 0,
        }
    }

    /// A table, or the one whose identity column a view shows.
    fn numbered_table(&mut self, position: usize) -> SqlResult<Option<Arc<TableDef>>> {
        let Some(name) = self.name_argument(position) else { return Ok(None) };
        use sql::catalog::Catalog as _;
        let view = match self.host.with_catalog(self.state, |catalog| catalog.resolve(&name)) {
            Ok(Some(Object::Table(table))) => return Ok(Some(table)),
            Ok(Some(Object::Module(module))) if module.kind == ModuleKind::View => module,
            _ => return Ok(None),
        };
        let Some(db) = self.host.server.catalog.database(view.database) else { return Ok(None) };
        let quoted = [&*db.name(), &*view.schema, &*view.name].map(|part| format!("[{}]", part.replace(']', "]]")));
        let text = format!("SELECT * FROM {}", quoted.join("."));
        // A view that cannot be bound any more shows nothing.
        let Ok(module) = self.host.bind_text(self.state, &text, "") else { return Ok(None) };
        let columns = first_result(self.host, self.state, &module, Client::Plain).unwrap_or_default();
        let mut origins = columns.unwrap_or_default().into_iter().filter_map(|column| column.origin);
        Ok(origins
            .find(|origin| origin.table.columns[usize::from(origin.column)].identity.is_some())
            .map(|origin| origin.table))
    }

    fn identity(&mut self, function: FunctionId) -> SqlResult<Answer> {
        let Some(table) = self.numbered_table(0)? else { return Ok(Answer::Null) };
        let Some((seed, increment)) = table.columns.iter().find_map(|column| column.identity) else {
            return Ok(Answer::Null);
        };
        Ok(match function {
            FunctionId::IdentSeed => Answer::Number(seed),
            FunctionId::IdentIncr => Answer::Number(increment),
            _ => {
                let catalog = &self.host.server.catalog;
                let db = catalog.expect_database(table.database);
                let last = db.counters.last(&catalog.storage, &db, table.object.0)?;
                Answer::Number(last.map_or(Ok(seed), i64::try_from).map_err(|_| overflow())?)
            }
        })
    }

    fn collation_property(&self) -> Answer {
        let Some(collation) = self.arguments.text(0).and_then(|name| types::collation::lookup(name.trim())) else {
            return Answer::Null;
        };
        let tds = collation.to_tds();
        let bits = u32::from_le_bytes([tds[0], tds[1], tds[2], tds[3]]);
        match self.arguments.text(1).unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "codepage" => Answer::Number(i64::from(collation.code_page().0)),
            "lcid" => Answer::Number(server_property::locale(collation)),
            "comparisonstyle" => Answer::Number(server_property::comparison_style(collation)),
            "version" => Answer::Number(i64::from(bits >> 28)),
            "tdscollation" => Answer::Bytes(tds.to_vec()),
            _ => Answer::Null,
        }
    }

    /// ODBCPREC(type, length, precision), ODBCSCALE(type, scale): precision of a number or characters of a string, as syscolumns has them.
    fn odbc_number(&self, function: FunctionId) -> SqlResult<Answer> {
        let (Some(xtype), Some(given)) = (self.arguments.number(0), self.arguments.number(1)) else {
            return Ok(Answer::Null);
        };
        if function == FunctionId::Odbcscale {
            if let Some(large) = [xtype, given].into_iter().find(|number| !(0..=255).contains(number)) {
                return Err(sql_error!(220, state 2, "tinyint", large));
            }
            return Ok(match xtype {
                40..=43 | 48 | 52 | 56 | 58 | 60 | 61 | 106 | 108 | 122 | 127 => Answer::Number(given),
                _ => Answer::Null,
            });
        }
        Ok(match xtype {
            231 | 239 if given > 0 => Answer::Number(given / 2),
            165 | 167 | 173 | 175 | 231 | 239 => Answer::Number(given),
            34 | 35 => Answer::Number(i64::from(i32::MAX)),
            99 => Answer::Number(i64::from(i32::MAX / 2)),
            _ => self.arguments.number(2).into(),
        })
    }
}

fn overflow() -> SqlError {
    sql_error!(8115, "expression", "numeric")
}

/// INDEXPROPERTY of statistics that nobody has made: they are no index.
/// https://learn.microsoft.com/sql/t-sql/functions/indexproperty-transact-sql
fn automatic_statistics_property(id: StatisticsId, property: &str) -> Answer {
    match property.trim().to_ascii_lowercase().as_str() {
        "indexid" => Answer::Number(id.number().into()),
        "isstatistics" | "isautostatistics" => Answer::Number(1),
        "indexfillfactor"
        | "indexdepth"
        | "isclustered"
        | "isunique"
        | "isdisabled"
        | "ispadindex"
        | "ispagelockdisallowed"
        | "isrowlockdisallowed"
        | "iscolumnstore"
        | "isfulltextkey"
        | "ishypothetical"
        | "isoptimizedforsequentialkey" => Answer::Number(0),
        _ => Answer::Null,
    }
}
