//! SET of a session option.

use sql::plan::SetOption;
use types::datetime::{DateFormat, LanguageId};
use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use super::run::Runner;
use crate::expression::Scalar;
use crate::kernel;
use crate::session::{CONTEXT_INFO_BYTES, Options};
use crate::sink::Environment;

/// The switch of that name; None: not one that is kept here.
fn switch<'o>(options: &'o mut Options, name: &str) -> Option<&'o mut bool> {
    Some(match name {
        "ANSI_NULL_DFLT_ON" => &mut options.ansi_null_dflt_on,
        "ANSI_NULL_DFLT_OFF" => &mut options.ansi_null_dflt_off,
        "ANSI_NULLS" => &mut options.ansi_nulls,
        "ANSI_PADDING" => &mut options.ansi_padding,
        "ANSI_WARNINGS" => &mut options.ansi_warnings,
        "ARITHABORT" => &mut options.arith_abort,
        "ARITHIGNORE" => &mut options.arith_ignore,
        "CONCAT_NULL_YIELDS_NULL" => &mut options.concat_null_yields_null,
        "CURSOR_CLOSE_ON_COMMIT" => &mut options.cursor_close_on_commit,
        "FMTONLY" => &mut options.fmt_only,
        "FORCEPLAN" => &mut options.force_plan,
        "IMPLICIT_TRANSACTIONS" => &mut options.implicit_transactions,
        "NOCOUNT" => &mut options.no_count,
        "NO_BROWSETABLE" => &mut options.no_browse_table,
        "NOEXEC" => &mut options.no_exec,
        "NUMERIC_ROUNDABORT" => &mut options.numeric_round_abort,
        "PARSEONLY" => &mut options.parse_only,
        "QUOTED_IDENTIFIER" => &mut options.quoted_identifier,
        "REMOTE_PROC_TRANSACTIONS" => &mut options.remote_proc_transactions,
        "SHOWPLAN_ALL" => &mut options.show_plan_all,
        "SHOWPLAN_TEXT" => &mut options.show_plan,
        "SHOWPLAN_XML" => &mut options.show_plan_xml,
        "STATISTICS IO" => &mut options.statistics_io,
        "STATISTICS PROFILE" => &mut options.statistics_profile,
        "STATISTICS TIME" => &mut options.statistics_time,
        "STATISTICS XML" => &mut options.statistics_xml,
        "XACT_ABORT" => &mut options.xact_abort,
        _ => return None,
    })
}

/// Switches that would change what a statement gives and do not: refused rather than passed over. docs/set-options.md lists all.
const REFUSED: &[&str] = &["DISABLE_DEF_CNST_CHK", "OFFSETS", "RESULT_SET_CACHING"];

/// 40510
fn refused(option: &str) -> SqlError {
    sql_error!(40510, format!("SET {option}"))
}

