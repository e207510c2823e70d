//! Options kept in master.

use types::{SqlResult, sql_error};

use super::base::OptionRow;
use super::load::int;
use super::{Catalog, MASTER};
use crate::settings::config::{OPTIONS, option};

impl Catalog {
    /// At a start everything configured is in effect; what the command line decides otherwise is told afterwards.
    pub(crate) fn load_configuration(&self) -> SqlResult<()> {
        let master = self.expect_database(MASTER);
        let rows: Vec<OptionRow> = self.read(&master, |rows| rows.all())?;
        for row in rows {
            if let Some(index) = OPTIONS.iter().position(|option| option.id == row.id) {
                self.configuration.configure(index, row.value);
                self.configuration.set_running(index, row.value);
            }
        }
        Ok(())
    }

    /// sp_configure 'name', value: kept in master at once, in effect with RECONFIGURE or a restart. Answers the old value.
    pub fn configure(&self, index: usize, value: i64) -> SqlResult<i64> {
        let described = &OPTIONS[index];
        // 0 stands for "the server decides" where the minimum is above it.
        if value != described.default && !(described.minimum..=described.maximum).contains(&value) {
            return Err(sql_error!(15129, value, described.name));
        }
        // What there is no part of is not said to be on: whoever asks for it counts on what it records and refuses.
        if value != 0 && [option::C2_AUDIT_MODE, option::COMMON_CRITERIA].contains(&index) {
            return Err(sql_error!(40510, format_args!("sp_configure '{}'", described.name)));
        }
        let master = self.expect_database(MASTER);
        self.change(&master, |rows| {
            let row = OptionRow { id: described.id, value };
            if rows.update::<OptionRow>(0, &[int(described.id)], |old| *old = row.clone())? == 0 {
                rows.insert(&row)?;
            }
            Ok(())
        })?;
        Ok(self.configuration.configure(index, value))
    }
}
