//! The answer as one page: charts as SVG of our own, tables, and the machine. It loads nothing from anywhere.

mod panel;
mod draw;
mod bars;
mod lines;
mod page;

use std::path::{Path, PathBuf};

use super::library;
use super::results::read;

/// Writes `report.html` from the results in `directory`. Err: there are none, or they cannot be read.
pub fn write(directory: &Path) -> Result<PathBuf, String> {
    let mut measured = Vec::new();
    for definition in library::all()? {
        let results = read(directory, &definition.name)?;
        if !results.machines.is_empty() {
            measured.push((definition, results));
        }
    }
    if measured.is_empty() {
        return Err(format!(
            "{0}: there are no results; heddle lab run NAME --out {0} makes some",
            directory.display()
        ));
    }
    let path = directory.join("report.html");
    os::fs::write(&path, page::page(&measured).as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}
