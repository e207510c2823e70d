//! Rows of the computed system tables, a file a family.

pub mod archive_rows;
pub mod audit_rows;
pub mod statistics_rows;
pub mod partition_rows;
pub mod index_sizes;
pub mod xml_rows;
pub mod reference_rows;
pub mod catalog_rows;
pub mod buffer_rows;
pub mod physical_rows;
pub mod plan_rows;
pub mod governor_rows;
pub mod transaction_rows;
pub mod os_rows;
pub mod exec_rows;
pub mod memory_rows;
pub mod mda_rows;
pub mod server_rows;
pub mod backup_rows;
pub mod text_rows;
pub mod xtp_rows;