impl Runner<'_> {
    pub fn set_switch(&mut self, names: &[Box<str>], on: bool) -> SqlResult<()> {
        for name in names {
            let name = name.to_ascii_uppercase();
            let runtime = self.context.runtime.get_mut();
            let options = &mut runtime.session.options;
            if name == "ANSI_DEFAULTS" {
                options.ansi_defaults = on;
                options.ansi_null_dflt_on = on;
                options.ansi_nulls = on;
                options.ansi_padding = on;
                options.ansi_warnings = on;
                options.cursor_close_on_commit = on;
                options.implicit_transactions = on;
                options.quoted_identifier = on;
            } else if on && REFUSED.contains(&&*name) {
                return Err(refused(&format!("{name} ON")));
            } else if let Some(switch) = switch(options, &name) {
                *switch = on;
                // Only one of the two can be on.
                match &*name {
                    "ANSI_NULL_DFLT_ON" => options.ansi_null_dflt_off &= !on,
                    "ANSI_NULL_DFLT_OFF" => options.ansi_null_dflt_on &= !on,
                    _ => {}
                }
            } else {
                runtime.host.set_option(runtime.session, &name, &Datum::I64(on as i64))?;
            }
        }
        Ok(())
    }

    pub fn set_value(&mut self, name: &str, value: &Scalar) -> SqlResult<()> {
        let datum = value.scalar_datum(&self.context)?;
        let ty = value.ty;
        let text = || match &datum {
            Datum::Bytes(bytes) => kernel::text(&ty, bytes).trim().to_owned(),
            _ => String::new(),
        };
        let whole = match &datum {
            Datum::I64(value) => Some(*value),
            _ => None,
        };
        let not_whole = || sql_error!(2743, name.to_ascii_uppercase(), "integer");
        let runtime = self.context.runtime.get_mut();
        let session = &mut *runtime.session;
        match name.to_ascii_uppercase().as_str() {
            "ROWCOUNT" => {
                let rows = whole.and_then(|rows| u64::try_from(rows).ok());
                session.options.row_count = rows.ok_or_else(|| sql_error!(507, state 2))?;
            }
            "TEXTSIZE" => {
                session.options.text_size = match whole.ok_or_else(not_whole)? {
                    0 => 4096,
                    size => i32::try_from(size).map_err(|_| not_whole())?,
                }
            }
            "DATEFIRST" => match whole {
                Some(day @ 1..=7) => {
                    session.options.date_first = day as u8;
                    session.options.date_first_given = true;
                }
                Some(other) => return Err(sql_error!(2742, other)),
                None => return Err(sql_error!(2743, state 3, "SET DATEFIRST", "integer")),
            },
            "DATEFORMAT" | "LANGUAGE" if !matches!(datum, Datum::Bytes(_)) => {
                let option = format!("SET {}", name.to_ascii_uppercase());
                return Err(sql_error!(2743, state 2, option, "character"));
            }
            "DATEFORMAT" => {
                let asked = text();
                session.options.date_format = DateFormat::from_name(&asked).ok_or_else(|| sql_error!(2741, asked))?;
                session.options.date_format_given = true;
            }
            "LANGUAGE" => {
                let asked = text();
                let Some(language) = LanguageId::named(&asked) else {
                    return Err(sql_error!(2740, asked));
                };
                session.options.set_language(language);
                let name = language.get().name;
                runtime.sink.environment(&Environment::Language(name.into())).map_err(crate::session::stopped)?;
                runtime.sink.message(&sql_error!(5703, name).at_line(1)).map_err(crate::session::stopped)?;
            }
            "LOCK_TIMEOUT" => {
                let timeout = i32::try_from(whole.ok_or_else(not_whole)?).map_err(|_| not_whole())?;
                session.options.lock_timeout_ms = timeout.max(-1);
                if let Some(transaction) = &mut session.transaction.current {
                    transaction.set_lock_timeout_ms(timeout.max(-1) as i64);
                }
            }
            "DEADLOCK_PRIORITY" => {
                let whole = whole.or_else(|| text().parse().ok());
                let priority = match (whole, text().to_ascii_uppercase().as_str()) {
                    // A variable's: NORMAL.
                    _ if matches!(datum, Datum::Null) => 0,
                    (Some(value @ -10..=10), _) => value as i8,
                    (_, "LOW") => -5,
                    (_, "NORMAL") => 0,
                    (_, "HIGH") => 5,
                    _ => return Err(sql_error!(2755, -10, 10)),
                };
                session.options.deadlock_priority = priority;
                if let Some(transaction) = &mut session.transaction.current {
                    transaction.set_deadlock_priority(priority);
                }
            }
            "CONTEXT_INFO" => {
                let wanted = SqlType::varbinary(CONTEXT_INFO_BYTES as u16);
                match kernel::convert_datum(session, &datum, &ty, &wanted)? {
                    Datum::Bytes(info) => session.context_info = info,
                    _ => return Err(sql_error!(2743, "SET CONTEXT_INFO", "varbinary (128) NOT NULL")),
                }
            }
            "QUERY_GOVERNOR_COST_LIMIT" => {
                // "Values are rounded down to the nearest integer. Negative values are rounded up to 0."
                let limit = match &datum {
                    Datum::Bytes(_) | Datum::Null => return Err(not_whole()),
                    number => kernel::convert_datum(session, number, &ty, &SqlType::FLOAT)?,
                };
                let Datum::F64(limit) = limit else { return Err(not_whole()) };
                runtime.host.set_option(session, "QUERY_GOVERNOR_COST_LIMIT", &datum)?;
                session.options.cost_limit = Some(limit.floor().clamp(0.0, f64::from(i32::MAX)) as u32);
            }
            // No statement is compared with a standard.
            "FIPS_FLAGGER" if !text().eq_ignore_ascii_case("OFF") => return Err(refused(name)),
            other => runtime.host.set_option(session, other, &datum)?,
        }
        Ok(())
    }

    pub fn set_other(&mut self, option: &SetOption) -> SqlResult<()> {
        let own = match option {
            SetOption::IdentityInsert { table, .. } => self.own_name(table),
            _ => None,
        };
        let runtime = self.context.runtime.get_mut();
        match option {
            SetOption::IsolationLevel(level) => {
                runtime.session.options.isolation = *level;
                runtime.session.isolation_changed = true;
                Ok(())
            }
            SetOption::IdentityInsert { table, on } => {
                let own = own.and_then(|own| runtime.host.table_by_name(runtime.session, &own).ok());
                let definition = match own {
                    Some(own) => own,
                    None => runtime.host.table_by_name(runtime.session, table)?,
                };
                if !definition.columns.iter().any(|column| column.identity.is_some()) {
                    return Err(sql_error!(8106, table.written()));
                }
                let key = (definition.database.0, definition.object.0);
                let set = runtime.session.options.identity_insert;
                match (*on, set) {
                    (true, Some(other)) if other != key => {
                        let (database, object) = (sql::catalog::DatabaseId(other.0), sql::catalog::ObjectId(other.1));
                        let holder = runtime.host.table_by_id(runtime.session, database, object)?;
                        let database = runtime.host.database_name(runtime.session, database);
                        return Err(sql_error!(8107, database, holder.schema, holder.name, table.written()));
                    }
                    (true, _) => runtime.session.options.identity_insert = Some(key),
                    (false, Some(own)) if own == key => runtime.session.options.identity_insert = None,
                    (false, _) => {}
                }
                Ok(())
            }
            SetOption::Switch { .. } | SetOption::Value { .. } => unreachable!("compiled apart"),
        }
    }
}
