//! Options kept in master.

use types::{SqlResult, sql_error};

use super::base::OptionRow;
use super::load::int;
use super::{Catalog, MASTER};
use crate::settings::config::OPTIONS;

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
        let option = &OPTIONS[index];
        // 0 stands for "the server decides" where the minimum is above it.
        if value != option.default && !(option.minimum..=option.maximum).contains(&value) {
            return Err(sql_error!(15129, value, option.name));
        }
        let master = self.expect_database(MASTER);
        self.change(&master, |rows| {
            let row = OptionRow { id: option.id, value };
            if rows.update::<OptionRow>(0, &[int(option.id)], |old| *old = row.clone())? == 0 {
                rows.insert(&row)?;
            }
            Ok(())
        })?;
        Ok(self.configuration.configure(index, value))
    }
}
