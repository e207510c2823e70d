//! The words of T-SQL. A reserved word is never an identifier unless quoted; a contextual one is a word of the
//! language only where the grammar looks for it.
//!
//! Found by one hash and one comparison: the table is filled at compile time.

macro_rules! keywords {
    (reserved: $($reserved:ident)* ; contextual: $($contextual:ident)* ;) => {
        /// Named as they are written. `NONE_` is every word that is not here.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Keyword { NONE_, $($reserved,)* LAST_RESERVED_, $($contextual,)* }

        const WORDS: &[(&str, Keyword)] = &[
            $((stringify!($reserved), Keyword::$reserved),)*
            $((stringify!($contextual), Keyword::$contextual),)*
        ];
    };
}

keywords! {
    reserved:
    ADD ALL ALTER AND ANY AS ASC AUTHORIZATION BACKUP BEGIN BETWEEN BREAK BROWSE BULK BY CASCADE CASE CHECK CHECKPOINT
    CLOSE CLUSTERED COALESCE COLLATE COLUMN COMMIT COMPUTE CONSTRAINT CONTAINS CONTAINSTABLE CONTINUE CONVERT CREATE
    CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATABASE DBCC DEALLOCATE DECLARE
    DEFAULT DELETE DENY DESC DISTINCT DISTRIBUTED DOUBLE DROP ELSE END ERRLVL ESCAPE EXCEPT EXEC EXECUTE EXISTS EXIT
    EXTERNAL FETCH FILE FILLFACTOR FOR FOREIGN FREETEXT FREETEXTTABLE FROM FULL FUNCTION GOTO GRANT GROUP HAVING
    HOLDLOCK IDENTITY IDENTITY_INSERT IDENTITYCOL IF IN INDEX INNER INSERT INTERSECT INTO IS JOIN KEY KILL LEFT LIKE
    LINENO MERGE NATIONAL NOCHECK NONCLUSTERED NOT NULL NULLIF OF OFF OFFSETS ON OPEN OPENDATASOURCE OPENQUERY
    OPENROWSET OPENXML OPTION OR ORDER OUTER OVER PERCENT PIVOT PLAN PRIMARY PRINT PROC PROCEDURE PUBLIC RAISERROR READ
    READTEXT RECONFIGURE REFERENCES REPLICATION RESTORE RESTRICT RETURN REVERT REVOKE RIGHT ROLLBACK ROWCOUNT
    ROWGUIDCOL RULE SAVE SCHEMA SELECT SEMANTICKEYPHRASETABLE SEMANTICSIMILARITYDETAILSTABLE SEMANTICSIMILARITYTABLE
    SESSION_USER SET SETUSER SHUTDOWN SOME STATISTICS SYSTEM_USER TABLE TABLESAMPLE TEXTSIZE THEN TO TOP TRAN
    TRANSACTION TRIGGER TRUNCATE TRY_CONVERT TSEQUAL UNION UNIQUE UNPIVOT UPDATE UPDATETEXT USE USER VALUES VARYING
    VIEW WAITFOR WHEN WHERE WHILE WITH WITHIN WRITETEXT
    ;
    contextual:
    ABORT ABORT_AFTER_WAIT ABSENT ABSOLUTE ACTION AFFINITY AFTER AGGREGATE ALGORITHM ALLOW_PAGE_LOCKS ALLOW_ROW_LOCKS
    ALWAYS APPEND APPLICATION APPLY ASSEMBLY ASYMMETRIC AT ATOMIC AUDIT AUTO AVAILABILITY BASE64 BINARY BROKER BUCKET_COUNT
    CACHE CALLED CALLER CAST CATALOG CATCH CERTIFICATE CHANGE CHANGES CHANGETABLE CHANGE_TRACKING CHANGE_TRACKING_CONTEXT
    CHAR CHARACTER CLASSIFIER COLLECTION COLUMNS COLUMNSTORE COLUMN_SET COMMITTED CONCAT_NULL_YIELDS_NULL CONFIGURATION
    CONNECTION CONTAINED CONTAINMENT CONTENT CONTRACT CONVERSATION COOKIE COUNTER CREDENTIAL CRYPTOGRAPHIC CUBE CYCLE
    DATA DATEFIRST DATEFORMAT DATE_BUCKET DATA_SOURCE DEADLOCK_PRIORITY DEC DECIMAL DELAY DELAYED_DURABILITY DIALOG DISABLE
    DOCUMENT DYNAMIC EDGE ELEMENTS ENABLE ENCRYPTED ENCRYPTION ENDPOINT EVENT EVENTDATA EXPLICIT FAST FAST_FORWARD
    FEDERATION FILEGROUP FILESTREAM FILESTREAM_ON FILETABLE FILTER FIRST FOLLOWING FORCE FORCESCAN FORCESEEK FORMAT
    FORWARD_ONLY FULLTEXT GENERATED GEOGRAPHY GEOMETRY GET GLOBAL GO GOVERNOR GRAPH GROUPING GROUPS GUID HADR HASH HASHED
    HIDDEN HIERARCHYID HINT IGNORE IMAGE IMMEDIATE INCLUDE INCLUDE_NULL_VALUES INCREMENT INLINE INPUT INSENSITIVE
    INSTEAD INT INTEGER ISOLATION JSON JSON_ARRAY JSON_ARRAYAGG JSON_OBJECT JSON_OBJECTAGG KEEP KEEPFIXED KEYS KEYSET
    LANGUAGE LAST LEADING LEVEL LIBRARY LIST LOCAL LOCK_TIMEOUT LOG LOGIN LOOP MARK MASKED MASTER MATCH MATCHED MAX
    MAXDOP MAXRECURSION MAXVALUE MEMBER MEMORY_OPTIMIZED MESSAGE MIGRATION MINVALUE MIRROR MODEL MODIFY MOVE MUST_CHANGE
    NAME NATIVE_COMPILATION NCHAR NEXT NO NODE NOLOCK NOTIFICATION NOWAIT NO_WAIT NULLS NUMERIC NVARCHAR OBJECT OFFSET
    ONLINE ONLY OPENJSON OPTIMISTIC OPTIMIZE OUT OUTPUT OWNER PAD_INDEX PARAMETERIZATION PARSE PARTITION PARTITIONS PATH
    PAUSE PERIOD PERMISSION_SET PERSISTED POLICY POOL POPULATION PRECEDING PRECISION PRIOR PRIORITY PRIVATE PRIVILEGES
    PROPERTY PROVIDER QUERY QUERYTRACEON QUEUE QUOTED_IDENTIFIER RANGE RAW READONLY READ_ONLY REAL REBUILD RECEIVE
    RECOMPILE RECURSIVE REFERENCE RELATIVE REMOTE REMOVE RENAME REORGANIZE REPEATABLE RESAMPLE RESOURCE RESPECT RESTART
    RESULT RESUME RETURNING RETURNS ROBUST ROLE ROLLUP ROOT ROUTE ROW ROWS ROWVERSION SAMPLE SCHEMABINDING SCHEME SCOPED
    SCROLL SCROLL_LOCKS SEARCH SECURITY SELF SEND SENSITIVITY SEQUENCE SERIALIZABLE SERVER SERVICE SESSION SETS SID
    SIGNATURE SNAPSHOT SOURCE SPARSE SPATIAL SPLIT START STATE STATIC STATS STATUSONLY STOPLIST SUSPEND SWITCH SYMMETRIC
    SYNONYM SYSNAME SYSTEM SYSTEM_TIME SYSTEM_VERSIONING TARGET TEXT TEXTIMAGE_ON THREAD THROW TIES TIME TIMEOUT
    TIMESTAMP TRAILING TRANSFER TRIM TRY TRY_CAST TRY_PARSE TYPE TYPED TYPE_WARNING UNBOUNDED UNCOMMITTED UNDEFINED
    UNKNOWN UNLIMITED UNLOCK URL USED USING VALUE VARBINARY VARCHAR VERSION VIEWS VIEW_METADATA WINDOW WINDOWS WITHOUT
    WITHOUT_ARRAY_WRAPPER WORK WORKLOAD XACT_ABORT XML XMLDATA XMLNAMESPACES XMLSCHEMA XSINIL ZONE
    ;
}

