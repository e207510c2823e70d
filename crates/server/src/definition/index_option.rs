//! Options of indexes: which there are, and which of them the statements that make and change an index take.

use sql::ast::{AlterIndexAction, Expr, Literal, PartitionChoice, Setting, SettingValue};
use types::{SqlResult, sql_error};

/// Options of indexes and keys. Besides those in `status_with`, FILLFACTOR and BUCKET_COUNT they say how an index is made or laid out:
/// here they have no meaning (docs/statements.md).
const OPTIONS: &[&str] = &[
    "ALLOW_PAGE_LOCKS",
    "ALLOW_ROW_LOCKS",
    "BUCKET_COUNT",
    "DATA_COMPRESSION",
    "DROP_EXISTING",
    "FILLFACTOR",
    "IGNORE_DUP_KEY",
    "MAXDOP",
    "MAX_DURATION",
    "ONLINE",
    "OPTIMIZE_FOR_SEQUENTIAL_KEY",
    "PAD_INDEX",
    "RESUMABLE",
    "SORTED_DATA",
    "SORTED_DATA_REORG",
    "SORT_IN_TEMPDB",
    "STATISTICS_INCREMENTAL",
    "STATISTICS_NORECOMPUTE",
    "XML_COMPRESSION",
];

/// What ALTER INDEX ... SET may change, what REORGANIZE and REBUILD may be told, and REBUILD of one partition.
/// https://learn.microsoft.com/sql/t-sql/statements/alter-index-transact-sql
const SET_OPTIONS: &[&str] = &[
    "ALLOW_PAGE_LOCKS",
    "ALLOW_ROW_LOCKS",
    "COMPRESSION_DELAY",
    "IGNORE_DUP_KEY",
    "OPTIMIZE_FOR_SEQUENTIAL_KEY",
    "STATISTICS_NORECOMPUTE",
];
const REORGANIZE_OPTIONS: &[&str] = &["COMPRESS_ALL_ROW_GROUPS", "LOB_COMPACTION"];
const NOT_OF_REBUILD: &[&str] = &["BUCKET_COUNT", "DROP_EXISTING", "SORTED_DATA", "SORTED_DATA_REORG"];
const PARTITION_OPTIONS: &[&str] =
    &["DATA_COMPRESSION", "MAXDOP", "MAX_DURATION", "ONLINE", "RESUMABLE", "SORT_IN_TEMPDB", "XML_COMPRESSION"];
/// Options that are ON or OFF.
const SWITCHES: &[&str] = &[
    "ALLOW_PAGE_LOCKS",
    "ALLOW_ROW_LOCKS",
    "COMPRESS_ALL_ROW_GROUPS",
    "DROP_EXISTING",
    "LOB_COMPACTION",
    "OPTIMIZE_FOR_SEQUENTIAL_KEY",
    "PAD_INDEX",
    "RESUMABLE",
    "SORT_IN_TEMPDB",
    "STATISTICS_INCREMENTAL",
    "STATISTICS_NORECOMPUTE",
];

/// 155: the action has no such option.
pub fn options_of_action(action: &AlterIndexAction) -> SqlResult<()> {
    let one = |partition: &Option<PartitionChoice>| matches!(partition, Some(PartitionChoice::One(_)));
    let (options, of) = match action {
        AlterIndexAction::Set(options) => (options, "ALTER INDEX"),
        AlterIndexAction::Reorganize { options, .. } => (options, "ALTER INDEX REORGANIZE"),
        AlterIndexAction::Rebuild { options, .. } => (options, "ALTER INDEX REBUILD PARTITION"),
        AlterIndexAction::Disable | AlterIndexAction::Resumable { .. } => return Ok(()),
    };
    for option in options {
        let name = &*option.name;
        let known = match action {
            AlterIndexAction::Set(_) => SET_OPTIONS.contains(&name),
            AlterIndexAction::Reorganize { .. } => REORGANIZE_OPTIONS.contains(&name),
            AlterIndexAction::Rebuild { partition, .. } if one(partition) => PARTITION_OPTIONS.contains(&name),
            _ => OPTIONS.contains(&name) && !NOT_OF_REBUILD.contains(&name),
        };
        if !known {
            return Err(sql_error!(155, name, of));
        }
        check_switch(option)?;
    }
    Ok(())
}

/// 102: what is ON or OFF can be nothing else.
fn check_switch(option: &Setting) -> SqlResult<()> {
    let is_switch = SWITCHES.contains(&&*option.name);
    match &option.value {
        SettingValue::Value(Expr::Literal(Literal::Int(number))) if is_switch => Err(sql_error!(102, number)),
        SettingValue::Word(word) if is_switch => Err(sql_error!(102, &**word)),
        _ => Ok(()),
    }
}

/// 155: no option of an index has this name. 40510: what makes sense for partitions alone.
pub fn known_options(options: &[Setting]) -> SqlResult<()> {
    for option in options {
        if !OPTIONS.contains(&&*option.name) {
            return Err(sql_error!(155, option.name, "CREATE INDEX"));
        }
        if &*option.name == "STATISTICS_INCREMENTAL" && option.is_on() {
            return Err(super::unsupported("STATISTICS_INCREMENTAL"));
        }
        check_switch(option)?;
        check_compression(option)?;
    }
    Ok(())
}

/// 102: a table is compressed by ROW, by PAGE or not at all.
pub fn check_compression(option: &Setting) -> SqlResult<()> {
    let word = match &option.value {
        SettingValue::Word(word) | SettingValue::List(Some(word), _) => word,
        _ => return Ok(()),
    };
    let known = ["NONE", "ROW", "PAGE", "COLUMNSTORE", "COLUMNSTORE_ARCHIVE"];
    match &*option.name == "DATA_COMPRESSION" && !known.iter().any(|name| name.eq_ignore_ascii_case(word)) {
        true => Err(sql_error!(102, &**word)),
        false => Ok(()),
    }
}
