//! What every database has without anybody creating it: catalog views and procedures as T-SQL text, DMVs and functions computed here.
//!
//! ```text
//! views/*.sql       catalog views over the base tables, a file a family
//! procedures/*.sql  sp_* procedures, a file a family
//! internal/*.sql    views and functions that these have in common; users are not shown them
//! tables.txt        columns of the tables whose rows are computed, absent.txt: of those that are always empty
//! virtual_table     rows of the computed ones
//! permissions       HAS_PERMS_BY_NAME and its like      principal   USER_NAME and its like
//! application_lock  APPLOCK_MODE, APPLOCK_TEST
//! function          OBJECT_ID and its like
//! login_property    LOGINPROPERTY, PWDCOMPARE, PWDENCRYPT      object_property   OBJECTPROPERTY
//! column_property   COLUMNPROPERTY, TYPEPROPERTY             file_property     FILEPROPERTY, FILE_ID, FILEGROUP_NAME
//! messages          texts of RAISERROR by number          agent_schedule  when a schedule of Agent runs next
//! procedure         the procedures that cannot be T-SQL
//! ```

pub mod answer;
pub mod cell;
pub mod messages;
pub mod permissions;
pub mod principal;
pub mod application_lock;
pub mod login_property;
pub mod procedure;
pub mod server_property;
pub mod object_property;
pub mod column_property;
pub mod file_property;
pub mod function;
pub mod global;
pub mod agent_schedule;
pub mod performance;
pub mod tables;
pub mod virtual_table;

pub use function::session_function;
pub use global::global;
pub use procedure::{native_procedure, run_native};
pub use virtual_table::{answer, read, virtual_rows};
