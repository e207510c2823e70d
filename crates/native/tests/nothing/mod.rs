//! A catalog without any object, for modules that are bound without one.

use std::sync::Arc;

use sql::catalog::{Catalog, DatabaseId, Object, ObjectId, ObjectName, TableDef, UserType};
use types::{CollationId, SqlError};

/// A database without any object.
pub struct Nothing;

impl Catalog for Nothing {
    fn version(&self) -> u64 {
        1
    }

    fn database(&self) -> DatabaseId {
        DatabaseId(5)
    }

    fn resolve(&self, _: &ObjectName) -> Result<Option<Object>, SqlError> {
        Ok(None)
    }

    fn table_by_id(&self, _: DatabaseId, _: ObjectId) -> Result<Option<Arc<TableDef>>, SqlError> {
        Ok(None)
    }

    fn user_type(&self, _: &ObjectName) -> Result<Option<UserType>, SqlError> {
        Ok(None)
    }

    fn collation(&self) -> CollationId {
        CollationId::SQL_LATIN1_GENERAL_CP1_CI_AS
    }
}
