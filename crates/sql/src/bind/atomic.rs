//! The settings of BEGIN ATOMIC.

use types::datetime::{DateFormat, LanguageId};
use types::{SqlError, SqlResult};

use super::errors;
use crate::ast::{self, SettingValue, find_setting};
use crate::plan::{AtomicBlock, AtomicIsolation};

/// `line`: of BEGIN. The isolation level and the language must be said; the others come from the language, or are off.
pub fn atomic_block(settings: &[ast::Setting], line: u32) -> SqlResult<AtomicBlock> {
    const KNOWN: [&str; 5] =
        ["TRANSACTION ISOLATION LEVEL", "LANGUAGE", "DATEFIRST", "DATEFORMAT", "DELAYED_DURABILITY"];
    if let Some(unknown) = settings.iter().find(|setting| !KNOWN.contains(&&*setting.name)) {
        let text = format!("'{}' is not a recognized option.", unknown.name);
        return Err(errors::plain(155, 15, 1, text).at_line(unknown.line));
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
    let name = name.to_lowercase();
    let text = format!("The WITH clause of BEGIN ATOMIC statement must specify a value for the option '{name}'.");
    errors::plain(10784, 15, 1, text)
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
            let text =
                format!("The transaction isolation level '{level}' is not supported with natively compiled modules.");
            return Err(errors::plain(10794, 16, 77, text).at_line(setting.line));
        }
    })
}

fn language(setting: &ast::Setting) -> SqlResult<LanguageId> {
    let asked = text(&setting.value);
    LanguageId::named(asked).ok_or_else(|| {
        let text = format!("'{asked}' is not an official language name or a language alias on this SQL Server.");
        errors::plain(2741, 16, 1, text).at_line(setting.line)
    })
}

fn date_first(setting: &ast::Setting) -> SqlResult<u8> {
    match &setting.value {
        SettingValue::Value(ast::Expr::Literal(ast::Literal::Int(day @ 1..=7))) => Ok(*day as u8),
        SettingValue::Value(ast::Expr::Literal(ast::Literal::Int(day))) => {
            Err(errors::plain(2744, 16, 1, format!("SET DATEFIRST {day} is out of range.")).at_line(setting.line))
        }
        _ => Err(errors::plain(102, 15, 1, "Incorrect syntax near 'DATEFIRST'.").at_line(setting.line)),
    }
}

fn date_format(setting: &ast::Setting) -> SqlResult<DateFormat> {
    let asked = text(&setting.value);
    DateFormat::from_name(asked).ok_or_else(|| {
        let text = format!("Unknown date format '{}'.", asked.to_ascii_lowercase());
        errors::plain(2741, 16, 1, text).at_line(setting.line)
    })
}