/// Functions that are written as variables are. Any other name may be a variable's, also with two signs.
pub const GLOBALS: [&str; 35] = [
    "@@CONNECTIONS",
    "@@CPU_BUSY",
    "@@CURSOR_ROWS",
    "@@DATEFIRST",
    "@@DBTS",
    "@@ERROR",
    "@@FETCH_STATUS",
    "@@IDENTITY",
    "@@IDLE",
    "@@IO_BUSY",
    "@@KERNEL_MODE",
    "@@LANGID",
    "@@LANGUAGE",
    "@@LOCK_TIMEOUT",
    "@@MAX_CONNECTIONS",
    "@@MAX_PRECISION",
    "@@MICROSOFTVERSION",
    "@@NESTLEVEL",
    "@@OPTIONS",
    "@@PACKET_ERRORS",
    "@@PACK_RECEIVED",
    "@@PACK_SENT",
    "@@PROCID",
    "@@REMSERVER",
    "@@ROWCOUNT",
    "@@SERVERNAME",
    "@@SERVICENAME",
    "@@SPID",
    "@@TEXTSIZE",
    "@@TIMETICKS",
    "@@TOTAL_ERRORS",
    "@@TOTAL_READ",
    "@@TOTAL_WRITE",
    "@@TRANCOUNT",
    "@@VERSION",
];

