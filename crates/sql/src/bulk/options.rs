//! Options of BULK INSERT and OPENROWSET(BULK ...).
//!
//! https://learn.microsoft.com/sql/t-sql/statements/bulk-insert-transact-sql
//! https://learn.microsoft.com/sql/t-sql/functions/openrowset-bulk-transact-sql

use types::collation::{CodePage, code_page};
use types::{SqlResult, sql_error};

use crate::ast::{Expr, Literal, Setting, SettingValue, UnaryOp};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    Char,
    WideChar,
    Native,
    WideNative,
}

/// The file is one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Single {
    Blob,
    Clob,
    NClob,
}

#[derive(Debug, Clone)]
pub struct BulkOptions {
    /// Rows of a transaction; 0: all.
    pub batch_size: u64,
    pub check_constraints: bool,
    pub fire_triggers: bool,
    pub keep_identity: bool,
    pub keep_nulls: bool,
    /// None: that of the columns.
    pub code_page: Option<CodePage>,
    pub file_type: FileType,
    pub field_terminator: Option<Box<str>>,
    pub row_terminator: Option<Box<str>>,
    pub first_row: u64,
    pub last_row: u64,
    pub max_errors: u64,
    pub csv: bool,
    pub quote: u8,
    pub format_file: Option<Box<str>>,
    pub error_file: Option<Box<str>>,
    pub single: Option<Single>,
}

impl BulkOptions {
    /// `statement`: BULK INSERT or OPENROWSET, which does not have all of them. 155, 40510
    pub fn of(settings: &[Setting], statement: &str) -> SqlResult<BulkOptions> {
        let mut options = BulkOptions {
            batch_size: 0,
            check_constraints: false,
            fire_triggers: false,
            keep_identity: false,
            keep_nulls: false,
            code_page: None,
            file_type: FileType::Char,
            field_terminator: None,
            row_terminator: None,
            first_row: 1,
            last_row: 0,
            max_errors: 10,
            csv: false,
            quote: b'"',
            format_file: None,
            error_file: None,
            single: None,
        };
        let inserts = statement == "BULK INSERT";
        for setting in settings {
            let name = setting.name.to_ascii_uppercase();
            options.take(&name, setting, inserts, statement).map_err(|error| error.at_line(setting.line))?;
        }
        if options.single.is_some() && settings.len() > 1 {
            return Err(sql_error!(4802));
        }
        if options.last_row > 0 && options.first_row > options.last_row {
            return Err(sql_error!(4880));
        }
        Ok(options)
    }

    fn take(&mut self, name: &str, setting: &Setting, inserts: bool, statement: &str) -> SqlResult<()> {
        match name {
            "BATCHSIZE" if inserts => self.batch_size = number(setting)?,
            "CHECK_CONSTRAINTS" if inserts => self.check_constraints = true,
            "FIRE_TRIGGERS" if inserts => self.fire_triggers = true,
            "KEEPIDENTITY" if inserts => self.keep_identity = true,
            "KEEPNULLS" if inserts => self.keep_nulls = true,
            // They say how rows are locked and logged, not which they are.
            "TABLOCK" if inserts => {}
            "KILOBYTES_PER_BATCH" if inserts => drop(number(setting)?),
            "ROWS_PER_BATCH" => drop(number(setting)?),
            "SINGLE_BLOB" if !inserts => self.single = Some(Single::Blob),
            "SINGLE_CLOB" if !inserts => self.single = Some(Single::Clob),
            "SINGLE_NCLOB" if !inserts => self.single = Some(Single::NClob),
            "CODEPAGE" => self.code_page = code_page_of(&text(setting)?)?,
            "DATAFILETYPE" => {
                self.file_type = match text(setting)?.to_ascii_lowercase().as_str() {
                    "char" => FileType::Char,
                    "widechar" => FileType::WideChar,
                    "native" => FileType::Native,
                    "widenative" => FileType::WideNative,
                    other => return Err(sql_error!(155, other, "DATAFILETYPE")),
                }
            }
            "FIELDTERMINATOR" => self.field_terminator = Some(text(setting)?),
            "ROWTERMINATOR" => self.row_terminator = Some(text(setting)?),
            "FIRSTROW" => self.first_row = number(setting)?.max(1),
            "LASTROW" => self.last_row = number(setting)?,
            "MAXERRORS" => self.max_errors = number(setting)?,
            "FORMAT" => match text(setting)?.to_ascii_uppercase().as_str() {
                "CSV" => self.csv = true,
                other => return Err(sql_error!(40510, format_args!("FORMAT = '{other}'"))),
            },
            "FIELDQUOTE" => {
                let quote = text(setting)?;
                let [quote] = quote.as_bytes() else { return Err(sql_error!(155, &*quote, "FIELDQUOTE")) };
                self.quote = *quote;
            }
            "FORMATFILE" => self.format_file = Some(text(setting)?),
            "ERRORFILE" => self.error_file = Some(text(setting)?),
            "DATA_SOURCE" | "DATASOURCE" | "FORMATFILE_DATA_SOURCE" | "ERRORFILE_DATA_SOURCE" => {
                return Err(sql_error!(40510, name));
            }
            _ => return Err(sql_error!(155, &*setting.name, statement)),
        }
        if self.csv && self.file_type != FileType::Char {
            return Err(sql_error!(40510, "FORMAT = 'CSV' with this DATAFILETYPE"));
        }
        Ok(())
    }
}

/// None: nothing is converted.
fn code_page_of(text: &str) -> SqlResult<Option<CodePage>> {
    let number = match text.to_ascii_uppercase().as_str() {
        "RAW" | "OEM" => return Ok(None),
        "ACP" => 1252,
        number => number.parse::<u16>().map_err(|_| sql_error!(155, text, "CODEPAGE"))?,
    };
    let page = CodePage(number);
    let known =
        page == CodePage::UTF8 || matches!(number, 932 | 936 | 949 | 950) || code_page::single_byte(page).is_some();
    if known && number != 0 { Ok(Some(page)) } else { Err(sql_error!(2775, i32::from(number))) }
}

fn text(setting: &Setting) -> SqlResult<Box<str>> {
    match &setting.value {
        SettingValue::Value(Expr::Literal(Literal::String { text, .. })) => Ok(text.clone()),
        _ => Err(sql_error!(102, &*setting.name)),
    }
}

fn number(setting: &Setting) -> SqlResult<u64> {
    let shown = |value: &Expr| match value {
        Expr::Literal(Literal::Int(number)) => u64::try_from(*number).ok(),
        Expr::Literal(Literal::Decimal(number)) if number.scale == 0 => u64::try_from(number.unscaled).ok(),
        _ => None,
    };
    match &setting.value {
        SettingValue::Value(value) => match shown(value) {
            Some(number) => Ok(number),
            None if matches!(value, Expr::Unary(UnaryOp::Minus, _)) => Err(sql_error!(102, "-")),
            None => Err(sql_error!(102, &*setting.name)),
        },
        _ => Err(sql_error!(102, &*setting.name)),
    }
}

/// Neither statement takes a variable. 102
pub fn file_name(expr: &Expr) -> SqlResult<Box<str>> {
    match expr {
        Expr::Literal(Literal::String { text, .. }) => Ok(text.clone()),
        Expr::Variable(variable) => Err(sql_error!(102, variable.name).at_line(variable.line)),
        _ => Err(sql_error!(102, "BULK")),
    }
}
