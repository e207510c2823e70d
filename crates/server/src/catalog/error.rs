//! The world's errors of catalog work, as the user's.

use storage::StorageError;
use types::{SqlError, sql_error};

/// For catalog rows and DDL: where a table of the user is meant, its caller has already named it. What storage does not know,
/// `exec` fills in where the statement fails.
pub fn storage_error(error: StorageError) -> SqlError {
    match error {
        StorageError::Deadlock => sql_error!(1205, 0, "lock"),
        StorageError::LockTimeout => sql_error!(1222, state 56),
        StorageError::Cancelled => exec::session::stopped(exec::sink::Stop::Attention),
        StorageError::UpdateConflict { .. } | StorageError::Reshaped { .. } => sql_error!(3961, ""),
        StorageError::RowTooLarge { bytes, bytes_max } => sql_error!(511, bytes, bytes_max),
        StorageError::KeyTooLong { bytes, bytes_max } => sql_error!(1946, state 3, bytes, bytes_max, "nonclustered"),
        StorageError::LogFull(holder) => sql_error!(9002, state 2, "", holder.name()),
        StorageError::DiskFull => sql_error!(1105, "", "", "", "PRIMARY"),
        StorageError::WorkFilesFull => {
            sql_error!(1105, state 2, "<temporary system object>", "", "tempdb", "PRIMARY")
        }
        StorageError::OutOfMemory => sql_error!(701, "default"),
        StorageError::UnknownTable | StorageError::UnknownIndex => sql_error!(2801, ""),
        StorageError::Stopped(_) => sql_error!(9001, ""),
        conflict @ (StorageError::WriteConflict { .. }
        | StorageError::NotRepeatable { .. }
        | StorageError::Phantom { .. }
        | StorageError::DependencyFailed
        | StorageError::Held { .. }
        | StorageError::CorruptPage { .. }
        | StorageError::MemoryOptimizedFull { .. }
        | StorageError::QuotaReached) => exec::storage_error(conflict, None),
        other => sql_error!(823, other, "read or write"),
    }
}