pub fn is_global(name: &str) -> bool {
    GLOBALS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The longest word of the table.
const LENGTH_MAX: usize = 32;
const SLOTS: usize = 2048;

const fn hash(word: &[u8]) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut i = 0;
    while i < word.len() {
        // Clearing this bit makes ASCII letters of both cases one; what else it merges the comparison tells apart.
        hash = (hash ^ (word[i] & 0xdf) as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    ((hash >> 16) ^ hash) as usize & (SLOTS - 1)
}

/// Index into WORDS plus one; 0 is an empty slot. Collisions go to the next slot.
static TABLE: [u16; SLOTS] = {
    let mut table = [0u16; SLOTS];
    let mut i = 0;
    while i < WORDS.len() {
        assert!(WORDS[i].0.len() <= LENGTH_MAX);
        let mut slot = hash(WORDS[i].0.as_bytes());
        while table[slot] != 0 {
            slot = (slot + 1) & (SLOTS - 1);
        }
        table[slot] = i as u16 + 1;
        i += 1;
    }
    table
};

impl Keyword {
    /// Case is ignored. `NONE_` for any other word.
    pub fn find(word: &str) -> Keyword {
        let word = word.as_bytes();
        if word.len() < 2 || word.len() > LENGTH_MAX {
            return Keyword::NONE_;
        }
        let mut slot = hash(word);
        loop {
            let index = TABLE[slot] as usize;
            if index == 0 {
                return Keyword::NONE_;
            }
            let (text, keyword) = WORDS[index - 1];
            if text.as_bytes().eq_ignore_ascii_case(word) {
                return keyword;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
    }

    pub fn is_reserved(self) -> bool {
        self != Keyword::NONE_ && (self as u16) < Keyword::LAST_RESERVED_ as u16
    }

    /// In capitals.
    pub fn text(self) -> &'static str {
        // The enum has NONE_ before the first word and LAST_RESERVED_ before the first contextual one.
        let position = self as usize;
        match self {
            Keyword::NONE_ | Keyword::LAST_RESERVED_ => "",
            _ if self.is_reserved() => WORDS[position - 1].0,
            _ => WORDS[position - 2].0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_in_any_case() {
        for (text, keyword) in WORDS {
            assert_eq!(Keyword::find(text), *keyword);
            assert_eq!(Keyword::find(&text.to_lowercase()), *keyword);
            assert_eq!(keyword.text(), *text);
        }
        for other in ["", "x", "selec", "selects", "se1ect", "{\u{5b}", "a_word_that_is_longer_than_any_of_the_table"] {
            assert_eq!(Keyword::find(other), Keyword::NONE_, "{other}");
        }
    }

    #[test]
    fn only_the_published_list_is_reserved() {
        assert!(Keyword::SELECT.is_reserved() && Keyword::WRITETEXT.is_reserved() && Keyword::ADD.is_reserved());
        assert!(!Keyword::THROW.is_reserved() && !Keyword::OUTPUT.is_reserved() && !Keyword::NONE_.is_reserved());
    }
}
