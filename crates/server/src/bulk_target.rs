//! What INSERT BULK said; the rows follow in the next message.

#[derive(Debug, Clone)]
pub struct BulkTarget {
    /// As it stands in T-SQL, quoted.
    pub table: String,
    /// Names without quotes.
    pub columns: Vec<String>,
}
