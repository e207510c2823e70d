//! SERVERPROPERTY, @@VERSION and their kin: what the server says it is. SQL Server 2022, so that clients enable what they know, and
//! Heddle by name, so that nobody is misled.

use types::{CollationId, SqlType};

use crate::catalog::boot::SHIPPED;
use crate::instance::server::Server;

use super::answer::Answer;

/// Major.minor.build.revision of the SQL Server whose behaviour this is.
pub const PRODUCT_VERSION: &str = "16.0.4003.1";
/// `EngineEdition` of a standalone Enterprise or Developer server.
const ENGINE_EDITION: i64 = 3;
const EDITION_ID_DEVELOPER: i64 = -2_117_995_310;

/// @@VERSION. Clients match `Microsoft .*? - (\d+)\.(\d+)\.(\d+)\.(\d+)`.
pub fn version_text() -> String {
    format!(
        "Microsoft SQL Server 2022 (Heddle {}) - {PRODUCT_VERSION} (X64) \n\tDeveloper Edition (64-bit) on {}\n",
        env!("CARGO_PKG_VERSION"),
        os::env::os_release()
    )
}

/// Flags of Windows by which a collation compares: 1 ignores case, 2 accents, 65536 the kind of kana, 131072 width; 0 of a binary one.
pub fn comparison_style(collation: CollationId) -> i64 {
    let tds = collation.to_tds();
    let ignores = |bit: u32| u32::from_le_bytes([tds[0], tds[1], tds[2], tds[3]]) >> (20 + bit) & 1 != 0;
    [1, 2, 131_072, 65_536].into_iter().zip(0..).filter(|(_, bit)| ignores(*bit)).map(|(flag, _)| flag).sum()
}

/// The Windows locale of a collation.
pub fn locale(collation: CollationId) -> i64 {
    let tds = collation.to_tds();
    i64::from(u32::from_le_bytes([tds[0], tds[1], tds[2], tds[3]]) & 0xF_FFFF)
}

/// The sort order of SQL Server 7 that a collation is; 0: none.
pub fn sort_order(collation: CollationId) -> i64 {
    collation.to_tds()[4].into()
}

pub fn server_property(server: &Server, name: &str) -> Answer {
    match name.trim().to_ascii_lowercase().as_str() {
        "buildclrversion" => "v4.0.30319".into(),
        "collation" => server.catalog.collation.name().as_str().into(),
        "collationid" => Answer::Number(872_468_488),
        "comparisonstyle" => Answer::Number(comparison_style(server.catalog.collation)),
        "computernamephysicalnetbios" | "machinename" => os::env::host_name().as_str().into(),
        "servername" => server.catalog.server_name.as_str().into(),
        "edition" => "Developer Edition (64-bit)".into(),
        "editionid" => Answer::typed(&SqlType::BIGINT, EDITION_ID_DEVELOPER),
        "engineedition" => Answer::Number(ENGINE_EDITION),
        "errorlogfilename" => match server.catalog.data_directory.trim_end_matches('/') {
            directory if directory.starts_with('/') => format!("{directory}/log/errorlog").as_str().into(),
            _ => Answer::Null,
        },
        "filestreamconfiguredlevel" | "filestreameffectivelevel" => Answer::Number(0),
        "hadrmanagerstatus" => Answer::Number(2),
        "instancedefaultbackuppath" => {
            let directory = server.catalog.data_directory.trim_end_matches('/');
            format!("{directory}/{}", storage::backup::BACKUPS).as_str().into()
        }
        "instancedefaultdatapath" | "instancedefaultlogpath" => {
            format!("{}/", server.catalog.data_directory).as_str().into()
        }
        "instancename" => server.settings.named_instance().map_or(Answer::Null, Answer::from),
        "isadvancedanalyticsinstalled"
        | "isbigdatacluster"
        | "isclustered"
        | "isfulltextinstalled"
        | "ishadrenabled"
        | "isintegratedsecurityonly"
        | "islocaldb"
        | "ispolybaseinstalled"
        | "issingleuser"
        | "istempdbmetadatamemoryoptimized"
        | "isexternalauthenticationonly"
        | "isexternalgovernanceenabled" => Answer::Number(0),
        "isxtpsupported" => Answer::Number(1),
        "lcid" => Answer::Number(locale(server.catalog.collation)),
        "licensetype" => "DISABLED".into(),
        "numlicenses" => Answer::Null,
        "pathseparator" => "/".into(),
        "processid" => Answer::Number(i64::from(os::env::process_id())),
        "productbuild" => "4003".into(),
        "productbuildtype" => Answer::Null,
        "productlevel" => "RTM".into(),
        "productmajorversion" => "16".into(),
        "productminorversion" => "0".into(),
        "productupdatelevel" => "CU1".into(),
        "productupdatereference" => Answer::Null,
        // The system's objects are the program's.
        "resourcelastupdatedatetime" => Answer::typed(&SqlType::DATETIME, SHIPPED.0),
        "isserversuspendedforsnapshotbackup" | "suspendeddatabasecount" => Answer::Number(0),
        "productversion" | "resourceversion" => PRODUCT_VERSION.into(),
        "sqlcharset" => Answer::typed(&SqlType::TINYINT, 1),
        "sqlcharsetname" => "iso_1".into(),
        "sqlsortorder" => Answer::typed(&SqlType::TINYINT, sort_order(server.catalog.collation)),
        "sqlsortordername" => "nocase_iso".into(),
        _ => Answer::Null,
    }
}
