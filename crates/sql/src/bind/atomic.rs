//! The settings of BEGIN ATOMIC.

use types::datetime::{DateFormat, LanguageId};
use types::{SqlError, SqlResult, sql_error};

use crate::ast::{self, SettingValue, find_setting};
use crate::plan::{AtomicBlock, AtomicIsolation};

/// `line`: of BEGIN. The isolation level and the language must be said; the others come from the language, or are off.
pub fn atomic_block(settings: &[ast::Setting], line: u32) -> SqlResult<AtomicBlock> {
    const KNOWN: [&str; 5] =
        ["TRANSACTION ISOLATION LEVEL", "LANGUAGE", "DATEFIRST", "DATEFORMAT", "DELAYED_DURABILITY"];
    if let Some(unknown) = settings.iter().find(|setting| !KNOWN.contains(&&*setting.name)) {
        return Err(sql_error!(155, unknown.name, "ATOMIC block").at_line(unknown.line));
    }
    let required = |name: &str| find_setting(settings, name).ok_or_else(|| missing(name).at_line(line));
    let isolation = isolation(required("TRANSACTION ISOLATION LEVEL")?)?;
    let language = language(required("LANGUAGE")?)?;
    Ok(AtomicBlock {
        isolation,
        language,
        date_first: find_setting(settings, "DATEFIRST").map_or(Ok(language.get().date_first), date_first)?,
        date_format: find_setting(settings, "DATEFORMAT").map_or(Ok(language.get().date_format), date_format)?,
        delayed_durability: find_setting(settings, "DELAYED_DURABILITY").is_some_and(ast::Setting::is_on),
        line,
    })
}

fn missing(name: &str) -> SqlError {
    sql_error!(10784, name.to_lowercase())
}

/// A word or a string.
fn text(value: &SettingValue) -> &str {
    match value {
        SettingValue::Word(word) => word,
        SettingValue::Value(ast::Expr::Literal(ast::Literal::String { text, .. })) => text,
        _ => "",
    }
}

fn isolation(setting: &ast::Setting) -> SqlResult<AtomicIsolation> {
    Ok(match text(&setting.value).to_ascii_uppercase().as_str() {
        "SNAPSHOT" => AtomicIsolation::Snapshot,
        "REPEATABLE READ" | "REPEATABLEREAD" => AtomicIsolation::RepeatableRead,
        "SERIALIZABLE" => AtomicIsolation::Serializable,
        level => {
            return Err(sql_error!(10794, state 77, "transaction isolation level", level, "natively compiled modules")
                .at_line(setting.line));
        }
    })
}

fn language(setting: &ast::Setting) -> SqlResult<LanguageId> {
    let asked = text(&setting.value);
    LanguageId::named(asked).ok_or_else(|| sql_error!(2740, asked).at_line(setting.line))
}

fn date_first(setting: &ast::Setting) -> SqlResult<u8> {
    match &setting.value {
        SettingValue::Value(ast::Expr::Literal(ast::Literal::Int(day @ 1..=7))) => Ok(*day as u8),
        SettingValue::Value(ast::Expr::Literal(ast::Literal::Int(day))) => {
            Err(sql_error!(2742, day).at_line(setting.line))
        }
        _ => Err(sql_error!(102, "DATEFIRST").at_line(setting.line)),
    }
}

fn date_format(setting: &ast::Setting) -> SqlResult<DateFormat> {
    let asked = text(&setting.value);
    DateFormat::from_name(asked).ok_or_else(|| sql_error!(2741, asked).at_line(setting.line))
}
