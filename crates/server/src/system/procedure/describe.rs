//! How a column is described, and the parameters of a text, without running it.

use exec::session::Session as State;
use exec::sink::Sink;
use sql::plan::{Client, OutputColumn, SortedBy};
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::parameters::Parameters;
use super::result::{ResultSet, bit, number, optional_text, text};
use crate::catalog::{scalar_type, xml_collection};
use crate::session::first_result::first_result;
use crate::session::host::SessionHost;
use crate::wire::sink;

/// Columns of what a text's first result is described by.
pub const FIRST_RESULT: &str = "is_hidden bit; column_ordinal int; name sysname; is_nullable bit; system_type_id int; \
    system_type_name nvarchar(256); max_length smallint; precision tinyint; scale tinyint; collation_name sysname; \
    user_type_id int; user_type_database sysname; user_type_schema sysname; user_type_name sysname; \
    assembly_qualified_type_name nvarchar(4000); xml_collection_id int; xml_collection_database sysname; \
    xml_collection_schema sysname; xml_collection_name sysname; is_xml_document bit; is_case_sensitive bit; \
    is_fixed_length_clr_type bit; source_server sysname; source_database sysname; source_schema sysname; \
    source_table sysname; source_column sysname; is_identity_column bit; is_part_of_unique_key bit; is_updateable bit; \
    is_computed_column bit; is_sparse_column_set bit; ordinal_in_order_by_list smallint; order_by_list_length smallint; \
    order_by_is_descending smallint; tds_type_id int; tds_length int; tds_collation_id int; tds_collation_sort_id tinyint";

/// Places of columns in it.
pub const IS_HIDDEN: usize = 0;
pub const IS_PART_OF_UNIQUE_KEY: usize = 28;

/// 11501 behind the errors of a text that cannot be compiled.
pub fn not_compiled(mut errors: Vec<SqlError>) -> Vec<SqlError> {
    errors.push(sql_error!(11501));
    errors
}

pub fn columns_of(
    host: &mut SessionHost,
    state: &mut State,
    text: &str,
    declared: &str,
    client: Client,
) -> SqlResult<Option<Vec<OutputColumn>>> {
    let module = host.bind_text(state, text, declared).map_err(SqlError::together)?;
    first_result(host, state, &module, client)
}

/// A row of `FIRST_RESULT`.
pub fn described(host: &SessionHost, at: usize, column: &OutputColumn, browse: bool) -> Vec<Datum> {
    let ty = &column.ty;
    let origin = column.origin.as_ref();
    let base = origin.map(|origin| &origin.table.columns[usize::from(origin.column)]);
    let database = origin.and_then(|origin| host.server.catalog.database(origin.table.database)).map(|db| db.name());
    let shown = |value: Option<&str>| optional_text(value.filter(|_| browse));
    let unique = origin.map(|origin| {
        origin.table.indexes.iter().any(|index| index.unique && index.key.iter().any(|(key, _)| *key == origin.column))
    });
    let identity = base.is_some_and(|base| base.identity.is_some());
    let computed = base.is_some_and(|base| base.computed.is_some());
    let updateable = base.is_some() && !identity && !computed && ty.kind != TypeKind::RowVersion;
    let system = scalar_type::system_type(ty.kind);
    let udt = ty.kind.udt();
    let own_database = udt.and_then(|_| database.clone());
    let (tds_type, tds_length) = match column.nullable {
        true => tds_form(ty),
        false => tds_form_of_all(ty),
    };
    let sorted = |of: fn(SortedBy) -> i64| column.sorted.map_or(Datum::Null, |sorted| number(of(sorted)));
    let collation = ty.is_string().then(|| ty.collation.to_tds());
    let here = host.server.catalog.expect_database(host.catalog_session.database);
    let current = here.name();
    let collection = ty.xml_collection().and_then(|number_of| {
        host.server.catalog.read(&here, |rows| xml_collection::name(rows, number_of)).ok().flatten()
    });
    vec![
        bit(column.is_hidden()),
        number(at as i64 + 1),
        if column.name.is_empty() { Datum::Null } else { text(&column.name) },
        bit(column.nullable),
        number(system.xtype),
        if udt.is_some() { Datum::Null } else { text(&ty.to_string()) },
        number(scalar_type::max_length(ty)),
        number(if ty.kind == TypeKind::Xml { 0 } else { ty.precision }),
        number(ty.scale),
        optional_text(ty.is_string().then(|| ty.collation.name()).as_deref()),
        udt.map_or(Datum::Null, |_| number(system.utype)),
        optional_text(own_database.as_deref()),
        optional_text(udt.map(|_| "sys")),
        optional_text(udt.map(|_| system.name)),
        optional_text(udt.map(|udt| udt.assembly_qualified_name)),
        ty.xml_collection().map_or(Datum::Null, |number_of| number(xml_collection::id_of(number_of))),
        optional_text(collection.as_ref().map(|_| current.as_str())),
        optional_text(collection.as_ref().map(|(schema, _)| schema.as_str())),
        optional_text(collection.as_ref().map(|(_, name)| name.as_str())),
        bit(ty.is_xml_document()),
        bit(sink::is_case_sensitive(ty)),
        bit(false),
        Datum::Null,
        shown(database.as_deref()),
        shown(origin.map(|origin| &*origin.table.schema)),
        shown(origin.map(|origin| &*origin.table.name)),
        shown(base.map(|base| &*base.name)),
        bit(identity),
        unique.filter(|_| browse).map_or(Datum::Null, bit),
        bit(updateable),
        bit(computed || column.computed && sink::has_computed_flag(ty.kind)),
        bit(base.is_some_and(|base| base.is_set())),
        sorted(|sorted| i64::from(sorted.at) + 1),
        sorted(|sorted| i64::from(sorted.of)),
        sorted(|sorted| i64::from(sorted.descending)),
        number(tds_type),
        number(tds_length),
        collation.map_or(Datum::Null, |bytes| number(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))),
        collation.map_or(Datum::Null, |bytes| number(bytes[4])),
    ]
}

