//! The world's errors of catalog work, as the user's.

use storage::StorageError;
use types::SqlError;

/// For catalog rows and DDL: where a table of the user is meant, its caller has already named it.
pub fn storage_error(error: StorageError) -> SqlError {
    match error {
        StorageError::Deadlock => SqlError::with_state(
            1205,
            13,
            51,
            "Transaction was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction.",
        ),
        StorageError::LockTimeout => SqlError::with_state(1222, 16, 56, "Lock request time out period exceeded."),
        StorageError::Cancelled => exec::session::stopped(exec::sink::Stop::Attention),
        StorageError::UpdateConflict { .. } | StorageError::Reshaped { .. } => SqlError::new(
            3961,
            16,
            "Snapshot isolation transaction failed because the object accessed by the statement has been modified by a DDL statement in another concurrent transaction since the start of this transaction. It is disallowed because the metadata is not versioned.",
        ),
        StorageError::RowTooLarge { bytes, bytes_max } => SqlError::new(
            511,
            16,
            format!(
                "Cannot create a row of size {bytes} which is greater than the allowable maximum row size of {bytes_max}."
            ),
        ),
        StorageError::KeyTooLong { bytes, bytes_max } => SqlError::with_state(
            1946,
            16,
            3,
            format!(
                "Operation failed. The index entry of length {bytes} bytes for the index exceeds the maximum length of {bytes_max} bytes."
            ),
        ),
        StorageError::LogFull => SqlError::new(9002, 17, "The transaction log is full."),
        StorageError::DiskFull => SqlError::new(1105, 17, "Could not allocate space because the filegroup is full."),
        StorageError::OutOfMemory => {
            SqlError::new(701, 17, "There is insufficient system memory in resource pool 'default' to run this query.")
        }
        StorageError::UnknownTable | StorageError::UnknownIndex => SqlError::new(
            3989,
            16,
            "The object was changed by another session while the statement ran. Run the statement again.",
        ),
        StorageError::Stopped(_) => SqlError::new(
            9001,
            21,
            "The log for database is not available. Check the operating system error log for related error messages. Resolve any errors and restart the database.",
        ),
        conflict @ (StorageError::WriteConflict { .. }
        | StorageError::NotRepeatable { .. }
        | StorageError::Phantom { .. }
        | StorageError::DependencyFailed
        | StorageError::MemoryOptimizedFull { .. }
        | StorageError::QuotaReached) => exec::storage_error(conflict, None),
        other => SqlError::new(823, 24, format!("The operating system or storage returned an error: {other}")),
    }
}
