//! Where documentation leaves open who waits, the model allows both and follows the server. This is the whole list, each with its reason;
//! the pages are of SQL Server's "Transaction locking and row versioning guide" where no other is named.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freedom {
    Passed,
    NextKey,
    Queue,
    Unchanged,
    Covered,
    Failed,
    Savepoint,
    Intent,
    TableHint,
}

/// Freedom, and its reason.
pub const FREEDOMS: [(Freedom, &str); 9] = [
    (
        Freedom::Passed,
        "a plan may look at rows that the statement does not want, ask for their locks, and keep those; which plan is nowhere written",
    ),
    (
        Freedom::NextKey,
        "\"Key-range locking\": a range ends at the next key that there is, or, locked as a predicate, where the statement's does",
    ),
    (
        Freedom::Queue,
        "who waits has some of his locks already, and stands in line before who comes later; which he has depends on the plan",
    ),
    (
        Freedom::Unchanged,
        "READ COMMITTED need not lock rows that nobody has changed, so XLOCK need not stop it (\"Table hints\", XLOCK)",
    ),
    (Freedom::Covered, "a change that the answer does not show may lie in an index or in columns that are not read"),
    (Freedom::Failed, "whether a statement that failed keeps the locks that it had got is not said"),
    (
        Freedom::Savepoint,
        "\"ROLLBACK TRANSACTION\": a savepoint gives back locks taken after it, but none that was escalated or converted",
    ),
    (
        Freedom::Intent,
        "whether the intent lock of a statement stays when it met no row, and which intent UPDLOCK has, depends on the plan",
    ),
    (
        Freedom::TableHint,
        "\"Table hints\": the type of TABLOCK's lock depends on the statement; with row versions a reader may take none",
    ),
];