/// The type token of a nullable value and its length on the wire (MS-TDS 2.2.5.4).
pub fn tds_form(ty: &SqlType) -> (i64, i64) {
    let length = i64::from(scalar_type::max_length(ty));
    let long = |token: i64| (token, if length < 0 { 65_535 } else { length });
    match ty.kind {
        TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt => (38, length),
        TypeKind::Bit => (104, 1),
        TypeKind::Decimal => (106, 17),
        TypeKind::Numeric => (108, 17),
        TypeKind::Real | TypeKind::Float => (109, length),
        TypeKind::Money | TypeKind::SmallMoney => (110, length),
        TypeKind::DateTime | TypeKind::SmallDateTime => (111, length),
        TypeKind::UniqueIdentifier => (36, 16),
        TypeKind::Date => (40, 3),
        TypeKind::Time => (41, length),
        TypeKind::DateTime2 => (42, length),
        TypeKind::DateTimeOffset => (43, length),
        TypeKind::VarBinary => long(165),
        TypeKind::VarChar => long(167),
        TypeKind::Binary | TypeKind::RowVersion => long(173),
        TypeKind::Char => long(175),
        TypeKind::NVarChar => long(231),
        TypeKind::NChar => long(239),
        TypeKind::Text => (35, i64::from(i32::MAX)),
        TypeKind::NText => (99, i64::from(i32::MAX) - 1),
        TypeKind::Image => (34, i64::from(i32::MAX)),
        TypeKind::SqlVariant => (98, 8009),
        TypeKind::HierarchyId | TypeKind::Geometry | TypeKind::Geography => long(240),
        TypeKind::Json => (244, 65_535),
        _ => (241, 65_535),
    }
}

/// The same of values that are never NULL: some types have a token for those alone.
fn tds_form_of_all(ty: &SqlType) -> (i64, i64) {
    let (token, length) = tds_form(ty);
    let fixed = match ty.kind {
        TypeKind::TinyInt => 48,
        TypeKind::Bit => 50,
        TypeKind::SmallInt => 52,
        TypeKind::Int => 56,
        TypeKind::SmallDateTime => 58,
        TypeKind::Real => 59,
        TypeKind::Money => 60,
        TypeKind::DateTime => 61,
        TypeKind::Float => 62,
        TypeKind::SmallMoney => 122,
        TypeKind::BigInt => 127,
        _ => token,
    };
    (fixed, length)
}

const KEYS: &str = "column_encryption_key_ordinal int; database_id int; column_encryption_key_id int; column_encryption_key_version int; \
    column_encryption_key_metadata_version binary(8); column_encryption_key_encrypted_value varbinary(4000); \
    column_master_key_store_provider_name sysname; column_master_key_path nvarchar(4000); \
    column_encryption_key_encryption_algorithm_name sysname";
const ENCRYPTED: &str = "parameter_ordinal int; parameter_name sysname; column_encryption_algorithm tinyint; \
    column_encryption_type tinyint; column_encryption_key_ordinal int; column_encryption_normalization_rule_version tinyint";

/// sp_describe_parameter_encryption @tsql, @params: no column is encrypted, so every parameter goes as plain text.
pub fn parameter_encryption(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let tsql = given.text(0).unwrap_or_default();
    let declared = given.text(1).unwrap_or_default();
    let module = host.bind_text(state, &tsql, &declared).map_err(SqlError::together)?;
    ResultSet::new(KEYS).send(sink)?;
    let mut result = ResultSet::new(ENCRYPTED);
    for (at, variable) in module.variables[..module.parameter_count].iter().enumerate() {
        result.push(&[number(at as i64 + 1), text(&variable.name), number(0), number(0), number(0), number(0)]);
    }
    result.send(sink)?;
    Ok(0)
}
