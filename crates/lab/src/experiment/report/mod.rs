//! The answer as one page: charts as SVG of our own, tables, and the machine. It loads nothing from anywhere.

mod panel;
mod draw;
mod bars;
mod lines;
mod sysmon;
mod page;

use std::path::{Path, PathBuf};

use super::library;
use super::results::read;

/// Writes `report.html` from the results in `directory`, and `NAME-sysmon.txt` for experiments that have such a sheet. Err: there are none, or they cannot be read.
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
    for (definition, results) in &measured {
        if let Some(sheets) = sysmon::sheets(definition, results) {
            put(directory.join(format!("{}-sysmon.txt", definition.name)), &sheets)?;
        }
    }
    put(directory.join("report.html"), &page::page(&measured))
}

fn put(path: PathBuf, text: &str) -> Result<PathBuf, String> {
    os::fs::write(&path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}
